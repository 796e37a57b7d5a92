"""Mended functions of jax.numpy, as users reach them: through the namespace."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.transforms import grad, jit


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_log1p_is_accurate_below_zero(dtype: str) -> None:
    """XLA's is off by up to 128 units in double precision, eagerly and compiled."""
    import jax.numpy as jnp

    xp = likewise.namespace("jax")
    x = np.concatenate([np.linspace(-0.999, 2, 301), np.linspace(-0.5, -0.28, 800)]).astype(dtype)
    expected = np.log1p(x.astype(np.longdouble))
    for func in (xp.log1p, jit(xp.log1p)):
        found = np.asarray(func(jnp.asarray(x)))
        assert found.dtype == dtype
        off = np.abs(found - expected) / np.spacing(np.abs(expected).astype(dtype))
        assert np.max(off) < 3
    edges = np.asarray(xp.log1p(jnp.asarray([-1.0, -2.0, np.inf, 0.0], dtype=dtype)))
    np.testing.assert_array_equal(edges, [-np.inf, np.nan, np.inf, 0.0])


def test_log1p_has_derivatives() -> None:
    import jax.numpy as jnp

    xp: Any = likewise.namespace("jax")
    slope = grad(lambda x: xp.sum(xp.log1p(x)))
    x = np.asarray([-1.0, -0.4, -0.2, 3.0])
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(np.asarray(slope(jnp.asarray(x))), 1 / (1 + x), rtol=1e-6)


def test_derivative_of_a_complex_root_is_of_its_side_of_the_cut() -> None:
    import jax

    xp: Any = likewise.namespace("jax")
    for z in (complex(-4.0, -0.0), complex(-4.0, 0.0), 3 + 4j):
        x = xp.asarray([z], dtype=xp.complex64)
        y, slope = jax.jvp(xp.sqrt, (x,), (xp.ones_like(x),))
        np.testing.assert_allclose(np.asarray(y), np.sqrt(np.asarray([z], "complex64")), rtol=1e-6)
        np.testing.assert_allclose(np.asarray(slope * y), [0.5], rtol=1e-6)
