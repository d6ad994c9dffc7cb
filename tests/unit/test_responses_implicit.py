"""The response with blocks between bodies: against dense NumPy, with springs, supports, and what is clipped."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import stiff_part
from implicit_steps import linearised

import taut
from taut.joints import Distance, Revolute, Spherical
from taut.responses.implicit import SAFE, with_soft_axis
from taut.rows.law import SOFT
from taut.stepping.implicit import ImplicitSolver


def hinged(springs: bool = True) -> taut.Scene:
    """Bars on hinges and a ball joint, with springs across."""
    scene = taut.Scene(collisions=False)
    for index in range(4):
        scene.add_body(f"b{index}", taut.shapes.Box(1.0, 0.1, 0.1), mass=1.0, position=(index, 0.0, 0.0))
    scene.connect("world", "b0", Revolute(axis=(0, 1, 0)), at=(-0.5, 0, 0))
    scene.connect("b0", "b1", Revolute(axis=(0, 1, 0.2)), at=(0.5, 0, 0))
    scene.connect("b1", "b2", Spherical(), at=(1.5, 0, 0))
    scene.connect("b2", "b3", Distance())
    if springs:
        scene.add_spring("b0", "b3", stiffness=300.0, damping=2.0, rest_length=1.0)
        scene.add_spring("world", "b2", point_b=(0, 0, 0.1), stiffness=800.0, rest_length=0.5)
    return scene


def dense_jacobian(solver: ImplicitSolver, rows: np.ndarray) -> np.ndarray:
    kkt = solver.memory.kkt
    result = np.zeros((kkt.bias.size, kkt.inverse_mass.size, 6))
    np.add.at(result, (kkt.entry_row, kkt.entry_body), kkt.jacobian)
    result[:, kkt.inverse_mass == 0.0] = 0.0
    return result.reshape(kkt.bias.size, -1)[rows]


@pytest.mark.parametrize("springs", [True, False])
def test_the_matrix_of_rows_is_that_of_dense_algebra(springs: bool) -> None:
    """A = J_K M~^-1 J_K^T + S_K with springs, stiffness and supports in M~."""
    solver = linearised(hinged(springs))
    response, kkt = solver.response, solver.memory.kkt
    moving = (6 * np.flatnonzero(response.mass.moves)[:, None] + np.arange(6)).ravel()
    mass = np.zeros_like(response.mass.dense())
    for body, block in enumerate(response.stiff):
        mass[6 * body : 6 * body + 6, 6 * body : 6 * body + 6] = block
    for a, b, block in zip(response.mass.first, response.mass.second, response.stiff_off, strict=True):
        mass[6 * a : 6 * a + 6, 6 * b : 6 * b + 6] += block
        mass[6 * b : 6 * b + 6, 6 * a : 6 * a + 6] += block.T
    soft = response.absorbed.rows
    assert (solver.stepper.model.laws.kind[soft] == SOFT).sum() == (2 if springs else 0)
    own = dense_jacobian(solver, soft)
    mass += own.T @ (own / kkt.compliance[soft, None])
    held = dense_jacobian(solver, np.arange(kkt.bias.size))
    mass += held.T @ (response.support[:, None] * held)
    assert response.mass.dense() == pytest.approx(mass, abs=1e-12 * np.abs(mass).max())
    jacobian = dense_jacobian(solver, response.kept)[:, moving]
    expected = jacobian @ np.linalg.solve(mass[np.ix_(moving, moving)], jacobian.T)
    expected += np.diag(kkt.compliance[response.kept])
    found = solver.problem.kept_problem().sparse.toarray()
    assert found == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


def test_supports_change_no_velocity() -> None:
    """What joints hold may destabilise: with hard rows in M~ the answer is that of the KKT system without them."""
    solver = linearised(hinged(), force=20.0)
    response, kkt = solver.response, solver.memory.kkt
    assert response.support.any() and not response.clipped.any(), "this case is about supports"
    solution = solver.solve(solver.problem)
    assert solution.solved and solution.residual < 1e-12 and not solver.left_out
    moving = (6 * np.flatnonzero(response.mass.moves)[:, None] + np.arange(6)).ravel()
    count = response.mass.moves.size
    stiff = np.stack([response.foreseen(each.reshape(count, 6)).ravel() for each in np.eye(6 * count)], axis=1)
    for body, block in enumerate(response.masses.base):
        stiff[6 * body : 6 * body + 6, 6 * body : 6 * body + 6] += block
    rows = np.flatnonzero(solver.stepper.model.laws.companion == 0)
    jacobian = dense_jacobian(solver, rows)[:, moving]
    system = np.block([[stiff[np.ix_(moving, moving)], -jacobian.T], [jacobian, np.diag(kkt.compliance[rows])]])
    guess = solver.stepper.scratch.candidate.guess
    rates = jacobian @ guess.ravel()[moving] + solver.memory.rows.bias[rows]
    expected = np.linalg.solve(system, np.concatenate([solver.push.ravel()[moving], -rates]))
    assert np.linalg.eigvalsh(stiff[np.ix_(moving, moving)]).min() < 0.0, "M~ alone is indefinite"
    solver.take_impulses(solution)
    change = (solver.stepper.scratch.candidate.velocity - guess).ravel()[moving]
    assert change == pytest.approx(expected[: moving.size], abs=1e-9)
    assert solution.lam[rows] == pytest.approx(expected[moving.size :], rel=1e-7, abs=1e-7)


def strut(thrust: float) -> taut.Scene:
    """A light bar between a pin and a heavy slider that a force pushes against it: it would buckle."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    for index in range(2):
        scene.add_body(f"bar{index}", taut.shapes.Box(1.0, 0.05, 0.05), mass=0.01, position=(0.5 + index, 0, 1e-3))
    scene.add_body("slider", mass=100.0, inertia=(10, 10, 10), position=(2.0, 0, 0))
    scene.connect("world", "bar0", Spherical(), at=(0, 0, 0))
    scene.connect("bar0", "bar1", Spherical(), at=(1, 0, 1e-3))
    scene.connect("bar1", "slider", Spherical(), at=(2, 0, 0))
    scene.connect("world", "slider", taut.joints.Prismatic(axis=(1, 0, 0)), at=(2, 0, 0))
    scene.add_load("slider", force=(-thrust, 0, 0))
    return scene


