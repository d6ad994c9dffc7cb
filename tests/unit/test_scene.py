"""Scenes: whatever is added is checked at once; a scene that was built compiles to finite numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import taut
from taut.errors import InputError
from taut.joints import Revolute, Rope, Spherical
from taut.model.compile import compile_scene
from taut.shapes import Box, Capsule, Plane, Sphere

ANY = st.floats()
VECTOR = st.tuples(ANY, ANY, ANY)
SANE = st.floats(-1e6, 1e6)
SIZE = st.floats(1e-3, 1e3)
LOOSE = st.one_of(VECTOR, st.lists(ANY, max_size=5), ANY, st.text(max_size=4), st.none())


def one_line(error: InputError, *names: str) -> None:
    """The message is one line that names the object."""
    text = str(error)
    assert "\n" not in text and len(text) < 1000
    assert any(name in text for name in names), text


def assert_finite(scene: taut.Scene) -> None:
    """Everything compiled is finite, and masses can be divided by."""
    model, state = compile_scene(scene)
    for array in (
        model.gravity,
        model.bodies.inertia,
        model.bodies.com,
        state.position,
        state.orientation,
        state.velocity,
        state.spin,
    ):
        assert np.isfinite(array).all()
    with np.errstate(all="ignore"):
        assert np.isfinite(1.0 / model.bodies.mass).all() and np.isfinite(model.bodies.mass).all()
        for inertia in model.bodies.inertia.reshape(-1, 3, 3):
            moments = np.linalg.eigvalsh(inertia)
            assert (moments > 0.0).all() and np.isfinite(1.0 / moments).all()


@given(mass=ANY, inertia=LOOSE, position=LOOSE, orientation=st.one_of(st.tuples(ANY, ANY, ANY, ANY), LOOSE))
def test_any_body_is_finite_or_refused(mass: float, inertia: object, position: object, orientation: object) -> None:
    scene = taut.Scene()
    try:
        scene.add_body("b", mass=mass, inertia=inertia, position=position, orientation=orientation)
    except InputError as error:
        one_line(error, "body 'b'")
        assert len(scene.bodies) == 1, "a refused body leaves the scene as it was"
        return
    assert_finite(scene)


@given(com=VECTOR, velocity=VECTOR, angular_velocity=VECTOR, linear=ANY, angular=ANY)
def test_any_motion_is_finite_or_refused(
    com: tuple, velocity: tuple, angular_velocity: tuple, linear: float, angular: float
) -> None:
    scene = taut.Scene()
    options = {"com": com, "velocity": velocity, "angular_velocity": angular_velocity}
    try:
        scene.add_body("b", Sphere(1.0), mass=1.0, linear_damping=linear, angular_damping=angular, **options)
    except InputError as error:
        one_line(error, "body 'b'")
        return
    assume(max(abs(x) for vector in options.values() for x in vector) < 1e300)
    assert_finite(scene)


@given(
    sizes=st.tuples(SIZE, SIZE, SIZE),
    mass=SIZE,
    position=st.tuples(SANE, SANE, SANE),
    velocity=st.tuples(SANE, SANE, SANE),
)
def test_sensible_bodies_are_accepted(sizes: tuple, mass: float, position: tuple, velocity: tuple) -> None:
    scene = taut.Scene()
    scene.add_body("b", Box(*sizes), mass=mass, position=position, velocity=velocity)
    assert_finite(scene)


@given(sizes=VECTOR, mass=ANY)
def test_any_box_is_finite_or_refused(sizes: tuple[float, float, float], mass: float) -> None:
    """Extreme sizes must not become a mass or an inertia of zero or infinity."""
    scene = taut.Scene()
    try:
        scene.add_body("b", Box(*sizes), mass=mass)
    except InputError as error:
        one_line(error, "body 'b'", "Box")
        return
    assert_finite(scene)


@given(radius=ANY, length=ANY, density=ANY)
def test_any_density_is_finite_or_refused(radius: float, length: float, density: float) -> None:
    scene = taut.Scene()
    try:
        scene.add_body("b", Capsule(radius, length), density=density)
    except InputError as error:
        one_line(error, "body 'b'", "Capsule")
        return
    assert_finite(scene)


@given(gravity=LOOSE, friction=ANY, compliance=ANY, margin=st.one_of(st.none(), ANY))
def test_any_scene_is_finite_or_refused(
    gravity: object, friction: float, compliance: float, margin: float | None
) -> None:
    try:
        scene = taut.Scene(gravity=gravity, friction=friction, contact_compliance=compliance, contact_margin=margin)
    except InputError as error:
        one_line(error, "scene")
        return
    assert np.isfinite(scene.gravity).all() and scene.friction >= 0.0 and math.isfinite(scene.friction)
    assert scene.contact_compliance > 0.0 and math.isfinite(scene.contact_compliance)
    assert scene.contact_margin is None or (scene.contact_margin >= 0.0 and math.isfinite(scene.contact_margin))


@given(axis=VECTOR, at=st.one_of(VECTOR, st.none()), limits=st.tuples(ANY, ANY), stiffness=ANY, compliance=ANY)
def test_any_hinge_is_finite_or_refused(
    axis: tuple, at: tuple | None, limits: tuple, stiffness: float, compliance: float
) -> None:
    scene = taut.Scene()
    scene.add_body("b", Sphere(1.0), mass=1.0)
    try:
        scene.connect(
            "world",
            "b",
            Revolute(axis=axis, limits=limits, stiffness=stiffness),
            at=at,
            name="j",
            compliance=compliance,
        )
    except InputError as error:
        one_line(error, "joint 'j'", "Revolute")
        return
    model, _ = compile_scene(scene)
    assert np.isfinite(model.layout.laws.stiffness).all()
    for spec in model.layout.specs:
        _, jacobian = spec.part.evaluate([taut.rows.part.Pose(np.zeros(3), np.eye(3))] * 2)
        assert np.isfinite(jacobian).all() and np.abs(jacobian).max() > 0.0


@given(point_a=LOOSE, point_b=LOOSE, stiffness=ANY, damping=ANY, rest=st.one_of(st.none(), ANY))
def test_any_spring_is_finite_or_refused(
    point_a: object, point_b: object, stiffness: float, damping: float, rest: float | None
) -> None:
    scene = taut.Scene()
    scene.add_body("b", Sphere(1.0), mass=1.0, position=(1, 2, 3))
    try:
        scene.add_spring("b", "world", point_a, point_b, stiffness, damping, rest, name="s")
    except InputError as error:
        one_line(error, "'s'")
        return
    assert_finite(scene)


@given(force=LOOSE, point=LOOSE, torque=LOOSE)
def test_any_load_is_finite_or_refused(force: object, point: object, torque: object) -> None:
    scene = taut.Scene()
    scene.add_body("b", Sphere(1.0), mass=1.0)
    try:
        scene.add_load("b", force, point, torque, name="push")
    except InputError as error:
        one_line(error, "load 'push'")
        return
    assert_finite(scene)


@given(name=st.one_of(st.text(max_size=6), st.integers(), st.none(), st.binary(max_size=3)))
def test_any_name_is_text_or_refused(name: object) -> None:
    scene = taut.Scene()
    try:
        handle = scene.add_body(name, Sphere(1.0), mass=1.0)
    except InputError as error:
        assert "\n" not in str(error)
        assert not isinstance(name, str) or name == "" or "\0" in name
        return
    assert handle == name and scene.index_of("test", handle) == 1


@pytest.mark.parametrize(("options", "words"), [
    ({}, "neither mass nor density"),
    ({"mass": 1.0}, "neither a shape nor an inertia"),
    ({"mass": 1.0, "density": 2.0, "shape": Sphere(1.0)}, "both mass and density"),
    ({"density": 2.0}, "without a shape"),
    ({"mass": -1.0, "shape": Sphere(1.0)}, "mass is -1"),
    ({"mass": 0.0, "shape": Sphere(1.0)}, "mass is 0"),
    ({"density": math.nan, "shape": Sphere(1.0)}, "density is nan"),
    ({"mass": 1.0, "shape": "box"}, "taut.shapes"),
    ({"mass": 1.0, "shape": Sphere}, "taut.shapes"),
    ({"mass": 1.0, "inertia": (1, 1, 5)}, "sum of the others"),
    ({"mass": 1.0, "shape": Sphere(1.0), "orientation": (1, 1, 0, 0)}, "unit quaternion"),
    ({"mass": 1.0, "shape": Sphere(1.0), "linear_damping": -1.0}, "linear_damping"),
    ({"mass": 1.0, "shape": Plane()}, "scene.add_plane"),
    ({"fixed": True, "shape": Plane()}, "scene.add_plane"),
    ({"mass": 1.0, "shape": Sphere(1.0), "friction": -0.1}, "friction is -0.1; it must be a finite number >= 0"),
    ({"mass": 1.0, "shape": Sphere(1.0), "restitution": 1.5}, "restitution is 1.5; it must be from 0 to 1"),
    ({"mass": 1.0, "shape": Sphere(1.0), "restitution": -0.5}, "restitution is -0.5"),
    ({"mass": 1.0, "shape": Sphere(1.0), "rolling_friction": math.nan}, "rolling_friction is nan"),
    ({"mass": 1.0, "shape": Sphere(1.0), "torsional_friction": "much"}, "torsional_friction is 'much'"),
    ({"mass": 1.0, "shape": Sphere(1.0), "group": ""}, "group is ''"),
    ({"mass": 1.0, "shape": Sphere(1.0), "group": 3}, "group is 3"),
    ({"mass": 1.0, "shape": Sphere(1.0), "group": "world"}, "group is 'world', the name of a body"),
    ({"mass": 1.0, "shape": Sphere(1.0), "group": "b"}, "group is 'b', the name of a body"),
], ids=lambda part: str(part)[:30])  # fmt: skip
def test_wrong_bodies_are_refused(options: dict, words: str) -> None:
    with pytest.raises(InputError, match=f"body 'b'.*{words}"):
        taut.Scene().add_body("b", **options)


def test_names_are_unique_and_the_world_is_taken() -> None:
    scene = taut.Scene()
    scene.add_body("b", Sphere(1.0), mass=1.0)
    for name in ("b", "world"):
        with pytest.raises(InputError, match=f"body '{name}'.*taken"):
            scene.add_body(name, Sphere(1.0), mass=1.0)
    scene.add_load("b", force=(1, 0, 0), name="push")
    with pytest.raises(InputError, match="load 'push'.*taken"):
        scene.add_load("b", force=(1, 0, 0), name="push")


def test_joints_get_names_of_their_own() -> None:
    scene = taut.Scene()
    scene.add_body("b", Sphere(1.0), mass=1.0, position=(1, 0, 0))
    names = [
        scene.connect("world", "b", Spherical()),
        scene.connect("world", "b", Spherical()),
        scene.connect("world", "b", Rope()),
    ]
    assert names == ["world-b", "world-b-2", "world-b-3"]
    assert [scene.add_load("b"), scene.add_load("b")] == ["load-1", "load-2"]


def test_automatic_names_step_aside_for_given_ones() -> None:
    scene = taut.Scene()
    scene.add_body("b", Sphere(1.0), mass=1.0)
    scene.add_load("b", name="load-2")
    assert scene.add_load("b") != "load-2"


def test_wrong_body_names_are_answered_with_the_nearest() -> None:
    scene = taut.Scene()
    scene.add_body("crane", Sphere(1.0), mass=1.0)
    with pytest.raises(InputError, match="'crane'"):
        scene.connect("world", "crain", Spherical())
    with pytest.raises(InputError, match="there are: world, crane"):
        scene.add_load("hook", force=(1, 0, 0))
    with pytest.raises(InputError, match="spring"):
        scene.add_spring("crane", "crane", stiffness=1.0)


WRONG_SPRINGS = [
    {},
    {"stiffness": 1.0, "frequency": 1.0},
    {"stiffness": -1.0},
    {"damping": math.nan},
    {"stiffness": 1.0, "rest_length": -1.0},
    {"damping_ratio": 0.5},
]


@pytest.mark.parametrize("options", WRONG_SPRINGS, ids=str)
def test_wrong_springs_are_refused(options: dict) -> None:
    scene = taut.Scene()
    scene.add_body("b", Sphere(1.0), mass=1.0)
    with pytest.raises(InputError, match="'s'"):
        scene.add_spring("world", "b", name="s", **options)
    assert not scene.links


def test_handles_are_names() -> None:
    scene = taut.Scene()
    first, second = (
        scene.add_body(name, Sphere(1.0), mass=1.0, position=(index, 0, 0)) for index, name in enumerate("ab")
    )
    joint = scene.connect(first, second, Spherical())
    assert (first, second, joint) == ("a", "b", "a-b")
    simulation = taut.Simulation(scene)
    assert simulation.body(first).name == "a" and simulation.joint(joint).name == "a-b"


def test_rope_and_rod_between_points_that_coincide_are_refused_in_one_line() -> None:
    for kind in (taut.joints.Distance, Rope):
        scene = taut.Scene()
        scene.add_body("b", Sphere(1.0), mass=1.0)
        with pytest.raises(InputError, match="length at the start is 0"):
            scene.connect("world", "b", kind(), name="j")
            taut.Simulation(scene)


class Watched(list):
    """A list that counts the items it hands out."""

    reads = 0

    def __iter__(self):  # noqa: ANN204
        Watched.reads += len(self)
        return super().__iter__()

    def __getitem__(self, index):  # noqa: ANN001, ANN204
        Watched.reads += 1
        return super().__getitem__(index)


def reads_of_building(count: int) -> int:
    """Items of the scene's own lists that are looked at while a chain of bodies is built."""
    Watched.reads = 0
    scene = taut.Scene()
    scene.bodies, scene.links, scene.ignored = Watched(scene.bodies), Watched(), Watched()
    for index in range(count):
        scene.add_body(f"b{index}", Sphere(0.1), mass=1.0, position=(index, 0, 0), group=f"group {index % 3}")
        before = f"b{index - 1}" if index else "world"
        scene.connect(before, f"b{index}", Spherical())
        scene.add_spring(before, f"b{index}", stiffness=1.0, rest_length=1.0)
        scene.add_load(f"b{index}", force=(0, 0, 1))
        scene.ignore_contacts("world", f"b{index}")
    return Watched.reads


