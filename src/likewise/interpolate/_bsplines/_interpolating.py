"""Splines through data."""

import math
from typing import Any

from ..._namespace import array_namespace, device, hooks_of
from ..._native import native, public
from ...errors import ArgumentError, ShapeError
from ...linalg import lu_factor, lu_solve
from .._base._basis import banded_rows, basis, intervals
from .._base._systems import banded_system
from ._bspline import BSpline, degree, first_axis, known, numbers, plain
from ._knots import circle, clamped, not_a_knot

__all__ = ["given", "make_interp_spline", "not_a_knot", "periodic_through", "rows", "through"]

_NAME = "make_interp_spline"
_ENDS = {"clamped": 1, "natural": 2}


@public
def make_interp_spline(
    x: Any,
    y: Any,
    k: int = 3,
    t: Any = None,
    bc_type: Any = None,
    axis: int = 0,
    check_finite: bool = True,
) -> BSpline:
    """Return the spline that takes given values.

    Parameters
    ----------
    x : array, shape (..., n)
        Where, ascending. Leading dimensions are a batch: a spline for each.
    y : array, shape (..., n, ...)
        Values, real or complex, the batch's dimensions first.
    k : int, optional
        The degree (default 3).
    t : array, shape (..., nt + k + 1), optional
        Knots. Default: `x` but for those next to the ends, if `k` is odd; means of neighbours, if
        it is even; with conditions at the ends, all of `x`.
    bc_type : optional
        Conditions at both ends: 'not-a-knot' or None (none), 'clamped' (slopes of 0), 'natural'
        (second derivatives of 0), 'periodic', or a pair, for each end one of the first three or a
        list of pairs (order, value) of derivatives.
    axis : int, optional
        The axis of `y`, after those of the batch, along `x` (default 0).
    check_finite : bool, optional
        Whether infinities and NaN are errors, where values can be read (default True).

    Returns
    -------
    BSpline

    Raises
    ------
    ArgumentError, ShapeError
        If `x` isn't ascending, shapes don't fit, there are too few points, knots or conditions, or
        they are of no use.
    LinAlgError
        If one spline isn't determined by its points (by Schoenberg's and Whitney's conditions, each
        B-spline needs a point); in a batch, it is NaN, unless it is periodic.

    Notes
    -----
    C. de Boor, A Practical Guide to Splines (1978), chapter XIII. A banded system for each spline,
    as `likewise.linalg.solve_banded` solves them: about 60 n k^2 operations. A periodic one is that
    of a band and two corners (Woodbury's formula). Differentiable in points, values, knots and the
    values of conditions.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import make_interp_spline
    >>> x = np.linspace(0.0, 3.0, 7)
    >>> print(make_interp_spline(x, x**3)(np.asarray([0.7, 2.2])).round(6))
    [ 0.343 10.648]
    """
    k = degree(_NAME, k)
    if not axis and (plain(y, x) if t is None else plain(y, x, t)):
        quick = _interpolated.quick(y, x, k, x if t is None else t, bc_type, t is not None)  # type: ignore[attr-defined]
        if quick is not NotImplemented:
            return BSpline.construct_fast(quick[0], quick[1], k)
    return _made(x, y, k, t, bc_type, axis, check_finite)


def _whole(y: Any, x: Any, k: int, t: Any, bc_type: Any, given: bool) -> bool:
    """doubles, values complex or not, and one row of points."""
    xp = array_namespace(y)
    if x.ndim != 1 or t.ndim != 1 or not y.ndim or not (x.dtype == t.dtype == xp.float64):
        return False
    return bool(y.dtype == xp.float64 or y.dtype == xp.complex128)


@native(
    numpy="likewise._libs.numpy._splines:interpolated",
    torch="likewise._libs.numpy._splines:interpolated",
    when=_whole,
)
def _interpolated(y: Any, x: Any, k: int, t: Any, bc_type: Any, given: bool) -> tuple[Any, Any]:
    """Return knots, those of `t` if `given`, and coefficients."""
    made = _made(x, y, k, t if given else None, bc_type, 0, True)
    return made.t, made.c


