"""Energies, speeds and gaps of a simulation from poses and velocities alone: what stress and fuzz tests judge by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

import taut
from taut.spatial import matrix, rotate


def rotations(sim: taut.Simulation) -> np.ndarray:
    """World-from-body matrices (bodies, 3, 3)."""
    return np.array([matrix(each) for each in sim.state.orientation])


def kinetic_energy(sim: taut.Simulation) -> np.ndarray:
    """Kinetic energy of each body (bodies,), J; 0 of those that never move."""
    bodies, velocity = sim.model.bodies, sim.state.velocity
    inertia = bodies.inertia.reshape(-1, 3, 3)
    own = np.einsum("bji,bj->bi", rotations(sim), velocity[:, 3:])
    turning = np.einsum("bi,bij,bj->b", own, inertia, own)
    return np.where(bodies.moves > 0, 0.5 * (bodies.mass * (velocity[:, :3] ** 2).sum(axis=1) + turning), 0.0)


def energy_by_momentum(sim: taut.Simulation) -> np.ndarray:
    """Kinetic energy of each body (bodies,), J, with the turning of those without joints by their angular momentum.

    That is what a body in flight keeps. Its velocity is the one that its last step was solved with: where contacts
    turned it far in that step, it is another one than I(R)^-1 L, which it turns with from there.
    """
    bodies, state, free = sim.model.bodies, sim.state, sim.stepper.mechanism.links.jointed == 0
    own = np.einsum("bji,bj->bi", rotations(sim), state.spin)
    energy, moves = kinetic_energy(sim), (bodies.moves > 0) & free
    turning = np.linalg.solve(bodies.inertia.reshape(-1, 3, 3)[moves], own[moves][..., None])[..., 0]
    linear = bodies.mass[moves] * (state.velocity[moves, :3] ** 2).sum(axis=1)
    energy[moves] = 0.5 * (linear + (own[moves] * turning).sum(axis=1))
    return energy


def potential_energy(sim: taut.Simulation) -> float:
    """Energy of the moving bodies in the field of gravity, J."""
    weight = np.where(sim.model.bodies.moves > 0, sim.model.bodies.mass, 0.0)
    return -float(weight @ sim.state.position @ sim.model.gravity)


def axial_rates(sim: taut.Simulation, names: Iterable[str]) -> np.ndarray:
    """Rates at which these bodies turn about their own z axes (n,), rad/s."""
    index = [sim.model.bodies.names.index(name) for name in names]
    return np.einsum("bi,bi->b", sim.state.velocity[index, 3:], rotations(sim)[index, :, 2])


def is_finite(sim: taut.Simulation) -> bool:
    """Whether poses and velocities are numbers."""
    return all(np.isfinite(values).all() for values in (sim.state.position, sim.state.orientation, sim.state.velocity))


class Anchors:
    """Points that joints keep together, each remembered in the frames of its two bodies."""

    def __init__(self, sim: taut.Simulation, pairs: Iterable[tuple[str, str, Any]]) -> None:
        """`pairs` are body, body and the world point (3,) where they are joined now."""
        self.sim = sim
        self.points = [(a, self.own(a, at), b, self.own(b, at)) for a, b, at in pairs]

    def own(self, name: str, at: Any) -> np.ndarray:
        """A world point in a body's frame."""
        body = self.sim.body(name)
        return matrix(body.orientation).T @ (np.asarray(at, dtype=float) - body.position)

    def world(self, name: str, point: np.ndarray) -> np.ndarray:
        """A body's point in the world."""
        body = self.sim.body(name)
        return body.position + rotate(body.orientation, point)

    def gap(self) -> float:
        """Largest distance of two points that belong together, m."""
        gaps = [np.linalg.norm(self.world(a, p) - self.world(b, q)) for a, p, b, q in self.points]
        return float(max(gaps, default=0.0))
