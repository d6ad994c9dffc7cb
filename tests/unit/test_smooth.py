"""Frames in compiled code are those that Python takes stage by stage, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from sample_mechanisms import chain, same_state, stage_by_stage

import taut
from taut.joints import Motor, Revolute
from taut.shapes import Box
from taut.stepping.frame import next_frames
from taut.stepping.smooth import SmoothFrames

SOLVERS = ["bpp", "linear-time"]


def scenes_that_nothing_touches() -> list[str]:
    """Reference scenes without collisions and with joints."""
    found = []
    for name in taut.scenes.names():
        simulation = taut.Simulation(taut.scenes.build(name))
        if simulation.stepper.collider is None and simulation.stepper.mechanism.row_count:
            found.append(name)
    return found


def twins(name: str, solver: str) -> tuple[taut.Simulation, taut.Simulation]:
    """A scene twice, the second stage by stage."""
    fast, plain = (taut.Simulation(taut.scenes.build(name), solver=solver) for _ in range(2))
    return fast, stage_by_stage(plain)


def frames_in_compiled_code(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by the number of frames whenever some are done in compiled code."""
    advance, done = SmoothFrames.advance, []

    def count(self: SmoothFrames, state: taut.State, most: int) -> tuple[taut.State, int, int]:
        result = advance(self, state, most)
        done.append(result[1])
        return result

    monkeypatch.setattr(SmoothFrames, "advance", count)
    return done


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", scenes_that_nothing_touches())
def test_frames_in_compiled_code_are_those_of_the_stages(
    name: str, solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = frames_in_compiled_code(monkeypatch)
    fast, plain = twins(name, solver)
    for frame in range(20):
        first, second = fast.step(), plain.step()
        assert same_state(fast.state, plain.state) == [], f"frame {frame}"
        assert (first.status, first.solves, first.substeps) == (second.status, second.solves, second.substeps)
        assert first.pivots == second.pivots
        assert (first.energy, first.violation) == (second.energy, second.violation)
        assert first.momentum == pytest.approx(second.momentum, rel=1e-12, abs=1e-12)
    if fast.stepper.smooth is not None:
        assert sum(done) > 5, "the test must meet smooth frames"
    assert plain.stepper.smooth is None


@pytest.mark.parametrize("name", ["hanging_chain", "four_bar", "spring_arm", "umbrella"])
def test_frames_in_joint_coordinates_are_those_of_the_stages(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = frames_in_compiled_code(monkeypatch)
    fast, plain = (taut.Simulation(taut.scenes.build(name), coordinates="reduced") for _ in range(2))
    stage_by_stage(plain)
    for frame in range(20):
        first, second = fast.step(), plain.step()
        assert same_state(fast.state, plain.state) == [], f"frame {frame}"
        assert (first.status, first.solves, first.energy) == (second.status, second.solves, second.energy)
        assert fast.state.iterations == plain.state.iterations
    assert sum(done) > 5 and plain.stepper.smooth is None


def test_rough_frames_go_on_where_compiled_code_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain that snaps taut: frames are judged there and not taken, and Python goes on from that candidate."""
    done = frames_in_compiled_code(monkeypatch)
    fast, plain = (chain(links=8, load=100.0, angle=1.2, solver="bpp") for _ in range(2))
    stage_by_stage(plain)
    for frame in range(150):
        reports = fast.step(), plain.step()
        assert same_state(fast.state, plain.state) == [], f"frame {frame}"
        assert reports[0].solves == reports[1].solves
    assert 0 in done and 1 in done, "the test must meet both"


def driven() -> taut.Simulation:
    """A hinge with a motor whose target and load change."""
    scene = taut.Scene()
    scene.add_body("arm", Box(1.0, 0.1, 0.1), mass=2.0, position=(0.5, 0, 0))
    scene.connect(
        "world",
        "arm",
        Revolute(axis=(0, 1, 0), motor=Motor(position=0.0, max_force=50.0), limits=(-1, 1)),
        name="hinge",
    )
    return taut.Simulation(scene, solver="bpp")


def test_targets_and_loads_that_change_between_frames_are_seen() -> None:
    fast, plain = driven(), stage_by_stage(driven())
    for frame in range(60):
        for each in (fast, plain):
            each.joint("hinge").drive(0.5 * np.sin(0.1 * frame))
            each.body("arm").apply(force=(0.0, 0.0, 5.0 * np.cos(0.2 * frame)), point=(0.3, 0.0, 0.0))
            each.step()
        assert same_state(fast.state, plain.state) == [], f"frame {frame}"


@pytest.mark.parametrize("solver", SOLVERS)
def test_many_frames_together_are_those_one_by_one(solver: str) -> None:
    """As a run without a recording takes them: what is not smooth ends the run before it changes the state."""
    together, single = (chain(links=8, load=100.0, angle=1.2, solver=solver) for _ in range(2))
    state, frames, most = together.state, 0, 0
    while frames < 150:
        state, _, count = next_frames(together.stepper, state, 150 - frames)
        frames, most = frames + count, max(most, count)
        for _ in range(count):
            single.step()
        assert same_state(state, single.state) == [], f"frame {frames}"
    assert frames == 150 and most > 5, "the test must meet frames that are done together"


def test_a_state_is_not_changed_by_a_frame_that_is_not_smooth() -> None:
    simulation = chain(links=8, load=100.0, angle=1.2, solver="bpp")
    smooth = simulation.stepper.smooth
    assert smooth is not None
    refused = 0
    for _ in range(120):
        before = simulation.state.copy()
        after, done, _ = smooth.advance(simulation.state, 1) if simulation.state.steps else (before, 1, 0)
        if not done:
            refused += 1
            assert after is simulation.state
        assert same_state(simulation.state, before) == []
        simulation.step()
    assert refused > 0


def test_the_momentum_that_is_reported_is_that_of_the_frame_that_was_done() -> None:
    """Frames in a row may end before one that is not smooth, which is in scratch then."""
    alone, together = (taut.Simulation(taut.scenes.build("snap_chain", links=12)) for _ in range(2))
    seen: dict[int, np.ndarray] = {}
    together.run(1.5, record=False, progress=lambda _: seen.update({together.state.steps: together.report.momentum}))
    for _ in range(90):
        report = alone.step()
        if report.index in seen:
            np.testing.assert_allclose(seen[report.index], report.momentum, rtol=1e-12, atol=1e-9)


def over_the_ground(height: float, spin: float = 0.0) -> taut.Simulation:
    """Six links that swing over the ground and may touch it and each other."""
    scene = taut.Scene()
    scene.add_plane()
    previous = "world"
    for i in range(6):
        link = scene.add_body(
            f"l{i}", Box(0.4, 0.05, 0.05), mass=1.0, position=(0.4 * i + 0.2, 0.0, height),
            angular_velocity=(0.0, spin * (-1) ** i, 0.0),
        )  # fmt: skip
        scene.connect(previous, link, Revolute(axis=(0.1, 1.0, 0.0)), at=(0.4 * i, 0.0, height))
        previous = link
    return taut.Simulation(scene)


@pytest.mark.parametrize(("height", "spin"), [(5.0, 0.0), (1.5, 0.0), (1.0, 8.0)])
def test_frames_in_which_nothing_is_near_are_those_of_the_stages(
    height: float, spin: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """High above the ground, down to it, and tangled: compiled until something is near, and again after it."""
    done = frames_in_compiled_code(monkeypatch)
    fast, plain = over_the_ground(height, spin), stage_by_stage(over_the_ground(height, spin))
    touched = 0
    for frame in range(90):
        first, second = fast.step(), plain.step()
        assert same_state(fast.state, plain.state) == [], f"frame {frame}"
        assert (first.status, first.solves, first.contacts) == (second.status, second.solves, second.contacts)
        touched += first.contacts > 0
    assert sum(done) > 5, "the test must meet frames in which nothing is near"
    assert (touched > 0) == (height < 5.0), "and others"


def test_a_body_that_strays_from_where_contacts_were_looked_for_is_looked_at_again() -> None:
    """A push that the prediction does not know of carries a link into the ground within one frame."""
    fast, plain = over_the_ground(1.0), stage_by_stage(over_the_ground(1.0))
    for simulation in (fast, plain):
        for _ in range(5):
            simulation.step()
        simulation.state.applied[1:, 2] = -2e4
        simulation.step()
    assert same_state(fast.state, plain.state) == []
    assert fast.report.contacts == plain.report.contacts > 0 and fast.report.penetration < 1e-3


def test_many_frames_together_look_for_contacts_in_every_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain that swings down to the ground in a run that records nothing."""
    done = frames_in_compiled_code(monkeypatch)
    together, single = over_the_ground(1.5), over_the_ground(1.5)
    together.run(1.5, record=False)
    assert max(done) == 1 and sum(done) > 5, "one look for contacts, one frame"
    for _ in range(90):
        single.step()
    assert single.report.contacts > 0 or single.state.contacts.contacts.count > 0, "it gets there"
    assert same_state(together.state, single.state) == []
