"""Laws: from measures to the numbers of the MLCP, and back to what a step achieved."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dense_twins import arrays_of, dense_jacobian, random_pose
from hypothesis import given
from hypothesis import strategies as st
from part_examples import EXAMPLES, slide

from taut.rows import law_kernels
from taut.rows.container import RowWork
from taut.rows.distance import DistancePart
from taut.rows.law import FOLLOW, HOLD, LIMITS, SOFT, Law, follow, hold, limits
from taut.rows.layout import COMPANION, RowSpec, lay_out
from taut.rows.softness import soft

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


def test_kernel_constants_are_those_of_the_laws() -> None:
    for name, value in {"HOLD": HOLD, "FOLLOW": FOLLOW, "SOFT": SOFT, "LIMITS": LIMITS, "COMPANION": COMPANION}.items():
        assert getattr(law_kernels, name) == value


class Linear:
    """One slide row with a law, linearised at a random configuration and velocity."""

    def __init__(self, law: Law, seed: int, repair: float = 1.0) -> None:
        rng = np.random.default_rng(seed)
        self.law = law
        poses = [random_pose(rng) for _ in range(3)]
        self.work = RowWork(lay_out([RowSpec(slide(rng), (law,))]), 3)
        self.work.step = H
        self.work.beta[:] = BETA
        self.work.evaluate(*arrays_of(poses))
        self.value, self.row = self.work.value[0], dense_jacobian(self.work, 3)[0]
        self.guess, self.velocity = rng.normal(size=(3, 6)), rng.normal(size=(3, 6))
        self.work.apply_laws(np.array([law.target]), self.guess, repair)
        self.next_value = self.value + BETA * self.row @ (self.velocity - self.guess).ravel()
        self.rate = self.row @ self.velocity.ravel()
        turned = dense_jacobian(self.work, 3)[0]
        self.closing = turned @ self.velocity.ravel() + self.work.bias[0]
        """J v+ + b, what S lam must cancel where w = 0"""


@given(st.integers(0, 10**6), st.floats(-2.0, 2.0))
def test_hold_reaches_its_target_at_the_end_of_the_step(seed: int, target: float) -> None:
    case = Linear(hold(target, force=7.0), seed)
    assert case.closing == pytest.approx((case.next_value - target) / BETA)
    assert case.work.compliance[0] == 0.0, "hard"
    assert (case.work.lower[0], case.work.upper[0]) == pytest.approx((-7.0 * H, 7.0 * H))
    assert case.work.gap[0] == pytest.approx(case.value - target)


@given(st.integers(0, 10**6), st.floats(-2.0, 2.0))
def test_follow_asks_for_a_speed_and_nothing_of_the_position(seed: int, speed: float) -> None:
    case = Linear(follow(speed), seed)
    assert case.closing == pytest.approx(case.rate - speed)
    assert (case.work.lower[0], case.work.upper[0]) == (-math.inf, math.inf)


@given(st.integers(0, 10**6), st.floats(0.0, 1e6), st.floats(1e-3, 1e4), st.floats(-2.0, 2.0))
def test_soft_rows_are_implicit_springs_and_dampers(seed: int, stiffness: float, damping: float, rest: float) -> None:
    case = Linear(soft(stiffness, damping, rest), seed)
    lam = -case.closing / case.work.compliance[0]
    force = -stiffness * (case.next_value - rest) - damping * case.rate
    scale = stiffness * (abs(case.value) + abs(rest) + 1.0) + damping * (abs(case.rate) + 1.0)
    assert lam / H / scale == pytest.approx(force / scale, abs=1e-9)


@given(st.integers(0, 10**6), st.floats(-3.0, 3.0), st.floats(0.0, 3.0))
def test_limits_push_from_the_nearer_end(seed: int, lower: float, width: float) -> None:
    case = Linear(limits(lower, lower + width), seed)
    low, high = case.value - lower, lower + width - case.value
    sign = 1.0 if low <= high else -1.0
    assert case.work.sign[0] == sign
    assert case.work.gap[0] == pytest.approx(min(low, high))
    distance = case.next_value - lower if sign > 0 else lower + width - case.next_value
    assert case.closing == pytest.approx(distance / BETA)
    assert (case.work.lower[0], case.work.upper[0]) == (0.0, math.inf)
    assert dense_jacobian(case.work, 3)[0] == pytest.approx(sign * case.row)


@pytest.mark.parametrize("ends", [(-math.inf, 0.4), (0.4, math.inf)])
def test_one_infinite_end_never_counts(ends: tuple[float, float]) -> None:
    for seed in range(20):
        case = Linear(limits(*ends), seed)
        assert np.isfinite(case.work.bias[0])
        assert case.work.sign[0] == (-1.0 if ends[1] == 0.4 else 1.0)


@given(st.integers(0, 10**6))
def test_a_share_of_a_violation_is_taken_back(seed: int) -> None:
    """For iterative solvers; an open limit and rows that are no positions are left as they are."""
    for law in (hold(0.3), limits(-0.4, 0.5), follow(0.7), soft(100.0, 3.0)):
        whole, part = Linear(law, seed).work.bias[0], Linear(law, seed, repair=0.2).work.bias[0]
        scaled = law.kind == HOLD or (law.kind == LIMITS and whole < 0.0)
        assert part == pytest.approx(0.2 * whole if scaled else whole)


def test_companions_pull_towards_the_velocity_linearised_at(rng: np.random.Generator) -> None:
    poses = [random_pose(rng) for _ in range(3)]
    work = RowWork(lay_out([RowSpec(EXAMPLES[DistancePart](rng), (hold(1.0),))]), 3)
    work.step, work.force[0] = H, -50.0
    work.beta[:] = BETA
    work.evaluate(*arrays_of(poses))
    guess = rng.normal(size=(3, 6))
    work.apply_laws(work.layout.laws.target, guess)
    rows = dense_jacobian(work, 3)[1:]
    assert work.bias[1:] == pytest.approx(-rows @ guess.ravel())
    assert work.compliance[1:].tolist() == [1.0, 1.0]


def verdict_of(
    law: Law,
    value: float,
    lam: float = 0.0,
    w: float = 0.0,
    label: int = 0,
    bias: float = 0.0,
    share: float = 1.0,
    sign: float = 1.0,
    left: float = 0.0,
) -> list[float]:
    """Violation, error and energy of one row."""
    layout = lay_out([RowSpec(slide(np.random.default_rng(0)), (law,))]).laws
    compliance = 1.0 / (H * (law.stiffness * BETA + law.damping)) if law.kind == SOFT else 0.0
    diagonal = compliance / (1.0 - share) if law.kind == SOFT and share < 1.0 else 1e30 if law.kind == SOFT else 1.0
    out, one = np.zeros(4), np.ones(1)
    law_kernels.judge_rows(
        layout.kind, layout.target, layout.stiffness, layout.damping, layout.lower_limit, layout.upper_limit,
        layout.lower_force, layout.upper_force, one, sign * one, BETA * one, compliance * one, diagonal * one,
        bias * one, left * one, lam * one, w * one, np.array([label]), value * one, np.zeros(1), out,
    )  # fmt: skip
    return out[:3].tolist()


def test_violation_and_error_of_a_held_row() -> None:
    assert verdict_of(hold(1.0), 1.25) == pytest.approx([0.25, 0.25, 0.0])
    assert verdict_of(hold(1.0), 0.75) == pytest.approx([0.25, 0.25, 0.0])
    assert verdict_of(hold(1.0, force=2.0), 1.25, label=1) == [0.0, 0.0, 0.0], "a motor at its bound need not hold"


def test_a_gap_that_is_left_for_later_is_open_in_a_joint_and_on_its_way_in_a_servo() -> None:
    """A servo that lagged behind and has force enough again closes a part's share of its lag."""
    assert verdict_of(hold(1.0), 1.25, left=0.25) == pytest.approx([0.25, 0.0, 0.0])
    assert verdict_of(hold(1.0, force=2.0), 1.25, left=0.25) == pytest.approx([0.0, 0.0, 0.0])


