"""Probability plots: ordered values beside the quantiles of a distribution."""

from collections.abc import Sequence
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_neutral
from ...errors import ArgumentError, ShapeError
from ...missing._axes import as_given
from ...optimize import brent
from .. import _distributions
from .._base._samples import nothing, samples
from .._correlating import linregress

__all__ = ["ppcc_max", "ppcc_plot", "probplot"]


def probplot(
    x: Any,
    sparams: Any = (),
    dist: Any = "norm",
    fit: bool = True,
    plot: Any = None,
    rvalue: bool = False,
) -> Any:
    """Order values beside the quantiles of a distribution, and fit a line.

    Parameters
    ----------
    x : array, shape (..., n)
        The values, real.
    sparams : tuple or number, optional
        Shape parameters of the distribution, then loc and scale.
    dist : str or distribution, optional
        A distribution of `likewise.stats` or its name, or an object with a method ``ppf``.
    fit : bool, optional
        Whether to fit the line, by least squares.
    plot : object, optional
        Axes of matplotlib, or its module pyplot, to draw on; for one sample.
    rvalue : bool, optional
        Whether to write the coefficient of determination into the drawing.

    Returns
    -------
    (osm, osr) : arrays, shapes (n,) and (..., n)
        Quantiles, and the values in ascending order.
    (slope, intercept, r) : arrays, shape (...)
        The line and the correlation, if `fit`.

    Raises
    ------
    ArgumentError
        If there is no distribution of that name.

    Notes
    -----
    Quantiles at Filliben's estimate of the medians of uniform order statistics (Technometrics 17,
    1975, 111). Differentiable.

    Differs from SciPy: batches.

    Examples
    --------
    >>> from likewise.stats import probplot
    >>> (osm, osr), (slope, intercept, r) = probplot([1.0, 4.0, 2.0])
    >>> float(slope.round(4)), float(intercept.round(4))
    (1.8308, 2.3333)
    """
    (rows,), _ = samples("probplot", -1, "propagate", x=x)
    xp = array_namespace(rows.x)
    if rows.x.shape[-1] == 0:
        nan = as_given(nothing(rows))
        none = rows.x, rows.x
        return (none, (nan, nan, 0.0)) if fit else none
    osm = _named("probplot", dist).ppf(_medians(rows.x), *_several(sparams))
    osr = xp.sort(rows.x, axis=-1, stable=False)
    line = linregress(osm, osr, axis=-1) if fit else None
    if plot is not None:
        _draw(plot, osm, osr, line, rvalue)
    if line is None:
        return osm, osr
    return (osm, osr), (line.slope, line.intercept, line.rvalue)


def _draw(plot: Any, osm: Any, osr: Any, line: Any, rvalue: bool) -> None:
    plot.plot(osm, osr, "bo")
    if line is not None:
        plot.plot(osm, line.slope * osm + line.intercept, "r-")
    _label(plot, "Theoretical quantiles", "Ordered Values", "Probability Plot")
    if line is not None and rvalue:
        across, up = osm[-1] - osm[0], osr[-1] - osr[0]
        text = f"$R^2={float(line.rvalue) ** 2:1.4f}$"
        plot.text(float(osm[0] + 0.7 * across), float(osr[0] + 0.01 * up), text)


def _label(plot: Any, x: str, y: str, title: str) -> None:
    if hasattr(plot, "set_title"):
        plot.set_title(title)
        plot.set_xlabel(x)
        plot.set_ylabel(y)
    elif hasattr(plot, "title"):
        plot.title(title)
        plot.xlabel(x)
        plot.ylabel(y)