def _made(x: Any, y: Any, k: int, t: Any, bc_type: Any, axis: int, check_finite: bool) -> BSpline:
    periodic = isinstance(bc_type, str) and bc_type == "periodic"
    left, right = (None, None) if periodic else _conditions(bc_type)
    if periodic and t is not None:
        raise ArgumentError(
            f"{_NAME}: For periodic case t is constructed automatically and can not be passed "
            "manually: leave it out"
        )
    names = ("x", "y") if t is None else ("x", "t", "y")
    x, *knots, y = numbers(_NAME, names, *((x, y) if t is None else (x, t, y)))
    t = knots[0] if knots else None
    x, y, axis = given(_NAME, x, y, axis, check_finite)
    xp, n = array_namespace(x, y), x.shape[-1]
    if not n:
        raise ArgumentError(f"{_NAME}: Expect x to hold points, got none")
    if k == 0 or (k == 1 and t is None):
        if not (t is None and left is None and right is None):
            what = "t and bc_type can only be None" if k == 0 else "bc_type can only be None"
            raise ArgumentError(f"{_NAME}: Too much info for k={k}: {what}")
        t = xp.concat([x[..., :1]] * k + [x, x[..., -1:]], axis=-1)
        return BSpline.construct_fast(t, y, k, True, axis)
    if periodic:
        return periodic_through(xp, x, y, k, axis)
    if t is None:
        ends = left is not None or right is not None
        if not ends and n < k + 1:
            raise ArgumentError(
                f"{_NAME}: {n} points don't determine a spline of degree {k}: give {k + 1} or "
                "more, or conditions at the ends by bc_type"
            )
        t = clamped(xp, x, k) if ends else not_a_knot(xp, x, k)
        if k == 1 and not ends:  # values alone, of which a NaN is of two lines
            return BSpline.construct_fast(t, y, k, True, axis)
    elif tuple(t.shape[:-1]) != tuple(x.shape[:-1]) or t.ndim == 0:
        raise ShapeError(
            f"{_NAME}: Expect t to be a 1-D sorted array_like, with the dimensions of x's batch "
            f"first: got shapes {tuple(t.shape)} and {tuple(x.shape)}"
        )
    elif known(t[..., 1:] < t[..., :-1]):
        raise ArgumentError(f"{_NAME}: Expect t to be a 1-D sorted array_like: sort it")
    if t.shape[-1] < 2 * k + 2:
        raise ArgumentError(
            f"{_NAME}: {n} points and these conditions don't determine a spline of degree {k}: it "
            f"needs {2 * k + 2} knots or more, got {t.shape[-1]}. Give 2 points or more"
        )
    if t.shape[-1] < n + k + 1:
        raise ArgumentError(f"{_NAME}: Got {t.shape[-1]} knots, need at least {n + k + 1}.")
    if knots and known((x[..., 0] < t[..., k]) | (x[..., -1] > t[..., -k - 1])):
        raise ArgumentError(
            f"{_NAME}: Out of bounds w/ x: all points must be between t[k] and t[-k-1]"
        )
    conditions = [
        _listed(xp, end, y, x.ndim, k, which) for end, which in ((left, "left"), (right, "right"))
    ]
    return BSpline.construct_fast(t, through(xp, x, y, t, k, *conditions), k, True, axis)


