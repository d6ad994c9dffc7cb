"""Frames that are lost for some bodies only: those are made safe, and the others go on as if they were alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import taut
from taut.joints import Revolute, Spherical
from taut.shapes import Box, Sphere
from taut.stepping.loss import OF_BODIES, OF_ROWS, chosen, lost_bodies

LIMIT = 1e-4


def add_whip(scene: taut.Scene) -> None:
    """A chain whose links are thrown about: with one linearisation its rows do not hold."""
    last = "world"
    for i in range(4):
        name = f"link{i}"
        velocity = (0.0, 20.0 * (-1) ** i, 0.0)
        scene.add_body(name, Box(0.2, 0.02, 0.02), mass=0.1, position=(0.1 + 0.2 * i, 0.0, 2.0), velocity=velocity)
        scene.connect(last, name, Spherical(), at=(0.2 * i, 0.0, 2.0))
        last = name


def add_bystanders(scene: taut.Scene) -> None:
    """A pendulum, a ball in flight and one that lies on the ground."""
    scene.add_plane(friction=0.5)
    swing = {"velocity": (0.3, 0.0, 0.0), "angular_velocity": (0.0, -0.6, 0.0)}
    scene.add_body("pendulum", Box(0.1, 0.1, 1.0), mass=2.0, position=(5.0, 0.0, 1.5), **swing)
    scene.connect("world", "pendulum", Revolute(axis=(0, 1, 0)), at=(5.0, 0.0, 2.0))
    scene.add_body("flying", Sphere(0.1), mass=1.0, position=(8.0, 0.0, 5.0), velocity=(1.0, 2.0, 3.0))
    scene.add_body("lying", Sphere(0.1), mass=1.0, position=(-3.0, 0.0, 0.1))


def simulated(whip: bool) -> taut.Simulation:
    """The bystanders, with or without a whip."""
    scene = taut.Scene()
    if whip:
        add_whip(scene)
    add_bystanders(scene)
    return taut.Simulation(scene, integrator="euler")


def test_bystanders_of_a_lost_frame_go_on_as_if_they_were_alone() -> None:
    both, alone = simulated(whip=True), simulated(whip=False)
    both.bench.settings = replace(both.settings, budget=1, halvings=0, limit=LIMIT, linearisations=1)
    before = both.state.copy()
    report, other = both.step(), alone.step()
    assert report.status == "violation" and other.status == "solved"
    for name in ("pendulum", "flying", "lying"):
        mine, theirs = both.body(name), alone.body(name)
        np.testing.assert_allclose(mine.position, theirs.position, atol=1e-9)
        np.testing.assert_allclose(mine.velocity, theirs.velocity, atol=1e-7)
        np.testing.assert_allclose(mine.angular_velocity, theirs.angular_velocity, atol=1e-7)
    slower = np.linalg.norm(both.body("link0").velocity) / np.linalg.norm(before.velocity[1, :3])
    assert slower < 0.9, "the whip itself is made safe"
    ground = [c for c in range(len(both.contacts)) if "lying" in (both.contacts.body_a[c], both.contacts.body_b[c])]
    assert len(ground) == 1 and both.contacts.force[ground[0]][2] == pytest.approx(9.81, rel=1e-3)


def test_all_rows_count_again_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the others go on: no row may stay uncounted."""
    simulation = simulated(whip=True)
    simulation.bench.settings = replace(simulation.settings, budget=1, halvings=0, limit=LIMIT, linearisations=1)
    attempt, calls = taut.stepping.step.attempt, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return attempt(*arguments)

    monkeypatch.setattr(taut.stepping.step, "attempt", interrupted)
    with pytest.raises(KeyboardInterrupt):
        simulation.step()
    assert simulation.bench.counts.all()


def test_what_the_others_cost_is_counted() -> None:
    simulation = simulated(whip=True)
    simulation.bench.settings = replace(simulation.settings, budget=1, halvings=0, limit=LIMIT, linearisations=1)
    assert simulation.step().solves == 2


def test_the_frames_after_a_lost_one_are_solved() -> None:
    simulation = simulated(whip=True)
    settings = simulation.settings
    simulation.bench.settings = replace(settings, budget=1, halvings=0, limit=LIMIT, linearisations=1)
    assert simulation.step().status == "violation"
    assert simulation.bench.counts.all(), "all rows count again"
    simulation.bench.settings = settings
    reports = [simulation.step() for _ in range(20)]
    assert all(report.status == "solved" for report in reports)
    assert max(report.violation for report in reports) < 1e-5


def test_lost_are_all_that_joints_connect_to_a_row_that_does_not_hold() -> None:
    from taut.stepping.step import advance
    from taut.stepping.tally import Tally

    simulation = simulated(whip=True)
    bench, tally = simulation.bench, Tally()
    advance(bench, simulation.state, simulation.settings.step, tally)
    outcome = replace(tally.taken, row_error=np.zeros(bench.row_body.size))
    names = np.array(simulation.model.bodies.names)
    assert lost_bodies(bench, outcome, "cycling").all()
    outcome.row_error[np.flatnonzero(names[bench.row_body] == "link2")[0]] = 1.0
    assert set(names[lost_bodies(bench, outcome, "violation")]) == {"link0", "link1", "link2", "link3"}


def test_what_belongs_to_a_body_is_taken_with_it() -> None:
    """Every array of a state is by body, by row or by coordinate, or the same for all."""
    simulation = simulated(whip=True)
    state = simulation.state.copy()
    simulation.step()
    other, bench = simulation.state, simulation.bench
    lost = np.zeros(bench.model.bodies.count, bool)
    lost[1:5] = True
    mixed = chosen(bench, state, other, lost)
    for name in OF_BODIES:
        np.testing.assert_array_equal(getattr(mixed, name)[lost], getattr(other, name)[lost])
        np.testing.assert_array_equal(getattr(mixed, name)[~lost], getattr(state, name)[~lost])
    for name in OF_ROWS:
        rows = lost[bench.row_body]
        np.testing.assert_array_equal(getattr(mixed, name)[rows], getattr(other, name)[rows])
        np.testing.assert_array_equal(getattr(mixed, name)[~rows], getattr(state, name)[~rows])
    shared = {"time", "steps", "calm", "target", "applied", "applied_point", "energy", "contacts", "coordinate"}
    assert set(vars(state)) == {*OF_BODIES, *OF_ROWS, *shared}
