"""Tests of every function on every library, against SciPy or a closed form; they run installed."""

from typing import Any

from likewise.testing import assert_close, tolerance


def assert_near(found: Any, expected: Any) -> None:
    """Assert that all numbers, of the size of 1, agree to three quarters of their digits."""
    assert_close(found, expected, atol=tolerance(found.dtype))
