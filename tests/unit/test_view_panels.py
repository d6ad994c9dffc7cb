"""Panels: what users do reaches the sources, and what happens is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sample_sources import WrittenSource, drawn_recording, inputs, press, running_server, users_set
from viser import ViserServer

from taut.view.batches import REACTION, Look
from taut.view.colours import HOLDING, STICKING, STRUCK
from taut.view.frame import frame_at
from taut.view.history import WINDOW, History, thinned, time_grid
from taut.view.panels import SPEEDS, LookPanel, Transport, legend, on_choice, speed_choices, status_table
from taut.view.plots import Plots
from taut.view.replay import ReplaySource
from taut.view.scene_panel import ControlPanel, ScenePanel, ToolPanel, add_input


@pytest.fixture
def server() -> Iterator[ViserServer]:
    with running_server() as running:
        yield running


@pytest.fixture
def source() -> WrittenSource:
    return WrittenSource()


def test_play_pause_step_reset_and_speed_reach_all_sources(server: ViserServer, source: WrittenSource) -> None:
    other = WrittenSource()
    transport = Transport(server, [source, other])
    users_set(inputs(server)["Play"], True)
    source.playing = True
    transport.refresh([source.latest()])
    assert set(inputs(server)) >= {"Pause", "Speed"}
    press(server, "space")
    press(server, "N")
    press(server, "R")
    users_set(inputs(server)["Speed"], "1/4 x")
    assert source.asked == [("play",), ("pause",), ("step",), ("reset",), ("set_speed", 0.25)]
    assert other.asked == source.asked


def test_a_choice_gives_the_keys_back(server: ViserServer) -> None:
    chosen: list[tuple[str, bool]] = []
    dropdown = server.gui.add_dropdown("Pick", ("a", "b"))
    on_choice(dropdown, lambda event: chosen.append((event.target.value, event.target.disabled)))

    async def choose() -> None:
        dropdown._impl.value = "b"
        await dropdown._impl.update_cb[0](SimpleNamespace(client=object(), target=dropdown))
        assert dropdown.disabled  # which is when browsers take the focus from it
        while dropdown.disabled:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(choose(), 20.0))
    assert chosen == [("b", False)]


def test_a_recording_is_searched_with_the_bar(server: ViserServer) -> None:
    source = ReplaySource(drawn_recording(steps=20))
    transport = Transport(server, [source])
    bar = inputs(server)["Frame"]
    assert bar.visible and bar.max == 20
    users_set(bar, 7)
    assert source.position == 7
    source.seek(9)
    transport.refresh([source.latest()])  # sets the bar, which must not seek in turn
    assert bar.value == 9 and source.position == 9


def test_a_live_source_has_no_bar(server: ViserServer, source: WrittenSource) -> None:
    Transport(server, [source])
    assert not inputs(server)["Frame"].visible


def test_the_look_follows_the_inputs(server: ViserServer) -> None:
    fitted: list[bool] = []
    panel = LookPanel(server, Look(joints=True), lambda: fitted.append(True))
    users_set(inputs(server)["Contacts"], True)
    users_set(inputs(server)["Colour by"], "mass")
    assert panel.look == Look("mass", joints=True, contacts=True)
    users_set(inputs(server)["Fit arrows"], False)
    users_set(inputs(server)["log10 of m/N"], -2.0)
    assert panel.look.force_scale == pytest.approx(0.01)
    before = panel.look
    users_set(inputs(server)["See through"], True)
    assert panel.see_through and panel.look == before
    users_set(inputs(server)["Fit view"], True)
    press(server, "F")
    assert len(fitted) == 2


def test_the_legend_says_what_is_shown(server: ViserServer, source: WrittenSource) -> None:
    drawing, frame = source.description.drawing, source.frames[2]
    plain = legend(drawing, frame, Look())
    assert "one colour a shape" in plain and "never" in plain  # the first link is fixed
    assert not any(word in plain for word in ("ropes", "joints", "contacts", "forces"))
    full = legend(drawing, frame, Look("mass", joints=True, contacts=True, forces=True, reactions=True))
    assert ">0.25 <" in full and " 500 kg<" in full
    meanings = {"sticks": STICKING, "was&nbsp;struck": STRUCK, "hold": HOLDING, "of&nbsp;joints": REACTION}
    for word, (red, green, blue) in meanings.items():
        assert f'rgb({red},{green},{blue})"></span>&nbsp;{word}' in full
    pulled = replace(drawing, pulls=np.ones(10, bool))
    assert "push" in legend(pulled, frame, Look())
    panel = LookPanel(server, Look("island"), lambda: None)
    panel.refresh(drawing, frame)
    assert "act on each other" in panel._legend.content


def test_the_scale_of_loads_is_that_of_the_colours(source: WrittenSource) -> None:
    frame = source.frames[0]
    reactions = np.zeros_like(frame.reactions)
    reactions[3, 2] = 100.0
    text = legend(source.description.drawing, replace(frame, reactions=reactions), Look("load"))
    assert ">0.0128 <" in text and " 128 N<" in text  # four decades below the next power of two


@pytest.mark.parametrize(("speed", "shown"), [(3.0, "3 x"), (0.25, "1/4 x"), (1.0, "real time"), (0.03, "0.03 x")])
def test_any_speed_is_among_the_choices(server: ViserServer, source: WrittenSource, speed: float, shown: str) -> None:
    Transport(server, [source], speed)
    speeds = inputs(server)["Speed"]
    assert speeds.value == shown and len(set(speeds.options)) == len(speed_choices(speed))
    assert list(speed_choices(speed).values()) == sorted({*SPEEDS.values(), speed})
    users_set(speeds, "2 x")
    users_set(speeds, shown)
    assert source.asked == [("set_speed", 2.0), ("set_speed", speed)]


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
    slider = inputs(server)["slew (rad/s)"]
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
    assert "slew (rad/s)" not in inputs(server)
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
    assert inputs(server)["winch.brake"].hint == "0" and inputs(server)["door"].hint == "1 2"


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
    slider = inputs(server)["slew (rad/s)"]
    (slew,) = source.description.controls
    other = replace(source.description, generation=2, controls=(replace(slew, value=0.7),))
    panel.refresh(other)
    assert inputs(server)["slew (rad/s)"] is slider  # it may be in somebody's hand
    panel.refresh(replace(other, generation=3, controls=(slew, replace(slew, name="hoist", keys=()))))
    assert {"slew (rad/s)", "hoist (rad/s)"} <= inputs(server).keys()
    panel.refresh(replace(other, generation=4, controls=()))
    assert not {"slew (rad/s)", "hoist (rad/s)"} & inputs(server).keys()
    panel.refresh(replace(other, run=1))
    assert inputs(server)["slew (rad/s)"].value == 0.7


def test_controls_show_what_moves_by_itself_but_for_those_in_hand(server: ViserServer, source: WrittenSource) -> None:
    times = iter(np.arange(0.0, 9.0, 0.6).tolist())
    panel, (slew,) = ControlPanel(server, [source], lambda: next(times)), source.description.controls
    brake = replace(slew, name="winch.brake", low=0.0, value=1.0, unit="on/off", keys=())
    given = replace(source.description, controls=(replace(slew, scheduled=True), brake))
    panel.refresh(given)
    shown = inputs(server)
    assert shown["slew (rad/s)"].hint == "follows its schedule until you move it, J l"
    panel.refresh(given, {"slew": -0.25, "winch.brake": 0.0})
    assert (shown["slew (rad/s)"].value, shown["winch.brake"].value) == (-0.25, False)
    users_set(shown["slew (rad/s)"], 0.75)
    panel.refresh(replace(given, controls=(slew, brake)), {"slew": -0.2, "winch.brake": 1.0})  # of before
    assert (shown["slew (rad/s)"].value, shown["winch.brake"].value) == (0.75, True)
    panel.refresh(given, {"slew": -0.2, "gone": 1.0})
    assert shown["slew (rad/s)"].value == -0.2
    users_set(shown["winch.brake"], False)
    assert source.asked == [("set_control", "slew", 0.75), ("set_control", "winch.brake", 0.0)]


def test_many_controls_that_move_by_themselves_are_out_of_the_way(server: ViserServer, source: WrittenSource) -> None:
    panel, (slew,) = ControlPanel(server, [source]), source.description.controls
    legs = tuple(replace(slew, name=f"leg-{number}", keys=(), scheduled=True) for number in range(5))
    panel.refresh(replace(source.description, controls=(*legs, slew)))
    shown = inputs(server)
    (closed,) = panel._closed
    within = {shown[f"leg-{number} (rad/s)"]._impl.parent_container_id for number in range(5)}
    assert within == {closed._impl.uuid} and not closed.expand_by_default
    assert shown["slew (rad/s)"]._impl.parent_container_id == panel._folder._impl.uuid
    panel.refresh(replace(source.description, controls=(*legs[:4], slew)))
    assert inputs(server)["leg-3 (rad/s)"]._impl.parent_container_id == panel._folder._impl.uuid
    assert "leg-4 (rad/s)" not in inputs(server) and not panel._closed


def test_the_status_says_how_it_goes(source: WrittenSource) -> None:
    source.latest()
    update = source.latest()
    text = status_table([source.description], [replace(update, playing=True)], ["a < b"])
    for part in ("bpp", "0.010 s", "0.50 x<", "solved", "1.0e-13", "-201 J", "a &lt; b", "2 tight"):
        assert part in text
    assert "paused" in status_table([source.description], [update], [""])
    two = status_table([source.description, replace(source.description, solver="pgs")], [update] * 2, ["", "no"])
    assert ">pgs: no<" in two and ">a &lt; b<" in text  # who said it, where there are several


def test_history_keeps_a_window_and_starts_anew_when_time_goes_back(source: WrittenSource) -> None:
    history = History()
    updates = [source.latest() for _ in range(6)]
    for update in updates:
        history.add(update)
    assert history.reports["index"].tolist() == [1, 2, 3, 4, 5]
    late = updates[5].reports.copy()
    late["time"] += WINDOW
    history.add(replace(updates[5], reports=late))
    assert history.reports["time"][0] >= late["time"][0] - WINDOW
    history.add(updates[1])
    assert history.reports["index"].tolist() == [1] and history.factors.tolist() == [0.5]


def test_no_peak_is_lost_where_lines_are_thinned() -> None:
    time = np.arange(3000) / 1000.0
    values = np.zeros((2, 3000))
    values[0, 1234], values[1, 2999] = 5.0, 7.0
    values[1, 10] = np.nan
    reports = np.zeros(3000, [("time", "f8")])
    reports["time"] = time
    grid = time_grid([reports])
    lines = thinned(grid, time, values)
    assert lines.shape == (2, len(grid)) and lines.max(axis=1).tolist() == [5.0, 7.0] and np.isfinite(lines).all()
    assert abs(grid[lines[0].argmax()] - 1.234) < grid[1] - grid[0]


def test_plots_have_a_line_for_each_solver(server: ViserServer) -> None:
    histories = []
    for _ in range(2):
        source, history = WrittenSource(), History()
        for _ in range(6):
            history.add(source.latest())
        histories.append(history)
    plots = Plots(server, ["bpp", "pgs"])
    plots.update(histories)
    shown = {quantity.title: handle for quantity, handle in plots._plots}
    assert "time by stage (ms)" not in shown
    energy = shown["energy (J)"]
    assert [series["label"] for series in energy.series] == ["t (s)", "bpp", "pgs"]
    assert energy.data[0][-1] == pytest.approx(0.05) and energy.data[2][-1] == -205.0
    assert shown["real-time factor"].data[1][-1] == 0.5


def test_groups_can_be_hidden_and_come_back_hidden(server: ViserServer) -> None:
    panel = LookPanel(server, Look(), lambda: None)
    recording = drawn_recording(steps=1)
    drawing, frame = recording.drawing, frame_at(recording, 0)
    assert drawing is not None
    panel.refresh(drawing, frame)
    assert "default" not in inputs(server), "there is but one group"
    count = len(drawing.body_names)
    machine = replace(drawing, body_groups=("world", *("site",) * (count - 2), "crane/cable"))
    panel.refresh(machine, frame)
    assert {"crane", "crane/cable", "site"} <= set(inputs(server))
    users_set(inputs(server)["crane"], False)
    assert panel.look.hidden == {"crane"}
    panel.refresh(drawing, frame)
    panel.refresh(machine, frame)
    assert not inputs(server)["crane"].value and inputs(server)["site"].value
    assert "crane/cable" in legend(machine, frame, Look("group"))
    odd = replace(machine, body_groups=("world", *("<b>",) * (count - 1)))
    assert "&lt;b&gt;" in legend(odd, frame, Look("group"))
