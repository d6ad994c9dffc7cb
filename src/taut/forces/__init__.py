"""Forces: gravity, springs, applied loads and body damping, one file a kind."""

from taut.forces.load import Load
from taut.forces.spring import Spring
from taut.rows.curve import Curve

__all__ = ["Curve", "Load", "Spring"]
