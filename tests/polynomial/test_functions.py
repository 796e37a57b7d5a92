"""Series of each family, against numpy.polynomial."""

import doctest
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from likewise import array_namespace, errors, library, namespace, polynomial, to_numpy
from likewise.transforms import grad, jit, vmap

from .rows import FAMILIES, NAMES

RNG = np.random.default_rng(34)
A, B = RNG.normal(size=4), RNG.normal(size=3)
X = RNG.uniform(-1.0, 1.0, size=(3, 2))
AT = RNG.uniform(-0.9, 0.9, size=12)
FEW = slice(0, 1)  # of what JAX compiles anew each time
OF = pytest.mark.parametrize("prefix", [prefix for prefix, _, _ in FAMILIES])
MODULES = {prefix: module for prefix, _, module in FAMILIES}


def near(found: Any, expected: Any, rtol: float = 1e-12) -> None:
    found, expected = to_numpy(found), np.asarray(expected)
    assert found.shape == expected.shape and found.dtype.kind == expected.dtype.kind
    if found.dtype.itemsize < expected.dtype.itemsize:
        rtol = max(rtol * 1e9, 2e-3)
    scale = np.max(np.abs(expected), initial=0.0)
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale)


def _pair(prefix: str, xp: Any) -> Callable[..., Any]:
    """Return what compares a function with NumPy's."""

    def compare(name: str, *given: Any, tol: float = 1e-12, **options: Any) -> None:
        ours = [xp.asarray(v) if isinstance(v, np.ndarray) else v for v in given]
        found = getattr(polynomial, name)(*ours, **options)
        expected = getattr(MODULES[prefix], name)(*given, **options)
        if not isinstance(found, tuple):
            found, expected = (found,), (expected,)
        for one, other in zip(found, expected, strict=True):
            near(one, other, tol)

    return compare


@OF
def test_values(xp: Any, prefix: str) -> None:
    compare = _pair(prefix, xp)
    some = FEW if xp.variant.jit else slice(None)
    for c in (A, A[:1], A[:2], RNG.normal(size=(4, 2)), A + 1j * A[::-1])[some]:
        compare(f"{prefix}val", X, c)
    compare(f"{prefix}val", X, RNG.normal(size=(4, 3, 2)), tensor=False)
    compare(f"{prefix}val", 0.3, A)
    compare(f"{prefix}val2d", AT, AT[::-1].copy(), RNG.normal(size=(3, 4)))
    compare(f"{prefix}val3d", AT, AT * 0.5, AT[::-1].copy(), RNG.normal(size=(3, 4, 2)))
    compare(f"{prefix}grid2d", AT, AT[:3], RNG.normal(size=(3, 4)))
    compare(f"{prefix}grid3d", AT[:2], AT[:3], AT[:4], RNG.normal(size=(3, 4, 2)))
    for deg in (4, 0, 1)[some]:
        compare(f"{prefix}vander", X, deg)
        compare(f"{prefix}vander", 0.3, deg)
    compare(f"{prefix}vander2d", 0.3, 0.5, deg=[2, 1])
    compare(f"{prefix}vander2d", AT, AT[::-1].copy(), deg=[2, 1])
    compare(f"{prefix}vander3d", AT, AT * 0.5, AT[::-1].copy(), deg=[2, 1, 1])


@OF
def test_arithmetic(xp: Any, prefix: str) -> None:
    compare = _pair(prefix, xp)
    same, some = np.concatenate([A[:2], B[2:]]), FEW if xp.variant.jit else slice(None)
    for name in ("add", "sub", "mul", "div"):
        for a, b in ((A, B), (B, A), (same, B), (A[:1], B), (A, B[:1]))[some]:
            compare(f"{prefix}{name}", a, b, tol=1e-10)
    compare(f"{prefix}mulx", A)
    compare(f"{prefix}mulx", np.zeros(1))
    for power in (0, 1, 3):
        compare(f"{prefix}pow", B, pow=power)
    for off, scl in ((3.0, 4.0), (3.0, 0.0)):
        compare(f"{prefix}line", off, scl)
    compare(f"{prefix}trim", np.asarray([1.0, 2.0, 1e-3, 0.0]), tol=1e-2)
    compare(f"{prefix}trim", np.zeros(3))
    if prefix != "poly":
        for c in (A, A[:1], RNG.normal(size=7))[some]:
            compare(f"{prefix}2poly", c)
            compare(f"poly2{prefix}", c)
            for name in (f"{prefix}2poly", f"poly2{prefix}"):
                compare(name, np.asarray([2.0, 3.0, 0.0, 0.0]))


