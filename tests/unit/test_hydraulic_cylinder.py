"""Hydraulic cylinders: forces, pressures, speeds, stops, loads that are too much, hoses that break."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hydraulic_arms import GRAVITY, MASS, OIL, arm, static_force, stepped
from sample_mechanisms import same_state

import taut
from taut.errors import InputError
from taut.joints import Prismatic, Revolute
from taut.machines import HydraulicCylinder
from taut.shapes import Box

AREAS = 0.25 * math.pi * np.array([0.12**2, 0.12**2 - 0.07**2])
SOLVERS = pytest.mark.parametrize("solver", ["bpp", "linear-time", "ipm"])


@SOLVERS
@pytest.mark.parametrize("step", [1 / 60, 1 / 120])
@pytest.mark.parametrize("angle", [0.0, 0.4, -0.2])
def test_force_and_pressures_are_those_of_statics(angle: float, step: float, solver: str) -> None:
    simulation = taut.Simulation(arm(angle), step=step, solver=solver)
    stepped(simulation, 0.5)
    view = simulation.part("lift")
    assert view.force == pytest.approx(static_force(angle), rel=1e-9)
    assert view.pressures == pytest.approx([static_force(angle) / AREAS[0], 0.0], rel=1e-9)
    assert abs(view.speed) < 1e-12 and view.state == "hold" and simulation.report.rows <= 11
    assert float(simulation.joint("foot").position) == pytest.approx(0.0, abs=1e-9), "it holds its length"


@SOLVERS
@pytest.mark.parametrize("mass", [(1.0, 0.5), (60.0, 40.0)])
def test_one_with_bodies_carries_its_own_weight_too(mass: tuple[float, float], solver: str) -> None:
    simulation = taut.Simulation(arm(mass=mass), solver=solver)
    stepped(simulation, 0.5)
    view = simulation.part("lift")
    rod = simulation.body("lift/rod")
    # the rod's weight acts on the pin and on the barrel: along the cylinder it pushes down with m g cos
    way = taut.spatial.rotate(rod.orientation, (0.0, 0.0, 1.0))
    assert view.force == pytest.approx(static_force(0.0), rel=2.0 * sum(mass) / MASS)
    assert view.force > static_force(0.0) + mass[1] * GRAVITY * way[2]
    assert simulation.report.rows == 17 and view.mass == sum(mass), "hinge 5, two balls 6, slide 4, motor, ends"


@pytest.mark.parametrize("step", [1 / 60, 1 / 120])
@pytest.mark.parametrize(("valve", "area"), [(1.0, AREAS[0]), (-1.0, AREAS[1]), (0.5, 2.0 * AREAS[0])])
def test_speed_is_flow_over_area_each_way(valve: float, area: float, step: float) -> None:
    simulation = taut.Simulation(arm(0.2), step=step)
    view = simulation.part("lift")
    simulation.controls["lift.valve"].value = valve
    stepped(simulation, 0.7)
    before = view.extension
    stepped(simulation, 1.0)
    assert view.extension - before == pytest.approx(math.copysign(OIL["flow"] / area, valve), rel=1e-9)
    assert view.speed == pytest.approx(view.extension - before, rel=1e-6)
    assert view.flow == pytest.approx(valve * OIL["flow"], rel=1e-6) and view.state == "drive"
    assert simulation.controls["lift.speed"].value == pytest.approx(view.speed, rel=1e-6)


def test_energy_is_the_work_of_the_cylinder() -> None:
    simulation = taut.Simulation(arm(-0.1), step=1 / 120, integrator="low-damping")
    view = simulation.part("lift")
    energy, place, work = simulation.state.energy, view.extension, 0.0
    view.drive(0.05)
    for _ in range(6 * 120):
        assert simulation.step().status == "solved"
        work += view.force * (view.extension - place)
        place = view.extension
    assert place > 0.4
    assert work == pytest.approx(simulation.state.energy - energy, rel=2e-4)


@pytest.mark.parametrize("mass", [None, (20.0, 10.0)])
@pytest.mark.parametrize("goal", [0.9, 0.1, 1.0, 0.0])
def test_it_goes_to_an_extension_without_overshoot(goal: float, mass: Any) -> None:
    simulation = taut.Simulation(arm(mass=mass))
    view, places = simulation.part("lift"), []
    start = view.extension
    simulation.controls["lift.extension"].value = goal
    for _ in range(60 * 12):
        assert simulation.step().status == "solved"
        places.append(view.extension)
    assert places[-1] == pytest.approx(goal, abs=1e-8) and abs(view.speed) < 1e-9
    ways = np.sign(goal - start) * np.array(places)
    assert ways.max() <= np.sign(goal - start) * goal + 1e-8 and np.diff(ways).min() > -1e-9
    assert view.state == ("limit" if goal in (0.0, 1.0) else "hold") and view.at_limit == (goal in (0.0, 1.0))


@SOLVERS
@pytest.mark.parametrize("mass", [None, (1.0, 0.5)])
def test_it_stalls_at_its_pressure_and_holds_what_it_cannot_lift(solver: str, mass: Any) -> None:
    simulation = taut.Simulation(arm(mass=mass), solver=solver)
    view, beam = simulation.part("lift"), simulation.body("beam")
    greatest = OIL["pressure"] * AREAS[0]
    too_much = 1.1 * greatest / static_force(0.0, 1.0) - MASS * GRAVITY
    beam.apply(force=(0, 0, -too_much))
    view.drive(0.05)
    start = view.extension
    stepped(simulation, 1.0)
    assert view.state == "stall" and view.extension == pytest.approx(start, abs=1e-9)
    assert view.force == pytest.approx(1.1 * greatest, rel=2e-3), "its valve holds more than its pump lifts"
    beam.apply(force=(0, 0, -0.8 * too_much))
    stepped(simulation, 1.0)
    assert view.state == "drive" and view.speed == pytest.approx(0.05, rel=1e-5) and view.force < greatest
    beam.apply(force=(0, 0, -too_much))
    stepped(simulation, 0.5)
    there = view.extension
    stepped(simulation, 0.5)
    assert view.state == "stall" and view.extension == pytest.approx(there, abs=1e-9)
    view.drive(-0.05)
    stepped(simulation, 1.0)
    assert view.speed == pytest.approx(-0.05, rel=1e-4), (
        "a load that is too much is let down at the speed that is asked"
    )


def pressed(force: float, hold: bool = True, **options: Any) -> taut.Simulation:
    """A block of 100 kg on a slide, with a force against a cylinder of 1 kN."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("block", Box(0.2, 0.2, 0.2), mass=100, position=(1.5, 0, 0))
    scene.connect("world", "block", Prismatic(axis=(1, 0, 0)), at=(1.5, 0, 0))
    scene.add(
        HydraulicCylinder(
            base="world", rod="block", stroke=(1, 2), max_force=1e3, max_speed=0.2, ramp=0.1, hold=hold, **options
        ),
        name="ram",
    )
    simulation = taut.Simulation(scene)
    simulation.body("block").apply(force=(-force, 0, 0))
    return simulation


