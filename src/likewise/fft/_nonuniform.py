"""Fourier sums of points that don't lie on a grid, with the names and order of jax-finufft."""

import math
from typing import Any

from .. import _plan
from .._namespace import array_namespace, describe, device, quiet
from .._native import native, public
from ..errors import ArgumentError, DtypeError, ShapeError
from ..transforms import stop_gradient
from ._gridding import Kernel, gathered, spread
from ._lengths import next_fast_len
from ._steps import STEPS, as_complex
from ._transforms import several

__all__ = ["nufft1", "nufft2", "nufft3"]

_FEW = 1 << 13  # phases, up to which sums are taken as they stand
_WIDEST = 16  # steps of the kernel's width
_PAGE = "Give one array of coordinates for each dimension"


@public
def nufft1(output_shape: Any, source: Any, *points: Any, iflag: int = 1, eps: float = 1e-6) -> Any:
    """Compute Fourier coefficients of strengths at any points: transforms of type 1.

    Parameters
    ----------
    output_shape : int or sequence of int
        The number of modes in each dimension.
    source : array, shape (..., m)
        The strength of each point, real or complex.
    *points : array, shape (..., m)
        For each of one to three dimensions, the points' coordinates in radians; any number means
        the same as the one in [-pi, pi) that a multiple of 2 pi away. Leading dimensions broadcast
        with those of `source`; sources at the same points are transformed together.
    iflag : int, optional
        The sign in the exponent: 1 or -1.
    eps : float, optional
        The error wanted, relative in the norm of the result. It ends near 1e-14, and in single
        precision near 1e-6.

    Returns
    -------
    array, shape (..., n1, ..., nd), of `output_shape`
        Complex numbers ``f[k] = sum_j source[j] exp(iflag i k . x[j])``, of the precision of the
        arguments. The modes of a dimension are ``-(n // 2), ..., (n - 1) // 2``.

    Raises
    ------
    ShapeError
        If shapes don't fit, or there are no, or more than three, arrays of points.
    ArgumentError
        If a size isn't positive, `iflag` neither 1 nor -1, or `eps` not a number in (0, 1).
    DtypeError
        If points are complex.
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    Strengths are spread to a grid twice as fine by a kernel of Kaiser and Bessel, which a fast
    Fourier transform and a division take off again: J. A. Fessler and B. P. Sutton, IEEE Trans.
    Signal Process. 51, 560 (2003); A. H. Barnett, J. F. Magland and L. af Klinteberg, SIAM J. Sci.
    Comput. 41, C479 (2019). With ``w = log10(1 / eps) + 1``, it takes O(m w**d + n log(n))
    operations for m points and n modes in d dimensions. Few points are summed as they stand.
    Differentiable in strengths and points. A point that is not finite makes all modes of its
    problem NaN.

    The names, arguments and defaults of jax-finufft. Where finufft is installed, it runs for many
    points on NumPy, and on torch's CPU without gradients.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import nufft1
    >>> x = np.asarray([0.0, 1.0, 2.5])
    >>> nufft1(3, np.asarray([1.0, 2.0, -1.0]), x).round(6)
    array([2.881748-1.08447j, 2.      +0.j     , 2.881748+1.08447j])
    """
    given = several(output_shape)
    sizes = tuple(_size("nufft1", n) for n in given)
    if len(sizes) != len(points):
        raise ShapeError(
            f"nufft1: as many sizes in output_shape as arrays of points were expected, got "
            f"{len(sizes)} and {len(points)}. {_PAGE}"
        )
    sign, eps = _checked("nufft1", iflag, eps)
    source, located = _numbers("nufft1", source, points)
    kept, c, x, _ = _grouped("nufft1", source, located, 1)
    out = _nothing(c, sizes) if 0 in (*c.shape, *x[0].shape) else _first(c, x, sizes, sign, eps)
    return array_namespace(out).reshape(out, (*kept, *sizes))


