"""The thesis' linearly implicit Euler step in joint coordinates, to compare with.            [Baxter2019, eq. 2.13]"""

from taut.integrators.scheme import Scheme

REDMAX = Scheme(
    name="redmax",
    summary="linearly implicit Euler in joint coordinates, for trees with springs and loops: to compare with",
    alpha=1.0,
    position=1.0,
    momentum=(1.0, 0.0),
    drift=0.0,
    guess=(1.0, 0.0),
    order=1,
)
"""Weights of Euler's; `taut.stepping.redmax` makes the whole step, with forces as they are where it starts."""
