"""Checks of what users type: each returns the clean value, or raises one line that says what is allowed."""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from taut.errors import InputError
from taut.spatial import Array

LARGEST = 1e30
"""Largest size of a number that is taken, and smallest of one that must be positive its inverse: squares and cubes of
what users give must stay finite."""


def shown(value: Any) -> str:
    """A value in one short line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else f"{text[:77]}..."


def number(owner: str, field: str, value: Any, *, above: float | None = None, at_least: float | None = None) -> float:
    """A finite number, greater than `above` or not below `at_least` where given; texts, True and False are none."""
    try:
        result = float("none" if not_a_real_number(value) else value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{owner}: {field} is {shown(value)}; it must be {range_of(above, at_least)}") from None
    small = (above is not None and result <= above) or (at_least is not None and result < at_least)
    if not math.isfinite(result) or small:
        raise InputError(f"{owner}: {field} is {result:g}; it must be {range_of(above, at_least)}")
    if abs(result) > LARGEST or (above == 0.0 and result < 1.0 / LARGEST):
        raise InputError(f"{owner}: {field} is {result:g}; sizes from {1.0 / LARGEST:g} to {LARGEST:g} are taken")
    return result


def range_of(above: float | None, at_least: float | None) -> str:
    """What a number must be, in words."""
    return "a finite number" + (
        f" > {above:g}" if above is not None else f" >= {at_least:g}" if at_least is not None else ""
    )


def not_a_real_number(value: Any) -> bool:
    """Whether a value is of a kind that `float` would take for a number, silently or in part."""
    if type(value) is float:
        return False
    if isinstance(value, np.ndarray | np.generic):
        return value.ndim > 0 or value.dtype.kind not in "iuf"
    return isinstance(value, str | bytes | bool)


def real_array(value: Any) -> Array:
    """Numbers as an array of floats; TypeError, ValueError or OverflowError where they are none."""
    raw = np.array(value)
    if raw.dtype.kind not in "iufO" or (raw.dtype.kind == "O" and any(map(not_a_real_number, raw.flat))):
        raise TypeError("these are no real numbers")
    return raw.astype(float)


def bound(owner: str, field: str, value: Any) -> float:
    """A number >= 0 that may be infinite, such as a largest force."""
    infinite = isinstance(value, float) and value == math.inf
    return math.inf if infinite else number(owner, field, value, at_least=0.0)


def place(value: Any, places: range) -> int | None:
    """A whole number as one of these places; None for everything else."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return int(value) if whole and int(value) in places else None


