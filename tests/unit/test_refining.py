"""Segments of a running cable are split and joined: nothing jolts, and it reads, breaks and is recorded as before."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sample_mechanisms import same_state

import taut
from taut.errors import InputError
from taut.machines import Cable
from taut.machines.segments import lengths_of
from taut.simulation.edit import Edit
from taut.stepping.energy import momentum_of

LENGTH, LEAN, MASS, LOAD, GRAVITY = 4.0, 0.3, 1.25, 200.0, 9.81

Change = Callable[[Edit], None]
CHANGES: dict[str, Change] = {
    "refine": lambda edit: edit.refine("c", 0.2),
    "refine a part": lambda edit: edit.refine("c", 0.14, between=(1.0, 3.0)),
    "coarsen": lambda edit: edit.coarsen("c", 0.8),
    "coarsen a part": lambda edit: edit.coarsen("c", 1.2, between=(0.9, 3.0)),
    "both": lambda edit: (edit.refine("c", 0.1, between=(0.0, 1.0)), edit.coarsen("c", 0.25))[-1],
}
MATERIALS = {
    "hard": {},
    "soft": {"axial_stiffness": 5e6, "bending_stiffness": 20.0, "torsional_stiffness": 15.0},
}
EVERY = pytest.mark.parametrize(("material", "change"), list(itertools.product(MATERIALS, CHANGES)), ids=str)


def swinging(material: str, **options: object) -> taut.Simulation:
    """A load on a taut cable of 10 segments that swings from one side."""
    scene = taut.Scene(collisions=False)
    side, down = LENGTH * math.sin(LEAN), LENGTH * math.cos(LEAN)
    scene.add_body("load", taut.shapes.Box(0.3, 0.3, 0.3), mass=LOAD, position=(side, 0, -down - 0.15))
    cable = Cable(
        from_="world", to=("load", (0, 0, 0.15)), length=LENGTH, segments=10, mass_per_length=MASS,
        breaking_force=5e4, **MATERIALS[material],
    )  # fmt: skip
    scene.add(cable, name="c")
    return taut.Simulation(scene, **options)


def changed(simulation: taut.Simulation, change: Change) -> None:
    """Make an edit."""
    with simulation.edit() as edit:
        change(edit)


def speeds(simulation: taut.Simulation, frames: int) -> np.ndarray:
    """Velocities (frames, 3) of the load."""
    found = []
    for _ in range(frames):
        report = simulation.step()
        assert report.status == "solved" and not report.unconverged
        found.append(simulation.body("load").velocity)
    return np.array(found)


@EVERY
def test_mass_length_and_momentum_stay(material: str, change: str) -> None:
    simulation = swinging(material)
    speeds(simulation, 40)
    view = simulation.part("c")
    before, books = np.ravel(momentum_of(simulation.stepper.mechanism, simulation.state)), (view.mass, view.length)
    stretched = view.stretched_length
    changed(simulation, CHANGES[change])
    after = np.ravel(momentum_of(simulation.stepper.mechanism, simulation.state))
    assert np.abs(after - before).max() <= 1e-12 * np.abs(before).max()
    assert (view.mass, view.length) == pytest.approx(books, rel=1e-14)
    assert view.stretched_length == pytest.approx(stretched, abs=6e-6), "of 4 m"


@EVERY
def test_a_taut_swinging_cable_goes_on_without_a_jolt(material: str, change: str) -> None:
    """Velocities are off by less than 0.15 % of the largest from those of the cable that was left alone."""
    plain, edited = swinging(material), swinging(material)
    expected, found = speeds(plain, 60), [*speeds(edited, 40)]
    changed(edited, CHANGES[change])
    assert (edited.state.history[1:] == 1).all(), "nobody starts anew"
    found += [*speeds(edited, 20)]
    assert np.abs(np.array(found) - expected).max() < 1.5e-3 * np.linalg.norm(expected, axis=1).max()
    assert edited.part("c").tensions.max() == pytest.approx(plain.part("c").tensions.max(), rel=0.02)


@pytest.mark.parametrize("stiffness", [math.inf, 5e6])
@pytest.mark.parametrize("change", ["refine", "refine a part", "coarsen", "both"])
def test_a_cable_that_hangs_in_a_bow_goes_on_without_a_jolt(stiffness: float, change: str) -> None:
    """New segments lie on a line of nodes as far apart as they are long: no joint opens, and hardly anything moves."""
    scene = taut.Scene(collisions=False)
    cable = Cable(from_="world", to=("world", (2, 0, 0)), length=LENGTH, segments=10, axial_stiffness=stiffness)
    scene.add(cable, name="c")
    simulation = taut.Simulation(scene)
    simulation.run(0.1)
    changed(simulation, CHANGES[change])
    for frame in range(3):
        report = simulation.step()
        assert report.status == "solved" and report.solves <= 2 and report.violation < 1e-6
        assert np.abs(simulation.state.velocity[:, :3]).max() < 0.06 * (frame + 1), "it falls into its new balance"


def hanging(**options: object) -> taut.Simulation:
    """A load at rest on a cable that stretches by 1 %."""
    scene = taut.Scene(collisions=False)
    stretched = LENGTH * (1.0 + 0.01 * (1.0 + 0.5 * MASS * LENGTH / LOAD))
    scene.add_body("load", mass=LOAD, inertia=(2, 2, 2), position=(0, 0, -stretched))
    material = {"axial_stiffness": LOAD * GRAVITY / 0.01, "bending_stiffness": 20.0, "torsional_stiffness": 15.0}
    cable = Cable(from_="world", to="load", length=LENGTH, segments=8, mass_per_length=MASS, **material, **options)
    scene.add(cable, name="c")
    simulation = taut.Simulation(scene)
    simulation.run(0.2)
    return simulation


def test_segments_of_many_lengths_read_as_the_closed_form() -> None:
    """Tension in the middle of a segment: the load and the cable below it. Nothing moves at any edit."""
    simulation = hanging()
    height = simulation.body("load").position[2]
    view = simulation.part("c")
    for change in (
        lambda edit: edit.refine("c", 0.13, between=(0.6, 1.4)),
        lambda edit: edit.coarsen("c", 1.6, between=(2.0, 4.0)),
        lambda edit: edit.refine("c", 0.3, between=(0.0, 0.5)),
    ):
        changed(simulation, change)
        simulation.run(0.5)
        lengths = view.lengths
        below = lengths.sum() - np.cumsum(lengths) + 0.5 * lengths
        assert view.tensions == pytest.approx((LOAD + MASS * below) * GRAVITY, rel=3e-6)
        assert view.end_tensions == pytest.approx(np.array([LOAD + MASS * LENGTH, LOAD]) * GRAVITY, rel=3e-6)
        stretched = LENGTH + (LOAD + 0.5 * MASS * LENGTH) * GRAVITY * LENGTH / view.part.axial_stiffness
        assert view.stretched_length == pytest.approx(stretched, abs=1e-6)
        assert simulation.body("load").position[2] == pytest.approx(height, abs=3e-7)
    assert len(set(np.round(view.lengths, 6))) >= 4 and view.curvature.shape == (len(view.segments) - 1,)


@pytest.mark.parametrize("change", ["refine", "coarsen"])
def test_bend_and_twist_go_on(change: str) -> None:
    """A clamped cable whose end is bent to a quarter circle and twisted keeps its energy and its moment."""
    scene = taut.Scene(collisions=False, gravity=(0, 0, 0))
    angle = np.linspace(0.0, 0.5 * math.pi, 13)
    points = np.column_stack([1.0 - np.cos(angle), 0 * angle, np.sin(angle)])
    scene.add_body("hub", mass=50.0, inertia=(5, 5, 5), position=points[-1])
    cable = Cable(
        from_=("world", tuple(points[0])), to="hub", points=points[1:-1], segments=12, mass_per_length=MASS,
        axial_stiffness=2e4, bending_stiffness=20.0, torsional_stiffness=15.0, clamped=(True, True), damping_ratio=0.5,
    )  # fmt: skip
    scene.add(cable, name="c")
    scene.connect("world", "hub", taut.joints.Revolute(axis=(1, 0, 0), motor=taut.joints.Motor(speed=0.5)), name="turn")
    simulation = taut.Simulation(scene)
    simulation.run(2.0)
    simulation.joint("turn").drive(0.0)
    simulation.run(1.0)
    view = simulation.part("c")
    energy, moment = view.energy, simulation.joint("turn").reaction
    assert energy > 10.0
    changed(simulation, {"refine": lambda e: e.refine("c", 0.07), "coarsen": lambda e: e.coarsen("c", 0.3)}[change])
    assert view.energy == pytest.approx(energy, rel=0.02)
    for _ in range(60):
        simulation.step()
    assert view.energy == pytest.approx(energy, rel=0.02)
    assert simulation.joint("turn").reaction == pytest.approx(moment, abs=0.07 * np.abs(moment).max())


def test_a_string_vibrates_as_before() -> None:
    """Its first frequency is sqrt(T / rho) / 2 L, in n rods (pi / n)^2 / 24 higher: in 8, then 16, then 4."""
    tension, density, span = 1000.0, 1.0, 4.0
    scene = taut.Scene(collisions=False, gravity=(0, 0, 0))
    cable = Cable(
        from_="world", to=("world", (span, 0, 0)), length=span / (1.0 + tension / 1e6), segments=8,
        mass_per_length=density, axial_stiffness=1e6, damping_ratio=0.0,
    )  # fmt: skip
    scene.add(cable, name="c")
    simulation = taut.Simulation(scene, step=1 / 960, integrator="low-damping")
    with simulation.edit() as edit:
        for k, body in enumerate(simulation.part("c").segments):
            shape = math.sin(math.pi * (k + 0.5) / 8)
            slope = math.pi / span * math.cos(math.pi * (k + 0.5) / 8)
            edit.set_velocity(body, (0, 0.02 * shape, 0), (0, 0, 0.02 * slope))
    exact = math.sqrt(tension / density) / (2.0 * span)
    changes: tuple[tuple[int, Change | None], ...] = (
        (8, None), (16, lambda edit: edit.refine("c", 0.26)), (4, lambda edit: edit.coarsen("c", 1.0)),
    )  # fmt: skip
    for count, change in changes:
        if change is not None:
            changed(simulation, change)
        assert len(simulation.part("c").segments) == count
        heights = []
        for _ in range(round(3.0 * 960 / exact)):
            simulation.step()
            heights.append(simulation.part("c").ends()[0][len(simulation.part("c").segments) // 2, 1])
        up = [k for k in range(1, len(heights)) if heights[k - 1] < 0.0 <= heights[k]]
        when = [k - heights[k] / (heights[k] - heights[k - 1]) for k in (up[0], up[-1])]
        found = (len(up) - 1) / (when[1] - when[0]) * 960
        assert found / exact == pytest.approx(1.0 + (math.pi / count) ** 2 / 24.0, abs=2e-3)
        assert max(heights) == pytest.approx(0.02 / (2.0 * math.pi * exact), rel=0.06), "nothing is lost or stirred up"


def test_it_goes_on_in_recordings_files_and_cuts(tmp_path: Path) -> None:
    simulation, twins = swinging("soft"), []
    todo = {12: CHANGES["refine a part"], 24: CHANGES["coarsen"], 36: lambda edit: edit.cut("c", at=2.0)}

    def edit_on_the_way(share: float) -> None:
        frame = round(48 * share)
        if frame == 24:
            simulation.save(tmp_path / "all.npz")
            twins.append(taut.Simulation.load(tmp_path / "all.npz"))
        for each in (simulation, *twins):
            if frame in todo:
                changed(each, todo[frame])
        for twin in twins:
            twin.step()

    simulation.run(0.8, record=tmp_path / "run.h5", progress=edit_on_the_way)
    simulation.step()  # twins are a frame ahead
    assert same_state(simulation.state, twins[0].state) == [] and twins[0].scene.parts == simulation.scene.parts
    assert simulation.body("load").velocity[2] < -1.0
    recording = taut.Recording.load(tmp_path / "run.h5")
    assert [event.kind for event in recording.events] == ["remeshed", "remeshed", "cut"]
    assert [event.segments for event in recording.events[:2]] == [22, 5]


def test_what_is_joined_to_a_segment_goes_on_with_the_nearest_piece() -> None:
    simulation = swinging("soft")
    with simulation.edit() as edit:
        edit.add_body("clip", mass=2.0, inertia=(0.1, 0.1, 0.1), position=simulation.body("c/4").position)
        edit.attach("c/4", "clip", name="held")
    simulation.run(0.1)
    changed(simulation, lambda edit: edit.refine("c", 0.1))
    where = simulation.body("clip").position
    pieces = simulation.part("c").segments
    gaps = [np.linalg.norm(simulation.body(piece).position - where) for piece in pieces]
    assert simulation.model.links[simulation.model.link_numbers["held"]].spec is not None
    assert min(gaps) < 0.06
    simulation.run(0.3)
    assert simulation.report.violation < 1e-6


def test_joint_coordinates_go_on() -> None:
    plain, edited = (swinging("hard", coordinates="reduced") for _ in range(2))
    expected, _ = speeds(plain, 30), speeds(edited, 20)
    changed(edited, CHANGES["refine"])
    assert speeds(edited, 10) == pytest.approx(expected[20:], abs=1e-3)


@pytest.mark.parametrize("count", [4, 16])
def test_pairs_that_do_not_touch_are_as_many_as_segments(count: int) -> None:
    """Pieces touch each other as segments do, but for neighbours, which are joined, and not the load."""
    scene = taut.Scene()
    scene.add_body("load", taut.shapes.Box(0.3, 0.3, 0.3), mass=LOAD, position=(0, 0, -LENGTH - 0.15))
    cable = Cable(from_="world", to=("load", (0, 0, 0.15)), length=LENGTH, segments=10, diameter=0.01)
    scene.add(cable, name="c")
    simulation = taut.Simulation(scene)
    simulation.run(0.1)
    changed(simulation, lambda edit: edit.refine("c", 0.4 / count))
    assert len(simulation.part("c").segments) == 10 * count
    assert len(simulation.scene.ignored) <= count, "of the segment at the load"
    assert all("load" in pair for pair in simulation.scene.ignored)
    speeds(simulation, 10)
    assert not simulation.contacts


def test_nothing_to_do_is_no_edit() -> None:
    simulation = swinging("soft")
    speeds(simulation, 3)
    before = simulation.state
    changed(simulation, lambda edit: (edit.refine("c", 0.4), edit.coarsen("c", 0.7))[-1])
    assert simulation.state is before and not simulation.events


def test_what_became_of_a_segment_is_none_any_more() -> None:
    """A segment that was split by hand is lost to the cable; its joints hold what it became."""
    simulation = swinging("soft")
    speeds(simulation, 3)
    with simulation.edit() as edit:
        half = {"mass": 0.25, "inertia": (0.003, 0.003, 0.001)}
        ends = {"up": half | {"position": (0, 0, -0.1)}, "down": half | {"position": (0, 0, 0.1)}}
        edit.split_body("c/4", ends, joints={"c/joint-3": "up", "c/joint-4": "down"})
        edit.attach("up", "down")
    changed(simulation, lambda edit: edit.refine("c", 0.2))
    changed(simulation, lambda edit: edit.coarsen("c", 10.0))
    view = simulation.part("c")
    assert lengths_of(view.handle, view.bodies) == pytest.approx([1.2, 2.4])
    assert view.lengths == pytest.approx([1.2]), "a cable reads as the piece at its start"
    speeds(simulation, 3)


def test_a_cable_in_two_pieces_is_joined_on_each_side_only() -> None:
    simulation = swinging("soft")
    simulation.part("c").cut(at=2.0)
    changed(simulation, lambda edit: edit.coarsen("c", 10.0))
    view = simulation.part("c")
    assert lengths_of(view.handle, view.bodies) == pytest.approx([2.0, 2.0])
    assert view.lengths == pytest.approx([2.0])
    speeds(simulation, 5)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda edit: edit.refine("d", 0.1), "there is no part 'd'.*there are: c"),
        (lambda edit: edit.refine("c", 0.0), "refine 'c': segment_length is 0"),
        (lambda edit: edit.refine("c", 0.01), "segment_length is 0.01; it must be the diameter of 0.02 m at least"),
        (lambda edit: edit.coarsen("c", 1.0, between=(2, 1)), "coarsen .c.: between is .*lower must not be above"),
        (lambda edit: edit.refine("c", 0.1, between=(50, 60)), "refine 'c': between is 50 to 60; .* at 3.8 of 4 m"),
        (lambda edit: edit.coarsen("c", 1.0, between=(0.9, 0.95)), "coarsen 'c': between is 0.9 to 0.95; .* at 1 of 4"),
    ],
)  # fmt: skip
def test_mistakes_are_said(change: Change, text: str) -> None:
    simulation = swinging("soft")
    before = simulation.state, simulation.scene
    with pytest.raises(InputError, match=text):
        changed(simulation, change)
    assert (simulation.state, simulation.scene) == before
