"""How what the stages of a frame write lies in memory, one block each; see `taut.stepping.tables`."""

from __future__ import annotations

from taut.integrators.scheme import OLDER, STEP
from taut.rows.table import PLACES, ROWS
from taut.stepping.mechanism import Mechanism
from taut.stepping.tables import BALANCE, VERDICTS, Candidate, Past, Scratch, StateTable, Verdict, WeightTable
from taut.tables import Layout

WEIGHTS = Layout(WeightTable, {"h": (1,)}, by="bodies")
PAST = Layout(Past, {"velocity": 6, "spin": 3, "displacement": 6, "orientation": 4}, by="bodies")
CANDIDATE = Layout(
    Candidate,
    dict.fromkeys(("inertia", "stiffness"), 9)
    | dict.fromkeys(("guess", "wrench", "free_velocity", "near", "change", "shift", "velocity", "moved", "path"), 6)
    | {"spin": 3, "error": 6, "row_error": ("rows",)},
    by="bodies",
)
VERDICT = Layout(Verdict, {"table": (VERDICTS, "bodies"), "balance": (BALANCE,)}, by="bodies")
SCRATCH = Layout(
    Scratch,
    {"weights": WEIGHTS, "past": PAST, "base": PLACES, "places": PLACES, "there": ROWS, "candidate": CANDIDATE}
    | {"verdict": VERDICT, "joint": ("nodes", 7), "led": ("nodes", 7), "left": ("rows",), "redundant": ("rows",)},
    by="bodies",
)
"""How scratch lies in memory."""

STATE = Layout(
    StateTable,
    dict.fromkeys(("velocity", "previous_velocity", "displacement", "applied"), 6)
    | dict.fromkeys(("position", "spin", "previous_spin", "applied_point"), 3)
    | {"orientation": 4, "older": ("looking_back", STEP * OLDER), "coordinate": ("slots",)}
    | dict.fromkeys(("force", "index_set", "reached", "measure", "target", "firmness"), ("rows",))
    | dict.fromkeys(("limits", "reached_limits", "force_limits"), ("rows", 2)),
    by="bodies",
)
"""How the state that a step starts from lies in memory."""


def counts_of(mechanism: Mechanism) -> dict[str, int]:
    """How much there is of what tables are about."""
    return {
        "bodies": mechanism.count, "rows": mechanism.row_count, "entries": mechanism.entries.entry_body.size,
        "slots": mechanism.slot_count, "sides": 2 * mechanism.slot_count, "nodes": mechanism.trees.body.size,
    }  # fmt: skip