def flag(owner: str, field: str, value: Any) -> bool:
    """True or False; words and numbers are refused, as "no" would count as True."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{owner}: {field} is {shown(value)}; it must be True or False")
    return bool(value)


def strength(owner: str, field: str, value: Any) -> float:
    """A number greater than 0, or infinity for what never gives."""
    infinite = isinstance(value, float) and value == math.inf
    return math.inf if infinite else number(owner, field, value, above=0.0)


def vector(owner: str, field: str, value: Any, size: int = 3) -> Array:
    """A vector of `size` finite numbers."""
    try:
        result = real_array(value)
    except (TypeError, ValueError, OverflowError):
        result = np.zeros(0)
    if result.shape == (size,) and all(-LARGEST <= component <= LARGEST for component in result.tolist()):
        return result
    most = f" of at most {LARGEST:g}" if result.shape == (size,) else ""
    raise InputError(f"{owner}: {field} is {shown(value)}; it must be {size} finite numbers{most}")


def direction(owner: str, field: str, value: Any) -> Array:
    """A unit vector (3,), made from any vector that is not zero."""
    result = vector(owner, field, value)
    length = float(np.linalg.norm(result))
    if length < 1e-12:
        raise InputError(f"{owner}: {field} is {shown(value)}; it must be a vector that is not zero")
    return result / length


def quaternion(owner: str, field: str, value: Any) -> Array:
    """A unit quaternion (w, x, y, z); lengths off by less than 1 % are put right."""
    result = vector(owner, field, value, 4)
    length = float(np.linalg.norm(result))
    if abs(length - 1.0) > 0.01:
        wanted = "it must be a unit quaternion (w, x, y, z)"
        raise InputError(f"{owner}: {field} is {shown(value)} of length {length:g}; {wanted}")
    return result / length


def interval(owner: str, field: str, value: Any) -> tuple[float, float]:
    """Two numbers lower <= upper, either of which may be infinite."""
    try:
        lower, upper = real_array(value).tolist()
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{owner}: {field} is {shown(value)}; it must be two numbers (lower, upper)") from None
    if not lower <= upper or lower == math.inf or upper == -math.inf:
        raise InputError(f"{owner}: {field} is {shown(value)}; lower must not be above upper, and neither may be NaN")
    return lower, upper


def inertia(owner: str, value: Any) -> Array:
    """An inertia tensor (3, 3) in kg m^2, from a tensor or three principal moments, that a body can have."""
    try:
        tensor = real_array(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{owner}: inertia is {shown(value)}; it must be 3 moments or a 3 x 3 matrix") from None
    tensor = np.diag(tensor) if tensor.shape == (3,) else tensor
    if tensor.shape != (3, 3) or not np.isfinite(tensor).all() or not nearly_symmetric(tensor):
        raise InputError(f"{owner}: inertia is {shown(value)}; it must be 3 finite moments or a symmetric 3 x 3 matrix")
    a, b, c = principal_moments(tensor)
    if a <= 0.0:
        raise InputError(f"{owner}: inertia has the principal moment {a:g}; all three must be > 0")
    if a + b < c * (1.0 - 1e-9):
        raise InputError(
            f"{owner}: inertia has the principal moments {a:g}, {b:g}, {c:g}; none can exceed the sum of the others"
        )
    return 0.5 * (tensor + tensor.T)


def principal_moments(tensor: Array) -> list[float]:
    """Moments of a symmetric tensor (3, 3) in rising order; most tensors are diagonal, which saves the eigenvalues."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = tensor.tolist()
    if any((xy, xz, yx, yz, zx, zy)):
        return np.linalg.eigvalsh(tensor).tolist()
    return sorted((xx, yy, zz))


def nearly_symmetric(tensor: Array) -> bool:
    """Whether a matrix equals its transpose to 1e-9 of its largest entry."""
    return float(np.abs(tensor - tensor.T).max()) <= 1e-9 * float(np.abs(tensor).max())


def text(owner: str, field: str, value: Any) -> str:
    """Text that is not empty and that files can hold."""
    if not isinstance(value, str) or not storable(value):
        wanted = "it must be text that is not empty, without NUL and unpaired surrogates"
        raise InputError(f"{owner}: {field} is {shown(value)}; {wanted}")
    return str(value)


def storable(value: str) -> bool:
    """Whether a text is not empty and can be written to a file: UTF-8 has no surrogates, HDF5 no NUL."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return bool(value) and "\0" not in value


def path(owner: str, field: str, value: Any) -> Path:
    """The name of a file or folder."""
    name = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(name, str) or not name or "\0" in name:
        raise InputError(f"{owner}: {field} is {shown(value)}; it must be the name of a file, without NUL")
    return Path(name)


def new_name(kind: str, value: Any, taken: Container[str]) -> str:
    """How messages call a new object, after checking that its name is text and not taken."""
    name = text(kind, "name", value)
    if name in taken:
        raise InputError(f"{kind} {name!r}: the name is taken; every {kind} needs its own")
    return f"{kind} {name!r}"


def known(owner: str, field: str, value: Any, *names: Iterable[str]) -> str:
    """One of these names, dictionaries not being searched; a wrong one is answered with the nearest and the list.

    Who leaves out what is before a slash, as in "crane/boom.luff", is understood.
    """
    groups = [each if isinstance(each, dict) else list(each) for each in names]
    if isinstance(value, str) and any(value in group for group in groups):
        return str(value)
    choices = list(dict.fromkeys(name for group in groups for name in group))
    ends = {name.rpartition("/")[2]: name for name in reversed(choices)}
    near = difflib.get_close_matches(str(value), choices, n=1)
    near = near or [ends[end] for end in difflib.get_close_matches(str(value), ends, n=1)]
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    listed = ", ".join(choices[:20]) + (f", ... {len(choices)} in all" if len(choices) > 20 else "")
    raise InputError(f"{owner}: there is no {field} {shown(value)}{hint}; there are: {listed or 'none'}")
