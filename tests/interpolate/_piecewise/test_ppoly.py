"""Piecewise polynomials in powers, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import errors
from likewise.interpolate import PPoly

from ..closeness import near

RNG = np.random.default_rng(34)
X = np.asarray([-1.0, 0.0, 0.7, 2.5, 3.0])
C = RNG.normal(size=(4, 4, 2, 3))
V = np.asarray([[-2.0, -1.0, 0.3], [0.7, 2.9, 3.0], [3.5, np.nan, 0.0]])


@pytest.mark.parametrize("mode", [True, False, "periodic"])
def test_values_derivatives_and_integrals(xp: Any, mode: Any) -> None:
    for c, x in ((C, X), (C, -X), (C + 1j, X), (C[:1], X)):
        ours, theirs = PPoly(xp.asarray(c), xp.asarray(x), mode), judge.PPoly(c, x, mode)
        for nu in (0, 1, 4):
            near(ours(xp.asarray(V), nu), theirs(V, nu))
        near(ours(0.5, extrapolate=False), theirs(0.5, extrapolate=False))
        for nu in (1, 2, 9):
            near(ours.derivative(nu).c, theirs.derivative(nu).c)
            near(ours.antiderivative(nu).c, theirs.antiderivative(nu).c)
            assert ours.antiderivative(nu).extrapolate == theirs.antiderivative(nu).extrapolate
        if x is X:
            for a, b in ((-0.5, 2.6), (2.6, -0.5), (-4.0, 9.0), (0.1, 0.2)):
                near(ours.integrate(a, b), theirs.integrate(a, b))


def test_axes_and_pieces_put_on(xp: Any) -> None:
    c = np.moveaxis(C, (0, 1), (1, 2))
    ours, theirs = PPoly(xp.asarray(c), xp.asarray(X), axis=1), judge.PPoly(c, X, axis=1)
    near(ours.c, theirs.c)
    near(ours(xp.asarray(V)), theirs(V))
    near(ours.integrate(0.0, 1.0), theirs.integrate(0.0, 1.0))
    for more, x in ((C[:2, :2], [3.5, 4.0]), (C[:, :2], [-4.0, -2.0])):
        mine = PPoly(xp.asarray(C), xp.asarray(X)).extend(xp.asarray(more), xp.asarray(x))
        its = judge.PPoly(C, X)
        its.extend(more, np.asarray(x))
        near(mine.c, its.c)
        near(mine.x, its.x)


def test_each_problem_of_a_batch_has_its_breakpoints(xp: Any) -> None:
    x = np.sort(RNG.normal(size=(2, 3, 5)), axis=-1)
    c, v = RNG.normal(size=(3, 2, 3, 4, 2)), RNG.normal(size=(2, 1, 6))
    for mode in (True, False, "periodic"):
        ours = PPoly(xp.asarray(c), xp.asarray(x), mode)
        found = [ours(xp.asarray(v), nu) for nu in (0, 1, 2)], ours.integrate(0.1, 0.4), ours(0.2)
        for i, j in np.ndindex(2, 3):
            one = judge.PPoly(c[:, i, j], x[i, j], mode)
            for nu, got in zip((0, 1, 2), found[0], strict=True):
                near(got[i, j, ...], one(v[i, 0], nu))
            near(found[1][i, j, ...], one.integrate(0.1, 0.4), 1e-12)
            near(found[2][i, j, ...], one(0.2))


def test_single_precision_stays(xp: Any) -> None:
    p = PPoly(xp.asarray(C, dtype=xp.float32), xp.asarray(X, dtype=xp.float32))
    assert p(0.5).dtype == xp.float32


def test_objects_are_kept() -> None:
    p = pickle.loads(pickle.dumps(PPoly(C, X, False, 0)))
    np.testing.assert_array_equal(p(0.5), PPoly(C, X)(0.5))
    assert p.extrapolate is False


def test_polynomials_of_a_tuple(xp: Any) -> None:
    t, c, k = judge.splrep(np.arange(9.0), np.cos(np.arange(9.0)))
    ours = PPoly.from_spline((xp.asarray(t), xp.asarray(c), k))
    near(ours.c, judge.PPoly.from_spline((t, c, k)).c, 1e-12)
    near(ours(xp.asarray([2.2, 9.0])), judge.splev([2.2, 9.0], (t, c, k)), 1e-12)
    both = PPoly.from_spline((xp.asarray(t), xp.asarray(np.stack([c, 2 * c], 1)), k), False)
    near(both(2.2), judge.splev(2.2, (t, c, k)) * np.asarray([1.0, 2.0]), 1e-12)
    assert both.extrapolate is False


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="strictly increasing or decreasing"):
        PPoly(C, X[[0, 2, 1, 3, 4]])
    with pytest.raises(errors.ShapeError, match="number of coefficients"):
        PPoly(C, X[:-1])
    with pytest.raises(errors.ShapeError, match="at least 2-dim"):
        PPoly(X, X)
    with pytest.raises(errors.DtypeError, match="real values"):
        PPoly(C, X + 1j)
    with pytest.raises(ValueError, match="'periodic'"):
        PPoly(C, X, "round")
    with pytest.raises(ValueError, match="before the first"):
        PPoly(C, X).extend(C[:, :1], X[1:2])
    batch = PPoly(C.reshape(4, 1, 4, 6), X[None])
    with pytest.raises(errors.ShapeError, match="dimensions of the batch"):
        batch(np.ones((2, 3)))
    with pytest.raises(errors.ArrayTypeError, match="BSpline"):
        PPoly.from_spline((X, X))
    with pytest.raises(errors.ShapeError, match="2 more"):
        PPoly.from_spline((X, X[:2], 1))
    with pytest.raises(errors.ArrayTypeError, match="BPoly"):
        PPoly.from_bernstein_basis(PPoly(C, X))
