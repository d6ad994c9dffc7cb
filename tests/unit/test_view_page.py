"""Pages: sources come in, nodes come out; and the commands around them."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sample_sources import WrittenSource, chain_drawing, drawn_recording, inputs, press, users_set

from taut.errors import InputError
from taut.view.camera import Camera
from taut.view.frame import Frame
from taut.view.nodes import Drag
from taut.view.page import AHEAD, ASPECT, ROOM, Page, beside
from taut.view.preview import preview
from taut.view.replay import ReplaySource
from taut.view.server import is_free, start_server, stop_server


@pytest.fixture
def source() -> WrittenSource:
    return WrittenSource()


@pytest.fixture
def page(source: WrittenSource) -> Iterator[Page]:
    made = Page([source], port=0)
    yield made
    made.close()


def positions(page: Page, name: str = "/scene0/bodies/0") -> Any:
    return page.server.scene.get_handle_by_name(name).batched_positions


def test_a_page_shows_the_newest_frame(page: Page, source: WrittenSource) -> None:
    for _ in range(10):
        page.refresh()
    np.testing.assert_array_equal(positions(page), source.frames[-1].positions[1:10])
    page._refresh_panels()  # by itself only a few times a second
    assert "0.050 s" in page._text.content
    assert page.panes[0].history.reports["index"].tolist() == [1, 2, 3, 4, 5]


def test_the_first_camera_looks_at_the_bodies(page: Page, source: WrittenSource) -> None:
    page.refresh()
    camera = page.server.initial_camera
    middle = source.frames[0].positions[1:].mean(axis=0)
    sight, towards = camera.look_at - camera.position, middle - camera.position
    assert sight @ towards / np.linalg.norm(sight) / np.linalg.norm(towards) > 0.99


def of_bodies(frame: Frame, count: int) -> Frame:
    """The frame of a shorter chain."""
    joints = ("tensions", "tight", "reactions", "violations", "joined")
    changes = {name: getattr(frame, name)[:count] for name in joints}
    changes |= {name: getattr(frame, name)[: count + 1] for name in ("positions", "orientations", "present")}
    return replace(frame, **changes)


def test_another_run_makes_new_nodes(page: Page, source: WrittenSource) -> None:
    page.refresh()
    nodes = page.panes[0].nodes
    smaller = chain_drawing(4)
    source.description = replace(source.description, drawing=smaller, generation=2, run=1)
    page.refresh()  # the frame is still one of the old bodies
    assert page.panes[0].nodes is nodes
    source.show(of_bodies(source.frames[0], 4))
    page.refresh()
    assert page.panes[0].nodes is not nodes and len(positions(page)) == 3


def test_what_comes_and_goes_keeps_the_nodes_and_the_plots(page: Page, source: WrittenSource) -> None:
    whole, frame = source.description, source.frames[0]
    source.description = replace(whole, drawing=chain_drawing(4))
    source.show(of_bodies(frame, 4))
    page.refresh()
    pane = page.panes[0]
    nodes, handles = pane.nodes, {name: node.handle for name, node in pane.nodes._nodes.items()}
    source.description = replace(whole, drawing=chain_drawing(), generation=2)
    present = frame.present.copy()
    present[2] = False
    source.show(replace(frame, present=present))
    page.refresh()
    assert pane.nodes is nodes and pane.generation == 2
    assert all(nodes._nodes[name].handle is handle for name, handle in handles.items())
    assert len(positions(page)) == 8 and 2 not in nodes._nodes["bodies/0"].bodies


def test_another_look_is_shown_though_nothing_moves(page: Page) -> None:
    for _ in range(8):
        page.refresh()
    assert page.server.scene.get_handle_by_name("/scene0/joints") is None
    users_set(inputs(page.server)["Joints"], True)
    page.refresh()
    assert page.server.scene.get_handle_by_name("/scene0/joints") is not None


def sights(points: Any, eye: Any) -> Any:
    return (points - eye) / np.linalg.norm(points - eye, axis=1, keepdims=True)


def test_a_drag_grabs_moves_and_releases(page: Page, source: WrittenSource) -> None:
    page.refresh()
    pane, line = page.panes[0], page.server.scene.get_handle_by_name("/scene0-hand")
    point, hand, eye = np.array([9.0, 0.0, 0.5]), np.array([9.0, 0.0, 4.0]), np.array([9.0, -30.0, 0.0])
    pane._drag(Drag("start", 10, point, point, eye))
    pane._drag(Drag("update", 10, point, hand, eye))
    page.refresh()
    assert line.thickness_units == "screen"  # pixels, not metres
    ball = page.server.scene.get_handle_by_name("/scene0-hand/end")
    assert line.visible and ball.visible and line.points[0, 1] == pytest.approx(ball.position)
    ends = np.array([source.frames[1].positions[10] + [0.0, 0.0, 0.5], hand])
    assert sights(line.points[0], eye) == pytest.approx(sights(ends, eye), abs=1e-6)
    size = math.sqrt(3.0)  # across a cube with sides of 1 m
    assert np.linalg.norm(line.points[0] - ends, axis=1) == pytest.approx([size, size], rel=1e-5)  # in front of it
    assert (np.linalg.norm(line.points[0] - eye, axis=1) < np.linalg.norm(ends - eye, axis=1)).all()
    pane._drag(Drag("end", 10, point, hand, eye))
    page.refresh()
    assert not line.visible and not ball.visible
    body, stiffness = 10, 1000.0 * 500.0
    grabs = [asked for asked in source.asked if asked[0] != "set_speed"]
    assert grabs[0][:3] == ("grab", body, tuple(point)) and grabs[0][3] == pytest.approx(stiffness)
    assert grabs[1:] == [("move_grab", tuple(point)), ("move_grab", tuple(hand)), ("release",)]


def test_messages_are_shown(page: Page, source: WrittenSource) -> None:
    source.message = "no such <joint>"
    for _ in range(3):
        page.refresh()
    assert page.panes[0].message == source.message
    page._refresh_panels()
    assert "no such &lt;joint&gt;" in page._text.content


def test_two_sources_stand_side_by_side() -> None:
    page = Page([WrittenSource(), WrittenSource(solver="pgs")], port=0)
    page.refresh()
    page.refresh()
    first, second = (pane.nodes.offset for pane in page.panes)
    camera = page.server.initial_camera
    sight = camera.look_at - camera.position
    assert np.linalg.norm(first) == 0.0 and np.linalg.norm(second) > 5.0
    assert abs(second @ sight) < 1e-6 * np.linalg.norm(second) * np.linalg.norm(sight)
    assert page.server.scene.get_handle_by_name("/scene1/label").text == "pgs"
    assert not inputs(page.server)["Solver"].visible
    page.close()
    assert [pane.source.asked[-1] for pane in page.panes] == [("close",)] * 2


def test_no_source_runs_ahead_of_the_slowest() -> None:
    slow, fast, over = (WrittenSource(solver=name) for name in ("bpp", "pgs", "ipm"))
    slow.playing = fast.playing = True
    for source, index in ((slow, 1), (fast, 4), (over, 0)):
        source.show(source.frames[index])
    page = Page([slow, fast, over], port=0)
    try:
        page.refresh()
        held = [call[1] for call in fast.asked if call[0] == "hold"]
        assert held[-1] == pytest.approx(0.01 + AHEAD)  # the third has stopped, and holds nobody up
    finally:
        page.close()


def test_a_source_that_has_ended_holds_nobody_up() -> None:
    dead, fast = (WrittenSource(solver=name) for name in ("bpp", "pgs"))
    dead.playing = fast.playing = True
    for source, index in ((dead, 1), (fast, 4)):
        source.show(source.frames[index])
    page = Page([dead, fast], port=0)
    try:
        page.refresh()
        dead.ended = "the simulation has ended"
        page.refresh()  # without any news: the other waits, and says nothing
        held = [call[1] for call in fast.asked if call[0] == "hold"]
        assert held == pytest.approx([0.01 + AHEAD, 0.04 + AHEAD])
        fast.playing, fast.next = False, 0
        page.refresh()
        page._refresh_panels()
        assert not page._transport.playing
        assert ">bpp: the simulation has ended<" in page._text.content
    finally:
        page.close()


def moved(source: WrittenSource, factor: float) -> None:
    """Make the first frame, a size of it, the newest."""
    frame = WrittenSource().frames[0]
    source.show(replace(frame, positions=factor * frame.positions))


def test_the_camera_is_placed_anew_for_another_size_only(page: Page, source: WrittenSource) -> None:
    page.refresh()
    camera = page.server.initial_camera
    first = camera.position.copy()
    moved(source, 3.0)
    source.description = replace(source.description, generation=2)  # such as a joint less, in the midst of the motion
    page.refresh()
    assert page.panes[0].generation == 2 and camera.position.tolist() == first.tolist()
    moved(source, 1.1)
    source.description = replace(source.description, generation=3, parameters={"links": 9, "load": 600.0})
    page.refresh()
    assert camera.position.tolist() == first.tolist()
    moved(source, 3.0)
    source.description = replace(source.description, generation=4, parameters={"links": 27, "load": 600.0})
    page.refresh()
    distance = np.linalg.norm(camera.position - camera.look_at)
    assert np.linalg.norm(camera.position - first) > 0.5 * distance


def test_the_view_is_fitted_to_what_all_sources_show() -> None:
    two = Page([WrittenSource(), WrittenSource(solver="pgs")], port=0)
    try:
        two.refresh()
        camera, pane = two.server.initial_camera, two.panes[1]
        first, near = np.linalg.norm(camera.position - camera.look_at), np.linalg.norm(pane.offset)
        moved(pane.source, 4.0)
        two.refresh()
        assert np.linalg.norm(camera.position - camera.look_at) == first
        press(two.server, "F")
        two.refresh()
        assert np.linalg.norm(camera.position - camera.look_at) > 2.0 * first
        assert np.linalg.norm(pane.offset) > 2.0 * near
    finally:
        two.close()


def test_the_title_follows_the_scene(page: Page, source: WrittenSource, monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []
    monkeypatch.setattr(page.server.gui, "set_panel_label", titles.append)
    page._refresh_panels()
    source.description = replace(source.description, title="dominoes, bpp")
    page._refresh_panels()
    page._refresh_panels()
    assert titles == ["dominoes, bpp"]


def test_bodies_are_seen_through_though_nothing_moves(page: Page) -> None:
    for _ in range(8):
        page.refresh()
    users_set(inputs(page.server)["See through"], True)
    page.refresh()
    assert page.server.scene.get_handle_by_name("/scene0/bodies/0").opacity == pytest.approx(0.35)


def test_what_was_refused_is_set_back(page: Page, source: WrittenSource) -> None:
    page.refresh()
    users_set(inputs(page.server)["links"], 12)
    users_set(inputs(page.server)["Apply"], True)
    source.message = "links is 12; at most 10"
    page.refresh()
    page._refresh_panels()
    assert inputs(page.server)["links"].value == 9


def test_bodies_of_a_recording_are_not_pulled() -> None:
    page = Page([ReplaySource(drawn_recording(steps=3))], port=0)
    try:
        page.refresh()
        assert not page.server.scene.get_handle_by_name("/scene0/bodies/0")._impl.drag_cb
    finally:
        page.close()


def test_the_camera_moves_back_only_as_far_as_it_must() -> None:
    camera = Camera(np.array([0.0, -10.0, 0.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]), math.radians(90.0))
    across = np.array([1.0, 0.0, 0.0])
    narrow, wide = beside(camera, across, 1.0, 2), beside(camera, across, 20.0, 2)
    assert narrow.distance == pytest.approx(10.0) and narrow.target[0] == pytest.approx(0.625)
    assert wide.distance * ASPECT == pytest.approx(ROOM * (12.5 + 10.0))


def test_a_page_runs_until_it_is_stopped() -> None:
    page = Page([ReplaySource(drawn_recording(steps=3))], port=0)
    thread = threading.Thread(target=page.run)
    thread.start()
    page.stop()
    thread.join(20.0)
    assert not thread.is_alive()
    port = page.server.get_port()
    page.close()
    assert is_free(port)


def test_a_port_that_is_taken_is_answered_with_another(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=rf"port {port} is taken.* --port (\d+)"):
            start_server(port)
    with pytest.raises(InputError, match="65535"):
        start_server(70000)
    stop_server(start_server(0))
    assert capsys.readouterr().out == ""  # nor does the server greet


def test_a_camera_sees_where_a_pendulum_will_swing() -> None:
    drawing, frame = chain_drawing(planes=0), WrittenSource().frames[0]  # along x, held at the origin
    still, hanging, opposite = preview(drawing, frame)
    assert still is frame
    assert hanging.positions[10] == pytest.approx([0.0, 0.0, -9.0])
    assert opposite.positions[10] == pytest.approx([-9.0, 0.0, 0.0])
    assert hanging.positions[1].tolist() == frame.positions[1].tolist()  # the fixed one
    assert len(preview(chain_drawing(planes=1), frame)) == 1


def test_a_camera_sees_the_ground_that_things_may_fall_to() -> None:
    drawing, frame = chain_drawing(planes=1), WrittenSource().frames[0]
    size = float(drawing.reach[10])
    for height, falls in ((3.0, True), (30.0, False), (0.0, False)):  # near, far, on the ground
        ground = np.array([[0.0, 0.0, 1.0, -size - height], [1.0, 0.0, 0.0, -50.0]])  # and a wall
        frames = preview(replace(drawing, planes=ground), frame)
        assert len(frames) == 1 + falls
    lying = preview(replace(drawing, planes=np.array([[0.0, 0.0, 1.0, -size - 3.0]])), frame)[1]
    assert lying.positions[10] == pytest.approx(frame.positions[10] - (0.0, 0.0, 3.0))
    assert lying.positions[1].tolist() == frame.positions[1].tolist()  # the fixed one
