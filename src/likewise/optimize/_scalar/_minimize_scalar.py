"""Minima of functions of one variable, one problem or a batch."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic, Literal, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, quiet
from ..._native import public
from ..._typing import A
from ...errors import ArgumentError, NotSupported
from ...solving._blocks import lanes_in_blocks
from ...solving._driver import Method, iterate
from ...solving._elementwise import Elementwise, Kernel, Lanes, filled, plan_lanes, solve_lanes
from ...solving._options import count, effective, ends, table, tolerance
from ...solving._outcome import Outcome, outcomes
from ...solving._result import IN_BRACKETS, Result, result
from ._brackets import downhill
from ._chandrupatla import Bracketed, minima
from ._find_root import flat_point

__all__ = ["MinimizeScalarResult", "minimize_scalar"]

_GOLDEN = (3 - 5**0.5) / 2
_OPTIONS = {"brent": ("xtol", "maxiter"), "bounded": ("xatol", "maxiter")}
_OPTIONS["chandrupatla"] = ("xtol", "maxiter")
_INSTEAD = {"golden": "brent"}  # which takes parabolas where they help, else golden sections


@result
class MinimizeScalarResult(Result, Generic[A]):
    """Hold the results of `minimize_scalar`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    x, fun : array, shape (...)
        The minimizer and the minimum; NaN where the status is -1 or -3.
    nfev, nit : array of int32, shape (...)
        Points at which the function was evaluated; iterations.
    status : array of int32, shape (...)
        0, converged; -1, no bracket; -2, maxiter reached; -3, not finite.
    """

    STATUS: ClassVar[dict[int, int]] = IN_BRACKETS

    x: A
    fun: A
    nfev: A
    nit: A
    outcome: A


@public
def minimize_scalar(
    fun: Callable[..., Any],
    bracket: Any = None,
    bounds: Any = None,
    args: Any = (),
    method: Literal["brent", "bounded", "chandrupatla"] | str | None = None,
    tol: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> MinimizeScalarResult[Any]:
    """Find a minimum of a function of one variable, one problem or a batch.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args) -> array``, elementwise, in functions of ``likewise.array_namespace(x)``.
        `x` and the arrays of `args`, broadcast with it, have one dimension.
    bracket : tuple of two or three arrays, optional
        For 'brent' and 'chandrupatla': three points, lowest in the middle, or two points from which
        a search for such a bracket goes downhill; of any shapes that broadcast. Default: 0 and 1.
    bounds : pair of arrays, array of shape (2, ...), or object with lb, ub, optional
        For 'bounded': the interval of the minimizer.
    args : tuple, optional
        Arguments of `fun`. Arrays broadcast with the points, and are cast to the common floating
        dtype; `fun` gets other objects, including Python's numbers, unchanged.
    method : {'brent', 'bounded', 'chandrupatla'}, optional
        In upper or lower case. Default: 'bounded' if there are bounds, else 'brent'. 'golden' runs
        'brent'; `note` of the result says so.
    tol : float, optional
        The tolerance, in place of 'xtol' or 'xatol'.
    options : dict, optional
        'maxiter', default 500; 'disp', whether to print how it ended. For 'brent' and
        'chandrupatla' 'xtol', relative, default sqrt(eps); for 'bounded' 'xatol', default 1e-5.
        Other options give a warning.

    Returns
    -------
    MinimizeScalarResult
        ``x, fun, nfev, nit, status, success``, of the broadcast shape.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of `fun`, are not real and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `fun` returns another shape than that of `x`.
    ArgumentError
        If an option is out of range; if bounds are given to a method that has none.

    Notes
    -----
    'brent', 'bounded': R. P. Brent, Algorithms for Minimization without Derivatives, 1973, chapter
    5: parabolas, guarded by golden sections. 'chandrupatla': see `find_minimum`. An iteration takes
    one evaluation; without three points, `bracket_minimum` finds them first. Each problem converges
    separately. Finished problems are dropped on eager host arrays, so pass data that differ between
    problems through `args`, not through a closure. Minimizer and minimum are differentiable twice
    with respect to `args` and to arrays that `fun` closes over, because the derivative of `fun` is
    0 there; at a bound the minimizer's derivative is 0. On JAX, `fun` is traced in each call, and
    compiled code is reused if the trace is the same. Dask computes by blocks, and calls `fun` on
    NumPy arrays.

    Differs from SciPy: batches; 'chandrupatla'; 'golden' is Brent's method; steps of the search for
    a bracket double, so it may find a different one of several minima; three points that are no
    bracket give a status; there is no derivative with respect to `bounds`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import minimize_scalar
    >>> found = minimize_scalar(lambda x, c: (x - c) ** 2, args=(np.asarray([0.5, 3.0]),))
    >>> found.x.round(6)
    array([0.5, 3. ])
    >>> found = minimize_scalar(lambda x: (x - 2) ** 2, bounds=(0.0, 1.0))
    >>> float(found.x.round(4))
    1.0
    """
    name = "minimize_scalar"
    asked = ("brent" if bounds is None else "bounded") if method is None else method
    if callable(asked):
        raise NotSupported(
            f"{name}: method must be a name, one of {', '.join(_OPTIONS)}, got {asked}"
        )
    asked = asked.lower() if isinstance(asked, str) else asked
    method = _INSTEAD.get(asked, asked)
    _plan.choice(name, "method", method, tuple(_OPTIONS))
    points = _points(name, method, bracket, bounds)

    def by_blocks(given: tuple[Any, ...], args: tuple[Any, ...]) -> MinimizeScalarResult[Any]:
        inside = method == "bounded"
        box, ends = (given, None) if inside else (None, given)
        return minimize_scalar(fun, ends, box, args, asked, tol, options)

    blocks = lanes_in_blocks(name, by_blocks, points, args, {"fun": fun})
    if blocks is not None:
        return blocks
    lanes = plan_lanes(name, fun, points, args)
    eps = float(array_namespace(*lanes.points).finfo(lanes.points[0].dtype).eps)
    key, *_ = _OPTIONS[method]
    given = table(name, "options", options)
    disp = bool(given.pop("disp", False))
    given = effective(name, method, given, _OPTIONS[method], {})
    xtol = tolerance(
        name,
        "tol" if key not in given else key,
        given.get(key, tol),
        1e-5 if method == "bounded" else eps**0.5,
    )
    most = count(name, "maxiter", given.get("maxiter"), 500)
    call = Elementwise(name, "fun", fun, lanes)
    way = (method, xtol, most)
    (x, value), (code, nfev, nit) = solve_lanes(_kernel, way, [call], lanes, 2, 3)
    free = code == Outcome.CONVERGED
    if method == "bounded":
        a, b = lanes.points
        slack = 2 * (eps**0.5 * abs(x) + xtol)
        free = free & (x - a > slack) & (b - x > slack)
    x = flat_point(call, lanes, x, free)
    value = _carried(call, lanes, x, value, code == Outcome.CONVERGED)
    found: MinimizeScalarResult[Any] = MinimizeScalarResult(
        *map(lanes.shaped, (x, value, nfev, nit, code))
    )
    if method != asked:
        found = found.noted(f"method {method!r} stood in for {asked!r}")
    if disp:
        found.tell()
    return found


def _kernel(way: tuple[str, float, int], fun: Elementwise) -> Callable[..., Kernel]:
    """``kernel(points, args)`` of the method."""
    method, xtol, most = way
    if method == "bounded":
        return lambda p, args: _bounded(fun, p[0], p[1], args, xtol, most)
    return lambda p, args: _free(fun, p, args, method, xtol, most)


def _carried(fun: Elementwise, lanes: Lanes, x: Any, value: Any, good: Any) -> Any:
    """Return the values with implicit derivatives, if needed."""
    if not fun.asked(lanes.args):
        return value
    safe = array_namespace(x).where(good, x, lanes.points[0])
    with quiet(x):
        found = fun.plain(safe, lanes.args)
    return array_namespace(found).where(good, found, value)


def _points(name: str, method: str, bracket: Any, bounds: Any) -> dict[str, Any]:
    if method == "bounded":
        if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
            bounds = ends(bounds)
        elif getattr(bounds, "ndim", 0) and bounds.shape[0] == 2:
            bounds = (bounds[0, ...], bounds[1, ...])
        if not isinstance(bounds, tuple | list) or len(bounds) != 2:
            raise ArgumentError(
                f"{name}: method 'bounded' needs bounds, a pair of arrays, got {bounds!r}"
            )
        if bracket is not None:
            raise ArgumentError(f"{name}: method 'bounded' takes bounds, and no bracket")
        return {f"bounds[{i}]": p for i, p in enumerate(bounds)}
    if bounds is not None:
        raise ArgumentError(f"{name}: method {method!r} takes no bounds; use method='bounded'")
    bracket = (0.0, 1.0) if bracket is None else bracket
    if not isinstance(bracket, tuple | list) or len(bracket) not in (2, 3):
        raise ArgumentError(
            f"{name}: bracket must be a tuple of two or three arrays, got {bracket!r}"
        )
    return {f"bracket[{i}]": p for i, p in enumerate(bracket)}


class _Brent(NamedTuple):
    x: Any  # the best point
    fx: Any
    w: Any  # the second best
    fw: Any
    v: Any  # the one before
    fv: Any
    a: Any  # the interval
    b: Any
    d: Any  # the last step
    e: Any  # the step before
    status: Any
    nfev: Any
    nit: Any


def _bounded(
    fun: Elementwise, a: Any, b: Any, args: tuple[Any, ...], xatol: float, most: int
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    xp = array_namespace(a, b)
    x = a + _GOLDEN * (b - a)
    f = fun(x, args)
    first = outcomes(
        a,
        (~(a <= b), Outcome.BAD_BRACKET),
        (~xp.isfinite(b - a) | xp.isnan(f), Outcome.NOT_FINITE),
    )
    root = float(xp.finfo(x.dtype).eps) ** 0.5
    return _brent(fun, x, f, a, b, first, filled(x, 1), args, root, xatol / 3, most)


def _free(
    fun: Elementwise,
    points: tuple[Any, ...],
    args: tuple[Any, ...],
    method: str,
    xtol: float,
    most: int,
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Brent's or Chandrupatla's method without bounds, after the search for a bracket."""
    xp = array_namespace(*points)
    if len(points) == 2:
        a, b = points
        fa, fb = fun(a, args), fun(b, args)
        swap = fa < fb
        a, b = xp.where(swap, b, a), xp.where(swap, a, b)
        fa, fb = xp.where(swap, fb, fa), xp.where(swap, fa, fb)
        c = b + (b - a)  # downhill
        fc = fun(c, args)
        turn = a > c
        infinite = xp.full_like(a, xp.inf)
        three, values = (
            (xp.where(turn, c, a), b, xp.where(turn, a, c)),
            (xp.where(turn, fc, fa), fb, xp.where(turn, fa, fc)),
        )
        two = xp.full_like(a, 2.0)
        (x1, x2, x3, f1, f2, f3), (code, nfev, _) = downhill(
            fun, three, values, -infinite, infinite, two, args, 1000
        )
    else:
        x1, x2, x3 = points
        turn = x1 > x3
        x1, x3 = xp.where(turn, x3, x1), xp.where(turn, x1, x3)
        f1, f2, f3 = fun(x1, args), fun(x2, args), fun(x3, args)
        nfev = filled(x2, 3)
        ordered = (x1 < x2) & (x2 < x3) & (f1 >= f2) & (f2 <= f3) & ((f1 > f2) | (f3 > f2))
        finite = ~xp.isnan(f1 + f2 + f3) & xp.isfinite(x3 - x1)
        code = outcomes(
            x2,
            (~ordered, Outcome.BAD_BRACKET),
            (~finite, Outcome.NOT_FINITE),
            (ordered & finite, Outcome.CONVERGED),
        )
    good = code == Outcome.CONVERGED
    if method == "chandrupatla":
        tiny = float(xp.finfo(x2.dtype).smallest_normal)
        tol = Bracketed(tiny, xtol, tiny, tiny)
        f2 = xp.where(good, f2, xp.full_like(f2, xp.nan))  # ends at once
        (x, f, *_), (ended, nfev, nit) = minima(
            fun, (x1, x2, x3), (f1, f2, f3), nfev, args, tol, most
        )
        return (x, f), (xp.where(good, ended, _blamed(code)), nfev, nit)
    first = xp.where(good, filled(x2, Outcome.RUNNING), _blamed(code))
    return _brent(fun, x2, f2, x1, x3, first, nfev, args, xtol, 1e-11, most)


