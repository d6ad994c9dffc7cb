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
from taut.view.panels import (
    SPEEDS,
    UNFOCUS_SECONDS,
    LookPanel,
    Transport,
    legend,
    on_choice,
    speed_choices,
    status_table,
)
from taut.view.plots import Plots
from taut.view.replay import ReplaySource


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


def test_a_choice_may_be_gone_before_it_gives_the_keys_back(server: ViserServer) -> None:
    box, troubles = server.gui.add_checkbox("brake", False), list[Any]()

    async def choose() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, trouble: troubles.append(trouble))
        await box._impl.update_cb[0](SimpleNamespace(client=object(), target=box))
        box.remove()
        await asyncio.sleep(1.5 * UNFOCUS_SECONDS)

    on_choice(box, lambda _: None)
    asyncio.run(choose())
    assert troubles == []


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