def test_its_force_bounds_how_fast_it_starts() -> None:
    simulation = pressed(400.0)
    view = simulation.part("ram")
    stepped(simulation, 0.1)
    view.drive(0.2)
    stepped(simulation, 1.0)
    simulation.body("block").apply(force=(-994.0, 0, 0))  # 6 N are left: 0.06 m/s^2 instead of 2
    view.drive(0.0)
    stepped(simulation, 0.5)
    view.drive(0.1)
    speeds = []
    for _ in range(30):
        assert simulation.step().status == "solved"
        speeds.append(view.speed)
    assert np.diff(speeds)[5:] * 60.0 == pytest.approx(0.06, rel=1e-6) and view.force == pytest.approx(1e3)


def test_without_a_load_holding_valve_the_load_runs_away_and_the_cushion_catches_it() -> None:
    simulation = pressed(400.0, hold=False, cushion=0.1)
    view, speeds = simulation.part("ram"), [0.0]
    for _ in range(240):
        assert simulation.step().status == "solved"
        speeds.append(view.speed)
    assert speeds[20] == pytest.approx(-4.0 * 20 / 60, rel=1e-6), "it falls freely: a = F / m"
    assert view.at_limit and view.extension == pytest.approx(0.0, abs=1e-9) and abs(view.speed) < 1e-9
    fastest = -min(speeds)
    assert fastest == pytest.approx(math.sqrt(2.0 * 4.0 * 0.4), rel=0.05)
    slowing = np.diff(speeds).max() * 60.0
    assert slowing < 1.3 * fastest**2 / (2.0 * 0.1), "one deceleration over the cushion, no blow"


