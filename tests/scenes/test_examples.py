"""Every script in examples/ runs and says what it promises."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
PROMISED = {
    "compare_solvers": r"bpp +stretch +-?0\.0000 %.*\nbpp-dense +stretch +-?0\.0000 %.*\npgs",
    "crane": r"winch.payout: 981\d N on the hook(.*\n)*slewed by 90.00 degrees, load at \[-?0",
    "drag_linkage": r"the hand is \d\d? mm behind the mouse, joints are open by \de-(0[7-9]|1\d) m",
    "excavator": r"lift: 0\.9000 m out(.*\n)*slewed by 90\.000 degrees",
    "first_chain": r"the chain opened by \d\.\de-(0[7-9]|1\d) m, residual \d\.\de-1\d",
    "gantry": r"the crate is 1\.19\d m up, the rope pulls 8044 N\nlegs: 239\d N",
    "gripper": r"holds box with 600 N\nthe box is at 0\.600 m, -?0\.000 m, 0\.450 m",
    "loader": r"bent by 0\.500 rad; the front drives a circle of 5\.30 m; 5\.30 m is right",
    "motor_and_limits": r"\+0\.5 rad/s, 4 s: +80\.0 degrees(.*\n)*-0\.5 rad/s, 4 s: +-?0\.0 degrees",
    "truck": r"1\d\.\d m/s in gear 3, \d\d kW, brakes hold: False\n-?0\.0 m/s in gear 1, -?\d+ kW, brakes hold: True",
    "vehicle": r"on a circle of 12\.[789] m\n0\.0 m/s ahead\n2\.6 m / tan\(0\.2\) = 12\.8 m",
    "winch_and_cut": r"\+1 m/s: 8\.\d+ m out, 2\d segments(.*\n)*cut: the load lies -?0\.000 m above the ground",
    "solve_mlcp": r"bpp +solved.*\nbpp-dense +solved.*\nipm +solved.*\npgs +solved",
}


def test_every_example_is_looked_at():
    assert {path.stem for path in EXAMPLES} == set(PROMISED)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, capsys):
    runpy.run_path(str(path), run_name="__main__")
    assert re.search(PROMISED[path.stem], capsys.readouterr().out)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_is_short(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 40
