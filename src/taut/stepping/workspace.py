"""The memory of a simulation's steps: rows, response, contacts, predicted configuration, seconds by stage."""

from __future__ import annotations

import importlib
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from taut.collide.collider import Collider
from taut.contact.friction import FRAME_PASSES
from taut.contact.rows import ContactRows
from taut.integrators.scheme import Scheme
from taut.integrators.weights import Weights
from taut.model.groups import energy_groups, joined_groups
from taut.model.model import Model
from taut.model.state import State
from taut.problem.mlcp import MlcpProblem
from taut.responses.free_bodies import FreeBodies
from taut.rows.container import RowWork
from taut.rows.law import HOLD, LIMITS, SOFT
from taut.rows.layout import COMPANION
from taut.spatial import Array
from taut.stepping.energy import unresolved_energy
from taut.stepping.momentum import FloatingGroups
from taut.stepping.settings import Settings
from taut.structure.incidence import RowEntries


class Workbench:
    """What the steps of a simulation write into and read from.

    No frame reads what the one before it left here: all that lasts is in the `State`.
    """

    def __init__(self, model: Model, settings: Settings) -> None:
        """Allocate for this model."""
        count, layout = model.bodies.count, model.layout
        self.model = model
        self.settings = settings
        self.rows = RowWork(layout, count)
        self.response = FreeBodies(model)
        self.floating = FloatingGroups(model)
        # what a soft motor gives is in the energy of its spring
        self.drives = (layout.laws.drives & (layout.laws.kind != SOFT)).astype(np.uint8)
        self.has_drives = bool(self.drives.any())
        self.limits = layout.laws.kind == LIMITS
        self.closes = (self.response.redundancy.hard | self.limits).astype(np.uint8)
        self.servos = layout.laws.drives & (layout.laws.kind == HOLD)
        self.companion = (layout.laws.kind == COMPANION).astype(np.uint8)
        self.judges_balance = settings.solver.exact and settings.geometric_stiffness and layout.row_count > 0
        self.accelerates = self.judges_balance and not all(spec.part.whole_stiffness for spec in layout.specs)
        self.counts = np.ones(layout.row_count, np.uint8)
        self.jointed = np.zeros(count, bool)
        self.jointed[layout.entry_body] = model.bodies.moves[layout.entry_body] > 0
        self.position, self.base_position = np.zeros((count, 3)), np.zeros((count, 3))
        self.orientation, self.base_orientation = np.zeros((count, 4)), np.zeros((count, 4))
        self.rotation = np.zeros((count, 9))
        self.joined, self.held = (joined_groups(model, through_fixed) for through_fixed in (False, True))
        self.group = energy_groups(model)
        self.loose = np.ones(int(self.group.max(initial=0)) + 1, bool)
        self.loose[self.group[layout.entry_body]] = False
        self.mixed = bool((self.group[model.bodies.moves > 0] == 0).any())
        self.unresolved_energy = unresolved_energy(model, settings, self.group)
        self.verdict, self.contact_verdict, self.mechanical = np.zeros(4), np.zeros(3), np.zeros(8)
        self.seconds = np.zeros(6)
        self.clock = 0.0
        self.row_body = first_moving_body(model)
        geoms = model.geoms
        self.collider = Collider(geoms, model.bodies.moves, model.contact_margin) if geoms.count > 1 else None
        self.extent, self.slack = body_extent(model), np.full(count, np.inf)
        if self.collider is not None:
            np.minimum.at(self.slack, geoms.body, self.collider.margin)
        self.bounces = self.collider is not None and bool((geoms.restitution > 0.0).any())
        self.slim = model.slim
        self.reach, self.start_rotation = np.zeros(count), np.zeros((count, 9))
        self.contacts: ContactRows | None = None
        self.friction_passes = FRAME_PASSES
        self.weights_key: tuple[str, float, bytes] | None = None
        self.entries: dict[bytes, RowEntries] = {}

    def load(self) -> None:
        """Load the kernels and analyse the pattern now, so that the first step costs what the others do."""
        modules = ["integrators.motion_kernels", "rows.law_kernels", "stepping.balance_kernels"]
        modules += ["responses.free_bodies_kernels", "problem.kkt_kernels"]
        if self.floating.exist:
            modules.append("stepping.momentum_kernels")
        if self.collider is not None:
            modules += ["contact.rows_kernels", "contact.friction_kernels", "contact.matching_kernels"]
            modules.append("model.groups_kernels")
            self.collider.load()
        for module in modules:
            importlib.import_module(f"taut.{module}")
        solver = self.settings.solver
        solver.prepare(self.model.entries)
        solver.solve(MlcpProblem.from_matrix([[1.0]], [0.0], 0.0))

    def put_at(self, state: State) -> None:
        """Put bodies where a state has them and measure the rows there."""
        from taut.spatial_kernels import rotation_matrices

        rows = self.rows
        self.position[:], self.orientation[:] = state.position, state.orientation
        rotation_matrices(self.orientation, self.rotation)
        rows.force[: state.force.size] = state.force
        rows.count_from(state.coordinate, 0.0)
        rows.step = 0.0  # companion rows belong to a step: between two there are none
        rows.beta.fill(0.0)
        rows.evaluate(self.position, self.rotation)

    def weights(self, scheme: Scheme, h: float, history: NDArray[np.uint8]) -> Weights:
        """Weights of a step for bodies with this history (bodies,); the latest are kept, because they stay the same."""
        key = (scheme.name, h, history.tobytes())
        if key != self.weights_key:
            self.weights_key, self.latest_weights = key, Weights.of(scheme, h, history)
        return self.latest_weights

    def lap(self, stage: int) -> None:
        """Charge the time since the last lap to a stage of `taut.results.report.STAGES`."""
        now = perf_counter()
        self.seconds[stage] += now - self.clock
        self.clock = now


def body_extent(model: Model) -> Array:
    """Distance (bodies,) from each centre of mass to the farthest point of the body's geometry, m."""
    geoms, extent = model.geoms, np.zeros(model.bodies.count)
    finite = np.isfinite(geoms.radius)
    np.maximum.at(extent, geoms.body[finite], (np.linalg.norm(geoms.position, axis=1) + geoms.radius)[finite])
    return extent


def first_moving_body(model: Model) -> np.ndarray:
    """First body of every row (rows,) that moves: its scheme is the row's."""
    layout = model.layout
    entry_moves = model.bodies.moves[layout.entry_body] > 0
    body = np.zeros(layout.row_count, np.int64)
    # backwards, so that the first moving one is written last
    for entry in np.flatnonzero(entry_moves)[::-1]:
        body[layout.entry_row[entry]] = layout.entry_body[entry]
    return body
