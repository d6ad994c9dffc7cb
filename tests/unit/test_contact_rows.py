"""Contact rows: gaps, Jacobians and stiffness against finite differences, and their laws against their words."""

from __future__ import annotations

import numpy as np
import pytest
from contact_examples import CASES, linearised, moved, two_bodies
from staged_steps import Staged

import taut
from taut.contact.memory import ContactMemory
from taut.contact.start import begin_contacts
from taut.shapes import Box, Capsule, Sphere


@pytest.mark.parametrize("case", CASES)
def test_normal_rows_are_derivatives_of_their_gaps(case: str) -> None:
    step = linearised(two_bodies(*CASES[case]))
    table = step.contacts.table
    assert step.contacts.count >= 1
    size = 1e-6
    for body in (1, 2):
        for axis in range(6):
            twist = size * np.eye(6)[axis]
            gaps = [step.contacts.look(moved(step, body, sign * twist)) for sign in (1.0, -1.0)]
            rate = (gaps[0] - gaps[1]) / (2.0 * size)
            side = 0 if table.body_a[0] == body else 1
            assert rate == pytest.approx(step.rows.jacobian[table.entry + side, axis], abs=1e-5)


def test_frames_are_orthonormal_and_the_two_sides_opposite() -> None:
    step = linearised(two_bodies(*CASES["crossed capsules"]))
    jacobian, first = step.rows.jacobian, int(step.contacts.table.entry[0])
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
    step = linearised(taut.Simulation(scene))
    assert step.contacts.count == 1
    force = np.zeros(step.rows.value.size)
    force[step.contacts.table.row[0]] = 1000.0
    step.linearise(force)
    psi, collider = 1e-3, step.stepper.collider

    def gap(angle: float) -> float:
        places = moved(step, 2, np.array([0.0, 0.0, 0.0, angle, 0.0, 0.0]))
        return float(collider.contacts(places.position, places.rotation, np.full(3, 0.1)).gap[0])

    curvature = (gap(psi) - 2.0 * gap(0.0) + gap(-psi)) / psi**2
    stiffness = step.rows.stiffness[2]
    assert stiffness[0] == pytest.approx(-1000.0 * curvature, rel=1e-3), "B tilts about x"
    assert stiffness[4] == pytest.approx(0.0, abs=1e-9), "B lies along y: turning about it tilts nothing"


def test_the_normal_law_asks_for_the_gap_at_the_end_of_the_step() -> None:
    step = linearised(two_bodies(*CASES["ball on ball"], contact_compliance=1e-6))
    table, rows, h = step.contacts.table, step.rows, float(step.scratch.weights.h[0])
    velocity = np.random.default_rng(3).normal(size=(3, 6))
    table.start_gap[:] = 0.004
    step.scratch.candidate.guess[:] = velocity
    step.linearise()
    row, entry = int(table.row[0]), int(table.entry[0])
    new, lam = np.random.default_rng(4).normal(size=(3, 6)), 7.0
    rate = [float((rows.jacobian[entry : entry + 2] * v[1:]).sum()) for v in (velocity, new)]
    gap = rows.value[row] + h * (rate[1] - rate[0])
    slack = rate[1] + rows.compliance[row] * lam + rows.bias[row]
    assert h * slack == pytest.approx(gap + 1e-6 * lam / h), "beta w = gap+ + C F"
    assert (rows.lower[row], rows.upper[row]) == (0.0, np.inf)
    assert (table.rate[0], table.value[0]) == pytest.approx((rate[0], rows.value[row]))


def test_a_sticking_contact_remembers_its_force() -> None:
    step = linearised(two_bodies(*CASES["ball on ball"]))
    table, rows, h = step.contacts.table, step.rows, float(step.scratch.weights.h[0])
    table.start_force[0, 1:3] = 5.0, -3.0
    step.linearise()
    first = int(table.row[0]) + 1
    at_rest = -rows.bias[first : first + 2] / rows.compliance[first : first + 2]
    assert at_rest == pytest.approx([5.0 * h, -3.0 * h]), "with J v+ = 0 the impulse is that of the step before"


