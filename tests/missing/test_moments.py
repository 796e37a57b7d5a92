"""Covariances and correlations against NumPy in double precision."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import ArgumentError, DtypeError, ShapeError
from likewise.missing import corrcoef, cov
from likewise.testing import assert_close, check_function

RNG = np.random.default_rng(20260103)
M = RNG.normal(size=(3, 5))
Y = 2 * M[:2] + RNG.normal(size=(2, 5))
TIMES = np.asarray([1, 2, 0, 3, 1])
WEIGHTS = np.asarray([0.5, 1.0, 2.0, 0.1, 0.0])
OPTIONS: list[dict[str, Any]] = [
    {},
    {"bias": True},
    {"ddof": 2},
    {"fweights": TIMES},
    {"aweights": WEIGHTS},
    {"fweights": TIMES, "aweights": WEIGHTS, "ddof": 1},
    {"fweights": TIMES, "ddof": 0},
]


def compare(lib: Any, func: Any, reference: Any, *args: Any, **options: Any) -> None:
    """Both ways of a function against NumPy's."""

    def fitting(x: Any) -> Any:
        if not isinstance(x, np.ndarray) or lib.has_float64 or x.dtype.kind not in "fc":
            return x
        return x.astype("complex64" if x.dtype.kind == "c" else "float32")

    def own(x: Any) -> Any:
        return lib.asarray(fitting(x)) if isinstance(x, np.ndarray) else x

    expected = np.asarray(reference(*args, **options))
    rtol = 1e-12 if lib.has_float64 else 1e-5
    for way in (func, func.generic):
        got = way(*map(own, args), **{k: own(v) for k, v in options.items()})
        assert_close(got, fitting(expected), rtol=rtol, atol=rtol)


@pytest.mark.full
def test_everywhere() -> None:
    check_function(
        lambda m, y, w: cov(m, y, aweights=w),
        M,
        Y,
        WEIGHTS + 0.5,
        reference=lambda m, y, w: np.cov(m, y, aweights=w),
        scalars=2,
        name="likewise.missing.cov",
        tol={"float32": 1e-5},
    )
    check_function(corrcoef, M, Y, reference=np.corrcoef, tol={"float32": 1e-5})


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(o) or "plain")
def test_cov(lib: Any, options: dict[str, Any], kind: str) -> None:
    m = M + 1j * M[::-1] ** 2 if kind == "complex" else M
    compare(lib, cov, np.cov, m, **options)
    compare(lib, cov, np.cov, m[0], **options)
    compare(lib, cov, np.cov, m[0], Y[0], **options)
    compare(lib, cov, np.cov, m.T, Y.T, rowvar=False, **options)
    compare(lib, cov, np.cov, m.T, Y[:1], rowvar=False, **options)


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_corrcoef(lib: Any, kind: str) -> None:
    m = M + 1j * M[::-1] ** 2 if kind == "complex" else M
    compare(lib, corrcoef, np.corrcoef, m)
    compare(lib, corrcoef, np.corrcoef, m[0])
    compare(lib, corrcoef, np.corrcoef, m, Y)
    compare(lib, corrcoef, np.corrcoef, m.T, Y.T, rowvar=False)
    for way in (corrcoef, corrcoef.generic):
        got = lib.to_numpy(way(lib.asarray(np.asarray([m[0], 3 * m[0], -m[0]]))))
        assert np.all(np.abs(got.real) <= 1) and np.all(np.abs(got.imag) <= 1)


def test_batches(lib: Any) -> None:
    dtype = "float64" if lib.has_float64 else "float32"
    x = RNG.normal(size=(4, 3, 6)).astype(dtype)
    a, tol = lib.asarray(x), 1e-12 if lib.has_float64 else 1e-5
    expected = np.stack([np.cov(m, x[0, 0], aweights=np.arange(6.0)) for m in x]).astype(dtype)
    got = cov(a, a[0, 0, :], aweights=lib.asarray(np.arange(6)))
    assert_close(got, expected, rtol=tol, atol=tol)
    expected = np.stack([np.corrcoef(m) for m in x]).astype(dtype)
    got = corrcoef(lib.asarray(x.swapaxes(1, 2)), rowvar=False)
    assert_close(got, expected, rtol=tol, atol=tol)
    assert cov(a[:, :1, :]).shape == (4, 1, 1)


