"""Kernels of `free_bodies.py`."""

from __future__ import annotations

from taut.kernel import kernel
from taut.spatial_kernels import invert_spd, keep_stiff_part, times, turn_tensor
from taut.table_types import matrix, vector
from taut.tables import Flags, RealRows, Reals


@kernel()
def factor(
    # model
    moves: Flags, mass: Reals, inertia: RealRows, linear_damping: Reals, angular_damping: Reals,  # inertia (bodies, 9)
    # state in
    rotation: RealRows,  # (bodies, 9)
    alphas: Reals, h: float, betas: Reals,  # (bodies,), s, (bodies,)
    # in and out
    stiffness: RealRows,  # (bodies, 9) N m/rad, clipped to its stabilising part
    # out
    inertia_out: RealRows,  # (bodies, 9) kg m^2, world axes
    turning_out: RealRows,  # (bodies, 9) kg m^2, rotation block of M~
    inverse_mass_out: Reals,  # (bodies,) 1/kg
    inverse_inertia_out: RealRows,  # (bodies, 9) 1/(kg m^2)
) -> None:  # fmt: skip
    """M~ and its inverse, M~ = alpha M + h D + h beta (-K~) body by body; zero for bodies that do not move.

    Writes:  stiffness, inertia_out, turning_out, inverse_mass_out, inverse_inertia_out
    Cost:    about 300 flops a body
    """
    vectors, scratch = matrix(3, 3), vector(9)
    for body in range(mass.shape[0]):
        if moves[body] == 0:
            inverse_mass_out[body] = 0.0
            for i in range(9):
                inertia_out[body, i], turning_out[body, i], inverse_inertia_out[body, i] = 0.0, 0.0, 0.0
            continue
        alpha, beta = alphas[body], betas[body]
        inverse_mass_out[body] = 1.0 / (alpha * mass[body] + h * linear_damping[body])
        turn_tensor(rotation[body], inertia[body], inertia_out[body])
        k, world, block = stiffness[body], inertia_out[body], turning_out[body]
        size = 0.0
        for i in range(9):
            size += abs(k[i])
        if size > 0.0:
            keep_stiff_part(k, scratch, vectors)
        for i in range(9):
            block[i] = alpha * world[i] + h * beta * k[i]
        for i in range(0, 9, 4):
            block[i] += h * angular_damping[body]
        invert_spd(block, inverse_inertia_out[body])


@kernel()
def balance(
    # model
    moves: Flags, slim: Flags, mass: Reals,  # (bodies,)
    slim_axis: RealRows,  # (bodies, 3) body axes
    gravity: Reals,  # (3,)
    # state in
    rotation: RealRows,  # (bodies, 9)
    wrench: RealRows,  # (bodies, 6) N, N m
    velocity: RealRows, previous_velocity: RealRows,  # (bodies, 6)
    spin: RealRows, previous_spin: RealRows,  # (bodies, 3) kg m^2/s
    slim_spin: Reals, previous_slim_spin: Reals,  # (bodies,) kg m^2/s
    inertia: RealRows,  # (bodies, 9) kg m^2, world axes
    guess: RealRows,  # (bodies, 6) v_k
    weights_now: Reals, weights_before: Reals,  # (bodies,) of the momentum history
    h: float, betas: Reals,  # s, (bodies,)
    stiffness: RealRows,  # (bodies, 9) -K~
    inverse_mass: Reals, inverse_inertia: RealRows,  # (bodies,), (bodies, 9)
    # out
    free_velocity_out: RealRows,  # (bodies, 6)
) -> None:  # fmt: skip
    """Velocity without row impulses: M~ v = p + h f - h beta K~ v_k.

    The history p weighs angular *momenta* in world axes, so the gyroscopic torque needs no term of its own and a free
    body keeps its angular momentum to rounding at any step. On a slim body that rows swing about, the scheme's error in
    L, over the least moment of inertia, would be a wild spin about the slim axis a. There the component along a is
    balanced in body axes, d(a . L)/dt = a . (tau + L x omega), and a . (L x omega) is bounded by the least moment.

    Writes:  free_velocity_out
    """
    for body in range(mass.shape[0]):
        out = free_velocity_out[body]
        if moves[body] == 0:
            for i in range(6):
                out[i] = 0.0
            continue
        f, v, u = wrench[body], velocity[body], previous_velocity[body]
        now, before = weights_now[body], weights_before[body]
        for i in range(3):
            impulse = mass[body] * (now * v[i] + before * u[i] + h * gravity[i]) + h * f[i]
            out[i] = inverse_mass[body] * impulse
        k, w, m = stiffness[body], guess[body], inverse_inertia[body]
        hb = h * betas[body]
        s, t = spin[body], previous_spin[body]
        x = now * s[0] + before * t[0] + h * f[3] + hb * (k[0] * w[3] + k[1] * w[4] + k[2] * w[5])
        y = now * s[1] + before * t[1] + h * f[4] + hb * (k[3] * w[3] + k[4] * w[4] + k[5] * w[5])
        z = now * s[2] + before * t[2] + h * f[5] + hb * (k[6] * w[3] + k[7] * w[4] + k[8] * w[5])
        if slim[body] != 0:
            q, a, o = rotation[body], slim_axis[body], inertia[body]
            ax, ay, az = times(q, a)
            lx = o[0] * w[3] + o[1] * w[4] + o[2] * w[5]
            ly = o[3] * w[3] + o[4] * w[4] + o[5] * w[5]
            lz = o[6] * w[3] + o[7] * w[4] + o[8] * w[5]
            swing = ax * (ly * w[5] - lz * w[4]) + ay * (lz * w[3] - lx * w[5]) + az * (lx * w[4] - ly * w[3])
            history = ax * (now * s[0] + before * t[0]) + ay * (now * s[1] + before * t[1])
            history += az * (now * s[2] + before * t[2])
            change = now * slim_spin[body] + before * previous_slim_spin[body] + h * swing - history
            x += ax * change
            y += ay * change
            z += az * change
        out[3] = m[0] * x + m[1] * y + m[2] * z
        out[4] = m[3] * x + m[4] * y + m[5] * z
        out[5] = m[6] * x + m[7] * y + m[8] * z
