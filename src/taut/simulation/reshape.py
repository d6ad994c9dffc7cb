"""Bodies that come apart or become one: what held them holds the pieces, and momentum stays to the last digit.

A piece of a rigid body moves as the body did, v + w x r. Where the pieces' centre of mass and inertia are not exactly
those of the body (a capsule cut in two has two more caps), the twist is the one that gives them the same linear and
angular momentum:

    v0 = P / sum m      w0 = I^-1 (L - c x P)      v_i = v0 + w0 x (r_i - c)

with P, L the momentum about the body's centre of mass, c the pieces' centre of mass and I their inertia about it; c and
the centres r_i are measured from the body's centre of mass.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from taut import checks, spatial
from taut.errors import InputError
from taut.joints.base import Joint
from taut.joints.frame import triple
from taut.scene.frames import origin_of
from taut.scene.looks import Piece as Look
from taut.scene.looks import moved, shared_out
from taut.scene.scene import Scene
from taut.scene.specs import BodySpec, LinkSpec
from taut.spatial import Array

if TYPE_CHECKING:
    from taut.simulation.edit import Edit

MASS_TOLERANCE = 1e-9
"""Share of a body's mass that its pieces may be off by rounding."""

FOLLOWS = ("fixed", "velocity", "angular_velocity")
"""Options of a body that pieces cannot be given: they go on as the body moved."""

Piece = tuple[str, Array, Array]
"""Name of what a body became, and its position (3,) and orientation (4,) in the body's own frame."""


@dataclass(frozen=True)
class Momentum:
    """Mass (kg), centre of mass (3,) m, linear (3,) kg m/s and angular momentum (3,) about that centre, kg m^2/s, and
    inertia (3, 3) about it, kg m^2; world axes."""

    mass: float
    centre: Array
    linear: Array
    angular: Array
    inertia: Array


def split_body(
    edit: Edit, name: str, pieces: Mapping[str, Mapping[str, Any]], joints: Mapping[str, str], touching: Sequence[str]
) -> None:
    """See `Edit.split_body`."""
    scene, owner = edit.scene, f"edit: body {name!r}"
    index = scene.index_of("edit", name)
    body = scene.bodies[index]
    refuse_if_referred_to(edit, name)
    if len(pieces) < 2 or body.fixed:
        raise InputError(f"{owner}: it must be able to move, and be split into two pieces or more")
    for joint in joints:
        checks.known(owner, "joint or spring of it", joint, [link.name for link in held_by(edit, index)])
    position, orientation = edit.pose_of(index)
    whole = momentum_of(edit, [name])
    made = [place_of(f"{owner}: piece {piece!r}", piece, options) for piece, options in pieces.items()]
    visuals = shared_out(body.visual or (), [(place, turn) for _, place, turn in made])
    surface = {key: getattr(body, key) for key in ("friction", "restitution", "group", "colour")}
    for (piece, place, turn), visual in zip(made, visuals, strict=True):
        others = {key: value for key, value in pieces[piece].items() if key not in ("position", "orientation")}
        edit.add_body(
            piece, position=position + spatial.rotate(orientation, place),
            orientation=spatial.multiply(orientation, turn), **(surface | {"visual": visual} | others),
        )  # fmt: skip
    share_out(edit, whole, [piece for piece, _, _ in made], owner)
    keep_apart(edit, [name], list(pieces), touching)
    for link in held_by(edit, index):
        chosen = joints.get(link.name)
        if chosen is not None:
            checks.known(owner, "piece", chosen, pieces)
        elif not stops_of(link):
            chosen = nearest(edit, link, index, [piece for piece, _, _ in made])
        move_link(edit, link, index, [entry for entry in made if chosen in (None, entry[0])])
    move_loads(edit, index, made)
    edit.remove_body(name)


def place_of(owner: str, name: str, options: Mapping[str, Any]) -> Piece:
    """Where a piece is in the frame of the body that comes apart."""
    position = checks.vector(owner, "position", options.get("position", (0, 0, 0)))
    return name, position, checks.quaternion(owner, "orientation", options.get("orientation", (1, 0, 0, 0)))


