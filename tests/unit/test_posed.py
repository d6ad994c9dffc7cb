"""Problems of bodies with given places and velocities ask for the forces that hold them, and slide where these do."""

from __future__ import annotations

import numpy as np
import pytest

from taut import solvers
from taut.problem.posed import STEP, WORLD, Posed


def test_a_body_that_hangs_pulls_with_its_weight() -> None:
    posed = Posed("bob", compliance=1e-9)
    bob = posed.body(3.0, (0.2, 0.2, 0.2), (0.0, 0.0, 1.0))
    posed.ball(WORLD, bob, (0.0, 0.0, 0.5))
    lam = solvers.get("bpp").solve(posed.problem()).lam
    np.testing.assert_allclose(lam / STEP, [0.0, 0.0, 3.0 * 9.81], atol=1e-3)


def test_the_matrix_is_that_of_the_textbook() -> None:
    posed = Posed("two", compliance=1e-7)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    first = posed.body(2.0, (1.0, 0.2, 0.1), (0.5, 0.0, 0.0))
    second = posed.body(3.0, (1.0, 0.2, 0.1), (1.0, 0.5, 0.0), turn)
    posed.ball(WORLD, first, (-0.5, 0.0, 0.0))
    posed.ball(first, second, (-0.5, 0.0, 0.0))
    inverse, jacobian = np.zeros((12, 12)), np.zeros((6, 12))
    for place, body in enumerate(posed.bodies[1:]):
        at = 6 * place
        inverse[at : at + 3, at : at + 3] = np.eye(3) / body.mass
        inverse[at + 3 : at + 6, at + 3 : at + 6] = body.rotation @ np.diag(1.0 / body.inertia) @ body.rotation.T
    for rows, body, arm, sign in (
        (0, 0, (-0.5, 0.0, 0.0), 1.0), (3, 0, (0.5, 0.0, 0.0), -1.0), (3, 1, (0.0, -0.5, 0.0), 1.0),
    ):  # fmt: skip
        cross = np.cross(np.eye(3), arm)  # u = v + w x r, so each row's turning part is r x e
        jacobian[rows : rows + 3, 6 * body : 6 * body + 3] = sign * np.eye(3)
        jacobian[rows : rows + 3, 6 * body + 3 : 6 * body + 6] = -sign * cross
    right = jacobian @ inverse @ jacobian.T + 1e-7 / STEP**2 * np.eye(6)
    np.testing.assert_allclose(posed.problem().sparse.toarray(), right, atol=1e-12)


def test_rows_slide_where_the_body_does() -> None:
    posed = Posed("block", compliance=1e-9)
    block = posed.body(2.0, (1.0, 1.0, 1.0), (0.0, 0.0, 0.5), velocity=(0.5, 0.0, 0.0))
    posed.touch(WORLD, block, (0.0, 0.0, -0.5), 2.0 * 9.81)
    posed.touch(WORLD, block, (0.0, 0.4, -0.5), 2.0 * 9.81, gap=0.01)
    problem = posed.problem()
    solution = solvers.get("bpp").solve(problem)
    slides = np.abs(problem.lower) > 0.0
    sliding = solution.index_set[:3][slides[:3]]
    assert np.count_nonzero(sliding) == 1  # along x, not along y
    assert solution.index_set[3] == -1 and solution.index_set[0] == 0  # the far point is off the ground
    assert solution.w[3] > 0.0 and solution.lam[0] == pytest.approx(2.0 * 9.81 * STEP, rel=0.5)
