"""Values across libraries and against JAX's, and distributions against SciPy's."""

from typing import Any

import numpy as np
import pytest

import likewise
import likewise.random as lr
from likewise.errors import ArgumentError, DtypeError, MixedLibrariesError, ShapeError

PLAIN = {
    "uniform": lr.uniform,
    "normal": lr.normal,
    "exponential": lr.exponential,
    "laplace": lr.laplace,
    "gumbel": lr.gumbel,
}


def make(lib: Any, seed: int = 42) -> Any:
    return lr.key(seed, namespace=lib.library, device=lib.device)


def wide(lib: Any) -> list[str]:
    return ["float32", "float64"] if lib.has_float64 else ["float32"]


@pytest.mark.parametrize("name", PLAIN)
def test_libraries_agree(lib: Any, name: str) -> None:
    """Uniform numbers exactly, the others within four units in the last place."""
    for dtype in wide(lib):
        got = lib.to_numpy(PLAIN[name](make(lib), (50, 40), dtype))
        wanted = PLAIN[name](lr.key(42), (50, 40), dtype)
        assert got.dtype == dtype
        units = np.abs(got - wanted) / np.spacing(np.abs(wanted))
        assert np.max(units) <= (0 if name == "uniform" else 4)


def test_gumbel_near_its_zero(lib: Any) -> None:
    """Where both logarithms' errors counted, by their digits lost."""
    for dtype in wide(lib):
        got = lib.to_numpy(lr.gumbel(make(lib, 5), 100003, dtype))
        wanted = lr.gumbel(lr.key(5), 100003, dtype)
        assert np.min(np.abs(wanted)) < 1e-4
        assert np.max(np.abs(got - wanted) / np.spacing(np.abs(wanted))) <= 4
    part = lr.uniform(lr.key(5), 100003, "float32").astype("float64")
    got = lr.gumbel(lr.key(5), 100003, "float32")
    truth = -np.log(-np.log(part))
    assert np.max(np.abs(got - truth) / np.spacing(np.abs(got))) <= 4


@pytest.mark.needs("jax")
@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equal_jax(name: str, dtype: str) -> None:
    import jax

    with jax.enable_x64(True):
        wanted = np.asarray(getattr(jax.random, name)(jax.random.key(42), (50000,), dtype))
    got = PLAIN[name](lr.key(42), 50000, dtype)
    if name == "uniform":
        np.testing.assert_array_equal(got, wanted)
    else:
        tol = 1e-5 if dtype == "float32" else 1e-12
        np.testing.assert_allclose(got, wanted, rtol=tol, atol=tol)


@pytest.mark.needs("jax")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_intervals_and_truncation_equal_jax(dtype: str) -> None:
    import jax

    tol = 1e-5 if dtype == "float32" else 1e-12
    with jax.enable_x64(True):
        key = jax.random.key(3)
        some = np.asarray(jax.random.uniform(key, (9000,), dtype, -3.0, 7.0))
        cut = np.asarray(jax.random.truncated_normal(key, -1.0, 2.0, (9000,), dtype))
    np.testing.assert_allclose(lr.uniform(lr.key(3), 9000, dtype, -3.0, 7.0), some, atol=tol)
    np.testing.assert_allclose(
        lr.truncated_normal(lr.key(3), -1.0, 2.0, 9000, dtype), cut, rtol=tol, atol=tol
    )


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_kolmogorov_smirnov(dtype: str) -> None:
    from scipy import stats

    known = {
        "uniform": stats.uniform,
        "normal": stats.norm,
        "exponential": stats.expon,
        "laplace": stats.laplace,
        "gumbel": stats.gumbel_r,
    }
    for seed, (name, distribution) in enumerate(known.items()):
        x = PLAIN[name](lr.key(seed), 40000, dtype).astype("float64")
        assert stats.kstest(x, distribution.cdf).pvalue > 1e-4
    x = lr.truncated_normal(lr.key(9), -0.5, 2.0, 40000, dtype).astype("float64")
    assert -0.5 < x.min() < x.max() < 2
    assert stats.kstest(x, stats.truncnorm(-0.5, 2.0).cdf).pvalue > 1e-4


