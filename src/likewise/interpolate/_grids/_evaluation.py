"""Values between the points of a grid: linear, nearest, monotone, and by splines."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..._namespace import array_namespace, device, quiet
from ..._native import Lines, Made, native
from ...missing._axes import index_dtype
from .._base._basis import basis
from .._base._points import in_pieces
from .._bsplines._interpolating import through
from ._cells import Finder, corners

__all__ = ["coefficients", "linear", "monotone", "nearest", "outside", "spline"]


def _strides(sizes: Sequence[int]) -> list[int]:
    return [math.prod(sizes[k + 1 :]) for k in range(len(sizes))]


def _spread(xp: Any, weight: Any, c: Any) -> Any:
    """Return weights of points that broadcast with what is taken from `c`."""
    return weight if c.ndim == 1 else xp.reshape(weight, (-1,) + (1,) * (c.ndim - 1))


def _in_blocks(x: Any, v: Any, fill: Any, *grid: Any) -> Lines:
    return _mapped(x, v, grid[0], range(3, 3 + len(grid)))


def _mapped(x: Any, v: Any, g: Any, others: Any) -> Lines:
    lead = x.ndim - 1
    rest = tuple(v.shape[g.ndim - 1 + x.shape[-1] :])
    made = Made((*x.shape[:-1], *rest), (*range(lead), *(None,) * len(rest)), v.dtype)
    if g.ndim == 1:
        return Lines({0: (0, None)}, made)
    own = {1: (0, *(None,) * (v.ndim - 1)), **dict.fromkeys(others, (0, None))}
    return Lines({0: (0, 1, None), **own}, made)


def _at_points(
    x: Any, v: Any, fill: Any, grid: Sequence[Any], body: Callable[..., Any], strange: bool
) -> Any:
    """Return values at points (m, d), in pieces; `fill` outside unless it is None.

    The body gets the coordinates of a piece along each axis, the values with the axes of the grid
    flattened, and None. Of a batch, points (b, m, d) on grids (b, n), it gets the number of each
    point's problem. Where it doesn't hand NaN on, `strange` says so.
    """
    xp, d, lead = array_namespace(x, v, *grid), len(grid), grid[0].ndim - 1
    rest, shape = tuple(v.shape[lead + d :]), tuple(x.shape[:-1])
    c = xp.reshape(v, (math.prod(v.shape[: lead + d]), *rest))
    beside: tuple[Any, ...] = ()
    if lead:
        which = xp.arange(shape[0], dtype=index_dtype(xp, x), device=device(x))
        beside = (xp.reshape(xp.broadcast_to(which[:, None], shape), (-1,)),)
        x = xp.reshape(x, (-1, d))

    def piece(p: Any, which: Any = None) -> Any:
        at = [p[:, k] + 0.0 for k in range(d)]  # not every other number of the points
        y = body(xp, at, c, which)
        if fill is not None:
            out = None
            for a, g in zip(at, grid, strict=True):
                low, high = g[..., 0], g[..., -1]
                if which is not None:
                    low, high = xp.take(low, which), xp.take(high, which)
                past = (a < low) | (a > high)
                out = past if out is None else out | past
            y = xp.where(_spread(xp, out, c), fill, y)
        if strange:
            y = xp.where(_spread(xp, xp.any(xp.isnan(p), axis=1), c), xp.nan, y)
        return y

    with quiet(x):  # infinite points
        y = in_pieces(piece, x, math.prod(rest), *beside)
    return xp.reshape(y, (*shape, *rest)) if lead else y


@native(numpy="likewise._libs.numpy._grids:outside", torch="likewise._libs.numpy._grids:outside")
def outside(x: Any, *grid: Any) -> Any:
    """Return the first axis along which a point (..., m, d) isn't on the grid, or d."""
    xp = array_namespace(x, *grid)
    within = [
        xp.all((x[..., axis] >= g[..., :1]) & (x[..., axis] <= g[..., -1:]))
        for axis, g in enumerate(grid)
    ]
    return xp.argmin(xp.astype(xp.stack([*within, within[0] & False]), xp.int32))


def _sizes(v: Any, grid: Sequence[Any]) -> tuple[int, ...]:
    lead = grid[0].ndim - 1
    return tuple(v.shape[lead : lead + len(grid)])


def _finders(x: Any, grid: Sequence[Any]) -> list[Finder]:
    return [Finder(g, x.shape[0]) for g in grid]


