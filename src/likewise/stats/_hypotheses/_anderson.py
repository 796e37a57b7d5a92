"""Anderson and Darling's tests of distributions."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, namespace, quiet
from ..._typing import A
from ...errors import ArgumentError, ShapeError
from ...missing import interp, searchsorted
from ...missing._axes import as_given, index_dtype
from ...solving._result import result
from ...special import log_ndtr
from .._base._outcomes import Unpacked
from .._base._pvalues import Significance
from .._base._samples import Rows, limited
from .._base._warnings import tell_degenerate
from .._distributions import weibull_min
from .._resampling._methods import MonteCarloMethod, PermutationMethod, by_resampling, check_method
from ._goodness_of_fit import goodness_of_fit

__all__ = ["AndersonResult", "Anderson_ksampResult", "anderson", "anderson_ksamp"]

# M. A. Stephens: J. Am. Stat. Assoc. 69, 1974, and 74, 1979; Biometrika 64, 1977. For each
# distribution the critical values, what they are divided by, and significance levels in percent.
_FIVE = (15.0, 10.0, 5.0, 2.5, 1.0)
_SIX = (25.0, 10.0, 5.0, 2.5, 1.0, 0.5)
_GUMBEL = (0.474, 0.637, 0.757, 0.877, 1.038)
_CRITICAL: dict[str, tuple[tuple[float, ...], Callable[[int], float], tuple[float, ...]]] = {
    "norm": (
        (0.561, 0.631, 0.752, 0.873, 1.035),
        lambda n: 1 + 0.75 / n + 2.25 / n / n,
        _FIVE,
    ),
    "expon": ((0.916, 1.062, 1.321, 1.591, 1.959), lambda n: 1 + 0.6 / n, _FIVE),
    "logistic": ((0.426, 0.563, 0.660, 0.769, 0.906, 1.010), lambda n: 1 + 0.25 / n, _SIX),
    "gumbel_l": (_GUMBEL, lambda n: 1 + 0.2 / n**0.5, _SIX[:-1]),
    "gumbel_r": (_GUMBEL, lambda n: 1 + 0.2 / n**0.5, _SIX[:-1]),
}
_STEPS = 25  # of Newton's method, which needs about six


# R. A. Lockhart, M. A. Stephens: J. R. Stat. Soc. B 56, 1994: critical values by 1 / c, 0, 0.05 ...
# 0.5, at these levels.
_LEVELS = (0.5, 0.75, 0.85, 0.9, 0.95, 0.975, 0.99, 0.995)
_WEIBULL = (
    (0.292, 0.395, 0.467, 0.522, 0.617, 0.711, 0.836, 0.931),
    (0.295, 0.399, 0.471, 0.527, 0.623, 0.719, 0.845, 0.941),
    (0.298, 0.403, 0.476, 0.534, 0.631, 0.728, 0.856, 0.954),
    (0.301, 0.408, 0.483, 0.541, 0.640, 0.738, 0.869, 0.969),
    (0.305, 0.414, 0.490, 0.549, 0.650, 0.751, 0.885, 0.986),
    (0.309, 0.421, 0.498, 0.559, 0.662, 0.765, 0.902, 1.007),
    (0.314, 0.429, 0.508, 0.570, 0.676, 0.782, 0.923, 1.030),
    (0.320, 0.438, 0.519, 0.583, 0.692, 0.802, 0.947, 1.057),
    (0.327, 0.448, 0.532, 0.598, 0.711, 0.824, 0.974, 1.089),
    (0.334, 0.469, 0.547, 0.615, 0.732, 0.850, 1.006, 1.125),
    (0.342, 0.472, 0.563, 0.636, 0.757, 0.879, 1.043, 1.167),
)


class FitParameters(NamedTuple):
    """Hold the parameters of a fit."""

    loc: Any
    scale: Any


class WeibullParameters(NamedTuple):
    """Hold the parameters of a fit of 'weibull_min'."""

    c: Any
    loc: Any
    scale: Any


class AndersonFit(NamedTuple):
    """Hold a fit."""

    params: FitParameters | WeibullParameters

    @property
    def success(self) -> bool:
        """True: the equations of the families have one solution, which is always found."""
        return True


@result
class AndersonResult(Unpacked):
    """Hold a statistic, its critical values and their significance levels in percent, and the fit.

    Unpacked, all but the fit. `fit_result.params` has the fields `loc` and `scale`.
    """

    UNPACKED = 3
    statistic: Any
    critical_values: Any
    significance_level: Any
    fit_result: Any


class Anderson_ksampResult(NamedTuple):
    """Hold a statistic, its critical values and its p-value."""

    statistic: Any
    critical_values: Any
    pvalue: Any

    @property
    def significance_level(self) -> Any:
        """The p-value, by its older name."""
        return self.pvalue


def anderson(x: A, dist: str = "norm", *, method: str | MonteCarloMethod | None = None) -> Any:
    """Test whether a sample comes from a family of distributions: Anderson and Darling.

    Parameters
    ----------
    x : array, shape (..., n)
        The sample, real; leading dimensions are a batch.
    dist : str, optional
        The family: 'norm', 'expon', 'logistic', 'gumbel_r', 'gumbel_l' (also called 'gumbel' and
        'extreme1') or 'weibull_min'. Location and scale are estimated, the scale alone for 'expon',
        the shape, too, of 'weibull_min'.
    method : 'interpolate' or MonteCarloMethod, optional
        'interpolate': the p-value by interpolation between critical values, and not beyond. A
        `MonteCarloMethod` (of a sample without a batch): by `goodness_of_fit`.

    Returns
    -------
    AndersonResult or Significance
        By default with `statistic`, `critical_values`, `significance_level` and `fit_result`; with
        a method, the statistic and its p-value.

    Raises
    ------
    ArgumentError
        If there is no such family or method; of one sample, if the likelihood of 'weibull_min' has
        no maximum inside. In a batch such a sample has NaN.
    ShapeError
        If `x` has no dimension.

    Notes
    -----
    M. A. Stephens, J. Am. Stat. Assoc. 69, 1974; 'weibull_min': R. A. Lockhart and M. A. Stephens,
    J. R. Stat. Soc. B 56, 1994. One sort, and a fit. Differentiable.

    Differs from SciPy: batches; without a method there is no warning; parameters of 'logistic' have
    all digits.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import anderson
    >>> found = anderson(np.asarray([1.1, 2.0, 2.3, 3.9, 4.2, 7.5]), method="interpolate")
    >>> float(found.statistic.round(6)), float(found.pvalue)
    (0.326363, 0.15)
    """
    if not isinstance(dist, str):
        raise ArgumentError(f"anderson: dist must be the name of a family, got {dist!r}")
    name = {"extreme1": "gumbel_l", "gumbel": "gumbel_l"}.get(dist.lower(), dist.lower())
    if name not in (*_CRITICAL, "weibull_min"):
        raise ArgumentError(
            f"anderson: Invalid distribution; dist must be in {', '.join(_CRITICAL)}, weibull_min, "
            f"got {dist!r}"
        )
    drawn = method is not None and check_method(
        "anderson", method, MonteCarloMethod, words=("interpolate",)
    )
    xp = array_namespace(x)
    (x,) = _plan.common_floating("anderson", xp, ("x",), x, real=True)
    if x.ndim == 0 or x.shape[-1] == 0:
        raise ShapeError(f"anderson: x must have observations, got the shape {tuple(x.shape)}")
    n, where = x.shape[-1], device(x)
    x = xp.sort(x, axis=-1, stable=False)
    if name == "weibull_min":
        return _of_weibull(x, method, drawn)
    with quiet(x):
        loc, scale = _FITS[name](x)
        a2 = _distance(*_tails(name, (x - loc) / scale))
    values, divisor, levels = _CRITICAL[name]
    critical = [round(v / divisor(n), 3) for v in values]
    critical, level = (xp.asarray(v, dtype=x.dtype, device=where) for v in (critical, list(levels)))
    if drawn:
        return Significance(as_given(a2), _drawn(name, x, method))
    if method is not None:
        return Significance(as_given(a2), as_given(interp(a2, critical, level / 100)))
    params = FitParameters(*(as_given(v[..., 0]) for v in (loc, scale)))
    return AndersonResult(as_given(a2), critical, level, AndersonFit(params))


def _distance(below: Any, above: Any) -> Any:
    """The statistic, of the logarithms of both tails at sorted observations."""
    xp, n = array_namespace(below), below.shape[-1]
    i = xp.arange(1, n + 1, dtype=below.dtype, device=device(below))
    return -n - xp.sum((2 * i - 1) / n * (below + xp.flip(above, axis=-1)), axis=-1)


def _of_weibull(x: Any, method: Any, drawn: bool) -> Any:
    """The test of the family of three parameters, of sorted samples."""
    xp, where = array_namespace(x), device(x)
    c, loc, scale = weibull_min.fit(x, axis=-1)
    gone = (c < 1) | (xp.abs(x[..., 0] - loc) <= 1e-5 * xp.abs(x[..., 0]) + 1e-8)
    if x.ndim == 1 and is_concrete(gone) and bool(gone):
        raise ArgumentError(
            "anderson: the likelihood of 'weibull_min' is largest where its location is the least "
            "observation, or its shape below 1, for which there are no critical values. Compare by "
            "likewise.stats.monte_carlo_test"
        )
    fitted: Any = weibull_min(*(v[..., None] for v in (c, loc, scale)))
    with quiet(x):
        a2 = xp.where(gone, xp.nan, _distance(fitted.logcdf(x), fitted.logsf(x)))
        table = xp.asarray(_WEIBULL, dtype=x.dtype, device=where)
        place = limited(20 / c, 0.0, len(_WEIBULL) - 1.0)
        near = xp.astype(limited(xp.floor(place), None, len(_WEIBULL) - 2.0), index_dtype(xp, x))
        low, high = (
            xp.reshape(xp.take(table, xp.reshape(k, (-1,)), axis=0), (*k.shape, table.shape[-1]))
            for k in (near, near + 1)
        )
        share = (place - xp.astype(near, x.dtype))[..., None]
        # Rounded up, to the safe side.
        critical = xp.round(1000 * (low + share * (high - low)) + 0.5) / 1000
    if drawn:
        return Significance(as_given(a2), _drawn("weibull_min", x, method))
    level = xp.asarray(_LEVELS, dtype=x.dtype, device=where)
    if method is None:
        params = WeibullParameters(*map(as_given, (c, loc, scale)))
        return AndersonResult(as_given(a2), critical, level, AndersonFit(params))
    beyond = (a2[..., None] - critical[..., :-1]) / (critical[..., 1:] - critical[..., :-1])
    p = 1 - level[0] - xp.sum(limited(beyond, 0.0, 1.0) * (level[1:] - level[:-1]), axis=-1)
    return Significance(as_given(a2), as_given(p))


def _drawn(name: str, x: Any, method: Any) -> Any:
    """The p-value by samples of the fitted distribution."""
    from .. import _distributions

    if method.rvs is not None or method.batch is not None:
        raise ArgumentError(
            "anderson: `method` must have neither rvs nor batch, as samples are of the family"
        )
    return goodness_of_fit(
        getattr(_distributions, name),
        x,
        known_params={"loc": 0.0} if name == "expon" else None,
        statistic="ad",
        n_mc_samples=method.n_resamples,
        key=method.key,
    ).pvalue


def _tails(name: str, w: Any) -> tuple[Any, Any]:
    """Return the logarithms of the distribution function and of what it lacks to 1."""
    xp = array_namespace(w)
    if name == "norm":
        return log_ndtr(w), log_ndtr(-w)
    if name == "expon":
        w = xp.clip(w, 0.0, None)
        return xp.log(-xp.expm1(-w)), -w
    if name == "logistic":
        zero = xp.zeros_like(w)
        return -xp.logaddexp(zero, -w), -xp.logaddexp(zero, w)
    if name == "gumbel_r":
        e = xp.exp(-w)
        return -e, xp.log(-xp.expm1(-e))
    e = xp.exp(w)
    return xp.log(-xp.expm1(-e)), -e


def _mean(x: Any) -> Any:
    return array_namespace(x).mean(x, axis=-1, keepdims=True)


def _deviation(x: Any) -> Any:
    xp = array_namespace(x)
    off = x - _mean(x)
    return xp.sqrt(xp.sum(off * off, axis=-1, keepdims=True) / (x.shape[-1] - 1))


def _fit_norm(x: Any) -> tuple[Any, Any]:
    return _mean(x), _deviation(x)


def _fit_expon(x: Any) -> tuple[Any, Any]:
    scale = _mean(x)
    return array_namespace(x).zeros_like(scale), scale


def _fit_gumbel_r(x: Any) -> tuple[Any, Any]:
    """Return location and scale of the largest likelihood, by Newton's method for the scale."""
    xp, low = array_namespace(x), x[..., :1]
    m, scale = _mean(x), _deviation(x) * math.sqrt(6) / math.pi
    for _ in range(_STEPS):
        w = xp.exp((low - x) / scale)
        total = xp.sum(w, axis=-1, keepdims=True)
        center = xp.sum(w * x, axis=-1, keepdims=True) / total
        spread = xp.sum(w * (x - center) ** 2, axis=-1, keepdims=True) / total
        new = scale - (scale - m + center) / (1 + spread / scale**2)
        scale = xp.where(new > scale / 3, new, scale / 3)
    return low - scale * xp.log(_mean(xp.exp((low - x) / scale))), scale


