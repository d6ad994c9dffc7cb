"""Laws: from measures to the numbers of the MLCP; what a step achieved is judged in `test_judge.py`."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dense_twins import LaidRows, random_pose
from hypothesis import given
from hypothesis import strategies as st
from part_examples import EXAMPLES, slide

from taut.rows import law_kernels
from taut.rows.curve import pack_curves
from taut.rows.distance import DistancePart
from taut.rows.law import FOLLOW, HOLD, LIMITS, SOFT, Law, follow, hold, limits
from taut.rows.layout import COMPANION, RowSpec, lay_out
from taut.rows.softness import soft
from taut.tables import held

H, BETA = 0.02, 0.013
LAWS = {
    "hold": hold(0.3),
    "servo": hold(-0.2, force=5.0),
    "follow": follow(0.7, force=4.0),
    "spring": soft(100.0, 3.0, target=0.1, force=8.0),
    "damper": soft(0.0, 3.0),
    "stiff spring": soft(1e9),
    "limits": limits(-0.4, 0.5),
    "rope": limits(-math.inf, 0.9),
    "floor": limits(-0.9, math.inf),
}

STRAIGHT = held(pack_curves([]))
"""No curves."""


def test_kernel_constants_are_those_of_the_laws() -> None:
    for name, value in {"HOLD": HOLD, "FOLLOW": FOLLOW, "SOFT": SOFT, "LIMITS": LIMITS, "COMPANION": COMPANION}.items():
        assert getattr(law_kernels, name) == value


def apply_laws(laid: LaidRows, velocity: np.ndarray, repair: float = 1.0) -> None:
    """Apply the laws of rows, linearised at a velocity (bodies, 6), for a step that leaves nothing for later."""
    layout, rows, laws = laid.layout, laid.rows, laid.layout.laws
    rows.step[0] = H
    law_kernels.apply_laws(
        laws.kind, laws.stiffness, laws.damping, layout.entry_start, layout.entry_body, laws.target, laws.limits,
        laws.force_limits, np.ones(layout.row_count), velocity, repair, np.zeros(layout.row_count),
        rows.value.copy(), held(rows),
    )  # fmt: skip


class Linear:
    """One slide row with a law, linearised at a random configuration and velocity."""

    def __init__(self, law: Law, seed: int, repair: float = 1.0) -> None:
        rng = np.random.default_rng(seed)
        self.law = law
        poses = [random_pose(rng) for _ in range(3)]
        laid = LaidRows(lay_out([RowSpec(slide(rng), (law,))]), 3)
        self.laid, self.rows = laid, laid.rows
        self.rows.step[0], self.rows.beta[:] = H, BETA
        laid.evaluate(poses)
        self.value, self.row = self.rows.value[0], laid.jacobian()[0]
        self.guess, self.velocity = rng.normal(size=(3, 6)), rng.normal(size=(3, 6))
        apply_laws(laid, self.guess, repair)
        self.next_value = self.value + BETA * self.row @ (self.velocity - self.guess).ravel()
        self.rate = self.row @ self.velocity.ravel()
        self.closing = laid.jacobian()[0] @ self.velocity.ravel() + self.rows.bias[0]
        """J v+ + b, what S lam must cancel where w = 0"""


@given(st.integers(0, 10**6), st.floats(-2.0, 2.0))
def test_hold_reaches_its_target_at_the_end_of_the_step(seed: int, target: float) -> None:
    case = Linear(hold(target, force=7.0), seed)
    assert case.closing == pytest.approx((case.next_value - target) / BETA)
    assert case.rows.compliance[0] == 0.0, "hard"
    assert (case.rows.lower[0], case.rows.upper[0]) == pytest.approx((-7.0 * H, 7.0 * H))
    assert case.rows.gap[0] == pytest.approx(case.value - target)


@given(st.integers(0, 10**6), st.floats(-2.0, 2.0))
def test_follow_asks_for_a_speed_and_nothing_of_the_position(seed: int, speed: float) -> None:
    case = Linear(follow(speed), seed)
    assert case.closing == pytest.approx(case.rate - speed)
    assert (case.rows.lower[0], case.rows.upper[0]) == (-math.inf, math.inf)


@given(st.integers(0, 10**6), st.floats(0.0, 1e6), st.floats(1e-3, 1e4), st.floats(-2.0, 2.0))
def test_soft_rows_are_implicit_springs_and_dampers(seed: int, stiffness: float, damping: float, rest: float) -> None:
    case = Linear(soft(stiffness, damping, rest), seed)
    lam = -case.closing / case.rows.compliance[0]
    force = -stiffness * (case.next_value - rest) - damping * case.rate
    scale = stiffness * (abs(case.value) + abs(rest) + 1.0) + damping * (abs(case.rate) + 1.0)
    assert lam / H / scale == pytest.approx(force / scale, abs=1e-9)


@given(st.integers(0, 10**6), st.floats(-3.0, 3.0), st.floats(0.0, 3.0))
def test_limits_push_from_the_nearer_end(seed: int, lower: float, width: float) -> None:
    case = Linear(limits(lower, lower + width), seed)
    low, high = case.value - lower, lower + width - case.value
    sign = 1.0 if low <= high else -1.0
    assert case.rows.sign[0] == sign
    assert case.rows.gap[0] == pytest.approx(min(low, high))
    distance = case.next_value - lower if sign > 0 else lower + width - case.next_value
    assert case.closing == pytest.approx(distance / BETA)
    assert (case.rows.lower[0], case.rows.upper[0]) == (0.0, math.inf)
    assert case.laid.jacobian()[0] == pytest.approx(sign * case.row)


@pytest.mark.parametrize("ends", [(-math.inf, 0.4), (0.4, math.inf)])
def test_one_infinite_end_never_counts(ends: tuple[float, float]) -> None:
    for seed in range(20):
        case = Linear(limits(*ends), seed)
        assert np.isfinite(case.rows.bias[0])
        assert case.rows.sign[0] == (-1.0 if ends[1] == 0.4 else 1.0)


@given(st.integers(0, 10**6))
def test_a_share_of_a_violation_is_taken_back(seed: int) -> None:
    """For iterative solvers; an open limit and rows that are no positions are left as they are."""
    for law in (hold(0.3), limits(-0.4, 0.5), follow(0.7), soft(100.0, 3.0)):
        whole, part = Linear(law, seed).rows.bias[0], Linear(law, seed, repair=0.2).rows.bias[0]
        scaled = law.kind == HOLD or (law.kind == LIMITS and whole < 0.0)
        assert part == pytest.approx(0.2 * whole if scaled else whole)


def test_companions_pull_towards_the_velocity_linearised_at(rng: np.random.Generator) -> None:
    poses = [random_pose(rng) for _ in range(3)]
    laid = LaidRows(lay_out([RowSpec(EXAMPLES[DistancePart](rng), (hold(1.0),))]), 3)
    rows = laid.rows
    rows.step[0], rows.force[0], rows.beta[:] = H, -50.0, BETA
    laid.evaluate(poses)
    guess = rng.normal(size=(3, 6))
    apply_laws(laid, guess)
    assert rows.bias[1:] == pytest.approx(-laid.jacobian()[1:] @ guess.ravel())
    assert rows.compliance[1:].tolist() == [1.0, 1.0]


def test_spring_energy_kernel_sums_soft_rows_only() -> None:
    kind = np.array([SOFT, HOLD, SOFT, FOLLOW, LIMITS])
    target, stiffness, free = np.full(5, 0.5), np.full(5, 10.0), np.tile([-np.inf, np.inf], (5, 1))
    value, by_row = np.array([1.5, 9.0, -0.5, 9.0, 9.0]), np.empty(5)
    energy = law_kernels.spring_energy(STRAIGHT, np.full(5, -1), kind, target, stiffness, free, value, by_row)
    assert by_row == pytest.approx([5.0, 0.0, 5.0, 0.0, 0.0])
    assert energy == pytest.approx(0.5 * 10.0 * (1.0 + 1.0))


@given(st.floats(-2.0, 2.0), st.floats(0.1, 50.0), st.floats(0.0, 5.0), st.floats(0.0, 5.0))
def test_a_spring_that_ends_at_its_force_stores_the_work_of_that_force(
    gap: float, stiffness: float, below: float, above: float
) -> None:
    """The energy is the work against the clipped force from the rest length on."""
    way = np.linspace(0.0, gap, 20_001)
    force = np.clip(-stiffness * way, -below, above)
    expected = -np.trapezoid(force, way)
    numbers = (np.array([x]) for x in (-1, SOFT, 0.0, stiffness, (-below, above), gap, 0.0))
    stored = law_kernels.spring_energy(STRAIGHT, *numbers)
    assert stored == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", LAWS)
def test_numbers_of_the_mlcp_are_finite(name: str) -> None:
    for seed in range(5):
        case = Linear(LAWS[name], seed)
        assert np.isfinite(case.rows.bias[0]) and np.isfinite(case.rows.compliance[0])
        assert case.rows.lower[0] <= case.rows.upper[0]


def test_a_servo_pushes_both_ways_and_a_limit_one_way() -> None:
    assert (hold(0.0, 3.0).lower_force, hold(0.0, 3.0).upper_force) == (-3.0, 3.0)
    assert (follow(0.0, 3.0).lower_force, follow(0.0, 3.0).upper_force) == (-3.0, 3.0)
    assert limits(-1.0, 1.0).lower_force == 0.0


def test_a_part_of_a_frame_closes_its_share_of_a_gap() -> None:
    laws = lay_out([RowSpec(slide(np.random.default_rng(0)), (law,)) for law in (hold(1.0), limits(-1.0, 1.0))]).laws
    for value, expected in (((1.5, 0.0), (0.375, 0.0)), ((1.0, 1.2), (0.0, -0.15)), ((1.0, -1.4), (0.0, -0.3))):
        left = np.full(2, np.nan)
        law_kernels.gaps_to_leave(laws.kind, laws.target, laws.limits, 0.75, np.array(value), left)
        assert left == pytest.approx(expected)


@given(st.integers(0, 10**6))
def test_the_worst_slack_is_that_of_the_row_that_is_left_most_open(seed: int) -> None:
    """Of hard rows that the solve closed: neither tight ones, nor redundant ones, nor soft ones."""
    rng = np.random.default_rng(seed)
    laid = LaidRows(lay_out([RowSpec(slide(rng), (hold(),)) for _ in range(4)]), 3)
    laid.rows.beta[:] = rng.uniform(0.5, 1.0, 4) * BETA
    laid.evaluate([random_pose(rng) for _ in range(3)])
    bias, velocity = rng.normal(size=4), rng.normal(size=(3, 6))
    slack = np.abs(laid.rows.beta * (laid.jacobian() @ velocity.ravel() + bias))
    for chosen in range(4):
        closes, redundant, labels = np.ones(4, np.uint8), np.zeros(4, np.uint8), np.zeros(4, np.int64)
        closes[(chosen + 1) % 4], redundant[(chosen + 2) % 4], labels[(chosen + 3) % 4] = 0, 1, 1
        layout, rows = laid.layout, laid.rows
        rows.bias[:] = bias
        found = law_kernels.worst_slack(
            layout.entry_start, layout.entry_body, closes, redundant, held(rows), velocity, labels
        )
        assert found == pytest.approx(slack[chosen])
