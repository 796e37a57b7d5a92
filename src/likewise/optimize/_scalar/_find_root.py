"""Roots and minima in given brackets, elementwise: `find_root`, `find_minimum`."""

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Generic

from ..._namespace import array_namespace, describe
from ..._native import public
from ..._typing import A
from ...errors import ArgumentError
from ...solving._blocks import lanes_in_blocks
from ...solving._elementwise import (
    Elementwise,
    Kernel,
    Lanes,
    filled,
    implicit,
    plan_lanes,
    solve_lanes,
)
from ...solving._options import count, table, tolerance
from ...solving._outcome import Outcome
from ...solving._result import IN_BRACKETS, Result, result
from ...transforms import jvp
from ._chandrupatla import Bracketed, minima, roots

__all__ = ["FindMinimumResult", "FindRootResult", "find_minimum", "find_root", "flat_point"]


@result
class FindRootResult(Result, Generic[A]):
    """Hold the results of `find_root`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    x, f_x : array, shape (...)
        The root and the function's value there; NaN where the status is -1 or -3.
    bracket, f_bracket : pair of arrays, shape (...)
        The ends of the last bracket, the lower first, and the values there.
    nfev, nit : array of int32, shape (...)
        Points at which the function was evaluated; iterations.
    status : array of int32, shape (...)
        0, converged; -1, no change of sign in the bracket; -2, maxiter reached; -3, not finite.
    """

    STATUS: ClassVar[dict[int, int]] = IN_BRACKETS

    x: A
    f_x: A
    bracket: tuple[A, A]
    f_bracket: tuple[A, A]
    nfev: A
    nit: A
    outcome: A


@result
class FindMinimumResult(Result, Generic[A]):
    """Hold the results of `find_minimum`: arrays of the caller's library, one entry per problem.

    Attributes
    ----------
    x, f_x : array, shape (...)
        The minimizer and the minimum; NaN where the status is -1 or -3.
    bracket, f_bracket : triple of arrays, shape (...)
        The points of the last bracket in ascending order, and the values there.
    nfev, nit : array of int32, shape (...)
        Points at which the function was evaluated; iterations.
    status : array of int32, shape (...)
        0, converged; -1, no bracket; -2, maxiter reached; -3, not finite.
    """

    STATUS: ClassVar[dict[int, int]] = IN_BRACKETS

    x: A
    f_x: A
    bracket: tuple[A, A, A]
    f_bracket: tuple[A, A, A]
    nfev: A
    nit: A
    outcome: A


