"""A motor raises a barrier against its weight until a limit stops it; then it is told to lower the barrier again."""

import numpy as np

import taut
from taut.joints import Motor, Revolute

scene = taut.Scene()
scene.add_body("barrier", taut.shapes.Box(4.0, 0.1, 0.1), mass=20, position=(2, 0, 1))
hinge = Revolute(axis=(0, -1, 0), limits=(0.0, np.radians(80)), motor=Motor(speed=0.5, max_force=600.0), friction=5.0)
scene.connect("world", "barrier", hinge, at=(0, 0, 1), name="hinge")

simulation = taut.Simulation(scene, step=1 / 60)
for command in (0.5, -0.5):
    simulation.joint("hinge").drive(command)
    for second in range(1, 5):
        simulation.run(1.0)
        joint = simulation.joint("hinge")
        angle, torque = np.degrees(joint.position), joint.reaction[4]
        print(f"{command:+.1f} rad/s, {second} s: {angle:5.1f} degrees, reaction about the axis {torque:7.1f} N m")
