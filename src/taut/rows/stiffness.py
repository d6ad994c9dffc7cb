"""The whole geometric stiffness K~ = d(J^T f)/dx of every kind of part, blocks between bodies included.

A part measures q by a few world vectors y_i, each fixed in a body: points x + R c, and directions R c. With the forces
f of its rows, U = f . q(y), its gradient g_i = dU/dy_i and its second derivatives H_ij,

        J^T f = sum P_i^T g_i                           P = (1, -[r]x) of a point at the arm r, (0, -[r]x) else
        K~    = sum P_i^T H_ij P_j + sum arm(r_i, g_i)   arm(r, g) = r g^T - (g . r) 1  on the body's own rotation

because g_i changes with all vectors of the part, and the arm r_i with the turn of its own body. Rates without a
position (spins, slips) have no U; their wrenches are differentiated as they are.

In plain NumPy, for all parts of a kind at once. The kernels of parts keep of it what is positive and on one body's own
rotation, or in companion rows; this is all of it, see docs/theory/geometric-stiffness.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from taut.rows.parts import Parts
from taut.rows.route_stiffness import of_routes
from taut.rows.stiffness_blocks import (
    Attached,
    StiffnessBlocks,
    from_vectors,
    joined,
    of_turns,
    outer,
    scaled_unit,
    skews,
    turned,
)
from taut.rows.table import Places, RowTable
from taut.spatial import Array

SHORTEST = 1e-12
"""Length of a line, m, and square of the length of a hand's shadow, below which they have no direction: as kernels."""


def stiffness_blocks(parts: Parts, places: Places, rows: RowTable) -> StiffnessBlocks:
    """K~ of all parts where bodies are, with the forces in the rows."""
    blocks = [KINDS[name](table, places, rows) for name, table in parts._asdict().items() if name in KINDS]
    return joined(blocks)


def unknown_kinds(parts: Parts) -> list[str]:
    """Kinds that a model has parts of and whose whole stiffness nobody has written down."""
    others = {name: table for name, table in parts._asdict().items() if name not in KINDS and name != "couplings"}
    return [name for name, table in others.items() if len(table.row)]


def two_points(parts: Any, places: Places) -> tuple[Attached, Attached, Array]:
    """The points of A and B of every part, and p_B - p_A (k, 3)."""
    a = Attached(parts.body_a, turned(places, parts.body_a, parts.point_a), True)
    b = Attached(parts.body_b, turned(places, parts.body_b, parts.point_b), True)
    return a, b, places.position[b.body] + b.arm - places.position[a.body] - a.arm


def of_points(parts: Any, places: Places, rows: RowTable) -> StiffnessBlocks:
    """U = f . (p_B - p_A): two arms and nothing between the bodies."""
    a, b, _ = two_points(parts, places)
    force = rows.force[parts.row[:, None] + np.arange(3)]
    return from_vectors((a, b), (-force, force), {})


def of_distances(parts: Any, places: Places, rows: RowTable) -> StiffnessBlocks:
    """U = f |p_B - p_A|, g = +-f n, and the line turns: H = (f/q)(1 - n n^T), opposite between the bodies."""
    a, b, line = two_points(parts, places)
    length, force = np.linalg.norm(line, axis=1), rows.force[parts.row]
    n = np.where(length[:, None] > SHORTEST, line / np.maximum(length, SHORTEST)[:, None], (0.0, 0.0, 1.0))
    across = (force / np.maximum(length, SHORTEST))[:, None, None] * (np.eye(3) - outer(n, n))
    pull = force[:, None] * n
    return from_vectors((a, b), (-pull, pull), {(0, 0): across, (1, 1): across, (0, 1): -across})


def of_directions(parts: Any, places: Places, rows: RowTable) -> StiffnessBlocks:
    """U = f a . b: g_a = f b, g_b = f a, H_ab = f 1."""
    a = Attached(parts.body_a, turned(places, parts.body_a, parts.axis_a), False)
    b = Attached(parts.body_b, turned(places, parts.body_b, parts.axis_b), False)
    force = rows.force[parts.row]
    return from_vectors((a, b), (force[:, None] * b.arm, force[:, None] * a.arm), {(0, 1): scaled_unit(force)})


def of_orientations(parts: Any, places: Places, rows: RowTable) -> StiffnessBlocks:
    """The torque on B is t = W (w f + u x f) with e = (w, u) the rotation from frame A, W in the world, to frame B.

    With Omega = W^T (theta_B - theta_A):  du = (w 1 - [u]x) Omega / 2,  dw = -u . Omega / 2,  and W turns with A.
    """
    from taut.rows.orientation import quaternion_of

    k = len(parts.row)
    world_a = places.rotation[parts.body_a].reshape(-1, 3, 3) @ parts.matrix_a.reshape(-1, 3, 3)
    world_b = places.rotation[parts.body_b].reshape(-1, 3, 3) @ parts.matrix_b.reshape(-1, 3, 3)
    error = np.array([quaternion_of(each) for each in world_a.transpose(0, 2, 1) @ world_b]).reshape(k, 4)
    w, u, force = error[:, 0], error[:, 1:], rows.force[parts.row[:, None] + np.arange(3)]
    torque = np.einsum("kij,kj->ki", world_a, w[:, None] * force + np.cross(u, force))
    inner = -0.5 * (outer(force, u) + skews(force) @ (scaled_unit(w) - skews(u)))
    bend, turn = world_a @ inner @ world_a.transpose(0, 2, 1), skews(torque)
    a, b = parts.body_a, parts.body_b
    on_b = [of_turns(b, b, bend), of_turns(b, a, -bend - turn)]
    return joined([*on_b, of_turns(a, b, -bend), of_turns(a, a, bend + turn)])


