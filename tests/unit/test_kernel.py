"""The kernel decorator and its cache, in small packages of their own and in fresh interpreters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fresh_python import run_python

import taut.kernel

CALLEE = """
from taut.kernel import kernel


@kernel("float64(float64)", inner=True)
def inner(x):
    return {factor} * x
"""

CALLER = """
from taut.callee_kernels import inner
from taut.kernel import kernel
from taut.numbers import SHIFT


@kernel("void(float64[::1], float64[::1])")
def outer(x, result_out):
    for i in range(x.size):
        result_out[i] = inner(x[i]) + SHIFT
"""

NUMBERS = """
from taut.more_numbers import HALF

SHIFT = 2 * HALF
"""

OTHER = """
from taut.kernel import kernel


@kernel("float64(float64)")
def other(x):
    return -x
"""

EVERYTHING = """
from taut.callee_kernels import inner
from taut.caller_kernels import outer
from taut.other_kernels import other
print(*(sum(each.stats.cache_hits.values()) for each in (inner, outer, other)))
"""

PROBE = """
import numpy as np
from taut import kernel
from taut.caller_kernels import outer
result = np.zeros(2)
outer(np.array([1.0, 2.0]), result)
hits = sum(outer.stats.cache_hits.values()) if hasattr(outer, "stats") else "plain"
print(*result, hits, kernel.cache_folder() is not None)
"""

KEEPS = """
from taut.kernel import kernel


@kernel("float64(float64[:, ::1])"{options})
def total(rows):
    sum = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]{copy}
        sum += row[0]
    return sum
