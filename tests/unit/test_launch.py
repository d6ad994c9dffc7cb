"""What users type, turned into values."""

from __future__ import annotations

import pytest

from taut import scenes
from taut.errors import InputError
from taut.simulation.launch import RunRequest, parse_parameters, parse_seconds, parse_value


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("-2", -2), ("2.5", 2.5), ("1e6", 1e6), ("1/4", 0.25), ("true", True), ("Off", False), ("loop", "loop")],
)
def test_values_take_the_type_they_look_like(text: str, value: object) -> None:
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)


@pytest.mark.parametrize("text", ["1/0", "a/b", "1/2/3", ""])
def test_what_is_no_number_stays_text(text: str) -> None:
    assert parse_value(text) == text


@pytest.mark.parametrize(("text", "seconds"), [("1/60", 1 / 60), ("0.01", 0.01), ("5", 5.0)])
def test_seconds(text: str, seconds: float) -> None:
    assert parse_seconds(text, "--step") == seconds


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "true", "soon", "1/0", ""])
def test_seconds_that_make_no_sense_name_the_option(text: str) -> None:
    with pytest.raises(InputError, match=f"--step {text} is not a positive number"):
        parse_seconds(text, "--step")


def test_parameters_of_a_scene() -> None:
    entry = scenes.get("hanging_chain")
    assert parse_parameters(entry, ["links=5", "load=2e3"]) == {"links": 5, "load": 2000.0}


def test_a_parameter_that_is_text_stays_text() -> None:
    entry = scenes.get("mass_ladder")
    assert parse_parameters(entry, ["mechanism=1"]) == {"mechanism": "1"}


@pytest.mark.parametrize(
    ("assignment", "message"),
    [("links", "not of the form key=value"), ("=3", "not of the form"), ("lnks=3", "did you mean 'links'")],
)
def test_wrong_parameters_are_answered_in_one_line(assignment: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_parameters(scenes.get("hanging_chain"), [assignment])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("solver", "bp"),
        ("integrator", "bdf"),
        ("coordinates", "minimal"),
        ("friction", "cones"),
        ("geometric_stiffness", "exactly"),
    ],  # fmt: skip
)
def test_wrong_names_are_found_before_anything_compiles(field: str, value: str) -> None:
    with pytest.raises(InputError, match=f"no {field} '{value}'.*there are: "):
        RunRequest(scenes.get("hanging_chain"), **{field: value}).build()


def test_a_solver_without_parts_is_told_nothing_of_them() -> None:
    request = RunRequest(scenes.get("hanging_chain"), solver="schur-bpp", partition="chains", part_size=8)
    assert request.with_solver("bpp").build() and request.with_solver("bpp").partition is None
    assert request.with_solver("schur-bpp") == request


def test_a_run_without_a_step_is_refused() -> None:
    entry = scenes.get("hanging_chain")
    with pytest.raises(InputError, match=r"run: duration is 10 s; it must be at least a step, and step is 1e\+09 s"):
        RunRequest(entry, duration=10.0, step=1e9).build()
    RunRequest(entry, duration=0.1, step=0.1).build()


@pytest.mark.parametrize("stiffness", ["auto", "exact", "off"])
def test_geometric_stiffness_is_chosen(stiffness: str) -> None:
    request = RunRequest(scenes.get("hanging_chain"), {"links": 2}, geometric_stiffness=stiffness)
    assert request.simulation().settings.geometric_stiffness == stiffness
