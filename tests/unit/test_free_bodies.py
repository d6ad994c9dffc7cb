"""The response of free bodies and the MLCP of their rows, against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import Weights, random_quaternion, random_spd, stiff_part, world_inertia
from staged_steps import Staged, stepper_of

import taut
from taut.integrators import BDF2, EULER
from taut.integrators.scheme import Scheme
from taut.model.compile import compile_scene
from taut.problem.kkt import HARD_REGULARISATION
from taut.responses.free_bodies import FreeBodies

H = 0.02
SCHEMES = pytest.mark.parametrize("scheme", [EULER, BDF2], ids=lambda scheme: scheme.name)


def busy_scene(rng: np.random.Generator) -> taut.Scene:
    """Moving, fixed and damped bodies with joints, couplings, springs, loads and a loop."""
    scene = taut.Scene(gravity=(0.3, -0.4, -9.81))
    for index in range(5):
        scene.add_body(
            f"b{index}", mass=float(rng.uniform(0.1, 100.0)), inertia=2.0 * np.eye(3) + random_spd(rng, 2.0),
            com=0.1 * rng.normal(size=3), position=rng.normal(size=3), orientation=random_quaternion(rng),
            velocity=rng.normal(size=3), angular_velocity=rng.normal(size=3), fixed=index == 3,
            linear_damping=0.5 * index, angular_damping=0.3 * index,
        )  # fmt: skip
    scene.connect("world", "b0", taut.joints.Spherical(), at=(0, 0, 1))
    scene.connect("b0", "b1", taut.joints.Revolute(axis=(1, 1, 0), limits=(-1, 1), friction=0.5))
    scene.connect("b1", "b2", taut.joints.Prismatic(stiffness=50.0, damping=2.0))
    scene.connect("b3", "b2", taut.joints.Universal())
    scene.connect("b0", "b4", taut.joints.Distance())
    scene.connect("b4", "world", taut.joints.Rope(point_b=(1, 2, 3)))
    scene.connect("b0", "b2", taut.joints.Differential(other="b4", carrier="b1"))
    scene.add_spring("b1", "b4", stiffness=300.0, damping=1.0, rest_length=0.4)
    scene.add_load("b2", force=(1, 2, 3), point=(0.1, 0, 0))
    scene.add_load("b2", force=(3, 2, 1), point=(0, 0.2, 0), torque=(1, 0, 0), follows=True)
    return scene


class Prepared:
    """A model linearised at its initial configuration with random row forces, and the dense twin of everything."""

    def __init__(self, rng: np.random.Generator, scheme: Scheme) -> None:
        self.model, self.state = compile_scene(busy_scene(rng))
        state, bodies = self.state, self.model.bodies
        count = bodies.count
        state.previous_velocity = rng.normal(size=(count, 6))
        state.previous_spin = rng.normal(size=(count, 3))
        state.applied = rng.normal(size=(count, 6))
        state.history = np.array([1, 0, 1, 1, 0, 1], np.uint8)
        self.weights = Weights.of(scheme, H, state.history)
        self.case = Staged(stepper_of(self.model, H, scheme), state, H, scheme)
        self.rows, self.kkt, self.candidate = self.case.rows, self.case.kkt, self.case.scratch.candidate
        self.rotation = np.array([taut.spatial.matrix(q).ravel() for q in state.orientation])
        self.guess = rng.normal(size=(count, 6)) * bodies.moves[:, None]
        self.candidate.guess[:] = self.guess
        self.candidate.slim[:] = self.model.slim
        self.case.linearise(100.0 * rng.normal(size=self.rows.force.size))
        self.raw_stiffness = self.rows.stiffness.copy()
        self.problem = self.case.respond()
        self.jacobian = self.case.jacobian()
        self.bodies = FreeBodies(self.kkt, np.where(bodies.moves > 0, bodies.mass, 0.0), self.candidate.inertia)

    def stiffness(self, body: int) -> np.ndarray:
        """Clipped -K~ (3, 3) of a body, loads included."""
        total = self.raw_stiffness[body].reshape(3, 3).copy()
        loads = self.model.loads
        for index in np.flatnonzero((loads.body == body) & (loads.follows == 0)):
            arm = self.rotation[body].reshape(3, 3) @ loads.point[index]
            total += (arm @ loads.force[index]) * np.eye(3) - np.outer(arm, loads.force[index])
        return stiff_part(total)

    def mass_matrix(self) -> np.ndarray:
        """M~ (6n, 6n) of the moving bodies, infinite elsewhere (its inverse is zero)."""
        bodies, inverse = self.model.bodies, np.zeros((6 * self.model.bodies.count,) * 2)
        for body in np.flatnonzero(bodies.moves):
            block, alpha, beta = np.zeros((6, 6)), self.weights.alpha[body], self.weights.beta[body]
            block[:3, :3] = (alpha * bodies.mass[body] + H * bodies.linear_damping[body]) * np.eye(3)
            block[3:, 3:] = alpha * world_inertia(self.rotation[body], bodies.inertia[body])
            block[3:, 3:] += H * bodies.angular_damping[body] * np.eye(3) + H * beta * self.stiffness(body)
            assert np.linalg.eigvalsh(block).min() > 0.0
            inverse[6 * body : 6 * body + 6, 6 * body : 6 * body + 6] = np.linalg.inv(block)
        return inverse

    def right_hand_side(self) -> np.ndarray:
        """p + h f - h beta K~ v_k, (6n,)."""
        state, bodies = self.state, self.model.bodies
        result = np.zeros((bodies.count, 6))
        loads = self.model.loads
        for body in np.flatnonzero(bodies.moves):
            now, before = self.weights.now[body], self.weights.before[body]
            wrench = state.applied[body].copy()
            turn = self.rotation[body].reshape(3, 3)
            for index in np.flatnonzero(loads.body == body):
                axes = turn if loads.follows[index] else np.eye(3)
                force = axes @ loads.force[index]
                wrench += np.concatenate(
                    [force, axes @ loads.torque[index] + np.cross(turn @ loads.point[index], force)]
                )
            history = now * state.velocity[body, :3] + before * state.previous_velocity[body, :3]
            result[body, :3] = bodies.mass[body] * (history + H * self.model.gravity) + H * wrench[:3]
            result[body, 3:] = now * state.spin[body] + before * state.previous_spin[body] + H * wrench[3:]
            result[body, 3:] += H * self.weights.beta[body] * self.stiffness(body) @ self.guess[body, 3:]
        return result.ravel()


@SCHEMES
def test_inverse_mass_and_inertia(rng: np.random.Generator, scheme: Scheme) -> None:
    case = Prepared(rng, scheme)
    inverse = case.mass_matrix()
    for body in range(case.model.bodies.count):
        block = inverse[6 * body : 6 * body + 6, 6 * body : 6 * body + 6]
        assert case.kkt.inverse_mass[body] == pytest.approx(block[0, 0], rel=1e-12)
        assert case.kkt.inverse_inertia[body].reshape(3, 3) == pytest.approx(block[3:, 3:], rel=1e-9, abs=1e-12)


@SCHEMES
def test_clipping_keeps_the_mass_matrix_positive_definite(rng: np.random.Generator, scheme: Scheme) -> None:
    """Row forces of any sign and size; without clipping some blocks would be indefinite."""
    indefinite = 0
    for _ in range(10):
        case = Prepared(rng, scheme)
        for body in np.flatnonzero(case.model.bodies.moves):
            raw = case.raw_stiffness[body].reshape(3, 3)
            indefinite += np.linalg.eigvalsh(raw + raw.T).min() < -1.0
            assert np.linalg.eigvalsh(case.rows.stiffness[body].reshape(3, 3)).min() >= -1e-9
            assert np.linalg.eigvalsh(case.kkt.inverse_inertia[body].reshape(3, 3)).min() > 0.0
    assert indefinite > 5, "the test must meet what is to be clipped"


@SCHEMES
def test_velocity_without_rows(rng: np.random.Generator, scheme: Scheme) -> None:
    case = Prepared(rng, scheme)
    expected = case.mass_matrix() @ case.right_hand_side()
    assert case.candidate.free_velocity.ravel() == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_slim_bodies_balance_their_least_spin_in_body_axes(rng: np.random.Generator) -> None:
    """Along the slim axis a: alpha a . L+ = now s + before s_prev + h (a . (tau + L x omega)), s kept by the body."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("rod", mass=1.0, inertia=(0.02, 1.0, 1.01), orientation=random_quaternion(rng))
    scene.connect("world", "rod", taut.joints.Spherical(), at=(1, 0, 0))
    model, state = compile_scene(scene)
    assert model.slim[1]
    state.velocity[1], state.previous_velocity[1] = rng.normal(size=6), rng.normal(size=6)
    state.spin[1], state.previous_spin[1] = rng.normal(size=3), rng.normal(size=3)
    state.slim_spin[1], state.previous_slim_spin[1] = 0.7, -0.4
    state.applied[1] = rng.normal(size=6)
    state.history[:] = 1
    case = Staged(stepper_of(model, H, BDF2), state, H, BDF2)
    candidate, rotation = case.scratch.candidate, case.scratch.places.rotation
    guess = np.array([np.zeros(6), rng.normal(size=6)])
    candidate.guess[:], candidate.slim[:] = guess, model.slim
    case.linearise()
    case.respond()
    inertia = world_inertia(rotation[1], model.bodies.inertia[1])
    axis = rotation[1].reshape(3, 3) @ model.bodies.slim_axis[1]
    found = BDF2.alpha * inertia @ candidate.free_velocity[1, 3:]
    now, before = BDF2.momentum
    history = now * state.spin[1] + before * state.previous_spin[1] + H * state.applied[1, 3:]
    across = np.eye(3) - np.outer(axis, axis)
    assert across @ found == pytest.approx(across @ history), "the other components are balanced in world axes"
    swing = np.cross(inertia @ guess[1, 3:], guess[1, 3:])
    expected = now * 0.7 - before * 0.4 + H * axis @ (state.applied[1, 3:] + swing)
    assert axis @ found == pytest.approx(expected)


