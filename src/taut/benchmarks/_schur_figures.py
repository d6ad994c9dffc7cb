"""Figures of the substructuring benchmark."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.results.figures import COLOURS, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = list[dict[str, Any]]

COLUMNS = 3
"""Axes beside each other where there is one a scene."""
FLOOR = 1e-17
"""What a residual of 0 is drawn as."""


def names_of(rows: Rows, column: str) -> list[Any]:
    """What a column holds, each once, in order."""
    return list(dict.fromkeys(row[column] for row in rows))


def by_scene(rows: Rows, axes: Iterable[Axes]) -> Iterable[tuple[str, Rows, Axes]]:
    """Scenes with their rows and an axes; axes that are left are hidden."""
    left = iter(axes)
    for scene in names_of(rows, "scene"):
        each = next(left)
        each.set_title(scene)
        yield scene, [row for row in rows if row["scene"] == scene], each
    for each in left:
        each.set_visible(False)


def lines_for(rows: Rows) -> tuple[int, int]:
    """Lines and columns of axes, one a scene."""
    scenes = len(names_of(rows, "scene"))
    return math.ceil(scenes / COLUMNS), min(scenes, COLUMNS)


def draw_times(out: Path, rows: Rows) -> None:
    """Mean processor time of a solve by solver; numbers: over the sparse baseline.           [Peiret2019, Table 3]"""
    with sheet(out, "processor time of a solve; numbers: times faster than bpp-simplicial", *lines_for(rows),
               (5.0, 3.6)) as axes:  # fmt: skip
        for _, own, each in by_scene(rows, axes):
            place = np.arange(len(own))[::-1]
            colours = [COLOURS[1] if row["solver"].startswith("schur") else COLOURS[0] for row in own]
            each.barh(place, [row["cpu_ms"] for row in own], 0.7, color=colours)
            for y, row in zip(place, own, strict=True):
                each.annotate(f" {row['over_sparse']:.3g}x", (row["cpu_ms"], y), va="center", fontsize=7)
            each.set(xscale="log", xlabel="ms")
            each.set_yticks(place, [row["solver"] for row in own], fontsize=7)
            each.margins(x=0.15)
            each.grid(axis="y", visible=False)


def draw_residuals(out: Path, rows: Rows) -> None:
    """Scaled natural residual of every frame.                                                  [Peiret2019, Fig. 8]"""
    with sheet(out, "residual of every frame", *lines_for(rows)) as axes:
        for _, own, each in by_scene(rows, axes):
            solvers = [name for name in names_of(own, "solver") if "," not in name]
            for number, name in enumerate(solvers):
                line = [row for row in own if row["solver"] == name and row["residual"] != "infinite"]
                each.semilogy([row["frame"] for row in line], [max(row["residual"], FLOOR) for row in line],
                              "-" if number < len(COLOURS) else "--", color=COLOURS[number % len(COLOURS)], label=name,
                              linewidth=0.9)  # fmt: skip
            each.set(xlabel="frame", ylabel="residual")
        axes[0].legend(loc="best", fontsize=6, ncols=2)


def draw_sizes(out: Path, rows: Rows) -> None:
    """Mean time of a solve by bodies of a part; dashed: with the size that is chosen.         [Peiret2019, Table 4]"""
    with sheet(out, "processor time of a solve by bodies of a part", *lines_for(rows)) as axes:
        for _, own, each in by_scene(rows, axes):
            for name, colour in zip(names_of(own, "solver"), COLOURS, strict=False):
                line = [row for row in own if row["solver"] == name]
                sized = [row for row in line if row["bodies"] != "chosen"]
                each.loglog([row["bodies"] for row in sized], [row["cpu_ms"] for row in sized], "o-", markersize=3,
                            color=colour, label=name)  # fmt: skip
                for row in line:
                    if row["bodies"] == "chosen":
                        each.axhline(row["cpu_ms"], color=colour, linestyle="--", linewidth=0.8)
            each.set_xticks(names_of(sized, "bodies"), [str(size) for size in names_of(sized, "bodies")])
            each.tick_params(which="minor", labelbottom=False, labelleft=False)
            each.set(xlabel="bodies of a part", ylabel="ms")
        axes[0].legend(loc="best")


def draw_starts(out: Path, rows: Rows) -> None:
    """Time of every frame, cold and warm, in one thread and on all cores.                     [Peiret2019, Fig. 9]"""
    with sheet(out, "time of a solve by the clock", 1, 1, (8.6, 3.6)) as (axes,):
        ways = list(dict.fromkeys((row["solver"], row["start"]) for row in rows))
        for way, colour in zip(ways, COLOURS, strict=False):
            line = [row for row in rows if (row["solver"], row["start"]) == way]
            axes.semilogy([row["frame"] for row in line], [row["wall_ms"] for row in line], color=colour,
                          label=", ".join(way))  # fmt: skip
        axes.set(xlabel="frame", ylabel="ms")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


def draw_strong(out: Path, rows: Rows) -> None:
    """Speed-up by threads: dots are measured, lines are the model's.                          [Peiret2019, Fig. 12]"""
    with sheet(out, "speed-up by threads; dots measured, lines modelled", 1, 1, (5.6, 4.0)) as (axes,):
        threads = sorted({row["threads"] for row in rows})
        axes.plot(threads, threads, color="#888888", linestyle=":", label="ideal")
        for scene, colour in zip(names_of(rows, "scene"), COLOURS, strict=False):
            own = [row for row in rows if row["scene"] == scene]
            axes.plot(threads, [row["model_speed_up"] for row in own], color=colour, label=scene)
            done = [row for row in own if "speed_up" in row]
            axes.plot([row["threads"] for row in done], [row["speed_up"] for row in done], "o", color=colour)
        axes.set(xlabel="threads", ylabel="times faster than one", xscale="log", yscale="log")
        axes.set_xticks(threads, [str(each) for each in threads])
        axes.tick_params(which="minor", labelbottom=False, labelleft=False)
        axes.legend(loc="best")


def draw_weak(out: Path, rows: Rows) -> None:
    """Time of scenes that grow with the threads: dots are measured, lines the model's.        [Peiret2019, Fig. 13]"""
    scenes = names_of(rows, "scene")
    with sheet(out, "scenes that grow with the threads; dots measured, lines modelled", 1, len(scenes)) as axes:
        for scene, own, each in by_scene(rows, axes):
            threads = [row["threads"] for row in own]
            each.loglog(threads, [row["one_thread_ms"] for row in own], "o--", color=COLOURS[0], label="one thread")
            each.loglog(threads, [row["model_ms"] for row in own], color=COLOURS[1], label="as many threads, modelled")
            done = [row for row in own if "measured_ms" in row]
            each.plot([row["threads"] for row in done], [row["measured_ms"] for row in done], "o", color=COLOURS[1])
            each.set(xlabel=f"size and threads, {scene}", ylabel="ms")
            each.set_xticks(threads, [str(number) for number in threads])
            each.tick_params(which="minor", labelbottom=False, labelleft=False)
            each.legend(loc="best")
