"""What every response offers: how velocities answer to impulses, M~ u = p.

Whoever steps knows no more of M~ than this, and than the blocks of the KKT problem that a response fills. Free bodies
have one block of six a body (`free_bodies.py`). Articulated bodies and bodies with springs between them have others:
each is one new file that satisfies this protocol.
"""

from __future__ import annotations

from typing import Protocol

from taut.spatial import Array


class Response(Protocol):
    """M~^-1 at one linearisation: M~ = alpha M + h D - h beta (K + K~)."""

    @property
    def block_count(self) -> int:
        """Number of blocks of six numbers that a velocity has."""

    def apply(self, impulses: Array) -> Array:
        """M~^-1 of impulses (..., blocks, 6) in N s and N m s: changes of velocity, m/s and rad/s."""

    def kinetic_energy(self, velocity: Array) -> Array:
        """Kinetic energy (blocks,) of velocities (blocks, 6) with M of this configuration, J."""

    def spin(self, velocity: Array) -> Array:
        """Angular momenta (blocks, 3) about the centres of mass with velocities (blocks, 6), kg m^2/s."""
