"""How bodies turn that nothing holds: as their angular momentum has it, in steps of Runge and Kutta's method."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.spatial_kernels import invert_spd, rotation_matrices, times, turn_tensor
from taut.stepping.settings import IMPACTS
from taut.stepping.tables import Scratch, StateTable, StepModel
from taut.table_types import vector
from taut.tables import Flags, RealRows, Reals


@kernel(inner=True)
def turning_rate(inverse: Reals, orientation: Reals, spin: Reals, rate_out: Reals) -> float:
    """Rate of an orientation q, of any length, with an angular momentum L in world axes.

        dq/dt = q (0, I^-1 R^T L) / 2        with `inverse` (9,) = I^-1 in body axes

    Writes:  rate_out (4,)
    Returns: the angular speed, rad/s
    """
    q, size = orientation, 0.0
    for i in range(4):
        size += q[i] * q[i]
    size = 1.0 / math.sqrt(size)
    w, x, y, z = size * q[0], size * q[1], size * q[2], size * q[3]
    a, b, c = spin[0], spin[1], spin[2]
    i, j, k = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    a, b, c = a + w * i + j * z - k * y, b + w * j + k * x - i * z, c + w * k + i * y - j * x
    i = inverse[0] * a + inverse[1] * b + inverse[2] * c
    j = inverse[3] * a + inverse[4] * b + inverse[5] * c
    k = inverse[6] * a + inverse[7] * b + inverse[8] * c
    rate_out[0] = -0.5 * (x * i + y * j + z * k)
    rate_out[1] = 0.5 * (w * i + y * k - z * j)
    rate_out[2] = 0.5 * (w * j + z * i - x * k)
    rate_out[3] = 0.5 * (w * k + x * j - y * i)
    return math.sqrt(i * i + j * j + k * k)


@kernel(apart=True)
def turning_energy(inertia: Reals, orientation: Reals, spin: Reals) -> float:
    """Energy of a body that turns as its angular momentum L has it: L I(R)^-1 L / 2, J.

    Where contacts turn a body away from the axes that its momentum was balanced in, L omega / 2 is another one, and in
    flight the next step would seem to gain or lose the difference.
    """
    inverse, rate = vector(9), vector(4)
    invert_spd(inertia, inverse)
    turning_rate(inverse, orientation, spin, rate)
    w, x, y, z = orientation[0], orientation[1], orientation[2], orientation[3]
    a, b, c, d = rate[0], rate[1], rate[2], rate[3]
    # omega = 2 (dq/dt) q*, in world axes
    i, j, k = w * b - a * x - c * z + d * y, w * c - a * y - d * x + b * z, w * d - a * z - b * y + c * x
    return float(i * spin[0] + j * spin[1] + k * spin[2])


@kernel(apart=True)
def add_free_turning(
    moves: Flags, jointed: Flags, inertia: RealRows, orientation: RealRows, velocity: RealRows, spin: RealRows,
    energy_out: Reals,
) -> None:  # fmt: skip
    """Count the turning of bodies (n,) that no joint holds by their angular momentum, see `turning_energy`.

    Writes:  energy_out[0], kinetic energy with L omega / 2 for all bodies, J
    """
    for body in range(moves.shape[0]):
        if moves[body] != 0 and jointed[body] == 0:
            s, v = spin[body], velocity[body]
            energy_out[0] += turning_energy(inertia[body], orientation[body], s)
            energy_out[0] -= 0.5 * (s[0] * v[3] + s[1] * v[4] + s[2] * v[5])


@kernel(apart=True)
def turn_freely(inverse: Reals, spin: Reals, torque: Reals, time: float, orientation_out: Reals) -> None:
    """Turn a body freely through a time, which may be negative, from an angular momentum (3,) on, kg m^2/s.

        dR/dt = [omega] R,   omega = I(R)^-1 (L + t torque)

    It turns by no more than `IMPACTS.turn` in one step, as long as there are not too many of them.

    Writes:  orientation_out (4,), where it begins and ends
    """
    q, one, two, momentum = vector(4), vector(4), vector(4), vector(3)
    done, share, number = 0.0, 0.0, 0
    while share < 1.0:
        for i in range(3):
            momentum[i] = spin[i] + done * torque[i]
        speed = turning_rate(inverse, orientation_out, momentum, one)
        rest = time - done
        share = IMPACTS.turn / max(speed * abs(rest), IMPACTS.turn)
        if number + 1 >= IMPACTS.most_turns:
            share = 1.0
        part, number = share * rest, number + 1
        for i in range(4):
            two[i] = one[i]
            q[i] = orientation_out[i]
        size = 0.0
        for stage in range(3):
            ahead, weight = (0.5, 2.0) if stage < 2 else (1.0, 1.0)
            for i in range(4):
                q[i] = orientation_out[i] + ahead * part * two[i]
            for i in range(3):
                momentum[i] = spin[i] + (done + ahead * part) * torque[i]
            turning_rate(inverse, q, momentum, two)
            for i in range(4):
                one[i] += weight * two[i]
        for i in range(4):
            q[i] = orientation_out[i] + part / 6.0 * one[i]
            size += q[i] * q[i]
        for i in range(4):
            orientation_out[i] = q[i] / math.sqrt(size)
        done += part


@kernel()
def fly(
    inverse: RealRows, spin: RealRows, torque: RealRows, time: Reals,  # (k, 9) body axes, (k, 3), (k, 3), (k,)
    orientation_out: RealRows, rotation_out: RealRows,  # (k, 4), (k, 9)
) -> None:  # fmt: skip
    """Turn bodies freely, each through its own time, see `turn_freely`.

    Writes:  orientation_out, where they begin and end; rotation_out
    """
    for k in range(time.shape[0]):
        turn_freely(inverse[k], spin[k], torque[k], time[k], orientation_out[k])
    rotation_matrices(orientation_out, rotation_out)


@kernel(apart=True)
def tumble(m: StepModel, s: StateTable, w: Scratch) -> None:
    """Predict bodies that no row holds and that turn far in a step as they turn in flight.

    The formula of a scheme would end elsewhere: after 1 rad with up to a tenth more energy, which no other
    linearisation mends. Where they end, omega = I(R)^-1 L, so a step that nothing touches keeps L and energy.

    Writes:  guess of the candidate, places
    """
    h, weights, places = w.weights.h[0], w.weights, w.places
    tensor, inverse, momentum, torque = vector(9), vector(9), vector(3), vector(3)
    for body in range(m.bodies.moves.shape[0]):
        v = w.candidate.guess[body]
        turn = h * math.sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5])
        held = m.bodies.moves[body] == 0 or m.links.jointed[body] != 0 or w.candidate.slim[body] != 0
        if held or not turn > m.tolerances.flight or turn == math.inf:
            continue
        now, before = weights.guess_now[body], weights.guess_before[body]
        for i in range(3):
            momentum[i] = now * s.spin[body, i] + before * w.past.spin[body, i]
            torque[i] = (momentum[i] - s.spin[body, i]) / h
        for i in range(4):
            places.orientation[body, i] = s.orientation[body, i]
        invert_spd(m.bodies.inertia[body], inverse)
        turn_freely(inverse, s.spin[body], torque, h, places.orientation[body])
        rotation_matrices(places.orientation[body : body + 1], places.rotation[body : body + 1])
        turn_tensor(places.rotation[body], inverse, tensor)
        v[3], v[4], v[5] = times(tensor, momentum)
