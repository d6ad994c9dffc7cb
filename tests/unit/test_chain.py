"""Chains of rigid links."""

from __future__ import annotations

import numpy as np
import pytest
from sample_mechanisms import advance

import taut
from taut.errors import InputError
from taut.machines import Chain


def hanging(**options: object) -> taut.Scene:
    """A load of 200 kg on a chain of 2 m, aside."""
    scene = taut.Scene(collisions=False)
    scene.add_body("load", taut.shapes.Box(0.4, 0.4, 0.4), mass=200.0, position=(1.2, 0.3, -1.4))
    scene.add(Chain(from_="world", to="load", links=10, pitch=0.2, **options), name="chain")
    return scene


@pytest.mark.parametrize("shape", ["capsule", "ring"])
@pytest.mark.parametrize(("joint", "rows"), [("ball", 3), ("universal", 4), ("hinge", 5)])
def test_chains_hold_their_length(joint: str, rows: int, shape: str) -> None:
    simulation = taut.Simulation(hanging(joint=joint, shape=shape))
    assert simulation.model.layout.declared_count == 9 * rows + 6
    reports = advance(simulation, 2.0)
    assert max(report.violation for report in reports) < 1e-5
    assert reports[-1].energy <= reports[0].energy + 1e-6 * abs(reports[0].energy)
    view = simulation.part("chain")
    begin, end = view.ends()
    np.testing.assert_allclose(begin[1:], end[:-1], atol=1e-5)
    assert view.length == pytest.approx(2.0) and (view.tensions > 100.0).all()


def test_universal_joints_do_not_twist() -> None:
    simulation = taut.Simulation(hanging(joint="universal"))
    advance(simulation, 1.0)
    turns = [simulation.body(body).orientation for body in simulation.part("chain").bodies]
    for first, second in zip(turns[:-1], turns[1:], strict=True):
        relative = taut.spatial.multiply(taut.spatial.conjugate(first), second)
        assert abs(2.0 * relative[3]) < 0.02


def test_rings_stand_across_each_other() -> None:
    bodies = hanging(shape="ring").bodies[2:]
    flat = [taut.spatial.rotate(body.orientation, (1.0, 0.0, 0.0)) for body in bodies]
    assert all(abs(first @ second) < 0.4 for first, second in zip(flat[:-1], flat[1:], strict=True))
    assert all(first @ second > 0.9 for first, second in zip(flat[:-2], flat[2:], strict=True))


def test_a_chain_is_cut() -> None:
    simulation = taut.Simulation(hanging())
    simulation.part("chain").cut(at=0.55)
    assert "chain/joint-3" not in simulation.part("chain").joints
    advance(simulation, 0.5)
    assert simulation.body("load").velocity[2] < -4.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"links": 2.5}, "links is 2.5"),
        ({"joint": "glue"}, "no joint 'glue'.*ball, universal, hinge"),
        ({"shape": "square"}, "capsule, ring"),
        ({"points": [(0, 0, 1)]}, "pitch is 0.2 and points"),
        ({"pitch": 0.1}, "ends are"),
        ({"pitch": 0.0}, "pitch is 0"),
    ],
)
def test_what_makes_no_chain_is_said(wrong: dict[str, object], words: str) -> None:
    given = {"from_": "world", "end": (0, 0, -2), "links": 10, "pitch": 0.2} | wrong
    with pytest.raises(InputError, match=words):
        taut.Scene().add(Chain(**given), name="chain")
