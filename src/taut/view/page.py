"""A page in the browser: one or several sources in one scene, with everything to steer and to judge them.

Page([ReplaySource(recording)], port=8080).run()
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from taut.results.drawing import Drawing
from taut.spatial import Array
from taut.view.batches import Look
from taut.view.bounds import bounds
from taut.view.camera import Camera, framing
from taut.view.escort import Escort
from taut.view.frame import Frame
from taut.view.pane import Pane, fits
from taut.view.panels import LookPanel, Transport, on_choice, status_table
from taut.view.plots import Plots
from taut.view.preview import preview
from taut.view.replay import ReplaySource
from taut.view.scene_panel import ControlPanel, ScenePanel, ToolPanel
from taut.view.server import HOST, PORT, start_server, stop_server
from taut.view.source import Live, Source

if TYPE_CHECKING:
    from viser import ViserServer

RATE = 60.0
"""Frames a second, at most."""

TEXT_SECONDS, PLOT_SECONDS = 0.1, 0.2
"""How often texts and plots are renewed."""

AHEAD = 0.25
"""Simulated seconds that one of several sources may be ahead of the slowest."""

GAP = 0.25
"""Room between two sources that are shown side by side, over their width."""

ASPECT = 1.2
"""Width over height of what is left of a window beside the panel."""

ROOM = 1.25
"""Distance of the first camera over that from which the start of a motion just fits."""

BRAND = (78, 134, 190)
PANEL_WIDTH = 330
"""Pixels."""

OTHER_SIZE = 1.0 / 3.0
"""How much other parameters must move an end of the scene, over its size, to be looked at from elsewhere."""


class Page:
    """A page that shows sources until it is closed.

    Args:
        sources: one, or several of the same scene to be compared; closed with the page.
        port: of this machine; 0 takes any that is free.
        look: what to show at first.
        speed: that the sources play at, simulated seconds a wall second.
        autoplay: whether they play as soon as somebody looks.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        port: int = PORT,
        look: Look | None = None,
        speed: float = 1.0,
        autoplay: bool = False,
    ) -> None:
        self.server = start_server(port)
        self._waiting = autoplay
        self._stopped = threading.Event()
        self._sources = sources
        self._text_due = self._plot_due = 0.0
        self._placed: tuple[str, dict[str, Any]] | None = None
        self._extent: Array = np.zeros((2, 3))
        self._unfit = False
        self._escort = Escort()
        self._beside: list[Array] = [np.zeros(3) for _ in sources]
        self._stale = True
        self._said = ["" for _ in sources]
        self._live = sources[0].description.length is None
        names = [source.description.solver for source in sources]
        for source in sources:
            source.set_speed(speed)
        self._arrange(names, look or Look(), speed)
        stiffness, on_joint = (self._stiffness, self._joint_clicked) if self._live else (None, None)
        labels = names if len(sources) > 1 else [""]
        self.panes = [
            Pane(self.server, source, f"/scene{number}", stiffness, on_joint, label)
            for number, (source, label) in enumerate(zip(sources, labels, strict=True))
        ]

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f"http://{HOST}:{self.server.get_port()}"

    def run(self) -> None:
        """Show what the sources do until `stop` is called or Ctrl-C pressed."""
        while not self._stopped.is_set():
            start = time.perf_counter()
            self.refresh()
            self._stopped.wait(max(1.0 / RATE - (time.perf_counter() - start), 0.001))

    def stop(self) -> None:
        """Make `run` return; any thread may call it."""
        self._stopped.set()

    def close(self) -> None:
        """Stop the server and close the sources."""
        self.stop()
        stop_server(self.server)
        for pane in self.panes:
            pane.close()

    def refresh(self) -> None:
        """Bring the page up to date, once; all that a page does but wait."""
        if self._waiting and self.server.get_clients():
            self._waiting = False
            self._transport.toggle()
        chosen = self._tools.chosen if self._live else ""
        with self.server.atomic():
            moved = [pane.refresh(self._looks.look, self._looks.see_through, chosen) for pane in self.panes]
            self._go_along()
        if self._live and len(self.panes) > 1 and any(moved):
            self._keep_together()
        self._place()
        now = time.perf_counter()
        self._stale |= any(moved) or [pane.message for pane in self.panes] != self._said
        if now >= self._text_due and self._stale:
            self._text_due, self._stale = now + TEXT_SECONDS, False
            self._refresh_panels()
        if now >= self._plot_due and self._plots_wanted.value and self.server.get_clients():
            self._plot_due = now + PLOT_SECONDS
            self._plots.update([pane.history for pane in self.panes])

    def _go_along(self) -> None:
        """Keep a body in view that is followed, the same in all panes."""
        update, drawing = self.panes[0].update, self._sources[0].description.drawing
        if update is None or not fits(drawing, update.frame):
            return
        if self._escort.go(drawing, update.frame, self._looks.followed):
            self._shift_panes()

    def _shift_panes(self) -> None:
        for pane, beside_first in zip(self.panes, self._beside, strict=True):
            pane.place(beside_first - self._escort.shift)

    def _keep_together(self) -> None:
        """Let no simulation run ahead of the slowest that runs, so that the same times are seen side by side."""
        times = [pane.update.frame.time for pane in self.panes if pane.update is not None and pane.update.playing]
        for source in cast(Sequence[Live], self._sources) if times else ():
            source.hold(min(times) + AHEAD)

    def _refresh_panels(self) -> None:
        updates = [pane.update for pane in self.panes if pane.update is not None]
        self._transport.refresh(updates)
        self._said = [pane.message for pane in self.panes]
        descriptions = [source.description for source in self._sources]
        self._show_title()
        if len(updates) == len(descriptions):
            self._text.content = status_table(descriptions, updates, self._said)
        description = descriptions[0]
        if updates and fits(description.drawing, updates[0].frame):
            self._looks.refresh(description.drawing, updates[0].frame)
            if self._live:
                self._tools.refresh(description, updates[0].frame)
        if self._live:
            self._controls.refresh(description, updates[0].controls if updates else {})
            self._scenes.refresh(description, any(self._said))

    def _arrange(self, names: list[str], look: Look, speed: float) -> None:
        """Make the panels."""
        gui, server = self.server.gui, self.server
        self._title = ""
        self._show_title()
        set_stage(server)
        gui.main_panel.dock_right()
        gui.main_panel.set_width(PANEL_WIDTH)
        self._transport = Transport(server, self._sources, speed)
        self._text = gui.add_html("")
        live = cast(Sequence[Live], self._sources)
        if self._live:
            self._controls = ControlPanel(server, live)
        tabs = gui.add_tab_group()
        if self._live:
            with tabs.add_tab("Scene"):
                self._scenes = ScenePanel(server, live)
        with tabs.add_tab("Show"):
            self._looks = LookPanel(server, look, self._fit_soon)
        if self._live:
            with tabs.add_tab("Tools"):
                self._tools = ToolPanel(server, live)
        with tabs.add_tab("Plots"):
            self._plots_wanted = gui.add_checkbox("Draw them", True)
            on_choice(self._plots_wanted, lambda _: None)
            self._plots = Plots(server, names)

    def _show_title(self) -> None:
        descriptions = [source.description for source in self._sources]
        first, names = descriptions[0], [each.solver for each in descriptions]
        title = first.title if len(names) == 1 else f"{first.scene}: {', '.join(names)}"
        if title != self._title:
            self._title = title
            self.server.gui.set_panel_label(title)

    def _fit_soon(self) -> None:
        """Runs in the server's thread; the camera is placed with the next refresh."""
        self._unfit = True

    def _stiffness(self) -> float:
        return self._tools.stiffness

    def _joint_clicked(self, name: str) -> None:
        self._tools.clicked(name)

    def _place(self) -> None:
        """Set the camera whenever the scene is another one, or of quite another size, or somebody asks for it."""
        pane, source = self.panes[0], self._sources[0]
        description = source.description
        if pane.generation != description.generation or pane.update is None:
            return
        present = [each.update.frame for each in self.panes if each.update is not None]
        present = [frame for frame in present if fits(description.drawing, frame)]
        if self._unfit and present:
            self._unfit = False
            self._look_at(present, 1.0)
        shown = description.scene, description.parameters
        if shown == self._placed:
            return
        if isinstance(source, ReplaySource):
            frames, room = source.frames(), 1.0
        else:
            frames, room = preview(description.drawing, pane.update.frame), ROOM
        extent = common_bounds(description.drawing, frames)
        if self._placed is None or shown[0] != self._placed[0] or differs(extent, self._extent):
            self._extent = extent
            self._look_at(frames, room)
        self._placed = shown

    def _look_at(self, frames: list[Frame], room: float) -> None:
        """Look at frames of the first source from where they just fit times `room`; the others go beside it."""
        drawing = self._sources[0].description.drawing
        camera = farther(framing(drawing, frames, ASPECT), room)
        across = camera.axes()[0]
        width = float(np.abs(across) @ np.ptp(common_bounds(drawing, frames), axis=0))
        self._beside = [number * (1.0 + GAP) * width * across for number in range(len(self.panes))]
        self._escort.restart()
        self._shift_panes()
        set_camera(self.server, beside(camera, across, width, len(self.panes)))


