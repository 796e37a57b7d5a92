"""Filtering by numerator and denominator along an axis."""

from typing import Any

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, device, hooks_of, is_concrete
from ..._native import Lines, Made, lines, native, of_one_kind, public
from ...errors import ArgumentError, ShapeError
from ...linalg import toeplitz
from ...transforms import custom_jvp, scan, stop_gradient
from .._base._places import vector, working
from .._base._recursions import (
    asked,
    axis_of,
    carried,
    cast,
    joined,
    lanes,
    pieces,
    split,
    unlaned,
    values,
)
from .._convolving._convolution import convolve
from ._blocks import SAMPLES, run
from ._direct_blocks import POLES, Row, direct, longest
from ._doubling import divided, doubles

__all__ = [
    "check_first",
    "coefficients",
    "deconvolve",
    "filtered",
    "filtered_along",
    "lfilter",
    "lfilter_zi",
    "lfiltic",
]

_DIRECTLY = 128  # coefficients of a filter without feedback whose sums are taken as they stand
_MANY = 1_000_000  # products that are not kept at once


@public
def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Filter along an axis by numerator and denominator.

    Parameters
    ----------
    b, a : array, shape (m,) and (n,)
        Coefficients by delay; both are divided by ``a[0]``. They may be NumPy arrays if `x` belongs
        to another library: they are copied to its device.
    x : array
        Real or complex signals; all other dimensions are a batch.
    axis : int, optional
        The axis to filter along.
    zi : array, optional
        Initial states: the shape of `x` with ``max(m, n) - 1`` along the axis, and 1 along
        dimensions in which all signals start alike. Default: zeros.

    Returns
    -------
    y : array
        The filtered signals, of the shape of `x` and the common floating dtype.
    zf : array
        The final states, only with `zi`.

    Raises
    ------
    ShapeError
        If coefficients aren't sequences, or a shape or the axis doesn't fit.
    ArgumentError
        If ``a[0]`` is zero (checked only if its value is available).
    NotSupported
        If all arguments are integers or booleans.
    ArrayTypeError, DtypeError, MixedDevicesError
        If arguments are not numbers of one library and device.

    Notes
    -----
    Uses the transposed direct form (A. V. Oppenheim and R. W. Schafer, Discrete-Time Signal
    Processing, 3rd ed., section 6.3.2). Filters with at most 16 poles, and real coefficients with
    values, process some 64 samples at once by matrix products. The matrices are exact to their last
    digits, computed on the host (some tenths of a second for a new filter of order 16) and cached.
    Other filters apply the numerator by products and the feedback sample by sample; of at most 6
    poles, for few signals and not on JAX, in ``log2(n)`` steps, each of which doubles the delay,
    with a second pass for the last digits. Differentiable in all arguments; derivatives in
    coefficients filter with ``1/a``, on PyTorch as other filters do. At high orders, coefficients
    are less accurate than sections: see `sosfilt`.

    Differs from SciPy: after a NaN or an infinity, all results are NaN, unless the filter has no
    feedback.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import lfilter
    >>> lfilter([1.0], [1.0, -0.5], np.ones(4))
    array([1.   , 1.5  , 1.75 , 1.875])
    """
    b, a, zi = beside(x, b, a, zi)
    xp = array_namespace(b, a, x, zi)
    names = ("b", "a", "x", "zi")[: 3 if zi is None else 4]
    b, a, x, *rest = asked("lfilter", xp, names, *(b, a, x, zi)[: len(names)])
    b, a = coefficients("lfilter", xp, b, a)
    axis = axis_of("lfilter", x, axis)
    try:
        size = max(b.shape[0], a.shape[0]) - 1
        if zi is None:
            if len(pieces(x, axis)) == 1:
                return _lfilter(b, a, x, axis)
            shape = (1,) * axis + (size,) + (1,) * (x.ndim - axis - 1)
            none = xp.zeros(shape, dtype=x.dtype, device=device(x))
            return filtered_along(b, a, x, axis, none)[0]
        expected = (*x.shape[:axis], size, *x.shape[axis + 1 :])
        came = tuple(rest[0].shape)
        if len(came) != x.ndim or any(
            n != m and (n != 1 or i == axis)
            for i, (n, m) in enumerate(zip(came, expected, strict=True))
        ):
            raise ShapeError(
                f"lfilter: zi must have the shape {expected}, or 1 in place of sizes but {size}, "
                f"for x of shape {tuple(x.shape)} along axis {axis}, got {came}"
            )
        return filtered_along(b, a, x, axis, rest[0])
    except ValueError:  # of a routine; the error is ours
        check_first("lfilter", a)
        raise


def coefficients(function: str, xp: Any, b: Any, a: Any) -> tuple[Any, Any]:
    b, a = vector(xp, b), vector(xp, a)
    for name, c in (("b", b), ("a", a)):
        if c.ndim != 1 or c.shape[0] == 0:
            raise ShapeError(
                f"{function}: {name} must be a sequence of coefficients that isn't empty, got the "
                f"shape {tuple(c.shape)}"
            )
    return b, a


def check_first(function: str, a: Any) -> None:
    if is_concrete(a) and bool(a[0] == 0):
        raise ArgumentError(f"{function}: a[0] must not be zero. Leave out leading zeros.")


def _some(b: Any, a: Any, x: Any, axis: int, *zi: Any) -> bool:
    """signals that aren't empty, and untraced arrays."""
    return 0 not in x.shape and all(type(v) is type(b) for v in (a, x, *zi))


