"""The formulations of the InSimo slides agree with each other to rounding, and the engine's step with them."""

from __future__ import annotations

import numpy as np
import pytest
from staged_steps import Staged

import taut
from taut.integrators import EULER
from taut.joints import Distance, Revolute, Spherical
from taut.model.compile import compile_scene
from taut.rows.law import SOFT
from taut.stepping.formulations import FORMULATIONS, DenseStep, free_motion, new_velocity, velocity_increment
from taut.stepping.implicit import ImplicitSolver
from taut.stepping.mechanism import mechanism_of
from taut.stepping.settings import Settings
from taut.stepping.stepper import Stepper

SEEDS = pytest.mark.parametrize("seed", range(6))
H = 0.02


def random_step(seed: int, size: int = 9, rows: int = 4) -> DenseStep:
    """A step with springs, geometric stiffness and soft rows, linearised somewhere else than at the start."""
    rng = np.random.default_rng(seed)
    root, springs = rng.normal(size=(size, size)), rng.normal(size=(size, size))
    return DenseStep(
        mass=root @ root.T + np.eye(size), stiffness=-100.0 * springs @ springs.T,
        jacobian=rng.normal(size=(rows, size)), compliance=np.diag(rng.uniform(0.0, 1e-3, rows)),
        force=rng.normal(size=size), velocity=rng.normal(size=size), guess=rng.normal(size=size),
        gap=0.01 * rng.normal(size=rows), step=H,
    )  # fmt: skip


@SEEDS
def test_the_formulations_agree(seed: int) -> None:
    step = random_step(seed)
    expected = velocity_increment(step)
    for formulation in (new_velocity, free_motion):
        velocity, impulse = formulation(step)
        assert velocity == pytest.approx(expected[0], abs=1e-11)
        assert impulse == pytest.approx(expected[1], abs=1e-9)


@SEEDS
def test_they_are_implicit_euler_of_a_linear_system(seed: int) -> None:
    """M (v+ - v) = h f(x+) + J^T mu with f linear, and h mu = -C^-1 phi(x+) with phi linear; wherever linearised."""
    step = random_step(seed)
    velocity, impulse = new_velocity(step)
    way = H * (velocity - step.guess)  # from x_k to x+
    force = step.force + step.stiffness @ way
    assert step.mass @ (velocity - step.velocity) == pytest.approx(H * force + step.jacobian.T @ impulse, abs=1e-10)
    gap = step.gap + step.jacobian @ way
    assert step.compliance @ impulse / H == pytest.approx(-gap, abs=1e-12)


def net(rng: np.random.Generator) -> taut.Scene:
    """Balls with arms on rods, springs and ball joints, all in motion."""
    scene = taut.Scene(collisions=False)
    for index in range(4):
        scene.add_body(
            f"b{index}", mass=0.5 + index, inertia=(0.1, 0.2, 0.25), position=(index, 0.2 * rng.normal(), 0.0),
            velocity=0.3 * rng.normal(size=3), angular_velocity=0.3 * rng.normal(size=3),
        )  # fmt: skip
    scene.connect("world", "b0", Spherical(), at=(-0.5, 0.0, 0.0))
    scene.connect("b0", "b1", Distance())
    scene.add_spring("b1", "b2", point_a=(0, 0.1, 0), point_b=(0, -0.1, 0.1), stiffness=500.0, rest_length=0.8)
    scene.connect("b2", "b3", Revolute(axis=(0, 1, 1)), at=(2.5, 0, 0))
    return scene


def exact_step(scene: taut.Scene, seed: int) -> tuple[Staged, ImplicitSolver, np.ndarray]:
    """The engine's next step by Euler with random row forces, its response, and the new velocity (n, 6)."""
    model, state = compile_scene(scene)
    settings = Settings(step=H, scheme=EULER, solver=taut.solvers.get("bpp"), geometric_stiffness="exact")
    staged = Staged(Stepper(mechanism_of(model), settings), state, H)
    staged.predict()
    staged.linearise(20.0 * np.random.default_rng(seed).normal(size=staged.rows.force.size))
    staged.respond()
    solver = ImplicitSolver(staged.stepper, staged.stepper.own, staged.contacts)
    solution = solver.solve(solver.problem)
    assert solution.solved and solution.residual < 1e-12
    solver.take_impulses(solution)
    return staged, solver, staged.scratch.candidate.velocity


