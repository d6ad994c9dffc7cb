"""What parts have in common that actuators move, see `taut.machines.actuator`."""

from __future__ import annotations

from taut.machines.actuator import Driven
from taut.machines.base import PartView, reading


class ActuatedView(PartView):
    """A part of a running simulation that actuators move; it is nothing without any of its joints."""

    vital = slice(None)

    @property
    def all_driven(self) -> list[Driven]:
        """Everything that moves it, in the order of its actuators."""
        return [Driven(self.simulation, each) for each in self.handle.actuators]


class DrivenView(ActuatedView):
    """One whose first actuator is what it is there for."""

    @property
    def driven(self) -> Driven:
        """Its first actuator."""
        return Driven(self.simulation, self.handle.actuators[0])

    @reading("")
    def at_limit(self) -> bool:
        """Whether it is at an end of its way."""
        return self.driven.at_limit

    @reading("")
    def state(self) -> str:
        """What it does: "drive", "stall" where its force is not enough, "limit" at an end, "hold" or "free"."""
        return self.driven.state


class Actuated:
    """What such a part does after a frame."""

    @property
    def acts(self) -> bool:
        """It always does something."""
        return True

    def after_frame(self, view: ActuatedView) -> None:
        """Bring its motors nearer to what is asked of them."""
        for driven in view.all_driven:
            driven.keep()
