"""What of a step's gain in energy is explained, by joints that close and contacts that give back, and what is not."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.joints import Distance, Rope
from taut.shapes import Sphere
from taut.stepping.energy import contact_allowance, judge_energy, work_of_gaps
from taut.stepping.linearise import Outcome, first_start, judge_contact_rows, linearised_solve
from taut.stepping.settings import TOUCHING_SLACK
from taut.stepping.step import predict_and_collide
from taut.stepping.tally import Tally

MASS, STEP = 2.0, 1 / 60


def on_a_string(joint: Distance | Rope, length: float, velocity: tuple[float, float, float]) -> taut.Simulation:
    """A ball below the world's origin, held by a rod or a rope."""
    scene = taut.Scene(collisions=False)
    scene.add_body("ball", Sphere(0.05), mass=MASS, position=(0.0, 0.0, -length), velocity=velocity)
    scene.connect("world", "ball", joint)
    return taut.Simulation(scene, step=STEP, integrator="euler")


def solve(simulation: taut.Simulation) -> Outcome:
    """One solve of the next step; the bench is left where it leads."""
    bench, state = simulation.bench, simulation.state
    weights, guess = predict_and_collide(bench, state, STEP, Tally())
    return linearised_solve(bench, state, weights, first_start(bench, state, STEP, guess))


def gap_work(simulation: taut.Simulation, outcome: Outcome) -> float:
    """Work of the gaps in the step of an outcome, J."""
    bench = simulation.bench
    lam, count = outcome.solution.lam, bench.unresolved_energy.size
    return float(work_of_gaps(bench, simulation.state, bench.group, lam / STEP, count).sum())


def test_a_rope_that_goes_taut_explains_no_rise() -> None:
    """It pulls over the whole way that was slack, but backwards: it takes energy."""
    simulation = on_a_string(Rope(length=1.0), 0.95, (0.0, 0.0, -10.0))
    outcome = solve(simulation)
    assert abs(outcome.force[0]) > 500.0
    assert outcome.measure[0] - simulation.state.measure[0] == pytest.approx(0.05, rel=1e-6)
    assert gap_work(simulation, outcome) == 0.0


def opened(simulation: taut.Simulation) -> Outcome:
    """One solve after the rod was opened by 1e-5 m."""
    simulation.state.position[1, 2] -= 1e-5
    simulation.state.measure = simulation.state.measure + 1e-5
    return solve(simulation)


def test_a_gap_that_is_closed_against_the_tension_explains_its_work() -> None:
    simulation, tension = on_a_string(Distance(length=1.0), 1.0, (0.0, 0.0, 0.0)), 1e4
    for _ in range(2):
        simulation.body("ball").apply(force=(0.0, 0.0, MASS * 9.81 - tension))
        outcome = opened(simulation) if simulation.state.steps else simulation.step()
    assert gap_work(simulation, outcome) == pytest.approx(tension * 1e-5, rel=1e-3)


def test_a_force_that_was_not_there_before_explains_what_closing_takes_and_no_more() -> None:
    """Of a rod that is found to be pulled with 1e9 N, 1e-5 m would be 10 kJ."""
    simulation = on_a_string(Distance(length=1.0), 1.0, (0.0, 0.0, 0.0))
    assert simulation.state.force[0] == 0.0
    outcome = opened(simulation)
    limit = simulation.settings.limit
    closing = MASS * (9.81 * limit + 0.5 * (limit / STEP) ** 2)
    assert 0.0 < gap_work(simulation, outcome) <= closing
    outcome.solution.lam *= 1e9
    assert gap_work(simulation, outcome) == pytest.approx(closing)


def test_what_contacts_give_back_is_allowed_once() -> None:
    """A ball that is pushed out of the ground, and leaves faster than that explains."""
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("ball", Sphere(0.5), mass=1e3, position=(0.0, 0.0, 0.4))
    with pytest.warns(taut.TautWarning, match="overlap"):
        simulation = taut.Simulation(scene, step=STEP, integrator="euler")
    for _ in range(5):
        simulation.step()
    bench, state, outcome = simulation.bench, simulation.state, solve(simulation)
    lam, gap = outcome.solution.lam, judge_contact_rows(bench, outcome.solution)
    assert gap is not None
    given = float(contact_allowance(bench, lam, STEP, gap).sum())
    rest = TOUCHING_SLACK * float(bench.unresolved_energy.sum())
    assert given > rest > 0.0

    def rise(gain: float) -> float:
        """The rise that is judged where the ball has gained so much, J."""
        velocity = outcome.velocity.copy()
        fallen = 1e3 * 9.81 * (bench.position[1, 2] - state.position[1, 2])
        before = 0.5e3 * float(state.velocity[1, :3] @ state.velocity[1, :3])
        velocity[1, :3] = 0.0, 0.0, np.sqrt(2.0 * (before - fallen + gain) / 1e3)
        return judge_energy(
            bench, state, velocity, outcome.spin, outcome.path, 0.0, gain, lam, STEP, gap, arms=False
        )[4]  # fmt: skip

    assert rise(given) <= 0.0
    assert rise(2.0 * (given + rest)) > simulation.settings.energy_tolerance
