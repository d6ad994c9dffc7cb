"""Implicit Euler: first order, strongly damped, needs no history; restarts what is not smooth."""

from taut.integrators.scheme import Scheme

EULER = Scheme(
    name="euler",
    summary="implicit Euler: first order, for impacts and restarts",
    alpha=1.0,
    position=1.0,
    momentum=(1.0, 0.0),
    drift=0.0,
    guess=(1.0, 0.0),
    order=1,
)
"""v+ = v + h M^-1 f+,  x+ = x + h v+."""
