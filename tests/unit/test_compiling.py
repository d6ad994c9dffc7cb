"""Numba's compiler with less work makes the same code."""

import re
from typing import Any

import numba
import pytest
from numba.core import compiler, ir, types

from taut.compiling import KernelCompiler, quickly, variables_in
from taut.kernel import COMPILE_OPTIONS

needs_compiler = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


def sums(a: Any, b: Any, n: Any) -> Any:
    """Slices, rows, whole and real numbers, a branch and a loop."""
    total = 0.0
    for i in range(n):
        row = a[i]
        for k in range(row.size):
            if b[k] > 0.5 or k % 3 == 1:
                total += row[k] * b[k] ** 2 - float(i // 2)
                b[k] = max(total, abs(row[k]))
        a[i, 0] = total
    return total + b[1:n].size


def code_of(quick: bool, allocates: bool) -> str:
    """What LLVM makes of the function: its instructions, without names and addresses that number what came before."""
    if quick:
        compiled = numba.njit(pipeline_class=KernelCompiler, **COMPILE_OPTIONS | {"_nrt": allocates})(sums)
        with quickly():
            compiled.compile("float64(float64[:, ::1], float64[::1], int64)")
    else:
        compiled = numba.njit(**COMPILE_OPTIONS | {"_nrt": allocates})(sums)
        compiled.compile("float64(float64[:, ::1], float64[::1], int64)")
    (text,) = compiled.inspect_llvm().values()
    bodies = re.findall(r"^define .*?^}", text, re.DOTALL | re.MULTILINE)
    return re.sub(r'@"?[^\s",)(]*"?|[\w.$]*sumsB[\w.$]*|inttoptr \(i64 \d+', "", "\n".join(bodies))


@needs_compiler
def test_the_code_is_what_numba_makes_by_itself_whatever_was_compiled_before() -> None:
    plain = {allocates: code_of(False, allocates) for allocates in (False, True)}
    assert plain[False] != plain[True]
    for allocates in (True, False, True, False):
        assert code_of(True, allocates) == plain[allocates]


def test_variables_are_listed_as_numba_lists_them() -> None:
    blocks = compiler.run_frontend(sums).blocks.values()
    statements = [each for block in blocks for each in block.body]
    assert len(statements) > 50
    for each in statements:
        assert variables_in(each, each.__dict__) == ir.Inst._rec_list_vars(each, each.__dict__)


def test_numba_is_as_it_was_afterwards_also_when_a_kernel_fails() -> None:
    before = types.BaseFunction.get_call_type, ir.Inst._rec_list_vars
    with pytest.raises(ZeroDivisionError), quickly(), quickly():
        raise ZeroDivisionError
    assert (types.BaseFunction.get_call_type, ir.Inst._rec_list_vars) == before
