"""Tables of a benchmark as CSV files, with what they were measured on above the columns."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from taut import benchmarks
from taut.errors import InputError


def make_folder(path: Path) -> None:
    """Make a folder for tables, unless it is there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"folder '{path}' cannot be made: {error.strerror}") from None


def write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write flat objects as a CSV file; lines that begin with # say which machine and versions."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            for key, value in benchmarks.machine().items():
                file.write(f"# {key}: {value}\n")
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    except OSError as error:
        raise InputError(f"table '{path}' cannot be written: {error.strerror}") from None
