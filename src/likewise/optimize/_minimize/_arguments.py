"""Checks of the method, the options and the start of `minimize`, before it calls a function."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import describe, is_lazy
from ...errors import ArgumentError, NotSupported, ShapeError
from ...solving._function import DIFFERENCES, arguments
from ...solving._options import ENDLESS, count, effective, table, tolerance, warned
from .._constraints._canonical import Constraints, planned
from .._constraints._stated import Stated, arrays_of, leading, stated
from ._bounds import limits, within
from ._method import ESTIMATES, Each, Row, Rows
from ._methods import METHODS, usual

__all__ = ["SHAPED", "Functions", "Problem", "plan_functions", "plan_minimize"]

SHAPED = {"initial_simplex": 1, "direc": 0}  # options that are arrays (..., p + n, p)
_TOLERANCES = (
    "gtol",
    "ftol",
    "xtol",
    "barrier_tol",
    "xatol",
    "fatol",
    "tol",
    "final_tr_radius",
)  # what `tol` sets
_CLOSE = 1e-7  # a tolerance of gradients that searches along lines don't reach
# SciPy's options that have no effect, or methods that are not there, and why.
_IDLE = {
    "factorization_method": "products of rows are decomposed, whatever their number",
    "finite_diff_jac_sparsity": "matrices are dense",
    "sparse_jacobian": "matrices are dense",
    "verbose": "disp=True prints how it ended",
    "eps": "derivatives are exact; for differences take finite_diff_rel_step",
    "finite_diff_rel_step": "it is for jac='2-point', '3-point' or 'cs', also of constraints",
    "hess_inv0": "the first matrix is that of the first step",
    "iprint": "disp=True prints how it ended",
    "return_all": "a callback sees each iteration",
    "accuracy": "products with the Hessian are exact",
    "mesg_num": "disp=True prints how it ended",
    "minfev": "it has no effect in SciPy, either",
    "offset": "variables are not shifted",
    "rescale": "values are not rescaled",
    "scale": "variables are not rescaled: do it in fun",
    "stepmx": "line searches go as far as values fall",
    "workers": "all problems of a batch are worked on at once",
}


class Problem(NamedTuple):
    rows: Rows
    batch: tuple[int, ...] | None  # None: one problem
    row: Row
    options: dict[str, Any]
    diff_step: float | None
    disp: bool
    constraints: Constraints | None


class Functions(NamedTuple):
    fun: Any
    args: tuple[Any, ...]
    jac: Any
    hess: Any
    hessp: Any
    vectorized: bool
    callback: Any
    constraints: list[Stated]


def plan_functions(
    fun: Any,
    args: Any,
    jac: Any,
    hess: Any,
    hessp: Any,
    vectorized: bool,
    callback: Any,
    constraints: Any,
) -> Functions:
    hess = _estimate(hess)
    known = None if isinstance(hess, str) else hess
    for name, f in (("fun", fun), ("hess", known), ("hessp", hessp), ("callback", callback)):
        if not callable(f) and (f is not None or name == "fun"):
            raise ArgumentError(f"minimize: {name} must be callable, got {describe(f)}")
    if not callable(jac) and jac is not True and jac is not None and jac is not False:
        _plan.choice("minimize", "jac", jac, DIFFERENCES)
    known = stated("minimize", constraints)
    args, jac = arguments(args), jac or None
    return Functions(fun, args, jac, hess, hessp, bool(vectorized), callback, known)


def _estimate(hess: Any) -> Any:
    """Return what is to stand for second derivatives: a function, an estimate's name, or None."""
    if hess is None or callable(hess):
        return hess
    name = hess if isinstance(hess, str) else type(hess).__name__  # of SciPy's classes
    if name in DIFFERENCES:  # of gradients, whose derivatives are exact here
        return None
    if name not in ESTIMATES:
        names = " or ".join(map(repr, ESTIMATES))
        raise ArgumentError(f"minimize: hess must be callable, {names}, got {describe(hess)}")
    return name


