"""Contact rows: gaps, Jacobians and stiffness against finite differences, and their laws against their words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import taut
from taut.contact.memory import ContactMemory
from taut.contact.rows import RECOVERY
from taut.shapes import Box, Capsule, Sphere
from taut.spatial_kernels import rotation_matrices
from taut.stepping.collide import find_contacts
from taut.stepping.workspace import Workbench

H = 1.0 / 60.0


def two_bodies(first: taut.shapes.Shape, second: taut.shapes.Shape, height: float, **options: float) -> taut.Simulation:
    """Two free bodies, the second above the first by this height, turned so that nothing is aligned."""
    scene = taut.Scene(**options)
    tilt = np.array([np.cos(0.2), np.sin(0.2), 0.0, 0.0])
    level = np.array([np.cos(np.pi / 4), 0.0, np.sin(np.pi / 4), 0.0])
    scene.add_body("a", first, mass=2.0, orientation=level)
    scene.add_body("b", second, mass=3.0, position=(0.02, 0.03, height), orientation=tilt)
    return taut.Simulation(scene)


def linearised(simulation: taut.Simulation) -> Workbench:
    """The bench with the contacts of the present state and their rows evaluated."""
    bench, state = simulation.bench, simulation.state
    bench.position[:], bench.orientation[:] = state.position, state.orientation
    rotation_matrices(bench.orientation, bench.rotation)
    find_contacts(bench, state, state.velocity, H)
    bench.rows.step, bench.rows.beta[:] = H, H
    bench.rows.evaluate(bench.position, bench.rotation)
    bench.contacts.evaluate(bench.position, bench.rotation, bench.rows)
    return bench


def moved(bench: Workbench, body: int, twist: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions and rotations with one body moved by a small twist (6,)."""
    position, orientation = bench.position.copy(), bench.orientation.copy()
    position[body] += twist[:3]
    orientation[body] = taut.spatial.multiply(taut.spatial.exponential(twist[3:]), orientation[body])
    rotation = np.empty((len(position), 9))
    rotation_matrices(orientation, rotation)
    return position, rotation


CASES = {
    "ball on ball": (Sphere(0.3), Sphere(0.2), 0.501),
    "crossed capsules": (Capsule(0.1, 1.0), Capsule(0.1, 1.0), 0.205),
    "ball on box": (Box(1.0, 1.0, 1.0), Sphere(0.2), 0.701),
}


@pytest.mark.parametrize("case", CASES)
def test_normal_rows_are_derivatives_of_their_gaps(case: str) -> None:
    bench = linearised(two_bodies(*CASES[case]))
    contacts = bench.contacts
    assert contacts.count >= 1
    step = 1e-6
    for body in (1, 2):
        for axis in range(6):
            twist = step * np.eye(6)[axis]
            gaps = [contacts.gaps(*moved(bench, body, sign * twist)) for sign in (1.0, -1.0)]
            rate = (gaps[0] - gaps[1]) / (2.0 * step)
            side = 0 if contacts.contacts.body_a[0] == body else 1
            assert rate == pytest.approx(bench.rows.jacobian[contacts.entry + side, axis], abs=1e-5)


def test_frames_are_orthonormal_and_the_two_sides_opposite() -> None:
    bench = linearised(two_bodies(*CASES["crossed capsules"]))
    contacts, jacobian = bench.contacts, bench.rows.jacobian
    first = int(contacts.entry[0])
    frame = jacobian[first + 1 : first + 6 : 2, :3]
    assert frame @ frame.T == pytest.approx(np.eye(3), abs=1e-12)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    assert jacobian[first : first + 6 : 2, :3] == pytest.approx(-frame)


def test_a_rod_across_another_resists_tilting() -> None:
    """The true gap of crossed rods falls by D psi^2 / 2 when one tilts: F D on its rotation."""
    scene = taut.Scene()
    level = (np.cos(np.pi / 4), 0.0, np.sin(np.pi / 4), 0.0)
    across = (np.cos(np.pi / 4), np.sin(np.pi / 4), 0.0, 0.0)
    scene.add_body("a", Capsule(0.1, 1.0), mass=2.0, orientation=level)
    scene.add_body("b", Capsule(0.1, 1.0), mass=2.0, position=(0.0, 0.0, 0.2), orientation=across)
    simulation = taut.Simulation(scene)
    bench = linearised(simulation)
    contacts = bench.contacts
    assert contacts.count == 1
    bench.rows.force[contacts.row[0]] = 1000.0
    bench.rows.evaluate(bench.position, bench.rotation)
    contacts.evaluate(bench.position, bench.rotation, bench.rows)
    psi = 1e-3

    def gap(angle: float) -> float:
        position, rotation = moved(bench, 2, np.array([0.0, 0.0, 0.0, angle, 0.0, 0.0]))
        return float(bench.collider.contacts(position, rotation, np.full(3, 0.1)).gap[0])

    curvature = (gap(psi) - 2.0 * gap(0.0) + gap(-psi)) / psi**2
    assert bench.rows.stiffness[2, 0] == pytest.approx(-1000.0 * curvature, rel=1e-3), "B tilts about x"
    assert bench.rows.stiffness[2, 4] == pytest.approx(0.0, abs=1e-9), "B lies along y: turning about it tilts nothing"


