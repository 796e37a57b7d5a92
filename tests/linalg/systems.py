"""Matrices that are drawn, and how results are compared."""

from typing import Any

import numpy as np

from likewise.testing import assert_close


def matrices(rng: np.random.Generator, *shape: int, kind: str = "real") -> Any:
    """Well-conditioned, and no two rows in the order of their pivots."""
    a = rng.normal(size=(*shape, shape[-1])) + 2 * np.eye(shape[-1])[::-1]
    return a + 1j * rng.normal(size=a.shape) if kind == "complex" else a


def dtype_of(lib: Any, x: Any) -> Any:
    """As given where the library has it, else single."""
    x = np.asarray(x)
    if lib.has_float64:
        return x
    return x.astype("complex64" if x.dtype.kind == "c" else "float32")


def rtol_of(lib: Any) -> float:
    return 1e-11 if lib.has_float64 else 1e-4


def compare(lib: Any, got: Any, expected: Any) -> None:
    scale = float(np.max(np.abs(expected), initial=1.0))
    rtol = rtol_of(lib)
    assert_close(got, dtype_of(lib, expected), rtol=rtol, atol=rtol * scale)


def agree(lib: Any, got: Any, expected: Any) -> None:
    """What the routine gives is what the body gives: value, dtype and shape."""
    if isinstance(got, tuple):
        for one, other in zip(got, expected, strict=True):
            agree(lib, one, other)
        return
    assert got.dtype == expected.dtype and tuple(got.shape) == tuple(expected.shape)
    one, other = lib.to_numpy(got), lib.to_numpy(expected)
    tol = (1e-4 if one.dtype in (np.float32, np.complex64) else 1e-10) * max(
        1.0, float(np.max(np.abs(other), initial=0.0))
    )
    np.testing.assert_allclose(one, other, rtol=0, atol=tol)
