"""Checks that `minimize` makes before it looks at a function: method, bounds, options."""

import math
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import describe, device, is_concrete, library_of
from ...errors import ArgumentError, ShapeError

__all__ = ["Problem", "plan_minimize"]

# The options of each method, with what they are by default: a number, a number per unknown (of
# iterations, "200 p"), or a tolerance, which rounding in the dtype may raise.
_OPTIONS: dict[str, dict[str, Any]] = {
    "Nelder-Mead": {
        "xatol": 1e-4,
        "fatol": 1e-4,
        "maxiter": "200 p",
        "maxfev": "200 p",
        "adaptive": False,
        "initial_simplex": None,
    },
    "CG": {"gtol": 1e-5, "maxiter": "200 p", "c1": 1e-4, "c2": 0.2},
    "BFGS": {"gtol": 1e-5, "maxiter": "200 p", "c1": 1e-4, "c2": 0.9},
    "L-BFGS-B": {"gtol": 1e-5, "ftol": 2.220446049250313e-09, "maxiter": 15000, "maxfun": 15000}
    | {"maxcor": 10},
    "trust-ncg": {"gtol": 1e-4, "maxiter": "200 p", "initial_trust_radius": 1.0}
    | {"max_trust_radius": 1000.0, "eta": 0.15},
    "Adam": {"gtol": 1e-5, "maxiter": 10000, "learning_rate": 0.001, "beta1": 0.9}
    | {"beta2": 0.999, "epsilon": 1e-8},
}
_INTEGERS = ("maxiter", "maxfev", "maxfun", "maxcor")
_BOUNDED = ("Nelder-Mead", "L-BFGS-B")
_TOLERANCES = ("gtol", "ftol", "xatol", "fatol")  # what `tol` sets
_JAC = ("2-point", "3-point", "cs")


class Problem(NamedTuple):
    x0: Any  # (B, p)
    lower: Any  # (B, p) or None
    upper: Any
    simplex: Any  # (B, p + 1, p) or None
    batch: tuple[int, ...] | None  # None: one problem
    method: str
    options: dict[str, Any]


def plan_minimize(
    xp: Any,
    fun: Any,
    x0: Any,
    args: Any,
    method: Any,
    jac: Any,
    hess: Any,
    hessp: Any,
    bounds: Any,
    tol: Any,
    options: Any,
) -> Problem:
    for name, f in (("fun", fun), ("hess", hess), ("hessp", hessp)):
        if not callable(f) and (f is not None or name == "fun"):
            raise ArgumentError(f"minimize: {name} must be callable, got {describe(f)}")
    if not isinstance(args, tuple):
        raise ArgumentError(f"minimize: args must be a tuple, got {describe(args)}")
    if not callable(jac) and jac is not True and jac is not None:
        _plan.choice("minimize", "jac", jac, _JAC)
    given = options.get("initial_simplex") if isinstance(options, dict) else None
    made = _plan.common_floating(
        "minimize",
        xp,
        ("x0",) if given is None else ("x0", "initial_simplex"),
        *((x0,) if given is None else (x0, given)),
        real=True,
    )
    x = made[0]
    if x.ndim == 0:
        x = xp.reshape(x, (1,))
    p = int(x.shape[-1])
    if p == 0:
        raise ShapeError("minimize: x0 must have at least one variable, but has none")
    chosen = _method(method, bounds is not None)
    if bounds is not None and chosen not in _BOUNDED:
        raise ArgumentError(
            f"minimize: method {chosen!r} takes no bounds; {' and '.join(_BOUNDED)} do"
        )
    if chosen == "trust-ncg" and isinstance(jac, str) and hess is None and hessp is None:
        raise ArgumentError(
            f"minimize: method 'trust-ncg' needs second derivatives, which jac={jac!r} doesn't "
            "give: give hess or hessp, or leave jac out"
        )
    limits = _limits(xp, x, bounds)
    single = x.ndim == 1 and (limits is None or limits[0].ndim == 1)
    batch = tuple(x.shape[:-1])
    if limits is not None:
        batch = _plan.broadcast("minimize", x0=batch, bounds=tuple(limits[0].shape[:-1]))
    count = math.prod(batch)

    def rows(a: Any, tail: tuple[int, ...]) -> Any:
        return xp.reshape(xp.broadcast_to(a, (*batch, *tail)), (count, *tail))

    start = rows(x, (p,))
    lower = upper = None
    if limits is not None:
        lower, upper = (rows(a, (p,)) for a in limits)
        _check_bounds(xp, start, lower, upper, single)
        start = xp.minimum(xp.maximum(start, lower), upper)
    points = None
    if given is not None:
        points = made[1]
        if points.ndim < 2 or tuple(points.shape[-2:]) != (p + 1, p):
            raise ShapeError(
                f"minimize: initial_simplex must have shape (..., {p + 1}, {p}), got "
                f"{tuple(points.shape)}"
            )
        _plan.broadcast("minimize", x0=batch, initial_simplex=tuple(points.shape[:-2]))
        points = rows(points, (p + 1, p))
    settings = _options(xp, chosen, options, tol, p, float(xp.finfo(x.dtype).eps))
    return Problem(start, lower, upper, points, None if single else batch, chosen, settings)


