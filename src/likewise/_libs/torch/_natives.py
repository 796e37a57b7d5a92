"""PyTorch's own routines, made to mean what the standard's way means: what rows call.

NotImplemented stands for arguments that PyTorch has no routine for, or none with our derivatives.
"""

import contextlib
import math
from typing import Any

import numpy as np
import torch
from torch.autograd import forward_ad

from ...errors import ArgumentError
from ._library import LIBRARY
from ._repairs import _differentiated, by_inverse
from ._states import is_lazy, view, viewable

# -- places ----------------------------------------------------------------------------------------

_FEW = 64
_NEGATIVE = "bincount: x must not be negative, but its smallest element is"
_REDUCTIONS = {"multiply": "prod", "minimum": "amin", "maximum": "amax"}


def _visible(*arrays: Any) -> bool:
    """Tell if tensors can be looked at, which torch.func forbids of those that it doesn't wrap."""
    return viewable(*arrays) and torch._C._functorch.peek_interpreter_stack() is None


def _few(x: Any) -> bool:
    """Tell if NumPy, whose calls cost a fourth of torch's, may work on a tensor in its place."""
    return x.numel() <= _FEW and _visible(x)


def _inside(ids: Any, size: int) -> bool:
    """Tell if a look at indices is cheap, and finds them in range.

    Without its sign a negative number is very large.
    """
    if not _visible(ids) or ids.dtype != torch.int64:
        return False
    return ids.numel() == 0 or bool(view(ids).view("uint64").max() < size)


def _lost(op: str) -> bool:
    """Tell if torch would give a derivative of zero: of products, in forward mode."""
    return op == "multiply" and forward_ad._current_level >= 0


def _joined(out: Any, data: Any, ids: Any, op: str) -> Any:
    if op == "add":
        return out.index_add(0, ids, data)
    index = ids.reshape(-1, *(1,) * (data.ndim - 1)).expand(data.shape)
    return out.scatter_reduce(0, index, data, _REDUCTIONS[op])


def segment(data: Any, ids: Any, size: int, op: str, initial: Any) -> Any:
    """Rows joined by segment; those of no segment go into the first and the last, dropped."""
    if _lost(op):
        return NotImplemented
    if _visible(ids):  # on the CPU torch looks at each index itself
        with contextlib.suppress(IndexError, RuntimeError):
            return _joined(data.new_full((size, *data.shape[1:]), initial), data, ids, op)
    ids = torch.clamp(ids + 1, 0, size + 1)
    return _joined(data.new_full((size + 2, *data.shape[1:]), initial), data, ids, op)[1:-1]


def count(ids: Any, size: int) -> Any:
    if _inside(ids, size):
        return torch.bincount(ids, minlength=size)
    return segment(torch.ones_like(ids), ids, size, "add", 0)


def bincount(x: Any, weights: Any, minlength: int) -> Any:
    if not _visible(x) or (weights is not None and not _visible(weights)):
        return NotImplemented
    try:
        return torch.bincount(x, weights, minlength)
    except RuntimeError as error:
        if view(x).min() >= 0:
            return NotImplemented  # what is too large to count, the generic body says
        raise ArgumentError(_NEGATIVE) from error


def tallied(x: Any, weights: Any, size: int) -> Any:
    """`bincount` of a given size."""
    if not _visible(x) or (weights is not None and not _visible(weights)):
        return NotImplemented
    if not _inside(x, size):
        if view(x).min() < 0:
            raise ArgumentError(_NEGATIVE)
        inside = x < size
        x, weights = x[inside], None if weights is None else weights[inside]
    out = torch.bincount(x, weights, size)
    return out if weights is None else out.to(weights.dtype)  # of nothing, integers


def merged(x: Any, ids: Any, value: Any, op: str) -> Any:
    """Rows of `x` joined with those that come; index -1 goes into one before, dropped."""
    if _lost(op):
        return NotImplemented
    if _visible(ids):
        with contextlib.suppress(IndexError, RuntimeError):
            return _joined(x, value, ids, op)
    spare = torch.zeros((1, *x.shape[1:]), dtype=x.dtype, device=x.device)
    return _joined(torch.cat([spare, x]), value, ids + 1, op)[1:]


# -- order -----------------------------------------------------------------------------------------


def _by_numpy(body: Any, x: Any, *args: Any) -> Any:
    return torch.from_numpy(np.asarray(body(view(x), *args)))


def _middle_of_row(x: Any, low: int, high: int, numbers: bool) -> Any:
    row = x.copy()
    row.sort()
    if row[-1] != row[-1] and not numbers:
        return row[-1]
    if low == high:
        return row[low]
    with np.errstate(invalid="ignore"):  # of infinities of both signs
        return (row[low] + row[high]) / 2


def at_places(x: Any, *args: Any, body: Any = None) -> Any:
    return _by_numpy(body, x, *args) if _few(x) else NotImplemented


