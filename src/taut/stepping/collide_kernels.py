"""Kernels of `collide.py`: how far bodies may stray, which of them contacts hold, and which they connect."""

from __future__ import annotations

import math

import numpy as np

from taut.contact.table import ContactTable
from taut.kernel import kernel
from taut.stepping.settings import LINEARISATION
from taut.stepping.tables import Scratch, StepModel
from taut.structure.union_kernels import join, lowest
from taut.tables import Flags, RealRows, Wholes


@kernel()
def find_reach(m: StepModel, w: Scratch, velocity: RealRows, h: float) -> None:
    """How far points of bodies with velocities (n, 6) may stray in a step h.

    However far a body turns, its points get no farther than to the other side of it.

    Writes:  reach
    """
    g = m.bodies.gravity
    fall = h * h * math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
    for body in range(w.reach.shape[0]):
        v = velocity[body]
        speed = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        speed += min(math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5]), 2.0 / h) * m.bodies.extent[body]
        w.reach[body] = LINEARISATION.reach * speed * h + fall if m.bodies.moves[body] != 0 else 0.0


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
    moves, joined, holds = m.bodies.moves, m.links.joined, np.empty(c.gap.shape[0], np.uint8)
    parent = np.arange(joined.shape[0])
    for i in range(holds.shape[0]):
        a, b = c.body_a[i], c.body_b[i]
        holds[i] = 1 if c.start_force[i, 0] > 0.0 or c.gap[i] < 0.0 else 0
        if moves[a] != 0 and moves[b] != 0:
            join(parent, joined[a], joined[b])
    for body in range(joined.shape[0]):
        w.verdict.group[body] = lowest(parent, joined[body])
    hold_slim(w, slim, shape, c.body_a, c.body_b, holds)
