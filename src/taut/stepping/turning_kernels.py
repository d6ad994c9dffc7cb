"""How bodies turn that joints hold by points only, such as tops: so that their momentum is that of where they end.

A solve balances momentum with the inertia of where it was linearised, L = I(R_k) omega+, and then moves on to R+. What
spins fast and wobbles has turned its inertia on the way, and I(R+) omega+ is another momentum. No row sees that, and
the wobble grows by it. So these bodies end where their momentum leads them. Where that opens joints, rows are off, and
the step is linearised again.
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
def cross_matrix(v: Reals, matrix_out: Reals) -> None:
    """The matrix [v] with [v] x = v cross x.

    Writes:  matrix_out (9,)
    """
    for i in range(9):
        matrix_out[i] = 0.0
    matrix_out[1], matrix_out[2], matrix_out[5] = -v[2], v[1], -v[0]
    matrix_out[3], matrix_out[6], matrix_out[7] = v[2], -v[1], v[0]


@kernel(inner=True)
def multiply(left: Reals, right: Reals, product_out: Reals) -> None:
    """Product of two 3 x 3 matrices.

    Writes:  product_out (9,)
    """
    for i in range(3):
        for j in range(3):
            value = 0.0
            for k in range(3):
                value += left[3 * i + k] * right[3 * k + j]
            product_out[3 * i + j] = value


@kernel(inner=True)
def change_of_momentum(tensor: Reals, rate: Reals, momentum: Reals, theta: Reals, beta: float, out: Reals) -> None:
    """How I(R) omega changes with omega, where R is turned to by theta = drift dX + beta omega.

        d(I omega) = (I + ([omega_I] - [I omega]) beta D) d omega,   [omega_I] = I [omega],   D = d(turn) / d(theta)

    Of D the first three terms of its series are used, which the iteration forgives.

    Writes:  out (9,)
    """
    one, two, way = vector(9), vector(9), vector(9)
    cross_matrix(theta, one)
    multiply(one, one, way)
    for i in range(9):
        way[i] = beta * (one[i] / 2.0 + way[i] / 6.0)
    for i in range(3):
        way[4 * i] += beta
    cross_matrix(rate, one)
    multiply(tensor, one, two)
    cross_matrix(momentum, one)
    for i in range(9):
        two[i] -= one[i]
    multiply(two, way, out)
    for i in range(9):
        out[i] += tensor[i]


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
    inertia: Reals, start: Reals, drift: Reals, beta: float, momentum: Reals, rate: Reals, orientation_out: RealRows
) -> int:
    """Where an angular momentum L in world axes leads a body by the formula of a scheme, by Newton's method.

        I(R) omega = L,     R = exp(drift dX + beta omega) R_n

    Shapes:  inertia (9,) body axes; start (4,) of R_n; drift (3,) the past's part of the turn, rad; momentum (3,);
             rate (3,) a guess of omega; orientation_out (1, 4)
    Writes:  rate, orientation_out
    Returns: 1 if it was found, else 0
    """
    theta, here, off, change = vector(3), vector(3), vector(3), vector(3)
    rotation, tensor, slope = matrix(1, 9), vector(9), vector(9)
    for _ in range(CORRECTION.turning_passes):
        for i in range(3):
            theta[i] = drift[i] + beta * rate[i]
        turn(start, theta[0], theta[1], theta[2], orientation_out[0])
        rotation_matrices(orientation_out, rotation)
        turn_tensor(rotation[0], inertia, tensor)
        here[0], here[1], here[2] = times(tensor, rate)
        for i in range(3):
            off[i] = momentum[i] - here[i]
        change_of_momentum(tensor, rate, here, theta, beta, slope)
        if solve_three(slope, off, change) == 0:
            return 0
        size, whole = 0.0, 0.0
        for i in range(3):
            rate[i] += change[i]
            theta[i] = drift[i] + beta * rate[i]
            size += (beta * change[i]) ** 2
            whole += theta[i] ** 2
        if not whole < CORRECTION.half_turn**2:
            return 0
        if size < CORRECTION.turned**2:
            turn(start, theta[0], theta[1], theta[2], orientation_out[0])
            return 1
    return 0


@kernel(inner=True)
def is_top(m: StepModel, s: StateTable, body: int) -> int:
    """1 for a needle more of whose turning energy is about its axis a than across it: 2 (L a) (omega a) > L omega.

    The momentum of a needle that swings says nothing of its spin, which is small beside it. One that spins is a top
    like any other.
    """
    rotation, q, v = matrix(1, 9), s.spin[body], s.velocity[body]
    rotation_matrices(s.orientation[body : body + 1], rotation)
    x, y, z = times(rotation[0], m.bodies.slim_axis[body])
    about = s.slim_spin[body] * (x * v[3] + y * v[4] + z * v[5])
    return 1 if 2.0 * about > q[0] * v[3] + q[1] * v[4] + q[2] * v[5] else 0


@kernel(inner=True)
def find_free_turning(m: StepModel, w: Scratch, free_out: Flags) -> int:
    """Mark bodies (n,) that look back far and whose turning no row holds.

    Writes:  free_out
    Returns: how many there are
    """
    count = 0
    for body in range(free_out.shape[0]):
        free_out[body] = turns_with_history(m, w, body)
    for i in range(m.parts.directions.body_a.shape[0]):
        free_out[m.parts.directions.body_a[i]], free_out[m.parts.directions.body_b[i]] = 0, 0
    for i in range(m.parts.orientations.body_a.shape[0]):
        free_out[m.parts.orientations.body_a[i]], free_out[m.parts.orientations.body_b[i]] = 0, 0
    for body in range(free_out.shape[0]):
        count += free_out[body]
    return count


@kernel(inner=True)
def lead(m: StepModel, w: Scratch, body: int, momentum: Reals, rate: Reals) -> int:
    """Put a body where its angular momentum leads it; where that is not found, leave it.

    Writes:  rate, a guess of omega on entry; places
    Returns: 1 if it was found, else 0
    """
    drift, orientation = vector(3), matrix(1, 4)
    for i in range(3):
        drift[i] = w.weights.drift[body] * w.past.displacement[body, 3 + i]
    found = turn_by_momentum(
        m.bodies.inertia[body], w.past.orientation[body], drift, w.weights.beta[body], momentum, rate, orientation
    )
    if found != 0:
        for i in range(4):
            w.places.orientation[body, i] = orientation[0, i]
        rotation_matrices(orientation, w.places.rotation[body : body + 1])
    return found


@kernel(apart=True, allocates=True)
def guess_by_momenta(m: StepModel, s: StateTable, w: Scratch) -> None:
    """Predict bodies that turn freely by their extrapolated momentum, in full; needles only where they are tops.

    Writes:  guess of the candidate, slim of the candidate for tops, places
    """
    free, momentum, rate = np.empty(m.bodies.moves.shape[0], np.uint8), vector(3), vector(3)
    if find_free_turning(m, w, free) == 0:
        return
    for body in range(free.shape[0]):
        if free[body] != 0 and is_top(m, s, body) != 0:
            w.candidate.slim[body] = 0
        if free[body] != 0 and w.candidate.slim[body] == 0:
            now, before = w.weights.guess_now[body], w.weights.guess_before[body]
            for i in range(3):
                rate[i] = w.candidate.guess[body, 3 + i]
                momentum[i] = now * s.spin[body, i] + before * w.past.spin[body, i]
            if lead(m, w, body, momentum, rate) != 0:
                for i in range(3):
                    w.candidate.guess[body, 3 + i] = rate[i]


@kernel(apart=True, allocates=True)
def lead_by_momenta(m: StepModel, w: Scratch) -> None:
    """Put bodies that turn freely, but for needles, where the momentum leads them that was balanced, I(R_k) omega+.

    Writes:  places
    """
    free, momentum, rate = np.empty(m.bodies.moves.shape[0], np.uint8), vector(3), vector(3)
    if find_free_turning(m, w, free) == 0:
        return
    for body in range(free.shape[0]):
        if free[body] != 0 and w.candidate.slim[body] == 0:
            for i in range(3):
                rate[i] = w.candidate.velocity[body, 3 + i]
            momentum[0], momentum[1], momentum[2] = times(w.candidate.inertia[body], rate)
            lead(m, w, body, momentum, rate)
