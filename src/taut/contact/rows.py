"""Contact rows: a normal that only pushes, two tangents within friction bounds, and if asked rolling and twisting.

    normal    0 <= lam  complementary to  gap+ + C lam / h >= aim         gap+ at the *end* of the step
    tangents  beta J v+ = -C (lam / h - F) while |lam| <= mu N            F: force of the step before, N: `friction`
    rolling   the same for rotations, C / arm^2, |lam| <= arm N           arm the rolling or torsional friction, m

Gap+ >= 0 is asked at the end of the step, so nothing penetrates and nothing has to be pushed out. The compliance C of a
contact point is physical, in m/N: it lets redundant contacts share a load, along the surface as well as across it. A
contact that sticks is a spring that remembers its force, so it holds without creep. `aim` is 0, or below it where
bodies overlapped when they met, or where a step made them overlap unforeseen: that is taken back at RECOVERY, so bodies
that start overlapped do not pop. While a contact stays closed a dashpot beside its spring keeps it from ringing at
steps that could resolve that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.collide.contacts import Contacts
from taut.collide.geometry import Geoms
from taut.collide.kinds import CAPSULE, CYLINDER, HEIGHTFIELD
from taut.contact.memory import ContactMemory
from taut.problem.solution import AT_LOWER, FREE
from taut.rows.container import RowWork
from taut.spatial import Array, Integers, cross_each

RECOVERY = 0.1
"""Speed in m/s at which an overlap is taken back; a body leaving with it rises by half a millimetre."""

DAMPING_RATIO = 5.0
"""Of a closed contact: its one-sided spring throws a body back at 1 % of its speed; critical damping at a seventh."""

SLIDING = 1e-3
"""Slip in m/s from which the first tangent follows it; below, it stays as it was."""

LEAST_ARM = 1e-3
"""Least arm in m of the springs that hold rotations, for contacts with only one of rolling and torsional friction."""

SAME_FRAME = 0.9
"""Cosine of a tangent's turn from one step to the next up to which labels keep their meaning."""


SAME_WALL = 0.8
"""Cosine of a normal's turn from one step to the next up to which a contact with terrain is the same."""


