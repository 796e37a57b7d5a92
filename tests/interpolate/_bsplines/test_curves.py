"""Curves, periodic searches, roots, cross-validation, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import errors
from likewise.interpolate import (
    BSpline,
    CubicSpline,
    UnivariateSpline,
    make_smoothing_spline,
    make_splprep,
    make_splrep,
    spalde,
    splprep,
    splrep,
    sproot,
)
from likewise.interpolate._bsplines._search import Options, smoothed

from ..closeness import near

RNG = np.random.default_rng(41)
X = np.sort(RNG.random(24))
Y = np.sin(8 * X) + 0.1 * RNG.normal(size=24)
W = RNG.random(24) + 0.5
CURVE = np.stack([np.cos(6 * X), np.sin(6 * X)]) + 0.05 * RNG.normal(size=(2, 24))
V = np.asarray([0.2, 0.55, 0.8])


@pytest.mark.parametrize("periodic", [False, True])
def test_curves(xp: Any, periodic: bool) -> None:
    x, w = xp.asarray(CURVE), xp.asarray(W)
    for options in ({"s": 0.2}, {"s": 0.02, "k": 2}, {"s": 0}, {}):
        (t, c, _), u = judge.splprep(CURVE.copy(), w=W, per=periodic, **options)
        ours, at = splprep(x, w, per=periodic, **options)
        near(at, u, 1e-13)
        near(ours[0], t, 1e-13)
        near(xp.stack(ours[1]), np.stack(c), 1e-9)
    (t, c, _), _ = judge.splprep(30 * CURVE)  # the usual s isn't 0
    near(splprep(30 * x)[0][0], t, 1e-13)
    t = np.r_[[0.0] * 4, 0.3, 0.6, [1.0] * 4]
    (_, c, _), _ = judge.splprep(CURVE, t=t, task=-1)
    near(xp.stack(splprep(x, t=xp.asarray(t), task=-1)[0][1]), np.stack(c), 1e-11)


def test_objects(xp: Any) -> None:
    x, y, w = (xp.asarray(a) for a in (X, Y, W))
    for options in ({"s": 0.2}, {"s": 0.05, "k": 2}, {}):
        weights, given = ({"w": W}, {"w": w}) if options else ({}, {})
        theirs = judge.make_splrep(X, Y, **weights, **options)
        ours = make_splrep(x, y, **given, **options)
        near(ours.t, theirs.t)
        near(ours.c, theirs.c, 1e-9)
        curve, u = judge.make_splprep(list(CURVE), **weights, **options)
        found, at = make_splprep(xp.asarray(CURVE), **given, **options)
        near(at, u)
        near(found(xp.asarray(V)), curve(V), 1e-9)
    t = np.r_[[X[0]] * 4, 0.3, 0.6, [X[-1]] * 4]
    total = 1.2 * float(np.sum((judge.make_lsq_spline(X, Y, t)(X) - Y) ** 2))
    near(
        make_splrep(x, y, t=xp.asarray(t), s=total).c, judge.make_splrep(X, Y, t=t, s=total).c, 1e-8
    )


@pytest.mark.parametrize("k", range(1, 6))
def test_periodic_searches_decide_as_fitpack(k: int) -> None:
    y = np.r_[Y[:-1], Y[:1]]
    for s in (30.0, 1.0, 0.1, 0.01, 0.0):
        (t, c, _), fp, status, _ = judge.splrep(X, y, W, k=k, s=s, per=1, full_output=1)
        ours, _, found, _ = splrep(X, y, W, k=k, s=s, per=1, full_output=1)
        near(ours[0], t)
        near(ours[1][: -k - 1], c[: len(t) - k - 1])
        assert found == status
        columns = y[:, None]
        made = smoothed.__wrapped__(columns, X, W, X[:1], X[-1:], s, Options(k, True), None)
        near(made.t, t, 1e-12)
        near(made.c[:, 0], c[: len(t) - k - 1], 1e-7)
        near(made.residual, np.asarray(fp), 1e-8)


@pytest.mark.parametrize("k", range(1, 6))
def test_periodic_searches_decide_as_scipy(k: int) -> None:
    y = Y + 0.4 * np.random.default_rng(k).normal(size=24)
    y[-1] = y[0]
    for s in (6.0, 2.0, 0.5, 0.05):
        for w in (None, W):
            theirs = judge.make_splrep(X, y, w=w, k=k, s=s, bc_type="periodic")
            ours = make_splrep(X, y, w=w, k=k, s=s, bc_type="periodic")
            near(ours.t, theirs.t)
            near(ours.c, theirs.c, 1e-6)


def test_searches_next_to_interpolation(xp: Any) -> None:
    for k, s in ((5, 1e-4), (5, 1e-6), (4, 1e-3)):
        theirs = judge.splrep(X, Y, k=k, s=s, full_output=1)
        ours = splrep(xp.asarray(X), xp.asarray(Y), k=k, s=s, full_output=1)
        near(ours[0][0], theirs[0][0])
        near(ours[0][1][: -k - 1], theirs[0][1][: len(theirs[0][0]) - k - 1], 1e-6)
        assert ours[2] == theirs[2]


def test_roots_and_derivatives(xp: Any) -> None:
    t, c, k = judge.splrep(X, Y - 0.1)
    ours = xp.asarray(t), xp.asarray(c), k
    roots = judge.sproot((t, c, k), 99)
    near(sproot(ours), roots, 1e-12)
    near(sproot((ours[0], [ours[1], 2 * ours[1]], k))[1], roots, 1e-12)
    near(sproot(ours, size=len(roots) + 2)[:-2], roots, 1e-12)
    spline = UnivariateSpline(xp.asarray(X), xp.asarray(Y), s=0.1)
    near(spline.roots(), judge.UnivariateSpline(X, Y, s=0.1).roots(), 1e-11)
    near(spalde(xp.asarray(V[1]), ours), judge.spalde(V[1], (t, c, k)), 1e-11)


@pytest.mark.parametrize("ends", ["not-a-knot", "natural", "clamped", "periodic"])
def test_power_basis(xp: Any, ends: str) -> None:
    y = np.r_[Y[:-1], Y[:1]]
    theirs = judge.BSpline.from_power_basis(judge.CubicSpline(X, y, bc_type=ends), ends)
    cubic = CubicSpline(xp.asarray(X), xp.asarray(y), bc_type=ends)
    ours = BSpline.from_power_basis(cubic, ends)
    near(ours.t, theirs.t)
    near(ours.c, theirs.c, 1e-11)


def test_cross_validation(xp: Any) -> None:
    y = np.stack([Y, np.cos(9 * X) + 0.2 * RNG.normal(size=24)], axis=1)
    for w in (None, W):
        ours = make_smoothing_spline(
            xp.asarray(X), xp.asarray(y), None if w is None else xp.asarray(w)
        )
        near(ours(xp.asarray(V)), judge.make_smoothing_spline(X, y, w)(V), 1e-6)


@pytest.mark.needs("torch")
def test_derivatives_in_smoothing_and_values() -> None:
    import torch

    v, step = torch.asarray(V), 1e-5

    def slope(call: Any, at: float) -> None:
        s = torch.tensor(at, dtype=torch.float64, requires_grad=True)
        call(s).backward()
        ends = [float(call(torch.tensor(at + d, dtype=torch.float64))) for d in (-step, step)]
        np.testing.assert_allclose(float(s.grad), (ends[1] - ends[0]) / (2 * step), rtol=1e-5)

    x, y = torch.asarray(X), torch.asarray(Y)
    slope(lambda lam: torch.sum(make_smoothing_spline(x, y, lam=lam)(v)), 0.01)
    tck = splrep(x, y, s=0.2)
    total = float(torch.sum((BSpline(*tck)(x) - y) ** 2))
    s = torch.tensor(0.2, dtype=torch.float64, requires_grad=True)
    torch.sum(BSpline(*splrep(x, y, s=s))(v)).backward()
    t, ends = tck[0].numpy(), []
    for d in (-1e-4, 1e-4):  # the same knots; the sum of squares that was found, and next to it
        ends.append(_reaching(t, total + d)(V).sum())
    np.testing.assert_allclose(float(s.grad), (ends[1] - ends[0]) / 2e-4, rtol=1e-4)
    moved = torch.tensor(Y, requires_grad=True)
    torch.sum(make_smoothing_spline(x, moved)(v)).backward()
    way = np.cos(np.arange(24.0))
    found = float(np.sum(moved.grad.numpy() * way))
    ends = [judge.make_smoothing_spline(X, Y + d * way)(V).sum() for d in (-1e-2, 1e-2)]
    np.testing.assert_allclose(found, (ends[1] - ends[0]) / 2e-2, rtol=1e-2)


def _reaching(t: Any, total: float) -> Any:
    """The spline of knots whose penalty leaves a sum of squares: by bisection."""
    a = judge.BSpline.design_matrix(X, t, 3).toarray()
    third = judge.BSpline(t, np.eye(len(t) - 4), 3).derivative(3)
    jumps = third(t[4:-4] + 1e-9) - third(t[4:-4] - 1e-9)
    low, high = -30.0, 30.0
    for _ in range(80):
        p = (low + high) / 2
        rows = np.concatenate([a, jumps * np.exp(-p)])
        c = np.linalg.lstsq(rows, np.r_[Y, np.zeros(len(jumps))], rcond=None)[0]
        low, high = (p, high) if np.sum((Y - a @ c) ** 2) > total else (low, p)
    return judge.BSpline(t, c, 3)


def test_objects_of_lists_high_degrees_and_no_inner_knots() -> None:
    ends = np.asarray([0.0] * 4 + [1.0] * 4)
    for x, y, options in (
        (X, Y, {"k": 6, "s": 0.2}),
        (X, Y, {"s": 0.2, "t": ends, "xb": 0.0, "xe": 1.0}),
        ([1, 2, 3], [3, 3, 3], {"k": 1, "s": 3}),
    ):
        ours, theirs = make_splrep(x, y, **options), judge.make_splrep(x, y, **options)
        near(ours.t, theirs.t)
        near(ours.c, theirs.c, 1e-9)


def test_bad_arguments() -> None:
    t, c, _ = splrep(X, Y, k=2)
    for call, kind, words in (
        (lambda: sproot((t, c, 2)), ValueError, "cubic"),
        (lambda: sproot((t[:6], c, 3)), TypeError, "8"),
        (lambda: UnivariateSpline(X, Y, k=2).roots(), NotImplementedError, "non-cubic"),
        (lambda: spalde(9.0, (t, c, 2)), ValueError, "domain"),
        (lambda: splprep(CURVE, task=1), errors.NotSupported, "task=0"),
        (lambda: splprep(CURVE, task=-1), TypeError, "Knots"),
        (lambda: splprep(CURVE, task=2), TypeError, "task must"),
        (lambda: splprep(CURVE[0]), ValueError, "coordinates"),
        (lambda: splprep(CURVE, task=-1, t=t[:3]), TypeError, "2\\*k\\+2"),
        (lambda: make_splrep(X, Y, w=W), ValueError, "interpolation"),
        (lambda: make_splrep(X, Y, s=1, bc_type="natural"), ValueError, "periodic"),
        (lambda: make_splrep(X, Y, s=1, nest=3), ValueError, "nest"),
        (lambda: make_splrep(X, Y, s=1, nest=9, t=t), ValueError, "Either"),
        (lambda: make_splrep(X, Y, s=-1), ValueError, "s >= 0"),
        (lambda: make_splrep(X, Y, s=1, k=2.5), TypeError, "integer"),
        (lambda: make_splrep(X, Y, s=1, bc_type="periodic"), ValueError, "First and last"),
        (lambda: make_splrep(1, 2, s=1), TypeError, "Lengths"),
        (lambda: BSpline.from_power_basis(BSpline(t, c, 2)), NotImplementedError, "CubicSpline"),
        (lambda: BSpline.from_power_basis(CubicSpline(X, Y), "free"), ValueError, "boundary"),
    ):
        with pytest.raises(kind, match=words):
            call()
