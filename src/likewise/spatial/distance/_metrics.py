"""Distances of vectors along the last axis, by name; the public functions call these."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..._dtypes import default_floating
from ..._namespace import array_namespace, device, scalar
from ...missing import safe_divide, safe_sqrt, xlogy

__all__ = ["BOOLEAN", "METRICS", "NUMBERS", "Extra", "between"]


class Extra(NamedTuple):
    """Holds the options of a distance."""

    w: Any = None  # weights of the elements
    p: float = 2.0  # the order of 'minkowski'
    V: Any = None  # variances, of 'seuclidean'
    VI: Any = None  # an inverse covariance, of 'mahalanobis'
    base: float | None = None  # of the logarithm of 'jensenshannon'
    centered: bool = True  # of 'correlation'


Metric = Callable[[Any, Any, Any, Extra], Any]


def _sum(xp: Any, x: Any, w: Any) -> Any:
    return xp.sum(x if w is None else x * w, axis=-1)


def _length(xp: Any, squares: Any) -> Any:
    # The axis is kept until the end: NumPy is slower with scalars.
    return safe_sqrt(xp.sum(squares, axis=-1, keepdims=True))[..., 0]


def _sqeuclidean(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    apart = u - v
    return _sum(xp, apart * apart, e.w)


def _euclidean(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    apart = u - v
    return _length(xp, apart * apart if e.w is None else apart * apart * e.w)


def _cityblock(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    return _sum(xp, xp.abs(u - v), e.w)


def _chebyshev(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    apart = xp.abs(u - v)
    return xp.max(apart if e.w is None else apart * e.w, axis=-1)


def _minkowski(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    if e.p == math.inf:
        return _chebyshev(xp, u, v, e if e.w is None else Extra(xp.astype(e.w != 0, u.dtype)))
    if e.p == 2:
        return _euclidean(xp, u, v, e)
    total = _sum(xp, xp.abs(u - v) ** e.p, e.w)
    # Equal vectors have no derivative: 0 is taken.
    some = total > 0
    return xp.where(some, xp.where(some, total, xp.ones_like(total)) ** (1 / e.p), total)


def _canberra(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    apart, size = xp.abs(u - v), xp.abs(u) + xp.abs(v)
    return _sum(xp, safe_divide(apart, size), e.w)


def _braycurtis(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    return _sum(xp, xp.abs(u - v), e.w) / _sum(xp, xp.abs(u + v), e.w)


def _cosine(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    sizes = _sum(xp, u * u, e.w), _sum(xp, v * v, e.w)
    return 1.0 - _sum(xp, u * v, e.w) / xp.sqrt(sizes[0] * sizes[1])


def _correlation(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    if e.centered:
        total = u.shape[-1] if e.w is None else xp.sum(e.w)
        u, v = (x - (_sum(xp, x, e.w) / total)[..., None] for x in (u, v))
    return _cosine(xp, u, v, e)


def _seuclidean(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    return _length(xp, (u - v) ** 2 / e.V)


def _mahalanobis(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    apart = u - v
    return _length(xp, xp.matmul(apart, e.VI) * apart)


def _jensenshannon(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    p, q = (x / xp.sum(x, axis=-1, keepdims=True) for x in (u, v))
    middle = (p + q) / 2
    total = xp.sum(_relative(xp, p, middle) + _relative(xp, q, middle), axis=-1)
    zero = xp.zeros_like(total)
    return safe_sqrt(xp.maximum(total, zero) / (2 * (1 if e.base is None else math.log(e.base))))


def _relative(xp: Any, p: Any, middle: Any) -> Any:
    return xlogy(p, safe_divide(p, middle))


def _floating(xp: Any, x: Any) -> Any:
    """Return the floating dtype of a distance; counted elements may be integers or booleans."""
    whole = xp.isdtype(x.dtype, ("bool", "integral"))
    return default_floating(xp, device(x)) if whole else x.dtype


def _hamming(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    w = e.w
    if w is None:
        return _sum(xp, xp.astype(u != v, _floating(xp, u)), None) / u.shape[-1]
    apart = xp.astype(u != v, w.dtype)
    return xp.sum(apart * w, axis=-1) / xp.sum(xp.broadcast_to(w, apart.shape), axis=-1)


class _Counts(NamedTuple):
    """How many elements are true in both vectors, in one alone, in none."""

    both: Any
    first: Any
    second: Any
    none: Any


def _counts(xp: Any, u: Any, v: Any, w: Any) -> _Counts:
    a, b = (x if x.dtype == xp.bool else x != 0 for x in (u, v))
    dtype = _floating(xp, u) if w is None else w.dtype
    parts = (a & b, a & ~b, ~a & b, ~a & ~b)
    return _Counts(*(_sum(xp, xp.astype(x, dtype), w) for x in parts))


def _dice(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    n = _counts(xp, u, v, e.w)
    apart = n.first + n.second
    return apart / (2 * n.both + apart)


def _jaccard(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    n = _counts(xp, u, v, e.w)
    apart = n.first + n.second
    return safe_divide(apart, n.both + apart)


def _rogerstanimoto(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    n = _counts(xp, u, v, e.w)
    apart = 2 * (n.first + n.second)
    return apart / (n.both + n.none + apart)


def _russellrao(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    n = _counts(xp, u, v, e.w)
    rest = n.first + n.second + n.none
    return rest / (n.both + rest)


def _sokalsneath(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    n = _counts(xp, u, v, e.w)
    apart = 2 * (n.first + n.second)
    return apart / (n.both + apart)


def _yule(xp: Any, u: Any, v: Any, e: Extra) -> Any:
    n = _counts(xp, u, v, e.w)
    apart = n.first * n.second
    return safe_divide(2 * apart, n.both * n.none + apart)


NUMBERS: dict[str, Metric] = {
    "braycurtis": _braycurtis,
    "canberra": _canberra,
    "chebyshev": _chebyshev,
    "cityblock": _cityblock,
    "correlation": _correlation,
    "cosine": _cosine,
    "euclidean": _euclidean,
    "hamming": _hamming,
    "jensenshannon": _jensenshannon,
    "mahalanobis": _mahalanobis,
    "minkowski": _minkowski,
    "seuclidean": _seuclidean,
    "sqeuclidean": _sqeuclidean,
}
BOOLEAN: dict[str, Metric] = {
    "dice": _dice,
    "jaccard": _jaccard,
    "rogerstanimoto": _rogerstanimoto,
    "russellrao": _russellrao,
    "sokalsneath": _sokalsneath,
    "yule": _yule,
}
METRICS = NUMBERS | BOOLEAN


def between(name: str, u: Any, v: Any, extra: Extra) -> Any:
    """Return distances of vectors that broadcast."""
    found = METRICS[name](array_namespace(u, v), u, v, extra)
    return found if found.ndim else scalar(found)