@public
def find_root(
    f: Callable[..., Any],
    init: Any,
    /,
    *,
    args: Any = (),
    tolerances: Mapping[str, float] | None = None,
    maxiter: int | None = None,
) -> FindRootResult[Any]:
    """Find roots of a function of one variable in brackets, one problem or a batch.

    Parameters
    ----------
    f : callable
        ``f(x, *args) -> array``, elementwise, in functions of ``likewise.array_namespace(x)``.
        `x` and the arrays of `args`, broadcast with it, have one dimension; for one problem, and
        where a few are solved one after the other, they have none.
    init : pair of arrays
        The ends of the brackets, of any shapes that broadcast; `f` has opposite signs at the two
        ends.
    args : tuple, optional
        Arguments of `f`. Arrays broadcast with `init`, and are cast to the common floating dtype;
        `f` gets other objects, including Python's numbers, unchanged.
    tolerances : dict, optional
        'xatol', 'xrtol', 'fatol', 'frtol': a problem has converged when its bracket is shorter than
        ``xatol + |x| xrtol``, or ``|f(x)| <= fatol + frtol |f|`` with the smaller value of `f` at
        the ends of `init`. Default: 4 tiny, 4 eps, tiny, 0, where tiny is the dtype's smallest
        normal number and eps its precision.
    maxiter : int, optional
        Maximum number of iterations. Default: as many as bisection needs over the dtype's full
        range.

    Returns
    -------
    FindRootResult
        ``x, f_x, bracket, f_bracket, nfev, nit, status, success``, of the broadcast shape.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If arrays, or results of `f`, are not real and of one library, device and dtype.
    ShapeError
        If shapes don't broadcast, or `f` returns another shape than that of `x`.
    ArgumentError
        If an option is out of range.

    Notes
    -----
    Chandrupatla's method (Advances in Engineering Software 28 (1997) 145-149): inverse quadratic
    interpolation where it is monotonic, else bisection; one evaluation per iteration. Each problem
    converges separately. Finished problems are dropped on eager host arrays, so pass data that
    differ between problems through `args`, not through a closure. Of the results, only the roots
    are differentiable, also twice, with respect to `args` and to arrays that `f` closes over, by
    the implicit function theorem. On JAX, `f` is traced in each call, and compiled code is reused
    if the trace is the same. Dask computes by blocks, and calls `f` on NumPy arrays.

    Differs from SciPy: `f` is called without the finished problems and in at most one dimension; no
    callback; if both ends are equally good, ``x`` and ``f_x`` may be those of either.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import find_root
    >>> found = find_root(lambda x, c: x**3 - c, (0.0, 3.0), args=(np.asarray([1.0, 8.0]),))
    >>> found.x.round(6)
    array([1., 2.])
    >>> print(found.summary())
    2 of 2 problems converged
      2  status  0: converged to the tolerances
    """
    name = "find_root"
    members = _members(name, init, 2)
    more: dict[str, Any] = {"tolerances": tolerances, "maxiter": maxiter}
    blocks = lanes_in_blocks(
        name,
        lambda init, args: find_root(f, init, args=args, **more),
        {f"init[{i}]": p for i, p in enumerate(members)},
        args,
        {"f": f},
    )
    if blocks is not None:
        return blocks
    lanes = plan_lanes(name, f, {f"init[{i}]": p for i, p in enumerate(members)}, args)
    limits = array_namespace(*lanes.points).finfo(lanes.points[0].dtype)
    tiny, eps = float(limits.smallest_normal), float(limits.eps)
    tol = _tolerances(name, tolerances, (4 * tiny, 4 * eps, tiny, 0.0))
    most = count(name, "maxiter", maxiter, round(math.log2(float(limits.max)) - math.log2(tiny)))
    fun = Elementwise(name, "f", f, lanes)
    (x, f_x, *ends), (code, nfev, nit) = solve_lanes(_between, (tol, most), [fun], lanes, 6, 3)
    x = implicit(fun, lanes, x, code == Outcome.CONVERGED, lambda v: fun.plain(v, lanes.args))
    x, f_x, xl, xr, fl, fr, code, nfev, nit = map(lanes.shaped, (x, f_x, *ends, code, nfev, nit))
    return FindRootResult(x, f_x, (xl, xr), (fl, fr), nfev, nit, code)