def mixed() -> Staged:
    """Balls on the ground with one, three and six rows a contact, and a hinge whose rows come first."""
    scene = taut.Scene()
    scene.add_plane()
    for index, surface in enumerate(({"friction": 0.0}, {}, {"rolling_friction": 0.01})):
        scene.add_body(f"b{index}", Sphere(0.2), mass=1.0, position=(index, 0.0, 0.2), **surface)
    scene.add_body("post", Box(0.1, 0.1, 0.1), mass=1.0, position=(0.0, 5.0, 5.0))
    scene.connect("world", "post", taut.joints.Revolute(axis=(0, 0, 1)))
    return linearised(taut.Simulation(scene))


def test_rows_are_numbered_after_those_of_the_model() -> None:
    step = mixed()
    contacts, own = step.contacts, step.stepper.mechanism.row_count
    width = contacts.table.width
    assert width.tolist() == [1, 3, 6] and contacts.row_count == 10 and own == 5
    assert contacts.table.row.tolist() == [5, 6, 9]
    row, body = contacts.entries()
    assert row.tolist() == np.repeat(5 + np.arange(10), 2).tolist()
    assert body.tolist() == [0, 1] + [0, 2] * 3 + [0, 3] * 6
    blocks = contacts.table.entry[:, None] + [0, 1]
    assert step.entries.entry_body[blocks].tolist() == [[0, 1], [0, 2], [0, 3]]


@pytest.mark.parametrize("chosen", [(0, 1, 2), (1,), ()])
def test_values_go_from_rows_to_contacts_and_back(chosen: tuple[int, ...]) -> None:
    """With widths that differ, with one width, and without contacts."""
    step = mixed()
    places, velocity = step.scratch.places, step.state.velocity
    found = step.contacts.found.take(np.array(chosen, np.int64))
    contacts = begin_contacts(
        step.stepper.mechanism.around, found, ContactMemory.none(), places, places, velocity, 9.81, 0.02
    )
    table = contacts.table
    values = np.arange(float(5 + contacts.row_count))
    by_contact = contacts.gather(values)
    for row, width, own in zip(table.row, table.width, by_contact, strict=True):
        assert own[:width].tolist() == values[row : row + width].tolist() and not own[width:].any()
    back = np.zeros_like(values)
    contacts.scatter(by_contact, back)
    assert back[5:].tolist() == values[5:].tolist() and not back[:5].any()


def test_what_is_remembered_is_where_the_step_led() -> None:
    """The gap that was judged, the slip across the normal, and an aim no deeper than the gap."""
    step = linearised(two_bodies(*CASES["ball on ball"]))
    table, count = step.contacts.table, step.rows.value.size
    table.gap[:], table.aim[:], table.unforeseen[:] = -0.01, -0.02, -0.03
    velocity = np.zeros((3, 6))
    velocity[2, :3] = 1.0, 2.0, 3.0
    memory = step.contacts.remember(np.ones(count), np.zeros(count, np.int64), velocity, step.scratch.places.position)
    assert (memory.gap[0], memory.aim[0]) == (-0.01, -0.01)
    across = np.eye(3) - np.outer(table.normal[0], table.normal[0])
    assert memory.slip[0] == pytest.approx(across @ velocity[2, :3])
    assert memory.force[0].tolist() == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    table.gap[:] = 9.0
    assert memory.gap[0] == -0.01, "what is remembered does not change with the table"


def test_memory_goes_through_arrays() -> None:
    simulation = two_bodies(*CASES["crossed capsules"])
    simulation.step()
    memory = simulation.state.contacts
    again = ContactMemory.from_arrays(memory.arrays())
    assert memory.contacts.count >= 1
    for name, value in memory.arrays().items():
        assert np.array_equal(again.arrays()[name], value), name
