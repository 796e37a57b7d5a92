"""Native rows beside their generic ways: value, dtype, shape, edges and derivatives."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.missing import (
    at,
    bincount,
    flatnonzero,
    lexsort,
    median,
    nanmedian,
    pad,
    rankdata,
    repeat,
    safe_divide,
    safe_norm,
    safe_sqrt,
    segment_prod,
    sliding_window_view,
    topk,
    unique,
    xlogy,
)

from ..parity import eager, every, same

NAN, INF = np.nan, np.inf


# -- segments, counts and updates ------------------------------------------------------------------


@every
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "complex128"])
def test_products(library: str, dtype: str, rng: Any) -> None:
    ids = np.asarray([3, 0, -1, 3, 7, 1, 0, 3])
    for shape in ((8,), (8, 2), (8, 0)):
        data = (3 * rng.normal(size=shape)).astype(dtype)
        same(library, segment_prod, data, ids, 5)
    if dtype == "float64":
        data[...] = 1
        special = np.asarray([NAN, 0.0, INF, -0.0, 2.0, 0.0, INF, 1.0])
        with np.errstate(invalid="ignore"):
            same(library, segment_prod, special, ids, 5)
        same(library, segment_prod, special[:0], ids[:0], 3)


@every
def test_counts(library: str, rng: Any) -> None:
    x, w = rng.integers(0, 9, size=40), rng.normal(size=40)
    for weights in (None, w, w.astype("float32")):
        for length in (0, 5, 30):
            same(library, bincount, x, weights, length=length, rtol=1e-6)
        same(library, bincount, x[:0], None if weights is None else weights[:0], length=3)
        if library != "jax":
            same(library, bincount, x, weights, 20, rtol=1e-6)
    if library != "jax":
        for size in (None, 3):
            with pytest.raises(ValueError, match="negative"):
                bincount(likewise.asarray(x - 1, namespace=library), length=size)


@pytest.mark.full
@pytest.mark.needs("jax")
@pytest.mark.parametrize("op", ["multiply", "divide", "power"])
def test_derivatives_of_products_on_jax(op: str) -> None:
    """With zeros and duplicates; of gradients; batched; compiled."""
    import jax
    import jax.numpy as jnp

    x, v = jnp.asarray([1.5, 2.0, 0.5, 3.0]), jnp.asarray([0.5, 2.0, 1.5, 2.5])
    i = jnp.asarray([3, 0, 3, 9])  # the last is left out
    if op == "multiply":
        x, v = x.at[3].set(0.0), v.at[0].set(0.0)

    def value(x: Any, v: Any, i: Any) -> Any:
        return jnp.sum(jnp.sin(getattr(at(x)[i], op)(v)))

    def plain(x: Any, v: Any, i: Any) -> Any:
        for k in range(3):
            new: Any = {"multiply": jnp.multiply, "divide": jnp.divide, "power": jnp.power}[op]
            x = x.at[int(i[k])].set(new(x[int(i[k])], v[k]))
        return jnp.sum(jnp.sin(x))

    for order in (jax.grad, lambda f, n: jax.jacfwd(jax.grad(f, n), n), jax.hessian):
        for n in (0, 1):
            found = jax.jit(order(value, n))(x, v, i)
            np.testing.assert_allclose(found, order(plain, n)(x, v, i), rtol=1e-10, atol=1e-12)
    batch = jnp.stack([x, 2 * x])
    product = jax.jit(lambda x, i: at(x)[i].multiply(v))
    many = jax.vmap(product)(batch, jnp.stack([i, i[::-1]]))
    one = [product(a, b) for a, b in zip(batch, (i, i[::-1]), strict=True)]
    np.testing.assert_array_equal(many, jnp.stack(one))


@pytest.mark.full
@pytest.mark.needs("jax")
def test_derivatives_of_segment_prod_on_jax() -> None:
    import jax
    import jax.numpy as jnp

    data, ids = jnp.asarray([2.0, 0.0, 3.0, 0.0, 0.0, 5.0]), jnp.asarray([0, 0, 0, 1, 1, -1])

    def plain(x: Any) -> Any:
        return jnp.stack([x[0] * x[1] * x[2], x[3] * x[4], jnp.ones(())])

    def value(x: Any) -> Any:
        return segment_prod(x, ids, 3)

    for order in (jax.jacrev, jax.jacfwd, jax.hessian, lambda f: jax.jacrev(jax.hessian(f))):
        np.testing.assert_array_equal(jax.jit(order(value))(data), order(plain)(data))
    batch = jnp.stack([data, data + 1])
    np.testing.assert_array_equal(jax.vmap(value)(batch), jnp.stack([value(b) for b in batch]))
    pulled = jax.vmap(jax.grad(lambda x: value(x).sum()))(batch)
    assert pulled.shape == batch.shape


# -- order -----------------------------------------------------------------------------------------


@every
@pytest.mark.parametrize("method", ["average", "min", "max", "dense", "ordinal"])
def test_ranks(library: str, method: str, rng: Any, leave_out: Any) -> None:
    leave_out("long", library == "jax" and method != "min")
    x = rng.integers(0, 6, size=(3, 20)).astype(float)
    strange = np.where(x == 2, NAN, np.where(x == 4, -0.0, np.where(x == 5, 0.0, x)))
    for a in (x, strange, x.astype("float32"), x.astype(int), x > 2, x[0], x[:, :1], x[:0]):
        for policy in ("propagate", "omit"):
            same(library, rankdata, a, method, axis=-1, nan_policy=policy)
        same(library, rankdata, a, method)


@eager
def test_medians(library: str, rng: Any) -> None:
    for n in (1, 2, 7, 8):
        x = rng.integers(0, 5, size=(3, n)).astype(float)
        strange = np.where(x == 1, NAN, np.where(x == 2, INF, np.where(x == 3, -INF, x)))
        for a in (x, strange, x.astype("float32"), x.astype(int), x[0], strange[0]):
            for func in (median, nanmedian):
                for axis in (None, -1, 0):
                    if axis is None or a.ndim > 1:
                        same(library, func, a, axis)


@pytest.mark.needs("torch")
def test_derivative_of_the_median_on_torch() -> None:
    import torch

    x = torch.tensor([[3.0, 1.0, 2.0, 7.0], [5.0, 4.0, 0.0, 9.0]], dtype=torch.float64)
    x.requires_grad_()
    torch.autograd.backward(median(x, -1).sum())
    assert x.grad is not None
    assert x.grad.tolist() == [[0.5, 0.0, 0.5, 0.0], [0.5, 0.5, 0.0, 0.0]]
    batched = torch.func.vmap(lambda a: median(a))(x.detach())
    assert batched.tolist() == [2.5, 4.5]


@every
@pytest.mark.parametrize("largest", [True, False])
def test_topk_of_rows(library: str, largest: bool, rng: Any) -> None:
    for x in (rng.normal(size=(4, 64)), rng.integers(0, 5, size=(4, 64)).astype(float)):
        for a in (x, np.where(x > 2, NAN, x), x.astype("float32"), x.astype(int)):
            same(library, topk, a, 3, largest=largest)


@every
def test_lexsort(library: str, rng: Any) -> None:
    x = rng.integers(0, 3, size=(3, 2, 20)).astype(float)
    strange = np.where(x == 1, NAN, np.where(x == 2, -0.0, x))
    for keys in (x, strange, strange.astype("float32"), x.astype(int), x > 0):
        same(library, lexsort, keys)
        same(library, lexsort, keys, axis=0)


@every
def test_unique(library: str, rng: Any) -> None:
    x = rng.integers(0, 5, size=(4, 5)).astype(float)
    for a in (x, np.where(x > 3, NAN, x), x.astype(int), x > 2, x + 1j * x.T.reshape(4, 5), x[:0]):
        for flags in ((False,) * 3, (True, True, True), (False, True, False)):
            if library != "jax":
                same(library, unique, a, *flags)
            if a.size:
                same(library, unique, a, *flags, size=6)


@every
def test_places(library: str) -> None:
    for x in (np.asarray([0.0, 3.0, NAN, 0.0, 5.0]), np.zeros(4), np.zeros(0), np.ones((2, 2))):
        for size in (0, 2, 6):
            same(library, flatnonzero, x, size, -1)


@every
def test_repeat(library: str) -> None:
    x = np.asarray([[1.0, 2.0, NAN], [4.0, 5.0, 6.0]])
    for counts in ([1, 2, 0], [0, 0, 3], [0, 2, 1], [0, 0, 0]):
        for total in (0, 2, 7):
            r = np.asarray(counts)
            same(library, repeat, x, r, axis=1, total_repeat_length=total)
            same(library, repeat, x[0], r, total_repeat_length=total)


# -- quotients and norms ---------------------------------------------------------------------------


@eager
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64"])
def test_safe(library: str, dtype: str) -> None:
    special = np.asarray([0.0, -0.0, 1.0, -2.0, 3.0, INF, -INF, NAN])
    x = special.astype(dtype) if dtype != "int64" else np.asarray([0, 1, -2, 3, 4, 5, 6, 7])
    if dtype == "complex128":
        x = np.asarray([0, 1, 2j, 1 + 3j, -1, 0j, 5, 6])
    with np.errstate(invalid="ignore"):
        for fill in (0, -1.5):
            same(library, safe_divide, x[:, None], x, fill)
        same(library, safe_divide, x[2:4], x[3:5])
        same(library, safe_divide, x[:1], x[:2], np.ones((3, 1)))
        same(library, safe_sqrt, x)
        square = x[:4].reshape(2, 2)
        for axis in (None, 0, -1, (0, 1)):
            for keepdims in (False, True):
                same(library, safe_norm, square, axis, keepdims)
        same(library, safe_norm, x)
        same(library, safe_norm, x[:0])
        same(library, safe_norm, np.ones((2, 2, 2)).astype(dtype), (0, 2))
        same(library, xlogy, x[:, None], x)


@pytest.mark.needs("torch")
def test_safe_forms_keep_their_derivatives_on_torch() -> None:
    import torch

    x = torch.tensor([0.0, 4.0], dtype=torch.float64, requires_grad=True)
    functions: Any = (safe_sqrt, safe_norm, lambda x: xlogy(x, x))
    for func in functions:
        (got,) = torch.autograd.grad(func(x).sum(), x)
        assert bool(torch.isfinite(got).all())
        got = torch.func.grad(lambda x, func=func: func(x).sum())(x.detach())
        assert bool(torch.isfinite(got).all())
    rows = torch.stack([x.detach(), x.detach() + 1])
    batched = torch.func.vmap(torch.func.grad(lambda x: safe_norm(x)))(0 * rows)
    assert batched.tolist() == [[0.0, 0.0], [0.0, 0.0]]


# -- padding and windows ---------------------------------------------------------------------------


@every
@pytest.mark.parametrize(
    "mode", ["constant", "edge", "linear_ramp", "reflect", "symmetric", "wrap"]
)
def test_padding(library: str, mode: str, rng: Any, leave_out: Any) -> None:
    leave_out("long", library == "jax" and mode != "constant")
    x = rng.normal(size=(3, 4))
    x[0, 0], x[2, 3] = NAN, INF
    cases = [x, x[1], x[None], x[None, None], x[1:2, :1], x.astype("float32"), x[1].astype(int)]
    with np.errstate(invalid="ignore"):
        for a in [*cases, x[1] > 0, x[1] + 1j]:
            if mode == "linear_ramp" and a.dtype.kind == "b":
                continue
            for width in (0, 2, (1, 3), (0, 9)):
                same(library, pad, a, width, mode)
    if mode == "constant":
        same(library, pad, x[:0], ((1, 0), (0, 2)), mode, constant_values=3)
        same(library, pad, np.asarray(1.0), 2)


@eager
def test_windows(library: str, rng: Any) -> None:
    for x in (rng.normal(size=(4, 5, 6)), np.arange(120).reshape(4, 5, 6)):
        for axis in (0, 1, -1):
            for window in (1, 3, 4):
                same(library, sliding_window_view, x, window, axis)
