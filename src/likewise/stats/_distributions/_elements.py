"""Elementwise steps of distributions: one map over blocks, or pieces that stay in the cache."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from ... import _plan
from ..._memo import PLAIN
from ..._namespace import array_namespace, device, hooks_of, is_neutral
from ..._native import Lines, batches, native
from ...special._function import BLOCK, _as_given, at_hand

__all__ = ["beside_numbers", "elements", "light", "nowhere", "usual"]

_FOLLOWED = object()


def elements(function: str, names: tuple[str, ...], body: Callable[..., Any], *given: Any) -> Any:
    """Return a body's result for arrays of one library, device and floating dtype.

    Numbers and lists are converted; for numbers alone scalars of the library's are returned.
    """
    xp = array_namespace(*given)
    arrays = _plan.common_floating(function, xp, names, *given, real=True, sized=False)
    if is_neutral(arrays[0]):
        arrays = tuple(map(xp.asarray, arrays))
    if len(arrays) > 1:
        shapes = [tuple(x.shape) for x in arrays if x.ndim]
        if any(s != shapes[0] for s in shapes[1:]):
            _plan.broadcast(function, **{n: x.shape for n, x in zip(names, arrays, strict=True)})
    return _as_given(_step(arrays[0], body, *arrays[1:]), given)


class light(functools.partial):  # type: ignore[type-arg]
    """A body of so few operations that calling them takes longer than memory beyond the cache."""


def nowhere(there: Any) -> bool:
    """Tell if something is nowhere, and that can be read."""
    # likewise: ignore[LW203]: values are at hand
    return at_hand(there) and not bool(array_namespace(there).any(there))


def usual(x: Any) -> bool:
    """Tell if an argument is an array of doubles of a class that no transform follows: with numbers
    as parameters the usual call, for which a plan would take longer than the work."""
    return PLAIN.get(type(x), _FOLLOWED) is None and bool(x.dtype == "float64")


def beside_numbers(body: Callable[..., Any], x: Any, numbers: Sequence[float]) -> Any:
    """Return `elements` of a usual argument, and numbers."""
    xp, where = array_namespace(x), device(x)
    # With a dimension, as NumPy makes slow scalars of what has none.
    values = (float(v) if x.ndim == 0 else (float(v),) for v in numbers)
    given = [_number(xp, x.dtype, where, v) for v in values]
    with hooks_of(x).quiet():
        if math.prod(x.shape) <= BLOCK:
            found = body(x, *given)
        else:
            found = _in_pieces(body, (x, *given))
    return found if x.ndim else _as_given(found, numbers)


@functools.lru_cache(maxsize=1024)
def _number(xp: Any, dtype: Any, device: Any, value: Any) -> Any:
    return xp.asarray(value, dtype=dtype, device=device)


def _everywhere(x: Any, body: Any, *others: Any) -> Lines:
    """Lines of the map over blocks: all dimensions of all arrays may be cut."""
    given = {0: (x, 0), **{i: (a, 0) for i, a in enumerate(others, 2)}}
    return batches(given, ((), x.dtype))


@native(blocks=_everywhere)
def _step(x: Any, body: Callable[..., Any], *others: Any) -> Any:
    with hooks_of(x).quiet():
        return _in_pieces(body, (x, *others))


def _in_pieces(body: Callable[..., Any], arrays: tuple[Any, ...]) -> Any:
    """The body's result for arrays in memory by pieces; numbers stay without dimensions."""
    most = max([math.prod(a.shape) for a in arrays])
    block = 8 * BLOCK if type(body) is light else BLOCK
    if most <= block or not at_hand(*arrays):
        return body(*arrays)
    xp = array_namespace(*arrays)
    shape = xp.broadcast_shapes(*(a.shape for a in arrays))
    size = math.prod(shape)
    flat = [
        xp.reshape(a, ())
        if math.prod(a.shape) == 1
        else xp.reshape(xp.broadcast_to(a, shape), (-1,))
        for a in arrays
    ]
    found = [
        body(*(a if a.ndim == 0 else a[i : min(i + block, size)] for a in flat))
        for i in range(0, size, block)
    ]
    return xp.reshape(xp.concat(found), shape)
