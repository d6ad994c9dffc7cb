"""What steers: the way to a wanted angle."""

from __future__ import annotations

import pytest

from taut.machines.servo import approach


def test_it_goes_as_far_as_it_may_and_stays_where_it_was_to_go() -> None:
    assert approach(0.0, 1.0, 0.3) == 0.3 and approach(0.0, -1.0, 0.3) == -0.3
    assert approach(0.9, 1.0, 0.3) == pytest.approx(1.0)
    assert approach(0.5 + 1e-13, 0.5, 0.3) == 0.5 + 1e-13
