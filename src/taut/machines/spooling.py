"""How a winch hands rope over: segments of a cable come off its drum and are taken up again, one by one.

Between the exit and the first segment the rope is a row without mass, `reel`: what is free of it, wound on the drum and
led in between is one number. When so much is free that a segment fits in, one is put there; when the first segment is
nearly at the exit, it goes onto the drum. Both leave the motion as it was: with P the top of the first segment, E the
exit, n = (E - P)/l, L the length of a segment, f that of the free rope and e what it is stretched by,

    x = P + (L/2 + s) n      v = v_P + (L/2 + s) dn/dt      omega = n x dn/dt      dn/dt = (dv - n (n . dv))/l

the same one step earlier, for the scheme that looks back on it. The reel has the compliance (f + L/2)/EA, the new joint
L/EA: of e, s = e L/(f + L/2) goes to the joint, the rest stays, and all pull as before. All lengths of the books are
those without load, so f and the rope of the reel are shorter by L, nothing else.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from taut import checks, spatial
from taut.machines.segments import Z
from taut.scene.frames import joint_frame
from taut.scene.scene import Scene
from taut.scene.specs import BodySpec, LinkSpec
from taut.spatial import Array, cross

INSERT, REMOVE = 1.5, 0.35
"""Free rope, in segments, above which one is put in and below which one is taken up: the rope that is free after either
is far from both, so that jogging about one place does not repeat them."""


OWN = 3
"""Joints of a winch before those of its rope: the hinge of the drum, and levers for its speed and its set-point."""

RADIUS_STEP = 1e-3
"""Share by which the radius of a drum may be off what is wound on it: a third of the jolt that is allowed."""


class Moment(NamedTuple):
    """Two points of a rope at one time: top of the first segment P and exit E, m, and their velocities, m/s."""

    top: Array
    exit: Array
    top_velocity: Array
    exit_velocity: Array

    def placed(self, reach: float) -> tuple[Array, Array, Array, Array]:
        """Place, velocity and angular velocity of a segment whose middle is `reach` from P towards E, and n."""
        line = self.exit - self.top
        length = float(np.linalg.norm(line))
        n = line / length
        rate = self.exit_velocity - self.top_velocity
        turning = (rate - n * (n @ rate)) / length
        return self.top + reach * n, self.top_velocity + reach * turning, cross(n, turning), n


def moment_of(simulation: Any, top: tuple[str, Array], exit_: tuple[str, Array], back: bool) -> Moment:
    """Where a point of the first segment and the exit are and how they move; with `back`, one step earlier.

    Points are (body, place in its own frame).
    """
    (p, pv), (e, ev) = (point_of(simulation, *each, back) for each in (top, exit_))
    return Moment(p, e, pv, ev)


def point_of(simulation: Any, body: str, own: Array, back: bool) -> tuple[Array, Array]:
    """World place (m) and velocity (m/s) of a point of a body; with `back`, one step earlier."""
    model, state = simulation.model, simulation.state
    number = simulation.scene.index_of("winch", body)
    position, turn, twist = state.position[number], state.orientation[number], state.velocity[number]
    if back:
        moved = state.displacement[number]
        position = position - moved[:3]
        turn = spatial.multiply(spatial.exponential(-moved[3:]), turn)
        twist = state.previous_velocity[number]
    arm = spatial.rotate(turn, np.asarray(own, float) - model.bodies.com[number])
    return position + arm, twist[:3] + cross(twist[3:], arm)


def add_described(edit: Any, spec: BodySpec | LinkSpec) -> None:
    """Add a body or joint that is described as one that is there, so that only its name has to be checked."""
    body = isinstance(spec, BodySpec)
    specs = edit.scene.bodies if body else edit.scene.links
    checks.new_name("body" if body else "joint", spec.name, [each.name for each in specs])
    specs.append(spec)
    if body:
        edit.new_bodies.add(spec.name)
    else:
        edit.place(spec)


def lead(view: Any, edit: Any, body: str, pull: float, radius: float, free: float, length: float | None = None) -> None:
    """Lead the rope of a winch to another segment, from a drum of this radius (m).

    It pulls so hard (N); so much of it is free (m), and all of it is so long (m), by default just taut.
    """
    scene, place = edit.scene, edit.place_of(f"{view.name}/reel")
    old, index = scene.links[place], scene.index_of("winch", body)
    reel = view.part.rewound(old.kind, (body, view.top), radius, max(view.wound, 0.0), free, length)
    edit.drop_links([place])
    add_described(edit, replace(old, b=index, kind=reel, at=edit.pose_of(index)[0]))
    edit.set_force(old.name, -pull)


def insert_segment(view: Any, free: float) -> None:
    """Put a new segment between the first one of a winch and its exit; so much is free there, m."""
    simulation, winch, name = view.simulation, view.part, view.name
    segment, first, top = view.segment, view.line[0][0], view.top
    rigid = winch.rope.axial_stiffness == math.inf
    stretch = 0.0 if rigid else max(view.stretch, 0.0) * segment / winch.stretching(free)
    pull, reach = view.pull, 0.5 * segment + stretch
    now, before = (moment_of(simulation, (first, top), view.exit, back) for back in (False, True))
    place, velocity, turning, n = now.placed(reach)
    past_place, past_velocity, past_turning, past_n = before.placed(reach)
    number = int(view.handle.sizes["made"]) + 1
    body, joint = f"{name}/{number}", f"{name}/joint-{number}"
    turn = simulation.body(first).orientation
    turn = spatial.multiply(spatial.from_two_vectors(spatial.rotate(turn, Z), -n), turn)
    swing = spatial.logarithm(spatial.from_two_vectors(past_n, n))
    spec = simulation.scene.bodies[simulation.scene.index_of("winch", first)]
    with simulation.edit(smooth=True) as edit, edit.spooling(name, "out"):
        scene = edit.scene
        turn /= np.linalg.norm(turn)
        motion = {"position": place, "orientation": turn, "velocity": velocity, "angular_velocity": turning}
        add_described(edit, replace(spec, name=body, **motion))
        edit.set_past(body, np.concatenate([past_velocity, past_turning]), np.concatenate([place - past_place, swing]))
        ends = len(scene.bodies) - 1, scene.index_of("winch", first)
        add_described(edit, LinkSpec(joint, *ends, winch.between, now.top, break_force=winch.rope.breaking_force))
        edit.set_force(joint, pull * n)
        weight = spec.mass * float(simulation.model.gravity @ n)
        lead(view, edit, body, pull - weight, view.layer_radius, free - segment, view.rope_length - segment)
        bodies, joints = view.handle.bodies, view.handle.joints
        scene.parts[name] = view.handle.but(
            (bodies[0], body, *bodies[1:]), (*joints[: OWN + 1], joint, *joints[OWN + 1 :]), made=number
        )
        edit.set_mass(f"{name}/drum", *winch.drum_mass(view.rope_mass - spec.mass, view.layer_radius))


def remove_segment(view: Any, free: float) -> None:
    """Take the first segment of a winch onto its drum; so much is free before it, m."""
    simulation, winch, name = view.simulation, view.part, view.name
    (first, second), (_, joint), segment = view.line[0][:2], view.line[1][:2], view.segment
    pull = float(np.linalg.norm(view.reactions([joint])[0]))
    mass = simulation.body(first).mass
    with simulation.edit(smooth=True) as edit, edit.spooling(name, "in"):
        lead(view, edit, second, pull, view.layer_radius, free + segment, view.rope_length + segment)
        edit.remove_body(first)
        bodies, joints = view.handle.bodies, view.handle.joints
        edit.scene.parts[name] = view.handle.but((bodies[0], *bodies[2:]), (*joints[: OWN + 1], *joints[OWN + 2 :]))
        edit.set_mass(f"{name}/drum", *winch.drum_mass(view.rope_mass + mass, view.layer_radius))


def change_radius(view: Any, radius: float) -> None:
    """Let the rope run on and off at another radius, m; it keeps its speed."""
    simulation, winch, name = view.simulation, view.part, view.name
    speed, handle = simulation.joint(f"{name}/hinge").target() * view.layer_radius, view.handle
    with simulation.edit(smooth=True) as edit:
        lead(view, edit, view.line[0][0], view.pull, radius, view.free)
        let_free(edit.scene, view.reel(), view.free)
        edit.set_mass(f"{name}/drum", *winch.drum_mass(view.rope_mass, radius))
        edit.scene.parts[name] = handle.but(handle.bodies, handle.joints, radius=radius)
        edit.events.clear()  # nothing comes or goes
    hinge = simulation.joint(f"{name}/hinge")
    hinge.set_limits(-math.inf, float(hinge.position) + winch.last_turn(view.wound, radius))
    hinge.drive(speed / radius)


def let_free(scene: Scene, apart: float, free: float) -> None:
    """Let so much of the rope that was just added be free, m, between points that are so far apart, m."""
    link: Any = scene.links[-1]
    whole = link.kind.length_in(joint_frame(scene, link))
    link.kind = replace(link.kind, length=whole - apart + free)
