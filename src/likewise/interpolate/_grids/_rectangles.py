"""Surfaces through or near values on a grid of two axes."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..._namespace import array_namespace, device, is_concrete
from ..._native import native
from ...errors import ArgumentError, NotSupported, ShapeError
from ...transforms import register_tree, stop_gradient
from .._base._arguments import reals
from .._base._knots import finite
from .._bsplines._interpolating import not_a_knot
from .._bsplines._least_squares import Equations, equations, solved
from .._bsplines._penalty import penalty
from .._bsplines._problems import jumps_of, penalized
from .._bsplines._search import by_interval, split
from ._bivariate import BivariateSpline
from ._evaluation import coefficients
from ._regular import shared

__all__ = ["STATUS", "RectBivariateSpline", "degrees_of", "ends_of", "tree"]

_NAME = "RectBivariateSpline"
_CLOSE = 0.001  # the relative difference of the sum of squared residuals from s
STATUS = {
    2: "the search for a penalty came to an end without the sum s: s is too small",
    3: "maxit steps were made without reaching the sum s: s is too small, or maxit",
}


class _Axis:
    """Hold the knots of an axis in the search, and what is known of them."""

    def __init__(self, x: Any, ends: tuple[Any, Any], k: int) -> None:
        self.x, self.ends, self.k, self.most = x, ends, k, x.shape[0] - k - 1
        self.places: list[int] = []
        self.between = [x.shape[0] - 2]
        self.more, self.gain = 0, 0.0

    def knots(self) -> Any:
        xp, x = array_namespace(self.x), self.x
        if len(self.places) == self.most:
            return through(xp, x, self.ends, self.k)
        inner = xp.take(x, xp.asarray(self.places, dtype=xp.int64, device=device(x)), axis=0)
        return ended(xp, x, inner, self.ends, self.k)

    def wanted(self, over: float, close: float) -> int:
        """Return how many knots to put in next."""
        if not self.places:
            return 1
        many = int(self.more * over / self.gain) if self.gain > close else self.more * 2
        return min(self.more * 2, max(many, self.more // 2, 1))

    def put(self, many: int, rest: Any) -> None:
        """Put knots where sums of squares (m,) are largest."""
        self.more, sums = many, by_interval(array_namespace(rest), rest, self.places)
        for _ in range(many):
            split(self.places, self.between, sums)
            if len(self.places) == self.most:
                break


def ended(xp: Any, x: Any, inner: Any, ends: tuple[Any, Any], k: int) -> Any:
    """Return knots with the ends k + 1 times; None stands for the first or the last point."""
    low, high = (
        xp.broadcast_to(
            x[..., i : i + 1]
            if end is None
            else xp.asarray([end], dtype=x.dtype, device=device(x)),
            (*x.shape[:-1], k + 1),
        )
        for i, end in zip((0, x.shape[-1] - 1), ends, strict=True)
    )
    return xp.concat([low, inner, high], axis=-1)


def _solved(problem: Equations, jumps: Any, p: Any) -> tuple[Any, Any]:
    if p is not None:
        return penalized(problem, jumps, p)
    c = solved(problem.bands, problem.right(problem.y))
    for _ in range(2):
        c = c + solved(problem.bands, problem.right(problem.y - problem.fitted(c)))
    return c, c


def through(xp: Any, x: Any, ends: tuple[Any, Any], k: int) -> Any:
    """Return the knots of splines through values."""
    return ended(xp, x, not_a_knot(xp, x, k)[..., k + 1 : x.shape[-1]], ends, k)


class _Fits:
    """Splines of given knots near values (m, n), for any penalty."""

    def __init__(self, x: Any, y: Any, z: Any, tx: Any, ty: Any, degrees: Sequence[int]) -> None:
        xp = self.xp = array_namespace(x, y, z)
        self.z, self.tx, self.ty = z, tx, ty
        self.along = equations(xp, x[None, :], z[None, :, :], None, tx[None, :], degrees[0])
        wide = xp.zeros((1, y.shape[0], self.along.bands.shape[2]), dtype=z.dtype, device=device(z))
        self.across = equations(xp, y[None, :], wide, None, ty[None, :], degrees[1])
        self.jumps = [jumps_of(xp, t, k) for t, k in zip((tx, ty), degrees, strict=True)]

    def coefficients(self, p: Any = None) -> tuple[Any, Any]:
        """Return coefficients (n, m), with jumps divided by p among the equations; their slope.

        Without p there are no jumps, and the slope is the same coefficients.
        """
        xp = self.xp
        c, slope = (xp.matrix_transpose(v) for v in _solved(self.along, self.jumps[0], p))
        across = self.across._replace(y=c)
        c, other = _solved(across, self.jumps[1], p)
        if p is None:
            other = c
        else:
            other = other + _solved(across._replace(y=slope), self.jumps[1], p)[0]
        return xp.matrix_transpose(c[0, :, :]), xp.matrix_transpose(other[0, :, :])

    def fitted(self, c: Any) -> Any:
        """Return values (m, n)."""
        xp = self.xp
        found = self.across.fitted(xp.matrix_transpose(c)[None, :, :])
        return self.along.fitted(xp.matrix_transpose(found))[0, :, :]

    def over(self, s: float) -> Callable[[float], float]:
        """Return the sum of squared residuals less s, as a function of p."""

        def call(p: float) -> float:
            rest = self.z - self.fitted(self.coefficients(p)[0])
            return float(self.xp.sum(rest * rest)) - s  # likewise: ignore[LW203]: values at hand

        return call


def _doubles(x: Any, y: Any, z: Any, *args: Any) -> bool:
    """double precision, and one grid."""
    return x.ndim == 1 and bool(z.dtype == array_namespace(z).float64)


@native(
    numpy="likewise._libs.numpy._surfaces:exact",
    torch="likewise._libs.numpy._surfaces:exact",
    when=_doubles,
)
def _exact(
    x: Any, y: Any, z: Any, ends: tuple[Any, ...], degrees: tuple[int, int]
) -> tuple[Any, Any, Any]:
    """Return knots and coefficients of a spline through values."""
    xp = array_namespace(x, y, z)
    tx, ty = (
        through(xp, *axis) for axis in zip((x, y), (ends[:2], ends[2:]), degrees, strict=True)
    )
    least = 2 if ends == (None,) * 4 else 1
    return tx, ty, coefficients(z, degrees, (tx, ty), x, y, least=least)


def on_grid(
    x: Any, y: Any, z: Any, ends: tuple[Any, ...], degrees: tuple[int, int], s: float, steps: int
) -> tuple[Any, Any, Any, Any, int]:
    """Return knots and coefficients, the sum of squared residuals, and a status.

    The search for knots is that of FITPACK's REGRID.
    """
    xp, both = array_namespace(x, y, z), (ends[:2], ends[2:])
    if s == 0:
        zero = xp.zeros(z.shape[:-2], dtype=z.dtype, device=device(z))
        return *_exact(x, y, z, ends, degrees), zero, -1
    a, b, v = (stop_gradient(g) for g in (x, y, z))
    if not all(map(is_concrete, (a, b, v))):
        raise NotSupported(
            f"{_NAME}: the search for knots (s > 0) reads values, which it can't here. Set s=0"
        )
    axes = [_Axis(g, end, k) for g, end, k in zip((a, b), both, degrees, strict=True)]
    status, p = _search(v, axes, s, steps)
    for g, axis in zip((x, y), axes, strict=True):
        axis.x = g
    fits = _Fits(x, y, z, axes[0].knots(), axes[1].knots(), degrees)
    c, slope = fits.coefficients(p)
    rest = z - fits.fitted(c)
    if p is not None:
        # The penalty keeps the sum of residuals where it is, whatever changes: its derivatives are
        # those of one step of Newton's method.
        total, ways = xp.sum(rest * rest), -2.0 * xp.sum(rest * fits.fitted(slope))
        p = p - (total - stop_gradient(total)) / stop_gradient(ways)
        c, _ = fits.coefficients(p)
        rest = z - fits.fitted(c)
    return fits.tx, fits.ty, c, xp.sum(rest * rest), status


def _search(z: Any, axes: list[_Axis], s: float, steps: int) -> tuple[int, Any]:
    """Put knots into the axes; return a status and a penalty, or None."""
    xp, close, before, last, first = array_namespace(z), _CLOSE * s, 0.0, None, 0.0
    one, two = axes
    while True:
        fits = _Fits(one.x, two.x, z, one.knots(), two.knots(), (one.k, two.k))
        rest = z - fits.fitted(fits.coefficients()[0])
        rest = rest * rest
        total = float(xp.sum(rest))  # likewise: ignore[LW203]: values are at hand
        none = not one.places and not two.places
        first, over = total if none else first, total - s
        if abs(over) < close or (over < 0 and none):
            return -2 if none else 0, None
        if over < 0:
            return penalty(fits.over(s), 1.0, first - s, over, close, steps)
        if all(len(axis.places) == axis.most for axis in axes):
            return -1, None
        if last is not None:
            last.gain = before - total
        before = total
        many = [axis.wanted(over, close) for axis in axes]
        turn = int(many[0] > many[1] or (many[0] == many[1] and last is one))
        if len(axes[turn].places) == axes[turn].most:
            turn = 1 - turn
        last = axes[turn]
        last.put(many[turn], xp.sum(rest, axis=1 - turn))


class RectBivariateSpline(BivariateSpline):
    """Interpolate or smooth values on a grid of two axes by a tensor product spline.

    Parameters
    ----------
    x, y : array, shapes (..., n), (..., m)
        The axes, ascending. With more than one dimension, each problem of the batch has its own;
        one of one dimension is shared.
    z : array, shape (..., n, m)
        Real values, the dimensions of the batch first.
    bbox : sequence of 4 numbers, optional
        The ends of the domain, ``[xb, xe, yb, ye]``; None stands for those of the axes.
    kx, ky : int, optional
        Degrees from 1 to 5 (default 3).
    s : float, optional
        The sum of squared residuals: few knots are put where it is still larger, and a penalty on
        jumps of the highest derivatives then makes it s. Default 0: a spline through the values.
    maxit : int, optional
        The largest number of steps in the search for the penalty.

    Attributes
    ----------
    tck : tuple
        Knots along both axes, and coefficients, flattened.
    degrees : tuple of int
    fp : array, shape (...)
        The sum of squared residuals.

    Raises
    ------
    ArgumentError, ShapeError
        If an axis isn't strictly ascending or has no more points than its degree, shapes don't fit,
        the domain doesn't hold the axes (where values can be read), or s isn't reached.
    NotSupported
        If s > 0 where values can't be read, or for a batch.

    Notes
    -----
    P. Dierckx, Curve and Surface Fitting with Splines (1993), chapter 5. For s = 0, knots are at
    the points but those next to the ends, or between points for even degrees: banded systems along
    one axis, then along the other. For s > 0, the search makes the same decisions as FITPACK's
    REGRID, on least squares by normal equations that are corrected twice. Points outside are moved
    to the border. Differentiable in values, axes and points; through a search as `splrep` is.

    A tree of arrays (`likewise.transforms.register_tree`): transforms take and return it.

    Differs from SciPy: batches; float32 stays; `grid=True` doesn't need ascending points; where one
    axis has as many knots as it can have, only the other one gets more (FITPACK overwrites those of
    the other, and may crash).

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import RectBivariateSpline
    >>> x, y = np.arange(5.0), np.arange(6.0)
    >>> f = RectBivariateSpline(x, y, x[:, None] ** 2 * y)
    >>> print(f.ev(1.5, 2.0).round(6), f(1.5, [2.0, 3.0], dx=1).round(6))
    4.5 [[6. 9.]]
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        z: Any,
        bbox: Sequence[Any] = (None,) * 4,
        kx: int = 3,
        ky: int = 3,
        s: float = 0,
        maxit: int = 20,
    ) -> None:
        self.degrees = degrees_of(_NAME, kx, ky)
        if not s >= 0:
            raise ArgumentError(f"{_NAME}: s should be s >= 0.0, got {s!r}")
        x, y, z = reals(_NAME, ("x", "y", "z"), x, y, z)
        batch: tuple[int, ...] = ()
        if not x.ndim == y.ndim == 1:
            batch, (x, y) = shared(_NAME, "axes", (x, y))
        if tuple(z.shape) != (*batch, x.shape[-1], y.shape[-1]):
            raise ShapeError(
                f"{_NAME}: dimension of z must have same number of elements as x, and as y: it "
                f"must have the shape (..., x.size, y.size), got {tuple(z.shape)} for x of "
                f"shape {tuple(x.shape)} and y of shape {tuple(y.shape)}"
            )
        ends, xp = ends_of(_NAME, bbox), array_namespace(x, y, z)
        for name, g, k, low, high in (
            ("x", x, self.degrees[0], *ends[:2]),
            ("y", y, self.degrees[1], *ends[2:]),
        ):
            if g.shape[-1] <= k:
                raise ShapeError(
                    f"{_NAME}: {name} must have more points than its degree {k}, got {g.shape[-1]}"
                )
            if not is_concrete(g):
                continue
            if not bool(xp.all(g[..., 1:] > g[..., :-1])) or not _bounded(xp, g):
                raise ArgumentError(
                    f"{_NAME}: {name} must be strictly increasing, and finite. Sort it, its values "
                    "with it, and leave out what comes twice"
                )
            if (low is not None and bool(xp.any(g[..., 0] < low))) or (
                high is not None and bool(xp.any(g[..., -1] > high))
            ):
                raise ArgumentError(
                    f"{_NAME}: bbox must hold the axes, but not so that of {name}. Leave it out"
                )
        if s > 0 and batch:
            raise NotSupported(
                f"{_NAME}: a batch of surfaces near values (s > 0) has knots of different numbers. "
                "Set s=0, or make one at a time"
            )
        if s > 0:
            finite(_NAME, "z", z)
        *knots, c, self.fp, status = on_grid(x, y, z, ends, self.degrees, float(s), int(maxit))
        if status > 0:
            raise ArgumentError(f"{_NAME}: {STATUS[status]}. Give a larger s")
        c = xp.reshape(c, (*batch, c.shape[-2] * c.shape[-1]))
        self.tck = (knots[0], knots[1], c)


