"""Grippers: force of the jaws, what they hold does not creep, what is too heavy slips."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hydraulic_arms import GRAVITY, stepped

import taut
from taut.errors import InputError
from taut.joints import Motor, Prismatic
from taut.machines import Gripper
from taut.shapes import Box


def hand(mass: float = 20.0, **options: Any) -> taut.Scene:
    """A gripper on a lift over a box that is not in its middle."""
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("arm", Box(0.2, 0.2, 0.2), mass=50, position=(0, 0, 1.2), collides=False)
    lift = Prismatic(axis=(0, 0, 1), motor=Motor(position=0.0, max_force=1e5))
    scene.connect("world", "arm", lift, at=(0, 0, 1.2), name="lift")
    scene.add_body("box", Box(0.2, 0.15, 0.2), mass=mass, position=(0.03, 0, 0.1))
    values = {"reach": 0.2, "force": 500.0, "mass": 6, "opening": (0.05, 0.4), "pad_friction": 0.6} | options
    scene.add(Gripper(on=("arm", (0, 0, -0.9)), **values), name="hand")
    return scene


def gripped(simulation: taut.Simulation) -> Any:
    """After it has closed and lifted the box by 0.3 m."""
    simulation.controls["hand.close"].value = 1.0
    stepped(simulation, 1.5)
    lift, start = taut.Ramps((0.0, 0.0), (2.0, 0.3)), simulation.time
    while simulation.time < start + 2.0:
        simulation.controls["lift"].value = lift(simulation.time - start)
        assert simulation.step().status == "solved"
    stepped(simulation, 0.5)
    return simulation.part("hand")


@pytest.mark.parametrize("solver", ["bpp", "linear-time", "ipm"])
@pytest.mark.parametrize("step", [1 / 60, 1 / 120])
def test_each_jaw_presses_with_its_force_and_what_it_holds_does_not_creep(step: float, solver: str) -> None:
    simulation = taut.Simulation(hand(), step=step, solver=solver)
    view, box = gripped(simulation), simulation.body("box")
    assert view.holding and view.held == ("box",) and view.state == "grip"
    assert view.force == pytest.approx(500.0, rel=1e-9) and view.opening == pytest.approx(0.2, abs=1e-5)
    pads = simulation.contacts.of("box").force
    assert np.abs(pads[:, 0]).sum() == pytest.approx(1000.0, rel=1e-6)
    assert pads[:, 2].sum() == pytest.approx(20.0 * GRAVITY, rel=1e-6)
    assert box.position[0] == pytest.approx(0.0, abs=1e-5), "its gear centres what it grips"
    view.close(0.0)
    stepped(simulation, 0.5)
    start = box.position
    stepped(simulation, 1.0)
    assert np.linalg.norm(box.position - start) < 1e-6, "less than 1 um/s"
    assert view.force == pytest.approx(500.0, rel=1e-9), "let go, it goes on to press"


def test_what_friction_cannot_carry_slips_through() -> None:
    friction = 20.0 * GRAVITY / 1000.0
    for share, stays in ((1.1, True), (0.95, False)):
        scene = hand(pad_friction=share * friction)
        scene.bodies[scene.index_of("test", "box")].friction = share * friction
        simulation = taut.Simulation(scene)
        gripped(simulation)
        assert (simulation.body("box").position[2] > 0.38) == stays


def test_it_opens_again_and_closes_to_its_end() -> None:
    simulation = taut.Simulation(hand())
    view = simulation.part("hand")
    view.close()
    stepped(simulation, 1.5)
    view.open()
    stepped(simulation, 2.0)
    assert view.state == "limit" and view.opening == pytest.approx(0.4, abs=1e-9) and not view.holding
    simulation.controls["lift"].value = 0.8
    view.close(0.5)
    stepped(simulation, 4.0)
    assert view.opening == pytest.approx(0.05, abs=1e-9) and view.state == "limit" and not view.holding


def test_wrong_ones_are_refused() -> None:
    for options, message in (
        ({"opening": (0.4, 0.1)}, "opening"), ({"start": 0.5}, "start is 0.5"), ({"axis": (0, 0, 1)}, "across towards"),
        ({"mass": (1, 2, 3)}, "mass"), ({"schedule": {"open": float}}, "open"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            hand(**options)
