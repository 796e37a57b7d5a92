"""Distances of all pairs of points, in blocks of bounded memory."""

import math
from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ..._native import Lines, Made, batches, native, public
from ..._typing import A
from ...errors import ArgumentError, ShapeError
from ...missing import cov, triu_indices
from ...transforms import vmap
from ._arguments import checked, extra_of, floats
from ._metrics import METRICS, Extra, between

__all__ = ["cdist", "jensenshannon", "pdist", "squareform"]

_BLOCK = 2**22  # elements of a block
# SciPy's compiled routine computes the same distances for these metrics.
_PLAIN = frozenset("braycurtis canberra chebyshev cityblock euclidean sqeuclidean".split())
_SHORT = {
    "bray-curtis": "braycurtis",
    **dict.fromkeys(("cheby", "cheb", "ch", "chebychev"), "chebyshev"),
    **dict.fromkeys(("manhattan", "cb", "cblock"), "cityblock"),
    **dict.fromkeys(("co",), "correlation"),
    **dict.fromkeys(("cos",), "cosine"),
    **dict.fromkeys(("euc", "eu", "e"), "euclidean"),
    **dict.fromkeys(("js", "jensen_shannon"), "jensenshannon"),
    **dict.fromkeys(("mahal", "mi"), "mahalanobis"),
    **dict.fromkeys(("mink", "mi", "m", "pnorm"), "minkowski"),
    **dict.fromkeys(("sqe", "sqeuclid"), "sqeuclidean"),
    "se": "seuclidean",
    "matching": "hamming",
}


def _named(function: str, metric: Any) -> str:
    if not isinstance(metric, str):
        metric = getattr(metric, "__name__", metric)
    name = str(metric).lower()
    name = _SHORT.get(name, name)
    if name not in METRICS:
        raise ArgumentError(
            f"{function}: metric must be callable or one of {', '.join(sorted(METRICS))}, got "
            f"{metric!r}"
        )
    return name


def _own(metric: Any) -> bool:
    """Tell if a metric is a function from the user."""
    module = str(getattr(metric, "__module__", ""))
    return callable(metric) and not module.startswith(("likewise.spatial", "scipy.spatial"))


@public
def cdist(
    XA: A, XB: A, metric: str | Callable[..., Any] = "euclidean", *, out: None = None, **kwargs: Any
) -> Any:
    """Compute the distances between the points of two collections.

    Parameters
    ----------
    XA, XB : array, shape (..., m, n) and (..., k, n)
        Points as rows; leading dimensions broadcast.
    metric : str or callable, optional
        The name of a function of this module, or a function ``metric(u, v, **kwargs)`` of two
        vectors, written with functions of ``likewise.array_namespace(u)``.
    out : None
        Accepted for SciPy's signature; ignored.
    **kwargs : Any
        Options of the metric: ``w``, ``p``, ``V``, ``VI``, ``base``, ``centered``.

    Returns
    -------
    array, shape (..., m, k)
        Of the common floating dtype.

    Raises
    ------
    ShapeError
        If points aren't rows of one length.
    ArgumentError
        If there is no such metric, or it has no such option.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If points are not real numbers of one library.

    Notes
    -----
    Computed from differences, not from expanded squares, which lose digits; in blocks of 4 million
    elements. O(m k n) operations. Default variances and covariances are those of all points.
    Differentiable where the metric is; for equal points the derivative is 0.

    Differs from SciPy: batches; float32 stays float32.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.spatial.distance import cdist
    >>> cdist(np.asarray([[0.0, 0.0], [3.0, 0.0]]), np.asarray([[0.0, 4.0]]))
    array([[4.],
           [5.]])
    """
    xp, (a, b) = floats("cdist", XA=XA, XB=XB)
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-1]:
        raise ShapeError(
            "cdist: XA and XB must have shapes (..., m, n) and (..., k, n), got "
            f"{tuple(a.shape)} and {tuple(b.shape)}"
        )
    if _own(metric):
        return _by_function(metric, kwargs, a, b)
    name = _named("cdist", metric)
    extra = Extra()
    if kwargs or name not in _PLAIN:
        extra = _filled("cdist", name, kwargs, xp.concat(_rows(xp, a, b), axis=-2))
    batch = _plan.broadcast("cdist", XA=tuple(a.shape[:-2]), XB=tuple(b.shape[:-2]))
    if 0 in (*a.shape, *b.shape) and a.shape[-1]:
        return xp.zeros((*batch, a.shape[-2], b.shape[-2]), dtype=a.dtype, device=device(a))
    if name in _PLAIN and extra == Extra():
        return _plainly(a, b, name)
    return _in_blocks(a, b, name, extra)


