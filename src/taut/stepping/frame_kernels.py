"""The stages of a smooth frame in order, compiled into one: what is rare comes back to Python."""

from __future__ import annotations

from taut.kernel import kernel
from taut.stepping.linearise_kernels import copy, copy_rows
from taut.stepping.tables import Scratch, StateTable
from taut.tables import Flags, RealRows, Reals, Wholes


@kernel("void(int64[::1], int64[::1])", inner=True)
def copy_labels(source, target_out):
    """Copy labels.

    Writes:  target_out
    """
    for i in range(source.shape[0]):
        target_out[i] = source[i]


@kernel()
def take_state(
    s: StateTable, position: RealRows, orientation: RealRows, velocity: RealRows, spin: RealRows, slim_spin: Reals,
    previous_velocity: RealRows, previous_spin: RealRows, previous_slim_spin: Reals, displacement: RealRows,
    force: Reals, index_set: Wholes, coordinate: Reals, target: Reals, reached: Reals, measure: Reals,
    applied: RealRows, applied_point: RealRows,
) -> None:  # fmt: skip
    """Copy the arrays of a state to where stages read them.

    Writes:  s
    """
    copy_rows(position, s.position)
    copy_rows(orientation, s.orientation)
    copy_rows(velocity, s.velocity)
    copy_rows(spin, s.spin)
    copy(slim_spin, s.slim_spin)
    copy_rows(previous_velocity, s.previous_velocity)
    copy_rows(previous_spin, s.previous_spin)
    copy(previous_slim_spin, s.previous_slim_spin)
    copy_rows(displacement, s.displacement)
    copy(force, s.force)
    copy_labels(index_set, s.index_set)
    copy(coordinate, s.coordinate)
    copy(target, s.target)
    copy(reached, s.reached)
    copy(measure, s.measure)
    copy_rows(applied, s.applied)
    copy_rows(applied_point, s.applied_point)


@kernel()
def choose_weights(scheme: Reals, restart: Reals, history: Flags, w: Scratch) -> None:
    """Weights (8,) of a scheme for bodies with history (n,), and of a restart for the others, see `Weights`.

    Writes:  weights
    """
    weights = w.weights
    weights.h[0] = scheme[0]
    for body in range(history.shape[0]):
        one = scheme if history[body] != 0 else restart
        weights.alpha[body], weights.beta[body] = one[1], one[2]
        weights.now[body], weights.before[body] = one[3], one[4]
        weights.drift[body] = one[5]
        weights.guess_now[body], weights.guess_before[body] = one[6], one[7]
