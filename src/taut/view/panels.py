"""Panels of a page that every source has: what to do, how it goes, and what to show."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from taut.report import STAGES
from taut.view.batches import Look
from taut.view.colours import COLOURINGS
from taut.view.replay import ReplaySource
from taut.view.source import Description, Source, Update

if TYPE_CHECKING:
    from viser import ViserServer

SPEEDS = {"1/20 x": 0.05, "1/10 x": 0.1, "1/4 x": 0.25, "1/2 x": 0.5, "real time": 1.0, "2 x": 2.0, "5 x": 5.0}
"""Speeds to choose from."""


def by_hand(act: Callable[[Any], None]) -> Callable[[Any], Any]:
    """A callback that acts on what people do, in the order they do it, and not on what the page sets itself."""

    async def callback(event: Any) -> None:
        if event.client is not None:
            act(event)

    return callback


def add_key(server: ViserServer, label: str, key: str, act: Callable[[], None]) -> Any:
    """A key that does something; the command it becomes can be removed."""

    async def triggered(_: Any) -> None:
        act()

    command = server.gui.add_command(label, hotkey=cast(Any, key))
    command.on_trigger(triggered)
    return command


class Transport:
    """Play, pause, step, reset and speed of all sources together; a bar to search a single recording."""

    def __init__(self, server: ViserServer, sources: Sequence[Source], speed: float = 1.0) -> None:
        from viser import Icon

        gui = server.gui
        self._sources = sources
        self.playing = False
        self._icons = {False: Icon.PLAYER_PLAY, True: Icon.PLAYER_PAUSE}
        self._button = gui.add_button("Play", icon=Icon.PLAYER_PLAY, hint="space")
        self._button.on_click(by_hand(lambda _: self.toggle()))
        others = gui.add_button_group("", ("Step", "Reset"), hint="N, R")
        others.on_click(by_hand(lambda event: self.step() if event.target.value == "Step" else self.reset()))
        near = min(SPEEDS, key=lambda name: abs(math.log(SPEEDS[name] / speed)))
        speeds = gui.add_dropdown("Speed", tuple(SPEEDS), initial_value=near)
        speeds.on_update(by_hand(lambda event: self.set_speed(SPEEDS[event.target.value])))
        add_key(server, "Play or pause", "space", self.toggle)
        add_key(server, "One step", "N", self.step)
        add_key(server, "Reset", "R", self.reset)
        length = sources[0].description.length
        self._bar: Any = gui.add_slider("Frame", 0, max((length or 1) - 1, 1), 1, 0, visible=length is not None)
        self._bar.on_update(by_hand(lambda event: self.seek(event.target.value)))

    def toggle(self) -> None:
        """Play if all stand still, else pause."""
        for source in self._sources:
            source.pause() if self.playing else source.play()

    def step(self) -> None:
        """One step."""
        for source in self._sources:
            source.step()

    def reset(self) -> None:
        """Back to the beginning."""
        for source in self._sources:
            source.reset()

    def set_speed(self, factor: float) -> None:
        """Simulated seconds a wall second."""
        for source in self._sources:
            source.set_speed(factor)

    def seek(self, index: int) -> None:
        """Go to a frame of a recording."""
        for source in self._sources:
            if isinstance(source, ReplaySource):
                source.seek(index)

    def refresh(self, updates: Sequence[Update]) -> None:
        """Show whether anything plays, and where."""
        playing = any(update.playing for update in updates)
        if playing != self.playing:
            self.playing = playing
            self._button.label = "Pause" if playing else "Play"
            self._button.icon = self._icons[playing]
        if isinstance(self._sources[0], ReplaySource):
            self._bar.value = self._sources[0].position


class LookPanel:
    """What to show; `look` is what is chosen now."""

    def __init__(self, server: ViserServer, look: Look) -> None:
        gui = server.gui
        self.look = look
        colour = gui.add_dropdown("Colour by", tuple(COLOURINGS), initial_value=look.colour)
        flags: dict[str, Any] = {
            "joints": gui.add_checkbox("Joints", look.joints, hint="orange where a limit or a motor's bound acts"),
            "contacts": gui.add_checkbox(
                "Contacts", look.contacts, hint="green sticks, orange slides, grey opens, violet was struck"
            ),
            "forces": gui.add_checkbox("Contact forces", look.forces),
            "reactions": gui.add_checkbox("Joint reactions", look.reactions),
        }
        own = gui.add_checkbox("Fit arrows", look.force_scale == 0.0, hint="so that the largest force is seen well")
        start = math.log10(look.force_scale) if look.force_scale else -3.0
        scale = gui.add_slider("log10 of m/N", -8.0, 1.0, 0.1, start, disabled=own.value)
        shadows = gui.add_checkbox("Shadows", True, hint="off is faster")

        def choose(_: Any) -> None:
            scale.disabled = own.value
            chosen = {name: flag.value for name, flag in flags.items()}
            self.look = Look(colour.value, force_scale=0.0 if own.value else 10.0**scale.value, **chosen)

        inputs: list[Any] = [colour, scale, own, *flags.values()]
        for each in inputs:
            each.on_update(by_hand(choose))
        shadows.on_update(by_hand(lambda _: server.scene.configure_default_lights(cast_shadow=shadows.value)))


def status_table(descriptions: Sequence[Description], updates: Sequence[Update], messages: Sequence[str]) -> str:
    """How it goes, as a small piece of HTML: one column a source, and what they have to say below."""
    columns = [status(*each) for each in zip(descriptions, updates, strict=True)]
    lines = ""
    for name in columns[0]:
        cells = "".join(f'<td style="padding-right:0.8em">{html.escape(column[name])}</td>' for column in columns)
        lines += f'<tr><td style="opacity:0.6;padding-right:0.8em">{name}</td>{cells}</tr>'
    notes = "".join(f'<div style="color:#c4585c">{html.escape(message)}</div>' for message in messages if message)
    return f'<div style="font-size:0.8em;line-height:1.35;margin:0 0.9em"><table>{lines}</table>{notes}</div>'


def status(description: Description, update: Update) -> dict[str, str]:
    """How one source goes: name of a quantity -> text."""
    row = update.frame.report
    factor = update.real_time_factor
    milliseconds = 1e3 * float(row["stage_seconds"].sum())
    solving = 1e3 * float(row["stage_seconds"][STAGES.index("solve")])
    return {
        "solver": description.solver,
        "time": f"{update.frame.time:.3f} s",
        "real time": "paused" if not update.playing else "" if math.isnan(factor) else f"{factor:.2f} x",
        "status": row["status"].decode() + (", missed its tolerances" if row["unconverged"] else ""),
        "residual": f"{row['residual']:.1e}",
        "energy": f"{row['energy']:.6g} J",
        "step": f"{milliseconds:.2f} ms",
        "solve": f"{solving:.2f} ms",
        "rows": f"{row['rows']}, {row['tight']} tight",
        "contacts": str(row["contacts"]),
    }
