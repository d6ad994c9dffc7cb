"""Code in the README and the how-tos runs and prints what it says; commands in all pages can be typed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer.main
from source_files import REPOSITORY

from taut.commands.main import app
from taut.simulation.launch import entry_of, is_recording

README = REPOSITORY / "README.md"
HOWTOS = sorted((REPOSITORY / "docs" / "howto").glob("*.md"))
PAGES = [README, REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
COMMAND = ".venv/bin/taut "


def blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of all code blocks of a page."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    """All different commands that start with ``taut`` in the shell blocks of all pages."""
    texts = [text for page in PAGES for language, text in blocks(page) if language == "sh"]
    lines = [line for text in texts for line in text.splitlines()]
    return sorted({line.partition(" #")[0].strip() for line in lines if re.match(r"(\.venv/bin/)?taut\b", line)})


def test_readme_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = blocks(README)
    examples = [(code, found[i + 1][1]) for i, (language, code) in enumerate(found) if language == "python"]
    assert examples
    for code, promised in examples:
        exec(compile(code, "README.md", "exec"), {"__name__": "__main__"})
        assert capsys.readouterr().out == promised


@pytest.mark.parametrize("page", HOWTOS, ids=lambda page: page.stem)
def test_howto_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("taut.view.show.show", lambda *what, **options: None)
    (tmp_path / "build").mkdir()
    names = {"__name__": "__main__"}
    for language, code in blocks(page):
        if language == "python":
            exec(compile(code, page.name, "exec"), names)


def test_a_scene_of_ones_own_is_as_the_page_says(tmp_path: Path) -> None:
    file = tmp_path / "my_scene.py"
    page = REPOSITORY / "docs" / "howto" / "your-own-scene.md"
    file.write_text(next(code for language, code in blocks(page) if language == "python"))
    entry = entry_of(file)
    assert entry.parameters == {"count": 5, "size": 0.4, "label": "box"} and entry.duration == 2.0 and entry.check


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("line", commands())
def test_command_can_be_typed(line: str) -> None:
    assert line.startswith(COMMAND), "it would work in an active environment only"
    name, *words = shlex.split(line.removeprefix(COMMAND))
    group = typer.main.get_command(app)
    command = group.get_command(group.make_context("taut", [name]), name)
    assert command is not None, f"there is no command {name}"
    given = command.make_context(name, words).params
    target = given.get("scene") or given.get("target")
    if target and not target.endswith(".py") and not is_recording(target):
        assert entry_of(target)


def test_there_are_commands() -> None:
    assert len(commands()) > 30
