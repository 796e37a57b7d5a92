"""Out-of-place updates against NumPy's item assignment."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import ArrayTypeError
from likewise.missing import at
from likewise.missing._at import _set
from likewise.testing import check_function

CASES = {
    "integer": ((1, ...), 5.0),
    "negative": ((-1, ...), 5.0),
    "row": ((1, slice(None)), [1.0, 2.0, 3.0, 4.0]),
    "column": ((slice(None), 2), 7.0),
    "slice": ((slice(0, 3, 2), slice(1, None)), 8.0),
    "ellipsis": ((..., 1), [1.0, 2.0, 3.0]),
    "nothing": ((slice(0, 0), slice(None)), 1.0),
}


@pytest.mark.parametrize("case", CASES)
def test_equals_numpy(lib: Any, case: str, rng: np.random.Generator) -> None:
    index, value = CASES[case]
    x = rng.normal(size=(3, 4)).astype("float32")
    expected = x.copy()
    expected[index] = value
    a = lib.asarray(x)
    v = value if isinstance(value, float) else lib.asarray(value, "float32")
    for out in (at(a)[index].set(v), None if lib.library == "dask" else _set(a, index, v)):
        if out is None:  # Dask finds no positions: its own assignment is the only way
            continue
        got = lib.to_numpy(out)
        assert got.dtype == np.float32
        np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(lib.to_numpy(a), x)


def test_mask(lib: Any) -> None:
    x = lib.asarray([1.0, -2.0, 3.0], "float32")
    for way in (lambda: at(x)[x < 0].set(0.0), lambda: _set(x, x < 0, 0.0)):
        native = way.__code__.co_names[0] == "at"
        if (lib.name == "strict-minimal" and native) or (lib.library == "dask" and not native):
            continue  # strict's own arrays refuse masks there; Dask finds no positions
        np.testing.assert_array_equal(lib.to_numpy(way()), [1.0, 0.0, 3.0])


@pytest.mark.needs("jax", "torch")
def test_integer_arrays() -> None:
    import jax.numpy as jnp
    import torch

    for xp in (np, jnp, torch):
        x, i = xp.zeros(5), xp.asarray([3, 0])
        for out in (at(x)[i].set(xp.asarray([1.0, 2.0])), _set(x, i, xp.asarray([1.0, 2.0]))):
            assert [float(v) for v in out] == [2.0, 0.0, 0.0, 1.0, 0.0]


@pytest.mark.needs("jax")
def test_jit_and_gradient() -> None:
    import jax
    import jax.numpy as jnp

    x, w = jnp.arange(4.0), jnp.asarray([1.0, 2.0, 3.0, 4.0])
    for way in (lambda x, v: at(x)[1:3].set(v), lambda x, v: _set(x, slice(1, 3), v)):
        out = jax.jit(way)(x, jnp.asarray([7.0, 8.0]))
        assert out.tolist() == [0.0, 7.0, 8.0, 3.0]
        dx, dv = jax.grad(lambda x, v, way=way: jnp.sum(w * way(x, v)), argnums=(0, 1))(x, x[:2])
        assert dx.tolist() == [1.0, 0.0, 0.0, 4.0] and dv.tolist() == [2.0, 3.0]


@pytest.mark.needs("torch")
def test_torch_vmap() -> None:
    import torch

    out = torch.func.vmap(lambda v: at(torch.zeros(3))[0].set(v))(torch.arange(3.0))
    assert out[:, 0].tolist() == [0.0, 1.0, 2.0] and out.shape == (3, 3)


def test_refuses() -> None:
    with pytest.raises(ArrayTypeError, match="at: argument 'x' must be an array"):
        at([1.0, 2.0])


def test_capabilities(rng: np.random.Generator) -> None:
    x, v = rng.normal(size=(3, 4)), rng.normal(size=3)
    expected = x.copy()
    expected[:, 2] = v
    check_function(
        lambda x, v: at(x)[:, 2].set(v), x, v, reference=expected, name="likewise.missing.at"
    )
