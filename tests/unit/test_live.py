"""A simulation in a process of its own."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from fresh_python import run_python

import taut
from taut.errors import InputError
from taut.results.record import Recording
from taut.results.report import REPORT_DTYPE
from taut.simulation.launch import RunRequest
from taut.view.live import MOST_WAITING, LiveSource, Mailbox, Waiting
from taut.view.source import Update


def request(**changes: object) -> RunRequest:
    given = {"parameters": {"links": 8}, "duration": math.inf}
    return RunRequest(taut.scenes.get("hanging_chain"), **(given | changes))


@pytest.fixture
def source() -> Iterator[LiveSource]:
    live = LiveSource(request())
    yield live
    live.close()


def awaited(source: LiveSource, wanted: Callable[[Update], bool]) -> list[Update]:
    """Updates up to the first that is wanted; fails if none comes."""
    updates: list[Update] = []
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        if (update := source.latest()) is not None:
            updates.append(update)
            if wanted(update):
                return updates
        time.sleep(0.005)
    raise AssertionError(f"nothing came: {[update.message for update in updates]}")


def test_it_plays_pauses_steps_and_resets(source: LiveSource) -> None:
    assert source.description.scene == "hanging_chain" and source.description.length is None
    source.play()
    updates = awaited(source, lambda update: update.frame.time > 0.2)
    source.pause()
    updates += awaited(source, lambda update: not update.playing)
    reports = np.concatenate([update.reports for update in updates])
    assert reports.dtype == REPORT_DTYPE and reports["index"].tolist() == list(range(1, len(reports) + 1))
    paused = updates[-1].frame.time
    source.step()
    assert awaited(source, lambda _: True)[-1].frame.time == pytest.approx(paused + 1 / 60)
    source.reset()
    assert awaited(source, lambda update: update.frame.time == 0.0)
    assert source.description.generation == 2


def test_a_viewer_that_hangs_changes_nothing(tmp_path: Path) -> None:
    """Recorded while the pipe to the viewer is stuffed and while it is not: the same bits, those of a plain run."""
    for name, hangs in (("stuck", True), ("seen", False)):
        source = LiveSource(request(record=tmp_path / f"{name}.h5", duration=5.0))
        source.set_speed(100.0)
        source.play()
        if hangs:
            with source._lock:  # who takes the news waits here
                time.sleep(1.0)
        awaited(source, lambda update: "the end" in update.message)
        source.close()
    plain = taut.Simulation(taut.scenes.build("hanging_chain", links=8)).run(5.0)
    for name in ("stuck", "seen"):
        recording = Recording.load(tmp_path / f"{name}.h5")
        assert len(recording) == len(plain) == 301
        for array in ("positions", "orientations", "velocities", "angular_velocities", "energy"):
            assert np.array_equal(getattr(recording, array), getattr(plain, array)), (name, array)


def update(number: int, message: str = "") -> Update:
    """An update with one report."""
    frame = SimpleNamespace(number=number)
    return Update(frame, np.full(1, number, [("index", int)]), 1.0, True, message)  # type: ignore[arg-type]


def test_updates_that_wait_become_one_with_all_reports_and_the_newest_message() -> None:
    waiting = Waiting()
    assert not waiting
    for number, message in enumerate(("first", "second", "")):
        waiting.add(update(number, message))
    taken = waiting.take()
    assert taken.reports["index"].tolist() == [0, 1, 2] and taken.message == "second"
    assert taken.frame.number == 2 and not waiting  # type: ignore[attr-defined]


def test_a_viewer_that_hangs_for_long_misses_the_oldest() -> None:
    waiting = Waiting()
    for number in range(MOST_WAITING + 10):
        waiting.add(update(number))
    assert waiting.take().reports["index"][[0, -1]].tolist() == [10, MOST_WAITING + 9]


def test_a_mailbox_sends_the_newest_and_drops_frames_of_what_is_no_more() -> None:
    taken, free = [], threading.Semaphore(0)

    def send(news: object) -> None:
        free.acquire()
        taken.append(news)

    mailbox = Mailbox(SimpleNamespace(send=send))  # type: ignore[arg-type]
    mailbox.post(update(0))
    while mailbox._waiting:  # until the thread has it in hand
        time.sleep(0.001)
    mailbox.post(update(1))
    another = SimpleNamespace(run=1)
    mailbox.describe(another)  # type: ignore[arg-type]
    mailbox.post(update(2, "hello"))
    mailbox.post(update(3))
    free.release(3)
    end = time.monotonic() + 20.0
    while len(taken) < 3 and time.monotonic() < end:
        time.sleep(0.001)
    first, description, last = taken
    assert first.reports["index"].tolist() == [0] and description is another
    assert last.reports["index"].tolist() == [2, 3] and last.frame.number == 3 and last.message == "hello"


def test_what_grows_within_a_run_drops_no_reports() -> None:
    taken: list[object] = []
    mailbox = Mailbox(SimpleNamespace(send=taken.append), run=1)  # type: ignore[arg-type]
    with mailbox._ready:
        mailbox.post(update(0))
        mailbox.describe(SimpleNamespace(run=1))  # type: ignore[arg-type]
        mailbox.post(update(1))
    end = time.monotonic() + 20.0
    while len(taken) < 2 and time.monotonic() < end:
        time.sleep(0.001)
    assert taken[1].reports["index"].tolist() == [0, 1]  # type: ignore[attr-defined]


def test_a_scene_that_cannot_be_built_is_an_error_here() -> None:
    with pytest.raises(InputError, match="links"):
        LiveSource(request(parameters={"links": -1}))


def test_a_scene_with_an_inline_function_is_refused_with_the_reason() -> None:
    scene = taut.Scene(name="mine")
    scene.add_body("ball", taut.shapes.Sphere(1.0), mass=1.0)
    scene.add_control("wind", act=lambda simulation, value: None)
    with pytest.raises(InputError, match="'mine' cannot be sent.*functions in it"):
        LiveSource(RunRequest(taut.scenes.unlisted(scene)))


def test_a_script_without_a_guard_is_not_run_again(tmp_path: Path) -> None:
    script = tmp_path / "watch.py"
    script.write_text(
        "import taut\nfrom taut.simulation.launch import RunRequest\n"
        "from taut.view.live import LiveSource\nprint('script')\n"
        "source = LiveSource(RunRequest(taut.scenes.get('four_bar')))\n"
        "print(source.description.scene)\nsource.close()\n"
    )
    done = run_python(str(script))
    assert done.returncode == 0 and done.stdout.split() == ["script", "four_bar"], done.stderr


def test_a_process_that_died_is_noticed(source: LiveSource) -> None:
    source._process.terminate()
    end = time.monotonic() + 20.0
    while not source.ended and time.monotonic() < end:
        time.sleep(0.02)
    assert source.ended
    source.play()  # nobody hears it, and nothing breaks
