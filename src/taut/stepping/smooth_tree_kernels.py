"""Smooth frames in a row with joints eliminated along the tree."""

from __future__ import annotations

from taut.kernel import kernel
from taut.solvers.tree.tree_kernels import solve_tree
from taut.stepping.frame_kernels import run_frames, try_step
from taut.stepping.smooth import TreeWorld


@kernel()
def run(world: TreeWorld, count: int) -> int:
    """Up to so many smooth frames in a row, see `run_frames`.

    Writes:  state and course of the world
    Returns: SMOOTH, or how the frame after the last one ended
    """
    return run_frames(world.world, world.work, solve_tree, count)


@kernel()
def try_part(world: TreeWorld, h: float) -> int:
    """A step of length h up to the judge, see `try_step`.

    Writes:  scratch of the world
    Returns: 0 if it could not be solved or closed, else 1
    """
    return try_step(world.world, world.work, solve_tree, h, 0)
