"""Integers, truth values and orders: equal on all libraries, even, and refused where they must."""

from typing import Any

import numpy as np
import pytest

import likewise
import likewise.random as lr
from likewise.errors import ArgumentError, DtypeError, ShapeError


def make(lib: Any, seed: int = 42) -> Any:
    return lr.key(seed, namespace=lib.library, device=lib.device)


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (0, 10, None),
        (-5, 100000, "int32"),
        (-(2**31), 2**31, "int32"),
        (0, 3, "int8"),
        (0, 2**32, "int64"),
        (-(2**40), 2**62, "int64"),
        (-(2**63), 2**63, "int64"),
    ],
)
def test_integers_agree(lib: Any, low: int, high: int, dtype: Any) -> None:
    if dtype == "int64" and lib.name == "jax-x32":
        return
    got = lib.to_numpy(lr.integers(make(lib), 500, low, high, dtype))
    wanted = lr.integers(lr.key(42), 500, low, high, dtype)
    np.testing.assert_array_equal(got, wanted)
    assert low <= wanted.min() <= wanted.max() < high
    # The definition, in Python's integers.
    if high - low <= 2**32:
        words = lr.bits(lr.key(42), 500, "uint64")
        np.testing.assert_array_equal(wanted, [low + (int(w) * (high - low) >> 64) for w in words])


@pytest.mark.xp_skip({"torch": "it has no uint64", "jax-x32": "it has no uint64"})
def test_integers_above_the_signed_ones(lib: Any) -> None:
    low = 2**64 - 1000
    got = lib.to_numpy(lr.integers(make(lib), 50, low, low + 990, "uint64"))
    words = lr.bits(lr.key(42), 50, "uint64")
    np.testing.assert_array_equal(got, [low + (int(w) * 990 >> 64) for w in words])


