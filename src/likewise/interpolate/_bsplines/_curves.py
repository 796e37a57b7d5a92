"""Smoothing splines of curves, and as objects."""

import operator
from typing import Any

from ... import _plan
from ..._namespace import array_namespace
from ..._native import public
from ...errors import ArgumentError, ArrayTypeError, IntegerError, NotSupported, ShapeError
from ._bspline import BSpline, degree, known
from ._fitpack import fit, fit_messages, warned
from ._interpolating import make_interp_spline

__all__ = ["make_splprep", "make_splrep", "splprep"]


def _points(function: str, x: Any, u: Any, closed: bool = False) -> tuple[Any, Any]:
    """Return points (m, C) of a curve, and its parameters."""
    if isinstance(x, list | tuple):
        xp = array_namespace(*x)
        rows = _plan.common_floating(function, xp, tuple("x" for _ in x), *x, real=True)
        if any(v.ndim != 1 or v.shape != rows[0].shape for v in rows):
            raise ShapeError(f"{function}: x must be a list of arrays of one dimension and length")
        x = xp.stack(list(rows), axis=0)
    else:
        xp = array_namespace(x)
        (x,) = _plan.common_floating(function, xp, ("x",), x, real=True)
    if x.ndim != 2:
        raise ShapeError(
            f"{function}: x must have the shape (coordinates, points), got {tuple(x.shape)}"
        )
    x = xp.matrix_transpose(x)
    x = xp.concat([x[:-1, :], x[:1, :]], axis=0) if closed else x
    if u is None:
        steps = x[1:, :] - x[:-1, :]
        ways = xp.sqrt(xp.sum(steps * steps, axis=1))
        u = xp.cumulative_sum(ways, include_initial=True)
        u = u / u[-1]
    return x, u


@public
def splprep(
    x: Any,
    w: Any = None,
    u: Any = None,
    ub: Any = None,
    ue: Any = None,
    k: int = 3,
    task: int = 0,
    s: Any = None,
    t: Any = None,
    full_output: int = 0,
    nest: int | None = None,
    per: int = 0,
    quiet: int = 1,
) -> Any:
    """Return knots, coefficients and degree of a spline curve near points, and their parameters.

    Parameters
    ----------
    x : list of array, or array, shape (C, m)
        The coordinates of points.
    w : array, shape (m,), optional
        Positive weights of residuals, before these are squared. Default: ones.
    u : array, shape (m,), optional
        Parameters, ascending. Default: the lengths of the line of points, divided by all of it.
    ub, ue : float, optional
        The ends of the parameters. Default: the first and the last one.
    k : int, optional
        The degree, 1 to 5 (default 3).
    task : {0, -1}, optional
        Whether knots are found (0, default) or given (-1).
    s : float, optional
        The sum of squared weighted residuals of all coordinates. Default: ``m - sqrt(2 m)``.
    t : array, optional
        All knots, with those at the ends, for task=-1.
    full_output : bool, optional
        Whether to return the sum of squared residuals, a status and a message, too.
    nest : int, optional
        The largest number of knots. Default: as many as interpolation needs.
    per : bool, optional
        Whether the curve is closed: the last point isn't read.
    quiet : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    tck : tuple
        Knots (n + k + 1,), a list of the coefficients (n,) of each coordinate, and the degree.
    u : array, shape (m,)
    fp, ier, msg
        Only if `full_output`: as of `splrep`.

    Raises
    ------
    ArgumentError, TooFewDataError, IntegerError, ShapeError
        As `splrep`.
    NotSupported
        If ``task=1`` is given; if s > 0 where values can't be read.

    Notes
    -----
    As `splrep`, with residuals of all coordinates (FITPACK's PARCUR and CLOCUR). Differentiable as
    `splrep` is.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import splev, splprep
    >>> a = np.linspace(0.0, 6.0, 30)
    >>> tck, u = splprep([np.cos(a), np.sin(a)], s=0.001)
    >>> print(np.stack(splev(u[9:11], tck)).round(2))
    [[-0.28 -0.48]
     [ 0.96  0.88]]
    """
    name = "splprep"
    if task not in (0, -1, 1):
        raise IntegerError(f"{name}: task must be -1, 0 or 1, got {task!r}")
    if task == 1:
        raise NotSupported(f"{name}: no search goes on from an earlier one. Call it with task=0")
    if task == -1 and t is None:
        raise ArrayTypeError(f"{name}: Knots must be given for task=-1: give t")
    y, u = _points(name, x, u, bool(per))
    if not 0 < y.shape[1] < 11:
        raise IntegerError(f"{name}: 0 < idim < 11 must hold, got {y.shape[1]} coordinates")
    if task == -1:
        if t.shape[0] < 2 * k + 2:
            raise IntegerError(f"{name}: There must be at least 2*k+2 knots for task=-1")
        t = t[k + 1 : t.shape[0] - k - 1]
    most = None if nest is None or s == 0 else max(operator.index(nest), 2 * k + 3) - 2 * k - 2
    found, k = fit(
        name, u, y, w, ub, ue, k, s, t if task == -1 else None, "curve", None, bool(per), most
    )
    tck = found.t, [found.c[:, i] for i in range(y.shape[1])], k
    if not full_output:
        warned(name, found)
        return tck, u
    return (tck, u), found.residual, found.status, fit_messages[found.status]


