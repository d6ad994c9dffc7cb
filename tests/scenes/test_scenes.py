"""Every registered scene: it builds, runs its full length at h = 1/60 and passes its own check, which can fail."""

from __future__ import annotations

import functools
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scene_sizes import LONG, OTHER_SIZES

import taut
from taut import scenes
from taut.results.record import Recording

FOUNDATION = {
    "atwood", "bead_on_wire", "four_bar", "gear_train", "hanging_chain", "heavy_pendulum", "jointed_tower",
    "mass_ladder", "parallel_arm", "snap_chain", "spinning_top",
}  # fmt: skip
CONTACT = {
    "bullet_wall", "cable_spinner", "capstan", "card_house", "chain_drop", "chain_wrap", "dominoes", "heavy_on_light",
    "incline", "log_tower", "net_truck", "newtons_cradle", "parkour", "pinched_capsule", "pushing_arm", "quadruped",
    "ragdoll", "rock_pile", "rolling_sphere", "scree", "sliding_block", "stack_of_boxes", "stayed_bridge",
    "tandem_cranes", "winch",
}  # fmt: skip
SPRINGS = {"closed_chain", "spring_arm", "spring_tree", "stayed_bridge", "umbrella"}
TREES = {
    "knife_edge", "linkages", "long_chain", "planar_tree", "ragdoll", "spatial_tree", "star", "wheel_coupling",
}  # fmt: skip
ROBOTS = {"pushing_arm", "quadruped", "robot_arm"}


@functools.cache
def recorded(name: str, **parameters: object) -> Recording:
    """A full-length run with default settings, shared by the tests that look at it."""
    return taut.Simulation(scenes.build(name, **parameters)).run(scenes.get(name).duration)


@pytest.mark.parametrize("name", scenes.names())
def test_entry_is_complete(name):
    entry = scenes.get(name)
    assert entry.name == name
    assert entry.summary.endswith(".") and entry.__doc__.startswith(entry.summary)
    assert entry.duration > 0.0
    assert all(type(default) in (bool, int, float, str) for default in entry.parameters.values())
    assert entry.build.__doc__ and entry.check.__doc__
    assert all(note for note in entry.notes.values()), entry.notes


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in scenes.names()]
)
def test_full_run_passes_check(name):
    scenes.get(name).check(recorded(name))


@pytest.mark.parametrize(("name", "duration", "parameters"), OTHER_SIZES)
def test_other_sizes_pass_check(name, duration, parameters):
    recording = taut.Simulation(scenes.build(name, **parameters)).run(duration)
    scenes.get(name).check(recording)


@pytest.mark.parametrize("name", scenes.names())
def test_check_rejects_an_open_joint(name):
    recording = taut.Simulation(scenes.build(name)).run(2 / 60)
    recording.reports["violation"][-1] = 0.5
    with pytest.raises(AssertionError, match="violation"):
        scenes.get(name).check(recording)


@pytest.mark.parametrize("name", sorted(CONTACT))
def test_check_rejects_bodies_that_overlap(name):
    recording = taut.Simulation(scenes.build(name)).run(2 / 60)
    recording.reports["penetration"][-1] = 0.1
    with pytest.raises(AssertionError, match="penetration"):
        scenes.get(name).check(recording)


@pytest.mark.parametrize(("count", "across"), [(1, 4), (64, 4), (65, 5), (200, 8), (500, 12)])
def test_more_rocks_make_a_wider_field_between_walls_that_fit(count, across):
    scene = scenes.build("rock_pile", rocks=count)
    bodies = {body.name: body for body in scene.bodies}
    rocks = np.array([body.position for name, body in bodies.items() if name.startswith("rock-")])
    assert len(rocks) == count and len(np.unique(rocks[:, 2].round(6))) <= 4
    assert scenes.rock_pile.rocks_across(count) == across
    wall, blade = bodies["right-wall"], bodies["shovel"].shape
    inner = wall.position[1] - 0.5 * wall.shape.y
    assert blade.y == pytest.approx(2.0 * inner) and np.abs(rocks[:, 1]).max() < inner - 0.3
    assert wall.position[0] + 0.5 * wall.shape.x > rocks[:, 0].max() + 3.0
    assert taut.Simulation(scene).report.penetration == 0.0


