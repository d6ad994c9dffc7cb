"""Small random trees of all joints for the thesis' step, in motion."""

from __future__ import annotations

import numpy as np
from dense_twins import random_quaternion, random_spd, random_unit

import taut
from taut.joints import Cylindrical, Fixed, Planar, Prismatic, Revolute, Spherical, Translational, Universal
from taut.model.compile import compile_scene
from taut.stepping.mechanism import mechanism_of
from taut.stepping.redmax import RedMax
from taut.stepping.redmax_kernels import move_tree
from taut.stepping.settings import Settings
from taut.stepping.stepper import Stepper

Array = np.ndarray


def some_joint(rng: np.random.Generator, kind: int) -> taut.joints.Joint:
    """A joint of one of eight kinds with random axes."""
    axis = random_unit(rng)
    across = tuple(taut.spatial.perpendicular(axis))
    return [
        Revolute(axis=axis), Spherical(), Universal(axis_a=axis, axis_b=across), Prismatic(axis=axis),
        Cylindrical(axis=axis), Planar(normal=axis), Translational(), Fixed(),
    ][kind]  # fmt: skip


def random_tree(rng: np.random.Generator, count: int = 10, floats: bool = False) -> taut.Scene:
    """Bodies hung on random ones before them; every third joint is connected from the child's side."""
    scene = taut.Scene(gravity=rng.normal(size=3), collisions=False)
    names = [] if floats else ["world"]
    for k in range(count):
        name, turn = f"body-{k}", random_quaternion(rng)
        scene.add_body(
            name, mass=rng.uniform(0.5, 2.0), inertia=random_spd(rng, 2.5), position=rng.normal(size=3),
            orientation=turn, com=0.2 * rng.normal(size=3), linear_damping=0.3, angular_damping=0.2,
        )  # fmt: skip
        if names:
            ends = names[rng.integers(len(names))], name
            joint = some_joint(rng, k % 8)
            scene.connect(*(ends[::-1] if k % 3 == 2 else ends), joint, at=rng.normal(size=3), name=f"to-{k}")
        names.append(name)
    return scene


def step_of(scene: taut.Scene, h: float = 1e-2) -> tuple[RedMax, taut.State]:
    """The step of a scene and its first state."""
    model, state = compile_scene(scene)
    solver = taut.solvers.get("auto")
    stepper = Stepper(mechanism_of(model), Settings(h, taut.integrators.REDMAX, solver))
    return RedMax(model, stepper), state


def set_off(step: RedMax, q: Array, qdot: Array) -> None:
    """Put a tree at coordinates and rates (dofs,)."""
    step.motion.q[:], step.motion.qdot[:] = q, qdot
    move_tree(*step.handles[:2])


def moving_tree(rng: np.random.Generator, **more) -> RedMax:
    """A random tree at random coordinates and rates."""
    step, _ = step_of(random_tree(rng, **more))
    dofs = step.motion.q.size
    set_off(step, rng.uniform(-1.2, 1.2, dofs), rng.normal(size=dofs))
    return step
