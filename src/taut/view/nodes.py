"""Batches of surfaces as nodes of a viser scene: made once, then only what changed is sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taut.results.drawing import Drawing, alike
from taut.shapes.surface import Surface
from taut.spatial import Array, from_two_vectors
from taut.view.batches import Batch, Integers, Look, batches, chosen_batch
from taut.view.bounds import bounds, round_length
from taut.view.frame import Frame

if TYPE_CHECKING:
    from viser import BatchedMeshHandle, ViserServer

UP = np.array([0.0, 0.0, 1.0])

GROUND, CELL_LINE, SECTION_LINE = (236, 238, 241), (214, 218, 224), (182, 188, 197)
"""Colours of the ground and of the lines on it."""

GLASS = 0.35
"""Opacity of bodies that one can see through."""

CELLS = 10
"""Cells of the ground's grid over the extent of a scene, about."""

_SHARE = np.arange(256) / 255.0
LINEAR = np.round(255.0 * np.where(_SHARE <= 0.04045, _SHARE / 12.92, ((_SHARE + 0.055) / 1.055) ** 2.4)).astype(
    np.uint8
)
"""From a colour as it should look (sRGB) to what viser's batches take for it, which is light."""


@dataclass(frozen=True)
class Drag:
    """A body that the mouse pulls; world axes.

    Attributes:
        phase: "start", "update" or "end".
        body: number of the body.
        point: (3,) where it was taken hold of, as it is now, m.
        hand: (3,) where the mouse is, in the plane across the line of sight, m.
        eye: (3,) from where whoever pulls looks at it, m.
    """

    phase: str
    body: int
    point: Array
    hand: Array
    eye: Array


@dataclass
class _Node:
    """A batch on the page."""

    handle: BatchedMeshHandle
    surface: Surface
    bodies: Integers
    links: Integers
    sent: dict[str, bytes]
    shown: bool = True
    dragged: bool = False
    clicked: bool = False
    opacity: float | None = None

    def send(self, name: str, values: NDArray[Any]) -> None:
        """Set an array of the node unless it has these values; much cheaper than viser's own comparison."""
        content = values.tobytes()
        if self.sent.get(name) != content:
            self.sent[name] = content
            setattr(self.handle, name, values)

    def show(self, shown: bool) -> None:
        """Show or hide it."""
        if shown != self.shown:
            self.shown = self.handle.visible = shown

    def fade(self, opacity: float | None) -> None:
        """Make it see-through, or opaque with None."""
        if opacity != self.opacity:
            self.opacity = self.handle.opacity = opacity


