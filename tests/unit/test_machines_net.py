"""A net: what it is made of, statics in closed form, cuts, sections and wrong input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import taut
from taut import machines
from taut.errors import InputError
from taut.shapes import Sphere


def strip(meshes: int = 4, **options: Any) -> machines.Net:
    """A net of one mesh across, held at its four corners."""
    ends = [(i, j, ("world", (i - 0.5 * meshes, j - 0.5, 0.0))) for i in (0, meshes) for j in (0, 1)]
    given = {"size": (meshes, 1.0), "segments": 3, "axial_stiffness": 1e6, "held": ends, "damping_ratio": 1.0} | options
    return machines.Net(**given)


def test_knots_segments_and_joints_are_counted() -> None:
    scene = taut.Scene()
    scene.add(machines.Net(size=(3.0, 2.0), mesh=0.5, segments=4, mass_per_length=0.8, border=2.0), name="net")
    built = scene.parts["net"]
    sides = 6 * 5 + 4 * 7
    assert len(built.bodies) == 7 * 5 + 4 * sides and len(built.joints) == 5 * sides
    masses = {body.name: body.mass for body in scene.bodies}
    segment = 0.8 * 0.5 / 4
    assert masses["net/x-1/1"] == pytest.approx(segment) == masses["net/knot-0-0"]
    for rope in ("x-0", "x-4", "y-0", "y-6"):
        assert masses[f"net/{rope}/3"] == pytest.approx(2.0 * segment)


@pytest.mark.parametrize(("knots", "rows"), [("ball", 3), ("compliant", 6)])
def test_joints_at_knots_have_three_or_six_rows(knots: str, rows: int) -> None:
    scene = taut.Scene()
    scene.add(strip(knots=knots, bending_stiffness=1.0, torsional_stiffness=1.0), name="net")
    simulation = taut.Simulation(scene)
    layout, numbers = simulation.model.layout, simulation.model.link_numbers
    owner = layout.row_owner[: layout.declared_count]
    assert np.count_nonzero(owner == numbers["net/x-0/joint-0"]) == rows
    assert np.count_nonzero(owner == numbers["net/x-0/joint-1"]) == 6
    assert np.count_nonzero(owner == numbers["net/held-1"]) == 3


def test_what_holds_it_carries_its_weight_and_ropes_stretch_as_they_must() -> None:
    """At rest forces at the corners add up to the weight, and T = EA (arc / chord - 1) along a border rope."""
    scene = taut.Scene()
    scene.add(strip(), name="net")
    for body in scene.bodies[1:]:
        body.linear_damping = 2.0
    simulation = taut.Simulation(scene)
    for _ in range(600):
        simulation.step()
    net = simulation.part("net")
    weight = 9.81 * net.mass
    up = net.holding[:, 2]
    np.testing.assert_allclose(up, 0.25 * weight, rtol=1e-3)
    pull = abs(net.holding[0, 0])
    tensions = dict(zip(net.segments, net.tensions, strict=True))
    np.testing.assert_allclose([tensions[f"net/x-0/{k}"] for k in (6, 7)], pull, rtol=1e-2)
    names = [f"net/x-0/{k}" for k in range(1, 13)]
    half = (0.0, 0.0, 0.5 / 3.0)
    ends = np.stack([net.points(names, -np.array(half)), net.points(names, np.array(half))], axis=1).reshape(-1, 3)
    knots = np.vstack([(-2.0, -0.5, 0.0), ends, (2.0, -0.5, 0.0)])
    arc = np.linalg.norm(np.diff(knots, axis=0), axis=1).sum()
    assert pull == pytest.approx(1e6 * (arc / 4.0 - 1.0), rel=0.02)
    assert net.sag == pytest.approx(-knots[:, 2].min(), rel=0.05)


def test_a_rope_that_is_cut_carries_nothing_there() -> None:
    scene = taut.Scene()
    scene.add(strip(), name="net")
    simulation = taut.Simulation(scene)
    simulation.run(0.5)
    net = simulation.part("net")
    net.cut("x-0", 2.4)
    assert [event.name for event in simulation.events] == ["net/x-0/joint-9"]
    simulation.run(0.5)
    assert simulation.report.status == "solved"
    names, tensions = net.segments, net.tensions
    assert len(tensions) == len(names) and np.isfinite(tensions).all()
    beside = tensions[[names.index("net/x-0/7"), names.index("net/x-0/8")]]
    assert beside.max() < 0.5 * tensions.max()


def test_sections_are_groups_that_do_not_touch_each_other() -> None:
    scene = taut.Scene()
    scene.add(machines.Net(size=(3.0, 3.0), segments=2, sections=(3, 2)), name="net")
    groups = {body.group for body in scene.bodies if body.name.startswith("net/")}
    assert groups == {f"net/section-{number}" for number in range(1, 7)}
    where = {body.name: body.group for body in scene.bodies}
    assert where["net/knot-0-0"] == "net/section-1" and where["net/knot-3-3"] == "net/section-6"
    assert taut.Simulation(scene).run(0.2).column("contacts").max() == 0


def test_it_is_built_where_it_is_said_to_be() -> None:
    scene, turn = taut.Scene(), taut.spatial.from_axis_angle((0.0, 1.0, 0.0), 0.5 * np.pi)
    scene.add(machines.Net(size=(2.0, 4.0), centre=(1.0, 2.0, 3.0), orientation=turn), name="net")
    bodies = {body.name: body.position for body in scene.bodies}
    np.testing.assert_allclose(bodies["net/knot-0-0"], (1.0, 0.0, 4.0), atol=1e-12)
    np.testing.assert_allclose(bodies["net/knot-2-4"], (1.0, 4.0, 2.0), atol=1e-12)


def test_a_ball_is_caught() -> None:
    """Energy only falls, and a ball that is larger than a mesh stays on the net."""
    scene = taut.Scene(friction=0.5)
    posts = [(i, j, ("world", (i - 2.0, j - 2.0, 2.0))) for i in range(5) for j in range(5) if {i, j} & {0, 4}]
    net = machines.Net(
        size=(4.0, 4.0), segments=2, centre=(0.0, 0.0, 2.0), mass_per_length=0.5, axial_stiffness=1e5, held=posts,
    )  # fmt: skip
    scene.add(net, name="net")
    scene.add_body("ball", Sphere(0.8), mass=20.0, position=(0.1, 0.1, 3.0))
    recording = taut.Simulation(scene).run(2.0)
    assert not recording.column("unconverged").any()
    assert recording.body("ball").position[:, 2].min() > 1.5
    assert recording.energy.max() <= recording.energy[0] * (1.0 + 1e-6)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"size": (2.5, 2.0)}, "size is 2.5 m; it must be whole meshes of 1 m"),
        ({"size": 3.0}, "size is 3.0; it must be"),
        ({"segments": 0}, "segments is 0; it must be a whole number from 1 on"),
        ({"sections": (1, 0)}, "sections is 0; it must be a whole number"),
        ({"sections": 2}, "sections is 2; it must be"),
        ({"knots": "granny"}, "no kind of knots 'granny'.*ball, compliant"),
        ({"held": [(0, 0)]}, "held has .*it must be .i, j, end."),
        ({"held": [(5, 0, "world")]}, "held has knot 5, 0; knots are from 0, 0 to 4, 4"),
        ({"held": "world"}, "held is 'world'; it must be a list"),
        ({"border": 0.0}, "border is 0"),
        ({"size": (1e4, 1e4)}, "too many with this mesh"),
        ({"axial_stiffness": 0.0}, "axial_stiffness is 0"),
    ],
)
def test_wrong_input_is_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(InputError, match=f"Net.*{text}"):
        machines.Net(**options)


def test_wrong_places_to_cut_are_refused() -> None:
    scene = taut.Scene()
    scene.add(strip(), name="net")
    net = taut.Simulation(scene).part("net")
    with pytest.raises(InputError, match="no rope 'x-7'.*x-0, x-1, y-0"):
        net.cut("x-7", 0.0)
    with pytest.raises(InputError, match="at is 5; it must be within the length of x-0, 4 m"):
        net.cut("x-0", 5.0)
