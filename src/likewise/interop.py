"""Explicit transfers between libraries, and between host and device, which can be recorded."""

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from . import _creation, _default
from ._namespace import (
    array_namespace,
    convertible,
    describe,
    is_neutral,
    library_of,
    load,
    namespace,
)
from ._plan import from_lists
from ._standard import DTYPES
from ._typing import A
from .errors import ArgumentError, ArrayTypeError, DtypeError, NotSupported

__all__ = [
    "Transfer",
    "asarray",
    "empty",
    "full",
    "ones",
    "same_library",
    "to_device",
    "to_numpy",
    "trace_transfers",
    "zeros",
]

logger = logging.getLogger("likewise.transfers")


@dataclass(frozen=True)
class Transfer:
    """One transfer between libraries, or between host and device."""

    source: str
    target: str
    nbytes: int
    seconds: float
    where: str

    def __str__(self) -> str:
        return (
            f"{self.source} -> {self.target}: {self.nbytes} bytes in "
            f"{self.seconds * 1e3:.3g} ms at {self.where}"
        )


LIVE = 0  # the number of traces that are open anywhere
_lock = threading.Lock()
_LOG: ContextVar[tuple[tuple[list[Transfer], float], ...]] = ContextVar(
    "likewise.transfers", default=()
)


@contextlib.contextmanager
def trace_transfers(threshold: float = 0.010) -> Iterator[list[Transfer]]:
    """Record every transfer between host and device, or between libraries, that likewise makes.

    Parameters
    ----------
    threshold : float, optional
        Transfers that take at least so many seconds are also logged, on ``likewise.transfers``.

    Yields
    ------
    list of Transfer
        Source, target, bytes, seconds and the caller's line of each transfer so far. Seconds are
        measured on the host, without waiting for an asynchronous device.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> with likewise.trace_transfers() as log:
    ...     x = likewise.asarray(np.ones(3), namespace="numpy")
    >>> log  # it was there already
    []
    """
    global LIVE
    log: list[Transfer] = []
    token = _LOG.set((*_LOG.get(), (log, threshold)))
    with _lock:
        LIVE += 1
    try:
        yield log
    finally:
        with _lock:
            LIVE -= 1
        _LOG.reset(token)


def _place(x: Any) -> str:
    library = library_of(x)
    return "array" if library is None else f"{library.name}:{library.device(x)}"


def _caller() -> str:
    """The first line outside of likewise in the call stack."""
    depth = 2
    frame = sys._getframe(depth)
    package = __name__.partition(".")[0]
    while (
        frame.f_globals.get("__name__", "").partition(".")[0] in (package, "contextlib")
        and frame.f_back is not None
    ):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _record(x: Any, out: Any, start: float) -> None:
    if not LIVE:  # as everywhere, the hot path reads only one integer
        return
    source, target = _place(x), _place(out)
    if source == target:
        return
    size = 1
    for n in out.shape:
        size *= int(n)
    itemsize = getattr(out.dtype, "itemsize", None) or _itemsize(out)
    entry = Transfer(source, target, size * itemsize, time.perf_counter() - start, _caller())
    for log, threshold in _LOG.get():
        log.append(entry)
        if entry.seconds >= threshold:
            logger.warning("%s", entry)


def _itemsize(x: Any) -> int:
    """Bytes of one element, by the standard's own inspection."""
    xp = array_namespace(x)
    if xp.isdtype(x.dtype, "bool"):
        return 1
    if xp.isdtype(x.dtype, "integral"):
        return int(xp.iinfo(x.dtype).bits) // 8
    bits = int(xp.finfo(x.dtype).bits) // 8
    return bits * (2 if xp.isdtype(x.dtype, "complex floating") else 1)


