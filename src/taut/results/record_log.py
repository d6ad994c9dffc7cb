"""What comes and goes in a recording, as a sequence of bytes that only grows.

A record is its length (8 bytes) and as much compressed MessagePack. A record of an era says which bodies and joints
there are from a frame on, how large a frame of every array is, and what of the drawing is not as in the era before;
surfaces are written once. A record of an event has its type, kind and fields.
"""

from __future__ import annotations

import dataclasses
import hashlib
import struct
import zlib
from typing import Any

import msgspec
import numpy as np

from taut.results.drawing import Drawing
from taut.results.events import Event
from taut.results.record_era import Era
from taut.results.record_file import plain
from taut.results.record_info import RecordingInfo
from taut.shapes.surface import Surface

LENGTH = struct.Struct("<Q")


class Packed(msgspec.Struct):
    """An array."""

    dtype: str
    shape: tuple[int, ...]
    content: bytes

    def array(self) -> np.ndarray:
        """It, with memory of its own."""
        return np.frombuffer(self.content, np.dtype(self.dtype)).reshape(self.shape).copy()


class EraEntry(msgspec.Struct, tag="era"):
    """An era as written; `drawing` has what is not as before, None where there is no drawing at all."""

    first: int
    info: RecordingInfo
    shapes: dict[str, tuple[int, ...]]
    drawing: dict[str, Packed] | None
    surfaces: tuple[int, ...]
    new_surfaces: list[tuple[Packed, Packed]]


class EventEntry(msgspec.Struct, tag="event"):
    """An event as written: the name of its type, its kind, and its fields."""

    frame: int
    of: str
    kind: str
    values: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class OtherEvent:
    """An event of a type that is not known here.

    Attributes:
        kind: what happened.
        time: when, s.
        name: to what.
        details: what else was said of it.
    """

    kind: str
    time: float
    name: str
    details: dict[str, Any]


@dataclasses.dataclass(frozen=True, eq=False)
class EraRecord:
    """An era as read.

    Attributes:
        first: number of its first frame.
        info: bodies and joints.
        shapes: of one frame of every array.
        drawing: what they look like, None where nobody said.
    """

    first: int
    info: RecordingInfo
    shapes: dict[str, tuple[int, ...]]
    drawing: Drawing | None


class LogWriter:
    """Turns eras and events into bytes."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._era: Era | None = None
        self._drawn: dict[str, Any] = {}
        self._surfaces: dict[bytes, int] = {}

    def begin(self, era: Era, shapes: dict[str, tuple[int, ...]]) -> list[np.ndarray]:
        """The record of an era, with its first frames; none where the frames go on with it."""
        if era is self._era:
            return []
        self._era = era
        drawing = era.drawing
        numbers: tuple[int, ...] = ()
        changed: dict[str, Packed] | None = None
        fresh: list[tuple[Packed, Packed]] = []
        if drawing is not None:
            drawn = {name: values for name, values in drawing.arrays().items() if not name.startswith("surface_")}
            gone = self._drawn.keys() - drawn.keys()  # such as ropes where there are none any more
            drawn |= {name: self._drawn[name][:0] for name in gone}
            same = {name for name in drawn.keys() & self._drawn if np.array_equal(self._drawn[name], drawn[name])}
            changed = {name: packed(values) for name, values in drawn.items() if name not in same}
            self._drawn = drawn
            numbers, fresh = self._numbers(drawing.surfaces)
        return [encoded(EraEntry(era.first, era.info, shapes, changed, numbers, fresh))]

    def _numbers(self, surfaces: tuple[Surface, ...]) -> tuple[tuple[int, ...], list[tuple[Packed, Packed]]]:
        """Numbers of surfaces among all that were written, and those that were not."""
        numbers, fresh = [], []
        for surface in surfaces:
            points, triangles = surface.points.astype(np.float32), surface.triangles.astype(np.int32)
            key = hashlib.blake2b(points.tobytes() + triangles.tobytes()).digest()
            if key not in self._surfaces:
                self._surfaces[key] = len(self._surfaces)
                fresh.append((packed(points), packed(triangles)))
            numbers.append(self._surfaces[key])
        return tuple(numbers), fresh

    def happened(self, frame: int, event: Any) -> np.ndarray:
        """The record of an event that led to a frame."""
        values = {part.name: getattr(event, part.name) for part in dataclasses.fields(event)}
        return encoded(EventEntry(frame, type(event).__name__, event.kind, values))


class LogReader:
    """Turns bytes into eras and events.

    Attributes:
        eras: in order.
        events: with their frames, in order.
    """

    def __init__(self, content: bytes) -> None:
        """Read all records."""
        self.eras: list[EraRecord] = []
        self.events: list[tuple[int, Any]] = []
        self._drawn: dict[str, Any] = {}
        self._surfaces: list[Surface] = []
        at = 0
        while at < len(content):
            (size,) = LENGTH.unpack_from(content, at)
            at += LENGTH.size + size
            entry = msgspec.msgpack.decode(zlib.decompress(content[at - size : at]), type=EraEntry | EventEntry)
            if isinstance(entry, EraEntry):
                self.eras.append(EraRecord(entry.first, entry.info, entry.shapes, self._drawing(entry)))
            else:
                self.events.append((entry.frame, event_of(entry)))

    def _drawing(self, entry: EraEntry) -> Drawing | None:
        if entry.drawing is None:
            return None
        self._drawn = self._drawn | {name: values.array() for name, values in entry.drawing.items()}
        for points, triangles in entry.new_surfaces:
            self._surfaces.append(Surface(points.array().astype(float), triangles.array().astype(np.int64)))
        return Drawing.of(self._drawn, tuple(self._surfaces[number] for number in entry.surfaces))


def packed(values: Any) -> Packed:
    """An array as it is written."""
    array = np.ascontiguousarray(values)
    return Packed(array.dtype.str, array.shape, array.tobytes())


def encoded(entry: EraEntry | EventEntry) -> np.ndarray:
    """The bytes (k,) of a record."""
    content = zlib.compress(msgspec.msgpack.encode(entry, enc_hook=plain), 1)
    return np.frombuffer(LENGTH.pack(len(content)) + content, np.uint8)


def event_of(entry: EventEntry) -> Event | OtherEvent:
    """The event that an entry is of."""
    types = [Event]
    for known in types:  # it grows on the way
        types += known.__subclasses__()
    try:
        return msgspec.convert(entry.values, {known.__name__: known for known in types}[entry.of])
    except (KeyError, msgspec.ValidationError):
        own = {name: entry.values.pop(name) for name in ("time", "name")}
        return OtherEvent(entry.kind, **own, details=entry.values)
