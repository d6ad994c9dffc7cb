"""Scene -> Model and first State."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import random_quaternion
from joint_examples import joint_scene

import taut
from taut.errors import InputError
from taut.joints import Revolute, Spherical
from taut.model.compile import SLIM, compile_scene
from taut.rows.law import SOFT
from taut.shapes import Sphere


def test_bodies_keep_their_order_and_numbers() -> None:
    scene = taut.Scene(gravity=(1, 2, 3))
    scene.add_body("a", mass=2.0, inertia=(1, 2, 2.5), com=(0.1, 0, 0), linear_damping=0.3)
    scene.add_body("b", fixed=True)
    model, state = compile_scene(scene)
    assert model.bodies.names == ("world", "a", "b") and model.bodies.moves.tolist() == [0, 1, 0]
    assert model.bodies.mass[1] == 2.0 and model.bodies.inertia[1].reshape(3, 3).diagonal().tolist() == [1, 2, 2.5]
    assert model.gravity.tolist() == [1, 2, 3]
    assert (state.time, state.steps, state.history.tolist()) == (0.0, 0, [0, 0, 0])
    assert state.contacts.contacts.count == 0


def test_first_state_is_at_the_centre_of_mass(rng: np.random.Generator) -> None:
    scene = taut.Scene()
    quaternion, com = random_quaternion(rng), rng.normal(size=3)
    scene.add_body(
        "a",
        mass=1.0,
        inertia=(1, 2, 2.5),
        com=com,
        position=(1, 2, 3),
        orientation=quaternion,
        angular_velocity=(1, -1, 2),
    )
    _, state = compile_scene(scene)
    assert state.position[1] == pytest.approx(np.array([1, 2, 3]) + taut.spatial.rotate(quaternion, com))
    turn = taut.spatial.matrix(quaternion)
    assert state.spin[1] == pytest.approx(turn @ np.diag([1, 2, 2.5]) @ turn.T @ [1, -1, 2])


def test_later_edits_of_the_scene_do_not_reach_the_model() -> None:
    scene = joint_scene(Spherical())
    model, state = compile_scene(scene)
    scene.bodies[1].position += 1.0
    scene.bodies[1].inertia *= 2.0
    scene.gravity[:] = 0.0
    again, _ = compile_scene(joint_scene(Spherical()))
    assert np.array_equal(model.bodies.inertia, again.bodies.inertia) and model.gravity[2] == -9.81
    assert model.bodies.count == 5 and state.position.shape == (5, 3)


def test_frequencies_become_stiffness_with_the_masses_on_both_sides() -> None:
    scene = taut.Scene()
    for index, name in enumerate("ab"):
        scene.add_body(name, mass=1.0, inertia=(1, 1, 1 + index))
    scene.connect("a", "b", Revolute(axis=(0, 0, 1), frequency=3.0, damping_ratio=0.2))
    model, _ = compile_scene(scene)
    law = next(law for spec in model.layout.specs for law in spec.laws if law.kind == SOFT)
    reduced = 1.0 / (1.0 / 1.0 + 1.0 / 2.0)
    assert law.stiffness == pytest.approx(reduced * (6 * np.pi) ** 2)
    assert law.damping == pytest.approx(2 * 0.2 * reduced * 6 * np.pi)


def test_slim_bodies_are_those_that_rows_hold() -> None:
    scene = taut.Scene()
    for name, least in (("held rod", 0.1), ("held block", 0.9), ("free rod", 0.1)):
        scene.add_body(name, mass=1.0, inertia=(least, 1.0, 1.0))
    scene.connect("world", "held rod", Spherical())
    scene.connect("world", "held block", Spherical())
    model, _ = compile_scene(scene)
    assert 0.1 < SLIM < 0.9
    assert model.slim.tolist() == [0, 1, 0, 0]
    assert np.abs(model.bodies.slim_axis[1]) == pytest.approx([1, 0, 0])


def test_a_scene_of_free_bodies_has_no_rows() -> None:
    scene = taut.Scene()
    scene.add_body("a", mass=1.0, inertia=(1, 1, 1))
    model, _ = compile_scene(scene)
    assert model.layout.row_count == 0 and model.entries.incidence.pattern.size == 0


def test_gravity_may_be_set_later() -> None:
    scene = taut.Scene()
    scene.add_body("ball", Sphere(0.1), mass=1.0)
    scene.gravity = (0, 0, -1.62)
    assert compile_scene(scene)[0].gravity.tolist() == [0.0, 0.0, -1.62]
    scene.gravity = (0, -1.62)
    with pytest.raises(InputError, match=r"scene: gravity is \(0, -1.62\)"):
        compile_scene(scene)
