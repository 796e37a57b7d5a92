"""Integrals, derivatives and interpolation against SciPy and NumPy."""

from typing import Any

import numpy as np
import pytest
import scipy.integrate as si

from likewise.errors import ArgumentError, ShapeError
from likewise.missing import (
    cumulative_trapezoid,
    gradient,
    interp,
    simpson,
    sinc,
    trapezoid,
    unwrap,
)
from likewise.testing import assert_close, check_function

INF, NAN = np.inf, np.nan
RNG = np.random.default_rng(3)
Y = RNG.normal(size=(2, 5))
X = np.asarray([0.0, 0.5, 0.7, 2.0, 2.5])


def test_trapezoid_everywhere() -> None:
    check_function(trapezoid, Y, X, reference=si.trapezoid)


def test_cumulative_trapezoid_everywhere() -> None:
    check_function(
        cumulative_trapezoid, Y, X, kwargs={"initial": 0}, reference=si.cumulative_trapezoid
    )


@pytest.mark.parametrize("n", [0, 1])
def test_integrals_of_less_than_two_samples(xp: Any, n: int) -> None:
    y, x = xp.ones((2, 1, n)), xp.ones((3, n))
    for func in (trapezoid, simpson):
        for points in (None, x[0, :], xp.ones((1, 3, n))):
            got = func(y, points)
            assert got.shape == ((2, 3) if points is not None and points.ndim > 1 else (2, 1))
            assert got.dtype == y.dtype and not bool(xp.any(got != 0))


@pytest.mark.full
def test_simpson_everywhere() -> None:
    check_function(simpson, Y[:, :4], X[:4], reference=lambda y, x: si.simpson(y, x=x))


def test_gradient_everywhere() -> None:
    check_function(
        lambda f, x: gradient(f, x, axis=1, edge_order=2),
        Y,
        X,
        reference=lambda f, x: np.gradient(f, x, axis=1, edge_order=2),
        name="likewise.missing.gradient",
    )


@pytest.mark.full
def test_interp_everywhere() -> None:
    x = np.asarray([[-1.0, 0.2, 0.6], [2.2, 2.45, 3.0]])
    check_function(interp, x, X, Y[0], reference=np.interp, scalars=1)


def test_unwrap_everywhere() -> None:
    check_function(unwrap, np.asarray([[0.0, 3.0, 6.0, 1.0, 4.5]]), reference=np.unwrap)


def test_sinc_everywhere() -> None:
    check_function(sinc, np.asarray([0.0, 0.3, -1.7]), reference=np.sinc)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_integrals(xp: Any, n: int) -> None:
    rng = np.random.default_rng(n)
    # Of one sign in a column: what single precision loses where a sum is next to 0 isn't asked.
    y = rng.uniform(0.5, 2, size=(n, 3)) * np.asarray([1, -1, 1])
    x = np.cumsum(rng.uniform(size=(n, 3)), axis=0)
    a, b = xp.asarray(y), xp.asarray(x)
    for ours, theirs in ((trapezoid, si.trapezoid), (simpson, si.simpson)):
        assert_close(ours(a, dx=0.5, axis=0), theirs(y, dx=0.5, axis=0))
        assert_close(ours(a, dx=np.float64(0.5), axis=0), theirs(y, dx=0.5, axis=0))
        assert_close(ours(a, b, axis=0), theirs(y, x=x, axis=0))
        assert_close(ours(a, b[:, 0], axis=-2), theirs(y, x=x[:, 0], axis=0))
        assert_close(ours(a[:, 0]), np.asarray(theirs(y[:, 0])))
    assert_close(cumulative_trapezoid(a, axis=0), si.cumulative_trapezoid(y, axis=0))
    got = cumulative_trapezoid(a, b, axis=0, initial=0)
    assert_close(got, si.cumulative_trapezoid(y, x, axis=0, initial=0))


