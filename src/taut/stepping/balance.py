"""Whether light bodies under tension are in balance where a step led, and what keeps their twist.

A solve balances forces and inertia where it was linearised, at x_k. Rows that hold at x+ say nothing of how the forces
changed on the way: a link that turns by delta under a tension T feels a torque T |d| delta, and its own inertia is next
to nothing. So the balance at x+ is looked at too, see `imbalance`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.integrators.weights import Weights
from taut.problem.solution import MlcpSolution
from taut.spatial import Array, Integers

if TYPE_CHECKING:
    from taut.stepping.workspace import Workbench


def carry_twist(bench: Workbench, velocity: Array, touched: Integers) -> None:
    """Keep the rate at which slim bodies turn about their axis where no row and none of the `touched` acts on it.

    The bench is where the velocity (bodies, 6) led. That rate was balanced along the axis at x_k. Along the axis at x+
    the same angular velocity has another component, and there is hardly any inertia to be patient with.
    """
    from taut.stepping.balance_kernels import carry_twist

    if not bench.slim.any():
        return
    free = bench.slim.copy()
    free[touched] = 0
    carry_twist(
        bench.model.layout.entry_body, bench.rows.jacobian, bench.model.bodies.slim_axis, bench.base_orientation,
        bench.rotation, free, velocity,
    )  # fmt: skip


def find_imbalance(
    bench: Workbench, weights: Weights, guess: Array, jacobian: Array, velocity: Array, solution: MlcpSolution,
    touched: Integers,
) -> float:  # fmt: skip
    """Largest displacement by which a body under tension misses its balance at the bench's configuration, m or rad.

    `jacobian` (entries, 6) is that of the solve; the bench's rows were evaluated with the new forces. Bodies that
    contacts touch are left to the contacts.
    """
    from taut.stepping.balance_kernels import change_of_wrench, imbalance

    rows, layout, response = bench.rows, bench.model.layout, bench.response
    own, error = layout.entry_row.size, np.zeros_like(guess)
    change_of_wrench(
        layout.entry_row, layout.entry_body, bench.companion, rows.sign, solution.lam, jacobian[:own],
        rows.jacobian[:own], error,
    )  # fmt: skip
    counts = bench.model.bodies.moves.copy()
    counts[touched] = 0
    return float(
        imbalance(
            counts, weights.alpha, weights.beta, weights.h, guess, velocity, response.inverse_mass,
            response.inertia, response.stiffness, rows.stiffness, error,
        )
    )  # fmt: skip
