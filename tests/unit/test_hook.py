"""Hooks: by contact and by latch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sample_mechanisms import advance

import taut
from taut.errors import InputError
from taut.machines import Hook
from taut.shapes import Box, Capsule, Compound

OPENING = 0.1


def ring(radius: float, wire: float) -> Compound:
    """Twelve rods in a circle in the y-z plane around the origin."""
    rods = []
    for angle in np.linspace(0.0, 2.0 * math.pi, 13)[:-1]:
        turn = taut.spatial.from_axis_angle((1, 0, 0), angle)
        side = 2.0 * radius * math.tan(math.pi / 12)
        rods.append((Capsule(0.5 * wire, side), taut.spatial.rotate(turn, (0.0, radius, 0.0)), turn))
    return Compound(rods)


def crane(apart: float = 0.0, **options: object) -> taut.Scene:
    """A hook on the world, and a load whose eye is so far below its seat."""
    scene = taut.Scene()
    seat = np.array(Hook(on="world", opening=OPENING).seat)
    scene.add_body("load", Box(0.3, 0.3, 0.3), mass=100.0, position=(0, 0, seat[2] - apart - 0.4), collides=False)
    scene.add(Hook(on="world", eyes=[("load", (0, 0, 0.4))], opening=OPENING, **options), name="hook")
    return scene


def test_a_latch_takes_an_eye_within_its_opening_and_lets_go() -> None:
    simulation = taut.Simulation(crane(0.02))
    hook = simulation.part("hook")
    assert not hook.engaged and hook.distance == pytest.approx(0.02) and hook.load == 0.0
    simulation.controls["hook.latch"].value = 1.0
    advance(simulation, 0.5)
    assert hook.engaged and hook.load == pytest.approx(981.0, rel=1e-6)
    simulation.controls["hook.latch"].value = 0.0
    advance(simulation, 0.2)
    assert not hook.engaged and hook.load == 0.0 and simulation.body("load").velocity[2] < -1.5
    assert not hook.close(), "the eye has fallen out of reach"


def test_a_latch_follows_its_schedule() -> None:
    simulation = taut.Simulation(crane(0.02, schedule=taut.Ramps((0.05, 0.0), (0.1, 1.0), (0.5, 1.0), (0.6, 0.0))))
    for end, engaged in ((0.05, False), (0.5, True), (0.7, False)):
        advance(simulation, end - simulation.time)
        assert simulation.part("hook").engaged == engaged


def test_a_hook_can_hold_an_eye_from_the_start() -> None:
    simulation = taut.Simulation(crane(0.02, closed=True))
    advance(simulation, 30)
    hook = simulation.part("hook")
    assert hook.engaged and simulation.controls["hook.latch"].value == 1.0
    assert hook.load == pytest.approx(100.0 * 9.81, rel=1e-3)
    simulation.controls["hook.latch"].value = 0.0
    assert not hook.engaged


def test_a_hook_holds_nothing_from_the_start_that_it_cannot_reach() -> None:
    with pytest.raises(InputError, match="its opening is 0.1 m, and the nearest eye 0.2 m from its seat"):
        crane(0.2, closed=True)
    with pytest.raises(InputError, match="closed is True; it needs a latch, and eyes"):
        Hook(on="world", closed=True)


def test_a_hook_cannot_be_cut() -> None:
    simulation = taut.Simulation(crane())
    with pytest.raises(InputError, match="part hook is a Hook, which cannot be cut"), simulation.edit() as edit:
        edit.cut("hook")


def test_an_eye_out_of_reach_is_not_taken() -> None:
    assert not taut.Simulation(crane(1.1 * OPENING)).part("hook").close()


def test_a_latch_gives_way() -> None:
    for force, holds in ((970.0, False), (1000.0, True)):
        simulation = taut.Simulation(crane(release_force=force))
        simulation.part("hook").close()
        simulation.run(0.2, record=False)
        assert simulation.part("hook").engaged == holds


def test_a_latch_that_gave_way_can_be_closed_again() -> None:
    simulation = taut.Simulation(crane(release_force=970.0))
    latch, hook = simulation.controls["hook.latch"], simulation.part("hook")
    latch.set(1.0)
    while hook.engaged:
        simulation.step()
    latch.set(1.0)
    assert hook.engaged


def test_contact_alone_holds_a_ring() -> None:
    scene = taut.Scene(friction=0.3)
    hook = Hook(on="world", opening=OPENING, latch=False)
    scene.add(hook, name="hook")
    wire = 0.02
    inner = hook.seat[2] + 0.5 * wire + 0.01
    scene.add_body("ring", ring(0.08, wire), mass=10.0, position=(0, 0, inner - 0.08))
    simulation = taut.Simulation(scene)
    advance(simulation, 2.0)
    assert abs(simulation.body("ring").position[2] - (inner - 0.08)) < 0.03
    assert simulation.part("hook").engaged is False and "hook.latch" not in simulation.controls


def test_a_swivel_turns_and_a_fixed_hook_does_not() -> None:
    for swivel in (True, False):
        simulation = taut.Simulation(crane(swivel=swivel))
        simulation.body("hook/hook").apply(torque=(0, 0, 1.0))
        advance(simulation, 0.3)
        assert (abs(simulation.body("hook/hook").angular_velocity[2]) > 1.0) == swivel


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"on": 3}, "on is 3"),
        ({"eyes": "load"}, "eyes is 'load'"),
        ({"eyes": [3]}, "eyes is 3"),
        ({"eyes": ["nobody"]}, "no body 'nobody'"),
        ({"eyes": ["world"], "latch": False}, "eyes is given, but latch is False"),
        ({"schedule": abs, "latch": False}, "schedule is given, but latch is False"),
        ({"opening": 0.0}, "opening is 0"),
    ],
)
def test_what_makes_no_hook_is_said(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        taut.Scene().add(Hook(**{"on": "world"} | wrong), name="hook")
