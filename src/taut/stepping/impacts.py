"""Impacts with restitution: velocities jump where surfaces meet within the step, impact by impact.

A contact with restitution e that closes within the step and approaches faster than gravity accounts for bounces,

    J v' = -e J v,   lam >= 0,      joints held,   friction within mu lam,   what rests on others not pushed into them

at the configuration and with the velocities of the time at which it closes, see `Flight`. Bodies that joints or
contacts at rest connect meet others in the order of time; those that a blow sets in motion take part in the next pass,
so a row of touching balls hands the blow on to the last one, as Newton's cradle does. What is left after PASSES is
stopped by the step, without rebound. Where the blows lead, contacts are looked for again: a body may meet others then.

The step then starts from the path after the last blow, followed back to where the step starts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from taut.contact.memory import ContactMemory, with_blows
from taut.contact.rows import ContactRows
from taut.integrators import EULER
from taut.integrators.weights import Weights
from taut.model.groups import merged_groups
from taut.model.state import State
from taut.problem.solution import AT_LOWER
from taut.spatial import Array, Integers, cross_each
from taut.stepping.collide import find_contacts
from taut.stepping.energy import body_energy, body_kinetic, energy_of
from taut.stepping.flight import Flight, Spinning
from taut.stepping.impact_friction import with_friction
from taut.stepping.linearise import first_start, linearise_rows, predict
from taut.stepping.refinement import row_rates
from taut.stepping.workspace import Workbench

PASSES = 64
"""Most passes of impacts in a frame."""

LOOKS = 8
"""Most times that contacts are looked for where blows lead."""

HARD = 0.0
"""Compliance of contact rows in an impact, see `RowWork`."""

RESTING = 1.5
"""Approach, as a multiple of what gravity adds to it in a step, below which a contact rests and does not bounce."""

AT_ONCE = 0.02
"""Share of the step within which blows are one: the corners of a box that lands flat."""

TAMED = 2.0
"""Times its energy before that a group may have after blows, beside what forces can give it in a step: the energy of
a free body that spins fast is off by a third already, what goes wrong is off by tens."""

ROUNDING = 1e-9
"""Relative rise of energy that an impact without loss may have."""

Flags = NDArray[np.bool_]


@dataclass(eq=False)
class Bounces:
    """The impacts of a step.

    Attributes:
        state: what the step starts from instead.
        memory: the contacts that bounced, with their blows.
        lead: (n, 6) by how much Euler's formula errs for free bodies, which the state makes up for, m and rad.
        struck: (n,) bodies whose velocities jumped.
        velocity: (n, 6) on the path after the blows where the step starts, for the next one to look back on.
        gain: (n,) energy of bodies in that state beyond what they had, J.
        spring_gain: the same for springs.
    """

    state: State
    memory: ContactMemory
    lead: Array
    struck: Flags
    velocity: Array
    gain: Array
    spring_gain: float

    def complete(self, bench: Workbench, after: State, whole: bool) -> State:
        """The state at the end of the step, with the blows; after a `whole` frame the next may look back on it."""
        return replace(
            after,
            displacement=after.displacement + self.lead,
            previous_velocity=self.velocity,
            history=after.history if whole else np.where(self.struck, 0, after.history).astype(np.uint8),
            contacts=with_blows(after.contacts, self.memory, bench.model.geoms.radius),
        )


@dataclass(eq=False)
class Blows:
    """Impacts of a step while they are gathered.

    Attributes:
        impulse, normal, point: (k, 3) of the contacts, on B, N s, and where they hit last.
        time: (n,) when bodies were struck last, s.
        spin: (n, 3) change of angular momentum, kg m^2/s.
        passes: passes of impacts.
    """

    impulse: Array
    normal: Array
    point: Array
    time: Array
    spin: Array
    passes: int = 0

    def memory(self, rows: ContactRows | None) -> ContactMemory:
        """The contacts that bounced."""
        assert rows is not None
        acted = np.flatnonzero(self.impulse.any(axis=1))
        zeros = np.zeros((acted.size, 6))
        return ContactMemory(
            rows.contacts.take(acted), zeros, np.full((acted.size, 6), AT_LOWER), self.normal[acted],
            rows.tangent[acted], self.point[acted], rows.start_gap[acted], zeros[:, 0], self.impulse[acted],
            zeros[:, :3],
        )  # fmt: skip


def bounce(bench: Workbench, state: State, h: float, passes: int) -> tuple[Bounces | None, int]:
    """The impacts within a step of length h, or None, and the passes they took, at most so many."""
    weights = bench.weights(EULER, h, np.zeros_like(state.history))
    guess = predict(bench, state, weights)
    find_contacts(bench, state, guess, h)
    rows = bench.contacts
    assert rows is not None
    # what gravity adds within the step is two thirds of the threshold
    if not ((rows.restitution > 0.0) & (approach(rows, guess) < -0.3 * threshold(bench, h))).any():
        return None, 0
    change = acceleration(bench, state, weights, guess)
    bodies = bench.model.bodies
    torque = bench.response.wrench[:, 3:] - bodies.angular_damping[:, None] * state.velocity[:, 3:]
    free = unheld(bench, rows) & (bodies.moves > 0)
    flight = Flight(
        bodies.moves, state.position, state.orientation, state.velocity, change, np.zeros_like(state.velocity),
        Spinning.of(free, bodies.inertia, state.orientation, state.spin, torque),
    )  # fmt: skip
    memory, time, spin = ContactMemory.none(), np.zeros(state.history.size), np.zeros_like(state.spin)
    left = passes
    for _ in range(LOOKS):
        blows = strike_all(bench, state, flight, time, spin, h, left)
        left -= blows.passes
        if not blows.impulse.any():
            break
        time, spin = blows.time, blows.spin
        memory = with_blows(memory, blows.memory(bench.contacts), bench.model.geoms.radius)
        bench.position[:], bench.orientation[:], bench.rotation[:] = flight.place(every(state), np.full(time.size, h))
        find_contacts(bench, state, flight.speed(every(state), bench.rotation, np.full(time.size, h)), h)
    bounces = gathered(bench, state, flight, time, spin, memory, weights)
    if bounces is not None and runs_wild(bench, state, bounces, h):
        bounces = None
    return bounces, passes - left


def runs_wild(bench: Workbench, before: State, bounces: Bounces, h: float) -> bool:
    """Whether blows gave bodies that they joined more energy than these and the forces of the step had to give.

    The path after a blow is followed back along rows that turn with the bodies; where they turn far, that goes wrong.
    """
    bodies, met = bench.model.bodies, bounces.memory.contacts
    group = merged_groups(bench.joined, bodies.moves, met.body_a, met.body_b, np.ones(met.count, np.uint8))
    mass = np.where(bodies.moves > 0, bodies.mass, np.inf)
    force = np.where(bodies.moves > 0, bodies.mass, 0.0) * float(np.linalg.norm(bench.model.gravity))
    force += np.linalg.norm(before.applied[:, :3], axis=1)
    reach = h * (np.linalg.norm(before.velocity[:, :3], axis=1) + h * force / mass)
    had = body_kinetic(bench, before)
    allowed = np.bincount(group, TAMED * had + force * reach)
    # springs are stretched where bodies are put elsewhere
    rise, most = bounces.state.energy - before.energy, float(allowed.sum() - had.sum())
    return rise > most or bool((np.bincount(group, body_kinetic(bench, bounces.state)) > allowed).any())


def every(state: State) -> Integers:
    """Numbers (n,) of all bodies."""
    return np.arange(state.history.size)


def strike_all(
    bench: Workbench, state: State, flight: Flight, time: Array, spin: Array, h: float, passes: int
) -> Blows:
    """The impacts of the bench's contacts, after those that struck bodies at times (n,) and left spins (n, 3)."""
    rows = bench.contacts
    assert rows is not None
    impulse, normal, point = (np.zeros((rows.count, 3)) for _ in range(3))
    blows = Blows(impulse, normal, point, time, spin.copy())
    if not (rows.restitution > 0.0).any():
        return blows
    rests = (rows.restitution == 0.0) & (rows.start_force[:, 0] > 0.0)
    group = merged_groups(bench.joined, bench.model.bodies.moves, rows.contacts.body_a, rows.contacts.body_b, rests)
    while blows.passes < passes and strike(bench, state, flight, blows, group, rests, h):
        blows.passes += 1
    return blows


