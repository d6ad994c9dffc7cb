"""Free motion with projections beside the solve in one piece, and further linearisations."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut import scenes
from taut.errors import InputError
from taut.forces import Curve
from taut.joints import Revolute, Spherical
from taut.solvers import get
from taut.stepping.policy import EXACT, ONE_SHOT, policy_of

projections = taut.projections


def swing(bodies: int = 3) -> taut.Scene:
    """Bars in a row that fall from the horizontal."""
    scene, before = taut.Scene(collisions=False), "world"
    for index in range(bodies):
        name = scene.add_body(
            f"bar-{index}", taut.shapes.Box(0.5, 0.1, 0.2), mass=1.0 + index, position=(0.25 + 0.5 * index, 0, 0)
        )
        joint = Revolute(axis=(0, 1, 0)) if index else Spherical()
        scene.connect(before, name, joint, at=(0.5 * index, 0, 0))
        before = name
    return scene


def fall(scene: taut.Scene, frames: int = 40, **options) -> taut.Simulation:
    """A simulation after some frames, all of them solved."""
    sim = taut.Simulation(scene, **options)
    for _ in range(frames):
        report = sim.step()
        assert report.status == "solved" and report.residual <= 1e-9
    return sim


def test_policies_belong_to_solvers():
    assert policy_of(get("bpp")) == EXACT
    assert policy_of(get("pgs")) == ONE_SHOT


@pytest.mark.parametrize("solver", ["auto", "bpp", "linear-time", "ipm", "pgs"])
@pytest.mark.parametrize("name", ["hanging_chain", "four_bar", "stack_of_boxes", "newtons_cradle", "gear_train"])
def test_without_projections_bits_are_those_of_the_solve_in_one_piece(name, solver):
    states = []
    for policy in ("auto", "free-motion"):
        sim = taut.Simulation(scenes.build(name), policy=policy, solver=solver)
        for _ in range(15):
            sim.step()
        states.append(sim.state)
    for field in ("position", "orientation", "velocity", "force", "history"):
        assert np.array_equal(getattr(states[0], field), getattr(states[1], field)), field


def dense(memory, stepper):
    """J, M~^-1 and S, b of the latest problem as dense matrices."""
    kkt, count = memory.kkt, stepper.mechanism.count
    jacobian = np.zeros((kkt.bias.size, count, 6))
    for row in range(kkt.bias.size):
        for entry in range(kkt.entry_start[row], kkt.entry_start[row + 1]):
            jacobian[row, kkt.entry_body[entry]] += kkt.jacobian[entry]
    inverse = np.zeros((6 * count, 6 * count))
    for body in range(1, count):
        at = 6 * body
        inverse[at : at + 3, at : at + 3] = np.eye(3) * kkt.inverse_mass[body]
        inverse[at + 3 : at + 6, at + 3 : at + 6] = kkt.inverse_inertia[body].reshape(3, 3)
    return jacobian.reshape(kkt.bias.size, -1), inverse


def test_a_projected_step_is_the_dense_system_with_the_projected_free_velocity():
    """[1, -M~^-1 J^T; J, S] [v+; lam] = [P v_free; -b], solved with NumPy."""
    sim = fall(swing(), 10, projections=[projections.SpeedClamp("bar-2", 0.3), projections.Fixed("bar-0", ["rx"])])
    seen = []
    sim.stepper.witness = lambda problem, start, solution: seen.append((problem, solution.lam.copy()))
    sim.step()
    stepper, memory = sim.stepper, sim.stepper.own
    jacobian, inverse = dense(memory, stepper)
    free = stepper.scratch.candidate.free_velocity.ravel()
    assert np.linalg.norm(stepper.scratch.candidate.free_velocity[3, :3]) == pytest.approx(0.3)
    rows = memory.rows
    matrix = jacobian @ inverse @ jacobian.T + np.diag(memory.kkt.compliance)
    lam = np.linalg.solve(matrix, -(rows.bias + jacobian @ free))
    expected = free + inverse @ jacobian.T @ lam
    assert seen
    # before the twist of slim bodies and spins are put right, which changes next to nothing here
    assert sim.state.velocity.ravel() == pytest.approx(expected, abs=1e-6)


def test_joints_hold_whatever_is_projected():
    def shake(motion):
        rng = np.random.default_rng(round(1e6 * motion.time))
        for body in motion.bodies.values():
            body.velocity += 0.3 * rng.normal(size=3)
            body.angular_velocity *= 0.9

    sim = taut.Simulation(swing(5), projections=[shake, projections.SpeedClamp("bar-4", 0.5)])
    for _ in range(100):
        report = sim.step()
        assert report.status == "solved" and report.residual <= 1e-9 and report.violation <= 5e-5


def test_momentum_of_what_floats_is_what_projections_leave():
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    for index in range(2):
        scene.add_body(f"b{index}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(index, 0, 0), velocity=(0, 3.0, 0))
    scene.connect("b0", "b1", Spherical(), at=(0.5, 0, 0))
    sim = fall(scene, 60, projections=[projections.SpeedClamp(("b0", "b1"), 1.0)])
    assert sim.body("b0").velocity == pytest.approx([0, 1.0, 0])


def test_projections_reach_groups_on_their_own_and_sleepers_stay_asleep():
    scene = taut.Scene()
    scene.add_plane()
    for index in range(3):
        scene.add_body(f"box-{index}", taut.shapes.Box(1, 1, 1), mass=1.0, position=(3 * index, 0, 0.5 + 6 * index))
    sim = taut.Simulation(scene, projections=[projections.SpeedClamp("box-2", 2.0)], sleeping=True)
    fastest = 0.0
    for _ in range(150):
        sim.step()
        fastest = max(fastest, -sim.body("box-2").velocity[2])
    assert fastest == pytest.approx(2.0)
    assert sim.report.sleeping > 0


@pytest.mark.parametrize("name", ["speed_clamp", "hanging_chain"])
def test_joint_coordinates_move_as_bodies_do(name):
    states = []
    for coordinates in ("maximal", "reduced"):
        sim = taut.Simulation(
            scenes.build(name), coordinates=coordinates, projections=[shortened], tolerance=1e-9, solver="bpp"
        )
        for _ in range(30):
            assert sim.step().status == "solved"
        states.append(sim.state)
    assert (sim.stepper.mechanism.trees.body.size > 0) and sim.report.violation <= 1e-12
    assert states[1].velocity == pytest.approx(states[0].velocity, abs=1e-5)


def shortened(motion):
    """All free motion is shortened by a tenth."""
    for body in motion.bodies.values():
        body.velocity *= 0.9


def test_restart_and_edits_go_on_with_projections():
    clamp = [projections.SpeedClamp("bar-2", 0.4)]
    sim = fall(swing(), 20, projections=clamp)
    again = taut.Simulation(swing(), projections=clamp)
    again.restore(sim.state.copy())
    for each in (sim, again):
        each.run(0.3, record=False)
    assert np.array_equal(sim.state.velocity, again.state.velocity)
    with sim.edit() as edit:
        edit.remove_body("bar-2")
    assert sim.step().status == "solved"


def test_further_linearisations_are_made_where_none_is_needed():
    plain, further = fall(swing(), 30), fall(swing(), 30, newton=3)
    assert plain.report.solves <= 2 and further.report.solves == 3
    assert further.state.position == pytest.approx(plain.state.position, abs=1e-4)


def test_one_shot_solvers_come_nearer_to_a_curve_with_further_linearisations():
    def miss(newton: int) -> float:
        curve, scene = Curve.cubic(100.0, 1e6), taut.Scene(gravity=(0, 0, 0))
        scene.add_body("b", mass=1.0, inertia=(1, 1, 1), position=(1.1, 0, 0))
        scene.add_spring("world", "b", stiffness=curve, rest_length=1.0, name="spring")
        sim = taut.Simulation(scene, solver="pgs", newton=newton)
        worst = 0.0
        for _ in range(30):
            sim.step()
            worst = max(worst, abs(sim.joint("spring").tension - curve(sim.body("b").position[0] - 1.0)))
        return worst

    assert miss(6) < 1e-3 * miss(1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy": "free"}, "policy 'free'.*free-motion"),
        ({"projections": "clamp"}, "projections is 'clamp'; it must be a list"),
        ({"projections": [3]}, "a projection is 3; it must be one of taut.projections"),
        ({"projections": [projections.Fixed("bra-1")]}, "Fixed: there is no body 'bra-1'.*bar-1"),
        ({"policy": "free-motion", "integrator": "redmax", "coordinates": "reduced"}, "integrator is 'redmax'"),
        ({"policy": "free-motion", "mode": "impulse"}, "mode is 'impulse'"),
        ({"newton": 0}, "newton is 0"),
        ({"newton": 1.5}, "newton is 1.5; it must be a whole number from 1 to 12"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(options, message):
    with pytest.raises(InputError, match=message) as caught:
        taut.Simulation(swing(), **options)
    assert "\n" not in str(caught.value)
