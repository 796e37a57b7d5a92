"""Tables of sequences that fill the unit cube: direction numbers of Sobol's, bases of Halton's."""

import array
import functools
import math
import sys
import zlib
from pathlib import Path

__all__ = ["directions", "halton", "primes", "sobol"]


@functools.cache
def _rows() -> list[tuple[int, list[int]]]:
    """Return, for each dimension, a primitive polynomial's bits and its first numbers m.

    From S. Joe, F. Y. Kuo, SIAM J. Sci. Comput. 30 (2008) 2635-2654, the table new-joe-kuo-6: the
    file has 16-bit words, a polynomial (its highest bit is its degree) and as many m, compressed.
    """
    words = array.array(
        "H", zlib.decompress(Path(__file__).with_name("directions.bin").read_bytes())
    )
    if sys.byteorder == "big":
        words.byteswap()
    found, at = [], 0
    while at < len(words):
        degree = words[at].bit_length() - 1
        found.append((words[at], list(words[at + 1 : at + 1 + degree])))
        at += 1 + degree
    return found


@functools.lru_cache(64)
def directions(d: int, bits: int) -> tuple[tuple[int, ...], ...]:
    """Return the direction numbers of each dimension, as integers of so many bits."""
    out = [tuple(1 << (bits - 1 - j) for j in range(bits))][:d]
    for polynomial, m in _rows()[1:d]:
        degree = len(m)
        v = [m[j] << (bits - 1 - j) for j in range(min(degree, bits))]
        for j in range(degree, bits):
            new = v[j - degree] ^ (v[j - degree] >> degree)
            for k in range(1, degree):
                if polynomial >> (degree - k) & 1:
                    new ^= v[j - k]
            v.append(new)
        out.append(tuple(v))
    return tuple(out)


@functools.lru_cache(64)
def primes(count: int) -> tuple[int, ...]:
    """Return the first primes."""
    found: list[int] = []
    n = 2
    while len(found) < count:
        root = math.isqrt(n)
        for p in found:
            if p > root or not n % p:
                break
        if n == 2 or n % p:
            found.append(n)
        n += 1
    return tuple(found)


@functools.lru_cache(16)
def sobol(count: int, d: int, skip: int = 0) -> tuple[tuple[float, ...], ...]:
    """Return points of Sobol's sequence, in the order of Gray codes, computed on the host."""
    bits = max(30, (count + skip).bit_length())
    columns = []
    for steps in directions(d, bits):
        word, column = 0, []
        for i in range(count + skip):
            column.append(word * 2.0**-bits)
            word ^= steps[(~i & (i + 1)).bit_length() - 1]
        columns.append(column[skip:])
    return tuple(zip(*columns, strict=True))


@functools.lru_cache(16)
def halton(count: int, d: int, skip: int = 0) -> tuple[tuple[float, ...], ...]:
    """Return points of Halton's sequence, computed on the host."""
    columns = []
    for base in primes(d):
        column = []
        for i in range(skip, skip + count):
            rest, width, x = i, 1.0, 0.0
            while rest:
                rest, digit = divmod(rest, base)
                width /= base
                x += digit * width
            column.append(x)
        columns.append(column)
    return tuple(zip(*columns, strict=True))
