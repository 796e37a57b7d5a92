"""Arguments of resampling: samples, the statistic, the key, pieces that fit the memory."""

import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from ... import _plan
from ..._memory import at_once, working_set
from ..._namespace import array_namespace, describe, hooks_of, is_concrete, is_lazy, is_neutral
from ...errors import ArgumentError, ArrayTypeError
from ...missing._axes import numeric
from ...progress import Progress
from ...random import key as key_of
from ...random._arguments import plan_key
from ...transforms import vmap

__all__ = [
    "check_statistic",
    "fitting",
    "pieces",
    "plan_data",
    "plan_random",
    "positive",
    "resampled",
    "vectorizable",
]

_RENAMED = ("rng", "random_state", "seed")


def plan_random(function: str, key: Any, like: Any, other: dict[str, Any]) -> Any:
    """Return the key of a call, on the device of an array; refuse SciPy's generators."""
    for name in other:
        if name not in _RENAMED:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
        raise ArgumentError(
            f"{function}: {name}= isn't taken, as generators of NumPy have a state and are of one "
            "library; take key=, an integer or a key from likewise.random.key(seed)"
        )
    if key is None or (hasattr(key, "__index__") and not getattr(key, "ndim", 0)):
        return key_of(0 if key is None else key.__index__(), like=like)
    return plan_key(function, key, None, None, like)[1]


def plan_data(function: str, data: Any, axis: Any, least: int = 0) -> list[Any]:
    """Return samples with observations along the last axis and equal batch dimensions."""
    samples = _each(function, data)
    if not samples:
        raise ArgumentError(f"{function}: data must contain at least one sample, got none")
    xp = array_namespace(*samples)
    arrays = [numeric(function, xp, f"data[{i}]", x) for i, x in enumerate(samples)]
    ndim = max(1, *(x.ndim for x in arrays))
    arrays = [xp.reshape(x, (1,) * (ndim - x.ndim) + tuple(x.shape)) for x in arrays]
    (at,) = _one(function, axis, ndim)
    arrays = [xp.moveaxis(x, at, -1) if at != ndim - 1 else x for x in arrays]
    for i, x in enumerate(arrays):
        if x.shape[-1] < least:
            raise ArgumentError(
                f"{function}: each sample must contain two or more observations along axis, "
                f"got {x.shape[-1]} in data[{i}]"
            )
    batch = _plan.broadcast(function, **{f"data[{i}]": x.shape[:-1] for i, x in enumerate(arrays)})
    return [
        x if tuple(x.shape[:-1]) == batch else xp.broadcast_to(x, (*batch, x.shape[-1]))
        for x in arrays
    ]


def _each(function: str, data: Any) -> list[Any]:
    """Return a sequence's samples, or the rows of an array."""
    if isinstance(data, list | tuple):
        return list(data)
    if not hasattr(data, "shape") or is_neutral(data) or not data.ndim:
        raise ArrayTypeError(
            f"{function}: data must be a sequence of samples, got a {describe(data)}"
        )
    return [data[i, ...] for i in range(data.shape[0])]


def _one(function: str, axis: Any, ndim: int) -> tuple[int, ...]:
    if hasattr(axis, "__index__"):
        return _plan.axis_tuple(function, "axis", axis.__index__(), ndim)
    if isinstance(axis, float) and axis.is_integer():
        return _plan.axis_tuple(function, "axis", int(axis), ndim)
    raise ArgumentError(f"{function}: axis must be an integer, got {axis!r}")


def positive(function: str, name: str, value: Any, least: int = 1) -> int:
    """Return an option that is an integer, which may be written as 1e4."""
    try:
        found = int(value)
    except (TypeError, ValueError, OverflowError):
        found = least - 1
    if found < least or found != value:
        raise ArgumentError(f"{function}: {name} must be an integer >= {least}, got {value!r}")
    return found


def vectorizable(function: str, name: str, user: Any, vectorized: Any) -> bool:
    """Tell if a user's function takes `axis`."""
    if not any(vectorized is v for v in (None, True, False)):
        raise ArgumentError(
            f"{function}: vectorized must be True, False or None, got {vectorized!r}"
        )
    if not callable(user):
        raise ArrayTypeError(f"{function}: {name} must be callable, got {describe(user)}")
    if vectorized is not None:
        return bool(vectorized)
    try:
        return "axis" in inspect.signature(user).parameters
    except ValueError as error:
        raise ArgumentError(
            f"{function}: {name} doesn't tell its parameters ({error}): pass vectorized="
        ) from None


def check_statistic(
    function: str, statistic: Any, vectorized: Any, name: str = "statistic"
) -> Callable[..., Any]:
    """Return the statistic as a function of samples with observations along the last axis."""
    if vectorizable(function, name, statistic, vectorized):
        return lambda *samples: _array(statistic(*samples, axis=-1), samples[0])
    return lambda *samples: _row_by_row(statistic, samples)


def _array(x: Any, like: Any) -> Any:
    """Return a result, which may be a Python number, as an array."""
    if not is_neutral(x) and hasattr(x, "dtype"):
        return x
    return array_namespace(like).asarray(x)


def _row_by_row(statistic: Callable[..., Any], samples: Sequence[Any]) -> Any:
    """Return a statistic of one-dimensional samples for all rows.

    By a loop on the host, where any Python function will do; by one batched call elsewhere, and
    where each operation is compiled.
    """
    xp = array_namespace(*samples)
    batch = _plan.broadcast("statistic", **{str(i): x.shape[:-1] for i, x in enumerate(samples)})
    if not batch:
        return _array(statistic(*samples), samples[0])
    flat = [
        xp.reshape(xp.broadcast_to(x, (*batch, x.shape[-1])), (-1, x.shape[-1])) for x in samples
    ]
    if hooks_of(flat[0]).compiles or not all(map(is_concrete, flat)):
        found = vmap(statistic, out_axes=-1)(*flat)
    else:
        rows = range(math.prod(batch))
        each = [_array(statistic(*(x[i, :] for x in flat)), flat[0]) for i in rows]
        found = xp.stack(each, axis=-1)
    return xp.reshape(found, (*found.shape[:-1], *batch))


def resampled(x: Any, index: Any) -> Any:
    """Return a sample's observations by indices of each resample, shape (..., rows, n)."""
    xp = array_namespace(x)
    found = xp.take(x, xp.reshape(index, (-1,)), axis=-1)
    return xp.reshape(found, (*x.shape[:-1], *index.shape))


def pieces(function: str, count: int, size: int, progress: Any) -> Iterator[tuple[int, int]]:
    """Yield starts and sizes of pieces of the resamples, and tell the caller how many are done."""
    if not (isinstance(progress, bool) or callable(progress)):
        raise ArgumentError(
            f"{function}: progress must be True, False or callable, got {progress!r}"
        )
    with Progress() if progress is True else nullcontext(progress) as tell:
        for start in range(0, count, size):
            rows = min(size, count - start)
            yield start, rows
            if tell:
                tell(start + rows, count, "resamples")


def fitting(x: Any, each: int, count: int) -> int:
    """Return how many resamples, of `each` elements, to make at once."""
    if is_lazy(x):  # what is traced is traced once
        return max(1, count)
    most = working_set(x)
    if most is None:  # a device: indices, words and elements
        return at_once(x, 64 * max(1, each), count)
    # Words and indices lie beside the elements in a core's caches.
    return max(1, min(count, most // (32 * max(1, each)) // 64 * 64 or 1))
