"""Recordings as a source: played at a chosen speed by the wall clock, stepped and searched.

source = ReplaySource(Recording.load("chain.h5"))
source.play()
update = source.latest()
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

import numpy as np

from taut.errors import InputError
from taut.results.record import Recording
from taut.view.frame import Frame, drawing_of, frame_at, overview
from taut.view.source import Description, Update


class ReplaySource:
    """A recording that plays; it stands at its first frame until told otherwise.

    Args:
        recording: at least one frame.
        clock: wall-clock seconds.
    """

    def __init__(self, recording: Recording, clock: Callable[[], float] = time.perf_counter) -> None:
        info = recording.info
        if not len(recording):
            raise InputError(f"recording of {info.scene!r} has no frames: there is nothing to see")
        self.description = Description(
            title=f"recording of {info.scene}",
            scene=info.scene,
            solver=info.solver,
            step=info.step,
            drawing=drawing_of(recording),
            parameters=dict(info.parameters),
            length=len(recording),
        )
        self._recording = recording
        self._reports, self._time = recording.reports, recording.time
        self._clock = clock
        self._lock = threading.Lock()
        self._index = 0
        self._shown = -1
        self._playing = self._changed = False
        self._speed = 1.0
        self._start_wall = self._start_time = 0.0

    @property
    def position(self) -> int:
        """Number of the frame that is shown."""
        with self._lock:
            return self._index

    def frames(self) -> list[Frame]:
        """Frames spread over the whole recording, for whoever wants to see all of the motion."""
        return overview(self._recording, range(len(self._time)))

    def latest(self) -> Update | None:
        """The frame whose time has come, None if it has been given already."""
        with self._lock:
            self._advance()
            if self._index == self._shown and not self._changed:
                return None
            first = self._shown + 1 if self._shown < self._index else self._index
            self._shown, self._changed = self._index, False
            factor = self._speed if self._playing else math.nan
            ended = "end of the recording" if self._index == len(self._time) - 1 and not self._playing else ""
            reports = self._reports[first : self._index + 1]
            return Update(frame_at(self._recording, self._index), reports, factor, self._playing, ended)

    def play(self) -> None:
        """Go on from here, from the beginning if this is the end."""
        with self._lock:
            if self._index == len(self._time) - 1:
                self._go(0)
            self._playing = self._changed = True
            self._restart_clock()

    def pause(self) -> None:
        """Stand still."""
        with self._lock:
            self._advance()
            self._playing, self._changed = False, True

    def step(self) -> None:
        """One frame further, then stand still."""
        with self._lock:
            self._playing = False
            self._go(self._index + 1)

    def reset(self) -> None:
        """Back to the first frame; a recording that plays goes on from there."""
        self.seek(0)

    def seek(self, index: int) -> None:
        """Go to a frame; one before the first or after the last is the first or the last."""
        with self._lock:
            self._go(index)

    def set_speed(self, factor: float) -> None:
        """Recorded seconds a wall second."""
        with self._lock:
            self._advance()
            self._speed = factor
            self._restart_clock()

    def close(self) -> None:
        """Stand still for good."""
        self.pause()

    def _go(self, index: int) -> None:
        self._index = min(max(index, 0), len(self._time) - 1)
        self._changed = True
        self._restart_clock()

    def _restart_clock(self) -> None:
        self._start_wall, self._start_time = self._clock(), float(self._time[self._index])

    def _advance(self) -> None:
        """Bring the frame up to the wall clock."""
        if not self._playing:
            return
        due = self._start_time + self._speed * (self._clock() - self._start_wall)
        # half a microsecond: times of frames are sums that carry rounding
        found = int(np.searchsorted(self._time, due + 5e-7, "right")) - 1
        self._index = max(found, self._index)
        if self._index == len(self._time) - 1:
            self._playing, self._changed = False, True
