"""Exact null distributions of statistics that are whole numbers: counts of equally likely outcomes.

Counts are Python integers, so that each probability is rounded once.
"""

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device, is_concrete
from ...missing._axes import index_dtype
from ._samples import limited

__all__ = ["Null", "digits", "null"]


def digits(packed: int, bits: int) -> tuple[int, ...]:
    """Return the coefficients of a polynomial from its value at ``2**bits``, the constant first."""
    size = bits // 8
    held = packed.to_bytes(-(-packed.bit_length() // bits) * size, "little")
    return tuple(int.from_bytes(held[i : i + size], "little") for i in range(0, len(held), size))


class Tail(NamedTuple):
    """Probabilities of a tail at 0, 1, 2..., and what they belong to.

    It holds no arrays, as torch.compile can't take those of an eager call for constants.
    """

    values: list[float]
    key: tuple[Any, ...]

    def array(self, xp: Any, like: Any) -> Any:
        """Return them as an array; one on the host is kept."""
        where = device(like)
        if not is_concrete(like):
            return xp.asarray(self.values, dtype=like.dtype, device=where)
        arrays, key = _arrays(self.key), (type(like), like.dtype, str(where))
        if key not in arrays:
            arrays[key] = xp.asarray(self.values, dtype=like.dtype, device=where)
        return arrays[key]


@functools.lru_cache(maxsize=512)
def _arrays(key: tuple[Any, ...]) -> dict[Any, Any]:
    """Return the arrays of a tail, by library, dtype and device."""
    return {}


def _tails(counts: Callable[..., Sequence[float]], *sizes: int) -> tuple[Tail, Tail]:
    """The probabilities of at most, and of at least, 0, 1, 2..."""
    return _kept(counts, *sizes)


_tails._dynamo_marked_constant = True  # type: ignore[attr-defined]  # torch.compile calls it


@functools.lru_cache(maxsize=256)
def _kept(counts: Callable[..., Sequence[float]], *sizes: int) -> tuple[Tail, Tail]:
    found = counts(*sizes)
    total = sum(found)
    below = [c / total for c in itertools.accumulate(found)]
    above = [c / total for c in itertools.accumulate(reversed(found))][::-1]
    key = counts.__module__, counts.__qualname__, *sizes
    return Tail(below, (*key, "at most")), Tail(above, (*key, "at least"))


class Null:
    """The distribution of a statistic for each sample, or one for all."""

    def __init__(self, tables: list[tuple[Tail, Tail]], which: Any = None) -> None:
        self.tables, self.which = tables, which

    def at_most(self, k: Any) -> Any:
        """Return the probability of at most `k`, which is whole and floating, shape (..., 1)."""
        return self._at(0, k)

    def at_least(self, k: Any) -> Any:
        """Return the probability of at least `k`."""
        return self._at(1, k)

    def _at(self, tail: int, k: Any) -> Any:
        xp = array_namespace(k)
        dtype = index_dtype(xp, k)
        k = xp.where(xp.isfinite(k), k, 0.0)
        if self.which is None:
            (table,) = self.tables
            last = len(table[tail].values) - 1.0
            index = xp.astype(limited(k, 0.0, last), dtype)
            return _taken(xp, table[tail].array(xp, k), index)
        values = [table[tail].values for table in self.tables]
        sizes = [len(v) for v in values]
        ends = xp.asarray(list(itertools.accumulate(sizes)), dtype=dtype, device=device(k))
        last = _taken(xp, xp.asarray(sizes, dtype=dtype, device=device(k)), self.which) - 1
        start = _taken(xp, ends, self.which) - last - 1
        index = xp.astype(limited(k, 0.0, None), dtype)
        flat = xp.asarray(list(itertools.chain(*values)), dtype=k.dtype, device=device(k))
        return _taken(xp, flat, xp.minimum(index, last) + start)


def _taken(xp: Any, values: Any, index: Any) -> Any:
    return xp.reshape(xp.take(values, xp.reshape(index, (-1,)), axis=0), index.shape)


def null(counts: Callable[..., Sequence[float]], sizes: Sequence[Any], most: Sequence[int]) -> Null:
    """Return the null distribution for sizes of samples.

    Parameters
    ----------
    counts : callable
        Returns how many of the equally likely outcomes give the statistic 0, 1, 2..., for sizes;
        a function of a module, as its results are kept.
    sizes : sequence of int or array
        Floating and whole, shape (..., 1), if they differ from sample to sample.
    most : sequence of int
        The largest that each may be.
    """
    if all(isinstance(n, int) for n in sizes):
        return Null([_tails(counts, *sizes)])
    xp = array_namespace(*(n for n in sizes if not isinstance(n, int)))
    code: Any = 0
    for n, m in zip(sizes, most, strict=True):
        code = code * (m + 1) + n
    spans = [range(m + 1) for m in most]
    dtype = index_dtype(xp, code)
    code = xp.astype(code, dtype)
    if not is_concrete(code):
        return Null([_tails(counts, *some) for some in itertools.product(*spans)], code)
    occur = xp.unique_values(code)
    which = xp.reshape(xp.searchsorted(occur, xp.reshape(code, (-1,))), code.shape)
    tables = []
    for value in occur.tolist() if hasattr(occur, "tolist") else [int(v) for v in occur]:
        some = []
        for m in reversed(most):
            value, n = divmod(value, m + 1)
            some.append(n)
        tables.append(_tails(counts, *reversed(some)))
    return Null(tables, xp.astype(which, dtype))
