"""The rows of the contacts that one collision found, and the surfaces that touch, as tables that kernels take."""

from __future__ import annotations

from typing import NamedTuple

from taut.tables import Flags, Layout, RealRows, Reals, WholeRows, Wholes


class SurfaceTable(NamedTuple):
    """What contacts need to know of a model.

    Of geoms (g,), see `taut.collide.geometry.Geoms`:
        kind, size (g, 3), position (g, 3), rotation (g, 9), radius, thickness, friction, restitution, rolling,
        torsional, give, give_damping.
    Of bodies (n,):
        moves; inverse_mass: 1/kg, 0 for those that do not move.
    Numbers:
        compliance: m/N, of a contact point.
        damping, damping_ratio: N s/m, of a closed contact point, and a share of what is critical beside it.
        first_row, first_entry: number of the first row and of the first Jacobian block after the model's own.
    """

    kind: Wholes
    size: RealRows
    position: RealRows
    rotation: RealRows
    radius: Reals
    thickness: Reals
    friction: Reals
    restitution: Reals
    rolling: Reals
    torsional: Reals
    give: Reals
    give_damping: Reals
    moves: Flags
    inverse_mass: Reals
    compliance: float
    damping: float
    damping_ratio: float
    first_row: int
    first_entry: int


class ContactTable(NamedTuple):
    """Contacts in the order of the collider, with their rows numbered after the model's own; (k,) where not said.

    Found, see `taut.collide.contacts.Contacts`:
        body_a, body_b, geom_a, geom_b, turning, core_a, core_b (k, 3), radius_a, radius_b.
    Of the pair:
        row, entry, width: first row, first Jacobian block, number of rows (1, 3 or 6).
        carrier: a moving body of the two: its scheme is the contact's.
        friction, restitution, rolling, torsional: of the pair, the last two in m.
        thickness: m, least half thickness of the two geoms: what an overlap is measured against.
        mass: kg, what two bodies oppose to being pushed apart.
        stiffness, damping: N/m and N s/m of the normal. grip: N/m, of the tangents; more where the surface is soft.
        turn_arm: m, of the springs that hold rotations.
        axis_a, axis_b: (k, 3) body axes, of the line that a core lies on, 0 for points.
        normal_kept: (k, 3) normal, in the axes of the face's body where a face gives it.
    Where the step starts, see `taut.contact.start`:
        known: 1 for contacts of the step before.
        start_gap, aim: m, where the step starts, and the gap that the normal row aims at.
        start_force: (k, 6) N and N m, of the step before; zero for contacts that are new.
        overlooked: m, overlap at the start of the step that no step before knew of.
        force, label: (k, 6) where the solver starts.
    What a step writes:
        normal_impulse, share: N s and (k, 2), what the friction bounds follow.
        normal, point, tangent: (k, 3) world axes, at the configuration linearised.
        rate, value: m/s and m, of the gap as linearised.
        gap, unforeseen: m, where the step led, and what of it the linear rows did not foresee.
    """

    body_a: Wholes
    body_b: Wholes
    geom_a: Wholes
    geom_b: Wholes
    turning: Wholes
    core_a: RealRows
    core_b: RealRows
    radius_a: Reals
    radius_b: Reals
    row: Wholes
    entry: Wholes
    width: Wholes
    carrier: Wholes
    friction: Reals
    restitution: Reals
    rolling: Reals
    torsional: Reals
    thickness: Reals
    mass: Reals
    stiffness: Reals
    damping: Reals
    grip: Reals
    turn_arm: Reals
    axis_a: RealRows
    axis_b: RealRows
    normal_kept: RealRows
    known: Flags
    start_gap: Reals
    aim: Reals
    start_force: RealRows
    overlooked: Reals
    force: RealRows
    label: WholeRows
    normal_impulse: Reals
    share: RealRows
    normal: RealRows
    point: RealRows
    tangent: RealRows
    rate: Reals
    value: Reals
    gap: Reals
    unforeseen: Reals


CONTACT_LAYOUT = Layout(
    ContactTable,
    dict.fromkeys(["core_a", "core_b", "axis_a", "axis_b", "normal_kept", "normal", "point", "tangent"], 3)
    | dict.fromkeys(["start_force", "force", "label"], 6)
    | {"share": 2},
)
"""How contacts lie in memory."""
