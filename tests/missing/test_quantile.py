"""Medians and quantiles against NumPy in double precision, on every library."""

import math
from typing import Any

import numpy as np
import pytest

from likewise import to_numpy
from likewise._namespace import is_concrete
from likewise.errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError
from likewise.missing import median, nanmedian, nanquantile, percentile, quantile
from likewise.testing import assert_close, check_function

X = np.asarray([[3.0, -1.0, 2.5, 7.0, 0.5], [4.0, 1.5, -2.0, 8.0, 6.5], [0.0, 9.0, 5.0, 1.0, 2.0]])
GAPS = X.copy()
GAPS[0, 1] = GAPS[2, 0] = GAPS[2, 3] = np.nan
METHODS = (
    *("inverted_cdf", "averaged_inverted_cdf", "closest_observation"),
    *("interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased"),
    *("normal_unbiased", "lower", "higher", "midpoint", "nearest"),
)
READS = 1  # whether probabilities and weights are in their range


def close(got: Any, expected: Any) -> None:
    """Relative to the largest entry."""
    size = float(np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected)))
    eps = float(np.finfo(to_numpy(got).dtype).eps) if to_numpy(got).dtype.kind == "f" else 0.0
    assert_close(got, expected, atol=50 * eps * size)


def weights_like(a: Any) -> Any:
    return np.arange(1.0, a.size + 1).reshape(a.shape) % 4


# -- everywhere ------------------------------------------------------------------------------------


def test_median_everywhere() -> None:
    check_function(median, X, kwargs={"axis": -1}, reference=np.median, batch=False)
    check_function(
        median,
        GAPS,
        kwargs={"axis": (0, 1), "keepdims": True},
        reference=np.median,
        grad=False,
        vmap=False,
    )


@pytest.mark.full
def test_nanmedian_everywhere() -> None:
    check_function(nanmedian, GAPS, kwargs={"axis": 1}, reference=np.nanmedian, grad=False)
    check_function(nanmedian, X, kwargs={"axis": 0}, reference=np.nanmedian, compile=False)


def test_quantile_everywhere() -> None:
    q = np.asarray([0.125, 0.3, 0.9])
    check_function(quantile, X, 0.3, kwargs={"axis": 1}, reference=np.quantile)
    check_function(quantile, X, q, kwargs={"axis": 0}, reference=np.quantile, scalars=READS)


def test_nanquantile_everywhere() -> None:
    check_function(
        nanquantile, GAPS, [0.2, 0.75], kwargs={"axis": 1}, reference=np.nanquantile, grad=False
    )


@pytest.mark.full
def test_percentile_everywhere() -> None:
    check_function(percentile, X, [30, 75], kwargs={"method": "hazen"}, reference=np.percentile)


@pytest.mark.full
def test_weights_everywhere() -> None:
    def weighted(a: Any, w: Any) -> Any:
        return quantile(a, [0.2, 0.6], axis=1, method="inverted_cdf", weights=w)

    def reference(a: Any, w: Any) -> Any:
        return np.quantile(a, [0.2, 0.6], axis=1, method="inverted_cdf", weights=w)

    check_function(weighted, X, weights_like(X), reference=reference, grad=False, scalars=2)


# -- values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_methods_equal_numpy(xp: Any, method: str) -> None:
    every = np.linspace(0, 1, 13).tolist()
    for n in (1, 5, 12):
        x = np.random.default_rng(n).normal(size=(2, n)).round(1)
        ties = [k / n for k in range(n + 1)] + [(k + 0.5) / n for k in range(n)]
        close(
            quantile(xp.asarray(x), every + ties, 1, method=method),
            np.quantile(x, every + ties, 1, method=method),
        )
    for q in (1 / 3, [[0.0, 0.3], [0.5, 1.0]], [0.25, 0.75]):
        expected = np.quantile(x, q, method=method)
        close(quantile(xp.asarray(x), q, method=method), expected)
    got = quantile(xp.asarray(x), xp.asarray(np.asarray([0.25, 0.75])), method=method)
    close(got, expected)


@pytest.mark.parametrize("method", METHODS)
def test_methods_without_nans_equal_numpy(xp: Any, method: str) -> None:
    for q in (0.4, [0.0, 0.25, 0.5, 1.0]):
        expected = np.nanquantile(GAPS, q, axis=1, method=method)
        close(nanquantile(xp.asarray(GAPS), q, 1, method=method), expected)
        got = quantile(xp.asarray(GAPS), q, 1, method=method, nan_policy="omit")
        close(got, expected)


