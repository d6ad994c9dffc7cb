"""G H^-1 G^T of rows on trees with springs across them: one factor, and a solve a row.        [Baxter2019, sec. 3.4]"""

from __future__ import annotations

from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from taut.linalg.articulated_choice import REFINEMENTS, ArticulatedSolver, Outcome
from taut.linalg.articulated_pcg import TOLERANCE, ConjugateGradients
from taut.linalg.articulated_rows import ArticulatedRows, row_response
from taut.tables import Handle, held

Array = NDArray[np.float64]


def respond_linear(
    solver: ArticulatedSolver, rows: ArticulatedRows, method: str = "auto", expected_iterations: int | None = None,
    executor: Executor | None = None, parts: int = 1,
) -> tuple[Array, Outcome]:  # fmt: skip
    """Upper triangle (rows, rows) of G H^-1 G^T, and how that went; the rest is 0.

    The columns are shared out in as many parts, which the executor works on side by side: the same bits for any number.
    Without expected iterations a factor is taken where it is no more than the first iteration of each row.
    """
    count = rows.row_start.size - 1
    chosen, most = solver.choose(method, expected_iterations, max(count, 1))
    lost = solver.factor_direct() if chosen == "direct" else solver.factor_tree()
    if chosen == "tree":
        response = row_response(solver.blocks, solver.tree, rows, executor, parts)
        return response, Outcome("tree", 0, None, lost, lost == 0)
    response = np.zeros((count, count))
    ends, handle = np.linspace(0, count, parts + 1).astype(int), held(rows)

    def work(part: int) -> int:
        return respond_part(solver, chosen, handle, (int(ends[part]), int(ends[part + 1])), most, response)

    found = list(map(work, range(parts)) if executor is None else executor.map(work, range(parts))) if lost == 0 else []
    if chosen == "direct":
        return response, Outcome("direct", 0, expected_iterations, abs(lost), lost == 0)
    if lost == 0 and min(found, default=0) >= 0:
        iterations = max(found, default=0)
        return response, Outcome("pcg", iterations, max(iterations, 1), 0, True)
    if method == "auto" and not solver.costs.is_long:
        return respond_linear(solver, rows, "direct", most + 1, executor, parts)
    return response, Outcome("pcg", most, expected_iterations, lost, False)


def respond_part(
    solver: ArticulatedSolver, chosen: str, rows: Handle, columns: tuple[int, int], most: int, response_out: Array
) -> int:
    """Some columns of the response, with vectors of their own; most iterations of one, negative if too few."""
    from taut.linalg.articulated_response_kernels import respond_direct, respond_pcg

    nodes, dofs, (first, last) = solver.blocks.nodes, solver.blocks.dofs, columns
    load, velocity, none, y = np.zeros((nodes, 6)), np.zeros((nodes, 6)), np.zeros(dofs), np.zeros(dofs)
    if chosen == "direct":
        shared = solver.fronts
        fronts = shared.fronts._replace(x=shared.fronts.x.copy(), vector=shared.fronts.vector.copy())
        mine = held(
            shared._replace(
                fronts=fronts, load=np.zeros((nodes, 6)), velocity=np.zeros((nodes, 6)), force=np.zeros(dofs),
                y=np.zeros(dofs),
            )
        )  # fmt: skip
        respond_direct(solver.handle, mine, rows, first, last, REFINEMENTS, load, velocity, none, y, response_out)
        return 0
    work = held(ConjugateGradients.of(nodes, dofs))
    tables = solver.handle, solver.factor, work, rows
    return int(respond_pcg(*tables, first, last, TOLERANCE, most, load, velocity, none, y, response_out))
