"""Options that several commands have, and the run that they ask for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from taut.simulation.launch import RunRequest

SceneName = Annotated[str, typer.Argument(metavar="SCENE", help="Name of a scene (see `taut scenes`), or a script.")]
Target = Annotated[str, typer.Argument(metavar="SCENE|FILE", help="A scene to run, by name or script; or a recording.")]
Solver = Annotated[str, typer.Option(help="Name of a solver (see `taut solvers`).")]
Integrator = Annotated[str, typer.Option(help="bdf2, low-damping, euler, or redmax with reduced coordinates.")]
Coordinates = Annotated[str, typer.Option(help="maximal, reduced or auto.")]
Linear = Annotated[str, typer.Option(help="Springs across trees in joint coordinates by: pcg, direct, auto.")]
Stiffness = Annotated[
    str, typer.Option("--geometric-stiffness", help="Implicit stiffness of what turns under load: auto, exact, off.")
]
Partition = Annotated[
    str | None, typer.Option(help="Parts of solvers that have them: auto, groups, minimum-degree, chains or rows.")
]
PartSize = Annotated[int | None, typer.Option("--part-size", help="Bodies a part (0: what should be fastest).")]
Friction = Annotated[str, typer.Option(help="box, box-refined or cone.")]
Step = Annotated[str, typer.Option(help="Step size in seconds; fractions are allowed.")]
Duration = Annotated[str | None, typer.Option(help="Simulated seconds (default: the scene's own).")]
Assignments = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Scene parameter; repeatable.")
]
Seed = Annotated[int | None, typer.Option(help="Seed of scenes with a random part.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value on stdout and nothing else.")]
Colour = Annotated[str, typer.Option(help="Colour bodies by: body, group, mass, island, partition, load, tension.")]
Contacts = Annotated[bool, typer.Option("--contacts", help="Show contact points.")]
Forces = Annotated[bool, typer.Option("--forces", help="Show contact forces.")]
Joints = Annotated[bool, typer.Option("--joints", help="Show joints.")]
Reactions = Annotated[bool, typer.Option("--reactions", help="Show forces of joints.")]
Port = Annotated[int, typer.Option(help="Port of this machine that the page is served at.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Only print the address.")]


def request_of(
    scene: str,
    solver: str,
    integrator: str,
    coordinates: str,
    friction: str,
    step: str,
    duration: str | None,
    assignments: list[str] | None,
    seed: int | None,
    record: Path | None,
    partition: str | None = None,
    part_size: int | None = None,
) -> RunRequest:
    """The run of a scene; whatever is wrong with the names and numbers is said here."""
    from taut.simulation.launch import RunRequest, entry_of, parse_parameters, parse_seconds

    entry = entry_of(scene)
    parameters = parse_parameters(entry, assignments or [])
    if seed is not None:
        if "seed" in entry.parameters:
            parameters["seed"] = seed
        else:
            print(f"taut: scene {entry.name} has no random part, --seed changes nothing", file=sys.stderr)
    return RunRequest(
        entry=entry,
        parameters=parameters,
        solver=solver,
        integrator=integrator,
        coordinates=coordinates,
        friction=friction,
        step=parse_seconds(step, "--step"),
        duration=entry.duration if duration is None else parse_seconds(duration, "--duration"),
        record=record,
        partition=partition,
        part_size=part_size,
    )