def merge_bodies(edit: Edit, names: tuple[str, ...], into: str, options: Mapping[str, Any]) -> None:
    """See `Edit.merge_bodies`."""
    scene = edit.scene
    check_options(f"edit: body {into!r}", options, ("mass", "density", *FOLLOWS))
    for name in names:
        refuse_if_referred_to(edit, name)
        if scene.bodies[scene.index_of("edit", name)].fixed:
            raise InputError(f"edit: body {name!r} is fixed; only bodies that can move become one")
    whole = momentum_of(edit, list(names))
    first = edit.pose_of(scene.index_of("edit", names[0]))
    orientation = checks.quaternion(f"edit: body {into!r}", "orientation", options.get("orientation", first[1]))
    axes = spatial.matrix(orientation)
    given = {"position": whole.centre, "com": (0, 0, 0), "inertia": axes.T @ whole.inertia @ axes} | dict(options)
    edit.add_body(into, mass=whole.mass, **(given | {"orientation": orientation}))
    share_out(edit, whole, [into], f"edit: body {into!r}")
    keep_apart(edit, list(names), [into])
    edit.drop_links([place for place, link in enumerate(scene.links) if ends_of(edit, link) <= set(names)])
    new = scene.bodies[scene.index_of("edit", into)]
    if new.shape is None and new.visual is None:
        new.visual = looks_of(edit, names, new)
    for name in names:
        index = scene.index_of("edit", name)
        position, turn = edit.pose_of(index)
        back = spatial.conjugate(turn)
        place, relative = spatial.rotate(back, new.position - position), spatial.multiply(back, orientation)
        for link in held_by(edit, index):
            move_link(edit, link, index, [(into, place, relative)])
        move_loads(edit, index, [(into, place, relative)])
        edit.remove_body(name)


def looks_of(edit: Edit, names: tuple[str, ...], new: BodySpec) -> tuple[Look, ...] | None:
    """What bodies look like together, in the frame of a new one; None where one of them has no looks at all."""
    looks: list[Look] = []
    for name in names:
        spec = edit.scene.bodies[edit.scene.index_of("edit", name)]
        position, turn = edit.pose_of(edit.scene.index_of("edit", name))
        back = spatial.conjugate(new.orientation)
        place = spatial.rotate(back, position - new.position), spatial.multiply(back, turn)
        own = spec.visual or [Look(*part) for part in (() if spec.shape is None else spec.shape.parts)]
        if not own:
            return None
        looks += [moved(each._replace(colour=each.colour or spec.colour), *place) for each in own]
    return tuple(looks)


def check_pieces(owner: str, pieces: Any, joints: Any) -> None:
    """Pieces are options of bodies by name, and joints are names of pieces by name."""
    if not isinstance(pieces, Mapping) or not isinstance(joints, Mapping):
        field, given = ("pieces", pieces) if not isinstance(pieces, Mapping) else ("joints", joints)
        raise InputError(f"{owner}: {field} is {checks.shown(given)}; it must be a dictionary by name")
    for piece, options in pieces.items():
        if not isinstance(options, Mapping):
            raise InputError(
                f"{owner}: piece {piece!r} is {checks.shown(options)}; it must be a dictionary of what add_body takes"
            )
        check_options(f"{owner}: piece {piece!r}", options, FOLLOWS)


def check_names(owner: str, names: Any) -> tuple[str, ...]:
    """Names of bodies that are to become one, each once."""
    listed = tuple(names) if isinstance(names, list | tuple) else ()
    if not listed or not all(isinstance(name, str) for name in listed) or len(set(listed)) < len(listed):
        raise InputError(f"{owner}: names is {checks.shown(names)}; it must be a list of bodies, each once")
    return listed


def check_options(owner: str, options: Mapping[str, Any], follows: tuple[str, ...]) -> None:
    """Options are those of `Scene.add_body`, without those that follow from what was there."""
    allowed = [name for name in inspect.signature(Scene.add_body).parameters if name not in ("self", "name", *follows)]
    for key, value in options.items():
        if key not in follows:
            checks.known(owner, "option", key, allowed)
        elif key != "fixed" or value is not False:
            raise InputError(f"{owner}: {key} is {checks.shown(value)}; it cannot be given: mass and momentum stay")


def refuse_if_referred_to(edit: Edit, name: str) -> None:
    """Say so where a joint of other bodies depends on this one."""
    for link in edit.scene.links:
        if isinstance(link.kind, Joint) and not stops_of(link) and name in link.kind.refers_to():
            raise InputError(f"edit: joint {link.name!r} refers to body {name!r}; remove it first")


