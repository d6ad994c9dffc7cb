"""A simulation that is watched: what a viewer may ask of it, its pace, and its recording. No process, no browser."""

from __future__ import annotations

import itertools
import math
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from taut import checks, scenes, spatial
from taut.errors import InputError, SimulationError, TautError
from taut.results.drawing import Drawing, Sketches, draw_model
from taut.results.drawing_union import DrawingUnion
from taut.results.events import Broken
from taut.results.report import REPORT_DTYPE
from taut.simulation.grab import Grab
from taut.simulation.launch import RunRequest
from taut.simulation.recorder import Recorder
from taut.simulation.simulation import Simulation
from taut.view.frame import Frame, frame_of
from taut.view.source import ControlInfo, Description, Update

LONGEST_DEBT = 0.1
"""Seconds that a simulation may fall behind the clock and still catch up; what is more is given up."""

PACE_WINDOW = 1.0
"""Wall-clock seconds over which the real-time factor is taken."""

ROUNDED = 1e-9
"""Torque over force, m, of what has none but for rounding."""


class Performance:
    """A watched simulation.

    Args:
        request: what to run; with a `record` every step is recorded, in a new file after each start from the beginning:
            FILE, FILE-2, ..., those that are not there yet; with a finite `duration` it pauses there.
    """

    def __init__(self, request: RunRequest) -> None:
        self.request = request
        self.playing, self.speed, self.message = False, 1.0, ""
        self.generation = self.run = 0
        self.files: list[Path] = []
        self.reports: list[tuple[Any, ...]] = []
        self.hand: Grab | None = None
        self.recorder: Recorder | None = None
        self.limit = math.inf
        self.start()

    def start(self) -> None:
        """Build the simulation, and begin to record it if asked."""
        simulation, recorder, path = self.request.simulation(), None, self.request.record
        if path is not None:
            name = next_file(path) if self.files else path
            recorder = Recorder(simulation, name)
            recorder.frame()
            self.files.append(name)
        self.stop_recording()
        self.simulation, self.recorder = simulation, recorder
        self.hand, self.reports = None, []
        self.begin_pace()
        self.union, self.sketches = DrawingUnion(), Sketches()
        self.look()
        self.run += 1
        self.generation += 1

    def look(self) -> None:
        """Describe the bodies, joints and controls there are now."""
        self.model = self.simulation.model
        self.here = self.union.add(draw_model(self.model, self.sketches))
        self.drawing: Drawing = self.union.drawing
        self.controls = tuple(self.simulation.controls)
        self.parts = parts_to_cut(self.simulation)

    def follow(self) -> None:
        """Look again where bodies or joints came or went; say so where the hand has lost what it held."""
        simulation = self.simulation
        if simulation.model is self.model:
            return
        before = self.drawing, self.controls, self.parts
        self.look()
        self.generation += before != (self.drawing, self.controls, self.parts)  # what is gone, frames say
        if self.hand is not None and self.hand.name not in simulation.meter.names:
            self.message, self.hand = f"body {self.hand.body!r} that was pulled is gone", None

    def record(self) -> None:
        """Record the present frame, if asked; where the disk is full, say so and go on without."""
        if self.recorder is not None:
            try:
                self.recorder.frame()
            except SimulationError as error:
                self.message, self.recorder = str(error), None

    def stop_recording(self) -> None:
        """Close the file."""
        recorder, self.recorder = self.recorder, None
        if recorder is not None:
            try:
                recorder.recording.close()
            except SimulationError as error:
                self.message = str(error)

    @property
    def description(self) -> Description:
        """What is shown."""
        request = self.request
        controls = tuple(
            ControlInfo(
                each.name, each.low, each.high, each.value, each.unit, each.keys, each.spec.schedule is not None
            )
            for each in self.simulation.controls.values()
        )
        return Description(
            title=f"{self.simulation.scene_name}, {request.solver}",
            scene=self.simulation.scene_name,
            solver=request.solver,
            step=request.step,
            drawing=self.drawing,
            parameters=dict(self.simulation.parameters),
            defaults=dict(request.entry.parameters),
            notes=request.entry.notes,
            controls=controls,
            generation=self.generation,
            run=self.run,
            parts=self.parts,
            files=tuple(str(file) for file in self.files),
        )

    def update(self) -> Update:
        """The newest frame, and all reports since the last call."""
        reports, self.reports = np.array(self.reports, REPORT_DTYPE), []
        message, self.message = self.message, ""
        values = {name: control.value for name, control in self.simulation.controls.items()}
        return Update(self.frame(), reports, self.real_time_factor, self.playing, message, values)

    def frame(self) -> Frame:
        """The present state, without hands."""
        return frame_of(self.simulation, self.drawing, self.here)

    @property
    def real_time_factor(self) -> float:
        """Simulated over wall-clock seconds of the last second; NaN while nothing runs."""
        if not self.playing:
            return math.nan
        self.forget_pace()
        wall, simulated = self.pace[0]
        return (self.simulation.time - simulated) / max(perf_counter() - wall, 1e-9)

    def begin_pace(self) -> None:
        """Measure the pace from here on; the next step is due now."""
        self.due = perf_counter()
        self.pace = deque([(self.due, self.simulation.time)])

    def forget_pace(self) -> None:
        """Leave the newest point that is older than the window, and all that are newer."""
        oldest = perf_counter() - PACE_WINDOW
        while len(self.pace) > 1 and self.pace[1][0] <= oldest:
            self.pace.popleft()

    @property
    def waiting(self) -> float:
        """Wall-clock seconds until the next step is due; infinite while nothing runs, or it has to wait for others."""
        held = not self.playing or self.simulation.time >= self.limit
        return math.inf if held else max(self.due - perf_counter(), 0.0)

    def advance(self) -> None:
        """Take one step now, note when the next is due, and stop at the end or at a failure."""
        simulation = self.simulation
        try:
            report = simulation.step()
            broken = [event for event in report.events if isinstance(event, Broken)]
            if broken:
                self.message = broken_line(broken)
            if report.unconverged:
                self.message = f"t = {report.time:.3f} s: {report.status}, residual {report.residual:.1e}"
        except SimulationError as error:
            self.message, self.playing = str(error), False
        self.reports.append(simulation.report.as_row())
        self.record()
        self.follow()
        now = perf_counter()
        self.due = max(self.due + self.request.step / self.speed, now - LONGEST_DEBT)
        self.pace.append((now, simulation.time))
        self.forget_pace()
        if self.playing and simulation.time > self.request.duration - 0.5 * self.request.step:
            self.playing, self.message = False, f"the end, t = {simulation.time:.3f} s"

    def obey(self, command: str, *arguments: Any) -> None:
        """Do what the viewer asks; what cannot be done is said in the next update, and changes nothing."""
        try:
            COMMANDS[command](self, *arguments)
        except TautError as error:
            self.message = str(error)
        except Exception as error:  # of a function of the user's own, or of ours: neither may end the show
            traceback.print_exc()
            self.message = f"{command}: {type(error).__name__}: {error}"
        self.follow()

    def play(self) -> None:
        """Run from here on, at the speed asked for."""
        self.playing = True
        self.begin_pace()

    def pause(self) -> None:
        """Stop."""
        self.playing = False

    def step(self) -> None:
        """Advance by one step, and stop."""
        self.playing = False
        self.advance()

    def reset(self) -> None:
        """Go back to the start, with the joints that were removed."""
        self.start()

    def set_speed(self, factor: float) -> None:
        """Simulated seconds a wall-clock second to aim at."""
        self.speed = checks.number("viewer", "speed", factor, above=0.0)
        self.begin_pace()

    def hold(self, limit: float) -> None:
        """Wait at this simulated time (s) until told another."""
        self.limit = limit

    def rebuild(self, scene: str | None, solver: str | None, parameters: dict[str, Any] | None) -> None:
        """Start anew with another scene, solver or parameters; where that fails, nothing changes."""
        before = self.request
        if scene is not None and scene != self.simulation.scene_name:
            entry = scenes.get(scene)
            self.request = replace(self.request, entry=entry, parameters={}, duration=math.inf)
        if solver is not None:
            self.request = self.request.with_solver(solver)
        if parameters is not None:
            self.request = replace(self.request, parameters=self.request.parameters | parameters)
        try:
            self.start()
        except TautError:
            self.request = before
            raise

    def set_control(self, name: str, value: float) -> None:
        """Set an input; it and all others of its machine part follow their schedules no more."""
        controls, part = self.simulation.controls, name.rpartition(".")[0]
        control = controls[checks.known("viewer", "control", name, controls)]
        control.checked(value)
        for each in controls.values():
            if each is control or (part in self.simulation.scene.parts and each.name.startswith(f"{part}.")):
                each.take()
        control.set(value)

    def grab(self, name: str, point: Any, stiffness: float) -> None:
        """Take hold of a body at a world point (3,), m, with a spring, N/m."""
        self.release()
        view = self.simulation.body(name)
        if not self.simulation.model.bodies.moves[self.simulation.model.bodies.names.index(name)]:
            raise InputError(f"body {name!r} is fixed and cannot be pulled")
        own = spatial.rotate(spatial.conjugate(view.orientation), np.asarray(point, float) - view.position)
        self.hand = self.simulation.grab(view.name, own, stiffness)

    def move_grab(self, point: Any) -> None:
        """Move the hand to a world point (3,), m."""
        if self.hand is not None:
            self.hand.move_to(point)

    def release(self) -> None:
        """Let go."""
        if self.hand is not None:
            self.hand.release()
            self.hand = None

    def cut(self, name: str) -> None:
        """Cut a joint or spring, or the longest piece of a part in its middle, between two frames; a hand goes on."""
        simulation = self.simulation
        if name not in simulation.meter.names and name not in parts_to_cut(simulation):
            raise InputError(f"{name!r} cannot be cut: it is gone")
        with simulation.edit() as edit:
            edit.cut(name, None if name in simulation.meter.names else simulation.part(name).middle())


