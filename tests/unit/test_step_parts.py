"""The parts of a frame: how many there are, and what of gaps, targets and energy each may have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_up_outcomes import nothing_spent, with_errors
from sample_mechanisms import chain, stage_by_stage, with_settings

import taut
import taut.stepping.advance
import taut.stepping.attempt
import taut.stepping.frame
from taut.joints import Motor, Revolute
from taut.stepping.acceptance import judgement
from taut.stepping.advance import advance_by
from taut.stepping.energy import body_kinetic
from taut.stepping.settings import CALM


def turntable(rate: float, motor: Motor, **options: Any) -> taut.Simulation:
    """A body with 1 kg m^2 on a hinge with a motor, turning at this rate."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("body", mass=1.0, inertia=(1, 1, 1), angular_velocity=(0, 0, rate))
    scene.connect("world", "body", Revolute(motor=motor), name="hinge")
    return taut.Simulation(scene, **options)


def refuse(count: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Refuse the first attempts, so many of them; a list that grows by one with each attempt."""
    judge, calls = taut.stepping.attempt.judgements, []

    def refuse_the_first(*arguments: Any) -> Any:
        calls.append(1)
        verdicts = judge(*arguments)
        return np.full_like(verdicts, "violation") if len(calls) <= count else verdicts

    monkeypatch.setattr(taut.stepping.attempt, "judgements", refuse_the_first)
    return calls


HARD, BOUNDED, SOFT = Motor(position=0.0), Motor(position=0.0, max_force=1e5), Motor(position=0.0, stiffness=1e4)


@pytest.mark.parametrize(
    ("motor", "refused"),
    [(motor, refused) for motor in (HARD, BOUNDED, SOFT) for refused in (0, 1, 3)],
)
def test_a_motor_that_follows_a_moving_target_meets_no_resistance(
    motor: Motor, refused: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A target that moves as the body does anyway: each part of a frame has its part of the way."""
    calls = refuse(refused, monkeypatch)
    simulation = stage_by_stage(turntable(1.0, motor))
    handle = simulation.joint("hinge")
    for frame in range(1, 9):
        calls.clear()
        handle.drive(frame / 60)
        report = simulation.step()
        assert report.substeps == len(calls) - refused
        assert report.status == "solved" and report.energy == pytest.approx(0.5, rel=1e-9)
        assert handle.velocity == pytest.approx(1.0, rel=1e-9) and abs(handle.reaction[5]) <= 1e-6


def test_targets_move_in_proportion_through_the_parts_of_a_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """From where the last frame's target was: for a soft motor that need not be where the body is."""
    seen, advance_part = [], taut.stepping.advance.advance

    def watch(stepper: Any, state: taut.State, *others: Any) -> taut.State:
        seen.append(state.target.max())
        return advance_part(stepper, state, *others)

    simulation = turntable(0.0, Motor(position=0.0, stiffness=100.0))
    handle = simulation.joint("hinge")
    handle.drive(0.3)
    simulation.step()
    handle.drive(0.5)
    monkeypatch.setattr(taut.stepping.advance, "advance", watch)
    spent = nothing_spent(simulation)
    advance_by(simulation.stepper, simulation.state, 1 / 60, spent, parts=4, depth=1, look_back=False)
    assert seen == pytest.approx([0.35, 0.4, 0.45, 0.5])


def test_a_copy_goes_on_as_the_state_does_where_a_driven_frame_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = stage_by_stage(turntable(1.0, SOFT))
    simulation.joint("hinge").drive(0.01)
    simulation.step()
    saved, rates = simulation.state.copy(), []
    calls = refuse(1, monkeypatch)
    for _ in range(2):
        calls.clear()
        simulation.joint("hinge").drive(0.2)
        assert simulation.step().substeps == 2
        rates.append(simulation.joint("hinge").velocity)
        simulation.restore(saved)
    assert rates[0] == rates[1]


def test_a_first_target_far_from_the_coordinate_is_reached_within_the_frame() -> None:
    """One radian in one frame, in parts: at 60 rad/s throughout, and not at 240 rad/s in the first of four."""
    simulation = turntable(0.0, Motor(position=0.0))
    simulation.joint("hinge").drive(1.0)
    report = simulation.step()
    assert report.status == "solved" and report.substeps >= 4
    assert simulation.joint("hinge").position == pytest.approx(1.0, abs=1e-6)
    assert simulation.joint("hinge").velocity == pytest.approx(60.0, rel=1e-6)


def made_up(verdict: str, monkeypatch: pytest.MonkeyPatch, **errors: Any) -> list[float]:
    """Let every attempt at a step longer than a sixteenth of a frame end with a verdict and errors; their lengths."""
    attempt, lengths = taut.stepping.advance.attempt, []

    def ended(stepper: Any, state: Any, h: float, *others: Any, **options: Any) -> Any:
        tried = attempt(stepper, state, h, *others, **options)
        lengths.append(h)
        if h < stepper.settings.step / 15.0:
            return tried
        outcome = with_errors(tried.outcome, **{name: value for name, value in errors.items() if name != "turn"})
        verdicts = np.full_like(tried.verdicts, verdict)
        return replace(tried, outcome=outcome, verdicts=verdicts, turn=errors.get("turn", 0.0))

    for room in (taut.stepping.frame, taut.stepping.advance):
        monkeypatch.setattr(room, "attempt", ended)
    return lengths


@pytest.mark.parametrize(
    ("found", "said"), [("energy", "energy"), ("penetration", "penetration"), ("solved", "balance")]
)
def test_an_attempt_that_is_still_on_its_way_is_not_solved(
    found: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What else is wrong with it keeps its name: with that, rows hold, and bodies need not be made safe."""
    simulation = chain(links=3, load=1.0, angle=-1.0)
    count = simulation.model.bodies.count
    monkeypatch.setattr(taut.stepping.attempt, "came_to_rest", lambda *_: False)
    monkeypatch.setattr(taut.stepping.attempt, "judgements", lambda *_: np.full(count, found, "<U24"))
    tried = taut.stepping.attempt.attempt(
        simulation.stepper, simulation.state, 1 / 60, nothing_spent(simulation), np.zeros(count, bool)
    )
    assert set(tried.verdicts) == {said}


@pytest.mark.parametrize(("turn", "parts"), [(0.1, 2), (0.9, 2), (1.1, 4), (3.9, 8), (4.1, 16), (np.inf, 2)])
def test_a_step_is_divided_by_how_far_its_first_solve_turned_bodies(
    turn: float, parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chain itself hardly turns; where a solve says that it would, trying halves first would spend the budget."""
    simulation = stage_by_stage(chain(links=3, load=1.0, angle=-1.0))
    simulation.step()
    lengths = made_up("violation", monkeypatch, turn=turn)
    simulation.step()
    assert lengths[1] == pytest.approx(lengths[0] / parts)


def test_a_small_rise_of_rough_motion_is_accepted_where_no_part_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above what rough motion may gain, below what smooth motion may: taken as it is, and no failure."""
    simulation = chain(links=3, load=1.0, angle=-1.0)
    for _ in range(5):
        simulation.step()
    twin = simulation.state.copy()
    simulation.step()
    mechanism = simulation.stepper.mechanism
    kinetic = body_kinetic(mechanism, simulation.state).sum()
    simulation.restore(twin)
    with_settings(simulation, halvings=0)
    stage_by_stage(simulation)
    gain = np.zeros(mechanism.count)
    gain[mechanism.links.joined[1]] = 4e-3 * kinetic
    made_up("energy", monkeypatch, energy_rise=4e-3, gain=gain)
    assert simulation.step().status == "solved"
    assert body_kinetic(mechanism, simulation.state).sum() == pytest.approx(kinetic, rel=1e-12)
    made_up("energy", monkeypatch, energy_rise=4e-2, gain=gain)
    assert simulation.step().status == "energy", "more than smooth motion may gain is said"


def opened_chain() -> taut.Simulation:
    """A chain that hangs at rest, open by 0.04 mm at one joint: no more than a step may leave."""
    simulation = chain(links=5, load=1.0, angle=-0.5 * np.pi)
    simulation.state.position[3:, 2] -= 4e-5
    simulation.refresh()
    return simulation


def test_a_gap_is_not_closed_faster_than_its_size_in_a_frame() -> None:
    """However many parts: closed within each as if it were a frame, the energy would grow with their square."""
    energy = {}
    for parts in (1, 2, 4, 8):
        simulation = opened_chain()
        tally = nothing_spent(simulation)
        after = advance_by(simulation.stepper, simulation.state, 1 / 60, tally, parts=parts, depth=1, look_back=False)
        assert tally.status == "solved" and tally.substeps == parts
        energy[parts] = body_kinetic(simulation.stepper.mechanism, after).sum()
        gap = np.abs(after.measure - after.target).max()
        assert gap == pytest.approx(4e-5 * (1.0 - 1.0 / parts) ** parts, abs=1e-9)
    assert max(energy.values()) <= energy[1] * (1.0 + 1e-9)
    assert 0.0 < energy[8] <= energy[2]


@pytest.mark.parametrize("integrator", ["euler", "bdf2"])
@pytest.mark.parametrize("joint", [taut.joints.Rope(length=0.9), taut.joints.Distance(length=0.9)])
def test_a_gap_that_was_there_from_the_start_gives_no_energy_for_nothing(joint: Any, integrator: str) -> None:
    """A string 0.1 m too short: what closing it gives the body was never put in. The frame that does it says so."""
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), collisions=False)
    scene.add_body("ball", taut.shapes.Sphere(0.05), mass=5.0, position=(0.0, 0.0, -1.0))
    scene.connect("world", "ball", joint)
    with pytest.warns(taut.TautWarning):
        simulation = taut.Simulation(scene, integrator=integrator)
    energy = 0.0
    for _ in range(5):
        report = simulation.step()
        assert report.energy <= energy + 2.0 or report.status != "solved"
        energy = report.energy
    assert energy < 5.0, "closed within a frame it would have 90 J, and keep them"


def test_rises_of_the_parts_of_a_frame_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part may gain what is left of the tolerance of the frame: four times 0.4 % are too much."""
    simulation = chain(links=3, load=1.0, angle=-1.0)
    attempt, given, count = taut.stepping.advance.attempt, [], simulation.model.bodies.count

    def risen(*arguments: Any) -> Any:
        tried = attempt(*arguments)
        given.append(tried.outcome)
        return replace(tried, outcome=with_errors(tried.outcome, contact_energy_rise=4e-3))

    monkeypatch.setattr(taut.stepping.advance, "attempt", risen)
    tally = nothing_spent(simulation)
    advance_by(simulation.stepper, simulation.state, 1 / 60, tally, parts=2, depth=1, look_back=False)
    group = given[0].group[1]
    assert tally.risen[group] == pytest.approx(8e-3) and not np.delete(tally.risen, group).any(), "its group alone"
    for rise, said in ((1e-3, "solved"), (4e-3, "energy")):
        outcome = with_errors(given[0], contact_energy_rise=rise)
        assert judgement(outcome, simulation.settings, np.zeros(count, bool), tally.risen) == said


def test_a_frame_that_ends_with_an_open_joint_says_so() -> None:
    """A gap of 1 mm from the start: frames that close it in parts leave a share of it, though each part is solved."""
    simulation = chain(links=3, load=1.0, angle=-0.5 * np.pi)
    simulation.state.position[3:, 2] -= 1e-3
    simulation.refresh()
    statuses = [simulation.step().status for _ in range(4)]
    assert "violation" in statuses and statuses[-1] == "solved"


def test_frames_after_a_rough_one_are_left_to_euler() -> None:
    """No body looks back until four frames in a row were smooth."""
    simulation = chain(links=8, load=100.0, angle=1.2)
    calm = []
    for _ in range(240):
        simulation.step()
        assert np.unique(simulation.state.calm[1:]).size == 1, "it is one group"
        calm.append(int(simulation.state.calm[1]))
        assert simulation.state.history[1:].any() == (calm[-1] >= CALM.calm_frames)
    assert CALM.calm_frames == 4 and 0 in calm, "the chain snaps taut"
    assert any(calm[frame] == 4 for frame in range(calm.index(0), 240)), "and goes on smoothly"
