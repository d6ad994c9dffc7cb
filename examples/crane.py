"""A crane with a telescopic boom hoists a box and slews with it: `taut view examples/crane.py`."""

import math

import taut
from taut.machines import Boom, Cable, Hook, HydraulicCylinder, Slew, Winch
from taut.shapes import Box, Cylinder, Sphere


def build() -> taut.Scene:
    """The crane with its hook over the eye of a box of 1 t."""
    scene = taut.Scene(name="crane")
    scene.add_plane()
    scene.add_body("base", Cylinder(1.5, 1), position=(0, 0, 0.5), fixed=True)
    scene.add_body("cabin", Box(3.5, 1.8, 1), mass=8000, position=(-0.5, 0, 1.55), colour=(0.96, 0.68, 0.08))
    scene.add(Slew(base=("base", (0, 0, 0.5)), upper="cabin", max_torque=1e5, max_speed=0.3), name="slew")
    luffing = HydraulicCylinder(base=("cabin", (1.9, 0, -0.3)), rod=("boom", (-1.5, 0, -0.25)), bore=0.14,
                                pressure=25e6, flow=4e-3, mass=200)  # fmt: skip
    boom = Boom(root=("cabin", (-0.5, 0, 0.6)), length=8, sections=2, stroke=6, extension=3, angle=1.0,
                luff=(0.5, 1.3), mass=1600, cylinder=luffing, max_thrust=1e5, collides=False)  # fmt: skip
    scene.add(boom, name="boom")
    reach = -1 + 11 * math.cos(1.0)
    scene.add_body("load", Box(1.2, 1.2, 1), mass=1000, position=(reach, 0, 0.5))
    scene.add_body("block", Sphere(0.15), mass=40, position=(reach, 0, 1.5), colour=(0.8, 0.1, 0.1))
    scene.add(Hook(on=("block", (0, 0, -0.15)), eyes=[("load", (0, 0, 0.6))], mass=15, opening=0.12), name="hook")
    rope = Cable.of("6x36 IWRC", 0.02, to=("block", (0, 0, 0.15)), segment_length=0.5)
    scene.add(Winch(rope=rope, exit=boom.tip("boom"), drum=("cabin", (-1.3, 0, 1)), max_pull=3e4), name="winch")
    scene.paint("boom", colour=(0.96, 0.68, 0.08))
    return scene


if __name__ == "__main__":
    crane = taut.Simulation(build())
    crane.part("hook").close()
    for control, value in (("winch.payout", 5.0), ("slew.angle", math.pi / 2), ("boom.luff", 0.6)):
        crane.controls[control].set(value)
        crane.run(8.0)
        print(f"{control}: {crane.part('hook').load:.0f} N on the hook, {crane.part('boom').share:.0%} of the cylinder")
    angle, place = math.degrees(crane.part("slew").angle), crane.body("load").position.round(1)
    print(f"slewed by {angle:.2f} degrees, load at {place}")
