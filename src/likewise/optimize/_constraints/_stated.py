"""Constraints as a caller states them: dictionaries, objects of ours or of SciPy's, lists."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from ... import _plan
from ..._beside import beside
from ..._namespace import describe, device
from ...errors import ArgumentError, ConstraintError, ShapeError
from ...solving._function import DIFFERENCES, arguments
from ...solving._options import warned
from ._named import Bounds, LinearConstraint

__all__ = ["Stated", "arrays_of", "leading", "stated"]

_KEYS = ("type", "fun", "jac", "args", "hess")


class Stated(NamedTuple):
    """Hold one constraint, of a matrix or of a function."""

    name: str  # as errors call it
    low: Any
    high: Any
    matrix: Any = None  # of a linear one
    fun: Any = None
    args: tuple[Any, ...] = ()
    jac: Any = None
    hess: Any = None
    keep: Any = False
    diff_step: Any = None


def stated(function: str, constraints: Any) -> list[Stated]:
    """Return the constraints as a list, checked as far as that needs no values."""
    if constraints is None:
        return []
    if isinstance(constraints, Mapping) or _named(constraints):
        return [_one(function, "constraints", constraints)]
    try:
        every = list(constraints)
    except TypeError:
        raise _of_wrong_type(function, "constraints", constraints) from None
    return [_one(function, f"constraints[{i}]", c) for i, c in enumerate(every)]


def _named(c: Any) -> bool:
    return hasattr(c, "lb") and hasattr(c, "ub")


def _of_wrong_type(function: str, name: str, c: Any) -> ConstraintError:
    return ConstraintError(
        f"{function}: {name} must be a dictionary with 'type' and 'fun', a LinearConstraint or a "
        f"NonlinearConstraint, got {describe(c)}"
    )


def _one(function: str, name: str, c: Any) -> Stated:
    if isinstance(c, Mapping):
        return _of_dictionary(function, name, c)
    if _named(c) and hasattr(c, "A"):
        if not isinstance(c, LinearConstraint):  # SciPy's, which may have a sparse matrix
            c = LinearConstraint(c.A, c.lb, c.ub, c.keep_feasible)
        return Stated(name, c.lb, c.ub, matrix=c.A, keep=c.keep_feasible)
    if _named(c) and hasattr(c, "fun"):
        _check(function, name, c.fun, c.jac)
        if isinstance(c.hess, str):
            _plan.choice(function, f"hess of {name}", c.hess, DIFFERENCES)
        hess = c.hess if callable(c.hess) else None
        step = c.finite_diff_rel_step
        keep = c.keep_feasible
        return Stated(name, c.lb, c.ub, None, c.fun, (), c.jac, hess, keep, step)
    if isinstance(c, Bounds):
        raise ConstraintError(f"{function}: {name} are bounds: give them as bounds={c!r}")
    raise _of_wrong_type(function, name, c)


def _of_dictionary(function: str, name: str, c: Mapping[str, Any]) -> Stated:
    if "type" not in c:
        raise ConstraintError(f"{function}: {name} has no type defined: 'eq' or 'ineq'")
    kind = c["type"].lower() if isinstance(c["type"], str) else None
    if kind is None:
        raise ConstraintError(
            f"{function}: the type of {name} must be a string, 'eq' or 'ineq', got "
            f"{describe(c['type'])}"
        )
    if kind not in ("eq", "ineq"):
        raise ArgumentError(
            f"{function}: {name} has an unknown constraint type {c['type']!r}: take 'eq' or 'ineq'"
        )
    if "fun" not in c:
        raise ArgumentError(f"{function}: {name} has no function defined: give it as 'fun'")
    for key in c:
        if key not in _KEYS:
            warned(f"{function}: key {key!r} of {name} has no effect; there are {', '.join(_KEYS)}")
    jac, args = c.get("jac"), c.get("args", ())
    _check(function, name, c["fun"], jac)
    args = arguments(tuple(args) if isinstance(args, list) else args)
    high = 0.0 if kind == "eq" else math.inf
    return Stated(name, 0.0, high, None, c["fun"], args, jac or None, c.get("hess"))


def _check(function: str, name: str, fun: Any, jac: Any) -> None:
    if not callable(fun):
        raise ConstraintError(f"{function}: fun of {name} must be callable, got {describe(fun)}")
    if jac and not callable(jac):
        _plan.choice(function, f"jac of {name}", jac, DIFFERENCES)


def arrays_of(function: str, xp: Any, x: Any, every: list[Stated]) -> list[Stated]:
    """Return the constraints with arrays of the library, device and dtype of x (..., p).

    Sides that are Python's numbers remain so.
    """
    return [_with_arrays(function, xp, x, c) for c in every]


def _with_arrays(function: str, xp: Any, x: Any, c: Stated) -> Stated:
    def made(part: str, given: Any) -> Any:
        name = f"{part} of {c.name}"
        (given,) = beside(x, given)
        if not hasattr(given, "shape"):
            given = _plan.from_lists(function, name, xp, given, dtype=x.dtype, device=device(x))
        a = _plan.common_floating(function, xp, ("x0", name), x, given, real=True)[1]
        return a if a.dtype == x.dtype else xp.astype(a, x.dtype)

    low, high = (
        side if isinstance(side, float) else made(part, side)
        for part, side in (("lb", c.low), ("ub", c.high))
    )
    if c.matrix is None:
        return c._replace(low=low, high=high)
    matrix, p = made("A", c.matrix), int(x.shape[-1])
    matrix = xp.reshape(matrix, (1, -1)) if matrix.ndim < 2 else matrix
    if int(matrix.shape[-1]) != p:
        raise ShapeError(
            f"{function}: A of {c.name} must have a column for each of the {p} unknowns, got shape "
            f"{tuple(matrix.shape)}"
        )
    return c._replace(low=low, high=high, matrix=matrix)


def leading(every: list[Stated]) -> dict[str, tuple[int, ...]]:
    """Return the leading dimensions of the arrays of constraints, by their names."""
    found: dict[str, tuple[int, ...]] = {}
    for c in every:
        found[f"lb of {c.name}"], found[f"ub of {c.name}"] = (
            () if isinstance(a, float) else tuple(a.shape[:-1]) for a in (c.low, c.high)
        )
        if c.matrix is not None:
            found[f"A of {c.name}"] = tuple(c.matrix.shape[:-2])
    return found
