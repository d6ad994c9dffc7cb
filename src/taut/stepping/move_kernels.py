"""The stage after the solve: the new velocity, and where it leads."""

from __future__ import annotations

from taut.contact.table import ContactTable
from taut.integrators.motion_kernels import place, spins
from taut.kernel import kernel
from taut.problem.kkt import Kkt, KktAnswer
from taut.problem.kkt_kernels import add_response
from taut.responses.kinematics_kernels import turn_between
from taut.rows.law_kernels import worst_slack
from taut.rows.table import RowTable
from taut.spatial_kernels import times
from taut.stepping.balance_kernels import carry_spin, carry_twist
from taut.stepping.linearise_kernels import copy_rows
from taut.stepping.momentum_kernels import conserve
from taut.stepping.settings import CORRECTION
from taut.stepping.tables import Scratch, StateTable, StepModel
from taut.stepping.tree_kernels import find_bends, keep_on_trees, take_changes, turns_with_history
from taut.stepping.turning_kernels import lead_by_momenta
from taut.table_types import vector


@kernel(apart=True)
def take_impulses(m: StepModel, w: Scratch, rows: RowTable, kkt: Kkt, answer: KktAnswer) -> float:
    """v+ = v_free + M~^-1 J^T lam.

    Writes:  velocity of the candidate
    Returns: how far the worst hard row is left open by it where the solve closed it, m or rad: rounding, where large
             impulses of light bodies cancel, see `taut.stepping.refinement`
    """
    laws, links, candidate = m.laws, m.links, w.candidate
    if m.trees.body.shape[0] == 0:
        copy_rows(candidate.free_velocity, candidate.velocity)
        add_response(kkt.entry_row, kkt.entry_body, kkt.response, answer.lam, candidate.velocity)
    else:
        take_changes(m, w, kkt, answer)
    return worst_slack(
        links.entry_start, links.entry_body, laws.closes, w.redundant, rows, candidate.velocity, answer.index_set
    )


@kernel(inner=True)
def move_on(m: StepModel, w: Scratch) -> None:
    """Move bodies on from where the linearisation was made: x_k + beta (v+ - v_k).

    Rotations are composed, exp(beta (omega+ - omega_k)) R_k, so the Jacobian at x_k is exact to first order however far
    a body turns in a step; where the two velocities agree, it is the same configuration as before.

    Bodies that turn freely go where their momentum leads, see `taut.stepping.turning_kernels`.

    Writes:  places; shift of the candidate; away of the candidate, 1 for bodies that their momentum led, else 0
    """
    base, places, candidate, beta, back = w.base, w.places, w.candidate, w.weights.beta, w.candidate.away
    for body in range(back.shape[0]):
        back[body] = -beta[body]
    place(
        m.bodies.moves, base.position, base.orientation, candidate.guess, candidate.velocity, back, beta,
        places.position, places.orientation, places.rotation,
    )  # fmt: skip
    lead_by_momenta(m, w, back)
    keep_on_trees(m, w)


@kernel(inner=True)
def lead_there(m: StepModel, w: Scratch) -> None:
    """Make angular velocities of bodies that look back those that lead to where they were moved to.

        omega = (log(R+ R^T) - drift dX) / beta                 but for the rate about the axis of slim bodies

    Bodies were moved by composed rotations, exp(beta (omega+ - omega_k)) R_k, which is elsewhere. The next steps go by
    this velocity, and a wheel that turns by more than 0.2 rad a step would tilt against its hinge, each time more. The
    momentum stays the one that was balanced. What is slim and was led by its momentum has this velocity.

    Writes:  velocity of the candidate, moved of slim bodies
    """
    turned = vector(3)
    for body in range(m.bodies.moves.shape[0]):
        if turns_with_history(m, w, body) == 0:
            continue
        node, v = m.trees.node[body], w.candidate.velocity[body]
        turn_between(w.past.orientation[body], w.led[node, 3:] if node >= 0 else w.places.orientation[body], turned)
        d, drift, beta = w.past.displacement[body], w.weights.drift[body], w.weights.beta[body]
        x, y, z = (
            (turned[0] - drift * d[3]) / beta,
            (turned[1] - drift * d[4]) / beta,
            (turned[2] - drift * d[5]) / beta,
        )
        if w.candidate.away[body] == 0.0 and w.candidate.slim[body] != 0:
            a, b, c = times(w.places.rotation[body], m.bodies.slim_axis[body])
            rate = a * (v[3] - x) + b * (v[4] - y) + c * (v[5] - z)
            x, y, z = x + rate * a, y + rate * b, z + rate * c
        v[3], v[4], v[5] = x, y, z
        if w.candidate.slim[body] != 0 and w.candidate.away[body] != 0.0:
            for i in range(3, 6):
                w.candidate.moved[body, i] = v[i]


@kernel(inner=True)
def find_touched(m: StepModel, w: Scratch, contacts: ContactTable, answer: KktAnswer) -> None:
    """Mark the bodies that contacts act on; slim ones are held by them, though it was not foreseen.

    Writes:  touched, slim of the candidate
    """
    touched, slim = w.candidate.touched, w.candidate.slim
    for body in range(touched.shape[0]):
        touched[body] = 0
    for i in range(contacts.row.shape[0]):
        if answer.lam[contacts.row[i]] > 0.0:
            touched[contacts.body_a[i]], touched[contacts.body_b[i]] = 1, 1
    for body in range(touched.shape[0]):
        if touched[body] != 0 and m.tolerances.coasts != 0:
            slim[body] = slim[body] | m.bodies.slim_shape[body]


@kernel(apart=True)
def move(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, contacts: ContactTable, answer: KktAnswer) -> None:
    """Bodies where the new velocity leads; slim ones keep the rate of their twist, floating groups their momentum.

    Writes:  places; touched, slim, bent, moved and velocity of the candidate, corrected
    """
    bodies, links, candidate = m.bodies, m.links, w.candidate
    find_touched(m, w, contacts, answer)
    move_on(m, w)
    find_bends(m, w)
    carry_twist(
        links.entry_body, rows.jacobian, bodies.slim_axis, w.base.rotation, w.places.rotation, candidate.slim,
        candidate.touched, candidate.velocity,
    )  # fmt: skip
    carry_spin(links.jointed, candidate.slim, w.base.rotation, w.places.rotation, candidate.velocity)
    passes = 0 if links.floating_body.shape[0] == 0 else CORRECTION.momentum_passes
    for _ in range(passes):
        spins(
            candidate.slim, bodies.inertia, bodies.slim_axis, candidate.inertia, w.places.rotation, candidate.velocity,
            candidate.spin, candidate.slim_spin,
        )  # fmt: skip
        conserve(m, s, w)
        move_on(m, w)
    copy_rows(candidate.velocity, candidate.moved)
    lead_there(m, w)
