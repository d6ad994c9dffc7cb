"""A simulation in a process of its own, so that no browser, however slow, delays a step.

Commands go to the process through a pipe, news come back through another. The process never waits for the viewer: a
thread of it sends the newest frame whenever the viewer has taken the one before, and reports of all steps since then.
"""

from __future__ import annotations

import math
import multiprocessing
import pickle
import signal
import sys
import threading
import types
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import InputError, TautError, show_warnings_in_lines
from taut.simulation.launch import RunRequest
from taut.view.source import Description, Update

if TYPE_CHECKING:
    from taut.view.performance import Performance

FRAME_SECONDS = 1 / 60
"""Least wall-clock time between two frames that are sent; steps in between are only reported."""

LAST_STEP_SECONDS = 60.0
"""Wall-clock time that a step may still take when its simulation is closed."""

MOST_WAITING = 3600
"""Updates that wait for a viewer that hangs, a minute at least: what is older is forgotten."""

START_SECONDS = 120.0
"""Wall-clock time in which a simulation must have been built."""


class LiveSource:
    """The viewer's end: starts the process, passes commands on, keeps the newest of what comes back.

    Args:
        request: what to run.
    """

    def __init__(self, request: RunRequest) -> None:
        context = multiprocessing.get_context("spawn")
        self._news, news_end = context.Pipe(duplex=False)
        commands_end, self._commands = context.Pipe(duplex=False)
        try:
            self._process = context.Process(
                target=perform, args=(request, commands_end, news_end), name="taut-simulation", daemon=True
            )
            with main_left_out():
                self._process.start()
        except (AttributeError, TypeError, ValueError, pickle.PickleError) as error:
            raise InputError(
                f"scene {request.entry.name!r} cannot be sent to the simulation's process: {error}; functions "
                "in it must be defined in a module, not inline and not in the script itself"
            ) from None
        commands_end.close()
        news_end.close()
        self._lock = threading.Lock()
        self._waiting = Waiting()
        self._ended, self._closing = "", False
        self._description = self._first_description()
        self._thread = threading.Thread(target=self._listen, name="taut-news", daemon=True)
        self._thread.start()

    def _first_description(self) -> Description:
        try:
            first = self._news.recv() if self._news.poll(START_SECONDS) else InputError("the simulation did not start")
        except EOFError:
            first = InputError("the simulation's process ended before its first frame")
        if isinstance(first, TautError):
            self._process.terminate()
            raise first
        return first

    def _listen(self) -> None:
        """Take what comes until the process ends."""
        try:
            while True:
                news = self._news.recv()
                with self._lock:
                    if isinstance(news, Description):
                        if news.run != self._description.run:
                            self._waiting.clear()
                        self._description = news
                    else:
                        self._waiting.add(news)
        except (EOFError, OSError):
            self._end()

    def _end(self) -> None:
        if not self._closing:
            self._ended = "the simulation's process has died; what it recorded can be read"

    @property
    def description(self) -> Description:
        """What is shown."""
        with self._lock:
            return self._description

    def latest(self) -> Update | None:
        """What is new since the last call."""
        with self._lock:
            return self._waiting.take() if self._waiting else None

    def _ask(self, command: str, *arguments: Any) -> None:
        with self._lock:
            try:
                self._commands.send((command, *arguments))
            except (OSError, ValueError):
                self._end()

    @property
    def ended(self) -> str:
        """Why nothing comes any more, empty while the simulation lives."""
        return self._ended

    def play(self) -> None:
        """Run, in real time times the speed."""
        self._ask("play")

    def pause(self) -> None:
        """Stop, until `play` or `step`."""
        self._ask("pause")

    def step(self) -> None:
        """Advance by one step, and stop."""
        self._ask("step")

    def reset(self) -> None:
        """Go back to the start."""
        self._ask("reset")

    def set_speed(self, factor: float) -> None:
        """Simulated seconds a wall-clock second to aim at."""
        self._ask("set_speed", factor)

    def hold(self, limit: float) -> None:
        """Wait at this simulated time (s) until told another."""
        self._ask("hold", limit)

    def rebuild(
        self, scene: str | None = None, solver: str | None = None, parameters: dict[str, Any] | None = None
    ) -> None:
        """Start anew with another scene, solver or parameters; what is not given stays."""
        self._ask("rebuild", scene, solver, parameters)

    def set_control(self, name: str, value: float) -> None:
        """Set an input."""
        self._ask("set_control", name, value)

    def grab(self, body: int, point: Sequence[float], stiffness: float) -> None:
        """Take hold of a body at a world point (3,), m, with a spring, N/m."""
        # by name: a number would mean another body if another scene is on its way
        self._ask("grab", self.description.drawing.body_names[body], tuple(point), stiffness)

    def move_grab(self, point: Sequence[float]) -> None:
        """Move the hand to a world point (3,), m."""
        self._ask("move_grab", tuple(point))

    def release(self) -> None:
        """Let go."""
        self._ask("release")

    def remove_joint(self, name: str) -> None:
        """Remove a joint or spring."""
        self._ask("remove_joint", name)

    def close(self) -> None:
        """End the simulation; its recording is complete when this returns."""
        self._closing = True
        self._ask("close")
        self._process.join(LAST_STEP_SECONDS)
        if self._process.is_alive():
            self._process.terminate()
        self._thread.join(1.0)