def approach(rows: ContactRows, velocity: Array) -> Array:
    """Rates (k,) of the gaps with these velocities (n, 6), m/s."""
    return np.einsum("ki,ki->k", rows.relative_velocity(velocity), rows.normal)


def threshold(bench: Workbench, h: float) -> float:
    """Speed of approach below which contacts rest, m/s."""
    return RESTING * float(np.linalg.norm(bench.model.gravity)) * h + bench.settings.tolerance / h


def acceleration(bench: Workbench, state: State, weights: Weights, guess: Array) -> Array:
    """Accelerations (n, 6) over a step without impacts: joints act, and contacts that carried a force and rest.

    The bench is where the guess (n, 6) leads.
    """
    rows, response, moves = bench.contacts, bench.response, bench.model.bodies.moves
    assert rows is not None
    start = first_start(bench, state, weights.h, guess)
    linearise_rows(bench, state, weights, start)
    response.prepare(state, weights, guess, bench.rotation, bench.rows, bench.slim)
    problem, own = response.assemble(bench.rows), bench.row_body.size
    bounces = (rows.restitution > 0.0) & (approach(rows, guess) < -threshold(bench, weights.h))
    open_ = np.repeat((rows.start_force[:, 0] == 0.0) | bounces, rows.width)
    lower, upper = problem.lower.copy(), problem.upper.copy()
    lower[own:][open_] = upper[own:][open_] = 0.0
    velocity = response.velocity(bench.settings.solver.solve(problem.with_bounds(lower, upper), start.warm).lam)
    bench.rows.force.fill(0.0)  # a blow is over before anything turns
    return np.where(moves[:, None] > 0, (velocity - state.velocity) / weights.h, 0.0)


