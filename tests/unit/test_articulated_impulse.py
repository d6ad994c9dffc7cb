"""Impulses of joints of trees: what bodies miss in their balance, from the leaves to the root."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import dense_jacobian
from reduced_problems import dense_mass, problem_of
from tree_examples import KINDS, chain, linked, mixed, random_joint

import taut
from taut.joints import Spherical
from taut.model.articulation import ELIMINATED


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("ends", [("world", "b"), ("a", "b"), ("b", "a")], ids="-".join)
def test_every_joint_balances_its_body(kind: type, ends: tuple[str, str], rng: np.random.Generator) -> None:
    """M u = J^T lam for every number of rows that a joint may keep, whichever end it is carried by."""
    simulation = taut.Simulation(linked(random_joint(rng, kind), ends), coordinates="reduced", solver="bpp")
    simulation.step()
    found = problem_of(simulation)
    solution = found.solve()
    count = simulation.model.bodies.count
    momentum = dense_mass(found.problem).reshape(6 * count, 6 * count) @ found.change(solution.lam).ravel()
    impulse = dense_jacobian(found.problem.entries, found.problem.blocks.jacobian, count).T @ solution.lam
    assert impulse[6:] == pytest.approx(momentum[6:], abs=1e-13 * np.abs(momentum).max())
    assert np.abs(impulse).max() > 1e-3 or kind.__name__ in ("PointOnPlane", "Translational")


@pytest.mark.parametrize("seed", range(4))
def test_loops_contacts_and_springs_enter_the_sums(seed: int) -> None:
    simulation = taut.Simulation(mixed(np.random.default_rng(seed)), coordinates="reduced", solver="bpp")
    for _ in range(3):
        simulation.step()
    found = problem_of(simulation, shake=3.0)
    lam, count = found.solve().lam, simulation.model.bodies.count
    momentum = dense_mass(found.problem).reshape(6 * count, 6 * count) @ found.change(lam).ravel()
    jacobian = dense_jacobian(found.problem.entries, found.problem.blocks.jacobian, count)
    missed = (momentum - jacobian.T @ lam)[6:]
    assert np.abs(missed).max() <= 1e-12 * np.abs(momentum).max()
    # of all rows, those that trees keep are a function of the others
    others = np.where(found.rows.table.trees.role == ELIMINATED, 0.0, lam)
    assert np.abs((momentum - jacobian.T @ others)[6:]).max() > 1e-3 * np.abs(momentum).max()


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
def test_a_chain_at_rest_carries_its_weight(coordinates: str) -> None:
    scene = taut.Scene(collisions=False)
    previous = "world"
    for index in range(4):
        name = scene.add_body(f"b{index}", taut.shapes.Sphere(0.1), mass=1.0 + index, position=(0, 0, -index - 0.5))
        scene.connect(previous, name, Spherical(), at=(0, 0, -index), name=f"j{index}")
        previous = name
    simulation = taut.Simulation(scene, coordinates=coordinates)
    for _ in range(5):
        assert simulation.step().status == "solved"
    for index in range(4):
        weight = 9.81 * sum(range(1 + index, 5))
        force = simulation.joint(f"j{index}").reaction
        assert np.abs(force[:3]) == pytest.approx([0.0, 0.0, weight], abs=1e-9)


def test_reactions_are_those_of_maximal_coordinates() -> None:
    forces = []
    for coordinates in ("maximal", "reduced"):
        simulation = taut.Simulation(chain(4, 50.0), step=1e-3, coordinates=coordinates)
        for _ in range(20):
            simulation.step()
        forces.append([simulation.joint(f"j{index}").reaction for index in range(4)])
    assert np.abs(forces[0]).max() > 10.0
    assert forces[1] == pytest.approx(np.array(forces[0]), rel=1e-5, abs=1e-5 * np.abs(forces[0]).max())
