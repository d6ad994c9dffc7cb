"""Kernels of `sleep.py`: how far bodies get in a frame, and whom they may meet on that way."""

from __future__ import annotations

import math

import numpy as np

from taut.collide.broad_kernels import may_touch, place_geoms
from taut.collide.table import GeomTable, NearTable
from taut.kernel import kernel
from taut.stepping.tables import StepModel
from taut.tables import Flags, RealRows, Reals, Wholes


@kernel()
def foresee(m: StepModel, velocity: RealRows, h: float, reach: Reals) -> None:
    """How far points of bodies with velocities (n, 6) get in a step h, as they move now and fall, m.

    Writes:  reach
    """
    g = m.bodies.gravity
    fall = h * h * math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
    for body in range(reach.shape[0]):
        v = velocity[body]
        speed = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        speed += math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) * m.bodies.extent[body]
        reach[body] = h * speed + fall


@kernel()
def look_back(
    m: StepModel, before: RealRows, turned_before: RealRows, after: RealRows, turned_after: RealRows, way: Reals
) -> int:
    """How far points of bodies got, at most, from positions (n, 3) and orientations (n, 4) to others, m.

    A turn moves a unit arm by 2 sin(angle / 2), and its quaternion by 2 sin(angle / 4), which is at least half of that.

    Writes:  way, in which reach is given
    Returns: 1 if any body got farther than its reach
    """
    farther = 0
    for body in range(way.shape[0]):
        p, q, o, r = before[body], after[body], turned_before[body], turned_after[body]
        x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        a, b, c, d = r[0] - o[0], r[1] - o[1], r[2] - o[2], r[3] - o[3]
        far = math.sqrt(x * x + y * y + z * z)
        far += 2.0 * math.sqrt(a * a + b * b + c * c + d * d) * m.bodies.extent[body]
        farther = 1 if not far <= way[body] else farther
        way[body] = far
    return farther


@kernel(inner=True)
def are_near(n: NearTable, i: int, j: int) -> int:
    """Whether the bounding boxes of two geoms overlap.

    Returns: 1 if so
    """
    first, second = n.box[i], n.box[j]
    for axis in range(3):
        if first[axis] > second[3 + axis] or second[axis] > first[3 + axis]:
            return 0
    return 1


@kernel(allocates=True)
def spread(
    g: GeomTable, n: NearTable, position: RealRows, rotation: RealRows, reach: Reals, group: Wholes, stirred: Flags
) -> int:
    """Stir groups whose bounding boxes overlap those of stirred ones, directly or not.

    `group` (n,) are the groups of bodies, by their lowest body; `stirred` (n,) is 1 for those that are.

    Writes:  n; stirred
    Returns: 1, or 0 if a place is not finite
    """
    if place_geoms(g, n, position, rotation, reach) == 0:
        return 0
    bodies, moves, bounded = g.body, g.moves, g.bounded
    waiting, count = np.empty(bounded.shape[0], np.int64), 0
    for i in bounded:
        if moves[bodies[i]] != 0 and stirred[group[bodies[i]]] != 0:
            waiting[count] = i
            count += 1
    while count > 0:
        count -= 1
        i = waiting[count]
        for j in bounded:
            other = group[bodies[j]]
            if moves[bodies[j]] == 0 or stirred[other] != 0 or are_near(n, i, j) == 0 or may_touch(g, i, j) == 0:
                continue
            stirred[other] = 1
            for k in bounded:
                if moves[bodies[k]] != 0 and group[bodies[k]] == other:
                    waiting[count] = k
                    count += 1
    return 1
