"""Deconvolution by singular values; convolution of functions that are linear between samples."""

import itertools
import math
from typing import Any, Literal

from ... import _plan
from ..._namespace import array_namespace, device, hooks_of, is_concrete
from ..._native import Lines, batches, native, public
from ..._typing import A, Numbers
from ...errors import ArgumentError, ShapeError
from ...linalg import toeplitz
from ...missing import at
from ...missing._axes import index_dtype
from ...transforms import scan
from .._base._pieces import joined
from .._base._places import number
from .._correlating._multitau import scale

__all__ = ["convolve_exponential", "convolve_linear", "deconvolve_svd"]

_METHODS = ("standard", "circulant", "oscillation", "tikhonov")
# So many numbers of a block stay in the cache of a processor.
_CACHED = 2**16
# Of fewer weights, looking for equal widths takes longer than computing all (NumPy and torch).
_REPEATED = 16_000


@public
def deconvolve_svd(
    y: A,
    kernel: A | Numbers,
    dx: float = 1.0,
    *,
    method: Literal["standard", "circulant", "oscillation", "tikhonov"] | str = "standard",
    threshold: float = 0.2,
    oscillation: float = 0.035,
    thresholds: Any = None,
) -> A:
    """Deconvolve signals with a kernel by regularised singular values.

    Parameters
    ----------
    y : array, shape (..., n)
        Real signals, equally spaced.
    kernel : array, shape (n,) or (..., n)
        The kernel: one for all signals (the fast case), or with leading dimensions that broadcast
        with those of `y`.
    dx : float, optional
        The spacing of samples.
    method : {'standard', 'circulant', 'oscillation', 'tikhonov'}, optional
        'standard' drops singular values of the lower triangular Toeplitz matrix up to the
        threshold; 'circulant' does so with the circulant matrix of the kernel, padded with zeros to
        2 n, which also fits signals that begin before the kernel; 'oscillation' is the same, with
        the smallest of `thresholds` for each signal with which the result doesn't oscillate;
        'tikhonov' weights the Toeplitz matrix's singular values s by ``s^2 / (s^2 + p^2)``.
    threshold : float, optional
        The cutoff, or the penalty p, relative to the largest singular value.
    oscillation : float, optional
        For 'oscillation': refuse results with an oscillation index of at least this.
    thresholds : sequence of float, optional
        Ascending thresholds for 'oscillation'; the last is used if all fail. Default: 20 numbers
        from 0.01 to 0.5.

    Returns
    -------
    array, shape (..., n), or (..., 2 n) with a circulant matrix
        The deconvolved signal. With a circulant matrix, the second half belongs to negative times,
        and the last element to ``-dx``.

    Raises
    ------
    ShapeError
        If the last axis is empty, or shapes don't fit.
    DtypeError
        If the numbers aren't real.
    ArgumentError
        If `dx` isn't positive, `thresholds` don't ascend, a number is negative, or there is no such
        method.
    ExtensionMissing
        If the namespace has no ``linalg``, for 'standard' and 'tikhonov'.

    Notes
    -----
    L. Østergaard et al., Magn. Reson. Med. 36, 715 (1996); O. Wu et al., ibid. 50, 164 (2003),
    with the oscillation index over all 2 n points; F. Calamante et al., ibid. 50, 1237
    (2003), for Tikhonov's weights. The model is ``y[i] = dx sum(kernel[j] r[i - j])``.

    One matrix for each kernel and threshold is applied to all signals: O(n^3) once and O(n^2) per
    signal. Circulant matrices are diagonal in the Fourier basis and need no decomposition.
    Differentiable if all singular values differ (for a fixed choice of the threshold).

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import deconvolve_svd
    >>> kernel, r = np.asarray([4.0, 2.0, 1.0, 0.5]), np.asarray([1.0, 0.6, 0.3, 0.1])
    >>> deconvolve_svd(np.convolve(kernel, r)[:4], kernel, threshold=0.01).round(6)
    array([1. , 0.6, 0.3, 0.1])
    """
    function = "deconvolve_svd"
    _plan.choice(function, "method", method, _METHODS)
    xp = array_namespace(y, kernel)
    signals, by = _plan.common_floating(function, xp, ("y", "kernel"), y, kernel, real=True)
    if signals.ndim == 0 or by.ndim == 0 or signals.shape[-1] != by.shape[-1] or not by.shape[-1]:
        raise ShapeError(
            f"{function}: y and kernel must have equally many samples along the last axis, got "
            f"shapes {tuple(signals.shape)} and {tuple(by.shape)}"
        )
    _plan.broadcast(function, y=signals.shape[:-1], kernel=by.shape[:-1])
    step = number(function, "dx", dx)
    if not step > 0:
        raise ArgumentError(f"{function}: dx must be positive, got {dx!r}")
    tried = _thresholds(function, thresholds) if method == "oscillation" else ()
    limit = _not_negative(function, "oscillation", oscillation)
    cutoff = _not_negative(function, "threshold", threshold)
    if method in ("standard", "tikhonov"):
        _plan.extension(function, xp, "linalg")
        return _by_matrix(signals, by, step, method, cutoff)
    return _by_circulants(signals, by, step, tried or (cutoff,), limit)


