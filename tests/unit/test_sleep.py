"""Sleep: groups that rest are left out of frames, wake when something touches them, and replay to the bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sample_mechanisms import same_state
from sleeping_scenes import CUBE, LONG, STACK, add_ball, add_stack, after, asleep, ground, one_stack, two_stacks
from spoiled_scratch import Seen, spoil

import taut
from taut.errors import InputError
from taut.joints import Motor, Prismatic, Revolute
from taut.model.state import ASLEEP, State
from taut.problem.dump import SolvedProblem
from taut.shapes import Box, Sphere
from taut.stepping.sleep import MOTION, fall_asleep, reach_of, spread


def test_a_stack_falls_asleep_and_nothing_of_it_changes_any_more() -> None:
    simulation = taut.Simulation(one_stack(), sleeping=True)
    reports = [simulation.step() for _ in range(LONG + 10)]
    first = next(number for number, report in enumerate(reports) if report.sleeping)
    assert LONG <= first + 1 < LONG + 5 and reports[first].sleeping == 3, "all of it at once"
    still = simulation.state.copy()
    assert not any(getattr(still, name)[still.rest == ASLEEP].any() for name in MOTION)
    report = simulation.step()
    assert same_state(still, simulation.state) == ["time", "steps"]
    assert simulation.time == pytest.approx(still.time + 1 / 60) and simulation.state.steps == still.steps + 1
    awake = reports[first - 1]
    assert (report.status, report.solves, report.rows, report.flicker) == ("solved", 0, 0, 0)
    assert report.contacts == awake.contacts > 0 and report.penetration == pytest.approx(awake.penetration, rel=1e-3)
    assert report.energy == still.energy == pytest.approx(awake.energy, rel=1e-9)
    assert not report.momentum.any() and len(simulation.contacts) == awake.contacts


def test_without_sleeping_nothing_sleeps_and_with_it_bits_are_the_same_until_something_does() -> None:
    plain, simulation = taut.Simulation(two_stacks()), taut.Simulation(two_stacks(), sleeping=True)
    for _ in range(LONG + 20):
        assert plain.step().sleeping == 0 and not plain.state.rest.any()
        if simulation.step().sleeping:
            break
        assert same_state(plain.state, simulation.state) in ([], ["rest"])
    assert simulation.report.sleeping == 6 and plain.state.steps >= LONG


def test_a_ball_wakes_the_stack_that_it_meets_and_no_other() -> None:
    simulation = after(two_stacks())
    left, right = ({f"{name}-{number}" for number in range(3)} for name in ("left", "right"))
    assert asleep(simulation) == left | right
    energy, depth = simulation.report.energy, simulation.report.penetration
    while asleep(simulation) == left | right:
        assert not simulation.state.contacts.blow.any() and simulation.time < 2.0
        before = simulation.state
        report = simulation.step()
    assert asleep(simulation) == right, "it wakes as a whole"
    gap = simulation.model.bodies.names.index("left-0")
    moved = np.abs(simulation.state.position[gap] - before.position[gap]).max()
    if simulation.body("ball").position[0] < -0.46:  # woken before it is touched
        assert moved < 1e-9 and report.energy == pytest.approx(energy, rel=1e-9)
        assert report.penetration == pytest.approx(depth, rel=1e-2)
    for _ in range(20):
        report = simulation.step()
        assert report.status == "solved" and report.penetration < 1e-3 and report.energy <= energy * (1 + 1e-9)
    assert asleep(simulation) == right and simulation.body("left-0").position[0] > 1e-4
    for _ in range(240):
        simulation.step()
    assert asleep(simulation) == left | right | {"ball"}, "and falls asleep again"


def test_replay_and_restart_are_equal_to_the_bit(tmp_path: Path) -> None:
    """From the start, and from states saved before anything sleeps, while some sleep, and in the frame of waking."""
    first, states = taut.Simulation(two_stacks(), sleeping=True), []
    for _ in range(110):
        states.append(first.state.copy())
        first.step()
    counts = [np.count_nonzero(state.rest == ASLEEP) for state in states]
    wake = next(number for number in range(LONG + 5, 110) if counts[number] < counts[number - 1])
    assert counts[wake] == 3
    for begin in (0, 20, LONG + 5, wake - 1, wake):
        states[begin].save(tmp_path / "state.npz")
        second = after(two_stacks(), LONG + 3 if begin else 0)  # whatever it did before
        if begin:
            second.restore(State.load(tmp_path / "state.npz"))
        for frame in range(begin, 110):
            assert same_state(states[frame], second.state) == [], f"{frame}, from {begin}"
            second.step()
        assert same_state(first.state, second.state) == []


def test_scratch_may_hold_anything_between_frames() -> None:
    clean, spoiled = (taut.Simulation(two_stacks(), solver="bpp", sleeping=True) for _ in range(2))
    seen, counts = Seen(), set()
    for frame in range(70):
        counts.add(clean.step().sleeping)
        spoil(spoiled, seen, np.nan)
        spoiled.step()
        assert same_state(clean.state, spoiled.state) == [], frame
    assert counts == {0, 3, 6}


def test_a_state_with_sleepers_goes_on_without_sleeping() -> None:
    simulation, plain = after(one_stack()), taut.Simulation(one_stack())
    plain.restore(simulation.state)
    assert not plain.state.rest.any() and plain.step().rows > 0
    assert same_state(plain.state, simulation.state) != [] and (simulation.state.rest == ASLEEP).sum() == 3


def test_who_is_awake_moves_as_in_a_scene_of_its_own() -> None:
    """To the bit: a stack that a ball hits, beside one that sleeps."""
    scene = ground()
    add_stack(scene, "left", 0.0)
    add_ball(scene, -0.45 - 0.9 * 4.0, 4.0)
    alone, both = taut.Simulation(scene, sleeping=True), taut.Simulation(two_stacks(), sleeping=True)
    own = [both.model.bodies.names.index(name) for name in alone.model.bodies.names]
    for _ in range(LONG + 5):
        alone.step(), both.step()
    alone.restore(taken(both.state, own, alone.state))
    for _ in range(60):
        alone.step(), both.step()
        for name in ("position", "orientation", "velocity", "spin", "rest", "history", "calm"):
            assert np.array_equal(getattr(alone.state, name)[1:], getattr(both.state, name)[own[1:]]), name
    assert alone.report.sleeping == 0 and both.report.sleeping == 3


def taken(whole: State, own: list[int], like: State) -> State:
    """The state of some bodies of a scene without joints; their contacts are as another state has them."""
    arrays = {
        name: getattr(whole, name)[own] for name in (*MOTION, "position", "orientation", "rest", "history", "calm")
    }
    found, mine = whole.contacts.contacts, like.contacts.contacts
    kept = np.flatnonzero(np.isin(found.body_b, own))
    numbers = {"contacts_body_a": mine.body_a, "contacts_body_b": mine.body_b, "contacts_geom_a": mine.geom_a,
               "contacts_geom_b": mine.geom_b}  # fmt: skip
    values = {name: values[kept] for name, values in whole.contacts.arrays().items()} | numbers
    return like.but(**arrays, contacts=type(whole.contacts).from_arrays(values))


@pytest.mark.parametrize("speed", [1e-4, -2e-5])
def test_what_a_motor_moves_slowly_stays_awake(speed: float) -> None:
    scene = ground()
    scene.add_body("slide", CUBE, mass=1.0, position=(0.0, 0.0, 3.0))
    scene.connect("world", "slide", Prismatic(axis=(0, 0, 1), motor=Motor(speed=speed)), at=(0, 0, 3))
    simulation = after(scene, 2 * LONG)
    assert simulation.report.sleeping == 0 and simulation.body("slide").position[2] == pytest.approx(3.0 + speed)


def test_what_drifts_without_gravity_never_sleeps_and_what_stands_still_does() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("drifting", CUBE, mass=1.0, velocity=(1e-7, 0.0, 0.0))
    scene.add_body("still", CUBE, mass=1.0, position=(3.0, 0.0, 0.0))
    assert asleep(after(scene)) == {"still"}


def test_a_pendulum_that_turns_back_does_not_sleep_and_a_spinning_rod_neither() -> None:
    scene = taut.Scene()
    scene.add_body("bob", Sphere(0.1), mass=1.0, position=(1e-3, 0.0, -1.0))
    scene.connect("world", "bob", Revolute(axis=(0, 1, 0)), at=(0, 0, 0))
    scene.add_body("rod", Box(0.02, 0.02, 1.0), mass=1.0, position=(3.0, 0.0, 0.0), angular_velocity=(0, 0, 0.1))
    scene.connect("world", "rod", Revolute(axis=(0, 0, 1)), at=(3, 0, 0.5))
    simulation = taut.Simulation(scene, sleeping=True)
    assert not any(simulation.step().sleeping for _ in range(240))


def test_joints_that_sleep_are_reported_as_they_are() -> None:
    scene = taut.Scene()
    scene.add_body("plank", Box(1, 0.1, 0.1), mass=5.0, position=(0.5, 0, 0))
    scene.connect("world", "plank", Revolute(axis=(0, 1, 0), limits=(-0.1, 0.0)), at=(0, 0, 0), name="hinge")
    simulation = taut.Simulation(scene, sleeping=True)
    before = simulation.step()
    while not simulation.step().sleeping:
        before = simulation.report
        assert simulation.time < 3.0
    reaction = simulation.joint("hinge").reaction
    report = simulation.step()
    assert report.violation == pytest.approx(before.violation, rel=0.1, abs=1e-12)
    assert np.array_equal(simulation.joint("hinge").reaction, reaction) and reaction[2] == pytest.approx(
        49.05, rel=1e-3
    )


def test_what_is_thrown_farther_than_foreseen_wakes_what_it_meets_in_the_same_frame() -> None:
    """A heavy ball throws a sleeping one across a gap that no bounds bridge, onto the next."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("heavy", Sphere(0.2), mass=1e3, position=(-8.01, 0.0, 0.0), velocity=(10.0, 0.0, 0.0))
    for number, x in enumerate((0.0, 0.5)):
        scene.add_body(f"light-{number}", Sphere(0.2), mass=1.0, position=(x, 0.0, 0.0))
    simulation = after(scene)
    assert asleep(simulation) == {"light-0", "light-1"}
    while asleep(simulation):
        before = simulation.state
        report = simulation.step()
        assert report.penetration < 1e-3 and simulation.time < 2.0
        gap = simulation.body("light-1").position[0] - simulation.body("light-0").position[0] - 0.4
        assert gap > -1e-3
    awake = before.rest != ASLEEP
    awake[2] = True  # as the heavy ball touches it
    reach = reach_of(simulation.stepper, before)
    assert np.count_nonzero(spread(simulation.stepper, before, awake, reach)) == 2, "this was not foreseen"


