"""Contact forces as results: which bodies touch, where, with what force, and how they slide."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sample_mechanisms import GRAVITY, MASS, advance

import taut
from taut.contact.memory import ContactMemory, changes
from taut.errors import InputError
from taut.shapes import Box, Sphere

EDGE = 0.4


def on_the_ground(shape: taut.shapes.Shape | None = None, friction: float = 0.5, **body: object) -> taut.Simulation:
    """A body of 2 kg, by default a box, on the ground z = 0."""
    scene = taut.Scene(friction=friction)
    scene.add_plane((0, 0, 1), 0.0)
    scene.add_body("b", shape or Box(EDGE, EDGE, EDGE), **({"mass": MASS, "position": (0, 0, EDGE / 2)} | body))
    return taut.Simulation(scene)


def stack() -> taut.Simulation:
    """A heavy box on a light one, at rest on the ground, and a ball far above it."""
    scene = taut.Scene()
    scene.add_plane((0, 0, 1), 0.0)
    scene.add_body("low", Box(1, 1, 1), mass=1.0, position=(0, 0, 0.5))
    scene.add_body("high", Box(1, 1, 1), mass=50.0, position=(0, 0, 1.5))
    scene.add_body("far", Sphere(0.1), mass=1.0, position=(5, 0, 100))
    simulation = taut.Simulation(scene)
    advance(simulation, 0.5)
    return simulation


def test_nothing_touches_before_the_first_step_or_without_shapes() -> None:
    scene = taut.Scene()
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1))
    simulation = taut.Simulation(scene)
    simulation.step()
    assert len(simulation.contacts) == len(simulation.body("b").contacts) == 0
    assert len(on_the_ground().contacts) == 0
    assert simulation.report.contacts == simulation.report.flicker == 0 and simulation.report.penetration == 0.0


def test_a_box_at_rest_is_carried_at_its_corners() -> None:
    simulation = on_the_ground()
    advance(simulation, 0.5)
    contacts = simulation.contacts
    assert len(contacts) == 4 == simulation.report.contacts
    assert contacts.body_a == ["world"] * 4 and contacts.body_b == ["b"] * 4
    assert contacts.normal == pytest.approx(np.tile([0, 0, 1], (4, 1)), abs=1e-9)
    assert np.abs(contacts.point[:, :2]) == pytest.approx(np.full((4, 2), EDGE / 2), abs=1e-6)
    assert contacts.point[:, 2] == pytest.approx(np.zeros(4), abs=1e-6)
    assert contacts.force.sum(axis=0) == pytest.approx([0, 0, MASS * GRAVITY], abs=1e-6)
    assert contacts.normal_force == pytest.approx(np.full(4, MASS * GRAVITY / 4), rel=1e-4)
    assert contacts.impulse == pytest.approx(contacts.force / 60)
    assert not contacts.sliding.any()
    assert simulation.report.penetration == pytest.approx(-contacts.gap.min(), abs=1e-9)
    assert 0.0 < simulation.report.penetration < 1e-6


def test_contacts_of_a_body_are_what_acts_on_it() -> None:
    simulation = stack()
    weights = {"low": 1.0 * GRAVITY, "high": 50.0 * GRAVITY, "world": -51.0 * GRAVITY}
    for name, weight in weights.items():
        own = simulation.contacts.of(name)
        assert set(own.body_b) == {name} and name not in own.body_a
        assert own.force.sum(axis=0) == pytest.approx([0, 0, weight], abs=1e-3)
        assert (own.normal_force > 0.0).all(), "normals point to the body"
    below = simulation.body("low").contacts
    assert sorted(set(below.body_a)) == ["high", "world"]
    assert len(simulation.body("far").contacts) == 0
    assert len(simulation.contacts) == 8


def test_a_table_is_a_sequence_of_points() -> None:
    contacts = stack().contacts
    points = list(contacts)
    assert len(points) == len(contacts) == 8
    for index, point in enumerate(points):
        assert (point.body_a, point.body_b) == (contacts.body_a[index], contacts.body_b[index])
        assert point.force.tolist() == contacts.force[index].tolist()
        assert point.normal_force == contacts.normal_force[index] and point.gap == contacts.gap[index]
        assert point.sliding is False
    assert contacts[-1].point.tolist() == points[-1].point.tolist()
    with pytest.raises(IndexError):
        contacts[8]


def test_wrong_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'high'"):
        stack().contacts.of("hihg")


@pytest.mark.parametrize("direction", [(1.0, 0.0), (-0.6, 0.8)])
def test_friction_holds_back_what_slides(direction: tuple[float, float]) -> None:
    """Coulomb: the tangential force is mu N against the slip, on either body."""
    along = np.array([*direction, 0.0])
    simulation = on_the_ground(friction=0.3, velocity=2.0 * along)
    advance(simulation, 0.2)
    contacts, speed = simulation.contacts, simulation.body("b").velocity
    assert contacts.sliding.all()
    assert contacts.slip == pytest.approx(np.tile([*speed[:2], 0.0], (len(contacts), 1)), abs=1e-3)
    assert contacts.force.sum(axis=0) == pytest.approx(MASS * GRAVITY * ([0, 0, 1] - 0.3 * along), abs=1e-3)
    turned = contacts.of("world")
    assert turned.slip == pytest.approx(-contacts.slip) and turned.force == pytest.approx(-contacts.force)


def test_a_rolling_ball_does_not_slip() -> None:
    simulation = on_the_ground(Sphere(0.2), position=(0, 0, 0.2), velocity=(1, 0, 0), angular_velocity=(0, 5, 0))
    advance(simulation, 0.5)
    contacts = simulation.contacts
    assert len(contacts) == 1 and not contacts.sliding.any()
    assert contacts.point[0] == pytest.approx([simulation.body("b").position[0], 0, 0], abs=1e-6)


def test_contacts_belong_to_the_state() -> None:
    simulation, other = stack(), stack()
    kept, expected = simulation.state.copy(), simulation.contacts
    other.step()
    other.restore(kept)
    for name in ("point", "normal", "gap", "force", "slip"):
        assert np.array_equal(getattr(other.contacts, name), getattr(expected, name)), name


def memory(simulation: taut.Simulation, keep: list[int], acting: list[bool]) -> ContactMemory:
    """Some of the contacts of a simulation, of which some carry a force."""
    own, chosen = simulation.state.contacts, np.array(keep, int)
    arrays = {name: values[chosen] for name, values in vars(own).items() if name != "contacts"}
    arrays["force"] = np.array(acting, float).reshape(-1, 1) * np.ones((1, 6))
    return ContactMemory(own.contacts.take(chosen), **arrays)


@pytest.mark.parametrize(("before", "after", "changed"), [
    (([0, 1, 2, 3], [True] * 4), ([0, 1, 2, 3], [True] * 4), 0),
    (([0, 1, 2, 3], [True] * 4), ([0, 1, 3], [True] * 3), 1),
    (([0, 1], [True, True]), ([0, 1, 2, 3], [True] * 4), 2),
    (([0, 1, 2, 3], [True, True, False, False]), ([0, 1, 2, 3], [True, False, True, False]), 2),
    (([0, 1], [True, True]), ([2, 3], [True, True]), 4),
    (([], []), ([0, 1, 2], [True] * 3), 3),
    (([0, 1, 2], [True] * 3), ([], []), 3),
    (([0, 1], [False, False]), ([0, 1], [False, False]), 0),
])  # fmt: skip
def test_flicker_counts_contacts_that_began_or_ceased(before: tuple, after: tuple, changed: int) -> None:
    simulation = on_the_ground()
    advance(simulation, 0.1)
    radius = simulation.model.geoms.radius
    bodies, count = changes(memory(simulation, *before), memory(simulation, *after), radius, 2)
    assert count == changed and bodies.tolist() == [changed > 0] * 2


def test_flicker_is_reported_when_bodies_land_and_not_at_rest() -> None:
    simulation = on_the_ground(position=(0, 0, EDGE / 2 + 0.05))
    reports = [simulation.step() for _ in range(60)]
    landed = next(index for index, report in enumerate(reports) if report.contacts)
    assert not any(report.flicker for report in reports[:landed])
    assert reports[landed].flicker == reports[landed].contacts > 0
    assert not any(report.flicker for report in reports[-20:])


def test_recorded_contacts_are_those_of_the_simulation(tmp_path) -> None:
    simulation = on_the_ground(position=(0, 0, EDGE / 2 + 0.02))
    tables = []
    recording = simulation.run(0.5, tmp_path / "run.h5", lambda share: tables.append(simulation.contacts))
    counts = [0] + [len(table) for table in tables]
    for kept in (recording, taut.Recording.load(tmp_path / "run.h5")):
        assert [len(kept.contacts(frame)) for frame in range(31)] == counts == kept.column("contacts").tolist()
        for frame in (1, 10, 30):
            table, expected = kept.contacts(frame), tables[frame - 1]
            assert table.body_a == expected.body_a and table.body_b == expected.body_b
            assert np.array_equal(table.point, expected.point)
            for name in ("normal", "gap", "force", "slip", "impulse"):
                assert getattr(table, name) == pytest.approx(getattr(expected, name), rel=1e-6, abs=1e-9), name
        assert kept.contacts(-1).of("b").force.sum(axis=0) == pytest.approx([0, 0, MASS * GRAVITY], rel=1e-5, abs=1e-3)


def test_tension_of_rods_ropes_and_springs() -> None:
    scene = taut.Scene()
    scene.add_body("b", mass=MASS, inertia=(1, 1, 1), position=(0, 0, -1))
    scene.connect("world", "b", taut.joints.Rope(length=1.0), name="rope")
    scene.add_body("c", mass=1.0, inertia=(1, 1, 1), position=(3, 0, 1))
    scene.connect("world", "c", taut.joints.Distance(point_a=(3, 0, 0)), name="strut")
    scene.add_body("d", mass=3.0, inertia=(1, 1, 1), position=(6, 0, -1))
    scene.add_spring("world", "d", point_a=(6, 0, 0), stiffness=1e4, damping=1e3, name="spring")
    scene.add_body("e", mass=4.0, inertia=(1, 1, 1), position=(9, 0, 0))
    scene.add_spring("world", "e", point_a=(9, 0, 0), stiffness=1e4, damping=1e3, rest_length=0.0, name="knot")
    simulation = taut.Simulation(scene)
    recording = simulation.run(3.0)
    expected = {"rope": MASS, "strut": -1.0, "spring": 3.0, "knot": 4.0}
    for name, mass in expected.items():
        assert simulation.joint(name).tension == pytest.approx(mass * GRAVITY, rel=1e-3), name
        assert recording.joint(name).tension[-1] == simulation.joint(name).tension


def test_other_joints_have_no_tension() -> None:
    scene = taut.Scene()
    scene.add_body("b", mass=MASS, inertia=(1, 1, 1), position=(0, 0, -1))
    scene.connect("world", "b", taut.joints.Spherical(), name="ball")
    simulation = taut.Simulation(scene)
    recording = simulation.run(0.1)
    with pytest.raises(InputError, match="joint 'ball': a Spherical has a reaction but no tension"):
        _ = simulation.joint("ball").tension
    assert recording.joint("ball").tension is None


def test_tables_do_not_change_with_the_simulation() -> None:
    simulation = stack()
    table = simulation.contacts
    kept = replace(table, **{name: getattr(table, name).copy() for name in ("point", "force", "gap")})
    simulation.body("high").apply(force=(0, 0, 400.0))
    advance(simulation, 0.2)
    for name in ("point", "force", "gap"):
        assert np.array_equal(getattr(table, name), getattr(kept, name)), name
