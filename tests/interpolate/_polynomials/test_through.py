"""Polynomials through points, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import array_namespace, errors, interpolate, to_numpy
from likewise.interpolate import (
    BarycentricInterpolator,
    KroghInterpolator,
    approximate_taylor_polynomial,
    barycentric_interpolate,
    krogh_interpolate,
    lagrange,
    pade,
)
from likewise.transforms import grad, jit

from ..closeness import near

RNG = np.random.default_rng(11)
X = np.cos(np.arange(7) * np.pi / 6.0)
Y = RNG.normal(size=(2, 7, 3))
AT = np.concatenate([RNG.uniform(-1.0, 1.0, size=4), X[2:4]]).reshape(2, 3)
KINDS = ("KroghInterpolator", "BarycentricInterpolator")


@pytest.mark.parametrize("kind", KINDS)
def test_values_and_derivatives(xp: Any, kind: str) -> None:
    for y, axis in ((Y, 1), (Y[0, :, 0], 0), (Y + 1j * Y[::-1], 1)):
        ours = getattr(interpolate, kind)(xp.asarray(X), xp.asarray(y), axis)
        theirs = getattr(judge, kind)(X, y, axis)
        for v in (AT, AT[0, 0], X):
            near(ours(xp.asarray(v)), theirs(v), 1e-12)
        near(ours.derivative(xp.asarray(AT), 2), theirs.derivative(AT, 2), 1e-12)
        near(ours.derivatives(xp.asarray(AT)), theirs.derivatives(AT), 1e-11)


def test_nodes_that_come_several_times(xp: Any) -> None:
    x, y = np.asarray([0.0, 0.0, 0.0, 1.0, 1.0, 2.5]), RNG.normal(size=(6, 2))
    ours, theirs = KroghInterpolator(xp.asarray(x), xp.asarray(y)), judge.KroghInterpolator(x, y)
    near(ours.derivatives(xp.asarray(AT)), theirs.derivatives(AT), 1e-12)


def test_functions(xp: Any) -> None:
    x, v = xp.asarray(X), xp.asarray(AT)
    for der in (0, 1, [0, 2]):
        found = krogh_interpolate(x, xp.asarray(Y), v, der, 1)
        near(found, judge.krogh_interpolate(X, Y, AT, der, 1), 1e-12)
        found = barycentric_interpolate(x, xp.asarray(Y), v, 1, der=der)
        near(found, judge.barycentric_interpolate(X, Y, AT, 1, der=der), 1e-12)
    near(lagrange(x, xp.asarray(Y[0, :, 0])), judge.lagrange(X, Y[0, :, 0]).c, 1e-12)


def test_quotients(lib: Any) -> None:
    xp, series = lib.xp, RNG.normal(size=8)
    if not hasattr(xp, "linalg"):
        with pytest.raises(errors.ExtensionMissing):
            pade(xp.asarray(series), 3)
        return
    for m, n in ((3, None), (2, 3), (0, 2), (4, 0)):
        expected = judge.pade(series, m, n)
        for found, some in zip(pade(xp.asarray(series), m, n), expected, strict=True):
            near(found, some.c, 1e-11)


def test_taylor_polynomials(xp: Any) -> None:
    found = approximate_taylor_polynomial(xp.sin, xp.asarray(0.3), 4, 0.2, 9)
    expected = judge.approximate_taylor_polynomial(np.sin, 0.3, 4, 0.2, 9).c
    if found.dtype == xp.float64:  # of single precision, nothing is left of the highest powers
        near(found, expected, 1e-9)
    near(found[-2:], expected[-2:], 1e-12)


def test_nodes_are_added_and_values_set() -> None:
    ours = BarycentricInterpolator(X[:4], Y[0, :4])
    ours.add_xi(X[4:], Y[0, 4:])
    near(ours(AT), judge.BarycentricInterpolator(X, Y[0])(AT), 1e-12)
    ours.set_yi(Y, 1)
    near(ours(AT), judge.BarycentricInterpolator(X, Y, 1)(AT), 1e-12)
    assert ours.n == 7
    near(BarycentricInterpolator([0.0, 1.0, 3.0], [2.0, 1.0, 5.0])(1.0), 1.0)
    near(BarycentricInterpolator(X, wi=ours.wi)(AT), np.zeros(AT.shape))


@pytest.mark.parametrize("kind", KINDS)
def test_gradients(kind: str) -> None:
    """Follow nodes, values and points, which are nodes, too."""
    given = [X, Y[0], np.concatenate([AT[0], X[1:3]])]
    along = [RNG.normal(size=a.shape) for a in given]

    def total(x: Any, y: Any, v: Any) -> Any:
        found = getattr(interpolate, kind)(x, y)(v)
        return array_namespace(found).sum(found * found)

    slopes = grad(total, argnums=(0, 1, 2))(*given)
    found = sum(np.sum(to_numpy(s) * a) for s, a in zip(slopes, along, strict=True))
    h = 1e-6
    ends = [total(*(a + s * h * b for a, b in zip(given, along, strict=True))) for s in (1, -1)]
    assert found == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_objects_are_trees(kind: str) -> None:
    made = getattr(interpolate, kind)(X, Y, 1)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made))(AT), made(AT))
    near(jit(lambda f, v: f(v))(made, AT), made(AT))


@pytest.mark.parametrize("kind", KINDS)
def test_above_the_degree(kind: str) -> None:
    made = getattr(interpolate, kind)(X, Y, 1)
    assert made.n == X.shape[0]
    assert not np.any(made.derivative(AT, made.n + 1))
    found = made.derivatives(AT, made.n + 2)
    assert found.shape[0] == made.n + 2 and not np.any(found[made.n :])


def test_bad_arguments() -> None:
    with pytest.raises(errors.ShapeError, match="as many elements"):
        KroghInterpolator(X, Y)
    with pytest.raises(ValueError, match="must be distinct"):
        BarycentricInterpolator([0.0, 1.0, 0.0], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="negative"):
        krogh_interpolate(X, Y, AT, -1, 1)
    with pytest.raises(errors.ShapeError, match="vectors"):
        lagrange(X, Y)
    with pytest.raises(ValueError, match="must be smaller"):
        pade(X, 5, 4)
    with pytest.raises(np.linalg.LinAlgError, match="no quotient"):
        pade(np.asarray([0.0, 1.0, 3.0, 0.0, 0.0]), 4)
    with pytest.raises(ValueError, match="at least degree"):
        approximate_taylor_polynomial(np.sin, 0.0, 4, 1.0, 2)
    with pytest.raises(errors.DtypeError, match="real"):
        KroghInterpolator(X + 1j, Y[0])
