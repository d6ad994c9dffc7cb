"""How bodies turn that joints hold by points only, such as tops: so that their momentum is that of where they end.

A solve balances momentum with the inertia of where it was linearised, L = I(R_k) omega+, and then moves on to R+. What
spins fast and wobbles has turned its inertia on the way, and I(R+) omega+ is another momentum. No row sees that, and
the wobble grows by it. So these bodies end where their momentum leads them. Where that opens joints, rows are off, and
the step is linearised again.

Of slim bodies only the part of L across their axis a is taken as it is. A tilt by epsilon would change the part along a
by epsilon |L|, and the spin by that over the least moment of inertia. That part is the one that was balanced in body
axes, see `taut.responses.free_bodies_kernels.balance`, with a . (L x omega) of where the body ends.
"""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.spatial_kernels import rotation_matrices, times, turn, turn_tensor
from taut.stepping.settings import CORRECTION
from taut.stepping.tables import Scratch, StateTable, StepModel
from taut.stepping.tree_kernels import turns_with_history
from taut.table_types import matrix, vector
from taut.tables import Flags, RealRows, Reals


@kernel(inner=True)
def miss_momentum(
    inertia: Reals, axis: Reals, start: Reals, drift: Reals, beta: float, rate: Reals, goal: Reals,
    orientation_out: RealRows, miss_out: Reals,
) -> None:  # fmt: skip
    """Where a rate leads a body by the formula of a scheme, and by how much its momentum misses its goal there.

        F = I(R) omega - L + a (a . L - along),   along = goal[3] + goal[4] a . (I(R) omega x omega)    of slim bodies
        R = exp(drift dX + beta omega) R_n

    Shapes:  inertia (9,) and axis (3,) in body axes, the axis of others is zero; start (4,) is R_n; drift (3,) is the
             past's part of the turn, rad; rate (3,); goal (5,): L (3,), along, h / alpha; orientation_out (1, 4)
    Writes:  orientation_out, miss_out (3,)
    """
    rotation, tensor = matrix(1, 9), vector(9)
    x, y, z = rate[0], rate[1], rate[2]
    turn(start, drift[0] + beta * x, drift[1] + beta * y, drift[2] + beta * z, orientation_out[0])
    rotation_matrices(orientation_out, rotation)
    turn_tensor(rotation[0], inertia, tensor)
    p, q, s = times(tensor, rate)
    miss_out[0], miss_out[1], miss_out[2] = p - goal[0], q - goal[1], s - goal[2]
    i, j, k = times(rotation[0], axis)
    if i * i + j * j + k * k > 0.0:
        swing = i * (q * z - s * y) + j * (s * x - p * z) + k * (p * y - q * x)
        along = i * goal[0] + j * goal[1] + k * goal[2] - goal[3] - goal[4] * swing
        miss_out[0] += i * along
        miss_out[1] += j * along
        miss_out[2] += k * along


@kernel(inner=True)
def solve_three(a: Reals, b: Reals, x_out: Reals) -> int:
    """Solve a 3 x 3 system a x = b by Cramer's rule.

    Writes:  x_out (3,)
    Returns: 0 if it is singular, else 1
    """
    c0, c1, c2 = a[4] * a[8] - a[5] * a[7], a[5] * a[6] - a[3] * a[8], a[3] * a[7] - a[4] * a[6]
    size = a[0] * c0 + a[1] * c1 + a[2] * c2
    if not abs(size) > 0.0:
        return 0
    x_out[0] = (c0 * b[0] + (a[2] * a[7] - a[1] * a[8]) * b[1] + (a[1] * a[5] - a[2] * a[4]) * b[2]) / size
    x_out[1] = (c1 * b[0] + (a[0] * a[8] - a[2] * a[6]) * b[1] + (a[2] * a[3] - a[0] * a[5]) * b[2]) / size
    x_out[2] = (c2 * b[0] + (a[1] * a[6] - a[0] * a[7]) * b[1] + (a[0] * a[4] - a[1] * a[3]) * b[2]) / size
    return 1


@kernel(apart=True)
def turn_by_momentum(
    inertia: Reals, axis: Reals, start: Reals, drift: Reals, beta: float, goal: Reals, rate: Reals,
    orientation_out: RealRows,
) -> int:  # fmt: skip
    """Where its momentum leads a body by the formula of a scheme, F = 0, see `miss_momentum`, by Newton's method.

    Writes:  rate (3,), a guess on entry; orientation_out
    Returns: 1 if it was found, else 0
    """
    miss, there, change = vector(3), vector(3), vector(3)
    slope, step = vector(9), CORRECTION.turning_step / beta
    for _ in range(CORRECTION.turning_passes):
        miss_momentum(inertia, axis, start, drift, beta, rate, goal, orientation_out, miss)
        for j in range(3):
            kept = rate[j]
            rate[j] = kept + step
            miss_momentum(inertia, axis, start, drift, beta, rate, goal, orientation_out, there)
            rate[j] = kept
            for i in range(3):
                slope[3 * i + j] = (there[i] - miss[i]) / step
        if solve_three(slope, miss, change) == 0:
            return 0
        size, whole = 0.0, 0.0
        for i in range(3):
            rate[i] -= change[i]
            size += (beta * change[i]) ** 2
            whole += (drift[i] + beta * rate[i]) ** 2
        if not whole < CORRECTION.half_turn**2:
            return 0
        if size < CORRECTION.turned**2:
            miss_momentum(inertia, axis, start, drift, beta, rate, goal, orientation_out, miss)
            return 1
    return 0