@public
def convolve_exponential(t: A, x: A | Numbers, rate: A | Numbers) -> A:
    """Convolve a function that is linear between samples with a decaying exponential, exactly.

    Parameters
    ----------
    t : array, shape (n,)
        The times of the samples, ascending, with any spacing.
    x : array, shape (..., n)
        The function's values.
    rate : array, shape (...)
        The decay rates, which broadcast with the leading dimensions of `x`. A rate of zero
        integrates; negative rates grow.

    Returns
    -------
    array, shape (..., n)
        The integral of ``x(s) exp(-rate (t - s))`` from ``t[0]`` to each t.

    Raises
    ------
    ShapeError
        If `t` doesn't have one dimension, or shapes don't fit.
    DtypeError
        If the numbers aren't real.
    ArgumentError
        If times descend (checked only if values are available).

    Notes
    -----
    The recursion of D. Flouri, D. Lesnic, S. P. Sourbron, Magn. Reson. Med. 76, 998 (2016), with a
    series where the rate times the spacing is small. O(n) operations, in some ``3 sqrt(n)`` steps
    for few signals: blocks of the grid run side by side. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import convolve_exponential
    >>> t = np.asarray([0.0, 1.0, 3.0])
    >>> convolve_exponential(t, np.ones(3), 0.5).round(6)
    array([0.      , 0.786939, 1.55374 ])
    """
    function = "convolve_exponential"
    times, values, rates = _plan_times(function, ("t", "x", "rate"), t, x, rate)
    _plan.broadcast(function, x=values.shape[:-1], rate=rates.shape)
    return _convolve_exponential(times, values, rates)


@public
def convolve_linear(t: A, x: A | Numbers, response: A | Numbers) -> A:
    """Convolve two functions that are linear between samples, exactly, on any grid.

    Parameters
    ----------
    t : array, shape (n,)
        The times of the samples of both, ascending, with any spacing.
    x : array, shape (n,) or (..., n)
        The input's values; one input for all responses is the fast case.
    response : array, shape (..., n)
        The response at the times ``t - t[0]`` after an impulse. Leading dimensions broadcast.

    Returns
    -------
    array, shape (..., n)
        The integral of ``x(s) response(t - s)`` from ``t[0]`` to each t.

    Raises
    ------
    ShapeError
        If `t` doesn't have one dimension, or shapes don't fit.
    DtypeError
        If the numbers aren't real.
    ArgumentError
        If times descend (checked only if values are available).

    Notes
    -----
    Between the sample times of both functions, products are parabolas, which Simpson's rule
    integrates exactly. Each input becomes a matrix in O(n^2 log n) operations, which multiplies the
    responses in O(n^2) each. Differentiable in the values.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.signal import convolve_linear
    >>> t = np.asarray([0.0, 1.0, 3.0])
    >>> convolve_linear(t, t, np.ones(3))
    array([0. , 0.5, 4.5])
    """
    function = "convolve_linear"
    times, values, h = _plan_times(function, ("t", "x", "response"), t, x, response)
    if h.ndim == 0 or h.shape[-1] != times.shape[0]:
        raise ShapeError(
            f"{function}: response must have shape (..., {times.shape[0]}), as t has it, got "
            f"{tuple(h.shape)}"
        )
    _plan.broadcast(function, x=values.shape[:-1], response=h.shape[:-1])
    return _convolve_linear(times, values, h)


# -- checks ----------------------------------------------------------------------------------------