def _rows(xp: Any, a: Any, b: Any) -> tuple[Any, Any]:
    batch = _plan.broadcast("cdist", XA=tuple(a.shape[:-2]), XB=tuple(b.shape[:-2]))
    return xp.broadcast_to(a, (*batch, *a.shape[-2:])), xp.broadcast_to(b, (*batch, *b.shape[-2:]))


def _filled(function: str, name: str, given: dict[str, Any], points: Any) -> Extra:
    """Return a metric's options as arrays of the points' dtype, with SciPy's defaults."""
    extra = extra_of(function, name, given)
    xp = array_namespace(points)
    if name in ("seuclidean", "mahalanobis") and extra.V is None and extra.VI is None:
        if points.ndim != 2:
            raise ArgumentError(f"{function}: of a batch, metric {name!r} needs V or VI")
        if name == "seuclidean":
            return extra._replace(V=xp.var(points, axis=0, correction=1))
        inverse = xp.linalg.inv(xp.reshape(cov(points.T), (points.shape[-1],) * 2))
        return extra._replace(VI=inverse)
    given = {"w": extra.w, "V": extra.V, "VI": extra.VI}
    more = {k: x for k, x in given.items() if x is not None}
    if more:
        _, (_, *rest) = floats(function, points=points, **more)
        extra = extra._replace(**dict(zip(more, rest, strict=True)))
    return checked(function, points.shape[-1], extra)


def _of_matrices(a: Any, b: Any, name: str) -> bool:
    """collections without a batch."""
    return a.ndim == b.ndim == 2 and 0 not in a.shape and 0 not in b.shape


def _rows_in_blocks(a: Any, b: Any, name: str, extra: Any = None) -> Lines:
    if a.ndim == b.ndim == 2:
        made = Made((a.shape[0], b.shape[0]), (0, 1), a.dtype)
        return Lines({0: (0, None), 1: (1, None)}, made)
    return batches({0: (a, 2), 1: (b, 2)}, ((a.shape[-2], b.shape[-2]), a.dtype))


@native(
    numpy="likewise._libs.numpy._distances:distances", when=_of_matrices, blocks=_rows_in_blocks
)
def _plainly(a: Any, b: Any, name: str) -> Any:
    return _in_blocks(a, b, name, Extra())


def _in_blocks(a: Any, b: Any, name: str, extra: Extra) -> Any:
    xp, (m, n) = array_namespace(a, b), a.shape[-2:]
    each = math.prod(_plan.broadcast("cdist", XA=tuple(a.shape[:-2]), XB=tuple(b.shape[:-2])))
    step = max(1, _BLOCK // max(each * b.shape[-2] * n, 1))
    parts = [
        between(name, a[..., k : min(k + step, m), None, :], b[..., None, :, :], extra)
        for k in range(0, m, step)
    ]
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=-2)


def _by_function(metric: Any, kwargs: dict[str, Any], a: Any, b: Any) -> Any:
    def along(u: Any) -> Any:
        return vmap(lambda v: metric(u, v, **kwargs))(b)

    if a.ndim != 2 or b.ndim != 2:
        raise ShapeError("cdist: a function as metric takes collections without a batch")
    return vmap(along)(a)


