"""Splines in the B-spline basis, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import errors
from likewise.interpolate import BSpline

from ..closeness import near

RNG = np.random.default_rng(35)
V = np.asarray([[-0.4, 0.0, 0.3], [0.31, np.nan, 1.0], [1.4, 0.77, 0.5]])


def _knots(k: int) -> np.ndarray:
    t = np.sort(RNG.random(2 * k + 9)) - 0.1
    t[k + 4] = t[k + 3]
    return t


@pytest.mark.parametrize("mode", [True, False, "periodic"])
@pytest.mark.parametrize("k", range(6))
def test_values_derivatives_and_integrals(xp: Any, k: int, mode: Any) -> None:
    t = _knots(k)
    for shape, part in (((), 0.0), ((2, 3), 1.0j)):
        c = RNG.normal(size=(k + 8, *shape)) * (1 + part)
        ours, theirs = BSpline(xp.asarray(t), xp.asarray(c), k, mode), judge.BSpline(t, c, k, mode)
        for nu in range(min(k, 2) + 2):
            near(ours(xp.asarray(V), nu), theirs(V, nu), 1e-12)
        more, its = ours.antiderivative(2), theirs.antiderivative(2)
        near(more.c, its.c[: k + 10])
        near(more.t, its.t)
        assert more.extrapolate == its.extrapolate
        if k > 1:
            near(ours.derivative().c, theirs.derivative().c[: k + 7])
        if not part:  # SciPy's refuses complex ones
            for a, b in ((0.2, 0.7), (-0.3, 1.4), (0.9, 0.1)):
                near(ours.integrate(a, b), theirs.integrate(a, b), 1e-12)


@pytest.mark.parametrize("mode", [True, "periodic"])
def test_knots_put_in(xp: Any, mode: Any) -> None:
    for k in (1, 3, 4):
        t = _knots(k)
        c = RNG.normal(size=(k + 8, 2))
        for x in (t[k], t[k + 2], 0.4, t[k + 8]):
            ours = BSpline(xp.asarray(t), xp.asarray(c), k, mode).insert_knot(float(x), min(k, 2))
            theirs = judge.BSpline(t, c, k, mode).insert_knot(x, min(k, 2))
            near(ours.t, theirs.t)
            near(ours.c, theirs.c)


def test_axes_elements_and_matrices(xp: Any) -> None:
    t = _knots(3)
    c = RNG.normal(size=(2, 11, 3))
    ours, theirs = BSpline(xp.asarray(t), xp.asarray(c), 3, axis=1), judge.BSpline(t, c, 3, axis=1)
    near(ours.c, theirs.c)
    near(ours(xp.asarray(V)), theirs(V))
    near(ours.integrate(0.0, 1.0), theirs.integrate(0.0, 1.0))
    near(
        BSpline.basis_element(xp.asarray(t[:5]))(xp.asarray(V)),
        judge.BSpline.basis_element(t[:5])(V),
        1e-12,
    )
    x = np.linspace(t[3], t[-4], 7)
    near(
        BSpline.design_matrix(xp.asarray(x), xp.asarray(t), 3),
        judge.BSpline.design_matrix(x, t, 3).toarray(),
    )


def test_each_spline_of_a_batch_has_its_knots(xp: Any) -> None:
    t = np.stack([[_knots(3) for _ in range(3)] for _ in range(2)])
    t[..., :4], t[..., -4:] = -0.1, 0.9
    c, v = RNG.normal(size=(2, 3, 11, 2)), RNG.random((2, 1, 6))
    for mode in (True, False, "periodic"):
        ours = BSpline(xp.asarray(t), xp.asarray(c), 3, mode)
        found = ours(xp.asarray(v)), ours(xp.asarray(v), 2), ours(0.4), ours.integrate(0.1, 0.6)
        more = ours.insert_knot(0.45)
        for i, j in np.ndindex(2, 3):
            one = judge.BSpline(t[i, j], c[i, j], 3, mode)
            near(found[0][i, j, ...], one(v[i, 0]))
            near(found[1][i, j, ...], one(v[i, 0], 2), 1e-12)
            near(found[2][i, j, ...], one(0.4))
            near(found[3][i, j, ...], one.integrate(0.1, 0.6), 1e-12)
            near(more.c[i, j, ...], one.insert_knot(0.45).c)


def test_many_points_go_in_pieces(xp: Any) -> None:
    t, c, v = _knots(3), RNG.normal(size=(11, 2)), RNG.random(40_000)
    near(BSpline(xp.asarray(t), xp.asarray(c), 3)(xp.asarray(v)), judge.BSpline(t, c, 3)(v))


def test_single_precision_stays_and_objects_are_kept(xp: Any) -> None:
    t, c = xp.asarray(_knots(2), dtype=xp.float32), xp.ones(10, dtype=xp.float32)
    assert BSpline(t, c, 2)(0.5).dtype == xp.float32
    mine = BSpline(_knots(2), np.arange(10.0), 2, False)
    kept = pickle.loads(pickle.dumps(mine))
    np.testing.assert_array_equal(kept(V), mine(V))
    assert kept.extrapolate is False


def test_bad_arguments() -> None:
    t, c = _knots(3), np.ones(11)
    for args, words in (
        ((t[::-1], c, 3), "non-decreasing"),
        ((t, c, -1), "negative"),
        ((t[:7], c, 3), "at least 8 knots"),
        ((np.where(t == t[1], np.nan, t), c, 3), "nans or infs"),
        ((np.zeros(15), c, 3), "internal knots"),
        ((t, c[:5], 3), "inconsistent"),
        ((t, c, 3, "round"), "'periodic'"),
    ):
        with pytest.raises(ValueError, match=words):
            BSpline(*args)
    with pytest.raises(TypeError, match="integer"):
        BSpline(t, c, 1.5)
    spline = BSpline(t, c, 3)
    with pytest.raises(errors.AxisError, match="axis 2"):
        BSpline(t, c, 3, axis=2)
    with pytest.raises(ValueError, match="negative"):
        spline(0.5, -1)
    with pytest.raises(ValueError, match="Cannot insert"):
        spline.insert_knot(9.0)
    with pytest.raises(ValueError, match="positive"):
        spline.insert_knot(0.5, 0)
    with pytest.raises(ValueError, match="<= order"):
        spline.derivative(4)
    with pytest.raises(ValueError, match="repeated knots"):
        BSpline(np.asarray([0.0, 0, 1, 1, 2, 2]), np.ones(4), 1).derivative()
    with pytest.raises(ValueError, match="Out of bounds"):
        BSpline.design_matrix(np.asarray([9.0]), t, 3)
    with pytest.raises(errors.ShapeError, match="batch"):
        BSpline(t[None], c[None], 3)(np.ones((2, 3)))


def test_a_list_of_coefficients_and_shapes(xp: Any) -> None:
    t, c = xp.asarray(_knots(2)), RNG.normal(size=(2, 10))
    curve = BSpline(t, [xp.asarray(v) for v in c], 2, axis=1)
    near(curve(0.4), BSpline(t, xp.asarray(c), 2, axis=1)(0.4))
    assert BSpline(t, xp.asarray(c[0]), 2).integrate(0.0, 0.5).ndim == 0
    assert BSpline.design_matrix(0.4, t, 2).shape == (1, 10)
    more = xp.asarray(np.concatenate([c[0], np.zeros(3)]))  # as many as knots, as of splrep
    near(BSpline(t, more, 2).insert_knot(0.4).c[-3:], np.zeros(3))
    assert BSpline(t, xp.asarray(np.ones((10, 0, 2))), 2)(xp.asarray([0.4])).shape == (1, 0, 2)
