"""The state: all that changes in time. A copy of it replays exactly, because the warm start is part of it."""

from __future__ import annotations

import dataclasses
import math
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taut import checks
from taut.contact.memory import ContactMemory
from taut.errors import InputError
from taut.spatial import Array, Integers

ASLEEP = -1
"""In place of the frames that a body has rested: it sleeps, see `taut.stepping.sleep`."""

DAMAGED = (
    OSError, LookupError, ValueError, TypeError, AttributeError, RuntimeError, EOFError, ImportError,
    zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What reading a checkpoint that is damaged, or of another version, may end in."""


@dataclass
class State:
    """Everything a step reads and writes; world axes, SI units, bodies in the model's order.

    Attributes:
        time: s.
        steps: steps taken.
        history: (n,) how many steps the scheme of each body may look back on.
        calm: (n,) frames since the motion of each body was rough; with low damping few where it is taut.
        rest: (n,) frames that each body has rested, or ASLEEP; 0 where nothing may sleep.
        position: (n, 3) centres of mass, m.
        orientation: (n, 4) world-from-body quaternions.
        velocity: (n, 6) twists, m/s and rad/s.
        spin: (n, 3) angular momentum about the centre of mass, kg m^2/s.
        slim_spin: (n,) its component along the body's axis of least inertia.
        previous_velocity, previous_spin, previous_slim_spin: one step earlier.
        displacement: (n, 6) translation (m) and rotation vector (rad) of the last step.
        older: (n, STEP OLDER) velocity, spin, slim spin and displacement of the step before the last one, then of those
            before it; 0 where history does not go so far back.
        lent: (n,) energy, J, that a scheme of low damping took from a group of bodies in the last frames and may give
            back, at the lowest of them.
        force: (rows,) latest force along every row's measure, N or N m.
        index_set: (rows,) latest labels FREE, AT_LOWER, AT_UPPER.
        coordinate: (coordinates,) latest joint coordinates, m or rad, angles counted over turns.
        reached: (rows,) the targets at which the last step ended: on the way through a frame they move in proportion.
        reached_limits: (rows, 2) the same of limits.
        measure: (rows,) latest measure q of every row, m or rad.
        target: (rows,) targets of the rows' laws (motors may change them).
        limits: (rows, 2) lower and upper end of the measures of rows that are limits, m or rad; of others two numbers
            that machine parts may keep there, which no step reads, see `taut.joints.Shafts`.
        force_limits: (rows, 2) least and greatest force along every row's measure, N or N m.
        firmness: (rows,) stiffness and damping of soft rows, in shares of those of their laws: 1, but where rope that
            stretches is paid out.
        command: (rows, 4) what a part of a machine asks of the motor in a row, see `taut.machines.actuator`.
        applied: (n, 6) force (N) and torque (N m), world axes, kept until changed.
        applied_point: (n, 3) where that force acts, in body axes from the centre of mass, m.
        energy: J, at this state.
        contacts: contacts of the last solve with their forces.
        iterations: that springs across trees in joint coordinates took in the last solve, 0 where nothing is known.
    """

    time: float
    steps: int
    history: NDArray[np.uint8]
    calm: Integers
    rest: Integers
    position: Array
    orientation: Array
    velocity: Array
    spin: Array
    slim_spin: Array
    previous_velocity: Array
    previous_spin: Array
    previous_slim_spin: Array
    displacement: Array
    older: Array
    lent: Array
    force: Array
    index_set: Integers
    coordinate: Array
    reached: Array
    reached_limits: Array
    measure: Array
    target: Array
    limits: Array
    force_limits: Array
    firmness: Array
    command: Array
    applied: Array
    applied_point: Array
    energy: float
    contacts: ContactMemory = field(default_factory=ContactMemory.none)
    iterations: int = 0

    def copy(self) -> State:
        """An independent copy."""
        fields = vars(self).items()
        arrays: dict[str, Any] = {name: value.copy() for name, value in fields if isinstance(value, np.ndarray)}
        return self.but(**arrays)

    def but(self, **changes: Any) -> State:
        """The same with other values in these fields; the rest is shared. `dataclasses.replace` would take ten times as
        long, which is a good part of a frame that is divided."""
        other = State.__new__(State)
        other.__dict__ = {**self.__dict__, **changes}
        return other

    def is_finite(self) -> bool:
        """Whether all bodies are somewhere: energy knows of every position, velocity and spin."""
        # a plain sum: a product of vectors wakes the threads of BLAS, which costs milliseconds
        return math.isfinite(self.energy) and math.isfinite(self.orientation.sum())

    def lost_body(self, moves: NDArray[np.uint8]) -> int:
        """First body that moves (n,) and is not finite, or whose energy is not; 0, the world, where there is none."""
        with np.errstate(over="ignore", invalid="ignore"):
            squares = [self.velocity**2, self.spin * self.velocity[:, 3:]]
        motion = np.concatenate([self.position, self.orientation, self.velocity, self.spin, *squares], axis=1)
        return int(np.argmax((moves > 0) & ~np.isfinite(motion).all(axis=1)))

    def save(self, path: str | Path, **more: np.ndarray) -> None:
        """Write a checkpoint (npz, under exactly this name); `load` gives back the same bits.

        It is of the bodies and joints there are now: after edits, `Simulation.save` writes the scene with it. `more`
        are arrays that go into the file by their names.
        """
        target = checks.path("checkpoint", "path", path)
        values = {name: np.asarray(value) for name, value in vars(self).items() if name != "contacts"}
        try:
            with target.open("wb") as file:
                np.savez(file, **values, **self.contacts.arrays(), **more)  # type: ignore[arg-type]
        except OSError as error:
            raise InputError(f"checkpoint {path} cannot be written: {error.strerror or error}") from error

    @classmethod
    def load(cls, path: str | Path) -> State:
        """Read a checkpoint."""
        source = checks.path("checkpoint", "path", path)
        try:
            with source.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                values = {part.name: file[part.name] for part in dataclasses.fields(cls) if part.name != "contacts"}
                contacts = ContactMemory.from_arrays(file)
        except DAMAGED as error:
            raise InputError(f"checkpoint {path}: it cannot be read ({error})") from None
        scalars = {"time": float, "steps": int, "energy": float, "iterations": int}
        plain = {name: scalars[name](value) if name in scalars else value for name, value in values.items()}
        return cls(**plain, contacts=contacts)
