"""Convolution and correlation."""

import math
from typing import Any, Literal

from .. import _plan
from .._namespace import array_namespace, device, hooks_of
from .._native import native, public
from .._typing import A, Numbers
from ..errors import ShapeError
from ..fft import next_fast_len
from ..missing._convolution import extent, sums

__all__ = ["convolve", "correlate", "fftconvolve"]

Mode = Literal["full", "same", "valid"]
Method = Literal["auto", "fft", "direct"]
_MODES = ("full", "same", "valid")
_METHODS = ("auto", "fft", "direct")


@public
def fftconvolve(in1: A, in2: A | Numbers, mode: Mode | str = "full", axes: Any = None) -> A:
    """Convolve two arrays by the fast Fourier transform.

    Parameters
    ----------
    in1, in2 : array
        Real or complex, of the same number of dimensions (with `axes`, the one with fewer gets
        leading dimensions of size 1).
    mode : {'full', 'same', 'valid'}, optional
        'full', n1 + n2 - 1 elements along a convolved axis; 'same', the n1 elements at the centre
        of that; 'valid', the abs(n1 - n2) + 1 elements that need no zero padding.
    axes : int or sequence of int, optional
        The axes to convolve along; the others broadcast. Default: all.

    Returns
    -------
    array
        Of the inputs' library, device and common floating dtype; of shape (0,) if one is empty.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        If the inputs are not arrays of numbers, of one library, on one device.
    ShapeError
        If numbers of dimensions differ without `axes`, sizes don't broadcast along the other axes,
        or, in mode 'valid', neither input is at least as large as the other along every axis (an
        axis along which one has a single element counts for neither).
    ExtensionMissing
        If the namespace has no ``fft``; `convolve` then takes the direct way by itself.

    Notes
    -----
    Zero padding to `likewise.fft.next_fast_len` and the convolution theorem, of real transforms
    for real inputs (W. H. Press et al., Numerical Recipes, 3rd ed., section 13.1). O(n log n)
    operations, memory of some three padded arrays. Errors are relative to the largest value of
    the result, and a NaN anywhere spreads along the axes. Differentiable. Transform lengths are
    numbers to a compiler: torch.compile compiles anew for each size.

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
    in1, in2, axes = _plan_convolve("fftconvolve", xp, in1, in2, mode, axes)
    if axes is None:
        return _degenerate(xp, in1, in2)
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
        As for `fftconvolve`.
    mode : {'full', 'same', 'valid'}, optional
        As for `fftconvolve`.
    method : {'auto', 'fft', 'direct'}, optional
        'direct', sums of products; 'fft', as `fftconvolve`; 'auto', what should be faster for
        these sizes, by what was measured on each library, and the direct way where the namespace
        has no ``fft``.
    axes : int or sequence of int, optional
        The axes to convolve along; the others broadcast. Default: all.

    Returns
    -------
    array
        As from `fftconvolve`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, ShapeError, ArgumentError, ExtensionMissing
        As for `fftconvolve`, and for a method that isn't offered.

    Notes
    -----
    The direct way costs n1 n2 operations and keeps small values next to large ones exact; a NaN
    reaches only the results it is part of. Differentiable.

    Differs from SciPy: integers become the library's default floating dtype; `axes`.

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
        As for `fftconvolve`.
    mode : {'full', 'same', 'valid'}, optional
        As for `fftconvolve`; element 0 of 'full' belongs to the lag 1 - n2.
    method : {'auto', 'fft', 'direct'}, optional
        As for `convolve`.
    axes : int or sequence of int, optional
        The axes to correlate along; the others broadcast. Default: all.

    Returns
    -------
    array
        As from `fftconvolve`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, ShapeError, ArgumentError, ExtensionMissing
        As for `convolve`.

    Notes
    -----
    ``z[k] = sum(in1[l] * conj(in2[l - k]))``. Cost and differentiability as for `convolve`.

    Differs from SciPy: integers become the library's default floating dtype; `axes`.

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
    in1, in2, axes = _plan_convolve(function, xp, in1, in2, mode, axes)
    if function == "correlate":
        in2 = xp.flip(in2, axis=axes)
        if _plan.is_complex(xp, in2.dtype):
            in2 = xp.conj(in2)
    if axes is None:
        return _degenerate(xp, in1, in2)
    if method == "auto":
        if _routine_is_faster(in1, in2, mode, axes):
            return _convolve_at_best(in1, in2, mode, "direct")
        method = "direct" if _sums_are_faster(xp, in1, in2, mode, axes) else "fft"
    if method == "fft":
        _plan.extension(function, xp, "fft")
        return _fftconvolve(in1, in2, mode, axes)
    if len(axes) == in1.ndim:
        return _convolve(in1, in2, mode, "direct")
    return _convolve_along(in1, in2, mode, axes)


def _plan_convolve(
    function: str, xp: Any, in1: Any, in2: Any, mode: str, axes: Any
) -> tuple[Any, Any, tuple[int, ...] | None]:
    """Floating arrays of equally many dimensions, and the axes; None if there is nothing to sum."""
    if mode not in _MODES:
        _plan.choice(function, "mode", mode, _MODES)
    in1, in2 = _plan.common_floating(function, xp, ("in1", "in2"), in1, in2)
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


def _degenerate(xp: Any, in1: Any, in2: Any) -> Any:
    """Scalars, and empty arrays, for which SciPy returns shape (0,)."""
    if in1.ndim == 0:
        return xp.asarray(in1 * in2)  # NumPy makes scalars of it
    return xp.zeros((0,), dtype=in1.dtype, device=device(in1))


@native()
def _fftconvolve(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> Any:
    xp = array_namespace(in1, in2)
    fft, s1, s2 = xp.fft, in1.shape, in2.shape
    real = not _plan.is_complex(xp, in1.dtype)
    # Along an axis where one input has a single element, multiplication does.
    summed = [a for a in axes if s1[a] != 1 and s2[a] != 1]
    if len(summed) == 1:
        a = summed[0]
        n = next_fast_len(s1[a] + s2[a] - 1, real)
        to, back = (fft.rfft, fft.irfft) if real else (fft.fft, fft.ifft)
        out = back(to(in1, n=n, axis=a) * to(in2, n=n, axis=a), n=n, axis=a)
    elif summed:
        sizes = [next_fast_len(s1[a] + s2[a] - 1, real) for a in summed]
        to, back = (fft.rfftn, fft.irfftn) if real else (fft.fftn, fft.ifftn)
        spectrum = to(in1, s=sizes, axes=summed) * to(in2, s=sizes, axes=summed)
        out = back(spectrum, s=sizes, axes=summed)
    else:
        out = in1 * in2
    index = [slice(None)] * len(s1)
    for a in axes:
        start, size = extent(s1[a], s2[a], mode)
        index[a] = slice(start, start + size)
    return out[tuple(index)]


def _one_dimension(in1: Any, in2: Any, mode: str, method: str) -> bool:
    """one dimension; with more, SciPy's loop is slower than the generic body."""
    return bool(in1.ndim == 1)


