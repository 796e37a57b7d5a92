"""Sums of products along axes, and direct convolution."""

import itertools
import math
from typing import Any, Literal

from .. import _plan
from .._namespace import array_namespace, device, is_concrete, quiet
from .._native import native, public
from .._typing import A, Numbers
from ..errors import ShapeError
from ._segments import index_dtype

__all__ = ["convolve", "extent", "sums"]

Mode = Literal["full", "same", "valid"]
_MODES = ("full", "same", "valid")
_FEW = 32  # elements of the shorter sequence that are taken one by one
_BLOCK = 1 << 21  # elements that are gathered at a time
_CACHED = 1 << 14  # of them where they are read again at once
_MANY = 256  # steps more than which take long to compile


@public
def convolve(a: A, v: A | Numbers, mode: Mode | str = "full") -> A:
    """Convolve two sequences.

    Parameters
    ----------
    a, v : array, shape (m,) and (n,)
        Of any dtype; a number is a sequence of one.
    mode : {'full', 'same', 'valid'}, optional
        'full': all m + n - 1 sums; 'same': the central max(m, n) of them; 'valid': the
        abs(m - n) + 1 sums in which the shorter sequence overlaps completely.

    Returns
    -------
    array
        Of the common dtype; for booleans, whether any of the products is true.

    Raises
    ------
    ShapeError
        If one is empty, or has several dimensions.
    ArgumentError
        If there is no such mode.

    Notes
    -----
    ``sum(a[i] * v[k - i])`` over the overlap, so a NaN or an infinity affects only the sums that
    contain it. m n operations; `likewise.signal.convolve` is faster for long sequences and
    convolves several axes. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import convolve
    >>> convolve(np.asarray([1, 2, 3]), np.asarray([0, 1, 2]))
    array([0, 1, 4, 7, 6])
    """
    xp = array_namespace(a, v)
    x, y = _plan.common_numbers("convolve", xp, ("a", "v"), a, v)
    _plan.choice("convolve", "mode", mode, _MODES)
    for name, z in (("a", x), ("v", y)):
        if z.ndim > 1 or 0 in z.shape:
            raise ShapeError(
                f"convolve: {name} must be a sequence that isn't empty, got shape {tuple(z.shape)}"
            )
    x, y = xp.reshape(x, (-1,)), xp.reshape(y, (-1,))
    if y.shape[0] > x.shape[0]:
        x, y = y, x
    if x.dtype == xp.bool:
        dtype = index_dtype(xp, device(x))
        return _convolve(xp.astype(x, dtype), xp.astype(y, dtype), mode) > 0
    return _convolve(x, y, mode)


@native(numpy="numpy:convolve", torch="numpy:convolve")
def _convolve(a: Any, v: Any, mode: str) -> Any:
    """Take the shorter sequence second; make no products with zeros where one ends."""
    xp = array_namespace(a)
    m, n = a.shape[0], v.shape[0]
    out = _shifted(a, v) if n <= _FEW else sums(a, v, "valid", (0,))
    if mode == "valid" or n == 1:
        return out
    first = _start(xp, a[: n - 1], v[: n - 1])
    last = xp.flip(_start(xp, xp.flip(a[m - n + 1 :]), xp.flip(v[1:])))
    start, size = extent(m, n, mode)
    return xp.concat([first, out, last])[start : start + size]


def _shifted(a: Any, v: Any) -> Any:
    """Sum where the shorter sequence overlaps completely; one pass if compiled."""
    n = v.shape[0]
    size = a.shape[0] - n + 1
    out = v[n - 1] * a[:size]
    for k in range(1, n):
        out = out + v[n - 1 - k] * a[k : k + size]
    return out


