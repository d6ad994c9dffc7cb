"""The table of all ropes that run over many bodies, see `route.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.rows.part import Members
from taut.rows.route import RoutePart, Triple, Wrap
from taut.spatial import Integers
from taut.tables import RealRows, Reals, Wholes

if TYPE_CHECKING:
    from taut.rows.layout import RowLayout


class Routes(NamedTuple):
    """All `RoutePart`s of a model, stop by stop.

    Attributes:
        row, body, point, axis, start: (stops,), (stops,), (stops, 3) of each; rows of one rope are next to each other.
        radius: (stops,) s r, m; drum: 1 where the rope is held, at `start`.
        slot, slip: (stops,) coordinate of its wrap, row of its slip; -1 where it has none.
        entry, width, block: (stops,) first Jacobian block of the row, blocks of the row, and which is the body's.
        companion: (stops,) first block of the companions of the span from this stop on, -1 where there are none.
    """

    row: Wholes
    body: Wholes
    point: RealRows
    axis: RealRows
    start: RealRows
    radius: Reals
    friction: Reals
    drum: Wholes
    slot: Wholes
    slip: Wholes
    entry: Wholes
    width: Wholes
    block: Wholes
    companion: Wholes

    @classmethod
    def of(cls, members: Members, layout: RowLayout) -> Routes:
        """Pack the parts, each with its first row."""
        stops = [(part, row, index, stop) for part, row in members for index, stop in enumerate(part.stops)]
        entry_start, slots = layout.entry_start, layout.slots

        def whole(values: list[int]) -> Wholes:
            return np.array(values, np.int64)

        def vectors(values: list[Triple]) -> RealRows:
            return np.array(values, float).reshape(-1, 3)

        return cls(
            row=whole([row for _, row, _, _ in stops]),
            body=whole([stop.body for *_, stop in stops]),
            point=vectors([stop.point for *_, stop in stops]),
            axis=vectors([stop.axis for *_, stop in stops]),
            start=vectors([stop.start or (0.0, 0.0, 0.0) for *_, stop in stops]),
            radius=np.array([stop.sense * stop.radius for *_, stop in stops], float),
            friction=np.array([stop.friction for *_, stop in stops], float),
            drum=whole([stop.start is not None for *_, stop in stops]),
            slot=whole([slots[Wrap(part, k)] if stop.wraps else -1 for part, _, k, stop in stops]),
            slip=whole([row + part.slip_of(k) if stop.friction > 0.0 else -1 for part, row, k, stop in stops]),
            entry=whole([int(entry_start[row]) for _, row, _, _ in stops]),
            width=whole([len(part.bodies) for part, *_ in stops]),
            block=whole([part.bodies.index(stop.body) for part, _, _, stop in stops]),
            companion=whole([companion_of(part, k, row, layout) for part, row, k, _ in stops]),
        )  # fmt: skip

    def uses(self, rows: NDArray[np.bool_], slots: int) -> NDArray[np.bool_]:
        """Which of so many coordinates ropes among chosen rows (rows,) remember."""
        used = np.zeros(slots, bool)
        used[self.slot[rows[self.row] & (self.slot >= 0)]] = True
        return used

    def chosen(self, bodies: Integers, rows: Integers, blocks: Integers, slots: Integers) -> Routes:
        """The ropes of some rows, with other numbers of bodies, rows, Jacobian blocks and coordinates, -1 for none."""
        numbers = {
            "row": rows, "slip": rows, "body": bodies, "entry": blocks, "companion": blocks, "slot": slots,
        }  # fmt: skip
        columns, kept = {}, rows[self.row] >= 0
        for name, values in self._asdict().items():
            taken = values[kept]
            columns[name] = np.append(numbers[name], -1)[taken] if name in numbers else taken  # -1 is the last
        return Routes(**columns)


def companion_of(part: RoutePart, index: int, row: int, layout: RowLayout) -> int:
    """First Jacobian block of the companions of the span from a stop on, -1 where it has none; `row` is the rope's."""
    stops = part.stops
    if index + 1 == len(stops) or stops[index].body == stops[index + 1].body:
        return -1
    earlier = sum(one.body != two.body for one, two in zip(stops[:index], stops[1 : index + 1], strict=True))
    return int(layout.entry_start[layout.companion[row] + 2 * earlier])
