"""Halton's sequence, scrambled by random permutations of digits."""

import math
from typing import Any

from ... import random
from ..._namespace import namespace
from ...random._sequences import primes
from ._engine import QMCEngine

__all__ = ["Halton"]

_SMALL = 128  # points of a block that is made on the host, once


class Halton(QMCEngine):
    """Draw Halton's sequence, scrambled unless told otherwise.

    Parameters
    ----------
    d : int
        The dimension.
    scramble : bool, optional
        Whether digits are permuted by `key`.
    optimization, key, dtype, namespace, device, like : optional
        As for `QMCEngine`. Without scrambling no key is needed.

    Raises
    ------
    ArgumentError
        If `d` is no dimension, or a key lacks.

    Notes
    -----
    Coordinate k has the digits of the index in the base of the k-th prime, mirrored at the point;
    scrambling permutes the digits of each place (A. B. Owen, arXiv:1706.02808, 2017). O(n) a
    coordinate: a block of b^(k+1) points is b times the block of b^k points, moved.

    Examples
    --------
    >>> from likewise.stats.qmc import Halton
    >>> Halton(2, scramble=False).random(3).round(3)
    array([[0.   , 0.   ],
           [0.5  , 0.333],
           [0.25 , 0.667]])
    """

    def __init__(self, d: Any, *, scramble: bool = True, **options: Any) -> None:
        super().__init__(d, **options)
        self.scramble = bool(scramble)
        self.base = list(primes(self.d))
        self._steps = [self._of_digits(i, b) for i, b in enumerate(self.base)]
        self._levels = [_small(b, s) for b, s in zip(self.base, self._steps, strict=True)]

    def _of_digits(self, i: int, base: int) -> list[list[float]]:
        """Return what each digit of each place adds."""
        count = math.ceil(54 / math.log2(base)) - 1
        width, out = 1 / base, []
        if self.scramble:
            np = namespace("numpy")
            key = random.key(self._words(1, i)[0] << 32 | self._words(1, i)[1], namespace="numpy")
            order = np.argsort(random.bits(key, (count, base)), axis=-1).tolist()
        for j in range(count + 1):
            if self.scramble and j == count:
                break
            digits = order[j] if self.scramble else range(base)
            out.append([digit * width for digit in digits])
            width /= base
        return out

    def _random(self, n: int = 1) -> Any:
        xp = self.xp
        if n == 0 or self.d == 0:
            return xp.empty((n, self.d), dtype=self.dtype, device=self.device)
        columns = [self._column(i, n) for i in range(self.d)]
        out = xp.stack(columns, axis=1)
        if self.scramble:  # a sum may round to 1
            out = xp.minimum(out, xp.full_like(out, 1 - float(xp.finfo(self.dtype).eps) / 2))
        return out

    def _column(self, i: int, n: int) -> Any:
        """Return one coordinate: digits are added from the lowest, in blocks of base^k points."""
        xp, start = self.xp, self.num_generated
        base, steps, levels = self.base[i], self._steps[i], self._levels[i]
        options = {"dtype": self.dtype, "device": self.device}
        k = max(k for k, level in enumerate(levels) if k == 0 or len(level) <= n)
        block = xp.asarray(levels[k], **options)
        while base ** (k + 1) <= n and k < len(steps):
            added = xp.asarray(steps[k], **options)
            block, k = xp.reshape(added[:, None] + block, (-1,)), k + 1
        size = base**k
        first, last = start // size, (start + n - 1) // size
        numbers = range(first, last + 1)
        begin = start - first * size
        blocks = xp.broadcast_to(block, (len(numbers), size))
        for terms in self._terms(base, steps[k:], numbers):
            blocks = blocks + xp.asarray(terms, **options)[:, None]
        return xp.reshape(blocks, (-1,))[begin : begin + n]

    def _terms(self, base: int, steps: list[list[float]], numbers: Any) -> list[list[float]]:
        """Return what the digits of some numbers add, place by place; in one if permuted."""
        out, rest = [], list(numbers)
        for j, row in enumerate(steps):
            if not any(rest):
                if self.scramble:  # zeros are permuted, too
                    out.append([sum(row[0] for row in steps[j:])] * len(rest))
                break
            out.append([row[m % base] for m in rest])
            rest = [m // base for m in rest]
        return [[sum(terms) for terms in zip(*out, strict=True)]] if self.scramble else out


def _small(base: int, steps: list[list[float]]) -> list[list[float]]:
    """Return the first blocks, of 1, base, base^2 ... points, while they are small."""
    out = [[0.0]]
    for row in steps:
        if len(out[-1]) * base > _SMALL:
            break
        out.append([x + y for x in row for y in out[-1]])
    return out
