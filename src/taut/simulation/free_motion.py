"""What a simulation makes of `policy`, `projections` and `newton`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from taut import checks
from taut.errors import InputError
from taut.scene.scene import Scene
from taut.stepping.policy import POLICIES, Projection

MOST_NEWTON = 12
"""Linearisations that a step may have, see `taut.stepping.settings.Settings.linearisations`."""


def projections_of(
    policy: Any, projections: Any, scene: Scene, mode: str, integrator: str, stiffness: str
) -> tuple[Projection, ...] | None:
    """Projections of the free motion, the scene's first, checked; None where there are none to look for."""
    chosen = checks.known("simulation", "policy", policy, POLICIES)
    if not isinstance(projections, Sequence) or isinstance(projections, str):
        raise InputError(f"simulation: projections is {checks.shown(projections)}; it must be a list")
    every = (*scene.projections, *projections)
    if chosen == "auto" and not every:
        return None
    for name, value, needed in (
        ("mode", mode, ("dynamics", "kinematic")), ("integrator", integrator, ("bdf2", "euler")),
        ("geometric_stiffness", stiffness, ("auto", "off")),
    ):  # fmt: skip
        if value not in needed:
            raise InputError(
                f"simulation: {name} is {value!r}; with projections of the free motion of bodies it must be "
                f"{' or '.join(map(repr, needed))}"
            )
    names = [body.name for body in scene.bodies]
    for projection in every:
        if not callable(projection):
            raise InputError(
                f"simulation: a projection is {checks.shown(projection)}; it must be one of taut.projections, or a "
                "function of the free motion"
            )
        for name in getattr(projection, "names", ()):
            checks.known(type(projection).__name__, "body", name, names)
    return every


def newton_of(newton: Any) -> int:
    """Linearisations of a step at least."""
    count = checks.number("simulation", "newton", newton, at_least=1.0)
    if count != int(count) or count > MOST_NEWTON:
        raise InputError(f"simulation: newton is {newton}; it must be a whole number from 1 to {MOST_NEWTON}")
    return int(count)
