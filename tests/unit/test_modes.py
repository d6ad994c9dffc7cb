"""Three laws of motion with the same joints: f = m a, j = m dv and f = m v."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.joints import Distance, Prismatic, Revolute
from taut.shapes import Box, Sphere
from taut.simulation.reporting import initial_report

both_solvers = pytest.mark.parametrize("solver", ["bpp", "linear-time"])
LINK = Box(0.2, 0.05, 0.05)


def arm(count=5, gravity=(0, 0, 0), limits=None):
    scene = taut.Scene(gravity=gravity, collisions=False)
    for index in range(count):
        scene.add_body(f"l{index}", LINK, mass=1.0 + index, position=(0.2 * index + 0.1, 0, 0))
        joint = Revolute(axis=(0, 1, 0), limits=limits)
        scene.connect(f"l{index - 1}" if index else "world", f"l{index}", joint, at=(0.2 * index, 0, 0))
    return scene


def row_rates(sim):
    """J v of all rows at the present velocity."""
    entries = sim.model.entries
    jacobian = sim.stepper.measure(sim.state).jacobian
    products = np.einsum("ei,ei->e", jacobian, sim.state.velocity[entries.entry_body])
    return np.bincount(entries.entry_row, products, minlength=entries.row_count)


def test_a_force_gives_a_velocity():
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", Sphere(0.1), mass=2.0, velocity=(0, 5, 0))
    sim = taut.Simulation(scene, mode="kinematic")
    sim.body("b").apply(force=(4, 0, 0), torque=(0, 0, 0.1))
    sim.step()
    np.testing.assert_allclose(sim.body("b").velocity, (2, 0, 0), atol=1e-12)  # what it had does not count
    np.testing.assert_allclose(sim.body("b").angular_velocity, (0, 0, 0.1 / (0.4 * 2.0 * 0.01)), rtol=1e-12)
    np.testing.assert_allclose(sim.body("b").position, (2 / 60, 0, 0), atol=1e-12)
    sim.body("b").apply()
    sim.step()
    assert np.abs(sim.state.velocity).max() == 0.0


@both_solvers
def test_a_linkage_follows_the_hand_and_stops_with_it(solver):
    sim = taut.Simulation(arm(), mode="kinematic", solver=solver)
    tip, target = sim.body("l4"), np.array([0.5, 0.0, 0.5])
    for _ in range(240):
        tip.apply(force=40.0 * (target - tip.position))
        report = sim.step()
        assert report.status == "solved" and report.violation < 1e-6
    np.testing.assert_allclose(tip.position, target, atol=1e-5)
    tip.apply()
    sim.step()
    assert np.abs(sim.state.velocity).max() < 1e-9


def test_a_pushed_slider_gives_way_only_along_its_axis():
    """M v = f + J^T lam: along the axis v = f / m, across it nothing."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", LINK, mass=4.0)
    scene.connect("world", "b", Prismatic(axis=(0.6, 0.8, 0)), at=(0, 0, 0))
    sim = taut.Simulation(scene, mode="kinematic", solver="linear-time")
    sim.body("b").apply(force=(10, 0, 3))
    sim.step()
    np.testing.assert_allclose(sim.body("b").velocity, 6.0 / 4.0 * np.array([0.6, 0.8, 0.0]), atol=1e-9)


