"""What a step achieved at the new configuration: errors of rows, ways of bodies, balance, by hand and densely."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import random_unit, stiff_part
from hypothesis import given
from hypothesis import strategies as st
from staged_steps import STEP, Staged, staged_rows, stepper_of

import taut
from taut.integrators import EULER
from taut.joints import Spherical
from taut.model.compile import compile_scene
from taut.rows.coordinate import Slide
from taut.rows.law import FOLLOW, SOFT, Law, follow, hold, limits
from taut.rows.layout import RowSpec
from taut.rows.point import PointPart
from taut.rows.softness import soft
from taut.shapes import Sphere
from taut.stepping.settings import ACCEPTANCE
from taut.stepping.tables import (
    CONTACT_ERROR,
    DEPTH,
    DRIFT,
    ERROR,
    IMBALANCE,
    LEFT,
    MISFIT,
    OPENED,
    REACH,
    SPRINGS,
    STRAYED,
    TOUCHING,
    TURNED,
    VIOLATION,
)

BETA = 0.013
ALONG = (1.0, 0.0, 0.0)
ORIGIN = (0.0, 0.0, 0.0)


def slides(*laws: Law) -> list[RowSpec]:
    """Body k + 1 slides along x by the world with the k-th law."""
    return [RowSpec(Slide(0, k + 1, ORIGIN, ORIGIN, ALONG), (law,)) for k, law in enumerate(laws)]


def put(case: Staged, law: Law, value: float, share: float = 1.0) -> None:
    """Put the one body where its slide has a value, with the numbers of its law; a share of A is of the bodies."""
    compliance = 1.0 / (STEP * (law.stiffness * BETA + law.damping)) if law.kind == SOFT else 0.0
    diagonal = compliance / (1.0 - share) if law.kind == SOFT and share < 1.0 else 1e30 if law.kind == SOFT else 1.0
    case.scratch.places.position[1, 0] = value
    case.rows.beta[0], case.rows.sign[0], case.rows.compliance[0] = BETA, 1.0, compliance
    case.kkt.compliance[0], case.kkt.diagonal[0] = compliance, diagonal


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
    case = staged_rows(slides(law))
    put(case, law, value, share)
    case.rows.sign[0], case.rows.bias[0], case.scratch.left[0] = sign, bias, left
    case.answer.lam[0], case.answer.w[0], case.answer.index_set[0] = lam, w, label
    table = case.judge()
    assert table[ERROR].max() <= case.scratch.candidate.row_error[0]
    return [float(table[VIOLATION].max()), float(table[ERROR].max()), float(case.scratch.verdict.balance[SPRINGS])]


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


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(1.0, 1e5), st.floats(0.0, 1e3))
def test_a_spring_without_linearisation_error_has_none(
    value: float, rate: float, stiffness: float, damping: float
) -> None:
    """For a slide whose motion is straight, gap+ is what the linear solve said, linearised here at rest."""
    spring, after = soft(stiffness, damping, 0.1), value + BETA * rate
    weight = stiffness * BETA + damping
    bias = stiffness * (value - 0.1) / weight
    lam = -(rate + bias) * STEP * weight
    _, error, _ = verdict_of(spring, after, lam=lam, bias=bias)
    assert error == pytest.approx(0.0, abs=1e-12)


def test_follow_rows_are_not_judged() -> None:
    assert verdict_of(follow(1.0), 5.0) == [0.0, 0.0, 0.0]
    assert follow(1.0).kind == FOLLOW


def test_what_is_left_for_the_rest_of_the_frame_is_a_violation_but_no_error() -> None:
    assert verdict_of(hold(1.0), 1.25, left=0.25) == pytest.approx([0.25, 0.0, 0.0])
    assert verdict_of(limits(-1.0, 1.0), 1.25, sign=-1.0, lam=1.0, left=-0.25) == pytest.approx([0.25, 0.0, 0.0])


def test_two_bodies_are_judged_each_by_itself() -> None:
    """Two sliders that nothing connects: each group has the errors of its own rows, and what it leaves for later."""
    case = staged_rows(slides(hold(0.0), hold(1.0)), bodies=3)
    case.scratch.places.position[1:, 0] = 0.25, 0.875
    case.rows.beta[:] = BETA
    case.scratch.left[:] = 0.125, 0.0
    table = case.judge()
    assert case.scratch.verdict.group.tolist() == [0, 1, 2]
    assert table[VIOLATION].tolist() == [0.0, 0.25, 0.125]
    assert table[ERROR].tolist() == [0.0, 0.125, 0.125]
    assert table[DRIFT].tolist() == [0.0, 0.25, 0.125]
    assert table[LEFT].tolist() == [0.0, 0.125, 0.0]
    assert case.scratch.candidate.row_error.tolist() == [0.25, 0.125], "off, or open though it can be closed"


def test_redundant_rows_are_no_drift_but_a_misfit() -> None:
    case = staged_rows(slides(hold(0.0)))
    put(case, hold(0.0), 0.25)
    case.scratch.redundant[0] = 1
    case.stepper.state.measure[0] = 0.125
    table = case.judge()
    case.scratch.redundant[0] = 0
    assert (table[VIOLATION, 1], table[DRIFT, 1]) == (0.25, 0.0)
    assert (table[OPENED, 1], table[MISFIT, 1]) == (0.125, 0.25), "it opened by half of what it is open"


def test_errors_of_groups_that_contacts_touch_count_by_a_share() -> None:
    case = staged_rows(slides(hold(0.0)))
    put(case, hold(0.0), 0.25)
    case.scratch.candidate.touched[1] = 1
    table = case.judge()
    case.scratch.candidate.touched[1] = 0
    assert table[VIOLATION, 1] == 0.25, "what is open is open"
    assert [table[ERROR, 1], table[DRIFT, 1]] == pytest.approx([0.25 / ACCEPTANCE.touching_slack] * 2)


def test_ways_are_those_from_where_the_step_was_linearised(rng: np.random.Generator) -> None:
    case = staged_rows(slides(hold(0.0), hold(0.0)), bodies=4)
    candidate, weights = case.scratch.candidate, case.scratch.weights
    candidate.guess[:], candidate.velocity[:], candidate.moved[:] = rng.normal(size=(3, 4, 6))
    case.scratch.past.displacement[:] = rng.normal(size=(4, 6))
    weights.drift[:], weights.beta[:] = rng.uniform(0.0, 0.5, 4), rng.uniform(0.5, 1.0, 4) * BETA
    table = case.judge()
    path = weights.drift[:, None] * case.scratch.past.displacement + weights.beta[:, None] * candidate.velocity
    assert candidate.path == pytest.approx(path)
    way = weights.beta[:, None] * np.abs(candidate.moved - candidate.guess)
    assert candidate.away == pytest.approx([0.0, *way[1:3].max(axis=1), 0.0]), "of bodies that rows hold"
    assert table[REACH] == pytest.approx(candidate.away)
    assert table[TURNED] == pytest.approx([0.0, *way[1:3, 3:].max(axis=1), 0.0])
    assert not table[STRAYED].any(), "nothing collides here"


def test_energies_and_momenta_are_those_of_the_new_place(rng: np.random.Generator) -> None:
    case = staged_rows([], bodies=3, gravity=(0.0, 0.0, -9.81))
    scratch, mass = case.scratch, 2.0
    scratch.places.position[1:] = rng.normal(size=(2, 3))
    scratch.candidate.velocity[1:] = scratch.candidate.moved[1:] = rng.normal(size=(2, 6))
    scratch.candidate.inertia[:] = np.diag([0.3, 0.4, 0.5]).ravel()
    case.judge()
    velocity, position, balance = scratch.candidate.velocity[1:], scratch.places.position[1:], scratch.verdict.balance
    spin = velocity[:, 3:] * [0.3, 0.4, 0.5]
    kinetic = 0.5 * mass * (velocity[:, :3] ** 2).sum() + 0.5 * (spin * velocity[:, 3:]).sum()
    assert balance[:2] == pytest.approx([kinetic, mass * 9.81 * position[:, 2].sum()])
    assert balance[2:5] == pytest.approx(mass * velocity[:, :3].sum(axis=0))
    assert balance[5:8] == pytest.approx((spin + mass * np.cross(position, velocity[:, :3])).sum(axis=0))


def test_the_imbalance_of_a_taut_body_is_what_its_force_adds_as_it_turns(rng: np.random.Generator) -> None:
    """M~^-1 of the change of J^T lam from x_k to x+, beyond what its stiffness foresaw, as a displacement."""
    arm = np.array(random_unit(rng))
    case = staged_rows([RowSpec(PointPart(0, 1, ORIGIN, tuple(arm)), (hold(),))])
    scratch, candidate, force = case.scratch, case.scratch.candidate, 1e4 * (arm + 0.1 * rng.normal(size=3))
    case.linearise(force)
    case.respond()
    before = case.rows.jacobian.copy()
    candidate.velocity[1, 3:] = 5.0 * rng.normal(size=3)
    case.answer.lam[:], case.answer.index_set[:] = STEP * force, 0
    case.move()
    table = case.judge()
    change = np.einsum("ri,r->i", (scratch.there.jacobian - before)[1::2], STEP * force)
    stiffness = candidate.stiffness[1].reshape(3, 3)
    change[3:] += STEP * STEP * stiffness @ (candidate.velocity[1, 3:] - candidate.guess[1, 3:])
    block = candidate.inertia[1].reshape(3, 3) + STEP * STEP * stiff_part(scratch.there.stiffness[1].reshape(3, 3))
    missed = STEP * np.concatenate([change[:3] / 2.0, np.linalg.solve(block, change[3:])])
    assert np.abs(missed).max() > 1e-3, "the test must meet something"
    assert candidate.error[1] == pytest.approx(missed, abs=1e-12)
    assert table[IMBALANCE] == pytest.approx([0.0, np.abs(missed).max()])
    candidate.touched[1] = 1
    assert not case.judge()[IMBALANCE].any(), "what contacts touch is left to them"


def on_ground(height: float) -> Staged:
    """A ball of half a metre whose centre is so high over the ground, in a step that found its contact."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_plane()
    scene.add_body("ball", Sphere(0.5), mass=2.0, position=(0.0, 0.0, height))
    model, state = compile_scene(scene)
    case = Staged(stepper_of(model), state)
    case.collide()
    case.linearise()
    case.respond()
    return case


