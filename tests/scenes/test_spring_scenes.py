"""Scenes of springs, trees and loops: what they are built of, and what they do at other sizes and loads."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import taut
from taut import scenes
from taut.results.record import Recording


@functools.cache
def recorded(name: str, **parameters: object) -> Recording:
    """A full-length run with default settings."""
    return taut.Simulation(scenes.build(name, **parameters)).run(scenes.get(name).duration)


@pytest.mark.parametrize("ratio", [1.0, 1e2, 1e4, 1e6])
def test_closed_chain_holds_at_every_ratio(ratio):
    recording = recorded("closed_chain", ratio=ratio)
    assert recording.violation.max() <= 1e-6 and not recording.column("unconverged").any()
    assert recording.column("solves")[1:].mean() <= 1.3


def bent(car: float) -> tuple[float, float]:
    """Sag of the deck and bending of a tower, both at their greatest, m."""
    recording = recorded("stayed_bridge", dofs=90, towers="flexible", car=car)
    top = recording.body("tower-1-30").position[:, 0]
    deck = [name.startswith("deck-") for name in recording.info.body_names]
    return float(-recording.positions[:, deck, 2].min()), float(np.abs(top - top[0]).max())


def test_a_car_of_500_times_the_weight_bends_the_bridge_that_much_more():
    idle, light, heavy = bent(0.0), bent(1.0), bent(500.0)
    assert idle[0] < light[0] < 2e-3 and idle[1] <= light[1] < 1e-3
    assert heavy[0] > 300.0 * (light[0] - idle[0]) > 0.0
    assert heavy[0] > 0.3 and heavy[1] > 0.2


@pytest.mark.parametrize(("towers", "count"), [("rigid", 1), ("flexible", 3)])
def test_a_bridge_bends_alike_at_every_resolution(towers, count):
    sags = []
    for pieces in (40, 80):
        recording = recorded("stayed_bridge", dofs=count * pieces, towers=towers, car=500.0)
        deck = [name.startswith("deck-") for name in recording.info.body_names]
        sags.append(recording.positions[:, deck, 2].min())
    assert sags[0] == pytest.approx(sags[1], rel=0.03)


@pytest.mark.parametrize(
    ("name", "parameters", "dofs", "loops"),
    [
        ("stayed_bridge", {"dofs": 64, "car": 0.0}, 64, 1),
        ("stayed_bridge", {"dofs": 64, "towers": "flexible", "car": 1.0}, 63 + 3, 1),
        ("umbrella", {"dofs": 65}, 65, 8),
        ("umbrella", {"dofs": 1025}, 1025, 8),
        ("spring_tree", {"levels": 5}, 94, 0),
        ("spring_arm", {"arms": 2}, 14, 0),
        ("closed_chain", {"links": 10}, 33, 1),
    ],
)
def test_scenes_with_springs_are_trees_whose_loops_are_closed_last(name, parameters, dofs, loops):
    """Each joint that comes before those that close loops has a body of its own, which no joint has held before."""
    scene = scenes.build(name, **parameters)
    joints = [link for link in scene.links if isinstance(link.kind, taut.joints.Joint)]
    tree, closing = joints[: len(joints) - loops], joints[len(joints) - loops :]
    held = {index for index, body in enumerate(scene.bodies) if body.fixed}
    for joint in tree:
        assert joint.a in held and joint.b not in held
        held.add(joint.b)
    assert held == set(range(len(scene.bodies)))
    assert {joint.b for joint in closing} <= held
    assert sum(joint.kind.freedom for joint in tree) == dofs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("stayed_bridge", {"dofs": 4096, "car": 500.0}),
        ("stayed_bridge", {"dofs": 4096, "towers": "flexible", "car": 500.0}),
        ("umbrella", {"dofs": 4097}),
        ("spring_tree", {"levels": 10}),
        ("spring_tree", {"levels": 10, "alternate": True}),
        ("closed_chain", {"links": 4096}),
        ("spring_arm", {"arms": 500}),
    ],
)
def test_scenes_with_springs_pass_their_check_at_high_resolution(name, parameters):
    scenes.get(name).check(recorded(name, **parameters))
