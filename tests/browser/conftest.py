"""A real browser without a screen, and pages of live simulations for it.

WebGL in software draws about one picture a second: tests wait for what they want, and never ask how fast it came.
"""

from __future__ import annotations

import math
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser_pages import PATIENCE, SIZE, Seen, picture, wait_for

from taut.simulation.launch import RunRequest, entry_of
from taut.view.batches import Look
from taut.view.live import LiveSource
from taut.view.page import Page

SHOTS = Path(__file__).resolve().parents[2] / "build" / "screenshots"
"""What the pages looked like at the end of each test."""

FLAGS = (
    "--no-sandbox", "--disable-background-networking", "--use-gl=angle", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
)  # fmt: skip


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The system's Chromium."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.fail("these tests need Chromium: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def requests_outside() -> list[str]:
    """What a tab of `open_tab` asked for that is not on this machine."""
    return []


@pytest.fixture
def keep(request: pytest.FixtureRequest) -> Callable[[Any], None]:
    """Saves what a tab shows, to be looked at."""

    def kept(tab: Any) -> None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        tab.screenshot(path=str(SHOTS / f"{request.node.name.removeprefix('test_')}.png"))

    return kept


@pytest.fixture
def open_tab(chromium: Any, requests_outside: list[str], keep: Callable[[Any], None]) -> Iterator[Callable[..., Any]]:
    """Opens an address and waits until there is a picture."""
    tabs: list[Any] = []

    def note(request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:", "http://127.0.0.1:", "ws://127.0.0.1:")):
            requests_outside.append(request.url)

    def opened(address: str, offline: bool = False) -> Any:
        context = chromium.new_context(viewport=SIZE, offline=offline)
        tab = context.new_page()
        tab.on("request", note)
        tab.goto(address)
        tabs.append(tab)
        tab.wait_for_selector("canvas", timeout=1e3 * PATIENCE)
        wait_for(lambda: picture(tab).std() > 3.0, "a picture that is not blank")
        return tab

    yield opened
    for tab in tabs:
        if tab.url.startswith("file:"):  # pages that are served are gone by now
            keep(tab)
        tab.context.close()


@pytest.fixture
def show(open_tab: Callable[..., Any], keep: Callable[[Any], None]) -> Iterator[Callable[..., Seen]]:
    """Shows a scene that runs, of this name or in this script, paused at its beginning, with one solver or several."""
    shown: list[Seen] = []

    def begun(scene: str, look: Look | None = None, solvers: tuple[str, ...] = ("auto",), **parameters: Any) -> Seen:
        run = RunRequest(entry_of(scene), parameters, duration=math.inf)
        sources = [LiveSource(replace(run, solver=solver)) for solver in solvers]
        page = Page(sources, port=0, look=look)
        threading.Thread(target=page.run, daemon=True).start()
        shown.append(Seen(page, sources[0], open_tab(page.address)))
        return shown[-1]

    yield begun
    for seen in shown:
        keep(seen.tab)
        seen.page.close()
