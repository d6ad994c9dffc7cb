"""What the forwarder looks like: the vehicle that its arm stands on, and paint and details of the arm itself."""

from __future__ import annotations

import numpy as np

from taut.machines import visuals
from taut.scene.looks import Piece
from taut.scene.scene import Scene
from taut.shapes import Box, Compound, Cylinder
from taut.spatial import from_two_vectors

GREEN, YELLOW, BLACK, GLASS = (0.16, 0.36, 0.17), (0.93, 0.70, 0.12), (0.17, 0.18, 0.19), (0.20, 0.30, 0.38)
WOOD, CUT, SLEEPER = (0.42, 0.30, 0.20), (0.80, 0.65, 0.42), (0.35, 0.28, 0.22)
ACROSS, ALONG = from_two_vectors((0.0, 0.0, 1.0), (1.0, 0.0, 0.0)), from_two_vectors((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
"""Turn the z axis of a cylinder along x and along y."""

BUNKS, STAKE = (1.7, 3.4, 5.1), Box(0.1, 0.14, 1.5)
"""Where the bunks for the load are along the vehicle, m, and the stakes at their ends."""
WHEEL, AXLES, TRACK = Cylinder(0.65, 0.6), (2.7, 4.1, -1.9, -3.3), 2.2
"""A wheel, where the axles are along the vehicle, and from wheel to wheel, m."""


def add_vehicle(scene: Scene) -> None:
    """A forwarder that stands still: bunks with stakes along y, the arm between them and the cab."""
    solid = [
        (Box(0.9, 6.2, 0.35), (0.0, 2.75, 1.0)), (Box(0.9, 3.4, 0.4), (0.0, -2.5, 1.05)),
        (Box(1.7, 1.4, 1.7), (0.0, -1.6, 2.1)), (Box(1.5, 1.7, 0.9), (0.0, -3.25, 1.7)),
        *[(Box(0.75, 0.1, 1.3), (side * 0.85, 0.85, 1.85)) for side in (-1.0, 1.0)],
        *[(Box(2.5, 0.2, 0.2), (0.0, y, 1.25)) for y in BUNKS],
        *[(STAKE, (side * 1.2, y, 2.1)) for y in BUNKS for side in (-1.0, 1.0)],
    ]  # fmt: skip
    colours = [BLACK, BLACK, GREEN, GREEN, *[BLACK] * (2 + 3 * len(BUNKS))]
    pieces = [Piece(*each, colour=colour) for each, colour in zip(solid, colours, strict=True)]
    windows = [(Box(1.5, 0.02, 0.8), (0.0, -0.89, 2.4)), (Box(1.72, 1.1, 0.8), (0.0, -1.6, 2.4))]
    pieces += [Piece(*each, colour=GLASS) for each in windows]
    pieces += [Piece(Box(1.8, 1.5, 0.08), (0.0, -1.6, 2.98), colour=BLACK)]
    pieces += [Piece(Cylinder(0.45, 0.12), (0.0, 0.0, 1.15), colour=BLACK)]
    wheel = visuals.wheel(WHEEL.radius, WHEEL.length, colour=YELLOW)
    for y in AXLES:
        pieces += [Piece(Cylinder(0.1, TRACK), (0.0, y, WHEEL.radius), ACROSS, BLACK)]
        for side in (-0.5, 0.5):
            pieces += visuals.placed(wheel, (side * TRACK, y, WHEEL.radius), ACROSS)
    scene.add_body("vehicle", Compound(solid), fixed=True, visual=pieces, group="forwarder")


def paint_arm(scene: Scene) -> None:
    """Give the bodies of the arm, the log and its bearers their looks."""
    pillar = [
        Piece(Cylinder(0.25, 1.1), (0.0, 0.0, -0.2)),
        Piece(Box(0.6, 0.34, 0.5), (0.1, 0.0, 0.55)),
        pin(0.2, 0.65),
    ]
    scene.paint("pillar", GREEN, pillar)
    scene.paint("boom/1", GREEN, beam(3.6, 0.24, 0.34))
    scene.paint("stick/1", GREEN, [*beam(3.0, 0.22, 0.28), Piece(Box(0.5, 0.1, 0.16), (-1.68, 0.0, 0.06))])
    scene.paint("stick/2", YELLOW, [Piece(Box(2.9, 0.17, 0.2), (-0.05, 0.0, 0.0)), pin(1.5, 0.0, 0.1, 0.26)])
    scene.paint("tip", BLACK)
    for half in ("upper", "lower"):
        scene.paint(f"rotator-{half}", BLACK if half == "upper" else visuals.STEEL)
    scene.paint("grapple", BLACK)
    cheeks = [Piece(Box(0.34, 0.03, 0.3), (0.0, y, -0.02)) for y in (-0.17, 0.17)]
    scene.paint("grapple/frame", YELLOW, [Piece(Box(0.3, 0.36, 0.07), (0.0, 0.0, 0.1)), *cheeks])
    for number, side in ((1, -1.0), (2, 1.0)):
        claw = scene.bodies[scene.index_of("forwarder", f"grapple/claw-{number}")].shape
        assert claw is not None
        middle = (side * 0.045, 0.0, -0.23)
        bars = [Piece(Cylinder(0.04, 0.62), (0.0, 0.0, 0.0), ALONG), Piece(Cylinder(0.03, 0.6), middle, ALONG)]
        lever = Piece(Box(0.05, 0.16, 0.14), (0.0, 0.0, 0.07))
        scene.paint(f"grapple/claw-{number}", YELLOW, [claw, *bars, lever])
    scene.paint("grapple/links", visuals.STEEL)
    for part, colour in (("barrel", BLACK), ("rod", visuals.STEEL)):
        scene.paint(f"grapple/cylinder/{part}", colour)
    ends = [Piece(Cylinder(0.165, 0.01), (0.0, 0.0, side * 2.0), colour=CUT) for side in (-1.0, 1.0)]
    scene.paint("log", WOOD, [Piece(Cylinder(0.18, 4.0)), *ends])
    for number in (1, 2):
        scene.paint(f"bearer-{number}", SLEEPER)


def beam(length: float, width: float, height: float) -> list[Piece]:
    """A box section with an eye at each end."""
    eyes = [pin(side * 0.5 * length, 0.0, 0.5 * height, 1.3 * width) for side in (-1.0, 1.0)]
    return [Piece(Box(length - 0.2, width, height)), *eyes]


def pin(x: float, z: float, radius: float = 0.18, width: float = 0.4) -> Piece:
    """A pin across the arm at a point in its plane."""
    return Piece(Cylinder(radius, width), np.array((x, 0.0, z)), ALONG, BLACK)
