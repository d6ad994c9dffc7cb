"""What cables are made of: mass, stiffness and strength that follow from a diameter d, for `Cable.of`.

        m = W d^2        EA = S d^2        F = K1 d^2 + K2 d^3

Numbers are those of standards and of catalogues, so they are minimum breaking forces, and stiffnesses of ropes that are
bedded in. Makers differ, fibre ropes most of all, by 20 % and more: where there is a data sheet, give its numbers.

- Steel wire ropes, 6 strands with a wire rope core (IWRC) or a fibre core (FC): W, K and the metal's area C d^2 are the
  factors of EN 12385-4, the grade is 1770 N/mm^2. EA is 4.04e10 d^2 and 3.67e10 d^2 N, the defaults of mooring programs
  (OrcaFlex, "Rope/wire"): 88 to 96 GPa on the metal, less than half of what the wire has. EI and GJ are estimates,
  those of N wires that slide on each other, N E pi w^4/64 with C d^2 = N pi w^2/4: the least there is. A rope that is
  pressed together is many times as stiff.
- Polyester, 8 strands plaited, as on ships (the same program). Ropes for permanent moorings, with parallel strands,
  bear 1.8 times as much, 308e6 d^2 N, and are 4 times as stiff. HMPE, 12 strands braided: the fit to catalogues in
  MoorPy's `MoorProps_default.yaml`, 496 d^2 kg/m, 580e6 d^2 + 651e6 d^3 N, and 56 times the first part of that as EA.
  They are limp.
- Stud-less chain: d is that of its steel. W is that of catalogues; the strength is K (44 - 80 d) d^2 of DNV-OS-E302,
  grades R3 and R4, as in tables of makers; EA is that of DNV-OS-E301 of 2010 and later, E pi d^2/2 with
  E = (5.40 - 4 d) and (5.45 - 2.5 d) 1e10 Pa, without its decrease with d: 6 % and 3 % at 76 mm. Editions before had
  1.2 to 1.4 times as much. What touches is a round bar of the same volume, 1.8 d thick.
"""

from __future__ import annotations

import math
from typing import NamedTuple

YOUNG, SHEAR = 200e9, 77e9
"""Moduli of steel, Pa."""

LARGEST = 0.3
"""Diameter of the thickest ropes and chains that are made, m; the fits do not go beyond."""


class Material(NamedTuple):
    """A kind of rope or chain.

    Attributes:
        mass: W, kg/m^3.
        stiffness: S, Pa.
        strength: (K1, K2), Pa and N/m^3.
        metal: C, area of the steel over d^2, and wires: N, their number; 0 where it is limp.
        bulk: diameter of what touches over d.
    """

    mass: float
    stiffness: float
    strength: tuple[float, float]
    metal: float = 0.0
    wires: int = 0
    bulk: float = 1.0

    def bending(self, diameter: float) -> float:
        """EI of wires that slide on each other, N m^2."""
        area = self.metal * diameter**2
        return YOUNG * area**2 / (4.0 * math.pi * self.wires) if self.wires else 0.0

    def cable(self, diameter: float) -> dict[str, float]:
        """What a `Cable` takes, for a nominal diameter in m."""
        first, second = self.strength
        return {
            "diameter": self.bulk * diameter,
            "mass_per_length": self.mass * diameter**2,
            "axial_stiffness": self.stiffness * diameter**2,
            "bending_stiffness": self.bending(diameter),
            "torsional_stiffness": self.bending(diameter) * 2.0 * SHEAR / YOUNG,
            "breaking_force": first * diameter**2 + second * diameter**3,
        }


MATERIALS = {
    "6x19 IWRC": Material(4000.0, 4.04e10, (0.356 * 1770e6, 0.0), 0.449, 6 * 19 + 49),
    "6x19 FC": Material(3590.0, 3.67e10, (0.330 * 1770e6, 0.0), 0.384, 6 * 19),
    "6x36 IWRC": Material(4090.0, 4.04e10, (0.356 * 1770e6, 0.0), 0.460, 6 * 36 + 49),
    "6x36 FC": Material(3670.0, 3.67e10, (0.330 * 1770e6, 0.0), 0.393, 6 * 36),
    "polyester": Material(797.8, 1.09e9, (1.70466e8, 0.0)),
    "HMPE": Material(495.7, 56.5 * 5.795e8, (5.795e8, 6.5e8)),
    "chain R3": Material(20010.0, 8.48e10, (44.0 * 2.23e7, -80.0 * 2.23e7), bulk=1.8),
    "chain R4": Material(20010.0, 8.56e10, (44.0 * 2.74e7, -80.0 * 2.74e7), bulk=1.8),
}
"""By the names that `Cable.of` takes."""
