"""What an edit refuses."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.joints import Spherical
from taut.shapes import Box


def two_boxes() -> taut.Simulation:
    """Two boxes that hang on a joint each."""
    scene = taut.Scene(collisions=False)
    for name, at, joint in (("box-1", 0.0, "lower"), ("box-2", 3.0, "upper")):
        scene.add_body(name, Box(0.5, 0.5, 0.5), mass=10, position=(at, 0, 0))
        scene.connect("world", name, Spherical(), at=(at, 0, 1), name=joint)
    return taut.Simulation(scene)


def test_an_edit_acts_only_inside_its_block() -> None:
    simulation = two_boxes()
    with simulation.edit() as edit:
        edit.remove_joint("upper")
    asks = [
        lambda edit: edit.remove_joint("lower"), lambda edit: edit.remove_body("box-1"), lambda edit: edit.cut("lower"),
        lambda edit: edit.connect("world", "box-1", Spherical()), lambda edit: edit.add_spring("world", "box-1"),
        lambda edit: edit.detach("world", "box-1"), lambda edit: edit.ignore_contacts("box-1", "box-2"),
        lambda edit: edit.add_body("new"), lambda edit: edit.set_mass("box-1", 3.0), lambda edit: edit.refine("c", 0.1),
        lambda edit: edit.set_velocity("box-1", (0, 0, 0), (0, 0, 0)), lambda edit: edit.set_force("lower", 1.0),
        lambda edit: edit.set_past("box-1", np.zeros(6), np.zeros(6)), lambda edit: edit.add(None, "c"),
        lambda edit: edit.split_body("box-1", {"a": {}, "b": {}}),
        lambda edit: edit.merge_bodies(("box-1", "box-2"), "x"),
    ]  # fmt: skip
    before = simulation.scene
    for ask in asks:
        for used in (edit, simulation.edit()):
            with pytest.raises(InputError, match="edit: it acts only inside its block"):
                ask(used)
    assert simulation.scene is before and "lower" in simulation.meter.names


def test_nothing_else_may_happen_inside_the_block() -> None:
    simulation = two_boxes()
    with pytest.raises(InputError, match="this edit is void"), simulation.edit() as edit:
        edit.remove_joint("upper")
        simulation.step()
    assert "upper" in simulation.meter.names


def test_what_cannot_be_cut_there_is_refused() -> None:
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("bob", mass=1.0, inertia=(1, 1, 1), position=(0, 5, 0))
    scene.connect("world", "bob", Spherical(), name="ball")
    scene.add(taut.machines.Cable(start=(0, 0, 0), end=(4, 0, 0), segments=8), name="line")
    simulation = taut.Simulation(scene)
    simulation.part("line").cut(1.6)
    wrong = [
        (("line", 4.1), "at is 4.1; it must be within its length of 4 m"),
        (("line", 1.4), "at is 1.4; the joint there, at 1.5 m, is cut already"),
        (("ball", 0.1), "'ball': at is 0.1; a joint or spring is cut as a whole"),
        (("bal", 0.1), "no part or joint 'bal'.*did you mean 'ball'"),
        (("lin", None), "no part or joint 'lin'.*did you mean 'line'"),
        ((None, 0.1), "no part or joint None"),
    ]
    for (name, at), words in wrong:
        with pytest.raises(InputError, match=words), simulation.edit() as edit:
            edit.cut(name, at)
    assert len(simulation.part("line").joints) == 6 and "ball" in simulation.meter.names
