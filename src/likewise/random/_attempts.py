"""Rejection sampling, with words that depend only on the attempt and the element."""

import functools
import math
from collections.abc import Callable
from typing import Any

from .._namespace import array_namespace, device, hooks_of, is_concrete, is_lazy, load, quiet
from ..errors import NotSupported
from ..transforms import while_loop
from ._threefry import BLOCK, hash_words, pieces, shift_right, split_words

__all__ = ["Words", "accepted", "nested", "sample"]


class Words:
    """Random words of some elements: one pair for each number that is folded into the key."""

    def __init__(self, xp: Any, key: Any, start: int, size: int) -> None:
        self.xp = xp
        self.k0, self.k1 = split_words(xp, key)
        self.counters = xp.arange(size, dtype=self.k0.dtype, device=device(key)) + start

    def pair(self, number: Any) -> tuple[Any, Any]:
        """The words for a number, an integer or an array (..., 1) of words."""
        xp = self.xp
        if isinstance(number, int):
            number = xp.full_like(self.k0, number)
        k0, k1 = hash_words(xp, self.k0, self.k1, None, number)
        return hash_words(xp, k0, k1, None, self.counters)


def nested(xp: Any, x0: Any, x1: Any, dtype: Any) -> Any:
    """A fraction in [0, 1); the float32 one is the float64 one without its last bits."""
    if dtype == xp.float32:
        return xp.astype(shift_right(xp, x0, 9), dtype) * 2.0**-23
    high = shift_right(xp, x0, 6)
    low = ((x0 & 63) << 20) | shift_right(xp, x1, 12)
    return xp.astype(high, xp.float64) * 2.0**-26 + xp.astype(low, xp.float64) * 2.0**-52


def accepted(
    words: Words, attempt: Callable[[Any], tuple[Any, Any]], rounds: int, value: Any, done: Any
) -> Any:
    """The first accepted value of at most so many attempts; `value` where `done`, or if none is.

    ``attempt(number)`` gives values and whether they are accepted, for one number, or for many of
    shape (rounds, 1) at once: where a loop can't be traced, all attempts are made.
    """
    xp = words.xp

    def unfinished(state: Any) -> Any:
        i, _, done = state
        return ~xp.all(done) & (i[0] < rounds)

    def step(state: Any) -> Any:
        i, value, done = state
        new, good = attempt(i)
        return i + 1, xp.where(good & ~done, new, value), done | good

    try:
        return while_loop(unfinished, step, (xp.zeros_like(words.k0), value, done))[1]
    except NotSupported:
        numbers = xp.arange(rounds, dtype=words.k0.dtype, device=device(words.k0))
        new, good = attempt(xp.reshape(numbers, (rounds, 1)))
        found = value
        for r in reversed(range(rounds)):
            found = xp.where(good[r, :], new[r, :], found)
        return xp.where(done, value, found)


def repeated(step: Callable[[Any], Any], active: Callable[[Any], Any], state: Any, n: int) -> Any:
    """Repeat a step at most n times, while some element is active; (count, ...) is the state."""
    xp = array_namespace(state[0])

    def unfinished(state: Any) -> Any:
        return xp.any(active(state)) & (state[0][0] < n)

    try:
        return while_loop(unfinished, step, state)
    except NotSupported:
        for _ in range(n):
            state = step(state)
        return state


def sample(
    key: Any, shape: tuple[int, ...], kernel: Callable[..., Any], parameters: Any, *options: Any
) -> Any:
    """``kernel(words, *parameters, *options)`` of flat arrays, in blocks or compiled."""
    library = hooks_of(key)
    lazy = is_lazy(key) or any(is_lazy(p) for p in parameters)
    with quiet(key):
        if library.compiles and not lazy:
            return _compiled(library.name, shape, kernel, options)(key, *parameters)
        return _sample(key, parameters, shape, kernel, options)


@functools.lru_cache(256)
def _compiled(name: str, *arguments: Any) -> Any:
    def sampled(key: Any, *parameters: Any) -> Any:
        return _sample(key, parameters, *arguments)

    return load(name).jit(sampled)


def _sample(key: Any, parameters: Any, shape: tuple[int, ...], kernel: Any, options: Any) -> Any:
    xp = array_namespace(key)
    flat = [
        xp.reshape(p, (1,))
        if math.prod(p.shape) == 1
        else xp.reshape(xp.broadcast_to(p, shape), (-1,))
        for p in parameters
    ]
    blocks = is_concrete(key) and all(is_concrete(p) for p in parameters)
    parts = []
    for start, size in pieces(math.prod(shape), BLOCK if blocks else 1 << 30):
        own = [p if p.shape == (1,) else p[start : start + size] for p in flat]
        parts.append(kernel(Words(xp, key, start, size), *own, *options))
    return xp.reshape(parts[0] if len(parts) == 1 else xp.concat(parts), shape)
