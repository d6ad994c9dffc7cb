"""Kernels of `start.py`: what contacts are made of, which they were, and what they will carry."""

from __future__ import annotations

import math

import numpy as np

from taut.collide.kinds import CAPSULE, CYLINDER, HEIGHTFIELD
from taut.contact.matching_kernels import end_of_pair, match_points
from taut.contact.rows_kernels import NORMAL_OF_A, NORMAL_OF_B, look, relative_velocity
from taut.contact.settings import CONTACT, MATCHING
from taut.contact.table import ContactTable, SurfaceTable
from taut.kernel import kernel
from taut.problem.solution import AT_LOWER, FREE
from taut.tables import RealRows, Reals, WholeRows, Wholes


@kernel()
def number_rows(c: ContactTable, around: SurfaceTable) -> None:
    """Rows of contacts after the model's own, and what their pairs are made of.

    Writes:  row, entry, width, carrier, friction to turn_arm, share
    """
    row, entry, stiff = around.first_row, around.first_entry, 1.0 / around.compliance
    for i in range(c.row.shape[0]):
        a, b, first, second = c.geom_a[i], c.geom_b[i], c.body_a[i], c.body_b[i]
        friction = math.sqrt(around.friction[a] * around.friction[b])
        rolling = max(around.rolling[a], around.rolling[b])
        torsional = max(around.torsional[a], around.torsional[b])
        width = 6 if rolling > 0.0 or torsional > 0.0 else 3 if friction > 0.0 else 1
        c.row[i], c.entry[i], c.width[i], c.share[i, 0], c.share[i, 1] = row, entry, width, 1.0, 1.0
        row, entry = row + width, entry + 2 * width
        c.carrier[i] = second if around.moves[second] != 0 else first
        c.friction[i], c.rolling[i], c.torsional[i] = friction, rolling, torsional
        c.restitution[i] = max(around.restitution[a], around.restitution[b])
        c.thickness[i] = min(around.thickness[a], around.thickness[b])
        mass = 1.0 / (around.inverse_mass[first] + around.inverse_mass[second])
        c.mass[i], c.stiffness[i], c.grip[i] = mass, stiff, stiff
        c.damping[i] = around.damping + 2.0 * around.damping_ratio * math.sqrt(stiff * mass)
        c.turn_arm[i] = max(rolling, torsional, CONTACT.least_arm)


@kernel(inner=True)
def share_of(c: ContactTable, i: int, geom: int) -> float:
    """Share of a soft geom's stiffness that a contact of it has: together they push as their deepest point would alone.

    With depths d, and the cosines c_ij of the normals where they are positive, 0 elsewhere,

        share_i = d_i max_j(c_ij d_j) / sum_j c_ij d_j^2

    which is 1 / n for n points that are as deep, and 1 for points on different sides.
    """
    n, sign = c.normal[i], 1.0 if c.geom_a[i] == geom else -1.0
    depth, deepest, total, count = max(-c.gap[i], 0.0), 0.0, 0.0, 0
    for j in range(c.row.shape[0]):
        if c.geom_a[j] == geom or c.geom_b[j] == geom:
            m, other = c.normal[j], max(-c.gap[j], 0.0)
            cosine = sign * (1.0 if c.geom_a[j] == geom else -1.0) * (m[0] * n[0] + m[1] * n[1] + m[2] * n[2])
            if cosine > 0.0:
                deepest, total, count = max(deepest, cosine * other), total + cosine * other * other, count + 1
    return max(depth * deepest / total, CONTACT.least_share) if total > 0.0 else 1.0 / count


