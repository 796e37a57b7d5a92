"""The distribution of a histogram: uniform in each bin."""

import warnings
from typing import Any

from ... import _plan
from ..._beside import beside
from ..._namespace import array_namespace, device, hooks_of, is_concrete, is_neutral
from ...errors import ArgumentError, NotSupported, ShapeError
from ...missing import searchsorted
from ._continuous import Continuous, within

__all__ = ["rv_histogram"]


class rv_histogram(Continuous):
    """The distribution of a histogram, uniform in each of its bins.

    Parameters
    ----------
    histogram : pair of array, shapes (n,) and (n + 1,)
        Counts of the bins, or densities; and the edges in ascending order, as from
        `likewise.missing.histogram`.
    density : bool, optional
        Whether the counts are densities, which makes a difference for bins of several widths.
        Default: yes, with a warning for such bins.

    Raises
    ------
    ArgumentError
        If the histogram isn't a pair, or has no counts.
    ShapeError
        If there isn't one more edge than counts.
    NotSupported
        If the histogram is of Dask's arrays.

    Warns
    -----
    RuntimeWarning
        If the bins have several widths, where values can be read, and `density` isn't given.

    Notes
    -----
    It has the methods of a continuous distribution, with `loc` and `scale`. Both tails are summed
    from their ends, so that small probabilities keep their digits; all moments and the entropy
    are in closed form. Results are of the library of what the methods are given, with a
    histogram of NumPy's arrays or lists; otherwise of the histogram's. Differentiable with respect
    to arguments, `loc` and `scale`, and through the histogram in NumPy's arrays.

    Differs from SciPy: the variance is a sum of squares of differences to the mean.

    Examples
    --------
    >>> from likewise.stats import rv_histogram
    >>> made = rv_histogram(([1.0, 3.0], [0.0, 1.0, 2.0]))
    >>> float(made.cdf(1.0)), float(made.mean())
    (0.25, 1.25)
    """

    name = "rv_histogram"
    whole = frozenset(("pdf", "cdf", "sf"))

    def __init__(self, histogram: Any, *, density: bool | None = None) -> None:
        super().__init__()
        try:
            counts, edges = histogram
        except (TypeError, ValueError):
            raise ArgumentError(
                f"rv_histogram: histogram must be a pair of counts and edges, got {histogram!r}"
            ) from None
        xp = array_namespace(counts, edges)
        counts, edges = _plan.common_floating(
            self.name, xp, ("counts", "edges"), counts, edges, real=True
        )
        if hooks_of(counts).in_blocks:
            raise NotSupported(
                "rv_histogram: a histogram must have values, got arrays in blocks. Compute it "
                "first, as with dask.compute(counts, edges); methods then take Dask's arrays, too"
            )
        if is_neutral(counts):
            counts, edges = xp.asarray(counts), xp.asarray(edges)
        if counts.ndim != 1 or edges.shape != (counts.shape[0] + 1,):
            raise ShapeError(
                "rv_histogram: histogram must hold n counts and n + 1 edges, "
                f"got shapes {tuple(counts.shape)} and {tuple(edges.shape)}"
            )
        if counts.shape[0] == 0:
            raise ArgumentError("rv_histogram: histogram must hold counts, got none")
        self._given = histogram, density
        widths = edges[1:] - edges[:-1]
        if density is None and is_concrete(widths):
            most = xp.max(xp.abs(widths - widths[0]))
            if bool(most > 1e-8 + 1e-5 * xp.abs(widths[0])):
                warnings.warn(
                    "rv_histogram: bins have several widths, and density isn't given: the counts "
                    "are taken for densities. Say density=True or density=False.",
                    RuntimeWarning,
                    stacklevel=2,
                )
        masses = counts * widths if density or density is None else counts
        masses = masses / xp.sum(masses)
        none = xp.zeros_like(masses[:1])
        below = xp.cumulative_sum(masses)
        above = xp.flip(xp.cumulative_sum(xp.flip(masses)))
        self._tables = (
            edges,
            xp.concat([none, masses / widths, none]),
            xp.concat([none, below]),
            xp.concat([above, none]),
        )
        self._ends = _number(edges[0]), _number(edges[-1])
        vars(self).update(breaks=edges.shape[0] - 2)
        # What says of what library results are; if nothing does, numbers go to any.
        self._like: Any = 0.0 if is_neutral(edges[0]) else edges
        self._numbers = [t.tolist() for t in self._tables] if is_neutral(edges[0]) else None

    def __reduce__(self) -> Any:
        return _again, self._given

    def __repr__(self) -> str:
        return f"<likewise.stats.rv_histogram of {self._tables[0].shape[0] - 1} bins>"

    def _evaluate(self, what: str, x: Any, args: Any, kwargs: Any) -> Any:
        return super()._evaluate(what, self._array(x), args, kwargs)

    def _of_parameters(self, what: str, args: Any, kwargs: Any) -> Any:
        # The median is a quantile of a number.
        args = [self._array(a) for a in args]
        if not args and not kwargs:
            args = [self._array(0.0)]
        return super()._of_parameters(what, args, kwargs)

    def _breaks(self) -> tuple[Any, ...]:  # for distributions that are made of this one
        edges = self._tables[0]
        return tuple(_number(edges[i]) for i in range(1, edges.shape[0] - 1))

    def _pieces(self, ends: tuple[Any, Any], given: Any) -> Any:
        """All bins at once, along a first dimension."""
        xp = array_namespace(*ends)
        low, high = map(xp.asarray, ends)
        first, last = self.support(*given)
        _, edges, _, _, _ = self._at(low)
        part = (edges - edges[0]) / (edges[-1] - edges[0])
        part = xp.reshape(part, (-1, *(1,) * max(low.ndim, high.ndim)))
        edges = within(first * (1 - part) + last * part, low, high)
        yield edges[:-1, ...], edges[1:, ...]

    def _mean_over(self, *args: Any) -> Any:
        found = super()._mean_over(*args)
        return array_namespace(found).sum(found, axis=0)

    def rvs(self, *args: Any, **kwargs: Any) -> Any:
        if not is_neutral(self._like):
            kwargs.setdefault("like", self._like)
        return super().rvs(*args, **kwargs)

    def _array(self, x: Any) -> Any:
        like = self._like
        if is_neutral(like):
            return x
        xp = array_namespace(like, *beside(like, x))
        if is_neutral(x):
            return xp.asarray(x, dtype=like.dtype, device=device(like))
        return beside(like, x)[0]

    def _at(self, x: Any) -> Any:
        """Edges, densities, and both tails, of the library and dtype of x."""
        xp = array_namespace(x)
        if self._numbers is None or xp is array_namespace(*self._tables):
            tables = self._tables
            return xp, *(t if t.dtype == x.dtype else xp.astype(t, x.dtype) for t in tables)
        return xp, *(xp.asarray(t, dtype=x.dtype, device=device(x)) for t in self._numbers)

    def _pdf(self, x: Any) -> Any:
        xp, edges, density, _, _ = self._at(x)
        y = _take(xp, density, searchsorted(edges, x, side="right"))
        return xp.where(xp.isnan(x), x, y)

    def _bin(self, xp: Any, edges: Any, x: Any) -> Any:
        return xp.clip(searchsorted(edges, x, side="right") - 1, 0, edges.shape[0] - 2)

    def _cdf(self, x: Any) -> Any:
        xp, edges, density, below, _ = self._at(x)
        x = xp.where(x < edges[0], edges[0], xp.where(x > edges[-1], edges[-1], x))
        i = self._bin(xp, edges, x)
        return _take(xp, below, i) + _take(xp, density, i + 1) * (x - _take(xp, edges, i))

    def _sf(self, x: Any) -> Any:
        xp, edges, density, _, above = self._at(x)
        x = xp.where(x < edges[0], edges[0], xp.where(x > edges[-1], edges[-1], x))
        i = self._bin(xp, edges, x) + 1
        return _take(xp, above, i) + _take(xp, density, i) * (_take(xp, edges, i) - x)

    def _ppf(self, q: Any) -> Any:
        xp, edges, density, below, _ = self._at(q)
        i = self._bin(xp, below, q)
        rest = q - _take(xp, below, i)
        return _take(xp, edges, i) + rest / _positive(xp, _take(xp, density, i + 1))

    def _isf(self, q: Any) -> Any:
        xp, edges, density, _, above = self._at(q)
        n = edges.shape[0] - 1
        i = n - xp.clip(searchsorted(xp.flip(above), q, side="left") - 1, 0, n - 1)
        rest = q - _take(xp, above, i)
        return _take(xp, edges, i) - rest / _positive(xp, _take(xp, density, i))

    def _support(self, xp: Any) -> tuple[Any, Any]:
        return self._ends

    def _integral(self, order: int, about: Any) -> Any:
        """The mean of (z - about)**order."""
        xp = array_namespace(self._tables[0])
        at = self._tables[0] - about
        power = at ** (order + 1)
        return _number(xp.sum(self._tables[1][1:-1] * (power[1:] - power[:-1])) / (order + 1))

    def _moments(self, xp: Any) -> tuple[Any, Any, Any, Any]:
        mean = self._integral(1, 0.0)
        var, third, fourth = (self._integral(k, mean) for k in (2, 3, 4))
        return mean, var, third / var**1.5, fourth / var**2 - 3.0

    def _raw_moment(self, xp: Any, order: int) -> Any:
        return self._integral(order, 0.0)

    def _entropy(self, xp: Any, x: Any) -> Any:
        xp = array_namespace(self._tables[0])
        edges, density = self._tables[0], self._tables[1][1:-1]
        log = xp.log(_positive(xp, density))
        return _number(-xp.sum(density * log * (edges[1:] - edges[:-1])))


def _take(xp: Any, table: Any, i: Any) -> Any:
    return xp.reshape(xp.take(table, xp.reshape(i, (-1,)), axis=0), i.shape)


def _positive(xp: Any, density: Any) -> Any:
    """Densities, and 1 in empty bins, which no probability falls into."""
    return xp.where(density > 0, density, 1.0)


def _number(x: Any) -> Any:
    return float(x) if is_neutral(x) else x


def _again(histogram: Any, density: Any) -> rv_histogram:
    return rv_histogram(histogram, density=density)