@public
def find_minimum(
    f: Callable[..., Any],
    init: Any,
    /,
    *,
    args: Any = (),
    tolerances: Mapping[str, float] | None = None,
    maxiter: int = 100,
) -> FindMinimumResult[Any]:
    """Find minima of a function of one variable in brackets, one problem or a batch.

    Parameters
    ----------
    f : callable
        ``f(x, *args) -> array``, elementwise, called as in `find_root`.
    init : three arrays
        Points ``x1 < x2 < x3``, of any shapes that broadcast; `f` must be lowest at ``x2``.
    args : tuple, optional
        Arguments of `f`, as for `find_root`.
    tolerances : dict, optional
        'xatol', 'xrtol', 'fatol', 'frtol': a problem has converged when half the longer part of its
        bracket is at most ``|x| xrtol + xatol``, or when the values at the ends are on average at
        most ``|f| frtol + fatol`` above the middle. Default: the square root of eps for 'xrtol',
        the smallest normal number for the others.
    maxiter : int, optional
        Maximum number of iterations.

    Returns
    -------
    FindMinimumResult
        ``x, f_x, bracket, f_bracket, nfev, nit, status, success``, of the broadcast shape.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, ShapeError, ArgumentError
        As `find_root`.

    Notes
    -----
    Chandrupatla's method (Computer Methods in Applied Mechanics and Engineering 152 (1998)
    211-217): minima of parabolas while these converge, else golden sections; one evaluation per
    iteration. Batches, dropped problems and libraries as for `find_root`. The minimizer is
    differentiable twice with respect to `args` and to arrays that `f` closes over, because the
    derivative of `f` is 0 there.

    Differs from SciPy: as `find_root`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import find_minimum
    >>> found = find_minimum(
    ...     lambda x, c: (x - c) ** 2, (0.0, 0.5, 4.0), args=(np.asarray([0.4, 1.0]),)
    ... )
    >>> found.x.round(6)
    array([0.4, 1. ])
    """
    name = "find_minimum"
    members = _members(name, init, 3)
    more: dict[str, Any] = {"tolerances": tolerances, "maxiter": maxiter}
    blocks = lanes_in_blocks(
        name,
        lambda init, args: find_minimum(f, init, args=args, **more),
        {f"init[{i}]": p for i, p in enumerate(members)},
        args,
        {"f": f},
    )
    if blocks is not None:
        return blocks
    lanes = plan_lanes(name, f, {f"init[{i}]": p for i, p in enumerate(members)}, args)
    limits = array_namespace(*lanes.points).finfo(lanes.points[0].dtype)
    tiny = float(limits.smallest_normal)
    tol = _tolerances(name, tolerances, (tiny, float(limits.eps) ** 0.5, tiny, tiny))
    most = count(name, "maxiter", maxiter, 100)
    fun = Elementwise(name, "f", f, lanes)
    (x, f_x, *rest), (code, nfev, nit) = solve_lanes(_lowest, (tol, most), [fun], lanes, 8, 3)
    x = flat_point(fun, lanes, x, code == Outcome.CONVERGED)
    x, f_x, x1, x2, x3, f1, f2, f3, code, nfev, nit = map(
        lanes.shaped, (x, f_x, *rest, code, nfev, nit)
    )
    return FindMinimumResult(x, f_x, (x1, x2, x3), (f1, f2, f3), nfev, nit, code)


def _between(settings: tuple[Bracketed, int], fun: Elementwise) -> Callable[..., Kernel]:
    return lambda points, args: roots(fun, points[0], points[1], args, *settings)


def _lowest(settings: tuple[Bracketed, int], fun: Elementwise) -> Callable[..., Kernel]:
    def kernel(points: Any, args: tuple[Any, ...]) -> Kernel:
        values = tuple(fun(p, args) for p in points)
        return minima(fun, points, values, filled(points[0], 3), args, *settings)

    return kernel


def flat_point(fun: Elementwise, lanes: Lanes, x: Any, good: Any) -> Any:
    """Return minimizers that can be differentiated, as points where the derivative is 0."""

    def slope(v: Any) -> Any:
        ones = array_namespace(v).ones_like(v)
        return jvp(lambda w: fun.plain(w, lanes.args), (v,), (ones,))[1]

    return implicit(fun, lanes, x, good, slope)


def _members(function: str, init: Any, n: int) -> tuple[Any, ...]:
    if not isinstance(init, tuple | list) or len(init) != n:
        raise ArgumentError(
            f"{function}: init must be a tuple of {n} arrays, the points of the bracket, got "
            f"{describe(init)}"
        )
    return tuple(init)


def _tolerances(
    function: str, given: Mapping[str, float] | None, default: tuple[float, float, float, float]
) -> Bracketed:
    chosen = table(function, "tolerances", given)
    for key in chosen:
        if key not in Bracketed._fields:
            raise ArgumentError(
                f"{function}: tolerances has {key!r}; there are "
                f"{', '.join(map(repr, Bracketed._fields))}"
            )
    pairs = zip(Bracketed._fields, default, strict=True)
    return Bracketed(*(tolerance(function, k, chosen.get(k), v) for k, v in pairs))
