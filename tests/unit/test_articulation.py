"""Which bodies move in joint coordinates: trees, their roots and joints, and what becomes of every row."""

from __future__ import annotations

import numpy as np
import pytest
from tree_examples import chain, random_body, random_tree

import taut
from taut.joints import Cylindrical, Distance, Fixed, Gear, Motor, Prismatic, Revolute, Screw, Spherical
from taut.model.articulation import AT_BODY, AT_JOINT, CROSSING, ELIMINATED, KEPT, Articulation, articulate
from taut.model.compile import compile_scene
from taut.model.model import Model
from taut.rows.law import SOFT
from taut.rows.layout import COMPANION
from taut.shapes import Box
from taut.stepping.mechanism import mechanism_of
from taut.stepping.part import part_of


def trees_of(scene: taut.Scene, coordinates: str = "reduced") -> tuple[Model, Articulation]:
    """A model and its trees."""
    model, _ = compile_scene(scene)
    return model, articulate(model, coordinates)


def names(model: Model, trees: Articulation) -> list[str]:
    """Bodies of the nodes."""
    return [model.bodies.names[body] for body in trees.body]


def roles_of(model: Model, trees: Articulation, name: str) -> list[int]:
    """What becomes of the rows of a joint or spring, companions left out."""
    link = next(link for link in model.links if link.spec.name == name)
    firsts = zip(model.first_rows(link).tolist(), link.parts, strict=True)
    rows = [first + i for first, part in firsts for i in range(part.rows)]
    return [int(trees.role[row]) for row in rows if model.layout.laws.kind[row] != COMPANION]


def carriers(model: Model, trees: Articulation) -> dict[str, str | None]:
    """What each body hangs on; None where it floats."""
    return {
        model.bodies.names[body]: model.bodies.names[carrier] if carrier >= 0 else None
        for body, carrier in zip(trees.body, trees.carrier, strict=True)
    }


def test_maximal_coordinates_have_no_trees() -> None:
    model, trees = trees_of(chain(), "maximal")
    assert trees.body.size == 0 and (trees.node == -1).all() and list(trees.dof_start) == [0]
    assert (trees.role == KEPT).all() and trees.role.size == model.layout.row_count


def test_a_chain_hangs_from_the_ground_link_by_link() -> None:
    model, trees = trees_of(chain(4))
    assert names(model, trees) == ["b0", "b1", "b2", "b3"]
    assert list(trees.parent) == [-1, 0, 1, 2] and list(trees.tree_start) == [0, 4]
    assert list(trees.dof_start) == [0, 1, 2, 3, 4] and list(trees.row_count) == [5] * 4
    assert not trees.flipped.any()
    assert (trees.role == ELIMINATED).sum() == 20


@pytest.mark.parametrize("floats", [False, True])
def test_random_trees_hold_together(floats: bool, rng: np.random.Generator) -> None:
    for _ in range(20):
        model, trees = trees_of(random_tree(rng, 12, floats))
        assert sorted(names(model, trees)) == sorted(model.bodies.names[1:])
        assert (trees.parent < np.arange(12)).all(), "parents come first"
        assert (trees.node[trees.body] == np.arange(12)).all() and trees.node[0] == -1
        freedom = np.diff(trees.dof_start)
        joined = trees.carrier >= 0
        assert (freedom[joined] + trees.row_count[joined] == 6).all()
        assert (freedom[~joined] == 6).all() and (trees.row_count[~joined] == 0).all()
        assert joined.all() != floats
        hung = trees.parent >= 0
        assert (trees.carrier[hung] == trees.body[trees.parent[hung]]).all()
        for node, link in ((trees.node[link.frame.b], link) for link in model.links):
            ends = (link.frame.a, link.frame.b)
            node = node if node >= 0 and trees.carrier[node] == link.frame.a else trees.node[link.frame.a]
            body, carrier = ends if trees.flipped[node] else ends[::-1]
            assert (trees.body[node], trees.carrier[node]) == (body, carrier), "who is A is said by `flipped`"


def test_bodies_hang_from_what_is_fixed_and_floating_ones_from_the_heaviest() -> None:
    scene = taut.Scene(collisions=False)
    scene.add_body("post", fixed=True, position=(5, 0, 0))
    for index, mass in enumerate((1.0, 9.0, 2.0)):
        scene.add_body(f"free{index}", Box(0.1, 0.1, 0.1), mass=mass, position=(index, 0, 0))
    for index in (1, 2):
        scene.connect(f"free{index - 1}", f"free{index}", Spherical(), at=(index - 0.5, 0, 0))
    scene.add_body("top", Box(0.1, 0.1, 0.1), mass=1.0, position=(5, 0, 1))
    scene.add_body("tip", Box(0.1, 0.1, 0.1), mass=50.0, position=(5, 0, 2))
    scene.connect("tip", "top", Revolute(), at=(5, 0, 1.5))
    scene.connect("top", "post", Prismatic(), at=(5, 0, 0.5))
    scene.add_body("alone", Box(0.1, 0.1, 0.1), mass=1.0, position=(9, 0, 2))
    model, trees = trees_of(scene)
    expected = {"top": "post", "tip": "top", "free1": None, "free0": "free1", "free2": "free1"}
    assert carriers(model, trees) == expected
    assert trees.node[model.bodies.names.index("alone")] == -1, "a body without joints has no use for coordinates"
    assert names(model, trees)[:2] == ["top", "tip"] and list(trees.tree_start) == [0, 2, 5]
    flipped = dict(zip(names(model, trees), trees.flipped.astype(bool).tolist(), strict=True))
    assert flipped == {"top": True, "tip": True, "free1": False, "free0": True, "free2": False}


