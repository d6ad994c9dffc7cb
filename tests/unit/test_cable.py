"""Cables: how they are built, read, cut and broken."""

from __future__ import annotations

import dataclasses
import math
import warnings

import numpy as np
import pytest
from sample_mechanisms import advance

import taut
from taut.errors import InputError
from taut.machines import Cable, Chain

PLAIN = Cable(from_="world", end=(0, 0, -2), segments=8, mass_per_length=0.5)


def hoist(load: float = 100.0, **options: object) -> taut.Scene:
    """A load on a cable of 4 m."""
    scene = taut.Scene()
    scene.add_body("load", taut.shapes.Box(0.5, 0.5, 0.5), mass=load, position=(0, 0, -4.25))
    cable = Cable(**{"from_": "world", "to": ("load", (0, 0, 0.25)), "segments": 8, "mass_per_length": 0.5} | options)
    scene.add(cable, name="hoist")
    return scene


def test_segments_are_capsules_of_the_cables_mass() -> None:
    scene = hoist()
    segments = scene.bodies[2:]
    assert [body.name for body in segments] == [f"hoist/{number}" for number in range(1, 9)]
    assert all(body.shape == taut.shapes.Capsule(0.01, 0.5) and body.mass == 0.25 for body in segments)
    assert [link.name for link in scene.links if link.name.endswith(("-0", "-8"))] == ["hoist/joint-0", "hoist/joint-8"]
    assert {body.group for body in segments} == {"hoist"}
    assert {link.kind.stretch for link in scene.links} == {math.inf}


@pytest.mark.parametrize(("given", "count"), [({}, 20), ({"segment_length": 0.3}, 13), ({"segments": 3}, 3)])
def test_segments_by_length_or_by_number(given: dict[str, float], count: int) -> None:
    scene = hoist(**{"segments": None} | given)
    assert len(scene.bodies) - 2 == count
    assert taut.Simulation(scene).part("hoist").length == pytest.approx(4.0)


def test_stiffness_of_joints_is_that_of_the_material() -> None:
    scene = hoist(
        axial_stiffness=4e5, bending_stiffness=3.0, torsional_stiffness=2.0, clamped=(True, False), damping_ratio=0.0
    )
    kinds = {link.name.rpartition("-")[2]: link.kind for link in scene.links}
    first, middle, last = kinds["0"], kinds["4"], kinds["8"]
    assert (middle.stretch, middle.bend, middle.twist) == (8e5, 6.0, 4.0)
    assert (first.stretch, first.bend, first.twist) == (16e5, 12.0, 8.0)
    assert (last.stretch, last.bend, last.twist) == (16e5, 0.0, 0.0)


def test_cables_that_do_not_stretch_are_trees_in_joint_coordinates() -> None:
    scene = hoist(bending_stiffness=1.0)
    scene.bodies[1].velocity[:] = (1.0, 0.5, 0.0)
    ends, gaps = [], []
    for coordinates in ("maximal", "reduced"):
        simulation = taut.Simulation(scene, coordinates=coordinates)
        gaps.append(max(report.violation for report in advance(simulation, 2.0)))
        ends.append(simulation.body("load").position)
    assert gaps[1] < 1e-12 < gaps[0] < 1e-5
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-3)


def test_tensions_carry_what_hangs_below() -> None:
    simulation = taut.Simulation(hoist())
    advance(simulation, 0.5)
    below = 100.0 + 0.25 * np.arange(7.5, 0.0, -1.0)
    view = simulation.part("hoist")
    np.testing.assert_allclose(view.tensions, 9.81 * below, rtol=1e-9)
    np.testing.assert_allclose(view.end_tensions, 9.81 * np.array([102.0, 100.0]), rtol=1e-9)


def test_a_slack_cable_has_no_tension_and_never_a_negative_one() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add(Cable(from_="world", to=("world", (1, 0, 0)), length=2.0, segments=10), name="line")
    simulation = taut.Simulation(scene)
    advance(simulation, 0.1)
    assert simulation.part("line").tensions.max() < 1e-9
    pushed = taut.Simulation(hoist(load=1.0, axial_stiffness=1e4))
    pushed.body("load").apply(force=(0, 0, 200.0))
    pushed.step()
    view = pushed.part("hoist")
    assert (view.pulls() < 0.0).any() and (view.tensions >= 0.0).all() and (view.tensions == 0.0).any()


def test_sag_and_curvature_of_an_arc() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    angle = np.linspace(0.0, math.pi, 41)[1:-1]
    points = np.column_stack([2.0 * np.cos(angle), np.zeros_like(angle), 2.0 * np.sin(angle)])
    scene.add(Cable(start=(2, 0, 0), points=points, end=(-2, 0, 0), segments=40), name="arc")
    view = taut.Simulation(scene).part("arc")
    assert view.sag == pytest.approx(2.0, rel=1e-3)
    np.testing.assert_allclose(view.curvature, 0.5, rtol=2e-3)
    assert view.length == pytest.approx(2.0 * math.pi, rel=1e-3)


def test_a_cut_lets_go_and_keeps_momentum() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add(Cable(start=(0, 0, 0), end=(4, 0, 0), segments=8), name="line")
    for body in scene.bodies[1:]:
        body.velocity[:] = (0.3, body.position[0], 0.0)
        body.angular_velocity[:] = (0.0, 0.0, 1.0)
    simulation = taut.Simulation(scene)
    advance(simulation, 0.5)
    before = simulation.report.momentum
    view = simulation.part("line")
    view.cut(at=1.6)
    assert "line/joint-3" not in view.joints and len(view.joints) == 6 and len(view.bodies) == 8
    advance(simulation, 0.5)
    np.testing.assert_allclose(simulation.report.momentum, before, rtol=1e-10, atol=1e-12)
    ends = [simulation.body(f"line/{number}").position for number in (3, 4)]
    assert math.dist(*ends) > 0.6, "half a metre before"


