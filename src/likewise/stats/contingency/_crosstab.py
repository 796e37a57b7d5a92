"""Tables of how often values occur together."""

from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, is_lazy
from ...errors import ArgumentError, ArrayTypeError, NotSupported, ShapeError
from ...missing import bincount
from ...missing._axes import index_dtype, numeric

__all__ = ["CrosstabResult", "crosstab"]


class CrosstabResult(NamedTuple):
    """Hold the values of each variable and the table of counts."""

    elements: tuple[Any, ...]
    count: Any


def crosstab(*args: Any, levels: Any = None, sparse: bool = False) -> CrosstabResult:
    """Count how often values of variables occur together.

    Parameters
    ----------
    *args : array, shape (n,)
        The variables' observations, numbers.
    levels : sequence, optional
        For each variable the values to count, or None: those that occur.
    sparse : bool
        True is not supported.

    Returns
    -------
    CrosstabResult
        ``elements``, the values, and ``count``, the table, with a dimension for each variable.

    Raises
    ------
    ArgumentError, ArrayTypeError, NotSupported, ShapeError
        If there are no variables, shapes or the number of `levels` are others, or an array whose
        values aren't given is traced.

    Notes
    -----
    O(n) for each variable whose values are sorted, O(n k) with k given ones.

    Differs from SciPy: takes numbers, no strings; makes no sparse arrays.

    Examples
    --------
    >>> from likewise.stats.contingency import crosstab
    >>> found = crosstab([1, 1, 2, 1, 2], [0, 0, 0, 1, 1])
    >>> found.count
    array([[2, 1],
           [1, 1]])
    """
    name = "crosstab"
    if not args:
        raise ArrayTypeError(f"{name}: At least one input sequence is required")
    if sparse:
        raise NotSupported(f"{name}: sparse must be False, got {sparse!r}")
    xp = array_namespace(*args)
    arrays = [numeric(name, xp, f"args[{i}]", x, real=True) for i, x in enumerate(args)]
    xp = array_namespace(*arrays)
    if any(tuple(x.shape) != (arrays[0].shape[0] if x.ndim else -1,) for x in arrays):
        shapes = ", ".join(str(tuple(x.shape)) for x in arrays)
        raise ShapeError(f"{name}: All input sequences must have the same length, got {shapes}")
    levels = [None] * len(arrays) if levels is None else list(levels)
    if len(levels) != len(arrays):
        raise ArgumentError(
            f"{name}: len(levels) must equal the number of input sequences, got {len(levels)} for "
            f"{len(arrays)}"
        )
    elements: list[Any] = []
    sizes: list[int] = []
    code: Any = 0
    there: Any = None
    for i, (x, level) in enumerate(zip(arrays, levels, strict=True)):
        if level is None:
            if is_lazy(x):
                raise NotSupported(
                    f"{name}: give levels[{i}], as the values of args[{i}] are unknown"
                )
            values, place = xp.unique_inverse(x)
        else:
            words = (f"args[{i}]", f"levels[{i}]")
            values = level if hasattr(level, "shape") else xp.asarray(level, device=device(x))
            mine, values = _plan.common_floating(name, xp, words, x, values, real=True)
            same = mine[:, None] == values
            found = xp.any(same, axis=-1)
            there = found if there is None else there & found
            place, values = xp.argmax(xp.astype(same, xp.int8), axis=-1), level
        size = len(values) if level is not None else int(values.shape[0])
        elements.append(values)
        sizes.append(size)
        code = code * size + xp.astype(place, index_dtype(xp, x))
    total = 1
    for size in sizes:
        total *= size
    if there is not None:
        code = xp.where(there, code, xp.full_like(code, total))
    count = bincount(code, length=total + 1)[:total]
    return CrosstabResult(tuple(elements), xp.reshape(count, tuple(sizes)))
