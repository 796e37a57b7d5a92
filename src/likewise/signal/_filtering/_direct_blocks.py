"""Block matrices of a filter given by numerator and denominator with values.

The state of the transposed direct form is a polynomial of the delay, ``Z``; with zero input the
filter's result is ``Z/A``. Blocks write it as ``r1 + q1 (r2 + q2 (r3 + ...))``, where the
quadratics ``q`` are close to the factors of A. So each pair of numbers is the state of a section in
a cascade, which keeps digits that the direct form loses. The transformation is exact for any ``q``,
because it is computed in integers of hundreds of bits; the roots need not be accurate.
"""

import functools
import math
from typing import Any, NamedTuple

from .._base._places import host
from .._base._polynomials import roots
from ._blocks import SAMPLES, Block
from ._section_blocks import to_fixed, to_float

__all__ = ["POLES", "Row", "direct", "longest"]

# Numerator, and as long a denominator that starts with one.
Row = tuple[tuple[float, ...], tuple[float, ...]]
# Of more, as of a long echo's on one circle, the products of some factors are too large to be
# states, and their matrices take minutes.
POLES = 16


class _Factor(NamedTuple):
    """Hold one or two poles: coefficients of v and v**2, the centre, and the scale's exponent."""

    a1: float
    a2: float
    centre: float
    apart: int


def longest(row: Row) -> int:
    """Return how many samples a block may have; an unstable filter must not grow in a block."""
    largest = max((abs(p) for p in _poles(row[1])), default=0.0)
    if largest <= 1.1:
        return SAMPLES
    return max(1, min(SAMPLES, int(math.log(1e4) / math.log(largest))))


@functools.lru_cache(maxsize=64)
def _poles(a: tuple[float, ...]) -> list[complex]:
    last = max(k for k, v in enumerate(a) if v)
    return roots(a[: last + 1])


@functools.lru_cache(maxsize=64)
def _factors(a: tuple[float, ...]) -> list[_Factor]:
    """Return approximate factors of a denominator; a factor with a single pole comes last."""
    found = [p for p in _poles(a) if p.imag > 0]
    real = sorted(p.real for p in _poles(a) if not p.imag)
    pairs = [(p.real, p.real**2, p.imag**2) for p in found]
    pairs += [
        ((p + q) / 2, ((p + q) / 2) ** 2, -(((p - q) / 2) ** 2))
        for p, q in zip(real[::2], real[1::2], strict=False)
    ]
    out = []
    for c, square, between in sorted(pairs, key=lambda v: -(v[1] + v[2])):
        if abs(square + between) < 0.05:  # gone before digits are; a division by it would cost some
            continue
        near = max(math.sqrt(abs(between)), abs(1 - abs(c)), 2.0**-30)
        out.append(_Factor(-2 * c, square + between, c, math.frexp(near)[1]))
    if len(real) % 2:
        out.append(_Factor(-real[-1], 0.0, 0.0, 0))
    return out


@functools.lru_cache(maxsize=64)
def direct(row: Row, n: int, plain: bool = False) -> Block:
    """Return the matrices of n samples as arrays of the host.

    With `plain`, the states before the block are those of the transposed direct form.
    """
    xp = host()
    made = _response(row)
    gain, bits, units = made.gain, made.bits, made.units

    def results(rows: list[list[int]], scales: list[int]) -> Any:
        return xp.asarray(
            [
                [to_float(v, gain - bits - u) for v in row[:n]]
                for row, u in zip(rows, scales, strict=True)
            ]
        )

    def states(rows: list[list[int]], scales: list[int]) -> Any:
        return xp.asarray(
            [
                [to_float(v, w - u - bits) for v, w in zip(made.own(z), units, strict=True)]
                for z, u in zip(rows, scales, strict=True)
            ]
        )

    line = [to_float(v, gain - bits) for v in made.impulse[:n]]
    through = xp.asarray([[0.0] * k + line[: n - k] for k in range(n)])
    taken = states(list(reversed(made.ends[:n])), [0] * n)
    if plain:
        mine, scales = _plain(row), [gain] * len(units)
    else:
        mine, scales = made.states, units
    seen = results([shown for shown, _ in mine], scales)
    return Block(through, seen, states([after[n - 1] for _, after in mine], scales), taken)


class _Response(NamedTuple):
    """Hold a response in integers of 2**-bits, in units of the numerator's size."""

    bits: int
    gain: int
    factors: list[_Factor]
    units: list[int]
    impulse: list[int]
    ends: list[list[int]]  # the states after each sample of the impulse's answer
    states: list[tuple[list[int], list[list[int]]]]  # the answers to each state in a block

    def own(self, z: list[int]) -> list[int]:
        """Return the direct form's state in the form of blocks."""
        return _divided(z, self.factors, self.bits)


