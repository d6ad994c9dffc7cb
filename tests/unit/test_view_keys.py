"""Controls without keys are given some; those that declare theirs keep them."""

from __future__ import annotations

from dataclasses import replace

from taut.scene.controls import VIEWER_KEYS
from taut.view.keys import FLIPS, PAIRS, with_keys
from taut.view.scene_panel import hotkeys
from taut.view.source import ControlInfo

HOIST = ControlInfo(name="hoist", low=-1.0, high=1.0, value=0.0, unit="m/s")


def named(*names: str) -> list[ControlInfo]:
    return [replace(HOIST, name=name) for name in names]


def test_keys_are_those_that_pages_know_and_nobody_uses() -> None:
    given = [key for pair in PAIRS for key in pair] + list(FLIPS)
    assert len(set(given)) == len(given) and set(given) <= set(hotkeys()) and not set(given) & set(VIEWER_KEYS)


def test_each_control_has_keys_of_its_own() -> None:
    own = replace(HOIST, name="own", keys=("q", "9"))
    brake = replace(HOIST, name="brake", low=0.0, unit="on/off")
    found = {each.name: each.keys for each in with_keys([*named("slew", "luff"), brake, own])}
    assert found == {"slew": PAIRS[1], "luff": PAIRS[2], "brake": ("0",), "own": ("q", "9")}  # q is of the first pair


def test_what_moves_by_itself_comes_last() -> None:
    scheduled = [replace(each, scheduled=True) for each in named("leg-1", "leg-2")]
    found = with_keys([*scheduled, *named("body")])
    assert [(each.name, each.keys) for each in found] == [("leg-1", PAIRS[1]), ("leg-2", PAIRS[2]), ("body", PAIRS[0])]


def test_controls_beyond_the_keys_have_none() -> None:
    count = len(PAIRS) + 2
    found = with_keys(named(*(str(number) for number in range(count))))
    assert [bool(each.keys) for each in found] == [True] * len(PAIRS) + [False, False]
    assert with_keys(found)[0] == found[0]
