"""Springs and dampers that are not straight: a force over a displacement or a rate, piece by piece a cubic.

    f(x) = f0 + f1 u + f2 u^2 + f3 u^3,  u = x - origin of its piece          V(x) = integral of f from 0 to x

A spring pushes back with f(q - rest) N (N m), a damper with f(dq/dt). Every linearisation takes the tangent where
bodies are predicted, and the judge compares the force there with the force where they went: where the difference would
move bodies by more than the tolerance, the step is linearised again, which is Newton's method.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut import checks
from taut.errors import InputError
from taut.spatial import Array, Integers
from taut.tables import RealRows, Reals, Wholes

Piece = tuple[float, float, float, float, float]
"""Origin of a piece and its four coefficients, see `Curve`."""


@dataclass(frozen=True)
class Curve:
    """A force over a displacement (m or rad) or a rate (m/s or rad/s), without jumps.

    Made by `table`, `cubic`, `dead_band`, `pulling` or `pushing`; curves add up with `+`.

    Attributes:
        breaks: where each piece but the last ends, growing.
        pieces: one more than breaks.
    """

    breaks: tuple[float, ...]
    pieces: tuple[Piece, ...]

    @classmethod
    def table(cls, x: Any, force: Any, smooth: bool = False) -> Curve:
        """Through points: straight between them, or with `smooth` a cubic that overshoots nowhere; straight beyond.

        Args:
            x: displacements or rates, growing, two or more.
            force: at each of them, N or N m, against a positive displacement or rate where positive.
            smooth: whether the slope has no jumps either.
        """
        places, forces = numbers("x", x), numbers("force", force)
        if len(places) != len(forces) or len(places) < 2:
            raise InputError(
                f"curve: x has {len(places)} numbers and force {len(forces)}; both must have as many, two or more"
            )
        if (np.diff(places) <= 0.0).any():
            raise InputError(f"curve: x is {checks.shown(x)}; it must grow from point to point")
        slopes = np.diff(forces) / np.diff(places)
        if not smooth or len(places) == 2:
            pieces = [(*point, slope, 0.0, 0.0) for *point, slope in zip(places, forces, slopes, strict=False)]
            return cls(tuple(places[1:-1].tolist()), tuple(tuple(map(float, piece)) for piece in pieces))  # type: ignore[misc]
        from scipy.interpolate import PchipInterpolator

        inner = PchipInterpolator(places, forces)
        first, last = inner.derivative()(places[[0, -1]])
        pieces = [(places[0], forces[0], first, 0.0, 0.0)]
        pieces += [(place, *row[::-1]) for place, row in zip(places, inner.c.T, strict=False)]
        pieces.append((places[-1], forces[-1], last, 0.0, 0.0))
        return cls(tuple(places.tolist()), tuple(tuple(map(float, piece)) for piece in pieces))  # type: ignore[misc]

    @classmethod
    def cubic(cls, stiffness: float, hardening: float = 0.0) -> Curve:
        """k x + k3 x^3: `stiffness` in N/m (N m/rad), `hardening` in N/m^3 (N m/rad^3), negative for softening."""
        stiffness = checks.number("curve", "stiffness", stiffness)
        return cls((), ((0.0, 0.0, stiffness, 0.0, checks.number("curve", "hardening", hardening)),))

    @classmethod
    def dead_band(cls, low: float, high: float, stiffness: float) -> Curve:
        """No force between two ends, `stiffness` beyond them: play, bump stops on both sides."""
        low, high = checks.interval("curve", "dead band", (low, high))
        stiffness = checks.number("curve", "stiffness", stiffness, at_least=0.0)
        return cls((low, high), ((low, 0, stiffness, 0, 0), (low, 0, 0, 0, 0), (high, 0, stiffness, 0, 0)))

    @classmethod
    def pulling(cls, stiffness: float, slack: float = 0.0) -> Curve:
        """`stiffness` where it is stretched by more than the slack (m), nothing where it is shorter: a rope."""
        slack = checks.number("curve", "slack", slack)
        stiffness = checks.number("curve", "stiffness", stiffness, at_least=0.0)
        return cls((slack,), ((slack, 0.0, 0.0, 0.0, 0.0), (slack, 0.0, stiffness, 0.0, 0.0)))

    @classmethod
    def pushing(cls, stiffness: float, play: float = 0.0) -> Curve:
        """`stiffness` where it is shorter than rest by more than the play (m), nothing where it is longer: a buffer."""
        play = checks.number("curve", "play", play)
        stiffness = checks.number("curve", "stiffness", stiffness, at_least=0.0)
        return cls((-play,), ((-play, 0.0, stiffness, 0.0, 0.0), (-play, 0.0, 0.0, 0.0, 0.0)))

    def __add__(self, other: Curve) -> Curve:
        """Both at once, side by side."""
        if not isinstance(other, Curve):
            return NotImplemented
        breaks = sorted({*self.breaks, *other.breaks})
        pieces = []
        for low, high in zip([-math.inf, *breaks], [*breaks, math.inf], strict=True):
            origin = low if math.isfinite(low) else high if math.isfinite(high) else 0.0
            inside = low + 0.5 * (high - low) if math.isfinite(low) and math.isfinite(high) else origin
            inside += (1.0 if math.isfinite(low) else -1.0) if not math.isfinite(high - low) else 0.0
            shifted = [moved(curve.piece_at(inside), origin) for curve in (self, other)]
            pieces.append((origin, *(a + b for a, b in zip(*shifted, strict=True))))
        return Curve(tuple(breaks), tuple(pieces))

    def piece_at(self, x: float) -> Piece:
        """The piece that says the force at x."""
        return self.pieces[int(np.searchsorted(self.breaks, x, side="left"))]

    def __call__(self, x: float) -> float:
        """The force."""
        origin, *coefficients = self.piece_at(x)
        return float(np.polynomial.polynomial.polyval(x - origin, coefficients))

    def slope(self, x: float) -> float:
        """Its slope."""
        origin, _, f1, f2, f3 = self.piece_at(x)
        u = x - origin
        return f1 + u * (2.0 * f2 + 3.0 * f3 * u)

    def energy(self, x: float) -> float:
        """What is stored, J: the integral from 0 to x."""
        origin, *coefficients = self.piece_at(x)
        index = int(np.searchsorted(self.breaks, x, side="left"))
        return self.stored_at_origins[index] + integral(coefficients, x - origin)

    @cached_property
    def stored_at_origins(self) -> tuple[float, ...]:
        """Constant of integration of every piece, so that V has no jumps and V(0) = 0."""
        constants = [0.0]
        for index, end in enumerate(self.breaks):
            (before, *a), (after, *b) = self.pieces[index], self.pieces[index + 1]
            constants.append(constants[-1] + integral(a, end - before) - integral(b, end - after))
        index = int(np.searchsorted(self.breaks, 0.0, side="left"))
        origin, *coefficients = self.pieces[index]
        at_zero = constants[index] + integral(coefficients, -origin)
        return tuple(constant - at_zero for constant in constants)


def numbers(field: str, values: Any) -> Array:
    """Numbers of a list."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise InputError(f"curve: {field} is {checks.shown(values)}; it must be a list of numbers")
    return np.array([checks.number("curve", f"{field} {index}", value) for index, value in enumerate(values)])


