"""A fresh interpreter that finds the package where this one found it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_python(
    *arguments: str, search: list[Path] | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``python arguments``; `search` replaces the import path, keywords are environment variables."""
    path = os.pathsep.join(str(folder) for folder in (search or sys.path))
    variables = os.environ | {"PYTHONPATH": path} | environment
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=variables, check=False, timeout=300
    )
