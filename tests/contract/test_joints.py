"""What every joint in the registry promises."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest
from dense_twins import all_moved, numeric_jacobian
from joint_examples import EXAMPLES, NAMES, example, joint_scene
from sample_mechanisms import same_state

import taut
from taut.errors import InputError
from taut.joints import Drive, Joint, Motor
from taut.model.compile import compile_scene
from taut.model.state import State
from taut.rows.coordinate import Spin
from taut.rows.law import HOLD, LIMITS
from taut.rows.part import Pose
from taut.rows.slip import SlipPart

JOINTS = pytest.mark.parametrize("name", NAMES)
STEP = 1 / 60


def initial_poses(model: taut.model.model.Model, state: State) -> list[Pose]:
    return [Pose(x, taut.spatial.matrix(q)) for x, q in zip(state.position, state.orientation, strict=True)]


def test_every_example_is_of_a_registered_joint() -> None:
    assert set(EXAMPLES) <= set(Joint.registry)
    assert all(type(joint).__name__ == name for name, joint in EXAMPLES.items())


@JOINTS
def test_joints_are_offered_by_name_and_say_what_they_do(name: str) -> None:
    assert getattr(taut.joints, name) is Joint.registry[name]
    assert name in taut.joints.__all__
    assert len(Joint.registry[name].__doc__ or "") > 20


@JOINTS
@pytest.mark.parametrize("base", ["world", "a"])
def test_jacobians_are_derivatives(name: str, base: str, rng: np.random.Generator) -> None:
    model, state = compile_scene(joint_scene(example(name), base))
    poses = initial_poses(model, state)
    for spec in model.links[1].rows:
        here = all_moved([poses[body] for body in spec.part.bodies], 0.3 * rng.normal(size=(len(spec.part.bodies), 6)))
        _, jacobian = spec.part.evaluate(here)
        numeric = numeric_jacobian(spec.part, here)
        terms = getattr(spec.part, "terms", ())
        if isinstance(spec.part, SlipPart) or any(isinstance(term[0], Spin) for term in terms):
            continue  # couplings of velocities have no position to differentiate; see tests/unit/test_coupling.py
        assert numeric == pytest.approx(jacobian, abs=1e-6 * max(1.0, np.abs(jacobian).max()))


@JOINTS
@pytest.mark.parametrize("base", ["world", "a"])
def test_hard_rows_leave_the_stated_freedom(name: str, base: str) -> None:
    joint = example(name)
    model, state = compile_scene(joint_scene(joint, base))
    poses = initial_poses(model, state)
    rows = []
    for spec in model.links[1].rows:
        value, jacobian = spec.part.evaluate([poses[body] for body in spec.part.bodies])
        for law, row, measure in zip(spec.laws, jacobian, value, strict=True):
            if law.kind == HOLD:
                rows.append(row.ravel())
                assert measure == pytest.approx(law.target, abs=1e-12), "a joint is at rest where it is made"
    if joint.freedom is None:
        assert not rows, "rows that only bound or couple are not held"
    else:
        assert len(rows) == 6 - joint.freedom, "no redundant rows"
        assert (np.linalg.matrix_rank(np.array(rows), tol=1e-9) if rows else 0) == 6 - joint.freedom


@JOINTS
def test_position_starts_at_zero_and_rates_are_derivatives(name: str) -> None:
    simulation = taut.Simulation(joint_scene(example(name)), step=1e-5, integrator="euler")
    joint = simulation.joint("joint")
    if not simulation.model.links[1].coordinates:
        with pytest.raises(InputError, match=f"'joint'.*{name}"):
            _ = joint.position
        return
    assert np.atleast_1d(joint.position) == pytest.approx(0.0, abs=1e-12)
    simulation.step()
    before = np.atleast_1d(joint.position)
    simulation.step()
    change = np.atleast_1d(joint.position) - before
    assert change / 1e-5 == pytest.approx(np.atleast_1d(joint.velocity), abs=1e-3)
    assert np.abs(change).max() > 1e-9


@JOINTS
@pytest.mark.parametrize("base", ["world", "a"])
def test_small_violations_are_driven_to_zero(name: str, base: str, rng: np.random.Generator) -> None:
    simulation = taut.Simulation(joint_scene(example(name), base, spin=0.1), step=STEP)
    state = simulation.state.copy()
    state.position[1:] += 1e-3 * rng.normal(size=(4, 3))
    for body in range(1, 5):
        turn = taut.spatial.exponential(1e-3 * rng.normal(size=3))
        state.orientation[body] = taut.spatial.multiply(turn, state.orientation[body])
    simulation.restore(state)
    if simulation.model.links[1].spec.kind.freedom not in (None, 6):
        assert simulation.joint("joint").violation > 1e-5
    for _ in range(12):
        simulation.step()
    assert simulation.joint("joint").violation < 1e-8
    assert simulation.joint("hook").violation < 1e-8
    assert simulation.report.status == "solved"


@JOINTS
@pytest.mark.parametrize("base", ["world", "a"])
def test_joints_hold_under_gravity_and_spin(name: str, base: str) -> None:
    simulation = taut.Simulation(joint_scene(example(name), base, spin=2.0), step=STEP)
    energy = simulation.state.energy
    for _ in range(60):
        report = simulation.step()
        assert report.status == "solved" and report.residual <= 1e-9
        assert report.violation <= 1e-6
        assert simulation.joint("joint").violation <= 1e-6 and simulation.joint("hook").violation <= 1e-6
    assert simulation.state.energy <= energy + 1e-3 * abs(energy), "nothing drives the scene"


@JOINTS
def test_saved_states_continue_to_the_bit(name: str, tmp_path: Path) -> None:
    scene = joint_scene(example(name), spin=2.0)
    first, second = taut.Simulation(scene, step=STEP), taut.Simulation(scene, step=STEP)
    for _ in range(7):
        first.step()
    first.state.save(tmp_path / "state.npz")
    second.restore(State.load(tmp_path / "state.npz"))
    for _ in range(10):
        first.step()
        second.step()
    assert same_state(first.state, second.state) == []


BAD_VALUES: dict[str, list[object]] = {
    "axis": [(0, 0, 0), (1, math.nan, 0), (1, 2), "x", None],
    "limits": [(1, -1), (math.nan, 1), (0,), 3, "ab", (1, 2, 3)],
    "motor": [3, "fast"],
    "rest": [math.nan, math.inf, "low"],
    "point": [(1, 2), (math.inf, 0, 0), "here", None],
    "length": [0.0, -1.0, math.nan, math.inf, "long"],
    "ratio": [0.0, math.nan, math.inf, "one"],
    "radius": [0.0, math.nan, math.inf],
    "pitch": [math.nan, math.inf, None],
    "stretch": [-1.0, math.nan, "stiff"],
    "bend": [-1.0, math.nan, math.inf],
    "drive": [5, None],
    "name": ["nobody", ""],
    "stops": [(), 3, "ab", (taut.joints.attach("a"),), (taut.joints.pinhole("a"), taut.joints.attach("b"))],
    "shafts": [(), 3, "ab", (("a", "b", (0, 0, 1)),), (("a", "b", (0, 0, 1), 0.0),), (("a", "b", (0, 0, 0), 1.0),)],
    "torque": [(1, -1), (math.nan, 1), (0,), 3, "ab"],
    "notes": [(math.nan, 1), (0,), 3, "ab", None],
    "axial_stiffness": [0.0, -1.0, math.nan, "stiff"],
    "slack_ok": ["no", 1],
    "drives": ["no", 1],
    "rods": [(), 3, ((1, 2),) * 5, (((0, 0, 0), (1, 0, "x")),) * 5],
    "amount": [-1.0, math.nan, math.inf, "much"],
}
KINDS = {
    "axis_a": "axis", "axis_b": "axis", "axis_other": "axis", "axis_rack": "axis", "normal": "axis",
    "point_a": "point", "point_b": "point", "shear": "stretch", "twist": "bend",
    "slide": "drive", "turn": "drive", "x": "drive", "y": "drive", "z": "drive", "first": "drive", "second": "drive",
    "left": "drive", "right": "drive", "roll": "drive", "axis_up": "axis", "arm": "length",
    "other": "name", "carrier": "name", "value": "rest", "speed": "rest", "stretching": "length",
    **dict.fromkeys(("stiffness", "damping", "frequency", "damping_ratio", "friction", "stretch_damping"), "amount"),
    **dict.fromkeys(("shear_damping", "bend_damping", "twist_damping", "limit_stiffness", "limit_damping"), "amount"),
}  # fmt: skip


def bad_fields() -> list[tuple[str, str, object]]:
    """Every field of every joint with every value it must refuse."""
    found = []
    for name in NAMES:
        for field in dataclasses.fields(Joint.registry[name]):
            kind = KINDS.get(field.name, field.name)
            assert kind in BAD_VALUES, f"say what {name}.{field.name} must refuse, in tests/contract/test_joints.py"
            found += [(name, field.name, value) for value in BAD_VALUES[kind]]
    return found


@pytest.mark.parametrize(("name", "field", "value"), bad_fields(), ids=lambda part: str(part).replace(" ", ""))
def test_wrong_values_are_refused_in_one_line(name: str, field: str, value: object) -> None:
    """At once, or at the latest when the joint is connected: never in the middle of a run."""
    with pytest.raises(InputError) as caught:
        joint_scene(dataclasses.replace(example(name), **{field: value}))
    text = str(caught.value)
    assert "\n" not in text and len(text) < 400
    assert name in text or "joint" in text, f"{text!r} does not say what it is about"
    assert field in text or KINDS.get(field) == "name", f"{text!r} does not name the field"


@JOINTS
@pytest.mark.parametrize(
    ("ends", "options", "words"),
    [
        (("a", "nobody"), {}, "nobody"),
        (("nobody", "b"), {}, "nobody"),
        (("b", "b"), {}, "two different bodies"),
        (("world", "post"), {}, "fixed"),
        (("a", "b"), {"at": (1, 2)}, "at"),
        (("a", "b"), {"at": (1, 2, math.nan)}, "at"),
        (("a", "b"), {"name": "hook"}, "hook"),
        (("a", "b"), {"name": ""}, "name"),
        (("a", "b"), {"name": 3}, "name"),
        (("a", "b"), {"compliance": -1.0}, "compliance"),
        (("a", "b"), {"compliance": math.inf}, "compliance"),
        (("a", "b"), {"damping": math.nan}, "damping"),
    ],
)
def test_wrong_connections_are_refused_in_one_line(name: str, ends: tuple[str, str], options: dict, words: str) -> None:
    scene = joint_scene(taut.joints.Spherical())
    scene.add_body("post", fixed=True)
    count = len(scene.links)
    with pytest.raises(InputError, match=words) as caught:
        scene.connect(*ends, example(name), **options)
    assert "\n" not in str(caught.value)
    assert len(scene.links) == count, "a refused joint leaves the scene as it was"


def test_only_joints_can_be_connected() -> None:
    scene = joint_scene(taut.joints.Spherical())
    for wrong in (taut.joints.Spherical, "Spherical", None, Drive(), Motor(speed=1.0)):
        with pytest.raises(InputError, match="taut.joints"):
            scene.connect("a", "c", wrong)


@JOINTS
def test_compliance_makes_held_rows_springs(name: str) -> None:
    """In SI units: the deflection under a weight is compliance times force, whatever the step."""
    joint = example(name)
    plain, _ = compile_scene(joint_scene(joint))
    laws = [law for row in plain.links[1].rows for law in row.laws]
    if not any(law.kind in (HOLD, LIMITS) and not law.drives for law in laws):
        with pytest.raises(InputError, match="no hard rows"):
            compile_scene(joint_scene(joint, compliance=1e-4, damping=3.0))
        return
    model, _ = compile_scene(joint_scene(joint, compliance=1e-4, damping=3.0))
    rows = [law for row in model.links[1].rows for law in row.laws]
    held = [law for row in model.links[1].rows for law in row.laws if law.kind == HOLD]
    assert not held
    if joint.freedom not in (None, 6):
        assert [(law.stiffness, law.damping) for law in rows].count((pytest.approx(1e4), 3.0)) == 6 - joint.freedom
