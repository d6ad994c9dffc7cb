"""What the stages of a frame read and write: tables of arrays, see `taut.tables`.

StepModel     all that stays: bodies, laws, parts, loads, groups, tolerances
StateTable    the state that a step starts from
Scratch       what stages hand on to each other within a step, bodies first; nothing in it outlives the step
Kkt, RowTable, ContactTable, KktAnswer      the same by row and by contact: they come and go with contacts
"""

from __future__ import annotations

from typing import NamedTuple

from taut.model.articulation import Articulation
from taut.rows.curve import Curves
from taut.rows.parts import Parts
from taut.rows.table import Places, RowTable
from taut.tables import Flags, RealRows, Reals, Wholes

VIOLATION, ERROR, DRIFT, LEFT, OPENED, MISFIT = range(6)
"""Rows of the verdict: gap of the worst hard row, error of the linearisation, gap of the worst row that can be closed,
what of it is for the rest of the frame, by how much redundant rows opened, and how far they are open, m or rad."""
DEPTH, CONTACT_ERROR, TOUCHING, STRAYED = range(6, 10)
"""Depth of the deepest contact, m; overlap that was not foreseen, over thickness; contacts that push; 1 where bodies
strayed from where contacts were looked for."""
IMBALANCE, REACH, TURNED = range(10, 13)
"""Displacement by which bodies under tension miss their balance; how far bodies that no contact touches ended from
where the solve was linearised; how far any jointed body turned on that way, m or rad."""
RISE, CONTACT_RISE = 13, 14
"""Energy that came from nowhere, relative to what moved: of jointed bodies that touch nothing, and of others."""
VERDICTS = 15
"""Rows of the verdict in all."""

KINETIC, POTENTIAL, SPRINGS = 0, 1, 8
"""Numbers of the balance: energies, J; between them linear and angular momentum, three each."""
BALANCE = 9
"""Numbers of the balance in all."""


class BodyTable(NamedTuple):
    """Mass properties, see `taut.model.model.Bodies`; gravity (3,) m/s^2.

    `slim_shape` (n,) is 1 for slim bodies, `extent` (n,) m how far a body's geometry is from its
    centre of mass at most, and `slack` (n,) m the gap within which contacts are found even of bodies at rest.
    """

    moves: Flags
    mass: Reals
    inertia: RealRows
    slim_axis: RealRows
    linear_damping: Reals
    angular_damping: Reals
    slim_shape: Flags
    extent: Reals
    slack: Reals
    gravity: Reals


class LawRows(NamedTuple):
    """What of the laws of the model's own rows (rows,) stays, see `taut.rows.layout.LawTable`.

    `moves` are motors, `drives` those whose work is counted (that of soft ones is in their springs), `limits` the
    limits, `hard` hard rows of unlimited force, `closes` these and limits but for what trees keep, `companion` rows
    that stand for a part of the geometric stiffness, `joined` what trees keep; `spring` and `damper` are numbers of
    curves, -1 for none.
    """

    kind: Wholes
    stiffness: Reals
    damping: Reals
    moves: Flags
    drives: Flags
    limits: Flags
    hard: Flags
    closes: Flags
    companion: Flags
    joined: Flags
    spring: Wholes
    damper: Wholes


class LoadTable(NamedTuple):
    """Constant loads, see `taut.model.model.Loads`."""

    body: Wholes
    force: RealRows
    point: RealRows
    torque: RealRows
    follows: Flags


class LinkTable(NamedTuple):
    """How rows connect bodies.

    Attributes:
        row_body: (rows,) first moving body of every row: its scheme is the row's.
        entry_start, entry_row, entry_body: Jacobian blocks of the model's own rows.
        joined: (n,) lowest body of the group that rows join, 0 for what does not move.
        jointed: (n,) 1 for bodies that any row touches.
        weight: (n,) N, of bodies, and what loads they carry.
        floating_start, floating_body: groups of bodies that nothing fixed holds.
    """

    row_body: Wholes
    entry_start: Wholes
    entry_row: Wholes
    entry_body: Wholes
    joined: Wholes
    jointed: Flags
    weight: Reals
    floating_start: Wholes
    floating_body: Wholes


