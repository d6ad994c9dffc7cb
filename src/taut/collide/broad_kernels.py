"""Where geoms are, their bounding boxes, and the pairs whose boxes overlap: sweep and prune, strip by strip."""

from __future__ import annotations

import math

from taut.collide.kinds import CAPSULE, CYLINDER, HEIGHTFIELD, SPHERE
from taut.collide.sort_kernels import sort_by
from taut.collide.table import GeomTable, NearTable, PairTable
from taut.kernel import kernel
from taut.spatial_kernels import times
from taut.table_types import vector
from taut.tables import RealRows, Reals

DEEP = 10.0
"""Bounding radii down to which the ground below a heightfield is solid."""


@kernel("float64(int64, float64[::1], float64, float64, float64)", inner=True)
def extent(
    kind,
    size,  # (3,) m
    x, y, z,  # a world axis in the geom's own axes: a row of its rotation
):  # fmt: skip
    """Half extent of a geom along an axis, m."""
    if kind == SPHERE:
        return size[0]
    if kind == CAPSULE:
        return size[0] + size[1] * abs(z)
    if kind == CYLINDER:
        return size[1] * abs(z) + size[0] * math.sqrt(max(1.0 - z * z, 0.0))
    return size[0] * abs(x) + size[1] * abs(y) + size[2] * abs(z)


@kernel(inner=True)
def place_geoms(g: GeomTable, n: NearTable, position: RealRows, rotation: RealRows, reach: Reals) -> int:
    """World pose and bounding box of every geom, of bodies (n,) that may still move by `reach`.

    Writes:  centre, frame, band, box
    Returns: 1, or 0 if a pose is not finite
    Cost:    about 70 flops a geom
    """
    bodies, kinds, sizes, radii, margin = g.body, g.kind, g.size, g.radius, g.margin
    places, turns, centres, frames, bands, boxes = g.position, g.rotation, n.centre, n.frame, n.band, n.box
    finite = True
    for i in range(bodies.shape[0]):
        body, kind, size, radius = bodies[i], kinds[i], sizes[i], radii[i]
        turn, own, frame, box = rotation[body], turns[i], frames[i], boxes[i]
        offset = times(turn, places[i])
        band = margin[i] + reach[body]
        bands[i] = band
        for j in range(3):
            centre = position[body, j] + offset[j]
            centres[i, j] = centre
            for k in range(3):
                frame[3 * j + k] = turn[3 * j] * own[k] + turn[3 * j + 1] * own[3 + k] + turn[3 * j + 2] * own[6 + k]
                finite = finite and math.isfinite(centre + frame[3 * j + k])
            half = min(extent(kind, size, frame[3 * j], frame[3 * j + 1], frame[3 * j + 2]), radius) + band
            below = DEEP * radius * frame[3 * j + 2] if kind == HEIGHTFIELD else 0.0
            box[j] = centre - half - max(below, 0.0)
            box[3 + j] = centre + half - min(below, 0.0)
    return 1 if finite else 0


@kernel(inner=True)
def order_geoms(g: GeomTable, n: NearTable) -> None:
    """Order bounded geoms along the axis in which their centres are spread farthest.

    Writes:  axes, order, start, spare
    """
    order, bounded, centre, box, start, axes = n.order, g.bounded, n.centre, n.box, n.start, n.axes
    spread = vector(3)
    for j in range(3):
        low, high = math.inf, -math.inf
        for i in bounded:
            low, high = min(low, centre[i, j]), max(high, centre[i, j])
        spread[j] = high - low
    axes[0] = 2 if spread[2] > max(spread[0], spread[1]) else 1 if spread[1] > spread[0] else 0
    one, other = (axes[0] + 1) % 3, (axes[0] + 2) % 3
    axes[1], axes[2] = (one, other) if spread[one] >= spread[other] else (other, one)
    for place in range(bounded.shape[0]):
        i = bounded[place]
        order[place], start[i] = i, box[i, axes[0]]
    sort_by(start, order, n.spare, order.shape[0])


@kernel(inner=True)
def cut_strips(g: GeomTable, n: NearTable) -> int:
    """Put bounded geoms, in their order, into the strips of the second axis that their boxes reach into.

    A strip is as wide as the boxes are in the mean, so that a geom is in three of them in the mean at most, and at
    least so wide that there are no more strips than geoms. Boxes without end, of bodies that may go anywhere, are all
    in one strip.

    Writes:  strip, first, member
    Returns: the number of strips
    """
    order, box, axis, strip, first, member = n.order, n.box, n.axes[1], n.strip, n.first, n.member
    count, low, high, total = order.shape[0], math.inf, -math.inf, 0.0
    for i in order:
        low, high, total = min(low, box[i, axis]), max(high, box[i, 3 + axis]), total + box[i, 3 + axis] - box[i, axis]
    width, strips, scale = max(total, high - low), min(count, 1), 0.0
    if count > 0 and math.isfinite(total) and width > 0.0:
        scale = count / width
        strips = min(int((high - low) * scale), count) + 1
    for s in range(strips + 1):
        first[s] = 0
    for i in order:
        strip[i, 0] = min(int((box[i, axis] - low) * scale), strips - 1) if strips > 1 else 0
        strip[i, 1] = min(int((box[i, 3 + axis] - low) * scale), strips - 1) if strips > 1 else 0
        for s in range(strip[i, 0], strip[i, 1] + 1):
            first[s + 1] += 1
    for s in range(strips):
        first[s + 1] += first[s]
    for i in order:
        for s in range(strip[i, 0], strip[i, 1] + 1):
            member[first[s]] = i
            first[s] += 1
    for s in range(strips, 0, -1):
        first[s] = first[s - 1]
    if strips > 0:
        first[0] = 0
    return strips


