"""Stages of trees in joint coordinates: bodies are put where no joint is open, and velocities are what leads there."""

from __future__ import annotations

import math

from taut.kernel import kernel
from taut.problem.kkt import Kkt, KktAnswer
from taut.responses.kinematics_kernels import place_nodes, read_coordinates, turn_between
from taut.rows.table import RowTable
from taut.stepping.settings import CORRECTION
from taut.stepping.tables import Scratch, StepModel
from taut.table_types import vector
from taut.tables import RealRows, Reals


@kernel(inner=True)
def keep_centres(m: StepModel, w: Scratch) -> None:
    """Put trees that float back to where their centres of mass were led: joints that close move none.

        x <- x - sum m (x - x_led) / sum m

    Writes:  places
    """
    trees, position, moved = m.trees, w.places.position, vector(3)
    for tree in range(trees.tree_start.shape[0] - 1):
        first, last, total = trees.tree_start[tree], trees.tree_start[tree + 1], 0.0
        if trees.carrier[first] >= 0:
            continue
        for i in range(3):
            moved[i] = 0.0
        for node in range(first, last):
            body = trees.body[node]
            total += m.bodies.mass[body]
            for i in range(3):
                moved[i] += m.bodies.mass[body] * (position[body, i] - w.led[node, i])
        for node in range(first, last):
            for i in range(3):
                position[trees.body[node], i] -= moved[i] / total


@kernel(inner=True)
def turns_with_history(m: StepModel, w: Scratch, body: int) -> int:
    """1 for a body that joints hold, that looks back, and that turns by less than half a turn in the step."""
    if w.weights.level[body] < 1 or m.bodies.moves[body] == 0 or m.links.jointed[body] == 0:
        return 0
    d, u, square = w.past.displacement[body], w.candidate.guess[body], 0.0
    for i in range(3, 6):
        square += (w.weights.drift[body] * d[i] + w.weights.beta[body] * u[i]) ** 2
    return 1 if square < CORRECTION.half_turn**2 else 0


@kernel(inner=True)
def turn_from(start: Reals, first: Reals, second: Reals, turn_out: Reals) -> None:
    """Difference of the rotation vectors (3,) from one orientation (4,) to a second and to a first.

    Writes:  turn_out
    """
    before = vector(3)
    turn_between(start, first, before)
    turn_between(start, second, turn_out)
    for i in range(3):
        turn_out[i] -= before[i]


@kernel(apart=True)
def keep_on_trees(m: StepModel, w: Scratch) -> None:
    """Put bodies of trees where their joint coordinates have them, and say what velocity that takes.

        shift = (x on the tree - x) / beta                        rotations by the rotation vector between the two

    It is no part of a velocity that was balanced: a heavy body at the end of many joints would be given momentum by
    the error of a linearisation. But v + shift is what leads here.

    Writes:  places, joint, led; shift of the candidate
    """
    trees, places, turned = m.trees, w.places, vector(3)
    for body in range(trees.node.shape[0]):
        if trees.node[body] < 0:
            for i in range(6):
                w.candidate.shift[body, i] = 0.0
    for node in range(trees.body.shape[0]):
        body = trees.body[node]
        for i in range(3):
            w.led[node, i] = places.position[body, i]
        for i in range(4):
            w.led[node, 3 + i] = places.orientation[body, i]
    read_coordinates(trees, places, w.joint)
    place_nodes(trees, w.joint, places)
    keep_centres(m, w)
    for node in range(trees.body.shape[0]):
        body = trees.body[node]
        shift, rate = w.candidate.shift[body], 1.0 / w.weights.beta[body]
        if turns_with_history(m, w, body) != 0:
            turn_from(w.past.orientation[body], w.led[node, 3:], places.orientation[body], turned)
        else:
            turn_between(w.led[node, 3:], places.orientation[body], turned)
        for i in range(3):
            shift[i] = rate * (places.position[body, i] - w.led[node, i])
            shift[3 + i] = rate * turned[i]


@kernel(inner=True)
def leave_no_gaps(m: StepModel, w: Scratch) -> None:
    """Leave no gap of a tree's joints for the rest of a frame: joint coordinates close them at once.

    Writes:  left
    """
    for node in range(m.trees.body.shape[0]):
        for row in range(m.trees.first_row[node], m.trees.first_row[node] + m.trees.row_count[node]):
            w.left[row] = 0.0


