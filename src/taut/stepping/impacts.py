"""Impacts with restitution: velocities jump where surfaces meet within the step, impact by impact.

A contact with restitution e that closes within the step and approaches faster than gravity accounts for bounces,

    J v' = -e J v,   lam >= 0,      joints held,   friction within mu lam,   what rests on others not pushed into them

at the configuration and with the velocities of the time at which it closes, see `Flight`. Bodies that joints or
contacts at rest connect meet others in the order of time; those that a blow sets in motion take part in the next pass,
so a row of touching balls hands the blow on to the last one, as Newton's cradle does. What is left after all passes is
stopped by the step, without rebound. Where the blows lead, contacts are looked for again: a body may meet others then.

The step then starts from the path after the last blow, followed back to where the step starts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from taut.contact.friction import settle_friction, within_friction
from taut.contact.memory import ContactMemory, with_blows
from taut.contact.rows import ContactSet
from taut.contact.settings import FRICTION
from taut.integrators import EULER
from taut.model.groups import merged_groups
from taut.model.state import State
from taut.problem.kkt import KktProblem
from taut.problem.solution import MlcpSolution
from taut.spatial import Array, Integers, cross_each
from taut.stepping.blows import Blows, Bounces
from taut.stepping.collide import find_contacts, hold_slim
from taut.stepping.energy import body_energy, body_kinetic, energy_of
from taut.stepping.flight import Flight, Spinning
from taut.stepping.instant import Instant, instant_here
from taut.stepping.settings import IMPACTS
from taut.stepping.start import first_start
from taut.stepping.stepper import Stepper

Flags = NDArray[np.bool_]


def bounce(stepper: Stepper, state: State, h: float, passes: int) -> tuple[Bounces | None, int]:
    """The impacts within a step of length h, or None, and the passes they took, at most so many."""
    mechanism, places = stepper.mechanism, stepper.scratch.places
    hold_slim(stepper, state.contacts)
    guess = predicted(stepper, state, h)
    contacts = find_contacts(stepper, state, guess, h)
    closing = approach(stepper, contacts, guess) < -IMPACTS.likely * threshold(stepper, h)
    if not ((contacts.table.restitution > 0.0) & closing).any():
        return None, 0
    change, torque = acceleration(stepper, state, contacts, guess, h)
    flight = Flight(
        mechanism.bodies.moves, state.position, state.orientation, state.velocity, change,
        np.zeros_like(state.velocity),
        Spinning.of(
            unheld(stepper, contacts) & (mechanism.bodies.moves > 0), mechanism.bodies.inertia, state.orientation,
            state.spin, torque - mechanism.bodies.angular_damping[:, None] * state.velocity[:, 3:],
        ),
    )  # fmt: skip
    memory, time, spin = ContactMemory.none(), np.zeros(state.history.size), np.zeros_like(state.spin)
    left = passes
    for _ in range(IMPACTS.looks):
        blows = strike_all(stepper, state, flight, unhit(contacts, time, spin), h, left)
        left -= blows.passes
        if not blows.impulse.any():
            break
        time, spin = blows.time, blows.spin
        memory = with_blows(memory, blows.memory(), mechanism.geoms.radius)
        end = np.full(time.size, h)
        places.position[:], places.orientation[:], places.rotation[:] = flight.place(every(state), end)
        led = flight.speed(every(state), places.rotation, end)
        stepper.weigh(EULER, h, np.zeros_like(state.history))  # blows are instants
        contacts = find_contacts(stepper, state, led, h)
    bounces = gathered(stepper, state, flight, replace(blows, contacts=contacts), memory, h)
    if bounces is not None and runs_wild(stepper, state, bounces, h):
        bounces = None
    return bounces, passes - left


def predicted(stepper: Stepper, state: State, h: float) -> Array:
    """Velocities (n, 6) that Euler's formula linearises at; scratch is where they lead."""
    from taut.stepping.linearise_kernels import predict

    stepper.take(state)
    stepper.weigh(EULER, h, np.zeros_like(state.history))
    predict(stepper.m, stepper.s, stepper.w)
    return stepper.scratch.candidate.guess.copy()


def unhit(contacts: ContactSet, time: Array, spin: Array) -> Blows:
    """Contacts that nothing has hit yet, after blows that struck bodies at times (n,) and left spins (n, 3)."""
    impulse, normal, point = np.zeros((3, contacts.count, 3))
    return Blows(contacts, impulse, normal, point, time, spin.copy())


