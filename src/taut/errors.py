"""Named errors: everything Taut raises on purpose is a `TautError`, and its text is one line for a person."""

from __future__ import annotations

import sys
import warnings
from typing import Any


class TautError(Exception):
    """Base of all errors raised by Taut."""


class InputError(TautError, ValueError):
    """Something the user gave is not allowed; the text names the object, the value and what is allowed."""


class TautWarning(UserWarning):
    """Something the user gave is allowed, but surely a mistake; the text names the object and the value."""


class SimulationError(TautError):
    """A simulation could not go on; the text names the step, the time and the cause."""


def show_warnings_in_lines() -> None:
    """From now on print every `TautWarning` as one line on stderr, without the place in the code."""
    show = warnings.showwarning

    def show_line(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        if issubclass(category, TautWarning):
            print(f"taut: warning: {message}", file=sys.stderr)
        else:
            show(message, category, *place, **more)

    warnings.showwarning = show_line
