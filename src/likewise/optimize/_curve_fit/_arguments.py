"""Checks of the arguments of `curve_fit`, and their conversion to one row per problem."""

import math
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, describe, device, is_concrete
from ...errors import (
    ArgumentError,
    ArrayTypeError,
    OptimizeWarning,
    ShapeError,
    TooFewDataError,
    _level,
)
from ...linalg import cho_factor
from ...solving._function import DIFFERENCES, check_callable
from ...solving._options import count, ends, tolerance
from ...solving._running import guarded
from .._steps._loss import loss_function
from .._steps._marquardt import Limits
from ._model import Model, Rows, count_parameters, refuse_parameters

__all__ = ["Asked", "Fits", "limits", "most", "pair", "plan_curve_fit", "policy_of", "scipys"]

_NAME = "curve_fit"
_BESIDE = {  # arguments of SciPy's that have no effect, and why
    "diag": "the steps scale the parameters by themselves",
    "epsfcn": "steps of differences follow the dtype",
    "factor": "the first damping follows the Jacobian",
    "tr_options": "the normal equations are solved directly",
    "tr_solver": "the normal equations are solved directly",
    "verbose": "progress=True draws a bar",
    "x_scale": "the steps scale the parameters by themselves",
}


class Asked(NamedTuple):
    """Hold the caller's arguments."""

    f: Any
    xdata: Any
    ydata: Any
    p0: Any
    sigma: Any
    low: Any
    high: Any
    method: Any
    jac: Any
    policy: str | None
    mask: Any
    fixed: Any
    loss: Any
    f_scale: Any
    mean: Any  # of the prior
    spread: Any  # its standard deviation
    vectorized: bool
    shared: bool = False  # whether all problems have the same xdata, whatever its shape
    constraints: Any = ()

    @property
    def bounded(self) -> bool:
        """Tell if there are bounds."""
        return not (_is_infinite(self.low) and _is_infinite(self.high))


ARRAYS = ("ydata", "xdata", "p0", "sigma", "low", "high", "mask", "mean", "spread")


NAMES = {
    "low": "lower bounds",
    "high": "upper bounds",
    "mean": "prior mean",
    "spread": "prior standard deviation",
}


def ranks_of(asked: Asked) -> dict[str, int | None]:
    """Return the number of last axes that belong to one problem; None of shared predictors."""
    ranks: dict[str, int | None] = dict.fromkeys(ARRAYS, 1)
    ndim, sigma, x = getattr(asked.ydata, "ndim", 1), asked.sigma, asked.xdata
    if getattr(sigma, "ndim", 0) == ndim + 1:
        ranks["sigma"] = 2
    given = {name: getattr(asked, name) for name in ARRAYS if name != "xdata"}
    heads = {
        NAMES.get(name, name): tuple(a.shape[: -int(ranks[name] or 1)])
        for name, a in given.items()
        if getattr(a, "shape", ())
    }
    batch = _plan.broadcast(_NAME, **heads) if heads else ()
    sizes, n = tuple(getattr(x, "shape", ())), tuple(getattr(asked.ydata, "shape", ()))[-1:]
    ranks["xdata"] = None
    if batch and ndim > 1 and sizes == (*batch, *n):
        ranks["xdata"] = 1
    elif batch and len(sizes) == len(batch) + 2 and sizes[1:-1] == batch:
        ranks["xdata"] = 2
    return ranks


class Fits(NamedTuple):
    """Hold the problems to be solved."""

    model: Model
    x: Any
    rows: Rows
    batch: tuple[int, ...] | None  # None: one problem, whose model is called without the batch