@public
def pdist(
    X: A, metric: str | Callable[..., Any] = "euclidean", *, out: None = None, **kwargs: Any
) -> Any:
    """Compute the distances between all points of a collection.

    Parameters
    ----------
    X : array, shape (..., m, n)
        Points as rows; leading dimensions are a batch.
    metric : str or callable, optional
        As for `cdist`.
    out : None
        Accepted for SciPy's signature; ignored.
    **kwargs : Any
        As for `cdist`.

    Returns
    -------
    array, shape (..., m (m - 1) / 2)
        Distances of the points i and j, i < j, row by row; `squareform` makes a matrix of them.

    Raises
    ------
    ShapeError
        If points aren't rows.
    ArgumentError, ArrayTypeError, DtypeError
        As for `cdist`.

    Notes
    -----
    As for `cdist`, with each pair once.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.spatial.distance import pdist
    >>> pdist(np.asarray([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]]))
    array([3., 4., 5.])
    """
    xp, (x,) = floats("pdist", X=X)
    if x.ndim < 2:
        raise ShapeError(f"pdist: X must have shape (..., m, n), got {tuple(x.shape)}")
    m = x.shape[-2]
    if _own(metric):
        own: Any = metric
        if x.ndim != 2:
            raise ShapeError("pdist: a function as metric takes points without a batch")
        rows, columns = triu_indices(m, k=1, like=x)
        pairs = xp.take(x, rows, axis=0), xp.take(x, columns, axis=0)
        return vmap(lambda u, v: own(u, v, **kwargs))(*pairs)
    name = _named("pdist", metric)
    extra = _filled("pdist", name, kwargs, x)
    if m < 2:
        return xp.zeros((*x.shape[:-2], 0), dtype=x.dtype, device=device(x))
    if name in _PLAIN and extra == Extra():
        return _pairs_plainly(x, name)
    return _pairs_in_blocks(x, name, extra)


def _one_collection(x: Any, name: str) -> bool:
    """a collection without a batch."""
    return x.ndim == 2 and 0 not in x.shape


@native(numpy="likewise._libs.numpy._distances:distances_within", when=_one_collection)
def _pairs_plainly(x: Any, name: str) -> Any:
    return _pairs_in_blocks(x, name, Extra())


def _pairs_in_blocks(x: Any, name: str, extra: Extra) -> Any:
    xp, (m, n) = array_namespace(x), x.shape[-2:]
    rows, columns = triu_indices(m, k=1, like=x)
    count = m * (m - 1) // 2
    step = max(1, _BLOCK // max(math.prod(x.shape[:-2]) * n, 1))
    parts = [
        between(
            name,
            xp.take(x, rows[k : min(k + step, count)], axis=-2),
            xp.take(x, columns[k : min(k + step, count)], axis=-2),
            extra,
        )
        for k in range(0, count, step)
    ]
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=-1)


@public
def squareform(X: A, force: str = "no", checks: bool = True) -> Any:
    """Turn distances of pairs into a symmetric matrix, or back.

    Parameters
    ----------
    X : array, shape (m (m - 1) / 2,) or (m, m)
        Distances as `pdist` returns them, or a matrix of them.
    force : {'no', 'tovector', 'tomatrix'}, optional
        The required direction: 'tovector' accepts only a matrix, 'tomatrix' only a vector.
    checks : bool, optional
        Whether to check, where values can be read, that a matrix is symmetric with a zero diagonal.

    Returns
    -------
    array, shape (m, m) or (m (m - 1) / 2,)
        Of the same dtype.

    Raises
    ------
    ShapeError
        If the number of elements isn't that of pairs of points, a matrix isn't square, or `force`
        requires the other direction.
    ArgumentError
        If a matrix isn't symmetric, or its diagonal isn't zero.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.spatial.distance import squareform
    >>> squareform(np.asarray([3.0, 4.0, 5.0]))
    array([[0., 3., 4.],
           [3., 0., 5.],
           [4., 5., 0.]])
    """
    _plan.choice("squareform", "force", force, ("no", "tovector", "tomatrix"))
    xp = array_namespace(X)
    (x,) = _plan.common_numbers("squareform", xp, ("X",), X)
    if x.ndim not in (1, 2) or (x.ndim == (1 if force == "tovector" else 2) and force != "no"):
        wanted = {"no": "(k,) or (m, m)", "tovector": "(m, m)", "tomatrix": "(k,)"}[force]
        raise ShapeError(f"squareform: X must have shape {wanted}, got {tuple(x.shape)}")
    if x.ndim == 1:
        count = x.shape[0]
        m = math.isqrt(8 * count + 1) // 2 + 1 if count else 1
        if m * (m - 1) // 2 != count:
            raise ShapeError(f"squareform: there is no number of points with {count} pairs")
        return _matrix(x, m)
    m = x.shape[0]
    if x.shape[1] != m:
        raise ShapeError(f"squareform: X must have shape (m, m), got {tuple(x.shape)}")
    if checks and m:
        _check(xp, x)
    rows, columns = triu_indices(m, k=1, like=x)
    return xp.take(xp.reshape(x, (-1,)), rows * m + columns, axis=0)


