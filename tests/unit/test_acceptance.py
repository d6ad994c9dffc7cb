"""Whether a candidate is taken: verdicts, errors over what is tolerated, and slowing down, on made-up outcomes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_up_outcomes import first_solve, nothing_spent, with_errors, without_errors, worst
from sample_mechanisms import chain

import taut
from taut.integrators import BDF2, EULER
from taut.joints import Spherical
from taut.shapes import Sphere
from taut.solvers import get
from taut.stepping.acceptance import SAFE, done, judgement, judgements, overlooked, total_error, total_errors
from taut.stepping.attempt import predict_and_collide
from taut.stepping.outcome import Outcome
from taut.stepping.settings import ACCEPTANCE, LINEARISATION, Settings
from taut.stepping.start import first_start
from taut.stepping.step import step

SETTINGS = Settings(step=1 / 60, scheme=BDF2, solver=get("auto"))


@pytest.fixture(scope="module")
def solved() -> Outcome:
    """The outcome of a solve of a chain, with every error set to zero."""
    return without_errors(first_solve(chain(links=3, load=10.0, angle=-0.5))[1])


def verdict(outcome: Outcome, watched: bool = False, risen: float = 0.0, **errors: Any) -> str:
    """The judgement of an outcome with these errors."""
    count = outcome.group.size
    return judgement(with_errors(outcome, **errors), SETTINGS, np.full(count, watched), np.full(count, risen))


@pytest.mark.parametrize(
    ("what", "limit", "named"),
    [
        ("error", SETTINGS.limit, "violation"),
        ("drift", SETTINGS.limit, "violation"),
        ("contact_error", SETTINGS.contact_limit, "penetration"),
        ("misfit", SETTINGS.contradiction, "contradiction"),
        ("opened", SETTINGS.limit, "contradiction"),
        ("friction_residual", SETTINGS.friction_limit, "friction"),
        ("energy_rise", SETTINGS.energy_tolerance, "energy"),
        ("contact_energy_rise", SETTINGS.energy_tolerance, "energy"),
    ],
)
def test_each_error_has_its_limit_and_its_name(solved: Outcome, what: str, limit: float, named: str) -> None:
    solved = with_errors(solved, touching=1)
    assert verdict(solved) == "solved"
    assert verdict(solved, **{what: limit}) == "solved"
    assert verdict(solved, **{what: 1.001 * limit}) == named


def test_friction_that_is_missed_is_that_of_groups_that_touch(solved: Outcome) -> None:
    missed = {"friction_residual": 2.0 * SETTINGS.friction_limit}
    assert verdict(solved, touching=1, **missed) == "friction"
    assert verdict(solved, **missed) == "solved"


def test_a_gap_that_is_for_the_rest_of_the_frame_is_no_violation(solved: Outcome) -> None:
    """One that was too large to begin with; a small one counts, because what parts leave adds up."""
    limit = SETTINGS.limit
    assert verdict(solved, drift=30.0 * limit, left=29.5 * limit) == "solved"
    assert verdict(solved, drift=30.0 * limit, left=28.5 * limit) == "violation"
    assert verdict(solved, drift=1.2 * limit, left=0.9 * limit) == "violation"


def test_what_rose_in_earlier_parts_of_a_frame_is_no_longer_allowed(solved: Outcome) -> None:
    rise = 0.6 * SETTINGS.energy_tolerance
    for what in ("energy_rise", "contact_energy_rise"):
        assert verdict(solved, **{what: rise}) == "solved"
        assert verdict(solved, risen=rise, **{what: rise}) == "energy"


def test_the_first_thing_that_is_wrong_is_named(solved: Outcome) -> None:
    """Rows before contacts before contradictions before friction before energy."""
    wrong = {"error": 1.0, "contact_error": 1.0, "misfit": 1.0, "friction_residual": 1.0, "energy_rise": 1.0}
    solved = with_errors(solved, touching=1)
    names = ["violation", "penetration", "contradiction", "friction", "energy"]
    for place, name in enumerate(names):
        assert verdict(solved, **dict(list(wrong.items())[place:])) == name
    assert verdict(solved, energy=np.nan, **wrong) == "non-finite"
    unsolved = replace(solved.solution, status="cycling")
    assert verdict(solved, solution=unsolved, **wrong) == "cycling"


def two_groups() -> Outcome:
    """The outcome of a solve of two pendulums that have nothing to do with each other, without errors."""
    scene = taut.Scene(collisions=False)
    for name, x in (("one", 0.0), ("other", 5.0)):
        scene.add_body(name, Sphere(0.05), mass=1.0, position=(x + 1.0, 0.0, 0.0))
        scene.connect("world", name, Spherical(), at=(x, 0.0, 0.0))
    return without_errors(first_solve(taut.Simulation(scene))[1])


@pytest.mark.parametrize("what", ["error", "contact_error", "misfit", "opened", "energy_rise", "contact_energy_rise"])
def test_each_group_is_judged_by_its_own_errors(what: str) -> None:
    outcome, calm, none = two_groups(), np.zeros(3, bool), np.zeros(3)
    first, second = outcome.group[1], outcome.group[2]
    assert first != second
    wrong = with_errors(outcome, body=2, **{what: 1.0})
    verdicts, errors = judgements(wrong, SETTINGS, calm, none), total_errors(wrong, SETTINGS)
    assert verdicts[first] == "solved" and errors[first] == 0.0
    assert verdicts[second] != "solved" and judgement(wrong, SETTINGS, calm, none) == verdicts[second]
    assert total_error(wrong, SETTINGS) == errors[second]


def test_what_one_group_gained_or_how_roughly_it_moved_is_no_business_of_another() -> None:
    outcome, rise = two_groups(), 10.0 * SETTINGS.rough_energy_tolerance
    first, second = outcome.group[1], outcome.group[2]
    both = with_errors(with_errors(outcome, body=1, energy_rise=rise), body=2, energy_rise=rise)
    watched, risen = np.zeros(3, bool), np.zeros(3)
    watched[second] = True
    verdicts = judgements(both, SETTINGS, watched, risen)
    assert (verdicts[first], verdicts[second]) == ("solved", "energy")
    risen[first] = SETTINGS.energy_tolerance
    verdicts = judgements(both, SETTINGS, np.zeros(3, bool), risen)
    assert (verdicts[first], verdicts[second]) == ("energy", "solved")


@pytest.mark.parametrize("body", [1, 2])
def test_a_group_is_watched_as_its_roughest_body_is(body: int) -> None:
    """Two bodies on one chain, of which one may have been rough before they met."""
    scene = taut.Scene(collisions=False)
    for number, upper in ((1, "world"), (2, "b1")):
        scene.add_body(f"b{number}", Sphere(0.05), mass=1.0, position=(number, 0.0, 0.0))
        scene.connect(upper, f"b{number}", Spherical(), at=(number - 1.0, 0.0, 0.0))
    outcome = without_errors(first_solve(taut.Simulation(scene))[1])
    watched, risen, rise = np.arange(3) == body, np.zeros(3), 10.0 * SETTINGS.rough_energy_tolerance
    assert judgement(with_errors(outcome, energy_rise=rise), SETTINGS, np.zeros(3, bool), risen) == "solved"
    assert judgement(with_errors(outcome, energy_rise=rise), SETTINGS, watched, risen) == "energy"
    risen[body] = SETTINGS.energy_tolerance
    assert judgement(with_errors(outcome, energy_rise=rise), SETTINGS, np.zeros(3, bool), risen) == "energy"


def test_the_worst_group_names_what_is_wrong_with_all() -> None:
    outcome = with_errors(with_errors(two_groups(), body=1, energy_rise=1.0), body=2, error=1.0)
    assert judgement(outcome, SETTINGS, np.zeros(3, bool), np.zeros(3)) == "violation"


def test_only_verdicts_with_which_rows_hold_are_safe(solved: Outcome) -> None:
    assert set(SAFE) == {"solved", "contradiction", "penetration", "friction", "energy", "balance"}
    assert verdict(solved, error=1.0) not in SAFE and verdict(solved, energy=np.inf) not in SAFE


def test_rough_motion_is_watched_more_closely(solved: Outcome) -> None:
    rise = 10.0 * SETTINGS.rough_energy_tolerance
    assert verdict(solved, energy_rise=rise) == "solved"
    assert verdict(solved, watched=True, energy_rise=rise) == "energy"
    assert verdict(solved, watched=True, contact_energy_rise=rise) == "solved"


@pytest.mark.parametrize(("height", "touched"), [(0.05, True), (0.5, False)])
def test_rows_of_groups_that_contacts_touch_may_err_more_and_others_not(height: float, touched: bool) -> None:
    """A pendulum, and a ball on a stick that lies on the ground or does not: a tenth of its errors counts."""
    scene = taut.Scene()
    scene.add_plane()
    for name, x, z in (("pendulum", 0.0, 2.0), ("ball", 5.0, height)):
        scene.add_body(name, Sphere(0.05), mass=1.0, position=(x + 1.0, 0.0, z))
        scene.connect("world", name, Spherical(), at=(x, 0.0, z))
    simulation = taut.Simulation(scene)
    simulation.step()
    stepper, state, h = simulation.stepper, simulation.state, simulation.settings.step
    contacts = predict_and_collide(stepper, state, h, nothing_spent(simulation))
    stepper.weigh(EULER, h, np.zeros_like(state.history))
    start = first_start(stepper, state, h, contacts)
    outcome = step(stepper, state, replace(start, guess=start.guess + 3.0))
    names = np.array(simulation.model.bodies.names)
    assert set(names[outcome.shaken]) == ({"ball"} if touched else set())
    row_name = names[stepper.mechanism.links.row_body]
    off = {name: np.abs(outcome.row_error[row_name == name]).max() for name in ("pendulum", "ball")}
    gap = {name: np.abs(outcome.measure[row_name == name]).max() for name in off}
    assert off["pendulum"] == pytest.approx(gap["pendulum"], rel=1e-6) and gap["pendulum"] > 1e-6
    assert off["ball"] == pytest.approx(gap["ball"] / (ACCEPTANCE.touching_slack if touched else 1.0), rel=1e-6)
    assert worst(outcome, "reach") == outcome.away[~outcome.shaken].max()


def test_the_total_error_is_the_worst_over_its_tolerance(solved: Outcome) -> None:
    solved = with_errors(solved, touching=1)
    assert total_error(solved, SETTINGS) == 0.0
    errors = {"error": 3e-6, "contact_error": 4e-2, "contact_energy_rise": 4e-2, "imbalance": 5e-5}
    each = {name: total_error(with_errors(solved, **{name: value}), SETTINGS) for name, value in errors.items()}
    assert each == pytest.approx({"error": 3.0, "contact_error": 2.0, "contact_energy_rise": 4.0, "imbalance": 5.0})
    assert total_error(with_errors(solved, **errors), SETTINGS) == pytest.approx(5.0)
    assert total_error(with_errors(solved, energy_rise=1.0, friction_residual=1.0, violation=1.0), SETTINGS) == 0.0


def test_energy_of_bodies_in_flight_asks_for_no_other_linearisation(solved: Outcome) -> None:
    flying = with_errors(solved, contact_energy_rise=4e-2)
    assert total_error(flying, SETTINGS) == 0.0 and done([flying], SETTINGS)
    assert verdict(flying) == "energy", "but for a shorter step"


def test_imbalance_counts_by_the_way_from_the_prediction(solved: Outcome) -> None:
    near, far = (with_errors(solved, imbalance=2e-5, reach=reach) for reach in (0.0, 0.02))
    assert total_error(near, SETTINGS) == pytest.approx(2e-5 / (10.0 * SETTINGS.tolerance))
    assert total_error(far, SETTINGS) == pytest.approx(2e-5 / (ACCEPTANCE.balanced * 0.02))
    assert not done([near], SETTINGS) and done([far], SETTINGS)


def tries_of(solved: Outcome, *errors: float, **options: Any) -> list[Outcome]:
    """Tries with these errors, in tolerances."""
    return [with_errors(solved, error=error * SETTINGS.tolerance, **options) for error in errors]


def test_a_try_within_its_tolerance_is_the_last(solved: Outcome) -> None:
    assert done(tries_of(solved, 1.0), SETTINGS) and done(tries_of(solved, 9.0, 0.5), SETTINGS)
    assert not done(tries_of(solved, 1.1), SETTINGS)


@pytest.mark.parametrize(
    ("errors", "over"),
    [
        ((100.0, 50.0, 60.0), False),  # two looks back are not enough to tell
        ((100.0, 90.0, 50.0, 45.0), True),
        ((100.0, 90.0, 50.0, 39.0), False),
        ((100.0, 90.0, 50.0, 500.0), True),
        ((90.0, 10.0, 50.0, 30.0), True),  # one that was better before is not reached again
    ],
)
def test_tries_that_get_nowhere_are_given_up_where_bodies_touch(
    solved: Outcome, errors: tuple[float, ...], over: bool
) -> None:
    assert done(tries_of(solved, *errors, touching=1), replace(SETTINGS, tolerance=SETTINGS.tolerance / 10.0)) is over
    assert not done(tries_of(solved, *errors), SETTINGS), "without contacts the way is smooth"
    assert ACCEPTANCE.stalled == 0.8, "the numbers above are chosen for it"


def test_as_long_as_bodies_turn_too_far_a_try_may_err_as_much_as_those_before(solved: Outcome) -> None:
    """Only a part of the way was taken then."""
    tries = tries_of(solved, 1000.0, 900.0, 900.0, 950.0, touching=1)
    assert done(tries, SETTINGS)
    for number, over in ((0, False), (1, False), (2, False), (3, True)):
        turned = [
            with_errors(each, turned=1.1 * LINEARISATION.turn) if i == number else each for i, each in enumerate(tries)
        ]
        assert done(turned, SETTINGS) is over, "the last one's own turn is yet to be shortened"


def test_solvers_that_are_not_exact_get_one_try(solved: Outcome) -> None:
    assert done(tries_of(solved, 1e6), replace(SETTINGS, solver=get("pgs")))


@pytest.mark.parametrize(("height", "deep"), [(0.15, True), (0.2, False)])
def test_overlaps_that_steps_before_did_not_know_are_overlooked(height: float, deep: bool) -> None:
    """One ball is put into another, or beside it. What seems to overlap is looked at again where the step began."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("a", Sphere(0.1), mass=1.0)
    scene.add_body("b", Sphere(0.1), mass=1.0, position=(0, 0, 0.5))
    simulation = taut.Simulation(scene)
    simulation.step()
    stepper, state = simulation.stepper, simulation.state
    state.position[2] = state.position[1] + [0, 0, height]
    _, outcome = first_solve(simulation)
    assert outcome.contacts.count == 1
    assert outcome.contacts.table.overlooked[0] == pytest.approx(0.2 - height)
    assert overlooked(stepper, outcome, state) is deep
    outcome.contacts.table.overlooked[0] = 0.05
    assert overlooked(stepper, outcome, state) is deep, "what only seems so is none"
    assert not overlooked(stepper, outcome, replace(state, steps=0)), "what overlaps before the first step is meant to"
