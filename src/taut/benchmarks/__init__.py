"""Benchmarks: one file each, with a docstring and ``run() -> rows``; a new file is found by itself.

A row is a flat dict, one line of the printed table; rows with a ``part`` make a table of their own for each part. What
``run`` takes by name are options of the command: ``quick``, ``out``, ``problems``, ``scenes`` and ``frames``. Times are
those of repeated calls on this machine; each benchmark says whether the median or the least. Files whose names begin
with an underscore are parts of benchmarks.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import platform
import sys
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol, cast

from taut import checks
from taut.errors import InputError


class Benchmark(Protocol):
    """What a benchmark module offers."""

    __doc__: str | None

    def run(self, **options: Any) -> list[dict[str, Any]]:
        """Measure; one flat object a table row."""
        ...


def names() -> list[str]:
    """Names of all benchmarks: their files, with hyphens."""
    modules = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name.replace("_", "-") for name in modules if not name.startswith("_"))


def get(name: str) -> Benchmark:
    """A benchmark by name; a wrong name lists the valid ones."""
    module = checks.known("bench", "benchmark", name.replace("_", "-"), names()).replace("-", "_")
    return cast(Benchmark, importlib.import_module(f"taut.benchmarks.{module}"))


def check_options(name: str, benchmark: Benchmark, given: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, of those that commands may have; one that the benchmark does not take is refused."""
    options = {key: value for key, value in given.items() if value is not None and value is not False}
    valid = inspect.signature(benchmark.run).parameters
    for key in options:
        if key not in valid:
            known = ", ".join(f"--{each}" for each in valid) or "none"
            raise InputError(f"bench: {name} has no option --{key}; its options are: {known}")
    return options


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "system": platform.platform(terse=True),
        "python": sys.version.split()[0],
        **{package: metadata.version(package) for package in ("numpy", "scipy", "numba")},
    }


def _cpu_name() -> str:
    """Processor name as the system gives it (only Linux says more than the architecture)."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
