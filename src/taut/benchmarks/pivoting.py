"""Ways to factor inside block pivoting, on problems of scenes as they run [Lefebvre2020, chapter 2].

All methods that exist solve the same problems from the same starts in turn; a time is the median over rounds, and the
mean over frames with tight rows. "cold" starts with all rows free, as in the thesis; "warm" from the frame before, as
the engine does. Ratios are of processor times, in one thread: `over_dense` and `over_refactor` say how many times
faster a method is than a full dense factor at every pivot and than a skyline factor at every pivot; `thesis` is what it
measured of `over_dense` on its own builds of these scenes. That is no like for like: `bpp-dense` is run by Python, and
asks an interior point for help after 6 pivots, the others after 12 or, warm, 8, the thesis none in 35. `interior`
counts the frames in which a method did so. An interior point is no factor at a pivot, and that of `bpp-dense` is slow,
so `over_dense` is too large where it helps: `unaided` counts the frames in which no method needs it, and
`unaided_over_dense` is of these alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taut.benchmarks import _pivot_figures as figures
from taut.benchmarks._cache import cache_frame_rows, cache_rows
from taut.benchmarks._cost_model import cost_rows
from taut.benchmarks._downdate_error import error_rows
from taut.benchmarks._factor_break_even import crossing_rows, factor_break_even_rows
from taut.benchmarks._factor_speed import speed_rows
from taut.benchmarks._fill import fill_row
from taut.benchmarks._pivot_growth import break_even_rows, growth_rows
from taut.benchmarks._pivot_times import time_rows
from taut.benchmarks._sequences import (
    QUICK_RECORDED,
    RECORDED,
    Recorded,
    Sequence,
    of_folder,
    recorded_sequences,
)
from taut.benchmarks._tables import make_folder, write_table
from taut.problem.families import chain_like, pile_like

OUT = Path("build/bench/pivoting")
"""Where tables and figures go unless told otherwise."""


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        frames: of a sequence that are timed, at most.
        compared: frames whose factors are compared with new ones, at most.
        predicted: frames whose factors are timed to see whether their costs are predicted.
        rounds: repeats of each solve.
        caps: most mebibytes of caches.
        recorded: scenes that are run.
        growth: rows of chains and piles.
        break_even: rows of random matrices.
        shares: of their rows that are tight.
        factor_sizes, factor_widths, factor_shares: rows and widths of envelopes whose factors are compared, and shares
            of rows that are tight.
    """

    frames: int
    compared: int
    predicted: int
    rounds: int
    caps: tuple[int, ...]
    recorded: dict[str, Recorded]
    growth: tuple[int, ...]
    break_even: tuple[int, ...]
    shares: tuple[float, ...]
    factor_sizes: tuple[int, ...]
    factor_widths: tuple[int, ...]
    factor_shares: tuple[float, ...]


FULL = Effort(
    frames=20, compared=1000, predicted=6, rounds=7, caps=(2048, 256, 16), recorded=RECORDED,
    growth=(250, 500, 1000, 2000, 5000), break_even=(50, 100, 200, 400, 800), shares=(0.01, 0.05, 0.1, 0.15, 0.25),
    factor_sizes=(250, 500, 1000, 2000, 3000), factor_widths=(30, 100, 200),
    factor_shares=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25),
)  # fmt: skip
QUICK = Effort(
    frames=3, compared=3, predicted=1, rounds=1, caps=(64, 1), recorded=QUICK_RECORDED, growth=(60, 120),
    break_even=(20, 40), shares=(0.05, 0.2), factor_sizes=(60, 120), factor_widths=(10,), factor_shares=(0.02, 0.5),
)  # fmt: skip


def run(quick: bool = False, out: Path = OUT, problems: Path | None = None) -> list[dict[str, Any]]:
    """Measure, and write tables and figures.

    Args:
        quick: everything once on small sizes, to see that it works.
        out: folder for CSV and PNG files.
        problems: folder of problems that `taut run --dump-problems` wrote, to be measured as well.
    """
    effort = QUICK if quick else FULL
    make_folder(out)  # now, not after minutes of measuring
    sequences = recorded_sequences(effort.recorded)
    if problems is not None:
        sequences.append(of_folder(problems))
    cached = cache_frame_rows(sequences, effort.caps, effort.frames, effort.rounds)
    factors = factor_break_even_rows(effort.factor_sizes, effort.factor_widths, effort.factor_shares, effort.rounds)
    tables: dict[str, list[dict[str, Any]]] = {
        "sequences": [sequence.row() for sequence in sequences],
        "times": [row for sequence in sequences for row in time_rows(sequence, effort.frames, effort.rounds)],
        "downdate error": [row for sequence in sequences for row in error_rows(sequence, effort.compared)],
        "cache": cache_rows(cached),
        "break-even": break_even_rows(effort.break_even, effort.shares, effort.rounds),
        "factor break-even": factors,
        "factor crossing": crossing_rows(factors),
        "fill": [fill_row(sequence) for sequence in sequences],
        "growth": growth_rows(effort.growth, effort.rounds),
        "factor speed": speed_rows(speed_cases(sequences, effort), effort.rounds),
        "cost model": cost_rows(sequences, effort.predicted, effort.rounds),
    }
    for name, rows in tables.items():
        write_table(out / f"{file_name(name)}.csv", rows)
    write_table(out / "shares.csv", share_rows(sequences))
    write_table(out / "cache-frames.csv", cached)
    draw(out, sequences, tables)
    figures.draw_cache(out / "cache.png", cached)
    return [{"part": name} | row for name, rows in tables.items() for row in rows]


def share_rows(sequences: list[Sequence]) -> list[dict[str, Any]]:
    """Share of tight rows of every frame; too long to print."""
    return [
        {"sequence": sequence.name, "frame": number, "rows": frame.problem.size, "tight_share": frame.share}
        for sequence in sequences
        for number, frame in enumerate(sequence.frames)
    ]


def speed_cases(sequences: list[Sequence], effort: Effort) -> dict[str, Any]:
    """Problems whose factors are measured: the largest of each sequence, and the largest chain and pile."""
    cases = {sequence.name: sequence.largest for sequence in sequences}
    families: dict[str, Callable[[int], Any]] = {"chain-like": chain_like, "pile-like": pile_like}
    return cases | {name: make(effort.growth[-1]) for name, make in families.items()}


def draw(out: Path, sequences: list[Sequence], tables: dict[str, list[dict[str, Any]]]) -> None:
    """Write the figures."""
    figures.draw_shares(out / "shares.png", sequences)
    figures.draw_times(out / "times.png", tables["times"])
    figures.draw_break_even(out / "break-even.png", tables["break-even"])
    figures.draw_factor_break_even(
        out / "factor-break-even.png", tables["factor break-even"], tables["factor crossing"]
    )
    figures.draw_fill(out / "fill.png", sequences)
    figures.draw_growth(out / "growth.png", tables["growth"])


def file_name(table: str) -> str:
    """Name of a table's file."""
    return table.replace(" ", "-")