@pytest.mark.needs("scipy")
def test_bits_are_even_and_streams_independent() -> None:
    from scipy import stats

    words = lr.bits(lr.key(1), 1 << 17)
    for shift in (0, 8, 16, 24):
        counts = np.bincount((words >> shift) & 0xFF, minlength=256)
        assert stats.chisquare(counts).pvalue > 1e-4
    keys = lr.split(lr.key(2), 6)
    streams = np.stack([lr.uniform(k, 20000, "float64") for k in keys])
    streams = np.concatenate(
        [streams, lr.uniform(lr.fold_in(lr.key(2), 77), (1, 20000), "float64")]
    )
    off = np.corrcoef(streams)[np.triu_indices(7, 1)]
    assert np.max(np.abs(off)) < 4.5 / np.sqrt(20000)
    # Pairs of streams fill the square, and neighbours within a stream do.
    for x, y in ((streams[0], streams[1]), (streams[0, ::2], streams[0, 1::2])):
        counts = np.histogram2d(x, y, bins=16, range=[[0, 1], [0, 1]])[0]
        assert stats.chisquare(counts.ravel()).pvalue > 1e-4


def test_extremes_of_normal() -> None:
    """The ends of the interval that is inverted."""
    from likewise.random._continuous import standard_normal

    xp = likewise.namespace("numpy")
    for dtype, most in (("float32", 5.42), ("float64", 8.21)):
        zero, ones = np.zeros(1, "uint32"), np.full(1, 0xFFFFFFFF, "uint32")
        low = standard_normal(xp, zero, zero, np.dtype(dtype))
        high = standard_normal(xp, ones, zero, np.dtype(dtype))
        assert -most - 0.2 < low[0] < -4
        assert 4 < high[0] < most + 0.2


def test_shapes_and_dtypes(lib: Any) -> None:
    key = make(lib)
    for draw in PLAIN.values():
        for shape, wanted in (((), ()), (3, (3,)), ((2, 0), (2, 0)), ([2, 3], (2, 3))):
            assert lib.to_numpy(draw(key, shape)).shape == wanted
        assert lib.to_numpy(draw(key, 2, dtype=lib.xp.float32)).dtype == "float32"
        assert lib.to_numpy(draw(key, 2, like=lib.asarray([1.0], "float32"))).dtype == "float32"
    assert lib.to_numpy(lr.truncated_normal(key, -1.0, 1.0)).shape == ()


def test_bounds_broadcast(lib: Any) -> None:
    low = lib.asarray([[0.0], [10.0]])
    high = lib.asarray([1.0, 2.0, 3.0])
    got = lib.to_numpy(lr.truncated_normal(make(lib), low - 11, high))
    assert got.shape == (2, 3)
    got = lib.to_numpy(lr.uniform(make(lib), (2, 3), None, low, high + 10))
    assert np.all(got >= [[0.0], [10.0]])
    assert np.all(got <= [11.0, 12.0, 13.0])
    with pytest.raises(ShapeError, match=r"uniform: parameters must broadcast to shape \(4,\)"):
        lr.uniform(make(lib), 4, None, low, high)


def test_bounds_by_numpys_names(lib: Any) -> None:
    """`low` and `high` are `minval` and `maxval`, alone and together, in values and in errors."""
    key, high = make(lib), lib.asarray([1.0, 2.0, 3.0])
    same = lib.to_numpy(lr.uniform(key, (2, 3), None, -2.0, high))
    np.testing.assert_array_equal(lib.to_numpy(lr.uniform(key, (2, 3), low=-2.0, high=high)), same)
    same = lib.to_numpy(lr.uniform(key, 3, minval=-2.0))
    np.testing.assert_array_equal(lib.to_numpy(lr.uniform(key, 3, low=-2.0)), same)
    with pytest.raises(ArgumentError, match=r"uniform: low must be at most high, got 2\.0"):
        lr.uniform(key, 3, low=2.0, high=1.0)
    with pytest.raises(ArgumentError, match="uniform: minval must be at most high, got 2"):
        lr.uniform(key, 3, minval=2.0, high=1.0)
    with pytest.raises(ArgumentError, match=r"maxval and high are one bound, got both, maxval "):
        lr.uniform(key, 3, maxval=high, high=2.0)