@OF
def test_lines_of_numbers(prefix: str) -> None:
    judge = getattr(MODULES[prefix], f"{prefix}line")
    for off, scl in ((1, 2), (1.5, -2), (3, 0), (0.0, 0.0)):
        found = getattr(polynomial, f"{prefix}line")(off, scl)
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, judge(off, scl))


@OF
def test_calculus(xp: Any, prefix: str) -> None:
    compare = _pair(prefix, xp)
    some = FEW if xp.variant.jit else slice(None)
    for c in (RNG.normal(size=(5, 3)), A, A[:1], RNG.normal(size=8))[some]:
        for m in (2, 0, 1, 6)[some]:
            compare(f"{prefix}der", c, m=m, scl=0.5)
        for m, k in ((2, [0.3]), (0, []), (1, []), (3, [0.3, -1.0, 2.0]))[some]:
            compare(f"{prefix}int", c, m=m, k=k, lbnd=0.2, scl=2.0)
    compare(f"{prefix}der", RNG.normal(size=(2, 5)), axis=1)
    compare(f"{prefix}int", RNG.normal(size=(2, 5)), axis=-1)
    compare(f"{prefix}int", np.zeros(1), m=2, k=[0.0, 1.0])


@OF
def test_roots(lib: Any, prefix: str) -> None:
    xp, compare = lib.xp, _pair(prefix, lib.xp)
    compare(f"{prefix}fromroots", AT[:5], tol=1e-11)
    compare(f"{prefix}fromroots", np.zeros(0))
    for c in (A, A[:2], RNG.normal(size=7))[FEW if lib.jit else slice(None)]:
        compare(f"{prefix}companion", c)
        if not hasattr(xp, "linalg"):
            continue
        tol = 1e-8
        found = to_numpy(getattr(polynomial, f"{prefix}roots")(xp.asarray(c)))
        expected = getattr(MODULES[prefix], f"{prefix}roots")(c)
        if found.dtype.itemsize == expected.dtype.itemsize:
            near(np.sort(found), np.sort(expected), tol)
    if hasattr(xp, "linalg"):
        known = np.asarray([-0.8, -0.1, 0.4, 0.9])
        series = getattr(MODULES[prefix], f"{prefix}fromroots")(known)
        several = np.stack([series, series * 2.0], axis=1)
        found = to_numpy(getattr(polynomial, f"{prefix}roots")(xp.asarray(several)))
        near(np.sort(found.real, axis=0), np.stack([known, known], axis=1), 1e-9)


@OF
def test_fits(lib: Any, prefix: str) -> None:
    xp, name = lib.xp, f"{prefix}fit"
    fit = getattr(polynomial, name)
    y, w = RNG.normal(size=(12, 2)), RNG.uniform(0.5, 2.0, size=12)
    if not hasattr(xp, "linalg"):
        with pytest.raises(errors.ExtensionMissing):
            fit(xp.asarray(AT), xp.asarray(y), 3)
        return
    compare = _pair(prefix, xp)
    for some in (y, y[:, 0]):
        compare(name, AT, some, deg=3, tol=1e-9)
        compare(name, AT, some, deg=[3, 0, 1], tol=1e-9)
    expected = getattr(MODULES[prefix], name)(AT, y, 2, w=w)
    near(fit(xp.asarray(AT), xp.asarray(y), 2, w=xp.asarray(w)), expected, 1e-9)
    # A batch, each problem with its own points.
    x = np.stack([AT, AT * 0.5 + 0.1])
    found = fit(xp.asarray(x), xp.asarray(y.T.copy()), 2)
    for i in range(2):
        near(found[i, :], getattr(MODULES[prefix], name)(x[i], y[:, i], 2), 1e-9)
    _, (residuals, rank, _, _) = fit(xp.asarray(AT), xp.asarray(y), 2, full=True)
    assert int(rank) == 3 and residuals.shape == (2,)


def test_points_of_chebyshev(xp: Any) -> None:
    judge, like = MODULES["cheb"], xp.asarray(0.5)
    options = {"namespace": library(like), "dtype": like.dtype}
    for n in (2, 5):
        near(polynomial.chebpts1(n, **options), judge.chebpts1(n))
        near(polynomial.chebpts2(n, **options), judge.chebpts2(n))
    found = polynomial.chebinterpolate(lambda v: v**3 + v, 4, **options)
    near(found, judge.chebinterpolate(lambda v: v**3 + v, 4))


