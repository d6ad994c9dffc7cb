"""What a recording says of the drivetrain and the wheels of the armoured vehicle."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from taut.results.record import Recording
from taut.scenes._armoured import AXLE_RATIO, ENGINE, INPUT, PINION, TRANSFER, TRANSFER_RATIO, WHEELS
from taut.spatial import Array, rotate_each

PAIRS = tuple(f"drive/final/{pair}" for pair in ("first", "second"))
"""The differentials behind the transfer shafts, the front one first."""
AXLES = tuple(f"{pair}/{axle}" for pair in PAIRS for axle in ("first", "second"))
"""Those of the axles, from the front."""


class Log:
    """Spins (frames,) in rad/s, torques (frames,) in N m and loads (frames, wheels) in N of a recording.

    Args:
        recording: of the scene.
    """

    def __init__(self, recording: Recording) -> None:
        self.recording, self.step = recording, recording.info.step
        hull = recording.body("hull")
        self.ahead = rotate_each(hull.orientation, np.tile((1.0, 0.0, 0.0), (len(recording), 1)))
        self.turning = hull.angular_velocity
        self.wheels = [self.rate(f"{wheel}/hinge") for wheel in WHEELS]
        self.axles = [self.wheels[2 * axle] + self.wheels[2 * axle + 1] for axle in range(4)]
        self.pinions, self.transfers = ([self.spin(f"{name}/shaft") for name in names] for names in (AXLES, PAIRS))
        self.engine, self.input = self.spin("drive/engine"), self.spin("drive/shaft")

    def rate(self, joint: str) -> Array:
        """Of a hinge."""
        velocity = self.recording.joint(joint).velocity
        assert velocity is not None
        return velocity[:, 0]

    def spin(self, shaft: str) -> Array:
        """Of a shaft along the hull, relative to it."""
        return np.sum(self.ahead * (self.recording.body(f"{shaft}/rotor").angular_velocity - self.turning), axis=1)

    def torque(self, row: str) -> Array:
        """Of a row on the shaft along the hull that it is of."""
        reaction = self.recording.joint(f"drive/{row}").reaction
        assert reaction is not None
        return np.sum(self.ahead * reaction[:, 3:], axis=1)

    def wheel_torques(self) -> list[Array]:
        """Of the differentials on each wheel of each axle: the same on both."""
        return [-0.5 * AXLE_RATIO * self.torque(f"{axle.removeprefix('drive/')}/gear") for axle in AXLES]

    def gear_errors(self) -> Array:
        """How far speeds of pinions and transfer shafts are from those that their differentials say, the largest."""
        errors = [pinion - 0.5 * AXLE_RATIO * axle for pinion, axle in zip(self.pinions, self.axles, strict=True)]
        for transfer, front in zip(self.transfers, (0, 2), strict=True):
            errors.append(transfer - 0.5 * TRANSFER_RATIO * (self.pinions[front] + self.pinions[front + 1]))
        return np.abs(errors).max(axis=0)

    def engine_work(self) -> Array:
        """Of the engine since the start, J."""
        return self.work(self.torque("engine/torque") * self.engine)

    def steering_work(self) -> Array:
        """Of all servos since the start, J."""
        power = np.zeros(len(self.recording))
        for number, wheel in enumerate(WHEELS[:4], start=1):
            joint = self.recording.joint(f"steering/kingpin-{number}")
            assert joint.reaction is not None and joint.velocity is not None
            hub = self.recording.body(wheel.replace("wheel", "arm") + "/hub")
            axis = rotate_each(hub.orientation, np.tile((0.0, 0.0, 1.0), (len(self.recording), 1)))
            power += np.sum(axis * joint.reaction[:, 3:], axis=1) * joint.velocity[:, 0]
        return self.work(power)

    def spent(self) -> Array:
        """What has become of the engine's work: of wheels, heat of clutch, teeth and locks, and motion of shafts, J."""
        wheels = np.sum([torque * axle for torque, axle in zip(self.wheel_torques(), self.axles, strict=True)], axis=0)
        heat = -self.torque("coupler/plates") * (self.engine - self.input)
        heat -= self.torque("gearbox/friction") * self.input
        pairs = {"final": self.transfers, "final/first": self.pinions[:2], "final/second": self.pinions[2:]}
        for name, (first, second) in pairs.items():
            heat -= self.torque(f"{name}/slip") * (first - second)
        moving = 0.5 * ENGINE.inertia * self.engine**2 + 0.5 * (INPUT.inertia or 0.0) * self.input**2
        for shaft, spins in ((TRANSFER, self.transfers), (PINION, self.pinions)):
            moving += 0.5 * (shaft.inertia or 0.0) * np.sum(np.square(spins), axis=0)
        return self.work(wheels + heat) + moving - moving[0]

    def work(self, power: Array) -> Array:
        """Of a power in W: a scheme balances mean torques of a step with the speeds at its end."""
        return np.cumsum(power) * self.step

    def loads(self) -> Array:
        """Normal force on every wheel."""
        loads = np.zeros((len(self.recording), len(WHEELS)))
        for frame in range(1, len(self.recording)):
            table = self.recording.contacts(frame)
            place = {name: at for at, name in enumerate(table.names)}
            force = np.zeros(len(table.names))
            np.add.at(force, np.concatenate([table.index_a, table.index_b]), np.tile(table.normal_force, 2))
            loads[frame] = force[[place[f"{wheel}/wheel"] for wheel in WHEELS]]
        return loads

    def alone(self, air: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether wheels (frames, wheels) have been in the air for three frames while the other of their axle was not.

        Args:
            air: (frames, wheels) whether they are in the air.
        """
        other = air.reshape(-1, 4, 2)[:, :, ::-1].reshape(air.shape)
        single = air & ~other
        single[2:] &= single[1:-1] & single[:-2]
        single[:2] = False
        return single
