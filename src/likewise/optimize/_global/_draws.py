"""Random numbers for searches of many problems: each problem has a key, each turn its own numbers.

So what a problem draws doesn't depend on the others, nor on which of them have ended.
"""

from typing import Any

from ... import random
from ..._namespace import array_namespace, device, is_neutral
from ...errors import ArgumentError
from ...random._arguments import plan_key
from ...random._threefry import (
    from_words,
    hash_words,
    key_dtype,
    shift_right,
    split_words,
    to_words,
)

__all__ = ["below", "key_of", "keys_for", "uniforms"]


def key_of(function: str, key: Any, rng: Any, seed: Any, like: Any) -> Any:
    """Return a key, on the library and device of an array, of a key, a seed, or None for 0.

    `rng` and `seed` are SciPy's names: an integer is a seed; generators have numbers of their own.
    """
    for other in (rng, seed):
        if other is None:
            continue
        if not _whole(other) or key is not None:
            raise ArgumentError(
                f"{function}: numbers are drawn from one key: write key=likewise.random.key(seed), "
                f"or rng=seed with an integer, in place of a generator; got {other!r}"
            )
        key = other
    key = 0 if key is None else key
    if _whole(key):
        xp, where = array_namespace(like), device(like)
        number = key.__index__()
        if isinstance(key, bool) or not 0 <= number < 1 << 64:
            raise ArgumentError(
                f"{function}: key must be a key or a seed in [0, 2^64), got {key!r}"
            )
        words = [number >> 32, number & 0xFFFFFFFF]
        return xp.asarray(words, dtype=key_dtype(xp, where), device=where)
    return plan_key(function, key, None, None, None if is_neutral(like) else like)[1]


def _whole(number: Any) -> bool:
    return hasattr(number, "__index__") and not (hasattr(number, "ndim") and number.ndim)


def keys_for(key: Any, count: int, single: bool) -> Any:
    """Return a key for each problem, (B, 2); that of a single problem is the key itself."""
    return key[None, :] if single else random.split(key, count)


def uniforms(keys: Any, turn: Any, count: int, like: Any) -> Any:
    """Return numbers in [0, 1), (B, count), for a turn (B,) of each problem, of like's dtype.

    For several turns (B, k) of each problem they are (B, k, count). They are multiples of 2^-32, or
    of 2^-23 in float32.
    """
    xp = array_namespace(keys, turn)
    k0, k1 = split_words(xp, keys)
    half = -(-count // 2)
    numbers = to_words(xp, xp.arange(half, dtype=xp.int32, device=device(keys)))
    if turn.ndim == 2:
        k0, k1 = k0[:, None, :], k1[:, None, :]
        numbers = xp.broadcast_to(numbers, (*turn.shape, half))
    words = hash_words(xp, k0, k1, to_words(xp, turn)[..., None], numbers)
    both = xp.concat(list(words), axis=-1)[..., :count]
    if like.dtype == xp.float32:
        return xp.astype(shift_right(xp, both, 9), xp.float32) * 2.0**-23
    return xp.astype(from_words(xp, both), like.dtype) * 2.0**-32


def below(u: Any, count: int) -> Any:
    """Return integers in [0, count) of numbers in [0, 1)."""
    xp = array_namespace(u)
    return xp.astype(xp.floor(u * count), xp.int32)
