"""Hard rows that catch what moves: an inelastic jerk. What was caught does not come back, and momentum is shared."""

from __future__ import annotations

import math

import numpy as np
import pytest

import taut
from taut.joints import Distance, Joint, Prismatic, Revolute, Rope, Route, Spherical, attach

GRAVITY, START = 9.81, 2.0


def falling(**options: object) -> taut.Simulation:
    """A body in free fall from 2 m below the origin."""
    scene = taut.Scene(collisions=bool(options.pop("collisions", False)))
    scene.add_body("body", taut.shapes.Sphere(0.1), mass=10.0, position=(0, 0, -START))
    return taut.Simulation(scene, **options)


def rope(kind: str, length: float | None = None) -> Joint:
    """A rope between the origin and the body's centre."""
    return Rope(length=length) if kind == "rope" else Route(stops=(attach("world"), attach("body")), length=length)


@pytest.mark.parametrize("kind", ["rope", "route"])
@pytest.mark.parametrize("slack", np.linspace(1.2, 1.3, 11))
@pytest.mark.parametrize("options", [{}, {"collisions": True}, {"integrator": "low-damping"}], ids=str)
def test_a_slack_rope_stops_a_fall(kind: str, slack: float, options: dict) -> None:
    """Wherever in a frame it becomes taut; the body went up again at up to half its speed."""
    scene = taut.Scene(collisions=bool(options.get("collisions")))
    scene.add_body("body", taut.shapes.Sphere(0.1), mass=10.0, position=(0, 0, -START))
    scene.connect("world", "body", rope(kind, START + slack), at=(0, 0, 0), name="rope")
    rest = {key: value for key, value in options.items() if key != "collisions"}
    simulation = taut.Simulation(scene, **rest)
    speeds, energies = [], []
    for _ in range(45):
        energies.append(simulation.step().energy)
        speeds.append(simulation.body("body").velocity[2])
    assert min(speeds) < -4.5 and max(speeds) < 1e-9, "it never comes back"
    assert np.diff(energies).max() < 1e-4 and abs(speeds[-1]) < 1e-9
    assert simulation.body("body").position[2] == pytest.approx(-START - slack, abs=1e-6)
    assert simulation.joint("rope").tension == pytest.approx(10.0 * GRAVITY, rel=1e-6)


ADDED = {
    "rope": (rope("rope"), {}), "route": (rope("route"), {}), "distance": (Distance(), {}), "ball": (Spherical(), {}),
    "rope of a machine": (taut.machines.Rope(stops=(attach("world"), attach("body"))), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", ADDED)
@pytest.mark.parametrize("options", [{}, {"solver": "ipm"}, {"solver": "linear-time"}, {"collisions": True}], ids=str)
def test_what_an_edit_ties_to_a_falling_body_stops_it(name: str, options: dict) -> None:
    simulation, (kind, _) = falling(**options), ADDED[name]
    for _ in range(30):
        simulation.step()
    before, height = simulation.body("body").velocity[2], simulation.body("body").position[2]
    with simulation.edit() as edit:
        if isinstance(kind, Joint):
            edit.connect("world", "body", kind, at=(0, 0, 0) if name == "rope" else None, name="tie")
        else:
            edit.add(kind, "tie")
    assert before < -4.5
    for frame in range(10):
        report = simulation.step()
        assert report.status == "solved" and report.substeps == 1, frame
        assert np.abs(simulation.body("body").velocity).max() < 1e-9
    assert simulation.body("body").position[2] == pytest.approx(height, abs=1e-9)


@pytest.mark.parametrize("added", [False, True])
def test_two_bodies_go_on_with_their_common_speed(added: bool) -> None:
    """v = m_1 v_1 / (m_1 + m_2) along the rope, to rounding; across it nothing happens."""
    scene = taut.Scene(collisions=False, gravity=(0, 0, 0))
    scene.add_body("a", mass=2.0, inertia=(1, 1, 1))
    scene.add_body("b", mass=3.0, inertia=(1, 1, 1), position=(1, 0, 0), velocity=(2.0, 0, 0))
    if not added:
        scene.connect("a", "b", Rope(length=1.31), at=(0, 0, 0), name="rope")
    simulation = taut.Simulation(scene)
    simulation.run(0.1, record=False)
    if added:
        with simulation.edit() as edit:
            edit.connect("a", "b", Rope(), at=tuple(simulation.body("a").position), name="rope")
    for _ in range(12):
        report = simulation.step()
        assert report.momentum[0] == pytest.approx([6.0, 0, 0], abs=1e-12)
    for body in "ab":
        assert simulation.body(body).velocity == pytest.approx([1.2, 0, 0], abs=1e-9)


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("stop", np.linspace(0.2, 0.3, 7))
def test_ends_of_joints_catch_too(coordinates: str, stop: float) -> None:
    scene = taut.Scene(collisions=False)
    scene.add_body("slide", mass=5.0, inertia=(1, 1, 1))
    scene.connect("world", "slide", Prismatic(axis=(0, 0, 1), limits=(-stop, 1.0)), name="guide")
    scene.add_body("arm", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(3.5, 0, 0))
    hinge = Revolute(axis=(0, 1, 0), limits=(-1.0, stop))
    scene.connect("world", "arm", hinge, at=(3, 0, 0), name="hinge")
    simulation, rates = taut.Simulation(scene, coordinates=coordinates), []
    for _ in range(40):
        simulation.step()
        rates.append([simulation.body("slide").velocity[2], -simulation.body("arm").angular_velocity[1]])
    assert np.max(rates) < 1e-9 and np.min(rates, axis=0).max() < -1.0
    assert simulation.joint("guide").position == pytest.approx(-stop, abs=1e-6)
    assert simulation.joint("hinge").position == pytest.approx(stop, abs=1e-6)


def test_a_rope_that_is_hauled_in_pulls_its_load_up() -> None:
    """A length that becomes shorter is no jerk: what is pulled along leaves as fast as the rope is hauled in."""
    scene = taut.Scene(collisions=False, gravity=(0, 0, 0))
    scene.add_body("load", mass=4.0, inertia=(1, 1, 1), position=(0, 0, -2))
    scene.connect("world", "load", Rope(length=2.01), at=(0, 0, 0), name="rope")
    simulation = taut.Simulation(scene)
    for frame in range(30):
        simulation.joint("rope").set_length(2.01 - 0.5 * (frame + 1) / 60)
        simulation.step()
    assert simulation.body("load").position[2] == pytest.approx(-2.01 + 0.25, abs=2e-3)
    assert simulation.body("load").velocity[2] == pytest.approx(0.5, abs=0.02)
    assert math.isfinite(simulation.report.energy)


def test_a_taut_rope_leads_a_body_round_as_a_rod_does() -> None:
    energies = []
    for kind in (taut.joints.Rope(length=1.0), taut.joints.Distance(length=1.0)):
        scene = taut.Scene(collisions=False, gravity=(0, 0, 0))
        scene.add_body("ball", taut.shapes.Sphere(0.05), mass=1.0, position=(0, 0, -1), velocity=(3, 0, 0))
        scene.connect("world", "ball", kind, at=(0, 0, 0))
        energies.append(taut.Simulation(scene).run(1.0).energy)
    assert energies[0] == pytest.approx(energies[1], rel=1e-9)