def _bounded(xp: Any, g: Any) -> bool:
    """Tell whether an ascending axis has no infinite end."""
    if g.ndim == 1:
        return -math.inf < float(g[0]) and float(g[-1]) < math.inf
    return bool(xp.all(xp.isfinite(g[..., -1] - g[..., 0])))


def degrees_of(function: str, kx: Any, ky: Any) -> tuple[int, int]:
    """Return degrees from 1 to 5."""
    if not all(hasattr(k, "__index__") and 1 <= k <= 5 for k in (kx, ky)):
        raise ArgumentError(f"{function}: kx and ky must be from 1 to 5, got {(kx, ky)}")
    return kx.__index__(), ky.__index__()


def ends_of(function: str, bbox: Any) -> tuple[Any, ...]:
    """Return four ends, numbers or None."""
    if len(bbox) != 4:
        raise ShapeError(
            f"{function}: bbox shape should be (4,): it must have 4 numbers or None, got "
            f"{len(bbox)}"
        )
    return tuple(None if v is None else float(v) for v in bbox)


def _parts(f: BivariateSpline) -> tuple[tuple[Any, ...], Any]:
    return (f.tck, f.fp), (type(f), f.degrees)


def _rebuilt(fixed: Any, leaves: tuple[Any, ...]) -> BivariateSpline:
    kind, degrees = fixed
    made: BivariateSpline = kind._of(leaves[0], degrees, leaves[1])
    return made


def tree(kind: type[BivariateSpline]) -> None:
    """Register a class of surfaces as a tree of arrays."""
    register_tree(kind, _parts, _rebuilt)


for _kind in (BivariateSpline, RectBivariateSpline):
    tree(_kind)
