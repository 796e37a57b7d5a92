"""The functions of FITPACK's names, on tuples of knots, coefficients and degree."""

import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ..._native import native, public
from ...errors import (
    ArgumentError,
    ArrayTypeError,
    ConvergenceWarning,
    IntegerError,
    NotSupported,
    ShapeError,
    TooFewDataError,
)
from .._base._knots import followed
from ._bspline import BSpline, integral, known, numbers, plain, values
from ._conversions import pieces
from ._knots import around
from ._search import Fit, Options, of_knots, reaching, smoothed

__all__ = [
    "every_derivative",
    "fit",
    "fit_messages",
    "insert",
    "outside",
    "padded",
    "spalde",
    "splantider",
    "splder",
    "splev",
    "splint",
    "splrep",
    "sproot",
    "warned",
]

fit_messages = {
    0: "The spline has a residual sum of squares fp such that abs(fp-s)/s<=0.001",
    -1: "The spline is an interpolating spline (fp=0)",
    -2: "The spline is the weighted least-squares polynomial of degree k",
    1: "The largest number of knots doesn't leave the sum s",
    2: "The search for a penalty came to an end without the sum s: s is too small",
    3: "The largest number of steps was made without reaching the sum s: s is too small",
}


def fit(
    function: str,
    x: Any,
    y: Any,
    w: Any,
    xb: Any,
    xe: Any,
    k: Any,
    s: Any,
    t: Any,
    usual: str,
    earlier: Any = None,
    periodic: bool = False,
    most: int | None = None,
    whole: Any = None,
) -> tuple[Fit, int]:
    """Return a spline to data (m,) or (m, C) as CURFIT makes it, and the degree.

    Without `s`, it is the number of points, or what follows from weights. The knots of `whole` stay
    as they are, and `s` is reached by a penalty.
    """
    given = {"x": x, "y": y, "w": w, "xb": xb, "xe": xe, "t": whole if t is None else t}
    if getattr(s, "shape", None) is not None and not isinstance(s, float):
        given["s"] = s  # an array, which derivatives may follow
    given = {name: v for name, v in given.items() if v is not None}
    xp = array_namespace(*given.values())
    found = followed(
        xp, _plan.common_floating(function, xp, tuple(given), *given.values(), real=True)
    )
    got = dict(zip(given, found, strict=True))
    x, y, w, t, s = got["x"], got["y"], got.get("w"), got.get("t"), got.get("s", s)
    most_k = 5 if usual != "again" else math.inf  # FITPACK's
    if not hasattr(k, "__index__") or not 1 <= k <= most_k:
        raise IntegerError(
            f"{function}: Given degree of the spline (k={k}) is not supported. (1<=k<={most_k})"
        )
    k, curve = operator.index(k), y.ndim == 2
    if x.ndim != 1 or y.shape[:1] != x.shape or (w is not None and w.shape != x.shape):
        shapes = ", ".join(str(tuple(v.shape)) for v in (x, y, w) if v is not None)
        raise TooFewDataError(
            f"{function}: Lengths of the first three arguments (x,y,w) must be equal, and these "
            f"have one dimension: got shapes {shapes}"
        )
    m = x.shape[0]
    if m <= k:
        raise TooFewDataError(
            f"{function}: m > k must hold: {m} points don't determine a spline of degree {k}"
        )
    if s is None:
        none = usual == "weights" and w is None
        s = float(m) if usual == "points" else 0.0 if none else m - math.sqrt(2 * m)
    w = xp.ones_like(x) if w is None else w
    start, end = (
        xp.reshape(v, (1,)) if (v := None if periodic else got.get(name)) is not None else part
        for name, part in (("xb", x[:1]), ("xe", x[-1:]))
    )
    columns = y if curve else xp.reshape(y, (m, 1))
    if whole is not None:
        _refuse(function, xp, got, w, start, end, k, s, periodic)
        if t.shape[0] < 2 * k + 2 or not _determined(x, t, k, periodic):
            raise ArgumentError(_whitney(function))
        made = Fit(*reaching(columns, x, w, t, s, k, periodic))
        return (made if curve else made._replace(c=made.c[:, 0])), k
    asked: tuple[Any, ...]
    if t is None:
        # SciPy's class lets the search begin with a store for m / 2 knots.
        store = max(m // 2 - 2 * k - 2, 0) if usual == "points" else None
        asked = (
            columns,
            x,
            w,
            start,
            end,
            s,
            Options(k, periodic, store, most, usual == "again"),
            earlier,
        )
        step: Any = smoothed
    else:
        asked = (columns, x, w, _whole(xp, t, start, end, k, periodic), k, periodic)
        step = of_knots
    quick = step.quick(*asked)  # it checks values itself
    if quick is NotImplemented:
        _refuse(function, xp, got, w, start, end, k, s, periodic)
        if t is not None and not _determined(x, asked[3], k, periodic):
            raise ArgumentError(_whitney(function))
        quick = step(*asked)
    made = Fit(*quick)
    return (made if curve else made._replace(c=made.c[:, 0])), k


def _determined(x: Any, t: Any, k: int, periodic: bool) -> bool:
    return not known(t[k + 1 : -k] <= t[k : -k - 1]) and _alternate(x, t, k, periodic)


def _whitney(function: str) -> str:
    return (
        f"{function}: Interior knots t must satisfy Schoenberg-Whitney conditions: ascend between "
        "the ends, with a point of its own for each B-spline. Leave knots out"
    )


def _whole(xp: Any, t: Any, start: Any, end: Any, k: int, periodic: bool) -> Any:
    """Knots with those at the ends, or beyond them."""
    if periodic:
        return around(xp, t, start, end, k)
    return xp.concat([start] * (k + 1) + [t] + [end] * (k + 1), axis=0)


def _refuse(
    function: str,
    xp: Any,
    got: dict[str, Any],
    w: Any,
    start: Any,
    end: Any,
    k: int,
    s: Any,
    periodic: bool,
) -> None:
    """Refuse values that make no spline, where they can be read."""
    x = got["x"]
    if not hasattr(s, "shape"):
        if not s >= 0:
            raise ArgumentError(f"{function}: s should be s >= 0.0, got {s!r}")
    elif known(~(s >= 0)):
        raise ArgumentError(f"{function}: s should be s >= 0.0, got {s}")
    for name, v in got.items():
        if known(~xp.isfinite(v)):
            raise ArgumentError(
                f"{function}: {name} must not contain infs or NaNs. Leave those points out"
            )
    if known(~(w > 0)):
        raise ArgumentError(f"{function}: Error on input data: weights must be above 0")
    must = periodic or ("t" not in got and not hasattr(s, "shape") and s == 0)
    if known(~(x[1:] > x[:-1])) and (must or known(~(x[1:] >= x[:-1]))):
        raise ArgumentError(
            f"{function}: x must be {'strictly ' * must}increasing{' if s = 0' * must}. Sort it, "
            "and y with it, by xp.argsort(x)"
        )
    if known((start > x[:1]) | (end < x[-1:])):
        raise ArgumentError(
            f"{function}: Error on input data: all points must be between the ends xb and xe"
        )


def warned(function: str, found: Fit) -> None:
    """Warn of a sum of squared residuals that wasn't reached."""
    if found.status > 0:
        text = f"{function}: {fit_messages[found.status]}. Give a larger s"
        warnings.warn(text, ConvergenceWarning, stacklevel=4)


def _alternate(x: Any, t: Any, k: int, periodic: bool) -> bool:
    """Tell whether each B-spline has a point of its own, as far as values can be read."""
    m, n = x.shape[0], t.shape[0] - k - 1
    if n > (m - 1 + k if periodic else m):
        return False
    if periodic:  # a spline that isn't determined gives NaN, which is an error
        return True
    if not is_concrete(x) or not is_concrete(t):
        return True
    points, knots = _read(x), _read(t)
    place = 0
    for j in range(n):
        low, high = knots[j], knots[j + k + 1]
        while place < m and points[place] <= low and not (j == 0 and points[place] == low):
            place += 1
        if place == m or not (points[place] < high or (j == n - 1 and points[-1] <= high)):
            return False
        place += 1
    return True


def _read(v: Any) -> list[float]:
    return [float(v[i]) for i in range(v.shape[0])]  # likewise: ignore[LW203]: values are at hand


def padded(c: Any, size: int, fill: Any = None) -> Any:
    """Return coefficients up to as many as there are knots, with zeros or another element."""
    xp, more = array_namespace(c), size - c.shape[0]
    if more <= 0:
        return c
    shape = (more, *c.shape[1:])
    rest = xp.zeros(shape, dtype=c.dtype, device=device(c))
    return xp.concat([c, rest if fill is None else rest + fill], axis=0)


def _rows(y: Any, x: Any, w: Any, k: int, s: Any, t: Any) -> bool:
    """doubles, and one row of points."""
    double = array_namespace(y).float64
    return all(v is None or (v.ndim == 1 and v.dtype == double) for v in (y, x, w, t))


@native(numpy="likewise._libs.numpy._interpolate:represented", when=_rows)
def _represented(y: Any, x: Any, w: Any, k: int, s: Any, t: Any) -> tuple[Any, Any, Any, int]:
    """Return knots, coefficients with zeros up to as many, the sum of squares and a status."""
    found, k = fit("splrep", x, y, w, None, None, k, s, t, "weights")
    return found.t, padded(found.c, found.t.shape[0]), found.residual, found.status


@public
def splrep(
    x: Any,
    y: Any,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    task: int = 0,
    s: Any = None,
    t: Any = None,
    full_output: int = 0,
    per: int = 0,
    quiet: int = 1,
) -> Any:
    """Return knots, coefficients and degree of a spline to data.

    Parameters
    ----------
    x, y : array, shape (m,)
        Points, ascending, and real values.
    w : array, shape (m,), optional
        Positive weights of residuals, before these are squared. Default: ones.
    xb, xe : float, optional
        The ends. Default: the first and the last point.
    k : int, optional
        The degree, 1 to 5 (default 3).
    task : {0, -1}, optional
        Whether knots are found (0, default) or given (-1).
    s : float, optional
        The sum of squared weighted residuals: few knots are put where it is still larger, and a
        penalty on jumps of the highest derivative then makes it s. Default: 0, interpolation; with
        weights, ``m - sqrt(2 m)``.
    t : array, optional
        Inner knots, for least squares; implies task=-1.
    full_output : bool, optional
        Whether to return the sum of squared residuals, a status and a message, too.
    per : bool, optional
        Whether the spline is periodic, with the last point in the place of the first one: its value
        and weight aren't read, nor are the ends.
    quiet : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    tck : tuple
        Knots (n + k + 1,), coefficients, with zeros up to as many, and the degree.
    fp, ier, msg
        Only if `full_output`: an array without dimensions, an integer (0 or below: s was reached),
        and a text.

    Raises
    ------
    ArgumentError, TooFewDataError, IntegerError
        If points don't ascend, weights aren't positive, there are too few points, knots don't fit,
        or the degree isn't 1 to 5.
    NotSupported
        If ``task=1`` is given; if s > 0 where values can't be read.

    Notes
    -----
    P. Dierckx, Curve and Surface Fitting with Splines (1993), chapters 4 and 5: the search makes
    the same decisions as FITPACK's CURFIT, on least squares by normal equations that are corrected
    twice.
    Differentiable. Through a search this is tested with torch's own reverse mode, of eager tensors
    (the penalty follows the data by the implicit function theorem); `likewise.transforms` and
    compilers refuse it, as it reads values.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import splev, splrep
    >>> x = np.linspace(0.0, 10.0, 30)
    >>> tck = splrep(x, np.sin(x), s=0.01)
    >>> print(len(tck[0]), splev(np.asarray([1.0, 2.0]), tck).round(3))
    13 [0.866 0.879]
    """
    name = "splrep"
    if task not in (0, -1, 1):
        raise IntegerError(f"{name}: task must be -1, 0 or 1, got {task!r}")
    if task == 1:
        raise NotSupported(
            f"{name}: no search goes on from an earlier one. Call it with task=0, or call "
            "set_smoothing_factor of a UnivariateSpline"
        )
    if task == -1 and t is None:
        raise ArrayTypeError(f"{name}: Knots must be given for task=-1: give t")
    if getattr(y, "ndim", 1) != 1:
        raise ShapeError(f"{name}: y must have one dimension; splprep takes several coordinates")
    usual = not per and xb is None and xe is None and plain(y, x, y if w is None else w)
    if usual and (s is None or s.__class__ is float or s.__class__ is int):
        quick = _represented.quick(y, x, w, k, s, t)  # type: ignore[attr-defined]
        if quick is not NotImplemented:
            knots, c, residual, status = quick
            tck = knots, c, k
            return (tck, residual, status, fit_messages[status]) if full_output else tck
    found, k = fit(name, x, y, w, xb, xe, k, s, t, "weights", periodic=bool(per))
    tck = found.t, padded(found.c, found.t.shape[0]), k
    if not full_output:
        warned(name, found)
        return tck
    return tck, found.residual, found.status, fit_messages[found.status]


def _each(call: Callable[[Any], Any], c: Any) -> Any:
    """Call for each of several coefficients: a list of a curve's."""
    if isinstance(c, list | tuple) and len(c) and getattr(c[0], "ndim", 0):
        return [_each(call, v) for v in c]
    if getattr(c, "ndim", 0) > 1:
        return [_each(call, c[i, ...]) for i in range(c.shape[0])]
    return call(c)


def _parts(function: str, tck: Any) -> tuple[Any, Any, int]:
    try:
        t, c, k = tck
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{function}: tck must be a tuple of knots, coefficients and degree, as from splrep, "
            f"or a BSpline, got {type(tck).__name__}"
        ) from None
    return t, c, operator.index(k)