class ContactRows:
    """The rows of the contacts that one collision found, numbered after the model's own.

    Attributes:
        contacts: what was found.
        row, entry, width: (k,) first row, first Jacobian block and number of rows (1, 3 or 6) of each contact.
        friction, restitution, rolling, torsional: (k,) of the pair.
        terrain: (k,) whether one of the two is a heightfield.
        thickness: (k,) m, least half thickness of the two geoms: what an overlap is measured against.
        stiffness, damping: (k,) N/m and N s/m of the normal.
        start_gap: (k,) m, where the step starts.
        aim: (k,) m, the gap that the normal row aims at.
        start_force: (k, 6) N and N m, of the step before; zero for contacts that are new.
        force: (k, 6) N and N m, where the solver starts.
        known: (k,) whether a contact was there in the step before.
        before: what the step before left.
        overlooked: (k,) m, overlap at the start of the step that no step before knew of; see `start`.
        normal_impulse: (k,) N s, what the friction bounds follow.
        normal, point, tangent: (k, 3) world axes, at the configuration linearised.
    """

    def __init__(
        self, contacts: Contacts, geoms: Geoms, mass: Array, moves: NDArray[np.uint8], compliance: float,
        rotation: Array, first_row: int, first_entry: int,
    ) -> None:  # fmt: skip
        """Number the rows; `rotation` (bodies, 9) is where the contacts were found."""
        from taut.contact.rows_kernels import keep_normals

        a, b = contacts.geom_a, contacts.geom_b
        self.contacts = contacts
        self.friction = np.sqrt(geoms.friction[a] * geoms.friction[b])
        self.restitution = np.maximum(geoms.restitution[a], geoms.restitution[b])
        self.rolling = np.maximum(geoms.rolling[a], geoms.rolling[b])
        self.torsional = np.maximum(geoms.torsional[a], geoms.torsional[b])
        turns = (self.rolling > 0.0) | (self.torsional > 0.0)
        self.width = np.where(turns, 6, np.where(self.friction > 0.0, 3, 1))
        ends = np.cumsum(self.width)
        self.row = first_row + ends - self.width
        self.entry = first_entry + 2 * (ends - self.width)
        self.row_count = int(ends[-1]) if ends.size else 0
        self.axis_a = rod_axes(geoms, a, contacts.core_a, contacts.radius_a)
        self.axis_b = rod_axes(geoms, b, contacts.core_b, contacts.radius_b)
        self.normal_kept = contacts.normal.copy()
        keep_normals(contacts.body_a, contacts.body_b, contacts.turning, rotation, self.normal_kept)
        self.terrain = (geoms.kind[a] == HEIGHTFIELD) | (geoms.kind[b] == HEIGHTFIELD)
        self.thickness = np.minimum(geoms.thickness[a], geoms.thickness[b])
        self.mass = pair_mass(mass, moves, contacts)
        self.stiffness = np.full(self.count, 1.0 / compliance)
        self.damping = 2.0 * DAMPING_RATIO * np.sqrt(self.stiffness * self.mass)
        self.start_gap, self.aim, self.normal_impulse, self.rate, self.old_value, self.unforeseen = (
            np.zeros(self.count) for _ in range(6)
        )
        self.overlooked, self.before = np.zeros(self.count), ContactMemory.none()
        self.start_force, self.force = np.zeros((self.count, 6)), np.zeros((self.count, 6))
        self.label, self.known = np.zeros((self.count, 6), np.int64), np.zeros(self.count, bool)
        self.turn_arm = np.maximum(np.maximum(self.rolling, self.torsional), LEAST_ARM)
        self.normal, self.point, self.tangent = (np.zeros((self.count, 3)) for _ in range(3))

    @property
    def count(self) -> int:
        """Number of contacts."""
        return self.contacts.count

    def entries(self) -> tuple[Integers, Integers]:
        """Row and body of every Jacobian block: A's and B's for each row."""
        rows = np.repeat(self.row[0] + np.arange(self.row_count), 2) if self.count else np.zeros(0, np.int64)
        bodies = np.empty(2 * self.row_count, np.int64)
        bodies[0::2] = np.repeat(self.contacts.body_a, self.width)
        bodies[1::2] = np.repeat(self.contacts.body_b, self.width)
        return rows.astype(np.int64), bodies

    def gaps(self, position: Array, rotation: Array) -> Array:
        """Gaps (k,) at a configuration, m."""
        return self.look(position, rotation)[0]

    def look(self, position: Array, rotation: Array) -> tuple[Array, Array, Array]:
        """Gaps (k,), normals and points (k, 3) at a configuration, m."""
        from taut.contact.rows_kernels import find_gaps

        c, gap = self.contacts, np.empty(self.count)
        normal, point = np.empty((self.count, 3)), np.empty((self.count, 3))
        find_gaps(
            c.body_a, c.body_b, c.turning, self.normal_kept, c.core_a, c.core_b, c.radius_a, c.radius_b,
            position, rotation, gap, normal, point,
        )  # fmt: skip
        return gap, normal, point

    def recall(self, memory: ContactMemory, match: Integers) -> None:
        """Take over what contacts carried in the step before; `match` (k,) is -1 for new ones.

        On terrain one whose normal turned is another: a ball meets the other wall of a valley with the same centre.
        """
        self.known = match >= 0
        if self.terrain.any() and self.known.any():
            turned = np.einsum("ki,ki->k", memory.normal[match], self.normal) <= SAME_WALL
            self.known &= ~(self.terrain & turned)
        old = match[self.known]
        self.start_force[self.known] = memory.force[old]
        self.label[self.known] = memory.label[old]
        self.tangent[self.known] = memory.tangent[old]
        self.start_gap[self.known] = memory.gap[old]
        self.aim[self.known] = memory.aim[old]
        self.before = memory

    def start(self, velocity: Array, gravity: float, h: float, gap: Array) -> None:
        """Guess what new contacts will carry, and turn the first tangent into the slip where a contact slides.

        A new contact counts as overlapping from the start only where it moves too little to have been open then: seen
        from where it will be, the local surfaces of a body that turns and slides overlap where the true ones did not.
        What then overlaps deeper than its pair did a step ago was overlooked; it is taken back slowly all the same.

        Args:
            velocity: (bodies, 6) that the step starts with.
            gravity: its size, m/s^2.
            h: step, s.
            gap: (k,) at the predicted configuration, m.
        """
        closes = gap < gravity * h * h
        guess = self.mass * (np.maximum(-gap, 0.0) / h + gravity * h) * closes / self.points_of_pair()
        # a contact that opens faster than gravity closes it will not hold anything back
        opens = gap > gravity * h * h
        self.normal_impulse[:] = np.where(self.known, np.where(opens, 0.0, h * self.start_force[:, 0]), guess)
        # an open contact is at its bound
        self.label[~self.known, 0] = np.where(guess > 0.0, FREE, AT_LOWER)[~self.known]
        relative = self.relative_velocity(velocity)
        moving = h * np.sqrt(np.einsum("ki,ki->k", relative, relative)) > np.abs(self.start_gap)
        self.start_gap[~self.known & moving & (self.start_gap < 0.0)] = 0.0
        for contact in np.flatnonzero(~self.known & (self.start_gap < 0.0)).tolist():
            self.overlooked[contact] = max(-self.start_gap[contact] - self.depth_before(contact), 0.0)
        self.aim = np.minimum(np.where(self.known, self.aim, self.start_gap) + RECOVERY * h, 0.0)
        slip = relative - np.einsum("ki,ki->k", relative, self.normal)[:, None] * self.normal
        speed = np.sqrt(np.einsum("ki,ki->k", slip, slip))
        sliding = np.flatnonzero(speed > SLIDING)
        if sliding.size:
            self.turn_tangents(sliding, slip[sliding] / speed[sliding, None])
        self.force[:] = self.start_force

    def depth_before(self, contact: int) -> float:
        """How deep the pair of geoms of a contact overlapped where the step before ended, m."""
        c, old = self.contacts, self.before.contacts
        same = (old.geom_a == c.geom_a[contact]) & (old.geom_b == c.geom_b[contact])
        return float(np.max(-self.before.gap[same], initial=0.0))

    def points_of_pair(self) -> Integers:
        """Number (k,) of points that each contact's pair of geoms has; they share what the pair carries."""
        a, b = self.contacts.geom_a, self.contacts.geom_b
        last = np.flatnonzero(np.append((a[1:] != a[:-1]) | (b[1:] != b[:-1]), True))
        counts = np.diff(last, prepend=-1)
        return np.repeat(counts, counts)

    def turn_tangents(self, chosen: Integers, tangent: Array) -> None:
        """Give some contacts other first tangents (k, 3), and express the force of the step before in the new frame."""
        normal, old, force = self.normal[chosen], self.tangent[chosen], self.start_force[chosen]
        across = force[:, 1:2] * old + force[:, 2:3] * cross_each(normal, old)
        self.start_force[chosen, 1] = np.einsum("ki,ki->k", across, tangent)
        self.start_force[chosen, 2] = np.einsum("ki,ki->k", across, cross_each(normal, tangent))
        turned = chosen[np.einsum("ki,ki->k", old, tangent) < SAME_FRAME]
        self.label[turned, 1], self.label[turned, 2] = AT_LOWER, FREE
        self.tangent[chosen] = tangent

    def continue_from(self, latest: ContactMemory, match: Integers, h: float) -> None:
        """Start from a solve of the same step, made before contacts were looked for again."""
        found = np.flatnonzero(match >= 0)
        old = match[found]
        self.turn_tangents(found, latest.tangent[old])
        self.force[found], self.label[found] = latest.force[old], latest.label[old]
        self.normal_impulse[found] = h * np.maximum(latest.force[old, 0], 0.0)

    def relative_velocity(self, velocity: Array) -> Array:
        """Velocity (k, 3) of B against A at the contact points, world axes, m/s; needs the arms from `locate`."""
        c = self.contacts
        u, v = velocity[c.body_a], velocity[c.body_b]
        return v[:, :3] + cross_each(v[:, 3:], self.arm_b) - u[:, :3] - cross_each(u[:, 3:], self.arm_a)

    def locate(self, position: Array) -> None:
        """Arms from the centres of mass to the contact points, for positions (bodies, 3)."""
        self.arm_a = self.point - position[self.contacts.body_a]
        self.arm_b = self.point - position[self.contacts.body_b]

    def evaluate(self, position: Array, rotation: Array, work: RowWork) -> None:
        """Write gaps, Jacobians and arm blocks into the row container."""
        from taut.contact.rows_kernels import evaluate_contacts

        c = self.contacts
        evaluate_contacts(
            c.body_a, c.body_b, c.turning, self.normal_kept, c.core_a, c.core_b, c.radius_a, c.radius_b,
            self.axis_a, self.axis_b, self.row, self.entry, self.width, position, rotation, work.force,
            work.value, work.jacobian, work.stiffness, self.normal, self.point, self.tangent,
        )  # fmt: skip

    def apply_laws(self, velocity: Array, work: RowWork) -> None:
        """Compliance, bias and bounds of the rows, linearised at this velocity (bodies, 6)."""
        from taut.contact.rows_kernels import apply_contact_laws

        c = self.contacts
        apply_contact_laws(
            c.body_a, c.body_b, self.row, self.entry, self.width, self.stiffness, self.damping, self.turn_arm,
            self.start_gap, self.aim, self.start_force, work.step, work.beta, velocity, work.value,
            work.jacobian, self.rate, work.compliance, work.bias,
        )  # fmt: skip
        self.old_value[:] = work.value[self.row]
        self.bound(work.lower, work.upper, np.ones((self.count, 2)))

    def bound(self, lower: Array, upper: Array, share: Array) -> None:
        """Write the bounds that follow from `normal_impulse`."""
        from taut.contact.friction_kernels import bound_friction

        bound_friction(
            self.row, self.width, self.friction, self.rolling, self.torsional, self.normal_impulse, share, lower, upper
        )

    def gather(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values (rows,) by contact as (k, 6), zero where a contact has fewer rows."""
        table = np.zeros((self.count, 6), values.dtype)
        if self.count and self.width.min() == self.width.max():
            table[:, : self.width[0]] = values[self.row[0] :].reshape(self.count, -1)
            return table
        for k in range(6):
            has = self.width > k
            table[has, k] = values[self.row[has] + k]
        return table

    def scatter(self, table: NDArray[Any], out: NDArray[Any]) -> None:
        """Write a table (k, 6) into rows."""
        if self.count and self.width.min() == self.width.max():
            out[self.row[0] :].reshape(self.count, -1)[:] = table[:, : self.width[0]]
            return
        for k in range(6):
            has = self.width > k
            out[self.row[has] + k] = table[has, k]

    def touched(self, lam: Array) -> Integers:
        """Bodies on which contacts act with these impulses (rows,)."""
        acting = lam[self.row] > 0.0
        return np.concatenate([self.contacts.body_a[acting], self.contacts.body_b[acting]])

    def remember(self, force: Array, index_set: Integers, gap: Array, velocity: Array) -> ContactMemory:
        """What a solution (rows,) leaves for the next step, with the gaps (k,) at its end.

        Its velocities (bodies, 6) give the slip; the arms must be those of the linearisation, see `locate`.
        """
        # what has opened again may not sink in as deep as it was once
        aim = np.maximum(np.minimum(self.aim, self.unforeseen), np.minimum(gap, 0.0))
        relative = self.relative_velocity(velocity)
        slip = relative - np.einsum("ki,ki->k", relative, self.normal)[:, None] * self.normal
        return ContactMemory(
            self.contacts, self.gather(force), self.gather(index_set), self.normal.copy(), self.tangent.copy(),
            self.point.copy(), gap, aim, np.zeros((self.count, 3)), slip,
        )  # fmt: skip


def rod_axes(geoms: Geoms, geom: Integers, core: Array, radius: Array) -> Array:
    """Direction (k, 3) in body axes of the axis that a core lies on between its ends, 0 where it lies on none."""
    rod = ((geoms.kind[geom] == CAPSULE) | (geoms.kind[geom] == CYLINDER)) & (radius > 0.0)
    axis = geoms.rotation[geom][:, 2::3]
    place = np.einsum("ki,ki->k", axis, core - geoms.position[geom])
    inside = np.abs(place) < (1.0 - 1e-9) * geoms.size[geom, 1]
    return np.where((rod & inside)[:, None], axis, 0.0)


def pair_mass(mass: Array, moves: NDArray[np.uint8], contacts: Contacts) -> Array:
    """Mass (k,) that two bodies oppose to being pushed apart, 1/m = 1/m_A + 1/m_B, kg."""
    inverse = np.where(moves > 0, 1.0 / mass, 0.0)
    return 1.0 / (inverse[contacts.body_a] + inverse[contacts.body_b])