def test_building_looks_at_each_body_and_joint_a_few_times_however_large_the_scene_is() -> None:
    assert reads_of_building(400) <= 4.1 * reads_of_building(100)


def test_names_are_found_after_bodies_and_joints_were_removed_from_the_lists() -> None:
    scene = taut.Scene()
    for name in "abc":
        scene.add_body(name, Sphere(0.1), mass=1.0, position=(ord(name), 0, 0))
    scene.connect("a", "b", Spherical(), name="j")
    removed = scene.bodies.pop(1)
    scene.links = []
    assert [scene.index_of("test", name) for name in "bc"] == [1, 2]
    with pytest.raises(InputError, match="no body 'a'"):
        scene.index_of("test", "a")
    scene.bodies.append(removed)
    assert scene.index_of("test", "a") == 3
    assert scene.connect("b", "c", Spherical(), name="j") == "j"


def test_a_copy_finds_its_own_bodies() -> None:
    scene = taut.Scene()
    scene.add_body("a", Sphere(0.1), mass=1.0)
    twin = scene.copy()
    twin.add_body("b", Sphere(0.1), mass=1.0, group="twins")
    assert twin.index_of("test", "b") == 2 and "twins" in twin.groups()
    with pytest.raises(InputError, match="no body 'b'"):
        scene.index_of("test", "b")
    assert "twins" not in scene.groups()


