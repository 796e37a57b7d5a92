"""Arrays and stores that results are written to."""

import errno
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from .._namespace import describe, hooks_of, library_of, namespace
from ..errors import ArgumentError, ArrayTypeError, DtypeError, ShapeError
from ..interop import to_numpy
from ._sources import along, holds_numbers, is_mapped, is_stored, released, sliced

__all__ = ["Target", "targets"]


class Target(NamedTuple):
    """Hold an array or a store that results are written to."""

    array: Any
    name: str
    library: str  # of what is written: 'numpy' for stores

    def check(self, leaf: Any, axis: int, count: int) -> None:
        """Refuse results that don't fit."""
        shape = list(map(int, leaf.shape))
        shape[axis] = count
        if tuple(self.array.shape) != tuple(shape):
            raise ShapeError(
                f"map_chunks: {self.name} has shape {tuple(self.array.shape)}, but the results of "
                f"all pieces have shape {tuple(shape)}"
            )
        found = library_of(leaf)
        if self.library != "numpy" and (found is None or found.name != self.library):
            raise ArrayTypeError(
                f"map_chunks: {self.name} is an array of {self.library}, the results are "
                f"{describe(leaf)}"
            )
        if _loses(leaf, self.array):
            raise DtypeError(
                f"map_chunks: results of {leaf.dtype} can't be written to {self.name} of "
                f"{self.array.dtype} without loss; give a store of {leaf.dtype}, or return "
                f"result.astype({str(self.array.dtype).rpartition('.')[2]!r})"
            )

    def write(self, axis: int, start: int, stop: int, leaf: Any) -> None:
        value = to_numpy(leaf) if self.library == "numpy" else leaf
        self.array[along(len(self.array.shape), axis, start, stop)] = value

    def reserve(self) -> None:
        """Take the place of a memory map on the disk: a write without it would end the process."""
        if is_mapped(self.array) and hasattr(os, "posix_fallocate"):
            try:
                with open(self.array.filename, "r+b") as file:
                    os.posix_fallocate(file.fileno(), 0, os.path.getsize(self.array.filename))
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):  # others don't know how to
                    text = f"map_chunks: there is no place for {self.name}: {error.strerror}"
                    raise OSError(error.errno, text) from error

    def flush(self) -> None:
        """Hand what was written to the system, where it survives this process."""
        if is_mapped(self.array):
            released(self.array)
        elif is_stored(self.array) and hasattr(self.array, "file"):
            self.array.file.flush()


def _loses(leaf: Any, x: Any) -> bool:
    """Tell if numbers of a result may change where they are written."""
    if str(leaf.dtype) == str(x.dtype):
        return False
    of, to = (to_numpy(sliced(a, 0, 0, 0)).dtype for a in (leaf, x))
    return not namespace("numpy").can_cast(of, to)


def _refusal(x: Any) -> str:
    """Return why nothing can be written to an array or a store; '' if it can."""
    flags = getattr(x, "flags", None)
    if not holds_numbers(x):
        return f"it must hold numbers or booleans, got dtype {x.dtype}"
    if is_mapped(x) and x.mode == "c":
        return "what is written to a map of mode 'c' is in no file; open it with mode='r+'"
    if not getattr(flags, "writeable", True) or getattr(x, "read_only", False):
        return "it is read-only"
    if is_stored(x) and getattr(getattr(x, "file", None), "mode", "") == "r":
        return "its file is open for reading; open it with mode='r+'"
    return ""


def _leaves(out: Any) -> Iterator[Any]:
    """Yield arrays in the order of a tree's leaves; Zarr's are dataclasses, and leaves here."""
    if isinstance(out, dict):
        out = [out[key] for key in sorted(out)]
    if isinstance(out, tuple | list):
        for part in out:
            yield from _leaves(part)
    elif out is not None:
        yield out


def targets(out: Any) -> list[Target]:
    """Return what results are written to, one for each array of them."""
    leaves = list(_leaves(out))
    found = []
    for i, x in enumerate(leaves):
        name = "out" if len(leaves) == 1 else f"array {i} of out"
        if not is_stored(x) and (getattr(x, "shape", None) is None or library_of(x) is None):
            raise ArrayTypeError(
                f"map_chunks: {name} must be an array, a memory map, or a dataset of h5py or Zarr, "
                f"got {x!r:.60} of type {type(x).__name__}"
            )
        if refusal := _refusal(x):
            raise ArgumentError(f"map_chunks: {name} can't be written to: {refusal}")
        if is_stored(x):
            found.append(Target(x, name, "numpy"))
            continue
        hooks = hooks_of(x)
        if not hooks.facts()["mutable"] or hooks.in_blocks:
            raise ArgumentError(f"map_chunks: {name} can't be written to, got {describe(x)}")
        found.append(Target(x, name, hooks.name))
    return found