def test_a_slack_the_solve_left_is_no_error_of_the_linearisation() -> None:
    assert verdict_of(hold(1.0), 1.0 + BETA * 0.5, w=0.5) == pytest.approx([BETA * 0.5, 0.0, 0.0])


def test_violation_and_error_of_limits() -> None:
    bounds = limits(-1.0, 1.0)
    assert verdict_of(bounds, 0.5, w=0.5 / BETA, label=-1) == pytest.approx([0.0, 0.0, 0.0])
    assert verdict_of(bounds, -1.25, lam=1.0) == pytest.approx([0.25, 0.25, 0.0]), "pushed, and still beyond"
    assert verdict_of(bounds, -0.75, lam=1.0) == pytest.approx([0.0, 0.25, 0.0]), (
        "pushed too far: the linearisation was off"
    )
    assert verdict_of(bounds, 1.5, w=2.5 / BETA, label=-1) == pytest.approx([0.5, 0.5, 0.0]), "through the other end"
    assert verdict_of(bounds, 1.25, lam=1.0, sign=-1.0) == pytest.approx([0.25, 0.25, 0.0])


def test_springs_count_by_their_share_and_store_energy() -> None:
    spring = soft(50.0, 2.0, target=0.2)
    violation, error, energy = verdict_of(spring, 0.6, share=1.0)
    assert violation == 0.0 and energy == pytest.approx(0.5 * 50.0 * 0.4**2)
    assert verdict_of(spring, 0.6, share=0.25)[1] == pytest.approx(0.25 * error)
    assert verdict_of(soft(0.0, 2.0), 0.6) == [0.0, 0.0, 0.0], "a damper stores nothing"


