"""A tree of hinges with springs between siblings, pulled down and apart at its four corners [Baxter2019].

It hangs like a mobile. Each level adds a horizontal bar to every rod of the level above, and a rod at each end of the
bar, all on hinges; bars and the axes of their hinges turn by 90 degrees from level to level, and bars are half as long
every other level, so that the leaves hang in a square grid: 3 * 2^levels - 2 hinges. Siblings, the two rods of a bar,
are tied by a spring. Springs to the ground pull the four leaves at the corners down and away.

With `alternate` siblings are not tied. Instead, on the lowest level, each of the two leaves of a bar is tied to both
leaves of the bar beside it, which hangs from the same bar: four springs that go round a square of indirect siblings.

The thesis' worst case for conjugate gradients: the matrix is sparse, and each iteration learns little. A bar in balance
has no stiffness, so hinges have weak springs here; these and the dimensions are ours.
"""

from __future__ import annotations

import itertools

import numpy as np

from taut import checks
from taut.joints.revolute import Revolute
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_below, expect_energy, expect_joined
from taut.shapes import Cylinder
from taut.spatial import Array, from_two_vectors, rotate

DURATION = 5.0
PICTURE = 4.0

ROD, BAR, RADIUS = 0.5, 4.0, 0.02
"""Length of all rods and of the longest two levels of bars, and the radius of both, m."""
WEIGHT = 2.0
"""Mass of a metre of rod or bar, kg."""
HINGE, LAG = 1.0, 0.05
"""Stiffness of a hinge over the weight it carries, m, and damping over stiffness of hinges and springs, s."""
TIE, PULL = 200.0, 60.0
"""Stiffness of springs between rods and to the ground, N/m; those to the ground are half as long at rest."""
AWAY = np.array([1.5, 1.5, -1.5])
"""From a corner leaf to the end of its spring in the ground: away from the middle and down, m."""


def build(levels: int = 5, alternate: bool = False) -> Scene:
    """Build the tree, at rest, and its springs.

    Args:
        levels: of bars and rods below the first rod.
        alternate: whether springs tie indirect siblings on the lowest level, instead of siblings on all.
    """
    depth = int(checks.number("scene 'spring_tree'", "levels", levels, at_least=2))
    scene = Scene(collisions=False)
    tops = add_rods(scene, depth)
    if alternate:
        for parent in range(2 ** (depth - 2), 2 ** (depth - 1)):
            for one, other in itertools.product((4 * parent, 4 * parent + 1), (4 * parent + 2, 4 * parent + 3)):
                add_tie(scene, one, other)
    else:
        for parent in range(1, 2**depth):
            add_tie(scene, 2 * parent, 2 * parent + 1)
    for leaf in corners(depth):
        end = tops[leaf] + np.array([0.0, 0.0, -ROD])
        anchor = end + AWAY * np.array([np.sign(end[0]), np.sign(end[1]), 1.0])
        scene.add_spring(
            f"rod-{leaf}", "world", point_a=(0.0, 0.0, -0.5 * ROD), point_b=anchor, name=f"pull-{leaf}",
            stiffness=PULL, damping=LAG * PULL, rest_length=0.5 * float(np.linalg.norm(AWAY)),
        )  # fmt: skip
    return scene


def level_of(number: int) -> int:
    """Level of rod 1, 2, ...: 0 for the first."""
    return number.bit_length() - 1


def carried(number: int, levels: int) -> float:
    """Mass of rod `number` and all that hangs from it, kg."""
    mass, count = 0.0, 1
    for level in range(level_of(number), levels + 1):
        mass += WEIGHT * count * (ROD + (bar_length(level + 1) if level < levels else 0.0))
        count *= 2
    return mass


