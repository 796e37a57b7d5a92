"""Points of Chebyshev, series through the values there, and polynomials of given roots."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from .. import _plan
from .._creation import target
from .._namespace import array_namespace, device
from .._native import public
from ..errors import ShapeError
from . import _steps as steps
from ._family import CHEBYSHEV

__all__ = ["chebinterpolate", "chebpts1", "chebpts2", "polyvalfromroots"]


def _first_kind(n: int) -> list[float]:
    return [math.sin(0.5 * math.pi * (2 * i - n + 1) / n) for i in range(n)]


def _made(function: str, values: list[float], namespace: Any, dtype: Any, device: Any) -> Any:
    xp, where = target(function, namespace, device, None)
    return xp.asarray(values, dtype=dtype, device=where)


def chebpts1(
    npts: int, *, namespace: str | None = None, dtype: Any = None, device: Any = None
) -> Any:
    """Return the roots of a Chebyshev polynomial of the first kind.

    Parameters
    ----------
    npts : int
        How many points, at least 1.
    namespace : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}, optional
        The library of the result. Default: that of `likewise.use`.
    dtype, device : optional
        Those of the result. Default: the library's.

    Returns
    -------
    array, shape (npts,)
        In order, between -1 and 1.

    Raises
    ------
    ArgumentError, IntegerError
        If there is no point, or the number isn't an integer.

    Examples
    --------
    >>> from likewise.polynomial import chebpts1
    >>> chebpts1(3).round(3)
    array([-0.866,  0.   ,  0.866])
    """
    n = steps.degree_of("chebpts1", "npts", npts, 1)
    return _made("chebpts1", _first_kind(n), namespace, dtype, device)


def chebpts2(
    npts: int, *, namespace: str | None = None, dtype: Any = None, device: Any = None
) -> Any:
    """Return the extrema of a Chebyshev polynomial of the first kind, with the ends.

    Parameters
    ----------
    npts : int
        How many points, at least 2.
    namespace : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}, optional
        The library of the result. Default: that of `likewise.use`.
    dtype, device : optional
        Those of the result. Default: the library's.

    Returns
    -------
    array, shape (npts,)
        In order, from -1 to 1.

    Raises
    ------
    ArgumentError, IntegerError
        If there are fewer than two points, or the number isn't an integer.

    Examples
    --------
    >>> from likewise.polynomial import chebpts2
    >>> chebpts2(3)
    array([-1.,  0.,  1.])
    """
    n = steps.degree_of("chebpts2", "npts", npts, 2) - 1
    points = [math.sin(0.5 * math.pi * (2 * i - n) / n) for i in range(n + 1)]
    return _made("chebpts2", points, namespace, dtype, device)


def chebinterpolate(
    func: Callable[..., Any],
    deg: int,
    args: Sequence[Any] = (),
    *,
    namespace: str | None = None,
    dtype: Any = None,
    device: Any = None,
) -> Any:
    """Return the Chebyshev series through a function's values at the points of the first kind.

    Parameters
    ----------
    func : callable
        ``func(x, *args)`` takes points in [-1, 1], and returns values (deg + 1, ...).
    deg : int
        The degree.
    args : sequence, optional
        More arguments of the function.
    namespace : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}, optional
        The library of the points. Default: that of `likewise.use`.
    dtype, device : optional
        Those of the points. Default: the library's.

    Returns
    -------
    array, shape (deg + 1, ...)
        Coefficients, that of the lowest degree first.

    Raises
    ------
    ArgumentError, IntegerError
        If the degree is negative or no integer.

    Notes
    -----
    Sums over the points, of which the polynomials are orthogonal. Differentiable in what the
    function closes over.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.polynomial import chebinterpolate
    >>> chebinterpolate(lambda x: 2.0 * x**2, 2).round(12) + 0.0
    array([1., 0., 1.])
    """
    n = steps.degree_of("chebinterpolate", "deg", deg) + 1
    at = _first_kind(n)
    y = func(_made("chebinterpolate", at, namespace, dtype, device), *args)
    return through_values(y)


def through_values(y: Any) -> Any:
    """Return the Chebyshev coefficients of values (n, ...) at the points of the first kind."""
    (y,) = _plan.common_floating("chebinterpolate", array_namespace(y), ("y",), y)
    xp, n = array_namespace(y), y.shape[0]
    at = xp.asarray(_first_kind(n), dtype=y.dtype, device=device(y))
    rows = xp.matrix_transpose(steps.vandermonde(CHEBYSHEV, at, n - 1))
    flat = xp.reshape(y, (n, math.prod(y.shape[1:])))
    c = xp.reshape(xp.matmul(rows, flat), y.shape) * (2.0 / n)
    return xp.concat([c[:1, ...] * 0.5, c[1:, ...]], axis=0)


@public
def polyvalfromroots(x: Any, r: Any, tensor: bool = True) -> Any:
    """Evaluate the products of ``x - r``.

    Parameters
    ----------
    x : array
        Points, real or complex.
    r : array, shape (n, ...)
        Roots; further dimensions are of more polynomials.
    tensor : bool, optional
        Whether each polynomial is evaluated at each point (default); else the dimensions of
        polynomials broadcast with those of the points.

    Returns
    -------
    array
        The shape of the polynomials, then that of the points; or what they broadcast to.

    Raises
    ------
    ShapeError
        If without `tensor` there are no dimensions of polynomials for those of the points.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.polynomial import polyvalfromroots
    >>> polyvalfromroots(np.asarray([0.0, 3.0]), np.asarray([1.0, 2.0]))
    array([2., 2.])
    """
    xp = array_namespace(x, r)
    found = _plan.common_floating("polyvalfromroots", xp, ("x", "r"), x, r)
    x, r = steps.followed(xp, found)
    xp = array_namespace(x, r)
    r = xp.reshape(r, (1,)) if r.ndim == 0 else r
    if tensor:
        r = xp.reshape(r, (*r.shape, *(1,) * x.ndim))
    elif x.ndim >= r.ndim:
        raise ShapeError(
            f"polyvalfromroots: x.ndim must be < r.ndim when tensor == False; x has shape "
            f"{tuple(x.shape)}, r {tuple(r.shape)}"
        )
    return xp.prod(x - r, axis=0)
