"""Named errors: everything Taut raises on purpose is a `TautError`, and its text is one line for a person."""

from __future__ import annotations


class TautError(Exception):
    """Base of all errors raised by Taut."""


class InputError(TautError, ValueError):
    """Something the user gave is not allowed; the text names the object, the value and what is allowed."""


class SimulationError(TautError):
    """A simulation could not go on; the text names the step, the time and the cause."""
