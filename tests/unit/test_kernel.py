"""The kernel decorator and its cache, in small packages of their own and in fresh interpreters."""

from __future__ import annotations

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


@kernel("void(float64[::1], float64[::1])")
def outer(x, result_out):
    for i in range(x.size):
        result_out[i] = inner(x[i]) + 1.0
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

WARM_UP = """
from taut import kernel
print(kernel.is_warm(), *kernel.compiled())
kernel.warm_up()
print(kernel.is_warm(), *kernel.compiled(), *kernel.compiled(without=("taut.caller",)))
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package named taut with the real decorator and two kernels, one calling the other in another file."""
    folder = tmp_path / "source" / "taut"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    shutil.copy(taut.kernel.__file__, folder / "kernel.py")
    (folder / "callee_kernels.py").write_text(CALLEE.format(factor=10.0))
    (folder / "caller_kernels.py").write_text(CALLER)
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


def test_an_inner_kernel_has_no_entry_from_python(package: Path, tmp_path: Path) -> None:
    code = "from taut.callee_kernels import inner\ntry: print(inner(1.0))\nexcept TypeError: print('refused')"
    for _ in ("compiled", "from the cache"):
        assert run(package, code, tmp_path / "cache") == ["refused"]
    assert run(package, code, tmp_path / "cache", NUMBA_DISABLE_JIT="1") == ["10.0"]


def test_compiling_leaves_garbage_collection_as_it_was(package: Path, tmp_path: Path) -> None:
    for before, expected in (("", "True"), ("gc.disable()", "False")):
        code = f"import gc\n{before}\nimport taut.caller_kernels\nprint(gc.isenabled())"
        assert run(package, code, tmp_path / "cache") == [expected]


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
    assert " ".join(run(package, WARM_UP, cache)) == "False 0 2 True 2 2 1 1"
    assert run(package, PROBE, cache)[2] == "1"
    assert run(package, WARM_UP, cache)[0] == "True"
    (package / "callee_kernels.py").write_text(CALLEE.format(factor=30.0))
    assert run(package, WARM_UP, cache)[0] == "False"
    (tmp_path / "file").write_text("")
    assert " ".join(run(package, WARM_UP, tmp_path / "file" / "cache")) == "False 0 2 False 2 2 1 1"


def test_only_marked_files_are_part_of_the_key(package: Path, tmp_path: Path) -> None:
    code = "from taut import kernel; print(kernel.source_hash(), *kernel.kernel_modules())"
    before = run(package, code, tmp_path)
    (package / "plain.py").write_text("x = 1\n")
    assert run(package, code, tmp_path) == before
    assert before[1:] == ["taut.callee_kernels", "taut.caller_kernels"]
    (package / "more_kernels.py").write_text(CALLEE.format(factor=1.0))
    assert run(package, code, tmp_path)[0] != before[0]


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
