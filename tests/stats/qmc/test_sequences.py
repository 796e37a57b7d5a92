"""Sequences, against SciPy's where nothing is random, and by their properties."""

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
import scipy.stats.qmc as judge

from likewise import asarray, errors, namespace, random, to_numpy
from likewise.random._sequences import _rows
from likewise.stats import qmc

ENGINES = (qmc.Sobol, qmc.Halton, qmc.LatinHypercube)
pytestmark = pytest.mark.filterwarnings("ignore:The balance")


def test_direction_numbers_are_joe_and_kuos() -> None:
    path = Path(scipy.stats.__file__).with_name("_sobol_direction_numbers.npz")
    table = np.load(path)
    assert len(_rows()) == 1111
    for (polynomial, m), p, v in zip(_rows(), table["poly"], table["vinit"], strict=False):
        assert polynomial == p
        assert m == v[: len(m)].tolist()


@pytest.mark.xp_skip({"strict-no_float64": "it compares doubles", "jax-x32": "it compares doubles"})
@pytest.mark.parametrize(("ours", "theirs"), [(qmc.Sobol, judge.Sobol), (qmc.Halton, judge.Halton)])
@pytest.mark.parametrize("d", [1, 3, 40])
def test_plain_sequences_are_scipys(lib: Any, ours: Any, theirs: Any, d: int) -> None:
    made = ours(d, scramble=False, namespace=lib.name.partition("-")[0], dtype="float64")
    other = theirs(d, scramble=False)
    for n in (1, 3, 64, 5, 1, 130, 0, 17):
        np.testing.assert_array_equal(to_numpy(made.random(n)), other.random(n))
    np.testing.assert_array_equal(
        to_numpy(made.fast_forward(999).random(9)), other.fast_forward(999).random(9)
    )
    assert made.num_generated == other.num_generated
    np.testing.assert_array_equal(to_numpy(made.reset().random(4)), other.reset().random(4))


@pytest.mark.parametrize("bits", [6, 13, 31, 32, 52])
def test_bits_are_scipys(bits: int) -> None:
    n = 2 ** min(bits, 5)
    found = qmc.Sobol(9, scramble=False, bits=bits).random(n)
    np.testing.assert_array_equal(found, judge.Sobol(9, scramble=False, bits=bits).random(n))
    some = qmc.Sobol(9, bits=bits, key=1).random(n)
    assert ((some * 2**bits) % 1 == 0).all() and (some < 1).all()


@pytest.mark.xp_skip({"strict-no_float64": "it compares doubles", "jax-x32": "it compares doubles"})
@pytest.mark.parametrize("kind", ENGINES)
def test_points_are_the_same_on_all_libraries(lib: Any, kind: Any) -> None:
    expected = kind(4, key=random.key(7)).random(50)
    for engine in (
        kind(4, key=random.key(7, namespace=lib.name.partition("-")[0]), dtype="float64"),
        kind(4, key=7, namespace=lib.name.partition("-")[0], dtype="float64"),
    ):
        # XLA divides by a product with the reciprocal: one unit in the last place.
        found = to_numpy(engine.random(50))
        np.testing.assert_allclose(found, expected, rtol=2.3e-16 * (kind is ENGINES[2]), atol=0)
    narrow = kind(4, key=7, namespace=lib.name.partition("-")[0], dtype="float32").random(50)
    assert narrow.dtype == lib.xp.float32
    np.testing.assert_allclose(to_numpy(narrow), expected, atol=3e-7 if kind != ENGINES[2] else 1)


@pytest.mark.parametrize("kind", ENGINES)
def test_a_key_decides_all(kind: Any) -> None:
    first, again = kind(3, key=1), kind(3, key=1)
    np.testing.assert_array_equal(first.random(8), again.random(8))
    np.testing.assert_array_equal(first.random(8), again.random(8))
    np.testing.assert_array_equal(first.reset().random(8), kind(3, key=1).random(8))
    assert not np.array_equal(kind(3, key=1).random(8), kind(3, key=2).random(8))
    first, again = kind(3, key=5), kind(3, key=5)
    first.random(16)
    np.testing.assert_array_equal(first.random(16), again.fast_forward(16).random(16))


@pytest.mark.parametrize("d", [2, 5])
def test_scrambled_sobol_is_a_net(d: int) -> None:
    for key in range(5):
        x = qmc.Sobol(d, key=key).random(256)
        assert (np.sort((x * 256).astype(int), axis=0) == np.arange(256)[:, None]).all()
        cells = (x[:, :2] * 16).astype(int)
        assert len({(a, b) for a, b in cells.tolist()}) == 256
        assert abs(x.mean() - 0.5) < 0.01
        assert qmc.discrepancy(x) < 0.1 * judge.discrepancy(
            np.random.default_rng(key).random(x.shape)
        )