def test_contacts_count_by_what_they_overlap_unforeseen() -> None:
    case = on_ground(0.5)
    row, table = case.contacts.table.row[0], case.contacts.table
    case.scratch.places.position[1, 2] = 0.375
    case.answer.lam[row] = 1.0
    case.answer.w[row] = case.rows.bias[row] + case.rows.compliance[row]
    verdict = case.judge()
    assert table.gap[0] == pytest.approx(-0.125) and table.unforeseen[0] == pytest.approx(-0.125)
    assert verdict[DEPTH, 1] == pytest.approx(0.125)
    assert verdict[CONTACT_ERROR, 1] == pytest.approx(0.125 / table.thickness[0])
    assert verdict[TOUCHING].tolist() == [0.0, 1.0]
    case.answer.w[row] -= 0.125 / case.rows.beta[row]
    case.answer.lam[row] = 0.0
    case.answer.w[row] -= case.rows.compliance[row]
    verdict = case.judge()
    assert verdict[CONTACT_ERROR, 1] == pytest.approx(0.0, abs=1e-12), "the same depth, but the solve said so"
    assert verdict[DEPTH, 1] == pytest.approx(0.125) and not verdict[TOUCHING].any()


def test_a_body_that_strays_from_where_contacts_were_looked_for_is_noticed() -> None:
    case = on_ground(0.5)
    reach = case.scratch.reach[1] + case.stepper.mechanism.bodies.slack[1]
    for share, strayed in ((0.99, 0.0), (1.01, 1.0)):
        case.scratch.candidate.moved[1] = 0.0
        case.scratch.candidate.moved[1, 0] = share * reach / case.scratch.weights.beta[1]
        assert case.judge()[STRAYED, 1] == strayed


def test_a_step_that_is_solved_and_moved_has_the_error_of_its_linearisation() -> None:
    """A pendulum: what is judged after all stages is its distance from the circle, which the linear rows miss."""
    scene = taut.Scene(collisions=False)
    scene.add_body(
        "bob", mass=2.0, inertia=(0.3, 0.4, 0.5), position=(1, 0, 0), orientation=(0.6, 0, 0.8, 0),
        angular_velocity=(0, 3, 0), velocity=(0, 0, -3),
    )  # fmt: skip
    scene.connect("world", "bob", Spherical(), at=(0, 0, 0))
    simulation = taut.Simulation(scene, step=STEP, integrator="euler")
    case = Staged(simulation.stepper, simulation.state, STEP, EULER)
    case.predict()
    case.linearise()
    case.solve()
    case.move()
    table, rows = case.judge(), slice(0, 3)
    assert 1e-6 < table[ERROR, 1] < 1e-2
    gap = case.scratch.there.value[rows]
    assert table[VIOLATION, 1] == pytest.approx(np.abs(gap).max())
    assert case.scratch.candidate.row_error[rows] == pytest.approx(np.abs(gap), rel=1e-6)
