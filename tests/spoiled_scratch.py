"""Spoil what frames leave behind: all scratch, and whatever else they have written, the state's own arrays apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import taut
from taut.stepping.stepper import RowMemory, Stepper

Seen = dict[int, tuple[np.ndarray, np.ndarray]]
"""Arrays with what they held when they were first seen, by their identity."""

CONSTANT = ("entry_start", "entry_row", "entry_body")
"""Fields of scratch tables that are worked out with the rows and stay."""


def parts_of(value: Any) -> list[tuple[str, Any]]:
    """What an object of ours consists of, with names."""
    if isinstance(value, dict):
        return [(str(place), part) for place, part in enumerate(value.values())]
    if hasattr(value, "_asdict"):
        return list(value._asdict().items())
    if isinstance(value, list | tuple):
        return [(str(place), part) for place, part in enumerate(value)]
    return list(getattr(value, "__dict__", {}).items()) if type(value).__module__.startswith("taut") else []


def arrays_of(value: Any, path: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, np.ndarray]]:
    """Every array that can be reached from an object of ours, with the way that leads to it."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield path, value
        return
    for name, part in parts_of(value):
        yield from arrays_of(part, f"{path}.{name}", seen)


def steppers_of(stepper: Stepper) -> list[Stepper]:
    """A stepper and those of the parts that it keeps ready, and of theirs."""
    return [stepper, *(each for part in stepper.parts.values() for each in steppers_of(part.stepper))]


def scratch_of(stepper: Stepper) -> Iterator[tuple[str, np.ndarray]]:
    """Arrays that stages hand on to each other within a frame: every number in them is scratch."""
    memories: dict[str, RowMemory] = {"own": stepper.own, "latest": stepper.latest[1]}
    tables = {"scratch": stepper.scratch, "state": stepper.state, "readings": stepper.readings[:2]}
    for name, memory in memories.items():
        tables |= {f"{name}.rows": memory.rows, f"{name}.kkt": memory.kkt, f"{name}.answer": memory.answer}
    for name, table in tables.items():
        for path, values in arrays_of(table, f".{name}"):
            if path.rpartition(".")[2] not in CONSTANT:
                yield path, values


def spoil(simulation: taut.Simulation, first: Seen, value: float) -> set[str]:
    """Spoil what frames leave behind in a simulation, and say in which arrays.

    Scratch is filled: floats with `value`, whole numbers and flags with 1, or with 0 where the value is 0. Elsewhere,
    in the workspaces of solvers, of the collider and of compiled frames, what was written since it was first seen
    becomes `value`; whole numbers change places and flags their sides, so that they are wrong and no index leads
    outside. What no frame has written, or what is only worked out once, is no leftover.
    """
    state = [values for _, values in arrays_of(simulation.state)]
    spoiled, filled = set(), set()
    for stepper in steppers_of(simulation.stepper):
        for path, values in scratch_of(stepper):
            assert not any(np.shares_memory(values, own) for own in state), f"{path} is the state's own"
            values.fill(value if values.dtype.kind == "f" else value != 0.0)
            filled.add(id(values))
            spoiled.add(path)
    for path, values in list(arrays_of(simulation.stepper)):
        _, before = first.setdefault(id(values), (values, values.copy()))
        written = differs(before, values)
        if id(values) in filled or not written.any() or any(np.shares_memory(values, own) for own in state):
            continue
        if values.dtype.kind == "f":
            values[written] = value
        elif values.dtype.kind in "iub":
            other = np.roll(values, 1, axis=-1) if values.dtype == np.int64 else values == 0
            values[...] = np.where(written.any(axis=-1)[..., None], other, values)  # other lines may be worked out once
        spoiled.add(path)
    return spoiled


def differs(before: np.ndarray, now: np.ndarray) -> np.ndarray:
    """Flags of numbers that are others than before."""
    return (before != now) & ~((before != before) & (now != now))
