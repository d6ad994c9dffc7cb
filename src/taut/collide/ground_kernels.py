"""Ground of triangles: corners and neighbours of those of heightfields and meshes, and which of them are near."""

from __future__ import annotations

import numpy as np

from taut.collide.broad_kernels import extent
from taut.collide.gjk_kernels import triangle_nearest
from taut.collide.ground import GroundTable
from taut.collide.kinds import MESH
from taut.collide.mesh_topology import LEAF
from taut.collide.site import Site
from taut.kernel import kernel
from taut.table_types import matrix, vector
from taut.tables import RealRows, Reals, Wholes

LEVEL = 1e-3
"""Slope up to which ground counts as level, so that rounding does not hide a summit."""

CREASE = 1e-5
"""Sine of the angle between two triangles up to which the edge between them is none."""

HALF_AGAIN = 1.5
"""Depth along the normal of a triangle, over that to the nearest point of a mesh, up to which the triangle counts."""

NORMAL, BEYOND, BEND = 3, 4, 7
"""Rows of a facet (8, 3): three corners, normal, normals beyond the three edges, and their bends: 1 for a ridge, -1 for
a valley, 0 for none."""


@kernel(inner=True)
def corner_of(g: GroundTable, h: int, triangle: int, corner: int) -> int:
    """The vertex of ground h at a corner of a triangle, 0 to 2."""
    columns = g.grid[h, 2]
    if columns == 0:
        return g.triangles[g.grid[h, 4] + triangle, corner]
    # (0, 0), (0, 1), (1, 1) and (0, 0), (1, 1), (1, 0) in rows and columns
    cell, half = triangle // 2, triangle % 2
    row, column = cell // (columns - 1), cell % (columns - 1)
    row += 1 if corner == 2 or (corner == 1 and half == 1) else 0
    column += 1 if corner == 1 or (corner == 2 and half == 0) else 0
    return row * columns + column


@kernel(inner=True)
def across_of(g: GroundTable, h: int, triangle: int, edge: int) -> int:
    """The triangle beyond the edge that starts at a corner, or -1."""
    rows, columns = g.grid[h, 1], g.grid[h, 2]
    if columns == 0:
        return g.across[g.grid[h, 4] + triangle, edge]
    cell, half = triangle // 2, triangle % 2
    row, column = cell // (columns - 1), cell % (columns - 1)
    if edge == (2 if half == 0 else 0):  # the diagonal
        return triangle + 1 - 2 * half
    if edge == 1:
        row, column = (row, column + 1) if half == 0 else (row + 1, column)
    else:
        row, column = (row - 1, column) if half == 0 else (row, column - 1)
    if row < 0 or column < 0 or row > rows - 2 or column > columns - 2:
        return -1
    return 2 * (row * (columns - 1) + column) + 1 - half


@kernel(inner=True)
def owner_of(g: GroundTable, h: int, vertex: int) -> int:
    """The first triangle of a vertex."""
    columns = g.grid[h, 2]
    if columns == 0:
        return g.owner[g.grid[h, 3] + vertex]
    row, column = vertex // columns, vertex % columns
    half = 1 if row > 0 and column == 0 else 0
    return 2 * (max(row - 1, 0) * (columns - 1) + max(column - 1, 0)) + half


@kernel(inner=True)
def place_vertex(s: Site, h: int, vertex: int, place_out: Reals) -> None:
    """World position (3,) of a vertex, m.

    Writes:  place_out
    """
    g, size, frame = s.ground, s.size[h], s.frame[h]
    columns = g.grid[h, 2]
    if columns == 0:
        own = g.vertices[g.grid[h, 3] + vertex]
        x, y, z = own[0], own[1], own[2]
    else:
        row, column = vertex // columns, vertex % columns
        x = -size[0] + 2.0 * size[0] * column / (columns - 1)
        y = -size[1] + 2.0 * size[1] * row / (g.grid[h, 1] - 1)
        z = g.heights[g.grid[h, 0] + vertex]
    for k in range(3):
        place_out[k] = s.centre[h, k] + frame[3 * k] * x + frame[3 * k + 1] * y + frame[3 * k + 2] * z


@kernel("boolean(float64[::1], float64[::1], float64[::1], float64[::1])", inner=True)
def unit_normal(
    p, q, r,  # (3,) corners, m
    normal_out,  # (3,)
):  # fmt: skip
    """Unit normal of a triangle that is seen counter-clockwise from where it looks.

    Writes:  normal_out
    Returns: whether the triangle has an area
    """
    x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    u, v, w = r[0] - p[0], r[1] - p[1], r[2] - p[2]
    normal_out[0], normal_out[1], normal_out[2] = y * w - z * v, z * u - x * w, x * v - y * u
    length = np.sqrt(normal_out[0] ** 2 + normal_out[1] ** 2 + normal_out[2] ** 2)
    if length <= 1e-12 * (x * x + y * y + z * z + u * u + v * v + w * w):
        return False
    for k in range(3):
        normal_out[k] /= length
    return True


