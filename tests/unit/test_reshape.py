"""Bodies that come apart or become one: momentum to the last digits, and joints that go on where they were."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sample_mechanisms import same_state

import taut
from taut.errors import InputError
from taut.joints import Distance, Motor, Revolute, Route, Spherical, attach, pinhole, sheave
from taut.shapes import Box, Capsule
from taut.stepping.energy import momentum_of


def tumbling(rng: np.random.Generator) -> taut.Simulation:
    """A box with a part hinged to each end, a spring and a rod, all of it turning."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("box", Box(2, 1, 1), mass=6.0, position=rng.normal(size=3), velocity=rng.normal(size=3),
                   angular_velocity=3.0 * rng.normal(size=3))  # fmt: skip
    centre = scene.bodies[1].position
    for name, side in (("left", -1.0), ("right", 1.0)):
        scene.add_body(name, Capsule(0.1, 0.5), mass=0.5, position=centre + (1.4 * side, 0, 0), velocity=(1, 0, 2))
        scene.connect("box", name, Revolute(axis=(0, 1, 0), motor=Motor(speed=2.0, max_force=1.0)),
                      at=centre + (side, 0, 0), name=f"hinge-{name}")  # fmt: skip
    scene.add_body("mate", Box(0.2, 0.2, 0.2), mass=0.3, position=centre + (0.5, 0, 2))
    scene.add_spring("mate", "box", point_b=(0.6, 0, 0.5), stiffness=20.0, name="spring")
    scene.connect("box", "mate", Distance(point_a=(-0.6, 0.1, 0.5), point_b=(0, 0, 0)), name="rod")
    simulation = taut.Simulation(scene)
    for _ in range(10):
        simulation.step()
    return simulation


HALVES = {
    "one": {"shape": Box(1, 1, 1), "mass": 3.0, "position": (-0.5, 0, 0)},
    "two": {"shape": Box(1, 1, 1), "mass": 3.0, "position": (0.5, 0, 0)},
}
UNEVEN = {
    "one": {"shape": Capsule(0.4, 1.0), "mass": 1.5, "position": (-0.7, 0.1, 0), "orientation": (0.6, 0, 0.8, 0)},
    "two": {"shape": Box(1, 0.5, 1), "mass": 4.5, "position": (0.2, 0, -0.3)},
}


@pytest.mark.parametrize("pieces", [HALVES, UNEVEN])
@pytest.mark.parametrize("seed", range(5))
def test_splitting_keeps_momentum(seed: int, pieces: dict) -> None:
    simulation = tumbling(np.random.default_rng(seed))
    before = momentum_of(simulation.stepper.mechanism, simulation.state)
    with simulation.edit() as edit:
        edit.split_body("box", pieces)
    after = momentum_of(simulation.stepper.mechanism, simulation.state)
    assert after == pytest.approx(before, rel=1e-12, abs=1e-12 * np.abs(before).max())


def test_halves_of_a_box_move_as_the_box_did() -> None:
    simulation = tumbling(np.random.default_rng(1))
    box, energy = simulation.body("box"), simulation.state.energy
    twist = np.concatenate([box.velocity, box.angular_velocity])
    arm = taut.spatial.rotate(box.orientation, (-0.5, 0, 0))
    with simulation.edit() as edit:
        edit.split_body("box", HALVES)
    one = simulation.body("one")
    # to what the velocity of a body that turns tells of its angular momentum
    assert one.velocity == pytest.approx(twist[:3] + np.cross(twist[3:], arm), rel=1e-3)
    assert one.angular_velocity == pytest.approx(twist[3:], rel=1e-3)
    assert simulation.state.energy == pytest.approx(energy, rel=1e-4)


def test_joints_hold_the_nearest_piece_where_they_held_the_body() -> None:
    simulation = tumbling(np.random.default_rng(2))
    reading = {
        name: (simulation.joint(name).position, simulation.joint(name).target())
        for name in ("hinge-left", "hinge-right")
    }
    length = simulation.joint("spring").tension
    with simulation.edit() as edit:
        edit.split_body("box", HALVES)
    specs = {
        link.name: (simulation.scene.bodies[link.a].name, simulation.scene.bodies[link.b].name)
        for link in simulation.scene.links
    }
    assert specs["hinge-left"] == ("one", "left") and specs["hinge-right"] == ("two", "right")
    assert specs["spring"] == ("mate", "two") and specs["rod"] == ("one", "mate")
    for name, (position, target) in reading.items():
        assert simulation.joint(name).position == pytest.approx(position, abs=1e-12)
        assert simulation.joint(name).target() == target
    assert simulation.joint("spring").tension == length
    assert max(simulation.joint(name).violation for name in specs) < 1e-5
    for _ in range(20):
        assert not simulation.step().unconverged


def test_it_says_which_piece_a_joint_is_to_hold() -> None:
    simulation = tumbling(np.random.default_rng(3))
    with simulation.edit() as edit:
        edit.split_body("box", HALVES, joints={"hinge-left": "two"})
    link = next(link for link in simulation.scene.links if link.name == "hinge-left")
    assert simulation.scene.bodies[link.a].name == "two"
    assert simulation.joint("hinge-left").violation < 1e-5