def outside(function: str, x: Any, t: Any, c: Any, k: int, nu: int, ext: int) -> Any:
    """Return values at points, and what FITPACK returns outside of the knots."""
    if plain(x, t, c):
        found = _tabled.quick(x, t, c, k, nu, ext)  # type: ignore[attr-defined]
        if found is not NotImplemented:
            return found
    x, t, c = numbers(function, ("x", "t", "c"), x, t, c)
    if ext == 2:
        start, end = t[k], t[t.shape[0] - k - 1]
        if known((x < start) | (x > end)):
            error = IntegerError if function == "spalde" else ArgumentError  # a TypeError in SciPy
            raise error(f"{function}: Found x value not in the domain {start} to {end}")
    return _tabled(x, t, c, k, nu, ext)


def _table(x: Any, t: Any, c: Any, k: int, nu: int, ext: int) -> bool:
    """doubles, and one column of coefficients."""
    if not (t.ndim == c.ndim == 1 and 0 <= nu <= k):
        return False
    return bool(x.dtype == t.dtype == c.dtype == array_namespace(x).float64)


@native(
    numpy="likewise._libs.numpy._splines:tabled",
    torch="likewise._libs.numpy._splines:tabled",
    when=_table,
)
def _tabled(x: Any, t: Any, c: Any, k: int, nu: int, ext: int) -> Any:
    """Return values at points, zeros or those of the ends outside of the knots."""
    if not ext or (ext == 3 and nu):  # FITPACK extrapolates derivatives
        return values("", t, c, k, x, nu, True)
    xp, start, end = array_namespace(x, t, c), t[k], t[t.shape[0] - k - 1]
    if ext == 3:
        return values("", t, c, k, xp.minimum(xp.maximum(x, start), end), nu, True)
    found = values("", t, c, k, x, nu, True)
    out = (x < start) | (x > end)
    return xp.where(out, xp.zeros_like(found), found) if ext == 1 else found


