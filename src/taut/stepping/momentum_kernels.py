"""Angular momentum of groups of bodies that float: kept to rounding, which no multistep formula does by itself."""

from __future__ import annotations

from taut.integrators.bdf2 import BDF2
from taut.kernel import kernel
from taut.spatial_kernels import invert_spd, times
from taut.stepping.tables import Scratch, StateTable, StepModel
from taut.table_types import vector
from taut.tables import RealRows, Reals, Wholes

TWO_STEP = BDF2.alpha, *BDF2.momentum
"""Weights of BDF2 for momenta."""


@kernel(inner=True)
def group_momentum(
    # model
    body: Wholes, mass: Reals,  # (members,), (bodies,)
    # state in
    position: RealRows, displacement: RealRows,  # (bodies, 3), (bodies, 6)
    back: float,  # share of the displacement to go back
    velocity: RealRows, spin: RealRows,  # (bodies, 6), (bodies, 3)
    # out
    centre_out: Reals, momentum_out: Reals,  # (3,) centre of mass, m, and angular momentum about it, kg m^2/s
) -> None:  # fmt: skip
    """Centre of mass and angular momentum of a group at x - back dX.

    Writes:  centre_out, momentum_out
    """
    total = 0.0
    mean = vector(3)
    mean[:] = 0.0
    for i in range(3):
        centre_out[i] = 0.0
        momentum_out[i] = 0.0
    for k in range(body.shape[0]):
        b = body[k]
        total += mass[b]
        for i in range(3):
            centre_out[i] += mass[b] * (position[b, i] - back * displacement[b, i])
            mean[i] += mass[b] * velocity[b, i]
    for i in range(3):
        centre_out[i] /= total
        mean[i] /= total
    for k in range(body.shape[0]):
        b = body[k]
        x = position[b, 0] - back * displacement[b, 0] - centre_out[0]
        y = position[b, 1] - back * displacement[b, 1] - centre_out[1]
        z = position[b, 2] - back * displacement[b, 2] - centre_out[2]
        # relative velocities: the sum is the same, and far from the origin nothing cancels
        u, v, w = velocity[b, 0] - mean[0], velocity[b, 1] - mean[1], velocity[b, 2] - mean[2]
        momentum_out[0] += spin[b, 0] + mass[b] * (y * w - z * v)
        momentum_out[1] += spin[b, 1] + mass[b] * (z * u - x * w)
        momentum_out[2] += spin[b, 2] + mass[b] * (x * v - y * u)


@kernel()
def conserve(m: StepModel, s: StateTable, w: Scratch) -> None:
    """Give each group that nothing touches the angular momentum it must have, by a rigid rotation rate.

        alpha L+ = now L + before L_prev + h tau_external           as BDF2 has it, or Euler

    A group is a set of bodies joined by rows none of which reaches a fixed body. Rows inside it cannot change its
    angular momentum about its own centre of mass; the formula in x and v misses that by O(h^3) a step. The difference
    is given back as a rigid rotation rate of the whole group, which moves no row: J (omega x r) = 0.

    Writes:  velocity of the candidate
    """
    mass, links, candidate, weights, position = m.bodies.mass, m.links, w.candidate, w.weights, w.places.position
    way, velocity = s.displacement, w.candidate.velocity
    centre, goal, older, actual = vector(3), vector(3), vector(3), vector(3)
    tensor, inverse, torque = vector(9), vector(9), vector(3)
    for group in range(links.floating_start.shape[0] - 1):
        body = links.floating_body[links.floating_start[group] : links.floating_start[group + 1]]
        left_alone = True
        for k in range(body.shape[0]):
            left_alone = left_alone and candidate.touched[body[k]] == 0
        if not left_alone:
            continue
        group_momentum(body, mass, s.position, way, 0.0, s.velocity, s.spin, centre, goal)
        group_momentum(body, mass, s.position, way, 1.0, s.previous_velocity, s.previous_spin, centre, older)
        group_momentum(body, mass, position, way, 0.0, velocity, candidate.spin, centre, actual)
        tensor[:] = 0.0
        torque[:] = 0.0
        for k in range(body.shape[0]):
            b = body[k]
            x, y, z = position[b, 0] - centre[0], position[b, 1] - centre[1], position[b, 2] - centre[2]
            f = candidate.wrench[b]
            torque[0] += f[3] + y * f[2] - z * f[1]
            torque[1] += f[4] + z * f[0] - x * f[2]
            torque[2] += f[5] + x * f[1] - y * f[0]
            for i in range(9):
                tensor[i] += candidate.inertia[b, i]
            tensor[0] += mass[b] * (y * y + z * z)
            tensor[4] += mass[b] * (z * z + x * x)
            tensor[8] += mass[b] * (x * x + y * y)
            tensor[1] -= mass[b] * x * y
            tensor[2] -= mass[b] * x * z
            tensor[5] -= mass[b] * y * z
        tensor[3], tensor[6], tensor[7] = tensor[1], tensor[2], tensor[5]
        invert_spd(tensor, inverse)
        b = body[0]
        alpha, now, before = weights.alpha[b], weights.now[b], weights.before[b]
        if weights.level[b] > 0:  # the last step is enough for a momentum that hardly changes
            alpha, now, before = TWO_STEP
        for i in range(3):
            goal[i] = now * goal[i] + before * older[i] + weights.h[0] * torque[i]
            goal[i] = goal[i] / alpha - actual[i]
        p, q, r = times(inverse, goal)
        for k in range(body.shape[0]):
            b = body[k]
            x, y, z = position[b, 0] - centre[0], position[b, 1] - centre[1], position[b, 2] - centre[2]
            v = velocity[b]
            v[0] += q * z - r * y
            v[1] += r * x - p * z
            v[2] += p * y - q * x
            v[3] += p
            v[4] += q
            v[5] += r
