"""A clock for compiled code: what the processor counts, which is proportional to time."""

from __future__ import annotations

from time import perf_counter_ns

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from taut.kernel import kernel


@intrinsic
def count_cycles(context):
    """The processor's own counter."""

    def code(target, builder, signature, arguments):
        kind = cgutils.ir.FunctionType(cgutils.ir.IntType(64), [])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.readcyclecounter"), [])

    return types.int64(), code


if numba.config.DISABLE_JIT:
    count_cycles = perf_counter_ns


@kernel("int64()", inner=True)
def ticks():
    """Ticks of a clock that only its differences matter of.

    Returns: the ticks
    """
    return count_cycles()