def runs_wild(stepper: Stepper, before: State, bounces: Bounces, h: float) -> bool:
    """Whether blows gave bodies that they joined more energy than these and the forces of the step had to give.

    The path after a blow is followed back along rows that turn with the bodies; where they turn far, that goes wrong.
    """
    mechanism, bodies, met = stepper.mechanism, stepper.mechanism.bodies, bounces.memory.contacts
    group = merged_groups(mechanism.links.joined, bodies.moves, met.body_a, met.body_b, np.ones(met.count, np.uint8))
    mass = np.where(bodies.moves > 0, bodies.mass, np.inf)
    force = np.where(bodies.moves > 0, bodies.mass, 0.0) * mechanism.gravity
    force += np.linalg.norm(before.applied[:, :3], axis=1)
    reach = h * (np.linalg.norm(before.velocity[:, :3], axis=1) + h * force / mass)
    had = body_kinetic(mechanism, before)
    allowed = np.bincount(group, IMPACTS.tamed * had + force * reach)
    # springs are stretched where bodies are put elsewhere
    rise, most = bounces.state.energy - before.energy, float(allowed.sum() - had.sum())
    return rise > most or bool((np.bincount(group, body_kinetic(mechanism, bounces.state)) > allowed).any())


def every(state: State) -> Integers:
    """Numbers (n,) of all bodies."""
    return np.arange(state.history.size)


def strike_all(stepper: Stepper, state: State, flight: Flight, blows: Blows, h: float, passes: int) -> Blows:
    """The impacts of contacts, after those that struck bodies before."""
    table, moves = blows.contacts.table, stepper.mechanism.bodies.moves
    if not (table.restitution > 0.0).any():
        return blows
    rests = (table.restitution == 0.0) & (table.start_force[:, 0] > 0.0)
    group = merged_groups(stepper.mechanism.links.joined, moves, table.body_a, table.body_b, rests)
    while blows.passes < passes and strike(stepper, state, flight, blows, group, rests, h):
        blows.passes += 1
    return blows


def approach(stepper: Stepper, contacts: ContactSet, velocity: Array) -> Array:
    """Rates (k,) of the gaps with these velocities (n, 6), m/s, where bodies are."""
    relative = contacts.relative_velocity(velocity, stepper.scratch.places.position)
    return np.asarray(np.einsum("ki,ki->k", relative, contacts.table.normal))


def threshold(stepper: Stepper, h: float) -> float:
    """Speed of approach below which contacts rest, m/s."""
    return IMPACTS.resting * stepper.mechanism.gravity * h + stepper.settings.tolerance / h


def acceleration(stepper: Stepper, state: State, contacts: ContactSet, guess: Array, h: float) -> tuple[Array, Array]:
    """Accelerations (n, 6) over a step without impacts, and torques (n, 3) of loads, N m.

    Joints act, and contacts that carried a force and rest. Bodies are where the guess (n, 6) leads.
    """
    from taut.stepping.linearise_kernels import linearise, respond

    memory, scratch, own = stepper.rows_with(contacts), stepper.scratch, stepper.mechanism.row_count
    rows, kkt, _ = memory.handles
    start, table = first_start(stepper, state, h, contacts), contacts.table
    memory.rows.force[:] = start.force
    scratch.left.fill(0.0)
    linearise(stepper.m, stepper.s, stepper.w, rows, contacts.handle)
    respond(stepper.m, stepper.s, stepper.w, rows, kkt)
    bounces = (table.restitution > 0.0) & (approach(stepper, contacts, guess) < -threshold(stepper, h))
    open_ = np.repeat((table.start_force[:, 0] == 0.0) | bounces, table.width)
    lower, upper = memory.kkt.lower.copy(), memory.kkt.upper.copy()
    lower[own:][open_] = upper[own:][open_] = 0.0
    problem = KktProblem(memory.entries, memory.kkt._replace(lower=lower, upper=upper))
    lam = stepper.settings.solver.solve(problem, start.warm).lam
    velocity = scratch.candidate.free_velocity + problem.velocity_change(lam)
    change = np.where(stepper.mechanism.bodies.moves[:, None] > 0, (velocity - state.velocity) / h, 0.0)
    return change, scratch.candidate.wrench[:, 3:].copy()


