"""What a body looks like where that is not what it collides with: pieces, each a shape in a place, and colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.shapes import Shape
from taut.spatial import Array

Colour = tuple[float, float, float]
"""Red, green and blue, each 0 to 1."""

WANTED = "it must be a shape from taut.shapes, or a list of shapes and taut.Piece(shape, position, ...)"


class Piece(NamedTuple):
    """A piece of what a body looks like: `shape`, its `position` (3,) m and `orientation` (4,) in the body's own frame.

    `colour` is red, green and blue, each 0 to 1; by default the body's.
    """

    shape: Shape
    position: Any = (0.0, 0.0, 0.0)
    orientation: Any = (1.0, 0.0, 0.0, 0.0)
    colour: Any = None


def checked_visual(owner: str, visual: Any) -> tuple[Piece, ...] | None:
    """What a body looks like as pieces of one primitive each; None where it looks like its shape."""
    if visual is None:
        return None
    many = isinstance(visual, list | tuple) and not isinstance(visual, Piece)
    entries = visual if many else [visual]
    if not entries:
        raise InputError(f"{owner}: visual is empty; {WANTED}")
    named = [f"{owner}: visual[{number}]" if many else f"{owner}: visual" for number in range(len(entries))]
    return tuple(part for name, entry in zip(named, entries, strict=True) for part in pieces_of(name, entry))


def pieces_of(owner: str, entry: Any) -> Iterator[Piece]:
    """The primitives of one entry of a visual as given."""
    given = isinstance(entry, list | tuple) and 1 <= len(entry) <= len(Piece._fields)
    piece = Piece(*entry) if given else Piece(entry)
    if not isinstance(piece.shape, Shape) or not np.isfinite(piece.shape.bounding_radius):
        raise InputError(f"{owner} is {checks.shown(entry)}; {WANTED}")
    position = checks.vector(owner, "position", piece.position)
    orientation = checks.quaternion(owner, "orientation", piece.orientation)
    colour = checked_colour(owner, piece.colour)
    for part in piece.shape.parts:
        yield moved(Piece(*part, colour), position, orientation)


def checked_colour(owner: str, colour: Any) -> Colour | None:
    """Three numbers from 0 to 1, or None."""
    if colour is None:
        return None
    try:
        red, green, blue = checks.real_array(colour).tolist()
        if all(0.0 <= share <= 1.0 for share in (red, green, blue)):
            return float(red), float(green), float(blue)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(f"{owner}: colour is {checks.shown(colour)}; it must be 3 numbers from 0 to 1: red, green, blue")


def moved(piece: Piece, position: Array, orientation: Array) -> Piece:
    """A piece in the frame in which its own frame is at this place (3,) m, turned by (4,)."""
    place = position + spatial.rotate(orientation, np.asarray(piece.position, float))
    turn = spatial.multiply(orientation, np.asarray(piece.orientation, float))
    return piece._replace(position=place, orientation=turn / np.linalg.norm(turn))


def shared_out(visual: tuple[Piece, ...], places: Sequence[tuple[Array, Array]]) -> list[tuple[Piece, ...] | None]:
    """What the bodies that one comes apart into look like: each piece goes to the nearest of them.

    A visual that is one piece cannot be divided, and a body without a piece has none: they look like their shapes.

    Args:
        visual: of the body that comes apart.
        places: position (3,) m and orientation (4,) of what it comes apart into, in its own frame.
    """
    found: list[list[Piece]] = [[] for _ in places]
    centres = np.array([place for place, _ in places])
    for piece in visual if len(visual) > 1 else ():
        nearest = int(np.linalg.norm(centres - piece.position, axis=1).argmin())
        place, turn = places[nearest]
        back = spatial.conjugate(turn)
        found[nearest].append(moved(piece, -spatial.rotate(back, place), back))
    return [tuple(own) or None for own in found]
