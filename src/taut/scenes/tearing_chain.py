"""Two tugs pull a chain apart: its weakest link breaks at the force it bears, and the halves go on with their momentum.

A chain of 24 links of 2 kg, 0.2 m long, on ball joints, between two tugs of 2 t, which all drift sideways together
without weight. Each tug pushes outwards with a force that rises by 10 kN a second. The tugs being alike, nothing is
accelerated, and every joint carries just that force. The weakest one bears 9.95 kN and all others 15 kN, so it goes at
the end of the first frame in which the tugs push more. Each half then moves as its mass under the force of its tug,

    M_i dV_i/dt = -+ F(t),        F = r t.

Joints that are left carry less than before, and nothing else breaks. The forces of the tugs cancel: linear and angular
momentum are those of the start. Dimensions are ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.joints.spherical import Spherical
from taut.results.events import Broken
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.scenes._expect import expect, expect_joined, expect_near
from taut.shapes import Box, Capsule
from taut.spatial import Array, from_two_vectors

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation

DURATION = 2.0
PICTURE = 1.5

LINK, LENGTH, LINK_MASS = Capsule(radius=0.02, length=0.16), 0.2, 2.0
"""Shape, m from joint to joint, kg."""
TUG, TUG_MASS = Box(0.6, 0.6, 0.6), 2000.0
DRIFT = (0.0, 1.0, 0.5)
"""Velocity of everything at the start, m/s."""
RATE, WEAK, STRONG = 1e4, 9.95e3, 1.5e4
"""How fast the forces rise, N/s, and what the weakest joint and all others bear, N."""


def build(links: int = 24, weakest: int = 9) -> Scene:
    """Build the chain along x between the tugs `left` and `right`.

    Args:
        links: number of links.
        weakest: which of the joints `joint-1` ..., from left to right and one more than links, bears least.
    """
    owner = "scene 'tearing_chain'"
    count = int(checks.number(owner, "links", links, at_least=1))
    if not 1 <= weakest <= count + 1:
        raise InputError(f"{owner}: weakest is {weakest}; it must be from 1 to {count + 1}")
    scene = Scene(gravity=(0.0, 0.0, 0.0), collisions=False)
    half, turn = 0.5 * count * LENGTH, from_two_vectors((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    scene.add_body("left", TUG, mass=TUG_MASS, position=(-half - 0.5 * TUG.x, 0.0, 0.0), velocity=DRIFT)
    previous = "left"
    for number in range(1, count + 2):
        start, link = (number - 1) * LENGTH - half, f"link-{number}"
        if number <= count:
            place = (start + 0.5 * LENGTH, 0.0, 0.0)
            scene.add_body(link, LINK, mass=LINK_MASS, position=place, orientation=turn, velocity=DRIFT)
        else:
            link = "right"
            scene.add_body(link, TUG, mass=TUG_MASS, position=(half + 0.5 * TUG.x, 0.0, 0.0), velocity=DRIFT)
        bears = WEAK if number == weakest else STRONG
        scene.connect(previous, link, Spherical(), at=(start, 0.0, 0.0), name=f"joint-{number}", break_force=bears)
        previous = link
    scene.add_control("push", act=push, high=10.0 * STRONG, unit="N", schedule=force_at)
    return scene


def push(simulation: Simulation, force: float) -> None:
    """Let both tugs push outwards with a force, N."""
    simulation.body("left").apply(force=(-force, 0.0, 0.0))
    simulation.body("right").apply(force=(force, 0.0, 0.0))


def force_at(time: float) -> float:
    """Force of a tug in the frame that ends at a time (s), N."""
    return min(RATE * time, 10.0 * STRONG)


def check(recording: Recording) -> None:
    """Joints hold to 1e-6 m; the weakest breaks at the end of the first frame in which the tugs push more than it
    bears, at that force to 1e-6, and no other; the halves move as their masses under their forces to 5 mm, and
    momentum stays to 1e-10 of what the parts have.
    """
    expect_joined(recording, violation=1e-6)
    parameters, time = recording.info.parameters, recording.time
    momentum = recording.momentum.reshape(-1, 6)
    expect_near(recording, "momentum, as a share", momentum / scale(recording), momentum[0] / scale(recording), 1e-10)
    late = time[RATE * time > WEAK]
    if not late.size:
        expect(not recording.events, f"{len(recording.events)} joints broke before they carried more than they bear")
        return
    expect(len(recording.events) == 1, f"{len(recording.events)} things happened; one joint must break")
    event, wanted = recording.events[0], f"joint-{parameters['weakest']}"
    expect(isinstance(event, Broken), f"{event.name} did not break, but is {event.kind}")
    expect(event.name == wanted, f"{event.name} broke; it must be {wanted}")
    expect(abs(event.time - late[0]) < 1e-9, f"it broke at {event.time:.4f} s; {late[0]:.4f} s is right")
    carried = RATE * late[0]
    expect(abs(event.force / carried - 1.0) < 1e-6, f"it broke at {event.force:.9g} N; {carried:.9g} N is right")
    for names, way in zip(halves(recording), (-1.0, 1.0), strict=True):
        mass, centre = centre_of(recording, names)
        expect_near(
            recording, f"position of the half with {names[0]} in m", centre - centre[0],
            closed_form(time, event.time, way / mass), 5e-3,
        )  # fmt: skip


def halves(recording: Recording) -> tuple[list[str], list[str]]:
    """Names of the bodies on either side of the weakest joint, the tugs first."""
    links, weakest = (int(recording.info.parameters[key]) for key in ("links", "weakest"))
    names = [f"link-{number}" for number in range(1, links + 1)]
    return ["left", *names[: weakest - 1]], ["right", *names[weakest - 1 :]]


def centre_of(recording: Recording, names: list[str]) -> tuple[float, Array]:
    """Mass (kg) of some bodies together and their centre of mass (frames, 3), m."""
    bodies = [recording.body(name) for name in names]
    mass = sum(body.mass for body in bodies)
    return mass, sum((body.mass * body.position for body in bodies), np.zeros(3)) / mass


def closed_form(time: Array, broken: float, share: float) -> Array:
    """Way (frames, 3) of a half with this force over mass and tug's force (1/kg), which came off at `broken` s, m."""
    since = np.maximum(time - broken, 0.0)
    way = np.outer(time, DRIFT)
    way[:, 0] += share * RATE * (0.5 * broken * since**2 + since**3 / 6.0)
    return way


def scale(recording: Recording) -> Array:
    """Sums (6,) of the sizes of all momenta at the end, linear (kg m/s) and angular about the origin (kg m^2/s)."""
    masses = np.array(recording.info.masses)[:, None]
    linear = masses * recording.velocities[-1]
    angular = np.cross(recording.positions[-1], linear)
    return np.repeat([np.linalg.norm(linear, axis=1).sum(), np.linalg.norm(angular, axis=1).sum()], 3)
