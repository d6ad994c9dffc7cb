"""Recordings on disk whose bodies and joints come and go: the layout that a file gets with the first change.

A file begins in the layout of `taut.results.record_file`. Nothing can be added to the structure of a file that others
may read while it grows, so with the first change or event it is written anew, and put in the place of the old one when
it is whole: a kill leaves the one or the other. From then on it only grows.

Layout: ``positions`` and the other float64 arrays are flat, frame after frame, each frame with the bodies or joints
that are there; ``reports`` and ``contacts`` are as before, but ``contacts/frame_end`` counts from the first frame of
each era; ``changes`` is a sequence of bytes, records of what comes and goes, see `taut.results.record_log`;
``checksums`` a table, one row whenever something was appended: how many entries every array had then, and the CRC-32
of those that were new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from taut.errors import InputError
from taut.results.record_checksums import ATTRIBUTE, TABLE, crc, own_checksum
from taut.results.record_contacts import FRAME_END, POINT_ARRAYS
from taut.results.record_era import CHUNK_FRAMES, Era, Part
from taut.results.record_file import (
    CHUNK_POINTS,
    HEADER,
    NOTES,
    Happening,
    RecordingFile,
    Writer,
    attributes_of,
    room_of,
)
from taut.results.record_info import BODY_ARRAYS, JOINT_ARRAYS, Block
from taut.results.record_log import EraRecord, LogReader, LogWriter
from taut.results.report import REPORT_DTYPE

CHANGING_VERSION = 4
CHANGES = "changes"
CHUNK_NUMBERS = 1 << 14
"""Numbers, or bytes, in a chunk of a flat array: 128 kB."""

KINDS: dict[str, np.ndarray] = (
    {"reports": np.zeros(0, REPORT_DTYPE), CHANGES: np.zeros(0, np.uint8)}
    | {name: np.zeros(0) for name in (*BODY_ARRAYS, *JOINT_ARRAYS)}
    | {FRAME_END: np.zeros(0, np.int64)}
    | dict(POINT_ARRAYS.values())
)
"""All arrays that grow, as they are without entries."""


class ChangingFile(Writer):
    """The writer of a recording whose bodies and joints come and go."""

    def __init__(self, path: Path, first: Era) -> None:
        """Create the file, empty; InputError where it cannot be written."""
        attributes = attributes_of(first.info, CHANGING_VERSION)
        super().__init__(path, attributes, HEADER + 4 * len(attributes["info"]) + NOTES * len(KINDS))
        for name, empty in KINDS.items():
            self._file.create_dataset(
                name, empty.shape, empty.dtype, maxshape=(None, *empty.shape[1:]), chunks=chunk_of(name)
            )
        table = self._file.create_dataset(TABLE, (0,), row_type(), maxshape=(None,), chunks=(CHUNK_FRAMES,))
        table.attrs["arrays"] = list(KINDS)
        self._file.swmr_mode = True
        self._log = LogWriter()
        self._lengths = dict.fromkeys(KINDS, 0)

    def write(self, parts: Sequence[Part], events: Sequence[Happening]) -> None:
        """Write frames of any eras, in order."""
        pieces: dict[str, list[np.ndarray]] = {name: [] for name in KINDS}
        for era, block in parts:
            shapes = {name: values.shape[1:] for name, values in block.items() if is_flat(name)}
            pieces[CHANGES] += self._log.begin(era, shapes)
            for name, values in block.items():
                pieces[name].append(values.reshape(-1) if is_flat(name) else values)
            if FRAME_END not in block:
                pieces[FRAME_END].append(np.zeros(len(block["reports"]), np.int64))
        pieces[CHANGES] += [self._log.happened(*event) for event in events]
        grown = {name: np.concatenate(found) if len(found) > 1 else found[0] for name, found in pieces.items() if found}
        self._take_room(sum(room_of(chunk_of(name), new, self._lengths[name]) for name, new in grown.items()) + NOTES)
        for name, new in grown.items():
            self._extend(name, new)
            self._lengths[name] += len(new)
        self._extend(TABLE, row_of(grown, self._lengths))
        self.frames += sum(len(block["reports"]) for _, block in parts)

    def move_to(self, path: Path) -> None:
        """Take the place of another file, and go on there."""
        import h5py

        self._file.close()
        self.path.replace(path)
        self.path = path
        self._file = h5py.File(path, "r+", libver="latest")
        self._file.swmr_mode = True


def opened_up(file: RecordingFile, parts: Sequence[Part], events: Sequence[Happening]) -> ChangingFile:
    """Go on from a file whose bodies and joints stayed, with all frames there are and all that happened.

    Where there is no room, the file keeps what it has.
    """
    path = file.path
    beside = path.with_name(f"{path.name}.changing")
    try:
        other = ChangingFile(beside, parts[0][0])
        other.append(parts, events)
        file.close("running")
        other.move_to(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return other


def is_flat(name: str) -> bool:
    """Whether the frames of an array are flat in the file: those of bodies and joints."""
    return name in BODY_ARRAYS or name in JOINT_ARRAYS


def chunk_of(name: str) -> tuple[int, ...]:
    """Shape of a chunk of an array."""
    if name in ("reports", FRAME_END):
        return (CHUNK_FRAMES,)
    flat = is_flat(name) or name == CHANGES
    return (CHUNK_NUMBERS if flat else CHUNK_POINTS, *KINDS[name].shape[1:])


def row_type() -> np.dtype:
    """A row of the table of checksums; `own` is that of the rest of the row."""
    return np.dtype([("ends", "<i8", (len(KINDS),)), ("arrays", "<u4", (len(KINDS),)), ("own", "<u4")])


def row_of(grown: Block, lengths: dict[str, int]) -> np.ndarray:
    """The row (1,) of what was appended, arrays having these lengths now."""
    row = np.zeros(1, row_type())
    row["ends"] = list(lengths.values())
    row["arrays"] = [crc(grown.get(name, empty)) for name, empty in KINDS.items()]
    row["own"] = own_checksum(row[0])
    return row


def read_changing(file: Any, path: Path) -> tuple[list[Era], list[Happening]]:
    """All frames by era, and what happened in which frame; what was not written to its end is left out."""
    block = {name: file[name][()] for name in KINDS}
    info = file.attrs["info"]
    if crc(info if isinstance(info, bytes) else info.encode(errors="replace")) != file.attrs[ATTRIBUTE]:
        raise InputError(f"recording '{path}' is damaged: attribute 'info' is not what was written")
    ends = dict.fromkeys(KINDS, 0)
    for row in file[TABLE][()]:
        harm = f"dataset '{TABLE}'" if own_checksum(row) != row["own"] else None
        after = dict(zip(KINDS, row["ends"].tolist(), strict=True))
        if harm is None and any(after[name] > len(block[name]) for name in KINDS):
            break
        spans = {name: block[name][ends[name] : after[name]] for name in KINDS}
        for (name, span), expected in zip(spans.items(), row["arrays"].tolist(), strict=True):
            harm = harm or (f"dataset '{name}'" if crc(span) != expected else None)
        if harm is not None:
            raise InputError(f"recording '{path}' is damaged: {harm} is not what was written")
        ends = after
    if not ends["reports"]:
        raise InputError(f"recording '{path}' has no frames: its run ended before the first")
    log = LogReader(block[CHANGES][: ends[CHANGES]].tobytes())
    block = {name: values[: ends[name]] for name, values in block.items()}
    return list(eras_of(block, log.eras)), log.events


def eras_of(block: Block, records: list[EraRecord]) -> Iterator[Era]:
    """Eras with their frames out of the flat arrays."""
    total, at = len(block["reports"]), dict.fromkeys(KINDS, 0)
    lasts = [record.first for record in records[1:]] + [total]
    for record, last in zip(records, lasts, strict=True):
        frames = last - record.first
        sizes = {name: frames * int(np.prod(shape)) for name, shape in record.shapes.items()}
        ends = block[FRAME_END][record.first : last]
        sizes |= {name: int(ends[-1]) if frames else 0 for name, _ in POINT_ARRAYS.values()}
        sizes |= {"reports": frames, FRAME_END: frames}
        own = {name: block[name][at[name] : at[name] + size] for name, size in sizes.items()}
        own |= {name: own[name].reshape(frames, *shape) for name, shape in record.shapes.items()}
        own["reports"] = with_all_fields(own["reports"])
        for name, size in sizes.items():
            at[name] += size
        yield Era(record.info, record.drawing, record.first, own)


def with_all_fields(reports: np.ndarray) -> np.ndarray:
    """Reports of an older version with zeros for what it did not report."""
    if reports.dtype == REPORT_DTYPE:
        return reports
    complete = np.zeros(len(reports), REPORT_DTYPE)
    for name in set(reports.dtype.names or ()) & set(REPORT_DTYPE.names or ()):
        complete[name] = reports[name]
    return complete
