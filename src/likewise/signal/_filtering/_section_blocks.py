"""Block matrices of second-order sections: from values in exact integers, or from arrays.

The state of each section is in normal form, a shrinking rotation, because the transposed direct
form of a narrow filter would lose digits: with ``s1' = -a1 s1 + s2, s2' = -a2 s1`` and the centre
``c = -a1/2`` of both poles, the states are ``s1`` and ``(c s1 + s2)/h``, with a scale ``h`` near
half of the poles' distance (C. W. Barnes and A. T. Fam, IEEE Trans. Circuits Syst. 24, 335, 1977).

For coefficients with values, the recursion runs in integers of hundreds of bits, so each matrix
element is accurate to its last digit: an error of a matrix recurs in every block with the same
sign, and a narrow filter accumulates it.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from ..._namespace import array_namespace, device
from ...errors import ArgumentError
from ...linalg import toeplitz
from ...transforms import scan, stop_gradient
from .._base._places import host
from ._blocks import SAMPLES, Block

__all__ = ["Form", "Row", "exact", "followed", "longest", "to_fixed", "to_float"]

Row = tuple[float, ...]  # b0 b1 b2 a1 a2


class Form(NamedTuple):
    """Hold the transformation between the states of sections and those of blocks."""

    centre: Any  # (sections,)
    apart: Any  # (sections,), h
    units: Any  # (sections, 2)

    def of(self, z: Any) -> Any:
        """Return a block's states, (channels, 2 sections), for (channels, sections, 2)."""
        xp = array_namespace(z)
        second = (self.centre * z[..., 0] + z[..., 1]) / self.apart
        w = xp.stack((z[..., 0], second), axis=-1) * self.units
        return xp.reshape(w, (z.shape[0], -1))

    def back(self, w: Any) -> Any:
        """Return the states of sections."""
        xp = array_namespace(w)
        w = xp.reshape(w, (w.shape[0], -1, 2)) / self.units
        return xp.stack((w[..., 0], self.apart * w[..., 1] - self.centre * w[..., 0]), axis=-1)


# -- of values -------------------------------------------------------------------------------------


def longest(rows: tuple[Row, ...]) -> int:
    """Return how many samples a block may have; an unstable filter must not grow in a block."""
    largest = max(_radius(*row[3:]) for row in rows)
    if largest <= 1.1:
        return SAMPLES
    return max(1, min(SAMPLES, int(math.log(1e4) / math.log(largest))))


def _radius(a1: float, a2: float) -> float:
    between = a1 * a1 / 4 - a2
    return math.sqrt(abs(a2)) if between < 0 else abs(a1) / 2 + math.sqrt(between)


def _exponents(row: Row) -> tuple[int, int]:
    """Return the exponents of a section's gain, and of the scale of its second state."""
    b0, b1, b2, a1, a2 = row
    gain = max(abs(b0), abs(b1), abs(b2))
    near = max(math.sqrt(abs(a2 - a1 * a1 / 4)), abs(1 - abs(a1 / 2)), 2.0**-30)
    return math.frexp(gain)[1] if gain else 0, math.frexp(near)[1]


def exact(rows: tuple[Row, ...], n: int) -> tuple[Block, Form]:
    """Return the matrices of n samples as arrays of the host, and the form of their states."""
    try:
        return _exact(rows, n)
    except OverflowError:
        raise ArgumentError(
            "sosfilt: the gains of the sections are so far apart that a state is no double "
            f"precision number, got {[row[:3] for row in rows]}. Share the gain among the sections."
        ) from None


