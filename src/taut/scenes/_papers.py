"""What the papers say of their scenes: masses, mass ratios, rows; None where a paper is silent.

[Lefebvre2020], Table 2.2, gives the largest mass ratio, number of rows and condition number of each example, section
2.3.1 the masses; Table 3.1 mean rows of the caching experiment. [Peiret2019], section 7.1, gives masses and counts of
bodies; no table of it has rows or conditions of a whole scene.
"""

from __future__ import annotations

from typing import NamedTuple


class PaperFigures(NamedTuple):
    """Of one scene.

    Attributes:
        source: where they are from.
        mass: of all bodies that move, kg.
        mass_ratio: heaviest over lightest of them.
        bodies: that move.
        rows_mean, rows_max: constraint rows of a frame, those that only carry geometric stiffness not among them.
        condition: of the matrix of these rows.
    """

    source: str
    mass: float | None = None
    mass_ratio: float | None = None
    bodies: int | None = None
    rows_mean: float | None = None
    rows_max: int | None = None
    condition: float | None = None


THESIS = "Lefebvre2020, Table 2.2, 2.3.1"
ARTICLE = "Peiret2019, 7.1"

PAPERS = {
    "crane": PaperFigures(THESIS, 30_000.0 + 2_000.0 + 70.0 + 70.0, 6_300.0, rows_max=430, condition=1e9),
    "winch": PaperFigures(THESIS, 450.0, 400.0, 51, rows_max=370, condition=1e8),
    "parkour": PaperFigures(THESIS, 15_000.0, 20_000.0, rows_max=260, condition=1e19),
    "offshore": PaperFigures(
        THESIS, 5_500_000.0 + 50_000.0 + 15_000.0, 4_400_000.0, rows_max=350, condition=1e9
    ),
    "forklift": PaperFigures(f"{THESIS}, Table 3.1", 3_000.0 + 100.0, 2_700.0, None, 162.0, 300, 1e8),
    "forwarder": PaperFigures(THESIS, 1_900.0 + 400.0, 6_500.0, 16 + 1, rows_max=250, condition=1e11),
    "log_tower": PaperFigures(ARTICLE, mass_ratio=50.0, bodies=160 + 2),
    "cable_spinner": PaperFigures(ARTICLE, mass_ratio=25_000.0),
    "chain_wrap": PaperFigures(ARTICLE, 525.0, 2_000.0, 101),
    "chain_drop": PaperFigures(ARTICLE, 62.5, 1.0, 250),
    "rock_pile": PaperFigures(ARTICLE, mass_ratio=250.0),
    # of net_truck it has the mass of the truck, and 40,000:1 for the whole truck over a body of the net
    "tandem_cranes": PaperFigures(ARTICLE, 2 * 75_000.0 + 3_500.0),
    "plank_bridge": PaperFigures("Peiret2019, Fig. 11", bodies=893, rows_max=1_278),
    "spatial_tree": PaperFigures("Baraff1996, Fig. 3", bodies=127, rows_max=381),
}  # fmt: skip
"""By scene."""
