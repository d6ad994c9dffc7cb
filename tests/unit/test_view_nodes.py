"""Batches as nodes of a scene: what is sent, and what is not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sample_sources import chain_drawing, drawn_recording, running_server
from viser import ViserServer

from taut.view.batches import Look
from taut.view.bounds import round_length
from taut.view.frame import Frame, frame_at
from taut.view.nodes import GLASS, LINEAR, Drag, Nodes, nearest_joint


@pytest.fixture(scope="module")
def server() -> Iterator[ViserServer]:
    with running_server() as running:
        yield running


@pytest.fixture
def frames() -> list[Frame]:
    recording = drawn_recording(steps=5, touch=True)
    return [frame_at(recording, index) for index in range(6)]


@pytest.fixture
def nodes(server: ViserServer) -> Iterator[Nodes]:
    made = Nodes(server, "/test", chain_drawing(), Look(contacts=True), np.array([1.0, 2.0, 3.0]))
    yield made
    made.remove()


@pytest.fixture
def sent(server: ViserServer, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Messages to the browsers."""
    messages: list[Any] = []
    push = server._websock_server._broadcast_buffer.push
    monkeypatch.setattr(
        server._websock_server._broadcast_buffer, "push", lambda message: (messages.append(message), push(message))
    )
    return messages


def node(server: ViserServer, name: str) -> Any:
    return server.scene.get_handle_by_name(f"/test/{name}")


def test_bodies_are_where_the_frame_says(server: ViserServer, nodes: Nodes, frames: list[Frame]) -> None:
    nodes.update(frames[0])
    nodes.update(frames[3])
    np.testing.assert_array_equal(node(server, "bodies/0").batched_positions, frames[3].positions[1:10])
    np.testing.assert_array_equal(node(server, "bodies/1").batched_positions, frames[3].positions[10:])
    assert node(server, "bodies/0").batched_positions.dtype == np.float32
    np.testing.assert_array_equal(server.scene.get_handle_by_name("/test").position, [1.0, 2.0, 3.0])


def test_only_what_changed_is_sent(nodes: Nodes, frames: list[Frame], sent: list[Any]) -> None:
    nodes.update(frames[3])
    sent.clear()
    nodes.update(frames[3])
    assert sent == []
    moved = frames[3].positions.copy()
    moved[10] += 1.0
    nodes.update(replace(frames[3], positions=moved))
    assert [(message.name, list(message.updates)) for message in sent] == [("/test/bodies/1", ["batched_positions"])]
    assert sent[0].updates["batched_positions"].nbytes == 12


def test_other_numbers_of_contacts(server: ViserServer, nodes: Nodes, frames: list[Frame]) -> None:
    counts = [len(frame.contacts) for frame in frames[:5]]
    assert counts == [0, 1, 2, 0, 1]
    nodes.update(frames[0])
    assert node(server, "contacts") is None  # nothing to make a mesh of
    for frame, count in zip(frames[1:5], counts[1:], strict=True):
        nodes.update(frame)
        shown = node(server, "contacts")
        assert shown.visible == (count > 0)
        if count:
            names = ("positions", "wxyzs", "scales", "colors")
            assert [len(getattr(shown, f"batched_{name}")) for name in names] == [count] * 4


def test_another_look_removes_what_it_does_not_show(server: ViserServer, nodes: Nodes, frames: list[Frame]) -> None:
    nodes.update(frames[2])
    nodes.look = Look(joints=True)
    nodes.update(frames[2])
    assert node(server, "contacts") is None and node(server, "joints") is not None


def test_only_bodies_are_seen_through(server: ViserServer, nodes: Nodes, frames: list[Frame], sent: list[Any]) -> None:
    nodes.look, nodes.see_through = Look(joints=True), True
    nodes.update(frames[2])  # nodes that are new
    names = ("bodies/0", "bodies/1", "joints")
    assert [node(server, name).opacity for name in names] == [GLASS, GLASS, None]
    nodes.see_through = False
    nodes.update(frames[2])  # nodes that are there
    assert [node(server, name).opacity for name in names] == [None] * 3
    sent.clear()
    nodes.update(frames[2])
    assert sent == []


