"""A body that is followed stays where it was on the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from sample_sources import WrittenSource, chain_drawing, inputs, press, users_set

from taut.spatial import Array
from taut.view.escort import MOST, NOBODY, Escort, worth_following
from taut.view.page import Page


@pytest.fixture
def source() -> WrittenSource:
    return WrittenSource()


@pytest.fixture
def page(source: WrittenSource) -> Iterator[Page]:
    made = Page([source, WrittenSource(solver="pgs")], port=0)
    yield made
    made.close()


def seen_at(page: Page, pane: int = 0) -> Array:
    """Where the load is on the page, m."""
    shown = page.panes[pane]
    return shown.nodes._frame_handle.position + shown.update.frame.positions[10]


def test_a_body_that_is_followed_stays_in_view(page: Page, source: WrittenSource) -> None:
    page.refresh()
    page._refresh_panels()
    first, second = seen_at(page), seen_at(page, 1)
    follow = inputs(page.server)["Follow"]
    assert follow.options[:2] == (NOBODY, "load")
    users_set(follow, "load")
    page.refresh()
    fallen = seen_at(page)
    assert fallen == pytest.approx(first - (0.0, 0.0, 1.0))  # nothing but it has moved
    for _ in range(2):
        page.refresh()
        assert seen_at(page) == pytest.approx(fallen)
    assert seen_at(page, 1) - seen_at(page) == pytest.approx(second - first)
    users_set(follow, NOBODY)
    page.refresh()
    assert page.panes[0].offset.any()  # it stays where it has come to
    press(page.server, "F")
    page.refresh()
    assert not page.panes[0].offset.any()
    source.description = replace(source.description, drawing=chain_drawing(4))
    page._refresh_panels()  # frames of the shorter chain are still to come
    assert page.panes[0].offset.tolist() == [0.0, 0.0, 0.0]


def test_who_is_gone_is_not_followed() -> None:
    escort, drawing, frame = Escort(), chain_drawing(), WrittenSource().frames[0]
    ahead = replace(frame, positions=frame.positions + (2.0, 0.0, 0.0))
    assert not escort.go(drawing, frame, "load") and escort.go(drawing, ahead, "load")
    assert escort.shift.tolist() == [2.0, 0.0, 0.0]
    gone = replace(frame, present=np.zeros_like(frame.present))
    assert not escort.go(drawing, gone, "load") and not escort.go(drawing, frame, "nobody")
    assert escort.shift.tolist() == [2.0, 0.0, 0.0]
    assert not escort.go(drawing, frame, "load")  # again, from where it is seen now
    assert escort.go(drawing, ahead, "load") and escort.shift.tolist() == [4.0, 0.0, 0.0]
    escort.restart()
    assert not escort.go(drawing, ahead, "load") and escort.shift.tolist() == [0.0, 0.0, 0.0]


def test_the_heaviest_bodies_are_worth_following() -> None:
    names = worth_following(chain_drawing(40))
    assert len(names) == MOST and names[0] == "load" and "link0" not in names and "world" not in names