def plan_curve_fit(xp: Any, asked: Asked) -> Fits:
    """Return the problems, one row each."""
    _check_options(asked)
    given = _converted(xp, asked)
    shape = _layout(xp, asked, given)
    kept = _fixed(asked.fixed, shape.p)
    refuse_parameters(asked.f, given.x, shape.p)
    x, own, axis = _predictors(xp, given, shape, asked.shared)
    mask = _masked(xp, asked, given, shape, own is not None and axis == 0)
    _enough_data(asked, shape, kept)
    start = shape.rows(given.start, shape.p)
    low, high = _bounds(given, shape, start)
    mean, precision = _prior(xp, given, shape)
    y = shape.rows(given.y, shape.n)
    weight, factor = _weights(xp, given, shape, mask)
    if mask is not None:
        weight = xp.astype(mask, y.dtype) if weight is None else weight
        weight = xp.where(mask, weight, xp.zeros_like(weight))
        y = xp.where(mask, y, xp.zeros_like(y))
    _finite(xp, asked, given, shape, y)
    if mask is not None and asked.mean is None:
        y, weight = _fed(xp, y, weight, shape, kept)
    single = shape.single
    model = Model(
        asked.f,
        shape.n,
        asked.jac,
        single,
        bool(asked.vectorized) or single,
        axis,
        kept,
        None if asked.loss == "linear" else loss_function(_NAME, asked.loss),
        _scale_of_loss(asked.f_scale),
    )
    rows = Rows(own, y, weight, factor, start, low, high, None, None, mean, precision)
    return Fits(model, x, rows, None if single else shape.batch)


def _check_options(asked: Asked) -> None:
    check_callable(_NAME, asked.f, "f")
    if not callable(asked.jac) and asked.jac is not None:
        _plan.choice(_NAME, "jac", asked.jac, DIFFERENCES)
    _plan.choice(_NAME, "method", asked.method or "lm", ("lm", "trf", "dogbox"))
    if asked.method == "lm" and asked.bounded:
        raise ArgumentError(
            f"{_NAME}: method 'lm' takes no bounds, as SciPy has it, got both; leave the method out"
        )
    if isinstance(asked.xdata, str | bytes):
        raise ArrayTypeError(
            f"{_NAME}: xdata must be an array, or an object that f computes with, got "
            f"{describe(asked.xdata)}"
        )


class _Given(NamedTuple):
    """Hold the arguments as arrays of one library and dtype; None for a missing one."""

    x: Any
    of_arrays: bool  # whether x is an array
    y: Any
    start: Any
    sigma: Any
    covariance: bool  # whether sigma is one
    low: Any
    high: Any
    mean: Any
    spread: Any


def _converted(xp: Any, asked: Asked) -> _Given:
    xdata = asked.xdata
    given: dict[str, Any] = {"ydata": asked.ydata}
    given["p0"] = [1.0] * _parameters(asked.f) if asked.p0 is None else asked.p0
    optional = {
        "sigma": asked.sigma,
        "prior mean": asked.mean,
        "prior standard deviation": asked.spread,
    }
    if asked.bounded:
        optional |= {"lower bounds": asked.low, "upper bounds": asked.high}
    given |= {key: value for key, value in optional.items() if value is not None}
    if isinstance(xdata, list | tuple) and any(hasattr(item, "shape") for item in xdata):
        xdata = xp.stack(list(xdata))  # SciPy's way to give several predictors
    if hasattr(xdata, "dtype") or (isinstance(xdata, list | tuple) and not _words(xdata)):
        given["xdata"] = xdata
    converted = _plan.common_floating(_NAME, xp, tuple(given), *given.values(), real=True)
    made = dict(zip(given, converted, strict=True))

    def row(key: str) -> Any:
        a = made.get(key)
        return xp.reshape(a, (1,)) if a is not None and a.ndim == 0 else a

    x, y = made.get("xdata", xdata), made["ydata"]
    if y.ndim == 0 and "xdata" in made and x.ndim:  # what f is to be everywhere
        y = xp.broadcast_to(y, (x.shape[-1],))
    if y.ndim == 0:
        raise ShapeError(f"{_NAME}: ydata must have at least one dimension, got a scalar")
    start, low, high = row("p0"), row("lower bounds"), row("upper bounds")
    if asked.p0 is None and asked.bounded:
        start = _between(xp, start, low, high)
    sigma = row("sigma")
    covariance = sigma is not None and sigma.ndim == y.ndim + 1
    return _Given(
        x,
        "xdata" in made,
        y,
        start,
        sigma,
        covariance,
        low,
        high,
        row("prior mean"),
        row("prior standard deviation"),
    )


class _Layout(NamedTuple):
    """Hold the numbers of problems, data and parameters."""

    batch: tuple[int, ...]
    n: int
    p: int
    single: bool

    def rows(self, a: Any, *ends: int) -> Any:
        """Return one row per problem."""
        xp = array_namespace(a)
        return xp.reshape(xp.broadcast_to(a, (*self.batch, *ends)), (math.prod(self.batch), *ends))


