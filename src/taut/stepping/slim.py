"""Which bodies count as slim while they step: those whose momentum is balanced along their axis in body axes.

See `taut.responses.free_bodies_kernels.balance`. That is for bodies that swing about rows, and whose least moment the
scheme's error in L would spin up. It costs accuracy where a body tumbles: a . L then changes all the time, while L
changes by torques alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.model.compile import find_slim
from taut.stepping.mechanism import Mechanism

NEEDLE = 0.1
"""Least over middle moment of inertia below which a body that turns freely is slim for schemes that look back far."""


def slim_bodies(mechanism: Mechanism, depth: int) -> NDArray[np.uint8]:
    """Flags (n,) of slim bodies that rows hold, for a scheme that looks back on up to so many steps.

    Schemes that look back far lead bodies whose turning no row holds by their momentum, all of it, see
    `taut.stepping.turning_kernels`. So of these only needles are slim.
    """
    if depth <= 1 or not mechanism.slim.any():
        return mechanism.slim
    bodies, parts = mechanism.bodies, mechanism.parts
    held = np.zeros(mechanism.count, np.uint8)
    for part in (parts.directions, parts.orientations):
        held[part.body_a], held[part.body_b] = 1, 1
    return np.asarray(mechanism.slim & (held | find_slim(bodies.inertia, bodies.moves, NEEDLE)))