def integral(coefficients: Sequence[float], u: float) -> float:
    """Of a cubic from 0 to u."""
    f0, f1, f2, f3 = coefficients
    return u * (f0 + u * (f1 / 2.0 + u * (f2 / 3.0 + u * f3 / 4.0)))


def moved(piece: Piece, origin: float) -> tuple[float, float, float, float]:
    """The coefficients of a piece about another origin."""
    before, f0, f1, f2, f3 = piece
    d = origin - before
    return (
        f0 + d * (f1 + d * (f2 + d * f3)), f1 + d * (2.0 * f2 + 3.0 * d * f3), f2 + 3.0 * d * f3, f3,
    )  # fmt: skip


class Curves(NamedTuple):
    """All curves of a model, piece by piece.

    Attributes:
        start: (curves + 1,) first piece of each.
        begin: (pieces,) where a piece begins, m, rad or their rates.
        piece: (pieces, 6) origin, four coefficients, energy at the origin.
    """

    start: Wholes
    begin: Reals
    piece: RealRows


def number_curves(*columns: NDArray[np.object_]) -> tuple[Curves, list[Integers]]:
    """The curves of some columns (rows,) as one table, and their numbers there by column, -1 where there is none."""
    numbers = [np.full(column.size, -1) for column in columns]
    curved = [curved_rows(column.tolist()) for column in columns]
    if not any(rows.size for rows in curved):
        return no_curves(), numbers
    found = dict.fromkeys(column[row] for column, rows in zip(columns, curved, strict=True) for row in rows)
    number = {curve: index for index, curve in enumerate(found)}
    for column, rows, each in zip(columns, curved, numbers, strict=True):
        each[rows] = [number[column[row]] for row in rows]
    return pack_curves(list(found)), numbers


@cache
def no_curves() -> Curves:
    """The table of a model without curves."""
    return pack_curves([])


def curved_rows(column: list[Curve | None]) -> Integers:
    """Rows that have a curve: mostly none."""
    straight = column.count(None) == len(column)
    return np.array([] if straight else [row for row, each in enumerate(column) if each is not None], np.int64)


def pack_curves(curves: Sequence[Curve]) -> Curves:
    """Curves as one table."""
    counts = [len(curve.pieces) for curve in curves]
    begin = [place for curve in curves for place in (-math.inf, *curve.breaks)]
    rows = [
        (*piece, stored)
        for curve in curves
        for piece, stored in zip(curve.pieces, curve.stored_at_origins, strict=True)
    ]
    return Curves(
        start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        begin=np.array(begin, float),
        piece=np.array(rows, float).reshape(-1, 6),
    )
