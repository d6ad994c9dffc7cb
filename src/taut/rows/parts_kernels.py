"""Kernel of `parts.py`: one line a kind of part."""

from __future__ import annotations

from taut.kernel import kernel
from taut.rows.coordinate_kernels import combine, evaluate_angles, evaluate_slides, evaluate_spins, spread_force
from taut.rows.direction_kernels import evaluate_directions
from taut.rows.distance_kernels import evaluate_distances
from taut.rows.orientation_kernels import evaluate_orientations
from taut.rows.parts import Parts
from taut.rows.point_kernels import evaluate_points
from taut.rows.route_kernels import evaluate_routes
from taut.rows.slip_kernels import evaluate_slips
from taut.rows.table import Places, RowTable


@kernel(apart=True)
def evaluate(parts: Parts, places: Places, rows: RowTable) -> None:
    """Measures, Jacobians and geometric stiffness of every part where bodies are.

    Writes:  value, jacobian, stiffness and what belongs to coordinates of rows
    """
    for body in range(rows.stiffness.shape[0]):
        for i in range(9):
            rows.stiffness[body, i] = 0.0
    evaluate_points(parts.points, places, rows)
    evaluate_directions(parts.directions, places, rows)
    evaluate_orientations(parts.orientations, places, rows)
    evaluate_distances(parts.distances, places, rows)
    evaluate_slips(parts.slips, places, rows)
    spread_force(parts.couplings, rows)
    evaluate_slides(parts.slides, places, rows)
    evaluate_angles(parts.angles, places, rows)
    evaluate_spins(parts.spins, places, rows)
    combine(parts.couplings, rows)
    evaluate_routes(parts.routes, places, rows)
