"""What rows feel of their bodies, against J M^-1 J^T written out."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import random_spd

from taut.problem.kkt import HARD_REGULARISATION, Kkt, KktProblem
from taut.responses.row_kernels import respond_rows
from taut.structure.incidence import RowEntries
from taut.tables import held

ROWS, BODIES = 6, 4


def random_blocks(rng: np.random.Generator) -> tuple[RowEntries, Kkt, np.ndarray, np.ndarray]:
    """Rows between one, two or three bodies, the first of which does not move; J and M^-1 written out."""
    bodies = [rng.permutation(BODIES)[: 1 + row % 3] for row in range(ROWS)]
    bodies[0] = np.array([2])
    start = np.cumsum([0, *(len(each) for each in bodies)]).astype(np.int64)
    entry_body = np.concatenate(bodies).astype(np.int64)
    entry_row = np.repeat(np.arange(ROWS), np.diff(start)).astype(np.int64)
    moves = np.array([0, 1, 1, 1], np.uint8)
    entries = RowEntries(
        entry_start=start, entry_row=entry_row, entry_body=entry_body, moves=moves,
        unbounded=np.ones(ROWS, bool), owner=np.arange(ROWS),
    )  # fmt: skip
    inverse_mass, inverse_inertia = np.zeros(BODIES), np.zeros((BODIES, 9))
    dense, inverse = np.zeros((ROWS, BODIES, 6)), np.zeros((6 * BODIES, 6 * BODIES))
    for body in range(1, BODIES):
        inverse_mass[body], inverse_inertia[body] = rng.uniform(0.1, 10.0), random_spd(rng).ravel()
        first = 6 * body
        inverse[first : first + 3, first : first + 3] = inverse_mass[body] * np.eye(3)
        inverse[first + 3 : first + 6, first + 3 : first + 6] = inverse_inertia[body].reshape(3, 3)
    jacobian = rng.normal(size=(entry_body.size, 6))
    np.add.at(dense, (entry_row, entry_body), jacobian)
    numbers = (np.full(ROWS, np.nan) for _ in range(5))
    compliance, bias, lower, upper, diagonal = numbers
    kkt = Kkt(
        entry_start=start, entry_row=entry_row, entry_body=entry_body, inverse_mass=inverse_mass,
        inverse_inertia=inverse_inertia, turning=np.zeros((BODIES, 9)), jacobian=jacobian,
        response=np.full((entry_body.size, 6), np.nan), compliance=compliance, bias=bias, lower=lower, upper=upper,
        diagonal=diagonal,
    )  # fmt: skip
    return entries, kkt, dense.reshape(ROWS, -1), inverse


def test_responses_are_the_delassus_matrix(rng: np.random.Generator) -> None:
    entries, kkt, jacobian, inverse = random_blocks(rng)
    compliance, bias = np.array([0.0, 0.3, 0.0, 1.0, 0.0, 2.0]), rng.normal(size=ROWS)
    free = rng.normal(size=(BODIES, 6))
    none = np.zeros(ROWS, np.uint8)
    respond_rows(none, none, none, compliance, bias, free, free, held(kkt))
    plain = jacobian @ inverse @ jacobian.T
    softness = np.where(compliance > 0.0, compliance, HARD_REGULARISATION * np.diag(plain))
    assert kkt.compliance == pytest.approx(softness)
    assert kkt.diagonal == pytest.approx(np.diag(plain) + softness)
    assert kkt.bias == pytest.approx(bias + jacobian @ free.ravel())
    found = KktProblem(entries, kkt).matrix().sparse.toarray()
    assert found == pytest.approx(plain + np.diag(softness), rel=1e-12, abs=1e-12)


def test_redundant_rows_give_way_by_what_they_feel(rng: np.random.Generator) -> None:
    """Rows beyond the flags, those of contacts, are none of them."""
    _, kkt, jacobian, inverse = random_blocks(rng)
    zeros, hard, redundant = np.zeros(ROWS), np.array([0, 0, 1, 1], np.uint8), np.array([0, 1, 0, 1], np.uint8)
    none, still = np.zeros_like(hard), np.zeros((BODIES, 6))
    respond_rows(hard, redundant, none, zeros, zeros, still, still, held(kkt))
    own = np.diag(jacobian @ inverse @ jacobian.T)
    gives, kept = np.array([0.0, 1.0, 0.0, 1.0, 0.0, 0.0]), np.array([1.0, 2.0, 0.0, 0.0, 1.0, 1.0])
    assert kkt.compliance == pytest.approx(own * (gives + HARD_REGULARISATION * kept), rel=1e-14)
    assert kkt.compliance[2] == 0.0, "a hard row that was searched and is not redundant has none"
    assert kkt.diagonal == pytest.approx(own + kkt.compliance)


def test_joints_of_trees_are_closed_where_the_prediction_led(rng: np.random.Generator) -> None:
    _, kkt, jacobian, _ = random_blocks(rng)
    free, near = rng.normal(size=(2, BODIES, 6))
    zeros, bias = np.zeros(ROWS), rng.normal(size=ROWS)
    none, closed = np.zeros(ROWS, np.uint8), np.array([1, 0, 1, 0, 0, 1], np.uint8)
    respond_rows(none, none, closed, zeros, bias, free, near, held(kkt))
    expected = np.where(closed > 0, -jacobian @ near.ravel(), bias + jacobian @ free.ravel())
    assert kkt.bias == pytest.approx(expected)