def test_springs_relax_without_swinging():
    """f = m v with a spring is x' = -(k / m) x: no overshoot at any step."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", Sphere(0.1), mass=1.0, position=(2, 0, 0))
    scene.add_spring("b", "world", stiffness=10.0, rest_length=1.0)
    sim = taut.Simulation(scene, mode="kinematic", step=1e-3)
    sim.run(0.1)
    assert sim.body("b").position[0] - 1.0 == pytest.approx(np.exp(-1.0), rel=1e-2)


@both_solvers
def test_an_impulse_changes_velocities_and_nothing_else(solver):
    sim = taut.Simulation(arm(gravity=(0, 0, -9.81)), mode="impulse", solver=solver)
    before = sim.state.position.copy()
    sim.body("l4").apply(force=(0, 0, 1), point=(0.1, 0, 0))
    report = sim.step()
    assert report.status == "solved" and report.residual < 1e-12
    np.testing.assert_array_equal(sim.state.position, before)
    assert sim.time == 0.0
    assert np.abs(row_rates(sim)).max() < 1e-11
    # the last link is struck at its end; work of the impulse is j (v + v+) / 2
    spin = sim.body("l4").angular_velocity
    struck = sim.body("l4").velocity + np.cross(spin, (0.1, 0, 0))
    assert report.energy - initial_report(sim).energy == pytest.approx(0.0, abs=1e-12)
    assert 0.5 * struck[2] == pytest.approx(0.34135075707, rel=1e-9), "kinetic energy, from a dense solve"


def test_impulse_against_a_dense_solve():
    sim = taut.Simulation(arm(4), mode="impulse", solver="linear-time")
    push = np.array([0.3, 0.0, 1.0])
    sim.body("l3").apply(force=push)
    sim.step()
    rows, entries = sim.stepper.measure(sim.state), sim.model.entries
    dense = np.zeros((entries.row_count, 6 * sim.model.bodies.count))
    for entry, (row, body) in enumerate(zip(entries.entry_row, entries.entry_body, strict=True)):
        if sim.model.bodies.moves[body]:
            dense[row, 6 * body : 6 * body + 6] = rows.jacobian[entry]
    masses = np.zeros(dense.shape[1])
    for body in range(1, sim.model.bodies.count):
        masses[6 * body : 6 * body + 3] = sim.model.bodies.mass[body]
        masses[6 * body + 3 : 6 * body + 6] = np.diag(sim.model.bodies.inertia[body].reshape(3, 3))
    dense, masses = dense[:, 6:], masses[6:]
    given = np.zeros(masses.size)
    given[18:21] = push
    system = np.block([[np.diag(masses), -dense.T], [dense, np.zeros((len(dense), len(dense)))]])
    expected = np.linalg.lstsq(system, np.concatenate([given, np.zeros(len(dense))]), rcond=None)[0][: masses.size]
    np.testing.assert_allclose(sim.state.velocity[1:].ravel(), expected, atol=1e-9)


def test_an_impulse_into_the_ground_rolls_a_ball():
    """Enough friction: v = j / (m + I / r^2). Too little: mu j_n."""
    for friction, speed in ((0.5, 1.0 / (2.0 * 1.4)), (0.1, (1.0 - 0.1) / 2.0)):
        scene = taut.Scene(friction=friction)
        scene.add_plane()
        scene.add_body("b", Sphere(0.1), mass=2.0, position=(0, 0, 0.1))
        sim = taut.Simulation(scene, mode="impulse")
        sim.body("b").apply(force=(1, 0, -1))
        sim.step()
        np.testing.assert_allclose(sim.body("b").velocity, (speed, 0, 0), atol=1e-3 * speed)


def test_closed_limits_push_back_and_open_ones_do_not():
    for limits, moves in (((0.0, 1.0), False), ((-1.0, 1.0), True)):
        sim = taut.Simulation(arm(1, limits=limits), mode="impulse", solver="linear-time")
        sim.body("l0").apply(force=(0, 0, 1.0))  # turns the hinge backwards
        sim.step()
        assert (abs(sim.body("l0").angular_velocity[1]) > 1e-3) == moves


def test_springs_and_ropes_take_no_part_in_an_impulse():
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", Sphere(0.1), mass=1.0, position=(1, 0, 0))
    scene.add_spring("b", "world", stiffness=1e6, rest_length=1.0)
    sim = taut.Simulation(scene, mode="impulse")
    sim.body("b").apply(force=(2, 0, 0))
    sim.step()
    np.testing.assert_allclose(sim.body("b").velocity, (2, 0, 0), atol=1e-6)


def test_a_hard_bar_hands_an_impulse_on():
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("a", Sphere(0.1), mass=1.0)
    scene.add_body("b", Sphere(0.1), mass=3.0, position=(1, 0, 0))
    scene.connect("a", "b", Distance())
    sim = taut.Simulation(scene, mode="impulse", solver="linear-time")
    sim.body("a").apply(force=(4, 2, 0))
    sim.step()
    np.testing.assert_allclose(sim.body("a").velocity, (1, 2, 0), atol=1e-9)
    np.testing.assert_allclose(sim.body("b").velocity, (1, 0, 0), atol=1e-9)


def test_unknown_mode_is_one_clear_line():
    with pytest.raises(InputError, match="there is no mode 'static'; there are: dynamics, impulse, kinematic"):
        taut.Simulation(arm(), mode="static")


def test_an_open_limit_does_not_blur_the_certificate():
    """A tiny impulse beside an open limit: the answer is as exact as without one."""
    spins = []
    for limits in (None, (-0.5, 0.5)):
        sim = taut.Simulation(arm(1, limits=limits), mode="impulse")
        sim.body("l0").apply(force=(0, 0, 3e-6))
        sim.step()
        spins.append(sim.body("l0").angular_velocity[1])
    assert spins[1] == pytest.approx(spins[0], rel=1e-9)


@both_solvers
@pytest.mark.parametrize("push", [3.0, -3.0])
def test_a_limit_closed_at_both_ends_holds_both_ways(solver, push):
    sim = taut.Simulation(arm(1, limits=(0.0, 0.0)), mode="impulse", solver=solver)
    sim.body("l0").apply(force=(0, 0, push))
    sim.step()
    assert abs(sim.body("l0").angular_velocity[1]) < 1e-9


def test_an_impulse_acts_once_and_is_reported():
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("b", Sphere(0.1), mass=2.0, position=(0, 0, 0.1), velocity=(0, 0, -1))
    sim = taut.Simulation(scene, mode="impulse")
    report = sim.step()
    assert report.contacts == 1
    np.testing.assert_allclose(sim.contacts.impulse.sum(axis=0), (0, 0, 2.0), atol=1e-9)
    sim.body("b").apply(force=(0, 0, 4.0))
    sim.step()
    sim.step()
    np.testing.assert_allclose(sim.body("b").velocity, (0, 0, 2.0), atol=1e-9)
    hinged = taut.Simulation(arm(2), mode="impulse", solver="linear-time")
    hinged.body("l1").apply(force=(6.0, 0, 0))
    hinged.step()
    joint = hinged.joint(hinged.meter.names[0])
    assert np.linalg.norm(np.asarray(joint.reaction)[..., :3]) / 60.0 == pytest.approx(6.0, rel=1e-6)
