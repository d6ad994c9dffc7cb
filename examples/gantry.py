"""A crate in a sling is hoisted by a rope over two pulleys; `taut view examples/gantry.py` has a slider for it."""

import taut
from taut.joints import attach
from taut.machines import Pulley, Rope, Sling


def build() -> taut.Scene:
    """A frame with two pulleys, a rope from the ground over both to a hook, and four legs from there to a crate."""
    scene = taut.Scene()
    scene.add_plane()
    beam, post = taut.shapes.Box(4.4, 0.3, 0.3), taut.shapes.Box(0.2, 0.2, 4.5)
    look = [(beam, (0, 0, 4.5)), (post, (-2.1, 0, 2.25)), (post, (2.1, 0, 2.25))]
    scene.add_body("frame", position=(0, 0, 0), visual=look, fixed=True, collides=False, colour=(0.9, 0.45, 0.1))
    scene.add_body("crate", taut.shapes.Box(1.2, 0.9, 0.8), mass=800, position=(0, 0, 0.41), colour=(0.6, 0.45, 0.28))
    scene.add_body("hook", taut.shapes.Box(0.12, 0.12, 0.25), mass=20, position=(0, 0, 1.9), collides=False)
    pulleys = [
        scene.add(Pulley(holder=("frame", (x, 0, 4.1)), radius=0.15, axis=(0, 1, 0), inertia=0.5), name=f"pulley-{n}")
        for n, x in ((1, -1.75), (2, -0.15))
    ]
    stops = [attach("frame", (-1.9, 0, 0.3)), *pulleys, attach("hook", (0, 0, 0.12))]
    scene.add(Rope(stops=stops, axial_stiffness=5e6, damping=2e4), name="rope")
    corners = [("crate", (x, y, 0.4)) for x in (-0.55, 0.55) for y in (-0.4, 0.4)]
    scene.add(Sling(eye=("hook", (0, 0, -0.12)), to=corners, axial_stiffness=2e6, damping=1e4), name="sling")
    return scene


if __name__ == "__main__":
    gantry = taut.Simulation(build())
    slider = gantry.controls["rope.length"]
    ramp = taut.Ramps((0.5, slider.value), (3.5, slider.value - 1.2))
    while gantry.time < 5.0:
        slider.value = ramp(gantry.time)
        gantry.step()
    sling, rope = gantry.part("sling"), gantry.part("rope")
    print(f"the crate is {gantry.body('crate').position[2] - 0.4:.3f} m up, the rope pulls {rope.tension:.0f} N")
    print("legs:", ", ".join(f"{tension:.0f} N" for tension in sling.tensions))
