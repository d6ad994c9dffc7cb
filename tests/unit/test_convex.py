"""Hulls of points: corners, exact mass properties, files, and points that enclose nothing."""

from __future__ import annotations

import struct
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import taut
from taut.errors import InputError
from taut.shapes import Box, Convex

Array = np.ndarray

CUBE = np.array(list(product((0.0, 1.0), (0.0, 2.0), (0.0, 3.0))))
TETRAHEDRON = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])


def cloud(seed: int, count: int = 30) -> Array:
    return np.random.default_rng(seed).standard_normal((count, 3))


def test_hull_of_a_box_is_the_box() -> None:
    hull, box = Convex(CUBE + (5.0, -7.0, 9.0)), Box(1.0, 2.0, 3.0)
    assert hull.volume == pytest.approx(6.0, rel=1e-14)
    assert hull.com == pytest.approx((5.5, -6.0, 10.5), rel=1e-14)
    assert hull.inertia(12.0) == pytest.approx(box.inertia(12.0), rel=1e-12, abs=1e-12)


def test_tetrahedron_in_closed_form() -> None:
    """Of 1 kg about the centroid: moments 3/40 kg m^2 and off-diagonal entries 1/80 kg m^2."""
    hull = Convex(TETRAHEDRON)
    assert hull.volume == pytest.approx(1.0 / 6.0) and hull.com == pytest.approx((0.25, 0.25, 0.25))
    assert hull.inertia(1.0) == pytest.approx(np.where(np.eye(3) > 0.0, 3.0 / 40.0, 1.0 / 80.0), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_mass_properties_turn_and_move_with_the_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, shift = cloud(seed), 100.0 * rng.standard_normal(3)
    rotation = taut.spatial.matrix(taut.spatial.exponential(rng.standard_normal(3)))
    plain, moved = Convex(points), Convex(points @ rotation.T + shift)
    assert moved.volume == pytest.approx(plain.volume, rel=1e-11)
    assert moved.com == pytest.approx(rotation @ plain.com + shift, rel=1e-11)
    assert moved.inertia(3.0) == pytest.approx(rotation @ plain.inertia(3.0) @ rotation.T, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e6])
def test_size_does_not_matter(scale: float) -> None:
    plain, scaled = Convex(cloud(3)), Convex(scale * cloud(3))
    assert len(plain.points) == len(scaled.points) and np.array_equal(plain.triangles, scaled.triangles)
    assert scaled.volume == pytest.approx(plain.volume * scale**3, rel=1e-12)
    assert scaled.inertia(1.0) == pytest.approx(plain.inertia(1.0) * scale**2, rel=1e-9)


@given(st.integers(0, 10_000), st.integers(4, 60))
def test_triangles_are_a_closed_surface_that_looks_outwards(seed: int, count: int) -> None:
    points = np.round(cloud(seed, count), 1)  # rounded: many points in one plane, some twice
    try:
        hull = Convex(points)
    except InputError:
        assert count < 12, "a few rounded points can be in one plane, many are not"
        return
    assert not hull.points.flags.writeable and not hull.triangles.flags.writeable
    # every edge once in each direction
    edges = np.concatenate([hull.triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    assert sorted(map(tuple, edges)) == sorted(map(tuple, edges[:, ::-1]))
    corners = hull.points[hull.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    heights = np.einsum("ti,tpi->tp", normals, points[None] - corners[:, :1])
    assert heights.max() <= 1e-12
    assert (np.linalg.eigvalsh(hull.inertia(1.0)) > 0.0).all()


def test_points_inside_are_dropped_and_the_order_is_kept() -> None:
    points = np.insert(CUBE, 3, (0.5, 1.0, 1.5), axis=0)
    assert np.array_equal(Convex(points).points, CUBE)
    assert Convex(points) == Convex(CUBE) != Convex(CUBE + 1.0)


FLAT = [(x, y, 0.0) for x, y in product(range(3), range(3))]


@pytest.mark.parametrize(("points", "words"), [
    (TETRAHEDRON[:3], "at least 4 points"),
    (TETRAHEDRON[:, :2], "at least 4 points of 3 numbers"),
    ("rock.obj", "at least 4 points"),
    (CUBE * 1j, "at least 4 points"),
    (CUBE.astype(str), "at least 4 points"),
    ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 1)], "at least 4 points"),
    (FLAT, "one plane"),
    ([(x, 2.0 * x, -x) for x in range(9)], "one plane or line"),
    ([(1.0, 2.0, 3.0)] * 5, "all the same"),
    (np.where(CUBE == 3.0, 1e-7, CUBE), "one plane"),
    (np.where(CUBE == 3.0, np.nan, CUBE), r"\[1\] is \(0, 0, nan\)"),
    (np.where(CUBE == 3.0, np.inf, CUBE), r"\[1\] is \(0, 0, inf\)"),
    (np.where(CUBE == 3.0, 1e31, CUBE), "at most 1e"),
], ids=lambda part: str(part).replace("\n", " ")[:20])  # fmt: skip
def test_points_that_enclose_nothing_are_refused(points: object, words: str) -> None:
    with pytest.raises(InputError, match=f"^Convex: points.*{words}") as caught:
        Convex(points)
    assert "\n" not in str(caught.value)


