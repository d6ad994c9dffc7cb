"""Triangles from files."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from taut.errors import InputError
from taut.shapes import Mesh
from taut.shapes.mesh_files import read_triangles

SQUARE = np.array([(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0)], float)
HALVES = np.array([(0, 1, 2), (0, 2, 3)])

OBJ = "# a square\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nvn 0 0 1\nf 1/1/1 2/2/1 3//1 -1\n"
FACET = "facet normal 0 0 1\nouter loop\n{}endloop\nendfacet\n"
TEXT_STL = "".join(
    FACET.format("".join(f"vertex {x:g} {y:g} {z:g}\n" for x, y, z in SQUARE[half])) for half in HALVES
).join(("solid s\n", "endsolid s\n"))
BINARY_STL = bytes(80) + struct.pack("<I", 2) + b"".join(
    struct.pack("<12fH", 0, 0, 1, *SQUARE[half].ravel(), 0) for half in HALVES
)  # fmt: skip


@pytest.mark.parametrize(("name", "content"), [
    ("a.obj", OBJ.encode()), ("a.stl", TEXT_STL.encode()), ("b.STL", BINARY_STL),
])  # fmt: skip
def test_files_give_their_triangles(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    points, triangles = read_triangles(tmp_path / name)
    np.testing.assert_array_equal(points[triangles], SQUARE[HALVES])
    mesh = Mesh.from_file(tmp_path / name, scale=0.5)
    np.testing.assert_array_equal(mesh.vertices[mesh.triangles], 0.5 * SQUARE[HALVES])


@pytest.mark.parametrize(("name", "content", "words"), [
    ("a.obj", "v 0 0 0\nv 1 0 0\n", "holds no triangles"),
    ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "line 4 is 'f 1 2 4'.*1 to 3"),
    ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "line 4"),
    ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf a b c\n", "line 4"),
    ("a.xyz", "0 0 0\n", "ending is '.xyz'; it must be one of .obj, .stl"),
    ("a.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "a.obj.*Mesh: triangles have no area"),
])  # fmt: skip
def test_wrong_files_are_refused_by_name(name: str, content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=words):
        Mesh.from_file(tmp_path / name)
