"""One source on a page: its nodes, the hand that pulls a body, and the history for the plots."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from taut.results.drawing import Drawing
from taut.spatial import Array, conjugate, rotate
from taut.view.batches import Look
from taut.view.bounds import bounds
from taut.view.frame import Frame
from taut.view.history import History
from taut.view.nodes import Drag, Nodes
from taut.view.source import Live, Source, Update

if TYPE_CHECKING:
    from viser import ViserServer

HAND_COLOUR, HAND_WIDTH = (215, 48, 48), 4.0
"""Of the line from a body to the mouse that pulls it; pixels."""

HAND_SIZE = 0.25
"""Radius of the ball where the mouse is, in units of the drawing."""

NEAREST = 0.9
"""How much of the way to the eye the line may be brought so that it is in front of the body."""

MESSAGE_SECONDS = 8.0
"""How long a message is shown."""


class Pane:
    """A source and what is shown of it.

    Args:
        server: of the page.
        source: what to show.
        root: name of the node that everything is put under.
        stiffness: of the spring between a body and the mouse, N/m for a kilogram of the body; None = nobody can pull.
        on_joint: called with the name of a joint whose mark was clicked; None = nothing happens then.
        label: text above the scene, none if empty.

    Attributes:
        update: what was last heard of the source.
        generation: of the description that is shown.
    """

    def __init__(
        self,
        server: ViserServer,
        source: Source,
        root: str,
        stiffness: Callable[[], float] | None,
        on_joint: Callable[[str], None] | None,
        label: str = "",
    ) -> None:
        self.source = source
        self.history = History()
        self.update: Update | None = None
        self._message, self._message_until = "", 0.0
        self.offset: Array = np.zeros(3)
        self.nodes: Nodes | None = None
        self._server = server
        self._root = root
        self._stiffness = stiffness
        self._on_joint = on_joint
        self._label = label
        self.generation = self._run = -1
        self._held: tuple[int, Array] | None = None
        self._hand: Array = np.zeros(3)
        self._eye: Array = np.zeros(3)
        self._line = server.scene.add_line_segments(
            f"{root}-hand",
            np.zeros((1, 2, 3)),
            HAND_COLOUR,
            thickness=HAND_WIDTH,
            thickness_units="screen",
            visible=False,
        )
        self._ball = server.scene.add_icosphere(f"{root}-hand/end", 1.0, HAND_COLOUR, cast_shadow=False, visible=False)

    @property
    def ended(self) -> str:
        """Why the source says nothing any more, empty while it does."""
        return getattr(self.source, "ended", "")

    def refresh(self, look: Look, see_through: bool = False, chosen: str = "") -> bool:
        """Take what is new and show it, with the joint of this name marked; True if there was anything."""
        news = self.source.latest()
        description = self.source.description  # after the news, so that it is never older
        nodes, wanted = self.nodes, (look, see_through, chosen)
        changed = nodes is not None and (nodes.look, nodes.see_through, nodes.chosen) != wanted
        if news is not None:
            self.update = news
            self._note(news.message)
        if self.update is not None and self.update.playing and self.ended:
            self.update = replace(self.update, playing=False)  # its last words were that it runs
            changed = True
        if self.update is None or not (news or changed):
            return False
        if news is not None and description.run == self._run:
            self.history.add(news)
        if not fits(description.drawing, self.update.frame):
            return False  # a frame of before or after a change, of which the other half is still to come
        if self.nodes is None or description.run != self._run:
            self._rebuild(look)
        assert self.nodes is not None
        self.generation, self.nodes.drawing = description.generation, description.drawing
        self.nodes.look, self.nodes.see_through, self.nodes.chosen = wanted
        self.nodes.update(self.update.frame)
        self._draw_hand()
        return True

    def place(self, offset: Array) -> None:
        """Show it shifted by this much (3,), m."""
        self.offset = offset
        if self.nodes is not None:
            self.nodes.move(offset)

    @property
    def message(self) -> str:
        """What the source had to say in the last seconds, or why it says nothing any more."""
        return self.ended or (self._message if time.perf_counter() < self._message_until else "")

    def _note(self, message: str) -> None:
        if message:
            self._message, self._message_until = message, time.perf_counter() + MESSAGE_SECONDS

    def close(self) -> None:
        """Let go of the source."""
        self.source.close()

    def _rebuild(self, look: Look) -> None:
        assert self.update is not None
        if self.nodes is not None:
            self.nodes.remove()
        description, frame = self.source.description, self.update.frame
        self._run = description.run
        self._held = None
        self.history.clear()
        self.history.add(self.update)
        grab = self._drag if self._stiffness is not None else None
        self.nodes = Nodes(self._server, self._root, description.drawing, look, self.offset, grab, self._on_joint)
        self.nodes.show_ground(frame)
        if self._label:
            low, high = bounds(description.drawing, frame)
            top = np.append(0.5 * (low + high)[:2], high[2])
            self._server.scene.add_label(f"{self._root}/label", self._label, position=top, anchor="bottom-center")

    def _drag(self, drag: Drag) -> None:
        """Runs in the server's thread."""
        source = cast(Live, self.source)
        self._eye = drag.eye
        if drag.phase == "start":
            assert self.update is not None and self._stiffness is not None
            frame = self.update.frame
            turn, place = frame.orientations[drag.body], frame.positions[drag.body]
            mass = float(self.source.description.drawing.masses[drag.body])
            source.grab(drag.body, tuple(drag.point.tolist()), self._stiffness() * mass)
            self._hand = drag.hand
            self._held = (drag.body, rotate(conjugate(turn), drag.point - place))
        if drag.phase == "end":
            self._held = None
            source.release()
        else:
            self._hand = drag.hand
            source.move_grab(tuple(drag.hand.tolist()))

    def _draw_hand(self) -> None:
        if self._held is not None and self.update is not None and not self.update.frame.present[self._held[0]]:
            self._held = None  # what was pulled is gone
        held = self._held
        self._line.visible = self._ball.visible = held is not None
        if held is not None and self.update is not None:
            body, point = held
            frame, drawing = self.update.frame, self.source.description.drawing
            start = frame.positions[body] + rotate(frame.orientations[body], point)
            ends = np.stack([start, self._hand])
            nearer = brought_nearer(ends, self._eye, 2.0 * float(drawing.reach[body]))
            self._line.points = (nearer + self.offset)[None].astype(np.float32)
            self._ball.position = nearer[1] + self.offset
            shrunk = np.linalg.norm(nearer[1] - self._eye) / max(float(np.linalg.norm(ends[1] - self._eye)), 1e-9)
            self._ball.scale = float(HAND_SIZE * drawing.unit * shrunk)


def brought_nearer(points: Array, eye: Array, distance: float) -> Array:
    """Points (k, 3) moved towards an eye (3,) by a distance (m): it sees them at the same place, but in front."""
    away = eye - points
    share = distance / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
    return points + np.minimum(share, NEAREST) * away


def fits(drawing: Drawing, frame: Frame) -> bool:
    """Whether a frame is of these bodies and joints."""
    counts = len(frame.positions), len(frame.tensions)
    return counts == (len(drawing.body_names), len(drawing.link_names))
