"""Segments of a running cable are split and joined: it is made of more and shorter ones where that is wanted, or fewer.

A joint stands for half of each segment beside it, so a segment that is split takes its share of what its joints are
stretched, bent and twisted by. With the strain e = gap / l and the curvature k = turn / l at the joints before and
after a segment of length L, l being the length that a joint stands for, pieces of length p are turned by k x at x from
its middle, with k the mean of both joints, and the gaps between them are p (e_a + (e_b - e_a) x / L). What its two
joints are left with fits their new stiffness, so tension and curvature go on. One segment of several is the other way
round: it lies on the straight line between the ends of these, with their centre of mass.

On a curve, pieces are longer than what they replace is from end to end, and one segment of several is longer still.
Where new segments are in a row, so that there is room between its ends, all of them are laid on a line of nodes as far
apart as they and their gaps are long, see `drawn_tight`: else EA, or a joint that does not stretch, pulls together what
is open by k^2 L^3 / 24, with 2,500 J in a cable that is bent with 28.

Momentum is shared out as for any body that is split or merged. Pieces have the moments of inertia together that the
segment had about its middle, so that they turn as fast. The same is done one step earlier, for the scheme that looks
back on it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from taut import spatial
from taut.errors import InputError
from taut.joints.compliant_link import BEND_AND_TWIST
from taut.machines.base import BuiltPart
from taut.machines.line import Line, Placed, Tip, drawn_tight, joined, laid, tips_of
from taut.machines.segments import MOST_SEGMENTS, ROUNDING, Z
from taut.shapes import Capsule
from taut.spatial import Array, cross

if TYPE_CHECKING:
    from taut.simulation.edit import Edit


def refine_line(edit: Edit, name: str, most: float, between: tuple[float, float]) -> None:
    """See `Edit.refine`."""
    line = Line.of(edit, name)
    inside, counts = meets(line, "refine", between), {}
    for number, (body, chosen, length) in enumerate(zip(line.bodies, inside, line.lengths, strict=True)):
        count = int(np.ceil(length / most * (1.0 - ROUNDING)))
        if count > 1 and chosen and there(edit, body):
            if line.part.collides and length / count < line.part.diameter:
                raise InputError(
                    f"edit: refine {name!r}: segment_length is {most:g}; it must be the diameter of "
                    f"{line.part.diameter:g} m at least, or segments that are not neighbours touch"
                )
            counts[number] = count
    if len(line.bodies) + sum(counts.values()) - len(counts) > MOST_SEGMENTS:
        text = f"segment_length is {most:g}; that takes more than {MOST_SEGMENTS} segments"
        raise InputError(f"edit: refine {name!r}: {text}")
    rows = in_rows(line, [(number, number) for number in counts])
    placed = [
        [poses for row in rows for poses in drawn_tight([laid(line, first, counts[first], back) for first, _ in row])]
        for back in (False, True)
    ]
    for number, now, before in zip(counts, *placed, strict=True):
        split_segment(Line.of(edit, name), line.bodies[number], [now, before])


def coarsen_line(edit: Edit, name: str, most: float, between: tuple[float, float]) -> None:
    """See `Edit.coarsen`."""
    line = Line.of(edit, name)
    inside = meets(line, "coarsen", between)
    runs: list[list[int]] = []
    for number, (body, length) in enumerate(zip(line.bodies, line.lengths, strict=True)):
        if not inside[number] or not there(edit, body):
            continue
        held = runs and runs[-1][-1] == number - 1 and line.joins(number)
        if held and line.lengths[runs[-1]].sum() + length <= most * (1.0 + ROUNDING):
            runs[-1].append(number)
        else:
            runs.append([number])
    spans = [(run[0], run[-1]) for run in runs if len(run) > 1]
    rows = in_rows(line, spans)
    placed = [
        [poses[0] for row in rows for poses in drawn_tight([joined(line, span, back) for span in row])]
        for back in (False, True)
    ]
    for (first, last), *poses in zip(spans, *placed, strict=True):
        join_segments(Line.of(edit, name), line.bodies[first : last + 1], [[pose] for pose in poses])


def in_rows(line: Line, spans: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Spans of segments, first and last of each, in rows: where one begins at the joint at which another ends."""
    rows: list[list[tuple[int, int]]] = []
    for span in spans:
        if rows and rows[-1][-1][1] == span[0] - 1 and line.joins(span[0]):
            rows[-1].append(span)
        else:
            rows.append([span])
    return rows


