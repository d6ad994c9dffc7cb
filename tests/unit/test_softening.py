"""Joints that give way: rows by name, one by one or all alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from joint_examples import EXAMPLES, joint_scene

import taut
from taut.errors import InputError
from taut.joints import Distance, Fixed, KnifeEdge, Prismatic, Revolute, Rope, Spherical
from taut.rows.law import HOLD, LIMITS, SOFT


def laws(joint: Any, **options: Any) -> Any:
    """The laws of the rows of a joint, and their count."""
    sim = taut.Simulation(joint_scene(joint, **options))
    table, owner = sim.model.layout.laws, sim.model.entries.owner
    own = np.flatnonzero((owner == 1) & (table.kind != 4))
    return sim, [(int(table.kind[row]), float(table.stiffness[row]), float(table.damping[row])) for row in own]


def test_one_number_makes_all_hard_rows_soft():
    _, found = laws(Revolute(limits=(-1, 1)), compliance=1e-3, damping=2.0)
    assert found == [(SOFT, 1e3, 2.0)] * 5 + [(LIMITS, 0.0, 0.0)]


def test_rows_are_named_and_others_stay_hard():
    _, found = laws(Fixed(), compliance={"z": 1e-3, "rx": 0.1}, damping={"rx": 3.0})
    assert [kind for kind, _, _ in found] == [HOLD, HOLD, SOFT, SOFT, HOLD, HOLD]
    assert found[2] == (SOFT, 1e3, 0.0) and found[3] == (SOFT, pytest.approx(10.0), 3.0)


def test_numbers_row_by_row_are_the_same_as_by_name():
    _, by_name = laws(Prismatic(), compliance={"slide-2": 1e-4, "rz": 1e-2}, damping={"rz": 1.0})
    _, by_row = laws(Prismatic(), compliance=(0, 1e-4, 0, 0, 1e-2), damping=np.array([0.0, 0, 0, 0, 1.0]))
    assert by_name == by_row


def test_a_point_gives_way_along_axes_that_move_with_the_first_body():
    scene = taut.Scene()
    scene.add_body("a", mass=1.0, inertia=(1, 1, 1), fixed=True)
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1))
    scene.connect("a", "b", Spherical(), compliance={"x": 1e-2}, name="ball")
    row = int(np.flatnonzero(taut.Simulation(scene).model.layout.laws.kind == SOFT)[0])
    scene.bodies[1].orientation = np.array([np.sqrt(0.5), 0, 0, np.sqrt(0.5)])  # x is still the world's at the start
    for angle in (0.0, 0.7):
        sim = taut.Simulation(scene)
        turn = np.array([np.cos(angle / 2), 0, 0, np.sin(angle / 2)])
        sim.state.orientation[1] = taut.spatial.multiply(turn, sim.state.orientation[1])
        entry = int(sim.model.layout.entry_start[row])
        assert sim.stepper.measure(sim.state).jacobian[entry + 1, :3] == pytest.approx(
            [np.cos(angle), np.sin(angle), 0.0], abs=1e-12
        )


def test_a_rope_that_gives_way_pulls_and_never_pushes():
    for start, length in ((0.9, 1.0), (1.2, 1.0)):
        scene = taut.Scene(gravity=(0, 0, 0))
        scene.add_body("b", mass=1.0, inertia=(1, 1, 1), position=(start, 0, 0))
        scene.connect("world", "b", Rope(length=length), compliance=1e-2, damping=3.0, name="rope")
        sim = taut.Simulation(scene)
        sim.step()
        pull = sim.joint("rope").reaction[0]
        assert pull == 0.0 if start < length else pull < -10.0


def test_dampers_of_ends_do_nothing_before_these_are_reached():
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1), velocity=(-2.0, 0, 0), position=(1.0, 0, 0))
    slider = Prismatic(axis=(1, 0, 0), limits=(-0.5, 2.0), limit_stiffness=1e4, limit_damping=1e3)
    scene.connect("world", "b", slider, name="slider")
    sim = taut.Simulation(scene)
    places, speeds = [], []
    for _ in range(60):
        sim.step()
        places.append(sim.joint("slider").position)
        speeds.append(sim.body("b").velocity[0])
    out_of_reach = np.array(places[:14]) > -0.5
    assert out_of_reach.all() and speeds[:14] == pytest.approx([-2.0] * 14)
    assert -0.53 < min(places) < -0.5
    assert 0.0 < speeds[-1] < 0.2, "thrown back by less than a tenth"


@pytest.mark.parametrize(
    ("joint", "options", "message"),
    [
        (Fixed(), {"compliance": {"w": 1.0}}, "'joint': compliance has a row 'w'; .* Fixed are x, y, z, rx, ry, rz"),
        (Revolute(), {"compliance": (1.0, 2.0)}, "compliance has 2 numbers; a Revolute has 5 hard rows: x, y, z, tilt"),
        (Distance(), {"compliance": {"length": -1.0}}, "compliance 'length' is -1; it must be"),
        (Distance(), {"compliance": {1: 1.0}}, "a name in compliance"),
        (Fixed(), {"compliance": "soft"}, "compliance is 'soft'"),
        (Fixed(), {"damping": (0, 1.0)}, "damping is 1 without compliance"),
        (Fixed(), {"compliance": {"x": 1.0}, "damping": {"y": 2.0}}, "row 'y': damping is 2 without compliance"),
        (KnifeEdge(), {"compliance": 1.0}, "a KnifeEdge has no hard rows, so compliance must be 0"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(joint, options, message):
    with pytest.raises(InputError, match=message) as caught:
        taut.Simulation(joint_scene(joint, **options))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"limit_stiffness": 1.0}, "limit_stiffness is 1 without limits"),
        ({"limits": (0, 1), "limit_damping": 2.0}, "limit_damping is 2 without limit_stiffness"),
    ],
)
def test_soft_ends_need_ends(fields, message):
    with pytest.raises(InputError, match=message):
        Prismatic(**fields)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_names_of_a_joint_differ(name):
    try:
        taut.Simulation(joint_scene(EXAMPLES[name], compliance={"?": 1.0}))
    except InputError as error:
        names = str(error).rpartition(" are ")[2].split(", ")
        assert len(set(names)) == len(names)
