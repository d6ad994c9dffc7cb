"""How figures look, and a sheet of axes to draw in (needs the extra ``plot``)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from taut.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#1b6ca8", "#e07b39", "#3a9d5d", "#b23a48", "#7b5ea7", "#8c6d46", "#5a6570", "#c9a227")
STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "legend.edgecolor": "none",
    "legend.fontsize": 8,
}
PANEL = (4.3, 3.5)
"""Width and height of one axes, inches."""


@contextmanager
def sheet(
    out: str | Path, title: str, rows: int = 2, columns: int = 3, panel: tuple[float, float] = PANEL
) -> Iterator[list[Axes]]:
    """Axes to draw in, row by row; the picture is written at the end."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError("plots need matplotlib: pip install -e '.[plot]' in the folder of Taut") from error
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(columns * panel[0], rows * panel[1]), dpi=110, layout="constrained")
        figure.suptitle(title, x=0.01, horizontalalignment="left", fontweight="bold")
        yield list(figure.subplots(rows, columns, squeeze=False).flat)
        try:
            Path(out).parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(out)
        except (OSError, ValueError) as error:
            raise InputError(f"picture '{out}' cannot be written: {error}") from error
