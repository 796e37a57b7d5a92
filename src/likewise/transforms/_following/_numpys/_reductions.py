"""NumPy's reductions, sums and orders whose arguments or dtypes are not the standard's."""

from typing import Any

from .... import missing
from ...._namespace import array_namespace, device

__all__ = [
    "argsort",
    "argwhere",
    "average",
    "bincount",
    "compressed",
    "corrcoef",
    "cov",
    "cumprod",
    "cumsum",
    "ediff1d",
    "extract",
    "full_like",
    "geomspace",
    "gradient",
    "histogram2d",
    "interp",
    "isin",
    "linspace",
    "logspace",
    "mean",
    "nancumprod",
    "nanpercentile",
    "ndim",
    "ones_like",
    "ptp",
    "shape",
    "size",
    "sort",
    "std",
    "var",
    "zeros_like",
]


def _as(x: Any, dtype: Any) -> Any:
    """In a dtype; whole numbers in float64 where none is asked for."""
    xp = array_namespace(x)
    if dtype is None:
        dtype = xp.float64 if xp.isdtype(x.dtype, ("bool", "integral")) else x.dtype
    return xp.astype(x, dtype) if x.dtype != dtype else x


def _flat(x: Any, axis: Any) -> tuple[Any, Any]:
    return (array_namespace(x).reshape(x, (-1,)), 0) if axis is None else (x, axis)


def argsort(x: Any, axis: Any = -1, stable: Any = None) -> Any:
    """``xp.argsort``, stable; all elements if the axis is None."""
    x, axis = _flat(x, axis)
    return array_namespace(x).argsort(x, axis=axis)


def sort(x: Any, axis: Any = -1) -> Any:
    """``xp.sort``; all elements if the axis is None."""
    x, axis = _flat(x, axis)
    return array_namespace(x).sort(x, axis=axis)


def argwhere(x: Any) -> Any:
    """``xp.nonzero``, stacked."""
    xp = array_namespace(x)
    return xp.stack(xp.nonzero(x), axis=-1)


def average(
    x: Any, axis: Any = None, weights: Any = None, returned: bool = False, keepdims: bool = False
) -> Any:
    """``xp.mean``, or sums with weights."""
    xp = array_namespace(x, *([] if weights is None else [weights]))
    x = _as(x, None)
    if weights is None:
        out = xp.mean(x, axis=axis, keepdims=keepdims)
        count = xp.ones_like(out) * (x.size / max(out.size, 1))
        return (out, count) if returned else out
    weights = _as(weights, None)
    if tuple(weights.shape) != tuple(x.shape):
        if weights.ndim != 1 or not isinstance(axis, int):
            raise ValueError(
                f"numpy.average: weights of the shape {tuple(weights.shape)} for an array of "
                f"{tuple(x.shape)}: one for each element, or 1-D along one axis, were expected"
            )
        wide = [1] * x.ndim
        wide[axis] = -1
        weights = xp.broadcast_to(xp.reshape(weights, tuple(wide)), x.shape)
    total = xp.sum(weights, axis=axis, keepdims=keepdims)
    out = xp.sum(x * weights, axis=axis, keepdims=keepdims) / total
    return (out, total) if returned else out


def _double(x: Any, dtype: Any) -> Any:
    """In the dtype that is asked for, or NumPy's: of two words."""
    if dtype is None:
        xp = array_namespace(x)
        dtype = xp.result_type(x.dtype, xp.float64)
    return _as(x, dtype)


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """``missing.bincount``."""
    length = max(int(array_namespace(x).max(x)) + 1, minlength)
    return missing.bincount(x, weights, length=length)


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    dtype: Any = None,
) -> Any:
    """``missing.cov``, in float64."""
    y = None if y is None else _double(y, dtype)
    return missing.cov(_double(m, dtype), y, rowvar, bias, ddof, fweights, aweights)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    """``missing.corrcoef``, in float64."""
    return missing.corrcoef(_double(x, dtype), None if y is None else _double(y, dtype), rowvar)


def compressed(x: Any, condition: Any, axis: int | None = None) -> Any:
    """``missing.compress``."""
    return missing.compress(condition, x, axis)


def extract(condition: Any, x: Any) -> Any:
    """``missing.compress`` of all elements."""
    xp = array_namespace(condition, x)
    return missing.compress(xp.reshape(condition, (-1,)), xp.reshape(x, (-1,)))


def gradient(f: Any, *spacing: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """``missing.gradient``, in the dtype of `f`."""
    f = _as(f, None)
    out = missing.gradient(f, *spacing, axis=axis, edge_order=edge_order)
    return (
        tuple(_as(o, f.dtype) for o in out) if isinstance(out, tuple | list) else _as(out, f.dtype)
    )


def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> Any:
    """``missing.histogram2d``, counted in float64."""
    counts, *edges = missing.histogram2d(x, y, bins, range, density, weights)
    return _double(counts, None), *edges


def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None
) -> Any:
    """``missing.interp``, in float64."""
    x, xp, fp = (_double(a, None) for a in (x, xp, fp))
    return missing.interp(x, xp, fp, left, right, period)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """``missing.geomspace``, in float64."""
    start, stop = (_double(x, None) if hasattr(x, "dtype") else x for x in (start, stop))
    out = missing.geomspace(start, stop, num, endpoint, axis=axis)
    return out if dtype is None else _as(out, dtype)


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """``missing.logspace``."""
    start, stop = (_as(x, None) if hasattr(x, "dtype") else x for x in (start, stop))
    out = missing.logspace(start, stop, num, endpoint, base, axis=axis)
    return out if dtype is None else _as(out, dtype)