class Limits(NamedTuple):
    """Numbers of `Settings` that candidates are accepted by."""

    tolerance: float
    limit: float
    contradiction: float
    contact_tolerance: float
    contact_limit: float
    friction_limit: float
    energy_tolerance: float
    rough_energy_tolerance: float


class Tolerances(NamedTuple):
    """What stages compare with; flags are 0 or 1."""

    limits: Limits
    step: float
    stiff: int
    balances: int
    accelerates: int
    parts: int
    collides: int
    coasts: int
    repair: float
    flight: float


class StepModel(NamedTuple):
    """All that stages know of a model and its settings."""

    bodies: BodyTable
    laws: LawRows
    curves: Curves
    loads: LoadTable
    parts: Parts
    links: LinkTable
    trees: Articulation
    tolerances: Tolerances


class StateTable(NamedTuple):
    """The arrays of the state that a step starts from, in the order of `taut.model.state.State`.

    Frames change all but the last six.
    """

    history: Flags
    calm: Wholes
    position: RealRows
    orientation: RealRows
    velocity: RealRows
    spin: RealRows
    slim_spin: Reals
    previous_velocity: RealRows
    previous_spin: RealRows
    previous_slim_spin: Reals
    displacement: RealRows
    older: RealRows
    lent: Reals
    force: Reals
    index_set: Wholes
    coordinate: Reals
    reached: Reals
    reached_limits: RealRows
    measure: Reals
    target: Reals
    limits: RealRows
    force_limits: RealRows
    firmness: Reals
    applied: RealRows
    applied_point: RealRows


class WeightTable(NamedTuple):
    """The `Scheme` of every body (n,); h (1,) s. `level` is how many steps it looks back on.

    Bodies whose motion is not smooth restart with Euler while others go on. Those that rows join must share their
    scheme, so that J^T and J meet the same beta and A stays symmetric.
    """

    h: Reals
    alpha: Reals
    beta: Reals
    now: Reals
    before: Reals
    drift: Reals
    guess_now: Reals
    guess_before: Reals
    level: Flags


class Past(NamedTuple):
    """What a step looks back on, by body: the last one, and what older ones add to it; 0 for those that do not.

    Shapes: velocity (n, 6), spin (n, 3), slim_spin (n,) and displacement (n, 6), as in the state; orientation (n, 4) is
    where the step starts.
    """

    velocity: RealRows
    spin: RealRows
    slim_spin: Reals
    displacement: RealRows
    orientation: RealRows


class Candidate(NamedTuple):
    """A step on its way, by body.

    Attributes:
        slim: (n,) 1 for slim bodies that joints or contacts hold.
        guess: (n, 6) v_k, the velocity that the linearisation is made at.
        wrench: (n, 6) N and N m, what is applied.
        inertia: (n, 9) kg m^2, world axes, at x_k.
        stiffness: (n, 9) N m/rad, what of -K~ is implicit.
        free_velocity: (n, 6) without rows.
        near: (n, 6) v_k without the free velocity, of bodies in joint coordinates, else 0.
        change: (n, 6) v+ - v_k of bodies in joint coordinates, as they were solved.
        bent: (n,) how far from where the solve led joint coordinates put a body, m or rad.
        shift: (n, 6) by what another velocity bodies in joint coordinates get to where they are, 0 for the others.
        velocity: (n, 6) v+.
        moved: (n, 6) v+ as bodies were moved with it; momenta are those of it.
        path: (n, 6) m and rad, from the state to x+.
        spin, slim_spin: (n, 3), (n,) kg m^2/s, at x+.
        touched: (n,) 1 for bodies that contacts act on.
        away: (n,) how far jointed bodies ended from x_k, m or rad.
        shaken: (n,) 1 for bodies that joints connect to one that a contact acts on.
        lent: (n,) J, of the next state, see `State`.
        taut: (n,) 1 for bodies that tension holds, with a scheme that looks back far.
        error: (n, 6) by how much bodies under tension miss their balance, m and rad.
        row_error: (rows,) how far rows are off, or open though they can be closed, m or rad.
        thrown: (n,) 1 for bodies that reach a one-sided spring which the step does not resolve, or that a limit caught.
        struck: (n,) 1 for bodies that a limit throws back, or that it or a spring lets go, and that look back: they may
            not in that step.
    """

    slim: Flags
    guess: RealRows
    wrench: RealRows
    inertia: RealRows
    stiffness: RealRows
    free_velocity: RealRows
    near: RealRows
    change: RealRows
    bent: Reals
    shift: RealRows
    velocity: RealRows
    moved: RealRows
    path: RealRows
    spin: RealRows
    slim_spin: Reals
    touched: Flags
    away: Reals
    shaken: Flags
    lent: Reals
    taut: Flags
    error: RealRows
    row_error: Reals
    thrown: Flags
    struck: Flags


