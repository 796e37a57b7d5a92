"""Convolution and correlation."""

import math
import operator
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import Lines, Made, lines, native, public
from ..._typing import A, Numbers
from ...errors import ShapeError
from ...fft import next_fast_len
from ...missing._axes import as_given
from ...missing._convolution import extent
from ._convolution_costs import is_affordable, quickest, sums_are_quicker
from ._convolution_integers import (
    carried,
    digits,
    directly,
    is_integral,
    is_long,
    is_small,
    products,
    split,
)

__all__ = ["convolve", "correlate", "fftconvolve", "in_blocks"]

Mode = Literal["full", "same", "valid"]
Method = Literal["auto", "fft", "direct"]
_MODES = ("full", "same", "valid")
_METHODS = ("auto", "fft", "direct")
_WHOLE = ("bool", "integral")
_FEW = 4000  # products that cost less than the call of what sums them in standard functions


@public
def fftconvolve(in1: A, in2: A | Numbers, mode: Mode | str = "full", axes: Any = None) -> A:
    """Convolve two arrays by the fast Fourier transform.

    Parameters
    ----------
    in1, in2 : array
        Real or complex, of the same number of dimensions (with `axes`, the one with fewer gets
        leading dimensions of size 1).
    mode : {'full', 'same', 'valid'}, optional
        'full', n1 + n2 - 1 elements along a convolved axis; 'same', the central n1 of these;
        'valid', the abs(n1 - n2) + 1 elements that need no zero padding.
    axes : int or sequence of int, optional
        The axes to convolve along; the others broadcast. Default: all.

    Returns
    -------
    array
        The convolution, in the inputs' common floating dtype; of shape (0,) if one input is empty.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If the inputs are not numeric arrays of one library and device.
    ShapeError
        If numbers of dimensions differ without `axes`, sizes don't broadcast along the other axes,
        or, in mode 'valid', neither input is at least as large as the other along every axis (not
        counting axes along which one has a single element).
    ExtensionMissing
        If the namespace has no ``fft``; `convolve` then sums directly.

    Notes
    -----
    Uses the convolution theorem with zero padding to `likewise.fft.next_fast_len`, and real
    transforms for real inputs (W. H. Press et al., Numerical Recipes, 3rd ed., section 13.1). Takes
    O(n log n) operations and the memory of about three padded arrays. Errors are relative to the
    largest value of the result, and a NaN spreads along the convolved axes. Differentiable.
    Transform lengths are constants to a compiler, so torch.compile recompiles for each size.

    Differs from SciPy: integers become the library's default floating dtype; inputs of different
    numbers of dimensions are accepted with `axes`; in mode 'same' the other axes broadcast as in
    the other modes.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import fftconvolve
    >>> fftconvolve(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.5])).round(12) + 0.0
    array([0. , 1. , 2.5, 4. , 1.5])
    """
    xp = array_namespace(in1, in2)
    in1, in2, axes = plan_convolve("fftconvolve", xp, in1, in2, mode, axes)
    if axes is None:
        return degenerate(xp, in1, in2)
    _plan.extension("fftconvolve", xp, "fft")
    return _fftconvolve(in1, in2, mode, axes)


@public
def convolve(
    in1: A,
    in2: A | Numbers,
    mode: Mode | str = "full",
    method: Method | str = "auto",
    *,
    axes: Any = None,
) -> A:
    """Convolve two arrays, directly or by the fast Fourier transform.

    Parameters
    ----------
    in1, in2 : array
        As for `fftconvolve`; integers and booleans keep their dtype.
    mode : {'full', 'same', 'valid'}, optional
        As for `fftconvolve`.
    method : {'auto', 'fft', 'direct'}, optional
        'direct', sums of products; 'fft', as `fftconvolve`; 'auto', the faster one for these sizes
        according to measurements on each library. 'auto' also sums if SciPy would, if values are
        available and some are not finite, or if the namespace has no ``fft``.
    axes : int or sequence of int, optional
        The axes to convolve along; the others broadcast. Default: all.

    Returns
    -------
    array
        As from `fftconvolve`; if both inputs are integers or booleans, of their common dtype.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, ShapeError, ArgumentError, ExtensionMissing
        As for `fftconvolve`, and if there is no such method.

    Notes
    -----
    'direct' takes n1 n2 operations and keeps small values next to large ones exact; a NaN affects
    only the sums that contain it. So 'auto' sums non-finite values, unless that takes some seconds,
    and sums sequences if SciPy would, unless that takes a millisecond longer: SciPy's routine is
    faster than sums of standard functions. Differentiable.

    Both methods are exact for integers, modulo 2**bits if sums overflow: integers are split into
    digits of at most 16 bits, short enough for rounding to be safe, which are transformed. If the
    library has only single precision, long integers are summed. For booleans, an element says
    whether any product is true.

    Differs from SciPy: transforms of large integers are exact; integers with a floating array take
    its dtype; int64 with uint64, which have no common dtype, don't become float64; `axes`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import convolve
    >>> convolve(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.5]), mode="same")
    array([1. , 2.5, 4. ])
    """
    xp = array_namespace(in1, in2)
    return _either("convolve", xp, in1, in2, mode, method, axes)


