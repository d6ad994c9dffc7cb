"""Stiff time stepping with topology change: the rod of the InSimo slides, edits of factors and of scenes, step sizes.

    rod            20 cm, 1.5 g, 102 dofs, h = 0.01 ms: one direct solve a step against Gauss-Seidel, in the same steps
    factor edits   processor time to change a kept factor against factoring anew and ordering anew
    factor error   residual of a probe after up to 10,000 edits
    topology cost  a cut in a running scene against a new simulation and against a step, by size
    stable step    largest stable step with and without geometric stiffness
    energy kept    by each scheme

Each table is a module of its own, `_<name>.py`, with a function `measure(quick, out)`.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from taut.benchmarks._tables import make_folder, write_table

OUT = Path("build/bench/stepping")
"""Where tables and figures go unless told otherwise."""

TABLES = ("rod", "factor edits", "factor error", "topology cost", "stable step", "energy kept")


def run(quick: bool = False, out: Path = OUT) -> list[dict[str, Any]]:
    """Measure, and write tables and figures.

    Args:
        quick: everything once on small sizes, to see that it works.
        out: folder for CSV and PNG files.
    """
    make_folder(out)  # now, not after minutes of measuring
    found: list[dict[str, Any]] = []
    for name in TABLES:
        module = f"taut.benchmarks._{name.replace(' ', '_')}"
        if find_spec(module) is not None:
            rows = importlib.import_module(module).measure(quick, out)
            write_table(out / f"{name.replace(' ', '-')}.csv", rows)
            found += [{"part": name} | row for row in rows]
    return found