@contextmanager
def main_left_out() -> Iterator[None]:
    """Start processes that do not import the script that is running: it may have no guard against being run again."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class Waiting:
    """Updates that nobody has taken yet: the newest, and the reports and the message of those before."""

    def __init__(self) -> None:
        """None."""
        self._newest: Update | None = None
        self._reports: deque[np.ndarray] = deque(maxlen=MOST_WAITING)
        self._message = ""

    def __bool__(self) -> bool:
        """Whether there are any."""
        return self._newest is not None

    def add(self, update: Update) -> None:
        """One more, at a cost that does not grow with their number."""
        self._newest = update
        self._reports.append(update.reports)
        self._message = update.message or self._message

    def take(self) -> Update:
        """One update for all of them: the newest, with the reports of all and the newest message."""
        assert self._newest is not None
        taken = replace(self._newest, reports=np.concatenate(list(self._reports)), message=self._message)
        self.clear()
        return taken

    def clear(self) -> None:
        """Forget them."""
        self._newest, self._message = None, ""
        self._reports.clear()


class Mailbox:
    """What is to be sent, and the thread that sends it when the reader has taken the last."""

    def __init__(self, connection: Connection, run: int = 0) -> None:
        """Start the thread; the reader knows of this run."""
        self._connection = connection
        self._ready = threading.Condition()
        self._description: Description | None = None
        self._run = run
        self._waiting = Waiting()
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._thread.start()

    def describe(self, description: Description) -> None:
        """Send a description; updates of a run before are not needed any more."""
        with self._ready:
            if description.run != self._run:
                self._waiting.clear()
            self._description, self._run = description, description.run
            self._ready.notify()

    def post(self, update: Update) -> None:
        """Send an update, together with those that are still waiting."""
        with self._ready:
            self._waiting.add(update)
            self._ready.notify()

    def _send(self) -> None:
        while True:
            with self._ready:
                self._ready.wait_for(lambda: self._description or self._waiting)
                description, self._description = self._description, None
                update = self._waiting.take() if self._waiting else None
            try:
                for news in (description, update):
                    if news is not None:
                        self._connection.send(news)
            except OSError:
                return  # the viewer has gone: the main thread hears of it on the other pipe


def perform(request: RunRequest, commands: Connection, news: Connection) -> None:
    """Run a simulation as a viewer asks; the whole life of the process."""
    from taut.view.performance import Performance

    show_warnings_in_lines()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the viewer's: it asks to close
    try:
        performance = Performance(request)
    except TautError as error:
        news.send(error)
        return
    news.send(performance.description)
    mailbox = Mailbox(news, performance.run)
    mailbox.post(performance.update())
    try:
        carry_on(performance, commands, mailbox)
    except EOFError:
        pass  # the viewer has gone
    finally:
        performance.stop_recording()


def carry_on(performance: Performance, commands: Connection, mailbox: Mailbox) -> None:
    """Obey, step when a step is due, and show it, until asked to close."""
    shown, generation = perf_counter(), performance.generation
    while True:
        waiting = performance.waiting
        asked = pending = commands.poll(None if math.isinf(waiting) else waiting)
        while pending:
            command, *arguments = commands.recv()
            if command == "close":
                return
            performance.obey(command, *arguments)
            pending = commands.poll()
        if performance.waiting == 0.0:
            performance.advance()
        if performance.generation != generation:
            generation = performance.generation
            mailbox.describe(performance.description)
        if asked or not performance.playing or perf_counter() - shown >= FRAME_SECONDS:
            shown = perf_counter()
            mailbox.post(performance.update())