class Course(NamedTuple):
    """What frames in a row hand on to each other beside the state.

    Attributes:
        ladder: (depth + 1, 12) by how many steps bodies may look back on, see `Scheme.ladder`.
        rounding: (1,) m or rad, by which rounding may leave a joint open.
        slim: (n,) 1 for slim bodies that joints hold.
        servos: (rows,) 1 for motors that hold a position.
        watched: (n,) 1 for bodies that were rough not long ago.
        risen: (n,) what energy rose by in earlier parts of a frame: nothing.
        error, fault: (n,) by group, see `acceptance_kernels.py`.
        report: see FRAMES.
        ticks: (6,) by stage.
    """

    ladder: RealRows
    rounding: Reals
    slim: Flags
    servos: Flags
    watched: Flags
    risen: Reals
    error: Reals
    fault: Wholes
    report: Reals
    ticks: Wholes


FRAMES, RESIDUAL, WORST, PIVOTS, ENERGY, TIGHT, SOLVES, EARLIER = range(8)
"""Numbers of the report of frames in a row: how many were done, and of the last one its residual, violation, pivots,
energy, rows at a bound and solves; and the pivots of the first try of the frame at hand."""


SMOOTH, UNSOLVED, ROUGH, AGAIN = range(4)
"""How frames in a row ended: all were done; one could not be solved or closed; one was judged and not accepted; or so,
and it said where to linearise again."""


class Verdict(NamedTuple):
    """What a candidate achieved at the new configuration.

    Attributes:
        group: (n,) group of every body that joints or near contacts connect, by its lowest body: given.
        energy_group: (n,) the same for joints and contacts that touch.
        table: (VERDICTS, n) by group.
        kinetic, gain, at_rest, work: (n,) J, by energy group: kinetic energy, energy that came from nowhere, what of it
            a step does not resolve, and work that was put in.
        jointless: (n,) 1 for energy groups that touch, or have no rows.
        balance: (BALANCE,) energies and momenta of all bodies.
    """

    group: Wholes
    energy_group: Wholes
    table: RealRows
    kinetic: Reals
    gain: Reals
    at_rest: Reals
    work: Reals
    jointless: Flags
    balance: Reals


class Scratch(NamedTuple):
    """What stages hand on to each other within a step.

    Attributes:
        weights, past: the scheme of the step, and what it looks back on.
        base: x_k, where the linearisation was made.
        places: where bodies are, x_k and then x+.
        joint, led: (nodes, 7) joint coordinates of trees, see `taut.responses.kinematics_kernels`, and where they were
            read off: positions and orientations.
        there: the model's own rows at x+.
        left: (rows,) gap that the step leaves for the rest of its frame to close, m or rad.
        redundant: (rows,) 1 for rows that others make redundant, see `taut.responses.redundancy`.
        reach: (n,) m, how far points of a body may stray before contacts are looked for again.
        candidate, verdict: the step on its way, and what it achieved.
    """

    weights: WeightTable
    past: Past
    base: Places
    places: Places
    joint: RealRows
    led: RealRows
    there: RowTable
    left: Reals
    redundant: Flags
    reach: Reals
    candidate: Candidate
    verdict: Verdict
