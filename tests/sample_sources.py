"""Sources without a simulation, and ways to act on a page as its users do."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from sample_recordings import sample_recording
from viser import ViserServer

from taut.results.drawing import Drawing
from taut.results.record import Recording
from taut.results.rope_paths import numbered_stops
from taut.shapes.surface import cuboid
from taut.view.frame import Frame, frame_at
from taut.view.server import start_server, stop_server
from taut.view.source import ControlInfo, Description, Update


def chain_drawing(bodies: int = 10, planes: int = 1) -> Drawing:
    """The bodies of `sample_recording` as cubes, the last one larger, joined one to the next; the first is fixed."""
    shapes = np.array([0] * (bodies - 1) + [1])
    ends = np.array([[index, index + 1] for index in range(bodies)]).ravel()
    return Drawing(
        body_names=("world", *(f"link{index}" for index in range(bodies - 1)), "load"),
        moves=np.array([False, False] + [True] * (bodies - 1)),
        masses=np.array([0.0] + [0.25] * (bodies - 1) + [500.0]),
        body_groups=("world",) + ("default",) * bodies,
        surfaces=(cuboid((0.5, 0.5, 0.5)), cuboid((1.0, 1.0, 1.0))),
        piece_surface=shapes,
        piece_body=np.arange(1, bodies + 1),
        piece_position=np.zeros((bodies, 3)),
        piece_orientation=np.tile([1.0, 0.0, 0.0, 0.0], (bodies, 1)),
        piece_colours=np.full((bodies, 3), -1, np.int16),
        planes=np.array([[0.0, 0.0, 1.0, -20.0]] * planes).reshape(-1, 4),
        link_names=tuple(f"joint{index}" for index in range(bodies)),
        link_kinds=("Spherical",) * bodies,
        pulls=np.zeros(bodies, bool),
        couples=np.zeros(bodies, bool),
        bonds=ends.reshape(-1, 2)[2:],  # of those that move
        path_start=2 * np.arange(bodies + 1),
        path_body=ends,
        path_point=np.zeros((2 * bodies, 3)),
        ropes=numbered_stops([]),
    )


def drawn_recording(steps: int = 5, bodies: int = 10, **options: Any) -> Recording:
    """A `sample_recording` that knows what its bodies look like; they fall 1 m a frame."""
    return sample_recording(steps, bodies, drawing=chain_drawing(bodies), **options)


class WrittenSource:
    """A live source that plays what it is given and notes what is asked of it."""

    def __init__(self, steps: int = 5, solver: str = "bpp", **changes: Any) -> None:
        recording = drawn_recording(steps, touch=True)
        self.frames = [frame_at(recording, index) for index in range(steps + 1)]
        self.reports = recording.reports
        controls = (ControlInfo("slew", -1.0, 1.0, 0.5, "rad/s", ("J", "l")),)
        given = Description(
            "sample", "hanging_chain", solver, 0.01, chain_drawing(), {"links": 9, "load": 500.0},
            {"links": 10, "load": 500.0}, controls, generation=1,
        )  # fmt: skip
        self.description = replace(given, **changes)
        self.asked: list[tuple[Any, ...]] = []
        self.message = ""
        self.next = 0
        self.playing = False
        self.ended = ""

    def latest(self) -> Update | None:
        if self.next == len(self.frames):
            return None
        index, self.next = self.next, self.next + 1
        return Update(self.frames[index], self.reports[index : index + 1], 0.5, self.playing, self.message)

    def show(self, frame: Frame) -> None:
        """Make this the newest frame."""
        self.frames, self.next = [frame], 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *arguments, **named: self.asked.append((name, *arguments, *named.items()))


@contextmanager
def running_server() -> Iterator[ViserServer]:
    """A server on a port that is free."""
    server = start_server(0)
    try:
        yield server
    finally:
        stop_server(server)


def inputs(server: ViserServer) -> dict[str, Any]:
    """Inputs of a page by label."""
    return {getattr(each, "label", ""): each for each in server.gui._gui_input_handle_from_uuid.values()}


def users_set(handle: Any, value: Any) -> None:
    """Do what happens when somebody sets an input in the browser, or presses a button."""
    handle._impl.value = value
    for callback in handle._impl.update_cb:
        asyncio.run(callback(SimpleNamespace(client=object(), target=handle)))


def press(server: ViserServer, key: str) -> None:
    """Do what happens when somebody presses a key."""
    for command in list(server.gui._command_handle_from_uuid.values()):
        if command.hotkey == key:
            for callback in command._impl.trigger_cb:
                asyncio.run(callback(SimpleNamespace(client=object(), target=command)))