def test_bad_input(lib: Any) -> None:
    key = make(lib)
    with pytest.raises(ShapeError, match="normal: shape must have no negative sizes"):
        lr.normal(key, -3)
    with pytest.raises(DtypeError, match="normal: dtype must be float32 or float64"):
        lr.normal(key, 3, "int32")
    with pytest.raises(ArgumentError, match="isn't a dtype"):
        lr.normal(key, 3, "real")
    if not lib.has_float64:
        with pytest.raises(DtypeError, match="normal: .* doesn't compute with dtype float64"):
            lr.normal(key, 3, "float64")
    bad = lib.asarray([3.0, 1.0])
    if likewise.is_lazy(bad):  # not looked at: the lower bound comes out, at least
        assert np.all(lib.to_numpy(lr.uniform(key, 2, None, bad, 2.0)) >= 1)
    elif not lib.jit:
        with pytest.raises(ArgumentError, match="uniform: minval must be at most maxval"):
            lr.uniform(key, 2, None, bad, 2.0)
        with pytest.raises(ArgumentError, match="truncated_normal: lower must be below upper"):
            lr.truncated_normal(key, bad, 2.0)


def test_scalars_are_named_in_errors(lib: Any) -> None:
    """On lazy libraries too."""
    key = make(lib)
    if lib.jit:
        return
    for call, message in (
        (lambda: lr.uniform(key, 3, None, 2.0, 1.0), "minval must be at most maxval, got 2.0"),
        (lambda: lr.truncated_normal(key, 2.0, 1.0, 3), "lower must be below upper, got 2.0"),
        (lambda: lr.gamma(key, -1.0), "gamma: a must be positive and finite, got -1.0"),
    ):
        with pytest.raises(ArgumentError, match=message):
            call()


@pytest.mark.parametrize(
    ("low", "high", "what"),
    [
        (-np.inf, 1.0, "minval must be finite in float32, got -inf"),
        (0.0, np.inf, "maxval must be finite in float32, got inf"),
        (0.0, 1e39, r"maxval must be finite in float32, got 1e\+39"),
        (0.0, np.nan, "maxval must be finite"),
        (
            -3e38,
            3e38,
            "minval must be so near to maxval that their difference is finite in float32",
        ),
        (np.zeros(2, "float32"), np.asarray([1.0, np.inf], "float32"), "maxval must be finite"),
    ],
)
def test_uniform_refuses_what_is_not_finite(low: Any, high: Any, what: str) -> None:
    with pytest.raises(ArgumentError, match=f"uniform: {what}"):
        lr.uniform(lr.key(0), 2, "float32", low, high)


@pytest.mark.needs("jax")
def test_lazy_bounds_are_not_looked_at() -> None:
    import jax

    got = jax.jit(lambda a: lr.uniform(lr.key(0, namespace="jax"), 3, None, a, 0.0))(5.0)
    np.testing.assert_array_equal(got, [5.0, 5.0, 5.0])


def test_uniform_has_the_dtype_of_its_bounds(lib: Any) -> None:
    low, high = (lib.asarray(v, dtype="float32") for v in ([0.0, 1.0], [2.0, 3.0]))
    found = lr.uniform(make(lib), 2, low=low, high=high)
    assert found.dtype == low.dtype
    assert lr.uniform(make(lib), 2, None, low, 4).dtype == low.dtype
    if lib.has_float64:
        assert lr.uniform(make(lib), 2, "float64", low, high).dtype == lib.asarray([0.0]).dtype
    else:
        with pytest.raises(DtypeError, match="uniform: .* doesn't compute with dtype float64"):
            lr.uniform(make(lib), 2, "float64", low, high)


def test_a_bound_of_uniform_that_comes_twice() -> None:
    with pytest.raises(ArgumentError, match="minval and low are one bound, got both"):
        lr.uniform(lr.key(0), 2, minval=0.0, low=2.0)


@pytest.mark.needs("torch")
def test_a_bound_of_another_library() -> None:
    import torch

    for call in (
        lambda: lr.uniform(lr.key(0), 2, low=torch.zeros(2)),
        lambda: lr.gamma(lr.key(0), torch.ones(2)),
    ):
        with pytest.raises(
            MixedLibrariesError, match="argument '(low|a)' is a torch array.*key is"
        ):
            call()