def given(function: str, x: Any, y: Any, axis: int, finite: bool) -> tuple[Any, Any, int]:
    """Return points and values with their axis behind the batch's, checked."""
    if x.ndim == 0:
        raise ShapeError(f"{function}: Expect x to be a 1-D sequence, got no dimensions")
    y, axis = first_axis(function, "y", x.shape[:-1], y, axis)
    n = x.shape[-1]
    if y.shape[x.ndim - 1] != n:
        raise ShapeError(
            f"{function}: Shapes of x {tuple(x.shape)} and y {tuple(y.shape)} are incompatible: "
            f"there are {n} points and {y.shape[x.ndim - 1]} values"
        )
    xp = array_namespace(x, y)
    if finite and (known(~xp.isfinite(x)) or known(~xp.isfinite(y))):
        raise ArgumentError(
            f"{function}: array must not contain infs or NaNs. Leave those points out"
        )
    if known(~(x[..., 1:] > x[..., :-1])):
        if known(x[..., 1:] == x[..., :-1]):
            raise ArgumentError(f"{function}: Expect x to not have duplicates: leave them out")
        raise ArgumentError(
            f"{function}: Expect x to be a 1D strictly increasing sequence. Sort it, and y with "
            "it, by xp.argsort(x)"
        )
    return x, y, axis


def _conditions(bc_type: Any) -> tuple[Any, Any]:
    if bc_type is None or isinstance(bc_type, str):
        pair = (bc_type, bc_type)
    else:
        try:
            left, right = bc_type
        except (TypeError, ValueError):
            raise ArgumentError(
                f"{_NAME}: Unknown boundary condition: {bc_type!r}. It must be 'not-a-knot', "
                "'clamped', 'natural', 'periodic' or a pair of those or of lists of (order, value)"
            ) from None
        pair = (left, right)
    for end in pair:
        if isinstance(end, str) and end not in ("not-a-knot", *_ENDS):
            raise ArgumentError(
                f"{_NAME}: Unknown boundary condition : {end!r}. It must be 'not-a-knot', "
                "'clamped', 'natural' or a list of (order, value), or 'periodic' for both ends"
            )
    a, b = (None if isinstance(e, str) and e == "not-a-knot" else e for e in pair)
    return a, b


def _listed(xp: Any, end: Any, y: Any, lead: int, k: int, which: str) -> list[tuple[int, Any]]:
    """Orders of derivatives at an end, with values (*batch, *trailing)."""
    shape = (*y.shape[: lead - 1], *y.shape[lead:])
    zeros = xp.zeros(shape, dtype=y.dtype, device=device(y))
    if end is None:
        return []
    if isinstance(end, str):
        return [(_ENDS[end], zeros)]
    out = []
    try:
        pairs = [(order.__index__(), value) for order, value in end]
    except (TypeError, ValueError, AttributeError):
        raise ArgumentError(
            f"{_NAME}: Derivatives, `bc_type`, should be specified as a pair of iterables of pairs "
            f"of (order, value), got {end!r}"
        ) from None
    for order, value in pairs:
        if not 0 <= order <= k:
            raise ArgumentError(
                f"{_NAME}: Bad boundary conditions at the {which} end: the order of a derivative "
                f"must be from 0 to k = {k}, got {order}"
            )
        made = value if hasattr(value, "__array_namespace__") else xp.asarray(value)
        made = xp.astype(made, y.dtype) if made.dtype != y.dtype else made
        out.append((order, xp.broadcast_to(made, shape)))
    return out


def through(xp: Any, x: Any, y: Any, t: Any, k: int, left: Any = (), right: Any = ()) -> Any:
    """Return the coefficients of a spline through points, with derivatives at its ends."""
    n, size = x.shape[-1], t.shape[-1] - k - 1
    if size - n != len(left) + len(right):
        raise ArgumentError(
            f"{_NAME}: The number of derivatives at boundaries does not match: expected "
            f"{size - n}, got {len(left)}+{len(right)}"
        )
    lead = x.ndim - 1
    if left or right:
        before, after = ([xp.expand_dims(v, axis=lead) for _, v in e] for e in (left, right))
        y = xp.concat([*before, y, *after], axis=lead)
    c = _coefficients(y, x, t, k, tuple(o for o, _ in left), tuple(o for o, _ in right))
    if not lead and known(~xp.isfinite(c)) and not known(~xp.isfinite(y)):
        raise hooks_of(c).linalg_error(
            f"{_NAME}: Colocation matrix is singular: knots and points don't alternate as they "
            "must (Schoenberg and Whitney). Each B-spline needs a point of its own"
        )
    return c


