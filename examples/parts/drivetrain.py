"""Engine, clutch, gearbox, three differentials and brakes of a truck, in one part."""

import taut
from taut.machines import Brake, Clutch, Differential, Drivetrain, Engine, Gearbox, rpm


def build() -> taut.Scene:
    """It starts in first gear and changes by itself."""
    scene = taut.Scene(friction=1.0)
    scene.add_plane()
    scene.add_body("frame", taut.shapes.Box(4, 0.8, 0.2), mass=4000, position=(0, 0, 0.8), collides=False)
    for corner, x, y in (("fl", 1.4, 0.8), ("fr", 1.4, -0.8), ("rl", -1.4, 0.8), ("rr", -1.4, -0.8)):
        wheel = taut.machines.Wheel(carrier=("frame", (x, y, -0.3)), radius=0.5, width=0.3, mass=60)
        scene.add(wheel, name=corner)
    curve = [(rpm(600), 350), (rpm(1500), 500), (rpm(2800), 400)]
    axles = [Differential(outputs=(f"{end}l/hinge", f"{end}r/hinge")) for end in "fr"]
    drivetrain = Drivetrain(
        engine=Engine(on=("frame", (1, 0, 0.4)), torque_curve=curve, idle=rpm(800), inertia=1.2, friction_torque=50),
        coupler=Clutch(max_torque=900, grips=(rpm(800), rpm(1300))),
        gearbox=Gearbox(forward=(5, 3, 2, 1.3), reverse=(5,), auto=(rpm(1200), rpm(2500))),
        final=Differential(outputs=axles, ratio=4), brakes=Brake(max_torque=5000),
        schedules={"throttle": taut.Ramps((0, 0), (1, 1)), "gear": taut.Ramps((0, 1), (1, 1))},
    )  # fmt: skip
    scene.add(drivetrain, name="drive")
    return scene
