"""Names that users type: a wrong one is answered with what was probably meant and with what is valid."""

from __future__ import annotations

from collections.abc import Collection

from taut.errors import InputError

SHOWN = 20
"""Valid names that an error lists at most."""


def known(name: str, valid: Collection[str], kind: str) -> str:
    """The name itself if it is valid, else an `InputError` in one line.

    Args:
        name: what the user gave.
        valid: all names that are allowed, in the order to show them.
        kind: what it names, such as "scene".
    """
    if name in valid:
        return name
    import difflib

    names = list(valid)
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean '{close[0]}'? " if close else ""
    listed = ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")
    raise InputError(f"no {kind} '{name}'; {hint}valid: {listed or 'none'}")
