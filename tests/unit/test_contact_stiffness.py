"""Geometric stiffness of contacts: K~ is the derivative of the wrenches of all their rows, friction included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from contact_examples import CASES, linearised, moved, two_bodies
from dense_twins import central_difference
from staged_steps import Staged

import taut
from taut.collide.contacts import CENTRE_LINE, NORMAL_OF_A, NORMAL_OF_B
from taut.contact.stiffness import contact_stiffness, seesaws
from taut.rows.stiffness import joined
from taut.shapes import Box, Capsule, Sphere
from taut.stepping.linearise_kernels import measure

Array = np.ndarray
FACES = {"box on ball": (Sphere(0.2), Box(1.0, 1.0, 1.0), 0.768), "box on box": (Box(1, 1, 1), Box(1, 1, 1), 1.156)}
ALL = {**CASES, **FACES}


@dataclass
class Pressed:
    """Contacts of two bodies with random forces in all their rows."""

    step: Staged

    @classmethod
    def of(cls, case: str, seed: int) -> Pressed:
        """Contacts of a case, which also roll and twist where the seed is odd."""
        simulation = two_bodies(*ALL[case])
        if seed % 2:
            for bodies in (simulation.stepper.collider.geoms.rolling, simulation.stepper.collider.geoms.torsional):
                bodies[:] = 0.01
        step = linearised(simulation)
        step.linearise(100.0 * np.random.default_rng(seed).normal(size=step.rows.force.size))
        return cls(step)

    def wrenches(self, twists: Array) -> Array:
        """J^T f (18,) of all contacts, bodies moved by twists (3, 6) with the world first."""
        step = self.step
        kept = step.contacts.table.tangent.copy()
        places = [each.copy() for each in step.scratch.places]
        for body in (1, 2):
            there = moved(step, body, twists[body])
            for here, new in zip(step.scratch.places, there, strict=True):
                here[body] = new[body]
        measure(step.stepper.m, step.stepper.w, step.handles[0], step.table)
        result = np.zeros((3, 6))
        force = step.rows.force[step.entries.entry_row]
        np.add.at(result, step.entries.entry_body, force[:, None] * step.rows.jacobian)
        for here, before in zip(step.scratch.places, places, strict=True):
            here[:] = before
        step.contacts.table.tangent[:] = kept
        return result.ravel()


@pytest.mark.parametrize("case", ALL)
@pytest.mark.parametrize("seed", range(4))
def test_stiffness_is_the_derivative_of_the_wrenches(case: str, seed: int) -> None:
    pressed = Pressed.of(case, seed)
    step = pressed.step
    table, places = step.contacts.table, step.scratch.places
    assert step.contacts.count and set(table.width.tolist()) == ({6} if seed % 2 else {3})
    numeric = central_difference(pressed.wrenches, 18, 3, 1e-6).reshape(18, 18)
    pressed.wrenches(np.zeros((3, 6)))
    found = contact_stiffness(table, places, step.rows).dense(3) - joined(seesaws(table, places, step.rows)).dense(3)
    assert np.abs(numeric).max() > 1.0
    assert found == pytest.approx(numeric, abs=1e-6 * np.abs(numeric).max())


def test_cases_have_normals_of_every_kind() -> None:
    kinds = {int(kind) for case in ALL for kind in Pressed.of(case, 0).step.contacts.table.turning}
    assert {NORMAL_OF_A, NORMAL_OF_B, CENTRE_LINE} <= kinds


def test_seesaws_are_those_of_the_kernel() -> None:
    """What is left of the kernel's blocks without its two arms, which the forces give."""
    scene = taut.Scene()
    level = (np.cos(np.pi / 4), 0.0, np.sin(np.pi / 4), 0.0)
    across = (np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0)
    scene.add_body("a", Capsule(0.1, 1.0), mass=2.0, orientation=level)
    scene.add_body("b", Capsule(0.1, 1.0), mass=2.0, position=(0.0, 0.0, 0.2), orientation=across)
    step = linearised(taut.Simulation(scene))
    force = np.zeros(step.rows.value.size)
    force[step.contacts.table.row[0]] = 1000.0
    step.linearise(force)
    found = -joined(seesaws(step.contacts.table, step.scratch.places, step.rows)).dense(3)
    # the arm of B's core is 0, and that of A's too: centres of mass are on the axes
    for body in (1, 2):
        rotation = slice(6 * body + 3, 6 * body + 6)
        assert found[rotation, rotation] == pytest.approx(step.rows.stiffness[body].reshape(3, 3), abs=1e-9)
    assert np.trace(found) == pytest.approx(2 * 1000.0 * 0.2, rel=1e-6)