@pytest.mark.parametrize("change", ["sunk", "lost", "moving"])
def test_scree_rejects_rocks_that_sink_leave_or_never_rest(change):
    recording = taut.Simulation(scenes.build("scree", rocks=2, slope=0.0)).run(scenes.get("scree").duration)
    scenes.get("scree").check(recording)
    rocks = [name.startswith("rock-") for name in recording.info.body_names]
    way = {"sunk": (0, 0, -0.8), "lost": (0, 9.0, 0), "moving": (0, 0.05, 0)}[change]
    recording.positions[-1, rocks] += way
    words = {"sunk": "under the ground", "lost": "beyond the edge", "moving": "still are at"}[change]
    with pytest.raises(AssertionError, match=words):
        scenes.get("scree").check(recording)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("rolling_sphere", {"friction": 0.01}),
        ("sliding_block", {"friction": 0.4}),
        ("incline", {"margin": -0.1}),
        ("pinched_capsule", {"force": 2.0}),
        ("newtons_cradle", {"restitution": 0.5}),
        ("card_house", {"friction": 0.05}),
        ("dominoes", {"spacing": 0.06}),
        ("capstan", {"ratio": 2.5}),
    ],
)
def test_check_rejects_a_wrong_motion_with_contacts(name, change):
    # the motion of other parameters, which a recording says it does not have
    scene = changed(name, change)
    recording = taut.Simulation(scene).run(scenes.get(name).duration)
    with pytest.raises(AssertionError):
        scenes.get(name).check(recording)


def changed(name: str, change: dict[str, float]) -> taut.Scene:
    """A scene built with other parameters than it says; a margin below 0 is made by swapping the blocks' names."""
    if name == "incline":
        scene = scenes.build(name)
        stuck, sliding = scene.bodies[-2:]
        stuck.friction, sliding.friction = sliding.friction, stuck.friction
    else:
        scene = scenes.build(name, **change)
    scene.parameters = dict(scenes.get(name).parameters)
    return scene


@pytest.mark.parametrize(
    "name",
    [
        "atwood",
        "bead_on_wire",
        "gear_train",
        "heavy_pendulum",
        "inextensible_pendulum",
        "knife_edge",
        "parallel_arm",
        "rod",
        "spinning_top",
    ],
)
def test_check_rejects_a_wrong_motion(name):
    scene = scenes.build(name)
    scene.gravity = scene.gravity * 0.9
    scene.links = [link for link in scene.links if name != "parallel_arm" or link.name != "world-upper-arm"]
    recording = taut.Simulation(scene).run(scenes.get(name).duration)
    with pytest.raises(AssertionError, match="error of|turn of|energy|missed"):
        scenes.get(name).check(recording)


def without_pulls(scene: taut.Scene) -> None:
    scene.links = [link for link in scene.links if not link.name.startswith("pull-")]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("star", lambda scene: scene.add_load("hub", force=(1.0, 0.0, 0.0))),
        ("wheel_coupling", lambda scene: scene.links.pop()),
        ("linkages", lambda scene: scene.connect("world", "DC", taut.joints.Revolute(axis=(0, 1, 0), friction=1e6))),
        ("planar_tree", lambda scene: scene.add_load("rod-54", force=(0.0, 1.0, 0.0))),
        ("ragdoll", lambda scene: scene.add_load("chest", force=(0.0, 0.0, 1500.0))),
        ("closed_chain", lambda scene: scene.add_load("load", force=(0.0, 1e5, 0.0))),
        ("stayed_bridge", lambda scene: scene.add_load("deck-60", force=(0.0, 0.0, -1e5))),
        ("stayed_bridge", lambda scene: scene.add_load("car", force=(0.0, 0.0, 1.4e4))),
        ("winch", lambda scene: [scene.add_load(f"link-{n}", force=(0.0, 0.0, -3.0)) for n in range(40, 51)]),
        ("plank_bridge", lambda scene: scene.add_load("plank-64", force=(0.0, 0.0, -500.0))),
        ("umbrella", lambda scene: scene.add_load("rib-3-4", force=(1.0, 0.0, 0.0))),
        ("umbrella", lambda scene: scene.add_load("runner", force=(0.0, 0.0, -100.0))),
        ("spring_tree", lambda scene: scene.add_load("rod-32", force=(0.0, 5.0, 0.0))),
        ("spring_tree", without_pulls),
        ("spring_arm", lambda scene: scene.add_load("arm-1-tool", force=(0.0, 300.0, 0.0))),
        ("robot_arm", lambda scene: scene.add_load("flange", force=(0.0, 0.0, -300.0))),
        ("pushing_arm", lambda scene: scene.add_load("light", force=(8.0, 0.0, 0.0))),
        ("quadruped", lambda scene: scene.add_load("trunk", torque=(25.0, 0.0, 0.0))),
    ],
)
def test_check_rejects_what_does_not_belong(name, change):
    scene = scenes.build(name)
    change(scene)
    recording = taut.Simulation(scene).run(scenes.get(name).duration)
    with pytest.raises(AssertionError):
        scenes.get(name).check(recording)


