"""Figures of recordings."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from sample_recordings import append_frame, chain_info, frame_arrays, report, sample_recording

from taut.commands.plot import _is_chain, _last_frame_in_view, plot_comparison, plot_recording
from taut.errors import InputError
from taut.results.record import Recording

PNG = b"\x89PNG\r\n\x1a\n"


def picture_size(path: Path) -> tuple[int, int]:
    content = path.read_bytes()
    assert content.startswith(PNG)
    return int.from_bytes(content[16:20]), int.from_bytes(content[20:24])


def test_recording_makes_a_picture(tmp_path: Path) -> None:
    out = tmp_path / "new" / "run.png"
    assert plot_recording(sample_recording(steps=30), out) == out
    width, height = picture_size(out)
    assert width > 1000 and height > 500


@pytest.mark.parametrize("steps", [0, 1])
def test_short_recordings_make_pictures(tmp_path: Path, steps: int) -> None:
    plot_recording(sample_recording(steps=steps), tmp_path / "run.png")
    assert picture_size(tmp_path / "run.png")[0] > 1000


def test_values_that_are_zero_or_not_finite_do_not_stop_a_plot(tmp_path: Path) -> None:
    broken = sample_recording(steps=5, residual=np.inf, violation=np.nan, energy=np.nan, unconverged=True)
    plot_recording(broken, tmp_path / "broken.png")
    plot_recording(sample_recording(steps=5, residual=0.0, violation=0.0), tmp_path / "zero.png")
    plot_comparison({"bpp": sample_recording(), "pgs": broken}, tmp_path / "both.png")
    assert len({picture_size(path) for path in tmp_path.glob("*.png")}) == 1


def test_penetration_is_drawn_where_bodies_touch(tmp_path: Path) -> None:
    touching = {"contacts": 3, "penetration": 1e-4}
    for name, changes in {"apart": {}, "touching": touching, "no joints": touching | {"violation": 0.0}}.items():
        recording = sample_recording(20, **changes)
        plot_recording(recording, tmp_path / f"{name}.svg")
        plot_comparison({"bpp": recording}, tmp_path / f"{name} compared.svg")
        for file in (f"{name}.svg", f"{name} compared.svg"):
            text = (tmp_path / file).read_text()
            assert ("dashed: penetration" in text) == (name != "apart"), file
            assert "throughout" not in text, file


def test_solvers_are_told_apart(tmp_path: Path) -> None:
    runs = {name: sample_recording(20, solver=name, residual=value) for name, value in (("a", 1e-12), ("b", 1e-3))}
    plot_comparison(runs, tmp_path / "two.svg")
    text = (tmp_path / "two.svg").read_text()
    assert "<!-- a -->" in text and "<!-- b -->" in text


def test_side_view_stops_before_a_run_explodes() -> None:
    calm = sample_recording(steps=20, bodies=5)
    wild = Recording(chain_info(5))
    for frame in range(8):
        append_frame(wild, frame)
    positions, *rest = frame_arrays(8, 5)
    wild.append(0.08, positions * 1e9, *rest, report(8), joint_reactions=np.zeros((5, 6)), joint_violations=np.zeros(5))
    assert _last_frame_in_view([calm, wild]) == 7
    assert _last_frame_in_view([calm]) == 20


def test_strings_of_bodies_are_joined_by_lines() -> None:
    assert _is_chain(sample_recording(bodies=6))
    assert not _is_chain(sample_recording(bodies=2))


def test_a_picture_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        plot_recording(sample_recording(), tmp_path / "run.nonsense")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        plot_recording(sample_recording(), tmp_path / "file" / "run.png")


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"pip install -e '\.\[plot\]'"):
        plot_recording(sample_recording(), tmp_path / "run.png")
