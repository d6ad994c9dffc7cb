"""A candidate for the next state: what one linearised solve led to, and how good that is."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from taut.contact.memory import ContactMemory
from taut.contact.rows import ContactSet
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import MlcpSolution
from taut.spatial import Array, Integers
from taut.stepping import tables as t


@dataclass(eq=False)
class Outcome:
    """A candidate for the next state, with the proof of its solve and its errors at the new configuration.

    Attributes:
        position, orientation, velocity, spin, slim_spin, path, coordinate, measure: of bodies and rows where it led;
            `path` (n, 6) is the displacement of the step, m and rad; `heading` (n, 6) the velocity that leads there,
            that of bodies in joint coordinates is not quite the one that was balanced.
        force: (rows,) N or N m along every row, those of contacts included.
        solution: of the solve, `problem` what was solved where it could not be, else None.
        contacts, memory: contacts of the solve, and what they leave.
        group: (n,) groups of bodies that joints or near contacts connect, by their lowest body.
        table: what was achieved, by group, see `taut.stepping.tables`.
        away: (n,) how far jointed bodies ended from where the solve was linearised, m or rad.
        shaken: (n,) bodies that joints connect to one that a contact acts on.
        row_error: (own rows,) how far rows are off, m or rad.
        thrown: (n,) 1 for bodies that reach a one-sided spring which the step does not resolve, or that a limit caught.
        struck: bodies that a limit throws back, or that it or a spring lets go, and that look back: they may not in
            that step.
        energy: J. momentum: (2, 3) linear and angular.
        energy_group, kinetic, gain: (n,) groups that touch, and by group kinetic energy and what came from nowhere, J.
        friction_residual: how far the friction law is missed.
        projected: bodies whose free motion was projected.
        history, lent: (n,) of the next state, see `State`. taut: (n,) bodies that tension holds, see `find_taut`.
        solves, pivots: what it cost; iterations: of springs across trees, see `State`.
        clipped: bodies for which the whole geometric stiffness was asked for and was not safe.
    """

    position: Array
    orientation: Array
    velocity: Array
    heading: Array
    spin: Array
    slim_spin: Array
    path: Array
    coordinate: Array
    measure: Array
    force: Array
    solution: MlcpSolution
    problem: MlcpProblem | None
    contacts: ContactSet
    memory: ContactMemory
    group: Integers
    table: Array
    away: Array
    shaken: NDArray[np.bool_]
    row_error: Array
    thrown: NDArray[np.uint8]
    struck: Integers
    energy: float
    momentum: Array
    energy_group: Integers
    kinetic: Array
    gain: Array
    friction_residual: float
    solves: int
    pivots: int
    history: NDArray[np.uint8]
    lent: Array
    taut: NDArray[np.uint8]
    iterations: int = 0
    clipped: int = 0
    projected: Integers = field(default_factory=lambda: np.zeros(0, np.int64))

    def note_projected(self, changed: NDArray[np.bool_]) -> None:
        """Take note of bodies (n,) whose free motion was projected.

        They do not look back on it, and what their groups gain is not judged: a projection takes energy away, or gives
        it, as its author likes.
        """
        self.projected = np.flatnonzero(changed)
        self.thrown[changed] = 1
        self.table[t.RISE : t.CONTACT_RISE + 1, self.group[changed]] = -1.0

    @property
    def violation(self) -> float:
        """Gap of the worst hard row, m or rad."""
        return float(self.table[t.VIOLATION].max())

    @property
    def drift(self) -> float:
        """Gap of the worst joint that can be closed, m or rad."""
        return float(self.table[t.DRIFT].max())

    @property
    def opened(self) -> float:
        """By how much the worst redundant row opened, m or rad."""
        return float(self.table[t.OPENED].max())

    @property
    def depth(self) -> float:
        """How deep the deepest contact overlaps, m."""
        return float(self.table[t.DEPTH].max())

    @property
    def touching(self) -> int:
        """Number of contacts that push."""
        return int(self.table[t.TOUCHING].sum())

    @property
    def strayed(self) -> bool:
        """Whether bodies ended so far from where contacts were looked for that some may be missing."""
        return bool(self.table[t.STRAYED].any())

    @property
    def turned(self) -> float:
        """How far any jointed body turned on that way, rad."""
        return float(self.table[t.TURNED].max())

    @property
    def energy_rise(self) -> float:
        """Energy from nowhere relative to what moved, in the worst group of jointed bodies that touch nothing."""
        return float(self.table[t.RISE].max())

    @property
    def contact_energy_rise(self) -> float:
        """The same in the worst other group."""
        return float(self.table[t.CONTACT_RISE].max())