def strike(
    bench: Workbench, state: State, flight: Flight, blows: Blows, group: Integers, rests: Flags, h: float
) -> bool:
    """Do the first impacts of every group of bodies that are still to come; False if there are none."""
    rows, moves = bench.contacts, bench.model.bodies.moves > 0
    assert rows is not None
    a, b = rows.contacts.body_a, rows.contacts.body_b
    bouncy = np.flatnonzero(rows.restitution > 0.0)
    since = np.maximum(blows.time[a], blows.time[b])
    time, rate = np.full(rows.count, np.inf), np.zeros(rows.count)
    slow = threshold(bench, h)
    time[bouncy], rate[bouncy] = flight.meet(rows, bouncy, since[bouncy], h, slow)
    hits = (time < np.inf) & (rate < -slow)
    if not hits.any():
        return False
    first = np.full(group.max(initial=0) + 1, np.inf)
    for body in (a, b):
        counts = hits & moves[body]
        np.minimum.at(first, group[body[counts]], time[counts])
    for body in (a, b):
        hits &= ~moves[body] | (time <= first[group[body]] + AT_ONCE * h)
    cluster = merged_groups(group, bench.model.bodies.moves, a, b, hits)
    hit_now = np.zeros(cluster.max(initial=0) + 1, bool)
    carrier = cluster[np.where(moves[b], b, a)]
    hit_now[carrier[hits]] = True
    struck = hit_now[cluster] & moves
    when = np.where(struck & np.isfinite(first[group]), first[group], 0.0)
    velocity = prepare_rows(bench, state, flight, when)
    lam = impulses(bench, velocity, hits, hits | (rests & hit_now[carrier]), cluster)
    change = bench.response.problem.velocity_change(lam)
    spin = bench.response.spin(change)
    flight.strike(change, spin, when)
    blows.spin += spin
    blows.time = np.where(struck, when, blows.time)
    table = rows.gather(lam)
    push = table[:, :1] * rows.normal + table[:, 1:2] * rows.tangent
    push += table[:, 2:3] * cross_each(rows.normal, rows.tangent)
    acted = push.any(axis=1)
    blows.impulse[acted] += push[acted]
    blows.normal[acted], blows.point[acted] = rows.normal[acted], rows.point[acted]
    return True


def prepare_rows(bench: Workbench, state: State, flight: Flight, when: Array) -> Array:
    """Jacobians and masses where bodies are at their times (n,), and their velocities (n, 6)."""
    rows = bench.contacts
    assert rows is not None
    position, _, rotation = flight.place(every(state), when)
    bench.rows.evaluate(position, rotation)
    rows.evaluate(position, rotation, bench.rows)
    instant = Weights.of(EULER, 0.0, np.zeros_like(state.history))
    bench.response.prepare(state, instant, flight.velocity, rotation, bench.rows, bench.slim)
    bench.rows.compliance[bench.row_body.size :] = HARD
    return flight.speed(every(state), rotation, when)


