"""The incomplete beta functions and the distributions made of them against mpmath, at random."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest

import likewise.special

pytestmark = pytest.mark.full


def lower(a: Any, b: Any, x: Any, y: Any) -> Any:
    """The regularized function by 8.17.8 or the even part of 8.17.22 of DLMF, at any precision."""
    near = min(x, y) < 0.3 and (a + b) * min(x, y) < 1.5
    if not (x <= y if near else a * y >= b * x):
        return 1 - lower(b, a, y, x)
    beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
    front = mp.exp(a * mp.log(x) + b * mp.log(y) - beta)
    if near:
        term = total = mp.mpf(1)
        for n in range(200):
            term *= (a + b + n) * x / (a + 1 + n)
            total += term
        return front * total / a
    last, count = mp.mpf(0), 64
    while True:
        found = fraction(a, b, x, y, count)
        if abs(found - last) < abs(found) * mp.mpf(10) ** -22:
            return front / found
        last, count = found, 2 * count


def fraction(a: Any, b: Any, x: Any, y: Any, count: int) -> Any:
    away, below = a * y - b * x + 1, mp.mpf(0)
    for m in range(count, 0, -1):
        first = m * (b - m) * x / (a + 2 * m - 1)
        level = m + first + (a + m) * (away + m * (1 + y)) / (a + 2 * m + 1) + below
        below = first * (a + m - 1) * (a + b + m - 1) * x / (a + 2 * m - 1) / level
    return a * away / (a + 1) + below


def points(kind: str, rng: Any, n: int) -> tuple[Any, Any, Any]:
    lows, highs = {"tiny": (-9, 0), "small": (-3, 1), "wide": (-2, 4), "large": (2, 8)}[kind]
    a, b = 10 ** rng.uniform(lows, highs, n), 10 ** rng.uniform(lows, highs, n)
    p = a / (a + b)
    about = p + np.sqrt(p * (1 - p) / (a + b + 1)) * rng.uniform(-12, 12, n)
    ends = np.where(
        rng.random(n) < 0.5, 10 ** rng.uniform(-9, 0, n), 1 - 10 ** rng.uniform(-9, 0, n)
    )
    x = np.where((rng.random(n) < 0.6) & (about > 0) & (about < 1), about, ends)
    return a, b, np.clip(x, 1e-12, 1 - 2.0**-24)


def condition(a: Any, b: Any, x: Any, value: Any) -> Any:
    h = mp.mpf(10) ** -12
    slopes = ((lower(a + da * h, b + db * h, x, 1 - x) - value) / h for da, db in ((a, 0), (0, b)))
    beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
    return mp.exp(a * mp.log(x) + (b - 1) * mp.log1p(-x) - beta) + sum(abs(s) for s in slopes)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kind", ["tiny", "small", "wide", "large"])
def test_betainc(kind: str, dtype: str, rng: Any) -> None:
    args = [v.astype(dtype) for v in points(kind, rng, 250 if kind != "large" else 60)]
    found = {n: getattr(likewise.special, n).generic(*args) for n in ("betainc", "betaincc")}
    info, limit = np.finfo(dtype), 6.0 if dtype == "float64" else 8.0
    for i, at in enumerate(zip(*args, strict=True)):
        with mp.workdps(50):
            a, b, x = (mp.mpf(float(v)) for v in at)
            value = lower(a, b, x, 1 - x)
            bent = condition(a, b, x, value)
            for name, exact in (("betainc", value), ("betaincc", 1 - value)):
                if not float(info.smallest_normal) < exact or exact < mp.mpf(10) ** -25:
                    continue
                got = found[name][i]
                unit = float(np.spacing(np.asarray(float(exact), dtype)))
                error = abs(mp.mpf(float(got)) - exact) / unit / (1 + bent / exact)
                assert error < limit, (name, at, got, mp.nstr(exact, 20), mp.nstr(error, 4))


@pytest.mark.parametrize("first", [1.0, 0.0])
@pytest.mark.parametrize("kind", ["small", "wide", "large"])
def test_derivatives_in_shapes(kind: str, first: float, rng: Any) -> None:
    from likewise.special import _betainc

    args = points(kind, rng, 60 if kind != "large" else 20)
    found = _betainc.betainc_by_shape(first, *args)
    for at, got in zip(zip(*args, strict=True), found, strict=True):
        with mp.workdps(60):
            a, b, x = (mp.mpf(float(v)) for v in at)
            h = mp.mpf(10) ** -9
            da, db = (a * h, 0) if first else (0, b * h)
            ahead = lower(a + da, b + db, x, 1 - x) - lower(a - da, b - db, x, 1 - x)
            exact = ahead / (2 * (da + db))
            if abs(exact) > mp.mpf(10) ** -12:
                assert abs(mp.mpf(float(got)) / exact - 1) < 1e-9, (at, got, mp.nstr(exact, 20))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_student_and_fisher(dtype: str, rng: Any) -> None:
    m, n = (10 ** rng.uniform(-1, 3.5, 200) for _ in range(2))
    x, t = 10 ** rng.normal(0, 1, 200), rng.normal(0, 4, 200)
    m, n, x, t = (v.astype(dtype) for v in (m, n, x, t))
    fisher, student = likewise.special.fdtr(m, n, x), likewise.special.stdtr(n, t)
    tolerance = 40 * np.finfo(dtype).eps
    for i in range(m.size):
        with mp.workdps(50):
            d, e, u, v = (mp.mpf(float(z[i])) for z in (m, n, x, t))
            exact = lower(d / 2, e / 2, d * u / (e + d * u), e / (e + d * u))
            if exact > 1e-37:
                size = 1 + abs(mp.log(exact)) + mp.sqrt(d + e)
                assert abs(float(fisher[i]) / exact - 1) < tolerance * size, (i, m[i], n[i], x[i])
            tail = lower(e / 2, mp.mpf(1) / 2, e / (e + v * v), v * v / (e + v * v)) / 2
            exact = tail if v < 0 else 1 - tail
            size = 1 + abs(mp.log(exact)) + v * v
            assert abs(float(student[i]) / exact - 1) < tolerance * size, (i, n[i], t[i])
