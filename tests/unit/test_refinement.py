"""Velocities of light bodies between joints that carry much: exact to their own digits, not to those of the forces."""

from __future__ import annotations

import numpy as np
import pytest

import taut
import taut.stepping.step
from taut import solvers
from taut.stepping.settings import CORRECTION

EXACT = [each.name for each in solvers.all() if each.exact]


def hanging_on_a_bead(solver: str) -> taut.Simulation:
    """1 t that swings on a bead of 1e-9 kg and a millimetre: 9810 N / 1e-9 kg is 1e13 m/s^2, and cancels."""
    scene = taut.Scene(collisions=False)
    bead = scene.add_body("bead", taut.shapes.Sphere(1e-3), mass=1e-9, position=(0.0, 0.0, -0.004))
    load = scene.add_body(
        "load", taut.shapes.Sphere(0.02), mass=1000.0, position=(0.0, 0.0, -0.028), velocity=(0.01, 0.005, 0.0)
    )
    scene.connect("world", bead, taut.joints.Revolute(axis=(0.0, 1.0, 0.0)), at=(0.0, 0.0, 0.0))
    scene.connect(bead, load, taut.joints.Spherical(), at=(0.0, 0.0, -0.008))
    return taut.Simulation(scene, solver=solver, integrator="euler")


@pytest.mark.parametrize("solver", EXACT)
def test_rounding_of_large_forces_does_not_open_joints_of_light_bodies(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it joints stay open by 1 to 2 um, however often the step is linearised."""
    sim = hanging_on_a_bead(solver)
    reports = [sim.step() for _ in range(30)]
    assert all(report.status == "solved" for report in reports)
    assert max(report.violation for report in reports) < 5e-7
    assert sum(report.solves for report in reports) <= 150
    monkeypatch.setattr(taut.stepping.step, "CORRECTION", CORRECTION._replace(rounding=np.inf))
    plain = hanging_on_a_bead(solver)
    assert max(plain.step().violation for _ in range(30)) > 8e-7, "the scene must need it"


def test_what_closes_is_left_as_it_is() -> None:
    """In a scene without such forces nothing is corrected, and no bit changes."""
    scene = taut.Scene(collisions=False)
    rod = scene.add_body("rod", taut.shapes.Box(1.0, 0.1, 0.1), mass=1.0, position=(0.5, 0.0, 0.0))
    scene.connect("world", rod, taut.joints.Spherical(), at=(0.0, 0.0, 0.0))
    sim = taut.Simulation(scene)
    reports = [sim.step() for _ in range(30)]
    assert sum(report.solves for report in reports) == 33, "one a frame, four in the first"


@pytest.mark.parametrize("mode", ["box-refined", "cone"])
def test_what_slides_keeps_the_bounds_that_its_friction_settled_with(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A block on a board, pressed on it ten times as hard as the step before knows of; every solve is refined."""
    monkeypatch.setattr(taut.stepping.step, "CORRECTION", CORRECTION._replace(rounding=-1.0))
    scene = taut.Scene(friction=0.5)
    scene.add_body("board", taut.shapes.Box(4.0, 1.0, 0.1), mass=5.0, position=(0, 0, -0.05))
    scene.connect("world", "board", taut.joints.Fixed(), at=(0, 0, -0.05))
    scene.add_body("block", taut.shapes.Box(0.5, 0.5, 0.5), mass=2.0, position=(0, 0, 0.25), velocity=(3.0, 0.2, 0.0))
    simulation = taut.Simulation(scene, friction=mode)
    for _ in range(5):
        simulation.step()
    simulation.state.applied[2, 2] = -180.0
    report = simulation.step()
    force = simulation.state.contacts.force
    assert report.status == "solved" and report.solves == 2, "one solve and its refinement"
    normal, across = force[:, 0], np.linalg.norm(force[:, 1:3], axis=1)
    assert normal.sum() == pytest.approx(180.0 + 2.0 * 9.81, rel=2e-2)
    assert across.sum() == pytest.approx(0.5 * normal.sum(), rel=2e-2), "it slides: neither less nor more holds it back"
