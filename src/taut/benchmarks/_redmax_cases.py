"""Scenes of [Baxter2019, chapter 4] at many resolutions, and what the thesis measured of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from taut import scenes
from taut.scene.scene import Scene
from taut.simulation.simulation import Simulation


@dataclass(frozen=True)
class Case:
    """A scene with springs.

    Attributes:
        name: in tables.
        build: the scene with about so many degrees of freedom.
        seconds: simulated before anything is measured: a car is on the bridge, ribs are on their way.
        thesis: exponents of time against degrees of freedom, of conjugate gradients and of its direct solver.
        crossover: degrees of freedom from which iterations win in the thesis.
        target: largest exponent of iterations that will do.
        least: degrees of freedom of the smallest one.
        crosses: whether springs cross its trees.
        shared: whether it is measured with and without threads, too.
        compared: whether others factor its matrix, too.
    """

    name: str
    build: Callable[[int], Scene]
    seconds: float
    thesis: tuple[float, float] | None = None
    crossover: int | None = None
    target: float | None = None
    least: int = 64
    crosses: bool = True
    shared: bool = False
    compared: bool = False


def bridge(towers: str, car: float) -> Callable[[int], Scene]:
    """A stayed bridge with these towers and this car."""
    return lambda dofs: scenes.build("stayed_bridge", dofs=dofs, towers=towers, car=car)


def umbrella(dofs: int) -> Scene:
    """An umbrella; its runner is one more degree of freedom."""
    return scenes.build("umbrella", dofs=dofs + 1)


def tree(alternate: bool) -> Callable[[int], Scene]:
    """A tree of springs, the largest with 3 * 2^levels - 2 hinges that is not above what is asked for."""
    return lambda dofs: scenes.build("spring_tree", levels=((dofs + 2) // 3).bit_length() - 1, alternate=alternate)


CASES = (
    Case("bridge, rigid towers", bridge("rigid", 0.0), 0.2, (0.94, 2.74), 60, 1.0, crosses=False),
    Case("bridge, flexible towers", bridge("flexible", 0.0), 0.2, (1.0, 2.39), None, 1.1, shared=True, compared=True),
    Case("bridge, flexible, car", bridge("flexible", 1.0), 1.0, None, 270),
    Case("bridge, flexible, 500x car", bridge("flexible", 500.0), 1.0, (1.21, 2.47), 306, 1.25, shared=True),
    Case("umbrella", umbrella, 1.0, (1.38, 2.35), 350, 1.4, shared=True, compared=True),
    Case("spring tree", tree(False), 0.5, least=128, compared=True),
    Case("spring tree, alternate", tree(True), 0.5, least=128),
)

CARS = (1.0, 10.0, 100.0, 500.0, 1000.0)
"""Masses of the cars of [Baxter2019, Figs. 10, 11], in medium ones."""


def car_case(car: float) -> Case:
    """The bridge with flexible towers and a car of this mass."""
    return Case(f"{car:g}x car", bridge("flexible", car), 1.0)


def warmed_up(case: Case, dofs: int, methods: tuple[str, ...], longest: float) -> dict[str, Simulation]:
    """One simulation a method, all in the state that the last of them led to.

    Args:
        case: what is simulated.
        dofs: about how many degrees of freedom.
        methods: of springs across trees.
        longest: simulated at most, s.
    """
    scene = case.build(dofs)
    sims = {method: Simulation(scene, coordinates="reduced", linear=method) for method in methods}
    last = sims[methods[-1]]
    last.run(min(case.seconds, longest), record=False)
    for sim in sims.values():
        if sim is not last:
            sim.restore(last.state)
    return sims
