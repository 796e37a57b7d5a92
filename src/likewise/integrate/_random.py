"""Integrals over boxes by quasi-random points."""

import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _plan, random
from .._creation import xp as default
from .._namespace import array_namespace, describe, device, is_concrete, is_neutral, quiet, scalar
from .._native import public
from ..errors import ArgumentError, ArrayTypeError, IntegerError, ShapeError, _level
from ..solving._following import constants
from ..solving._function import Function

__all__ = ["QMCQuadResult", "qmc_quad"]


class QMCQuadResult(NamedTuple):
    """Hold an integral and its standard error."""

    integral: Any
    standard_error: Any


@public
def qmc_quad(
    func: Callable[..., Any],
    a: Any,
    b: Any,
    *,
    n_estimates: int = 8,
    n_points: int = 1024,
    qrng: Any = None,
    log: bool = False,
    key: Any = None,
) -> QMCQuadResult:
    """Integrate a function of several variables over a box by quasi-random points.

    Parameters
    ----------
    func : callable
        ``func(x) -> array``: of n points of d variables, (d, n), to their values, (n,), real.
    a, b : array, shape (d,)
        Limits, in any order.
    n_estimates : int, optional
        The number of independent estimates, of which the integral is the mean.
    n_points : int, optional
        The number of points of each.
    qrng : object, optional
        What gives points: `d`, and ``random(n)``, (n, d), in the unit cube, such as the engines of
        `likewise.stats.qmc`. Default: the sequence of Halton.
    log : bool, optional
        Whether `func` returns logarithms of values; then the result holds logarithms, too.
    key : array, shape (2,), or int, optional
        A key (`likewise.random.key`), or a seed. Default: 0.

    Returns
    -------
    QMCQuadResult
        `integral` and `standard_error`, of shape (). With `log` the integral of a box of negative
        volume has an imaginary part of pi, if the limits can be read.

    Warns
    -----
    UserWarning
        If a lower limit equals an upper one, and that can be read.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If limits are not real, or `qrng` is no source of points.
    ShapeError
        If limits have other than one dimension, or `func` doesn't return a value for each point.
    ArgumentError, IntegerError
        If a number of points isn't a positive integer, `log` is no bool, or `qrng` is of another
        dimension.

    Notes
    -----
    Each estimate takes the same points, shifted by a random vector modulo 1, so that it is unbiased
    (R. Cranley, T. N. L. Patterson, SIAM J. Numer. Anal. 13, 1976; J. H. Halton, Numer. Math. 2,
    1960). Sizes don't depend on values, so it runs in compiled code. Differentiable with respect to
    limits and what `func` closes over, if `func` is.

    Differs from SciPy: a key; later estimates are shifted, where SciPy makes an engine for each;
    `func` takes all points.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.integrate import qmc_quad
    >>> found = qmc_quad(lambda x: np.exp(-np.sum(x * x, axis=0)), np.zeros(3), np.ones(3))
    >>> bool(abs(found.integral - 0.7468241328**3) < 3 * found.standard_error)
    True
    """
    name = "qmc_quad"
    if not callable(func):
        raise ArrayTypeError(f"{name}: func must be callable, got {describe(func)}")
    fun = Function(name, "func", func)
    count, many = (
        _whole(name, label, v)
        for label, v in (("n_points", n_points), ("n_estimates", n_estimates))
    )
    if log not in (True, False):
        raise ArgumentError(f"{name}: log must be True or False, got {log!r}")
    low, high = _limits(name, a, b)
    xp, d = array_namespace(low), low.shape[0]
    width = high - low
    where, empty, turned = device(low), width == 0, False
    if is_concrete(width):
        turned = bool(xp.prod(xp.sign(width)) < 0)  # likewise: ignore[LW203]: values are at hand
        if bool(xp.any(empty)):  # likewise: ignore[LW203]: values are at hand
            warnings.warn(
                f"{name}: a lower limit equals an upper one, so the integral is zero",
                UserWarning,
                stacklevel=_level(),
            )
    points = _halton(low, count) if qrng is None else _drawn(name, qrng, low, count)
    if key is None or (hasattr(key, "__index__") and not getattr(key, "ndim", 0)):
        key = random.key(0 if key is None else int(key), like=low)
    shifts = random.uniform(key, (many, d), dtype=low.dtype, like=low)
    found = []
    for i in range(many):
        u = points + shifts[i, :][None, :]
        u = u - xp.floor(u)
        x = xp.matrix_transpose(low[None, :] + width[None, :] * u)
        y = fun.called(x)
        if tuple(getattr(y, "shape", ())) != (count,):
            if not is_neutral(y) or (hasattr(y, "shape") and y.shape):
                raise ShapeError(
                    f"{name}: func must return a value for each of the {count} points, the columns "
                    f"of x, got the shape {tuple(getattr(y, 'shape', ()))}"
                )
            y = xp.full((count,), float(y), dtype=low.dtype, device=where)
        if not xp.isdtype(y.dtype, "real floating"):
            y = xp.astype(y, low.dtype)
        if log:
            top = xp.max(y)
            top = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
            found.append(xp.log(xp.mean(xp.exp(y - top))) + top)
        else:
            found.append(xp.mean(y))
    each = xp.stack(found)
    with quiet(low):
        return _concluded(each, xp.prod(width), bool(log), turned, xp.any(empty))