def test_several_roots_are_several_trees() -> None:
    scene = taut.Scene(collisions=False)
    for index in range(3):
        scene.add_body(f"b{index}", Box(0.1, 0.1, 0.1), mass=1.0, position=(index, 0, 0))
        scene.connect("world", f"b{index}", Revolute(), at=(index, 0, 0))
    _, trees = trees_of(scene)
    assert list(trees.tree_start) == [0, 1, 2, 3] and list(trees.parent) == [-1] * 3


def four_bar() -> taut.Scene:
    scene = chain(3)
    scene.connect("world", "b2", Spherical(), at=(1.5, 0, 0), name="loop")
    return scene


def test_the_joint_that_closes_a_loop_is_left_to_the_solver() -> None:
    model, trees = trees_of(four_bar())
    assert roles_of(model, trees, "loop") == [KEPT] * 3
    assert all(roles_of(model, trees, f"j{index}") == [ELIMINATED] * 5 for index in range(3))


def test_auto_takes_only_what_is_a_tree_as_a_whole() -> None:
    scene = four_bar()
    scene.add_body("swing", Box(0.1, 0.1, 0.1), mass=1.0, position=(0, 5, 0))
    scene.connect("world", "swing", Revolute(limits=(-1, 1)), at=(0, 5, 0), name="hinge")
    assert names(*trees_of(scene, "auto")) == [], "one body on a joint gains nothing"
    scene.add_body("seat", Box(0.1, 0.1, 0.1), mass=1.0, position=(0, 5, -1))
    scene.connect("swing", "seat", Revolute(), at=(0, 5, -0.5), name="rope")
    model, trees = trees_of(scene, "auto")
    assert names(model, trees) == ["swing", "seat"]
    assert roles_of(model, trees, "loop") + roles_of(model, trees, "j0") == [KEPT] * 8
    assert roles_of(model, trees, "hinge")[:5] == [ELIMINATED] * 5
    assert roles_of(model, trees, "hinge")[5:] == [KEPT], "a limit is for the solver, and closes no loop"
    assert sorted(names(*trees_of(scene, "reduced"))) == ["b0", "b1", "b2", "seat", "swing"]


@pytest.mark.parametrize(
    ("link", "taken"),
    [(Distance(), False), (Gear(ratio=2.0), False), (Fixed(), False), (None, True)],
    ids=["rod", "gear", "weld", "spring"],
)
def test_auto_leaves_couplings_and_loops_alone_but_not_springs(link: taut.joints.Joint | None, taken: bool) -> None:
    scene = chain(3)
    if link is None:
        scene.add_spring("b0", "b2", stiffness=100.0)
    else:
        scene.connect("b0", "b2", link)
    assert (len(names(*trees_of(scene, "auto"))) == 3) is taken
    assert len(names(*trees_of(scene, "reduced"))) == 3


def test_soft_joints_are_rows() -> None:
    scene = chain(2)
    scene.add_body("tip", Box(0.1, 0.1, 0.1), mass=1.0, position=(1.2, 0, 0))
    scene.connect("b1", "tip", Revolute(), at=(1.0, 0, 0), compliance=1e-5, name="soft")
    model, trees = trees_of(scene)
    assert names(model, trees) == ["b0", "b1"]
    assert set(roles_of(model, trees, "soft")) == {KEPT}, "one end is in maximal coordinates"
    assert names(*trees_of(scene, "auto")) == ["b0", "b1"], "a soft joint closes no loop"


def test_soft_rows_are_absorbed_where_they_act() -> None:
    scene = chain(4)
    scene.add_spring("world", "b1", point_a=(0, 0, 1), stiffness=10.0, damping=1.0, name="ground")
    scene.add_spring("b1", "b2", point_a=(0, 0, 0.1), stiffness=10.0, name="joint")
    scene.add_spring("b0", "b3", point_a=(0, 0, 0.1), stiffness=10.0, name="across")
    scene.add_body("alone", Box(0.1, 0.1, 0.1), mass=1.0, position=(9, 0, 2))
    scene.add_spring("b0", "alone", stiffness=10.0, name="out")
    model, trees = trees_of(scene)
    expected = {"ground": AT_BODY, "joint": AT_JOINT, "across": CROSSING, "out": KEPT}
    for name, role in expected.items():
        assert set(roles_of(model, trees, name)) == {role}, name