def meets(line: Line, what: str, between: tuple[float, float]) -> NDArray[np.bool_]:
    """Flags (segments,) of those whose middle is between two places, m from the start of a cable; there must be one."""
    middles = np.cumsum(line.lengths) - 0.5 * line.lengths
    inside = np.asarray((between[0] <= middles) & (middles <= between[1]))
    if not inside.any():
        nearest = middles[np.argmin(np.abs(middles - np.clip(middles, *between)))]
        raise InputError(
            f"edit: {what} {line.handle.name!r}: between is {between[0]:g} to {between[1]:g}; there is no "
            f"segment with its middle there, the nearest is at {nearest:g} of {line.lengths.sum():g} m"
        )
    return inside


def there(edit: Edit, body: str) -> bool:
    """Whether a body is in the edited scene."""
    return any(spec.name == body for spec in edit.scene.bodies)


def split_segment(line: Line, body: str, poses: list[Placed]) -> None:
    """Put equal pieces in the place of a segment, which are and were there: `poses` now and one step earlier."""
    edit, handle, number, count = line.edit, line.handle, line.bodies.index(body), len(poses[0])
    spec = edit.scene.bodies[edit.scene.index_of("cable", body)]
    length, around = float(line.lengths[number]), (number, number + 1)
    made = int(handle.sizes.get("made", len(line.bodies)))
    names = [f"{handle.name}/{made + k + 1}" for k in range(count)]
    joints = [f"{handle.name}/joint-{made + k + 1}" for k in range(1, count)]
    origin, turn = line.pose(body, False)
    shape, inertia = Capsule(0.5 * line.part.diameter, length / count), piece_inertia(spec, length, count)
    pieces = {
        name: {
            "shape": shape, "mass": spec.mass / count, "inertia": inertia, "com": (0, 0, 0), "collides": spec.collides,
            "position": spatial.rotate(spatial.conjugate(turn), place - origin),
            "orientation": spatial.multiply(spatial.conjugate(turn), own),
        }
        for name, (place, own) in zip(names, poses[0], strict=True)
    }  # fmt: skip
    twist, past, looks_back = edit.motion_of(body), edit.past_of(body), line.looks_back(around, (body,))
    tips, forces = tips_of(line, around, (body, body)), [line.force(joint) for joint in around]
    held = {line.joints[joint]: names[-side] for side, joint in enumerate(around) if line.joints[joint] in line.links}
    neighbours = line.bodies[max(number - 1, 0) : number] + line.bodies[number + 1 : number + 2]
    edit.split_body(body, pieces, held, touching=neighbours)
    if looks_back and past is not None:
        before = line_twists(past.velocity, origin - past.displacement[:3], poses[1])
        change = [edit.motion_of(name) for name in names] - line_twists(twist, origin, poses[0])
        set_pasts(edit, names, poses, before + change)
    half = np.array([0.0, 0.0, 0.5 * length / count])
    for k, joint in enumerate(joints, start=1):
        a, b = names[k - 1 : k + 1]
        link = line.part.link(length / count, 1.0, half, -half)
        edit.connect(a, b, link, name=joint, break_force=line.part.breaking_force)
        straight = edit.scene.links[-1]
        straight.at, untwisted = half, np.array(spatial.IDENTITY)
        straight.poses = {a: (np.zeros(3), untwisted), b: (2.0 * half, untwisted)}
        edit.set_force(joint, forces[0] + (forces[1] - forces[0]) * k / count)
    put(line, (number, number + 1), names, joints, [length / count] * count, made + count)
    refit(edit, handle.name, tips)