def _layout(xp: Any, asked: Asked, given: _Given) -> _Layout:
    y, start, sigma = given.y, given.start, given.sigma
    n, p = int(y.shape[-1]), int(start.shape[-1])
    shapes = {"ydata": tuple(y.shape[:-1]), "p0": tuple(start.shape[:-1])}
    if sigma is not None:
        ends_as = (n, n) if given.covariance else (n,)
        given_as = tuple(int(k) for k in sigma.shape)
        if len(given_as) > y.ndim + 1 or given_as[-len(ends_as) :] not in (ends_as, (1,)):
            raise ShapeError(
                f"{_NAME}: sigma must have the shape of ydata {tuple(y.shape)}, (n,), or as a "
                f"covariance one dimension more, (..., n, n), got {given_as}"
            )
        shapes["sigma"] = given_as[: -len(ends_as)]
    others = {
        "lower bounds": given.low,
        "upper bounds": given.high,
        "prior mean": given.mean,
        "prior standard deviation": given.spread,
    }
    for key, a in others.items():
        if a is not None:
            _plan.broadcast(_NAME, p0=(p,), **{key: (int(a.shape[-1]),)})
            shapes[key] = tuple(a.shape[:-1])
    if asked.mask is not None:
        shapes["mask"] = tuple(_as_mask(xp, asked.mask, y).shape[:-1])
    batch = _plan.broadcast(_NAME, **shapes)
    return _Layout(batch, n, p, y.ndim == 1 and start.ndim == 1 and not batch)


def _masked(xp: Any, asked: Asked, given: _Given, shape: _Layout, own: bool) -> Any:
    """Return which points count, (B, n), or None for all; `own`: x has a row for each problem."""
    mask = None if asked.mask is None else _as_mask(xp, asked.mask, given.y)
    if asked.policy == "omit":
        finite = xp.isfinite(given.y)
        if given.of_arrays:
            good = xp.isfinite(given.x)
            for _ in range(good.ndim - (given.y.ndim if own else 1)):
                good = xp.all(good, axis=0)
            finite = finite & good
        mask = finite if mask is None else mask & finite
    return None if mask is None else shape.rows(mask, shape.n)


def _enough_data(asked: Asked, shape: _Layout, kept: tuple[int, ...]) -> None:
    free = shape.p - len(kept)
    if shape.p == 0 or (shape.n < free and asked.mean is None):
        raise TooFewDataError(
            f"{_NAME}: The number of func parameters={free} must not exceed the number of data "
            f"points={shape.n}, and there must be at least one parameter, got p = {free} and n = "
            f"{shape.n}"
        )


def _bounds(given: _Given, shape: _Layout, start: Any) -> tuple[Any, Any]:
    if given.low is None:
        return None, None
    low, high = shape.rows(given.low, shape.p), shape.rows(given.high, shape.p)
    _first(shape.batch, ~(low < high), "a lower bound is not below its upper bound")
    outside = (start < low) | (start > high)
    message = "Initial guess is outside of provided bounds: p0 is outside of its bounds"
    _first(shape.batch, outside, message)
    return low, high


def _prior(xp: Any, given: _Given, shape: _Layout) -> tuple[Any, Any]:
    """Return the mean, and 1 / the standard deviation."""
    if given.mean is None:
        return None, None
    mean, deviation = shape.rows(given.mean, shape.p), shape.rows(given.spread, shape.p)
    wrong = ~(deviation > 0)
    _first(shape.batch, wrong, "the prior's standard deviation is not positive")
    precision = 1 / deviation
    return xp.where(precision > 0, mean, xp.zeros_like(mean)), precision


def _weights(xp: Any, given: _Given, shape: _Layout, mask: Any) -> tuple[Any, Any]:
    """Return 1 / sigma, or the factor of a covariance, in which omitted points are independent."""
    n = shape.n
    if given.sigma is None:
        return None, None
    if not given.covariance:
        weight = shape.rows(given.sigma, n)
        _first(shape.batch, ~(weight > 0), "sigma must be positive")
        return 1 / weight, None
    matrix = shape.rows(given.sigma, n, n)
    if mask is not None:
        eye = xp.eye(n, dtype=matrix.dtype, device=device(matrix))
        matrix = xp.where(mask[:, :, None] & mask[:, None, :], matrix, eye)
    factor = cho_factor(matrix, lower=True)[0]
    _first(shape.batch, xp.isnan(factor[:, 0, 0]), "sigma must be positive definite")
    return None, factor