@public
def correlate(
    in1: A,
    in2: A | Numbers,
    mode: Mode | str = "full",
    method: Method | str = "auto",
    *,
    axes: Any = None,
) -> A:
    """Cross-correlate two arrays: convolve the first with the reversed conjugate of the second.

    Parameters
    ----------
    in1, in2 : array
        As for `convolve`.
    mode : {'full', 'same', 'valid'}, optional
        As for `fftconvolve`; element 0 of 'full' belongs to the lag 1 - n2.
    method : {'auto', 'fft', 'direct'}, optional
        As for `convolve`.
    axes : int or sequence of int, optional
        The axes to correlate along; the others broadcast. Default: all.

    Returns
    -------
    array
        As from `convolve`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, ShapeError, ArgumentError, ExtensionMissing
        As for `convolve`.

    Notes
    -----
    ``z[k] = sum(in1[l] * conj(in2[l - k]))``; `correlation_lags` returns the lags. Cost,
    differentiability and differences from SciPy are those of `convolve`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import correlate
    >>> correlate(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.5]))
    array([0.5, 2. , 3.5, 3. , 0. ])
    """
    xp = array_namespace(in1, in2)
    return _either("correlate", xp, in1, in2, mode, method, axes)


def _either(function: str, xp: Any, in1: Any, in2: Any, mode: str, method: str, axes: Any) -> Any:
    _plan.choice(function, "method", method, _METHODS)
    in1, in2, axes = plan_convolve(function, xp, in1, in2, mode, axes, integers=True)
    if function == "correlate":
        in2 = _reversed(xp, in2, axes)
        if _plan.is_complex(xp, in2.dtype):
            in2 = xp.conj(in2)
    if axes is None:
        return degenerate(xp, in1, in2)
    way = quickest(xp, in1, in2, mode, axes) if method == "auto" else method
    if way == "fft":
        _plan.extension(function, xp, "fft")
    if method != "direct" and is_long(xp, in1, in2, axes):
        return _convolve_integers(in1, in2, mode, axes, way)
    if method == "auto" and way == "fft" and not is_integral(xp, in1.dtype):
        return _convolve_finite(in1, in2, mode, axes)
    return _by_way(in1, in2, mode, axes, way)


def in_blocks(in1: Any, in2: Any, mode: str, axes: Any, *rest: Any) -> Lines:
    """Return how convolution along axes, or along all, maps over blocks."""
    axes = axes if isinstance(axes, tuple) else range(in1.ndim)
    labels = lines(in1.ndim, *axes)
    shape = tuple(
        extent(n1, n2, mode)[1] if i in axes else max(n1, n2)
        for i, (n1, n2) in enumerate(zip(in1.shape, in2.shape, strict=True))
    )
    return Lines({0: labels, 1: labels}, Made(shape, labels, in1.dtype))


