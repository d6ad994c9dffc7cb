"""Tracks: how they stand, pull, run and come off."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from vehicles import SOLVERS, G

import taut
from taut.errors import InputError
from taut.machines import Track
from taut.machines.wheel import shaft_of
from taut.shapes import Box

PART: dict[str, Any] = {
    "sprocket": (-1.0, 0.05, 0.25), "idler": (1.0, 0.05, 0.25), "links": 26, "width": 0.3, "thickness": 0.04,
    "rollers": [(-0.6, -0.15, 0.12), (0.0, -0.15, 0.12), (0.6, -0.15, 0.12)], "mass": 5.0, "wheel_mass": 40.0,
    "roller_mass": 10.0, "tension": 3000.0, "motor": 1500.0,
}  # fmt: skip


def crawler(friction: float = 0.8, **options: Any) -> taut.Scene:
    """A hull of 1 t on two tracks, just above the ground."""
    scene = taut.Scene(friction=friction)
    scene.add_plane()
    scene.add_body("hull", Box(2.0, 0.8, 0.3), mass=1000.0, position=(0, 0, 1.0))
    for name, side in (("left", 1.0), ("right", -1.0)):
        scene.add(Track(frame=("hull", (0.0, 0.7 * side, -0.3)), **(PART | options)), name=name)
    lift = 0.7 + scene.parts["left"].part.ground - 1e-4
    for body in scene.bodies[1:]:
        body.position = body.position - (0.0, 0.0, lift)
    for link in scene.links:
        link.at = link.at - (0.0, 0.0, lift)
    return scene


def hung(gravity: Any = (0, 0, 0), **options: Any) -> taut.Simulation:
    """A track on the world."""
    scene = taut.Scene(friction=0.8, gravity=gravity)
    scene.add(Track(frame="world", **(PART | options)), name="track")
    return taut.Simulation(scene)


def driven(speeds: dict[str, float], solver: str = "bpp", **options: Any) -> tuple[taut.Simulation, dict[str, float]]:
    """A crawler whose tracks have run at these speeds for 2 s, and their mean speeds over a second more."""
    sim = taut.Simulation(crawler(**options), solver=solver)
    sim.run(0.5)
    for name, speed in speeds.items():
        sim.controls[f"{name}.speed"].value = speed
    sim.run(2.0)
    sums = dict.fromkeys(speeds, 0.0)
    for _ in range(60):
        assert sim.step().status == "solved"
        for name in speeds:
            sums[name] += sim.part(name).speed / 60.0
    return sim, sums


def test_every_joint_of_a_shoe_has_rows_of_its_own() -> None:
    scene = taut.Scene()
    scene.add(Track(frame="world", **PART), name="track")
    sim = taut.Simulation(scene)
    sim.step()
    # 5 rows a shoe, 5 a hinge of five wheels, slide with spring and stop, motor
    assert sim.model.layout.row_count == 26 * 5 + 5 * 5 + 7 + 1
    assert not sim.stepper.scratch.redundant.any()


def test_drives_find_the_sprocket() -> None:
    assert shaft_of(crawler(), "left")[:3] == ("left/hinge", "hull", "left/sprocket")


def test_the_idler_tightens_the_track() -> None:
    sim = hung(motor=0.0)
    for _ in range(180):
        sim.step()
    track = sim.part("track")
    slid = sim.joint("track/slide").position
    # the spring holds both runs; without weight the pull is the same all around
    pull = 2.0 * 3000.0 * (1.0 - slid / (0.5 * track.handle.sizes["pitch"])) / 2.0
    upper = track.tensions[track.shoes_above()]
    np.testing.assert_allclose(upper[1:], pull, rtol=1e-3)
    assert track.tension == upper.min() and not track.thrown and track.sag < 0.01


def test_the_upper_run_sags_under_its_own_weight() -> None:
    mean = {}
    for pull in (3000.0, 1000.0):
        sim, sags, pulls = hung((0, 0, -G), tension=pull), [], []
        for frame in range(480):
            sim.step()
            if frame >= 240:  # it goes on swinging a little
                sags.append(sim.part("track").sag)
                pulls.append(sim.part("track").tension)
        # a chain of weight w over the span l with the pull T sags by w l^2 / (8 T)
        weight = 5.0 * G / sim.part("track").handle.sizes["pitch"]
        mean[pull] = np.mean(sags) / (weight * 2.0**2 / (8.0 * np.mean(pulls)))
    assert mean[3000.0] == pytest.approx(1.0, abs=0.3) and mean[1000.0] == pytest.approx(1.0, abs=0.3)


@pytest.mark.parametrize("solver", SOLVERS)
def test_tracks_run_as_fast_as_the_sprocket_turns(solver: str) -> None:
    sim, mean = driven({"left": 0.8, "right": 0.8}, solver)
    for name in ("left", "right"):
        track = sim.part(name)
        assert track.spin * track.handle.sizes["radius"] == pytest.approx(0.8, rel=1e-3)
        assert mean[name] == pytest.approx(0.8, rel=0.02) and not track.thrown and track.tension > 0.0
    assert sim.body("hull").velocity[0] == pytest.approx(0.8, rel=0.05)
    assert abs(sim.body("hull").velocity[1]) < 0.01


def test_tracks_that_run_apart_turn_the_hull() -> None:
    # the run that pulls goes around the idler where a track runs back: its spring must hold both
    sim, _ = driven({"left": -0.5, "right": 0.5}, tension=8000.0, motor=5000.0)
    place = sim.body("hull").position
    sim.run(1.0)
    rate, ideal = float(sim.body("hull").angular_velocity[2]), 1.0 / 1.4
    assert 0.25 * ideal < rate < ideal, "they scrub: less than speed over half the gauge"
    assert np.linalg.norm(sim.body("hull").position - place) < 0.1


def test_crawlers_stand_on_all_their_weight() -> None:
    sim = taut.Simulation(crawler())
    sim.run(1.0)
    weight, ground = sum(body.mass for body in sim.scene.bodies[1:]) * G, 0.0
    for _ in range(60):  # upper runs swing a little
        sim.step()
        contacts = sim.contacts
        ground += contacts.force[contacts.index_a == 0, 2].sum() / 60.0
    assert ground == pytest.approx(weight, rel=2e-3)
    assert sim.body("hull").position[2] == pytest.approx(sim.scene.bodies[1].position[2], abs=0.04)


def test_shoes_stand_on_bars_in_two_points_each() -> None:
    most = {}
    for grouser in (0.0, 0.04):
        sim = taut.Simulation(crawler(grouser=grouser))
        sim.run(0.5)
        contacts, low = sim.contacts, sim.scene.parts["left"].part.ground
        most[grouser] = np.bincount(contacts.index_b[contacts.index_a == 0]).max()
        # the frame's point is 0.3 m below the middle of the hull
        assert sim.body("hull").position[2] == pytest.approx(0.3 - low, abs=0.01)
    assert most == {0.0: 4, 0.04: 2}


def test_pins_that_resist_calm_the_upper_run() -> None:
    swing = {}
    for damping in (0.0, 3.0):
        sim, sags = hung((0, 0, -G), damping=damping), []
        for _ in range(240):
            sim.step()
            sags.append(sim.part("track").sag)
        swing[damping] = np.ptp(sags[180:])
    assert swing[3.0] < 0.3 * swing[0.0]


def test_a_track_that_is_cut_comes_off() -> None:
    sim = hung((-G, 0, 0))  # down is where it leaves the sprocket
    sim.run(0.2)
    assert not sim.part("track").thrown
    with sim.edit() as edit:
        for pin in range(1, 27):
            edit.cut(f"track/pin-{pin}")
    sim.run(2.0)
    assert sim.part("track").thrown


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"links": 3}, "Track: links is 3; it must be a whole number from 8 on"),
        ({"idler": (-0.9, 0.0, 0.25)}, "they must be apart along x"),
        ({"rollers": 3}, "Track: rollers is 3"),
        ({"sprocket": (0.0, 1.0)}, "Track: sprocket is"),
        ({"idler": (1.0, 0.0, -1.0)}, "Track: radius of idler is -1"),
    ],
)
def test_wrong_tracks_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Track(frame="world", **(PART | wrong))
    assert message in str(caught.value)


def test_a_track_without_a_motor_says_so() -> None:
    with pytest.raises(InputError, match="track 'track': it has no motor"):
        hung(motor=0.0).part("track").drive(1.0)
