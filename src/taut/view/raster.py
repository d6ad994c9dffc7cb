"""A software renderer: batches of surfaces, a camera and ground become a picture, with no graphics card or screen.

    picture = Rasteriser(960, 600).draw(batches(drawing, frame, Look()), camera, drawing.planes)

Cost: every triangle twice (picture and shadow map), every pixel four samples and one shading of each surface in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from taut.errors import InputError
from taut.shapes.surface import Surface
from taut.spatial import Array
from taut.view.batches import Batch
from taut.view.bounds import round_length
from taut.view.camera import Camera

Picture = NDArray[np.uint8]
Integers = NDArray[np.int64]

LARGEST = 8192
"""Pixels along a side, at most."""

SHADOW_TEXELS = 1024
"""Along a side of the shadow map."""

GAMMA = 2.2
"""Bytes are light to the power of one over this."""

THINNEST = 2.2
"""What is thinner than this many pixels is drawn this thick, so that chains and ropes can be seen from afar."""

NEAR = 1e-3
"""What is nearer than this share of the distance to the target is not drawn."""

GROUND_RADIUS, TILES = 3.2, 9.0
"""The ground fades out at this many times the distance to the target; tiles of its checker within that distance."""

SUN_SIDE, SUN_HEIGHT = np.radians(55.0), np.radians(45.0)
"""The sun stands behind the camera, this far to the left, and this high."""

TINTS = np.array(
    [
        (0.681, 0.783, 0.904),  # background above
        (0.946, 0.957, 0.967),  # and below
        (0.883, 0.893, 0.904),  # light tiles
        (0.793, 0.813, 0.842),  # dark tiles
        (0.401, 0.442, 0.516),  # of the ground's light, what is left in shadow
    ]
)
"""Colours of what is not a body, linear."""


def vertex_normals(surface: Surface) -> Array:
    """Unit normals (p, 3) at points: the mean of those of their triangles, weighted by area."""
    a, b, c = (surface.points[surface.triangles[:, corner]] for corner in range(3))
    across = np.cross(b - a, c - a)
    normals = np.zeros_like(surface.points)
    for corner in range(3):
        np.add.at(normals, surface.triangles[:, corner], across)
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)


def thickened(surface: Surface, scales: Array, least: Array) -> Array:
    """Scales (k, 3) of copies of a surface that are at least as thick (k,) as this along each of their axes, m."""
    extent = np.ptp(surface.points, axis=0)
    extent = np.where(extent > 0.0, extent, np.inf)  # what has no thickness keeps none
    return np.maximum(scales, np.maximum(least, 0.0)[:, None] / extent)


def sun_direction(camera: Camera) -> Array:
    """Unit vector (3,) towards the sun, which stands behind the camera to the left."""
    right, _, forward = camera.axes()
    up = camera.up / np.linalg.norm(camera.up)
    level = forward - (forward @ up) * up
    level /= np.linalg.norm(level)
    return np.cos(SUN_HEIGHT) * (-np.cos(SUN_SIDE) * level - np.sin(SUN_SIDE) * right) + np.sin(SUN_HEIGHT) * up


@dataclass(frozen=True, eq=False)
class Geometry:
    """All triangles of a picture, world axes: points and normals (n, 3), triangles (t, 3), the copy of each triangle
    (t,), and the copies' colours (k, 3) in linear light."""

    points: Array
    normals: Array
    triangles: Integers
    copies: Integers
    colours: Array


