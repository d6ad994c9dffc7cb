"""A knuckle-boom crane of 50 t on a ship of 5,500 t lifts a module of 15 t over the side, 4,400,000:1 [Lefebvre2020].
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.machines.sling import Sling
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scene.schedules import Ramps
from taut.scenes._expect import expect_contacts
from taut.scenes._knuckle_boom import KnuckleBoomCrane, hook_block
from taut.scenes._ship import DECK, Waves, add_hull, add_sea, float_up
from taut.shapes import Box, Compound
from taut.spatial import from_axis_angle

DURATION = 20.0

MODULE, MODULE_MASS = Box(3.0, 2.5, 2.5), 15e3
SKID = Box(3.0, 0.3, 0.3)
HOOK, HOOK_MASS = Box(0.35, 0.35, 0.8), 180.0
LUG, SLING, SLACK = (1.3, 1.05), 2.0, 0.05
"""Where the legs of the sling are on the module, how high their eye is above it, and how much too long they are, m."""
FOOT, START = (-10.0, -2.0), np.radians(35.0)
"""Where the crane is on deck, m, and where it points at the start, from ahead to port, rad."""

HOIST = Ramps((0.5, 0.0), (0.8, -0.1), (1.9, -0.1), (2.4, -0.3), (2.9, -0.3), (3.4, 0.0), (5.5, 0.0), (6.3, -0.6), (7.7, -0.6), (8.5, 0.0), (10.5, 0.0), (11.5, 1.0), (14.5, 1.0), (15.5, 0.0))
SLEW = Ramps((2.5, 0.0), (4.0, 0.08), (9.5, 0.08), (11.0, 0.0))
MAIN = Ramps((11.0, 1.22), (14.0, 1.25))
KNUCKLE = Ramps((0.0, -0.40), (1.0, -0.40))


def build(wave: float = 0.4, period: float = 9.0) -> Scene:
    """Build.

    Args:
        wave: height of the waves, m.
        period: of the waves, s.
    """
    owner = "scene 'offshore'"
    wave = checks.number(owner, "wave", wave, at_least=0.0)
    period = checks.number(owner, "period", period, above=0.0)
    scene = Scene(friction=1.0)
    add_hull(scene)
    schedules = {"slew": SLEW, "main": MAIN, "knuckle": KNUCKLE, "winch": HOIST}
    crane = KnuckleBoomCrane(scene, "hull", np.array((*FOOT, DECK)), START, schedules)
    tip = crane.tip
    low = DECK + 0.5 * MODULE.z
    eye = low + 0.5 * MODULE.z + SLING
    frame = [(Box(MODULE.x, MODULE.y, MODULE.z - SKID.z), (0.0, 0.0, 0.5 * SKID.z))]
    skids = [(SKID, (0.0, side * 0.95, 0.5 * (SKID.z - MODULE.z))) for side in (-1.0, 1.0)]
    scene.add_body("module", Compound(frame + skids), mass=MODULE_MASS, com=(0.0, 0.0, 0.0), position=(tip[0], tip[1], low), group="load", colour=(0.93, 0.8, 0.2))
    scene.add_body("hook", HOOK, mass=HOOK_MASS, position=(tip[0], tip[1], eye + 0.5 * HOOK.z), group="load", visual=hook_block())
    length = np.sqrt(SLING**2 + LUG[0] ** 2 + LUG[1] ** 2)
    lugs = [("module", (a * LUG[0], b * LUG[1], 0.5 * MODULE.z)) for a in (-1, 1) for b in (-1, 1)]
    scene.add(Sling(eye=("hook", (0.0, 0.0, -0.5 * HOOK.z)), to=lugs, length=length + SLACK, axial_stiffness=3e7, damping=2e4), name="sling")
    crane.add_winch(("hook", (0.0, 0.0, 0.5 * HOOK.z)), tip[2] - eye - HOOK.z)
    float_up(scene)
    add_sea(scene, Waves(wave, period))
    return scene


def check(recording: Recording) -> None:
    """Joints hold."""
    expect_contacts(recording, penetration=1e-3, violation=1e-4)
