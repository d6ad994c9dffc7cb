"""Factors that are kept by their tight rows                        [Lefebvre2020, ch. 3, Table 3.1, Figs. 3.1, 3.2].

Entries and bytes are those at the end of an island, entries summed over islands, bytes of the largest, as the room of
one is used for the next. A hit is a set with tight rows that was known as it is. Times are of `bpp-cached` and of
`bpp-downdate`, both from all rows free; rooms are written to before what is timed. The thesis' numbers are beside
sequences of the same kind. They are not the same scenes, and its loop may take 35 pivots.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut import solvers
from taut.benchmarks._pivot_times import time_frame
from taut.benchmarks._sequences import Frame, Sequence
from taut.benchmarks._watched import pivot_watched, scaled_entries
from taut.linalg.cached import ASKED, BYTES, EVICTED, HITS, RESTORED, SAVED, CachedFactor
from taut.problem.mlcp import MlcpProblem
from taut.solvers.block_pivoting_downdated import MEBIBYTE, BlockPivotingCached
from taut.structure.symbolic import natural_structure

THESIS = {
    "chain_wrap": (528.9, 272.5),
    "chain_drop": (528.9, 272.5),
    "forklift": (162.0, 115.6),
    "log_tower": (829.9, 3100.5),
    "falling_boxes": (333.9, 1351.9),
}
"""Sequences that are measured: mean rows and mean entries of the thesis' chain, forklift, log tower, stack of boxes."""

MOST_ROUNDS = 2
"""Rounds of timing: a solve that copies a gigabyte takes a while."""


class CacheUse:
    """What a cache of at most `room` bytes holds after the solve of a problem, and how it was used.

    Attributes:
        entries: left at the end, of all islands.
        size: most bytes of any island.
        hits: sets with tight rows that were known.
    """

    def __init__(self, problem: MlcpProblem, room: int) -> None:
        symbolic = natural_structure(problem.pattern)
        self.cache = CachedFactor.of(symbolic, room)
        self.cache.base.plain.entries[:] = scaled_entries(problem, symbolic)
        self.size, self.hits, self.known = 0, 0, 0
        pivot_watched(problem, symbolic, self.cache, self.note_hit, self.note_size)
        self.entries = self.count(SAVED) - self.count(EVICTED)

    def count(self, which: int) -> int:
        """One of the `counts` of the cache."""
        return int(self.cache.counts[which])

    def note_hit(self, begin: int, end: int, labels: np.ndarray) -> None:
        """Count what the cache knew; it knows the set without tight rows at any time."""
        known = self.count(HITS)
        self.hits += known - self.known if labels[begin:end].any() else 0
        self.known = known

    def note_size(self) -> None:
        """See how large the cache is at the end of an island."""
        self.size = max(self.size, self.count(BYTES))

    def row(self) -> dict[str, Any]:
        """As columns of a table."""
        return {
            "entries": self.entries, "MiB": self.size / MEBIBYTE, "asked": self.count(ASKED), "hits": self.hits,
            "restored": self.count(RESTORED), "saved": self.count(SAVED), "evicted": self.count(EVICTED),
        }  # fmt: skip


def cache_frame_rows(sequences: list[Sequence], caps: tuple[int, ...], most: int, rounds: int) -> list[dict[str, Any]]:
    """One line a sequence, most mebibytes and frame, of frames with tight rows."""
    return [
        {"sequence": sequence.name, "cap_MiB": cap, "frame": sequence.frames.index(frame)}
        | measure(frame, cap, min(rounds, MOST_ROUNDS))
        for sequence in sequences if sequence.name in THESIS
        for cap in caps
        for frame in sequence.with_tight_rows(most)
    ]  # fmt: skip


def measure(frame: Frame, cap: int, rounds: int) -> dict[str, Any]:
    """How a cache is used in a frame, and times with it and without."""
    cached = BlockPivotingCached(cache_mebibytes=cap)
    plain, own = time_frame([solvers.get("bpp-downdate"), cached], frame.problem, None, rounds)
    line = {"rows": frame.problem.size} | CacheUse(frame.problem, cap * MEBIBYTE).row()
    return line | {"plain_ms": 1e3 * plain["cpu"], "cached_ms": 1e3 * own["cpu"], "speed_up": plain["cpu"] / own["cpu"]}


def cache_rows(frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One line a sequence and most mebibytes, from those of frames: means, the largest size, and sums of counts."""
    found = []
    for name, cap in dict.fromkeys((row["sequence"], row["cap_MiB"]) for row in frames):
        own = [row for row in frames if (row["sequence"], row["cap_MiB"]) == (name, cap)]
        line = {"sequence": name, "cap_MiB": cap, "frames": len(own)}
        line |= {key: float(np.mean([row[key] for row in own])) for key in ("rows", "entries", "MiB")}
        line["MiB_max"] = max(row["MiB"] for row in own)
        line |= {key: sum(row[key] for row in own) for key in ("asked", "hits", "restored", "saved", "evicted")}
        line |= {key: float(np.mean([row[key] for row in own])) for key in ("plain_ms", "cached_ms")}
        line["speed_up"] = line["plain_ms"] / line["cached_ms"]
        found.append(line | {"thesis_rows": THESIS[name][0], "thesis_entries": THESIS[name][1]})
    return found