def test_integrals_at_the_edges(xp: Any) -> None:
    assert_close(trapezoid(xp.asarray(np.zeros((2, 0)))), np.zeros(2))
    assert_close(simpson(xp.asarray(np.zeros((2, 0)))), np.zeros(2))
    assert_close(trapezoid(xp.asarray(np.asarray([INF, 1.0]))), np.asarray(INF))
    assert_close(trapezoid(xp.asarray(np.asarray([1 + 1j, 2.0]))), np.asarray(1.5 + 0.5j))
    x = np.asarray([0.0, 0.0, 1.0, 1.0])
    got = simpson(xp.asarray(Y[0, :4]), xp.asarray(x))
    assert_close(got, np.asarray(si.simpson(Y[0, :4], x=x)))


@pytest.mark.parametrize("order", [1, 2])
def test_gradient(xp: Any, rng: Any, order: int) -> None:
    f = rng.normal(size=(3, 4))
    a = xp.asarray(f)
    cancelled = 8 * float(xp.finfo(a.dtype).eps)  # of terms of about 1
    theirs: Any = np.gradient
    x, y = np.asarray([0.0, 1.0, 3.0]), np.asarray([1.0, 1.5, 3.5, 4.0])
    spacings: list[Any] = [(), (0.5,), (0.5, 2), (x, 2.0), (x, y)]
    for spacing in spacings:
        given = [xp.asarray(h) if hasattr(h, "ndim") else h for h in spacing]
        expected = theirs(f, *spacing, edge_order=order)
        for got, e in zip(gradient(a, *given, edge_order=order), expected, strict=True):
            assert_close(got, e, atol=cancelled)
    got = gradient(a, xp.asarray(x), axis=0, edge_order=order)
    assert_close(got, theirs(f, x, axis=0, edge_order=order), atol=cancelled)
    got = gradient(xp.asarray(np.asarray([1, 4, 9])), edge_order=order)
    assert_close(got, theirs(np.asarray([1, 4, 9]), edge_order=order), check_dtype=False)


def test_interp_and_beyond(xp: Any) -> None:
    x = np.asarray([[-INF, -1.0, 0.0, 0.5, 0.6], [2.0, 2.5, 3.0, INF, NAN]])
    a, b, f = xp.asarray(x), xp.asarray(X), xp.asarray(Y[0])
    assert_close(interp(a, b, f, -7.0, 8), np.interp(x, X, Y[0], -7.0, 8))


def test_interp(xp: Any) -> None:
    x = np.asarray([[-INF, -1.0, 0.0, 0.5, 0.6], [2.0, 2.5, 3.0, INF, NAN]])
    a, b, f = xp.asarray(x), xp.asarray(X), xp.asarray(Y[0])
    assert_close(interp(a, b, f), np.interp(x, X, Y[0]))
    assert_close(interp(a, b, f, -7.0, 8), np.interp(x, X, Y[0], -7.0, 8))
    expected = np.where(np.isnan(x), NAN, np.interp(x, X[:1], Y[0, :1], -7.0))
    assert_close(interp(a, b[:1], f[:1], -7.0), expected)
    assert_close(interp(a[0, 3], b, f), np.asarray(np.interp(0.5, X, Y[0])))
    e = np.interp(x[:, 1:3], X, Y[0], period=3.0)
    assert_close(interp(a[:, 1:3], b, f, period=-3.0), e)


