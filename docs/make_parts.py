"""Write docs/parts.md, a section with a picture for every part of `taut.machines`, from examples/parts.

    python docs/make_parts.py                 # the page only
    python docs/make_parts.py --draw [PART ...]    # run and draw the examples first, into docs/images/parts

An example is examples/parts/NAME.py with `build()`, which adds the part to a scene; NAME is the part's in lower case,
with `_` between words. It is drawn at its PICTURE (s), or at 1.5 s.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np

import taut
from taut import console
from taut.machines import MachinePart
from taut.view.batches import Look, batches
from taut.view.camera import framing
from taut.view.frame import drawing_of, frame_at

DOCS = Path(__file__).resolve().parent
EXAMPLES = DOCS.parent / "examples" / "parts"
PICTURES = DOCS / "images" / "parts"
WIDTH, HEIGHT, QUALITY = 480, 300, 85
MOMENT = 1.5
"""s, at which an example is drawn unless it says another one."""
PREFACE = """# Parts

Every part of `taut.machines`, written by `docs/make_parts.py` from the parts themselves and from `examples/parts`;
`taut view examples/parts/winch.py` shows one with its controls as sliders. How parts go together is told in
[cables](howto/cables.md), [vehicles](howto/vehicles.md), [wheels](howto/wheels.md) and
[hydraulics](howto/hydraulics.md).
"""


def kinds() -> dict[str, type[MachinePart]]:
    """Every part by the name of its example: `swing_axle` of `SwingAxle`."""
    return {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(): MachinePart.registry[name]
        for name in sorted(MachinePart.registry)
    }


def example(name: str) -> dict[str, Any]:
    """What the example of a part defines."""
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))


def page() -> str:
    """The page of all parts."""
    return PREFACE + "".join(section(name, kind) for name, kind in kinds().items())


def section(name: str, kind: type[MachinePart]) -> str:
    """What a part is, how it is used, what it takes, and what can be set and read while it runs."""
    text = inspect.getdoc(kind) or ""
    simulation = taut.Simulation(example(name)["build"]())
    own = next(key for key, built in simulation.scene.parts.items() if isinstance(built.part, kind))
    source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    title = text.split("\n\n", 1)[0]
    head = source.splitlines()[0].strip('"')
    controls = [
        f"`{each.name}`" + (f" ({each.unit})" if each.unit else "")
        for each in simulation.controls.values() if each.name.startswith(f"{own}.")
    ]  # fmt: skip
    readings = [f"`{key}`" + (f" ({unit})" if unit else "") for key, (_, unit) in simulation.part(own).report().items()]
    lines = [
        f"\n## {kind.__name__}\n", f"{title}\n", f"![{head}](images/parts/{name}.jpg)\n", f"{head}\n",
        f"```python\n{source[source.index('import taut') :].rstrip()}\n```\n",
        f"**Reads** {', '.join(readings)}." + (f" **Controls** {', '.join(controls)}." if controls else "") + "\n",
        "| parameter | by default | |\n|---|---|---|",
        *parameter_lines(kind, text),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def parameter_lines(kind: type[MachinePart], text: str) -> list[str]:
    """One line of a table a parameter, as the docstring tells of it."""
    told = re.split(r"\nAttributes:\n", text, maxsplit=1)[1]
    meanings: dict[str, str] = {}
    for names, meaning in re.findall(r"^ {4}(\w[\w, ]*): (.*(?:\n {8}.*)*)", told, re.MULTILINE):
        for each in names.split(", "):
            meanings[each] = " ".join(meaning.split())
    return [
        f"| `{field.name}` | {default_of(field)} | {meanings[field.name].replace('|', chr(92) + '|')} |"
        for field in dataclasses.fields(kind)
    ]


def default_of(field: dataclasses.Field[Any]) -> str:
    """Its default, nothing where it must be given or follows from others."""
    default = field.default
    return "" if default is dataclasses.MISSING or default is None else f"`{default!r}`"


def draw(name: str) -> None:
    """Run an example and draw it."""
    from PIL import Image

    from taut.view.raster import Rasteriser

    found = example(name)
    moment = found.get("PICTURE", MOMENT)
    recording = taut.Simulation(found["build"]()).run(moment)
    drawing, last = drawing_of(recording), len(recording) - 1
    camera = framing(drawing, [frame_at(recording, last)], WIDTH / HEIGHT)
    seen = batches(drawing, frame_at(recording, last), Look(joints=False))
    picture = Rasteriser(WIDTH, HEIGHT).draw(seen, camera, drawing.planes)
    Image.fromarray(np.asarray(picture)).save(PICTURES / f"{name}.jpg", quality=QUALITY, optimize=True)
    print(f"{name} at {moment:g} s")


def main(wanted: list[str]) -> None:
    """Write the page; with --draw, draw the parts with these names, or all."""
    if wanted and wanted[0] == "--draw":
        console.compile_kernels(pictures=True)
        PICTURES.mkdir(parents=True, exist_ok=True)
        for name in wanted[1:] or kinds():
            draw(name)
    (DOCS / "parts.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
