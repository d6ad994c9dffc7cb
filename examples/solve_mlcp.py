"""Solve a mixed linear complementarity problem on its own: A lam + b = w, lower <= lam <= upper.

Where lam is between its bounds w is zero; at the lower bound w may be positive, at the upper bound negative.
"""

import numpy as np

import taut

A = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
b = np.array([-5.0, -6.0, 1.0])
lower = np.array([-np.inf, 0.0, 0.0])  # an equation, a contact, a second contact
upper = np.array([np.inf, 1.0, np.inf])  # the first contact bears at most 1

for method in ("bpp", "bpp-dense", "ipm", "pgs"):
    solution = taut.solve_mlcp(A, b, lower, upper, method=method)
    print(f"{method:10} {solution.status:12} residual {solution.residual:.1e}  lam {solution.lam}  w {solution.w}")
