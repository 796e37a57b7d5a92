"""One ordinary problem as functions of a point, for a native solver."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..._namespace import array_namespace
from ...solving._following import forward_several, is_open
from ...solving._function import Function
from ...solving._kept import kept
from ...solving._running import guarded
from .._steps._marquardt import Limits
from ._arguments import Asked

__all__ = ["Alone", "alone", "ordinary"]


class Alone(NamedTuple):
    """Holds a problem without units."""

    values: Callable[[Any], Any]
    """p parameters (p,) -> values (n,) of the model."""
    columns: Callable[[Any], Sequence[Any]]
    """The same -> the columns of its Jacobian, p of (n,) or ()."""
    start: Any  # (p,)
    low: Any  # (p,), or None
    high: Any
    weight: Any  # (n,), or None
    tests: Limits
    absolute_sigma: bool


def ordinary(y: Any, asked: Asked, *_: Any) -> bool:
    """one problem of float64 with exact derivatives, and no masks, priors or losses."""
    usual = asked.method in (None, "lm", "trf") and asked.loss == "linear"
    given = (asked.mask, asked.fixed, asked.mean, asked.jac)
    plain = usual and all(a is None for a in given) and asked.policy in (None, "raise")
    like = y.ndim == 1 and type(asked.xdata) is type(y) and y.dtype == array_namespace(y).float64
    return bool(plain and like and not is_open() and not (asked.method == "lm" and asked.bounded))


def alone(y: Any, asked: Asked, tests: Limits, absolute_sigma: bool) -> Alone | None:
    """Return the problem, or None if the native solver can't take it, or an argument is wrong."""
    xp, x = array_namespace(y), asked.xdata
    count = _parameters(asked.f)
    start = asked.p0
    if start is None and not asked.bounded:
        start = [1.0] * count
    p0 = _vector(y, start, count)
    low = high = None
    if asked.bounded:
        low, high = _vector(y, asked.low, count), _vector(y, asked.high, count)
        if low is None or high is None or p0 is None:
            return None
        within = xp.all((low < high) & (low <= p0) & (p0 <= high))
        if not bool(within):  # likewise: ignore[LW203]: values are at hand
            return None
    if p0 is None or p0.dtype != y.dtype or not 0 < count < y.shape[0]:
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
    x = guarded(x)
    user = Function("curve_fit", "f", asked.f)
    fun, cls, dtype, shape = user.fun, type(y), y.dtype, y.shape

    def called(x: Any, *parts: Any) -> Any:
        out = fun(x, *parts)
        same = out.__class__ is cls and out.dtype == dtype and out.shape == shape
        return out if same else user.checked(out, shape, parts[0], 2)

    places = [(j, ...) for j in range(count)]
    found: list[Callable[..., Any]] = []

    def columns(v: Any) -> Any:
        parts = [v[j] for j in places]
        if not found:  # after a solver's first values: what the model keeps of x is no trace's
            found.append(kept(_columns, called, x, *parts, of=fun))
        return found[0](x, *parts)

    return Alone(
        lambda v: called(x, *[v[j] for j in places]),
        columns,
        p0,
        low,
        high,
        weight,
        tests,
        absolute_sigma,
    )


def _vector(like: Any, given: Any, count: int) -> Any:
    """Return numbers, one for each parameter; None if they are something else."""
    if type(given) in (int, float):
        given = [given] * count
    if isinstance(given, list | tuple):
        if len(given) != count or not all(type(v) in (int, float) for v in given):
            return None
        return array_namespace(like).asarray(given, dtype=like.dtype)
    fits = type(given) is type(like) and given.dtype == like.dtype and given.shape == (count,)
    return given if fits else None


def _columns(f: Callable[..., Any]) -> Callable[..., Any]:
    def columns(x: Any, *parts: Any) -> Any:
        return tuple(forward_several(f, (x,), parts, broad=False)[1])

    return columns


def _parameters(f: Any) -> int:
    """Return how many parameters a plain function takes besides xdata; 0 for other objects."""
    code = getattr(f, "__code__", None)
    if code is None or f.__defaults__ or code.co_flags & 0x0C or code.co_kwonlyargcount:
        return 0
    return int(code.co_argcount) - 1 - hasattr(f, "__self__")
