"""Panels of a simulation that runs: scene, solver, parameters, controls, and tools that change it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from taut import scenes, solvers
from taut.scene.controls import COUNTED, SWITCH
from taut.simulation.grab import STIFFNESS
from taut.view.frame import Frame
from taut.view.keys import hint_of, key_step, label_of, stepped, with_keys
from taut.view.panels import add_key, by_hand, on_choice
from taut.view.source import ControlInfo, Description, Live

if TYPE_CHECKING:
    from viser import ViserServer

RANGE = 4
"""A parameter's slider goes from 0 to this many times its default."""

STEPS = 200
"""Steps of a slider."""

IN_HAND_SECONDS = 1.0
"""Wall-clock time after somebody moved a control in which it is not set to what comes back: that may be older."""

MOST_SCHEDULED = 4
"""Controls that follow schedules; where there are more, as of a robot's legs, they are in a folder that is closed."""

SWITCH_WORDS = {None: "on or off", False: "off", True: "on"}
"""What a key makes of a switch."""


class ScenePanel:
    """Which scene, solver and parameters; the same for all sources, but solvers only of one that is alone."""

    def __init__(self, server: ViserServer, sources: Sequence[Live]) -> None:
        self._server = server
        self._sources = sources
        self._inputs: dict[str, Any] = {}
        self._shown: tuple[Any, ...] = ()
        self._asked: int | None = None
        gui, description = server.gui, sources[0].description
        self._scene: Any = gui.add_dropdown("Scene", scene_names(description), initial_value=description.scene)
        on_choice(self._scene, lambda event: self._rebuild(scene=event.target.value))
        self._solver: Any = gui.add_dropdown("Solver", tuple(solvers.names()), initial_value=description.solver)
        self._solver.visible = len(sources) == 1
        on_choice(self._solver, lambda event: self._rebuild(solver=event.target.value))
        self._folder = gui.add_folder("Parameters")
        self._apply: Any = None
        self.refresh(description)

    def refresh(self, description: Description, told: bool = False) -> None:
        """Show the scene, the solver and the parameters there are.

        Where something was asked for and then a source had something to say (`told`), or began anew, the inputs are set
        to what there is: it may be something else than what was asked for.
        """
        shown = (description.scene, description.solver, tuple(description.parameters.items()))
        answered = self._asked is not None and (told or description.generation != self._asked)
        if shown != self._shown:
            self._shown = shown
            self._show_parameters(description)
        elif not answered:
            return
        self._asked = None
        self._set(description)

    def _show_parameters(self, description: Description) -> None:
        """Other inputs in the folder, which itself stays where it is."""
        from viser import Icon

        for each in (*self._inputs.values(), self._apply):
            if each is not None:
                each.remove()
        self._folder.visible = bool(description.parameters)
        with self._folder:
            self._inputs = {
                name: add_input(
                    self._server, name, value, description.defaults.get(name, value), description.notes.get(name, "")
                )
                for name, value in description.parameters.items()
            }
            self._apply = self._server.gui.add_button(
                "Apply", icon=Icon.REFRESH, hint="start anew with these parameters"
            )
        self._apply.on_click(by_hand(lambda _: self._rebuild(parameters=self.parameters)))

    def _set(self, description: Description) -> None:
        names = scene_names(description)
        if self._scene.options != names:
            self._scene.options = names
        self._scene.value, self._solver.value = description.scene, description.solver
        for name, each in self._inputs.items():
            if each.value != description.parameters[name]:
                each.value = description.parameters[name]

    @property
    def parameters(self) -> dict[str, Any]:
        """Parameters as they are set."""
        return {name: each.value for name, each in self._inputs.items()}

    def _rebuild(self, **changes: Any) -> None:
        self._asked = self._sources[0].description.generation
        for source in self._sources:
            source.rebuild(**changes)


def scene_names(description: Description) -> tuple[str, ...]:
    """Scenes to choose from: those that are registered, and the present one."""
    return tuple(dict.fromkeys([*scenes.names(), description.scene]))


