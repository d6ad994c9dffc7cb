"""Energy of a step: what it should have become, group by group, and what came from nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.contact.rows import RECOVERY
from taut.model.groups import merged_groups
from taut.model.model import Loads, Model
from taut.model.state import State
from taut.rows.law import HOLD, LIMITS
from taut.spatial import Array, Integers
from taut.stepping.settings import TOUCHING_SLACK, Settings

if TYPE_CHECKING:
    from taut.stepping.workspace import Workbench

WORK_ERROR = 1e-2
"""Share of the work put in over a step that may be missing from its estimate."""

TINY = 1e-300
"""Keeps a quotient of two zeros finite."""


def unresolved_energy(model: Model, settings: Settings, group: Integers, count: int = 0) -> Array:
    """Energy of each group moving by the tolerance in a step, J, see `energy_of_moving`: less is at rest."""
    return energy_of_moving(settings.tolerance, model, settings.step, group, count)


def energy_of_moving(way: float, model: Model, step: float, group: Integers, count: int) -> Array:
    """Energy of each group, at least `count`, moving by so many m in a step, against gravity and loads, J."""
    mass = np.bincount(group, np.where(model.bodies.moves > 0, model.bodies.mass, 0.0), minlength=count)
    weight = mass * float(np.linalg.norm(model.gravity))
    weight[0] += float(np.abs(model.loads.force).sum() + np.abs(model.loads.torque).sum())
    return weight * way + 0.5 * mass * (way / step) ** 2


def contact_allowance(bench: Workbench, lam: Array, h: float, gap: Array) -> Array:
    """Energy (contacts,) that springs of contacts may give back in a step, J.

    A force does work on the way an overlap opens, no faster than `RECOVERY`, and the force of the step before has
    stored up to F^2 C.
    """
    rows = bench.contacts
    assert rows is not None
    force, stored = np.maximum(lam[rows.row], 0.0) / h, rows.start_force[:, 0] ** 2 / rows.stiffness
    opening = np.maximum(np.minimum(gap, 0.0) - np.minimum(rows.start_gap, 0.0), 0.0)
    return force * np.minimum(opening, RECOVERY * h) + (1.0 + rows.friction**2) * stored


def judge_energy(
    bench: Workbench, state: State, velocity: Array, spin: Array, path: Array, work: float, total: float,
    lam: Array, h: float, gap: Array | None, arms: bool,
) -> tuple[Integers, Array, Array, float, float]:  # fmt: skip
    """Groups of bodies, their kinetic energy and gain, J, and the worst relative rise of jointed and of other groups.

    What springs stored, and what motors and loads did, is in the total and belongs to group 0. Groups that touch are
    one, and count as others. `arms` says whether wrenches are applied away from centres of mass.
    """
    from taut.integrators.motion_kernels import group_energy, worst_rises

    bodies, group, rows = bench.model.bodies, bench.group, bench.contacts
    count = bench.unresolved_energy.size
    at_rest, touched = bench.unresolved_energy.copy(), bench.loose
    known = np.zeros(count)
    if rows is not None and gap is not None and rows.count:
        touching = (lam[rows.row] > 0.0) | (rows.start_force[:, 0] > 0.0)
        a, b = rows.contacts.body_a, rows.contacts.body_b
        group = merged_groups(group, bodies.moves, a, b, touching)
        touched = touched.copy()
        at_rest = np.bincount(group_of_groups(bench.group, group, count), at_rest, minlength=count).astype(float)
        carrier = np.where(bodies.moves[b] > 0, group[b], group[a])
        known += np.bincount(carrier, contact_allowance(bench, lam, h, gap), minlength=count)
        touched[carrier[touching]] = True
    kinetic, gain = np.empty(count), np.empty(count)
    applied = group_energy(
        bodies.moves, group, bodies.mass, bench.model.gravity, state.position, state.velocity, state.spin,
        bench.position, velocity, spin, state.applied, path, kinetic, gain,
    )  # fmt: skip
    if arms:
        gain -= np.bincount(group, arm_work(bench, state), minlength=count)
    if bench.mixed:
        gain[0] += total - gain.sum()
    at_rest += bench.settings.tolerance * applied
    if touched is not bench.loose:
        at_rest[touched] *= TOUCHING_SLACK
    # the slack is for what a step does not resolve; work that is known needs none
    at_rest += known
    if (gain > at_rest).any():  # else there is nothing to explain
        at_rest += work_of_gaps(bench, state, group, lam / h, count)
    return group, kinetic, gain, *worst_rises(kinetic, gain, at_rest, touched, abs(work), WORK_ERROR, TINY)


def work_of_gaps(bench: Workbench, state: State, group: Integers, force: Array, count: int) -> Array:
    """Work (groups,) that joints and limits did because they do not hold better than they do, J: sum of f (q+ - q).

    A gap that an earlier step was allowed to leave is closed against the tension, and that is no error of this step.
    Where they took energy instead, as a rope does that goes taut, they explain no rise. A gap that
    is larger than a step may leave explains no more either: it was there from the start, and nobody put that work in.
    Forces (rows,) that were not there before explain no more than it takes to move bodies by such a gap in a frame:
    what blows up has large forces, and would explain itself.
    """
    own, laws, settings = bench.row_body.size, bench.model.layout.laws, bench.settings
    holds = ((laws.kind == HOLD) | (laws.kind == LIMITS)) & ~laws.drives
    moved = bench.rows.sign[:own] * (bench.rows.value[:own] - state.measure)
    now, before = force[:own], bench.rows.sign[:own] * state.force
    lasting = np.where(now > 0.0, np.clip(before, 0.0, now), np.clip(before, now, 0.0))
    done, kept = (
        np.bincount(group[bench.row_body], np.where(holds, np.minimum(f * moved, settings.limit * np.abs(f)), 0.0),
                    minlength=count)
        for f in (now, lasting)
    )  # fmt: skip
    closing = energy_of_moving(settings.limit, bench.model, settings.step, group, count)
    return np.maximum(np.maximum(kept, np.minimum(done, closing)), 0.0).astype(np.float64)


def group_of_groups(before: Integers, after: Integers, count: int) -> Integers:
    """Group that each of the groups before belongs to now, (count,)."""
    now = np.arange(count)
    now[before] = after
    return now


def arm_work(bench: Workbench, state: State) -> Array:
    """Work (bodies,) of applied forces along the way their points go beyond the centres of mass, F . (R+ - R) p, J."""
    from taut.spatial_kernels import rotation_matrices

    before = np.empty_like(bench.rotation)
    rotation_matrices(state.orientation, before)
    turned = (bench.rotation - before).reshape(-1, 3, 3)
    return np.einsum("bi,bij,bj->b", state.applied[:, :3], turned, state.applied_point)


def drive_work_of(bench: Workbench, h: float, path: Array, lam: Array) -> float:
    """Work of driving rows along the step's path, J."""
    from taut.rows.law_kernels import drive_work

    layout, jacobian = bench.model.layout, bench.rows.jacobian
    return float(drive_work(bench.drives, layout.entry_start, layout.entry_body, jacobian, lam, h, path))