class Rasteriser:
    """Draws pictures of one size; it keeps the memory for them and the normals of surfaces it has seen.

    Args:
        width, height: pixels.
    """

    def __init__(self, width: int, height: int) -> None:
        if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
            raise InputError(f"picture: size is {width} x {height} pixels; sides must be from 1 to {LARGEST}")
        from taut.view.raster_kernels import BLOCK, SAMPLES
        from taut.view.shade_kernels import TONES

        self.width, self.height = width, height
        self._depth = np.empty(width * height * SAMPLES, np.float32)
        self._owner = np.empty(width * height * SAMPLES, np.int32)
        self._shadow = np.empty(SHADOW_TEXELS**2, np.float32)
        self._caster = np.empty(SHADOW_TEXELS**2, np.int32)
        self._tops = np.empty((SHADOW_TEXELS // BLOCK) ** 2, np.float32)
        self._tones = np.rint(255.0 * np.linspace(0.0, 1.0, TONES) ** (1.0 / GAMMA)).astype(np.uint8)
        self._layout: tuple[list[tuple[int, int]], Integers, Integers] = (
            [], np.zeros((0, 3), np.int64), np.zeros(0, np.int64),
        )  # fmt: skip
        self._normals: dict[int, tuple[Surface, Array]] = {}  # a surface is kept, so that its number stays its own

    def draw(self, batches: Sequence[Batch], camera: Camera, planes: Array | Sequence[Sequence[float]] = ()) -> Picture:
        """A picture (height, width, 3) of bodies and of ground planes (p, 4): unit normal and offset, m.

        Batches that are to be on top are drawn over all others, and cast no shadow.
        """
        from taut.view.raster_kernels import NOTHING, cover, lay_grounds, project
        from taut.view.shade_kernels import shade

        focal = 0.5 * self.height / np.tan(0.5 * camera.field_of_view)
        axes = camera.axes()
        batches = sorted(batches, key=lambda batch: batch.on_top)
        solid = sum(len(each.positions) * len(each.surface.triangles) for each in batches if not each.on_top)
        geometry = self._geometry(batches, lambda places: (places - camera.position) @ axes[2] / focal)
        view = np.empty_like(geometry.points)
        project(geometry.points, camera.position, axes * np.array([[focal], [focal], [1.0]]), view)
        near, radius = NEAR * camera.distance, GROUND_RADIUS * camera.distance
        self._depth.fill(0.0)
        self._owner.fill(NOTHING)
        cover(view, geometry.triangles[:solid], 0, near, self.width, self.height, self._depth, self._owner)
        rays = axes.T / np.array([focal, focal, 1.0])
        grounds = ground_rows(np.asarray(planes, float).reshape(-1, 4), camera, rays)
        lay_grounds(grounds, near, radius, self.width, self.height, self._depth, self._owner)
        self._depth.fill(0.0)  # what is on top is nearer than all there is
        cover(view, geometry.triangles, solid, near, self.width, self.height, self._depth, self._owner)
        light = self._cast(geometry, view, camera, solid)
        picture = np.empty((self.height, self.width, 3), np.uint8)
        shade(
            (*camera.position.tolist(), *rays.ravel().tolist()),
            view, geometry.normals, geometry.triangles, geometry.copies, geometry.colours,
            grounds, radius, 1.0 / tile_edge(camera.distance), light, TINTS, SHADOW_TEXELS,
            self._shadow, self._caster, self._tops, self._owner, self._tones, picture,
        )  # fmt: skip
        return picture

    def _geometry(self, batches: Sequence[Batch], pixel: Callable[[Array], Array]) -> Geometry:
        """All triangles; `pixel` gives the edge (k,) of a pixel at points (k, 3), m."""
        from taut.view.raster_kernels import place_copies

        sizes = [len(batch.positions) * len(batch.surface.points) for batch in batches]
        points, normals = np.empty((sum(sizes), 3)), np.empty((sum(sizes), 3))
        end = 0
        for batch, size in zip(batches, sizes, strict=True):
            surface, start, end = batch.surface, end, end + size
            scales = thickened(surface, batch.scales, THINNEST * pixel(batch.positions))
            values = (surface.points, self._normals_of(surface), batch.positions, batch.orientations, scales)
            own = [np.ascontiguousarray(value, float) for value in values]
            place_copies(*own, points[start:end], normals[start:end])
        triangles, copies = self._triangles_of(batches)
        colours = np.vstack([np.zeros((0, 3)), *(batch.colours for batch in batches)])
        return Geometry(points, normals, triangles, copies, (colours / 255.0) ** GAMMA)

    def _triangles_of(self, batches: Sequence[Batch]) -> tuple[Integers, Integers]:
        """Triangles of all copies and the copy of each; the same from frame to frame of a film, mostly."""
        key = [(id(batch.surface), len(batch.positions)) for batch in batches]
        if key != self._layout[0]:
            triangles, copies = [np.zeros((0, 3), np.int64)], [np.zeros(0, np.int64)]
            start = copy = 0
            for batch in batches:
                surface, count = batch.surface, len(batch.positions)
                first = start + len(surface.points) * np.arange(count)
                triangles.append((surface.triangles + first[:, None, None]).reshape(-1, 3))
                copies.append(np.repeat(np.arange(copy, copy + count), len(surface.triangles)))
                start, copy = start + len(surface.points) * count, copy + count
            self._layout = key, np.vstack(triangles), np.concatenate(copies)
        return self._layout[1:]

    def _normals_of(self, surface: Surface) -> Array:
        if id(surface) not in self._normals:
            self._normals[id(surface)] = (surface, vertex_normals(surface))
        return self._normals[id(surface)][1]

    def _cast(self, geometry: Geometry, view: Array, camera: Camera, solid: int) -> tuple[float, ...]:
        """Draw the shadow map of the first triangles, those that are solid.

        Returns: what `shade` must know of the light: origin (3), axes (9), bias, direction (3)
        """
        from taut.view.raster_kernels import BLOCK, NOTHING, cast, project

        self._shadow.fill(-np.inf)
        self._caster.fill(NOTHING)
        self._tops.fill(-np.inf)
        sun = sun_direction(camera)
        across = np.cross(sun, np.eye(3)[int(np.abs(sun).argmin())])
        across /= np.linalg.norm(across)
        axes = np.array([across, np.cross(sun, across), sun])
        if not solid:
            return (0.0, 0.0, 0.0, *axes.ravel().tolist(), 0.0, *sun.tolist())
        end = int(geometry.triangles[:solid].max()) + 1
        everything, view = geometry.points[:end], view[:end]
        # what is out of the picture or far away would leave few texels for what is in it
        half = 0.5 * np.array([self.width, self.height]) * view[:, 2:]
        near = (view[:, 2] > 0.0) & (view[:, 2] < GROUND_RADIUS * camera.distance)
        seen = near & (np.abs(view[:, :2]) <= half).all(axis=1)
        points = everything[seen] if seen.any() else everything
        places = points @ axes[:2].T
        low, high = places.min(axis=0), places.max(axis=0)
        texel = max(float((high - low).max()) / (SHADOW_TEXELS - 16), 1e-9)
        corner = 0.5 * (low + high) - 0.5 * SHADOW_TEXELS * texel
        origin = corner @ axes[:2]
        axes[:2] /= texel
        light = np.empty_like(everything)
        project(everything, origin, axes, light)
        triangles, copies = geometry.triangles[:solid], geometry.copies[:solid]
        cast(light, triangles, copies, SHADOW_TEXELS, self._shadow, self._caster)
        blocks = SHADOW_TEXELS // BLOCK
        self._tops[:] = highest_around(self._shadow.reshape(blocks, BLOCK, blocks, BLOCK).max(axis=(1, 3))).ravel()
        return (*origin.tolist(), *axes.ravel().tolist(), texel, *sun.tolist())


def highest_around(heights: NDArray[np.float32]) -> NDArray[np.float32]:
    """The greatest of each entry (n, m) and its eight neighbours."""
    for axis in (0, 1):
        before, after = np.roll(heights, 1, axis), np.roll(heights, -1, axis)  # what comes around is empty margin
        heights = np.maximum(np.maximum(before, after), heights)
    return heights


def ground_rows(planes: Array, camera: Camera, rays: Array) -> Array:
    """What the kernels must know of ground planes (p, 4) that are seen from above: rows (13,).

    With the ray d, world direction R d, and the eye at height h over a plane with unit normal n, the inverse depth is
    g . d = -n . R d / h, and the place on the plane (u0 + e . R d / (g . d), ...) with the plane's axes e.
    """
    rows = [np.zeros((0, 13))]
    for *normal, offset in planes.tolist():
        height = float(np.dot(normal, camera.position)) - offset
        if height <= 0.0:
            continue
        first = np.cross((0.0, 1.0, 0.0) if abs(normal[1]) < 0.9 else (0.0, 0.0, 1.0), normal)
        first /= np.linalg.norm(first)
        second = np.cross(normal, first)
        plane = np.array([first, second])
        places = [plane @ (camera.position - camera.target), plane @ camera.target]
        rows.append(np.concatenate([-np.array(normal) @ rays / height, *(plane @ rays), *places])[None])
    return np.ascontiguousarray(np.vstack(rows))


def tile_edge(distance: float) -> float:
    """Edge of the ground's tiles: 1, 2 or 5 times a power of ten, m."""
    return round_length(distance / TILES)
