"""What a person sees and does, in a real browser."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser_pages import Seen, picture, wait_for

import taut
from taut.view.batches import Look
from taut.view.export import export_html
from taut.view.page import AHEAD

pytestmark = pytest.mark.browser


def turned(before: Any, after: Any, body: int) -> float:
    """Angle that a body turned by from one frame to another, rad."""
    return 2.0 * math.acos(min(abs(float(before.orientations[body] @ after.orientations[body])), 1.0))


def test_play_moves_bodies(show: Callable[..., Seen], requests_outside: list[str]) -> None:
    seen = show("hanging_chain", links=10)
    assert seen.time == 0.0
    before = seen.picture()
    seen.tab.get_by_role("button", name="Play").click()
    wait_for(lambda: seen.time > 0.5, "time that rises")
    wait_for(lambda: np.abs(seen.picture() - before).max() > 30, "another picture")
    seen.tab.keyboard.press("Space")
    wait_for(lambda: not seen.page.panes[0].update.playing, "the pause")
    seen.tab.get_by_role("button", name="Play").wait_for()
    assert not seen.page.panes[0].update.playing  # the button has the focus, and the key must not press it too
    assert requests_outside == []


def test_a_slider_changes_a_control(show: Callable[..., Seen]) -> None:
    seen = show("parallel_arm")
    body = seen.source.description.drawing.body_names.index("upper-arm")
    seen.tab.get_by_text("shoulder (rad/s)").wait_for()
    box = seen.tab.locator("input").filter(visible=True)
    values = [box.nth(index).input_value() for index in range(box.count())]
    slider = box.nth(values.index("-0.3"))
    slider.fill("1")
    slider.press("Enter")
    seen.source.play()
    wait_for(lambda: seen.time > 0.3, "time that rises")
    first = seen.frame
    wait_for(lambda: seen.time > first.time + 0.3, "more of it")
    last = seen.frame
    assert turned(first, last, body) == pytest.approx(last.time - first.time, rel=0.1)  # 1 rad/s
    assert seen.page.panes[0].message == ""


def test_the_mouse_pulls_a_body(show: Callable[..., Seen], monkeypatch: pytest.MonkeyPatch) -> None:
    seen = show("hanging_chain", links=5, angle=90.0)  # straight down, at rest
    grabbed: list[int] = []
    grab = seen.source.grab
    monkeypatch.setattr(seen.source, "grab", lambda body, *rest: (grabbed.append(body), grab(body, *rest)))
    load = seen.source.description.drawing.body_names.index("load")
    seen.source.play()
    start = seen.frame.positions[load]
    x, y = seen.pixel_of(start)
    mouse = seen.tab.mouse
    mouse.move(x, y)
    seen.tab.wait_for_timeout(1500)
    mouse.down()
    for share in range(1, 11):
        mouse.move(x - 12 * share, y)
        seen.tab.wait_for_timeout(150)
    wait_for(lambda: grabbed == [load], "the grab of the load")
    wait_for(lambda: np.linalg.norm(seen.frame.positions[load] - start) > 0.05, "a load that is pulled")
    mouse.up()
    wait_for(lambda: seen.page.panes[0]._held is None, "the release")
    pulled = seen.pixel_of(seen.frame.positions[load])
    assert pulled[0] < x - 10 and seen.page.panes[0].message == ""


def test_a_tower_of_logs_with_its_contact_forces(show: Callable[..., Seen]) -> None:
    seen = show("log_tower", Look("load", contacts=True, forces=True), layers=10)
    seen.source.play()
    wait_for(lambda: len(seen.frame.contacts) > 100, "contacts")
    wait_for(lambda: "forces/shaft" in seen.page.panes[0].nodes._nodes, "arrows")
    seen.source.pause()
    seen.tab.get_by_role("tab", name="Plots").click()
    seen.tab.get_by_text("log10 of the residual").wait_for()


def test_two_solvers_side_by_side(show: Callable[..., Seen]) -> None:
    seen = show("hanging_chain", solvers=("bpp", "pgs"), links=20)
    seen.tab.get_by_role("button", name="Play").click()
    wait_for(lambda: seen.time > 2.0, "time that rises")
    times = [pane.update.frame.time for pane in seen.page.panes if pane.update is not None]
    assert abs(times[0] - times[1]) < 2 * AHEAD
    seen.tab.get_by_text("pgs", exact=True).first.wait_for()


def test_a_click_on_its_mark_removes_a_joint(show: Callable[..., Seen]) -> None:
    seen = show("hanging_chain", Look(joints=True), links=5, angle=90.0)
    drawing = seen.source.description.drawing
    seen.tab.get_by_role("tab", name="Tools").click()
    seen.tab.get_by_label("Click cuts").click()
    joint = drawing.path_points(seen.frame.positions, seen.frame.orientations)[drawing.path_start[3]]
    seen.tab.wait_for_timeout(2000)
    seen.tab.mouse.click(*seen.pixel_of(joint))
    wait_for(lambda: seen.frame.joined.sum() == len(drawing.link_names) - 1, "one joint less")


def test_an_export_opens_without_a_network(
    open_tab: Callable[..., Any], requests_outside: list[str], tmp_path: Path
) -> None:
    recording = taut.Simulation(taut.scenes.build("stack_of_boxes", count=4)).run(0.5)
    page = export_html(recording, tmp_path / "stack.html")
    tab = open_tab(page.as_uri(), offline=True)
    colours = {tuple(each) for each in picture(tab)[::4, ::4].reshape(-1, 3).tolist()}
    assert len(colours) > 50
    assert requests_outside == []