def _concluded(each: Any, volume: Any, log: bool, turned: bool, none: Any) -> QMCQuadResult:
    xp = array_namespace(each)
    if not log:
        return QMCQuadResult(scalar(xp.mean(each) * volume), scalar(_error(each) * xp.abs(volume)))
    top = xp.max(each)
    top = xp.where(xp.isfinite(top), top, xp.zeros_like(top))
    parts = xp.exp(each - top)
    size = xp.log(xp.abs(volume)) + top
    integral = xp.log(xp.mean(parts)) + size
    error = xp.where(none, xp.zeros_like(size), xp.log(_error(parts)) + size)
    if turned:
        integral = integral + math.pi * 1j
    return QMCQuadResult(scalar(integral), scalar(error))


def _error(each: Any) -> Any:
    """The standard error of the mean; NaN for one estimate."""
    xp, n = array_namespace(each), each.shape[0]
    if n == 1:
        return each[0] * math.nan
    away = each - xp.mean(each)
    total = xp.sum(away * away)
    safe = xp.where(total > 0, total, xp.ones_like(total))
    root = xp.where(total > 0, xp.sqrt(safe), total)  # NaN stays
    return root / math.sqrt(n * (n - 1))


def _whole(name: str, label: str, value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if isinstance(value, bool | str) or number != value:
        raise IntegerError(f"{name}: {label} must be an integer, got {value!r}")
    if number < 1:
        raise ArgumentError(f"{name}: {label} must be at least 1, got {value!r}")
    return number


def _limits(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    xp = default if is_neutral(a) and is_neutral(b) else array_namespace(a, b)
    low, high = _plan.common_floating(name, xp, ("a", "b"), a, b, real=True)
    low, high = constants([low, high])
    xp = array_namespace(low, high)
    shape = _plan.broadcast(name, a=tuple(low.shape), b=tuple(high.shape)) or (1,)
    if len(shape) != 1 or not shape[0]:
        raise ShapeError(f"{name}: a and b must have one dimension of d variables, got {shape}")
    return xp.broadcast_to(low, shape), xp.broadcast_to(high, shape)


def _drawn(name: str, qrng: Any, like: Any, count: int) -> Any:
    """Points of a user's source, (n, d)."""
    d = like.shape[0]
    if not callable(getattr(qrng, "random", None)) or not hasattr(qrng, "d"):
        raise ArrayTypeError(
            f"{name}: qrng must give points, such as likewise.stats.qmc.Sobol(d, key=0), got "
            f"{type(qrng).__name__}"
        )
    if qrng.d != d:
        raise ArgumentError(
            f"{name}: qrng must have the dimension of the limits, {d}, got {qrng.d}"
        )
    (points,) = constants([qrng.random(count)])
    xp = array_namespace(points, like)
    return xp.astype(points, like.dtype)


def _halton(like: Any, count: int) -> Any:
    """The first points of the sequence of Halton, (n, d)."""
    xp, d = array_namespace(like), like.shape[0]
    columns = []
    for base in itertools.islice(_primes(), d):
        rest = xp.arange(count, dtype=xp.int64, device=device(like))
        total, scale, left = xp.zeros_like(like[:1]), 1.0, count - 1
        while left:
            scale, left = scale / base, left // base
            total = total + xp.astype(rest % base, like.dtype) * scale
            rest = rest // base
        columns.append(total + xp.zeros((count,), dtype=like.dtype, device=device(like)))
    return xp.stack(columns, axis=1)


def _primes() -> Any:
    found: list[int] = []
    for n in itertools.count(2):
        if all(n % p for p in found):
            found.append(n)
            yield n
