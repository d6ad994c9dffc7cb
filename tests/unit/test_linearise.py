"""The stages before the solve: prediction, rows where it leads, and the response of bodies, by their words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dense_twins import Weights, random_quaternion
from staged_steps import STEP, Staged, staged, stepper_of

import taut
from taut.integrators import BDF2, EULER
from taut.integrators.scheme import Scheme
from taut.joints import Distance, Prismatic, Revolute
from taut.model.compile import compile_scene
from taut.model.model import Model
from taut.rows.part import Pose
from taut.shapes import Box
from taut.stepping.stepper import Stepper

SCHEMES = pytest.mark.parametrize("scheme", [EULER, BDF2], ids=lambda scheme: scheme.name)


def mechanism(rng: np.random.Generator, scheme: Scheme = EULER) -> tuple[Model, Staged]:
    """Two mechanisms and a free body, some of which look back; nothing is aligned."""
    scene = taut.Scene(gravity=(0.1, 0.2, -9.81), collisions=False)
    for index in range(5):
        scene.add_body(
            f"b{index}", mass=1.0 + index, inertia=(0.3, 0.4, 0.5), com=0.1 * rng.normal(size=3),
            position=rng.normal(size=3), orientation=random_quaternion(rng), velocity=rng.normal(size=3),
            angular_velocity=rng.normal(size=3),
        )  # fmt: skip
    scene.connect("world", "b0", Revolute(axis=(1, 2, 0), limits=(-0.5, 0.5)), at=(0, 0, 0))
    scene.connect("b0", "b1", Prismatic(axis=(0, 1, 1), stiffness=50.0, damping=3.0), at=(0, 1, 0))
    scene.connect("b2", "b3", Distance())
    model, state = compile_scene(scene)
    state.previous_velocity[1:] = rng.normal(size=(5, 6))
    state.previous_spin[1:] = rng.normal(size=(5, 3))
    state.displacement[1:] = 0.1 * rng.normal(size=(5, 6))
    state.history[:] = 1, 1, 1, 0, 0, 1
    return model, Staged(stepper_of(model, scheme=scheme), state, scheme=scheme)


@SCHEMES
def test_prediction_goes_where_the_extrapolated_velocity_leads(rng: np.random.Generator, scheme: Scheme) -> None:
    _, step = mechanism(rng, scheme)
    step.predict()
    state, guess, places = step.state, step.scratch.candidate.guess, step.scratch.places
    weights = Weights.of(scheme, STEP, state.history)
    plain = weights.guess_now[:, None] * state.velocity + weights.guess_before[:, None] * state.previous_velocity
    assert guess[:, :3] == pytest.approx(plain[:, :3])
    path = weights.path(state.displacement, guess)
    assert places.position == pytest.approx(state.position + path[:, :3])
    for body in range(5):  # the last one is free and turns far: it is predicted as in flight, see `test_flight`
        turned = taut.spatial.multiply(taut.spatial.exponential(path[body, 3:]), state.orientation[body])
        assert places.orientation[body] == pytest.approx(turned)
        assert places.rotation[body].reshape(3, 3) == pytest.approx(taut.spatial.matrix(turned))


@SCHEMES
def test_rows_are_linearised_where_bodies_are(rng: np.random.Generator, scheme: Scheme) -> None:
    """Values and blocks are those of the dense parts there, and each row has the weight of its bodies' scheme."""
    model, step = mechanism(rng, scheme)
    step.predict()
    step.linearise()
    scratch, rows, layout = step.scratch, step.rows, model.layout
    for here, there in zip(scratch.base, scratch.places, strict=True):
        np.testing.assert_array_equal(here, there)
    places = zip(scratch.places.position, scratch.places.rotation, strict=True)
    poses = [Pose(x, turn.reshape(3, 3)) for x, turn in places]
    for spec, first in zip(layout.specs, layout.first_row, strict=True):
        value, jacobian = spec.part.evaluate([poses[body] for body in spec.part.bodies])
        for k in range(spec.part.rows):
            blocks = rows.jacobian[layout.entry_start[first + k] : layout.entry_start[first + k + 1]]
            assert rows.value[first + k] == pytest.approx(value[k], abs=1e-12)
            assert blocks == pytest.approx(rows.sign[first + k] * jacobian[k], abs=1e-12)
    weights = Weights.of(scheme, STEP, step.state.history)
    assert rows.beta.tolist() == weights.beta[step.stepper.mechanism.links.row_body].tolist()
    assert len(set(rows.beta.tolist())) == (2 if scheme is BDF2 else 1)
    assert rows.step[0] == STEP
    assert rows.coordinate_path == pytest.approx(STEP * scratch.candidate.guess)
    np.testing.assert_array_equal(rows.coordinate_reference, step.state.coordinate)


