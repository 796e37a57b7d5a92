"""Brackets of roots and of minima, elementwise: `bracket_root`, `bracket_minimum`."""

from collections.abc import Callable
from typing import Any, ClassVar, Generic, NamedTuple

from ..._namespace import array_namespace
from ..._native import public
from ..._typing import A
from ...errors import ArgumentError
from ...solving._blocks import lanes_in_blocks
from ...solving._driver import Method, iterate
from ...solving._elementwise import Elementwise, Kernel, Lanes, filled, plan_lanes, solve_lanes
from ...solving._options import count
from ...solving._outcome import Outcome, outcomes
from ...solving._result import Result, result

__all__ = ["BracketResult", "bracket_minimum", "bracket_root", "downhill"]


@result
class BracketResult(Result, Generic[A]):
    """Hold brackets: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    bracket, f_bracket : tuple of arrays, shape (...)
        Two points in ascending order for a root, three for a minimum, and the values there.
    nfev, nit : array of int32, shape (...)
        Points at which the function was evaluated; iterations.
    status : array of int32, shape (...)
        0, found; -1, no bracket within the limits; -2, maxiter reached; -3, not finite; -5,
        start not in order or outside the limits, or factor not above 1.
    """

    STATUS: ClassVar[dict[int, int]] = {
        Outcome.CONVERGED: 0,
        Outcome.AT_LIMITS: -1,
        Outcome.LIMIT: -2,
        Outcome.NOT_FINITE: -3,
        Outcome.BAD_START: -5,
    }
    ADVICE: ClassVar[dict[int, str]] = {Outcome.CONVERGED: "a bracket was found"}

    bracket: tuple[A, ...]
    f_bracket: tuple[A, ...]
    nfev: A
    nit: A
    outcome: A


@public
def bracket_root(
    f: Callable[..., Any],
    xl0: Any,
    xr0: Any = None,
    *,
    xmin: Any = None,
    xmax: Any = None,
    factor: Any = None,
    args: Any = (),
    maxiter: int = 1000,
) -> BracketResult[Any]:
    """Find brackets of roots of a function of one variable, one problem or a batch.

    Parameters
    ----------
    f : callable
        ``f(x, *args) -> array``, elementwise, called as in `find_root`.
    xl0, xr0 : array
        Start values, of any shapes that broadcast. Default of the second: the first plus 1, or an
        eighth of the way to `xmax`.
    xmin, xmax : array, optional
        Limits of the bracket.
    factor : array, optional
        Factor above 1 by which the bracket grows, or the distance to a limit shrinks. Default: 2.
    args : tuple, optional
        Arguments of `f`, as for `find_root`.
    maxiter : int, optional
        Maximum number of iterations.

    Returns
    -------
    BracketResult
        ``bracket, f_bracket, nfev, nit, status, success``, of the broadcast shape.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, ShapeError, ArgumentError
        As `find_root`.

    Notes
    -----
    Both ends move outwards, in steps that grow by the factor, until the function changes sign
    between the last two points of a side; two evaluations per iteration. A side stops at its limit,
    or when a point or a value is no longer finite. Not differentiable: a bracket is no unique
    function of the problem.

    Differs from SciPy: if both sides find a bracket in the same iteration, the shorter one is
    returned (SciPy 1.17 may combine ends of both if they are equally long); `f` is called as in
    `find_root`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import bracket_root
    >>> found = bracket_root(lambda x, c: x - c, 0.0, args=(np.asarray([0.5, 20.0]),))
    >>> found.bracket
    (array([ 0., 16.]), array([ 1., 32.]))
    """
    name = "bracket_root"
    points = {"xl0": xl0, "xr0": xr0, "xmin": xmin, "xmax": xmax, "factor": factor}

    def call(given: tuple[Any, ...], args: tuple[Any, ...]) -> BracketResult[Any]:
        named = dict(zip(points, given, strict=True))
        return bracket_root(f, named.pop("xl0"), **named, args=args, maxiter=maxiter)

    blocks = lanes_in_blocks(name, call, points, args, {"f": f})
    if blocks is not None:
        return blocks
    given, lanes, fun, most = _plan(name, f, points, args, maxiter)
    way = (tuple(given), most)
    (xl, xr, fl, fr), integers = solve_lanes(_of_root, way, [fun], lanes, 4, 3)
    xl, xr, fl, fr, code, nfev, nit = map(lanes.shaped, (xl, xr, fl, fr, *integers))
    return BracketResult((xl, xr), (fl, fr), nfev, nit, code)


