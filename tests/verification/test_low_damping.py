"""The scheme of low damping: it keeps energy, is of second order, and holds where motion is fast, taut or rough."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.benchmarks._energy_kept import energy_kept
from taut.joints import Revolute, Spherical
from taut.scenes._chain import add_rods
from taut.shapes import Box, Cylinder, Sphere
from taut.spatial import from_axis_angle
from taut.stepping.settings import CALM

Y = (0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("case", "lost"),
    [("bar", 1e-3), ("two bars", 0.05), ("four-bar", 0.03), ("free spin", 1e-3), ("pinned spin", 2e-3)],
)
def test_energy_kept_in_half_a_minute(case: str, lost: float) -> None:
    bdf2, low = energy_kept([case], ["bdf2", "low-damping"])
    assert abs(low["energy_lost"]) < lost < bdf2["energy_lost"] or case == "free spin"
    assert abs(low["energy_lost"]) <= lost
    assert low["energy_rise"] < 1e-3 and low["unconverged_steps"] == 0
    assert low["solves_mean"] < 1.1


def test_two_bars_keep_energy_from_wherever_they_start() -> None:
    """What a whip takes it gives back: without `State.lent` 56 % would be lost, the mean over twelve angles."""
    lost, risen = [], {}
    for degrees in (-6, -3, 2, 5, 33, 64, 72, 84):
        angle = np.radians(degrees)
        along, scene, last = np.array([np.cos(angle), 0.0, np.sin(angle)]), taut.Scene(collisions=False), "world"
        for number in range(2):
            scene.add_body(
                f"bar-{number}", Cylinder(radius=0.02, length=1.0), mass=1.0, position=(number + 0.5) * along,
                orientation=from_axis_angle(Y, 0.5 * np.pi - angle),
            )  # fmt: skip
            scene.connect(last, f"bar-{number}", Revolute(axis=Y), at=number * along)
            last = f"bar-{number}"
        simulation = taut.Simulation(scene, integrator="low-damping")
        start, lowest = simulation.report.energy, -2.0 * 9.81
        energy = [simulation.step().energy for _ in range(1800)]
        risen[degrees] = (max(energy) - start) / (start - lowest)
        lost.append(1.0 - (np.mean(energy[-60:]) - lowest) / (start - lowest))
    assert max(lost) < 0.05
    assert 3e-3 < risen.pop(84) < 6e-3, "it comes before it goes, and here most of all angles"
    assert 5e-4 < max(risen.values()) < 1.5e-3, "and here least of those where it comes at all"


def loaded(links: int, load: float, degrees: float = 0.0) -> tuple[taut.Scene, float]:
    """Links of 0.2 kg and 0.4 m with a load at the end, straight and so far above level, and their least energy, J."""
    scene, angle = taut.Scene(collisions=False), np.radians(degrees)
    end = add_rods(scene, links, np.zeros(3), (np.cos(angle), 0.0, np.sin(angle)), Cylinder(0.02, 0.4), 0.2)
    scene.add_body("load", Sphere(0.1), mass=load, position=end)
    scene.connect(f"link-{links}", "load", Spherical(), at=end)
    return scene, -9.81 * 0.4 * links * (load + 0.1 * links)


def energy_of_run(scene: taut.Scene, lowest: float, integrator: str, seconds: float, calm: int = 1000) -> np.ndarray:
    """Energy after every frame, as a share of that at the start, above the lowest."""
    simulation = taut.Simulation(scene, integrator=integrator)
    simulation.state.calm[:] = calm
    start = simulation.report.energy
    energy = np.array([simulation.step().energy for _ in range(round(60 * seconds))])
    return (energy - lowest) / (start - lowest)


@pytest.mark.parametrize(("links", "load"), [(3, 50.0), (8, 5.0), (8, 50.0), (20, 50.0), (8, 500.0)])
def test_chains_with_a_load_lose_no_more_than_with_bdf2(links: int, load: float) -> None:
    """Motion across the tension that a step does not resolve is left to BDF2: carried on, it was rough later on."""
    bdf2, low = (energy_of_run(*loaded(links, load), integrator, 10.0) for integrator in ("bdf2", "low-damping"))
    assert low[-60:].mean() > bdf2[-60:].mean() - 1e-3


def test_a_rough_frame_starts_no_ratchet() -> None:
    """What BDF2 takes in a swing it may give back in the frames whose energy is watched, too."""
    smooth, rough = (energy_of_run(*loaded(3, 50.0), "low-damping", 5.0, calm) for calm in (1000, CALM.calm_frames))
    assert rough[-60:].mean() > smooth[-60:].mean() - 1e-3


def test_a_chain_that_is_taut_in_part_of_its_swing_is_not_driven_by_the_change_of_schemes() -> None:
    """It gained 1 % in two minutes where it took the six-step scheme up to four times in a swing."""
    energy = energy_of_run(*loaded(6, 3.51, -37.0), "low-damping", 60.0)
    assert energy.max() < 1.001 and energy[-600:].max() < 1.0


@pytest.mark.parametrize("rate", [60, 240])
def test_the_time_that_a_chain_must_be_slack_does_not_depend_on_the_step(rate: int) -> None:
    """Counted in frames, it was within a swing at 1/240 s: the chain gained 0.16 % in a minute."""
    scene, lowest = loaded(6, 80.0, -30.0)
    simulation = taut.Simulation(scene, step=1 / rate, integrator="low-damping")
    start = simulation.report.energy
    energy = np.array([simulation.step().energy for _ in range(60 * rate)])
    assert energy.max() - start < 2e-4 * (start - lowest)


def whirling(links: int = 3) -> taut.Scene:
    """Links on ball joints that swing about all axes."""
    scene, last, spin = taut.Scene(collisions=False), "world", np.array([0.5, 1.0, 2.0])
    for number in range(links):
        middle = np.array([0.5 * number + 0.25, 0.0, 0.0])
        scene.add_body(
            f"link-{number}", Cylinder(radius=0.05, length=0.5), mass=1.0, position=middle,
            orientation=from_axis_angle(Y, 0.5 * np.pi), velocity=np.cross(spin, middle), angular_velocity=spin,
        )  # fmt: skip
        scene.connect(last, f"link-{number}", Spherical(), at=(0.5 * number, 0.0, 0.0))
        last = f"link-{number}"
    return scene


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("build", [lambda: taut.scenes.build("four_bar"), whirling], ids=["four_bar", "whirling"])
def test_second_order(build, coordinates: str) -> None:
    """Halving the step takes a quarter of the change from one step to the next, within 15 %."""
    ends = []
    for rate in (120, 240, 480, 960):
        simulation = taut.Simulation(build(), step=1 / rate, integrator="low-damping", coordinates=coordinates)
        simulation.run(1.0, record=False)
        ends.append(simulation.state.position)
    changes = [np.abs(one - other).max() for one, other in zip(ends, ends[1:], strict=False)]
    assert np.log2(np.array(changes[:-1]) / changes[1:]) == pytest.approx([2.0, 2.0], abs=0.2)


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
@pytest.mark.parametrize("floating", [False, True])
def test_a_fast_wheel_stays_on_its_hinge(coordinates: str, floating: bool) -> None:
    """At 20 to 150 rad/s, up to 2.5 rad a step: one solve a frame, and no tilt that grows."""
    scene = taut.Scene(gravity=(0.0, 0.0, 0.0), collisions=False)
    scene.add_body("stand", Box(0.5, 0.5, 0.5), mass=10.0, fixed=not floating)
    for rate in (20.0, 45.0, 80.0, 150.0):
        at, name = (rate / 50.0, 0.0, 0.0), f"wheel-{rate:.0f}"
        scene.add_body(name, Cylinder(radius=0.2, length=0.1), mass=1.0, position=at, angular_velocity=(0, 0, rate))
        scene.connect("stand", name, Revolute(axis=(0, 0, 1)), at=at)
    simulation = taut.Simulation(scene, integrator="low-damping", coordinates=coordinates)
    simulation.body("stand").apply(torque=(0.3, 0.2, 0.0))
    start = simulation.report.momentum[1].copy()
    reports = [simulation.step() for _ in range(240)]
    assert not any(report.unconverged for report in reports)
    assert np.mean([report.solves for report in reports[1:]]) < 1.1
    assert max(report.violation for report in reports) < 1e-6
    if floating:
        assert reports[-1].momentum[1] - start == pytest.approx(4.0 * np.array([0.3, 0.2, 0.0]), abs=1e-6)


@pytest.mark.parametrize("turn", [0.1, 0.2, 0.4, 0.7])
def test_a_wheel_out_of_balance_keeps_its_energy(turn: float) -> None:
    """Its momentum goes round with it: it may neither lead the wheel off its hinge nor feed it."""
    inertia = [[0.02, 0.003, 0.001], [0.003, 0.03, 0.002], [0.001, 0.002, 0.04]]
    scene = taut.Scene(gravity=(0.0, 3.0, -9.81), collisions=False)
    scene.add_body("wheel", mass=1.0, inertia=inertia, angular_velocity=(0.0, 0.0, 60.0 * turn))
    scene.connect("world", "wheel", Revolute(axis=(0, 0, 1)), at=(0.0, 0.0, 0.0))
    simulation = taut.Simulation(scene, integrator="low-damping")
    start = simulation.report.energy
    reports = [simulation.step() for _ in range(600)]
    assert reports[-1].energy == pytest.approx(start, rel=2e-5)
    assert np.abs(simulation.state.velocity[1, 3:5]).max() < 1e-9
    assert np.mean([report.solves for report in reports]) < 1.02


@pytest.mark.parametrize("ratio", [2000.0, 1e6])
def test_taut_chains_take_one_solve_a_frame(ratio: float) -> None:
    simulation = taut.Simulation(taut.scenes.build("hanging_chain", load=0.25 * ratio), integrator="low-damping")
    start = simulation.report.energy
    reports = [simulation.step() for _ in range(300)]
    assert np.mean([report.solves for report in reports]) < 1.02
    assert not any(report.unconverged for report in reports)
    assert abs(reports[-1].energy - start) < 1e-4 * abs(start)
    if ratio == 2000.0:
        assert simulation.body("load").position == pytest.approx((-17.470272255, 0.0, -10.238963086), abs=5e-4)
