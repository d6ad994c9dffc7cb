"""Integrators: weights, kernels that move bodies, order of accuracy, momentum of floating groups."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import Weights, random_quaternion, random_spd, world_inertia
from sample_mechanisms import GRAVITY, advance, one_body, slider
from scipy.integrate import solve_ivp

import taut
from taut.integrators import BDF2, EULER, LOW_DAMPING, SCHEMES, motion_kernels
from taut.integrators.low_damping import flattest
from taut.integrators.scheme import backward_differences
from taut.joints import Gear, Revolute, Spherical
from taut.model.compile import compile_scene
from taut.model.model import Model
from taut.stepping.mechanism import mechanism_of

Array = np.ndarray
SCHEME = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


@SCHEME
def test_weights_are_consistent(scheme: taut.integrators.Scheme) -> None:
    """Exact for constant velocity, and for constant acceleration in v; the order says how much more."""
    now, past, ways = scheme.momentum[0], momenta(scheme), scheme.drift * np.array([1.0, *scheme.older_drift])
    ages = np.arange(1.0, 1.0 + past.size)
    assert scheme.alpha == pytest.approx(now + past.sum()), "v = 1"
    assert scheme.alpha == pytest.approx(1.0 - past @ ages), "v = t at t = 0, h = 1: alpha 1 = sum before (-age) + h"
    assert ways.sum() + scheme.position == pytest.approx(1.0), "x = t"
    guess = scheme.guess[1] * np.array([1.0, *scheme.older_momentum])
    assert scheme.guess[0] + guess.sum() == pytest.approx(1.0)
    if scheme.order >= 2:
        assert scheme.alpha == pytest.approx(past @ ages**2 + 2.0), "v = t^2: alpha = sum before age^2 + h 2 t"
        assert ways @ (ages - 1.0) ** 2 - ways @ ages**2 + 2.0 * scheme.position == pytest.approx(1.0), "x = t^2"
        assert guess @ -ages == pytest.approx(1.0), "v_k is exact for v = t"


def momenta(scheme: taut.integrators.Scheme) -> Array:
    """Weights of momenta a step before, two steps before, and so on."""
    return scheme.momentum[1] * np.array([1.0, *scheme.older_momentum])


def test_depth_is_how_many_steps_a_scheme_looks_back_on() -> None:
    assert {name: scheme.depth for name, scheme in SCHEMES.items()} == {
        "alpha": 7, "bdf2": 1, "euler": 0, "low-damping": 7, "redmax": 0,
    }  # fmt: skip
    for scheme in SCHEMES.values():
        assert scheme.ladder.shape == (scheme.depth + 1, scheme.numbers.size)
        assert np.array_equal(scheme.ladder[-1], scheme.numbers)
    assert np.array_equal(LOW_DAMPING.ladder[:2], BDF2.ladder), "it starts with Euler, then BDF2"


def test_backward_differences_of_second_order_are_bdf2() -> None:
    again = backward_differences("again", "", (1.0, 0.5), starter=EULER)
    assert again.numbers == pytest.approx(BDF2.numbers)


@pytest.mark.parametrize("steps", range(2, 7))
def test_damping_is_flattest_at_slow_motion_and_never_negative(steps: int) -> None:
    """Re delta(exp(i theta)) is a positive multiple of (1 - cos theta)^K: nothing grows, and what is slow stays."""
    scheme, angle = flattest(steps), np.linspace(0.0, np.pi, 50)
    past = np.exp(-1j * np.outer(angle, np.arange(2, steps + 1)))
    delta = scheme.alpha - scheme.momentum[0] * np.exp(-1j * angle) - past @ momenta(scheme)
    assert delta.real == pytest.approx((0.5 * (1.0 - np.cos(angle))) ** steps * delta.real[-1], abs=1e-14)
    assert delta.real[-1] > 0.0
    assert scheme.alpha == pytest.approx(2.0 - 1.0 / steps)


def bodies(rng: np.random.Generator, count: int = 6) -> dict[str, Array]:
    """Random bodies, the first of which does not move."""
    return {
        "moves": np.array([0] + [1] * (count - 1), np.uint8),
        "slim": np.zeros(count, np.uint8),
        "inertia": np.array([random_spd(rng, 3.0).ravel() for _ in range(count)]),
        "position": rng.normal(size=(count, 3)),
        "orientation": np.array([random_quaternion(rng) for _ in range(count)]),
        "displacement": 0.1 * rng.normal(size=(count, 6)),
        "velocity": rng.normal(size=(count, 6)),
        "previous": rng.normal(size=(count, 6)),
    }


def test_place_kernel(rng: np.random.Generator) -> None:
    case = bodies(rng)
    position, orientation, rotation = np.zeros((6, 3)), np.zeros((6, 4)), np.zeros((6, 9))
    drift, beta = rng.uniform(0.0, 0.5, 6), rng.uniform(0.01, 0.03, 6)
    motion_kernels.place(
        case["moves"], case["position"], case["orientation"], case["displacement"], case["velocity"], drift, beta,
        position, orientation, rotation,
    )  # fmt: skip
    for body in range(6):
        move = (drift[body] * case["displacement"][body] + beta[body] * case["velocity"][body]) * case["moves"][body]
        turned = taut.spatial.multiply(taut.spatial.exponential(move[3:]), case["orientation"][body])
        assert position[body] == pytest.approx(case["position"][body] + move[:3])
        assert orientation[body] == pytest.approx(turned)
        assert rotation[body].reshape(3, 3) == pytest.approx(taut.spatial.matrix(turned))


@SCHEME
def test_predict_kernel(rng: np.random.Generator, scheme: taut.integrators.Scheme) -> None:
    """Linear velocities are extrapolated; spins come from the extrapolated momentum at the orientation they lead to.

    Every second body looks back, the others restart.
    """
    case = bodies(rng)
    spin, previous_spin = rng.normal(size=(6, 3)), rng.normal(size=(6, 3))
    weights = Weights.of(scheme, 1e-3, np.array([1, 0, 1, 0, 1, 1], np.uint8))
    case["slim"][5] = 1
    guess = np.zeros((6, 6))
    motion_kernels.predict(
        case["moves"], case["slim"], case["inertia"], case["orientation"], case["displacement"], case["velocity"],
        case["previous"], spin, previous_spin, weights.guess_now, weights.guess_before, weights.drift,
        weights.beta, guess,
    )  # fmt: skip
    now, before = weights.guess_now[:, None], weights.guess_before[:, None]
    plain = now * case["velocity"] + before * case["previous"]
    assert guess[:, :3] == pytest.approx(plain[:, :3])
    assert guess[[0, 5], 3:] == pytest.approx(plain[[0, 5], 3:]), "fixed and slim bodies are extrapolated"
    for body in range(1, 5):
        rate, momentum = plain[body, 3:], now[body] * spin[body] + before[body] * previous_spin[body]
        for _ in range(motion_kernels.GYROSCOPIC_PASSES):
            turn = taut.spatial.exponential(weights.path(case["displacement"], np.tile(rate, 2))[body, 3:])
            rotation = taut.spatial.matrix(taut.spatial.multiply(turn, case["orientation"][body]))
            rate = np.linalg.solve(world_inertia(rotation, case["inertia"][body]), momentum)
        assert guess[body, 3:] == pytest.approx(rate)


def test_energy_and_momentum_kernel(rng: np.random.Generator) -> None:
    count, gravity = 4, rng.normal(size=3)
    moves, mass = np.array([0, 1, 1, 1], np.uint8), rng.uniform(1, 2, count)
    position, velocity, spin, out = (
        rng.normal(size=(count, 3)),
        rng.normal(size=(count, 6)),
        rng.normal(size=(count, 3)),
        np.zeros(8),
    )
    motion_kernels.mechanical_state(moves, mass, gravity, position, velocity, spin, out)
    active = slice(1, None)
    kinetic = 0.5 * (mass[:, None] * velocity[:, :3] ** 2)[active].sum() + 0.5 * (spin * velocity[:, 3:])[active].sum()
    assert out[0] == pytest.approx(kinetic)
    assert out[1] == pytest.approx(-(mass[active] * (position[active] @ gravity)).sum())
    push = mass[:, None] * velocity[:, :3]
    assert out[2:5] == pytest.approx(push[active].sum(axis=0))
    assert out[5:] == pytest.approx((spin + np.cross(position, push))[active].sum(axis=0))


def test_spins_kernel(rng: np.random.Generator) -> None:
    case = bodies(rng)
    rotation = np.array([taut.spatial.matrix(q).ravel() for q in case["orientation"]])
    axis = rng.normal(size=(6, 3))
    spin, along = np.zeros((6, 3)), np.zeros(6)
    slim, balanced = np.array([0, 1, 0, 1, 0, 1], np.uint8), rng.normal(size=(6, 9))
    motion_kernels.spins(slim, case["inertia"], axis, balanced, rotation, case["velocity"], spin, along)
    for body in range(6):
        world = world_inertia(rotation[body], case["inertia"][body]) if slim[body] else balanced[body].reshape(3, 3)
        expected = world @ case["velocity"][body, 3:]
        assert spin[body] == pytest.approx(expected)
        assert along[body] == pytest.approx(rotation[body].reshape(3, 3) @ axis[body] @ expected)


def pendulum_error(integrator: str, step: float) -> float:
    """Error of the angle of a pendulum after 0.8 s."""
    simulation = one_body(
        Revolute(axis=(0, 1, 0)), (0, 0, -GRAVITY), position=(1, 0, 0), at=(0, 0, 0), step=step, integrator=integrator
    )
    advance(simulation, 0.8)
    inertia = 2.0 + 0.4
    exact = solve_ivp(
        lambda _, y: [y[1], 2.0 * GRAVITY / inertia * np.cos(y[0])], (0, 0.8), [0, 0], rtol=1e-11, atol=1e-12
    )
    return abs(simulation.joint("j").position - exact.y[0, -1])


@pytest.mark.parametrize(("integrator", "lowest", "highest"), [("euler", 1.8, 2.2), ("bdf2", 3.5, 4.6)])
def test_order_on_the_pendulum(integrator: str, lowest: float, highest: float) -> None:
    errors = [pendulum_error(integrator, 0.8 / count) for count in (80, 160, 320)]
    ratios = [errors[0] / errors[1], errors[1] / errors[2]]
    assert all(lowest < ratio < highest for ratio in ratios), ratios


def test_bdf2_is_exact_for_constant_acceleration() -> None:
    simulation = slider((0, 0, 1), gravity=(0, 0, -GRAVITY))
    for index in range(20):
        simulation.step()
        assert simulation.joint("j").velocity == pytest.approx(-GRAVITY * (index + 1) / 60)


def test_starting_costs_no_accuracy() -> None:
    """The first frame is as good as the scheme: no first-order error is left behind."""
    errors = []
    for step in (1 / 50, 1 / 100, 1 / 200):
        simulation = one_body(None, (0, 0, -GRAVITY), step=step)
        advance(simulation, 0.2)
        errors.append(abs(simulation.body("b").position[2] + GRAVITY / 2 * 0.04))
    assert errors[0] / errors[1] > 3.0 and errors[1] / errors[2] > 3.0


def floating_scene() -> taut.Scene:
    """Two pairs that float, one of them damped, a pair held by the world, and a single body."""
    scene = taut.Scene(gravity=(0, 0, 0))
    for index, name in enumerate(("a", "b", "c", "d", "e", "f", "g")):
        damping = 0.1 if name == "c" else 0.0
        scene.add_body(name, mass=1.0 + index, inertia=(0.3, 0.4, 0.5), position=(index, 0, 0), angular_damping=damping,
                       velocity=(0, 0.3 * index, 0.1), angular_velocity=(1, 0.5 * index, -1))  # fmt: skip
    scene.connect("a", "b", Spherical(), at=(0.5, 0, 0))
    scene.connect("c", "d", Spherical(), at=(2.5, 0, 0))
    scene.connect("e", "f", Spherical(), at=(4.5, 0, 0))
    scene.connect("f", "world", Spherical(), at=(5.5, 0, 0))
    return scene


def bodies_that_float(model: Model) -> list[int]:
    return mechanism_of(model).links.floating_body.tolist()


def test_floating_groups_are_found() -> None:
    model, _ = compile_scene(floating_scene())
    assert bodies_that_float(model) == [1, 2]


def test_a_gear_to_the_world_ties_a_group_down() -> None:
    scene = floating_scene()
    scene.connect("a", "b", Gear())
    model, _ = compile_scene(scene)
    assert bodies_that_float(model) == []


@pytest.mark.parametrize("integrator", ["euler", "bdf2"])
def test_floating_groups_keep_their_momentum(integrator: str) -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    for index in range(4):
        scene.add_body(f"b{index}", mass=1.0 + index, inertia=(0.3, 0.4, 0.5), position=(index, 0, 0),
                       velocity=(0.1, 0.2 * index, 0.3), angular_velocity=(index, 1, -1))  # fmt: skip
        if index:
            scene.connect(f"b{index - 1}", f"b{index}", Spherical(), at=(index - 0.5, 0, 0))
    simulation = taut.Simulation(scene, integrator=integrator)
    simulation.step()
    momentum = simulation.report.momentum
    advance(simulation, 2.0)
    assert simulation.report.momentum == pytest.approx(momentum, rel=1e-9, abs=1e-9 * np.abs(momentum).max())


def test_floating_groups_answer_to_applied_torque() -> None:
    scene = taut.Scene(gravity=(0, 0, -GRAVITY))
    for index in range(2):
        scene.add_body(f"b{index}", mass=1.0, inertia=(0.3, 0.4, 0.5), position=(index, 0, 0))
    scene.connect("b0", "b1", Spherical(), at=(0.5, 0, 0))
    simulation = taut.Simulation(scene)
    simulation.body("b0").apply(torque=(0, 0, 0.2))
    simulation.body("b1").apply(force=(0, 0, 2.0 * GRAVITY))
    advance(simulation, 0.5)
    spin = simulation.report.momentum[1]
    assert spin[2] == pytest.approx(0.2 * 0.5, rel=1e-6)
