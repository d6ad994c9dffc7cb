"""How far back steps look, and what of the past the state keeps: kernels against NumPy, and who may look back far."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taut
from taut.integrators import BDF2, EULER, LOW_DAMPING, Scheme
from taut.integrators.scheme import OLDER, STEP
from taut.joints import Revolute, Spherical
from taut.shapes import Box
from taut.stepping.history import calm_levels, far_frames, next_levels, older_steps, shared_history
from taut.stepping.history_kernels import choose_weights
from taut.stepping.settings import CALM

H = 1 / 60


def swinging(bodies: int = 3, collisions: bool = False, **options: object) -> taut.Simulation:
    """A few boxes on hinges in a row, and one that flies."""
    scene, last = taut.Scene(collisions=collisions), "world"
    for number in range(bodies):
        name = f"box-{number}"
        scene.add_body(name, Box(0.4, 0.1, 0.1), mass=1.0, position=(0.5 * number + 0.25, 0.0, 2.0))
        scene.connect(last, name, Revolute(axis=(0, 1, 0)), at=(0.5 * number, 0.0, 2.0))
        last = name
    scene.add_body("free", Box(0.1, 0.2, 0.3), mass=1.0, position=(0.0, 5.0, 9.0), angular_velocity=(1.0, 2.0, 3.0))
    return taut.Simulation(scene, integrator="low-damping", **options)


def random_past(simulation: taut.Simulation, rng: np.random.Generator) -> taut.State:
    """A state with a past of random numbers."""
    state = simulation.state
    names = ("previous_velocity", "previous_spin", "previous_slim_spin", "displacement", "older")
    return state.but(**{name: rng.normal(size=getattr(state, name).shape) for name in names})


def rungs(scheme: Scheme) -> list[Scheme]:
    """A scheme and those that it starts with, the first for no history."""
    return [scheme] if scheme.starter is None else [*rungs(scheme.starter), scheme]


def test_the_past_of_a_body_is_the_sum_of_the_steps_its_scheme_looks_back_on(rng: np.random.Generator) -> None:
    simulation = swinging()
    stepper, state = simulation.stepper, random_past(simulation, rng)
    stepper.take(state)
    count = state.history.size
    for level, scheme in enumerate(rungs(LOW_DAMPING)):
        choose_weights(H, LOW_DAMPING.ladder, np.full(count, level, np.uint8), stepper.s, stepper.w)
        past, weights = stepper.scratch.past, stepper.scratch.weights
        steps = state.older.reshape(count, OLDER, STEP)[:, : max(level - 1, 0)]
        look = float(level > 0)
        momentum, way = np.array(scheme.older_momentum), np.array(scheme.older_drift)
        assert np.array_equal(weights.level, np.full(count, level))
        assert weights.beta == pytest.approx(np.full(count, H * scheme.position))
        sums = np.einsum("nkj,k->nj", steps, momentum)
        assert past.velocity == pytest.approx(look * state.previous_velocity + sums[:, :6])
        assert past.spin == pytest.approx(look * state.previous_spin + sums[:, 6:9])
        assert past.slim_spin == pytest.approx(look * state.previous_slim_spin + sums[:, 9])
        ways = np.einsum("nkj,k->nj", steps, way)
        assert past.displacement == pytest.approx(look * state.displacement + ways[:, 10:])


@pytest.mark.parametrize("scheme", [EULER, BDF2], ids=lambda scheme: scheme.name)
def test_history_beyond_what_a_scheme_looks_back_on_is_left_alone(scheme: Scheme, rng: np.random.Generator) -> None:
    simulation = swinging()
    stepper, state = simulation.stepper, random_past(simulation, rng)
    stepper.take(state)
    choose_weights(H, scheme.ladder, np.full(state.history.size, 5, np.uint8), stepper.s, stepper.w)
    assert (stepper.scratch.weights.level == scheme.depth).all()
    assert stepper.scratch.past.velocity == pytest.approx(scheme.depth * state.previous_velocity)


def test_the_last_step_becomes_an_older_one_as_far_as_history_goes(rng: np.random.Generator) -> None:
    simulation = swinging()
    state = random_past(simulation, rng)
    history = np.array([0, 1, 2, 4, OLDER + 1], np.uint8)
    older = older_steps(state, history).reshape(5, OLDER, STEP)
    before = state.older.reshape(5, OLDER, STEP)
    assert not older[:2].any(), "a step that looks back on one needs no other"
    assert np.array_equal(older[2:, 0, :6], state.previous_velocity[2:])
    assert np.array_equal(older[2:, 0, 6:9], state.previous_spin[2:])
    assert np.array_equal(older[2:, 0, 9], state.previous_slim_spin[2:])
    assert np.array_equal(older[2:, 0, 10:], state.displacement[2:])
    assert not older[2, 1:].any()
    assert np.array_equal(older[3, 1:3], before[3, :2]) and not older[3, 3].any()
    assert np.array_equal(older[4, 1:], before[4, : OLDER - 1])


def test_bodies_share_the_least_history_of_those_that_move_in_their_group() -> None:
    moves, group = np.array([False, True, True, True]), np.array([0, 1, 1, 3])
    history = np.array([5, 2, 4, 3], np.uint8)
    assert shared_history(moves, history, group).tolist() == [5, 2, 2, 3]


def test_history_grows_by_a_step_where_joints_hold_bodies_and_stays_short_elsewhere() -> None:
    level, jointed = np.array([0, 3, 5, 5], np.uint8), np.array([True, True, True, False])
    assert next_levels(level, jointed, depth=5).tolist() == [1, 4, 5, 1]
    assert next_levels(level, jointed, depth=1).tolist() == [1, 1, 1, 1]


def test_after_rough_motion_comes_euler_then_bdf2_then_the_scheme() -> None:
    assert [far_frames(1 / rate) - CALM.rough_frames for rate in (30, 60, 240)] == [75, 150, 600]
    for step in (1 / 60, 1 / 240):
        calm = np.array([0, CALM.calm_frames, far_frames(step) - 1, far_frames(step)])
        assert calm_levels(np.full(4, 5, np.uint8), calm, step).tolist() == [0, 1, 1, 5]


@pytest.mark.parametrize("calm", [0, 250, 1000])
@pytest.mark.parametrize("collisions", [False, True])
def test_what_tension_holds_goes_on_with_bdf2(calm: int, collisions: bool) -> None:
    """A load of 50 kg holds a link of 0.2 kg, and hangs from a bar of 50 kg, which it does not."""
    scene, low = taut.Scene(collisions=collisions), "low-damping"
    for name, mass, x in (("bar", 50.0, 0.0), ("link", 0.2, 5.0)):
        scene.add_body(name, Box(0.05, 0.05, 0.4), mass=mass, position=(x, 0.0, -0.2))
        scene.connect("world", name, Spherical(), at=(x, 0.0, 0.0))
        scene.add_body(f"{name}-load", Box(0.1, 0.1, 0.1), mass=50.0, position=(x, 0.0, -0.5), velocity=(0.1, 0.0, 0.0))
        scene.connect(name, f"{name}-load", Spherical(), at=(x, 0.0, -0.4))
    runs = [taut.Simulation(scene.copy(), integrator=integrator) for integrator in (low, "bdf2")]
    for simulation in runs:
        simulation.state.calm[:] = calm
        for _ in range(20):
            simulation.step()
    state, plain = (simulation.state for simulation in runs)
    bar, link = 1, 3
    assert state.history[link : link + 2].min() == 1, "its load goes with it"
    assert (state.history[bar] > 1) == (calm == 1000)
    assert (state.calm[link], plain.calm[link]) == (min(calm + 20, CALM.rough_frames + 1), calm + 20)


def test_a_run_climbs_the_ladder_where_joints_hold_bodies() -> None:
    simulation, seen = swinging(), []
    for _ in range(8):
        simulation.step()
        seen.append(simulation.state.history[1:].tolist())
    assert [levels[0] for levels in seen] == [1, 2, 3, 4, 5, 6, 7, 7]
    assert all(levels[-1] == 1 for levels in seen), "one that flies needs no more than its momentum"


def test_bodies_that_contacts_are_near_do_not_look_back_far() -> None:
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("bar", Box(1.0, 0.1, 0.1), mass=1.0, position=(0.0, 0.0, 0.05))
    scene.connect("world", "bar", Revolute(axis=(0, 1, 0)), at=(-0.5, 0.0, 0.05))
    simulation = taut.Simulation(scene, integrator="low-damping")
    for _ in range(10):
        simulation.step()
        assert simulation.stepper.scratch.weights.level[1] <= 1
    assert simulation.state.contacts.contacts.count > 0


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
def test_stages_one_by_one_and_a_restart_go_on_to_the_same_bits(coordinates: str, tmp_path: Path) -> None:
    compiled, restarted = swinging(coordinates=coordinates), swinging(coordinates=coordinates)
    staged = swinging(coordinates=coordinates, problems=lambda number, problem: None)
    for frame in range(30):
        compiled.step()
        staged.step()
        if frame == 9:
            compiled.state.save(tmp_path / "state.npz")
            restarted.restore(taut.State.load(tmp_path / "state.npz"))
        elif frame > 9:
            restarted.step()
    assert (compiled.state.history[1:4] == OLDER + 1).all()
    for name, values in vars(compiled.state).items():
        if isinstance(values, np.ndarray):
            np.testing.assert_array_equal(values, getattr(staged.state, name), name)
            np.testing.assert_array_equal(values, getattr(restarted.state, name), name)