@public
def nufft2(source: Any, *points: Any, iflag: int = -1, eps: float = 1e-6) -> Any:
    """Evaluate Fourier series at any points: transforms of type 2.

    Parameters
    ----------
    source : array, shape (..., n1), (..., n1, n2) or (..., n1, n2, n3)
        The coefficients, real or complex, of as many dimensions as there are arrays of points. The
        modes of a dimension are ``-(n // 2), ..., (n - 1) // 2``.
    *points : array, shape (..., m)
        For each of one to three dimensions, the points' coordinates in radians, as for `nufft1`.
        Leading dimensions broadcast with those of `source`.
    iflag : int, optional
        The sign in the exponent: 1 or -1.
    eps : float, optional
        The error wanted, relative in the norm of the result, as for `nufft1`.

    Returns
    -------
    array, shape (..., m)
        Complex numbers ``c[j] = sum_k source[k] exp(iflag i k . x[j])``, of the precision of the
        arguments.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError, ExtensionMissing
        As for `nufft1`.

    Notes
    -----
    The steps of `nufft1` in reverse order: it is that transform's adjoint, if the signs are
    opposite. Differentiable in coefficients and points. A point that is not finite gets NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import nufft2
    >>> nufft2(np.asarray([0.5, 0.0, 0.5]), np.asarray([0.0, np.pi / 3])).round(6)
    array([1. +0.j, 0.5+0.j])
    """
    sign, eps = _checked("nufft2", iflag, eps)
    source, located = _numbers("nufft2", source, points)
    kept, f, x, _ = _grouped("nufft2", source, located, len(points))
    if 0 in (*f.shape, *x[0].shape):
        out = _nothing(f, x[0].shape[-1:])
    else:
        out = _second(f, x, sign, eps)
    return array_namespace(out).reshape(out, (*kept, x[0].shape[-1]))


@public
def nufft3(
    source: Any, *points: Any, iflag: int = -1, eps: float = 1e-6, bandwidth: Any = None
) -> Any:
    """Compute Fourier sums of strengths at any points for any frequencies: transforms of type 3.

    Parameters
    ----------
    source : array, shape (..., m)
        The strength of each point, real or complex.
    *points : array, shape (..., m), as many of shape (..., n)
        The points' coordinates in each of one to three dimensions, then the frequencies in each;
        any real numbers. Leading dimensions broadcast with those of `source`.
    iflag : int, optional
        The sign in the exponent: 1 or -1.
    eps : float, optional
        The error wanted, relative in the norm of the result, as for `nufft1`.
    bandwidth : float or sequence of float, optional
        For each dimension, a number not below the width of the interval in which the points lie,
        times that of the frequencies. Default: the product. Required for many points where values
        can't be read, as under `jit`.

    Returns
    -------
    array, shape (..., n)
        Complex numbers ``f[k] = sum_j source[j] exp(iflag i s[k] . x[j])``, of the precision of the
        arguments; NaN if `bandwidth` is too small.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError, ExtensionMissing
        As for `nufft1`. `ArgumentError` also where `bandwidth` is required, or isn't positive.

    Notes
    -----
    Strengths are spread to a grid, whose values are the coefficients of a transform of type 2:
    J.-Y. Lee and L. Greengard, J. Comput. Phys. 206, 1 (2005). The grid has some ``bandwidth / pi``
    steps in each dimension; where it has more than there are pairs of points and frequencies, all
    pairs are summed. By default one number of each dimension is read from the device.
    Differentiable in strengths, points and frequencies.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import nufft3
    >>> x, s = np.asarray([0.0, 0.5]), np.asarray([0.0, np.pi, 7.0])
    >>> nufft3(np.asarray([1.0, 2.0]), x, s).round(6)
    array([ 3.      +0.j      ,  1.      -2.j      , -0.872913+0.701566j])
    """
    sign, eps = _checked("nufft3", iflag, eps)
    if len(points) % 2:
        raise ShapeError(
            f"nufft3: as many arrays of frequencies as of points were expected, got {len(points)} "
            "in all. Give the points of each dimension first, then the frequencies of each"
        )
    source, located = _numbers("nufft3", source, points, 2)
    d = len(points) // 2
    kept, c, x, s = _grouped("nufft3", source, located[:d], 1, located[d:])
    given = _widths(bandwidth, d)
    if 0 in (*c.shape, *x[0].shape, *s[0].shape):
        out = _nothing(c, s[0].shape[-1:])
    else:
        with quiet(c):
            out = _third(c, x, s, sign, eps, given)
    return array_namespace(out).reshape(out, (*kept, s[0].shape[-1]))


