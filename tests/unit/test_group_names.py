"""Groups by name."""

from __future__ import annotations

import pytest

from taut.scene.group_names import heads


@pytest.mark.parametrize(
    ("group", "found"),
    [
        ("a", ["a"]),
        ("a/b/c", ["a", "a/b", "a/b/c"]),
        ("/a", ["/a"]),
        ("a/", ["a", "a/"]),
        ("a//b", ["a", "a/", "a//b"]),
    ],
)
def test_a_group_is_a_part_of_what_is_before_its_strokes(group: str, found: list[str]) -> None:
    assert list(heads(group)) == found
