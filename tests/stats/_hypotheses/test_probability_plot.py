"""Probability plots, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import stats, to_numpy
from likewise.errors import ArgumentError, ShapeError
from likewise.transforms import grad

X = np.random.default_rng(3).standard_t(4, 40)


class Axes:
    """Notes what is drawn."""

    def __init__(self) -> None:
        self.drawn: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        if name in ("title", "xlabel", "ylabel"):
            raise AttributeError(name)
        return lambda *args: self.drawn.append((name, args))


@pytest.mark.parametrize(
    ("dist", "sparams"), [("norm", ()), ("t", (4.0,)), ("gamma", 2.0), ("expon", [0.5, 2.0])]
)
def test_probplot_is_scipys(xp: Any, dist: str, sparams: Any) -> None:
    x = xp.asarray(X, dtype=xp.float64)
    (osm, osr), line = stats.probplot(x, sparams, dist)
    expected, fitted = judge.probplot(X, sparams, dist)
    np.testing.assert_allclose(to_numpy(osm), expected[0], rtol=1e-12)
    np.testing.assert_array_equal(to_numpy(osr), expected[1])
    np.testing.assert_allclose([float(v) for v in line], fitted, rtol=1e-12)
    found = stats.probplot(x, sparams, getattr(stats, dist), fit=False)
    np.testing.assert_array_equal(to_numpy(found[0]), to_numpy(osm))


def test_a_batch_is_its_rows() -> None:
    batch = np.reshape(X, (4, 10))
    (_, osr), line = stats.probplot(batch)
    for i in range(4):
        (_, single), fitted = judge.probplot(batch[i])
        np.testing.assert_array_equal(osr[i], single)
        np.testing.assert_allclose([v[i] for v in line], fitted, rtol=1e-12)


def test_drawings_are_scipys() -> None:
    for ours, theirs, args, options in (
        (stats.probplot, judge.probplot, (X,), {"rvalue": True}),
        (stats.probplot, judge.probplot, (X,), {"fit": False}),
        (stats.ppcc_plot, judge.ppcc_plot, (X, -0.5, 0.5), {"N": 5}),
    ):
        mine, other = Axes(), Axes()
        ours(*args, plot=mine, **options)
        theirs(*args, plot=other, **options)
        assert [name for name, _ in mine.drawn] == [name for name, _ in other.drawn]
        for (_, a), (_, b) in zip(mine.drawn, other.drawn, strict=True):
            for one, two in zip(a, b, strict=True):
                if isinstance(two, str):
                    assert one == two
                else:
                    np.testing.assert_allclose(one, two, rtol=1e-10)


@pytest.mark.parametrize(("dist", "brack"), [("tukeylambda", (0.0, 1.0)), ("t", (2.0, 3.0, 9.0))])
def test_shapes_are_scipys(xp: Any, dist: str, brack: Any) -> None:
    x = xp.asarray(X, dtype=xp.float64)
    svals, ppcc = stats.ppcc_plot(x, 0.1, 0.9, dist, N=7)
    expected = judge.ppcc_plot(X, 0.1, 0.9, dist, N=7)
    np.testing.assert_allclose(to_numpy(svals), expected[0], rtol=1e-14)
    np.testing.assert_allclose(to_numpy(ppcc), expected[1], rtol=1e-9)
    if dist == "tukeylambda":
        found = float(stats.ppcc_max(x, brack, dist))
        np.testing.assert_allclose(found, judge.ppcc_max(X, brack, dist), atol=1e-6)


def test_slope_has_a_derivative() -> None:
    slope = grad(lambda x: stats.probplot(x)[1][0])(X)
    np.testing.assert_allclose(slope.sum(), 0, atol=1e-12)
    np.testing.assert_allclose((slope * X).sum(), stats.probplot(X)[1][0], rtol=1e-12)


def test_refused() -> None:
    for name in ("wrong", "truncate", 3):
        with pytest.raises(ArgumentError, match="valid distribution name"):
            stats.probplot(X, dist=name)
    with pytest.raises(ArgumentError, match="larger"):
        stats.ppcc_plot(X, 1, 0)
    with pytest.raises(ShapeError, match="shape"):
        stats.ppcc_max(np.reshape(X, (4, 10)))
    (osm, osr), line = stats.probplot(np.asarray([]))
    assert osm.size == osr.size == 0
    np.testing.assert_array_equal(line, judge.probplot([])[1])


def test_no_values_and_brackets_out_of_order(xp: Any) -> None:
    shapes, found = stats.ppcc_plot(xp.asarray([], dtype=xp.float64), 0, 1)
    np.testing.assert_allclose(to_numpy(shapes), np.linspace(0, 1, 80), rtol=1e-6)
    assert found.shape == (80,) and not to_numpy(found).any()
    with pytest.raises(ArgumentError, match="in order"):
        stats.ppcc_max(X, brack=(0.0, 1.0, 0.5))
    down, up = (stats.ppcc_max(X, brack=b) for b in ((0.5, 0.1, -0.7), (-0.7, 0.1, 0.5)))
    np.testing.assert_allclose(down, up, atol=1e-6)
