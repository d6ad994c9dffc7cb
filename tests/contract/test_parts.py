"""What every row part promises: a Jacobian that is the derivative of its value, a kernel equal to its dense twin."""

from __future__ import annotations

import importlib
import pkgutil

import numpy as np
import pytest
from dense_twins import (
    all_moved,
    central_difference,
    evaluate_by_kernel,
    numeric_jacobian,
    random_pose,
)
from hypothesis import given
from hypothesis import strategies as st
from part_examples import EXAMPLES, all_parts

import taut.rows
from taut.rows.coordinate import Angle, Spin
from taut.rows.orientation import OrientationPart
from taut.rows.part import Part
from taut.rows.slip import SlipPart

for _module in pkgutil.iter_modules(taut.rows.__path__):
    if not _module.name.endswith("_kernels"):
        importlib.import_module(f"taut.rows.{_module.name}")

PARTS = pytest.mark.parametrize("kind", all_parts(), ids=lambda kind: kind.__name__)
SEEDS = st.integers(0, 2**32 - 1)
BODIES = 4
RATES = (Spin, SlipPart)
"""Parts that measure a rate without a position."""


def example(kind: type[Part], rng: np.random.Generator) -> Part:
    assert kind in EXAMPLES, f"{kind.__name__} needs an example in tests/part_examples.py"
    return EXAMPLES[kind](rng)


@PARTS
@given(seed=SEEDS)
def test_jacobian_is_the_derivative_of_the_value(kind: type[Part], seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = example(kind, rng)
    poses = [random_pose(rng) for _ in part.bodies]
    value, jacobian = part.evaluate(poses)
    assert value.shape == (part.rows,) and jacobian.shape == (part.rows, len(part.bodies), 6)
    if kind in RATES:
        assert not value.any(), "a rate without a position"
        return
    if near_singular(part, poses):
        return
    scale = max(1.0, np.abs(jacobian).max())
    assert numeric_jacobian(part, poses) / scale == pytest.approx(jacobian / scale, abs=1e-6)


def near_singular(part: Part, poses: list) -> bool:
    """Whether an angle is about to be undefined or to jump by a turn in the finite difference."""
    _, jacobian = part.evaluate(poses)
    values = [coordinate.evaluate([poses[part.bodies.index(b)] for b in coordinate.bodies])[0]
              for coordinate, _ in getattr(part, "terms", ()) if isinstance(coordinate, Angle)]  # fmt: skip
    values += [part.evaluate(poses)[0]] if isinstance(part, Angle) else []
    turned = np.linalg.norm(part.evaluate(poses)[0]) > 1.99 if isinstance(part, OrientationPart) else False
    return bool(turned or np.abs(jacobian).max() > 50.0 or any(abs(value[0]) > 3.14 for value in values))


@given(seed=SEEDS)
def test_spin_is_the_relative_rate_about_its_axis(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = example(Spin, rng)
    poses, twists = [random_pose(rng) for _ in range(2)], rng.normal(size=(2, 6))
    rate = np.einsum("bi,bi->", part.evaluate(poses)[1][0], twists)
    assert rate == pytest.approx(poses[0].rotation @ part.axis_a @ (twists[1, 3:] - twists[0, 3:]))


@given(seed=SEEDS)
def test_slip_is_the_relative_velocity_at_its_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part = example(SlipPart, rng)
    poses, twists = [random_pose(rng) for _ in range(2)], rng.normal(size=(2, 6))
    point = poses[1].position + poses[1].rotation @ part.point_b
    ground, blade = (t[:3] + np.cross(t[3:], point - pose.position) for pose, t in zip(poses, twists, strict=True))
    rate = np.einsum("bi,bi->", part.evaluate(poses)[1][0], twists)
    assert rate == pytest.approx(poses[1].rotation @ part.axis_b @ (blade - ground))


@PARTS
@given(seed=SEEDS)
def test_kernel_equals_the_dense_twin(kind: type[Part], seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = [example(kind, rng) for _ in range(3)]
    poses = [random_pose(rng) for _ in range(BODIES)]
    laid = evaluate_by_kernel(parts, poses)
    rows = laid.jacobian().reshape(-1, BODIES, 6)
    first = 0
    for part in parts:
        value, jacobian = part.evaluate([poses[body] for body in part.bodies])
        span = slice(first, first + part.rows)
        scale = max(1.0, np.abs(jacobian).max())
        assert laid.rows.value[span] == pytest.approx(value, abs=1e-12)
        assert rows[span][:, list(part.bodies)] / scale == pytest.approx(jacobian / scale, abs=1e-12)
        others = [body for body in range(BODIES) if body not in part.bodies]
        assert not rows[span][:, others].any()
        first += part.rows


@PARTS
def test_bodies_are_listed_once(kind: type[Part], rng: np.random.Generator) -> None:
    part = example(kind, rng)
    assert len(set(part.bodies)) == len(part.bodies)


@PARTS
def test_parts_measure_relative_motion_only(kind: type[Part], rng: np.random.Generator) -> None:
    """Moving all bodies as one rigid body changes no measure: J (v + w x x, w) = 0."""
    part = example(kind, rng)
    poses = [random_pose(rng) for _ in part.bodies]
    push, turn = rng.normal(size=3), rng.normal(size=3)
    twists = np.array([np.concatenate([push + np.cross(turn, pose.position), turn]) for pose in poses])
    _, jacobian = part.evaluate(poses)
    rates = np.einsum("rbi,bi->r", jacobian, twists)
    if kind.__name__ == "PointPart":  # measured in world axes: the gap itself turns
        rates -= np.cross(turn, part.evaluate(poses)[0])
    assert rates == pytest.approx(np.zeros(part.rows), abs=1e-12)


@PARTS
def test_jacobian_is_second_order_smooth(kind: type[Part], rng: np.random.Generator) -> None:
    """J changes with the configuration as little as the value's second difference says: no stale or frozen geometry."""
    part = example(kind, rng)
    if kind in RATES:
        pytest.skip("a rate has no value to differentiate twice")
    poses = [random_pose(rng) for _ in part.bodies]
    twists = rng.normal(size=(len(poses), 6))

    def rate(amount: float) -> np.ndarray:
        return np.einsum("rbi,bi->r", part.evaluate(all_moved(poses, amount * twists))[1], twists)

    def value(amount: float) -> np.ndarray:
        return part.evaluate(all_moved(poses, amount * twists))[0]

    step = 1e-4
    second = (value(step) - 2.0 * value(0.0) + value(-step)) / step**2
    slope = (rate(step) - rate(-step)) / (2.0 * step)
    assert slope == pytest.approx(second, abs=1e-5 * max(1.0, np.abs(second).max()))


def test_difference_helper_finds_a_wrong_jacobian(rng: np.random.Generator) -> None:
    """The finite difference is itself right: d(A x)/dx = A."""
    matrix = rng.normal(size=(2, 12))
    numeric = central_difference(lambda twists: matrix @ twists.ravel(), 2, 2, 1e-3)
    assert numeric.reshape(2, 12) == pytest.approx(matrix)
