"""Threefry-2x32 with 20 rounds: two words from a key and a counter, on any library.

J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
Proceedings of SC11 (2011), section 3 and table 2.

Words are uint32 where the library computes with that, else int32 with the same bits: sums and left
shifts wrap, right shifts are masked.
"""

import functools
import math
from collections.abc import Callable, Hashable
from typing import Any

from .._namespace import array_namespace, device, hooks_of, is_concrete, is_lazy, load

__all__ = [
    "BLOCK",
    "draw",
    "dtypes",
    "fold",
    "hash_words",
    "join",
    "key_dtype",
    "pieces",
    "shift_right",
    "split_words",
    "words",
]

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
BLOCK = 1 << 14  # elements that stay in a core's cache through all rounds
_PIECE = 1 << 30  # counters whose upper word is the same, within the range of int32


def dtypes(xp: Any, where: Any) -> dict[str, Any]:
    """The dtypes that the library computes with on a device."""
    found: dict[str, Any] = xp.__array_namespace_info__().dtypes(device=where)
    return found


def key_dtype(xp: Any, where: Any) -> Any:
    """uint32 where the library computes with it, else int64 with the same values."""
    found = dtypes(xp, where)
    return found["uint32"] if "uint32" in found else found["int64"]


def is_unsigned(xp: Any, x: Any) -> bool:
    return x.dtype in (getattr(xp, "uint32", None), getattr(xp, "uint64", None))


def shift_right(xp: Any, x: Any, k: int, width: int = 32) -> Any:
    """Zeros come in from the left."""
    return x >> k if is_unsigned(xp, x) else (x >> k) & ((1 << (width - k)) - 1)


def to_words(xp: Any, x: Any) -> Any:
    """Integers in [0, 2^32) as words."""
    found = dtypes(xp, device(x))
    if "uint32" in found:
        return xp.astype(x, xp.uint32, copy=False)
    x = xp.astype(x, xp.int64, copy=False) & 0xFFFFFFFF
    return xp.astype((x ^ 0x80000000) - 0x80000000, xp.int32)


def from_words(xp: Any, x: Any) -> Any:
    """Words as `key_dtype` has them."""
    if is_unsigned(xp, x):
        return x
    return xp.astype(x, xp.int64) & 0xFFFFFFFF


def split_words(xp: Any, key: Any) -> tuple[Any, Any]:
    """The two words of keys (..., 2), each of shape (..., 1)."""
    key = to_words(xp, key)
    return key[..., 0:1], key[..., 1:2]


def hash_words(xp: Any, k0: Any, k1: Any, c0: Any, c1: Any) -> tuple[Any, Any]:
    """The two words of counters (c0, c1) under keys (k0, k1); c1 is an array of full size."""
    unsigned = is_unsigned(xp, k0)
    keys = (k0, k1, (k0 ^ k1) ^ _PARITY)
    x1 = c1 + k1
    x0: Any = k0 if c0 is None else c0 + k0
    first = True
    for i in range(5):
        for r in _ROTATIONS[i % 2]:
            # Only arrays made here are changed in place; libraries that can't write make new ones.
            if first:
                x0, first = x0 + x1, False
            else:
                x0 += x1
            turned = x1 << r
            x1 >>= 32 - r
            if not unsigned:
                x1 &= (1 << r) - 1
            x1 |= turned
            x1 ^= x0
        x0 += keys[(i + 1) % 3]
        x1 += keys[(i + 2) % 3] + (i + 1)
    return x0, x1


def words(xp: Any, k0: Any, k1: Any, start: int, size: int) -> tuple[Any, Any]:
    """The words of the counters start ... start + size - 1, of one upper word."""
    high, low = (
        n if is_unsigned(xp, k0) or n < 1 << 31 else n - (1 << 32) for n in divmod(start, 1 << 32)
    )
    where = device(k0)
    c1 = xp.arange(size, dtype=k0.dtype, device=where)
    if low:
        c1 = c1 + xp.asarray([low], dtype=k0.dtype, device=where)
    c0 = xp.asarray([high], dtype=k0.dtype, device=where) if high else None
    return hash_words(xp, k0, k1, c0, c1)


def fold(xp: Any, key: Any, data: Any) -> Any:
    """A new key from a key and words of shape (1,); all as arrays of words."""
    k0, k1 = split_words(xp, key)
    x0, x1 = hash_words(xp, k0, k1, None, data)
    return from_words(xp, xp.concat([x0, x1], axis=-1))


def pieces(size: int, most: int) -> list[tuple[int, int]]:
    """Starts and sizes of pieces of a range, none across a multiple of the largest piece."""
    most = min(most, _PIECE)
    return [(s, min(most, size - s)) for s in range(0, size, most)] or [(0, 0)]


def draw(key: Any, shape: tuple[int, ...], finish: Callable[..., Any], *options: Hashable) -> Any:
    """``finish(xp, x0, x1, *options)`` of the words of all elements, elementwise or a row of each.

    On the host eagerly, in blocks that stay in the cache; compiled where the library compiles.
    """
    found = hooks_of(key)
    if found.compiles and not is_lazy(key):
        return _compiled(found.name, shape, finish, *options)(key)
    return _draw(key, shape, finish, *options)


@functools.lru_cache(256)
def _compiled(name: str, *arguments: Any) -> Any:
    """Compiled once per shape; the library handles devices and modes."""

    def drawn(key: Any) -> Any:
        return _draw(key, *arguments)

    return load(name).jit(drawn)


def _draw(key: Any, shape: tuple[int, ...], finish: Callable[..., Any], *options: Any) -> Any:

    xp = array_namespace(key)
    k0, k1 = split_words(xp, key)
    most = BLOCK if is_concrete(key) else _PIECE
    parts = [
        finish(xp, *words(xp, k0, k1, start, size), *options)
        for start, size in pieces(math.prod(shape), most)
    ]
    out = parts[0] if len(parts) == 1 else xp.concat(parts)
    return xp.reshape(out, (*shape, *out.shape[1:]))


def join(xp: Any, x0: Any, x1: Any, width: int) -> Any:
    """Unsigned integers of 8 to 64 bits, in the layout of JAX."""
    if width < 64:
        out = x0 ^ x1
        return out if width == 32 else out & ((1 << width) - 1)
    wide = xp.uint64 if is_unsigned(xp, x0) else xp.int64
    high, low = xp.astype(x0, wide), xp.astype(x1, wide)
    return (high << 32) | (low if wide is not xp.int64 else low & 0xFFFFFFFF)
