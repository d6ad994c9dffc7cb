"""Free flight through a step: where bodies are at any time within it, and when their surfaces meet.

    x(t) = x + s + t v + t^2 a / 2        0 <= t <= h

A blow at a time t changes a velocity by dV. The path after it, followed back to where the step starts, is the same path
with v + dV and s - t dV: so any number of blows leave one path, on which a step of the integrator ends where it should.

Bodies that nothing holds turn as their angular momentum L has it, so that a blow finds them with I omega = L:

    dR/dt = [omega] R,   omega = I(R)^-1 (L + (t - t0) torque)      from the last blow, at t0, on
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from taut.contact.table import ContactTable
from taut.spatial import Array, Integers, cross_each
from taut.stepping.settings import IMPACTS


@dataclass(eq=False)
class Spinning:
    """Bodies that turn freely, those of equal moments apart, which the path of all bodies holds for.

    Attributes:
        chosen: (n,) which bodies do.
        inverse: (n, 3, 3) inverse inertia in body axes, 1/(kg m^2).
        since: (n,) time of the last blow, s.
        orientation, spin: (n, 4), (n, 3) at that time, the latter in kg m^2/s.
        torque: (n, 3) N m.
    """

    chosen: NDArray[np.bool_]
    inverse: Array
    since: Array
    orientation: Array
    spin: Array
    torque: Array

    @classmethod
    def of(cls, chosen: NDArray[np.bool_], inertia: Array, orientation: Array, spin: Array, torque: Array) -> Spinning:
        """Those of chosen bodies (n,) whose moments differ; `inertia` (n, 9) in body axes."""
        tensors = np.where(chosen[:, None, None], inertia.reshape(-1, 3, 3), np.eye(3))
        moments = np.linalg.eigvalsh(tensors)
        chosen = chosen & (moments[:, 2] > (1.0 + 1e-9) * moments[:, 0])
        return cls(chosen, np.linalg.inv(tensors), np.zeros(chosen.size), orientation.copy(), spin.copy(), torque)

    def momentum(self, body: Integers, time: Array) -> Array:
        """Angular momenta (k, 3) of bodies (k,) at times (k,)."""
        return self.spin[body] + (time - self.since[body])[:, None] * self.torque[body]

    def turning(self, body: Integers, rotation: Array, time: Array) -> Array:
        """Angular velocities (k, 3) of bodies (k,) with these rotations (k, 9) at times (k,), rad/s."""
        return along_axes(self.inverse[body], rotation, self.momentum(body, time))

    def place(self, body: Integers, time: Array) -> tuple[Array, Array]:
        """Orientations (k, 4) and rotations (k, 9) of bodies (k,) at times (k,)."""
        from taut.stepping.flight_kernels import fly

        orientation, rotation = self.orientation[body], np.empty((body.size, 9))
        inverse = self.inverse[body].reshape(-1, 9)
        fly(inverse, self.spin[body], self.torque[body], time - self.since[body], orientation, rotation)
        return orientation, rotation

    def strike(self, body: Integers, time: Array, change: Array) -> None:
        """Change the angular momenta of bodies (k,) by (k, 3) at times (k,), kg m^2/s."""
        orientation, _ = self.place(body, time)
        self.spin[body] = self.momentum(body, time) + change
        self.orientation[body], self.since[body] = orientation, time

    def in_one_step(self, body: Integers, h: float) -> tuple[Array, Array, Array, Array]:
        """What lets a free turn through a step end where bodies (k,) do, with the angular velocity they have there.

        It starts where the turn with the last angular momentum leads back to, so it keeps that and energy. The turn
        that they make in truth is h omega_end + lead.

        Returns: that start as orientations (k, 4) and angular velocities (k, 3), the true ones (k, 3) at time 0, and
                 lead (k, 3)
        """
        from taut.stepping.flight_kernels import fly

        zero = np.zeros(body.size)
        end, rotation = self.place(body, zero + h)
        last = self.turning(body, rotation, zero + h)
        back, rotation = self.place(body, zero)
        first = self.turning(body, rotation, zero)
        start, inverse, spin = end.copy(), self.inverse[body], self.momentum(body, zero + h)
        fly(inverse.reshape(-1, 9), spin, np.zeros_like(spin), zero - h, start, rotation)
        lead = turn_between(back, end, 0.5 * h * (first + last)) - h * last
        return start, along_axes(inverse, rotation, spin), first, lead


def turn_between(start: Array, end: Array, about: Array) -> Array:
    """Rotation vectors (k, 3) from orientations (k, 4) to others, the turns nearest to `about` (k, 3), rad."""
    inverse = start * [1.0, -1.0, -1.0, -1.0]
    real = end[:, 0] * inverse[:, 0] - np.einsum("ki,ki->k", end[:, 1:], inverse[:, 1:])
    other = end[:, :1] * inverse[:, 1:] + inverse[:, :1] * end[:, 1:] + cross_each(end[:, 1:], inverse[:, 1:])
    sine = np.sqrt((other * other).sum(axis=1))
    axis = np.where(sine[:, None] > 0.0, other / np.maximum(sine, 1e-300)[:, None], 0.0)
    angle = 2.0 * np.arctan2(sine, real)
    angle += 2.0 * np.pi * np.round((np.einsum("ki,ki->k", axis, about) - angle) / (2.0 * np.pi))
    return np.asarray(angle[:, None] * axis)


def along_axes(tensor: Array, rotation: Array, vector: Array) -> Array:
    """R T R^T v for tensors (k, 3, 3) in body axes, rotations (k, 9) and vectors (k, 3)."""
    turned = rotation.reshape(-1, 3, 3)
    return np.asarray(
        np.einsum("kij,kj->ki", turned, np.einsum("kij,kj->ki", tensor, np.einsum("kji,kj->ki", turned, vector)))
    )


@dataclass(eq=False)
class Flight:
    """Paths of all bodies through a step; world axes, SI units.

    Attributes:
        moves: (n,) whether a body does.
        position, orientation: (n, 3), (n, 4) where the step starts.
        velocity: (n, 6) v, with the blows so far.
        acceleration: (n, 6) a.
        shift: (n, 6) s, a translation and a rotation vector.
        spinning: bodies that turn freely.
    """

    moves: NDArray[np.uint8]
    position: Array
    orientation: Array
    velocity: Array
    acceleration: Array
    shift: Array
    spinning: Spinning | None = field(default=None)

    def strike(self, change: Array, spin: Array, time: Array) -> None:
        """Change velocities by (n, 6) and angular momenta by (n, 3) at times (n,)."""
        self.velocity = self.velocity + change
        self.shift = self.shift - time[:, None] * change
        if self.spinning is not None:
            hit = np.flatnonzero(self.spinning.chosen & change.any(axis=1))
            self.spinning.strike(hit, time[hit], spin[hit])

    def speed(self, body: Integers, rotation: Array, time: Array) -> Array:
        """Velocities (k, 6) of bodies (k,) with these rotations (k, 9) at times (k,)."""
        twist = self.velocity[body] + time[:, None] * self.acceleration[body]
        if self.spinning is not None and (free := np.flatnonzero(self.spinning.chosen[body])).size:
            twist[free, 3:] = self.spinning.turning(body[free], rotation[free], time[free])
        return twist

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
        if self.spinning is not None and (free := np.flatnonzero(self.spinning.chosen[body])).size:
            orientation[free], rotation[free] = self.spinning.place(body[free], time[free])
        return position, orientation, rotation

    def look(self, contacts: ContactTable, chosen: Integers, time: Array) -> tuple[Array, Array]:
        """Gaps (m) and their rates (m/s) of chosen contacts (k,), each at its own time (k,)."""
        from taut.contact.rows_kernels import find_gaps

        c, count = contacts, chosen.size
        bodies, times = np.stack([c.body_a[chosen], c.body_b[chosen]], axis=1).ravel(), np.repeat(time, 2)
        position, _, rotation = self.place(bodies, times)
        gap, normal, point = np.empty(count), np.empty((count, 3)), np.empty((count, 3))
        first = np.arange(0, 2 * count, 2)
        find_gaps(
            first, first + 1, c.turning[chosen], c.normal_kept[chosen], c.core_a[chosen], c.core_b[chosen],
            c.radius_a[chosen], c.radius_b[chosen], position, rotation, gap, normal, point,
        )  # fmt: skip
        twist = self.speed(bodies, rotation, times)
        speed = twist[:, :3] + cross_each(twist[:, 3:], np.repeat(point, 2, axis=0) - position)
        return gap, np.einsum("ki,ki->k", normal, speed[1::2] - speed[::2])

    def meet(
        self, contacts: ContactTable, chosen: Integers, since: Array, h: float, slow: float
    ) -> tuple[Array, Array]:
        """When chosen contacts (k,) close, from times (k,) on until h, and the rates of their gaps then, m/s.

        Contacts that are closed meet at once; the time of those that stay open, or are slower than `slow` (m/s) at
        both ends, is infinite.
        """
        low, high = since.copy(), np.full(chosen.size, h)
        gap, rate = self.look(contacts, chosen, low)
        time, open_ = np.where(gap <= 0.0, since, h), gap > 0.0
        last, last_rate = self.look(contacts, chosen, high)
        meets = open_ & (last <= 0.0) & (np.minimum(rate, last_rate) < -slow)
        time[open_ & ~meets] = np.inf
        rate = np.where(open_, last_rate, rate)
        search = np.flatnonzero(meets)
        gap = last
        for _ in range(IMPACTS.searches):
            search = search[np.abs(gap[search]) > IMPACTS.met]
            if not search.size:
                break
            with np.errstate(divide="ignore", invalid="ignore"):
                newton = time[search] - gap[search] / rate[search]
            inside = (newton > low[search]) & (newton < high[search])
            time[search] = np.where(inside, newton, 0.5 * (low[search] + high[search]))
            gap[search], rate[search] = self.look(contacts, chosen[search], time[search])
            before = gap[search] > 0.0
            low[search[before]], high[search[~before]] = time[search[before]], time[search[~before]]
        return time, rate