def test_a_hose_that_breaks_lets_the_load_down_and_one_that_is_mended_holds_it() -> None:
    simulation = taut.Simulation(arm())
    view = simulation.part("lift")
    stepped(simulation, 0.2)
    start = view.extension
    simulation.controls["lift.hold"].value = 0.0
    stepped(simulation, 0.1)
    assert view.extension < start - 0.01 and view.force == 0.0 and not view.holds
    simulation.controls["lift.hold"].value = 1.0
    stepped(simulation, 2.0)
    there = view.extension
    stepped(simulation, 0.5)
    assert view.extension == pytest.approx(there, abs=1e-9) and view.state == "hold" and there > 0.06, "it slowed down"


def test_it_comes_to_rest_softly_in_the_cushion() -> None:
    jolts = []
    for cushion in (0.0, 0.1):
        simulation = pressed(0.0, cushion=cushion)
        view, speeds = simulation.part("ram"), [0.0]
        view.drive(0.2)
        for _ in range(360):
            assert simulation.step().status == "solved"
            speeds.append(view.speed)
        assert view.state == "limit" and view.extension == pytest.approx(1.0, abs=1e-8)
        jolts.append(-np.diff(speeds[60:]).min() * 60.0)
    assert jolts[1] < 1.6 * 0.2**2 / (2.0 * 0.1) < 0.1 * jolts[0]


def test_oil_that_gives_way_gives_by_force_times_compliance() -> None:
    simulation = taut.Simulation(arm(compliance=1e-8, damping=2e5))
    view = simulation.part("lift")
    start = view.extension
    stepped(simulation, 3.0)
    assert start - view.extension == pytest.approx(1e-8 * view.force, rel=1e-6)
    view.go_to(0.6)
    stepped(simulation, 8.0)
    assert view.extension == pytest.approx(0.6 - 1e-8 * view.force, abs=1e-8) and view.state == "hold"


@pytest.mark.parametrize("mass", [None, (0.2, 0.1)])
@pytest.mark.parametrize("solver", ["auto", "linear-time", "ipm"])
def test_cylinders_close_loops(mass: Any, solver: str) -> None:
    """A bucket on a four-bar linkage of 2 kg under a stick of 1 t, all moved by cylinders: 10,000 to 1."""
    axis = (0.0, -1.0, 0.0)
    scene = taut.Scene(collisions=False)
    scene.add_body("stick", Box(3, 0.3, 0.3), mass=1000, position=(1.5, 0, 0))
    scene.add_body("bucket", Box(0.8, 0.8, 0.8), mass=600, position=(3, 0, -0.6))
    scene.add_body("rocker", Box(0.5, 0.1, 0.1), mass=2, position=(2.6, 0, 0.25),
                   orientation=taut.spatial.from_axis_angle(axis, 0.5 * math.pi))  # fmt: skip
    scene.add_body("coupler", Box(0.64, 0.1, 0.1), mass=2, position=(2.9, 0, 0.25))
    for a, b, at in (
        ("world", "stick", (0, 0, 0)), ("stick", "bucket", (3, 0, 0)), ("stick", "rocker", (2.6, 0, 0)),
        ("rocker", "coupler", (2.6, 0, 0.5)),
    ):  # fmt: skip
        scene.connect(a, b, Revolute(axis=axis), at=at)
    scene.connect("coupler", "bucket", taut.joints.Universal(axis_a=axis, axis_b=(0, 0, 1)), at=(3.2, 0, 0.0))
    oil = {"max_force": 2e5, "max_speed": 0.3, "mass": mass}
    scene.add(
        HydraulicCylinder(base=("world", (0.3, 0, -1)), rod=("stick", (0, 0, 0)), stroke=(1.2, 1.9), **oil), name="up"
    )
    scene.add(
        HydraulicCylinder(base=("stick", (-1, 0, 0.3)), rod=("rocker", (0.25, 0, 0)), stroke=(1.7, 2.4), **oil),
        name="curl",
    )
    simulation = taut.Simulation(scene, solver=solver)
    simulation.part("up").drive(0.1)
    for speed in (0.15, -0.15):
        simulation.part("curl").drive(speed)
        for _ in range(100):
            report = simulation.step()
            assert report.status == "solved" and report.violation < 1e-5
    assert simulation.part("up").speed == pytest.approx(0.1, rel=1e-3)


