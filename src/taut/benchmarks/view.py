"""What watching costs a simulation, by number of bodies: log towers that stand, a viewer in a process of its own.

`update_ms` is the time in the simulation's thread from a finished step to a frame that is on its way, `update_cpu_ms`
what of it the processor spent there: on a busy machine the rest is waiting. Packing and sending are another thread's.
`step_ms` and `watched_ms` are whole steps without and with that, with a pause after each as where a simulation is ahead
of the clock: frames are sent then. `flat_out_ms` is a watched step where there is no pause, and sending takes time from
the steps; `flat_out_step_ms` the same unwatched. Nothing is recorded. All cases in turn, medians.
"""

from __future__ import annotations

import multiprocessing
import pickle
from multiprocessing.connection import Connection
from time import perf_counter, sleep, thread_time
from typing import Any

from taut import scenes
from taut.benchmarks._clock import Measurement, stages_in_turn
from taut.simulation.launch import RunRequest
from taut.view.live import Mailbox
from taut.view.performance import Performance

LAYERS = (25, 75, 125)
"""Of four logs each: 100, 300 and 500 bodies."""

FRAMES = 120

PAUSE = 0.003
"""Seconds between steps of a simulation that is ahead of the clock."""


def run() -> list[dict[str, Any]]:
    """One row a tower."""
    context = multiprocessing.get_context("spawn")
    viewer_end, own_end = context.Pipe(duplex=False)
    viewer = context.Process(target=take_all, args=(viewer_end,), daemon=True)
    viewer.start()
    viewer_end.close()
    try:
        return [measure(layers, Mailbox(own_end)) for layers in LAYERS]
    finally:
        viewer.terminate()


def take_all(connection: Connection) -> None:
    """A viewer that only takes what comes."""
    while True:
        connection.recv()


def measure(layers: int, mailbox: Mailbox) -> dict[str, Any]:
    """Figures of one tower."""
    parameters = {"layers": layers, "arrival": 1e3}
    request = RunRequest(scenes.get("log_tower"), parameters, duration=1e6)
    towers = [Performance(request) for _ in range(4)]
    for tower in towers:
        for _ in range(10):
            tower.advance()
    size = len(pickle.dumps(towers[0].update()))
    cases = zip(towers, (None, mailbox, None, mailbox), (PAUSE, PAUSE, 0.0, 0.0), strict=True)
    plain, watched, flat_out, flat_out_watched = stages_in_turn([frame_of(*case) for case in cases], FRAMES)
    return {
        "bodies": len(towers[0].drawing.body_names) - 1,
        "contacts": len(towers[0].simulation.contacts),
        "frame_kB": size / 1e3,
        "update_ms": 1e3 * watched["update"],
        "update_cpu_ms": 1e3 * watched["update_cpu"],
        "step_ms": 1e3 * plain["whole"],
        "watched_ms": 1e3 * watched["whole"],
        "flat_out_step_ms": 1e3 * flat_out["whole"],
        "flat_out_ms": 1e3 * flat_out_watched["whole"],
    }


def frame_of(performance: Performance, mailbox: Mailbox | None, pause: float) -> Measurement:
    """A step, where there is a mailbox the frame that goes there, and a pause that does not count."""

    def once() -> dict[str, float]:
        start = perf_counter()
        performance.advance()
        stepped, busy = perf_counter(), thread_time()
        if mailbox is not None:
            mailbox.post(performance.update())
        end, busy = perf_counter(), thread_time() - busy
        sleep(pause)
        return {"update": end - stepped, "update_cpu": busy, "whole": end - start}

    return once
