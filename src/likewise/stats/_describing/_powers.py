"""Power transformations that make data normal: Box and Cox's, Yeo and Johnson's."""

import math
from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import Lines, batches, native, public
from ..._typing import A
from ...errors import ArgumentError, ShapeError
from ...missing._axes import as_given
from ...optimize import minimize_scalar
from ...optimize.elementwise import bracket_root, find_root
from ...special import boxcox as transform
from ...special import boxcox1p, chdtri, exprel, lambertw, ndtri
from .._base._samples import Rows, filled
from .._base._warnings import tell_degenerate
from ._rows import average, centred, has_nan, reduced, unless

__all__ = [
    "boxcox",
    "boxcox_llf",
    "boxcox_normmax",
    "yeojohnson",
    "yeojohnson_llf",
    "yeojohnson_normmax",
]


# -- Box and Cox -----------------------------------------------------------------------------------


@public
def boxcox_llf(
    lmb: float | A,
    data: A,
    *,
    axis: Any = 0,
    keepdims: bool = False,
    nan_policy: str = "propagate",
) -> A:
    """Compute the log-likelihood of the parameter of Box and Cox's transformation.

    Parameters
    ----------
    lmb : float or array
        The parameter; an array broadcasts with the batch.
    data : array
        Real, positive.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.

    Returns
    -------
    array
        ``(lmb - 1) sum(log(x)) - n/2 log(var(y))`` of the transformed data y.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If an option has another value; of complex data; if shapes don't fit.

    Notes
    -----
    G. E. P. Box, D. R. Cox, J. R. Stat. Soc. B 26 (1964) 211-252. Powers are taken relative to the
    largest, so that none overflows. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import boxcox_llf
    >>> round(float(boxcox_llf(0.5, np.asarray([1.0, 2.0, 4.0, 9.0]))), 12)
    -3.766724428491
    """

    def body(rows: Rows) -> Any:
        xp = array_namespace(rows.x)
        return _boxcox_llf(_level(xp, lmb, rows.x), Rows(xp.log(rows.x), rows.there))

    return reduced("boxcox_llf", axis, nan_policy, keepdims, body, data=data)


def _level(xp: Any, lmb: Any, x: Any) -> Any:
    """The parameter, with a dimension for the observations."""
    level = xp.asarray(lmb, dtype=x.dtype, device=device(x))
    return level[..., None] if level.ndim else level


def _boxcox_llf(lmb: Any, logs: Rows) -> Any:
    """The log-likelihood (...), of parameters (..., 1) and logarithms (..., n)."""
    xp = array_namespace(logs.x)
    low, high = filled(logs, xp.inf), filled(logs, -xp.inf)
    low, high = xp.min(low, axis=-1, keepdims=True), xp.max(high, axis=-1, keepdims=True)
    top = xp.where(lmb < 0, low, high)
    rest = logs.x - top
    none = rest == -xp.inf  # of a zero
    some = xp.where(none, xp.zeros_like(rest), rest)
    d, _, n = centred("", Rows(xp.where(none, -1 / lmb, some * exprel(lmb * some)), logs.there))
    spread = xp.log(average(d * d, n)) + 2 * lmb * top
    total = xp.sum(filled(logs, 0.0), axis=-1, keepdims=True)
    return ((lmb - 1) * total - n / 2 * spread)[..., 0]