def impulses(bench: Workbench, velocity: Array, hits: Flags, closed: Flags, cluster: Integers) -> Array:
    """Impulses (rows,) of the contacts that hit: with friction, or without where that would raise energy.

    Newton's law of restitution says nothing of energy once there is friction, or contacts that bounce differently;
    where it would rise in a cluster (n,) of bodies, the impact is made without friction, and if need be without
    rebound. `closed` contacts (k,) only push, among them those that hit.
    """
    rows, own, solver = bench.contacts, bench.row_body.size, bench.settings.solver
    assert rows is not None
    rate = row_rates(bench, velocity)
    lower, upper = np.zeros(rate.size), np.zeros(rate.size)
    hard = bench.response.redundancy.hard  # springs, limits and bounded motors are too slow to take part
    lower[:own][hard], upper[:own][hard] = -np.inf, np.inf
    upper[rows.row[closed]] = np.inf
    dead = rate.copy()
    dead[:own] = 0.0  # joints go on as they do
    bias = dead.copy()
    bias[rows.row[hits]] *= 1.0 + rows.restitution[hits]
    problem = bench.response.assemble(bench.rows).with_bias(bias, lower, upper)
    plain = solver.solve(problem)
    body = np.where(bench.model.bodies.moves[rows.contacts.body_b] > 0, rows.contacts.body_b, rows.contacts.body_a)
    of_row = cluster[np.concatenate([bench.row_body, np.repeat(body, rows.width)])]
    before = kinetic_energy(bench, velocity, cluster)
    lam = with_friction(bench, problem, plain, closed)
    for other in (lambda: plain.lam, lambda: solver.solve(problem.with_bias(dead, lower, upper), plain).lam):
        # joints that move, because they are driven or not quite where they should be, do work
        work = np.bincount(of_row[:own], lam[:own] * rate[:own], minlength=before.size)
        after = kinetic_energy(bench, velocity + problem.velocity_change(lam), cluster) - work
        rises = after > (1.0 + ROUNDING) * before
        if not rises.any():
            break
        lam = np.where(rises[of_row], other(), lam)
    return lam


def kinetic_energy(bench: Workbench, velocity: Array, cluster: Integers) -> Array:
    """Kinetic energy of every cluster (n,) of bodies with the inertia that the impacts are balanced in, J."""
    return np.bincount(cluster, bench.response.kinetic_energy(velocity)).astype(np.float64)


def gathered(
    bench: Workbench, state: State, flight: Flight, time: Array, spin: Array, memory: ContactMemory, weights: Weights
) -> Bounces | None:
    """What the step starts from: the paths after the blows at times (n,), followed back to its start."""
    rows, h = bench.contacts, weights.h
    assert rows is not None
    struck = (flight.velocity != state.velocity).any(axis=1)
    if not struck.any():
        return None
    position, orientation, rotation = flight.place(every(state), time)
    velocity = flight.speed(every(state), rotation, time)
    hit = replace(state, position=position, orientation=orientation, velocity=velocity, spin=state.spin + spin)
    onward = acceleration(bench, hit, weights, predict(bench, hit, weights))
    lead = np.where((struck & unheld(bench, rows))[:, None], -0.5 * h * h * onward, 0.0)
    path = Flight(flight.moves, position, orientation, velocity, onward, lead)
    start, facing, rotation = path.place(every(state), -time)
    began = replace(
        state,
        position=np.where(struck[:, None], start, state.position),
        orientation=np.where(struck[:, None], facing, state.orientation),
        velocity=np.where(struck[:, None], path.speed(every(state), rotation, -time), state.velocity),
        spin=np.where(struck[:, None], hit.spin, state.spin),
        history=np.where(struck, 0, state.history).astype(np.uint8),
    )
    before = began.velocity.copy()
    assert flight.spinning is not None
    body = np.flatnonzero(flight.spinning.chosen & struck)
    turned = flight.spinning.in_one_step(body, h)
    began.orientation[body], began.velocity[body, 3:], before[body, 3:], lead[body, 3:] = turned
    began = completed(bench, began, struck)
    gain = body_energy(bench, began) - body_energy(bench, state)
    return Bounces(began, memory, lead, struck, before, gain, began.energy - state.energy - float(gain.sum()))


def unheld(bench: Workbench, rows: ContactRows) -> Flags:
    """Bodies (n,) that no joint holds, nor a contact that carried a force: where others go is up to their rows."""
    free = bench.loose[bench.group]
    for body in (rows.contacts.body_a, rows.contacts.body_b):
        free[body[rows.start_force[:, 0] > 0.0]] = False
    return free


def completed(bench: Workbench, began: State, struck: Flags) -> State:
    """The state with the slim spins and the energy that follow from the rest of it."""
    from taut.spatial_kernels import rotation_matrices

    rotation = np.empty_like(bench.rotation)
    rotation_matrices(began.orientation, rotation)
    along = np.einsum("bi,bji,bj->b", bench.model.bodies.slim_axis, rotation.reshape(-1, 3, 3), began.spin)
    began = replace(began, slim_spin=np.where(struck, along, began.slim_spin))
    return replace(began, energy=energy_of(bench, began))
