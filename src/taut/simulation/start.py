"""What a simulation starts with: solver, state, how deep bodies overlap, and what is allowed but surely a mistake.

Each mistake is said in one line, a `TautWarning` that names bodies, joint or value. What a step itself may leave behind
is none: rounded lengths, and bodies that rest on each other.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from taut import checks, solvers
from taut.collide.contacts import Contacts
from taut.collide.geometry import Geoms
from taut.contact.memory import ContactMemory
from taut.errors import InputError, TautWarning
from taut.model.state import State
from taut.results.joint_readings import JointMeter
from taut.rows.law import HOLD, LIMITS
from taut.solvers.base import PivotingSolver
from taut.stepping.settings import Settings
from taut.stepping.stepper import Stepper

LONG_STEP = 0.25
"""Step in s above which nothing of everyday size is resolved: a pendulum of 1 m swings in 2 s, which is eight of them,
and a body falls by 0.3 m in one."""

ROUNDED = 1e-3
"""Share of a length or limit by which a joint may miss it at the start: what is typed is rounded to three digits."""


def solver_of(
    solver: str | PivotingSolver, partition: str | None = None, part_size: int | None = None
) -> PivotingSolver:
    """A solver that is given, or the one of this name; its parts as they are asked for."""
    if not isinstance(solver, PivotingSolver):
        solver = solvers.get(checks.known("simulation", "solver", solver, ["auto", *solvers.names()]))
    return solvers.with_parts("simulation", solver, partition, part_size)


def fitting_state(state: State, own: State, geoms: Geoms) -> State:
    """A copy of a state that is given to go on from, if it is of the same bodies and joints as a simulation's own."""
    if not isinstance(state, State):
        raise InputError(f"restore: the state is {checks.shown(state)}; it must be a taut.State")
    for name, value in vars(own).items():
        given = getattr(state, name)
        if name != "contacts" and np.shape(given) != np.shape(value):
            raise InputError(
                f"restore: {name} has the shape {np.shape(given)}; this model needs {np.shape(value)}: the state is of "
                "other bodies or joints; `sim.save` and `taut.Simulation.load` keep the scene with it"
            )
        if isinstance(value, np.ndarray) and given.dtype != value.dtype:
            raise InputError(f"restore: {name} is of type {given.dtype}; it must be {value.dtype}")
    found, none = state.contacts.contacts, ContactMemory.none().arrays()
    for name, given in state.contacts.arrays().items():
        if given.shape != (found.count, *none[name].shape[1:]) or given.dtype != none[name].dtype:
            raise InputError(f"restore: {name} is {given.dtype}{list(given.shape)} for {found.count} contacts")
    for geom, body in ((found.geom_a, found.body_a), (found.geom_b, found.body_b)):
        if (geom >= geoms.count).any() or (geoms.body[geom] != body).any():
            raise InputError("restore: the state has contacts of shapes that this model does not have")
    return state.copy()


def start_contacts(stepper: Stepper, state: State) -> Contacts:
    """Contacts of a state, each with its gap; what does not collide is not among them."""
    if stepper.collider is None:
        return Contacts.none()
    places = stepper.places_of(state)
    return stepper.collider.contacts(places.position, places.rotation, np.zeros(len(state.position)))


def deepest_overlap(contacts: Contacts) -> float:
    """Depth in m of the deepest contact; 0 where nothing overlaps."""
    return float(np.max(-contacts.gap, initial=0.0))


def warn_of_mistakes(stepper: Stepper, meter: JointMeter, state: State, depth: float, moves: bool) -> None:
    """Warn of what the start has in it, in the name of who made the simulation.

    `depth` is that of the deepest overlap, m; `moves` says whether steps take time.
    """
    when, joints = "at the start", np.ones(len(meter.names), bool)
    mistakes = [*long_steps(stepper.settings), *pulled_joints(stepper, meter, state, when, joints)] if moves else []
    if depth > 0.0:
        mistakes += overlaps(stepper, meter, start_contacts(stepper, state), when, "scene.ignore_contacts")
    for text in mistakes:
        warnings.warn(text, TautWarning, stacklevel=3)


def long_steps(settings: Settings) -> Iterator[str]:
    """A step of seconds."""
    if settings.step > LONG_STEP:
        yield (
            f"simulation: step is {settings.step:g} s; motion is not resolved by steps above {LONG_STEP:g} s, "
            "1/60 s is usual"
        )


def overlaps(stepper: Stepper, meter: JointMeter, contacts: Contacts, when: str, cure: str) -> Iterator[str]:
    """Bodies that overlap by more than a step may leave: a share of the thinner one's half thickness.

    `when` they do, and what is the `cure` if they are meant to.
    """
    geoms, names = stepper.mechanism.geoms, meter.model.bodies.names
    a, b = contacts.geom_a, contacts.geom_b
    allowed = stepper.settings.contact_limit * np.minimum(geoms.thickness[a], geoms.thickness[b])
    rigid = geoms.give[a] + geoms.give[b] == 0.0  # soft surfaces may be pressed
    deep = np.flatnonzero(rigid & (-contacts.gap > allowed))
    if not deep.size:
        return
    worst = deep[np.argmin(contacts.gap[deep])]
    pairs = {(int(contacts.body_a[each]), int(contacts.body_b[each])) for each in deep}
    first, second = names[contacts.body_a[worst]], names[contacts.body_b[worst]]
    count = f" ({len(pairs)} pairs in all)" if len(pairs) > 1 else ""
    yield (
        f"bodies {first!r} and {second!r} overlap by {-contacts.gap[worst]:.3g} m {when}{count}; "
        f"place them apart, or {cure}"
    )


def pulled_joints(
    stepper: Stepper, meter: JointMeter, state: State, when: str, chosen: NDArray[np.bool_]
) -> Iterator[str]:
    """Ropes and rods, of the chosen joints (joints,), that are not as long as what they span, and joints that are open
    or start outside their limits; each joint once, by the row that is farthest off."""
    count = meter.row_link.size
    value, target, kind = state.measure[:count], state.target[:count], meter.kind[:count]
    low, high = state.limits[:count].T
    end = np.where(kind == LIMITS, np.clip(value, low, high), np.where(kind == HOLD, target, value))
    missed = np.abs(value - end) > np.maximum(stepper.settings.limit, ROUNDED * np.abs(end))
    rows = np.flatnonzero(missed & chosen[meter.row_link])
    worst = {meter.row_link[row]: row for row in rows[np.argsort(np.abs(value - end)[rows], kind="stable")]}
    for row in sorted(worst.values()):
        joint = f"joint {meter.names[meter.row_link[row]]!r}"
        if meter.pulls[meter.row_link[row]]:
            yield f"{joint}: it is {end[row]:.4g} m long, but its ends are {value[row]:.4g} m apart {when}"
        elif kind[row] == HOLD:
            yield f"{joint}: it is open by {abs(value[row] - end[row]):.4g} {when}"
        else:
            yield f"{joint}: it starts at {value[row]:.4g}, outside its limits {low[row]:.4g} to {high[row]:.4g}"