def strike(
    stepper: Stepper, state: State, flight: Flight, blows: Blows, group: Integers, rests: Flags, h: float
) -> bool:
    """Do the first impacts of every group of bodies that are still to come; False if there are none."""
    table, moves = blows.contacts.table, stepper.mechanism.bodies.moves > 0
    a, b = table.body_a, table.body_b
    bouncy = np.flatnonzero(table.restitution > 0.0)
    since = np.maximum(blows.time[a], blows.time[b])
    time, rate = np.full(a.size, np.inf), np.zeros(a.size)
    slow = threshold(stepper, h)
    time[bouncy], rate[bouncy] = flight.meet(table, bouncy, since[bouncy], h, slow)
    hits = (time < np.inf) & (rate < -slow)
    if not hits.any():
        return False
    first = np.full(group.max(initial=0) + 1, np.inf)
    for body in (a, b):
        counts = hits & moves[body]
        np.minimum.at(first, group[body[counts]], time[counts])
    for body in (a, b):
        hits &= ~moves[body] | (time <= first[group[body]] + IMPACTS.at_once * h)
    cluster = merged_groups(group, stepper.mechanism.bodies.moves, a, b, hits)
    hit_now = np.zeros(cluster.max(initial=0) + 1, bool)
    carrier = cluster[table.carrier]
    hit_now[carrier[hits]] = True
    struck = hit_now[cluster] & moves
    when = np.where(struck & np.isfinite(first[group]), first[group], 0.0)
    now = at_times(stepper, state, flight, blows.contacts, when)
    lam, change = impulses(now, hits, hits | (rests & hit_now[carrier]), cluster)
    spin = now.bodies.spin(change)
    flight.strike(change, spin, when)
    blows.spin += spin
    blows.time = np.where(struck, when, blows.time)
    pushed = blows.contacts.gather(lam)
    push = pushed[:, :1] * table.normal + pushed[:, 1:2] * table.tangent
    push += pushed[:, 2:3] * cross_each(table.normal, table.tangent)
    acted = push.any(axis=1)
    blows.impulse[acted] += push[acted]
    blows.normal[acted], blows.point[acted] = table.normal[acted], table.point[acted]
    return True


def at_times(stepper: Stepper, state: State, flight: Flight, contacts: ContactSet, when: Array) -> Instant:
    """Rows where bodies are at their times (n,), with the velocities they have there."""
    places = stepper.scratch.places
    places.position[:], places.orientation[:], places.rotation[:] = flight.place(every(state), when)
    now = instant_here(stepper, state, contacts)
    return replace(now, velocity=flight.speed(every(state), places.rotation, when))


def impulses(now: Instant, hits: Flags, closed: Flags, cluster: Integers) -> tuple[Array, Array]:
    """Impulses (rows,) of the contacts that hit, and what they do to velocities (n, 6).

    With friction, or without where that would raise energy: Newton's law of restitution says nothing of energy once
    there is friction, or contacts that bounce differently. Where it would rise in a cluster (n,) of bodies, the impact
    is made without friction, and if need be without rebound. `closed` contacts (k,) only push, among them those that
    hit.
    """
    stepper, table, own, solver = now.stepper, now.contacts.table, now.own, now.stepper.settings.solver
    rate, rows = now.rates, now.memory.rows
    rows.compliance.fill(0.0)
    rows.bias.fill(0.0)
    lower, upper = np.zeros(rate.size), np.zeros(rate.size)
    hard = stepper.mechanism.hard  # springs, limits and bounded motors are too slow to take part
    lower[:own][hard], upper[:own][hard] = -np.inf, np.inf
    upper[table.row[closed]] = np.inf
    dead = rate.copy()
    dead[:own] = 0.0  # joints go on as they do
    bias = dead.copy()
    bias[table.row[hits]] *= 1.0 + table.restitution[hits]
    problem = now.problem().with_bias(bias, lower, upper)
    plain = solver.solve(problem)
    of_row = cluster[np.concatenate([stepper.mechanism.links.row_body, np.repeat(table.carrier, table.width)])]
    before = kinetic_energy(now, now.velocity, cluster)
    lam = with_friction(now, problem, plain, closed)
    others: tuple[Callable[[], Array], ...] = (
        lambda: plain.lam,
        lambda: solver.solve(problem.with_bias(dead, lower, upper), plain).lam,
    )
    for other in others:
        # joints that move, because they are driven or not quite where they should be, do work
        work = np.bincount(of_row[:own], lam[:own] * rate[:own], minlength=before.size)
        after = kinetic_energy(now, now.velocity + problem.velocity_change(lam), cluster) - work
        rises = after > (1.0 + IMPACTS.rounding) * before
        if not rises.any():
            break
        lam = np.where(rises[of_row], other(), lam)
    return lam, problem.velocity_change(lam)


