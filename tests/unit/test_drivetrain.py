"""`machines/drivetrain.py` and `machines/drivetrain_view.py`: from the engine to the wheels, with closed books."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from dynos import CURVE, INERTIA, drivetrain, engine, hinge, load, open_books, run, spins, stand
from sample_mechanisms import same_state

import taut
from taut import machines

SOLVERS = pytest.mark.parametrize("solver", ["bpp", "linear-time", "ipm"])

CONVERTER = machines.TorqueConverter(capacity=[(0.0, 0.03), (0.8, 0.024), (1.0, 0.0)])


def on_stand(wheels: int = 4, options: dict[str, Any] | None = None, **settings: Any) -> taut.Simulation:
    return taut.Simulation(stand(("it", drivetrain(**(options or {}))), wheels=wheels), **settings)


def story(simulation: taut.Simulation, frame: int) -> None:
    """Off in first gear, up a gear under load, unequal loads, locked, throttle closed, brakes, reverse."""
    controls = simulation.controls
    if frame == 0:
        controls["it.throttle"].set(1.0)
        controls["it.gear"].set(1)
        load(simulation, 300.0, 300.0, 300.0, 300.0)
    elif frame == 90:
        controls["it.gear"].set(2)
    elif frame == 180:
        load(simulation, 100.0, 500.0, 0.0, 900.0)
    elif frame == 240:
        controls["it.lock"].set(1.0)
    elif frame == 300:
        controls["it.throttle"].set(0.0)
    elif frame == 360:
        controls["it.clutch"].set(0.0)
        controls["it.brake"].set(0.5)
    elif frame == 420:
        controls["it.brake"].set(0.0)
        controls["it.gear"].set(-1)
        controls["it.clutch"].set(1.0)
        controls["it.throttle"].set(0.6)


@SOLVERS
@pytest.mark.parametrize("coupler", [machines.Clutch(max_torque=1800.0), CONVERTER])
def test_power_in_is_power_out_and_losses_and_what_is_stored(solver: str, coupler: Any) -> None:
    """In every frame of slip, changes of gear, open, limited and locked differentials, brakes and reverse."""
    options = {"coupler": coupler}
    if not isinstance(coupler, machines.Clutch):
        options["gearbox"] = machines.Gearbox(forward=(3.0, 2.0), reverse=(3.0,), efficiency=0.97)
    simulation = on_stand(options=options, solver=solver)
    view, seen, heat = simulation.part("it"), set(), 0.0
    for frame in range(540):
        if not (frame in (360, 420) and "it.clutch" not in simulation.controls):
            story(simulation, frame)
        report = simulation.step()
        assert report.status == "solved" and report.residual < 1e-9
        missing, moved = open_books(view)
        assert missing <= 1e-6 * max(moved, 1e3)
        losses = view.losses
        heat += losses["coupler"]
        if isinstance(coupler, machines.Clutch):
            assert min(losses.values()) > -1e-3
        seen |= {name for name, value in losses.items() if value > 100.0}
    assert {"coupler", "gearbox", "final/second"} <= seen and heat > 0.0


def test_what_is_stored_is_how_its_bodies_speed_up() -> None:
    """I w dw/dt of rotor and shafts as Euler has it: w+ (w+ - w) I / h."""
    simulation = on_stand(integrator="euler")
    view, model = simulation.part("it"), simulation.model
    numbers = [model.bodies.names.index(body) for body in simulation.scene.parts["it"].bodies]
    inertia = np.array([model.bodies.inertia[number].reshape(3, 3)[0, 0] for number in numbers])
    for frame in range(300):
        story(simulation, frame)
        before = simulation.state.velocity[numbers, 3]
        simulation.step()
        after = simulation.state.velocity[numbers, 3]
        stored = (inertia * after * (after - before)).sum() * 60.0
        assert view.power_stored == pytest.approx(stored, abs=1e-6 * max(abs(view.power_in), 1e3))
        out = (spins(simulation) * view.torques).sum()
        assert view.power_out.sum() == pytest.approx(out, abs=1e-3)


def test_shafts_without_inertia_cost_no_rows() -> None:
    """Clutch, four gears and all differentials: 2 bearings, torque, plates, 4 gears."""
    open_all = machines.Differential(
        ratio=5.0,
        outputs=(
            machines.Differential(outputs=(hinge(0), hinge(1))),
            machines.Differential(outputs=(hinge(2), hinge(3))),
        ),
    )
    gears = machines.Gearbox(forward=(6.0, 3.5, 2.0, 1.2))
    whole = on_stand(options={"final": open_all, "gearbox": gears, "brakes": None})
    bare = taut.Simulation(stand())
    assert whole.model.layout.row_count - bare.model.layout.row_count == 2 * 5 + 1 + 1 + 4


def test_in_gear_wheels_turn_as_the_ratios_say() -> None:
    simulation = on_stand()
    simulation.controls["it.throttle"].set(0.3)
    simulation.controls["it.gear"].set(2)
    load(simulation, 500.0, 500.0, 500.0, 500.0)
    run(simulation, 4.0)
    view = simulation.part("it")
    assert view.gear == 2 and view.coupler.locked
    assert view.engine_speed == pytest.approx(3.5 * 5.0 * view.speeds.mean(), rel=1e-9)
    assert view.speeds == pytest.approx(spins(simulation))
    first = view.differentials["final/first"]
    assert first.torques == pytest.approx([first.input_torque / 2.0] * 2)
    assert view.differentials["final"].torques.sum() == pytest.approx(5.0 * view.gearbox.torque)


def test_neutral_leaves_the_wheels_alone() -> None:
    simulation = on_stand()
    simulation.controls["it.throttle"].set(1.0)
    run(simulation, 4.0)
    view = simulation.part("it")
    assert view.engine_speed == pytest.approx(230.0) and spins(simulation) == pytest.approx(0.0, abs=1e-9)


def test_reverse_turns_the_wheels_backwards() -> None:
    simulation = on_stand()
    simulation.controls["it.gear"].set(-1)
    simulation.controls["it.throttle"].set(0.5)
    run(simulation, 3.0)
    view = simulation.part("it")
    assert view.gear == -1 and view.speeds.max() < -2.0
    assert view.engine_speed == pytest.approx(-30.0 * view.speeds.mean()) and view.engine_speed > 80.0


def test_without_throttle_the_engine_brakes_the_wheels() -> None:
    """80 N m at the rotor, less what its own inertia and the shaft take: seen at the wheels through 6 x 5."""
    simulation = on_stand(options={"gearbox": machines.Gearbox(forward=(6.0,))})
    simulation.controls["it.gear"].set(1)
    simulation.controls["it.throttle"].set(1.0)
    run(simulation, 4.0)
    simulation.controls["it.throttle"].set(0.0)
    run(simulation, 0.5)
    before = spins(simulation)
    run(simulation, 0.5)
    rate = (spins(simulation) - before).mean() / 0.5
    pinion = 0.5 * 0.6 * 0.04**2 * 25.0 / 4.0
    inertia = 4 * INERTIA + (2.5 + 0.25) * 30.0**2 + pinion
    assert rate == pytest.approx(-80.0 * 30.0 / inertia, rel=1e-3)


def test_the_engine_stalls_where_wheels_are_held_in_gear() -> None:
    simulation = on_stand()
    simulation.controls["it.brake"].set(1.0)
    simulation.controls["it.gear"].set(1)
    run(simulation, 3.0)
    view = simulation.part("it")
    assert view.engine.stalled and view.coupler.locked
    driver = on_stand(options={"coupler": machines.Clutch(max_torque=1800.0, grips=(80.0, 120.0))})
    driver.controls["it.brake"].set(1.0)
    driver.controls["it.gear"].set(1)
    run(driver, 3.0)
    assert not driver.part("it").engine.stalled and driver.part("it").engine_speed == pytest.approx(80.0)


def test_while_gears_change_the_clutch_is_open_and_the_throttle_cut() -> None:
    simulation = on_stand()
    simulation.controls["it.throttle"].set(1.0)
    simulation.controls["it.gear"].set(1)
    load(simulation, *[400.0] * 4)
    run(simulation, 2.0)
    view = simulation.part("it")
    simulation.controls["it.gear"].set(2)
    run(simulation, 0.2)
    assert view.gearbox.shifting and view.coupler.torque == 0.0 and view.engine_torque == pytest.approx(-80.0)
    assert np.abs(view.torques).max() < 1.0
    run(simulation, 1.5)
    assert view.gear == 2 and view.coupler.locked and view.coupler.torque > 50.0


def test_an_automatic_gearbox_waits_until_the_clutch_has_closed() -> None:
    """The input stands for a moment where wheels were braked to rest in the change: it would change back at once."""
    gears = machines.Gearbox(forward=(6.0, 3.5, 2.0), auto=(100.0, 210.0))
    simulation = on_stand(options={"gearbox": gears})
    simulation.controls["it.throttle"].set(1.0)
    simulation.controls["it.gear"].set(1)
    load(simulation, *[1200.0] * 4)
    seen = [0]
    for _ in range(600):
        run(simulation, 1 / 60)
        gear = simulation.part("it").gear
        if gear not in (0, seen[-1]):
            seen.append(gear)
    assert seen == [0, 1, 2, 3]


def test_an_automatic_gearbox_is_back_in_first_gear_where_the_vehicle_stands() -> None:
    gears = machines.Gearbox(forward=(6.0, 3.5, 2.0), auto=(100.0, 210.0))
    clutch = machines.Clutch(max_torque=1800.0, grips=(85.0, 120.0))
    simulation = on_stand(options={"gearbox": gears, "coupler": clutch})
    simulation.controls["it.throttle"].set(1.0)
    simulation.controls["it.gear"].set(1)
    load(simulation, *[200.0] * 4)
    run(simulation, 8.0)
    assert simulation.part("it").gear == 3
    simulation.controls["it.throttle"].set(0.0)
    simulation.controls["it.brake"].set(1.0)
    run(simulation, 4.0)
    view = simulation.part("it")
    assert view.gear == 1 and view.brakes.holds and view.engine_speed == pytest.approx(80.0)


def test_an_engine_can_drive_without_clutch_and_gearbox() -> None:
    motor = machines.Engine(on="frame", torque_curve=[(0, 100), (300, 60)], inertia=0.05, friction_torque=2)
    part = machines.Drivetrain(engine=motor, final=machines.Differential(ratio=10.0, outputs=(hinge(0), hinge(1))))
    simulation = taut.Simulation(stand(("it", part), wheels=2))
    simulation.controls["it.throttle"].set(1.0)
    load(simulation, 400.0, 400.0)
    run(simulation, 60.0)
    view = simulation.part("it")
    assert view.engine_torque == pytest.approx(80.0, rel=1e-3) and view.engine_speed == pytest.approx(150.0, rel=5e-3)
    assert view.gear == 1 and view.losses == {}
    single = machines.Drivetrain(engine=motor, coupler=machines.Clutch(max_torque=200.0), final=hinge(0))
    assert taut.Simulation(stand(("it", single), wheels=1)).part("it").outputs == [("frame", "wheel-0")]


@pytest.mark.parametrize(("share", "climbs"), [(0.8, True), (0.9, True), (1.05, False)])
def test_15_tonnes_climb_what_the_torque_curve_says(share: float, climbs: bool) -> None:
    """Steady on a slope: torque = m g sin(slope) r / ratio, at the speed where the curve has that torque."""
    mass, radius, ratio, efficiency = 15e3, 0.52, 24.0, 0.95
    peak = max(torque for _, torque in CURVE)
    slope = math.asin(share * peak * ratio * efficiency / (radius * mass * 9.81))
    scene = taut.Scene(gravity=(-9.81 * math.sin(slope), 0, -9.81 * math.cos(slope)), friction=1.0)
    scene.add_plane()
    size = taut.shapes.Box(6.0, 2.0, 0.6)
    scene.add_body("hull", size, mass=mass - 8 * 100.0, position=(0, 0, 0.9), collides=False)
    hinges = []
    for number in range(8):
        place = (2.4 - 1.6 * (number // 2), 1.2 - 2.4 * (number % 2), radius)
        scene.add_body(f"wheel-{number}", taut.shapes.Sphere(radius), mass=100.0, position=place)
        hinges.append(f"hinge-{number}")
        scene.connect("hull", f"wheel-{number}", taut.joints.Revolute(axis=(0, 1, 0)), at=place, name=hinges[-1])
    axles = [machines.Differential(outputs=pair) for pair in zip(hinges[::2], hinges[1::2], strict=True)]
    pairs = [machines.Differential(outputs=pair) for pair in zip(axles[::2], axles[1::2], strict=True)]
    part = machines.Drivetrain(
        engine=engine(on="hull", friction_torque=0.0), coupler=machines.Clutch(max_torque=1.5e3, grips=(110, 125)),
        gearbox=machines.Gearbox(forward=(4.8,), efficiency=efficiency, shift_time=0.0),
        final=machines.Differential(outputs=tuple(pairs), ratio=5.0), brakes=machines.Brake(max_torque=2e4),
        schedules={"throttle": taut.Ramps((0.0, 0.0), (0.5, 1.0)), "gear": lambda time: 1},
    )  # fmt: skip
    scene.add(part, name="truck")
    simulation = taut.Simulation(scene)
    simulation.controls["truck.brake"].set(1.0)
    run(simulation, 1.0)
    simulation.controls["truck.brake"].set(0.0)
    run(simulation, 40.0 if climbs else 5.0)
    view = simulation.part("truck")
    if not climbs:
        assert not view.coupler.locked and view.engine_torque == pytest.approx(peak, rel=0.01)
        assert simulation.body("hull").velocity[0] < 0.0
        return
    falling = [point for point in CURVE if point[0] >= 120]
    speeds, torques = np.array(falling).T
    expected = float(np.interp(share * peak, torques[::-1], speeds[::-1]))
    assert view.engine_torque == pytest.approx(share * peak, rel=0.01)
    assert view.engine_speed == pytest.approx(expected, rel=0.01)
    assert simulation.body("hull").velocity[0] == pytest.approx(expected * radius / ratio, rel=0.01)


@SOLVERS
def test_runs_repeat_to_the_bit_from_a_saved_state(solver: str, tmp_path: Any) -> None:
    first = on_stand(solver=solver)
    for frame in range(100):
        story(first, frame)
        first.step()
    first.save(tmp_path / "it.npz")
    second = taut.Simulation.load(tmp_path / "it.npz")
    for _ in range(60):
        first.step()
        second.step()
    assert same_state(first.state, second.state) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"engine": None}, "engine is None; it must be an Engine"),
        ({"coupler": machines.Brake(max_torque=1.0)}, "a Clutch or a TorqueConverter"),
        ({"gearbox": machines.Gearbox(input="a")}, "'input'"),
        ({"engine": engine(schedule=lambda time: 0.0)}, "'schedule'"),
        ({"final": 3}, "final is 3"),
        ({"final": "nothing"}, "nothing"),
        ({"gearbox": None, "shaft": machines.Shaft(on="frame")}, "needs both"),
        ({"schedules": {"steer": abs}}, "steer"),
        ({"schedules": 3}, "schedules is 3"),
    ],
)
def test_what_makes_no_drivetrain_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(taut.InputError, match=words):
        on_stand(options=options)
