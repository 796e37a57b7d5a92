"""Functions compiled by JAX whose arguments it doesn't know."""

import subprocess
import sys
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


FIRST_IN_JIT = """
import jax, jax.numpy as jnp
from likewise import ndimage
x, footprint = jnp.arange(12.0).reshape(3, 4), jnp.asarray([[True, False], [True, True]])
for _ in range(2):
    jax.jit(lambda a: ndimage.minimum_filter(a, footprint=footprint))(x)
structure = jnp.ones((3, 3))
jax.jit(lambda a: ndimage.label(a > 0, structure=structure)[1])(x)
from likewise._libs.jax._jit import untraced
assert untraced()
jax.jit(lambda a: [a][untraced()])(x)
"""


def test_first_call_of_a_process_under_jit() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_IN_JIT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
