"""A dump truck of 8 t falls on a net of ropes made of 0.2 kg bodies, bounces and comes to rest in it [Peiret2019].

The truck has 22 bodies and 153 rows, the net of 8 m by 8 m has 469 bodies in nine sections of some 52 bodies and 340
rows, and ropes 1.33 m apart with EA = 5.3 MN; 19,000:1. Twelve knots of its border are held, 5 m high. Ropes bend and
twist like wire ropes of 40 mm. The truck falls by a metre, tilted by five degrees, goes in by about as much, bounces
and comes to rest on rails, axles and wheels. What is level pulls a load f d^3 across itself, so a weight that makes a
sag of s at rest and falls by h comes to

    d^4 = 4 s^3 (h + d),        F = m g (d / s)^3

without loss. The paper gives masses, bodies and rows; dimensions, stiffness and fall are ours. Tyres are balls, and
rails, beams and axles round: an edge that ropes under 100 kN run over is another problem.
"""

from __future__ import annotations

import numpy as np

from taut import checks
from taut.machines.net import Net
from taut.results.record import Recording
from taut.scene.scene import WORLD, Scene
from taut.scenes._expect import expect, expect_below, expect_contacts, gained
from taut.scenes._truck import LOW, TRACK, WHEEL, Truck
from taut.shapes import Cylinder
from taut.spatial import Array, from_axis_angle

DURATION = 8.0
PICTURE = 6.0
FILM = (0.0, 5.0, 1.0)

MESHES, MESH, SEGMENTS, BODY_MASS = 6, 8.0 / 6.0, 5, 0.2
"""Along a side, m, segments from knot to knot, and mass of each and of a knot, kg."""
DIAMETER = 0.04
"""Of a rope, m."""
STIFFNESS = 2e7
"""EA/L of a segment, N/m."""
BEND, TWIST = 80.0, 80.0
"""EI and GJ of a rope, N m^2."""
POSTS, TILT = 5.0, 5.0
"""Height of the net, m, and tilt of the truck, degrees."""
GRAVITY = 9.81
STEEL = (0.5, 0.52, 0.55)


def build(fall: float = 1.0) -> Scene:
    """Build the net `net` and the truck `truck/chassis` ... above it.

    Args:
        fall: height of its lower wheels above the net, m.
    """
    fall = checks.number("scene 'net_truck'", "fall", fall, at_least=0.0)
    scene = Scene(friction=0.5)
    scene.add_plane()
    segment, middle = MESH / SEGMENTS, MESHES // 2
    border = [(i, j) for i in range(0, MESHES + 1, 2) for j in range(0, MESHES + 1, 2) if {i, j} & {0, MESHES}]
    net = Net(
        size=(MESHES * MESH, MESHES * MESH), mesh=MESH, segments=SEGMENTS, diameter=DIAMETER,
        mass_per_length=BODY_MASS / segment, axial_stiffness=STIFFNESS * segment, bending_stiffness=BEND,
        torsional_stiffness=TWIST, centre=(0.0, 0.0, POSTS), sections=(3, 3),
        held=[(i, j, (WORLD, ((i - middle) * MESH, (j - middle) * MESH, POSTS))) for i, j in border],
    )  # fmt: skip
    scene.add(net, name="net")
    post = Cylinder(0.12, POSTS)
    places = [((i - middle) * MESH, (j - middle) * MESH, 0.5 * POSTS) for i, j in border]
    scene.add_body("posts", visual=[(post, place) for place in places], fixed=True, collides=False, colour=STEEL)
    tilt = np.radians(TILT)
    height = POSTS + fall + WHEEL.radius - LOW + 0.5 * TRACK * np.sin(tilt)
    Truck(scene, np.array((0.0, 0.0, height)), from_axis_angle((1.0, 0.0, 0.0), tilt))
    return scene


def check(recording: Recording) -> None:
    """Joints hold to 1e-5 m, nothing overlaps by more than a tenth of a rope and energy only falls. The net stops the
    truck with the force of the closed form, within a factor of 1.5, throws it up again and carries its weight at the
    end, to 1 %; nothing goes through it.
    """
    expect_contacts(recording, penetration=0.1 * DIAMETER, violation=1e-5)
    weight = GRAVITY * sum(recording.info.masses)
    rise = np.diff(recording.energy, prepend=recording.energy[0])
    expect_below(recording, "energy gained in a step, as a share", rise / weight, 1e-4)
    expect_below(recording, "energy gained, as a share", gained(recording) / weight, 1e-4)
    truck = [at for at, name in enumerate(recording.info.body_names) if name.startswith("truck/")]
    low = recording.positions[:, truck, 2].min(axis=1)
    expect_below(recording, "depth of the truck under the posts in m", POSTS - low, 1.5)
    if recording.time[-1] < DURATION - 1e-9:
        return
    up, last = holding(recording), recording.time > DURATION - 1.0
    text = f"the net is held up with {up[last].mean():.4g} N; {weight:.4g} N is right"
    expect(abs(up[last].mean() / weight - 1.0) < 0.01, text)
    fall = float(recording.info.parameters["fall"])
    peak, right = float(up.max()), weight * blow(sag(recording)[last].mean(), fall)
    expect(right / 1.5 < peak < 1.5 * right, f"the net is held with {peak:.4g} N at most; {right:.4g} N is right")
    speed = recording.body("truck/chassis").velocity[:, 2]
    expect(speed.max() > 0.3 * np.sqrt(2.0 * GRAVITY * fall), "the truck is not thrown up again")
    expect(abs(speed[last]).max() < 0.3, "the truck does not come to rest")


def holding(recording: Recording) -> Array:
    """Vertical force (frames,) of the posts, N."""
    names = [name for name in recording.info.joint_names if name.startswith("net/held-")]
    forces = [recording.joint(name).reaction for name in names]
    return np.sum([force[:, 2] for force in forces if force is not None], axis=0)


def sag(recording: Recording) -> Array:
    """How far the lowest knot (frames,) is below the posts, m."""
    knots = [at for at, name in enumerate(recording.info.body_names) if name.startswith("net/knot-")]
    return np.asarray(POSTS - recording.positions[:, knots, 2].min(axis=1))


def blow(rest: float, fall: float) -> float:
    """Largest force over the weight, of what sags by `rest` m under it and is fallen on by `fall` m."""
    depth = rest
    for _ in range(100):  # a contraction: the exponent is 1/4
        depth = (4.0 * rest**3 * (fall + depth)) ** 0.25
    return (depth / rest) ** 3
