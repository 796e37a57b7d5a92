"""A Python function on NumPy's arrays, called from everywhere."""

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import array_namespace, to_numpy
from likewise.errors import (
    ArgumentError,
    DtypeError,
    LikewiseWarning,
    ShapeError,
    TransformError,
)
from likewise.transforms import (
    custom_vjp,
    grad,
    jit,
    jvp,
    pure_callback,
    stop_gradient,
    vjp,
    vmap,
)


def host(a: Any, *, n: Any = 1.0) -> Any:
    """Sort on the host: nothing but NumPy's arrays may come."""
    assert type(a) is np.ndarray
    assert type(n) is np.ndarray or type(n) is float
    return {"sorted": np.sort(a) * np.asarray(n, dtype=a.dtype), "place": np.argsort(a)}


def told(x: Any) -> Any:
    xp = array_namespace(x)
    return {"sorted": x, "place": xp.zeros(x.shape, dtype=xp.int64)}


def test_values_library_and_dtype(lib: Any) -> None:
    x = lib.asarray(np.asarray([3.0, 1.0, 2.0]))
    narrow = pytest.warns(LikewiseWarning, match="int64 became int32")
    with narrow if lib.name == "jax-x32" else nullcontext(), likewise.trace_transfers() as log:
        out = pure_callback(host, {"sorted": x, "place": np.zeros(3, np.int64)}, x, n=2.0)
    assert type(out["sorted"]) is type(x)
    np.testing.assert_array_equal(lib.to_numpy(out["sorted"]), [2.0, 4.0, 6.0])
    np.testing.assert_array_equal(lib.to_numpy(out["place"]), [1, 2, 0])
    assert log or lib.jit or likewise.library(x) == "numpy"  # compiled, JAX copies by itself


def test_under_vmap_and_in_turn(lib: Any) -> None:
    x = lib.asarray(np.asarray([[3.0, 1.0], [1.0, 2.0], [5.0, 4.0]]))
    w = lib.asarray(np.asarray(10.0))

    def one(a: Any, b: Any, method: Any = "sequential") -> Any:
        return pure_callback(lambda c, d: np.sort(c) * d, a, a, b, vmap_method=method)

    expected = np.sort(lib.to_numpy(x), axis=1) * 10
    np.testing.assert_array_equal(lib.to_numpy(vmap(one, in_axes=(0, None))(x, w)), expected)
    nested = vmap(lambda a: vmap(lambda b: one(a, b))(a))(x)
    whole = np.sort(lib.to_numpy(x), axis=1)[:, None, :] * lib.to_numpy(x)[:, :, None]
    np.testing.assert_array_equal(lib.to_numpy(nested), whole)
    with pytest.raises(TransformError, match="vmap_method='sequential'"):
        vmap(lambda a: one(a, w, None))(x)


def test_no_derivative_but_the_users(lib: Any) -> None:
    x = lib.asarray(np.asarray([3.0, 1.0]))

    def double(a: Any) -> Any:
        return pure_callback(lambda b: 2 * b, a, a)

    def total(a: Any) -> Any:
        return array_namespace(a).sum(double(a) * a)

    for transform in (
        lambda: grad(total)(x),
        lambda: jvp(double, (x,), (x,)),
        lambda: vjp(double, x)[1](x),
    ):
        with pytest.raises(TransformError, match="pure_callback: .*custom_vjp.*stop_gradient"):
            transform()

    def stopped(a: Any) -> Any:
        return array_namespace(a).sum(double(stop_gradient(a)) * a)

    np.testing.assert_array_equal(lib.to_numpy(grad(stopped)(x)), [6.0, 2.0])
    ruled = custom_vjp(double)
    ruled.defvjp(lambda a: (double(a), None), lambda _, ct: (2 * ct,))
    g = grad(lambda a: array_namespace(a).sum(ruled(a) * a))(x)
    np.testing.assert_array_equal(lib.to_numpy(g), [12.0, 4.0])


@pytest.mark.needs("jax")
def test_compiled_by_jax() -> None:
    import jax
    import jax.numpy as jnp

    x = jnp.asarray([3.0, 1.0, 2.0])
    out = jit(lambda a: pure_callback(host, told(a) | {"place": jnp.argsort(a)}, a))(x)
    np.testing.assert_array_equal(out["sorted"], [1.0, 2.0, 3.0])
    assert isinstance(out["place"], jax.Array)


def test_what_was_not_told() -> None:
    x = np.ones(3)
    with pytest.raises(ShapeError, match=r"pure_callback: result must have the shape \(3,\).*got"):
        pure_callback(lambda a: a[:2], x, x)
    with pytest.raises(DtypeError, match="dtype float64 that was told, got float32"):
        pure_callback(lambda a: a.astype(np.float32), x, x)
    with pytest.raises(ArgumentError, match="structures must be the same"):
        pure_callback(lambda a: (a, a), x, x)
    with pytest.raises(ArgumentError, match="must have shape and dtype, got a int"):
        pure_callback(lambda a: a, 3, x)
    with pytest.raises(ArgumentError, match="vmap_method must be None or 'sequential', got"):
        pure_callback(lambda a: a, x, x, vmap_method="expand_dims")
    assert to_numpy(pure_callback(lambda: 2.0, np.ones(()))) == 2.0


@pytest.mark.needs("torch")
def test_torch_compile_is_refused_and_a_tape_has_no_derivative() -> None:
    import torch

    from likewise.errors import NotSupported

    x = torch.tensor([3.0, 1.0], dtype=torch.float64)
    with pytest.raises(NotSupported, match="pure_callback: torch.compile can't leave"):
        jit(lambda a: pure_callback(lambda b: 2 * b, a, a))(x)
    leaf = x.clone().requires_grad_(True)
    with pytest.raises(TransformError, match="pure_callback: .*custom_vjp"):
        pure_callback(lambda b: 2 * b, x, leaf).sum().backward()