def _fed(xp: Any, y: Any, weight: Any, shape: _Layout, kept: tuple[int, ...]) -> tuple[Any, Any]:
    """Return the data, NaN where too few points are used."""
    free = shape.p - len(kept)
    enough = xp.sum(xp.astype(weight > 0, xp.int32), axis=1) >= free
    if shape.single:
        _first(shape.batch, ~enough, f"fewer valid data than parameters, {free}")
    y = xp.where(enough[:, None], y, xp.full_like(y, xp.nan))
    return y, xp.where(enough[:, None], weight, xp.ones_like(weight))


def _finite(xp: Any, asked: Asked, given: _Given, shape: _Layout, y: Any) -> None:
    """Raise for data that are not finite, if the caller wants an error."""
    if asked.policy not in ("raise", None) or (asked.policy is None and not shape.single):
        return
    message = "The input contains nan: ydata must be finite, but holds NaN or infinity"
    if not shape.single:
        message += "; nan_policy='omit' leaves such points out"
    _first(shape.batch, ~xp.isfinite(y), message)
    if given.of_arrays:
        message = "The input contains nan: xdata must be finite, but holds NaN or infinity"
        _first((), ~xp.isfinite(given.x), message)


def scipys(given: Mapping[str, Any], jac: Any) -> tuple[Any, Any]:
    """Return max_nfev and the Jacobian as SciPy's further arguments set them."""
    most_of = None
    for name, value in given.items():
        if name == "maxfev":
            most_of = value
        elif name == "col_deriv":
            jac = _transposed(jac) if value and callable(jac) else jac
        elif name in _BESIDE:
            if value is not None:
                text = f"{_NAME}: {name} has no effect: {_BESIDE[name]}"
                warnings.warn(text, OptimizeWarning, stacklevel=_level())
        elif name in ("args", "kwargs"):
            raise ArgumentError(
                f"{_NAME}: {name!r} is not a supported keyword argument; close f over what it needs"
            )
        else:
            raise TypeError(f"{_NAME}() got an unexpected keyword argument {name!r}")
    return most_of, jac


def _transposed(jac: Callable[..., Any]) -> Callable[..., Any]:
    def turned(*args: Any) -> Any:
        out = jac(*args)
        return array_namespace(out).matrix_transpose(out)

    return turned


def limits(eps: float, ftol: Any, xtol: Any, gtol: Any, max_nfev: Any) -> Limits:
    """Return the limits of convergence and of the number of evaluations."""
    return Limits(
        tolerance(_NAME, "ftol", ftol, eps),
        tolerance(_NAME, "xtol", xtol, eps**0.75),
        tolerance(_NAME, "gtol", gtol, eps**0.75),
        most("max_nfev", max_nfev, 2000),
    )


def pair(name: str, value: Any) -> tuple[Any, Any]:
    if hasattr(value, "lb") and hasattr(value, "ub"):
        return ends(value)
    try:
        one, other = value
    except (TypeError, ValueError):
        raise ArgumentError(f"curve_fit: {name} must be a pair, got {describe(value)}") from None
    return one, other


def _is_infinite(bound: Any) -> bool:
    return isinstance(bound, int | float) and math.isinf(bound)


def _between(xp: Any, start: Any, low: Any, high: Any) -> Any:
    """Return the middle of each parameter's bounds, or a point next to the one that it has."""
    start, low, high = xp.broadcast_arrays(start, low, high)
    below, above = xp.isfinite(low), xp.isfinite(high)
    zero = xp.zeros_like(low)
    low, high = xp.where(below, low, zero), xp.where(above, high, zero)
    next_to = xp.where(below, low + 1, xp.where(above, high - 1, start))
    return xp.where(below & above, 0.5 * (low + high), next_to)


