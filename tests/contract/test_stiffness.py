"""What every row part promises of its geometric stiffness: K~ is the derivative of J^T f, between all of its bodies."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import LaidRows, all_moved, central_difference, evaluate_by_kernel, random_pose
from part_examples import EXAMPLES, all_parts

from taut.rows.coordinate import Angle, Spin
from taut.rows.coupling import CouplingPart
from taut.rows.part import Part, Pose
from taut.rows.parts import Parts
from taut.rows.slip import SlipPart
from taut.rows.stiffness import KINDS, stiffness_blocks

PARTS = pytest.mark.parametrize("kind", all_parts(), ids=lambda kind: kind.__name__)
SEEDS = pytest.mark.parametrize("seed", range(6))
BODIES = 4
Array = np.ndarray


def laid_part(kind: type[Part], seed: int) -> tuple[Part, list[Pose], Array, LaidRows]:
    """A random part with a random force, evaluated by its kernel where bodies have random poses."""
    rng = np.random.default_rng(seed)
    part, poses = EXAMPLES[kind](rng), [random_pose(rng) for _ in range(BODIES)]
    force = 10.0 * rng.normal(size=part.rows)
    return part, poses, force, evaluate_by_kernel([part], poses, force)


def numeric_stiffness(part: Part, poses: list[Pose], force: Array) -> Array:
    """K~ (6 bodies, 6 bodies) by central differences of J^T f."""

    def wrenches(twists: Array) -> Array:
        there = all_moved(poses, twists)
        result = np.zeros((BODIES, 6))
        blocks = part.evaluate([there[body] for body in part.bodies])[1]
        for index, body in enumerate(part.bodies):
            result[body] = np.einsum("ri,r->i", blocks[:, index], force)
        return result.ravel()

    return central_difference(wrenches, 6 * BODIES, BODIES, 1e-6).reshape(6 * BODIES, 6 * BODIES)


@PARTS
@SEEDS
def test_stiffness_is_the_derivative_of_the_wrenches(kind: type[Part], seed: int) -> None:
    part, poses, force, laid = laid_part(kind, seed)
    found = stiffness_blocks(laid.layout.parts, laid.places, laid.rows).dense(BODIES)
    expected = numeric_stiffness(part, poses, force)
    assert np.abs(expected).max() > 0.1, "a part whose forces never turn tests nothing"
    assert found == pytest.approx(expected, abs=1e-6 * max(1.0, np.abs(expected).max()))


@PARTS
@SEEDS
def test_what_is_not_symmetric_is_half_the_torque_on_each_body(kind: type[Part], seed: int) -> None:
    """Rotations do not commute: of a potential nothing else is unsymmetric, so that it goes where bodies balance."""
    if kind in (Spin, SlipPart):
        pytest.skip("rates have no potential")
    part, poses, force, laid = laid_part(kind, seed)
    found = stiffness_blocks(laid.layout.parts, laid.places, laid.rows).dense(BODIES)
    blocks, expected = part.evaluate([poses[body] for body in part.bodies])[1], np.zeros_like(found)
    for index, body in enumerate(part.bodies):
        x, y, z = 0.5 * np.einsum("ri,r->i", blocks[:, index, 3:], force)
        rotation = slice(6 * body + 3, 6 * body + 6)
        expected[rotation, rotation] = -np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    assert 0.5 * (found - found.T) == pytest.approx(expected, abs=1e-9 * max(1.0, np.abs(found).max()))


@PARTS
def test_pairs_do_not_depend_on_where_bodies_are(kind: type[Part]) -> None:
    first, second = (stiffness_blocks(laid.layout.parts, laid.places, laid.rows)
                     for laid in (laid_part(kind, 0)[3], laid_part(kind, 1)[3]))  # fmt: skip
    assert first.first.tolist() == second.first.tolist() and first.second.tolist() == second.second.tolist()


@PARTS
def test_forces_scale_the_stiffness(kind: type[Part]) -> None:
    """Without forces nothing turns."""
    part, poses, _, laid = laid_part(kind, 3)
    laid.rows.force[:], laid.rows.coordinate_force[:] = 0.0, 0.0
    assert not stiffness_blocks(laid.layout.parts, laid.places, laid.rows).block.any()


def test_every_table_of_parts_has_its_stiffness() -> None:
    """Couplings have none of their own: their coordinates have it."""
    assert set(KINDS) == set(Parts._fields) - {"couplings"}
    assert {Angle, CouplingPart} <= set(all_parts())
