"""What is told while something takes long."""

from __future__ import annotations

import gc
import re
import threading
from typing import Any

import pytest

from taut import console, kernel


@pytest.mark.parametrize("fails", [False, True])
def test_something_long_is_told_of_until_it_ends(fails: bool) -> None:
    told = threading.Semaphore(0)
    before = threading.active_count()
    try:
        with console.now_and_then(told.release, 0.001):
            for _ in range(3):
                assert told.acquire(timeout=60.0)
            if fails:
                raise RuntimeError
    except RuntimeError:
        assert fails
    assert threading.active_count() == before


def test_a_log_has_lines_while_kernels_compile(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    told = threading.Semaphore(0)
    counts = iter(range(1000))

    def compiled(without: tuple[str, ...]) -> tuple[int, int]:
        told.release()
        return next(counts), 1000

    def warm_up(without: tuple[str, ...]) -> None:
        for _ in range(3):
            assert told.acquire(timeout=60.0)

    monkeypatch.setattr(kernel, "compiled", compiled)
    monkeypatch.setattr(kernel, "warm_up", warm_up)
    monkeypatch.setattr(console, "LINE_SECONDS", 0.001)
    assert console.compile_kernels(force=True) is not None
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) >= 2 and lines[0].startswith("compiling kernels: 0 of 1000 after 0 s")
    assert all(re.fullmatch(r"compiling kernels: \d+ of 1000 after \d+ s", line) for line in lines)


@pytest.mark.parametrize(
    ("asked", "left_out"),
    [
        ({}, {"taut.view.raster_kernels"}),
        ({"integrators": ["bdf2"]}, {"taut.view.raster_kernels", "taut.stepping.redmax_kernels"}),
        ({"integrators": ["bdf2", "redmax"]}, {"taut.view.raster_kernels"}),
        ({"reduced": False}, {"taut.view.raster_kernels", "taut.linalg.articulated_kernels"}),
        ({"touching": False}, {"taut.view.raster_kernels", "taut.solvers.body_space_kernels"}),
        ({"solvers": ["bpp"]}, {"taut.view.raster_kernels", "taut.linalg.cached_factor_kernels"}),
        ({"solvers": ["bpp", "bpp-cached"]}, {"taut.view.raster_kernels"}),
    ],
)
def test_kernels_that_a_run_does_not_use_are_left_for_later(
    monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], left_out: set[str]
) -> None:
    chosen: list[str] = []

    def is_warm(without: tuple[str, ...]) -> bool:
        chosen.extend(kernel.kernel_modules(without))
        return True

    monkeypatch.setattr(kernel, "is_warm", is_warm)
    assert console.compile_kernels(**asked) is None
    watched = {"taut.view.raster_kernels", "taut.stepping.redmax_kernels", "taut.linalg.articulated_kernels"}
    watched |= {"taut.solvers.body_space_kernels", "taut.linalg.cached_factor_kernels"}
    assert watched - set(chosen) == left_out


def test_what_is_there_is_not_searched_for_garbage_during_a_run() -> None:
    before = gc.get_freeze_count()
    with pytest.raises(KeyboardInterrupt), console.without_long_pauses():
        assert gc.get_freeze_count() > before + 1000
        raise KeyboardInterrupt
    assert gc.get_freeze_count() == before == 0
