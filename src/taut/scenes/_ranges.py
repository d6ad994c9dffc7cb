"""Parameters of scenes that may only be so small and so large."""

from __future__ import annotations

from typing import Any

from taut import checks
from taut.errors import InputError


def within(owner: str, field: str, value: Any, span: tuple[float, float], unit: str = "") -> float:
    """A number from the least to the greatest value of a span, both included."""
    number, (least, most) = checks.number(owner, field, value), span
    if not least <= number <= most:
        text = f"{owner}: {field} is {number:g}; it must be from {least:g} to {most:g}"
        raise InputError(f"{text} {unit}".rstrip())
    return number
