"""A truck crane of 30 t on outriggers hoists a concrete pipe of 2 t on 70 kg of cable [Lefebvre2020]."""

from __future__ import annotations

import numpy as np

from taut.machines.hook import Hook
from taut.machines.sling import Sling
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes._expect import expect_contacts
from taut.scenes._truck_crane import add_hoist, add_truck, add_upper, head
from taut.shapes import Box, Capsule, Compound, Convex
from taut.spatial import Array, from_two_vectors

DURATION = 20.0

START = np.pi
PIPE, INSIDE, LONG, STAVES = 0.6, 0.49, 2.2, 12
CHOCK = 0.12
CLEAR = 0.5
OPENING = 0.14
RING, WIRE = 0.16, 0.018
LIFT = ((0.5, 0.0), (1.0, 1.3), (2.0, 1.3), (2.5, 0.0), (3.0, 0.0), (3.4, -1.0), (4.9, -1.0), (5.3, -0.1), (6.2, -0.1),
        (7.0, -1.0), (10.0, -1.0), (11.0, 0.0), (15.5, 0.0), (16.0, 0.8), (18.0, 0.8), (18.5, 0.0))  # fmt: skip
TURN = ((10.5, 0.0), (12.0, 0.25), (14.7, 0.25), (16.2, 0.0))


def build() -> Scene:
    scene = Scene(friction=1.0)
    scene.add_plane()
    add_truck(scene)
    add_upper(scene, START, Ramps(*TURN))
    exit_ = head(START)
    crown = CHOCK + 2.0 * PIPE
    x, y = exit_[0], exit_[1]
    scene.add_body("load", pipe(), mass=2000.0, position=(x, y, CHOCK + PIPE), colour=(0.7, 0.7, 0.68), group="load/pipe")
    for n, s in enumerate((-0.7, 0.7), 1):
        scene.add_body(f"chock-{n}", Box(0.25, 1.4, CHOCK), position=(x + s, y, 0.5 * CHOCK), fixed=True, colour=(0.6, 0.45, 0.3))
    bottom = crown + CLEAR
    ball = bottom + 2.4 * OPENING + 0.26
    scene.add_body("crane/ball", Capsule(0.16, 0.2), mass=40.0, position=(x, y, ball), group="crane/hook-block", colour=(0.9, 0.2, 0.1))
    scene.add_body("load/ring", ring(), mass=5.0, position=(x + 0.22, y, crown + WIRE), group="load/rigging")
    scene.add(Hook(on=("crane/ball", (0, 0, -0.26)), eyes=[("load/ring", (-RING, 0, 0))], mass=25.0, opening=OPENING), name="crane/hook")
    legs = [("load", (s, 0, PIPE)) for s in (-0.7, 0.7)]
    scene.add(Sling(eye=("load/ring", (RING, 0, 0)), to=legs, length=1.3), name="load/sling")
    add_hoist(scene, START, ("crane/ball", (0, 0, 0.26)), Ramps(*LIFT))
    return scene


def pipe() -> Compound:
    half = np.pi / STAVES
    staves = []
    for k in range(STAVES):
        a = 2 * np.pi * k / STAVES - 0.5 * np.pi
        pts = [(s * 0.5 * LONG, r / np.cos(half) * np.cos(a + e), r / np.cos(half) * np.sin(a + e))
               for s in (-1, 1) for r in (INSIDE, PIPE) for e in (-half, half)]
        staves.append((Convex(pts), (0.0, 0.0, 0.0)))
    return Compound(staves)


def ring() -> Compound:
    n = 8
    c = RING / np.cos(np.pi / n) * np.array([(np.cos(a), np.sin(a), 0) for a in 2 * np.pi * (np.arange(n + 1) + 0.5) / n])
    return Compound([(Capsule(WIRE, float(np.linalg.norm(q - p))), 0.5 * (p + q), from_two_vectors((0, 0, 1), q - p)) for p, q in zip(c[:-1], c[1:])])


def check(recording: Recording) -> None:
    expect_contacts(recording, penetration=1e-3)
