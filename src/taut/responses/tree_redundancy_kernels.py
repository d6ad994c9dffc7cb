"""Kernel of `tree_redundancy.py`: what the hard rows that trees leave feel of each other, of bodies of 1 kg."""

from __future__ import annotations

from taut.kernel import kernel
from taut.linalg.articulated_kernels import factor_tree
from taut.linalg.articulated_rows_kernels import respond
from taut.responses.articulated import ReducedTable
from taut.responses.articulated_kernels import end_reduction, fill_blocks, take_rows
from taut.responses.kinematics_kernels import find_subspace
from taut.responses.tree_redundancy import AloneRows
from taut.tables import RealRows


@kernel(inner=True)
def take_lone_blocks(alone: AloneRows, jacobian: RealRows) -> None:
    """Blocks of J, and how bodies of 1 kg that turn alike about all axes respond to them.

    Writes:  jacobian, response of the blocks
    """
    kkt = alone.blocks
    for entry in range(jacobian.shape[0]):
        body, j, y = kkt.entry_body[entry], kkt.jacobian[entry], kkt.response[entry]
        light, turns = alone.light[body], alone.turns[body]
        for i in range(6):
            j[i] = jacobian[entry, i]
        for i in range(3):
            y[i], y[3 + i] = light * j[i], turns * j[3 + i]


@kernel()
def respond_alone(alone: AloneRows, r: ReducedTable, jacobian: RealRows) -> None:
    """A of the hard rows that are kept, with bodies of 1 kg: no soft row is absorbed, and nothing is solved.

    Shapes:  jacobian (entries, 6)
    Writes:  values, own of `alone`; what the elimination takes
    """
    take_lone_blocks(alone, jacobian)
    kkt = alone.blocks
    find_subspace(r.trees, r.places, r.blocks.arm, r.blocks.subspace)
    fill_blocks(kkt, r)
    for k in range(r.crossing.shape[0]):
        r.blocks.cross_weight[k] = 0.0
    factor_tree(r.blocks, r.factor)
    take_rows(kkt, r)
    for k in range(alone.place.shape[0]):
        row = alone.place[k]
        respond(r.blocks, r.factor, r.rows, r.scratch, row, row + 1, r.indptr, r.indices, r.values)
    end_reduction(kkt, r)
    for e in range(alone.source.shape[0]):
        alone.values[e] = r.values[alone.source[e]]
    for k in range(alone.place.shape[0]):
        own, row = 0.0, r.kept[alone.place[k]]
        for entry in range(kkt.entry_start[row], kkt.entry_start[row + 1]):
            for i in range(6):
                own += kkt.jacobian[entry, i] * kkt.response[entry, i]
        alone.own[k] = own
