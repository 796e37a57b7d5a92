"""LAPACK's routines for one matrix, as SciPy has them: what rows call where SciPy is installed.

NotImplemented stands for a code of failure: the caller has another way.
"""

from typing import Any

import numpy as np
from scipy.linalg import lapack


def substitute(a: Any, b: Any, lower: bool, unit: bool) -> Any:
    x, info = lapack.dtrtrs(a, b, lower, 0, unit)
    return NotImplemented if info else x


def lu_factor(a: Any) -> Any:
    lu, pivots, info = lapack.dgetrf(a)
    return (lu, pivots.astype(np.int64)) if info >= 0 else NotImplemented


def lu_solve(lu: Any, pivots: Any, b: Any, mode: int) -> Any:
    x, info = lapack.dgetrs(lu, pivots, b, mode)
    return NotImplemented if info else x


def cho_solve(c: Any, b: Any) -> Any:
    x, info = lapack.dpotrs(c, b, 1)
    return NotImplemented if info else x


def tridiagonal(dl: Any, d: Any, du: Any, b: Any) -> Any:
    *_, x, info = lapack.dgtsv(dl[1:], d, du[:-1], b)
    return NotImplemented if info else x


def banded(ab: Any, b: Any, below: int, above: int) -> Any:
    if below == above == 1 and ab.shape[-1] > 2:
        *_, x, info = lapack.dgtsv(ab[2, :-1], ab[1], ab[0, 1:], b)
        if info == 0:
            return x
    work = np.concatenate([np.zeros((below, ab.shape[-1])), ab])
    lu, pivots, info = lapack.dgbtrf(work, below, above)
    if info:
        return NotImplemented
    return lapack.dgbtrs(lu, below, above, b, pivots)[0]
