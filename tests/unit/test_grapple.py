"""Grapples: geometry of claws, forces at the tips, logs that are held."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hydraulic_arms import GRAVITY, stepped

import taut
from taut.errors import InputError
from taut.joints import Motor, Prismatic
from taut.machines import Grapple
from taut.shapes import Box, Cylinder

LOG = 150.0


def forwarder(log: bool = True, **options: Any) -> taut.Scene:
    """A grapple on a lift over a log along y."""
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("arm", Box(0.2, 0.2, 0.2), mass=500, position=(0, 0, 3), collides=False)
    lift = Prismatic(axis=(0, 0, 1), motor=Motor(position=0.0, max_force=1e5))
    scene.connect("world", "arm", lift, at=(0, 0, 3), name="lift")
    if log:
        turn = taut.spatial.from_two_vectors((0, 0, 1), (0, 1, 0))
        scene.add_body("log", Cylinder(0.22, 2), mass=LOG, position=(0.03, 0, 0.22), orientation=turn, friction=0.6)
    values = {"depth": 0.6, "force": 6e3, "opening": (0.1, 1.0), "mass": (80, 65)} | options
    scene.add(Grapple(on=("arm", (0, 0, -1.92)), **values), name="claw")
    return scene


@pytest.mark.parametrize("start", [0.1, 0.4, 1.0])
def test_opening_and_cylinder_follow_from_the_geometry(start: float) -> None:
    simulation = taut.Simulation(forwarder(log=False, start=start))
    view = simulation.part("claw")
    part = view.part
    assert view.opening == pytest.approx(start, abs=1e-12)
    tips = [simulation.part("claw").points([f"claw/claw-{n}"], np.array([-s * part.half, 0, -part.depth]))[0]
            for n, s in ((1, -1), (2, 1))]  # fmt: skip
    assert np.linalg.norm(tips[1] - tips[0]) == pytest.approx(start, abs=1e-12)
    view.close()
    stepped(simulation, 4.0)
    assert view.opening == pytest.approx(0.1, abs=1e-6) and view.state == "limit"
    view.open()
    stepped(simulation, 4.0)
    assert view.opening == pytest.approx(1.0, abs=1e-6)
    angles = [float(simulation.joint(f"claw/hinge-{number}").position) for number in (1, 2)]
    assert angles[0] == pytest.approx(angles[1], abs=1e-6), "the gear keeps claws alike"


@pytest.mark.parametrize("step", [1 / 60, 1 / 120])
@pytest.mark.parametrize("opening", [0.2, 0.5])
def test_force_at_the_tips_is_that_of_the_levers(opening: float, step: float) -> None:
    """The tips meet planes, no gravity: F e cos(phi) / (D cos(phi) + s sin(phi))."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("arm", Box(0.2, 0.2, 0.2), mass=500, position=(0, 0, 3), fixed=True)
    grapple = Grapple(
        on=("arm", (0, 0, -1)),
        depth=0.6,
        spread=0.4,
        arm=0.15,
        force=6e3,
        opening=(0.0, 1.0),
        start=opening,
        sync=False,
    )
    scene.add(grapple, name="claw")
    for claw, side in (("claw/claw-1", -1.0), ("claw/claw-2", 1.0)):
        own = (-side * 0.2, 0.0, -0.6)
        body = scene.bodies[scene.index_of("test", claw)]
        at = body.position + taut.spatial.rotate(body.orientation, own)
        assert at[0] == pytest.approx(side * 0.5 * opening, abs=1e-12)
        scene.connect("arm", claw, taut.joints.PointOnPlane(normal=(1, 0, 0)), at=at, name=f"{claw}-stop")
    simulation = taut.Simulation(scene, step=step)
    view = simulation.part("claw")
    view.close()
    stepped(simulation, 0.5)
    angle, cylinder = grapple.angle_at(opening), 6e3 * 0.6 / 0.15
    expected = cylinder * 0.15 * math.cos(angle) / (0.6 * math.cos(angle) + 0.2 * math.sin(angle))
    assert view.cylinder_force == pytest.approx(cylinder, rel=1e-9) and view.state == "grip"
    assert view.force == pytest.approx(expected, rel=1e-9)
    for number in (1, 2):
        reaction = simulation.joint(f"claw/claw-{number}-stop").reaction
        assert abs(reaction[0]) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("cylinder", [None, (9.0, 9.0)])
