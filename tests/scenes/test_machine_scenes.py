"""Scenes of machines run their whole story with every exact solver and at half the step, and their checks can fail."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut import scenes

STORIES = ["cable_spinner", "net_truck", "parkour", "plank_bridge", "tandem_cranes", "winch"]

OPTIONS = [{"solver": "linear-time"}, {"solver": "ipm"}, {"step": 1 / 120}]


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", STORIES)
def test_whole_stories_pass_with_other_solvers_and_steps(name: str, options: dict[str, object]) -> None:
    recording = taut.Simulation(scenes.build(name), **options).run(scenes.get(name).duration)
    assert recording.residual.max() <= 1e-8
    scenes.get(name).check(recording)


def test_cables_that_pass_through_each_other_are_found() -> None:
    recording = taut.Simulation(scenes.build("cable_spinner")).run(0.2)
    scenes.get("cable_spinner").check(recording)
    names = recording.info.body_names
    for link in range(20, 43):  # from there on the two are exchanged, as if they had crossed
        one, other = (names.index(f"upper-{number}/{link}") for number in (1, 3))
        recording.positions[5:, [one, other]] = recording.positions[5:, [other, one]]
    with pytest.raises(AssertionError, match="turns of upper-1 and upper-2 about each other"):
        scenes.get("cable_spinner").check(recording)


def test_a_half_that_is_as_long_as_it_cannot_be_is_found() -> None:
    recording = taut.Simulation(scenes.build("cable_spinner")).run(0.2)
    recording.positions[5:, recording.info.body_names.index("ball"), 2] -= 2e-4
    with pytest.raises(AssertionError, match="height of the lower half"):
        scenes.get("cable_spinner").check(recording)


def test_a_truck_that_falls_through_the_net_is_found() -> None:
    scene = scenes.build("net_truck", fall=0.1)
    scene.ignore_contacts("net", "truck")
    recording = taut.Simulation(scene).run(0.8)
    with pytest.raises(AssertionError, match="depth of the truck under the posts"):
        scenes.get("net_truck").check(recording)


@pytest.mark.parametrize("ends", [("high", "high"), ("high", "low")])
def test_hoists_of_the_truck_are_no_stronger_than_cylinders(ends: tuple[str, str]) -> None:
    """Whoever pulls their sliders to the ends while it falls throws nothing about: they went 1 m in a frame once."""
    simulation = taut.Simulation(scenes.build("net_truck"))
    hoists = [control for name, control in simulation.controls.items() if "hoist" in name]
    for frame in range(25):
        if frame == 5:
            for hoist, end in zip(hoists, ends, strict=True):
                hoist.set(getattr(hoist, end))
        assert simulation.step().status == "solved"
        assert np.abs(simulation.state.velocity[:, :3]).max() < 12.0


def test_the_blow_on_a_net_is_that_of_a_cubic_spring() -> None:
    """F = k d^3 with m g = k s^3: what falls by h is stopped where m g (h + d) = k d^4 / 4."""
    rest, fall = 0.7, 1.3
    depth = rest * scenes.net_truck.blow(rest, fall) ** (1.0 / 3.0)
    assert fall + depth == pytest.approx(0.25 * depth**4 / rest**3)
    assert scenes.net_truck.blow(rest, 0.0) == pytest.approx(4.0)


def test_truck_and_net_are_as_large_as_they_are_said_to_be() -> None:
    """[Peiret2019, 7.1]: 8 t in 22 bodies with more than 120 rows, on sections of 48 to 65 bodies of 0.2 kg with more
    than 280 rows; 40,000:1 is the truck over such a body."""
    simulation = taut.Simulation(scenes.build("net_truck"))
    bodies, owners = simulation.scene.bodies, simulation.model.layout.row_owner
    groups = np.array([body.group for body in bodies])
    rows = np.array([groups[simulation.scene.links[owner].b] for owner in owners])
    net = [f"net/section-{number}" for number in range(1, 10)]
    masses = {group: {body.mass for body in bodies if body.group == group} for group in net}
    truck = sum(body.mass for body in bodies if body.group == "truck")
    assert truck == pytest.approx(8000.0) and np.count_nonzero(groups == "truck") == 22
    assert 120 < np.count_nonzero(rows == "truck") < 1.3 * 120
    assert set.union(*masses.values()) == {0.2} and truck / 0.2 == pytest.approx(40_000.0)
    sizes = [np.count_nonzero(groups == group) for group in net]
    assert 0.85 * 48 <= min(sizes) and max(sizes) <= 1.15 * 65
    assert min(np.count_nonzero(rows == group) for group in net) > 0.85 * 280


def test_the_bridge_is_as_large_as_it_is_said_to_be() -> None:
    for planks in (16, 128):
        model = taut.Simulation(scenes.build("plank_bridge", planks=planks)).model
        assert np.count_nonzero(model.bodies.moves) == 7 * planks - 3 and len(model.links) == 10 * planks - 1
