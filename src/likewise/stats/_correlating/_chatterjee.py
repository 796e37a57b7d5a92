"""Chatterjee's xi correlation."""

from typing import Any

from ..._namespace import array_namespace, device, quiet
from ..._native import Lines, batches, native
from ..._typing import A
from ...errors import ArgumentError
from .._base._pvalues import by_normal
from .._base._ranks import ranked
from .._base._samples import enough, filled, nothing
from .._resampling._methods import PermutationMethod, by_resampling, check_method
from ._pairs import SignificanceResult, pairs

__all__ = ["chatterjeexi"]


def chatterjeexi(
    x: A,
    y: A,
    *,
    axis: int | tuple[int, ...] | None = 0,
    y_continuous: bool = False,
    method: str | PermutationMethod = "asymptotic",
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Test Chatterjee's xi: how far `y` is a function of `x`.

    Parameters
    ----------
    x, y : array
        The samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    axis : int, tuple of int or None, optional
        The observations' axes, the first by default; None takes all.
    y_continuous : bool, optional
        Whether `y` has no ties, which makes the formulas shorter.
    method : 'asymptotic' or PermutationMethod, optional
        The p-value; a `PermutationMethod` permutes pairs.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs; 'omit' leaves out pairs.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    SignificanceResult
        With `statistic` and `pvalue`; NaN, with a warning, of fewer than 2 observations.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If the samples don't broadcast.

    Notes
    -----
    Chatterjee, J. Am. Stat. Assoc. 116, 2021, equations 1.1, 1.2 and 2.2. Equal elements of `x`
    keep their order. Not differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import chatterjeexi
    >>> x = np.linspace(-1.0, 1.0, 20)
    >>> float(chatterjeexi(x, x * x).statistic.round(6))
    0.714929
    """
    if not isinstance(y_continuous, bool):
        raise ArgumentError(f"chatterjeexi: y_continuous must be a bool, got {y_continuous!r}")
    words = ("asymptotic",)
    resampled = check_method("chatterjeexi", method, PermutationMethod, words=words)
    (a, b), back = pairs("chatterjeexi", axis, nan_policy, keepdims, x=x, y=y)
    if enough("chatterjeexi", a, least=2) is False:
        nan = back(nothing(a))
        return SignificanceResult(nan, nan)
    xp, omit = array_namespace(a.x), a.there is not None
    xi, p = _xi(filled(a, xp.nan), filled(b, xp.nan), omit, y_continuous)
    if resampled:

        def statistic(x: Any, y: Any, axis: int) -> Any:
            x, y = xp.broadcast_arrays(x, y)
            return _xi(x, y, False, y_continuous)[0][..., 0]

        p = by_resampling("chatterjeexi", method, (a, b), statistic, "greater", "pairings")
        p = p[..., None]
    return SignificanceResult(back(xi[..., 0]), back(p[..., 0]))


def _in_blocks(x: Any, y: Any, *options: Any) -> Lines:
    return batches({0: (x, 1), 1: (y, 1)}, ((1,), x.dtype), ((1,), x.dtype))


@native(blocks=_in_blocks)
def _xi(x: Any, y: Any, omit: bool, continuous: bool) -> tuple[Any, Any]:
    xp = array_namespace(x)
    gone = xp.isnan(x) | xp.isnan(y)
    y = xp.take_along_axis(y, xp.argsort(x, axis=-1, stable=True), axis=-1)
    nan = xp.isnan(y)  # at the end, of those left out
    n: Any = x.shape[-1]
    if omit:
        n = xp.sum(xp.astype(~nan, x.dtype), axis=-1, keepdims=True)

    def total(values: Any, there: Any = ~nan) -> Any:
        if omit:
            values = xp.where(there, values, 0.0)
        return xp.sum(values, axis=-1, keepdims=True)

    mean, size = ranked(y)
    most = mean + (size - 1) / 2  # how many are at most y
    least = n - mean + (size + 1) / 2  # how many are at least y
    with quiet(x):
        steps = total(xp.abs(most[..., 1:] - most[..., :-1]), ~nan[..., 1:])
        if continuous:
            xi = 1 - 3 * steps / (n * n - 1)
            deviation = (0.4 / (xp.zeros_like(xi) + n)) ** 0.5
        else:
            xi = 1 - n * steps / (2 * total((n - least) * least))
            u = xp.sort(xp.where(nan, xp.inf, most), axis=-1, stable=False)
            held = ~xp.isinf(u)
            u = xp.where(held, u, 0.0)
            i = xp.arange(1, x.shape[-1] + 1, dtype=x.dtype, device=device(x))
            odd = 2 * (n - i) + 1
            v = xp.cumulative_sum(u, axis=-1) + (n - i) * u
            a = total(odd * u * u, held) / n**4
            b = total(v * v, held) / n**5
            c = total(odd * u, held) / n**3
            d = total(least * (n - least)) / n**3
            deviation = xp.sqrt((a - 2 * b + c * c) / (d * d)) / (xp.zeros_like(a) + n) ** 0.5
        p = by_normal(xi / deviation, 1)
    few = n < 2
    if not omit:
        few = xp.any(gone, axis=-1, keepdims=True)
    return tuple(xp.where(few, xp.nan, v) for v in (xi, p))
