"""From where a motion is looked at: a first view that shows all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taut.errors import InputError
from taut.results.drawing import Drawing
from taut.spatial import Array, matrix, rotate_each
from taut.view.frame import Frame

FIELD_OF_VIEW = np.radians(32.0)
"""Vertical, rad: narrow enough that what is upright looks upright."""

ASPECT = 1.6
"""Width over height of a picture."""

MARGIN, GROUND_MARGIN = 1.1, 1.25
"""Distance over that from which everything just fits; where there is ground, there should be some around."""

TURN = np.radians(28.0)
"""How far the first view is turned from straight on, so that depth shows."""

FLAT, STEEP = np.radians(10.0), np.radians(34.0)
"""How far the first view looks down: on what is high and narrow, and on what lies flat."""

VIEWS = [
    (side + turn, more)
    for more in np.radians((0.0, 20.0, 40.0)).tolist()
    for side in (0.0, 0.5 * np.pi, np.pi, 1.5 * np.pi)
    for turn in (TURN, -TURN, 0.3 * TURN)
]
"""First views in the order of preference: headings from straight on, and how much steeper."""

EACH_LATER = 0.01
"""Share of the bodies that a later view must show more than the one before."""

LEVEL = 0.02
"""Ground with less slope than this is level."""

HIGHEST = np.radians(60.0)
"""The steepest view."""

FLOWN_OFF = 2.5
"""Bodies farther from the middle than this many times the distance within which nearly all are do not count."""

LOOKED_AT = 24
"""Frames of a motion that are looked at, at most."""


@dataclass(frozen=True, eq=False)
class Camera:
    """Where a picture is taken from; world axes, m.

    Attributes:
        position: (3,) the eye.
        target: (3,) what is in the middle of the picture.
        up: (3,) what is upwards in it, not along the line of sight.
        field_of_view: vertical angle of the picture, rad.
    """

    position: Array
    target: Array
    up: Array
    field_of_view: float = float(FIELD_OF_VIEW)

    def __post_init__(self) -> None:
        for name in ("position", "target", "up"):
            object.__setattr__(self, name, np.array(getattr(self, name), float))
        if not 0.0 < self.field_of_view < np.pi:
            raise InputError(f"camera: field_of_view is {self.field_of_view:g} rad; it must be between 0 and pi")

    @property
    def distance(self) -> float:
        """From the eye to the target, m."""
        return float(np.linalg.norm(self.target - self.position))

    def axes(self) -> Array:
        """Unit vectors (3, 3) in rows: to the right, down and forward in the picture."""
        forward = self.target - self.position
        right = np.cross(forward, self.up)
        if not np.linalg.norm(right) > 1e-9 * np.linalg.norm(forward) * np.linalg.norm(self.up):
            raise InputError("camera: position, target and up are on one line; it must look at something, not along up")
        right /= np.linalg.norm(right)
        forward /= np.linalg.norm(forward)
        return np.array([right, np.cross(forward, right), forward])


def framing(drawing: Drawing, frames: Sequence[Frame], aspect: float = ASPECT) -> Camera:
    """A first view of a motion: across its longer side and a bit from above, with everything in the picture.

    Of the views from all sides the first is taken from which ground is seen from above and bodies are not hidden
    behind what stands. Single bodies that fly far off are left out of account, and ground larger than all the rest.
    """
    if not frames:
        raise InputError("camera: there are no frames to look at")
    chosen = [frames[int(i)] for i in np.unique(np.linspace(0, len(frames) - 1, LOOKED_AT).astype(int))]
    points = _seen(drawing, chosen)
    low, high = points.min(axis=0), points.max(axis=0)
    across = _side_across(drawing, high - low)
    depth, height = (high - low)[1 - across], (high - low)[2]
    sloping = _steepest(drawing).max() > LEVEL  # a slope shows best from its side
    down = FLAT if sloping else FLAT + (STEEP - FLAT) * float(depth / (depth + height + 1e-9))
    margin = GROUND_MARGIN if len(drawing.planes) else MARGIN
    best, most = None, -np.inf
    for number, (turn, more) in enumerate(VIEWS):
        heading = turn - (1 - across) * 0.5 * np.pi
        camera = _fitted(_from(0.5 * (low + high), heading, min(down + more, HIGHEST)), points, aspect, margin)
        share = _open_share(drawing, chosen[len(chosen) // 2], camera)
        if share - EACH_LATER * number > most:
            best, most = camera, share - EACH_LATER * number
        if share == 1.0:
            break
    assert best is not None
    return best


def _side_across(drawing: Drawing, span: Array) -> int:
    """The axis, x or y, that is across the picture: that of the steepest slope, else the longer one, x in doubt."""
    slope = _steepest(drawing)
    return int(slope[1] > slope[0]) if slope.max() > LEVEL else int(span[0] < 0.8 * span[1])


def _steepest(drawing: Drawing) -> Array:
    """Largest slopes (2,) of the ground along x and y: sines of angles."""
    return np.abs(drawing.planes[:, :2]).max(axis=0, initial=0.0)


def _open_share(drawing: Drawing, frame: Frame, camera: Camera) -> float:
    """Share of the moving pieces whose middle is seen from a camera: no box of a standing one is in between.

    Zero where the camera is below ground. A line from p to q is in a box |x| <= h where all the ranges of t overlap
    in which |p + t (q - p)| <= h along one axis.
    """
    if ((drawing.planes[:, :3] @ camera.position - drawing.planes[:, 3]) < 0.05 * camera.distance).any():
        return 0.0
    place, turn = drawing.piece_poses(frame.positions, frame.orientations)
    moves = drawing.moves[drawing.piece_body]
    hidden = np.zeros(int(moves.sum()), bool)
    for piece in np.flatnonzero(~moves).tolist():
        points = drawing.surfaces[int(drawing.piece_surface[piece])].points
        middle, half = 0.5 * (points.min(axis=0) + points.max(axis=0)), 0.5 * np.ptp(points, axis=0)
        own = matrix(turn[piece])
        start = (camera.position - place[piece]) @ own - middle
        ray = (place[moves] - place[piece]) @ own - middle - start
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = (np.stack([-half, half]) - start)[:, None] / ray
        enter, leave = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
        hidden |= (enter < np.minimum(leave, 0.999)) & (leave > 0.0)
    return 1.0 - float(hidden.mean()) if hidden.size else 1.0


def _from(centre: Array, heading: float, down: float) -> Camera:
    """A camera that looks at a point from a side (rad about the vertical, 0 = from +x) and from above (rad)."""
    away = np.array([np.cos(down) * np.cos(heading), np.cos(down) * np.sin(heading), np.sin(down)])
    return Camera(centre + away, centre, np.array([0.0, 0.0, 1.0]))


def _fitted(camera: Camera, points: Array, aspect: float, margin: float) -> Camera:
    """The camera moved, not turned, so that points (n, 3) fit in the picture, and then away by a factor.

    A point with coordinates (x, z) across and forward is in the picture of a camera at (cx, -d) if
    |x - cx| <= (z + d) tan(a), so with the largest x - z tan(a) and -x - z tan(a) both cx and the smallest d are known.
    """
    axes = camera.axes()
    x, y, z = axes @ (points - camera.target).T
    high = np.tan(0.5 * camera.field_of_view)
    shift, distance = [], 0.0
    for across, slope in ((x, high * aspect), (y, high)):
        upper, lower = float((across - z * slope).max()), float((-across - z * slope).max())
        shift.append(0.5 * (upper - lower))
        distance = max(distance, 0.5 * (upper + lower) / slope)
    target = camera.target + shift[0] * axes[0] + shift[1] * axes[1]
    nearest = max(margin * distance, 1e-6)
    return Camera(target - nearest * axes[2], target, camera.up, camera.field_of_view)


def _seen(drawing: Drawing, frames: Sequence[Frame]) -> Array:
    """Points (n, 3) that should be in the picture: corners of the boxes around all pieces, and ends of lines."""
    moving, standing = [], []
    moves = drawing.moves[drawing.piece_body]
    drawn = drawing.pulls[drawing.link_of_point]
    drawn[drawing.arms] = True
    for frame in frames:
        corners = _corners(drawing, frame)
        moving.append(corners[moves].reshape(-1, 3))
        standing.append(corners[~moves])
        moving.append(drawing.path_points(frame.positions, frame.orientations)[drawn])
    points = np.vstack(moving)
    points = points[np.isfinite(points).all(axis=1)]
    still = np.vstack(standing)
    still = still[np.isfinite(still).all(axis=(1, 2))]
    if not len(points):
        return still.reshape(-1, 3) if still.size else np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    away = np.linalg.norm(points - np.median(points, axis=0), axis=1)
    points = points[away <= FLOWN_OFF * np.quantile(away, 0.95)]
    largest = 2.0 * np.linalg.norm(np.ptp(points, axis=0))
    small = np.linalg.norm(np.ptp(still, axis=1), axis=1) <= largest
    return np.vstack([points, still[small].reshape(-1, 3)])


def _corners(drawing: Drawing, frame: Frame) -> Array:
    """Corners (k, 8, 3) of the boxes around pieces, along the pieces' own axes."""
    unit = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    boxes = [surface.points.min(axis=0) + unit * np.ptp(surface.points, axis=0) for surface in drawing.surfaces]
    if not boxes:
        return np.zeros((0, 8, 3))
    place, turn = drawing.piece_poses(frame.positions, frame.orientations)
    own = np.array(boxes)[drawing.piece_surface].reshape(-1, 3)
    return (np.repeat(place, 8, axis=0) + rotate_each(np.repeat(turn, 8, axis=0), own)).reshape(-1, 8, 3)
