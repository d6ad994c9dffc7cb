"""A flat tree of 54 rods swings from a pin: 108 multipliers, all of a tree or 12 of them of joints that close loops.

A binary tree of rods of 0.25 kg and 0.2 m in the x-z plane. Every joint keeps a point on a line along y, two rows, as
in the planar tree of [Baraff1996]: 54 joints are 108 multipliers. With `auxiliary` = 12 there are 48 rods, 96
multipliers, and six more joints half-way between tips of neighbouring branches, which close loops. Dimensions are ours.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.point_on_line import PointOnLine
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect_below, expect_joined
from taut.scenes._tree import add_tree, expect_tree_energy

DURATION = 2.0

ROWS = 108
"""Multipliers in all."""


def build(auxiliary: int = 0) -> Scene:
    """Build the tree.

    Args:
        auxiliary: multipliers of joints that close loops, two each: an even number from 0 to 12.
    """
    closing = int(checks.number("scene 'planar_tree'", "auxiliary", auxiliary, at_least=0))
    if closing % 2 or closing > 12:
        raise InputError(f"scene 'planar_tree': auxiliary is {closing}; it must be an even number from 0 to 12")
    scene = Scene(collisions=False)
    pin, count = PointOnLine(axis=(0.0, 1.0, 0.0)), (ROWS - closing) // 2
    ends = add_tree(scene, count, pin, flat=True)
    for number in range(1, closing // 2 + 1):
        # neighbours on the lowest level with different parents: an even rod is the first of two branches
        last = count - count % 2 - 2 * (number - 1)
        middle = 0.5 * (ends[last - 1] + ends[last])
        scene.connect(f"rod-{last - 1}", f"rod-{last}", pin, at=middle, name=f"loop-{number}")
    return scene


def check(recording: Recording) -> None:
    """Joints hold to 1e-5 m, energy does not rise and all rods stay in their plane to 1e-6 m."""
    expect_joined(recording, violation=1e-5)
    expect_tree_energy(recording)
    expect_below(recording, "way out of the plane in m", np.abs(recording.positions[:, :, 1]).max(axis=1), 1e-6)