@kernel(apart=True)
def place_facet(s: Site, h: int, triangle: int, facet_out: RealRows) -> int:
    """A triangle of the ground in the world, and what is beyond its edges.

    At a border the ground ends in a wall at a right angle, so that what hangs over it is carried by the edge.

    Writes:  facet_out (8, 3), see `NORMAL`
    Returns: 1, or 0 for a triangle without area
    """
    for k in range(3):
        place_vertex(s, h, corner_of(s.ground, h, triangle, k), facet_out[k])
    n, bends, far = facet_out[NORMAL], facet_out[BEND], vector(3)
    if not unit_normal(facet_out[0], facet_out[1], facet_out[2], n):
        return 0
    for edge in range(3):
        p, q, other = facet_out[edge], facet_out[(edge + 1) % 3], facet_out[BEYOND + edge]
        x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        scale = 1.0 / np.sqrt(x * x + y * y + z * z)
        ox, oy, oz = scale * (y * n[2] - z * n[1]), scale * (z * n[0] - x * n[2]), scale * (x * n[1] - y * n[0])
        neighbour, bends[edge] = across_of(s.ground, h, triangle, edge), 1.0
        other[0], other[1], other[2] = ox, oy, oz
        if neighbour < 0:
            continue
        # the edge and the corner of the neighbour that is not on it
        for k in range(3):
            if across_of(s.ground, h, neighbour, k) == triangle:
                place_vertex(s, h, corner_of(s.ground, h, neighbour, (k + 2) % 3), far)
        if not unit_normal(q, p, far, other):
            other[0], other[1], other[2] = n[0], n[1], n[2]
        sine = other[0] * ox + other[1] * oy + other[2] * oz
        bends[edge] = 1.0 if sine > CREASE else -1.0 if sine < -CREASE else 0.0
    return 1


@kernel(apart=True)
def is_summit(s: Site, h: int, vertex: int, place: Reals, direction: Reals) -> int:
    """Whether the ground falls off on all sides of a vertex at a place (3,), seen along a unit direction (3,).

    Where it is level all around, as on a plain, is no summit.

    Returns: 1 if so
    """
    g, columns, other = s.ground, s.ground.grid[h, 2], vector(3)
    first, count, falls = 0, 6, 0
    if columns == 0:
        first = g.ring_start[g.grid[h, 3] + vertex]
        count = g.ring_start[g.grid[h, 3] + vertex + 1] - first
    for i in range(count):
        near = vertex
        if columns == 0:
            near = g.ring[first + i]
        else:
            # right, left, up, down, and along the diagonal
            side = 1 - 2 * (i % 2)
            row = vertex // columns + (side if i >= 2 else 0)
            column = vertex % columns + (side if i < 2 or i >= 4 else 0)
            if row < 0 or column < 0 or row >= g.grid[h, 1] or column >= columns:
                continue
            near = row * columns + column
        place_vertex(s, h, near, other)
        x, y, z = other[0] - place[0], other[1] - place[1], other[2] - place[2]
        rise = direction[0] * x + direction[1] * y + direction[2] * z
        level = LEVEL * np.sqrt(x * x + y * y + z * z)
        if rise > level:
            return 0
        falls = 1 if rise < -level else falls
    return falls


@kernel("Tuple((float64, int64))(float64[::1], int64, int64, float64[::1], float64[::1], float64[::1], float64[::1])",
        inner=True)  # fmt: skip
def rise_over(
    heights, rows, columns, centre, frame, size,  # of a heightfield: (rows * columns,), .., (3,), (9,), (3,)
    point,  # (3,) world, m
):  # fmt: skip
    """How far a point is above a heightfield, along its own z axis.

    Returns: the height in m, inf beyond the borders, and the triangle below or above
    """
    x, y, z = point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]
    across = (frame[0] * x + frame[3] * y + frame[6] * z + size[0]) * 0.5 / size[0] * (columns - 1)
    along = (frame[1] * x + frame[4] * y + frame[7] * z + size[1]) * 0.5 / size[1] * (rows - 1)
    if min(across, along, columns - 1 - across, rows - 1 - along) < -1e-9:
        return np.inf, -1
    i, j = max(min(int(along), rows - 2), 0), max(min(int(across), columns - 2), 0)
    u, v, cell = across - j, along - i, i * columns + j
    first, last = heights[cell], heights[cell + columns + 1]
    half = 0 if u >= v else 1
    corner = heights[cell + 1] if half == 0 else heights[cell + columns]
    high, low = max(u, v), min(u, v)
    level = first + high * (corner - first) + low * (last - corner)
    return frame[2] * x + frame[5] * y + frame[8] * z - level, 2 * (i * (columns - 1) + j) + half