@pytest.mark.parametrize("seed", range(5))
def test_merging_keeps_momentum_and_undoes_a_split(seed: int) -> None:
    simulation = tumbling(np.random.default_rng(seed))
    before, box = momentum_of(simulation.stepper.mechanism, simulation.state), simulation.body("box")
    position, twist = box.position, np.concatenate([box.velocity, box.angular_velocity])
    with simulation.edit() as edit:
        edit.split_body("box", HALVES)
    with simulation.edit() as edit:
        edit.merge_bodies(("one", "two"), "box", shape=Box(2, 1, 1))
    after = momentum_of(simulation.stepper.mechanism, simulation.state)
    assert after == pytest.approx(before, rel=1e-12, abs=1e-12 * np.abs(before).max())
    again = simulation.body("box")
    assert again.position == pytest.approx(position, abs=1e-12)
    assert np.concatenate([again.velocity, again.angular_velocity]) == pytest.approx(twist, rel=1e-3)
    assert {event.kind for event in simulation.step().events} == {"split", "merged"}


def test_bodies_that_move_apart_lose_energy_but_no_momentum_when_they_become_one() -> None:
    simulation = tumbling(np.random.default_rng(4))
    before, energy = momentum_of(simulation.stepper.mechanism, simulation.state), simulation.state.energy
    with simulation.edit() as edit:
        edit.merge_bodies(("box", "left"), "both")
    assert simulation.state.energy < energy
    assert momentum_of(simulation.stepper.mechanism, simulation.state) == pytest.approx(before, rel=1e-12, abs=1e-11)


def test_what_cannot_be_is_refused_and_changes_nothing() -> None:
    simulation = tumbling(np.random.default_rng(5))
    state = simulation.state.copy()
    wrong = [
        ({"one": HALVES["one"]}, "two pieces"),
        (HALVES | {"two": {**HALVES["two"], "mass": 3.1}}, "6.1 kg together; it must be the body's 6 kg"),
        (HALVES | {"left": HALVES["two"]}, "left"),
        (HALVES | {"two": {**HALVES["two"], "fixed": True}}, "piece 'two': fixed is True; it cannot be given"),
        (HALVES | {"two": {**HALVES["two"], "velocity": (1, 0, 0)}}, "piece 'two': velocity is"),
        (HALVES | {"two": {**HALVES["two"], "angular_velocity": None}}, "piece 'two': angular_velocity is"),
        (HALVES | {"two": {**HALVES["two"], "weight": 3}}, "no option 'weight'.*mass"),
        (HALVES | {"two": None}, "piece 'two' is None; it must be a dictionary"),
        (["one", "two"], "pieces is .*it must be a dictionary by name"),
        (None, "pieces is None; it must be a dictionary by name"),
    ]
    for pieces, words in wrong:
        with pytest.raises(InputError, match=words), simulation.edit() as edit:
            edit.split_body("box", pieces)
    with pytest.raises(InputError, match="piece"), simulation.edit() as edit:
        edit.split_body("box", HALVES, joints={"hinge-left": "three"})
    with pytest.raises(InputError, match="'hinge-lft'.*did you mean 'hinge-left'.*rod"), simulation.edit() as edit:
        edit.split_body("box", HALVES, joints={"hinge-lft": "one"})
    with pytest.raises(InputError, match="joints is 3; it must be a dictionary"), simulation.edit() as edit:
        edit.split_body("box", HALVES, joints=3)
    for names in ((), None, "box", ["box", 3], ["box", "box"]):
        with pytest.raises(InputError, match="'x': names is .*it must be a list of bodies"), simulation.edit() as edit:
            edit.merge_bodies(names, "x")
    for options, words in (({"mass": 3.0}, "mass is 3.0; it cannot be given"), ({"paint": 1}, "no option 'paint'")):
        with pytest.raises(InputError, match=words), simulation.edit() as edit:
            edit.merge_bodies(("box", "left"), "x", **options)
    assert same_state(simulation.state, state) == []


def test_a_body_that_a_joint_of_others_refers_to_is_not_split() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    for index, name in enumerate(("a", "b", "c")):
        scene.add_body(name, Box(1, 1, 1), mass=1.0, position=(2 * index, 0, 0))
    scene.connect("a", "b", Spherical())
    scene.connect("a", "b", taut.joints.Differential(other="c", axis_a=(1, 0, 0)), name="diff")
    simulation = taut.Simulation(scene)
    with pytest.raises(InputError, match="'diff' refers to body 'c'"), simulation.edit() as edit:
        edit.merge_bodies(("c", "a"), "x")


