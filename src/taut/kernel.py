"""The one decorator for compiled code, and the cache behind it.

A kernel is a plain function over arrays, compiled by Numba for this machine with an explicit signature, or with one
that follows from its annotations, see `taut.tables`:

    @kernel("void(float64[::1], float64[::1])")
    def scale(x, out_out): ...

Compilation happens when the module that holds the kernel is imported, so modules with kernels are imported only by the
command that needs them. Compiled code is kept in one folder a module, named by the module and a hash of its source and
of all sources of the package that it imports, they in turn too. Editing a callee in another file therefore changes the
folders of its callers, so a stale caller can never be loaded; and of nothing else, so an edit costs what it touches.
Nothing in a folder depends on where the package lies: checkouts with the same sources share it. With no writable folder
the kernels compile without a cache; with ``NUMBA_DISABLE_JIT=1`` they run as plain Python.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGE_ROOT = Path(__file__).resolve().parent
KERNEL_MARK = "from taut.kernel import kernel\n"
"""The import line that marks a source file as holding kernels."""

DECORATION = "\n@kernel("
"""What stands before each kernel in such a file."""

IMPORT_LINE = re.compile(r"^(?:from +(taut[\w.]*) +import +(\([^)]*\)|.*)|import +(taut[\w.]*))", re.MULTILINE)
"""An import from the package that runs with the module, so one at the start of a line: module and names, or module."""

KEPT_FOLDERS = 6
"""How many versions of a module stay compiled, the last used ones: enough for a few checkouts and for going back."""

QUICK_NUMBA = (0, 68)
"""The Numba whose insides `taut.compiling` knows; another one compiles as it does by itself, which takes longer."""

LATE_IMPORTS = {"kernel.py": {"taut.compiling"}, "tables.py": {"taut.table_types"}}
"""What files at the top of the package import with the first kernel, and what its code depends on."""

READERS: list[Callable[[Callable[..., Any]], Any]] = []
"""What reads a signature off the annotations of a function: `taut.tables` puts itself here, as its classes are used."""

COMPILE_OPTIONS: dict[str, Any] = {
    "nogil": True, "error_model": "numpy", "fastmath": {"contract"}, "no_cfunc_wrapper": True, "_nrt": False,
}  # fmt: skip
"""Numba options of every kernel: fused multiply-add allowed, no other reordering, so the same bits on one machine.

No kernel is a callback of C code, so none gets an entry for it: it would cost compile time. Nor are references to
arrays counted, which would make every slice cost more than the arithmetic on it: callers keep what they pass.
"""


STACK_WORDS = 2**16
"""Room on Python's own stack that a compilation asks for, in words.

Python keeps frames in chunks of 16 KiB and gives one back as soon as it is empty. Where a call from a deep frame is the
first one in a chunk, it maps memory and gives it back, a hundred thousand times in a module. A frame that asks for 512
KiB gets a chunk of twice that size, and what it calls finds room in the rest.
"""


@functools.cache
def content(file: Path) -> bytes:
    """What is in a source file, read once."""
    return file.read_bytes()


@functools.cache
def digest_of(file: Path) -> bytes:
    """Hash of a source file and its name."""
    return hashlib.sha256(f"{module_name(file)}\n".encode() + content(file)).digest()


@functools.cache
def kernel_files() -> tuple[Path, ...]:
    """Source files of the package that hold kernels, in a fixed order."""
    files = sorted(PACKAGE_ROOT.rglob("*.py"))
    return tuple(file for file in files if KERNEL_MARK in file.read_text(encoding="utf-8"))


def module_name(file: Path) -> str:
    """Import name of a source file; the bare name of one outside the package."""
    if not file.is_relative_to(PACKAGE_ROOT):
        return file.stem
    return ".".join(("taut", *file.relative_to(PACKAGE_ROOT).with_suffix("").parts))


def kernel_modules(without: tuple[str, ...] = ()) -> list[str]:
    """Import names of the modules that hold kernels, but for those with these beginnings."""
    return [module_name(file) for file in _chosen(without)]


def _chosen(without: tuple[str, ...]) -> list[Path]:
    return [file for file in kernel_files() if not module_name(file).startswith(without)]


@functools.cache
def imported_files(file: Path) -> frozenset[Path]:
    """Source files of the package that run when this one is imported, by its own import lines.

    Kernels take callees, constants and classes of their arguments from there. Imports inside functions do not count:
    they cannot change what a name at the top of a module means.
    """
    names: set[str] = set()
    for package, listed, module in IMPORT_LINE.findall(content(file).decode()):
        base = package or module
        names |= {base, *(f"{base}.{name}" for name in re.findall(r"\w+", listed))}
    if file.parent == PACKAGE_ROOT:
        names |= LATE_IMPORTS.get(file.name, set())
    places = [PACKAGE_ROOT.joinpath(*name.split(".")[1:]) for name in names]
    candidates = [each for place in places for each in (place.with_suffix(".py"), place / "__init__.py")]
    return frozenset(each for each in candidates if each.is_file())


@functools.cache
def sources(file: Path) -> frozenset[Path]:
    """The file, the files that it imports, the files that they import, and so on."""
    found: set[Path] = set()
    pending = {file}
    while pending:
        found |= pending
        pending = {each for one in pending for each in imported_files(one)} - found
    return frozenset(found)


@functools.cache
def source_hash(file: Path) -> str:
    """Hash of what the kernels of a file are compiled from: its sources, the Python and the Numba version."""
    import numba

    digest = hashlib.sha256(f"{sys.version_info[:2]} {numba.__version__}".encode())
    for each in sorted(map(digest_of, sources(file))):
        digest.update(each)
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Folder of all that is cached: ``TAUT_CACHE_DIR``, else the user's cache folder."""
    if override := os.environ.get("TAUT_CACHE_DIR"):
        return Path(override)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "taut"


