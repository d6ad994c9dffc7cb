"""Recordings on disk: HDF5, appended in chunks by a single writer, readable by others while it grows and after a kill.

Layout: attributes with what is recorded; ``reports`` (frames,) a table of step reports; ``positions`` and the other
float64 arrays (frames, bodies or joints, ...); ``contacts`` a group of arrays where bodies can touch, see
`taut.results.record_contacts`; ``drawing`` a group with what the bodies look like, see `taut.results.drawing`;
``ending`` how the run ended ("running" until it is closed); ``checksums`` a table, see
`taut.results.record_checksums`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from taut.errors import InputError, SimulationError
from taut.results.drawing import Drawing
from taut.results.record import CHUNK_FRAMES, Block, RecordingInfo
from taut.results.record_checksums import ATTRIBUTE, TABLE, crc, damaged, row_of, row_type
from taut.results.record_contacts import POINT_NAMES, cut_to_shared_frames
from taut.results.record_repair import closed_copy
from taut.results.record_space import check_room, give_back, reason_of, take_room
from taut.results.report import REPORT_DTYPE, STAGES

FORMAT = "taut-recording"
FORMAT_VERSION = 3
READABLE_VERSIONS = (1, 2, 3)
"""1 had no contacts, 2 no checksums."""
UNCHECKED_VERSION = 2
CHUNK_POINTS = 2048
"""Contact points in a chunk of the file."""
ENDING_DTYPE = "S16"
ENDINGS = ("running", "complete", "interrupted", "failed")
HEADER, NOTES = 1 << 14, 1 << 12
"""Bytes of room for the structures of a new file, and for those of an array that grows by a block."""
ANOTHER = "`taut run SCENE --record FILE` makes one"


class RecordingFile:
    """The writer of one recording file.

    The file is switched to single-writer-multiple-reader mode, in which HDF5 orders its writes so that the file is
    consistent at every moment: a kill in the middle of a flush does not corrupt it. Before anything is written, room on
    the disk is taken for it, see `taut.results.record_space`.
    """

    def __init__(self, path: Path, info: RecordingInfo, drawing: Drawing | None = None) -> None:
        """Create the file; InputError where it cannot be written."""
        import h5py

        self.path, self.frames, self._points = path, 0, 0
        attributes, drawn = _attributes(info), {} if drawing is None else drawing.arrays()
        size = HEADER + 4 * len(attributes["info"]) + sum(2 * np.asarray(each).nbytes for each in drawn.values())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            check_room(path, size + HEADER)
            self._file = h5py.File(path, "w", libver="latest")
            self._take_room(size)
        except OSError as error:
            raise InputError(f"recording '{path}' cannot be written: {reason_of(error)}") from error
        self._file.attrs.update(attributes | {ATTRIBUTE: crc(attributes["info"].encode())})
        self._file.create_dataset("ending", data=np.array(b"running", ENDING_DTYPE))
        for name, values in drawn.items():
            self._file.create_dataset(f"drawing/{name}", data=values).attrs[ATTRIBUTE] = crc(values)

    def append(self, block: Block) -> None:
        """Append frames and flush them to disk; SimulationError where there is no room for them."""
        try:
            self._take_room(sum(self._room_of(name, values) for name, values in block.items()) + NOTES)
            if not self._file.swmr_mode:
                self._create_datasets(block)
            for name, values in block.items():
                self._extend(name, values)
            self.frames += len(block["reports"])
            self._points += max((len(values) for name, values in block.items() if name in POINT_NAMES), default=0)
            self._extend(TABLE, row_of(block, self.frames, self._points))
        except (OSError, RuntimeError) as error:
            self.close("failed")
            raise SimulationError(
                f"recording '{self.path}' stopped growing: {reason_of(error)}; its first {self.frames} frames are kept"
            ) from error

    def close(self, ending: str) -> None:
        """Note how the run ended and close the file."""
        self._file["ending"][()] = np.array(ending.encode(), ENDING_DTYPE)
        self._file.close()
        give_back(self.path)

    def _room_of(self, name: str, values: np.ndarray) -> int:
        return _room_of(name, values, self._points if name in POINT_NAMES else self.frames)

    def _take_room(self, size: int) -> None:
        take_room(self._file.id.get_vfd_handle(), self._file.id.get_filesize(), size, self.path)

    def _extend(self, name: str, values: np.ndarray) -> None:
        dataset = self._file[name]
        start = len(dataset)
        dataset.resize(start + len(values), axis=0)
        dataset[start:] = values
        dataset.flush()

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


def _room_of(name: str, values: np.ndarray, start: int) -> int:
    """Bytes that appending at `start` can take: chunks that are begun, and what HDF5 notes of them.

    The notes are an extensible array, whose parts grow with the square root of the number of chunks.
    """
    chunk = _chunk_of(name, values)
    before, after = -(-start // chunk[0]), -(-(start + len(values)) // chunk[0])
    return (after - before) * math.prod(chunk) * values.itemsize + NOTES + int(64 * math.sqrt(after))


def read_recording(path: Path) -> tuple[RecordingInfo, Block, str, Drawing | None]:
    """Read a file: what is recorded, all frames, how the run ended, and what the bodies look like if it is there.

    A run that was killed may have flushed some arrays and not yet others: all are cut to the frames they share.
    """
    if not path.is_file():
        wrong = "is a folder" if path.is_dir() else "does not exist"
        raise InputError(f"recording '{path}' {wrong}; {ANOTHER}")
    try:
        with _open(path) as file:
            if file.attrs.get("format") != FORMAT or file.attrs.get("format_version") not in READABLE_VERSIONS:
                known = f"not a Taut recording of version {FORMAT_VERSION}"
                raise InputError(f"recording '{path}' is HDF5 but {known}; {ANOTHER}")
            if "reports" not in file or not len(file["reports"]):
                raise InputError(f"recording '{path}' has no frames: its run ended before the first")
            block = {name: file[name][()] for name in _array_names(file)}
            drawn = {name: values[()] for name, values in file.get("drawing", {}).items()}
            if file.attrs["format_version"] > UNCHECKED_VERSION and (harm := next(_damage(file, block, drawn), None)):
                raise InputError(f"recording '{path}' is damaged: {harm} is not what was written")
            info = msgspec.json.decode(file.attrs["info"], type=RecordingInfo)
            ending = file["ending"][()].decode()
            drawing = Drawing.from_arrays(drawn) if drawn else None
    except InputError:
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, msgspec.MsgspecError) as error:
        damaged = f"it is damaged, cut short or no recording; {ANOTHER}"
        reason = error.strerror if isinstance(error, PermissionError) else damaged
        raise InputError(f"recording '{path}' cannot be read: {reason}") from error
    block["reports"] = _with_all_fields(block["reports"])
    return info, cut_to_shared_frames(block), ending, drawing


def _array_names(file: Any) -> list[str]:
    names = [name for name in file if name not in ("ending", "contacts", "drawing", TABLE)]
    return names + [f"contacts/{name}" for name in file.get("contacts", ())]


def _damage(file: Any, block: Block, drawn: dict[str, np.ndarray]) -> Iterator[str]:
    """What in a file is not what was written, in words."""
    info = file.attrs["info"]
    if crc(info if isinstance(info, bytes) else info.encode(errors="replace")) != file.attrs[ATTRIBUTE]:
        yield "attribute 'info'"
    if file["ending"][()] not in [ending.encode() for ending in ENDINGS]:
        yield "dataset 'ending'"
    for name, values in drawn.items():
        if crc(values) != file["drawing"][name].attrs[ATTRIBUTE]:
            yield f"dataset 'drawing/{name}'"
    yield from damaged(block, file[TABLE][()], list(file[TABLE].attrs["arrays"]))


def _with_all_fields(reports: np.ndarray) -> np.ndarray:
    """Reports of an older version with zeros for what it did not report."""
    if reports.dtype == REPORT_DTYPE:
        return reports
    complete = np.zeros(len(reports), REPORT_DTYPE)
    for name in set(reports.dtype.names or ()) & set(REPORT_DTYPE.names or ()):
        complete[name] = reports[name]
    return complete


def _open(path: Path) -> Any:
    import h5py

    try:
        return h5py.File(path, "r")
    except OSError:
        if (copy := closed_copy(path)) is None:
            raise
        return h5py.File(copy, "r")


def taut_version() -> str:
    """Version of the installed package, "unknown" when it runs from a bare source tree."""
    try:
        return metadata.version("taut")
    except metadata.PackageNotFoundError:
        return "unknown"


def _attributes(info: RecordingInfo) -> dict[str, Any]:
    readable = {"scene": info.scene, "step": info.step, "solver": info.solver, "integrator": info.integrator}
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "taut_version": taut_version(),
        "stages": list(STAGES),
        "info": msgspec.json.encode(info, enc_hook=_plain).decode(),
        **readable,
        "coordinates": info.coordinates,
    }


def _plain(value: Any) -> Any:
    """Scene parameters may be NumPy scalars or arrays."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
