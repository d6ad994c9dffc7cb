"""The hanging chain by the articulated-body algorithm of Pinocchio, with as many substeps as it needs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from taut.benchmarks._clock import Stopwatch
from taut.scenes._chain import LINK, LINK_MASS, LOAD_EDGE, direction
from taut.shapes import Box
from taut.spatial import Array


class ArticulatedChain:
    """The chain of `taut.scenes.hanging_chain` in joint coordinates, stepped by semi-implicit Euler.

    Args:
        links: number of rods.
        load: mass of the cube, kg.
        substeps: steps a frame of 1/60 s.
    """

    def __init__(self, links: int, load: float, substeps: int) -> None:
        import pinocchio

        self.model = chain_model(pinocchio, links, load)
        self.workspace = self.model.createData()
        self.dynamics: Callable[..., Array] = pinocchio.aba
        self.integrate: Callable[..., Array] = pinocchio.integrate
        self.place: Callable[..., None] = pinocchio.forwardKinematics
        self.substeps, self.h = substeps, 1 / 60 / substeps
        self.position, self.velocity = pinocchio.neutral(self.model), np.zeros(self.model.nv)
        self.torque = np.zeros(self.model.nv)

    def frame(self) -> None:
        """Advance by 1/60 s."""
        for _ in range(self.substeps):
            self.velocity += self.h * self.dynamics(
                self.model, self.workspace, self.position, self.velocity, self.torque
            )
            self.position = self.integrate(self.model, self.position, self.h * self.velocity)

    def measure(self) -> dict[str, float]:
        """Seconds of a frame."""
        watch = Stopwatch()
        self.frame()
        watch.lap("frame")
        return watch.seconds

    def load_position(self) -> Array:
        """Centre (3,) of the cube, m; not a number once the chain has come apart."""
        if not np.isfinite(self.position).all():
            return np.full(3, np.nan)
        self.place(self.model, self.workspace, self.position)
        cube = self.workspace.oMi[self.model.njoints - 1]
        return np.asarray(cube.act(np.array([0.0, 0.0, 0.5 * LOAD_EDGE])))


def chain_model(pinocchio: Any, links: int, load: float) -> Any:
    """Rods with ball joints in a line 30 degrees below the horizontal, and the cube; z runs along the chain."""
    model = pinocchio.Model()
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    turn = pinocchio.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), direction(-30.0))
    place, parent = pinocchio.SE3(turn.matrix(), np.zeros(3)), 0
    cube = Box(LOAD_EDGE, LOAD_EDGE, LOAD_EDGE)
    bodies = [(LINK_MASS, LINK.length, LINK.inertia(LINK_MASS))] * links + [(load, LOAD_EDGE, cube.inertia(load))]
    for number, (mass, length, inertia) in enumerate(bodies):
        parent = model.addJoint(parent, pinocchio.JointModelSpherical(), place, f"ball-{number + 1}")
        middle = np.array([0.0, 0.0, 0.5 * length])
        model.appendBodyToJoint(parent, pinocchio.Inertia(mass, middle, inertia), pinocchio.SE3.Identity())
        place = pinocchio.SE3(np.eye(3), np.array([0.0, 0.0, length]))
    return model


def has_pinocchio() -> bool:
    """Whether Pinocchio is installed."""
    return importlib.util.find_spec("pinocchio") is not None
