"""Convolution and correlation of images with boundary conditions."""

import math
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, describe, is_neutral
from ..._native import native, public
from ..._typing import A, Numbers
from ...errors import ArgumentError, ShapeError
from ...missing import pad
from ._convolution import plan_numbers
from ._convolution_integers import directly

__all__ = ["convolve2d", "correlate2d"]

Mode = Literal["full", "same", "valid"]
Boundary = Literal["fill", "wrap", "symm"]
_BOUNDARIES = ("fill", "wrap", "symm", "pad", "circular", "symmetric")
_PADDED = {  # as `pad` calls them
    **dict.fromkeys(("fill", "pad"), "constant"),
    **dict.fromkeys(("wrap", "circular"), "wrap"),
    **dict.fromkeys(("symm", "symmetric"), "symmetric"),
}


@public
def convolve2d(
    in1: A,
    in2: A | Numbers,
    mode: Mode | str = "full",
    boundary: Boundary | str = "fill",
    fillvalue: Any = 0,
) -> A:
    """Convolve two images directly, with a boundary condition for the first.

    Parameters
    ----------
    in1, in2 : array, shape (m, n) and (p, q)
        Images; integers and booleans keep their dtype.
    mode : {'full', 'same', 'valid'}, optional
        'full', (m + p - 1, n + q - 1) elements; 'same', the central (m, n) of these; 'valid', those
        that need no values beyond the edges of the larger image.
    boundary : {'fill', 'wrap', 'symm'}, optional
        Values beyond the edges of `in1`: `fillvalue`; the image repeated periodically; its mirror
        image. 'pad', 'circular' and 'symmetric' are other names of these.
    fillvalue : scalar, optional
        A number of the images' kind (real, complex, integer or bool).

    Returns
    -------
    array
        The convolution, in the common dtype; for booleans whether any product is true.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError
        As for `convolve`.
    ShapeError
        If an input doesn't have two dimensions, or is empty, or, in mode 'valid', neither is at
        least as large as the other along both axes.
    ArgumentError
        If there is no such mode or boundary, or `fillvalue` is no number of this kind.

    Notes
    -----
    At most m n p q operations; `convolve` is faster for large kernels. Integers are exact modulo
    2**bits. A NaN affects only the sums that contain it. Differentiable.

    Differs from SciPy: booleans are accepted, and empty images refused.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import convolve2d
    >>> convolve2d(np.asarray([[1, 2], [3, 4]]), np.ones((1, 3), dtype=int), "same", "symm")
    array([[ 4,  5],
           [10, 11]])
    """
    x, y, around, value = _plan_images("convolve2d", in1, in2, mode, boundary, fillvalue)
    return _convolve2d(x, y, mode, around, value)


@public
def correlate2d(
    in1: A,
    in2: A | Numbers,
    mode: Mode | str = "full",
    boundary: Boundary | str = "fill",
    fillvalue: Any = 0,
) -> A:
    """Cross-correlate two images directly, with a boundary condition for the first.

    Parameters
    ----------
    in1, in2, mode, boundary, fillvalue
        As for `convolve2d`.

    Returns
    -------
    array
        As from `convolve2d`.

    Raises
    ------
    ArrayTypeError, DtypeError, MixedDevicesError, ShapeError, ArgumentError
        As for `convolve2d`.

    Notes
    -----
    A convolution with the reversed conjugate of `in2`; for even sizes mode 'same' is centred one
    element later than in `correlate`, as in SciPy. Cost and differentiability as for `convolve2d`.

    Differs from SciPy: as `convolve2d`; in mode 'valid' with a larger `in2`, complex results are
    those of the definition, not their conjugates.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import correlate2d
    >>> correlate2d(np.asarray([[1, 2, 3], [4, 5, 6]]), np.asarray([[1, 10]]), "valid")
    array([[21, 32],
           [54, 65]])
    """
    x, y, around, value = _plan_images("correlate2d", in1, in2, mode, boundary, fillvalue)
    return _correlate2d(x, y, mode, around, value)