def test_scrambled_halton_is_stratified_and_unbiased() -> None:
    found = np.stack([qmc.Halton(3, key=k).random(30) for k in range(400)])
    for i, base in enumerate((2, 3, 5)):
        cells = np.sort((found[:, :base, i] * base).astype(int), axis=-1)
        assert (cells == np.arange(base)).all()
    spread = 1 / math.sqrt(12 * 400)
    assert (np.abs(found.mean(axis=0) - 0.5) < 5 * spread).all()


@pytest.mark.parametrize("scramble", [True, False])
def test_latin_hypercubes(scramble: bool) -> None:
    x = qmc.LatinHypercube(3, scramble=scramble, key=3).random(20)
    assert (np.sort((x * 20).astype(int), axis=0) == np.arange(20)[:, None]).all()
    assert scramble or ((x * 20) % 1).round(9).tolist() == np.full((20, 3), 0.5).tolist()
    engine = qmc.LatinHypercube(5, scramble=scramble, strength=2, key=3)
    x = engine.random(49)
    assert (np.sort((x * 49).astype(int), axis=0) == np.arange(49)[:, None]).all()
    cells = (x * 7).astype(int)
    for i in range(5):
        for j in range(i):
            assert len({tuple(c) for c in cells[:, [i, j]].tolist()}) == 49


def test_swaps_lower_the_discrepancy_and_keep_coordinates() -> None:
    plain = qmc.LatinHypercube(3, key=3).random(30)
    better = qmc.LatinHypercube(3, key=3, optimization="random-cd").random(30)
    assert judge.discrepancy(better) < 0.7 * judge.discrepancy(plain)
    np.testing.assert_array_equal(np.sort(better, axis=0), np.sort(plain, axis=0))


@pytest.mark.xp_skip({"strict-no_float64": "it compares doubles", "jax-x32": "it compares doubles"})
@pytest.mark.parametrize("sphere", ["volume", "surface"])
def test_poisson_disks_keep_their_distance(lib: Any, sphere: str) -> None:
    bounds: Any = {"l_bounds": [-1.0, 2.0], "u_bounds": [1.0, 3.0]}
    options = {"radius": 0.2, "hypersphere": sphere, "dtype": "float64"} | bounds
    engine = qmc.PoissonDisk(2, key=3, namespace=lib.name.partition("-")[0], **options)
    x = to_numpy(engine.fill_space())
    gaps = np.sqrt(((x[:, None] - x) ** 2).sum(axis=-1)) + 9 * np.eye(len(x))
    assert gaps.min() >= 0.2 and len(x) > 25 and engine.num_generated == len(x)
    assert (x >= [-1, 2]).all() and (x <= [1, 3]).all()
    assert gaps.min(axis=0).max() < 0.4  # no hole that a point would fit in
    assert engine.random(3).shape == (0, 2)
    parts = [to_numpy(engine.reset().random(5)), to_numpy(engine.random(5))]
    assert engine.num_generated == 10
    np.testing.assert_allclose(parts[0], x[:5], rtol=1e-15)


@pytest.mark.xp_skip({"strict-no_float64": "it compares doubles", "jax-x32": "it compares doubles"})
def test_integers_and_base_two(lib: Any) -> None:
    engine = qmc.Sobol(2, key=0, namespace=lib.name.partition("-")[0], dtype="float64")
    found = to_numpy(engine.integers([2, -5], u_bounds=[4, 5], n=256, endpoint=True))
    assert found.min(axis=0).tolist() == [2, -5] and found.max(axis=0).tolist() == [4, 5]
    assert to_numpy(engine.integers(3, n=8)).max() <= 2
    assert tuple(qmc.Sobol(2, key=0).random_base2(3).shape) == (8, 2)
    engine = qmc.Sobol(2, key=0)
    engine.random(3)
    with pytest.raises(errors.ArgumentError, match="power of 2"):
        engine.random_base2(2)


