"""What must be true of two cranes that carry a pipe in slings, see `tandem_cranes`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from taut.results.record import Recording
from taut.scenes._crawler import TRACK
from taut.scenes._expect import expect, expect_below, expect_near, gained, torque_about
from taut.spatial import Array, rotate_each

CRANES, SIDES = ("west", "east"), ("left", "right")
GRAVITY = 9.81
SETTLED = 0.6
"""When what was built without strain has taken it, s."""
WINDOW = 2.0
"""For which forces are averaged: pipe and ropes bounce a little, and tracks run shoe by shoe, s."""
SLIDES, LEAST_LOSS = 0.03, 0.05
"""Speed from which on the pipe slides and is not taken along, m/s, and the loss of speed that is looked at, m/s."""


class Sling(NamedTuple):
    """One sling over time, along the pipe's axis.

    Attributes:
        place: (frames,) of its belt from the pipe's middle, m.
        slip: (frames,) speed of the pipe in it, m/s.
        pull: (frames,) force of the hook that holds it, upwards, N.
    """

    place: Array
    slip: Array
    pull: Array


def pipe_axis(recording: Recording) -> Array:
    """Direction (frames, 3) of the pipe, from east to west."""
    return rotate_each(recording.body("pipe").orientation, np.tile((0.0, 0.0, 1.0), (len(recording), 1)))


def sling_of(recording: Recording, crane: str, segments: int, radius: float) -> Sling:
    """The sling of a crane whose belt has so many segments of a radius (m); the outer two at its ends are beside the
    pipe. It slips where surfaces do: a belt that is taken along rolls a little.
    """
    pipe, axis, places, slips = recording.body("pipe"), pipe_axis(recording), [], []
    for number in range(3, segments - 1):
        part = recording.body(f"{crane}/belt/{number}")
        apart = pipe.position - part.position
        across = apart - np.sum(apart * axis, axis=1)[:, None] * axis
        arm = radius * across / np.linalg.norm(across, axis=1)[:, None]
        own = part.velocity + np.cross(part.angular_velocity, arm)
        other = pipe.velocity + np.cross(pipe.angular_velocity, arm - apart)
        places.append(-np.sum(apart * axis, axis=1))
        slips.append(np.sum((other - own) * axis, axis=1))
    pull = recording.joint(f"{crane}/sling/hook/latch").reaction
    assert pull is not None
    return Sling(np.mean(places, axis=0), np.mean(slips, axis=0), pull[:, 2])


def windows(recording: Recording, begin: float, end: float) -> list[NDArray[np.intp]]:
    """The frames of every whole window between two times, s."""
    last = min(end, float(recording.time[-1]))
    starts = np.arange(begin, last - WINDOW + 1e-9, WINDOW)
    return [np.flatnonzero((recording.time > start) & (recording.time <= start + WINDOW + 1e-9)) for start in starts]


def check_loads(recording: Recording, slings: dict[str, Sling], pipe: float, sling: float, until: float) -> None:
    """Hooks carry the weight to 0.5 %, and share it by the lever rule to 1 %, in all windows up to a time, s.

    `pipe` and `sling` are masses below a hook, kg.
    """
    rising = recording.body("pipe").velocity[:, 2]
    for among in windows(recording, SETTLED, until):
        change = (rising[among[-1]] - rising[among[0]]) / (recording.time[among[-1]] - recording.time[among[0]])
        right = pipe * (GRAVITY + change) + 2.0 * sling * GRAVITY
        found = sum(float(each.pull[among].mean()) for each in slings.values())
        start = recording.time[among[0]]
        text = f"hooks carry {found:.5g} N together from {start:.3g} s on; {right:.5g} N is right"
        expect(abs(found / right - 1.0) < 0.005, text)
        for name, other in (("west", "east"), ("east", "west")):
            far, near = abs(slings[other].place[among]), abs(slings[name].place[among])
            share = float((far / (far + near)).mean()) * pipe * (GRAVITY + change) + sling * GRAVITY
            carried = float(slings[name].pull[among].mean())
            text = f"the {name} hook carries {carried:.5g} N from {start:.3g} s on; {share:.5g} N is right, by levers"
            expect(abs(carried / share - 1.0) < 0.01, text)


def check_slide(recording: Recording, slings: dict[str, Sling], push: Array, mass: float, friction: float) -> None:
    """Where the pipe slides in both slings one way, they brake it with `friction` of its weight, to 10 %.

    `push` (frames,) are forces on the pipe along its axis, N, and `mass` is the pipe's, kg. Integrated over all these
    frames, what it loses is friction g t.
    """
    pipe, axis = recording.body("pipe"), pipe_axis(recording)
    slip = np.array([each.slip for each in slings.values()])
    one_way = np.sign(slip[0]) * (abs(slip) > SLIDES).all(axis=0) * (np.sign(slip[0]) == np.sign(slip[1]))
    sliding = one_way[1:] * (one_way[1:] == one_way[:-1])
    step = np.diff(recording.time)
    gain = np.sum(np.diff(pipe.velocity, axis=0) * axis[1:], axis=1)
    given = (push[1:] / mass - GRAVITY * axis[1:, 2]) * step
    lost, right = float(np.sum(sliding * (given - gain))), friction * GRAVITY * float(np.sum(abs(sliding) * step))
    if right > LEAST_LOSS:
        text = f"slings took {lost:.4g} m/s from the pipe that slid in them; {right:.4g} m/s is right, by friction"
        expect(abs(lost / right - 1.0) < 0.1, text)


def check_walk(recording: Recording, crane: str, way: Array) -> None:
    """A crane goes by the way (frames,) that its tracks are driven, to 2 cm, straight and level; they stay tight."""
    place = recording.body(f"{crane}/car").position
    place = place - place[0]
    expect_near(recording, f"way of the {crane} crane in m", place[:, 0], way, 0.02)
    expect_near(recording, f"drift of the {crane} crane in m", place[:, 1:], np.zeros(2), 0.02)
    settled = recording.time > SETTLED
    for side in ("left", "right"):
        push = np.where(settled, -track_pulls(recording, f"{crane}/{side}").min(axis=0), 0.0)
        expect_below(recording, f"push in the pins of {crane}/{side} in N", push, 0.0)


def track_pulls(recording: Recording, track: str) -> Array:
    """Pull (links, frames) of the pins of a track, each along its track, N."""
    links, pulls = TRACK["links"], []
    shoes = [recording.body(f"{track}/shoe-{number}").position for number in range(1, links + 1)]
    for number in range(links):
        way = shoes[number] - shoes[number - 1]
        force = recording.joint(f"{track}/pin-{number + 1}").reaction
        assert force is not None
        pulls.append(-np.sum(force[:, :3] * way, axis=1) / np.linalg.norm(way, axis=1))
    return np.array(pulls)


def check_energy(recording: Recording, push: Array) -> None:
    """Energy rises by the work of motors and of the push (frames,) N alone, up to 200 J, once tracks have settled."""
    axis, velocity = pipe_axis(recording), recording.body("pipe").velocity
    power = push * np.sum(axis * velocity, axis=1)
    drives = [(f"{crane}/{side}-motor", f"{crane}/{side}-motor-hinge") for crane in CRANES for side in SIDES]
    for body, hinge in [*drives, *((f"{crane}/hoist/drum", f"{crane}/hoist/hinge") for crane in CRANES)]:
        turning = recording.joint(hinge).velocity
        assert turning is not None
        power += torque_about(recording, hinge, body, (0.0, 0.0, 1.0)) * turning[:, 0]
    work = np.cumsum(power * np.diff(recording.time, prepend=recording.time[0]))
    settled = int(np.searchsorted(recording.time, SETTLED))
    beyond = gained(recording) - work
    beyond = np.where(recording.time > SETTLED, beyond - beyond[min(settled, len(beyond) - 1)], 0.0)
    expect_below(recording, "energy gained beyond the work of motors in J", beyond, 200.0)