@public
def boxcox_normmax(
    x: A,
    brack: Any = None,
    method: str = "pearsonr",
    optimizer: Callable[..., Any] | None = None,
    *,
    ymax: float | None = None,
) -> A:
    """Find the parameter of Box and Cox's transformation that makes a sample most normal.

    Parameters
    ----------
    x : array, shape (n,)
        Real, positive.
    brack : sequence of two or three float, optional
        The start, as for `likewise.optimize.minimize_scalar`. Default: ``(-2, 2)``.
    method : {'pearsonr', 'mle', 'all'}, optional
        'pearsonr': the largest correlation with a normal's quantiles; 'mle': the largest
        likelihood; 'all': both, in this order.
    optimizer : callable, optional
        ``optimizer(fun)`` returns an object with ``x``, a minimizer of the function of a number.
    ymax : float, optional
        The largest absolute value of the transformed data, to which the parameter is limited, with
        a warning. Default: 1e-4 of the largest number of the dtype; ``math.inf`` is no limit.

    Returns
    -------
    array
        Without dimensions, or of shape (2,) by 'all'.

    Raises
    ------
    ArgumentError
        If it can be read that data aren't positive and finite; if an option has another value.
    ShapeError
        If `x` has not one dimension.

    Notes
    -----
    Brent's method. Differentiable with respect to `x`, by the condition of the minimum.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import boxcox_normmax
    >>> round(float(boxcox_normmax(np.asarray([1.0, 2.0, 4.0, 9.0, 30.0]), method="mle")), 6)
    -0.165326
    """
    _plan.choice("boxcox_normmax", "method", method, ("pearsonr", "mle", "all"))
    xp, data = _sample("boxcox_normmax", x)
    if is_concrete(data) and not bool(xp.all(xp.isfinite(data) & (data >= 0))):
        raise ArgumentError(
            "boxcox_normmax: The `x` argument of `boxcox_normmax` must contain only positive, "
            "finite, real numbers."
        )
    if ymax is not None and not ymax > 0:
        raise ArgumentError(f"boxcox_normmax: `ymax` must be strictly positive, got {ymax!r}")
    if optimizer is not None and not callable(optimizer):
        raise ArgumentError(f"boxcox_normmax: `optimizer` must be a callable, got {optimizer!r}")
    if optimizer is not None and brack is not None:
        raise ArgumentError("boxcox_normmax: `brack` must be None if `optimizer` is given")
    if data.shape[0] == 0:
        raise ArgumentError("boxcox_normmax: x must not be empty")
    names = ("pearsonr", "mle") if method == "all" else (method,)
    with quiet(data):
        found = [_optimum(data, name, brack, optimizer) for name in names]
        best = xp.stack(found) if method == "all" else found[0]
        return as_given(_limited(xp, data, best, ymax))


def _sample(function: str, data: Any) -> tuple[Any, Any]:
    xp = array_namespace(data)
    x: Any
    (x,) = _plan.common_floating(function, xp, ("x",), data, real=True)
    if x.ndim != 1:
        raise ShapeError(f"{function}: Data must be 1-dimensional, got shape {tuple(x.shape)}")
    return xp, x


def _objective(xp: Any, name: str, x: Any) -> Callable[[Any], Any]:
    """Return what is smallest at the best parameters, of shape (k,)."""
    if name == "mle":
        logs = xp.log(x)
        return lambda lmb: -_boxcox_llf(xp.asarray(lmb)[..., None], Rows(logs))
    x, n = xp.sort(x, stable=False), x.shape[0]
    # Filliben's medians of the order statistics of a uniform distribution.
    medians = [(i - 0.3175) / (n + 0.365) for i in range(1, n + 1)]
    medians[0], medians[-1] = 1 - 0.5 ** (1 / n), 0.5 ** (1 / n)
    z = ndtri(xp.asarray(medians, dtype=x.dtype, device=device(x)))
    z = z / xp.sqrt(xp.sum(z * z))

    def unlike(lmb: Any) -> Any:
        y = transform(x, xp.asarray(lmb)[..., None])
        y = y / xp.max(xp.abs(y), axis=-1, keepdims=True)
        d, _, _ = centred("", Rows(y))
        return 1 - xp.sum(d * z, axis=-1) / xp.sqrt(xp.sum(d * d, axis=-1))

    return unlike


def _in_blocks(x: Any, *options: Any) -> Lines:
    return batches({0: (x, 1)}, ((), x.dtype))


