"""Random indices and orders for each resample, from its number: the same on every library.

A hash of a key and a counter makes four words in 20 operations, Threefry two in 110: `pcg4d` of
M. Jarzynski, M. Olano, "Hash functions for GPU rendering", Journal of Computer Graphics Techniques
9 (2020) 20-38. The key is one that Threefry made, so that keys of near seeds are far apart.

Threefry's words take six to ten times as long: a bootstrap of a mean twice the time, more than
SciPy's. `pcg4d` passes what resampling asks of words, which the tests check: indices are uniform
and independent over places, resamples and keys.
"""

from typing import Any

from ..._namespace import array_namespace, device
from ...random._integers import _scaled
from ...random._threefry import is_unsigned, shift_right, to_words

__all__ = ["bits", "orders", "tuple_size", "tuples"]

_MULTIPLIER, _INCREMENT = 1664525, 1013904223  # of the hash
_UNIFORM = 1 << 16  # indices differ in probability by less than one part in this
_GROUP = 64  # resamples whose words lie together
_TABLE = 1 << 15  # elements of a table that stays in a core's cache


def _constant(like: Any, n: int) -> Any:
    """Return an integer modulo 2^32 as an array of words."""
    xp = array_namespace(like)
    n %= 1 << 32
    if not is_unsigned(xp, like) and n >= 1 << 31:
        n -= 1 << 32
    return xp.asarray([n], dtype=like.dtype, device=device(like))


def _hashed(key: Any, start: int, size: int) -> list[Any]:
    """Return four arrays of words, for counters start ... start + size - 1."""
    xp = array_namespace(key)
    high, low = divmod(start, 1 << 32)
    first = (1 << 32) - low
    if size > first:
        both = _hashed(key, start, first), _hashed(key, start + first, size - first)
        return [xp.concat([a, b]) for a, b in zip(*both, strict=True)]
    k = to_words(xp, key)
    x, y = (v * _MULTIPLIER + _INCREMENT for v in (k[0:1], k[1:2]))
    z = xp.arange(size, dtype=k.dtype, device=device(k))
    z = z * _MULTIPLIER + _constant(k, _INCREMENT + low * _MULTIPLIER)
    w = _constant(k, high * _MULTIPLIER + _INCREMENT)
    x = (x + y * w) | 1  # a product with an odd word loses none of the other
    # Only arrays made here are changed in place; libraries that can't write make new ones.
    y = z * x + y
    z += x * y
    w = y * z + w
    if is_unsigned(xp, k):
        x, y, z, w = x ^ (x >> 16), y ^ (y >> 16), z ^ (z >> 16), w ^ (w >> 16)
    else:  # zeros must come in from the left
        x, y, z, w = (v ^ ((v >> 16) & 0xFFFF) for v in (x, y, z, w))
    x = y * w + x
    y += z * x
    z += x * y
    w += y * z
    return [x, y, z, w]


def _words(key: Any, start: int, rows: int, n: int) -> Any:
    """Return n words for each resample of whole groups, shape (groups, n * _GROUP)."""
    xp = array_namespace(key)
    first, last = start // _GROUP, -(-(start + rows) // _GROUP)
    each = n * _GROUP // 4
    parts = _hashed(key, first * each, (last - first) * each)
    return xp.concat([xp.reshape(a, (last - first, each)) for a in parts], axis=-1)


def _rows(x: Any, start: int, rows: int) -> Any:
    """Return what belongs to resamples start ... start + rows - 1, shape (rows, ...)."""
    skipped = start % _GROUP
    x = array_namespace(x).reshape(x, (x.shape[0] * _GROUP, x.shape[1] // _GROUP))
    return x[skipped : skipped + rows, :]


def _upper(x: Any, n: int) -> Any:
    """Return the integer part of n <= 2^16 times the fraction 0.x, as indices."""
    xp = array_namespace(x)
    dtype = _index_dtype(xp, x)
    if xp.iinfo(dtype).bits == 64:
        unsigned = is_unsigned(xp, x)
        x = xp.astype(x, dtype)
        x = x if unsigned else x & 0xFFFFFFFF
        x *= n
        x >>= 32
        return x
    low = shift_right(xp, (x & 0xFFFF) * n, 16)
    low += shift_right(xp, x, 16) * n
    return xp.astype(shift_right(xp, low, 16), dtype)


def tuple_size(n: int) -> int:
    """Return how many of n indices a word makes, so that a table of all tuples stays in a cache."""
    return next(d for d in range(16, 0, -1) if d == 1 or d * n**d <= _TABLE)


def tuples(key: Any, start: int, rows: int, n: int) -> Any:
    """Return random numbers of tuples, of `tuple_size` indices below n, for each resample.

    Shape (rows, m), so that m tuples have n indices or more.
    """
    xp, size = array_namespace(key), tuple_size(n)
    if n > _UNIFORM:
        x = _rows(_words(key, start, rows, 2 * n), start, rows)
        return xp.astype(_scaled(xp, x[:, :n], x[:, n:], n), _index_dtype(xp, x))
    return _upper(_rows(_words(key, start, rows, -(-n // size)), start, rows), n**size)


def orders(key: Any, start: int, rows: int, n: int, count: int = 1) -> Any:
    """Return `count` random orders of n indices for each resample, shape (rows, count, n)."""
    xp = array_namespace(key)
    x = _rows(_words(key, start, rows, count * n), start, rows)
    x = shift_right(xp, xp.reshape(x, (rows, count, n)), 1)
    low = (1 << (n - 1).bit_length()) - 1
    if low >= 1 << 11:
        return xp.argsort(x, axis=-1, stable=True)
    # Words that hold their indices are sorted several times faster than indices by words.
    x &= 0x7FFFFFFF - low
    x |= xp.arange(n, dtype=x.dtype, device=device(x))
    return xp.astype(xp.sort(x, axis=-1, stable=False) & low, _index_dtype(xp, x))


def bits(key: Any, start: int, rows: int, n: int) -> Any:
    """Return n random booleans for each resample, shape (rows, n)."""
    x = _rows(_words(key, start, rows, n), start, rows)
    return shift_right(array_namespace(x), x, 31) == 1


def _index_dtype(xp: Any, like: Any) -> Any:
    return xp.__array_namespace_info__().default_dtypes(device=device(like))["indexing"]
