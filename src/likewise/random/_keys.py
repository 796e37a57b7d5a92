"""Keys, and random bits from keys."""

from typing import Any

from .. import _creation
from .._namespace import array_namespace, is_neutral
from .._native import public
from ..errors import ArgumentError, DtypeError
from ._arguments import _own, check, plan_key, shape_tuple
from ._threefry import draw, dtypes, fold, from_words, join, key_dtype, to_words

__all__ = ["bits", "fold_in", "key", "split", "split_in_two"]


@public
def key(seed: Any, *, namespace: Any = None, device: Any = None, like: Any = None) -> Any:
    """Return the key of a seed.

    Parameters
    ----------
    seed : int, or array of an integer dtype of shape ()
        In [0, 2^64).
    namespace : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}, optional
        The library of the key, and so of the numbers drawn with it. Default: that of `like` or of
        an array `seed`, else the default namespace (`likewise.use`).
    device : str or device, optional
        'cpu', 'gpu', 'gpu:1', or the library's own object.
    like : array, optional
        An array; the key has its library and device.

    Returns
    -------
    array, shape (2,)
        Two words of 32 bits, the upper one first: uint32, or int64 with the same values where the
        library doesn't compute with uint32 (torch).

    Raises
    ------
    ArgumentError
        If the seed isn't an integer in that range. The lowest 64 bits of a lazy array are used
        unchecked.
    LibraryNotInstalled, DeviceNotFound
        If the library or device isn't available.

    Notes
    -----
    Equal to ``jax.random.key_data(jax.random.key(seed))`` for seeds in [0, 2^31).

    Examples
    --------
    >>> from likewise.random import key
    >>> key(7)
    array([0, 7], dtype=uint32)
    """
    if not is_neutral(seed) and hasattr(seed, "dtype"):
        return _key_of_array(seed, namespace, device, like)
    if not hasattr(seed, "__index__") or isinstance(seed, bool):
        raise ArgumentError(f"key: seed must be an integer, got {seed!r}")
    number = seed.__index__()
    if not 0 <= number < 1 << 64:
        raise ArgumentError(f"key: seed must be in [0, 2^64), got {number}")
    xp, where = _creation.target("key", namespace, device, like)
    found = [number >> 32, number & 0xFFFFFFFF]
    return xp.asarray(found, dtype=key_dtype(xp, where), device=where)


def _key_of_array(seed: Any, namespace: Any, where: Any, like: Any) -> Any:
    xp = array_namespace(seed)
    if not xp.isdtype(seed.dtype, "integral") or seed.ndim:
        raise DtypeError(f"key: seed must be an integer, got {seed.dtype}, {seed.shape}")
    check("key", "seed", seed, lambda s: s >= 0, "in [0, 2^64)")
    seed = xp.reshape(seed, (1,))
    high, low = xp.zeros_like(seed), seed
    if xp.iinfo(seed.dtype).bits == 64:
        high, low = (seed >> 32) & 0xFFFFFFFF, seed & 0xFFFFFFFF
    parts = [from_words(xp, to_words(xp, part)) for part in (high, low)]
    made = xp.concat(parts)
    if namespace is None and where is None and like is None:
        return made
    return plan_key("key", made, namespace, where, like)[1]


@public
def split(key: Any, num: int | tuple[int, ...] = 2) -> Any:
    """Return new keys from a key, independent of it and of each other.

    Parameters
    ----------
    key : array, shape (2,)
        A key; don't use it again.
    num : int or tuple of int, optional
        The number of new keys, or their shape.

    Returns
    -------
    array, shape (num, 2), or num + (2,)
        Keys, of the library and device of `key`; equal to those of ``jax.random.split``.

    Raises
    ------
    ShapeError, DtypeError, ArgumentError
        If `key` isn't a key, or `num` is negative.

    Examples
    --------
    >>> from likewise.random import key, split
    >>> split(key(0))
    array([[1797259609, 2579123966],
           [ 928981903, 3453687069]], dtype=uint32)
    """
    _, key, _ = plan_key("split", key, None, None, None)
    shape = shape_tuple("split", num, "num")
    return draw(key, shape, _both)


