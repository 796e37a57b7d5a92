"""Public functions beside their generic bodies, on each library that has routines."""

from typing import Any

import numpy as np
import pytest

import likewise

__all__ = ["eager", "every", "same"]

LIBRARIES = [
    "numpy",
    pytest.param("torch", marks=pytest.mark.needs("torch")),
    pytest.param("jax", marks=[pytest.mark.needs("jax"), pytest.mark.full]),  # compiles each step
]
every = pytest.mark.parametrize("library", LIBRARIES)
eager = pytest.mark.parametrize("library", LIBRARIES[:2])  # JAX has no rows for these


def _arrays(out: Any) -> list[Any]:
    if isinstance(out, tuple):
        return [a for part in out for a in _arrays(part)]
    return [out]


def same(library: str, func: Any, *args: Any, rtol: float = 1e-12, **options: Any) -> None:
    def made(a: Any) -> Any:
        if isinstance(a, tuple):
            return tuple(made(part) for part in a)
        if not isinstance(a, np.ndarray):
            return a
        return likewise.asarray(a, namespace=library)

    args = tuple(made(a) for a in args)
    got, expected = func(*args, **options), func.generic(*args, **options)
    for a, b in zip(_arrays(got), _arrays(expected), strict=True):
        if isinstance(b, bool):
            assert a == b
            continue
        assert a.dtype == b.dtype and tuple(a.shape) == tuple(b.shape)
        a, b = likewise.to_numpy(a), likewise.to_numpy(b)
        if a.dtype in (np.float32, np.complex64):
            rtol = max(rtol, 2e-5)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol)
