"""What is made of segments reads as the piece at its start where it was cut."""

from __future__ import annotations

import hoists
import numpy as np
import pytest
from sample_mechanisms import advance

import taut
from taut.machines import Cable, Chain


@pytest.mark.parametrize("part", ["cable", "chain", "winch"])
def test_what_is_cut_reads_as_the_piece_at_its_start(part: str) -> None:
    scene = hoists.hoist(5e6, load=500.0) if part == "winch" else taut.Scene(collisions=False)
    if part == "cable":
        scene.add(Cable(from_="world", end=(0, 0, -4), segments=8, axial_stiffness=1e5, mass_per_length=3.0), name=part)
    elif part == "chain":
        scene.add(Chain(from_="world", end=(0, 0, -4), links=8, mass=1.5), name=part)
    simulation = taut.Simulation(scene)
    view, whole = simulation.part(part), simulation.part(part).length
    mass = view.mass
    view.cut(at=view.ahead + 3.0 * view.segment)
    assert view.segments == tuple(f"{part}/{number}" for number in (1, 2, 3))
    advance(simulation, 1.0)
    assert (
        view.length == pytest.approx(3.0 * view.segment + (view.free if part == "winch" else 0.0))
        and whole > 4.0 - 1e-9
    )
    assert view.mass == mass and len(view.bodies) > 3, "these are of all that is left"
    weight = 9.81 * simulation.body(f"{part}/1").mass
    np.testing.assert_allclose(view.tensions, weight * np.array([2.5, 1.5, 0.5]), rtol=0.05, atol=0.05 * weight)
    np.testing.assert_allclose(view.end_tensions, weight * np.array([3.0, 0.0]), rtol=0.05, atol=0.05 * weight)
    assert view.sag < 0.01
    if part != "chain":
        assert view.curvature.shape == (2,) and view.length < view.stretched_length < view.length + 1e-3
        stiffness = view.part.rope.axial_stiffness if part == "winch" else 1e5
        assert 0.0 < view.energy < 0.5 * (3.5 * weight) ** 2 / stiffness * view.length
    simulation.part(part).report()


def test_a_winch_whose_rope_is_cut_off_reads_as_what_fell() -> None:
    simulation = taut.Simulation(hoists.hoist(5e6))
    view = simulation.part("winch")
    view.cut(at=0.0)
    advance(simulation, 0.2)
    assert not view.holds and view.payout == 0.0 and len(view.segments) == 10 and view.length == pytest.approx(4.0)
    assert view.report()["free"].value == 0.0