def of_slips(parts: Any, places: Places, rows: RowTable) -> StiffnessBlocks:
    """The force F = f b turns with B and acts at a point of B, on A at the arm d = p - x_A: of no potential.

    The wrench on B turns with it; that on A also moves along: -(F, d x F), dd = dx_B + theta_B x r - dx_A.
    """
    a, b = parts.body_a, parts.body_b
    arm, push = turned(places, b, parts.point_b), rows.force[parts.row][:, None] * turned(places, b, parts.axis_b)
    far = places.position[b] + arm - places.position[a]
    turn, own, other, back = (np.zeros((len(a), 6, 6)) for _ in range(4))
    turn[:, :3, 3:] = -skews(push)
    own[:, :3, 3:], own[:, 3:, 3:] = turn[:, :3, 3:], -skews(np.cross(arm, push))
    # d(d x F) = dd x F + d x dF
    other[:, 3:, :3] = skews(push)
    other[:, 3:, 3:] = -skews(push) @ skews(arm) + skews(far) @ skews(push)
    other[:, :3, 3:] = skews(push)
    back[:, 3:, :3] = -skews(push)
    return joined([StiffnessBlocks(b, b, own), StiffnessBlocks(a, b, other), StiffnessBlocks(a, a, back)])


def of_slides(parts: Any, places: Places, rows: RowTable) -> StiffnessBlocks:
    """U = f n . (p_B - p_A) with n fixed in A: g_n = f (p_B - p_A), g_B = -g_A = f n, H_nB = -H_nA = f 1."""
    a, b, line = two_points(parts, places)
    n = Attached(parts.body_a, turned(places, parts.body_a, parts.axis_a), False)
    force = rows.coordinate_force[parts.slot]
    push, unit = force[:, None] * n.arm, scaled_unit(force)
    return from_vectors((n, a, b), (force[:, None] * line, -push, push), {(0, 1): -unit, (0, 2): unit})


def of_angles(parts: Any, places: Places, rows: RowTable) -> StiffnessBlocks:
    """U = f atan2(s, c) with c = x . u, s = y . u: second derivatives by c and s, and then by x, y in A and u in B."""
    x, y = (Attached(parts.body_a, turned(places, parts.body_a, axis), False) for axis in (parts.x_a, parts.y_a))
    u = Attached(parts.body_b, turned(places, parts.body_b, parts.u_b), False)
    force = rows.coordinate_force[parts.slot]
    c, s = np.einsum("ki,ki->k", x.arm, u.arm), np.einsum("ki,ki->k", y.arm, u.arm)
    square = np.maximum(c * c + s * s, SHORTEST)
    by_c, by_s = (-force * s / square)[:, None], (force * c / square)[:, None]
    cc, cs = force * 2.0 * c * s / square**2, force * (s * s - c * c) / square**2
    of_x, of_y = cc[:, None] * x.arm + cs[:, None] * y.arm, cs[:, None] * x.arm - cc[:, None] * y.arm
    both = outer(u.arm, u.arm)
    second = {
        (0, 0): cc[:, None, None] * both,
        (0, 1): cs[:, None, None] * both,
        (1, 1): -cc[:, None, None] * both,
        (0, 2): scaled_unit(by_c[:, 0]) + outer(u.arm, of_x),
        (1, 2): scaled_unit(by_s[:, 0]) + outer(u.arm, of_y),
        (2, 2): outer(x.arm, of_x) + outer(y.arm, of_y),
    }
    return from_vectors((x, y, u), (by_c * u.arm, by_s * u.arm, by_c * x.arm + by_s * y.arm), second)


def of_spins(parts: Any, places: Places, rows: RowTable) -> StiffnessBlocks:
    """The torque f a on B, -f a on A, turns with A: of no potential."""
    torque = rows.coordinate_force[parts.slot][:, None] * turned(places, parts.body_a, parts.axis_a)
    turn = skews(torque)
    return joined([of_turns(parts.body_b, parts.body_a, -turn), of_turns(parts.body_a, parts.body_a, turn)])


KINDS: dict[str, Callable[[Any, Places, RowTable], StiffnessBlocks]] = {
    "points": of_points, "directions": of_directions, "orientations": of_orientations, "distances": of_distances,
    "slips": of_slips, "slides": of_slides, "angles": of_angles, "spins": of_spins, "routes": of_routes,
}  # fmt: skip
"""By the name of a kind's table. Couplings hand their forces to their coordinates, which are kinds of their own."""
