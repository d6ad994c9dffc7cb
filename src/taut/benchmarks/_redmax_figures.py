"""Times, iterations and choices against degrees of freedom, drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from taut.benchmarks._redmax_cases import CASES
from taut.results.figures import COLOURS, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOUR = dict(zip(("pcg", "direct", "auto"), COLOURS, strict=False))
STYLE = {"pcg": "-", "direct": "-", "auto": ":"}

Tables = dict[str, list[dict[str, Any]]]


def draw_redmax(out: Path, tables: Tables) -> None:
    """One axes a scene, then iterations, how good choices are, threads, cars and chains."""
    with sheet(out, "springs across trees: iterations and factors", 3, 4, (4.2, 3.2)) as axes:
        for each, case in zip(axes, CASES, strict=False):
            draw_times(each, case.name, tables)
        draw_iterations(axes[7], tables["frame"])
        draw_choices(axes[8], tables)
        draw_threads(axes[9], tables["threads"])
        draw_weights(axes[10], tables["weight"])
        draw_chain(axes[11], tables["chain"])


def of_case(rows: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """The rows of one scene."""
    return [row for row in rows if row["case"] == name]


def draw_times(axes: Axes, name: str, tables: Tables) -> None:
    """Solves, and whole frames above them."""
    for part, width, marker in (("solve", 1.4, "o"), ("frame", 0.7, None)):
        rows = of_case(tables[part], name)
        for method, colour in COLOUR.items():
            known = [row for row in rows if f"{method}_ms" in row]
            if known:
                axes.plot(
                    [row["dofs"] for row in known], [row[f"{method}_ms"] for row in known], color=colour,
                    linestyle=STYLE[method], linewidth=width, marker=marker, markersize=3,
                    label=f"{method}, {part}" if method != "auto" else None,
                )  # fmt: skip
    growth = [row for row in of_case(tables["growth"], name) if row["what"] == "solve" and "pcg" in row]
    if growth:
        slopes = f"dofs^{growth[0]['pcg']:.2f} and ^{growth[0]['direct']:.2f}"
        axes.text(0.98, 0.03, f"solves: {slopes}", transform=axes.transAxes, ha="right", fontsize=8)
    axes.set(title=name, xlabel="degrees of freedom", ylabel="ms of processor time")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.legend(loc="upper left")


def draw_iterations(axes: Axes, rows: list[dict[str, Any]]) -> None:
    """Iterations of conjugate gradients a right-hand side."""
    for case, colour in zip(CASES, COLOURS, strict=False):
        own = of_case(rows, case.name)
        axes.plot(
            [row["dofs"] for row in own], [row["iterations"] for row in own], "o-", color=colour, markersize=3,
            label=case.name,
        )  # fmt: skip
    axes.set(title="iterations", xlabel="degrees of freedom", ylabel="a right-hand side, to 1e-12", ylim=(0, None))
    axes.set_xscale("log", base=2)
    axes.legend(fontsize=6, ncols=2)


def draw_choices(axes: Axes, tables: Tables) -> None:
    """Time of "auto" over that of the better method."""
    for case, colour in zip(CASES, COLOURS, strict=False):
        for part, style in (("solve", "-"), ("frame", ":")):
            own = [row for row in of_case(tables[part], case.name) if "auto_over_better" in row]
            dofs, ratio = [row["dofs"] for row in own], [row["auto_over_better"] for row in own]
            axes.plot(dofs, ratio, style, color=colour, marker="o", markersize=2.5)
    axes.axhline(1.15, color="#888888", linestyle="--", linewidth=0.8)
    title = '"auto" over the better (colours as before; dotted: frames)'
    axes.set(title=title, xlabel="degrees of freedom", ylabel="ratio of times")
    axes.set_xscale("log", base=2)


def draw_threads(axes: Axes, rows: list[dict[str, Any]]) -> None:
    """How many times faster two threads are than one."""
    cases = sorted({(row["case"], row["method"]) for row in rows})
    for (case, method), colour in zip(cases, COLOURS, strict=False):
        own = [row for row in of_case(rows, case) if row["method"] == method]
        axes.plot(
            [row["dofs"] for row in own], [row["faster"] for row in own], "o-", color=colour, markersize=3,
            label=f"{case}, {method}",
        )  # fmt: skip
    axes.set(title="two threads over one", xlabel="degrees of freedom", ylabel="times faster", ylim=(0, 3))
    axes.set_xscale("log", base=2)
    axes.legend(loc="upper right", fontsize=7)


def draw_weights(axes: Axes, rows: list[dict[str, Any]]) -> None:
    """Solves and frames of the flexible bridge under cars of many weights."""
    names = [row["case"].removesuffix(" car") for row in rows]
    for method in ("pcg", "direct"):
        for part, style in (("solve", "o-"), ("frame", "o:")):
            values = [row[f"{part}_{method}_ms"] for row in rows]
            axes.plot(names, values, style, color=COLOUR[method], markersize=3, label=f"{method}, {part}")
    dofs = rows[0]["dofs"]
    axes.set(title=f"flexible bridge, {dofs} dofs, by weight of car", ylabel="ms of processor time", ylim=(0, None))
    axes.legend(loc="lower left", ncols=2)


def draw_chain(axes: Axes, rows: list[dict[str, Any]]) -> None:
    """Time a link of chains without springs."""
    own = [row for row in rows if row["links"] != "exponent"]
    for part, colour in zip(("solve", "frame"), COLOURS, strict=False):
        values = [row[f"{part}_us_per_link"] for row in own]
        axes.plot([row["links"] for row in own], values, "o-", color=colour, markersize=3, label=part)
    axes.set(title="chain without springs", xlabel="links", ylabel="us a link", ylim=(0, None), xscale="log")
    axes.legend()
