"""The energy of a step: what it should have become, what joints and contacts explain of a rise, and what is left."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from dense_twins import all_moved, random_point, random_quaternion
from hypothesis import given
from hypothesis import strategies as st
from part_examples import slide
from staged_steps import STEP, Staged, staged, staged_rows, stepper_of

import taut
from taut.contact.settings import CONTACT
from taut.integrators import BDF2, EULER
from taut.integrators.scheme import Scheme
from taut.joints import Distance, Motor, Revolute, Rope
from taut.model.compile import compile_scene
from taut.rows.coordinate import Slide
from taut.rows.law import Law, follow, hold, limits
from taut.rows.layout import RowSpec
from taut.rows.part import Pose
from taut.rows.softness import soft
from taut.shapes import Sphere
from taut.stepping.energy import energy_of, momentum_of, stored_energy
from taut.stepping.settings import ACCEPTANCE
from taut.stepping.tables import CONTACT_RISE, RISE, SPRINGS

MASS, GRAVITY = 2.0, 9.81
SEEDS = pytest.mark.parametrize("seed", range(12))
Array = np.ndarray


def on_a_string(joint: Distance | Rope, length: float, velocity: tuple[float, float, float]) -> taut.Simulation:
    """A ball below the world's origin, held by a rod or a rope."""
    scene = taut.Scene(collisions=False)
    scene.add_body("ball", Sphere(0.05), mass=MASS, position=(0.0, 0.0, -length), velocity=velocity)
    scene.connect("world", "ball", joint)
    return taut.Simulation(scene, step=STEP, integrator="euler")


def solved(simulation: taut.Simulation) -> Staged:
    """The next step of a simulation after one solve, judged where it leads."""
    case = staged(simulation)
    case.predict()
    case.collide()
    case.linearise(with_contacts(case))
    case.solve()
    case.move()
    case.judge()
    return case


def with_contacts(case: Staged) -> Array:
    """Forces (rows,) of the state, and those that contacts start with."""
    force = np.concatenate([case.state.force, np.zeros(case.contacts.row_count)])
    case.contacts.scatter(case.contacts.table.force, force)
    return force


def unresolved(case: Staged, applied: float = 0.0) -> float:
    """What a step of the ball does not resolve: a way of the tolerance against all forces, or in a frame, J."""
    way = case.stepper.settings.tolerance
    mass = float(case.stepper.mechanism.bodies.mass[1])
    return way * (mass * GRAVITY + applied) + 0.5 * mass * (way / case.stepper.settings.step) ** 2


def gap_work(case: Staged) -> float:
    """What gaps explain of a rise, J; the ball is made faster across its string, so that there is one."""
    velocity = case.scratch.candidate.velocity
    velocity[1, 0] += 1e6
    case.judge()
    velocity[1, 0] -= 1e6
    applied = float(np.abs(case.state.applied[1]).sum())
    return float(case.scratch.verdict.at_rest[1]) - unresolved(case, applied)


def test_a_rope_that_goes_taut_explains_no_rise() -> None:
    """It pulls over the whole way that was slack, but backwards: it takes energy."""
    simulation = on_a_string(Rope(length=1.0), 0.95, (0.0, 0.0, -10.0))
    case = solved(simulation)
    assert abs(case.answer.lam[0]) / STEP > 500.0
    assert case.scratch.there.value[0] - simulation.state.measure[0] == pytest.approx(0.05, rel=1e-6)
    assert gap_work(case) == pytest.approx(0.0, abs=1e-15)


def opened(simulation: taut.Simulation) -> Staged:
    """One solve after the rod was opened by 1e-5 m."""
    simulation.state.position[1, 2] -= 1e-5
    simulation.state.measure = simulation.state.measure + 1e-5
    return solved(simulation)


def test_a_gap_that_is_closed_against_the_tension_explains_its_work() -> None:
    simulation, tension = on_a_string(Distance(length=1.0), 1.0, (0.0, 0.0, 0.0)), 1e4
    simulation.body("ball").apply(force=(0.0, 0.0, MASS * GRAVITY - tension))
    simulation.step()
    assert gap_work(opened(simulation)) == pytest.approx(tension * 1e-5, rel=1e-3)


def test_a_force_that_was_not_there_before_explains_what_closing_takes_and_no_more() -> None:
    """Of a rod that is found to be pulled with 1e9 N, 1e-5 m would be 10 kJ."""
    simulation = on_a_string(Distance(length=1.0), 1.0, (0.0, 0.0, 0.0))
    assert simulation.state.force[0] == 0.0
    case = opened(simulation)
    limit = simulation.settings.limit
    closing = MASS * (GRAVITY * limit + 0.5 * (limit / STEP) ** 2)
    assert 0.0 < gap_work(case) <= closing
    case.answer.lam[:] *= 1e9
    assert gap_work(case) == pytest.approx(closing)


