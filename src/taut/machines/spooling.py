"""How a winch hands rope over: segments of a cable come off its drum and are taken up again, one by one.

Between the exit and the first segment the rope is a row without mass, `reel`: what is free of it, wound on the drum and
led in between is one number. When so much is free that a segment fits in, one is put there; when the first segment is
nearly at the exit, it goes onto the drum. Both leave the motion as it was: with P the top of the first segment, E the
exit, n = (E - P)/l, T the tension, L the length of a segment and c the compliance of its joint,

    x = P + (L/2 + T c) n      v = v_P + (L/2 + T c) dn/dt      omega = n x dn/dt      dn/dt = (dv - n (n . dv))/l

the same one step earlier, for the scheme that looks back on it; the new joint pulls with T, the reel with T and the
weight of the segment along n; the rope of the reel is shorter by L + T c. Joints that stretch are put in stretched.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from taut import spatial
from taut.joints.route import Route, attach, drum, pinhole
from taut.machines.segments import Z
from taut.spatial import Array, cross

INSERT, REMOVE = 1.5, 0.35
"""Free rope, in segments, above which one is put in and below which one is taken up: the rope that is free after either
is far from both, so that jogging about one place does not repeat them."""


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
    number = model.bodies.names.index(body)
    position, turn, twist = state.position[number], state.orientation[number], state.velocity[number]
    if back:
        moved = state.displacement[number]
        position = position - moved[:3]
        turn = spatial.multiply(spatial.exponential(-moved[3:]), turn)
        twist = state.previous_velocity[number]
    arm = spatial.rotate(turn, np.asarray(own, float) - model.bodies.com[number])
    return position + arm, twist[:3] + cross(twist[3:], arm)


def lead(view: Any, edit: Any, body: str, pull: float, radius: float) -> None:
    """Lead the rope of a winch to another segment, which it pulls so hard (N), from a drum of this radius (m)."""
    name, winch, there = f"{view.name}/reel", view.part, view.simulation.model.link_numbers
    edit.drop_links([view.simulation.model.links[there[name]].spec])
    wheel = f"{view.name}/drum"
    rope = [drum(wheel, radius=radius, axis=Z, stored=max(view.wound, 0.0)), pinhole(*view.exit)]
    edit.connect(wheel, body, Route((*rope, attach(body, view.top))), name=name, break_force=winch.rope.breaking_force)
    edit.set_force(name, -pull)


def hand_over(view: Any, free: float) -> None:
    """Let so much rope be free at the exit, m, now that another segment is the first.

    Writes:  limits of the reel
    """
    simulation, row = view.simulation, view.reel_row()
    state = simulation.state
    length = float(simulation.stepper.measure(state).value[row]) + free - view.reel()
    state.limits[row, 1] = state.reached_limits[row, 1] = length
    simulation.refresh()


def insert_segment(view: Any) -> None:
    """Put a new segment between the first one of a winch and its exit."""
    simulation, winch, name = view.simulation, view.part, view.name
    free, segment, first, top = view.free, view.segment, view.line[0][0], view.top
    pull, stretch = view.pull, view.pull * segment / winch.rope.axial_stiffness
    reach = 0.5 * segment + stretch
    now, before = (moment_of(simulation, (first, top), view.exit, back) for back in (False, True))
    place, velocity, turning, n = now.placed(reach)
    past_place, past_velocity, past_turning, past_n = before.placed(reach)
    number = int(view.handle.sizes["made"]) + 1
    body, joint = f"{name}/{number}", f"{name}/joint-{number}"
    turn = simulation.body(first).orientation
    turn = spatial.multiply(spatial.from_two_vectors(spatial.rotate(turn, Z), -n), turn)
    swing = spatial.logarithm(spatial.from_two_vectors(past_n, n))
    spec = simulation.scene.bodies[simulation.scene.index_of("winch", first)]
    with simulation.edit(smooth=True) as edit:
        edit.add_body(
            body, spec.shape, mass=spec.mass, position=place, orientation=turn / np.linalg.norm(turn),
            velocity=velocity, angular_velocity=turning, friction=spec.friction, collides=spec.collides,
            group=spec.group,
        )  # fmt: skip
        edit.set_past(body, np.concatenate([past_velocity, past_turning]), np.concatenate([place - past_place, swing]))
        link = winch.rope.link(segment, 1.0, -top, top)
        edit.connect(body, first, link, at=now.top, name=joint, break_force=winch.rope.breaking_force)
        edit.set_force(joint, pull * n)
        lead(view, edit, body, pull - spec.mass * float(simulation.model.gravity @ n), view.layer_radius)
        bodies, joints = view.handle.bodies, view.handle.joints
        edit.scene.parts[name] = view.handle.but(
            (bodies[0], body, *bodies[1:]), (*joints[:3], joint, *joints[3:]),
            made=number, given=view.handle.sizes["given"] + stretch,
        )  # fmt: skip
        edit.set_mass(f"{name}/drum", *winch.drum_mass(view.rope_mass - spec.mass, view.layer_radius))
    hand_over(view, free - segment - stretch)


def remove_segment(view: Any) -> None:
    """Take the first segment of a winch onto its drum."""
    simulation, winch, name = view.simulation, view.part, view.name
    (first, second), (_, joint) = view.line[0][:2], view.line[1][:2]
    free, segment, stretch = view.free, view.segment, float(view.stretches()[0])
    pull = float(np.linalg.norm(view.reactions([joint])[0]))
    mass = simulation.body(first).mass
    with simulation.edit(smooth=True) as edit:
        edit.remove_body(first)
        lead(view, edit, second, pull, view.layer_radius)
        bodies, joints = view.handle.bodies, view.handle.joints
        edit.scene.parts[name] = view.handle.but(
            (bodies[0], *bodies[2:]), (*joints[:3], *joints[4:]), given=view.handle.sizes["given"] - stretch
        )
        edit.set_mass(f"{name}/drum", *winch.drum_mass(view.rope_mass + mass, view.layer_radius))
    hand_over(view, free + segment + stretch)


def change_radius(view: Any, radius: float) -> None:
    """Let the rope run on and off at another radius, m; it keeps its speed."""
    simulation, winch, name = view.simulation, view.part, view.name
    free, speed, handle = view.free, simulation.joint(f"{name}/hinge").target() * view.layer_radius, view.handle
    with simulation.edit(smooth=True) as edit:
        lead(view, edit, view.line[0][0], view.pull, radius)
        edit.set_mass(f"{name}/drum", *winch.drum_mass(view.rope_mass, radius))
        edit.scene.parts[name] = handle.but(handle.bodies, handle.joints, radius=radius)
    hand_over(view, free)
    hinge = simulation.joint(f"{name}/hinge")
    hinge.set_limits(-math.inf, float(hinge.position) + winch.last_turn(view.wound, radius))
    hinge.drive(speed / radius)