@kernel(inner=True)
def soften(c: ContactTable, around: SurfaceTable) -> None:
    """Stiffness and damping of contacts with soft surfaces, by the gaps where they were found.

    Writes:  stiffness, damping of contacts with surfaces that give way
    """
    for i in range(c.row.shape[0]):
        a, b = c.geom_a[i], c.geom_b[i]
        if around.give[a] + around.give[b] > 0.0:
            give, drag = around.compliance, 0.0
            for geom in (a, b):
                if around.give[geom] > 0.0:
                    share = share_of(c, i, geom)
                    give += around.give[geom] / share
                    own = share * around.give_damping[geom]
                    drag = own if geom == a or around.give[a] == 0.0 else drag * own / max(drag + own, 1e-300)
            c.stiffness[i], c.damping[i] = 1.0 / give, drag


@kernel(inner=True)
def find_rod_axes(around: SurfaceTable, geom: Wholes, core: RealRows, radius: Reals, axis: RealRows) -> None:
    """Directions (k, 3) in body axes of the rods whose axis a core lies on between its ends; zeros for other contacts.

    Writes:  axis, zeros on entry
    """
    for i in range(geom.shape[0]):
        g, at = geom[i], core[i]
        if (around.kind[g] == CAPSULE or around.kind[g] == CYLINDER) and radius[i] > 0.0:
            turn, centre = around.rotation[g], around.position[g]
            x, y, z = turn[2], turn[5], turn[8]
            place = x * (at[0] - centre[0]) + y * (at[1] - centre[1]) + z * (at[2] - centre[2])
            if abs(place) < (1.0 - 1e-9) * around.size[g, 1]:
                axis[i, 0], axis[i, 1], axis[i, 2] = x, y, z


@kernel()
def keep_shapes(c: ContactTable, around: SurfaceTable, normal: RealRows, rotation: RealRows) -> None:
    """Normals (k, 3), in the axes of its body where a face gives one, in which they are constant; and axes of rods.

    Writes:  normal_kept, axis_a, axis_b
    """
    for i in range(c.turning.shape[0]):
        n, k, turning = normal[i], c.normal_kept[i], c.turning[i]
        k[0], k[1], k[2] = n[0], n[1], n[2]
        if turning == NORMAL_OF_A or turning == NORMAL_OF_B:
            r = rotation[c.body_a[i] if turning == NORMAL_OF_A else c.body_b[i]]
            for j in range(3):
                k[j] = r[j] * n[0] + r[3 + j] * n[1] + r[6 + j] * n[2]
    find_rod_axes(around, c.geom_a, c.core_a, c.radius_a, c.axis_a)
    find_rod_axes(around, c.geom_b, c.core_b, c.radius_b, c.axis_b)


@kernel()
def recall(
    c: ContactTable, kind: Wholes, matched: Wholes, force: RealRows, label: WholeRows, normal: RealRows,
    tangent: RealRows, gap: Reals, aim: Reals,
) -> None:  # fmt: skip
    """What contacts carried in the step before: `matched` (k,) is the number of each then, -1 for new ones.

    On terrain one whose normal turned is another: a ball meets the other wall of a valley with the same centre.

    Writes:  known, start_force, label, tangent, start_gap, aim
    """
    for i in range(matched.shape[0]):
        old, n = matched[i], c.normal[i]
        c.known[i] = 0
        if old < 0:
            continue
        if max(kind[c.geom_a[i]], kind[c.geom_b[i]]) >= HEIGHTFIELD:
            m = normal[old]
            if m[0] * n[0] + m[1] * n[1] + m[2] * n[2] <= MATCHING.same_wall:
                continue
        c.known[i], c.start_gap[i], c.aim[i] = 1, gap[old], aim[old]
        for j in range(6):
            c.start_force[i, j], c.label[i, j] = force[old, j], label[old, j]
        for j in range(3):
            c.tangent[i, j] = tangent[old, j]


