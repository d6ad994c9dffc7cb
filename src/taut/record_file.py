"""Recordings on disk: HDF5, appended in chunks by a single writer, readable by others while it grows and after a kill.

Layout: attributes with what is recorded; ``reports`` (frames,) a table of step reports; ``positions`` and the other
float64 arrays (frames, bodies or joints, ...); ``ending`` how the run ended ("running" until it is closed).
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from taut.errors import InputError
from taut.record import CHUNK_FRAMES, Block, RecordingInfo
from taut.record_repair import closed_copy
from taut.report import STAGES

FORMAT = "taut-recording"
FORMAT_VERSION = 1
ENDING_DTYPE = "S16"


class RecordingFile:
    """The writer of one recording file.

    The file is switched to single-writer-multiple-reader mode, in which HDF5 orders its writes so that the file is
    consistent at every moment: a kill in the middle of a flush does not corrupt it.
    """

    def __init__(self, path: Path, info: RecordingInfo) -> None:
        """Create the file; InputError where it cannot be written."""
        import h5py

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = h5py.File(path, "w", libver="latest")
        except OSError as error:
            raise InputError(f"recording '{path}' cannot be written: {_reason(error)}") from error
        self._file.attrs.update(_attributes(info))
        self._file.create_dataset("ending", data=np.array(b"running", ENDING_DTYPE))
        self._written = 0

    def append(self, block: Block) -> None:
        """Append frames and flush them to disk."""
        if not self._file.swmr_mode:
            self._create_datasets(block)
        start, stop = self._written, self._written + len(block["reports"])
        for name, values in block.items():
            dataset = self._file[name]
            dataset.resize(stop, axis=0)
            dataset[start:] = values
            dataset.flush()
        self._written = stop

    def close(self, ending: str) -> None:
        """Note how the run ended and close the file."""
        self._file["ending"][()] = np.array(ending.encode(), ENDING_DTYPE)
        self._file.close()

    def _create_datasets(self, block: Block) -> None:
        for name, values in block.items():
            shape = values.shape[1:]
            chunks = (CHUNK_FRAMES, *(max(1, size) for size in shape))
            self._file.create_dataset(name, (0, *shape), values.dtype, maxshape=(None, *shape), chunks=chunks)
        self._file.swmr_mode = True


def read_recording(path: Path) -> tuple[RecordingInfo, Block, str]:
    """Read a file: what is recorded, all frames, and how the run ended.

    A run that was killed may have flushed some arrays and not yet others: all are cut to the frames they share.
    """
    if not path.is_file():
        raise InputError(f"recording '{path}' does not exist")
    try:
        with _open(path) as file:
            if file.attrs.get("format") != FORMAT or file.attrs.get("format_version") != FORMAT_VERSION:
                raise InputError(f"recording '{path}' is HDF5 but not a Taut recording of version {FORMAT_VERSION}")
            if "reports" not in file or not len(file["reports"]):
                raise InputError(f"recording '{path}' has no frames: its run ended before the first")
            info = msgspec.json.decode(file.attrs["info"], type=RecordingInfo)
            block = {name: dataset[()] for name, dataset in file.items() if name != "ending"}
            ending = file["ending"][()].decode()
    except InputError:
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, msgspec.MsgspecError) as error:
        raise InputError(f"recording '{path}' cannot be read: {_reason(error)}") from error
    frames = min(len(values) for values in block.values())
    return info, {name: values[:frames] for name, values in block.items()}, ending


def _open(path: Path) -> Any:
    import h5py

    try:
        return h5py.File(path, "r")
    except OSError:
        if (copy := closed_copy(path)) is None:
            raise
        return h5py.File(copy, "r")


def taut_version() -> str:
    """Version of the installed package, "unknown" when it runs from a bare source tree."""
    try:
        return metadata.version("taut")
    except metadata.PackageNotFoundError:
        return "unknown"


def _attributes(info: RecordingInfo) -> dict[str, Any]:
    readable = {"scene": info.scene, "step": info.step, "solver": info.solver, "integrator": info.integrator}
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "taut_version": taut_version(),
        "stages": list(STAGES),
        "info": msgspec.json.encode(info, enc_hook=_plain).decode(),
        **readable,
        "coordinates": info.coordinates,
    }


def _plain(value: Any) -> Any:
    """Scene parameters may be NumPy scalars or arrays."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _reason(error: Exception) -> str:
    text = str(error).splitlines()[0] if str(error) else type(error).__name__
    return getattr(error, "strerror", None) or text
