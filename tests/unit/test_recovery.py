"""A safe state where a frame cannot be solved: rows hold, nothing gains energy, and the next frames go on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from sample_mechanisms import chain, hinge, with_settings

import taut
from taut.joints import Fixed, Motor, Prismatic, Revolute, Spherical
from taut.model.groups import merged_groups
from taut.model.state import State
from taut.rows.law import HOLD, LIMITS
from taut.shapes import Box, Sphere
from taut.stepping.energy import body_kinetic
from taut.stepping.instant import instant
from taut.stepping.recovery import recover, shared_energy
from taut.stepping.refinement import row_rates
from taut.stepping.settings import INSTANTS, RECOVERY

STEP = 1 / 60


def swinging_chain() -> taut.Simulation:
    """A light chain with a heavy load on its way down."""
    return chain(links=6, load=200.0, angle=-0.3)


def four_bar() -> taut.Simulation:
    """Two cranks and a coupler on hinges, a closed loop with redundant rows, one crank thrown."""
    scene = taut.Scene()
    places = {"left": (0.0, 0.0, 0.5), "coupler": (0.5, 0.0, 1.0), "right": (1.0, 0.0, 0.5)}
    for name, place in places.items():
        size = Box(1.0, 0.05, 0.05) if name == "coupler" else Box(0.05, 0.05, 1.0)
        thrown = {"coupler": (2.0, 0.0, 0.0)}.get(name, (1.0, 0.0, 0.0))
        turning = (0.0, 0.0 if name == "coupler" else 2.0, 0.0)
        scene.add_body(name, size, mass=1.0, position=place, velocity=thrown, angular_velocity=turning, collides=False)
    joints = [("world", "left", 0, 0), ("left", "coupler", 0, 1), ("coupler", "right", 1, 1), ("right", "world", 1, 0)]
    for first, second, x, z in joints:
        scene.connect(first, second, Revolute(axis=(0, 1, 0)), at=(x, 0, z))
    return taut.Simulation(scene)


def door_at_its_stop() -> taut.Simulation:
    """A hinge that its upper limit has stopped, and that a torque presses on."""
    simulation = hinge(3.0, limits=(-1.0, 0.1))
    simulation.body("b").apply(torque=(0.0, 0.0, 5.0))
    return simulation


def ball_on_ground() -> taut.Simulation:
    """A ball that lies on the ground and rolls, and one on its way down."""
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("ball", Sphere(0.1), mass=2.0, position=(0, 0, 0.1), velocity=(1.0, 0, 0))
    scene.add_body("other", Sphere(0.1), mass=1.0, position=(1.0, 0, 0.12), velocity=(0, 0, -2.0))
    return taut.Simulation(scene)


def weight_on_a_spring() -> taut.Simulation:
    """A pendulum that a spring pulls back."""
    scene = taut.Scene()
    scene.add_body("b", Box(0.2, 0.2, 0.2), mass=2.0, position=(1.0, 0, 0))
    scene.connect("world", "b", Spherical(), at=(0, 0, 0))
    scene.add_spring("world", "b", point_a=(0, 0, 1.5), stiffness=300.0, damping=1.0)
    return taut.Simulation(scene)


def driven_slider() -> taut.Simulation:
    """A body that a motor of unlimited force drives along a slider, with a platform that is fixed."""
    scene = taut.Scene()
    scene.add_body("base", Box(1, 1, 0.1), fixed=True, position=(0, 0, -1))
    scene.add_body("b", Box(0.2, 0.2, 0.2), mass=2.0, velocity=(0.5, 0, 0))
    scene.connect("base", "b", Prismatic(axis=(1, 0, 0), motor=Motor(speed=0.5)))
    scene.add_body("rider", Box(0.1, 0.1, 0.1), mass=1.0, position=(0, 0, 0.5), velocity=(0.5, 0, 0), collides=False)
    scene.connect("b", "rider", Fixed())
    return taut.Simulation(scene)


MECHANISMS: dict[str, Callable[[], taut.Simulation]] = {
    maker.__name__: maker
    for maker in (swinging_chain, four_bar, door_at_its_stop, ball_on_ground, weight_on_a_spring, driven_slider)
}


@pytest.fixture(params=MECHANISMS)
def moving(request: pytest.FixtureRequest) -> taut.Simulation:
    """A mechanism after some frames."""
    simulation = MECHANISMS[request.param]()
    for _ in range(8):
        assert simulation.step().status == "solved"
    return simulation


def gaps(simulation: taut.Simulation, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gaps (rows,) of joints, how far (rows,) limits are overrun, and gaps (k,) of contacts."""
    laws, now = simulation.model.layout.laws, instant(simulation.stepper, state)
    value = now.memory.rows.value
    own = value[: laws.kind.size]
    joints = np.abs(own - state.target)[(laws.kind == HOLD) & simulation.stepper.mechanism.hard]
    limits = np.maximum(state.limits[:, 0] - own, own - state.limits[:, 1])[laws.kind == LIMITS]
    return joints, limits, value[now.contacts.table.row]


