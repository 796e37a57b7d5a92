"""Knots of a search, one set after the other."""

import operator
from collections.abc import Iterator
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, is_concrete
from ..._native import public
from ...errors import ArgumentError, NotSupported, ShapeError
from ...transforms import stop_gradient
from .._base._knots import followed
from ._bspline import degree, known
from ._knots import circle, not_a_knot
from ._search import Options, Search

__all__ = ["generate_knots"]

_NAME = "generate_knots"


class _Knots(Search):
    """A search that ends with its knots."""

    def penalty(self, *args: Any) -> tuple[int, Any, bool]:
        return 0, None, False


@public
def generate_knots(
    x: Any,
    y: Any,
    *,
    w: Any = None,
    xb: Any = None,
    xe: Any = None,
    k: int = 3,
    s: float = 0,
    nest: int | None = None,
    bc_type: str | None = None,
) -> Iterator[Any]:
    """Return sets of knots, each with more of them, as `make_splrep` tries them.

    Parameters
    ----------
    x : array, shape (m,)
        Points, ascending.
    y : array, shape (m,) or (m, C)
        Real values, of several coordinates.
    w : array, shape (m,), optional
        Positive weights of residuals, before these are squared. Default: ones.
    xb, xe : float, optional
        The ends. Default: the first and the last point.
    k : int, optional
        The degree (default 3).
    s : float, optional
        The sum of squared weighted residuals with which the search ends. Default: 0, for which
        there is one set of knots, that of interpolation.
    nest : int, optional
        The number of knots with which the search ends.
    bc_type : {'not-a-knot', 'periodic'}, optional
        Whether splines are periodic.

    Returns
    -------
    iterator of array, shape (n + k + 1,)

    Raises
    ------
    ArgumentError, ShapeError
        If points don't ascend, weights or `s` are negative, `nest` is too small, or shapes don't
        fit; if s=0 and `w` or `nest` is given.
    NotSupported
        If values can't be read.

    Notes
    -----
    P. Dierckx, Curve and Surface Fitting with Splines (1993), section 5.2: in each step, knots are
    put into the middle of the intervals with the largest residuals, of about ``m k^2`` operations
    for each knot. Not differentiable: knots are some of the points.

    Differs from SciPy: all sets are found before the first is returned; periodic knots go on with
    the period where `nest` ends the search, too.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import generate_knots
    >>> x = np.linspace(0.0, 10.0, 30)
    >>> [len(t) for t in generate_knots(x, np.sin(x), s=0.01)]
    [8, 9, 10, 11, 13]
    """
    k = degree(_NAME, k)
    if bc_type not in (None, "not-a-knot", "periodic"):
        raise ArgumentError(
            f"{_NAME}: Only 'not-a-knot' and 'periodic' boundary conditions are recognised, got "
            f"{bc_type!r}"
        )
    periodic = bc_type == "periodic"
    if not s >= 0:
        raise ArgumentError(f"{_NAME}: `s` must be non-negative. Got s = {s!r}")
    named = {"x": x, "y": y, "w": w, "xb": xb, "xe": xe}
    named = {name: v for name, v in named.items() if v is not None}
    xp = array_namespace(*named.values())
    found = _plan.common_floating(_NAME, xp, tuple(named), *named.values(), real=True)
    got = dict(zip(named, followed(xp, found), strict=True))
    x, y = got["x"], got["y"]
    w = got.get("w", xp.ones_like(x))
    if x.ndim != 1 or y.ndim not in (1, 2) or y.shape[0] != x.shape[0] or w.shape != x.shape:
        raise ShapeError(
            f"{_NAME}: Data is incompatible: x, w (m,) and y (m,) or (m, C), got shapes "
            f"{tuple(x.shape)}, {tuple(w.shape)} and {tuple(y.shape)}"
        )
    m = x.shape[0]
    if m < k + 1:
        raise ArgumentError(f"{_NAME}: {k + 1} points or more are needed for degree {k}, got {m}")
    if not s:
        if nest is not None or named.get("w") is not None:
            raise ArgumentError(f"{_NAME}: s == 0 is interpolation only: leave w and nest out")
        t = circle(xp, x[None, :], k)[0, :] if periodic and k > 1 else not_a_knot(xp, x, k)
        return iter([t])
    most = None if nest is None else operator.index(nest) - 2 * k - 2
    if most is not None and most < 0:
        raise ArgumentError(f"{_NAME}: `nest` too small: {nest} < 2*(k+1) = {2 * (k + 1)}")
    if not all(map(is_concrete, got.values())):
        raise NotSupported(f"{_NAME}: the search reads values, which it can't here. Give knots")
    if known(x[1:] < x[:-1]):
        raise ArgumentError(f"{_NAME}: Expect `x` to be an ordered 1D sequence: sort it")
    if known(~(w >= 0)) or known(xp.max(w) <= 0):
        raise ArgumentError(f"{_NAME}: Weights must be non-negative, and not all zeros")
    y = xp.reshape(y, (m, -1))
    if periodic and known(xp.abs(y[0, :] - y[-1, :]) > 1e-15 + 1e-5 * xp.abs(y[-1, :])):
        raise ArgumentError(
            f"{_NAME}: First and last points does not match which is required for "
            "bc_type='periodic'"
        )
    start, end = (xp.reshape(got.get(n, v), (1,)) for n, v in (("xb", x[0]), ("xe", x[-1])))
    x, y, w, start, end = (stop_gradient(v) for v in (x, y, w, start, end))
    least = 2 if periodic else 1  # SciPy looks at the number after it has put one in
    options = Options(k, periodic, most=None if most is None else max(most, least), again=True)
    search = _Knots(xp, x, y, w, start, end, float(s), options)
    search.run(None)
    return iter(search.knots)
