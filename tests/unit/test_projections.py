"""Projections of the free motion of bodies."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.errors import InputError, SimulationError

projections = taut.projections


def thrown(**options) -> taut.Scene:
    """A body thrown across, which falls."""
    scene = taut.Scene(collisions=False)
    options = {"velocity": (1.0, 2.0, 3.0), "angular_velocity": (0.1, 0.2, 3.0), **options}
    scene.add_body("ball", mass=2.0, inertia=(1, 1, 1), **options)
    return scene


def flown(scene: taut.Scene, *used, frames: int = 30, **options) -> taut.Simulation:
    """Its flight with projections."""
    sim = taut.Simulation(scene, projections=list(used), **options)
    for _ in range(frames):
        assert sim.step().status == "solved"
    return sim


@pytest.mark.parametrize("integrator", ["bdf2", "euler"])
def test_a_clamped_body_falls_at_the_clamp(integrator):
    sim = flown(thrown(velocity=(0, 0, 0)), projections.SpeedClamp("ball", 1.0), integrator=integrator)
    assert sim.body("ball").velocity == pytest.approx([0, 0, -1.0])
    before = sim.body("ball").position[2]
    sim.step()
    assert sim.body("ball").position[2] - before == pytest.approx(-1.0 / 60.0)


def test_a_sudden_clamp_is_never_exceeded_and_not_undercut():
    """The two-step formula would carry a third of the last displacement on, and brake below the clamp after it."""
    sim = taut.Simulation(thrown(velocity=(10.0, 0, 0)), projections=[lambda m: clamp(m)])
    limit = [1e3]

    def clamp(motion):
        projections.SpeedClamp("ball", limit[0])(motion)

    sim.run(0.2, record=False)
    limit[0] = 5.0
    for _ in range(5):
        before = sim.body("ball").position[0]
        assert sim.step().status == "solved"
        assert np.linalg.norm(sim.body("ball").velocity) == pytest.approx(5.0)
        assert (sim.body("ball").position[0] - before) * 60.0 == pytest.approx(sim.body("ball").velocity[0])


def test_spin_is_clamped_on_its_own():
    sim = flown(thrown(), projections.SpeedClamp("ball", 100.0, spin=0.5))
    assert np.linalg.norm(sim.body("ball").angular_velocity) == pytest.approx(0.5)


def test_fixed_axes_do_not_move_and_others_do():
    sim = flown(thrown(), projections.Fixed("ball", ["y", "z", "rx"]))
    assert sim.body("ball").position == pytest.approx([0.5, 0, 0])
    assert sim.body("ball").angular_velocity[0] == 0.0 and sim.body("ball").angular_velocity[2] != 0.0


def test_the_plane_is_kept_from_the_first_step_on():
    normal = np.array([0.0, 3.0, 4.0]) / 5.0
    sim = flown(thrown(), projections.OnPlane("ball", (0, 3, 4), point=(0, 0, 0.3)))
    assert normal @ (sim.body("ball").position - np.array([0, 0, 0.3])) == pytest.approx(0.0, abs=1e-9)
    assert sim.body("ball").position[0] == pytest.approx(0.5)


def test_functions_see_places_names_and_time():
    seen = []

    def guide(motion):
        ball = motion.get("ball")
        assert motion.get("nobody") is None and list(motion.bodies) == ["ball"] and ball.mass == 2.0
        seen.append((motion.time, motion.step))
        ball.position = (0.0, 0.0, 1.0 + motion.time + motion.step)

    sim = flown(thrown(), guide)
    assert sim.body("ball").position == pytest.approx([0, 0, 1.5])
    assert seen[-1] == pytest.approx((29 / 60, 1 / 60))


def test_a_projection_that_leaves_no_numbers_is_named():
    def bad(motion):
        motion.bodies["ball"].velocity = np.nan

    with pytest.raises(SimulationError, match="projection bad: body 'ball'"):
        flown(thrown(), bad)


def test_those_of_the_scene_come_first():
    scene, order = thrown(), []
    scene.projections.append(lambda motion: order.append("scene"))
    flown(scene, lambda motion: order.append("simulation"), frames=1)
    assert order[:2] == ["scene", "simulation"]
    assert len(scene.copy().projections) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: projections.SpeedClamp("ball", -1.0), "SpeedClamp: speed is -1"),
        (lambda: projections.SpeedClamp("ball", 1.0, spin=np.nan), "SpeedClamp: spin is nan"),
        (lambda: projections.SpeedClamp(3, 1.0), "SpeedClamp: body is 3; it must be the name of a body"),
        (lambda: projections.Fixed("ball", ["w"]), "Fixed: there is no axis 'w'.*rx"),
        (lambda: projections.Fixed("ball", "xyz"), "Fixed: axes is 'xyz'; it must be a list"),
        (lambda: projections.OnPlane("ball", (0, 0, 0)), "OnPlane: normal"),
        (lambda: projections.OnPlane("ball", point=(1, 2)), "OnPlane: point"),
    ],
)
def test_wrong_numbers_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
