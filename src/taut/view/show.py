"""Look at a scene or a recording in the browser, from a script."""

from __future__ import annotations

import math
from pathlib import Path

from taut import checks, scenes
from taut.errors import InputError
from taut.results.record import Recording
from taut.scene.scene import Scene
from taut.simulation.launch import RunRequest, entry_of, is_recording
from taut.view.server import PORT


def show(
    what: Scene | Recording | str | Path,
    step: float = 1 / 60,
    solver: str = "auto",
    integrator: str = "bdf2",
    friction: str = "box",
    duration: float = math.inf,
    record: str | Path | None = None,
    speed: float = 1.0,
    port: int = PORT,
    open_browser: bool = True,
) -> None:
    """Run a scene in the browser, or look through a recording, until Ctrl-C; needs the extra ``view``.

    Args:
        what: a scene, the name of a reference scene, a script with ``build()``, a recording or its file.
        step, solver, integrator, friction: of the simulation, as `Simulation` takes them.
        duration: simulated time at which it pauses, s.
        record: HDF5 file to write while it runs.
        speed: simulated over wall-clock seconds to aim at.
        port: of this machine.
        open_browser: whether to open one; the address is printed anyway.
    """
    from taut.view import commands

    speed = checks.number("show", "speed", speed, above=0.0)
    if isinstance(what, str | Path) and is_recording(what):
        commands.view_recording(Recording.load(what), str(what), port, open_browser, speed)
        return
    if isinstance(what, Recording):
        commands.view_recording(what, what.info.scene, port, open_browser, speed)
        return
    if not isinstance(what, str | Path | Scene):
        raise InputError(f"show: it is {checks.shown(what)}; it must be a scene, a recording, a name or a file")
    if not isinstance(record, str | Path | None):
        raise InputError(f"show: record is {checks.shown(record)}; it must be the name of a file")
    request = RunRequest(
        entry=scenes.unlisted(what) if isinstance(what, Scene) else entry_of(what),
        solver=solver,
        integrator=integrator,
        friction=friction,
        step=checks.number("show", "step", step, above=0.0),
        duration=math.inf if duration == math.inf else checks.number("show", "duration", duration, above=0.0),
        record=None if record is None else Path(record),
    )
    commands.view_scenes([request], port, open_browser, speed)