def _fit_gumbel_l(x: Any) -> tuple[Any, Any]:
    loc, scale = _fit_gumbel_r(array_namespace(x).flip(-x, axis=-1))
    return -loc, scale


def _fit_logistic(x: Any) -> tuple[Any, Any]:
    """Return location and scale of the largest likelihood, which is concave in 1 / scale."""
    xp, n = array_namespace(x), x.shape[-1]
    m, s = _mean(x), _deviation(x)
    y = (x - m) / s
    slope = xp.full_like(m, math.pi / math.sqrt(3))
    shift = xp.zeros_like(m)
    for _ in range(_STEPS):
        t = xp.tanh((slope * y - shift) / 2)
        bend = (1 - t * t) / 2
        g1 = xp.sum(t, axis=-1, keepdims=True)
        g2 = n / slope - xp.sum(y * t, axis=-1, keepdims=True)
        a = xp.sum(bend, axis=-1, keepdims=True)
        b = xp.sum(bend * y, axis=-1, keepdims=True)
        c = n / slope**2 + xp.sum(bend * y * y, axis=-1, keepdims=True)
        det = a * c - b * b
        shift = shift + (c * g1 + b * g2) / det
        new = slope + (b * g1 + a * g2) / det
        slope = xp.where(new > slope / 3, new, slope / 3)
    return m + s * shift / slope, s / slope


