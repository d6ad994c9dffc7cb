"""Parts of machines whose bodies or joints are removed: they do nothing any more, and say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hoists import hoist

import taut
from taut.errors import InputError
from taut.machines import Cable, Hook, Pulley, Sling
from taut.shapes import Box


def lifted(part: Any) -> taut.Simulation:
    scene = taut.Scene(collisions=False)
    scene.add_body("load", Box(1, 1, 1), mass=10.0, position=(0, 0, -2))
    scene.add_body("other", Box(1, 1, 1), mass=10.0, position=(2, 0, -2))
    scene.add(part, name="part")
    return taut.Simulation(scene)


def remove(simulation: taut.Simulation, bodies: tuple[str, ...], joints: tuple[str, ...] = ()) -> None:
    with simulation.edit() as edit:
        for joint in joints:
            edit.remove_joint(joint)
        for body in bodies:
            edit.remove_body(body)


@pytest.mark.parametrize(
    ("pick", "lost"),
    [
        (lambda view: (("winch/drum",), ()), "winch/hinge"),
        (lambda view: ((), ("winch/hinge",)), "winch/hinge"),
        (lambda view: ((), ("winch/lever",)), "winch/lever"),
        (lambda view: (view.segments, ()), "all of its rope"),
    ],
)
def test_a_winch_that_is_taken_apart_does_nothing_and_says_so(
    pick: Callable[[Any], tuple[tuple[str, ...], tuple[str, ...]]], lost: str
) -> None:
    simulation = taut.Simulation(hoist(schedule=lambda time: 0.5 if time < 0.3 else 0.2))
    view = simulation.part("winch")
    simulation.run(0.2, record=False)
    remove(simulation, *pick(view))
    simulation.run(0.3, record=False)
    assert simulation.report.status == "solved"
    for read in (lambda: view.payout, lambda: view.state, lambda: view.tensions, view.report):
        with pytest.raises(
            InputError, match=f"part 'winch': {lost} was removed; there is no .* of this Winch"
        ) as caught:
            read()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("gone", ["winch/reel", "winch/1", "winch/4", "load"])
def test_a_winch_without_some_of_its_rope_goes_on(gone: str) -> None:
    simulation = taut.Simulation(hoist())
    view = simulation.part("winch")
    view.drive(-0.5)
    remove(simulation, *(((), (gone,)) if gone == "winch/reel" else ((gone,), ())))
    simulation.run(1.0, record=False)
    assert view.report() and view.holds == (gone in ("winch/4", "load"))


@pytest.mark.parametrize(
    ("part", "read"),
    [
        (Cable(from_="world", to="load", segments=4), "tensions"),
        (Cable(from_="world", to="load", segments=4), "sag"),
        (Hook(on="world", eyes=["load"], release_force=10.0), "distance"),
        (Sling(eye="world", to=["load", "other"]), "leg_angles"),
    ],
)
def test_parts_that_are_gone_have_no_readings(part: Any, read: str) -> None:
    simulation = lifted(part)
    view = simulation.part("part")
    assert view.report()
    remove(simulation, view.bodies, () if view.bodies else view.joints)
    simulation.run(0.1, record=False)
    with pytest.raises(InputError, match=f"part 'part': all of it was removed; there is no {read} of this"):
        getattr(view, read)


def test_a_pulley_off_its_bearing_says_so() -> None:
    simulation = lifted(Pulley(holder=("world", (0, 0, 2)), radius=0.2, inertia=0.3))
    view = simulation.part("part")
    assert view.report()
    remove(simulation, (), view.joints)
    simulation.run(0.1, record=False)
    with pytest.raises(InputError, match="part 'part': part/bearing was removed; there is no speed of this Pulley"):
        assert view.speed


def test_a_hook_that_is_gone_takes_nothing() -> None:
    simulation = lifted(Hook(on="world", eyes=["load"]))
    remove(simulation, ("part/hook",))
    with pytest.raises(InputError, match="all of it was removed"):
        simulation.controls["part.latch"].set(1.0)


def test_a_sling_reads_the_legs_that_are_left() -> None:
    simulation = lifted(Sling(eye="world", to=["load", "other"]))
    remove(simulation, ("other",))
    simulation.run(0.1, record=False)
    view = simulation.part("part")
    assert view.tensions[0] > 0.0 and view.tensions[1] == 0.0
    assert view.leg_angles == pytest.approx([0.0, np.nan], nan_ok=True)
