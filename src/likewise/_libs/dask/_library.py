"""Dask: elementwise work, reductions and maps over blocks; nothing is computed unasked."""

import contextlib
import itertools
import operator
import warnings
from collections.abc import Iterator
from typing import Any

import array_api_compat.dask.array as compat
import dask
import dask.array as da
import numpy as np
from dask.callbacks import Callback

from ..._library import Library
from ..._namespace import standard
from ..._standard import NUMBERS
from ...errors import RechunkWarning
from ._blocks import REPAIRS

_NAMESPACE = standard("dask", compat, REPAIRS)


def _in_slices(shape: tuple[int, ...], index: Any, value: Any) -> tuple[Any, Any]:
    """Spell a basic index as slices, one for each axis of an array, with the value to match.

    Dask's arrays take no new axes when they are set, and an integer before a slice that runs
    backwards turns the wrong axis, or none (seen in 2026.8).
    """
    entries = list(index) if isinstance(index, tuple) else [index]
    basic = (int, slice, type(None), type(...))
    unknown = any(n != n for n in shape)  # NaN
    if unknown or any(i is True or i is False or not isinstance(i, basic) for i in entries):
        return index, value
    rest = len(shape) - sum(isinstance(i, (int, slice)) for i in entries)
    place = next((k for k, i in enumerate(entries) if i is ...), len(entries))
    entries[place : place + 1] = [slice(None)] * rest
    if getattr(value, "ndim", 0):
        made = sum(not isinstance(i, int) for i in entries)
        keep = [0 if i is None else None if isinstance(i, int) else slice(None) for i in entries]
        value = value[(None,) * (made - value.ndim)][tuple(keep)]
    kept = [i for i in entries if i is not None]
    if any(isinstance(i, int) and not -n <= i < n for i, n in zip(kept, shape, strict=True)):
        return index, value  # Dask says that it is out of bounds
    at = (i % n if isinstance(i, int) else i for i, n in zip(kept, shape, strict=True))
    return tuple(slice(i, i + 1) if isinstance(i, int) else i for i in at), value


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Dask makes the empty sample of its indices' dtype from the one of a complex array."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        yield


class _Results:
    """A function whose results are arrays of NumPy, which Dask can tell from others like it."""

    def __init__(self, fun: Any) -> None:
        self.fun = fun

    def __call__(self, *blocks: Any) -> tuple[Any, ...]:
        return tuple(np.asarray(y) for y in self.fun(*blocks))


