"""The handle of a table: a reference that compiled code keeps, see `tables.py`."""

from __future__ import annotations

from numba import types
from numba.experimental import structref
from numba.extending import overload

from taut.kernel import kernel


@structref.register
class Table(types.StructRef):
    """Numba's type of a handle: names and types of the fields, whatever class of named tuples they came from."""


class Handle(structref.StructRefProxy):
    """What Python holds: no attributes of its own, because the arrays are at hand anyway."""

    __slots__ = ()


structref.define_boxing(Table, Handle)


def made(table):
    """The handle of a table; compiled code only."""
    raise NotImplementedError


@overload(made)
def made_of(table):
    """The body of `made` for one class of tables: field by field."""
    kind = Table([(name, types.unliteral(each)) for name, each in zip(table.fields, table.types, strict=True)])
    lines = [f"    handle.{name} = table.{name}\n" for name in table.fields]
    text = f"def body(table):\n    handle = new(kind)\n{''.join(lines)}    return handle\n"
    space = {"new": structref.new, "kind": kind}
    exec(text, space)
    return space["body"]


@kernel(lazy=True)
def hold(table):
    """The handle of a table whose own tables are handles already.

    Returns: the handle
    """
    return made(table)
