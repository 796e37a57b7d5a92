"""Polynomials, highest power first: from roots, products, values, roots."""

import cmath
import itertools
import math
from collections.abc import Sequence
from typing import Any

from ..._namespace import device
from ._places import host

__all__ = ["from_roots", "product", "roots", "value", "value_of_roots"]


def from_roots(xp: Any, r: Any) -> Any:
    """Return the coefficients along the last axis for roots along it."""
    one = xp.ones((*r.shape[:-1], 1), dtype=r.dtype, device=device(r))
    zero = xp.zeros_like(one)
    c = one
    for i in range(r.shape[-1]):
        c = xp.concat((c, zero), axis=-1) - xp.concat((zero, c * r[..., i : i + 1]), axis=-1)
    return c


def product(xp: Any, a: Any, b: Any) -> Any:
    """Return the coefficients of a product, for factors along the last axes."""
    n = b.shape[-1]
    total = 0
    for i in range(n):
        before = xp.zeros((*a.shape[:-1], i), dtype=a.dtype, device=device(a))
        after = xp.zeros((*a.shape[:-1], n - 1 - i), dtype=a.dtype, device=device(a))
        total = total + xp.concat((before, a * b[..., i : i + 1], after), axis=-1)
    return total


def value(xp: Any, c: Any, z: Any) -> Any:
    """Return a polynomial's values; coefficients, lowest power first, along the first axis.

    The other axes broadcast with `z`. Uses Horner's rule; a long polynomial is evaluated in blocks.
    """
    n, block = c.shape[0], 64
    if n <= block:
        return _horner(xp, c, z)
    more = -n % block
    none = xp.zeros((more, *c.shape[1:]), dtype=c.dtype, device=device(c))
    c = xp.reshape(xp.concat((c, none)), ((n + more) // block, block, *c.shape[1:]))
    c = xp.reshape(c, (*c.shape[:2], *_ones(c, z), *c.shape[2:]))
    parts = _horner(xp, xp.moveaxis(c, 1, 0), z)
    return _horner(xp, parts, z**block)


def _ones(c: Any, z: Any) -> tuple[int, ...]:
    """Return the dimensions that coefficients lack beside `z`."""
    return (1,) * max(z.ndim - (c.ndim - 2), 0)


def _horner(xp: Any, c: Any, z: Any) -> Any:
    total = c[-1, ...] + 0 * z
    for i in range(c.shape[0] - 2, -1, -1):
        total = total * z + c[i, ...]
    return total


def value_of_roots(xp: Any, r: Any, z: Any) -> Any:
    """Return ``prod(z - r)``, for roots along the first axis; the other axes broadcast with `z`."""
    total = xp.ones_like(z)
    for i in range(r.shape[0]):
        total = total * (z - r[i, ...])
    return total


# -- roots, in Python's numbers --------------------------------------------------------------------


def roots(coefficients: Sequence[complex]) -> list[complex]:
    """Return the roots of a polynomial, highest power first, whose first coefficient isn't zero.

    Uses eigenvalues of a balanced companion matrix, which together are the exact roots of a nearby
    polynomial (A. Edelman and H. Murakami, Math. Comp. 64, 763, 1995). If the product over these
    roots differs from the polynomial, as for roots of very different sizes, the Ehrlich-Aberth
    iteration is used if its roots are better. For real coefficients, real roots are real and others
    are exact conjugate pairs. Roots at zero are exact. Roots are NaN if a coefficient isn't finite.
    """
    c = [complex(v) for v in coefficients]
    if not all(map(cmath.isfinite, c)):
        return [complex(math.nan)] * (len(c) - 1)
    largest = max(map(abs, c))
    while c and abs(c[-1]) < 1e-300 * largest:
        c.pop()
    zeros = [0j] * (len(coefficients) - len(c))
    real = all(v.imag == 0 for v in c)
    if len(c) < 3:
        found = [-c[1] / c[0]] if len(c) == 2 else []
    elif len(c) == 3:
        found = _quadratic(c, real)
    else:
        found = _nearest(c, real)
    return sorted(found, key=lambda v: (-abs(v), v.real, -v.imag)) + zeros


def _nearest(c: list[complex], real: bool) -> list[complex]:
    """Return roots whose product is closest to the polynomial."""
    found = _companion(c, real)
    apart = _apart(c, found)
    if apart <= 2e-15 * len(c):
        return found
    other = _aberth(c)
    other = _paired(other) if real else other
    return other if _apart(c, other) < apart else found


def _companion(c: list[complex], real: bool) -> list[complex]:
    """Return the eigenvalues of the companion matrix, which LAPACK's routine balances."""
    xp, n = host(), len(c) - 1
    try:
        first = [-v / c[0] for v in c[1:]]
    except OverflowError:
        return []
    row = xp.asarray([[v.real for v in first]] if real else [first])
    if not xp.all(xp.isfinite(row)):
        return []
    found = xp.linalg.eigvals(xp.concat((row, xp.eye(n - 1, n, dtype=row.dtype))))
    return [complex(v) for v in found.tolist()]


def _apart(c: list[complex], found: list[complex]) -> float:
    """Return the largest error of a coefficient, relative to its size for negative roots."""
    if len(found) != len(c) - 1:
        return math.inf
    ours, sizes = [1 + 0j], [1.0]
    for r in found:
        size = abs(r)
        ours = [v - r * w for v, w in zip([*ours, 0j], [0j, *ours], strict=True)]
        sizes = [v + size * w for v, w in zip([*sizes, 0.0], [0.0, *sizes], strict=True)]
    errors = [
        abs(v - w / c[0]) / s if s else abs(w) for v, w, s in zip(ours, c, sizes, strict=True)
    ]
    return math.inf if any(map(math.isnan, errors)) else max(errors)


def _quadratic(c: list[complex], real: bool) -> list[complex]:
    """Return both roots of a quadratic without cancellation."""
    half, last = c[1] / (2 * c[0]), c[2] / c[0]
    root = cmath.sqrt(half * half - last)
    if real and root.real == 0:
        return [complex(-half.real, root.imag), complex(-half.real, -root.imag)]
    far = -half - root if (half.conjugate() * root).real >= 0 else -half + root
    return [far, last / far] if far else [0j, 0j]


def _aberth(c: list[complex]) -> list[complex]:
    n = len(c) - 1
    x = _starts(c)
    sizes = [abs(v) for v in c]
    done = [False] * n
    for _ in range(80):
        for i in range(n):
            if not done[i]:
                x[i], done[i] = _step(c, sizes, x, i)
        if all(done):
            break
    return x


def _step(c: list[complex], sizes: list[float], x: list[complex], i: int) -> tuple[complex, bool]:
    """Return the next approximation of one root, and whether it has converged to rounding."""
    z, n = x[i], len(c) - 1
    big = abs(z) > 1
    w = 1 / z if big else z  # the reversed polynomial of 1/z can't overflow
    p, slope, bound, size = 0j, 0j, 0.0, abs(w)
    for v, s in (
        zip(reversed(c), reversed(sizes), strict=True) if big else zip(c, sizes, strict=True)
    ):
        slope = slope * w + p
        p = p * w + v
        bound = bound * size + s
    if abs(p) <= 4e-16 * bound:
        return z, True
    if big:  # p(z) = z**n q(1/z), so p'/p = (n - w q'/q) / z
        inverse = (n - w * slope / p) * w
    else:
        inverse = slope / p
    others = sum(1 / (z - y) for j, y in enumerate(x) if j != i and y != z)
    denominator = inverse - others
    step = 1 / denominator if denominator else abs(z) * 0.1 + 1e-3
    return z - step, abs(step) <= 1e-17 * abs(z)


def _starts(c: list[complex]) -> list[complex]:
    """Return points on circles whose radii come from the upper hull of the coefficients' sizes."""
    n = len(c) - 1
    logs = [math.log(abs(v)) if v else -math.inf for v in reversed(c)]
    hull: list[int] = []
    for k in range(n + 1):
        if logs[k] == -math.inf:
            continue
        while len(hull) > 1 and (logs[hull[-1]] - logs[hull[-2]]) * (k - hull[-2]) <= (
            logs[k] - logs[hull[-2]]
        ) * (hull[-1] - hull[-2]):
            hull.pop()
        hull.append(k)
    x = []
    for low, high in itertools.pairwise(hull):
        radius = math.exp((logs[low] - logs[high]) / (high - low))
        for k in range(high - low):
            x.append(cmath.rect(radius, 2 * math.pi * (k / (high - low) + low / n) + 0.7))
    return x


def _paired(found: list[complex]) -> list[complex]:
    """Return the roots of real coefficients as reals and exact pairs of nearest roots."""
    left = sorted(found, key=lambda v: -abs(v.imag))
    out = []
    while left:
        z = left.pop(0)
        mirror = z.conjugate()
        near = min(range(len(left)), key=lambda j: abs(left[j] - mirror), default=None)
        if near is None or abs(left[near] - mirror) >= 2 * abs(z.imag):
            out.append(complex(z.real))
            continue
        other = left.pop(near)
        re, im = (z.real + other.real) / 2, abs(z.imag - other.imag) / 2
        out += [complex(re, im), complex(re, -im)]
    return out
