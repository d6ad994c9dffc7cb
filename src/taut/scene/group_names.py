"""Groups of bodies by name: "crane/cable" is a part of "crane", which stands for all that is below it too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from taut import checks
from taut.errors import InputError
from taut.scene.specs import DEFAULT_GROUP, Directory


def heads(group: str) -> Iterator[str]:
    """The groups that a group is a part of, the widest first, and itself: "a", "a/b" and "a/b/c" of "a/b/c"."""
    at = group.find("/", 1)
    while at > 0:
        yield group[:at]
        at = group.find("/", at + 1)
    yield group


class HeadDirectory(Directory):
    """First places of groups, and of those that they are parts of, in the list of bodies."""

    def __init__(self) -> None:
        """Nothing yet."""
        super().__init__("group")

    def note(self, name: str, place: int) -> None:
        """A body in a group."""
        if name not in self._places:
            for head in heads(name):
                self._places.setdefault(head, place)


def checked_group(owner: str, name: str, group: Any, bodies: dict[str, int], groups: dict[str, int]) -> str:
    """A group's name. No body has the name of a group with bodies in it, except the world, which is alone in its own.

    A body may have the name of what its group is a part of: "truck" with the group "truck/winch".
    """
    group = checks.text(owner, "group", group)
    if bodies and (name == DEFAULT_GROUP or name in groups):
        raise InputError(f"{owner}: the name is that of a group; a body needs another one")
    if bodies and (group == name or group in bodies):
        raise InputError(f"{owner}: group is {group!r}, the name of a body; it must be another name")
    return group
