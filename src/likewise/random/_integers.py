"""Integers, booleans and permutations, by integer arithmetic: the same on every library."""

import math
from fractions import Fraction
from typing import Any

from .. import _plan
from .._namespace import (
    array_namespace,
    describe,
    is_concrete,
    is_lazy,
    is_neutral,
    quiet,
)
from .._namespace import device as device_of
from .._native import public
from ..errors import ArgumentError, DtypeError, ShapeError
from ._arguments import (
    check,
    common_shape,
    floating,
    integral,
    parameter,
    plan_key,
    shape_tuple,
)
from ._continuous import fraction, standard_gumbel
from ._threefry import draw, fold, from_words, is_unsigned, join, shift_right, to_words

__all__ = ["bernoulli", "categorical", "choice", "integers", "permutation"]


def below(xp: Any, a: Any, b: Any, width: int = 32) -> Any:
    """Compare words as unsigned numbers: where a is less than b."""
    if is_unsigned(xp, a):
        return a < b
    flip = -(1 << (width - 1))
    return (a ^ flip) < (b ^ flip)


def _product(xp: Any, a: Any, b: Any, width: int) -> tuple[Any, Any]:
    """Upper and lower word of a product, by halves of words; b may be a Python integer."""
    half = width // 2
    mask = (1 << half) - 1
    a1, a0 = shift_right(xp, a, half, width), a & mask
    b1 = b >> half if isinstance(b, int) else shift_right(xp, b, half, width)
    b0 = b & mask
    low = a0 * b0
    middle = a1 * b0 + shift_right(xp, low, half, width)
    other = a0 * b1 + (middle & mask)
    high = a1 * b1 + shift_right(xp, middle, half, width) + shift_right(xp, other, half, width)
    return high, (other << half) | (low & mask)


def _scaled(xp: Any, x0: Any, x1: Any, span: Any, width: int = 32) -> Any:
    """The integer part of span times the fraction 0.x0 x1."""
    high, low = _product(xp, x0, span, width)
    more, _ = _product(xp, x1, span, width)
    total = low + more
    return high + xp.astype(below(xp, total, low, width), high.dtype)


def _in_span(xp: Any, x0: Any, x1: Any, span: int) -> Any:
    return from_words(xp, x0 if span == 1 << 32 else _scaled(xp, x0, x1, span))


def _word(xp: Any, x0: Any, x1: Any, which: int) -> Any:
    return from_words(xp, x1 if which else x0)


def _join(xp: Any, x0: Any, x1: Any) -> Any:
    return join(xp, x0, x1, 64)


def _signed(xp: Any, x: Any, dtype: Any) -> Any:
    """Values of `key_dtype`, modulo the dtype's range."""
    if xp.iinfo(dtype).bits == 64 or dtype == x.dtype:
        return xp.astype(x, dtype)
    if x.dtype == getattr(xp, "uint32", None):
        return xp.astype(xp.astype(x, xp.int32), dtype)
    return xp.astype((x ^ 0x80000000) - 0x80000000, dtype)


