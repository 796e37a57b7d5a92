"""Sums of Gaussian kernels: all points against all data, in blocks."""

import math
from typing import Any, NamedTuple

from ..._memory import at_once
from ..._namespace import array_namespace, device, hooks_of, is_concrete, is_lazy, quiet
from ..._native import Lines, batches, native
from ...linalg._cholesky import _decomposed
from ...linalg._triangular import substituted
from ...solving._running import compiles, run_for

__all__ = ["Kernel", "cholesky_of", "kernel_of", "spread", "summed"]

_BLOCK = 1 << 15  # pairs of which three arrays stay in a core's cache
_ROOT = math.sqrt(0.5)
_HALF_LOG_PI = 0.5 * math.log(math.pi)


class Kernel(NamedTuple):
    """Hold what evaluates Gaussians of one covariance, times a squared width."""

    whitening: Any  # (..., d, d): points become those whose squared distances are the exponents
    log_norm: Any  # (...): the logarithm of the density at its centre

    def whitened(self, x: Any) -> Any:
        """Return points (..., d, m) in coordinates of the kernel."""
        if self.whitening.shape[-1] == 1:
            return x * self.whitening
        return array_namespace(x).matmul(self.whitening, x)


def cholesky_of(covariance: Any) -> Any:
    """Return the lower Cholesky factor; LinAlgError if one that can be read isn't definite."""
    xp = array_namespace(covariance)
    with quiet(covariance):
        small = covariance.shape[-1] == 1
        factor = xp.sqrt(covariance) if small else _decomposed(covariance)
        if covariance.ndim == 2 and is_concrete(covariance) and not bool(factor[-1, -1] > 0):
            raise hooks_of(factor).linalg_error(
                "gaussian_kde: a covariance must be positive definite, but isn't"
            )
        return factor


def kernel_of(factor: Any, width: Any = 1.0) -> Kernel:
    """Return the kernel of a lower Cholesky factor, and of a width of shape (...) or a number."""
    xp, d = array_namespace(factor), factor.shape[-1]
    if d == 1:
        whitening = _ROOT / (factor * spread(width, 2))
        return Kernel(whitening, xp.log(whitening[..., 0, 0]) - _HALF_LOG_PI)
    eye = xp.eye(d, dtype=factor.dtype, device=device(factor))
    with quiet(factor):
        inverse = substituted(factor, eye, True, False)
    whitening = inverse * (_ROOT / spread(width, 2))
    diagonal = xp.reshape(whitening, (*whitening.shape[:-2], d * d))[..., :: d + 1]
    return Kernel(whitening, xp.sum(xp.log(diagonal), axis=-1) - d * _HALF_LOG_PI)


def spread(x: Any, ndim: int) -> Any:
    """Return a number, or an array with so many dimensions of size 1 behind its own."""
    return x[(..., *(None,) * ndim)] if getattr(x, "ndim", 0) else x


def summed(kernel: Kernel, points: Any, white: Any, weights: Any = None, log: bool = False) -> Any:
    """Return the weighted sum of densities at points, or its logarithm, shape (..., m).

    Points (..., d, m) and data (..., d, n) are whitened; weights (..., n) are one if None.
    """
    xp = array_namespace(points)
    points, white = xp.matrix_transpose(points), white[..., None, :, :]
    if weights is not None:
        weights = weights[..., None, :]
    found = _summed(points, white, weights, log)
    norm = kernel.log_norm[..., None]
    return found + norm if log else found * xp.exp(norm)


def _in_blocks(p: Any, x: Any, w: Any, log: bool) -> Lines:
    given = {0: (p, 1), 1: (x, 2)}
    return batches(given if w is None else {**given, 2: (w, 1)}, ((), p.dtype))


@native(blocks=_in_blocks)
def _summed(p: Any, x: Any, w: Any, log: bool) -> Any:
    """Sum w exp(-|p - x|^2) over data, or the logarithm: p (..., m, d), x (..., 1, d, n)."""
    if compiles(p) and not any(map(is_lazy, (p, x, w)[: 2 + (w is not None)])):
        return run_for(p, _by_key, log, p, x, w)
    return _by_key(log, p, x, w)


def _by_key(log: bool, p: Any, x: Any, w: Any) -> Any:
    xp, m = array_namespace(p), p.shape[-2]
    each = max(1, math.prod(x.shape[:-3]), math.prod(p.shape[:-2])) * max(1, x.shape[-1])
    if is_concrete(p):
        most = max(1, _BLOCK // each)
    else:
        most = at_once(p, 4 * each * xp.finfo(p.dtype).bits // 8, m)
    if log and w is not None:
        there = w > 0
        w = xp.where(there, xp.log(xp.where(there, w, 1.0)), -xp.inf)
    body = _log_block if log else _block
    if m <= most:
        return body(xp, p, x, w)
    parts = [body(xp, p[..., i : min(i + most, m), :], x, w) for i in range(0, m, most)]
    return xp.concat(parts, axis=-1)


def _distances(p: Any, x: Any) -> Any:
    """Return squared distances of all pairs, (..., m, n)."""
    e = p[..., 0, None] - x[..., 0, :]
    out = e * e
    for k in range(1, p.shape[-1]):
        e = p[..., k, None] - x[..., k, :]
        out += e * e  # made here; libraries that can't write make new ones
    return out


def _block(xp: Any, p: Any, x: Any, w: Any) -> Any:
    e = _distances(p, x)
    e *= -1.0
    e = xp.exp(e)
    return xp.sum(e if w is None else e * w, axis=-1)


def _log_block(xp: Any, p: Any, x: Any, log_w: Any) -> Any:
    e = _distances(p, x)
    e = e if log_w is None else e - log_w
    least = xp.min(e, axis=-1, keepdims=True)
    least = xp.where(least == xp.inf, 0.0, least)
    return xp.log(xp.sum(xp.exp(least - e), axis=-1)) - least[..., 0]
