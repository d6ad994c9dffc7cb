"""Blows within a step: while they are gathered, and what the step starts from after them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from taut.contact.memory import ContactMemory, with_blows
from taut.contact.rows import ContactSet
from taut.model.state import State
from taut.problem.solution import AT_LOWER
from taut.spatial import Array
from taut.stepping.stepper import Stepper


@dataclass(eq=False)
class Bounces:
    """The impacts of a step.

    Attributes:
        state: what the step starts from instead.
        memory: the contacts that bounced, with their blows.
        lead: (n, 6) by how much Euler's formula errs for free bodies, which the state makes up for, m and rad.
        struck: (n,) bodies whose velocities jumped.
        velocity: (n, 6) on the path after the blows where the step starts, for the next one to look back on.
        gain: (n,) energy of bodies in that state beyond what they had, springs by the first body of each, J.
    """

    state: State
    memory: ContactMemory
    lead: Array
    struck: NDArray[np.bool_]
    velocity: Array
    gain: Array

    def complete(self, stepper: Stepper, after: State, whole: bool) -> State:
        """The state at the end of the step, with the blows; after a `whole` frame the next may look back on it."""
        return replace(
            after,
            displacement=after.displacement + self.lead,
            previous_velocity=self.velocity,
            history=after.history if whole else np.where(self.struck, 0, after.history).astype(np.uint8),
            contacts=with_blows(after.contacts, self.memory, stepper.mechanism.geoms.radius),
        )


@dataclass(eq=False)
class Blows:
    """Impacts of a step while they are gathered.

    Attributes:
        contacts: that may bounce.
        impulse, normal, point: (k, 3) of the contacts, on B, N s, and where they hit last.
        time: (n,) when bodies were struck last, s.
        spin: (n, 3) change of angular momentum, kg m^2/s.
        passes: passes of impacts.
    """

    contacts: ContactSet
    impulse: Array
    normal: Array
    point: Array
    time: Array
    spin: Array
    passes: int = 0

    def memory(self) -> ContactMemory:
        """The contacts that bounced."""
        acted, table = np.flatnonzero(self.impulse.any(axis=1)), self.contacts.table
        zeros = np.zeros((acted.size, 6))
        return ContactMemory(
            contacts=self.contacts.found.take(acted), force=zeros, label=np.full((acted.size, 6), AT_LOWER),
            normal=self.normal[acted], tangent=table.tangent[acted], point=self.point[acted],
            gap=table.start_gap[acted], aim=zeros[:, 0], blow=self.impulse[acted], slip=zeros[:, :3],
        )  # fmt: skip