@pytest.mark.parametrize("mass", [None, (0.5, 0.3)])
@pytest.mark.parametrize("solver", ["bpp", "linear-time", "ipm"])
def test_two_side_by_side_carry_their_load_together(mass: Any, solver: str) -> None:
    """A dump body of 8 t on 20 t is held twice, which says one thing too often; rods of 0.3 kg: 65,000 to 1."""
    scene = taut.Scene(collisions=False)
    scene.add_body("truck", Box(6, 2.5, 1), mass=20000, position=(0, 0, 1))
    scene.connect("world", "truck", taut.joints.Fixed())
    scene.add_body("dump", Box(5, 2.4, 1), mass=8000, position=(0, 0, 2.1))
    scene.connect("truck", "dump", Revolute(axis=(0, -1, 0)), at=(-2.5, 0, 1.6))
    oil = {"stroke": (1.2, 2.2), "bore": 0.15, "pressure": 25e6, "flow": 3e-3, "mass": mass}
    for name, y in (("left", 0.6), ("right", -0.6)):
        scene.add(HydraulicCylinder(base=("truck", (0.5, y, -0.4)), rod=("dump", (1.5, y, -0.4)), **oil), name=name)
    simulation = taut.Simulation(scene, solver=solver)
    views = [simulation.part(name) for name in ("left", "right")]
    for speed, seconds in ((0.12, 3.0), (-0.05, 1.0), (0.0, 1.0)):
        for view in views:
            view.drive(speed)
        stepped(simulation, seconds)
    assert views[0].extension == pytest.approx(views[1].extension, abs=1e-9) and views[0].state == "hold"
    dump, hinge = simulation.body("dump"), np.array([-2.5, 0.0, 1.6])
    pin = dump.position + taut.spatial.rotate(dump.orientation, (1.5, 0.0, -0.4))
    way = (pin - (0.5, 0.0, 0.6)) / np.linalg.norm(pin - (0.5, 0.0, 0.6))
    lever = np.cross(pin - hinge, way) @ (0.0, -1.0, 0.0)
    together = 8000 * GRAVITY * (dump.position[0] - hinge[0]) / lever
    # rods are light; how two stiff cylinders share is open, as it is for two stiff legs of a table with four
    assert sum(view.force for view in views) == pytest.approx(together, rel=1e-9 if mass is None else 1e-3)


def test_what_is_used_last_counts_and_goes_on_from_a_file(tmp_path: Path) -> None:
    first = taut.Simulation(arm())
    first.part("lift").go_to(0.7)
    stepped(first, 1.0)
    first.save(tmp_path / "on_its_way.npz")
    second = taut.Simulation.load(tmp_path / "on_its_way.npz")
    for simulation in (first, second):
        stepped(simulation, 6.0)
    assert same_state(first.state, second.state) == [] and first.part("lift").extension == pytest.approx(0.7, abs=1e-8)
    first.controls["lift.speed"].value = -0.05
    stepped(first, 1.0)
    assert first.part("lift").speed == pytest.approx(-0.05, rel=1e-5)
    assert first.controls["lift.valve"].value == pytest.approx(-0.05 * AREAS[1] / OIL["flow"])