# -- checks ----------------------------------------------------------------------------------------


def _size(function: str, n: Any) -> int:
    if isinstance(n, bool) or not hasattr(n, "__index__") or n.__index__() < 1:
        raise ArgumentError(f"{function}: a size must be a positive integer, got {n!r}")
    return int(n.__index__())


def _checked(function: str, iflag: Any, eps: Any) -> tuple[int, float]:
    """Return the sign and the tolerance."""
    if not hasattr(iflag, "__index__") or iflag.__index__() not in (1, -1):
        raise ArgumentError(f"{function}: iflag must be 1 or -1, got {iflag!r}")
    if isinstance(eps, str) or not hasattr(eps, "__float__") or not 0 < float(eps) < 1:
        raise ArgumentError(f"{function}: eps must be a number between 0 and 1, got {eps!r}")
    return int(iflag.__index__()), float(eps)


def _widths(bandwidth: Any, d: int) -> tuple[float, ...] | None:
    """Return bounds of the products of widths, of each dimension."""
    if bandwidth is None:
        return None
    given = several(bandwidth)
    given = given * d if len(given) == 1 else given
    if len(given) != d or not all(hasattr(n, "__float__") and float(n) > 0 for n in given):
        raise ArgumentError(
            f"nufft3: bandwidth must be a positive number, or one for each of {d} dimensions, got "
            f"{bandwidth!r}"
        )
    return tuple(map(float, given))


def _numbers(function: str, source: Any, points: Any, each: int = 1) -> tuple[Any, list[Any]]:
    """Return complex strengths and real points of one precision."""
    if not 1 <= len(points) // each <= 3:
        raise ShapeError(
            f"{function}: points of one to three dimensions were expected, got {len(points)} "
            f"arrays. {_PAGE}"
        )
    xp, names = array_namespace(source, *points), ["source"]
    for axis, x in enumerate(points):
        names.append(f"points[{axis}]")
        if hasattr(x, "dtype") and _plan.is_complex(xp, x.dtype):
            raise DtypeError(
                f"{function}: {names[-1]} must hold real numbers, got {x.dtype}. Give its real part"
            )
    source, *rest = _plan.common_floating(function, xp, names, source, *points)
    xp = array_namespace(source, *rest)
    _plan.extension(function, xp, "fft")
    rest = [xp.real(x) if _plan.is_complex(xp, x.dtype) else x for x in rest]
    return as_complex(xp, source), rest


