"""Angular momentum of groups of bodies that float: kept to rounding, which no multistep formula does by itself."""

from __future__ import annotations

from taut.kernel import kernel
from taut.spatial_kernels import invert_spd, times
from taut.table_types import vector


@kernel(
    "void(int64[::1], float64[::1], float64[:, ::1], float64[:, ::1], float64, float64[:, ::1], float64[:, ::1],"
    "float64[::1], float64[::1])",
    inner=True,
)
def group_momentum(
    # model
    body,  # (members,)
    mass,  # (bodies,)
    # state in
    position,  # (bodies, 3)
    displacement,  # (bodies, 6)
    back,  # share of the displacement to go back
    velocity,  # (bodies, 6)
    spin,  # (bodies, 3)
    # out
    centre_out,  # (3,) centre of mass, m
    momentum_out,  # (3,) angular momentum about it, kg m^2/s
):
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


@kernel(
    "void(int64[::1], int64[::1], uint8[::1], float64[::1], float64[:, ::1], float64[:, ::1], float64[:, ::1],"
    "float64[:, ::1],"
    "float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1], float64[:, ::1],"
    "float64[::1], float64[::1], float64[::1], float64, float64[:, ::1])",
)
def conserve(
    # model
    group_start, group_body,  # (groups + 1,), (members of all groups,)
    touched,  # (bodies,) bodies that contacts act on from outside
    mass,  # (bodies,)
    # state in
    position, displacement,  # (bodies, 3), (bodies, 6)
    velocity, previous_velocity, spin, previous_spin,  # (bodies, 6) or (bodies, 3)
    wrench,  # (bodies, 6) applied, N and N m
    inertia,  # (bodies, 9) kg m^2, world axes
    new_position, new_spin,  # (bodies, 3) each
    alpha, now, before,  # (bodies,) the same for all bodies of a group
    h,
    # out
    velocity_out,  # (bodies, 6) corrected
):  # fmt: skip
    """Give each group that nothing touches the angular momentum it must have, by a rigid rotation rate.

        alpha L+ = now L + before L_prev + h tau_external

    A group is a set of bodies joined by rows none of which reaches a fixed body. Rows inside it cannot change its
    angular momentum about its own centre of mass; the formula in x and v misses that by O(h^3) a step. The difference
    is given back as a rigid rotation rate of the whole group, which moves no row: J (omega x r) = 0.

    Writes:  velocity_out
    """
    centre, goal, older, actual = vector(3), vector(3), vector(3), vector(3)
    tensor, inverse, torque = vector(9), vector(9), vector(3)
    for group in range(group_start.shape[0] - 1):
        body = group_body[group_start[group] : group_start[group + 1]]
        left_alone = True
        for k in range(body.shape[0]):
            left_alone = left_alone and touched[body[k]] == 0
        if not left_alone:
            continue
        group_momentum(body, mass, position, displacement, 0.0, velocity, spin, centre, goal)
        group_momentum(body, mass, position, displacement, 1.0, previous_velocity, previous_spin, centre, older)
        group_momentum(body, mass, new_position, displacement, 0.0, velocity_out, new_spin, centre, actual)
        tensor[:] = 0.0
        torque[:] = 0.0
        for k in range(body.shape[0]):
            b = body[k]
            x, y, z = new_position[b, 0] - centre[0], new_position[b, 1] - centre[1], new_position[b, 2] - centre[2]
            f = wrench[b]
            torque[0] += f[3] + y * f[2] - z * f[1]
            torque[1] += f[4] + z * f[0] - x * f[2]
            torque[2] += f[5] + x * f[1] - y * f[0]
            for i in range(9):
                tensor[i] += inertia[b, i]
            tensor[0] += mass[b] * (y * y + z * z)
            tensor[4] += mass[b] * (z * z + x * x)
            tensor[8] += mass[b] * (x * x + y * y)
            tensor[1] -= mass[b] * x * y
            tensor[2] -= mass[b] * x * z
            tensor[5] -= mass[b] * y * z
        tensor[3], tensor[6], tensor[7] = tensor[1], tensor[2], tensor[5]
        invert_spd(tensor, inverse)
        b = body[0]
        for i in range(3):
            goal[i] = (now[b] * goal[i] + before[b] * older[i] + h * torque[i]) / alpha[b] - actual[i]
        p, q, r = times(inverse, goal)
        for k in range(body.shape[0]):
            b = body[k]
            x, y, z = new_position[b, 0] - centre[0], new_position[b, 1] - centre[1], new_position[b, 2] - centre[2]
            v = velocity_out[b]
            v[0] += q * z - r * y
            v[1] += r * x - p * z
            v[2] += p * y - q * x
            v[3] += p
            v[4] += q
            v[5] += r
