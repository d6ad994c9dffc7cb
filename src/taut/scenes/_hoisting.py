"""What a recording says of the rope of a winch: how long it is, what it is stretched by, and how its load moves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut.machines.winch import Winch
from taut.results.record import Recording
from taut.spatial import Array, rotate_each

CATCH = 0.1
"""In which a rope that was slack catches its load, s."""


class HoistRecord:
    """The rope of a winch over time, read from the places of its bodies.

    Attributes:
        length: beyond the exit, as long as it is, (frames,) m.
        run_off: rope beyond the exit as it ran off the drum, without load, (frames,) m.
        stretch: what its tension stretches it by, as EA says, (frames,) m.
        top: tension at the exit, (frames,) N.
        pull: force of the rope on what it carries, (frames, 3) N.
        axial_stiffness: EA, N.
    """

    def __init__(self, recording: Recording, name: str, winch: Winch) -> None:
        """The winch of this name; `winch` is what was added. Rope of no given length is straight at the start."""
        self.recording, self.name = recording, name
        turned = recording.joint(f"{name}/hinge").position
        tension = recording.joint(f"{name}/reel").tension
        assert turned is not None and tension is not None
        segment, self.axial_stiffness = winch.segment, winch.rope.axial_stiffness
        head, below = (place_of(recording, *place) for place in (winch.exit, winch.rope.to))
        built = float(np.linalg.norm(head[0] - below[0])) if winch.rope.length is None else winch.rope.length
        self.run_off = built + winch.radius * (turned[:, 0] - turned[0, 0])
        self.top = np.maximum(tension, 0.0)
        self.length, pulls = np.zeros(len(recording)), np.zeros(len(recording))
        half, count = (0.0, 0.0, 0.5 * segment), np.zeros(len(recording))
        links = self.segments()
        self.pull = links[0][1]
        for number, link in links:
            body = f"{name}/{number}"
            there = np.isfinite(recording.body(body).position[:, 0])
            low = place_of(recording, body, half)
            gap = np.linalg.norm(below - low, axis=1)
            pull = np.linalg.norm(link, axis=1)
            self.length[there] += gap[there] + segment
            pulls[there] += np.where(count[there] > 0.0, 1.0, 0.5) * pull[there]
            count[there] += 1.0
            below = np.where(there[:, None], place_of(recording, body, (0.0, 0.0, -0.5 * segment)), below)
        free = self.run_off - count * segment
        self.length += np.linalg.norm(head - below, axis=1)
        self.stretch = (pulls * segment + self.top * (free + 0.5 * segment)) / self.axial_stiffness

    def segments(self) -> list[tuple[int, Array]]:
        """Numbers of all segments that ever were, from the load up, and the force (frames, 3) at the lower end of each.

        Those of the start are numbered from the exit on, those that came later in their order.
        """
        numbers = [
            int(each.removeprefix(f"{self.name}/"))
            for each in self.recording.info.body_names if each.removeprefix(f"{self.name}/").isdigit()
        ]  # fmt: skip
        first = int(
            np.isfinite([self.recording.body(f"{self.name}/{number}").position[0, 0] for number in numbers]).sum()
        )
        found = []
        for number in [*range(first, 0, -1), *sorted(each for each in numbers if each > first)]:
            reaction = self.recording.joint(f"{self.name}/joint-{number}").reaction
            assert reaction is not None
            found.append((number, reaction[:, :3]))
        return found


def stretch_errors(rope: HoistRecord, weight: float) -> Array:
    """How far the rope (frames,) is off what EA says, as a share of its stretch under a weight (N) at rest.

    Where it has been taut for a while: what catches a load has dampers at work.
    """
    caught = held_for(rope.top > 0.0, round(CATCH / rope.recording.info.step))
    error = np.where(caught, rope.length - rope.run_off - rope.stretch, 0.0)
    return np.asarray(error / (weight * rope.run_off / rope.axial_stiffness))


def held_for(true: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Frames up to which something was so for so many frames (frames,)."""
    return np.convolve(true, np.ones(count + 1))[: true.size] > count + 0.5


def place_of(recording: Recording, body: str, own: Any) -> Array:
    """World places (frames, 3) of a point of a body, given in its own frame, m."""
    history = recording.body(body)
    arms = np.tile(np.asarray(own, float), (len(recording), 1))
    return np.asarray(history.position + rotate_each(history.orientation, arms))
