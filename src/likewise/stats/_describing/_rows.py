"""Steps that statistics of one sample share: the frame of a reduction, deviations and powers."""

from collections.abc import Callable
from typing import Any

from ..._namespace import array_namespace, quiet
from .._base._samples import Rows, count, enough, filled, nothing, samples, total
from .._base._warnings import tell_of_rounding

__all__ = [
    "average",
    "centred",
    "has_nan",
    "power",
    "reduced",
    "shared",
    "unless",
    "variance",
]


def reduced(
    function: str,
    axis: Any,
    nan_policy: str,
    keepdims: bool,
    body: Callable[..., Any],
    least: int = 1,
    paired: bool = False,
    results: int = 0,
    **given: Any,
) -> Any:
    """Return a statistic of samples, NaN of those with fewer than `least` observations.

    `body` takes `Rows` and returns an array with the dimensions of the batch, or several `results`.
    """
    rows, back = samples(function, axis, nan_policy, keepdims, paired, **given)
    found = enough(function, *rows, least=least)
    if found is False:
        none = back(nothing(rows[0]))
        return [none] * results if results else none
    with quiet(rows[0].x):
        out = body(*rows)
        if results:
            return [back(x if found is True else unless(~found, x)) for x in out]
        return back(out if found is True else unless(~found, out))


def unless(bad: Any, out: Any) -> Any:
    """Return NaN where something, or everything, is bad."""
    xp = array_namespace(out)
    if isinstance(bad, bool):
        return xp.full_like(out, xp.nan) if bad else out
    return xp.where(bad, xp.full_like(out, xp.nan), out)


def has_nan(rows: Rows) -> Any:
    """Tell which samples have a NaN that isn't left out, shape (...)."""
    xp = array_namespace(rows.x)
    return xp.any(xp.isnan(filled(rows, 0.0)), axis=-1)


def centred(function: str, rows: Rows) -> tuple[Any, Any, Any]:
    """Return deviations from the mean, 0 where left out; the mean; and the number.

    If a function is named, its warning tells of deviations that are but rounding errors.
    """
    n = count(rows)
    m = total(rows) / n
    d = filled(Rows(rows.x - m, rows.there), 0.0)
    if function:
        tell_of_rounding(function, d, m, n)
    return d, m, n


def average(x: Any, n: Any) -> Any:
    """Return the mean over the last axis of what has zeros where left out, shape (..., 1)."""
    return array_namespace(x).sum(x, axis=-1, keepdims=True) / n


def variance(function: str, rows: Rows, ddof: float) -> tuple[Any, Any, Any]:
    """Return variance, mean and number, shape (..., 1)."""
    d, m, n = centred(function, rows)
    return shared(array_namespace(d).sum(d * d, axis=-1, keepdims=True), n, ddof), m, n


def shared(squares: Any, n: Any, ddof: float) -> Any:
    """Divide by ``n - ddof``; NaN if that isn't positive."""
    if isinstance(n, int):
        return squares / (n - ddof) if n > ddof else unless(True, squares)
    rest = n - ddof
    return squares / unless(rest <= 0, rest)


def power(x: Any, k: int) -> Any:
    """Return a power of a positive integer by squarings."""
    if k == 1:
        return x
    half = power(x, k // 2)
    return half * half * x if k % 2 else half * half
