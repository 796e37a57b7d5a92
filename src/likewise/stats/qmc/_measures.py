"""How evenly points fill the unit cube, and other cubes."""

import math
import warnings
from collections.abc import Callable
from typing import Any

from ... import _plan, random
from ..._memory import at_once
from ..._namespace import array_namespace, device, is_concrete, namespace
from ...errors import ArgumentError, LikewiseWarning, ShapeError, _level
from ...interop import asarray, to_numpy
from ...spatial.distance import cdist
from ...transforms import fori_loop

__all__ = ["discrepancy", "geometric_discrepancy", "scale", "swapped", "update_discrepancy"]

_BLOCK = 1 << 15  # pairs whose numbers stay in a core's cache
_METHODS = ("CD", "WD", "MD", "L2-star")


def _points(function: str, sample: Any, name: str = "sample", ndim: int = 2) -> Any:
    (x,) = _plan.common_floating(function, array_namespace(sample), (name,), sample, real=True)
    if x.ndim < ndim:
        what = "Sample is not a 2D array" if ndim == 2 else f"{name} is not a 1D array"
        raise ShapeError(f"{function}: {what}: got shape {tuple(x.shape)}")
    _inside(function, x, "Sample" if name == "sample" else name)
    return x


def _inside(function: str, x: Any, name: str) -> None:
    if is_concrete(x) and 0 not in x.shape:
        xp = array_namespace(x)
        if not bool(xp.all((x >= 0) & (x <= 1))):
            raise ArgumentError(f"{function}: {name} is not in unit hypercube")


def scale(sample: Any, l_bounds: Any, u_bounds: Any, *, reverse: bool = False) -> Any:
    """Map points of the unit cube to a box, or back.

    Parameters
    ----------
    sample : array, shape (..., n, d)
        The points.
    l_bounds, u_bounds : array, shape (d,)
        The box; numbers are the bounds of all dimensions.
    reverse : bool, optional
        Whether points of the box are mapped to the unit cube.

    Returns
    -------
    array, shape (..., n, d)

    Raises
    ------
    ShapeError, ArgumentError
        If shapes don't fit, or, where values can be read, bounds aren't in order or points are
        outside.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats.qmc import scale
    >>> scale(np.asarray([[0.5, 0.75]]), [-2, 0], [6, 5])
    array([[2.  , 3.75]])
    """
    xp = array_namespace(sample, l_bounds, u_bounds)
    names = ("sample", "l_bounds", "u_bounds")
    x, low, high = _plan.common_floating("scale", xp, names, sample, l_bounds, u_bounds, real=True)
    if x.ndim < 2:
        raise ShapeError(f"scale: Sample is not a 2D array: got shape {tuple(x.shape)}")
    for bound in (low, high):
        if bound.ndim > 1 or (bound.ndim and bound.shape[0] not in (1, x.shape[-1])):
            raise ShapeError(
                "scale: 'l_bounds' and 'u_bounds' must be broadcastable and respect the sample "
                f"dimension {x.shape[-1]}, got shapes {tuple(low.shape)} and {tuple(high.shape)}"
            )
    if is_concrete(low) and is_concrete(high) and not bool(xp.all(low < high)):
        raise ArgumentError("scale: Bounds are not consistent 'l_bounds' < 'u_bounds'")
    if not reverse:
        _inside("scale", x, "Sample")
        return x * (high - low) + low
    if is_concrete(x) and not bool(xp.all((x >= low) & (x <= high))):
        raise ArgumentError("scale: Sample is out of bounds")
    return (x - low) / (high - low)


