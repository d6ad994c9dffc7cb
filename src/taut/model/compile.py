"""Scene -> Model and first State. The only place that knows joints and shapes by class."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut import checks
from taut.forces import Spring
from taut.integrators.scheme import OLDER, STEP
from taut.joints.softening import softened
from taut.model.geometry import compile_geoms
from taut.model.model import Bodies, Link, Loads, Model
from taut.model.state import State
from taut.rows import softness
from taut.rows.law import HOLD, Law
from taut.rows.layout import RowLayout, RowSpec, as_row, entries_of, lay_out
from taut.rows.part import Part, Pose
from taut.scene.frames import Poses, initial_poses, joint_frame, poses_of
from taut.scene.scene import LinkSpec, Scene
from taut.scene.specs import BodySpec
from taut.spatial import Array

LONG_CALM = 1_000_000_000
"""Frames without rough motion that a fresh state counts: more than any rule looks back on."""

SLIM = 0.3
"""Least over middle moment of inertia below which a body counts as slim: rods, links, booms."""


def compile_scene(scene: Scene) -> tuple[Model, State]:
    """Freeze a scene into arrays, and take its initial state."""
    poses = initial_poses(scene)
    model = compile_model(scene, poses)
    state = initial_state(scene, model, poses)
    state.coordinate[:] = initial_coordinates(model.layout, poses)
    return model, state


def compile_model(scene: Scene, poses: list[Pose] | None = None) -> Model:
    """Freeze a scene into arrays; `poses` are the bodies' initial ones, where they are known already."""
    bodies = compile_bodies(scene.bodies)
    poses = initial_poses(scene) if poses is None else poses
    links = tuple(compile_link(scene, bodies, link, poses) for link in scene.links)
    layout = lay_out_links(links)
    entries = entries_of(layout, bodies.moves, number_groups(bodies.groups))
    slim_shape = find_slim(bodies.inertia, bodies.moves)
    in_rows = np.zeros_like(slim_shape)
    in_rows[layout.entry_body] = 1
    return Model(
        scene.name, checks.vector("scene", "gravity", scene.gravity).copy(), bodies, compile_loads(scene), links,
        tuple(ground.plane for ground in scene.planes), compile_geoms(scene, bodies.com),
        scene.contact_compliance, scene.contact_margin, layout, entries, in_rows * slim_shape, slim_shape,
        contact_damping=scene.contact_damping,
    )  # fmt: skip


def compile_link(scene: Scene, bodies: Bodies, link: LinkSpec, poses: list[Pose] | None = None) -> Link:
    """A joint or spring with its rows; `poses` are the bodies' initial ones, where they are known already."""
    here = poses_of(scene, link, poses)
    frame = joint_frame(scene, link, here)
    declared = link.kind.rows(frame)
    held = [part for part, laws in declared if isinstance(laws, Law) and laws.kind == HOLD and not laws.drives]
    kind = type(link.kind).__name__
    softer = softened(f"joint {link.name!r}", kind, frame, declared, link.compliance, link.damping)
    rows = tuple(as_row(compile_row(bodies, here, part, laws, held)) for part, laws in softer)
    coordinates = () if isinstance(link.kind, Spring) else tuple(link.kind.coordinates(frame))
    return Link(link, frame, coordinates, rows)


def lay_out_links(links: Sequence[Link]) -> RowLayout:
    """The rows of joints and springs in order."""
    return lay_out(
        specs=[row for link in links for row in link.rows],
        reported=[coordinate for link in links for coordinate in link.coordinates],
        owner=[number for number, link in enumerate(links) for _ in link.rows],
        reported_owner=[number for number, link in enumerate(links) for _ in link.coordinates],
    )


def compile_bodies(specs: Sequence[BodySpec]) -> Bodies:
    """Mass properties as arrays."""
    return Bodies(
        **listed(specs),
        mass=np.array([spec.mass for spec in specs]),
        inertia=np.array([spec.inertia.ravel() for spec in specs], float).reshape(-1, 9),
        slim_axis=np.linalg.eigh(np.array([spec.inertia for spec in specs], float).reshape(-1, 3, 3))[1][
            :, :, 0
        ].copy(),
        com=np.array([spec.com for spec in specs], float).reshape(-1, 3),
        moves=np.array([not spec.fixed for spec in specs], np.uint8),
        linear_damping=np.array([spec.linear_damping for spec in specs]),
        angular_damping=np.array([spec.angular_damping for spec in specs]),
    )


def listed(specs: Sequence[BodySpec]) -> dict[str, Any]:
    """Fields of `Bodies` that are no arrays."""
    fields = ("name", "shape", "visual", "colour", "group")
    return {f"{field}s": tuple(map(attrgetter(field), specs)) for field in fields}


def number_groups(groups: Sequence[str]) -> NDArray[np.int64]:
    """Number (n,) of the group that each body is in, in the order in which groups come."""
    number = {name: place for place, name in enumerate(dict.fromkeys(groups))}
    return np.array([*map(number.__getitem__, groups)], np.int64)


def find_slim(inertia: Array, moves: NDArray[np.uint8], share: float = SLIM) -> NDArray[np.uint8]:
    """Flags (n,) of bodies that move (n,) whose least moment of inertia (n, 9) is at most this share of the others."""
    moments = np.linalg.eigvalsh(inertia.reshape(-1, 3, 3))
    return ((moments[:, 0] <= share * moments[:, 1]) & (moves > 0)).astype(np.uint8)


