"""Each variant is what it says."""

import io
import pickle
import unittest
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace
from likewise.errors import ArgumentError
from likewise.testing import Variant, _variants, assert_close, variants
from likewise.testing._variants import choose, current, default_choice


def test_all_are_there() -> None:
    names = [v.name for v in variants()]
    assert len(set(names)) == len(names) >= 17
    assert {"numpy-readonly", "strict-minimal", "torch-float64", "jax-x32", "jax-cuda"} < {*names}
    assert {v.library for v in variants()} == set(likewise._default.LIBRARIES)


def test_arrays_are_of_the_variant(xp: Any, lib: Variant) -> None:
    made = [xp.asarray([1.0, 2.0]), xp.asarray(np.ones(2)), xp.ones(2), xp.linspace(0.0, 1.0, 2)]
    made += [xp.zeros((2, 2)), xp.full(2, 1.5), xp.empty(2), xp.eye(2), xp.arange(2.0)]
    for x in made:
        assert likewise.library(x) == lib.library
        if lib.device is not None:
            assert likewise.device(x) == lib.device
        assert lib.has_float64 or "64" not in str(x.dtype)
        if lib.name == "numpy-readonly":
            with pytest.raises(ValueError, match="read-only"):
                x[0] = 1.0
        if lib.library == "dask":
            assert x.numblocks[0] == 2
    assert current() is lib


def test_tests_within_a_package_are_none_of_it(
    xp: Any, lib: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They get the variant's arrays; the package itself gets the library's."""
    monkeypatch.setattr(_variants, "UNDER_TEST", ["a_package"])
    for module in ("a_package.tests.common", "a_package.test_core", "a_package.conftest"):
        made = eval("xp.ones(2)", {"__name__": module, "xp": xp})
        assert lib.device in (None, likewise.device(made))
    made = eval("xp.ones(2)", {"__name__": "a_package.core", "xp": xp})
    assert lib.name != "strict-device1" or likewise.device(made) != lib.device


def test_values_and_dtypes(xp: Any, lib: Variant) -> None:
    given = np.asarray([1.5, 2.5])
    x = xp.asarray(given)
    assert str(x.dtype).endswith("float64" if lib.has_float64 else "float32")
    given[0] = 7.0  # memory of its own
    np.testing.assert_array_equal(likewise.to_numpy(x), [1.5, 2.5])
    y = xp.asarray([1, 2], dtype=xp.float32)
    assert y.dtype == xp.float32
    assert xp.asarray(x).dtype == x.dtype
    assert xp.ones(2, dtype=xp.float64).dtype == x.dtype


@pytest.mark.needs("dask")
def test_arrays_of_the_variant_stay_as_they_are() -> None:
    import dask.array as da

    (variant,) = (v for v in variants() if v.name == "dask")
    with variant.active() as xp:
        x = da.ones(4, chunks=4)
        assert xp.asarray(x).numblocks == (1,)
        assert xp.asarray(x, copy=True).numblocks == (2,)


def test_default_dtypes(xp: Any, lib: Variant) -> None:
    single = lib.name in ("torch", "torch-cuda", "jax-x32", "strict-no_float64")
    assert str(xp.ones(1).dtype).endswith("float32" if single else "float64")


def test_extensions(xp: Any, lib: Variant) -> None:
    assert hasattr(xp, "fft") == hasattr(xp, "linalg") == lib.has_extensions
    if lib.name == "strict-minimal":
        x = xp.asarray([1.0, -1.0])
        with pytest.raises(RuntimeError):
            x[x > 0]
        with pytest.raises(RuntimeError):
            xp.unique_values(x)


def test_the_namespace_is_as_closed_as_the_library_s(xp: Any, lib: Variant) -> None:
    with pytest.raises(AttributeError, match="array API standard"):
        xp.concatenate
    assert dir(xp) == dir(likewise.namespace(lib.library))
    assert pickle.loads(pickle.dumps(xp)) is xp
    assert lib.name in repr(xp)


def test_switches_are_put_back() -> None:
    import array_api_strict as strict

    before = strict.get_array_api_strict_flags()
    for variant in variants():
        if variant.why_not() is None:
            with variant.active():
                assert current() is variant
    assert strict.get_array_api_strict_flags() == before
    assert current() is None


@pytest.mark.needs("torch", "jax")
def test_switches_of_torch_and_jax() -> None:
    import jax
    import torch

    states = {}
    for variant in variants():
        if variant.why_not() is None:
            with variant.active():
                states[variant.name] = (torch.get_default_dtype(), jax.config.jax_enable_x64)
    assert states["torch"][0] == torch.float32
    assert states["torch-float64"][0] == torch.float64
    assert states["jax"][1] and states["jax-jit"][1] and not states["jax-x32"][1]
    assert torch.get_default_dtype() == torch.float32


def test_choice() -> None:
    assert choose("numpy") == {"numpy": 1}
    assert choose("numpy,strict*/4") == {
        "numpy": 1,
        "strict": 4,
        "strict-device1": 4,
        "strict-jit": 4,
        "strict-minimal": 4,
        "strict-no_float64": 4,
    }
    assert choose("numpy, num*/8")["numpy"] == 1
    assert choose("num*/8,numpy/2") == {"numpy": 2, "numpy-jit": 8, "numpy-readonly": 8}
    assert "jax-cuda" in choose("jax-cuda")  # named, so that it can be reported as not run
    for wrong in ("tensorflow", "numpy/0", "numpy/x", "foo*"):
        with pytest.raises(ArgumentError, match="no variant"):
            choose(wrong)


def test_default_choice_is_one_variant_a_library() -> None:
    names = default_choice().split(",")
    assert {"numpy", "strict"} <= set(names) <= set(likewise._default.LIBRARIES)


def test_to_numpy_checks_where_it_came_from(lib: Variant) -> None:
    import array_api_strict as strict

    with pytest.raises(AssertionError, match="came out of"):
        lib.to_numpy(np.ones(2) if lib.library != "numpy" else strict.ones(2))
    if lib.name == "strict-device1":
        with pytest.raises(AssertionError, match="CPU_DEVICE"):
            lib.to_numpy(strict.ones(2))


# -- in a unittest.TestCase --------------------------------------------------------------------------


def run_in_unittest(function: Any) -> tuple[list[str], unittest.TestResult]:
    """Run a function on the variants of NumPy and array-api-strict as one test of unittest."""
    tried: list[str] = []

    class Test(unittest.TestCase):
        def test_it(self) -> None:
            for variant in variants():
                if variant.library not in ("numpy", "strict") or variant.jit:
                    continue
                with self.subTest(str(variant)), variant.active() as xp:
                    tried.append(str(variant))
                    x = xp.asarray([1.0, 2.0, 6.0])
                    assert_close(function(x), [-2.0, -1.0, 3.0], rtol=1e-5)

    suite = unittest.TestLoader().loadTestsFromTestCase(Test)
    return tried, unittest.TextTestRunner(io.StringIO()).run(suite)


def test_every_variant_is_a_subtest() -> None:
    tried, result = run_in_unittest(lambda x: x - array_namespace(x).mean(x))
    assert {"numpy", "numpy-readonly", "strict", "strict-device1"} <= set(tried)
    assert result.wasSuccessful() and result.testsRun == 1


def test_one_that_is_numpy_underneath_fails_on_the_others() -> None:
    tried, result = run_in_unittest(lambda x: x - np.mean(np.asarray(x)))
    failed = {
        str(test).partition("[")[2].partition("]")[0] for test, _ in result.failures + result.errors
    }
    assert not result.wasSuccessful()
    assert failed == {name for name in tried if name.startswith("strict")}