def plan_minimize(
    xp: Any,
    functions: Functions,
    x0: Any,
    method: Any,
    bounds: Any,
    tol: Any,
    options: Any,
) -> Problem:
    given = table("minimize", "options", options)
    row = _method(method, bounds is not None, bool(functions.constraints))
    _check_fit(row, functions, bounds)
    bounds = bounds if row.bounded else None
    shaped = next((name for name in SHAPED if name in row.options), "")
    simplex = given.get(shaped)
    names, arrays = ("x0", shaped), (x0, simplex)
    some = 1 if simplex is None else 2
    made = _plan.common_floating("minimize", xp, names[:some], *arrays[:some], real=True)
    x = xp.reshape(made[0], (1,)) if made[0].ndim == 0 else made[0]
    p = int(x.shape[-1])
    if p == 0:
        raise ShapeError("minimize: x0 must have at least one variable, but has none")
    simplex = None if simplex is None else made[1]
    known = functions.constraints if row.constrained else []
    diff_step = _diff_step(given, functions.jac, *(c.jac for c in known))
    known = [c._replace(diff_step=diff_step) if c.diff_step is None else c for c in known]
    known = arrays_of("minimize", xp, x, known)
    box = limits(xp, x, bounds)
    rows, batch = _rows(xp, x, box, shaped, simplex, not row.gradient, leading(known))
    joint = functions.vectorized and batch is not None
    limited = planned("minimize", rows.x0, known, batch, joint)
    if limited is not None:
        rows = rows._replace(low=limited.low, high=limited.high, matrix=limited.matrix)
    if functions.callback is not None and (batch is not None or is_lazy(x)):
        raise NotSupported(
            "minimize: callback is called for one problem whose values are at hand, got "
            f"x0 {describe(x)}"
        )
    # SciPy's trust-constr has `verbose`.
    disp = bool(given.pop("disp", False)) | bool(row.stateful and given.pop("verbose", 0))
    settings = _options(row, given, tol, p, float(xp.finfo(x.dtype).eps))
    if row.estimates and isinstance(functions.hess, str):
        settings["hessian"] = functions.hess
    constraints = None if limited is None else limited.constraints
    return Problem(rows, batch, row, settings, diff_step, disp, constraints)


def _rows(
    xp: Any,
    x: Any,
    box: Any,
    shaped: str,
    simplex: Any,
    told: bool,
    leads: dict[str, tuple[int, ...]],
) -> tuple[Rows, tuple[int, ...] | None]:
    """Return the data of each problem as rows, and the shape of the batch.

    With `told`, warn of a start that is moved onto its bounds, as SciPy does for methods without
    gradients. `leads` are the leading dimensions of the arrays of constraints.
    """
    p = int(x.shape[-1])
    if box is not None:
        leads = {"bounds": tuple(box[0].shape[:-1]), **leads}
    single = x.ndim == 1 and not any(leads.values())
    batch = tuple(x.shape[:-1])
    if leads:
        batch = _plan.broadcast("minimize", x0=batch, **leads)
    total = math.prod(batch)

    def rows(a: Any, *tail: int) -> Any:
        return xp.reshape(xp.broadcast_to(a, (*batch, *tail)), (total, *tail))

    start, lower, upper = rows(x, p), None, None
    if box is not None:
        lower, upper = (rows(a, p) for a in box)
        start = within(xp, start, lower, upper, single, told)
    if simplex is not None:
        count = p + SHAPED[shaped]
        if simplex.ndim < 2 or tuple(simplex.shape[-2:]) != (count, p):
            raise ShapeError(
                f"minimize: {shaped} must have shape (..., {count}, {p}), got "
                f"{tuple(simplex.shape)}"
            )
        _plan.broadcast("minimize", **{"x0": batch, shaped: tuple(simplex.shape[:-2])})
        simplex = rows(simplex, count, p)
    return Rows(start, lower, upper, simplex), None if single else batch


