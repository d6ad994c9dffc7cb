"""Who writes a recording of a simulation: frame by frame, also while bodies, joints and springs come and go.

recorder = Recorder(simulation, "chain.h5")
simulation.step(); recorder.frame()
recorder.recording.close()
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from taut.results.drawing import drawn_links
from taut.results.record import Recording, RecordingInfo

if TYPE_CHECKING:
    from taut.simulation.simulation import Simulation


class Recorder:
    """Makes a recording of a simulation, and adds its present state as the first frame.

    Args:
        simulation: what to record.
        path: HDF5 file to write while it grows; None keeps the frames in memory only.

    Attributes:
        recording: what there is so far.
    """

    def __init__(self, simulation: Simulation, path: str | Path | None = None) -> None:
        self._simulation, self._model, self._drawing = simulation, simulation.model, simulation.drawing
        self._links = drawn_links(simulation.model)
        self._info = self._present_info()
        self.recording = Recording(self._info, path, self._drawing)

    def frame(self) -> None:
        """Add the present state; what came or went since the last time is noted. Hands are left out."""
        simulation, recording = self._simulation, self.recording
        if simulation.model is not self._model:
            self._look_again()
        state, bodies = simulation.state, slice(1, None)
        recording.append(
            state.time, simulation.origins()[bodies], state.orientation[bodies], state.velocity[bodies, :3],
            state.velocity[bodies, 3:], simulation.report,
            None if simulation.stepper.collider is None else simulation.contacts, **self._joints(),
        )  # fmt: skip

    def _look_again(self) -> None:
        """Note which bodies and joints there are, if others than before or others to look at."""
        simulation = self._simulation
        self._model, self._links = simulation.model, drawn_links(simulation.model)
        info, drawing = self._present_info(), simulation.drawing.sharing(self._drawing)
        if info != self._info or drawing is not self._drawing:
            self._info, self._drawing = info, drawing
            self.recording.change(info, drawing)

    def _present_info(self) -> RecordingInfo:
        """What a recording of the present bodies and joints is of; the world is left out."""
        simulation = self._simulation
        bodies, settings = simulation.model.bodies, simulation.settings
        names = tuple(simulation.meter.names[link] for link in self._links.tolist())
        return RecordingInfo(
            scene=simulation.scene_name, body_names=bodies.names[1:], masses=tuple(bodies.mass[1:].tolist()),
            joint_names=names, step=settings.step, solver=settings.solver.name, integrator=settings.scheme.name,
            coordinates=simulation.coordinates, friction=settings.friction, parameters=simulation.parameters,
        )  # fmt: skip

    def _joints(self) -> dict[str, np.ndarray]:
        """Arrays of joints that are recorded, one row a joint."""
        simulation, links = self._simulation, self._links
        joints: dict[str, np.ndarray] = {}
        state, meter = simulation.state, simulation.meter
        if links.size:
            simulation.read_joints()
            joints = {"joint_reactions": meter.reaction, "joint_violations": meter.violation}
            joints["joint_tight"] = meter.tight(state.index_set)
        if width := max((len(meter.slots(link)) for link in links.tolist()), default=0):
            rates = meter.rates(simulation.stepper.measure(state), state)
            joints["joint_positions"] = meter.coordinates(state.coordinate)[:, :width]
            joints["joint_velocities"] = meter.coordinates(rates)[:, :width]
        if meter.pulls[links].any():
            joints["joint_tensions"] = meter.tension(state.force)
        return {name: values[links] for name, values in joints.items()}
