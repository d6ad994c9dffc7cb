"""What of a frame is lost: bodies whose rows cannot be made to hold are made safe, and the others go on.

Bodies that neither joints nor contacts connect do not feel each other. So where a frame cannot be solved, it is lost
for the groups of bodies whose rows do not hold. Those are parked and not judged while the rest of the frame is done for
the others; then they are given the safe state of `taut.stepping.recovery`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from taut.contact.memory import ContactMemory
from taut.model.groups import merged_groups
from taut.model.state import State
from taut.stepping.energy import energy_of
from taut.stepping.impulse import hold_still
from taut.stepping.linearise import Outcome
from taut.stepping.recovery import at_rest
from taut.stepping.workspace import Workbench

Flags = NDArray[np.bool_]

OF_BODIES = (
    "position", "orientation", "velocity", "spin", "slim_spin",
    "previous_velocity", "previous_spin", "previous_slim_spin", "displacement", "history",
)  # fmt: skip
"""Arrays of a state with one entry a body."""

OF_ROWS = ("force", "index_set", "measure", "reached")
"""Arrays of a state with one entry a row."""


def lost_bodies(bench: Workbench, outcome: Outcome, verdict: str) -> Flags:
    """Bodies (n,) that joints and contacts connect to rows that do not hold; all, where the solve itself failed."""
    bodies, lost = bench.model.bodies, np.zeros(bench.model.bodies.count, bool)
    if verdict != "violation":
        return ~lost
    assert (outcome.row_error > bench.settings.limit).any(), "a violation is one of rows"
    lost[bench.row_body[outcome.row_error > bench.settings.limit]] = True
    group, touching = bench.joined, outcome.memory.contacts
    if touching.count:
        every = np.ones(touching.count, np.uint8)
        group = merged_groups(group, bodies.moves, touching.body_a, touching.body_b, every)
    return np.asarray(np.isin(group, group[lost]) & (bodies.moves > 0))


def park(bench: Workbench, state: State, lost: Flags) -> State:
    """The state with lost bodies (n,) at rest; from now on their rows do not count."""
    bench.counts[:] = ~lost[bench.row_body]
    still = at_rest(state)
    return replace(chosen(bench, state, still, lost), history=np.zeros_like(state.history))


def judge_all(bench: Workbench) -> None:
    """Let all rows count again."""
    bench.counts.fill(1)


def rejoin(bench: Workbench, others: State, safe: State, lost: Flags) -> State:
    """The state of the others, with lost bodies (n,) as they are in a safe state; the bench is left there."""
    after = chosen(bench, others, safe, lost)
    after.contacts = joined_contacts(others.contacts, safe.contacts, lost)
    hold_still(bench, after)
    after.energy = energy_of(bench, after)
    return after


def chosen(bench: Workbench, state: State, other: State, lost: Flags) -> State:
    """The state with what belongs to lost bodies (n,) from another one."""
    slots = bench.model.layout.coordinates
    turning = np.array([lost[each.body_a] or lost[each.body_b] for each in slots], bool)
    masks = dict.fromkeys(OF_BODIES, lost) | dict.fromkeys(OF_ROWS, lost[bench.row_body]) | {"coordinate": turning}
    changes = {}
    for name, mask in masks.items():
        mine, theirs = getattr(state, name), getattr(other, name)
        changes[name] = np.where(mask.reshape(-1, *[1] * (mine.ndim - 1)), theirs, mine)
    return replace(state, **changes)


def joined_contacts(others: ContactMemory, safe: ContactMemory, lost: Flags) -> ContactMemory:
    """Contacts of the others, and from the safe state those of lost bodies (n,), in the collider's order."""
    touches = [lost[each.contacts.body_a] | lost[each.contacts.body_b] for each in (others, safe)]
    mine, theirs = others.arrays(), safe.arrays()
    both = {name: np.concatenate([mine[name][~touches[0]], theirs[name][touches[1]]]) for name in mine}
    order = np.lexsort([both["contacts_geom_b"], both["contacts_geom_a"]])
    return ContactMemory.from_arrays({name: values[order] for name, values in both.items()})
