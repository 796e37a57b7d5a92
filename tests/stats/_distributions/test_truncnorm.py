"""Truncated normal numbers with far, near and infinite ends, against mpmath's."""

from typing import Any

import mpmath
import numpy as np
import pytest

from likewise.stats import truncnorm
from likewise.transforms import grad

ENDS = [
    (-1.0, 2.0),
    (0.0, np.inf),
    (-np.inf, -20.0),
    (30.0, 31.0),
    (5.0, 5.000001),
    (0.1, 0.10001),
    (-8.0, 9.0),
    (1000.0, np.inf),
    (-1000.0, -999.0),
]
PROBABILITIES = (1e-300, 1e-9, 0.3, 0.9)


def mass(u: Any, v: Any) -> Any:
    u, v = mpmath.mpf(u), mpmath.mpf(v)
    return mpmath.ncdf(-u) - mpmath.ncdf(-v) if u > 0 else mpmath.ncdf(v) - mpmath.ncdf(u)


@pytest.mark.parametrize(("a", "b"), ENDS)
def test_tails_are_mpmaths(a: float, b: float) -> None:
    with mpmath.workdps(340):
        whole = mass(a, b)
        for q in PROBABILITIES:
            for quantile in (truncnorm.ppf, truncnorm.isf):
                x = float(quantile(q, a, b))
                if not a < x < b:
                    continue  # it is the end, to rounding
                pdf = mpmath.npdf(x) / whole
                tails = {"cdf": mass(a, x) / whole, "sf": mass(x, b) / whole, "pdf": pdf}
                for name, value in tails.items():
                    if value < 1e-300:
                        continue
                    found = getattr(truncnorm, name)(x, a, b)
                    assert abs(found / value - 1) < 2e-13, (name, x)
                    found = getattr(truncnorm, f"log{name}")(x, a, b)
                    expected = mpmath.log(value)
                    assert abs(found - expected) < 2e-15 * (1 + abs(expected)), (name, x)
                tail = tails["cdf" if quantile == truncnorm.ppf else "sf"]
                assert abs(tail - q) < 1e-12 * q + 2 * np.spacing(abs(x)) * pdf


@pytest.mark.parametrize(("a", "b"), ENDS)
def test_moments_are_mpmaths(a: float, b: float) -> None:
    with mpmath.workdps(50):
        # By integration by parts, of a mean that is known to 50 digits.
        whole = mass(a, b)
        at = [
            (0 if np.isinf(e) else e, 0 if np.isinf(e) else mpmath.npdf(e) / whole) for e in (a, b)
        ]
        raw = [mpmath.mpf(1), at[0][1] - at[1][1]]
        for k in range(2, 5):
            ends = [mpmath.mpf(e) ** (k - 1) * p for e, p in at]
            raw.append((k - 1) * raw[k - 2] + ends[0] - ends[1])
        m = raw[1]
        central = [
            sum(mpmath.binomial(k, j) * raw[j] * (-m) ** (k - j) for j in range(k + 1))
            for k in range(5)
        ]
        v = central[2]
        expected = [m, v, central[3] / v**1.5, central[4] / v**2 - 3]
    found = truncnorm.stats(a, b, moments="mvsk")
    away = min(abs(a), abs(b)) / float(mpmath.sqrt(v))  # digits that differences from the mean lose
    rtol = 1e-14 + 2e-15 * away
    for i, (one, other) in enumerate(zip(found, expected, strict=True)):
        size = abs(other) if i < 2 else 1 + abs(other)
        assert abs(one - other) <= (rtol if i else 1e-15) * size, "mvsk"[i]


def test_derivatives_with_an_infinite_end() -> None:
    """Of the mean in the finite end: pdf(a) (mean - a)."""
    a = np.asarray([-2.0, 0.0, 3.0, 50.0])
    found = grad(lambda a: truncnorm.mean(a, np.inf).sum())(a)
    expected = truncnorm.pdf(a, a, np.inf) * (truncnorm.mean(a, np.inf) - a)
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    found = grad(lambda b: truncnorm.mean(-np.inf, b).sum())(-a)
    np.testing.assert_allclose(found, expected, rtol=1e-11)
    found = grad(lambda a: truncnorm.sf(a + 1, a, np.inf).sum())(a)
    sf = truncnorm.sf(a + 1, a, np.inf)
    expected = sf * truncnorm.pdf(a, a, np.inf) - truncnorm.pdf(a + 1, a, np.inf)
    np.testing.assert_allclose(found, expected, rtol=1e-11)
