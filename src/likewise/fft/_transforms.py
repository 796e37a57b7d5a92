"""The transforms of the array API standard's extension, on any array, with NumPy's arguments."""

from collections.abc import Sequence
from typing import Any, Literal

from .. import _plan
from .._creation import target
from .._creation import xp as default
from .._dtypes import default_floating
from .._namespace import array_namespace
from .._namespace import device as device_of
from .._native import Lines, along, native, public
from .._typing import A
from ..errors import ArgumentError, DtypeError, ShapeError
from ._steps import STEPS, as_complex

__all__ = [
    "axes_of",
    "fft",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfftn",
    "lengths_of",
    "over",
    "rfft",
    "rfftfreq",
    "rfftn",
    "several",
]

Norm = Literal["backward", "ortho", "forward"]
_NORMS = ("backward", "ortho", "forward")
# Of real numbers; of the last axis, the first half.
_HALVED = ("rfft", "rfft2", "rfftn", "ihfft", "ihfft2", "ihfftn")
_DOUBLED = ("irfft", "irfft2", "irfftn", "hfft", "hfft2", "hfftn")
_SEVERAL = ("n", "2")  # ends of the names of those along several axes


# -- what all transforms check ---------------------------------------------------------------------


def _numbers(function: str, x: Any) -> tuple[Any, Any, Any]:
    """Namespace, extension and numbers of the kind that a transform takes."""
    xp = array_namespace(x)
    array: Any
    real = function in _HALVED
    if real and hasattr(x, "dtype") and _plan.is_complex(xp, x.dtype):
        raise DtypeError(
            f"{function}: x must hold real numbers, got an array of {x.dtype}. For complex ones "
            f"take {function.replace('ih', 'i') if function[0] == 'i' else function[1:]}."
        )
    (array,) = _plan.common_floating(function, xp, ("x",), x, real=real)
    return xp, _plan.extension(function, xp, "fft"), array


def axes_of(function: str, axes: Any, ndim: int, count: int | None) -> tuple[int, ...]:
    """Distinct axes in the order given; by default the last ones, or all."""
    if axes is None:
        if count is not None and count > ndim:
            raise ShapeError(
                f"{function}: got {count} sizes in s for an array of {ndim} dimensions"
            )
        return tuple(range(0 if count is None else ndim - count, ndim))
    given = several(axes)
    if given:
        _plan.axis_tuple(function, "axes", given, ndim)
    if count is not None and count != len(given):
        raise ArgumentError(
            f"{function}: as many sizes as axes were expected, got {count} for {axes!r}"
        )
    return tuple(a.__index__() % ndim for a in given)


def several(given: Any) -> tuple[Any, ...]:
    """Return a sequence, an array, or one thing as a tuple."""
    if hasattr(given, "tolist"):
        given = given.tolist()
    return tuple(given) if isinstance(given, tuple | list) else (given,)


def _size(function: str, name: str, n: Any) -> int:
    if isinstance(n, bool) or not hasattr(n, "__index__") or n.__index__() < 1:
        raise ArgumentError(f"{function}: {name} must be a positive integer, got {n!r}")
    return int(n.__index__())


def lengths_of(function: str, shape: Any, axes: tuple[int, ...], s: Any) -> list[int]:
    """The length of the transform along each axis."""
    out = []
    for place, axis in enumerate(axes):
        n, given = shape[axis], None if s is None else s[place]
        if given is None or (function.endswith(_SEVERAL) and given == -1):
            if given is None and place == len(axes) - 1 and function in _DOUBLED:
                # From one sample SciPy makes one along several axes, and none along a single axis.
                n = 1 if n == 1 and function.endswith(_SEVERAL) else 2 * (n - 1)
            if n < 1:
                raise ShapeError(
                    f"{function}: got {shape[axis]} elements along axis {axis}, too few for a "
                    "transform; give a length"
                )
        else:
            n = _size(function, "s" if function.endswith(_SEVERAL) else "n", given)
        out.append(n)
    return out


def _transformed(
    function: str, found: tuple[Any, Any, Any], s: Any, axes: tuple[int, ...], norm: Any
) -> Any:
    if norm is not None:
        _plan.choice(function, "norm", norm, _NORMS)
    xp, _, array = found
    lengths = lengths_of(function, array.shape, axes, s)
    if 0 in array.shape:
        return _of_nothing(xp, function, array, axes, lengths)
    if not axes:
        return as_complex(xp, array)
    norm = norm or "backward"
    if not function.endswith(_SEVERAL):
        return STEPS[function](array, None if s is None else lengths[0], axes[0], norm)
    usual = s is None and (function not in _DOUBLED or array.shape[axes[-1]] > 1)
    sizes = None if usual else tuple(lengths)
    return STEPS[function.replace("2", "n")](array, sizes, axes, norm)