@kernel("void(float64[::1], float64[::1], float64[::1], int64[::1], float64, float64, float64)", inner=True)
def turn_tangent(
    n,  # (3,) normal
    # in and out
    t, force, label,  # (3,) first tangent, (6,) force of the step before, (6,) labels
    x, y, z,  # another first tangent
):  # fmt: skip
    """Give a contact another first tangent, and express the force of the step before in the new frame.

    Writes:  t, force, label
    """
    sx, sy, sz = n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]
    fx, fy, fz = force[1] * t[0] + force[2] * sx, force[1] * t[1] + force[2] * sy, force[1] * t[2] + force[2] * sz
    force[1] = fx * x + fy * y + fz * z
    force[2] = fx * (n[1] * z - n[2] * y) + fy * (n[2] * x - n[0] * z) + fz * (n[0] * y - n[1] * x)
    if t[0] * x + t[1] * y + t[2] * z < MATCHING.same_frame:
        label[1], label[2] = AT_LOWER, FREE
    t[0], t[1], t[2] = x, y, z


@kernel()
def depth_of_pair(a: int, b: int, geom_a: Wholes, geom_b: Wholes, gap: Reals) -> float:
    """How deep two geoms overlap at most, by the gaps of contacts that are sorted by pair, m."""
    low, high, deepest = 0, geom_a.shape[0], 0.0
    while low < high:
        middle = (low + high) // 2
        if geom_a[middle] < a or (geom_a[middle] == a and geom_b[middle] < b):
            low = middle + 1
        else:
            high = middle
    while low < geom_a.shape[0] and geom_a[low] == a and geom_b[low] == b:
        deepest = max(deepest, -gap[low])
        low += 1
    return deepest


@kernel()
def guess(
    c: ContactTable, gap: Reals, relative: RealRows, gravity: float, h: float, old_geom_a: Wholes, old_geom_b: Wholes,
    old_gap: Reals,
) -> None:  # fmt: skip
    """What new contacts will carry, and tangents along the slip of those that slide.

    `gap` (k,) m and `relative` (k, 3) m/s, B against A, are those at the predicted configuration. A new contact counts
    as overlapping from the start only where it moves too little to have been open then: seen from where it will be, the
    local surfaces of a body that turns and slides overlap where the true ones did not. What then overlaps deeper than
    its pair did a step ago was overlooked; it is taken back slowly all the same. Soft surfaces push at once.

    Writes:  start_gap, overlooked, aim, normal_impulse, label, tangent, start_force, force
    """
    fall, stop = gravity * h * h, 0
    for i in range(gap.shape[0]):
        if i == stop:
            first, stop = stop, end_of_pair(c.geom_a, c.geom_b, stop)  # the points of a pair share what it carries
        u, n = relative[i], c.normal[i]
        if c.known[i] != 0:
            # a contact that opens faster than gravity closes it will not hold anything back
            c.normal_impulse[i] = 0.0 if gap[i] > fall else h * c.start_force[i, 0]
            c.aim[i] = min(c.aim[i] + CONTACT.recovery * h, 0.0)
        else:
            needed = c.mass[i] * (max(-gap[i], 0.0) / h + gravity * h) / (stop - first)
            c.normal_impulse[i] = needed if gap[i] < fall else 0.0
            c.label[i, 0] = FREE if c.normal_impulse[i] > 0.0 else AT_LOWER  # an open contact is at its bound
            moved = h * math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
            if c.start_gap[i] < 0.0 and moved > -c.start_gap[i]:
                c.start_gap[i] = 0.0
            if c.start_gap[i] < 0.0:
                before = depth_of_pair(c.geom_a[i], c.geom_b[i], old_geom_a, old_geom_b, old_gap)
                c.overlooked[i] = max(-c.start_gap[i] - before, 0.0)
            c.aim[i] = min(c.start_gap[i] + CONTACT.recovery * h, 0.0)
        if c.stiffness[i] < c.grip[i]:
            # what is soft on purpose pushes as deep as it is, wherever it is met
            c.aim[i], c.overlooked[i] = 0.0, 0.0
            if c.known[i] == 0:
                c.normal_impulse[i] = h * c.stiffness[i] * max(-gap[i], 0.0)
        along = u[0] * n[0] + u[1] * n[1] + u[2] * n[2]
        x, y, z = u[0] - along * n[0], u[1] - along * n[1], u[2] - along * n[2]
        speed = math.sqrt(x * x + y * y + z * z)
        if speed > CONTACT.sliding:
            turn_tangent(n, c.tangent[i], c.start_force[i], c.label[i], x / speed, y / speed, z / speed)
        for j in range(6):
            c.force[i, j] = c.start_force[i, j]


