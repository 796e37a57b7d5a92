"""Lengths that factor into small primes."""

import operator
from functools import lru_cache
from itertools import count, takewhile
from typing import Any

from ..errors import ArgumentError

__all__ = ["next_fast_len", "prev_fast_len"]


def next_fast_len(target: int, real: bool = False) -> int:
    """Return the smallest length at least `target` that transforms fast.

    Parameters
    ----------
    target : int
        The length wanted, not negative.
    real : bool, optional
        Whether the transform has real input (or output).

    Returns
    -------
    int
        The next product of powers of 2, 3 and 5, and for complex input also of 7 and 11.

    Raises
    ------
    ArgumentError
        If `target` is not an integer, or negative.

    Notes
    -----
    The same lengths as `scipy.fft.next_fast_len`, of the primes for which pocketfft has its own
    passes. MKL and cuFFT have them as well (cuFFT up to 7 in one kernel).

    Examples
    --------
    >>> from likewise.fft import next_fast_len
    >>> next_fast_len(101), next_fast_len(101, real=True)
    (105, 108)
    """
    return _known("next", _target("next_fast_len", target), bool(real))


def prev_fast_len(target: int, real: bool = False) -> int:
    """Return the largest length at most `target` that transforms fast.

    Parameters
    ----------
    target : int
        The available length, not negative.
    real : bool, optional
        Whether the transform has real input (or output).

    Returns
    -------
    int
        The last product of powers of 2, 3 and 5, and for complex input also of 7 and 11.

    Raises
    ------
    ArgumentError
        If `target` is not an integer, or negative.

    Notes
    -----
    As for `next_fast_len`.

    Examples
    --------
    >>> from likewise.fft import prev_fast_len
    >>> prev_fast_len(103), prev_fast_len(103, real=True)
    (100, 100)
    """
    return _known("prev", _target("prev_fast_len", target), bool(real))


def _target(function: str, target: Any) -> int:
    try:
        wanted = int(operator.index(target))
    except TypeError:
        raise ArgumentError(f"{function}: target must be an integer, got {target!r}") from None
    if wanted < 0:
        raise ArgumentError(f"{function}: target must not be negative, got {target!r}")
    return wanted


def _known(way: str, target: int, real: bool) -> int:
    return _next(target, real) if way == "next" else _previous(target, real)


# torch.compile calls this at trace time and keeps the answer; it would warn about lru_cache.
_known._dynamo_marked_constant = True  # type: ignore[attr-defined]


@lru_cache(maxsize=4096)
def _next(target: int, real: bool) -> int:
    if target <= 6:
        return target
    best = 1 << (target - 1).bit_length()
    products = [1]
    for prime in (3, 5) if real else (3, 5, 7, 11):
        powers = list(takewhile(lambda power: power < best, (prime**k for k in count())))
        products = [p * power for p in products for power in powers if p * power < best]
    for p in products:  # times the power of two that reaches the target
        best = min(best, p << max(0, (-(-target // p) - 1).bit_length()))
    return best


@lru_cache(maxsize=4096)
def _previous(target: int, real: bool) -> int:
    if target <= 6:
        return target
    products = [1]
    for prime in (3, 5) if real else (3, 5, 7, 11):
        powers = list(takewhile(lambda power: power <= target, (prime**k for k in count())))
        products = [p * power for p in products for power in powers if p * power <= target]
    return max(p << ((target // p).bit_length() - 1) for p in products)