def test_what_contacts_give_back_is_allowed_once() -> None:
    """A ball that is pushed out of the ground, and leaves faster than that explains."""
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("ball", Sphere(0.5), mass=1e3, position=(0.0, 0.0, 0.4))
    with pytest.warns(taut.TautWarning, match="overlap"):
        simulation = taut.Simulation(scene, step=STEP, integrator="euler")
    for _ in range(5):
        simulation.step()
    case = solved(simulation)
    state, contacts, scratch = simulation.state, case.contacts.table, case.scratch
    rest = ACCEPTANCE.touching_slack * unresolved(case)
    given = float(scratch.verdict.at_rest[1]) - rest
    push, kept = case.answer.lam[contacts.row[0]] / STEP, contacts.start_force[0, 0] ** 2 / contacts.stiffness[0]
    opening = min(float(contacts.gap[0] - contacts.start_gap[0]), CONTACT.recovery * STEP)
    assert given == pytest.approx(push * opening + (1.0 + contacts.friction[0] ** 2) * kept)
    assert given > rest > 0.0 and opening > 0.0
    contacts.start_gap[0] -= 1.0
    case.judge()
    most = push * CONTACT.recovery * STEP + (1.0 + contacts.friction[0] ** 2) * kept
    assert float(scratch.verdict.at_rest[1]) - rest == pytest.approx(most), "no faster than an overlap is taken back"
    contacts.start_gap[0] += 1.0
    case.judge()

    def rise(gain: float) -> float:
        """The rise that is judged where the ball has gained so much, J."""
        fallen = 1e3 * GRAVITY * (scratch.places.position[1, 2] - state.position[1, 2])
        before = 0.5e3 * float(state.velocity[1, :3] @ state.velocity[1, :3])
        scratch.candidate.velocity[1, :3] = 0.0, 0.0, np.sqrt(2.0 * (before - fallen + gain) / 1e3)
        table = case.judge()
        assert scratch.verdict.gain[1] == pytest.approx(gain, rel=1e-6)
        assert table[RISE, 1] == -1.0, "bodies that touch are judged as such"
        return float(table[CONTACT_RISE, 1])

    assert rise(given) <= 0.0
    assert rise(2.0 * (given + rest)) > simulation.settings.energy_tolerance


def falling(scheme: Scheme) -> Staged:
    """A body in free flight, a step after it was let go with a velocity, judged."""
    scene = taut.Scene(gravity=(0, 0, -GRAVITY), collisions=False)
    scene.add_body("b", mass=MASS, inertia=(0.3, 0.4, 0.5), velocity=(1.0, -2.0, 3.0))
    model, state = compile_scene(scene)
    pull = np.array([0.0, 0.0, -GRAVITY, 0.0, 0.0, 0.0])
    state.previous_velocity[1] = state.velocity[1] - STEP * pull
    state.displacement[1] = STEP * (state.velocity[1] - 0.5 * STEP * pull)
    state.history[:] = 1
    case = Staged(stepper_of(model, scheme=scheme), state, scheme=scheme)
    case.predict()
    case.linearise()
    case.respond()
    case.take_impulses(np.zeros(0))
    case.move()
    case.judge()
    return case


def test_a_body_that_falls_gains_nothing() -> None:
    """The two-step scheme is exact for a parabola; Euler's loses m (g h)^2 / 2 a step."""
    assert falling(BDF2).scratch.verdict.gain == pytest.approx([0.0, 0.0], abs=1e-13)
    loss = 0.5 * MASS * (GRAVITY * STEP) ** 2
    assert falling(EULER).scratch.verdict.gain == pytest.approx([0.0, -loss], abs=1e-13)
    assert falling(BDF2).scratch.verdict.table[RISE].tolist() == [-1.0, -1.0], "nothing joins it"
    assert falling(BDF2).scratch.verdict.table[CONTACT_RISE, 1] < 0.0


def judged_slide(law: Law, before: float, after: float) -> Staged:
    """A body that slid from one value to another, at rest at both."""
    case = staged_rows([RowSpec(Slide(0, 1, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), (law,))])
    case.stepper.state.measure[0] = case.stepper.state.position[1, 0] = before
    case.scratch.places.position[1, 0] = after
    case.rows.sign[0], case.kkt.diagonal[0] = 1.0, 1.0
    case.judge()
    return case


