"""While loops, eager and traced."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import NotSupported
from likewise.transforms import while_loop


def newton(x: Any) -> Any:
    """Square roots by Newton's method, in a nested value."""

    def going(value: Any) -> Any:
        return (value["n"] < 50) & (abs(value["pair"][0] ** 2 - x) > 1e-6 * x)

    def step(value: Any) -> Any:
        root, count = value["pair"]
        return {"n": value["n"] + 1, "pair": ((root + x / root) / 2, count + 1)}

    return while_loop(going, step, {"n": x * 0, "pair": (x, x * 0)})


def test_every_library(lib: Any) -> None:
    x = lib.asarray(2.0, "float32")
    if lib.library == "dask":
        with pytest.raises(NotSupported, match="dask has no loop over lazy arrays"):
            newton(x)
        return
    out = newton(x)
    np.testing.assert_allclose(
        lib.to_numpy(out["pair"][0] + lib.asarray(0.0, "float32")), 2**0.5, rtol=1e-5
    )


def test_python_numbers_and_none() -> None:
    assert while_loop(lambda v: v[0] < 5, lambda v: (v[0] + 1, None), (0, None)) == (5, None)


def test_false_at_once(lib: Any) -> None:
    if lib.library != "dask":
        x = lib.asarray(2.0)
        assert float(while_loop(lambda v: v < 0, lambda v: v * 2, x)) == 2.0


@pytest.mark.needs("jax")
def test_jax_jit_vmap_and_forward_derivative() -> None:
    import jax
    import jax.numpy as jnp

    run = jax.jit(lambda x: newton(x)["pair"][0])
    np.testing.assert_allclose(run(jnp.asarray(2.0)), 2**0.5, rtol=1e-6)
    roots = jax.vmap(run)(jnp.asarray([1.0, 4.0, 1e6]))
    np.testing.assert_allclose(roots, [1.0, 2.0, 1e3], rtol=1e-6)
    _, slope = jax.jvp(run, (jnp.asarray(2.0),), (jnp.asarray(1.0),))
    np.testing.assert_allclose(slope, 0.5 / 2**0.5, rtol=1e-5)


@pytest.mark.needs("torch")
def test_torch_gradient_through_the_steps() -> None:
    import torch

    x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    newton(x)["pair"][0].backward()
    np.testing.assert_allclose(x.grad, 0.5 / 2**0.5, rtol=1e-5)


@pytest.mark.needs("torch")
def test_torch_traced_is_refused() -> None:
    import torch

    with pytest.raises(NotSupported, match="torch has no loop over lazy arrays"):
        torch.func.vmap(lambda x: newton(x)["pair"][0])(torch.ones(3))