@kernel(inner=True)
def find_free_turning(m: StepModel, w: Scratch, free_out: Flags) -> int:
    """Mark bodies (n,) that look back far and whose turning no row holds.

    Writes:  free_out
    Returns: how many there are
    """
    count = 0
    for body in range(free_out.shape[0]):
        free_out[body] = turns_with_history(m, w, body) if w.weights.level[body] > 1 else 0
    for i in range(m.parts.directions.body_a.shape[0]):
        free_out[m.parts.directions.body_a[i]], free_out[m.parts.directions.body_b[i]] = 0, 0
    for i in range(m.parts.orientations.body_a.shape[0]):
        free_out[m.parts.orientations.body_a[i]], free_out[m.parts.orientations.body_b[i]] = 0, 0
    for body in range(free_out.shape[0]):
        count += free_out[body]
    return count


@kernel(inner=True)
def lead(m: StepModel, w: Scratch, body: int, goal: Reals, rate: Reals) -> int:
    """Put a body where its momentum leads it; where that is not found, leave it.

    Writes:  rate, a guess of omega on entry; places
    Returns: 1 if it was found, else 0
    """
    drift, axis, orientation = vector(3), vector(3), matrix(1, 4)
    for i in range(3):
        drift[i] = w.weights.drift[body] * w.past.displacement[body, 3 + i]
        axis[i] = m.bodies.slim_axis[body, i] if w.candidate.slim[body] != 0 else 0.0
    start, beta = w.past.orientation[body], w.weights.beta[body]
    if turn_by_momentum(m.bodies.inertia[body], axis, start, drift, beta, goal, rate, orientation) == 0:
        return 0
    for i in range(4):
        w.places.orientation[body, i] = orientation[0, i]
    rotation_matrices(orientation, w.places.rotation[body : body + 1])
    return 1


@kernel(apart=True, allocates=True)
def guess_by_momenta(m: StepModel, s: StateTable, w: Scratch) -> None:
    """Predict bodies that turn freely and are not slim by their extrapolated momentum, in full.

    Writes:  guess of the candidate, places
    """
    free, goal, rate = np.empty(m.bodies.moves.shape[0], np.uint8), vector(5), vector(3)
    if find_free_turning(m, w, free) == 0:
        return
    for body in range(free.shape[0]):
        if free[body] != 0 and w.candidate.slim[body] == 0:
            now, before = w.weights.guess_now[body], w.weights.guess_before[body]
            for i in range(3):
                rate[i] = w.candidate.guess[body, 3 + i]
                goal[i] = now * s.spin[body, i] + before * w.past.spin[body, i]
            if lead(m, w, body, goal, rate) != 0:
                for i in range(3):
                    w.candidate.guess[body, 3 + i] = rate[i]


@kernel(inner=True)
def balanced_momentum(m: StepModel, w: Scratch, body: int, goal_out: Reals) -> None:
    """The momentum I(R_k) omega+ that a solve balanced; of slim bodies that along their axis too, see `miss_momentum`.

    Writes:  goal_out (5,)
    """
    v, u, tensor, g = w.candidate.velocity[body, 3:], w.candidate.guess[body, 3:], w.candidate.inertia[body], goal_out
    g[0], g[1], g[2] = times(tensor, v)
    if w.candidate.slim[body] != 0:
        share = w.weights.h[0] / w.weights.alpha[body]
        p, q, s = times(tensor, u)
        i, j, k = times(w.base.rotation[body], m.bodies.slim_axis[body])
        swing = i * (q * u[2] - s * u[1]) + j * (s * u[0] - p * u[2]) + k * (p * u[1] - q * u[0])
        g[3], g[4] = i * g[0] + j * g[1] + k * g[2] - share * swing, share


@kernel(apart=True, allocates=True)
def lead_by_momenta(m: StepModel, w: Scratch, led_out: Reals) -> None:
    """Put bodies that turn freely where the momentum leads them that was balanced.

    Writes:  places; led_out (bodies,), 1 for those, else 0
    """
    free, goal, rate = np.empty(m.bodies.moves.shape[0], np.uint8), vector(5), vector(3)
    for body in range(free.shape[0]):
        led_out[body] = 0.0
    if find_free_turning(m, w, free) == 0:
        return
    for body in range(free.shape[0]):
        if free[body] != 0:
            for i in range(3):
                rate[i] = w.candidate.velocity[body, 3 + i]
            balanced_momentum(m, w, body, goal)
            led_out[body] = lead(m, w, body, goal, rate)
