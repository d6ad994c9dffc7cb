"""Points from mesh files, for hulls: only where the corners are matters, not the faces."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from taut import checks
from taut.errors import InputError
from taut.spatial import Array

STL_HEADER, STL_TRIANGLE = 84, 50
"""Bytes of a binary STL: 80 of text and the count of triangles, then normal, three corners and two bytes each."""


def read_points(path: str | Path) -> Array:
    """Points (n, 3) of a file, each once, in the order of the file and in its units."""
    path, content = read_content(path, READERS)
    points = READERS[path.suffix.lower()](path, content)
    if points.ndim != 2 or points.shape[1] != 3 or not len(points):
        raise InputError(f"file {str(path)!r}: it holds an array of shape {points.shape}; it must be points (n, 3)")
    _, first = np.unique(points, axis=0, return_index=True)
    return points[np.sort(first)]


def read_content(path: str | Path, endings: Iterable[str]) -> tuple[Path, bytes]:
    """What is in a file that has one of these endings, and its path."""
    if not isinstance(path, str | Path):
        raise InputError(f"file is {checks.shown(path)}; it must be a path")
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in endings:
        raise InputError(f"file {str(path)!r}: the ending is {suffix!r}; it must be one of {', '.join(endings)}")
    try:
        return path, path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise InputError(
            f"file {str(path)!r}: it cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None


def read_obj(path: Path, content: bytes) -> Array:
    """Lines `v x y z` of a Wavefront file."""
    return read_lines(path, content, "v", 1)


def read_xyz(path: Path, content: bytes) -> Array:
    """Three numbers a line; lines that begin with # are comments."""
    return read_lines(path, content, None, 0)


def read_stl(path: Path, content: bytes) -> Array:
    """Corners of the triangles of an STL file, text or binary."""
    count = int.from_bytes(content[STL_HEADER - 4 : STL_HEADER], "little")
    size = STL_HEADER + STL_TRIANGLE * count
    text = content[:5].lower() == b"solid" and len(content) != size  # binary files may begin with "solid" as well
    if text:
        return read_lines(path, content, "vertex", 1)
    if not count or len(content) < size:
        raise InputError(f"file {str(path)!r}: it is neither a text STL nor a complete binary one")
    rows = np.frombuffer(content, np.uint8, STL_TRIANGLE * count, STL_HEADER).reshape(count, STL_TRIANGLE)
    return rows[:, 12:48].copy().view("<f4").reshape(-1, 3).astype(float)


def read_npy(path: Path, content: bytes) -> Array:
    """An array (n, 3) saved by numpy.save."""
    from io import BytesIO

    try:
        return np.asarray(np.load(BytesIO(content), allow_pickle=False), float)
    except (ValueError, TypeError, OSError, EOFError) as error:
        raise InputError(f"file {str(path)!r}: it is no NumPy array of numbers: {first_line(error)}") from None


def read_lines(path: Path, content: bytes, keyword: str | None, start: int) -> Array:
    """Three numbers from word `start` on of the lines that begin with a keyword (None: of all lines)."""
    points = []
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#") or (keyword is not None and words[0].lower() != keyword):
            continue
        try:
            x, y, z = (float(word) for word in words[start : start + 3])
        except ValueError:
            raise InputError(
                f"file {str(path)!r}: line {number} is {line.strip()[:60]!r}; it needs three numbers"
            ) from None
        points.append((x, y, z))
    return np.array(points, float).reshape(-1, 3)


def first_line(error: Exception) -> str:
    """What an error says, in one line."""
    return str(error).strip().partition("\n")[0] or type(error).__name__


READERS: dict[str, Callable[[Path, bytes], Array]] = {
    ".obj": read_obj,
    ".stl": read_stl,
    ".npy": read_npy,
    ".xyz": read_xyz,
}
"""What reads each kind of file."""