def test_nothing_falls_asleep_after_a_frame_that_missed_its_tolerances() -> None:
    simulation = after(one_stack(), LONG - 2)
    state, moves = simulation.state.but(rest=np.full(4, LONG)), simulation.model.bodies.moves > 0
    assert (fall_asleep(simulation.stepper, state, moves, solved=True).rest[1:] == ASLEEP).all()
    assert (fall_asleep(simulation.stepper, state, moves, solved=False).rest[1:] > LONG).all()


def test_one_that_moves_keeps_those_awake_that_it_may_meet() -> None:
    """Bounds that overlap are enough, so that none falls asleep only to wake in the next frame."""
    scene = one_stack()
    scene.add_body("wheel", Sphere(0.5), mass=1.0, position=(0.77, 0.0, 3.0), angular_velocity=(0, 0, 5.0))
    scene.connect("world", "wheel", Revolute(axis=(0, 0, 1)), at=(0.77, 0, 3))
    assert asleep(after(scene)) == STACK, "far above"
    scene = one_stack()
    scene.add_body("wheel", Sphere(0.5), mass=1.0, position=(0.77, 0.0, 0.7), angular_velocity=(0, 0, 5.0))
    scene.connect("world", "wheel", Revolute(axis=(0, 0, 1)), at=(0.77, 0, 0.7))
    simulation = taut.Simulation(scene, sleeping=True)
    assert not any(simulation.step().sleeping for _ in range(2 * LONG))


