"""What every response offers: how velocities answer to impulses, M~ u = p, and the KKT problem that rows make of it.

Whoever steps knows no more of M~ than this. Free bodies have one block of six a body (`free_bodies.py`). Articulated
bodies and bodies with springs between them have others: each is one new file that satisfies this protocol.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from taut.integrators.weights import Weights
from taut.model.state import State
from taut.problem.kkt import KktProblem
from taut.rows.container import RowWork
from taut.spatial import Array
from taut.structure.incidence import RowEntries


class Response(Protocol):
    """M~^-1 at one linearisation: M~ = alpha M + h D - h beta (K + K~).

    `prepare` comes first, then `assemble`, then the others; each linearisation starts again.
    """

    @property
    def block_names(self) -> tuple[str, ...]:
        """What each block of six numbers of a velocity belongs to, for messages: (blocks,)."""

    def use(self, entries: RowEntries) -> None:
        """Go on with these rows."""

    def prepare(
        self, state: State, weights: Weights, guess: Array, rotation: Array, work: RowWork, slim: NDArray[np.uint8]
    ) -> None:
        """Factor M~ at a configuration and find the velocity without row impulses, M~ v_free = p + h f - h beta K~ v_k.

        Args:
            state: where the step starts.
            weights: of the scheme.
            guess: (bodies, 6) v_k, the velocity that is linearised at.
            rotation: (bodies, 9) of the bodies there.
            work: the rows there; its stiffness is clipped to the stabilising part.
            slim: (bodies,) 1 for slim bodies that rows hold.
        """

    def assemble(self, work: RowWork) -> KktProblem:
        """The KKT problem of the rows in use, with b + J v_free, and S of hard rows, of which the laws say 0."""

    def apply(self, impulses: Array) -> Array:
        """M~^-1 of impulses (..., bodies, 6) in N s and N m s: changes of velocity, m/s and rad/s."""

    def push(self, impulses: Array) -> None:
        """Let impulses (bodies, 6) act beside the rows: v_free += M~^-1 of them."""

    def velocity(self, lam: Array) -> Array:
        """v+ = v_free + M~^-1 J^T lam, (bodies, 6), for impulses (rows,) of the problem assembled last."""

    def kinetic_energy(self, velocity: Array) -> Array:
        """Kinetic energy (bodies,) of velocities (bodies, 6) with M of this configuration, J."""

    def spin(self, velocity: Array) -> Array:
        """Angular momenta (bodies, 3) about the centres of mass with velocities (bodies, 6), kg m^2/s."""
