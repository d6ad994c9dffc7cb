"""Stages of trees in joint coordinates: bodies are put on their trees, and what that costs is measured."""

from __future__ import annotations

import numpy as np
import pytest
from staged_steps import Staged, staged
from tree_examples import chain, distance, on_tree, random_tree, turn_between

import taut
from taut import scenes, spatial
from taut.rows.table import Places


def simulation_of(scene: taut.Scene, **options: object) -> taut.Simulation:
    return taut.Simulation(scene, coordinates="reduced", solver="bpp", **options)


def copy_of(places: Places) -> Places:
    return Places(*(values.copy() for values in places))


def on_the_tree(step: Staged) -> bool:
    """Whether no joint of a tree is open where bodies are."""
    trees, places = step.stepper.mechanism.trees, step.scratch.places
    return distance(on_tree(trees, places), places) <= 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_predictions_are_on_the_tree(seed: int) -> None:
    simulation = simulation_of(random_tree(np.random.default_rng(seed), 8, seed % 2 == 1))
    for _ in range(3):
        simulation.step()
    step = staged(simulation)
    step.predict()
    assert on_the_tree(step)
    # and the guess is the velocity that leads there
    scratch, state = step.scratch, simulation.state
    beta, drift = scratch.weights.beta[1:, None], scratch.weights.drift[1:, None]
    path = drift * state.displacement[1:] + beta * scratch.candidate.guess[1:]
    assert scratch.places.position[1:] - state.position[1:] == pytest.approx(path[:, :3], abs=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_steps_end_on_the_tree(seed: int) -> None:
    simulation = simulation_of(random_tree(np.random.default_rng(seed), 8, seed % 2 == 1))
    for _ in range(30):
        simulation.step()
        assert simulation.report.violation <= 1e-12
        assert max(simulation.joint(link.spec.name).violation for link in simulation.model.links) <= 1e-12


def test_closed_joints_ask_for_nothing() -> None:
    """Their bias is what the prediction does already: J v_k + b = 0, so no rate of joints opens them."""
    simulation = simulation_of(random_tree(np.random.default_rng(1), 8))
    simulation.step()
    step = staged(simulation)
    step.predict()
    step.linearise()
    problem, trees = step.respond(), simulation.stepper.mechanism.trees
    candidate = step.scratch.candidate
    rate = step.jacobian() @ (candidate.guess - candidate.free_velocity).ravel() + problem.bias
    rows = np.concatenate([np.arange(a, a + n) for a, n in zip(trees.first_row, trees.row_count, strict=True)])
    assert np.abs(rate[rows]).max() <= 1e-13 * np.abs(problem.bias).max()


def bent_by(size: float) -> tuple[np.ndarray, Staged]:
    """What `find_bends` says of a chain that is led along straight lines, all joints turning by `size` rad."""
    from taut.stepping.tree_kernels import find_bends

    simulation = simulation_of(chain(3))
    step = staged(simulation)
    step.predict()
    step.linearise()
    trees, scratch = simulation.stepper.mechanism.trees, step.scratch
    base, places = scratch.base, scratch.places
    for node, body in enumerate(trees.body):  # turning by size about each hinge
        turn = -size * (node + 1)
        arm = base.position[body] - np.array([0.5 * node, 0, 0])
        speed = sum(np.cross((0, -size, 0), base.position[body] - np.array([0.5 * k, 0, 0])) for k in range(node + 1))
        rotation = spatial.exponential((0, turn, 0))
        scratch.led[node, :3] = base.position[body] + speed
        scratch.led[node, 3:] = spatial.multiply(rotation, base.orientation[body])
        start = places.position[trees.body[node - 1]] if node else np.zeros(3)
        hinge = start if node == 0 else start + spatial.rotate(places.orientation[trees.body[node - 1]], (0.25, 0, 0))
        places.orientation[body] = spatial.multiply(rotation, base.orientation[body])
        places.position[body] = hinge + spatial.rotate(rotation, arm)
    find_bends(simulation.stepper.m, simulation.stepper.w)
    return scratch.candidate.bent.copy(), step


def test_bends_are_what_a_straight_way_misses() -> None:
    """Second order in how far joints turn, and most at the end of the chain."""
    small, step = bent_by(1e-3)
    large, _ = bent_by(2e-3)
    assert small[0] == 0.0 and (np.diff(small) > 0).all()
    assert large[1:] / small[1:] == pytest.approx([4.0] * 3, rel=1e-2)
    # the first bar of 0.5 m by its angle: its centre leaves the tangent by r angle^2 / 2
    assert small[1] == pytest.approx(0.5 * 0.25 * 1e-6, rel=1e-3)
    assert step.scratch.candidate.bent.shape == (4,)


def test_bends_are_judged() -> None:
    """A chain that is whirled about is linearised again or divided, though no joint is ever open."""
    scene = chain(3, gravity=(0, 0, 0))
    fast = taut.Simulation(scene, coordinates="reduced")
    state = fast.state.copy()
    for body, rate in ((1, 60.0), (2, -90.0), (3, 120.0)):
        state.velocity[body, 4] = rate
    fast.restore(state)
    report = fast.step()
    assert report.solves > 3 and report.violation <= 1e-12
    slow = taut.Simulation(scene, coordinates="reduced")
    slow.step()  # divided, as every first frame is
    assert slow.step().solves == 1


def test_states_off_the_tree_are_led_back() -> None:
    simulation = simulation_of(chain(4))
    state = simulation.state.copy()
    state.position[1:] += 1e-6 * np.random.default_rng(0).normal(size=(4, 3))
    simulation.restore(state)
    assert simulation.joint("j1").violation > 1e-7
    report = simulation.step()
    assert report.status == "solved" and report.violation <= 1e-12


def test_angles_are_measured_as_rotations() -> None:
    """A hinge that turns by a large angle in one step: the path is that of its body, not of a chord."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1), angular_velocity=(0, 0, 30.0))
    scene.connect("world", "b", taut.joints.Revolute(axis=(0, 0, 1)), name="hinge")
    simulation = simulation_of(scene)
    for _ in range(10):
        simulation.step()
    assert simulation.joint("hinge").position == pytest.approx(30.0 * 10 / 60, abs=1e-9)
    assert simulation.body("b").angular_velocity == pytest.approx((0, 0, 30.0), abs=1e-9)
    turned = turn_between(np.eye(4)[0], simulation.state.orientation[1])
    assert np.remainder(turned[2] - 5.0, 2 * np.pi) == pytest.approx(0.0, abs=1e-9) or turned[2] == pytest.approx(
        5.0 - 2 * np.pi, abs=1e-9
    )


def test_compiled_frames_and_stages_go_to_the_same_bits() -> None:
    states = []
    for compiled in (True, False):
        simulation = taut.Simulation(scenes.build("spatial_tree"), coordinates="reduced")
        assert simulation.stepper.smooth is not None
        if not compiled:
            simulation.stepper.__dict__["smooth"] = None
        for _ in range(10):
            assert simulation.step().status == "solved"
        states.append(simulation.state)
    assert np.abs(states[0].position - states[1].position).max() <= 1e-12
    assert np.abs(states[0].velocity - states[1].velocity).max() <= 1e-11


def test_trees_that_float_stay_where_their_centre_of_mass_was_led() -> None:
    """The root has no say in where the others are: nothing moves a centre of mass but momentum."""
    simulation = simulation_of(random_tree(np.random.default_rng(6), 8, floats=True, velocity=(1.0, 2.0, -0.5)))
    mass = simulation.model.bodies.mass[1:]
    simulation.step()
    step = staged(simulation)
    step.predict()
    led = step.scratch.led[:, :3][simulation.stepper.mechanism.trees.node[1:]]
    found = step.scratch.places.position[1:]
    assert np.abs(found - led).max() > 1e-5, "joints were closed"
    assert mass @ found / mass.sum() == pytest.approx(mass @ led / mass.sum(), abs=1e-14)
    assert on_the_tree(step)
