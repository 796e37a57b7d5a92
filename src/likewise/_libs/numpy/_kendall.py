"""Kendall's tau of long rows."""

from typing import Any

import numpy as np
from scipy.stats import kendalltau


def kendall(x: Any, y: Any, omit: bool, method: str, variant: str, side: int) -> tuple[Any, Any]:
    """Kendall's tau and its p-value of each row by SciPy's routine."""
    shape = (*x.shape[:-1], 1)
    alternative = {-1: "less", 0: "two-sided", 1: "greater"}[side]
    rows = (v.reshape(-1, v.shape[-1]) for v in (x, y))
    found = [
        kendalltau(a, b, method=method, variant=variant, alternative=alternative)
        for a, b in zip(*rows, strict=True)
    ]
    tau, p = np.asarray(found, x.dtype).reshape(-1, 2).T
    return tau.reshape(shape), p.reshape(shape)