def parts_to_cut(simulation: Simulation) -> tuple[str, ...]:
    """Names of the machine parts that can be cut, such as cables."""
    parts = (name for name, built in simulation.scene.parts.items() if "cut" in vars(type(built.part)))
    return tuple(name for name in parts if not math.isnan(simulation.part(name).middle()))


def broken_line(events: Sequence[Broken]) -> str:
    """What broke in a step, and under which load the first of it did."""
    first, more = events[0], len(events) - 1
    torque = f", {plain(first.torque)} N m" if first.torque > ROUNDED * first.force else ""
    load = f"{plain(first.force)} N{torque}"
    return f"t = {first.time:.3f} s: {first.name} broke at {load}" + (f", and {more} more" if more else "")


def plain(value: float) -> str:
    """A number without a power of ten, as people read it."""
    return f"{value:,.0f}" if value >= 100.0 else f"{value:.3g}"


def next_file(path: Path) -> Path:
    """The first of FILE-2, FILE-3, ... that does not exist."""
    names = (path.with_stem(f"{path.stem}-{number}") for number in itertools.count(2))
    return next(name for name in names if not name.exists())


COMMANDS: dict[str, Callable[..., None]] = {
    method.__name__: method
    for method in (
        Performance.play, Performance.pause, Performance.step, Performance.reset, Performance.set_speed,
        Performance.hold, Performance.rebuild, Performance.set_control, Performance.grab, Performance.move_grab,
        Performance.release, Performance.cut,
    )
}  # fmt: skip
"""What a viewer may ask for, by name."""
