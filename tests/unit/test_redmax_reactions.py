"""Forces of joints, loops and springs after the thesis' step, against those of the maximal one."""

from __future__ import annotations

import numpy as np
import pytest
from redmax_examples import random_tree

import taut
from taut.joints import Revolute, Spherical

Y = (0.0, 1.0, 0.0)


def hanging(joint: taut.joints.Joint) -> taut.Scene:
    """Two bodies that hang on each other, at rest, the second held aside by a spring."""
    scene = taut.Scene(gravity=(0, 0, -10), collisions=False)
    scene.add_body("upper", mass=2.0, inertia=(1, 1, 1), position=(0, 0, -1))
    scene.add_body("lower", mass=3.0, inertia=(1, 1, 1), position=(0, 0, -3))
    scene.connect("world", "upper", joint, at=(0, 0, 0), name="first")
    scene.connect("lower", "upper", joint, at=(0, 0, -2), name="second")
    return scene


@pytest.mark.parametrize("joint", [Revolute(axis=Y), Spherical()], ids=["hinge", "ball"])
def test_joints_carry_what_hangs_on_them(joint: taut.joints.Joint) -> None:
    simulation = taut.Simulation(hanging(joint), 1e-2, integrator="redmax", coordinates="reduced")
    simulation.step()
    assert simulation.joint("first").reaction[:3] == pytest.approx([0, 0, 50.0], abs=1e-9)
    assert simulation.joint("second").reaction[:3] == pytest.approx([0, 0, -30.0], abs=1e-9), "B is above A"


def test_forces_are_those_of_the_maximal_step(rng: np.random.Generator) -> None:
    """For a short step of the same motion, on every joint and spring."""
    scene = random_tree(rng, count=9)
    scene.add_spring("body-1", "body-5", stiffness=20.0, damping=0.3, rest_length=0.5, name="spring")
    scene.add_spring("world", "body-3", stiffness=10.0, rest_length=0.0, name="pull")
    found = []
    for given in ({"integrator": "redmax", "coordinates": "reduced"}, {"integrator": "euler"}):
        simulation = taut.Simulation(scene, 1e-5, **given)
        for _ in range(3):
            simulation.step()
        reactions = [simulation.joint(f"to-{k}").reaction for k in range(9)]
        tension = [simulation.joint(name).tension for name in ("spring", "pull")]
        found.append(np.concatenate([*reactions, tension]))
    assert found[0] == pytest.approx(found[1], abs=2e-3 * np.abs(found[1]).max())


def test_springs_of_joints_are_told_from_the_joint() -> None:
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("wheel", mass=1.0, inertia=(1, 2, 1))
    scene.connect("world", "wheel", Revolute(axis=Y, stiffness=8.0, rest=0.5), name="axle")
    simulation = taut.Simulation(scene, 1e-4, integrator="redmax", coordinates="reduced")
    simulation.step()
    assert simulation.joint("axle").reaction == pytest.approx([0, 0, 0, 0, 4.0, 0], abs=1e-3)


def test_a_hand_pulls(rng: np.random.Generator) -> None:
    """A grab moves the target of a spring of all directions."""
    simulation = taut.Simulation(hanging(Spherical()), 1e-2, integrator="redmax", coordinates="reduced")
    hand = simulation.grab("lower", (0, 0, 0), stiffness=1e4, damping=500.0)
    hand.move_to((0.5, 0, -2.8))
    simulation.run(2.0, record=False)
    assert simulation.body("lower").position == pytest.approx([0.5, 0, -2.8], abs=2e-2)