@native(numpy="scipy.signal:convolve", torch="scipy.signal:convolve", when=_one_dimension)
def _convolve(in1: Any, in2: Any, mode: str, method: str) -> Any:
    """The direct way along all axes; `method` is 'direct', there for SciPy's signature."""
    return sums(in1, in2, mode, tuple(range(in1.ndim)))


@native()
def _convolve_along(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> Any:
    """The direct way along some axes."""
    return sums(in1, in2, mode, axes)


@native(numpy="scipy.signal:convolve", torch="scipy.signal:convolve")
def _convolve_at_best(in1: Any, in2: Any, mode: str, method: str) -> Any:
    """Convolve in one dimension by the routine if it is there; `method` is as for `_convolve`."""
    xp = array_namespace(in1, in2)
    if _sums_are_faster(xp, in1, in2, mode, (0,)):
        return sums(in1, in2, mode, (0,))
    return _fftconvolve(in1, in2, mode, (0,))


def _routine_is_faster(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> bool:
    """By sizes alone, and by what `ci/bench --only convolve` measured on the library."""
    costs = hooks_of(in1).convolution
    if in1.ndim > 1 or "routine" not in costs:
        return False
    way, (n1,), (n2,) = costs["routine"], in1.shape, in2.shape
    # Of short sequences the sums cost less than the call of a transform alone.
    if way[0] + ((n1 + n2) * way[1] + n1 * n2 * way[2]) / 1e3 < costs["fft"][0]:
        return True
    return _cheaper(way, costs["fft"], (n1,), (n2,), mode, axes)


def _sums_are_faster(xp: Any, in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> bool:
    """By sizes, too."""
    costs = hooks_of(in1).convolution
    return not hasattr(xp, "fft") or _cheaper(
        costs["sums"], costs["fft"], tuple(in1.shape), tuple(in2.shape), mode, axes
    )


def _cheaper(
    direct: tuple[float, ...],
    fft: tuple[float, ...],
    s1: tuple[int, ...],
    s2: tuple[int, ...],
    mode: str,
    axes: tuple[int, ...],
) -> bool:
    """Tell whether the direct way costs less than the transforms, in microseconds."""
    rest = math.prod([max(s1[a], s2[a]) for a in range(len(s1)) if a not in axes])
    pairs = [(s1[a], s2[a]) for a in axes]
    points = math.prod([n1 + n2 - 1 for n1, n2 in pairs]) * rest
    results = math.prod([extent(n1, n2, mode)[1] for n1, n2 in pairs])
    products = math.prod([n1 * n2 for n1, n2 in pairs])
    if mode != "full":
        products = min(products, results * math.prod([min(n1, n2) for n1, n2 in pairs]))
    products *= rest
    call, result, product, many, few = direct
    cost = call + (results * rest * result + products * (product if products < few else many)) / 1e3
    call, step, many, few = fft
    steps = points * math.log2(max(points / rest, 1))
    return cost < call + steps * (step if points < few else many) / 1e3
