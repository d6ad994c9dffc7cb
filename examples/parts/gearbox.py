"""A gearbox that changes by itself, between a motor and a heavy wheel."""

import taut
from taut.machines import Engine, Gearbox, Shaft

X = (1, 0, 0)


def build() -> taut.Scene:
    """Three gears; the wheel gets faster and faster."""
    scene = taut.Scene()
    motor = Engine(on=("world", (-0.6, 0, 1)), axis=X, torque_curve=[(0, 120), (150, 120), (300, 60)], inertia=0.2,
                   radius=0.2, length=0.5, schedule=taut.Ramps((0, 0), (0.5, 1)))  # fmt: skip
    scene.add(motor, name="motor")
    scene.add(Shaft(on=("world", (0.2, 0, 1)), axis=X, mass=300, radius=0.6, length=0.15), name="wheel")
    box = Gearbox(input="motor/bearing", output="wheel/bearing", forward=(6, 3, 1.5), shift_time=0.2,
                  auto=(60, 180), efficiency=0.96, schedule=taut.Ramps((0, 1), (1, 1)))  # fmt: skip
    scene.add(box, name="gearbox")
    return scene
