"""The state of a model after an edit: what was there goes on, what is new starts as the edit says.

An edit that changes nothing changes no bit of what follows. Where something that carried a force is removed,
accelerations jump: what it was joined to starts its two-step scheme anew, unless the edit is smooth.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from taut import spatial
from taut.errors import InputError
from taut.integrators.scheme import STEP
from taut.model.compile import LONG_CALM
from taut.model.index_map import IndexMap
from taut.model.model import Model
from taut.model.state import State
from taut.rows.law import HOLD
from taut.rows.part import Pose
from taut.scene.scene import Scene
from taut.spatial import Array, Integers

Mask = NDArray[np.bool_]

BODY_ARRAYS = (
    "history", "calm", "rest", "position", "orientation", "velocity", "spin", "slim_spin", "previous_velocity",
    "previous_spin", "previous_slim_spin", "displacement", "older", "lent", "applied", "applied_point",
)  # fmt: skip
"""Fields of a state by body."""

ROW_ARRAYS = (
    "force", "index_set", "target", "reached", "limits", "reached_limits", "force_limits", "firmness", "command",
    "measure",
)  # fmt: skip
"""Fields of a state by row."""


STILL = 1e-9
"""Rate of a row over what adds up to it, below which it is rounding."""


@dataclass(frozen=True)
class Past:
    """How a new body would have moved in the step before: twist (6,) at its start, m/s and rad/s; translation (m) and
    rotation vector (rad) since then, (6,). With it, the two-step scheme goes on as if the body had been there."""

    velocity: Array
    displacement: Array


@dataclass
class Given:
    """What an edit says about the state of what it changes, by name.

    Attributes:
        smooth: whether the forces of what is removed go on in what replaces it, so that nothing starts anew.
        motion: velocities (6,) of bodies that stay, m/s and rad/s.
        reweighed: bodies that stay, with another mass or inertia.
        past: of new bodies.
        force: forces along the rows of joints, N or N m.
        heirs: joints that take over the state of the one of the same name, which is gone: rows, targets, coordinates.
        handed: joints that are gone and whose forces go on in what is put in their place.
    """

    smooth: bool = False
    motion: dict[str, Array] = field(default_factory=dict)
    reweighed: set[str] = field(default_factory=set)
    past: dict[str, Past] = field(default_factory=dict)
    force: dict[str, Array] = field(default_factory=dict)
    heirs: set[str] = field(default_factory=set)
    handed: set[str] = field(default_factory=set)


def carry_over(
    before: Model, state: State, after: Model, scene: Scene, index: IndexMap, given: Given, group: Integers
) -> State:
    """State of the model after an edit of the scene: `index` says what became of everything, `group` (n,) which bodies
    rows joined before."""
    kinds = (
        (BODY_ARRAYS, index.body, after.bodies.count),
        (ROW_ARRAYS, index.row, after.layout.row_count),
        (("coordinate",), index.slot, len(after.layout.coordinates)),
    )
    carried = {name: numbers.carried(getattr(state, name), count) for names, numbers, count in kinds for name in names}
    result = state.but(**carried, contacts=index.contacts(state.contacts), energy=np.nan)
    known_bodies, known_rows, known_slots = (numbers.known(count) for _, numbers, count in kinds)
    for body in np.flatnonzero(~known_bodies).tolist():
        place_new(result, after, scene, body)
    start_rows(result, after, np.flatnonzero(~known_rows))
    for slot in np.flatnonzero(~known_slots).tolist():
        coordinate = after.layout.coordinates[slot]
        result.coordinate[slot] = coordinate.evaluate([present_pose(result, body) for body in coordinate.bodies])[0][0]
    inherit(before, state, after, result, given.heirs)
    result.rest[stirred(before, state, after, index, known_bodies, known_rows)] = 0
    if not given.smooth:
        lost = index.row.number < 0
        for name in given.heirs | given.handed:
            lost &= before.layout.row_owner != before.link_numbers.get(name, -1)
        hit = index.body[jolted(before, state, lost, group)]
        result.history[hit[hit >= 0]] = 0
        hit = jerked(
            after, result, ~known_rows, {after.link_numbers[name] for name in given.heirs | given.force.keys()}
        )
        result.history[hit] = result.calm[hit] = 0
    take_given(result, after, given)
    return result


def start_rows(state: State, model: Model, new: Integers) -> None:
    """Start new rows (k,) with what their laws ask for.

    Writes:  targets, limits and firmness of these rows
    """
    if not new.size:
        return
    laws = model.layout.laws
    state.target[new] = state.reached[new] = laws.target[new]
    for end, (limit, force) in enumerate(((laws.lower_limit, laws.lower_force), (laws.upper_limit, laws.upper_force))):
        state.limits[new, end] = state.reached_limits[new, end] = limit[new]
        state.force_limits[new, end] = force[new]
    state.firmness[new] = 1.0


def inherit(before: Model, state: State, after: Model, result: State, heirs: set[str]) -> None:
    """Let joints take over what joints of the same names, which are gone, had: row by row, coordinate by coordinate.

    A rope whose stops came onto more or fewer bodies has other companion rows, which start anew.

    Writes:  rows and coordinates of the result
    """
    for name in heirs:
        old, new = before.link_numbers[name], after.link_numbers[name]
        rows, heir = (np.flatnonzero(m.layout.row_owner == n) for m, n in ((before, old), (after, new)))
        if rows.size != heir.size:
            declared = int((heir < sum(spec.part.rows for spec in after.layout.specs)).sum())
            rows, heir = rows[:declared], heir[:declared]
        for array in ROW_ARRAYS:
            getattr(result, array)[heir] = getattr(state, array)[rows]
        result.coordinate[slots_of(after, new)] = state.coordinate[slots_of(before, old)]


def slots_of(model: Model, link: int) -> list[int]:
    """Slots of the coordinates that a joint's rows use, then of those it reports."""
    layout = model.layout
    used = [spec.part.coordinates for spec, owner in zip(layout.specs, layout.owner, strict=True) if owner == link]
    reported = layout.reported_slot[layout.reported_owner == link].tolist()
    return [layout.slots[each] for coordinates in used for each in coordinates] + reported


