"""`solve_mlcp`: what is not a problem, a start or an option is refused in one line."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import taut
from taut.errors import InputError
from taut.problem import WarmStart

A, b = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])

LABELS, ZEROS = np.zeros(2, np.int64), np.zeros(2)
NO_STARTS = [
    "x", 3, True, [0.0, 0.0], ZEROS, SimpleNamespace(lam=ZEROS), WarmStart(LABELS, "x"), WarmStart(None, ZEROS),
    WarmStart(LABELS, 1j * ZEROS), WarmStart(LABELS, ["1", "2"]), WarmStart(np.array([0.5, 0.0]), ZEROS),
    WarmStart(LABELS[:1], ZEROS), WarmStart(LABELS, ZEROS[:, None]),
]  # fmt: skip


@pytest.mark.parametrize(
    "method", ["bpp", "bpp-cached", "bpp-dense", "bpp-downdate", "bpp-skyline", "ipm", "linear-time", "pgs"]
)
@pytest.mark.parametrize("start", NO_STARTS, ids=lambda start: repr(start)[:60])
def test_what_is_no_warm_start_is_refused(method: str, start: object) -> None:
    with pytest.raises(InputError, match="warm.start") as caught:
        taut.solve_mlcp(A, b, 0, method=method, warm_start=start)
    assert "\n" not in str(caught.value)


def test_solutions_and_warm_starts_are_starts() -> None:
    cold = taut.solve_mlcp(A, b, 0)
    for start in (None, cold, WarmStart(cold.index_set, cold.lam), WarmStart([0, 0], [1, 2])):
        assert taut.solve_mlcp(A, b, 0, warm_start=start).lam == pytest.approx([4 / 3, 7 / 3])


@pytest.mark.parametrize("method", [None, 3, ["bpp"], "bp", {}], ids=repr)
def test_what_is_no_method_is_answered_with_the_list(method: object) -> None:
    with pytest.raises(InputError, match="unknown solver.*bpp"):
        taut.solve_mlcp(A, b, 0, method=method)


WRONG_OPTIONS = [
    {"iterations": "x"}, {"iterations": 2.5}, {"iterations": -1}, {"iterations": True}, {"iterations": None},
    {"iterations": 10**90},
    {"tolerance": "x"}, {"tolerance": -1.0}, {"tolerance": np.nan}, {"tolerance": 1j}, {"tolerance": None},
]  # fmt: skip


@pytest.mark.parametrize("options", WRONG_OPTIONS, ids=str)
def test_options_are_numbers(options: dict) -> None:
    with pytest.raises(InputError, match=f"solver 'pgs': {next(iter(options))} is .* it must be") as caught:
        taut.solve_mlcp(A, b, 0, method="pgs", **options)
    assert "\n" not in str(caught.value)


def test_options_that_fit_are_taken() -> None:
    options = {"iterations": np.int64(500), "tolerance": np.float32(1e-12)}
    assert taut.solve_mlcp(A, b, 0, method="pgs", **options).solved
