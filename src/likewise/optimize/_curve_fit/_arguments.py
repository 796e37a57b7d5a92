"""The arguments of `curve_fit`: checked, converted, one row a problem."""

import math
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, describe, device, is_concrete
from ...errors import ArgumentError, ArrayTypeError, NotSupported, ShapeError
from ...linalg import cho_factor
from .._steps._loss import loss_function
from .._steps._options import tolerance
from ._model import Model, Rows, count_parameters, refuse_parameters

__all__ = ["Fits", "most", "pair", "plan_curve_fit", "policy_of"]

_JAC = ("2-point", "3-point", "cs")


class Fits(NamedTuple):
    model: Model
    x: Any
    rows: Rows
    batch: tuple[int, ...] | None  # None: one problem, whose model is called without the batch


def plan_curve_fit(
    xp: Any,
    f: Any,
    xdata: Any,
    ydata: Any,
    p0: Any,
    sigma: Any,
    bounds: Any,
    method: Any,
    jac: Any,
    policy: str | None,
    mask: Any,
    fixed: Any,
    loss: Any,
    f_scale: Any,
    prior: Any,
    vectorized: bool,
) -> Fits:
    name = "curve_fit"
    if not callable(f):
        raise ArgumentError(f"{name}: f must be callable, got {describe(f)}")
    if not callable(jac) and jac is not None:
        _plan.choice(name, "jac", jac, _JAC)
    _plan.choice(name, "method", method or "lm", ("lm", "trf"))
    if isinstance(xdata, str | bytes):
        raise ArrayTypeError(
            f"{name}: xdata must be an array, or an object that f computes with, got "
            f"{describe(xdata)}"
        )
    low, high = bounds
    center, spread = prior or (None, None)
    given: dict[str, Any] = {"ydata": ydata}
    bounded = not (_is_infinite(low) and _is_infinite(high))
    given["p0"] = [1.0] * _parameters(f) if p0 is None else p0
    optional = {"sigma": sigma, "prior mean": center, "prior standard deviation": spread}
    if bounded:
        optional |= {"lower bounds": low, "upper bounds": high}
    given |= {key: value for key, value in optional.items() if value is not None}
    if isinstance(xdata, list | tuple) and any(hasattr(item, "shape") for item in xdata):
        xdata = xp.stack(list(xdata))  # SciPy's way to give several predictors
    if hasattr(xdata, "dtype") or (isinstance(xdata, list | tuple) and not _words(xdata)):
        given["xdata"] = xdata
    converted = _plan.common_floating(name, xp, tuple(given), *given.values(), real=True)
    made = dict(zip(given, converted, strict=True))
    y, start, weight = made["ydata"], made["p0"], made.get("sigma")
    if y.ndim == 0:
        raise ShapeError(f"{name}: ydata must have at least one dimension, got a scalar")
    if start.ndim == 0:
        start = xp.reshape(start, (1,))
    if p0 is None and bounded:
        start = _between(xp, start, made["lower bounds"], made["upper bounds"])
    n, p = int(y.shape[-1]), int(start.shape[-1])
    covariance = weight is not None and weight.ndim == y.ndim + 1
    if weight is not None and weight.ndim == 0:
        weight = xp.reshape(weight, (1,))
    if weight is not None:
        ends_as = (n, n) if covariance else (n,)
        given_as = tuple(int(k) for k in weight.shape)
        if len(given_as) > y.ndim + 1 or given_as[-len(ends_as) :] not in (ends_as, (1,)):
            raise ShapeError(
                f"{name}: sigma must have the shape of ydata {tuple(y.shape)}, (n,), or as a "
                f"covariance one dimension more, (..., n, n), got {given_as}"
            )
    shapes = {"ydata": tuple(y.shape[:-1]), "p0": tuple(start.shape[:-1])}
    ends = {"sigma": (weight, 2 if covariance else 1)} if weight is not None else {}
    for key in ("lower bounds", "upper bounds", "prior mean", "prior standard deviation"):
        if key in made:
            if made[key].ndim == 0:
                made[key] = xp.reshape(made[key], (1,))
            ends[key] = (made[key], 1)
            _plan.broadcast(name, p0=(p,), **{key: (int(made[key].shape[-1]),)})
    shapes |= {key: tuple(a.shape[: a.ndim - k]) for key, (a, k) in ends.items()}
    if mask is not None:
        mask = _as_mask(xp, mask, y)
        shapes["mask"] = tuple(mask.shape[:-1])
    batch = _plan.broadcast(name, **shapes)
    kept = _fixed(fixed, p)
    refuse_parameters(f, xdata, p)
    single = y.ndim == 1 and start.ndim == 1 and not batch
    count = math.prod(batch)

    def rows(a: Any, *ends: int) -> Any:
        return xp.reshape(xp.broadcast_to(a, (*batch, *ends)), (count, *ends))

    x, own, axis = _predictors(xp, made.get("xdata", xdata), "xdata" in made, n, batch, y, single)
    if policy == "omit":
        finite = xp.isfinite(y)
        if "xdata" in made:
            good = xp.isfinite(made["xdata"])
            for _ in range(good.ndim - (y.ndim if own is not None and axis == 0 else 1)):
                good = xp.all(good, axis=0)
            finite = finite & good
        mask = finite if mask is None else mask & finite
    y = rows(y, n)
    start = rows(start, p)
    lower = upper = mean = precision = factor = None
    if bounded:
        lower, upper = rows(made["lower bounds"], p), rows(made["upper bounds"], p)
        _first(name, batch, ~(lower < upper), "a lower bound is not below its upper bound")
        outside = (start < lower) | (start > upper)
        _first(name, batch, outside, "p0 is outside of its bounds")
    if prior is not None:
        mean, deviation = rows(made["prior mean"], p), rows(made["prior standard deviation"], p)
        _first(name, batch, ~(deviation > 0), "the prior's standard deviation is not positive")
        precision = 1 / deviation
        mean = xp.where(precision > 0, mean, xp.zeros_like(mean))
    if covariance:
        matrix = rows(weight, n, n)
        factor = cho_factor(matrix, lower=True)[0]
        _first(name, batch, xp.isnan(factor[:, 0, 0]), "sigma must be positive definite")
        weight = None
    elif weight is not None:
        weight = rows(weight, n)
        _first(name, batch, ~(weight > 0), "sigma must be positive")
        weight = 1 / weight
    if mask is not None:
        valid = rows(mask, n)
        if factor is not None:
            raise NotSupported(
                f"{name}: a mask (or nan_policy='omit') with a covariance as sigma; leave the "
                "points out of both"
            )
        weight = xp.astype(valid, y.dtype) if weight is None else weight
        weight = xp.where(valid, weight, xp.zeros_like(weight))
        y = xp.where(valid, y, xp.zeros_like(y))
    if policy == "raise" or (policy is None and single):
        message = "ydata must be finite, but holds NaN or infinity"
        if not single:
            message += "; nan_policy='omit' leaves such points out"
        _first(name, batch, ~xp.isfinite(y), message)
        if "xdata" in made:
            _first(
                name,
                (),
                ~xp.isfinite(made["xdata"]),
                "xdata must be finite, but holds NaN or infinity",
            )
    free = p - len(kept)
    if p == 0 or (n < free and prior is None):
        raise ShapeError(
            f"{name}: at least one parameter and as many data, but p = {free} and n = {n}"
        )
    if weight is not None and mask is not None and prior is None:
        enough = xp.sum(xp.astype(weight > 0, xp.int32), axis=1) >= free
        if single:
            _first(name, batch, ~enough, f"fewer valid data than parameters, {free}")
        y = xp.where(enough[:, None], y, xp.full_like(y, xp.nan))  # status -1
        weight = xp.where(enough[:, None], weight, xp.ones_like(weight))
    scale = xp.abs(start)
    model = Model(
        f,
        n,
        jac,
        single,
        bool(vectorized) or single,
        axis,
        kept,
        None if loss == "linear" else loss_function(name, loss),
        _scale_of_loss(f_scale),
    )
    return Fits(
        model,
        x,
        Rows(
            own,
            y,
            weight,
            factor,
            start,
            lower,
            upper,
            None,
            xp.where((scale > 0) & xp.isfinite(scale), scale, xp.ones_like(scale)),
            mean,
            precision,
        ),
        None if single else batch,
    )


