"""The whole geometric stiffness of ropes: over sheaves that are tilted, rub, hold the rope or are left out."""

from __future__ import annotations

import numpy as np
import pytest
from dense_twins import all_moved, central_difference, evaluate_by_kernel
from part_examples import zigzag

import taut
from taut.joints import Route, attach, pinhole, sheave
from taut.rows.part import Pose
from taut.rows.route import RoutePart, Stop
from taut.rows.stiffness import stiffness_blocks


def numeric(part: RoutePart, poses: list[Pose], force: np.ndarray) -> np.ndarray:
    """K~ (6 bodies, 6 bodies) by central differences of J^T f."""

    def wrenches(twists: np.ndarray) -> np.ndarray:
        return np.einsum("rbi,r->bi", part.evaluate(all_moved(poses, twists))[1], force).ravel()

    width = 6 * len(poses)
    return central_difference(wrenches, width, len(poses), 1e-6).reshape(width, width)


def whole(part: RoutePart, poses: list[Pose], force: np.ndarray) -> np.ndarray:
    """K~ as written down; wraps are counted from zero, as they are in memory that knows nothing."""
    laid = evaluate_by_kernel([part], poses, force)
    return stiffness_blocks(laid.layout.parts, laid.places, laid.rows).dense(len(poses))


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_derivative_of_the_wrenches_where_axes_are_tilted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    part, poses = zigzag(rng, friction=0.2)
    part = RoutePart(tuple(Stop(**{**vars(stop), "near": 0.0}) for stop in part.stops))
    force = rng.normal(size=part.rows)
    expected = numeric(part, poses, force)
    assert np.abs(whole(part, poses, force) - expected).max() < 1e-7 * np.abs(expected).max()


def test_a_sheave_that_is_not_touched_has_no_part_in_it() -> None:
    ends = Stop(0, (-2.0, 0.0, 0.0)), Stop(2, (2.0, 0.0, 0.0))
    poses = [Pose(np.zeros(3), np.eye(3))] * 3
    past = whole(RoutePart((ends[0], Stop(1, (0.0, 0.0, -1.0), 0.3), ends[1])), poses, np.array([-5.0]))
    straight = whole(RoutePart(ends), [poses[0]] * 3, np.array([-5.0]))
    assert past == pytest.approx(straight, abs=1e-12)
    assert np.abs(straight[12:15, 12:15]).max() == pytest.approx(5.0 / 4.0)


def test_in_the_plane_it_is_tension_over_length_between_centres() -> None:
    """Wheels of which the rope runs off freely: for motions of the centres -K~ is (T / L)(1 - n n^T) a span."""
    part = RoutePart((Stop(0, (-0.3, 0.0, -2.0)), Stop(1, (0.0, 0.0, 0.0), 0.3), Stop(2, (0.3, 0.0, -4.0))))
    found = whole(part, [Pose(np.zeros(3), np.eye(3))] * 3, np.array([-8.0]))
    across = np.diag([1.0, 1.0, 0.0])
    assert -found[6:9, 6:9] == pytest.approx(8.0 * (1.0 / 2.0 + 1.0 / 4.0) * across, abs=1e-12)
    assert -found[6:9, 12:15] == pytest.approx(-8.0 / 4.0 * across, abs=1e-12)


@pytest.mark.parametrize("stiffness", [np.inf, 2e4])
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_exact_goes_where_auto_goes(stiffness: float, friction: float) -> None:
    """A swinging load on a rope over a wheel that rubs and a moving block, drawn by a weight."""

    def run(mode: str) -> taut.Simulation:
        scene = taut.Scene(collisions=False)
        scene.add_body("load", mass=20.0, inertia=(1, 1, 1), position=(-0.5, 0.2, -2), velocity=(1.0, 0.5, 0))
        scene.add_body("block", mass=3.0, inertia=(0.1, 0.1, 0.1), position=(0.9, 0, -1.0))
        scene.add_body("weight", mass=15.0, inertia=(1, 1, 1), position=(1.8, 0, -0.5))
        rope = Route(
            stops=(
                attach("load", (0, 0, 0.3)), sheave("world", radius=0.2, friction=friction),
                pinhole("block", friction=friction), attach("weight"),
            ), axial_stiffness=stiffness,
        )  # fmt: skip
        scene.connect("load", "weight", rope, name="rope")
        scene.connect("world", "weight", taut.joints.Spherical(), at=(2.4, 0, 0.4))
        simulation = taut.Simulation(scene, geometric_stiffness=mode, tolerance=1e-8)
        for _ in range(30):
            report = simulation.step()
            assert report.status == "solved" and not report.unconverged
        return simulation

    exact, auto = run("exact"), run("auto")
    assert exact.state.position == pytest.approx(auto.state.position, abs=1e-6)
    assert exact.joint("rope").tension == pytest.approx(auto.joint("rope").tension, rel=1e-5)
