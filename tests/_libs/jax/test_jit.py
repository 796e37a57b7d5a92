"""Functions compiled by JAX whose arguments it doesn't know."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from likewise import jit

pytestmark = pytest.mark.needs("jax")


@dataclass
class Box:
    item: Any


def test_static_names_beside_a_dataclass() -> None:
    import jax.numpy as jnp

    x = jnp.asarray([1.0, 2.0])
    power = jit(lambda b, n=1, *, m=0: b.item**n + m, static_argnames=("n", "m"))
    np.testing.assert_array_equal(power(Box(x), n=3), [1.0, 8.0])
    np.testing.assert_array_equal(power(Box(x), n=2, m=1), [2.0, 5.0])
    np.testing.assert_array_equal(power(Box(x)), [1.0, 2.0])
