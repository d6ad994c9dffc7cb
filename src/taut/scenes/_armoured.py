"""An armoured vehicle of 15 t on eight wheels: trailing arms, two steered axles, a drivetrain that turns all wheels.

Power goes from the engine through clutch and gearbox to the transfer case, a differential without a body, from there
over one shaft each to the front and the rear pair of axles, and over a pinion of 0.6 kg each into every axle. The frame
of the hull has x ahead, y to the left and z up; its origin is its centre of mass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from taut.joints.shafts import Shafts
from taut.machines.brake import Brake
from taut.machines.clutch import Clutch
from taut.machines.differential import Differential
from taut.machines.drivetrain import Drivetrain
from taut.machines.engine import Engine, rpm
from taut.machines.gearbox import Gearbox
from taut.machines.shaft import Shaft
from taut.machines.slew import Slew
from taut.machines.steering import Steering
from taut.machines.trailing_arm import TrailingArm
from taut.machines.wheel import Wheel
from taut.scene.scene import Scene
from taut.scenes import _armoured_looks as looks
from taut.shapes import Box, Compound, Cylinder

AXLES = (2.25, 0.95, -0.75, -2.05)
"""Where the axles are along the hull, m; the first two are steered."""
SIDES = {"left": 1.1, "right": -1.1}
"""Where wheels are across the hull, m."""
HEIGHT, RADIUS, WIDTH = 1.15, 0.52, 0.32
"""Of the hull's origin over the ground, where tyres are not pressed in, and of a wheel, m."""
LOW = RADIUS - HEIGHT
"""Height of the axles in the hull, m."""
ARM, TRAVEL = 0.6, (0.2, 0.2)
"""Length of the trailing arms, and how far they go up and down, m."""
AXLE_RATIO, TRANSFER_RATIO, GEARS, REVERSE = 6.0, 1.5, (5.0, 3.3, 2.2), (5.0,)
"""Ratios of pinions over wheels, of transfer shafts over pinions, and of the gearbox."""
POWER = ((80.0, 700.0), (120.0, 1000.0), (160.0, 1150.0), (220.0, 1000.0), (260.0, 800.0), (290.0, 0.0))
"""Torque of the engine in N m over its speed in rad/s."""
GOVERNED = 220.0
"""Greatest speed of the engine, rad/s."""
TYRE, TYRE_DAMPING = 1.25e6, 4e4
"""Of a wheel, N/m and N s/m."""
SUNK = 15e3 * 9.81 / 8.0 / TYRE
"""How far tyres are pressed in by the weight, m."""
SERVO = 1e4
"""Largest torque of a steering servo, N m: more than friction does to a knuckle where one of a wheel's balls has all of
100 kN."""
BRAKE = 8e3
"""Largest torque of a wheel's brake, N m."""
PINION = Shaft(on="hull", mass=0.6, radius=0.04, length=0.25)
TRANSFER = Shaft(on="hull", mass=20.0, radius=0.06, length=0.8)
INPUT = Shaft(on=("hull", (0.9, 0.4, 0.1)), mass=30.0, radius=0.1, length=0.6)
ENGINE = Engine(
    on=("hull", (1.9, 0.4, 0.1)), torque_curve=POWER, idle=rpm(800), max_speed=GOVERNED, inertia=2.5,
    friction_torque=250.0, throttle_lag=0.1, mass=90.0, radius=0.2, length=0.8,
)  # fmt: skip
"""What turns in the drivetrain: pinions and transfer shafts, each where it belongs, and the shaft behind the clutch."""
WHEELS = tuple(f"wheel-{number}-{side}" for number in range(1, 5) for side in SIDES)
"""Names of the wheels, from the front."""


def add_vehicle(scene: Scene, half_shafts: bool, schedules: Mapping[str, Callable[[float], float]]) -> None:
    """Add the vehicle, its hull's middle over the world's origin.

    Args:
        scene: to add to; the ground there is level, at z = 0.
        half_shafts: whether every wheel is turned by a shaft of 0.6 kg with a body, or by its differential at once.
        schedules: what its controls follow: those of the drivetrain by name, and "angle" of its steering.
    """
    add_hull(scene)
    hubs = add_suspensions(scene, schedules.get("angle"))
    for name, hub in hubs.items():
        wheel = Wheel(
            carrier=hub, radius=RADIUS, width=WIDTH, mass=220.0, shape="two spheres", tyre_stiffness=TYRE,
            tyre_damping=TYRE_DAMPING,
        )  # fmt: skip
        scene.add(wheel, name=name)
    outputs = {name: half_shaft(scene, name, hub) if half_shafts else f"{name}/hinge" for name, hub in hubs.items()}
    scene.add(drivetrain(outputs, {key: each for key, each in schedules.items() if key != "angle"}), name="drive")