def _of_nothing(xp: Any, function: str, x: Any, axes: Any, lengths: list[int]) -> Any:
    """Zeros of the shape of the result, for no elements, or for padding alone."""
    shape = list(x.shape)
    for axis, n in zip(axes, lengths, strict=True):
        shape[axis] = n
    if axes and function in _HALVED:
        shape[axes[-1]] = lengths[-1] // 2 + 1
    single = x.dtype in (xp.float32, xp.complex64)
    if function in _DOUBLED:
        dtype = xp.float32 if single else xp.float64
    else:
        dtype = xp.complex64 if single else xp.complex128
    return xp.zeros(tuple(shape), dtype=dtype, device=device_of(x))


def _along(function: str, x: Any, n: Any, axis: Any, norm: Any) -> Any:
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise ArgumentError(f"{function}: axis must be one integer, got {axis!r}")
    found = _numbers(function, x)
    axes = _plan.axis_tuple(function, "axis", axis, found[2].ndim)
    return _transformed(function, found, None if n is None else (n,), axes, norm)


def over(function: str, x: Any, s: Any, axes: Any, norm: Any) -> Any:
    s = None if s is None else several(s)
    found = _numbers(function, x)
    numbers = axes_of(function, axes, found[2].ndim, None if s is None else len(s))
    if not numbers and function in (*_HALVED, *_DOUBLED):
        raise ArgumentError(f"{function}: at least one axis was expected, got {axes!r}")
    return _transformed(function, found, s, numbers, norm)


# -- along one axis --------------------------------------------------------------------------------


