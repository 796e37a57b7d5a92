"""Piecewise polynomials of several variables, against SciPy's."""

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as judge

from likewise import array_namespace, errors, to_numpy
from likewise.interpolate import NdPPoly
from likewise.transforms import grad, jit

from ..closeness import near

RNG = np.random.default_rng(21)
X, Y, Z = np.linspace(0.0, 1.0, 4), np.linspace(0.0, 1.0, 3) ** 2, np.linspace(-1.0, 2.0, 3)
C = RNG.normal(size=(3, 4, 3, 2))
C3 = RNG.normal(size=(2, 3, 2, 3, 2, 2, 2))  # of two functions
AT = RNG.uniform(-0.2, 1.2, size=(3, 5, 2))


def _both(xp: Any, c: Any, x: Any, **options: Any) -> tuple[Any, Any]:
    ours = NdPPoly(xp.asarray(c), tuple(xp.asarray(v) for v in x), **options)
    return ours, judge.NdPPoly(c, x, **options)


def test_values_and_derivatives(xp: Any) -> None:
    for c in (C, C + 1j * C[::-1]):
        p, p0 = _both(xp, c, (X, Y))
        for nu in (None, (0, 1), (2, 3), (5, 0)):
            near(p(xp.asarray(AT), nu), p0(AT, nu), 1e-12)
            if nu is not None:
                near(p.derivative(nu)(xp.asarray(AT)), p0.derivative(nu)(AT), 1e-12)
        near(p(xp.asarray(AT), extrapolate=False), p0(AT, extrapolate=False), 1e-12)
    p, p0 = _both(xp, C3, (X[:4], Y, Z))
    at = tuple(RNG.uniform(size=4) for _ in range(3))
    near(p(tuple(map(xp.asarray, at)), (1, 0, 1)), p0(at, (1, 0, 1)), 1e-12)
    p, p0 = _both(xp, C[:, 0, :, 0], (X,))
    near(p(xp.asarray(AT[..., :1])), p0(AT[..., :1]), 1e-12)


def test_integrals(xp: Any) -> None:
    p, p0 = _both(xp, C3, (X, Y, Z))
    at = RNG.uniform(size=(6, 3))
    near(p.antiderivative((1, 2, 0))(xp.asarray(at)), p0.antiderivative((1, 2, 0))(at), 1e-12)
    near(p.antiderivative((1, -1, 0))(xp.asarray(at)), p0.antiderivative((1, -1, 0))(at), 1e-12)
    ranges = [(0.1, 0.9), (0.0, 1.0), (-0.5, 1.5)]
    near(p.integrate(ranges), p0.integrate(ranges), 1e-12)
    for axis in (0, 1, -1):
        found, expected = (v.integrate_1d(0.2, 0.7, axis) for v in (p, p0))
        near(found.c, expected.c, 1e-12)
        near(found(xp.asarray(at[:, :2])), expected(at[:, :2]), 1e-12)


def test_gradients_and_trees() -> None:
    def total(c: Any, x: Any, v: Any) -> Any:
        p = NdPPoly(c, (x, x[:3]))
        xp = array_namespace(c, x, v)
        return xp.sum(p(v) ** 2) + p.integrate([(0.1, 0.8), (0.2, 0.5)])

    given = [C, X, AT[0]]
    for i, a in enumerate(given):
        along, h = RNG.normal(size=a.shape), 1e-6
        found = np.sum(to_numpy(grad(total, argnums=i)(*given)) * along)
        ends = [total(*given[:i], a + s * h * along, *given[i + 1 :]) for s in (1, -1)]
        assert found == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=1e-6), i
    p = NdPPoly(C, (X, Y))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(p))(AT), p(AT))
    near(jit(lambda f, v: f.derivative((1, 0))(v))(p, AT), p(AT, (1, 0)))


def test_bad_arguments() -> None:
    with pytest.raises(errors.ShapeError, match="at least 2"):
        NdPPoly(C, (X, Y[:1]))
    with pytest.raises(errors.ShapeError, match="dimensions"):
        NdPPoly(C[0], (X, Y))
    with pytest.raises(errors.ShapeError, match="intervals"):
        NdPPoly(C, (Y, X))
    with pytest.raises(errors.ArgumentError, match="increasing"):
        NdPPoly(C, (X[::-1], Y))
    p = NdPPoly(C, (X, Y))
    with pytest.raises(errors.ArgumentError, match="orders"):
        p(AT, (1,))
    with pytest.raises(errors.ShapeError, match="2 coordinates"):
        p(AT[..., :1])
    with pytest.raises(errors.ArgumentError, match="correct length"):
        p.integrate([(0.0, 1.0)])