def _doubles(y: Any, x: Any, t: Any, k: int, left: Any, right: Any) -> bool:
    """doubles, values complex or not, and one row of knots."""
    xp = array_namespace(y)
    if x.ndim != 1 or k < 1 or not (x.dtype == t.dtype == xp.float64):
        return False
    return bool(y.dtype == xp.float64 or y.dtype == xp.complex128)


@native(
    numpy="likewise._libs.numpy._splines:coefficients",
    torch="likewise._libs.numpy._splines:coefficients",
    when=_doubles,
)
def _coefficients(y: Any, x: Any, t: Any, k: int, left: Any, right: Any) -> Any:
    """Solve for coefficients, with derivatives of these orders before and after the values."""
    xp, batch, trailing = array_namespace(y, x, t), x.shape[:-1], y.shape[x.ndim :]
    b, size = math.prod(batch), t.shape[-1] - k - 1
    x, t = xp.reshape(x, (b, x.shape[-1])), xp.reshape(t, (b, size + k + 1))
    values, first = rows(xp, x, t, k, left, right)
    y = xp.reshape(y, (b, size, math.prod(trailing)))
    bands = banded_rows(xp, values, first, k)
    if b == 1:
        c = banded_system((k, k), bands[0, ...], y[0, ...])
    else:
        c = banded_system((k, k), bands, y)
    return xp.reshape(c, (*batch, size, *trailing))


def rows(xp: Any, x: Any, t: Any, k: int, left: Any, right: Any) -> tuple[Any, Any]:
    """Return the equations of values at points (b, n) and derivatives at the ends: k + 1 factors
    each, and the coefficient from which on they are."""
    (b, n), flat, step = x.shape, xp.reshape(t, (-1,)), t.shape[1]
    at = xp.reshape(intervals(xp, t, x, k), (b, n))

    def of(points: Any, places: Any, nu: int) -> Any:
        found = basis(xp, flat, xp.reshape(points, (-1,)), xp.reshape(places, (-1,)), k, nu)
        return xp.reshape(xp.stack(found, axis=-1), (*points.shape, k + 1))

    values = [of(x[:, :1], at[:, :1], nu) for nu in left]
    values += [of(x, at, 0)] + [of(x[:, -1:], at[:, -1:], nu) for nu in right]
    first = [at[:, :1]] * len(left) + [at] + [at[:, -1:]] * len(right)
    start = xp.arange(b, dtype=at.dtype, device=device(t))[:, None] * step + k
    if len(values) == 1:
        return values[0], at - start
    return xp.concat(values, axis=1), xp.concat(first, axis=1) - start


