"""The memory that the stages of a frame write into, allocated once a model; see `taut.stepping.tables`."""

from __future__ import annotations

import numpy as np

from taut.integrators.scheme import OLDER, STEP
from taut.rows.table import Places, RowTable
from taut.stepping.mechanism import Mechanism
from taut.stepping.tables import BALANCE, VERDICTS, Candidate, Past, Scratch, StateTable, Verdict, WeightTable


def scratch_for(mechanism: Mechanism) -> Scratch:
    """Room for a step of a mechanism."""
    count, rows = mechanism.count, mechanism.row_count
    numbers, vectors = np.zeros((9, count)), np.zeros((10, count, 6))
    flags = np.zeros((5, count), np.uint8)
    candidate = Candidate(
        slim=flags[0], guess=vectors[0], wrench=vectors[1], inertia=np.zeros((count, 9)),
        stiffness=np.zeros((count, 9)),
        free_velocity=vectors[2], velocity=vectors[3], moved=vectors[9], path=vectors[4], spin=np.zeros((count, 3)),
        slim_spin=numbers[0], touched=flags[1], away=numbers[1], shaken=flags[2], lent=numbers[8], error=vectors[5],
        change=vectors[6], near=vectors[7], shift=vectors[8], bent=numbers[7], row_error=np.zeros(rows),
        thrown=flags[3], taut=flags[4],
    )  # fmt: skip
    verdict = Verdict(
        group=np.zeros(count, np.int64), energy_group=np.zeros(count, np.int64), table=np.zeros((VERDICTS, count)),
        kinetic=numbers[2], gain=numbers[3], at_rest=numbers[4], work=numbers[5],
        jointless=np.zeros(count, np.uint8), balance=np.zeros(BALANCE),
    )  # fmt: skip
    return Scratch(
        weights=WeightTable._make([np.zeros(1), *np.zeros((7, count)), np.zeros(count, np.uint8)]),
        past=Past(
            np.zeros((count, 6)), np.zeros((count, 3)), np.zeros(count), np.zeros((count, 6)), np.zeros((count, 4))
        ),
        base=Places.empty(count),
        places=Places.empty(count),
        joint=np.zeros((mechanism.trees.body.size, 7)),
        led=np.zeros((mechanism.trees.body.size, 7)),
        there=own_rows(mechanism),
        left=np.zeros(rows),
        redundant=np.zeros(rows, np.uint8),
        reach=numbers[6],
        candidate=candidate,
        verdict=verdict,
    )


def own_rows(mechanism: Mechanism) -> RowTable:
    """Room for the rows of a mechanism."""
    return RowTable.of(mechanism.count, mechanism.slot_count, mechanism.row_count, mechanism.entries.entry_body.size)


def state_for(mechanism: Mechanism, depth: int) -> StateTable:
    """Room for a state; for steps before the last one only with a scheme that looks back so far."""
    count, rows = mechanism.count, mechanism.row_count
    numbers, by_row, ends = np.zeros((3, count)), np.zeros((4, rows)), np.zeros((3, rows, 2))
    vectors, twists = np.zeros((4, count, 3)), np.zeros((4, count, 6))
    return StateTable(
        position=vectors[0], orientation=np.zeros((count, 4)), velocity=twists[0], spin=vectors[1],
        slim_spin=numbers[0], previous_velocity=twists[1], previous_spin=vectors[2], previous_slim_spin=numbers[1],
        displacement=twists[2], older=np.zeros((count if depth > 1 else 0, STEP * OLDER)),
        lent=numbers[2], force=by_row[0], index_set=np.zeros(rows, np.int64),
        coordinate=np.zeros(mechanism.slot_count), target=by_row[1], reached=by_row[2], measure=by_row[3],
        limits=ends[0], reached_limits=ends[1], force_limits=ends[2],
        history=np.zeros(count, np.uint8), calm=np.zeros(count, np.int64), applied=twists[3],
        applied_point=vectors[3],
    )  # fmt: skip
