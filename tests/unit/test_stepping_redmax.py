"""The thesis' step through `Simulation`: forward dynamics, order, loops, loads, restart, and what it refuses."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from redmax_examples import random_tree, set_off, step_of

import taut
from taut.errors import InputError, SimulationError
from taut.joints import Revolute, Spherical

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def redmax(scene: taut.Scene, step: float = 1e-2, **more) -> taut.Simulation:
    return taut.Simulation(scene, step, integrator="redmax", coordinates="reduced", **more)


def pendulum(axes: list, centres: list, ball: bool = False) -> taut.Scene:
    """Bodies of 1 kg and 1 kg m^2, hinged every metre along x; centres of mass as seen from each hinge."""
    scene, previous = taut.Scene(gravity=(0, -9.81, 0), collisions=False), "world"
    for number, (axis, centre) in enumerate(zip(axes, centres, strict=True)):
        name = scene.add_body(f"body-{number}", mass=1.0, inertia=(1, 1, 1), position=(number, 0, 0), com=centre)
        joint = Spherical() if ball else Revolute(axis=axis)
        scene.connect(previous, name, joint, at=(number, 0, 0), name=f"hinge-{number}")
        previous = name
    return scene


@pytest.mark.parametrize(
    ("axes", "centres", "expected"),
    [
        ([Z, Z], [X, X], [-5.886, 3.924]),
        ([Z, Z, Z], [X, X, X], [-6.03692307692308, 3.77307692307692, 1.50923076923077]),
        ([Z, Y], [X, Y], [-3.924, 0.0]),
    ],
)
def test_accelerations_from_rest(axes: list, centres: list, expected: list) -> None:
    simulation = redmax(pendulum(axes, centres), 2e-3)
    simulation.step()
    found = [simulation.joint(f"hinge-{number}").velocity / 2e-3 for number in range(len(axes))]
    assert found == pytest.approx(expected, abs=1e-10)


def end_of(scene: taut.Scene, step: float, duration: float, **more) -> np.ndarray:
    simulation = taut.Simulation(scene, step, **more)
    simulation.run(duration, record=False)
    return simulation.state.position[1:].copy()


@pytest.mark.parametrize("ball", [False, True], ids=["hinges", "balls"])
def test_error_is_of_first_order(ball: bool) -> None:
    scene = pendulum([Z, Y], [X, (0.6, 0.3, 0.2)], ball)
    exact = end_of(scene, 1e-4, 0.5)
    names = {"integrator": "redmax", "coordinates": "reduced"}
    coarse, fine = (np.abs(end_of(scene, h, 0.5, **names) - exact).max() for h in (2e-3, 1e-3))
    assert 1.8 < coarse / fine < 2.2


def test_momentum_of_a_floating_tree_is_kept_to_first_order(rng: np.random.Generator) -> None:
    """Without gravity and damping; the thesis' step keeps it no better than that."""
    scene = random_tree(rng, count=5, floats=True)
    scene.gravity = np.zeros(3)
    for spec in scene.bodies:
        spec.linear_damping = spec.angular_damping = 0.0
    missed = []
    rates = None
    for h in (2e-3, 1e-3):
        step, state = step_of(scene, h)
        rates = rng.normal(size=step.motion.q.size) if rates is None else rates
        set_off(step, np.zeros(rates.size), 0.3 * rates)
        state = step.write(state, 0.0, state.force)
        before = momentum(step, state)
        for _ in range(round(0.2 / h)):
            state, tally = step.step(state, h)
            assert tally.residual < 1e-12
        missed.append(np.abs(momentum(step, state) - before).max())
    assert missed[1] < 0.6 * missed[0]


def momentum(step, state: taut.State) -> np.ndarray:
    mass = step.model.bodies.mass[1:, None] * state.velocity[1:, :3]
    return np.concatenate([mass.sum(axis=0), (state.spin[1:] + np.cross(state.position[1:], mass)).sum(axis=0)])


def test_loads_and_what_is_applied_act_alike_but_for_the_stiffness() -> None:
    ends = []
    for h in (1e-3, 5e-4):
        places = []
        for as_load in (True, False):
            scene = pendulum([Z, Z], [X, X])
            if as_load:
                scene.add_load("body-1", (3.0, 5.0, 0.0), (1, 0.5, 0), torque=(0, 0, 0.5))
                scene.add_load("body-0", (1.0, 0.0, 0.0), (0.5, 0, 0), follows=True)
            simulation = redmax(scene, h)
            for _ in range(round(0.3 / h)):
                if not as_load:
                    turn = taut.spatial.matrix(simulation.state.orientation[1])
                    simulation.body("body-1").apply((3.0, 5.0, 0.0), (0, 0, 0.5), (1, 0.5, 0))
                    simulation.body("body-0").apply(turn @ (1.0, 0, 0), point=(0.5, 0, 0))
                simulation.step()
            places.append(simulation.state.position.copy())
        ends.append(np.abs(places[0] - places[1]).max())
    assert 0.0 < ends[1] < 0.6 * ends[0], "one is implicit, the other not: they differ by the order of the step"


