"""Sobol's sequence, scrambled by random matrices and a random shift."""

import warnings
from typing import Any

from ... import random
from ...errors import ArgumentError, LikewiseWarning, _level
from ...random._sequences import directions
from ._engine import QMCEngine, at_least

__all__ = ["Sobol"]

_MOST = 1111
_BITS = 52


class Sobol(QMCEngine):
    """Draw Sobol's sequence, scrambled unless told otherwise.

    Parameters
    ----------
    d : int
        The dimension, at most 1111.
    scramble : bool, optional
        Whether the sequence is scrambled by `key`.
    bits : int, optional
        The bits of a point's coordinates, at most 52; 2^bits points can be drawn. Default: 30.
    optimization, key, dtype, namespace, device, like : optional
        As for `QMCEngine`. Without scrambling no key is needed.

    Raises
    ------
    ArgumentError
        If there are too many dimensions, bits or points.
    DtypeError
        If `bits` is above 31 where the library has no 64-bit integers.

    Notes
    -----
    In the order of Gray codes, as SciPy's (I. A. Antonov, V. M. Saleev, 1979); direction numbers of
    S. Joe and F. Y. Kuo (SIAM J. Sci. Comput. 30 (2008) 2635-2654). Scrambling: a lower triangular
    matrix of bits for each dimension, and a shift (J. Matousek, J. Complexity 14 (1998) 527-556).
    O(n d), whatever the first index: a block of 2^k points is made of two of about 2^(k/2).

    Differs from SciPy: at most 1111 dimensions and 52 bits; float32 points have their upper 24
    bits.

    Examples
    --------
    >>> from likewise.stats.qmc import Sobol
    >>> Sobol(2, scramble=False).random_base2(2)
    array([[0.  , 0.  ],
           [0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]])
    """

    MAXDIM = _MOST

    def __init__(
        self, d: Any, *, scramble: bool = True, bits: int | None = None, **options: Any
    ) -> None:
        super().__init__(d, **options)
        if self.d > _MOST:
            raise ArgumentError(
                f"Sobol: Maximum supported dimensionality is {_MOST}, got d={self.d}"
            )
        self.scramble = bool(scramble)
        self.bits = 30 if bits is None else at_least("Sobol", "bits", bits, 1)
        if self.bits > _BITS:
            raise ArgumentError(f"Sobol: Maximum supported 'bits' is {_BITS}, got {bits}")
        known = self.xp.__array_namespace_info__().dtypes(device=self.device)
        name = "int32" if self.bits < 32 else "int64"
        if name not in known:
            raise ArgumentError(
                f"Sobol: bits={self.bits} needs 64-bit integers, which "
                f"{getattr(self.xp, 'library', self.xp)} hasn't now; at most 31 bits"
            )
        self.maxn = 1 << self.bits
        xp, word = self.xp, known[name]
        made = list(directions(max(self.d, 1), self.bits))
        self._v = xp.asarray(made, dtype=word, device=self.device)[: self.d, :]
        self._shift = xp.zeros((self.d,), dtype=word, device=self.device)
        if self.scramble:
            self._scramble()
        # Point i is the sum modulo 2 of these over the bits of i: bit j changes bits j and j - 1 of
        # i's Gray code, and so adds both their direction numbers.
        v = self._v
        self._steps = xp.concat([v[:, :1], v[:, 1:] ^ v[:, :-1]], axis=1)

    def _scramble(self) -> None:
        """Multiply the direction numbers' bits by random triangular matrices, and draw a shift."""
        xp, bits, v = self.xp, self.bits, self._v
        wide = "uint64" if bits > 31 else "uint32"

        def drawn(label: int, shape: tuple[int, ...]) -> Any:
            words = random.bits(self._key(label), shape, wide)
            # Torch has the words of 64 bits as negative numbers, too.
            return xp.astype(words >> (int(wide[4:]) - bits) & ((1 << bits) - 1), v.dtype)

        self._shift = drawn(0, (self.d,))
        rows = drawn(1, (self.d, bits))  # of each result bit, from the highest
        one = xp.arange(bits - 1, -1, -1, dtype=v.dtype, device=self.device)
        # Each bit of a result is the parity of some of the bits from its own on.
        rows = rows >> one >> 1 << 1 << one | (xp.ones_like(rows) << one)
        parity = rows[:, :, None] & v[:, None, :]
        for half in (32, 16, 8, 4, 2, 1):
            if half < bits:
                parity = parity ^ (parity >> half)
        self._v = xp.sum((parity & 1) << one[:, None], axis=1, dtype=v.dtype)

    def _random(self, n: int = 1) -> Any:
        xp, start = self.xp, self.num_generated
        if start + n > self.maxn:
            raise ArgumentError(
                f"Sobol.random: At most 2**{self.bits}={self.maxn} distinct points can be "
                f"generated. {start} points have been previously generated, then: "
                f"n={start}+{n}={start + n}. Consider increasing `bits`."
            )
        if start == 0 and n & (n - 1):
            warnings.warn(
                "The balance properties of Sobol' points require n to be a power of 2.",
                LikewiseWarning,
                stacklevel=_level(),
            )
        if n == 0:
            return xp.empty((0, self.d), dtype=self.dtype, device=self.device)
        k = (n - 1).bit_length()
        inner, outer = self._shift[:, None], xp.zeros_like(self._shift)[:, None]
        for j in range(k):
            step = self._steps[:, j : j + 1]
            if j < k // 2:
                inner = xp.concat([inner, inner ^ step], axis=1)
            else:
                outer = xp.concat([outer, outer ^ step], axis=1)
        block = xp.reshape(outer[:, :, None] ^ inner[:, None, :], (self.d, 1 << k))
        first, last = start >> k, (start + n - 1) >> k
        parts = [self._moved(block, i << k) for i in range(first, last + 1)]
        words = parts[0] if len(parts) == 1 else xp.concat(parts, axis=1)
        begin = start - (first << k)
        words = words[:, begin : begin + n]
        bits = min(self.bits, 24) if self.dtype == xp.float32 else self.bits
        if bits < self.bits:
            words = words >> (self.bits - bits)
        return xp.matrix_transpose(xp.astype(words, self.dtype) * 2.0**-bits)

    def _moved(self, block: Any, start: int) -> Any:
        """Return the block that begins at a multiple of its size."""
        for j in range(start.bit_length()):
            if start >> j & 1:
                block = block ^ self._steps[:, j : j + 1]
        return block

    def random_base2(self, m: int) -> Any:
        """Return the next 2^m points; ArgumentError if not 2^k points are drawn in all."""
        m = at_least("Sobol.random_base2", "m", m, 0)
        total = self.num_generated + (1 << m)
        if total & (total - 1):
            raise ArgumentError(
                "Sobol.random_base2: The balance properties of Sobol' points require n to be a "
                f"power of 2. {self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. Use Sobol.random() for it."
            )
        return self.random(1 << m)