@kernel(apart=True, allocates=True)
def begin(
    c: ContactTable, around: SurfaceTable, normal: RealRows, start_position: RealRows, start_rotation: RealRows,
    position: RealRows, rotation: RealRows, velocity: RealRows, gravity: float, h: float, old_geom_a: Wholes,
    old_geom_b: Wholes, old_core_a: RealRows, old_core_b: RealRows, old_force: RealRows, old_label: WholeRows,
    old_normal: RealRows, old_tangent: RealRows, old_gap: Reals, old_aim: Reals,
) -> None:  # fmt: skip
    """Rows of contacts with normals (k, 3) that were found where bodies are, and where a step starts with them.

    Bodies started at `start_position`, `start_rotation` and got here with `velocity` in a step h. What the step before
    left is `old_geom_a` to `old_aim`, see `ContactMemory`.

    Writes:  all of c but what a step writes; gap is that at the predicted configuration
    """
    number_rows(c, around)
    keep_shapes(c, around, normal, rotation)
    count = normal.shape[0]
    matched, used, relative = np.empty(count, np.int64), np.empty(old_gap.shape[0], np.uint8), np.empty((count, 3))
    match_points(
        old_geom_a, old_geom_b, old_core_a, old_core_b, c.geom_a, c.geom_b, c.core_a, c.core_b, around.radius, used,
        matched,
    )  # fmt: skip
    look(c, start_position, start_rotation, c.start_gap, c.normal, c.point)
    look(c, position, rotation, c.gap, c.normal, c.point)
    soften(c, around)
    recall(c, around.kind, matched, old_force, old_label, old_normal, old_tangent, old_gap, old_aim)
    relative_velocity(c, velocity, position, relative)
    guess(c, c.gap, relative, gravity, h, old_geom_a, old_geom_b, old_gap)


@kernel(allocates=True)
def go_on(
    c: ContactTable, radius: Reals, h: float, geom_a: Wholes, geom_b: Wholes, core_a: RealRows, core_b: RealRows,
    force: RealRows, label: WholeRows, tangent: RealRows,
) -> None:  # fmt: skip
    """Go on with what a solve of the same step left, made before contacts were looked for again.

    Writes:  tangent, start_force, force, label, normal_impulse of contacts that it had
    """
    matched, used = np.empty(c.geom_a.shape[0], np.int64), np.empty(geom_a.shape[0], np.uint8)
    match_points(geom_a, geom_b, core_a, core_b, c.geom_a, c.geom_b, c.core_a, c.core_b, radius, used, matched)
    for i in range(matched.shape[0]):
        old = matched[i]
        if old >= 0:
            t = tangent[old]
            turn_tangent(c.normal[i], c.tangent[i], c.start_force[i], c.label[i], t[0], t[1], t[2])
            c.normal_impulse[i] = h * max(force[old, 0], 0.0)
            for j in range(6):
                c.force[i, j], c.label[i, j] = force[old, j], label[old, j]


@kernel()
def start_rows(c: ContactTable, h: float, force_out: Reals, index_set_out: Wholes, lam_out: Reals) -> None:
    """What the rows of contacts start with.

    Writes:  force_out, index_set_out, lam_out (rows,), those of contacts
    """
    for i in range(c.row.shape[0]):
        for k in range(c.width[i]):
            row, force = c.row[i] + k, c.force[i, k]
            force_out[row], lam_out[row], index_set_out[row] = force, h * force, c.label[i, k]
