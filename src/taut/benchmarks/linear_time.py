"""Linear-time multipliers: time against bodies and auxiliary rows, other methods, Baraff's table, Pinocchio.

The parts of the table; all cases of a part are measured in turn, and each figure is the least of the rounds (`size`,
`auxiliary`, `method`) or the median of the frames (`paper`, `step`). `matrix_ms` is what comes before the solve:

    size       hinges (5 rows) or balls (3 rows): matrix_ms the sparse factor, total_ms also to put it together,
               us_per_body and exponent (against bodies) of factor and solve
    auxiliary  1,000 hinged bodies with k limits: matrix_ms the condensation, solve_ms the k x k problem, total_ms with
               the factor of the bodies; exponents against k
    method     381 multipliers of 127 ball joints: assembling and solving; ratio to linear-time
    paper      the systems of [Baraff1996, section 9]: Jacobians, assembling and solving; ratios to the first
    step       the hanging chain stage by stage, beside Pinocchio's articulated-body algorithm (extra `bench`); error_m
               of the load after 5 s
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from taut import scenes, solvers
from taut.benchmarks._articulated import ArticulatedChain, has_pinocchio
from taut.benchmarks._clock import Stopwatch, exponent, least_seconds, stages_in_turn
from taut.benchmarks._jointed_bodies import FAMILIES, jointed_bodies
from taut.benchmarks._trees import hinged, planar_tree, spatial_tree
from taut.problem.kkt import KktProblem
from taut.results.report import STAGES
from taut.scene.scene import Scene
from taut.scenes._chain import LINK_MASS
from taut.scenes.hanging_chain import REFERENCE
from taut.simulation.simulation import Simulation
from taut.solvers.linear_time import LinearTime
from taut.solvers.tree.tree import Tree
from taut.spatial import Array
from taut.stepping.stepper import RowMemory

BODIES = (64, 256, 1024, 4096, 16384)
LIMITED, LIMITED_BODIES = (4, 8, 16, 32, 64, 128), 1000
JOINTS = 127
ROUNDS = 20
FRAMES, CHAIN_FRAMES = 60, 300
CHAIN_LINKS = 100

METHODS = ("linear-time", "bpp", "bpp-dense")

PAPER_MS = (7.75, 7.75 + 17.0, 7.75 + 17.0, 18.0, 44.6)
"""Times of the paper on a 250 MHz R4400, ms; its 12 auxiliary multipliers are of loops."""

HEAVIER = np.array([-17.485244, 0.0, -10.214144])
"""Centre of a load of 1e6:1 after 5 s, m: articulated-body runs with 384 and 512 substeps, extrapolated."""

CHAINS = ((500.0, REFERENCE, (16,)), (250_000.0, HEAVIER, (256, 288)))
"""Mass of the load (kg), where it is after 5 s (m), and substeps a frame for the articulated-body algorithm."""


def run() -> list[dict[str, Any]]:
    """One row a case."""
    return [*size_rows(), *auxiliary_rows(), *method_rows(), *paper_rows(), *step_rows()]


def size_rows() -> list[dict[str, Any]]:
    """Factor and solve against the number of bodies."""
    cases = [(f"{family}, {rows}-row joints", family, rows) for rows in (5, 3) for family in FAMILIES]
    built = [jointed_bodies(family, count, rows) for _, family, rows in cases for count in BODIES]
    seconds = iter(least_seconds([each.measure for each in built], ROUNDS))
    found: list[dict[str, Any]] = []
    for case, _, _ in cases:
        both = []
        for count in BODIES:
            best = next(seconds)
            both.append(best["factor"] + best["solve"])
            found.append(
                {"part": "size", "case": case, "bodies": count, "auxiliary": 0}
                | times(best["factor"], best["solve"], best["load"]) | {"us_per_body": 1e6 * both[-1] / count}
            )  # fmt: skip
        found.append({"part": "size", "case": case, "exponent": exponent(BODIES, both)})
    return found


def auxiliary_rows() -> list[dict[str, Any]]:
    """Condensation and the solve of what is left against the number of auxiliary rows."""
    found: list[dict[str, Any]] = []
    for family in ("chain", "tree"):
        sims = [started(hinged(family, LIMITED_BODIES, limited), "linear-time") for limited in LIMITED]
        seconds = least_seconds([partial(measure_condensation, sim) for sim in sims], ROUNDS)
        for limited, best in zip(LIMITED, seconds, strict=True):
            row = {"part": "auxiliary", "case": family, "bodies": LIMITED_BODIES, "auxiliary": limited}
            found.append(row | times(best["condense"], best["solve"], best["assemble"] + best["factor"]))
        for name, stage in (("condensation", "condense"), ("k x k solve", "solve")):
            slope = exponent(LIMITED, [best[stage] for best in seconds])
            found.append({"part": "auxiliary", "case": f"{family}, {name}", "exponent": slope})
    return found


def measure_condensation(sim: Simulation) -> dict[str, float]:
    """Seconds to assemble, to factor bodies and joints, to condense to the auxiliary rows, and to solve for them."""
    from taut.solvers.tree.tree_kernels import factor_tree

    tree = tree_of(sim)
    watch = Stopwatch()
    problem = assembled(sim)
    watch.lap("assemble")
    factor_tree(problem.handle, tree.work_handle)
    watch.lap("factor")
    tree.condense(problem)
    left = tree.left(problem)
    watch.lap("condense")
    solvers.get("bpp").solve(left)
    watch.lap("solve")
    return watch.seconds


def method_rows() -> list[dict[str, Any]]:
    """Assembling and solving the same linearisation with every method."""
    sims = [started(spatial_tree(JOINTS), name) for name in METHODS]
    seconds = least_seconds([partial(measure_solve, sim) for sim in sims], ROUNDS)
    rows: list[dict[str, Any]] = [
        {"part": "method", "case": name, "bodies": JOINTS, "auxiliary": 0} | times(own["assemble"], own["solve"])
        for name, own in zip(METHODS, seconds, strict=True)
    ]
    return [row | {"ratio": row["total_ms"] / rows[0]["total_ms"]} for row in rows]


def measure_solve(sim: Simulation) -> dict[str, float]:
    """Seconds to assemble and to solve the last linearisation, from a cold start."""
    watch = Stopwatch()
    problem = assembled(sim)
    watch.lap("assemble")
    sim.settings.solver.solve(problem)
    watch.lap("solve")
    return watch.seconds


def paper_scenes() -> list[tuple[str, Scene]]:
    """The systems that the paper gives times for; loops as this solver takes them, and limits, which are auxiliary."""
    return [
        ("planar, 108", planar_tree(54)),
        ("planar, 96 + 12 of loops", planar_tree(48, loops=6)),
        ("planar, 96 + 12 limits", planar_tree(48, limited=12)),
        ("spatial, 96 + 3 contacts", spatial_tree(32, on_ground=True)),
        ("spatial, 381", spatial_tree(127)),
    ]


def paper_rows() -> list[dict[str, Any]]:
    """Time a linearised solve, and how the cases compare, here and in the paper."""
    cases = paper_scenes()
    sims = [started(scene, "linear-time") for _, scene in cases]
    stages = stages_in_turn([partial(measure_linearisation, sim) for sim in sims], FRAMES)
    total = [1e3 * own["linearisation"] for own in stages]
    return [
        {
            "part": "paper", "case": name, "bodies": sim.model.bodies.count - 1,
            "auxiliary": tree_of(sim).layout.auxiliary.size, "total_ms": own, "ratio": own / total[0],
            "paper_ratio": paper / PAPER_MS[0],
        }
        for (name, _), sim, own, paper in zip(cases, sims, total, PAPER_MS, strict=True)
    ]  # fmt: skip


def measure_linearisation(sim: Simulation) -> dict[str, float]:
    """Seconds of a frame for Jacobians, assembling and solving, over the number of its solves."""
    report = sim.step()
    return {"linearisation": float(np.sum(report.stage_seconds[1:4])) / report.solves}


def step_rows() -> list[dict[str, Any]]:
    """Frames of the hanging chain, stage by stage, beside the articulated-body algorithm."""
    found: list[dict[str, Any]] = []
    for load, reference, substeps in CHAINS:
        sim = started(scenes.build("hanging_chain", links=CHAIN_LINKS, load=load), "linear-time", frames=0)
        peers = [ArticulatedChain(CHAIN_LINKS, load, each) for each in substeps] if has_pinocchio() else []
        own, *others = stages_in_turn([partial(measure_frame, sim), *(peer.measure for peer in peers)], CHAIN_FRAMES)
        system = f"{load / LINK_MASS:,.0f}:1"
        row = {"part": "step", "bodies": CHAIN_LINKS + 1, "auxiliary": 0}
        for stage, value in own.items():
            found.append(row | {"case": f"{system}, {stage}", "total_ms": 1e3 * value})
        found[-1] |= error_after(sim.body("load").position, reference)
        for each, peer, other in zip(substeps, peers, others, strict=False):
            apart = "" if np.isfinite(peer.load_position()).all() else ", comes apart"
            found.append(
                row | {"case": f"{system}, Pinocchio, {each} substeps{apart}", "total_ms": 1e3 * other["frame"]}
                | {"ratio": other["frame"] / own["frame"]} | error_after(peer.load_position(), reference)
            )  # fmt: skip
        if not peers:
            found.append(row | {"case": f"{system}, Pinocchio: not installed (extra peers)"})
    return found


def measure_frame(sim: Simulation) -> dict[str, float]:
    """Seconds of a frame by stage, and in all."""
    seconds = sim.step().stage_seconds
    return dict(zip(STAGES, map(float, seconds), strict=True)) | {"frame": float(np.sum(seconds))}


def error_after(end: Array, reference: Array) -> dict[str, float]:
    """Distance of the load from its reference, m, if it is known for this chain and time and the chain holds."""
    known = (CHAIN_LINKS, CHAIN_FRAMES) == (100, 300) and np.isfinite(end).all()
    return {"error_m": float(np.linalg.norm(end - reference))} if known else {}


def started(scene: Scene, solver: str, frames: int = 3) -> Simulation:
    """A simulation after a few frames, its rows holding the last linearisation."""
    sim = Simulation(scene, solver=solver)
    for _ in range(frames):
        sim.step()
    return sim


def latest_rows(sim: Simulation) -> RowMemory:
    """The rows of the last linearisation, those of contacts included."""
    return sim.stepper.latest[1] if sim.state.contacts.contacts.count else sim.stepper.own


def assembled(sim: Simulation) -> KktProblem:
    """The problem of the last linearisation, its rows' side put together again."""
    from taut.responses.row_kernels import respond_rows

    scratch, memory, laws = sim.stepper.scratch, latest_rows(sim), sim.stepper.mechanism.laws
    respond_rows(
        laws.hard, scratch.redundant, laws.joined, memory.rows.compliance, memory.rows.bias,
        scratch.candidate.free_velocity, scratch.candidate.near, memory.handles[1],
    )  # fmt: skip
    return KktProblem(memory.entries, memory.kkt, given_handle=memory.handles[1])


def tree_of(sim: Simulation) -> Tree:
    """What linear-time knows of the rows of a simulation."""
    assert isinstance(sim.settings.solver, LinearTime)
    return sim.settings.solver.tree_of(latest_rows(sim).entries)


def times(matrix: float, solve: float, rest: float = 0.0) -> dict[str, float]:
    """Seconds as columns in ms: what makes the matrix ready, the solve, and both with the rest."""
    return {"matrix_ms": 1e3 * matrix, "solve_ms": 1e3 * solve, "total_ms": 1e3 * (matrix + solve + rest)}