def _pairs(x: Any, factor: Callable[[Any, Any], Any]) -> Any:
    """Sum, over all pairs of points (..., n, d), products over the dimensions."""
    xp, (n, d) = array_namespace(x), x.shape[-2:]
    each = n * math.prod(x.shape[:-2])
    if is_concrete(x):
        most = max(1, _BLOCK // max(1, each))
    else:
        most = at_once(x, 4 * each * xp.finfo(x.dtype).bits // 8, n)
    total: Any = xp.zeros(x.shape[:-2], dtype=x.dtype, device=device(x))
    for i in range(0, n, most):
        rows = x[..., i : min(i + most, n), :]
        product: Any = 1.0
        for k in range(d):
            product = product * factor(rows[..., k, None], x[..., None, :, k])
        total = total + xp.sum(product, axis=(-2, -1))
    return total


def _product(x: Any) -> Any:
    return array_namespace(x).prod(x, axis=-1)


def _centered(x: Any, y: Any) -> Any:
    xp = array_namespace(x, y)
    return 1 + 0.5 * (xp.abs(x - 0.5) + xp.abs(y - 0.5) - xp.abs(x - y))


def _centered_of_one(x: Any) -> Any:
    off = array_namespace(x).abs(x - 0.5)
    return _product(1 + 0.5 * (off - off * off))


def _mixed(x: Any, y: Any) -> Any:
    xp = array_namespace(x, y)
    gap = xp.abs(x - y)
    return 1.875 - 0.25 * (xp.abs(x - 0.5) + xp.abs(y - 0.5)) - gap * (0.75 - 0.5 * gap)


def _wrapped(x: Any, y: Any) -> Any:
    gap = array_namespace(x, y).abs(x - y)
    return 1.5 - gap * (1 - gap)


def discrepancy(
    sample: Any, *, iterative: bool = False, method: str = "CD", workers: int = 1
) -> Any:
    """Return a discrepancy of points: the lower, the more evenly they fill the unit cube.

    Parameters
    ----------
    sample : array, shape (..., n, d)
        The points; leading dimensions are a batch.
    iterative : bool, optional
        Whether one more point will be added by `update_discrepancy`.
    method : {'CD', 'WD', 'MD', 'L2-star'}, optional
        Centered, wrap-around, mixture, or the star discrepancy in L2.
    workers : int, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    float or array, shape (...)

    Raises
    ------
    ShapeError, ArgumentError
        If there is no such method, `sample` isn't a matrix, or a point that can be read is outside
        of the cube.

    Notes
    -----
    K.-T. Fang, R. Li, A. Sudjianto, Design and Modeling for Computer Experiments (2006), chapter 3;
    T. T. Warnock (1972). O(n^2 d) in blocks. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats.qmc import discrepancy
    >>> print(discrepancy(np.asarray([[0.25, 0.75], [0.75, 0.25]])).round(6))
    0.062283
    """
    _plan.choice("discrepancy", "method", method, _METHODS)
    x = _points("discrepancy", sample)
    xp, (n, d) = array_namespace(x), x.shape[-2:]
    count = n + bool(iterative)
    if method == "CD":
        one = xp.sum(_centered_of_one(x), axis=-1)
        return (13 / 12) ** d - 2 / count * one + _pairs(x, _centered) / count**2
    if method == "WD":
        return _pairs(x, _wrapped) / count**2 - (4 / 3) ** d
    if method == "MD":
        off = xp.abs(x - 0.5)
        one = xp.sum(_product(5 / 3 - 0.25 * (off + off * off)), axis=-1)
        return (19 / 12) ** d - 2 / count * one + _pairs(x, _mixed) / count**2
    one = xp.sum(_product(1 - x * x), axis=-1)
    two = _pairs(x, lambda a, b: 1 - xp.maximum(a, b))
    return xp.sqrt(3.0**-d - 2.0 ** (1 - d) / count * one + two / count**2)


def update_discrepancy(x_new: Any, sample: Any, initial_disc: Any) -> Any:
    """Return the centered discrepancy of points and one more.

    Parameters
    ----------
    x_new : array, shape (..., d)
        The point to add.
    sample : array, shape (..., n, d)
        The points.
    initial_disc : float or array, shape (...)
        ``discrepancy(sample, iterative=True)``.

    Returns
    -------
    float or array, shape (...)

    Raises
    ------
    ShapeError, ArgumentError
        If shapes don't fit, or a point that can be read is outside of the unit cube.

    Notes
    -----
    O(n d). Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats.qmc import discrepancy, update_discrepancy
    >>> x = np.asarray([[0.25, 0.75], [0.75, 0.25]])
    >>> before = discrepancy(x[:1], iterative=True)
    >>> print(update_discrepancy(x[1], x[:1], before).round(6))
    0.062283
    """
    xp = array_namespace(x_new, sample, initial_disc)
    names = ("x_new", "sample", "initial_disc")
    new, x, before = _plan.common_floating(
        "update_discrepancy", xp, names, x_new, sample, initial_disc, real=True
    )
    new = _points("update_discrepancy", new, "x_new", 1)
    x = _points("update_discrepancy", x)
    if new.shape[-1] != x.shape[-1]:
        raise ShapeError(
            "update_discrepancy: x_new and sample must be broadcastable, got shapes "
            f"{tuple(new.shape)} and {tuple(x.shape)}"
        )
    count = x.shape[-2] + 1
    pairs = xp.sum(_product(_centered(new[..., None, :], x)), axis=-1)
    itself = _product(_centered(new, new))
    return before - 2 / count * _centered_of_one(new) + (2 * pairs + itself) / count**2


def geometric_discrepancy(sample: Any, method: str = "mindist", metric: str = "euclidean") -> Any:
    """Return how far points are apart: the larger, the more evenly they fill the unit cube.

    Parameters
    ----------
    sample : array, shape (n, d)
        The points, at least two.
    method : {'mindist', 'mst'}, optional
        The least distance, or the mean edge of the minimum spanning tree.
    metric : str, optional
        Of `likewise.spatial.distance.cdist`.

    Returns
    -------
    float
        Distances of 0 don't count, as in SciPy; a warning tells of them.

    Raises
    ------
    ShapeError, ArgumentError
        If there is no such method, `sample` isn't a matrix of two points at least, or a point that
        can be read is outside of the cube.

    Notes
    -----
    O(n^2 d); the tree by Prim's algorithm, in n steps. Differentiable where distances are.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats.qmc import geometric_discrepancy
    >>> x = np.asarray([[0.0, 0.0], [0.5, 0.0], [0.5, 1.0]])
    >>> print(geometric_discrepancy(x), geometric_discrepancy(x, "mst"))
    0.5 0.75
    """
    function = "geometric_discrepancy"
    _plan.choice(function, "method", method, ("mindist", "mst"))
    x = _points(function, sample)
    xp, n = array_namespace(x), x.shape[-2]
    if n < 2 or x.ndim > 2:
        raise ShapeError(
            f"{function}: Sample must contain at least two points in one matrix, got shape "
            f"{tuple(x.shape)}"
        )
    distances = cdist(x, x, metric=metric)
    index = xp.arange(n, device=device(x))
    apart = index[:, None] != index
    if is_concrete(x) and bool(xp.any((distances == 0) & apart)):
        warnings.warn(
            f"{function}: Sample contains duplicate points.", LikewiseWarning, stacklevel=_level()
        )
    distances = xp.where(apart & (distances != 0), distances, xp.inf)
    if method == "mindist":
        return xp.min(distances)

    def grown(_: Any, state: Any) -> Any:
        inside, nearest, total, count = state
        outside = xp.where(inside, xp.inf, nearest)
        edge = xp.min(outside)
        there = edge < xp.inf  # else all that is left lies on points of the tree
        new = (index == xp.argmin(outside)) & there
        row = xp.min(xp.where(new[:, None], distances, xp.inf), axis=0)
        total = total + xp.where(there, edge, 0.0)
        return inside | new, xp.minimum(nearest, row), total, count + xp.astype(there, x.dtype)

    zero = xp.sum(x) * 0
    start = (index == 0, distances[0, :], zero, zero)
    _, _, total, count = fori_loop(0, n - 1, grown, start)
    return total / count


_TRIES, _IN_VAIN = 10_000, 100


def swapped(sample: Any, words: list[int]) -> Any:
    """Swap coordinates of two points where that lowers the centered discrepancy.

    Until so many swaps in a row don't, on the host; each costs O(n).
    """
    xp = namespace("numpy")
    x = xp.asarray(to_numpy(sample), copy=True)
    n, d = x.shape
    gap = [_centered(x[:, None, k], x[None, :, k]) for k in range(d)]
    off = [1 + 0.5 * (xp.abs(x[:, k] - 0.5) - (x[:, k] - 0.5) ** 2) for k in range(d)]
    pairs, ones = math.prod(gap[1:], start=gap[0]), math.prod(off[1:], start=off[0])
    key = random.key(words[0] << 32 | words[1], namespace="numpy")
    draws = zip(
        *(
            random.integers(k, (_TRIES,), 0, most).tolist()
            for k, most in zip(random.split(key, 3), (d, n, n), strict=True)
        ),
        strict=True,
    )
    vain = 0
    for k, a, b in draws:
        if vain == _IN_VAIN:
            break
        vain += 1
        if a == b:
            continue
        to_b, to_a = (
            pairs[a, :] * gap[k][b, :] / gap[k][a, :],
            pairs[b, :] * gap[k][a, :] / gap[k][b, :],
        )
        one_a, one_b = ones[a] * off[k][b] / off[k][a], ones[b] * off[k][a] / off[k][b]
        to_b[a], to_b[b] = pairs[a, a] * gap[k][b, b] / gap[k][a, a], pairs[a, b]
        to_a[b], to_a[a] = pairs[b, b] * gap[k][a, a] / gap[k][b, b], pairs[a, b]
        change = 2 * float(xp.sum(to_b) + xp.sum(to_a) - xp.sum(pairs[a, :]) - xp.sum(pairs[b, :]))
        # Twice the diagonal is one too many.
        change -= float(to_b[a] + to_a[b] - pairs[a, a] - pairs[b, b])
        change = change / n**2 - 2 / n * float(one_a + one_b - ones[a] - ones[b])
        if change < 0:
            vain = 0
            pairs[a, :], pairs[:, a], pairs[b, :], pairs[:, b] = to_b, to_b, to_a, to_a
            ones[a], ones[b] = one_a, one_b
            order = list(range(n))
            order[a], order[b] = b, a
            x[:, k], off[k] = x[order, k], off[k][order]
            gap[k] = gap[k][order, :][:, order]
    return asarray(x, like=sample)
