"""`joints/shafts.py`: rows over the spins of shafts."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.joints import Revolute, Shafts

AXIS = (1.0, 0.0, 0.0)


def three_shafts(row: Shafts, spins: tuple[float, ...] = (10.0, 2.0, -1.0)) -> taut.Simulation:
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    for name, inertia, spin in zip("abc", (1.0, 2.0, 4.0), spins, strict=True):
        scene.add_body(name, mass=1.0, inertia=(inertia,) * 3, angular_velocity=(spin, 0, 0))
        scene.connect("world", name, Revolute(axis=AXIS), name=f"{name}/hinge")
    scene.connect("world", "a", row, name="row")
    return taut.Simulation(scene, integrator="euler")


def spins(simulation: taut.Simulation) -> np.ndarray:
    return simulation.state.velocity[1:, 3]


def terms(*factors: float) -> tuple:
    return tuple(("world", name, AXIS, factor) for name, factor in zip("abc", factors, strict=False))


def test_a_row_turns_every_body_by_its_factor() -> None:
    factors, inertia, before = np.array([1.0, -2.5, 0.5]), np.array([1.0, 2.0, 4.0]), np.array([10.0, 2.0, -1.0])
    simulation = three_shafts(Shafts(terms(*factors), speed=3.0))
    simulation.step()
    impulse = (3.0 - factors @ before) / (factors**2 / inertia).sum()
    np.testing.assert_allclose(spins(simulation), before + factors * impulse / inertia, atol=1e-12)


def test_a_row_gives_no_more_torque_than_it_may() -> None:
    simulation = three_shafts(Shafts(terms(1.0, -1.0), torque=(-6.0, 30.0)))
    simulation.step()
    np.testing.assert_allclose(spins(simulation), [10.0 - 6.0 / 60, 2.0 + 6.0 / 2 / 60, -1.0], atol=1e-12)


def test_spins_are_those_against_the_carrier() -> None:
    simulation = three_shafts(Shafts((("b", "a", AXIS, 1.0),)))
    simulation.step()
    np.testing.assert_allclose(spins(simulation), [14.0 / 3.0, 14.0 / 3.0, -1.0], atol=1e-12)


def test_notes_are_in_the_state_and_change_nothing() -> None:
    first, second = (three_shafts(Shafts(terms(1.0, -1.0), notes=notes)) for notes in ((0.0, 0.0), (7.0, -3.0)))
    for simulation in (first, second):
        for _ in range(5):
            simulation.step()
    assert second.state.limits[-1].tolist() == [7.0, -3.0]
    assert (first.state.velocity == second.state.velocity).all()


def test_all_bodies_are_referred_to() -> None:
    assert Shafts((("b", "a", AXIS, 1.0), ("b", "c", AXIS, 2.0))).refers_to() == ("b", "a", "c")
    with pytest.raises(taut.InputError, match="nobody"):
        three_shafts(Shafts((("world", "nobody", AXIS, 1.0),)))