def to_numpy(x: Any, *, writable: bool = False) -> Any:
    """Return an array's values as a NumPy array.

    Parameters
    ----------
    x : array, scalar or nested lists
        Any standard array, on any device. A torch tensor that records gradients is detached; a Dask
        array is computed. Other objects on the host are converted by their ``__array__``, for
        example those of pandas and Pillow.
    writable : bool, optional
        If True, the result is a writable array in its own memory. Otherwise it may be a view of
        `x`, read-only where the library's arrays are.

    Returns
    -------
    numpy.ndarray
        The same dtype and shape.

    Raises
    ------
    ArrayTypeError
        If `x` is not an array.
    DtypeError
        If ``__array__`` of an object returns no numbers.
    NotSupported
        If `x` has no values: a JAX tracer, or a torch tensor under torch.func or on the meta
        device; or if an object of no known library is on a GPU.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> likewise.to_numpy(np.arange(3))
    array([0, 1, 2])
    """
    start = time.perf_counter() if LIVE else 0.0
    if is_neutral(x):
        if x is None:
            raise ArrayTypeError("to_numpy: argument 'x' must be an array, got None")
        return from_lists("to_numpy", "x", namespace("numpy"), x, None, None)
    if convertible(x):
        return _converted(x, writable)
    array_namespace(x)  # its error, if this isn't an array
    out = _on_host("to_numpy", "x", x)
    library = library_of(x)
    # Only a copy from another device is memory that nobody else has.
    fresh = library is not None and not library.is_host(x) and not library.is_lazy(x)
    if writable and not (fresh and out.flags.writeable and out.flags.owndata):
        out = out.copy()
    _record(x, out, start)
    return out


def _converted(x: Any, writable: bool) -> Any:
    """Convert an object of no known library by its ``__array__``."""
    kind = type(x).__qualname__
    if hasattr(x, "__cuda_array_interface__"):
        raise NotSupported(
            f"to_numpy: argument 'x' lives on a GPU, got a {kind}; copy it to the host by its own "
            "method, or make it an array of a known library first"
        )
    out = namespace("numpy").asarray(x, copy=True if writable else None)
    if out.dtype.kind not in "biufc":
        raise DtypeError(
            f"to_numpy: argument 'x' must hold numbers, got a {kind} whose __array__ returns "
            f"{out.dtype}; convert it first"
        )
    return out


def _on_host(function: str, argument: str, x: Any) -> Any:
    """The values of an array as NumPy's, a view where that is possible."""
    library = library_of(x)
    if library is None:
        return namespace("numpy").from_dlpack(x)
    if library.is_lazy(x) and library.name != "dask":
        raise NotSupported(
            f"{function}: argument {argument!r} has no values to copy: {library.name} is tracing "
            f"it, or it lives on the meta device. Call {function} outside of the compiled function."
        )
    try:
        return library.to_numpy(x)
    except (TypeError, RuntimeError) as error:  # bfloat16, sparse layouts, keys of random numbers
        raise NotSupported(
            f"{function}: argument {argument!r} has no equivalent in NumPy: got a {describe(x)} "
            f"({error})"
        ) from error


