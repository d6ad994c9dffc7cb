"""What happens to a mechanism besides motion: joints break, bodies are cut, split, added and removed.

`StepReport.events` lists what happened since the report before: edits between the two frames, and what the frame itself
did after its solve.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Event:
    """Something happened at a `time` (s) to a body, joint or machine part of this `name`."""

    kind: ClassVar[str] = "event"
    time: float
    name: str


@dataclass(frozen=True)
class Broken(Event):
    """A joint or spring carried more than it can: `force` (N) and `torque` (N m) of the step that broke it."""

    kind: ClassVar[str] = "broken"
    force: float
    torque: float


@dataclass(frozen=True)
class Cut(Event):
    """A joint, spring or cable was cut, the latter at `at` m from its start."""

    kind: ClassVar[str] = "cut"
    at: float | None = None


@dataclass(frozen=True)
class Split(Event):
    """A body came apart into `pieces`."""

    kind: ClassVar[str] = "split"
    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Merged(Event):
    """A body was made of `pieces`, which are gone."""

    kind: ClassVar[str] = "merged"
    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Remeshed(Event):
    """A cable is made of so many `segments` now."""

    kind: ClassVar[str] = "remeshed"
    segments: int


@dataclass(frozen=True)
class Added(Event):
    """A "body", "joint" or "spring", or a "part" of a machine with all it has, came in."""

    kind: ClassVar[str] = "added"
    what: str


@dataclass(frozen=True)
class Removed(Event):
    """A "body", "joint" or "spring" was taken out."""

    kind: ClassVar[str] = "removed"
    what: str


@dataclass(frozen=True)
class Reweighed(Event):
    """A body has another `mass`, kg."""

    kind: ClassVar[str] = "reweighed"
    mass: float


@dataclass(frozen=True)
class Spooled(Event):
    """A segment of rope came off the drum of a winch, `way` "out", or went back onto it, "in"."""

    kind: ClassVar[str] = "spooled"
    way: str
