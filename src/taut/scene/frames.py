"""Where bodies and joints of a scene are before it moves."""

from __future__ import annotations

from typing import Any

from taut import spatial
from taut.joints.frame import JointFrame
from taut.rows.part import Pose
from taut.scene.scene import Scene
from taut.scene.specs import LinkSpec
from taut.spatial import Array


def origin_of(scene: Scene, index: int, link: LinkSpec | None = None) -> tuple[Array, Array]:
    """Position and orientation of a body's own frame: the initial ones, or those that a link was added in."""
    spec = scene.bodies[index]
    initial = spec.position, spec.orientation
    return initial if link is None or link.poses is None else link.poses.get(spec.name, initial)


def initial_poses(scene: Scene) -> list[Pose]:
    """Poses of all centres of mass at the start."""
    return [body_pose(scene, index) for index in range(len(scene.bodies))]


def body_pose(scene: Scene, index: int, link: LinkSpec | None = None) -> Pose:
    """Pose of a body's centre of mass, likewise."""
    position, orientation = origin_of(scene, index, link)
    rotation = spatial.matrix(orientation)
    return Pose(position + rotation @ scene.bodies[index].com, rotation)


class PosesOfLink:
    """Poses by body in the configuration that a link was added in, worked out when asked for: few of them are."""

    def __init__(self, scene: Scene, link: LinkSpec) -> None:
        self.scene, self.link, self.known = scene, link, dict[int, Pose]()

    def __getitem__(self, body: int) -> Pose:
        if body not in self.known:
            self.known[body] = body_pose(self.scene, body, self.link)
        return self.known[body]


Poses = list[Pose] | PosesOfLink


def poses_of(scene: Scene, link: LinkSpec, initial: list[Pose] | None) -> Poses:
    """Poses in the configuration that a link was added in; `initial` are those at the start, where they are known."""
    return PosesOfLink(scene, link) if initial is None or link.poses is not None else initial


def joint_frame(scene: Scene, link: LinkSpec, poses: Poses | None = None) -> JointFrame:
    """Where a joint sits in the configuration that it was added in; `poses` are those of bodies there, where known."""
    here = PosesOfLink(scene, link) if poses is None else poses

    def look_up(name: Any) -> tuple[int, Array, Array, Array]:
        index = scene.index_of(f"joint {link.name!r}", name)
        pose = here[index]
        return index, pose.position, origin_of(scene, index, link)[1], pose.rotation

    def look_up_origin(name: Any) -> Array:
        return origin_of(scene, scene.index_of(f"joint {link.name!r}", name), link)[0]

    (origin_a, turn_a), (origin_b, turn_b) = origin_of(scene, link.a, link), origin_of(scene, link.b, link)
    pose_a, pose_b = here[link.a], here[link.b]
    return JointFrame(
        link.a, link.b, link.at, origin_a, origin_b, pose_a.position, pose_b.position,
        turn_a, turn_b, pose_a.rotation, pose_b.rotation, look_up, look_up_origin,
    )  # fmt: skip