def assert_safe(simulation: taut.Simulation, after: State) -> None:
    """Joints, limits and contacts hold, and velocities go along them."""
    settings, laws = simulation.settings, simulation.model.layout.laws
    joints, limits, touching = gaps(simulation, after)
    assert joints.max(initial=0.0) <= settings.limit
    assert limits.max(initial=0.0) <= settings.limit
    assert -touching.min(initial=0.0) <= settings.limit
    now = instant(simulation.stepper, after)
    own, rates, fastest = laws.kind.size, row_rates(now.memory.kkt, after.velocity), 1.0 + np.abs(after.velocity).max()
    joined = (laws.kind == HOLD) & simulation.stepper.mechanism.hard
    assert np.abs(rates[:own][joined]).max(initial=0.0) <= 1e-9 * fastest
    value, rate = now.memory.rows.value[:own], rates[:own]
    assert (rate[(laws.kind == LIMITS) & (value <= after.limits[:, 0] + INSTANTS.closed)] >= -1e-9 * fastest).all()
    assert (rate[(laws.kind == LIMITS) & (value >= after.limits[:, 1] - INSTANTS.closed)] <= 1e-9 * fastest).all()
    assert (rates[now.contacts.table.row][touching <= INSTANTS.closed] >= -1e-9 * fastest).all()


def group_gains(simulation: taut.Simulation, before: State, after: State) -> np.ndarray:
    """Kinetic energy that groups of jointed or touching bodies gained beyond the work of gravity and loads, J."""
    mechanism, bodies = simulation.stepper.mechanism, simulation.model.bodies
    found = instant(simulation.stepper, after).contacts.found
    every = np.ones(found.count, np.uint8)
    group = merged_groups(mechanism.links.joined, bodies.moves, found.body_a, found.body_b, every)
    mass = np.where(bodies.moves > 0, bodies.mass, 0.0)[:, None]
    pull = mass * np.asarray(simulation.model.gravity) + before.applied[:, :3]
    work = np.einsum("bi,bi->b", pull, after.position - before.position) * (bodies.moves > 0)
    gain = body_kinetic(mechanism, after) - body_kinetic(mechanism, before) - work
    return np.asarray(np.bincount(group, gain))


def test_the_state_after_is_safe(moving: taut.Simulation) -> None:
    before = moving.state.copy()
    after = recover(moving.stepper, moving.state, STEP)
    assert_safe(moving, after)
    scale = 1.0 + body_kinetic(moving.stepper.mechanism, before).sum()
    assert group_gains(moving, before, after).max() <= 1e-9 * scale


def test_a_part_of_a_frame_takes_exactly_its_time(moving: taut.Simulation) -> None:
    for h in (STEP, STEP / 4, STEP / 64):
        after = recover(moving.stepper, moving.state, h)
        assert after.time == moving.state.time + h
        assert not after.history.any()
        assert np.array_equal(after.reached, moving.state.target)


def test_what_is_fixed_stays_and_the_state_before_is_not_touched(moving: taut.Simulation) -> None:
    before = moving.state.copy()
    after = recover(moving.stepper, moving.state, STEP)
    still = moving.model.bodies.moves == 0
    for name in ("position", "orientation", "velocity"):
        assert np.array_equal(getattr(after, name)[still], getattr(before, name)[still])
        assert np.array_equal(getattr(moving.state, name), getattr(before, name))


def test_bodies_go_on(moving: taut.Simulation) -> None:
    """Most of the way that a solved frame goes: a safe state is not one that stands still."""
    before = moving.state.copy()
    after = recover(moving.stepper, moving.state, STEP)
    moving.step()
    way, expected = after.position - before.position, moving.state.position - before.position
    assert np.linalg.norm(way - expected) <= 0.25 * np.linalg.norm(expected) + 1e-3


def test_what_belongs_to_the_state_fits_it(moving: taut.Simulation) -> None:
    """Spins, coordinates and measures are those of the configuration and velocities: a restart finds the same."""
    after = recover(moving.stepper, moving.state, STEP)
    rows, bodies = instant(moving.stepper, after).memory.rows, moving.model.bodies
    turn = moving.stepper.scratch.places.rotation.reshape(-1, 3, 3)
    local = bodies.inertia.reshape(-1, 3, 3)
    spin = np.einsum("bij,bjk,blk,bl->bi", turn, local, turn, after.velocity[:, 3:])
    assert after.spin == pytest.approx(spin, abs=1e-9)
    assert after.measure == pytest.approx(rows.value[: after.measure.size], abs=1e-12)
    assert after.coordinate == pytest.approx(rows.coordinate, abs=1e-12)
    assert after.is_finite()


@pytest.mark.parametrize("rate", [-3.0, 3.0])
def test_a_closed_limit_stops_without_rebound_and_lets_go(rate: float) -> None:
    simulation = hinge(rate, limits=(-1.0, 0.0))
    after = recover(simulation.stepper, simulation.state, STEP)
    assert_safe(simulation, after)
    assert after.velocity[1, 5] == pytest.approx(RECOVERY.slower * min(rate, 0.0), abs=1e-9)
    assert after.coordinate == pytest.approx([min(rate, 0.0) * STEP], abs=1e-9)


