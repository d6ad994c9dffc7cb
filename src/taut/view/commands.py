"""What the command line calls to look at things: scenes that run, recordings, comparisons, and pages to send away."""

from __future__ import annotations

import os
import signal
import sys
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from taut import console
from taut.errors import SimulationError
from taut.results.record import Recording
from taut.simulation.launch import RunRequest
from taut.view.batches import Look
from taut.view.page import Page
from taut.view.replay import ReplaySource
from taut.view.server import PORT, check_port, require_viser


def view_scenes(
    requests: Sequence[RunRequest], port: int = PORT, open_browser: bool = True, speed: float = 1.0,
    look: Look | None = None,
) -> None:  # fmt: skip
    """Run a scene in the browser until Ctrl-C, or several side by side, such as one with several solvers."""
    from taut.view.live import LiveSource

    require_viser()
    check_port(port)
    touching = any(request.build().collisions for request in requests)
    reduced = any(request.coordinates != "maximal" for request in requests)
    console.compile_kernels(
        touching=touching,
        solvers=[request.solver for request in requests],
        reduced=reduced,
        integrators=[request.integrator for request in requests],
    )
    with ExitStack() as started:
        sources = []
        for request in requests:
            source = LiveSource(request)
            started.callback(source.close)
            sources.append(source)
        page = Page(sources, port, look, speed, autoplay=True)
        started.pop_all()
    serve(page, open_browser, requests[0].entry.name)
    for source in sources:
        if source.description.files:
            say(f"recorded to {', '.join(source.description.files)}")
    for source in sources:
        if source.ended:
            raise SimulationError(f"{source.description.title}: {source.ended}")


def view_recording(
    recording: Recording, name: str, port: int = PORT, open_browser: bool = True, speed: float = 1.0,
    look: Look | None = None,
) -> None:  # fmt: skip
    """Look through a recording in the browser until Ctrl-C."""
    require_viser()
    check_port(port)
    serve(Page([ReplaySource(recording)], port, look, speed), open_browser, name)


def export(target: RunRequest | Path, out: Path, look: Look | None = None) -> None:
    """Write a recording, or a scene that is run now, as one page that opens without a network."""
    from taut.view.export import check_target, export_html

    require_viser()
    check_target(out)
    recording = Recording.load(target) if isinstance(target, Path) else run_quietly(target)
    export_html(recording, out, look)
    say(f"{out} ({out.stat().st_size / 1e6:.1f} MB)")


def run_quietly(request: RunRequest) -> Recording:
    """Run a scene to its end with nothing but a progress bar."""
    console.compile_kernels(
        touching=request.build().collisions,
        solvers=[request.solver],
        reduced=request.coordinates != "maximal",
        integrators=[request.integrator],
    )
    simulation = request.simulation()
    with console.progress(request.entry.name) as update:
        return simulation.run(
            request.duration, request.record, lambda share: update(share, f"t = {simulation.time:.2f} s")
        )


def serve(page: Page, open_browser: bool, name: str) -> None:
    """Show a page until Ctrl-C, then close it."""
    say(f"{name} is at {page.address} (Ctrl-C ends it)")
    if open_browser and not browse(page.address):
        port = page.server.get_port()
        say(
            f"no browser to open here; on another machine run `ssh -L {port}:127.0.0.1:{port} THIS-HOST` "
            f"and open {page.address}"
        )
    try:
        with stop_on_interrupt(page):
            page.run()
    finally:
        page.close()
    say("viewer closed")


def browse(address: str) -> bool:
    """Open a browser with a window; False if there is none. One that would take over the terminal is none."""
    windows = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    return windows and webbrowser.open(address)


@contextmanager
def stop_on_interrupt(page: Page) -> Iterator[None]:
    """Ctrl-C stops the page between two frames; a second one does not wait for that."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        signal.signal(signal.SIGINT, previous)
        page.stop()

    previous = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def say(text: str) -> None:
    """A line on the standard output, never cut."""
    console.output.print(text, soft_wrap=True, highlight=False, markup=False)