def middle(x: Any, low: int, high: int, numbers: bool, *, body: Any = None) -> Any:
    """The mean of two of the sorted elements, found without sorting; torch's NaNs are the last."""
    if _few(x):
        return _by_numpy(_middle_of_row if x.ndim == 1 else body, x, low, high, numbers)
    out = x.kthvalue(low + 1, dim=-1).values
    if low < high:
        out = (out + x.kthvalue(high + 1, dim=-1).values) / 2
    return out if numbers else torch.where(torch.isnan(x).any(-1), torch.nan, out)


def topk(x: Any, k: int, largest: bool) -> Any:
    """torch's own, in the order defined, where no other element equals the last of them."""
    if not LIBRARY.is_concrete(x):  # on a GPU, too, a look at the count would wait
        return NotImplemented
    xp, plain = LIBRARY.namespace, x.detach()
    values, indices = plain.topk(k, largest=largest)
    last = values[..., -1:]
    # Elements before the last are k - 1 or fewer; so are k or more together with its equals.
    behind = plain < last if largest else ~(plain <= last)
    if int(torch.count_nonzero(behind)) != x.numel() - x.numel() // x.shape[-1] * k:
        return NotImplemented
    indices = indices.sort(dim=-1).values
    some = torch.take_along_dim(plain, indices, dim=-1)
    order = xp.argsort(some, axis=-1, descending=largest, stable=True)
    indices = torch.take_along_dim(indices, order, dim=-1)
    return torch.take_along_dim(x, indices, dim=-1), indices


# -- without NaNs ----------------------------------------------------------------------------------


def nansum(x: Any, axis: Any, dtype: Any, keepdims: bool) -> Any:
    return torch.nansum(x, axis, keepdims) if dtype is None else NotImplemented


# -- where nobody asks for a derivative ------------------------------------------------------------


def constant(x: Any) -> bool:
    """Tell if no derivative with respect to `x` can be asked for."""
    return not (is_lazy(x) or _differentiated(x))


def safe_sqrt(x: Any) -> Any:
    return torch.sqrt(x) if constant(x) else NotImplemented


def xlogy(x: Any, y: Any) -> Any:
    if not (constant(x) and constant(y)) or x.is_complex():
        return NotImplemented
    return torch.xlogy(x, y)


def nanmean(x: Any, axis: Any, keepdims: bool) -> Any:
    """torch's derivative is NaN where there is no number."""
    return torch.nanmean(x, axis, keepdims) if constant(x) else NotImplemented


