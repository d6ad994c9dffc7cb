"""Low damping: second order and L-stable as BDF2 is, but it damps only what a step hardly resolves.

With backward differences, Z the shift by a step back, and theta = omega h the way of an oscillation in a step,

        h y'+ = delta(Z) y+,    delta = sum over j = 1..K of c_j (1 - Z)^j,    c_j / c_(j-1) = (K - j + 1) / (2 K - j).

Of all formulas of second order with the last K values that take forces at the end of the step only, this is the one
whose damping is flattest at slow motion: Re delta(exp(i theta)) is a multiple of (1 - cos theta)^K. That is never
negative, so the formula is A-stable for every K. K = 1 is Euler's, K = 2 is BDF2, which shrinks an amplitude by
theta^4 / 4 a step; K = 8 shrinks it by theta^16 / 6864. See docs/theory/low-damping.md.
"""

from taut.integrators.bdf2 import BDF2
from taut.integrators.scheme import OLDER, Scheme, backward_differences


def flattest(steps: int) -> Scheme:
    """The formula of so many steps K, with those of fewer steps to start with."""
    if steps == BDF2.depth + 1:
        return BDF2
    differences = [1.0]
    for j in range(2, steps + 1):
        differences.append(differences[-1] * (steps - j + 1) / (2 * steps - j))
    return backward_differences(
        "low-damping",
        "eight-step backward differences: second order, keeps the energy of motion that a step resolves",
        tuple(differences),
        starter=flattest(steps - 1),
    )


LOW_DAMPING = flattest(OLDER + 2)
"""alpha = 15/8 and x+ = x + 7/9 dX_1 - 7/15 dX_2 + 7/33 dX_3 - 7/99 dX_4 + 7/429 dX_5 - 1/429 dX_6 + 1/6435 dX_7
+ 8/15 h v+, dX_1 the last."""