def compile_loads(scene: Scene) -> Loads:
    """Constant loads as arrays, points from the centre of mass."""
    loads = list(scene.loads.values())
    return Loads(
        body=np.array([load.body for load in loads], np.int64),
        force=np.array([load.force for load in loads], float).reshape(-1, 3),
        point=np.array([load.point - scene.bodies[load.body].com for load in loads], float).reshape(-1, 3),
        torque=np.array([load.torque for load in loads], float).reshape(-1, 3),
        follows=np.array([load.follows for load in loads], np.uint8),
    )


def compile_row(bodies: Bodies, poses: Poses, part: Part, laws: Law | tuple[Law, ...], held: list[Part]) -> RowSpec:
    """A declared row with its softness in SI units; `held` are the parts that the same joint keeps hard."""
    laws = (laws,) if isinstance(laws, Law) else laws
    if any(law.frequency > 0.0 for law in laws):
        mass = effective_mass(bodies, poses, part, held)
        laws = tuple(softness.resolve(law, mass) for law in laws)
    return RowSpec(part, laws)


def effective_mass(bodies: Bodies, poses: Poses, part: Part, held: list[Part]) -> float:
    """Mass (kg or kg m^2) that a part's first row j feels while the joint's hard rows H hold, in this configuration.

    1/m = j M^-1 j^T - j M^-1 H^T (H M^-1 H^T)^-1 H M^-1 j^T: about a hinge off the centre of mass, for instance, the
    moment of inertia about the hinge.
    """
    involved = sorted({body for item in (part, *held) for body in item.bodies})
    inverse = inverse_mass(bodies, poses, involved)
    row = dense_rows(poses, involved, part)[:1]
    free = float((row @ inverse @ row.T)[0, 0])
    if not held:
        return 1.0 / free
    hard = np.vstack([dense_rows(poses, involved, item) for item in held])
    cross = row @ inverse @ hard.T
    taken = cross @ np.linalg.pinv(hard @ inverse @ hard.T, rcond=1e-10) @ cross.T
    return 1.0 / (free - float(taken[0, 0]))


def dense_rows(poses: Poses, involved: list[int], part: Part) -> Array:
    """Jacobian (rows, 6 len(involved)) of a part."""
    _, jacobian = part.evaluate([poses[body] for body in part.bodies])
    dense = np.zeros((part.rows, len(involved), 6))
    dense[:, [involved.index(body) for body in part.bodies]] = jacobian
    return dense.reshape(part.rows, -1)


def inverse_mass(bodies: Bodies, poses: Poses, involved: list[int]) -> Array:
    """M^-1 of some bodies in this configuration, zero for fixed ones."""
    inverse = np.zeros((6 * len(involved), 6 * len(involved)))
    for index, body in enumerate(involved):
        if bodies.moves[body]:
            linear, angular = slice(6 * index, 6 * index + 3), slice(6 * index + 3, 6 * index + 6)
            rotation = poses[body].rotation
            inverse[linear, linear] = np.eye(3) / bodies.mass[body]
            inverse[angular, angular] = rotation @ np.linalg.inv(bodies.inertia[body].reshape(3, 3)) @ rotation.T
    return inverse


def initial_state(scene: Scene, model: Model, poses: list[Pose] | None = None) -> State:
    """The state at time zero but for coordinates: poses and velocities as added, no history, no impulses."""
    specs, count, layout = scene.bodies, model.bodies.count, model.layout
    poses = initial_poses(scene) if poses is None else poses
    velocity = np.array([np.concatenate([spec.velocity, spec.angular_velocity]) for spec in specs])
    velocity[model.bodies.moves == 0] = 0.0
    rotation = np.array([pose.rotation for pose in poses])
    inertia = rotation @ model.bodies.inertia.reshape(-1, 3, 3) @ rotation.transpose(0, 2, 1)
    spin = np.einsum("bij,bj->bi", inertia, velocity[:, 3:])
    return State(
        time=0.0,
        steps=0,
        history=np.zeros(count, np.uint8),
        calm=np.full(count, LONG_CALM),
        rest=np.zeros(count, np.int64),
        position=np.array([pose.position for pose in poses]),
        orientation=np.array([spec.orientation for spec in specs]),
        velocity=velocity,
        spin=spin,
        slim_spin=np.einsum("bi,bji,bj->b", model.bodies.slim_axis, rotation, spin),
        previous_velocity=np.zeros((count, 6)),
        previous_spin=np.zeros((count, 3)),
        previous_slim_spin=np.zeros(count),
        displacement=np.zeros((count, 6)),
        older=np.zeros((count, STEP * OLDER)),
        lent=np.zeros(count),
        force=np.zeros(layout.row_count),
        index_set=np.zeros(layout.row_count, np.int64),
        coordinate=np.zeros(len(layout.coordinates)),
        target=layout.laws.target.copy(),
        reached=layout.laws.target.copy(),
        limits=layout.laws.limits.copy(),
        reached_limits=layout.laws.limits.copy(),
        force_limits=layout.laws.force_limits.copy(),
        firmness=np.ones(layout.row_count),
        command=np.zeros((layout.row_count, 4)),
        measure=np.zeros(layout.row_count),
        applied=np.zeros((count, 6)),
        applied_point=np.zeros((count, 3)),
        energy=np.nan,
    )


def initial_coordinates(layout: RowLayout, poses: list[Pose]) -> Array:
    """Joint coordinates in the initial configuration, from the dense twins."""
    values = [coordinate.evaluate([poses[body] for body in coordinate.bodies])[0] for coordinate in layout.coordinates]
    return np.concatenate(values) if values else np.zeros(0)
