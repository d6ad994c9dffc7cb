"""What changing a factor costs, and making it anew, in nanoseconds: a model, so that choices never depend on a clock.

The constants are least times of the kernels on one core of a 2026 x86-64 server (AVX-512), for 300 to 3000 rows and
envelopes from 30 columns to the full triangle. Only their ratios matter to the choice.
"""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.skyline_update_kernels import LANES

COPY_ENTRY = 0.11
"""Copy an entry of a factor."""
GATHER_ENTRY, SOLVE_ENTRY = 0.5, 0.38
"""Gather an entry of the matrix into the panels; use one in a solve."""
PASS_COLUMN = 15.0
"""Pass a column with any number of vectors: its pivot."""
TURN_COLUMN, TURN_ENTRY = 5.3, 0.08
"""Rotate a column with a vector: the rotation, and each entry of the column."""
RETURN_ENTRY = 0.08
"""Subtract an entry from the column of a row that comes back."""
FACTOR_COLUMN, FACTOR_ENTRY, FACTOR_PAIR = 35.0, 1.2, 0.0125
"""Factor anew: each column, each entry, which is gathered first, and each pair of entries of a column."""


@kernel("float64(float64)")
def cost_of_copy(entries):
    """Cost of a copy of a factor with so many entries."""
    return COPY_ENTRY * entries


@kernel("float64(float64)")
def cost_of_adoption(entries):
    """Cost to make a factor of all rows, which is there, the first one: gather the matrix, copy both, solve once."""
    return (GATHER_ENTRY + 2.0 * COPY_ENTRY + SOLVE_ENTRY) * entries


@kernel("float64(float64, float64, float64, float64)")
def cost_of_refactor(columns, entries, pairs, share):
    """Cost of a new factor of a share of the rows, of which all have so many columns, entries and pairs of entries.

    Leaving out rows makes columns fewer and shorter: entries go with the square of the share, pairs with its cube.
    """
    return share * (FACTOR_COLUMN * columns + share * (FACTOR_ENTRY * entries + share * FACTOR_PAIR * pairs))


@kernel("float64(int64[:, ::1], int64, int64[::1], float64[::1])")
def cost_of_exchange(layout, panels, rows, inverse):
    """Cost of rows that leave a factor, and that come back where their inverse pivot is 0; see `skyline_exchange`.

    Shapes:  rows: ascending
    """
    size, end = layout[0, panels], layout[1, panels]
    cost = 0.0
    for k in range(rows.size):
        row = rows[k]
        p = row // layout[4, 0]
        columns = size - row
        if k % LANES == 0:
            cost += PASS_COLUMN * columns
        cost += TURN_COLUMN * columns + TURN_ENTRY * (end - layout[1, p])
        if inverse[row] == 0.0:
            cost += RETURN_ENTRY * (row - layout[0, layout[3, p]]) * layout[2, p]
    return cost
