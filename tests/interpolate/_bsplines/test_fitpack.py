"""FITPACK's functions and classes, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge
from scipy.optimize import brentq

from likewise import errors, transforms
from likewise.interpolate import (
    BSpline,
    InterpolatedUnivariateSpline,
    LSQUnivariateSpline,
    UnivariateSpline,
    insert,
    splantider,
    splder,
    splev,
    splint,
    splrep,
)

from ..closeness import near

RNG = np.random.default_rng(38)
X = np.sort(RNG.random(40))
Y = np.sin(8 * X) + 0.1 * RNG.normal(size=40)
W = RNG.random(40) + 0.5
V = np.asarray([[-0.1, 0.2, 0.31], [0.5, 0.77, 1.1]])
INNER = np.asarray([0.2, 0.5, 0.7])


def test_searches_of_any_library(xp: Any) -> None:
    x, y, w, v = (xp.asarray(a) for a in (X[::2], Y[::2], W[::2], V))
    theirs = judge.splrep(X[::2], Y[::2], s=0.3)
    ours = splrep(x, y, s=0.3)
    near(ours[0], theirs[0])
    near(ours[1], theirs[1], 1e-12)
    near(splrep(x, y, k=2)[1], judge.splrep(X[::2], Y[::2], k=2)[1], 1e-12)
    knots = xp.asarray(INNER)
    near(splrep(x, y, w, t=knots)[1], judge.splrep(X[::2], Y[::2], W[::2], t=INNER)[1], 1e-12)
    ours = UnivariateSpline(x, y, w, s=0.5, ext=1)
    near(ours(v), judge.UnivariateSpline(X[::2], Y[::2], W[::2], s=0.5, ext=1)(V), 1e-12)


@pytest.mark.parametrize("k", range(1, 6))
def test_knots_and_coefficients(k: int) -> None:
    xp, x, y, w = np, X, Y, W
    for options in (
        {},
        {"s": 0.3},
        {"s": 0.08 if k < 4 else 0.2, "xb": -0.1, "xe": 1.1},
        {"s": 9.0},
        {"t": INNER, "xb": -0.1},
    ):
        theirs, fp, status, _ = judge.splrep(X, Y, k=k, full_output=1, **options)
        if "t" in options:
            options = {**options, "t": xp.asarray(INNER)}
        ours, residual, found, _ = splrep(x, y, k=k, full_output=1, **options)
        near(ours[0], theirs[0])
        near(ours[1], theirs[1], 1e-12)
        if "s" in options:
            near(residual, np.asarray(fp), 1e-11)
        assert found == status
    theirs = judge.splrep(X, Y, 3 * W, k=k)
    near(splrep(x, y, 3 * w, k=k)[1], theirs[1], 1e-12)


def test_values_integrals_and_other_forms(xp: Any) -> None:
    for k in (1, 3, 4):
        tck = judge.splrep(X, Y, k=k, s=0.2)
        mine = xp.asarray(tck[0]), xp.asarray(tck[1]), k
        v = xp.asarray(V)
        for ext in (0, 1, 3):
            for der in range(k + 1):
                near(splev(v, mine, der, ext), judge.splev(V, tck, der, ext), 1e-12)
        for a, b in ((0.2, 0.7), (-1.0, 2.0), (0.9, 0.1)):
            near(splint(a, b, mine), np.asarray(judge.splint(a, b, tck)))
        basis = [judge.BSpline.basis_element(tck[0][i : i + k + 2], False) for i in range(3, 5)]
        near(splint(0.2, 0.7, mine, 1)[1][3:5], [e.integrate(0.2, 0.7) for e in basis], 1e-12)
        for ours, theirs in ((splder, judge.splder), (splantider, judge.splantider)):
            (t, c, degree), expected = ours(mine), theirs(tck)
            near(t, expected[0])
            near(c, expected[1])
            assert degree == expected[2]
        near(splder(mine, -1)[1], judge.splantider(tck)[1])
        t, c, _ = insert(0.4321, mine, min(k, 2))
        expected = judge.insert(0.4321, tck, min(k, 2))
        near(t, expected[0])
        near(c[: -k - 1], expected[1][: -k - 1])  # SciPy's padding is of no meaning
        assert c.shape == t.shape


def test_curves_and_objects(xp: Any) -> None:
    t, c, k = judge.splrep(X, Y, s=0.2)
    both = [xp.asarray(c), xp.asarray(2 * c)]
    found = splev(xp.asarray(V), (xp.asarray(t), both, k))
    near(found[1], 2 * judge.splev(V, (t, c, k)))
    near(
        splint(0.1, 0.6, (xp.asarray(t), both, k))[1],
        np.asarray(2 * judge.splint(0.1, 0.6, (t, c, k))),
    )
    assert len(insert(0.4, (xp.asarray(t), both, k))[1]) == 2
    spline = BSpline(xp.asarray(t), xp.asarray(c), k)
    near(splev(xp.asarray(V), spline), judge.splev(V, (t, c, k)))
    near(splder(spline)(xp.asarray(V)), judge.splev(V, (t, c, k), 1), 1e-12)
    assert isinstance(insert(0.4, spline), BSpline)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_classes(k: int) -> None:
    xp, x, y, w, v = np, X, Y, W, V
    for options in ({}, {"s": 0.3}, {"s": 0}, {"s": 0.5, "bbox": [-0.1, 1.1], "ext": 1}):
        ours = UnivariateSpline(x, y, w, k=k, **options)
        theirs = judge.UnivariateSpline(X, Y, W, k=k, **options)
        near(ours(v), theirs(V), 1e-12)
        near(ours.get_knots(), theirs.get_knots())
        near(ours.get_coeffs(), theirs.get_coeffs(), 1e-12)
        near(ours.integral(0.1, 0.9), np.asarray(theirs.integral(0.1, 0.9)), 1e-12)
        near(ours.derivatives(0.3), theirs.derivatives(0.3), 1e-11)
        near(ours.derivative()(v), theirs.derivative()(V), 1e-12)
        near(ours.antiderivative(2)(v), theirs.antiderivative(2)(V), 1e-12)
        for s in (0.3, 0.6, 0.2):
            ours.set_smoothing_factor(s)
            theirs.set_smoothing_factor(s)
            near(ours(v), theirs(V), 1e-8)
            near(ours.get_residual(), np.asarray(theirs.get_residual()), 1e-8)
    ours = InterpolatedUnivariateSpline(x, y, k=k, ext="const")
    near(ours(v), judge.InterpolatedUnivariateSpline(X, Y, k=k, ext=3)(V), 1e-12)
    ours, theirs = (
        LSQUnivariateSpline(x, y, xp.asarray(INNER), w, k=k),
        judge.LSQUnivariateSpline(X, Y, INNER, W, k=k),
    )
    near(ours(v), theirs(V))
    near(ours.get_residual(), np.asarray(theirs.get_residual()))


def _penalized(x: Any, y: Any, w: Any, places: Any, total: float) -> Any:
    """The spline with knots at places of points whose jumps leave exactly a sum of squares."""
    t = np.r_[[x[0]] * 4, x[places], [x[-1]] * 4]
    a = judge.BSpline.design_matrix(x, t, 3).toarray() * w[:, None]
    third = judge.BSpline(t, np.eye(len(t) - 4), 3).derivative(3)
    jumps = third(x[places] + 1e-9) - third(x[places] - 1e-9)

    def made(log_p: float) -> Any:
        rows = np.concatenate([a, jumps * np.exp(-log_p)])
        return np.linalg.lstsq(rows, np.r_[w * y, np.zeros(len(jumps))], rcond=None)[0]

    def over(log_p: float) -> float:
        return float(np.sum((w * y - a @ made(log_p)) ** 2)) - total

    return judge.BSpline(t, made(brentq(over, -10.0, 25.0, xtol=1e-13)), 3)


@pytest.mark.needs("torch")
def test_derivatives_follow_the_penalty() -> None:
    import torch

    x, y, w, v = X[::2], Y[::2], W[::2], np.asarray([0.2, 0.55, 0.8])
    tck, total, *_ = splrep(x, y, w, s=0.15, full_output=1)
    places = np.searchsorted(x, tck[0][4:-4])
    assert len(places) > 0
    near(_penalized(x, y, w, places, float(total))(v), splev(v, tck), 1e-7)
    rng, step = np.random.default_rng(0), 1e-5
    into, ways = rng.normal(size=3), [rng.normal(size=20) * 0.1 for _ in range(3)]
    data = [torch.tensor(a, requires_grad=True) for a in (x, y, w)]
    splev(torch.asarray(v), splrep(*data, s=0.15)).backward(torch.asarray(into))
    slope = sum(float(np.sum(a.grad.numpy() * d)) for a, d in zip(data, ways, strict=True))
    ends = []
    for e in (-step, step):
        moved = [a + e * d for a, d in zip((x, y, w), ways, strict=True)]
        ends.append(_penalized(*moved, places, float(total))(v))
    expected = float(np.sum(into * (ends[1] - ends[0]))) / (2 * step)
    np.testing.assert_allclose(slope, expected, rtol=1e-5)


def test_single_precision_and_trees() -> None:
    spline = UnivariateSpline(X.astype(np.float32), Y.astype(np.float32), s=1)
    assert spline(V.astype(np.float32)).dtype == np.float32
    kept = pickle.loads(pickle.dumps(spline))
    np.testing.assert_array_equal(kept(V), spline(V))
    mapped = transforms.tree_map(lambda a: a * 1, spline)
    np.testing.assert_array_equal(mapped(V), spline(V))


def test_coefficients_of_many_splines() -> None:
    t, c, k = splrep(X, Y)
    many = np.stack([np.stack([c, 2 * c, 3 * c]), np.stack([c, -c, 0 * c])])
    near(np.asarray(splev(V, (t, many, k))), np.asarray(judge.splev(V, (t, many, k))))
    near(np.asarray(splint(0.2, 0.7, (t, many, k))), judge.splint(0.2, 0.7, (t, many, k)))


def test_bad_arguments() -> None:
    t = splrep(X, Y)
    for call, kind, words in (
        (lambda: splrep(X, Y, k=6), TypeError, "1<=k<=5"),
        (lambda: splrep(X[:3], Y[:3]), TypeError, "m > k"),
        (lambda: splrep(X, Y[:-1]), TypeError, "Lengths"),
        (lambda: splrep(X, Y, task=-1), TypeError, "Knots must be given"),
        (lambda: splrep(X, Y, task=3), TypeError, "task must be"),
        (lambda: splrep(X, Y, task=1), errors.NotSupported, "task=0"),
        (lambda: splrep(X, Y, s=-1), ValueError, "s >= 0"),
        (lambda: splrep(X[::-1], Y), ValueError, "strictly increasing"),
        (lambda: splrep(X[::-1], Y, s=1), ValueError, "must be increasing"),
        (lambda: splrep(X, Y * np.nan), ValueError, "infs or NaNs"),
        (lambda: splrep(X, Y, 0 * W), ValueError, "above 0"),
        (lambda: splrep(X, np.stack([Y, Y], 1)), ValueError, "splprep"),
        (lambda: UnivariateSpline(X, np.stack([Y, Y], 1)), ValueError, "one dimension"),
        (lambda: UnivariateSpline(X[::-1], Y), ValueError, "increasing"),
        (lambda: InterpolatedUnivariateSpline(np.roll(X, 1), Y), ValueError, "increasing"),
        (lambda: UnivariateSpline(X, Y, -W), ValueError, "above 0"),
        (lambda: splrep(X, Y, xb=0.5), ValueError, "ends"),
        (lambda: splrep(X, Y, t=INNER[::-1]), ValueError, "Whitney"),
        (lambda: splrep(X, Y, t=np.linspace(0.5, 0.51, 9)), ValueError, "Whitney"),
        (lambda: splev(V, t, 4), ValueError, "0<=der"),
        (lambda: splev(V, t, 0, 5), ValueError, "ext = 5"),
        (lambda: splev(V, t, 0, 2), ValueError, "domain"),
        (lambda: splev(V, 3), ValueError, "tck must be"),
        (lambda: splder(t, 4), ValueError, "<= order"),
        (lambda: insert(9.0, t), ValueError, "Cannot insert"),
        (lambda: UnivariateSpline(X, Y, ext="wrap"), ValueError, "Unknown extrapolation"),
        (lambda: UnivariateSpline(X, Y, bbox=[1]), ValueError, "bbox"),
        (lambda: UnivariateSpline(X, Y, bbox=1), ValueError, "bbox"),
        (lambda: UnivariateSpline(X, Y)(V, 5), ValueError, "0<=der"),
        (lambda: LSQUnivariateSpline(X, Y, INNER).set_smoothing_factor(1), ValueError, "search"),
    ):
        with pytest.raises(kind, match=words):
            call()
    with pytest.raises(errors.NotSupported, match="make_smoothing_spline"):
        transforms.vmap(lambda y: splrep(X, y, s=1.0)[1])(np.stack([Y, Y]))
