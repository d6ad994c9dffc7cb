"""Eight numbers at once, against NumPy, compiled and not."""

from __future__ import annotations

import numpy as np
from fresh_python import run_python

from taut.kernel import kernel
from taut.linalg.lanes import plus, put_row, row_of, times

CHECK = """
import numpy as np
from taut.linalg.lanes import plus, put_row, row_of, times
block, out = np.arange(24.0).reshape(3, 8), np.zeros((2, 8))
put_row(out, 1, plus(times(2.0, row_of(block, 0)), 3.0, row_of(block, 2)))
assert (out[0] == 0.0).all() and (out[1] == 2.0 * block[0] + 3.0 * block[2]).all()
put_row(block, 0, row_of(block, 1))
assert (block[0] == block[1]).all()
"""


@kernel("void(float64, float64, float64[:, ::1], float64[:, ::1])")
def combine(a, b, block, out):
    """out_1 = a block_0 + b block_2."""
    put_row(out, 1, plus(times(a, row_of(block, 0)), b, row_of(block, 2)))


def test_rows_are_combined_as_numpy_does(rng: np.random.Generator) -> None:
    block, out = rng.normal(size=(3, 8)), np.zeros((2, 8))
    combine(1.5, -0.7, block, out)
    np.testing.assert_allclose(out[1], 1.5 * block[0] - 0.7 * block[2], rtol=1e-15, atol=1e-15)
    assert (out[0] == 0.0).all()


def test_rows_need_not_be_aligned(rng: np.random.Generator) -> None:
    memory = rng.normal(size=1 + 3 * 8)
    block, out = memory[1:].reshape(3, 8), np.zeros((2, 8))
    combine(1.0, 0.0, block, out)
    assert (out[1] == block[0]).all()


def test_without_the_compiler_a_row_is_an_array() -> None:
    done = run_python("-c", CHECK, NUMBA_DISABLE_JIT="1")
    assert done.returncode == 0, done.stderr