def test_its_schedule_moves_it() -> None:
    ramps = taut.Ramps((0.0, 0.4), (3.0, 0.6), (4.0, 0.6), (7.0, 0.3))
    simulation = taut.Simulation(arm(schedule={"extension": ramps}))
    for time, place in ((4.0, 0.6), (8.0, 0.3)):
        stepped(simulation, time - simulation.time)
        assert simulation.part("lift").extension == pytest.approx(place, abs=1e-6)


def test_it_keeps_its_command_through_edits() -> None:
    simulation = taut.Simulation(arm())
    view = simulation.part("lift")
    view.go_to(0.7)
    stepped(simulation, 0.5)
    with simulation.edit() as edit:
        edit.add_body("ball", taut.shapes.Sphere(0.1), mass=1.0, position=(0, 3, 0))
    stepped(simulation, 5.0)
    assert view.extension == pytest.approx(0.7, abs=1e-8)
    with simulation.edit() as edit:
        edit.remove_joint("lift/motor")
    assert view.lost() == "lift/motor"
    with pytest.raises(InputError, match="lift/motor was removed"):
        view.drive(0.1)
    simulation.controls["lift.speed"].value = 0.05  # does nothing
    simulation.step()


def test_one_is_added_to_an_arm_that_has_moved() -> None:
    simulation = taut.Simulation(arm())
    simulation.part("lift").go_to(0.8)
    stepped(simulation, 8.0)
    with simulation.edit() as edit:
        end = simulation.part("lift").points(["beam"], np.array([3.0, 0.0, 0.0]))[0]
        edit.add_body("stick", Box(3, 0.2, 0.2), mass=300, position=end + (1.5, 0, 0))
        edit.connect("beam", "stick", Revolute(axis=(0, -1, 0)), at=end)
        second = HydraulicCylinder(base=("beam", (1, 0, 0.3)), rod=("stick", (0.5, 0, 0)), stroke=(0.5, 5), **OIL)
        edit.add(second, name="second")
    view = simulation.part("second")
    stepped(simulation, 1.0)
    start = view.extension
    view.drive(-0.05)
    stepped(simulation, 2.0)
    assert view.extension - start == pytest.approx(-0.1, rel=0.2) and view.speed == pytest.approx(-0.05, rel=1e-5)
    assert simulation.part("lift").extension == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pressure": None}, "either max_force, or pressure with bore"),
        ({"max_speed": 1.0}, "either max_speed, or flow with bore"),
        ({"bore": None, "rod_diameter": None}, "pressure with bore"),
        ({"rod_diameter": 0.2}, "rod_diameter is 0.2; it must be less than bore, 0.12"),
        ({"stroke": (2.0, 1.0)}, "stroke"),
        ({"stroke": (1.8, 2.2)}, "its ends are 1.56205 m apart; its stroke is from 1.8 to 2.2 m"),
        ({"stroke": None}, "it has no stroke"),
        ({"mass": (1, 2, 3)}, "mass"),
        ({"damping": 1.0}, "damping needs a compliance"),
        ({"schedule": {"speeds": taut.Ramps((0, 0), (1, 1))}}, "speeds"),
        ({"schedule": taut.Ramps((0, 0), (1, 1))}, "functions of time by control: speed, extension, valve"),
    ],
)  # fmt: skip
def test_wrong_ones_are_refused_in_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        arm(**options)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_wrong_commands_are_refused() -> None:
    view = taut.Simulation(arm()).part("lift")
    with pytest.raises(InputError, match="extension is 2 m; it must be from 0 to 1"):
        view.go_to(2.0)
    with pytest.raises(InputError, match="speed"):
        view.drive(math.nan)