def _in_blocks(b: Any, a: Any, x: Any, axis: int, zi: Any = None) -> Lines:
    signals = lines(x.ndim, axis)
    y = Made(x.shape, signals, x.dtype)
    if zi is None:
        return Lines({2: signals}, y)
    shape = (*x.shape[:axis], zi.shape[axis], *x.shape[axis + 1 :])
    return Lines({2: signals, 4: signals}, [y, Made(shape, signals, x.dtype)])


@native(numpy="scipy.signal:lfilter", torch="scipy.signal:lfilter", when=_some, blocks=_in_blocks)
def _lfilter(b: Any, a: Any, x: Any, axis: int) -> Any:
    return unlaned(filtered(b, a, lanes(x, axis), None)[0], x.shape, axis)


def filtered_along(b: Any, a: Any, x: Any, axis: int, zi: Any) -> Any:
    """Filter from states; the parts of signals that come in parts one after the other."""
    if len(pieces(x, axis)) == 1:
        return _lfilter_from(b, a, x, axis, zi)
    return carried(lambda part, z: _lfilter_from(b, a, part, axis, z), x, axis, zi)


@native(numpy="scipy.signal:lfilter", when=_some, blocks=_in_blocks)
def _lfilter_from(b: Any, a: Any, x: Any, axis: int, zi: Any) -> tuple[Any, Any]:
    xp = array_namespace(b, x, zi)
    size = zi.shape[axis]
    zi = xp.broadcast_to(zi, (*x.shape[:axis], size, *x.shape[axis + 1 :]))
    y, zf = filtered(b, a, lanes(x, axis), lanes(zi, axis))
    return unlaned(y, x.shape, axis), unlaned(zf, x.shape, axis)


def filtered(b: Any, a: Any, x: Any, zi: Any) -> tuple[Any, Any]:
    """Filter rows; if there are initial states, also return the final ones."""
    check_first("lfilter", a)
    xp = array_namespace(b, a, x)
    b, a = b / a[0], a / a[0]
    row = _row(b, a) if 0 not in x.shape else None
    states = 0 if zi is None else zi.shape[-1]
    if 0 in x.shape:
        y = b[0] * x
    elif row is not None and max(b.shape[0], states + 1) <= len(row):
        y = _by_blocks((_long(values(b), len(row)), row), x, zi)
    else:
        # Sums of products first: so the states are no more than there are poles.
        several = _by_products if a.shape[0] > 1 and b.shape[0] <= SAMPLES else _convolved
        y = several(x, b) if b.shape[0] > 1 else b[0] * x
        y = y if zi is None else _plus(xp, y, zi)
        if a.shape[0] > 1:
            y = _followed(a, y) if values(a) is None else _recursion(a, y)
    return y, None if zi is None else _after(xp, b, a, x, y, zi)


def _padded(xp: Any, c: Any, size: int) -> Any:
    """Return coefficients, padded with zeros."""
    zeros = xp.zeros((*c.shape[:-1], size - c.shape[-1]), dtype=c.dtype, device=device(c))
    return xp.concat((c, zeros), axis=-1)


def _convolved(x: Any, c: Any) -> Any:
    """Return the sums of products, as many as samples."""
    return _sums(x, c, "full")[:, : x.shape[-1]]


