"""A user's function of one problem or of many, as a function of lanes: (B, p) -> (B, n).

What `least_squares` and `root` have in common: checks of the function and its derivative, what it
returns, and Jacobians by the library's transforms or by differences.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, describe, device, is_concrete, is_neutral, library_of
from ...errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError
from ...transforms import jacobian, jvp, stop_gradient, vjp, vmap
from ...transforms._columns import columns
from ...transforms._escapes import foreign
from ...transforms._lanes import constants

__all__ = ["METHODS", "System", "bounds_of", "first_offender", "make_system", "start_of", "stopped"]

METHODS = ("2-point", "3-point", "cs")
_COLUMNS = 16  # unknowns, up to which columns one by one are quicker than a map of directions


class System(NamedTuple):
    """Residuals and their derivatives, all problems at once."""

    residuals: Callable[[Any], Any]  # (B, p) -> (B, n)
    jacobian: Callable[[Any], Any]  # (B, p) -> (B, n, p)
    forward: Callable[[Any, Any], Any]  # x, v (B, p) -> J v (B, n)
    pullback: Callable[[Any], Callable[[Any], Any]]  # x -> (u (B, n) -> J^T u (B, p))
    exact: bool  # whether derivatives are by transforms of the function


def start_of(function: str, x0: Any) -> tuple[Any, Any, tuple[int, ...] | None]:
    """The start as (B, p), its namespace, and the batch's shape, None for one problem."""
    xp = array_namespace(x0)
    (x,) = _plan.common_floating(function, xp, ("x0",), x0, real=True)
    xp = array_namespace(x)
    if x.ndim == 0:
        x = xp.reshape(x, (1,))
    if x.shape[-1] == 0:
        raise ShapeError(f"{function}: x0 must hold at least one unknown, but has {tuple(x.shape)}")
    batch = None if x.ndim == 1 else tuple(x.shape[:-1])
    x = stop_gradient(xp.reshape(x, (math.prod(batch or ()), x.shape[-1])))
    (x,) = constants([x])  # inside of a transform, what `fun` closes over may be the transform's
    return array_namespace(x), x, batch


def first_offender(function: str, bad: Any, batch: tuple[int, ...] | None, text: str) -> None:
    """Raise for the first problem of `bad`, (B, p) of bool, where values can be looked at."""
    if not is_concrete(bad):
        return
    xp = array_namespace(bad)
    rows = xp.any(bad, axis=1)
    if not bool(xp.any(rows)):
        return
    where = ""
    if batch is not None:
        index, place = int(xp.argmax(xp.astype(rows, xp.int32))), []
        for n in reversed(batch):
            place.append(index % n)
            index //= n
        where = f" (first in problem {place[::-1] if len(place) > 1 else place[0]})"
    raise ArgumentError(f"{function}: {text}{where}")


def bounds_of(
    function: str, bounds: Any, x: Any, batch: tuple[int, ...] | None
) -> tuple[Any, Any] | None:
    """Lower and upper bounds as (B, p), or None where there are none."""
    if bounds is None:
        return None
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        bounds = (bounds.lb, bounds.ub)
    if getattr(bounds, "ndim", 0) > 0 and bounds.shape[0] == 2:  # (2, p)
        bounds = (bounds[0, ...], bounds[1, ...])
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise ArgumentError(
            f"{function}: bounds must be a pair (lower, upper), got {describe(bounds)}"
        )
    if all(isinstance(b, int | float) for b in bounds) and tuple(bounds) == (-math.inf, math.inf):
        return None
    xp = array_namespace(x)
    made = []
    for name, b in zip(("bounds[0]", "bounds[1]"), bounds, strict=True):
        if not is_neutral(b) and not hasattr(b, "shape"):
            raise ArgumentError(
                f"{function}: {name} must be numbers or an array, got {describe(b)}"
            )
        if is_neutral(b):  # at the precision of x0, whatever the library's default
            b = _plan.from_lists(function, name, xp, b, dtype=x.dtype, device=device(x))
        _, b = _plan.common_floating(function, xp, ("x0", name), x, b, real=True)
        b = xp.astype(b, x.dtype, copy=False)
        shape = (*(batch or ()), x.shape[1])
        if _plan.broadcast(function, **{"x0": shape, name: tuple(b.shape)}) != shape:
            raise ShapeError(
                f"{function}: {name} must broadcast to the shape of x0, {shape}, got "
                f"{tuple(b.shape)}"
            )
        made.append(xp.reshape(xp.broadcast_to(b, shape), tuple(x.shape)))
    lower, upper = made
    first_offender(
        function, ~(lower < upper), batch, "each lower bound must be below its upper bound"
    )
    return lower, upper


