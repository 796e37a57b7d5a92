"""LAPACK's routines, as SciPy has them for one matrix: what rows call where SciPy is installed.

NotImplemented stands for a code of failure: the caller has another way.
"""

import functools
import math
import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from ...errors import LinAlgWarning, _caller_of, _level

_FEW = 64  # equations, up to which elimination takes less time than Levinson's recursion
# The share of matrix and solution that Levinson's recursion may leave of the right side.
_LEVINSON = 64 * float(np.finfo(np.float64).eps)
# Eigenvalues, relative to the largest, that count as zero in SciPy's distributions.
_NEGLIGIBLE = {"f": 1e3 * float(np.finfo("f").eps), "d": 1e6 * float(np.finfo("d").eps)}
_LOG_TAU = math.log(2 * math.pi)


class _Routines(NamedTuple):
    """Holds LAPACK's routines of one dtype."""

    eps: float
    lange: Any
    gecon: Any
    gesv: Any
    getrf: Any
    getri: Any
    getrs: Any
    trtrs: Any
    potrf: Any
    potrs: Any


@functools.cache
def _of(dtype: Any) -> _Routines | None:
    if dtype.char not in "fdFD":
        return None
    found = lapack.get_lapack_funcs(_Routines._fields[1:], dtype=dtype)
    return _Routines(float(np.finfo(dtype).eps), *found)


def _judged(of: _Routines, lu: Any, norm: float, info: int) -> bool:
    """Tell if factors of a matrix serve; a warning if digits are lost. `norm` is the matrix's."""
    if info or norm - norm != 0:  # singular, or not finite
        return False
    share = float(of.gecon(lu, norm)[0])
    if share < of.eps:
        name, own = _caller_of("linalg")
        if not own:
            warnings.warn(
                f"{name or 'linalg'}: an ill-conditioned matrix, whose reciprocal condition number "
                f"is {share:.3g}: the result may not be accurate",
                LinAlgWarning,
                stacklevel=_level(),
            )
    return True


def pencil(a: Any, b: Any) -> Any:
    """Eigenvalues of two matrices by QZ: infinite ones where `b` is singular."""
    if _of(a.dtype) is None or not (np.all(np.isfinite(a)) and np.all(np.isfinite(b))):
        return NotImplemented
    return linalg.eigvals(a, b, check_finite=False)


def barycentric_zeros(x: Any, w: Any) -> Any:
    """The zeros of ``sum(w / (z - x))`` by QZ, which has two more, infinite ones."""
    n = x.shape[0]
    kind = np.result_type(x, w)
    if _of(kind) is None or not (np.all(np.isfinite(x)) and np.all(np.isfinite(w))):
        return NotImplemented
    a, b = np.zeros((n + 1, n + 1), kind), np.eye(n + 1, dtype=kind)
    b[0, 0], a[0, 1:], a[1:, 0] = 0.0, w, 1.0
    np.fill_diagonal(a[1:, 1:], x)
    found = linalg.eigvals(a, b, check_finite=False)
    return found[np.argsort(np.abs(found))[: n - 1]]


def solve(a: Any, b: Any) -> Any:
    """Solve equations; a warning where the one matrix is ill-conditioned."""
    of = _of(a.dtype)
    if of is None:
        return NotImplemented
    if a.ndim != 2 or b.ndim != 2:
        if not np.isfinite(a).all():
            return NotImplemented
        try:
            return np.linalg.solve(a, b)
        except np.linalg.LinAlgError:
            return NotImplemented
    norm = of.lange("1", a)
    lu, _, x, info = of.gesv(a, b)
    return x if _judged(of, lu, norm, info) else NotImplemented


def inv(a: Any) -> Any:
    """Invert matrices; a warning where the one is ill-conditioned."""
    of = _of(a.dtype)
    if of is None:
        return NotImplemented
    if a.ndim != 2:
        if not np.isfinite(a).all():
            return NotImplemented
        try:
            return np.linalg.inv(a)
        except np.linalg.LinAlgError:
            return NotImplemented
    norm = of.lange("1", a)
    lu, pivots, info = of.getrf(a)
    if not _judged(of, lu, norm, info):
        return NotImplemented
    return of.getri(lu, pivots)[0]


