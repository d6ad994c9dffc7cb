"""The one decorator for compiled code, and the cache behind it.

A kernel is a plain function over flat arrays, compiled by Numba for this machine with an explicit signature:

    @kernel("void(float64[::1], float64[::1])")
    def scale(x, out_out): ...

Compilation happens when the module that holds the kernel is imported, so modules with kernels are imported only by the
command that needs them. Compiled code is kept in a folder named by a hash of *all* kernel sources: editing a callee in
another file changes the folder, so a stale caller can never be loaded. With no writable folder the kernels compile
without a cache; with ``NUMBA_DISABLE_JIT=1`` they run as plain Python.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import hashlib
import importlib
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PACKAGE_ROOT = Path(__file__).resolve().parent
LEFT_OUT = "-without-"
"""Goes before each beginning of module names in the mark of a warm-up that left them out."""

KERNEL_MARK = "from taut.kernel import kernel\n"
"""The import line that marks a source file as holding kernels."""

DECORATION = "\n@kernel("
"""What stands before each kernel in such a file."""

COMPILE_OPTIONS: dict[str, Any] = {
    "nogil": True, "error_model": "numpy", "fastmath": {"contract"}, "no_cfunc_wrapper": True,
}  # fmt: skip
"""Numba options of every kernel: fused multiply-add allowed, no other reordering, so the same bits on one machine.

No kernel is a callback of C code, so none gets an entry for it: it would cost compile time.
"""


def kernel_files() -> list[Path]:
    """Source files of the package that hold kernels, in a fixed order."""
    files = sorted(PACKAGE_ROOT.rglob("*.py"))
    return [file for file in files if KERNEL_MARK in file.read_text(encoding="utf-8")]


def module_name(file: Path) -> str:
    """Import name of a source file."""
    return ".".join(("taut", *file.relative_to(PACKAGE_ROOT).with_suffix("").parts))


def kernel_modules(without: tuple[str, ...] = ()) -> list[str]:
    """Import names of the modules that hold kernels, but for those with these beginnings."""
    return [name for name in map(module_name, kernel_files()) if not name.startswith(without)]


@functools.cache
def source_hash() -> str:
    """Hash of all kernel sources, this file, the Python and the Numba version: the key of the cache folder."""
    import numba

    digest = hashlib.sha256(f"{sys.version_info[:2]} {numba.__version__}".encode())
    for file in [Path(__file__), *kernel_files()]:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Folder of all kernel caches: ``TAUT_CACHE_DIR``, else the user's cache folder."""
    if override := os.environ.get("TAUT_CACHE_DIR"):
        return Path(override)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "taut"


@functools.cache
def cache_folder() -> Path | None:
    """Folder for the compiled kernels of exactly these sources, or None where nothing can be written."""
    folder = cache_root() / f"kernels-{source_hash()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def is_warm(without: tuple[str, ...] = ()) -> bool:
    """Whether exactly these sources have been compiled on this machine, but for modules with these beginnings."""
    folder = cache_folder()
    if folder is None:
        return False
    return any(set(mark.name.split(LEFT_OUT)[1:]) <= set(without) for mark in folder.glob("warm*"))


def mark_of(without: tuple[str, ...]) -> str:
    """Name of the file that marks a completed warm-up."""
    return LEFT_OUT.join(("warm", *without))


@contextlib.contextmanager
def _collecting_garbage_later() -> Iterator[None]:
    """Put garbage collection off: one compilation makes so many objects that a tenth of its time would go there."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def kernel(
    signature: str | None = None, *, inner: bool = False, lazy: bool = False
) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function with this Numba signature, cached where a cache can be written.

    Args:
        signature: Numba signature such as ``"void(float64[:, ::1], int64)"``; None = as its arguments are annotated,
            see `taut.tables`.
        inner: Whether only other kernels call the function. It then gets no entry from Python, which saves compile
            time; a call from Python raises TypeError (but not with ``NUMBA_DISABLE_JIT=1``).
        lazy: Whether it is compiled for each type of argument that it is called with, at the first call.
    """

    def compile_function(function: Callable[..., Any]) -> Any:
        import numba

        with _collecting_garbage_later():
            types = signature if signature or lazy else _annotated_signature(function)
            compiled = _compile(function, types, {**COMPILE_OPTIONS, "no_cpython_wrapper": inner})
        if inner and not numba.config.DISABLE_JIT:
            compiled._clear()  # forgets the entry, which points nowhere; callers that are kernels do not use it
        return compiled

    return compile_function


def _annotated_signature(function: Callable[..., Any]) -> Any:
    from taut.tables import signature_of

    return signature_of(function)


def _compile(function: Callable[..., Any], signature: Any, options: dict[str, Any]) -> Any:
    import numba

    folder = cache_folder()
    if folder is None or numba.config.DISABLE_JIT:
        return numba.njit(signature, **options)(function)
    previous = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        return numba.njit(signature, cache=True, **options)(function)
    except (pickle.UnpicklingError, EOFError, OSError):  # a damaged cache is thrown away and made again
        shutil.rmtree(folder, ignore_errors=True)
        return numba.njit(signature, **options)(function)
    finally:
        numba.config.CACHE_DIR = previous


def compiled(without: tuple[str, ...] = ()) -> tuple[int, int]:
    """How many kernels have been compiled, and how many there are, but for modules with these beginnings.

    Numba writes an index file, FOLDER_HASH/MODULE.FUNCTION-LINE.nbi, when a kernel is done. Without a cache the modules
    that this process has begun to import are counted.
    """
    files = [file for file in kernel_files() if not module_name(file).startswith(without)]
    counts = {file: file.read_text(encoding="utf-8").count(DECORATION) for file in files}
    folder = cache_folder()
    if folder is None:
        done = sum(count for file, count in counts.items() if module_name(file) in sys.modules)
    else:
        chosen = {(file.parent.name, file.stem) for file in files}
        found = [(each.parent.name.rpartition("_")[0], each.name.partition(".")[0]) for each in folder.rglob("*.nbi")]
        done = sum(each in chosen for each in found)
    return done, sum(counts.values())


def warm_up(without: tuple[str, ...] = ()) -> None:
    """Import, and so compile, the kernel modules but for those with these beginnings.

    A second process starts from the other end of the list: the cache is shared, so the two meet in the middle.
    """
    modules = kernel_modules(without)
    folder = cache_folder()
    helper = None
    if folder is not None and not is_warm(without) and (os.cpu_count() or 1) > 1:
        code = "import importlib, sys\nfor name in sys.argv[:0:-1]: importlib.import_module(name)"
        path = os.pathsep.join([str(PACKAGE_ROOT.parent), *filter(None, sys.path)])
        helper = subprocess.Popen(
            [sys.executable, "-c", code, *modules], env=os.environ | {"PYTHONPATH": path},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        for module in modules:
            importlib.import_module(module)
    finally:
        if helper is not None:
            helper.terminate()
            helper.wait()
    if folder is not None:
        (folder / mark_of(without)).touch()
