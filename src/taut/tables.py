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
"""

from __future__ import annotations

import functools
from typing import Annotated, Any, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

Reals = Annotated[NDArray[np.float64], "float64[::1]"]
RealRows = Annotated[NDArray[np.float64], "float64[:, ::1]"]
RealBlocks = Annotated[NDArray[np.float64], "float64[:, :, ::1]"]
Wholes = Annotated[NDArray[np.int64], "int64[::1]"]
WholeRows = Annotated[NDArray[np.int64], "int64[:, ::1]"]
Flags = Annotated[NDArray[np.uint8], "uint8[::1]"]

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


def held(table: Any) -> Any:
    """The handle by which kernels take a table; tables inside it become handles as well."""
    import numba

    if numba.config.DISABLE_JIT:
        return table
    from taut.table_kernels import hold

    return hold(type(table)(*(held(each) if isinstance(each, tuple) else each for each in table)))
