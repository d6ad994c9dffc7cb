"""A page in a real browser, as tests see it."""

from __future__ import annotations

import io
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from taut import spatial
from taut.view.live import LiveSource
from taut.view.page import Page

SIZE = {"width": 1000, "height": 640}
PATIENCE = 90.0
"""Seconds that a test waits for something."""


class Seen:
    """A page of a live simulation, and the browser's tab that shows it."""

    def __init__(self, page: Page, source: LiveSource, tab: Any) -> None:
        self.page, self.source, self.tab = page, source, tab

    @property
    def time(self) -> float:
        """Simulated time that is shown, s."""
        update = self.page.panes[0].update
        return update.frame.time if update is not None else -1.0

    @property
    def frame(self) -> Any:
        return self.page.panes[0].update.frame

    def picture(self) -> np.ndarray:
        return picture(self.tab)

    def pixel_of(self, point: np.ndarray) -> tuple[float, float]:
        """Where a world point (3,) is in the tab."""
        camera = next(iter(self.page.server.get_clients().values())).camera
        w, x, y, z = camera.wxyz
        turn = spatial.matrix([w, x, y, z])  # columns: right, down, forward
        right, down, forward = turn.T @ (point - camera.position)
        focal = 0.5 * camera.image_height / math.tan(0.5 * camera.fov)
        return 0.5 * camera.image_width + focal * right / forward, 0.5 * camera.image_height + focal * down / forward


def picture(tab: Any) -> np.ndarray:
    """Pixels (rows, columns, 3) of the scene, without the panel beside it and the notes over it."""
    from PIL import Image

    shot = tab.screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))[170:, : SIZE["width"] - 360].astype(int)


def wait_for(wanted: Callable[[], bool], what: str) -> None:
    """Wait until something is true; fail with its name if it never is."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if wanted():
            return
        time.sleep(0.3)
    raise AssertionError(f"waited {PATIENCE:g} s in vain: {what}")