def test_who_is_nowhere_may_meet_anyone() -> None:
    simulation = after(two_stacks())
    state, chosen = simulation.state.copy(), np.zeros(8, bool)
    chosen[1], reach = True, np.zeros(8)
    assert spread(simulation.stepper, state, chosen, reach).tolist() == [False, True, True, True] + 4 * [False]
    state.position[4] = np.nan
    assert spread(simulation.stepper, state, chosen, reach).tolist() == [False] + 7 * [True]


def test_problems_are_those_of_bodies_that_are_awake() -> None:
    sizes: list[int] = []

    def see(frame: int, solved: SolvedProblem) -> None:
        sizes.append(solved.problem.size)

    simulation = taut.Simulation(two_stacks(), sleeping=True, problems=see)
    plain = after(two_stacks())
    for _ in range(LONG + 5):
        simulation.step()
    assert same_state(simulation.state, plain.state) == []
    assert len(sizes) == LONG + 5 and 0 < sizes[-1] < 10 < sizes[0]


def test_unrecorded_runs_are_the_same() -> None:
    simulation = taut.Simulation(two_stacks(), sleeping=True)
    assert simulation.run(80 / 60, record=False) == []
    assert same_state(simulation.state, after(two_stacks(), 80).state) == []


def test_recordings_count_sleepers() -> None:
    recording = taut.Simulation(one_stack(), sleeping=True).run(1.0)
    column = recording.column("sleeping")
    assert column[0] == 0 and column[-1] == 3
    assert recording.summary()["sleeping_mean"] == pytest.approx(column[1:].mean())


def test_sleeping_is_a_flag_and_needs_steps_that_move() -> None:
    with pytest.raises(InputError, match="simulation: sleeping is 'yes'"):
        taut.Simulation(one_stack(), sleeping="yes")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="sleeping is True in mode 'impulse'"):
        taut.Simulation(one_stack(), sleeping=True, mode="impulse")