@given(st.lists(st.tuples(*[st.floats()] * 3), min_size=4, max_size=8), st.floats())
def test_any_hull_is_finite_or_refused(points: list, mass: float) -> None:
    scene = taut.Scene()
    try:
        scene.add_body("rock", Convex(points), mass=mass)
    except InputError as error:
        assert "\n" not in str(error) and ("Convex: points" in str(error) or "body 'rock'" in str(error))
        return
    spec = scene.bodies[-1]
    assert np.isfinite(spec.com).all() and np.isfinite(spec.inertia).all()


def test_thin_plates_are_solid() -> None:
    assert Convex(CUBE * (1.0, 1.0, 1e-4)).volume == pytest.approx(6e-4)


def write_obj(path: Path) -> None:
    lines = ["# a box", "o box", *(f"v {x} {y} {z}" for x, y, z in CUBE), "vn 0 0 1", "vt 0 0", "f 1/1/1 2/1/1 3/1/1"]
    path.write_text("\n".join(lines))


def write_text_stl(path: Path) -> None:
    facets = []
    for triangle in Convex(CUBE).triangles:
        corners = "\n".join("      vertex {:e} {:e} {:e}".format(*CUBE[corner]) for corner in triangle)
        facets.append(f"  facet normal 0 0 0\n    outer loop\n{corners}\n    endloop\n  endfacet")
    path.write_text("solid box\n" + "\n".join(facets) + "\nendsolid box\n")


def write_binary_stl(path: Path) -> None:
    triangles = Convex(CUBE).triangles
    facets = (struct.pack("<12fH", 0, 0, 0, *CUBE[triangle].ravel(), 0) for triangle in triangles)
    path.write_bytes(b"solid in name only".ljust(80) + struct.pack("<I", len(triangles)) + b"".join(facets))


def write_npy(path: Path) -> None:
    np.save(path, CUBE)


def write_xyz(path: Path) -> None:
    path.write_text("# x y z\n\n" + "\n".join(f"{x} {y}\t{z}" for x, y, z in CUBE))


WRITERS = {"a.obj": write_obj, "text.stl": write_text_stl, "B.STL": write_binary_stl, "a.npy": write_npy,
           "a.xyz": write_xyz}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_files_give_the_hull_of_their_points(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    hull = Convex.from_file(tmp_path / name)
    assert hull.volume == pytest.approx(6.0) and hull.com == pytest.approx((0.5, 1.0, 1.5))
    assert Convex.from_file(str(tmp_path / name), scale=0.001).volume == pytest.approx(6e-9)


WRONG_FILES = {
    "missing.obj": (None, "cannot be read: No such file"),
    "mesh.dae": (b"", r"ending is '.dae'; it must be one of .obj, .stl, .npy, .xyz"),
    "empty.obj": (b"", "must be points"),
    "words.obj": (b"v 0 0 0\nv 1 zero 0\n", "line 2 is 'v 1 zero 0'"),
    "short.xyz": (b"0 0 0\n1 1\n", "line 2 is '1 1'"),
    "cut.stl": (b" " * 80 + struct.pack("<I", 4) + b"\0" * 100, "complete binary"),
    "tiny.stl": (b"so", "complete binary"),
    "noise.npy": (b"\x93NUMPY noise", "no NumPy array"),
    "flat.xyz": (b"0 0 0\n1 0 0\n0 1 0\n1 1 0\n", "Convex: points lie in one plane"),
    "nan.xyz": (b"0 0 0\n1 0 0\n0 1 0\n0 0 nan\n", r"Convex: points\[3\] is \(0, 0, nan\)"),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_wrong_files_are_refused_by_name(name: str, tmp_path: Path) -> None:
    content, words = WRONG_FILES[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=f"^file '.*{name}': .*{words}") as caught:
        Convex.from_file(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_wrong_paths_and_scales_are_refused() -> None:
    with pytest.raises(InputError, match="must be a path"):
        Convex.from_file(None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="cannot be read"):
        Convex.from_file("a\0b.obj")
    with pytest.raises(InputError, match="scale is 0"):
        Convex.from_file("a.obj", scale=0.0)


def test_body_of_a_hull_off_its_origin_falls_with_its_origin_where_it_was_put() -> None:
    """Points far from the origin: `position` is the origin's, the hull turns about its centroid."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("rock", Convex(CUBE), density=1.0, position=(1, 1, 1), angular_velocity=(0, 0, np.pi))
    simulation = taut.Simulation(scene)
    assert simulation.body("rock").position == pytest.approx([1, 1, 1])
    simulation.run(1.0)
    assert simulation.body("rock").position == pytest.approx([2, 3, 1], abs=1e-6), "half a turn about (1.5, 2)"
