"""Rank filters and the Wiener filter: neighbourhoods of elements, with zeros beyond the ends."""

import itertools
import math
import warnings
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_neutral
from ..._native import Lines, along, native, public
from ...errors import ArgumentError, DtypeError, LikewiseWarning, ShapeError, _level
from ...missing._axes import index_dtype
from ...transforms import scan
from .._base._places import read
from .._convolving._convolution import correlate

__all__ = ["medfilt", "medfilt2d", "order_filter", "wiener"]

_MANY = 1 << 20  # elements that are sorted at a time


@public
def order_filter(a: Any, domain: Any, rank: int) -> Any:
    """Replace each element by the element of a given rank in its neighbourhood.

    Parameters
    ----------
    a : array
        Real numbers, of any number of dimensions.
    domain : array
        A mask with as many dimensions, each of odd size: its nonzero elements define the
        neighbourhood.
    rank : int
        The rank: 0 is the smallest; negative ranks count from the largest, -1.

    Returns
    -------
    array
        The result, with the shape and dtype of `a`.

    Raises
    ------
    ShapeError
        If the numbers of dimensions differ, or a size of `domain` is even.
    ArgumentError
        If there is no such rank.
    DtypeError
        If `a` holds complex numbers or booleans.

    Notes
    -----
    Elements beyond the ends are zeros. Sorts the m elements of each neighbourhood, O(m log m)
    operations per element, for a million elements at a time. NumPy arrays without NaN use SciPy's
    routine, with O(log m). Differentiable with respect to the chosen elements.

    Differs from SciPy: zeros in `domain` are respected in one dimension, too; there SciPy 1.17
    uses all elements.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import order_filter
    >>> order_filter(np.asarray([3, 1, 2, 5]), np.ones(3), 2)
    array([3, 3, 5, 5])
    """
    a = _numbers("order_filter", "a", a)
    sizes, around = _around(domain) if is_neutral(domain) else _told(domain)
    if len(sizes) != a.ndim or any(n % 2 == 0 for n in sizes):
        raise ShapeError(
            f"order_filter: domain must have the {a.ndim} dimensions of a, each odd, got the shape "
            f"{sizes}"
        )
    if not hasattr(rank, "__index__") or not -len(around) <= rank.__index__() < len(around):
        raise ArgumentError(
            f"order_filter: rank must be one of the {len(around)} elements of domain, got {rank!r}"
        )
    return _ranked(a, sizes, around, rank.__index__() % len(around))


def _told(domain: Any) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
    """Return the shape of a domain, and its nonzero elements."""
    _, (mask,) = read("order_filter", domain=domain)
    sizes = tuple(mask.shape)
    return sizes, tuple(k for k in itertools.product(*map(range, sizes)) if mask[k] != 0)


_around = _plan.of_settings(_told)


def _numbers(function: str, name: str, x: Any) -> Any:
    xp = array_namespace(x)
    (x,) = _plan.common_numbers(function, xp, (name,), x)
    if not xp.isdtype(x.dtype, ("integral", "real floating")):
        raise DtypeError(f"{function}: {name} must hold real numbers, got {x.dtype}")
    return x


def _every(x: Any, sizes: tuple[int, ...], around: Any, rank: int) -> bool:
    """all elements around, or some along several dimensions; of numbers that SciPy has."""
    return x.dtype.kind in "iuf" and 0 not in x.shape and (around is None or x.ndim > 1)


