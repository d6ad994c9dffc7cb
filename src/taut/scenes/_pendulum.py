"""The closed form that swinging scenes are checked against."""

from __future__ import annotations

import numpy as np

from taut.spatial import Array


def pendulum_angle(time: Array, start: float, length: float, gravity: float = 9.81) -> Array:
    """Angle (frames,) from the vertical, rad, of a pendulum released at rest at t = 0.

    sin(theta/2) = k cd(omega t, k^2) with k = sin(start/2), omega = sqrt(g/length), cd = cn/dn (Jacobi).

    Args:
        time: (frames,) s.
        start: angle at t = 0, rad, below pi.
        length: of the equivalent point pendulum, m.
        gravity: m/s^2.
    """
    from scipy.special import ellipj

    k = np.sin(0.5 * start)
    _, cosine, delta, _ = ellipj(np.sqrt(gravity / length) * time, k * k)
    return 2.0 * np.arcsin(k * cosine / delta)
