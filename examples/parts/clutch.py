"""A clutch slips until both of its shafts turn alike, then it is locked."""

import taut
from taut.machines import Clutch, Engine, Shaft

X = (1, 0, 0)


def build() -> taut.Scene:
    """An idling engine is connected to a flywheel at rest."""
    scene = taut.Scene()
    engine = Engine(on=("world", (-0.5, 0, 1)), axis=X, torque_curve=[(50, 300), (300, 250)], idle=80, inertia=1,
                    radius=0.3, length=0.5)  # fmt: skip
    scene.add(engine, name="engine")
    scene.add(Shaft(on=("world", (0.1, 0, 1)), axis=X, mass=100, radius=0.35, length=0.2), name="load")
    clutch = Clutch(input="engine/bearing", output="load/bearing", max_torque=250, engage_time=0.5,
                    schedule=taut.Ramps((0, 0), (0.5, 0), (1, 1)))  # fmt: skip
    scene.add(clutch, name="clutch")
    return scene
