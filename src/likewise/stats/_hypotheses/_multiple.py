"""Comparisons of several groups at once: Tukey's, and Dunnett's with a control."""

import itertools
from dataclasses import field
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._typing import A
from ...errors import ArgumentError, ArrayTypeError, ShapeError
from ...interop import to_numpy
from ...optimize.elementwise import find_root
from ...solving._result import result
from .._base._outcomes import ConfidenceInterval
from .._base._pvalues import direction
from .._base._studentized import dunnett_sf, studentized_range_sf

__all__ = ["DunnettResult", "TukeyHSDResult", "dunnett", "tukey_hsd"]


def _level(confidence_level: float) -> None:
    if not 0 < confidence_level < 1:
        raise ArgumentError(
            f"confidence_interval: Confidence level must be between 0 and 1, got {confidence_level}"
        )


def _printed(title: str, found: Any, names: dict[str, Any]) -> str:
    """Return a table of comparisons by name, each with its place in the arrays."""
    bounds = found.confidence_interval(0.95)
    columns = [to_numpy(v) for v in (found.statistic, found.pvalue, bounds.low, bounds.high)]
    width = max(map(len, names))
    lines = [f"{title}, with bounds that hold at once at 95.0%"]
    lines += [" " * width + "".join(f"{s:>12}" for s in ("statistic", "p-value", "low", "high"))]
    lines += [
        f"{n:<{width}}" + "".join(f"{v[at]:>12.3f}" for v in columns) for n, at in names.items()
    ]
    return "\n".join(lines)


@result
class TukeyHSDResult:
    """Hold the comparison of each pair of groups.

    Attributes
    ----------
    statistic : array, shape (k, k)
        The difference of the means of groups i and j.
    pvalue : array, shape (k, k)
        Its p-value.
    """

    statistic: Any
    pvalue: Any
    _df: Any = field(repr=False)
    _error: Any = field(repr=False)

    def __str__(self) -> str:
        """Return a table of the pairs, with bounds of their differences."""
        if not is_concrete(self.pvalue):
            return repr(self)
        pairs = itertools.permutations(range(self.pvalue.shape[0]), 2)
        return _printed("Tukey's test", self, {f"({i} - {j})": (i, j) for i, j in pairs})

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return bounds of the differences that hold at once, with the given probability.

        Raises ArgumentError if the level is not in (0, 1).
        """
        _level(confidence_level)
        k, df = self.statistic.shape[0], self._df
        found = find_root(
            lambda q, df: studentized_range_sf(q, k, df) - (1 - confidence_level),
            (0.0 * df, 1000.0 + 0 * df),
            args=(df,),
        )
        width = found.x * self._error
        return ConfidenceInterval(self.statistic - width, self.statistic + width)


@result
class DunnettResult:
    """Hold the comparison of each group with the control.

    Attributes
    ----------
    statistic : array, shape (k,)
        Student's statistic of each group and the control.
    pvalue : array, shape (k,)
        Its p-value.
    """

    statistic: Any
    pvalue: Any
    _df: Any = field(repr=False)
    _difference: Any = field(repr=False)
    _error: Any = field(repr=False)
    _loads: Any = field(repr=False)
    _side: Any = field(repr=False)

    def __str__(self) -> str:
        """Return a table of the groups, with bounds of their differences from the control."""
        if not is_concrete(self.pvalue):
            return repr(self)
        groups = range(self.pvalue.shape[0])
        return _printed("Dunnett's test", self, {f"(Sample {i} - Control)": i for i in groups})

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return bounds of the differences that hold at once, with the given probability.

        Raises ArgumentError if the level is not in (0, 1). A one-sided test has infinite bounds.
        """
        _level(confidence_level)
        xp, df, side = array_namespace(self._df), self._df, int(self._side)
        found = find_root(
            lambda t, df: dunnett_sf(t, self._loads, df, bool(side)) - (1 - confidence_level),
            (-1000.0 * abs(side) + 0 * df, 1000.0 + 0 * df),
            args=(df,),
        )
        width = xp.abs(found.x) * self._error
        inf = xp.full_like(width, xp.inf)
        low, high = self._difference - width, self._difference + width
        return ConfidenceInterval(-inf if side < 0 else low, inf if side > 0 else high)


