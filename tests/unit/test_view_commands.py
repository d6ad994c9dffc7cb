"""The commands that look at things, without a browser."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path
from typing import Any

import pytest
from sample_recordings import append_frame
from sample_sources import chain_drawing, drawn_recording

import taut
from taut.commands import main as cli
from taut.errors import InputError, TautError
from taut.simulation.launch import RunRequest, is_recording
from taut.view import commands
from taut.view.page import Page
from taut.view.server import start_server, stop_server


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "run.h5"
    with taut.Recording(drawn_recording().info, path, chain_drawing()) as recording:
        append_frame(recording, 0)
    return path


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Page]:
    """Pages that were served, each for no time at all, on a machine without a screen."""
    pages: list[Page] = []
    monkeypatch.setattr(Page, "run", lambda page: pages.append(page))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    return pages


def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    """Exit code of ``taut words`` and the lines on stderr."""
    monkeypatch.setattr(sys, "argv", ["taut", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0), capsys.readouterr().err.splitlines()


def test_viser_that_is_missing_is_named(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without_viser(name: str, *rest: Any) -> Any:
        if name == "viser":
            raise ImportError(name)
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_viser)
    with pytest.raises(TautError, match=r"pip install -e '.\[view\]' in the folder of Taut; `taut render"):
        taut.show(recorded)


def test_a_recording_is_served_until_interrupted(
    recorded: Path, shown: list[Page], capsys: pytest.CaptureFixture[str]
) -> None:
    taut.show(recorded, port=0)
    lines = capsys.readouterr().out.splitlines()
    assert len(shown) == 1 and shown[0].address in lines[0] and "run.h5" in lines[0]
    assert "ssh -L" in lines[1] and lines[-1] == "viewer closed"


def test_a_scene_of_ones_own_is_shown_and_recorded(tmp_path: Path, shown: list[Page]) -> None:
    scene = taut.Scene(name="mine")
    scene.add_body("ball", taut.shapes.Sphere(1.0), mass=1.0)
    taut.show(scene, port=0, record=tmp_path / "mine.h5")
    assert shown[0].panes[0].source.description.scene == "mine"
    assert taut.Recording.load(tmp_path / "mine.h5").info.body_names == ("ball",)


@pytest.mark.parametrize(
    ("what", "options", "message"),
    [
        (3, {}, "show: it is 3; it must be a scene"),
        ("nosuch", {}, "nosuch"),
        ("four-bar", {"port": "a"}, "port 'a' is not a port"),
        ("four_bar", {"record": 3}, "record is 3"),
        ("four_bar", {"speed": 0.0}, "speed is 0"),
        ("four_bar", {"step": -1.0}, "step is -1"),
    ],
)
def test_what_cannot_be_shown_is_refused(what: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        taut.show(what, **options)


def test_a_process_that_died_is_an_error_at_the_end(
    tmp_path: Path, shown: list[Page], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def killed(page: Page) -> None:
        source: Any = page.panes[0].source
        source._process.kill()
        source._thread.join(20.0)

    monkeypatch.setattr(Page, "run", killed)
    code, lines = typed(monkeypatch, capsys, "view", "four_bar", "--port", "0", "--record", str(tmp_path / "run.h5"))
    assert code == 1 and lines[-1].startswith("taut: four_bar, auto: the simulation's process has died")


def test_a_scene_is_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page.html"
    request = RunRequest(taut.scenes.get("hanging_chain"), {"links": 3}, duration=0.05)
    commands.export(request, out)
    assert out.stat().st_size > 100_000 and "MB" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("view", "log_towr"), "log_tower"),
        (("view", "missing.h5"), "'missing.h5' does not exist; `taut run"),
        (("view", "missing.h5", "--solver", "ipm"), "it has been run already"),
        (("view", "missing.h5", "--record", "x.h5"), "it has been run already"),
        (("view", "log_tower", "--colour", "rainbow"), "island"),
        (("view", "folder/missing"), "there is no recording folder/missing"),
        (("view", "log_tower", "--port", "99999"), "port 99999"),
        (("view", "log_tower", "--speed", "0"), "speed is 0"),
        (("view", "log_tower", "--solver", "magic"), "magic"),
        (("view", "log_tower", "--set", "logs=2"), "logs"),
        (("view", "four_bar", "--export", "page.pdf"), "page.html"),
        (("view", "four_bar", "--export", "nowhere/page.html"), "nowhere"),
        (("compare", "four_bar", "--view"), "--view needs --solvers"),
        (("compare", "four_bar", "--solvers", "bpp,pgs", "--view", "--json"), "--view needs --solvers"),
    ],
)
def test_mistakes_are_one_clear_line(
    words: tuple[str, ...], expected: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = typed(monkeypatch, capsys, *words)
    assert code == 2 and len(lines) == 1 and expected in lines[0]


def test_a_corrupt_recording_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.h5"
    path.write_bytes(b"nothing")
    code, lines = typed(monkeypatch, capsys, "view", str(path))
    assert code == 2 and len(lines) == 1 and "broken.h5" in lines[0] and "taut run SCENE --record" in lines[0]


def test_a_folder_is_no_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = typed(monkeypatch, capsys, "view", str(tmp_path))
    assert code == 2 and len(lines) == 1 and "is a folder" in lines[0]


def test_a_taken_port_is_one_clear_line_with_another(
    recorded: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    server = start_server(0)
    try:
        code, lines = typed(monkeypatch, capsys, "view", str(recorded), "--port", str(server.get_port()))
    finally:
        stop_server(server)
    assert code == 2 and len(lines) == 1 and "is taken" in lines[0] and "--port" in lines[0]


def test_scenes_and_files_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log_tower").mkdir()  # a folder of that name does not hide the scene
    Path("run.rec").touch()
    assert not is_recording("log_tower") and not is_recording("log-tower") and not is_recording("nothing")
    assert is_recording("run.rec") and is_recording(Path("new.h5"))


@pytest.mark.parametrize("solvers", ["bpp", "bpp,pgs"])
def test_solvers_are_compared_in_the_browser(solvers: str, shown: list[Page], monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["compare", "four_bar", "--solvers", solvers, "--view", "--port", "0"]
    monkeypatch.setattr(sys, "argv", ["taut", *words])
    with pytest.raises(SystemExit):
        cli.main()
    assert [pane.source.description.solver for pane in shown[0].panes] == solvers.split(",")


def test_a_script_runs_in_the_browser(
    tmp_path: Path, shown: list[Page], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "mine.py"
    body = 'scene.add_body("ball", taut.shapes.Sphere(radius), mass=1.0)'
    script.write_text(f"import taut\ndef build(radius=1.0):\n    scene = taut.Scene()\n    {body}\n    return scene\n")
    code, lines = typed(monkeypatch, capsys, "view", str(script), "--set", "radius=2", "--port", "0")
    assert code == 0, lines
    description = shown[0].panes[0].source.description
    assert (description.scene, description.parameters) == ("mine", {"radius": 2.0})
