"""One ordinary problem as functions of a point, for a native solver."""

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...transforms._derivatives import forward_several
from ...transforms._interpreter import is_open
from ...transforms._kept import kept
from ...transforms._running import guarded
from .._steps._function import Function
from .._steps._marquardt import Limits
from ._arguments import Asked

__all__ = ["Alone", "alone", "ordinary"]


class Alone(NamedTuple):
    """Holds a problem without units."""

    values: Callable[[Any], Any]
    """p parameters (p,) -> values (n,) of the model."""
    columns: Callable[[Any], Any]
    """The same -> the columns of its Jacobian, (p, n)."""
    start: Any  # (p,)
    weight: Any  # (n,), or None
    tests: Limits
    absolute_sigma: bool


def ordinary(y: Any, asked: Asked, *_: Any) -> bool:
    """one problem of float64, exact derivatives, no bounds, masks, priors, losses or the like."""
    usual = asked.method in (None, "lm") and not asked.bounded and asked.loss == "linear"
    given = (asked.mask, asked.fixed, asked.mean, asked.jac)
    plain = usual and all(a is None for a in given) and asked.policy in (None, "raise")
    like = y.ndim == 1 and y.dtype == array_namespace(y).float64 and type(asked.xdata) is type(y)
    return bool(plain and like and not is_open())


def alone(y: Any, asked: Asked, tests: Limits, absolute_sigma: bool) -> Alone | None:
    """Return the problem, None where something is not as usual, or wrong."""
    xp, x = array_namespace(y), asked.xdata
    p0, count = asked.p0, _parameters(asked.f)
    if p0 is None and count:
        p0 = [1.0] * count
    if not hasattr(p0, "shape"):
        numbers = isinstance(p0, list | tuple) and all(type(v) in (int, float) for v in p0)
        p0 = xp.asarray(p0, dtype=y.dtype) if numbers else None
    elif type(p0) is not type(y):
        return None
    if p0 is None or p0.dtype != y.dtype or p0.shape != (count,) or not 0 < count < y.shape[0]:
        return None
    if x.dtype != y.dtype or not 0 < x.ndim < 3 or x.shape[-1] != y.shape[0]:
        return None
    weight = asked.sigma
    if weight is not None:
        if type(weight) is not type(y) or weight.dtype != y.dtype or weight.shape != y.shape:
            return None
        if not bool(xp.all(weight > 0)):  # likewise: ignore[LW203]: values are at hand
            return None
        weight = 1 / weight
    finite = [xp.all(xp.isfinite(a)) for a in (y, x, p0)]
    if not all(map(bool, finite)):  # likewise: ignore[LW203]: values are at hand
        return None
    x = guarded(x)
    user = Function("curve_fit", "f", asked.f)

    def called(x: Any, *parts: Any) -> Any:
        out = user.fun(x, *parts)
        same = type(out) is type(y) and out.dtype == y.dtype and out.shape == y.shape
        return out if same else user.checked(out, y.shape, parts[0], 2)

    def parts(v: Any) -> list[Any]:
        return [v[j, ...] for j in range(count)]

    columns = kept(_columns, called, x, *parts(p0))
    return Alone(
        lambda v: called(x, *parts(v)),
        lambda v: columns(x, *parts(v)),
        p0,
        weight,
        tests,
        absolute_sigma,
    )


def _columns(f: Callable[..., Any]) -> Callable[..., Any]:
    def columns(x: Any, *parts: Any) -> Any:
        found = forward_several(f, (x,), parts)[1]
        return array_namespace(*found).stack(found)

    return columns


def _parameters(f: Any) -> int:
    """How many parameters a plain function takes besides xdata; 0 of another."""
    code = getattr(f, "__code__", None)
    if code is None or f.__defaults__ or code.co_flags & 0x0C or code.co_kwonlyargcount:
        return 0
    return int(code.co_argcount) - 1 - hasattr(f, "__self__")