@pytest.mark.parametrize(("name", "change"), [("quadruped", {"friction": 0.6}), ("pushing_arm", {}), ("robot_arm", {})])
def test_robots_do_as_well_with_half_the_step(name, change):
    recording = taut.Simulation(scenes.build(name, **change), step=1 / 120).run(scenes.get(name).duration)
    scenes.get(name).check(recording)


@pytest.mark.parametrize("name", sorted(ROBOTS))
def test_a_robot_can_be_shown_by_another_process(name):
    scene = scenes.build(name)
    twin = pickle.loads(pickle.dumps(scene))
    own, other = (next(iter(each.controls.values())).schedule for each in (scene, twin))
    assert own(1.234) == other(1.234)


def test_the_elbow_of_the_arm_stops_at_its_end_where_it_is_asked_for_more():
    recording = recorded("robot_arm")
    limit = np.radians(scenes._arm.JOINTS["elbow"].limit)
    assert scenes.robot_arm.path("elbow")(recording.time[-1]) > limit + 0.01
    assert recording.joint("elbow-servo").position[:, 0].max() == pytest.approx(limit, abs=1e-7)


def test_a_foot_that_is_down_does_not_slip_far():
    """Diagonal pairs take turns: each foot stands still for a good part of a pace."""
    recording = recorded("quadruped")
    walking = recording.time > 2.0
    down = (0.0, 0.0, -0.5 * scenes.quadruped.LENGTH)
    for leg in scenes.quadruped.LEGS:
        shank = recording.body(f"{leg}-shank")
        foot = shank.position + taut.spatial.rotate_each(shank.orientation, np.tile(down, (len(recording), 1)))
        low = foot[walking, 2] < scenes.quadruped.FOOT + 1e-3
        assert 0.4 < low.mean() < 0.8
        speed = np.linalg.norm(np.diff(foot[walking, :2], axis=0), axis=1) * 60.0
        assert np.median(speed[low[1:] & low[:-1]]) < 0.25 * scenes.quadruped.PACE


@pytest.mark.parametrize("mechanism", ["chain", "load", "loop"])
@pytest.mark.parametrize("ratio", [1.0, 1e2, 1e4, 1e6])
def test_mass_ladder_holds_at_every_ratio(ratio, mechanism):
    recording = recorded("mass_ladder", ratio=ratio, mechanism=mechanism)
    assert recording.violation.max() <= 1e-5
    assert recording.residual.max() <= 1e-9
    assert not recording.column("unconverged").any()


def test_hanging_chain_needs_one_solve_a_frame():
    recording = recorded("hanging_chain")
    assert recording.column("solves")[1:].mean() <= 1.1
    assert np.linalg.norm(recording.body("load").position[-1] - scenes.hanging_chain.REFERENCE) <= 3e-3


def test_snap_chain_takes_few_solves_and_loses_energy_only_in_the_snap():
    """2.7 solves a frame; 3.6 if the two-step scheme carried on at once what a rough frame leaves (`calm_frames`)."""
    recording = recorded("snap_chain")
    assert recording.column("solves")[1:].mean() <= 3.0
    falling = recording.time < 2.0
    lost = recording.energy[0] - recording.energy[falling][-1]
    assert abs(lost) <= 0.02 * abs(recording.energy[0] - recording.energy[-1])


def test_four_bar_goes_again_and_again_through_its_singular_positions():
    recording = recorded("four_bar")
    crank, coupler = (recording.body(name) for name in ("crank-1", "coupler"))
    flat = np.count_nonzero(np.diff(np.sign(crank.position[:, 2])))
    assert flat >= 40
    assert np.abs(coupler.position[:, 1]).max() <= 1e-4
    assert recording.energy.max() <= recording.energy[0] + 1e-6


def test_knife_edge_is_of_second_order():
    errors = []
    for parts in (1, 2, 4):
        recording = taut.Simulation(scenes.build("knife_edge"), step=1 / (60 * parts)).run(2.0)
        size, turn = 9.81 * np.sin(np.radians(10.0)) / 18.0, 6.0
        reference = size * np.sin(turn) ** 2, size * (turn - 0.5 * np.sin(2.0 * turn))
        position = recording.body("skate").position[-1]
        errors.append(np.hypot(position @ scenes.knife_edge.plane(10.0)[0] - reference[0], position[1] - reference[1]))
    assert 3.5 <= errors[0] / errors[1] <= 4.5 and 3.5 <= errors[1] / errors[2] <= 4.5


def test_parameters_change_the_scene_and_are_recorded():
    scene = scenes.build("hanging_chain", links=3, load=20)
    assert [body.name for body in scene.bodies] == ["world", "link-1", "link-2", "link-3", "load"]
    assert scene.bodies[-1].mass == 20.0
    info = taut.Simulation(scene).run(0.0).info
    assert info.scene == "hanging_chain"
    assert info.parameters == {"links": 3, "load": 20.0, "angle": 30.0}


