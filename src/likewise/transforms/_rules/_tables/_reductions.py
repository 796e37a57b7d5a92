"""Reductions, cumulative sums and products, sorting, searching and products of arrays.

At kinks the derivative is fixed: equal extremes share it evenly, and that of the standard deviation
of equal numbers is 0.
"""

from typing import Any

from ...._namespace import device
from .._batching import axes, batched
from .._rules import bilinear, constant, general, linear

__all__: list[str] = []

constant(
    *"""all any argmax argmin argsort count_nonzero isin nonzero searchsorted""".split(),
)

# -- sums ------------------------------------------------------------------------------------------


def _reduced(ndim: int, axis: Any) -> tuple[int, ...]:
    """The axes that a reduction takes, rising."""
    if axis is None:
        return tuple(range(ndim))
    some = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(sorted(a % ndim for a in some)) if ndim else ()


def _count(shape: tuple[int, ...], axis: Any) -> int:
    n = 1
    for a in _reduced(len(shape), axis):
        n *= shape[a]
    return n


def _kept(xp: Any, y: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """A reduced array with ones where the axes were."""
    gone = _reduced(len(shape), axis)
    wide = tuple(1 if i in gone else n for i, n in enumerate(shape))
    return y if tuple(y.shape) == wide else xp.reshape(y, wide)


def _spread(xp: Any, g: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """A reduced array that broadcasts to the shape from which it came, which the core does."""
    return _kept(xp, g, shape, axis) if g.ndim else g


def _deviations(xp: Any, x: Any, axis: Any, correction: float) -> Any:
    """Those from the mean, over the number that variances are divided by."""
    n = _count(tuple(x.shape), axis) - correction
    d = x - xp.mean(x, axis=axis, keepdims=True)
    return d / n if n > 0 else d * float("nan")


def _var_push(t: Any, xp: Any, x: Any, axis: Any, correction: float, keepdims: bool) -> Any:
    d = _deviations(xp, x, axis, correction)
    return xp.sum(t * d, axis=axis, keepdims=keepdims) * 2


def _var_pull(g: Any, xp: Any, x: Any, axis: Any, correction: float) -> Any:
    return _kept(xp, g, tuple(x.shape), axis) * _deviations(xp, x, axis, correction) * 2


def _scaled_deviations(xp: Any, x: Any, y: Any, axis: Any, correction: float) -> tuple[Any, Any]:
    """Deviations as `_deviations`, and standard deviations to divide by; of equal numbers 0 and 1.

    The mean of equal numbers may be off by a last digit, so that it is not they that tell.
    """
    d = _deviations(xp, x, axis, correction)
    if _count(tuple(x.shape), axis) < 2:
        return d, xp.where(y == 0, 1, y)
    top = xp.max(x, axis=axis, keepdims=True)
    equal = top == xp.min(x, axis=axis, keepdims=True)
    d = xp.where(equal, x - top, d)  # of infinities NaN, as their standard deviation
    return d, xp.where(xp.reshape(equal, tuple(y.shape)) | (y == 0), 1, y)


def _std_push(t: Any, xp: Any, x: Any, y: Any, axis: Any, correction: float, keepdims: bool) -> Any:
    d, by = _scaled_deviations(xp, x, y, axis, correction)
    return xp.sum(t * d, axis=axis, keepdims=keepdims) / by


def _std_pull(g: Any, xp: Any, x: Any, y: Any, axis: Any, correction: float) -> Any:
    d, by = _scaled_deviations(xp, x, y, axis, correction)
    return _kept(xp, g / by, tuple(x.shape), axis) * d


linear("sum", lambda g, xp, x_shape, axis: _spread(xp, g, x_shape, axis))
linear(
    "mean",
    lambda g, xp, x_shape, axis: _spread(xp, g / (_count(x_shape, axis) or 1), x_shape, axis),
)
general("var", (_var_push,), (_var_pull,))
general("std", (_std_push,), (_std_pull,))

# -- extremes --------------------------------------------------------------------------------------


def _extremes(xp: Any, x: Any, y: Any, axis: Any) -> tuple[Any, Any]:
    """Find where the extreme is, and how many have it; of NaN all."""
    kept = _kept(xp, y, tuple(x.shape), axis)
    where = (x == kept) | (kept != kept)
    return where, xp.sum(xp.astype(where, y.dtype), axis=axis, keepdims=True)


def _extreme_push(t: Any, xp: Any, x: Any, y: Any, axis: Any) -> Any:
    where, number = _extremes(xp, x, y, axis)
    total = xp.sum(xp.where(where, t, 0), axis=axis, keepdims=True) / number
    return xp.where(y == y, xp.reshape(total, tuple(y.shape)), float("nan"))


def _extreme_pull(g: Any, xp: Any, x: Any, y: Any, axis: Any) -> Any:
    where, number = _extremes(xp, x, y, axis)
    g = xp.where(y == y, g, float("nan"))
    return xp.where(where, _kept(xp, g, tuple(x.shape), axis) / number, 0)


for _name in ("max", "min"):
    general(_name, (_extreme_push,), (_extreme_pull,))

# -- products and cumulative ones ------------------------------------------------------------------


def _but_last(x: Any) -> Any:
    return x[..., : x.shape[-1] - 1]


def _before(xp: Any, x: Any) -> Any:
    """The product of what stands before each element of the last axis."""
    return _but_last(xp.cumulative_prod(x, axis=-1, include_initial=True))


def _others(xp: Any, x: Any) -> Any:
    """The product of the other elements of the last axis, without a division."""
    return _before(xp, x) * xp.flip(_before(xp, xp.flip(x, axis=-1)), axis=-1)


def _in_line(xp: Any, x: Any, axis: Any) -> Any:
    """With the reduced axes as one, the last."""
    gone = _reduced(x.ndim, axis)
    left = tuple(i for i in range(x.ndim) if i not in gone)
    shape = tuple(x.shape)
    return xp.reshape(
        xp.permute_dims(x, left + gone), (*(shape[i] for i in left), _count(shape, axis))
    )


def _out_of_line(xp: Any, x: Any, shape: tuple[int, ...], axis: Any) -> Any:
    gone = _reduced(len(shape), axis)
    order = tuple(i for i in range(len(shape)) if i not in gone) + gone
    x = xp.reshape(x, tuple(shape[i] for i in order))
    return xp.permute_dims(x, tuple(order.index(i) for i in range(len(shape))))


def _products(xp: Any, x: Any, axis: Any, dtype: Any) -> Any:
    """For each element, the product of those that are multiplied with it."""
    x = x if dtype is None or dtype == x.dtype else xp.astype(x, dtype)
    return _out_of_line(xp, _others(xp, _in_line(xp, x, axis)), tuple(x.shape), axis)


def _prod_push(t: Any, xp: Any, x: Any, axis: Any, dtype: Any, keepdims: bool) -> Any:
    return xp.sum(t * _products(xp, x, axis, dtype), axis=axis, keepdims=keepdims)


def _prod_pull(g: Any, xp: Any, x: Any, axis: Any, dtype: Any) -> Any:
    return _kept(xp, g, tuple(x.shape), axis) * _products(xp, x, axis, dtype)


def _recurrence(xp: Any, a: Any, c: Any) -> Any:
    """u[k] = a[k] u[k - 1] + c[k] along the last axis, in as many steps as the length has bits.

    By doubling: a pair (a, c) stands for a stretch that ends at k (Hillis & Steele 1986).
    """
    n = c.shape[-1]
    s = 1
    while s < n:
        c = xp.concat([c[..., :s], c[..., s:] + c[..., : n - s] * a[..., s:]], axis=-1)
        if 2 * s < n:
            a = xp.concat([a[..., :s], a[..., s:] * a[..., : n - s]], axis=-1)
        s *= 2
    return c


def _last(xp: Any, x: Any, axis: int | None) -> Any:
    return x if axis is None or axis in (-1, x.ndim - 1) else xp.moveaxis(x, axis, -1)


def _back(xp: Any, x: Any, axis: int | None) -> Any:
    return x if axis is None or axis in (-1, x.ndim - 1) else xp.moveaxis(x, -1, axis)


def _wide(xp: Any, x: Any, dtype: Any) -> Any:
    return x if dtype is None or dtype == x.dtype else xp.astype(x, dtype)


def _cumulative_prod_push(
    t: Any, xp: Any, x: Any, y: Any, axis: Any, dtype: Any, include_initial: bool
) -> Any:
    x = _last(xp, _wide(xp, x, dtype), axis)
    t = _last(xp, _wide(xp, t, dtype), axis)
    out = _recurrence(xp, x, t * _before(xp, x))
    if include_initial:
        out = xp.concat([xp.zeros_like(_last(xp, y, axis)[..., :1]), out], axis=-1)
    return _back(xp, out, axis)


def _cumulative_prod_pull(
    g: Any, xp: Any, x: Any, axis: Any, dtype: Any, include_initial: bool
) -> Any:
    x = _last(xp, _wide(xp, x, dtype), axis)
    g = _last(xp, g, axis)
    g = g[..., 1:] if include_initial else g
    if not x.shape[-1]:
        return _back(xp, g, axis)
    after = xp.flip(xp.concat([x[..., 1:], xp.ones_like(x[..., :1])], axis=-1), axis=-1)
    sums = xp.flip(_recurrence(xp, after, xp.flip(g, axis=-1)), axis=-1)
    return _back(xp, sums * _before(xp, x), axis)


def _cumulative_sum_pull(g: Any, xp: Any, axis: Any, include_initial: bool) -> Any:
    axis = 0 if axis is None else axis % g.ndim
    if include_initial:
        g = g[(*(slice(None),) * axis, slice(1, None), ...)]
    return xp.flip(xp.cumulative_sum(xp.flip(g, axis=axis), axis=axis, dtype=g.dtype), axis=axis)


general("prod", (_prod_push,), (_prod_pull,))
general("cumulative_prod", (_cumulative_prod_push,), (_cumulative_prod_pull,))
linear("cumulative_sum", _cumulative_sum_pull)

# -- sorting ---------------------------------------------------------------------------------------


def _sort_push(t: Any, xp: Any, x: Any, axis: int, descending: bool, stable: bool) -> Any:
    order = xp.argsort(x, axis=axis, descending=descending, stable=stable)
    return xp.take_along_axis(t, order, axis=axis)


def _sort_pull(g: Any, xp: Any, x: Any, axis: int, descending: bool, stable: bool) -> Any:
    order = xp.argsort(x, axis=axis, descending=descending, stable=stable)
    return xp.take_along_axis(g, xp.argsort(order, axis=axis), axis=axis)


general("sort", (_sort_push,), (_sort_pull,))

# -- products of arrays ----------------------------------------------------------------------------


def _matmul_pull(g: Any, xp: Any, i: int, operands: Any) -> Any:
    """The cotangent times the other operand's transpose; vectors are matrices meanwhile."""
    x1, x2 = operands
    if x2.ndim == 1:
        g = xp.expand_dims(g, axis=-1)
    if x1.ndim == 1:
        g = xp.expand_dims(g, axis=-2)
    if i == 0:
        other = x2[None, :] if x2.ndim == 1 else xp.matrix_transpose(x2)
        out = xp.matmul(g, other)
        return out[..., 0, :] if x1.ndim == 1 else out
    other = x1[:, None] if x1.ndim == 1 else xp.matrix_transpose(x1)
    out = xp.matmul(other, g)
    return out[..., 0] if x2.ndim == 1 else out


def _contracted(axes: Any, n1: int, n2: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The contracted axes of both operands of tensordot, in pairs."""
    if isinstance(axes, int):
        return tuple(range(n1 - axes, n1)), tuple(range(axes))
    a, b = ((i,) if isinstance(i, int) else tuple(i) for i in axes)
    return tuple(i % n1 for i in a), tuple(i % n2 for i in b)


def _free(n: int, contracted: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(i for i in range(n) if i not in contracted)


def _tensordot_first(g: Any, xp: Any, x1_shape: Any, x2: Any, axes: Any) -> Any:
    n1 = len(x1_shape)
    c1, c2 = _contracted(axes, n1, x2.ndim)
    f1, f2 = _free(n1, c1), _free(x2.ndim, c2)
    out = xp.tensordot(g, x2, axes=(tuple(range(len(f1), g.ndim)), f2))
    # Free axes of the first, then the contracted ones in the second's order.
    order = f1 + tuple(c1[c2.index(i)] for i in sorted(c2))
    return xp.permute_dims(out, tuple(order.index(i) for i in range(n1)))


def _tensordot_second(g: Any, xp: Any, x1: Any, x2_shape: Any, axes: Any) -> Any:
    n2 = len(x2_shape)
    c1, c2 = _contracted(axes, x1.ndim, n2)
    f1, f2 = _free(x1.ndim, c1), _free(n2, c2)
    out = xp.tensordot(x1, g, axes=(f1, tuple(range(len(f1)))))
    order = tuple(c2[c1.index(i)] for i in sorted(c1)) + f2
    return xp.permute_dims(out, tuple(order.index(i) for i in range(n2)))


def _vecdot_first(g: Any, xp: Any, x2: Any, axis: int) -> Any:
    return xp.conj(xp.expand_dims(g, axis=axis) * x2)


def _vecdot_second(g: Any, xp: Any, x1: Any, axis: int) -> Any:
    return xp.expand_dims(g, axis=axis) * xp.conj(x1)


for _prefix in ("", "linalg."):
    bilinear(_prefix + "matmul", _matmul_pull, _matmul_pull)
    bilinear(_prefix + "tensordot", _tensordot_first, _tensordot_second)
    bilinear(_prefix + "vecdot", _vecdot_first, _vecdot_second)

# -- batches: of what keeps or reduces axes --------------------------------------------------------


def _reduction_of_lanes(name: str) -> Any:
    def rule(xp: Any, x: Any, axis: Any, keepdims: bool) -> Any:
        return getattr(xp, name)(x, axis=axes(axis, x.ndim), keepdims=keepdims)

    return rule


def _sum_of_lanes(name: str) -> Any:
    def rule(xp: Any, x: Any, axis: Any, dtype: Any, keepdims: bool) -> Any:
        axis = axes(axis, x.ndim)
        return getattr(xp, name)(x, axis=axis, dtype=dtype, keepdims=keepdims)

    return rule


def _spread_of_lanes(name: str) -> Any:
    def rule(xp: Any, x: Any, axis: Any, correction: float, keepdims: bool) -> Any:
        axis = axes(axis, x.ndim)
        return getattr(xp, name)(x, axis=axis, correction=correction, keepdims=keepdims)

    return rule


def _place_of_lanes(name: str) -> Any:
    def rule(xp: Any, x: Any, axis: Any, keepdims: bool) -> Any:
        function = getattr(xp, name)
        if axis is not None:
            return function(x, axis=axes(axis, x.ndim), keepdims=keepdims)
        size = _count(tuple(x.shape)[1:], None)
        out = function(xp.reshape(x, (x.shape[0], size)), axis=1)
        return xp.reshape(out, (x.shape[0], *(1,) * (x.ndim - 1))) if keepdims else out

    return rule


def _cumulative_of_lanes(name: str) -> Any:
    def rule(xp: Any, x: Any, axis: Any, dtype: Any, include_initial: bool) -> Any:
        axis = 1 if axis is None else axes(axis, x.ndim)
        return getattr(xp, name)(x, axis=axis, dtype=dtype, include_initial=include_initial)

    return rule


def _order_of_lanes(name: str) -> Any:
    def rule(xp: Any, x: Any, axis: int, descending: bool, stable: bool) -> Any:
        axis = axes(axis, x.ndim)
        return getattr(xp, name)(x, axis=axis, descending=descending, stable=stable)

    return rule


for _name in ("all", "any", "count_nonzero", "max", "mean", "min"):
    batched(_name, _reduction_of_lanes(_name))
for _name in ("sum", "prod"):
    batched(_name, _sum_of_lanes(_name))
for _name in ("std", "var"):
    batched(_name, _spread_of_lanes(_name))
for _name in ("argmax", "argmin"):
    batched(_name, _place_of_lanes(_name))
for _name in ("cumulative_prod", "cumulative_sum"):
    batched(_name, _cumulative_of_lanes(_name))
for _name in ("argsort", "sort"):
    batched(_name, _order_of_lanes(_name))

# -- batches: of searches --------------------------------------------------------------------------


def _searched(xp: Any, x1: Any, x2: Any, sorter: Any, side: str) -> Any:
    """A bisection in all lanes at once; the library's own search where they share a sorted array.

    As in NumPy, NaN comes after all numbers.
    """
    if not hasattr(x2, "dtype"):
        x2 = xp.full((1,), x2, dtype=x1.dtype, device=device(x1))
    if sorter is not None:
        size = max(x1.shape[0], sorter.shape[0])
        x1 = xp.broadcast_to(x1, (size, x1.shape[1]))
        sorter = xp.broadcast_to(sorter, (size, sorter.shape[1]))
        x1 = xp.take_along_axis(x1, sorter, axis=1)
    if x1.shape[0] == 1:
        return xp.searchsorted(x1[0, ...], x2, side=side)
    n = x1.shape[1]
    size = _count(tuple(x2.shape)[1:], None)
    shape = (x1.shape[0], *x2.shape[1:])
    wanted = xp.broadcast_to(xp.reshape(x2, (x2.shape[0], size)), (x1.shape[0], size))
    dtype = xp.searchsorted(x1[0, ...], x1[0, :1]).dtype
    low = xp.zeros(wanted.shape, dtype=dtype, device=device(x1))
    high = xp.full_like(low, n)
    for _ in range(n.bit_length()):
        middle = (low + high) // 2
        here = xp.take_along_axis(x1, xp.where(middle < n, middle, n - 1), axis=1)
        before = here < wanted if side == "left" else here <= wanted
        if xp.isdtype(x1.dtype, "real floating"):
            rest = xp.isnan(wanted) if side == "right" else xp.isnan(wanted) & ~xp.isnan(here)
            before = before | rest
        open_ = low < high
        high = xp.where(open_ & ~before, middle, high)
        low = xp.where(open_ & before, middle + 1, low)
    return xp.reshape(low, shape)


def _found(xp: Any, x1: Any, x2: Any, invert: bool) -> Any:
    """Every element of a lane against all of the lane's other array."""
    if hasattr(x2, "dtype") and x2.shape[0] == 1:
        x2 = x2[0, ...]
        return xp.isin(x1, x2, invert=invert)
    if not hasattr(x2, "dtype"):
        return x1 != x2 if invert else x1 == x2
    lead = x2.shape[0]
    flat = xp.reshape(x2, (lead, _count(tuple(x2.shape)[1:], None)))
    if hasattr(x1, "dtype"):
        flat = xp.reshape(flat, (lead, *(1,) * (x1.ndim - 1), flat.shape[1]))
        x1 = x1[..., None]
    found = xp.any(flat == x1, axis=-1)
    return ~found if invert else found


batched("searchsorted", _searched, thin=True)
batched("isin", _found, thin=True)

# -- batches: of products --------------------------------------------------------------------------


def _aligned(xp: Any, x: Any, ndim: int) -> Any:
    """With ones after the batch, up to a number of dimensions."""
    return xp.reshape(x, (x.shape[0], *(1,) * (ndim - x.ndim), *x.shape[1:]))


def _matmul_of_lanes(xp: Any, x1: Any, x2: Any) -> Any:
    row, column = x1.ndim == 2, x2.ndim == 2
    x1 = xp.expand_dims(x1, axis=1) if row else x1
    x2 = xp.expand_dims(x2, axis=2) if column else x2
    ndim = max(x1.ndim, x2.ndim)
    out = xp.matmul(_aligned(xp, x1, ndim), _aligned(xp, x2, ndim))
    out = out[..., 0] if column else out
    return out if not row else out[..., 0] if column else out[..., 0, :]


def _tensordot_of_lanes(xp: Any, x1: Any, x2: Any, axes: Any) -> Any:
    """Contract by products of matrices."""
    s1, s2 = tuple(x1.shape)[1:], tuple(x2.shape)[1:]
    c1, c2 = _contracted(axes, len(s1), len(s2))
    f1, f2 = _free(len(s1), c1), _free(len(s2), c2)
    inner, rows, columns = (_count(s, a) if a else 1 for s, a in ((s1, c1), (s1, f1), (s2, f2)))
    a = xp.reshape(xp.permute_dims(x1, (0, *(i + 1 for i in f1 + c1))), (x1.shape[0], rows, inner))
    b = xp.reshape(
        xp.permute_dims(x2, (0, *(i + 1 for i in c2 + f2))), (x2.shape[0], inner, columns)
    )
    out = xp.matmul(a, b)
    return xp.reshape(out, (out.shape[0], *(s1[i] for i in f1), *(s2[i] for i in f2)))


def _vecdot_of_lanes(xp: Any, x1: Any, x2: Any, axis: int) -> Any:
    ndim = max(x1.ndim, x2.ndim)
    return xp.vecdot(_aligned(xp, x1, ndim), _aligned(xp, x2, ndim), axis=axis)


for _prefix in ("", "linalg."):
    batched(_prefix + "matmul", _matmul_of_lanes, thin=True)
    batched(_prefix + "tensordot", _tensordot_of_lanes, thin=True)
    batched(_prefix + "vecdot", _vecdot_of_lanes, thin=True)
