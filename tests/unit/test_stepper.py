"""A mechanism that is ready to step: what it keeps, what it looks up, and stages that need no compiler."""

from __future__ import annotations

import copy
import gc
import json
import pickle
import weakref
from dataclasses import replace
from typing import Any

import numba
import numpy as np
import pytest
from dense_twins import Weights
from fresh_python import run_python
from sample_mechanisms import chain, same_state
from staged_steps import STEP, Staged, stepper_of

import taut
from taut.integrators import BDF2, EULER
from taut.integrators.scheme import Scheme
from taut.model.compile import compile_scene
from taut.shapes import Box, Sphere
from taut.stepping.tables import StateTable

Array = np.ndarray


def pile(integrator: str = "bdf2") -> taut.Simulation:
    """A box that lies on the ground, a ball that rolls, and a lamp on a hinge."""
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("box", Box(1.0, 1.0, 1.0), mass=5.0, position=(0.0, 0.0, 0.5))
    scene.add_body("ball", Sphere(0.3), mass=2.0, position=(2.0, 0.0, 0.31), velocity=(1.0, 0.0, 0.0))
    scene.add_body("lamp", Box(0.1, 0.1, 1.0), mass=1.0, position=(0.0, 3.0, 3.0), angular_velocity=(1.0, 0.0, 0.0))
    scene.connect("world", "lamp", taut.joints.Revolute(axis=(1, 0, 0), limits=(-0.3, 0.3)), at=(0.0, 3.0, 3.5))
    return taut.Simulation(scene, integrator=integrator)


@pytest.mark.parametrize("scheme", [EULER, BDF2], ids=lambda scheme: scheme.name)
def test_weights_are_those_of_the_scheme_body_by_body(scheme: Scheme) -> None:
    simulation = pile()
    history = np.array([1, 0, 1, 0], np.uint8)
    simulation.stepper.weigh(scheme, STEP, history)
    expected = Weights.of(scheme, STEP, history)
    for name, values in simulation.stepper.scratch.weights._asdict().items():
        np.testing.assert_array_equal(values, np.broadcast_to(getattr(expected, name), values.shape), name)


def test_a_state_that_is_taken_is_copied(rng: np.random.Generator) -> None:
    simulation = pile("low-damping")
    stepper, state = simulation.stepper, simulation.state
    names = [name for name in StateTable._fields if getattr(state, name).dtype == np.float64]
    state = replace(state, **{name: rng.normal(size=getattr(state, name).shape) for name in names})
    stepper.take(state)
    for name in StateTable._fields:
        np.testing.assert_array_equal(getattr(stepper.state, name), getattr(state, name), name)
    state.position[:] = 0.0
    assert stepper.state.position.any()


def test_rows_of_the_same_contacts_are_the_same_memory() -> None:
    simulation = pile()
    for _ in range(3):
        simulation.step()
    step = Staged(simulation.stepper, simulation.state)
    step.collide()
    own, memory = step.stepper.own, step.stepper.rows_with(step.contacts)
    assert step.stepper.rows_with(step.stepper.alone) is own
    step.collide()
    assert step.stepper.rows_with(step.contacts) is memory, "contacts at rest stay as they are"
    assert memory.entries.base is own.entries
    assert memory.rows.value.size == own.rows.value.size + step.contacts.row_count
    assert memory.kkt.jacobian is memory.rows.jacobian and memory.kkt.inverse_mass is own.kkt.inverse_mass
    fewer = step.contacts.found.take(np.array([0]))
    table = step.contacts.table._replace(**{
        name: values[:1] for name, values in step.contacts.table._asdict().items()
    })  # fmt: skip
    assert step.stepper.rows_with(replace(step.contacts, found=fewer, table=table)) is not memory


def arrays_in(table: Any) -> list[Array]:
    """The arrays of a table, and of tables in it."""
    return [array for each in table for array in ([each] if isinstance(each, np.ndarray) else arrays_in(each))]


def test_to_measure_a_state_writes_nothing_that_a_step_reads() -> None:
    simulation = chain(links=3)
    stepper, state = simulation.stepper, simulation.state
    read = [*arrays_in(stepper.scratch), *arrays_in(stepper.own.rows), *arrays_in(stepper.own.kkt)]
    copies = [array.copy() for array in read]
    rows = stepper.measure(state)
    assert rows.value == pytest.approx(state.measure, abs=1e-12)
    for array, kept in zip(read, copies, strict=True):
        np.testing.assert_array_equal(array, kept)


def test_redundant_rows_are_found_where_a_step_starts() -> None:
    """A door on two hinges: five of ten rows say the same again. A chain has no loops, and no row is."""
    scene = taut.Scene(collisions=False)
    scene.add_body("door", Box(1.0, 0.05, 2.0), mass=20.0)
    for height in (-0.8, 0.8):
        scene.connect("world", "door", taut.joints.Revolute(axis=(0, 0, 1)), at=(-0.5, 0, height))
    model, state = compile_scene(scene)
    stepper = stepper_of(model)
    stepper.find_redundant(state)
    assert stepper.scratch.redundant.sum() == 5 and not stepper.scratch.redundant[:5].any()
    other = chain(links=3)
    other.stepper.scratch.redundant.fill(1)
    other.stepper.find_redundant(other.state)
    assert not other.stepper.scratch.redundant.any()


SCRIPT = """
import json, sys
sys.path.insert(0, {tests!r})
import numpy as np
from test_stepper import pile
simulation = pile()
frames = []
for _ in range(8):
    report = simulation.step()
    state = simulation.state
    frames.append(dict(
        status=report.status, solves=report.solves, pivots=report.pivots, contacts=report.contacts,
        labels=state.index_set.tolist(), history=state.history.tolist(), position=state.position.tolist(),
        orientation=state.orientation.tolist(), velocity=state.velocity.tolist(), force=state.force.tolist(),
    ))
print(json.dumps(frames))
"""