def momentum_of(edit: Edit, names: list[str]) -> Momentum:
    """Mass, centre and momentum of some bodies of a simulation together."""
    specs = [edit.scene.bodies[edit.scene.index_of("edit", name)] for name in names]
    poses = [edit.pose_of(edit.scene.index_of("edit", name)) for name in names]
    parts = [body_momentum(spec, pose, edit.motion_of(spec.name)) for spec, pose in zip(specs, poses, strict=True)]
    spins = [edit.spin_of(name) for name in names]  # which a state has to more digits than the velocity tells
    return together(
        [replace(part, angular=spin) if spin is not None else part for part, spin in zip(parts, spins, strict=True)]
    )


def body_momentum(spec: BodySpec, pose: tuple[Array, Array], motion: Array) -> Momentum:
    """Momentum of one body at a pose of its own frame, with a twist (6,)."""
    rotation = spatial.matrix(pose[1])
    inertia = rotation @ spec.inertia @ rotation.T
    centre = pose[0] + rotation @ spec.com
    return Momentum(spec.mass, centre, spec.mass * motion[:3], inertia @ motion[3:], inertia)


def together(parts: list[Momentum]) -> Momentum:
    """Momentum of several bodies about their common centre of mass."""
    mass = sum(part.mass for part in parts)
    centre = sum((part.mass * part.centre for part in parts), np.zeros(3)) / mass
    linear = sum((part.linear for part in parts), np.zeros(3))
    angular, inertia = np.zeros(3), np.zeros((3, 3))
    for part in parts:
        arm = part.centre - centre
        angular += part.angular + np.cross(arm, part.linear)
        inertia += part.inertia + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Momentum(mass, centre, linear, angular, inertia)


def share_out(edit: Edit, whole: Momentum, names: list[str], owner: str) -> None:
    """Give new bodies the twists of one rigid body with this momentum.

    Writes:  velocities of the specs
    """
    specs = [edit.scene.bodies[edit.scene.index_of("edit", name)] for name in names]
    still = [body_momentum(spec, (spec.position, spec.orientation), np.zeros(6)) for spec in specs]
    new = together(still)
    if abs(new.mass - whole.mass) > MASS_TOLERANCE * whole.mass:
        raise InputError(f"{owner}: the pieces weigh {new.mass:g} kg together; it must be the body's {whole.mass:g} kg")
    velocity = whole.linear / new.mass
    angular = whole.angular + np.cross(whole.centre - new.centre, whole.linear)
    turning = np.linalg.inv(new.inertia) @ angular
    for spec, part in zip(specs, still, strict=True):
        spec.velocity = velocity + np.cross(turning, part.centre - new.centre)
        spec.angular_velocity = turning.copy()


def keep_apart(edit: Edit, names: list[str], made: list[str], touching: Sequence[str] = ()) -> None:
    """Let what bodies became touch nothing that they did not touch: what they overlap, their pieces overlap too.

    Others that they were joined to, and only therefore did not touch, may be said to touch pieces: `touching`.

    Writes:  pairs of the scene that are ignored
    """
    scene = edit.scene
    jointed = [link for link in scene.links if isinstance(link.kind, Joint) and not link.collide and link.a and link.b]
    joined = [(scene.bodies[link.a].name, scene.bodies[link.b].name) for link in jointed]
    pairs = [pair for pair in joined if pair[0] not in touching and pair[1] not in touching] + scene.ignored
    others = [b if a in names else a for a, b in pairs if (a in names) != (b in names)]
    known = set(scene.ignored)
    new = [(piece, other) for other in dict.fromkeys(others) for piece in made]
    scene.ignored += [pair for pair in new if pair not in known]


def nearest(edit: Edit, link: LinkSpec, index: int, pieces: list[str]) -> str:
    """The piece whose centre is nearest to where a link holds a body."""
    scene = edit.scene
    own = getattr(link.kind, "point_a" if link.a == index else "point_b", None)
    born, turn = origin_of(scene, index, link)
    position, orientation = edit.pose_of(index)
    local = np.asarray(own, float) if own is not None else spatial.rotate(spatial.conjugate(turn), link.at - born)
    here = position + spatial.rotate(orientation, local)
    specs = [scene.bodies[scene.index_of("edit", piece)] for piece in pieces]
    centres = [spec.position + spatial.rotate(spec.orientation, spec.com) for spec in specs]
    return pieces[int(np.argmin([np.linalg.norm(centre - here) for centre in centres]))]


