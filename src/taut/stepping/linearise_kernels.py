"""Stages before the solve: predict where bodies go, linearise rows there, and find how bodies respond."""

from __future__ import annotations

from taut.contact.rows_kernels import apply_contact_laws, evaluate_contacts
from taut.contact.table import ContactTable
from taut.integrators import motion_kernels
from taut.integrators.motion_kernels import place
from taut.kernel import kernel
from taut.problem.kkt import Kkt
from taut.responses.free_bodies_kernels import balance, factor
from taut.responses.load_kernels import add_applied, add_loads
from taut.responses.row_kernels import respond_rows
from taut.rows.curve_kernels import bend_laws
from taut.rows.law_kernels import apply_laws
from taut.rows.parts_kernels import evaluate
from taut.rows.route_kernels import bound_slips
from taut.rows.table import Places, RowTable
from taut.spatial_kernels import rotation_matrices
from taut.stepping.flight_kernels import tumble
from taut.stepping.tables import Scratch, StateTable, StepModel
from taut.stepping.tree_kernels import find_starts, head_for, keep_on_trees
from taut.stepping.turning_kernels import guess_by_momenta
from taut.tables import RealRows, Reals

predict_velocity = motion_kernels.predict


@kernel("void(float64[:, ::1], float64[:, ::1])", inner=True)
def copy_rows(source, target_out):
    """Copy a matrix; a loop, because slices take long to compile.

    Writes:  target_out
    """
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target_out[i, j] = source[i, j]


@kernel("void(float64[::1], float64[::1])", inner=True)
def copy(source, target_out):
    """Copy a vector, which may be shorter than where it goes.

    Writes:  target_out
    """
    for i in range(source.shape[0]):
        target_out[i] = source[i]


@kernel(inner=True)
def guess_turning(s: StateTable, w: Scratch, body: int) -> None:
    """Extrapolate how a body turns that rows hold and that looks back by its velocity, not by its momentum.

    A wheel that is out of balance keeps its axis, while its momentum goes round. By that it would be led off its hinge.

    Writes:  guess of the candidate
    """
    if w.weights.level[body] > 0:
        now, before = w.weights.guess_now[body], w.weights.guess_before[body]
        for i in range(3, 6):
            w.candidate.guess[body, i] = now * s.velocity[body, i] + before * w.past.velocity[body, i]


@kernel(apart=True)
def predict(m: StepModel, s: StateTable, w: Scratch) -> None:
    """Velocity v_k to linearise at first, and where it leads, x + drift dX_prev + beta v_k; see also `tumble`.

    Writes:  guess of the candidate, places
    """
    bodies, weights, past, candidate, places = m.bodies, w.weights, w.past, w.candidate, w.places
    predict_velocity(
        bodies.moves, candidate.slim, bodies.inertia, s.orientation, past.displacement, s.velocity, past.velocity,
        s.spin, past.spin, weights.guess_now, weights.guess_before, weights.drift, weights.beta, candidate.guess,
    )  # fmt: skip
    guess_by_momenta(m, s, w)
    for i in range(m.parts.directions.body_a.shape[0]):
        guess_turning(s, w, m.parts.directions.body_a[i])
        guess_turning(s, w, m.parts.directions.body_b[i])
    for i in range(m.parts.orientations.body_a.shape[0]):
        guess_turning(s, w, m.parts.orientations.body_a[i])
        guess_turning(s, w, m.parts.orientations.body_b[i])
    place(
        bodies.moves, s.position, s.orientation, past.displacement, candidate.guess, weights.drift, weights.beta,
        places.position, places.orientation, places.rotation,
    )  # fmt: skip
    tumble(m, s, w)
    keep_on_trees(m, w)
    head_for(m, w, candidate.guess)


@kernel(apart=True)
def measure(m: StepModel, w: Scratch, rows: RowTable, contacts: ContactTable) -> None:
    """Measures and Jacobians of all rows where bodies are, with forces for the geometric stiffness in the rows.

    Writes:  rows, and normals, points, tangents, values of contacts
    """
    evaluate(m.parts, w.places, rows)
    evaluate_contacts(contacts, w.places, rows)