def load_work(bench: Workbench, state: State, loads: list[Loads], path: Array) -> float:
    """Work of loads with arms from the state to the bench's configuration, reached along this path, J."""
    from taut.responses.load_kernels import load_work
    from taut.spatial_kernels import rotation_matrices

    work, before = 0.0, np.empty_like(bench.rotation)
    rotation_matrices(state.orientation, before)
    for load in loads:
        work += load_work(
            load.body, load.force, load.point, load.torque, load.follows,
            state.position, before, bench.position, bench.rotation, path,
        )  # fmt: skip
    return work


def body_kinetic(bench: Workbench, state: State) -> Array:
    """Kinetic energy (bodies,), J."""
    mass = np.where(bench.model.bodies.moves > 0, bench.model.bodies.mass, 0.0)
    turning = np.einsum("bi,bi->b", state.velocity[:, 3:], state.spin) * (mass > 0.0)
    return 0.5 * mass * (state.velocity[:, :3] ** 2).sum(axis=1) + 0.5 * turning


def body_energy(bench: Workbench, state: State) -> Array:
    """Kinetic and potential energy (bodies,), J."""
    mass = np.where(bench.model.bodies.moves > 0, bench.model.bodies.mass, 0.0)
    return body_kinetic(bench, state) - mass * (state.position @ np.asarray(bench.model.gravity))


def drift_of(bench: Workbench, velocity: Array, touched: Integers) -> tuple[Array, Array]:
    """Velocities (bodies, 6) of the centres of mass of floating groups, 0 for others, and their energy (bodies,), J.

    Groups float that joints connect to nothing fixed and that contacts do not touch: no joint can change their drift.
    """
    label, drift = bench.held.copy(), np.zeros_like(velocity)
    label[np.isin(label, label[touched])] = 0
    mass = np.where(label > 0, bench.model.bodies.mass, 0.0)
    total = np.maximum(np.bincount(label, mass), TINY)
    for axis in range(3):
        drift[:, axis] = (np.bincount(label, mass * velocity[:, axis]) / total)[label]
    return drift, 0.5 * mass * (drift**2).sum(axis=1)


def energy_of(bench: Workbench, state: State) -> float:
    """Energy of a state, J; the bench's rows are left where it is."""
    from taut.spatial_kernels import rotation_matrices

    rotation = np.empty_like(bench.rotation)
    rotation_matrices(state.orientation, rotation)
    bench.rows.count_from(state.coordinate, 0.0)
    bench.rows.evaluate(state.position, rotation)
    springs = energy_in_springs(bench.model, state.target, bench.rows.value[: bench.row_body.size])
    return float(mechanical_of(bench, state)[:2].sum() + springs)


def shared_energy(bench: Workbench, state: State) -> float:
    """Energy of a state in springs and in the bodies of their group, number 0, J: all but that of other groups."""
    others = (bench.group != 0) & (bench.model.bodies.moves > 0)
    return energy_of(bench, state) - float(body_energy(bench, state)[others].sum())


def energy_in_springs(model: Model, target: Array, value: Array) -> float:
    """Energy of springs with these targets (rows,) and measures (rows,), J."""
    from taut.rows.law_kernels import spring_energy

    laws = model.layout.laws
    return float(spring_energy(laws.kind, target, laws.stiffness, laws.lower_force, laws.upper_force, value))


def momentum_of(bench: Workbench, state: State) -> Array:
    """Linear (kg m/s) and angular momentum about the origin (kg m^2/s), (2, 3)."""
    return mechanical_of(bench, state)[2:].reshape(2, 3)


def mechanical_of(bench: Workbench, state: State) -> Array:
    """Kinetic and potential energy (J) and the two momenta of a state, (8,)."""
    from taut.integrators.motion_kernels import mechanical_state

    bodies, mechanical = bench.model.bodies, np.zeros(8)
    mechanical_state(
        bodies.moves, bodies.mass, bench.model.gravity, state.position, state.velocity, state.spin, mechanical
    )
    return mechanical