def _blamed(code: Any) -> Any:
    """Return the status where the search for a bracket failed."""
    return outcomes(
        code,
        (code == Outcome.NOT_FINITE, Outcome.NOT_FINITE),
        otherwise=Outcome.BAD_BRACKET,
    )


def _brent(
    fun: Elementwise,
    x: Any,
    f: Any,
    a: Any,
    b: Any,
    first: Any,
    nfev: Any,
    args: tuple[Any, ...],
    rtol: float,
    atol: float,
    most: int,
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Brent's localmin from `x` in (a, b), to ``rtol |x| + atol``."""
    xp = array_namespace(x)
    zero = xp.zeros_like(x)
    start = _Brent(x, f, x, f, x, f, a, b, zero, zero, first, nfev, filled(x, 0))
    start = start._replace(status=_ended(xp, start, rtol, atol))

    def step(args: tuple[Any, ...], s: _Brent) -> _Brent:
        m, tol = 0.5 * (s.a + s.b), rtol * xp.abs(s.x) + atol
        # The parabola through x, v, w, and the conditions that its minimum has to meet.
        r, q = (s.x - s.w) * (s.fx - s.fv), (s.x - s.v) * (s.fx - s.fw)
        p = (s.x - s.v) * q - (s.x - s.w) * r
        q = 2 * (q - r)
        p, q = xp.where(q > 0, -p, p), xp.abs(q)
        good = (xp.abs(s.e) > tol) & (xp.abs(p) < xp.abs(0.5 * q * s.e))
        good = good & (p > q * (s.a - s.x)) & (p < q * (s.b - s.x))
        move = p / q
        u = s.x + move
        edge = (u - s.a < 2 * tol) | (s.b - u < 2 * tol)
        inward = xp.where(s.x < m, tol, -tol)
        longer = xp.where(s.x < m, s.b, s.a) - s.x
        d = xp.where(good, xp.where(edge, inward, move), _GOLDEN * longer)
        e = xp.where(good, s.d, longer)
        u = s.x + xp.where(xp.abs(d) >= tol, d, xp.where(d > 0, tol, -tol))
        now = _narrowed(s._replace(d=d, e=e), u, fun(u, args))
        return now._replace(status=_ended(xp, now, rtol, atol))

    end = iterate(Method(lambda _: start, step, lean=True), args, most, share=8)
    code = end.status
    lost = (code == Outcome.BAD_BRACKET) | (code == Outcome.NOT_FINITE)
    nan = xp.full_like(x, xp.nan)
    return (
        xp.where(lost, nan, end.x),
        xp.where(lost, nan, end.fx),
    ), (code, end.nfev, end.nit)


def _narrowed(s: _Brent, u: Any, f: Any) -> _Brent:
    """The interval and the three best points, once the function is known at `u`."""
    xp = array_namespace(u, f)
    better, right = f <= s.fx, u >= s.x
    second = (f <= s.fw) | (s.w == s.x)
    third = (f <= s.fv) | (s.v == s.x) | (s.v == s.w)
    shift = better | second
    return s._replace(
        x=xp.where(better, u, s.x),
        fx=xp.where(better, f, s.fx),
        w=xp.where(better, s.x, xp.where(second, u, s.w)),
        fw=xp.where(better, s.fx, xp.where(second, f, s.fw)),
        v=xp.where(shift, s.w, xp.where(third, u, s.v)),
        fv=xp.where(shift, s.fw, xp.where(third, f, s.fv)),
        a=xp.where(better, xp.where(right, s.x, s.a), xp.where(right, s.a, u)),
        b=xp.where(better, xp.where(right, s.b, s.x), xp.where(right, u, s.b)),
        status=outcomes(f, (xp.isnan(f), Outcome.NOT_FINITE)),
        nfev=s.nfev + 1,
        nit=s.nit + 1,
    )


def _ended(xp: Any, s: _Brent, rtol: float, atol: float) -> Any:
    tol = rtol * xp.abs(s.x) + atol
    near = xp.abs(s.x - 0.5 * (s.a + s.b)) <= 2 * tol - 0.5 * (s.b - s.a)
    return xp.where(near & (s.status == Outcome.RUNNING), filled(s.x, Outcome.CONVERGED), s.status)