def add_input(server: ViserServer, name: str, value: Any, default: Any, note: str = "") -> Any:
    """An input for a parameter, by the type of its default, with a note; numbers that are positive get a slider."""
    gui, label, hint = server.gui, name.replace("_", " "), note or None
    if isinstance(default, bool):
        return gui.add_checkbox(label, value, hint=hint)
    if isinstance(default, str):
        return gui.add_text(label, value, hint=hint)
    if isinstance(default, int):
        if default > 1 and value >= 1:
            return gui.add_slider(label, 1, max(RANGE * default, value), 1, value, hint=hint)
        return gui.add_number(label, value, hint=hint)
    if default > 0.0 and value >= 0.0:
        high = float(max(RANGE * default, value))
        return gui.add_slider(label, 0.0, high, high / STEPS, float(value), hint=hint)
    return gui.add_number(label, float(value), hint=hint)


class ControlPanel:
    """Control inputs as sliders and switches, each with its keys; shown where a scene has controls.

    They follow what moves by itself, but for those that somebody has moved in the last moment. `clock` is in s.
    """

    def __init__(
        self, server: ViserServer, sources: Sequence[Live], clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._server = server
        self._sources = sources
        self._clock = clock
        self._sliders: dict[str, Any] = {}
        self._moved: dict[str, float] = {}
        self._commands: list[Any] = []
        self._closed: list[Any] = []
        self._shown: tuple[Any, ...] | None = None
        self._run = -1
        self._keys: dict[str, tuple[str, ...]] = {}
        self._folder = server.gui.add_folder("Controls", visible=False)

    def refresh(self, description: Description, values: Mapping[str, float] | None = None) -> None:
        """Show the controls there are, at these values; within a run sliders stay while the controls are the same,
        and each keeps its keys.
        """
        # whether one follows its schedule changes in somebody's hand
        plain = (replace(control, value=0.0, scheduled=False) for control in description.controls)
        shown = (description.run, *plain)
        if shown == self._shown:
            self._follow(values or {})
            return
        self._shown = shown
        for each in (*self._sliders.values(), *self._commands, *self._closed):
            each.remove()
        self._commands.clear()
        self._closed.clear()
        self._folder.visible = bool(description.controls)
        many = sum(control.scheduled for control in description.controls) > MOST_SCHEDULED
        if description.run != self._run:
            self._run, self._keys = description.run, {}
        controls = with_keys(
            replace(control, keys=self._keys.get(control.name, control.keys)) for control in description.controls
        )
        self._keys |= {control.name: control.keys for control in controls}
        with self._folder:
            aside = [control for control in controls if many and control.scheduled]
            self._sliders = {each.name: self._add(each) for each in controls if each not in aside}
            if aside:
                self._closed.append(self._server.gui.add_folder("On schedule", expand_by_default=False))
                with self._closed[0]:
                    self._sliders |= {control.name: self._add(control) for control in aside}

    def _follow(self, values: Mapping[str, float]) -> None:
        now = self._clock()
        for name, value in values.items():
            slider = self._sliders.get(name)
            if slider is not None and now - self._moved.get(name, -math.inf) > IN_HAND_SECONDS:
                shown = value > 0.5 if isinstance(slider.value, bool) else value
                if shown != slider.value:
                    slider.value = shown

    def _add(self, control: ControlInfo) -> Any:
        gui, label, hint = self._server.gui, label_of(control), hint_of(control)
        if control.unit == SWITCH:
            switch = gui.add_checkbox(label, control.value > 0.5, hint=hint)
            on_choice(switch, lambda event: self._set(control, float(event.target.value)))
            pair = len(control.keys) == 2  # one key flips it, of two the first one is off
            for key, state in zip(control.keys, (False, True) if pair else (None,), strict=True):
                self._bind(f"{control.name} {SWITCH_WORDS[state]}", key, self._switcher(control, switch, state))
            return switch
        low, high, change = control.low, control.high, key_step(control)
        step = 1.0 if control.unit in COUNTED else (high - low) / STEPS
        ends = ((low, f"{low:.3g}"), (high, f"{high:.3g}"))
        slider = gui.add_slider(label, low, high, step, control.value, marks=ends, hint=hint)
        slider.on_update(by_hand(lambda event: self._set(control, event.target.value)))
        for key, by, way in zip(control.keys, (-change, change), ("down", "up"), strict=False):
            self._bind(f"{control.name} {way}", key, self._mover(control, slider, by))
        return slider

    def _bind(self, name: str, key: str, act: Callable[[], None]) -> None:
        if key.upper() in hotkeys():
            self._commands.append(add_key(self._server, name, key.upper(), act))

    def _switcher(self, control: ControlInfo, switch: Any, state: bool | None) -> Callable[[], None]:
        def act() -> None:
            switch.value = not switch.value if state is None else state
            self._set(control, float(switch.value))

        return act

    def _mover(self, control: ControlInfo, slider: Any, change: float) -> Callable[[], None]:
        def move() -> None:
            slider.value = stepped(control, slider.value, change)
            self._set(control, slider.value)

        return move

    def _set(self, control: ControlInfo, value: float) -> None:
        value = min(max(value, control.low), control.high)  # a slider may round beyond its ends
        self._moved[control.name] = self._clock()
        for source in self._sources:
            source.set_control(control.name, value)


def hotkeys() -> tuple[str, ...]:
    """Keys that a page can react to."""
    from viser._messages import HotkeyKey

    return get_args(HotkeyKey)


class ToolPanel:
    """The spring that pulls bodies, and the scissors that cut joints, ropes and springs; at first none is chosen."""

    NONE = "-"
    GONE = " (gone)"

    def __init__(self, server: ViserServer, sources: Sequence[Live]) -> None:
        from viser import Icon

        gui = server.gui
        self._sources = sources
        self._names: tuple[str, ...] = ()
        gui.add_markdown("Drag a body to pull it.")
        hint = "stiffness of the hand, N/m for each kilogram of the body"
        self._stiffness = gui.add_slider("Pull, log10 N/m/kg", 0.0, 6.0, 0.1, math.log10(STIFFNESS), hint=hint)
        hint = "a cable, joint, rope or spring; a click on it, its mark, or a body near it chooses it too"
        self._joint: Any = gui.add_dropdown("What to cut", (self.NONE,), hint=hint)
        on_choice(self._joint, lambda _: None)
        hint = "cut what is chosen, a cable in the middle of its longest piece; Reset mends it"
        cut = gui.add_button("Cut", icon=Icon.SCISSORS, hint=hint)
        cut.on_click(by_hand(lambda _: self.cut(self._joint.value)))
        hint = "a click on a rope, a spring or the mark of a joint cuts it at once; on a body, its nearest joint"
        self._clicks = gui.add_checkbox("Click cuts", False, hint=hint)
        on_choice(self._clicks, lambda _: None)

    @property
    def stiffness(self) -> float:
        """N/m for a kilogram of the body that is pulled."""
        return float(10.0**self._stiffness.value)

    @property
    def chosen(self) -> str:
        """Name of what is chosen, there or gone; "-" is nothing."""
        name: str = self._joint.value
        return name.removesuffix(self.GONE)

    def refresh(self, description: Description, frame: Frame) -> None:
        """List the parts and joints there are; one that was chosen and is gone stays chosen, and is said to be gone."""
        drawing = description.drawing
        joints = zip(drawing.link_names, frame.joined & drawing.touchable, strict=True)
        names = (*description.parts, *(name for name, here in joints if here))
        if names == self._names:
            return
        self._names = names
        chosen = self.chosen
        there = chosen in names or chosen == self.NONE
        shown = chosen if there else chosen + self.GONE
        self._joint.options = (self.NONE, *(() if there else (shown,)), *names)
        self._joint.value = shown

    def clicked(self, name: str) -> None:
        """A joint was clicked: choose it, or cut it."""
        if self._clicks.value:
            self.cut(name)
        elif name in self._joint.options:
            self._joint.value = name

    def cut(self, name: str) -> None:
        """Cut it in all sources; of what is gone they say so."""
        for source in self._sources if name != self.NONE else ():
            source.cut(name.removesuffix(self.GONE))