@functools.cache
def cache_folder() -> Path | None:
    """Folder of all compiled kernels, or None where nothing can be written."""
    folder = cache_root() / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return None


def module_folder(root: Path, file: Path) -> Path:
    """Folder in `root` for the compiled kernels of exactly this file with exactly these imports."""
    return root / f"{module_name(file)}-{source_hash(file)}"


@functools.cache
def folder_in_use(root: Path, file: Path) -> Path:
    """The same, noted as the last used one; versions of the module that were not used for long are removed."""
    folder = module_folder(root, file)
    with contextlib.suppress(OSError):  # not to be able to tidy up is no reason to stop
        folder.mkdir(exist_ok=True)
        os.utime(folder)
        versions = sorted(root.glob(f"{module_name(file)}-*"), key=lambda each: each.stat().st_mtime, reverse=True)
        for old in versions[KEPT_FOLDERS:]:
            shutil.rmtree(old, ignore_errors=True)
    return folder


def is_warm(without: tuple[str, ...] = ()) -> bool:
    """Whether exactly these sources have been compiled on this machine, but for modules with these beginnings."""
    return all(map(is_compiled, _chosen(without)))


def is_compiled(file: Path) -> bool:
    """Whether all kernels of a file, as it is now with all that it imports, have been compiled on this machine."""
    return (root := cache_folder()) is not None and _compiled_in(root, file) == _count(file)


def _compiled_in(root: Path, file: Path) -> int:
    """Kernels of a file that have been compiled: Numba writes an index file, MODULE.FUNCTION-LINE.nbi, for each."""
    return min(len(list(module_folder(root, file).glob("*.nbi"))), _count(file))


def _count(file: Path) -> int:
    """Kernels of a file that are compiled when it is imported."""
    return file.read_text(encoding="utf-8").count(DECORATION)


def _compiler() -> tuple[dict[str, Any], Callable[[], contextlib.AbstractContextManager[None]]]:
    """Which compiler of Numba kernels have, and what holds while it works, see `taut.compiling`."""
    import numba

    if numba.version_info.short != QUICK_NUMBA:
        return {}, contextlib.nullcontext
    from taut.compiling import KernelCompiler, quickly

    return {"pipeline_class": KernelCompiler}, quickly


