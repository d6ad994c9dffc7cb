"""Live plots of what the solver does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from taut.spatial import Array
from taut.view.colours import PALETTE
from taut.view.history import QUANTITIES, History, Quantity, thinned, time_grid

if TYPE_CHECKING:
    from viser import GuiUplotHandle, ViserServer

HEIGHT = 150
"""Pixels."""

LINE_COLOURS = tuple("#{:02x}{:02x}{:02x}".format(*colour) for colour in PALETTE[:6].astype(int).tolist())

FONT = "10px sans-serif"

LABEL_WIDTH = 54
"""Pixels for the numbers at the axes, the same in all plots so that their times line up."""


class Plots:
    """Plots in the container that is open when they are made.

    Args:
        server: of the page.
        names: of the sources; with more than one each has a line in every plot, and stages are left out.
    """

    def __init__(self, server: ViserServer, names: list[str]) -> None:
        self.names = names
        several = len(names) > 1
        chosen = [each for each in QUANTITIES if len(each.lines) == 1 or not several]
        self._plots = [(each, self._add(server, each)) for each in chosen]

    def update(self, histories: list[History]) -> None:
        """Draw the last seconds of all sources; nothing happens as long as one has no reports."""
        reports = [history.reports for history in histories]
        known = [each for each in reports if each is not None]
        if len(known) < len(histories):
            return
        grid = time_grid(known)
        for quantity, handle in self._plots:
            lines: list[Array] = []
            for history, each in zip(histories, known, strict=True):
                lines += list(thinned(grid, each["time"], quantity.values(each, history.factors)))
            handle.data = (grid, *lines)

    def _add(self, server: ViserServer, quantity: Quantity) -> GuiUplotHandle:
        labels = quantity.lines if len(self.names) == 1 else self.names
        series: list[Any] = [{"label": "t (s)"}]
        for number, label in enumerate(labels):
            colour = LINE_COLOURS[number % len(LINE_COLOURS)]
            series.append({"label": label, "stroke": colour, "width": 1.5, "points": {"show": False}})
        legend = len(labels) > 1
        return server.gui.add_uplot(
            data=(np.zeros(1), *(np.ones(1) for _ in labels)),
            series=tuple(series),
            title=quantity.title,
            scales={"x": {"time": False}},
            axes=({"size": 38 if legend else 24, "font": FONT}, {"size": LABEL_WIDTH, "font": FONT}),
            legend={"show": legend},
            height=HEIGHT + 40 * legend,
            padding=(8, 12, 0, 0),
        )
