"""A car on struts and a solid axle drives off, turns a circle and brakes."""

import taut
from taut.machines import SolidAxle, Steering, Strut, Wheel

WHEELS = ("front-left", "front-right", "rear-left", "rear-right")


def build() -> taut.Scene:
    """Wheels at the rear have motors."""
    scene = taut.Scene(friction=0.9)
    scene.add_plane()
    scene.add_body("hull", taut.shapes.Box(3.8, 1.5, 0.5), mass=1200, position=(0, 0, 0.75))
    for name, side in (("left", 1), ("right", -1)):
        scene.add(Strut(chassis=("hull", (1.3, 0.75 * side, -0.4)), mass=20, travel=(0.08, 0.1)), name=name)
    scene.add(SolidAxle(chassis=("hull", (-1.3, 0, -0.4)), track=1.5, mass=80, anti_roll=2e4), name="rear")
    scene.add(Steering(chassis=("hull", (-1.3, 0, 0)), hubs=["left/hub", "right/hub"], max_torque=500), name="steering")
    tyre = {"radius": 0.35, "width": 0.2, "mass": 20, "rolling_resistance": 0.012, "brake": 1200}
    carriers = ["steering/knuckle-1", "steering/knuckle-2", ("rear/hub", (0, 0.75, 0)), ("rear/hub", (0, -0.75, 0))]
    for name, carrier in zip(WHEELS, carriers, strict=True):
        scene.add(Wheel(carrier=carrier, motor=250 if "rear" in name else 0, **tyre), name=name)
    return scene


if __name__ == "__main__":
    car = taut.Simulation(build(), step=1 / 60)
    car.controls["rear-left.speed"].value = car.controls["rear-right.speed"].value = 20.0
    car.run(4.0)
    print(f"{car.part('rear-left').speed:.1f} m/s, the nose is {-1000 * car.part('left').travel:.0f} mm up")
    car.joint("rear-left/hinge").set_force_limit(0.0)
    car.joint("rear-right/hinge").set_force_limit(0.0)
    car.controls["steering.angle"].value = 0.2
    car.run(3.0)
    radius = car.part("rear-left").speed / car.body("hull").angular_velocity[2] + 0.75
    print(f"circle of {radius:.1f} m; 2.6 m / tan(0.2) = 12.8 m")
    for name in WHEELS:
        car.controls[f"{name}.brake"].value = 1.0
    car.run(3.0)
    loads = ", ".join(f"{car.part(name).load:.0f}" for name in WHEELS)
    print(f"stands: {abs(car.part('rear-left').speed):.1f} m/s on {loads} N")
