"""Series with a domain, as objects, against numpy.polynomial."""

import operator
import pickle
from typing import Any

import numpy as np
import numpy.polynomial as judge
import pytest

from likewise import array_namespace, errors, is_lazy, polynomial, to_numpy
from likewise.transforms import grad, jit

from .rows import FAMILIES

RNG = np.random.default_rng(35)
A, B = RNG.normal(size=4), RNG.normal(size=3)
ENDS = np.asarray([0.5, 3.0])
WINDOW = np.asarray([-0.8, 1.1])
AT = RNG.uniform(0.5, 3.0, size=9)
KINDS = pytest.mark.parametrize("kind", [kind for _, kind, _ in FAMILIES])


def near(found: Any, expected: Any, rtol: float = 1e-11) -> None:
    found, expected = to_numpy(found), np.asarray(expected)
    assert found.shape == expected.shape
    if found.dtype.itemsize < expected.dtype.itemsize:
        rtol = max(rtol * 1e9, 2e-3)
    scale = np.max(np.abs(expected), initial=0.0)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale)


def _alike(ours: Any, theirs: Any, rtol: float = 1e-11) -> None:
    for part in ("coef", "domain", "window"):
        near(getattr(ours, part), getattr(theirs, part), rtol)
    assert type(ours).__name__ == type(theirs).__name__ and ours.symbol == theirs.symbol


def _both(kind: str, xp: Any, c: Any) -> tuple[Any, Any]:
    ours = getattr(polynomial, kind)(*(xp.asarray(v) for v in (c, ENDS, WINDOW)))
    return ours, getattr(judge, kind)(c, ENDS, WINDOW)


@KINDS
def test_values_and_arithmetic(xp: Any, kind: str) -> None:
    (p, p0), (q, q0) = _both(kind, xp, A), _both(kind, xp, B)
    near(p(xp.asarray(AT)), p0(AT))
    near(p(1.5), p0(1.5))
    for work in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod):
        _alike(work(p, q), work(p0, q0), 1e-9)
        _alike(work(p, [1.0, 2.0]), work(p0, [1.0, 2.0]), 1e-9)
        _alike(work([1.0, 2.0], q), work([1.0, 2.0], q0), 1e-9)
        _alike(work(2.0, q), work(2.0, q0), 1e-9)
    _alike(p + xp.asarray(B), p0 + B)
    _alike(B + _both(kind, np, A)[0], B + p0)
    _alike(p / 2.0, p0 / 2.0)
    _alike(-(p**3), -(p0**3))
    for part, other in zip(divmod(p, q), divmod(p0, q0), strict=True):
        _alike(part, other, 1e-9)
    assert p == p.copy() and p != q and len(p) == 4 and p.degree() == 3
    near(list(p)[1], A[1])


@KINDS
def test_text(xp: Any, kind: str) -> None:
    rng = np.random.default_rng(4)
    for i, domain in enumerate(([-1.0, 1.0], [0.0, 2.0], [-2.0, 2.0], [0.0, 3e9], [-3e-9, 1e-9])):
        c = rng.normal(size=3 * i + 2) * 10.0 ** rng.integers(-9, 10, 3 * i + 2)
        c[-1] = (-np.inf, np.nan, 0.0, 1.0, -1e-4)[i]
        dtype = np.float64 if i % 2 == 0 and xp.variant.has_float64 else np.float32
        for v in (c.astype(dtype), np.round(c[:4], 2).astype(dtype)):
            given = [v, np.asarray(domain, dtype), np.asarray([-1.0, 1.0], dtype)]
            ours = getattr(polynomial, kind)(*map(xp.asarray, given))
            theirs = getattr(judge, kind)(*given)
            if is_lazy(ours.coef):
                assert str(ours) == repr(ours)
                continue
            assert str(ours) == str(theirs)
            assert f"{ours:ascii}" == f"{theirs:ascii}"
            if isinstance(ours.coef, np.ndarray):
                assert repr(ours) == repr(theirs)


def test_text_of_complex_values() -> None:
    c, ends = [1 + 2j, -0.3j, -1 - 1j, 0.25], [0.0, 2.0]
    ours, theirs = polynomial.Legendre(c, ends), judge.Legendre(c, ends)
    assert (str(ours), repr(ours)) == (str(theirs), repr(theirs))
    with pytest.raises(ValueError, match="Unsupported format string 'html'"):
        format(ours, "html")