def asarray(
    obj: Any,
    *,
    like: Any = None,
    namespace: str | None = None,
    device: Any = None,
    dtype: Any = None,
) -> Any:
    """Return an object as an array of a library, without a copy where both sides can share memory.

    Parameters
    ----------
    obj : array, scalar or nested lists
        The object to convert. An array of the target library, dtype and device is returned
        unchanged.
    like : array, optional
        An array; the result has its library and device.
    namespace : {'numpy', 'cupy', 'torch', 'jax', 'dask', 'strict'}, optional
        The library of the result, if `like` isn't given. Default: the library of `obj`, or the
        default namespace (`likewise.use`) for scalars and lists.
    device : str or device, optional
        'cpu', 'gpu', 'gpu:1', or the library's own object. Default: that of `like`, else that of
        `obj` if the library has it, else the library's default.
    dtype : dtype or str, optional
        The dtype of the result, as the target library's object or by its standard name.

    Returns
    -------
    array
        Memory is shared with `obj` where possible: don't write to either.

    Raises
    ------
    ArgumentError
        If both `like` and `namespace` are given, or there is no such dtype.
    LibraryNotInstalled, DeviceNotFound
        If the library or device isn't available.

    Notes
    -----
    Arrays on the same kind of device are exchanged by DLPack or the buffer protocol, others through
    the host. On the CPU, NumPy and torch share memory, and NumPy has a read-only view of JAX's. To
    JAX, and from JAX to torch, arrays are copied, because JAX's arrays must not change. Gradients
    don't pass from one library to another.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> likewise.asarray([1, 2], like=np.ones(3), dtype="float32")
    array([1., 2.], dtype=float32)
    """
    start = time.perf_counter() if LIVE else 0.0
    if like is not None and namespace is not None:
        raise ArgumentError("asarray: give either like or namespace, not both")
    if obj is None:
        raise ArrayTypeError("asarray: argument 'obj' must be an array, got None")
    given = not is_neutral(obj)
    anchor = like if like is not None and not is_neutral(like) else None
    target: Any
    if anchor is not None:
        xp = array_namespace(anchor)
        target = _below(library_of(anchor), xp)
    elif namespace is None and given:
        xp = array_namespace(obj)
        target = _below(library_of(obj), xp)
    elif namespace is None:
        target = load(_default.current().namespace)
        xp = _creation.xp
    else:
        target = load(namespace)
        xp = target.namespace
    if device is not None and target is not None:
        fallback = isinstance(device, str) and _default.current().device_fallback
        device = _creation.find_device(target.name, device, fallback)
    if anchor is not None and device is None:  # its own, without a search
        device = _device(anchor)
    dtype = _dtype("asarray", xp, dtype)
    if not given:
        return from_lists("asarray", "obj", xp, obj, dtype, device)
    source = library_of(obj)
    own = array_namespace(obj)  # its error, if this isn't an array
    if getattr(obj.dtype, "kind", "f") in "OSUMmV" and not own.isdtype(obj.dtype, "numeric"):
        raise DtypeError(f"asarray: argument 'obj' must hold numbers, but is a {describe(obj)}")
    if target is not None and _below(source, own) is target:
        out = obj
        where = _device(obj)  # None: traced, or JAX's, spread over devices or bound to none
        if where != device is not None and not (where is None and target.is_lazy(obj)):
            out = _moved(obj, device)
    elif target is None:
        out = xp.asarray(obj, device=device)  # another library's own way
    else:
        out = _crossed(obj, source, target, device)
    if dtype is not None and out.dtype != dtype:
        out = array_namespace(out).astype(out, dtype)
        if out.dtype != dtype:
            raise DtypeError(
                f"asarray: {target.name if target else 'the library'} has no {dtype} now; for JAX, "
                "jax.config.update('jax_enable_x64', True) switches 64-bit types on"
            )
    _record(obj, out, start)
    return out


def _below(library: Any, xp: Any) -> Any:
    """The library of an array; for a traced array, the library of the array that it stands for."""
    return library if library is None or library.name in _default.LIBRARIES else load(xp.library)


def _dtype(function: str, xp: Any, dtype: Any) -> Any:
    """The namespace's dtype of a standard name; anything else as it is."""
    if not isinstance(dtype, str):
        return dtype
    if dtype not in DTYPES:
        raise ArgumentError(f"{function}: {dtype!r} isn't a dtype of the array API standard")
    return getattr(xp, dtype)


def _device(x: Any) -> Any:
    """The device of an array of a known library, else its ``device``."""
    library = library_of(x)
    return getattr(x, "device", None) if library is None else library.device(x)


def _moved(x: Any, device: Any) -> Any:
    return (
        x.to_device(device)
        if hasattr(x, "to_device")
        else array_namespace(x).asarray(x, device=device)
    )


def _crossed(x: Any, source: Any, target: Any, device: Any) -> Any:
    """Convert an array of another library: by DLPack between devices, else through the host."""
    on_host = source is None or source.is_host(x)
    if not on_host and not (source.is_lazy(x) or target.name in ("numpy", "dask", "strict")):
        out = target.namespace.from_dlpack(x)
        return out if device is None or target.device(out) == device else _moved(out, device)
    values = _on_host("asarray", "obj", x)
    if not values.dtype.isnative:  # NumPy alone has numbers of the other byte order
        values = values.astype(values.dtype.newbyteorder("="))
    return target.from_numpy(values, device)


def to_device(x: A, device: Any) -> A:
    """Return an array on a device.

    Parameters
    ----------
    x : array
        Any standard array.
    device : str or device
        'cpu', 'gpu', 'gpu:1', or the library's own object.

    Returns
    -------
    array
        Of the same library; `x` itself if it is on that device already.

    Raises
    ------
    DeviceNotFound
        If the library has no such device here; the message lists its devices. An array goes to the
        CPU instead only if `likewise.set_default` allows it.

    Examples
    --------
    >>> import numpy as np, likewise
    >>> likewise.to_device(np.ones(2), "cpu")
    array([1., 1.])
    """
    if device is None:
        raise ArgumentError("to_device: argument 'device' must name a device, got None")
    if is_neutral(x):
        raise ArrayTypeError(f"to_device: argument 'x' must be an array, got {x!r}")
    array_namespace(x)
    out: A = asarray(x, device=device)
    return out


