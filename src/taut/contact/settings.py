"""Numbers of contacts, in groups by topic. They are constants: kernels are compiled with them."""

from __future__ import annotations

from typing import NamedTuple


class Contact(NamedTuple):
    """How contacts begin a step, and push.

    Attributes:
        damping_ratio: of a closed contact: its one-sided spring throws a body back at 1 % of its speed; critical
            damping at a seventh.
        least_arm: least arm, m, of the springs that hold rotations, for contacts with only one of rolling and torsional
            friction.
        recovery: speed, m/s, at which an overlap is taken back; a body leaving with it rises by half a millimetre.
        sliding: slip, m/s, from which the first tangent follows it; below, it stays as it was.
        resolved: angle, rad, that two bodies on the spring of their contact oscillate by in a step, up to which steps
            resolve what the contact does, as they do of any spring: a period then takes 63 steps, and the two-step
            scheme loses less than 1 % of its amplitude in ten.
        least_share: least share of a soft surface's stiffness that one of its contact points has, see `share_of`: those
            that are not pressed yet.
        oblique: sine of the angle between two rods below which they touch in several points.
    """

    damping_ratio: float = 5.0
    least_arm: float = 1e-3
    recovery: float = 0.1
    sliding: float = 1e-3
    resolved: float = 0.1
    least_share: float = 1e-3
    oblique: float = 0.5


class Matching(NamedTuple):
    """Which contact is which of the step before.

    Attributes:
        share: of the smaller geom's bounding radius, within which a contact is found again.
        other_side: weight of the core that moved farther: it tells contacts of a ball, which all have its centre, from
            each other.
        same_wall: cosine of a normal's turn from one step to the next up to which a contact with terrain is the same.
        same_frame: cosine of a tangent's turn from one step to the next up to which labels keep their meaning.
    """

    share: float = 0.2
    other_side: float = 1e-6
    same_wall: float = 0.8
    same_frame: float = 0.9


class Friction(NamedTuple):
    """Passes in which bounds of friction follow the normal impulses.

    Attributes:
        tolerance: residual of the friction law, see `follow_normals`, with which the passes end.
        rope_tolerance: the same of ropes, see `taut.stepping.capstan`: their law is linear while no stop changes sides,
            and the extrapolation finds it to rounding.
        passes: most passes; the residual that is left is reported.
        frame_passes: most passes in a frame, those of blows included: 15 solves with as many as there may be.
        factorizations: a pass counts as one more in a frame for every so many factorisations that it takes, because
            that is its cost.
        plain_passes: passes before the bounds are extrapolated: most steps end sooner.
        looked_back: passes that the extrapolation looks back on.
        dependent: relative size below which its least squares take passes as dependent.
        swept_passes: passes that start anew from Gauss-Seidel sweeps, which get out of a circle or a jam.
        sweeps: number of these sweeps.
        barely: share of the impulse that would stop a contact's slip below which its friction counts as none: where
            bodies barely touch, the largest bound is rounding.
    """

    tolerance: float = 1e-4
    rope_tolerance: float = 1e-9
    passes: int = 20
    frame_passes: int = 300
    factorizations: int = 10
    plain_passes: int = 3
    looked_back: int = 5
    dependent: float = 1e-8
    swept_passes: tuple[int, int] = (7, 13)
    sweeps: int = 300
    barely: float = 1e-4


CONTACT, MATCHING, FRICTION = Contact(), Matching(), Friction()
