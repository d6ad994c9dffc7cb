"""Contacts in a recording: any number of points a frame, so they are kept end to end with the end of every frame.

Names of the arrays in memory and paths in the file are the same: ``contacts/frame_end`` (frames,) counts the points up
to the end of each frame, the others have one entry a point.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from taut.results.contact_table import ContactTable

FRAME_END = "contacts/frame_end"

POINT_ARRAYS = {
    "index_a": ("contacts/body_a", np.zeros(0, "i4")),
    "index_b": ("contacts/body_b", np.zeros(0, "i4")),
    "point": ("contacts/point", np.zeros((0, 3), "f8")),
    "normal": ("contacts/normal", np.zeros((0, 3), "f4")),
    "gap": ("contacts/gap", np.zeros(0, "f4")),
    "force": ("contacts/force", np.zeros((0, 3), "f4")),
    "blow": ("contacts/blow", np.zeros((0, 3), "f4")),
    "slip": ("contacts/slip", np.zeros((0, 3), "f4")),
    "index_set": ("contacts/index_set", np.zeros((0, 3), "i1")),
}
"""Field of a `ContactTable` -> name of its array, and what it is without points. The world is body 0. Seven digits are
enough for all but the points, which may be far from the origin. Older recordings have no blows or no labels."""

POINT_NAMES = frozenset(name for name, _ in POINT_ARRAYS.values())
"""Names of the arrays that have one entry a point; all others of a recording have one a frame."""

Block = dict[str, np.ndarray]


class ContactLog:
    """Contacts of the frames that have not been sealed in a block yet."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.total = 0
        self._tables: list[ContactTable] = []

    def append(self, table: ContactTable) -> None:
        """Add a frame."""
        self._tables.append(table)

    def take(self) -> Block:
        """The frames added since the last call, as arrays by name."""
        tables, self._tables = self._tables, []
        ends = self.total + np.cumsum([len(table) for table in tables], dtype=np.int64)
        self.total = int(ends[-1]) if tables else self.total
        block = {FRAME_END: ends}
        for field, (name, empty) in POINT_ARRAYS.items():
            block[name] = np.concatenate([getattr(table, field) for table in tables]).astype(empty.dtype)
        return block


def contacts_of(block: Mapping[str, np.ndarray], frame: int, names: tuple[str, ...], step: float) -> ContactTable:
    """The contacts of one frame of a block that begins with frame 0; none where contacts were not recorded."""
    if FRAME_END not in block:
        return ContactTable(names, step=step, **{field: empty for field, (_, empty) in POINT_ARRAYS.items()})
    ends = block[FRAME_END]
    span = slice(ends[frame - 1] if frame else 0, ends[frame])
    points = {field: block[name][span] for field, (name, _) in POINT_ARRAYS.items() if name in block}
    missing = {"blow": np.zeros_like(points["force"]), "index_set": np.zeros(points["force"].shape, "i1")}
    return ContactTable(names, step=step, **(missing | points))


def cut_to_shared_frames(block: Block) -> Block:
    """All arrays cut to the frames that all of them have."""
    frames = min(len(values) for name, values in block.items() if name not in POINT_NAMES)
    points = 0
    if FRAME_END in block:
        held = min(len(block[name]) for name in POINT_NAMES & block.keys())
        frames = min(frames, int(np.searchsorted(block[FRAME_END], held, side="right")))
        points = int(block[FRAME_END][frames - 1]) if frames else 0
    return {name: values[: points if name in POINT_NAMES else frames] for name, values in block.items()}