def _within(xp: Any, find: Finder, at: Any, which: Any) -> tuple[Any, Any]:
    """Return the cell of each coordinate, and where in it that is, from 0 to 1."""
    if find.size == 1:
        i = xp.zeros(at.shape, dtype=index_dtype(xp, at), device=device(at))
        return i, xp.where(at == at, 0.0, at)
    i = find(xp, at, which)
    low = find.knot(xp, i, which)
    return i, (at - low) / (find.knot(xp, i + 1, which) - low)


def _base(places: Sequence[Any], strides: Sequence[int], which: Any, size: int) -> Any:
    base = places[-1] if which is None else places[-1] + which * size
    for i, stride in zip(places[:-1], strides[:-1], strict=True):
        base = base + i * stride
    return base


def _plane(x: Any, v: Any, fill: Any, *grid: Any) -> bool:
    """one or two axes, one value at each point, in double precision."""
    xp = array_namespace(v)
    return v.ndim == len(grid) <= 2 and grid[0].ndim == 1 and v.dtype in (xp.float64, xp.complex128)


@native(
    numpy="likewise._libs.numpy._grids:linear",
    torch="likewise._libs.numpy._grids:linear",
    when=_plane,
    blocks=_in_blocks,
)
def linear(x: Any, v: Any, fill: Any, *grid: Any) -> Any:
    """Return the sums of the values at the corners of the cell of each point."""
    finders, sizes = _finders(x, grid), _sizes(v, grid)
    strides, counts = _strides(sizes), [min(n, 2) for n in sizes]

    def body(xp: Any, at: list[Any], c: Any, which: Any) -> Any:
        found = [_within(xp, find, a, which) for find, a in zip(finders, at, strict=True)]
        cells, parts = zip(*found, strict=True)
        upper = [_spread(xp, t, c) for t in parts]
        lower = [1.0 - t for t in upper]

        def combine(axis: int, y: list[Any]) -> Any:
            total = lower[axis] * y[0]
            return total + upper[axis] * y[-1] if len(y) > 1 else total

        return corners(
            xp, c, _base(cells, strides, which, math.prod(sizes)), strides, counts, combine
        )

    return _at_points(x, v, fill, grid, body, fill is not None and fill == fill)


def _one(x: Any, v: Any, fill: Any, *grid: Any) -> bool:
    """one grid."""
    return x.ndim == 2


@native(
    numpy="likewise._libs.numpy._grids:nearest",
    torch="likewise._libs.numpy._grids:nearest",
    when=_one,
    blocks=_in_blocks,
)
def nearest(x: Any, v: Any, fill: Any, *grid: Any) -> Any:
    """Return the value of the nearest point along each axis, the lower one of two."""
    finders, sizes = _finders(x, grid), _sizes(v, grid)
    strides = _strides(sizes)

    def body(xp: Any, at: list[Any], c: Any, which: Any) -> Any:
        found = [_within(xp, find, a, which) for find, a in zip(finders, at, strict=True)]
        places = [xp.where(t > 0.5, i + 1, i) for i, t in found]
        return xp.take(c, _base(places, strides, which, math.prod(sizes)), axis=0)

    return _at_points(x, v, fill, grid, body, True)


def _slopes(xp: Any, h: list[Any], y: list[Any]) -> list[Any]:
    """Return the slopes of the monotone cubic at four points (F. N. Fritsch, J. Butland, 1984)."""
    m = [(y[j + 1] - y[j]) / h[j] for j in range(3)]

    def inner(j: int) -> Any:
        a, b = m[j - 1], m[j]
        wa, wb = 2.0 * h[j] + h[j - 1], h[j] + 2.0 * h[j - 1]
        flat = ~(a * b > 0.0)
        one = xp.where(flat, 1.0, a)
        other = xp.where(flat, 1.0, b)
        return xp.where(flat, 0.0, (wa + wb) / (wa / one + wb / other))

    def outer(h0: Any, h1: Any, a: Any, b: Any) -> Any:
        d = ((2.0 * h0 + h1) * a - h0 * b) / (h0 + h1)
        steep = (xp.sign(a) != xp.sign(b)) & (xp.abs(d) > 3.0 * xp.abs(a))
        return xp.where(xp.sign(d) != xp.sign(a), 0.0, xp.where(steep, 3.0 * a, d))

    return [outer(h[0], h[1], m[0], m[1]), inner(1), inner(2), outer(h[2], h[1], m[2], m[1])]


