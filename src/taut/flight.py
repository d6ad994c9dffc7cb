"""Free flight through a step: where bodies are at any time within it, and when their surfaces meet.

    x(t) = x + s + t v + t^2 a / 2        0 <= t <= h

A blow at a time t changes a velocity by dV. The path after it, followed back to where the step starts, is the same path
with v + dV and s - t dV: so any number of blows leave one path, on which a step of the integrator ends where it should.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.rows.contact import ContactRows, cross
from taut.rows.layout import Integers
from taut.spatial import Array

SEARCHES = 20
"""Most passes in which the time of a meeting is looked for; Newton's method takes about four."""

MET = 1e-10
"""Gap in m at which surfaces meet."""


@dataclass(eq=False)
class Flight:
    """Paths of all bodies through a step; world axes, SI units.

    Attributes:
        moves: (n,) whether a body does.
        position, orientation: (n, 3), (n, 4) where the step starts.
        velocity: (n, 6) v, with the blows so far.
        acceleration: (n, 6) a.
        shift: (n, 6) s, a translation and a rotation vector.
    """

    moves: NDArray[np.uint8]
    position: Array
    orientation: Array
    velocity: Array
    acceleration: Array
    shift: Array

    def strike(self, change: Array, time: Array) -> None:
        """Change velocities by (n, 6) at times (n,)."""
        self.velocity = self.velocity + change
        self.shift = self.shift - time[:, None] * change

    def speed(self, time: Array) -> Array:
        """Velocities (n, 6) at times (n,)."""
        return self.velocity + time[:, None] * self.acceleration

    def place(self, body: Integers, time: Array) -> tuple[Array, Array, Array]:
        """Positions (k, 3), orientations (k, 4) and rotations (k, 9) of these bodies (k,) at these times (k,)."""
        from taut.integrators.motion_kernels import place

        count = body.size
        position, orientation, rotation = np.empty((count, 3)), np.empty((count, 4)), np.empty((count, 9))
        way = self.shift[body] + 0.5 * (time * time)[:, None] * self.acceleration[body]
        place(
            self.moves[body], self.position[body], self.orientation[body], way, self.velocity[body],
            np.ones(count), time, position, orientation, rotation,
        )  # fmt: skip
        return position, orientation, rotation

    def look(self, rows: ContactRows, chosen: Integers, time: Array) -> tuple[Array, Array]:
        """Gaps (m) and their rates (m/s) of chosen contacts (k,), each at its own time (k,)."""
        from taut.rows.contact_kernels import find_gaps

        c, count = rows.contacts, chosen.size
        bodies, times = np.stack([c.body_a[chosen], c.body_b[chosen]], axis=1).ravel(), np.repeat(time, 2)
        position, _, rotation = self.place(bodies, times)
        gap, normal, point = np.empty(count), np.empty((count, 3)), np.empty((count, 3))
        first = np.arange(0, 2 * count, 2)
        find_gaps(
            first, first + 1, c.turning[chosen], rows.normal_kept[chosen], c.core_a[chosen], c.core_b[chosen],
            c.radius_a[chosen], c.radius_b[chosen], position, rotation, gap, normal, point,
        )  # fmt: skip
        twist = self.velocity[bodies] + times[:, None] * self.acceleration[bodies]
        speed = twist[:, :3] + cross(twist[:, 3:], np.repeat(point, 2, axis=0) - position)
        return gap, np.einsum("ki,ki->k", normal, speed[1::2] - speed[::2])

    def meet(self, rows: ContactRows, chosen: Integers, since: Array, h: float, slow: float) -> tuple[Array, Array]:
        """When chosen contacts (k,) close, from times (k,) on until h, and the rates of their gaps then, m/s.

        Contacts that are closed meet at once; the time of those that stay open, or are slower than `slow` (m/s) at
        both ends, is infinite.
        """
        low, high = since.copy(), np.full(chosen.size, h)
        gap, rate = self.look(rows, chosen, low)
        time, open_ = np.where(gap <= 0.0, since, h), gap > 0.0
        last, last_rate = self.look(rows, chosen, high)
        meets = open_ & (last <= 0.0) & (np.minimum(rate, last_rate) < -slow)
        time[open_ & ~meets] = np.inf
        rate = np.where(open_, last_rate, rate)
        search = np.flatnonzero(meets)
        gap = last
        for _ in range(SEARCHES):
            search = search[np.abs(gap[search]) > MET]
            if not search.size:
                break
            with np.errstate(divide="ignore", invalid="ignore"):
                newton = time[search] - gap[search] / rate[search]
            inside = (newton > low[search]) & (newton < high[search])
            time[search] = np.where(inside, newton, 0.5 * (low[search] + high[search]))
            gap[search], rate[search] = self.look(rows, chosen[search], time[search])
            before = gap[search] > 0.0
            low[search[before]], high[search[~before]] = time[search[before]], time[search[~before]]
        return time, rate
