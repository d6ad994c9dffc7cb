"""Which bodies belong together: by rows, by contacts, and for the judgement of energy."""

from __future__ import annotations

import numpy as np
import pytest
from made_up_outcomes import first_solve

import taut
from taut.joints import Motor, Revolute, Spherical
from taut.model.compile import compile_scene
from taut.model.groups import first_moving_body, held_groups, joined_groups, merged_groups
from taut.model.model import Model
from taut.shapes import Sphere
from taut.stepping.energy import body_energy, stored_energy
from taut.stepping.mechanism import Mechanism, mechanism_of


def model() -> Model:
    """World; a hung pair (1, 2); a floating pair (3, 4); a lone body (5); a driven body (6); a loaded body (7)."""
    scene = taut.Scene()
    for index in range(1, 8):
        scene.add_body(f"b{index}", Sphere(0.1), mass=1.0, position=(index, 0, 0))
    scene.connect("world", "b1", Spherical())
    scene.connect("b1", "b2", Spherical())
    scene.connect("b3", "b4", Spherical())
    scene.connect("world", "b6", Revolute(motor=Motor(speed=1.0)))
    scene.add_load("b7", force=(1, 0, 0))
    return compile_scene(scene)[0]


def test_bodies_are_joined_by_rows_and_told_apart_by_fixed_ones() -> None:
    whole = model()
    joined, row_body = joined_groups(whole), first_moving_body(whole.layout, whole.bodies.moves)
    assert joined.tolist() == [0, 1, 1, 3, 3, 5, 6, 7]
    assert held_groups(whole, joined, row_body).tolist() == [0, 0, 0, 3, 3, 5, 0, 7]


def test_bodies_that_meet_are_one_group_unless_one_of_them_is_fixed() -> None:
    joined = np.array([0, 1, 1, 3, 3, 5, 6, 7])
    moves = np.array([0, 1, 1, 1, 1, 1, 1, 1], np.uint8)
    body_a, body_b = np.array([0, 4, 5, 0, 7]), np.array([2, 1, 6, 7, 6])
    counts = np.array([1, 1, 1, 1, 0])
    assert merged_groups(joined, moves, body_a, body_b, counts).tolist() == [0, 1, 1, 1, 1, 5, 5, 7]
    assert joined.tolist() == [0, 1, 1, 3, 3, 5, 6, 7], "what was given stays"


def energies(mechanism: Mechanism, state: taut.State, measure: np.ndarray) -> np.ndarray:
    """Energy (n,) of bodies and of springs, by the first moving body of each, J."""
    springs = stored_energy(mechanism, state, state.target, measure)
    return body_energy(mechanism, state) + np.bincount(mechanism.links.row_body, springs, mechanism.count)


def test_springs_motors_and_loads_are_judged_with_the_group_of_their_rows() -> None:
    """What a spring gives to one body is no excuse for another that gained as much from nowhere."""
    scene = taut.Scene(collisions=False)
    for index, speed in enumerate((0.0, 1.0, 0.0, 0.5), start=1):
        scene.add_body(f"b{index}", Sphere(0.1), mass=1.0, position=(index, 0, 1), velocity=(0, speed, 0))
    for name, stiffness in (("b1", 50.0), ("b2", 2000.0)):
        scene.add_spring("world", name, stiffness=stiffness, rest_length=0.5)
    scene.add_load("b3", force=(3, 0, 0))
    simulation = taut.Simulation(scene, integrator="euler")
    before, mechanism = simulation.state, mechanism_of(simulation.model)
    _, outcome = first_solve(simulation)
    assert outcome.energy_group.tolist() == [0, 1, 2, 3, 4]
    simulation.step()
    after = simulation.state
    assert np.array_equal(after.position, outcome.position), "the step took what was solved first"
    expected = energies(mechanism, after, after.measure) - energies(mechanism, before, before.measure)
    expected[3] -= 3.0 * (after.position[3, 0] - before.position[3, 0])
    assert outcome.gain == pytest.approx(expected, abs=1e-12)
    assert np.abs(expected[1:3]).min() > 1e-3, "the springs must matter"
