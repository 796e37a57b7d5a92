"""Product-moment correlations of observations."""

from dataclasses import field, replace
from typing import Any

from ..._namespace import array_namespace, is_concrete, quiet
from ..._typing import A
from ...errors import ArgumentError, NotSupported, ShapeError
from ...missing._axes import as_given
from ...solving._result import result
from ...special import betainc, ndtri
from .._base._outcomes import ConfidenceInterval, Unpacked
from .._base._pvalues import direction
from .._base._samples import Rows, count, enough, filled, limited, nothing, total
from .._base._warnings import tell_constant, tell_near_constant
from .._resampling._methods import (
    BootstrapMethod,
    MonteCarloMethod,
    PermutationMethod,
    by_resampling,
    check_method,
)
from ._pairs import SignificanceResult, pairs

__all__ = ["PearsonRResult", "by_beta", "correlated", "pearsonr", "pointbiserialr"]


@result
class PearsonRResult(Unpacked):
    """Hold a correlation and its p-value, which it unpacks as.

    Attributes
    ----------
    statistic, pvalue : array
        The correlation, also named `correlation`, and the probability of one as extreme if the
        samples are independent and normal.
    """

    statistic: Any
    pvalue: Any
    _size: Any = field(repr=False)
    _side: Any = field(repr=False)
    _samples: Any = field(repr=False)  # rows

    @property
    def correlation(self) -> Any:
        """The statistic, by another of SciPy's names."""
        return self.statistic

    def confidence_interval(
        self, confidence_level: float = 0.95, method: BootstrapMethod | None = None
    ) -> ConfidenceInterval:
        """Return bounds of the correlation by Fisher's transformation; -1 and 1 of few pairs.

        With a `BootstrapMethod`, by resampling pairs. Raises ArgumentError if the level is not in
        [0, 1], or for another method; NotSupported if NaNs are left out and pairs resampled.
        """
        resampled = check_method("confidence_interval", method, BootstrapMethod)
        if not 0 <= confidence_level <= 1:
            raise ArgumentError(
                f"confidence_interval: confidence_level must lie in [0, 1], got {confidence_level}"
            )
        if resampled:
            return self._resampled(confidence_level, method)
        r = self.statistic
        xp = array_namespace(r)
        r = xp.asarray(r)
        size, one = xp.zeros_like(r) + self._size, xp.ones_like(r)
        side = xp.zeros_like(r) + self._side
        level = xp.where(side == 0, one * (1 + confidence_level) / 2, one * confidence_level)
        few = size <= 3
        with quiet(r):
            width = ndtri(level) / xp.sqrt(xp.where(few, one, size - 3))
            low, high = (xp.tanh(xp.atanh(r) + s * width) for s in (-1, 1))
        low = xp.where(few | (side < 0), -one, low)
        high = xp.where(few | (side > 0), one, high)
        return ConfidenceInterval(as_given(low), as_given(high))

    def _resampled(self, level: float, method: Any) -> ConfidenceInterval:
        from .._resampling import bootstrap

        rows = self._samples
        if rows[0].there is not None:
            raise NotSupported(
                "confidence_interval: samples with NaNs are not resampled: leave them out before"
            )
        found = bootstrap(
            [r.x for r in rows],
            _statistic,
            vectorized=True,
            paired=True,
            axis=-1,
            confidence_level=level,
            alternative=("two-sided", "greater", "less")[int(self._side)],
            **method._asdict(),
        ).confidence_interval
        xp = array_namespace(*found)
        shape = xp.asarray(self.statistic).shape
        bounds = (xp.reshape(xp.clip(xp.asarray(v), -1.0, 1.0), shape) for v in found)
        return ConfidenceInterval(*map(as_given, bounds))


