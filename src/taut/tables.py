"""Tables: named tuples of arrays that compiled code takes as one argument.

A kernel with a hundred arrays as arguments spends more time on taking them over than on its work. So arrays that belong
together are declared as a named tuple, field by field with their types,

    class Pose(NamedTuple):
        position: RealRows
        rotation: RealRows

and a kernel whose arguments are annotated with such classes needs no signature of its own:

    @kernel()
    def turn(pose: Pose, angle: float) -> None: ...

Python calls it with the handle of a table, which costs a microsecond however many arrays there are; to make the handle,
`held(pose)`, takes half a microsecond an array. Where tables are made anew in every frame, a `Layout` makes them with
their handle in a few microseconds. To compiled code it is an address, and nothing that is read from it is
counted or can change.
Reading a field looks the same in both worlds, so with ``NUMBA_DISABLE_JIT=1`` the tuple itself serves as its handle.
A table holds arrays, not copies: what a kernel writes, everybody sees who has the array. Numbers in it are constants.

Functions that work on tables of more than one class are `generic`: written once, compiled into each kernel that calls
them for the tables it calls them with, and plain functions to Python, where any object will do that offers the same. A
class of tables may have methods: `method` gives the body that compiled code takes for them.
"""

from __future__ import annotations

import ctypes
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
FlagRows = Annotated[NDArray[np.uint8], "uint8[:, ::1]"]

SCALARS = {int: "int64", float: "float64", type(None): "void"}
"""Numba's names of plain numbers, and of no result."""


class Handle:
    """What Python holds of a table that kernels take: its words, and the table itself, whose fields it offers."""

    __slots__ = ("_numba_type_", "address", "_inside", "table", "words")

    def __init__(self, kind: Any, words: NDArray[np.int64], table: tuple[Any, ...], inner: list[Handle]) -> None:
        """The handle of a table of this type, as these words, with the handles of tables inside it."""
        self._numba_type_, self.words, self.table, self._inside = kind, words, table, inner
        self.address: int = words.ctypes.data

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is the handle of a copy of the table: an address means nothing elsewhere."""
        return held, (self.table,)

    def __getattr__(self, name: str) -> Any:
        """A field or method of the table."""
        return getattr(object.__getattribute__(self, "table"), name)


def is_table(annotation: Any) -> bool:
    """Whether an annotation is a class of tables."""
    return isinstance(annotation, type) and issubclass(annotation, tuple) and hasattr(annotation, "_fields")


@functools.cache
def numba_type(annotation: Any) -> Any:
    """Numba's type of an annotation: the handle's for a class of tables, else that of an array or number."""
    from numba import types

    from taut.table_types import Table

    if is_table(annotation):
        hints = get_type_hints(annotation, include_extras=True)
        return Table(annotation.__name__, [(name, numba_type(kind)) for name, kind in hints.items()])
    text = SCALARS[annotation] if annotation in SCALARS else get_args(annotation)[1]
    return eval(text, {}, vars(types))  # as Numba reads signatures


def signature_of(function: Any) -> Any:
    """Numba's signature of a function whose arguments and result are annotated."""
    hints = get_type_hints(function, include_extras=True)
    result = numba_type(hints.pop("return"))
    return result(*(numba_type(kind) for kind in hints.values()))


def held(table: tuple[Any, ...] | Handle) -> Handle:
    """The handle by which kernels take a table; tables inside it become handles as well."""
    import numba

    if numba.config.DISABLE_JIT or isinstance(table, Handle):
        return table  # type: ignore[return-value]
    words: list[int] = []
    inner: list[Handle] = []
    for value, (name, kind) in zip(table, columns_of(type(table)), strict=True):
        given: Any = value.table if isinstance(value, Handle) else value
        if isinstance(kind, tuple) and isinstance(value, np.ndarray):
            fits = value.dtype == kind[0] and value.ndim == kind[1] and value.flags.c_contiguous
            words.append(ctypes.addressof(ctypes.c_char.from_buffer(value.data)) if fits and value.size else 0)
            words.extend(value.shape)
        elif isinstance(given, tuple):
            fits = type(given) is kind
            inner.append(value if isinstance(value, Handle) else held(given))
            words.append(inner[-1].address)
        else:
            fits = kind is int or kind is float
            words.append(int(value) if kind is int else int(np.float64(value).view(np.int64)))
        if not fits:
            raise TypeError(f"{type(table).__name__}.{name} is not as annotated: {given!r:.80}")
    return Handle(numba_type(type(table)), np.array(words, np.int64), table, inner)


