"""Recordings: every frame of a run in growing arrays, and, if asked, in an HDF5 file that is readable after a kill.

    recording = simulation.run(5.0, record="chain.h5")
    recording.time, recording.body("load").position, recording.joint("hinge").reaction, recording.summary()
    recording.contacts(-1).force, recording.contacts(12).of("load").normal_force
    recording.present, recording.events
    recording = Recording.load("chain.h5")

Frame 0 is the initial state, so T steps make T + 1 frames. Bodies and joints may come and go: arrays have a column for
all that ever were, which is NaN in the frames in which one was not there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.results.contact_table import ContactTable
from taut.results.drawing_union import DrawingUnion, Placement
from taut.results.record_era import CHUNK_FRAMES, Era, Part, spread
from taut.results.record_info import (
    BODY_ARRAYS,
    JOINT_ARRAYS,
    Block,
    BodyHistory,
    JointHistory,
    RecordingInfo,
    united,
)
from taut.results.report import REPORT_DTYPE, STAGES, StepReport, summarize

if TYPE_CHECKING:
    from taut.results.drawing import Drawing
    from taut.results.record_file import Writer

__all__ = ["CHUNK_FRAMES", "BodyHistory", "JointHistory", "Recording", "RecordingInfo"]


class Recording:
    """All frames of one run.

    Args:
        info: what is recorded.
        path: HDF5 file to write to while running; None keeps the frames in memory only.
        drawing: what the bodies look like, for viewers.

    Attributes:
        info: what is recorded; its bodies and joints are all that ever were, in the order of the arrays.
        ending: "running", "complete", "interrupted" or "failed".
        eras: parts of the recording in each of which bodies and joints are the same.
    """

    def __init__(self, info: RecordingInfo, path: str | Path | None = None, drawing: Drawing | None = None) -> None:
        self.info = info
        self.ending = "running"
        self.eras = [Era(info, drawing)]
        self._frames = 0
        self._unwritten: list[Part] = []
        self._events: list[tuple[int, Any]] = []
        self._written_events = 0
        self._file: Writer | None = None
        self._union = DrawingUnion()
        self._placements: list[Placement] = []
        self._kept: Block = {}
        self._index_names()
        if path is not None:
            from taut.results.record_file import RecordingFile

            self._file = RecordingFile(checks.path("recording", "path", path), info, drawing)

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a recording from an HDF5 file, also one whose run was killed; InputError if there is none."""
        from taut.results.record_read import read_recording

        eras, events, ending = read_recording(checks.path("recording", "path", path))
        recording = cls(eras[0].info)
        recording.eras, recording._events, recording.ending = eras, events, ending
        recording._frames = sum(era.frames for era in eras)
        for era in eras[1:]:
            recording.info = united(recording.info, era.info)
        recording._index_names()
        return recording

    def change(self, info: RecordingInfo, drawing: Drawing | None = None) -> None:
        """Go on with other bodies and joints from the next frame on; scene, step and solver stay what they are."""
        self._seal()
        self.eras.append(Era(info, drawing, self._frames))
        self.info = united(self.info, info)
        self._index_names()

    def append(
        self,
        time: float,
        positions: np.ndarray,
        orientations: np.ndarray,
        velocities: np.ndarray,
        angular_velocities: np.ndarray,
        report: StepReport,
        contacts: ContactTable | None = None,
        **joints: np.ndarray,
    ) -> None:
        """Add one frame; the arrays are copied.

        Args:
            time: time of the frame (s).
            positions: (bodies, 3) positions of the bodies' origins (m), of those that are there now.
            orientations: (bodies, 4) quaternions (w, x, y, z).
            velocities: (bodies, 3) velocities (m/s).
            angular_velocities: (bodies, 3) in world axes (rad/s).
            report: what the step reported; for frame 0 `StepReport.initial`.
            contacts: contact points that carry a force; None in all frames where nothing can touch.
            **joints: any of `JOINT_ARRAYS`, (joints, ...); the first frame decides which are recorded.
        """
        bodies = (positions, orientations, velocities, angular_velocities)
        era = self.eras[-1]
        era.append(time, bodies, report, contacts, joints)
        if self._frames:  # what led to the first frame is not part of it
            self._events += [(self._frames, event) for event in report.events]
        self._frames += 1
        self._kept.clear()
        if era.full:
            self._seal()
        if self._file is not None and (self._frames % CHUNK_FRAMES == 0 or self._frames == 1):
            self.flush()

    def flush(self) -> None:
        """Seal the frames of the open block and write them to the file, so that a kill cannot lose them."""
        self._seal()
        if self._file is not None and self._unwritten:
            from taut.results.record_file import RecordingFile

            file, self._file = self._file, None  # where this fails, the file is closed and nothing more goes into it
            events = self._events[self._written_events :]
            if isinstance(file, RecordingFile) and (len(self.eras) > 1 or events):
                from taut.results.record_changing import opened_up

                self._file = opened_up(file, self._whole(), events)
            else:
                file.append(self._unwritten, events)
                self._file = file
            self._written_events = len(self._events)
        self._unwritten = []

    def close(self, ending: str = "complete") -> None:
        """Write what is left and close the file; `ending` is "complete", "interrupted" or "failed"."""
        self.ending = ending
        if self._file is not None:
            self.flush()
            self._file.close(ending)
            self._file = None

    def __enter__(self) -> Recording:
        """Use as a context: the file is closed at the end, whatever happens."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close with the ending that fits the way the block was left."""
        if kind is None:
            self.close("complete")
        else:
            self.close("interrupted" if issubclass(kind, KeyboardInterrupt) else "failed")

    def __len__(self) -> int:
        """Number of frames."""
        return self._frames

    @property
    def reports(self) -> np.ndarray:
        """(frames,) of `REPORT_DTYPE`: one step report a frame."""
        return self._array("reports") if self._frames else np.zeros(0, REPORT_DTYPE)

    @property
    def time(self) -> np.ndarray:
        """(frames,) time (s)."""
        return self.reports["time"]

    @property
    def positions(self) -> np.ndarray:
        """(frames, bodies, 3) positions of the bodies' origins (m)."""
        return self._array("positions")

    @property
    def orientations(self) -> np.ndarray:
        """(frames, bodies, 4) quaternions (w, x, y, z), world from body."""
        return self._array("orientations")

    @property
    def velocities(self) -> np.ndarray:
        """(frames, bodies, 3) velocities (m/s)."""
        return self._array("velocities")

    @property
    def angular_velocities(self) -> np.ndarray:
        """(frames, bodies, 3) angular velocities in world axes (rad/s)."""
        return self._array("angular_velocities")

    @property
    def energy(self) -> np.ndarray:
        """(frames,) kinetic + potential energy (J)."""
        return self.reports["energy"]

    @property
    def momentum(self) -> np.ndarray:
        """(frames, 2, 3) linear (kg m/s) and angular momentum about the origin (kg m^2/s)."""
        return self.reports["momentum"]

    @property
    def residual(self) -> np.ndarray:
        """(frames,) scaled natural residual (-)."""
        return self.reports["residual"]

    @property
    def violation(self) -> np.ndarray:
        """(frames,) largest constraint violation (m)."""
        return self.reports["violation"]

    @property
    def status(self) -> list[str]:
        """(frames,) status of each step."""
        return [text.decode() for text in self.reports["status"].tolist()]

    @property
    def seconds(self) -> dict[str, np.ndarray]:
        """Stage -> (frames,) wall-clock seconds."""
        return {name: self.reports["stage_seconds"][:, stage] for stage, name in enumerate(STAGES)}

    def column(self, name: str) -> np.ndarray:
        """(frames,) any field of `StepReport` by name, such as "rows", "tight", "pivots", "solves" or "substeps"."""
        return self.reports[checks.known("recording", "report field", name, REPORT_DTYPE.names or ())]

    def body(self, name: str) -> BodyHistory:
        """The motion of one body."""
        at = self._body_index[checks.known("recording", "body", name, self._body_index)]
        mass = self.info.masses[at] if self.info.masses else float("nan")
        return BodyHistory(name, mass, *(self._column(array, name) for array in BODY_ARRAYS))

    def joint(self, name: str) -> JointHistory:
        """The motion and load of one joint."""
        checks.known("recording", "joint", name, self._joint_index)
        self._seal()
        there = {array for era in self.eras for array in era.merged()}
        return JointHistory(name, *(self._column(array, name) if array in there else None for array in JOINT_ARRAYS))

    def joint_array(self, name: str) -> np.ndarray | None:
        """(frames, joints, ...) one of `JOINT_ARRAYS`, None if it was not recorded."""
        checks.known("recording", "joint array", name, JOINT_ARRAYS)
        self._seal()
        return self._array(name) if any(name in era.merged() for era in self.eras) else None

    @property
    def present(self) -> np.ndarray:
        """(frames, bodies) whether each body was there."""
        return self._flags("body_places", self._body_index)

    @property
    def joined(self) -> np.ndarray:
        """(frames, joints) whether each joint or spring was there."""
        return self._flags("joint_places", self._joint_index)

    @property
    def events(self) -> tuple[Any, ...]:
        """What happened to bodies and joints on the way, in the order of time: what reports had as `events`."""
        return tuple(event for _, event in self._events)

    @property
    def drawing(self) -> Drawing | None:
        """What all bodies and joints that ever were look like; None where nobody said."""
        if any(era.drawing is None for era in self.eras):
            return None
        if len(self.eras) == 1:
            return self.eras[0].drawing
        self.placement(len(self.eras) - 1)
        return self._union.drawing

    def placement(self, era: int) -> Placement:
        """Where the bodies and joints of an era, which has a drawing, are among those of `drawing`."""
        for each in self.eras[len(self._placements) :]:
            assert each.drawing is not None
            self._placements.append(self._union.add(each.drawing))
        return self._placements[era]

    def find(self, frame: int) -> tuple[int, int]:
        """Number of the era that a frame belongs to, and of the frame in it; negative ones count from the last."""
        place = checks.place(frame, range(-self._frames, self._frames))
        if place is None:
            count = f"there are {self._frames}, counted from 0"
            raise InputError(f"recording: there is no frame {checks.shown(frame)}; {count}")
        self._seal()
        era = bisect_right(self.eras, place % self._frames, key=lambda each: each.first) - 1
        return era, place % self._frames - self.eras[era].first

    def contacts(self, frame: int) -> ContactTable:
        """The contact points that carried a force in a frame; negative numbers count from the last frame."""
        era, own = self.find(frame)
        return self.eras[era].contacts(own)

    def summary(self) -> dict[str, Any]:
        """The JSON object of ``taut run --json`` (`RunSummary`); `final` are bodies that are there at the end."""
        info, names = self.info, self.info.body_names
        final: dict[str, list[float]] = {name: [] for name in names}
        if self._frames:
            self._seal()
            last = next(era for era in reversed(self.eras) if era.frames)
            final = dict(zip(last.info.body_names, last.merged()["positions"][-1].tolist(), strict=True))
        run = {"scene": info.scene, "solver": info.solver, "integrator": info.integrator}
        summary = summarize(
            self.reports, final, coordinates=info.coordinates, step=info.step, ending=self.ending, **run
        )
        counts = dict(sorted(Counter(str(event.kind) for event in self.events).items()))
        return summary.as_dict() | {"friction": info.friction, "parameters": info.parameters, "events": counts}

    def _index_names(self) -> None:
        self._body_index = {name: index for index, name in enumerate(self.info.body_names)}
        self._joint_index = {name: index for index, name in enumerate(self.info.joint_names)}
        self._kept.clear()

    def _seal(self) -> None:
        """Close the open block, so that all frames can be read."""
        if (block := self.eras[-1].seal()) is not None and self._file is not None:
            self._unwritten.append((self.eras[-1], block))

    def _whole(self) -> list[Part]:
        """All frames, era by era."""
        return [(era, era.merged()) for era in self.eras if era.frames]

    def _array(self, name: str) -> np.ndarray:
        """All frames of an array, with a column for all that ever were."""
        if not self._frames:
            raise InputError(f"recording of '{self.info.scene}' has no frames yet")
        self._seal()
        if len(self.eras) == 1:
            return self.eras[0].merged()[name]
        if name not in self._kept:
            places = self._body_index if name in BODY_ARRAYS else self._joint_index
            whole = self._whole()
            self._kept[name] = (
                np.concatenate([block[name] for _, block in whole])
                if name == "reports"
                else spread(whole, name, self._frames, places)
            )
        return self._kept[name]

    def _column(self, name: str, owner: str) -> np.ndarray:
        """All frames (frames, ...) of one body or joint in an array."""
        if len(self.eras) == 1 or not self._frames:
            places = self._body_index if name in BODY_ARRAYS else self._joint_index
            return self._array(name)[:, places[owner]]
        self._seal()
        return spread(self._whole(), name, self._frames, {owner: 0})[:, 0]

    def _flags(self, kind: str, places: dict[str, int]) -> np.ndarray:
        flags = np.zeros((self._frames, len(places)), bool)
        for era in self.eras:
            flags[era.span, [places[name] for name in getattr(era, kind)]] = True
        return flags
