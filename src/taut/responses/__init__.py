"""Responses: how M~^-1 is applied, and which rows are already inside it. One file a kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from taut.model.model import Model
    from taut.responses.free_bodies import FreeBodies


def respond_with(name: str, model: Model) -> FreeBodies:
    """The response of this name for a model: "free-bodies" or "primary-tree"."""
    if name == "primary-tree":
        from taut.responses.primary_tree import PrimaryTree

        return PrimaryTree(model)
    from taut.responses.free_bodies import FreeBodies

    return FreeBodies(model)