@kernel(inner=True)
def may_touch(g: GeomTable, a: int, b: int) -> int:
    """Whether two geoms are of bodies that collide at all, see `Geoms`.

    Returns: 1 if so
    """
    first, second, moves, excluded = min(g.body[a], g.body[b]), max(g.body[a], g.body[b]), g.moves, g.excluded
    if first == second or (moves[first] == 0 and moves[second] == 0):
        return 0
    if g.group_collides[g.group[a], g.group[b]] == 0:
        return 0
    key = first * moves.shape[0] + second
    low, high = 0, excluded.shape[0]
    while low < high:
        middle = (low + high) // 2
        if excluded[middle] < key:
            low = middle + 1
        else:
            high = middle
    return 1 if low == excluded.shape[0] or excluded[low] != key else 0


@kernel(inner=True)
def note(p: PairTable, count: int, a: int, b: int) -> int:
    """Note a pair of geoms, if there is room.

    Writes:  found
    Returns: the number of pairs with this one
    """
    if count < p.found.shape[0]:
        p.found[count, 0], p.found[count, 1] = min(a, b), max(a, b)
    return count + 1


@kernel(inner=True)
def sort_pairs(p: PairTable, count: int) -> None:
    """Sort pairs by their first geom, and those of the same by their second: by counting, the second first.

    Writes:  order, spare, starts
    Cost:    of the order of pairs and geoms
    """
    found, starts, order, spare = p.found, p.starts, p.order, p.spare
    for turn in range(2):
        for k in range(starts.shape[0]):
            starts[k] = 0
        for k in range(count):
            starts[found[k, 1 - turn] + 1] += 1
        for k in range(starts.shape[0] - 1):
            starts[k + 1] += starts[k]
        for k in range(count):
            pair = k if turn == 0 else spare[k]
            geom = found[pair, 1 - turn]
            if turn == 0:
                spare[starts[geom]] = pair
            else:
                order[starts[geom]] = pair
            starts[geom] += 1


@kernel(inner=True)
def find_pairs(g: GeomTable, n: NearTable, p: PairTable) -> int:
    """Pairs whose boxes and balls overlap, by sweeping strips; each in the first strip that both are in.

    Writes:  found
    Returns: the number of pairs, also where it is above the capacity
    """
    kind, radius, strip, boxes, centre, band = g.kind, g.radius, n.strip, n.box, n.centre, n.band
    count, axis, across, along = 0, n.axes[0], n.axes[1], n.axes[2]
    for s in range(cut_strips(g, n)):
        members = n.member[n.first[s] : n.first[s + 1]]
        for place in range(members.shape[0]):
            i = members[place]
            bi, later = boxes[i], strip[i, 0] < s
            end, y0, y1, z0, z1 = bi[3 + axis], bi[across], bi[3 + across], bi[along], bi[3 + along]
            for j in members[place + 1 :]:
                bj = boxes[j]
                if bj[axis] > end:
                    break
                if bj[across] > y1 or bj[3 + across] < y0 or bj[along] > z1 or bj[3 + along] < z0:
                    continue
                if later and strip[j, 0] < s:
                    continue
                x, y, z = centre[i, 0] - centre[j, 0], centre[i, 1] - centre[j, 1], centre[i, 2] - centre[j, 2]
                far = x * x + y * y + z * z > (radius[i] + radius[j] + band[i] + band[j]) ** 2
                if far and kind[i] != HEIGHTFIELD and kind[j] != HEIGHTFIELD:
                    continue
                if may_touch(g, i, j) == 1:
                    count = note(p, count, i, j)
    return count


@kernel(inner=True)
def find_plane_pairs(g: GeomTable, n: NearTable, p: PairTable, found: int) -> int:
    """Pairs of a plane and a geom whose bounding box reaches below it, after those that were found already.

    Writes:  found
    Returns: the number of all pairs
    """
    kind, size, centre, frame, band, order = g.kind, g.size, n.centre, n.frame, n.band, n.order
    count = found
    for plane in g.planes:
        f, c = frame[plane], centre[plane]
        nx, ny, nz = f[2], f[5], f[8]
        offset = nx * c[0] + ny * c[1] + nz * c[2]
        for i in order:
            q, t = centre[i], frame[i]
            height = nx * q[0] + ny * q[1] + nz * q[2] - offset - band[i] - band[plane]
            if height > size[i, 0] + size[i, 1] + size[i, 2]:
                continue
            x = nx * t[0] + ny * t[3] + nz * t[6]
            y = nx * t[1] + ny * t[4] + nz * t[7]
            z = nx * t[2] + ny * t[5] + nz * t[8]
            if height < extent(kind[i], size[i], x, y, z) and may_touch(g, plane, i) == 1:
                count = note(p, count, plane, i)
    return count


@kernel()
def find_near(g: GeomTable, n: NearTable, p: PairTable, position: RealRows, rotation: RealRows, reach: Reals) -> int:
    """Geoms whose bounding boxes overlap, of bodies at these places that may still move by `reach`.

    Writes:  n, p
    Returns: the number of pairs; where it is above the capacity they are not written. -1 if a place is not finite
    """
    if place_geoms(g, n, position, rotation, reach) == 0:
        return -1
    order_geoms(g, n)
    found = find_plane_pairs(g, n, p, find_pairs(g, n, p))
    order, pairs, routes, kind, route = p.order, p.pair, p.routes, g.kind, g.route
    if found > order.shape[0]:
        return found
    for i in range(routes.shape[0]):
        routes[i] = 0
    sort_pairs(p, found)
    for i in range(found):
        pair, two = pairs[i], p.found[order[i]]
        pair[0], pair[1], pair[2] = two[0], two[1], route[kind[two[0]], kind[two[1]]]
        routes[pair[2]] += 1
    return found
