"""Operations that partitions are chosen by, against counts in dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from partition_examples import chain, hyper_entries, net_under_load

from taut.structure.cost_kernels import PIVOT_ROW, PRODUCT, ROW, STORED, SUBSTITUTED, WARM_PIVOTS
from taut.structure.incidence import RowEntries
from taut.structure.partition import Partition, in_rows, link, partition_bodies
from taut.structure.partition_work import TEAM


def meet(touched: np.ndarray) -> np.ndarray:
    """Which rows meet (rows, rows) that touch things (rows, things)."""
    return (touched.astype(int) @ touched.T.astype(int)) > 0


def factor_time(matrix: np.ndarray) -> float:
    """Nanoseconds of a skyline factor of rows in this order, with a solve."""
    heights = [k - int(np.argmax(row[: k + 1] | (np.arange(k + 1) == k))) for k, row in enumerate(matrix)]
    products = sum(h * (h + 1) // 2 for h in heights)
    return ROW * len(heights) + (STORED + SUBSTITUTED) * sum(h + 1 for h in heights) + PRODUCT * products


def counted(entries: RowEntries, found: Partition, order: np.ndarray) -> float:
    """What `predicted` says, from dense matrices; `order` are bodies in the order in which parts took them."""
    touched = np.zeros((entries.row_count, entries.moves.size), bool)
    touched[entries.entry_row, entries.entry_body] = True
    touched &= entries.moves > 0
    rank = np.full(entries.moves.size, -1)
    rank[order] = np.arange(order.size)
    last = np.where(touched, rank, 0).max(axis=1)
    parts = np.zeros((entries.row_count, found.count), bool)
    for body in np.flatnonzero(found.node >= 0):
        parts[:, found.node[body]] |= touched[:, body]
    between = np.flatnonzero(found.row < 0)
    between = between[np.argsort([np.flatnonzero(parts[row])[0] for row in between], kind="stable")]
    times = []
    for number in range(found.count):
        own = np.flatnonzero(found.row == number)
        own = own[np.argsort(last[own], kind="stable")]
        matrix = meet(touched[own])
        time = factor_time(matrix)
        sizes = [k + 1 - int(np.argmax(row[: k + 1] | (np.arange(k + 1) == k))) for k, row in enumerate(matrix)]
        begins = [
            int(np.argmax(met)) for met in meet(touched[np.append(own, between)])[own.size :, : own.size] if met.any()
        ]
        reached = [own.size - begin for begin in begins]
        time += PIVOT_ROW * len(begins) + 0.5 * STORED * len(begins) ** 2
        time += PRODUCT * (sum(sum(sizes[begin:]) for begin in begins) + 0.5 * len(begins) * sum(reached))
        times.append(time * (1.0 if entries.unbounded[own].all() else WARM_PIVOTS))
    return max(max(times, default=0.0), sum(times) / TEAM) + WARM_PIVOTS * factor_time(meet(parts[between]))


def order_of(entries: RowEntries, found: Partition) -> np.ndarray:
    """Bodies in the order in which parts took them, parts as they are numbered."""
    graph = link(entries, in_rows(entries, np.zeros(entries.moves.size, np.int64)))
    _, _, order = graph.grown(found.size)
    return order[np.argsort(found.node[order], kind="stable")]


def parted(entries: RowEntries, size: int) -> Partition:
    return partition_bodies(entries, link(entries, in_rows(entries, np.zeros(entries.moves.size, np.int64))), size)


@given(st.integers(0, 10**6), st.integers(1, 9))
def test_operations_are_those_of_dense_matrices(seed: int, size: int) -> None:
    entries = hyper_entries(seed)
    found = parted(entries, size)
    assert found.time == pytest.approx(counted(entries, found, order_of(entries, found)), rel=1e-12)


def test_a_chain_in_one_part_is_a_band() -> None:
    found = parted(chain(30, rows=1), 30)
    # each row but the first meets the one before it
    assert found.time == pytest.approx(ROW * 30 + (STORED + SUBSTITUTED) * 59 + PRODUCT * 29)


def test_parts_without_bounds_are_factored_once() -> None:
    never, always = chain(8), chain(8)
    always.unbounded[:] = False
    assert parted(always, 8).time == pytest.approx(WARM_PIVOTS * parted(never, 8).time)


def test_a_net_under_a_load_is_better_cut() -> None:
    entries = net_under_load(side=20, touched=30)
    times = {size: parted(entries, size).time for size in (50, 100, 401)}
    assert max(times[50], times[100]) < 0.5 * times[401]
