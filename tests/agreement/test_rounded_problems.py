"""Problems whose data have a few digits, so that A is slightly indefinite: what one solver solves, all do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import taut
from taut import scenes, solvers
from taut.problem import KktProblem, MlcpProblem, Status
from taut.problem.generators import random_contacts
from taut.solvers.block_pivoting import BlockPivoting
from taut.stepping import smooth

COMPARED = ("ipm", "bpp", "linear-time")

SMALL = [
    ("ragdoll", {}, 60, 4), ("rock_pile", {"rocks": 20}, 50, 4), ("chain_wrap", {}, 20, 3), ("dominoes", {}, 40, 4),
    ("log_tower", {"layers": 12, "arrival": 0.05}, 25, 3),
]  # fmt: skip
"""Scenes, frames to run, and how many of their problems to keep."""
LARGE = [
    ("log_tower", {"arrival": 0.1, "speed": 10.0}, 120, 14),
    ("log_tower", {"layers": 80, "arrival": 0.05, "speed": 20.0}, 60, 6),
    ("log_tower", {"layers": 12, "arrival": 0.05}, 60, 6),
    ("rock_pile", {}, 150, 16),
    ("rock_pile", {"rocks": 300, "seed": 3}, 60, 6),
    ("chain_drop", {}, 90, 8),
    ("chain_wrap", {}, 60, 12),
    ("ragdoll", {}, 90, 12),
    ("stack_of_boxes", {"count": 60}, 30, 4),
    ("card_house", {}, 30, 6),
    ("dominoes", {}, 90, 12),
    ("jointed_tower", {"blocks": 60}, 20, 4),
    ("planar_tree", {"auxiliary": 12}, 20, 4),
]


def rounded(numbers: np.ndarray, digits: int) -> np.ndarray:
    """The same numbers with so many significant digits."""
    size = np.floor(np.log10(np.abs(np.where(numbers == 0.0, 1.0, numbers))))
    unit = 10.0 ** (size - digits + 1)
    return np.round(numbers / unit) * unit


def rounded_matrix(problem: KktProblem | MlcpProblem, digits: int) -> MlcpProblem:
    """The problem as a matrix whose entries have so many digits; equal ones stay equal, so it is symmetric."""
    plain = problem.matrix().copy()
    plain.values[:] = rounded(plain.values, digits)
    plain.name = f"{problem.name} of {digits} digits"
    return plain


def rounded_blocks(problem: KktProblem, digits: int) -> KktProblem:
    """The problem with blocks of J, masses and S of so many digits, and what follows from them."""
    blocks = problem.blocks
    jacobian, mass = rounded(blocks.jacobian, digits), rounded(blocks.inverse_mass, digits)
    inertia = rounded(blocks.inverse_inertia, digits)
    turns = inertia.reshape(-1, 3, 3)
    turning = np.array([np.linalg.inv(each) if each.any() else each for each in turns]).reshape(-1, 9)
    response = np.hstack([
        mass[blocks.entry_body, None] * jacobian[:, :3],
        np.einsum("eij,ej->ei", turns[blocks.entry_body], jacobian[:, 3:]),
    ])  # fmt: skip
    compliance = rounded(blocks.compliance, digits)
    own = np.bincount(blocks.entry_row, np.einsum("ei,ei->e", jacobian, response), blocks.bias.size)
    new = blocks._replace(
        jacobian=jacobian, inverse_mass=mass, inverse_inertia=inertia, turning=turning, response=response,
        compliance=compliance, diagonal=own + compliance,
    )  # fmt: skip
    return KktProblem(problem.entries, new, f"{problem.name} by blocks of {digits} digits")


@pytest.fixture
def problems(monkeypatch: pytest.MonkeyPatch):
    """A function that runs scenes and returns some of the problems that they pose."""
    plain, seen = BlockPivoting.solve, []

    def watched(self, problem, warm_start=None):
        if type(self) is BlockPivoting and isinstance(problem, KktProblem):
            copies = problem.blocks._replace(**{
                name: getattr(problem.blocks, name).copy() for name in problem.blocks._fields
            })  # fmt: skip
            seen.append(KktProblem(problem.entries, copies))
        return plain(self, problem, warm_start)

    def record(runs) -> list[KktProblem]:
        kept = []
        for scene, parameters, frames, count in runs:
            seen.clear()
            simulation = taut.Simulation(scenes.build(scene, **parameters), solver="bpp")
            for _ in range(frames):
                simulation.step()
            for number in np.linspace(0, len(seen) - 1, count).astype(int):
                name = f"{scene} {parameters} problem {number}"
                kept.append(KktProblem(seen[number].entries, seen[number].blocks, name))
        return kept

    monkeypatch.setattr(smooth, "can_be_smooth", lambda _: False)  # what is compiled would not be seen
    monkeypatch.setattr(BlockPivoting, "solve", watched)
    yield record


@dataclass
class Tally:
    """What a sweep found: problems, those that every solver solved, and those on which they differ."""

    problems: int
    solved: int
    differing: list[str]

    def __str__(self) -> str:
        return "\n".join([f"{self.solved} of {self.problems} solved by all of {', '.join(COMPARED)}", *self.differing])


def sweep(cases) -> Tally:
    """Solve every problem with every solver; what one solves all must, to a residual of 1e-9, as they promise."""
    tally = Tally(0, 0, [])
    for problem in cases:
        found = {name: solvers.get(name).solve(problem) for name in COMPARED}
        tally.problems += 1
        tally.solved += all(each.solved for each in found.values())
        for each in found.values():
            assert np.isfinite(each.lam).all() and np.isfinite(each.w).all()
            assert each.residual <= 1e-9 or not each.solved
        if len({each.solved for each in found.values()}) > 1:
            states = ", ".join(f"{name} {each.status.name} {each.residual:.1e}" for name, each in found.items())
            tally.differing.append(f"{problem.name} ({problem.size} rows): {states}")
    return tally


def least_eigenvalue(problem: MlcpProblem) -> float:
    """Of A scaled to unit diagonal."""
    scale = 1.0 / np.sqrt(problem.sparse.diagonal())
    return float(np.linalg.eigvalsh(problem.sparse.toarray() * np.outer(scale, scale))[0])


def test_what_one_solver_solves_all_solve(problems):
    recorded = problems(SMALL)
    matrices = [rounded_matrix(each, 6) for each in recorded]
    tally = sweep([*matrices, *(rounded_blocks(each, 6) for each in recorded)])
    print(tally)
    assert tally.differing == []
    assert tally.solved >= 0.8 * tally.problems
    assert sum(least_eigenvalue(each) < -1e-6 for each in matrices) >= 10, "the test must meet indefinite ones"


@pytest.mark.slow
def test_long_sweep_of_rounded_problems(problems):
    """300 problems and more: granular, stacked and jointed, of 30 to 5,000 rows, of 5 to 7 digits."""
    recorded = problems(LARGE)
    cases = [rounded_matrix(each, digits) for each in recorded for digits in (5, 6, 7)]
    cases += [rounded_blocks(each, 7) for each in recorded]
    for seed in range(30):
        rng = np.random.default_rng(seed)
        known = random_contacts(int(rng.integers(10, 800)), seed, 10 ** rng.uniform(0, 6), rng.uniform(0, 0.6))
        cases.append(rounded_matrix(known.problem, 7))
    tally = sweep(cases)
    print(tally)
    assert tally.problems >= 300
    assert tally.differing == []


def test_an_island_that_nothing_solves_stays_indefinite():
    """Beside one that is solved; A has one clearly negative eigenvalue and no bounds."""
    A = np.diag([2.0, -1.0, 3.0])
    A[0, 1] = A[1, 0] = 0.5
    for name in COMPARED:
        solution = taut.solve_mlcp(A, [-1.0, -1.0, -1.0], [-np.inf, 0.0, 0.0], method=name)
        assert solution.status is Status.NOT_POSITIVE_DEFINITE
        assert np.isfinite(solution.lam).all() and np.isfinite(solution.w).all()
        assert solution.lam[2] == pytest.approx(1 / 3)
        assert solution.factorizations < 100
