"""Arrays, memory maps and stores that are read in pieces along one axis."""

import contextlib
import functools
import mmap
import os
from typing import Any, NamedTuple

from .._namespace import (
    array_namespace,
    describe,
    hooks_of,
    is_lazy,
    is_neutral,
    library_of,
    namespace,
)
from ..errors import ArgumentError, ArrayTypeError, DtypeError, NotSupported, ShapeError

__all__ = [
    "Source",
    "along",
    "chunk_along",
    "file_of",
    "folder_of",
    "holds_numbers",
    "is_mapped",
    "is_stored",
    "itemsize",
    "offset",
    "opened",
    "released",
    "sliced",
    "sourced",
]

_SLAB = 1 << 23  # bytes of a memory map that are in memory at once, besides their copy


class Source(NamedTuple):
    """Hold an array, or how to open it, and the axis along which it is read."""

    array: Any
    axis: int

    @property
    def length(self) -> int:
        return int(self.array.shape[self.axis])

    @property
    def library(self) -> str:
        """The library of its pieces, by name."""
        if is_stored(self.array):
            return "numpy"
        found = library_of(self.array)
        return type(self.array).__module__ if found is None else found.name

    @property
    def item(self) -> int:
        """The bytes of one item along the axis."""
        count = 1
        for i, n in enumerate(self.array.shape):
            count *= 1 if i == self.axis else int(n)
        return count * itemsize(self.array)

    def read(self, start: int, stop: int) -> Any:
        """Return a piece: of an array in memory a view, of others a NumPy array."""
        if is_mapped(self.array):
            return self._copied(start, stop)
        return sliced(self.array, self.axis, start, stop)

    def _copied(self, start: int, stop: int) -> Any:
        """Copy a piece of a memory map, without its pages in memory."""
        xp = namespace("numpy")
        shape = list(self.array.shape)
        shape[self.axis] = stop - start
        out = xp.empty(tuple(shape), dtype=self.array.dtype)
        step = max(1, _SLAB // max(1, self.item))
        for a in range(start, stop, step):
            b = min(a + step, stop)
            part = sliced(self.array, self.axis, a, b)
            out[along(out.ndim, self.axis, a - start, b - start)] = part
            released(self.array)
        return out

    def reference(self) -> tuple[Any, ...] | None:
        """Return what another process opens it by; None if only this one can read it."""
        x = self.array
        if _package(x) == "zarr" and file_of(x) is not None:
            return ("zarr", x)
        if _package(x) == "h5py" and x.file.mode == "r" and file_of(x) is not None:
            path = os.path.abspath(x.file.filename)
            return ("h5py", path, x.name, os.stat(path).st_mtime_ns)
        if is_mapped(x) and x.mode != "c" and file_of(x) is not None:
            contiguous = "C" if x.flags.c_contiguous else "F" if x.flags.f_contiguous else ""
            if contiguous:
                path = os.path.abspath(str(file_of(x)))
                found = (path, x.dtype, "r", offset(x), tuple(x.shape), contiguous)
                return ("memmap", _map_class(x), *found)
        return None


def sourced(name: str, x: Any, axis: int) -> Source:
    """Return an array as a source, if it is one that can be read in pieces."""
    if is_stored(x):
        if not holds_numbers(x):
            raise DtypeError(
                f"map_chunks: {name} must hold numbers, got a store of dtype {x.dtype}, shape "
                f"{tuple(x.shape)}. Write its numbers to a store of their own."
            )
    elif is_neutral(x):
        raise ArrayTypeError(
            f"map_chunks: {name} must be an array, a memory map, or a dataset of h5py or Zarr, got "
            f"{x!r:.60}. What all pieces share goes into the function: "
            "functools.partial(fun, coefficients)"
        )
    else:
        array_namespace(x)  # refuses what is no standard array
        if hooks_of(x).in_blocks:
            raise NotSupported(
                f"map_chunks: {name} is a Dask array, which has pieces of its own; likewise's "
                "functions take it as it is, and others go through dask.array.map_blocks"
            )
        if is_lazy(x):
            raise NotSupported(
                f"map_chunks: {name} has no values here, {describe(x)}: inside of a compiled "
                "function call the function itself, on the whole array"
            )
        if not holds_numbers(x):
            raise DtypeError(f"map_chunks: {name} must hold numbers, got a {describe(x)}")
    ndim = len(x.shape)
    if not -ndim <= axis < ndim:
        raise ArgumentError(
            f"map_chunks: axis={axis} is out of range for {name} of shape {tuple(x.shape)}"
        )
    if any(n != n for n in x.shape):
        raise ShapeError(f"map_chunks: {name} has an unknown size, shape {tuple(x.shape)}")
    return Source(x, axis % ndim)


def opened(reference: tuple[Any, ...], axis: int) -> Source:
    """Return a source by its reference, in another process."""
    kind, *rest = reference
    if kind == "h5py":
        return Source(_dataset(*rest), axis)
    if kind == "memmap":
        cls, path, dtype, mode, offset, shape, order = rest
        return Source(
            cls(path, dtype=dtype, mode=mode, offset=offset, shape=shape, order=order), axis
        )
    return Source(rest[0], axis)


@functools.lru_cache(maxsize=16)
def _dataset(path: str, name: str, modified: int) -> Any:
    """Return a dataset of a file that stays open until it has changed."""
    import h5py  # type: ignore[import-untyped]

    return h5py.File(path, "r")[name]


def along(ndim: int, axis: int, start: int, stop: int) -> tuple[slice, ...]:
    """Return the index of a part along an axis."""
    axis %= ndim
    return tuple(slice(start, stop) if i == axis else slice(None) for i in range(ndim))


def sliced(x: Any, axis: int, start: int, stop: int) -> Any:
    """Return a part of an array or a store along an axis."""
    return x[along(len(x.shape), axis, start, stop)]


def itemsize(x: Any) -> int:
    """Return the bytes of an element."""
    size = getattr(x.dtype, "itemsize", None)
    if size is None:  # array-api-strict's dtypes tell it nowhere else
        xp = array_namespace(x)
        if xp.isdtype(x.dtype, "bool"):
            return 1
        info = xp.iinfo if xp.isdtype(x.dtype, "integral") else xp.finfo
        bits = int(info(x.dtype).bits)
        size = bits // 8 * (2 if xp.isdtype(x.dtype, "complex floating") else 1)
    return int(size)


def _package(x: Any) -> str:
    return type(x).__module__.partition(".")[0]


def is_stored(x: Any) -> bool:
    """Tell if this is a dataset of h5py or an array of Zarr, none of which is imported here."""
    return (_package(x), type(x).__name__) in (("h5py", "Dataset"), ("zarr", "Array"))


def holds_numbers(x: Any) -> bool:
    """Tell if an array or a store holds numbers or booleans."""
    if is_stored(x):
        return getattr(x.dtype, "kind", "O") in "biufc"
    return bool(array_namespace(x).isdtype(x.dtype, ("bool", "numeric")))


def is_mapped(x: Any) -> bool:
    """Tell if this is a NumPy array in a memory map of a file."""
    return getattr(x, "_mmap", None) is not None and getattr(x, "filename", None) is not None


def _map_class(x: Any) -> type:
    return next(c for c in type(x).__mro__ if c.__name__ == "memmap")


def offset(x: Any) -> int:
    """Return where in its file a memory map, or a view of one, begins."""
    root = x
    while is_mapped(root.base):
        root = root.base
    begin = root.__array_interface__["data"][0]
    return int(root.offset) + int(x.__array_interface__["data"][0] - begin)


def released(x: Any) -> None:
    """Give the pages of a memory map back to the system, which keeps or writes their contents."""
    if hasattr(mmap, "MADV_DONTNEED") and x.mode != "c":
        with contextlib.suppress(OSError, ValueError):  # a system that doesn't know it
            x._mmap.madvise(mmap.MADV_DONTNEED)


def chunk_along(x: Any, axis: int) -> int:
    """Return the length of a store's chunks along an axis; 1 without chunks."""
    chunks = getattr(x, "shards", None) or getattr(x, "chunks", None) if is_stored(x) else None
    return max(1, int(chunks[axis % len(x.shape)])) if chunks else 1


def file_of(x: Any) -> str | None:
    """Return the path of the file or folder that an array lies in; None in memory."""
    path: Any = None
    if is_mapped(x):
        path = x.filename
    elif _package(x) == "h5py":
        path = x.file.filename
    elif _package(x) == "zarr":
        path = getattr(x.store, "root", None) or getattr(x.store, "path", None)
    return str(path) if path is not None and os.path.exists(path) else None


def folder_of(x: Any) -> str | None:
    """Return the folder that holds the chunks of an array of Zarr; None of others."""
    if _package(x) != "zarr" or file_of(x) is None:
        return None
    folder = os.path.join(str(file_of(x)), str(getattr(x, "path", "")))
    return folder if os.path.isdir(folder) else None