def kernel(
    signature: str | None = None, *, inner: bool = False, apart: bool = False, allocates: bool = False
) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function with this Numba signature, cached where a cache can be written.

    Args:
        signature: Numba signature such as ``"void(float64[:, ::1], int64)"``; None = as its arguments are annotated,
            see `taut.tables`.
        inner: Whether only other kernels call the function. It then gets no entry from Python, which saves compile
            time; a call from Python raises TypeError (but not with ``NUMBA_DISABLE_JIT=1``).
        apart: Whether kernels that call it call it by its address. Otherwise its code becomes a part of theirs and is
            compiled again with each of them, which for the stages of a frame would take a minute.
        allocates: Whether it makes arrays. Then references are counted in it, so slices do not belong into its loops.
    """

    def compile_function(function: Callable[..., Any]) -> Any:
        import numba

        if numba.config.DISABLE_JIT:
            return function
        pipeline, quickly = _compiler()
        options = COMPILE_OPTIONS | pipeline | {"no_cpython_wrapper": inner, "_nrt": allocates}
        compiled = numba.njit(**options)(function)
        if cache_folder() is not None and os.path.isfile(function.__code__.co_filename):  # else typed at a prompt
            compiled._cache = _cache_class()(function)

        def compile_now() -> None:
            with quickly():
                compiled.compile(signature or READERS[-1](function))
            compiled.disable_compile()

        compile_now.__code__ = compile_now.__code__.replace(co_stacksize=STACK_WORDS)
        if inner:
            _compile_with_callers(compiled, compile_now)
            return compiled
        compile_now()
        return _called_by_address(compiled) if apart else compiled

    return compile_function


def _called_by_address(compiled: Any) -> Any:
    """A compiled function as other kernels call it by its address, under a name that stays the same in all processes.

    From Python it is called as it is.
    """
    from numba.core import cgutils
    from numba.core.codegen import ll
    from numba.core.extending import _Intrinsic

    (result,) = compiled.overloads.values()
    function, kind = compiled.py_func, result.signature
    symbol = f"{function.__module__}.{function.__name__}"
    ll.add_symbol(symbol, result.library.get_pointer_to_function(result.fndesc.llvm_func_name))

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        convention = target.call_conv
        type_ = convention.get_function_type(signature.return_type, signature.args)
        callee = cgutils.get_or_insert_function(builder.module, type_, symbol)
        status, value = convention.call_function(builder, callee, signature.return_type, signature.args, arguments)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return value

    class Apart(_Intrinsic):  # type: ignore[misc]
        """A kernel that others call by its address."""

        __call__ = staticmethod(compiled)

    names = ", ".join(inspect.signature(function).parameters)
    space: dict[str, Any] = {"kind": kind, "generate": generate}
    exec(f"def call(context, {names}):\n    return kind, generate\n", space)
    apart = Apart(function.__name__, space["call"])
    apart._register()
    apart.py_func = function
    return apart


def _compile_with_callers(compiled: Any, compile_now: Callable[[], None]) -> None:
    """Let a kernel without an entry from Python wait until a caller is compiled.

    What was compiled before holds the code of its callees, so most processes need none of them.
    """
    find = compiled.get_call_template

    def find_compiled(arguments: Any, keywords: Any) -> Any:
        if not compiled.signatures:
            compile_now()
            compiled._clear()  # forgets the entry, which points nowhere; callers that are kernels do not use it
        return find(arguments, keywords)

    def refuse(*arguments: Any, **keywords: Any) -> Any:
        raise TypeError(f"{compiled.py_func.__name__} has no entry from Python: only kernels call it")

    compiled.get_call_template, compiled._compile_for_args = find_compiled, refuse


@functools.cache
def _cache_class() -> Any:
    """Numba's cache of a function, told where to keep its files; what cannot be read or written is left alone."""
    from numba.core import caching

    class Place(caching._CacheLocator):
        """The folder of the function's file. Its name holds the key, so that Numba needs no stamp of its own."""

        def __init__(self, function: Callable[..., Any], file: str) -> None:
            root = cache_folder()
            assert root is not None
            self._py_file = file  # Numba names it in its warnings
            self._folder = folder_in_use(root, Path(file).resolve())
            self._line = function.__code__.co_firstlineno

        @classmethod
        def from_function(cls, function: Callable[..., Any], file: str) -> Place:
            return cls(function, file)

        def get_cache_path(self) -> str:
            return str(self._folder)

        def get_source_stamp(self) -> str:
            return ""

        def get_disambiguator(self) -> str:
            return str(self._line)

    class Results(caching.CompileResultCacheImpl):
        _locator_classes = [Place]

    class KernelCache(caching.FunctionCache):
        _impl_class = Results

        def load_overload(self, *call: Any) -> Any:
            try:
                return super().load_overload(*call)
            except Exception:  # damaged files can raise anything: they are thrown away and made again
                shutil.rmtree(self.cache_path, ignore_errors=True)
                return None

        def save_overload(self, *call: Any) -> None:
            with contextlib.suppress(OSError):  # a full disk, or a folder that was just removed: the code still runs
                super().save_overload(*call)

        def _index_key(self, signature: Any, codegen: Any) -> Any:
            # names, no types: another version of the package may not have their classes, and could not read the index
            _, *rest = super()._index_key(signature, codegen)
            return str(signature), *rest

    return KernelCache


def compiled(without: tuple[str, ...] = ()) -> tuple[int, int]:
    """How many kernels have been compiled, and how many there are, but for modules with these beginnings.

    Without a cache the modules that this process has begun to import are counted.
    """
    files, root = _chosen(without), cache_folder()
    begun = (_count(file) if module_name(file) in sys.modules else 0 for file in files)
    done = begun if root is None else (_compiled_in(root, file) for file in files)
    return sum(done), sum(map(_count, files))


def warm_up(without: tuple[str, ...] = ()) -> None:
    """Import, and so compile, the kernel modules but for those with these beginnings.

    A second process starts from the other end of what is missing: the cache is shared, so the two meet in the middle.
    """
    missing = [module_name(file) for file in _chosen(without) if not is_compiled(file)]
    helper = None
    if missing and cache_folder() is not None and (os.cpu_count() or 1) > 1:
        code = "import importlib, sys\nfor name in sys.argv[:0:-1]: importlib.import_module(name)"
        path = os.pathsep.join([str(PACKAGE_ROOT.parent), *filter(None, sys.path)])
        helper = subprocess.Popen(
            [sys.executable, "-c", code, *missing], env=os.environ | {"PYTHONPATH": path},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    try:
        for module in kernel_modules(without):
            importlib.import_module(module)
    finally:
        if helper is not None:
            helper.terminate()
            helper.wait()
