"""A mechanism that is ready to step: what it is made of, how it steps, and the memory that its stages write into.

All that lasts from one step to the next is in the `State`. What is worked out once, such as orders of elimination, is
looked up by what it depends on; scratch may be filled with anything between two frames, and no bit changes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cache, cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taut.collide.collider import Collider
from taut.collide.contacts import Contacts
from taut.contact.rows import ContactSet
from taut.contact.start import no_contacts
from taut.errors import InputError
from taut.integrators.scheme import Scheme
from taut.model.state import State
from taut.problem.kkt import ANSWER, Kkt, KktAnswer, KktProblem
from taut.problem.solution import MlcpSolution, WarmStart
from taut.responses.articulated import ReducedRows, Velocities, reduced_rows
from taut.responses.crossing import CrossingSprings
from taut.responses.order import trees_first
from taut.responses.redundancy import RedundantRows, alike, idle_limits, welded, welded_together
from taut.responses.tree_redundancy import RedundantKeptRows
from taut.rows.table import PLACES, ROWS, Places, RowTable
from taut.spatial import Array
from taut.stepping.capstan import CapstanFriction
from taut.stepping.mechanism import Mechanism
from taut.stepping.memory import SCRATCH, STATE, counts_of
from taut.stepping.settings import DIVISION, LINEARISATION, Settings, limits_of
from taut.stepping.slim import slim_bodies
from taut.stepping.stopwatch import Stopwatch
from taut.stepping.tables import Scratch, StateTable, StepModel, Tolerances
from taut.structure.incidence import RowEntries
from taut.tables import Handle, held

if TYPE_CHECKING:
    from taut.stepping.part import Part
    from taut.stepping.redmax import RedMax
    from taut.stepping.smooth import SmoothFrames

Witness = Callable[[KktProblem, WarmStart | MlcpSolution, MlcpSolution], None]
"""Sees a problem, where its solver started and what it found."""

ARRAYS = attrgetter(*StateTable._fields)
"""The arrays of a state that stages read, in the order of their table."""


@dataclass(frozen=True, eq=False)
class RowMemory:
    """The rows of one set of contacts after a mechanism's own: tables, and handles to them for kernels.

    `kept` holds what is worked out once about them, by what was.
    """

    entries: RowEntries
    rows: RowTable
    kkt: Kkt
    answer: KktAnswer
    handles: tuple[Handle, Handle, Handle]
    reduced: ReducedRows | None = None
    springs: CrossingSprings | None = None
    kept: dict[Hashable, Any] = field(default_factory=dict)

    def take(self, solution: MlcpSolution) -> None:
        """Put a solution where stages read it."""
        self.answer.lam[:], self.answer.w[:], self.answer.index_set[:] = solution.lam, solution.w, solution.index_set


class Stepper:
    """A mechanism with settings and scratch.

    Attributes:
        mechanism, settings: what steps, and how.
        collider: finds contacts, None where nothing can touch.
        redundancy: finds rows that others make redundant.
        idle: (rows,) 1 for limits that can neither open nor close.
        model, state, scratch: tables, and `m`, `s`, `w` their handles for kernels.
        alone: the empty set of contacts.
        slim: (n,) flags of slim bodies that joints hold, and of bodies that are slim if contacts hold them.
        watch: seconds by stage.
        friction_passes: what is left of them in this frame.
        rubs: whether some rope rubs on what it runs over.
        bounced: (n,) bodies whose step starts from the path after a bounce, None if there are none.
        witness: called with every problem of the whole that was solved, the start and the solution; None for nobody.
            With one, frames go stage by stage.
        redmax: makes frames in place of all stages, None where the scheme is another one.
    """

    def __init__(
        self, mechanism: Mechanism, settings: Settings, whole: Stepper | None = None, spare: Stepper | None = None
    ) -> None:
        """Allocate for this mechanism, which may be a part of that of another stepper.

        Until this one is loaded, it may take the memory of a spare one: nothing in that outlives a frame, so the spare
        one may go on.
        """
        self.spare = spare
        self.mechanism, self.settings = mechanism, settings
        self.watch: Stopwatch = Stopwatch() if whole is None else whole.watch
        geoms, moves = mechanism.geoms, mechanism.bodies.moves
        before = None if spare is None else spare.collider
        self.collider: Collider | None = Collider(geoms, moves, mechanism.margin, before) if geoms.count > 1 else None
        self.bounces = self.collider is not None and bool((geoms.restitution > 0.0).any())
        bodies, links = mechanism.bodies, mechanism.links
        if settings.policy.projections is not None:  # what floats keeps no momentum that projections take
            links = links._replace(floating_start=np.zeros(1, np.int64), floating_body=np.zeros(0, np.int64))
        tolerances = tolerances_of(settings, mechanism, self.collider is not None)
        self.model: StepModel = StepModel(
            mechanism.bodies, mechanism.laws, mechanism.curves, mechanism.loads, mechanism.parts, links,
            mechanism.trees, spare.model.tolerances if spare and spare.model.tolerances == tolerances else tolerances,
        )  # fmt: skip
        coasts = np.uint8(self.model.tolerances.coasts)
        slim = slim_bodies(mechanism, settings.scheme.depth)
        self.slim = slim * coasts, bodies.slim_shape * coasts  # nothing swings that does not coast
        counts = counts_of(mechanism)
        looking_back = mechanism.count if settings.scheme.depth > 1 else 0
        self.state: StateTable = STATE.room(counts | {"looking_back": looking_back}, spare.state if spare else None)
        self.scratch: Scratch = SCRATCH.room(counts, spare.scratch if spare else None)
        self.m: Handle = held(self.model, spare.m if spare else None)
        self.s, self.w = held(self.state), held(self.scratch)
        known = whole or spare
        self.alone: ContactSet = no_contacts() if known is None else known.alone
        self.body_blocks = np.zeros(mechanism.count), np.zeros((mechanism.count, 9)), np.zeros((mechanism.count, 9))
        self.redundancy = self.make_redundancy()
        limits = mechanism.laws.limits > 0
        self.one = welded(mechanism.entries, self.joined) if limits.any() else np.arange(mechanism.count)
        self.idle = idle_limits(self.one, mechanism.entries, limits)
        self.looked_at_loops = False
        self.rubs = bool((mechanism.parts.routes.slip >= 0).any())
        self.friction_passes = 0
        self.bounced: NDArray[np.bool_] | None = None
        self.witness: Witness | None = None
        self.redmax: RedMax | None = None
        self.parts: dict[bytes, Part] = {}

    def __reduce__(self) -> tuple[type[Stepper], tuple[Mechanism, Settings], dict[str, RedMax | None]]:
        """A copy is made anew: nothing that frames leave behind is worth keeping."""
        return Stepper, (self.mechanism, self.settings), {"redmax": self.redmax}

    @property
    def is_exact(self) -> bool:
        """Whether the whole geometric stiffness is implicit, see `taut.stepping.implicit`."""
        return self.settings.geometric_stiffness == "exact"

    @property
    def judges_balance(self) -> bool:
        """Whether bodies under tension must be in balance where a step led."""
        return self.model.tolerances.balances > 0 or self.is_exact

    def load(self) -> None:
        """Load the kernels now, so that the first step costs what the others do.

        What only frames without contacts need waits for one after an edit of bodies that may touch: the next edit may
        come first.
        """
        load_kernels(self.collider is not None, self.settings.sleeping)
        before = None if self.spare is None else self.spare.collider
        if self.collider is not None:
            if before is not None:
                self.collider.take_over(before)
            self.collider.load()
        if self.collider is None or before is None:
            self.redundancy.load()
            solver = self.settings.solver if self.own.reduced is None else self.settings.solver.chosen(None)
            (solver or self.settings.solver).prepare(self.mechanism.entries, contacts=self.collider is not None)
            self.smooth  # noqa: B018
        self.readings  # noqa: B018
        if self.spare is not None:
            self.spare.let_go()
        self.spare = None

    def show(self, witness: Witness | None) -> None:
        """Let someone see all problems from now on, None for nobody; frames go stage by stage meanwhile."""
        self.witness = witness
        vars(self).pop("smooth", None)

    def let_go(self) -> None:
        """Forget what refers back here and can be made again: memory is then free for others once nobody asks for it.

        Otherwise it would be only when Python looks for what keeps each other, and the next edit would have to take
        memory that no cache knows.
        """
        vars(self).pop("smooth", None)
        if self.collider is not None:
            vars(self.collider).pop("sweep", None)

    @cached_property
    def smooth(self) -> SmoothFrames | None:
        """Frames in compiled code, where this stepper can have them."""
        from taut.stepping.smooth import SmoothFrames, can_be_smooth

        return SmoothFrames(self) if self.witness is None and can_be_smooth(self) else None

    @cached_property
    def own(self) -> RowMemory:
        """Rows without contacts."""
        return self.make_rows(self.mechanism.entries)

    @cached_property
    def latest(self) -> tuple[bytes, RowMemory]:
        """Rows with the latest contacts, and what these were."""
        return b"", self.own

    @property
    def has_trees(self) -> bool:
        """Whether some bodies are in joint coordinates."""
        return self.mechanism.trees.body.size > 0

    @cached_property
    def readings(self) -> tuple[RowTable, Places, tuple[Handle, Handle]]:
        """Rows and places for `measure`, and handles of these places and of these rows."""
        counts = counts_of(self.mechanism)
        used = (None, None) if self.spare is None else self.spare.readings[:2]
        rows, places = ROWS.room(counts, used[0]), PLACES.room(counts, used[1])
        return rows, places, (held(places), held(rows))

    def take(self, state: State) -> None:
        """Start from this state: copy it to where stages read it."""
        from taut.stepping.frame_kernels import carry_state

        if carry_state(self.s, 1, *ARRAYS(state)):
            self.refuse(state)

    def refuse(self, state: State) -> None:
        """Say what of a state does not fit."""
        for name, own in self.state._asdict().items():
            if getattr(state, name).shape != own.shape and (name != "older" or own.size):
                given = getattr(state, name).shape
                raise InputError(f"state: {name} has the shape {given}; this model needs {own.shape}")

    def weigh(self, scheme: Scheme, h: float, history: NDArray[np.uint8]) -> None:
        """Set the weights of a step of length h for bodies with this history (bodies,), from the state taken."""
        from taut.stepping.history_kernels import choose_weights

        choose_weights(h, scheme.ladder, history, self.s, self.w)

    def put(self, places: Places, state: State) -> None:
        """Put bodies where a state has them."""
        from taut.spatial_kernels import rotation_matrices

        places.position[:], places.orientation[:] = state.position, state.orientation
        rotation_matrices(places.orientation, places.rotation)

    def places_of(self, state: State) -> Places:
        """Where bodies are in a state."""
        places = Places.empty(self.mechanism.count)
        self.put(places, state)
        return places

    def measure(self, state: State) -> RowTable:
        """The rows of a state: measures and Jacobians without companions, which belong to a step. Read it at once."""
        from taut.stepping.linearise_kernels import measure_at

        rows, places, handles = self.readings
        sizes = len(state.position), len(state.orientation), state.force.size, state.coordinate.size
        if sizes != (len(places.position), len(places.position), rows.force.size, rows.coordinate.size):
            self.refuse(state)
        measure_at(self.m, *handles, state.position, state.orientation, state.force, state.coordinate)
        return rows

    def find_redundant(self, state: State) -> None:
        """Find redundant rows where a step starts: there rows hold, a predicted configuration is a little off."""
        redundant = self.scratch.redundant
        redundant[:] = self.idle
        if self.redundancy.factor is not None:
            jacobian, places = self.measure(state).jacobian, self.readings[1]
            if not self.looked_at_loops:
                self.look_at_loops(jacobian, places)
                redundant[:] = self.idle
            redundant[self.redundancy.find(jacobian, places)] = 1

    @property
    def joined(self) -> NDArray[np.bool_]:
        """Rows (rows,) that hold, but for motors."""
        return np.asarray(self.mechanism.hard & (self.mechanism.laws.moves == 0))

    def look_at_loops(self, jacobian: Array, places: Places) -> None:
        """Find limits between bodies that several joints make one, once for all."""
        entries, bodies, limits = self.mechanism.entries, self.mechanism.bodies, self.mechanism.laws.limits > 0
        self.looked_at_loops = True
        if limits.any():
            moment = alike(bodies.mass, bodies.inertia)
            one = welded_together(self.one, entries, self.joined, jacobian, places.position, moment)
            self.idle = idle_limits(one, entries, limits)

    def find_near(self, state: State) -> Contacts:
        """Contacts of bodies that come near each other within a frame from a state."""
        if self.collider is None:
            return Contacts.none()
        bodies, places, h = self.mechanism.bodies, self.places_of(state), self.settings.step
        speed = np.linalg.norm(state.velocity[:, :3], axis=1)
        speed += np.linalg.norm(state.velocity[:, 3:], axis=1) * bodies.extent
        return self.collider.contacts(places.position, places.rotation, (h * speed + self.mechanism.gravity * h * h))

    def rows_with(self, contacts: ContactSet) -> RowMemory:
        """Rows of the mechanism and of these contacts; the latest are kept: contacts at rest stay as they are."""
        if contacts.count == 0:
            return self.own
        table, own = contacts.table, self.mechanism.entries
        key = table.body_a.tobytes() + table.body_b.tobytes() + table.width.tobytes()
        if "latest" not in vars(self) or key != self.latest[0]:
            entry_row, entry_body = contacts.entries()
            start = own.entry_start[-1] + 2 * np.arange(1, contacts.row_count + 1)
            entries = own.with_rows(start, entry_row, entry_body)
            self.latest = key, self.make_rows(entries)
        return self.latest[1]

    def make_rows(self, entries: RowEntries) -> RowMemory:
        """Room for these rows."""
        rows, blocks, mechanism = entries.row_count, entries.entry_body.size, self.mechanism
        spare: RowMemory | None = None if self.spare is None else vars(self.spare).get("own")
        table = RowTable.of(mechanism.count, mechanism.slot_count, rows, blocks, spare.rows if spare else None)
        inverse_mass, inverse_inertia, turning = self.body_blocks
        compliance, bias, diagonal = np.zeros((3, rows))
        kkt = Kkt(
            entry_start=entries.entry_start, entry_row=entries.entry_row, entry_body=entries.entry_body,
            inverse_mass=inverse_mass, inverse_inertia=inverse_inertia, turning=turning, jacobian=table.jacobian,
            response=np.zeros((blocks, 6)), compliance=compliance, bias=bias, lower=table.lower, upper=table.upper,
            diagonal=diagonal,
        )  # fmt: skip
        answer = ANSWER.room({"rows": rows}, spare.answer if spare else None)
        reduced = self.make_reduced(entries)
        handles = held(table), held(kkt), held(answer)
        return RowMemory(entries, table, kkt, answer, handles, reduced, self.make_springs(reduced))

    def rubbing_ropes(self, memory: RowMemory) -> list[CapstanFriction]:
        """The law of ropes that rub on what they run over, where there are any."""
        return [CapstanFriction.of(self.mechanism.parts.routes, memory.rows)] if self.rubs else []

    def make_springs(self, reduced: ReducedRows | None) -> CrossingSprings | None:
        """Solves with springs across trees, None where there are none."""
        if reduced is None or not reduced.table.crossing.size:
            return None
        own: RowMemory | None = vars(self).get("own")
        if own is None or own.springs is None:
            return CrossingSprings(reduced, self.settings.linear)
        return own.springs.among(reduced)

    def make_redundancy(self) -> RedundantRows | RedundantKeptRows:
        """What finds redundant rows."""
        mechanism, bodies = self.mechanism, self.mechanism.bodies
        reduced = self.own.reduced if self.has_trees else None
        if reduced is None:
            return RedundantRows(mechanism.entries, mechanism.hard, bodies.mass, bodies.inertia)
        return RedundantKeptRows(reduced, mechanism.entries, mechanism.hard, bodies.mass, bodies.inertia)

    def make_reduced(self, entries: RowEntries) -> ReducedRows | None:
        """Room for eliminating trees among these rows, None where there are none, or contacts outnumber them by far."""
        trees, candidate = self.mechanism.trees, self.scratch.candidate
        if not self.has_trees:
            return None
        if entries is not self.mechanism.entries and self.own.reduced is not None:
            return self.own.reduced.among(entries) if trees_first(trees, entries) else None
        velocities = Velocities(candidate.near, candidate.change)
        return reduced_rows(trees, entries, self.scratch.base, velocities)


@cache
def load_kernels(collides: bool, sleeps: bool) -> None:
    """Load the kernels of frames."""
    modules = ["stepping.frame_kernels", "stepping.collide_kernels"]
    if collides:
        modules += ["contact.friction_kernels", "contact.memory_kernels", "contact.start_kernels"]
        modules += ["stepping.mend_kernels"]
    modules += ["stepping.sleep_kernels"] if sleeps else []
    for module in modules:
        importlib.import_module(f"taut.{module}")


def tolerances_of(settings: Settings, mechanism: Mechanism, collides: bool) -> Tolerances:
    """What stages compare with."""
    policy, has_rows = settings.policy, mechanism.row_count > 0
    return Tolerances(
        limits=limits_of(settings), step=settings.step,
        stiff=int(settings.geometric_stiffness != "off"),
        balances=int(policy.accepts and settings.geometric_stiffness == "auto" and has_rows),
        accelerates=int(mechanism.accelerates),
        parts=int(mechanism.several and mechanism.count > DIVISION.many_bodies), collides=int(collides),
        coasts=int(not settings.scheme.first_order), repair=policy.repair,
        flight=LINEARISATION.flight if settings.scheme.depth < 2 or collides else 0.0,
    )  # fmt: skip