@native(blocks=_in_blocks)
def _optimum(x: Any, name: str, brack: Any, optimizer: Any) -> Any:
    xp = array_namespace(x)
    fun = _objective(xp, name, x)
    if optimizer is None:
        return minimize_scalar(fun, bracket=_start(x, brack or (-2.0, 2.0))).x

    def of_number(lmb: Any) -> float:
        return float(fun(xp.full((1,), float(lmb), dtype=x.dtype, device=device(x)))[0])

    best = getattr(optimizer(of_number), "x", None)
    if best is None:
        raise ArgumentError(
            "boxcox_normmax: The `optimizer` argument of `boxcox_normmax` must return an object "
            "containing the optimal `lmbda` in attribute `x`."
        )
    return xp.reshape(xp.asarray(best, dtype=x.dtype, device=device(x)), ())


def _start(like: Any, brack: Any) -> tuple[Any, ...]:
    xp = array_namespace(like)
    return tuple(xp.asarray(v, dtype=like.dtype, device=device(like)) for v in brack)


def _limited(xp: Any, x: Any, best: Any, ymax: float | None) -> Any:
    """Parameters with which the transformed data don't exceed a limit."""
    limit = float(xp.finfo(x.dtype).max) / 10000 if ymax is None else float(ymax)
    if math.isinf(limit):
        return best
    low, high = xp.min(x), xp.max(x)
    upper = (low >= 1) | ((high > 1) & (transform(high, best) > xp.abs(transform(low, best))))
    end = xp.where(upper, high, low)
    over = xp.abs(transform(end, best)) > limit
    if is_concrete(over):
        if not bool(xp.any(over)):
            return best
        dtype = "" if ymax is not None else f"overflow in {x.dtype}."
        tell_degenerate(
            f"boxcox_normmax: The optimal lambda is {best}, but the returned lambda is the "
            "constrained optimum to ensure that the maximum or the minimum of the transformed data "
            f"does not {dtype or 'exceed specified `ymax`.'}"
        )
    # (end**lmbda - 1) / lmbda = limit, by Lambert's function
    end = xp.where(over, end, xp.full_like(end, 2.0))
    y, log = limit * xp.sign(end - 1), xp.log(end)
    w = xp.real(lambertw(-(end ** (-1 / y)) * log / y, -1))
    return xp.where(over, -w / log - 1 / y, best)


@public
def boxcox(
    x: A,
    lmbda: float | A | None = None,
    alpha: float | None = None,
    optimizer: Callable[..., Any] | None = None,
) -> Any:
    """Transform positive data by powers, so that they become most normal.

    Parameters
    ----------
    x : array
        Real, positive; of shape (n,) without a parameter.
    lmbda : float or array, optional
        The parameter. Default: that of the largest likelihood.
    alpha : float, optional
        1 less the confidence of an interval of the parameter.
    optimizer : callable, optional
        As for `boxcox_normmax`.

    Returns
    -------
    boxcox : array
        ``(x**lmbda - 1) / lmbda``, or ``log(x)`` for 0.
    maxlog : array
        The parameter, unless it is given.
    (low, high) : tuple of array
        The interval, with `alpha`: where the log-likelihood is less than half a quantile of chi
        squared below the largest.

    Raises
    ------
    ArgumentError
        If it can be read that data aren't positive, or all equal.
    ShapeError
        If `x` has not one dimension and there is no parameter.

    Notes
    -----
    G. E. P. Box, D. R. Cox, J. R. Stat. Soc. B 26 (1964) 211-252. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import boxcox
    >>> y, lmbda = boxcox(np.asarray([1.0, 2.0, 4.0, 9.0, 30.0]))
    >>> round(float(lmbda), 6)
    -0.165326
    """
    if lmbda is not None:
        return transform(x, lmbda)
    xp, data = _sample("boxcox", x)
    if data.shape[0] == 0:
        return data
    if is_concrete(data):
        if bool(xp.all(data == data[0])):
            raise ArgumentError("boxcox: Data must not be constant.")
        if bool(xp.any(data <= 0)):
            raise ArgumentError("boxcox: Data must be positive.")
    best = boxcox_normmax(data, method="mle", optimizer=optimizer)
    best = xp.asarray(best)
    y = transform(data, best)
    if alpha is None:
        return y, as_given(best)
    return y, as_given(best), _interval(xp, data, best, alpha)