def _plan_images(
    function: str, in1: Any, in2: Any, mode: str, boundary: Any, fillvalue: Any
) -> tuple[Any, Any, str, Any]:
    _plan.choice(function, "boundary", boundary, _BOUNDARIES)
    xp = array_namespace(in1, in2)
    x, y = plan_numbers(function, xp, in1, in2, mode, integers=True)
    (m, n), (p, q) = (_two(function, name, z) for name, z in (("in1", x), ("in2", y)))
    if mode == "valid" and not ((m >= p and n >= q) or (m <= p and n <= q)):
        raise ShapeError(
            f"{function}: in mode 'valid' one input must be at least as large as the other along "
            f"both axes, but their shapes are {(m, n)} and {(p, q)}"
        )
    return x, y, boundary, _filling(function, xp, fillvalue, x.dtype) if boundary == "fill" else 0


def _two(function: str, name: str, x: Any) -> tuple[int, int]:
    if x.ndim != 2 or 0 in x.shape:
        raise ShapeError(
            f"{function}: {name} must have two dimensions and not be empty, got shape "
            f"{tuple(x.shape)}. For many images, likewise.vmap."
        )
    m, n = x.shape
    return m, n


def _filling(function: str, xp: Any, value: Any, dtype: Any) -> Any:
    """Return a number that the dtype holds."""
    if is_neutral(value) and hasattr(value, "item") and not value.shape:
        value = value.item()
    if isinstance(value, float) and value.is_integer() and not math.isinf(value):
        value = int(value) if xp.isdtype(dtype, ("integral", "bool")) else value
    kinds: tuple[type, ...] = (bool, int)
    if xp.isdtype(dtype, ("real floating", "complex floating")):
        kinds = (bool, int, float, complex) if _plan.is_complex(xp, dtype) else (bool, int, float)
    if not isinstance(value, kinds):
        raise ArgumentError(
            f"{function}: fillvalue must be one number that {dtype} holds, got {describe(value)}"
        )
    _plan.fits(function, "fillvalue", xp, value, dtype)
    return value


def _straight(in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any) -> bool:
    """numbers that SciPy has, and no complex images whose order changes."""
    if in1.dtype == array_namespace(in1).bool:
        return False
    swapped = in1.shape[0] < in2.shape[0] or in1.shape[1] < in2.shape[1]
    return mode != "valid" or not (swapped and _complex(in1))


def _complex(x: Any) -> bool:
    return _plan.is_complex(array_namespace(x), x.dtype)


@native(numpy="scipy.signal:convolve2d", torch="scipy.signal:convolve2d", when=_straight)
def _convolve2d(in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any) -> Any:
    early = tuple((n - 1) // 2 for n in in2.shape)
    return _slid(in1, in2, mode, boundary, fillvalue, early)


@native(numpy="scipy.signal:correlate2d", torch="scipy.signal:correlate2d", when=_straight)
def _correlate2d(in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any) -> Any:
    xp = array_namespace(in1, in2)
    kernel = xp.flip(xp.conj(in2) if _complex(in2) else in2)
    late = tuple(n // 2 for n in in2.shape)
    return _slid(in1, kernel, mode, boundary, fillvalue, late)


def _slid(
    in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any, centre: tuple[int, ...]
) -> Any:
    """Convolve, with the offset of the central part in the full result."""
    widths = tuple(
        {"full": (n - 1, n - 1), "same": (n - 1 - first, first), "valid": (0, 0)}[mode]
        for n, first in zip(in2.shape, centre, strict=True)
    )
    if mode == "valid" and (in1.shape[0] < in2.shape[0] or in1.shape[1] < in2.shape[1]):
        in1, in2 = in2, in1
    return _inside(in1, in2, widths, boundary, fillvalue)


def _in_zeros(in1: Any, in2: Any, widths: Any, boundary: str, fillvalue: Any) -> bool:
    """real floating numbers among zeros."""
    real = _plan.is_dtype(array_namespace(in1), in1.dtype, "real floating")
    return boundary == "fill" and fillvalue == 0 and real


@native(jax="likewise._libs.jax._natives:inside", when=_in_zeros)
def _inside(in1: Any, in2: Any, widths: Any, boundary: str, fillvalue: Any) -> Any:
    """Return the part of the convolution where the second array lies inside the padded first."""
    around = pad(in1, widths, _PADDED[boundary], constant_values=fillvalue)
    return directly(around, in2, "valid", (0, 1))
