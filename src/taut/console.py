"""What the command line shows: tables on stdout, progress and notes on stderr."""

from __future__ import annotations

import gc
import json
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

PLAIN_WIDTH = 140
"""Columns of a table that goes to a file or a pipe."""

BAR_SECONDS = 1.0
"""Between two looks at how far compiling has got, on a terminal."""

LINE_SECONDS = 5.0
"""Between two lines that say so in a log."""

output = Console(width=None if Console().is_terminal else PLAIN_WIDTH)
notes = Console(stderr=True)


def print_json(value: Any) -> None:
    """Print one JSON value on stdout and nothing else."""
    print(json.dumps(value, indent=2, allow_nan=False))


def print_rows(title: str, rows: list[dict[str, Any]]) -> None:
    """Print flat objects as a table, numbers aligned to the right."""
    table = Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    for name in columns:
        numeric = all(isinstance(row.get(name), int | float | None) for row in rows)
        table.add_column(name, justify="right" if numeric else "left")
    for row in rows:
        table.add_row(*(_shown(row.get(name)) for name in columns))
    output.print(table)


def print_summaries(title: str, summaries: list[dict[str, Any]]) -> None:
    """Print runs side by side: one line a quantity, one column a run."""
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("", style="bold")
    for summary in summaries:
        table.add_column(summary["solver"], justify="right")
    lines = SUMMARY_LINES | (CONTACT_LINES if any(summary["contacts_max"] for summary in summaries) else {})
    for label, quantity in lines.items():
        table.add_row(label, *map(quantity, summaries))
    table.add_row("status", *(_coloured(summary["status"]) for summary in summaries))
    output.print(table)


def _finite(value: float | None, unit: str = "") -> str:
    return "not finite" if value is None else _shown(value) + unit


def _stages(summary: dict[str, Any]) -> str:
    busy = {name: value for name, value in summary["stages_ms"].items() if value >= 0.0005}
    return "\n".join(f"{name} {value:.3f}" for name, value in busy.items())


def _drift(summary: dict[str, Any]) -> str:
    drift = summary["energy_drift"]
    return "-" if drift is None else f"{100 * drift:+.4f} %"


SUMMARY_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "bodies": lambda run: str(run["bodies"]),
    "rows (mean / max)": lambda run: f"{run['rows_mean']:.0f} / {run['rows_max']}",
    "tight rows (mean)": lambda run: _shown(run["tight_mean"]),
    "steps": lambda run: f"{run['steps']} x {1e3 * run['step']:.3f} ms",
    "residual (max)": lambda run: _finite(run["residual_max"]),
    "unconverged steps": lambda run: str(run["unconverged_steps"]),
    "violation (max)": lambda run: _finite(run["violation_max"], " m"),
    "energy (first)": lambda run: _finite(run["energy_first"], " J"),
    "energy (last)": lambda run: _finite(run["energy_last"], " J"),
    "energy drift": _drift,
    "solves a step (mean / max)": lambda run: f"{run['solves_mean']:.2f} / {run['solves_max']}",
    "pivots a step (mean)": lambda run: _shown(run["pivots_mean"]),
    "parts of a step (max)": lambda run: str(run["substeps_max"]),
    "step time (median)": lambda run: f"{run['step_ms_median']:.3f} ms",
    "step time (max)": lambda run: f"{run['step_ms_max']:.3f} ms",
    "  by stage (median, ms)": _stages,
}
"""Lines of the summary table: label -> text of the quantity in a run's summary."""


CONTACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "contacts (mean / max)": lambda run: f"{run['contacts_mean']:.0f} / {run['contacts_max']}",
    "penetration (max)": lambda run: _finite(run["penetration_max"], " m"),
    "friction residual (max)": lambda run: _finite(run["friction_residual_max"]),
    "flicker (share of contacts)": lambda run: f"{100 * run['flicker_mean']:.2f} %",
    "tight rows (share)": lambda run: f"{100 * run['tight_share_mean']:.1f} %",
    "pivots a step (max)": lambda run: str(run["pivots_max"]),
    "slowest step": lambda run: f"{run['worst_frame']['index']:.0f}: {run['worst_frame']['ms']:.3f} ms",
}
"""Further lines where bodies touch."""


