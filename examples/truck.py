"""A truck with a clutch, an automatic gearbox and four driven wheels: `taut view examples/truck.py`."""

import taut
from taut.machines import Brake, Clutch, Differential, Drivetrain, Engine, Gearbox, Shaft, Steering, Wheel, rpm


def build() -> taut.Scene:
    """The truck on level ground, in neutral."""
    scene = taut.Scene(friction=1.0, name="truck")
    scene.add_plane()
    scene.add_body("frame", taut.shapes.Box(4.6, 0.5, 0.16), mass=4000, position=(0, 0, 0.75), collides=False)
    front, rear = ([("frame", (x, y, -0.25)) for y in (0.8, -0.8)] for x in (1.6, -1.6))
    scene.add(Steering(chassis=("frame", (-1.6, 0, 0)), hubs=front, max_torque=5000), name="steering")
    carriers = ["steering/knuckle-1", "steering/knuckle-2", *rear]
    for name, carrier in zip(("fl", "fr", "rl", "rr"), carriers, strict=True):
        scene.add(Wheel(carrier=carrier, radius=0.5, width=0.28, mass=60), name=name)
    axles = [Differential(outputs=("fl/hinge", "fr/hinge"), ratio=4,
                          shaft=Shaft(on=("frame", (0.35, 0, 0.1)), mass=5, radius=0.07, length=0.6)),
             Differential(outputs=("rl/hinge", "rr/hinge"), ratio=4, kind="limited slip", bias_torque=100,
                          shaft=Shaft(on=("frame", (-0.75, 0, 0.1)), mass=5, radius=0.06, length=1.3))]  # fmt: skip
    scene.add(Drivetrain(
        engine=Engine(on=("frame", (1.75, 0, 0.35)), torque_curve=[(rpm(600), 350), (rpm(1500), 500), (rpm(2800), 400)],
                      idle=rpm(800), inertia=1.2, friction_torque=50, radius=0.28, length=0.7),
        coupler=Clutch(max_torque=900, grips=(rpm(800), rpm(1300))),
        shaft=Shaft(on=("frame", (0.95, 0, 0.35)), mass=20, radius=0.16, length=0.5),
        gearbox=Gearbox(forward=(5, 3, 2, 1.3), reverse=(5,), auto=(rpm(1200), rpm(2500)), efficiency=0.96),
        final=Differential(outputs=axles), brakes=Brake(max_torque=5000)), name="truck")  # fmt: skip
    return scene


if __name__ == "__main__":
    simulation = taut.Simulation(build())
    truck, frame = simulation.part("truck"), simulation.body("frame")
    for throttle, brake, seconds in ((1.0, 0.0, 6.0), (0.0, 1.0, 4.0)):
        for name, value in {"throttle": throttle, "brake": brake, "gear": 1}.items():
            simulation.controls[f"truck.{name}"].set(value)
        simulation.run(seconds, record=False)
        power, holds = truck.power_in / 1e3, truck.brakes.holds
        print(f"{frame.velocity[0]:.1f} m/s in gear {truck.gear}, {power:.0f} kW, brakes hold: {holds}")
