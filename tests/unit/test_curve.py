"""Forces that are not straight: curves, their tangents in steps, and what they store."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad, solve_ivp

import taut
from taut.errors import InputError
from taut.forces import Curve
from taut.joints import Prismatic, Revolute
from taut.rows.curve import pack_curves
from taut.rows.law import SOFT
from taut.tables import held

CURVES = {
    "cubic": Curve.cubic(100.0, 4e4),
    "softening": Curve.cubic(-200.0, 4e4),
    "dead band": Curve.dead_band(-0.05, 0.08, 1e4),
    "pulling": Curve.pulling(1e3, 0.02),
    "pushing": Curve.pushing(3e2, 0.01),
    "both": Curve.pulling(1e3, 0.02) + Curve.pushing(3e2, 0.01) + Curve.cubic(5.0, 100.0),
    "table": Curve.table([-0.1, 0.0, 0.05, 0.1, 0.2], [-50, 0, 10, 60, 500]),
    "smooth table": Curve.table([-0.1, 0.0, 0.05, 0.1, 0.2], [-50, 0, 10, 60, 500], smooth=True),
}
EACH = pytest.mark.parametrize("curve", CURVES.values(), ids=list(CURVES))
PLACES = np.linspace(-0.31, 0.33, 41)


@EACH
def test_energy_and_slope_belong_to_the_force(curve):
    for x in PLACES:
        ends = sorted({0.0, x, *(b for b in curve.breaks if min(0, x) < b < max(0, x))}, reverse=bool(x < 0))
        area = sum(quad(curve, a, b)[0] for a, b in zip(ends, ends[1:], strict=False))
        assert curve.energy(x) == pytest.approx(area, abs=1e-9)
        assert curve.slope(x) == pytest.approx((curve(x + 1e-7) - curve(x - 1e-7)) / 2e-7, rel=1e-4, abs=1e-3)


@EACH
def test_kernels_agree_with_the_curve(curve):
    from taut.rows.law_kernels import spring_energy

    table = held(pack_curves([CURVES["cubic"], curve, CURVES["table"]]))
    count, found = PLACES.size, np.empty(PLACES.size)
    same = np.zeros(count), np.ones(count), np.tile([-np.inf, np.inf], (count, 1))
    total = spring_energy(table, np.ones(count, np.int64), np.full(count, SOFT), *same, PLACES, found)
    assert found == pytest.approx([curve.energy(x) for x in PLACES], abs=1e-12)
    assert total == pytest.approx(found.sum())


@given(st.floats(-0.3, 0.3))
def test_curves_add_up(x):
    both = CURVES["pulling"] + CURVES["pushing"] + Curve.cubic(5.0, 100.0)
    assert both(x) == pytest.approx(CURVES["pulling"](x) + CURVES["pushing"](x) + 5.0 * x + 100.0 * x**3, abs=1e-9)


def test_tables_go_through_their_points_and_straight_on():
    for smooth in (False, True):
        curve = Curve.table([-1.0, 0.0, 2.0], [-3.0, 0.0, 1.0], smooth=smooth)
        assert [curve(x) for x in (-1.0, 0.0, 2.0)] == pytest.approx([-3.0, 0.0, 1.0])
        assert curve(7.0) - curve(6.0) == pytest.approx(curve(3.0) - curve(2.0))


MASS = 2.0


def moving(curve, damping, start, kind="spring", speed=0.0):
    """A body on a spring, `start` m from where it is at rest."""
    scene = taut.Scene(gravity=(0, 0, 0))
    scene.add_body("b", mass=MASS, inertia=(1, 1, 1), position=(3.0 + start, 0, 0), velocity=(speed, 0, 0))
    if kind == "spring":
        scene.add_spring("world", "b", stiffness=curve, damping=damping, rest_length=3.0, name="spring")
    else:
        slider = Prismatic(axis=(1, 0, 0), stiffness=curve, damping=damping, rest=-start)
        scene.connect("world", "b", slider, name="spring")
    return scene


@pytest.mark.parametrize("kind", ["spring", "slider", "slider, reduced"])
@EACH
def test_motion_is_that_of_the_differential_equation(curve, kind):
    damper = Curve.table([-2, -0.5, 0, 0.5, 2], [-9, -6, 0, 2, 4])
    coordinates = "reduced" if kind == "slider, reduced" else "maximal"
    sim = taut.Simulation(moving(curve, damper, 0.1, kind), step=1e-3, coordinates=coordinates)
    found = []
    for _ in range(1000):
        assert sim.step().status == "solved"
        found.append(sim.body("b").position[0] - 3.0)
    expected = solve_ivp(
        lambda t, y: [y[1], -(curve(y[0]) + damper(y[1])) / MASS], (0, 1.0), [0.1, 0.0], rtol=1e-10, atol=1e-12,
        t_eval=1e-3 * np.arange(1, 1001), max_step=1e-2,
    )  # fmt: skip
    assert found == pytest.approx(expected.y[0], abs=0.01 * np.abs(expected.y[0]).max())


@pytest.mark.parametrize("step", [1 / 60, 1 / 240])
@EACH
def test_steps_end_where_the_force_is_that_of_the_curve(curve, step):
    """To the tolerance in m: linearising again is Newton's method on the curve."""
    sim = taut.Simulation(moving(curve, 3.0, 0.12), step=step)
    for _ in range(60):
        assert sim.step().status == "solved"
        gap, speed = sim.body("b").position[0] - 3.0, sim.body("b").velocity[0]
        missing = sim.joint("spring").tension - curve(gap) - 3.0 * speed
        assert abs(missing) * step * step / MASS <= 3e-6


