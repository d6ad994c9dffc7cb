"""What a page shows: a simulation that runs now, or a recording, behind one interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from taut.results.drawing import Drawing
from taut.view.frame import Frame


@dataclass(frozen=True)
class ControlInfo:
    """An input as a page shows it, see `taut.simulation.controls.Control`; one that is scheduled moves by itself."""

    name: str
    low: float
    high: float
    value: float
    unit: str = ""
    keys: tuple[str, ...] = ()
    scheduled: bool = False


@dataclass(frozen=True, eq=False)
class Description:
    """What a source shows, apart from the motion.

    Attributes:
        title: a line for the reader.
        scene, solver: their names.
        step: h, s.
        drawing: what all bodies and joints that ever were look like.
        parameters, defaults: of the scene, as built and as registered; no defaults where it is no registered one.
        controls: inputs with their present values.
        generation: rises whenever any of this has changed.
        run: rises with every start from the beginning; within a run the drawing only grows.
        parts: machine parts that can be cut, such as cables.
        length: frames of a recording; None of a simulation that runs.
        files: what it is recorded to, the newest last.
        notes: what parameters mean, by name.
    """

    title: str
    scene: str
    solver: str
    step: float
    drawing: Drawing
    parameters: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    controls: tuple[ControlInfo, ...] = ()
    generation: int = 0
    run: int = 0
    parts: tuple[str, ...] = ()
    length: int | None = None
    files: tuple[str, ...] = ()
    notes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Update:
    """News of a source.

    Attributes:
        frame: the newest.
        reports: (k,) of `taut.results.report.REPORT_DTYPE`, of all steps since the update before.
        real_time_factor: simulated over wall-clock seconds of the last second; NaN while nothing runs.
        playing: whether it runs.
        message: what the user should know, one line, or empty.
        controls: values of inputs by name.
    """

    frame: Frame
    reports: NDArray[np.void]
    real_time_factor: float
    playing: bool
    message: str = ""
    controls: dict[str, float] = field(default_factory=dict)


class Source(Protocol):
    """What a page shows. No call waits for the simulation."""

    @property
    def description(self) -> Description:
        """What is shown."""
        ...

    def latest(self) -> Update | None:
        """What is new since the last call, None if nothing is."""
        ...

    def play(self) -> None:
        """Run, in real time times the speed."""
        ...

    def pause(self) -> None:
        """Stop, until `play` or `step`."""
        ...

    def step(self) -> None:
        """Advance by one step, and stop."""
        ...

    def reset(self) -> None:
        """Go back to the start."""
        ...

    def set_speed(self, factor: float) -> None:
        """Simulated seconds a wall-clock second to aim at."""
        ...

    def close(self) -> None:
        """End it."""
        ...


class Live(Source, Protocol):
    """A simulation that runs now: all of it can be changed."""

    def rebuild(
        self, scene: str | None = None, solver: str | None = None, parameters: dict[str, Any] | None = None
    ) -> None:
        """Start anew with another scene, solver or parameters; what is not given stays."""
        ...

    def hold(self, limit: float) -> None:
        """Wait at this simulated time (s) until told another; infinite at first."""
        ...

    def set_control(self, name: str, value: float) -> None:
        """Set an input."""
        ...

    def grab(self, body: int, point: Sequence[float], stiffness: float) -> None:
        """Take hold of a body at a world point (3,), m, with a spring, N/m."""
        ...

    def move_grab(self, point: Sequence[float]) -> None:
        """Move the hand to a world point (3,), m."""
        ...

    def release(self) -> None:
        """Let go."""
        ...

    def cut(self, name: str) -> None:
        """Cut a joint, a spring or a machine part."""
        ...