def test_bounds_may_be_arrays(lib: Any) -> None:
    low, high = np.asarray([[0], [-7]]), np.asarray([5, 10, 100])
    got = lib.to_numpy(lr.integers(make(lib), (2, 3), lib.asarray(low), lib.asarray(high)))
    words = lr.bits(lr.key(42), (2, 3), "uint64")
    span = np.broadcast_to(high - low, (2, 3))
    wanted = [
        [int(low[i, 0]) + (int(words[i, j]) * int(span[i, j]) >> 64) for j in range(3)]
        for i in range(2)
    ]
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.needs("scipy")
def test_integers_are_even() -> None:
    from scipy import stats

    for span in (7, 1000, 3 << 30):
        x = lr.integers(lr.key(span), 50000, 0, span)
        counts = np.bincount(x * 7 // span, minlength=7)
        edges = [-(-span * i // 7) for i in range(8)]
        assert stats.chisquare(counts, 50000 * np.diff(edges) / span).pvalue > 1e-4


@pytest.mark.parametrize("p", [0, 0.0, 1e-3, 0.3, 0.5, 0.999, 1.0])
def test_bernoulli_agrees(lib: Any, p: float) -> None:
    got = lib.to_numpy(lr.bernoulli(make(lib), p, (40, 50)))
    np.testing.assert_array_equal(got, lr.bernoulli(lr.key(42), p, (40, 50)))
    assert got.dtype == bool
    assert abs(got.mean() - p) < 5 * np.sqrt(p * (1 - p) / 2000) + 1e-12
    own = np.asarray([p], dtype="float32")
    array = lib.to_numpy(lr.bernoulli(make(lib), lib.asarray(own), (2000,)))
    np.testing.assert_array_equal(array, lr.bernoulli(lr.key(42), float(own[0]), (2000,)))


@pytest.mark.needs("jax")
@pytest.mark.parametrize("n", [0, 1, 5, 2000])
def test_permutation_is_jax_s(lib: Any, n: int) -> None:
    import jax

    got = lib.to_numpy(lr.permutation(make(lib), n))
    np.testing.assert_array_equal(got, np.asarray(jax.random.permutation(jax.random.key(42), n)))


def test_permutation_of_arrays(lib: Any) -> None:
    x = np.arange(24).reshape(4, 6)
    order = lr.permutation(lr.key(42), 6)
    got = lib.to_numpy(lr.permutation(make(lib), lib.asarray(x), axis=1))
    np.testing.assert_array_equal(got, x[:, order])
    got = lib.to_numpy(lr.permutation(make(lib), lib.asarray(x), axis=1, independent=True))
    np.testing.assert_array_equal(got, lr.permutation(lr.key(42), x, 1, True))
    np.testing.assert_array_equal(np.sort(got, axis=1), x)
    assert len({tuple(row % 6) for row in got}) > 1


@pytest.mark.needs("scipy")
@pytest.mark.full
def test_permutations_are_even() -> None:
    from scipy import stats

    keys = lr.split(lr.key(8), 2400)
    found = [tuple(lr.permutation(k, 4)) for k in keys]
    counts = [found.count(t) for t in sorted(set(found))]
    assert len(counts) == 24
    assert stats.chisquare(counts).pvalue > 1e-4


def test_choice(lib: Any) -> None:
    x = lib.asarray(np.arange(30.0).reshape(3, 10))
    key = make(lib)
    assert lib.to_numpy(lr.choice(key, x, (2, 4), axis=1)).shape == (3, 2, 4)
    got = lib.to_numpy(lr.choice(key, 10, 10, replace=False))
    assert sorted(got) == list(range(10))
    p = lib.asarray([0.0, 0.5, 0.25, 0.25])
    got = lib.to_numpy(lr.choice(key, 4, 4000, p=p))
    np.testing.assert_allclose(
        np.bincount(got, minlength=4) / 4000, [0, 0.5, 0.25, 0.25], atol=0.04
    )
    got = lib.to_numpy(lr.choice(key, 4, 3, replace=False, p=p))
    assert sorted(got) == [1, 2, 3]
    assert lib.to_numpy(lr.choice(key, 10)).shape == ()


def test_categorical(lib: Any) -> None:
    p = np.asarray([[0.1, 0.6, 0.3], [0.5, 0.0, 0.5]])
    with np.errstate(divide="ignore"):
        logits = lib.asarray(np.log(p))
    got = lib.to_numpy(lr.categorical(make(lib), logits, shape=(3000, 2)))
    for i in range(2):
        counts = np.bincount(got[:, i], minlength=3)
        np.testing.assert_allclose(counts / 3000, p[i], atol=0.04)
    assert lib.to_numpy(lr.categorical(make(lib), logits, axis=0)).shape == (3,)
    logits = lib.asarray(np.log(p + 0.01))
    got = lib.to_numpy(lr.categorical(make(lib), logits, shape=(3, 2), replace=False))
    np.testing.assert_array_equal(np.sort(got, axis=0), [[0, 0], [1, 1], [2, 2]])


def test_bad_input(lib: Any) -> None:
    key = make(lib)
    for low, high in ((3, 3), (4, 2)):
        with pytest.raises(ArgumentError, match="integers: minval must be below maxval"):
            lr.integers(key, 2, low, high)
    with pytest.raises(ArgumentError, match="integers: maxval is outside of"):
        lr.integers(key, 2, 0, 300, "int8")
    with pytest.raises(ArgumentError, match="integers: minval must be an integer"):
        lr.integers(key, 2, 0.5, 3)
    with pytest.raises(ArgumentError, match=r"bernoulli: p must be in \[0, 1\], got 1.5"):
        lr.bernoulli(key, 1.5)
    with pytest.raises(ArgumentError, match="permutation: x must be"):
        lr.permutation(key, -1)
    with pytest.raises(ShapeError, match="permutation: no axis 2"):
        lr.permutation(key, lib.asarray([1.0]), axis=2)
    if not (likewise.is_lazy(key) or lib.jit):
        p, never = lib.asarray([1.0, 0.0, 0.0]), lib.asarray([-np.inf, -np.inf])
        one = lib.asarray([0.0, -np.inf])
        for call, message in (
            (lambda: lr.choice(key, 3, 3, replace=False, p=p), "choice: entries of p above 0 must"),
            (lambda: lr.categorical(key, never), "categorical: logits above -inf must be at least"),
            (
                lambda: lr.categorical(key, one, shape=2, replace=False),
                "categorical: logits above -inf must be at least 2, .*, got 1",
            ),
        ):
            with pytest.raises(ArgumentError, match=message):
                call()
        assert lib.to_numpy(lr.choice(key, 3, 1, replace=False, p=p)) == 0
    with pytest.raises(ArgumentError, match="choice: without replacement at most 3"):
        lr.choice(key, 3, 4, replace=False)
    with pytest.raises(ArgumentError, match="choice: there is nothing to draw from"):
        lr.choice(key, 0, 4)
    with pytest.raises(ShapeError, match=r"choice: p must have shape \(3,\)"):
        lr.choice(key, 3, 4, p=lib.asarray([0.5, 0.5]))
    with pytest.raises(ShapeError, match="categorical: shape must end with"):
        lr.categorical(key, lib.asarray([[0.0, 1.0], [0.0, 0.0]]), shape=3)
    with pytest.raises(ArgumentError, match="categorical: 3 distinct categories"):
        lr.categorical(key, lib.asarray([0.0, 1.0]), shape=3, replace=False)


def test_bad_probabilities(lib: Any) -> None:
    """Errors where values can be looked at; what is documented where they can't."""
    key, bad = make(lib), lib.asarray([0.5, 1.5, -0.5, np.nan])
    heavy = lib.asarray([1.0, 1.0, 2.0])
    if likewise.is_lazy(bad):
        assert lib.to_numpy(lr.categorical(key, lib.asarray([-np.inf, -np.inf]))) == 0
        few = lr.choice(key, 3, 3, replace=False, p=lib.asarray([0.0, 1.0, 0.0]))
        assert lib.to_numpy(few)[0] == 1
        got = lib.to_numpy(lr.bernoulli(key, bad, (100, 4)))
        np.testing.assert_array_equal(np.all(got, axis=0), [False, True, False, False])
        np.testing.assert_array_equal(np.any(got, axis=0), [True, True, False, False])
        got = lib.to_numpy(lr.choice(key, 3, 2000, p=heavy))
        counts = np.bincount(got, minlength=3)
        np.testing.assert_allclose(counts / 2000, [0.25, 0.25, 0.5], atol=0.05)
    elif not lib.jit:
        with pytest.raises(ArgumentError, match=r"bernoulli: p must be in \[0, 1\]"):
            lr.bernoulli(key, bad)
        with pytest.raises(ArgumentError, match="choice: the sum of p must be 1"):
            lr.choice(key, 3, 2, p=heavy)
        with pytest.raises(ArgumentError, match="choice: p must be at least 0"):
            lr.choice(key, 3, 2, p=lib.asarray([1.0, 1.0, -1.0]))
        with pytest.raises(ArgumentError, match="categorical: logits must be numbers"):
            lr.categorical(key, lib.asarray([np.nan, 1.0]))
        with pytest.raises(ArgumentError, match="integers: minval must be below maxval"):
            lr.integers(key, 2, lib.asarray([1, 5]), 3)


def test_bounds_in_arrays_are_not_wrapped() -> None:
    key = lr.key(0)
    for low, high, what in (
        (np.asarray([300]), 500, "minval must be in the range of int8, got 300"),
        (0, np.asarray([-200]), "maxval must be in the range of int8, got -200"),
        (np.asarray([0, 2**63 + 1], "uint64"), 100, "minval must be in the range of int8, got an"),
    ):
        with pytest.raises(ArgumentError, match="integers: (maxval is outside|" + what + ")"):
            lr.integers(key, 2, low, high, "int8")
    with pytest.raises(DtypeError, match="integers: minval must hold integers, got a"):
        lr.integers(key, 2, np.asarray([0.5]), 7)
    got = lr.integers(key, 400, np.asarray([-128]), np.asarray([127]), "int8")
    assert got.min() < -120 and got.max() > 120


def test_infinite_logits_are_refused() -> None:
    with pytest.raises(ArgumentError, match="categorical: logits must be numbers below inf"):
        lr.categorical(lr.key(0), np.asarray([0.0, np.inf]))


@pytest.mark.parametrize("size", [0, 1])
def test_nothing_and_one_to_permute(size: int) -> None:
    assert lr.permutation(lr.key(0), size).tolist() == list(range(size))
    x = np.ones((3, size))
    assert lr.permutation(lr.key(0), x, 1, independent=True).shape == (3, size)
    assert lr.choice(lr.key(0), size, (0,)).shape == (0,)
