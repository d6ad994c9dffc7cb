"""What the thesis' step makes of a model: trees, springs, loops, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.joints import Distance, Drive, Gear, Link, Motor, Revolute, Rope, Spherical, Universal
from taut.model.compile import compile_scene
from taut.model.redmax_tables import BALL, SLIDE, TURN
from taut.model.redmax_tree import RedMaxModel, redmax_model

Y = (0.0, 1.0, 0.0)


def bodies(count: int, **more) -> taut.Scene:
    scene = taut.Scene(collisions=False, **more)
    for k in range(count):
        scene.add_body(
            f"{k}", mass=1.0 + k, inertia=(1, 1, 1), position=(k, 0, 0), linear_damping=k, angular_damping=2 * k
        )
    return scene


def model_of(scene: taut.Scene) -> RedMaxModel:
    return redmax_model(compile_scene(scene)[0])


def test_bodies_that_nothing_joins_float() -> None:
    found = model_of(bodies(2))
    assert found.tree.parent.tolist() == [-1, -1]
    assert found.tree.kind.tolist() == 2 * ([SLIDE] * 3 + [BALL] * 3)
    assert found.mass[1] == pytest.approx(np.diag([1, 1, 1, 2, 2, 2]))
    assert found.damping[1] == pytest.approx([2, 2, 2, 1, 1, 1])


def test_joints_that_no_tree_keeps_are_loops() -> None:
    scene = bodies(3)
    for a, b in (("world", "0"), ("0", "1"), ("1", "2")):
        scene.connect(a, b, Revolute(axis=Y), name=f"hinge-{b}")
    scene.connect("world", "2", Spherical(), name="loop")
    scene.connect("0", "1", Gear(carrier="world", axis_a=Y, axis_b=Y), name="gear")
    scene.connect("0", "2", Distance(), name="rod")
    model, _ = compile_scene(scene)
    found = redmax_model(model)
    assert found.tree.kind.tolist() == [TURN] * 3
    owner = model.entries.owner[found.loops]
    assert owner.tolist() == [3, 3, 3, 4, 5]


def test_springs_know_their_ends() -> None:
    scene = bodies(2)
    scene.connect("world", "0", Revolute(axis=Y), name="hinge")
    scene.add_spring("world", "1", (5, 0, 0), (0, 0, 0.5), stiffness=3.0, damping=0.5)
    scene.add_spring("1", "0", stiffness=2.0, rest_length=0.0)
    springs = model_of(scene).springs
    found = model_of(scene)
    assert springs.node_a.tolist() == [-1, found.node[2]] and springs.node_b.tolist() == [found.node[2], found.node[1]]
    assert springs.point_a[0] == pytest.approx([5, 0, 0]) and springs.point_b[0] == pytest.approx([0, 0, 0.5])
    assert springs.stiffness.tolist() == [3.0, 2.0] and springs.damping.tolist() == [0.5, 0.0]
    assert springs.rest == pytest.approx([np.hypot(4.0, 0.5), 0.0])


@pytest.mark.parametrize("ends", [("world", "0"), ("0", "world")])
def test_springs_of_joints_act_along_their_coordinates(ends: tuple[str, str]) -> None:
    scene = bodies(1)
    drive = Drive(stiffness=7.0, damping=0.5, rest=0.2)
    scene.connect(*ends, Universal(second=drive), at=(0, 0, 0), name="cross")
    model, _ = compile_scene(scene)
    found = redmax_model(model).joint_springs
    dof = 0 if ends[0] == "0" else 1  # seen from B, the second turn comes first
    assert found.stiffness[dof] == 7.0 and found.damping[dof] == 0.5 and found.rest[dof] == 0.2
    assert found.stiffness[1 - dof] == 0.0
    assert found.slot[dof] == model.layout.slots[model.links[0].coordinates[1]]


def test_springs_of_balls_act_about_all_axes() -> None:
    scene = bodies(1)
    scene.connect("world", "0", Spherical(stiffness=4.0, damping=0.5), name="ball")
    found = model_of(scene).joint_springs
    assert (
        found.stiffness.tolist() == [4.0] * 3
        and found.damping.tolist() == [0.5] * 3
        and found.slot.tolist() == [-1] * 3
    )


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        (Revolute(limits=(-1, 1)), "joint 'it' has limits"),
        (Revolute(motor=Motor(speed=1.0)), "joint 'it' has a motor"),
        (Revolute(friction=1.0), "joint 'it' has a force with bounds"),
        (Rope(length=2.0), "joint 'it' has limits"),
        (Link(stretch=1e3, shear=1e3), "joint 'it' has soft rows"),
    ],
)
def test_what_it_does_not_know_is_refused(joint: taut.joints.Joint, message: str) -> None:
    scene = bodies(1)
    scene.connect("world", "0", joint, at=(0, 0, 0), name="it")
    with pytest.raises(InputError, match=message):
        model_of(scene)


def test_soft_joints_are_refused() -> None:
    scene = bodies(1)
    scene.connect("world", "0", Revolute(axis=Y), name="it", compliance=1e-3)
    with pytest.raises(InputError, match="joint 'it' has soft rows"):
        model_of(scene)


def test_contacts_are_refused() -> None:
    scene = taut.Scene(name="pile")
    scene.add_body("box", taut.shapes.Box(1, 1, 1), mass=1.0)
    scene.add_plane()
    with pytest.raises(InputError, match="scene 'pile' has contacts.*collisions=False"):
        model_of(scene)
