"""One example of every part of machines, and a small scene to put it in, for tests that run over the registry."""

from __future__ import annotations

import taut
from taut import machines
from taut.joints import attach, sheave
from taut.machines import MachinePart

EXAMPLES: dict[str, MachinePart] = {
    "Cable": machines.Cable(
        from_=("world", (0, 0, 3)), to=("load", (0, 0, 0.2)), length=3.2, segments=8, diameter=0.02,
        mass_per_length=1.2, axial_stiffness=1e5, bending_stiffness=2.0, torsional_stiffness=1.0,
    ),
    "Chain": machines.Chain(
        from_=("world", (0, 0, 3)), to=("load", (0, 0, 0.2)), links=12, pitch=0.28, wire=0.012, mass=0.3,
        joint="hinge", shape="ring",
    ),
    "Hook": machines.Hook(on=("load", (0, 0, -0.2)), eyes=["world"], mass=5.0, opening=0.08),
    "Pulley": machines.Pulley(holder=("world", (0, 0, 2)), radius=0.2, axis=(0, 1, 0), inertia=0.3),
    "Reeving": machines.Reeving(
        upper=("world", (1.5, 0, 3)), lower=("load", (0, 0, 0.2)), line=("world", (0, 0, 3)), parts=4, efficiency=0.98,
    ),
    "Rope": machines.Rope(
        stops=(
            attach("world", (0, 0, 3)), sheave("world", (1.0, 0, 3.5), radius=0.2, axis=(0, 1, 0)),
            attach("load", (0, 0, 0.2)),
        ),
        axial_stiffness=1e6, damping=100.0,
    ),
    "Sling": machines.Sling(eye=("world", (1.5, 0, 3)), to=[("load", (-0.2, 0, 0.2)), ("load", (0.2, 0, 0.2))]),
    "Wheel": machines.Wheel(
        carrier=("load", (0, 0.4, 0)), radius=0.3, width=0.2, mass=10.0, friction=0.8, rolling_resistance=0.02,
        tyre_stiffness=1e5, tyre_damping=500.0, brake=200.0, motor=100.0,
    ),
    "Strut": machines.Strut(chassis=("load", (0, 0.4, -0.2)), mass=5.0, camber=-0.02, toe=0.01, bump_stiffness=1e5),
    "DoubleWishbone": machines.DoubleWishbone(
        chassis=("load", (0, 0.5, -0.2)), upper=[(0.1, 0.2, -0.1), (-0.1, 0.2, -0.1), (0, 0.45, -0.1)], mass=5.0,
        lower=[(0.1, 0.15, -0.3), (-0.1, 0.15, -0.3), (0, 0.45, -0.3)], tie=[(-0.1, 0.2, -0.2), (-0.1, 0.45, -0.2)],
    ),
    "TrailingArm": machines.TrailingArm(chassis=("load", (-0.4, 0.4, -0.3)), pivot=(0.1, 0.3, -0.2), mass=5.0),
    "SwingAxle": machines.SwingAxle(chassis=("load", (0, -0.5, -0.2)), pivot=(0, 0, -0.2), mass=5.0),
    "SolidAxle": machines.SolidAxle(chassis=("load", (0, 0, -0.2)), track=0.8, mass=8.0, anti_roll=500.0),
    "Steering": machines.Steering(
        chassis=("load", (-1.0, 0, 0)), hubs=[("load", (0, 0.4, 0)), ("load", (0, -0.4, 0))], mass=2.0, max_torque=50.0,
    ),
    "Track": machines.Track(
        frame=("load", (0, 0, 0)), sprocket=(-0.5, 0, 0.2), idler=(0.5, 0, 0.2), rollers=[(0, -0.15, 0.1)], links=16,
        width=0.3, thickness=0.03, mass=2.0, wheel_mass=10.0, roller_mass=3.0, tension=500.0, motor=50.0,
    ),
    "ArticulatedSteering": machines.ArticulatedSteering(
        rear=("world", (1.0, 0, 0.5)), front="load", max_torque=500.0,
    ),
    "Winch": machines.Winch(
        rope=machines.Cable(to=("load", (0, 0, 0.2)), length=3.1, segment_length=0.25, mass_per_length=1.2),
        exit=("world", (0, 0, 3)), drum=("world", (-1, 0, 3)), radius=0.1, width=0.3, stored=5.0, inertia=0.5,
        max_pull=2e3, max_speed=0.8, brake_force=3e3, ramp=0.4,
    ),
}  # fmt: skip
"""Parts as users write them. A new part needs one line here."""

NAMES = sorted(MachinePart.registry)


def machine_scene(part: MachinePart, name: str = "it", **options: object) -> taut.Scene:
    """A load of 50 kg beside which the part hangs, and the part."""
    scene = taut.Scene(**options)
    scene.add_body("load", taut.shapes.Box(0.4, 0.4, 0.4), mass=50.0, position=(1.5, 0.0, 0.5))
    scene.add(part, name=name)
    return scene
