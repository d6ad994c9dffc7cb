"""Recordings: every frame of a run in growing arrays, and, if asked, in an HDF5 file that is readable after a kill.

    recording = simulation.run(5.0, record="chain.h5")
    recording.time, recording.body("load").position, recording.joint("hinge").reaction, recording.summary()
    recording.contacts(-1).force, recording.contacts(12).of("load").normal_force
    recording = Recording.load("chain.h5")

Frame 0 is the initial state, so T steps make T + 1 frames.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.results.contact_table import ContactTable
from taut.results.record_contacts import ContactLog, contacts_of
from taut.results.report import REPORT_DTYPE, STAGES, StepReport, summarize

if TYPE_CHECKING:
    from taut.results.drawing import Drawing
    from taut.results.record_file import RecordingFile

CHUNK_FRAMES = 64
"""Frames written to the file at once; a killed run loses at most this many."""

BODY_ARRAYS = {"positions": 3, "orientations": 4, "velocities": 3, "angular_velocities": 3}
"""Arrays recorded for every body, with the numbers per body."""

Block = dict[str, np.ndarray]
"""Frames of all arrays by name; "reports" is one of them."""

JOINT_ARRAYS = (
    "joint_positions", "joint_velocities", "joint_reactions", "joint_violations", "joint_tensions", "joint_tight",
)  # fmt: skip
"""Arrays recorded for every joint where the first frame has them."""


@dataclass(frozen=True)
class RecordingInfo:
    """What a recording is of.

    Attributes:
        scene: name of the scene.
        body_names: names of the bodies in the order of the arrays, without the world.
        masses: mass of each body (kg).
        joint_names: names of the joints in the order of the arrays.
        step: step size (s).
        solver: name of the solver.
        integrator: name of the integrator.
        coordinates: "maximal" or "reduced".
        friction: "box", "box-refined" or "cone".
        parameters: parameters the scene was built with (JSON values).
    """

    scene: str
    body_names: tuple[str, ...]
    masses: tuple[float, ...] = ()
    joint_names: tuple[str, ...] = ()
    step: float = 1 / 60
    solver: str = "auto"
    integrator: str = "bdf2"
    coordinates: str = "maximal"
    friction: str = "box"
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class BodyHistory:
    """One body over time: views of shape (frames, 3) or (frames, 4)."""

    name: str
    mass: float
    """Mass (kg)."""
    position: np.ndarray
    """(frames, 3) position of the body's origin (m)."""
    orientation: np.ndarray
    """(frames, 4) quaternion (w, x, y, z), world from body."""
    velocity: np.ndarray
    """(frames, 3) velocity (m/s)."""
    angular_velocity: np.ndarray
    """(frames, 3) angular velocity in world axes (rad/s)."""


@dataclass(frozen=True)
class JointHistory:
    """One joint over time; an array that was not recorded is None."""

    name: str
    position: np.ndarray | None
    """(frames, ...) joint coordinate (m or rad)."""
    velocity: np.ndarray | None
    """(frames, ...) rate of the joint coordinate (m/s or rad/s)."""
    reaction: np.ndarray | None
    """(frames, ...) reaction force (N) and torque (N m)."""
    violation: np.ndarray | None
    """(frames,) constraint violation (m)."""
    tension: np.ndarray | None
    """(frames,) pull of a rod, rope or spring (N), negative where it pushes; NaN for other joints."""
    tight: np.ndarray | None
    """(frames,) rows of the joint that are at a bound: limits that hold, motors at their largest force."""