def _interval(xp: Any, x: Any, best: Any, alpha: float) -> tuple[Any, Any]:
    logs = Rows(xp.log(x))
    target = _boxcox_llf(best[None], logs) - 0.5 * chdtri(
        1.0, xp.asarray(alpha, dtype=x.dtype, device=device(x))
    )

    def above(lmb: Any) -> Any:
        return _boxcox_llf(xp.asarray(lmb)[..., None], logs) - target

    ends = []
    for sign in (-1, 1):

        def beyond(step: Any, sign: int = sign) -> Any:
            return above(best + sign * step)

        start = xp.zeros_like(best)
        bracket = bracket_root(beyond, start, start + 0.5, xmin=start).bracket
        ends.append(as_given(best + sign * find_root(beyond, bracket).x))
    return ends[0], ends[1]


# -- Yeo and Johnson -------------------------------------------------------------------------------


def _yeojohnson(x: Any, lmb: Any) -> Any:
    xp = array_namespace(x)
    up, down = x >= 0, x < 0
    zero = xp.zeros_like(x)
    rise = boxcox1p(xp.where(up, x, zero), lmb)
    fall = -boxcox1p(xp.where(down, -x, zero), 2 - lmb)
    return xp.where(down, fall, xp.where(up, rise, x))


@public
def yeojohnson_llf(
    lmb: float | A,
    data: A,
    *,
    axis: Any = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> A:
    """Compute the log-likelihood of the parameter of Yeo and Johnson's transformation.

    Parameters
    ----------
    lmb : float or array
        The parameter; an array broadcasts with the batch.
    data : array
        Real.
    axis : int, tuple of int or None, optional
        The axes to reduce; None means all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        Whether NaNs make a result NaN, are left out, or raise ArgumentError.
    keepdims : bool, optional
        Whether reduced axes stay, with size 1.

    Returns
    -------
    array
        ``(lmb - 1) sum(sign(x) log(1 + abs(x))) - n/2 log(var(y))`` of the transformed data y.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        If an option has another value; of complex data; if shapes don't fit.

    Notes
    -----
    I.-K. Yeo, R. A. Johnson, Biometrika 87 (2000) 954-959. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import yeojohnson_llf
    >>> round(float(yeojohnson_llf(0.5, np.asarray([-1.0, 0.0, 2.0, 5.0]))), 12)
    -2.841644637265
    """

    def body(rows: Rows) -> Any:
        xp = array_namespace(rows.x)
        level = _level(xp, lmb, rows.x)
        return unless(has_nan(rows), _yeojohnson_llf(level, rows))

    return reduced("yeojohnson_llf", axis, nan_policy, keepdims, body, data=data)


def _yeojohnson_llf(lmb: Any, rows: Rows) -> Any:
    xp = array_namespace(rows.x)
    x = filled(rows, 0.0)
    d, _, n = centred("", Rows(_yeojohnson(x, lmb), rows.there))
    spread = average(d * d, n)
    small = spread < xp.finfo(x.dtype).smallest_normal
    spread = xp.where(small, -xp.inf, xp.log(xp.where(small, xp.ones_like(spread), spread)))
    total = xp.sum(xp.sign(x) * xp.log1p(xp.abs(x)), axis=-1, keepdims=True)
    return ((lmb - 1) * total - n / 2 * spread)[..., 0]


@public
def yeojohnson_normmax(x: A, brack: Any = None) -> A:
    """Find the parameter of Yeo and Johnson's transformation of the largest likelihood.

    Parameters
    ----------
    x : array, shape (n,)
        Real.
    brack : sequence of two or three float, optional
        The start, as for `likewise.optimize.minimize_scalar`. Default: a search between the
        parameters with which nothing overflows.

    Returns
    -------
    array
        Without dimensions; 1 if all numbers are 0.

    Raises
    ------
    ArgumentError
        If it can be read that data aren't finite.
    ShapeError
        If `x` has not one dimension.

    Notes
    -----
    Brent's method. Differentiable with respect to `x`, by the condition of the minimum.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import yeojohnson_normmax
    >>> round(float(yeojohnson_normmax(np.asarray([-1.0, 0.0, 2.0, 5.0]))), 4)
    0.4066
    """
    xp, data = _sample("yeojohnson_normmax", x)
    if is_concrete(data) and not bool(xp.all(xp.isfinite(data))):
        raise ArgumentError("yeojohnson_normmax: Yeo-Johnson input must be finite.")
    if data.shape[0] == 0:
        raise ArgumentError("yeojohnson_normmax: x must not be empty")
    with quiet(data):
        return as_given(_yeojohnson_optimum(data, brack))


@native(blocks=_in_blocks)
def _yeojohnson_optimum(x: Any, brack: Any) -> Any:
    xp = array_namespace(x)
    none = xp.all(x == 0)
    x = xp.where(none, xp.arange(x.shape[0], dtype=x.dtype, device=device(x)) + 1, x)

    def unlikely(lmb: Any) -> Any:
        out = -_yeojohnson_llf(xp.asarray(lmb)[..., None], Rows(x))
        return xp.where(xp.isinf(out), xp.inf, out)

    if brack is not None:
        best = minimize_scalar(unlikely, bracket=_start(x, brack)).x
    else:
        limits = xp.finfo(x.dtype)
        eps = math.log(float(limits.eps))
        span = xp.log1p(20 * xp.max(xp.abs(x)))
        low = (math.log(float(limits.smallest_normal)) - eps) / 2 / span
        high = (math.log(float(limits.max)) + eps) / 2 / span
        some, every = xp.any(x < 0), xp.all(x < 0)
        first = xp.where(every, 2 - high, xp.where(some, xp.maximum(2 - high, low), low))
        last = xp.where(every, 2 - low, xp.where(some, xp.minimum(2 - low, high), high))
        options = {"xatol": max(1.48e-8, float(limits.eps) ** 0.5)}
        best = minimize_scalar(unlikely, bounds=(first, last), options=options).x
    return xp.where(none, xp.ones_like(best), best)


@public
def yeojohnson(x: A, lmbda: float | A | None = None) -> Any:
    """Transform data by powers, so that they become most normal.

    Parameters
    ----------
    x : array
        Real; of shape (n,) without a parameter.
    lmbda : float or array, optional
        The parameter. Default: that of the largest likelihood.

    Returns
    -------
    yeojohnson : array
        Box and Cox's transformation of ``1 + x``; of negative numbers the negative of that of
        ``1 - x``, with the parameter ``2 - lmbda``.
    maxlog : array
        The parameter, unless it is given.

    Raises
    ------
    ArgumentError, DtypeError, ShapeError
        As for `yeojohnson_normmax`; of complex data.

    Notes
    -----
    I.-K. Yeo, R. A. Johnson, Biometrika 87 (2000) 954-959. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import yeojohnson
    >>> yeojohnson(np.asarray([-1.0, 0.0, 3.0]), 0.5).round(6)
    array([-1.218951,  0.      ,  2.      ])
    """
    xp = array_namespace(x)
    (x,) = _plan.common_floating("yeojohnson", xp, ("x",), x, real=True)
    if lmbda is not None:
        return as_given(_yeojohnson(x, xp.asarray(lmbda, dtype=x.dtype, device=device(x))))
    if 0 in x.shape:
        return x
    best = yeojohnson_normmax(x)
    return _yeojohnson(x, xp.asarray(best)), best
