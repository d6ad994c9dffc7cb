"""Energy and momentum of states and of groups of bodies; what a step made of them is judged in `energy_kernels.py`."""

from __future__ import annotations

import numpy as np

from taut.model.state import State
from taut.spatial import Array, Integers
from taut.stepping.mechanism import Mechanism
from taut.stepping.stepper import Stepper
from taut.tables import held

TINY = 1e-300
"""Keeps a quotient of two zeros finite."""


def unresolved_energy(stepper: Stepper, group: Integers) -> Array:
    """Energy (n,) of each group of bodies (n,) that moves by the tolerance in a frame, J: less is at rest."""
    mechanism, way = stepper.mechanism, stepper.settings.tolerance
    mass = np.where(mechanism.bodies.moves > 0, mechanism.bodies.mass, 0.0)
    energy = mechanism.links.weight * way + 0.5 * mass * (way / stepper.settings.step) ** 2
    return np.bincount(group, energy, minlength=group.size).astype(np.float64)


def body_kinetic(mechanism: Mechanism, state: State) -> Array:
    """Kinetic energy (n,), J."""
    mass = np.where(mechanism.bodies.moves > 0, mechanism.bodies.mass, 0.0)
    turning = np.einsum("bi,bi->b", state.velocity[:, 3:], state.spin) * (mass > 0.0)
    return np.asarray(0.5 * mass * (state.velocity[:, :3] ** 2).sum(axis=1) + 0.5 * turning)


def body_energy(mechanism: Mechanism, state: State) -> Array:
    """Kinetic and potential energy (n,), J."""
    mass = np.where(mechanism.bodies.moves > 0, mechanism.bodies.mass, 0.0)
    return body_kinetic(mechanism, state) - mass * (state.position @ mechanism.bodies.gravity)


def spring_energies(stepper: Stepper, state: State) -> Array:
    """Energy (n,) in the springs of a state, by the first moving body of each, J."""
    laws, value = stepper.mechanism.laws, stepper.measure(state).value
    return np.bincount(
        stepper.mechanism.links.row_body, stored_energy(stepper.mechanism, state, state.target, value),
        minlength=stepper.mechanism.count,
    ).astype(np.float64) * (laws.kind.size > 0)  # fmt: skip


def stored_energy(mechanism: Mechanism, state: State, target: Array, value: Array) -> Array:
    """Energy (rows,) of the springs of a state if these were their targets (rows,) and measures (rows,), 0 for other
    rows, J."""
    return stored_and_sum(mechanism, state, target, value)[0]


def stored_and_sum(mechanism: Mechanism, state: State, target: Array, value: Array) -> tuple[Array, float]:
    """The same, and the sum as a step adds it up."""
    from taut.rows.law_kernels import spring_energy

    laws, energy = mechanism.laws, np.empty(mechanism.row_count)
    curves = held(mechanism.curves)
    own = np.ascontiguousarray(value[: mechanism.row_count])
    stiffness = laws.stiffness * state.firmness
    total = spring_energy(curves, laws.spring, laws.kind, target, stiffness, state.force_limits, own, energy)
    return energy, float(total)


def energy_of(stepper: Stepper, state: State) -> float:
    """Energy of a state, J; summed up as a step does, to the bit."""
    return energy_with(stepper, state, stepper.measure(state).value)


def energy_with(stepper: Stepper, state: State, value: Array) -> float:
    """The same where the measures of its rows (rows,) are known."""
    _, springs = stored_and_sum(stepper.mechanism, state, state.target, value)
    return float(mechanical_of(stepper.mechanism, state)[:2].sum() + springs)


def momentum_of(mechanism: Mechanism, state: State) -> Array:
    """Linear (kg m/s) and angular momentum about the origin (kg m^2/s), (2, 3)."""
    return mechanical_of(mechanism, state)[2:].reshape(2, 3)


def mechanical_of(mechanism: Mechanism, state: State) -> Array:
    """Kinetic and potential energy (J) and the two momenta of a state, (8,)."""
    from taut.integrators.motion_kernels import mechanical_state
    from taut.stepping.flight_kernels import add_free_turning

    bodies, mechanical = mechanism.bodies, np.zeros(8)
    mechanical_state(bodies.moves, bodies.mass, bodies.gravity, state.position, state.velocity, state.spin, mechanical)
    add_free_turning(
        bodies.moves, mechanism.links.jointed, bodies.inertia, state.orientation, state.velocity, state.spin, mechanical
    )
    return mechanical


def drift_of(stepper: Stepper, velocity: Array, touched: Integers) -> tuple[Array, Array]:
    """Velocities (n, 6) of the centres of mass of floating groups, 0 for others, and their energy (n,), J.

    Groups float that joints connect to nothing fixed and that contacts do not touch: no joint can change their drift.
    """
    label, drift = stepper.mechanism.held.copy(), np.zeros_like(velocity)
    label[np.isin(label, label[touched])] = 0
    mass = np.where(label > 0, stepper.mechanism.bodies.mass, 0.0)
    total = np.maximum(np.bincount(label, mass), TINY)
    for axis in range(3):
        drift[:, axis] = (np.bincount(label, mass * velocity[:, axis]) / total)[label]
    return drift, 0.5 * mass * (drift**2).sum(axis=1)