@kernel()
def measure_at(
    m: StepModel, places: Places, rows: RowTable, position: RealRows, orientation: RealRows, force: Reals,
    coordinate: Reals,
) -> None:  # fmt: skip
    """Measures and Jacobians of the model's own rows where a state has its bodies, without companions.

    Writes:  places, rows
    """
    copy_rows(position, places.position)
    copy_rows(orientation, places.orientation)
    rotation_matrices(places.orientation, places.rotation)
    rows.step[0] = 0.0
    for row in range(force.shape[0]):
        rows.force[row], rows.beta[row] = force[row], 0.0
        if m.laws.companion[row] != 0:
            rows.value[row] = 0.0
    copy(coordinate, rows.coordinate_reference)
    for body in range(places.position.shape[0]):
        for i in range(6):
            rows.coordinate_path[body, i] = 0.0
    evaluate(m.parts, places, rows)


@kernel(apart=True)
def linearise(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, contacts: ContactTable) -> None:
    """Measures, Jacobians and laws of all rows where bodies are; forces for the geometric stiffness are in the rows.

    Writes:  base, rows, and normals, tangents, rates of contacts
    """
    laws, links, guess, beta, h = m.laws, m.links, w.candidate.guess, w.weights.beta, w.weights.h[0]
    copy_rows(w.places.position, w.base.position)
    copy_rows(w.places.orientation, w.base.orientation)
    copy_rows(w.places.rotation, w.base.rotation)
    rows.step[0] = h
    for row in range(links.row_body.shape[0]):
        rows.beta[row] = beta[links.row_body[row]]
    for i in range(contacts.row.shape[0]):
        for k in range(contacts.width[i]):
            rows.beta[contacts.row[i] + k] = beta[contacts.carrier[i]]
    if m.tolerances.stiff == 0:
        for row in range(rows.force.shape[0]):
            rows.force[row] = 0.0
    copy(s.coordinate, rows.coordinate_reference)
    for body in range(guess.shape[0]):
        for i in range(6):
            rows.coordinate_path[body, i] = h * guess[body, i]
    measure(m, w, rows, contacts)
    apply_laws(
        laws.kind, laws.stiffness, laws.damping, links.entry_start, links.entry_body, s.target, s.limits,
        s.force_limits, s.firmness, guess, m.tolerances.repair, w.left, s.measure, rows,
    )  # fmt: skip
    if m.curves.begin.shape[0] > 0:
        bend_laws(
            m.curves, laws.spring, laws.damper, laws.stiffness, laws.damping, links.entry_start, links.entry_body,
            guess, rows,
        )  # fmt: skip
    bound_slips(m.parts.routes, rows)
    apply_contact_laws(contacts, guess, rows)


@kernel(apart=True)
def respond(m: StepModel, s: StateTable, w: Scratch, rows: RowTable, kkt: Kkt) -> None:
    """M~ and its inverse, the velocity without rows, and the blocks of the KKT system.

        M~ v_free = p + h f - h beta K~ v_k

    Writes:  wrench, inertia, stiffness, free_velocity of the candidate, kkt; stiffness of rows is clipped
    """
    bodies, loads, weights, past, candidate = m.bodies, m.loads, w.weights, w.past, w.candidate
    rotation, h = w.places.rotation, weights.h[0]
    if not add_applied(s.applied, s.applied_point, rotation, candidate.wrench, rows.stiffness):
        copy_rows(s.applied, candidate.wrench)
    add_loads(
        loads.body, loads.force, loads.point, loads.torque, loads.follows, rotation, candidate.wrench, rows.stiffness
    )
    factor(
        bodies.moves, bodies.mass, bodies.inertia, bodies.linear_damping, bodies.angular_damping, rotation,
        weights.alpha, h, weights.beta, rows.stiffness, candidate.inertia, kkt.turning, kkt.inverse_mass,
        kkt.inverse_inertia,
    )  # fmt: skip
    copy_rows(rows.stiffness, candidate.stiffness)
    balance(
        bodies.moves, candidate.slim, bodies.mass, bodies.slim_axis, bodies.gravity, rotation, candidate.wrench,
        s.velocity, past.velocity, s.spin, past.spin, s.slim_spin, past.slim_spin,
        candidate.inertia, candidate.guess, weights.now, weights.before, h, weights.beta, rows.stiffness,
        kkt.inverse_mass, kkt.inverse_inertia, candidate.free_velocity,
    )  # fmt: skip
    if m.trees.body.shape[0] > 0:
        find_starts(m, w)
    respond_rows(
        m.laws.hard, w.redundant, m.laws.joined, rows.compliance, rows.bias, candidate.free_velocity, candidate.near,
        kkt,
    )  # fmt: skip
