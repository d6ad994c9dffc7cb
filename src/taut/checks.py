"""Checks of what users type: each returns the clean value or raises one line that names the object and what is allowed."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from taut.errors import InputError
from taut.spatial import Array


def number(owner: str, field: str, value: Any, *, above: float | None = None, at_least: float | None = None) -> float:
    """A finite number, greater than `above` or not below `at_least` where given."""
    wanted = "a finite number"
    wanted += f" > {above:g}" if above is not None else f" >= {at_least:g}" if at_least is not None else ""
    try:
        result = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{owner}: {field} is {value!r}; it must be {wanted}") from None
    small = (above is not None and result <= above) or (at_least is not None and result < at_least)
    if not math.isfinite(result) or small:
        raise InputError(f"{owner}: {field} is {result:g}; it must be {wanted}")
    return result


def bound(owner: str, field: str, value: Any) -> float:
    """A number >= 0 that may be infinite, such as a largest force."""
    return math.inf if value == math.inf else number(owner, field, value, at_least=0.0)


def vector(owner: str, field: str, value: Any, size: int = 3) -> Array:
    """A vector of `size` finite numbers."""
    try:
        result = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{owner}: {field} is {value!r}; it must be {size} finite numbers") from None
    if result.shape != (size,) or not np.isfinite(result).all():
        raise InputError(f"{owner}: {field} is {value!r}; it must be {size} finite numbers")
    return result


def direction(owner: str, field: str, value: Any) -> Array:
    """A unit vector (3,), made from any vector that is not zero."""
    result = vector(owner, field, value)
    length = float(np.linalg.norm(result))
    if length < 1e-12:
        raise InputError(f"{owner}: {field} is {value!r}; it must be a vector that is not zero")
    return result / length


def quaternion(owner: str, field: str, value: Any) -> Array:
    """A unit quaternion (w, x, y, z); lengths off by less than 1 % are put right."""
    result = vector(owner, field, value, 4)
    length = float(np.linalg.norm(result))
    if abs(length - 1.0) > 0.01:
        raise InputError(f"{owner}: {field} is {value!r} of length {length:g}; it must be a unit quaternion (w, x, y, z)")
    return result / length


def interval(owner: str, field: str, value: Any) -> tuple[float, float]:
    """Two numbers lower <= upper, either of which may be infinite."""
    try:
        lower, upper = (float(end) for end in value)
    except (TypeError, ValueError):
        raise InputError(f"{owner}: {field} is {value!r}; it must be two numbers (lower, upper)") from None
    if not lower <= upper:
        raise InputError(f"{owner}: {field} is {value!r}; lower must not be above upper, and neither may be NaN")
    return lower, upper


def inertia(owner: str, value: Any) -> Array:
    """An inertia tensor (3, 3) in kg m^2, from a tensor or three principal moments, that a body can have."""
    try:
        tensor = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{owner}: inertia is {value!r}; it must be 3 moments or a 3 x 3 matrix") from None
    tensor = np.diag(tensor) if tensor.shape == (3,) else tensor
    if tensor.shape != (3, 3) or not np.isfinite(tensor).all() or not np.allclose(tensor, tensor.T, rtol=1e-9):
        raise InputError(f"{owner}: inertia is {value!r}; it must be 3 finite moments or a symmetric 3 x 3 matrix")
    a, b, c = np.linalg.eigvalsh(tensor)
    if a <= 0.0:
        raise InputError(f"{owner}: inertia has the principal moment {a:g}; all three must be > 0")
    if a + b < c * (1.0 - 1e-9):
        raise InputError(
            f"{owner}: inertia has the principal moments {a:g}, {b:g}, {c:g}; no body has one above the sum of the others"
        )
    return 0.5 * (tensor + tensor.T)


def known(owner: str, field: str, value: Any, names: Iterable[str]) -> str:
    """One of these names; a wrong one is answered with the nearest and the whole list."""
    choices = list(names)
    if value in choices:
        return str(value)
    near = difflib.get_close_matches(str(value), choices, n=1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    listed = ", ".join(choices[:20]) + (f", ... {len(choices)} in all" if len(choices) > 20 else "")
    raise InputError(f"{owner}: there is no {field} {value!r}{hint}; there are: {listed or 'none'}")
