"""Dense twin of the natural residual."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


def natural_residual(A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray, lam: np.ndarray) -> float:
    """Scaled natural residual of a candidate, the largest over all islands of A.                 [Peiret2019, eq. 29]

    Peiret's row residual is max(|min(lam - l, w+)|, |min(u - lam, w-)|) with w = w+ - w-; here it is written as the
    equal |lam - clip(lam - w, l, u)|, after scaling by d = diag(A) to lam~ = sqrt(d) lam and w~ = w / sqrt(d).
    """
    if b.size == 0:
        return 0.0
    d = np.abs(np.diag(A))
    root = np.sqrt(np.where(d > 0.0, d, 1.0))
    lam_scaled = root * lam
    w_scaled = (A @ lam + b) / root
    row = np.abs(lam_scaled - np.clip(lam_scaled - w_scaled, root * lower, root * upper))
    if not np.isfinite(row).all():
        return np.inf
    size = np.maximum(np.abs(b / root), np.abs(lam_scaled))
    _, island = connected_components(csr_array(A))
    return float(max(row[island == k].max() / max(size[island == k].max(), 1e-300) for k in np.unique(island)))
