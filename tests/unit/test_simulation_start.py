"""What a simulation starts with: true overlaps, and one line for what is surely a mistake."""

from __future__ import annotations

import warnings

import pytest

import taut
from taut.errors import InputError, TautWarning
from taut.joints import Distance, Prismatic, Revolute, Rope
from taut.shapes import Box, Sphere


def said_of(scene: taut.Scene, **options: object) -> list[str]:
    """Texts of the warnings that a simulation begins with, all of one line and all ours."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        taut.Simulation(scene, **options)
    assert all(issubclass(each.category, TautWarning) and "\n" not in str(each.message) for each in caught)
    assert all(each.filename == __file__ for each in caught), "in the name of who made the simulation"
    return [str(each.message) for each in caught]


def stack(gap: float, count: int = 2) -> taut.Scene:
    """Boxes of 1 m on each other on the ground, this far apart."""
    scene = taut.Scene()
    scene.add_plane()
    for index in range(count):
        scene.add_body(f"box-{index}", Box(1, 1, 1), mass=1.0, position=(0, 0, 0.5 + gap + index * (1.0 + gap)))
    return scene


def test_parts_are_told_to_solvers_that_have_them() -> None:
    simulation = taut.Simulation(stack(0.0), solver="schur-bpp", partition="chains", part_size=12)
    assert simulation.settings.solver == taut.solvers.get("schur-bpp", partition="chains", part_size=12)
    given = taut.solvers.get("schur-bpp", partition="groups", part_size=7)
    assert taut.Simulation(stack(0.0), solver=given, part_size=9).settings.solver.partition == "groups"
    assert taut.Simulation(stack(0.0), solver=given).settings.solver is given


@pytest.mark.parametrize(
    ("solver", "options", "message"),
    [
        (
            "bpp",
            {"partition": "groups"},
            "simulation: partition is 'groups', but solver 'bpp' has no parts; it must be",
        ),
        (
            "auto",
            {"part_size": 8},
            "simulation: part_size is 8, but solver 'auto' has no parts; it must be one of: .*sch",
        ),
        (
            "schur-bpp",
            {"partition": "metis"},
            "partition is 'metis'; it must be one of: auto, groups, minimum-degree, ",
        ),
        ("schur-bpp", {"part_size": -1}, "part_size is -1; it must be a whole number of bodies, 0 for the best one"),
    ],
)
def test_parts_that_cannot_be_are_answered_in_one_line(solver: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        taut.Simulation(stack(0.0), solver=solver, **options)
    assert "\n" not in str(caught.value)


def test_bodies_that_overlap_are_named_with_their_depth() -> None:
    scene = stack(0.0, 1)
    scene.add_body("ball", Sphere(0.5), mass=1.0, position=(0.9, 0, 0.5))
    end = "place them apart, or scene.ignore_contacts"
    assert said_of(scene) == [f"bodies 'box-0' and 'ball' overlap by 0.1 m at the start; {end}"]
    scene.add_body("stone", Sphere(0.5), mass=1.0, position=(5, 0, 0.3))
    assert said_of(scene) == [f"bodies 'world' and 'stone' overlap by 0.2 m at the start (2 pairs in all); {end}"]


@pytest.mark.parametrize("gap", [1e-3, 0.0, -1e-9, -1e-6, -1e-3])
def test_bodies_that_rest_on_each_other_are_no_mistake(gap: float) -> None:
    assert said_of(stack(gap)) == []


def test_what_does_not_collide_does_not_overlap() -> None:
    scene = stack(-0.1)
    scene.ignore_contacts("box-0", "box-1")
    scene.ignore_contacts("world", "box-0")
    simulation = taut.Simulation(scene)
    assert said_of(scene) == [] and simulation.report.penetration == 0.0
    scene = taut.Scene()
    scene.add_body("a", Box(1, 1, 1), mass=1.0)
    scene.add_body("b", Box(1, 1, 1), mass=1.0, position=(0.5, 0, 0))
    scene.add_body("wall", Box(1, 1, 1), fixed=True, position=(-0.7, 5, 0))
    scene.add_body("post", Box(1, 1, 1), fixed=True, position=(-0.5, 5, 0))
    scene.connect("a", "b", Revolute())
    assert said_of(scene) == []


@pytest.mark.filterwarnings("ignore::taut.TautWarning")
@pytest.mark.parametrize("depth", [0.0, 1e-6, 0.03, 0.2])
def test_the_first_report_has_the_true_depth(depth: float) -> None:
    simulation = taut.Simulation(stack(-depth, 1))
    assert simulation.report.penetration == pytest.approx(depth, abs=1e-12)
    recording = simulation.run(0.1)
    assert recording.column("penetration")[0] == pytest.approx(depth, abs=1e-12)
    simulation.restore(taut.Simulation(stack(-depth, 1)).state)
    assert simulation.report.penetration == pytest.approx(depth, abs=1e-12)


def hung(joint: taut.joints.Joint) -> taut.Scene:
    """A ball 2 m below the point that it hangs from."""
    scene = taut.Scene()
    scene.add_body("ball", Sphere(0.1), mass=1.0, position=(0, 0, -2))
    scene.connect("world", "ball", joint, name="j")
    return scene


@pytest.mark.parametrize("joint", [Rope(length=1.5), Distance(length=1.5), Rope(length=1.99)], ids=str)
def test_ropes_and_rods_shorter_than_the_gap_they_span_are_named(joint: taut.joints.Joint) -> None:
    expected = f"joint 'j': it is {joint.length:g} m long, but its ends are 2 m apart at the start"
    assert said_of(hung(joint)) == [expected]


@pytest.mark.parametrize("joint", [
    Rope(length=2.5), Rope(length=1.999), Rope(), Distance(), Distance(length=2.001), Prismatic(limits=(-1, 1)),
    Prismatic(limits=(0, 1)), Revolute(stiffness=5.0, rest=1.0), Prismatic(motor=taut.joints.Motor(position=1.0)),
], ids=str)  # fmt: skip
def test_what_fits_or_is_rounded_is_no_mistake(joint: taut.joints.Joint) -> None:
    assert said_of(hung(joint)) == []


def test_joints_that_start_outside_their_limits_are_named() -> None:
    assert said_of(hung(Revolute(axis=(0, 1, 0), limits=(0.5, 1.0)))) == [
        "joint 'j': it starts at 0, outside its limits 0.5 to 1"
    ]


@pytest.mark.parametrize("step", [5, 1.0, 0.3])
def test_steps_of_seconds_are_said(step: float) -> None:
    text = f"simulation: step is {step:g} s; motion is not resolved by steps above 0.25 s, 1/60 s is usual"
    assert said_of(taut.Scene(), step=step) == [text]
    assert said_of(taut.Scene(), step=step, mode="impulse") == []


@pytest.mark.parametrize("name", taut.scenes.names())
def test_no_reference_scene_begins_with_a_mistake(name: str) -> None:
    assert said_of(taut.scenes.build(name)) == []