def _plan(
    name: str, f: Any, points: dict[str, Any], args: Any, maxiter: Any
) -> tuple[dict[str, Any], Lanes, Elementwise, int]:
    """Return the given points, the problems, the function, and the maximum of iterations."""
    factor = points["factor"]
    if isinstance(factor, int | float) and not factor > 1:
        raise ArgumentError(f"{name}: factor must be above 1, got {factor!r}")
    given = {k: v for k, v in points.items() if v is not None}
    lanes = plan_lanes(name, f, given, args)
    return given, lanes, Elementwise(name, "f", f, lanes), count(name, "maxiter", maxiter, 1000)


def _limits(xp: Any, have: dict[str, Any], like: Any) -> tuple[Any, Any, Any]:
    infinite = xp.full_like(like, xp.inf)
    return (
        have.get("xmin", -infinite),
        have.get("xmax", infinite),
        have.get("factor", xp.full_like(like, 2.0)),
    )


def _of_root(way: tuple[tuple[str, ...], int], fun: Elementwise) -> Callable[..., Kernel]:
    given, most = way

    def kernel(points: Any, args: tuple[Any, ...]) -> Any:
        have = dict(zip(given, points, strict=True))
        xl = have["xl0"]
        xp = array_namespace(xl)
        low, high, grow = _limits(xp, have, xl)
        gap = xp.where(xp.isfinite(high), (high - xl) / 8, xp.ones_like(xl))
        xr = have.get("xr0", xl + xp.minimum(gap, xp.ones_like(xl)))
        return _around(fun, xl, xr, low, high, grow, args, most)

    return kernel


class _Around(NamedTuple):
    left: Any
    fl: Any
    right: Any
    fr: Any
    width: Any
    status: Any
    nfev: Any
    nit: Any


def _first(xl: Any, xr: Any, fl: Any, fr: Any, ordered: Any) -> _Around:
    xp = array_namespace(xl, xr, fl, fr)
    first = outcomes(
        xl,
        (xp.sign(fl) != xp.sign(fr), Outcome.CONVERGED),
        (xp.isnan(fl + 0 * fr) | ~xp.isfinite(xl + xr), Outcome.NOT_FINITE),
        (~ordered, Outcome.BAD_START),
    )
    return _Around(xl, fl, xr, fr, xr - xl, first, filled(xl, 2), filled(xl, 0))