_FITS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    "norm": _fit_norm,
    "expon": _fit_expon,
    "logistic": _fit_logistic,
    "gumbel_l": _fit_gumbel_l,
    "gumbel_r": _fit_gumbel_r,
}


def anderson_ksamp(
    samples: Sequence[A],
    midrank: bool | None = None,
    *,
    variant: str | None = None,
    method: PermutationMethod | None = None,
) -> Any:
    """Test whether samples come from the same distribution: Anderson and Darling.

    Parameters
    ----------
    samples : sequence of array, shape (..., n_i)
        Two samples or more, real; leading dimensions are a batch, and broadcast.
    midrank : bool, optional
        SciPy's older way to choose between the variants 'midrank', the default, and 'right'.
    variant : {'midrank', 'right', 'continuous'}, optional
        How equal observations count.
    method : PermutationMethod, optional
        Permutes observations, so that p-values aren't bounded.

    Returns
    -------
    Significance or Anderson_ksampResult
        The statistic and its p-value, which lies in [0.001, 0.25]; without a variant, critical
        values between them.

    Raises
    ------
    ArgumentError
        If an option has another value, or the samples hold fewer than two different observations.
    ShapeError
        If there are fewer than two samples, fewer than four observations, or an empty sample.

    Notes
    -----
    F. W. Scholz, M. A. Stephens, J. Am. Stat. Assoc. 82, 1987, equations 3, 6 and 7; p-values by a
    parabola through the logarithms of their levels. Not differentiable.

    Differs from SciPy: batches; without a variant there is no warning.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import anderson_ksamp
    >>> a, b = np.asarray([1.0, 2.0, 3.0, 4.0, 5.0]), np.asarray([3.5, 5.0, 6.0, 7.0, 8.0])
    >>> found = anderson_ksamp([a, b], variant="midrank")
    >>> float(found.statistic.round(6)), float(found.pvalue.round(6))
    (2.619159, 0.027498)
    """
    if getattr(samples, "ndim", 0):  # rows, which array-api-strict doesn't iterate
        rows: Any = samples
        samples = [rows[i, ...] for i in range(rows.shape[0])]
    if len(samples) < 2:
        raise ShapeError(f"anderson_ksamp needs at least two samples, got {len(samples)}")
    resampled = check_method("anderson_ksamp", method, PermutationMethod)
    kind = variant if variant is not None else ("right" if midrank is False else "midrank")
    _plan.choice("anderson_ksamp", "variant", kind, ("midrank", "right", "continuous"))
    xp = array_namespace(*samples)
    names = tuple(f"samples[{i}]" for i in range(len(samples)))
    given = list(_plan.common_floating("anderson_ksamp", xp, names, *samples, real=True))
    if any(x.ndim == 0 or x.shape[-1] == 0 for x in given):
        raise ShapeError("anderson_ksamp encountered sample without observations")
    batch = _plan.broadcast(
        "anderson_ksamp", **{n: x.shape[:-1] for n, x in zip(names, given, strict=True)}
    )
    given = [
        x if x.shape[:-1] == batch else xp.broadcast_to(x, (*batch, x.shape[-1])) for x in given
    ]
    given = [xp.sort(x, axis=-1, stable=False) for x in given]
    sizes = tuple(x.shape[-1] for x in given)
    if sum(sizes) < 4:
        raise ShapeError(f"anderson_ksamp needs four observations or more, got {sum(sizes)}")
    pooled = xp.sort(xp.concat(given, axis=-1), axis=-1, stable=False)
    same = pooled[..., 0] == pooled[..., -1]
    if is_concrete(same) and bool(xp.any(same)):
        raise ArgumentError("anderson_ksamp needs more than one distinct observation")
    with quiet(pooled):
        a2 = _darling(kind, given, pooled)
    if resampled:

        def statistic(*samples: Any, axis: int) -> Any:
            with quiet(pooled):
                return _darling(kind, [xp.sort(x, axis=-1) for x in samples], pooled)

        rows = [Rows(x) for x in given]
        permuted = by_resampling("anderson_ksamp", method, rows, statistic, "greater")
    mean, sigma, critical, parabola = _constants(sizes)
    a2 = (a2 - mean) / sigma
    p = xp.exp((parabola[0] * a2 + parabola[1]) * a2 + parabola[2])
    for outside, end, words in (
        (a2 < critical[0], 0.25, "capped: true value larger than 0.25"),
        (a2 > critical[-1], 0.001, "floored: true value smaller than 0.001"),
    ):
        p = xp.where(outside, end, p)
        if not resampled and is_concrete(outside) and bool(xp.any(outside)):
            tell_degenerate(f"anderson_ksamp: p-value {words}. Consider method=PermutationMethod()")
    p = permuted if resampled else p
    if variant is not None:
        return Significance(as_given(a2), as_given(p))
    values = xp.asarray(list(critical), dtype=a2.dtype, device=device(a2))
    return Anderson_ksampResult(as_given(a2), values, as_given(p))


