"""Ordinary problems as functions of a point, for a native solver of one problem."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..._namespace import array_namespace, quiet
from ...errors import ArgumentError
from ...solving._driver import taken
from ...solving._few import few
from ...solving._following import forward_several, is_open
from ...solving._function import Function
from ...solving._kept import kept
from ...solving._running import guarded
from .._steps._marquardt import Limits
from ._arguments import Asked, Fits
from ._model import plain_parameters

__all__ = ["Alone", "Lane", "alone", "each_alone", "ordinary"]

_NEAR = 1e-9  # what two ways of calling a function may differ by


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
    """one problem of float64, exact derivatives, no masks, priors, losses or constraints."""
    usual = asked.method in (None, "lm", "trf") and asked.loss == "linear"
    given = (asked.mask, asked.fixed, asked.mean, asked.jac)
    plain = usual and all(a is None for a in given) and asked.policy in (None, "raise")
    plain = plain and not asked.constraints
    like = y.ndim == 1 and type(asked.xdata) is type(y) and y.dtype == array_namespace(y).float64
    return bool(plain and like and not is_open() and not (asked.method == "lm" and asked.bounded))


def alone(y: Any, asked: Asked, tests: Limits, absolute_sigma: bool) -> Alone | None:
    """Return the problem, or None if the native solver can't take it, or an argument is wrong."""
    xp, x = array_namespace(y), asked.xdata
    count = plain_parameters(asked.f)
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
    values, columns = _functions(asked.f, y, count)

    return Alone(
        lambda v: values(x, v),
        lambda v: columns(x, v),
        p0,
        low,
        high,
        weight,
        tests,
        absolute_sigma,
    )


def _functions(f: Any, y: Any, count: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return values and columns of the Jacobian, as functions of xdata and parameters."""
    user = Function("curve_fit", "f", f)
    fun, cls, dtype, shape = user.fun, type(y), y.dtype, y.shape

    def called(x: Any, *parts: Any) -> Any:
        out = fun(x, *parts)
        same = out.__class__ is cls and out.dtype == dtype and out.shape == shape
        return out if same else user.checked(out, shape, parts[0], 2)

    places = [(j, ...) for j in range(count)]
    found: list[Callable[..., Any]] = []

    def columns(x: Any, v: Any) -> Any:
        parts = [v[j] for j in places]
        if not found:  # after a solver's first values: what the model keeps of x is no trace's
            found.append(kept(_columns, called, x, *parts, of=fun))
        return found[0](x, *parts)

    return lambda x, v: called(x, *[v[j] for j in places]), columns


class Lane(NamedTuple):
    """Hold one problem of a batch, as the arguments of the step that solves one."""

    y: Any
    asked: Asked
    one: Alone

    def alone(self, y: Any, asked: Asked) -> Alone:
        """Return the problem."""
        return self.one


def each_alone(
    problem: Fits, asked: Asked, tests: Limits, absolute_sigma: bool
) -> Callable[[int], Lane] | None:
    """Return the problems of a small batch by their numbers; None if they are to go together.

    The first one, to be asked for first, checks that the function takes a batch.
    """
    model, x, rows, batch = problem
    y, start = rows.y, rows.start
    (count, n), p = y.shape, int(start.shape[1])
    solver = "curve_fit" if rows.low is None else "curve_fit in bounds"
    views = None if batch is None else few(solver, y, count, asked.f)
    if views is None or asked.policy == "omit":
        return None
    if rows.factor is not None or not 0 < p < n:
        return None
    given = x if rows.x is None else rows.x
    if type(given) is not type(y) or not views.viewable(*(a for a in rows if a is not None), given):
        return None
    xs = [x] * count if rows.x is None else [rows.x[i, ...] for i in range(count)]
    policy = None if asked.policy == "propagate" else asked.policy
    one = asked._replace(xdata=xs[0], policy=policy)
    if not ordinary(y[0, :], one) or xs[0].dtype != y.dtype or xs[0].ndim > 2:
        return None
    values, columns = _functions(asked.f, views.inner(y)[0, :], p)
    low, high, weight = (
        None if a is None else views.of(a) for a in (rows.low, rows.high, rows.weight)
    )
    data, starts = views.of(y), views.of(start)
    expected: list[Any] = []  # the values for a batch's start

    def of(i: int) -> Lane:
        if i == 0 and model.vectorized:  # the function may mix the problems of a batch, or fail
            for some in (rows,) if count == 1 else (taken(rows, slice(0, 1)), rows):
                with quiet(y):
                    parts = (some.start[:, j, None] for j in range(p))
                    expected[:] = [views.of(model(model.predictors(x, some), *parts))]
        own, first = views.inner(xs[i]), [every[i, :] for every in expected]
        called = views.through(lambda v: values(own, v))

        def checked(v: Any) -> Any:
            out = called(v)
            if first and not _near(out, first.pop()):
                raise ArgumentError("curve_fit: f takes no single problem")  # nobody sees it
            return out

        def derived(v: Any) -> Any:
            return map(views.leave, columns(own, views.enter(v)))

        def row(a: Any) -> Any:
            return None if a is None else a[i, :]

        ends = row(low), row(high)
        one_of = Alone(checked, derived, starts[i, :], *ends, row(weight), tests, absolute_sigma)
        return Lane(data[i, :], one._replace(xdata=views.of(xs[i])), one_of)

    return of


def _near(a: Any, b: Any) -> bool:
    xp = array_namespace(a, b)
    return bool(  # likewise: ignore[LW203]: values are at hand
        xp.max(xp.abs(a - b)) <= _NEAR * xp.max(xp.abs(b))
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