def test_the_normal_law_asks_for_the_gap_at_the_end_of_the_step() -> None:
    bench = linearised(two_bodies(*CASES["ball on ball"], contact_compliance=1e-6))
    contacts, rows = bench.contacts, bench.rows
    velocity = np.random.default_rng(3).normal(size=(3, 6))
    contacts.start_gap[:] = 0.004
    contacts.apply_laws(velocity, rows)
    row = int(contacts.row[0])
    new, lam = np.random.default_rng(4).normal(size=(3, 6)), 7.0
    entry = int(contacts.entry[0])
    rate = [float((rows.jacobian[entry : entry + 2] * v[1:]).sum()) for v in (velocity, new)]
    gap = rows.value[row] + H * (rate[1] - rate[0])
    slack = rate[1] + rows.compliance[row] * lam + rows.bias[row]
    assert H * slack == pytest.approx(gap + 1e-6 * lam / H), "beta w = gap+ + C F"
    assert (rows.lower[row], rows.upper[row]) == (0.0, np.inf)


def test_an_overlap_that_nothing_explains_is_taken_back_slowly() -> None:
    bench = linearised(two_bodies(Sphere(0.3), Sphere(0.2), 0.48))
    contacts, rows = bench.contacts, bench.rows
    depth = -float(contacts.start_gap[0])
    assert depth == pytest.approx(0.02, abs=2e-3)
    contacts.apply_laws(np.zeros((3, 6)), rows)
    row = int(contacts.row[0])
    weight = rows.compliance[row] * H * contacts.stiffness[0]
    assert rows.bias[row] == pytest.approx(-RECOVERY * H * weight), "only what a step may take back is asked for"
    memory = contacts.remember(
        np.zeros(rows.value.size), np.zeros(rows.value.size, np.int64), contacts.start_gap, np.zeros((3, 6))
    )
    contacts.recall(memory, np.zeros(1, np.int64))
    contacts.start(np.zeros((3, 6)), 9.81, H, contacts.start_gap)
    assert contacts.aim[0] == pytest.approx(2.0 * RECOVERY * H - depth), "a step later it is that much less"


def test_what_has_opened_does_not_sink_in_again() -> None:
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("ball", Sphere(0.2), mass=1.0, position=(0.0, 0.0, 0.15))
    with pytest.warns(taut.TautWarning, match="overlap"):
        simulation = taut.Simulation(scene)
    simulation.step()
    assert simulation.report.penetration == pytest.approx(0.05, rel=0.1), "taken back slowly"
    simulation.state.position[1, 2] = 0.203
    simulation.state.velocity[:] = 0.0
    simulation.step()
    depth = max(simulation.step().penetration for _ in range(10))
    assert depth < 1e-4, "0.05 m were allowed once, because it started there"


def test_an_overlap_that_an_earlier_step_overlooked_is_reported() -> None:
    simulation = two_bodies(Sphere(0.3), Sphere(0.2), 0.6)
    assert simulation.step().status == "solved"
    simulation.state.position[2] = simulation.state.position[1] + [0.0, 0.0, 0.4]
    simulation.state.velocity[:] = 0.0
    report = simulation.step()
    assert report.status == "penetration"
    assert np.linalg.norm(simulation.state.velocity) < 10.0 * RECOVERY, "it is taken back slowly all the same"


def test_a_contact_with_terrain_whose_normal_turned_is_a_new_one() -> None:
    bench = linearised(two_bodies(*CASES["ball on ball"]))
    contacts = bench.contacts
    count = bench.rows.value.size
    memory = contacts.remember(np.ones(count), np.zeros(count, np.int64), np.zeros(1), np.zeros((3, 6)))
    contacts.terrain[:] = True
    contacts.recall(memory, np.zeros(1, np.int64))
    assert contacts.known.all()
    contacts.recall(replace(memory, normal=memory.normal[:, [1, 2, 0]]), np.zeros(1, np.int64))
    assert not contacts.known.any()


def test_a_sticking_contact_remembers_its_force() -> None:
    bench = linearised(two_bodies(*CASES["ball on ball"]))
    contacts, rows = bench.contacts, bench.rows
    contacts.start_force[0, 1:3] = 5.0, -3.0
    contacts.apply_laws(np.zeros((3, 6)), rows)
    first = int(contacts.row[0]) + 1
    at_rest = -rows.bias[first : first + 2] / rows.compliance[first : first + 2]
    assert at_rest == pytest.approx([5.0 * H, -3.0 * H]), "with J v+ = 0 the impulse is that of the step before"


def test_memory_goes_through_arrays() -> None:
    simulation = two_bodies(*CASES["crossed capsules"])
    simulation.step()
    memory = simulation.state.contacts
    again = ContactMemory.from_arrays(memory.arrays())
    assert memory.contacts.count >= 1
    for name, value in memory.arrays().items():
        assert np.array_equal(again.arrays()[name], value), name
