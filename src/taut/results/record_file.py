"""Recordings on disk: HDF5, appended in chunks by a single writer, readable by others while it grows and after a kill.

Layout of a recording whose bodies and joints stay (of others see `taut.results.record_changing`): attributes with what
is recorded; ``reports`` (frames,) a table of step reports; ``positions`` and the other float64 arrays (frames, bodies
or joints, ...); ``contacts`` a group of arrays where bodies can touch, see `taut.results.record_contacts`; ``drawing``
a group with what the bodies look like, see `taut.results.drawing`; ``ending`` how the run ended ("running" until it is
closed); ``checksums`` a table, see `taut.results.record_checksums`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from taut.errors import InputError, SimulationError
from taut.results.drawing import Drawing
from taut.results.record_checksums import ATTRIBUTE, TABLE, crc, row_of, row_type
from taut.results.record_contacts import POINT_NAMES
from taut.results.record_era import CHUNK_FRAMES, Part
from taut.results.record_info import Block, RecordingInfo
from taut.results.record_space import check_room, give_back, reason_of, take_room
from taut.results.report import STAGES

FORMAT = "taut-recording"
FORMAT_VERSION = 3
CHUNK_POINTS = 2048
"""Contact points in a chunk of the file."""
ENDING_DTYPE = "S16"
HEADER, NOTES = 1 << 14, 1 << 12
"""Bytes of room for the structures of a new file, and for those of an array that grows by a block."""


Happening = tuple[int, Any]
"""A frame, and an event that led to it."""


class Writer:
    """A file that grows.

    It is switched to single-writer-multiple-reader mode, in which HDF5 orders its writes so that the file is
    consistent at every moment: a kill in the middle of a flush does not corrupt it. Before anything is written, room on
    the disk is taken for it, see `taut.results.record_space`.

    Attributes:
        path: of the file.
        frames: how many are in it.
    """

    def __init__(self, path: Path, attributes: dict[str, Any], size: int) -> None:
        """Create the file with room for so many bytes; InputError where it cannot be written."""
        import h5py

        self.path, self.frames = path, 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            check_room(path, size + HEADER)
            self._file = h5py.File(path, "w", libver="latest")
            self._take_room(size)
        except OSError as error:
            raise InputError(f"recording '{path}' cannot be written: {reason_of(error)}") from error
        self._file.attrs.update(attributes | {ATTRIBUTE: crc(attributes["info"].encode())})
        self._file.create_dataset("ending", data=np.array(b"running", ENDING_DTYPE))

    def append(self, parts: Sequence[Part], events: Sequence[Happening]) -> None:
        """Append frames, and what happened on the way; SimulationError where there is no room for them."""
        try:
            self.write(parts, events)
        except (OSError, RuntimeError) as error:
            self.close("failed")
            raise SimulationError(
                f"recording '{self.path}' stopped growing: {reason_of(error)}; its first {self.frames} frames are kept"
            ) from error

    def write(self, parts: Sequence[Part], events: Sequence[Happening]) -> None:
        """Write frames and flush them to disk."""
        raise NotImplementedError

    def close(self, ending: str) -> None:
        """Note how the run ended and close the file."""
        self._file["ending"][()] = np.array(ending.encode(), ENDING_DTYPE)
        self._file.close()
        give_back(self.path)

    def _take_room(self, size: int) -> None:
        take_room(self._file.id.get_vfd_handle(), self._file.id.get_filesize(), size, self.path)

    def _extend(self, name: str, values: np.ndarray) -> None:
        dataset = self._file[name]
        start = len(dataset)
        dataset.resize(start + len(values), axis=0)
        dataset[start:] = values
        dataset.flush()


class RecordingFile(Writer):
    """The writer of a recording whose bodies and joints stay."""

    def __init__(self, path: Path, info: RecordingInfo, drawing: Drawing | None = None) -> None:
        """Create the file; InputError where it cannot be written."""
        attributes, drawn = attributes_of(info), {} if drawing is None else drawing.arrays()
        size = HEADER + 4 * len(attributes["info"]) + sum(2 * np.asarray(each).nbytes for each in drawn.values())
        super().__init__(path, attributes, size)
        self._points = 0
        for name, values in drawn.items():
            self._file.create_dataset(f"drawing/{name}", data=values).attrs[ATTRIBUTE] = crc(values)

    def write(self, parts: Sequence[Part], events: Sequence[Happening]) -> None:
        """Write frames of the one era there is; nothing may have happened."""
        for _, block in parts:
            self._take_room(sum(self._room_of(name, values) for name, values in block.items()) + NOTES)
            if not self._file.swmr_mode:
                self._create_datasets(block)
            for name, values in block.items():
                self._extend(name, values)
            self.frames += len(block["reports"])
            self._points += max((len(values) for name, values in block.items() if name in POINT_NAMES), default=0)
            self._extend(TABLE, row_of(block, self.frames, self._points))

    def _room_of(self, name: str, values: np.ndarray) -> int:
        return room_of(_chunk_of(name, values), values, self._points if name in POINT_NAMES else self.frames)

    def _create_datasets(self, block: Block) -> None:
        for name, values in block.items():
            shape, chunks = values.shape[1:], _chunk_of(name, values)
            self._file.create_dataset(name, (0, *shape), values.dtype, maxshape=(None, *shape), chunks=chunks)
        table = self._file.create_dataset(TABLE, (0,), row_type(len(block)), maxshape=(None,), chunks=(CHUNK_FRAMES,))
        table.attrs["arrays"] = list(block)
        self._file.swmr_mode = True


def _chunk_of(name: str, values: np.ndarray) -> tuple[int, ...]:
    length = CHUNK_POINTS if name in POINT_NAMES else CHUNK_FRAMES
    return (length, *(max(1, size) for size in values.shape[1:]))


def room_of(chunk: tuple[int, ...], values: np.ndarray, start: int) -> int:
    """Bytes that appending at `start` can take: chunks that are begun, and what HDF5 notes of them.

    The notes are an extensible array, whose parts grow with the square root of the number of chunks.
    """
    before, after = -(-start // chunk[0]), -(-(start + len(values)) // chunk[0])
    return (after - before) * math.prod(chunk) * values.itemsize + NOTES + int(64 * math.sqrt(after))


def taut_version() -> str:
    """Version of the installed package, "unknown" when it runs from a bare source tree."""
    try:
        return metadata.version("taut")
    except metadata.PackageNotFoundError:
        return "unknown"


def attributes_of(info: RecordingInfo, version: int = FORMAT_VERSION) -> dict[str, Any]:
    """What is recorded, as attributes of a file."""
    readable = {"scene": info.scene, "step": info.step, "solver": info.solver, "integrator": info.integrator}
    return {
        "format": FORMAT,
        "format_version": version,
        "taut_version": taut_version(),
        "stages": list(STAGES),
        "info": msgspec.json.encode(info, enc_hook=plain).decode(),
        **readable,
        "coordinates": info.coordinates,
    }


def plain(value: Any) -> Any:
    """Scene parameters may be NumPy scalars or arrays."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
