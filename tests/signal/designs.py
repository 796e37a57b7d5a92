"""What the tests of design share: results in the library in use, against SciPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np

import likewise


def in_use(lib: Any, call: Callable[[], Any]) -> Any:
    """What a call gives where the variant's library is in use, as NumPy's arrays."""
    dtype = "float64" if lib.has_float64 else "float32"
    with likewise.use(lib.library, dtype=dtype, device=lib.device):
        out = call()
    assert all(likewise.library(x) == lib.library for x in parts(out))
    return tuple(lib.to_numpy(x) for x in parts(out))


def parts(out: Any) -> tuple[Any, ...]:
    return tuple(out) if isinstance(out, tuple | list) else (out,)


def close(got: Any, expected: Any, rtol: float = 1e-10) -> None:
    """Arrays alike, relative to the largest number of each."""
    assert len(parts(got)) == len(parts(expected))
    for x, y in zip(parts(got), parts(expected), strict=True):
        x, y = np.asarray(x), np.asarray(y)
        assert x.shape == y.shape
        assert (x.dtype.kind == "c") == (y.dtype.kind == "c")
        if x.dtype in (np.float32, np.complex64):
            rtol = max(rtol, 2e-5)
        if x.size:
            np.testing.assert_allclose(x, y, rtol=0, atol=rtol * float(np.max(np.abs(y))))


def gradient(function: Callable[[Any], Any], x: Any, cotangent: Any) -> Any:
    """The gradient of the cotangent's product with a function's result, by central differences."""
    x, h = np.asarray(x, dtype=np.float64), 1e-6
    out = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i] = h
        rise = np.real(np.sum(cotangent * (function(x + step) - function(x - step))))
        out[i] = rise / (2 * h)
    return out
