"""Panels of a page that every source has: what to do, how it goes, and what to show."""

from __future__ import annotations

import asyncio
import contextlib
import html
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from taut.results.drawing import Drawing
from taut.results.report import STAGES
from taut.scene.scene import WORLD
from taut.spatial import Array
from taut.view.batches import FORCE, REACTION, Look
from taut.view.colours import (
    AT_BOUND,
    COLOURINGS,
    DECADES,
    HOLDING,
    OPEN,
    PULLED,
    PUSHED,
    SLACK,
    SLIDING,
    STANDING,
    STICKING,
    STRUCK,
    group_colours,
    group_labels,
    ramp,
    top_load,
)
from taut.view.escort import NOBODY, worth_following
from taut.view.frame import Frame
from taut.view.replay import ReplaySource
from taut.view.source import Description, Source, Update

if TYPE_CHECKING:
    from viser import ViserServer

SPEEDS = {"1/20 x": 0.05, "1/10 x": 0.1, "1/4 x": 0.25, "1/2 x": 0.5, "real time": 1.0, "2 x": 2.0, "5 x": 5.0}
"""Speeds to choose from."""

UNFOCUS_SECONDS = 0.25
"""How long a dropdown is disabled after a choice; long enough that browsers notice."""

MOST_GROUPS = 24
"""Groups that can be hidden."""

RAMP_SQUARES = 7
"""Squares that show a range of colours."""


def by_hand(act: Callable[[Any], None]) -> Callable[[Any], Any]:
    """A callback that acts on what people do, in the order they do it, and not on what the page sets itself."""

    async def callback(event: Any) -> None:
        if event.client is not None:
            act(event)

    return callback


def on_choice(choice: Any, act: Callable[[Any], None]) -> None:
    """Act on what people choose in a dropdown or a box to tick, and give the keys back to the page.

    A browser takes the focus from an input that is disabled; as long as one has it, keys do nothing else.
    """

    def enable() -> None:
        with contextlib.suppress(RuntimeError):  # it has been removed meanwhile, as with another scene
            choice.disabled = False

    def chosen(event: Any) -> None:
        act(event)
        choice.disabled = True
        asyncio.get_running_loop().call_later(UNFOCUS_SECONDS, enable)

    choice.on_update(by_hand(chosen))


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
        choices = speed_choices(speed)
        present = next(name for name, factor in choices.items() if factor == speed)
        speeds = gui.add_dropdown("Speed", tuple(choices), initial_value=present)
        on_choice(speeds, lambda event: self.set_speed(choices[event.target.value]))
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


def speed_choices(speed: float) -> dict[str, float]:
    """Speeds to choose from, this one among them, the slowest first."""
    own = {} if speed in SPEEDS.values() else {f"{speed:g} x": speed}
    return dict(sorted((SPEEDS | own).items(), key=lambda choice: choice[1]))


class LookPanel:
    """What to show; `look` and `see_through` are what is chosen now.

    Args:
        server: of the page.
        look: what to show at first.
        fit: what brings everything into view.
    """

    def __init__(self, server: ViserServer, look: Look, fit: Callable[[], None]) -> None:
        from viser import Icon

        self._gui = gui = server.gui
        self.look = look
        self.see_through = False
        button = gui.add_button("Fit view", icon=Icon.FOCUS_CENTERED, hint="F")
        button.on_click(by_hand(lambda _: fit()))
        add_key(server, "Fit view", "F", fit)
        self._follow: Any = gui.add_dropdown("Follow", (NOBODY,), hint="a body that the camera goes with")
        on_choice(self._follow, lambda _: None)
        colour = gui.add_dropdown("Colour by", tuple(COLOURINGS), initial_value=look.colour)
        flags: dict[str, Any] = {
            "joints": gui.add_checkbox("Joints", look.joints),
            "contacts": gui.add_checkbox("Contacts", look.contacts),
            "forces": gui.add_checkbox("Contact forces", look.forces),
            "reactions": gui.add_checkbox("Joint reactions", look.reactions),
        }
        own = gui.add_checkbox("Fit arrows", look.force_scale == 0.0, hint="so that the largest force is seen well")
        start = math.log10(look.force_scale) if look.force_scale else -3.0
        scale = gui.add_slider("log10 of m/N", -8.0, 1.0, 0.1, start, disabled=own.value)
        self._groups: dict[str, Any] = {}
        self._folder = gui.add_folder("Groups", expand_by_default=False, visible=False)
        glass = gui.add_checkbox("See through", False, hint="what is inside bodies, too")
        shadows = gui.add_checkbox("Shadows", True, hint="off is faster")
        self._legend = gui.add_html("")

        def choose(_: Any) -> None:
            scale.disabled, self.see_through = own.value, glass.value
            chosen = {name: flag.value for name, flag in flags.items()}
            hidden = frozenset(name for name, box in self._groups.items() if not box.value)
            self.look = Look(colour.value, force_scale=0.0 if own.value else 10.0**scale.value, hidden=hidden, **chosen)

        self._choose = choose
        on_choice(colour, choose)
        scale.on_update(by_hand(choose))
        for each in (own, glass, *flags.values()):
            on_choice(each, choose)
        on_choice(shadows, lambda _: server.scene.configure_default_lights(cast_shadow=shadows.value))

    @property
    def followed(self) -> str:
        """Name of the body to follow, or `NOBODY`."""
        name: str = self._follow.value
        return name

    def refresh(self, drawing: Drawing, frame: Frame) -> None:
        """Offer what there is to follow and to hide, and say what the colours mean."""
        names = (NOBODY, *worth_following(drawing))
        if names != self._follow.options:
            chosen = self.followed
            self._follow.options = names
            self._follow.value = chosen if chosen in names else NOBODY
        self._offer(group_choices(drawing))
        content = legend(drawing, frame, self.look)
        if content != self._legend.content:
            self._legend.content = content

    def _offer(self, groups: list[str]) -> None:
        """A switch for each group; what was hidden and comes again stays hidden."""
        for name in [name for name in self._groups if name not in groups]:
            self._groups.pop(name).remove()
        with self._folder:
            for name in [name for name in groups if name not in self._groups]:
                box = self._groups[name] = self._gui.add_checkbox(name, name not in self.look.hidden)
                on_choice(box, self._choose)
        self._folder.visible = bool(groups)