def test_laws_ask_for_gaps_at_the_end_of_the_step(rng: np.random.Generator) -> None:
    """J v + b is what hard rows still lack, over beta, at any velocity; less what is left for the rest of the frame."""
    model, step = mechanism(rng)
    step.predict()
    step.scratch.left[:] = 0.001 * rng.normal(size=model.layout.row_count)
    step.linearise()
    velocity, rows = rng.normal(size=(6, 6)), step.rows
    after = rows.gap + rows.beta * (step.jacobian() @ (velocity - step.scratch.candidate.guess).ravel())
    closing = rows.beta * (step.jacobian() @ velocity.ravel() + rows.bias)
    hard = step.stepper.mechanism.laws.closes > 0
    assert hard.sum() > 8
    assert closing[hard] == pytest.approx((after - step.scratch.left)[hard], abs=1e-12)


def test_without_geometric_stiffness_forces_are_none(rng: np.random.Generator) -> None:
    _, step = mechanism(rng)
    force = rng.normal(size=step.rows.force.size)
    step.linearise(force)
    assert step.rows.stiffness.any() and np.array_equal(step.rows.force, force)
    settings = replace(step.stepper.settings, geometric_stiffness="off")
    plain = Staged(Stepper(step.stepper.mechanism, settings), step.state)
    plain.linearise(force)
    assert not plain.rows.stiffness.any() and not plain.rows.force.any()


def test_contacts_have_the_scheme_of_what_moves_and_bounds_of_their_normals() -> None:
    scene = taut.Scene(friction=0.5)
    scene.add_plane()
    for index in range(2):
        scene.add_body(f"b{index}", Box(1, 1, 1), mass=2.0, position=(3.0 * index, 0.0, 0.5))
    simulation = taut.Simulation(scene)
    for _ in range(3):
        simulation.step()
    simulation.state.history[:] = 1, 1, 0
    step = staged(simulation)
    step.collide()
    step.linearise()
    table, rows, weights = step.contacts.table, step.rows, step.scratch.weights
    assert table.carrier.tolist() == [1] * 4 + [2] * 4
    expected = np.repeat(weights.beta[table.carrier], table.width)
    assert rows.beta.tolist() == expected.tolist() and len(set(expected)) == 2
    assert (table.normal_impulse > 0.0).all()
    for tangent in (1, 2):
        assert rows.upper[table.row + tangent] == pytest.approx(0.5 * table.normal_impulse)
        assert rows.lower[table.row + tangent] == pytest.approx(-0.5 * table.normal_impulse)
    np.testing.assert_array_equal(table.value, rows.value[table.row])


def test_what_is_applied_away_from_a_centre_turns_with_its_arm(rng: np.random.Generator) -> None:
    """The wrench about the centre of mass, and the block of its arm, which is implicit as far as it stabilises."""
    _, step = mechanism(rng)
    step.state.applied[5], step.state.applied_point[5] = 10.0 * rng.normal(size=6), rng.normal(size=3)
    step = Staged(step.stepper, step.state)
    step.linearise()
    step.respond()
    applied, arm = step.state.applied[5], step.scratch.places.rotation[5].reshape(3, 3) @ step.state.applied_point[5]
    wrench = step.scratch.candidate.wrench
    assert wrench[5, :3] == pytest.approx(applied[:3])
    assert wrench[5, 3:] == pytest.approx(applied[3:] + np.cross(arm, applied[:3]))
    assert not wrench[:5].any()
    # the force pulls outwards or pushes inwards: along its own arm a turn changes nothing
    stiffness = step.scratch.candidate.stiffness[5].reshape(3, 3)
    assert np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T)).min() >= -1e-9
