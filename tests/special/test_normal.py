"""Edges of the normal distribution's functions, and their inverses."""

from typing import Any

import numpy as np
import pytest

import likewise.special
from likewise.special import erfc, erfcinv, log_ndtr, ndtr, ndtri, ndtri_exp

EDGES = {
    "ndtr": [-np.inf, -50.0, -0.0, 0.0, 50.0, np.inf, np.nan],
    "log_ndtr": [-np.inf, -50.0, -0.0, 0.0, 50.0, np.inf, np.nan],
    "ndtri": [-1.0, -0.0, 0.0, 0.5, 1.0, 2.0, np.inf, -np.inf, np.nan],
    "erfcinv": [-1.0, 0.0, 1.0, 2.0, 3.0, np.inf, -np.inf, np.nan],
    "ndtri_exp": [-np.inf, -1e4, -1.0, 0.0, 1.0, np.inf, np.nan],
}


@pytest.mark.needs("scipy")
@pytest.mark.parametrize("name", EDGES)
def test_edges(lib: Any, name: str) -> None:
    import scipy.special

    x = np.asarray(EDGES[name], "float64" if lib.has_float64 else "float32")
    got = lib.to_numpy(getattr(likewise.special, name)(lib.asarray(x)))
    np.testing.assert_allclose(got, getattr(scipy.special, name)(x), rtol=1e-5, atol=1e-30)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_inverses(rng: Any, dtype: str) -> None:
    """Forth and back, where that is well conditioned."""
    eps = float(np.finfo(dtype).eps)
    x = rng.uniform(-8, 2, 300).astype(dtype)
    back = ndtri.generic(ndtr.generic(x))  # type: ignore[attr-defined]
    np.testing.assert_allclose(back, x, rtol=40 * eps, atol=40 * eps)
    back = ndtri_exp.generic(log_ndtr.generic(30 * x))  # type: ignore[attr-defined]
    np.testing.assert_allclose(back[x < 0.1], 30 * x[x < 0.1], rtol=40 * eps, atol=60 * eps)
    back = erfcinv.generic(erfc.generic(-x))  # type: ignore[attr-defined]
    np.testing.assert_allclose(back[x < 0], -x[x < 0], rtol=40 * eps, atol=40 * eps)
    symmetric = ndtr.generic(x) + ndtr.generic(-x)  # type: ignore[attr-defined]
    np.testing.assert_allclose(symmetric, 1.0, rtol=4 * eps)