def _one_of_doubles(c: Any, t: Any, *rest: Any) -> bool:
    """doubles, and one column of coefficients."""
    return bool(c.ndim == t.ndim == 1 and c.dtype == t.dtype == array_namespace(c).float64)


@native(
    numpy="likewise._libs.numpy._splines:derived",
    torch="likewise._libs.numpy._splines:derived",
    when=_one_of_doubles,
)
def _derived(c: Any, t: Any, k: int, nu: int) -> tuple[Any, Any]:
    """Return knots of a derivative, and its coefficients with zeros up to as many."""
    made = BSpline.construct_fast(t, c, k).derivative(nu)
    return made.t, padded(made.c, made.t.shape[0])


@native(
    numpy="likewise._libs.numpy._splines:inserted",
    torch="likewise._libs.numpy._splines:inserted",
    when=_one_of_doubles,
)
def _inserted(c: Any, t: Any, x: Any, k: int, times: int) -> tuple[Any, Any]:
    """Return knots and coefficients, with zeros up to as many, with one more knot, a number."""
    made = BSpline.construct_fast(t, c[: t.shape[0] - k - 1, ...], k).insert_knot(x, times)
    return made.t, padded(made.c, made.t.shape[0])


@native(
    numpy="likewise._libs.numpy._splines:every_derivative",
    torch="likewise._libs.numpy._splines:every_derivative",
    when=_one_of_doubles,
)
def every_derivative(c: Any, t: Any, x: Any, k: int) -> Any:
    """Return the value and all derivatives of a spline at a number."""
    found = [outside("spalde", x, t, c, k, nu, 2) for nu in range(k + 1)]
    return array_namespace(found[0]).stack(found, axis=-1)


