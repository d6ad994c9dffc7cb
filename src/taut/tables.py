"""Tables: named tuples of arrays that compiled code takes as one argument.

A kernel with a hundred arrays as arguments spends more time on taking them over than on its work. So arrays that belong
together are declared as a named tuple, field by field with their types,

    class Pose(NamedTuple):
        position: RealRows
        rotation: RealRows

and a kernel whose arguments are annotated with such classes needs no signature of its own:

    @kernel()
    def turn(pose: Pose, angle: float) -> None: ...

Python calls it with the handle of a table, `held(pose)`, which costs a microsecond however many arrays there are.
Reading a field looks the same in both worlds, so with ``NUMBA_DISABLE_JIT=1`` the tuple itself serves as its handle.
A table holds arrays, not copies: what a kernel writes, everybody sees who has the array. Numbers in it are constants.

Functions that work on tables of more than one class are `generic`: written once, compiled into each kernel that calls
them for the tables it calls them with, and plain functions to Python, where any object will do that offers the same. A
class of tables may have methods: `method` gives the body that compiled code takes for them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from taut.kernel import COMPILE_OPTIONS, READERS

Reals = Annotated[NDArray[np.float64], "float64[::1]"]
RealRows = Annotated[NDArray[np.float64], "float64[:, ::1]"]
RealBlocks = Annotated[NDArray[np.float64], "float64[:, :, ::1]"]
Wholes = Annotated[NDArray[np.int64], "int64[::1]"]
WholeRows = Annotated[NDArray[np.int64], "int64[:, ::1]"]
Flags = Annotated[NDArray[np.uint8], "uint8[::1]"]

Handle = object
"""What Python holds of a table that kernels take; only they look into it."""

SCALARS = {int: "int64", float: "float64", type(None): "void"}
"""Numba's names of plain numbers, and of no result."""


def is_table(annotation: Any) -> bool:
    """Whether an annotation is a class of tables."""
    return isinstance(annotation, type) and issubclass(annotation, tuple) and hasattr(annotation, "_fields")


@functools.cache
def numba_type(annotation: Any) -> Any:
    """Numba's type of an annotation: the handle's for a class of tables, else that of an array or number."""
    from numba import types

    from taut.table_kernels import Table

    if is_table(annotation):
        return Table(
            [(name, numba_type(kind)) for name, kind in get_type_hints(annotation, include_extras=True).items()]
        )
    text = SCALARS[annotation] if annotation in SCALARS else get_args(annotation)[1]
    return eval(text, {}, vars(types))  # as Numba reads signatures


def signature_of(function: Any) -> Any:
    """Numba's signature of a function whose arguments and result are annotated."""
    hints = get_type_hints(function, include_extras=True)
    result = numba_type(hints.pop("return"))
    return result(*(numba_type(kind) for kind in hints.values()))


def held(table: tuple[object, ...]) -> Handle:
    """The handle by which kernels take a table; tables inside it become handles as well."""
    import numba

    if numba.config.DISABLE_JIT:
        return table
    from taut.table_kernels import hold

    kind: Callable[..., object] = type(table)
    parts = kind(*(held(each) if isinstance(each, tuple) else each for each in table))
    handle = hold(parts)
    handle.parts, handle.table, handle._numba_type_ = parts, table, handle._type
    return handle


def generic(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for kernels and for Python: compiled for each type of table that kernels call it with."""
    import numba
    from numba.extending import register_jitable

    from taut.kernel import COMPILE_OPTIONS

    return function if numba.config.DISABLE_JIT else register_jitable(**COMPILE_OPTIONS)(function)


def method(table: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Take a function as the body of a method of this name, for compiled code that has a handle of such a table."""

    def take(function: Callable[..., Any]) -> Callable[..., Any]:
        import numba

        if not numba.config.DISABLE_JIT:
            from taut.table_kernels import add_method

            add_method(numba_type(table), function, COMPILE_OPTIONS)
        return function

    return take


READERS.append(signature_of)
