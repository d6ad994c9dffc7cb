"""The response of free bodies and the MLCP of their rows, against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import dense_jacobian, random_quaternion, random_spd, stiff_part, world_inertia

import taut
from taut.integrators import BDF2, EULER
from taut.integrators.scheme import Scheme
from taut.integrators.weights import Weights
from taut.model.compile import compile_scene
from taut.problem.kkt import HARD_REGULARISATION
from taut.responses.free_bodies import FreeBodies
from taut.rows.container import RowWork

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
        self.work = RowWork(self.model.layout, count)
        self.weights = Weights.of(scheme, H, np.array([1, 0, 1, 1, 0, 1], np.uint8))
        self.work.step = H
        self.work.beta[:] = rng.uniform(0.5, 1.0, self.work.beta.size) * H
        self.work.force[:] = 100.0 * rng.normal(size=self.work.force.size)
        self.rotation = np.array([taut.spatial.matrix(q).ravel() for q in state.orientation])
        self.guess = rng.normal(size=(count, 6)) * bodies.moves[:, None]
        self.work.evaluate(state.position, self.rotation)
        self.raw_stiffness = self.work.stiffness.copy()
        self.work.apply_laws(state.target, self.guess)
        self.response = FreeBodies(self.model)
        self.response.prepare(state, self.weights, self.guess, self.rotation, self.work, self.model.slim)

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
        assert case.response.inverse_mass[body] == pytest.approx(block[0, 0], rel=1e-12)
        assert case.response.inverse_inertia[body].reshape(3, 3) == pytest.approx(block[3:, 3:], rel=1e-9, abs=1e-12)


@SCHEMES
def test_clipping_keeps_the_mass_matrix_positive_definite(rng: np.random.Generator, scheme: Scheme) -> None:
    """Row forces of any sign and size; without clipping some blocks would be indefinite."""
    indefinite = 0
    for _ in range(10):
        case = Prepared(rng, scheme)
        for body in np.flatnonzero(case.model.bodies.moves):
            raw = case.raw_stiffness[body].reshape(3, 3)
            indefinite += np.linalg.eigvalsh(raw + raw.T).min() < -1.0
            assert np.linalg.eigvalsh(case.work.stiffness[body].reshape(3, 3)).min() >= -1e-9
            assert np.linalg.eigvalsh(case.response.inverse_inertia[body].reshape(3, 3)).min() > 0.0
    assert indefinite > 5, "the test must meet what is to be clipped"


@SCHEMES
def test_velocity_without_rows(rng: np.random.Generator, scheme: Scheme) -> None:
    case = Prepared(rng, scheme)
    expected = case.mass_matrix() @ case.right_hand_side()
    assert case.response.free_velocity.ravel() == pytest.approx(expected, rel=1e-9, abs=1e-12)


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
    work, response = RowWork(model.layout, 2), FreeBodies(model)
    weights = Weights.of(BDF2, H, np.ones(2, np.uint8))
    work.step = H
    work.beta[:] = weights.beta[1]
    rotation = np.array([taut.spatial.matrix(q).ravel() for q in state.orientation])
    guess = np.array([np.zeros(6), rng.normal(size=6)])
    response.prepare(state, weights, guess, rotation, work, model.slim)
    inertia = world_inertia(rotation[1], model.bodies.inertia[1])
    axis = rotation[1].reshape(3, 3) @ model.bodies.slim_axis[1]
    found = BDF2.alpha * inertia @ response.free_velocity[1, 3:]
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
    jacobian = dense_jacobian(case.work, case.model.bodies.count)
    expected = jacobian @ case.mass_matrix() @ jacobian.T
    hard = case.work.compliance == 0.0
    expected += np.diag(np.where(hard, HARD_REGULARISATION * np.diag(expected), case.work.compliance))
    problem = case.response.assemble(case.work)
    assert problem.matrix().sparse.toarray() == pytest.approx(expected, rel=1e-9, abs=1e-11)
    assert problem.diagonal == pytest.approx(np.diag(expected))
    assert (problem.blocks.compliance > 0.0).all()
    bias = case.work.bias + jacobian @ case.response.free_velocity.ravel()
    assert problem.bias == pytest.approx(bias, abs=1e-10)
    assert np.array_equal(problem.lower, case.work.lower) and problem.lower is not case.work.lower


@SCHEMES
def test_velocity_with_rows(rng: np.random.Generator, scheme: Scheme) -> None:
    case = Prepared(rng, scheme)
    problem = case.response.assemble(case.work)
    lam = rng.normal(size=problem.size)
    jacobian = dense_jacobian(case.work, case.model.bodies.count)
    expected = case.mass_matrix() @ (case.right_hand_side() + jacobian.T @ lam)
    found = case.response.velocity(lam)
    assert found.ravel() == pytest.approx(expected, rel=1e-8, abs=1e-11)
    fixed = case.model.bodies.moves == 0
    assert fixed.sum() == 2 and not found[fixed].any()


def test_the_solved_step_satisfies_its_equations(rng: np.random.Generator) -> None:
    """J v+ + S lam + b = w and complementarity, with v+ from the response: the whole waist in one identity."""
    case = Prepared(rng, BDF2)
    problem = case.response.assemble(case.work)
    solution = taut.solvers.get("bpp").solve(problem)
    assert solution.status == "solved" and solution.residual < 1e-9
    jacobian = dense_jacobian(case.work, case.model.bodies.count)
    velocity = case.response.velocity(solution.lam).ravel()
    w = jacobian @ velocity + case.work.compliance * solution.lam + case.work.bias
    scale = np.abs(problem.bias).max()
    assert w == pytest.approx(solution.w, abs=1e-8 * scale)
    tight = solution.index_set != 0
    assert np.abs(w[~tight]).max() < 1e-8 * scale
    assert (w[solution.index_set < 0] > -1e-8 * scale).all() and (w[solution.index_set > 0] < 1e-8 * scale).all()