def test_edits_cut_cables_and_say_so() -> None:
    simulation = taut.Simulation(hoist())
    with simulation.edit() as edit:
        edit.cut("hoist", at=3.0)
    (event,) = simulation.step().events
    assert (event.kind, event.name, event.at) == ("cut", "hoist", 3.0)
    with pytest.raises(InputError, match="at is not given"), simulation.edit() as edit:
        edit.cut("hoist")


def test_what_is_cut_can_lose_segments() -> None:
    simulation = taut.Simulation(hoist())
    simulation.part("hoist").cut(at=2.0)
    with simulation.edit() as edit:
        edit.remove_body("hoist/5")
    view = simulation.part("hoist")
    advance(simulation, 0.2)
    assert "hoist/5" not in view.bodies and len(view.bodies) == 7
    assert view.tensions.shape == (4,) and view.length == pytest.approx(2.0)
    assert view.tensions[:4] == pytest.approx(9.81 * 0.25 * np.arange(3.5, 0, -1), rel=1e-6)
    assert view.end_tensions[1] < 1e-6


@pytest.mark.parametrize("stiffness", [math.inf, 1e6])
def test_a_cable_breaks_where_it_is_pulled_too_hard(stiffness: float) -> None:
    weak = hoist(breaking_force=9.81 * 101.9, axial_stiffness=stiffness, damping_ratio=3.0)
    simulation = taut.Simulation(weak)
    simulation.run(0.5, record=False)
    assert set(weak.parts["hoist"].joints) - set(simulation.part("hoist").joints) == {"hoist/joint-0"}
    assert simulation.body("load").velocity[2] < -1.0
    strong = taut.Simulation(hoist(breaking_force=9.81 * 140.0))
    strong.run(0.5, record=False)
    assert len(strong.part("hoist").joints) == 9


def test_neighbours_do_not_touch_and_others_do() -> None:
    scene = taut.Scene()
    scene.add_plane()
    scene.add(Cable(start=(0, 0, 0.5), end=(0.4, 0, 2.0), segments=15, diameter=0.05), name="line")
    simulation = taut.Simulation(scene)
    reports = advance(simulation, 1.5)
    assert reports[-1].contacts > 0 and max(report.penetration for report in reports) < 1e-3
    assert reports[0].contacts == 0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"segments": 0}, "segments is 0"),
        ({"segments": 8, "segment_length": 0.1}, "give one of them"),
        ({"segments": None, "segment_length": 1e-9}, "at most"),
        ({"start": (0, 0, 1)}, "both from_ and start"),
        ({"end": None}, "it needs two ends"),
        ({"end": (0, 0)}, "end is"),
        ({"points": 3}, "points is 3"),
        ({"points": [(0, 1)]}, "points"),
        ({"points": [(0, 1, 2)], "length": 3.0}, "length is 3 and points"),
        ({"length": 1.0}, "2 m apart"),
        ({"end": (0, 0, 0)}, "at the same point"),
        ({"from_": "nobody"}, "no body 'nobody'"),
        ({"from_": ("world", (1, 2))}, "from_"),
        ({"from_": ("world", (1, 2, 3), 4)}, "from_"),
        ({"clamped": True}, "clamped"),
        ({"axial_stiffness": 0.0}, "axial_stiffness is 0"),
        ({"collides": "no"}, "collides"),
        ({"friction": -0.1}, "friction"),
        ({"group": 3}, "group"),
    ],
)
def test_what_makes_no_cable_is_said_in_one_line(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        taut.Scene().add(dataclasses.replace(PLAIN, **wrong), name="line")
    assert "able" in str(caught.value) or "body" in str(caught.value)


@pytest.mark.parametrize("stiffness", [math.inf, 5e6])
@pytest.mark.parametrize("kind", ["cable", "chain"])
def test_ends_at_one_point_do_not_touch_each_other(kind: str, stiffness: float) -> None:
    """A slack one is put in beside another, from the same point to the same point: they could not part there."""
    scene = taut.Scene()
    scene.add_body("load", taut.shapes.Box(0.3, 0.3, 0.3), mass=100.0, position=(0, 0, -3.15))
    ends = {"from_": "world", "to": ("load", (0, 0, 0.15))}
    scene.add(Cable(**ends, length=3.0, segments=10, axial_stiffness=stiffness), name="c")
    simulation = taut.Simulation(scene)
    simulation.run(0.1)
    slack = Cable(**ends, length=3.2, segments=10, axial_stiffness=stiffness)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with simulation.edit() as edit:
            edit.add(slack if kind == "cable" else Chain(**ends, links=20, pitch=0.16, mass=0.2), name="d")
    for _ in range(20):
        report = simulation.step()
        assert report.status == "solved" and report.solves <= 8
    last = "d/10" if kind == "cable" else "d/20"
    assert {("d/1", "c/1"), (last, "c/10")} <= set(simulation.scene.ignored)


def test_ends_apart_touch_each_other() -> None:
    scene = taut.Scene()
    scene.add_body("load", taut.shapes.Box(0.3, 0.3, 0.3), mass=100.0, position=(0, 0, -3.15))
    for name, side in (("a", 0.0), ("b", 0.05)):
        scene.add(Cable(from_=("world", (side, 0, 0)), to=("load", (side, 0, 0.15)), diameter=0.03), name=name)
    assert not any({"a/1", "b/1"} == set(pair) for pair in scene.ignored)
