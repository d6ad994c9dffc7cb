"""Forces of the forwarder's arm in a recording: work of its motors, and what statics say at the end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taut.results.record import Recording
from taut.scene.specs import BodySpec
from taut.scenes._expect import torque_about
from taut.scenes._forwarder import ARM, BASE, CROWD, ROD, SHOULDER, TIP, X, Y, Z
from taut.spatial import Array, rotate, rotate_each

GRAVITY = 9.81

CARRYING = ("pillar", "boom/1", "stick/1", "stick/2")
"""What carries the tip that the rotator swings on."""


def work(recording: Recording) -> Array:
    """Work (frames,) of all motors since the start, J: in every frame their mean force times the way they went."""
    done = np.zeros(len(recording) - 1)
    for joint, force in (
        ("slew/hinge", torque_about(recording, "slew/hinge", "pillar", Z)),
        ("rotator/hinge", torque_about(recording, "rotator/hinge", "rotator-lower", Z)),
        ("stick/slide-2", force_along(recording, "stick/slide-2", "stick/2", X)),
        ("grapple/cylinder/motor", force_along(recording, "grapple/cylinder/motor", "grapple/cylinder/rod", Z)),
    ):
        place = recording.joint(joint).position
        assert place is not None
        done += force[1:] * np.diff(place[:, 0])
    for cylinder, base, rod in (
        ("boom/cylinder/motor", ("pillar", BASE), ("boom/1", ROD)),
        ("stick/cylinder/motor", ("boom/1", CROWD.base[1]), ("stick/1", CROWD.rod[1])),
    ):
        length = np.linalg.norm(places(recording, *rod) - places(recording, *base), axis=1)
        done += push(recording, cylinder)[1:] * np.diff(length)
    return np.append(0.0, np.cumsum(done))


def force_along(recording: Recording, joint: str, body: str, axis: Sequence[float]) -> Array:
    """Force (frames,) of a joint on a body along an axis of this body, N."""
    reaction = recording.joint(joint).reaction
    assert reaction is not None
    world = rotate_each(recording.body(body).orientation, np.tile(axis, (len(recording), 1)))
    return np.asarray(np.sum(world * reaction[:, :3], axis=1))


def push(recording: Recording, cylinder: str) -> Array:
    """Force (frames,) with which a cylinder without mass pushes its ends apart, N."""
    tension = recording.joint(cylinder).tension
    assert tension is not None
    return -tension


def lift_moments(recording: Recording, bodies: Sequence[BodySpec]) -> tuple[float, float]:
    """Moment about the boom's hinge that its cylinder gives at the end, and that of the weights beyond it, N m."""
    root, base, rod = (end(recording, *each) for each in (("pillar", SHOULDER), ("pillar", BASE), ("boom/1", ROD)))
    axis = rotate(recording.body("boom/1").orientation[-1], np.array((0.0, -1.0, 0.0)))
    lever = float(np.cross(base - root, rod - base) @ axis) / float(np.linalg.norm(rod - base))
    beyond = [body for body in bodies if not body.fixed and body.name != "pillar"]
    found = float(push(recording, "boom/cylinder/motor")[-1]) * lever
    return found, float(np.cross(weighed(recording, beyond, root), Z) @ axis)


def claw_moments(recording: Recording, bodies: Sequence[BodySpec]) -> tuple[float, float]:
    """Moment with which the log opens the claws at the end, and that with which their cylinder closes them, N m.

    Both are sums over both claws about their hinges: what links take from one claw they give to the other.
    """
    across, found, right = rotate(recording.body("grapple/frame").orientation[-1], np.array(Y)), 0.0, 0.0
    contacts = recording.contacts(-1).of("log")
    for claw, opens, joint, sense in (("claw-1", 1.0, "base", -1.0), ("claw-2", -1.0, "end", 1.0)):
        name, hinge = f"grapple/{claw}", recording.body(f"grapple/{claw}").position[-1]
        here = np.array([name in pair for pair in zip(contacts.body_a, contacts.body_b, strict=True)], bool)
        moment = np.cross(contacts.point[here] - hinge, -contacts.force[here]).sum(axis=0)
        found += opens * float(moment @ across)
        reaction = recording.joint(f"grapple/cylinder/{joint}").reaction
        assert reaction is not None
        moment = np.cross(end(recording, name, (0.0, 0.0, ARM)) - hinge, sense * reaction[-1, :3])
        moment = moment - np.cross(weighed(recording, [body for body in bodies if body.name == name], hinge), Z)
        right -= opens * float(moment @ across)
    return found, right


def beside_hinges(recording: Recording, bodies: Sequence[BodySpec]) -> float:
    """How far the centre of all that swings on the tip is from the plumb lines of its two hinges at the end, m."""
    swinging = [body for body in bodies if not body.fixed and body.name not in CARRYING]
    aside = 0.0
    for top, hanging, axis in ((0.5, swinging, Y), (-0.5, swinging[1:], X)):
        arm = weighed(recording, hanging, end(recording, "tip", (0.0, 0.0, top * TIP.z)))
        level = rotate(recording.body("tip").orientation[-1], np.array(axis))
        weight = GRAVITY * sum(body.mass for body in hanging)
        aside = max(aside, abs(float(np.cross(arm, Z) @ level)) / weight)
    return aside


def weighed(recording: Recording, bodies: Sequence[BodySpec], point: Array) -> Array:
    """Sum of weights times where they are from a point at the end, (3,) N m."""
    arms = [GRAVITY * body.mass * (end(recording, body.name, body.com) - point) for body in bodies]
    return np.asarray(np.sum(arms, axis=0))


def end(recording: Recording, body: str, own: Sequence[float] | Array) -> Array:
    """Where a point of a body is at the end, (3,) m."""
    return places(recording, body, own)[-1]


def places(recording: Recording, body: str, own: Sequence[float] | Array) -> Array:
    """Where a point of a body is (frames, 3), m."""
    history = recording.body(body)
    return np.asarray(history.position + rotate_each(history.orientation, np.tile(own, (len(recording), 1))))
