"""Drag a linkage of ten bars with the mouse: f = m v, so it follows the hand and stops with it.

Without a screen the mouse goes round a circle by itself, for three seconds."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.animation import FuncAnimation

import taut
from taut.joints import Revolute

BARS, LENGTH = 10, 0.2
scene = taut.Scene(gravity=(0, 0, 0), collisions=False)
for k in range(BARS):
    scene.add_body(f"bar{k}", taut.shapes.Box(LENGTH, 0.03, 0.03), mass=1.0, position=(LENGTH * (k + 0.5), 0, 0))
    scene.connect(f"bar{k - 1}" if k else "world", f"bar{k}", Revolute(axis=(0, 1, 0)), at=(LENGTH * k, 0, 0))
sim = taut.Simulation(scene, mode="kinematic", solver="linear-time")
mouse, hand = np.array([1.5, 0.0, 0.5]), sim.body(f"bar{BARS - 1}")
figure, axes = plt.subplots(subplot_kw={"aspect": "equal", "xlim": (-2.2, 2.2), "ylim": (-2.2, 2.2)})
(line,) = axes.plot([], [], "o-")


def follow(_=None):
    """One frame: the last bar is pulled towards the mouse, no faster than a hand moves."""
    pull = mouse - hand.position
    hand.apply(force=30.0 * pull / max(1.0, np.linalg.norm(pull) / 0.2))
    sim.step()
    line.set_data(*np.array([(0, 0, 0), *sim.state.position[1:]])[:, [0, 2]].T)


if plt.get_backend().lower() != "agg":
    figure.canvas.mpl_connect("motion_notify_event", lambda e: e.inaxes and mouse.put([0, 2], [e.xdata, e.ydata]))
    animation = FuncAnimation(figure, follow, interval=16, cache_frame_data=False)
    plt.show()
else:
    for angle in np.linspace(0.0, 2.0 * np.pi, 180):
        mouse[:] = 1.2 + 0.3 * np.cos(angle), 0.0, 0.3 * np.sin(angle)
        follow()
    gap, opening = 1000 * np.linalg.norm(mouse - hand.position), sim.report.violation
    print(f"the hand is {gap:.0f} mm behind the mouse, joints are open by {opening:.0e} m")
