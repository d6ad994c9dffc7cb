"""A 500 kg box swings on a chain of 100 links that weigh 0.25 kg each."""

import taut

scene = taut.Scene()
rod = taut.shapes.Cylinder(radius=0.02, length=0.2)
level = (0.5**0.5, 0, 0.5**0.5, 0)  # turns the rod's own z axis along x
previous = "world"
for i in range(100):
    link = scene.add_body(f"link-{i}", rod, mass=0.25, position=(0.2 * i + 0.1, 0, 0), orientation=level)
    scene.connect(previous, link, taut.joints.Spherical(), at=(0.2 * i, 0, 0))
    previous = link
scene.add_body("load", taut.shapes.Box(0.5, 0.5, 0.5), mass=500, position=(20.25, 0, 0))
scene.connect(previous, "load", taut.joints.Spherical(), at=(20, 0, 0))

recording = taut.Simulation(scene, step=1 / 60).run(5.0)
print(f"the load is at {recording.body('load').position[-1].round(3)} m after 5 s")
print(f"the chain opened by {recording.violation.max():.1e} m, residual {recording.residual.max():.1e}")