@native(blocks=_in_blocks)
def monotone(x: Any, v: Any, fill: Any, *grid: Any) -> Any:
    """Return values of monotone cubics, of the last axis first.

    A cubic depends on four values alone: those around its cell, or the first or last four.
    """
    finders, sizes = _finders(x, grid), _sizes(v, grid)
    strides = _strides(sizes)

    def body(xp: Any, at: list[Any], c: Any, which: Any) -> Any:
        first, steps, parts, cells = [], [], [], []
        for find, a, n in zip(finders, at, sizes, strict=True):
            i = find(xp, a, which)
            s = xp.clip(i - 1, 0, n - 4)
            g = [find.knot(xp, s + j, which) for j in range(4)]
            low = find.knot(xp, i, which)
            first.append(s)
            steps.append([_spread(xp, g[j + 1] - g[j], c) for j in range(3)])
            parts.append(_spread(xp, a - low, c))
            cells.append(_spread(xp, i - s, c))

        def combine(axis: int, y: list[Any]) -> Any:
            h, p, t = steps[axis], cells[axis], parts[axis]
            d = _slopes(xp, h, y)

            def chosen(j: int, some: list[Any]) -> Any:
                return xp.where(p == 0, some[j], xp.where(p == 1, some[j + 1], some[j + 2]))

            gap, y0, d0, d1 = chosen(0, h), chosen(0, y), chosen(0, d), chosen(1, d)
            slope = (chosen(1, y) - y0) / gap
            bend = (d0 + d1 - 2.0 * slope) / gap
            return y0 + t * (d0 + t * ((slope - d0) / gap - bend + t * bend / gap))

        return corners(
            xp,
            c,
            _base(first, strides, which, math.prod(sizes)),
            strides,
            [4] * len(sizes),
            combine,
        )

    return _at_points(x, v, fill, grid, body, True)


def coefficients(
    v: Any, ks: Sequence[int], knots: Sequence[Any], *grid: Any, least: int = 2
) -> Any:
    """Return the coefficients of the tensor product spline through values.

    Those of degrees below `least` are the values themselves, on knots that are the axis. Systems
    are solved along one axis after another. Dimensions of a batch of axes are first in all.
    """
    xp, lead = array_namespace(v, *knots, *grid), grid[0].ndim - 1
    for axis, (k, t, g) in enumerate(zip(ks, knots, grid, strict=True), lead):
        if k >= least:
            v = xp.moveaxis(through(xp, g, xp.moveaxis(v, axis, lead), t, k), lead, axis)
    return v


def _spline_in_blocks(x: Any, c: Any, fill: Any, ks: Any, nu: Any, *knots: Any) -> Lines:
    return _mapped(x, c, knots[0], range(5, 5 + len(knots)))


def _double(x: Any, c: Any, *args: Any) -> bool:
    """double precision, and one spline."""
    xp = array_namespace(c)
    return x.ndim == 2 and c.dtype in (xp.float64, xp.complex128)


@native(
    numpy="likewise._libs.numpy._grids:spline",
    torch="likewise._libs.numpy._grids:spline",
    when=_double,
    blocks=_spline_in_blocks,
)
def spline(x: Any, c: Any, fill: Any, ks: tuple[int, ...], nu: tuple[int, ...], *knots: Any) -> Any:
    """Return values or derivatives of the tensor product spline of coefficients."""
    sizes = _sizes(c, knots)
    strides = _strides(sizes)
    inner = [t[..., k : t.shape[-1] - k] for t, k in zip(knots, ks, strict=True)]
    finders = _finders(x, inner)
    flat = [array_namespace(t).reshape(t, (-1,)) for t in knots]

    def body(xp: Any, at: list[Any], c: Any, which: Any) -> Any:
        first = [find(xp, a, which) for find, a in zip(finders, at, strict=True)]
        if any(order > k for order, k in zip(nu, ks, strict=True)):
            return xp.zeros_like(xp.take(c, first[0], axis=0))
        weights = []
        for t, a, i, k, order, g in zip(flat, at, first, ks, nu, knots, strict=True):
            place = i + k if which is None else i + k + which * g.shape[-1]
            weights.append([_spread(xp, w, c) for w in basis(xp, t, a, place, k, order)])

        def combine(axis: int, y: list[Any]) -> Any:
            total = weights[axis][0] * y[0]
            for w, part in zip(weights[axis][1:], y[1:], strict=True):
                total = total + w * part
            return total

        return corners(
            xp,
            c,
            _base(first, strides, which, math.prod(sizes)),
            strides,
            [k + 1 for k in ks],
            combine,
        )

    return _at_points(x, c, fill, inner, body, True)
