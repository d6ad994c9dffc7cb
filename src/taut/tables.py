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
import math
import operator
from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

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

    __slots__ = ("_numba_type_", "address", "_inside", "unheld", "words")

    def __init__(self, kind: Any, words: NDArray[np.int64], table: tuple[Any, ...], inner: list[Handle]) -> None:
        """The handle of a table of this type, as these words, with the handles of tables inside it."""
        self._numba_type_, self.words, self.unheld, self._inside = kind, words, table, inner
        self.address: int = address_of(words)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is the handle of a copy of the table: an address means nothing elsewhere."""
        return held, (self.unheld,)

    def __getattr__(self, name: str) -> Any:
        """A field or method of the table."""
        return getattr(object.__getattribute__(self, "unheld"), name)


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


def held(table: tuple[Any, ...] | Handle, before: Handle | None = None) -> Handle:
    """The handle by which kernels take a table; tables inside it become handles as well.

    Handles of tables that are in the one `before` too, of the same class, are used again.
    """
    import numba

    if numba.config.DISABLE_JIT or isinstance(table, Handle):
        return table  # type: ignore[return-value]
    if before is not None and before.unheld is table:
        return before
    words: list[int] = []
    inner: list[Handle] = []
    for value, (name, kind) in zip(table, columns_of(type(table)), strict=True):
        if isinstance(kind, tuple) and isinstance(value, np.ndarray):
            fits = value.dtype == kind[0] and value.ndim == kind[1] and value.flags.c_contiguous
            words.append(address_of(value) if fits else 0)
            words.extend(value.shape)
        elif isinstance(value, tuple | Handle):
            inner.append(held(value, None if before is None else before._inside[len(inner)]))
            fits = inner[-1]._numba_type_ is numba_type(kind)
            words.append(inner[-1].address)
        else:
            fits = kind is int or kind is float
            words.append(int(value) if kind is int else int(np.float64(value).view(np.int64)))
        if not fits:
            raise TypeError(f"{type(table).__name__}.{name} is not as annotated: {value!r:.80}")
    return Handle(numba_type(type(table)), np.array(words, np.int64), table, inner)


@functools.cache
def columns_of(table: type) -> list[tuple[str, Any]]:
    """Names of the fields of a class of tables, and what they hold: type and dimensions of arrays, or a class."""
    hints = get_type_hints(table, include_extras=True)
    assert set(Handle.__slots__).isdisjoint(hints), f"{table.__name__} has a field with a name that handles need"
    return [(name, array_of(kind) if get_args(kind) else kind) for name, kind in hints.items()]


def array_of(annotation: Any) -> tuple[np.dtype[Any], int]:
    """Type and number of dimensions of an annotated array."""
    array = numba_type(annotation)
    return np.dtype(str(array.dtype)), array.ndim


Linear = tuple[int, ...]
"""A number that is linear in the counts of a layout: a factor for each of its units, then what is always added."""


def value_of(number: Linear, counts: Linear) -> int:
    """A number for these counts, of which the last is 1."""
    return sum(map(operator.mul, number, counts))


class Place(NamedTuple):
    """Where an array lies in a block, or a table inside a table: its first cell.

    Attributes:
        first: cell.
        shape, size: of an array.
        dtype: of an array, None for a table.
        inside: layout of a table.
        word: first word of a table.
    """

    first: Linear
    shape: tuple[Linear, ...] = ()
    size: Linear = ()
    dtype: Any = None
    inside: Any = None
    word: int = 0


class Room(Handle):
    """The handle of a table whose arrays lie in one block of memory; Python gets those that it asks for."""

    def __init__(
        self, layout: Layout, counts: dict[str, int], block: NDArray[np.float64], first: int,
        words: NDArray[np.int64], address: int,
    ) -> None:  # fmt: skip
        """The handle of a table that begins at this cell of a block, as these words at this address."""
        self._numba_type_, self.words, self._inside, self.address = layout.kind, words, [], address
        self._layout, self._counts, self._block, self._first = layout, counts, block, first
        self._vector = layout.vector(counts)

    @functools.cached_property
    def unheld(self) -> Any:  # type: ignore[override]
        """The table itself."""
        return self._layout.table(*(getattr(self, name) for name in self._layout.places))

    def __iter__(self) -> Iterator[Any]:
        """The fields of the table."""
        return iter(self.unheld)

    def __getattr__(self, name: str) -> Any:
        """An array or a table of the table, or a method."""
        place = self._layout.places.get(name)
        if place is None:
            return getattr(self.unheld, name)
        first, inside = self._first + value_of(place.first, self._vector), place.inside
        if inside is None:
            part: Any = self._layout.array(place, self._block, first, self._vector)
        else:
            words = self.words[place.word : place.word + len(inside.words)]
            part = Room(inside, self._counts, self._block, first, words, self.address + 8 * place.word)
        self.__dict__[name] = part
        return part


class Layout:
    """How the arrays of a class of tables, and of tables inside it, lie in one block of memory.

    Addresses and shapes are linear in counts and in the address of the block, so nobody has to look at the arrays to
    write the words of a handle. A number or flag takes 8 bytes.
    """

    def __init__(self, table: type, shapes: dict[str, Any], by: str = "count") -> None:
        """The layout of a class of tables.

        Args:
            table: the class.
            shapes: of arrays by name: numbers and names of counts; a number alone is a width, after a count of `by`; of
                tables inside it their layouts.
            by: count that arrays have which are not named.
        """
        self.table, self.shapes, self.by = table, shapes, by

    @functools.cached_property
    def kind(self) -> Any:
        """Numba's type of the handles."""
        return numba_type(self.table)

    @functools.cached_property
    def fields(self) -> dict[str, Any]:
        """Shape of every array, layout of every table inside."""
        shapes = {name: self.shapes.get(name, (self.by,)) for name, _ in columns_of(self.table)}
        return {name: (self.by, shape) if isinstance(shape, int) else shape for name, shape in shapes.items()}

    @functools.cached_property
    def units(self) -> tuple[str, ...]:
        """Names of the counts."""
        names = (each.units if isinstance(each, Layout) else each for each in self.fields.values())
        return tuple(sorted({name for each in names for name in each if isinstance(name, str)}))

    def vector(self, counts: dict[str, int]) -> Linear:
        """Counts by unit, then 1."""
        return (*(counts[name] for name in self.units), 1)

    def linear(self, number: int | str) -> Linear:
        """A number, or a count."""
        return (*(int(name == number) for name in self.units), 0 if isinstance(number, str) else number)

    @functools.cached_property
    def places(self) -> dict[str, Place]:
        """Where everything is, field by field."""
        return self.plan[0]

    @functools.cached_property
    def cells(self) -> Linear:
        """How many cells a block has."""
        return self.plan[1]

    @functools.cached_property
    def plan(self) -> tuple[dict[str, Place], Linear]:
        """Where everything is, and how many cells that takes; words of tables inside come after those of all fields."""
        first, places, kinds = self.linear(0), dict[str, Place](), dict(columns_of(self.table))
        word = sum(1 + (0 if isinstance(shape, Layout) else len(shape)) for shape in self.fields.values())
        for name, shape in self.fields.items():
            if isinstance(shape, Layout):
                places[name] = Place(first, inside=shape, word=word)
                word, size = word + len(shape.words), self.seen(shape, shape.cells)
            else:
                dtype, dimensions = kinds[name]
                assert len(shape) == dimensions, f"{self.table.__name__}.{name} has {dimensions} dimensions"
                width = math.prod(each for each in shape if isinstance(each, int))
                counted = [each for each in shape if isinstance(each, str)]
                size = tuple(width * each for each in self.linear(counted[0] if counted else 1))
                places[name] = Place(first, tuple(map(self.linear, shape)), size, dtype)
            first = tuple(map(operator.add, first, size))
        return places, first

    def seen(self, inside: Layout, number: Linear) -> Linear:
        """A number of a layout inside this one, in units of this one."""
        by_name = dict(zip(inside.units, number, strict=False))
        return (*(by_name.get(name, 0) for name in self.units), number[-1])

    @functools.cached_property
    def words(self) -> NDArray[np.int64]:
        """What the words of handles are (words, units + 3): times counts, 1, and the addresses of block and words."""
        own, inner = list[tuple[int, ...]](), list[tuple[int, ...]]()
        for place in self.places.values():
            if place.inside is None:
                own += [(*(8 * each for each in place.first), 1, 0), *((*each, 0, 0) for each in place.shape)]
                continue
            own.append((*self.linear(8 * place.word), 0, 1))
            for *number, of_block, of_words in place.inside.words.tolist():
                shift = zip(self.seen(place.inside, tuple(number)), place.first, self.linear(place.word), strict=True)
                inner.append((*(n + 8 * (of_block * f + of_words * w) for n, f, w in shift), of_block, of_words))
        return np.array(own + inner, np.int64).reshape(-1, len(self.units) + 3)

    @staticmethod
    def array(place: Place, block: NDArray[np.float64], first: int, vector: Linear) -> NDArray[Any]:
        """The array of a place that begins at this cell of a block."""
        size = value_of(place.size, vector)
        shape = [value_of(each, vector) for each in place.shape]
        return block[first : first + size].view(place.dtype)[:size].reshape(shape)

    def tables(self, counts: dict[str, int], block: NDArray[np.float64], first: int = 0) -> Any:
        """The table in a block, without handles."""
        vector = self.vector(counts)
        starts = {name: first + value_of(place.first, vector) for name, place in self.places.items()}
        return self.table(
            *(
                self.array(place, block, starts[name], vector)
                if place.inside is None
                else place.inside.tables(counts, block, starts[name])
                for name, place in self.places.items()
            )
        )

    def room(self, counts: dict[str, int], spare: Any = None) -> Any:
        """A table of these counts as its handle: all zeros, or with whatever is in the block of a spare one, if that is
        large enough; a block that takes the place of a smaller one is larger than it must be."""
        import numba

        vector = self.vector(counts)
        cells = value_of(self.cells, vector)
        block = spare._block if isinstance(spare, Room) else None
        if block is None or block.size < cells:
            block = np.zeros(cells if block is None else cells + cells // 8)
        if numba.config.DISABLE_JIT:
            return self.tables(counts, block)
        words = np.empty(len(self.words), np.int64)
        address = address_of(words)
        np.dot(self.words, (*vector, address_of(block), address), out=words)
        return Room(self, counts, block, 0, words, address)


def address_of(array: NDArray[Any]) -> int:
    """Where an array begins in memory; 0 for one without elements."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array.data)) if array.size else 0


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