def pair(name: str, value: Any) -> tuple[Any, Any]:
    if hasattr(value, "lb") and hasattr(value, "ub"):  # SciPy's, which hold NumPy's arrays
        return tuple(b.tolist() if hasattr(b, "tolist") else b for b in (value.lb, value.ub))
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
        _plan.choice("curve_fit", "nan_policy", nan_policy, ("raise", "omit", "propagate"))
        return nan_policy
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
    xp: Any, x: Any, of_arrays: bool, n: int, batch: tuple[int, ...], y: Any, single: bool
) -> tuple[Any, Any, int | None]:
    """Return what all problems share; or a row for each, and where `f` has their axis."""
    if not of_arrays:
        return x, None, None
    if x.ndim and int(x.shape[-1]) != n:
        raise ShapeError(
            f"curve_fit: xdata must have the last dimension of ydata, {n}, but has shape "
            f"{tuple(x.shape)}"
        )
    shape = tuple(int(k) for k in x.shape)
    count = math.prod(batch)
    if single or not batch:
        return x, None, None
    if y.ndim > 1 and shape == (*batch, n):
        return None, xp.reshape(x, (count, n)), 0
    if x.ndim == len(batch) + 2 and shape[1:-1] == batch:
        flat = xp.reshape(x, (shape[0], count, n))
        return None, xp.moveaxis(flat, 1, 0), 1
    if x.ndim > 2 and any(k != 1 for k in shape[1:-1]):
        raise ShapeError(
            f"curve_fit: xdata must have shape (n,), (k, n), that of ydata, or (k, ..., n) with "
            f"the batch's dimensions {batch} in the middle, but has shape {shape}"
        )
    return x, None, None


def _first(name: str, batch: tuple[int, ...], wrong: Any, what: str) -> None:
    """An error with the index of the first problem where something is wrong, if one may look."""
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
    raise ArgumentError(f"{name}: {what}{where}")


def _words(items: Any) -> bool:
    """Return whether a list holds more than numbers, and so is an object of the model's own."""
    return any(not isinstance(i, bool | int | float | list | tuple) for i in items)


def most(name: str, value: Any, default: int) -> int:
    if value is None:
        return default
    if not hasattr(value, "__index__") or value.__index__() < 1:
        raise ArgumentError(f"curve_fit: {name} must be a positive integer, got {value!r}")
    return int(value.__index__())