def with_friction(now: Instant, problem: KktProblem, plain: MlcpSolution, closed: Flags) -> Array:
    """Impulses (rows,) of an impact with friction within its bounds, from those of the `plain` one without.

    The bounds follow the normal impulses of the impact itself, as in `taut.contact.friction`: a box, or the cone if
    that is asked for. What passes leave over is cut off.
    """
    stepper, table = now.stepper, now.contacts.table
    if not (closed & (table.friction > 0.0)).any():
        return plain.lam
    mode = "box-refined" if stepper.settings.friction == "box" else stepper.settings.friction
    settled = settle_friction(
        mode, stepper.settings.solver, problem, table, plain, min(FRICTION.passes, stepper.friction_passes)
    )
    stepper.friction_passes -= settled.passes
    pushed, lam = now.contacts.gather(settled.solution.lam), settled.solution.lam.copy()
    within_friction(mode, table, pushed)
    now.contacts.scatter(pushed, lam)
    return lam


def kinetic_energy(now: Instant, velocity: Array, cluster: Integers) -> Array:
    """Kinetic energy of every cluster (n,) of bodies with the inertia that the impacts are balanced in, J."""
    return np.bincount(cluster, now.bodies.kinetic_energy(velocity)).astype(np.float64)


def gathered(
    stepper: Stepper, state: State, flight: Flight, blows: Blows, memory: ContactMemory, h: float
) -> Bounces | None:
    """What the step starts from: the paths after the blows, followed back to its start."""
    time, contacts, all_ = blows.time, blows.contacts, every(state)
    struck = (flight.velocity != state.velocity).any(axis=1)
    if not struck.any():
        return None
    position, orientation, rotation = flight.place(all_, time)
    velocity = flight.speed(all_, rotation, time)
    hit = replace(state, position=position, orientation=orientation, velocity=velocity, spin=state.spin + blows.spin)
    onward, _ = acceleration(stepper, hit, contacts, predicted(stepper, hit, h), h)
    lead = np.where((struck & unheld(stepper, contacts))[:, None], -0.5 * h * h * onward, 0.0)
    path = Flight(flight.moves, position, orientation, velocity, onward, lead)
    start, facing, rotation = path.place(all_, -time)
    began = replace(
        state,
        position=np.where(struck[:, None], start, state.position),
        orientation=np.where(struck[:, None], facing, state.orientation),
        velocity=np.where(struck[:, None], path.speed(all_, rotation, -time), state.velocity),
        spin=np.where(struck[:, None], hit.spin, state.spin),
        history=np.where(struck, 0, state.history).astype(np.uint8),
    )
    before = began.velocity.copy()
    assert flight.spinning is not None
    body = np.flatnonzero(flight.spinning.chosen & struck)
    turned = flight.spinning.in_one_step(body, h)
    began.orientation[body], began.velocity[body, 3:], before[body, 3:], lead[body, 3:] = turned
    began = completed(stepper, began, struck)
    return Bounces(began, memory, lead, struck, before, energy_between(stepper, state, began))


def energy_between(stepper: Stepper, before: State, after: State) -> Array:
    """Energy (n,) of bodies in one state beyond that in another, springs by the first body of each, J."""
    from taut.stepping.energy import spring_energies

    now, then = (body_energy(stepper.mechanism, each) + spring_energies(stepper, each) for each in (after, before))
    return now - then


def unheld(stepper: Stepper, contacts: ContactSet) -> Flags:
    """Bodies (n,) that no joint holds, nor a contact that carried a force: where others go is up to their rows."""
    links, table = stepper.mechanism.links, contacts.table
    held = np.zeros(links.jointed.size, bool)
    held[links.joined[links.jointed > 0]] = True
    free = ~held[links.joined]
    free[0] = True
    for body in (table.body_a, table.body_b):
        free[body[table.start_force[:, 0] > 0.0]] = False
    return free


def completed(stepper: Stepper, began: State, struck: Flags) -> State:
    """The state with the slim spins and the energy that follow from the rest of it."""
    rotation = stepper.places_of(began).rotation.reshape(-1, 3, 3)
    along = np.einsum("bi,bji,bj->b", stepper.mechanism.bodies.slim_axis, rotation, began.spin)
    began = replace(began, slim_spin=np.where(struck, along, began.slim_spin))
    return replace(began, energy=energy_of(stepper, began))
