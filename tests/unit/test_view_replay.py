"""Recordings that play."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sample_recordings import STEP, chain_info
from sample_sources import drawn_recording

from taut.errors import InputError
from taut.results.record import Recording
from taut.view.replay import ReplaySource


class Clock:
    """Wall-clock seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def source(clock: Clock) -> ReplaySource:
    return ReplaySource(drawn_recording(steps=20), clock)


def test_the_first_frame_is_shown_once(source: ReplaySource) -> None:
    first = source.latest()
    assert first is not None and first.frame.time == 0.0 and not first.playing and math.isnan(first.real_time_factor)
    assert source.latest() is None
    assert source.description.length == 21 and source.description.scene == "sample_chain"


def test_it_plays_by_the_clock_and_loses_no_report(source: ReplaySource, clock: Clock) -> None:
    rows = [source.latest().reports["index"]]
    source.play()
    for seconds in (0.0, 0.035, 0.01, 0.035):
        clock.now += seconds
        update = source.latest()
        assert update.playing and update.real_time_factor == 1.0
        rows.append(update.reports["index"])
    assert source.position == 8
    assert np.concatenate(rows).tolist() == [0, 0, *range(1, 9)]  # the second 0 tells that it plays


def test_nothing_is_new_between_two_frames(source: ReplaySource, clock: Clock) -> None:
    source.play()
    source.latest()
    clock.now += 0.4 * STEP
    assert source.latest() is None


def test_speed_changes_without_a_jump(source: ReplaySource, clock: Clock) -> None:
    source.play()
    clock.now += 4 * STEP
    source.set_speed(0.5)
    assert source.latest().frame.time == pytest.approx(4 * STEP)
    clock.now += 4 * STEP
    update = source.latest()
    assert update.frame.time == pytest.approx(6 * STEP) and update.real_time_factor == 0.5


def test_it_pauses_steps_seeks_and_resets(source: ReplaySource, clock: Clock) -> None:
    source.play()
    clock.now += 3 * STEP
    source.pause()
    clock.now += 5.0
    assert source.latest().frame.time == pytest.approx(3 * STEP)
    source.step()
    assert source.position == 4 and source.latest().reports["index"].tolist() == [4]
    source.seek(2)
    update = source.latest()
    assert update.reports["index"].tolist() == [2] and not update.playing
    source.seek(999)
    assert source.position == 20
    source.reset()
    assert source.position == 0


def test_it_ends_with_the_last_frame_and_plays_again_from_the_first(source: ReplaySource, clock: Clock) -> None:
    source.play()
    clock.now += 10.0
    update = source.latest()
    assert update.frame.time == pytest.approx(20 * STEP) and not update.playing and "end" in update.message
    source.play()
    assert source.position == 0 and source.latest().playing


def test_frames_spread_over_the_whole_motion(source: ReplaySource) -> None:
    times = [frame.time for frame in source.frames()]
    assert times[0] == 0.0 and times[-1] == pytest.approx(20 * STEP) and len(times) == 21


def test_an_empty_recording_is_refused() -> None:
    with pytest.raises(InputError, match="no frames"):
        ReplaySource(Recording(chain_info()))
