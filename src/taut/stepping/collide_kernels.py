"""Kernels of `collide.py`: how far bodies may stray, which of them contacts hold, and which they connect."""

from __future__ import annotations

import math

import numpy as np

from taut.contact.table import ContactTable
from taut.kernel import kernel
from taut.model.groups_kernels import join, lowest
from taut.stepping.settings import LINEARISATION
from taut.stepping.tables import Scratch, StepModel
from taut.tables import Flags, RealRows, Wholes


@kernel()
def find_reach(m: StepModel, w: Scratch, velocity: RealRows, h: float) -> None:
    """How far points of bodies with velocities (n, 6) may stray in a step h.

    Writes:  reach
    """
    moves, extent, gravity, reach = m.bodies.moves, m.bodies.extent, m.bodies.gravity, w.reach
    fall = h * h * math.sqrt(gravity[0] * gravity[0] + gravity[1] * gravity[1] + gravity[2] * gravity[2])
    for body in range(reach.shape[0]):
        v = velocity[body]
        speed = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        speed += math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) * extent[body]
        reach[body] = LINEARISATION.reach * speed * h + fall if moves[body] != 0 else 0.0


@kernel()
def hold_slim(w: Scratch, slim: Flags, shape: Flags, body_a: Wholes, body_b: Wholes, holds: Flags) -> None:
    """Mark slim bodies that joints hold (n,), and of all of slim `shape` (n,) those that contacts hold.

    Writes:  slim of the candidate
    """
    out = w.candidate.slim
    for body in range(out.shape[0]):
        out[body] = slim[body]
    for i in range(holds.shape[0]):
        if holds[i] != 0:
            a, b = body_a[i], body_b[i]
            out[a], out[b] = out[a] | shape[a], out[b] | shape[b]


@kernel(allocates=True)
def meet(m: StepModel, w: Scratch, c: ContactTable, slim: Flags, shape: Flags) -> None:
    """Groups of bodies that joints or contacts connect, by their lowest body; and slim bodies that contacts hold.

    Contacts hold that carried a force, or overlap.

    Writes:  group of the verdict, slim of the candidate
    """
    body_a, body_b, start_force, gap, moves = c.body_a, c.body_b, c.start_force, c.gap, m.bodies.moves
    group, joined, holds = w.verdict.group, m.links.joined, np.empty(gap.shape[0], np.uint8)
    parent = np.empty(group.shape[0], np.int64)
    for body in range(parent.shape[0]):
        parent[body] = body
    for i in range(gap.shape[0]):
        a, b = body_a[i], body_b[i]
        holds[i] = 1 if start_force[i, 0] > 0.0 or gap[i] < 0.0 else 0
        if moves[a] != 0 and moves[b] != 0:
            join(parent, joined[a], joined[b])
    for body in range(group.shape[0]):
        group[body] = lowest(parent, joined[body])
    hold_slim(w, slim, shape, body_a, body_b, holds)
