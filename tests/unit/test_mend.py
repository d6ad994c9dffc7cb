"""Overlaps that a solve did not foresee are taken back, group by group, without another solve."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import random_quaternion
from made_up_outcomes import first_solve, nothing_spent

import taut
from taut.joints import Spherical
from taut.rows.table import Places
from taut.shapes import Box, Sphere
from taut.stepping.attempt import attempt
from taut.stepping.collide import find_contacts
from taut.stepping.mend import deepest_of_pairs, foreseen_gaps, judge_overlap, mend
from taut.stepping.outcome import Outcome
from taut.stepping.settings import MENDING
from taut.stepping.tables import CONTACT_ERROR, CONTACT_RISE, DEPTH, STRAYED

H = 1 / 60


def balls(*heights: float, pinned: bool = False) -> taut.Simulation:
    """Balls of 0.1 m above a plane, 2 m from each other, at these heights of their lowest points; a step old."""
    scene = taut.Scene(friction=0.0)
    scene.add_plane()
    for index, height in enumerate(heights):
        scene.add_body(f"ball-{index}", Sphere(0.1), mass=1.0, position=(2.0 * index, 0, 0.1 + height))
        if pinned:
            scene.connect("world", f"ball-{index}", Spherical())
    simulation = taut.Simulation(scene)
    simulation.step()
    return simulation


def sunk(simulation: taut.Simulation, *depths: float) -> Outcome:
    """The outcome of a solve that left balls so deep in the plane, unforeseen, and strayed where it did; mended."""
    stepper, state = simulation.stepper, simulation.state
    outcome = first_solve(simulation)[1]
    places = stepper.scratch.places
    for index, depth in enumerate(depths):
        places.position[1 + index, 2] = outcome.position[1 + index, 2] = 0.1 - depth
        outcome.table[STRAYED, 1 + index] = float(depth > 0.0)
    contacts = find_contacts(stepper, state, outcome.velocity, H, outcome.memory)
    mend(stepper, state, outcome, contacts, stepper.scratch.places)
    assert places.position[1 : 1 + len(depths), 2] == pytest.approx(0.1 - np.array(depths)), "scratch is as it was"
    return outcome


def test_an_overlap_is_taken_back_to_half_of_what_is_tolerated() -> None:
    simulation = balls(0.02)
    tolerance = simulation.settings.contact_tolerance
    outcome = sunk(simulation, 0.005)
    assert outcome.position[1, 2] == pytest.approx(0.1 - 0.5 * tolerance * 0.1, abs=1e-4)
    assert 0.4 * tolerance < outcome.table[CONTACT_ERROR].max() < 0.6 * tolerance
    assert outcome.depth == pytest.approx(0.1 - outcome.position[1, 2])


@pytest.mark.parametrize("share", [0.3, 0.0099])
def test_what_is_too_deep_or_tolerated_is_left_alone(share: float) -> None:
    outcome = sunk(balls(0.02), 0.1 * share)
    assert outcome.position[1, 2] == 0.1 - 0.1 * share
    assert outcome.table[CONTACT_ERROR].max() == pytest.approx(share)


def test_jointed_bodies_are_not_moved() -> None:
    outcome = sunk(balls(0.02, pinned=True), 0.005)
    assert outcome.position[1, 2] == 0.1 - 0.005
    assert outcome.table[CONTACT_ERROR].max() == pytest.approx(0.05)


def test_what_it_takes_to_lift_a_body_is_energy_from_nowhere() -> None:
    simulation = balls(0.02)
    stepper = simulation.stepper
    before = first_solve(simulation)[1]
    outcome = sunk(simulation, 0.005)
    lifted = 9.81 * (outcome.position[1, 2] - (0.1 - 0.005))
    assert lifted > 0.03
    assert outcome.energy - before.energy == pytest.approx(lifted)
    assert outcome.gain[1] - before.gain[1] == pytest.approx(lifted)
    verdict = stepper.scratch.verdict
    moved = outcome.kinetic[1] + abs(outcome.gain[1]) + verdict.at_rest[1]
    assert outcome.table[CONTACT_RISE, 1] == pytest.approx((outcome.gain[1] - verdict.at_rest[1]) / moved)
    assert np.array_equal(outcome.velocity, before.velocity) and np.array_equal(outcome.path, before.path)


def test_other_groups_keep_every_bit() -> None:
    """One of three balls is mended; one touches nothing, one is as deep as it may be."""
    simulation = balls(0.02, 1.0, 0.02)
    outcome = sunk(simulation, 0.005, 0.0, 0.0)
    alone = first_solve(simulation)[1]
    assert np.array_equal(outcome.orientation[2:], alone.orientation[2:])
    assert np.array_equal(outcome.table[:, 2], alone.table[:, 2])
    far = outcome.memory.contacts.body_b == 3
    assert np.array_equal(outcome.memory.gap[far], alone.memory.gap[far])


def test_a_group_that_cannot_be_mended_does_not_keep_others_from_it() -> None:
    outcome = sunk(balls(0.02, 0.02), 0.04, 0.005)
    assert outcome.position[1, 2] == 0.1 - 0.04
    assert outcome.position[2, 2] > 0.1 - 0.0015
    assert outcome.table[CONTACT_ERROR, 1] == pytest.approx(0.4)


def test_bodies_between_others_push_them_on() -> None:
    """The lower of two boxes on each other sank into the ground: it is pushed into the upper one, which goes on."""
    scene = taut.Scene(friction=0.0)
    scene.add_plane()
    scene.add_body("low", Box(0.4, 0.4, 0.2), mass=1.0, position=(0, 0, 0.1))
    scene.add_body("high", Box(0.4, 0.4, 0.2), mass=1.0, position=(0, 0, 0.3))
    simulation = taut.Simulation(scene)
    for _ in range(30):
        simulation.step()
    stepper, state = simulation.stepper, simulation.state
    outcome = first_solve(simulation)[1]
    stepper.scratch.places.position[1:, 2] -= (0.02, 0.03)
    outcome.position = stepper.scratch.places.position.copy()
    outcome.table[STRAYED, 1] = 1.0
    contacts = find_contacts(stepper, state, outcome.velocity, H, outcome.memory)
    mend(stepper, state, outcome, contacts, stepper.scratch.places)
    allowed = simulation.settings.contact_tolerance * 0.1
    assert outcome.position[1, 2] >= 0.1 - 1.1 * allowed
    assert outcome.position[2, 2] - outcome.position[1, 2] >= 0.2 - 1.1 * allowed


def test_no_contact_remembers_to_be_deeper_than_its_pair_is() -> None:
    simulation = balls(0.0)
    stepper, state = simulation.stepper, simulation.state
    outcome = first_solve(simulation)[1]
    contacts = find_contacts(stepper, state, outcome.velocity, H, outcome.memory)
    gap = np.full(contacts.count, -0.003)
    assert deepest_of_pairs(contacts, gap, outcome.memory.contacts) == pytest.approx(-0.003)
    assert deepest_of_pairs(contacts, -gap, outcome.memory.contacts) == pytest.approx(0.0), "open is not deep"
    nothing = taut.stepping.collide.Contacts.none()
    assert deepest_of_pairs(contacts, gap, nothing).size == 0
    outcome.contacts.table.radius_b[:] += 0.01  # the local surface is 1 cm off
    outcome.table[STRAYED, 1] = 1.0
    mend(stepper, state, outcome, contacts, stepper.scratch.places)
    assert outcome.memory.gap == pytest.approx(0.0, abs=1e-5)


def test_what_was_foreseen_is_no_error() -> None:
    simulation = balls(-0.01)
    stepper, state = simulation.stepper, simulation.state
    outcome = first_solve(simulation)[1]
    contacts = find_contacts(stepper, state, outcome.velocity, H, outcome.memory)
    foreseen = foreseen_gaps(state, contacts)
    assert foreseen == pytest.approx(-0.01, abs=2e-3), "it overlapped from the start"
    judge_overlap(simulation.stepper, outcome, contacts, foreseen, foreseen - 0.001, np.ones(2, bool))
    assert outcome.table[CONTACT_ERROR, 1] == pytest.approx(0.01)
    assert outcome.table[DEPTH, 1] == pytest.approx(0.001 - foreseen[0])


def tumbling(count: int = 12) -> taut.Simulation:
    """A heap of bricks that fall on each other, turning."""
    scene, rng = taut.Scene(friction=0.5), np.random.default_rng(3)
    scene.add_plane()
    for index in range(count):
        scene.add_body(
            f"brick-{index}", Box(0.5, 0.3, 0.2), mass=20.0, position=(*(0.2 * rng.normal(size=2)), 0.4 + 0.45 * index),
            orientation=random_quaternion(rng), angular_velocity=3.0 * rng.normal(size=3), velocity=(0, 0, -2.0),
        )  # fmt: skip
    return taut.Simulation(scene)


def test_an_offender_causes_no_second_solve_and_is_gone_a_frame_later() -> None:
    simulation = tumbling()
    tolerance, mended, solves = simulation.settings.contact_tolerance, 0, []
    for _ in range(120):
        stepper, state = simulation.stepper, simulation.state
        if state.steps > 0:
            stepper.find_redundant(state)
            first = first_solve(simulation)[1]
            contacts = find_contacts(stepper, state, first.velocity, H, first.memory)
            gap, foreseen = contacts.look(stepper.scratch.places), foreseen_gaps(state, contacts)
            off = ((foreseen - gap) / contacts.table.thickness).max(initial=0.0)
            if first.strayed and tolerance < off <= MENDING.deepest:
                tally = nothing_spent(simulation)
                tried = attempt(stepper, state, H, tally, np.zeros(state.calm.size, bool))
                mended += int(tally.solves == 1 and (tried.verdicts == "solved").all())
        report = simulation.step()
        solves.append(report.solves)
        assert report.status == "solved" and report.penetration < 2.0 * tolerance * 0.1
    assert mended >= 5, "the test must meet what it is about"
    assert np.mean(solves[1:]) <= 1.05


def test_what_strays_into_a_group_that_did_not_is_seen() -> None:
    """A ball is knocked into another one at rest, whose group has the contact that nobody foresaw."""
    simulation = balls(0.0, 0.0)
    stepper, state = simulation.stepper, simulation.state
    outcome = first_solve(simulation)[1]
    stepper.scratch.places.position[1, 0] = outcome.position[1, 0] = 2.0 - 0.2 + 0.004
    outcome.table[STRAYED, 1] = 1.0
    there = Places(*(each.copy() for each in stepper.scratch.places))
    contacts = find_contacts(stepper, state, outcome.velocity, H, outcome.memory)
    mend(stepper, state, outcome, contacts, there)
    apart = outcome.position[2, 0] - outcome.position[1, 0]
    assert apart == pytest.approx(0.2 - 0.5 * simulation.settings.contact_tolerance * 0.1, abs=1e-4)
    assert outcome.table[CONTACT_ERROR, 1] == outcome.table[CONTACT_ERROR, 2] > 0.0
