"""Frames that fail for some bodies only: those go on alone, and the others keep what they have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_up_outcomes import first_solve, nothing_spent
from sample_mechanisms import same_state, with_settings

import taut
import taut.stepping.frame
from taut.joints import Spherical
from taut.shapes import Box, Sphere
from taut.spatial import from_two_vectors
from taut.stepping.advance import lost_bodies
from taut.stepping.outcome import Outcome
from taut.stepping.settings import DIVISION
from taut.stepping.tally import Tally

LIMIT = 1e-4
POOR = {"budget": 1, "halvings": 0, "limit": LIMIT, "linearisations": 1}
"""Settings with which the whip cannot be solved."""
BYSTANDERS = ("pendulum", "flying", "lying")


@pytest.fixture(autouse=True)
def many_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few bodies that can touch go apart at once as many do."""
    monkeypatch.setattr("taut.stepping.stepper.DIVISION", DIVISION._replace(many_bodies=0))


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
    swing = {"velocity": (0.3, 0.0, 0.0), "angular_velocity": (0.0, -0.6, 0.0)}
    scene.add_body("pendulum", Box(0.1, 0.1, 1.0), mass=2.0, position=(5.0, 0.0, 1.5), **swing)
    scene.connect("world", "pendulum", Spherical(), at=(5.0, 0.0, 2.0))
    scene.add_body("flying", Sphere(0.1), mass=1.0, position=(8.0, 0.0, 5.0), velocity=(1.0, 2.0, 3.0))
    scene.add_body("lying", Sphere(0.1), mass=1.0, position=(-3.0, 0.0, 0.1))


def simulated(whip: bool, bystanders: bool = True, **options: Any) -> taut.Simulation:
    """The bystanders, with or without a whip, or the whip alone."""
    scene = taut.Scene()
    scene.add_plane(friction=0.5)
    if whip:
        add_whip(scene)
    if bystanders:
        add_bystanders(scene)
    return taut.Simulation(scene, **({"integrator": "euler"} | options))


def same_motion(one: taut.Simulation, other: taut.Simulation, names: tuple[str, ...]) -> bool:
    """Whether bodies of two simulations have the same poses and velocities, to the bit."""
    arrays = ("position", "orientation", "velocity", "spin", "displacement", "calm", "history")
    first, second = ([each.model.bodies.names.index(name) for name in names] for each in (one, other))
    return all(np.array_equal(getattr(one.state, a)[first], getattr(other.state, a)[second]) for a in arrays)


def test_bystanders_of_a_lost_frame_go_on_as_if_they_were_alone() -> None:
    both, alone = simulated(whip=True), simulated(whip=False)
    with_settings(both, **POOR)
    before = both.state.copy()
    report, other = both.step(), alone.step()
    assert report.status == "violation" and other.status == "solved"
    for name in BYSTANDERS:
        mine, theirs = both.body(name), alone.body(name)
        np.testing.assert_allclose(mine.position, theirs.position, atol=1e-9)
        np.testing.assert_allclose(mine.velocity, theirs.velocity, atol=1e-7)
        np.testing.assert_allclose(mine.angular_velocity, theirs.angular_velocity, atol=1e-7)
    slower = np.linalg.norm(both.body("link0").velocity) / np.linalg.norm(before.velocity[1, :3])
    assert slower < 0.9, "the whip itself is made safe"
    ground = [c for c in range(len(both.contacts)) if "lying" in (both.contacts.body_a[c], both.contacts.body_b[c])]
    assert len(ground) == 1 and both.contacts.force[ground[0]][2] == pytest.approx(9.81, rel=1e-3)


