"""Masses and surfaces of bodies as users give them, checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.shapes import Shape
from taut.spatial import Array


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


def mass_properties(
    owner: str, shape: Any, mass: Any, density: Any, inertia: Any, com: Any, fixed: bool
) -> tuple[float, Array, Array]:
    """Mass (kg), inertia (3, 3) about the centre of mass (kg m^2) and that centre (3,) (m) of a body as given."""
    if isinstance(shape, Shape):
        shape.check_carrier(owner, fixed)
    elif shape is not None:
        raise InputError(f"{owner}: shape is {checks.shown(shape)}; it must be a shape from taut.shapes")
    mass = mass_of(owner, shape, mass, density, fixed)
    if inertia is None and shape is None and not fixed:
        raise InputError(f"{owner}: it has neither a shape nor an inertia; one of the two must be given")
    if inertia is None:
        inertia = shape.inertia(mass) if shape is not None and shape.solid else np.eye(3)
    com = com if com is not None else shape.com if shape is not None else np.zeros(3)
    return mass, checks.inertia(owner, inertia), checks.vector(owner, "com", com)


def checked_friction(owner: str, friction: Any) -> float | None:
    """A coefficient of friction >= 0, or None for the scene's."""
    return None if friction is None else checks.number(owner, "friction", friction, at_least=0.0)


def checked_surface(
    owner: str, rolling: Any, torsional: Any, stiffness: Any, damping: Any
) -> tuple[float, float, float, float]:
    """Rolling and torsional friction (m), stiffness (N/m) and damping (N s/m); only what is soft can be damped."""
    rolling = checks.number(owner, "rolling_friction", rolling, at_least=0.0)
    torsional = checks.number(owner, "torsional_friction", torsional, at_least=0.0)
    stiffness = checks.strength(owner, "contact_stiffness", stiffness)
    damping = checks.number(owner, "contact_damping", damping, at_least=0.0)
    if damping > 0.0 and stiffness == math.inf:
        raise InputError(f"{owner}: contact_damping is {damping:g} without contact_stiffness; it needs one")
    return rolling, torsional, stiffness, damping


def checked_restitution(owner: str, restitution: Any) -> float:
    """A coefficient of restitution from 0 to 1."""
    result = checks.number(owner, "restitution", restitution, at_least=0.0)
    if result > 1.0:
        raise InputError(f"{owner}: restitution is {result:g}; it must be from 0 to 1")
    return result
