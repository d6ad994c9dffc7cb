"""`machines/gearbox.py`: one gear at a time."""

from __future__ import annotations

from typing import Any

import pytest
from dynos import run

import taut
from taut import machines

INERTIA = 2.0, 30.0


def coupled(
    spins: tuple[float, float] = (100.0, 0.0), gear: int = 1, torque: float = 0.0, solver: str = "bpp", **options: Any
) -> taut.Simulation:
    """Two shafts with gears between them, in gear after a quarter of a second."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    for name, inertia, spin in zip("ab", INERTIA, spins, strict=True):
        scene.add_body(name, mass=1.0, inertia=(inertia,) * 3, angular_velocity=(spin, 0, 0))
        scene.connect("world", name, taut.joints.Bearing(axis=(1, 0, 0)), name=f"{name}/hinge")
    given = {
        "input": "a/hinge", "output": "b/hinge", "forward": (4.0, 2.0, 1.0), "reverse": (5.0,), "shift_time": 0.1
    } | options  # fmt: skip
    scene.add(machines.Gearbox(**given), name="it")
    simulation = taut.Simulation(scene, solver=solver)
    simulation.controls["it.gear"].set(gear)
    run(simulation, 0.25)
    simulation.body("a").apply(torque=(torque, 0, 0))
    return simulation


def spins(simulation: taut.Simulation) -> tuple[float, float]:
    one, two = simulation.state.velocity[1:3, 3].tolist()
    return one, two


@pytest.mark.parametrize(("gear", "ratio"), [(1, 4.0), (2, 2.0), (3, 1.0), (-1, -5.0)])
def test_a_gear_that_engages_makes_both_turn_by_its_ratio(gear: int, ratio: float) -> None:
    simulation = coupled(gear=gear)
    one, two = spins(simulation)
    assert one == pytest.approx(100.0 * 2.0 / (2.0 + 30.0 / ratio**2)) and one == pytest.approx(ratio * two)
    view = simulation.part("it")
    assert (view.gear, view.ratio, view.shifting) == (gear, ratio, False)
    assert (view.input_speed, view.output_speed) == pytest.approx((one, two))


def test_torque_is_multiplied_by_the_ratio() -> None:
    simulation = coupled(torque=50.0)
    run(simulation, 1.0)
    turning = 50.0 / (2.0 + 30.0 / 16.0)
    view = simulation.part("it")
    assert view.torque == pytest.approx(4.0 * (50.0 - 2.0 * turning)) == 30.0 * turning / 4.0


def test_a_gear_is_let_go_for_neutral() -> None:
    """Under torque, and at once."""
    simulation = coupled(torque=50.0)
    simulation.controls["it.gear"].set(0)
    run(simulation, 2 / 60)
    before = spins(simulation)
    run(simulation, 1.0)
    view = simulation.part("it")
    assert (view.gear, view.torque, view.shifting) == (0, 0.0, False)
    assert spins(simulation) == pytest.approx((before[0] + 50.0 / 2.0, before[1]))


def test_neutral_hands_on_nothing() -> None:
    simulation = coupled(gear=0, torque=50.0, efficiency=0.9)
    run(simulation, 1.0)
    assert spins(simulation) == pytest.approx((125.0, 0.0), rel=2e-3)
    assert (simulation.part("it").gear, simulation.part("it").torque) == (0, 0.0)


@pytest.mark.parametrize("gear", [1, -1])
def test_out_of_gear_it_is_in_neutral_and_stays_there(gear: int) -> None:
    simulation = coupled(gear=gear)
    before = spins(simulation)
    simulation.controls["it.gear"].set(0)
    simulation.body("a").apply(torque=(50.0, 0, 0))
    run(simulation, 1.0)
    view = simulation.part("it")
    assert (view.gear, view.asked, view.heading, view.shifting) == (0, 0, 0, False)
    assert spins(simulation) == pytest.approx((before[0] + 25.0, before[1]), rel=2e-2)


def test_a_change_that_is_called_off_leaves_it_in_neutral() -> None:
    simulation = coupled(gear=1)
    simulation.controls["it.gear"].set(2)
    run(simulation, 3 / 60)
    assert simulation.part("it").shifting
    simulation.controls["it.gear"].set(0)
    run(simulation, 2 / 60)
    view = simulation.part("it")
    assert (view.gear, view.heading, view.shifting) == (0, 0, False)
    simulation.controls["it.gear"].set(2)
    run(simulation, 3 / 60)
    assert view.gear == 0 and view.shifting  # it takes its time again
    run(simulation, 6 / 60)
    assert view.gear == 2


@pytest.mark.parametrize("drive", [40.0, -40.0])
def test_teeth_rub_by_the_efficiency_both_ways(drive: float) -> None:
    """Driven from the input, and by the load of the output where the input is held back: power out / power in."""
    simulation = coupled(efficiency=0.9)
    simulation.body("a").apply(torque=(drive, 0, 0))
    run(simulation, 10 / 60)
    before = spins(simulation)
    run(simulation, 10 / 60)
    one, two = ((b - a) * 6.0 for a, b in zip(before, spins(simulation), strict=True))
    into, out = drive - 2.0 * one, 30.0 * two / 4.0
    assert out == pytest.approx(0.9 * into if drive > 0.0 else into / 0.9, rel=1e-4)
    view = simulation.part("it")
    assert view.loss == pytest.approx(abs(into - out) * spins(simulation)[0], rel=1e-3)


def test_a_change_takes_its_time_and_hands_on_nothing_meanwhile() -> None:
    simulation = coupled(shift_time=0.2)
    run(simulation, 0.2)
    simulation.controls["it.gear"].set(2)
    gears = []
    for _ in range(30):
        run(simulation, 1 / 60)
        gears.append(simulation.part("it").gear)
    assert gears == [0] * 12 + [2] * 18 or gears == [0] * 13 + [2] * 17


def test_asking_for_another_gear_in_between_starts_again() -> None:
    simulation = coupled(shift_time=0.2)
    run(simulation, 0.2)
    for gear in (2, 3):
        simulation.controls["it.gear"].set(gear)
        run(simulation, 0.1)
    assert simulation.part("it").shifting
    run(simulation, 0.2)
    assert simulation.part("it").gear == 3


def changes(simulation: taut.Simulation, seconds: float) -> list[int]:
    """The gears that follow each other."""
    gears = [simulation.part("it").gear]
    for _ in range(round(60 * seconds)):
        run(simulation, 1 / 60)
        gear = simulation.part("it").gear
        if gear not in (0, gears[-1]):
            gears.append(gear)
    return gears


def test_it_changes_by_itself_up_and_down() -> None:
    simulation = coupled(spins=(0.0, 0.0), auto=(40.0, 120.0), torque=100.0)
    assert changes(simulation, 20.0) == [1, 2, 3]
    simulation.body("a").apply(torque=(-100.0, 0, 0))
    assert changes(simulation, 35.0) == [3, 2, 1]


def test_it_does_not_hunt_where_a_load_keeps_the_speed_between_its_bounds() -> None:
    """It changes up at 120 rad/s; the speed that is then kept, 59, would have to fall below 40 to change it back."""
    simulation = coupled(spins=(110.0, 27.5), auto=(40.0, 120.0), torque=100.0)
    assert changes(simulation, 1.0) == [1, 2]
    simulation.body("a").apply(torque=(0, 0, 0))
    assert changes(simulation, 10.0) == [2]


def test_bounds_between_which_it_would_hunt_are_refused() -> None:
    with pytest.raises(taut.InputError, match="above 2 times the first"):
        coupled(auto=(60.0, 120.0))


def test_solvers_agree_on_a_row_whose_bounds_open_and_close() -> None:
    """The bounds of a gear that is engaged are infinite, and were 0 where the scene was compiled."""
    found = []
    for solver in ("bpp", "linear-time", "ipm", "bpp-dense"):
        simulation = coupled(torque=50.0, solver=solver)
        simulation.controls["it.gear"].set(2)
        run(simulation, 1.0)
        found.append(spins(simulation))
    for each in found[1:]:
        assert each == pytest.approx(found[0], rel=1e-9)


def test_what_is_no_gear_is_refused() -> None:
    simulation = coupled()
    for gear in (4, -2, 1.5, "first"):
        with pytest.raises(taut.InputError, match="from -1 to 3"):
            simulation.part("it").shift(gear)
    for options in (
        {"forward": ()},
        {"forward": (1.0, 2.0)},
        {"forward": 3},
        {"reverse": (-1.0,)},
        {"efficiency": 1.1},
    ):
        with pytest.raises(taut.InputError, match=next(iter(options))):
            coupled(**options)