def _not_negative(function: str, name: str, value: Any) -> float:
    found = number(function, name, value)
    if not found >= 0:
        raise ArgumentError(f"{function}: {name} must not be negative, got {value!r}")
    return found


def _thresholds(function: str, values: Any) -> tuple[float, ...]:
    if values is None:
        return tuple(0.01 + 0.49 * k / 19 for k in range(20))
    found = tuple(_not_negative(function, "thresholds", v) for v in values)
    if not found or any(b <= a for a, b in itertools.pairwise(found)):
        raise ArgumentError(f"{function}: thresholds must be numbers that rise, got {values!r}")
    return found


def _plan_times(function: str, names: Any, t: Any, x: Any, other: Any) -> tuple[Any, Any, Any]:
    xp = array_namespace(t, x, other)
    t, x, other = _plan.common_floating(function, xp, names, t, x, other, real=True)
    if t.ndim != 1 or x.ndim == 0 or x.shape[-1] != t.shape[0]:
        raise ShapeError(
            f"{function}: t must have shape (n,) and x (..., n), got {tuple(t.shape)} and "
            f"{tuple(x.shape)}"
        )
    if t.shape[0] > 1 and is_concrete(t) and bool(xp.any(t[1:] < t[:-1])):
        raise ArgumentError(f"{function}: t must rise, but a time is followed by an earlier one")
    return t, x, other


# -- deconvolution ---------------------------------------------------------------------------------


def _in_blocks(y: Any, kernel: Any, *options: Any) -> Lines:
    return batches({0: (y, 1), 1: (kernel, 1)}, (y.shape[-1:], y.dtype))


@native(blocks=_in_blocks)
def _by_matrix(y: Any, kernel: Any, dx: float, method: str, threshold: float) -> Any:
    xp = array_namespace(y)
    kernel, unit = _near_one(xp, kernel)
    u, s, vh = xp.linalg.svd(toeplitz(kernel, xp.zeros_like(kernel)), full_matrices=False)
    most = xp.max(s, axis=-1, keepdims=True)
    if method == "standard":
        weights = _inverse(xp, s, s > threshold * most)
    else:
        weights = s * _inverse(xp, s * s + (threshold * most) ** 2, most > 0)
    matrix = (
        xp.matmul(
            xp.matrix_transpose(vh), xp.expand_dims(weights, axis=-1) * xp.matrix_transpose(u)
        )
        * unit
        / dx
    )
    return _applied(matrix, y)


def _near_one(xp: Any, kernel: Any) -> tuple[Any, Any]:
    """Return kernels times powers of two, against overflow, and the powers (..., 1, 1).

    A result with such a kernel must be multiplied by its power, too.
    """
    unit = scale(kernel, axis=-1)
    if unit is None:  # no kernels
        unit = xp.ones((*kernel.shape[:-1], 1), dtype=kernel.dtype, device=device(kernel))
    return kernel * unit, xp.expand_dims(unit, axis=-1)


def _inverse(xp: Any, x: Any, kept: Any) -> Any:
    """Return 1 / x where it is kept, else 0."""
    return xp.where(kept, 1 / xp.where(kept, x, xp.ones_like(x)), xp.zeros_like(x))


def _applied(matrix: Any, y: Any) -> Any:
    """Multiply vectors along the last axis by a matrix, or each by its own."""
    xp = array_namespace(matrix, y)
    if matrix.ndim > 2:
        return xp.matmul(matrix, xp.expand_dims(y, axis=-1))[..., 0]
    flat = xp.matmul(xp.reshape(y, (-1, y.shape[-1])), xp.matrix_transpose(matrix))
    return xp.reshape(flat, (*y.shape[:-1], matrix.shape[0]))


def _twice_in_blocks(y: Any, kernel: Any, *options: Any) -> Lines:
    return batches({0: (y, 1), 1: (kernel, 1)}, ((2 * y.shape[-1],), y.dtype))


