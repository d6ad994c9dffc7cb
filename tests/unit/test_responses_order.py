"""What is eliminated first: trees, or bodies where many contacts meet at them."""

from __future__ import annotations

import numpy as np
import pytest
from tree_examples import chain

import taut
from taut import scenes
from taut.joints import Revolute, Spherical
from taut.responses.order import trees_first
from taut.shapes import Sphere


def lying(links: int) -> taut.Scene:
    """Balls in a row on the ground, each joined to the next."""
    scene = taut.Scene(friction=0.5)
    scene.add_plane()
    for index in range(links):
        scene.add_body(f"b{index}", Sphere(0.1), mass=1.0, position=(0.25 * index, 0, 0.1))
        if index:
            scene.connect(f"b{index - 1}", f"b{index}", Spherical(), at=(0.25 * index - 0.125, 0, 0.1))
    return scene


def order_of(simulation: taut.Simulation) -> bool:
    """Whether trees come first among the latest rows."""
    return trees_first(simulation.stepper.mechanism.trees, simulation.stepper.latest[1].entries)


def test_trees_come_first_where_few_rows_are_left() -> None:
    for scene in (chain(5), scenes.build("hanging_chain"), scenes.build("four_bar"), scenes.build("robot_arm")):
        simulation = taut.Simulation(scene, coordinates="reduced")
        simulation.step()
        assert order_of(simulation)


def test_many_contacts_on_a_chain_come_first() -> None:
    simulation = taut.Simulation(lying(50), coordinates="reduced")
    simulation.step()
    assert simulation.report.contacts == 50 and not order_of(simulation)
    assert simulation.stepper.latest[1].reduced is None


def test_one_contact_of_an_arm_does_not() -> None:
    scene = taut.Scene()
    scene.add_plane()
    for index, place in enumerate(((0, 0, 1.0), (0.5, 0, 0.5), (1.0, 0, 0.1))):
        scene.add_body(f"b{index}", Sphere(0.1), mass=1.0, position=place)
        joint = Revolute(axis=(0, 1, 0))
        scene.connect(f"b{index - 1}" if index else "world", f"b{index}", joint, at=np.add(place, (-0.2, 0, 0.2)))
    simulation = taut.Simulation(scene, coordinates="reduced")
    simulation.step()
    assert simulation.report.contacts == 1 and order_of(simulation)
    assert simulation.stepper.latest[1].reduced is not None


def test_either_order_has_one_solution(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is cheaper changes no motion."""
    ends = []
    for first in (True, False):
        monkeypatch.setattr("taut.stepping.stepper.trees_first", lambda *_, first=first: first)
        scene = lying(6)
        scene.bodies[1].velocity = (0.0, 0.3, 0.0)
        simulation = taut.Simulation(scene, coordinates="reduced")
        for _ in range(30):
            assert simulation.step().status == "solved"
        assert simulation.report.violation <= 1e-12, "trees are closed in either order"
        ends.append(simulation.state.position)
    assert np.abs(ends[0] - ends[1]).max() <= 1e-6