def ppcc_plot(
    x: Any, a: Any, b: Any, dist: Any = "tukeylambda", plot: Any = None, N: int = 80
) -> Any:
    """Correlate a probability plot for each of several values of a shape parameter.

    Parameters
    ----------
    x : array, shape (n,)
        The values, real.
    a, b : number
        The least and the greatest value of the shape parameter.
    dist : str or distribution, optional
        A distribution with one shape parameter, as for `probplot`.
    plot : object, optional
        Axes of matplotlib, or its module pyplot, to draw on.
    N : int, optional
        The number of values.

    Returns
    -------
    svals, ppcc : array, shape (N,)
        Values of the shape parameter, and correlations.

    Raises
    ------
    ArgumentError, ShapeError
        If a is not less than b; if `x` has other dimensions than one.

    Notes
    -----
    One call of the quantile function. Differentiable in `x`. Correlations of no values are 0.

    Examples
    --------
    >>> from likewise.stats import ppcc_plot
    >>> svals, ppcc = ppcc_plot([1.0, 2.0, 3.0, 5.0, 4.0], -0.5, 0.5, N=3)
    >>> ppcc.round(4)
    array([0.9906, 0.9973, 0.9997])
    """
    if b <= a:
        raise ArgumentError(f"ppcc_plot: b has to be larger than a, got a = {a} and b = {b}")
    x = _one("ppcc_plot", x, least=0)
    xp = array_namespace(x)
    shapes = xp.linspace(a, b, N, dtype=x.dtype, device=device(x))
    row, found = _named("ppcc_plot", dist), xp.zeros_like(shapes)
    if x.shape[0]:
        found = _correlation(row.ppf(_medians(x), shapes[:, None]), xp.sort(x, stable=False))
    if plot is not None:
        plot.plot(shapes, found, "x")
        _label(plot, "Shape Values", "Prob Plot Corr. Coef.", f"({dist}) PPCC Plot")
    return shapes, found


def ppcc_max(x: Any, brack: Sequence[float] = (0.0, 1.0), dist: Any = "tukeylambda") -> Any:
    """Find the shape parameter for which a probability plot has the greatest correlation.

    Parameters
    ----------
    x : array, shape (n,)
        The values, real.
    brack : tuple of number, optional
        Two values from which a bracket is looked for, or three that are one.
    dist : str or distribution, optional
        A distribution with one shape parameter, as for `probplot`.

    Returns
    -------
    array, shape ()
        The shape parameter.

    Raises
    ------
    ArgumentError, ShapeError
        If there is no distribution of that name; if the three numbers of `brack` aren't in order;
        if `x` has other dimensions than one.

    Notes
    -----
    Brent's method on 1 - r.

    Examples
    --------
    >>> from likewise.stats import ppcc_max
    >>> float(ppcc_max([-1.2, 0.9, 0.1, 0.5, -0.4, -0.1, 1.4, 0.3]).round(3))
    -0.381
    """
    x = _one("ppcc_max", x)
    if len(brack) == 3 and not (brack[0] < brack[1] < brack[2] or brack[0] > brack[1] > brack[2]):
        raise ArgumentError(f"ppcc_max: the three numbers of brack must be in order, got {brack}")
    row, medians, ordered = _named("ppcc_max", dist), _medians(x), array_namespace(x).sort(x)

    def gap(shape: Any) -> Any:
        return 1 - _correlation(row.ppf(medians, shape[..., None]), ordered)

    xp = array_namespace(x)
    return brent(gap, brack=tuple(xp.asarray(b, dtype=x.dtype, device=device(x)) for b in brack))


def _one(function: str, x: Any, least: int = 1) -> Any:
    xp = array_namespace(x)
    (x,) = _plan.common_floating(function, xp, ("x",), x, real=True)
    x = xp.asarray(x) if is_neutral(x) else x
    if x.ndim != 1 or x.shape[0] < least:
        raise ShapeError(f"{function}: x must have shape (n,), n >= {least}, got {tuple(x.shape)}")
    return x


def _named(function: str, dist: Any) -> Any:
    if hasattr(dist, "ppf"):
        return dist
    found = getattr(_distributions, dist, None) if isinstance(dist, str) else None
    if not hasattr(found, "ppf"):
        raise ArgumentError(
            f"{function}: {dist!r} is not a valid distribution name: give a distribution of "
            "likewise.stats, or its name"
        )
    return found


def _several(sparams: Any) -> tuple[Any, ...]:
    if sparams is None:
        return ()
    return tuple(sparams) if isinstance(sparams, tuple | list) else (sparams,)


def _medians(x: Any) -> Any:
    """Filliben's estimate of the medians of uniform order statistics, shape (n,)."""
    xp, n = array_namespace(x), x.shape[-1]
    last = 0.5 ** (1 / n)
    inner = [(i - 0.3175) / (n + 0.365) for i in range(2, n)]
    some = [last] if n == 1 else [1 - last, *inner, last]
    return xp.asarray(some, dtype=x.dtype, device=device(x))


def _correlation(x: Any, y: Any) -> Any:
    xp = array_namespace(x, y)
    x = x - xp.mean(x, axis=-1, keepdims=True)
    y = y - xp.mean(y, axis=-1, keepdims=True)
    square = xp.vecdot(x, x) * xp.vecdot(y, y)
    return xp.vecdot(x, xp.broadcast_to(y, x.shape)) / xp.sqrt(square)