@given(
    st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(0.1, 50.0), st.floats(0.0, 5.0), st.floats(0.0, 5.0)
)  # fmt: skip
def test_a_spring_that_ends_at_its_force_stores_the_work_of_that_force(
    before: float, after: float, stiffness: float, below: float, above: float
) -> None:
    """The energy is the work against the clipped force from the rest length on; a step gains what is stored more."""
    law = Law(kind=soft(stiffness).kind, stiffness=stiffness, lower_force=-below, upper_force=above)

    def expected(gap: float) -> float:
        way = np.linspace(0.0, gap, 20_001)
        return float(-np.trapezoid(np.clip(-stiffness * way, -below, above), way))

    case = judged_slide(law, before, after)
    assert case.scratch.verdict.balance[SPRINGS] == pytest.approx(expected(after), abs=1e-6)
    assert case.scratch.verdict.gain[1] == pytest.approx(expected(after) - expected(before), abs=2e-6)
    stored = stored_energy(case.stepper.mechanism, case.state, case.state.target, np.array([after]))
    assert stored == pytest.approx([expected(after)], abs=1e-6)


@pytest.mark.parametrize("law", [hold(0.5), follow(0.5), limits(-0.5, 0.5)])
def test_only_soft_rows_store_energy(law: Law) -> None:
    case = judged_slide(law, 0.0, 9.0)
    assert case.scratch.verdict.balance[SPRINGS] == 0.0 and case.scratch.verdict.gain[1] == 0.0
    state = case.state
    assert not stored_energy(case.stepper.mechanism, state, state.target, np.array([9.0])).any()


def test_drive_work_is_force_times_path_of_the_rows_that_drive(rng: np.random.Generator) -> None:
    """That of soft rows is in their springs."""
    laws = (hold(drives=True), follow(drives=True), hold(), replace(soft(1.0), drives=True))
    case = staged_rows([RowSpec(slide(rng), (law,)) for law in laws], bodies=3)
    case.linearise()
    lam, candidate = np.array([1.0, -2.0, 3.0, 4.0]), case.scratch.candidate
    candidate.velocity[1:], case.answer.lam[:] = rng.normal(size=(2, 6)), lam
    case.kkt.diagonal[:] = 1.0
    case.judge()
    work = lam / STEP * (case.jacobian() @ candidate.path.ravel())
    assert case.scratch.verdict.work == pytest.approx([0.0, work[:2].sum(), 0.0])
    kinetic = case.scratch.verdict.kinetic[1]
    springs = (
        case.scratch.verdict.balance[SPRINGS]
        - stored_energy(case.stepper.mechanism, case.state, case.state.target, case.state.measure).sum()
    )
    gain = kinetic + springs - work[:2].sum()
    assert case.scratch.verdict.gain[1] == pytest.approx(gain), "they were at rest before"


