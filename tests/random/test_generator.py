"""The stateful front."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import likewise
import likewise.random as lr
from likewise.errors import ArgumentError, ShapeError


@pytest.mark.full
def test_calls_of_numpy_s_generator(lib: Any) -> None:
    rng = lr.Generator(7, namespace=lib.library, device=lib.device)
    for x, shape in (
        (rng.random(), ()),
        (rng.random((2, 3)), (2, 3)),
        (rng.uniform(-1.0, 1.0, 4), (4,)),
        (rng.standard_normal(4), (4,)),
        (rng.normal(3.0, 2.0, size=4), (4,)),
        (rng.normal(lib.asarray([1.0, 2.0]), 1.0), (2,)),
        (rng.laplace(size=2), (2,)),
        (rng.gumbel(size=2), (2,)),
        (rng.exponential(2.0, 4), (4,)),
        (rng.integers(10, size=4), (4,)),
        (rng.integers(1, 6, size=4, endpoint=True), (4,)),
        (rng.choice(5, 2), (2,)),
        (rng.permutation(5), (5,)),
        (rng.permuted(lib.asarray(np.eye(3)), axis=1), (3, 3)),
    ):
        assert lib.to_numpy(x).shape == shape


@pytest.mark.long("dask")
def test_draws_as_the_functions_do(lib: Any) -> None:
    rng = lr.Generator(7, namespace=lib.library, device=lib.device)
    key = lr.key(7, namespace=lib.library, device=lib.device)
    for number in range(2):
        expected = lr.uniform(lr.fold_in(key, number), (3,))
        np.testing.assert_array_equal(lib.to_numpy(rng.random(3)), lib.to_numpy(expected))
    assert 0 <= np.min(lib.to_numpy(expected)) < np.max(lib.to_numpy(expected)) < 1


def test_distributions(lib: Any) -> None:
    rng = lr.Generator(7, namespace=lib.library, device=lib.device)
    assert lib.to_numpy(rng.poisson(3.0, 5)).shape == (5,)
    assert lib.to_numpy(rng.gamma(2.0, 3.0, 5)).shape == (5,)
    rng = lr.Generator(7)
    assert rng.binomial(9, 0.5, 5).shape == rng.beta(2.0, 3.0, 5).shape == (5,)
    assert rng.multivariate_normal([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], 5).shape == (5, 2)
    x = rng.normal(5.0, 2.0, 20000)
    assert abs(x.mean() - 5) < 0.1
    assert abs(x.std() - 2) < 0.1


def test_the_seed_and_the_number_of_calls_decide() -> None:
    one, two = lr.Generator(1), lr.Generator(lr.key(1))
    first = one.random(3)
    np.testing.assert_array_equal(two.random(3), first)
    assert not np.array_equal(one.random(3), first)
    np.testing.assert_array_equal(lr.uniform(lr.fold_in(lr.key(1), 0), 3), first)
    copy = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(copy.random(3), one.random(3))
    children = one.spawn(3)
    assert len({float(c.random()) for c in children}) == 3


def test_threads_get_numbers_of_their_own() -> None:
    rng = lr.Generator(3)
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: tuple(map(int, rng.key())), range(400)))
    assert len(set(keys)) == 400
    assert set(keys) == {tuple(map(int, lr.fold_in(lr.key(3), i))) for i in range(400)}


def test_where_it_draws() -> None:
    with likewise.use("numpy", dtype="float32"):
        assert likewise.library(lr.Generator(0).random(2)) == "numpy"


def test_bad_input() -> None:
    rng = lr.Generator(0)
    with pytest.raises(ArgumentError, match="Generator: scale must be at least 0"):
        rng.normal(0.0, -1.0)
    with pytest.raises(ShapeError, match="negative sizes"):
        rng.random(-1)
    with pytest.raises(ArgumentError, match="key: seed must be"):
        lr.Generator(-5)