@contextmanager
def progress(label: str, quiet: bool = False) -> Iterator[Callable[[float, str], None]]:
    """A progress bar on stderr; yields a function of (share done, detail). It is drawn only on a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    hidden = quiet or not notes.is_terminal
    detail = TextColumn("{task.fields[detail]}", style="dim")
    with Progress(*columns, TimeElapsedColumn(), detail, console=notes, transient=True, disable=hidden) as bar:
        task = bar.add_task(label, total=1.0, detail="")
        yield lambda share, text: bar.update(task, completed=share, detail=text)


@contextmanager
def now_and_then(tell: Callable[[], None], seconds: float) -> Iterator[None]:
    """Call a function at once, and from a thread every so many seconds while something takes long."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            tell()

    tell()
    thread = threading.Thread(target=repeat, name="taut-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def without_long_pauses() -> Iterator[None]:
    """What is there is not searched for garbage meanwhile: a full search takes 0.1 s in the midst of a frame."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def stop_between_steps() -> Iterator[Callable[[], None]]:
    """Yields a function to call after every step, which raises KeyboardInterrupt there if Ctrl-C was pressed.

    Raised wherever it happens to arrive, an interrupt could cut a frame in half, or get lost in a callback of the
    garbage collector. A second Ctrl-C does not wait for the end of the step.
    """
    pressed = False

    def note(*_: Any) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    def check() -> None:
        if pressed:
            raise KeyboardInterrupt

    previous = signal.signal(signal.SIGINT, note)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, previous)


CONTACT_KERNELS = (
    "taut.collide", "taut.contact", "taut.stepping.sleep_kernels", "taut.solvers.body_space", "taut.linalg.body_",
    "taut.structure.body_",
)  # fmt: skip
"""Beginnings of the kernel modules that scenes without contact do not use."""


SOLVER_KERNELS = {
    ("auto", "linear-time"): ("taut.linalg.block_ldl", "taut.solvers.tree"),
    ("bpp-downdate", "bpp-skyline", "bpp-cached"): (
        "taut.linalg.cached_factor",
        "taut.solvers.block_pivoting_downdated",
    ),
    ("pgs",): ("taut.solvers.projected_gauss_seidel",),
    ("schur-bpp", "schur-pgs-sm"): (
        "taut.linalg.torn",
        "taut.solvers.part_coupling",
        "taut.structure.partition",
        "taut.structure.tearing",
    ),
}
"""The same of the modules that only solvers of these names use."""


REDUCED_KERNELS = ("taut.linalg.articulated", "taut.responses.articulated", "taut.stepping.smooth_reduced_kernels")
"""The same of the modules that only joint coordinates use."""


THESIS_KERNELS = ("taut.stepping.redmax",)
"""The same of the modules that only the integrator "redmax" uses."""


AUGMENTED_KERNELS = ("taut.linalg.augmented", "taut.structure.shallow_order")
"""The same of the modules that no run uses, only who asks for a factor that is augmented."""


PICTURE_KERNELS = ("taut.view",)
"""The same of the modules that only pictures and films need."""


def compile_kernels(
    force: bool = False,
    touching: bool = True,
    solvers: Sequence[str] | None = None,
    pictures: bool = False,
    reduced: bool = True,
    integrators: Sequence[str] | None = None,
) -> float | None:
    """Compile the kernels unless that has been done; seconds it took, None if there was no need.

    How far it has got is a bar on a terminal, and a line every few seconds in a log.

    Without `touching` those that only contacts need are left for later, with `solvers` and `integrators` those that
    only others need, without `pictures` those that draw, and without `reduced` those of joint coordinates.
    """
    from taut import kernel

    without: tuple[str, ...] = () if touching else CONTACT_KERNELS
    if solvers is not None:
        without += AUGMENTED_KERNELS
        for names, modules in SOLVER_KERNELS.items():
            without += modules if set(names).isdisjoint(solvers) else ()
    if not pictures:
        without += PICTURE_KERNELS
    if not reduced:
        without += REDUCED_KERNELS
    if integrators is not None and "redmax" not in integrators:
        without += THESIS_KERNELS
    if not force and (kernel.is_warm(without) or kernel.cache_folder() is None):
        return None
    start = time.perf_counter()
    with progress("compiling kernels") as update:

        def tell() -> None:
            done, total = kernel.compiled(without)
            update(done / max(total, 1), f"{done} of {total}")
            if not notes.is_terminal:
                seconds = time.perf_counter() - start
                print(f"compiling kernels: {done} of {total} after {seconds:.0f} s", file=sys.stderr, flush=True)

        with now_and_then(tell, BAR_SECONDS if notes.is_terminal else LINE_SECONDS):
            kernel.warm_up(without)
    return time.perf_counter() - start


def announce_kernels(module: str) -> None:
    """Say that kernels will be compiled, for commands that need only those of one module, unless they have been."""
    from taut import kernel

    if not all(kernel.is_compiled(file) for file in kernel.kernel_files() if kernel.module_name(file) == module):
        notes.print(f"compiling the kernels of {module}, once for this version of Taut ...")


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return str(value)
    if value == 0 or 1e-2 <= abs(value) < 1e5:
        return f"{value:.4g}" if abs(value) < 1e3 else f"{value:.1f}"
    return f"{value:.2e}"


def _coloured(status: str) -> str:
    return f"[{'green' if status == 'ok' else 'red'}]{status}[/]"
