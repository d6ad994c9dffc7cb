"""The offshore crane with its module hanging free, 4,400,000:1, against closed forms: stretch of the rope, and swing.

A module below its hook swings as two pendulums do, one under the other. With t and p the angles of rope and module with
the vertical, L from the tip of the boom to the eye of the slings, c from there to the middle of the module, m and I its
mass and moment of inertia, and a hook of mass n whose middle is l below the tip,

    K = g diag(m L + n l, m c)        M = [[m L^2 + n l^2, m L c], [m L c, m c^2 + I]]        K u = w^2 M u

Across the ship the tip, h above it, goes to and fro with its heel a: all places across are less by h a, and a has
I_ship as mass, and K_roll less g times the mass times height of all that stands on the ship or hangs from h.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import minimize_scalar

import taut
from taut import scenes
from taut.model.state import State
from taut.scenes._knuckle_boom import TIP
from taut.scenes._ship import GRAVITY, HULL, HULL_MASS, ROLL, TANK, TANK_MASS
from taut.scenes.offshore import HOOK, HOOK_MASS, MODULE
from taut.spatial import Array, rotate

LOAD = 15e3


@cache
def at_rest() -> tuple[taut.Simulation, State]:
    """The module nearly at rest, high above the deck, on a calm sea, and the state of that."""
    simulation = taut.Simulation(scenes.build("offshore", load=LOAD, wave=0.0))
    for control in list(simulation.controls.values()):
        control.take()
    winch = simulation.part("winch")
    winch.haul(0.6)
    simulation.run(3.5, record=False)
    winch.drive(0.0)
    assert not simulation.run(5.0, record=False)
    return simulation, simulation.state.copy()


def hanging() -> taut.Simulation:
    """The same, whatever was done with it before."""
    simulation, state = at_rest()
    simulation.restore(state)
    return simulation


def place(simulation: taut.Simulation, body: str, own: tuple[float, float, float]) -> Array:
    """World place (3,) of a point of a body, m."""
    view = simulation.body(body)
    return np.asarray(view.position + rotate(view.orientation, np.array(own)))


def ends(simulation: taut.Simulation) -> tuple[Array, Array, Array]:
    """Where the rope leaves the boom, the eye of the slings, and the middle of the module, (3,) m."""
    eye = place(simulation, "hook", (0.0, 0.0, -0.5 * HOOK.z))
    return place(simulation, "knuckle/1", TIP), eye, simulation.body("module").position


def depths(simulation: taut.Simulation) -> tuple[float, float, float]:
    """h, L and c, m."""
    tip, eye, middle = ends(simulation)
    return float(tip[2]), float((tip - eye)[2]), float((eye - middle)[2])


def along_the_ship(simulation: taut.Simulation) -> tuple[Array, Array]:
    """Stiffness and mass (2, 2) of rope and module."""
    _, rope, below = depths(simulation)
    hook = rope - 0.5 * HOOK.z
    mass = LOAD * np.outer((rope, below), (rope, below)) + HOOK_MASS * np.diag([hook**2, 0.0])
    mass[1, 1] += LOAD * MODULE.unit_inertia[1]
    return GRAVITY * np.diag([LOAD * rope + HOOK_MASS * hook, LOAD * below]), mass


def across_the_ship(simulation: taut.Simulation) -> tuple[Array, Array]:
    """Stiffness and mass (3, 3) of ship, rope and module."""
    high, rope, below = depths(simulation)
    hook = rope - 0.5 * HOOK.z
    module, hooked = np.array([-high, rope, below]), np.array([-high, hook, 0.0])
    mass = LOAD * np.outer(module, module) + HOOK_MASS * np.outer(hooked, hooked)
    mass[2, 2] += LOAD * MODULE.unit_inertia[0]
    aboard = [body for body in simulation.scene.bodies if not body.fixed and body.group not in ("load", "crane/cable")]
    standing = sum(body.mass * body.position[2] for body in aboard)
    mass[0, 0] += HULL_MASS * HULL.unit_inertia[0] + 2.0 * TANK_MASS * TANK.unit_inertia[0]
    mass[0, 0] += sum(body.mass * (body.position[1:] @ body.position[1:]) for body in aboard)
    rights = ROLL - GRAVITY * (standing + (LOAD + HOOK_MASS) * high)
    return np.diag([rights, GRAVITY * (LOAD * rope + HOOK_MASS * hook), GRAVITY * LOAD * below]), mass


def swung(simulation: taut.Simulation, force: tuple[float, float, float]) -> Array:
    """Angles (frames, 3) of ship, rope and module, rad, after a push of half a second in the direction of a force."""
    way = int(np.argmax(np.abs(force)))
    sign, axis = (-1.0, 2) if way == 0 else (1.0, 1)
    angles = []
    for frame in range(round(12.0 / simulation.settings.step)):
        simulation.body("module").apply(force=force if frame < 30 else (0.0, 0.0, 0.0))
        assert simulation.step().status == "solved"
        tip, eye, _ = ends(simulation)
        ship, module = (sign * 2.0 * simulation.body(name).orientation[axis] for name in ("hull", "module"))
        angles.append((ship, (eye - tip)[way] / (tip - eye)[2], module))
    return np.array(angles)[30:]


def rate_of(values: Array, guess: float, step: float) -> float:
    """The angular frequency near a guess of a sine about any mean that fits values (n,) best, rad/s."""
    time = step * np.arange(values.size)

    def left(rate: float) -> float:
        waves = np.column_stack([np.cos(rate * time), np.sin(rate * time), np.ones_like(time)])
        return float(np.linalg.norm(values - waves @ np.linalg.lstsq(waves, values)[0]))

    return float(minimize_scalar(left, bounds=(0.8 * guess, 1.2 * guess), method="bounded").x)


def test_the_rope_stretches_as_ea_says() -> None:
    """By T L / EA, T the weight of what hangs on it and of half of itself, to 2 %, in the mean: the module bounces."""
    simulation = hanging()
    winch = simulation.part("winch")
    rope, stretch = winch.part.rope, []
    for _ in range(300):
        simulation.step()
        stretch.append(winch.stretched_length - winch.length)
    pull = GRAVITY * (LOAD + HOOK_MASS + 0.5 * rope.mass_per_length * winch.length)
    assert np.mean(stretch) == pytest.approx(pull * winch.length / rope.axial_stiffness, rel=0.02)


@pytest.mark.parametrize("way", ["along", "across"])
def test_the_module_swings_as_its_closed_form_says(way: str) -> None:
    """The swing of rope and module as one, to 1 %; across, where the ship gives way, it is 2.5 % faster."""
    simulation = hanging()
    along = way == "along"
    stiffness, mass = (along_the_ship if along else across_the_ship)(simulation)
    squares, shapes = eigh(stiffness, mass)
    mode = 0 if along else 1
    right = math.sqrt(squares[mode])
    angles = swung(simulation, (1.2e4, 0.0, 0.0) if along else (0.0, 1.2e4, 0.0))
    share = (angles[:, 1:] if along else angles) @ mass @ shapes[:, mode]  # of this mode alone
    assert np.ptp(angles[:, 1]) > 0.05
    assert rate_of(share, right, simulation.settings.step) == pytest.approx(right, rel=0.01)