def test_integers_and_lists(lib: Any) -> None:
    got = cov(lib.asarray([[1, 2, 4], [3, 1, 2]]))
    assert got.dtype in (lib.xp.float32, lib.xp.float64)
    np.testing.assert_allclose(lib.to_numpy(got), np.cov([[1, 2, 4], [3, 1, 2]]), rtol=1e-6)
    got = cov(lib.asarray([1, 2, 4]), fweights=[1, 2, 1])
    np.testing.assert_allclose(lib.to_numpy(got), np.cov([1, 2, 4], fweights=[1, 2, 1]), rtol=1e-6)


@pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value|Mean of empty)")
def test_strange_values(lib: Any) -> None:
    """Nothing to divide by; nothing to correlate; NaN and infinity; no variables."""
    for x in (M[:, :1], M[:, :0], M[:0], np.asarray([M[0], M[1] * np.inf, [np.nan] * 5])):
        compare(lib, cov, np.cov, x)
    compare(lib, cov, np.cov, M, ddof=5)
    compare(lib, cov, np.cov, M, fweights=np.asarray([1, 0, 0, 0, 0]))
    compare(lib, corrcoef, np.corrcoef, np.asarray([M[0], np.ones(5)]))
    compare(lib, corrcoef, np.corrcoef, np.ones(4))


def test_weights_that_cannot_be(lib: Any) -> None:
    """Errors where values can be seen; elsewhere taken as they are."""
    x, lazy = lib.asarray(M.astype("float32")), lib.jit or lib.library == "dask"
    cases: list[tuple[str, Any, type[Exception], str]] = [
        ("fweights", np.asarray([1, -1, 1, 1, 1]), ArgumentError, "not be negative"),
        ("aweights", -WEIGHTS.astype("float32"), ArgumentError, "not be negative"),
        ("fweights", WEIGHTS.astype("float32"), DtypeError, "must be integers"),
        ("aweights", np.zeros(5, dtype="float32"), ArgumentError, "sum to zero"),
    ]
    for name, w, error, text in cases:
        if lazy:
            with np.errstate(all="ignore"):
                assert lib.to_numpy(cov(x, **{name: lib.asarray(w)})).shape == (3, 3)
        else:
            with pytest.raises(error, match=text):
                cov(x, **{name: lib.asarray(w)})
    if not lazy:
        first, last = np.asarray([1, 0, 0, 0, 0]), np.asarray([0, 0, 0, 0, 1])
        with pytest.raises(ArgumentError, match="cov: fweights times aweights must not sum to"):
            cov(x, fweights=lib.asarray(first), aweights=lib.asarray(last))
        with pytest.raises(ArgumentError, match="cov: fweights must not sum to zero, got nothing"):
            cov(x[:, :0], fweights=lib.asarray(first[:0]))


def test_refuses() -> None:
    with pytest.raises(ShapeError, match=r"aweights must have shape \(5,\)"):
        cov(M, aweights=np.ones(4))
    with pytest.raises(ShapeError, match=r"fweights must have shape \(5,\)"):
        cov(M, fweights=np.ones((5, 1), dtype=int))
    with pytest.raises(DtypeError, match="aweights must be real"):
        cov(M, aweights=np.ones(5) * 1j)
    with pytest.raises(ArgumentError, match="ddof must be an integer"):
        cov(M, ddof=0.5)  # type: ignore[arg-type]
    for func in (cov, corrcoef):
        with pytest.raises(ShapeError, match="as many observations in y as in m"):
            func(M, Y[:, :3])
        with pytest.raises(ShapeError, match="broadcast"):
            func(np.ones((2, 3, 4)), np.ones((3, 1, 4)))


def test_weights_of_one_variable_in_columns(lib: Any) -> None:
    a, f = np.asarray([1.0, 4.0, 2.0]), np.asarray([1, 2, 3])
    found = cov(lib.asarray(a), rowvar=False, fweights=lib.asarray(f))
    np.testing.assert_allclose(lib.to_numpy(found), np.cov(a, rowvar=False, fweights=f))