@kernel(inner=True)
def head_for(m: StepModel, w: Scratch, velocity: RealRows) -> None:
    """Make a velocity (bodies, 6) that bodies were placed with the one that leads to where trees put them.

    Writes:  velocity
    """
    for node in range(m.trees.body.shape[0]):
        body = m.trees.body[node]
        for i in range(6):
            velocity[body, i] += w.candidate.shift[body, i]


@kernel(apart=True)
def find_bends(m: StepModel, w: Scratch) -> None:
    """How far bodies are from where the solve led them: joints bend its straight way, a long chain of them most.

        x+ - (x_k + beta J_mr y)                                  rotations by the angle between the two

    Joint coordinates close every joint, so this is the error of the linearisation that open rows show elsewhere.

    Where the solve led is what `keep_on_trees` was given last.

    Writes:  bent of the candidate
    """
    places, candidate = w.places, w.candidate
    for node in range(m.trees.body.shape[0]):
        body = m.trees.body[node]
        p, q, worst, cosine, size = places.orientation[body], w.led[node, 3:], 0.0, 0.0, 0.0
        for i in range(3):
            worst = max(worst, abs(places.position[body, i] - w.led[node, i]))
        for i in range(4):
            cosine += p[i] * q[i]
        for i in range(4):
            size += (p[i] - q[i] if cosine > 0.0 else p[i] + q[i]) ** 2
        candidate.bent[body] = max(worst, 2.0 * math.sqrt(size))


@kernel(inner=True)
def find_starts(m: StepModel, w: Scratch) -> None:
    """Where velocities without rows are from those that bodies of trees were predicted with.

    Writes:  near of the candidate
    """
    guess, free, near = w.candidate.guess, w.candidate.free_velocity, w.candidate.near
    for body in range(near.shape[0]):
        inside = m.trees.node[body] >= 0
        for i in range(6):
            near[body, i] = guess[body, i] - free[body, i] if inside else 0.0


@kernel()
def leave_changes(m: StepModel, w: Scratch, rows: RowTable, kkt: Kkt, answer: KktAnswer) -> float:
    """v+ - v_k of bodies in joint coordinates by the impulses of all rows, where trees were not eliminated.

    Writes:  change of the candidate
    Returns: how far the worst joint is left open by it, beta |J (v+ - v_k)|, m or rad
    """
    near, change, worst = w.candidate.near, w.candidate.change, 0.0
    for body in range(near.shape[0]):
        for i in range(6):
            change[body, i] = -near[body, i]
    for entry in range(kkt.entry_row.shape[0]):
        body = kkt.entry_body[entry]
        if m.trees.node[body] >= 0:
            d, y, impulse = change[body], kkt.response[entry], answer.lam[kkt.entry_row[entry]]
            for i in range(6):
                d[i] += y[i] * impulse
    for node in range(m.trees.body.shape[0]):
        for row in range(m.trees.first_row[node], m.trees.first_row[node] + m.trees.row_count[node]):
            rate = 0.0
            for entry in range(kkt.entry_start[row], kkt.entry_start[row + 1]):
                for i in range(6):
                    rate += kkt.jacobian[entry, i] * change[kkt.entry_body[entry], i]
            worst = max(worst, abs(rows.beta[row] * rate))
    return worst


@kernel(inner=True)
def take_changes(m: StepModel, w: Scratch, kkt: Kkt, answer: KktAnswer) -> None:
    """v+ = v_k + J_mr y of bodies in joint coordinates, no difference of large impulses; others by their impulses.

    Writes:  velocity of the candidate
    """
    candidate, node = w.candidate, m.trees.node
    for body in range(node.shape[0]):
        start, change, out = candidate.guess[body], candidate.change[body], candidate.velocity[body]
        for i in range(6):
            out[i] = start[i] + change[i] if node[body] >= 0 else candidate.free_velocity[body, i]
    for entry in range(kkt.entry_row.shape[0]):
        body = kkt.entry_body[entry]
        if node[body] < 0:
            v, y, impulse = candidate.velocity[body], kkt.response[entry], answer.lam[kkt.entry_row[entry]]
            for i in range(6):
                v[i] += y[i] * impulse
