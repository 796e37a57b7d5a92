"""`variants` serves a `unittest.TestCase`, one subtest for each."""

import io
import unittest
from typing import Any

import numpy as np

from likewise import array_namespace
from likewise.testing import assert_close, variants


def run(function: Any) -> tuple[list[str], unittest.TestResult]:
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
    tried, result = run(lambda x: x - array_namespace(x).mean(x))
    assert {"numpy", "numpy-readonly", "strict", "strict-device1"} <= set(tried)
    assert result.wasSuccessful() and result.testsRun == 1


def test_one_that_is_numpy_underneath_fails_on_the_others() -> None:
    tried, result = run(lambda x: x - np.mean(np.asarray(x)))
    failed = {
        str(test).partition("[")[2].partition("]")[0] for test, _ in result.failures + result.errors
    }
    assert not result.wasSuccessful()
    assert failed == {name for name in tried if name.startswith("strict")}
