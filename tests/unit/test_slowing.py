"""Groups whose energy rose are slowed down, and others left alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_up_outcomes import first_solve, with_errors, without_errors, worst
from sample_mechanisms import chain

import taut
from taut.integrators import BDF2
from taut.joints import Spherical
from taut.shapes import Sphere
from taut.solvers import get
from taut.stepping.outcome import Outcome
from taut.stepping.settings import ACCEPTANCE, Settings
from taut.stepping.slowing import calmed, slow_down, slowed
from taut.stepping.stepper import Stepper

SETTINGS = Settings(step=1 / 60, scheme=BDF2, solver=get("auto"))


@pytest.fixture(scope="module")
def solved() -> Outcome:
    """The outcome of a solve of a chain, with every error set to zero."""
    return without_errors(first_solve(chain(links=3, load=10.0, angle=-0.5))[1])


def hanging() -> Stepper:
    """The stepper of the chain whose outcome is `solved`: it hangs from the world."""
    return chain(links=3, load=10.0, angle=-0.5).stepper


def test_slowing_down_leaves_the_centre_of_mass_of_a_floating_group_alone() -> None:
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), collisions=False)
    for name, x in (("a", 0.0), ("b", 1.0)):
        twist = {"velocity": (5.0, x, 0.0), "angular_velocity": (0.0, 0.0, 1.0)}
        scene.add_body(name, Sphere(0.1), mass=1.0 + x, position=(x, 0.0, 0.0), **twist)
    scene.connect("a", "b", Spherical(), at=(0, 0, 0))
    simulation = taut.Simulation(scene)
    _, outcome = first_solve(simulation)
    mass = simulation.model.bodies.mass[1:, None]
    before = (mass * outcome.velocity[1:, :3]).sum(axis=0)
    carried = 0.5 * (before @ before) / mass.sum()
    gain = np.zeros_like(outcome.gain)
    gain[outcome.energy_group[1]] = 0.19 * (outcome.kinetic.sum() - carried)
    slow = calmed(simulation.stepper, with_errors(outcome, gain=gain, energy_rise=0.1))
    assert (mass * slow.velocity[1:, :3]).sum(axis=0) == pytest.approx(before, rel=1e-12)
    assert slow.energy == pytest.approx(outcome.energy - gain.sum())
    relative = [each.velocity[2] - each.velocity[1] for each in (outcome, slow)]
    assert relative[1] == pytest.approx(0.9 * relative[0])


def test_groups_that_gained_energy_are_slowed_down_and_others_left_alone(solved: Outcome) -> None:
    rng, count = np.random.default_rng(1), solved.velocity.shape[0]
    group = np.arange(count) % 3
    kinetic, gain = np.zeros((2, count))
    kinetic[:3], gain[:3] = (4.0, 10.0, 2.0), (-1.0, 7.5, 3.0)
    outcome = with_errors(
        solved, velocity=rng.normal(size=(count, 6)), spin=rng.normal(size=(count, 3)),
        slim_spin=rng.normal(size=count), energy_group=group, kinetic=kinetic, gain=gain, energy=100.0,
        energy_rise=0.1,
    )  # fmt: skip
    slow = calmed(hanging(), outcome)
    scale = np.array([1.0, 0.5, 0.0])[group]  # the last group had less than it gained
    assert slow.velocity == pytest.approx(scale[:, None] * outcome.velocity)
    assert slow.spin == pytest.approx(scale[:, None] * outcome.spin)
    assert slow.slim_spin == pytest.approx(scale * outcome.slim_spin)
    assert slow.energy == pytest.approx(100.0 - 7.5 - 2.0)
    assert np.array_equal(slow.position, outcome.position)
    assert slow.energy_rise == 0.0 and outcome.energy_rise == 0.1, "what was taken back did not rise"


def test_nothing_is_slowed_down_where_no_energy_rose(solved: Outcome) -> None:
    gained = replace(solved, gain=np.ones_like(solved.gain))
    assert calmed(hanging(), gained) is gained
    lost = with_errors(gained, energy_rise=1.0, energy=np.nan)
    assert calmed(hanging(), lost) is lost


def test_forces_of_contacts_that_threw_a_group_are_forgotten() -> None:
    scene = taut.Scene()
    scene.add_plane()
    for name, place in (("thrown", 0.0), ("calm", 5.0)):
        scene.add_body(name, Sphere(0.1), mass=1.0, position=(place, 0, 0.1))
    simulation = taut.Simulation(scene)
    for _ in range(5):
        simulation.step()
    _, outcome = first_solve(simulation)
    body = np.maximum(outcome.memory.contacts.body_a, outcome.memory.contacts.body_b)
    assert (outcome.memory.force[:, 0] > 0.0).all() and body.tolist() == [1, 2]
    group = outcome.energy_group
    kinetic, gain = np.ones_like(outcome.kinetic), np.zeros_like(outcome.gain)
    gain[group[1]] = 0.5
    deep = replace(outcome.memory, aim=np.full(2, 1.0))
    thrown = with_errors(outcome, kinetic=kinetic, gain=gain, contact_energy_rise=1.0, memory=deep)
    slow = calmed(simulation.stepper, thrown)
    assert not slow.memory.force[0].any() and np.array_equal(slow.memory.force[1], outcome.memory.force[1])
    assert slow.memory.aim.tolist() == [min(1.0, outcome.memory.gap[0]), 1.0]


def thrown_pair(fixed: bool = False, jointed: bool = False) -> tuple[taut.Simulation, Outcome]:
    """Two balls that meet in flight, or a ball on the ground and another far off, after a solve."""
    scene = taut.Scene(gravity=(0, 0, -9.81) if fixed else (0, 0, 0), friction=0.0)
    if fixed:
        scene.add_plane()
    scene.add_body("a", Sphere(0.1), mass=1.0, position=(0, 0, 0.1), velocity=(3, 0, 0))
    scene.add_body("b", Sphere(0.1), mass=2.0, position=(0.2, 5.0 * fixed, 0.1), velocity=(1, 0, 0))
    if jointed:
        scene.add_body("c", mass=1.0, inertia=(1, 1, 1))
        scene.connect("a", "c", Spherical(), at=(0, 0, 0))
    simulation = taut.Simulation(scene)
    if fixed:
        simulation.step()
    outcome = first_solve(simulation)[1]
    assert simulation.stepper.scratch.candidate.touched[1] == 1, "the test must meet what it is about"
    return simulation, outcome


def gained(outcome: Outcome, joules: float, rise: float) -> Outcome:
    """The outcome, as if the group of the first body had gained so much."""
    gain = outcome.gain.copy()
    gain[outcome.energy_group[1]] = joules
    return with_errors(outcome, gain=gain, contact_energy_rise=rise, touching=1)


def test_a_little_energy_that_contacts_raised_is_taken_away_and_the_forces_stay() -> None:
    simulation, outcome = thrown_pair(fixed=True)
    slow = slowed(simulation.stepper, gained(outcome, 0.2, 0.05))
    assert 0.5 * slow.velocity[1, :3] @ slow.velocity[1, :3] == pytest.approx(outcome.kinetic[1] - 0.2)
    assert slow.energy == pytest.approx(outcome.energy - 0.2)
    assert worst(slow, "contact_energy_rise") <= 0.0
    assert np.array_equal(slow.velocity[2], outcome.velocity[2]), "others are left alone"
    assert np.array_equal(slow.memory.force, outcome.memory.force)


@pytest.mark.parametrize("rise", [0.9 * SETTINGS.energy_tolerance, 1.1 * ACCEPTANCE.slowed])
def test_what_is_tolerated_and_what_is_too_much_is_not_slowed_down(rise: float) -> None:
    simulation, outcome = thrown_pair(fixed=True)
    thrown = gained(outcome, 0.2, rise)
    assert slowed(simulation.stepper, thrown) is thrown


def test_groups_with_joints_and_bodies_in_flight_are_not_slowed_down() -> None:
    simulation, outcome = thrown_pair(fixed=True, jointed=True)
    slow = slowed(simulation.stepper, gained(outcome, 0.2, 0.05))
    assert np.array_equal(slow.velocity, outcome.velocity) and worst(slow, "contact_energy_rise") == 0.05
    simulation, outcome = thrown_pair(fixed=True)
    simulation.stepper.scratch.candidate.touched[:] = 0
    slow = slowed(simulation.stepper, gained(outcome, 0.2, 0.05))
    assert np.array_equal(slow.velocity, outcome.velocity) and worst(slow, "contact_energy_rise") == 0.05


def test_bodies_that_meet_in_flight_keep_their_common_momentum() -> None:
    simulation, outcome = thrown_pair()
    velocity = outcome.velocity.copy()
    velocity[1, 1], velocity[2, 1] = 2.0, -1.0  # apart from their drift
    mass = simulation.model.bodies.mass[1:]
    kinetic = outcome.kinetic.copy()
    kinetic[1] = 0.5 * mass @ (velocity[1:, :3] ** 2).sum(axis=1)
    gain = np.zeros_like(kinetic)
    gain[1] = 0.6
    slow, share = slow_down(simulation.stepper, replace(outcome, velocity=velocity, kinetic=kinetic), gain)
    assert mass @ slow.velocity[1:, :3] == pytest.approx(mass @ velocity[1:, :3])
    assert 0.5 * mass @ (slow.velocity[1:, :3] ** 2).sum(axis=1) == pytest.approx(kinetic[1] - 0.6)
    assert share[1] == share[2] < 1.0


def test_what_touches_nothing_in_a_floating_group_is_counted_once() -> None:
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), friction=0.0)
    for name, x, speed in (("a", 0.0, 2.0), ("b", 0.2, 1.0), ("c", 3.0, 9.0)):
        scene.add_body(name, Sphere(0.1), mass=1.0, position=(x, 0.0, 0.0), velocity=(speed, 0.0, 0.0))
    simulation = taut.Simulation(scene)
    _, outcome = first_solve(simulation)
    assert (outcome.memory.force[:, 0] > 0.0).any(), "two of them push each other"
    group, kinetic, gain = np.array([0, 1, 1, 1]), np.zeros(4), np.zeros(4)
    velocity = outcome.velocity[1:, :3]
    kinetic[1], gain[1] = 0.5 * (velocity**2).sum(), 0.01
    slow, share = slow_down(simulation.stepper, replace(outcome, energy_group=group, kinetic=kinetic), gain)
    assert (share[1:] > 0.9).all()
    assert slow.velocity[1:, :3].mean(axis=0) == pytest.approx(velocity.mean(axis=0))
    assert 0.5 * (slow.velocity[1:, :3] ** 2).sum() == pytest.approx(kinetic[1] - gain[1])
    assert outcome.energy - slow.energy == pytest.approx(gain[1])
