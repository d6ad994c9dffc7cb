"""Spoil what a frame leaves behind: whatever changed on the bench since it was made, the state's own arrays apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import taut

Table = dict[str, np.ndarray]
"""What arrays held when they were first seen, by the way that leads to them."""


def arrays_of(value: Any, path: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, np.ndarray]]:
    """Every array that can be reached from an object of ours, with the way that leads to it."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        yield path, value
        return
    if isinstance(value, dict):
        # the way must name the same thing in every frame: by order, for keys may be objects or bytes
        parts = [(str(place), part) for place, part in enumerate(value.values())]
    elif isinstance(value, list | tuple):
        parts = [(str(place), part) for place, part in enumerate(value)]
    elif type(value).__module__.startswith("taut"):
        parts = list(getattr(value, "__dict__", {}).items())
    else:
        return
    for name, part in parts:
        yield from arrays_of(part, f"{path}.{name}", seen)


def spoil(simulation: taut.Simulation, first: Table, value: float) -> list[str]:
    """Spoil whatever frames have written on the bench since it was first seen, and say in which arrays.

    What no frame has written, such as the inertia of the world, or what is only worked out once, is no leftover. Floats
    become `value`. Whole numbers change places and flags their sides, so that they are wrong and no index leads
    outside.
    """
    bench, kept = simulation.bench, [values for _, values in arrays_of(simulation.state)]
    bench.weights_key = None  # weights and entries are looked up by what they depend on
    bench.entries.clear()
    spoiled = []
    for path, values in list(arrays_of(bench)):
        written = differs(first.setdefault(path, values.copy()), values)
        shared = any(np.shares_memory(values, own) for own in kept)
        if shared or not written.any() or path.startswith(".latest_weights"):
            continue
        if values.dtype.kind == "f":
            values[written] = value
        else:
            values[...] = np.roll(values, 1) if values.dtype == np.int64 else values == 0
        spoiled.append(path)
    return spoiled


def differs(before: np.ndarray, now: np.ndarray) -> np.ndarray:
    """Flags of numbers that are others than before; all of them where the size is another."""
    if before.shape != now.shape:
        return np.ones(now.shape, bool)
    return (before != now) & ~((before != before) & (now != now))