@public
def fft(
    x: A,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the discrete Fourier transform along an axis.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    n : int, optional
        The length of the transform: longer input is cropped, shorter input
        padded with zeros. Default: that of the axis.
    axis : int, optional
        The axis.
    norm : {'backward', 'ortho', 'forward'}, optional
        'backward': the inverse is divided by n; 'forward': the transform is; 'ortho': both are
        divided by the square root of n. Default: 'backward'.
    overwrite_x, workers : optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array, shape (..., n, ...)
        Of complex numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    ArgumentError
        If `n` isn't a positive integer, or there is no such `norm`.
    ShapeError
        If there is no such axis, or it has no elements and no length is given.
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    The library's own transform; on NumPy, SciPy's. O(n log(n)) operations. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import fft
    >>> fft(np.asarray([1.0, 0.0, -1.0, 0.0])).real
    array([0., 2., 0., 2.])
    """
    return _along("fft", x, n, axis, norm)


@public
def ifft(
    x: A,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the inverse of `fft`.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    n, axis, norm, overwrite_x, workers : optional
        As for `fft`.

    Returns
    -------
    array, shape (..., n, ...)
        Of complex numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `fft`.

    Notes
    -----
    As for `fft`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import ifft
    >>> ifft(np.asarray([0.0, 2.0, 0.0, 2.0])).real
    array([ 1.,  0., -1.,  0.])
    """
    return _along("ifft", x, n, axis, norm)


@public
def rfft(
    x: A,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the first half of `fft` of real numbers; the second half is its conjugate.

    Parameters
    ----------
    x : array
        Of real numbers; integers become floating.
    n, axis, norm, overwrite_x, workers : optional
        As for `fft`.

    Returns
    -------
    array, shape (..., n // 2 + 1, ...)
        Of complex numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    DtypeError
        If `x` is complex.
    ArgumentError, ShapeError, ExtensionMissing
        As for `fft`.

    Notes
    -----
    As for `fft`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import rfft
    >>> rfft(np.asarray([1.0, 0.0, -1.0, 0.0])).real
    array([0., 2., 0.])
    """
    return _along("rfft", x, n, axis, norm)


@public
def irfft(
    x: A,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the inverse of `rfft`.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    n : int, optional
        The length of the transform. Default: 2 (m - 1), where the axis has m elements.
    axis, norm, overwrite_x, workers : optional
        As for `fft`.

    Returns
    -------
    array, shape (..., n, ...)
        Of real numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `fft`.

    Notes
    -----
    As for `fft`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import irfft
    >>> irfft(np.asarray([0.0, 2.0, 0.0]))
    array([ 1.,  0., -1.,  0.])
    """
    return _along("irfft", x, n, axis, norm)


@public
def hfft(
    x: A,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the real transform of a Hermitian array, given its first half.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    n : int, optional
        The length of the transform. Default: 2 (m - 1), where the axis has m elements.
    axis, norm, overwrite_x, workers : optional
        As for `fft`.

    Returns
    -------
    array, shape (..., n, ...)
        Of real numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `fft`.

    Notes
    -----
    As for `fft`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import hfft
    >>> hfft(np.asarray([1.0, 2.0, 3.0]))
    array([ 8., -2.,  0., -2.])
    """
    return _along("hfft", x, n, axis, norm)


@public
def ihfft(
    x: A,
    n: int | None = None,
    axis: int = -1,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the inverse of `hfft`.

    Parameters
    ----------
    x : array
        Of real numbers; integers become floating.
    n, axis, norm, overwrite_x, workers : optional
        As for `fft`.

    Returns
    -------
    array, shape (..., n // 2 + 1, ...)
        Of complex numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    DtypeError
        If `x` is complex.
    ArgumentError, ShapeError, ExtensionMissing
        As for `fft`.

    Notes
    -----
    As for `fft`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import ihfft
    >>> ihfft(np.asarray([8.0, -2.0, 0.0, -2.0])).real
    array([1., 2., 3.])
    """
    return _along("ihfft", x, n, axis, norm)


# -- along several axes ----------------------------------------------------------------------------


@public
def fftn(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the discrete Fourier transform along several axes.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    s : sequence of int, optional
        The lengths along the axes, -1 for an unchanged axis: longer axes are cropped, shorter
        ones padded with zeros.
    axes : sequence of int, optional
        The axes, distinct. Default: all, or the last ones if `s` is given.
    norm : {'backward', 'ortho', 'forward'}, optional
        As for `fft`, n being the number of all elements.
    overwrite_x, workers : optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array
        Of complex numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    ArgumentError
        If lengths aren't positive integers, axes are not distinct, the numbers of lengths and axes
        differ, or there is no such `norm`.
    ShapeError
        If there is no such axis, or one has no elements and no length is given.
    ExtensionMissing
        If the namespace has no ``fft``.

    Notes
    -----
    The library's own transform; on NumPy, SciPy's. O(n log(n)) operations. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import fftn
    >>> fftn(np.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    return over("fftn", x, s, axes, norm)


@public
def ifftn(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the inverse of `fftn`.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    s, axes, norm, overwrite_x, workers : optional
        As for `fftn`.

    Returns
    -------
    array
        Of complex numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `fftn`.

    Notes
    -----
    As for `fft`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import ifftn
    >>> ifftn(np.asarray([[4.0, 0.0], [0.0, 0.0]])).real
    array([[1., 1.],
           [1., 1.]])
    """
    return over("ifftn", x, s, axes, norm)


@public
def rfftn(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute `rfft` along the last of several axes, and `fft` along the others.

    Parameters
    ----------
    x : array
        Of real numbers; integers become floating.
    s, axes, norm, overwrite_x, workers : optional
        As for `fftn`.

    Returns
    -------
    array
        Of complex numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    DtypeError
        If `x` is complex.
    ArgumentError, ShapeError, ExtensionMissing
        As for `fftn`.

    Notes
    -----
    As for `fft`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import rfftn
    >>> rfftn(np.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    return over("rfftn", x, s, axes, norm)


@public
def irfftn(
    x: A,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | str | None = None,
    overwrite_x: bool = False,
    workers: int | None = None,
) -> A:
    """Compute the inverse of `rfftn`.

    Parameters
    ----------
    x : array
        Of real or complex numbers; integers become floating.
    s : sequence of int, optional
        The lengths along the axes. Default for the last axis: 2 (m - 1) for m > 1 elements, and 1
        for one.
    axes, norm, overwrite_x, workers : optional
        As for `fftn`.

    Returns
    -------
    array
        Of real numbers; float32 and complex64 stay in single precision.

    Raises
    ------
    ArgumentError, ShapeError, ExtensionMissing
        As for `fftn`.

    Notes
    -----
    As for `fft`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import irfftn
    >>> irfftn(np.asarray([[4.0, 0.0], [0.0, 0.0]]))
    array([[1., 1.],
           [1., 1.]])
    """
    return over("irfftn", x, s, axes, norm)


# -- frequencies -----------------------------------------------------------------------------------


def _frequencies(function: str, n: Any, d: Any, options: dict[str, Any]) -> Any:
    n = _size(function, "n", n)
    if not hasattr(d, "__float__") or not float(d):
        raise ArgumentError(f"{function}: d must be a number that isn't zero, got {d!r}")
    like, name, where = (options[k] for k in ("like", "namespace", "device"))
    if options["xp"] is not None:
        if like is not None or name is not None:
            raise ArgumentError(f"{function}: give one of xp, namespace and like, not several")
        like = options["xp"].empty(0, device=where)  # of the device's default dtype
    given = {k: v for k, v in options.items() if k in ("dtype", "device") and v is not None}
    if like is None and name is None:
        _plan.extension(function, default, "fft")
        return getattr(default.fft, function)(n, d=float(d), **given)
    xp, where = target(function, name, where, like)
    fft = _plan.extension(function, xp, "fft")
    dtype = options["dtype"]
    if dtype is None:
        dtype = default_floating(xp, where)
        if hasattr(like, "dtype") and xp.isdtype(like.dtype, "real floating"):
            dtype = like.dtype
        elif hasattr(like, "dtype") and _plan.is_complex(xp, like.dtype):
            dtype = xp.real(xp.empty(0, dtype=like.dtype)).dtype
    return getattr(fft, function)(n, d=float(d), dtype=dtype, device=where)


def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    xp: Any = None,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> Any:
    """Return the frequencies of `fft`, the negative ones last.

    Parameters
    ----------
    n : int
        The length of the transform.
    d : float, optional
        The distance between samples.
    xp : namespace, optional
        The namespace of the result's library, as SciPy's argument.
    dtype : dtype, optional
        A floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    array, shape (n,)
        Cycles per unit of `d`.

    Raises
    ------
    ArgumentError
        If `n` isn't a positive integer, `d` is zero, or two of `xp`, `like` and `namespace` are
        given.
    ExtensionMissing
        If the namespace has no ``fft``.

    Examples
    --------
    >>> from likewise.fft import fftfreq
    >>> fftfreq(4, 0.5)
    array([ 0. ,  0.5, -1. , -0.5])
    """
    options = {"xp": xp, "dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return _frequencies("fftfreq", n, d, options)


def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    xp: Any = None,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> Any:
    """Return the frequencies of `rfft`.

    Parameters
    ----------
    n, d, xp, dtype, device, namespace, like
        As for `fftfreq`.

    Returns
    -------
    array, shape (n // 2 + 1,)
        Cycles per unit of `d`.

    Raises
    ------
    ArgumentError, ExtensionMissing
        As for `fftfreq`.

    Examples
    --------
    >>> from likewise.fft import rfftfreq
    >>> rfftfreq(4, 0.5)
    array([0. , 0.5, 1. ])
    """
    options = {"xp": xp, "dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return _frequencies("rfftfreq", n, d, options)


def fftshift(x: A, axes: int | Sequence[int] | None = None) -> A:
    """Move frequency 0 from the first place to the middle.

    Parameters
    ----------
    x : array
        Of any dtype.
    axes : int or sequence of int, optional
        The axes, distinct. Default: all.

    Returns
    -------
    array
        Of the shape and dtype of `x`.

    Raises
    ------
    ShapeError
        If there is no such axis.

    Notes
    -----
    A roll; differentiable. Needs no extension.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import fftfreq, fftshift
    >>> fftshift(fftfreq(5)).round(1)
    array([-0.4, -0.2,  0. ,  0.2,  0.4])
    """
    return _rolled("fftshift", x, axes, 1)


def ifftshift(x: A, axes: int | Sequence[int] | None = None) -> A:
    """Move frequency 0 from the middle to the first place: undo `fftshift`.

    Parameters
    ----------
    x, axes
        As for `fftshift`.

    Returns
    -------
    array
        Of the shape and dtype of `x`.

    Raises
    ------
    ShapeError
        If there is no such axis.

    Notes
    -----
    As for `fftshift`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.fft import fftfreq, ifftshift
    >>> ifftshift(fftshift(fftfreq(5))).round(1)
    array([ 0. ,  0.2,  0.4, -0.4, -0.2])
    """
    return _rolled("ifftshift", x, axes, -1)


def _rolled(function: str, x: Any, axes: Any, sign: int) -> Any:
    xp = array_namespace(x)
    (array,) = _plan.common_numbers(function, xp, ("x",), x)
    found = axes_of(function, axes, array.ndim, None)
    if not found or 0 in array.shape:
        return array
    sizes = [array.shape[a] for a in found]
    shifts = tuple(n // 2 if sign > 0 else -(n // 2) for n in sizes)
    return _moved(array, shifts, found)


def _moved_in_blocks(x: Any, shifts: tuple[int, ...], axes: tuple[int, ...]) -> Lines:
    return along(x, axes)


@native(blocks=_moved_in_blocks)
def _moved(x: Any, shifts: tuple[int, ...], axes: tuple[int, ...]) -> Any:
    return array_namespace(x).roll(x, shifts, axis=axes)
