"""Checks of user input: every wrong value gives one line that names the object and the field."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taut import checks
from taut.errors import InputError, TautError


def refused(check, *arguments, **options) -> str:
    """Text of the refusal: one line that starts with the owner and names the field."""
    with pytest.raises(InputError) as caught:
        check("body 'box'", *arguments, **options)
    text = str(caught.value)
    assert text.startswith("body 'box': "), text
    assert "\n" not in text, text
    return text


def test_input_errors_are_value_errors_and_taut_errors() -> None:
    assert issubclass(InputError, ValueError) and issubclass(InputError, TautError)


TOO_LARGE = pytest.param(10**400, id="an integer beyond any float")
NOT_NUMBERS = [math.nan, math.inf, -math.inf, "heavy", "1", True, np.True_, None, [1.0, 2.0], 1j, {}, TOO_LARGE]


@pytest.mark.parametrize("value", NOT_NUMBERS)
def test_number_refuses_what_is_not_a_finite_number(value: object) -> None:
    assert "mass" in refused(checks.number, "mass", value)


def test_number_bounds_are_strict_or_not() -> None:
    assert "> 0" in refused(checks.number, "mass", 0.0, above=0.0)
    assert ">= 0" in refused(checks.number, "damping", -1e-300, at_least=0.0)
    assert checks.number("x", "damping", 0, at_least=0.0) == 0.0
    assert checks.number("x", "mass", np.float32(2.0), above=0.0) == 2.0


@pytest.mark.parametrize("value", [math.nan, -1.0, -math.inf, None, "much", [1.0, 2.0], np.array([1.0, 2.0])])
def test_bound_refuses(value: object) -> None:
    refused(checks.bound, "max_force", value)


def test_bound_may_be_infinite() -> None:
    assert checks.bound("x", "max_force", math.inf) == math.inf
    assert checks.bound("x", "max_force", 3) == 3.0


NOT_VECTORS = {
    "two numbers": (1, 2),
    "four numbers": (1, 2, 3, 4),
    "a number": 5.0,
    "a word": "xyz",
    "nothing": None,
    "nan": (1, 2, math.nan),
    "infinite": (1, math.inf, 2),
    "nested": [[1, 2, 3]],
    "ragged": (1, (2, 3), 4),
    "an integer beyond any float": (1, 2, 10**400),
}


@pytest.mark.parametrize("value", NOT_VECTORS.values(), ids=NOT_VECTORS)
def test_vector_refuses(value: object) -> None:
    assert "position" in refused(checks.vector, "position", value)


def test_long_arrays_are_refused_in_one_line() -> None:
    refused(checks.vector, "position", np.linspace(0.0, 1.0, 300))
    refused(checks.inertia, np.full((3, 3), np.nan))


def test_vector_is_a_copy() -> None:
    given_vector = np.array([1.0, 2.0, 3.0])
    result = checks.vector("x", "position", given_vector)
    result[0] = 9.0
    assert given_vector[0] == 1.0


@pytest.mark.parametrize("value", [(0, 0, 0), (1e-300, 0, 0), (math.nan, 0, 1), (1, 0)])
def test_direction_refuses(value: object) -> None:
    assert "axis" in refused(checks.direction, "axis", value)


@given(st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 3))
def test_direction_is_a_unit_vector_or_refused(value: tuple[float, float, float]) -> None:
    try:
        result = checks.direction("x", "axis", value)
    except InputError:
        assert not 1e-11 < max(abs(component) for component in value) < 1e20, "a sensible axis is refused"
        return
    assert np.linalg.norm(result) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("value", [(0, 0, 0, 0), (1, 1, 0, 0), (1, 0, 0), (math.nan, 0, 0, 1), "abcd"])
def test_quaternion_refuses(value: object) -> None:
    assert "orientation" in refused(checks.quaternion, "orientation", value)


def test_quaternion_is_normalised() -> None:
    assert np.linalg.norm(checks.quaternion("x", "orientation", (0.7071, 0.7071, 0, 0))) == pytest.approx(
        1.0, abs=1e-15
    )


NOT_INTERVALS = [5, (1,), (1, 2, 3), (2, 1), (math.nan, 1), (0, math.nan), "ab"]
EMPTY_INTERVALS = [(math.inf, math.inf), (-math.inf, -math.inf)]


@pytest.mark.parametrize("value", [*NOT_INTERVALS, *EMPTY_INTERVALS], ids=repr)
def test_interval_refuses(value: object) -> None:
    assert "limits" in refused(checks.interval, "limits", value)


@pytest.mark.parametrize("value", [(-1, 2), (0, 0), (-math.inf, 2), (1, math.inf)])
def test_interval_accepts(value: tuple[float, float]) -> None:
    assert checks.interval("x", "limits", value) == value


INERTIAS = {
    "word": "round",
    "two moments": (1.0, 2.0),
    "nan": (1.0, math.nan, 1.0),
    "zero moment": (0.0, 1.0, 1.0),
    "negative moment": (1.0, -1.0, 1.0),
    "above the sum of the others": (1.0, 1.0, 3.0),
    "not symmetric": [[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    "indefinite": [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    "small and not symmetric": [[1e-9, 9e-9, 0.0], [0.0, 1e-9, 0.0], [0.0, 0.0, 1e-9]],
}


@pytest.mark.parametrize("name", INERTIAS)
def test_inertia_refuses(name: str) -> None:
    assert "inertia" in refused(checks.inertia, INERTIAS[name])


def test_inertia_accepts_a_flat_plate_and_a_tensor() -> None:
    assert np.array_equal(checks.inertia("x", (1.0, 1.0, 2.0)), np.diag([1.0, 1.0, 2.0]))
    tensor = np.array([[2.0, 0.1, 0.0], [0.1, 2.0, 0.0], [0.0, 0.0, 3.0]])
    assert np.array_equal(checks.inertia("x", tensor), tensor)


def test_known_lists_names_and_the_nearest() -> None:
    text = refused(checks.known, "body", "bx", ["box", "ball"])
    assert "'box'" in text and "ball" in text
    assert checks.known("x", "body", "ball", ["box", "ball"]) == "ball"
    assert "'crane/boom.luff'" in refused(checks.known, "control", "boom.lift", ["truck/jack.speed", "crane/boom.luff"])
    many = refused(checks.known, "body", "none", [f"link{i}" for i in range(500)])
    assert "500" in many and len(many) < 400
    assert "none" in refused(checks.known, "body", "box", [])


class Unprintable:
    """Fails the test if it is shown."""

    def __init__(self, *values: float) -> None:
        self.values = values

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        return np.array(self.values)

    def __repr__(self) -> str:
        raise AssertionError("only what is refused has to be shown")


def test_vectors_that_are_right_are_never_written_out() -> None:
    assert checks.vector("x", "position", Unprintable(1.0, 2.0, 3.0)).tolist() == [1.0, 2.0, 3.0]


NOT_REAL = [np.array([1j, 0, 0]), [1j, 0, 0], ["1", "2", "3"], "123", [True, False, True], [1, None, 2], [[1], [2, 3]]]


@pytest.mark.parametrize("value", NOT_REAL, ids=repr)
def test_vectors_are_of_real_numbers(value: object) -> None:
    assert "position" in refused(checks.vector, "position", value)
    assert "inertia" in refused(checks.inertia, value)


@pytest.mark.parametrize("value", ["12", ("1", "2"), (False, True), (1j, 2), np.array([1j, 2j])], ids=repr)
def test_ends_of_an_interval_are_real_numbers(value: object) -> None:
    assert "limits" in refused(checks.interval, "limits", value)


@pytest.mark.parametrize("value", [np.complex128(1 + 2j), np.array([1.0]), np.array([1.0, 2.0]), 1j], ids=repr)
def test_numbers_are_single_and_real(value: object) -> None:
    assert "mass" in refused(checks.number, "mass", value)


@pytest.mark.parametrize("value", [np.array(2.0), np.float32(2.0), np.int64(2), Fraction(2), 2], ids=repr)
def test_numbers_of_other_kinds_are_taken(value: object) -> None:
    assert checks.number("x", "mass", value) == 2.0
    assert checks.vector("x", "position", [value] * 3).tolist() == [2.0] * 3


@pytest.mark.parametrize("value", [np.array(["box", "ball"]), ["box"], {}, None], ids=repr)
def test_what_is_no_text_is_no_known_name(value: object) -> None:
    assert "box" in refused(checks.known, "body", value, ["box", "ball"])


def test_known_does_not_search_dictionaries() -> None:
    class Places(dict):
        """Fails the test if it is gone through."""

        def __iter__(self):  # noqa: ANN204
            raise AssertionError("a name that is there is found at once")

    assert checks.known("x", "body", "box", Places(box=1), {"ball": 2}) == "box"
    assert checks.known("x", "body", "ball", Places(box=1), {"ball": 2}) == "ball"