def join_segments(line: Line, bodies: tuple[str, ...], poses: list[Placed]) -> None:
    """Put one segment in the place of neighbours, which is and was there: `poses` now and one step earlier."""
    edit, handle, first = line.edit, line.handle, line.bodies.index(bodies[0])
    last = first + len(bodies)
    specs = [edit.scene.bodies[edit.scene.index_of("cable", body)] for body in bodies]
    lengths, masses = line.lengths[first:last], np.array([spec.mass for spec in specs])
    around, length = (first, last), float(lengths.sum())
    made = int(handle.sizes.get("made", len(line.bodies))) + 1
    name = f"{handle.name}/{made}"
    middles = np.cumsum(lengths) - 0.5 * lengths
    across = float(masses @ (middles - masses @ middles / masses.sum()) ** 2)
    inertia = sum(spec.inertia for spec in specs) + np.diag([across, across, 0.0])
    pasts = [edit.past_of(body) for body in bodies]
    looks_back = line.looks_back(tuple(range(first, last + 1)), bodies)
    earlier = [line.pose(body, True) for body in bodies]
    tips = tips_of(line, around, (bodies[0], bodies[-1]))
    edit.given.handed |= {line.joints[joint] for joint in range(first + 1, last)}
    place, turn = poses[0][0]
    edit.merge_bodies(
        bodies, name, shape=Capsule(0.5 * line.part.diameter, length), position=place, orientation=turn,
        com=(0, 0, 0), inertia=inertia, friction=specs[0].friction, restitution=specs[0].restitution,
        collides=specs[0].collides, group=specs[0].group, colour=specs[0].colour,
    )  # fmt: skip
    if looks_back:
        axes, momentum = spatial.matrix(poses[1][0][1]), np.zeros(6)
        for spec, past, (centre, own) in zip(specs, pasts, earlier, strict=True):
            assert past is not None
            rotation, linear = spatial.matrix(own), spec.mass * past.velocity[:3]
            momentum[:3] += linear
            momentum[3:] += cross(centre - poses[1][0][0], linear)
            momentum[3:] += rotation @ spec.inertia @ rotation.T @ past.velocity[3:]
        turning = np.linalg.solve(axes @ inertia @ axes.T, momentum[3:])
        set_pasts(edit, [name], poses, np.concatenate([momentum[:3] / masses.sum(), turning])[None])
    put(line, (first, last), [name], [], [length], made)
    refit(edit, handle.name, tips)


def piece_inertia(spec: Any, length: float, count: int) -> Array:
    """Inertia (3, 3) of a piece in its own axes: all of them together have that of the segment, kg m^2."""
    apart = spec.mass * length**2 * (1.0 - 1.0 / count**2) / 12.0
    return np.asarray((spec.inertia - np.diag([apart, apart, 0.0])) / count)


def line_twists(twist: Array, centre: Array, poses: Placed) -> Array:
    """Twists (k, 6) of points of a rigid body with this twist (6,) of its centre."""
    return np.array([[*(twist[:3] + cross(twist[3:], place - centre)), *twist[3:]] for place, _ in poses])


def set_pasts(edit: Edit, names: list[str], poses: list[Placed], twists: Array) -> None:
    """Give new segments a past: where they are and were, and the twists (k, 6) that they had."""
    for name, (now, turn), (before, old), twist in zip(names, *poses, twists, strict=True):
        moved = spatial.logarithm(spatial.multiply(turn, spatial.conjugate(old)))
        edit.set_past(name, twist, np.concatenate([now - before, moved]))


def put(
    line: Line, gone: tuple[int, int], bodies: list[str], joints: list[str], lengths: list[float], made: int
) -> None:
    """Let a cable have other segments in the place of some, with other joints between them."""
    first, last = gone
    names = (*line.bodies[:first], *bodies, *line.bodies[last:])
    others = (*line.joints[: first + 1], *joints, *line.joints[last:])
    sizes = {key: value for key, value in line.handle.sizes.items() if key not in line.bodies[first:last]}
    sizes |= dict(zip(bodies, lengths, strict=True)) | {"made": float(made)}
    line.edit.scene.parts[line.handle.name] = BuiltPart(line.handle.name, line.handle.part, names, others, sizes)


def refit(edit: Edit, name: str, tips: dict[str, Tip]) -> None:
    """Let joints at the outer ends of new segments be as stiff as the length says that they stand for now.

    They are at rest as they were: where new segments are turned as the old ones were when the joints were made.
    """
    line = Line.of(edit, name)
    for joint, (place, turn, sign) in tips.items():
        number, link = line.joints.index(joint), line.links[joint]
        own = number if sign < 0.0 else number - 1
        half = 0.5 * sign * float(line.lengths[own])
        kind: Any = link.kind
        kind = replace(kind, **{"point_b" if sign < 0.0 else "point_a": (0.0, 0.0, half)})
        anchored = number in (0, len(line.bodies))
        link.kind = line.part.link(
            *((2.0 * abs(half), 2.0) if anchored else (line.stands_for(number), 1.0)), kind.point_a, kind.point_b,
            kind.axis_a, kind.axis_b, any(getattr(kind, each) > 0.0 for each in BEND_AND_TWIST),
        )  # fmt: skip
        assert link.poses is not None
        link.poses[line.bodies[own]] = place - half * spatial.rotate(turn, Z), turn
