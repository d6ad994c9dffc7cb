"""The handle of a table as compiled code sees it: the address of where its arrays are, see `tables.py`.

A table becomes a row of words: of every array the address of its data and its shape, of numbers themselves, of tables
the address of theirs. Nothing in it changes, so compiled code may read a word once for a whole loop; and nothing in it
is counted: the Python object of the handle keeps the arrays alive.
"""

from __future__ import annotations

import hashlib
import inspect
import math

import numpy as np
from numba import config, types
from numba.core import cgutils, imputils
from numba.core.datamodel import models, register_default
from numba.core.typing.templates import AttributeTemplate
from numba.extending import NativeValue, infer_getattr, intrinsic, lower_getattr_generic, overload_method, unbox
from numba.np.arrayobj import populate_array

METHODS: dict[str, dict] = {}
"""Name of a method -> type of a handle -> the function that is its body."""

ir = cgutils.ir
WORD = ir.IntType(64)


class Table(types.Type):
    """Numba's type of a handle: names and types of the fields, whatever class of named tuples they came from."""

    def __init__(self, label, fields):
        """A table with this label of fields [(name, type)]."""
        self.fields, self.places, place = dict(fields), {}, 0
        for name, kind in fields:
            self.places[name] = place
            place += 1 + kind.ndim if isinstance(kind, types.Array) else 1
        digest = hashlib.sha256(repr([(name, str(kind)) for name, kind in fields]).encode())
        super().__init__(name=f"Table({label}-{digest.hexdigest()[:12]})")


@register_default(Table)
class TableModel(models.OpaqueModel):
    """An address."""


@infer_getattr
class TableAttribute(AttributeTemplate):
    """Fields of a handle."""

    key = Table

    def generic_resolve(self, table, name):
        """The type of a field."""
        return table.fields.get(name)


@lower_getattr_generic(Table)
def read_field(context, builder, table, handle, name):
    """Code that reads a field: a number, a table, or an array of which nobody counts references."""
    kind, place = table.fields[name], table.places[name]
    words, constant = builder.bitcast(handle, WORD.as_pointer()), builder.module.add_metadata([])

    def word(offset):
        value = builder.load(cgutils.gep(builder, words, place + offset))
        value.set_metadata("invariant.load", constant)
        return value

    if isinstance(kind, Table):
        return builder.inttoptr(word(0), context.get_value_type(kind))
    if not isinstance(kind, types.Array):
        value = word(0)
        return value if isinstance(kind, types.Integer) else builder.bitcast(value, context.get_value_type(kind))
    array = context.make_array(kind)(context, builder)
    shape = [word(1 + axis) for axis in range(kind.ndim)]
    size = ir.Constant(WORD, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides, count = [size], shape[-1]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    for length in shape[:-1]:
        count = builder.mul(count, length)
    nobody = cgutils.get_null_value(array.meminfo.type)
    array.meminfo, array.parent, array.nitems, array.itemsize = nobody, nobody, count, size
    array.data = builder.inttoptr(word(0), array.data.type)
    array.shape, array.strides = cgutils.pack_array(builder, shape), cgutils.pack_array(builder, strides)
    return imputils.impl_ret_borrowed(context, builder, kind, array._getvalue())


@unbox(Table)
def address_of(kind, handle, c):
    """Code that takes the address out of a handle."""
    number = c.pyapi.object_getattr_string(handle, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, c.context.get_value_type(kind)), is_error=c.pyapi.c_api_error())


def local_array(context, builder, signature, shape):
    """Code that makes a small array on the stack: it ends with the kernel, and nobody counts it."""
    kind = signature.return_type
    count, item = math.prod(shape), context.get_data_type(kind.dtype)
    array = context.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(item)
    place = cgutils.alloca_once(builder, ir.ArrayType(item, count))
    strides = [size * math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    populate_array(
        array, data=builder.bitcast(place, item.as_pointer()), shape=[WORD(each) for each in shape],
        strides=[WORD(each) for each in strides], itemsize=WORD(size), meminfo=None,
    )  # fmt: skip
    return array._getvalue()


@intrinsic(prefer_literal=True)
def vector(typing, count):
    """Room for so many numbers, a constant."""

    def make(context, builder, signature, arguments):
        return local_array(context, builder, signature, (count.literal_value,))

    return types.float64[::1](types.literal(count.literal_value)), make


@intrinsic(prefer_literal=True)
def matrix(typing, rows, columns):
    """Room for a matrix of so many rows and columns, both constants."""

    def make(context, builder, signature, arguments):
        return local_array(context, builder, signature, (rows.literal_value, columns.literal_value))

    kind = types.float64[:, ::1]
    return kind(types.literal(rows.literal_value), types.literal(columns.literal_value)), make


if config.DISABLE_JIT:

    def vector(count):
        """The same in plain Python."""
        return np.empty(count)

    def matrix(rows, columns):
        """The same in plain Python."""
        return np.empty((rows, columns))


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