def test_what_is_refused() -> None:
    for call, words in (
        (lambda: qmc.Sobol(2), "key="),
        (lambda: qmc.Halton(2), "key="),
        (lambda: qmc.LatinHypercube(2, scramble=False), "key="),
        (lambda: qmc.PoissonDisk(2), "key="),
        (lambda: qmc.Sobol(2, rng=1), "key="),
        (lambda: qmc.Sobol(2, seed=1), "key="),
        (lambda: qmc.Sobol(-1, key=1), "non-negative integer"),
        (lambda: qmc.Sobol(1112, key=1), "dimensionality"),
        (lambda: qmc.Sobol(2, bits=53, key=1), "bits"),
        (lambda: qmc.Sobol(2, bits=3, key=1).random(9), "At most"),
        (lambda: qmc.Halton(2, key=1, optimization="lloyd"), "not a valid optimization"),
        (lambda: qmc.LatinHypercube(2, key=1, strength=3), "strength"),
        (lambda: qmc.LatinHypercube(2, key=1, strength=2).random(8), "square of a prime"),
        (lambda: qmc.LatinHypercube(5, key=1, strength=2).random(9), "too small for d"),
        (lambda: qmc.PoissonDisk(2, key=1, hypersphere="s"), "hypersphere"),
        (lambda: qmc.PoissonDisk(2, key=1, l_bounds=[1, 1]), "consistent"),
        (lambda: qmc.Sobol(2, key=1).integers(2.5), "integers"),
        (lambda: qmc.Sobol(2, key=1).random(-1), "integer"),
    ):
        with pytest.raises(errors.ArgumentError, match=words):
            call()
    with pytest.warns(errors.LikewiseWarning, match="balance"):
        warnings.simplefilter("always")
        qmc.Sobol(2, key=1).random(3)
    with pytest.raises(NotImplementedError):
        qmc.QMCEngine(2).random()


def test_normal_vectors(xp: Any) -> None:
    mean, cov = np.asarray([1.0, -2.0, 0.5]), np.asarray([[2.0, 0.5, 0], [0.5, 1, 0], [0, 0, 0.3]])
    for inverse in (True, False):
        made = qmc.MultivariateNormalQMC(
            xp.asarray(mean), xp.asarray(cov), inv_transform=inverse, key=2
        )
        x = to_numpy(made.random(4096))
        np.testing.assert_allclose(x.mean(axis=0), mean, atol=0.01)
        np.testing.assert_allclose(np.cov(x.T), cov, atol=0.03)
    engine = qmc.Halton(3, scramble=False, like=xp.asarray(mean)).fast_forward(1)
    found = qmc.MultivariateNormalQMC(xp.asarray(mean), xp.asarray(cov), engine=engine).random(9)
    other = judge.Halton(3, scramble=False).fast_forward(1)
    expected = judge.MultivariateNormalQMC(mean, cov, engine=other).random(9)
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-9, atol=1e-12)
    lists = qmc.MultivariateNormalQMC([1.0, 2.0], key=1, namespace="strict").random(2)
    assert type(lists).__module__.startswith("array_api_strict")
    root = qmc.MultivariateNormalQMC(mean, cov_root=np.ones((3, 3)), key=1).random(64)
    np.testing.assert_allclose(root[:, 0] - 1, root[:, 1] + 2, atol=1e-12)
    flat = qmc.MultivariateNormalQMC(mean[:2], np.ones((2, 2)), key=1).random(64)
    np.testing.assert_allclose(flat[:, 0] - 1, flat[:, 1] + 2, atol=1e-7)


def test_multinomial_counts(xp: Any) -> None:
    p = np.asarray([0.12, 0.4, 0.05, 0.35, 0.08])
    engine = qmc.Sobol(1, scramble=False, like=xp.asarray(p))
    other = judge.Sobol(1, scramble=False)
    found = qmc.MultinomialQMC(xp.asarray(p), 128, engine=engine).random(3)
    np.testing.assert_array_equal(
        to_numpy(found), judge.MultinomialQMC(p, 128, engine=other).random(3)
    )
    for call, words in (
        (lambda: qmc.MultinomialQMC([-0.5, 1.5], 5, key=1), "non-negative"),
        (lambda: qmc.MultinomialQMC([0.5, 0.6], 5, key=1), "sum to 1"),
        (lambda: qmc.MultinomialQMC([0.5, 0.5], 5, engine=qmc.Sobol(2, key=1)), "Dimension"),
        (lambda: qmc.MultinomialQMC([0.5, 0.5], 5, engine=3), "QMCEngine"),
        (lambda: qmc.MultivariateNormalQMC([0, 0], [[1, 0.3], [0, 1]], key=1), "symmetric"),
        (lambda: qmc.MultivariateNormalQMC([0, 0], [[1, 2], [2, 1]], key=1), "PSD"),
        (lambda: qmc.MultivariateNormalQMC([0, 0, 0], [[1, 2], [2, 1]], key=1), "mismatch"),
    ):
        with pytest.raises((errors.ArgumentError, errors.ShapeError), match=words):
            call()


def test_engines_of_ones_own() -> None:
    class Random(qmc.QMCEngine):
        def _random(self, n: int = 1) -> Any:
            return random.uniform(self._key(self.num_generated), (n, self.d), self.dtype)

    x = Random(3, key=4, like=asarray([1.0], namespace="numpy")).random(5)
    assert x.shape == (5, 3) and (x < 1).all() and namespace("numpy").min(x) >= 0
