"""What every joint in the registry promises in joint coordinates: the same as in maximal ones, and no violation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from joint_examples import NAMES, example, joint_scene

import taut
from taut.joints import Drive, Joint, Motor
from taut.model.articulation import ELIMINATED
from taut.shapes import Sphere

JOINTS = pytest.mark.parametrize("name", NAMES)
BASES = pytest.mark.parametrize("base", ["world", "a"])
BOTH = ("maximal", "reduced")
ROUNDING = 1e-11
"""Violation of joints that a tree keeps, m or rad."""


def drives_of(joint: Joint) -> dict[str, Drive]:
    """Coordinates of a joint along which something may act: the joint itself, or its fields."""
    fields = {name: value for name, value in vars(joint).items() if isinstance(value, Drive)}
    return {"": joint} if isinstance(joint, Drive) else fields


MOVING = [name for name in NAMES if Joint.registry[name].motion is not Joint.motion]
"""Joints that trees are made of."""

DRIVEN = [(name, drive) for name in MOVING for drive in drives_of(example(name))]
"""The same with each of their drives."""


def driven(name: str, drive: str, **values: Any) -> Joint:
    """The example of a joint with this along one of its coordinates."""
    joint = example(name)
    return replace(joint, **values) if drive == "" else replace(joint, **{drive: Drive(**values)})


def run(scene: taut.Scene, coordinates: str, step: float, duration: float) -> taut.Simulation:
    """A run in which every frame is solved."""
    simulation = taut.Simulation(scene, step=step, coordinates=coordinates)
    for _ in range(round(duration / step)):
        report = simulation.step()
        assert report.status == "solved" and report.residual <= 1e-9
    return simulation


def difference(scene: Any, step: float, duration: float) -> float:
    """Largest difference of positions at the end of a run in either coordinates, m; `scene` makes one."""
    first, second = (run(scene(), coordinates, step, duration).state.position for coordinates in BOTH)
    return float(np.abs(first - second).max())


@JOINTS
@BASES
def test_joints_hold_for_two_seconds(name: str, base: str) -> None:
    simulation = taut.Simulation(joint_scene(example(name), base, spin=1.0), coordinates="reduced")
    trees = simulation.stepper.mechanism.trees
    energy, kept = simulation.state.energy, (trees.role == ELIMINATED).all()
    for _ in range(120):
        report = simulation.step()
        assert report.status == "solved" and report.residual <= 1e-9
        assert report.violation <= (ROUNDING if kept else 1e-6)
        assert simulation.joint("hook").violation <= ROUNDING
    assert simulation.state.energy <= energy + 1e-3 * abs(energy), "nothing drives the scene"
    assert trees.body.size >= 1


@JOINTS
@BASES
def test_motions_agree_to_second_order_in_the_step(name: str, base: str) -> None:
    """Released at rest: what both do differently is of the order of the scheme's own error, or below it."""

    def scene() -> taut.Scene:
        return joint_scene(example(name), base, spin=0.0)

    coarse, fine = (difference(scene, 1 / n, 1.0) for n in (60, 120))
    assert coarse <= 1e-3
    assert fine <= coarse / 3.0 or fine <= 1e-8


@pytest.mark.parametrize(("name", "drive"), DRIVEN, ids=lambda part: part or "own")
@pytest.mark.parametrize(
    "values",
    [{"limits": (-0.05, 0.03)}, {"stiffness": 60.0, "damping": 1.5}, {"friction": 0.3}, {"damping": 3.0}],
    ids=["limits", "spring", "friction", "damper"],
)
def test_drives_act_the_same(name: str, drive: str, values: dict[str, Any]) -> None:
    """Blows at limits and sticking are not smooth: agreement within a bound, and within limits."""
    ends = []
    for coordinates in BOTH:
        simulation = run(joint_scene(driven(name, drive, **values), "a", spin=0.0), coordinates, 1 / 120, 0.5)
        ends.append(simulation)
    positions = [np.atleast_1d(each.joint("joint").position) for each in ends]
    assert np.abs(positions[0] - positions[1]).max() <= 2e-3
    assert np.abs(ends[0].state.position - ends[1].state.position).max() <= 2e-3
    if "limits" in values:
        index = 0 if drive == "" else list(drives_of(example(name))).index(drive)
        assert -0.05 - 1e-5 <= positions[1][index] <= 0.03 + 1e-5


@pytest.mark.parametrize(("name", "drive"), DRIVEN, ids=lambda part: part or "own")
@pytest.mark.parametrize(
    "motor",
    [Motor(speed=0.4), Motor(speed=5.0, max_force=0.5), Motor(position=0.2, stiffness=50.0, damping=5.0)],
    ids=["speed", "weak", "servo"],
)
def test_motors_drive_the_same(name: str, drive: str, motor: Motor) -> None:
    ends = [
        run(joint_scene(driven(name, drive, motor=motor), "a", spin=0.0), coordinates, 1 / 120, 0.5)
        for coordinates in BOTH
    ]
    assert np.abs(ends[0].state.position - ends[1].state.position).max() <= 2e-3
    if motor.speed == 0.4:
        index = 0 if drive == "" else list(drives_of(example(name))).index(drive)
        for each in ends:
            assert np.atleast_1d(each.joint("joint").velocity)[index] == pytest.approx(0.4, abs=1e-3)


@JOINTS
def test_reactions_agree(name: str) -> None:
    """In motion, and with a step that is short enough for both to be right."""
    forces = []
    for coordinates in BOTH:
        simulation = run(joint_scene(example(name), "a", spin=0.0), coordinates, 1e-3, 0.05)
        forces.append(np.array([simulation.joint("joint").reaction, simulation.joint("hook").reaction]))
    assert np.abs(forces[0]).max() > 1.0
    assert forces[1] == pytest.approx(forces[0], abs=1e-4 * np.abs(forces[0]).max())


@pytest.mark.parametrize("coordinates", BOTH)
@pytest.mark.parametrize("flipped", [False, True], ids=["a-b", "b-a"])
@pytest.mark.parametrize("name", [name for name in MOVING if name not in ("CompliantLink", "Translational")])
def test_at_rest_a_joint_carries_its_weight(name: str, flipped: bool, coordinates: str) -> None:
    """A ball that hangs below, on a joint that is turned so that it does not let it fall, nor gives way."""
    joint = example(name)
    for field, direction in (("axis", (0, 1, 0)), ("normal", (0, 0, 1))):
        joint = replace(joint, **{field: direction}) if hasattr(joint, field) else joint
    scene = taut.Scene(collisions=False)
    scene.add_body("b", Sphere(0.1), mass=3.0, position=(0, 0, -0.5))
    ends = ("b", "world") if flipped else ("world", "b")
    scene.connect(*ends, joint, at=(0, 0, 0), name="joint")
    simulation = run(scene, coordinates, 1 / 60, 0.2)
    expected = [0, 0, 3.0 * 9.81, 0, 0, 0]
    assert np.abs(simulation.joint("joint").reaction) == pytest.approx(expected, abs=1e-8)


def test_contract_covers_joints_of_trees_and_others() -> None:
    kinds = {name for name, _ in DRIVEN}
    assert {"Revolute", "Prismatic", "Universal", "Cylindrical", "Planar"} <= kinds
