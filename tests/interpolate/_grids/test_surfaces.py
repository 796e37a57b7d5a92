"""Smoothing surfaces, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import asarray, errors, prefer, to_numpy
from likewise.interpolate import (
    BivariateSpline,
    LSQBivariateSpline,
    RectBivariateSpline,
    SmoothBivariateSpline,
    bisplev,
    bisplrep,
)
from likewise.interpolate._grids import _rectangles, _scattered
from likewise.transforms import grad, jit

from ..closeness import near

RNG = np.random.default_rng(18)
X, Y = np.cumsum(RNG.uniform(0.1, 0.5, 24)), np.cumsum(RNG.uniform(0.1, 0.5, 20))
Z = np.sin(X)[:, None] * np.cos(0.7 * Y) + 0.1 * RNG.normal(size=(24, 20))
POINTS = RNG.uniform(0.0, 5.0, size=(3, 150))
HEIGHTS = np.sin(POINTS[0]) * np.cos(0.7 * POINTS[1]) + 0.1 * POINTS[2]
WEIGHTS = RNG.uniform(0.5, 2.0, size=150)
AT = np.linspace(-0.5, 5.5, 7), np.linspace(0.2, 4.0, 5)
BOX = [-0.1, 5.2, None, 5.5]


@pytest.mark.parametrize("case", [(4.5, 3, 3), (3.5, 2, 4), (99.0, 1, 3)])
def test_smoothing_on_a_grid(xp: Any, case: Any) -> None:
    s, kx, ky = case
    for box in ([None] * 4, [0.0, None, None, 9.0]):
        with prefer("generic"):
            ours = RectBivariateSpline(*map(xp.asarray, (X, Y, Z)), box, kx, ky, s)
        theirs = judge.RectBivariateSpline(X, Y, Z, box, kx, ky, s)
        if to_numpy(ours.tck[2]).dtype == np.float32:  # the search may take other turns
            assert float(ours.fp) <= s * 1.01
            continue
        for found, expected in zip(ours.tck, theirs.tck, strict=True):
            near(found, expected, 1e-7)
        near(ours.get_residual(), np.asarray(theirs.get_residual()), 1e-6)
        near(ours(*map(xp.asarray, AT), dy=1), theirs(*AT, dy=1), 1e-7)


@pytest.mark.parametrize("shared", [False, True])
def test_batches(xp: Any, shared: bool) -> None:
    x = np.cumsum(RNG.uniform(0.1, 0.5, (2, 3, 7)), axis=-1)
    y = Y[:6] if shared else np.cumsum(RNG.uniform(0.1, 0.5, (2, 3, 6)), axis=-1)
    z = RNG.normal(size=(2, 3, 7, 6))
    at = x[:, :1, :4] + 0.1, RNG.uniform(0.0, 2.0, (2, 3, 5))
    ours = RectBivariateSpline(*map(xp.asarray, (x, y, z)), ky=2)
    assert ours.fp.shape == (2, 3)
    slope = ours.partial_derivative(1, 1)
    found = {
        "grid": ours(*map(xp.asarray, at), dy=1),
        "zero": ours(*map(xp.asarray, at), dy=3),
        "points": ours.ev(xp.asarray(at[0][..., None]), xp.asarray(at[1][..., None, :])),
        "number": ours.ev(0.9, 0.8),
        "slope": slope.ev(*map(xp.asarray, (at[1], at[1]))),
        "integral": ours.integral(0.3, 1.2, 0.2, 9.0),
    }
    for i, j in np.ndindex(2, 3):
        one = judge.RectBivariateSpline(x[i, j], y if shared else y[i, j], z[i, j], ky=2)
        p, q = np.sort(at[0][i, 0]), at[1][i, j]
        order = np.argsort(q)
        expected = {
            "grid": one(p, q[order], dy=1)[:, np.argsort(order)],
            "zero": np.zeros((4, 5)),
            "points": one.ev(p[:, None], q),
            "number": one.ev(0.9, 0.8),
            "slope": one.ev(q, q, 1, 1),
            "integral": np.asarray(one.integral(0.3, 1.2, 0.2, 9.0)),
        }
        for name, v in found.items():
            near(v[i, j, ...], expected[name], 1e-10)
    with pytest.raises(errors.NotSupported, match="batch"):
        RectBivariateSpline(*map(xp.asarray, (x, y, z)), s=1.0)
    with pytest.raises(ValueError, match="strictly increasing"):
        RectBivariateSpline(*map(xp.asarray, (x[..., ::-1].copy(), y, z)))


def test_lines_in_a_wider_domain(xp: Any) -> None:
    box = [X[0] - 0.5, None, None, Y[5] + 0.5]
    with prefer("generic"):
        ours = RectBivariateSpline(*map(xp.asarray, (X[:5], Y[:6], Z[:5, :6])), box, 1, 1)
    theirs = judge.RectBivariateSpline(X[:5], Y[:6], Z[:5, :6], box, 1, 1)
    near(ours(*map(xp.asarray, AT)), theirs(*AT), 1e-11)
    none = xp.asarray(X[:0])
    with prefer("generic"):
        near(ours(none, xp.asarray(AT[1])), np.zeros((0, 5)))


def test_fewer_points_than_coefficients(xp: Any) -> None:
    data, s = (*POINTS[:2, :10], HEIGHTS[:10]), 0.05
    with prefer("generic"):
        found = bisplrep(*map(xp.asarray, data), kx=1, ky=3, s=s, full_output=1)
    expected = judge.bisplrep(*data, kx=1, ky=3, s=s, full_output=1)
    assert found[2] == expected[2] and len(expected[0][2]) == 12
    assert float(found[1]) == pytest.approx(expected[1], rel=2e-3)


def test_full_axes() -> None:
    x, y, z = X[:7], Y[:8], RNG.normal(size=(7, 8))
    for s in (0.5, 1e-2, 1e-4):
        found = RectBivariateSpline(x, y, z, s=s, maxit=100)
        assert np.all(np.diff(found.tck[1]) >= 0.0)
        rest = found(x, y) - z
        assert float(found.fp) == pytest.approx(np.sum(rest * rest), rel=1e-6)
        assert float(found.fp) == pytest.approx(s, rel=2e-3)
    exact = RectBivariateSpline(x, y, z, s=1e-12, maxit=200)
    near(exact(x, y), z, 1e-5)


@pytest.mark.parametrize("case", [(5.0, 3, 3), (9.0, 1, 4), (300.0, 2, 2), (1e-3, 3, 2)])
def test_scattered_points(lib: Any, xp: Any, case: Any) -> None:
    s, kx, ky = case
    data = (*POINTS[:2], HEIGHTS, WEIGHTS)
    if not lib.has_extensions:
        with pytest.raises(
            errors.ExtensionMissing, match="SmoothBivariateSpline: needs .* 'linalg'"
        ):
            SmoothBivariateSpline(*map(xp.asarray, data), BOX, kx, ky, s)
        return
    with prefer("generic"), pytest.warns() if s < 1.0 else nothing():
        ours = SmoothBivariateSpline(*map(xp.asarray, data), BOX, kx, ky, s)
    with pytest.warns() if s < 1.0 else nothing():
        theirs = judge.SmoothBivariateSpline(*data, BOX, kx, ky, s)
    for found, expected in zip(ours.tck, theirs.tck, strict=True):
        near(found, expected, 1e-7)
    near(ours.get_residual(), np.asarray(theirs.get_residual()), 1e-6)
    near(ours.ev(*map(xp.asarray, POINTS[:2])), theirs.ev(*POINTS[:2]), 1e-7)
    near(ours.integral(0.0, 2.0, 1.0, 9.0), np.asarray(theirs.integral(0.0, 2.0, 1.0, 9.0)), 1e-7)
    box = dict(zip(("xb", "xe", "ye"), (-0.1, 5.2, 5.5), strict=True))
    with prefer("generic"):
        tck, fp, status, text = bisplrep(
            *map(xp.asarray, data), **box, kx=kx, ky=ky, s=s, full_output=1
        )
    other, sum_, code, _ = judge.bisplrep(*data, **box, kx=kx, ky=ky, s=s, full_output=1)
    assert status == code and isinstance(text, str) and tck[3:] == other[3:]
    assert float(fp) == pytest.approx(sum_, rel=1e-6)
    near(bisplev(*map(xp.asarray, AT), tck), judge.bisplev(*AT, other), 1e-7)
    near(bisplev(xp.asarray(1.0), xp.asarray(AT[1]), tck), judge.bisplev(1.0, AT[1], other), 1e-7)


class nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *args: Any) -> None: ...


@pytest.mark.parametrize("knots", [([1.0, 2.5], [3.0]), ([], [1.0, 1.5, 4.0])])
def test_given_knots(xp: Any, knots: Any) -> None:
    data = (*POINTS[:2], HEIGHTS, *map(np.asarray, knots), WEIGHTS)
    data = tuple(np.asarray(v, float) for v in data)
    with prefer("generic"):
        ours = LSQBivariateSpline(*map(xp.asarray, data), [-0.1, 5.2, -0.2, 5.5], 2, 3)
    theirs = judge.LSQBivariateSpline(*data, [-0.1, 5.2, -0.2, 5.5], 2, 3)
    for found, expected in zip(ours.tck, theirs.tck, strict=True):
        near(found, expected, 1e-10)
    near(ours.fp, np.asarray(theirs.fp), 1e-10)
    slope, expected = ours.partial_derivative(1, 2), theirs.partial_derivative(1, 2)
    near(slope(*map(xp.asarray, AT)), expected(*AT), 1e-9)
    assert slope.get_residual() is None and isinstance(slope, BivariateSpline)


def test_too_few_points_for_the_knots() -> None:
    x, y = (v.ravel() for v in np.meshgrid(np.arange(5.0), [0.0, 1.0, 3.0, 4.0]))
    knots, box = np.asarray([1.3, 1.6]), [0.0, 4.0, 0.0, 4.0]
    for way in ("generic", "scipy"):
        with prefer(way), pytest.warns(errors.ConvergenceWarning, match="determine 20 of 25"):
            ours = LSQBivariateSpline(x, y, x * y, knots, knots, None, box, 2, 2)
    with pytest.warns(UserWarning, match="minimal norm"):
        theirs = judge.LSQBivariateSpline(x, y, x * y, knots, knots, None, box, 2, 2)
    near(ours.get_coeffs(), theirs.get_coeffs(), 1e-10)


@pytest.mark.parametrize("way", ["generic", "scipy"])
def test_through_as_many_points_as_coefficients(way: str) -> None:
    x, y = (v.ravel() for v in np.meshgrid(np.arange(7.0), np.arange(6.0) ** 1.1))
    with prefer(way):
        ours, _, status, _ = bisplrep(x, y, np.sin(x + 2 * y), s=0, full_output=True)
    theirs = judge.bisplrep(x, y, np.sin(x + 2 * y), s=0, full_output=True)
    assert status == theirs[2] == -1
    at = np.linspace(0.0, 6.0, 9), np.linspace(0.0, 5.0, 8)
    near(bisplev(*at, ours), judge.bisplev(*at, theirs[0]), 1e-8)


def test_more_knots_than_a_search_takes(capfd: pytest.CaptureFixture[str]) -> None:
    x, y = (v.ravel() for v in np.meshgrid([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]))
    knots = np.asarray([1.1, 2.9])
    with pytest.warns(errors.ConvergenceWarning, match="determine 9 of 16"):
        ours = LSQBivariateSpline(x, y, x * y, knots, knots, kx=1, ky=1)
    assert not "".join(capfd.readouterr())  # FITPACK prints what it refuses
    near(ours.ev(x, y), x * y, 1e-10)
    assert ours([], []).shape == (0, 0)


def test_trees() -> None:
    data = (*POINTS[:2], HEIGHTS, np.asarray([2.0]), np.asarray([3.0]))
    made = LSQBivariateSpline(*data)
    near(pickle.loads(pickle.dumps(made)).ev(*POINTS[:2]), made.ev(*POINTS[:2]))
    found = jit(lambda *v: LSQBivariateSpline(*v))(*data)
    assert isinstance(found, LSQBivariateSpline)
    near(found.get_coeffs(), made.get_coeffs(), 1e-10)


@pytest.mark.needs("torch")
@pytest.mark.parametrize("which", range(3))
def test_gradients_of_batches(which: int) -> None:
    x, y = np.stack([X[:6], X[3:9]]), np.stack([Y[:5], Y[4:9]])
    data, places = [x, y, RNG.normal(size=(2, 6, 5))], asarray(X[1:5], namespace="torch")
    along, h = RNG.normal(size=data[which].shape), 1e-6

    def total(v: Any) -> Any:
        every = [asarray(a, namespace="torch") for a in data]
        every[which] = v
        made = RectBivariateSpline(*every)
        return (made(places[None, :], places[None, :]) ** 2).sum()

    v = asarray(data[which], namespace="torch").requires_grad_(True)
    total(v).backward()
    ends = [float(total(asarray(data[which] + s * h * along, namespace="torch"))) for s in (1, -1)]
    assert np.sum(to_numpy(v.grad) * along) == pytest.approx(
        (ends[0] - ends[1]) / (2 * h), rel=1e-5
    )


@pytest.mark.needs("torch")
def test_gradients_through_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in (_rectangles, _scattered):  # differences are those of searches that end at s
        monkeypatch.setattr(place, "_CLOSE", 1e-11)
    monkeypatch.setattr(_scattered, "_STEPS", 99)
    axes = [asarray(v, namespace="torch") for v in (X, Y, *POINTS[:2], AT[1])]

    def of_grid(z: Any) -> Any:
        made = RectBivariateSpline(axes[0], axes[1], z, s=4.5, maxit=99)
        return (made.ev(axes[4], axes[4]) ** 2).sum()

    def of_points(z: Any) -> Any:
        made = SmoothBivariateSpline(axes[2], axes[3], z, s=5.0)
        return (made.ev(axes[4], axes[4]) ** 2).sum()

    for call, data in ((of_grid, Z), (of_points, HEIGHTS)):
        z = asarray(data, namespace="torch").requires_grad_(True)
        along = RNG.normal(size=data.shape)
        call(z).backward()
        h = 1e-5
        ends = [float(call(asarray(data + s * h * along, namespace="torch"))) for s in (1, -1)]
        assert np.sum(to_numpy(z.grad) * along) == pytest.approx(
            (ends[0] - ends[1]) / (2 * h), rel=1e-5
        )


def test_bad_arguments() -> None:
    x, y = POINTS[:2]
    with pytest.raises(TypeError, match="16 or more"):
        bisplrep(x[:9], y[:9], HEIGHTS[:9])
    with pytest.raises(ValueError, match="s should be s >= 0"):
        SmoothBivariateSpline(x, y, HEIGHTS, s=-1.0)
    with pytest.raises(ValueError, match="between"):
        SmoothBivariateSpline(x, y, HEIGHTS, eps=1.0)
    with pytest.raises(ValueError, match="weights must be"):
        SmoothBivariateSpline(x, y, HEIGHTS, -WEIGHTS)
    with pytest.raises(ValueError, match="same length"):
        SmoothBivariateSpline(x, y, HEIGHTS[1:])
    with pytest.raises(ValueError, match="bbox shape"):
        SmoothBivariateSpline(x, y, HEIGHTS, bbox=[1.0])
    with pytest.raises(ValueError, match="hold all points"):
        SmoothBivariateSpline(x, y, HEIGHTS, bbox=[2.0, None, None, None])
    with pytest.raises(ValueError, match="ascend strictly"):
        LSQBivariateSpline(x, y, HEIGHTS, [2.0, 1.0], [3.0])
    with pytest.raises(TypeError, match="not supported"):
        bisplrep(x, y, HEIGHTS, kx=6)
    with pytest.raises(TypeError, match="task must be"):
        bisplrep(x, y, HEIGHTS, task=2)
    with pytest.raises(errors.NotSupported, match="task=0"):
        bisplrep(x, y, HEIGHTS, task=1)
    with pytest.raises(TypeError, match="give tx and ty"):
        bisplrep(x, y, HEIGHTS, task=-1)
    with pytest.raises(TypeError, match="at least"):
        bisplrep(x, y, HEIGHTS, task=-1, tx=np.ones(5), ty=np.ones(9))
    with pytest.raises(ValueError, match="must hold"):
        bisplev(x, y, (x, y, HEIGHTS, 1, 1), dx=1)
    with pytest.raises(ValueError, match="need"):
        bisplev(x, y, (np.arange(5.0), np.arange(5.0), np.ones(3), 1, 1))
    with pytest.raises(ValueError, match="bisplrep"):
        bisplev(x, y, (x, y))
    with pytest.raises(errors.NotSupported, match="reads values"):
        grad(lambda z: SmoothBivariateSpline(x, y, z, s=5.0).fp)(HEIGHTS)
    with pytest.raises(errors.NotSupported, match="s=0"):
        grad(lambda z: RectBivariateSpline(X, Y, z, s=5.0).fp)(Z)
