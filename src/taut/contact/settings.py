"""Numbers that say how contacts begin a step."""

from __future__ import annotations

DAMPING_RATIO = 5.0
"""Of a closed contact: its one-sided spring throws a body back at 1 % of its speed; critical damping at a seventh."""

LEAST_ARM = 1e-3
"""Least arm in m of the springs that hold rotations, for contacts with only one of rolling and torsional friction."""

RECOVERY = 0.1
"""Speed in m/s at which an overlap is taken back; a body leaving with it rises by half a millimetre."""

SLIDING = 1e-3
"""Slip in m/s from which the first tangent follows it; below, it stays as it was."""

SAME_FRAME = 0.9
"""Cosine of a tangent's turn from one step to the next up to which labels keep their meaning."""

SAME_WALL = 0.8
"""Cosine of a normal's turn from one step to the next up to which a contact with terrain is the same."""

MATCH_SHARE = 0.2
"""A contact is found again within this share of the smaller geom's bounding radius."""
