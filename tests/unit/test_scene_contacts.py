"""What a scene keeps for contact: surfaces, planes, groups, and who does not collide with whom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import taut
from taut.errors import InputError
from taut.joints import Rope, Spherical
from taut.shapes import Compound, Plane, Sphere

SURFACE = ("friction", "restitution", "rolling_friction", "torsional_friction")


@given(values=st.tuples(*[st.floats()] * 4))
def test_any_surface_is_finite_or_refused(values: tuple) -> None:
    scene = taut.Scene()
    try:
        scene.add_body("b", Sphere(1.0), mass=1.0, **dict(zip(SURFACE, values, strict=True)))
    except InputError as error:
        assert str(error).startswith("body 'b': ") and "\n" not in str(error)
        return
    kept = [getattr(scene.bodies[-1], name) for name in SURFACE]
    assert kept == list(values) and np.isfinite(kept).all() and min(kept) >= 0.0 and kept[1] <= 1.0


def test_surfaces_are_kept_as_given() -> None:
    scene = taut.Scene(friction=0.7)
    scene.add_body("plain", Sphere(1.0), mass=1.0)
    scene.add_body(
        "rubber", Sphere(1.0), mass=1.0, friction=1.2, restitution=0.8, rolling_friction=0.01, torsional_friction=0.02,
        collides=False, group="tyres",
    )  # fmt: skip
    plain, rubber = scene.bodies[1:]
    assert plain.friction is None, "the scene's may still change"
    assert (plain.restitution, plain.rolling_friction, plain.torsional_friction) == (0.0, 0.0, 0.0)
    assert plain.collides and plain.group == "default"
    assert (rubber.friction, rubber.restitution, rubber.rolling_friction, rubber.torsional_friction) == (
        1.2, 0.8, 0.01, 0.02,
    )  # fmt: skip
    assert not rubber.collides and rubber.group == "tyres"
    assert scene.groups() == ["world", "default", "tyres"]


def test_planes_are_kept_with_their_surface() -> None:
    scene = taut.Scene()
    first, second = scene.add_plane(), scene.add_plane((0, 1, 1), -2.0, friction=0.1, restitution=0.5)
    assert [ground.plane for ground in scene.planes] == [first, second] == [Plane(), Plane((0, 1, 1), -2.0)]
    assert [(ground.friction, ground.restitution) for ground in scene.planes] == [(None, 0.0), (0.1, 0.5)]
    for options, words in (({"friction": -1.0}, "friction is -1"), ({"restitution": 2.0}, "restitution is 2")):
        with pytest.raises(InputError, match=f"^plane: {words}"):
            scene.add_plane(**options)
    assert len(scene.planes) == 2


def test_contacts_are_ignored_between_bodies_and_groups() -> None:
    scene = taut.Scene()
    for index, group in enumerate(("left", "left", "right")):
        scene.add_body(f"b{index}", Sphere(1.0), mass=1.0, group=group)
    scene.ignore_contacts("b0", "b1")
    scene.ignore_contacts("left", "left")
    scene.ignore_contacts("world", "right")
    scene.ignore_contacts("default", "b2")
    assert scene.ignored == [("b0", "b1"), ("left", "left"), ("world", "right"), ("default", "b2")]
    for a, b, words in (
        ("b0", "b0", "both are body 'b0'"),
        ("world", "world", "both are body 'world'"),
        ("b0", "rigth", "no body or group 'rigth'.*did you mean 'right'"),
        (3, "left", "no body or group 3"),
    ):
        with pytest.raises(InputError, match=f"^ignore_contacts: .*{words}"):
            scene.ignore_contacts(a, b)
    assert len(scene.ignored) == 4


def test_no_name_stands_for_a_body_and_a_group() -> None:
    scene = taut.Scene()
    scene.add_body("crane", Sphere(1.0), mass=1.0, group="machines")
    for name in ("machines", "default"):
        with pytest.raises(InputError, match=f"body '{name}': the name is that of a group"):
            scene.add_body(name, Sphere(1.0), mass=1.0)
    with pytest.raises(InputError, match="group is 'crane', the name of a body"):
        scene.add_body("b", Sphere(1.0), mass=1.0, group="crane")
    assert len(scene.bodies) == 2


def test_a_group_stands_for_all_that_is_below_it() -> None:
    scene = taut.Scene()
    scene.add_body("crane", Sphere(1.0), mass=1.0, group="site/a")
    scene.add_body("rope", Sphere(1.0), mass=1.0, group="crane/cable/upper")
    assert scene.groups() == ["world", "default", "site", "site/a", "crane", "crane/cable", "crane/cable/upper"]
    assert scene.members("crane") == ["rope"] and scene.members("default") == [] and scene.members("site") == ["crane"]
    with pytest.raises(InputError, match="no group 'rope'"):
        scene.members("rope")
    scene.ignore_contacts("crane", "crane")
    scene.ignore_contacts("crane/cable", "site")
    with pytest.raises(InputError, match="no body or group 'crane/cab'"):
        scene.ignore_contacts("crane/cab", "site")
    scene.add_body("site", Sphere(1.0), mass=1.0)
    with pytest.raises(InputError, match="body 'site/a': the name is that of a group"):
        scene.add_body("site/a", Sphere(1.0), mass=1.0)
    del scene.bodies[2:]
    assert scene.groups() == ["world", "default", "site", "site/a"]


def test_jointed_bodies_collide_only_where_asked_and_sprung_ones_do() -> None:
    scene = taut.Scene()
    scene.add_body("b", Sphere(1.0), mass=1.0, position=(1, 0, 0))
    scene.connect("world", "b", Spherical())
    scene.connect("world", "b", Rope(), at=(0, 0, 0), collide=True)
    scene.add_spring("world", "b", stiffness=1.0)
    assert [link.collide for link in scene.links] == [False, True, True]


@pytest.mark.parametrize("value", ["no", "False", "", 0, 1, 1.0, None, (), np.zeros(3)])
def test_flags_are_true_or_false(value: object) -> None:
    scene = taut.Scene()
    scene.add_body("a", Sphere(1.0), mass=1.0)
    for field in ("collides", "fixed"):
        with pytest.raises(InputError, match=f"^body 'b': {field} is .*; it must be True or False$"):
            scene.add_body("b", Sphere(1.0), mass=1.0, **{field: value})
    with pytest.raises(InputError, match="^joint 'world-a': collide is .*; it must be True or False$"):
        scene.connect("world", "a", Spherical(), collide=value)
    with pytest.raises(InputError, match="^scene: collisions is .*; it must be True or False$"):
        taut.Scene(collisions=value)
    assert len(scene.bodies) == 2 and not scene.links, "what is refused leaves nothing behind"


def test_flags_of_numpy_are_taken() -> None:
    scene = taut.Scene(collisions=np.bool_(False))
    scene.add_body("a", Sphere(1.0), mass=1.0, collides=np.bool_(False), fixed=np.bool_(True))
    assert scene.collisions is False and scene.bodies[1].collides is False and scene.bodies[1].fixed is True


def test_centre_of_mass_is_the_one_given_else_the_shapes() -> None:
    scene = taut.Scene()
    off = Compound([(Sphere(1.0), (0.0, 3.0, 0.0))])
    scene.add_body("shape", off, mass=1.0)
    scene.add_body("given", off, mass=1.0, com=(0, 0, 1))
    scene.add_body("neither", mass=1.0, inertia=(1, 1, 1))
    assert [spec.com.tolist() for spec in scene.bodies[1:]] == [[0, 3, 0], [0, 0, 1], [0, 0, 0]]
