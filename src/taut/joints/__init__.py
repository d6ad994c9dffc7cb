"""Joints, one file a kind: every module in this folder is imported and its joints are offered here by class name."""

from __future__ import annotations

import importlib
import pkgutil

from taut.joints.base import Drive, Joint, Motor
from taut.joints.route import attach, drum, pinhole, sheave

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")

globals().update(Joint.registry)

__all__ = ["Drive", "Joint", "Motor", "attach", "drum", "pinhole", "sheave", *sorted(Joint.registry)]  # noqa: PLE0604
