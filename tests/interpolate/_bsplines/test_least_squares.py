"""Splines of given knots nearest to data, and smoothing splines, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import errors, namespace
from likewise.interpolate import make_lsq_spline, make_smoothing_spline
from likewise.transforms import jit

from ..closeness import near

RNG = np.random.default_rng(37)


def _knots(k: int, inner: int) -> np.ndarray:
    return np.r_[[0.0] * (k + 1), np.linspace(0, 1, inner + 2)[1:-1], [1.0] * (k + 1)]


def _points(m: int) -> np.ndarray:
    return (np.arange(m) + RNG.random(m)) / m


@pytest.mark.parametrize("k", range(6))
def test_least_squares(xp: Any, k: int) -> None:
    x, t, w = _points(40), _knots(k, 7), RNG.random(40) + 0.1
    for shape, part in (((40,), 0.0), ((40, 2), 1.0j)):
        y = RNG.normal(size=shape) * (1 + part)
        for weights in (None, w):
            theirs = judge.make_lsq_spline(x, y, t, k, weights)
            some = None if weights is None else xp.asarray(weights)
            args = xp.asarray(x), xp.asarray(y), xp.asarray(t), k, some
            near(make_lsq_spline(*args).c, theirs.c)
            near(make_lsq_spline(*args, method="norm-eq").c, theirs.c, 1e-11)


def test_least_squares_of_batches_and_axes(xp: Any) -> None:
    x, t, y = np.stack([_points(20), _points(20)]), _knots(3, 4), RNG.normal(size=(2, 3, 20))
    t = np.stack([t, t**1.5])
    ours = make_lsq_spline(xp.asarray(x), xp.asarray(y), xp.asarray(t), axis=1)
    for i in range(2):
        near(ours.c[i, ...], judge.make_lsq_spline(x[i], y[i], t[i], axis=1).c)


def test_bad_arguments_of_least_squares() -> None:
    x, y, t = _points(9), np.ones(9), _knots(3, 2)
    for args, options, words in (
        ((x[::-1], y, t), {}, "Expect x"),
        ((x, y, t[::-1]), {}, "Expect t"),
        ((x, y, t[:7]), {}, "8 knots or more"),
        ((x + 1, y, t), {}, "Out of bounds"),
        ((x, y[1:], t), {}, "incompatible"),
        ((x, y, t), {"w": y[1:]}, "incompatible"),
        ((x, y * np.nan, t), {}, "infs or NaNs"),
        ((x[:3], y[:3], t), {}, "Need more x"),
        ((x, y, t), {"method": "svd"}, "method"),
    ):
        with pytest.raises(ValueError, match=words):
            make_lsq_spline(*args, **options)
    with pytest.raises(np.linalg.LinAlgError, match="Whitney"):
        make_lsq_spline(x, y, np.r_[[0.0] * 4, [0.01, 0.02, 0.03, 0.04, 0.05], [1.0] * 4])


def test_smoothing(xp: Any) -> None:
    for n in (5, 6, 30):
        x, y, w = _points(n) * n, RNG.normal(size=(2, n)), RNG.random(n) + 0.2
        for lam in (0.0, 1e-3, 0.5):
            theirs = judge.make_smoothing_spline(x, y, w, lam, axis=1)
            ours = make_smoothing_spline(xp.asarray(x), xp.asarray(y), xp.asarray(w), lam, axis=1)
            near(ours.t, theirs.t)
            near(ours.c, theirs.c, 1e-12)
    # the limit is the straight line of least squares
    line = np.polynomial.Polynomial.fit(x, y[0], 1, w=np.sqrt(w))
    ours = make_smoothing_spline(xp.asarray(x), xp.asarray(y[0]), xp.asarray(w), 1e9)
    near(ours(xp.asarray(x)), line(x), 1e-4)


def test_each_spline_of_a_batch_has_its_smoothing(xp: Any) -> None:
    x, y, lam = np.stack([_points(9), _points(9)]) * 9, RNG.normal(size=(2, 9)), [0.1, 2.0]
    ours = make_smoothing_spline(xp.asarray(x), xp.asarray(y), lam=xp.asarray(lam))
    for i in range(2):
        near(ours.c[i, ...], judge.make_smoothing_spline(x[i], y[i], lam=lam[i]).c, 1e-12)


def test_bad_arguments_of_smoothing() -> None:
    x, y = _points(9), np.ones(9)
    for args, options, words in (
        ((x, y), {"lam": -1.0}, "non-negative"),
        ((x[:4], y[:4]), {"lam": 1.0}, "at least 5"),
        ((x[::-1], y), {"lam": 1.0}, "increasing"),
        ((x, y, y * 0), {"lam": 1.0}, "weights"),
        ((x, y, y[:3]), {"lam": 1.0}, "shape of x"),
    ):
        with pytest.raises(ValueError, match=words):
            make_smoothing_spline(*args, **options)
    with pytest.raises(errors.ShapeError, match="lam"):
        make_smoothing_spline(x, y, lam=np.ones(3))


@pytest.mark.parametrize("method", ["qr", "norm-eq"])
def test_fewer_points_than_coefficients(method: str) -> None:
    x, t = np.linspace(0.0, 1.0, 6), np.repeat([0.0, 0.3, 0.7, 1.0], [5, 1, 1, 5])
    for one in (make_lsq_spline, judge.make_lsq_spline):
        with pytest.raises(ValueError, match="coefficients|nc = 7|positive definite"):
            one(x, np.sin(x), t, 4, method=method)


def test_points_that_no_b_spline_has_of_its_own(xp: Any) -> None:
    """By Schoenberg and Whitney: that a matrix of values has all its rank is the reference."""
    rng, k = np.random.default_rng(8), 2
    x = np.sort(rng.integers(0, 9, (40, 8)) / 4.0, axis=1)
    x[:, 0], x[:, -1] = 0.0, 2.0
    w = rng.integers(0, 4, (40, 8)) + 0.0
    inner = np.sort(rng.integers(1, 13, (40, 2)) / 6.0, axis=1)
    t = np.concatenate([np.zeros((40, 3)), inner, np.full((40, 3), 2.0)], axis=1)
    rank = []
    for i in range(40):
        rows = judge.BSpline(t[i], np.eye(5), k)(x[i]) * w[i][:, None]
        rank.append(np.linalg.matrix_rank(rows) == 5)
    assert 5 < sum(rank) < 35
    out = make_lsq_spline(*(xp.asarray(v) for v in (x, np.sin(x), t)), k, xp.asarray(w)).c
    assert [bool(xp.all(xp.isfinite(out[i, :]))) for i in range(40)] == rank


def test_one_spline_that_is_not_determined() -> None:
    x = np.asarray([-1.5, -1.25, -0.75, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.5, 3.25])
    t = np.asarray([-1.5] * 3 + [1.6, 1.7, 2.9] + [3.25] * 3)
    for method in ("qr", "norm-eq"):
        with pytest.raises(np.linalg.LinAlgError, match="Schoenberg and Whitney"):
            make_lsq_spline(x, np.sin(x), t, 2, method=method)


@pytest.mark.needs("jax")
def test_one_spline_that_is_not_determined_under_jit() -> None:
    xp = namespace("jax")
    x = xp.asarray([-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.5, 3.25])
    work = jit(lambda t: make_lsq_spline(x, x, t, 2).c)
    for inner, known in (([1.6, 1.7, 2.9], False), ([0.0, 1.0, 2.0], True)):
        c = work(xp.asarray([-1.5] * 3 + inner + [3.25] * 3))
        assert np.all(np.isfinite(np.asarray(c))) == known