def cumsum(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """``xp.cumulative_sum``; of all elements if the axis is None."""
    x, axis = _flat(x, axis)
    return array_namespace(x).cumulative_sum(x, axis=axis, dtype=dtype)


def cumprod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """``xp.cumulative_prod``; of all elements if the axis is None."""
    x, axis = _flat(x, axis)
    return array_namespace(x).cumulative_prod(x, axis=axis, dtype=dtype)


def nancumprod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    """``xp.cumulative_prod`` with 1 for NaN."""
    xp = array_namespace(x)
    return cumprod(xp.where(xp.isnan(x), xp.ones_like(x), x), axis, dtype)


def ediff1d(x: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """``xp.diff`` of all elements, with more before and after."""
    xp = array_namespace(x)
    out = missing.diff(xp.reshape(x, (-1,)))
    ends = [e if e is None else _line(xp, e, x.dtype) for e in (to_begin, to_end)]
    parts = [p for p in (ends[0], out, ends[1]) if p is not None]
    return xp.concat(parts) if len(parts) > 1 else out


def _line(xp: Any, x: Any, dtype: Any) -> Any:
    x = xp.astype(x, dtype) if hasattr(x, "dtype") else xp.asarray(x, dtype=dtype)
    return xp.reshape(x, (-1,))


def isin(x: Any, values: Any, invert: bool = False) -> Any:
    """``xp.isin``."""
    return array_namespace(x, values).isin(x, values, invert=invert)


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None) -> Any:
    """``xp.linspace`` between numbers, and between arrays along a new first axis."""
    xp = array_namespace(*(x for x in (start, stop) if hasattr(x, "dtype")))
    start, stop = (_as(x, None) if hasattr(x, "dtype") else float(x) for x in (start, stop))
    step = max(num - 1 if endpoint else num, 1)
    common = xp.result_type(start, stop)
    start, stop = (xp.asarray(x, dtype=common) for x in (start, stop))
    start, stop = xp.broadcast_arrays(start, stop)
    line = xp.arange(num, dtype=common, device=device(start))
    t = xp.reshape(line / step, (-1,) + (1,) * start.ndim)
    # Both ends are met exactly.
    out = xp.where(t < 0.5, start + (stop - start) * t, stop - (stop - start) * (1 - t))
    return out if dtype is None else xp.astype(out, dtype)


def mean(x: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """``xp.mean``, of whole numbers in float64."""
    return array_namespace(x).mean(_as(x, dtype), axis=axis, keepdims=keepdims)


def std(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    correction: float | None = None,
) -> Any:
    """``xp.std``, of complex numbers by their magnitude."""
    xp = array_namespace(x)
    if xp.isdtype(x.dtype, "real floating") and dtype is None:
        less = ddof if correction is None else correction
        return xp.std(x, axis=axis, correction=less, keepdims=keepdims)
    return array_namespace(x).sqrt(var(x, axis, dtype, ddof, keepdims, correction))


def var(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    ddof: float = 0,
    keepdims: bool = False,
    correction: float | None = None,
) -> Any:
    """``xp.var``, of complex numbers by their magnitude."""
    xp = array_namespace(x)
    x = _as(x, dtype)
    less = ddof if correction is None else correction
    if not xp.isdtype(x.dtype, "complex floating"):
        return xp.var(x, axis=axis, correction=less, keepdims=keepdims)
    parts = (xp.real(x), xp.imag(x))
    return sum(xp.var(p, axis=axis, correction=less, keepdims=keepdims) for p in parts)


def nanpercentile(
    x: Any, q: Any, axis: Any = None, method: str = "linear", keepdims: bool = False
) -> Any:
    """``missing.nanquantile`` of a hundredth."""
    return missing.nanquantile(x, q / 100, axis=axis, method=method, keepdims=keepdims)


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """``xp.max`` less ``xp.min``."""
    xp = array_namespace(x)
    return xp.max(x, axis=axis, keepdims=keepdims) - xp.min(x, axis=axis, keepdims=keepdims)


def ndim(x: Any) -> int:
    """``x.ndim``."""
    return int(x.ndim)


def shape(x: Any) -> Any:
    """``x.shape``."""
    return tuple(x.shape)


def size(x: Any, axis: Any = None) -> int:
    """``x.size``, or a length."""
    return int(x.size) if axis is None else int(x.shape[axis])


def zeros_like(x: Any, dtype: Any = None, shape: Any = None) -> Any:
    """``xp.zeros_like``, or ``xp.zeros`` of the dtype."""
    xp = array_namespace(x)
    dtype = dtype or x.dtype
    if shape is None:
        return xp.zeros_like(x, dtype=dtype)
    return xp.zeros(shape, dtype=dtype, device=device(x))


def ones_like(x: Any, dtype: Any = None, shape: Any = None) -> Any:
    """``xp.ones_like``, or ``xp.ones`` of the dtype."""
    xp = array_namespace(x)
    dtype = dtype or x.dtype
    if shape is None:
        return xp.ones_like(x, dtype=dtype)
    return xp.ones(shape, dtype=dtype, device=device(x))


def full_like(x: Any, value: Any, dtype: Any = None, shape: Any = None) -> Any:
    """``xp.broadcast_to`` of the value in the dtype."""
    xp = array_namespace(x, value)
    shape = tuple(x.shape) if shape is None else shape
    value = xp.broadcast_to(xp.astype(value, dtype or x.dtype), shape)
    return xp.astype(value, value.dtype, copy=True)