"""

KEEPS_PROBE = """
import sys
import numpy as np
from taut.keeps_kernels import total
rows = np.ones((5, 2))
print(total(rows), sys.getrefcount(rows), "incref" in str(total.inspect_llvm(total.signatures[0])))
"""

WARM_UP = """
from taut import kernel
print(kernel.is_warm(), *kernel.compiled())
kernel.warm_up()
print(kernel.is_warm(), *kernel.compiled(), *kernel.compiled(without=("taut.caller", "taut.other")))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package named taut with the real decorator and three kernels, one calling another in another file."""
    folder = tmp_path / "source" / "taut"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    for name in ("kernel.py", "compiling.py"):
        shutil.copy(Path(taut.kernel.__file__).with_name(name), folder / name)
    (folder / "callee_kernels.py").write_text(CALLEE.format(factor=10.0))
    (folder / "caller_kernels.py").write_text(CALLER)
    (folder / "other_kernels.py").write_text(OTHER)
    (folder / "numbers.py").write_text(NUMBERS)
    (folder / "more_numbers.py").write_text("HALF = 0.5\n")
    return folder


def run(package: Path, code: str, cache: Path, **environment: str) -> list[str]:
    """Words printed by code that runs with that package."""
    libraries = [Path(folder) for folder in sys.path if folder.endswith("site-packages")]
    done: subprocess.CompletedProcess[str] = run_python(
        "-c", code, search=[package.parent, *libraries], TAUT_CACHE_DIR=str(cache), **environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_second_process_loads_from_the_cache(package: Path, tmp_path: Path) -> None:
    assert run(package, PROBE, tmp_path / "cache") == ["11.0", "21.0", "0", "True"]
    assert run(package, PROBE, tmp_path / "cache") == ["11.0", "21.0", "1", "True"]


def test_a_changed_callee_in_another_file_leaves_no_stale_caller(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert run(package, PROBE, cache)[:2] == ["11.0", "21.0"]
    (package / "callee_kernels.py").write_text(CALLEE.format(factor=20.0))
    assert run(package, PROBE, cache)[:2] == ["21.0", "41.0"]
    (package / "callee_kernels.py").write_text(CALLEE.format(factor=10.0))
    assert run(package, PROBE, cache)[:2] == ["11.0", "21.0"]


def test_changed_constants_leave_no_stale_kernel(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert run(package, PROBE, cache)[:2] == ["11.0", "21.0"]
    (package / "more_numbers.py").write_text("HALF = 1.5\n")  # it reaches the caller through another module
    assert run(package, PROBE, cache)[:2] == ["13.0", "23.0"]


@pytest.mark.parametrize(
    ("edited", "loaded"),
    [("callee_kernels.py", "0 0 1"), ("caller_kernels.py", "1 0 1"), ("other_kernels.py", "0 1 0"),
     ("more_numbers.py", "1 0 1"), ("kernel.py", "0 0 0"), ("aside.py", "0 1 1")],
)  # fmt: skip
def test_an_edit_recompiles_what_imports_it_and_nothing_else(
    package: Path, tmp_path: Path, edited: str, loaded: str
) -> None:
    """Of callee, caller and another; the callee has no entry from Python, and is loaded only to compile the caller."""
    cache = tmp_path / "cache"
    assert " ".join(run(package, EVERYTHING, cache)) == "0 0 0"
    with (package / edited).open("a") as file:
        file.write("# edited\n")
    assert " ".join(run(package, EVERYTHING, cache)) == loaded
    assert " ".join(run(package, EVERYTHING, cache)) == "0 1 1"


def test_checkouts_with_the_same_sources_share_what_was_compiled(package: Path, tmp_path: Path) -> None:
    run(package, EVERYTHING, tmp_path / "cache")
    copy = shutil.copytree(package.parent, tmp_path / "checkout") / "taut"
    (copy / "caller_kernels.py").touch()
    assert " ".join(run(copy, EVERYTHING, tmp_path / "cache")) == "0 1 1"


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_damaged_files_are_made_again(package: Path, tmp_path: Path, kind: str) -> None:
    cache = tmp_path / "cache"
    run(package, PROBE, cache)
    damaged = list(cache.rglob(f"*.{kind}"))
    assert len(damaged) == 2
    for file in damaged:
        file.write_bytes(b"no such thing")
    assert run(package, PROBE, cache)[:3] == ["11.0", "21.0", "0"]
    assert run(package, PROBE, cache)[:3] == ["11.0", "21.0", "1"]


def test_versions_that_are_not_used_are_removed(package: Path, tmp_path: Path) -> None:
    root = tmp_path / "cache" / "kernels"
    old = [root / f"taut.other_kernels-{i:016x}" for i in range(taut.kernel.KEPT_FOLDERS + 1)]
    for i, folder in enumerate(old):
        folder.mkdir(parents=True)
        os.utime(folder, (i, i))
    run(package, EVERYTHING, tmp_path / "cache")
    assert [folder for folder in old if not folder.exists()] == old[:2]
    assert len(list(root.glob("taut.other_kernels-*"))) == taut.kernel.KEPT_FOLDERS


def test_references_are_counted_where_arrays_are_made_only(package: Path, tmp_path: Path) -> None:
    for options, copy, counts in (("", "", "False"), (", allocates=True", ".copy()", "True")):
        (package / "keeps_kernels.py").write_text(KEEPS.format(options=options, copy=copy))
        assert run(package, KEEPS_PROBE, tmp_path / "cache") == ["5.0", "2", counts]


def test_an_inner_kernel_has_no_entry_from_python(package: Path, tmp_path: Path) -> None:
    code = "from taut.callee_kernels import inner\ntry: print(inner(1.0))\nexcept TypeError: print('refused')"
    for _ in ("compiled", "from the cache"):
        assert run(package, code, tmp_path / "cache") == ["refused"]
    assert run(package, code, tmp_path / "cache", NUMBA_DISABLE_JIT="1") == ["10.0"]


def test_compiling_leaves_garbage_collection_as_it_was(package: Path, tmp_path: Path) -> None:
    for before, expected in (("", "True"), ("gc.disable()", "False")):
        code = f"import gc\n{before}\nimport taut.caller_kernels\nprint(gc.isenabled())"
        assert run(package, code, tmp_path / "cache") == [expected]


def test_another_numba_compiles_as_it_does_by_itself(package: Path, tmp_path: Path) -> None:
    other = "import sys, taut.kernel\ntaut.kernel.QUICK_NUMBA = (0, 0)\n"
    assert run(package, f"{other}import taut.caller_kernels\nprint('taut.compiling' in sys.modules)", tmp_path) == [
        "False"
    ]
    assert run(package, f"{other}{PROBE}", tmp_path)[:1] == ["11.0"]


def test_without_a_writable_folder_kernels_compile_and_run(package: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert run(package, PROBE, tmp_path / "file" / "cache") == ["11.0", "21.0", "0", "False"]


def test_a_read_only_folder_is_not_written_to(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setenv("TAUT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(taut.kernel.tempfile, "TemporaryFile", refuse)
    taut.kernel.cache_folder.cache_clear()
    try:
        assert taut.kernel.cache_folder() is None
        assert not taut.kernel.is_warm()
    finally:
        taut.kernel.cache_folder.cache_clear()


def test_with_jit_disabled_kernels_are_plain_python(package: Path, tmp_path: Path) -> None:
    words = run(package, PROBE, tmp_path / "cache", NUMBA_DISABLE_JIT="1")
    assert words[:3] == ["11.0", "21.0", "plain"]


def test_warm_up_compiles_everything_once(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert " ".join(run(package, WARM_UP, cache)) == "False 0 3 True 3 3 1 1"
    assert run(package, PROBE, cache)[2] == "1"
    assert run(package, WARM_UP, cache)[0] == "True"
    (package / "callee_kernels.py").write_text(CALLEE.format(factor=30.0))
    assert " ".join(run(package, WARM_UP, cache)) == "False 1 3 True 3 3 1 1"
    (tmp_path / "file").write_text("")
    assert " ".join(run(package, WARM_UP, tmp_path / "file" / "cache")) == "False 0 3 False 3 3 1 1"


def test_only_marked_files_hold_kernels(package: Path, tmp_path: Path) -> None:
    code = "from taut import kernel; print(*kernel.kernel_modules())"
    (package / "more_kernels.py").write_text(CALLEE.format(factor=1.0))
    names = ["callee_kernels", "caller_kernels", "more_kernels", "other_kernels"]
    assert run(package, code, tmp_path) == [f"taut.{name}" for name in names]


def test_kernels_do_not_reorder_sums() -> None:
    from numba import float64, njit

    @njit(float64(float64[::1]), **taut.kernel.COMPILE_OPTIONS)
    def total(x):
        result = 0.0
        for i in range(x.size):
            result += x[i]
        return result

    x = np.random.default_rng(0).normal(size=1001) * np.logspace(-8, 8, 1001)
    expected = 0.0
    for value in x:
        expected += value
    assert total(x) == expected


APART = """
from taut.kernel import kernel