@native(blocks=_twice_in_blocks)
def _by_circulants(y: Any, kernel: Any, dx: float, thresholds: Any, limit: float) -> Any:
    xp, n = array_namespace(y), y.shape[-1]
    kernel, unit = _near_one(xp, kernel)
    matrices = _inverse_circulants(xp, kernel, thresholds) * unit / dx
    if len(thresholds) == 1:
        return _applied(matrices[0, ...], y)
    if kernel.ndim > 1:
        return _quietest(matrices, xp.expand_dims(y, axis=-1), limit)[..., 0]
    flat = xp.reshape(y, (-1, n))
    found = joined(
        lambda part: _quietest(matrices, xp.matrix_transpose(part), limit),
        flat,
        0,
        max(_CACHED // n, 1),
    )
    return xp.reshape(xp.matrix_transpose(found), (*y.shape[:-1], 2 * n))


def _inverse_circulants(xp: Any, kernel: Any, thresholds: Any) -> Any:
    """Return, for each threshold, the first n columns of the pseudoinverse of the circulant.

    Uses sums of cosines and sines, which are exact to the last digits at all frequencies.
    """
    n, where, dtype = kernel.shape[-1], device(kernel), kernel.dtype
    size = 2 * n
    k = xp.arange(size, dtype=index_dtype(xp, kernel), device=where)
    angle = xp.astype((k[:, None] * k) % size, dtype) * (2 * math.pi / size)
    cos, sin = xp.cos(angle), xp.sin(angle)
    a, b = xp.matmul(kernel, cos[:n, :]), xp.matmul(kernel, sin[:n, :])
    power = a * a + b * b
    most = xp.max(power, axis=-1, keepdims=True)
    columns = []
    for threshold in thresholds:
        weights = _inverse(xp, power, power > threshold**2 * most) / size
        columns.append(xp.matmul(weights * a, cos) - xp.matmul(weights * b, sin))
    places = xp.reshape((k[:, None] - k[:n]) % size, (-1,))
    found = xp.take(xp.stack(columns), places, axis=-1)
    return xp.reshape(found, (*found.shape[:-1], size, n))


def _quietest(matrices: Any, y: Any, limit: float) -> Any:
    """Return for each column of `y` the first product that doesn't oscillate, or the last."""
    xp = array_namespace(matrices, y)

    def tried(found: Any, matrix: Any) -> Any:
        before, done = found
        r = xp.matmul(matrix, y)
        bends = xp.abs(r[..., 2:, :] - 2 * r[..., 1:-1, :] + r[..., :-2, :])
        index = xp.sum(bends, axis=-2, keepdims=True) / r.shape[-2]
        quiet = index < limit * xp.max(r, axis=-2, keepdims=True)
        return (xp.where(done, before, r), done | quiet), None

    r = xp.matmul(matrices[0, ...], y)
    first = xp.zeros_like(r), xp.zeros_like(r[..., :1, :], dtype=xp.bool)
    return scan(tried, first, matrices)[0][0]


# -- convolution -----------------------------------------------------------------------------------


@native()
def _convolve_exponential(t: Any, x: Any, rate: Any) -> Any:
    xp = array_namespace(t, x, rate)
    grid = _equal_widths(t, math.prod(rate.shape))
    t, x, rate = (xp.asarray(v) for v in (t, x, rate))  # all of what follows one of them
    if t.shape[0] == 0:
        return xp.zeros_like(x + xp.expand_dims(rate, axis=-1))
    lead = max(rate.ndim, x.ndim - 1)
    rate = xp.reshape(rate, (*(1,) * (lead - rate.ndim), *rate.shape))
    x = xp.moveaxis(xp.reshape(x, (*(1,) * (lead + 1 - x.ndim), *x.shape)), -1, 0)
    width = t[1:] - t[:-1] if grid is None else xp.asarray(grid[0])
    width = xp.reshape(width, (-1, *(1,) * lead))
    decay, early, late = _weights(xp, rate * width)

    def of_pieces(part: Any) -> Any:
        return part if grid is None else xp.take(part, xp.asarray(grid[1]), axis=0)

    more = of_pieces(width * early) * x[:-1, ...] + of_pieces(width * late) * x[1:, ...]
    first = xp.zeros((1, *more.shape[1:]), dtype=more.dtype, device=device(more))
    found = [first, *_recurred(xp, t, rate, of_pieces(decay), more)]
    return xp.moveaxis(xp.concat(found, axis=0), 0, -1)


def _equal_widths(t: Any, count: int) -> tuple[Any, Any] | None:
    """Return the widths that differ and the number of each piece's, where weights of these are less
    work: equal steps give a few widths, by rounding."""
    xp, n = array_namespace(t), t.shape[0] - 1
    if n * count < _REPEATED or not _at_hand(t):
        return None
    if not xp.__array_namespace_info__().capabilities()["data-dependent shapes"]:
        return None
    width = t[1:] - t[:-1]
    some = xp.unique_values(width)
    if 4 * some.shape[0] > n or not bool(xp.all(xp.isfinite(width))):
        return None
    return some, xp.searchsorted(some, width)


def _recurred(xp: Any, t: Any, rate: Any, decay: Any, more: Any) -> list[Any]:
    """Return the parts of y, where ``y[i] = decay[i] y[i - 1] + more[i]``, from 0 on.

    Blocks of pieces run side by side, twice: first from 0, for what they add, then from their
    beginnings, which a loop over blocks gives. So n pieces take some ``3 sqrt(n)`` steps.
    """
    n, shape = more.shape[0], more.shape[1:]
    size = _block(n, math.prod(shape), hooks_of(more).call_cost) if n else 0
    whole = n - n % size if size else 0
    none = xp.zeros(shape, dtype=more.dtype, device=device(more))
    if whole <= size:
        return [_all_of(xp, _step, none, (decay, more), 0)] if n else []
    blocks = [
        xp.moveaxis(xp.reshape(v[:whole, ...], (-1, size, *v.shape[1:])), 1, 0)
        for v in (decay, more)
    ]
    added = _last_of(xp, xp.zeros_like(blocks[1][0, ...]), blocks)
    over = xp.reshape(t[size : whole + 1 : size] - t[:whole:size], (-1, *(1,) * len(shape)))
    # Over a block the decay may leave the range, and what it multiplies may not: in three parts.
    most = 2.9 * math.log(xp.finfo(more.dtype).max)
    third = xp.exp(xp.clip(rate * over, -most, most) / -3)
    ends = _all_of(xp, _over_block, none, (third, added), 0)
    begins = xp.concat((xp.expand_dims(none, axis=0), ends[:-1, ...]), axis=0)
    found = [xp.reshape(_all_of(xp, _step, begins, blocks, 1), (whole, *shape))]
    if whole < n:
        found.append(_all_of(xp, _step, ends[-1, ...], (decay[whole:, ...], more[whole:, ...]), 0))
    return found


def _block(n: int, each: int, cost: int) -> int:
    """Return how many of n pieces a block has; all where blocks are more work than they save.

    Of the calls, two loops over a block, one over blocks with twice as many in a step, one over
    what is left, and some 30 around them; and some four more passes over all numbers.
    """
    root = int(n**0.5)

    def calls(size: int) -> int:
        return 4 * size + 4 * (n // size) + 2 * (n % size) + 30

    size = min(range(root // 2 + 1, root * 2), key=calls, default=n)
    return size if (2 * n - calls(size)) * cost > 4 * n * each else n


def _step(total: Any, part: Any) -> tuple[Any, Any]:
    total = part[0] * total + part[1]
    return total, total


def _step_alone(total: Any, part: Any) -> tuple[Any, None]:
    return part[0] * total + part[1], None


def _over_block(total: Any, part: Any) -> tuple[Any, Any]:
    third, more = part
    total = third * (third * (third * total)) + more
    return total, total


def _all_of(xp: Any, step: Any, first: Any, parts: Any, axis: int) -> Any:
    """Return all totals of a loop over the first axis of two arrays, along an axis."""
    if not _at_hand(*parts):
        return xp.moveaxis(scan(step, first, tuple(parts))[1], 0, axis)
    found = []
    for part in zip(*map(xp.unstack, parts), strict=True):
        first, total = step(first, part)
        found.append(total)
    return xp.stack(found, axis=axis)


def _last_of(xp: Any, first: Any, parts: Any) -> Any:
    if not _at_hand(*parts):
        return scan(_step_alone, first, tuple(parts))[0]
    for part in zip(*map(xp.unstack, parts), strict=True):
        first, _ = _step_alone(first, part)
    return first


def _at_hand(*arrays: Any) -> bool:
    """Tell if values may be read, and a loop in Python is the fastest."""
    return not hooks_of(arrays[0]).compiles and all(map(is_concrete, arrays))


def _weights(xp: Any, z: Any) -> Any:
    """Return exp(-z) and the weights of the first and the last value of a piece.

    The last: (exp(-z) - 1 + z) / z^2. The first: (1 - (1 + z) exp(-z)) / z^2.
    """
    n, rows = z.shape[0], max(_CACHED // 4 // max(math.prod(z.shape[1:]), 1), 1)
    if n <= rows or not _at_hand(z):
        return _weights_of(xp, z)
    found = (_weights_of(xp, z[i : min(i + rows, n), ...]) for i in range(0, n, rows))
    return [xp.concat(part, axis=0) for part in zip(*found, strict=True)]


def _weights_of(xp: Any, z: Any) -> tuple[Any, Any, Any]:
    small, decay = xp.abs(z) < 0.5, xp.exp(-z)
    if _at_hand(z):
        count = int(xp.count_nonzero(small))  # likewise: ignore[LW203]: values are at hand
        if count == math.prod(z.shape):
            return decay, *_by_series(z)
        if count == 0:
            return decay, *_as_they_stand(z, decay)
    s, w = xp.where(small, z, xp.zeros_like(z)), xp.where(small, xp.ones_like(z), z)
    near, far = _by_series(s), _as_they_stand(w, decay)
    return decay, *(xp.where(small, *both) for both in zip(near, far, strict=True))


def _by_series(z: Any) -> tuple[Any, Any]:
    late: Any = 1 / math.factorial(16)
    for k in range(15, 1, -1):
        late = 1 / math.factorial(k) - z * late
    return 1 - (1 + z) * late, late


def _as_they_stand(z: Any, decay: Any) -> tuple[Any, Any]:
    square = z * z
    return (1 - (1 + z) * decay) / square, (decay - 1 + z) / square


@native()
def _convolve_linear(t: Any, x: Any, response: Any) -> Any:
    xp = array_namespace(t, x, response)
    t, x = (xp.asarray(v) for v in (t, x))  # both of what follows one of them
    if response.ndim == 1 and x.ndim > 1:  # they commute
        x, response = response, x
    return _applied(_matrix(t - t[:1], x), response)


def _matrix(t: Any, x: Any) -> Any:
    """Return the matrix (..., n, n) that multiplies responses; times begin with 0."""
    xp, n = array_namespace(t, x), t.shape[0]
    dtype, where = index_dtype(xp, t), device(t)
    if n < 2:
        return xp.zeros((*x.shape[:-1], n, n), dtype=x.dtype, device=where)
    ends = t[:, None]
    times = xp.broadcast_to(t[None, :], (n, n))
    later = xp.maximum(ends - times, xp.zeros_like(times))
    edges = xp.concat((xp.minimum(times, ends), later), axis=-1)
    edges = xp.sort(edges, axis=-1)
    a, b = edges[:, :-1], edges[:, 1:]
    middle = (a + b) / 2

    def cell(s: Any) -> tuple[Any, Any, Any]:
        """Return the number of the piece that contains a time, its begin and its width."""
        k = xp.searchsorted(t, xp.reshape(s, (-1,)), side="right") - 1
        k = xp.clip(xp.astype(k, dtype), 0, n - 2)
        low, high = (xp.reshape(xp.take(t, k + i, axis=0), s.shape) for i in (0, 1))
        return k, low, xp.where(high > low, high - low, xp.ones_like(high))

    k, low, width = cell(middle)
    left, right = (
        xp.reshape(xp.take(x, k + i, axis=-1), (*x.shape[:-1], *a.shape)) for i in (0, 1)
    )
    slope = (right - left) / width
    xa, xb = left + slope * (a - low), left + slope * (b - low)
    size = (b - a) / 6
    at_a, at_b = size * (2 * xa + xb), size * (xa + 2 * xb)
    k, low, width = cell(ends - middle)
    pa, pb = (ends - a - low) / width, (ends - b - low) / width
    rows = xp.reshape(
        xp.broadcast_to(n * xp.arange(n, dtype=dtype, device=where)[:, None], a.shape), (-1,)
    )
    lead = x.shape[:-1]
    out = xp.zeros((n * n, *lead), dtype=x.dtype, device=where)
    for i, counted in enumerate((at_a * (1 - pa) + at_b * (1 - pb), at_a * pa + at_b * pb)):
        out = at(out)[rows + k + i].add(xp.moveaxis(xp.reshape(counted, (*lead, -1)), -1, 0))
    return xp.reshape(xp.moveaxis(out, 0, -1), (*lead, n, n))