@SEEDS
@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda formulation: formulation.__name__)
def test_the_step_of_the_engine_is_one_of_these(seed: int, formulation) -> None:
    """Rows as rows of the dense system, springs by their compliance, K~ as the engine has it."""
    staged, solver, velocity = exact_step(net(np.random.default_rng(seed)), seed)
    stepper, response = staged.stepper, solver.response
    assert not response.clipped.any() and not solver.left_out and response.mass.components
    laws, rows = stepper.model.laws, staged.rows
    real = np.flatnonzero(laws.companion == 0)
    count = stepper.mechanism.count
    stiffness = np.stack([response.foreseen(each.reshape(count, 6)).ravel() for each in np.eye(6 * count)], axis=1)
    mass = np.zeros((count, 6, count, 6))
    mass[np.arange(count), :, np.arange(count)] = response.masses.matter
    # the momentum before, with the inertia where it was linearised: what the engine's spin has beyond that is a force
    old, matter, moves = staged.state.velocity, response.masses.matter, stepper.model.bodies.moves > 0
    guess, auto = staged.scratch.candidate.guess, response.masses.auto
    push = np.einsum("bij,bj->bi", auto, staged.scratch.candidate.free_velocity - guess)
    force = (push - np.einsum("bij,bj->bi", matter, old - guess)) / H
    soft = laws.kind[real] == SOFT
    free = (6 * np.flatnonzero(moves)[:, None] + np.arange(6)).ravel()
    step = DenseStep(
        mass=mass.reshape(6 * count, -1)[np.ix_(free, free)], stiffness=-stiffness[np.ix_(free, free)] / H**2,
        jacobian=staged.jacobian()[real][:, free],
        compliance=np.diag(np.where(soft, 1.0 / np.where(soft, laws.stiffness[real], 1.0), 0.0)),
        force=force.ravel()[free], velocity=old.ravel()[free], guess=guess.ravel()[free], gap=rows.gap[real], step=H,
    )  # fmt: skip
    expected, impulse = formulation(step)
    assert velocity.ravel()[free] == pytest.approx(expected, abs=1e-9 * max(1.0, np.abs(expected).max()))


@SEEDS
def test_between_points_the_stiffness_of_the_engine_is_the_derivative_of_its_forces(seed: int) -> None:
    """Balls on rods at their centres: K~ has no arms, is symmetric, and is all in M~."""
    from taut.rows.stiffness import stiffness_blocks

    scene = taut.Scene(collisions=False)
    for index in range(3):
        scene.add_body(f"b{index}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(index + 1.0, 0.1 * index, 0.0))
    scene.connect("world", "b0", Distance())
    scene.connect("b0", "b1", Distance())
    scene.connect("b1", "b2", Distance())
    staged, solver, _ = exact_step(scene, seed)
    response, count = solver.response, staged.stepper.mechanism.count
    assert not response.clipped.any()
    blocks = stiffness_blocks(staged.stepper.model.parts, staged.scratch.places, staged.rows)
    moving = np.arange(6, 6 * count)
    found = np.stack([response.foreseen(each.reshape(count, 6)).ravel() for each in np.eye(6 * count)], axis=1)
    expected = -(H**2) * blocks.dense(count)[np.ix_(moving, moving)]
    assert np.abs(expected).max() > 1e-4
    assert found[np.ix_(moving, moving)] == pytest.approx(expected, abs=1e-14)


def test_another_place_to_linearise_leads_to_the_same_step() -> None:
    """Of a linear system: gaps and forces at x_k follow from those at x."""
    step = random_step(1)
    other = np.random.default_rng(9).normal(size=step.guess.size)
    way = H * (other - step.guess)
    moved = step._replace(guess=other, force=step.force + step.stiffness @ way, gap=step.gap + step.jacobian @ way)
    assert new_velocity(moved)[0] == pytest.approx(new_velocity(step)[0], abs=1e-11)
