"""Commands that show motions: registered on the same app as all others, and as light until one of them runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from taut.commands.options import (
    Assignments,
    Colour,
    Contacts,
    Coordinates,
    Duration,
    Forces,
    Friction,
    Integrator,
    Joints,
    NoBrowser,
    Partition,
    PartSize,
    Port,
    Reactions,
    Seed,
    Solver,
    Step,
    Target,
    request_of,
)
from taut.errors import InputError
from taut.view.server import PORT

if TYPE_CHECKING:
    from taut.simulation.launch import RunRequest
    from taut.view.batches import Look

UNTOUCHED = ("auto", "bdf2", "maximal", "box", "1/60", None, None, None, None, None, None)
"""Options of a run, in the order of `request_of`, as they are where nothing was chosen."""


def register(app: typer.Typer) -> None:
    """Add the commands to an app."""
    app.command()(view)
    app.command()(render)


def view(
    target: Target,
    solver: Solver = "auto",
    integrator: Integrator = "bdf2",
    coordinates: Coordinates = "maximal",
    friction: Friction = "box",
    step: Step = "1/60",
    duration: Duration = None,
    assignments: Assignments = None,
    seed: Seed = None,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Record what is seen to this HDF5 file.")] = None,
    speed: Annotated[float, typer.Option(help="Simulated over wall-clock seconds to aim at.")] = 1.0,
    port: Port = PORT,
    no_browser: NoBrowser = False,
    export: Annotated[
        Path | None, typer.Option(metavar="HTML", help="Write one page that opens without a network, and do not serve.")
    ] = None,
    partition: Partition = None,
    part_size: PartSize = None,
    colour: Colour = "body",
    contacts: Contacts = False,
    forces: Forces = False,
    joints: Joints = False,
    reactions: Reactions = False,
) -> None:
    """Run a scene in the browser, or look through a recording there."""
    from taut import checks
    from taut.results.record import Recording
    from taut.view import commands

    checks.number("view", "speed", speed, above=0.0)
    look = look_of(colour, joints, contacts, forces, reactions)
    run = (solver, integrator, coordinates, friction, step, duration, assignments, seed, record, partition, part_size)
    request = request_unless_recorded("view", target, run)
    if request is None:
        if export:
            commands.export(Path(target), export, look)
        else:
            commands.view_recording(Recording.load(target), target, port, not no_browser, speed, look)
    elif export:
        commands.export(request, export, look)
    else:
        commands.view_scenes([endless(request, duration)], port, not no_browser, speed, look)


def request_unless_recorded(command: str, target: str, given: tuple[Any, ...]) -> RunRequest | None:
    """The run that a command asks for, None for a recording, which takes no options of a run."""
    from taut.simulation.launch import is_recording

    if not is_recording(target):
        return request_of(target, *given)
    if given != UNTOUCHED:
        raise InputError(f"{command} {target}: it has been run already; only --speed and what to show can be chosen")
    return None


def look_of(colour: str, joints: bool, contacts: bool, forces: bool, reactions: bool) -> Look:
    """What to show; a wrong colouring lists the right ones."""
    from taut import checks
    from taut.view.batches import Look
    from taut.view.colours import COLOURINGS

    return Look(checks.known("view", "colour", colour, COLOURINGS), joints, contacts, forces, reactions)


def view_comparison(request: RunRequest, solvers: list[str], duration: str | None, port: int, browser: bool) -> None:
    """Run a scene with several solvers side by side in the browser."""
    from taut.view import commands

    commands.view_scenes([endless(request, duration).with_solver(name) for name in solvers], port, browser)


def endless(request: RunRequest, duration: str | None) -> RunRequest:
    """The run, which goes on until it is stopped unless a duration was asked for."""
    return request if duration else replace(request, duration=float("inf"))


def render(
    target: Target,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Picture (.png) or film (.mp4, .webp, .gif) to write.")],
    solver: Solver = "auto",
    integrator: Integrator = "bdf2",
    coordinates: Coordinates = "maximal",
    friction: Friction = "box",
    step: Step = "1/60",
    duration: Duration = None,
    assignments: Assignments = None,
    seed: Seed = None,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the run in this HDF5 file.")] = None,
    fps: Annotated[float | None, typer.Option(help="Frames a second of a film (default: 30; .gif 20).")] = None,
    size: Annotated[str, typer.Option(metavar="WIDTHxHEIGHT", help="Pixels.")] = "960x600",
    at: Annotated[float | None, typer.Option(help="Simulated time of a picture, s (default: the middle).")] = None,
    start: Annotated[float | None, typer.Option("--from", help="Simulated time a film starts at, s.")] = None,
    end: Annotated[float | None, typer.Option("--to", help="Simulated time a film ends at, s.")] = None,
    speed: Annotated[float, typer.Option(help="Simulated over shown time; 0.25 is slow motion.")] = 1.0,
    follow: Annotated[str | None, typer.Option(metavar="BODY", help="Let the camera go with this body.")] = None,
    partition: Partition = None,
    part_size: PartSize = None,
    colour: Colour = "body",
    contacts: Contacts = False,
    forces: Forces = False,
    joints: Joints = False,
    reactions: Reactions = False,
) -> None:
    """Draw a recording, or a scene that is run now, into a picture or a film, without a screen."""
    from taut import console
    from taut.results.record import Recording
    from taut.view import commands, film

    pixels = parse_size(size)
    film.checked_suffix(out)
    look = look_of(colour, joints, contacts, forces, reactions)
    run = (solver, integrator, coordinates, friction, step, duration, assignments, seed, record, partition, part_size)
    request = request_unless_recorded("render", target, run)
    recording = Recording.load(target) if request is None else commands.run_quietly(request)
    console.announce_kernels("taut.view.raster_kernels")
    with console.progress(f"drawing {out.name}") as update:
        film.render(
            recording, out, size=pixels, fps=fps, at=at, start=start, end=end, speed=speed, look=look, follow=follow,
            progress=update,
        )  # fmt: skip
    console.output.print(str(out), soft_wrap=True)


def parse_size(text: str) -> tuple[int, int]:
    """Width and height in pixels from a text such as 960x600."""
    sides = text.lower().split("x")
    if len(sides) != 2 or not all(side.isdecimal() and int(side) > 0 for side in sides):
        raise InputError(f"--size {text} is not a width and a height in pixels, such as 960x600")
    return int(sides[0]), int(sides[1])