@pytest.mark.parametrize("integrator", ["euler", "bdf2"])
def test_groups_that_fail_or_not_take_their_frames_as_if_they_were_alone(integrator: str) -> None:
    """A whip that needs many solves beside bodies that need one: each as in a scene of its own, to the bit."""
    both = simulated(whip=True, integrator=integrator)
    apart = simulated(whip=False, integrator=integrator), simulated(True, bystanders=False, integrator=integrator)
    alone = 0
    for each in (both, *apart):
        each.state.steps = 1  # the first frame of all is divided for all at once
    for number in range(40):
        reports = [each.step() for each in (both, *apart)]
        assert {report.status for report in reports} == {"solved"}
        assert same_motion(both, apart[0], BYSTANDERS), f"frame {number}"
        assert same_motion(both, apart[1], ("link0", "link1", "link2", "link3")), f"frame {number}"
        alone += len(both.stepper.parts) > 0
    assert alone, "the whip must have had to go on alone"


def test_a_group_that_fails_leaves_the_first_result_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bodies that were fine at the first try are not solved again: what they have is kept to the bit."""
    simulation = simulated(whip=True)
    attempt, seen = taut.stepping.frame.attempt, []

    def watch(*arguments: Any, **options: Any) -> Any:
        seen.append(attempt(*arguments, **options))
        return seen[-1]

    monkeypatch.setattr(taut.stepping.frame, "attempt", watch)
    report = simulation.step()
    assert report.status == "solved" and len(seen) == 2 and len(simulation.stepper.parts) == 1
    verdicts, outcome, names = seen[0].verdicts, seen[0].outcome, simulation.model.bodies.names
    failed = {name for name, group in zip(names, outcome.group, strict=True) if verdicts[group] != "solved"}
    assert failed == {"link0", "link1", "link2", "link3"}
    kept = [names.index(name) for name in BYSTANDERS]
    for name in ("position", "orientation", "velocity", "spin"):
        np.testing.assert_array_equal(getattr(simulation.state, name)[kept], getattr(outcome, name)[kept])
    part = next(iter(simulation.stepper.parts.values()))
    assert {names[body] for body in np.flatnonzero(part.moving)} == failed


def test_only_bodies_that_moved_roughly_are_left_to_euler() -> None:
    simulation = simulated(whip=True, integrator="bdf2")
    for _ in range(3):
        simulation.step()
    names = np.array(simulation.model.bodies.names)
    simulation.state.calm[:] = 100
    with_settings(simulation, **POOR)
    assert simulation.step().status == "violation"
    assert set(names[simulation.state.calm == 0]) == {"link0", "link1", "link2", "link3"}
    assert (simulation.state.calm[np.isin(names, BYSTANDERS)] == 101).all()


def test_the_energy_after_a_frame_in_parts_is_that_of_the_state() -> None:
    simulation = simulated(whip=True)
    for _ in range(10):
        simulation.step()
        found = simulation.state.energy
        simulation.refresh()
        assert found == pytest.approx(simulation.state.energy, rel=1e-12)


def test_an_interrupt_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while a part goes on alone: the state stays, and the next frame is the one that was interrupted."""
    simulation, twin = simulated(whip=True), simulated(whip=True)
    before = simulation.state.copy()
    attempt, calls = taut.stepping.frame.attempt, []

    def interrupted(*arguments: Any, **options: Any) -> Any:
        calls.append(attempt(*arguments, **options))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return calls[-1]

    with monkeypatch.context() as patch:
        patch.setattr(taut.stepping.frame, "attempt", interrupted)
        with pytest.raises(KeyboardInterrupt):
            simulation.step()
    assert len(calls) == 2 and len(simulation.stepper.parts) == 1, "it came while the whip was alone"
    assert same_state(simulation.state, before) == []
    for _ in range(3):
        simulation.step()
        twin.step()
        assert same_state(simulation.state, twin.state) == []


def test_what_the_others_cost_is_counted() -> None:
    """One solve for all, and one for the whip on its own."""
    simulation = simulated(whip=True)
    with_settings(simulation, **POOR)
    assert simulation.step().solves == 2