NO_NAMES = ["", "a\0b", "a\udc80b", 3, None, b"b", ["b"]]


@pytest.mark.parametrize("name", NO_NAMES, ids=ascii)
def test_names_that_no_file_can_hold_are_refused_wherever_they_are_given(name: object) -> None:
    scene = taut.Scene()
    scene.add_body("b", Sphere(0.1), mass=1.0)
    calls = {
        "body": lambda: scene.add_body(name, Sphere(0.1), mass=1.0),
        "joint": lambda: scene.connect("world", "b", Spherical(), name="" if name is None else name),
        "load": lambda: scene.add_load("b", name="" if name is None else name),
        "control": lambda: scene.add_control(name, act=print),
        "group": lambda: scene.add_body("c", Sphere(0.1), mass=1.0, group=name),
        "scene": lambda: taut.Scene(name=name),
    }
    for kind, call in calls.items():
        with pytest.raises(InputError, match=f"{kind}.* it must be text") as caught:
            call()
        one_line(caught.value, kind)
        str(caught.value).encode()


@pytest.mark.parametrize("name", [["b"], 3, None, "a\udc80b"], ids=ascii)
def test_what_is_no_name_names_no_body(name: object) -> None:
    scene = taut.Scene()
    scene.add_body("b", Sphere(0.1), mass=1.0)
    for call in (
        lambda: scene.connect("world", name, Spherical()),
        lambda: scene.add_spring(name, "b", stiffness=1.0),
        lambda: scene.add_load(name),
        lambda: scene.ignore_contacts("b", name),
    ):
        with pytest.raises(InputError, match="there is no body") as caught:
            call()
        str(caught.value).encode()
