"""Checksums of a recording: a damaged byte is noticed when the file is read, and said.

A row of the table ``checksums`` a block of frames: where the block ends, and the CRC-32 of its part of each array, in
the order of the attribute `arrays`. They are beside the arrays, not in them (as HDF5's own checksums would be): a chunk
is written several times while it fills, and a kill in the middle of that must not make unreadable what was there
before. What does not grow, such as the drawing, has its checksum in an attribute. HDF5 checks its own structures.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from taut.results.record_contacts import POINT_NAMES

TABLE = "checksums"
ATTRIBUTE = "crc32"


def row_type(count: int) -> np.dtype:
    """A row of the table for this many arrays; `own` is the checksum of the rest of the row."""
    return np.dtype([("frames", "<i8"), ("points", "<i8"), ("arrays", "<u4", (count,)), ("own", "<u4")])


def crc(values: Any) -> int:
    """CRC-32 of the bytes of an array."""
    return zlib.crc32(np.asarray(values).tobytes())


def row_of(block: Mapping[str, np.ndarray], frames: int, points: int) -> np.ndarray:
    """The row (1,) of a block that ends at this frame and contact point."""
    row = np.zeros(1, row_type(len(block)))
    row["frames"], row["points"] = frames, points
    row["arrays"] = [crc(values) for values in block.values()]
    row["own"] = own_checksum(row[0])
    return row


def own_checksum(row: Any) -> int:
    """Checksum of a row without its last field."""
    return zlib.crc32(row.tobytes()[:-4])


def damaged(block: Mapping[str, np.ndarray], rows: np.ndarray, names: list[str]) -> Iterator[str]:
    """Where the arrays (of these names, as in the rows) are not what was written: "array, frames a to b"."""
    first_frame = first_point = 0
    for row in rows:
        if own_checksum(row) != row["own"]:
            yield f"dataset '{TABLE}'"
            return
        frames, points = int(row["frames"]), int(row["points"])
        for name, expected in zip(names, row["arrays"], strict=True):
            start, end = (first_point, points) if name in POINT_NAMES else (first_frame, frames)
            # an array that ends before the block does was not written to its end: nothing to compare
            if end <= len(block[name]) and crc(block[name][start:end]) != expected:
                yield f"dataset '{name}', frames {first_frame} to {frames - 1}"
        first_frame, first_point = frames, points
