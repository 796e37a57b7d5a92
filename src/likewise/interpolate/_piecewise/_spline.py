"""Cubic splines: cubics with continuous second derivatives."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ..._native import native
from ...errors import ArgumentError, ShapeError
from .._base._knots import followed
from .._base._systems import tridiagonal_system
from ._cubic import CubicHermiteSpline, doubles, ends, hermite, prepared, steps_of
from ._pieces import column

__all__ = ["CubicSpline"]

_WORDS = {"clamped": (1, 0.0), "natural": (2, 0.0)}


class CubicSpline(CubicHermiteSpline):
    """Interpolate by cubics whose second derivatives are continuous.

    Parameters
    ----------
    x : array, shape (n,) or (batch..., n)
        Knots, increasing. With more than one dimension, each problem of the batch has its own.
    y : array, shape (n, ...) or (batch..., n, ...)
        Values, real or complex.
    axis : int, optional
        The axis of the knots in `y`, the batch not counted.
    bc_type : str or pair, optional
        What holds at the ends, of both or of each: 'not-a-knot' (default; the first two cubics are
        one), 'clamped' (the slope is 0), 'natural' (the second derivative is 0), or a pair of an
        order, 1 or 2, and the value of that derivative, of the shape of a value. 'periodic' is of
        both.
    extrapolate : bool or 'periodic', optional
        Outside of the knots, the first and the last cubic, NaN, or the values of a periodic
        function. Default: 'periodic' with such ends, else True.

    Attributes
    ----------
    c : array, shape (4, batch..., n - 1, ...)
        Coefficients, as of `PPoly`.
    x : array
    axis : int
    extrapolate : bool or 'periodic'

    Raises
    ------
    ShapeError
        If there are fewer than two knots, or shapes don't fit.
    ArgumentError
        If knots don't increase, a number isn't finite, the first and the last value of a periodic
        spline differ, where values can be read, or `bc_type` is none.
    DtypeError
        If knots are complex.

    Notes
    -----
    The slopes at the knots solve a tridiagonal system (C. de Boor, A Practical Guide to Splines,
    1978, chapter IV), whose rows dominate, since a not-a-knot end is subtracted from its neighbour
    first: O(n) operations. Two knots give a line, three without conditions a parabola.
    Differentiable in knots, values, conditions and points. A tree of arrays, as `PPoly`.

    Differs from SciPy: batches; float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import CubicSpline
    >>> x = np.linspace(0.0, 2 * np.pi, 9)
    >>> f = CubicSpline(x, np.sin(x), bc_type="periodic")
    >>> f(np.asarray([0.1, 0.1 + 2 * np.pi])).round(4)
    array([0.0996, 0.0996])
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        axis: int = 0,
        bc_type: Any = "not-a-knot",
        extrapolate: Any = None,
    ) -> None:
        x, y, at = prepared("CubicSpline", x, y, axis)
        first, last = _conditions(bc_type, x, y)
        periodic = isinstance(first, str) and first == "periodic"
        if periodic:
            _returning(y, x.ndim - 1)
            c = hermite(x, y, _around(x, y))
        else:
            (a, u), (b, v) = ((0, None) if isinstance(e, str) else e for e in (first, last))
            c = _cubics(x, y, (a, b), u, v)
        usual = "periodic" if periodic else True
        self._set(x, c, at, extrapolate, usual)


def _returning(y: Any, b: int) -> None:
    """Refuse values of a periodic function that don't come back to the first."""
    xp = array_namespace(y)
    one, two = ends(y, b, 0, 1), ends(y, b, -1, None)
    if is_concrete(y) and not bool(xp.all(xp.abs(one - two) <= 1e-15 * (1 + xp.abs(two)))):
        raise ArgumentError(
            "CubicSpline: The first and last `y` point along axis must be identical (within "
            "machine precision) for 'periodic' ends. Append the first value, at the end"
        )