@functools.cache
def columns_of(table: type) -> list[tuple[str, Any]]:
    """Names of the fields of a class of tables, and what they hold: type and dimensions of arrays, or a class."""
    hints = get_type_hints(table, include_extras=True)
    return [(name, array_of(kind) if get_args(kind) else kind) for name, kind in hints.items()]


def array_of(annotation: Any) -> tuple[np.dtype[Any], int]:
    """Type and number of dimensions of an annotated array."""
    array = numba_type(annotation)
    return np.dtype(str(array.dtype)), array.ndim


class Room(Handle):
    """The handle of a table whose arrays lie in one block of memory; Python gets those that it asks for."""

    def __init__(self, kind: Any, words: NDArray[np.int64], layout: Layout, block: NDArray[np.float64]) -> None:
        """The handle of a table of this type and layout in a block, as these words."""
        self._numba_type_, self.words, self._inside, self.layout, self.block = kind, words, [], layout, block
        self.address = words.ctypes.data

    @functools.cached_property
    def table(self) -> Any:  # type: ignore[override]
        """The table itself."""
        return self.layout.table(*(getattr(self, name) for name in self.layout.parts))

    def __getattr__(self, name: str) -> Any:
        """An array of the table, or a method."""
        if name not in self.layout.parts:
            return getattr(self.table, name)
        array = self.layout.part(self.block, int(self.words[1]), name)
        self.__dict__[name] = array
        return array


class Layout:
    """How the arrays of a class of tables, (count,) or (count, width), lie in one block of memory.

    Addresses and shapes are linear in the count and in the address of the block, so nobody has to look at the arrays to
    write the words of a handle. `widths` are those of the fields that have one.
    """

    def __init__(self, table: type, widths: dict[str, int]) -> None:
        """The layout of a class of tables."""
        self.table, self.widths = table, widths

    @functools.cached_property
    def parts(self) -> dict[str, tuple[int, int, np.dtype[Any], int]]:
        """First cell of each array in a block, a count of cells being one, its width, type and dimensions."""
        first, parts = 0, {}
        for name, (dtype, dimensions) in columns_of(self.table):
            width = self.widths.get(name, 1)
            parts[name] = first, width, dtype, dimensions
            first += width
        return parts

    @functools.cached_property
    def words(self) -> tuple[Any, int, NDArray[np.int64]]:
        """Numba's type of the handles, cells a count, and (3, words) what they have by count, by address and anyway."""
        words = []
        for first, width, _, dimensions in self.parts.values():
            words += [(8 * first, 1, 0), (1, 0, 0), (0, 0, width)][: 1 + dimensions]
        cells = sum(width for _, width, _, _ in self.parts.values())
        return numba_type(self.table), cells, np.array(words, np.int64).T.copy()

    def part(self, block: NDArray[np.float64], count: int, name: str) -> NDArray[Any]:
        """The array of this name in a block."""
        first, width, dtype, dimensions = self.parts[name]
        cells = block[first * count : (first + width) * count].view(dtype)
        return cells.reshape(count, width) if dimensions == 2 else cells[:count]

    def room(self, count: int) -> Any:
        """A table of this count, all zeros, as its handle."""
        import numba

        kind, cells, (by_count, by_address, anyway) = self.words
        block = np.zeros(cells * count)
        if numba.config.DISABLE_JIT:
            return self.table(*(self.part(block, count, name) for name in self.parts))
        return Room(kind, by_count * count + by_address * block.ctypes.data + anyway, self, block)


def generic(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function for kernels and for Python: compiled for each type of table that kernels call it with."""
    import numba
    from numba.extending import register_jitable

    return function if numba.config.DISABLE_JIT else register_jitable(**COMPILE_OPTIONS)(function)


def method(table: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Take a function as the body of a method of this name, for compiled code that has a handle of such a table."""

    def take(function: Callable[..., Any]) -> Callable[..., Any]:
        import numba

        if not numba.config.DISABLE_JIT:
            from taut.table_types import add_method

            add_method(numba_type(table), function, COMPILE_OPTIONS)
        return function

    return take


READERS.append(signature_of)
