"""A winch lowers a load on a cable, hauls it in again, and the cable is cut."""

import taut
from taut.machines import Cable, Winch

scene = taut.Scene()
scene.add_plane()
scene.add_body("load", taut.shapes.Box(0.8, 0.8, 0.8), mass=2000, position=(0, 0, 7.1))
rope = Cable(to=("load", (0, 0, 0.4)), segment_length=0.4, mass_per_length=1.25, diameter=0.024)
winch = Winch(
    rope=rope, exit=("world", (0, 0, 12)), drum=("world", (-3, 0, 12)), radius=0.3, stored=20,
    inertia=20, max_pull=4e4, max_speed=1.0, ramp=0.5,
)  # fmt: skip
scene.add(winch, name="winch")

simulation = taut.Simulation(scene, step=1 / 60)
winch = simulation.part("winch")
for speed, seconds in ((1.0, 4.0), (-1.0, 4.0), (0.0, 1.0)):
    winch.drive(speed)
    simulation.run(seconds)
    print(f"{speed:+.0f} m/s: {winch.payout:.2f} m out, {len(winch.segments)} segments, pull {winch.pull:.0f} N")
winch.cut(at=1.0)
simulation.run(2.0)
height = simulation.body("load").position[2] - 0.4
print(f"cut: the load lies {height:.3f} m above the ground, pull {winch.pull:.0f} N")