def _around(
    fun: Elementwise,
    xl: Any,
    xr: Any,
    low: Any,
    high: Any,
    grow: Any,
    args: tuple[Any, ...],
    most: int,
) -> Kernel:
    xp = array_namespace(xl, xr)
    fl, fr = fun(xl, args), fun(xr, args)
    ordered = (low <= xl) & (xl < xr) & (xr <= high) & (grow > 1)
    start = _first(xl, xr, fl, fr, ordered)

    def step(more: tuple[Any, ...], s: _Around) -> _Around:
        x0, y0, low, high, grow, *rest = more
        args = tuple(rest)
        width = s.width * grow
        left = xp.where(xp.isfinite(low), low + (s.left - low) / grow, y0 - width)
        right = xp.where(xp.isfinite(high), high - (high - s.right) / grow, x0 + width)
        going_l = (left != s.left) & xp.isfinite(left) & xp.isfinite(s.fl)
        going_r = (right != s.right) & xp.isfinite(right) & xp.isfinite(s.fr)
        over = ~going_l & ~going_r
        stuck = (left == s.left) & (right == s.right)  # at the limits, as near as numbers come
        left, right = xp.where(going_l, left, s.left), xp.where(going_r, right, s.right)
        fl = xp.where(going_l, fun(left, args), s.fl)
        fr = xp.where(going_r, fun(right, args), s.fr)
        on_l = going_l & (xp.sign(fl) != xp.sign(s.fl)) & ~xp.isnan(fl)
        on_r = going_r & (xp.sign(fr) != xp.sign(s.fr)) & ~xp.isnan(fr)
        # Of two brackets the shorter one, of equals the left.
        on_l = on_l & ~(on_r & (right - s.right < s.left - left))
        found = on_l | on_r
        code = outcomes(
            left,
            (over, Outcome.NOT_FINITE),
            (stuck, Outcome.AT_LIMITS),
            (found, Outcome.CONVERGED),
        )
        ones, none = xp.ones_like(s.nfev), xp.zeros_like(s.nfev)
        calls = xp.where(going_l, ones, none) + xp.where(going_r, ones, none)
        # Where a bracket was found, the new point and the one before it.
        return _Around(
            xp.where(found & ~on_l, s.right, left),
            xp.where(found & ~on_l, s.fr, fl),
            xp.where(on_l, s.left, right),
            xp.where(on_l, s.fl, fr),
            width,
            code,
            s.nfev + calls,
            xp.where(over, s.nit, s.nit + 1),
        )

    end = iterate(
        Method(lambda _: start, step, lean=True), (xl, xr, low, high, grow, *args), most, share=8
    )
    return (end.left, end.right, end.fl, end.fr), (end.status, end.nfev, end.nit)


@public
def bracket_minimum(
    f: Callable[..., Any],
    xm0: Any,
    *,
    xl0: Any = None,
    xr0: Any = None,
    xmin: Any = None,
    xmax: Any = None,
    factor: Any = None,
    args: Any = (),
    maxiter: int = 1000,
) -> BracketResult[Any]:
    """Find brackets of minima of a function of one variable, one problem or a batch.

    Parameters
    ----------
    f : callable
        ``f(x, *args) -> array``, elementwise, called as in `find_root`.
    xm0 : array
        The middle of the three points at the start.
    xl0, xr0 : array, optional
        The outer points, below and above it. Default: at a distance of 0.5, or a sixteenth of the
        way to a limit.
    xmin, xmax, factor, args, maxiter : optional
        As for `bracket_root`.

    Returns
    -------
    BracketResult
        ``bracket, f_bracket, nfev, nit, status, success``, of the broadcast shape; the value in the
        middle is at most those at the ends, and below one of them.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, ShapeError, ArgumentError
        As `find_root`.

    Notes
    -----
    The search goes downhill from the lower end of the three points, in steps that grow by the
    factor, until the function rises; one evaluation per iteration. Not differentiable: a bracket is
    no unique function of the problem.

    Differs from SciPy: `f` is called as in `find_root`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import bracket_minimum
    >>> found = bracket_minimum(lambda x, c: (x - c) ** 2, 0.0, args=(np.asarray([0.2, 5.0]),))
    >>> found.bracket[1]
    array([0. , 4.5])
    """
    name = "bracket_minimum"
    points = {"xm0": xm0, "xl0": xl0, "xr0": xr0, "xmin": xmin, "xmax": xmax, "factor": factor}

    def call(given: tuple[Any, ...], args: tuple[Any, ...]) -> BracketResult[Any]:
        named = dict(zip(points, given, strict=True))
        return bracket_minimum(f, named.pop("xm0"), **named, args=args, maxiter=maxiter)

    blocks = lanes_in_blocks(name, call, points, args, {"f": f})
    if blocks is not None:
        return blocks
    given, lanes, fun, most = _plan(name, f, points, args, maxiter)
    way = (tuple(given), most)
    floats, integers = solve_lanes(_of_minimum, way, [fun], lanes, 6, 3)
    a, m, b, fa, fm, fb, code, nfev, nit = map(lanes.shaped, (*floats, *integers))
    return BracketResult((a, m, b), (fa, fm, fb), nfev, nit, code)