def periodic_through(xp: Any, x: Any, y: Any, k: int, axis: int) -> BSpline:
    """Return the periodic spline through points, whose last value is that of the first."""
    lead, n = x.ndim - 1, x.shape[-1]
    if n < 2:
        raise ArgumentError(f"{_NAME}: a periodic spline needs 2 points or more, got {n}")
    ends = (*(slice(None),) * lead, 0, ...), (*(slice(None),) * lead, -1, ...)
    gap, size = xp.abs(y[ends[0]] - y[ends[1]]), xp.abs(y[ends[1]])
    if known(gap > 1e-15 + 1e-5 * size):
        raise ArgumentError(
            f"{_NAME}: First and last points does not match while periodic case expected: "
            "y[0] and y[-1] must be equal"
        )
    batch, trailing = x.shape[:-1], y.shape[x.ndim :]
    b, period = math.prod(batch), n - 1
    x = xp.reshape(x, (b, n))
    t = circle(xp, x, k)
    y = xp.reshape(y, (b, n, math.prod(trailing)))[:, :-1, :]
    c = _round(y, x, t, k)
    if known(~xp.isfinite(c)) and not known(~xp.isfinite(y)):
        raise hooks_of(c).linalg_error(
            f"{_NAME}: these points don't determine a periodic spline of degree {k}. Move them "
            "apart, or take another degree"
        )
    c = xp.concat([c] * (-(-k // period) + 1), axis=1)[:, : period + k, :]
    t = xp.reshape(t, (*batch, t.shape[1]))
    c = xp.reshape(c, (*batch, period + k, *trailing))
    return BSpline.construct_fast(t, c, k, "periodic", axis)


def _one_of_doubles(y: Any, x: Any, t: Any, k: int) -> bool:
    """doubles, values complex or not, and one row of points."""
    xp = array_namespace(y)
    if x.shape[0] != 1 or not (x.dtype == t.dtype == xp.float64):
        return False
    return bool(y.dtype == xp.float64 or y.dtype == xp.complex128)


@native(
    numpy="likewise._libs.numpy._splines:periodic",
    torch="likewise._libs.numpy._splines:periodic",
    when=_one_of_doubles,
)
def _round(y: Any, x: Any, t: Any, k: int) -> Any:
    """Return the coefficients of one period, of values (b, period, C) at points (b, period + 1)."""
    xp, (b, n) = array_namespace(y, x), x.shape
    period = n - 1
    at = xp.arange(period, device=device(x)) + k
    start = xp.arange(b, dtype=at.dtype, device=device(x))[:, None] * t.shape[1]
    points, places = xp.reshape(x[:, :-1], (-1,)), xp.reshape(at[None, :] + start, (-1,))
    found = basis(xp, xp.reshape(t, (-1,)), points, places, k)
    found = [xp.reshape(v, (b, period)) for v in found]
    return (_few if period <= 2 * k else _cyclic)(xp, found, y, k)


def _few(xp: Any, found: list[Any], y: Any, k: int) -> Any:
    """Coefficients of one period by a dense system: row i begins in column i, and goes round."""
    size = y.shape[1]
    i = xp.arange(size, device=device(y))
    matrix: Any = 0.0
    for s, v in enumerate(found):
        here = (i[:, None] + s) % size == i[None, :]
        matrix = matrix + xp.where(here, v[:, :, None], xp.zeros_like(v)[:, :, None])
    matrix = xp.astype(matrix, y.dtype) if matrix.dtype != y.dtype else matrix
    return lu_solve(lu_factor(matrix), y)


def _cyclic(xp: Any, found: list[Any], y: Any, k: int) -> Any:
    """Coefficients of one period by a banded system and its two corners."""
    (b, n), h = found[0].shape, k // 2
    found = found[: 2 * h + 1]  # at a knot, the last one of an odd degree is 0
    bands = xp.stack([xp.roll(found[s], s - h, axis=1) for s in range(2 * h, -1, -1)], axis=1)
    zeros = xp.zeros((b, n), dtype=bands.dtype, device=device(bands))
    if h:
        i = xp.arange(n, device=device(y))
        ends = [*range(h), *range(n - h, n)]
        units = xp.stack([xp.astype(i == e, bands.dtype) for e in ends], axis=-1)
        corners = []
        for e in ends:
            row = zeros
            for s, v in enumerate(found):
                column = e - h + s
                if not 0 <= column < n:
                    row = xp.where(i[None, :] == column % n, v[:, e : e + 1], row)
            corners.append(row)
        corner = xp.stack(corners, axis=1)
        units = xp.broadcast_to(units, (b, n, 2 * h))
        corner, units = (
            xp.astype(v, y.dtype) if v.dtype != y.dtype else v for v in (corner, units)
        )
        both = xp.concat([y, units], axis=-1)
    else:
        both = y
    both = (
        banded_system((h, h), bands[0, ...], both[0, ...])[None, ...]
        if b == 1
        else banded_system((h, h), bands, both)
    )
    if not h:
        return both
    c, more = both[..., : y.shape[-1]], both[..., y.shape[-1] :]
    small = xp.eye(2 * h, dtype=y.dtype, device=device(y)) + xp.matmul(corner, more)
    c = c - xp.matmul(more, lu_solve(lu_factor(small), xp.matmul(corner, c)))
    return xp.roll(c, h, axis=1)
