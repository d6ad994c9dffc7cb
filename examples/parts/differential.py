"""A differential of limited slip: one wheel is held by a brake, the other one turns."""

import taut
from taut.machines import Brake, Differential, Engine, Shaft

X, Y = (1, 0, 0), (0, 1, 0)


def build() -> taut.Scene:
    """A motor drives two wheels."""
    scene = taut.Scene()
    motor = Engine(on=("world", (-0.8, 0, 1)), axis=X, torque_curve=[(0, 60), (200, 60)], inertia=0.2, radius=0.2,
                   length=0.5, schedule=taut.Ramps((0, 0), (0.5, 1)))  # fmt: skip
    scene.add(motor, name="motor")
    for name, y in (("left", 0.6), ("right", -0.6)):
        scene.add(Shaft(on=("world", (0, y, 1)), axis=Y, mass=40, radius=0.4, length=0.2), name=name)
    differential = Differential(input="motor/bearing", outputs=("left/bearing", "right/bearing"), ratio=4,
                                kind="limited slip", bias_torque=50)  # fmt: skip
    scene.add(differential, name="differential")
    scene.add(Brake(on="left/bearing", max_torque=200, schedule=taut.Ramps((1, 0), (2, 1))), name="brake")
    return scene
