"""Scenes of papers have the masses, bodies and rows that these give, as far as they give them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from taut import scenes
from taut.model.compile import compile_scene
from taut.scenes._measured import compared, read_measured
from taut.scenes._papers import PAPERS

WITHIN = 0.15
"""Share that a figure may be off."""

BUILT = [name for name in PAPERS if name in scenes.names()]


@cache
def masses(name: str) -> np.ndarray:
    """Of all bodies of a scene that move, kg."""
    bodies = compile_scene(scenes.build(name))[0].bodies
    return bodies.mass[bodies.moves > 0]


@pytest.mark.parametrize("name", BUILT)
def test_masses_and_bodies(name: str) -> None:
    found, paper = masses(name), PAPERS[name]
    own = {"mass": found.sum(), "mass_ratio": found.max() / found.min(), "bodies": found.size}
    said = {key: getattr(paper, key) for key in own if getattr(paper, key) is not None}
    assert {key: own[key] for key in said} == pytest.approx(said, rel=WITHIN)


@pytest.mark.parametrize("name", BUILT)
def test_rows_as_measured(name: str) -> None:
    measured = read_measured()
    assert name in measured, f"run `docs/make_tables.py --measure {name}`"
    pairs = compared(name, measured[name])
    rows = {key: pairs[key] for key in ("rows_mean", "rows_max") if pairs[key][1] is not None}
    assert {key: own for key, (own, _) in rows.items()} == pytest.approx(
        {key: paper for key, (_, paper) in rows.items()}, rel=WITHIN
    )


@pytest.mark.parametrize("name", BUILT)
def test_what_was_measured_is_of_the_scene_as_it_is(name: str) -> None:
    run, found = read_measured()[name], masses(name)
    own = found.size, found.sum(), found.max() / found.min()
    assert (run["bodies_moving"], run["mass"], run["mass_ratio"]) == pytest.approx(own, rel=5e-3)
