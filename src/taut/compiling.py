"""How Numba compiles kernels in less time: the same code, with less work on the way to it.

Numba finds out again what an operator does for every line that uses it, by asking some twenty rules; most of these
compare all options of the compiler. Here options are compared by who they are, and what was found out is kept.
The variables of an instruction, which every pass asks for, are listed in fewer steps.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator
from typing import Any

from numba.core import compiler, ir, types
from numba.core.targetconfig import ConfigStack

FIND_CALL: Any = types.BaseFunction.get_call_type
"""Numba's search for the types of a call."""

CALLS: dict[tuple[Any, ...], tuple[Any, Any]] = {}
"""Function, context, types of arguments and options -> signature of the call, and what makes code for it."""

OPTIONS: dict[Any, Any] = {}
"""Options -> the one object that stands for them."""

NO_VARIABLES: set[type] = set()
"""Classes of what instructions of Numba hold that is, and holds, no variable."""


class Flags(compiler.Flags):
    """Options of a compilation. A copy is the same object for all that are equal, and knows its hash."""

    __slots__ = ("_hash",)
    __eq__ = compiler.Flags.__eq__

    def __hash__(self) -> int:
        return self._hash if hasattr(self, "_hash") else super().__hash__()

    def copy(self) -> Flags:
        """What Numba passes on to everything that it compiles on the way. Nobody writes to it."""
        shared = OPTIONS.setdefault(self, Flags(self))
        shared._hash = hash(shared)
        return shared


class KernelCompiler(compiler.Compiler):
    """Numba's compiler with options that are shared."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, names: Any) -> None:
        """The compilation of one kernel."""
        super().__init__(typing, target, library, args, result, Flags(flags), names)


def known_call(function: Any, context: Any, arguments: Any, keywords: Any) -> Any:
    """The signature of a call of an operator or function of Numba, searched for once."""
    if keywords or not all(each.is_precise() for each in arguments):
        return FIND_CALL(function, context, arguments, keywords)
    key = function, context, tuple(arguments), ConfigStack.top_or_none()
    if key not in CALLS:
        signature = FIND_CALL(function, context, arguments, keywords)
        CALLS[key] = signature, function._impl_keys[signature.args]
    signature, code = CALLS[key]
    function._impl_keys[signature.args] = code  # other options may have left theirs
    return signature


def variables_in(instruction: Any, value: Any) -> list[Any]:
    """The variables that an instruction holds in this value, as `ir.Inst` lists them, in the same order."""
    found: list[Any] = []
    _collect(value, found)
    return found


def _collect(value: Any, found: list[Any]) -> None:
    kind = type(value)
    if kind is ir.Var:
        found.append(value)
    elif kind in NO_VARIABLES:
        return
    elif isinstance(value, ir.Inst):
        found.extend(value.list_vars())
    elif isinstance(value, (dict, list, tuple)):
        for each in value.values() if isinstance(value, dict) else value:
            _collect(each, found)
    else:
        NO_VARIABLES.add(kind)


@contextlib.contextmanager
def quickly() -> Iterator[None]:
    """While kernels are compiled: calls are known, and garbage is collected later.

    One compilation makes so many objects that a tenth of its time would go into collecting.
    """
    replaced = [(types.BaseFunction, "get_call_type", known_call), (ir.Inst, "_rec_list_vars", variables_in)]
    before = [getattr(owner, name) for owner, name, _ in replaced]
    was_enabled = gc.isenabled()
    gc.disable()
    for owner, name, quick in replaced:
        setattr(owner, name, quick)
    try:
        yield
    finally:
        for (owner, name, _), old in zip(replaced, before, strict=True):
            setattr(owner, name, old)
        if was_enabled:
            gc.enable()
