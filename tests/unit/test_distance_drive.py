"""What acts along the line between two points."""

from __future__ import annotations

import pytest

import taut
from taut.errors import InputError
from taut.joints import DistanceDrive, Motor
from taut.shapes import Sphere


def hanging(joint: DistanceDrive) -> taut.Simulation:
    """A ball of 10 kg, 1 m below the world's origin."""
    scene = taut.Scene()
    scene.add_body("ball", Sphere(0.1), mass=10.0, position=(0, 0, -1))
    scene.connect("world", "ball", joint, name="line")
    return taut.Simulation(scene)


def test_a_driven_one_has_the_length_it_is_told() -> None:
    simulation = hanging(DistanceDrive(limits=(0.5, 1.5), motor=Motor(position=1.0, max_force=1e4)))
    assert simulation.model.layout.declared_count == 2
    for frame in range(60):
        simulation.joint("line").drive(1.0 + 0.005 * (frame + 1))
        assert simulation.step().status == "solved"
    simulation.run(0.5, record=False)
    assert simulation.body("ball").position[2] == pytest.approx(-1.3, abs=1e-9)
    assert simulation.joint("line").tension == pytest.approx(98.1, rel=1e-9)


def test_its_tension_is_that_of_its_end_too() -> None:
    simulation = hanging(DistanceDrive(limits=(0.5, 1.0), motor=Motor(speed=0.0, max_force=30.0)))
    simulation.run(0.5, record=False)
    assert simulation.joint("line").tension == pytest.approx(98.1, rel=1e-9)
    assert simulation.joint("line").limits.tolist() == [0.5, 1.0]
    with pytest.raises(InputError, match="a DistanceDrive has no length"):
        simulation.joint("line").set_length(0.7)


def test_a_spring_along_it_bounces() -> None:
    simulation = hanging(DistanceDrive(stiffness=1e3, damping=100.0, rest=1.0))
    simulation.run(5.0, record=False)
    assert simulation.body("ball").position[2] == pytest.approx(-1.0981, abs=1e-6)


def test_wrong_ones_are_refused() -> None:
    with pytest.raises(InputError, match="a distance is not negative"):
        DistanceDrive(limits=(-1.0, 1.0))