@kernel(inner=True)
def height_over_mesh(s: Site, h: int, point: Reals) -> float:
    """Distance of a point (3,) from the near triangles of a mesh, m; negative behind them.

    At an edge or corner several triangles are as near: the one that the point is farthest from along the normal says on
    which side it is.
    """
    corners, normal, place = matrix(3, 3), vector(3), vector(3)
    nearest, side = np.inf, 0.0
    for i in range(s.found[0]):
        for k in range(3):
            place_vertex(s, h, corner_of(s.ground, h, s.near[i], k), corners[k])
        if not unit_normal(corners[0], corners[1], corners[2], normal):
            continue
        height = 0.0
        for k in range(3):
            height += normal[k] * (point[k] - corners[0, k])
        if height * height > nearest * (1.0 + 1e-9):
            continue
        for corner in range(3):
            for k in range(3):
                corners[corner, k] -= point[k]
        u, v, w = triangle_nearest(corners[0], corners[1], corners[2])
        square = 0.0
        for k in range(3):
            place[k] = u * corners[0, k] + v * corners[1, k] + w * corners[2, k]
            square += place[k] * place[k]
        if square < nearest * (1.0 - 1e-9) or (square <= nearest * (1.0 + 1e-9) and abs(height) > abs(side)):
            side = height
            nearest = min(nearest, square)
    return np.sqrt(nearest) if side >= 0.0 else -np.sqrt(nearest)


@kernel(apart=True)
def rise_of(s: Site, h: int, point: Reals) -> float:
    """How far a point (3,) is above the ground, m: straight up from a heightfield, or in any direction from a mesh.

    In a valley the nearest point of a mesh is nearer than that straight above: such depths count half as much again.
    """
    g = s.ground
    if s.kind[h] == MESH:
        return HALF_AGAIN * height_over_mesh(s, h, point)
    rows, columns = g.grid[h, 1], g.grid[h, 2]
    field = g.heights[g.grid[h, 0] : g.grid[h, 0] + rows * columns]
    rise, _ = rise_over(field, rows, columns, s.centre[h], s.frame[h], s.size[h], point)
    return rise


@kernel(inner=True)
def box_of(s: Site, h: int, g: int, limit: float, box_out: Reals) -> None:
    """Bounding box (6,) of geom g, the limit included, in the own axes of ground h, m.

    Writes:  box_out
    """
    own, other = s.frame[h], s.frame[g]
    for axis in range(3):
        p, q, r, place = 0.0, 0.0, 0.0, 0.0
        for k in range(3):
            along = own[3 * k + axis]
            p, q, r = p + along * other[3 * k], q + along * other[3 * k + 1], r + along * other[3 * k + 2]
            place += along * (s.centre[g, k] - s.centre[h, k])
        reach = extent(s.kind[g], s.size[g], p, q, r) + limit
        box_out[axis], box_out[3 + axis] = place - reach, place + reach


@kernel(inner=True)
def near_cells(s: Site, h: int, box: Reals, near_out: Wholes) -> int:
    """Triangles of a heightfield over which a box (6,) is, or under which.

    Writes:  near_out
    Returns: their number
    """
    g, size, count = s.ground, s.size[h], 0
    start, rows, columns = g.grid[h, 0], g.grid[h, 1], g.grid[h, 2]
    dx, dy = 2.0 * size[0] / (columns - 1), 2.0 * size[1] / (rows - 1)
    left, low = max(int(np.floor((box[0] + size[0]) / dx)), 0), max(int(np.floor((box[1] + size[1]) / dy)), 0)
    right = min(int(np.floor((box[3] + size[0]) / dx)), columns - 2)
    high = min(int(np.floor((box[4] + size[1]) / dy)), rows - 2)
    for row in range(low, high + 1):
        for column in range(left, right + 1):
            v = start + row * columns + column
            diagonal = max(g.heights[v], g.heights[v + columns + 1])
            for half in range(2):
                if max(diagonal, g.heights[v + 1] if half == 0 else g.heights[v + columns]) >= box[2]:
                    near_out[count] = 2 * (row * (columns - 1) + column) + half
                    count += 1
    return count


@kernel(apart=True)
def near_triangles(s: Site, h: int, box: Reals, near_out: Wholes) -> int:
    """Triangles of a mesh whose bounding box may overlap a box (6,): those in leaves that do.

    Writes:  near_out
    Returns: their number
    """
    g, count, node = s.ground, 0, 0
    root, first, leaves = g.grid[h, 5], g.grid[h, 6], g.grid[h, 7]
    total = g.grid[h, 0]
    while True:
        b = g.boxes[root + node]
        apart = False
        for k in range(3):
            apart = apart or b[k] > box[3 + k] or b[3 + k] < box[k]
        if not apart and node < leaves - 1:
            node = 2 * node + 1
            continue
        if not apart:
            start = LEAF * (node - leaves + 1)
            for place in range(start, min(start + LEAF, total)):
                near_out[count] = g.order[first + place]
                count += 1
        # on to the next subtree: up from right children, then to the right
        while node > 0 and node % 2 == 0:
            node = (node - 1) // 2
        if node == 0:
            return count
        node += 1
