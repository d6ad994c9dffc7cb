"""Recordings on disk: HDF5, appended in chunks by a single writer, readable by others while it grows and after a kill.

Layout: attributes with what is recorded; ``reports`` (frames,) a table of step reports; ``positions`` and the other
float64 arrays (frames, bodies or joints, ...); ``contacts`` a group of arrays where bodies can touch, see
`taut.record_contacts`; ``drawing`` a group with what the bodies look like, see `taut.drawing`; ``ending`` how the run
ended ("running" until it is closed).
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from taut.drawing import Drawing
from taut.errors import InputError
from taut.record import CHUNK_FRAMES, Block, RecordingInfo
from taut.record_contacts import POINT_NAMES, cut_to_shared_frames
from taut.record_repair import closed_copy
from taut.report import REPORT_DTYPE, STAGES

FORMAT = "taut-recording"
FORMAT_VERSION = 2
READABLE_VERSIONS = (1, 2)
"""1 had no contacts."""
CHUNK_POINTS = 2048
"""Contact points in a chunk of the file."""
ENDING_DTYPE = "S16"
ANOTHER = "`taut run SCENE --record FILE` makes one"


class RecordingFile:
    """The writer of one recording file.

    The file is switched to single-writer-multiple-reader mode, in which HDF5 orders its writes so that the file is
    consistent at every moment: a kill in the middle of a flush does not corrupt it.
    """

    def __init__(self, path: Path, info: RecordingInfo, drawing: Drawing | None = None) -> None:
        """Create the file; InputError where it cannot be written."""
        import h5py

        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = h5py.File(path, "w", libver="latest")
        except OSError as error:
            raise InputError(f"recording '{path}' cannot be written: {_reason(error)}") from error
        self._file.attrs.update(_attributes(info))
        self._file.create_dataset("ending", data=np.array(b"running", ENDING_DTYPE))
        for name, values in drawing.arrays().items() if drawing is not None else ():
            self._file.create_dataset(f"drawing/{name}", data=values)

    def append(self, block: Block) -> None:
        """Append frames and flush them to disk."""
        if not self._file.swmr_mode:
            self._create_datasets(block)
        for name, values in block.items():
            dataset = self._file[name]
            start = len(dataset)
            dataset.resize(start + len(values), axis=0)
            dataset[start:] = values
            dataset.flush()

    def close(self, ending: str) -> None:
        """Note how the run ended and close the file."""
        self._file["ending"][()] = np.array(ending.encode(), ENDING_DTYPE)
        self._file.close()

    def _create_datasets(self, block: Block) -> None:
        for name, values in block.items():
            shape = values.shape[1:]
            length = CHUNK_POINTS if name in POINT_NAMES else CHUNK_FRAMES
            chunks = (length, *(max(1, size) for size in shape))
            self._file.create_dataset(name, (0, *shape), values.dtype, maxshape=(None, *shape), chunks=chunks)
        self._file.swmr_mode = True


def read_recording(path: Path) -> tuple[RecordingInfo, Block, str, Drawing | None]:
    """Read a file: what is recorded, all frames, how the run ended, and what the bodies look like if it is there.

    A run that was killed may have flushed some arrays and not yet others: all are cut to the frames they share.
    """
    if not path.is_file():
        wrong = "is a folder" if path.is_dir() else "does not exist"
        raise InputError(f"recording '{path}' {wrong}; {ANOTHER}")
    try:
        with _open(path) as file:
            if file.attrs.get("format") != FORMAT or file.attrs.get("format_version") not in READABLE_VERSIONS:
                known = f"not a Taut recording of version {FORMAT_VERSION}"
                raise InputError(f"recording '{path}' is HDF5 but {known}; {ANOTHER}")
            if "reports" not in file or not len(file["reports"]):
                raise InputError(f"recording '{path}' has no frames: its run ended before the first")
            info = msgspec.json.decode(file.attrs["info"], type=RecordingInfo)
            block = {name: file[name][()] for name in _array_names(file)}
            ending = file["ending"][()].decode()
            drawn = {name: values[()] for name, values in file.get("drawing", {}).items()}
            drawing = Drawing.from_arrays(drawn) if drawn else None
    except InputError:
        raise
    except (OSError, KeyError, ValueError, TypeError, RuntimeError, msgspec.MsgspecError) as error:
        damaged = f"it is damaged, cut short or no recording; {ANOTHER}"
        reason = error.strerror if isinstance(error, PermissionError) else damaged
        raise InputError(f"recording '{path}' cannot be read: {reason}") from error
    block["reports"] = _with_all_fields(block["reports"])
    return info, cut_to_shared_frames(block), ending, drawing


def _array_names(file: Any) -> list[str]:
    names = [name for name in file if name not in ("ending", "contacts", "drawing")]
    return names + [f"contacts/{name}" for name in file.get("contacts", ())]


def _with_all_fields(reports: np.ndarray) -> np.ndarray:
    """Reports of an older version with zeros for what it did not report."""
    if reports.dtype == REPORT_DTYPE:
        return reports
    complete = np.zeros(len(reports), REPORT_DTYPE)
    for name in set(reports.dtype.names or ()) & set(REPORT_DTYPE.names or ()):
        complete[name] = reports[name]
    return complete


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
