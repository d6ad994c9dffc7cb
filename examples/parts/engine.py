"""A Diesel engine with a torque curve revs up against the drag of a disc."""

import taut
from taut.machines import Brake, Clutch, Engine, Shaft, rpm

X = (1, 0, 0)


def build() -> taut.Scene:
    """The engine idles, then gets all its throttle; a brake is its load."""
    scene = taut.Scene()
    curve = [(rpm(600), 350), (rpm(1500), 500), (rpm(2800), 400)]
    engine = Engine(on=("world", (-0.6, 0, 1)), axis=X, torque_curve=curve, idle=rpm(800), inertia=1.2, radius=0.3,
                    friction_torque=50, length=0.7, schedule=taut.Ramps((0.5, 0), (1, 1)))  # fmt: skip
    scene.add(engine, name="engine")
    scene.add(Shaft(on=("world", (0.1, 0, 1)), axis=X, mass=100, radius=0.4, length=0.1), name="disc")
    scene.add(Clutch(input="engine/bearing", output="disc/bearing", max_torque=900), name="clutch")
    scene.add(Brake(on="disc/bearing", max_torque=300, schedule=taut.Ramps((1, 0), (2, 1))), name="brake")
    return scene
