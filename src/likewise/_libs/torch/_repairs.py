"""Mends array_api_compat's view of PyTorch where it isn't standard, and adds a rule.

The repairs are torch operations alone, and the same ones whatever the values: so they run on every
device, under torch.func and in torch.compile. Ordinary real numbers cost at most one more pass.
"""

import functools
from typing import Any, NamedTuple

import array_api_compat.torch as compat
import array_api_compat.torch.linalg as compat_linalg
import numpy as np
import torch
from array_api_compat.common._aliases import (
    UniqueAllResult,
    UniqueCountsResult,
    UniqueInverseResult,
)
from torch.autograd import forward_ad

# -- dtypes and shapes -----------------------------------------------------------------------------


class FInfo(NamedTuple):
    """Holds what torch.finfo does, whose dtype is a string."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: torch.dtype


class IInfo(NamedTuple):
    """Holds what torch.iinfo does, whose dtype is a string."""

    bits: int
    max: int
    min: int
    dtype: torch.dtype


def _finfo(type: Any, /) -> FInfo:
    found = torch.finfo(type if isinstance(type, torch.dtype) else type.dtype)
    return FInfo(
        found.bits,
        found.eps,
        found.max,
        found.min,
        found.smallest_normal,
        getattr(torch, found.dtype),
    )


def _iinfo(type: Any, /) -> IInfo:
    found = torch.iinfo(type if isinstance(type, torch.dtype) else type.dtype)
    return IInfo(found.bits, found.max, found.min, getattr(torch, found.dtype))


def _broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return tuple(torch.broadcast_shapes(*shapes))  # type: ignore[no-untyped-call]
    except RuntimeError as error:  # the standard's is a ValueError
        raise ValueError(str(error)) from error


# -- arrays made of tensors, which torch copies without their derivatives --------------------------


def _numbers_in(values: Any) -> list[Any]:
    found: list[Any] = []
    for v in values:
        if isinstance(v, list | tuple):
            found += _numbers_in(v)
        else:
            found.append(v)
    return found


def _converted(x: Any, dtype: Any, device: Any) -> torch.Tensor:
    """Do what torch.asarray does, which warns of tensors that a derivative is asked of."""
    if isinstance(x, torch.Tensor):
        out: torch.Tensor = x.to(device=device, dtype=dtype)
        return out
    return torch.asarray(x, dtype=dtype, device=device)


def _of_lists(values: Any, dtype: Any, device: Any) -> torch.Tensor:
    parts = [
        _of_lists(v, dtype, device) if isinstance(v, list | tuple) else _converted(v, dtype, device)
        for v in values
    ]
    return torch.stack(parts) if parts else torch.empty(0, dtype=dtype, device=device)


def _asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None, **kwargs: Any
) -> torch.Tensor:
    """Lists that hold tensors are stacked, so that derivatives and batches go through."""
    if isinstance(obj, list | tuple) and copy is not False:
        found = _numbers_in(obj)
        tensors = [v for v in found if isinstance(v, torch.Tensor)]
        if tensors:
            dtype = compat.result_type(*found) if dtype is None else dtype
            return _of_lists(obj, dtype, tensors[0].device if device is None else device)
        if any(isinstance(v, np.uint64) for v in found):  # which torch reads from arrays alone
            obj = np.asarray(obj)
    if isinstance(obj, torch.Tensor) and copy is not False and not kwargs:
        return obj.to(device=device, dtype=dtype, copy=bool(copy))
    out: torch.Tensor = compat.asarray(obj, dtype=dtype, device=device, copy=copy, **kwargs)
    return out


def _full(
    shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, **kwargs: Any
) -> torch.Tensor:
    if not isinstance(fill_value, torch.Tensor):
        made: torch.Tensor = compat.full(shape, fill_value, dtype=dtype, device=device, **kwargs)
        return made
    value = _converted(fill_value, dtype, device)
    return value.expand((shape,) if isinstance(shape, int) else tuple(shape)).clone()


def _full_like(
    x: torch.Tensor, /, fill_value: Any, *, dtype: Any = None, device: Any = None, **kwargs: Any
) -> torch.Tensor:
    if not isinstance(fill_value, torch.Tensor):
        return torch.full_like(x, fill_value, dtype=dtype, device=device, **kwargs)
    dtype = x.dtype if dtype is None else dtype
    return _full(
        tuple(x.shape), fill_value, dtype=dtype, device=x.device if device is None else device
    )


def _linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
    **kwargs: Any,
) -> torch.Tensor:
    ends = [v for v in (start, stop) if isinstance(v, torch.Tensor)]
    if not ends:
        made: torch.Tensor = compat.linspace(
            start, stop, num, dtype=dtype, device=device, endpoint=endpoint, **kwargs
        )
        return made
    dtype = compat.result_type(start, stop, 1.0) if dtype is None else dtype
    where = ends[0].device if device is None else device
    start, stop = (_converted(v, dtype, where) for v in (start, stop))
    steps = max(num - 1 if endpoint else num, 1)
    k = torch.arange(num, device=where)
    step = (stop - start) / steps
    return torch.where(2 * k < steps, start + k * step, stop - (steps - k) * step)


# -- complex numbers in batches --------------------------------------------------------------------

# The imaginary part of what torch has conjugated without computing it is a view that negates when
# it is read, and torch.func.vmap has no rule for those: hence one for all. Torch makes them inside
# of its derivatives too, where no function of ours could resolve them first.
_RULES: Any = torch.library.Library("aten", "IMPL")  # type: ignore[no-untyped-call]
_BATCHED = "FuncTorchBatched"
if not torch._C._dispatch_has_kernel_for_dispatch_key("aten::_neg_view", _BATCHED):
    _RULES.impl("_neg_view", torch.neg, _BATCHED)


def _imag(x: torch.Tensor, /) -> torch.Tensor:
    return x.resolve_conj().imag


def _conj(x: torch.Tensor, /) -> torch.Tensor:
    """Compute it at once inside of torch.func, whose derivatives of such views may fail."""
    wrapped = not torch.compiler.is_compiling() and torch._C._functorch.is_functorch_wrapped_tensor
    if x.is_complex() and wrapped and wrapped(x):
        return torch.complex(x.real, -x.imag)
    return torch.conj(x)


def _transform(routine: Any, resolved: bool = False) -> Any:
    """A Fourier transform, which MKL refuses of a batch of none; no view of its conjugate."""

    def call(
        x: torch.Tensor, /, *, n: int | None = None, axis: int = -1, norm: Any = "backward"
    ) -> torch.Tensor:
        if not x.numel():
            return _of_none(lambda y: routine(y, n=n, dim=axis, norm=norm), x, (axis,))
        out: torch.Tensor = routine(x, n=n, dim=axis, norm=norm)
        return out.resolve_conj() if resolved else out

    return call


def _transforms(routine: Any) -> Any:
    """The same of several axes."""

    def call(
        x: torch.Tensor, /, *, s: Any = None, axes: Any = None, norm: Any = "backward"
    ) -> torch.Tensor:
        if not x.numel() and axes is not None:
            return _of_none(lambda y: routine(y, s=s, dim=axes, norm=norm), x, axes)
        out: torch.Tensor = routine(x, s=s, dim=axes, norm=norm)
        return out

    return call


def _of_none(transform: Any, x: torch.Tensor, axes: Any) -> torch.Tensor:
    """Transform one of zeros where there is none, and leave it out again."""
    along = {axis % x.ndim for axis in axes} if x.ndim else set()
    none = [i for i in range(x.ndim) if not x.shape[i] and i not in along]
    if not none:
        out: torch.Tensor = transform(x)  # which refuses what has no samples
        return out
    out = transform(torch.sum(x, dim=none, keepdim=True))
    return out[tuple(slice(0) if i in none else slice(None) for i in range(x.ndim))]


def _complex_from(routine: Any) -> Any:
    """A sum or product of reals in complex numbers, which torch can't go back through."""

    @functools.wraps(routine)
    def call(x: torch.Tensor, /, *, dtype: Any = None, **kwargs: Any) -> torch.Tensor:
        if dtype is not None and dtype.is_complex:
            x = x.to(dtype)
        out: torch.Tensor = routine(x, dtype=dtype, **kwargs)
        return out

    return call


