"""The whole geometric stiffness of ropes over many bodies, span by span, see `route.py`.

A span between stops i and j with the wraps at its ends measures

        U = |w| + b_i psi_i - b_j psi_j,    w = c_j + b_j rho_j - c_i - b_i rho_i,    b = s r

where psi turns rho about the axis in its body. Both psi follow from w . rho_i = w . rho_j = 0. With their multipliers,
L = U + mu_i w . rho_i + mu_j w . rho_j is stationary in them, so that for twists of both bodies

        d2U = dw . W dw + 2 sum mu_k dw . drho_k + sum G_k . d2rho_k         W = (1 - n n^T)/|w|

        P = n + sum mu_k rho_k    G_i = mu_i w - b_i P    G_j = mu_j w + b_j P    drho_k = omega_k x rho_k + t_k dpsi_k

with t = a x rho. On each body's own rotation come the arms of what pulls at its centre, +-P, and at its rim, G.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.rows.route import LEAST_COSINE
from taut.rows.route_table import Routes
from taut.rows.stiffness_blocks import StiffnessBlocks, arm_blocks, outer, skews
from taut.rows.table import Places, RowTable
from taut.spatial import Array, Integers

SHORTEST = 1e-12
"""Length of a span in m below which it has no direction, as in its kernel."""


class Spans(NamedTuple):
    """Straight spans between two bodies where ropes run now; of their two ends each.

    Attributes:
        body: (2, m); force: (m,) along them, N, negative where they pull.
        normal, length: (m, 3) n, (m,) m.
        arm, rim, turn: (2, m, 3) of the centre, m, rho, and t = a x rho; zero rho and t at points.
        radius: (2, m) b, m.
    """

    body: Integers
    force: Array
    normal: Array
    length: Array
    arm: Array
    rim: Array
    turn: Array
    radius: Array


def of_routes(parts: Routes, places: Places, rows: RowTable) -> StiffnessBlocks:
    """K~ of all ropes: every pair of bodies that a rope may run between has a block, most of them zero."""
    count = len(places.position)
    first, second = np.nonzero(parts.row[:, None] == parts.row)
    pairs = np.unique(parts.body[first] * count + parts.body[second])
    block = np.zeros((pairs.size, 6, 6))
    if pairs.size:
        spans = traced(parts, places, rows)
        found = spans.force[:, None, None] * second_derivative(spans)
        for k in range(2):
            for j in range(2):
                place = np.searchsorted(pairs, spans.body[k] * count + spans.body[j])
                np.add.at(block, place, found[:, 6 * k : 6 * k + 6, 6 * j : 6 * j + 6])
    return StiffnessBlocks(*np.divmod(pairs, count), block)


def traced(parts: Routes, places: Places, rows: RowTable) -> Spans:
    """The spans of all ropes, with the forces of their rows: of the length, and of all slips up to their first stop."""
    from taut.rows import route_trace_kernels as columns
    from taut.tables import held

    stops = parts.row.size
    g, onward = np.zeros((stops, columns.COLUMNS)), np.empty(stops, np.int64)
    columns.trace_routes(held(parts), held(places), held(rows), g, onward)
    slips = np.cumsum(np.where(parts.slip >= 0, rows.force[parts.slip], 0.0))
    before = np.append(0.0, slips)[np.searchsorted(parts.row, parts.row)]
    first = np.flatnonzero(onward >= 0)
    ends = np.stack([first, onward[first]])
    axis = g[ends, columns.AXIS : columns.AXIS + 3]
    reach = np.stack([g[first, rim : rim + 3] for rim in (columns.RIM_A, columns.RIM_B)])  # s r rho
    radius = np.copysign(np.linalg.norm(reach, axis=2), g[ends, columns.RADIUS])
    rim = np.divide(reach, radius[:, :, None], out=np.zeros_like(reach), where=radius[:, :, None] != 0.0)
    return Spans(
        parts.body[ends], (rows.force[parts.row] + slips - before)[first],
        g[first, columns.NORMAL : columns.NORMAL + 3], np.maximum(g[first, columns.LENGTH], SHORTEST),
        g[ends, columns.ARM : columns.ARM + 3], rim, np.cross(axis, rim), radius,
    )  # fmt: skip


def second_derivative(s: Spans) -> Array:
    """What twists (m, 12) of both bodies add to their wrenches, at a force of 1 N: (m, 12, 12)."""
    way, across = s.length[:, None] * s.normal, (np.eye(3) - outer(s.normal, s.normal)) / s.length[:, None, None]
    slope, weight = turning(s, way)
    pull = s.normal + np.einsum("km,kmc->mc", weight, s.rim)
    rims = [fixed(vector, end) for end, vector in enumerate(s.rim)]
    leads = [fixed(vector, end) for end, vector in enumerate(s.turn)]
    rate = sum(
        sign * (centre(s.arm[k], k) + s.radius[k][:, None, None] * rims[k]) for k, sign in enumerate((-1.0, 1.0))
    )
    miss = [along(s.rim[k], rate) + along(way, rims[k]) for k in range(2)]
    turns = -np.linalg.solve(slope, np.stack(miss, axis=1))  # dpsi (m, 2, 12)
    rolls = [s.turn[k][:, :, None] * turns[:, k, None, :] for k in range(2)]
    rate = rate + sum(sign * s.radius[k][:, None, None] * rolls[k] for k, sign in enumerate((-1.0, 1.0)))
    result: Array = rate.transpose(0, 2, 1) @ across @ rate
    for k, sign in enumerate((-1.0, 1.0)):
        lever = weight[k][:, None] * way + sign * s.radius[k][:, None] * pull  # G
        half = weight[k][:, None, None] * rate.transpose(0, 2, 1) @ (rims[k] + rolls[k])
        half += along(lever, leads[k])[:, :, None] * turns[:, k, None, :]
        half -= 0.5 * np.einsum("mc,mc,mi,mj->mij", s.rim[k], lever, turns[:, k], turns[:, k])
        result += half + half.transpose(0, 2, 1)
        own = slice(6 * k + 3, 6 * k + 6)
        result[:, own, own] += arm_blocks(s.arm[k], sign * pull) + arm_blocks(s.rim[k], lever)
    return result


def turning(s: Spans, way: Array) -> tuple[Array, Array]:
    """How w . rho_i, w . rho_j change with psi_i, psi_j, (m, 2, 2), and their multipliers mu (2, m)."""
    slope, excess = np.zeros((len(way), 2, 2)), np.zeros((len(way), 2, 1))
    for k, sign in enumerate((-1.0, 1.0)):
        cosine = np.einsum("mc,mc->m", s.normal, s.turn[k])
        slope[:, k, k] = np.where(s.radius[k] != 0.0, s.length * np.maximum(cosine, LEAST_COSINE), 1.0)
        slope[:, 1 - k, k] = sign * s.radius[k] * np.einsum("mc,mc->m", s.rim[1 - k], s.turn[k])
        excess[:, k, 0] = sign * s.radius[k] * (1.0 - cosine)
    weight = np.asarray(np.linalg.solve(slope.transpose(0, 2, 1), excess)[:, :, 0].T, float)
    return slope, weight


def centre(arm: Array, end: int) -> Array:
    """How points (m, 3) of the body at one end change with twists (m, 12): (m, 3, 12)."""
    result = fixed(arm, end)
    result[:, :, 6 * end : 6 * end + 3] = np.eye(3)
    return result


def fixed(vector: Array, end: int) -> Array:
    """How directions (m, 3) of the body at one end change with twists (m, 12): (m, 3, 12)."""
    result = np.zeros((len(vector), 3, 12))
    result[:, :, 6 * end + 3 : 6 * end + 6] = -skews(vector)
    return result


def along(vector: Array, rates: Array) -> Array:
    """Products (m, 12) of vectors (m, 3) with rates (m, 3, 12)."""
    return np.asarray(np.einsum("mc,mci->mi", vector, rates))