def group_choices(drawing: Drawing) -> list[str]:
    """Groups to choose from, those of the world's own bodies not among them; none where there is only one."""
    groups = [group for group in dict.fromkeys(drawing.body_groups) if group != WORLD]
    heads = dict.fromkeys(head for group in groups for head in (group.split("/")[0], group))
    return list(heads)[:MOST_GROUPS] if len(heads) > 1 else []


def legend(drawing: Drawing, frame: Frame, look: Look) -> str:
    """What the colours mean that are shown, as a small piece of HTML."""
    fixed = {"never moves": STANDING} if not drawing.moves[drawing.piece_body].all() else {}
    lines = [("bodies", colouring_legend(drawing, frame, look.colour) + squares(fixed))]
    if drawing.pulls.any():
        lines.append(("ropes, springs", squares({"slack": SLACK, "pull": PULLED, "push": PUSHED})))
    if look.joints:
        lines.append(("joints", squares({"hold": HOLDING, "at a bound": AT_BOUND})))
    if look.contacts:
        kinds = {"sticks": STICKING, "slides": SLIDING, "opens": OPEN, "was struck": STRUCK}
        lines.append(("contacts", squares(kinds)))
    arrows = {"of contacts": FORCE} if look.forces else {}
    arrows |= {"of joints": REACTION} if look.reactions else {}
    if arrows:
        lines.append(("forces", squares(arrows)))
    text = "".join(f'<div><span style="opacity:0.6">{name}:</span> {meaning}</div>' for name, meaning in lines)
    return f'<div style="font-size:0.8em;line-height:1.5;margin:0 0.9em 0.6em">{text}</div>'


def colouring_legend(drawing: Drawing, frame: Frame, colouring: str) -> str:
    """What a colouring of bodies means, with the ends of its scale if it has one."""
    if colouring == "mass" and drawing.moves.any():
        masses = drawing.masses[drawing.moves]
        return scale_legend(float(masses.min()), float(masses.max()), "kg")
    if colouring == "load":
        top = top_load(drawing, frame)
        return scale_legend(top / 10.0**DECADES, top, "N")
    if colouring == "tension":
        return squares({"pulled": PULLED, "slack": SLACK, "pushed": PUSHED}) + " "
    if colouring == "group":
        colours, labels = group_colours(drawing), group_labels(drawing)
        return squares({html.escape(labels[group]): colour for group, colour in colours.items()}) + " "
    meaning = {
        "body": "one colour a shape ", "island": "one colour for all that act on each other ",
        "partition": "one colour a part that is solved on its own ",
    }  # fmt: skip
    return meaning.get(colouring, "")


def scale_legend(low: float, high: float, unit: str) -> str:
    """The colours of a logarithmic scale between its ends."""
    colours = "".join(square(colour) for colour in ramp(np.linspace(0.0, 1.0, RAMP_SQUARES)))
    return f'<span style="white-space:nowrap">{low:.3g} {colours} {high:.3g} {unit}</span> '


def squares(meanings: dict[str, Any]) -> str:
    """Coloured squares, each with what it means."""
    each = (f"{square(colour)}&nbsp;{name.replace(' ', '&nbsp;')}" for name, colour in meanings.items())
    return " ".join(each)


def square(colour: Array | Sequence[int]) -> str:
    """A small square of a colour (3,)."""
    red, green, blue = (round(float(part)) for part in colour)
    style = f"display:inline-block;width:0.75em;height:0.75em;background:rgb({red},{green},{blue})"
    return f'<span style="{style}"></span>'


def status_table(descriptions: Sequence[Description], updates: Sequence[Update], messages: Sequence[str]) -> str:
    """How it goes, as a small piece of HTML: one column a source, and what they have to say below."""
    columns = [status(*each) for each in zip(descriptions, updates, strict=True)]
    lines = ""
    for name in columns[0]:
        style = "padding-right:0.8em" if name == "status" else "padding-right:0.8em;white-space:nowrap"
        cells = "".join(f'<td style="{style}">{html.escape(column[name])}</td>' for column in columns)
        lines += f'<tr><td style="opacity:0.6;{style}">{name}</td>{cells}</tr>'
    who = [f"{each.solver}: " if len(descriptions) > 1 else "" for each in descriptions]
    said = [name + message for name, message in zip(who, messages, strict=True) if message]
    notes = "".join(f'<div style="color:#c4585c">{html.escape(each)}</div>' for each in said)
    table = f'<div style="overflow-x:auto"><table>{lines}</table></div>'
    return f'<div style="font-size:0.8em;line-height:1.35;margin:0 0.9em 0.6em">{table}{notes}</div>'


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
