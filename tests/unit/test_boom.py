"""Booms: statics of the luffing, goals, telescopes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hydraulic_arms import GRAVITY, stepped

import taut
from taut.errors import InputError
from taut.joints import attach
from taut.machines import Boom, HydraulicCylinder, Rope
from taut.shapes import Box

MASSES, LOAD = (1000.0, 900.0, 800.0), 2000.0
ROOT, BASE = np.array([0.0, 0.0, 1.5]), np.array([1.5, 0.0, 0.2])


def crane(angle: float = 0.5, motor: bool = False, **options: Any) -> taut.Scene:
    """A boom of three sections of 8 m that carries 2 t on a rope."""
    scene = taut.Scene(collisions=False)
    scene.add_body("base", Box(2, 2, 1), mass=20000, position=(0, 0, 0.5), fixed=True)
    cylinder = HydraulicCylinder(
        base=("base", BASE - (0, 0, 0.5)), rod=("boom", (-1.5, 0, -0.2)), bore=0.25, pressure=25e6, flow=5e-3
    )
    luffing: dict[str, Any] = {"max_moment": 2e6} if motor else {"cylinder": cylinder}
    values = luffing | {
        "length": 8.0, "mass": MASSES, "sections": 3, "stroke": 7.0, "luff": (0.0, 1.2), "max_thrust": 2e5,
        "max_speed": 0.6, "angle": angle,
    } | options  # fmt: skip
    boom = Boom(root=("base", ROOT - (0, 0, 0.5)), **values)
    scene.add(boom, name="jib")
    tip = ROOT + (8.0 + values.get("extension", 0.0)) * np.array([math.cos(angle), 0, math.sin(angle)])
    scene.add_body("load", Box(0.5, 0.5, 0.5), mass=LOAD, position=tip - (0, 0, 3))
    scene.add(Rope(stops=(attach(*boom.tip("jib")), attach("load"))), name="rope")
    return scene


def static_moment(simulation: taut.Simulation) -> float:
    """Of all weights about the root, N m."""
    own = sum(m * simulation.body(f"jib/{i}").position[0] for i, m in enumerate(MASSES, start=1))
    return GRAVITY * float(own + LOAD * simulation.body("load").position[0])


@pytest.mark.parametrize("solver", ["bpp", "linear-time", "ipm"])
@pytest.mark.parametrize("step", [1 / 60, 1 / 120])
@pytest.mark.parametrize(("angle", "extension"), [(0.5, 0.0), (1.1, 6.0)])
def test_cylinder_force_is_moment_over_lever_arm(angle: float, extension: float, step: float, solver: str) -> None:
    simulation = taut.Simulation(crane(angle, extension=extension), step=step, solver=solver)
    stepped(simulation, 0.5)
    view = simulation.part("jib")
    pin = (
        ROOT
        + 2.5 * np.array([math.cos(angle), 0, math.sin(angle)])
        + 0.2 * np.array([math.sin(angle), 0, -math.cos(angle)])
    )
    way = (pin - BASE) / np.linalg.norm(pin - BASE)
    lever = np.cross(pin - ROOT, way) @ (0.0, -1.0, 0.0)
    assert view.lever == pytest.approx(lever, rel=1e-12)
    assert view.force == pytest.approx(static_moment(simulation) / lever, rel=1e-9)
    assert view.moment == pytest.approx(static_moment(simulation), rel=1e-9)
    assert view.pressures[0] == pytest.approx(view.force / (0.25 * math.pi * 0.25**2))
    assert view.share == pytest.approx(view.force / (25e6 * 0.25 * math.pi * 0.25**2))
    assert (view.angle, view.length) == (pytest.approx(angle, abs=1e-9), pytest.approx(8.0 + extension, abs=1e-9))
    assert view.radius == pytest.approx((8.0 + extension) * math.cos(angle), abs=1e-6)


def test_a_motor_in_the_hinge_holds_the_same_moment() -> None:
    simulation = taut.Simulation(crane(motor=True))
    stepped(simulation, 0.5)
    view = simulation.part("jib")
    assert view.moment == pytest.approx(static_moment(simulation), rel=1e-9)
    assert view.share == pytest.approx(view.moment / 2e6) and view.force == 0.0
    simulation.controls["jib.luff_speed"].value = 0.05
    stepped(simulation, 3.0)
    assert view.state == "drive" and view.angle == pytest.approx(0.5 + 0.05 * 2.75, abs=2e-3)


@pytest.mark.parametrize("motor", [False, True])
def test_it_luffs_and_telescopes_to_goals(motor: bool) -> None:
    simulation = taut.Simulation(crane(motor=motor))
    view = simulation.part("jib")
    simulation.controls["jib.luff"].value = 0.9
    simulation.controls["jib.telescope"].value = 5.0
    stepped(simulation, 14.0)
    assert view.angle == pytest.approx(0.9, abs=1e-8) and view.extension == pytest.approx(5.0, abs=1e-8)
    outs = [each.place for each in view.telescoping]
    assert outs == pytest.approx([2.5, 2.5], abs=1e-8), "sections go alike"
    assert view.tip == pytest.approx(ROOT + 13.0 * np.array([math.cos(0.9), 0, math.sin(0.9)]), abs=1e-6)
    assert simulation.report.rows <= 30


def test_ends_are_where_luff_and_strokes_say() -> None:
    simulation = taut.Simulation(crane())
    view = simulation.part("jib")
    view.drive_cylinder(0.5)
    view.telescope(1.0)
    stepped(simulation, 40.0)
    assert view.angle == pytest.approx(1.2, abs=1e-7) and view.state == "limit"
    assert view.extension == pytest.approx(14.0, abs=1e-7)
    with pytest.raises(InputError, match="luff is 1.3 rad; it must be from 0 to 1.2"):
        view.luff_to(1.3)
    with pytest.raises(InputError, match="telescope is 15 m; it must be from 0 to 14"):
        view.telescope_to(15.0)
    with pytest.raises(InputError, match="luff_speed"):
        view.luff(0.1)


def test_schedules_move_it() -> None:
    ramps = {"luff": taut.Ramps((0, 0.5), (5, 0.8)), "telescope": taut.Ramps((0, 0), (12, 2.0))}
    simulation = taut.Simulation(crane(schedule=ramps))
    stepped(simulation, 15.0)
    view = simulation.part("jib")
    assert view.angle == pytest.approx(0.8, abs=1e-7) and view.extension == pytest.approx(2.0, abs=1e-7)


def test_one_that_ropes_hold_has_no_motor() -> None:
    scene = taut.Scene(collisions=False)
    scene.add(Boom(root=("world", (0, 0, 1)), length=10, mass=1000, angle=0.8), name="jib")
    scene.add(Rope(stops=(attach("world", (-5, 0, 1)), attach("jib/1", (5, 0, 0)))), name="pendant")
    simulation = taut.Simulation(scene)
    stepped(simulation, 0.5)
    view = simulation.part("jib")
    assert (
        view.angle == pytest.approx(0.8, abs=1e-6)
        and view.state == "free"
        and not simulation.controls.keys() & {"jib.luff"}
    )
    assert simulation.part("pendant").tension > 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"angle": 1.5}, "angle"),
        ({"direction": (1, 0, 1)}, "across up"),
        ({"stroke": 8.0}, "stroke is 8; it must be less than length, 8"),
        ({"mass": (1.0, 2.0)}, "mass has 2 numbers for 3 sections"),
        ({"max_moment": 1.0}, "both cylinder and max_moment"),
        ({"extension": 20.0}, "extension is 20; it must be from 0 to 14"),
        ({"luff": (0.0, 3.0)}, "dead centre"),
        ({"sections": 1, "mass": 1.0}, "for a telescope"),
        ({"max_thrust": None}, "max_thrust"),
        ({"cylinder": HydraulicCylinder(base=("base", (1, 0, 0)), rod=("jib", (0, 0, 0)), max_force=1, max_speed=1)},
         "where its root is, to 'boom'"),
    ],
)  # fmt: skip
def test_wrong_ones_are_refused_in_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        crane(**options)
    assert message in str(caught.value) and "\n" not in str(caught.value)