@KINDS
def test_calculus_and_other_series(xp: Any, kind: str) -> None:
    p, p0 = _both(kind, xp, A)
    _alike(p.deriv(2), p0.deriv(2))
    _alike(p.integ(2, k=[0.3, 0.1], lbnd=1.0), p0.integ(2, k=[0.3, 0.1], lbnd=1.0))
    _alike(p.cutdeg(2), p0.cutdeg(2))
    _alike(p.truncate(2), p0.truncate(2))
    for found, expected in zip(p.linspace(5), p0.linspace(5), strict=True):
        near(found, expected)
    for other in ("Polynomial", "Legendre"):
        found = p.convert(kind=getattr(polynomial, other))
        _alike(found, p0.convert(kind=getattr(judge, other)), 1e-9)
        near(getattr(polynomial, kind).cast(found)(xp.asarray(AT)), p0(AT), 1e-9)
    q, q0 = _both(kind, xp, B)
    _alike(p(q), p0(q0), 1e-8)


@KINDS
def test_roots_and_fits(lib: Any, kind: str) -> None:
    xp, ours, theirs = lib.xp, getattr(polynomial, kind), getattr(judge, kind)
    r = np.asarray([0.7, 1.2, 2.9])
    p = ours.fromroots(xp.asarray(r), xp.asarray(ENDS))
    _alike(p, theirs.fromroots(r, ENDS))
    _alike(ours.fromroots(xp.asarray(r), None), theirs.fromroots(r, None))
    _alike(ours.identity(ENDS), theirs.identity(ENDS))
    _alike(ours.basis(2), theirs.basis(2))
    if not hasattr(xp, "linalg"):
        return
    near(np.sort(to_numpy(p.roots())), r, 1e-9)
    y = RNG.normal(size=9)
    _alike(ours.fit(xp.asarray(AT), xp.asarray(y), 2), theirs.fit(AT, y, 2), 1e-9)
    _alike(ours.fit(xp.asarray(AT), xp.asarray(y), 2, []), theirs.fit(AT, y, 2, []), 1e-9)


def test_chebyshev_through_values() -> None:
    ours = polynomial.Chebyshev.interpolate(np.exp, 9, ENDS)
    _alike(ours, judge.Chebyshev.interpolate(np.exp, 9, ENDS))


@KINDS
def test_objects_are_trees(kind: str) -> None:
    p, p0 = _both(kind, np, A)
    near(pickle.loads(pickle.dumps(p))(AT), p0(AT))
    near(jit(lambda f, v: (f * f).deriv()(v))(p, AT), (p0 * p0).deriv()(AT))
    assert repr(p).startswith(f"{kind}([")


@KINDS
def test_gradients(kind: str) -> None:
    cls = getattr(polynomial, kind)
    y = RNG.normal(size=9)

    def total(x: Any, y: Any, c: Any, ends: Any) -> Any:
        xp = array_namespace(x, y, c, ends)
        made = cls.fit(x, y, 2)
        own = cls(c, ends).convert(kind=polynomial.Legendre)
        return xp.sum(made.integ()(x) ** 2) + xp.sum(own.deriv()(x) ** 2)

    given = [AT, y, B, ENDS]
    for i, a in enumerate(given):
        along, h = RNG.normal(size=a.shape), 1e-6
        found = np.sum(to_numpy(grad(total, argnums=i)(*given)) * along)
        ends = [total(*given[:i], a + s * h * along, *given[i + 1 :]) for s in (1, -1)]
        assert found == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=1e-5), i


def test_bad_arguments() -> None:
    p = polynomial.Chebyshev(A)
    with pytest.raises(TypeError, match="types differ"):
        p + polynomial.Legendre(A)
    with pytest.raises(TypeError, match="Domains differ"):
        p + polynomial.Chebyshev(A, ENDS)
    with pytest.raises(ValueError, match="symbols differ"):
        p + polynomial.Chebyshev(A, symbol="t")
    with pytest.raises(errors.ArgumentError, match="identifier"):
        polynomial.Chebyshev(A, symbol="1")
    with pytest.raises(errors.ArrayTypeError, match="non-empty"):
        polynomial.Chebyshev(A, symbol=1)
    with pytest.raises(errors.ShapeError, match="two elements"):
        polynomial.Chebyshev(A, [1.0])
    with pytest.raises(errors.ArgumentError, match="Power"):
        p**-1
    with pytest.raises(errors.ArgumentError, match="positive"):
        p.truncate(0)
    with pytest.raises(errors.ArgumentError, match="non-negative"):
        p.cutdeg(0.5)
    with pytest.raises(TypeError):
        p / [1.0]