def ends_of(edit: Edit, link: LinkSpec) -> set[str]:
    """Names of the bodies that a joint or spring holds, or that a rope stops at."""
    ends = {edit.scene.bodies[end].name for end in (link.a, link.b)}
    return ends | {stop.body for stop in stops_of(link)}


def stops_of(link: LinkSpec) -> tuple[Any, ...]:
    """The stops of a rope, see `taut.joints.RouteStop`; any other link has none."""
    return getattr(link.kind, "stops", ())


def held_by(edit: Edit, index: int) -> list[LinkSpec]:
    """Joints and springs that hold a body, and ropes that stop at it."""
    name = edit.scene.bodies[index].name
    links = edit.scene.links
    return [link for link in links if index in (link.a, link.b) or any(name == stop.body for stop in stops_of(link))]


def move_link(edit: Edit, link: LinkSpec, index: int, made: list[Piece]) -> None:
    """Let a link hold what a body became, where it held the body; its coordinates, targets and forces go on.

    A rope's stops go to the nearest of `made`; any other link goes to the first of them.
    """
    scene = edit.scene
    twin, old = copy(link), scene.bodies[index].name
    born, way = origin_of(scene, index, link)
    poses = dict(link.poses or {})
    for name in ends_of(edit, link):
        poses.setdefault(name, origin_of(scene, scene.index_of("edit", name), link))
    poses.pop(old)
    for new, place, turn in made:
        poses[new] = born + spatial.rotate(way, place), spatial.multiply(way, turn)
    kind: Any = link.kind
    field = "point_a" if link.a == index else "point_b"
    first = last = made[0][0]
    if stops_of(link):
        stops = [moved_stop(edit, stop, made) if stop.body == old else stop for stop in kind.stops]
        twin.kind = replace(kind, stops=tuple(stops))
        on = [new.body for new, stop in zip(stops, kind.stops, strict=True) if stop.body == old]
        first, last = on[0], on[-1]
    elif hasattr(kind, field):  # points in the body's own frame
        _, place, turn = made[0]
        twin.kind = replace(kind, **{field: triple(into_frame(getattr(kind, field), place, turn))})
    twin.a = scene.index_of("edit", first) if link.a == index else link.a
    twin.b = scene.index_of("edit", last) if link.b == index else link.b
    if twin.a == twin.b:  # a rope over what became one, and over others
        twin.b = next(n for n in (scene.index_of("edit", stop.body) for stop in stops_of(twin)) if n != twin.a)
    twin.poses = poses
    scene.links = [each for each in scene.links if each is not link] + [twin]
    if twin.name not in edit.new_links:  # one that this edit adds has nothing to take over
        edit.given.heirs.add(twin.name)
    edit.new_links.add(twin.name)


def moved_stop(edit: Edit, stop: Any, made: list[Piece]) -> Any:
    """A rope's stop on the piece whose centre is nearest to it, in the frame of that piece."""

    def distance(piece: Piece) -> float:
        com = edit.scene.bodies[edit.scene.index_of("edit", piece[0])].com
        return float(np.linalg.norm(piece[1] + spatial.rotate(piece[2], com) - stop.point))

    name, place, turn = min(made, key=distance)
    axis = spatial.rotate(spatial.conjugate(turn), np.array(stop.axis))
    return replace(stop, body=name, point=triple(into_frame(stop.point, place, turn)), axis=triple(axis))


def into_frame(point: Any, place: Array, turn: Array) -> Array:
    """A point (3,) of a body in the frame of a piece with this pose in the body's own frame."""
    return spatial.rotate(spatial.conjugate(turn), np.asarray(point, float) - place)


def move_loads(edit: Edit, index: int, made: list[Piece]) -> None:
    """Let constant loads on a body act on the nearest of what it became: names with their poses in its own frame."""
    scene = edit.scene
    for key, load in scene.loads.items():
        if load.body == index:
            point = np.asarray(load.point, float)
            piece, place, turn = min(made, key=lambda entry: float(np.linalg.norm(entry[1] - point)))
            local = into_frame(point, place, turn)
            scene.loads[key] = replace(load, body=scene.index_of("edit", piece), point=tuple(local.tolist()))
