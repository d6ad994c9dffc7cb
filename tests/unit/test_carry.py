"""What an edit says about the state of what it changes: pasts, velocities, forces."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.integrators.scheme import OLDER, STEP
from taut.joints import Spherical
from taut.shapes import Box, Capsule
from taut.stepping.energy import momentum_of


def falling(**options: object) -> taut.Simulation:
    """Two bars on ball joints that swing, and one that flies."""
    scene = taut.Scene()
    for index in range(2):
        scene.add_body(f"bar{index}", Box(1, 0.1, 0.1), mass=2.0, position=(index + 0.5, 0, 0))
        scene.connect(
            "world" if index == 0 else "bar0", f"bar{index}", Spherical(), at=(index, 0, 0), name=f"joint{index}"
        )
    scene.add_body(
        "free", Capsule(0.1, 0.4), mass=1.0, position=(0, 3, 0), velocity=(1, 0, 0), angular_velocity=(1, 2, 3)
    )
    simulation = taut.Simulation(scene, **options)
    simulation.run(0.5)
    return simulation


def test_a_body_that_is_taken_out_and_put_back_with_its_past_goes_on_as_if_nothing_had_happened() -> None:
    one, other = falling(), falling()
    state, number = one.state, one.model.bodies.names.index("free")
    body, shape = one.body("free"), Capsule(0.1, 0.4)
    past = state.previous_velocity[number].copy(), state.displacement[number].copy()
    with one.edit() as edit:
        edit.remove_body("free")
        edit.add_body(
            "free", shape, mass=1.0, position=body.position, orientation=body.orientation, velocity=body.velocity,
            angular_velocity=body.angular_velocity,
        )  # fmt: skip
        edit.set_past("free", *past)
    assert one.state.history[number] == 1
    for name in ("previous_velocity", "displacement", "position", "velocity"):
        assert getattr(one.state, name)[number] == pytest.approx(getattr(other.state, name)[number], abs=1e-14)
    assert one.state.previous_spin[number] == pytest.approx(other.state.previous_spin[number], rel=1e-6)
    one.run(0.5)
    other.run(0.5)
    assert one.body("free").position == pytest.approx(other.body("free").position, abs=1e-5)
    assert np.array_equal(one.body("bar1").position, other.body("bar1").position)


def test_without_a_past_a_body_starts_anew_and_others_go_on() -> None:
    simulation = falling()
    with simulation.edit() as edit:
        edit.add_body("new", Box(1, 1, 1), mass=1.0, position=(9, 9, 9))
    assert simulation.state.history.tolist()[1:] == [1, 1, 1, 0]
    with pytest.raises(InputError, match="'bar0' is not one that this edit adds"), simulation.edit() as edit:
        edit.set_past("bar0", np.zeros(6), np.zeros(6))


def test_a_joint_that_takes_over_carries_what_the_one_before_did_and_nothing_starts_anew() -> None:
    simulation = falling()
    rows = simulation.state.force.copy()
    position = simulation.body("bar1").position - taut.spatial.rotate(simulation.body("bar1").orientation, (0.5, 0, 0))
    with simulation.edit(smooth=True) as edit:
        edit.remove_joint("joint1")
        edit.connect("bar0", "bar1", Spherical(), at=position, name="other")
        edit.set_force("other", rows[3:6])
    assert np.array_equal(simulation.state.force, rows) and simulation.state.history[1:].all()
    twin = falling()
    simulation.run(0.5)
    twin.run(0.5)
    assert simulation.body("bar1").position == pytest.approx(twin.body("bar1").position, abs=1e-6)
    with pytest.raises(InputError, match="force is 'much'"), simulation.edit() as edit:
        edit.set_force("other", "much")


def test_another_mass_keeps_the_velocity_and_another_velocity_the_place() -> None:
    simulation = falling()
    before, twist = momentum_of(simulation.stepper.mechanism, simulation.state), simulation.body("free").velocity
    with simulation.edit() as edit:
        edit.set_mass("free", 3.0)
    after = momentum_of(simulation.stepper.mechanism, simulation.state)
    assert np.array_equal(simulation.body("free").velocity, twist) and simulation.body("free").mass == 3.0
    assert after[0] - before[0] == pytest.approx(2.0 * twist, rel=1e-12)
    with simulation.edit() as edit:
        edit.set_velocity("free", (0, 0, 0), (0, 0, 1))
    assert not simulation.body("free").velocity.any() and simulation.body("free").angular_velocity[2] == 1.0
    with pytest.raises(InputError, match="mass is -1"), simulation.edit() as edit:
        edit.set_mass("free", -1)
    with pytest.raises(InputError, match="fixed"), simulation.edit() as edit:
        edit.set_velocity("world", (0, 0, 0), (0, 0, 1))


@pytest.mark.parametrize("integrator", ["bdf2", "low-damping"])
def test_another_inertia_scales_the_angular_momentum_of_the_past(integrator: str) -> None:
    simulation = falling(integrator=integrator)
    before = simulation.state
    numbers = [simulation.model.bodies.names.index(name) for name in ("bar1", "free")]
    with simulation.edit() as edit:
        edit.set_mass("bar1", 6.0)
        edit.set_mass("free", 3.0)
    after = simulation.state
    assert after.history[numbers].all() and np.array_equal(after.history, before.history)
    for name in ("spin", "slim_spin", "previous_spin", "previous_slim_spin"):
        old, new = getattr(before, name)[numbers], getattr(after, name)[numbers]
        assert new == pytest.approx(3.0 * old, rel=1e-5, abs=1e-5 * np.abs(old).max())
    steps = [state.older.reshape(-1, OLDER, STEP)[numbers] for state in (before, after)]
    spins = [each[..., 6:10] for each in steps]
    assert spins[1] == pytest.approx(3.0 * spins[0], rel=1e-5, abs=1e-5 * np.abs(spins[0]).max())
    assert spins[0].any() == (integrator == "low-damping")
    others = np.delete(steps[0], np.s_[6:10], axis=2), np.delete(steps[1], np.s_[6:10], axis=2)
    assert np.array_equal(*others)


def test_bodies_are_attached_as_they_are_and_detached() -> None:
    simulation = falling()
    with simulation.edit() as edit:
        edit.attach("bar0", "free", name="weld")
    apart = simulation.body("free").position - simulation.body("bar0").position
    simulation.run(0.2)
    now = simulation.body("free").position - simulation.body("bar0").position
    assert np.linalg.norm(now) == pytest.approx(np.linalg.norm(apart), rel=1e-6)
    with simulation.edit() as edit:
        edit.detach("bar0", "free")
    assert "weld" not in simulation.meter.names
    with pytest.raises(InputError, match="no joint or spring connects 'bar1' and 'free'"), simulation.edit() as edit:
        edit.detach("bar1", "free")
