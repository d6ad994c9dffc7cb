"""A torque converter: the engine spins up at once, and pulls with twice its torque."""

import taut
from taut.machines import Engine, Shaft, TorqueConverter

X = (1, 0, 0)


def build() -> taut.Scene:
    """An engine at full throttle in front of a flywheel at rest."""
    scene = taut.Scene()
    engine = Engine(on=("world", (-0.5, 0, 1)), axis=X, torque_curve=[(50, 300), (300, 250)], idle=80, inertia=1,
                    radius=0.3, length=0.5, schedule=taut.Ramps((0, 0), (0.5, 1)))  # fmt: skip
    scene.add(engine, name="engine")
    scene.add(Shaft(on=("world", (0.2, 0, 1)), axis=X, mass=200, radius=0.5, length=0.2), name="load")
    converter = TorqueConverter(input="engine/bearing", output="load/bearing",
                                capacity=[(0, 0.01), (0.8, 0.008), (1, 0)],
                                torque_ratio=[(0, 2.2), (0.85, 1), (1, 1)])  # fmt: skip
    scene.add(converter, name="converter")
    return scene