def _pow(x1: Any, x2: Any, /) -> torch.Tensor:
    """With exponents as complex as the base: of real ones torch's derivative is wrong."""
    if isinstance(x1, torch.Tensor) and isinstance(x2, torch.Tensor) and x1.is_complex():
        x2 = x2.to(compat.result_type(x1, x2))
    out: torch.Tensor = compat.pow(x1, x2)
    return out


# -- signs of zero, and NaNs -----------------------------------------------------------------------


def _differentiated(x: torch.Tensor) -> bool:
    """Tell if a derivative may be asked for; the compiler does not tell, under torch.func."""
    return bool(torch.compiler.is_compiling() or x.requires_grad or forward_ad._current_level >= 0)


def _signs(x: torch.Tensor) -> torch.Tensor:
    """1 or -1, of zeros as well."""
    return torch.copysign(torch.ones_like(x), x)


def _sign_zeros(x: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Give the zeros of `x` the sign of `like`, which its other elements have.

    By -0 + 0 = +0. Unlike copysign's, the derivative is 1 at zero as well.
    """
    sign = torch.copysign(torch.ones_like(x), like)
    return sign * (sign * x + 0.0)


def _remainder(x1: Any, x2: Any, /) -> torch.Tensor:
    """A remainder has the sign of the divisor, zero included; torch's zero has the dividend's."""
    if not isinstance(x1, torch.Tensor) and x2.dtype.is_floating_point:
        x1 = torch.asarray(x1, dtype=x2.dtype, device=x2.device)  # numbers have no derivative rule
    out: torch.Tensor = compat.remainder(x1, x2)
    if not out.dtype.is_floating_point:
        return out
    if not isinstance(x2, torch.Tensor):
        return 0.0 + out if x2 >= 0 else -(0.0 - out)
    if _differentiated(out):
        return _sign_zeros(out, x2)
    return out.copysign_(x2)


def _floor_divide(x1: Any, x2: Any, /) -> torch.Tensor:
    """Divide to whole steps, whose derivative is 0; torch has none."""
    x1, x2 = (x.detach() if isinstance(x, torch.Tensor) else x for x in (x1, x2))
    out: torch.Tensor = compat.floor_divide(x1, x2)
    return out


def _sign(x: torch.Tensor, /) -> torch.Tensor:
    """torch.sign makes NaN 0; compat's repair needs the values (`out[isnan(x)]`)."""
    if x.dtype.is_complex:
        return torch.sgn(x)
    out = torch.sign(x)
    if not x.dtype.is_floating_point:
        return out
    # The cheapest operation that hands on NaNs, and -0, hence the sum. Where x is its own sign, the
    # derivative would be 1, hence `detach`.
    return torch.clamp(x.detach(), out, out) + 0.0


# -- complex functions -----------------------------------------------------------------------------


def _acos(x: torch.Tensor, /) -> torch.Tensor:
    """The two inverse cosines differ by a factor of ±i.

    torch's complex acos is pi/2 - asin, which loses the sign of zero, and digits around 1.
    """
    if not x.dtype.is_complex:
        return torch.acos(x)
    other = torch.acosh(x)
    return torch.complex(_signs(other.imag) * other.imag, -_signs(x.imag) * other.real)


def _expm1(x: torch.Tensor, /) -> torch.Tensor:
    """torch has the parts as products, where 0 * inf is NaN.

    Its exp follows C99. Only near zero is there a reason not to subtract 1.
    """
    if not x.dtype.is_complex:
        return torch.expm1(x)
    out = torch.exp(x)
    near = torch.abs(x.real) < 1.0
    a = torch.where(near, x.real, 0.0)  # derivatives of the other branch stay finite
    half = torch.sin(x.imag / 2)
    small = torch.expm1(a) * torch.cos(x.imag) - 2 * half * half + 0.0  # not -0
    return torch.complex(torch.where(near, small, out.real - 1), out.imag)


def _log1p(x: torch.Tensor, /) -> torch.Tensor:
    """From real functions, which have the infinities right; torch's own is NaN for some.

    Around 0 the modulus is too near 1 for its logarithm: there |1 + x|² - 1 is known better.
    """
    if not x.dtype.is_complex:
        return torch.log1p(x)
    a, b = x.real, x.imag
    size = torch.hypot(1 + a, b)
    near = torch.hypot(a, b) < 0.5
    a0, b0 = torch.where(near, a, 0.0), torch.where(near, b, 0.0)  # no overflow, no NaN derivatives
    small = torch.log1p(a0 * (2 + a0) + b0 * b0) / 2
    return torch.complex(torch.where(near, small, torch.log(size)), torch.atan2(b, 1 + a))


def _tanh(x: torch.Tensor, /) -> torch.Tensor:
    """At infinity the zero has the sign of the imaginary part; C99 gives that of sin(2b)."""
    out = torch.tanh(x)
    if not x.dtype.is_complex:
        return out
    zero = torch.copysign(torch.zeros_like(x.imag), x.imag)
    return torch.complex(out.real, torch.where(torch.isinf(x.real), zero, out.imag))


def _tan(x: torch.Tensor, /) -> torch.Tensor:
    """Do what `_tanh` does: the standard says -1j * tanh(1j * x)."""
    out = torch.tan(x)
    if not x.dtype.is_complex:
        return out
    zero = torch.copysign(torch.zeros_like(x.real), x.real)
    return torch.complex(torch.where(torch.isinf(x.imag), zero, out.real), out.imag)


# -- sets ------------------------------------------------------------------------------------------


def _ranks(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Sorted values, the position of each element among them, and counts; NaNs are distinct.

    torch finds the values, but takes the NaNs for equal in the rest, or their count for zero.
    """
    values, ranks, counts = torch.unique(x, return_inverse=True, return_counts=True)
    if not x.dtype.is_floating_point:
        return values, ranks, counts
    nans = torch.isnan(x).flatten()  # the last values, in their order
    last = values.numel() + torch.cumsum(nans, 0) - nans.sum() - 1
    ranks = torch.where(nans, last, ranks.flatten()).reshape(x.shape)
    return values, ranks, torch.where(torch.isnan(values), 1, counts)


def _unique_all(x: torch.Tensor, /) -> UniqueAllResult:
    if x.dtype.is_complex:  # which torch can't sort: by real part, then imaginary part
        key = _ranks(x.real)[1] * x.numel() + _ranks(x.imag)[1]
        _, ranks, counts = _ranks(key)
    else:
        values, ranks, counts = _ranks(x)
    places = torch.arange(x.numel(), device=x.device)
    indices = torch.full_like(counts, x.numel()).scatter_reduce(0, ranks.flatten(), places, "amin")
    if x.dtype.is_complex:
        values = x.flatten()[indices]
    return UniqueAllResult(values, indices, ranks, counts)


def _unique_counts(x: torch.Tensor, /) -> UniqueCountsResult:
    if x.dtype.is_complex:
        found = _unique_all(x)
        return UniqueCountsResult(found.values, found.counts)
    values, counts = torch.unique(x, return_counts=True)
    if x.dtype.is_floating_point:
        counts = torch.where(torch.isnan(values), 1, counts)
    return UniqueCountsResult(values, counts)


def _unique_inverse(x: torch.Tensor, /) -> UniqueInverseResult:
    if x.dtype.is_complex:
        found = _unique_all(x)
        return UniqueInverseResult(found.values, found.inverse_indices)
    return UniqueInverseResult(*_ranks(x)[:2])


def _unique_values(x: torch.Tensor, /) -> Any:
    return _unique_all(x).values if x.dtype.is_complex else torch.unique(x)


# -- order of elements and of axes -----------------------------------------------------------------


def _searchsorted(
    x1: torch.Tensor,
    x2: Any,
    /,
    *,
    side: str = "left",
    sorter: torch.Tensor | None = None,
) -> torch.Tensor:
    """With NaN as the largest of all, and no warning of strides; torch compares as C does."""
    x1 = x1 if sorter is None else x1[sorter]
    if not isinstance(x2, torch.Tensor):
        x2 = torch.asarray(x2, dtype=x1.dtype, device=x1.device)
    x1, x2 = x1.contiguous(), x2.contiguous()
    if not x1.dtype.is_floating_point:
        return torch.searchsorted(x1, x2, side=side)
    strange = torch.isnan(x1)
    numbers = x1.shape[-1] - strange.sum(-1, keepdim=x1.ndim > 1)
    # To torch a NaN is not larger than anything, wherever its search comes across one.
    out = torch.searchsorted(torch.where(strange, torch.inf, x1), x2, side=side)
    last = numbers if side == "left" else torch.full_like(numbers, x1.shape[-1])
    return torch.where(torch.isnan(x2), last, torch.minimum(out, numbers))


def _place_of(routine: Any) -> Any:
    """torch's argmax or argmin, whose `keepdims` for all axes knows nothing of batches."""

    def place(
        x: torch.Tensor, /, *, axis: int | None = None, keepdims: bool = False
    ) -> torch.Tensor:
        out: torch.Tensor = routine(x, axis, keepdim=keepdims and axis is not None)
        return out.reshape((1,) * x.ndim) if keepdims and axis is None else out

    return place


# -- linear algebra --------------------------------------------------------------------------------


def _solve(x1: torch.Tensor, x2: torch.Tensor, /) -> torch.Tensor:
    """With as many dimensions on both sides torch can't guess, in batches wrongly, at a vector."""
    wide = x2[:, None] if x2.ndim == 1 else x2
    wide = wide[(None,) * (x1.ndim - wide.ndim)]
    out: torch.Tensor
    if forward_ad._current_level < 0:
        out = compat_linalg.solve(x1, wide)
    else:
        out = compat_linalg.solve(x1.detach(), wide.detach())
        out = by_inverse(out, torch.linalg.inv(x1), wide)
    return out[..., 0] if x2.ndim == 1 else out


def by_inverse(x: torch.Tensor, inverse: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Give solutions the derivatives of ``inverse @ b``.

    The forward derivative of torch's own calls torch.linalg.lu_solve, which is wrong where it
    broadcasts factors (2.13), as it does for vmap of jacfwd.
    """
    same = inverse @ b
    return x.detach() + (same - same.detach())


# -- statistics ------------------------------------------------------------------------------------


def _spread(routine: Any) -> Any:
    """torch's routine, whose correction may be a fraction: compat's `std` refuses one."""

    def spread(
        x: torch.Tensor,
        /,
        *,
        axis: int | tuple[int, ...] | None = None,
        correction: float = 0.0,
        keepdims: bool = False,
    ) -> torch.Tensor:
        if axis == ():  # for torch that is all axes
            return (x - x) / max(1 - correction, 0)
        out: torch.Tensor = routine(x, axis, correction=correction, keepdim=keepdims)
        return out

    return spread


def _moveaxis(x: Any, source: Any, destination: Any, /) -> Any:
    """torch.func.vmap has a rule for this name of it."""
    return torch.movedim(x, source, destination)


def _vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """By functions that torch.func.vmap has rules for, in the inputs' dtype."""
    dtype = x1.dtype if x1.dtype == x2.dtype else torch.result_type(x1, x2)
    x1, x2 = x1.to(dtype), x2.to(dtype)
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"vecdot: sizes {x1.shape[axis]} and {x2.shape[axis]} of axis {axis}")
    if axis != -1:
        x1, x2 = torch.movedim(x1, axis, -1), torch.movedim(x2, axis, -1)
    if dtype.is_floating_point or dtype.is_complex:
        return torch.matmul(torch.conj(x1)[..., None, :], x2[..., None])[..., 0, 0]
    return torch.sum(x1 * x2, dim=-1, dtype=dtype)


def _unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    return torch.unbind(x, axis)


REPAIRS = {
    "acos": _acos,
    "argmax": _place_of(torch.argmax),
    "argmin": _place_of(torch.argmin),
    "asarray": _asarray,
    "broadcast_shapes": _broadcast_shapes,
    "conj": _conj,
    **{n: _complex_from(getattr(compat, n)) for n in ("cumulative_prod", "cumulative_sum")},
    "expm1": _expm1,
    "finfo": _finfo,
    "floor_divide": _floor_divide,
    "full": _full,
    "full_like": _full_like,
    **{f"fft.{n}": _transform(getattr(torch.fft, n)) for n in ("fft", "rfft", "irfft", "hfft")},
    **{f"fft.{n}": _transform(getattr(torch.fft, n), True) for n in ("ifft", "ihfft")},
    **{
        f"fft.{n}": _transforms(getattr(torch.fft, n)) for n in ("fftn", "ifftn", "rfftn", "irfftn")
    },
    "iinfo": _iinfo,
    "imag": _imag,
    "linalg.solve": _solve,
    "linspace": _linspace,
    "log1p": _log1p,
    "moveaxis": _moveaxis,
    "pow": _pow,
    **{n: _complex_from(getattr(compat, n)) for n in ("prod", "sum")},
    "remainder": _remainder,
    "searchsorted": _searchsorted,
    "sign": _sign,
    "std": _spread(torch.std),
    "tan": _tan,
    "tanh": _tanh,
    "unique_all": _unique_all,
    "unique_counts": _unique_counts,
    "unique_inverse": _unique_inverse,
    "unique_values": _unique_values,
    "unstack": _unstack,
    "var": _spread(torch.var),
    "vecdot": _vecdot,
}
