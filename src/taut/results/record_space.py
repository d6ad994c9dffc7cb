"""Room on the disk for a recording, taken before HDF5 needs it.

HDF5 cannot go on after a write that failed: it tries again when the file is closed, and then crashes. So the room for
what comes next is taken first. Where there is none, the file is still whole, and can be closed.
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import tempfile
from pathlib import Path
from typing import Any

from taut.results.record_repair import END_AT, SIZE

FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
"""Errors that mean that there is no room: disk full, file at its largest size, quota used up."""


def take_room(handle: int, start: int, size: int, path: Path) -> None:
    """Have `size` bytes of an open file from `start` on allocated, what is there already being kept; OSError if full.

    Where a system cannot allocate, it is at least asked how much is free.
    """
    try:
        os.posix_fallocate(handle, start, size)
    except AttributeError:
        if shutil.disk_usage(path.parent).free < size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from None
    except OSError as error:
        if error.errno in FULL:
            raise


def check_room(path: Path, size: int) -> None:
    """Check that there is room for a new file of this size, without touching what is there; OSError if not."""
    try:
        with tempfile.TemporaryFile(dir=path.parent) as file:
            take_room(file.fileno(), 0, size, path)
    except OSError as error:
        if error.errno in FULL:  # whatever else is wrong, HDF5 will say
            raise


def give_back(path: Path) -> None:
    """Cut a closed file to the size that HDF5 made use of, as its superblock says."""
    with path.open("r+b") as file:
        (used,) = struct.unpack_from("<Q", file.read(SIZE), END_AT)
        if SIZE <= used < os.fstat(file.fileno()).st_size:
            file.truncate(used)


def reason_of(error: BaseException) -> str:
    """Why a file cannot be written, without what HDF5 adds over many lines."""
    number: Any = getattr(error, "errno", None)
    if number:
        return os.strerror(number)
    return str(error).partition("\n")[0].partition(" (")[0] or type(error).__name__