def tukey_hsd(*args: A, equal_var: bool = True) -> TukeyHSDResult:
    """Compare the means of all pairs of groups: Tukey, Kramer, and Games and Howell.

    Parameters
    ----------
    *args : array, shape (n_i,)
        Two groups or more, real, each of 2 finite observations or more.
    equal_var : bool, optional
        Whether equal variances are assumed; else as by Games and Howell.

    Returns
    -------
    TukeyHSDResult
        With `statistic`, `pvalue` and a method `confidence_interval`.

    Raises
    ------
    ArgumentError
        If observations are infinite.
    ArrayTypeError
        If `equal_var` is no bool.
    ShapeError
        If there are fewer than two groups, or a group has no two observations in one dimension.

    Notes
    -----
    J. W. Tukey, Biometrics 5, 1949; P. A. Games, J. F. Howell, J. Educ. Stat. 1, 1976. P-values by
    quadrature, 22,000 nodes for each pair. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import tukey_hsd
    >>> a, b, c = np.asarray([1.0, 2, 3]), np.asarray([2.0, 4, 6]), np.asarray([5.0, 6, 9])
    >>> float(tukey_hsd(a, b, c).pvalue[0, 2].round(6))
    0.040519
    """
    if not isinstance(equal_var, bool):
        raise ArrayTypeError(f"tukey_hsd: equal_var: Expected a boolean value, got {equal_var!r}")
    if len(args) < 2:
        raise ShapeError(f"tukey_hsd: There must be more than 1 treatment, got {len(args)}")
    xp, groups = _groups("tukey_hsd", args, 2)
    for x in groups:
        if is_concrete(x) and bool(xp.any(xp.isinf(x))):
            raise ArgumentError("tukey_hsd: Input samples must be finite")
    k, sizes, means, squares = _summaries(xp, groups)
    with quiet(means):
        off = means[:, None] - means[None, :]
        if equal_var:
            df = xp.sum(sizes) - k + 0 * off
            variance = xp.sum(squares) / df
            part = xp.broadcast_to(variance, (k, k)) * (1 / sizes[:, None] + 1 / sizes[None, :])
        else:
            v = squares / (sizes - 1) / sizes
            part = v[:, None] + v[None, :]
            w = v * v / (sizes - 1)
            df = part**2 / (w[:, None] + w[None, :])
        error = xp.sqrt(part / 2)
        q = xp.abs(off) / error
        strange = xp.isnan(q) | xp.isnan(df)
        p = studentized_range_sf(xp.where(strange, 1.0, q), k, xp.where(strange, 1.0, df))
    return TukeyHSDResult(off, xp.where(strange, xp.nan, p), df, error)


def dunnett(
    *samples: A,
    control: A,
    alternative: str = "two-sided",
    rng: None = None,
    random_state: None = None,
) -> DunnettResult:
    """Compare the means of groups with that of a control: Dunnett.

    Parameters
    ----------
    *samples : array, shape (n_i,)
        The groups, real.
    control : array, shape (n,)
        The control.
    alternative : {'two-sided', 'less', 'greater'}, optional
        How the means of the groups differ from that of the control.
    rng, random_state : None, optional
        Refused: nothing is drawn.

    Returns
    -------
    DunnettResult
        With `statistic`, `pvalue` and a method `confidence_interval`.

    Raises
    ------
    ArgumentError
        If an option has another value.
    ShapeError
        If a group isn't of one dimension, or is empty.

    Notes
    -----
    C. W. Dunnett, J. Am. Stat. Assoc. 50, 1955. P-values by quadrature, 22,000 nodes for each pair
    of groups. Differentiable.

    Differs from SciPy: p-values are not drawn at random, and have all digits.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import dunnett
    >>> a, b, c = np.asarray([1.0, 2, 3]), np.asarray([2.0, 4, 6]), np.asarray([5.0, 6, 9])
    >>> float(dunnett(b, c, control=a).pvalue[1].round(6))
    0.031077
    """
    side = direction("dunnett", alternative)
    if rng is not None or random_state is not None:
        raise ArgumentError(
            "dunnett: rng and random_state are not taken: p-values are not drawn, so that no key= "
            "is needed either"
        )
    if not samples:
        raise ShapeError("dunnett: there must be a group beside the control")
    xp, groups = _groups("dunnett", (*samples, control), 1)
    k, sizes, means, squares = _summaries(xp, groups)
    with quiet(means):
        df = xp.sum(sizes) - k
        deviation = xp.sqrt(xp.sum(squares) / df)
        n, n0, off = sizes[:-1], sizes[-1], means[:-1] - means[-1]
        error = deviation * xp.sqrt(1 / n + 1 / n0)
        t = off / error
        loads = xp.sqrt(n / (n + n0))
        some = -t if side < 0 else t if side else xp.abs(t)
        strange = xp.isnan(some)
        some = xp.where(strange, 0.0, some)
        p = dunnett_sf(some, loads, df + 0 * some, bool(side))
    p = xp.where(strange, xp.nan, p)
    return DunnettResult(t, p, df, off, error, loads, xp.asarray(side, device=device(t)))


def _groups(function: str, given: tuple[Any, ...], least: int) -> tuple[Any, list[Any]]:
    """Return vectors of one library, device and dtype."""
    xp = array_namespace(*given)
    names = tuple(f"sample {i}" for i in range(len(given)))
    found = list(_plan.common_floating(function, xp, names, *given, real=True))
    for i, x in enumerate(found):
        if x.ndim == 0 and least == 1:
            found[i] = x = xp.reshape(x, (1,))
        if x.ndim != 1:
            raise ShapeError(
                f"{function}: Input samples must be one-dimensional: groups must be 1D arrays, got "
                f"the shape {tuple(x.shape)}"
            )
        if x.shape[0] < least:
            raise ShapeError(
                f"{function}: Input sample size must be greater than one, or must have at least 1 "
                f"observation beside a control: {least} or more, got {x.shape[0]}"
            )
    return xp, found


def _summaries(xp: Any, groups: list[Any]) -> tuple[int, Any, Any, Any]:
    """Return the number of groups, their sizes, means and sums of squared deviations."""
    means = [xp.mean(x) for x in groups]
    squares = [xp.sum((x - m) ** 2) for x, m in zip(groups, means, strict=True)]
    sizes = [float(x.shape[0]) for x in groups]
    first = groups[0]
    return (
        len(groups),
        xp.asarray(sizes, dtype=first.dtype, device=device(first)),
        xp.stack(means),
        xp.stack(squares),
    )