def test_a_joint_of_the_same_edit_goes_to_the_piece_that_is_said() -> None:
    simulation = tumbling(np.random.default_rng(2))
    with simulation.edit() as edit:
        edit.add_body("new", Box(2, 1, 1), mass=6.0, position=(0, 0, 9))
        edit.connect("mate", "new", Spherical(), name="ball")
        edit.split_body("new", HALVES, joints={"ball": "two"})
    link = next(link for link in simulation.scene.links if link.name == "ball")
    assert simulation.scene.bodies[link.b].name == "two"
    assert simulation.joint("ball").violation < 1e-12 and simulation.step().status == "solved"


def hung() -> taut.Simulation:
    """A beam in a rope from a hook around a sheave and through an eye of it, with a weight at the end of the rope."""
    scene = taut.Scene(collisions=False)
    scene.add_body(
        "beam", Box(2, 0.2, 0.2), mass=6.0, com=(0.1, 0, 0), orientation=(0.8, 0, 0, 0.6), position=(0, 0, 2)
    )
    scene.add_body("weight", Box(0.2, 0.2, 0.2), mass=4.0, position=(0.5, 0.5, 1))
    wheel = sheave("beam", (-0.8, 0, 0.1), radius=0.1, axis=(0, 1, 0), sense=-1, friction=0.2)
    stops = (attach("world", (-0.5, -1, 4)), wheel, pinhole("beam", (0.8, 0, 0.1)), attach("weight", (0, 0, 0.1)))
    scene.connect("world", "weight", Route(stops), name="rope")
    simulation = taut.Simulation(scene)
    for _ in range(10):
        simulation.step()
    return simulation


LENGTHS = {
    "one": {"shape": Box(1, 0.2, 0.2), "mass": 3.0, "position": (-0.5, 0, 0), "orientation": (0.6, 0, 0.8, 0)},
    "two": {"shape": Box(1, 0.2, 0.2), "mass": 3.0, "position": (0.5, 0, 0), "orientation": (0.8, 0.6, 0, 0)},
}


def test_a_rope_runs_on_over_the_pieces_and_over_what_becomes_one() -> None:
    simulation = hung()

    def seen() -> list[float]:
        state, layout = simulation.state, simulation.model.layout
        first = int(layout.first_rows(simulation.model.link_numbers["rope"])[0])
        joint = simulation.joint("rope")
        return [*joint.wraps, joint.violation, *state.force[first : first + 2], *state.limits[first]]

    before = seen()
    with simulation.edit() as edit:
        edit.split_body("beam", LENGTHS)
    assert [stop.body for stop in simulation.scene.links[-1].kind.stops] == ["world", "one", "two", "weight"]
    assert before[-3] != 0.0 and seen() == pytest.approx(before, abs=1e-9)
    with simulation.edit() as edit:
        edit.merge_bodies(("two", "weight"), "both")
        edit.merge_bodies(("one", "both"), "all")
    assert [stop.body for stop in simulation.scene.links[-1].kind.stops] == ["world", "all", "all", "all"]
    assert seen() == pytest.approx(before, abs=1e-9)
    for _ in range(10):
        assert not simulation.step().unconverged


def test_a_rope_over_the_bodies_that_become_one_only_is_gone_and_a_rope_goes_to_the_piece_that_is_said() -> None:
    simulation = hung()
    with simulation.edit() as edit:
        edit.split_body("beam", LENGTHS, joints={"rope": "two"})
        edit.connect("two", "one", Route((attach("one"), attach("two"))), name="tie")
        edit.merge_bodies(("one", "two"), "beam")
    assert list(simulation.model.link_numbers) == ["rope"]
    assert simulation.joint("rope").violation < 1e-9


def test_what_a_body_became_touches_what_it_touched_and_nothing_else() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("beam", Box(2, 0.2, 0.2), mass=6.0)
    for name, place in (("post", 0.1), ("far", 3.0), ("mate", -1.0)):
        scene.add_body(name, Box(0.3, 0.3, 0.3), mass=1.0, position=(place, 0, 0))
    scene.connect("beam", "post", Revolute(), name="hinge")
    scene.connect("mate", "far", Spherical(), at=(1, 0, 0))
    scene.ignore_contacts("mate", "beam")
    simulation = taut.Simulation(scene)
    with warnings.catch_warnings():
        warnings.simplefilter("error", taut.TautWarning)
        with simulation.edit() as edit:
            edit.split_body("beam", {name: half | {"orientation": (1, 0, 0, 0)} for name, half in LENGTHS.items()})
    assert pairs_kept_apart(simulation) == {"far mate", "mate one", "mate two", "one post", "post two"}
    assert simulation.step().status == "solved"
    with simulation.edit() as edit:
        edit.merge_bodies(("one", "post"), "both", shape=Box(0.3, 0.3, 0.3))
    assert pairs_kept_apart(simulation) == {"both mate", "both two", "far mate", "mate two"}


def pairs_kept_apart(simulation: taut.Simulation) -> set[str]:
    """Names of the bodies that never touch, pair by pair."""
    names = simulation.model.bodies.names
    keys = simulation.model.geoms.excluded.tolist()
    return {" ".join(sorted(names[end] for end in divmod(key, len(names)))) for key in keys}
