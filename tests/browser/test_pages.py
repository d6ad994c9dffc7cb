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


def along(seen: Seen, joint: str, share: float) -> tuple[float, float]:
    """Pixel of a point on the last straight piece of a joint's path, at this share of the way to its end."""
    drawing, frame = seen.source.description.drawing, seen.frame
    end = drawing.path_start[drawing.link_names.index(joint) + 1]
    start, stop = drawing.path_points(frame.positions, frame.orientations)[end - 2 : end]
    return seen.pixel_of(start + share * (stop - start))


def click_tool(seen: Seen, place: tuple[float, float]) -> None:
    """Click into the picture when the panel has settled."""
    seen.tab.wait_for_timeout(2000)
    seen.tab.mouse.click(*place)


@pytest.mark.parametrize(
    ("scene", "joint", "share"), [("cut_net", "sling-4-4", 0.4), ("breaking_bridge", "left-4", 0.5)]
)
def test_a_click_on_a_rope_chooses_it_and_another_cuts_it(
    show: Callable[..., Seen], scene: str, joint: str, share: float
) -> None:
    seen = show(scene)
    count = len(seen.source.description.drawing.link_names)
    seen.tab.get_by_role("tab", name="Tools").click()
    assert seen.page._tools.chosen == "-" and "chosen" not in seen.page.panes[0].nodes._nodes
    click_tool(seen, along(seen, joint, share))
    wait_for(lambda: seen.page._tools.chosen == joint, "the choice")
    wait_for(lambda: "chosen" in seen.page.panes[0].nodes._nodes, "its mark")
    assert seen.frame.joined.sum() == count
    seen.tab.get_by_role("button", name="Cut").click()
    wait_for(lambda: seen.frame.joined.sum() == count - 1, "one joint less")
    assert not seen.frame.joined[seen.source.description.drawing.link_names.index(joint)]
    seen.tab.get_by_role("button", name="Reset").click()
    wait_for(lambda: seen.frame.joined.sum() == count, "what was mended")
    seen.tab.get_by_label("Click cuts").click()
    click_tool(seen, along(seen, joint, share))
    wait_for(lambda: seen.frame.joined.sum() == count - 1, "the cut")


def test_a_winch_rope_is_cut_where_it_is_clicked_and_from_the_list(show: Callable[..., Seen]) -> None:
    seen = show("cut_cable")
    names = seen.source.description.drawing.link_names
    seen.tab.get_by_role("tab", name="Tools").click()
    seen.tab.get_by_label("Click cuts").click()
    upper, lower = (np.array(along(seen, f"winch/joint-{number}", 1.0)) for number in (4, 5))
    click_tool(seen, tuple(upper + 0.3 * (lower - upper)))  # a segment: a body that can be pulled, too
    wait_for(lambda: not seen.frame.joined[names.index("winch/joint-4")], "the cut")
    assert seen.frame.joined.sum() == len(names) - 1 and seen.page.panes[0].message == ""
    for left in (2, 3):
        seen.tab.get_by_label("What to cut").fill("winch")
        seen.tab.get_by_role("option", name="winch", exact=True).click()
        seen.tab.get_by_role("button", name="Cut").click()
        wait_for(lambda left=left: seen.frame.joined.sum() == len(names) - left, "another cut")
    assert seen.page.panes[0].message == ""


def test_a_winch_is_driven_by_its_controls(show: Callable[..., Seen]) -> None:
    seen = show("spool")
    load = seen.source.description.drawing.body_names.index("load")
    seen.source.set_speed(5.0)
    seen.source.play()
    wait_for(lambda: seen.frame.present.sum() > 16, "segments that come")
    brake = seen.tab.get_by_label("winch.brake")
    assert seen.tab.get_by_text("winch.speed (m/s)").count() == 1 and not brake.is_checked()
    assert not seen.tab.get_by_text("winch/hinge").count()
    brake.click()
    wait_for(lambda: seen.page.panes[0].update.controls["winch.brake"] == 1.0, "the brake")
    before = seen.frame
    wait_for(lambda: seen.time > before.time + 3.0, "time that rises")
    assert seen.frame.positions[load] == pytest.approx(before.positions[load], abs=0.2)
    box = seen.tab.locator("input").filter(visible=True)
    values = [box.nth(index).input_value() for index in range(box.count())]
    speed = box.nth(values.index("0"))
    speed.fill("-1")
    speed.press("Enter")
    wait_for(lambda: seen.frame.positions[load, 2] > before.positions[load, 2] + 1.0, "the load that is hauled in")
    wait_for(lambda: not brake.is_checked(), "the brake that is off")
    assert seen.page.panes[0].message == ""


def test_what_was_cut_is_cut_in_an_export(open_tab: Callable[..., Any], tmp_path: Path) -> None:
    simulation = taut.Simulation(taut.scenes.build("cut_cable", time=0.25))
    page = export_html(simulation.run(0.75), tmp_path / "cable.html")
    tab = open_tab(page.as_uri(), offline=True)

    def gap() -> int:
        """Rows of pixels without rope, which is orange, between two that have some."""
        seen = picture(tab)
        rows = np.flatnonzero((seen[..., 0] > seen[..., 2] + 40).any(axis=1))
        return int(np.diff(rows).max(initial=0))

    wait_for(lambda: gap() > 25, "a gap in the rope")  # it plays over and over
    wait_for(lambda: 0 < gap() < 5, "the whole rope")


def test_an_export_opens_without_a_network(
    open_tab: Callable[..., Any], requests_outside: list[str], tmp_path: Path
) -> None:
    recording = taut.Simulation(taut.scenes.build("stack_of_boxes", count=4)).run(0.5)
    page = export_html(recording, tmp_path / "stack.html")
    tab = open_tab(page.as_uri(), offline=True)
    colours = {tuple(each) for each in picture(tab)[::4, ::4].reshape(-1, 3).tolist()}
    assert len(colours) > 50
    assert requests_outside == []