@public
def make_splrep(
    x: Any,
    y: Any,
    *,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    s: Any = 0,
    t: Any = None,
    nest: int | None = None,
    bc_type: str | None = None,
) -> BSpline:
    """Return a spline near data, with few knots, as an object.

    Parameters
    ----------
    x, y : array, shape (m,)
        Points, ascending, and real values.
    w : array, shape (m,), optional
        Positive weights of residuals, before these are squared. Default: ones.
    xb, xe : float, optional
        The ends. Default: the first and the last point.
    k : int, optional
        The degree, 1 or more (default 3).
    s : float, optional
        The sum of squared weighted residuals. Default: 0, interpolation.
    t : array, shape (n + k + 1,), optional
        All knots: then a penalty on jumps at them is found, by which the sum is s.
    nest : int, optional
        The number of knots with which the search ends.
    bc_type : {'not-a-knot', 'periodic'}, optional
        Whether the spline is periodic.

    Returns
    -------
    BSpline

    Raises
    ------
    ArgumentError, TooFewDataError, IntegerError
        As `splrep`; if s=0 and `w`, `t` or `nest` is given.
    NotSupported
        If s > 0 where values can't be read.

    Notes
    -----
    As `splrep`, with `s` reached to the same part in a thousand. Differentiable as `splrep` is.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import make_splrep
    >>> x = np.linspace(0.0, 10.0, 30)
    >>> print(make_splrep(x, np.sin(x), s=0.01)(np.asarray([1.0, 2.0])).round(3))
    [0.866 0.879]
    """
    return _made("make_splrep", x, y, w, xb, xe, k, s, t, nest, bc_type)


@public
def make_splprep(
    x: Any,
    *,
    w: Any = None,
    u: Any = None,
    ub: Any = None,
    ue: Any = None,
    k: int = 3,
    s: Any = 0,
    t: Any = None,
    nest: int | None = None,
    bc_type: str | None = None,
) -> tuple[BSpline, Any]:
    """Return a spline curve near points, with few knots, as an object, and their parameters.

    Parameters
    ----------
    x : list of array, or array, shape (C, m)
        The coordinates of points.
    w
        As for `make_splrep`.
    u, ub, ue
        As for `splprep`.
    k, s, t, nest, bc_type
        As for `make_splrep`.

    Returns
    -------
    spline : BSpline
        Values of shape (C, ...).
    u : array, shape (m,)

    Raises
    ------
    ArgumentError, TooFewDataError, IntegerError, ShapeError, NotSupported
        As `make_splrep`.

    Notes
    -----
    As `make_splrep`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import make_splprep
    >>> a = np.linspace(0.0, 6.0, 30)
    >>> curve, u = make_splprep([np.cos(a), np.sin(a)], s=0.001)
    >>> print(curve(u[9:11]).round(2))
    [[-0.28 -0.48]
     [ 0.96  0.88]]
    """
    y, u = _points("make_splprep", x, u)
    return _made("make_splprep", u, y, w, ub, ue, k, s, t, nest, bc_type), u


def _made(
    name: str,
    x: Any,
    y: Any,
    w: Any,
    xb: Any,
    xe: Any,
    k: Any,
    s: Any,
    t: Any,
    nest: Any,
    bc_type: Any,
) -> BSpline:
    if bc_type not in (None, "not-a-knot", "periodic"):
        raise ArgumentError(
            f"{name}: Only 'not-a-knot' and 'periodic' boundary conditions are recognised, got "
            f"{bc_type!r}"
        )
    k = degree(name, k)
    if not hasattr(y, "ndim"):
        xp = array_namespace(x, y)
        x, y = _plan.common_floating(name, xp, ("x", "y"), x, y, real=True)
    periodic, curve = bc_type == "periodic", y.ndim == 2
    if not hasattr(s, "shape") and s == 0:
        if t is not None or w is not None or nest is not None:
            raise ArgumentError(f"{name}: s==0 is for interpolation only: leave w, t and nest out")
        made = make_interp_spline(x, y, k=k, bc_type=bc_type)
        return _turned(made) if curve else made
    if nest is not None:
        if t is not None:
            raise ArgumentError(f"{name}: Either supply `t` or `nest`.")
        if nest < 2 * (k + 1):
            raise ArgumentError(f"{name}: `nest` too small: {nest} < 2*(k+1) = {2 * (k + 1)}")
    if periodic and y.ndim:
        gap = y[0, ...] - y[-1, ...]
        if known(~(abs(gap) <= 1e-15 + 1e-5 * abs(y[-1, ...]))):
            raise ArgumentError(
                f"{name}: First and last points does not match which is required for "
                "bc_type='periodic': give the first one again as the last"
            )
    most = None if nest is None else operator.index(nest) - 2 * k - 2
    found, k = fit(name, x, y, w, xb, xe, k, s, None, "again", None, periodic, most, t)
    warned(name, found)
    made = BSpline.construct_fast(found.t, found.c, k)
    return _turned(made) if curve else made


def _turned(spline: BSpline) -> BSpline:
    """Return a curve with its coordinates first."""
    return BSpline.construct_fast(spline.t, spline.c, spline.k, spline.extrapolate, 1)
