"""Random box MLCPs of chosen size and difficulty, each with a solution that is known by construction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.problem.mlcp import MlcpProblem
from taut.problem.named import KnownProblem

if TYPE_CHECKING:
    import scipy.sparse


def random_box(
    size: int, seed: int = 0, condition: float = 1e4, tight_share: float = 0.3, redundant: int = 0
) -> KnownProblem:
    """Dense random problem with a spectrum from 1 down to 1 / condition.

    Args:
        size: Rows.
        seed: Of the random numbers.
        condition: Condition number of A without its redundant rows.
        tight_share: Share of rows at a bound in the solution.
        redundant: How many of the rows repeat combinations of others; A is then singular with b in its range.
    """
    rng = np.random.default_rng(seed)
    rank = size - redundant
    rotation = np.linalg.qr(rng.normal(size=(rank, rank)))[0]
    matrix = (rotation * np.logspace(0, -np.log10(condition), rank)) @ rotation.T
    combine = np.vstack([np.eye(rank), rng.normal(size=(redundant, rank)) / np.sqrt(max(rank, 1))])
    A = combine @ matrix @ combine.T
    known = with_solution(0.5 * (A + A.T), rng, tight_share, f"random-box-{size}-{seed}")
    return KnownProblem(known.problem, known.lam, unique=redundant == 0)


def random_contacts(
    bodies: int, seed: int = 0, mass_ratio: float = 1e3, tight_share: float = 0.3, compliance: float = 1e-12
) -> KnownProblem:
    """Sparse random problem as contacts make it: triples of rows between neighbouring bodies, A = J M^-1 J' + S.

    Args:
        bodies: Number of bodies; about two contacts each, so six times as many rows.
        seed: Of the random numbers.
        mass_ratio: Heaviest over lightest body.
        tight_share: Share of rows at a bound in the solution.
        compliance: Added to the diagonal, relative to it.
    """
    import scipy.sparse

    rng = np.random.default_rng(seed)
    first = rng.integers(0, bodies, 2 * bodies)
    second = np.minimum(first + rng.integers(1, 4, first.size), bodies - 1)
    first, second = first[first != second], second[first != second]
    rows = np.repeat(np.arange(3 * first.size), 6)
    blocks = []
    for body in (first, second):
        columns = (6 * np.repeat(body, 3)[:, None] + np.arange(6)).ravel()
        entries = rng.normal(size=rows.size)
        blocks.append(scipy.sparse.csr_array((entries, (rows, columns)), shape=(3 * first.size, 6 * bodies)))
    mass = np.repeat(mass_ratio ** rng.uniform(-1, 0, bodies), 6)
    jacobian = blocks[0] + blocks[1]
    A = (jacobian @ scipy.sparse.diags_array(1 / mass) @ jacobian.T).tocsr()
    A = A + scipy.sparse.diags_array(compliance * A.diagonal())
    return with_solution(A, rng, tight_share, f"random-contacts-{bodies}-{seed}")


def chain(links: int, mass_ratio: float = 2000.0) -> KnownProblem:
    """A hanging chain of ball joints with a heavy load: block tridiagonal with 3x3 blocks, every row unbounded.

    The links follow a helix, so that no two axes decouple. Joint k holds the end of link k - 1 (the world for k = 0)
    and the start of link k; the last link is the load, held at its centre.

    Units: lam in N s, b in m/s, for links of 0.25 kg and 0.2 m.
    """
    mass, half, inertia = 0.25, 0.1, 0.25 * 0.2**2 / 12
    A = np.zeros((3 * links, 3 * links))
    for k in range(links):
        row = slice(3 * k, 3 * k + 3)
        following = slice(3 * k + 3, 3 * k + 6)
        if k == links - 1:
            A[row, row] += np.eye(3) / (mass * mass_ratio)
            break
        axis = np.array([np.cos(0.3 * k), np.sin(0.3 * k), 1.0]) / np.sqrt(2.0)
        turning = half**2 / inertia * (np.eye(3) - np.outer(axis, axis))
        A[row, row] += np.eye(3) / mass + turning
        A[following, following] += np.eye(3) / mass + turning
        A[following, row] = A[row, following] = turning - np.eye(3) / mass
    lam = np.tile([0.0, 0.1, -1.0], links) * np.repeat(np.linspace(2.0, 1.0, links), 3)
    return KnownProblem(MlcpProblem.from_matrix(A, -A @ lam, name=f"chain-{links}"), lam)


def with_solution(
    A: np.ndarray | scipy.sparse.sparray, rng: np.random.Generator, tight_share: float, name: str
) -> KnownProblem:
    """Bounds and b such that random multipliers, a share of them at bounds, solve the problem.

    In sqrt(diag) scaling multipliers, slacks and distances to bounds are of order 1; a quarter of the free rows has no
    bounds, and a quarter of all but those at an upper bound only a lower one.
    """
    d = np.maximum(A.diagonal(), 0.0)
    root = np.sqrt(np.where(d > 0.0, d, 1.0))
    size = root.size
    lam = rng.normal(size=size)
    label = np.where(rng.random(size) < tight_share, rng.choice([-1, 1], size), 0)
    below, above = rng.uniform(0.1, 2.0, (2, size))
    lower = np.where(label < 0, lam, lam - below)
    upper = np.where(label > 0, lam, lam + above)
    kind = rng.integers(0, 4, size)
    lower[(label == 0) & (kind == 0)] = -np.inf
    upper[(label <= 0) & (kind <= 1)] = np.inf
    w = -label * rng.uniform(0.1, 2.0, size)
    b = w * root - A @ (lam / root)
    problem = MlcpProblem.from_matrix(A, b, lower / root, upper / root, name)
    return KnownProblem(problem, lam / root)


def random_friction(
    size: int, seed: int = 0, dense: bool = False, rank_share: float = 0.6, compliance: float = 1e-10
) -> MlcpProblem:
    """Contacts with friction between more rows than the bodies have directions: A = J M^-1 J' + S, rank 0.6 n.

    Triples of rows: a normal that only pushes, and two tangents within a box that may be empty. b = J v + gap with
    gap >= 0, so that there is a solution for any rank; where S is 0 it is not unique.

    Args:
        size: Rows, rounded down to triples.
        seed: Of the random numbers.
        dense: Whether every row sees every direction; else a contact sees two neighbouring bodies, or one.
        rank_share: Directions over rows.
        compliance: Added to the diagonal, relative to it.
    """
    import scipy.sparse

    rng = np.random.default_rng(seed)
    contacts = size // 3
    rows = 3 * contacts
    if dense:
        directions = max(int(rank_share * rows), 1)
        jacobian = scipy.sparse.csr_array(rng.normal(size=(rows, directions)) / np.sqrt(directions))
    else:
        jacobian = neighbour_jacobian(rng, contacts, max(round(rank_share * rows / 6), 2))
    A = (jacobian @ jacobian.T).tocsr()
    A = A + scipy.sparse.diags_array(compliance * A.diagonal())
    root = np.sqrt(A.diagonal())
    reach = np.where(rng.random(contacts) < 0.15, 0.0, rng.uniform(0.0, 0.6, contacts))
    upper = np.column_stack([np.full(contacts, np.inf), reach, reach]).ravel() / root
    lower = np.where(np.isinf(upper), 0.0, -upper)
    gap = np.where(rng.random(contacts) < 0.3, rng.uniform(0.0, 0.2, contacts), 0.0)
    b = jacobian @ rng.normal(size=jacobian.shape[1])
    b[::3] += gap * root[::3]
    return MlcpProblem.from_matrix(A, b, lower, upper, f"random-friction-{rows}-{seed}")


def neighbour_jacobian(rng: np.random.Generator, contacts: int, bodies: int) -> scipy.sparse.csr_array:
    """J M^-1/2 (3 contacts, 6 bodies) of contacts between bodies close to each other in space, a tenth on the ground.

    Masses are from 0.1 to 10.
    """
    import scipy.sparse
    from scipy.spatial import KDTree

    place = rng.random((bodies, 3))
    near = KDTree(place).query(place, min(9, bodies))[1][:, 1:]
    first = rng.integers(0, bodies, contacts)
    second = near[first, rng.integers(0, near.shape[1], contacts)]
    second[rng.random(contacts) < 0.1] = -1
    mass = 10.0 ** rng.uniform(-1.0, 1.0, bodies)
    parts = []
    for body in (first, second):
        contact = np.flatnonzero(body >= 0)
        row = np.repeat(3 * contact[:, None] + np.arange(3), 6)
        column = np.repeat(6 * body[contact][:, None, None] + np.arange(6), 3, axis=1).ravel()
        entries = rng.normal(size=row.size) / np.sqrt(np.repeat(mass[body[contact]], 18))
        parts.append(scipy.sparse.csr_array((entries, (row, column)), shape=(3 * contacts, 6 * bodies)))
    return (parts[0] + parts[1]).tocsr()
