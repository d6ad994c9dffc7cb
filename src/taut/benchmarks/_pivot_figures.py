"""Figures of the pivoting benchmark."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.benchmarks._fill import largest_island, ordered_island
from taut.benchmarks._pivot_times import BASELINE, METHODS, REFACTOR, STARTS
from taut.benchmarks._sequences import Sequence
from taut.results.figures import COLOURS, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = list[dict[str, Any]]

COLUMNS, PATTERNS = 3, 6
"""Axes beside each other where there is one a sequence, and patterns of matrices beside each other."""


NARROWEST = 6.0
"""Inches that a sheet is wide at least, for its title and legend."""


def draw_shares(out: Path, sequences: list[Sequence]) -> None:
    """Share of rows at a bound, frame by frame.                                             [Lefebvre2020, Fig. 2.3]"""
    with sheet(out, "share of tight rows", rows_for(sequences), COLUMNS, (4.3, 2.4)) as axes:
        for each, sequence in zip(axes, sequences, strict=False):
            shares = 100 * np.array([frame.share for frame in sequence.frames])
            each.fill_between(range(len(shares)), shares, step="mid", color=COLOURS[0], alpha=0.25, linewidth=0)
            each.step(range(len(shares)), shares, where="mid", color=COLOURS[0])
            each.set(title=f"{sequence.name}, mean {shares.mean():.1f} %", ylim=(0, max(1.15 * shares.max(), 1.0)))
            each.set(xlabel="frame", ylabel="tight rows (%)")
        hide(axes[len(sequences) :])


def draw_times(out: Path, rows: Rows) -> None:
    """Mean processor time of a solve by sequence and method, cold and warm.                [Lefebvre2020, Table 2.3]"""
    names = list(dict.fromkeys(row["sequence"] for row in rows))
    measured = {row["method"] for row in rows}
    methods = [name for name in METHODS if name in measured]
    with sheet(
        out,
        "mean processor time of a solve, frames with tight rows",
        2,
        1,
        (max(1.0 + 1.1 * len(names), NARROWEST), 3.2),
    ) as axes:
        for each, start in zip(axes, STARTS, strict=True):
            width = 0.8 / len(methods)
            for place, method in enumerate(methods):
                own = {row["sequence"]: row for row in rows if (row["start"], row["method"]) == (start, method)}
                where = np.arange(len(names)) + (place - 0.5 * (len(methods) - 1)) * width
                times = [own[name]["cpu_ms"] for name in names]
                each.bar(where, times, 0.92 * width, color=colour_of(method), label=method)
                if method != BASELINE:
                    for x, name, height in zip(where, names, times, strict=True):
                        text = f"{own[name]['over_dense']:.3g}x"
                        each.annotate(
                            text, (x, height), (0, 2), textcoords="offset points", ha="center", rotation=90, fontsize=6
                        )
            each.set(yscale="log", ylabel="ms", title=f"{start} start; numbers: how many times faster than {BASELINE}")
            each.set_xticks(range(len(names)), names)
            each.margins(y=0.25)
            each.grid(axis="x", visible=False)
        axes[0].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def draw_break_even(out: Path, rows: Rows) -> None:
    """Speed-up of each method over factoring anew, against rows, a curve a share.         [Lefebvre2020, Fig. 2.4]"""
    measured = {row["method"] for row in rows}
    shown = [name for name in METHODS if name in measured - {BASELINE, REFACTOR}]
    panels = [(name, "over_dense", BASELINE) for name in (*shown, REFACTOR)]
    panels += [(name, "over_refactor", REFACTOR) for name in shown]
    lines = math.ceil(len(panels) / COLUMNS)
    with sheet(out, "random dense matrices, cold", lines, min(len(panels), COLUMNS)) as axes:
        for each, (method, column, base) in zip(axes, panels, strict=False):
            for place, share in enumerate(dict.fromkeys(row["tight_share"] for row in rows)):
                own = [row for row in rows if (row["method"], row["tight_share"]) == (method, share)]
                each.plot([row["rows"] for row in own], [row[column] for row in own], "o-", markersize=3,
                          color=COLOURS[place % len(COLOURS)], label=f"{100 * share:g} % tight")  # fmt: skip
            each.axhline(1.0, color="#666666", linewidth=0.8, linestyle="--")
            each.set(title=f"{method} over {base}", xlabel="rows", ylabel="times faster", xscale="log", ylim=(0, None))
            plain_ticks(each, [row["rows"] for row in rows])
        axes[0].legend(loc="best")
        hide(axes[len(panels) :])


def draw_factor_break_even(out: Path, rows: Rows, crossings: Rows) -> None:
    """Speed-up of taking rows out over a new factor, factors alone; and where it is 1.      [Lefebvre2020, Fig. 2.4]"""
    envelopes = list(dict.fromkeys(row["envelope"] for row in rows))
    shares = list(dict.fromkeys(row["tight_share"] for row in rows))
    sizes = [row["rows"] for row in rows]
    lines = rows_for([*envelopes, "crossing"])
    with sheet(out, "factors alone: rows taken out against a new factor", lines, COLUMNS) as axes:
        for each, envelope in zip(axes, envelopes, strict=False):
            for share, colour in zip(shares, COLOURS, strict=False):
                own = [row for row in rows if (row["envelope"], row["tight_share"]) == (envelope, share)]
                each.loglog([row["rows"] for row in own], [row["speed_up"] for row in own], "o-", markersize=3,
                            color=colour, label=f"{100 * share:g} % tight")  # fmt: skip
            each.axhline(1.0, color="#666666", linewidth=0.8, linestyle="--")
            each.set(title=envelope, xlabel="rows", ylabel="times faster")
            each.tick_params(which="minor", labelleft=False)
            plain_ticks(each, sizes)
        axes[min(len(envelopes), COLUMNS) - 1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        last = axes[len(envelopes)]
        for envelope, colour in zip(envelopes, COLOURS, strict=False):
            for column, style in (("cross", "o-"), ("cross_flops", ":")):
                own = [row for row in crossings if row["envelope"] == envelope and column in row]
                label = envelope if column == "cross" else None
                last.loglog([row["rows"] for row in own], [100 * row[column] for row in own], style, markersize=3,
                            color=colour, label=label)  # fmt: skip
        last.set(title="as fast as a new factor; dotted: equal flops", xlabel="rows", ylabel="tight rows (%)")
        plain_ticks(last, sizes)
        last.legend(loc="best")
        hide(axes[len(envelopes) + 1 :])


def draw_cache(out: Path, rows: Rows) -> None:
    """How much faster pivoting is with a cache, and its size, frame by frame.         [Lefebvre2020, Figs. 3.1, 3.2]"""
    names = list(dict.fromkeys(row["sequence"] for row in rows))
    caps = list(dict.fromkeys(row["cap_MiB"] for row in rows))
    with sheet(out, "factors kept by their tight rows", 2, max(len(names), 1), (3.6, 2.6)) as axes:
        for each, (column, name) in zip(axes, ((c, n) for c in ("speed_up", "MiB") for n in names), strict=False):
            for cap, colour in zip(caps, COLOURS, strict=False):
                own = [row for row in rows if (row["sequence"], row["cap_MiB"]) == (name, cap)]
                each.plot([row["frame"] for row in own], [row[column] for row in own], "o-", markersize=3,
                          color=colour, label=f"at most {cap} MiB")  # fmt: skip
            if column == "MiB":
                each.set(title=f"{name}, size", xlabel="frame", ylabel="MiB", yscale="log")
                each.tick_params(which="minor", labelleft=False)
            else:
                each.axhline(1.0, color="#666666", linewidth=0.8, linestyle="--")
                each.set(title=f"{name}, over bpp-downdate", xlabel="frame", ylabel="times faster", ylim=(0, None))
        axes[0].legend(loc="best")


def draw_fill(out: Path, sequences: list[Sequence]) -> None:
    """Pattern of A before and after ordering, with the envelope.                           [Lefebvre2020, Fig. 2.5]"""
    wide = min(len(sequences), PATTERNS)
    lines = 2 * math.ceil(len(sequences) / wide)
    with sheet(out, "pattern of A: as given (above) and ordered (below)", lines, wide, (2.3, 2.6)) as axes:
        hide(axes)
        for place, sequence in enumerate(sequences):
            above = axes[2 * wide * (place // wide) + place % wide :]
            given = largest_island(sequence.largest)
            draw_pattern(above[0], given)
            draw_pattern(above[wide], ordered_island(sequence.largest))
            above[0].set_title(f"{sequence.name}, {len(given)} rows")


def draw_pattern(axes: Axes, pattern: np.ndarray) -> None:
    """Entries dark, the rest of the envelope light."""
    size = len(pattern)
    row, column = np.indices(pattern.shape)
    first = pattern.argmax(axis=1)
    inside = (column >= first[:, None]) & (column <= row)
    shades = np.where(pattern, 2.0, np.where(inside | inside.T, 1.0, 0.0))
    from matplotlib.colors import ListedColormap

    axes.imshow(shades, cmap=ListedColormap(["white", "#cfe0ee", COLOURS[0]]), vmin=0, vmax=2, interpolation="none")
    axes.set(xticks=[0, size - 1], yticks=[0, size - 1], xticklabels=["1", str(size)], yticklabels=["1", str(size)])
    axes.grid(visible=False)
    axes.set_visible(True)
    axes.set_xlabel(f"envelope {100 * inside.sum() / (0.5 * size * (size + 1)):.0f} % of dense", fontsize=8)


def draw_growth(out: Path, rows: Rows) -> None:
    """Processor time of a solve over its factorisations against rows, and its exponent."""
    families = list(dict.fromkeys(row["family"] for row in rows))
    starts = list(dict.fromkeys(row["start"] for row in rows))
    with sheet(out, "processor time of a solve over its factorisations, by rows", len(starts), len(families)) as axes:
        for each, (start, family) in zip(axes, ((s, f) for s in starts for f in families), strict=True):
            own = [row for row in rows if (row["start"], row["family"]) == (start, family)]
            for method in METHODS:
                points = [row for row in own if row["method"] == method and "ms" in row]
                slope = [row["exponent"] for row in own if row["method"] == method and "exponent" in row]
                if points:
                    label = f"{method}, rows^{slope[0]:.2f}" if slope else method
                    each.loglog([row["rows"] for row in points], [row["each_ms"] for row in points], "o-", markersize=3,
                                color=colour_of(method), label=label)  # fmt: skip
            heading = "all rows free at the start" if start == "cold" else "started from the solution"
            each.set(title=f"{family}, {heading}", xlabel="rows", ylabel="ms")
            plain_ticks(each, [row["rows"] for row in own if "rows" in row])
            each.legend(loc="lower right")


def colour_of(method: str) -> str:
    """A method has the same colour in all figures."""
    return COLOURS[METHODS.index(method)]


def plain_ticks(axes: Axes, values: Iterable[int]) -> None:
    """Numbers of rows on a logarithmic axis as they are, not as powers of ten; those close to another are left out."""
    ticks: list[int] = []
    for value in sorted(set(values)):
        if not ticks or value > 1.3 * ticks[-1]:
            ticks.append(value)
    axes.set_xticks(ticks, [str(value) for value in ticks])
    axes.set_xticks([], minor=True)


def rows_for(things: list[Any]) -> int:
    """Lines of axes for so many things."""
    return max(math.ceil(len(things) / COLUMNS), 1)


def hide(axes: list[Axes]) -> None:
    """Leave room where nothing is left to draw."""
    for each in axes:
        each.set_visible(False)
