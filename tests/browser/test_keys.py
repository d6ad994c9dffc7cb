"""Machines are driven by their keys, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_pages import Seen, wait_for

pytestmark = pytest.mark.browser

TRUCK = Path(__file__).resolve().parents[2] / "examples" / "truck.py"


def control(seen: Seen, name: str) -> float:
    """Its value in the simulation, as the page knows it."""
    return float(seen.page.panes[0].update.controls[name])


def hold(tab: Any, key: str, times: int) -> None:
    """Keep a key down until it has come so many times, as keyboards repeat it."""
    for _ in range(times):
        tab.keyboard.down(key)
        tab.wait_for_timeout(40)
    tab.keyboard.up(key)


def eye(seen: Seen) -> np.ndarray:
    """Where the camera is, m."""
    return np.array(next(iter(seen.page.server.get_clients().values())).camera.position)


def test_a_winch_is_driven_by_the_keys_beside_its_controls(show: Callable[..., Seen]) -> None:
    seen = show("spool")
    load = seen.source.description.drawing.body_names.index("load")
    seen.tab.get_by_text("winch.speed (m/s) [G\xa0T]").wait_for()
    brake = seen.tab.get_by_label("winch.brake [0]")
    assert brake.is_checked()
    brake.click()
    wait_for(lambda: control(seen, "winch.brake") == 0.0 and not brake.is_disabled(), "the brake that is off")
    start, height = eye(seen), seen.frame.positions[load, 2]
    seen.tab.keyboard.press("0")  # the box was clicked, and does not keep the keys
    wait_for(lambda: control(seen, "winch.brake") == 1.0, "the brake that is on again")
    hold(seen.tab, "g", 25)
    wait_for(lambda: control(seen, "winch.speed") == -2.0, "the speed")
    seen.tab.keyboard.press("Space")
    wait_for(lambda: seen.frame.positions[load, 2] > height + 0.5, "the load that is hauled in")
    hold(seen.tab, "t", 10)
    wait_for(lambda: control(seen, "winch.speed") == 0.0, "a winch that stands")
    assert eye(seen) == pytest.approx(start) and seen.page.panes[0].message == ""


def test_a_truck_is_driven_by_its_keys(show: Callable[..., Seen]) -> None:
    seen = show(str(TRUCK))
    frame = seen.source.description.drawing.body_names.index("frame")
    seen.tab.get_by_text("truck.gear (gear) [K\xa0I]").wait_for()
    start = eye(seen)
    seen.tab.get_by_role("button", name="Play").click()
    seen.tab.keyboard.press("i")
    wait_for(lambda: control(seen, "truck.gear") == 1.0, "the first gear")
    hold(seen.tab, "y", 10)
    wait_for(lambda: seen.frame.positions[frame, 0] > 1.0, "a truck that drives")
    hold(seen.tab, "h", 20)
    hold(seen.tab, "o", 20)
    wait_for(lambda: control(seen, "truck.brake") == 1.0 and control(seen, "truck.throttle") == 0.0, "the brake")
    seen.tab.wait_for_timeout(4000)
    before = seen.frame
    wait_for(lambda: seen.time > before.time + 1.0, "time that rises")
    assert seen.frame.positions[frame] == pytest.approx(before.positions[frame], abs=0.05)
    assert eye(seen) == pytest.approx(start) and seen.page.panes[0].message == ""