def test_values_from_roots(xp: Any) -> None:
    judge, r = MODULES["poly"], RNG.normal(size=(3, 2))
    for x, tensor in ((X, True), (AT[:2], False)):
        found = polynomial.polyvalfromroots(xp.asarray(x), xp.asarray(r), tensor)
        near(found, judge.polyvalfromroots(x, r, tensor))


def _followed(total: Any, *given: Any, rel: float = 1e-6) -> None:
    for i, a in enumerate(given):
        along, h = RNG.normal(size=a.shape), 1e-6
        found = np.sum(to_numpy(grad(total, argnums=i)(*given)) * along)
        ends = [total(*given[:i], a + s * h * along, *given[i + 1 :]) for s in (1, -1)]
        assert found == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=rel, abs=1e-7), i


@OF
def test_gradients(prefix: str) -> None:
    of = {n: getattr(polynomial, f"{prefix}{n}") for n in ("val", "mul", "div", "der", "int")}

    def total(x: Any, a: Any, b: Any) -> Any:
        xp = array_namespace(x, a, b)
        c = of["mul"](of["int"](a, k=[a[0]]), of["der"](b))
        quotient, rest = of["div"](c, b)
        return sum(xp.sum(of["val"](x, some) ** 2) for some in (c, quotient, rest))

    _followed(total, AT[:3], A, B)


@OF
def test_gradients_of_roots_and_fits(prefix: str) -> None:
    roots, fit = (getattr(polynomial, f"{prefix}{n}") for n in ("roots", "fit"))

    def total(x: Any, y: Any, c: Any) -> Any:
        xp = array_namespace(x, y, c)
        found = roots(c)
        return xp.sum(fit(x, y, 2) ** 2) + xp.sum(xp.real(found * found * found))

    _followed(total, AT, RNG.normal(size=12), RNG.normal(size=6), rel=1e-5)


@pytest.mark.needs("jax")
def test_where_values_are_not_known() -> None:
    jnp = namespace("jax")
    a, b = jnp.asarray(A), jnp.asarray(np.concatenate([B, [0.0]]))
    near(jit(polynomial.chebadd)(a, b), A + np.concatenate([B, [0.0]]))
    found = np.sort_complex(to_numpy(jit(polynomial.legroots)(a)))
    near(found, np.sort_complex(MODULES["leg"].legroots(A) + 0j), 1e-9)
    with pytest.raises(errors.ArgumentError, match="can't be read"):
        jit(polynomial.chebtrim)(a)
    rows = np.stack([A, A[::-1]])
    near(
        vmap(lambda c: polynomial.hermval(jnp.asarray(AT), c))(jnp.asarray(rows)),
        MODULES["herm"].hermval(AT, rows.T),
    )


def test_many_points() -> None:
    x = np.linspace(-1.0, 1.0, 20001).reshape(3, -1)
    np.testing.assert_array_equal(polynomial.chebval(x, A), MODULES["cheb"].chebval(x, A))


def test_bad_arguments() -> None:
    with pytest.raises(errors.FitShapeError, match="same length"):
        polynomial.chebfit(AT, AT[:3], 2)
    with pytest.raises(TypeError, match="non-empty"):
        polynomial.chebfit(AT[:0], AT[:0], 2)
    with pytest.raises(errors.ArgumentError, match="deg must"):
        polynomial.chebfit(AT, AT, -1)
    with pytest.raises(errors.IntegerError, match="integer"):
        polynomial.chebder(A, 0.5)
    with pytest.raises(ValueError, match="Too many"):
        polynomial.chebint(A, 1, [0, 0])
    with pytest.raises(errors.ShapeError, match="scalar"):
        polynomial.chebint(A, lbnd=[0])
    with pytest.raises(ZeroDivisionError):
        polynomial.chebdiv(A, np.zeros(2))
    with pytest.raises(errors.ShapeError, match="empty"):
        polynomial.chebadd(A, np.zeros(0))
    with pytest.raises(errors.ShapeError, match="one shape"):
        polynomial.chebval2d(AT, AT[:2], np.ones((2, 2)))
    with pytest.raises(ValueError, match="maxpower"):
        polynomial.chebpow(A, 17)
    with pytest.warns(errors.LinAlgWarning, match="poorly"):
        polynomial.polyfit([0.0, 0.0, 1.0], [1.0, 2.0, 3.0], 2)


def test_examples_run() -> None:
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    for name in NAMES:
        text = getattr(polynomial, name).__doc__
        assert "xxx" not in text and "TITLE" not in text
        examples = parser.get_doctest(text, {}, name, None, 0)
        assert examples.examples
        runner.run(examples)
    assert runner.failures == 0