def _method(method: Any, bounded: bool) -> str:
    if method is None:
        return "L-BFGS-B" if bounded else "BFGS"
    names = {name.lower(): name for name in _OPTIONS}
    found = names.get(method.lower()) if isinstance(method, str) else None
    if found is None:
        raise ArgumentError(
            f"minimize: method must be one of {', '.join(map(repr, _OPTIONS))}, got {method!r}"
        )
    return found


def _limits(xp: Any, x: Any, bounds: Any) -> tuple[Any, Any] | None:
    """Lower and upper bounds (..., p), of the dtype of x."""
    if bounds is None:
        return None
    p = int(x.shape[-1])
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        low, high = bounds.lb, bounds.ub
    elif hasattr(bounds, "shape"):
        if bounds.ndim < 2 or bounds.shape[-1] != 2:
            raise ShapeError(
                f"minimize: bounds must have shape (..., {p}, 2), got {tuple(bounds.shape)}"
            )
        low, high = bounds[..., 0], bounds[..., 1]
    else:
        low, high = _pairs(bounds, p)
    library = library_of(x)
    made = []
    for a, none in ((low, -math.inf), (high, math.inf)):
        if type(a).__module__ == "numpy" and library is not None and library.name != "numpy":
            a = a.tolist()  # of SciPy's own Bounds
        if isinstance(a, list | tuple):
            a = [none if v is None else v for v in a]
        if not hasattr(a, "shape"):
            a = _plan.from_lists("minimize", "bounds", xp, a, dtype=x.dtype, device=device(x))
        b = a
        b = _plan.common_floating("minimize", xp, ("x0", "bounds"), x, b, real=True)[1]
        if b.dtype != x.dtype:
            b = xp.astype(b, x.dtype)
        if b.ndim == 0 or b.shape[-1] == 1:
            b = xp.broadcast_to(b, (*b.shape[:-1], p))
        if b.shape[-1] != p:
            raise ShapeError(
                f"minimize: bounds must be given for each of the {p} variables of x0, got them "
                f"for {b.shape[-1]}"
            )
        made.append(xp.where(xp.isnan(b), xp.full_like(b, none), b))
    shape = _plan.broadcast("minimize", lower=tuple(made[0].shape), upper=tuple(made[1].shape))
    return xp.broadcast_to(made[0], shape), xp.broadcast_to(made[1], shape)


def _pairs(bounds: Any, p: int) -> tuple[list[Any], list[Any]]:
    try:
        pairs = [tuple(pair) for pair in bounds]
    except TypeError:
        pairs = [()]
    if any(len(pair) != 2 for pair in pairs):
        raise ArgumentError(
            f"minimize: bounds must be pairs (min, max), one for each of the {p} variables, got "
            f"{describe(bounds)}"
        )
    return [a for a, _ in pairs], [b for _, b in pairs]


def _check_bounds(xp: Any, x: Any, lower: Any, upper: Any, single: bool) -> None:
    if not (is_concrete(x) and is_concrete(lower) and is_concrete(upper)):
        return
    crossed = xp.any(lower > upper, axis=1)
    outside = xp.any((x < lower) | (x > upper), axis=1)
    for bad, text in ((crossed, "bounds cross: min > max"), (outside, "x0 lies outside bounds")):
        if bool(xp.any(bad)):
            where = int(xp.argmax(xp.astype(bad, xp.int32)))
            columns = (lower > upper) if bad is crossed else (x < lower) | (x > upper)
            variable = int(xp.argmax(xp.astype(columns[where, :], xp.int32)))
            problem = "" if single else f" of problem {where}"
            raise ArgumentError(f"minimize: {text}, for variable {variable}{problem}")


def _options(xp: Any, method: str, options: Any, tol: Any, p: int, eps: float) -> dict[str, Any]:
    """A method's options, complete and checked."""
    known = _OPTIONS[method]
    given = {} if options is None else options
    if not isinstance(given, dict):
        raise ArgumentError(f"minimize: options must be a dict, got {describe(given)}")
    for name in given:
        if name not in known:
            raise ArgumentError(
                f"minimize: method {method!r} has no option {name!r}; it has {', '.join(known)}"
            )
    floor = {"gtol": eps ** (1 / 3), "ftol": 10 * eps}
    out: dict[str, Any] = {}
    for name, default in known.items():
        value = given.get(name)
        if value is None and name in _TOLERANCES:
            value = tol
        if value is None:
            value = 200 * p if default == "200 p" else default
            if name in floor:
                value = max(value, floor[name])
        if name == "initial_simplex":
            continue
        if name == "adaptive":
            out[name] = bool(value)
            continue
        out[name] = _number("tol" if value is tol and name not in given else name, value)
    if "c1" in out and not 0 < out["c1"] < out["c2"] < 1:
        raise ArgumentError(f"minimize: 0 < c1 < c2 < 1 must hold, got {out['c1']} and {out['c2']}")
    return out


def _number(name: str, value: Any) -> float:
    integer = name in _INTEGERS
    try:
        number = value.__index__() if integer else float(value)
    except (TypeError, ValueError, AttributeError, RuntimeError, OverflowError):
        number = -1
    if not number >= (name == "maxcor") or math.isinf(number):
        kind = "an integer" if integer else "a number"
        raise ArgumentError(f"minimize: {name} must be {kind}, not negative, got {value!r}")
    return number
