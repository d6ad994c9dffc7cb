"""First-order motion, f = m v: bodies go where they are pushed and stop with the push.       [Baraff1996, section 3]"""

from taut.integrators.scheme import Scheme

KINEMATIC = Scheme(
    name="kinematic",
    summary="first order: velocity follows force, for posing linkages by hand",
    alpha=1.0,
    position=1.0,
    momentum=(0.0, 0.0),
    drift=0.0,
    guess=(1.0, 0.0),
    order=1,
    first_order=True,
)
"""M v+ / (1 s) = f+,  x+ = x + h v+: a force of 1 N moves 1 kg at 1 m/s."""
