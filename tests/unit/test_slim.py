"""Which bodies count as slim while they step."""

from __future__ import annotations

import pytest

import taut
from taut.joints import Revolute, Spherical
from taut.stepping.slim import NEEDLE, slim_bodies


def on_joints() -> taut.Scene:
    """A needle, a long body and a stout one on ball joints, and a long one on a hinge."""
    scene = taut.Scene(collisions=False)
    kinds = {"needle": 0.9 * NEEDLE, "long": 1.1 * NEEDLE, "stout": 0.4, "hinged": 1.1 * NEEDLE}
    for number, (name, least) in enumerate(kinds.items()):
        place = (2.0 * number, 0.0, 0.0)
        scene.add_body(name, mass=1.0, inertia=(least, 1.0, 1.0), position=place)
        joint = Revolute(axis=(0, 1, 0)) if name == "hinged" else Spherical()
        scene.connect("world", name, joint, at=place)
    return scene


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
def test_far_back_only_needles_and_what_rows_hold_from_turning_are_slim(coordinates: str) -> None:
    found = {}
    for integrator in ("bdf2", "low-damping"):
        simulation = taut.Simulation(on_joints(), integrator=integrator, coordinates=coordinates)
        mechanism, depth = simulation.stepper.mechanism, simulation.settings.scheme.depth
        found[integrator] = slim_bodies(mechanism, depth)[1:].tolist()
        assert simulation.stepper.slim[0].tolist() == slim_bodies(mechanism, depth).tolist()
    assert found == {"bdf2": [1, 1, 0, 1], "low-damping": [1, 0, 0, 1]}