def safe_norm(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if not constant(x):
        return NotImplemented
    return torch.linalg.vector_norm(x, dim=axes, keepdim=keepdims)


# -- sums of exponentials --------------------------------------------------------------------------


def softmax(x: Any, axes: tuple[int, ...]) -> Any:
    if len(axes) == 1:
        return torch.softmax(x, axes[0])
    if x.ndim and len(axes) == x.ndim:
        return torch.softmax(x.reshape(-1), 0).reshape(x.shape)
    return NotImplemented


def _along(x: Any, axes: tuple[int, ...]) -> tuple[Any, int] | None:
    """A tensor that can be looked at and the one axis to go along, None if there are several."""
    if not _visible(x) or 0 in x.shape:
        return None
    if len(axes) == 1:
        return x, axes[0]
    return (x.reshape(-1), 0) if x.ndim and len(axes) == x.ndim else None


def _beside_largest(x: Any, dim: int) -> tuple[Any, Any, Any]:
    """The largest exponents, all less these, and the logarithm of what they add up to.

    The largest adds 1 and is left out of the sum, so that `log1p` keeps the digits of the others.
    """
    top, place = x.max(dim, keepdim=True)
    inner = x - top
    others = inner.exp().scatter_(dim, place, 0.0).sum(dim, keepdim=True)
    return top, inner, others.log1p_()


def _of_few(x: Any) -> tuple[Any, Any, Any] | None:
    """The same of a vector of few elements, by NumPy; None if the largest is infinite or NaN."""
    row = view(x)
    place = row.argmax()
    top = row[place]
    if not math.isfinite(top):
        return None
    inner = row - top
    others = np.exp(inner)
    others[place] = 0.0
    return top, inner, np.log1p(np.add.reduce(others))


def logsumexp(x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    found = _along(x, axes)
    if found is None:
        return NotImplemented
    if found[0].ndim == 1 and x.numel() <= _FEW:
        few = _of_few(found[0])
        if few is None:
            return NotImplemented
        out = torch.from_numpy(np.asarray(few[0] + few[2]))
    else:
        top, _, more = _beside_largest(*found)
        out = top.add_(more)
        if not math.isfinite(view(out).sum()):  # infinite exponents are the body's
            return NotImplemented
    kept = [n if i not in axes else 1 for i, n in enumerate(x.shape) if keepdims or i not in axes]
    return out.reshape(kept)


def log_softmax(x: Any, axes: tuple[int, ...]) -> Any:
    """torch's own loses the digits of results next to 0."""
    found = _along(x, axes)
    if found is None:
        return NotImplemented
    if found[0].ndim == 1 and x.numel() <= _FEW:
        few = _of_few(found[0])
        if few is None:
            return NotImplemented
        out = torch.from_numpy(few[1] - few[2])
        return out if out.shape == x.shape else out.reshape(x.shape)
    out = torch.log_softmax(*found)
    if not view(out).max() < -0.5:
        _, inner, more = _beside_largest(*found)
        out = inner.sub_(more)
        if not math.isfinite(view(more).sum()):
            return NotImplemented
    return out if out.shape == x.shape else out.reshape(x.shape)


# -- padding and windows ---------------------------------------------------------------------------

_MODES = {"edge": "replicate", "reflect": "reflect", "wrap": "circular"}


def pad_constant(x: Any, widths: Any, value: Any) -> Any:
    return torch.nn.functional.pad(x, [w for p in reversed(widths) for w in p], value=value)


def pad_copies(x: Any, widths: Any, mode: str) -> Any:
    """Pad one to three dimensions, and at most once around."""
    y = x[None] if x.ndim > 1 else x[None, None]
    flat = [w for pair in reversed(widths) for w in pair]
    out = torch.nn.functional.pad(y, flat, _MODES[mode])
    return out[0] if x.ndim > 1 else out[0, 0]


def windows(x: Any, window: int, axis: int) -> Any:
    return x.unfold(axis, window, 1).clone(memory_format=torch.contiguous_format)


# -- linear algebra --------------------------------------------------------------------------------


def _marked(x: Any, info: Any, a: Any) -> Any:
    """NaN for the matrices of which LAPACK complains; where that can be seen the caller says it.

    It doesn't complain of one that isn't finite.
    """
    if _visible(info):
        if view(info).any() or (_visible(a) and not np.isfinite(view(a)).all()):
            return NotImplemented
        return x
    return torch.where((info != 0)[..., None, None], torch.nan, x)


def solve(a: Any, b: Any) -> Any:
    if forward_ad._current_level < 0:
        found = torch.linalg.solve_ex(a, b)
        return _marked(found.result, found.info, a)
    found = torch.linalg.solve_ex(a.detach(), b.detach())
    return _marked(by_inverse(found.result, torch.linalg.inv_ex(a).inverse, b), found.info, a)


def inv(a: Any) -> Any:
    found = torch.linalg.inv_ex(a)
    return _marked(found.inverse, found.info, a)


def lstsq(a: Any, b: Any, rtol: float) -> Any:
    if not (_visible(a, b) and constant(a) and constant(b)):
        return NotImplemented
    if b.numel() == 0 or not np.isfinite(view(b)).all():  # LAPACK refuses such
        return NotImplemented
    found = torch.linalg.lstsq(a, b, rcond=rtol, driver="gelsd")
    return found.solution, found.rank, found.singular_values


def substitute(a: Any, b: Any, lower: bool, unit: bool) -> Any:
    return torch.linalg.solve_triangular(a, b, upper=not lower, unitriangular=unit)


def lu_factor(a: Any) -> Any:
    found = torch.linalg.lu_factor_ex(a)
    return found.LU, found.pivots.to(torch.int64) - 1


def lu_solve(lu: Any, pivots: Any, b: Any, mode: int) -> Any:
    lu = lu.conj() if mode == 1 else lu  # the adjoint of the conjugate is the transpose
    pivots = pivots.to(torch.int32) + 1
    if lu.shape[:-2] == b.shape[:-2] and not is_lazy(lu) and not is_lazy(b):
        return torch.linalg.lu_solve(lu, pivots, b, adjoint=mode != 0)
    # torch's is wrong where it broadcasts factors (2.13), which batches may make it do unseen.
    order, low, up = torch.lu_unpack(lu, pivots)
    if mode == 0:
        x = torch.linalg.solve_triangular(low, order.mT @ b, upper=False, unitriangular=True)
        return torch.linalg.solve_triangular(up, x, upper=True)
    x = torch.linalg.solve_triangular(up.mH, b, upper=False)
    return order @ torch.linalg.solve_triangular(low.mH, x, upper=True, unitriangular=True)


def cholesky(a: Any) -> Any:
    """Take the lower triangles, of which alone the result has derivatives."""
    if _visible(a):
        found = torch.linalg.cholesky_ex(a)
        if not view(found.info).any():
            return found.L
    low = torch.tril(a)
    found = torch.linalg.cholesky_ex(low + torch.tril(a, -1).mH)
    nothing = torch.tril(torch.full_like(found.L, torch.nan))
    return torch.where((found.info != 0)[..., None, None], nothing, found.L)


def cho_solve(c: Any, b: Any) -> Any:
    return torch.cholesky_solve(b, c if _visible(c) else torch.tril(c))
