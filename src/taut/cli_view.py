"""Commands that show motions: registered on the same app as all others, and as light until one of them runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from taut.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the commands to an app."""
    app.command()(render)


def render(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A recording made by `taut run --record`.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Picture (.png) or film (.mp4, .gif) to write.")],
    fps: Annotated[float | None, typer.Option(help="Frames a second of a film (default: 30; .gif 20).")] = None,
    size: Annotated[str, typer.Option(metavar="WIDTHxHEIGHT", help="Pixels.")] = "960x600",
    at: Annotated[float | None, typer.Option(help="Simulated time of a picture, s (default: the middle).")] = None,
    start: Annotated[float | None, typer.Option("--from", help="Simulated time a film starts at, s.")] = None,
    end: Annotated[float | None, typer.Option("--to", help="Simulated time a film ends at, s.")] = None,
    speed: Annotated[float, typer.Option(help="Simulated over shown time; 0.25 is slow motion.")] = 1.0,
    colour: Annotated[str, typer.Option(help="Colour bodies by: body, mass, island, load.")] = "body",
    contacts: Annotated[bool, typer.Option("--contacts", help="Show contact points.")] = False,
    forces: Annotated[bool, typer.Option("--forces", help="Show contact forces.")] = False,
    joints: Annotated[bool, typer.Option("--joints", help="Show joints.")] = False,
) -> None:
    """Draw a recording into a picture or a film, without a screen."""
    from taut import checks, console
    from taut.record import Recording
    from taut.view import film
    from taut.view.batches import Look
    from taut.view.colours import COLOURINGS

    pixels = parse_size(size)
    film.checked_suffix(out)
    checks.known("render", "colour", colour, COLOURINGS)
    look = Look(colour, joints=joints, contacts=contacts, forces=forces)
    recording = Recording.load(file)
    with console.progress(f"drawing {out.name}") as update:
        film.render(
            recording, out, size=pixels, fps=fps, at=at, start=start, end=end, speed=speed, look=look, progress=update
        )
    console.output.print(str(out), soft_wrap=True)


def parse_size(text: str) -> tuple[int, int]:
    """Width and height in pixels from a text such as 960x600."""
    sides = text.lower().split("x")
    if len(sides) != 2 or not all(side.isdecimal() and int(side) > 0 for side in sides):
        raise InputError(f"--size {text} is not a width and a height in pixels, such as 960x600")
    return int(sides[0]), int(sides[1])
