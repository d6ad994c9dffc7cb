"""An excavator: three cylinders move an arm with a bucket on a four-bar linkage, and a slewing ring turns it."""

import math

import taut
from taut.joints import Revolute
from taut.machines import HydraulicCylinder, Slew
from taut.shapes import Box

LIFTS = (0.0, -1.0, 0.0)  # positive turns about it lift
DOWN, LEVEL = (taut.spatial.from_axis_angle(LIFTS, angle) for angle in (-math.pi / 2, 0.0))
OIL = {"pressure": 30e6, "flow": 4e-3, "mass": (60, 40)}


def build() -> taut.Scene:
    """Build it: 12 t over links of 15 kg."""
    scene = taut.Scene(collisions=False)
    scene.add_body("house", Box(3.2, 2.4, 1.4), mass=12000, position=(-0.6, 0, 1.7))
    scene.add_body("boom", Box(5, 0.35, 0.5), mass=1800, position=(3.5, 0, 1.5))
    scene.add_body("stick", Box(3, 0.3, 0.35), mass=900, position=(6, 0, 0.6), orientation=DOWN)
    scene.add_body("bucket", Box(0.9, 1.1, 0.7), mass=700, position=(6.3, 0, -1.15))
    scene.add_body("rocker", Box(0.5, 0.2, 0.08), mass=20, position=(6.25, 0, -0.3))
    scene.add_body("link", Box(0.5, 0.2, 0.08), mass=15, position=(6.5, 0, -0.55), orientation=DOWN)
    for a, b, at in (
        ("house", "boom", (1, 0, 1.5)), ("boom", "stick", (6, 0, 1.5)), ("stick", "bucket", (6, 0, -0.8)),
        ("stick", "rocker", (6, 0, -0.3)), ("rocker", "link", (6.5, 0, -0.3)), ("link", "bucket", (6.5, 0, -0.8)),
    ):  # fmt: skip
        scene.connect(a, b, Revolute(axis=LIFTS), at=at)
    scene.add(Slew(base=("world", (0, 0, 1)), upper="house", max_torque=1e5, max_speed=0.8), name="slew")
    for name, bore, stroke, base, rod in (
        ("lift", 0.16, (1.6, 2.6), ("house", (1.9, 0, -0.9)), ("boom", (-0.7, 0, -0.1))),
        ("crowd", 0.14, (1.75, 2.7), ("boom", (0.2, 0, 0.4)), ("stick", (-1.5, 0, 0))),
        ("curl", 0.12, (1.2, 1.75), ("stick", (-0.7, 0, 0.3)), ("rocker", (0.25, 0, 0))),
    ):  # fmt: skip
        scene.add(HydraulicCylinder(base=base, rod=rod, bore=bore, stroke=stroke, **OIL), name=name)
    return scene


if __name__ == "__main__":
    simulation = taut.Simulation(build(), step=1 / 60)
    lift, crowd, curl, slew = (simulation.part(name) for name in ("lift", "crowd", "curl", "slew"))
    lift.go_to(0.9)
    curl.valve(0.5)
    simulation.run(4.0)
    crowd.go_to(0.2)
    slew.go_to(math.pi / 2)
    simulation.run(6.0)
    for part in (lift, crowd, curl):
        push, pull = part.pressures / 1e5
        print(
            f"{part.name} {part.state}: {part.extension:.3f} m, {part.force / 1e3:+.1f} kN, {push:.0f}, {pull:.0f} bar"
        )
    print(f"slewed by {math.degrees(slew.angle):.2f} degrees")
