"""Lines of ropes in pictures."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut.joints import Route, attach, drum, pinhole, sheave
from taut.results.drawing import Drawing, draw_model
from taut.results.rope_paths import ARC


def crane() -> taut.Simulation:
    scene = taut.Scene()
    scene.add_body("drum", mass=10.0, inertia=(1, 1, 1), position=(-2, 0, -1), com=(0.1, 0, 0))
    scene.add_body("load", mass=10.0, inertia=(1, 1, 1), position=(1, 0, -3))
    stops = (
        drum("drum", radius=0.3, stored=1.0),
        pinhole("world", (-1, 0, -0.5)),
        sheave("world", radius=0.2),
        sheave("world", (0.5, 0, -2.0), radius=0.1),
        attach("load", (0, 0, 0.1)),
    )
    scene.connect("drum", "load", Route(stops=stops), name="rope")
    return taut.Simulation(scene)


def test_the_line_is_as_long_as_the_rope_and_lies_on_its_rims() -> None:
    simulation = crane()
    drawing = draw_model(simulation.model)
    line = drawing.path_points(simulation.origins(), simulation.state.orientation)
    assert len(line) == 3 * ARC + 2
    assert np.linalg.norm(np.diff(line, axis=0), axis=1).sum() == pytest.approx(
        simulation.joint("rope").length, rel=1e-2
    )
    assert np.linalg.norm(line[:ARC] - [-2, 0, -1], axis=1) == pytest.approx(np.full(ARC, 0.3))
    assert np.linalg.norm(line[ARC + 1 : 2 * ARC + 1], axis=1) == pytest.approx(np.full(ARC, 0.2))
    assert line[ARC] == pytest.approx([-1, 0, -0.5]) and line[-1] == pytest.approx([1, 0, -2.9])
    skipped = line[2 * ARC + 1 : 3 * ARC + 1]
    assert (skipped == skipped[0]).all(), "the second sheave is left out: the rope passes it"


def test_a_drawing_keeps_its_ropes_as_arrays() -> None:
    simulation = crane()
    drawing = draw_model(simulation.model)
    again = Drawing.from_arrays(drawing.arrays())
    here = simulation.origins(), simulation.state.orientation
    assert np.array_equal(again.path_points(*here), drawing.path_points(*here))
    older = {name: values for name, values in drawing.arrays().items() if name != "ropes"}
    assert len(Drawing.from_arrays(older).path_points(*here)) == 3 * ARC + 2