@SCHEMES
def test_delassus_matrix_and_bias(rng: np.random.Generator, scheme: Scheme) -> None:
    case = Prepared(rng, scheme)
    jacobian, rows, problem = case.jacobian, case.rows, case.problem
    expected = jacobian @ case.mass_matrix() @ jacobian.T
    none, hard = rows.compliance == 0.0, case.case.stepper.mechanism.hard
    softness = np.where(none, HARD_REGULARISATION * np.diag(expected), rows.compliance)
    softness[: hard.size][hard & none[: hard.size]] = 0.0
    expected += np.diag(softness)
    assert problem.matrix().sparse.toarray() == pytest.approx(expected, rel=1e-9, abs=1e-11)
    assert problem.diagonal == pytest.approx(np.diag(expected))
    assert problem.blocks.compliance == pytest.approx(softness, rel=1e-9)
    bias = rows.bias + jacobian @ case.candidate.free_velocity.ravel()
    assert problem.bias == pytest.approx(bias, abs=1e-10)
    assert np.array_equal(problem.lower, rows.lower) and np.array_equal(problem.upper, rows.upper)


@SCHEMES
def test_velocity_with_rows(rng: np.random.Generator, scheme: Scheme) -> None:
    case = Prepared(rng, scheme)
    lam = rng.normal(size=case.problem.size)
    expected = case.mass_matrix() @ (case.right_hand_side() + case.jacobian.T @ lam)
    case.case.take_impulses(lam)
    found = case.candidate.velocity
    assert found.ravel() == pytest.approx(expected, rel=1e-8, abs=1e-11)
    assert found == pytest.approx(case.candidate.free_velocity + case.problem.velocity_change(lam))
    fixed = case.model.bodies.moves == 0
    assert fixed.sum() == 2 and not found[fixed].any()


