"""The friendly loop around `step`: run, look at bodies and joints, drive motors, record."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NoReturn, overload

from taut import checks, spatial
from taut.contact.friction import MODES
from taut.contact.memory import ContactMemory
from taut.errors import InputError, SimulationError
from taut.integrators import KINEMATIC, SCHEMES
from taut.model.articulation import COORDINATES
from taut.model.compile import compile_scene
from taut.model.index_map import IndexMap
from taut.model.model import Model
from taut.model.state import State
from taut.results.contact_table import ContactTable, read_contacts
from taut.results.drawing import Drawing, draw_model
from taut.results.events import Event
from taut.results.joint_readings import JointMeter
from taut.results.record import Recording
from taut.results.report import MissedFrames, StepReport
from taut.rows.table import RowTable
from taut.scene.scene import Scene
from taut.simulation.controls import Controls, Script, make_controls
from taut.simulation.edit import Edit
from taut.simulation.free_motion import newton_of, projections_of
from taut.simulation.grab import Grab
from taut.simulation.handles import BodyView, JointView
from taut.simulation.parts import part_of
from taut.simulation.recorder import Recorder
from taut.simulation.reporting import initial_report, make_report
from taut.simulation.start import fitting_state, solver_of, warn_of_mistakes
from taut.simulation.strike import strike
from taut.simulation.topology import Topology
from taut.simulation.witness import Problems, ProblemWitness
from taut.solvers.base import PivotingSolver
from taut.spatial import Array
from taut.stepping.energy import energy_with, momentum_of
from taut.stepping.mechanism import mechanism_of
from taut.stepping.policy import MODES_OF_MOTION, STIFFNESSES, Projection
from taut.stepping.redmax import redmax_of
from taut.stepping.reduced import METHODS
from taut.stepping.settings import Settings
from taut.stepping.sleep import next_frames
from taut.stepping.stepper import Stepper
from taut.stepping.tally import Tally

BODIES_AT_ONCE = 100_000
"""Frames times bodies in one call of compiled code, a tenth of a second: a run can be interrupted between two calls."""


class Simulation:
    """A scene in motion.

    Args:
        scene: what to simulate; it is copied and compiled, later changes of it do not change the simulation (`edit`
            does).
        step: h, s.
        solver: a solver's name (`taut solvers` lists them) or "auto"; or a solver with options of its own, such as
            `taut.solvers.get("bpp", reuse=True)`.
        integrator: "bdf2", "low-damping", "euler", or "redmax" with coordinates "reduced", see `taut.stepping.redmax`.
        coordinates: "maximal", bodies and the rows of their joints; "reduced", joint coordinates wherever joints make a
            tree; or "auto", joint coordinates in mechanisms that are trees as a whole.
        friction: "box", "box-refined" or "cone", see `taut.contact.friction`.
        mode: "dynamics", f = m a; "kinematic", f = m v: a step moves bodies as they are pushed, nothing coasts; or
            "impulse", j = m dv: a step changes velocities by what is applied, once and in N s, and nothing moves.
        geometric_stiffness: "auto"; "exact", all of it, slower, with coordinates "maximal"; "off" to see what it does.
        tolerance: error of the linearisation, m or rad, above which a step is linearised again; fifty times as much
            is the most that an accepted step may leave.
        dump: folder for problems that a solver could not solve (npz), or None.
        problems: called after every frame with its number and its last problem (`taut.problem.dump.SolvedProblem`),
            such as a `ProblemFolder`; frames then go stage by stage, to the same bits. Not in mode "impulse".
        sleeping: whether bodies that rest fall asleep, and cost nothing until something touches them, see
            `taut.stepping.sleep`. Not in mode "impulse".
        linear: "pcg", "direct" or "auto": how springs across trees in joint coordinates are solved with.
        policy: "auto", or "free-motion", which goes through the stages of free motion also where nothing is projected.
        projections: of what bodies would do without rows, after the scene's own, see `taut.projections`.
        newton: linearisations of every step at least; more are made where rows are off by more than the tolerance.
        partition: how a solver with parts makes them: "auto", "groups", "minimum-degree", "chains" or "rows", see
            `taut.problem.parts`; None = as the solver says.
        part_size: bodies a part, 0 = what should be fastest; None = as the solver says.
    """

    def __init__(
        self,
        scene: Scene,
        step: float = 1 / 60,
        solver: str | PivotingSolver = "auto",
        integrator: str = "bdf2",
        coordinates: str = "maximal",
        friction: str = "box",
        mode: str = "dynamics",
        geometric_stiffness: str = "auto",
        tolerance: float = 1e-6,
        dump: str | Path | None = None,
        problems: Problems | None = None,
        sleeping: bool = False,
        linear: str = "auto",
        policy: str = "auto",
        projections: Sequence[Projection] = (),
        newton: int = 1,
        partition: str | None = None,
        part_size: int | None = None,
    ) -> None:
        if not isinstance(scene, Scene):
            raise InputError(f"simulation: scene is {scene!r}; it must be a taut.Scene")
        self.coordinates = checks.known("simulation", "coordinates", coordinates, COORDINATES)
        tolerance = checks.number("simulation", "tolerance", tolerance, above=0.0)
        self.mode = checks.known("simulation", "mode", mode, MODES_OF_MOTION)
        scheme = SCHEMES[checks.known("simulation", "integrator", integrator, SCHEMES)]
        self.settings = Settings(
            step=checks.number("simulation", "step", step, above=0.0),
            scheme=KINEMATIC if self.mode == "kinematic" else scheme,
            solver=solver_of(solver, partition, part_size),
            friction=checks.known("simulation", "friction", friction, MODES),
            linear=checks.known("simulation", "linear", linear, METHODS),
            geometric_stiffness=checks.known("simulation", "geometric_stiffness", geometric_stiffness, STIFFNESSES),
            tolerance=tolerance,
            limit=50.0 * tolerance,
            sleeping=checks.flag("simulation", "sleeping", sleeping),
            projections=projections_of(policy, projections, scene, self.mode, integrator, geometric_stiffness),
            newton=newton_of(newton),
        )
        if sleeping and self.mode == "impulse":
            raise InputError("simulation: sleeping is True in mode 'impulse', in which nothing moves; leave it out")
        if geometric_stiffness == "exact" and coordinates != "maximal":
            raise InputError(f"simulation: coordinates is {coordinates!r}; with 'exact' stiffness it must be 'maximal'")
        if integrator == "redmax" and self.mode != "dynamics":
            raise InputError(f"simulation: mode is {self.mode!r}; with integrator 'redmax' it must be 'dynamics'")
        if self.mode == "kinematic":  # where force gives velocity, energy is not kept
            self.settings = replace(self.settings, energy_tolerance=math.inf, rough_energy_tolerance=math.inf)
        self.dump = None if dump is None else checks.path("simulation", "dump", dump)
        self.witness = None if problems is None else ProblemWitness(problems)
        self.scene_name, self.parameters = scene.name, dict(scene.parameters)
        self.scene = scene.copy()
        self.controls = Controls()
        """Inputs by name, those that the scene declares and one for every other motor, see `Control`."""
        self.events: list[Event] = []
        """What happened since the last report."""
        self.callbacks: list[Callable[[Simulation], Any]] = []
        self.adopt(self.scene, *compile_scene(self.scene))
        self.report = initial_report(self)
        warn_of_mistakes(self.stepper, self.meter, self.state, self.report.penetration, self.mode != "impulse")

    def adopt(self, scene: Scene, model: Model, state: State, index: IndexMap | None = None) -> None:
        """Go on with another model of this scene, from a state of it; `index` says what became of the one before."""
        spare: Stepper | None = None if index is None else self.stepper
        mechanism = mechanism_of(model, self.coordinates, spare.mechanism if spare else None)
        stepper = Stepper(mechanism, self.settings, spare=spare)
        stepper.witness = None if self.witness is None else self.witness.see
        stepper.load()
        stepper.redmax = redmax_of(model, stepper, self.coordinates)
        self.scene, self.model, self.state = scene, model, state
        self.stepper: Stepper = stepper
        self.meter: JointMeter = JointMeter(model) if index is None else self.meter.revised(model, index)
        self.controls = make_controls(self, self.controls)
        self.script = Script(self)
        self.topology: Topology = Topology(self) if index is None else Topology(self, self.topology, index)
        self.refresh()

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self.state.time

    @property
    def contacts(self) -> ContactTable:
        """The contact points that carry a force, with the forces of the last step."""
        return read_contacts(self.model, self.state, self.settings.step)

    @property
    def drawing(self) -> Drawing:
        """What the bodies look like."""
        return draw_model(self.model)

    def step(self) -> StepReport:
        """Advance by one step and report on it."""
        self.script.play(1)  # which may edit
        self.stepper.watch.begin()
        before = self.state.contacts
        if self.mode == "impulse":
            return strike(self)
        after, tally, _ = next_frames(self.stepper, self.state, 1)
        return self.go_on(after, tally, before)

    def go_on(self, after: State, tally: Tally, before: ContactMemory) -> StepReport:
        """Go on from the state that a frame led to, `before` being the contacts it started with, and report on it."""
        if not (tally.finite or after.is_finite()):
            self.report = make_report(self, tally, before)
            self.stay(after)
        self.state = after
        if tally.status != "solved":  # energy of bodies that were slowed down is a difference: as `restore` has it
            self.refresh()
        self.report = make_report(self, tally, before)
        if self.topology.busy or self.events:
            self.report.events = self.topology.change()
        return self.report

    def on_step(self, callback: Callable[[Simulation], Any]) -> None:
        """Call a function with this simulation at the end of every step from now on; it may edit."""
        if not callable(callback):
            raise InputError(f"on_step: callback is {checks.shown(callback)}; it must be a function of the simulation")
        self.callbacks.append(callback)

    def stay(self, lost: State) -> NoReturn:
        """Stay at the last state that is finite, report on the frame that led to this one, and raise."""
        self.refresh()
        self.report = replace(
            self.report, index=self.state.steps + 1, time=self.time, status="non-finite", unconverged=True,
            energy=self.state.energy, momentum=momentum_of(self.stepper.mechanism, self.state),
        )  # fmt: skip
        body = self.model.bodies.names[lost.lost_body(self.model.bodies.moves)]
        raise SimulationError(
            f"{self.scene_name}: body {body!r} is no longer finite in the step after t = {self.time:.4f} s"
        )

    @overload
    def run(
        self, duration: float, record: str | Path | None = None, progress: Callable[[float], Any] | None = None
    ) -> Recording:
        """Record the run."""

    @overload
    def run(
        self, duration: float, record: Literal[False], progress: Callable[[float], Any] | None = None
    ) -> MissedFrames:
        """Record nothing."""

    def run(
        self,
        duration: float,
        record: str | Path | Literal[False] | None = None,
        progress: Callable[[float], Any] | None = None,
    ) -> Recording | MissedFrames:
        """Advance by a duration and return what happened, frame by frame, the present state first.

        Args:
            duration: s, rounded to whole steps.
            record: HDF5 file to write while running; or False to record nothing, which is faster: smooth frames in a
                row are then one call of compiled code. What is returned is a list of the reports of frames that missed
                their tolerances, whose `events` are what broke, was cut, added or removed in the run.
            progress: called with the share done, 0 to 1, after every step, or with nothing recorded every now and
                then. It may edit the simulation: a recording goes on with the bodies and joints there are.
        """
        duration = checks.number("run", "duration", duration, at_least=0.0)
        if progress is not None and not callable(progress):
            raise InputError(f"run: progress is {checks.shown(progress)}; it must be a function of the share done")
        count = math.floor(duration / self.settings.step + 0.5)
        if record is False:
            return self.run_unrecorded(count, progress)
        record = None if record is None else checks.path("run", "record", record)
        recorder = Recorder(self, record)
        with recorder.recording as recording:
            recorder.frame()
            for index in range(count):
                try:
                    self.step()
                except SimulationError:
                    recorder.frame()  # the frame that failed is what one wants to look at
                    raise
                recorder.frame()
                if progress is not None:
                    progress((index + 1) / count)
        return recording

    def run_unrecorded(self, count: int, progress: Callable[[float], Any] | None) -> MissedFrames:
        """Advance so many frames; the reports of those that missed their tolerances, and what happened."""
        done, missed = 0, MissedFrames()
        while done < count:
            if self.mode == "impulse":
                report, frames = self.step(), 1
            else:
                most = min(count - done, max(BODIES_AT_ONCE // self.model.bodies.count, 1))
                most = self.script.play(1 if self.topology.busy else most)
                self.stepper.watch.begin()
                before = self.state.contacts
                after, tally, frames = next_frames(self.stepper, self.state, most)
                report = self.go_on(after, tally, before)
            missed.note(report)
            done += frames
            if progress is not None:
                progress(done / count)
        return missed

    def body(self, name: str) -> BodyView:
        """A body by name, to read or to push."""
        return BodyView(self, name)

    def joint(self, name: str) -> JointView:
        """A joint or spring by name, to read or to drive."""
        return JointView(self, name)

    part = part_of

    def edit(self, smooth: bool = False) -> Edit:
        """Add and remove bodies, joints and springs between two steps; they come into force when the block ends.

        with sim.edit() as edit:
            edit.remove_joint("hinge")

        Where something is removed that carried a force, accelerations jump, and what it was joined to starts its scheme
        anew. `smooth` says that they do not, because what is added carries the same force (`Edit.set_force`).
        """
        return Edit(self, smooth)

    def grab(
        self,
        body: str,
        point: Any = (0.0, 0.0, 0.0),
        stiffness: float | None = None,
        damping: float | None = None,
        name: str | None = None,
    ) -> Grab:
        """Take hold of a body with a spring whose other end is moved by `move_to`, at first where the point is now.

        Args:
            body: what to pull.
            point: where, in the body's own frame, m.
            stiffness: N/m, by default 1000 for each kilogram of the body: it follows within a fraction of a second.
            damping: N s/m; by default critical for the body's mass, 2 sqrt(k m).
            name: of the spring, unique among joints and springs; by default "grab-" and the body's.
        """
        return Grab(self, body, point, stiffness, damping, name)

    def save(self, path: str | Path) -> None:
        """Write the simulation to a file, its scene as it is now and its state; `load` goes on from there to the bit.

        Functions of your own, such as those of controls, are not in the file; nor are a dump folder and `problems`.
        """
        from taut.simulation.checkpoint import save_simulation

        save_simulation(self, path)

    @classmethod
    def load(cls, path: str | Path, functions: dict[str, Any] | None = None) -> Simulation:
        """The simulation that `save` wrote; `functions` are those of your own that its scene had, by their names."""
        from taut.simulation.checkpoint import load_simulation

        return load_simulation(cls, path, functions or {})

    def restore(self, state: State) -> None:
        """Go on from a state saved earlier, to the bit; it must be of the same bodies and joints in the same order."""
        self.state = fitting_state(state, self.state, self.model.geoms)
        if not self.settings.sleeping:
            self.state.rest[:] = 0
        self.refresh()
        self.report = initial_report(self)

    def refresh(self) -> None:
        """Measure rows and energy at the present state, after it was set or its targets were changed."""
        state = self.state
        state.measure = self.stepper.measure(state).value.copy()
        state.energy = energy_with(self.stepper, state, state.measure)

    def read_joints(self) -> RowTable:
        """Refresh the readings of joints, and return the rows of the present state."""
        rows = self.stepper.measure(self.state)
        self.meter.read(rows, self.stepper.readings[1].rotation, self.state)
        return rows

    def origins(self) -> Array:
        """Positions (bodies, 3) of the bodies' own origins, m."""
        return self.state.position - spatial.rotate_each(self.state.orientation, self.model.bodies.com)
