"""BDF2: second order, damps what the step cannot resolve; the default in smooth motion."""

from taut.integrators.euler import EULER
from taut.integrators.scheme import Scheme

BDF2 = Scheme(
    name="bdf2",
    summary="two-step backward differentiation: second order, Euler restarts where motion is not smooth",
    alpha=1.5,
    position=2.0 / 3.0,
    momentum=(2.0, -0.5),
    drift=1.0 / 3.0,
    guess=(2.0, -1.0),
    order=2,
    starter=EULER,
)
"""(3 v+ - 4 v + v_prev) / 2h = M^-1 f+,  x+ = x + (x - x_prev) / 3 + 2h/3 v+; linearised at v_k = 2 v - v_prev."""