def _conditions(bc_type: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Return what holds at both ends: a word, or an order and values (*batch, 1, ...)."""
    if isinstance(bc_type, str):
        if bc_type == "periodic":
            return bc_type, bc_type
        bc_type = (bc_type, bc_type)
    pair = tuple(bc_type) if isinstance(bc_type, tuple | list) else ()
    if len(pair) != 2:
        raise ArgumentError(
            f"CubicSpline: `bc_type` must contain 2 elements, of the start and the end, or be a "
            f"word for both, got {bc_type!r}"
        )
    if any(isinstance(c, str) and c == "periodic" for c in pair):
        raise ArgumentError(
            "CubicSpline: 'periodic' `bc_type` is defined for both curve ends and cannot be used "
            "with other boundary conditions. Give it alone"
        )
    return _condition(pair[0], x, y), _condition(pair[1], x, y)


def _condition(given: Any, x: Any, y: Any) -> Any:
    b = x.ndim - 1
    shape = (*y.shape[:b], *y.shape[b + 1 :])
    xp = array_namespace(x, y)
    if isinstance(given, str):
        if given == "not-a-knot":
            return given
        if given not in _WORDS:
            raise ArgumentError(
                f"CubicSpline: bc_type={given!r} is not allowed: 'not-a-knot', 'clamped', "
                "'natural', 'periodic' or a pair of an order and a value"
            )
        order, value = _WORDS[given]
        return order, xp.zeros((*shape[:b], 1, *shape[b:]), dtype=y.dtype, device=device(y))
    try:
        order, value = given
    except (TypeError, ValueError):
        raise ArgumentError(
            "CubicSpline: A specified derivative must be given in the form (order, value), "
            f"got {given!r}"
        ) from None
    if order not in (1, 2):
        raise ArgumentError(
            f"CubicSpline: The specified derivative order must be 1 or 2, got {order!r}"
        )
    xp = array_namespace(x, y, value)
    _, value = _plan.common_floating("CubicSpline", xp, ("y", "bc_type"), y, value)
    if tuple(value.shape) != shape:
        raise ShapeError(
            f"CubicSpline: `deriv_value` shape {tuple(value.shape)} is not the expected one {shape}"
        )
    return order, xp.expand_dims(followed(xp, value), axis=b)


@native(
    numpy="likewise._libs.numpy._interpolate:spline",
    torch="likewise._libs.numpy._interpolate:spline",
    when=doubles,
)
def _cubics(x: Any, y: Any, kinds: tuple[int, int], first: Any, last: Any) -> Any:
    """Return coefficients; a kind is the order of the derivative that is given, or 0."""
    return hermite(x, y, _slopes(x, y, (kinds[0], first), (kinds[1], last)))


def _slopes(x: Any, y: Any, first: Any, last: Any) -> Any:
    """Return the slopes at the knots, by a tridiagonal system of those that a row doesn't tell."""
    xp, b, n = array_namespace(x, y), x.ndim - 1, x.shape[-1]
    h, m = steps_of(x, y)
    if n == 2:  # a line, unless a condition says else
        first, last = (e if e[0] else (1, m) for e in (first, last))
    if n == 3 and first[0] == last[0] == 0:
        return _parabola(xp, b, h, m)
    step = x[..., 1:] - x[..., :-1]
    h0, h1 = step[..., :-1], step[..., 1:]
    low, main, up = h1, 2 * (h0 + h1), h0
    right = 3 * (
        ends(h, b, 1, None) * ends(m, b, None, -1) + ends(h, b, None, -1) * ends(m, b, 1, None)
    )
    two = min(2, n - 1)
    start = step[..., :two], ends(h, b, 0, two), ends(m, b, 0, two)
    stop = step[..., n - 1 - two :], ends(h, b, n - 1 - two, None), ends(m, b, n - 1 - two, None)
    stop = tuple(xp.flip(v, axis=b) for v in stop)
    edges = [_edge(xp, b, first, *start, 1), _edge(xp, b, last, *stop, -1)]
    return _joined(xp, b, (low, main, up), right, edges, (first, last))


def _edge(xp: Any, b: int, kind: Any, step: Any, h: Any, m: Any, way: int) -> tuple[Any, Any, Any]:
    """Return the equation ``p s0 + q s1 = r`` at an end, of steps and slopes from there on."""
    h0, m0 = ends(h, b, 0, 1), ends(m, b, 0, 1)
    order, value = kind
    if order == 0:  # not-a-knot
        h1, m1 = ends(h, b, 1, 2), ends(m, b, 1, 2)
        both = h0 + h1
        r = ((h0 + 2 * both) * h1 * m0 + h0 * h0 * m1) / both
        return step[..., 1:2], step[..., :1] + step[..., 1:2], r
    one = xp.ones_like(step[..., :1])
    if order == 1:
        return one, xp.zeros_like(one), value
    return 2 * one, one, 3 * m0 - way * 0.5 * value * h0


def _joined(xp: Any, b: int, rows: tuple[Any, Any, Any], right: Any, edges: Any, kinds: Any) -> Any:
    """Solve for all slopes; not-a-knot ends are subtracted from the rows beside, and found last."""
    (low, main, up), (a, z) = rows, edges
    open_a, open_z = (order == 0 for order, _ in kinds)
    zero = xp.zeros_like(a[0])
    if right.shape[b] == 0:  # two knots, whose ends are all
        low, main, up = zero[..., :0], zero[..., :0], zero[..., :0]
    if open_a:
        main = xp.concat([main[..., :1] - a[1], main[..., 1:]], axis=-1)
        right = xp.concat([ends(right, b, 0, 1) - a[2], ends(right, b, 1, None)], axis=b)
        low = xp.concat([zero, low[..., 1:]], axis=-1)
    else:
        low = xp.concat([zero, low], axis=-1)
        main = xp.concat([a[0], main], axis=-1)
        up = xp.concat([a[1], up], axis=-1)
        right = xp.concat([a[2], right], axis=b)
    if open_z:
        main = xp.concat([main[..., :-1], main[..., -1:] - z[1]], axis=-1)
        right = xp.concat([ends(right, b, None, -1), ends(right, b, -1, None) - z[2]], axis=b)
        up = xp.concat([up[..., :-1], zero], axis=-1)
    else:
        low = xp.concat([low, z[1]], axis=-1)
        main = xp.concat([main, z[0]], axis=-1)
        up = xp.concat([up, zero], axis=-1)
        right = xp.concat([right, z[2]], axis=b)
    s = _solved(xp, b, low, main, up, right)
    parts = [s]
    if open_a:
        p, q = (column(v, s) for v in a[:2])
        parts.insert(0, (a[2] - q * ends(s, b, 0, 1)) / p)
    if open_z:
        p, q = (column(v, s) for v in z[:2])
        parts.append((z[2] - q * ends(s, b, -1, None)) / p)
    return xp.concat(parts, axis=b) if len(parts) > 1 else s


def _solved(xp: Any, b: int, low: Any, main: Any, up: Any, right: Any) -> Any:
    """Solve systems (*batch, n) for right sides (*batch, n, ...)."""
    columns = 1
    for k in right.shape[b + 1 :]:
        columns *= k
    if columns == 0:
        return right
    flat = xp.reshape(right, (*right.shape[: b + 1], columns))
    return xp.reshape(tridiagonal_system(low, main, up, flat), right.shape)


def _parabola(xp: Any, b: int, h: Any, m: Any) -> Any:
    """Return the slopes of a parabola at three knots."""
    h0, h1, m0, m1 = (ends(v, b, i, i + 1) for v in (h, m) for i in (0, 1))
    middle = (h1 * m0 + h0 * m1) / (h0 + h1)
    return xp.concat([2 * m0 - middle, middle, 2 * m1 - middle], axis=b)


def _around(x: Any, y: Any) -> Any:
    """Return the slopes at the knots of a periodic spline: a cyclic system, by one more right side.

    Of the matrix with corners, the rank one that takes these away is subtracted (Sherman and
    Morrison).
    """
    xp, b, n = array_namespace(x, y), x.ndim - 1, x.shape[-1]
    h, m = steps_of(x, y)
    if n == 2:
        return xp.zeros_like(y)
    if n == 3:
        s = xp.sum(m / h, axis=b, keepdims=True) / xp.sum(1 / h, axis=b, keepdims=True)
        return xp.concat([s, s, s], axis=b)
    step = x[..., 1:] - x[..., :-1]
    before = xp.concat([step[..., -1:], step[..., :-1]], axis=-1)  # of the knots but the last
    low, main, up = step, 2 * (before + step), before
    hb = xp.concat([ends(h, b, -1, None), ends(h, b, None, -1)], axis=b)
    mb = xp.concat([ends(m, b, -1, None), ends(m, b, None, -1)], axis=b)
    right = 3 * (h * mb + hb * m)
    # Corners: low[0] at the top right, up[-1] at the bottom left.
    top, bottom = low[..., :1], up[..., -1:]
    gamma = -main[..., :1]
    main = xp.concat(
        [main[..., :1] - gamma, main[..., 1:-1], main[..., -1:] - top * bottom / gamma], axis=-1
    )
    u = xp.concat([gamma, xp.zeros_like(main[..., 1:-1]), bottom], axis=-1)
    w = _solved(xp, b, low, main, up, u)
    s = _solved(xp, b, low, main, up, right)
    ratio, w = column(top / gamma, s), column(w, s)

    def product(v: Any) -> Any:
        return ends(v, b, 0, 1) + ratio * ends(v, b, -1, None)

    s = s - product(s) / (1 + product(w)) * w
    return xp.concat([s, ends(s, b, 0, 1)], axis=b)