@native(
    numpy="likewise._libs.numpy._splines:zeros",
    torch="likewise._libs.numpy._splines:zeros",
    when=_one_of_doubles,
)
def _zeros(c: Any, t: Any, size: int | None) -> Any:
    """Return the points where a cubic spline is zero."""
    return pieces(BSpline.construct_fast(t, c, 3)).roots(False, False, size=size)


@public
def splev(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    """Return values or derivatives of a spline.

    Parameters
    ----------
    x : array
        Points of any shape.
    tck : tuple or BSpline
        Knots, coefficients (a list of them for a curve) and degree.
    der : int, optional
        Which derivative, from 0 (default) to k.
    ext : {0, 1, 2, 3}, optional
        Outside of the knots: the next polynomial (0, default), zeros (1), an error where values can
        be read (2), the value at the end (3, which extrapolates derivatives).

    Returns
    -------
    array, shape of x, or a list of them for a curve

    Raises
    ------
    ArgumentError
        If `der` or `ext` isn't one of these values, or a point is outside and ``ext=2``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import splev, splrep
    >>> x = np.linspace(0.0, 3.0, 7)
    >>> print(splev(np.asarray([0.5, 2.2]), splrep(x, x**3), der=1).round(6))
    [ 0.75 14.52]
    """
    t, c, k = tck.tck if isinstance(tck, BSpline) else _parts("splev", tck)
    if isinstance(tck, BSpline) and tck.c.ndim > 1:
        raise ArgumentError(
            "splev: Calling splev() with BSpline objects with c.ndim > 1 is not allowed. Call the "
            "object itself"
        )
    if not 0 <= der <= k:
        raise ArgumentError(f"splev: 0<=der={der}<=k={k} must hold")
    if ext not in (0, 1, 2, 3):
        raise ArgumentError(f"splev: ext = {ext} not in (0, 1, 2, 3)")
    return _each(lambda v: outside("splev", x, t, v, k, der, ext), c)


@public
def splint(a: Any, b: Any, tck: Any, full_output: int = 0) -> Any:
    """Return the integral of a spline between two limits; outside of its knots it is zero.

    Parameters
    ----------
    a, b : float or array of no dimensions
        The limits.
    tck : tuple or BSpline
        Knots, coefficients (a list of them for a curve) and degree.
    full_output : bool, optional
        Whether to return the integrals of the B-splines, too.

    Returns
    -------
    array of no dimensions, or a list of them for a curve
    wrk : array, shape (n + k + 1,)
        Only if `full_output`: the integral of each B-spline, with zeros up to as many as knots.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import splint, splrep
    >>> x = np.linspace(0.0, 3.0, 7)
    >>> print(splint(0.0, 2.0, splrep(x, x**3)).round(6))
    4.0
    """
    t, c, k = tck.tck if isinstance(tck, BSpline) else _parts("splint", tck)
    if isinstance(tck, BSpline) and tck.c.ndim > 1:
        raise ArgumentError(
            "splint: Calling splint() with BSpline objects with c.ndim > 1 is not allowed. Call "
            "BSpline.integrate(a, b)"
        )

    def one(v: Any) -> Any:
        if not full_output and a.__class__ is float is b.__class__ and plain(v, t):
            found = integral.quick(v, t, a, b, k, False)  # type: ignore[attr-defined]
            if found is not NotImplemented:
                return found
        p, q, knots, v = numbers("splint", ("a", "b", "t", "c"), a, b, t, v)
        found = integral(v, knots, p, q, k, False)
        if not full_output:
            return found
        xp, n = array_namespace(knots), knots.shape[0] - k - 1
        unit = xp.eye(n, dtype=knots.dtype, device=device(knots))
        each = BSpline.construct_fast(knots, unit, k).integrate(p, q, extrapolate=False)
        return found, padded(each, n + k + 1)

    return _each(one, c)


def _changed(function: str, tck: Any, n: int, backwards: Any, forwards: str) -> Any:
    try:
        n = operator.index(n)
    except TypeError:
        raise IntegerError(f"{function}: n must be an integer, got {n!r}") from None
    if n < 0:
        return backwards(tck, -n)
    if isinstance(tck, BSpline):
        return getattr(tck, forwards)(n)
    t, c, k = _parts(function, tck)
    if getattr(t, "ndim", 1) != 1:
        raise ShapeError(f"{function}: t must have one dimension; call methods of a BSpline")
    if n and forwards == "derivative" and plain(c, t):
        quick = _derived.quick(c, t, k, n)  # type: ignore[attr-defined]
        if quick is not NotImplemented:
            return (*quick, k - n)
    t, c = numbers(function, ("t", "c"), t, c)
    if forwards == "derivative" and n > k:
        raise ArgumentError(
            f"{function}: Order of derivative (n = {n}) must be <= order of spline (k = {k})"
        )
    if not n:
        return t, c, k
    made: BSpline = getattr(BSpline.construct_fast(t, c, k), forwards)(n)
    t, c, k = made.tck
    return t, padded(c, t.shape[0], None if forwards == "derivative" else c[-1:, ...]), k


@public
def splder(tck: Any, n: int = 1) -> Any:
    """Return the derivative of a spline as one of lower degree.

    Parameters
    ----------
    tck : tuple or BSpline
        Knots, coefficients (n, ...) and degree.
    n : int, optional
        Which derivative (default 1).

    Returns
    -------
    tuple or BSpline, as given
        Coefficients of a tuple have zeros up to as many as knots.

    Raises
    ------
    ArgumentError
        If `n` is above the degree, or inner knots are repeated so often that the derivative jumps
        to infinity.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import splder, splev, splrep
    >>> x = np.linspace(0.0, 3.0, 7)
    >>> print(splev(np.asarray([0.5, 2.2]), splder(splrep(x, x**3))).round(6))
    [ 0.75 14.52]
    """
    return _changed("splder", tck, n, splantider, "derivative")


@public
def splantider(tck: Any, n: int = 1) -> Any:
    """Return the integral of a spline as one of higher degree.

    Parameters
    ----------
    tck : tuple or BSpline
        Knots, coefficients (n, ...) and degree.
    n : int, optional
        How often to integrate (default 1).

    Returns
    -------
    tuple or BSpline, as given
        Coefficients of a tuple are continued, by the last one, up to as many as knots.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import splantider, splev, splrep
    >>> x = np.linspace(0.0, 3.0, 7)
    >>> print(splev(np.asarray([1.0, 2.0]), splantider(splrep(x, x**3))).round(6))
    [0.25 4.  ]
    """
    return _changed("splantider", tck, n, splder, "antiderivative")


@public
def insert(x: Any, tck: Any, m: int = 1, per: int = 0) -> Any:
    """Return the same spline with one more knot.

    Parameters
    ----------
    x : float or array of no dimensions
        The knot, between ``t[k]`` and ``t[n]``.
    tck : tuple or BSpline
        Knots, coefficients (a list of them for a curve) and degree.
    m : int, optional
        How often (default 1).
    per : bool, optional
        Whether the spline is periodic.

    Returns
    -------
    tuple or BSpline, as given
        Coefficients of a tuple have zeros up to as many as knots.

    Raises
    ------
    ArgumentError
        If the knot is outside, where values can be read, or `m` isn't positive.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import insert, splrep
    >>> x = np.linspace(0.0, 3.0, 5)
    >>> print(insert(1.0, splrep(x, x**3))[0])
    [0.  0.  0.  0.  1.  1.5 3.  3.  3.  3. ]
    """
    if isinstance(tck, BSpline):
        kept = tck.extrapolate
        found = BSpline.construct_fast(tck.t, tck.c, tck.k, "periodic" if per else True, tck.axis)
        found = found.insert_knot(x, m)
        return BSpline.construct_fast(found.t, found.c, found.k, kept, found.axis)
    t, c, k = _parts("insert", tck)

    def one(v: Any) -> Any:
        if not per and x.__class__ is float and m.__class__ is int and plain(v, t):
            quick = _inserted.quick(v, t, x, k, m)  # type: ignore[attr-defined]
            if quick is not NotImplemented:
                return quick
        p, knots, v = numbers("insert", ("x", "t", "c"), x, t, v)
        made = BSpline.construct_fast(knots, v, k, "periodic" if per else True).insert_knot(p, m)
        return made.t, padded(made.c, made.t.shape[0])

    found = _each(one, c)
    if isinstance(found, list):
        return found[0][0], [v for _, v in found], k
    return (*found, k)


@public
def sproot(tck: Any, mest: int = 10, *, size: int | None = None) -> Any:
    """Return the points where a cubic spline is zero.

    Parameters
    ----------
    tck : tuple or BSpline
        Knots, real coefficients (a list of them for a curve) and the degree 3.
    mest : int, optional
        Accepted for SciPy's signature; all points are returned.
    size : int, optional
        The number of points to return, with NaN behind those that there are: for compilers.

    Returns
    -------
    array, shape (size,), or a list of them for a curve
        Between the ends, ascending.

    Raises
    ------
    ArgumentError
        If the degree isn't 3; if values can't be read and there is no `size`.
    TooFewDataError
        If there are fewer than 8 knots.

    Notes
    -----
    Roots of the spline's polynomials (`PPoly.roots`). Differentiable in knots and coefficients.
    Differs from SciPy: roots on knots are found, too.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import splrep, sproot
    >>> x = np.linspace(0.0, 10.0, 40)
    >>> print(sproot(splrep(x, np.sin(x))).round(4))
    [0.     3.1416 6.2832 9.4248]
    """
    t, c, k = tck.tck if isinstance(tck, BSpline) else _parts("sproot", tck)
    if k != 3:
        raise ArgumentError(
            "sproot: sproot works only for cubic (k=3) splines. Call "
            "PPoly.from_spline(BSpline(*tck)).roots() for others"
        )
    if isinstance(tck, BSpline) and tck.c.ndim > 1:
        raise ArgumentError("sproot: Calling sproot() with c.ndim > 1 is not allowed")
    if t.shape[-1] < 8:
        raise TooFewDataError(f"sproot: The number of knots {t.shape[-1]}>=8 must hold")

    def one(v: Any) -> Any:
        knots, v = numbers("sproot", ("t", "c"), t, v)
        return _zeros(v, knots, size)

    return _each(one, c)


@public
def spalde(x: Any, tck: Any) -> Any:
    """Return the value and all derivatives of a spline.

    Parameters
    ----------
    x : array
        Points of any shape.
    tck : tuple or BSpline
        Knots, coefficients (a list of them for a curve) and degree.

    Returns
    -------
    array, shape (x.shape..., k + 1), or a list of them for a curve

    Raises
    ------
    ArgumentError
        If a point is outside of the knots, where values can be read.

    Notes
    -----
    Differs from SciPy: one array in place of a list of them.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import spalde, splrep
    >>> x = np.linspace(0.0, 3.0, 7)
    >>> print(spalde(2.0, splrep(x, x**3)).round(6))
    [ 8. 12. 12.  6.]
    """
    t, c, k = tck.tck if isinstance(tck, BSpline) else _parts("spalde", tck)

    def one(v: Any) -> Any:
        if x.__class__ is float and plain(v, t):
            quick = every_derivative.quick(v, t, x, k)  # type: ignore[attr-defined]
            if quick is not NotImplemented:
                return quick
        found = [outside("spalde", x, t, v, k, nu, 2) for nu in range(k + 1)]
        return array_namespace(found[0]).stack(found, axis=-1)

    return _each(one, c)