def place_new(state: State, model: Model, scene: Scene, body: int) -> None:
    """Start a new body as it was added, without a past.

    Writes:  what a state has of the body
    """
    spec = scene.bodies[body]
    state.calm[body] = LONG_CALM
    state.orientation[body] = spec.orientation
    state.position[body] = spec.position + spatial.matrix(spec.orientation) @ spec.com
    if model.bodies.moves[body]:
        state.velocity[body] = np.concatenate([spec.velocity, spec.angular_velocity])
    state.spin[body], state.slim_spin[body] = spin_of(model, body, spec.orientation, state.velocity[body, 3:])


def spin_of(model: Model, body: int, orientation: Array, turning: Array) -> tuple[Array, float]:
    """Angular momentum (3,) of a body that turns so (3,), and its part along the axis of least inertia, kg m^2/s."""
    rotation = spatial.matrix(orientation)
    spin = rotation @ (model.bodies.inertia[body].reshape(3, 3) @ (rotation.T @ turning))
    return spin, float(model.bodies.slim_axis[body] @ rotation.T @ spin)


def take_given(state: State, model: Model, given: Given) -> None:
    """Put what the edit says into the state.

    Writes:  velocities, spins, pasts and forces
    """
    numbers = {name: number for number, name in enumerate(model.bodies.names)} if given.motion or given.past else {}
    for name, velocity in given.motion.items():
        body = numbers[name]
        state.velocity[body] = velocity
        state.spin[body], state.slim_spin[body] = spin_of(model, body, state.orientation[body], velocity[3:])
    for name in given.reweighed:
        spin_before(state, model, numbers[name])
    for name, past in given.past.items():
        body = numbers[name]
        state.previous_velocity[body], state.displacement[body] = past.velocity, past.displacement
        spin_before(state, model, body)
        state.history[body] = 1
    for name, force in given.force.items():
        rows = np.flatnonzero(model.layout.row_owner == model.link_numbers[name])
        if force.size > rows.size:
            raise InputError(f"edit: joint {name!r}: force has {force.size} values; it must be one a row, {rows.size}")
        state.force[rows[: force.size]] = force


