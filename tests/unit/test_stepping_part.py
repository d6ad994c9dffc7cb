"""Parts of a mechanism: some groups of bodies with their rows step as they do in the whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

import numpy as np
import pytest
from joint_examples import NAMES, example, joint_scene
from made_up_outcomes import first_solve
from sample_mechanisms import same_state

import taut
from taut.contact.memory import ContactMemory
from taut.joints import Motor, Revolute
from taut.model.state import State
from taut.shapes import Box, Capsule, Sphere
from taut.stepping.collide import connected
from taut.stepping.frame import next_frames
from taut.stepping.part import OF_BODIES, OF_ROWS, Choice, Part, part_of
from taut.stepping.settings import DIVISION
from taut.stepping.stepper import Stepper

Mask = np.ndarray


def add_pendulum(scene: taut.Scene, name: str, x: float, speed: float, motor: Motor) -> None:
    """A bar on a hinge with a motor of limited force, which a spring holds back."""
    scene.add_body(name, Box(0.1, 0.1, 1.0), mass=2.0, position=(x, 0.0, 2.5), angular_velocity=(0.0, speed, 0.0),
                   velocity=(-0.5 * speed, 0.0, 0.0))  # fmt: skip
    hinge = Revolute(axis=(0, 1, 0), limits=(-0.8, 0.8), motor=motor)
    scene.connect("world", name, hinge, at=(x, 0.0, 3.0))
    scene.add_spring("post", name, point_b=(0.0, 0.0, -0.5), stiffness=20.0, damping=0.1)


def crowd(joint: str = "Spherical", solver: str = "auto") -> taut.Simulation:
    """Groups of all kinds, in an order that mixes them: driven, loaded, joined, in flight, stacked, and at rest."""
    scene = taut.Scene(friction=0.5)
    scene.add_body("lying", Sphere(0.1), mass=1.0, position=(-3.0, 0.0, 0.1))
    scene.add_body("post", Box(0.2, 0.2, 1.0), fixed=True, position=(9.0, 0.0, 0.5))
    add_pendulum(scene, "first", 12.0, 0.6, Motor(speed=1.0, max_force=0.5))
    scene.add_body("lower", Box(0.5, 0.5, 0.5), mass=3.0, position=(-6.0, 0.0, 0.25))
    joint_scene(example(joint), scene=scene)
    scene.add_plane()
    scene.add_body("upper", Capsule(0.1, 0.4), mass=1.0, position=(-6.0, 0.0, 0.8), velocity=(0.5, 0.0, 0.0))
    add_pendulum(scene, "second", 15.0, -0.4, Motor(position=0.3, max_force=0.5))
    scene.add_body("flying", Box(0.1, 0.2, 0.3), mass=1.0, position=(30.0, 0.0, 5.0), velocity=(1.0, 2.0, 3.0),
                   angular_velocity=(1.0, 4.0, -2.0))  # fmt: skip
    scene.add_load("second", force=(0.0, 0.0, -3.0), point=(0.0, 0.0, -0.5))
    return taut.Simulation(scene, solver=solver)


def masks(simulation: taut.Simulation) -> Iterator[Mask]:
    """Bodies (n,) of each group that joints or contacts connect, and of every other group."""
    stepper = simulation.stepper
    labels, moves = connected(stepper, stepper.find_near(simulation.state)), stepper.mechanism.bodies.moves > 0
    leaders = np.unique(labels[moves])
    assert leaders.size > 4, "there must be several"
    for chosen in [[leader] for leader in leaders] + [leaders[::2], leaders[1::2]]:
        yield moves & np.isin(labels, chosen)


def blocks_of(stepper: Stepper, part: Part) -> Mask:
    """Jacobian blocks of the whole that are those of a part."""
    return np.flatnonzero(np.isin(stepper.mechanism.entries.entry_row, part.rows.chosen))


def after_frames(simulation: taut.Simulation, count: int) -> taut.Simulation:
    """The simulation some frames later."""
    for _ in range(count):
        assert simulation.step().status == "solved"
    return simulation


@pytest.mark.parametrize("joint", NAMES)
def test_rows_of_a_part_are_those_of_the_whole(joint: str) -> None:
    simulation = after_frames(crowd(joint), 3)
    stepper, state = simulation.stepper, simulation.state
    whole, seen = stepper.measure(state), np.zeros(stepper.mechanism.row_count, int)
    for moving in masks(simulation):
        part = part_of(stepper, moving)
        own = part.stepper.measure(part.take(state))
        assert np.array_equal(own.value, whole.value[part.rows.chosen])
        assert np.array_equal(own.jacobian, whole.jacobian[blocks_of(stepper, part)])
        assert np.array_equal(own.coordinate, whole.coordinate[part.slots.chosen])
        mine = moving[part.bodies.chosen]
        assert np.array_equal(own.stiffness[mine], whole.stiffness[moving])
        seen[part.rows.chosen] += 1
    assert (seen == 2).all(), "each row belongs to one group, and to one half of them"


@pytest.mark.parametrize("joint", NAMES)
def test_a_part_is_solved_as_the_whole_is(joint: str) -> None:
    """Companion rows, loads, motors and contacts included: they belong to the linearised step."""
    simulation = after_frames(crowd(joint), 3)
    stepper, state = simulation.stepper, simulation.state
    _, whole = first_solve(simulation)
    for moving in masks(simulation):
        part = part_of(stepper, moving)
        simulation.stepper, simulation.state = part.stepper, part.take(state)
        _, own = first_solve(simulation)
        simulation.stepper, simulation.state = stepper, state
        mine = moving[part.bodies.chosen]
        speed = 1.0 + np.abs(whole.velocity[moving]).max()
        assert own.velocity[mine] == pytest.approx(whole.velocity[moving], abs=1e-12 * speed)
        rows = own.force[: part.rows.chosen.size], whole.force[part.rows.chosen]
        assert rows[0] == pytest.approx(rows[1], rel=1e-9, abs=1e-9 * np.abs(rows[1]).max(initial=1.0))
        # the verdict is that of the same groups
        leaders = np.unique(whole.group[moving])
        assert np.array_equal(part.bodies.chosen[np.unique(own.group[mine])], leaders)
        table, expected = own.table[:, part.bodies.number[leaders]], whole.table[:, leaders]
        assert table == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_a_part_steps_as_it_does_in_the_whole_to_the_bit() -> None:
    """With one solver: "auto" may choose another one for a part than for the whole."""
    simulation = after_frames(crowd("Universal", solver="bpp"), 2)
    stepper = simulation.stepper
    for frame in range(12):
        before = simulation.state
        parts = [part_of(stepper, moving) for moving in list(masks(simulation))[: DIVISION.kept]]
        owns = [next_frames(part.stepper, part.take(before), 1)[:2] for part in parts]
        assert simulation.step().status == "solved"
        for part, (own, tally) in zip(parts, owns, strict=True):
            assert tally.status == "solved"
            expected, mine = part.take(simulation.state), part.moving[part.bodies.chosen]
            for name in OF_BODIES:
                np.testing.assert_array_equal(getattr(own, name)[mine], getattr(expected, name)[mine], name)
            for name in (*OF_ROWS, "coordinate"):
                np.testing.assert_array_equal(getattr(own, name), getattr(expected, name), name)
            for name, values in own.contacts.arrays().items():
                np.testing.assert_array_equal(values, expected.contacts.arrays()[name], f"{name} in frame {frame}")


def test_a_state_that_is_taken_and_put_back_is_unchanged() -> None:
    simulation = after_frames(crowd(), 5)
    state, stepper = simulation.state, simulation.stepper
    assert state.contacts.contacts.count > 3
    for moving in masks(simulation):
        part = part_of(stepper, moving)
        assert same_state(part.put(state, part.take(state)), state) == []


def test_only_what_belongs_to_a_part_is_put_into_the_whole() -> None:
    """Every array of a state is by body, by row or by coordinate, or the same for all."""
    simulation = after_frames(crowd(), 5)
    stepper, state = simulation.stepper, simulation.state
    after_frames(simulation, 2)
    other = simulation.state
    for moving in masks(simulation):
        part = part_of(stepper, moving)
        mixed = part.put(state, part.take(other))
        choices = dict.fromkeys(OF_BODIES, moving) | dict.fromkeys(OF_ROWS, part.rows.number >= 0)
        for name, mine in (choices | {"coordinate": part.slots.number >= 0}).items():
            np.testing.assert_array_equal(getattr(mixed, name)[mine], getattr(other, name)[mine], name)
            np.testing.assert_array_equal(getattr(mixed, name)[~mine], getattr(state, name)[~mine], name)
    shared = {"time", "steps", "energy", "contacts", "coordinate", "iterations"}
    assert {each.name for each in fields(State)} == {*OF_BODIES, *OF_ROWS, *shared}


def contact_names(simulation: taut.Simulation, stepper: Stepper, memory: ContactMemory, bodies: Mask) -> list:
    """Names of the bodies of contacts, checked against their geoms; `bodies` (n,) are numbers in the model."""
    found, geoms, names = memory.contacts, stepper.mechanism.geoms, simulation.model.bodies.names
    assert np.array_equal(geoms.body[found.geom_a], found.body_a)
    assert np.array_equal(geoms.body[found.geom_b], found.body_b)
    return [(names[bodies[a]], names[bodies[b]]) for a, b in zip(found.body_a, found.body_b, strict=True)]


def test_contacts_are_renumbered_with_their_bodies() -> None:
    simulation = after_frames(crowd(), 20)
    stepper, state = simulation.stepper, simulation.state
    every = np.arange(stepper.mechanism.count)
    whole = contact_names(simulation, stepper, state.contacts, every)
    assert {"lying", "lower", "upper"} <= {name for pair in whole for name in pair}
    names = np.array(simulation.model.bodies.names)
    for moving in masks(simulation):
        part = part_of(stepper, moving)
        own = part.take(state).contacts
        mine = [pair for pair in whole if moving[np.isin(names, pair)].any()]
        assert contact_names(simulation, part.stepper, own, part.bodies.chosen) == mine
        touches = moving[state.contacts.contacts.body_a] | moving[state.contacts.contacts.body_b]
        assert np.array_equal(own.force, state.contacts.force[touches])


def test_a_part_finds_the_contacts_of_its_bodies() -> None:
    simulation = after_frames(crowd(), 5)
    stepper, state = simulation.stepper, simulation.state
    whole = stepper.find_near(state)
    for moving in masks(simulation):
        part, touches = part_of(stepper, moving), moving[whole.body_a] | moving[whole.body_b]
        own, expected = part.stepper.find_near(part.take(state)), whole.take(np.flatnonzero(touches))
        assert np.array_equal(part.geoms.chosen[own.geom_a], expected.geom_a)
        assert np.array_equal(part.geoms.chosen[own.geom_b], expected.geom_b)
        for each in fields(own):
            if each.name not in ("body_a", "body_b", "geom_a", "geom_b"):
                np.testing.assert_array_equal(getattr(own, each.name), getattr(expected, each.name), each.name)


def test_bodies_that_must_not_touch_do_not_in_a_part() -> None:
    """Two boxes in one place beside a third: what is excluded in the whole is so in a part."""
    scene = taut.Scene()
    scene.add_body("away", Sphere(0.1), mass=1.0, position=(9, 0, 5))
    for name in ("one", "other", "third"):
        scene.add_body(name, Box(1, 1, 1), mass=1.0, position=(0.0, 0.0, 0.9 if name == "third" else 0.0))
    scene.ignore_contacts("one", "other")
    with pytest.warns(taut.TautWarning):
        simulation = taut.Simulation(scene)
    part = part_of(simulation.stepper, np.array([False, False, True, True, True]))
    found = part.stepper.find_near(part.take(simulation.state))
    pairs = {tuple(part.bodies.chosen[[a, b]]) for a, b in zip(found.body_a, found.body_b, strict=True)}
    assert pairs == {(2, 4), (3, 4)}


def test_parts_are_kept_ready_and_the_oldest_gives_way() -> None:
    simulation = crowd()
    stepper, moves = simulation.stepper, np.flatnonzero(simulation.stepper.mechanism.bodies.moves)
    several = [np.isin(np.arange(stepper.mechanism.count), body) for body in moves[: DIVISION.kept + 1]]
    parts = [part_of(stepper, moving) for moving in several[: DIVISION.kept]]
    assert [part_of(stepper, moving) for moving in several[: DIVISION.kept]] == parts
    part_of(stepper, several[DIVISION.kept])
    assert len(stepper.parts) == DIVISION.kept
    assert part_of(stepper, several[1]) is parts[1] and part_of(stepper, several[0]) is not parts[0]


def test_a_choice_numbers_what_is_chosen_in_order() -> None:
    choice = Choice.of(np.array([False, True, False, True, True]))
    assert choice.chosen.tolist() == [1, 3, 4] and choice.number.tolist() == [-1, 0, -1, 1, 2]


def test_a_part_of_a_floating_group_keeps_its_momentum() -> None:
    """Groups that nothing fixed holds are renumbered too."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    for number in range(6):
        velocity = (0.3 * number, 1.0 - 0.4 * number, 0.0)
        scene.add_body(f"b{number}", Box(0.3, 0.2, 0.1), mass=1.0 + number, position=(number, 0, 0), velocity=velocity,
                       angular_velocity=(1.0, 0.5 * number, 0.0))  # fmt: skip
    for number in (0, 2, 4):
        scene.connect(f"b{number}", f"b{number + 1}", taut.joints.Spherical(), at=(number + 0.5, 0, 0))
    stepper, state = taut.Simulation(scene).stepper, taut.Simulation(scene).state
    part = part_of(stepper, np.array([False, False, False, False, False, True, True]))
    assert part.stepper.mechanism.links.floating_body.tolist() == [1, 2]
    own = part.take(replace(state, steps=1))
    mass = part.stepper.mechanism.bodies.mass[1:, None]
    before = (mass * own.velocity[1:, :3]).sum(axis=0)
    for _ in range(20):
        own = next_frames(part.stepper, own, 1)[0]
    assert (mass * own.velocity[1:, :3]).sum(axis=0) == pytest.approx(before, rel=1e-9)
