"""Figures of recordings: what a run did, and what several solvers make of the same scene (needs the extra ``plot``)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.results.figures import COLOURS, sheet
from taut.results.record import Recording
from taut.results.report import STAGES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIGHT: dict[str, Any] = {"columnspacing": 0.8, "handlelength": 0.9, "handletextpad": 0.4, "frameon": True}
SNAPSHOTS = 7
"""Instants drawn in the side view."""

EXPLODED = 1e6
"""Largest value on a logarithmic axis: what has exploded need not be told how far."""

EXACT_RESIDUAL = 1e-9
"""Scaled residual that an exact solver promises."""


def plot_recording(recording: Recording, out: str | Path) -> Path:
    """Draw energy, violation, residual, solves, time by stage and a side view over time; returns the file."""
    with sheet(out, f"{recording.info.scene}, {recording.info.solver}, {recording.info.integrator}") as axes:
        _energy(axes[0], recording)
        _errors(axes[1], recording)
        _logarithmic(axes[2], recording.time[1:], recording.residual[1:], "scaled residual (-)")
        _certificate(axes[2], recording)
        _side_view(axes[3], recording)
        _stages(axes[4], recording)
        _work(axes[5], recording)
    return Path(out)


def plot_comparison(recordings: Mapping[str, Recording], out: str | Path) -> Path:
    """Draw several runs of one scene in common axes, one colour a solver; returns the file.

    Args:
        recordings: solver name -> recording.
        out: picture to write.
    """
    first = next(iter(recordings.values()))
    frame = _last_frame_in_view(list(recordings.values()))
    with sheet(out, f"{first.info.scene}: {', '.join(recordings)}") as axes:
        for place, (solver, recording) in enumerate(recordings.items()):
            colour = COLOURS[place % len(COLOURS)]
            time = recording.time[1:]
            change = np.abs(recording.energy[1:] - recording.energy[0]) / (abs(recording.energy[0]) or 1.0)
            step_ms = 1e3 * recording.column("stage_seconds")[1:].sum(axis=1)
            # the first curves are the widest, so that they show beneath equal ones
            width = 1.0 + 1.6 * (len(recordings) - 1 - place) / max(len(recordings) - 1, 1)
            curves = {
                "|energy change| / |initial energy|": (1, change),
                "scaled residual (-)": (2, recording.residual[1:]),
                "time of a step (ms)": (4, step_ms),
                "pivots or sweeps a step": (5, recording.column("pivots")[1:]),
            }
            for title, (panel, values) in curves.items():
                _logarithmic(axes[panel], time, values, title, color=colour, linewidth=width)
            _errors(axes[0], recording, color=colour, linewidth=width)
            _draw_bodies(axes[3], recording, frame, colour, solver, width)
        axes[2].axhline(EXACT_RESIDUAL, color="#666666", linewidth=0.8, linestyle="--")
        _label_side_view(axes[3], first, f"side view at {first.time[frame]:.2f} s")
        handles, labels = axes[3].get_legend_handles_labels()
        axes[3].figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return Path(out)


def _logarithmic(axes: Axes, time: np.ndarray, values: np.ndarray, title: str, **line: Any) -> None:
    """A curve over time on a logarithmic axis; there are gaps where it is zero."""
    axes.set(title=title, xlabel="time (s)")
    shown = np.where(values > 0.0, np.minimum(values, EXPLODED), np.nan)
    if not np.isfinite(shown).any():
        axes.text(0.5, 0.5, "zero or not a number throughout", transform=axes.transAxes, ha="center")
        return
    axes.semilogy(time, shown, **({"color": COLOURS[0]} | line))
    # whole decades, so that there are always labelled ticks
    lowest, highest = np.log10(axes.dataLim.intervaly)
    axes.set_ylim(10.0 ** np.floor(lowest - 0.01), 10.0 ** np.ceil(highest + 0.01))


def _errors(axes: Axes, recording: Recording, **line: Any) -> None:
    """Violation of joints, and the deepest overlap where bodies touch."""
    time, violation, touching = recording.time[1:], recording.violation[1:], recording.column("contacts").any()
    if violation.any() or not touching:
        _logarithmic(axes, time, violation, "largest violation (m)", **line)
    if touching:
        title = "largest violation, dashed: penetration (m)"
        _logarithmic(axes, time, recording.column("penetration")[1:], title, linestyle="--", **line)


def _energy(axes: Axes, recording: Recording) -> None:
    energy = recording.energy
    axes.plot(recording.time, energy - energy[0], color=COLOURS[0])
    axes.set(title=f"energy change (J), initial energy {energy[0]:.4g} J", xlabel="time (s)")
    axes.ticklabel_format(axis="y", scilimits=(-3, 4))


def _certificate(axes: Axes, recording: Recording) -> None:
    """The limit of an exact solve, and the steps that were not solved."""
    if axes.get_yscale() == "linear":
        return
    axes.axhline(EXACT_RESIDUAL, color="#666666", linewidth=0.8, linestyle="--")
    lowest, highest = axes.get_ylim()
    axes.set_ylim(min(lowest, 0.1 * EXACT_RESIDUAL), max(highest, 10 * EXACT_RESIDUAL))
    axes.annotate("exact below", (1, EXACT_RESIDUAL), (0, 3), ("axes fraction", "data"), "offset points", ha="right")
    missed = recording.column("unconverged")
    if missed.any():
        marks = np.minimum(recording.residual[missed], EXPLODED)
        axes.plot(recording.time[missed], marks, ".", color=COLOURS[3], label=f"{missed.sum()} unconverged steps")
        axes.legend(loc="upper right")


def _stages(axes: Axes, recording: Recording) -> None:
    """Stacked stage times; the axis is cut above the usual, because one stall would flatten all the rest."""
    stage_ms = 1e3 * recording.column("stage_seconds")[1:]
    total = stage_ms.sum(axis=1)
    used = [stage for stage in range(len(STAGES)) if stage_ms[:, stage].any()]
    if used:
        stacked = [stage_ms[:, stage] for stage in used]
        labels = [f"{STAGES[stage]} {np.median(stage_ms[:, stage]):.3f}" for stage in used]
        axes.stackplot(recording.time[1:], stacked, labels=labels, colors=COLOURS, linewidth=0)
        axes.set_ylim(0, 1.8 * np.percentile(total, 95))
        heading = {"title": "median by stage (ms)", "title_fontsize": 8, "alignment": "left"}
        axes.legend(loc="upper left", ncols=3, **heading, **TIGHT)
        axes.set_title(f"time of a step (ms), median {np.median(total):.3f}, max {total.max():.3f}")
    axes.set_xlabel("time (s)")


def _work(axes: Axes, recording: Recording) -> None:
    time = recording.time[1:]
    for name, colour in (("pivots", COLOURS[1]), ("solves", COLOURS[0])):
        values = recording.column(name)[1:]
        mean = values.mean() if values.size else 0.0
        axes.step(time, values, where="mid", color=colour, label=f"{name}, mean {mean:.2f}")
    axes.set(title="work a step", xlabel="time (s)", ylim=(0, 1.25 * max(axes.get_ylim()[1], 1.0)))
    axes.legend(loc="upper left", ncols=2)


def _last_frame_in_view(recordings: list[Recording]) -> int:
    """The last frame in which no run has left the space that the first needs: later, others may be anywhere."""
    inside = np.ones(min(len(recording) for recording in recordings), bool)
    places = recordings[0].positions[recordings[0].present]
    centre, half = 0.5 * (places.min(axis=0) + places.max(axis=0)), 0.6 * np.ptp(places, axis=0).max()
    for recording in recordings:
        near = (np.abs(recording.positions[: inside.size] - centre) <= half).all(axis=2)
        inside &= (near | ~recording.present[: inside.size]).all(axis=1)
    return int(np.flatnonzero(inside)[-1]) if inside.any() else 0


def _side_view(axes: Axes, recording: Recording) -> None:
    """Bodies seen from the side at a few instants, late ones dark."""
    from matplotlib import colormaps

    shades = colormaps["viridis_r"]
    frames = np.unique(np.linspace(0, len(recording) - 1, SNAPSHOTS).astype(int))
    for place, frame in enumerate(frames):
        shade = shades(0.15 + 0.8 * place / max(len(frames) - 1, 1))
        _draw_bodies(axes, recording, frame, shade, f"{recording.time[frame]:.2f} s")
    _label_side_view(axes, recording, "side view")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.0)


def _draw_bodies(axes: Axes, recording: Recording, frame: int, colour: Any, label: str, width: float = 1.2) -> None:
    points = recording.positions[frame]
    line = "-" if _is_chain(recording) else ""
    across = points[:, _horizontal(recording)]
    axes.plot(across, points[:, 2], line, marker="o", markersize=1 + width, lw=width, color=colour, label=label)
    masses = np.asarray(recording.info.masses)
    if masses.size and masses.max() > 10 * np.median(masses):
        heavy = masses > 10 * np.median(masses)
        axes.plot(across[heavy], points[heavy, 2], "s", markersize=4 + 2 * width, color=colour)


def _label_side_view(axes: Axes, recording: Recording, title: str) -> None:
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(title=title, xlabel=f"{'xy'[_horizontal(recording)]} (m)", ylabel="z (m)")


def _horizontal(recording: Recording) -> int:
    """The horizontal axis with more motion in it: 0 = x, 1 = y."""
    with np.errstate(invalid="ignore"):
        spread = np.ptp(recording.positions[recording.present], axis=0)
    return int(spread[1] > spread[0])


def _is_chain(recording: Recording) -> bool:
    """Whether the bodies, in their order, start as a string of near neighbours."""
    start = recording.positions[0][recording.present[0]]
    if len(start) < 3:
        return False
    gaps = np.linalg.norm(np.diff(start, axis=0), axis=1)
    return bool(gaps.max() < 4 * np.median(gaps))