def substitute(a: Any, b: Any, lower: bool, unit: bool) -> Any:
    of = _of(a.dtype)
    if of is None:
        return NotImplemented
    x, info = of.trtrs(a, b, lower, 0, unit)
    return NotImplemented if info else x


def normal_log_density(off: Any, cov: Any, *args: Any) -> Any:
    """Normal log-densities of rows, if the covariance is positive definite beyond doubt.

    Its smallest eigenvalue is at least ``det ((n - 1) / trace)^(n - 1)``.
    """
    of, n = _of(cov.dtype), cov.shape[-1]
    if of is None or off.dtype != cov.dtype:
        return NotImplemented
    factor, info = of.potrf(cov, lower=1, clean=0)
    if info:
        return NotImplemented
    pivots = factor.diagonal().tolist()
    if not 0 < min(pivots) < math.inf:
        return NotImplemented
    log_det = 2 * sum(map(math.log, pivots))
    log_trace = math.log(sum(cov.diagonal().tolist()))
    limit = math.log(_NEGLIGIBLE[cov.dtype.char])
    if log_det - (n - 1) * (log_trace - math.log(max(n - 1, 1))) - log_trace < limit:
        return NotImplemented
    z, _ = of.trtrs(factor, off.T, 1)
    return -0.5 * (np.einsum("ij,ij->j", z, z) + (n * _LOG_TAU + log_det))


def lu_factor(a: Any) -> Any:
    of = _of(a.dtype)
    if of is None:
        return NotImplemented
    lu, pivots, info = of.getrf(a)
    return (lu, pivots.astype(np.int64)) if info == 0 else NotImplemented


def lu(a: Any, permute_l: bool, p_indices: bool) -> Any:
    out = linalg.lu(a, permute_l, False, False, p_indices)
    return (out[0].astype(np.int64), *out[1:]) if p_indices and not permute_l else out


def solve_toeplitz(c: Any, r: Any, b: Any) -> Any:
    """Solve by Levinson's recursion, which has no way around a singular principal minor.

    Beside one it loses digits, which corrections by the residual bring back. Few equations are
    solved as any are, in less time.
    """
    n = c.shape[0]
    if n <= _FEW:
        row = np.concatenate([c[::-1], r[1:]])
        step = row.itemsize
        return solve(np.ndarray((n, n), row.dtype, row, (n - 1) * step, (-step, step)), b)
    diagonals = np.concatenate([r[:0:-1], c]).astype(np.result_type(c, float))
    size = float(np.sum(np.abs(diagonals)))
    x, left = 0, b
    for _ in range(3):
        try:
            x = x + linalg.solve_toeplitz((c, r), left, check_finite=False)
        except linalg.LinAlgError:
            return NotImplemented
        left = b - np.stack([np.convolve(diagonals, row, "valid") for row in x.T], axis=-1)
        error = float(np.max(np.abs(left)))
        if error <= _LEVINSON * (size * float(np.max(np.abs(x))) + float(np.max(np.abs(b)))):
            return x.astype(b.dtype)
    return NotImplemented


def lu_solve(lu: Any, pivots: Any, b: Any, mode: int) -> Any:
    of = _of(lu.dtype)
    if of is None:
        return NotImplemented
    x, info = of.getrs(lu, pivots, b, mode)
    return NotImplemented if info else x


def cho_solve(c: Any, b: Any) -> Any:
    of = _of(c.dtype)
    if of is None:
        return NotImplemented
    x, info = of.potrs(c, b, 1)
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


def balance(a: Any, permute: bool, scale: bool) -> Any:
    with np.errstate(invalid="ignore"):  # it casts scales to integers, too, which it doesn't read
        b, (scales, order) = linalg.matrix_balance(a, permute, scale, separate=True)
    return b, scales.astype(b.real.dtype), order.astype(np.int64)