@pytest.mark.parametrize("axis", [None, 0, (2, 0)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_axes(xp: Any, axis: Any, keepdims: bool) -> None:
    x = np.random.default_rng(3).normal(size=(3, 4, 2))
    holes = np.where(x > 1, np.nan, x)
    a, b = xp.asarray(x), xp.asarray(holes)
    close(median(a, axis, keepdims=keepdims), np.median(x, axis, keepdims=keepdims))
    close(median(b, axis, keepdims=keepdims), np.median(holes, axis, keepdims=keepdims))
    close(nanmedian(b, axis, keepdims=keepdims), np.nanmedian(holes, axis, keepdims=keepdims))
    for q in (0.3, [0.3, 0.6]):
        expected = np.quantile(x, q, axis, keepdims=keepdims)
        close(quantile(a, q, axis, keepdims=keepdims), expected)
        got = percentile(a, np.multiply(q, 100).tolist(), axis, keepdims=keepdims)
        close(got, expected)


def test_nans_propagate(xp: Any) -> None:
    expected = np.quantile(GAPS, [0.0, 0.5], axis=1)
    close(quantile(xp.asarray(GAPS), [0.0, 0.5], 1), expected)
    close(quantile(xp.asarray(GAPS), 0.0, 1), expected[0])
    got = quantile(xp.asarray(GAPS), xp.asarray(np.asarray([0.0, 0.5])), 1)
    close(got, expected)


def test_nothing_but_nans_is_nan_without_a_warning(xp: Any) -> None:
    x = np.full((2, 4), np.nan)
    for n in (1, 2, 3, 4):
        close(nanmedian(xp.asarray(x[:, :n]), 1), np.full(2, np.nan))
        close(nanquantile(xp.asarray(x[:, :n]), 0.3, 1), np.full(2, np.nan))


def test_nothing_is_nan(xp: Any) -> None:
    x = xp.asarray(np.ones((0, 3)))
    for got in (median(x, 0), nanmedian(x, 0), quantile(x, 0.5, 0), nanquantile(x, 0.5, 0)):
        close(got, np.full(3, np.nan))
    assert quantile(x, [0.2, 0.5], 1).shape == (2, 0)
    close(median(x), np.asarray(np.nan))
    with pytest.raises(ShapeError, match="no elements"):
        quantile(xp.asarray(np.ones((0,), dtype=int)), 0.5, method="lower")


def test_no_dimension(xp: Any) -> None:
    x = xp.asarray(np.asarray(3.0))
    for got in (median(x), nanmedian(x), quantile(x, 0.3), nanquantile(x, 0.3)):
        close(got, np.asarray(3.0))


def test_infinities(xp: Any) -> None:
    inf = math.inf
    x = xp.asarray(np.asarray([-inf, -inf, 1.0, 2.0, inf, inf, inf]))
    with np.errstate(invalid="ignore"):  # Dask computes here
        got = quantile(x, [0.0, 1 / 12, 1 / 4, 0.5, 0.6, 1.0])
        close(got, np.asarray([-inf, -inf, -inf, 2.0, inf, inf]))
    close(median(x[3:]), np.asarray(inf))
    close(median(x[:2]), np.asarray(-inf))
    with np.errstate(invalid="ignore"):
        close(nanmedian(xp.asarray(np.asarray([-inf, np.nan, inf]))), np.asarray(np.nan))


# -- dtypes ----------------------------------------------------------------------------------------


def test_integers(xp: Any, lib: Any) -> None:
    x = np.asarray([5, 1, 4, 2])
    default = lib.xp.__array_namespace_info__().default_dtypes(device=lib.device)["real floating"]
    for got in (median(xp.asarray(x)), nanmedian(xp.asarray(x)), quantile(xp.asarray(x), 0.5)):
        assert got.dtype == default
        assert float(lib.to_numpy(got)) == 3.0
    got = quantile(xp.asarray(x), [0.3, 1.0], method="lower")
    assert got.dtype == xp.asarray(x).dtype
    assert lib.to_numpy(got).tolist() == [1, 5]
    assert quantile(xp.asarray(x), 1).dtype == default
    assert float(lib.to_numpy(median(xp.asarray(np.asarray([True, False]))))) == 0.5


def test_weak_probabilities(lib: Any) -> None:
    x = lib.asarray(X, "float32")
    for q in (0.5, [0.5, 0.2], np.float64(0.5)):
        assert lib.to_numpy(quantile(x, q)).dtype == np.float32
    expected = "float64" if lib.has_float64 else "float32"
    assert lib.to_numpy(quantile(x, lib.asarray([0.5], "float64"))).dtype == expected


def test_lists() -> None:
    assert median([1, 2, 4]) == 2.0
    assert quantile([1.0, 2.0, 4.0], 0.5) == 2.0


# -- weights ---------------------------------------------------------------------------------------


def test_weights_of_what_is_there(xp: Any) -> None:
    w = weights_like(X)
    expected = np.nanquantile(GAPS, [0.2, 0.5], 1, weights=w, method="inverted_cdf")
    got = nanquantile(xp.asarray(GAPS), [0.2, 0.5], 1, weights=xp.asarray(w), method="inverted_cdf")
    close(got, expected)


def test_weights_equal_numpy(xp: Any) -> None:
    w, along = weights_like(X), np.asarray([0.0, 2.0, 1.0, 0.0, 3.0])
    options: Any = {"method": "inverted_cdf"}
    for q in (0.35, [0.0, 0.2, 0.5, 1.0]):
        for axis in (0, (0, 1)):
            expected = np.quantile(X, q, axis, weights=w, **options)
            got = quantile(xp.asarray(X), q, axis, weights=xp.asarray(w), **options)
            close(got, expected)
        expected = np.quantile(X, q, 1, weights=along, **options)
        close(quantile(xp.asarray(X), q, 1, weights=xp.asarray(along), **options), expected)
        expected = np.nanquantile(GAPS, q, 1, weights=w, **options)
        close(nanquantile(xp.asarray(GAPS), q, 1, weights=xp.asarray(w), **options), expected)
        expected = np.quantile(GAPS, q, 1, weights=w, **options)
        close(quantile(xp.asarray(GAPS), q, 1, weights=xp.asarray(w), **options), expected)


def test_bad_weights() -> None:
    def call(w: Any, axis: Any = 1, method: str = "inverted_cdf") -> None:
        quantile(X, 0.5, axis, weights=np.asarray(w), method=method)

    with pytest.raises(ArgumentError, match="inverted_cdf"):
        call(np.ones(5), method="linear")
    for w in ([-1.0, 1, 1, 1, 1], [0.0] * 5, [np.inf, 1, 1, 1, 1], [np.nan, 1, 1, 1, 1]):
        with pytest.raises(ArgumentError, match="finite, not negative"):
            call(w)
    for w, axis in ((np.ones(3), 1), (np.ones(5), None), (np.ones((5, 3)), (0, 1))):
        with pytest.raises(ShapeError, match="weights must have the shape"):
            call(w, axis)


@pytest.mark.needs("jax")
def test_bad_weights_and_probabilities_under_jit() -> None:
    """No value can be looked at: what is documented comes out."""
    import jax

    def weighted(w: Any) -> Any:
        return quantile(jax.numpy.asarray(X), 0.5, 1, method="inverted_cdf", weights=w)

    assert np.isnan(np.asarray(jax.jit(weighted)(np.zeros(5)))).all()
    got = jax.jit(lambda q: quantile(jax.numpy.asarray(X), q))(np.asarray([-1.0, 2.0, np.nan]))
    assert np.asarray(got).tolist() == [-2.0, 9.0, -2.0]


# -- errors ----------------------------------------------------------------------------------------


def test_one_row_without_nans_everywhere() -> None:
    x = GAPS.reshape(-1)
    check_function(nanmedian, x, reference=np.nanmedian, grad=False, scalars=1)
    check_function(nanquantile, x, 0.3, reference=np.nanquantile, grad=False, scalars=1)


@pytest.mark.parametrize("q", [-0.1, 1.1, [0.5, 2.0], float("nan"), np.float64(1.5)])
def test_probabilities_out_of_range(q: Any) -> None:
    with pytest.raises(ArgumentError, match=r"q must lie in \[0, 1\]"):
        quantile(X, q)
    with pytest.raises(ArgumentError, match=r"q must lie in \[0, 100\]"):
        percentile(X, np.multiply(q, 1000).tolist())


def test_probability_arrays_out_of_range(xp: Any, lib: Any) -> None:
    q = xp.asarray(np.asarray([0.5, 1.5]))
    if is_concrete(q) and not lib.jit:
        with pytest.raises(ArgumentError, match="q must lie in"):
            quantile(xp.asarray(X), q)
    else:
        close(quantile(xp.asarray(X), q), np.quantile(X, [0.5, 1.0]))


def test_errors(xp: Any) -> None:
    x = xp.asarray(X)
    with pytest.raises(ArgumentError, match="method must be one of"):
        quantile(x, 0.5, method="hazel")
    with pytest.raises(ArgumentError, match="nan_policy"):
        quantile(x, 0.5, nan_policy="skip")
    with pytest.raises(ShapeError, match="axis must lie in"):
        median(x, 2)
    with pytest.raises(ArrayTypeError, match="argument 'q'"):
        quantile(x, "0.5")
    with pytest.raises(ArgumentError, match="real numbers"):
        quantile(x, 0.5j)
    with pytest.raises(ShapeError, match="nested evenly"):
        quantile(x, [[0.5], [0.1, 0.2]])
    with pytest.raises(DtypeError):
        median(xp.asarray(X + 1j))
    with pytest.raises(DtypeError):
        quantile(xp.asarray(X + 1j), 0.5)


def test_policy_raise() -> None:
    with pytest.raises(ArgumentError, match="there are NaNs"):
        quantile(GAPS, 0.5, nan_policy="raise")
    assert quantile(X, 0.5, nan_policy="raise") == np.median(X)


def test_float32_places_are_not_rounded() -> None:
    """Of 2**24 + 2 elements, the place in the middle is none in single precision."""
    from likewise.missing._quantile import _neighbours, _Numbers

    low, weight = _neighbours(_Numbers, "linear", 2**24 + 2, 0.5)
    assert (low, weight) == (2**23, 0.5)


def test_native_selection_has_the_values_of_the_generic_one() -> None:
    for x in (X, GAPS, X.astype(np.float32), (10 * X).astype(int)):
        for func in (median, nanmedian):
            a, b = func(x, 1), func.generic(x, 1)  # type: ignore[attr-defined]
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)
        for q in (0.3, [0.1, 0.9], np.asarray([0.2, 0.7])):
            a, b = quantile(x, q), quantile.generic(x, q)  # type: ignore[attr-defined]
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


@pytest.mark.needs("jax")
@pytest.mark.parametrize(
    "method",
    [
        "averaged_inverted_cdf",
        "higher",
        *(
            pytest.param(method, marks=pytest.mark.full)
            for method in ("inverted_cdf", "closest_observation", "midpoint")
        ),
    ],
)
def test_steps_are_the_same_compiled(method: str) -> None:
    # A product and a subtraction that a compiler fuses leave a rest where NumPy has 0.
    import jax
    import jax.numpy as jnp

    for dtype in ("float64", "float32"):
        for n in (10,):
            a = np.arange(float(n)).astype(dtype)
            q = np.concatenate([np.arange(n + 1) / n, np.arange(2 * n) / (2 * n)]).astype(dtype)
            expected = np.quantile(a, q, method=method)  # type: ignore[call-overload]
            for x, func in ((a, quantile), (np.append(a, a.dtype.type(np.nan)), nanquantile)):
                out = jax.jit(lambda x, q, f=func: f(x, q, method=method))(
                    jnp.asarray(x), jnp.asarray(q)
                )
                np.testing.assert_array_equal(np.asarray(out), expected)


@pytest.mark.needs("jax")
def test_lazy_weights_of_no_use_give_nan() -> None:
    import jax
    import jax.numpy as jnp

    def func(x: Any, w: Any) -> Any:
        return quantile(x, 0.5, weights=w, method="inverted_cdf")

    x = jnp.asarray([1.0, 2.0, 3.0])
    for w in ([1.0, -1.0, 1.0], [0.0, 0.0, 0.0], [1.0, np.nan, 1.0], [1.0, np.inf, 1.0]):
        assert np.isnan(float(jax.jit(func)(x, jnp.asarray(w))))
    assert float(jax.jit(func)(x, jnp.asarray([1.0, 0.0, 3.0]))) == 3.0


def test_percentages_as_an_array(lib: Any) -> None:
    """An array of percentages is a hundred times one of probabilities, and lists are as arrays."""
    x, q = np.asarray([1.0, 5.0, 2.0, 9.0, 4.0]), np.asarray([0.0, 30.0, 75.0, 100.0])
    expected = np.percentile(x, q)
    for given in (lib.asarray(q), q.tolist()):
        got = lib.to_numpy(percentile(lib.asarray(x), given))
        np.testing.assert_allclose(got, expected, rtol=1e-6)
