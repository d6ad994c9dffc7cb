"""Geometric stiffness -K~ = -d(J^T f)/dx of every part against finite differences, and what is clipped of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from dense_twins import (
    all_moved,
    arrays_of,
    central_difference,
    evaluate_by_kernel,
    positive_part,
    random_point,
    random_pose,
    random_unit,
)
from part_examples import EXAMPLES, slide

from taut import spatial
from taut.rows.direction import DirectionPart
from taut.rows.distance import DistancePart
from taut.rows.part import Part, Pose
from taut.rows.point import PointPart

SEEDS = pytest.mark.parametrize("seed", range(12))
Array = np.ndarray


def numeric_stiffness(part: Part, poses: Sequence[Pose], force: Array) -> Array:
    """-K~ (12, 12) of a two-body part: minus the derivative of the wrenches J^T f."""

    def wrench(twists: Array) -> Array:
        return np.einsum("rbi,r->bi", part.evaluate(all_moved(poses, twists))[1], force).ravel()

    return -central_difference(wrench, 12, 2, 1e-6).reshape(12, 12)


def body_blocks(stiffness: Array) -> Array:
    """(12, 12) with the rotation blocks of two bodies in their places."""
    result = np.zeros((12, 12))
    result[3:6, 3:6], result[9:, 9:] = stiffness.reshape(2, 3, 3)
    return result


def curvature(part: Part, poses: Sequence[Pose], twists: Array, force: float) -> float:
    """Second derivative of the energy -f q of a constant row force along a motion."""

    def energy(amount: float) -> float:
        return float(-force * part.evaluate(all_moved(poses, amount * twists))[0][0])

    step = 1e-4
    return (energy(step) - 2.0 * energy(0.0) + energy(-step)) / step**2


@SEEDS
def test_point_rows_are_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part, poses, force = EXAMPLES[PointPart](rng), [random_pose(rng) for _ in range(3)], 10.0 * rng.normal(size=3)
    rows = evaluate_by_kernel([part], poses, force).rows
    assert body_blocks(rows.stiffness[1:]) == pytest.approx(numeric_stiffness(part, poses[1:], force), abs=1e-6)


@SEEDS
@pytest.mark.parametrize("force", [-20.0, 20.0], ids=["pulling", "pushing"])
def test_distance_rows_are_exact_with_their_companions(seed: int, force: float) -> None:
    """Eliminating companions of compliance 1 adds J_c^T J_c to M~ = ... - h beta K~; pushing leaves the arms alone."""
    rng = np.random.default_rng(seed)
    part, poses = EXAMPLES[DistancePart](rng), [random_pose(rng) for _ in range(3)]
    laid = evaluate_by_kernel([part], poses, np.array([force]))
    rows, companions = laid.rows, laid.jacobian()[1:, 6:]
    found = body_blocks(rows.stiffness[1:]) + companions.T @ companions / (rows.step[0] * rows.beta[0])
    expected = numeric_stiffness(part, poses[1:], np.array([force]))
    if force > 0.0:  # the line's own turn destabilises and is left out: -(f / q) across the line
        value, jacobian = part.evaluate(poses[1:])
        points = np.hstack([-np.eye(3), spatial.skew(poses[1].rotation @ part.point_a),
                            np.eye(3), -spatial.skew(poses[2].rotation @ part.point_b)])  # fmt: skip
        normal = jacobian[0, 1, :3]
        expected += points.T @ (np.eye(3) - np.outer(normal, normal)) @ points * force / value[0]
    assert found == pytest.approx(expected, abs=2e-5 * max(1.0, np.abs(expected).max()))


@SEEDS
def test_slides_are_exact_for_motions_that_do_not_slide(seed: int) -> None:
    """The point of B moves with A: dx_B + w_B x r_B = dx_A + w_A x d; both bodies turn as they like."""
    rng = np.random.default_rng(seed)
    part, poses, force = slide(rng), [random_pose(rng) for _ in range(3)], float(10.0 * rng.normal())
    rows = evaluate_by_kernel([part], poses, np.array([force])).rows
    twists = rng.normal(size=(2, 6))
    arm_b = poses[2].rotation @ part.point_b
    arm = poses[2].position + arm_b - poses[1].position
    twists[1, :3] = twists[0, :3] + np.cross(twists[0, 3:], arm) - np.cross(twists[1, 3:], arm_b)
    form = sum(
        twist[3:] @ block.reshape(3, 3) @ twist[3:] for twist, block in zip(twists, rows.stiffness[1:], strict=True)
    )
    assert form == pytest.approx(curvature(part, poses[1:], twists, force), abs=1e-5 * abs(force) + 1e-5)


@SEEDS
def test_what_slides_leave_out_is_indefinite(seed: int) -> None:
    """The rest couples sliding with turning A: with a zero diagonal, it has no stabilising part of its own."""
    rng = np.random.default_rng(seed)
    part, poses = slide(rng), [random_pose(rng) for _ in range(3)]
    rows = evaluate_by_kernel([part], poses, np.array([5.0])).rows
    twists = np.zeros((2, 6))
    twists[1, :3] = rng.normal(size=3)
    assert curvature(part, poses[1:], twists, 5.0) == pytest.approx(0.0, abs=1e-5), "sliding alone is straight"
    rest = numeric_stiffness(part, poses[1:], np.array([5.0])) - body_blocks(rows.stiffness[1:])
    eigenvalues = np.linalg.eigvalsh(0.5 * (rest + rest.T))
    assert eigenvalues[0] < -0.1 and eigenvalues[-1] > 0.1


def crossed(rng: np.random.Generator, spread: bool) -> tuple[DirectionPart, list[Pose]]:
    """Two bodies whose directions a and b are at right angles."""
    poses = [random_pose(rng) for _ in range(3)]
    a = np.array(random_unit(rng))
    b = spatial.perpendicular(a)
    axes = (poses[1].rotation.T @ a, poses[2].rotation.T @ b)
    return DirectionPart(1, 2, *(tuple(map(float, axis)) for axis in axes), spread), poses


@SEEDS
def test_hinges_have_no_stiffness_along_their_own_axis(seed: int) -> None:
    """Where d turns about a or b alone, the curvature of a . b vanishes and nothing has to be added."""
    rng = np.random.default_rng(seed)
    part, poses = crossed(rng, spread=False)
    rows = evaluate_by_kernel([part], poses, np.array([7.0])).rows
    assert not rows.stiffness.any()
    for pose, axis in ((poses[1], part.axis_a), (poses[2], part.axis_b)):
        twists = np.zeros((2, 6))
        twists[1, 3:] = pose.rotation @ axis
        assert curvature(part, poses[1:], twists, 7.0) == pytest.approx(0.0, abs=1e-5)


@SEEDS
@pytest.mark.parametrize("torque", [7.0, -7.0])
def test_spread_bounds_the_stabilising_part_of_crossed_directions(seed: int, torque: float) -> None:
    """Blocks on each body are at least the positive part of -K~ between them, and at most twice it on each."""
    rng = np.random.default_rng(seed)
    part, poses = crossed(rng, spread=True)
    rows = evaluate_by_kernel([part], poses, np.array([torque])).rows
    exact = numeric_stiffness(part, poses[1:], np.array([torque]))
    assert exact[:3] == pytest.approx(np.zeros((3, 12)), abs=1e-6), "directions feel no translation"
    exact = 0.5 * (exact + exact.T)[9:, 9:]
    stabilising = positive_part(exact)
    assert np.trace(stabilising) == pytest.approx(0.5 * abs(torque), abs=1e-5)
    relative = np.hstack([-np.eye(3), np.eye(3)])
    blocks = np.zeros((6, 6))
    blocks[:3, :3], blocks[3:, 3:] = rows.stiffness[1:].reshape(2, 3, 3)
    assert np.linalg.eigvalsh(blocks - relative.T @ stabilising @ relative).min() >= -1e-5
    for block in rows.stiffness[1:]:
        assert block.reshape(3, 3) == pytest.approx(2.0 * stabilising, abs=1e-5)


@SEEDS
@pytest.mark.parametrize("follows", [False, True])
def test_loads_are_exact(seed: int, follows: bool) -> None:
    """A force in world axes turns its arm; one that follows the body has no symmetric part to make implicit."""
    from taut.responses.load_kernels import add_loads

    rng = np.random.default_rng(seed)
    pose, force, torque = random_pose(rng), 5.0 * rng.normal(size=3), rng.normal(size=3)
    point = np.array(random_point(rng))

    def apply(at: Pose) -> tuple[Array, Array]:
        wrench, stiffness = np.zeros((1, 6)), np.zeros((1, 9))
        add_loads(
            np.zeros(1, np.int64), force[None], point[None], torque[None], np.array([follows], np.uint8),
            arrays_of([at])[1], wrench, stiffness,
        )  # fmt: skip
        return wrench[0], stiffness[0].reshape(3, 3)

    wrench, stiffness = apply(pose)
    axes = pose.rotation if follows else np.eye(3)
    arm = pose.rotation @ point
    assert wrench[:3] == pytest.approx(axes @ force)
    assert wrench[3:] == pytest.approx(axes @ torque + np.cross(arm, axes @ force))
    if follows:
        assert not stiffness.any()
    else:
        numeric = -central_difference(lambda twist: apply(all_moved([pose], twist)[0])[0], 6, 1, 1e-6).reshape(6, 6)
        assert stiffness == pytest.approx(numeric[3:, 3:], abs=1e-6)
        assert not numeric[:3].any()


def test_forces_on_one_body_add_up_before_they_are_clipped(rng: np.random.Generator) -> None:
    """Pull and push through the same point cancel: the blocks are summed, not clipped one by one."""
    part, poses = EXAMPLES[PointPart](rng), [random_pose(rng) for _ in range(3)]
    force = rng.normal(size=3)
    rows = evaluate_by_kernel([part, part], poses, np.concatenate([force, -force])).rows
    assert rows.stiffness == pytest.approx(np.zeros_like(rows.stiffness), abs=1e-14)
