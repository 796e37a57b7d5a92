"""Latin hypercubes, of strength one and two."""

import math
from typing import Any

from ... import random
from ...errors import ArgumentError
from ...random._sequences import primes
from ._engine import QMCEngine

__all__ = ["LatinHypercube"]


class LatinHypercube(QMCEngine):
    """Draw Latin hypercubes: each of n equal intervals of each coordinate has one point.

    Parameters
    ----------
    d : int
        The dimension.
    scramble : bool, optional
        Whether points lie anywhere in their cells, or in the middle.
    strength : {1, 2}, optional
        With 2, n must be the square of a prime p with d <= p + 1, and each of p by p squares of
        each pair of coordinates has one point, too.
    optimization, key, dtype, namespace, device, like : optional
        As for `QMCEngine`. A key is always needed.

    Raises
    ------
    ArgumentError
        If there is no such strength, or n doesn't suit it.

    Notes
    -----
    M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21 (1979) 239-245; strength two by
    Bose's orthogonal arrays, whose cells are ranked at random (B. Tang, J. Amer. Statist. Assoc. 88
    (1993) 1392-1397). Each call draws a hypercube of its own, from the key and the number of points
    drawn before.

    Examples
    --------
    >>> from likewise.random import key
    >>> from likewise.stats.qmc import LatinHypercube
    >>> LatinHypercube(2, key=key(0)).random(4).shape
    (4, 2)
    """

    def __init__(self, d: Any, *, scramble: bool = True, strength: int = 1, **options: Any) -> None:
        super().__init__(d, **options)
        if strength not in (1, 2):
            raise ArgumentError(
                f"LatinHypercube: {strength!r} is not a valid strength. It must be one of {{1, 2}}"
            )
        self.scramble, self.strength = bool(scramble), strength
        self._words()  # tells that a key lacks

    def _random(self, n: int = 1) -> Any:
        xp = self.xp
        if n == 0 or self.d == 0:
            return xp.empty((n, self.d), dtype=self.dtype, device=self.device)
        u = random.uniform(self._key(1, self.num_generated), (n, self.d), self.dtype)
        if self.strength == 2:
            u = u + self._levels(n)
        order = xp.argsort(u, axis=0, stable=True)
        rank = xp.astype(xp.argsort(order, axis=0, stable=True), self.dtype)
        within: Any = 0.5
        if self.scramble:
            within = random.uniform(self._key(2, self.num_generated), (n, self.d), self.dtype)
        return (rank + within) / n

    def _levels(self, n: int) -> Any:
        """Return a random orthogonal array of strength two, with levels 0 ... p - 1."""
        xp, p = self.xp, math.isqrt(n)
        if p * p != n or p not in primes(p):
            near = [q for q in primes(p + 2) if q <= p + 1][-2:]
            raise ArgumentError(
                "LatinHypercube.random: n is not the square of a prime number. Close values are "
                f"{[q * q for q in near]}, got {n}"
            )
        if self.d > p + 1:
            raise ArgumentError(
                f"LatinHypercube.random: n is too small for d. Must be n > (d-1)**2, got n={n} and "
                f"d={self.d}"
            )
        index = xp.arange(n, device=self.device)
        a, b = index % p, index // p
        columns = [a, b, *((a + k * b) % p for k in range(1, p))][: self.d]
        key = self._key(4, self.num_generated)
        names = xp.argsort(random.uniform(key, (self.d, p), self.dtype), axis=-1)
        levels = [xp.take(names[j, :], c, axis=0) for j, c in enumerate(columns)]
        return xp.astype(xp.stack(levels, axis=1), self.dtype)
