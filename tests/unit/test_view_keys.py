"""Controls without keys are given some; those that declare theirs keep them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from taut import scenes
from taut.scene.controls import VIEWER_KEYS
from taut.simulation.launch import RunRequest
from taut.view.keys import CAMERA_KEYS, FLIPS, PAIRS, hint_of, key_step, label_of, stepped, with_keys
from taut.view.performance import Performance
from taut.view.scene_panel import hotkeys
from taut.view.source import ControlInfo

HOIST = ControlInfo(name="hoist", low=-1.0, high=1.0, value=0.0, unit="m/s")


def named(*names: str) -> list[ControlInfo]:
    return [replace(HOIST, name=name) for name in names]


def test_keys_are_those_that_pages_know_and_nobody_uses() -> None:
    given = [key for pair in PAIRS for key in pair] + list(FLIPS)
    assert len(set(given)) == len(given) and set(given) <= set(hotkeys())
    assert not set(given) & {*VIEWER_KEYS, *CAMERA_KEYS}


def test_each_control_has_keys_of_its_own() -> None:
    own = replace(HOIST, name="own", keys=("g", "9"))
    brake = replace(HOIST, name="brake", low=0.0, unit="on/off")
    found = {each.name: each.keys for each in with_keys([*named("slew", "luff"), brake, own])}
    assert found == {"slew": PAIRS[1], "luff": PAIRS[2], "brake": ("0",), "own": ("g", "9")}  # g is of the first pair


def test_what_moves_by_itself_comes_last() -> None:
    scheduled = [replace(each, scheduled=True) for each in named("leg-1", "leg-2")]
    found = with_keys([*scheduled, *named("body")])
    assert [(each.name, each.keys) for each in found] == [("leg-1", PAIRS[1]), ("leg-2", PAIRS[2]), ("body", PAIRS[0])]


def test_every_part_has_keys_before_one_has_more() -> None:
    pairs = len(PAIRS)
    jacks = named(*(f"jack-{number}.{way}" for number in range(pairs) for way in ("speed", "valve")))
    slew = named("slew.angle", "slew.brake") + [replace(HOIST, name="slew.speed", scheduled=True)]
    found = [each.name for each in with_keys([*jacks, *slew]) if each.keys]
    assert found == [f"jack-{number}.speed" for number in range(pairs - 1)] + ["slew.speed"]


@pytest.mark.parametrize(
    ("scene", "driven"), [
        ("crane", ["slew.speed", "boom.luff", "winch.speed", "hook.latch"]),
        ("forklift", ["steer.extension", "lift.extension", "drive.throttle", "drive.gear", "drive.brake"]),
        ("tandem_cranes", ["left.speed", "right.speed", "hoist.speed", "slew.speed", "luff.speed"]),
    ],
)  # fmt: skip
def test_whoever_drives_a_machine_of_many_parts_has_keys_for_what_it_does(scene: str, driven: list[str]) -> None:
    controls = Performance(RunRequest(scenes.get(scene))).description.controls
    keys = {control.name: control.keys for control in with_keys(controls)}
    for name in driven:
        assert all(own for full, own in keys.items() if full.endswith(f"/{name}")), name


def test_controls_beyond_the_keys_have_none() -> None:
    count = len(PAIRS) + 2
    found = with_keys(named(*(str(number) for number in range(count))))
    assert [bool(each.keys) for each in found] == [True] * len(PAIRS) + [False, False]
    assert with_keys(found)[0] == found[0]


def test_labels_and_hints_name_the_keys() -> None:
    brake = replace(HOIST, name="brake", low=0.0, unit="on/off")
    hoist, pair = replace(HOIST, keys=("j", "L")), replace(brake, keys=("1", "2"))
    assert [label_of(each) for each in (HOIST, hoist, brake)] == ["hoist (m/s)", "hoist (m/s) [J\xa0L]", "brake"]
    assert label_of(replace(brake, keys=("0",))) == "brake [0]"
    assert hint_of(HOIST) is None and hint_of(replace(brake, keys=("0",))) == "0 turns it on or off"
    assert hint_of(pair) == "1 turns it off, 2 on"
    scheduled = replace(hoist, scheduled=True)
    assert hint_of(scheduled) == "follows its schedule until you move it, J decreases, L increases it"


@pytest.mark.parametrize(
    ("value", "change", "wanted"), [(0.58, -0.2, 0.38), (0.18, -0.2, 0.0), (-0.1, 0.2, 0.0), (0.0, -0.2, -0.2),
    (0.3 - 0.1, -0.2, 0.0), (0.95, 0.2, 1.0), (-1.0, -0.2, -1.0)],
)  # fmt: skip
def test_a_key_stops_at_zero_and_at_the_ends(value: float, change: float, wanted: float) -> None:
    assert stepped(HOIST, value, change) == pytest.approx(wanted, abs=1e-15)


def test_what_is_counted_moves_by_one() -> None:
    assert (key_step(HOIST), key_step(replace(HOIST, low=-1.0, high=4.0, unit="gear"))) == (0.1, 1.0)