def test_what_is_not_safe_is_clipped_and_said_so() -> None:
    """A pushed strut of next to no mass: the report counts its bodies, and it goes where "auto" goes."""
    runs = [taut.Simulation(strut(200.0), geometric_stiffness=mode, tolerance=1e-9) for mode in ("auto", "exact")]
    for frame in range(3):
        plain, exact = (simulation.step() for simulation in runs)
        assert exact.residual < 1e-9 and plain.clipped == 0
        assert exact.clipped >= 1 or frame > 0, "later it has given way"
        assert plain.status == exact.status == "solved"
        assert runs[1].state.position == pytest.approx(runs[0].state.position, abs=1e-6)


def test_a_weak_push_is_taken_whole() -> None:
    simulation = taut.Simulation(strut(1e-4), geometric_stiffness="exact")
    assert all(simulation.step().clipped == 0 for _ in range(3))
    assert 0.0 < SAFE < 1.0


def test_blocks_that_are_symmetric_stay_as_they_are(rng: np.random.Generator) -> None:
    blocks = rng.normal(size=(5, 6, 6))
    blocks += blocks.transpose(0, 2, 1)
    assert np.array_equal(with_soft_axis(blocks), blocks)


def test_the_soft_axis_of_a_taut_link_stays_soft(rng: np.random.Generator) -> None:
    """N = (f . d) 1 - d f^T: turning about d changes no torque; where nothing is negative it is what "auto" takes."""
    for _ in range(20):
        d, bend = rng.normal(size=(2, 3))
        f = 5.0 * (d + 0.3 * np.linalg.norm(d) * bend / np.linalg.norm(bend))
        block = np.zeros((1, 6, 6))
        block[0, 3:, 3:] = f @ d * np.eye(3) - np.outer(d, f)
        found = with_soft_axis(block)[0, 3:, 3:]
        assert found == pytest.approx(found.T) and found @ d == pytest.approx(np.zeros(3), abs=1e-9)
        assert found == pytest.approx(stiff_part(block[0, 3:, 3:]), abs=1e-9)


def test_it_is_a_response() -> None:
    """Kinetic energy, spin and M~^-1, as `Response` has them."""
    solver = linearised(hinged())
    response, count = solver.response, solver.stepper.mechanism.count
    assert response.block_count == count
    velocity = np.random.default_rng(2).normal(size=(count, 6))
    bodies = solver.stepper.model.bodies
    assert response.kinetic_energy(velocity)[1:] == pytest.approx(
        0.5 * bodies.mass[1:] * (velocity[1:, :3] ** 2).sum(axis=1)
        + 0.5 * np.einsum("bi,bi->b", velocity[1:, 3:], response.spin(velocity)[1:])
    )
    impulses = np.random.default_rng(3).normal(size=(2, count, 6))
    impulses[:, 0] = 0.0
    for push, answer in zip(impulses, response.apply(impulses), strict=True):
        assert response.mass.multiply(answer) == pytest.approx(push, abs=1e-9)
