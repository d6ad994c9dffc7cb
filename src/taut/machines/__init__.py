"""Parts of machines, one file a part: every module here is imported and its parts are offered by class name."""

from __future__ import annotations

import importlib
import pkgutil

from taut.machines.base import BuiltPart, MachinePart, PartView, Reading
from taut.machines.engine import rpm

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")

globals().update(MachinePart.registry)

__all__ = ["MachinePart", "BuiltPart", "PartView", "Reading", "rpm", *sorted(MachinePart.registry)]  # noqa: PLE0604
