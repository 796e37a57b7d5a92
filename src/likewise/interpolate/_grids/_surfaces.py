"""Surfaces near scattered points: `SmoothBivariateSpline`, `LSQBivariateSpline`, `bisplrep`."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

from ..._namespace import array_namespace, is_concrete
from ..._native import public
from ...errors import (
    ArgumentError,
    ArrayTypeError,
    ConvergenceWarning,
    IntegerError,
    NotSupported,
    ShapeError,
    TooFewDataError,
)
from .._base._arguments import reals
from .._base._knots import finite
from ._bivariate import BivariateSpline
from ._rectangles import tree
from ._scattered import Surface, Task, scattered

__all__ = ["LSQBivariateSpline", "SmoothBivariateSpline", "bisplrep"]

_MESSAGES = {
    0: "The spline has a residual sum of squares fp such that abs(fp-s)/s<=0.001",
    -1: "The spline is an interpolating spline (fp=0)",
    -2: "The spline is the weighted least-squares polynomial of degrees kx and ky",
    1: "As many knots as there may be (nxest, nyest) don't reach the sum s: s is too small",
    2: "The search for a penalty came to an end without the sum s: s is too small",
    3: "The largest number of steps was made without reaching the sum s: s is too small",
    4: "There are more coefficients than points, and s isn't reached: s is too small",
    5: "A knot more would be too near to another, and s isn't reached: s is too small",
}


def _fit(
    function: str,
    data: Sequence[Any],
    box: Sequence[Any],
    degrees: Sequence[Any],
    s: float | None,
    most: Sequence[Any],
    eps: float | None,
    knots: Sequence[Any] = (),
) -> tuple[Surface, tuple[int, int]]:
    """Return a surface near points; without `s` that of inner knots."""
    named = dict(zip(("x", "y", "z", "w", "xb", "xe", "yb", "ye"), (*data, *box), strict=True))
    named |= dict(zip(("tx", "ty"), knots, strict=False))
    there = {n: v for n, v in named.items() if v is not None}
    got = dict(zip(there, reals(function, tuple(there), *there.values()), strict=True))
    x, y, z = (got[n] for n in "xyz")
    xp = array_namespace(x, y, z)
    w = got.get("w")
    w = xp.ones_like(x) if w is None else w
    if not all(hasattr(k, "__index__") and 1 <= k <= 5 for k in degrees):
        raise IntegerError(
            f"{function}: Given degree of the spline (kx,ky={degrees[0]},{degrees[1]}) is not "
            "supported. (1<=k<=5)"
        )
    kx, ky = (k.__index__() for k in degrees)
    if len({tuple(v.shape) for v in (x, y, z, w)}) != 1 or x.ndim != 1:
        shapes = ", ".join(str(tuple(v.shape)) for v in (x, y, z, w))
        raise TooFewDataError(
            f"{function}: x, y, z, and w should have a same length, and x, y, and z should have a "
            f"same length of one dimension, got shapes {shapes}"
        )
    m = x.shape[0]
    if m < (kx + 1) * (ky + 1):
        raise TooFewDataError(
            f"{function}: The length of x, y and z should be at least (kx+1) * (ky+1): {m} points "
            f"don't determine a surface of degrees {kx} and {ky}, for which {(kx + 1) * (ky + 1)} "
            "or more do"
        )
    if eps is not None and not 0.0 < eps < 1.0:
        raise ArgumentError(f"{function}: eps should be between (0, 1), got {eps!r}")
    for n, v in got.items():
        finite(function, n, v)
    if is_concrete(w) and not bool(xp.all(w >= 0.0)):
        raise ArgumentError(f"{function}: w should be positive: weights must be 0 or above")
    ends = []
    for a, low, high in ((x, "xb", "xe"), (y, "yb", "ye")):
        least, largest = xp.min(a), xp.max(a)
        start, end = (xp.reshape(got.get(n, v), (1,)) for n, v in ((low, least), (high, largest)))
        if is_concrete(a) and not bool(xp.all((start <= least) & (largest <= end) & (start < end))):
            raise ArgumentError(
                f"{function}: {low} and {high} must hold all points, and differ. Leave them out"
            )
        ends += [start, end]
    for n, (start, end) in zip(("tx", "ty"), (ends[:2], ends[2:]), strict=True):
        t = got.get(n)
        if t is None:
            continue
        if t.ndim != 1:
            raise ShapeError(f"{function}: {n} must have one dimension, got {tuple(t.shape)}")
        whole = xp.concat([start, t, end])
        if is_concrete(t) and not bool(xp.all(whole[1:] > whole[:-1])):
            raise ArgumentError(
                f"{function}: {n} must ascend strictly between the ends {float(start[0])} and "
                f"{float(end[0])}: sort it, and leave out what comes twice"
            )
    least = max(0.1 * float(xp.finfo(x.dtype).eps), 1e-16 if eps is None else eps)
    task = Task(function, (kx, ky), s, (most[0], most[1]), least)
    found = Surface(*scattered(x, y, z, w, got.get("tx"), got.get("ty"), task, *ends))
    return found, (kx, ky)


def _warned(function: str, found: Surface) -> None:
    status = int(found.status)
    if status > 0:
        text = f"{function}: {_MESSAGES[status]}. Give a larger s"
        warnings.warn(text, ConvergenceWarning, stacklevel=3)


def _warned_of_rank(function: str, found: Surface) -> None:
    many = found.c.shape[0] * found.c.shape[1]
    if is_concrete(found.status) and int(found.status) < many:
        text = (
            f"{function}: The coefficients of the spline are those with the smallest norm: the "
            f"points determine {int(found.status)} of {many}. Leave knots out"
        )
        warnings.warn(text, ConvergenceWarning, stacklevel=3)


def _flat(found: Surface) -> tuple[Any, Any, Any]:
    return found.tx, found.ty, array_namespace(found.c).reshape(found.c, (-1,))


def _box(function: str, bbox: Any) -> Any:
    if not hasattr(bbox, "__len__") or len(bbox) != 4:
        raise ShapeError(
            f"{function}: bbox shape should be (4,): it must have 4 numbers or None, got {bbox!r}"
        )
    return bbox


class SmoothBivariateSpline(BivariateSpline):
    """Smooth values at scattered points by a surface with few knots.

    Parameters
    ----------
    x, y, z : array, shape (m,)
        Points in any order, and real values.
    w : array, shape (m,), optional
        Weights of residuals, before these are squared. Default: ones.
    bbox : sequence of 4 numbers, optional
        The ends of the domain, ``[xb, xe, yb, ye]``; None stands for those of the points.
    kx, ky : int, optional
        Degrees from 1 to 5 (default 3).
    s : float, optional
        The sum of squared weighted residuals. Default: m, for weights that are reciprocals of
        standard deviations.
    eps : float, optional
        Systems whose triangular factor has elements below eps on its diagonal, times the largest,
        count as of lower rank.

    Attributes
    ----------
    tck, degrees, fp
        As for `BivariateSpline`.

    Raises
    ------
    ArgumentError, TooFewDataError, IntegerError, ShapeError
        If there are fewer points than coefficients, shapes don't fit, values aren't finite, or
        points are outside of the domain.
    NotSupported
        Where values can't be read.
    ConvergenceWarning
        A warning: s isn't reached.

    Notes
    -----
    P. Dierckx, An algorithm for surface fitting with spline functions (IMA J. Numer. Anal. 1, 267,
    1981): a knot at a time, at the mean of the squares where they are largest, then a penalty on
    jumps of the highest derivatives. The search makes the same decisions as FITPACK's SURFIT, on
    dense equations: about ``m c^2`` operations for each knot, of c coefficients. Differentiable as
    `splrep` is.

    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it.

    Differs from SciPy: float32 stays.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import SmoothBivariateSpline
    >>> x, y = np.meshgrid(np.arange(6.0), np.arange(6.0))
    >>> f = SmoothBivariateSpline(x.ravel(), y.ravel(), (x * y).ravel(), s=1.0)
    >>> print(f.ev(1.5, 2.0).round(6))
    3.0
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        w: Any = None,
        bbox: Sequence[Any] = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        s: float | None = None,
        eps: float = 1e-16,
    ) -> None:
        name = type(self).__name__
        if s is not None and not s >= 0.0:
            raise ArgumentError(f"{name}: s should be s >= 0.0, got {s!r}")
        m = math.prod(getattr(x, "shape", None) or (len(x),))
        most = [max(int(k + 1 + math.sqrt(m // 2)), 2 * k + 2) for k in (kx, ky)]
        s = float(m) if s is None else float(s)
        found, self.degrees = _fit(name, (x, y, z, w), _box(name, bbox), (kx, ky), s, most, eps)
        self.tck, self.fp = _flat(found), found.fp
        _warned(name, found)


class LSQBivariateSpline(BivariateSpline):
    """Smooth values at scattered points by a surface of given knots.

    Parameters
    ----------
    x, y, z : array, shape (m,)
        Points in any order, and real values.
    tx, ty : array, shapes (p,), (q,)
        Inner knots along both axes, strictly ascending, between the ends.
    w : array, shape (m,), optional
        Weights of residuals, before these are squared. Default: ones.
    bbox : sequence of 4 numbers, optional
        The ends of the domain, ``[xb, xe, yb, ye]``; None stands for those of the points.
    kx, ky : int, optional
        Degrees from 1 to 5 (default 3).
    eps : float, optional
        Accepted for SciPy's signature; ignored but by a row to it.

    Attributes
    ----------
    tck, degrees, fp
        As for `BivariateSpline`.

    Raises
    ------
    ArgumentError, TooFewDataError, IntegerError, ShapeError
        If there are too few points, shapes don't fit, knots don't ascend, or values aren't finite.
    ConvergenceWarning
        A warning, where values can be read: points don't determine all coefficients.

    Notes
    -----
    Dense least squares by the pseudoinverse: about ``m c^2`` operations of c coefficients. Where
    points don't determine all of them, those with the smallest norm. Differentiable in points,
    values, weights and knots; where coefficients aren't determined, with the rank constant.

    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it.

    Differs from SciPy: float32 stays; the domain is that of the points, as SciPy's documentation
    says.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import LSQBivariateSpline
    >>> x, y = np.meshgrid(np.arange(6.0), np.arange(6.0))
    >>> knots = np.asarray([2.5])
    >>> f = LSQBivariateSpline(x.ravel(), y.ravel(), (x * y).ravel(), knots, knots)
    >>> print(f.ev(1.5, 2.0).round(6))
    3.0
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        tx: Any,
        ty: Any,
        w: Any = None,
        bbox: Sequence[Any] = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        eps: float | None = None,
    ) -> None:
        name = type(self).__name__
        data, box = (x, y, z, w), _box(name, bbox)
        found, self.degrees = _fit(name, data, box, (kx, ky), None, (0, 0), eps, (tx, ty))
        self.tck, self.fp = _flat(found), found.fp
        _warned_of_rank(name, found)


for _kind in (SmoothBivariateSpline, LSQBivariateSpline):
    tree(_kind)


@public
def bisplrep(
    x: Any,
    y: Any,
    z: Any,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    yb: Any = None,
    ye: Any = None,
    kx: int = 3,
    ky: int = 3,
    task: int = 0,
    s: float | None = None,
    eps: float = 1e-16,
    tx: Any = None,
    ty: Any = None,
    full_output: int = 0,
    nxest: int | None = None,
    nyest: int | None = None,
    quiet: int = 1,
) -> Any:
    """Return knots, coefficients and degrees of a surface near scattered points.

    Parameters
    ----------
    x, y, z : array, shape (m,)
        Points in any order, and real values.
    w : array, shape (m,), optional
        Weights of residuals, before these are squared. Default: ones.
    xb, xe, yb, ye : float, optional
        The ends of the domain. Default: those of the points.
    kx, ky : int, optional
        Degrees from 1 to 5 (default 3).
    task : {0, -1}, optional
        Whether knots are found (0, default) or given (-1).
    s : float, optional
        The sum of squared weighted residuals. Default: ``m - sqrt(2 m)``.
    eps : float, optional
        As for `SmoothBivariateSpline`.
    tx, ty : array, optional
        All knots along both axes, the ends ``k + 1`` times, for task=-1.
    full_output : bool, optional
        Whether to return the sum of squared residuals, a status and a message, too.
    nxest, nyest : int, optional
        How many knots there may be. Default: ``k + sqrt(m / 2)``, with s = 0 ``k + sqrt(3 m)``.
    quiet : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    tck : list
        Knots along both axes, coefficients, flattened, and both degrees.
    fp, ier, msg
        Only if `full_output`: an array without dimensions, an integer (0 or below: s was reached),
        and a text.

    Raises
    ------
    ArgumentError, TooFewDataError, IntegerError, ShapeError, ArrayTypeError
        If there are too few points or knots, shapes don't fit, or values aren't finite.
    NotSupported
        If ``task=1`` is given, or knots are to be found where values can't be read.
    ConvergenceWarning
        A warning: s isn't reached.

    Notes
    -----
    As `SmoothBivariateSpline`, and with task=-1 as `LSQBivariateSpline`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import bisplev, bisplrep
    >>> x, y = np.meshgrid(np.arange(6.0), np.arange(6.0))
    >>> tck = bisplrep(x.ravel(), y.ravel(), (x * y).ravel(), s=1.0)
    >>> print(bisplev(np.asarray([1.5]), np.asarray([2.0]), tck).round(6))
    3.0
    """
    name = "bisplrep"
    if task not in (0, -1, 1):
        raise IntegerError(f"{name}: task must be -1, 0 or 1, got {task!r}")
    if task == 1:
        raise NotSupported(f"{name}: no search goes on from an earlier one. Call it with task=0")
    data, box = (x, y, z, w), (xb, xe, yb, ye)
    if task == -1:
        if tx is None or ty is None:
            raise ArrayTypeError(f"{name}: Knots must be given for task=-1: give tx and ty")
        inner = []
        for axis, t, k in (("x", tx, kx), ("y", ty, ky)):
            if len(t) < 2 * k + 2:
                raise TooFewDataError(
                    f"{name}: There must be at least 2*k{axis}+2 knots t{axis} for task=-1, got "
                    f"{len(t)}"
                )
            inner.append(t[k + 1 : len(t) - k - 1])
        found, degrees = _fit(name, data, box, (kx, ky), None, (0, 0), eps, inner)
    else:
        m = math.prod(getattr(x, "shape", None) or (len(x),))
        s = m - math.sqrt(2 * m) if s is None else float(s)
        if not s >= 0.0:
            raise ArgumentError(f"{name}: s should be s >= 0.0, got {s!r}")
        most = []
        for k, given in ((kx, nxest), (ky, nyest)):
            least = int(k + math.sqrt(m / 2)) if given is None else given
            most.append(int(k + math.sqrt(3 * m)) if s == 0 else max(least, 2 * k + 3))
        found, degrees = _fit(name, data, box, (kx, ky), s, most, eps)
    tck = [*_flat(found), *degrees]
    if full_output:
        status = int(found.status) if task == 0 else 0
        return tck, found.fp, status, _MESSAGES[status]
    if task == 0:
        _warned(name, found)
    return tck