def common_bounds(drawing: Drawing, frames: Sequence[Frame]) -> Array:
    """Lower and upper corner (2, 3) of a box, m, that holds what all frames show."""
    corners = np.array([bounds(drawing, frame) for frame in frames])
    return np.stack([corners[:, 0].min(axis=0), corners[:, 1].max(axis=0)])


def differs(extent: Array, placed: Array) -> bool:
    """Whether a box (2, 3) is too unlike another to be looked at from the same place."""
    return bool(np.abs(extent - placed).max() > OTHER_SIZE * np.ptp(placed, axis=0).max())


def beside(camera: Camera, across: Array, width: float, count: int) -> Camera:
    """The camera moved so that it has several scenes in view, each of a width (m), side by side along `across`."""
    shift = 0.5 * (count - 1) * (1.0 + GAP) * width
    half = camera.distance * np.tan(0.5 * camera.field_of_view) * ASPECT
    back = max(ROOM * (shift + 0.5 * width) / half, 1.0)
    moved = Camera(camera.position + shift * across, camera.target + shift * across, camera.up, camera.field_of_view)
    return farther(moved, back)


def farther(camera: Camera, factor: float) -> Camera:
    """The camera moved back, to so many times its distance."""
    position = camera.target + factor * (camera.position - camera.target)
    return Camera(position, camera.target, camera.up, camera.field_of_view)


def set_stage(server: ViserServer) -> None:
    """Colours of a page."""
    server.gui.configure_theme(brand_color=BRAND, show_logo=False, show_share_button=False)


def set_camera(server: ViserServer, camera: Camera) -> None:
    """Look from here: browsers that are there, and those that come."""
    first = server.initial_camera
    first.fov, first.up = camera.field_of_view, camera.up
    first.position, first.look_at = camera.position, camera.target
    first.near, first.far = 1e-3 * camera.distance, 1e3 * camera.distance
    for client in server.get_clients().values():
        with client.atomic():
            client.camera.fov, client.camera.up_direction = camera.field_of_view, camera.up
            client.camera.position, client.camera.look_at = camera.position, camera.target
            client.camera.near, client.camera.far = 1e-3 * camera.distance, 1e3 * camera.distance
