"""Smooth frames in a row with joints eliminated along the tree."""

from __future__ import annotations

from taut.contact.table import ContactTable
from taut.kernel import kernel
from taut.problem.kkt import Kkt, KktAnswer
from taut.rows.table import RowTable
from taut.solvers.tree.tree_kernels import solve_tree
from taut.solvers.tree.work import TreeWork
from taut.stepping.frame_kernels import SMOOTH, STAGE, UNSOLVED, leave_solve, reach_solve
from taut.stepping.tables import Course, Scratch, StateTable, StepModel
from taut.stepping.ticks_kernels import ticks


@kernel()
def run(
    m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt, contacts: ContactTable, answer: KktAnswer,
    course: Course, work: TreeWork, count: int,
) -> int:  # fmt: skip
    """Up to so many smooth frames in a row.

    Writes:  s, course; the frame that ended them is in scratch
    Returns: SMOOTH, or how the frame after the last one ended
    """
    for _ in range(count):
        reach_solve(m, s, w, rows, kkt, contacts, answer, course)
        start = ticks()
        solved = solve_tree(kkt, work, answer)
        course.ticks[STAGE] += ticks() - start
        if solved == 0:
            return UNSOLVED
        code = leave_solve(m, s, w, rows, kkt, contacts, answer, course)
        if code != SMOOTH:
            return code
    return SMOOTH
