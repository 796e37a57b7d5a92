"""Exact convolution of integers and booleans, by sums and by Fourier transforms of digits.

Both are exact modulo 2**bits, as integers overflow. So an unsigned dtype is computed as the signed
dtype of its width, for which every library has products and sums. The digits are so short that
rounding removes the transforms' errors (D. E. Knuth, The Art of Computer Programming, volume 2,
section 4.3.3, multiplies long integers in this way).
"""

import math
from typing import Any

from ..._namespace import array_namespace, device, is_concrete
from ...missing._convolution import sums
from ...missing._segments import index_dtype

__all__ = [
    "carried",
    "digits",
    "directly",
    "is_integral",
    "is_long",
    "is_small",
    "products",
    "split",
]

_WIDEST = 16  # bits of a digit: long ones are few, and their sums stay far below 2**53

_MANY = 500_000  # products that take longer than looking at values


def is_integral(xp: Any, dtype: Any) -> bool:
    """Tell whether a dtype to be convolved is an integer or boolean one."""
    return dtype not in (xp.float64, xp.float32, xp.complex128, xp.complex64)


def directly(in1: Any, in2: Any, mode: str, axes: tuple[int, ...]) -> Any:
    """Sum products: integers modulo 2**bits; for booleans, whether any product is true."""
    xp = array_namespace(in1, in2)
    if not is_integral(xp, in1.dtype):
        return sums(in1, in2, mode, axes)
    if in1.dtype == xp.bool:
        integers = index_dtype(xp, device(in1))
        return sums(xp.astype(in1, integers), xp.astype(in2, integers), mode, axes) > 0
    signed = getattr(xp, f"int{xp.iinfo(in1.dtype).bits}")
    out = sums(xp.astype(in1, signed), xp.astype(in2, signed), mode, axes)
    return xp.astype(out, in1.dtype)


def digits(xp: Any, in1: Any, in2: Any, axes: tuple[int, ...]) -> int:
    """Return how many digits exact transforms need, by dtype and sizes; 0 if they can't be exact.

    The error of a convolution by transforms of n points is at most about
    ``3 eps log2(n) norm1 norm2`` (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd
    ed., theorem 24.2). It must be below a fourth.
    """
    noise, bits = _noise(xp, in1, in2, axes), _bits(xp, in1.dtype)
    for width in range(min(bits, _WIDEST), 1, -1):
        count = -(-bits // width)
        if noise * count * 4.0 ** (width - 1) < 0.25:
            return count
    return 0


def _noise(xp: Any, in1: Any, in2: Any, axes: tuple[int, ...]) -> float:
    """Return by how much transforms of ones may be wrong."""
    pairs = [(in1.shape[a], in2.shape[a]) for a in axes]
    points = math.prod([n1 + n2 - 1 for n1, n2 in pairs])
    norms = math.sqrt(math.prod([n1 * n2 for n1, n2 in pairs]))
    eps = float(xp.finfo(_widest(xp, device(in1))).eps)
    return 3 * eps * max(math.log2(points), 1) * norms


def is_long(xp: Any, in1: Any, in2: Any, axes: tuple[int, ...]) -> bool:
    """Tell whether reading values may pay: integers of many bits, and many products of them."""
    if not is_integral(xp, in1.dtype) or _bits(xp, in1.dtype) <= _WIDEST or not hasattr(xp, "fft"):
        return False
    return math.prod([in1.shape[a] * in2.shape[a] for a in axes]) >= _MANY


def is_small(in1: Any, in2: Any, axes: tuple[int, ...]) -> bool:
    """Tell whether values are available and small enough for transforms of one digit."""
    if not is_concrete(in1) or not is_concrete(in2):
        return False
    xp = array_namespace(in1, in2)
    if xp.isdtype(in1.dtype, "unsigned integer"):  # whose maximum not every library has
        in1, in2 = (xp.astype(x, index_dtype(xp, device(x))) for x in (in1, in2))
    most = [max(int(xp.max(x)), -int(xp.min(x))) for x in (in1, in2)]
    return _noise(xp, in1, in2, axes) * most[0] * most[1] < 0.25


def _widest(xp: Any, where: Any) -> Any:
    """Double precision where the device has it."""
    known = xp.__array_namespace_info__().dtypes(device=where, kind="real floating")
    return known.get("float64", xp.float32)


def _bits(xp: Any, dtype: Any) -> int:
    return 2 if dtype == xp.bool else int(xp.iinfo(dtype).bits)


def split(x: Any, count: int) -> Any:
    """Return balanced digits as floating numbers: the lowest first, along a new first axis."""
    xp = array_namespace(x)
    where, width = device(x), -(-_bits(xp, x.dtype) // count)
    floating, half = _widest(xp, where), 1 << (width - 1)
    rest = xp.astype(x, index_dtype(xp, where))
    if width > _WIDEST:  # small values
        return xp.astype(rest, floating)[None, ...]
    found = []
    for _ in range(count):
        digit = ((rest + half) & (2 * half - 1)) - half
        found.append(xp.astype(digit, floating))
        rest = (rest - digit) >> width
    return xp.stack(found)


def products(a: Any, b: Any) -> Any:
    """Return the products of numbers given by digits, without carries and overflowing digits."""
    xp = array_namespace(a, b)
    found = []
    for k in range(a.shape[0]):
        part = a[0, ...] * b[k, ...]
        for i in range(1, k + 1):
            part = part + a[i, ...] * b[k - i, ...]
        found.append(part)
    return xp.stack(found)


def carried(x: Any, dtype: Any) -> Any:
    """Return integers of a dtype, or booleans, from floating digits along the first axis."""
    xp = array_namespace(x)
    width = -(-_bits(xp, dtype) // x.shape[0])
    rounded = xp.astype(xp.round(x), index_dtype(xp, device(x)))
    total = rounded[0, ...]
    for k in range(1, x.shape[0]):
        total = total + (rounded[k, ...] << (width * k))
    return total > 0 if dtype == xp.bool else xp.astype(total, dtype)