def same_library(*arrays: Any) -> bool:
    """Return whether arrays are of one library; scalars, lists and None belong to any.

    Parameters
    ----------
    *arrays : array or scalar
        The arrays to compare.

    Returns
    -------
    bool
        True if `likewise.array_namespace` would accept them together.

    Examples
    --------
    >>> import numpy as np, likewise.interop
    >>> likewise.interop.same_library(np.ones(2), np.zeros(3), 1.0)
    True
    """
    spaces = [array_namespace(a) for a in arrays if not is_neutral(a)]
    return all(xp is spaces[0] for xp in spaces)


def _create(name: str, like: Any, args: tuple[Any, ...], dtype: Any, device: Any) -> Any:
    if like is None or is_neutral(like):
        xp = _creation.xp
    else:
        xp = array_namespace(like)
        dtype = like.dtype if dtype is None else dtype
        device = _device(like) if device is None else device
        if isinstance(device, str):
            device = _creation.find_device(xp.library, device)
    return getattr(xp, name)(*args, dtype=_dtype(name, xp, dtype), device=device)


def empty(shape: Any, *, like: Any = None, dtype: Any = None, device: Any = None) -> Any:
    """Return an uninitialised array, of the library, dtype and device of `like`.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    like : array, optional
        What isn't given is taken from this array; without it from `likewise.use`.
    dtype : dtype or str, optional
        Instead of that of `like`, as the library's object or by its standard name.
    device : str or device, optional
        Instead of that of `like`: 'cpu', 'gpu', 'gpu:1', or the library's own object.

    Returns
    -------
    array
        A new array.

    Examples
    --------
    >>> import numpy as np, likewise.interop
    >>> likewise.interop.empty((2, 3), like=np.ones(1)).shape
    (2, 3)
    """
    return _create("empty", like, (shape,), dtype, device)


def zeros(shape: Any, *, like: Any = None, dtype: Any = None, device: Any = None) -> Any:
    """Return an array of zeros, of the library, dtype and device of `like`.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    like : array, optional
        What isn't given is taken from this array; without it from `likewise.use`.
    dtype, device : optional
        Instead of those of `like`, as for `empty`.

    Returns
    -------
    array
        A new array.

    Examples
    --------
    >>> import numpy as np, likewise.interop
    >>> likewise.interop.zeros(2, like=np.ones(1, dtype=np.float32))
    array([0., 0.], dtype=float32)
    """
    return _create("zeros", like, (shape,), dtype, device)


def ones(shape: Any, *, like: Any = None, dtype: Any = None, device: Any = None) -> Any:
    """Return an array of ones, of the library, dtype and device of `like`.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    like : array, optional
        What isn't given is taken from this array; without it from `likewise.use`.
    dtype, device : optional
        Instead of those of `like`, as for `empty`.

    Returns
    -------
    array
        A new array.

    Examples
    --------
    >>> import numpy as np, likewise.interop
    >>> likewise.interop.ones(2, like=np.arange(3))
    array([1, 1])
    """
    return _create("ones", like, (shape,), dtype, device)


def full(
    shape: Any, fill_value: Any, *, like: Any = None, dtype: Any = None, device: Any = None
) -> Any:
    """Return an array filled with a scalar, of the library, dtype and device of `like`.

    Parameters
    ----------
    shape : int or tuple of int
        The shape.
    fill_value : scalar
        The value.
    like : array, optional
        What isn't given is taken from this array; without it from `likewise.use`.
    dtype, device : optional
        Instead of those of `like`, as for `empty`.

    Returns
    -------
    array
        A new array.

    Examples
    --------
    >>> import numpy as np, likewise.interop
    >>> likewise.interop.full(2, 7.0, like=np.ones(1))
    array([7., 7.])
    """
    return _create("full", like, (shape, fill_value), dtype, device)