class Recording:
    """All frames of one run.

    Args:
        info: what is recorded.
        path: HDF5 file to write to while running; None keeps the frames in memory only.
        drawing: what the bodies look like, for viewers.
    """

    def __init__(self, info: RecordingInfo, path: str | Path | None = None, drawing: Drawing | None = None) -> None:
        self.info = info
        self.drawing = drawing
        self.ending = "running"
        self._frames = 0
        self._sealed: list[Block] = []
        self._open: Block = {}
        self._filled = 0
        self._capacity = 0
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._contacts: ContactLog | None = None
        self._file: RecordingFile | None = None
        self._body_index = {name: index for index, name in enumerate(info.body_names)}
        self._joint_index = {name: index for index, name in enumerate(info.joint_names)}
        if path is not None:
            from taut.results.record_file import RecordingFile

            self._file = RecordingFile(checks.path("recording", "path", path), info, drawing)

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a recording from an HDF5 file, also one whose run was killed; InputError if there is none."""
        from taut.results.record_file import read_recording

        info, block, ending, drawing = read_recording(checks.path("recording", "path", path))
        recording = cls(info, drawing=drawing)
        recording._frames, recording._sealed, recording.ending = len(block["reports"]), [block], ending
        return recording

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
            positions: (bodies, 3) positions of the bodies' origins (m).
            orientations: (bodies, 4) quaternions (w, x, y, z).
            velocities: (bodies, 3) velocities (m/s).
            angular_velocities: (bodies, 3) in world axes (rad/s).
            report: what the step reported; for frame 0 `StepReport.initial`.
            contacts: contact points that carry a force; None in all frames where nothing can touch.
            **joints: any of `JOINT_ARRAYS`, (joints, ...); the first frame decides which are recorded.
        """
        at = self._filled
        if at == self._capacity:
            self._start_block(positions, contacts, joints)
            at = 0
        block = self._open
        if (contacts is None) != (self._contacts is None):
            raise InputError("recording: contacts must be given in all frames or in none")
        if len(block) != len(BODY_ARRAYS) + len(joints) + 1:
            raise InputError(f"recording: this frame gives {list(joints)}, the first frame gave {list(block)}")
        row = report.as_row()
        block["reports"][at] = row if row[1] == time else (row[0], time, *row[2:])
        block["positions"][at] = positions
        block["orientations"][at] = orientations
        block["velocities"][at] = velocities
        block["angular_velocities"][at] = angular_velocities
        for name, values in joints.items():
            block[name][at] = values
        if self._contacts is not None and contacts is not None:
            self._contacts.append(contacts)
        self._filled = at + 1
        self._frames += 1
        if self._filled == self._capacity or (self._frames == 1 and self._file is not None):
            self.flush()

    def flush(self) -> None:
        """Seal the frames of the open block and write them to the file, so that a kill cannot lose them."""
        if not self._filled:
            return
        block = {name: values[: self._filled] for name, values in self._open.items()}
        if self._contacts is not None:
            block |= self._contacts.take()
        self._sealed.append(block)
        self._filled = self._capacity = 0
        if self._file is not None:
            file, self._file = self._file, None  # where this fails, the file is closed and nothing more goes into it
            file.append(block)
            self._file = file

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
        return BodyHistory(name, mass, *(self._array(array)[:, at] for array in BODY_ARRAYS))

    def joint(self, name: str) -> JointHistory:
        """The motion and load of one joint."""
        at = self._joint_index[checks.known("recording", "joint", name, self._joint_index)]
        kept = [None if values is None else values[:, at] for values in map(self.joint_array, JOINT_ARRAYS)]
        return JointHistory(name, *kept)

    def joint_array(self, name: str) -> np.ndarray | None:
        """(frames, joints, ...) one of `JOINT_ARRAYS`, None if it was not recorded."""
        return self._merged().get(checks.known("recording", "joint array", name, JOINT_ARRAYS))

    def contacts(self, frame: int) -> ContactTable:
        """The contact points that carried a force in a frame; negative numbers count from the last frame."""
        place = checks.place(frame, range(-self._frames, self._frames))
        if place is None:
            count = f"there are {self._frames}, counted from 0"
            raise InputError(f"recording: there is no frame {checks.shown(frame)}; {count}")
        return contacts_of(self._merged(), place % self._frames, ("world", *self.info.body_names), self.info.step)

    def summary(self) -> dict[str, Any]:
        """The JSON object of ``taut run --json`` (`RunSummary`)."""
        info = self.info
        last = self.positions[-1].tolist() if self._frames else [[] for _ in info.body_names]
        final = dict(zip(info.body_names, last, strict=True))
        names = {"scene": info.scene, "solver": info.solver, "integrator": info.integrator}
        summary = summarize(
            self.reports, final, coordinates=info.coordinates, step=info.step, ending=self.ending, **names
        )
        return summary.as_dict() | {"friction": info.friction, "parameters": info.parameters}

    def _array(self, name: str) -> np.ndarray:
        if not self._frames:
            raise InputError(f"recording of '{self.info.scene}' has no frames yet")
        return self._merged()[name]

    def _merged(self) -> Block:
        """All frames in one block."""
        self.flush()
        if len(self._sealed) > 1:
            names = self._sealed[0]
            self._sealed = [{name: np.concatenate([block[name] for block in self._sealed]) for name in names}]
        return self._sealed[0] if self._sealed else {}

    def _start_block(self, positions: np.ndarray, contacts: ContactTable | None, joints: dict[str, np.ndarray]) -> None:
        """Begin a block, aligned to the chunks of the file (blocks, because one growing array would stall a run)."""
        if not self._shapes:
            self._shapes = self._first_shapes(positions, joints)
            self._contacts = None if contacts is None else ContactLog()
        self._capacity = CHUNK_FRAMES - self._frames % CHUNK_FRAMES
        self._open = {name: np.empty((self._capacity, *shape)) for name, shape in self._shapes.items()}
        self._open["reports"] = np.empty(self._capacity, REPORT_DTYPE)

    def _first_shapes(self, positions: np.ndarray, joints: dict[str, np.ndarray]) -> dict[str, tuple[int, ...]]:
        bodies = len(self.info.body_names)
        if np.shape(positions) != (bodies, 3):
            raise InputError(f"recording: positions have shape {np.shape(positions)}, expected ({bodies}, 3)")
        shapes: dict[str, tuple[int, ...]] = {name: (bodies, count) for name, count in BODY_ARRAYS.items()}
        for name, values in joints.items():
            shapes[checks.known("recording", "joint array", name, JOINT_ARRAYS)] = np.shape(values)
            if len(values) != len(self.info.joint_names):
                raise InputError(f"recording: {name} has {len(values)} rows for {len(self.info.joint_names)} joints")
        return shapes
