"""Scenes of one's own, from a Python file."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import taut
from taut import scenes
from taut.errors import InputError
from taut.importers import script
from taut.simulation.launch import entry_of, is_recording

GOOD = """
'''Boxes in a row.

More about them.
'''
import taut
from parts_beside_it import SIZE


def build(count=2, friction=0.5, label="box", solid=True, **others):
    scene = taut.Scene(friction=friction)
    for i in range(count):
        scene.add_body(f"{label}{i}", taut.shapes.Box(SIZE, SIZE, SIZE), mass=1, position=(2 * i, 0, 0))
    return scene
"""


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Write a script; its path."""

    def write_script(text: str, name: str = "mine.py") -> Path:
        (tmp_path / "parts_beside_it.py").write_text("SIZE = 0.5\n")
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write_script


def test_a_script_is_an_entry_like_any_other(write: Any) -> None:
    entry = script.load(write(GOOD))
    assert (entry.name, entry.summary, entry.duration) == ("mine", "Boxes in a row.", script.DURATION)
    assert entry.parameters == {"count": 2, "friction": 0.5, "label": "box", "solid": True}
    assert entry.check is None
    scene = scenes.build_entry(entry, {"count": 3})
    assert [body.name for body in scene.bodies[1:]] == ["box0", "box1", "box2"]
    assert scene.name == "mine" and scene.parameters["count"] == 3


def test_values_have_the_type_of_the_default(write: Any) -> None:
    entry = script.load(write(GOOD))
    with pytest.raises(InputError, match="count is 2.5; it must be a whole number"):
        scenes.build_entry(entry, {"count": 2.5})
    with pytest.raises(InputError, match="no parameter 'cout'.*there are: count, friction, label, solid"):
        scenes.build_entry(entry, {"cout": 2})


def test_an_entry_goes_to_another_process(write: Any) -> None:
    entry = pickle.loads(pickle.dumps(script.load(write(GOOD))))
    assert len(entry.build(count=5).bodies) == 6


def test_scripts_are_told_from_names_and_recordings(write: Any) -> None:
    assert entry_of(str(write(GOOD, "log_tower.py"))).summary == "Boxes in a row."
    assert entry_of("hanging-chain").name == "hanging_chain"
    assert not is_recording("nowhere.py") and not is_recording(write(GOOD))


BUILD = "def build():\n    return taut.Scene()\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1", r"^mine.py has no function build\(\)"),
        ("build = 3", "no function build"),
        ("x = 1\n\ndef build(:", r"^mine.py, line 3: SyntaxError"),
        ("import nothing_like_it", r"^mine.py, line 1, `import nothing_like_it`: ModuleNotFoundError: No module"),
        ("import sys\nsys.exit()", r"^mine.py, line 2, `sys.exit\(\)`: SystemExit$"),
        ("def build(size): pass", "parameter 'size' of build.* has no default"),
        ("def build(size=(1, 2)): pass", r"default \(1, 2\); it must be a number, a text, True or False"),
        (f"DURATION = -1\n{BUILD}", "mine.py: DURATION is -1; it must be a finite number > 0"),
    ],
)
def test_what_is_wrong_with_a_script_is_one_line(write: Any, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        script.load(write(text))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return 3", r"^mine.py: build\(\) returned 3; it must return a taut.Scene"),
        ("pass", "build.. returned None"),
        ("return {}['x']", r"^mine.py, line 3, `return {}\['x'\]`: KeyError: 'x'"),
        ("taut.Scene().add_body('a', taut.shapes.Sphere(-1), mass=1)", r"^mine.py, line 3, `.*`: .*it must be"),
        ("assert False", r"line 3, `assert False`: AssertionError$"),
    ],
)
def test_what_goes_wrong_in_build_is_told_with_its_line(write: Any, body: str, message: str) -> None:
    entry = script.load(write(f"import taut\ndef build():\n    {body}\n"))
    with pytest.raises(InputError, match=message):
        entry.build()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("assert False, 'it fell'", r"^mine.py, line 5, `.*`: it fell$"),
        ("assert False", "`assert False`: AssertionError$"),
        ("recording.nothing", "AttributeError"),
    ],
)
def test_a_check_that_fails_says_where(write: Any, body: str, message: str) -> None:
    entry = script.load(write(f"import taut\n{BUILD}def check(recording):\n    {body}\n"))
    assert entry.check is not None
    with pytest.raises(AssertionError, match=message):
        entry.check(taut.Recording)  # type: ignore[arg-type]


def test_what_is_no_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(InputError, match="none.py is not there; it must be a Python script"):
        script.load(tmp_path / "none.py")
    with pytest.raises(InputError, match="is a folder"):
        script.load(tmp_path / "folder.py")
