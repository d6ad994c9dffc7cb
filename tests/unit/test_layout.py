"""Row layout, joint coordinates and reactions."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import LaidRows, evaluate_by_kernel, random_pose
from part_examples import EXAMPLES, angle, coupling, slide, spin

from taut import spatial
from taut.rows.coordinate import Angle
from taut.rows.coupling import CouplingPart, single
from taut.rows.distance import DistancePart
from taut.rows.law import HOLD, hold, limits
from taut.rows.layout import COMPANION, RowSpec, lay_out
from taut.rows.orientation import OrientationPart, quaternion_of
from taut.rows.part import Pose
from taut.rows.point import PointPart

ORIGIN = Pose(np.zeros(3), np.eye(3))


def turned(axis: tuple[float, float, float], angle_: float) -> Pose:
    return Pose(np.zeros(3), spatial.matrix(spatial.from_axis_angle(axis, angle_)))


def test_layout_numbers_rows_blocks_and_companions(rng: np.random.Generator) -> None:
    point, rod = EXAMPLES[PointPart](rng), EXAMPLES[DistancePart](rng)
    layout = lay_out([RowSpec(rod, (hold(1.0),)), RowSpec(point, (hold(),)), RowSpec(coupling(rng), (limits(0, 1),))])
    assert (layout.declared_count, layout.row_count) == (5, 7), (
        "one rod, three of the point, one coupling, two companions"
    )
    assert layout.first_row.tolist() == [0, 1, 4]
    assert layout.companion.tolist() == [5, -1, -1, -1, -1, -1, -1]
    assert np.diff(layout.entry_start).tolist() == [2, 2, 2, 2, 4, 2, 2]
    assert layout.laws.kind.tolist()[-2:] == [COMPANION, COMPANION]
    assert layout.laws.target[0] == 1.0 and layout.laws.upper_limit[4] == 1.0


def test_empty_layout_has_no_rows() -> None:
    layout = lay_out([])
    assert layout.row_count == 0 and layout.entry_start.tolist() == [0]
    LaidRows(layout, 3).evaluate([ORIGIN] * 3)


def test_rows_that_use_one_coordinate_share_its_slot(rng: np.random.Generator) -> None:
    hinge = angle(rng)
    layout = lay_out([RowSpec(hinge, (hold(),)), RowSpec(hinge, (limits(-1, 1),))], [hinge, slide(rng)])
    assert len(layout.coordinates) == 2 and layout.row_count == 2


def test_coordinates_without_rows_are_measured(rng: np.random.Generator) -> None:
    poses, wire = [random_pose(rng) for _ in range(3)], slide(rng)
    laid = LaidRows(lay_out([], [wire]), 3)
    laid.evaluate(poses)
    assert laid.rows.coordinate == pytest.approx(wire.evaluate(poses[1:])[0])


def test_angles_are_counted_over_turns() -> None:
    hinge = Angle(0, 1, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    laid = LaidRows(lay_out([RowSpec(single(hinge), (hold(),))]), 2)
    for expected in np.arange(0.0, 20.0, 0.7).tolist() + np.arange(20.0, -20.0, -0.7).tolist():
        laid.evaluate([ORIGIN, turned((0.0, 0.0, 1.0), expected)])
        assert laid.rows.coordinate[0] == pytest.approx(expected, abs=1e-12)
        laid.rows.count_from(laid.rows.coordinate, 0.0)


def test_force_along_a_coordinate_is_the_transpose_of_its_rows(rng: np.random.Generator) -> None:
    """Power is the same in rows and in coordinates: f . (C q') = (C^T f) . q'."""
    shared, other = slide(rng), spin(rng)
    parts = [CouplingPart(((shared, 2.0), (other, -0.5))), single(shared), CouplingPart(((other, 3.0),))]
    force = rng.normal(size=3)
    laid = evaluate_by_kernel(parts, [random_pose(rng) for _ in range(4)], force)
    table = np.array([[2.0, -0.5], [1.0, 0.0], [0.0, 3.0]])
    assert laid.rows.coordinate_force == pytest.approx(table.T @ force)


def test_orientation_measures_the_rotation_vector_to_third_order() -> None:
    part = OrientationPart(0, 1, (1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    for size in (1e-9, 0.01, 0.1, 1.0, 3.0):
        value, _ = part.evaluate([ORIGIN, turned((1.0, 2.0, 2.0), size)])
        assert value == pytest.approx(2.0 * np.sin(size / 2) * np.array([1.0, 2.0, 2.0]) / 3.0, rel=1e-12)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)])
@pytest.mark.parametrize("size", [0.0, 1.0, 2.5, 3.0, 3.141, 3.5])
def test_quaternion_of_a_matrix(axis: tuple[float, float, float], size: float) -> None:
    expected = spatial.from_axis_angle(axis, size)
    expected = -expected if expected[0] < 0 else expected
    assert quaternion_of(spatial.matrix(expected)) == pytest.approx(expected, abs=1e-12)


def test_points_on_top_of_each_other_have_a_finite_distance_row() -> None:
    part = DistancePart(0, 1, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    rows = evaluate_by_kernel([part], [ORIGIN, ORIGIN], np.array([-5.0])).rows
    assert rows.value[0] == 0.0
    assert np.isfinite(rows.jacobian).all()
    assert np.linalg.norm(rows.jacobian[1, :3]) == pytest.approx(1.0)


def test_companions_are_across_the_line(rng: np.random.Generator) -> None:
    part = EXAMPLES[DistancePart](rng)
    laid = evaluate_by_kernel([part], [random_pose(rng) for _ in range(3)], np.array([-3.0]))
    rows = laid.rows
    line, one, two = laid.jacobian().reshape(3, 3, 6)[:, 2, :3]
    assert [line @ one, line @ two, one @ two] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    strength = np.sqrt(rows.step[0] * rows.beta[0] * 3.0 / rows.value[0])
    assert [np.linalg.norm(one), np.linalg.norm(two)] == pytest.approx([strength, strength])


def test_pushing_rods_have_no_companions(rng: np.random.Generator) -> None:
    laid = evaluate_by_kernel([EXAMPLES[DistancePart](rng)], [random_pose(rng) for _ in range(3)], np.array([3.0]))
    assert not laid.jacobian()[1:].any()


def test_reactions_are_row_forces_moved_to_the_anchor(rng: np.random.Generator) -> None:
    from taut.rows.reaction_kernels import gather_reactions

    poses = [ORIGIN, random_pose(rng), random_pose(rng)]
    parts, force = [EXAMPLES[PointPart](rng), EXAMPLES[OrientationPart](rng)], rng.normal(size=6)
    laid = evaluate_by_kernel(parts, poses, force)
    layout, joints = laid.layout, np.zeros(6, np.int64)
    entries = np.flatnonzero(layout.entry_body == 2)
    rows, anchor = layout.entry_row[entries], np.array([parts[0].point_b])
    reaction, violation = np.zeros((1, 6)), np.zeros(1)
    gather_reactions(
        entries, rows, joints[rows], joints, np.array([2]), anchor, np.full(6, HOLD), np.zeros(6),
        np.tile([-np.inf, np.inf], (6, 1)), np.array([pose.rotation.ravel() for pose in poses]),
        laid.rows.jacobian, force, laid.rows.value, reaction, violation,
    )  # fmt: skip
    assert reaction[0, :3] == pytest.approx(force[:3]), "a point row's force is in world axes"
    turn = parts[1].evaluate(poses[1:])[1][:, 1, 3:]
    assert reaction[0, 3:] == pytest.approx(turn.T @ force[3:]), "about the anchor the point force has no torque"
    assert violation[0] == pytest.approx(np.abs(laid.rows.value).max())
