"""G H^-1 G^T of rows on trees with springs across them: one factor, and a solve a row.        [Baxter2019, sec. 3.4]"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.linalg.articulated_choice import REFINEMENTS, ArticulatedSolver
from taut.linalg.articulated_pcg import TOLERANCE, ConjugateGradients
from taut.tables import Handle, held

Array = NDArray[np.float64]


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