@kernel("float64(float64)", apart=True)
def doubled(x):
    return {factor} * x


@kernel("float64(float64)")
def plus_one(x):
    return doubled(x) + 1.0
"""


@pytest.mark.parametrize("environment", [{}, {"NUMBA_DISABLE_JIT": "1"}])
def test_a_kernel_apart_is_called_by_its_address_in_this_process_and_the_next(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    file = tmp_path / "apart_kernels.py"
    probe = "from apart_kernels import doubled, plus_one; print(doubled(2.0), plus_one(3.0))"
    search = [tmp_path, *map(Path, sys.path)]
    for factor, answers in (("2.0", ["4.0", "7.0"]), ("2.0", ["4.0", "7.0"]), ("5.0", ["10.0", "16.0"])):
        file.write_text(APART.format(factor=factor))
        done = run_python("-c", probe, search=search, TAUT_CACHE_DIR=str(tmp_path / "cache"), **environment)
        assert done.stdout.split() == answers, done.stderr


DEEP = """
import resource
from taut.kernel import kernel


def faults(depth):
    if depth > 0:
        return faults(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt

    @kernel("float64(float64[::1])")
    def total(x):
        sum = 0.0
        for i in range(x.size):
            sum += x[i]
        return sum

    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


faults(0)
counts = [faults(depth) for depth in range(0, 200, 2)]
print(min(counts), max(counts))
"""


def test_compiling_maps_no_memory_at_each_call_however_deep_it_begins(package: Path, tmp_path: Path) -> None:
    least, most = map(int, run(package, DEEP, tmp_path / "cache"))
    assert most < least + 1000