@EACH
def test_energy_is_booked(curve):
    sim = taut.Simulation(moving(curve, 0.0, 0.12), step=1e-3)
    assert sim.state.energy == pytest.approx(curve.energy(0.12))
    first = sim.state.energy
    sim.run(0.5, record=False)
    kinetic = 0.5 * MASS * sim.body("b").velocity[0] ** 2
    assert sim.state.energy == pytest.approx(kinetic + curve.energy(sim.body("b").position[0] - 3.0))
    assert sim.state.energy == pytest.approx(first, abs=0.01 * max(abs(first), kinetic))


@pytest.mark.parametrize("stiffness", [1e4, 1e7, 1e10])
def test_stiff_stops_are_stable_at_large_steps(stiffness):
    sim = taut.Simulation(moving(Curve.dead_band(-0.05, 0.05, stiffness), 1.0, 0.0, speed=1.0))
    energies = []
    for _ in range(300):
        assert sim.step().status == "solved"
        energies.append(sim.state.energy)
    assert max(energies) <= 0.5 * MASS * 1.001
    assert energies[-1] < 0.1 * energies[0]


def test_angles_and_mass_ratios():
    """A hinge with a hardening spring between 1 and 1e6 kg m^2 turns as the differential equation has it."""
    curve, scene = Curve.cubic(50.0, 500.0), taut.Scene(gravity=(0, 0, 0))
    scene.add_body("a", mass=1e6, inertia=(1e6, 1e6, 1e6))
    scene.add_body("b", mass=1.0, inertia=(1, 1, 1), angular_velocity=(0, 0, 3.0))
    scene.connect("a", "b", Revolute(axis=(0, 0, 1), stiffness=curve), name="hinge")
    sim = taut.Simulation(scene, step=1e-3)
    found = []
    for _ in range(600):
        sim.step()
        found.append(sim.joint("hinge").position)
    expected = solve_ivp(
        lambda t, y: [y[1], -curve(y[0])], (0, 0.6), [0.0, 3.0], rtol=1e-10, atol=1e-12,
        t_eval=1e-3 * np.arange(1, 601),
    )  # fmt: skip
    assert found == pytest.approx(expected.y[0], abs=1e-3)


def test_restart_is_bit_equal(tmp_path):
    sim = taut.Simulation(moving(CURVES["both"], CURVES["table"], 0.12))
    sim.run(0.3, record=False)
    saved = sim.state.copy()
    sim.run(0.3, record=False)
    again = taut.Simulation(moving(CURVES["both"], CURVES["table"], 0.12))
    again.restore(saved)
    again.run(0.3, record=False)
    assert np.array_equal(again.state.position, sim.state.position)
    assert np.array_equal(again.state.velocity, sim.state.velocity)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Curve.table([0, 1], [0]), "x has 2 numbers and force 1"),
        (lambda: Curve.table([1, 1], [0, 1]), "must grow"),
        (lambda: Curve.table("ab", [0, 1]), "x is 'ab'; it must be a list of numbers"),
        (lambda: Curve.table([0, np.nan], [0, 1]), "x 1 is nan"),
        (lambda: Curve.dead_band(1, -1, 5.0), "dead band"),
        (lambda: Curve.pulling(-1.0), "stiffness is -1"),
        (lambda: Revolute(damping=Curve.table([0, 1], [3, 4])), "Revolute: damping is a curve with 3 N at rest"),
        (lambda: Revolute(stiffness=Curve.cubic(1.0), frequency=2.0), "not both"),
        (lambda: taut.Simulation(moving(Curve.cubic(1.0), 0.0, 0.1), integrator="redmax", coordinates="reduced"),
         "all must be straight"),
    ],
)  # fmt: skip
def test_what_is_no_curve_is_refused_in_one_line(make, message):
    with pytest.raises(InputError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)
