"""Problems that are kept can be read again, with where their solvers started."""

from __future__ import annotations

import numpy as np
import pytest

from taut import solvers
from taut.errors import InputError, SimulationError
from taut.problem.dump import ProblemFolder, SolvedProblem
from taut.problem.generators import random_box
from taut.problem.mlcp import MlcpProblem
from taut.problem.solution import WarmStart


def solved(size=8):
    problem = random_box(size).problem
    solution = solvers.get("bpp").solve(problem)
    start = WarmStart(np.zeros(size, np.int64), np.linspace(0.0, 1.0, size))
    return SolvedProblem(problem, start, solution.index_set)


def test_a_solved_problem_is_read_as_it_was_written(tmp_path):
    given = solved()
    given.save(tmp_path / "one.npz")
    found = SolvedProblem.load(tmp_path / "one.npz")
    assert found.problem.name == given.problem.name
    np.testing.assert_array_equal(found.index_set, given.index_set)
    np.testing.assert_array_equal(found.start.index_set, given.start.index_set)
    np.testing.assert_array_equal(found.start.lam, given.start.lam)
    alone = MlcpProblem.load(tmp_path / "one.npz")
    np.testing.assert_array_equal(alone.values, given.problem.values)
    np.testing.assert_array_equal(alone.bias, given.problem.bias)


def test_files_without_a_fitting_start_are_refused(tmp_path):
    given = solved()
    given.problem.save(tmp_path / "plain.npz")
    with pytest.raises(InputError, match="has no start_set; `taut run --dump-problems` writes it"):
        SolvedProblem.load(tmp_path / "plain.npz")
    given.problem.save(tmp_path / "short.npz", start_set=np.zeros(3), start_lam=np.zeros(3), index_set=np.zeros(3))
    with pytest.raises(InputError, match="its start does not have 8 rows"):
        SolvedProblem.load(tmp_path / "short.npz")


def test_a_folder_takes_problems_by_frame_and_must_be_empty(tmp_path):
    folder = ProblemFolder(tmp_path / "new" / "folder")
    for frame in (1, 12):
        folder(frame, solved())
    files = sorted(path.name for path in folder.folder.iterdir())
    assert files == ["frame-000001.npz", "frame-000012.npz"]
    with pytest.raises(InputError, match="is not empty; give one that is, or a new name"):
        ProblemFolder(folder.folder)
    with pytest.raises(InputError, match="cannot be made: "):
        ProblemFolder(folder.folder / files[0])
    folder.folder = tmp_path / "gone"
    with pytest.raises(SimulationError, match="frame-000002.npz' cannot be written: No such file"):
        folder(2, solved())