def test_what_is_chosen_is_marked_as_long_as_it_is_there(
    server: ViserServer, nodes: Nodes, frames: list[Frame]
) -> None:
    nodes.chosen = "joint3"
    nodes.update(frames[2])
    mark = node(server, "chosen")
    assert mark.visible and mark.batched_positions.tolist() == [frames[2].positions[4].tolist()]
    nodes.update(replace(frames[2], joined=np.arange(10) != 3))
    assert not mark.visible
    nodes.chosen = "hoist"  # no joint
    nodes.update(frames[2])
    assert node(server, "chosen") is None


def test_a_click_on_a_body_takes_its_joint_nearest_to_there(server: ViserServer, frames: list[Frame]) -> None:
    arms = np.where(np.arange(20) % 2, -0.25, 0.25)[:, None] * np.array([1.0, 0.0, 0.0])
    drawing, names = replace(chain_drawing(), path_point=arms), []  # joints half a link to either side
    frame, down = replace(frames[0], joined=np.arange(10) != 7), (0.0, 0.0, -2.0)
    made = Nodes(server, "/test", drawing, Look(), np.array([1.0, 2.0, 3.0]), on_joint=names.append)
    made.update(frame)
    for body, side in ((4, 0.1), (4, -0.1), (8, -0.1), (99, 0.0)):  # one of which lost a joint, one of which is gone
        start = frame.positions[min(body, 9)] + (1.0 + side, 2.02, 6.0)
        for entry in node(server, "bodies/0")._impl.click_cb:
            event = SimpleNamespace(instance_index=body - 1, ray_origin=tuple(start), ray_direction=down)
            asyncio.run(entry.callback(event))
    assert names == ["joint4", "joint3", "joint8"]
    levers = replace(drawing, link_kinds=("Lever",) * 10)
    assert nearest_joint(levers, frame, 4, frame.positions[4], np.array(down)) == -1
    made.remove()


def test_everything_goes_with_the_root(server: ViserServer, frames: list[Frame]) -> None:
    made = Nodes(server, "/other", chain_drawing(), Look())
    made.update(frames[0])
    made.show_ground(frames[0])
    assert server.scene.get_handle_by_name("/other/ground/0").position[2] == pytest.approx(-20.0)
    made.remove()
    assert server.scene.get_handle_by_name("/other/bodies/0") is None
    assert server.scene.get_handle_by_name("/other/ground/0") is None


def test_colours_are_what_they_look_like() -> None:
    assert LINEAR[[0, 255]].tolist() == [0, 255]
    assert LINEAR[188] == pytest.approx(0.5 * 255, abs=1)  # half the light of white


def drag(server: ViserServer, name: str, instance: int, phase: str = "start") -> None:
    event = SimpleNamespace(
        phase=phase, instance_index=instance, start_position=(2.0, 2.0, 3.0), end_position=(2.0, 2.0, 5.0),
        client=SimpleNamespace(camera=SimpleNamespace(position=(1.0, -8.0, 3.0))),
    )  # fmt: skip
    for entry in node(server, name)._impl.drag_cb:
        asyncio.run(entry.callback(event))


def test_a_drag_names_the_body_and_undoes_the_offset(server: ViserServer, frames: list[Frame]) -> None:
    drags: list[Drag] = []
    made = Nodes(server, "/test", chain_drawing(), Look(), np.array([1.0, 2.0, 3.0]), drags.append)
    made.update(frames[0])
    drag(server, "bodies/0", 4)
    drag(server, "bodies/1", 0, "end")
    assert [(each.phase, each.body) for each in drags] == [("start", 5), ("end", 10)]
    assert drags[0].point.tolist() == [1.0, 0.0, 0.0] and drags[0].hand.tolist() == [1.0, 0.0, 2.0]
    assert drags[0].eye.tolist() == [0.0, -10.0, 0.0]
    drag(server, "bodies/0", 0)  # the first link is fixed
    assert len(drags) == 2
    made.remove()


def test_a_click_names_the_joint(server: ViserServer, frames: list[Frame]) -> None:
    names: list[str] = []
    made = Nodes(server, "/test", chain_drawing(), Look(joints=True), on_joint=names.append)
    made.update(frames[0])
    for entry in node(server, "joints")._impl.click_cb:
        asyncio.run(entry.callback(SimpleNamespace(instance_index=3)))
    assert names == ["joint3"]
    made.remove()


@pytest.mark.parametrize(("length", "rounded"), [(1.0, 1.0), (0.049, 0.02), (7.3, 5.0), (2000.0, 2000.0), (0.1, 0.1)])
def test_lengths_are_rounded(length: float, rounded: float) -> None:
    assert round_length(length) == pytest.approx(rounded)