def _in_blocks(x: Any, sizes: tuple[int, ...], *rest: Any) -> Lines:
    margins = {axis: n // 2 for axis, n in enumerate(sizes) if n > 1}
    return along(x, tuple(margins), margins=margins)


@native(numpy="likewise._libs.numpy._ranks:ranked", when=_every, blocks=_in_blocks)
def _ranked(x: Any, sizes: tuple[int, ...], around: Any, rank: int) -> Any:
    """Sort the neighbourhood of each element: all of it, or some offsets."""
    xp = array_namespace(x)
    offsets = list(itertools.product(*map(range, sizes)) if around is None else around)
    padded = x
    for axis, n in enumerate(sizes):
        shape = list(padded.shape)
        shape[axis] = n // 2
        zeros = xp.zeros(tuple(shape), dtype=x.dtype, device=device(x))
        padded = xp.concat((zeros, padded, zeros), axis=axis)
    if math.prod(x.shape) * len(offsets) > _MANY:
        return _by_blocks(xp, x, padded, offsets, rank)
    parts = [
        padded[tuple(slice(i, i + n) for i, n in zip(k, x.shape, strict=True))] for k in offsets
    ]
    return xp.sort(xp.stack(parts, axis=-1), axis=-1)[..., rank]


def _by_blocks(xp: Any, x: Any, padded: Any, offsets: list[tuple[int, ...]], rank: int) -> Any:
    """Sort a limited number of neighbourhoods at a time, so that memory is bounded."""
    steps = [math.prod(padded.shape[k + 1 :]) for k in range(x.ndim)]
    flat, where = xp.reshape(padded, (-1,)), device(x)
    away = [sum(i * s for i, s in zip(k, steps, strict=True)) for k in offsets]
    away = xp.asarray(away, dtype=index_dtype(xp, x), device=where)
    place = xp.zeros((1,) * x.ndim, dtype=away.dtype, device=where)
    for axis, (n, s) in enumerate(zip(x.shape, steps, strict=True)):
        along = xp.arange(n, dtype=away.dtype, device=where) * s
        place = place + xp.reshape(along, (1,) * axis + (n,) + (1,) * (x.ndim - axis - 1))
    place = xp.reshape(place, (-1,))
    size = max(1, _MANY // len(offsets))
    count = -(-place.shape[0] // size)
    more = xp.zeros((count * size - place.shape[0],), dtype=away.dtype, device=where)
    rows = xp.reshape(xp.concat((place, more)), (count, size))

    def ranked(none: Any, row: Any) -> tuple[Any, Any]:
        index = xp.reshape(row[:, None] + away[None, :], (-1,))
        window = xp.reshape(xp.take(flat, index, axis=0), (size, len(offsets)))
        # A copy, as a view would keep what is around alive.
        return none, xp.concat((xp.sort(window, axis=-1)[:, rank],))

    out = scan(ranked, rows[0, 0], rows)[1]
    return xp.reshape(xp.reshape(out, (-1,))[: place.shape[0]], x.shape)


@public
def medfilt(volume: Any, kernel_size: Any = None) -> Any:
    """Replace each element by the median of its neighbourhood.

    Parameters
    ----------
    volume : array
        Real numbers, of any number of dimensions.
    kernel_size : int or sequence of int, optional
        Odd sizes of the neighbourhood, one for all dimensions or one for each. Default: 3.

    Returns
    -------
    array
        The result, with the shape and dtype of `volume`.

    Raises
    ------
    ArgumentError
        If a size is even, or sizes aren't one for each dimension.
    DtypeError
        If `volume` holds complex numbers or booleans.

    Warns
    -----
    LikewiseWarning
        If a size is larger than the array.

    Notes
    -----
    As for `order_filter`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import medfilt
    >>> medfilt(np.asarray([1.0, 9.0, 2.0, 3.0]))
    array([1., 2., 3., 2.])
    """
    return _median("medfilt", "volume", volume, 3 if kernel_size is None else kernel_size)


@public
def medfilt2d(input: Any, kernel_size: Any = 3) -> Any:
    """Replace each pixel of an image by the median of its neighbourhood.

    Parameters
    ----------
    input : array, shape (m, n)
        Real numbers.
    kernel_size : int or pair of int, optional
        Odd sizes of the neighbourhood.

    Returns
    -------
    array
        The result, with the shape and dtype of `input`.

    Raises
    ------
    ShapeError
        If `input` doesn't have two dimensions.
    ArgumentError, DtypeError
        As for `medfilt`.

    Notes
    -----
    As for `order_filter`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import medfilt2d
    >>> medfilt2d(np.asarray([[1.0, 9.0, 2.0]] * 3))[1]
    array([1., 2., 2.])
    """
    if getattr(input, "ndim", 2) != 2:
        raise ShapeError(
            f"medfilt2d: input must have two dimensions, got the shape {tuple(input.shape)}"
        )
    return _median("medfilt2d", "input", input, 3 if kernel_size is None else kernel_size)


def _median(function: str, name: str, x: Any, kernel_size: Any) -> Any:
    x = _numbers(function, name, x)
    if x.ndim == 0:
        x = x[None]
    sizes = _sizes(function, "kernel_size", kernel_size, x.ndim)
    if any(n % 2 == 0 for n in sizes):
        raise ArgumentError(f"{function}: kernel_size must be odd, got {kernel_size!r}")
    rank = math.prod(sizes) // 2
    beyond = any(n > m for n, m in zip(sizes, x.shape, strict=True))
    if not beyond or function != "medfilt":  # as SciPy: medfilt2d doesn't warn
        return _ranked(x, sizes, None, rank)
    out = _ranked(x, sizes, None, rank)[...]  # worked on here, so that each call comes here
    warnings.warn(
        f"{function}: kernel_size {sizes} is larger than {name} of shape {tuple(x.shape)}, beyond "
        "which zeros are taken",
        LikewiseWarning,
        stacklevel=_level(),
    )
    return out


@_plan.of_settings
def _sizes(function: str, name: str, given: Any, ndim: int) -> tuple[int, ...]:
    """Return a size for each dimension."""
    _, (found,) = read(function, **{name: given})
    sizes = [float(v) for v in found.reshape(-1)] * (ndim if found.ndim == 0 else 1)
    if len(sizes) != ndim or any(v != int(v) or v < 1 for v in sizes):
        raise ArgumentError(
            f"{function}: {name} must be a positive integer, or {ndim} of them, got {given!r}"
        )
    return tuple(int(v) for v in sizes)


@public
def wiener(im: Any, mysize: Any = None, noise: Any = None) -> Any:
    """Smooth an array where its local variance is close to the noise (Wiener filter).

    Parameters
    ----------
    im : array
        Real numbers, of any number of dimensions.
    mysize : int or sequence of int, optional
        Sizes of the neighbourhood, one for all dimensions or one for each. Default: 3.
    noise : float or array, optional
        The variance of the noise. Default: the mean of all local variances.

    Returns
    -------
    array
        The result, with the shape of `im` and its floating dtype.

    Raises
    ------
    ArgumentError
        If sizes aren't positive integers, one or one for each dimension.
    DtypeError
        If `im` is complex.

    Notes
    -----
    With the local mean m and variance v, the result is ``m + (1 - noise/v) (x - m)``, and m where v
    is less than the noise (J. S. Lim, Two-Dimensional Signal and Image Processing, 1990, p. 548).
    Elements beyond the ends are zeros. Differentiable.

    Differs from SciPy: integers become the library's default floating dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import wiener
    >>> wiener(np.asarray([1.0, 1.0, 5.0, 1.0, 1.0])).round(3)
    array([0.667, 1.833, 3.333, 1.833, 0.667])
    """
    xp = array_namespace(im, noise)
    given = {"im": im} | ({} if noise is None else {"noise": noise})
    im, *rest = _plan.common_floating("wiener", xp, tuple(given), *given.values())
    if _plan.is_complex(xp, im.dtype):
        raise DtypeError(f"wiener: im must be real, got {im.dtype}")
    sizes = _sizes("wiener", "mysize", 3 if mysize is None else mysize, im.ndim)
    window = xp.full(sizes, 1 / math.prod(sizes), dtype=im.dtype, device=device(im))
    mean = correlate(im, window, mode="same")
    variance = correlate(im * im, window, mode="same") - mean * mean
    least = rest[0] if rest else xp.mean(variance)
    calm = variance < least
    safe = xp.where(calm, xp.ones_like(variance), variance)
    return xp.where(calm, mean, mean + (im - mean) * (1 - least / safe))