def _of_minimum(way: tuple[tuple[str, ...], int], fun: Elementwise) -> Callable[..., Kernel]:
    given, most = way

    def kernel(points: Any, args: tuple[Any, ...]) -> Any:
        have = dict(zip(given, points, strict=True))
        xm = have["xm0"]
        xp = array_namespace(xm)
        low, high, grow = _limits(xp, have, xm)
        half = xp.full_like(xm, 0.5)
        below = xp.where(xp.isfinite(low), (xm - low) / 16, half)
        above = xp.where(xp.isfinite(high), (high - xm) / 16, half)
        xl = have.get("xl0", xm - xp.minimum(below, half))
        xr = have.get("xr0", xm + xp.minimum(above, half))
        values = tuple(fun(x, args) for x in (xl, xm, xr))
        return downhill(fun, (xl, xm, xr), values, low, high, grow, args, most)

    return kernel


class _Downhill(NamedTuple):
    a: Any  # the higher end
    fa: Any
    m: Any
    fm: Any
    b: Any  # the end downhill
    fb: Any
    move: Any  # how far downhill of the first such end the next point lies
    status: Any
    nfev: Any
    nit: Any


def downhill(
    fun: Elementwise,
    points: tuple[Any, ...],
    values: tuple[Any, ...],
    low: Any,
    high: Any,
    grow: Any,
    args: tuple[Any, ...],
    most: int,
) -> Kernel:
    """Return three points and their values; status, evaluations, iterations."""
    xl, xm, xr = points
    fl, fm, fr = values
    xp = array_namespace(*points)
    left = fl < fr
    a, fa = xp.where(left, xr, xl), xp.where(left, fr, fl)
    b, fb = xp.where(left, xl, xr), xp.where(left, fl, fr)
    ordered = (low <= xl) & (xl < xm) & (xm < xr) & (xr <= high) & (grow > 1)
    finite = xp.isfinite(xl + xm + xr) & xp.isfinite(fl + fm + fr)

    def lowest(fa: Any, fm: Any, fb: Any) -> Any:
        return (fa >= fm) & (fm <= fb) & ((fa > fm) | (fb > fm))

    first = outcomes(
        xm,
        (lowest(fa, fm, fb), Outcome.CONVERGED),
        (~finite, Outcome.NOT_FINITE),
        (~ordered, Outcome.BAD_START),
    )
    start = _Downhill(a, fa, xm, fm, b, fb, b - xm, first, filled(xm, 3), filled(xm, 0))
    limits = xp.where(left, low, high)

    def step(more: tuple[Any, ...], s: _Downhill) -> _Downhill:
        b0, end, grow, *rest = more
        move = s.move * grow
        x = xp.where(xp.isfinite(end), end - (end - s.b) / grow, b0 + move)
        f = fun(x, tuple(rest))
        code = outcomes(
            x,
            ((x == end) | ((x == s.b) & xp.isfinite(end)), Outcome.AT_LIMITS),
            (~xp.isfinite(x) | ~xp.isfinite(f), Outcome.NOT_FINITE),
            ((x != s.b) & lowest(s.fm, s.fb, f), Outcome.CONVERGED),
        )
        return _Downhill(s.m, s.fm, s.b, s.fb, x, f, move, code, s.nfev + 1, s.nit + 1)

    end = iterate(Method(lambda _: start, step, lean=True), (b, limits, grow, *args), most, share=8)
    swap = end.a > end.b
    return (
        xp.where(swap, end.b, end.a),
        end.m,
        xp.where(swap, end.a, end.b),
        xp.where(swap, end.fb, end.fa),
        end.fm,
        xp.where(swap, end.fa, end.fb),
    ), (end.status, end.nfev, end.nit)
