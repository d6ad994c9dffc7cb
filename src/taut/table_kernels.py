"""The handle of a table: a reference that compiled code keeps, see `tables.py`."""

from __future__ import annotations

import inspect

from numba import types
from numba.core import cgutils
from numba.experimental import structref
from numba.extending import lower_getattr_generic, models, overload, overload_method, register_model

from taut.kernel import kernel

METHODS: dict[str, dict] = {}
"""Name of a method -> type of a handle -> the function that is its body."""


@structref.register
class Fields(types.StructRef):
    """Numba's own kind of such a reference."""


class Table(Fields):
    """Numba's type of a handle: names and types of the fields, whatever class of named tuples they came from."""


@register_model(Table)
class Pointer(models.StructModel):
    """A handle is a pointer that is not counted: Python keeps it while a kernel runs."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("meminfo", types.voidptr)])


@lower_getattr_generic(Table)
def read_field(context, builder, kind, handle, name):
    """A field. Its array is not counted either, which would take half of the time of a small frame."""
    value = getattr(structref._Utils(context, builder, kind).get_data_struct(handle), name)
    if not isinstance(kind.field_dict[name], types.Array):
        return value
    array = context.make_array(kind.field_dict[name])(context, builder, value=value)
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    return array._getvalue()


class Handle(structref.StructRefProxy):
    """What Python holds. Fields are read from the table that the handle was made of, and so are the same arrays."""

    __slots__ = ("_numba_type_", "parts", "table")

    def __getattr__(self, name):
        """A field or method of the table."""
        return getattr(object.__getattribute__(self, "table"), name)


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


def add_method(kind, function, options):
    """Let compiled code find a function as the method of its name on handles of this type."""
    name = function.__name__
    known = METHODS.setdefault(name, {})
    if not known:

        def body_of(handle, *arguments):
            return known.get(handle)

        body_of.__signature__ = inspect.signature(function)  # Numba names arguments by it, for all classes of tables
        overload_method(Table, name, jit_options=options, strict=False)(body_of)
    known[kind] = function


@kernel(lazy=True)
def hold(table):
    """The handle of a table whose own tables are handles already.

    Returns: the handle
    """
    return made(table)
