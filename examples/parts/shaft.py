"""A shaft with an inertia of its own; shafts without one are sums of spins and no bodies."""

import taut
from taut.machines import Clutch, Engine, Shaft

X = (1, 0, 0)


def build() -> taut.Scene:
    """A flywheel behind an electric motor."""
    scene = taut.Scene()
    motor = Engine(on=("world", (-0.5, 0, 1)), axis=X, torque_curve=[(0, 50), (150, 50), (200, 0)], inertia=0.3,
                   radius=0.2, length=0.5, schedule=taut.Ramps((0, 0), (0.5, 1)))  # fmt: skip
    scene.add(motor, name="motor")
    scene.add(Shaft(on=("world", (0, 0, 1)), axis=X, mass=60, radius=0.4, length=0.12), name="shaft")
    scene.add(Clutch(input="motor/bearing", output="shaft/bearing", max_torque=200), name="clutch")
    return scene