class Dask(Library):
    """Dask's arrays, which have no values until they are computed."""

    name = "dask"
    strong_scalars = True
    packages = ("dask",)
    namespace = _NAMESPACE
    in_blocks = True
    maps_steps = "likewise._libs.dask._lines:mapped"
    silent_indices = True
    host_reads = (
        *((da.Array, n, "copy") for n in ("__array__", "compute", "persist")),
        *((da.Array, n, "scalar") for n in (*NUMBERS, "item") if hasattr(da.Array, n)),
    )

    def version(self) -> str:
        return str(dask.__version__)

    def own_types(self) -> tuple[type, ...]:
        return (da.Array,)

    def refusal(self, x: object) -> str | None:
        cls = type(getattr(x, "_meta", None))
        if not isinstance(x, da.Array) or cls is np.ndarray or issubclass(cls, np.generic):
            return None
        return (
            f"must have blocks of NumPy's arrays, got blocks of {cls.__module__}.{cls.__qualname__}"
            ". Convert them with x.map_blocks(numpy.asarray), or their library's function for it."
        )

    def device(self, x: Any) -> Any:
        return "cpu"

    def is_lazy(self, x: Any) -> bool:
        return True

    def is_host(self, x: Any) -> bool:
        return False

    def to_numpy(self, x: Any) -> Any:
        return np.asarray(x.compute())

    def from_numpy(self, x: Any, device: Any) -> Any:
        return da.from_array(x)

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"lazy": True}

    def at_get(self, x: Any, index: Any) -> Any:
        with _quiet():
            return x[index]

    def at_set(self, x: Any, index: Any, value: Any) -> Any:
        out = x.copy()
        index, value = _in_slices(x.shape, index, value)
        with _quiet():
            if 0 in x[index].shape:  # which Dask takes for another shape
                np.broadcast_to(np.empty(getattr(value, "shape", ())), x[index].shape)
            else:
                out[index] = value
        return out

    def map_blocks(self, fun: Any, arrays: Any, labels: Any, made: Any) -> Any:
        """One task a block: the results of `fun`, of which each array picks its own.

        An axis is cut as that one of its label which has the most blocks, so that no block is
        smaller than one that came; others are cut like it, and NumPy's arrays are.
        """
        axes = [
            (label, x.shape[j], x.chunks[j] if isinstance(x, da.Array) else (x.shape[j],))
            for x, own in zip(arrays, labels, strict=True)
            for j, label in enumerate(own)
            if label is not None
        ]
        cuts: dict[Any, Any] = {}
        for label, n, chunks in sorted(axes, key=lambda axis: (axis[1] != 1, len(axis[2]))):
            cuts[label] = chunks if n != 0 else (0,)
        pairs: list[Any] = []
        for i, (x, own) in enumerate(zip(arrays, labels, strict=True)):
            cut = tuple(
                -1 if label is None or n == 1 else cuts[label]
                for label, n in zip(own, x.shape, strict=True)
            )
            x = x.rechunk(cut) if isinstance(x, da.Array) else da.from_array(x, chunks=cut)
            names = (f"{i} {j}" if k is None else k for j, k in enumerate(own))
            pairs += [x, tuple(names)]
        loops = tuple(dict.fromkeys(k for own in labels for k in own if k is not None))
        found = da.blockwise(
            _Results(fun),
            loops,
            *pairs,
            dtype=object,
            meta=np.empty((0,) * len(loops), object),
            concatenate=True,
        )
        return [self._picked(found, loops, i, m) for i, m in enumerate(made)]

    def _picked(self, found: Any, loops: Any, i: int, made: Any) -> Any:
        sizes = iter(made.sizes)
        out = tuple(f"of {j}" if k is None else k for j, k in enumerate(made.labels))
        new = {k: next(sizes) for k, label in zip(out, made.labels, strict=True) if label is None}
        return da.blockwise(
            operator.getitem,
            out,
            found,
            loops,
            i,
            None,
            new_axes=new,
            adjust_chunks=dict.fromkeys(made.thin, lambda n: 1),
            dtype=made.dtype,
            meta=np.empty((0,) * len(out), made.dtype),
        )

    def pieces(self, x: Any, axis: int) -> list[Any]:
        ends = [0, *itertools.accumulate(x.chunks[axis])]
        if len(ends) == 2:
            return [x]
        lead = (slice(None),) * axis
        return [x[(*lead, slice(i, j))] for i, j in itertools.pairwise(ends)]

    def map_elementwise(self, fun: Any, arrays: Any) -> Any:
        """One task a block; blocks are brought in line as for Dask's own functions of numbers."""
        dtype, ndim = arrays[0].dtype, max(a.ndim for a in arrays)
        pairs = [part for a in arrays for part in (a, tuple(range(a.ndim))[::-1])]
        return da.blockwise(
            fun,
            tuple(range(ndim))[::-1],
            *pairs,
            dtype=dtype,
            meta=np.empty((0,) * ndim, dtype),
        )

    @contextlib.contextmanager
    def variant(self, value: Any) -> Iterator[None]:
        """Return a context in which Dask computes in the caller's thread, and merges in silence.

        NumPy warns there of what a body passes over in silence: when it runs nothing is computed.
        """
        scheduler = dask.config.set(scheduler="synchronous" if value else None)
        with scheduler, np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RechunkWarning)
            yield

    @contextlib.contextmanager
    def computing(self, seen: Any) -> Iterator[None]:
        """Return a context that calls `seen` at each, by whatever way it was asked for."""
        with Callback(start=lambda graph: seen()):
            yield


LIBRARY = Dask()
