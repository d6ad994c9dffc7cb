"""Joint accelerations of pendulums released at rest, against closed forms.

One Euler step from rest is linearised where the system stands, so velocity over step is the acceleration itself.
"""

from __future__ import annotations

import pytest

import taut
from taut import solvers
from taut.joints import Revolute, Universal

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
STEP = 2e-3
EXACT = [each.name for each in solvers.all() if each.exact]


def pendulum(axes: list, centres: list) -> taut.Scene:
    """Bodies of 1 kg and 1 kg m^2, hinged every metre along x; centres of mass as seen from each hinge."""
    scene = taut.Scene(gravity=(0, -9.81, 0))
    previous = "world"
    for number, (axis, centre) in enumerate(zip(axes, centres, strict=True)):
        name = scene.add_body(f"body-{number}", mass=1.0, inertia=(1, 1, 1), position=(number, 0, 0), com=centre)
        scene.connect(previous, name, Revolute(axis=axis), at=(number, 0, 0), name=f"hinge-{number}")
        previous = name
    return scene


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize(
    ("axes", "centres", "expected"),
    [
        ([Z, Z], [X, X], [-5.886, 3.924]),
        ([Z, Z, Z], [X, X, X], [-8 / 13 * 9.81, 5 / 13 * 9.81, 2 / 13 * 9.81]),
        ([Z, Y], [X, Y], [-3.924, 0.0]),
    ],
)
@pytest.mark.parametrize("coordinates", ["maximal", "reduced", "auto"])
def test_hinged_pendulums(axes, centres, expected, solver, coordinates):
    options = {"integrator": "euler", "solver": solver, "coordinates": coordinates}
    simulation = taut.Simulation(pendulum(axes, centres), step=STEP, **options)
    report = simulation.step()
    assert report.solves == 1
    found = [simulation.joint(f"hinge-{number}").velocity / STEP for number in range(len(axes))]
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("coordinates", ["maximal", "reduced"])
def test_universal_joint_in_place_of_two_hinges(coordinates):
    # the same double pendulum about z, its second hinge as the first turn of a universal joint
    scene = pendulum([Z], [X])
    scene.add_body("tip", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0), com=X)
    scene.connect("body-0", "tip", Universal(axis_a=Z, axis_b=Y), at=(1, 0, 0), name="cross")
    simulation = taut.Simulation(scene, step=STEP, integrator="euler", coordinates=coordinates)
    simulation.step()
    assert simulation.joint("hinge-0").velocity / STEP == pytest.approx(-5.886, abs=1e-12)
    assert list(simulation.joint("cross").velocity / STEP) == pytest.approx([3.924, 0.0], abs=1e-12)