def _parameters(f: Any) -> int:
    p = count_parameters(f)
    if p == 0:
        raise ArgumentError(
            "curve_fit: p0 is needed, because the signature of f doesn't tell how many parameters "
            "it has"
        )
    return p


def policy_of(check_finite: bool | None, nan_policy: str | None) -> str | None:
    if nan_policy is not None:
        if nan_policy not in ("raise", "omit", "propagate"):
            raise ArgumentError(
                f"{_NAME}: nan_policy must be one of {{'raise', 'omit', None}}, or 'propagate', "
                f"got {nan_policy!r}"
            )
        return str(nan_policy)
    if check_finite is None:
        return None
    return "raise" if check_finite else "propagate"


def _as_mask(xp: Any, mask: Any, y: Any) -> Any:
    if isinstance(mask, list | tuple):
        mask = xp.asarray(mask, device=device(y))
    if not hasattr(mask, "dtype") or not xp.isdtype(mask.dtype, "bool"):
        raise ArgumentError(f"curve_fit: mask must be an array of bool, got {describe(mask)}")
    _plan.broadcast("curve_fit", ydata=tuple(y.shape[-1:]), mask=tuple(mask.shape[-1:]))
    return xp.broadcast_to(mask, (*mask.shape[:-1], y.shape[-1]))


def _fixed(fixed: Any, p: int) -> tuple[int, ...]:
    if fixed is None:
        return ()
    flags = [bool(v) for v in fixed]
    if len(flags) != p:
        raise ShapeError(f"curve_fit: fixed must have an entry for each of {p} parameters")
    return tuple(j for j, v in enumerate(flags) if v)


def _scale_of_loss(f_scale: Any) -> float:
    number = tolerance("curve_fit", "f_scale", f_scale, 1.0)
    if not number > 0:
        raise ArgumentError(f"curve_fit: f_scale must be a positive number, got {f_scale!r}")
    return number


def _predictors(
    xp: Any, given: _Given, shape: _Layout, shared: bool
) -> tuple[Any, Any, int | None]:
    """Return the predictors that all problems share, or a row for each, and the axis of `f`."""
    x, n, batch = given.x, shape.n, shape.batch
    if not given.of_arrays:
        return x, None, None
    x = guarded(x)  # the model may not change the caller's
    if x.ndim and int(x.shape[-1]) != n:
        raise ShapeError(
            f"curve_fit: xdata must have the last dimension of ydata, {n}, but has shape "
            f"{tuple(x.shape)}"
        )
    sizes = tuple(int(k) for k in x.shape)
    count = math.prod(batch)
    if shape.single or not batch or shared:
        return x, None, None
    if given.y.ndim > 1 and sizes == (*batch, n):
        return None, xp.reshape(x, (count, n)), 0
    if x.ndim == len(batch) + 2 and sizes[1:-1] == batch:
        flat = xp.reshape(x, (sizes[0], count, n))
        return None, xp.moveaxis(flat, 1, 0), 1
    if x.ndim > 2 and any(k != 1 for k in sizes[1:-1]):
        raise ShapeError(
            f"curve_fit: xdata must have shape (n,), (k, n), that of ydata, or (k, ..., n) with "
            f"the batch's dimensions {batch} in the middle, but has shape {sizes}"
        )
    return x, None, None


def _first(batch: tuple[int, ...], wrong: Any, what: str) -> None:
    """Raise an error with the index of the first wrong problem, if values are available."""
    if not is_concrete(wrong):
        return
    xp = array_namespace(wrong)
    if not bool(xp.any(wrong)):
        return
    where = ""
    if batch and wrong.ndim:
        rows = xp.reshape(wrong, (wrong.shape[0], -1))
        flat = int(xp.argmax(xp.astype(xp.any(rows, axis=1), xp.int8)))
        index = []
        for k in reversed(batch):
            flat, i = divmod(flat, k)
            index.append(i)
        where = f", first of problem {tuple(reversed(index))}"
    raise ArgumentError(f"{_NAME}: {what}{where}")


def _words(items: Any) -> bool:
    """Return whether a list holds other objects than numbers, and is passed on unchanged."""
    return any(not isinstance(i, bool | int | float | list | tuple) for i in items)


def most(name: str, value: Any, default: int) -> int:
    return count(_NAME, name, value, default, 1)