class Nodes:
    """One drawing on a page.

    Args:
        server: of the page.
        root: name of the node that all others are put under, such as "/scene0".
        drawing: what there is to draw; may be set to one that has grown, which the next update then follows.
        look: what to show; likewise.
        offset: (3,) where the drawing's origin is on the page, m.
        on_drag: called in order when the mouse pulls a body that moves.
        on_joint: called with the name of a joint whose mark, rope or spring was clicked, or which was the nearest to
            where one of its bodies was.

    Attributes:
        see_through: whether one sees what is inside bodies; the next update follows it, as it does the look.
        chosen: name of the joint that is marked as chosen, if there is one of that name; likewise.
    """

    def __init__(
        self,
        server: ViserServer,
        root: str,
        drawing: Drawing,
        look: Look,
        offset: Array | None = None,
        on_drag: Callable[[Drag], None] | None = None,
        on_joint: Callable[[str], None] | None = None,
    ) -> None:
        self.drawing = drawing
        self.look = look
        self.see_through = False
        self.chosen = ""
        self.offset = np.zeros(3) if offset is None else offset
        self._server = server
        self._root = root
        self._on_drag = on_drag
        self._on_joint = on_joint
        self._nodes: dict[str, _Node] = {}
        self._frame: Frame | None = None
        self._frame_handle = server.scene.add_frame(root, show_axes=False, position=self.offset)

    def update(self, frame: Frame) -> None:
        """Show a frame: all of it at once, arrays that are as before not at all."""
        seen = batches(self.drawing, frame, self.look)
        if self.chosen in self.drawing.link_names:
            seen.append(chosen_batch(self.drawing, frame, self.drawing.link_names.index(self.chosen)))
        self._frame = frame
        with self._server.atomic():
            for name in self._nodes.keys() - {batch.name for batch in seen}:
                self._nodes.pop(name).handle.remove()
            for batch in seen:
                self._show(batch)

    def show_ground(self, frame: Frame) -> None:
        """Draw the planes, as far as one can see, with a grid that fits the size of what a frame shows."""
        low, high = bounds(self.drawing, frame)
        extent = max(float(np.linalg.norm(high - low)), 1e-3)
        cell = round_length(extent / CELLS)
        for number, plane in enumerate(self.drawing.planes):
            normal, height = plane[:3], plane[3]
            middle = 0.5 * (low + high)
            self._server.scene.add_grid(
                f"{self._root}/ground/{number}",
                infinite_grid=True,
                cell_size=cell,
                section_size=5.0 * cell,
                cell_color=CELL_LINE,
                section_color=SECTION_LINE,
                plane_color=GROUND,
                plane_opacity=1.0,
                shadow_opacity=0.25,
                fade_distance=12.0 * extent,
                fade_strength=2.0,
                wxyz=from_two_vectors(UP, normal),
                position=middle - (normal @ middle - height) * normal,
            )

    def move(self, offset: Array) -> None:
        """Put the drawing's origin at another place (3,) on the page, m."""
        self.offset = offset
        self._frame_handle.position = offset

    def remove(self) -> None:
        """Take everything off the page."""
        self._nodes.clear()
        self._frame_handle.remove()

    def _show(self, batch: Batch) -> None:
        node = self._nodes.get(batch.name)
        if node is not None and not alike(node.surface, batch.surface):
            node.handle.remove()
            node = None
        if not len(batch.positions):
            # a mesh cannot have no copies: one that had some is hidden, and one that never had any is not made
            if node is not None:
                node.show(False)
            return
        if node is None:
            node = self._nodes[batch.name] = self._add(batch)
        else:
            node.surface, node.bodies, node.links = batch.surface, batch.bodies, batch.links
            for name, values in _arrays(batch).items():
                node.send(name, values)
            node.show(True)
        self._listen(node)
        if batch.name.startswith("bodies/"):
            node.fade(GLASS if self.see_through else None)

    def _add(self, batch: Batch) -> _Node:
        solid, arrays = bool(batch.bodies.max() >= 0), _arrays(batch)
        handle = self._server.scene.add_batched_meshes_simple(
            f"{self._root}/{batch.name}",
            vertices=batch.surface.points.astype(np.float32),
            faces=batch.surface.triangles.astype(np.uint32),
            lod="off",
            cast_shadow=solid,
            receive_shadow=solid,
            **arrays,
        )
        sent = {name: values.tobytes() for name, values in arrays.items()}
        return _Node(handle, batch.surface, batch.bodies, batch.links, sent)

    def _listen(self, node: _Node) -> None:
        """Hear of the mouse as soon as there is something in a batch that can be pulled or chosen."""
        if self._on_drag is not None and not node.dragged and self.drawing.moves[node.bodies[node.bodies >= 0]].any():
            node.dragged = True
            node.handle.on_drag("left")(self._dragger(node))
        if self._on_joint is not None and not node.clicked and (node.links.max() >= 0 or self._on_joints(node)):
            node.clicked = True
            node.handle.on_click(self._clicker(node))

    def _dragger(self, node: _Node) -> Callable[[Any], Any]:
        # asynchronous, because only then do the phases of a drag arrive in their order
        async def dragged(event: Any) -> None:
            number = event.instance_index or 0
            body = int(node.bodies[number]) if number < len(node.bodies) else 0  # it may have gone meanwhile
            if self._on_drag is not None and self.drawing.moves[body]:
                places = event.start_position, event.end_position, event.client.camera.position
                self._on_drag(Drag(event.phase, body, *(np.array(place) - self.offset for place in places)))

        return dragged

    def _on_joints(self, node: _Node) -> bool:
        """Whether a body of a batch has joints."""
        return bool(np.isin(node.bodies[node.bodies > 0], self.drawing.path_body).any())

    def _clicker(self, node: _Node) -> Callable[[Any], Any]:
        async def clicked(event: Any) -> None:
            number = event.instance_index or 0
            if self._on_joint is None or number >= len(node.links):
                return  # it has gone meanwhile
            link, body = int(node.links[number]), int(node.bodies[number])
            if link < 0 and body > 0 and self._frame is not None:
                start = np.array(event.ray_origin) - self.offset
                link = nearest_joint(self.drawing, self._frame, body, start, np.array(event.ray_direction))
            if link >= 0:
                self._on_joint(self.drawing.link_names[link])

        return clicked


def nearest_joint(drawing: Drawing, frame: Frame, body: int, start: Array, direction: Array) -> int:
    """Number of the joint of a body whose point on it is nearest to a line of sight; -1 where it has none.

    Shapes:  start, direction (3,)
    """
    links = drawing.link_of_point
    own = np.flatnonzero((drawing.path_body == body) & (frame.joined & drawing.touchable)[links])
    if not own.size:
        return -1
    arms = drawing.path_points(frame.positions, frame.orientations)[own] - start
    along = direction / np.linalg.norm(direction)
    away = np.linalg.norm(arms - np.outer(arms @ along, along), axis=1)
    return int(links[own[away.argmin()]])


def _arrays(batch: Batch) -> dict[str, Any]:
    """What viser wants to know of the copies in a batch."""
    return {
        "batched_positions": batch.positions.astype(np.float32),
        "batched_wxyzs": batch.orientations.astype(np.float32),
        "batched_scales": batch.scales.astype(np.float32),
        "batched_colors": LINEAR[batch.colours],
    }
