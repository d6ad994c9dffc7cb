"""Reading recordings: of every version, also while they grow, after a kill, and with what is damaged in them said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from taut.errors import InputError
from taut.results.drawing import Drawing
from taut.results.record_changing import CHANGING_VERSION, read_changing, with_all_fields
from taut.results.record_checksums import ATTRIBUTE, TABLE, crc, damaged
from taut.results.record_contacts import cut_to_shared_frames
from taut.results.record_era import Era
from taut.results.record_file import FORMAT, FORMAT_VERSION, Happening
from taut.results.record_info import Block, RecordingInfo
from taut.results.record_repair import closed_copy

READABLE_VERSIONS = (1, 2, FORMAT_VERSION, CHANGING_VERSION)
"""1 had no contacts, 2 no checksums."""
UNCHECKED_VERSION = 2
ENDINGS = (b"running", b"complete", b"interrupted", b"failed")
ANOTHER = "`taut run SCENE --record FILE` makes one"


def read_recording(path: Path) -> tuple[list[Era], list[Happening], str]:
    """Read a file: all frames by era, what happened in which frame, and how the run ended.

    A run that was killed may have flushed some arrays and not yet others: all are cut to the frames they share.
    """
    if not path.is_file():
        wrong = "is a folder" if path.is_dir() else "does not exist"
        raise InputError(f"recording '{path}' {wrong}; {ANOTHER}")
    try:
        with _open(path) as file:
            if file.attrs.get("format") != FORMAT or file.attrs.get("format_version") not in READABLE_VERSIONS:
                known = f"not a Taut recording of version {FORMAT_VERSION} or {CHANGING_VERSION}"
                raise InputError(f"recording '{path}' is HDF5 but {known}; {ANOTHER}")
            if "reports" not in file or not len(file["reports"]):
                raise InputError(f"recording '{path}' has no frames: its run ended before the first")
            if (ending := bytes(file["ending"][()])) not in ENDINGS:
                raise InputError(f"recording '{path}' is damaged: dataset 'ending' is not what was written")
            if file.attrs["format_version"] == CHANGING_VERSION:
                return *read_changing(file, path), ending.decode()
            return [_only_era(file, path)], [], ending.decode()
    except InputError:
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, msgspec.MsgspecError) as error:
        damaged = f"it is damaged, cut short or no recording; {ANOTHER}"
        reason = error.strerror if isinstance(error, PermissionError) else damaged
        raise InputError(f"recording '{path}' cannot be read: {reason}") from error


def _only_era(file: Any, path: Path) -> Era:
    """All frames of a recording whose bodies and joints stay."""
    block = {name: file[name][()] for name in _array_names(file)}
    drawn = {name: values[()] for name, values in file.get("drawing", {}).items()}
    if file.attrs["format_version"] > UNCHECKED_VERSION and (harm := next(_damage(file, block, drawn), None)):
        raise InputError(f"recording '{path}' is damaged: {harm} is not what was written")
    info = msgspec.json.decode(file.attrs["info"], type=RecordingInfo)
    block["reports"] = with_all_fields(block["reports"])
    return Era(info, Drawing.from_arrays(drawn) if drawn else None, block=cut_to_shared_frames(block))


def _array_names(file: Any) -> list[str]:
    names = [name for name in file if name not in ("ending", "contacts", "drawing", TABLE)]
    return names + [f"contacts/{name}" for name in file.get("contacts", ())]


def _damage(file: Any, block: Block, drawn: dict[str, np.ndarray]) -> Iterator[str]:
    """What in a file is not what was written, in words."""
    info = file.attrs["info"]
    if crc(info if isinstance(info, bytes) else info.encode(errors="replace")) != file.attrs[ATTRIBUTE]:
        yield "attribute 'info'"
    for name, values in drawn.items():
        if crc(values) != file["drawing"][name].attrs[ATTRIBUTE]:
            yield f"dataset 'drawing/{name}'"
    yield from damaged(block, file[TABLE][()], list(file[TABLE].attrs["arrays"]))


def _open(path: Path) -> Any:
    import h5py

    try:
        return h5py.File(path, "r")
    except OSError:
        if (copy := closed_copy(path)) is None:
            raise
        return h5py.File(copy, "r")
