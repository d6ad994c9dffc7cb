"""A part of a recording in which bodies and joints are the same: what lies between two changes.

Frames are kept in blocks of growing number, because one growing array would stall a run.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.results.contact_table import ContactTable
from taut.results.record_contacts import ContactLog, contacts_of
from taut.results.record_info import BODY_ARRAYS, JOINT_ARRAYS, Block, RecordingInfo
from taut.results.report import REPORT_DTYPE, StepReport

if TYPE_CHECKING:
    from taut.results.drawing import Drawing

CHUNK_FRAMES = 64
"""Frames written to the file at once; a killed run loses at most this many."""


class Era:
    """Frames of the same bodies and joints.

    Args:
        info: which ones.
        drawing: what they look like, None where nobody said.
        first: number of the first frame.
        block: frames that are there already, of a file.

    Attributes:
        frames: how many there are.
    """

    def __init__(
        self, info: RecordingInfo, drawing: Drawing | None = None, first: int = 0, block: Block | None = None
    ) -> None:
        self.info, self.drawing, self.first = info, drawing, first
        self.frames = 0 if block is None else len(block["reports"])
        self._sealed: list[Block] = [] if block is None else [block]
        self._open: Block = {}
        self._filled = self._capacity = 0
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._contacts: ContactLog | None = None

    @property
    def span(self) -> slice:
        """Its frames among all of the recording."""
        return slice(self.first, self.first + self.frames)

    @property
    def full(self) -> bool:
        """Whether the open block has no room left."""
        return self._filled == self._capacity

    @cached_property
    def body_places(self) -> dict[str, int]:
        """Number of each body by name, without the world."""
        return {name: place for place, name in enumerate(self.info.body_names)}

    @cached_property
    def joint_places(self) -> dict[str, int]:
        """Number of each joint by name."""
        return {name: place for place, name in enumerate(self.info.joint_names)}

    def append(
        self,
        time: float,
        bodies: tuple[np.ndarray, ...],
        report: StepReport,
        contacts: ContactTable | None,
        joints: dict[str, np.ndarray],
    ) -> None:
        """Add a frame, see `Recording.append`; `bodies` are the arrays of `BODY_ARRAYS` in their order."""
        at = self._filled
        if at == self._capacity:
            self._start_block(bodies[0], contacts, joints)
            at = 0
        block = self._open
        if (contacts is None) != (self._contacts is None):
            raise InputError("recording: contacts must be given in all frames or in none")
        if len(block) != len(BODY_ARRAYS) + len(joints) + 1:
            raise InputError(f"recording: this frame gives {list(joints)}, the first frame gave {list(block)}")
        row = report.as_row()
        block["reports"][at] = row if row[1] == time else (row[0], time, *row[2:])
        for name, values in zip(BODY_ARRAYS, bodies, strict=True):
            block[name][at] = values
        for name, values in joints.items():
            block[name][at] = values
        if self._contacts is not None and contacts is not None:
            self._contacts.append(contacts)
        self._filled = at + 1
        self.frames += 1

    def seal(self) -> Block | None:
        """The frames of the open block, which is closed with that; None where there are none."""
        if not self._filled:
            return None
        block = {name: values[: self._filled] for name, values in self._open.items()}
        if 2 * self._filled < self._capacity:  # most of its memory was for frames that did not come
            block = {name: values.copy() for name, values in block.items()}
        if self._contacts is not None:
            block |= self._contacts.take()
        self._sealed.append(block)
        self._open, self._filled, self._capacity = {}, 0, 0
        return block

    def merged(self) -> Block:
        """All frames that are sealed in one block."""
        if len(self._sealed) > 1:
            names = self._sealed[0]
            self._sealed = [{name: np.concatenate([block[name] for block in self._sealed]) for name in names}]
        return self._sealed[0] if self._sealed else {}

    def contacts(self, frame: int) -> ContactTable:
        """Contacts of one of its frames, counted from its first."""
        return contacts_of(self.merged(), frame, ("world", *self.info.body_names), self.info.step)

    def _start_block(self, positions: np.ndarray, contacts: ContactTable | None, joints: dict[str, np.ndarray]) -> None:
        """Begin a block, aligned to the chunks of the file."""
        if not self._shapes:
            self._shapes = self._first_shapes(positions, joints)
            self._contacts = None if contacts is None else ContactLog()
        self._capacity = CHUNK_FRAMES - (self.first + self.frames) % CHUNK_FRAMES
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


Part = tuple[Era, Block]
"""Frames of an era."""


def spread(parts: list[Part], name: str, frames: int, wanted: dict[str, int]) -> np.ndarray:
    """An array over all frames (frames, wanted, ...) with these bodies or joints in these columns, NaN where none was.

    Joints of different eras may have different numbers of coordinates: the widest counts.
    """
    parts = [(era, block) for era, block in parts if name in block]
    widths = [max(sizes) for sizes in zip(*(block[name].shape[2:] for _, block in parts), strict=True)]
    values = np.full((frames, len(wanted), *widths), np.nan)
    for era, block in parts:
        places = era.body_places if name in BODY_ARRAYS else era.joint_places
        names = wanted if len(wanted) < len(places) else places
        shared = [each for each in names if each in wanted and each in places]
        own = block[name][:, [places[each] for each in shared]]
        target = values[era.span]
        (target[..., : own.shape[2]] if widths else target)[:, [wanted[each] for each in shared]] = own
    return values