def _method(method: Any, bounded: bool, constrained: bool = False) -> Row:
    """Return the row of a method."""
    if method is None:
        return usual(bounded, constrained)
    wanted = method.lower() if isinstance(method, str) else ""
    for row in METHODS.values():
        if row.name.lower() == wanted:
            return row
    names = ", ".join(map(repr, METHODS))
    if callable(method):
        raise NotSupported(f"minimize: method must be a name, one of {names}, got a function")
    raise ArgumentError(f"minimize: method must be one of {names}, got {method!r}")


def _check_fit(row: Row, functions: Functions, bounds: Any) -> None:
    """Warn of arguments that the method doesn't use, and refuse missing ones that it needs."""
    idle = {
        "bounds": bounds is not None and not row.bounded,
        "constraints": bool(functions.constraints) and not row.constrained,
        "jac": functions.jac is not None and not row.gradient,
        "hess": functions.hess is not None and not row.curved,
        "hessp": functions.hessp is not None and not row.curved,
    }
    for name, vain in idle.items():
        if vain:
            warned(f"minimize: method {row.name!r} does not use {name}", RuntimeWarning)
    if isinstance(functions.hess, str) and row.curved and not row.estimates:
        raise ArgumentError(
            f"minimize: method {row.name!r} takes no estimate hess={functions.hess!r}: give a "
            "function, or leave hess out for exact products"
        )


def _options(row: Row, given: Mapping[str, Any], tol: Any, p: int, eps: float) -> dict[str, Any]:
    """A method's options, complete and checked."""
    used = effective("minimize", row.name, given, row.options, _IDLE)
    floor = {"ftol": 10 * eps, "xtol": eps, "ctol": eps**0.75, "barrier_tol": eps**0.75}
    tol = None if tol is None else tolerance("minimize", "tol", tol, 0.0)
    out: dict[str, Any] = {}
    for name, default in row.options.items():
        value = used.get(name)
        if name in SHAPED:
            continue
        if isinstance(default, bool):
            out[name] = default if value is None else bool(value)
        elif default == -1:
            own = value is None and name not in _TOLERANCES
            value = tol if value is None and not own else value
            known = value is not None and value >= 0
            out[name] = type(default)(value) if known else None
        elif isinstance(default, Each | int):
            usual = default.of(p) if isinstance(default, Each) else default
            out[name] = count("minimize", name, value, usual, least=int(name == "maxcor"))
        elif name == "f_target":
            out[name] = default if value is None else float(value)
        elif name == "norm":
            out[name] = _norm(value, default)
        else:
            least = floor.get(name, 0.0)
            if name == "gtol":  # by steps that use second derivatives it may be less
                least = eps ** (1 / 3 if default > _CLOSE else 1 / 2)
            usual = max(default, least)
            usual = tol if tol is not None and name in _TOLERANCES else usual
            out[name] = tolerance("minimize", name, value, usual)
    both = {"maxiter", "maxfev"} & out.keys()
    asked = [name for name in both if used.get(name) is not None]
    if len(both) == 2 and len(asked) == 1 and out[asked[0]] != ENDLESS:  # it is the only one
        (other,) = both - set(asked)
        out[other] = ENDLESS
    if "c1" in out and not 0 < out["c1"] < out["c2"] < 1:
        raise ArgumentError(f"minimize: 0 < c1 < c2 < 1 must hold, got {out['c1']} and {out['c2']}")
    return out


def _diff_step(given: dict[str, Any], *schemes: Any) -> float | None:
    """Return the relative step of finite differences, if there are any, and remove the option."""
    if "finite_diff_rel_step" not in given or not any(isinstance(s, str) for s in schemes):
        return None
    step = tolerance("minimize", "finite_diff_rel_step", given.pop("finite_diff_rel_step"), 0.0)
    return step or None


def _norm(value: Any, default: float) -> float:
    """The order of the gradient's norm."""
    try:
        order = default if value is None else float(value)
    except (TypeError, ValueError, RuntimeError):
        order = math.nan
    if not (order > 0 or order == -math.inf):
        raise ArgumentError(f"minimize: norm must be a number above 0 or -inf, got {value!r}")
    return order