@functools.lru_cache(maxsize=64)
def _exact(rows: tuple[Row, ...], n: int) -> tuple[Block, Form]:
    """Return the matrices of n samples as arrays of the host, and the form of their states."""
    xp = host()
    made, units = _response(rows), _units(rows)
    bits, total = made.bits, sum(e for e, _ in made.places)
    line = [to_float(v, total - bits) for v in made.impulse[:n]]
    through = [[0.0] * k + line[: n - k] for k in range(n)]
    seen = [
        [to_float(v, total - bits - u) for v in row[:n]]
        for row, u in zip(made.seen, units, strict=True)
    ]
    kept = [
        [to_float(v, w - u - bits) for v, w in zip(made.normal(after[n - 1]), units, strict=True)]
        for after, u in zip(made.after, units, strict=True)
    ]
    taken = [
        [to_float(v, w - bits) for v, w in zip(made.normal(z), units, strict=True)]
        for z in reversed(made.ends[:n])
    ]
    block = Block(*(xp.asarray(m, dtype=xp.float64) for m in (through, seen, kept, taken)))
    before, scales = 0, []
    for k, (e, _) in enumerate(made.places):
        before += e
        scales.append([2.0 ** (u - before) for u in units[2 * k : 2 * k + 2]])
    centre = xp.asarray([-row[3] / 2 for row in rows])
    apart = xp.asarray([2.0**e for _, e in made.places])
    return block, Form(centre, apart, xp.asarray(scales))


