"""Where contacts start a step: what they carried, what new ones will carry, and overlaps that were there before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from contact_examples import CASES, linearised, two_bodies
from staged_steps import Staged

import taut
from taut.collide.kinds import HEIGHTFIELD
from taut.contact.memory import ContactMemory
from taut.contact.settings import CONTACT
from taut.contact.start import go_on_from, no_contacts
from taut.contact.start_kernels import depth_of_pair, guess, recall
from taut.contact.table import ContactTable
from taut.problem.solution import AT_LOWER, FREE
from taut.shapes import Box, Sphere

H = 1.0 / 60.0
GRAVITY = 9.81
FIRST = np.zeros(1, np.int64)
"""The first contact is that of the step before."""


def remembered(step: Staged, force: float = 0.0) -> ContactMemory:
    """What the contacts of a step leave with these forces, free and without slip."""
    count = step.rows.value.size
    return step.contacts.remember(
        np.full(count, force), np.zeros(count, np.int64), np.zeros((3, 6)), step.scratch.places.position
    )


def recalled(step: Staged, memory: ContactMemory, kind: np.ndarray) -> ContactTable:
    """The contact of a step as if it had just been found again, with kinds (geoms,) of geoms."""
    table = step.contacts.table
    for values in (table.start_force, table.label, table.aim):
        values[:] = 0
    recall(
        step.contacts.handle, kind, FIRST, memory.force, memory.label, memory.normal, memory.tangent, memory.gap,
        memory.aim,
    )  # fmt: skip
    return table


def begun(step: Staged, memory: ContactMemory, relative: tuple[float, float, float] = (0, 0, 0)) -> ContactTable:
    """The contact of a step as a step later, where it moves with a relative velocity and is as far open."""
    gap, old = step.contacts.table.start_gap.copy(), memory.contacts
    table = recalled(step, memory, step.stepper.mechanism.geoms.kind)
    guess(step.contacts.handle, gap, np.array([relative], float), GRAVITY, H, old.geom_a, old.geom_b, memory.gap)
    return table


def test_an_overlap_that_nothing_explains_is_taken_back_slowly() -> None:
    step = linearised(two_bodies(Sphere(0.3), Sphere(0.2), 0.48))
    table, rows = step.contacts.table, step.rows
    depth = -float(table.start_gap[0])
    assert depth == pytest.approx(0.02, abs=2e-3)
    row = int(table.row[0])
    weight = rows.compliance[row] * H * table.stiffness[0]
    assert rows.bias[row] == pytest.approx(-CONTACT.recovery * H * weight), (
        "only what a step may take back is asked for"
    )
    table.gap[:] = table.start_gap
    later = begun(step, remembered(step))
    assert later.aim[0] == pytest.approx(2.0 * CONTACT.recovery * H - depth), "a step later it is that much less"


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
    assert np.linalg.norm(simulation.state.velocity) < 10.0 * CONTACT.recovery, "it is taken back slowly all the same"


def test_a_new_contact_overlaps_by_what_its_pair_did_not_already() -> None:
    step = linearised(two_bodies(Sphere(0.3), Sphere(0.2), 0.48))
    table, still = step.contacts.table, np.zeros((1, 3))
    for geoms, known in (((table.geom_a, table.geom_b), 0.015), ((table.geom_b, table.geom_a), 0.0)):
        table.start_gap[:], table.known[:], table.overlooked[:] = -0.02, 0, 0.0
        guess(step.contacts.handle, np.full(1, -0.02), still, GRAVITY, H, *geoms, np.full(1, -0.015))
        assert table.overlooked[0] == pytest.approx(0.02 - known), "of the same pair only"


def test_a_contact_with_terrain_whose_normal_turned_is_a_new_one() -> None:
    step = linearised(two_bodies(*CASES["ball on ball"]))
    memory, kind = remembered(step, force=1.0), np.full(2, HEIGHTFIELD)
    assert recalled(step, memory, kind).known.all()
    turned = replace(memory, normal=memory.normal[:, [1, 2, 0]])
    assert not recalled(step, turned, kind).known.any()
    assert recalled(step, turned, step.stepper.mechanism.geoms.kind).known.all(), "a ball on a ball may roll"


def test_a_contact_goes_on_with_what_it_carried() -> None:
    step = linearised(two_bodies(*CASES["ball on ball"]))
    step.contacts.table.start_gap[:] = 0.0
    table = begun(step, remembered(step, force=3.0))
    assert table.known.tolist() == [1]
    assert table.start_force[0].tolist() == table.force[0].tolist() == [3.0, 3.0, 3.0, 0.0, 0.0, 0.0]
    assert table.normal_impulse[0] == pytest.approx(3.0 * H)
    table.force[:] = 0.0
    assert table.start_force[0, 0] == 3.0, "where the solver starts is no part of the law"


def test_a_contact_that_opens_holds_nothing_back() -> None:
    step = linearised(two_bodies(*CASES["ball on ball"]))
    step.contacts.table.start_gap[:] = 2.0 * GRAVITY * H * H
    assert begun(step, remembered(step, force=3.0)).normal_impulse[0] == 0.0


def test_new_contacts_start_with_what_stops_them() -> None:
    """Of the reduced mass: what takes back the overlap and bears gravity, shared by the points of a pair."""
    scene = taut.Scene()
    scene.add_plane()
    scene.add_body("box", Box(1.0, 1.0, 1.0), mass=8.0, position=(0.0, 0.0, 0.5))
    scene.add_body("ball", Sphere(0.5), mass=3.0, position=(3.0, 0.0, 0.504))
    table = linearised(taut.Simulation(scene, step=H)).contacts.table
    assert table.body_b.tolist() == [1, 1, 1, 1, 2]
    assert table.normal_impulse[:4] == pytest.approx(8.0 * GRAVITY * H / 4.0)
    assert (table.label[:4, 0] == FREE).all() and not table.known.any()
    assert not table.normal_impulse[4:].any() and (table.label[4:, 0] == AT_LOWER).all(), "an open one carries nothing"


def test_tangents_follow_the_slip_and_forces_stay_where_they_were() -> None:
    step = linearised(two_bodies(*CASES["ball on ball"]))
    step.contacts.table.start_gap[:] = 0.0
    memory = remembered(step, force=2.0)
    normal, old = memory.normal[0], memory.tangent[0]
    before = 2.0 * (old + np.cross(normal, old))
    slip = np.cross(normal, old)
    for speed, follows in ((1.0, True), (1e-4, False)):
        table = begun(step, memory, tuple(speed * slip))
        tangent, force = table.tangent[0], table.start_force[0]
        assert tangent == pytest.approx(slip if follows else old, abs=1e-12)
        across = force[1] * tangent + force[2] * np.cross(normal, tangent)
        assert across == pytest.approx(before), "the same force in another frame"
        assert table.label[0, 1:3].tolist() == ([AT_LOWER, FREE] if follows else [FREE, FREE])


def test_a_small_turn_of_a_tangent_keeps_its_labels() -> None:
    step = linearised(two_bodies(*CASES["ball on ball"]))
    memory, angle = remembered(step), 0.1
    memory.label[0] = 7
    normal, old = memory.normal[0], memory.tangent[0]
    slip = np.cos(angle) * old + np.sin(angle) * np.cross(normal, old)
    table = begun(step, memory, tuple(slip))
    assert table.tangent[0] == pytest.approx(slip) and table.label[0].tolist() == [7] * 6


def test_a_solve_of_the_same_step_is_gone_on_with() -> None:
    step = linearised(two_bodies(*CASES["ball on ball"]))
    latest = remembered(step, force=4.0)
    latest.label[:] = 5
    go_on_from(step.contacts, latest, step.stepper.mechanism.geoms.radius, H)
    table = step.contacts.table
    assert table.force[0].tolist() == [4.0, 4.0, 4.0, 0.0, 0.0, 0.0] and (table.label == 5).all()
    assert table.normal_impulse[0] == pytest.approx(4.0 * H)
    assert not table.start_force.any(), "the law still starts from the step before"


def test_no_contacts_are_a_set_of_them() -> None:
    contacts = no_contacts()
    assert contacts.count == contacts.row_count == 0
    assert [each.size for each in contacts.entries()] == [0, 0]


@pytest.mark.parametrize("count", [0, 1, 40])
def test_the_depth_of_a_pair_is_that_of_its_deepest_point(count: int) -> None:
    rng = np.random.default_rng(count)
    geom_a, geom_b = rng.integers(0, 4, count), rng.integers(4, 7, count)
    order, gap = np.lexsort([geom_b, geom_a]), rng.normal(size=count)
    geom_a, geom_b = geom_a[order], geom_b[order]
    for a in range(5):
        for b in range(3, 8):
            wanted = np.max(-gap[(geom_a == a) & (geom_b == b)], initial=0.0)
            assert depth_of_pair(a, b, geom_a, geom_b, gap) == wanted