def add_hull(scene: Scene) -> None:
    """The hull, and a turret that can be turned."""
    scene.add_body(
        "hull", Compound([(Box(5.4, 1.6, 0.5), (0.0, 0.0, -0.4)), (Box(6.5, 2.5, 0.7), (0.0, 0.0, 0.35))]),
        mass=12000.0, inertia=inertia_of(Box(6.5, 2.5, 1.4), 12000.0), com=(0.0, 0.0, 0.0),
        position=(0.0, 0.0, HEIGHT - SUNK), group="vehicle", colour=looks.GREEN, visual=looks.hull(),
    )  # fmt: skip
    scene.add_body(
        "turret", Cylinder(0.75, 0.5), mass=402.0, position=(-0.4, 0.0, HEIGHT - SUNK + 0.96), group="vehicle",
        colour=looks.GREEN, visual=looks.turret(),
    )  # fmt: skip
    scene.add(Slew(base=("hull", (-0.4, 0.0, 0.7)), upper="turret", max_torque=5e3, max_speed=0.6), name="slew")


def add_suspensions(scene: Scene, angle: Callable[[float], float] | None) -> dict[str, str]:
    """Arms and the steering, which follows an angle (rad); what carries each wheel."""
    hubs = {}
    for name, (x, y) in places().items():
        arm = TrailingArm(
            chassis=("hull", (x, y, LOW)), pivot=(x + ARM, 0.8 * y, LOW + 0.08), mass=70.0, frequency=1.5,
            damping_ratio=0.6, travel=TRAVEL,
        )  # fmt: skip
        hubs[name] = scene.add(arm, name=name.replace("wheel", "arm")) + "/hub"
    steering = Steering(
        chassis=("hull", (0.5 * (AXLES[2] + AXLES[3]), 0.0, 0.0)), hubs=[hubs[name] for name in WHEELS[:4]], mass=25.0,
        max_angle=0.45, max_torque=SERVO, schedule=angle,
    )  # fmt: skip
    scene.add(steering, name="steering")
    return hubs | {name: f"steering/knuckle-{number}" for number, name in enumerate(WHEELS[:4], start=1)}


def places() -> dict[str, tuple[float, float]]:
    """Where every wheel is in the hull, x and y in m."""
    return dict(zip(WHEELS, [(x, y) for x in AXLES for y in SIDES.values()], strict=True))


def inertia_of(box: Box, mass: float) -> tuple[float, float, float]:
    """Principal moments of a box, kg m^2."""
    x, y, z = ((size**2) * mass / 12.0 for size in (box.x, box.y, box.z))
    return y + z, x + z, x + y


def half_shaft(scene: Scene, wheel: str, hub: str) -> str:
    """A shaft between hull and wheel with a bearing in the wheel's hub, which it turns with; its bearing's name."""
    inside = -0.4 if "left" in wheel else 0.4
    axis = (0.0, 1.0, 0.0)
    name = wheel.replace("wheel", "half-shaft")
    shaft = Shaft(on=(hub, (0.0, inside, 0.0)), axis=axis, mass=0.6, radius=0.02, length=0.5)
    scene.add(shaft, name=name)
    turning = ((hub, f"{name}/rotor", axis, 1.0), (hub, f"{wheel}/wheel", axis, -1.0))
    scene.connect(hub, f"{name}/rotor", Shafts(turning), name=f"{name}/coupling")
    return f"{name}/bearing"


def drivetrain(outputs: Mapping[str, str], schedules: Mapping[str, Callable[[float], float]]) -> Drivetrain:
    """From the engine in front to the shafts that turn the wheels."""
    lockable = "limited slip"  # without a bias: open, but for the lock
    axles = [
        Differential(
            outputs=tuple(outputs[name] for name in WHEELS[2 * number : 2 * number + 2]), ratio=AXLE_RATIO,
            shaft=replace(PINION, on=("hull", (x, 0.0, LOW + 0.15))),
        )
        for number, x in enumerate(AXLES)
    ]  # fmt: skip
    pairs = [
        Differential(
            outputs=pair, ratio=TRANSFER_RATIO, kind=lockable,
            shaft=replace(TRANSFER, on=("hull", (x, 0.0, LOW + 0.3))),
        )
        for x, pair in ((0.6, axles[:2]), (-0.4, axles[2:]))
    ]  # fmt: skip
    return Drivetrain(
        engine=ENGINE,
        coupler=Clutch(max_torque=1800.0, grips=(rpm(820), rpm(1300))),
        shaft=INPUT,
        gearbox=Gearbox(forward=GEARS, reverse=REVERSE, efficiency=0.96),
        final=Differential(outputs=pairs, kind=lockable),
        brakes=Brake(max_torque=BRAKE),
        schedules=dict(schedules),
    )  # fmt: skip
