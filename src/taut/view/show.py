"""Look at a scene or a recording in the browser, from a script."""

from __future__ import annotations

import math
from pathlib import Path

from taut.errors import InputError
from taut.record import Recording
from taut.scene import Scene


def show(
    what: Scene | Recording | str | Path,
    step: float = 1 / 60,
    solver: str = "auto",
    integrator: str = "bdf2",
    friction: str = "box",
    record: str | Path | None = None,
    port: int = 8080,
    open_browser: bool = True,
) -> None:
    """Run a scene in the browser, or look through a recording, until Ctrl-C; needs the extra ``view``.

    Args:
        what: a scene, the name of a reference scene, a recording or its file.
        step, solver, integrator, friction: of the simulation, as `Simulation` takes them.
        record: HDF5 file to write while it runs.
        port: of this machine.
        open_browser: whether to open one; the address is printed anyway.
    """
    from taut import scenes
    from taut.launch import RunRequest
    from taut.view import commands

    if isinstance(what, Recording):
        commands.view_recording(what, what.info.scene, port, open_browser)
    elif isinstance(what, str | Path) and str(what) not in scenes.names():
        commands.view_recording(Recording.load(what), str(what), port, open_browser)
    elif isinstance(what, str | Scene):
        request = RunRequest(
            entry=scenes.get(what) if isinstance(what, str) else scenes.unlisted(what),
            solver=solver,
            integrator=integrator,
            friction=friction,
            step=step,
            duration=math.inf,
            record=None if record is None else Path(record),
        )
        commands.view_scenes([request], port, open_browser)
    else:
        raise InputError(f"show: it is {what!r}; it must be a scene, a recording, a name or a file")
