"""The rules of acceptance: how far each group is off, what is wrong with it, and where to linearise next."""

from __future__ import annotations

import numpy as np

from taut.kernel import kernel
from taut.stepping import tables as t
from taut.stepping.settings import ACCEPTANCE, LINEARISATION
from taut.stepping.tables import Limits, StepModel
from taut.tables import Flags, RealRows, Reals, Wholes

SOLVED, VIOLATED, PENETRATES, CONTRADICTS, SLIPS, GAINS = range(6)
"""What can be wrong with a group, the worst first; `acceptance.FAULTS` are their names."""

THERE, PART_OF_THE_WAY, SAME_PLACE = range(3)
"""Where to linearise after a candidate that is not good enough."""


@kernel(inner=True)
def missed_balance(limits: Limits, table: RealRows, g: int) -> float:
    """By how much bodies of a group under tension miss their balance, over what is tolerated."""
    allowed = max(ACCEPTANCE.least_imbalance * limits.tolerance, ACCEPTANCE.balanced * table[t.REACH, g])
    return float(table[t.IMBALANCE, g] / allowed)


@kernel(apart=True)
def find_errors(limits: Limits, table: RealRows, error_out: Reals) -> float:
    """Error (n,) of rows or contacts by group, whichever is worse, over what is tolerated.

    Energy that contacts raise belongs to it: a spinning log that is thrown about turns away from the axes its inertia
    was balanced in, and the next linearisation is made where it went. That of a body in flight does not: it went where
    it was predicted, and only a shorter step knows better.

    Writes:  error_out
    Returns: the worst
    """
    worst = 0.0
    for g in range(table.shape[1]):
        error = max(table[t.ERROR, g] / limits.tolerance, table[t.CONTACT_ERROR, g] / limits.contact_tolerance)
        if table[t.TOUCHING, g] > 0.0:
            error = max(error, table[t.CONTACT_RISE, g] / limits.energy_tolerance)
        error_out[g] = max(error, missed_balance(limits, table, g))
        worst = max(worst, error_out[g])
    return worst


@kernel(apart=True, allocates=True)
def find_faults(
    limits: Limits, table: RealRows, group: Wholes, watched: Flags, risen: Reals, friction: float, fault_out: Wholes
) -> int:
    """What is wrong with each group (n,), the worst of it.

    Of groups with a body that is `watched` (n,) energy is judged by the tolerance of rough motion; in earlier parts of
    the frame energy of bodies, or of the groups that they led, has `risen` by so much (n,). `friction` is the residual
    of its law.

    Writes:  fault_out
    Returns: number of groups that something is wrong with
    """
    rough, spent, faults = np.zeros(group.shape[0], np.uint8), np.zeros(group.shape[0]), 0
    for body in range(group.shape[0]):
        g = group[body]
        rough[g], spent[g] = max(rough[g], watched[body]), max(spent[g], risen[body])
    for g in range(table.shape[1]):
        rise = limits.energy_tolerance - spent[g]
        calm_rise = min(limits.rough_energy_tolerance, rise) if rough[g] != 0 else rise
        # what parts leave adds up; a gap that was too large to begin with is for the frame to close
        drift = table[t.DRIFT, g] - (table[t.LEFT, g] if table[t.LEFT, g] > limits.limit else 0.0)
        fault = SOLVED
        if max(table[t.ERROR, g], drift) > limits.limit:
            fault = VIOLATED
        elif table[t.CONTACT_ERROR, g] > limits.contact_limit:
            fault = PENETRATES
        elif table[t.MISFIT, g] > limits.contradiction or table[t.OPENED, g] > limits.limit:
            fault = CONTRADICTS
        elif friction > limits.friction_limit and table[t.TOUCHING, g] > 0.0:
            fault = SLIPS
        elif table[t.RISE, g] > calm_rise or table[t.CONTACT_RISE, g] > rise:
            fault = GAINS
        fault_out[g] = fault
        faults += 1 if fault != SOLVED else 0
    return faults


@kernel(apart=True)
def way_on(m: StepModel, table: RealRows) -> int:
    """Where to linearise after a candidate that is not good enough.

    Returns: PART_OF_THE_WAY where bodies turned farther than the linearisation reaches; SAME_PLACE where the forces
             were too far off to say where bodies go; else THERE, where it led
    """
    limits, missed, turned, wrong = m.tolerances.limits, 0.0, 0.0, False
    for g in range(table.shape[1]):
        missed, turned = max(missed, table[t.IMBALANCE, g]), max(turned, table[t.TURNED, g])
        wrong = wrong or missed_balance(limits, table, g) > 1.0
    if m.tolerances.balances == 0:
        return THERE
    if turned > LINEARISATION.turn:
        return PART_OF_THE_WAY
    return SAME_PLACE if wrong and missed > LINEARISATION.forces_wrong * turned else THERE