@native(numpy="likewise._libs.numpy._distances:matrix")
def _matrix(x: Any, m: int) -> Any:
    """Return each pair's distance twice, in its two places."""
    xp = array_namespace(x)
    if m == 1:
        return xp.zeros((1, 1), dtype=x.dtype, device=device(x))
    k = xp.arange(m, dtype=xp.int64, device=device(x))
    low, high = xp.minimum(k[:, None], k), xp.maximum(k[:, None], k)
    place = low * (2 * m - low - 1) // 2 + high - low - 1
    same = low == high
    place = xp.where(same, xp.zeros_like(place), place)
    found = xp.reshape(xp.take(x, xp.reshape(place, (-1,)), axis=0), (m, m))
    return xp.where(same, xp.zeros_like(found), found)


def _check(xp: Any, x: Any) -> None:
    apart = xp.abs(x - xp.matrix_transpose(x)) if x.dtype != xp.bool else x != x.T
    if is_concrete(x) and bool(xp.any(apart > 1e-8)):
        raise ArgumentError("squareform: X must be symmetric. Pass checks=False if it nearly is.")
    diagonal = xp.reshape(x, (-1,))[:: x.shape[0] + 1]
    if is_concrete(x) and bool(xp.any(diagonal != 0)):
        raise ArgumentError("squareform: X must have zeros in its diagonal")


@public
def jensenshannon(
    p: Any, q: Any, base: float | None = None, *, axis: int = 0, keepdims: bool = False
) -> Any:
    """Compute the Jensen-Shannon distance of two distributions.

    Parameters
    ----------
    p, q : array
        Probabilities, real; each is divided by its sum. They broadcast.
    base : float, optional
        The base of the logarithm. Default: e.
    axis : int, optional
        The axis of each distribution.
    keepdims : bool, optional
        Whether the axis stays, with size 1.

    Returns
    -------
    float or array
        The square root of the mean of the relative entropies to the mean distribution.

    Raises
    ------
    ShapeError
        If the arrays don't broadcast, or there is no such axis.
    ArgumentError
        If there is no logarithm to this base.
    ArrayTypeError, DtypeError, MixedLibrariesError
        If they are not real numbers of one library.

    Notes
    -----
    D. M. Endres, J. E. Schindelin, IEEE Trans. Inf. Theory 49, 1858 (2003). Differentiable; for
    equal distributions the derivative is 0.

    Examples
    --------
    >>> from likewise.spatial.distance import jensenshannon
    >>> float(jensenshannon([1.0, 0.0], [0.0, 1.0], 2.0))
    1.0
    """
    function = "jensenshannon"
    xp, (u, v) = floats(function, p=p, q=q)
    shape = _plan.broadcast(function, p=tuple(u.shape), q=tuple(v.shape))
    (place,) = _plan.axis_tuple(function, "axis", axis, len(shape))
    extra = extra_of(function, function, {"base": base})
    if tuple(u.shape) == tuple(v.shape) == shape[:1] and not keepdims:
        return _of_distributions(u, v, extra.base)
    u, v = (xp.moveaxis(xp.broadcast_to(x, shape), place, -1) for x in (u, v))
    found = between(function, u, v, extra)
    return xp.expand_dims(found, axis=place) if keepdims else found


def _in_double(p: Any, q: Any, base: float | None) -> bool:
    """double precision."""
    return bool(p.dtype == array_namespace(p).float64)


@native(numpy="likewise._libs.numpy._distances:jensenshannon", when=_in_double)
def _of_distributions(p: Any, q: Any, base: float | None) -> Any:
    return between("jensenshannon", p, q, Extra(base=base))
