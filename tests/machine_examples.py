"""One example of every part of machines, and a small scene to put it in, for tests that run over the registry."""

from __future__ import annotations

import taut
from taut import machines
from taut.joints import attach, sheave
from taut.machines import MachinePart

TURNS = tuple(("world", "load", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
"""The load as three shafts."""

ENGINE = machines.Engine(
    on=("world", (0, 0, 2)), torque_curve=[(60, 300), (150, 400), (300, 250)], idle=80, inertia=0.5,
    friction_torque=30, throttle_lag=0.1,
)  # fmt: skip

EXAMPLES: dict[str, MachinePart] = {
    "Brake": machines.Brake(on=TURNS, max_torque=50.0),
    "Boom": machines.Boom(
        root=("world", (-1, 0, 1)), length=2.0, angle=0.4, mass=(40, 30), sections=2, stroke=1.2, extension=0.3,
        luff=(0.1, 1.2), max_thrust=5e3, cylinder=machines.HydraulicCylinder(
            base=("world", (-0.5, 0, 0.4)), rod=("boom", (-0.2, 0, -0.05)), bore=0.05, pressure=1.5e7, flow=2e-4,
            mass=(3, 2),
        ),
    ),
    "Cable": machines.Cable(
        from_=("world", (0, 0, 3)), to=("load", (0, 0, 0.2)), length=3.2, segments=8, diameter=0.02,
        mass_per_length=1.2, axial_stiffness=1e5, bending_stiffness=2.0, torsional_stiffness=1.0,
    ),
    "Chain": machines.Chain(
        from_=("world", (0, 0, 3)), to=("load", (0, 0, 0.2)), links=12, pitch=0.28, wire=0.012, mass=0.3,
        joint="hinge", shape="ring",
    ),
    "Clutch": machines.Clutch(input=TURNS[0], output=TURNS[1], max_torque=20.0, engage_time=0.2),
    "Differential": machines.Differential(
        input=TURNS[0], outputs=TURNS[1:], ratio=3.0, kind="limited slip", bias_torque=5.0, lock_ratio=0.2, split=0.4
    ),
    "Drivetrain": machines.Drivetrain(
        engine=ENGINE, coupler=machines.Clutch(max_torque=500.0),
        gearbox=machines.Gearbox(forward=(4.0, 2.0), reverse=(4.0,), efficiency=0.96),
        final=machines.Differential(
            outputs=TURNS[:2], ratio=3.0, shaft=machines.Shaft(on=("world", (0.5, 0, 2)), mass=0.6)
        ),
        brakes=machines.Brake(max_torque=300.0),
    ),
    "Engine": ENGINE,
    "Gearbox": machines.Gearbox(
        input=TURNS[0], output=TURNS[1], forward=(4.0, 2.0, 1.0), reverse=(4.0,), shift_time=0.2, auto=(50.0, 120.0),
        efficiency=0.95,
    ),
    "Grapple": machines.Grapple(
        on=("load", (0, 0, -0.2)), depth=0.5, spread=0.3, arm=0.1, opening=(0.1, 0.6), start=0.4, force=2e3,
        mass=(10, 8), width=0.3, cylinder_mass=(1, 0.5), rotator=500.0,
    ),
    "Gripper": machines.Gripper(
        on=("load", (0, 0, -0.2)), reach=0.2, opening=(0.05, 0.3), start=0.2, force=300.0, mass=(4, 1), width=0.1
    ),
    "Hook": machines.Hook(on=("load", (0, 0, -0.2)), eyes=["world"], mass=5.0, opening=0.08),
    "HydraulicCylinder": machines.HydraulicCylinder(
        base=("world", (1.5, 0, 1.9)), rod=("load", (0, 0, 0.2)), stroke=(0.8, 1.5), bore=0.04, rod_diameter=0.025,
        pressure=1e7, flow=2e-4, mass=(4, 2), cushion=0.03, compliance=1e-7, damping=1e4,
    ),
    "Net": machines.Net(
        size=(1.0, 0.5), mesh=0.5, segments=2, diameter=0.02, mass_per_length=0.5, axial_stiffness=1e5,
        bending_stiffness=0.5, torsional_stiffness=0.5, centre=(-1.0, 0, 2), sections=(2, 1),
        held=[(0, 0, ("world", (-1.5, -0.25, 2))), (2, 0, ("world", (-0.5, -0.25, 2)))],
    ),
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
    "Shaft": machines.Shaft(on=("world", (0, 0, 2)), mass=3.0, inertia=0.01),
    "Sling": machines.Sling(eye=("world", (1.5, 0, 3)), to=[("load", (-0.2, 0, 0.2)), ("load", (0.2, 0, 0.2))]),
    "TorqueConverter": machines.TorqueConverter(
        input=TURNS[0], output=TURNS[1], capacity=[(0.0, 0.03), (0.8, 0.025), (1.0, 0.0)]
    ),
    "Slew": machines.Slew(
        base=("world", (1.5, 0, 0.7)), upper="load", max_torque=200.0, max_speed=0.4, brake=400.0, limits=(-1, 2)
    ),
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