@pytest.mark.parametrize(("looks_back", "before", "share"), [(0.0, 5.0, 1.0), (-0.5, 5.0, 3.0), (-0.5, -5.0, 1.0)])
def test_drive_work_is_of_the_mean_force_over_a_step_that_looks_back_where_that_does_more(
    looks_back: float, before: float, share: float
) -> None:
    row = Slide(0, 1, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    case = staged_rows([RowSpec(row, (hold(drives=True),))])
    case.linearise()
    case.scratch.weights.before[1], case.stepper.state.force[0] = looks_back, before
    case.scratch.candidate.velocity[1, 0], case.answer.lam[0], case.kkt.diagonal[0] = 1.0, STEP, 1.0
    case.judge()
    path = case.scratch.candidate.path[1, 0]
    assert path > 0.0 and case.scratch.verdict.work[1] == pytest.approx(share * path)


def test_a_servo_that_stops_smoothly_takes_one_solve_a_frame() -> None:
    """It took 3.0 where the force at the end of a step stood for all of it."""
    scene = taut.Scene(collisions=False)
    scene.add_body("rod", taut.shapes.Box(1, 0.1, 0.1), mass=5.0, position=(0.5, 0, 0))
    motor = Motor(position=0.0, max_force=1e4)
    scene.connect("world", "rod", Revolute(axis=(0, 0, 1), motor=motor), at=(0, 0, 0), name="hinge")
    scene.add_control("hinge", joint="hinge", schedule=taut.Ramps((0, 0), (0.5, 2)))
    recording = taut.Simulation(scene).run(0.7)
    solves = recording.column("solves")[1:]
    assert np.count_nonzero(solves > 1) <= 5, "it starts, and stops"
    assert not recording.column("unconverged").any()


@SEEDS
@pytest.mark.parametrize("follows", [False, True])
def test_work_of_a_load_is_along_the_path_of_its_point(seed: int, follows: bool) -> None:
    """F . (p+ - p) for any turn of its arm, tau . theta for a torque; following loads count by their mean direction."""
    rng = np.random.default_rng(seed)
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("b", mass=MASS, inertia=(0.3, 0.4, 0.5))
    scene.add_load("b", force=rng.normal(size=3), point=random_point(rng), torque=rng.normal(size=3), follows=follows)
    case, pose, after, twist = moved_body(scene, rng)
    load = case.stepper.mechanism.loads
    path = after.position + after.rotation @ load.point[0] - pose.position - pose.rotation @ load.point[0]
    axes = 0.5 * (pose.rotation + after.rotation) if follows else np.eye(3)
    expected = axes @ load.force[0] @ path + axes @ load.torque[0] @ twist[3:]
    assert case.scratch.verdict.work[1] == pytest.approx(expected)
    assert case.scratch.verdict.gain[1] == pytest.approx(case.scratch.verdict.kinetic[1] - expected)


@SEEDS
def test_work_of_what_is_applied_is_along_the_path_of_its_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("b", mass=MASS, inertia=(0.3, 0.4, 0.5))
    applied, point = rng.normal(size=6), np.array(random_point(rng))
    case, pose, after, twist = moved_body(scene, rng, applied, point)
    path = after.position + after.rotation @ point - pose.position - pose.rotation @ point
    expected = applied[:3] @ path + applied[3:] @ twist[3:]
    assert case.scratch.verdict.gain[1] == pytest.approx(case.scratch.verdict.kinetic[1] - expected)


def moved_body(
    scene: taut.Scene, rng: np.random.Generator, applied: Array | float = 0.0, point: Array | float = 0.0
) -> tuple[Staged, Pose, Pose, Array]:
    """The one body of a scene after a step by a random twist (6,) from rest, judged, and its poses before and after."""
    model, state = compile_scene(scene)
    quaternion, twist = random_quaternion(rng), rng.normal(size=6)
    pose = Pose(rng.normal(size=3), taut.spatial.matrix(quaternion))
    after = all_moved([pose], twist[None])[0]
    state.position[1], state.orientation[1], state.applied[1], state.applied_point[1] = (
        pose.position, quaternion, applied, point,
    )  # fmt: skip
    case = Staged(stepper_of(model), state)
    case.scratch.places.position[1], case.scratch.places.rotation[1] = after.position, after.rotation.ravel()
    case.scratch.candidate.velocity[1] = twist / STEP
    case.judge()
    return case, pose, after, twist


def test_the_rise_is_what_is_not_explained_over_what_moved() -> None:
    """Bodies on one rod, one of which is suddenly faster; the other pair keeps what it has."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    for index in range(4):
        scene.add_body(f"b{index}", mass=MASS, inertia=(0.3, 0.4, 0.5), position=(index, 0, 0), velocity=(0, 1, 0))
    scene.connect("b0", "b1", Distance())
    scene.connect("b2", "b3", Distance())
    model, state = compile_scene(scene)
    case = Staged(stepper_of(model), state)
    case.scratch.candidate.velocity[:] = state.velocity
    case.scratch.candidate.velocity[2, 1] = 3.0
    table, verdict = case.judge(), case.scratch.verdict
    assert verdict.energy_group.tolist() == [0, 1, 1, 3, 3]
    assert verdict.kinetic == pytest.approx([0.0, 0.5 * MASS * (1 + 9), 0.0, MASS, 0.0])
    gain, rest = 0.5 * MASS * 8.0, 2 * 0.5 * MASS * (case.stepper.settings.tolerance / STEP) ** 2
    assert verdict.gain == pytest.approx([0.0, gain, 0.0, 0.0, 0.0])
    assert table[RISE, 1] == pytest.approx((gain - rest) / (0.5 * MASS * 10 + gain + rest))
    assert table[RISE, 3] == pytest.approx(-rest / (MASS + rest))
    assert ACCEPTANCE.work_error > 0.0 and verdict.work.tolist() == [0.0] * 5


def test_energy_and_momentum_of_a_state(rng: np.random.Generator) -> None:
    scene = taut.Scene(gravity=(0, 0, -GRAVITY), collisions=False)
    scene.add_body("a", mass=MASS, inertia=(0.3, 0.4, 0.5), position=(1, 2, 3), velocity=(4, 5, 6))
    scene.add_spring("world", "a", stiffness=100.0, rest_length=1.0)
    model, state = compile_scene(scene)
    state.velocity[1, 3:] = rng.normal(size=3)
    state.spin[1] = state.velocity[1, 3:] * [0.3, 0.4, 0.5]
    stepper = stepper_of(model)
    spring = 50.0 * (np.sqrt(14.0) - 1.0) ** 2
    kinetic = 0.5 * MASS * 77.0 + 0.5 * state.spin[1] @ state.velocity[1, 3:]
    assert energy_of(stepper, state) == pytest.approx(kinetic + MASS * GRAVITY * 3.0 + spring)
    push = MASS * np.array([4.0, 5.0, 6.0])
    assert momentum_of(stepper.mechanism, state) == pytest.approx(
        np.array([push, state.spin[1] + np.cross([1, 2, 3], push)])
    )
