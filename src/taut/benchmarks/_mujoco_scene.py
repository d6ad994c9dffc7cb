"""Scenes of spheres, boxes and capsules in MuJoCo, to be timed beside ours (needs the extra ``bench``)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree

import numpy as np

from taut.scene.scene import Scene
from taut.scene.specs import BodySpec
from taut.shapes import Box, Capsule, Shape, Sphere
from taut.spatial import conjugate, rotate

FRAME = 1 / 60
"""Seconds."""


@dataclass(frozen=True)
class Tuning:
    """How MuJoCo is set.

    Attributes:
        name: in tables.
        substeps: steps a frame.
        solref: time constant (s) and damping ratio of contacts; None leaves MuJoCo's own.
        solimp: least and largest impedance and width (m) of contacts; None leaves MuJoCo's own.
    """

    name: str
    substeps: int = 1
    solref: tuple[float, float] | None = None
    solimp: tuple[float, float, float] | None = None


def has_mujoco() -> bool:
    """Whether MuJoCo is installed."""
    return find_spec("mujoco") is not None


class MujocoScene:
    """A scene in MuJoCo: same masses, shapes, places and velocities, one coefficient of friction, cones of four sides.

    Args:
        scene: of spheres, boxes and capsules without joints, on the ground z = 0.
        tuning: how MuJoCo is set.
    """

    def __init__(self, scene: Scene, tuning: Tuning) -> None:
        import mujoco

        mujoco.set_mju_user_warning(lambda text: None)  # it would write a file where we are
        self.step, self.place = mujoco.mj_step, mujoco.mj_fwdPosition
        self.model = mujoco.MjModel.from_xml_string(ElementTree.tostring(document(scene, tuning), "unicode"))
        self.data = mujoco.MjData(self.model)
        self.substeps = tuning.substeps
        for body in moving(scene):
            at = self.model.joint(body.name).dofadr[0]
            self.data.qvel[at : at + 3] = body.velocity
            self.data.qvel[at + 3 : at + 6] = rotate(conjugate(body.orientation), body.angular_velocity)

    def frame(self) -> None:
        """Advance by 1/60 s."""
        for _ in range(self.substeps):
            self.step(self.model, self.data)

    @property
    def time(self) -> float:
        """Simulated seconds since the start, or since MuJoCo started again because the motion was unstable."""
        return float(self.data.time)

    def penetration(self) -> float:
        """Depth of the deepest contact of the bodies as they are now, m."""
        self.place(self.model, self.data)
        return float(np.max(-self.data.contact.dist, initial=0.0))


def moving(scene: Scene) -> list[BodySpec]:
    """Bodies that are not fixed."""
    return [body for body in scene.bodies if not body.fixed]


def document(scene: Scene, tuning: Tuning) -> ElementTree.Element:
    """The scene in MuJoCo's format."""
    root = ElementTree.Element("mujoco")
    step = {"timestep": repr(FRAME / tuning.substeps), "gravity": text(scene.gravity)}
    ElementTree.SubElement(root, "option", step)
    ElementTree.SubElement(root, "size", {"memory": "500M"})
    contact = {"friction": text((scene.friction, 0.0, 0.0)), "condim": "3"}
    if tuning.solref is not None and tuning.solimp is not None:
        contact |= {"solref": text(tuning.solref), "solimp": text(tuning.solimp)}
    ElementTree.SubElement(ElementTree.SubElement(root, "default"), "geom", contact)
    world = ElementTree.SubElement(root, "worldbody")
    ElementTree.SubElement(world, "geom", {"type": "plane", "size": "0 0 1"})
    for body in moving(scene):
        place = {"name": body.name, "pos": text(body.position), "quat": text(body.orientation)}
        node = ElementTree.SubElement(world, "body", place)
        ElementTree.SubElement(node, "freejoint", {"name": body.name})
        ElementTree.SubElement(node, "geom", geom(body.shape) | {"mass": repr(float(body.mass))})
    return root


def geom(shape: Shape | None) -> dict[str, str]:
    """A shape as MuJoCo has it: half lengths, along z as ours."""
    if isinstance(shape, Sphere):
        return {"type": "sphere", "size": text((shape.radius,))}
    if isinstance(shape, Capsule):
        return {"type": "capsule", "size": text((shape.radius, 0.5 * shape.length))}
    assert isinstance(shape, Box)
    return {"type": "box", "size": text((0.5 * shape.x, 0.5 * shape.y, 0.5 * shape.z))}


def text(numbers: Any) -> str:
    """Numbers with all their digits, with blanks between."""
    return " ".join(repr(float(number)) for number in numbers)
