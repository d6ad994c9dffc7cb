"""Motions of joints: what they leave free, that their rows do not see it, and that it is how bodies move."""

from __future__ import annotations

import numpy as np
import pytest
from joint_examples import NAMES, example
from tree_examples import linked, places_near, subspace_of, with_coordinates

from taut.joints import Joint, Revolute, Spherical
from taut.joints.motion import ABOUT_AXIS, ABOUT_TWO_AXES, ANY_TURN, NO_TURN, TURNS, Motion
from taut.model.articulation import motion_of
from taut.model.compile import compile_scene
from taut.stepping.mechanism import mechanism_of

MOVING = [name for name in NAMES if Joint.registry[name].motion is not Joint.motion]
"""Joints that trees are made of."""

ENDS = pytest.mark.parametrize("ends", [("world", "b"), ("a", "b"), ("b", "a"), ("b", "world")], ids="-".join)


def test_all_joints_that_hold_a_body_make_trees() -> None:
    """Those of rods, ropes, gears and springs do not: they are no function of one pose relative to another."""
    others = {"Distance", "Rope", "Route", "Link", "Gear", "Differential", "KnifeEdge", "Rack", "Lever"}
    others |= {"AntiRoll", "Axle", "FiveLink"}  # of suspensions
    others |= {"Bearing", "DistanceDrive", "Shafts", "SlideGear"}  # of drivetrains and hydraulics
    assert set(MOVING) == set(NAMES) - others


@pytest.mark.parametrize("name", MOVING)
@ENDS
def test_freedom_and_rows_that_the_tree_keeps_are_six(name: str, ends: tuple[str, str]) -> None:
    model, _ = compile_scene(linked(example(name), ends))
    motion = motion_of(model.links[-1])
    if name == "CompliantLink":  # a tree only where its points stay together, which those of the example do not
        assert motion is None
        return
    rows = sum(part.rows for part in model.links[-1].parts)
    assert motion is not None and rows >= 6 - motion.freedom
    kind = Joint.registry[name]
    assert motion.freedom == kind.freedom + (name == "Screw"), "a thread's row is left to the solver"
    assert np.linalg.norm(motion.slides, axis=-1) == pytest.approx(np.ones(len(motion.slides)))


@pytest.mark.parametrize("name", MOVING)
@ENDS
def test_rows_do_not_see_what_a_joint_leaves_free(name: str, ends: tuple[str, str], rng: np.random.Generator) -> None:
    """G S = 0 anywhere on the joint, and no other motion is free: the rows have full rank."""
    model, state = compile_scene(linked(example(name), ends))
    mechanism = mechanism_of(model, "reduced")
    trees = mechanism.trees
    for _ in range(5):
        places = places_near(mechanism, state, rng, 0.8)
        arm, subspace = subspace_of(trees, places)
        jacobian = model_rows(mechanism, places)
        for node, (first, count) in enumerate(zip(trees.first_row, trees.row_count, strict=True)):
            at_node = jacobian[first : first + count, trees.body[node]]
            own = subspace[trees.dof_start[node] : trees.dof_start[node + 1]]
            assert at_node @ own.T == pytest.approx(0.0, abs=1e-12)
            assert np.linalg.matrix_rank(np.concatenate([at_node, own]), tol=1e-6) == 6
            # and carried along with the body that it hangs on
            if trees.parent[node] >= 0:
                carried = np.eye(6)
                x, y, z = arm[node]
                carried[:3, 3:] = -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                at_carrier = jacobian[first : first + count, trees.carrier[node]]
                assert at_node @ carried + at_carrier == pytest.approx(0.0, abs=1e-12)


def model_rows(mechanism, places) -> np.ndarray:
    """Jacobian (rows, bodies, 6) of the rows of a mechanism where bodies are."""
    from taut.rows.parts_kernels import evaluate
    from taut.rows.table import ROWS
    from taut.stepping.memory import counts_of
    from taut.tables import held

    rows = ROWS.room(counts_of(mechanism))
    rows.step[0] = 0.0
    evaluate(held(mechanism.parts), held(places), held(rows))
    jacobian = np.zeros((mechanism.row_count, mechanism.count, 6))
    np.add.at(jacobian, (mechanism.entries.entry_row, mechanism.entries.entry_body), rows.jacobian)
    return jacobian


@pytest.mark.parametrize("name", MOVING)
@ENDS
def test_subspaces_are_how_poses_change(name: str, ends: tuple[str, str], rng: np.random.Generator) -> None:
    """Poses made of coordinates that changed by a little, against S times the change."""
    model, state = compile_scene(linked(example(name), ends))
    mechanism = mechanism_of(model, "reduced")
    trees, step = mechanism.trees, 1e-5
    places = places_near(mechanism, state, rng, 0.8)
    _, subspace = subspace_of(trees, places)
    for node in range(trees.body.size):
        for dof in range(trees.dof_start[node], trees.dof_start[node + 1]):
            if trees.carrier[node] < 0:
                continue
            after, before = (with_coordinates(trees, places, node, dof, sign * step) for sign in (1.0, -1.0))
            assert (after - before) / (2.0 * step) == pytest.approx(subspace[dof], abs=1e-6)


def test_turns_have_their_freedom() -> None:
    assert [TURNS[kind] for kind in (NO_TURN, ABOUT_AXIS, ABOUT_TWO_AXES, ANY_TURN)] == [0, 1, 2, 3]
    assert Motion().freedom == 0
    assert Motion(tuple(map(tuple, np.eye(3))), ANY_TURN).freedom == 6


def test_soft_joints_have_no_motion() -> None:
    for compliance, found in ((0.0, True), (1e-6, False)):
        scene = linked(Spherical(), ("a", "b"), compliance=compliance)
        model, _ = compile_scene(scene)
        assert (motion_of(model.links[-1]) is not None) is found
    model, _ = compile_scene(linked(Revolute(), ("a", "b"), compliance=1e-6))
    assert mechanism_of(model, "reduced").trees.node[model.bodies.names.index("b")] < 0
