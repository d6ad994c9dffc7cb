"""Stiffness and damping, or frequency and damping ratio."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
