"""Objects of Taut as plain bytes, and back to the bit: what a scene is made of, without any code.

Numbers, texts, lists, tuples, dictionaries and arrays are written as they are; objects of Taut's own classes by the
name of the class and their attributes, each once; functions of Taut by their names. Functions and objects of other
people's classes cannot be written: their name is, and whoever reads has to give them again.
"""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Mapping
from functools import cached_property, partial
from types import FunctionType
from typing import Any, TypeVar

import msgspec
import numpy as np

from taut.errors import InputError

ROOMS = ("scene", "scenes", "joints", "forces", "shapes", "rows", "machines", "integrators", "solvers", "stepping")
"""Rooms of the package whose classes and functions may be read: they hold what scenes and settings are made of."""

Known = TypeVar("Known")

PLAIN = (bool, int, float, str, bytes, type(None))


class Packer:
    """Turns values into what MessagePack can hold: everything that is not plain is a list with a word for its kind.

    Attributes:
        objects: (class, attributes) of every object of Taut's.
        outside: names of what could not be written.
    """

    def __init__(self) -> None:
        """Nothing yet."""
        self.objects: list[tuple[str, dict[str, Any]]] = []
        self.outside: list[str] = []
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []  # a number stands for an object only as long as that lives

    def packed(self, value: Any) -> Any:
        """A value as it is written."""
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, PLAIN):
            return str(value) if isinstance(value, str) else value
        if isinstance(value, np.ndarray):
            return ["array", value.dtype.str, list(value.shape), np.ascontiguousarray(value).tobytes()]
        if isinstance(value, list | tuple) and type(value) in (list, tuple):
            return [type(value).__name__, [self.packed(each) for each in value]]
        if isinstance(value, dict):
            return ["dict", [[self.packed(key), self.packed(each)] for key, each in value.items()]]
        if isinstance(value, partial):
            return ["partial", self.packed(value.func), self.packed(value.args), self.packed(value.keywords)]
        if isinstance(value, FunctionType) and found(name_of(value)) is value:
            return ["function", name_of(value)]
        if in_rooms(type(value).__module__):
            return ["object", self._number(value)]
        return ["outside", self._outside(value)]

    def _number(self, value: Any) -> int:
        if id(value) not in self._numbers:
            number = self._numbers[id(value)] = len(self.objects)
            self._alive.append(value)
            self.objects.append((name_of(type(value)), {}))
            kept = {name: each for name, each in vars(value).items() if is_own(type(value), name)}
            self.objects[number][1].update({name: self.packed(each) for name, each in kept.items()})
        return self._numbers[id(value)]

    def _outside(self, value: Any) -> str:
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.outside)
            self._alive.append(value)
            name = getattr(value, "__qualname__", type(value).__qualname__)
            same = sum(each.partition(" ")[0] == name for each in self.outside)
            self.outside.append(f"{name} {same + 1}" if same else name)
        return self.outside[self._numbers[id(value)]]


class Unpacker:
    """Turns what was written back into values.

    Args:
        objects: as the packer has them.
        outside: functions and objects by the name that the packer gave them.
    """

    def __init__(self, objects: list[tuple[str, dict[str, Any]]], outside: Mapping[str, Any]) -> None:
        self._written, self._outside = objects, outside
        self._made: dict[int, Any] = {}

    def value(self, packed: Any) -> Any:
        """The value that was written."""
        if not isinstance(packed, list):
            return packed
        kind, *rest = packed
        if kind == "array":
            dtype, shape, content = rest
            return np.frombuffer(content, np.dtype(dtype)).reshape(shape).copy()
        if kind == "dict":
            return {self.value(key): self.value(each) for key, each in rest[0]}
        if kind == "object":
            return self._object(rest[0])
        if kind == "outside":
            return self._outside[rest[0]]
        if kind == "partial":
            function, arguments, named = (self.value(each) for each in rest)
            return partial(function, *arguments, **named)
        if kind == "function":
            return known(rest[0], FunctionType, "function")
        values = [self.value(each) for each in rest[0]]
        return values if kind == "list" else tuple(values)

    def _object(self, number: int) -> Any:
        if number not in self._made:
            name, attributes = self._written[number]
            made: Any = object.__new__(known(name, type, "class"))
            self._made[number] = made
            made.__dict__.update({key: self.value(each) for key, each in attributes.items()})
            for part in dataclasses.fields(made) if dataclasses.is_dataclass(made) else ():
                if part.name not in vars(made) and part.default is dataclasses.MISSING:
                    raise InputError(f"a {type(made).__name__} has no {part.name}: another version of Taut wrote it")
        return self._made[number]


def in_rooms(module: str) -> bool:
    """Whether a module is in a room whose classes may be written and read."""
    package, _, rest = module.partition(".")
    return package == "taut" and rest.partition(".")[0] in ROOMS


def name_of(value: Any) -> str:
    """Name of a class or function by which it is found again."""
    return f"{value.__module__}:{value.__qualname__}"


def found(name: str) -> Any:
    """What has a name in a room; None where there is nothing, or something that is there by its name only."""
    module, _, own = name.partition(":")
    value = getattr(importlib.import_module(module), own, None) if in_rooms(module) else None
    return value if getattr(value, "__module__", None) == module else None


def known(name: str, kind: type[Known], called: str) -> Known:
    """A class or function by its name, if it is one of Taut's."""
    value = found(name)
    if not isinstance(value, kind):
        raise InputError(f"there is no {called} {name!r} here")
    return value


def is_own(kind: type, name: str) -> bool:
    """Whether an attribute is something an object was made with, not something it has worked out or keeps privately."""
    worked_out = any(isinstance(vars(each).get(name), cached_property) for each in kind.__mro__)
    return name in getattr(kind, "__dataclass_fields__", ()) or not (worked_out or name.startswith("_"))


def pack(value: Any) -> bytes:
    """A value as bytes."""
    packer = Packer()
    root = packer.packed(value)
    return msgspec.msgpack.encode({"root": root, "objects": packer.objects, "outside": packer.outside})


def unpack(content: bytes, outside: Mapping[str, Any]) -> Any:
    """The value that bytes are of; InputError where something is needed that is not among `outside`."""
    read = msgspec.msgpack.decode(content)
    missing = [name for name in read["outside"] if name not in outside]
    if missing:
        raise InputError(
            f"it needs {', '.join(map(repr, missing))}, which a file cannot hold; "
            f"give functions={{{missing[0]!r}: ...}}"
        )
    return Unpacker(read["objects"], outside).value(read["root"])