@SCHEMES
def test_the_response_applies_the_inverse_mass_matrix(rng: np.random.Generator, scheme: Scheme) -> None:
    """To one block of impulses and to several at once; energies and spins are those of M, without alpha and D."""
    case = Prepared(rng, scheme)
    bodies, count = case.model.bodies, case.model.bodies.count
    assert case.bodies.block_count == count
    impulses = rng.normal(size=(3, count, 6))
    expected = impulses.reshape(3, -1) @ case.mass_matrix()
    assert case.bodies.apply(impulses).reshape(3, -1) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert case.bodies.apply(impulses[0]).ravel() == pytest.approx(expected[0], rel=1e-9, abs=1e-12)
    velocity = rng.normal(size=(count, 6)) * bodies.moves[:, None]
    spin = np.array(
        [world_inertia(r, i) @ v[3:] for r, i, v in zip(case.rotation, bodies.inertia, velocity, strict=True)]
    )
    assert case.bodies.spin(velocity) == pytest.approx(spin, rel=1e-12, abs=1e-12)
    moving = 0.5 * bodies.mass * bodies.moves * (velocity[:, :3] ** 2).sum(axis=1)
    assert case.bodies.kinetic_energy(velocity) == pytest.approx(moving + 0.5 * (spin * velocity[:, 3:]).sum(axis=1))


def test_the_solved_step_satisfies_its_equations(rng: np.random.Generator) -> None:
    """J v+ + S lam + b = w and complementarity, with v+ from the response: the whole waist in one identity."""
    case = Prepared(rng, BDF2)
    problem = case.problem
    solution = taut.solvers.get("bpp").solve(problem)
    assert solution.status == "solved" and solution.residual < 1e-9
    case.case.take_impulses(solution.lam)
    velocity = case.candidate.velocity.ravel()
    w = case.jacobian @ velocity + case.rows.compliance * solution.lam + case.rows.bias
    scale = np.abs(problem.bias).max()
    assert w == pytest.approx(solution.w, abs=1e-8 * scale)
    tight = solution.index_set != 0
    assert np.abs(w[~tight]).max() < 1e-8 * scale
    assert (w[solution.index_set < 0] > -1e-8 * scale).all() and (w[solution.index_set > 0] < 1e-8 * scale).all()
