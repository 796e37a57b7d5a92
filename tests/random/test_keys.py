"""Keys and bits against JAX's, and what is refused."""

from typing import Any

import numpy as np
import pytest

import likewise
import likewise.random as lr
from likewise.errors import ArgumentError, DtypeError, ShapeError


def make(lib: Any, seed: int = 42) -> Any:
    return lr.key(seed, namespace=lib.library, device=lib.device)


def words(keys: Any) -> Any:
    """JAX's, as NumPy arrays."""
    import jax

    return np.asarray(jax.random.key_data(keys)).astype("uint64")


@pytest.mark.needs("jax")
@pytest.mark.parametrize("seed", [0, 42, 2**31 - 1])
def test_keys_are_jax_s(lib: Any, seed: int) -> None:
    import jax

    theirs = jax.random.key(seed)
    key = make(lib, seed)
    np.testing.assert_array_equal(lib.to_numpy(key).astype("uint64"), words(theirs))
    for num in (2, 5, (2, 3), 0):
        got = lib.to_numpy(lr.split(key, num)).astype("uint64")
        np.testing.assert_array_equal(got, words(jax.random.split(theirs, num)))
    for data in (0, 1, 2**32 - 1):
        got = lib.to_numpy(lr.fold_in(key, data)).astype("uint64")
        np.testing.assert_array_equal(got, words(jax.random.fold_in(theirs, data)))


@pytest.mark.needs("jax")
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize("shape", [(), 7, (2, 3), (0, 4), 40000])
def test_bits_are_jax_s(lib: Any, dtype: str, shape: Any) -> None:
    import jax

    if dtype == "uint64" and lib.name == "jax-x32":
        with pytest.raises(DtypeError, match="jax_enable_x64"):
            lr.bits(make(lib), shape, dtype)
        return
    got = lib.to_numpy(lr.bits(make(lib), shape, dtype))
    with jax.enable_x64(True):
        sizes = (shape,) if isinstance(shape, int) else shape
        wanted = np.asarray(jax.random.bits(jax.random.key(42), sizes, dtype))
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(got.astype("uint64"), wanted)


def test_words_out_of_range_are_refused(lib: Any) -> None:
    where = {"namespace": lib.library, "device": lib.device}
    for words in ([-1, 2], [2**33, 2], [1, 2.5], (0, None)):
        with pytest.raises(ArgumentError, match=r"argument 'key' must be a key.* in \[0, 2\^32\)"):
            lr.uniform(words, **where)
    got = lib.to_numpy(lr.uniform([0, 2**32 - 1], dtype="float32", **where))
    assert got == lr.uniform(np.asarray([0, 2**32 - 1], "uint32"), dtype="float32")
    bad = lib.asarray(np.asarray([-1, 2], "int32"))
    if likewise.is_lazy(bad):  # not looked at: their lowest 32 bits are taken
        same = lr.uniform(np.asarray([2**32 - 1, 2], "uint32"), dtype="float32")
        assert lib.to_numpy(lr.uniform(bad, dtype="float32")) == same
    elif not lib.jit and lib.device in (None, "cpu"):
        with pytest.raises(ArgumentError, match=r"uniform: argument 'key' must hold words in"):
            lr.uniform(bad)
        if lib.has_float64:
            with pytest.raises(ArgumentError, match=r"uniform: argument 'key' must hold words in"):
                lr.uniform(lib.asarray(np.asarray([2**33, 2])))


def test_dtypes_of_bits(lib: Any) -> None:
    """Unsigned where the library computes with that."""
    unsigned = lib.library != "torch"
    name = str(lib.to_numpy(lr.bits(make(lib), 2)).dtype)
    assert name == ("uint32" if unsigned else "int64")
    assert lib.to_numpy(make(lib)).dtype == name
    assert lib.to_numpy(lr.bits(make(lib), 2, "uint8")).dtype == "uint8"


def test_seeds_and_data_may_be_arrays(lib: Any) -> None:
    seed = lib.asarray(np.asarray(77, dtype="int32"))
    np.testing.assert_array_equal(lib.to_numpy(lr.key(seed)), lib.to_numpy(make(lib, 77)))
    got = lib.to_numpy(lr.fold_in(make(lib), seed))
    np.testing.assert_array_equal(got, lib.to_numpy(lr.fold_in(make(lib), 77)))


def test_upper_word_of_a_seed(lib: Any) -> None:
    np.testing.assert_array_equal(lib.to_numpy(make(lib, (3 << 32) + 2**31 + 5)), [3, 2**31 + 5])