@native(blocks=in_blocks)
def _convolve_finite(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> Any:
    """Convolve by transforms; sum if values are available and not finite, because NaN spreads."""
    with quiet(in1):
        out = _fftconvolve(in1, in2, mode, axes)
    first = out[tuple(0 if a in axes else slice(None) for a in range(out.ndim))]
    if not is_concrete(out) or not is_affordable(in1, in2, mode, axes):
        return out
    xp = array_namespace(out)
    spoiled = not bool(xp.all(xp.isfinite(first)))  # likewise: host-scalar a flag
    return _by_way(in1, in2, mode, axes, "direct") if spoiled else out


@native(blocks=in_blocks)
def _convolve_integers(in1: Any, in2: Any, mode: str, axes: tuple[int, ...], way: str) -> Any:
    """Convolve long integers by one transform each if small, else by dtypes and sizes."""
    if is_small(in1, in2, axes):
        xp = array_namespace(in1, in2)
        if way == "fft" or quickest(xp, in1, in2, mode, axes, 1) == "fft":
            return _convolve_digits(in1, in2, mode, axes, 1)
    return _by_way(in1, in2, mode, axes, way)


def _by_way(in1: Any, in2: Any, mode: str, axes: tuple[int, ...], way: str) -> Any:
    if way == "routine":
        return _convolve_at_best(in1, in2, mode, "direct")
    if way == "fft":
        xp = array_namespace(in1, in2)
        if not is_integral(xp, in1.dtype):
            return _fftconvolve(in1, in2, mode, axes)
        count = digits(xp, in1, in2, axes)
        if count:
            return _convolve_digits(in1, in2, mode, axes, count)
    if len(axes) == in1.ndim:
        return _convolve(in1, in2, mode, "direct")
    return _convolve_along(in1, in2, mode, axes)


def _reversed(xp: Any, x: Any, axes: Any) -> Any:
    """Reverse axes; convert unsigned dtypes to signed ones, which every library can reverse."""
    if not xp.isdtype(x.dtype, "unsigned integer"):
        return xp.flip(x, axis=axes)
    signed = getattr(xp, f"int{xp.iinfo(x.dtype).bits}")
    return xp.astype(xp.flip(xp.astype(x, signed), axis=axes), x.dtype)


def plan_numbers(
    function: str, xp: Any, in1: Any, in2: Any, mode: str, integers: bool
) -> tuple[Any, Any]:
    """Return arrays of one dtype: floating, or integers or booleans if all are."""
    if mode not in _MODES:
        _plan.choice(function, "mode", mode, _MODES)
    common = _plan.common_numbers if integers else _plan.common_floating
    in1, in2 = common(function, xp, ("in1", "in2"), in1, in2)
    if integers and is_integral(xp, in1.dtype) and not _plan.is_dtype(xp, in1.dtype, _WHOLE):
        in1, in2 = _plan.common_floating(function, xp, ("in1", "in2"), in1, in2)  # refuses them
    return in1, in2


def plan_convolve(
    function: str, xp: Any, in1: Any, in2: Any, mode: str, axes: Any, integers: bool = False
) -> tuple[Any, Any, tuple[int, ...] | None]:
    """Return arrays of equally many dimensions, and the axes; None if there is nothing to sum."""
    in1, in2 = plan_numbers(function, xp, in1, in2, mode, integers)
    d1, d2 = in1.ndim, in2.ndim
    if d1 != d2:
        if axes is None:
            raise ShapeError(
                f"{function}: in1 and in2 must have equally many dimensions, but their shapes are "
                f"{tuple(in1.shape)} and {tuple(in2.shape)}. With axes=-1, say, they broadcast."
            )
        in1 = xp.reshape(in1, (1,) * (d2 - d1) + tuple(in1.shape))
        in2 = xp.reshape(in2, (1,) * (d1 - d2) + tuple(in2.shape))
    s1, s2 = in1.shape, in2.shape
    if axes is None:
        axes = tuple(range(d1))
    else:
        axes = _plan.axis_tuple(function, "axes", axes, len(s1))
        rest = [i for i in range(len(s1)) if i not in axes]
        if rest:
            _plan.broadcast(function, in1=[s1[i] for i in rest], in2=[s2[i] for i in rest])
    if mode == "valid" and not _nested([s1[a] for a in axes], [s2[a] for a in axes]):
        raise ShapeError(
            f"{function}: in mode 'valid' one input must be at least as large as the other along "
            f"every axis, but their shapes are {tuple(s1)} and {tuple(s2)} along axes {axes}"
        )
    if not axes or 0 in s1 or 0 in s2:
        return in1, in2, None
    return in1, in2, axes


def _nested(s1: list[int], s2: list[int]) -> bool:
    """Tell whether one input is no smaller than the other along every axis that is summed."""
    more = [n1 - n2 for n1, n2 in zip(s1, s2, strict=True) if n1 != 1 and n2 != 1]
    return all(d >= 0 for d in more) or all(d <= 0 for d in more)


def degenerate(xp: Any, in1: Any, in2: Any) -> Any:
    """Convolve scalars, and empty arrays, for which SciPy returns shape (0,)."""
    if in1.ndim == 0:
        one = (1,)
        out = directly(xp.reshape(in1, one), xp.reshape(in2, one), "full", (0,))
        return as_given(xp.reshape(out, ()))
    return xp.zeros((0,), dtype=in1.dtype, device=device(in1))


@native(blocks=in_blocks)
def _fftconvolve(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> Any:
    return by_transforms(in1, in2, mode, axes)


@native(blocks=in_blocks)
def _convolve_digits(in1: Any, in2: Any, mode: str, axes: tuple[int, ...], count: int) -> Any:
    """Convolve integers exactly by transforms of their digits."""
    axes = tuple(a + 1 for a in axes)
    out = by_transforms(split(in1, count), split(in2, count), mode, axes, products)
    return carried(out, in1.dtype)


def by_transforms(
    in1: Any, in2: Any, mode: str, axes: tuple[int, ...], times: Any = operator.mul
) -> Any:
    xp = array_namespace(in1, in2)
    fft, s1, s2 = xp.fft, in1.shape, in2.shape
    real = not _plan.is_complex(xp, in1.dtype)
    # Along an axis where one input has a single element, multiplication does.
    summed = [a for a in axes if s1[a] != 1 and s2[a] != 1]
    if len(summed) == 1:
        a = summed[0]
        n = next_fast_len(s1[a] + s2[a] - 1, real)
        to, back = (fft.rfft, fft.irfft) if real else (fft.fft, fft.ifft)
        out = back(times(to(in1, n=n, axis=a), to(in2, n=n, axis=a)), n=n, axis=a)
    elif summed:
        sizes = [next_fast_len(s1[a] + s2[a] - 1, real) for a in summed]
        to, back = (fft.rfftn, fft.irfftn) if real else (fft.fftn, fft.ifftn)
        spectrum = times(to(in1, s=sizes, axes=summed), to(in2, s=sizes, axes=summed))
        out = back(spectrum, s=sizes, axes=summed)
    else:
        out = times(in1, in2)
    index = [slice(None)] * len(s1)
    for a in axes:
        start, size = extent(s1[a], s2[a], mode)
        index[a] = slice(start, start + size)
    return out[tuple(index)]


def _has_routine(in1: Any, in2: Any, mode: str, method: str) -> bool:
    """a dtype that SciPy has: of booleans it refuses 'same' for a longer second input."""
    if mode != "same" or in1.shape[0] >= in2.shape[0]:
        return True
    return bool(in1.dtype != array_namespace(in1).bool)


def _few(in1: Any, in2: Any, mode: str, method: str) -> bool:
    """one dimension, or few numbers that SciPy has; of more its loop is slower than the body."""
    if in1.ndim == 1:
        return _has_routine(in1, in2, mode, method)
    if in1.dtype == array_namespace(in1).bool:
        return False
    more = [n1 - n2 for n1, n2 in zip(in1.shape, in2.shape, strict=True)]
    inside = mode != "valid" or min(more) >= 0 or max(more) <= 0
    return inside and math.prod(in1.shape) * math.prod(in2.shape) < _FEW


@native(
    numpy="scipy.signal:convolve",
    torch="scipy.signal:convolve",
    when=_few,
    blocks=in_blocks,
)
def _convolve(in1: Any, in2: Any, mode: str, method: str) -> Any:
    """Convolve directly along all axes; `method` is 'direct', for SciPy's signature."""
    return directly(in1, in2, mode, tuple(range(in1.ndim)))


@native(blocks=in_blocks)
def _convolve_along(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> Any:
    """Convolve directly along some axes."""
    return directly(in1, in2, mode, axes)


@native(
    numpy="scipy.signal:convolve",
    torch="scipy.signal:convolve",
    when=_has_routine,
    blocks=in_blocks,
)
def _convolve_at_best(in1: Any, in2: Any, mode: str, method: str) -> Any:
    """Convolve in one dimension by the routine if available; `method` is as for `_convolve`."""
    xp = array_namespace(in1, in2)
    if sums_are_quicker(xp, in1, in2, mode, (0,)):
        return directly(in1, in2, mode, (0,))
    if is_integral(xp, in1.dtype):
        return _convolve_digits(in1, in2, mode, (0,), digits(xp, in1, in2, (0,)))
    return _fftconvolve(in1, in2, mode, (0,))
