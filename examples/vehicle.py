"""A car on struts and a solid axle drives off, turns a circle and brakes: `taut view examples/vehicle.py`."""

import math

import taut
from taut.machines import Brake, Differential, Drivetrain, Engine, SolidAxle, Steering, Strut, Wheel


def build() -> taut.Scene:
    """Hull, suspensions, steering, wheels and drive, in this order."""
    scene = taut.Scene(friction=0.9, name="car")
    scene.add_plane()
    scene.add_body("hull", taut.shapes.Box(3.8, 1.5, 0.5), mass=1200, position=(0, 0, 0.75))
    for name, y in (("left", 0.75), ("right", -0.75)):
        scene.add(Strut(chassis=("hull", (1.3, y, -0.4)), mass=20, travel=(0.08, 0.1)), name=name)
    scene.add(SolidAxle(chassis=("hull", (-1.3, 0, -0.4)), track=1.5, mass=80, anti_roll=2e4), name="rear")
    scene.add(Steering(chassis=("hull", (-1.3, 0, 0)), hubs=["left/hub", "right/hub"], max_torque=500), name="steering")
    carriers = ["steering/knuckle-1", "steering/knuckle-2", ("rear/hub", (0, 0.75, 0)), ("rear/hub", (0, -0.75, 0))]
    for name, carrier in zip("abcd", carriers, strict=True):
        scene.add(Wheel(carrier=carrier, radius=0.35, width=0.2, mass=20), name=name)
    motor = Engine(on="hull", torque_curve=[(0, 200), (300, 200), (1000, 60)], inertia=0.05)  # an electric one
    brakes = Brake(on=["a/hinge", "b/hinge", "c/hinge", "d/hinge"], max_torque=1200)
    rear = Differential(outputs=("c/hinge", "d/hinge"), ratio=8)
    scene.add(Drivetrain(engine=motor, final=rear, brakes=brakes), name="drive")
    return scene


if __name__ == "__main__":
    car = taut.Simulation(build())
    for throttle, angle, brake in ((0.3, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.2, 1.0)):
        for name, value in {"drive.throttle": throttle, "steering.angle": angle, "drive.brake": brake}.items():
            car.controls[name].set(value)
        car.run(3.0)
        speed, turning = car.part("c").speed, car.body("hull").angular_velocity[2]
        print(f"{abs(speed):.1f} m/s", f"on a circle of {speed / turning + 0.75:.1f} m" if turning > 0.1 else "ahead")
    print(f"2.6 m / tan(0.2) = {2.6 / math.tan(0.2):.1f} m")