def bar_length(level: int) -> float:
    """Length of the bars that the rods of level 1, 2, ... hang from, m."""
    return float(BAR * 0.5 ** ((level - 1) // 2))


def add_rods(scene: Scene, levels: int) -> dict[int, Array]:
    """Rods `rod-1` ... and bars `bar-1` ... below them; rod i carries 2 i and 2 i + 1. Returns the tops of rods, m."""
    tops = {1: np.zeros(3)}
    rod = Cylinder(RADIUS, ROD)
    for number in range(1, 2 ** (levels + 1)):
        level, top, name = level_of(number), tops[number], f"rod-{number}"
        lengthwise = np.array([1.0, 0.0, 0.0]) if level % 2 else np.array([0.0, 1.0, 0.0])
        scene.add_body(name, rod, mass=WEIGHT * ROD, position=top - (0.0, 0.0, 0.5 * ROD))
        hold = carried(number, levels)
        add_hinge(scene, f"bar-{number // 2}" if number > 1 else "world", name, lengthwise, top, hold)
        if level == levels:
            continue
        lengthwise, length = lengthwise[[1, 0, 2]], bar_length(level + 1)
        bottom = top - (0.0, 0.0, ROD)
        scene.add_body(
            f"bar-{number}", Cylinder(RADIUS, length), mass=WEIGHT * length, position=bottom,
            orientation=from_two_vectors((0.0, 0.0, 1.0), lengthwise),
        )  # fmt: skip
        add_hinge(scene, name, f"bar-{number}", lengthwise, bottom, hold - WEIGHT * ROD)
        tops[2 * number], tops[2 * number + 1] = (bottom + sign * 0.5 * length * lengthwise for sign in (-1.0, 1.0))
    return tops


def add_hinge(scene: Scene, above: str, below: str, lengthwise: Array, at: Array, mass: float) -> None:
    """A hinge across the bar's direction with a spring that suits the mass (kg) it carries."""
    stiffness = HINGE * 9.81 * mass
    axis = (-lengthwise[1], lengthwise[0], 0.0)
    hinge = Revolute(axis=axis, stiffness=stiffness, damping=LAG * stiffness)
    scene.connect(above, below, hinge, at=at, name=f"{below}-hinge")


def add_tie(scene: Scene, one: int, other: int) -> None:
    """A spring between the lower ends of two rods, at rest."""
    end = (0.0, 0.0, -0.5 * ROD)
    scene.add_spring(
        f"rod-{one}", f"rod-{other}", point_a=end, point_b=end, stiffness=TIE, damping=LAG * TIE,
        name=f"tie-{one}-{other}",
    )  # fmt: skip


def corners(levels: int) -> list[int]:
    """Numbers of the four leaves farthest out: those where the way from the first rod takes the same side each time.

    That is, the same on all levels along x, and on all levels along y.
    """
    leaves = []
    for first, second in itertools.product((0, 1), repeat=2):
        number = 1
        for level in range(levels):
            number = 2 * number + (second if level % 2 else first)
        leaves.append(number)
    return leaves


def check(recording: Recording) -> None:
    """Hinges hold to 1e-5 m, energy does not rise, and the four corners move alike, to 1 mm.

    In the end their lower ends are more than 50 mm nearer to where they are pulled.
    """
    expect_joined(recording, violation=1e-5)
    expect_energy(recording, scale=4.0 * 0.5 * PULL * float(AWAY @ AWAY), loss=1.0)
    leaves = corners(int(recording.info.parameters["levels"]))
    paths = [recording.body(f"rod-{leaf}").position for leaf in leaves]
    moved = np.array([(path - path[0]) * (np.sign(path[0, 0]), np.sign(path[0, 1]), 1.0) for path in paths])
    expect_below(recording, "difference of two corners in m", np.abs(moved - moved[0]).max(axis=(0, 2)), 1e-3)
    if recording.time[-1] < DURATION - 1e-9:
        return
    corner = recording.body(f"rod-{leaves[-1]}")
    end = rotate(corner.orientation[-1], (0.0, 0.0, -0.5 * ROD)) + (0.0, 0.0, 0.5 * ROD)
    nearer = float((moved[-1, -1] + end) @ AWAY / np.linalg.norm(AWAY))
    expect(nearer > 0.05, f"the corners came nearer by {nearer:.3g} m; more than 0.05 m is right")