def test_names_are_sorted_and_leave_out_shared_files():
    names = scenes.names()
    assert names == sorted(names)
    assert FOUNDATION | CONTACT | SPRINGS | TREES <= set(names)
    assert FOUNDATION | CONTACT | TREES | ROBOTS <= set(names)
    assert not any(name.startswith("_") for name in names)


@pytest.mark.parametrize(
    ("name", "parameters", "text"),
    [
        ("hangin_chain", {}, "did you mean 'hanging_chain'"),
        ("hanging_chain", {"link": 3}, "did you mean 'links'.*links, load, angle"),
        ("hanging_chain", {"links": 2.5}, "links is 2.5; it must be a whole number"),
        ("hanging_chain", {"links": True}, "links is True; it must be a whole number"),
        ("hanging_chain", {"links": 0}, "links is 0; it must be a finite number >= 1"),
        ("hanging_chain", {"load": -1.0}, "mass is -1; it must be a finite number > 0"),
        ("hanging_chain", {"angle": "steep"}, "angle is 'steep'; it must be a finite number"),
        ("heavy_pendulum", {"ratio": 0.0}, "ratio is 0"),
        ("mass_ladder", {"ratio": float("nan")}, "ratio is nan"),
        ("mass_ladder", {"mechanism": "rope"}, "no mechanism 'rope'.*all, chain, load, loop"),
        ("mass_ladder", {"mechanism": 1}, "mechanism is 1; it must be text"),
        ("jointed_tower", {"blocks": -1}, "blocks is -1"),
        ("bead_on_wire", {"lean": 0.0}, "lean is 0"),
        ("log_tower", {"layers": 0}, "layers is 0; it must be a finite number >= 1"),
        ("rock_pile", {"rocks": 1.5}, "rocks is 1.5; it must be a whole number"),
        ("rock_pile", {"seed": -1}, "seed is -1; it must be a finite number >= 0"),
        ("scree", {"slope": 85.0}, "slope is 85; it must be from 0 to 80 degrees"),
        ("scree", {"roughness": -0.1}, "roughness is -0.1; it must be a finite number >= 0"),
        ("incline", {"margin": 0.0}, "margin is 0; it must be a finite number > 0"),
        ("incline", {"angle": 95.0}, "angle is 95; it must be from 0 to 80"),
        ("dominoes", {"spacing": 0.001}, "spacing is 0.001"),
        ("chain_wrap", {"ratio": -1.0}, "ratio is -1"),
        ("stack_of_boxes", {"count": 0}, "count is 0"),
        ("newtons_cradle", {"restitution": 2.0}, "restitution is 2; it must be from 0 to 1"),
        ("planar_tree", {"auxiliary": 5}, "auxiliary is 5; it must be an even number from 0 to 12"),
        ("spatial_tree", {"joints": 8, "contacts": True}, "joints is 8; with contacts it must be from 31 to 51"),
        ("star", {"spokes": 0}, "spokes is 0"),
        ("knife_edge", {"spin": 0.0}, "spin is 0; it must be a number that is not zero"),
        ("closed_chain", {"links": 3}, "links is 3; it must be an even number"),
        ("stayed_bridge", {"dofs": 10}, "dofs is 10; it must be a finite number >= 20"),
        ("stayed_bridge", {"towers": "soft"}, "no towers 'soft'.*rigid, flexible"),
        ("stayed_bridge", {"car": 0.0, "ratio": 10.0}, "ratio is 10 and car is 0; a mass ratio needs a car"),
        ("umbrella", {"dofs": 8}, "dofs is 8; it must be a finite number >= 33"),
        ("spring_tree", {"levels": 1}, "levels is 1; it must be a finite number >= 2"),
        ("spring_arm", {"servo": "lazy"}, "no servo 'lazy'.*hard, soft"),
        ("robot_arm", {"links": 1}, "links is 1; it must be from 2 to 7"),
        ("pushing_arm", {"friction": -1.0}, "friction is -1"),
        ("quadruped", {"friction": -1.0}, "friction is -1"),
    ],
)  # fmt: skip
def test_wrong_input_is_one_clear_line(name, parameters, text):
    with pytest.raises(taut.InputError, match=text) as caught:
        scenes.build(name, **parameters)
    assert "\n" not in str(caught.value)


def test_listing_scenes_does_not_import_numba():
    code = "import sys, taut.scenes as s; [s.build(n) for n in s.names()]; sys.exit('numba' in sys.modules)"
    source = str(Path(taut.__file__).parents[1])
    environment = os.environ | {"PYTHONPATH": source}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