def hung() -> taut.Scene:
    """A stack, and on the other side a door with a motor and a box on a spring, all at rest."""
    scene = one_stack()
    scene.add_body("door", Box(1.0, 0.1, 1.0), mass=10.0, position=(5.0, 0.0, 2.0))
    scene.connect("world", "door", Revolute(axis=(0, 0, 1), motor=Motor(position=0.0)), at=(4.5, 0, 2), name="hinge")
    scene.add_body("weight", CUBE, mass=1.0, position=(9.0, 0.0, 3.0))
    scene.connect("world", "weight", Prismatic(axis=(0, 0, 1), motor=Motor(speed=0.0)), at=(9, 0, 3), name="lift")
    return scene


def push(simulation: taut.Simulation) -> None:
    simulation.body("left-2").apply(force=(1.0, 0.0, 0.0))


def shift(simulation: taut.Simulation) -> None:
    simulation.state.velocity[simulation.model.bodies.names.index("left-1"), 0] = 0.1


def open_door(simulation: taut.Simulation) -> None:
    simulation.controls["hinge"].value = 0.5


def lift(simulation: taut.Simulation) -> None:
    simulation.joint("lift").drive(0.1)


def pull(simulation: taut.Simulation) -> None:
    simulation.grab("left-1").move_to((0.0, 0.0, 5.0))


def remove_lowest(simulation: taut.Simulation) -> None:
    with simulation.edit() as edit:
        edit.remove_body("left-0")


def unhinge(simulation: taut.Simulation) -> None:
    with simulation.edit() as edit:
        edit.remove_joint("hinge")


def tie(simulation: taut.Simulation) -> None:
    with simulation.edit() as edit:
        edit.add_spring("left-2", "weight", stiffness=1.0)


def drop(simulation: taut.Simulation) -> None:
    with simulation.edit() as edit:
        edit.add_body("new", CUBE, mass=1.0, position=(0.0, 0.0, 1.751))


def drop_far_away(simulation: taut.Simulation) -> None:
    with simulation.edit() as edit:
        edit.add_body("new", CUBE, mass=1.0, position=(0.0, 8.0, 1.751))


def wall_in(simulation: taut.Simulation) -> None:
    with simulation.edit() as edit:
        edit.add_body("wall", CUBE, fixed=True, position=(0.4, 0.0, 0.25))


WAKES: dict[Callable[[taut.Simulation], None], set[str]] = {
    push: STACK, shift: STACK, open_door: {"door"}, lift: {"weight"}, pull: STACK, remove_lowest: STACK - {"left-0"},
    unhinge: {"door"}, tie: STACK | {"weight"}, drop: STACK | {"new"}, drop_far_away: {"new"},
    wall_in: STACK | {"door", "weight"},
}  # fmt: skip


@pytest.mark.parametrize("act", WAKES, ids=lambda act: act.__name__)
def test_what_changes_wakes_its_group_and_no_other(act: Callable[[taut.Simulation], None]) -> None:
    simulation = after(hung())
    everyone = STACK | {"door", "weight"}
    assert asleep(simulation) == everyone
    act(simulation)
    report = simulation.step()
    assert asleep(simulation) == everyone - WAKES[act] - ({"left-0"} if act is remove_lowest else set())
    assert report.solves > 0 and report.sleeping == len(asleep(simulation))


@pytest.mark.parametrize("act", WAKES, ids=lambda act: act.__name__)
def test_what_wakes_moves_as_if_it_had_not_slept(act: Callable[[taut.Simulation], None]) -> None:
    rested, watched = after(hung()), after(hung(), sleeping=False)
    for simulation in (rested, watched):
        act(simulation)
    for _ in range(10):
        report, other = rested.step(), watched.step()
        assert report.status == other.status
        assert report.penetration == pytest.approx(other.penetration, abs=1e-7)
        assert report.energy == pytest.approx(other.energy, rel=1e-6)
    assert np.abs(rested.state.position - watched.state.position).max() < 1e-6
    assert act is wall_in or np.abs(rested.state.velocity - watched.state.velocity).max() < 1e-5


def test_what_stays_the_same_wakes_nobody() -> None:
    simulation = after(hung())
    simulation.body("left-2").apply()
    simulation.controls["hinge"].value = 0.0
    simulation.joint("lift").drive(0.0)
    with simulation.edit() as edit:
        edit.changed = True
    assert simulation.step().sleeping == 5


def test_a_force_that_does_not_change_wakes_once() -> None:
    simulation = after(one_stack())
    for _ in range(LONG + 5):
        push(simulation)
        simulation.step()
    assert simulation.report.sleeping == 3
