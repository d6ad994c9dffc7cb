"""Eight numbers at once: what compiled code does with a row of a block in one vector of the processor.

Loops over six or eight numbers are too short for the compiler to see a vector in them. These few functions say it. In
plain Python, with ``NUMBA_DISABLE_JIT=1``, a row is an array of eight.
"""

from __future__ import annotations

import numpy as np
from numba import config, types
from numba.core import cgutils
from numba.core.datamodel import models, register_default
from numba.extending import intrinsic

ir = cgutils.ir
ROW = ir.VectorType(ir.DoubleType(), 8)


class Lanes(types.Type):
    """Numba's type of eight numbers."""

    def __init__(self):
        super().__init__(name="Lanes")


@register_default(Lanes)
class LanesModel(models.PrimitiveModel):
    """A vector of the processor, or two or four where it has shorter ones."""

    def __init__(self, manager, kind):
        super().__init__(manager, kind, ROW)


LANES = Lanes()


def place_of(context, builder, kind, array, row):
    """Address of a row of a matrix, as that of a vector."""
    view = context.make_array(kind)(context, builder, array)
    start = builder.mul(row, cgutils.unpack_tuple(builder, view.strides)[0])
    place = builder.inttoptr(builder.add(builder.ptrtoint(view.data, row.type), start), ROW.as_pointer())
    return place


def spread(builder, value):
    """The same number eight times."""
    first = builder.insert_element(ir.Constant(ROW, ir.Undefined), value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), 8), [0] * 8)
    return builder.shuffle_vector(first, ir.Constant(ROW, ir.Undefined), zeros)


@intrinsic
def row_of(typing, block, row):
    """A row (8,) of a matrix."""

    def make(context, builder, signature, arguments):
        return builder.load(place_of(context, builder, signature.args[0], *arguments), align=8)

    return LANES(block, types.int64), make


@intrinsic
def put_row(typing, block, row, value):
    """Write a row (8,) of a matrix."""

    def make(context, builder, signature, arguments):
        block, row, value = arguments
        builder.store(value, place_of(context, builder, signature.args[0], block, row), align=8)
        return context.get_dummy_value()

    return types.void(block, types.int64, LANES), make


@intrinsic
def plus(typing, total, share, row):
    """total + share row, rounded once where the processor can."""

    def make(context, builder, signature, arguments):
        total, share, row = arguments
        product = builder.fmul(spread(builder, share), row, flags=("contract",))
        return builder.fadd(total, product, flags=("contract",))

    return LANES(LANES, types.float64, LANES), make


@intrinsic
def times(typing, share, row):
    """share row."""

    def make(context, builder, signature, arguments):
        return builder.fmul(spread(builder, arguments[0]), arguments[1])

    return LANES(types.float64, LANES), make


if config.DISABLE_JIT:

    def row_of(block, row):
        """The same in plain Python."""
        return block[row, :8].copy()

    def put_row(block, row, value):
        """The same in plain Python."""
        block[row, :8] = value

    def plus(total, share, row):
        """The same in plain Python, rounded twice."""
        return total + share * row

    def times(share, row):
        """The same in plain Python."""
        return np.multiply(share, row)