def test_pressed_springs_that_would_blow_up_are_clipped() -> None:
    """A strong spring pressed flat pushes sideways: K is not definite, and M~ is not with a long step."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    for name, place in (("a", (0, 0, 0)), ("b", (0.1, 0, 0))):
        scene.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=place)
    scene.add_spring("a", "b", stiffness=1e5, rest_length=1.0)
    simulation = redmax(scene, 1e-1)
    step = simulation.stepper.redmax
    step.read(simulation.state)
    assert step.solver(step.assemble(simulation.state, 0.1)) is None
    assert step.solver(step.assemble(simulation.state, 0.1, clipped=True)) is not None
    report = simulation.step()
    assert report.status == "solved" and report.residual < 1e-12


def test_restart_goes_on_to_the_bit(rng: np.random.Generator) -> None:
    scene = random_tree(rng, count=9)
    scene.add_spring("body-1", "body-7", stiffness=20.0, damping=0.3)
    first, second = redmax(scene), redmax(scene)
    first.run(0.2, record=False)
    second.restore(first.state)
    for each in (first, second):
        each.run(0.1, record=False)
    assert (first.state.position == second.state.position).all() and (
        first.state.velocity == second.state.velocity
    ).all()
    third = redmax(scene)
    for _ in range(30):
        third.step()
    assert (third.state.position == first.state.position).all()


def test_a_copy_goes_on_alone() -> None:
    first = redmax(pendulum([Z, Y], [X, X]))
    first.run(0.1, record=False)
    second = copy.deepcopy(first)
    assert second.stepper.redmax is not first.stepper.redmax
    assert second.stepper.redmax.stepper is second.stepper
    for each in (first, second):
        each.run(0.1, record=False)
    assert (first.state.position == second.state.position).all()


def test_springs_count_turns() -> None:
    """A spiral spring that is wound up by more than a turn still pulls back."""
    scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
    scene.add_body("wheel", mass=1.0, inertia=(1, 1, 1), angular_velocity=(0, 0, 10.0))
    scene.connect("world", "wheel", Revolute(axis=Z, stiffness=1.0), name="axle")
    simulation = redmax(scene, 1e-3)
    simulation.run(math.pi / 2, record=False)
    assert simulation.joint("axle").position == pytest.approx(10.0, abs=0.02)


def test_edits_make_a_new_tree() -> None:
    simulation = redmax(pendulum([Z, Z], [X, X]))
    simulation.run(0.1, record=False)
    with simulation.edit() as edit:
        edit.remove_joint("hinge-1")
    assert simulation.stepper.redmax.motion.q.size == 1 + 6
    before = simulation.body("body-1").velocity.copy()
    simulation.step()
    assert simulation.body("body-1").velocity - before == pytest.approx([0, -9.81e-2, 0], abs=1e-12)


@pytest.mark.parametrize(("given", "message"), [
    ({"coordinates": "maximal"}, "coordinates is 'maximal'; with integrator 'redmax' it must be 'reduced'"),
    ({"coordinates": "reduced", "sleeping": True}, "sleeping is True; with integrator 'redmax' it must be False"),
])  # fmt: skip
def test_what_does_not_go_with_it_is_refused(given: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        taut.Simulation(pendulum([Z], [X]), integrator="redmax", **given)


def test_motion_that_is_lost_is_said_so() -> None:
    simulation = redmax(pendulum([Z, Z], [X, X]))
    simulation.state.velocity[1] = 1e200
    with pytest.raises(SimulationError, match="no longer finite"):
        simulation.step()


def test_a_run_that_is_lost_stays_at_its_last_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation, twin = redmax(pendulum([Z, Z], [X, X])), redmax(pendulum([Z, Z], [X, X]))
    twin.run(0.05, record=False)
    step = simulation.stepper.redmax
    whole = step.step

    def lose(state: taut.State, h: float):
        after, tally = whole(state, h)
        if state.steps == 5:
            after.velocity[1], after.energy, tally.status = math.nan, math.nan, "non-finite"
        return after, tally

    monkeypatch.setattr(step, "step", lose)
    with pytest.raises(SimulationError, match="no longer finite in the step after t = 0.0500 s"):
        simulation.run(1.0, record=False)
    assert (simulation.state.position == twin.state.position).all()


def test_recordings_say_the_integrator() -> None:
    assert redmax(pendulum([Z], [X])).run(0.02).info.integrator == "redmax"
