"""What is measured of a recording of the crane."""

from __future__ import annotations

import numpy as np

from taut.results.record import Recording
from taut.scenes._expect import torque_about
from taut.scenes._truck_crane import DRUM, HEAD, RING
from taut.spatial import Array, rotate_each

GRAVITY = 9.81
LOAD = ("load", "ring", "crane/block", "crane/hook/hook")
"""What hangs on the rope."""


def frames(recording: Recording, begin: float, end: float) -> tuple[int, int]:
    """First and last frame between two times, s."""
    first, last = np.searchsorted(recording.time, (begin - 1e-9, end - 1e-9))
    return int(first), min(int(last), len(recording) - 1)


def segments(recording: Recording) -> list[str]:
    """Names of all segments of the cable that ever were."""
    return [name for name in recording.info.body_names if name.startswith("crane/winch/") and name[12:].isdigit()]


def hanging(recording: Recording) -> tuple[Array, Array]:
    """Mass (frames,) and momentum upwards (frames,) of all that hangs on the rope, kg and kg m/s."""
    names = [*LOAD, *segments(recording)]
    speed = np.stack([recording.body(name).velocity[:, 2] for name in names])
    mass = np.array([[recording.body(name).mass] for name in names]) * np.isfinite(speed)
    return mass.sum(axis=0), np.nansum(mass * speed, axis=0)


def whole(recording: Recording, frame: int) -> float:
    """Mass of all that moves in a frame, kg."""
    names = recording.info.body_names
    moves = recording.present[frame] & np.array([not name.startswith(("bearer", "stock")) for name in names])
    return float(np.array(recording.info.masses)[moves].sum())


def mean_force(recording: Recording, mass: float, momentum: Array, span: tuple[int, int]) -> float:
    """Mean force upwards on a mass (kg) with this momentum (frames,) between two frames, N, by Newton's law."""
    first, last = span
    passed = float(recording.time[last] - recording.time[first])
    return mass * GRAVITY + float(momentum[last] - momentum[first]) / passed


def rope_force(recording: Recording) -> Array:
    """Force (frames, 3) of the rope at the head of the boom on the first segment, N."""
    reaction = recording.joint("crane/winch/reel").reaction
    assert reaction is not None
    return reaction[:, :3]


def on_ground(recording: Recording) -> Array:
    """Force (4, frames) of the ground on each pad, N."""
    pads = [name for name in recording.info.body_names if name.startswith("truck/pad-")]
    found = []
    for pad in pads:
        reaction = recording.joint(f"{pad}/ball").reaction
        assert reaction is not None
        found.append(recording.body(pad).mass * GRAVITY - reaction[:, 2])
    return np.array(found)


def head(recording: Recording) -> Array:
    """Where the rope leaves the boom (frames, 3), m."""
    boom = recording.body("crane/boom/3")
    return boom.position + rotate_each(boom.orientation, np.tile(HEAD, (len(recording), 1)))


def work(recording: Recording) -> Array:
    """Work (2, frames) that winch and slewing ring have done, J."""
    done = []
    for joint, body in (("crane/winch/hinge", "crane/winch/drum"), ("crane/slew/hinge", "crane/turntable")):
        speed = recording.joint(joint).velocity
        assert speed is not None
        power = torque_about(recording, joint, body, (0.0, 0.0, 1.0)) * speed[:, 0]
        done.append(np.cumsum(power) * recording.info.step)
    return np.array(done)


def carried(recording: Recording) -> Array:
    """Energy (frames,) that rope has gained where it goes over to the head from the drum, far below, or back, J.

    What is done after a frame is part of the energy of the next one.
    """
    gained = np.zeros(len(recording) + 1)
    for name in segments(recording):
        body = recording.body(name)
        height = body.position[:, 2] - RING - DRUM[2]
        there = np.isfinite(height)
        weight = body.mass * GRAVITY
        came, went = np.flatnonzero(there[1:] & ~there[:-1]) + 1, np.flatnonzero(there[:-1] & ~there[1:])
        gained[came + 1] += weight * height[came]
        gained[went + 2] -= weight * height[went]
    return np.cumsum(gained[:-1])


def period(recording: Recording, span: tuple[int, int]) -> tuple[float, float]:
    """Period of the pipe under the head of the boom, and 2 pi sqrt(l / g) with l = sum m r^2 / sum m r, s.

    Of a pendulum x'' = -w^2 (x - head), wherever its head goes: w^2 is what fits accelerations and distances best.
    """
    load, step = recording.body("load"), recording.info.step
    first, last = span
    away = (load.position - head(recording))[first:last]
    faster = (load.velocity[first + 1 : last + 1] - load.velocity[first - 1 : last - 1]) / (2.0 * step)
    square = -float(np.sum(faster[:, :2] * away[:, :2]) / np.sum(away[:, :2] ** 2))
    moment = inertia = 0.0
    for name in (*LOAD, *segments(recording)):
        body = recording.body(name)
        reach = float(np.linalg.norm((body.position - head(recording))[first:last], axis=1).mean())
        if np.isfinite(reach):
            moment, inertia = moment + body.mass * reach, inertia + body.mass * reach**2
    return 2.0 * np.pi / float(np.sqrt(square)), 2.0 * np.pi * float(np.sqrt(inertia / moment / GRAVITY))