def _divided(z: list[int], factors: list[_Factor], bits: int) -> list[int]:
    """Divide a polynomial of the delay by one factor after another, and give the remainders."""
    out: list[int] = []
    size = sum(2 if f.a2 else 1 for f in factors)
    z, rest = list(z[:size]), z[size:]
    for f in factors:
        pair = 2 if f.a2 else 1
        middle = to_fixed(f.a1, bits)
        top = to_fixed(f.a2, bits) if f.a2 else middle
        whole = []
        for k in range(len(z) - 1, pair - 1, -1):
            q = (z[k] << bits) // top
            whole.append(q)
            if pair == 2:
                z[k - 1] -= (middle * q) >> bits
            z[k - pair] -= q
        first = z[0]
        if pair == 2:
            second = ((to_fixed(f.centre, bits) * first) >> bits) + z[1]
            out += [first, second >> f.apart if f.apart > 0 else second << -f.apart]
        else:
            out.append(first)
        z = whole[::-1]
    return out + rest


def _basis(factors: list[_Factor], size: int, bits: int) -> list[list[int]]:
    """Return the basis of the states of blocks in the direct form."""
    product, out = [1 << bits], []
    for f in factors:
        delayed = [0, *product]
        if f.a2:
            c, h = to_fixed(f.centre, bits), to_fixed(2.0**f.apart, bits)
            out.append([v - ((c * w) >> bits) for v, w in zip([*product, 0], delayed, strict=True)])
            out.append([(h * w) >> bits for w in delayed])
        else:
            out.append(product)
        taps = [to_fixed(v, bits) for v in ((f.a1, f.a2) if f.a2 else (f.a1,))]
        longer = [*product, *([0] * len(taps))]
        for k, tap in enumerate(taps, 1):
            for i, v in enumerate(product):
                longer[i + k] += (tap * v) >> bits
        product = longer
    out = [[*v[:size], *([0] * (size - len(v)))] for v in out]
    return out + [[1 << bits if i == k else 0 for i in range(size)] for k in range(len(out), size)]


@functools.lru_cache(maxsize=16)
def _response(row: Row) -> _Response:
    b, a = row
    size, n = len(a) - 1, longest(row)
    bits = 256 + 24 * size
    largest = max(map(abs, b))
    gain = math.frexp(largest)[1] if largest else 0
    factors = _factors(a)
    fixed = [to_fixed(v, bits - gain) for v in b], [to_fixed(v, bits) for v in a]
    impulse, ends = _answer(fixed, bits, [0] * size, n, 1 << bits)
    mine = [_answer(fixed, bits, z, n, 0) for z in _basis(factors, size, bits)]
    columns = zip(*(_divided(z, factors, bits) for z in ends), strict=True)
    scales = []
    for column, (seen, _) in zip(columns, mine, strict=True):
        sizes = max(map(abs, column)), max(map(abs, seen))
        both = all(sizes)
        scales.append((sizes[1].bit_length() + gain - sizes[0].bit_length()) // 2 if both else 0)
    return _Response(bits, gain, factors, scales, impulse, ends, mine)


@functools.lru_cache(maxsize=16)
def _plain(row: Row) -> list[tuple[list[int], list[list[int]]]]:
    """Return the responses to each state of the direct form."""
    made, (b, a) = _response(row), row
    fixed = [to_fixed(v, made.bits - made.gain) for v in b], [to_fixed(v, made.bits) for v in a]
    size, one = len(a) - 1, 1 << made.bits
    units = [[one if i == k else 0 for i in range(size)] for k in range(size)]
    return [_answer(fixed, made.bits, z, len(made.impulse), 0) for z in units]


def _answer(
    fixed: tuple[list[int], list[int]], bits: int, z: list[int], n: int, x: int
) -> tuple[list[int], list[list[int]]]:
    """Return results and states after each of n samples, of `x` and then zeros."""
    b, a = fixed
    results, states = [], []
    for _ in range(n):
        y = ((b[0] * x) >> bits) + z[0]
        later = [*z[1:], 0]
        if x:
            z = [v + ((s * x - t * y) >> bits) for v, s, t in zip(later, b[1:], a[1:], strict=True)]
        else:
            z = [v - ((t * y) >> bits) for v, t in zip(later, a[1:], strict=True)]
        results.append(y)
        states.append(z)
        x = 0
    return results, states