@pytest.mark.filterwarnings("ignore:invalid value")  # Dask, later
def test_interp_beside_values_that_are_not_finite(xp: Any) -> None:
    x = np.asarray([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
    points = np.asarray([0.0, 1.0, 2.0, 3.0])
    cases = [
        [1.0, 2.0, INF, 3.0],
        [INF, 1.0, -INF, INF],
        [NAN, 1.0, NAN, 2.0],
        [INF, INF, 1.0, NAN],
    ]
    both = [(points, f) for f in cases]
    both += [(np.asarray([0.0, 1.0, 1.0, 3.0]), f) for f in [*cases, [1.0, 2.0, 3.0, 4.0]]]
    both += [(np.asarray([-INF, 1.0, 2.0, INF]), [1.0, 2.0, 3.0, 4.0])]
    at = np.concatenate([x, [-INF, INF]])
    for p, values in both:
        f = np.asarray(values)
        arrays = [xp.asarray(v) for v in (at, p, f)]
        for func in (interp, interp.generic):  # type: ignore[attr-defined]
            assert_close(func(*arrays), np.interp(at, p, f))


def test_interp_in_single_precision() -> None:
    x, f = X.astype(np.float32), Y[0].astype(np.float32)
    at = x + np.float32(0.1)
    assert_close(interp(at, x, f), np.interp(at, x, f).astype(np.float32))


def test_unwrap(xp: Any) -> None:
    p = np.cumsum(RNG.uniform(-5, 5, size=(6, 2)), axis=0) % 6
    a = xp.asarray(p)
    assert_close(unwrap(a, axis=0), np.unwrap(p, axis=0))
    assert_close(unwrap(a, 4.0), np.unwrap(p, 4.0))
    assert_close(unwrap(a, axis=-2, period=6.0), np.unwrap(p, axis=0, period=6.0))
    q = np.asarray([0.0, 2.0, 0.0, -2.0, 1.0])
    assert_close(unwrap(xp.asarray(q), period=4.0), np.unwrap(q, period=4.0))
    assert_close(unwrap(a[:1, :], axis=0), p[:1])


def test_sinc(xp: Any) -> None:
    for x in (np.asarray([0.0, -0.0, NAN, 0.25]), np.asarray(0.5), np.zeros(0), np.asarray([1j])):
        assert_close(sinc(xp.asarray(x)), np.asarray(np.sinc(x)))
    assert_close(sinc(xp.asarray(np.asarray([0, 0]))), np.ones(2), check_dtype=False)


def test_native_equals_generic(xp: Any) -> None:
    x = np.asarray([[-INF, -1.0, 0.0, 0.5], [2.5, 3.0, INF, NAN]])
    p = np.asarray([[0.0, 3.0, 6.0, 1.0], [-np.pi, np.pi, NAN, 2.0]])
    for dtype in ("float64", "float32"):
        a, b = xp.asarray(x.astype(dtype)), xp.asarray(p.astype(dtype))
        points, f = xp.asarray(X.astype(dtype)), xp.asarray(Y[0].astype(dtype))
        cases: list[Any] = [
            (interp, (a, points, f)),
            (interp, (a, points[:1], f[:1], 5.0)),
            (unwrap, (b,)),
            (unwrap, (b, 4.0, 0)),
            (unwrap, (b[:, :0],)),
            (sinc, (b,)),
            (sinc, (b[0, 0],)),
            (sinc, (b[:0, :],)),
        ]
        for func, args in cases:
            assert_close(func(*args), func.generic(*args))


def test_errors(xp: Any) -> None:
    y, x = xp.asarray(Y), xp.asarray(X)
    with pytest.raises(ShapeError, match="as many elements"):
        trapezoid(y, x[:3])
    with pytest.raises(ShapeError, match="one dimension or as many"):
        simpson(y[0, :], y)
    with pytest.raises(ShapeError, match="axis must lie"):
        trapezoid(y, axis=2)
    with pytest.raises(ArgumentError, match="axis must be an integer"):
        trapezoid(y, axis=None)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="initial"):
        cumulative_trapezoid(y, initial=1)
    with pytest.raises(ShapeError, match="must have a sample"):
        cumulative_trapezoid(y[:, :0])
    with pytest.raises(ArgumentError, match="edge_order"):
        gradient(y, edge_order=3)
    with pytest.raises(ArgumentError, match="for each of 2 axes"):
        gradient(y, 1.0, 2.0, 3.0)
    with pytest.raises(ShapeError, match="3 samples are needed"):
        gradient(y, axis=0, edge_order=2)
    with pytest.raises(ShapeError, match="coordinates must have"):
        gradient(y, x, axis=0)
    with pytest.raises(ShapeError, match="xp and fp"):
        interp(x, x, x[1:])
    with pytest.raises(ArgumentError, match="period"):
        interp(x, x, x, period=0)
