"""Solvers of box MLCPs and the registry that finds them: a new solver is one new file here.

Importing this package imports neither Numba nor SciPy.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import numbers
import pkgutil
from typing import Any

from taut.errors import InputError
from taut.solvers.base import PivotingSolver

AUTO = "bpp"
"""The solver that "auto" stands for."""

LARGEST_OPTION = 2**62
"""What still fits the integers of kernels."""


@functools.cache
def classes() -> dict[str, type[PivotingSolver]]:
    """Name -> class of every solver, sorted by name."""
    found: dict[str, type[PivotingSolver]] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.ispkg or module.name.endswith("_kernels"):
            continue
        content = vars(importlib.import_module(f"{__name__}.{module.name}"))
        for thing in content.values():
            if inspect.isclass(thing) and issubclass(thing, PivotingSolver) and not inspect.isabstract(thing):
                found[thing.name] = thing
    return dict(sorted(found.items()))


def names() -> list[str]:
    """Names of all solvers, sorted."""
    return list(classes())


def all() -> list[PivotingSolver]:
    """Every solver with its default options, sorted by name."""
    return [get(name) for name in names()]


def get(name: str, **options: Any) -> PivotingSolver:
    """The solver of this name, with options of its own; "auto" is the best general one."""
    solver_class = classes().get(AUTO if name == "auto" else name) if isinstance(name, str) else None
    if solver_class is None:
        raise InputError(f"unknown solver {name!r}; valid are: {', '.join(['auto', *names()])}")
    if not options:
        return solver_class()
    valid = inspect.signature(solver_class).parameters
    for key, value in options.items():
        if key not in valid:
            allowed = ", ".join(valid) or "none"
            raise InputError(f"solver {solver_class.name!r} has no option {key!r}; its options are: {allowed}")
        if "bool" in str(valid[key].annotation):
            check_switch(solver_class.name, key, value, valid[key].default)
        elif isinstance(valid[key].default, str):
            check_text(solver_class.name, key, value)
        else:
            check_option(solver_class.name, key, value, whole=isinstance(valid[key].default, int))
    return solver_class(**options)


def has_parts(solver: PivotingSolver | str) -> bool:
    """Whether a solver, or the one of this name, divides problems into parts."""
    solver_class = classes().get(AUTO if solver == "auto" else solver) if isinstance(solver, str) else type(solver)
    return solver_class is not None and "partition" in inspect.signature(solver_class).parameters


def with_parts(owner: str, solver: PivotingSolver, partition: str | None, part_size: int | None) -> PivotingSolver:
    """A solver that divides problems as it is told, see `taut.problem.parts`; None is what the solver has already."""
    options = {"partition": partition, "part_size": part_size}
    given = {key: value for key, value in options.items() if value is not None}
    if not given:
        return solver
    for key, value in given.items():
        if not has_parts(solver):
            valid = ", ".join(filter(has_parts, names()))
            raise InputError(
                f"{owner}: {key} is {value!r:.80}, but solver {solver.name!r} has no parts; it must be one of: {valid}"
            )
    return dataclasses.replace(solver, **given)  # type: ignore[type-var]


def check_switch(solver: str, key: str, value: Any, default: bool | None) -> None:
    """Options that are switches are True or False, or None where the default is."""
    if not isinstance(value, bool) and not (value is None and default is None):
        wanted = "True, False or None" if default is None else "True or False"
        raise InputError(f"solver {solver!r}: {key} is {value!r:.80}; it must be {wanted}")


def check_text(solver: str, key: str, value: Any) -> None:
    """Options whose default is a text are texts; which ones are allowed, says who reads them."""
    if not isinstance(value, str):
        raise InputError(f"solver {solver!r}: {key} is {value!r:.80}; it must be a text")


def check_option(solver: str, key: str, value: Any, whole: bool) -> None:
    """Other options are numbers >= 0, whole ones where the default is."""
    fits = isinstance(value, numbers.Integral if whole else numbers.Real) and not isinstance(value, bool)
    if not fits or not 0 <= value <= LARGEST_OPTION:
        wanted = f"a {'whole' if whole else 'finite'} number >= 0"
        raise InputError(f"solver {solver!r}: {key} is {value!r:.80}; it must be {wanted}")