def _darling(kind: str, given: list[Any], pooled: Any) -> Any:
    """Return the statistic before it is normalized: each element has its part of its group's."""
    xp, total = array_namespace(pooled), pooled.shape[-1]
    z = pooled[..., :-1] if kind == "continuous" else pooled
    if kind == "continuous":
        b = xp.arange(1, total, dtype=z.dtype, device=device(z))
        below = b * (total - b)
    else:
        right = xp.astype(searchsorted(pooled, z, side="right"), z.dtype)
        left = xp.astype(searchsorted(pooled, z), z.dtype)
        b = (left + right) / 2 if kind == "midrank" else right
        below = b * (total - b) - (total * (right - left) / 4 if kind == "midrank" else 0.0)
    out: Any = 0.0
    for x in given:
        n = x.shape[-1]
        m = xp.astype(searchsorted(x, z, side="right"), z.dtype)
        if kind == "midrank":
            m = (m + xp.astype(searchsorted(x, z), z.dtype)) / 2
        part = (total * m - b * n) ** 2
        part = xp.where(below > 0, part / xp.where(below > 0, below, 1.0), 0.0)
        out = out + xp.sum(part, axis=-1) / n
    return out / total * ((total - 1) / total if kind == "midrank" else 1.0)


@_plan.of_settings
@functools.lru_cache(maxsize=64)
def _constants(sizes: tuple[int, ...]) -> tuple[float, float, list[float], list[float]]:
    """Return the statistic's mean and deviation, critical values, and log(p) as a parabola."""
    k, n = len(sizes), sum(sizes)
    inverse = sum(1 / s for s in sizes)
    h = sum(1 / i for i in range(1, n))
    g, tail = 0.0, 0.0
    for i in range(1, n - 1):
        tail += 1 / (n - i)
        g += tail / (i + 1)
    a = (4 * g - 6) * (k - 1) + (10 - 6 * g) * inverse
    b = (2 * g - 4) * k**2 + 8 * h * k + (2 * g - 14 * h - 4) * inverse - 8 * h + 4 * g - 6
    c = (6 * h + 2 * g - 2) * k**2 + (4 * h - 4 * g + 6) * k + (2 * h - 6) * inverse + 4 * h
    d = (2 * h + 6) * k**2 - 4 * h * k
    variance = (a * n**3 + b * n**2 + c * n + d) / ((n - 1.0) * (n - 2) * (n - 3))
    m = k - 1
    b0 = (0.675, 1.281, 1.645, 1.96, 2.326, 2.573, 3.085)
    b1 = (-0.245, 0.25, 0.678, 1.149, 1.822, 2.364, 3.615)
    b2 = (-0.105, -0.305, -0.362, -0.391, -0.396, -0.345, -0.154)
    levels = (0.25, 0.1, 0.05, 0.025, 0.01, 0.005, 0.001)
    critical = [p + q / m**0.5 + r / m for p, q, r in zip(b0, b1, b2, strict=True)]
    xp = namespace("numpy")
    at = xp.asarray(critical)
    q, r = xp.linalg.qr(xp.stack([at * at, at, 0 * at + 1], axis=-1))
    found = xp.linalg.solve(r, q.T @ xp.log(xp.asarray(levels)))
    return float(m), variance**0.5, critical, found.tolist()
