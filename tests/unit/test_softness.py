"""Stiffness and damping, or frequency and damping ratio."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import taut
from taut.rows import softness
from taut.rows.law import FOLLOW, HOLD, SOFT, Law, hold

POSITIVE = st.floats(1e-6, 1e6)


@given(POSITIVE, POSITIVE, st.floats(0.0, 10.0))
def test_constants_give_back_frequency_and_ratio(mass: float, frequency: float, ratio: float) -> None:
    stiffness, damping = softness.spring_constants(mass, frequency, ratio)
    assert math.sqrt(stiffness / mass) / (2 * math.pi) == pytest.approx(frequency)
    assert damping / (2.0 * math.sqrt(stiffness * mass)) == pytest.approx(ratio)


def test_resolve_uses_the_effective_mass_once() -> None:
    law = softness.resolve(softness.oscillator(2.0, 0.5, target=0.3), effective_mass=4.0)
    assert (law.stiffness, law.damping) == softness.spring_constants(4.0, 2.0, 0.5)
    assert (law.kind, law.target, law.frequency) == (SOFT, 0.3, 0.0)
    assert softness.resolve(law, effective_mass=99.0) == law


def test_laws_in_si_units_are_left_alone() -> None:
    law = softness.soft(5.0, 0.1, target=1.0, force=3.0)
    assert softness.resolve(law, 7.0) is law
    assert (law.lower_force, law.upper_force) == (-3.0, 3.0)


def test_compliance_is_the_inverse_of_stiffness_and_keeps_the_target() -> None:
    law = softness.from_compliance(hold(0.7), 1e-3, 2.0)
    assert law == Law(SOFT, 0.7, stiffness=1e3, damping=2.0)


def test_kinds_are_different() -> None:
    assert len({HOLD, FOLLOW, SOFT}) == 3


@given(POSITIVE, st.floats(0.0, 1e6), st.floats(1e-5, 1.0))
def test_erp_and_cfm_give_back_stiffness_and_damping(stiffness: float, damping: float, step: float) -> None:
    erp, cfm = softness.to_erp_cfm(stiffness, damping, step)
    found = softness.from_erp_cfm(erp, cfm, step)
    assert found.stiffness == pytest.approx(stiffness)
    assert found.damping == pytest.approx(damping, abs=1e-6 * (step * stiffness + damping))
    assert found.compliance == pytest.approx(1.0 / stiffness)


def test_a_step_with_erp_and_cfm_is_the_step_with_the_spring() -> None:
    """J v+ = -(ERP/h) phi - CFM lam with a mass m: v+ = (v - ERP phi h / (h^2 m CFM) ...) solved by hand."""
    mass, step, speed, phi, erp, cfm = 3.0, 1.0 / 60.0, 0.4, 0.1, 0.2, 1e-3
    force = -(speed + erp * phi / step) / (cfm + step / mass)
    expected = speed + step * force / mass
    spring = softness.from_erp_cfm(erp, cfm, step)
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=mass, inertia=(1, 1, 1), position=(phi, 0, 0), velocity=(speed, 0, 0))
    drive = {"stiffness": spring.stiffness, "damping": spring.damping, "rest": -phi}
    scene.connect("world", "b", taut.joints.Prismatic(axis=(1, 0, 0), **drive))
    sim = taut.Simulation(scene, step=step, integrator="euler")
    sim.step()
    assert sim.body("b").velocity[0] == pytest.approx(expected, rel=1e-12)


@given(POSITIVE, POSITIVE, st.floats(0.0, 10.0))
def test_oscillation_is_the_inverse_of_the_constants(mass: float, frequency: float, ratio: float) -> None:
    constants = softness.spring_constants(mass, frequency, ratio)
    assert softness.oscillation(mass, *constants) == (pytest.approx(frequency), pytest.approx(ratio))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: softness.from_erp_cfm(1.5, 1.0, 0.1), "erp is 1.5; it must be from 0 to 1"),
        (lambda: softness.from_erp_cfm(0.5, 0.0, 0.1), "cfm is 0"),
        (lambda: softness.to_erp_cfm(0.0, 0.0, 0.1), "stiffness and damping are 0"),
        (lambda: softness.to_erp_cfm(1.0, 0.0, 0.0), "step is 0"),
    ],
)
def test_impossible_numbers_are_refused(call, message) -> None:
    with pytest.raises(taut.InputError, match=message):
        call()
