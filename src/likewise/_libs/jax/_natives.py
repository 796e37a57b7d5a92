"""JAX's own routines, made to mean what the standard's way means: what rows call."""

from typing import Any

import jax
import jax.numpy as jnp

_UPDATES = {"add": "add", "multiply": "multiply", "minimum": "min", "maximum": "max"}

# -- places ----------------------------------------------------------------------------------------


def segment(data: Any, ids: Any, size: int, op: str, initial: Any) -> Any:
    """Rows joined by segment; those of no segment are dropped."""
    out = jnp.full((size, *data.shape[1:]), initial, data.dtype)
    ids = jnp.where(ids < 0, size, ids)  # which would count from the end
    return getattr(out.at[ids], _UPDATES[op])(data, mode="drop")


def at_update(x: Any, index: Any, value: Any, op: str) -> Any:
    return getattr(x.at[index], _UPDATES[op])(value)


def searchsorted(a: Any, v: Any, side: str, sorter: Any) -> Any:
    """Places in the default integer dtype; JAX's are of 32 bits."""
    return jnp.searchsorted(a, v, side, sorter).astype(int)


# -- products, whose derivatives JAX has not -------------------------------------------------------


def segment_prod(data: Any, ids: Any, size: int, op: str, initial: Any, *, body: Any = None) -> Any:
    """Rows multiplied by segment; with the derivatives of the generic way."""

    @jax.custom_jvp
    def product(data: Any, ids: Any) -> Any:
        out = jnp.full((size, *data.shape[1:]), initial, data.dtype)
        ids = jnp.where(ids < 0, size, ids)  # which would count from the end
        return out.at[ids].multiply(data, mode="drop")

    @product.defjvp
    def derivative(primals: Any, tangents: Any) -> Any:
        data, ids = primals
        return jax.jvp(lambda x: body(x, ids, size, op, initial), (data,), tangents[:1])

    return product(data, ids)


def at_product(x: Any, index: Any, value: Any, op: str, *, body: Any = None) -> Any:
    """Elements multiplied at an index; with the derivatives of the generic way."""
    leaves, tree = jax.tree.flatten(index, is_leaf=lambda i: i is None)
    arrays = [i for i in leaves if isinstance(i, jax.Array)]

    def restored(arrays: Any) -> Any:
        rest = iter(arrays)
        return jax.tree.unflatten(
            tree, [next(rest) if isinstance(i, jax.Array) else i for i in leaves]
        )

    @jax.custom_jvp
    def product(x: Any, value: Any, arrays: Any) -> Any:
        return x.at[restored(arrays)].multiply(value)

    @product.defjvp
    def derivative(primals: Any, tangents: Any) -> Any:
        x, value, arrays = primals
        return jax.jvp(
            lambda x, value: body(x, restored(arrays), value, op), (x, value), tangents[:2]
        )

    return product(x, value, arrays)


# -- places and ranks ------------------------------------------------------------------------------


def places(mask: Any, size: int) -> Any:
    """Places of the first that hold, 0 for those that there aren't, and which there are."""
    found = jnp.arange(size) < jnp.count_nonzero(mask)
    return jnp.nonzero(mask, size=size, fill_value=0)[0], found


def repeat(x: Any, counts: Any, axis: int, total: int) -> Any:
    return jnp.repeat(x, counts, axis=axis, total_repeat_length=total)


def topk(x: Any, k: int, largest: bool) -> Any:
    """JAX's own, which keeps equal elements in their order, but for signs of zeros and NaNs."""
    if not largest:
        return NotImplemented
    key = x
    if jnp.issubdtype(x.dtype, jnp.floating):
        key = jnp.where(jnp.isnan(x), jnp.nan, jnp.where(x == 0, 0.0, x))
    indices = jax.lax.top_k(key, k)[1].astype(int)
    return jnp.take_along_axis(x, indices, axis=-1), indices


def ranks(x: Any, method: str) -> Any:
    out = jax.scipy.stats.rankdata(x, method, axis=-1)
    return out if method == "average" else out.astype(int)


# -- padding ---------------------------------------------------------------------------------------


def pad_constant(x: Any, widths: Any, value: Any) -> Any:
    return jnp.pad(x, widths, constant_values=value) if widths else x


# -- convolution -----------------------------------------------------------------------------------


def inside(x: Any, y: Any, widths: Any, boundary: str, fillvalue: Any) -> Any:
    """Convolve images where all of the second is inside of the first, with all digits on a GPU.

    Not if both may be divided over devices: of some divisions XLA makes a multiple of the result.
    """
    if _may_be_divided(x) and _may_be_divided(y):
        return NotImplemented
    x, kernel = x[None, None], jnp.flip(y)[None, None]
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), widths, precision="highest")[0, 0]


def _may_be_divided(x: Any) -> bool:
    if not isinstance(x, jax.core.Tracer):
        return not x.sharding.is_fully_replicated
    return jax.device_count() > 1 and not jax.sharding.get_abstract_mesh().manual_axes


# -- linear algebra --------------------------------------------------------------------------------


def substitute(a: Any, b: Any, lower: bool, unit: bool) -> Any:
    batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (jnp.broadcast_to(z, (*batch, *z.shape[-2:])) for z in (a, b))
    return jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=lower, unit_diagonal=unit)


def lu_factor(a: Any) -> Any:
    lu, pivots, _ = jax.lax.linalg.lu(a)
    return lu, pivots.astype(int)


def permutation(pivots: Any, n: int) -> Any:
    return jax.lax.linalg.lu_pivots_to_permutation(pivots.astype(jnp.int32), n).astype(int)


def cholesky(a: Any) -> Any:
    """Return the lower factors of positive definite matrices; NaN for others.

    Only lower triangles are read, and only they have derivatives, as elsewhere.
    `jnp.linalg.cholesky` takes the mean of both, and shares the derivative out between them.
    """
    mirrored = jnp.tril(a) + jnp.conj(jnp.swapaxes(jnp.tril(a, -1), -1, -2))
    return jax.lax.linalg.cholesky(mirrored, symmetrize_input=False)


def cho_solve(c: Any, b: Any) -> Any:
    batch = jnp.broadcast_shapes(c.shape[:-2], b.shape[:-2])
    c, b = (jnp.broadcast_to(z, (*batch, *z.shape[-2:])) for z in (c, b))
    half = jax.lax.linalg.triangular_solve(c, b, left_side=True, lower=True)
    return jax.lax.linalg.triangular_solve(
        c, half, left_side=True, lower=True, transpose_a=True, conjugate_a=jnp.iscomplexobj(c)
    )


def tridiagonal(dl: Any, d: Any, du: Any, b: Any) -> Any:
    batch, n = b.shape[:-2], d.shape[-1]
    dl = jnp.where(jnp.arange(n) == 0, 0, dl)  # what is not read must be zero
    du = jnp.where(jnp.arange(n) == n - 1, 0, du)
    dl, d, du = (jnp.broadcast_to(z, (*batch, n)) for z in (dl, d, du))
    return jax.lax.linalg.tridiagonal_solve(dl, d, du, b)