def make_system(
    function: str,
    fun: Any,
    jac: Any,
    args: Sequence[Any],
    kwargs: Mapping[str, Any] | None,
    x: Any,
    batch: tuple[int, ...] | None,
    vectorized: bool,
    bounds: tuple[Any, Any] | None = None,
) -> System:
    """The lanes of ``fun(x, *args, **kwargs)``, once it is known to return what it must."""
    if not callable(fun):
        raise ArgumentError(f"{function}: fun must be callable, got {describe(fun)}")
    if jac is not None and not callable(jac):
        _plan.choice(function, "jac", jac, METHODS)
    if not isinstance(args, tuple | list):
        args = (args,)
    kwargs = {} if kwargs is None else kwargs
    p = x.shape[1]
    rows = vectorized and batch is not None

    def valued(v: Any) -> Any:
        try:
            return fun(v, *args, **kwargs)
        except Exception as error:
            foreign(function, "fun", error, v)
            raise

    def of_one(v: Any) -> Any:
        out = _checked(function, "fun", valued(v), v, (None,))
        return array_namespace(out).reshape(out, (-1,))

    def lanes(call: Callable[[Any], Any], v: Any) -> Any:
        if batch is None:
            return call(v[0, :])[None, ...]
        return vmap(call)(v)

    def residuals(v: Any) -> Any:
        if not rows:
            return lanes(of_one, v)
        return _checked(function, "fun", valued(v), v, (v.shape[0], None))

    def given(v: Any) -> Any:
        if rows:
            return _checked(function, "jac", jac(v, *args, **kwargs), v, (v.shape[0], None, p))

        def one(w: Any) -> Any:
            out = jac(w, *args, **kwargs)
            if getattr(out, "ndim", 2) < 2:
                out = array_namespace(w).reshape(out, (-1, p))
            return _checked(function, "jac", out, w, (None, p))

        return lanes(one, v)

    def transformed(v: Any) -> Any:
        xp = array_namespace(v)
        if batch is None:
            return jacobian(of_one)(v[0, :])[None, ...]
        if rows or p <= _COLUMNS:
            return xp.matrix_transpose(columns(residuals, v))
        return vmap(jacobian(of_one))(v)

    def differences(v: Any) -> Any:
        return array_namespace(v).matrix_transpose(columns(residuals, v, jac, bounds))

    if callable(jac):
        own, exact = given, False
    elif jac is None:
        own, exact = transformed, True
    else:
        own, exact = differences, False

    def forward(v: Any, direction: Any) -> Any:
        if exact:
            return jvp(residuals, (v,), (direction,))[1]
        xp = array_namespace(v)
        return xp.matmul(own(v), direction[:, :, None])[..., 0]

    def pullback(v: Any) -> Callable[[Any], Any]:
        if exact:
            pull = vjp(residuals, v)[1]
            return lambda u: pull(u)[0]
        xp, matrix = array_namespace(v), own(v)
        return lambda u: xp.matmul(u[:, None, :], matrix)[:, 0, :]

    return System(residuals, own, forward, pullback, exact)


def stopped(system: System) -> System:
    """The same without derivatives of its own, for the iterations."""

    def pullback(v: Any) -> Callable[[Any], Any]:
        pull = system.pullback(v)
        return lambda u: stop_gradient(pull(u))

    return System(
        lambda v: stop_gradient(system.residuals(v)),
        lambda v: stop_gradient(system.jacobian(v)),
        lambda v, direction: stop_gradient(system.forward(v, direction)),
        pullback,
        system.exact,
    )


def _checked(function: str, name: str, out: Any, x: Any, wanted: tuple[int | None, ...]) -> Any:
    """Return what the user's function returned, if it is of the library, dtype and shape of `x`."""
    xp = array_namespace(x)
    dims = ", ".join("n" if n is None else str(n) for n in wanted)
    expected = f"{function}: {name} must return an array of shape ({dims})"
    if isinstance(out, list | tuple) and out and all(hasattr(o, "shape") for o in out):
        out = xp.stack(list(out))
    if is_neutral(out) and hasattr(out, "dtype"):
        out = xp.asarray(out)  # NumPy's functions make scalars of arrays without dimensions
    if is_neutral(out) or (type(out) is not type(x) and library_of(out) is not library_of(x)):
        raise ArrayTypeError(f"{expected} of the library of x0, but returned {describe(out)}")
    complex_step = _plan.is_complex(xp, x.dtype) or _plan.is_complex(xp, out.dtype)
    if out.dtype != x.dtype and not complex_step:
        raise DtypeError(
            f"{expected} and the dtype of x0, {x.dtype}, but returned a {describe(out)}. Is there "
            "an array constant of another dtype in it? Python floats take the dtype of what they "
            "meet."
        )
    if out.ndim == 0 and len(wanted) == 1:
        out = xp.reshape(out, (1,))
    if out.ndim != len(wanted) or any(
        w is not None and w != n for w, n in zip(wanted, out.shape, strict=True)
    ):
        raise ShapeError(f"{expected}, but returned shape {tuple(out.shape)}")
    return out
