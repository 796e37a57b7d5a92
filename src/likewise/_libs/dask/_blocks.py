"""Functions of the standard that Dask lacks or has otherwise, by NumPy's routines on its blocks.

Nothing is computed unasked. A routine that wants an axis whole gets it in one chunk, with a warning
if it was cut; the other axes stay as they are cut.
"""

import re
from typing import Any

import array_api_compat.dask.array as dask_compat
import array_api_compat.numpy as host
import dask.array as da
import numpy as np
from array_api_compat.common._linalg import (
    EighResult,
    EigResult,
    QRResult,
    SlogdetResult,
    SVDResult,
)
from numpy.lib.array_utils import normalize_axis_tuple

from ..._standard import FFT, FUNCTIONS
from .. import _special_values
from ._merging import whole

compat: Any = dask_compat  # names that mypy can't see


# -- Fourier transforms ----------------------------------------------------------------------------


def _transform(name: str) -> Any:
    """A Fourier transform, one chunk along its axes.

    Not dask.array's own: those want that chunk made by the caller, have no ``norm``, and warn of
    the cast from complex metadata to the real result of an inverse.
    """
    routine = getattr(np.fft, name)
    several = name.endswith("n")
    half = name in ("rfft", "rfftn", "ihfft")
    double = name in ("irfft", "irfftn", "hfft")

    def transform(x: Any, sizes: Any, axes: Any, norm: str) -> Any:
        axes = [a % x.ndim for a in axes]
        if sizes is None:
            sizes = [x.shape[a] for a in axes]
            if double:
                sizes[-1] = 2 * (sizes[-1] - 1)
        sizes = [int(n) for n in sizes]
        x = whole(x, axes)
        chunks = list(x.chunks)
        for a, n in zip(axes, sizes, strict=True):
            chunks[a] = (n,)
        if half:
            chunks[axes[-1]] = (sizes[-1] // 2 + 1,)
        single = x.dtype in (np.float32, np.complex64)
        dtype = np.dtype(("f4" if single else "f8") if double else ("c8" if single else "c16"))
        where = {"s": sizes, "axes": axes} if several else {"n": sizes[0], "axis": axes[0]}
        meta = np.empty((0,) * x.ndim, dtype)
        return da.map_blocks(
            routine, x, dtype=dtype, chunks=tuple(chunks), meta=meta, norm=norm, **where
        )

    def along_one(x: Any, /, *, n: Any = None, axis: int = -1, norm: str = "backward") -> Any:
        return transform(x, None if n is None else (n,), (axis,), norm)

    def along_several(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
        if axes is None:
            axes = range(x.ndim) if s is None else range(-len(s), 0)
        return transform(x, s, axes, norm)

    made: Any = along_several if several else along_one
    made.__code__ = made.__code__.replace(co_name=name)  # which warnings show
    return made


# -- indexing and creation -------------------------------------------------------------------------


def _take(x: Any, indices: Any, /, *, axis: int | None = None) -> Any:
    """dask.array's own, with lazy indices, loses the metadata of complex arrays."""
    axis = 0 if axis is None else axis % x.ndim
    x, indices = whole(x, (axis,)), whole(da.asarray(indices), (0,), constant=True)
    labels = list(range(x.ndim))
    out = [*labels[:axis], x.ndim, *labels[axis + 1 :]]
    return da.blockwise(
        np.take,
        out,
        x,
        labels,
        indices,
        (x.ndim,),
        axis=axis,
        dtype=x.dtype,
        concatenate=True,
        meta=np.empty((0,) * x.ndim, x.dtype),
    )


def _take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Any:
    """By blocks, whose chunks along the other axes blockwise brings in line."""
    axis %= x.ndim
    x, indices = whole(x, (axis,)), whole(indices, (axis,))
    labels = tuple(range(x.ndim))
    out = tuple(x.ndim if label == axis else label for label in labels)
    return da.blockwise(
        np.take_along_axis,
        out,
        x,
        labels,
        indices,
        out,
        axis=axis,
        dtype=x.dtype,
        concatenate=True,
        meta=np.empty((0,) * x.ndim, x.dtype),
    )


def _repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Any:
    """dask.array's own has no ``axis=None``."""
    return da.repeat(x.reshape(-1) if axis is None else x, repeats, axis=axis or 0)


def _searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Any:
    """dask.array's own takes no scalars, no arrays without axes and no sorter."""
    if not isinstance(x2, da.Array):
        x2 = da.asarray(np.asarray(x2, np.result_type(x1.dtype, x2)))
    if sorter is not None:
        x1 = _take(x1, sorter)
    found = da.searchsorted(x1, da.atleast_1d(x2), side=side)
    return found if x2.ndim else found[0]


def _chunks(shape: int | tuple[int, ...]) -> dict[str, int]:
    """Dask's own choice of chunks divides by the other sizes."""
    return {"chunks": -1} if isinstance(shape, tuple) and 0 in shape else {}


def _creator(native: Any) -> Any:
    def create(shape: int | tuple[int, ...], *, dtype: Any = None, device: Any = None) -> Any:
        return native(shape, dtype=dtype, device=device, **_chunks(shape))

    return create


def _full(
    shape: int | tuple[int, ...], fill_value: Any, *, dtype: Any = None, device: Any = None
) -> Any:
    return compat.full(shape, fill_value, dtype=dtype, device=device, **_chunks(shape))


def _eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
) -> Any:
    """dask.array's own forgets blocks where there are more columns than rows."""
    n_cols = n_rows if n_cols is None else n_cols
    ones = da.arange(n_cols)[None, :] - da.arange(n_rows)[:, None] == k
    return ones.astype(np.float64 if dtype is None else dtype)


def _linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Any:
    """dask.array's own adds up steps, and need not end at `stop`."""
    out = compat.linspace(start, stop, num, dtype=dtype, endpoint=endpoint)
    if not endpoint or num < 2:
        return out
    return da.where(da.arange(num, chunks=out.chunks) == num - 1, out.dtype.type(stop), out)


def _expand_dims(x: Any, /, axis: int | tuple[int, ...]) -> Any:
    """dask.array's own runs out of axes if one is named twice."""
    ndim = x.ndim + (len(axis) if isinstance(axis, tuple) else 1)
    return da.expand_dims(x, normalize_axis_tuple(axis, ndim))


def _from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Any:
    if isinstance(x, da.Array):  # which has no such protocol, as nothing is computed
        return x.copy() if copy else x
    return da.from_array(np.from_dlpack(x, copy=copy))


# -- elementwise -----------------------------------------------------------------------------------


def _complex(name: str) -> Any:
    """NumPy's repaired function where the array is complex."""
    native, repaired = getattr(compat, name), getattr(_special_values, name)(host)

    def function(x: Any, /) -> Any:
        return da.map_blocks(repaired, x, dtype=x.dtype) if x.dtype.kind == "c" else native(x)

    return function


# -- reductions ------------------------------------------------------------------------------------


def _extreme(name: str) -> Any:
    native = getattr(compat, name)

    def function(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
        """dask.array's own reduces blocks without elements, even if none is wanted."""
        if 0 in x.shape:
            axes = normalize_axis_tuple(range(x.ndim) if axis is None else axis, x.ndim)
            kept = [
                1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes
            ]
            if all(x.shape[i] for i in axes):
                return compat.zeros(tuple(kept), dtype=x.dtype, chunks=-1)
        return native(x, axis=axis, keepdims=keepdims)

    return function


# -- linear algebra --------------------------------------------------------------------------------


def _matrices(
    routine: Any, signature: str, *args: Any, dtypes: Any, sizes: Any = None, **options: Any
) -> Any:
    """A routine on stacks of matrices, each in one chunk."""
    cores = re.findall(r"\((.*?)\)", signature.partition("->")[0])
    args = tuple(
        whole(x, range(-len(core.split(",")), 0)) if core else x
        for x, core in zip(args, cores, strict=True)
    )
    metas = tuple(np.empty(0, d) for d in (dtypes if isinstance(dtypes, tuple) else (dtypes,)))
    return da.apply_gufunc(
        routine,
        signature,
        *args,
        meta=metas if isinstance(dtypes, tuple) else metas[0],
        output_sizes=sizes,
        allow_rechunk=all(0 not in x.shape for x in args),  # by whose sizes Dask divides
        **options,
    )


def _real(dtype: Any) -> Any:
    return np.finfo(dtype).dtype


def _det(x: Any, /) -> Any:
    return _matrices(np.linalg.det, "(n,n)->()", x, dtypes=x.dtype)


def _slogdet(x: Any, /) -> Any:
    dtypes = (x.dtype, _real(x.dtype))
    return SlogdetResult(*_matrices(np.linalg.slogdet, "(n,n)->(),()", x, dtypes=dtypes))


def _eigh(x: Any, /) -> Any:
    dtypes = (_real(x.dtype), x.dtype)
    return EighResult(*_matrices(np.linalg.eigh, "(n,n)->(n),(n,n)", x, dtypes=dtypes))


def _eigvalsh(x: Any, /) -> Any:
    return _matrices(np.linalg.eigvalsh, "(n,n)->(n)", x, dtypes=_real(x.dtype))


def _eig(x: Any, /) -> Any:
    dtype = np.result_type(x.dtype, np.complex64)

    def routine(x: Any) -> Any:  # NumPy's result is real where it can be
        return tuple(part.astype(dtype) for part in np.linalg.eig(x))

    return EigResult(*_matrices(routine, "(n,n)->(n),(n,n)", x, dtypes=(dtype, dtype)))


def _eigvals(x: Any, /) -> Any:
    dtype = np.result_type(x.dtype, np.complex64)
    return _matrices(lambda x: np.linalg.eigvals(x).astype(dtype), "(n,n)->(n)", x, dtypes=dtype)


# Dask's own algorithms for a matrix in several chunks, which we keep, ask for these; otherwise the
# matrix is merged.
def _in_squares(x: Any) -> bool:
    return bool(x.ndim == 2 and x.npartitions > 1 and len({*x.chunks[0], *x.chunks[1]}) == 1)


def _in_strips(x: Any) -> bool:
    """Tell if a real matrix is cut along one axis; of complex ones Dask's metadata are wrong."""
    return bool(x.ndim == 2 and x.dtype.kind == "f" and x.npartitions > 1 and 1 in x.numblocks)


def _cholesky(x: Any, /, *, upper: bool = False) -> Any:
    if _in_squares(x):  # compat has its factors the wrong way round
        return da.linalg.cholesky(x, lower=not upper)
    return _matrices(np.linalg.cholesky, "(n,n)->(n,n)", x, dtypes=x.dtype, upper=upper)


def _inv(x: Any, /) -> Any:
    if _in_squares(x):
        return compat.linalg.inv(x).astype(x.dtype)
    return _matrices(np.linalg.inv, "(n,n)->(n,n)", x, dtypes=x.dtype)


def _solve(x1: Any, x2: Any, /) -> Any:
    dtype = np.result_type(x1.dtype, x2.dtype)
    if _in_squares(x1) and x2.ndim <= 2:
        return compat.linalg.solve(x1, x2).astype(dtype)
    signature = "(n,n),(n)->(n)" if x2.ndim == 1 else "(n,n),(n,k)->(n,k)"
    return _matrices(_solve_block, signature, x1, x2, dtypes=dtype, vector=x2.ndim == 1)


def _solve_block(x1: Any, x2: Any, vector: bool) -> Any:
    """Loop axes, which Dask puts in front of the vector, don't make it a matrix."""
    return np.linalg.solve(x1, x2[..., None])[..., 0] if vector else np.linalg.solve(x1, x2)


def _qr(x: Any, /, *, mode: str = "reduced") -> Any:
    if _in_strips(x) and x.numblocks[1] == 1 and mode == "reduced":
        return QRResult(*compat.linalg.qr(x))
    m, n = x.shape[-2:]
    signature = "(m,n)->(m,m),(m,n)" if mode == "complete" else "(m,n)->(m,k),(k,n)"
    dtypes, sizes = (x.dtype, x.dtype), {"k": min(m, n)}
    return QRResult(*_matrices(np.linalg.qr, signature, x, dtypes=dtypes, sizes=sizes, mode=mode))


def _matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """dask.array's own has no stacks for some norms, and no empty stacks for others."""
    if x.ndim > 2 or x.npartitions == 1:
        out = _matrices(np.linalg.matrix_norm, "(m,n)->()", x, dtypes=_real(x.dtype), ord=ord)
    elif ord in (2, -2, "nuc"):
        out = {2: da.max, -2: da.min, "nuc": da.sum}[ord](_svdvals(x))
    else:
        out = compat.linalg.matrix_norm(x, ord=ord)
    return out[..., None, None] if keepdims else out


def _matrix_power(x: Any, n: int, /) -> Any:
    return _matrices(np.linalg.matrix_power, "(n,n)->(n,n)", x, dtypes=x.dtype, n=n)


def _pinv(x: Any, /, *, rtol: Any = None) -> Any:
    if rtol is None:
        rtol = max(x.shape[-2:]) * float(np.finfo(x.dtype).eps)
    rtol = da.asarray(rtol)
    routine = lambda x, rtol: np.linalg.pinv(x, rcond=rtol)  # noqa: E731
    return _matrices(routine, "(m,n),()->(n,m)", x, rtol, dtypes=x.dtype)


def _svd(x: Any, /, *, full_matrices: bool = True) -> Any:
    if _in_strips(x) and not full_matrices:
        return SVDResult(*compat.linalg.svd(x, full_matrices=False))
    m, n = x.shape[-2:]
    sizes = {"k": min(m, n)}
    signature = "(m,n)->(m,m),(k),(n,n)" if full_matrices else "(m,n)->(m,k),(k),(k,n)"
    return SVDResult(
        *_matrices(
            np.linalg.svd,
            signature,
            x,
            dtypes=(x.dtype, _real(x.dtype), x.dtype),
            sizes=sizes,
            full_matrices=full_matrices,
        )
    )


def _svdvals(x: Any, /) -> Any:
    if _in_strips(x):
        return compat.linalg.svd(x, full_matrices=False)[1]
    return _matrices(
        np.linalg.svdvals,
        "(m,n)->(k)",
        x,
        dtypes=_real(x.dtype),
        sizes={"k": min(x.shape[-2:])},
    )


def _matrix_rank(x: Any, /, *, rtol: Any = None) -> Any:
    if rtol is None:
        rtol = max(x.shape[-2:]) * float(np.finfo(x.dtype).eps)
    values, rtol = _svdvals(x), da.asarray(rtol)
    routine = lambda s, rtol: np.sum(s > rtol[..., None] * s[..., :1], axis=-1)  # noqa: E731
    return _matrices(routine, "(k),()->()", values, rtol, dtypes=np.dtype(np.int64))


def _cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    (a, b, c), (p, q, r) = (
        [da.moveaxis(x, axis, -1)[..., i] for i in _three(x, axis)] for x in (x1, x2)
    )
    return da.stack([b * r - c * q, c * p - a * r, a * q - b * p], axis=axis)


def _three(x: Any, axis: int) -> range:
    if x.shape[axis] != 3:
        raise ValueError(f"cross: axis {axis} of shape {x.shape} must have 3 elements")
    return range(3)


def _matmul(x1: Any, x2: Any, /) -> Any:
    """dask.array's own checks the shapes late, and splits an axis as the other operand's."""
    if x1.ndim and x2.ndim:
        k = -2 if x2.ndim > 1 else -1
        if x1.shape[-1] != x2.shape[k]:
            raise ValueError(f"matmul: shapes {x1.shape} and {x2.shape} do not go together")
        if len(x2.chunks[k]) == 1 < len(x1.chunks[-1]):
            x1 = x1.rechunk({x1.ndim - 1: -1})
    return compat.matmul(x1, x2)


def _tensordot(x1: Any, x2: Any, /, *, axes: Any = 2) -> Any:
    """dask.array's own may take the wrong ones of negative axes, and widen integers by its sum."""
    if not isinstance(axes, int):
        axes = tuple(normalize_axis_tuple(a, x.ndim) for a, x in zip(axes, (x1, x2), strict=True))
    return da.tensordot(x1, x2, axes=axes).astype(np.result_type(x1.dtype, x2.dtype))


# -- shapes ----------------------------------------------------------------------------------------


def _reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Any:
    """In one chunk along the axes that change, where those are not split or merged evenly."""
    try:
        return compat.reshape(x, shape, copy=copy)
    except NotImplementedError:  # "only supports operations that merge or split ... evenly"
        pairs = enumerate(zip(x.shape, shape, strict=False))
        same = next((i for i, (n, m) in pairs if n != m), 0)
        flat = compat.reshape(whole(x, range(same, x.ndim)), (*x.shape[:same], -1))
        return compat.reshape(flat, shape)


def _half(name: str) -> Any:
    """One side of a diagonal; dask.array's own warns of complex metadata."""
    own = getattr(compat, name)

    def half(x: Any, /, *, k: int = 0) -> Any:
        if x.dtype.kind != "c":
            return own(x, k=k)
        side = own(da.ones(x.shape[-2:], dtype=np.int8), k=k) != 0
        return da.where(side, x, np.zeros((), dtype=x.dtype))

    return half


_TRANSFORMS = [n for n in FFT if "norm" in FUNCTIONS[f"fft.{n}"].keywords]
REPAIRS = {
    "broadcast_shapes": np.broadcast_shapes,
    "empty": _creator(compat.empty),
    "expand_dims": _expand_dims,
    "expm1": _complex("expm1"),
    "eye": _eye,
    "finfo": _special_values.finfo(compat.finfo),
    "from_dlpack": _from_dlpack,
    "full": _full,
    "linalg.cholesky": _cholesky,
    "linalg.cross": _cross,
    "linalg.det": _det,
    "linalg.eig": _eig,
    "linalg.eigh": _eigh,
    "linalg.eigvals": _eigvals,
    "linalg.eigvalsh": _eigvalsh,
    "linalg.inv": _inv,
    "linalg.matmul": _matmul,
    "linalg.matrix_norm": _matrix_norm,
    "linalg.matrix_power": _matrix_power,
    "linalg.matrix_rank": _matrix_rank,
    "linalg.pinv": _pinv,
    "linalg.qr": _qr,
    "linalg.slogdet": _slogdet,
    "linalg.solve": _solve,
    "linalg.svd": _svd,
    "linalg.svdvals": _svdvals,
    "linalg.tensordot": _tensordot,
    "linspace": _linspace,
    "matmul": _matmul,
    "max": _extreme("max"),
    "min": _extreme("min"),
    "ones": _creator(compat.ones),
    "repeat": _repeat,
    "reshape": _reshape,
    "searchsorted": _searchsorted,
    "take": _take,
    "take_along_axis": _take_along_axis,
    "tanh": _complex("tanh"),
    "tensordot": _tensordot,
    "tril": _half("tril"),
    "triu": _half("triu"),
    "zeros": _creator(compat.zeros),
} | {f"fft.{name}": _transform(name) for name in _TRANSFORMS}
