"""Made-up problems with bodies: contacts that give way, joints that do not, any masses; and their dense answers."""

from __future__ import annotations

import numpy as np

from taut.problem.kkt import Kkt, KktProblem
from taut.structure.incidence import RowEntries


def body_problem(
    rng: np.random.Generator,
    bodies: int = 8,
    contacts: int = 20,
    joints: int = 0,
    ratio: float = 1.0,
    softness: float = 1e-4,
    halves: bool = False,
) -> KktProblem:
    """Bodies that point joints connect in a chain, and contacts of three rows between any two, or with the ground.

    Masses are up to `ratio`; contacts give way by `softness` of their diagonal, joints not at all. Body 0 is the
    ground. With `halves`, nothing connects bodies of even and odd numbers.
    """
    pairs, rows = [], []
    for joint in range(joints):
        first = joint + 1 if joint + 2 <= bodies else 0
        pairs.append((first, 1 + (joint + 1) % bodies if first else 1))
    for _ in range(contacts):
        a, b = rng.integers(0, bodies + 1), rng.integers(1, bodies + 1)
        if a == b or (halves and a % 2 != b % 2):
            a = 0
        pairs.append((int(a), int(b)))
    for number, (a, b) in enumerate(pairs):
        frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        arms = rng.normal(size=(2, 3))
        for direction in frame:
            rows.append((a, b, number < joints, direction, arms))
    count = len(rows)
    entry_body = np.array([body for a, b, *_ in rows for body in (a, b)])
    jacobian = np.array(
        [
            np.concatenate([sign * d, sign * np.cross(arm, d)])
            for _, _, _, d, arms in rows
            for sign, arm in zip((-1.0, 1.0), arms, strict=True)
        ]
    )
    mass = ratio ** rng.uniform(0.0, 1.0, bodies + 1)
    inertia = np.zeros((bodies + 1, 3, 3))
    for body in range(1, bodies + 1):
        root = np.eye(3) + 0.3 * rng.normal(size=(3, 3))
        inertia[body] = mass[body] * (root @ root.T + 0.1 * np.eye(3))
    inverse_mass = np.where(np.arange(bodies + 1) > 0, 1.0 / mass, 0.0)
    inverse_inertia = np.array([np.zeros((3, 3)), *np.linalg.inv(inertia[1:])])
    response = np.concatenate(
        [inverse_mass[entry_body, None] * jacobian[:, :3],
         np.einsum("eij,ej->ei", inverse_inertia[entry_body], jacobian[:, 3:])], axis=1,
    )  # fmt: skip
    entry_start, entry_row = 2 * np.arange(count + 1), np.repeat(np.arange(count), 2)
    diagonal = np.add.reduceat((jacobian * response).sum(axis=1), entry_start[:-1])
    hard = np.array([is_joint for _, _, is_joint, *_ in rows])
    compliance = np.where(hard, 0.0, softness * diagonal)
    lower, upper = np.full(count, -np.inf), np.full(count, np.inf)
    for contact in range(joints, joints + contacts):
        bound = 0.5 * rng.uniform(0.0, 1.0) * (rng.uniform() > 0.2)
        lower[3 * contact : 3 * contact + 3], upper[3 * contact : 3 * contact + 3] = (
            (0, -bound, -bound),
            (np.inf, bound, bound),
        )
    moves = (np.arange(bodies + 1) > 0).astype(np.uint8)
    owner = np.where(hard, np.repeat(np.arange(len(pairs)), 3), -1)
    entries = entries_of(entry_start, entry_row, entry_body, moves, owner, 3 * joints)
    blocks = Kkt(
        entry_start, entry_row, entry_body, inverse_mass, inverse_inertia.reshape(-1, 9), inertia.reshape(-1, 9),
        jacobian, response, compliance, rng.normal(size=count) * np.sqrt(diagonal), lower, upper, diagonal + compliance,
    )  # fmt: skip
    return KktProblem(entries, blocks, "made up")


def entries_of(
    entry_start: np.ndarray, entry_row: np.ndarray, entry_body: np.ndarray, moves: np.ndarray, owner: np.ndarray,
    always: int,
) -> RowEntries:  # fmt: skip
    """Rows of which the first are always there, and the others come and go."""
    end = int(entry_start[always])
    unbounded = np.arange(owner.size) < always
    base = RowEntries(
        entry_start[: always + 1].copy(), entry_row[:end].copy(), entry_body[:end].copy(), moves, unbounded[:always],
        owner[:always].copy(),
    )  # fmt: skip
    return RowEntries(entry_start, entry_row, entry_body, moves, unbounded, owner, base)


def heavy_on_light(rng: np.random.Generator, bodies: int, ratio: float, softness: float = 1e-6) -> KktProblem:
    """A tower of boxes, every second one heavier by a ratio, on four contacts each; all fall and are kicked."""
    mass = np.where(np.arange(bodies + 1) % 2 == 0, ratio, 1.0)
    entry_body, jacobian, bounds = [], [], []
    above = np.cumsum(mass[::-1])[::-1]
    for body in range(1, bodies + 1):
        for corner in ((0.5, 0.5), (0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5)):
            place, friction = np.array([*corner, 0.0]), 0.125 * above[body]
            normal = np.array([0.0, 0.0, 1.0]) + 0.05 * rng.normal(size=3)
            frame = np.linalg.qr(np.column_stack([normal, rng.normal(size=(3, 2))]))[0].T
            frame[0] *= np.sign(frame[0, 2])
            for direction in frame:
                for sign, other, arm in ((-1.0, body - 1, place + (0, 0, 0.5)), (1.0, body, place - (0, 0, 0.5))):
                    entry_body.append(other)
                    jacobian.append(np.concatenate([sign * direction, sign * np.cross(arm, direction)]))
            bounds += [(0.0, np.inf), (-friction, friction), (-friction, friction)]
    rows, touched, blocks = len(bounds), np.array(entry_body), np.array(jacobian)
    moves = (np.arange(bodies + 1) > 0).astype(np.uint8)
    inverse_mass, turning = np.where(moves > 0, 1.0 / mass, 0.0), mass[:, None] * np.eye(3).ravel() / 6.0
    inverse_inertia = 6.0 * inverse_mass[:, None] * np.eye(3).ravel()
    response = blocks * inverse_mass[touched, None] * np.array([1.0, 1.0, 1.0, 6.0, 6.0, 6.0])
    start, row = 2 * np.arange(rows + 1), np.repeat(np.arange(rows), 2)
    diagonal = np.add.reduceat((blocks * response).sum(axis=1), start[:-1])
    motion = moves[:, None] * (0.3 * rng.normal(size=(bodies + 1, 6)) - (0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    bias = np.add.reduceat((blocks * motion[touched]).sum(axis=1), start[:-1])
    entries = entries_of(start, row, touched, moves, np.full(rows, -1), 0)
    numbers = Kkt(
        start, row, touched, inverse_mass, inverse_inertia, turning, blocks, response, softness * diagonal, bias,
        *np.array(bounds).T.copy(), (1.0 + softness) * diagonal,
    )  # fmt: skip
    return KktProblem(entries, numbers, "heavy on light")
