"""Forces: gravity, springs, applied loads and body damping, one file a kind."""

from taut.forces.load import Load
from taut.forces.spring import Spring

__all__ = ["Load", "Spring"]
