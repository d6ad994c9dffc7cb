"""What cables are made of: the numbers of standards and catalogues, and a cable of each that hangs as it should."""

from __future__ import annotations

import math

import pytest

import taut
from taut.errors import InputError
from taut.machines import Cable
from taut.machines.materials import MATERIALS, YOUNG

CATALOGUE = [
    ("6x36 IWRC", 20, 1.64, 252e3, 0.01), ("6x36 IWRC", 32, 4.19, 645e3, 0.01), ("6x36 FC", 20, 1.47, 234e3, 0.01),
    ("6x19 IWRC", 10, 0.400, 63.0e3, 0.01), ("6x19 FC", 16, 0.919, 150e3, 0.01),
    ("polyester", 24, 0.452, 88.0e3, 0.25), ("polyester", 48, 1.74, 320e3, 0.25), ("polyester", 32, 0.759, 145e3, 0.25),
    ("chain R3", 76, 115.6, 4884e3, 0.01), ("chain R4", 76, 115.6, 6001e3, 0.01), 
    ("chain R4", 120, 288.0, 13573e3, 0.01), ("chain R3", 50, 50.0, 2230e3, 0.01), ("chain R4", 64, 81.9, 4364e3, 0.01),
    ("HMPE", 40, 0.794, 970e3, 0.01), ("HMPE", 120, 7.14, 9477e3, 0.01),
]  # fmt: skip
"""Material, diameter in mm, kg/m, minimum breaking force in N, and how far the two may be off.

Steel: tables of makers to EN 12385-4; polyester: a table of 3- and 8-strand ropes; chains: tables to DNV-OS-E302; HMPE:
the fit of MoorPy's library.
"""


@pytest.mark.parametrize(("material", "diameter", "mass", "force", "error"), CATALOGUE)
def test_catalogues_have_these_numbers(material: str, diameter: float, mass: float, force: float, error: float) -> None:
    cable = Cable.of(material, diameter * 1e-3, start=(0, 0, 0), end=(1, 0, 0))
    assert cable.mass_per_length == pytest.approx(mass, rel=max(error, 0.02) if "chain" in material else error)
    assert cable.breaking_force == pytest.approx(force, rel=error)


@pytest.mark.parametrize(
    ("material", "modulus", "slope"), [("chain R3", 5.40e10, 4.0e10), ("chain R4", 5.45e10, 2.5e10)]
)
def test_chains_are_as_stiff_as_their_standard_says(material: str, modulus: float, slope: float) -> None:
    """DNV-OS-E301: E = modulus - slope d on the area of both legs."""
    for size in (0.034, 0.076):
        cable = Cable.of(material, size, start=(0, 0, 0), end=(1, 0, 0))
        assert cable.axial_stiffness == pytest.approx((modulus - slope * size) * 0.5 * math.pi * size**2, rel=0.06)


@pytest.mark.parametrize("material", MATERIALS)
def test_stretch_at_break_is_that_of_its_kind(material: str) -> None:
    """Steel below 2 %, HMPE about 2 %, polyester 10 to 20 %, each by a straight line through zero."""
    cable = Cable.of(material, 0.024, start=(0, 0, 0), end=(1, 0, 0))
    low, high = {"polyester": (0.1, 0.2), "HMPE": (0.01, 0.03)}.get(material, (0.01, 0.02))
    assert low < cable.breaking_force / cable.axial_stiffness < high


@pytest.mark.parametrize("material", [name for name in MATERIALS if "6x" in name])
def test_wire_ropes_are_thin_wires_that_slide(material: str) -> None:
    """Metal of its wires: N pi w^2 / 4 = C d^2; steel of this area weighs nearly all of the rope."""
    kind, diameter = MATERIALS[material], 0.02
    cable = Cable.of(material, diameter, start=(0, 0, 0), end=(1, 0, 0))
    wire = math.sqrt(4.0 * kind.metal * diameter**2 / (math.pi * kind.wires))
    assert cable.bending_stiffness == pytest.approx(kind.wires * YOUNG * math.pi * wire**4 / 64.0)
    assert 0.78 < 7850.0 * kind.metal / kind.mass < 0.95
    solid = YOUNG * math.pi * diameter**4 / 64.0
    assert cable.bending_stiffness < 0.01 * solid


@pytest.mark.parametrize("material", MATERIALS)
def test_a_load_stretches_it_by_hooke(material: str) -> None:
    cable = Cable.of(material, 0.03, from_="world", to="load", length=10.0, segments=10)
    load = 0.05 * cable.breaking_force / 9.81
    stretch = (load + 5.0 * cable.mass_per_length) * 9.81 * 10.0 / cable.axial_stiffness
    scene = taut.Scene()
    scene.add_body("load", mass=load, inertia=(1, 1, 1), position=(0, 0, -10.0 - stretch))
    scene.add(cable, name="hoist")
    simulation = taut.Simulation(scene)
    simulation.run(0.5)
    view = simulation.part("hoist")
    assert view.stretched_length - view.length == pytest.approx(stretch, rel=1e-3)
    assert view.tensions[-1] == pytest.approx((load + 0.5 * cable.mass_per_length) * 9.81, rel=1e-3)


def test_what_is_given_goes_before_the_material() -> None:
    cable = Cable.of("6x36 IWRC", 0.02, start=(0, 0, 0), end=(1, 0, 0), breaking_force=1e6, bending_stiffness=50.0)
    assert (cable.breaking_force, cable.bending_stiffness, cable.diameter) == (1e6, 50.0, 0.02)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("6x63 IWRC", 0.02), r"Cable.of: there is no material .*did you mean"),
        (("HMPE", 0.0), "Cable.of: diameter is 0"),
        (("HMPE", "thick"), "Cable.of: diameter is 'thick'"),
    ],
)
def test_mistakes_are_said(arguments: tuple, text: str) -> None:
    with pytest.raises(InputError, match=text):
        Cable.of(*arguments, start=(0, 0, 0), end=(1, 0, 0))
