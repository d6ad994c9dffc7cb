"""What is seen: surfaces, colours, marks and arrows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import taut
from taut import spatial
from taut.errors import InputError
from taut.problem.solution import AT_LOWER, AT_UPPER
from taut.view.batches import (
    LONGEST,
    Batch,
    Look,
    along,
    arrow_batches,
    ball,
    batches,
    chosen_batch,
    coil,
    cone,
    none,
    tube,
)
from taut.view.colours import (
    COLOURINGS,
    OPEN,
    SLIDING,
    STANDING,
    STICKING,
    body_colours,
    contact_colours,
    group_labels,
    islands,
    partition,
    rounded_up,
    tension_colours,
    tensions,
)
from taut.view.frame import Frame, drawing_of, frame_at, frame_of

ALL = Look(joints=True, contacts=True, forces=True, reactions=True)


def two_piles() -> taut.Scene:
    """Two separate pairs of boxes on the ground, the second pair tied to the world by a rope, and a fixed box."""
    scene = taut.Scene(name="piles")
    scene.add_plane()
    for pile, x in enumerate((0.0, 5.0)):
        for level in range(2):
            box = taut.shapes.Box(1, 1, 1)
            scene.add_body(f"{pile}{level}", box, mass=1.0 + 9 * level, position=(x, 0, 0.5 + level))
    scene.add_body("wall", taut.shapes.Box(1, 1, 1), fixed=True, position=(10, 0, 0.5))
    scene.connect("world", "11", taut.joints.Rope((5, 0, 4), (0, 0, 0.5), length=3.0), name="rope")
    return scene


@pytest.fixture(scope="module")
def standing() -> tuple[taut.Simulation, Frame]:
    simulation = taut.Simulation(two_piles())
    for _ in range(5):
        simulation.step()
    return simulation, frame_of(simulation)


def named(seen: list[Batch], name: str) -> Batch:
    return next(batch for batch in seen if batch.name == name)


def test_what_is_chosen_is_seen_whole(standing: tuple[taut.Simulation, Frame]) -> None:
    simulation, frame = standing
    (line,) = (batch for batch in batches(simulation.drawing, frame, Look()) if batch.name == "ropes")
    chosen = chosen_batch(simulation.drawing, frame, 0)
    assert chosen.positions.tolist() == line.positions.tolist() and chosen.scales[0, 2] == line.scales[0, 2]
    assert chosen.scales[0, 0] > line.scales[0, 0] and chosen.links.tolist() == [0] and chosen.on_top
    gone = chosen_batch(simulation.drawing, replace(frame, joined=np.zeros(1, bool)), 0)
    assert len(gone.positions) == len(gone.links) == len(gone.colours) == 0


def test_bodies_are_where_they_are(standing: tuple[taut.Simulation, Frame]) -> None:
    simulation, frame = standing
    bodies = named(batches(simulation.drawing, frame, Look()), "bodies/0")
    for place, turn, body in zip(bodies.positions, bodies.orientations, bodies.bodies, strict=True):
        view = simulation.body(simulation.drawing.body_names[body])
        assert place == pytest.approx(view.position) and turn == pytest.approx(view.orientation)


def test_the_same_batches_come_in_every_frame(standing: tuple[taut.Simulation, Frame]) -> None:
    simulation, frame = standing
    later, drawing = frame_of(simulation), simulation.drawing
    first, second = (batches(drawing, each, ALL) for each in (frame, later))
    assert [batch.name for batch in first] == [batch.name for batch in second]
    assert all(one.surface is other.surface for one, other in zip(first, second, strict=True))
    assert {"ropes", "joints", "contacts", "forces/shaft", "reactions/head"} <= {batch.name for batch in first}
    assert {batch.name for batch in batches(simulation.drawing, frame, Look())} == {"bodies/0", "ropes"}


def test_arrows_are_as_long_as_forces_times_the_scale(standing: tuple[taut.Simulation, Frame]) -> None:
    simulation, frame = standing
    seen = batches(simulation.drawing, frame, replace(ALL, force_scale=0.01))
    shaft, head = named(seen, "forces/shaft"), named(seen, "forces/head")
    assert shaft.scales[:, 2] + head.scales[:, 2] == pytest.approx(0.01 * np.linalg.norm(frame.contacts.force, axis=1))
    largest = np.linalg.norm(frame.contacts.force, axis=1).argmax()
    up = spatial.rotate(head.orientations[largest], (0, 0, 1))
    force = frame.contacts.force[largest]
    assert up == pytest.approx(force / np.linalg.norm(force), abs=1e-9)


def test_the_longest_arrow_is_seen_well_and_starts_at_the_second_body(standing: tuple[taut.Simulation, Frame]) -> None:
    simulation, frame = standing
    drawing = simulation.drawing
    seen = batches(drawing, frame, ALL)
    longest = (named(seen, "forces/shaft").scales + named(seen, "forces/head").scales)[:, 2].max()
    assert 0.5 * LONGEST * drawing.unit < longest <= LONGEST * drawing.unit
    box = simulation.body("11")
    assert named(seen, "reactions/shaft").positions[0] == pytest.approx(box.position + (0, 0, 0.5), abs=1e-6)


def test_a_joint_of_three_bodies_makes_one_island() -> None:
    scene = taut.Scene(collisions=False)
    for number in range(3):
        scene.add_body(f"wheel-{number}", taut.shapes.Sphere(0.1), mass=1.0, position=(number, 0, 0))
        scene.connect("world", f"wheel-{number}", taut.joints.Revolute(axis=(0, 0, 1)))
    scene.connect("wheel-0", "wheel-1", taut.joints.Differential(other="wheel-2"))
    simulation = taut.Simulation(scene)
    assert len(set(islands(simulation.drawing, frame_of(simulation))[1:])) == 1


def test_rows_at_either_bound_are_tight() -> None:
    simulation = taut.Simulation(taut.scenes.build("parallel_arm"))
    labels = np.zeros_like(simulation.state.index_set)
    first = simulation.meter.row_link == 0
    labels[np.flatnonzero(first)[0]], labels[np.flatnonzero(first)[1]] = AT_LOWER, AT_UPPER
    assert simulation.meter.tight(labels)[0] == 2 and simulation.meter.tight(labels)[1:].sum() == 0


def test_islands_are_what_contacts_and_joints_connect(standing: tuple[taut.Simulation, Frame]) -> None:
    simulation, frame = standing
    number = dict(zip(simulation.drawing.body_names, islands(simulation.drawing, frame), strict=True))
    assert number["00"] == number["01"] and number["10"] == number["11"] and number["00"] != number["10"]


@pytest.mark.parametrize("colouring", COLOURINGS)
def test_fixed_bodies_are_grey_in_every_colouring(colouring: str, standing: tuple[taut.Simulation, Frame]) -> None:
    simulation, frame = standing
    bodies = named(batches(simulation.drawing, frame, Look(colouring)), "bodies/0")
    grey = (bodies.colours == STANDING.astype(np.uint8)).all(axis=1)
    assert [simulation.drawing.body_names[body] for body in bodies.bodies[grey]] == ["wall"]


def test_bodies_in_a_line_are_coloured_by_their_tension() -> None:
    scene = taut.Scene()
    scene.add_body("load", taut.shapes.Box(0.2, 0.2, 0.2), mass=50.0, position=(0, 0, -1.1))
    scene.add(taut.machines.Cable(from_="world", to=("load", (0, 0, 0.1)), segments=4), name="line")
    simulation = taut.Simulation(scene)
    simulation.run(0.2, record=False)
    found = tensions(simulation.drawing, frame_of(simulation))
    np.testing.assert_allclose(found[2:], simulation.part("line").tensions, rtol=1e-9)
    simulation.part("line").cut(at=0.5)
    simulation.run(0.1, record=False)
    colours = body_colours(simulation.drawing, frame_of(simulation), "tension").astype(int)
    assert (colours[2] != colours[5]).any() and (colours[2, 0] > colours[2, 2]).all()


def test_joints_that_are_gone_pull_at_nothing() -> None:
    scene = taut.Scene()
    scene.add_body("load", taut.shapes.Box(0.2, 0.2, 0.2), mass=50.0, position=(0, 0, -1.1))
    scene.add(taut.machines.Cable(from_="world", to=("load", (0, 0, 0.1)), segments=4), name="line")
    simulation = taut.Simulation(scene)

    def cut_once(share: float) -> None:
        if share == 0.5:
            simulation.part("line").cut(at=0.5)

    recording = simulation.run(0.2, progress=cut_once)
    assert len(recording.events) == 1
    found = tensions(drawing_of(recording), frame_at(recording, len(recording) - 1))
    np.testing.assert_allclose(found[1:], tensions(simulation.drawing, frame_of(simulation))[1:], rtol=1e-9, atol=1e-9)
    assert found[2] > 0.0


def test_bodies_of_one_part_have_one_colour() -> None:
    simulation = taut.Simulation(taut.scenes.build("hanging_chain", links=64))
    drawing, frame = simulation.drawing, frame_of(simulation)
    part, colours = partition(drawing, frame), body_colours(drawing, frame, "partition").astype(int)
    assert part[0] == -1 and part.max() > 0 and part[1:].min() == 0
    assert np.count_nonzero(np.diff(part[1:])) == part.max(), "a chain is cut here and there"
    for number in range(part.max() + 1):
        assert len({*map(tuple, colours[part == number])}) == 1
    assert len({*map(tuple, colours[1:])}) == min(part.max() + 1, 9)


def test_what_touches_nothing_is_in_no_part() -> None:
    scene = two_piles()
    scene.add_body("far", taut.shapes.Sphere(0.1), mass=1.0, position=(0, 20, 5))
    simulation = taut.Simulation(scene)
    simulation.step()
    part = partition(simulation.drawing, frame_of(simulation))
    names = simulation.drawing.body_names
    assert [name for name in names if part[names.index(name)] < 0] == ["world", "wall", "far"]


def test_a_wrong_colouring_lists_the_right_ones(standing: tuple[taut.Simulation, Frame]) -> None:
    simulation, frame = standing
    with pytest.raises(InputError, match="colour.*'rainbow'.*body.*island"):
        batches(simulation.drawing, frame, Look("rainbow"))


def test_joints_can_be_seen_on_thin_links() -> None:
    simulation = taut.Simulation(taut.scenes.build("hanging_chain", links=5))
    seen = batches(simulation.drawing, frame_of(simulation), Look(joints=True))
    link, mark = named(seen, "bodies/0").surface.points, named(seen, "joints")
    assert mark.scales.min() > np.hypot(link[:, 0], link[:, 1]).max()


def test_the_mark_of_a_rope_with_a_bend_is_on_the_rope() -> None:
    scene = taut.Scene()
    scene.add_body("load", taut.shapes.Box(0.2, 0.2, 0.2), mass=1.0, position=(2.0, 0.0, -2.0))
    stops = [taut.joints.attach("world"), taut.joints.pinhole("world", (2.0, 0.0, 0.0)), taut.joints.attach("load")]
    scene.connect("world", "load", taut.joints.Route(stops), name="rope")
    simulation = taut.Simulation(scene)
    seen = batches(simulation.drawing, frame_of(simulation), Look(joints=True))
    np.testing.assert_allclose(named(seen, "joints").positions, [(2.0, 0.0, 0.0)], atol=1e-12)


def test_contacts_are_coloured_by_their_index_set(standing: tuple[taut.Simulation, Frame]) -> None:
    _, frame = standing
    assert (contact_colours(frame) == STICKING).all()
    labels = np.zeros((len(frame.contacts), 3), int)
    labels[0, 2], labels[1, 1], labels[2, 0] = AT_UPPER, AT_LOWER, AT_LOWER
    colours = contact_colours(replace(frame, contacts=replace(frame.contacts, index_set=labels)))
    assert colours[:4].tolist() == [list(SLIDING), list(SLIDING), list(OPEN), list(STICKING)]


def test_pull_is_red_push_is_blue_and_nothing_is_grey() -> None:
    pull, push, slack, other = tension_colours(np.array([1e3, -1e3, 0.0, np.nan])).astype(int)
    assert pull[0] > 2 * pull[2] and push[2] > 2 * push[0]
    assert np.ptp(slack) == 0 and slack.tolist() == other.tolist()


@pytest.mark.parametrize("line", [(0, 0, 2.0), (0, 0, -2.0), (1, 2, 3), (-1e-12, 0, -1), (0, 0, 0)])
def test_tubes_reach_from_end_to_end(line: tuple[float, float, float]) -> None:
    start, colours = np.array([[1.0, 2.0, 3.0]]), np.zeros((1, 3), np.uint8)
    batch = along("tube", tube(), start, np.array([line], float), 0.1, colours, none(start))
    tip = spatial.rotate(batch.orientations[0], batch.scales[0] * (0, 0, 1)) + batch.positions[0]
    assert tip == pytest.approx(start[0] + line, abs=1e-9)


def test_short_arrows_do_not_turn_inside_out() -> None:
    shaft, head = arrow_batches("arrow", np.zeros((2, 3)), np.array([(0, 0, 1e-6), (0, 0, 0)]), 0.1, (1, 2, 3))
    assert (shaft.scales >= 0).all() and (head.scales >= 0).all() and np.isfinite(head.positions).all()


@pytest.mark.parametrize("make", [ball, cone, coil])
def test_marks_turn_outwards(make: Callable[[], taut.shapes.surface.Surface]) -> None:
    corners = make().points[make().triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert np.einsum("ti,ti->", corners.mean(axis=1), normals) > 0.0


@pytest.mark.parametrize(("value", "scale"), [(0.0, 1.0), (1.0, 1.0), (1.1, 2.0), (0.3, 0.5), (np.inf, 1.0)])
def test_scales_are_powers_of_two(value: float, scale: float) -> None:
    assert rounded_up(value) == scale


def grouped(groups: list[str]) -> taut.Simulation:
    """Balls in groups, each hung from the one before, the first from the world."""
    scene = taut.Scene(collisions=False)
    for number, group in enumerate(groups):
        place = (0, 0, -float(number))
        scene.add_body(f"b{number}", taut.shapes.Sphere(0.2), mass=1.0, position=place, group=group)
        scene.connect(scene.bodies[number].name, f"b{number}", taut.joints.Spherical(), at=place)
    return taut.Simulation(scene)


def test_bodies_are_coloured_by_group_as_deep_as_there_are_colours() -> None:
    simulation = grouped(["a/x", "a/y", "b", "a/x"])
    colours = body_colours(simulation.drawing, frame_of(simulation), "group")[1:].tolist()
    assert colours[0] == colours[3] and len({tuple(each) for each in colours}) == 3
    simulation = grouped([f"a/{number}" for number in range(11)] + ["b"])
    colours = body_colours(simulation.drawing, frame_of(simulation), "group")[1:].tolist()
    assert len({tuple(each) for each in colours[:11]}) == 1 and colours[0] != colours[11]
    assert set(group_labels(simulation.drawing).values()) == {"a", "b"}


def test_groups_that_are_hidden_are_not_drawn_nor_what_only_they_hold() -> None:
    simulation = grouped(["crane", "crane/cable", "crane/cable", "crane2"])
    drawing, frame = simulation.drawing, frame_of(simulation)
    shown = {}
    for hidden in ("crane/cable", "crane", "world"):
        seen = batches(drawing, frame, Look(joints=True, hidden=frozenset({hidden})))
        links = named(seen, "joints").links.tolist()
        shown[hidden] = [drawing.body_names[n] for n in named(seen, "bodies/0").bodies], links
    assert shown == {
        "crane/cable": (["b0", "b3"], [0, 1, 3]),
        "crane": (["b3"], [3]),
        "world": (["b0", "b1", "b2", "b3"], [0, 1, 2, 3]),
    }


def test_contacts_of_what_is_hidden_are_not_drawn(standing: tuple[taut.Simulation, Frame]) -> None:
    simulation, frame = standing
    drawing = simulation.drawing
    assert len(named(batches(drawing, frame, Look(contacts=True)), "contacts").positions)
    seen = batches(drawing, frame, Look(contacts=True, hidden=frozenset({"default"})))
    assert not len(named(seen, "contacts").positions)
