"""An excavator: three cylinders move an arm with a bucket on a four-bar linkage, and a slewing ring turns it."""

import math

import taut
from taut.machines import HydraulicCylinder, Slew


def build() -> taut.Scene:
    """Cylinders and the slewing ring go to where their controls say."""
    scene = taut.Scene(collisions=False)
    for name, mass, size, place in (
        ("house", 12000, (3.2, 2.4, 1.4), (-0.6, 0, 1.7)), ("boom", 1800, (5, 0.35, 0.5), (3.5, 0, 1.5)),
        ("rocker", 20, (0.5, 0.2, 0.08), (6.25, 0, -0.3)), ("link", 15, (0.08, 0.2, 0.5), (6.5, 0, -0.55)),
        ("stick", 900, (0.35, 0.3, 3), (6, 0, 0.6)), ("bucket", 700, (0.9, 1.1, 0.7), (6.3, 0, -1.15))):  # fmt: skip
        scene.add_body(name, taut.shapes.Box(*size), mass=mass, position=place)
    for a, b, at in (
        ("stick", "rocker", (6, 0, -0.3)), ("rocker", "link", (6.5, 0, -0.3)), ("link", "bucket", (6.5, 0, -0.8)),
        ("house", "boom", (1, 0, 1.5)), ("boom", "stick", (6, 0, 1.5)), ("stick", "bucket", (6, 0, -0.8))):  # fmt: skip
        scene.connect(a, b, taut.joints.Revolute(axis=(0, -1, 0)), at=at)
    scene.add(Slew(base=("world", (0, 0, 1)), upper="house", max_torque=1e5, max_speed=0.8), name="slew")
    for name, bore, stroke, base, rod in (
        ("lift", 0.16, (1.6, 2.6), ("house", (1.9, 0, -0.9)), ("boom", (-0.7, 0, -0.1))),
        ("crowd", 0.14, (1.75, 2.7), ("boom", (0.2, 0, 0.4)), ("stick", (0, 0, 1.5))),
        ("curl", 0.12, (1.2, 1.75), ("stick", (0.3, 0, 0.7)), ("rocker", (0.25, 0, 0)))):  # fmt: skip
        oil = {"bore": bore, "pressure": 30e6, "flow": 4e-3}
        scene.add(HydraulicCylinder(base=base, rod=rod, stroke=stroke, mass=(60, 40), **oil), name=name)
    return scene


if __name__ == "__main__":
    simulation = taut.Simulation(build(), step=1 / 60)
    for name, extension in (("lift", 0.9), ("curl", 0.5), ("crowd", 0.2)):
        simulation.part(name).go_to(extension)
    simulation.part("slew").go_to(math.pi / 2)
    simulation.run(12.0)
    for name in ("lift", "crowd", "curl"):
        part = simulation.part(name)
        print(f"{name}: {part.extension:.4f} m out, {part.force / 1e3:+.1f} kN, {part.pressures.max() / 1e5:.0f} bar")
    print(f"slewed by {math.degrees(simulation.part('slew').angle):.3f} degrees")
