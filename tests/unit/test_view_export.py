"""Recordings as one file."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import msgspec.msgpack
import pytest
import zstandard
from sample_recordings import chain_info
from sample_sources import drawn_recording

from taut.errors import InputError
from taut.results.record import Recording
from taut.view.batches import Look
from taut.view.export import export_html, frames_at_rate


def messages(page: Path) -> list[tuple[float, dict]]:
    """What a page replays: time and message."""
    text = page.read_text(encoding="utf-8")
    packed = base64.b64decode(re.search(r'__VISER_EMBED_DATA__="([^"]*)"', text)[1])
    inner = zstandard.ZstdDecompressor().decompress(packed[8:], max_output_size=int.from_bytes(packed[:8], "little"))
    size = int.from_bytes(inner[:8], "little")
    return [tuple(each) for each in msgspec.msgpack.decode(inner[8 : 8 + size])["messages"]]


def test_all_frames_are_in_the_file_and_only_what_moves(tmp_path: Path) -> None:
    page = export_html(drawn_recording(steps=6, touch=True), tmp_path / "out.html")
    found = messages(page)
    updates = [(time, each) for time, each in found if each["type"] == "SceneNodeUpdateMessage"]
    changed = {name for _, each in updates for name in each["updates"]}
    assert changed == {"batched_positions"}  # they fall without turning
    times = sorted({round(time, 6) for time, _ in updates})
    # recorded at 100 Hz: every second frame, for 60 Hz
    assert times == pytest.approx([0.02, 0.04, 0.06])
    made = {each["name"] for _, each in found if each["type"] == "BatchedMeshesMessage"}
    assert made == {"/scene/bodies/0", "/scene/bodies/1"}
    assert "<title>sample_chain, bpp</title>" in page.read_text(encoding="utf-8")


def test_the_look_decides_what_is_in_it(tmp_path: Path) -> None:
    page = export_html(drawn_recording(steps=6, touch=True), tmp_path / "out.html", Look(contacts=True), fps=100.0)
    assert "/scene/contacts" in {each["name"] for _, each in messages(page) if each["type"] == "BatchedMeshesMessage"}


@pytest.mark.parametrize(("rate", "kept"), [(1000.0, 21), (60.0, 11), (50.0, 11), (10.0, 3), (0.1, 1)])
def test_frames_are_thinned(rate: float, kept: int) -> None:
    chosen = frames_at_rate(drawn_recording(steps=20), rate)
    assert len(chosen) == kept and chosen[0] == 0


def test_bad_targets_are_refused(tmp_path: Path) -> None:
    recording = drawn_recording(steps=1)
    with pytest.raises(InputError, match=r"ends in \.html"):
        export_html(recording, tmp_path / "out.mp4")
    with pytest.raises(InputError, match="no folder"):
        export_html(recording, tmp_path / "nowhere" / "out.html")
    with pytest.raises(InputError, match="fps"):
        export_html(recording, tmp_path / "out.html", fps=0.0)
    with pytest.raises(InputError, match="no frames"):
        export_html(Recording(chain_info()), tmp_path / "out.html")
