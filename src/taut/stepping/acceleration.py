"""Anderson's acceleration of linearisations that converge slowly: where to make the next one.

A linearisation at x_k = (v_k, f_k) leads to g_k = (v+, f+). Of some rows the geometric stiffness is left out in part,
see `Part.whole_stiffness`. Where forces are large against inertia, the way r_k that is left then shrinks by the same
share each time, or grows. How it changed over the last few linearisations tells where it vanishes:

        r_k = beta (v+ - v_k),     c = argmin |r_k - sum_j c_j (r_j+1 - r_j)|,     x_k+1 = g_k - sum_j c_j (g_j+1 - g_j)

It ends where the plain iteration would: it chooses where to linearise, and the solve there is judged like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from taut.spatial import Array
from taut.stepping.settings import LINEARISATION


@dataclass(eq=False)
class Memory:
    """Ways r (bodies, 6) in m and rad, and the velocities (bodies, 6) and forces (rows,) that they led to."""

    ways: list[Array] = field(default_factory=list)
    velocities: list[Array] = field(default_factory=list)
    forces: list[Array] = field(default_factory=list)

    def forget(self) -> None:
        """Start anew: the way was cut short, or rows have changed."""
        self.ways, self.velocities, self.forces = [], [], []

    def follow(self, way: Array, velocity: Array, force: Array) -> tuple[Array, Array]:
        """Velocities and forces at which to linearise next, after a linearisation that went this way to these."""
        for kept, new in ((self.ways, way), (self.velocities, velocity), (self.forces, force)):
            kept.append(new)
            del kept[: -LINEARISATION.looked_back - 1]
        ways = np.array(self.ways).reshape(len(self.ways), -1)
        if len(ways) == 1 or not np.isfinite(ways).all():
            return velocity, force
        share = np.linalg.lstsq(np.diff(ways, axis=0).T, ways[-1], rcond=LINEARISATION.alike)[0]
        back = (np.tensordot(share, np.diff(np.array(kept), axis=0), 1) for kept in (self.velocities, self.forces))
        return velocity - next(back), force - next(back)
