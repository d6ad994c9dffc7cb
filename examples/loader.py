"""A loader that bends in the middle drives a circle; `taut view examples/loader.py` has its sliders."""

import math

import taut
from taut.machines import ArticulatedSteering, Wheel, visuals

AHEAD, BEHIND = 1.3, 1.4  # of the hinge to the axles, m


def build() -> taut.Scene:
    """Two halves with two wheels each; the rear ones have motors."""
    scene = taut.Scene(friction=0.9)
    scene.add_plane()
    for name, mass, size, x in (("front", 3000, (1.6, 1.2, 0.7), AHEAD), ("rear", 4500, (2.2, 1.3, 1.0), -BEHIND)):
        box = taut.shapes.Box(*size)
        scene.add_body(name, box, mass=mass, position=(x, 0, 1.0), collides=False, colour=(0.93, 0.7, 0.12))
    bend = taut.Ramps((0.5, 0.0), (2.5, 0.5))
    hinge = ("rear", (BEHIND, 0, -0.1))
    scene.add(ArticulatedSteering(rear=hinge, front="front", max_torque=3e4, schedule=bend), name="steering")
    for half in ("front", "rear"):
        for side, y in (("left", 0.95), ("right", -0.95)):
            motor = 4e3 if half == "rear" else 0
            wheel = Wheel(carrier=(half, (0, y, -0.3)), radius=0.7, width=0.5, mass=150, motor=motor, brake=4e3)
            scene.add(wheel, name=f"{half}-{side}")
            scene.paint(f"{half}-{side}", visual=visuals.wheel(0.7, 0.5))
    return scene


if __name__ == "__main__":
    loader = taut.Simulation(build())
    for name in ("rear-left", "rear-right"):
        loader.controls[f"{name}.speed"].value = 2.0
    loader.run(6.0)
    front = loader.body("front")
    found = math.hypot(*front.velocity[:2]) / front.angular_velocity[2]
    angle = loader.part("steering").angle
    right = (AHEAD * math.cos(angle) + BEHIND) / math.sin(angle)
    print(f"bent by {angle:.3f} rad; the front drives a circle of {found:.2f} m; {right:.2f} m is right")