def _sums(x: Any, c: Any, mode: str) -> Any:
    method = "direct" if c.shape[0] <= _DIRECTLY else "auto"
    return convolve(x, c[None, :], mode, method, axes=-1)


def _by_products(x: Any, c: Any) -> Any:
    """Return the sums of products by blocks, because results after a non-finite sample are NaN."""
    xp = array_namespace(x, c)
    finite = xp.isfinite(x)
    clean = is_concrete(x) and bool(xp.all(finite))
    (channels, n), before = x.shape, c.shape[0] - 1
    size = min(SAMPLES, n)
    count = -(-n // size)
    now = x if clean else xp.where(finite, x, xp.zeros_like(x))
    now = xp.reshape(_padded(xp, now, count * size), (channels, count, size))
    zeros = xp.zeros((size,), dtype=c.dtype, device=device(c))
    blocks = -(-before // size)  # before one that the coefficients reach
    taps = _padded(xp, xp.concat((zeros, c)), (blocks + 2) * size)

    def lagged(k: int) -> Any:
        """Return the coefficients of the k-th previous block for each sample."""
        lag = (k + 1) * size
        return toeplitz(xp.flip(taps[lag - size + 1 : lag + 1]), taps[lag : lag + size])

    y = xp.matmul(now, lagged(0))
    for k in range(1, min(count - 1, blocks) + 1):
        earlier = xp.matmul(now[:, : count - k, :], lagged(k))
        none = xp.zeros((channels, k, size), dtype=y.dtype, device=device(y))
        y = y + xp.concat((none, earlier), axis=1)
    y = xp.reshape(y, (channels, count * size))[:, :n]
    return y if clean else xp.where(finite, y, x)


def _plus(xp: Any, y: Any, zi: Any) -> Any:
    """Add states to the first samples."""
    n = y.shape[-1]
    return y + (_padded(xp, zi, n) if zi.shape[-1] < n else zi[:, :n])


def _after(xp: Any, b: Any, a: Any, x: Any, y: Any, zi: Any) -> Any:
    """Return the final states from the last samples and results, and the rest of `zi`."""
    size, n = zi.shape[-1], x.shape[-1]
    if not size:
        return zi

    lag = xp.arange(size, device=device(x))
    lag = lag[None, :] + size - lag[:, None]  # state m of sample i from the end on
    inside = lag <= size
    lag = xp.reshape(xp.where(inside, lag, xp.zeros_like(lag)), (-1,))

    def left(rows: Any, c: Any) -> Any:
        """Sum the samples in the filter's memory, without a NaN that has left it."""
        last, c = rows[:, max(n - size, 0) :], _padded(xp, c, size + 1)
        none = xp.zeros((rows.shape[0], size), dtype=x.dtype, device=device(x))
        last = xp.concat((none[:, last.shape[-1] :], last), axis=-1)
        if rows.shape[0] * size**2 > _MANY:
            return _sums(xp.concat((last, none), axis=-1), c, "valid")
        products = last[:, :, None] * xp.reshape(xp.take(c, lag), inside.shape)
        return xp.sum(xp.where(inside, products, xp.zeros_like(products)), axis=1)

    z = left(x, b) if a.shape[0] == 1 else left(x, b) - left(y, a)
    return z + _padded(xp, zi[:, n:], size) if n < size else z


def _recursion(a: Any, x: Any, linear: bool = False) -> Any:
    """Divide rows by a denominator: in blocks if it has values and few poles, else by doubling or
    sample by sample."""
    row = _row(a, a)
    if row is not None:
        return _by_blocks((_long(None, len(row)), row), x, None, linear) if len(row) > 1 else x
    xp, poles, (channels, n) = array_namespace(a, x), a.shape[0] - 1, x.shape
    if doubles(n, channels, poles, hooks_of(x).call_cost):
        y = divided(a, x, linear)
        # A sample of zero times a factor that overflows isn't zero.
        if linear or not is_concrete(y) or bool(xp.all(xp.isfinite(y))):
            return y
    back, none = a[1:], xp.zeros_like(x[:, :1])
    z = xp.zeros((channels, poles), dtype=x.dtype, device=device(x))

    def step(z: Any, v: Any) -> tuple[Any, Any]:
        y = v + z[:, 0]
        return xp.concat((z[:, 1:], none), axis=-1) - y[:, None] * back, y

    return xp.matrix_transpose(scan(step, z, xp.matrix_transpose(x))[1])


def _row(b: Any, a: Any) -> tuple[float, ...] | None:
    """Return the denominator without trailing zeros, if it can be run in blocks."""
    known = values(a)
    if known is None or values(b) is None:
        return None
    row = tuple(known.tolist())
    row = row[: max(k for k, v in enumerate(row) if v) + 1]
    return row if len(row) - 1 <= POLES else None


def _long(b: Any, size: int) -> tuple[float, ...]:
    """Return a numerator, by default one, with zeros up to a length."""
    known = (1.0,) if b is None else tuple(b.tolist())
    return (*known, *(0.0,) * (size - len(known)))


def _by_blocks(row: Row, x: Any, zi: Any, linear: bool = False) -> Any:
    xp = array_namespace(x)
    size = len(row[1]) - 1
    if not size:
        return row[0][0] * x
    rest = zi is None
    z = xp.zeros((x.shape[0], size), dtype=x.dtype, device=device(x)) if rest else zi[:, :size]
    apart = _plan.is_complex(xp, x.dtype)
    if apart:
        x, z = split(x), split(z)
    most, n = longest(row), x.shape[-1]
    first = n if rest else min(most, n)
    y, state = run(x[:, :first], z, lambda m: cast(direct(row, m, not rest), x), most, linear)
    if first < n:
        more, _ = run(x[:, first:], state, lambda m: cast(direct(row, m), x), most, linear)
        y = xp.concat((y, more), axis=-1)
    return joined(y) if apart else y


@custom_jvp
def _followed(a: Any, x: Any) -> Any:
    """Divide rows, by values of coefficients if the library records derivatives."""
    return _recursion(stop_gradient(a), x)


@_followed.defjvp
def _along(primals: Any, tangents: Any) -> tuple[Any, Any]:
    """Return the tangent of ``A Y = X``: ``A dY = dX - dA Y``."""
    (a, x), (da, dx) = primals, tangents
    y = _followed(a, x)
    return y, _recursion(a, dx - _convolved(y, da), linear=True)


@public
def lfilter_zi(b: Any, a: Any) -> Any:
    """Return the steady states of a filter for a step of ones.

    Parameters
    ----------
    b, a : array, shape (m,) and (n,)
        As for `lfilter`.

    Returns
    -------
    array, shape (max(m, n) - 1,)
        The states, with the library, device and precision of the arguments. Multiply them by the
        first sample to start `lfilter` without a transient.

    Raises
    ------
    ShapeError
        If coefficients aren't sequences.
    ArgumentError
        If all of `a` is zero (checked only if values are available).
    ArrayTypeError, DtypeError, MixedDevicesError
        If arguments are not numbers of one library and device.

    Notes
    -----
    Computes sums of ``b - g a``, with the gain g at frequency zero. Differentiable. A filter with a
    pole at one has no such states, and gives infinity or NaN. Leading zeros of `a` are dropped if
    values are available.

    Examples
    --------
    >>> from likewise.signal import lfilter_zi
    >>> lfilter_zi([1.0], [1.0, -0.5])
    array([1.])
    """
    work = working("lfilter_zi", b=b, a=a)
    xp, (b, a) = work.xp, work.arrays
    b, a = coefficients("lfilter_zi", xp, b, a)
    if is_concrete(a):
        while a.shape[0] > 1 and bool(a[0] == 0):
            a = a[1:]
        if bool(a[0] == 0):
            raise ArgumentError("lfilter_zi: a must have a coefficient that isn't zero")
    b, a = b / a[0], a / a[0]
    size = max(b.shape[0], a.shape[0])
    b, a = _padded(xp, b, size), _padded(xp, a, size)
    rest = (b - a * (xp.sum(b) / xp.sum(a)))[1:]
    return work.give(xp.flip(xp.cumulative_sum(xp.flip(rest), axis=0)) if size > 1 else rest)


@public
def lfiltic(b: Any, a: Any, y: Any, x: Any = None) -> Any:
    """Return the states of a filter after given outputs and inputs.

    Parameters
    ----------
    b, a : array, shape (m,) and (n,)
        As for `lfilter`.
    y, x : array
        Outputs and inputs so far, the latest first: ``y[0]`` is one step back. Missing values are
        zero; without `x` all inputs are zero.

    Returns
    -------
    array, shape (max(m, n) - 1,)
        States for `zi` of `lfilter`, with the library, device and precision of the arguments.

    Raises
    ------
    ShapeError
        If an argument isn't a sequence.
    ArgumentError
        If ``a[0]`` is zero (checked only if its value is available).
    ArrayTypeError, DtypeError, MixedDevicesError
        If arguments are not numbers of one library and device.

    Notes
    -----
    ``z[m] = sum_j(b[m + 1 + j] x[j] - a[m + 1 + j] y[j]) / a[0]``. Differentiable.

    Examples
    --------
    >>> from likewise.signal import lfiltic
    >>> lfiltic([1.0], [1.0, -0.5], [2.0])
    array([1.])
    """
    given = {"b": b, "a": a, "y": y} | ({} if x is None else {"x": x})
    work = working("lfiltic", **given)
    xp, (b, a, *past) = work.xp, work.arrays
    b, a = coefficients("lfiltic", xp, b, a)
    past = [vector(xp, v) for v in past]
    for name, v in zip(("y", "x"), past, strict=False):
        if v.ndim != 1:
            raise ShapeError(f"lfiltic: {name} must be a sequence, got shape {tuple(v.shape)}")
    check_first("lfiltic", a)
    return work.give(_from_past(b, a, *past))


@native()
def _from_past(b: Any, a: Any, *past: Any) -> Any:
    xp = array_namespace(b, a, *past)
    size = max(b.shape[0], a.shape[0]) - 1
    b, a = b / a[0], a / a[0]
    # The last sample last, as rows.
    rows = [_padded(xp, v[: min(size, v.shape[0])], size) for v in past]
    y, *x = (xp.flip(v)[None, :] for v in rows)
    none = xp.zeros_like(y)
    return _after(xp, b, a, x[0] if x else none, y, none + 0 * b[:1])[0, :]


@public
def deconvolve(signal: Any, divisor: Any) -> tuple[Any, Any]:
    """Divide one sequence by another, as polynomials.

    Parameters
    ----------
    signal, divisor : array, shape (n,) and (m,)
        Real or complex sequences.

    Returns
    -------
    quotient : array, shape (n - m + 1,)
        The quotient; empty if the divisor is longer.
    remainder : array, shape (n,)
        ``signal - convolve(divisor, quotient)``. Both have the common floating dtype.

    Raises
    ------
    ShapeError
        If an argument isn't a sequence, or is empty.
    ArgumentError
        If ``divisor[0]`` is zero (checked only if its value is available).
    ArrayTypeError, DtypeError, MixedDevicesError
        If arguments are not numbers of one library and device.

    Notes
    -----
    The quotient is the response of `lfilter` to an impulse. Errors grow if the divisor is not
    stable as a filter's denominator. O(n m) operations. Differentiable.

    Differs from SciPy: integers become the library's default floating dtype; an empty quotient is
    an array.

    Examples
    --------
    >>> from likewise.signal import deconvolve
    >>> deconvolve([1.0, 5.0, 6.0, 1.0], [1.0, 2.0])
    (array([1., 3., 0.]), array([0., 0., 0., 1.]))
    """
    xp = array_namespace(signal, divisor)
    names = ("signal", "divisor")
    signal, divisor = _plan.common_floating("deconvolve", xp, names, signal, divisor)
    signal, divisor = vector(xp, signal), vector(xp, divisor)
    for name, v in zip(names, (signal, divisor), strict=True):
        if v.ndim != 1 or v.shape[0] == 0:
            raise ShapeError(
                f"deconvolve: {name} must be a sequence that isn't empty, got the shape "
                f"{tuple(v.shape)}"
            )
    signal, divisor = of_one_kind(signal, divisor)
    n = signal.shape[0] - divisor.shape[0] + 1
    if n <= 0:
        return signal[:0], signal
    if is_concrete(divisor) and bool(divisor[0] == 0):
        raise ArgumentError("deconvolve: divisor[0] must not be zero. Leave out leading zeros.")
    impulse = xp.zeros((n - 1,), dtype=signal.dtype, device=device(signal))
    impulse = xp.concat((xp.ones_like(signal[:1]), impulse))
    quotient = lfilter(signal, divisor, impulse)
    return quotient, signal - convolve(divisor, quotient, method="direct")
