"""Local minima from several points of each problem, and derivatives of what was found."""

import warnings
from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, device, is_lazy
from ...errors import DerivativeWarning, NotSupported, TransformError
from ...solving._blocks import Sides
from ...solving._following import constants
from ...solving._running import compiles
from .._minimize import minimize
from .._minimize._method import Found, Rows
from .._minimize._objective import Objective
from .._minimize._solve import _differentiable, _recorded
from ._box import Box, plain

__all__ = ["differentiable", "minima"]


def minima(
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    x: Any,
    sides: tuple[Any, Any] | None,
    box: Box,
    options: dict[str, Any],
    vectorized: bool = False,
    shaped: bool = False,
) -> dict[str, Any]:
    """Return local minima from points (N, p) within `sides`: of each field a row for a point.

    A function that can't be traced is minimised from one point after the other. A `vectorized`
    function takes the points of all problems of the batch; if `shaped`, they are in its shape.
    """
    shaped = shaped or vectorized

    def of(x: Any, sides: tuple[Any, Any] | None) -> Any:
        bounds: dict[str, Any] = {} if sides is None else {"bounds": Sides(*constants(list(sides)))}
        return minimize(fun, x, args, vectorized=vectorized, **options, **bounds)

    def row(i: int) -> Any:
        own = None if sides is None else (sides[0][i, :], sides[1][i, :])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DerivativeWarning)
            return of(x[i, :], own)

    total = int(x.shape[0])
    if box.single and total == 1:
        return _rows(x, [row(0)])
    try:
        if shaped:
            found = of(box.shaped(x), None if sides is None else tuple(map(box.shaped, sides)))
        else:
            found = of(x, sides)
    except TransformError:
        if is_lazy(x) or compiles(x) or shaped:
            raise
        return _rows(x, [row(i) for i in range(total)])
    fields = {name: _field(found, name) for name in (*_FIELDS, *_OF_CONSTRAINTS)}
    if not shaped:
        return fields
    lead, xp = len(box.batch or ()), array_namespace(x)
    return {
        name: None if a is None else xp.reshape(a, (total, *a.shape[lead:]))
        for name, a in fields.items()
    }


_FIELDS = ("x", "fun", "jac", "outcome", "nit", "nfev", "njev", "hess_inv")
_OF_CONSTRAINTS = ("multipliers", "bound_multipliers", "constr_violation")


def _field(found: Any, name: str) -> Any:
    a = getattr(found, name, None)
    return plain(a) if hasattr(a, "shape") else a


def _rows(like: Any, found: list[Any]) -> dict[str, Any]:
    xp = array_namespace(like)
    out: dict[str, Any] = {}
    for name in (*_FIELDS, *_OF_CONSTRAINTS):
        parts = [_field(one, name) for one in found]
        if parts[0] is None:
            out[name] = None
            continue
        counts = name in ("outcome", "nit", "nfev", "njev")
        dtype = xp.int32 if counts else like.dtype
        arrays = [
            a if hasattr(a, "shape") and a.ndim else xp.asarray(a, dtype=dtype, device=device(like))
            for a in parts
        ]
        out[name] = xp.stack(arrays)
    return out


def differentiable(
    function: str,
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    x: Any,
    f: Any,
    sides: tuple[Any, Any] | None,
    batch: tuple[int, ...] | None = (1,),
    vectorized: bool = False,
    jac: Any = None,
    limits: Any = None,
    multipliers: tuple[Any, Any] | None = None,
) -> tuple[Any, Any]:
    """Return minima x (B, p) and their values with implicit derivatives, if somebody asks for any.

    Variables at a bound of `sides` are held, and with `limits` the active constraints.
    """
    constraints = None if limits is None else limits.of
    objective = Objective(
        function, fun, args, jac, None, None, batch, vectorized, None, constraints
    )
    x, f = constants([plain(x), plain(f)])
    xp = array_namespace(x)
    zero = xp.zeros_like(x[:, 0], dtype=xp.int32)
    lower, upper = sides or (None, None)
    found = Found(x, f, None, zero, zero, zero, zero, None)
    rows = Rows(found.x, lower, upper, None)
    if limits is not None:
        rows = rows._replace(low=limits.low, high=limits.high, matrix=limits.matrix)
    try:
        if limits is not None and multipliers is not None:
            found = found._replace(y=multipliers[0], z=multipliers[1], violation=f)
        elif limits is not None and _recorded(objective, rows, x):
            raise NotSupported(
                f"{function}: derivatives with constraints come of the local search at the end: "
                "take polish=True"
            )
        elif limits is not None:
            return found.x, found.f
        return _differentiable(objective, found, rows, True)[:2]
    except TransformError:  # nobody can ask
        if is_lazy(x) or compiles(x):
            raise
        return found.x, found.f
