"""Masses and surfaces of bodies as users give them, checked."""

from __future__ import annotations

from typing import Any

from taut import checks
from taut.errors import InputError
from taut.shapes import Shape


def mass_of(owner: str, shape: Shape | None, mass: Any, density: Any, fixed: bool) -> float:
    """Mass in kg from `mass` or from density times volume; a fixed body needs none."""
    if mass is not None and density is not None:
        raise InputError(f"{owner}: both mass and density are given; one of the two must be")
    if density is not None:
        if shape is None:
            raise InputError(f"{owner}: density is given without a shape; give a shape, or mass and inertia")
        if not shape.solid:
            raise InputError(f"{owner}: density is given, but a {type(shape).__name__} has no volume; leave it out")
        return checks.number(owner, "density", density, above=0.0) * shape.volume
    if mass is None:
        if fixed:
            return 1.0
        raise InputError(f"{owner}: it has neither mass nor density; one of the two must be given")
    return checks.number(owner, "mass", mass, above=0.0)


def checked_friction(owner: str, friction: Any) -> float | None:
    """A coefficient of friction >= 0, or None for the scene's."""
    return None if friction is None else checks.number(owner, "friction", friction, at_least=0.0)


def checked_restitution(owner: str, restitution: Any) -> float:
    """A coefficient of restitution from 0 to 1."""
    result = checks.number(owner, "restitution", restitution, at_least=0.0)
    if result > 1.0:
        raise InputError(f"{owner}: restitution is {result:g}; it must be from 0 to 1")
    return result