def pearsonr(
    x: A,
    y: A,
    *,
    alternative: str = "two-sided",
    method: PermutationMethod | MonteCarloMethod | None = None,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> PearsonRResult:
    """Test Pearson's correlation of two samples.

    Parameters
    ----------
    x, y : array
        The samples, real; all dimensions but those of `axis` broadcast, and are a batch.
    alternative : {'two-sided', 'less', 'greater'}, optional
        The sign of the correlation under the alternative.
    method : PermutationMethod or MonteCarloMethod, optional
        How the p-value is resampled: by permuted pairs, or by samples of normal numbers, or of the
        method's `rvs`.
    axis : int, tuple of int or None, optional
        The observations' axes, the first by default; None takes all.
    nan_policy : {'propagate', 'omit', 'raise'}, optional
        What is done with NaNs; 'omit' leaves out pairs.
    keepdims : bool, optional
        Whether the axes are kept with size 1.

    Returns
    -------
    PearsonRResult
        With `statistic`, `pvalue` and a method `confidence_interval`. NaN, with a warning, of a
        constant sample.

    Raises
    ------
    ArgumentError
        If an option has another value.
    NotSupported
        If NaNs are left out, and pairs resampled.
    ShapeError
        If the samples have different sizes or fewer than 2 elements.

    Notes
    -----
    Under the null hypothesis r has a beta distribution on [-1, 1] (Student, Biometrika 6, 1908).
    Differentiable.

    Differs from SciPy: there are `nan_policy`, `keepdims` and several axes.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import pearsonr
    >>> r, p = pearsonr(np.asarray([1.0, 2.0, 3.0, 4.0]), np.asarray([1.0, 3.0, 2.0, 4.0]))
    >>> float(r.round(6)), float(p.round(6))
    (0.8, 0.2)
    """
    side = direction("pearsonr", alternative)
    resampled = check_method("pearsonr", method, PermutationMethod, MonteCarloMethod)
    (a, b), back = pairs("pearsonr", axis, nan_policy, keepdims, equal=True, x=x, y=y)
    if a.x.shape[-1] < 2:
        raise ShapeError(
            f"pearsonr: x and y must have length at least 2, got {a.x.shape[-1]} along the axes"
        )
    found = PearsonRResult(*_tested("pearsonr", a, b, side, back), side, (a, b))
    if resampled:
        p = by_resampling("pearsonr", method, (a, b), _statistic, alternative, "pairings")
        found = replace(found, pvalue=back(p))
    return found


def _statistic(x: Any, y: Any, axis: int) -> Any:
    xp = array_namespace(x, y)
    x, y = xp.broadcast_arrays(x, y)
    return correlated("pearsonr", Rows(x), Rows(y), x.shape[-1])[..., 0]


def pointbiserialr(
    x: A,
    y: A,
    *,
    axis: int | tuple[int, ...] | None = 0,
    nan_policy: str = "propagate",
    keepdims: bool = False,
) -> SignificanceResult:
    """Test the correlation of a sample with a binary one.

    Parameters
    ----------
    x : array
        Booleans or numbers, which take two values.
    y : array
        The other sample, real.
    axis, nan_policy, keepdims : optional
        As for `pearsonr`.

    Returns
    -------
    SignificanceResult
        With `statistic` and `pvalue`; NaN, with a warning, of a constant sample or of fewer than 2
        observations.

    Raises
    ------
    ArgumentError, ShapeError
        As for `pearsonr`.

    Notes
    -----
    It is Pearson's correlation. Differentiable in `y`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import pointbiserialr
    >>> found = pointbiserialr(np.asarray([False, False, True, True]), np.arange(4.0))
    >>> float(found.statistic.round(6))
    0.894427
    """
    (a, b), back = pairs("pointbiserialr", axis, nan_policy, keepdims, x=x, y=y)
    if enough("pointbiserialr", a, least=2) is False:
        nan = back(nothing(a))
        return SignificanceResult(nan, nan)
    return SignificanceResult(*_tested("pointbiserialr", a, b, 0, back)[:2])


def _tested(function: str, a: Rows, b: Rows, side: int, back: Any) -> tuple[Any, Any, Any]:
    xp = array_namespace(a.x, b.x)
    n = count(a)
    if not isinstance(n, int):
        enough(function, a, least=2)
    r = correlated(function, a, b, n)
    p = by_beta(r, n, side)
    if isinstance(n, int):
        if n == 2:
            r, p = xp.round(r), xp.where(xp.isnan(r), r, xp.ones_like(r))
    else:
        few = n < 2
        r = xp.where(n == 2, xp.round(r), xp.where(few, xp.nan, r))
        p = xp.where(n <= 2, xp.where(xp.isnan(r), r, xp.ones_like(r)), p)
        n = back(n[..., 0])
    return back(r[..., 0]), back(p[..., 0]), n


def correlated(function: str, a: Rows, b: Rows, n: Any) -> Any:
    """Return the correlation of rows, shape (..., 1); NaN, with a warning, of constant ones."""
    xp = array_namespace(a.x, b.x)  # of which a transform may follow one alone
    x, there = xp.stack((a.x, b.x)), a.there
    with quiet(x):
        mean = total(Rows(x, there)) / n
        off = filled(Rows(x - mean, there), 0.0)
        most = xp.max(xp.abs(off), axis=-1, keepdims=True)
        lazy = not is_concrete(x)
        if lazy:  # numbers for the derivatives of what isn't chosen
            constant = _constant(x, there)
            lone = constant | (most == 0)
            off = xp.where(lone, xp.ones_like(off), off)
            most = xp.where(lone, xp.ones_like(most), most)
        off = off / most  # so that no square overflows
        norm = xp.sqrt(xp.vecdot(off, off))[..., None]
        r = xp.vecdot(off[0, ...], off[1, ...])[..., None] / (norm[0, ...] * norm[1, ...])
        r = limited(r, -1.0, 1.0)
        if lazy:
            return xp.where(xp.any(lone, axis=0), xp.nan, r)
        far = most * norm >= xp.finfo(x.dtype).eps ** 0.75 * xp.abs(mean)
        if not bool(xp.all(far)):
            constant = _constant(x, there)
            if bool(xp.any(constant)):
                tell_constant(
                    f"{function}: An input array is constant; the correlation is not defined: NaN"
                )
                r = xp.where(xp.any(constant, axis=0), xp.nan, r)
            if bool(xp.any(~far & ~constant & ~xp.isnan(norm))):
                tell_near_constant(
                    f"{function}: An input array is nearly constant; the correlation may be "
                    "inaccurate"
                )
    return r


def _constant(x: Any, there: Any) -> Any:
    xp = array_namespace(x)
    low = xp.min(filled(Rows(x, there), xp.inf), axis=-1, keepdims=True)
    high = xp.max(filled(Rows(x, there), -xp.inf), axis=-1, keepdims=True)
    return low >= high


def by_beta(r: Any, n: Any, side: int, least: float = 0.0) -> Any:
    """Return the p-value of a correlation of `n` independent pairs, one of them normal.

    `least` is added to ``1 - r``.
    """
    xp = array_namespace(r)
    half = (1 - (side * r if side else xp.abs(r)) + least) / 2
    p = betainc(n / 2 - 1, n / 2 - 1, half)
    return p if side else 2 * p