@given(st.integers(0, 10**6), st.floats(1.0, 1e5), st.floats(0.0, 1e3))
def test_a_spring_without_linearisation_error_has_none(seed: int, stiffness: float, damping: float) -> None:
    """For a slide whose motion is straight, gap+ is what the linear solve said."""
    case = Linear(soft(stiffness, damping, 0.1), seed)
    lam = -case.closing / case.work.compliance[0]
    _, error, _ = verdict_of(case.law, case.next_value, lam=lam, bias=case.work.bias[0])
    assert error == pytest.approx(0.0, abs=1e-12 * max(1.0, abs(case.next_value)))


def test_follow_and_companion_rows_are_not_judged() -> None:
    assert verdict_of(follow(1.0), 5.0) == [0.0, 0.0, 0.0]


def test_spring_energy_kernel_sums_soft_rows_only() -> None:
    kind = np.array([SOFT, HOLD, SOFT, FOLLOW, LIMITS])
    target, stiffness, free = np.full(5, 0.5), np.full(5, 10.0), np.full(5, np.inf)
    energy = law_kernels.spring_energy(kind, target, stiffness, -free, free, np.array([1.5, 9.0, -0.5, 9.0, 9.0]))
    assert energy == pytest.approx(0.5 * 10.0 * (1.0 + 1.0))


@given(st.floats(-2.0, 2.0), st.floats(0.1, 50.0), st.floats(0.0, 5.0), st.floats(0.0, 5.0))
def test_a_spring_that_ends_at_its_force_stores_the_work_of_that_force(
    gap: float, stiffness: float, below: float, above: float
) -> None:
    """The energy is the work against the clipped force from the rest length on."""
    way = np.linspace(0.0, gap, 20_001)
    force = np.clip(-stiffness * way, -below, above)
    expected = -np.trapezoid(force, way)
    stored = law_kernels.spring_energy(*(np.array([x]) for x in (SOFT, 0.0, stiffness, -below, above, gap)))
    assert stored == pytest.approx(expected, abs=1e-6)


def test_drive_work_is_force_times_path_of_the_rows_that_drive(rng: np.random.Generator) -> None:
    parts = [slide(rng) for _ in range(3)]
    work = RowWork(lay_out([RowSpec(part, (hold(),)) for part in parts]), 3)
    work.evaluate(*arrays_of([random_pose(rng) for _ in range(3)]))
    displacement, lam = rng.normal(size=(3, 6)), np.array([1.0, -2.0, 3.0])
    paths = dense_jacobian(work, 3) @ displacement.ravel()
    layout = work.layout
    drives = np.array([1, 1, 0], np.uint8)
    total = law_kernels.drive_work(drives, layout.entry_start, layout.entry_body, work.jacobian, lam, H, displacement)
    assert total == pytest.approx((lam / H * paths)[:2].sum())


@pytest.mark.parametrize("name", LAWS)
def test_numbers_of_the_mlcp_are_finite(name: str) -> None:
    for seed in range(5):
        case = Linear(LAWS[name], seed)
        assert np.isfinite(case.work.bias[0]) and np.isfinite(case.work.compliance[0])
        assert case.work.lower[0] <= case.work.upper[0]


def test_a_servo_pushes_both_ways_and_a_limit_one_way() -> None:
    assert (hold(0.0, 3.0).lower_force, hold(0.0, 3.0).upper_force) == (-3.0, 3.0)
    assert (follow(0.0, 3.0).lower_force, follow(0.0, 3.0).upper_force) == (-3.0, 3.0)
    assert limits(-1.0, 1.0).lower_force == 0.0


def test_what_is_left_for_the_rest_of_the_frame_is_a_violation_but_no_error() -> None:
    assert verdict_of(hold(1.0), 1.25, left=0.25) == pytest.approx([0.25, 0.0, 0.0])
    assert verdict_of(limits(-1.0, 1.0), 1.25, sign=-1.0, lam=1.0, left=-0.25) == pytest.approx([0.25, 0.0, 0.0])


def test_a_part_of_a_frame_closes_its_share_of_a_gap() -> None:
    laws = lay_out([RowSpec(slide(np.random.default_rng(0)), (law,)) for law in (hold(1.0), limits(-1.0, 1.0))]).laws
    for value, expected in (((1.5, 0.0), (0.375, 0.0)), ((1.0, 1.2), (0.0, -0.15)), ((1.0, -1.4), (0.0, -0.3))):
        left = np.full(2, np.nan)
        law_kernels.gaps_to_leave(
            laws.kind, laws.target, laws.lower_limit, laws.upper_limit, 0.75, np.array(value), left
        )
        assert left == pytest.approx(expected)