def _grouped(
    function: str, source: Any, points: list[Any], own: int, others: Any = ()
) -> tuple[tuple[int, ...], Any, list[Any], list[Any]]:
    """Return the leading shape, sources (b, t, ...), and points (b, m) that t of them share."""
    xp = array_namespace(source, *points)
    if source.ndim < own or any(x.ndim == 0 for x in (*points, *others)):
        raise ShapeError(
            f"{function}: source of at least {own} and points of at least 1 dimensions were "
            f"expected, got shapes {tuple(source.shape)} and {[tuple(x.shape) for x in points]}"
        )
    names = {f"points[{i}]": tuple(x.shape) for i, x in enumerate((*points, *others))}
    counts = [
        _plan.broadcast(function, **{k: v[-1:] for k, v in some})[0]
        for some in (list(names.items())[: len(points)], list(names.items())[len(points) :])
        if some
    ]
    if function != "nufft2" and source.shape[-1] != counts[0]:
        raise ShapeError(
            f"{function}: source and points must have as many elements along the last axis, got "
            f"{source.shape[-1]} and {counts[0]}"
        )
    ahead, tail = (tuple(source.shape[i]) for i in (slice(source.ndim - own), slice(-own, None)))
    its = _plan.broadcast(function, **{k: v[:-1] for k, v in names.items()})
    kept = _plan.broadcast(function, source=ahead, points=its)
    its = (1,) * (len(kept) - len(its)) + its
    cut = max((i + 1 for i, n in enumerate(its) if n != 1), default=0)
    b, t = math.prod(kept[:cut]), math.prod(kept[cut:])
    if ahead != kept:
        source = xp.broadcast_to(source, (*kept, *tail))

    def located(x: Any, count: int) -> Any:
        if tuple(x.shape) == (b, count):
            return x
        shape = (1,) * (len(kept) + 1 - x.ndim) + tuple(x.shape)
        x = xp.reshape(x, (*shape[:cut], shape[-1]))
        return xp.reshape(xp.broadcast_to(x, (*kept[:cut], count)), (b, count))

    first = [located(x, counts[0]) for x in points]
    second = [located(x, counts[-1]) for x in others]
    return kept, xp.reshape(source, (b, t, *tail)), first, second


def _nothing(source: Any, sizes: tuple[int, ...]) -> Any:
    xp = array_namespace(source)
    return xp.zeros((*source.shape[:2], *sizes), dtype=source.dtype, device=device(source))


# -- the transforms --------------------------------------------------------------------------------


def _width(xp: Any, dtype: Any, eps: float) -> int:
    """Return the kernel's width in steps of the grid."""
    least = 3e-8 if dtype == xp.float32 else 1e-15
    return min(max(math.ceil(1 - math.log10(max(eps, least))), 2), _WIDEST)


def _directly(count: int, sizes: tuple[int, ...]) -> bool:
    """Tell if sums as they stand take less time."""
    return count * sum(sizes) <= _FEW and count * math.prod(sizes) <= 16 * _FEW


