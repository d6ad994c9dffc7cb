"""A taut chain of light rods swings out of its plane: the error falls as h^2, at 1,000,000:1 too."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.special import ellipj, ellipk
from verification.mechanisms import rods
from verification.rod_chain import GRAVITY, RodChain

import taut
from taut.joints import Spherical
from taut.shapes import Box, Cylinder

LINKS, LENGTH, RADIUS, MASS = 30, 0.2, 0.02, 0.25
LIGHT, HEAVY = 100.0 * MASS, 1e6 * MASS
"""Loads of the chain, kg."""
ALONG = np.array([np.cos(np.radians(-30.0)), 0.0, np.sin(np.radians(-30.0))])
TURN = np.array([0.4, 0.9, 1.2]) - ALONG * (ALONG @ [0.4, 0.9, 1.2])
"""Rate at which the straight chain starts to turn about its anchor, rad/s: across it, so that no rod twists."""

ACROSS = MASS * Cylinder(RADIUS, LENGTH).unit_inertia[0]
END = np.array([-3.30999395, 3.05098045, -3.96679449])
"""Where the heavy load is after 1 s, m: the reference needs 200,000 evaluations for it, which a slow test repeats."""


def straight(count: int, along: np.ndarray, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Directions of a straight chain and their rates, (count, 3) each."""
    return np.tile(along, (count, 1)), np.tile(np.cross(turn, along), (count, 1))


def chain_with(load: float, count: int = LINKS) -> RodChain:
    """The chain without the engine."""
    return RodChain(count, LENGTH, MASS, ACROSS, load)


def swing(chain: RodChain) -> tuple[np.ndarray, np.ndarray]:
    """Directions and rates at 0, 0.5 and 1 s."""
    return chain.swing(*straight(chain.count, ALONG, TURN), np.array([0.0, 0.5, 1.0]))


def swinging_chain(load: float) -> taut.Scene:
    """The same chain in the engine; its load hangs at its centre and is no more than a point."""
    scene = taut.Scene(gravity=(0.0, 0.0, -GRAVITY), collisions=False)
    corners = LENGTH * np.outer(np.arange(LINKS + 1), ALONG)
    names = rods(scene, corners, MASS, RADIUS, angular_velocity=TURN)
    for spec in scene.bodies[1:]:
        spec.velocity = np.cross(TURN, spec.position)
    scene.add_body("load", Box(0.5, 0.5, 0.5), mass=load, position=corners[-1], velocity=np.cross(TURN, corners[-1]))
    for a, b, at in zip(["world", *names], [*names, "load"], corners, strict=True):
        scene.connect(a, b, Spherical(), at=at)
    return scene


def errors_after_one_second(load: float, end: np.ndarray, coordinates: str) -> list[float]:
    """Distance (m) of the load from its end at 60, 120 and 240 steps a second, every one of them solved."""
    errors = []
    for rate in (60, 120, 240):
        simulation = taut.Simulation(swinging_chain(load), step=1.0 / rate, coordinates=coordinates)
        missed = [report.status for report in (simulation.step() for _ in range(rate)) if report.unconverged]
        assert missed == [], f"{len(missed)} of {rate} steps"
        errors.append(float(np.linalg.norm(simulation.body("load").position - end)))
    return errors


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("load", [LIGHT, HEAVY])
def test_taut_chain_is_second_order_in_space(load, coordinates):
    end = END if load == HEAVY else chain_with(load).end(swing(chain_with(load))[0][-1])
    errors = errors_after_one_second(load, end, coordinates)
    ratios = [coarse / fine for coarse, fine in zip(errors, errors[1:], strict=False)]
    assert all(3.5 <= ratio <= 4.5 for ratio in ratios), f"errors {errors} m, ratios {ratios}"


def expect_kept(chain: RodChain, directions: np.ndarray, rates: np.ndarray) -> None:
    """Energy, angular momentum about the vertical and lengths stay, and the chain bends: it is no single rod."""
    scale = GRAVITY * chain.first_moment.sum()
    energy = [chain.energy(*each) for each in zip(directions, rates, strict=True)]
    momentum = [chain.upright_momentum(*each) for each in zip(directions, rates, strict=True)]
    np.testing.assert_allclose(energy, energy[0], atol=2e-8 * scale)
    np.testing.assert_allclose(momentum, momentum[0], rtol=2e-8)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=-1), 1.0, atol=1e-8)
    assert np.ptp(directions[-1], axis=0).max() > 1e-7


def test_reference_keeps_what_must_be_kept():
    chain = chain_with(LIGHT, count=10)
    expect_kept(chain, *swing(chain))


@pytest.mark.slow
def test_reference_of_the_taut_chain():
    chain = chain_with(HEAVY)
    directions, rates = swing(chain)
    expect_kept(chain, directions, rates)
    np.testing.assert_allclose(chain.end(directions[-1]), END, atol=1e-7)


def test_reference_of_one_rod_is_the_pendulum():
    rod = RodChain(1, 0.7, 2.0, 0.09, 3.0)
    amplitude, azimuth, times = 2.0, 0.6, np.linspace(0.0, 3.0, 7)
    level = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    start = np.sin(amplitude) * level + [0.0, 0.0, -np.cos(amplitude)]
    directions, _ = rod.swing(start[None], np.zeros((1, 3)), times)
    frequency = np.sqrt(GRAVITY * 0.7 * (2.0 / 2.0 + 3.0) / (0.09 + 2.0 * 0.7**2 / 4.0 + 3.0 * 0.7**2))
    modulus = np.sin(0.5 * amplitude) ** 2
    angle = 2.0 * np.arcsin(np.sin(0.5 * amplitude) * ellipj(ellipk(modulus) - frequency * times, modulus)[0])
    closed_form = np.outer(np.sin(angle), level) - np.outer(np.cos(angle), (0.0, 0.0, 1.0))
    np.testing.assert_allclose(directions[:, 0], closed_form, atol=1e-9)


@pytest.mark.parametrize("mode", [0, 1, 4])
def test_reference_of_small_swings_is_a_mode(mode):
    """Hanging straight down, small swings are modes of M x'' + g diag(c) x = 0, in each level direction by itself."""
    chain = RodChain(5, 0.2, 0.3, 1e-3, 4.0)
    squares, modes = eigh(GRAVITY * np.diag(chain.first_moment), chain.mass_matrix)
    shape, small = modes[:, mode] / np.abs(modes[:, mode]).max(), 1e-5
    level, times = np.array([0.6, 0.8, 0.0]), np.linspace(0.0, 2.0, 9)
    start = small * np.outer(shape, level)
    start[:, 2] = -np.sqrt(1.0 - (small * shape) ** 2)
    directions, _ = chain.swing(start, np.zeros((5, 3)), times)
    expected = small * np.cos(np.sqrt(squares[mode]) * times)[:, None] * shape
    np.testing.assert_allclose(directions @ level, expected, atol=1e-3 * small)