def frames(**environment: str) -> list[dict[str, Array]]:
    """What the pile does in a fresh interpreter."""
    done = run_python(
        "-W", "error::RuntimeWarning", "-c", SCRIPT.format(tests=__file__.rpartition("/")[0]), **environment
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_stages_do_the_same_without_a_compiler() -> None:
    """All decisions are the same; numbers up to rounding, because compiled code may fuse products and sums."""
    for compiled, plain in zip(frames(), frames(NUMBA_DISABLE_JIT="1"), strict=True):
        for name in ("status", "solves", "pivots", "contacts", "labels", "history"):
            assert compiled[name] == plain[name], name
        for name in ("position", "orientation", "velocity"):
            assert compiled[name] == pytest.approx(np.array(plain[name]), abs=1e-11), name
        assert np.array(compiled["force"]) == pytest.approx(np.array(plain["force"]), rel=1e-9, abs=1e-8)


LOADS = """
import sys
import taut
simulation = taut.Simulation(taut.scenes.build("{scene}"), solver="{solver}")
before = set(sys.modules)
for _ in range(60):
    simulation.step()
print(*(name for name in set(sys.modules) - before if name.startswith("taut")))
"""


@pytest.mark.parametrize("scene", ["gear_train", "snap_chain", "sliding_block", "newtons_cradle", "ragdoll"])
def test_what_frames_need_is_loaded_before_the_first(scene: str) -> None:
    """But for the interior point, which most scenes never need: no frame waits for kernels, be it rough or not."""
    done = run_python("-c", LOADS.format(scene=scene, solver="auto"))
    rare = {"taut.solvers.interior_point", "taut.solvers.interior_point_kernels", "taut.solvers.crossover_kernels"}
    assert set(done.stdout.split()) <= rare, done.stdout


@pytest.mark.parametrize(
    ("solver", "scene"), [("linear-time", "sliding_block"), ("linear-time", "four_bar"), ("ipm", "snap_chain")]
)
def test_what_other_solvers_need_is_loaded_before_the_first_frame(solver: str, scene: str) -> None:
    """Of contacts, of loops and of joints alone."""
    assert run_python("-c", LOADS.format(scene=scene, solver=solver)).stdout.split() == []


def moving(kind: str) -> taut.Simulation:
    """A scene a few frames on, so that all that frames need has been made."""
    simulation = taut.Simulation(taut.scenes.build(kind))
    for _ in range(12):
        simulation.step()
    return simulation


@pytest.mark.parametrize("kind", ["snap_chain", "hanging_chain", "stack_of_boxes", "four_bar", "pickled stack"])
def test_a_copy_goes_on_as_the_original_does_and_without_it(kind: str) -> None:
    first = moving(kind if kind != "pickled stack" else "stack_of_boxes")
    second = copy.deepcopy(first) if kind != "pickled stack" else pickle.loads(pickle.dumps(first))
    for _ in range(20):
        first.step()
    expected = first.state
    del first
    gc.collect()
    for _ in range(20):
        second.step()
    for name in StateTable._fields:
        assert np.array_equal(getattr(second.state, name), getattr(expected, name)), name


def test_a_state_of_another_model_is_refused_before_it_is_read() -> None:
    simulation, larger = moving("four_bar"), moving("hanging_chain")
    simulation.state = larger.state
    with pytest.raises(taut.InputError, match="state: history has the shape"):
        simulation.step()


def test_contacts_that_lack_something_are_not_restored() -> None:
    simulation = moving("stack_of_boxes")
    contacts = simulation.state.contacts
    for wrong in (replace(contacts, force=contacts.force[:1]), replace(contacts, label=contacts.label.astype(float))):
        with pytest.raises(taut.InputError, match="restore: contact_"):
            simulation.restore(simulation.state.but(contacts=wrong))
    with pytest.raises(taut.InputError, match="restore: history is of type bool"):
        simulation.restore(simulation.state.but(history=simulation.state.history > 0))


def shorten(simulation: taut.Simulation, joint: str) -> None:
    """Let the rest of a chain go."""
    with simulation.edit() as edit:
        edit.remove_joint(joint)


def test_a_stepper_that_another_replaces_is_gone_before_garbage_is_collected() -> None:
    simulation = pile()
    simulation.run(0.05)
    before = weakref.ref(simulation.stepper), weakref.ref(simulation.stepper.collider)
    gc.collect()
    gc.disable()
    try:
        shorten(simulation, simulation.scene.links[0].name)
        assert [each() for each in before] == [None, None]
    finally:
        gc.enable()


def test_what_is_in_the_memory_that_a_stepper_takes_over_changes_no_bit() -> None:
    plain, spoiled = chain(links=6), chain(links=6)
    for simulation in (plain, spoiled):
        simulation.run(0.1)
    stepper = spoiled.stepper
    memory = [stepper.scratch, stepper.state, stepper.own.rows, stepper.own.answer, *stepper.readings[:2]]
    for array in (array for table in memory for array in arrays_in(table)):
        array.fill(np.nan if array.dtype == np.float64 else 1)
    for simulation in (plain, spoiled):
        shorten(simulation, "link3-link4")
    if not numba.config.DISABLE_JIT:
        assert np.shares_memory(stepper.scratch.weights.alpha, spoiled.stepper.scratch.weights.alpha)
    assert same_state(plain.state, spoiled.state) == []
    for simulation in (plain, spoiled):
        simulation.run(0.5)
    assert same_state(plain.state, spoiled.state) == []