@pytest.mark.needs("array_api_strict")
def test_without_any_64_bit_types() -> None:
    """array-api-strict's device no_x64."""
    xp = likewise.namespace("strict")
    device = next(d for d in xp.__array_namespace_info__().devices() if "no_x64" in str(d))
    own, plain = lr.key(3, namespace="strict", device=device), lr.key(3)
    for draw in (lr.bits, lr.uniform, lr.normal):
        kwargs = {} if draw is lr.bits else {"dtype": "float32"}
        got = draw(own, 50, **kwargs)
        assert got.device == device
        np.testing.assert_array_equal(likewise.to_numpy(got), draw(plain, 50, **kwargs))


@pytest.mark.needs("torch", "array_api_strict")
def test_where_results_are_made() -> None:
    key = lr.key(1)
    wanted = lr.uniform(key, 3, "float32")
    assert likewise.library(wanted) == "numpy"
    strict = likewise.namespace("strict")
    like = strict.ones(1, dtype=strict.float32)
    for kwargs in ({"namespace": "strict", "dtype": "float32"}, {"like": like}):
        got = lr.uniform(key, 3, **kwargs)
        assert likewise.library(got) == "strict"
        np.testing.assert_array_equal(likewise.to_numpy(got), wanted)
    with likewise.use("torch"):
        assert likewise.library(lr.key(1)) == "torch"
        assert likewise.library(lr.uniform([0, 1], 3)) == "torch"
    assert likewise.library(lr.uniform(key, 3, namespace="torch")) == "torch"
    assert likewise.library(lr.key(1, like=like)) == "strict"


@pytest.mark.needs("jax")
def test_typed_keys_of_jax_are_explained() -> None:
    import jax

    with pytest.raises(DtypeError, match=r"bits: .*jax.random.key_data\(key\)"):
        lr.bits(jax.random.key(0), 2)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, True, None, "a"])
def test_bad_seeds(seed: Any) -> None:
    with pytest.raises(ArgumentError, match="key: seed must be"):
        lr.key(seed)


def test_bad_keys_and_shapes(lib: Any) -> None:
    key = make(lib)
    with pytest.raises(ShapeError, match=r"bits: shape must have no negative sizes, got \(2, -1\)"):
        lr.bits(key, (2, -1))
    with pytest.raises(ShapeError, match="split: num must have no negative sizes"):
        lr.split(key, -1)
    with pytest.raises(ArgumentError, match="bits: shape must be an integer"):
        lr.bits(key, 2.5)
    with pytest.raises(ArgumentError, match="bits: dtype must be uint8"):
        lr.bits(key, 2, "int32")
    with pytest.raises(
        ShapeError, match=r"uniform: argument 'key' must be one key, of shape \(2,\)"
    ):
        lr.uniform(lr.split(key), 2)
    with pytest.raises(DtypeError, match="uniform: argument 'key' must hold two words"):
        lr.uniform(lib.asarray([0.0, 1.0]), 2)
    with pytest.raises(ArgumentError, match="uniform: argument 'key' must be a key"):
        lr.uniform(5, 2)
    with pytest.raises(ArgumentError, match="fold_in: data must be an integer"):
        lr.fold_in(key, -1)
    with pytest.raises(ArgumentError, match="namespace"):
        lr.key(0, namespace="nothing")
    with pytest.raises(ArgumentError, match="key: give either like or namespace"):
        lr.key(0, namespace="numpy", like=key)


@pytest.mark.needs("jax", "torch")
@pytest.mark.full
def test_traced_keys() -> None:
    """jit, vmap and torch.compile over keys."""
    import jax
    import torch

    keys = likewise.asarray(lr.split(lr.key(4), 3), namespace="jax")
    wanted = np.stack([lr.bits(k, 6) for k in lr.split(lr.key(4), 3)])
    np.testing.assert_array_equal(jax.vmap(lambda k: lr.bits(k, 6))(keys), wanted)
    got = jax.jit(lambda s: lr.bits(lr.fold_in(lr.key(s), s), 6))(jax.numpy.int32(9))
    np.testing.assert_array_equal(got, lr.bits(lr.fold_in(lr.key(9), 9), 6))
    own = lr.split(lr.key(4, namespace="torch"), 3)
    np.testing.assert_array_equal(torch.func.vmap(lambda k: lr.bits(k, 6))(own), wanted)
    compiled = torch.compile(lambda k: lr.normal(k, 6), fullgraph=True, backend="eager")
    np.testing.assert_array_equal(compiled(own[0]), lr.normal(own[0], 6))


def test_a_seed_of_zero_in_an_array(lib: Any) -> None:
    assert lib.to_numpy(lr.key(lib.asarray(0, "int32"))).tolist() == [0, 0]
