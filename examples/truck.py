"""A truck with a clutch, an automatic gearbox and four driven wheels: `taut view examples/truck.py`."""

import taut
from taut.machines import Brake, Clutch, Differential, Drivetrain, Engine, Gearbox, Shaft, rpm


def build() -> taut.Scene:
    """The truck on level ground, in neutral."""
    scene = taut.Scene(friction=1.0, name="truck")
    scene.add_plane()
    scene.add_body("frame", taut.shapes.Box(4.6, 0.5, 0.16), mass=4000, position=(0, 0, 0.75), collides=False)
    for wheel, x, y in (("fl", 1.6, 0.8), ("fr", 1.6, -0.8), ("rl", -1.6, 0.8), ("rr", -1.6, -0.8)):
        scene.add_body(f"wheel-{wheel}", taut.shapes.Cylinder(0.5, 0.28), mass=60, position=(x, y, 0.5),
                       orientation=(0.5**0.5, 0.5**0.5, 0, 0))  # fmt: skip
        scene.connect("frame", f"wheel-{wheel}", taut.joints.Revolute(axis=(0, 1, 0)), at=(x, y, 0.5), name=wheel)
    curve = [(rpm(600), 350), (rpm(1500), 500), (rpm(2800), 400)]
    front = Shaft(on=("frame", (0.35, 0, 0.1)), mass=5, radius=0.07, length=0.6)
    rear = Shaft(on=("frame", (-0.75, 0, 0.1)), mass=5, radius=0.06, length=1.3)
    axles = [Differential(outputs=("fl", "fr"), ratio=4, shaft=front),
             Differential(outputs=("rl", "rr"), ratio=4, shaft=rear, kind="limited slip", bias_torque=100)]  # fmt: skip
    scene.add(Drivetrain(
        engine=Engine(on=("frame", (1.75, 0, 0.35)), torque_curve=curve, idle=rpm(800), inertia=1.2,
                      friction_torque=50, radius=0.28, length=0.7),
        coupler=Clutch(max_torque=900, grips=(rpm(800), rpm(1300))),
        shaft=Shaft(on=("frame", (0.95, 0, 0.35)), mass=20, radius=0.16, length=0.5),
        gearbox=Gearbox(forward=(5, 3, 2, 1.3), reverse=(5,), auto=(rpm(1200), rpm(2500)), efficiency=0.96),
        final=Differential(outputs=axles), brakes=Brake(max_torque=5000)), name="truck")  # fmt: skip
    return scene


if __name__ == "__main__":
    simulation = taut.Simulation(build())
    truck, controls = simulation.part("truck"), simulation.controls
    for throttle, brake, seconds in ((1.0, 0.0, 6.0), (0.0, 1.0, 4.0)):
        controls["truck.throttle"].set(throttle)
        controls["truck.brake"].set(brake)
        controls["truck.gear"].set(1)
        simulation.run(seconds, record=False)
        speed = simulation.body("frame").velocity[0]
        print(f"{speed:.1f} m/s in gear {truck.gear}, {truck.power_in / 1e3:.0f} kW, brakes hold: {truck.brakes.holds}")
