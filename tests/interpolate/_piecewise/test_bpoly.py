"""Piecewise polynomials in the Bernstein basis, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import errors
from likewise.interpolate import BPoly, BSpline, PPoly

from ..closeness import near

RNG = np.random.default_rng(37)
X = np.asarray([-1.0, 0.0, 0.7, 2.5, 3.0])
C = RNG.normal(size=(4, 4, 2))
V = np.asarray([[-2.0, -1.0, 0.3], [0.7, 2.9, 3.0], [3.5, np.nan, 0.0]])
DERIVATIVES = [[1.0, 2.0], [3.0], [2.0, 1.0, 4.0], [1.0, 2.0, 0.0, 1.0]]


@pytest.mark.parametrize("mode", [True, False, "periodic"])
def test_values_derivatives_and_integrals(xp: Any, mode: Any) -> None:
    for c in (C, C + 1j, C[:1]):
        ours, theirs = BPoly(xp.asarray(c), xp.asarray(X), mode), judge.BPoly(c, X, mode)
        for nu in (0, 1, 3) if c.shape[0] > 1 else (0,):
            near(ours(xp.asarray(V), nu), theirs(V, nu), 1e-12)
            near(ours.derivative(nu).c, theirs.derivative(nu).c, 1e-12)
        near(ours.antiderivative(2)(xp.asarray(V)), theirs.antiderivative(2)(V), 1e-12)
        for a, b in ((-0.5, 2.6), (-4.0, 9.0)):
            near(ours.integrate(a, b), theirs.integrate(a, b), 1e-12)
    assert float(ours(0.3, 4)[0]) == 0.0


def test_bases_of_the_same_function(xp: Any) -> None:
    p, b = PPoly(xp.asarray(C), xp.asarray(X)), BPoly(xp.asarray(C), xp.asarray(X))
    near(BPoly.from_power_basis(p).c, judge.BPoly.from_power_basis(judge.PPoly(C, X)).c, 1e-12)
    near(
        PPoly.from_bernstein_basis(b).c,
        judge.PPoly.from_bernstein_basis(judge.BPoly(C, X)).c,
        1e-12,
    )
    t = np.asarray([0.0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4])
    c = RNG.normal(size=7)
    found = PPoly.from_spline(BSpline(xp.asarray(t), xp.asarray(c), 3))
    near(found.c, judge.PPoly.from_spline((t, c, 3)).c, 1e-12)


def test_of_derivatives_and_pieces_put_on(xp: Any) -> None:
    x = np.asarray([0.0, 1.0, 2.5, 3.0])
    for orders in (None, 1, [1, 2, 3]):
        given = [xp.asarray(d) for d in DERIVATIVES]
        mine = BPoly.from_derivatives(xp.asarray(x), given, orders)
        near(mine(xp.asarray(V)), judge.BPoly.from_derivatives(x, DERIVATIVES, orders)(V), 1e-12)
    its = judge.BPoly(C, X)
    its.extend(C[:2], [4.0, 5.0, 6.0, 7.0])
    mine = BPoly(xp.asarray(C), xp.asarray(X))
    near(mine.extend(xp.asarray(C[:2]), xp.asarray([4.0, 5, 6, 7])).c, its.c)


def test_each_problem_of_a_batch_has_its_breakpoints(xp: Any) -> None:
    x = np.sort(RNG.normal(size=(3, 5)), axis=-1)
    c, v = RNG.normal(size=(3, 3, 4, 2)), RNG.normal(size=(3, 6))
    mine = BPoly(xp.asarray(c), xp.asarray(x))
    for i in range(3):
        one = judge.BPoly(c[:, i], x[i])
        near(mine(xp.asarray(v), 1)[i, ...], one(v[i], 1), 1e-12)
        near(mine.integrate(0.1, 0.4)[i, ...], one.integrate(0.1, 0.4), 1e-12)


def test_bad_arguments() -> None:
    p = pickle.loads(pickle.dumps(BPoly(C, X, False)))
    assert np.isnan(p(9.0)).all()
    for bad, words in (
        (([0.0, 1.0], DERIVATIVES), "same length"),
        (([0.0, 2.0, 1.0, 3.0], DERIVATIVES), "increasing order"),
        (([0.0, 1.0, 2.0, 3.0], DERIVATIVES, 0), "positive"),
        (([0.0, 1.0, 2.0, 3.0], DERIVATIVES, 9), "order 9 requested"),
    ):
        with pytest.raises(ValueError, match=words):
            BPoly.from_derivatives(*bad)
    with pytest.raises(errors.ArrayTypeError, match="PPoly"):
        BPoly.from_power_basis(BPoly(C, X))
