"""A tree of 127 rods with ball joints swings and whirls: 381 multipliers without a loop, or 96 and three contacts.

A binary tree of rods of 0.25 kg and 0.2 m; the planes of branches alternate. 127 ball joints are the largest tree of
[Baraff1996]; with `joints` = 32 and `contacts` three of the leaves are balls that slide on the ground without friction,
his tree of 96 multipliers and 3 contacts. Dimensions are ours.
"""

from __future__ import annotations

import itertools

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.spherical import Spherical
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_contacts
from taut.scenes._tree import add_tree, expect_tree_energy
from taut.shapes import Sphere

DURATION = 2.0

FOOT = Sphere(radius=0.05)
FEET = (26, 27, 31)
"""Rods whose ends are balls, on the side that the tree swings to; they have no branches in trees of 31 to 51 rods."""


def build(joints: int = 127, contacts: bool = False) -> Scene:
    """Build the tree, and the ground that its feet touch at the start.

    Args:
        joints: number of rods.
        contacts: whether three leaves are balls on the ground; needs 31 to 51 rods.
    """
    owner = "scene 'spatial_tree'"
    count = int(checks.number(owner, "joints", joints, at_least=1))
    if contacts and not 31 <= count <= 51:
        raise InputError(f"{owner}: joints is {count}; with contacts it must be from 31 to 51")
    scene = Scene(collisions=contacts, friction=0.0)
    ends = add_tree(scene, count, Spherical(), flat=False, leaves=dict.fromkeys(FEET if contacts else (), FOOT))
    if contacts:
        a, b, c = (ends[number] for number in FEET)
        normal = np.cross(b - a, c - a)
        normal *= np.sign(normal[2]) / np.linalg.norm(normal)
        scene.add_plane(normal, float(normal @ a) - FOOT.radius)
        for one, other in itertools.combinations(FEET, 2):
            scene.ignore_contacts(f"rod-{one}", f"rod-{other}")
    return scene


def check(recording: Recording) -> None:
    """Joints hold to 2e-5 m, energy does not rise, and feet touch the ground without sinking in.

    All three feet carry a force in most frames.
    """
    expect_contacts(recording, penetration=1e-5, violation=2e-5)
    expect_tree_energy(recording)
    if recording.info.parameters["contacts"] and len(recording) > 1:
        share = float(np.mean(recording.column("contacts")[1:] == len(FEET)))
        expect(share > 0.5, f"all feet touch the ground in {share:.0%} of the frames; more than half is right")
