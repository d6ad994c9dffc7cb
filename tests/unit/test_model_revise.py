"""A model after an edit is the one that its edited scene compiles to, however many edits there were."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from joint_examples import EXAMPLES

import taut
from taut.joints import Motor, Revolute, Spherical
from taut.model.compile import compile_model
from taut.shapes import Box, Capsule, Convex, Sphere
from taut.stepping.mechanism import mechanism_of

pytestmark = pytest.mark.filterwarnings("ignore::taut.TautWarning")  # of what lies in each other

CORNERS = [(0, 0, 0), (0.3, 0, 0), (0, 0.3, 0), (0, 0, 0.3)]
SHAPES = (Box(0.2, 0.3, 0.1), Sphere(0.1), Capsule(0.05, 0.3), Convex(CORNERS), None)


def differences(one: object, other: object, path: str = "") -> list[str]:
    """Where two models, or parts of them, differ: arrays to the bit, coordinates and specs as they are."""
    if isinstance(one, np.ndarray):
        same = isinstance(other, np.ndarray) and one.shape == other.shape and one.dtype == other.dtype
        return [] if same and np.array_equal(one, other, equal_nan=one.dtype.kind == "f") else [path]
    if dataclasses.is_dataclass(one) and not isinstance(one, type):
        names = [field.name for field in dataclasses.fields(one) if field.name != "structures"]
        return [
            name for each in names for name in differences(getattr(one, each), getattr(other, each), f"{path}.{each}")
        ]
    if isinstance(one, tuple | list):
        if len(one) != len(other):  # type: ignore[arg-type]
            return [f"{path} has {len(one)} and {len(other)} items"]  # type: ignore[arg-type]
        names = getattr(one, "_fields", range(len(one)))
        pairs = zip(names, one, other, strict=True)  # type: ignore[call-overload]
        return [name for key, first, second in pairs for name in differences(first, second, f"{path}.{key}")]
    if isinstance(one, dict):
        return differences(list(one.items()), list(other.items()), path)  # type: ignore[attr-defined]
    return [] if callable(one) or one is other or one == other else [path]


def random_edit(rng: np.random.Generator, simulation: taut.Simulation, count: int) -> None:
    """One to three changes of any kind."""
    with simulation.edit() as edit:
        for change in range(rng.integers(1, 4)):
            names = [spec.name for spec in edit.scene.bodies[1:]]
            links = [link.name for link in edit.scene.links]
            kind = rng.choice(["add", "add", "join", "join", "join", "spring", "cut", "remove", "weigh", "ignore"])
            if kind == "add" or len(names) < 4:
                shape = SHAPES[rng.integers(len(SHAPES))]
                options = {"inertia": (1.0, 1.1, 1.2)} if shape is None else {"shape": shape}
                edit.add_body(
                    f"n{count}-{change}", mass=1.0 + rng.random(), position=3.0 * rng.normal(size=3),
                    group=str(rng.choice(["default", "g", "h"])), **options,
                )  # fmt: skip
            elif kind == "join":
                a, b = rng.choice(["world", *names], 2, replace=False)
                joint = list(EXAMPLES.values())[rng.integers(len(EXAMPLES))]
                try:
                    edit.connect(str(a), str(b), joint, compliance=float(rng.choice([0.0, 0.0, 1e-6])))
                except taut.InputError:
                    continue  # joints that need other bodies
            elif kind == "spring":
                a, b = rng.choice(names, 2, replace=False)
                edit.add_spring(str(a), str(b), stiffness=10.0)
            elif kind == "cut" and links:
                edit.remove_joint(str(rng.choice(links)))
            elif kind == "remove":
                edit.remove_body(str(rng.choice(names)))
            elif kind == "weigh":
                edit.set_mass(str(rng.choice(names)), 5.0 * rng.random() + 0.1)


def scene_with_everything() -> taut.Scene:
    scene = taut.Scene(friction=0.3)
    scene.add_plane()
    for index in range(8):
        scene.add_body(f"b{index}", SHAPES[index % 4], mass=1.0 + index, position=(0.6 * index, 0, 2.0))
    for index in range(7):
        joint = Revolute(axis=(0, 1, 0), motor=Motor(speed=1.0)) if index % 2 else Spherical()
        scene.connect(f"b{index}", f"b{index + 1}", joint, at=(0.6 * index + 0.3, 0, 2))
    scene.ignore_contacts("b0", "b5")
    scene.add_load("b3", force=(1, 2, 3))
    return scene


@pytest.mark.parametrize("seed", range(30))
def test_it_is_the_model_of_the_edited_scene(seed: int) -> None:
    rng = np.random.default_rng(seed)
    simulation = taut.Simulation(scene_with_everything())
    for count in range(8):
        try:
            random_edit(rng, simulation, count)
        except taut.InputError:
            continue  # an edit that is refused changes nothing
        assert differences(simulation.model, compile_model(simulation.scene)) == []
        assert differences(simulation.stepper.mechanism, mechanism_of(simulation.model)) == [], "some tables are kept"


def test_what_an_edit_does_not_touch_is_the_same_object() -> None:
    simulation = taut.Simulation(scene_with_everything())
    model, mechanism = simulation.model, simulation.stepper.mechanism
    with simulation.edit() as edit:
        edit.remove_joint("b2-b3")
    assert simulation.model.bodies is model.bodies and simulation.model.geoms.size is model.geoms.size
    assert simulation.stepper.mechanism.bodies is mechanism.bodies
    with simulation.edit() as edit:
        edit.set_mass("b1", 3.0)
    assert simulation.model.bodies.mass[2] == 3.0 == simulation.stepper.mechanism.bodies.mass[2]
    assert model.bodies.mass[2] == 2.0
