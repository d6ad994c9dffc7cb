"""Forces of the thesis' step: gradients of their potentials, and stiffness blocks against finite differences."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import random_point, random_quaternion

from taut import spatial
from taut.model.redmax_tables import RedMaxMotion
from taut.model.redmax_tree import Springs
from taut.stepping.redmax_forces import (
    Pairs,
    add_diagonal,
    add_wrenches,
    definite,
    inertial_forces,
    spring_forces,
    symmetric,
    times_pairs,
    turning_block,
)

Array = np.ndarray
H = 1e-5
RESTS = pytest.mark.parametrize("rest", [0.0, 0.4, 30.0], ids=["point", "stretched", "pressed"])


def two_bodies(rng: np.random.Generator) -> RedMaxMotion:
    """Two bodies somewhere, with some twists."""
    motion = RedMaxMotion.of(2, 0)
    motion.position[:], motion.twist[:] = rng.normal(size=(2, 3)), rng.normal(size=(2, 6))
    motion.rotation[:] = [spatial.matrix(random_quaternion(rng)).ravel() for _ in range(2)]
    return motion


def moved(motion: RedMaxMotion, twist: Array) -> RedMaxMotion:
    """Both bodies after twists (2, 6) in their own axes, to second order."""
    turn = motion.rotation.reshape(-1, 3, 3)
    position = motion.position + np.einsum("nij,nj->ni", turn, twist[:, 3:])
    rotation = [r @ spatial.matrix(spatial.exponential(w)) for r, w in zip(turn, twist[:, :3], strict=True)]
    return motion._replace(position=position, rotation=np.array(rotation).reshape(-1, 9))


def spring(rng: np.random.Generator, rest: float, nodes: tuple[int, int] = (0, 1)) -> Springs:
    ends = [np.array([random_point(rng)]) for _ in range(2)]
    node_a, node_b = (np.array([each]) for each in nodes)
    numbers = [np.array([value]) for value in (70.0, 3.0, rest)]
    return Springs(node_a, node_b, *ends, *numbers, np.zeros((1, 3)), np.array([rest == 0.0]), np.zeros(1, np.int64))


def directions() -> list[Array]:
    return list(np.eye(12).reshape(12, 2, 6))


def derivative(function, motion: RedMaxMotion) -> Array:
    """Central differences by the twelve directions: the last axis."""
    return np.stack(
        [(function(moved(motion, H * d)) - function(moved(motion, -H * d))) / (2 * H) for d in directions()], -1
    )


def potential(springs: Springs, motion: RedMaxMotion) -> float:
    """Energy of one spring, eq. 2.40 with a rest length."""
    turn = motion.rotation.reshape(-1, 3, 3)
    ends = []
    for node, point in ((springs.node_a[0], springs.point_a[0]), (springs.node_b[0], springs.point_b[0])):
        ends.append(point if node < 0 else motion.position[node] + turn[node] @ point)
    return 0.5 * springs.stiffness[0] * (np.linalg.norm(ends[1] - ends[0]) - springs.rest[0]) ** 2


@RESTS
def test_spring_force_is_the_gradient_of_its_energy(rng: np.random.Generator, rest: float) -> None:
    motion, springs = two_bodies(rng), spring(rng, rest)
    wrench, _, _ = spring_forces(springs, motion)
    assert wrench.ravel() == pytest.approx(-derivative(lambda m: potential(springs, m), motion), rel=1e-6, abs=1e-6)


@RESTS
def test_spring_stiffness_is_the_derivative_of_its_force(rng: np.random.Generator, rest: float) -> None:
    motion, springs = two_bodies(rng), spring(rng, rest)
    _, stiffness, _ = spring_forces(springs, motion)
    found = stiffness.block[0].transpose(0, 2, 1, 3).reshape(12, 12)
    expected = derivative(lambda m: spring_forces(springs, m)[0].ravel(), motion)
    assert np.abs(found - expected).max() <= 1e-6 * np.abs(expected).max()


def test_block_as_printed_in_the_thesis_is_minus_the_stiffness(rng: np.random.Generator) -> None:
    motion, springs = two_bodies(rng), spring(rng, 0.0)
    _, stiffness, _ = spring_forces(springs, motion)
    (x1, x2), (p1, p2) = (springs.point_a[0], springs.point_b[0]), motion.position
    r1, r2 = motion.rotation.reshape(-1, 3, 3)
    b1, b2, one = spatial.skew(x1), spatial.skew(x2), np.eye(3)
    far1, far2 = spatial.skew(r1.T @ (p1 - p2 - r2 @ x2)), spatial.skew(r2.T @ (p2 - p1 - r1 @ x1))
    a, c = r1.T @ r2, r2.T @ r1
    printed = 70.0 * np.block([  # eq. 2.41
        [b1 @ far1, b1, b1 @ a @ b2, -b1 @ a], [far1, one, a @ b2, -a],
        [b2 @ c @ b1, -b2 @ c, b2 @ far2, b2], [c @ b1, -c, far2, one],
    ])  # fmt: skip
    assert stiffness.block[0].transpose(0, 2, 1, 3).reshape(12, 12) == pytest.approx(-printed, abs=1e-10)


@RESTS
def test_damping_is_minus_the_derivative_by_twists(rng: np.random.Generator, rest: float) -> None:
    """Of -c times the rate of the line, or of its length."""
    motion, springs = two_bodies(rng), spring(rng, rest)
    _, _, damping = spring_forces(springs, motion)
    square = damping.block[0].transpose(0, 2, 1, 3).reshape(12, 12)
    ends = springs.point_a[0], springs.point_b[0]

    def line(m: RedMaxMotion) -> Array:
        a, b = (m.position[k] + m.rotation[k].reshape(3, 3) @ ends[k] for k in range(2))
        return b - a if rest == 0.0 else np.array([np.linalg.norm(b - a)])

    jacobian = derivative(line, motion)
    assert square == pytest.approx(3.0 * jacobian.T @ jacobian, abs=1e-6)
    assert np.linalg.eigvalsh(square).min() > -1e-10


def test_spring_to_what_is_fixed_has_one_end(rng: np.random.Generator) -> None:
    motion, springs = two_bodies(rng), spring(rng, 0.3, (-1, 1))
    wrench, stiffness, _ = spring_forces(springs, motion)
    expected = -derivative(lambda m: potential(springs, m), motion)
    assert wrench[0, 1] == pytest.approx(expected[6:], abs=1e-6)
    total, blocks = np.zeros((2, 6)), np.zeros((2, 6, 6))
    add_wrenches(total, stiffness.node, wrench)
    add_diagonal(blocks, stiffness, 2.0)
    assert total[0] == pytest.approx(np.zeros(6)) and total[1] == pytest.approx(wrench[0, 1])
    assert not blocks[0].any() and blocks[1] == pytest.approx(2.0 * stiffness.block[0, 1, 1])
    assert not times_pairs(stiffness, motion.twist).any()


def test_stiffness_of_a_force_that_keeps_its_direction(rng: np.random.Generator) -> None:
    """Eq. 2.37, the derivative of eq. 2.35, which is the gradient of eq. 2.36."""
    motion, point, force = two_bodies(rng), np.array(random_point(rng)), rng.normal(size=3)

    def wrench(m: RedMaxMotion) -> Array:
        local = m.rotation[0].reshape(3, 3).T @ force
        return np.concatenate([np.cross(point, local), local])

    def energy(m: RedMaxMotion) -> float:
        return float(-force @ (m.position[0] + m.rotation[0].reshape(3, 3) @ point))

    assert wrench(motion) == pytest.approx(-derivative(energy, motion)[:6], abs=1e-6)
    block = turning_block(motion.rotation[:1].reshape(1, 3, 3), point[None], force[None])[0]
    assert np.abs(block - derivative(wrench, motion)[:, :6]).max() <= 1e-6 * np.abs(block).max()


def test_symmetric_and_definite_parts(rng: np.random.Generator) -> None:
    pairs = Pairs(np.array([[0, 1], [-1, 2]]), rng.normal(size=(2, 2, 2, 6, 6)))
    whole = [each.block.transpose(0, 1, 3, 2, 4).reshape(2, 12, 12) for each in (symmetric(pairs), definite(pairs))]
    for square in whole:
        assert square == pytest.approx(square.transpose(0, 2, 1))
    assert np.linalg.eigvalsh(whole[1]).max() < 1e-12
    values = np.linalg.eigvalsh(whole[0][0])
    assert np.linalg.eigvalsh(whole[1][0]) == pytest.approx(np.minimum(values, 0.0), abs=1e-12)
    one_sided = np.minimum(np.linalg.eigvalsh(whole[0][1][6:, 6:]), 0.0)
    assert np.linalg.eigvalsh(whole[1][1][6:, 6:]) == pytest.approx(one_sided, abs=1e-12), "fixed ends do not count"


def test_products_with_pairs(rng: np.random.Generator) -> None:
    pairs = Pairs(np.array([[2, 0], [0, 1]]), rng.normal(size=(2, 2, 2, 6, 6)))
    twist = rng.normal(size=(3, 6))
    expected = np.zeros((3, 6))
    for (a, b), block in zip(pairs.node, pairs.block, strict=True):
        expected[a] += block[0, 1] @ twist[b]
        expected[b] += block[1, 0] @ twist[a]
    assert times_pairs(pairs, twist) == pytest.approx(expected)


def test_gravity_and_coriolis_forces_of_a_free_body(rng: np.random.Generator) -> None:
    """In body axes: I dw/dt = (I w) x w, and the centre of mass falls: dv/dt = R^T g - w x v."""
    motion, gravity = two_bodies(rng), rng.normal(size=3)
    mass = np.zeros((2, 6, 6))
    mass[:, :3, :3], mass[:, 3:, 3:] = np.diag([1.0, 2.0, 2.5]), 3.0 * np.eye(3)
    wrench = inertial_forces(mass, motion, gravity)
    for k in range(2):
        w, v, turn = motion.twist[k, :3], motion.twist[k, 3:], motion.rotation[k].reshape(3, 3)
        assert wrench[k, :3] == pytest.approx(np.cross(mass[k, :3, :3] @ w, w))
        assert wrench[k, 3:] == pytest.approx(3.0 * (turn.T @ gravity - np.cross(w, v)))
