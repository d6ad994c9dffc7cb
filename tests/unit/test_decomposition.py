"""Convex pieces of what is not convex."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.shapes import Convex, Mesh, decompose

OUTLINE = np.array([(0, 0), (0.3, 0), (0.3, 0.1), (0.1, 0.1), (0.1, 0.3), (0, 0.3)])
"""An angle iron, 0.1 m thick."""

VERTICES = np.vstack([np.column_stack([OUTLINE, np.full(6, z)]) for z in (0.0, 0.2)])
CAP = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
TRIANGLES = np.array(
    [(a, c, b) for a, b, c in CAP] + [(a + 6, b + 6, c + 6) for a, b, c in CAP]
    + [(i, (i + 1) % 6, i + 6) for i in range(6)] + [((i + 1) % 6, (i + 1) % 6 + 6, i + 6) for i in range(6)]
)  # fmt: skip


def test_without_the_library_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "coacd", None)
    with pytest.raises(InputError, match=r"decompose needs coacd: pip install -e '\.\[mesh\]'"):
        decompose(VERTICES, TRIANGLES)


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="decompose: concavity is 5"):
        decompose(VERTICES, TRIANGLES, concavity=5.0)
    with pytest.raises(InputError, match="decompose: triangles is None"):
        decompose(VERTICES)
    with pytest.raises(InputError, match="decompose: pieces"):
        decompose(VERTICES, TRIANGLES, pieces=0)


def test_an_open_mesh_is_refused() -> None:
    with pytest.raises(InputError, match="decompose: 3 edges are not between two triangles; the mesh must be closed"):
        decompose(VERTICES, TRIANGLES[1:])


def test_pieces_fill_the_mesh(tmp_path: Path) -> None:
    pytest.importorskip("coacd")
    shape = decompose(VERTICES, TRIANGLES)
    assert len(shape.parts) >= 2 and all(isinstance(part[0], Convex) for part in shape.parts)
    assert shape.volume == pytest.approx(0.05 * 0.2, rel=0.05)
    assert decompose(VERTICES, TRIANGLES) == shape, "the same mesh gives the same pieces"
    file = tmp_path / "iron.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in VERTICES] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in TRIANGLES]
    file.write_text("\n".join(lines))
    assert decompose(file) == shape
    assert decompose(Mesh(VERTICES, TRIANGLES)) == shape


def test_a_body_of_pieces_hangs_on_a_peg_in_its_corner() -> None:
    pytest.importorskip("coacd")
    scene = taut.Scene()
    scene.add_body("peg", taut.shapes.Box(0.04, 0.04, 0.4), fixed=True, position=(0.13, 0.13, 0.1))
    scene.add_body("iron", decompose(VERTICES, TRIANGLES), density=2000)
    simulation = taut.Simulation(scene)
    for _ in range(5):
        assert simulation.step().penetration < 1e-3, "the peg is where the hull of the iron would be"
