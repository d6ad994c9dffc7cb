"""Editing a running simulation: what is removed is gone, what stays goes on to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from sample_mechanisms import GRAVITY, advance, chain, same_state

import taut
from taut.errors import InputError
from taut.joints import Differential, Fixed, Motor, Revolute, Spherical
from taut.shapes import Box, Sphere
from taut.stepping.energy import momentum_of


def pile(extra: bool = True) -> taut.Scene:
    """Three boxes on the ground, and above them two joined balls that swing."""
    scene = taut.Scene()
    scene.add_plane()
    if extra:
        scene.add_body("extra", Box(0.4, 0.4, 0.4), mass=3, position=(3, 0, 0.2))
    for number in range(3):
        scene.add_body(f"box-{number}", Box(0.5, 0.5, 0.5), mass=10 + number, position=(0, 0, 0.25 + 0.5 * number))
    scene.add_body("near", Sphere(0.2), mass=1, position=(5, 0, 4.7))
    scene.add_body("far", Sphere(0.2), mass=4, position=(5.3, 0, 4.7))
    scene.connect("world", "near", Revolute(axis=(0, 1, 0), friction=0.1), at=(4.8, 0, 4.7), name="upper")
    scene.connect("near", "far", Revolute(axis=(0, 1, 0), limits=(-0.5, 0.5)), at=(5.15, 0, 4.7), name="lower")
    return scene


def steps(simulation: taut.Simulation, count: int = 20) -> taut.Simulation:
    advance(simulation, count * simulation.settings.step)
    return simulation


def test_an_edit_without_a_change_changes_no_bit() -> None:
    edited, left_alone = steps(taut.Simulation(pile())), steps(taut.Simulation(pile()))
    with edited.edit():
        pass
    with edited.edit() as edit:
        edit.remove_joint(edit.add_spring("world", "far", stiffness=10.0))
    assert same_state(steps(edited).state, steps(left_alone).state) == []


def test_a_spring_that_comes_and_goes_between_two_steps_changes_no_bit() -> None:
    edited, left_alone = steps(taut.Simulation(pile())), steps(taut.Simulation(pile()))
    with edited.edit() as edit:
        spring = edit.add_spring("box-0", "far", stiffness=1e5, rest_length=0.0)
    with edited.edit() as edit:
        edit.remove_joint(spring)
    assert same_state(steps(edited).state, steps(left_alone).state) == []


def test_what_stays_goes_on_as_in_a_scene_without_what_was_removed() -> None:
    edited, never_there = steps(taut.Simulation(pile())), steps(taut.Simulation(pile(extra=False)))
    assert len(edited.contacts) > len(never_there.contacts)
    with edited.edit() as edit:
        edit.remove_body("extra")
    assert edited.model.bodies.names == never_there.model.bodies.names
    assert same_state(edited.state, never_there.state) == [] and len(edited.contacts) == len(never_there.contacts)
    assert same_state(steps(edited).state, steps(never_there).state) == []


def test_a_removed_joint_leaves_the_model_of_a_scene_without_it() -> None:
    edited = steps(taut.Simulation(pile()))
    with edited.edit() as edit:
        edit.remove_joint("lower")
    scene = pile()
    scene.links.pop()
    scene.ignore_contacts("near", "far")
    fresh = taut.Simulation(scene)
    fresh.restore(edited.state)
    assert same_state(steps(edited).state, steps(fresh).state) == []


def test_cutting_a_chain_makes_no_jump() -> None:
    simulation = chain(links=8, load=500.0)
    steps(simulation, 30)
    before, report = simulation.state.copy(), simulation.report
    with simulation.edit() as edit:
        edit.remove_joint("link3-link4")
    assert np.array_equal(simulation.state.velocity, before.velocity)
    assert simulation.state.energy == pytest.approx(before.energy, rel=1e-12)
    mass = sum(simulation.body(name).mass for name in simulation.model.bodies.names[1:])
    assert mass > 500.0 and momentum_of(simulation.stepper.mechanism, simulation.state) == pytest.approx(
        report.momentum, rel=1e-12
    )
    velocity = simulation.body("load").velocity
    steps(simulation, 30)
    # the lower part falls freely, and its heavy load nearly as a body alone
    assert simulation.body("load").velocity - velocity == pytest.approx([0, 0, -0.5 * GRAVITY], abs=0.05)


def test_bodies_of_a_removed_joint_do_not_touch_each_other_but_others() -> None:
    simulation = steps(taut.Simulation(pile()))
    with simulation.edit() as edit:
        edit.remove_joint("lower")
        edit.remove_joint("upper")
    assert simulation.scene.ignored == [("near", "far")], "the world is no neighbour"
    steps(simulation, 120)
    touching = {frozenset(pair) for pair in zip(simulation.contacts.body_a, simulation.contacts.body_b, strict=True)}
    assert frozenset(("world", "far")) in touching and frozenset(("near", "far")) not in touching


def test_joined_bodies_that_touched_each_other_still_do() -> None:
    scene = taut.Scene()
    for name, place in (("a", 0.0), ("b", 1.0)):
        scene.add_body(name, Sphere(0.4), mass=1, position=(place, 0, 0))
    scene.connect("a", "b", Fixed(), name="bar", collide=True)
    simulation = taut.Simulation(scene)
    with simulation.edit() as edit:
        edit.remove_joint("bar")
    assert simulation.scene.ignored == []


def test_a_body_takes_its_joints_loads_controls_and_what_refers_to_it_along() -> None:
    scene = taut.Scene(collisions=False)
    for number, name in enumerate("abcd"):
        scene.add_body(name, mass=1, inertia=(1, 1, 1), position=(number, 0, 0))
        scene.connect("world", name, Revolute(axis=(1, 0, 0), motor=Motor(speed=1.0) if name in "bd" else None))
    scene.connect("a", "b", Differential("c", axis_a=(1, 0, 0), axis_b=(1, 0, 0), axis_other=(1, 0, 0)), name="split")
    scene.add_spring("c", "d", stiffness=5.0, name="spring")
    scene.add_load("c", force=(0, 0, 1), name="gone")
    scene.add_load("d", force=(0, 0, 2), name="kept")
    scene.ignore_contacts("c", "d")
    simulation = steps(taut.Simulation(scene), 3)
    angle = simulation.joint("world-d").position
    with simulation.edit() as edit:
        edit.remove_body("c")
    assert simulation.meter.names == ("world-a", "world-b", "world-d")
    assert list(simulation.scene.loads) == ["kept"] and simulation.model.loads.body.tolist() == [3]
    assert simulation.scene.ignored == [] and list(simulation.controls) == ["world-b", "world-d"]
    assert simulation.joint("world-d").position == angle
    with simulation.edit() as edit:
        edit.remove_body("b")
    assert list(simulation.controls) == ["world-d"]
    steps(simulation, 3)


def test_angles_counted_over_turns_and_targets_go_on() -> None:
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    for name in ("a", "b"):
        scene.add_body(name, mass=1, inertia=(1, 1, 1))
        scene.connect("world", name, Revolute(axis=(0, 0, 1), motor=Motor(speed=10.0)), name=f"hinge-{name}")
    simulation = steps(taut.Simulation(scene), 60)
    simulation.joint("hinge-b").drive(3.0)
    before = simulation.joint("hinge-b").position
    with simulation.edit() as edit:
        edit.remove_body("a")
    assert before > 9.0 and simulation.joint("hinge-b").position == before
    steps(simulation, 60)
    assert simulation.joint("hinge-b").position == pytest.approx(before + 3.0, abs=1e-6)


def test_views_follow_their_names() -> None:
    simulation = steps(taut.Simulation(pile()))
    box, hinge, extra = simulation.body("box-1"), simulation.joint("lower"), simulation.body("extra")
    position, angle = box.position, hinge.position
    with simulation.edit() as edit:
        edit.remove_joint("upper")
        edit.remove_body("extra")
    assert np.array_equal(box.position, position) and hinge.position == angle
    with pytest.raises(InputError, match="there is no body 'extra'"):
        _ = extra.position


def test_joints_and_springs_are_added_in_the_present_configuration() -> None:
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    for name, speed in (("a", 1.0), ("b", 0.0)):
        scene.add_body(
            name, Box(0.2, 0.3, 0.4), mass=2, com=(0.05, 0, 0), position=(0, 1 if name == "b" else 0, 0),
            velocity=(speed, 0, 0), angular_velocity=(0, 0, speed),
        )  # fmt: skip
    simulation = steps(taut.Simulation(scene), 60)
    with simulation.edit() as edit:
        edit.add_body("c", Box(0.1, 0.1, 0.1), mass=1, position=(2, 2, 2), velocity=(0, 0, 1))
        edit.connect("a", "b", Revolute(axis=(0, 0, 1)), name="hinge")
        edit.connect("b", "c", Spherical(), at=(1, 1, 1), name="ball")
        edit.add_spring("a", "b", (0.1, 0, 0), (0, 0, 0.1), stiffness=100.0, name="spring")
    for name in ("hinge", "ball", "spring"):
        assert simulation.joint(name).violation < 1e-12, name
    assert simulation.joint("hinge").position == pytest.approx(0.0, abs=1e-12)
    assert simulation.body("c").velocity.tolist() == [0, 0, 1]
    energy = simulation.state.energy
    steps(simulation, 60)
    assert simulation.state.energy <= energy * (1.0 + 1e-3)
    assert simulation.joint("hinge").violation < 1e-6 and simulation.joint("hinge").position != 0.0


def test_a_name_may_be_given_anew_in_one_edit() -> None:
    simulation = steps(taut.Simulation(pile()))
    with simulation.edit() as edit:
        edit.remove_joint("lower")
        edit.connect("near", "far", Revolute(axis=(0, 1, 0)), name="lower")
        edit.remove_body("extra")
        edit.add_body("extra", Box(1, 1, 1), mass=1, position=(9, 0, 5))
    assert simulation.joint("lower").position == pytest.approx(0.0, abs=1e-12)
    assert simulation.body("extra").position.tolist() == [9, 0, 5]
    steps(simulation)


def test_an_error_in_the_block_changes_nothing() -> None:
    edited, left_alone = steps(taut.Simulation(pile())), steps(taut.Simulation(pile()))
    with pytest.raises(InputError, match="no joint 'lowr'.*did you mean 'lower'.*upper"), edited.edit() as edit:
        edit.remove_body("box-2")
        edit.remove_joint("lowr")
    with pytest.raises(InputError, match="there is no body 'bx-2'.*box-2"), edited.edit() as edit:
        edit.remove_body("bx-2")
    with pytest.raises(InputError, match="the world is always there"), edited.edit() as edit:
        edit.remove_body("world")
    with pytest.raises(InputError, match="no hard rows"), edited.edit() as edit:
        edit.remove_body("box-1")
        edit.connect("world", "box-2", taut.joints.KnifeEdge(), compliance=1e-6)
    assert same_state(steps(edited).state, steps(left_alone).state) == []


def test_the_simulation_keeps_its_own_scene() -> None:
    scene = pile()
    simulation = taut.Simulation(scene)
    scene.links.clear()
    scene.bodies[1].position[:] = 99.0
    with simulation.edit() as edit:
        edit.remove_joint("lower")
    assert len(scene.bodies) == 7 and simulation.meter.names == ("upper",)
    assert simulation.scene.bodies[1].position.tolist() == [3, 0, 0.2]


def test_a_run_that_is_edited_goes_on() -> None:
    simulation = taut.Simulation(pile())

    def cut(share: float) -> None:
        if share == 0.5:
            with simulation.edit() as edit:
                edit.remove_joint("lower")

    recording = simulation.run(0.1, progress=cut)
    assert len(recording) == 7 and [event.name for event in recording.events] == ["lower"]


def crowded() -> taut.Scene:
    """A body far off, listed first, then a rope, a limit, a compound of two shapes on the ground, and a gear."""
    scene = taut.Scene(friction=0.5)
    scene.add_plane()
    scene.add_body("far", taut.shapes.Sphere(0.5), mass=1.0, position=(100, 0, 50))
    scene.connect("world", "far", taut.joints.Rope((100, 0, 52), (0, 0, 0.5)), name="tie")
    scene.add_body("bob", taut.shapes.Sphere(0.1), mass=2.0, position=(1, 0, 5))
    scene.connect("world", "bob", taut.joints.Rope((0, 0, 6), (0, 0, 0)), name="rope")
    parts = [(taut.shapes.Box(1, 0.2, 0.2), (0, 0, 0)), (taut.shapes.Sphere(0.15), (0.6, 0, 0))]
    scene.add_body("club", taut.shapes.Compound(parts), mass=3.0, position=(4, 0, 0.6), orientation=(0.8, 0, 0.6, 0))
    scene.add_body("flap", taut.shapes.Box(1, 0.1, 0.5), mass=1.0, position=(8.5, 0, 3))
    flap = taut.joints.Revolute(axis=(0, 1, 0), limits=(-0.2, 0.3))
    scene.connect("world", "flap", flap, at=(8, 0, 3), name="hinge")
    return scene


def test_removing_a_body_far_off_changes_nothing_of_the_rest() -> None:
    edited, whole = taut.Simulation(crowded()), taut.Simulation(crowded())
    for simulation in (edited, whole):
        simulation.body("bob").apply(force=(0, 30, 0))
        for _ in range(40):
            simulation.step()
    with edited.edit() as edit:
        edit.remove_body("far")
    for _ in range(40):
        assert edited.step().status == whole.step().status == "solved"
        for name in ("bob", "club", "flap"):
            assert edited.body(name).position == pytest.approx(whole.body(name).position, abs=1e-11), name
            assert edited.body(name).velocity == pytest.approx(whole.body(name).velocity, abs=1e-10), name
    assert edited.body("bob").position[1] > 0.05  # the force still acts


def test_cutting_what_carried_a_force_starts_its_group_anew_and_no_other() -> None:
    simulation = taut.Simulation(crowded())
    for _ in range(20):
        simulation.step()
    history = dict(zip(simulation.model.bodies.names, simulation.state.history, strict=True))
    with simulation.edit() as edit:
        edit.remove_joint("rope")
    after = dict(zip(simulation.model.bodies.names, simulation.state.history, strict=True))
    assert after.pop("bob") == 0 and history.pop("bob") == 1 and after == history


def test_a_cut_gives_no_energy() -> None:
    simulation = taut.Simulation(taut.scenes.build("four_bar"))
    for _ in range(80):
        simulation.step()
    before = simulation.state.energy
    with simulation.edit() as edit:
        edit.remove_joint("crank-1-pivot")
    assert simulation.step().energy <= before


def test_a_state_of_other_shapes_is_refused() -> None:
    def pile(parts: int) -> taut.Simulation:
        scene = taut.Scene()
        scene.add_plane()
        boxes = [(taut.shapes.Box(0.5, 0.5, 0.5), (0.6 * number, 0, 0)) for number in range(parts)]
        scene.add_body("row", taut.shapes.Compound(boxes), mass=1.0, position=(0, 0, 0.25))
        scene.add_body("box", taut.shapes.Box(0.5, 0.5, 0.5), mass=1.0, position=(0, 0, 0.75))
        return taut.Simulation(scene)

    simulation = pile(3)
    simulation.step()
    for other in (pile(1), pile(2)):
        with pytest.raises(InputError, match="restore: .*shapes"):
            other.restore(simulation.state)
    pile(3).restore(simulation.state)


def test_rows_keep_their_values_and_so_do_their_companions() -> None:
    simulation = taut.Simulation(crowded())

    def of_rope() -> list[float]:
        names, layout = simulation.meter.names, simulation.model.layout
        row = int(layout.first_rows(names.index("rope"))[0])
        companion = int(layout.companion[row])
        return simulation.state.force[[row, companion, companion + 1]].tolist()

    simulation.state.force[:] = 1.0 + np.arange(simulation.state.force.size)
    before = of_rope()
    with simulation.edit() as edit:
        edit.remove_body("far")
    assert of_rope() == before and len(set(before)) == 3


def test_bodies_keep_for_how_long_they_have_moved_smoothly() -> None:
    """Rough motion of one body is not that of another, and a new one has none behind it."""
    simulation = taut.Simulation(pile())
    steps(simulation)
    count, names = simulation.model.bodies.count, simulation.model.bodies.names
    simulation.state.calm[:] = np.arange(count)
    with simulation.edit() as edit:
        edit.remove_body("extra")
        edit.add_body("new", Box(0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 50))
    calm = dict(zip(simulation.model.bodies.names, simulation.state.calm.tolist(), strict=True))
    fresh = taut.Simulation(pile()).state.calm
    assert calm.pop("new") == fresh[1] == fresh.max()
    assert calm == {name: number for number, name in enumerate(names) if name != "extra"}


def test_more_forces_than_rows_are_refused() -> None:
    simulation = chain()
    state, name = simulation.state, simulation.meter.names[0]
    with pytest.raises(InputError, match="force has 7 values; it must be one a row, 3"), simulation.edit() as edit:
        edit.set_force(name, np.ones(7))
    assert simulation.state is state


def test_a_part_is_added_to_bodies_where_they_are_now() -> None:
    scene = taut.Scene(collisions=False)
    scene.add_body("load", Box(0.4, 0.4, 0.4), mass=20.0, position=(0, 0, 5), velocity=(1, 0, 0))
    scene.add_body("other", Box(0.4, 0.4, 0.4), mass=20.0, position=(9, 0, 5))
    simulation = steps(taut.Simulation(scene), 30)
    place, velocity = simulation.body("load").position, simulation.body("load").velocity
    eye, initial = place + (0, 0, 2.2), scene.bodies[1].position.copy()
    with simulation.edit() as edit:
        edit.add(taut.machines.Cable(from_=("world", eye), to=("load", (0, 0, 0.2)), segments=4), name="line")
        hook = simulation.body("other").position + (0, 0, 3)
        stops = [taut.joints.attach("world", hook), taut.joints.attach("other")]
        edit.add(taut.machines.Rope(stops=stops), name="rope")
    assert np.array_equal(simulation.scene.bodies[1].position, initial)
    assert np.array_equal(simulation.body("load").velocity, velocity)
    assert simulation.part("line").length == pytest.approx(2.0)
    assert [(event.kind, event.name, event.what) for event in simulation.step().events] == [
        ("added", "line", "part"), ("added", "rope", "part"),
    ]  # fmt: skip
    steps(simulation, 30)
    assert np.linalg.norm(simulation.body("load").position + (0, 0, 0.2) - eye) < 2.1
    assert np.linalg.norm(simulation.body("other").position - hook) < 3.0 + 1e-6
    with pytest.raises(InputError, match="line"), simulation.edit() as edit:
        edit.add(taut.machines.Cable(start=(0, 0, 0), end=(1, 0, 0)), name="line")
