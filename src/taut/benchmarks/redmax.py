"""Springs across trees in joint coordinates, by iterations and by a factor [Baxter2019, chapter 4].

Scenes of the thesis with 64 to 4,096 degrees of freedom. All methods have the same numbers, in turn in one process, and
times are processor times in one thread, medians over rounds (`solve`, `rivals`) or frames (`frame`), or the least
(`kernel`, `chain`). What is timed:

    kernel     the factor of the tree and iterations for one right-hand side; the direct factor of H and one right-hand
               side, `more` for another one. Compiled code only. Beside it what the cost model predicts of each
    solve      all linear algebra of one linearisation: blocks, factor, a right-hand side for the balance, one a kept
               row and one for what those carry, impulses of joints. About 0.02 ms of it is Python
    frame      whole frames, one of each method in turn: 0.1 to 0.5 ms of each is Python, which flatters exponents of
               small scenes; `_from_512` are the exponents without those
    growth     exponents p in time ~ dofs^p, crossovers, and "auto" over the better of the two, beside the thesis; of
               kernels, solves and frames, and of solves over the number of their right-hand sides: contacts of cars
               that are near, though they carry nothing, become more with the resolution, from 4 to 40 rows
    weight     the flexible bridge under cars of many weights (Figs. 10, 11)
    threads    solves by the clock in one thread and in two (Fig. 12), least of the rounds
    rivals     the direct factor beside SuperLU and LAPACK on the same H
    chain      the recursion on chains of ball joints without springs
    race       the hanging chain beside Pinocchio (extra `peers`)

Rigid towers leave no spring across trees: "auto" is then the recursion, and so are frames; the other two are forced
there for solves. Iterations start from 0, at the prediction; each is stopped at 1e-12.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taut.benchmarks._chain_race import race
from taut.benchmarks._redmax_cases import CARS, CASES, Case, car_case, warmed_up
from taut.benchmarks._redmax_chain import chain_rows
from taut.benchmarks._redmax_figures import draw_redmax
from taut.benchmarks._redmax_frames import frame_row
from taut.benchmarks._redmax_growth import growth_row
from taut.benchmarks._redmax_rivals import Rivals
from taut.benchmarks._redmax_solves import METHODS, Linearisation, kernel_row, solve_row, thread_rows
from taut.benchmarks._tables import make_folder, write_table
from taut.scenes.hanging_chain import REFERENCE

OUT = Path("build/bench/redmax")
"""Where tables and the figure go unless told otherwise."""

Tables = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Effort:
    """How much is measured.

    Attributes:
        sizes: degrees of freedom, about.
        most: frames and rounds at most; `work` degrees of freedom times frames, so that large ones have fewer.
        longest: simulated before that at most, s.
        compared: sizes at which others factor the same matrix.
        heavy: size of the bridge under cars of many weights.
        cars: their weights.
        links: of chains.
    """

    sizes: tuple[int, ...]
    most: int
    work: int
    longest: float
    compared: tuple[int, ...]
    heavy: int
    cars: tuple[float, ...]
    links: tuple[int, ...]

    def rounds(self, dofs: int) -> int:
        """Frames or rounds of a scene of this size."""
        return max(min(self.most, self.work // dofs), 1)


FULL = Effort((64, 128, 256, 512, 1024, 2048, 4096), 24, 24_000, 1.0, (512, 2048), 1024, CARS, (64, 250, 1000, 4000))
QUICK = Effort((64, 128), 2, 400, 0.2, (128,), 64, CARS[::4], (10, 20))


def run(quick: bool = False, out: Path = OUT) -> list[dict[str, Any]]:
    """Measure, and write tables and the figure.

    Args:
        quick: everything once on small sizes, to see that it works.
        out: folder for CSV and PNG files.
    """
    make_folder(out)  # now, not after minutes of measuring
    effort = QUICK if quick else FULL
    tables: Tables = {name: [] for name in ("growth", "solve", "frame", "kernel", "weight", "threads", "rivals")}
    for case in CASES:
        measure_case(case, effort, tables)
    for car in effort.cars:
        tables["weight"].append(weight_row(car_case(car), effort))
    tables["chain"] = chain_rows(effort.links, effort.rounds(1000))
    options = {name: {"coordinates": name} for name in ("maximal", "reduced")}
    tables["race"] = race(500.0, REFERENCE, options)
    for name, rows in tables.items():
        write_table(out / f"{name}.csv", rows)
    draw_redmax(out / "redmax.png", tables)
    return [{"part": name} | row for name, rows in tables.items() for row in rows]


def measure_case(case: Case, effort: Effort, tables: Tables) -> None:
    """Rows of one scene at all sizes, appended to the tables."""
    name = {"case": case.name}
    found: Tables = {"frame": [], "solve": [], "kernel": []}
    for size in (each for each in effort.sizes if each >= case.least):
        rounds = effort.rounds(size)
        few = max(rounds // 3, 1)  # the least of several in a row needs fewer
        sims = warmed_up(case, size, METHODS if case.crosses else METHODS[-1:], effort.longest)
        frame = frame_row(sims, rounds)
        linearisation = Linearisation(sims["auto"])
        found["solve"].append(name | solve_row(linearisation, rounds))
        found["kernel"].append(name | kernel_row(linearisation, few))
        found["frame"].append(name | {"dofs": found["solve"][-1]["dofs"]} | frame)
        if case.shared and size >= effort.compared[0]:
            tables["threads"] += [name | row for row in thread_rows(linearisation, few)]
        if case.compared and size in effort.compared:
            tables["rivals"] += [name | row for row in Rivals(linearisation).rows(min(rounds, 5))]
    for part, rows in found.items():
        tables[part] += rows
        tables["growth"] += [growth_row(case, part, rows)]
    tables["growth"] += [growth_row(case, "a right-hand side", [one_of(row) for row in found["solve"]])]


def one_of(row: dict[str, Any]) -> dict[str, Any]:
    """A solve over the number of its right-hand sides: one a kept row, one before and one after."""
    return {"dofs": row["dofs"]} | {
        f"{method}_ms": row[f"{method}_ms"] / (row["kept"] + 2 if row["kept"] else 1) for method in METHODS
    }


def weight_row(case: Case, effort: Effort) -> dict[str, Any]:
    """Frames and solves under one car."""
    sims = warmed_up(case, effort.heavy, METHODS, effort.longest)
    frame = frame_row(sims, effort.rounds(effort.heavy))
    solve = solve_row(Linearisation(sims["auto"]), effort.rounds(effort.heavy))
    kept = ("pcg_ms", "direct_ms", "auto_ms")
    return (
        {"case": case.name, "dofs": solve["dofs"], "iterations": frame["iterations"], "solves": frame["solves"]}
        | {f"solve_{column}": solve[column] for column in kept} | {f"frame_{column}": frame[column] for column in kept}
    )  # fmt: skip