def test_springs_do_not_gain_energy_either() -> None:
    """A body on its way out along a stiff spring: going on as it does would stretch the spring for nothing."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1), position=(1.1, 0, 0), velocity=(1.0, 0, 0))
    scene.add_spring("world", "b", stiffness=1e6, rest_length=1.0)
    simulation = taut.Simulation(scene)
    assert recover(simulation.stepper, simulation.state, STEP).energy <= simulation.state.energy * (1.0 + 1e-9)


def test_springs_of_one_body_do_not_gain_what_another_has() -> None:
    """A stiff spring beside a heavy body that flies past and has nothing to do with it."""
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), collisions=False)
    scene.add_body("light", Sphere(0.1), mass=1.0, position=(1.0, 0.0, 0.0), velocity=(0.0, 0.0, 1.0))
    scene.add_spring("world", "light", stiffness=1e6)
    scene.add_body("heavy", Sphere(1.0), mass=1e6, position=(50.0, 0.0, 0.0), velocity=(0.0, 10.0, 0.0))
    simulation = taut.Simulation(scene)
    before = shared_energy(simulation.stepper, simulation.state)
    after = recover(simulation.stepper, simulation.state, STEP)
    assert before == pytest.approx(0.5)
    assert shared_energy(simulation.stepper, after) <= before


def test_a_chain_that_came_apart_is_put_together() -> None:
    """Links moved by centimetres and turned: the nearest configuration in which joints hold."""
    simulation = swinging_chain()
    rng = np.random.default_rng(3)
    state = simulation.state
    state.position[1:-1] += 0.02 * rng.normal(size=(state.position.shape[0] - 2, 3))
    assert gaps(simulation, state)[0].max() > 0.01
    after = recover(simulation.stepper, state, STEP)
    assert_safe(simulation, after)
    assert np.abs(after.position - state.position).max() < 0.2


@pytest.mark.parametrize("speed", [1e2, 1e4, 1e7])
@pytest.mark.parametrize("maker", [swinging_chain, four_bar, ball_on_ground, door_at_its_stop])
def test_huge_speeds_stay_safe(maker: Callable[[], taut.Simulation], speed: float) -> None:
    simulation, rng = maker(), np.random.default_rng(5)
    state = simulation.state
    state.velocity[1:] += speed * rng.normal(size=(state.velocity.shape[0] - 1, 6))
    simulation.refresh()
    state = simulation.state
    state.spin[:] = np.einsum("bij,bj->bi", world_inertias(simulation, state), state.velocity[:, 3:])
    before = state.copy()
    after = recover(simulation.stepper, state, STEP)
    assert after.is_finite()
    joints, limits, touching = gaps(simulation, after)
    assert joints.max(initial=0.0) <= simulation.settings.limit and limits.max(initial=0.0) <= simulation.settings.limit
    assert -touching.min(initial=0.0) <= simulation.settings.limit
    assert group_gains(simulation, before, after).max() <= 1e-9 * (
        1.0 + body_kinetic(simulation.stepper.mechanism, before).sum()
    )


def world_inertias(simulation: taut.Simulation, state: State) -> np.ndarray:
    """Moments of inertia (n, 3, 3) in world axes."""
    turn = np.array([taut.spatial.matrix(q) for q in state.orientation])
    local = simulation.model.bodies.inertia.reshape(-1, 3, 3)
    return np.einsum("bij,bjk,blk->bil", turn, local, turn)


def test_a_frame_that_cannot_be_solved_says_so_and_the_next_ones_are() -> None:
    """One linearisation of a thrown chain: rows do not hold, and there is no budget for another."""
    simulation = chain(links=8, load=100.0, angle=1.2)
    for _ in range(40):
        simulation.step()
    with_settings(simulation, budget=1, halvings=0, limit=1e-9)
    simulation.state.velocity[3, :3] += (5.0, 3.0, 0.0)
    simulation.refresh()
    settings, before = simulation.settings, simulation.state.time
    report = simulation.step()
    assert report.unconverged and report.status == "violation"
    assert simulation.state.time == pytest.approx(before + STEP, abs=1e-15)
    assert not simulation.state.history.any()
    with_settings(simulation)
    assert_safe(simulation, simulation.state)
    for _ in range(30):
        report = simulation.step()
        assert report.status == "solved" and not report.unconverged
    assert report.violation <= settings.limit


def test_frames_lost_one_after_the_other_stay_safe() -> None:
    """No frame is solved for a second: the chain stays together, and what it loses is never given back."""
    simulation = chain(links=8, load=100.0, angle=1.2)
    with_settings(simulation, budget=1, halvings=0, limit=1e-12)
    energy, lost = simulation.state.energy, 0
    for _ in range(60):
        report = simulation.step()
        lost += report.unconverged
        assert gaps(simulation, simulation.state)[0].max() <= simulation.settings.limit
        assert report.energy <= energy + 1e-6 * abs(energy)
        energy = report.energy
    assert lost >= 50, "the test must meet what it is about"