def test_springs_between_trees_cross_them() -> None:
    scene = taut.Scene(collisions=False)
    for index in range(2):
        scene.add_body(f"b{index}", Box(0.1, 0.1, 0.1), mass=1.0, position=(index, 0, 0))
        scene.connect("world", f"b{index}", Revolute(), at=(index, 0, 0))
    scene.add_spring("b0", "b1", stiffness=10.0, name="spring")
    assert set(roles_of(*trees_of(scene), "spring")) == {CROSSING}


def test_drives_are_absorbed_where_their_force_is_unlimited() -> None:
    """Springs and dampers of joints go into A_r; motors, limits and friction have bounds or are hard."""
    scene = taut.Scene(collisions=False)
    hinges = {
        "spring": Revolute(stiffness=5.0, damping=1.0), "limits": Revolute(limits=(-1, 1)),
        "motor": Revolute(motor=Motor(speed=1.0, max_force=3.0)), "friction": Revolute(friction=0.2),
        "screw": Screw(pitch=0.1), "slider": Cylindrical(),
    }  # fmt: skip
    for index, (name, joint) in enumerate(hinges.items()):
        scene.add_body(f"b{index}", Box(0.1, 0.1, 0.1), mass=1.0, position=(index, 0, 0))
        scene.connect("world", f"b{index}", joint, at=(index, 0, 0), name=name)
    model, trees = trees_of(scene)
    kept = {name: roles_of(model, trees, name) for name in hinges}
    assert set(kept["spring"][5:]) <= {AT_BODY, AT_JOINT} and len(kept["spring"]) > 5
    assert [set(kept[name][5:]) for name in ("limits", "motor", "friction")] == [{KEPT}] * 3
    assert kept["screw"] == [ELIMINATED] * 4 + [KEPT], "the thread couples a slide and a turn"
    assert kept["slider"] == [ELIMINATED] * 4


def test_every_row_has_one_role_and_absorbed_ones_are_soft(rng: np.random.Generator) -> None:
    scene = random_tree(rng, 10)
    for pair in rng.choice(10, (6, 2), replace=True):
        if pair[0] != pair[1]:
            scene.add_spring(f"b{pair[0]}", f"b{pair[1]}", point_a=(0.1, 0, 0), stiffness=10.0)
    model, trees = trees_of(scene)
    kind = model.layout.laws.kind
    assert np.isin(kind[trees.role > ELIMINATED], (SOFT, COMPANION)).all()
    assert (trees.role == ELIMINATED).sum() == trees.row_count.sum()
    assert (trees.role == CROSSING).any() and (trees.role == AT_JOINT).any() | (trees.role == AT_BODY).any()


def test_parts_take_their_trees_along() -> None:
    scene = taut.Scene(collisions=False)
    rng = np.random.default_rng(3)
    for name in ("p", "q", "r"):
        random_body(scene, rng, name)
        random_body(scene, rng, f"{name}-tip")
        scene.connect("world", name, Revolute(axis=(1, 0, 0)), at=(0, 0, 0))
        scene.connect(f"{name}-tip", name, Spherical(), at=(0.1, 0.2, 0))
    simulation = taut.Simulation(scene, coordinates="reduced")
    stepper, all_names = simulation.stepper, simulation.model.bodies.names
    whole = stepper.mechanism.trees
    for chosen in (["q", "q-tip"], ["p", "p-tip", "r", "r-tip"]):
        part = part_of(stepper, np.isin(all_names, chosen))
        own = part.stepper.mechanism.trees
        assert [all_names[part.bodies.chosen[body]] for body in own.body] == chosen
        here = [whole.node[all_names.index(name)] for name in chosen]
        for field in ("turn", "slides", "slide_axis", "axis_a", "axis_b", "point_a", "point_b", "relative", "flipped"):
            np.testing.assert_array_equal(getattr(own, field), getattr(whole, field)[here], field)
        assert np.array_equal(np.diff(own.dof_start), np.diff(whole.dof_start)[here])
        assert np.array_equal(part.rows.chosen[own.first_row], whole.first_row[here])
        assert np.array_equal(own.role, whole.role[part.rows.chosen])
        assert np.array_equal(own.parent, [-1, 0] if len(chosen) == 2 else [-1, 0, -1, 2])
        assert own.tree_start[-1] == len(chosen) and own.tree_start.size == len(chosen) // 2 + 1


def test_mechanisms_know_their_trees() -> None:
    model, _ = compile_scene(chain(2))
    assert mechanism_of(model).trees.body.size == 0
    assert mechanism_of(model, "reduced").trees.body.size == 2
