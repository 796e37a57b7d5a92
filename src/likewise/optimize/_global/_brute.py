"""Minima on grids, which are evaluated as one batch."""

import inspect
import math
from collections.abc import Callable
from typing import Any

from ... import _creation
from ..._namespace import array_namespace, device, is_neutral, quiet
from ..._native import public
from ...errors import ArgumentError
from ...solving._function import arguments, check_callable
from ...solving._options import count, warned
from .._minimize import minimize
from ._box import at_hand_of
from ._values import Values

__all__ = ["brute"]

_PART = 1 << 16  # points of a grid that are evaluated at once


@public
def brute(
    func: Callable[..., Any],
    ranges: Any,
    args: Any = (),
    Ns: int = 20,
    full_output: bool = False,
    finish: str | Callable[..., Any] | None = "Nelder-Mead",
    disp: bool = False,
    workers: Any = 1,
) -> Any:
    """Find the lowest point of a grid, and the minimum near it.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, as for `minimize`: x of shape (p,) to a scalar array.
    ranges : sequence of slice, (low, high) or (low, high, step)
        The grid of each variable: a slice of numbers, or three, whose step may be the number of
        points times 1j, as for ``numpy.mgrid``; or a pair, of which Ns points are taken, both ends
        included.
    args : tuple or one object, optional
        Further arguments of `func`. Their library is that of the grid, else that of `ranges`, if
        these are one array, else the default one.
    Ns : int, optional
        Points of a variable.
    full_output : bool, optional
        Whether to return values and grid as well.
    finish : str, callable or None, optional
        What goes on from the lowest point: a method of `minimize`, or a function like SciPy's
        ``fmin(func, x0, args=, full_output=, disp=)``.
    disp : bool, optional
        Whether to print how the end went.
    workers : optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    x0 : array, shape (p,)
        The minimum; without `finish` a number for one variable.
    fval : array, shape ()
        Its value, with `full_output`, as are the next.
    grid : array, shape (p, ...)
        The points; without the first axis for one variable.
    Jout : array, shape (...)
        The values on the grid.

    Raises
    ------
    ArgumentError
        If `ranges` are no ranges, or `Ns` no number.
    DtypeError, ShapeError, ArrayTypeError
        If `func` returns no number of the grid's dtype.

    Notes
    -----
    A point costs one value, and the grid has the product of the numbers of points: for few
    variables. ``x0`` and ``fval`` are differentiable as those of `minimize` are, with `finish` by
    name. Runs under jax.jit.

    Differs from SciPy: the default end is a method of `minimize`, by name.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import brute
    >>> x = brute(lambda x: np.sum((x - 0.3) ** 2), (slice(-1, 1, 0.25), (-2, 2)))
    >>> x.round(3)
    array([0.3, 0.3])
    """
    check_callable("brute", func, "func")
    given = arguments(args)
    columns = [_column(r, count("brute", "Ns", Ns, 20, least=1)) for r in _ranges(ranges)]
    arrays = at_hand_of(*given) or at_hand_of(ranges)
    if arrays:
        xp, where = array_namespace(*arrays), device(arrays[0])
        floating = [a.dtype for a in arrays if xp.isdtype(a.dtype, "real floating")]
        dtype = floating[0] if floating else None
    else:
        (xp, where), dtype = _creation.target("brute", None, None, None), None
    options = {"device": where} if dtype is None else {"device": where, "dtype": dtype}
    axes = [xp.asarray(c, **options) for c in columns]
    grid = xp.stack(xp.meshgrid(*axes, indexing="ij"))
    shape, p = tuple(grid.shape[1:]), len(columns)
    points = xp.matrix_transpose(xp.reshape(grid, (p, math.prod(shape))))
    values = Values("brute", func, given)
    with quiet(points):
        total = int(points.shape[0])
        begins = range(0, total, _PART)
        parts = [values.rows(points[i : min(i + _PART, total), :]) for i in begins]
    flat = xp.concat(parts) if len(parts) > 1 else parts[0]
    found = xp.where(xp.isnan(flat), xp.full_like(flat, xp.inf), flat)
    lowest = xp.reshape(xp.argmin(found), (1,))
    x, f = xp.take(points, lowest, axis=0)[0, :], xp.take(flat, lowest, axis=0)[0]
    jout = xp.reshape(flat, shape)
    if p == 1:
        grid = grid[0, ...]
    if finish is None:
        x = x[0] if p == 1 else x
    else:
        x, f = _finished(finish, func, given, x, f, disp)
    return (x, f, grid, jout) if full_output else x


def _ranges(ranges: Any) -> list[Any]:
    if isinstance(ranges, slice):
        return [ranges]
    if len(getattr(ranges, "shape", ())) == 2:
        rows, columns = ranges.shape
        # A grid's ranges are numbers that are at hand.
        ranges = [[float(ranges[i, j]) for j in range(columns)] for i in range(rows)]
    elif hasattr(ranges, "tolist"):
        ranges = ranges.tolist()
    try:
        found = list(ranges)
    except TypeError:
        found = []
    if len(found) == 2 and all(is_neutral(r) and not isinstance(r, slice) for r in found):
        try:
            return [tuple(map(float, found))]
        except TypeError:
            pass
    if not found or len(found) > 40:
        raise ArgumentError(
            f"brute: ranges must be slices or pairs (low, high), at most 40, got {ranges!r}"
        )
    return found


def _column(given: Any, points: int) -> list[float]:
    """Return the grid of a variable."""
    try:
        if not isinstance(given, slice):
            low, high, *step = given
            given = slice(float(low), float(high), *step or [points * 1j])
        low, high = float(given.start or 0), float(given.stop)
        step = 1.0 if given.step is None else given.step
        if isinstance(step, complex):
            return _line(low, high, int(abs(step)))
        number = math.ceil((high - low) / float(step))
        return [low + i * float(step) for i in range(number)]
    except (TypeError, ValueError, ZeroDivisionError):
        raise ArgumentError(
            "brute: ranges must be slices, pairs (low, high) or (low, high, step) of numbers, "
            f"got {given!r}"
        ) from None


def _line(low: float, high: float, points: int) -> list[float]:
    if points == 1:
        return [low]
    return [low + (high - low) * (i / (points - 1)) for i in range(points)]


def _finished(
    finish: Any, func: Any, args: tuple[Any, ...], x: Any, f: Any, disp: bool
) -> tuple[Any, Any]:
    """Return the minimum near a point, and its value."""
    if isinstance(finish, str):
        found = minimize(func, x, args, method=finish, options={"disp": disp})
        return found.x, found.fun
    check_callable("brute", finish, "finish")
    try:
        names = set(inspect.signature(finish).parameters)
    except (TypeError, ValueError):
        names = set()
    wanted = {"full_output": True, "disp": disp, "args": args}
    if "options" in names and "disp" not in names:
        wanted["options"] = {"disp": disp}
    known = {n: v for n, v in wanted.items() if n in names}
    fun = func if "args" in names else lambda x: func(x, *args)
    found = finish(fun, x, **known)
    if hasattr(found, "x"):
        ended, good = (found.x, found.fun), bool(getattr(found, "success", True))
    else:
        ended, good = (found[0], found[1]), len(found) < 3 or found[-1] == 0
    if not good:
        warned(
            "brute: Either final optimization did not succeed or `finish` does not return a status"
        )
    return ended