@public
def integers(
    key: Any,
    shape: Any,
    minval: Any,
    maxval: Any,
    dtype: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return uniformly distributed integers in [minval, maxval).

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    shape : int or tuple of int
        The shape of the result.
    minval, maxval : int or array
        The interval; they broadcast to `shape`.
    dtype : dtype or str, optional
        An integer dtype. Default: the library's.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array
        For the same bounds, the same on all libraries and for all dtypes that hold the bounds.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If a size is negative, minval isn't below maxval, a bound is outside of the dtype's range,
        or `key` isn't a key. Lazy bounds are not checked: in the wrong order they give meaningless
        values.

    Notes
    -----
    The integer part of the span times a fraction of 64 bits (of 128 for spans above 2^32), so
    probabilities differ by less than 2^-32, relatively, for any span. The numbers differ from those
    of ``jax.random.randint``, which takes remainders.

    Examples
    --------
    >>> from likewise.random import integers, key
    >>> integers(key(0), 5, 0, 10)
    array([4, 2, 9, 5, 5])
    """
    xp, key, where = plan_key("integers", key, namespace, device, like, minval, maxval)
    shape = shape_tuple("integers", shape)
    dtype = integral("integers", xp, dtype, where)
    info = xp.iinfo(dtype)
    for name, value, most in (
        ("minval", minval, int(info.max)),
        ("maxval", maxval, int(info.max) + 1),
    ):
        if is_neutral(value) and not hasattr(value, "__index__"):
            raise ArgumentError(f"integers: {name} must be an integer, got {value!r}")
        if is_neutral(value) and not int(info.min) <= value.__index__() <= most:
            raise ArgumentError(f"integers: {name} is outside of {dtype}: got {value!r}")
        if not is_neutral(value):
            _check_bound(xp, name, value, dtype)
    if is_neutral(minval) and is_neutral(maxval):
        low, span = minval.__index__(), maxval.__index__() - minval.__index__()
        if span <= 0:
            raise ArgumentError(
                f"integers: minval must be below maxval, got {minval!r} and {maxval!r}"
            )
        if span <= 1 << 32:
            found = _signed(xp, draw(key, shape, _in_span, span), dtype)
            # Above 2^63 JAX takes no Python number.
            least = low if low < 1 << 63 else xp.asarray(low, dtype=dtype, device=where)
            return xp.reshape(found + least, shape) if low else found
        if span == 1 << 64:
            return xp.astype(draw(key, shape, _join), dtype)
        wide = draw(key, (1,), _join).dtype
        return _wide(xp, key, shape, low, _in_word(xp, span, wide, where), dtype)
    most = int(info.max)
    if is_neutral(maxval) and maxval.__index__() > most:
        raise ArgumentError(f"integers: maxval is outside of {dtype}: got {maxval!r}")
    low = parameter("integers", "minval", xp, minval, dtype, where)
    high = parameter("integers", "maxval", xp, maxval, dtype, where)
    common_shape("integers", shape, minval=low, maxval=high)
    if is_lazy(low) == is_lazy(high):
        check("integers", "minval", low, lambda x: x < high, "below maxval")
    if info.bits == 64:
        wide = draw(key, (1,), _join).dtype
        span = xp.astype(high, wide) - xp.astype(low, wide)
        return _wide(xp, key, shape, low, span, dtype)
    x0, x1 = (to_words(xp, draw(key, shape, _word, i)) for i in (0, 1))
    span = xp.astype(high, x0.dtype) - xp.astype(low, x0.dtype)
    found = _signed(xp, from_words(xp, _scaled(xp, x0, x1, span)), dtype)
    return xp.reshape(found + low, shape)


def _check_bound(xp: Any, name: str, x: Any, dtype: Any) -> None:
    """Raise an error for bounds that aren't integers, or would wrap in the dtype."""
    space = array_namespace(x)
    if not space.isdtype(x.dtype, ("bool", "integral")):
        raise DtypeError(f"integers: {name} must hold integers, got a {describe(x)}")
    if x.dtype == dtype or space.isdtype(x.dtype, "bool"):
        return
    own, wanted = space.iinfo(x.dtype), xp.iinfo(dtype)
    for end, outside in (
        (int(wanted.min), lambda x: x >= int(wanted.min)),
        (int(wanted.max), lambda x: x <= int(wanted.max)),
    ):
        if int(own.min) <= end <= int(own.max):  # else none of its values is beyond
            check("integers", name, x, outside, f"in the range of {dtype}")


def _in_word(xp: Any, span: int, dtype: Any, where: Any) -> Any:
    """A span up to 2^64 - 1 as an array of 64 bits."""
    if not xp.isdtype(dtype, "unsigned integer") and span >= 1 << 63:
        span -= 1 << 64
    return xp.asarray([span], dtype=dtype, device=where)


def _wide(xp: Any, key: Any, shape: tuple[int, ...], low: Any, span: Any, dtype: Any) -> Any:
    """Draw with words of 64 bits; the second word matters where the span needs more than 32."""
    x0 = draw(key, shape, _join)
    one = to_words(xp, xp.asarray([1], dtype=key.dtype, device=device_of(key)))
    x1 = draw(fold(xp, key, one), shape, _join)
    narrow = _product(xp, x0, span, 64)[0]
    found = xp.where(shift_right(xp, span, 32, 64) > 0, _scaled(xp, x0, x1, span, 64), narrow)
    return xp.reshape(xp.reshape(xp.astype(found, dtype), shape) + low, shape)


@public
def bernoulli(
    key: Any,
    p: Any = 0.5,
    shape: Any = None,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return booleans that are True with given probabilities.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    p : float or array, optional
        Probabilities, in [0, 1].
    shape : int or tuple of int, optional
        The shape of the result. Default: that of `p`.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array of bool
        For the same `p`, the same on all libraries.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If a probability isn't in [0, 1], `p` doesn't broadcast to `shape`, or `key` isn't a key.
        Lazy probabilities are not checked: those above 1 count as 1, those below 0 or NaN as 0.

    Notes
    -----
    A fraction of 64 bits is compared with `p`, in integers, so that small probabilities are exact
    even in float32. The values differ from those of ``jax.random.bernoulli``, whose fractions have
    23 or 52 bits.

    Examples
    --------
    >>> from likewise.random import bernoulli, key
    >>> bernoulli(key(0), 0.5, 4)
    array([ True,  True, False, False])
    """
    xp, key, where = plan_key("bernoulli", key, namespace, device, like, p)
    good = (lambda x: (x >= 0) & (x <= 1)) if hasattr(p, "shape") else (lambda x: 0 <= x <= 1)
    check("bernoulli", "p", p, good, "in [0, 1]")
    if isinstance(p, int | float):
        wanted = shape_tuple("bernoulli", () if shape is None else shape)
        if p == 1:
            return xp.ones(wanted, dtype=xp.bool, device=where)
        return draw(key, wanted, _less, _bound(p))
    dtype = floating("bernoulli", xp, None, where, p)
    p = parameter("bernoulli", "p", xp, p, dtype, where)
    check("bernoulli", "p", p, lambda x: (x >= 0) & (x <= 1), "in [0, 1]")
    shape = common_shape("bernoulli", shape, p=p)
    x0, x1 = (to_words(xp, draw(key, shape, _word, i)) for i in (0, 1))
    part = xp.where((p > 0) & (p < 1), p, xp.zeros_like(p)) * 2.0**32
    whole = xp.floor(part)
    high = _float_to_word(xp, whole, x0.dtype)
    low = _float_to_word(xp, xp.floor((part - whole) * 2.0**32), x0.dtype)
    less = below(xp, x0, high) | ((x0 == high) & below(xp, x1, low))
    return xp.reshape(less | (p >= 1), shape)


@_plan.of_settings
def _bound(p: float) -> int:
    return math.floor(Fraction(p) * (1 << 64))


def _float_to_word(xp: Any, x: Any, dtype: Any) -> Any:
    """Whole numbers below 2^32."""
    high = xp.floor(x * 2.0**-16)
    low = x - high * 2.0**16
    return (xp.astype(high, dtype) << 16) | xp.astype(low, dtype)


def _less(xp: Any, x0: Any, x1: Any, bound: int) -> Any:
    parts = [bound >> 32, bound & 0xFFFFFFFF]
    if not is_unsigned(xp, x0):
        parts = [n - (1 << 32) if n >= 1 << 31 else n for n in parts]
    high, low = (xp.full_like(x0, n) for n in parts)
    return below(xp, x0, high) | ((x0 == high) & below(xp, x1, low))


def _order_key(xp: Any, x0: Any, x1: Any) -> Any:
    return from_words(xp, x0 ^ x1)


@public
def permutation(
    key: Any,
    x: Any,
    axis: int = 0,
    independent: bool = False,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return the elements of an array, or the integers below a number, in random order.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    x : int or array
        The number of integers, or the array to permute.
    axis : int, optional
        The axis along which `x` is permuted.
    independent : bool, optional
        Whether each vector along the axis is permuted independently.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array
        Of the shape and dtype of `x`.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If `x` is negative or has no such axis, or `key` isn't a key.

    Notes
    -----
    Stable sorts by random words, with enough sorts that ties don't matter: two for 1626 elements or
    more, three from 2.6 million on. O(n log n). The same on all libraries, and as
    ``jax.random.permutation``.

    Examples
    --------
    >>> from likewise.random import key, permutation
    >>> permutation(key(0), 5)
    array([0, 1, 4, 3, 2])
    """
    xp, key, where = plan_key("permutation", key, namespace, device, like, x)
    if is_neutral(x):
        if not hasattr(x, "__index__") or x.__index__() < 0:
            raise ArgumentError(
                f"permutation: x must be an array or an integer, at least 0, got {x!r}"
            )
        return _shuffled(xp, key, x.__index__(), where)
    if x.ndim == 0 or not -x.ndim <= axis < x.ndim:
        raise ShapeError(f"permutation: no axis {axis} in an array of shape {tuple(x.shape)}")
    axis %= x.ndim
    if not independent or x.ndim == 1:
        return xp.take(x, _shuffled(xp, key, x.shape[axis], where), axis=axis)
    for subkey in _subkeys(xp, key, math.prod(x.shape)):
        order = xp.argsort(draw(subkey, tuple(x.shape), _order_key), axis=axis)
        x = xp.take_along_axis(x, order, axis=axis)
    return x


def _subkeys(xp: Any, key: Any, size: int) -> list[Any]:
    found = []
    for _ in range(math.ceil(3 * math.log(max(1, size)) / math.log(0xFFFFFFFF))):
        both = xp.stack([draw(key, (2,), _word, i) for i in (0, 1)], axis=-1)
        key = both[0, :]
        found.append(both[1, :])
    return found


def _shuffled(xp: Any, key: Any, size: int, where: Any) -> Any:
    out = xp.arange(size, device=where)
    for subkey in _subkeys(xp, key, size):
        out = xp.take(out, xp.argsort(draw(subkey, (size,), _order_key)), axis=0)
    return out


@public
def categorical(
    key: Any,
    logits: Any,
    axis: int = -1,
    shape: Any = None,
    replace: bool = True,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Draw indices with probabilities proportional to the exponentials of `logits`.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    logits : array
        Logarithms of weights; -inf for categories that don't occur.
    axis : int, optional
        The axis of the categories; the others are batch dimensions.
    shape : int or tuple of int, optional
        The shape of the result. It ends with the batch dimensions, or dimensions that they
        broadcast to. Default: the batch dimensions.
    replace : bool, optional
        Whether a category may occur more than once among the leading dimensions of `shape`.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array of integers
        Indices along `axis`.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If `shape` doesn't fit, more distinct categories are drawn than there are, a logit is NaN or
        inf, too few are above -inf for the draws, or `key` isn't a key. Lazy arrays are not
        checked: categories of NaN or inf are drawn first, and where too few logits are above -inf,
        categories that shouldn't occur are drawn.

    Notes
    -----
    The largest of the logits plus independent `gumbel` numbers. In float32, categories whose weight
    is below 1e-7 of the others are drawn too rarely.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.random import categorical, key
    >>> categorical(key(0), np.log([0.1, 0.0001, 0.9]), shape=4).shape
    (4,)
    """
    xp, key, where = plan_key("categorical", key, namespace, device, like, logits)
    dtype = floating("categorical", xp, None, where, logits)
    logits = parameter("categorical", "logits", xp, logits, dtype, where)
    if logits.ndim == 0 or not -logits.ndim <= axis < logits.ndim or 0 in logits.shape:
        raise ShapeError(
            f"categorical: logits must have an axis {axis} of categories, got shape "
            f"{tuple(logits.shape)}"
        )
    check(
        "categorical", "logits", logits, lambda x: x < xp.inf, "numbers below inf, none of them NaN"
    )
    logits = xp.moveaxis(logits, axis, -1)
    if is_concrete(logits):
        there = int(xp.min(xp.count_nonzero(logits > -xp.inf, axis=-1)))
        check("categorical", "logits above -inf", there, lambda m: m >= 1, "at least 1")
    *batch, n = logits.shape
    wanted = tuple(batch) if shape is None else shape_tuple("categorical", shape)
    lead = wanted[: len(wanted) - len(batch)]
    rest = wanted[len(lead) :]
    if len(wanted) < len(batch) or any(b not in (1, w) for b, w in zip(batch, rest, strict=True)):
        raise ShapeError(
            f"categorical: shape must end with the batch dimensions {tuple(batch)}, got {shape!r}"
        )
    if replace:
        noise = draw(key, (*wanted, n), standard_gumbel, dtype)
        return xp.reshape(xp.argmax(noise + logits, axis=-1), wanted)
    count = math.prod(lead)
    if count > n:
        raise ArgumentError(
            f"categorical: {count} distinct categories were asked for, but there are {n}"
        )
    if is_concrete(logits):
        what = f"at least {count}, as many as distinct categories"
        check("categorical", "logits above -inf", there, lambda m: m >= count, what)
    order = xp.argsort(
        draw(key, (*rest, n), standard_gumbel, dtype) + logits, axis=-1, descending=True
    )
    return xp.reshape(xp.moveaxis(order[..., :count], -1, 0), wanted)


@public
def choice(
    key: Any,
    a: Any,
    shape: Any = (),
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Draw elements from an array, or from the integers below a number.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    a : int or array
        The array to draw from, or the number of integers.
    shape : int or tuple of int, optional
        The number of elements; `shape` takes the place of the axis.
    replace : bool, optional
        Whether an element may be drawn more than once.
    p : array, optional
        Probabilities along the axis, with sum 1. Default: all equal.
    axis : int, optional
        The axis along which elements are drawn.
    namespace, device, like : optional
        As for `uniform`.

    Returns
    -------
    array
        Of the dtype of `a`.

    Raises
    ------
    ShapeError, ArgumentError, DtypeError
        If there are no elements; if without replacement more are drawn than there are, or than have
        probabilities above 0; if probabilities are negative or don't sum to one; if `key` isn't a
        key. Lazy probabilities are not checked: they are divided by their sum, and elements of
        probability 0 are drawn last.

    Notes
    -----
    With replacement by `integers`, or by a search of `uniform` numbers in the cumulative sum of
    `p`; without replacement by `permutation`, or as the largest logarithms of `p` plus `gumbel`
    numbers.

    Examples
    --------
    >>> from likewise.random import choice, key
    >>> choice(key(0), 10, 3)
    array([4, 2, 9])
    """
    xp, key, where = plan_key("choice", key, namespace, device, like, a, p)
    shape = shape_tuple("choice", shape)
    count = math.prod(shape)
    if is_neutral(a):
        if not hasattr(a, "__index__") or a.__index__() < 0:
            raise ArgumentError(f"choice: a must be an array or a positive integer, not {a!r}")
        n = a.__index__()
    else:
        if a.ndim == 0 or not -a.ndim <= axis < a.ndim:
            raise ShapeError(f"choice: no axis {axis} in an array of shape {tuple(a.shape)}")
        axis %= a.ndim
        n = a.shape[axis]
    if n < 1 and count:
        raise ArgumentError("choice: there is nothing to draw from")
    if not replace and count > n:
        raise ArgumentError(
            f"choice: without replacement at most {n} elements can be drawn, got shape {shape}"
        )
    if p is None and replace:
        index = integers(key, (count,), 0, max(n, 1))
    elif p is None:
        index = _shuffled(xp, key, n, where)[:count]
    else:
        index = _weighted(xp, key, n, count, replace, p, where)
    if is_neutral(a):
        return xp.reshape(index, shape)
    found = xp.take(a, index, axis=axis)
    return xp.reshape(found, (*a.shape[:axis], *shape, *a.shape[axis + 1 :]))


def _weighted(xp: Any, key: Any, n: int, count: int, replace: bool, p: Any, where: Any) -> Any:
    dtype = floating("choice", xp, None, where, p)
    p = parameter("choice", "p", xp, p, dtype, where)
    if tuple(p.shape) != (n,):
        raise ShapeError(f"choice: p must have shape ({n},), got {tuple(p.shape)}")
    check("choice", "p", p, lambda x: x >= 0, "at least 0")
    near = float(xp.finfo(dtype).eps) ** 0.5
    check("choice", "the sum of p", xp.sum(p), lambda s: xp.abs(s - 1) <= near, "1")
    if not replace:
        if is_concrete(p):
            there, what = int(xp.count_nonzero(p)), f"at least {count}"
            check("choice", "entries of p above 0", there, lambda m: m >= count, what)
        with quiet(p):
            noise = draw(key, (n,), standard_gumbel, dtype) + xp.log(p)
        return xp.argsort(noise, descending=True)[:count]
    total = xp.cumulative_sum(p)
    r = total[-1] * (1 - draw(key, (count,), fraction, dtype))
    return xp.searchsorted(total, r)
