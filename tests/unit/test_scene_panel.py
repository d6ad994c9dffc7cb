"""Panels of a simulation that runs: what users choose reaches the sources, and what there is is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sample_sources import WrittenSource, inputs, press, running_server, users_set
from viser import ViserServer

from taut.view.scene_panel import ControlPanel, ScenePanel, ToolPanel, add_input

SLEW = "slew (rad/s) [J\xa0L]"
"""Label of the control of a `WrittenSource`."""


@pytest.fixture
def server() -> Iterator[ViserServer]:
    with running_server() as running:
        yield running


@pytest.fixture
def source() -> WrittenSource:
    return WrittenSource()


def test_scene_solver_and_parameters_rebuild(server: ViserServer, source: WrittenSource) -> None:
    source.description = replace(source.description, notes={"load": "mass, kg."})
    panel = ScenePanel(server, [source])
    shown = inputs(server)
    assert shown["links"].value == 9 and shown["links"].max == 40
    assert (shown["links"].hint, shown["load"].hint) == (None, "mass, kg.")
    users_set(shown["links"], 12)
    users_set(shown["Apply"], True)
    users_set(shown["Solver"], "pgs")
    users_set(shown["Scene"], "log_tower")
    assert source.asked == [
        ("rebuild", ("parameters", {"links": 12, "load": 500.0})),
        ("rebuild", ("solver", "pgs")),
        ("rebuild", ("scene", "log_tower")),
    ]
    panel.refresh(replace(source.description, scene="dominoes", parameters={"count": 3}, defaults={"count": 20}))
    assert inputs(server)["Scene"].value == "dominoes" and "links" not in inputs(server)
    assert panel.parameters == {"count": 3}
    assert len(source.asked) == 3


def test_parameters_stay_in_their_tab(server: ViserServer, source: WrittenSource) -> None:
    with server.gui.add_tab_group().add_tab("Scene") as tab:
        panel = ScenePanel(server, [source])
    panel.refresh(replace(source.description, scene="dominoes", parameters={"count": 3}, defaults={"count": 20}))
    folder = panel._folder
    assert folder._impl.parent_container_id == tab._id
    shown = inputs(server)
    assert {shown[name]._impl.parent_container_id for name in ("count", "Apply")} == {folder._impl.uuid}
    assert len(folder._children) == 2 and folder.visible
    panel.refresh(replace(source.description, scene="log_tower", parameters={}))
    assert not folder.visible


def test_what_was_refused_does_not_stay_in_the_inputs(server: ViserServer, source: WrittenSource) -> None:
    panel, shown = ScenePanel(server, [source]), inputs(server)
    users_set(shown["links"], 12)
    panel.refresh(source.description, told=True)
    assert shown["links"].value == 12  # not asked for yet
    users_set(shown["Apply"], True)
    panel.refresh(source.description)
    assert shown["links"].value == 12  # no answer yet
    panel.refresh(source.description, told=True)
    assert shown["links"].value == 9
    users_set(shown["Scene"], "log_tower")
    panel.refresh(source.description, told=True)
    assert shown["Scene"].value == "hanging_chain"
    users_set(shown["links"], 12)
    users_set(shown["Apply"], True)
    panel.refresh(replace(source.description, generation=2))  # began anew, with other values than those asked for
    assert shown["links"].value == 9


def test_a_scene_of_ones_own_is_offered_only_while_it_is_shown(server: ViserServer) -> None:
    own = WrittenSource(scene="my scene")
    panel, dropdown = ScenePanel(server, [own]), inputs(server)["Scene"]
    assert dropdown.value == "my scene" and "my scene" in dropdown.options
    panel.refresh(replace(own.description, scene="dominoes"))
    assert dropdown.value == "dominoes" and "my scene" not in dropdown.options
    panel.refresh(own.description)
    assert dropdown.value == "my scene" and "my scene" in dropdown.options


@pytest.mark.parametrize(
    ("value", "default", "kind"),
    [
        (True, False, "GuiCheckboxHandle"), ("all", "all", "GuiTextHandle"), (5, 10, "GuiSliderHandle"),
        (1, 1, "GuiNumberHandle"), (0, 0, "GuiNumberHandle"), (2.5, 1.0, "GuiSliderHandle"),
        (-3.0, 1.0, "GuiNumberHandle"), (0.0, 0.0, "GuiNumberHandle"), (900, 100.0, "GuiSliderHandle"),
    ],
)  # fmt: skip
def test_inputs_fit_the_type_of_the_default(server: ViserServer, value: Any, default: Any, kind: str) -> None:
    made = add_input(server, "some_name", value, default, "of the load, kg")
    assert type(made).__name__ == kind and made.value == value and made.label == "some name"
    assert made.hint == "of the load, kg" and add_input(server, "other", value, default).hint is None
    assert isinstance(made.value, type(default))


def test_controls_are_sliders_with_keys(server: ViserServer, source: WrittenSource) -> None:
    panel = ControlPanel(server, [source])
    panel.refresh(source.description)
    slider = inputs(server)[SLEW]
    users_set(slider, 0.8)
    press(server, "J")
    press(server, "L")
    press(server, "L")
    press(server, "L")
    assert [asked[:2] for asked in source.asked] == [("set_control", "slew")] * 5
    assert [asked[2] for asked in source.asked] == pytest.approx([0.8, 0.7, 0.8, 0.9, 1.0])
    press(server, "L")
    assert source.asked[-1][2] == 1.0  # not above the range
    panel.refresh(replace(source.description, controls=(), generation=2))
    assert SLEW not in inputs(server)
    count = len(source.asked)
    press(server, "L")
    assert len(source.asked) == count


def test_switches_have_keys_too(server: ViserServer, source: WrittenSource) -> None:
    panel, (slew,) = ControlPanel(server, [source]), source.description.controls
    brake = replace(slew, name="winch.brake", low=0.0, high=1.0, value=1.0, unit="on/off", keys=())
    panel.refresh(replace(source.description, controls=(slew, brake, replace(brake, name="door", keys=("1", "2")))))
    for key in ("0", "0", "1", "2", "2"):  # the first switch without keys is flipped by 0
        press(server, key)
    asked = [("winch.brake", 0.0), ("winch.brake", 1.0), ("door", 0.0), ("door", 1.0), ("door", 1.0)]
    assert source.asked == [("set_control", *each) for each in asked]
    assert {"winch.brake [0]", "door [1\xa02]"} <= inputs(server).keys()


def test_joints_are_cut_by_name_and_by_click(server: ViserServer, source: WrittenSource) -> None:
    tools = ToolPanel(server, [source])
    tools.refresh(source.description, source.frames[0])
    shown = inputs(server)
    assert tools.chosen == tools.NONE
    users_set(shown["Cut"], True)  # nothing is chosen
    shown["What to cut"].value = "joint4"
    users_set(shown["Cut"], True)
    tools.clicked("joint5")  # chosen, not cut
    assert tools.chosen == shown["What to cut"].value == "joint5"
    shown["Click cuts"].value = True
    tools.clicked("joint6")
    assert source.asked == [("cut", "joint4"), ("cut", "joint6")]
    assert tools.stiffness == pytest.approx(1000.0)


def test_a_joint_that_was_chosen_and_is_gone_stays_chosen(server: ViserServer, source: WrittenSource) -> None:
    tools, given, frame = ToolPanel(server, [source]), source.description, source.frames[0]
    tools.refresh(given, frame)
    chosen = inputs(server)["What to cut"]
    assert chosen.options == ("-", *given.drawing.link_names)
    chosen.value = "joint0"
    for gone in (4, 0, 5):  # another one, the chosen one, another one
        frame = replace(frame, joined=frame.joined & (np.arange(10) != gone))
        tools.refresh(given, frame)
    assert chosen.value == chosen.options[1] == "joint0 (gone)" and "joint4" not in chosen.options
    assert tools.chosen == "joint0"
    users_set(inputs(server)["Cut"], True)
    assert source.asked == [("cut", "joint0")]  # whoever knows says that it is gone; no other one is cut
    tools.refresh(given, source.frames[0])
    assert chosen.value == "joint0" and len(chosen.options) == 11
    tools.refresh(given, replace(frame, joined=np.zeros(10, bool)))
    assert chosen.options == ("-", "joint0 (gone)")
    levers = replace(given.drawing, link_kinds=("Lever",) * 9 + ("Spherical",))  # numbers of machine parts
    tools.refresh(replace(given, parts=("hoist",), drawing=levers), source.frames[0])
    assert chosen.options == ("-", "joint0 (gone)", "hoist", "joint9")


def test_sliders_come_and_go_with_their_controls(server: ViserServer, source: WrittenSource) -> None:
    panel = ControlPanel(server, [source])
    panel.refresh(source.description)
    slider = inputs(server)[SLEW]
    (slew,) = source.description.controls
    other = replace(source.description, generation=2, controls=(replace(slew, value=0.7),))
    panel.refresh(other)
    assert inputs(server)[SLEW] is slider  # it may be in somebody's hand
    panel.refresh(replace(other, generation=3, controls=(slew, replace(slew, name="hoist", keys=()))))
    assert {SLEW, "hoist (rad/s) [G\xa0T]"} <= inputs(server).keys()
    panel.refresh(replace(other, generation=4, controls=()))
    assert not {SLEW, "hoist (rad/s) [G\xa0T]"} & inputs(server).keys()
    panel.refresh(replace(other, run=1))
    assert inputs(server)[SLEW].value == 0.7


def test_controls_keep_their_keys_within_a_run(server: ViserServer, source: WrittenSource) -> None:
    panel, (slew,) = ControlPanel(server, [source]), source.description.controls
    hoist = replace(slew, name="hoist", unit="", keys=(), scheduled=True)
    luff, door = replace(hoist, name="luff", scheduled=False), replace(hoist, name="door")
    panel.refresh(replace(source.description, controls=(hoist, luff, door)))
    wanted = {"luff [G\xa0T]", "hoist [H\xa0Y]"}
    assert wanted <= inputs(server).keys()
    taken = replace(hoist, scheduled=False)
    panel.refresh(replace(source.description, controls=(taken, luff)))  # in somebody's hand, and a door is gone
    assert wanted <= inputs(server).keys()
    panel.refresh(replace(source.description, controls=(taken, luff), run=source.description.run + 1))
    assert {"hoist [G\xa0T]", "luff [H\xa0Y]"} <= inputs(server).keys()


def test_controls_show_what_moves_by_itself_but_for_those_in_hand(server: ViserServer, source: WrittenSource) -> None:
    times = iter(np.arange(0.0, 9.0, 0.6).tolist())
    panel, (slew,) = ControlPanel(server, [source], lambda: next(times)), source.description.controls
    brake = replace(slew, name="winch.brake", low=0.0, value=1.0, unit="on/off", keys=())
    given = replace(source.description, controls=(replace(slew, scheduled=True), brake))
    panel.refresh(given)
    shown = inputs(server)
    assert shown[SLEW].hint == "follows its schedule until you move it, J decreases, L increases it"
    panel.refresh(given, {"slew": -0.25, "winch.brake": 0.0})
    assert (shown[SLEW].value, shown["winch.brake [0]"].value) == (-0.25, False)
    users_set(shown[SLEW], 0.75)
    panel.refresh(replace(given, controls=(slew, brake)), {"slew": -0.2, "winch.brake": 1.0})  # of before
    assert (shown[SLEW].value, shown["winch.brake [0]"].value) == (0.75, True)
    panel.refresh(given, {"slew": -0.2, "gone": 1.0})
    assert shown[SLEW].value == -0.2
    users_set(shown["winch.brake [0]"], False)
    assert source.asked == [("set_control", "slew", 0.75), ("set_control", "winch.brake", 0.0)]


def test_many_controls_that_move_by_themselves_are_out_of_the_way(server: ViserServer, source: WrittenSource) -> None:
    panel, (slew,) = ControlPanel(server, [source]), source.description.controls
    legs = tuple(replace(slew, name=f"leg-{number}", keys=(), scheduled=True) for number in range(5))
    panel.refresh(replace(source.description, controls=(*legs, slew)))
    shown = inputs(server)
    (closed,) = panel._closed
    keys = ("G\xa0T", "H\xa0Y", "K\xa0I", "Z\xa01", "X\xa02")
    labels = [f"leg-{number} (rad/s) [{pair}]" for number, pair in enumerate(keys)]
    within = {shown[label]._impl.parent_container_id for label in labels}
    assert within == {closed._impl.uuid} and not closed.expand_by_default
    assert shown[SLEW]._impl.parent_container_id == panel._folder._impl.uuid
    panel.refresh(replace(source.description, controls=(*legs[:4], slew)))
    assert inputs(server)[labels[3]]._impl.parent_container_id == panel._folder._impl.uuid
    assert labels[4] not in inputs(server) and not panel._closed
