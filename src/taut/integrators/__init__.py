"""Integrators, one file each."""

from taut.integrators.bdf2 import BDF2
from taut.integrators.euler import EULER
from taut.integrators.kinematic import KINEMATIC
from taut.integrators.low_damping import LOW_DAMPING
from taut.integrators.redmax import REDMAX
from taut.integrators.scheme import Scheme

SCHEMES: dict[str, Scheme] = {scheme.name: scheme for scheme in (BDF2, EULER, LOW_DAMPING, REDMAX)}
SCHEMES["alpha"] = LOW_DAMPING  # the name that a user of generalised-alpha looks for

__all__ = ["BDF2", "EULER", "KINEMATIC", "LOW_DAMPING", "REDMAX", "SCHEMES", "Scheme"]
