"""The same taut chain with an exact solver and with projected Gauss-Seidel: one holds, the other stretches."""

import numpy as np

import taut

LINKS = 30

for solver in ("bpp", "bpp-dense", "pgs"):
    scene = taut.scenes.build("hanging_chain", links=LINKS)
    simulation = taut.Simulation(scene, step=1 / 60, solver=solver)
    try:
        recording = simulation.run(2.0)
    except taut.SimulationError as error:
        print(f"{solver:10} failed: {error}")
        continue
    reach = 0.2 * LINKS + 0.25
    longest = np.linalg.norm(recording.body("load").position, axis=1).max()
    milliseconds = recording.summary()["step_ms_median"]
    print(
        f"{solver:10} stretch {100 * (longest / reach - 1):9.4f} %  open joints {recording.violation.max():.1e} m  "
        f"residual {recording.residual.max():.1e}  {milliseconds:.2f} ms a step"
    )