@functools.lru_cache(maxsize=64)
def _units(rows: tuple[Row, ...]) -> list[int]:
    """Return exponents of the states' units, which balance inputs and outputs of the states."""
    made = _response(rows)
    total = sum(e for e, _ in made.places)
    sizes = [max(map(abs, column)) for column in zip(*map(made.normal, made.ends), strict=True)]
    out = []
    for taken, row in zip(sizes, made.seen, strict=True):
        seen = max(map(abs, row))
        both = taken and seen
        out.append((seen.bit_length() + total - taken.bit_length()) // 2 if both else 0)
    return out


class _Response(NamedTuple):
    """Hold a response in integers of 2**-bits, in units of the gains before a state."""

    bits: int
    places: list[tuple[int, int]]
    centres: list[int]
    impulse: list[int]
    ends: list[list[int]]  # the states after each sample of the impulse's answer
    seen: list[list[int]]  # of each state
    after: list[list[list[int]]]  # of each state, the states after each sample

    def normal(self, z: list[int]) -> list[int]:
        """Return states in their normal form."""
        out = []
        for k, ((_, h), c) in enumerate(zip(self.places, self.centres, strict=True)):
            second = ((c * z[2 * k]) >> self.bits) + z[2 * k + 1]
            out += [z[2 * k], second >> h if h > 0 else second << -h]
        return out


@functools.lru_cache(maxsize=16)
def _response(rows: tuple[Row, ...]) -> _Response:
    n, bits = longest(rows), 192 + 16 * len(rows)
    places = [_exponents(row) for row in rows]
    fixed = [
        (*(to_fixed(v, bits - e) for v in row[:3]), *(to_fixed(v, bits) for v in row[3:]))
        for row, (e, _) in zip(rows, places, strict=True)
    ]
    centres = [to_fixed(-row[3] / 2, bits) for row in rows]
    none = [0] * (2 * len(rows))
    impulse, ends = _answer(fixed, bits, none, n, 1 << bits, 0)
    seen, after = [], []
    for k, (_, h) in enumerate(places):
        for pair in ((1 << bits, -centres[k]), (0, to_fixed(2.0**h, bits))):
            results, states = _answer(
                fixed, bits, [*none[: 2 * k], *pair, *none[2 * k + 2 :]], n, 0, k
            )
            seen.append(results)
            after.append(states)
    return _Response(bits, places, centres, impulse, ends, seen, after)


def _answer(
    fixed: list[tuple[int, ...]], bits: int, z: list[int], n: int, x: int, first: int
) -> tuple[list[int], list[list[int]]]:
    """Return results and states after each of n samples, of `x` and then zeros.

    Uses the transposed direct form, section by section; sections before `first` are at rest.
    """
    results, states = [], []
    z = list(z)
    for _ in range(n):
        for k in range(first, len(fixed)):
            b0, b1, b2, a1, a2 = fixed[k]
            y = ((b0 * x) >> bits) + z[2 * k]
            z[2 * k] = ((b1 * x - a1 * y) >> bits) + z[2 * k + 1]
            z[2 * k + 1] = (b2 * x - a2 * y) >> bits
            x = y
        results.append(x)
        states.append(list(z))
        x = 0
    return results, states


def to_fixed(v: float, bits: int) -> int:
    """Return a number in units of 2**-bits."""
    top, bottom = v.as_integer_ratio()
    return (top << bits) // bottom if bits >= 0 else top // (bottom << -bits)


def to_float(v: int, exponent: int) -> float:
    """Return ``v 2**exponent``, rounded once."""
    more = max(v.bit_length() - 64, 0)
    return math.ldexp(float(v >> more), exponent + more) if v else 0.0


# -- of arrays -------------------------------------------------------------------------------------


def followed(b: Any, a: Any, n: int) -> tuple[Callable[[int], Block], Form]:
    """Return matrices of up to n samples for numerators (sections, 3), denominators (sections, 2).

    Uses the library's own arithmetic, so that coefficients can be traced and differentiated.
    """
    xp = array_namespace(b, a)
    sections, size, where = b.shape[0], 2 * b.shape[0], device(b)
    centre = -a[:, 0] / 2
    between = _between(xp, centre, a[:, 1])
    near = xp.maximum(xp.sqrt(xp.abs(between)), xp.abs(1 - xp.abs(centre)))
    apart = stop_gradient(xp.astype(xp.maximum(near, near * 0 + 2.0**-30), b.dtype))
    first = b[:, 1] - a[:, 0] * b[:, 0]
    second = (centre * first + b[:, 2] - a[:, 1] * b[:, 0]) / apart

    step, into, out, gain = _cascade(xp, b[:, 0], centre, -between / apart, apart, first, second)
    # Lanes: the answer to each state, and to an impulse, whose first sample is `into` and `gain`.
    one = xp.eye(size, dtype=b.dtype, device=where)
    lanes = xp.concat((one, into[None, :]), axis=0)
    _, states = scan(lambda z, _: (xp.matmul(z, step), z), lanes, None, length=n + 1)
    answers = xp.matmul(states, out)  # (n + 1, size + 1)
    impulse = xp.concat((xp.reshape(gain, (1,)), answers[: n - 1, size]))
    nothing = xp.zeros((n - 1,), dtype=impulse.dtype, device=where)
    through = toeplitz(xp.concat((impulse[:1], nothing)), impulse)

    def block(m: int) -> Block:
        return Block(
            through[:m, :m],
            xp.matrix_transpose(answers[:m, :size]),
            states[m, :size, :],
            xp.flip(states[:m, size, :], axis=0),
        )

    return block, Form(centre, apart, xp.ones((sections, 2), dtype=b.dtype, device=where))


def _cascade(
    xp: Any, straight: Any, centre: Any, back: Any, apart: Any, first: Any, second: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the recursion of all sections, for products from the right, as one step of states."""
    count = centre.shape[0]
    zero = xp.zeros_like(centre[:1])
    rows_of_out: list[Any] = []  # what each state is to the input of the section at hand
    gain = xp.ones_like(centre[0])
    columns, into = [], []
    for k in range(count):
        g = (first[k], second[k])
        own = ((centre[k], apart[k]), (back[k], centre[k]))
        after = 2 * (count - k - 1)
        for i in (0, 1):
            column = [v * g[i] for v in rows_of_out] + [own[i][0], own[i][1]]
            columns.append(_vector(xp, column, zero, after))
            into.append(gain * g[i])
        rows_of_out = [v * straight[k] for v in rows_of_out]
        rows_of_out += [xp.ones_like(gain), xp.zeros_like(gain)]
        gain = gain * straight[k]
    return xp.stack(columns, axis=1), xp.stack(into), xp.stack(rows_of_out), gain


def _vector(xp: Any, values: list[Any], zero: Any, more: int) -> Any:
    parts = [xp.reshape(v, (1,)) for v in values] + [zero] * more
    return xp.concat(parts)


def _between(xp: Any, c: Any, a2: Any) -> Any:
    """Return ``a2 - c**2`` without the rounding of the square (T. J. Dekker, 1971)."""
    factor = 2.0**27 + 1 if c.dtype in (xp.float64, xp.complex128) else 2.0**12 + 1
    high = factor * c
    high = high - (high - c)
    low = c - high
    square = c * c
    error = ((high * high - square) + 2 * high * low) + low * low
    return (a2 - square) - error