def _start(xp: Any, a: Any, v: Any) -> Any:
    """The first elements of a convolution, as many as either has."""
    n = a.shape[0]
    i = xp.arange(n, device=device(a))
    step = max(1, _BLOCK // n)
    parts = []
    for k in range(0, n, step):
        lag = i[k : min(k + step, n), None] - i[None, :]
        inside = lag >= 0
        lag = xp.reshape(xp.where(inside, lag, xp.zeros_like(lag)), (-1,))
        with quiet(a):
            products = xp.reshape(xp.take(v, lag, axis=0), inside.shape) * a[None, :]
        products = xp.where(inside, products, xp.zeros_like(products))
        parts.append(xp.sum(products, axis=-1, dtype=a.dtype))
    return xp.concat(parts)


def extent(n1: int, n2: int, mode: str) -> tuple[int, int]:
    """Start and size of a mode's part of the full convolution."""
    if mode == "full":
        return 0, n1 + n2 - 1
    if mode == "same":
        return (n2 - 1) // 2, n1
    return min(n1, n2) - 1, abs(n1 - n2) + 1


def sums(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> Any:
    """Sums of products: the smaller input, reversed, slides over the larger one, padded."""
    xp = array_namespace(in1, in2)
    last = tuple(range(-len(axes), 0))
    in1, in2 = xp.moveaxis(in1, axes, last), xp.moveaxis(in2, axes, last)
    extents = [extent(in1.shape[a], in2.shape[a], mode) for a in last]
    if math.prod([in2.shape[a] for a in last]) > math.prod([in1.shape[a] for a in last]):
        in1, in2 = in2, in1
    kernel = xp.flip(in2, axis=last)
    taps = [kernel.shape[a] for a in last]
    inside = None if _is_finite(xp, kernel) else xp.ones_like(in1)
    for a, n, (start, size) in zip(last, taps, extents, strict=True):
        in1 = _window_range(xp, in1, a, start - (n - 1), size + n - 1)
        if inside is not None:
            inside = _window_range(xp, inside, a, start - (n - 1), size + n - 1)
    *lead, width = taps
    length = extents[-1][1]
    batch = _plan.broadcast("convolve", in1=in1.shape[: last[0]], in2=kernel.shape[: last[0]])
    rows = math.prod(batch) * math.prod([size for _, size in extents])
    block = _BLOCK
    if xp.isdtype(in1.dtype, "integral") and math.prod(taps) <= _MANY:
        block = _CACHED  # whose products are summed by themselves, not by a matrix product
    step = max(1, min(width, block // max(rows, 1)))
    dims = (1,) * len(lead)
    out = None
    for offsets in itertools.product(*(range(n) for n in lead)):
        index = tuple(slice(o, o + size) for o, (_, size) in zip(offsets, extents, strict=False))
        part = in1[(..., *index, slice(None))]
        within = None if inside is None else inside[(..., *index, slice(None))]
        weights = kernel[(..., *offsets, slice(None))]
        for k in range(0, width, step):
            m = min(step, width - k)
            term = _windows(xp, part[..., k : k + length + m - 1], length, m)
            w = weights[..., k : k + m]
            w = xp.reshape(w, (*w.shape[:-1], *dims, m, 1))
            if within is None:
                term = _combined(xp, term, w)
            else:  # zero times what isn't finite is no zero
                real = _windows(xp, within[..., k : k + length + m - 1], length, m) != 0
                products = term * xp.matrix_transpose(w)
                term = xp.sum(xp.where(real, products, xp.zeros_like(products)), axis=-1)
            out = term if out is None else out + term
    return xp.moveaxis(out, last, axes)


def _is_finite(xp: Any, x: Any) -> bool:
    """Tell whether numbers are finite, or can't be read."""
    if xp.isdtype(x.dtype, ("integral", "bool")) or not is_concrete(x):
        return True
    return bool(xp.all(xp.isfinite(x)))  # likewise: host-scalar a flag, of the shorter one


def _combined(xp: Any, windows: Any, weights: Any) -> Any:
    """(..., length, m) and (..., m, 1) -> (..., length)."""
    if xp.isdtype(windows.dtype, "integral"):  # no library's matmul is sure to have them on a GPU
        products = windows * xp.matrix_transpose(weights)
        if products.shape[-1] == 1:
            return products[..., 0]
        return xp.sum(products, axis=-1, dtype=windows.dtype)
    return xp.matmul(windows, weights)[..., 0]


def _window_range(xp: Any, x: Any, axis: int, start: int, size: int) -> Any:
    """Elements start .. start + size - 1 along an axis, zeros outside."""
    n = x.shape[axis]
    index = [slice(None)] * x.ndim
    index[axis] = slice(max(start, 0), max(0, min(start + size, n)))
    x = x[tuple(index)]

    def zeros(count: int) -> list[Any]:
        shape = list(x.shape)
        shape[axis] = count
        return [xp.zeros(tuple(shape), dtype=x.dtype, device=device(x))] if count > 0 else []

    return xp.concat([*zeros(-start), x, *zeros(start + size - n)], axis=axis)


def _windows(xp: Any, x: Any, length: int, width: int) -> Any:
    """(..., length + width - 1) -> (..., length, width): a window for each result."""
    if width == 1:
        return x[..., None]
    j = xp.arange(length, device=device(x))
    k = xp.arange(width, device=device(x))
    index = xp.reshape(j[:, None] + k[None, :], (-1,))
    return xp.reshape(xp.take(x, index, axis=-1), (*x.shape[:-1], length, width))