def _phases(xp: Any, points: Any, sizes: tuple[int, ...], sign: int) -> list[Any]:
    """Return exponentials (b, n, m) for each dimension."""
    out = []
    for x, n in zip(points, sizes, strict=True):
        k = xp.arange(-(n // 2), n - n // 2, dtype=x.dtype, device=device(x))
        angle = k[:, None] * x[:, None, :]
        out.append(_turned(xp, angle, sign))
    return out


def _first(c: Any, points: list[Any], sizes: tuple[int, ...], sign: int, eps: float) -> Any:
    with quiet(c):  # of points that are not finite
        return _typed1(c, *points, sizes, sign, eps)


def _second(f: Any, points: list[Any], sign: int, eps: float) -> Any:
    with quiet(f):
        return _typed2(f, *points, sign, eps)


def _many1(c: Any, *rest: Any) -> bool:
    """so many points and modes that they aren't summed as they stand."""
    return not _directly(c.shape[-1], rest[-3])


def _many2(f: Any, *rest: Any) -> bool:
    """so many points and modes that they aren't summed as they stand."""
    return not _directly(rest[0].shape[-1], tuple(f.shape[2:]))


@native(
    numpy="likewise._libs.numpy._nonuniform:first",
    torch="likewise._libs.numpy._nonuniform:first",
    when=_many1,
)
def _typed1(c: Any, *rest: Any) -> Any:
    """Return modes (b, t, *sizes) of strengths (b, t, m) at points (b, m)."""
    *points, sizes, sign, eps = rest
    xp, t = array_namespace(c, *points), c.shape[1]
    if _directly(c.shape[-1], sizes):
        phases = _phases(xp, points, sizes, sign)
        for phase in phases[:-1]:
            c = c[..., None, :] * phase[(slice(None), *(None,) * (c.ndim - 2), ...)]
        flat = xp.reshape(c, (c.shape[0], -1, c.shape[-1]))
        out = flat @ xp.matrix_transpose(phases[-1])
        return xp.reshape(out, (c.shape[0], t, *sizes))
    kernel, fine = _grid(xp, points[0].dtype, sizes, eps)
    grid = spread(kernel, xp.concat([xp.real(c), xp.imag(c)], axis=1), points, fine)
    f = grid[:, :t, ...] + 1j * grid[:, t:, ...]
    for axis in range(len(sizes) + 1, 1, -1):
        n = sizes[axis - 2]
        f = STEPS["ifft" if sign > 0 else "fft"](
            f, None, axis, "forward" if sign > 0 else "backward"
        )
        first, last = _part(f, axis, -(n // 2), None), _part(f, axis, 0, n - n // 2)
        f = xp.concat([first, last], axis=axis) if n > 1 else last
        f = f * _corrections(xp, kernel, points[0], n, fine[axis - 2], f.ndim - axis - 1)
    return f


@native(
    numpy="likewise._libs.numpy._nonuniform:second",
    torch="likewise._libs.numpy._nonuniform:second",
    when=_many2,
)
def _typed2(f: Any, *rest: Any) -> Any:
    """Return sums (b, t, m) of modes (b, t, ...) at points (b, m)."""
    *points, sign, eps = rest
    xp, t = array_namespace(f, *points), f.shape[1]
    sizes = tuple(f.shape[2:])
    if _directly(points[0].shape[-1], sizes):
        phases = _phases(xp, points, sizes, sign)
        flat = xp.reshape(f, (f.shape[0], -1, f.shape[-1]))
        out = xp.reshape(flat @ phases[-1], (*f.shape[:-1], -1))
        for phase in phases[-2::-1]:
            out = xp.sum(out * phase[(slice(None), *(None,) * (out.ndim - 3), ...)], axis=-2)
        return out
    kernel, fine = _grid(xp, points[0].dtype, sizes, eps)
    for axis in range(2, len(sizes) + 2):
        n, m = sizes[axis - 2], fine[axis - 2]
        f = f * _corrections(xp, kernel, points[0], n, m, f.ndim - axis - 1)
        shape = (*f.shape[:axis], m - n, *f.shape[axis + 1 :])
        gap = xp.zeros(shape, dtype=f.dtype, device=device(f))
        f = xp.concat([_part(f, axis, n // 2, None), gap, _part(f, axis, 0, n // 2)], axis=axis)
        f = STEPS["ifft" if sign > 0 else "fft"](
            f, None, axis, "forward" if sign > 0 else "backward"
        )
    found = gathered(kernel, xp.concat([xp.real(f), xp.imag(f)], axis=1), points)
    return found[:, :t, :] + 1j * found[:, t:, :]


def _third(c: Any, points: list[Any], targets: list[Any], sign: int, eps: float, given: Any) -> Any:
    """Return sums (b, t, n) of strengths (b, t, m) at points (b, m) for frequencies (b, n)."""
    xp, t = array_namespace(c, *points, *targets), c.shape[1]
    pairs = points[0].shape[-1] * targets[0].shape[-1]
    if pairs <= 2 * _FEW:
        return _summed(xp, c, points, targets, sign)
    spans = [(_span(xp, x), _span(xp, s)) for x, s in zip(points, targets, strict=True)]
    bounds = _bounds(xp, spans, points) if given is None else given
    kernel = Kernel(_width(xp, points[0].dtype, eps))
    if not math.prod(bounds) <= pairs * math.pi ** len(bounds):
        return _in_pieces(xp, c, points, targets, sign)
    sizes = tuple(
        next_fast_len(max(math.ceil(n / math.pi) + kernel.width + 1, 2 * kernel.width))
        for n in bounds
    )
    before, after, weight, places, turns = 0.0, 0.0, 1.0, [], []
    fits: Any = True
    for x, s, n, bound, ((x0, reach), (s0, band)) in zip(
        points, targets, sizes, bounds, spans, strict=True
    ):
        fits = fits & (4 * reach * band <= 1.000001 * bound)  # half of each width
        reach = xp.where(reach > 0, reach, xp.where(band > 0, 1 / band, 1.0))
        band = xp.maximum(band, 0.1 / reach)
        before, after = before + s0 * x, after + (s - s0) * x0
        places.append((x - x0) * (4 * band / n) + (n // 2) * (2 * math.pi / n))
        turns.append((s - s0) * (math.pi / 2 / band))
        weight = weight * kernel.correction(xp, turns[-1])
    c = c * _turned(xp, before, sign)[:, None, :]
    grid = spread(kernel, xp.concat([xp.real(c), xp.imag(c)], axis=1), places, sizes)
    out = _typed2(grid[:, :t, ...] + 1j * grid[:, t:, ...], *turns, sign, eps)
    out = out * (_turned(xp, after, sign) * weight)[:, None, :]
    return xp.where(fits[..., None], out, xp.full_like(out, xp.nan))


def _span(xp: Any, x: Any) -> tuple[Any, Any]:
    """Return the middle and half of the width of each row's numbers, (b, 1)."""
    x = stop_gradient(x)
    low, high = xp.min(x, axis=-1, keepdims=True), xp.max(x, axis=-1, keepdims=True)
    return (low + high) / 2, (high - low) / 2


def _bounds(xp: Any, spans: Any, points: Any) -> tuple[float, ...]:
    """Return the product of widths in each dimension, the largest of all rows."""
    products = [xp.max(4 * reach * band) for (_, reach), (_, band) in spans]
    try:
        found = [float(n) for n in products]  # likewise: ignore[LW203]: of constants, where it can
    except Exception as error:  # each library has its own, where it follows or compiles a call
        raise ArgumentError(
            "nufft3: bandwidth is needed, as the values of points can't be read to find the size "
            f"of a grid: they are a {describe(points[0])}. Give for each dimension a number not "
            "below the width of the points' interval times that of the frequencies"
        ) from error
    return tuple(n if math.isfinite(n) else 1.0 for n in found)


def _turned(xp: Any, angle: Any, sign: int) -> Any:
    return xp.cos(angle) + (1j * sign) * xp.sin(angle)


def _summed(xp: Any, c: Any, points: Any, targets: Any, sign: int) -> Any:
    angle = sum(x[:, :, None] * s[:, None, :] for x, s in zip(points, targets, strict=True))
    return c @ _turned(xp, angle, sign)


def _in_pieces(xp: Any, c: Any, points: Any, targets: Any, sign: int) -> Any:
    each = max(1, 8 * _FEW // points[0].shape[-1])
    cuts = [slice(i, i + each) for i in range(0, targets[0].shape[-1], each)]
    found = [_summed(xp, c, points, [s[:, i] for s in targets], sign) for i in cuts]
    return xp.concat(found, axis=-1)


def _grid(xp: Any, dtype: Any, sizes: Any, eps: float) -> tuple[Kernel, tuple[int, ...]]:
    """Return the kernel, and the sizes of the finer grid."""
    kernel = Kernel(_width(xp, dtype, eps))
    return kernel, tuple(next_fast_len(max(2 * n, 2 * kernel.width)) for n in sizes)


def _part(x: Any, axis: int, start: int, stop: Any) -> Any:
    return x[(*(slice(None),) * axis, slice(start, stop), ...)]


def _corrections(xp: Any, kernel: Kernel, like: Any, n: int, m: int, after: int) -> Any:
    k = xp.arange(-(n // 2), n - n // 2, dtype=like.dtype, device=device(like))
    return xp.reshape(kernel.correction(xp, k * (2 * math.pi / m)), (n,) + (1,) * after)