def spin_before(state: State, model: Model, body: int) -> None:
    """Let the angular momentum of a body before its last steps be that of its inertia now, turning as it did then.

    Writes:  previous_spin, previous_slim_spin and the spins of older
    """
    back = spatial.multiply(spatial.exponential(-state.displacement[body, 3:]), state.orientation[body])
    spin, slim = spin_of(model, body, back, state.previous_velocity[body, 3:])
    state.previous_spin[body], state.previous_slim_spin[body] = spin, slim
    for step in state.older[body].reshape(-1, STEP):
        if not step.any():  # the scheme does not look back so far
            break
        back = spatial.multiply(spatial.exponential(-step[13:]), back)
        step[6:9], step[9] = spin_of(model, body, back, step[3:6])


def present_pose(state: State, body: int) -> Pose:
    """Pose of a body's centre of mass in a state."""
    return Pose(state.position[body], spatial.matrix(state.orientation[body]))


def jolted(before: Model, state: State, lost: NDArray[np.bool_], group: Integers) -> Integers:
    """Bodies of the model before that rows join, directly or not, to rows that are `lost` (rows,) and carried a
    force; `group` (n,) are the groups that rows join."""
    layout, moves = before.layout, before.bodies.moves
    gone = lost & (state.force != 0.0)
    if not gone.any():
        return np.zeros(0, np.int64)
    hit = np.zeros(before.bodies.count, bool)
    hit[group[layout.entry_body[gone[layout.entry_row]]]] = True
    return np.flatnonzero(hit[group] & (moves > 0) & (group > 0))


def jerked(model: Model, state: State, new: NDArray[np.bool_], loaded: set[int]) -> Integers:
    """Bodies that new hard rows (rows,) hold and that move as these do not allow: the next step stops them with a jerk.

    Joints that go on with a force, `loaded`, were there before, or go on with what others carried.
    """
    layout, hit, row = model.layout, [], 0
    fresh = new & (layout.laws.kind == HOLD)
    owners = set(layout.row_owner[fresh].tolist()) - loaded
    for spec, owner in zip(layout.specs, layout.owner, strict=True) if owners else ():
        rows = slice(row, row + spec.part.rows)
        row = rows.stop
        if owner not in owners:
            continue
        bodies = list(spec.part.bodies)
        blocks = spec.part.evaluate([present_pose(state, body) for body in bodies])[1]
        terms = blocks * state.velocity[bodies]
        if (np.abs(terms.sum(axis=(1, 2))) > STILL * np.abs(terms).sum(axis=(1, 2)))[fresh[rows]].any():
            hit += [body for body in bodies if model.bodies.moves[body]]
    return np.array(hit, np.int64)


def stirred(
    before: Model, state: State, after: Model, index: IndexMap, known_bodies: Mask, known_rows: Mask
) -> Integers:
    """Bodies of the model after an edit that it wakes: they lost what they touched, or lost or got a joint or spring.

    Where something fixed comes in, anything may touch it. `known_bodies` (n,) and `known_rows` (rows,) are not new.
    """
    if (after.bodies.moves[~known_bodies] == 0).any():
        return np.arange(after.bodies.count)
    found, hit = state.contacts.contacts, np.zeros(after.bodies.count + 1, bool)  # the last is for what is gone
    lost = (index.body[found.body_a] < 0) | (index.body[found.body_b] < 0)
    hit[index.body[found.body_a[lost]]] = hit[index.body[found.body_b[lost]]] = True
    hit[index.body[before.layout.entry_body[index.row[before.layout.entry_row] < 0]]] = True
    hit[after.layout.entry_body[~known_rows[after.layout.entry_row]]] = True
    return np.flatnonzero(hit[:-1])