def test_the_frames_after_a_lost_one_are_solved() -> None:
    simulation = simulated(whip=True)
    with_settings(simulation, **POOR)
    assert simulation.step().status == "violation"
    with_settings(simulation)
    reports = [simulation.step() for _ in range(20)]
    assert all(report.status == "solved" for report in reports)
    assert max(report.violation for report in reports) < 1e-5


def test_lost_are_all_that_joints_connect_to_a_row_that_does_not_hold() -> None:
    simulation = simulated(whip=True)
    stepper, names = simulation.stepper, np.array(simulation.model.bodies.names)
    _, outcome = first_solve(simulation)
    outcome.row_error[:] = 0.0
    assert np.array_equal(lost_bodies(stepper, outcome, "cycling"), simulation.model.bodies.moves > 0)
    outcome.row_error[np.flatnonzero(names[stepper.mechanism.links.row_body] == "link2")[0]] = 1.0
    assert set(names[lost_bodies(stepper, outcome, "violation")]) == {"link0", "link1", "link2", "link3"}


def test_passes_of_friction_of_all_parts_share_what_a_frame_may_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two heaps that each slide: whichever goes on alone takes from the same number."""
    simulation = simulated(whip=True)
    stepper, left = simulation.stepper, []
    stepper.friction_passes = 10
    whole_frame = taut.stepping.frame.frame

    def spend(part: Any, state: Any) -> Any:
        left.append(part.friction_passes)
        result = whole_frame(part, state)
        part.friction_passes = left[-1] - 4
        return result

    moves, count = stepper.mechanism.bodies.moves > 0, stepper.mechanism.count
    monkeypatch.setattr(taut.stepping.frame, "frame", spend)
    groups = [moves & (np.arange(count) < 5), moves & (np.arange(count) >= 5)]
    taut.stepping.frame.apart(stepper, simulation.state, simulation.state, groups, nothing_spent(simulation))
    assert left == [10, 6] and stepper.friction_passes == 2


def chains_side_by_side(collisions: bool) -> taut.Simulation:
    """Chains that hang and swing a little, one with a weight that is let go above its pin, and a ball that falls."""
    scene = taut.Scene(collisions=collisions, friction=0.5)
    scene.add_plane()
    for chain in range(6):
        rises, last, end = chain == 3, "world", np.array([4.0 * chain, 0.0, 1.2])
        along = np.array([0.5, 0.0, 0.75**0.5]) if rises else np.array([0.1, 0.0, -(0.99**0.5)])
        for number in range(5):
            middle, turn = end + 0.1 * along, from_two_vectors((0, 0, 1), along)
            name = scene.add_body(f"c{chain}-{number}", Box(0.02, 0.02, 0.2), mass=0.25 if number < 4 else 10.0,
                                  position=middle, orientation=turn)  # fmt: skip
            scene.connect(last, name, Spherical(), at=end)
            last, end = name, end + 0.2 * along
    scene.add_body("ball", Sphere(0.1), mass=1.0, position=(30.0, 0.0, 1.0))
    return taut.Simulation(scene)


@pytest.mark.parametrize("collisions", [False, True])
def test_bodies_that_are_well_are_solved_once_a_frame(collisions: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a chain that snaps taut and a ball that strikes the ground need is solved for their bodies alone."""
    simulation, seen = chains_side_by_side(collisions), []
    simulation.step()  # the first frame is divided for all at once
    count, bodies, most = Tally.count, simulation.model.bodies, 0

    def watch(tally: Tally, outcome: Outcome) -> None:
        seen.append(outcome.group.size)
        count(tally, outcome)

    monkeypatch.setattr(Tally, "count", watch)
    fixed = bodies.count - int(bodies.moves.sum())
    for frame in range(90):
        seen.clear()
        report = simulation.step()
        assert report.status == "solved"
        again = [size - fixed for size in seen if size < bodies.count]
        assert len(seen) - len(again) <= 1, f"frame {frame}: all were solved again"
        assert max(again, default=0) <= 6, f"frame {frame}: more than one chain and the ball"
        most = max(most, report.solves)
    assert most > 7, "it must have been hard"
