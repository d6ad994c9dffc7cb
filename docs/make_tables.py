"""Write the pages that list what there is, docs/scenes.md and docs/solvers.md, from the registries.

    python docs/make_tables.py                       # pages only
    python docs/make_tables.py --measure [SCENE ...] # run the scenes first and keep what was measured

What was measured is kept in src/taut/scenes/_measured.json, which `taut scenes` shows too: figures that depend on the
engine, not on the speed of a machine.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import taut
from taut import console, scenes, solvers
from taut.scenes import _measured
from taut.scenes._papers import PAPERS
from taut.simulation.survey import Survey

DOCS = Path(__file__).resolve().parent
FIGURES = (
    "steps", "unconverged_steps", "violation_max", "penetration_max", "solves_mean", "solves_max", "rows_mean",
    "rows_max", "companion_rows", "bodies_moving", "mass", "mass_ratio", "condition_estimate",
)  # fmt: skip

SCENES = """# Scenes

Every scene that comes with Taut, written by `make tables` from the scenes themselves. Pictures are in
the [gallery](gallery.md).

```sh
.venv/bin/taut run log_tower --set layers=20     # makes the scene's own check
.venv/bin/taut scenes                            # this list, with all parameters
```

| name | what it is | its check asks for | parameters |
|---|---|---|---|
"""

FIGURES_TABLE = """
## Measured

At h = 1/60 s with the default settings, for the scene's own duration. Violation is how far joints were open,
overlap how deep bodies were in each other, each the worst of the run and left out where it is zero; solves are the mean
and the worst of a step. A step that is not solved missed its tolerances.

| name | steps | not solved | violation | overlap | solves |
|---|---|---|---|---|---|
"""

PAPERS_TABLE = """
## As in the papers

What papers say of their scenes is in brackets. Bodies are those that move, with their mass and that of the heaviest
over the lightest. Rows are those of a frame without the ones that only carry geometric stiffness. The condition number
is that of the matrix of the free rows, the one that is factored, an [estimate](concepts/data.md#what-a-step-reports);
the papers do not say how they have theirs.

| name | bodies | kg | ratio | mean rows | peak rows | condition | source |
|---|---|---|---|---|---|---|---|
"""

SOLVERS = """# Solvers

Every solver that comes with Taut, written by `make tables` from the solvers themselves. Choose one with
`--solver NAME` or `Simulation(scene, solver="NAME")`; `auto` is the default. Exact solvers end with a residual of at
most 1e-9, or say that they did not. When which is worth it: [choose a solver](howto/choose-a-solver.md).

| name | exact | what it is |
|---|---|---|
"""


def scenes_page(measured: dict[str, dict[str, Any]]) -> str:
    """The page of scenes, with what was measured of them."""
    entries = [scenes.get(name) for name in scenes.names()]
    listed = "\n".join(map(scene_line, entries))
    figures = "\n".join(figures_line(name, measured[name]) for name in scenes.names() if name in measured)
    papers = "\n".join(paper_line(name, measured.get(name, {})) for name in scenes.names() if name in PAPERS)
    return f"{SCENES}{listed}\n{FIGURES_TABLE}{figures}\n{PAPERS_TABLE}{papers}\n"


def scene_line(entry: scenes.SceneEntry) -> str:
    """A scene in one line of a table."""
    parameters = ", ".join(f"`{key}={value}`" for key, value in entry.parameters.items())
    asked = " ".join((entry.check.__doc__ or "").split()) if entry.check else ""
    return f"| [`{entry.name}`](gallery.md#{entry.name}) | {entry.summary} | {asked} | {parameters} |"


def figures_line(name: str, run: dict[str, Any]) -> str:
    """What was measured of a scene in one line of a table."""
    lengths = " | ".join(f"{run[key]:.0e} m" if run[key] else "" for key in ("violation_max", "penetration_max"))
    solves = f"{run['solves_mean']:.2f} / {run['solves_max']}"
    return f"| `{name}` | {run['steps']} | {run['unconverged_steps']} | {lengths} | {solves} |"


def paper_line(name: str, run: dict[str, Any]) -> str:
    """A scene beside what its paper says of it, in one line of a table."""
    cells = " | ".join(_measured.side_by_side(own, paper) for own, paper in _measured.compared(name, run).values())
    return f"| `{name}` | {cells} | {PAPERS[name].source} |"


def rounded(value: float) -> float:
    """A figure with three digits: more would change with every change of the engine."""
    return float(f"{value:.3g}") if isinstance(value, float) else value


def solvers_page() -> str:
    """The page of solvers."""
    lines = [f"| `{each.name}` | {'yes' if each.exact else 'no'} | {each.summary} |" for each in solvers.all()]
    return SOLVERS + "\n".join(lines) + "\n"


def measure(names: list[str]) -> None:
    """Run scenes, and keep what was measured."""
    console.compile_kernels()
    for name in names:
        simulation = taut.Simulation(scenes.build(name))
        survey = Survey(simulation)
        summary = simulation.run(scenes.get(name).duration, progress=survey).summary() | survey.figures()
        kept = {key: each for key, each in _measured.read_measured().items() if key in scenes.names()}
        measured = kept | {name: {key: rounded(summary[key]) for key in FIGURES}}
        _measured.MEASURED.write_text(json.dumps(measured, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(name, measured[name], flush=True)


def main(arguments: list[str]) -> None:
    """Measure if asked, then write the pages."""
    if arguments[:1] == ["--measure"]:
        measure(arguments[1:] or scenes.names())
    (DOCS / "scenes.md").write_text(scenes_page(_measured.read_measured()), encoding="utf-8")
    (DOCS / "solvers.md").write_text(solvers_page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