@pytest.mark.parametrize("solver", ["bpp", "linear-time", "ipm"])
def test_a_log_is_lifted_and_does_not_creep(solver: str, cylinder: Any) -> None:
    simulation = taut.Simulation(forwarder(cylinder_mass=cylinder), solver=solver)
    view, log = simulation.part("claw"), simulation.body("log")
    view.close()
    stepped(simulation, 3.0)
    assert view.held == ("log",) and view.holding
    for number in range(120):
        simulation.controls["lift"].value = 0.004 * (number + 1)
        stepped(simulation, 1 / 60)
    view.close(0.0)
    stepped(simulation, 1.0)
    start = log.position
    stepped(simulation, 1.0)
    assert np.linalg.norm(log.position - start) < 1e-6 and log.position[2] > 0.6 and view.holding
    assert simulation.contacts.of("log").force[:, 2].sum() == pytest.approx(LOG * GRAVITY, rel=1e-5)


def test_claws_that_are_short_squeeze_a_log_and_let_go_go_on_to_squeeze_it() -> None:
    simulation = taut.Simulation(forwarder(depth=0.45, opening=(0.0, 0.8), force=24e3))
    view, log = simulation.part("claw"), simulation.body("log")
    down, lift = taut.Ramps((0.0, 0.0), (2.0, -0.2)), taut.Ramps((0.0, -0.2), (2.0, 0.3))
    for ramp, share in ((down, -1.0), (lift, 1.0)):
        view.close(share)
        stepped(simulation, 3.0)
        start = simulation.time
        while simulation.time < start + 2.0:
            simulation.controls["lift"].value = ramp(simulation.time - start)
            assert simulation.step().status == "solved"
    view.close(0.0)
    stepped(simulation, 0.5)
    place = log.position
    stepped(simulation, 1.0)
    cylinder = 24e3 / view.part.advantage(0.0)
    assert view.state == "grip" and view.held == ("log",) and view.cylinder_force == pytest.approx(cylinder, rel=1e-9)
    assert view.force == pytest.approx(cylinder * view.part.advantage(view.spread), rel=1e-9)
    assert np.linalg.norm(log.position - place) < 1e-6 and log.position[2] > 0.3
    pads = simulation.contacts.of("log").force
    assert pads[:, 0].sum() == pytest.approx(0.0, abs=1.0) and np.abs(pads[:, 0]).sum() > 24e3


def test_its_rotator_turns_it() -> None:
    simulation = taut.Simulation(forwarder(log=False, rotator=500.0))
    view = simulation.part("claw")
    simulation.controls["claw.rotate"].value = 0.4
    stepped(simulation, 0.5)
    start = view.angle
    stepped(simulation, 2.0)
    assert view.angle - start == pytest.approx(0.8, abs=1e-9)
    view.rotate(0.0)
    stepped(simulation, 1.0)
    assert simulation.body("claw/frame").angular_velocity == pytest.approx(np.zeros(3), abs=1e-9)
    with pytest.raises(InputError, match="it has no rotator"):
        taut.Simulation(forwarder(log=False)).part("claw").rotate(0.1)


def test_wrong_ones_are_refused() -> None:
    for options, message in (
        ({"opening": (0.1, 5.0)}, "cannot open it so far"), ({"arm": 2.0}, "cannot open it so far"),
        ({"axis": (0, 0, 1)}, "across up"), ({"tines": 0}, "tines"), ({"start": 2.0}, "start"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=message):
            forwarder(**options)
