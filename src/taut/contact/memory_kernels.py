"""Kernels of `memory.py`: what contacts leave, and what has changed since."""

from __future__ import annotations

import numpy as np

from taut.contact.matching_kernels import match_points
from taut.contact.rows_kernels import relative_velocity
from taut.contact.table import ContactTable
from taut.kernel import kernel
from taut.tables import Flags, RealRows, Reals, WholeRows, Wholes


@kernel()
def remember(
    c: ContactTable, force: Reals, index_set: Wholes, velocity: RealRows, position: RealRows, force_out: RealRows,
    label_out: WholeRows, aim_out: Reals, slip_out: RealRows,
) -> None:  # fmt: skip
    """What a solution (rows,) leaves for the next step, by contact; see `ContactMemory`.

    Its velocities (bodies, 6) give the slip; positions (bodies, 3) are where it was linearised.

    Writes:  force_out, label_out, aim_out, slip_out; zeros where a contact has fewer rows
    """
    relative_velocity(c, velocity, position, slip_out)
    for i in range(c.row.shape[0]):
        for k in range(6):
            force_out[i, k] = force[c.row[i] + k] if k < c.width[i] else 0.0
            label_out[i, k] = index_set[c.row[i] + k] if k < c.width[i] else 0
        # what has opened again may not sink in as deep as it was once
        aim_out[i] = max(min(c.aim[i], c.unforeseen[i]), min(c.gap[i], 0.0))
        n, slip = c.normal[i], slip_out[i]
        along = slip[0] * n[0] + slip[1] * n[1] + slip[2] * n[2]
        for j in range(3):
            slip[j] -= along * n[j]


@kernel(allocates=True)
def find_changes(
    old_geom_a: Wholes, old_geom_b: Wholes, old_core_a: RealRows, old_core_b: RealRows, old_body_a: Wholes,
    old_body_b: Wholes, old_force: RealRows, old_label: WholeRows, geom_a: Wholes, geom_b: Wholes, core_a: RealRows,
    core_b: RealRows, body_a: Wholes, body_b: Wholes, force: RealRows, label: WholeRows, radius: Reals,
    changed_out: Flags,
) -> int:  # fmt: skip
    """Bodies (n,) of contacts that began or ceased to carry a force, or to slide.

    Writes:  changed_out, 1 for them
    Returns: how many contacts began or ceased to carry a force
    """
    matched, used = np.empty(geom_a.shape[0], np.int64), np.empty(old_geom_a.shape[0], np.uint8)
    match_points(old_geom_a, old_geom_b, old_core_a, old_core_b, geom_a, geom_b, core_a, core_b, radius, used, matched)
    count = 0
    for body in range(changed_out.shape[0]):
        changed_out[body] = 0
    for i in range(geom_a.shape[0]):
        old, touches, slid, slides = matched[i], force[i, 0] > 0.0, False, False
        for k in range(1, 6):
            slides = slides or label[i, k] != 0
            slid = slid or (old >= 0 and old_label[old, k] != 0)
        carried = old >= 0 and old_force[old, 0] > 0.0
        if carried != touches or (touches and slid != slides):
            changed_out[body_a[i]] = 1
            changed_out[body_b[i]] = 1
        if carried != touches:
            count += 1
    for j in range(old_geom_a.shape[0]):
        if used[j] == 0 and old_force[j, 0] > 0.0:
            changed_out[old_body_a[j]] = 1
            changed_out[old_body_b[j]] = 1
            count += 1
    return count