def split_in_two(key: Any) -> tuple[Any, Any]:
    """Return two new keys; arrays of array-api-strict can't be unpacked."""
    keys = split(key)
    return keys[0, ...], keys[1, ...]


def _both(xp: Any, x0: Any, x1: Any) -> Any:
    return from_words(xp, xp.stack((x0, x1), axis=-1))


@public
def fold_in(key: Any, data: Any) -> Any:
    """Return a new key from a key and an integer.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    data : int, or array of an integer dtype of shape ()
        In [0, 2^32): for example the number of a step or a device.

    Returns
    -------
    array, shape (2,)
        A key, of the library and device of `key`; equal to that of ``jax.random.fold_in``.

    Raises
    ------
    ShapeError, DtypeError, ArgumentError
        If `key` isn't a key, or `data` isn't an integer in that range. The lowest 32 bits of a lazy
        array are used unchecked.

    Notes
    -----
    ``fold_in(key, i)`` is ``split(key, n)[i]``, as in JAX: don't use both on one key.

    Examples
    --------
    >>> from likewise.random import fold_in, key
    >>> fold_in(key(0), 1)
    array([ 928981903, 3453687069], dtype=uint32)
    """
    xp, key, where = plan_key("fold_in", key, None, None, None)
    if is_neutral(data):
        if not hasattr(data, "__index__") or not 0 <= data.__index__() < 1 << 32:
            raise ArgumentError(f"fold_in: data must be an integer in [0, 2^32), got {data!r}")
        found = xp.asarray([data.__index__()], dtype=key_dtype(xp, where), device=where)
    else:
        array_namespace(key, data)
        if not xp.isdtype(data.dtype, "integral") or data.ndim:
            raise DtypeError(f"fold_in: data must be an integer, got {data.dtype}")
        check("fold_in", "data", data, lambda d: d >= 0, "in [0, 2^32)")
        found = xp.reshape(data, (1,))
    return fold(xp, key, to_words(xp, found))


@public
def bits(
    key: Any,
    shape: Any = (),
    dtype: Any = "uint32",
    *,
    namespace: Any = None,
    device: Any = None,
    like: Any = None,
) -> Any:
    """Return random bits as unsigned integers.

    Parameters
    ----------
    key : array, shape (2,)
        A key.
    shape : int or tuple of int, optional
        The shape of the result.
    dtype : {'uint32', 'uint64', 'uint16', 'uint8'} or dtype, optional
        The number of bits.
    namespace, device, like : optional
        The library and device of the result, as for `likewise.random.key`. Default: those of `key`.

    Returns
    -------
    array
        Uniformly distributed. Where the library doesn't compute with unsigned integers of that
        width (torch), int64 with the same values, or, for 64 bits, with the same bits.

    Raises
    ------
    ShapeError, ArgumentError
        If a size is negative, `key` isn't a key, or there is no such dtype.
    DtypeError
        If `dtype` is 'uint64' and the library has no 64-bit integers at all.

    Notes
    -----
    Threefry-2x32 with 20 rounds (J. K. Salmon et al., SC11, 2011) of each element's index, in the
    layout of JAX with ``jax_threefry_partitionable``, its default. Equal to ``jax.random.bits`` of
    the same dtype (whose default is 64 bits with ``jax_enable_x64``). About 110 operations per
    element.

    Examples
    --------
    >>> from likewise.random import bits, key
    >>> bits(key(0), 3)
    array([4070199207, 4202968722, 1427181096], dtype=uint32)
    """
    xp, key, where = plan_key("bits", key, namespace, device, like)
    shape = shape_tuple("bits", shape)
    name = dtype if isinstance(dtype, str) else str(getattr(dtype, "__name__", dtype))
    name = name.rpartition(".")[2]
    if name not in ("uint8", "uint16", "uint32", "uint64"):
        raise ArgumentError(f"bits: dtype must be uint8, uint16, uint32 or uint64, got {dtype!r}")
    offered = dtypes(xp, where)
    stored = name if name in offered else "int64"
    return draw(key, shape, _integers, int(name[4:]), _own("bits", xp, stored, where))


def _integers(xp: Any, x0: Any, x1: Any, width: int, dtype: Any) -> Any:
    out = join(xp, x0, x1, width)
    return from_words(xp, out) if width == 32 else xp.astype(out, dtype, copy=False)
