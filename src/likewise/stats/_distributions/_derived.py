"""Distributions made of others: truncated, mixed, and of order statistics."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..._namespace import array_namespace, is_concrete, is_neutral
from ...errors import ArgumentError, ShapeError
from ...random import fold_in, uniform
from ...special import betainc, betaincc, betainccinv, betaincinv, betaln
from ...transforms import register_tree, stop_gradient
from ._continuous import Continuous
from ._distribution import Frozen, FrozenContinuous
from ._forms import log1mexp
from ._inverse import inverse
from ._line import infinite
from ._parameters import Parameter
from ._quadrature import mean_of

__all__ = ["Mixture", "order_statistic", "truncate"]

_HALF = math.log(0.5)
_SMALL = 1e-290  # less than this, a probability has lost digits


class _Part(NamedTuple):
    """A row that another one is made of, with its parameters."""

    row: Any
    shapes: tuple[Any, ...]
    loc: Any
    scale: Any

    def of(self, what: str, xp: Any, x: Any) -> Any:
        return getattr(self.row, f"_at_{what}")(xp, x, self.shapes, self.loc, self.scale)

    def known(self, xp: Any, i: int, x: Any) -> Any:
        return x + self.row._known(xp, i, x, self.shapes)

    def moved(self, z: Any) -> Any:
        return self.loc + self.scale * z

    def ends(self, xp: Any) -> Any:
        """The ends of the support; infinite ones have no derivative."""
        for end in self.row._support(xp, *self.shapes):
            if infinite(end):
                yield end
            elif isinstance(end, float):
                yield self.moved(end)
            else:
                endless = xp.isinf(end)
                yield xp.where(endless, end, self.moved(xp.where(endless, 0.0, end)))

    def inner(self, xp: Any) -> Any:
        return self.moved(self.row._inner(*self.row._support(xp, *self.shapes)))

    def breaks(self, xp: Any) -> list[Any]:
        return [self.moved(at) for at in self.row._breaks(*self.shapes)]


class _Derived(Continuous):
    """A row that is made of others: its parameters are theirs, with loc and scale, and its own."""

    breaks: int  # type: ignore[misc]

    def __init__(self, name: str, rows: Sequence[Any], own: Sequence[Parameter]) -> None:
        several = len(rows) > 1
        theirs = [
            p._replace(name=f"X{i if several else ''}.{p.name}", default=None)
            for i, row in enumerate(rows)
            for p in row._every
        ]
        vars(self).update(
            name=f"{name}({', '.join(r.name for r in rows)})",
            parameters=(*theirs, *own),
            breaks=sum(r.breaks for r in rows),
        )
        self._rows = tuple(rows)
        super().__init__()

    def __repr__(self) -> str:
        return f"<likewise.stats.{self.name}>"

    def _parts(self, shapes: Sequence[Any]) -> tuple[list[_Part], Sequence[Any]]:
        parts, at = [], 0
        for row in self._rows:
            end = at + row._count
            parts.append(_Part(row, tuple(shapes[at:end]), shapes[end], shapes[end + 1]))
            at = end + 2
        return parts, shapes[at:]

    def _valid(self, xp: Any, *shapes: Any) -> Any:
        parts, own = self._parts(shapes)
        good = self._fit_together(xp, *own)
        for part in parts:
            found = part.row._valid(xp, *part.shapes)
            good = good if found is None else good & found
        return good

    def _fit_together(self, xp: Any, *own: Any) -> Any:
        raise NotImplementedError

    def _support(self, xp: Any, *shapes: Any) -> tuple[Any, Any]:
        return tuple(self._parts(shapes)[0][0].ends(xp))

    def _breaks(self, *shapes: Any) -> tuple[Any, ...]:
        return tuple(self._parts(shapes)[0][0].breaks(array_namespace(*shapes)))

    def _mean_of(self, xp: Any, x: Any, shapes: Any, function: Callable[[Any], Any]) -> Any:
        """By quadrature, of each side of where the density isn't smooth."""
        for a in shapes:
            x = x + xp.zeros_like(a)  # parameters may be infinite
        low, high = (x + end for end in self._support(xp, *shapes))
        points = [low]
        for at in self._breaks(*shapes):
            at = x + at
            points.append(xp.where(at < low, low, xp.where(at > high, high, at)))
        total = 0.0
        for a, b in zip(points, [*points[1:], high], strict=True):
            there = a < b
            a, b = xp.where(there, a, low), xp.where(there, b, high)
            p = self._inside(xp, "cdf", a, shapes, 0.0, 1.0)
            share = 1 - p - self._inside(xp, "sf", b, shapes, 1.0, 0.0)
            quartiles = tuple(self._ppf(p + share * q, *shapes) for q in (0.25, 0.5, 0.75))
            density = functools.partial(self._safely, xp, shapes, quartiles[1])
            found = mean_of(density, function, (a, b), quartiles)
            total = total + xp.where(there, found, 0.0)
        return total

    def _safely(self, xp: Any, shapes: Any, middle: Any, z: Any) -> Any:
        """The density; zeros have no derivatives, which may be infinite on the way."""
        fixed = [stop_gradient(a) for a in shapes]
        there = self._pdf(stop_gradient(z), *fixed) > 0
        return xp.where(there, self._pdf(xp.where(there, z, middle), *shapes), 0.0)


def _row(function: str, name: str, X: Any) -> Any:
    if isinstance(X, Frozen) and isinstance(X.dist, Continuous):
        return X.dist
    raise ArgumentError(
        f"{function}: {name} must be a continuous distribution with its parameters, such as "
        f"likewise.stats.norm(0.0, 1.0), got {X!r}"
    )


def _given(X: Frozen) -> tuple[Any, ...]:
    """All parameters: without a location or scale, those that change nothing."""
    pairs = zip(X.dist._every, X.args, strict=True)
    return tuple(p.default if v is None else v for p, v in pairs)


# -- truncation ------------------------------------------------------------------------------------


class _Truncated(_Derived):
    def __init__(self, row: Any) -> None:
        ends = (Parameter("lb", closed=(True, True)), Parameter("ub", closed=(True, True)))
        super().__init__("truncate", [row], ends)

    def __reduce__(self) -> Any:
        return _truncated, self._rows

    def _fit_together(self, xp: Any, lb: Any, ub: Any) -> Any:
        return lb < ub

    def _support(self, xp: Any, *shapes: Any) -> tuple[Any, Any]:
        (part,), (lb, ub) = self._parts(shapes)
        low, high = part.ends(xp)
        return xp.where(lb > low, lb, low), xp.where(ub < high, ub, high)

    def _tails(self, xp: Any, shapes: Any) -> tuple[Any, Any]:
        """Logarithms of both tails of X at the ends of the support."""
        (part,), (lb, ub) = self._parts(shapes)
        low, high = part.ends(xp)
        inner = part.inner(xp)
        found = []
        for end, cut, tails in (
            (lb, lb > low, (-math.inf, 0.0)),
            (ub, ub < high, (0.0, -math.inf)),
        ):
            at = xp.where(cut, end, inner)  # no derivative at infinity
            pair = zip(("logcdf", "logsf"), tails, strict=True)
            found.append(tuple(xp.where(cut, part.of(w, xp, at), t) for w, t in pair))
        return found[0], found[1]

    def _logpdf(self, x: Any, *shapes: Any) -> Any:
        xp = array_namespace(x, *shapes)
        (part,), _ = self._parts(shapes)
        return part.of("logpdf", xp, x) - _log_between(xp, *self._tails(xp, shapes))

    def _shares(self, x: Any, shapes: Any) -> tuple[Any, Any]:
        """Logarithms of the probabilities of both sides of x."""
        xp = array_namespace(x, *shapes)
        (part,), _ = self._parts(shapes)
        low, high = self._tails(xp, shapes)
        at = part.of("logcdf", xp, x), part.of("logsf", xp, x)
        total = _log_between(xp, low, high)
        return _log_between(xp, low, at) - total, _log_between(xp, at, high) - total

    def _cdf(self, x: Any, *shapes: Any) -> Any:
        return array_namespace(x, *shapes).exp(self._shares(x, shapes)[0])

    def _sf(self, x: Any, *shapes: Any) -> Any:
        return array_namespace(x, *shapes).exp(self._shares(x, shapes)[1])

    def _logcdf(self, x: Any, *shapes: Any) -> Any:
        return _smaller(*self._shares(x, shapes))

    def _logsf(self, x: Any, *shapes: Any) -> Any:
        return _smaller(*self._shares(x, shapes)[::-1])

    def _ppf(self, q: Any, *shapes: Any) -> Any:
        return self._between(q, shapes, False)

    def _isf(self, q: Any, *shapes: Any) -> Any:
        return self._between(q, shapes, True)

    def _between(self, q: Any, shapes: Any, upper: bool) -> Any:
        """The quantile of X of a probability between those of the ends, by its smaller tail; by
        the solver where that is too small for a floating number."""
        xp = array_namespace(q, *shapes)
        (part,), _ = self._parts(shapes)
        tails = self._tails(xp, shapes)
        mass = xp.exp(_log_between(xp, *tails))
        below, above = (1 - q, q) if upper else (q, 1 - q)
        p = xp.exp(tails[0][0]) + below * mass
        s = xp.exp(tails[1][1]) + above * mass
        lower = p <= 0.5
        least = xp.where(lower, p, s)
        good = least > (1e-30 if q.dtype == xp.float32 else _SMALL)
        lower_q = xp.where(good & lower, p, 0.5)
        upper_q = xp.where(good & ~lower, s, 0.5)
        x = xp.where(lower, part.of("ppf", xp, lower_q), part.of("isf", xp, upper_q))
        low, high = self._support(xp, *shapes)
        x = xp.where(x < low, low, xp.where(x > high, high, x))
        if is_concrete(good) and bool(xp.all(good)):
            return x
        return xp.where(good, x, inverse(self, q, shapes, upper))


def _log_between(xp: Any, low: Any, high: Any) -> Any:
    """The logarithm of the probability between two points, of logarithms of both tails at each."""
    upper = low[0] > _HALF
    near = xp.where(upper, low[1], high[0])
    far = xp.where(upper, high[1], low[0])
    return near + log1mexp(far - near)


def _smaller(log: Any, other: Any) -> Any:
    xp = array_namespace(log)
    small = log < _HALF
    return xp.where(small, log, log1mexp(xp.where(small, _HALF, other)))


@functools.lru_cache(maxsize=256)
def _truncated(row: Any) -> _Truncated:
    return _Truncated(row)


def truncate(X: Frozen, lb: Any = -math.inf, ub: Any = math.inf) -> Frozen:
    """Truncate a distribution: return that of X, given that X is between two bounds.

    Parameters
    ----------
    X : frozen continuous distribution
        Such as ``norm(loc, scale)``.
    lb, ub : array, optional
        The bounds, which broadcast with the parameters of `X`. NaN results where not lb < ub.

    Returns
    -------
    frozen distribution
        With the methods of `X`; its parameters are those of `X` and the bounds.

    Raises
    ------
    ArgumentError
        If `X` isn't a frozen continuous distribution.

    Notes
    -----
    Probabilities are differences of logarithms of that tail of `X` that is the smaller, so that
    bounds far in a tail lose no digits. Two to six evaluations of `X`; quantiles by those of `X`,
    by the bracketing solver where a tail is less than 1e-290; moments by quadrature.
    Differentiable with respect to everything.

    Differs from SciPy: bounds and parameters may be arrays of any library; methods have the
    names of a frozen distribution, ``ppf`` and ``sf``.

    Examples
    --------
    >>> from likewise.stats import norm, truncate
    >>> float(truncate(norm(0.0, 1.0), 1.0, 2.0).mean().round(4))
    1.3832
    """
    return FrozenContinuous(_truncated(_row("truncate", "X", X)), (*_given(X), lb, ub, None, None))


# -- order statistics ------------------------------------------------------------------------------


class _Ordered(_Derived):
    def __init__(self, row: Any) -> None:
        count = {"closed": (True, False), "integer": True}
        super().__init__(
            "order_statistic",
            [row],
            (Parameter("r", 1.0, **count), Parameter("n", 1.0, **count)),  # type: ignore[arg-type]
        )

    def __reduce__(self) -> Any:
        return _ordered, self._rows

    def _fit_together(self, xp: Any, r: Any, n: Any) -> Any:
        return r <= n

    def _of(self, x: Any, shapes: Any) -> Any:
        (part,), (r, n) = self._parts(shapes)
        return array_namespace(x, *shapes), part, r, n - r + 1

    def _logpdf(self, x: Any, *shapes: Any) -> Any:
        xp, part, r, s = self._of(x, shapes)
        inner = part.inner(xp)
        y = part.of("logpdf", xp, x) - betaln(r, s)
        for name, power in (("logcdf", r - 1), ("logsf", s - 1)):
            some = power > 0
            at = xp.where(some, x, inner)  # no derivative of a tail that isn't there
            y = y + xp.where(some, power * part.of(name, xp, at), 0.0)
        return y

    def _cdf(self, x: Any, *shapes: Any) -> Any:
        xp, part, r, s = self._of(x, shapes)
        return _ordered_tail(xp, part.of("cdf", xp, x), part.of("sf", xp, x), r, s)

    def _sf(self, x: Any, *shapes: Any) -> Any:
        xp, part, r, s = self._of(x, shapes)
        return _ordered_tail(xp, part.of("sf", xp, x), part.of("cdf", xp, x), s, r)

    def _ppf(self, q: Any, *shapes: Any) -> Any:
        xp, part, r, s = self._of(q, shapes)
        return _by_smaller(xp, part, betaincinv(r, s, q), betainccinv(s, r, q))

    def _isf(self, q: Any, *shapes: Any) -> Any:
        xp, part, r, s = self._of(q, shapes)
        return _by_smaller(xp, part, betainccinv(r, s, q), betaincinv(s, r, q))


def _ordered_tail(xp: Any, p: Any, other: Any, r: Any, s: Any) -> Any:
    """The probability that r or more of r + s - 1 are in a tail of probability p."""
    small = p < 0.5
    near = betainc(r, s, xp.where(small, p, 0.25))
    return xp.where(small, near, betaincc(s, r, xp.where(small, 0.25, other)))


def _by_smaller(xp: Any, part: _Part, p: Any, s: Any) -> Any:
    """The quantile of probability p, or s from above."""
    lower = p < 0.5
    low = part.of("ppf", xp, xp.where(lower, p, 0.25))
    return xp.where(lower, low, part.of("isf", xp, xp.where(lower, 0.25, s)))


@functools.lru_cache(maxsize=256)
def _ordered(row: Any) -> _Ordered:
    return _Ordered(row)


def order_statistic(X: Frozen, *, r: Any, n: Any) -> Frozen:
    """Return the distribution of the r-th smallest of n independent observations of X.

    Parameters
    ----------
    X : frozen continuous distribution
        Such as ``norm(loc, scale)``.
    r, n : array or int
        Rank, from 1 to n, and number of observations; they broadcast with the parameters of `X`.

    Returns
    -------
    frozen distribution
        With the methods of `X`; its parameters are those of `X`, `r` and `n`.

    Raises
    ------
    ArgumentError
        If `X` isn't a frozen continuous distribution, or numbers r and n aren't integers with
        1 <= r <= n; elements of arrays that aren't give NaN.

    Notes
    -----
    The tails are incomplete beta functions of that tail of `X` that is the smaller; quantiles
    those of `X` at their inverse; moments by quadrature. Differentiable with respect to the
    parameters of `X`.

    Differs from SciPy: arrays of any library; methods have the names of a frozen distribution.

    Examples
    --------
    >>> from likewise.stats import order_statistic, uniform
    >>> float(order_statistic(uniform(0.0, 1.0), r=2, n=4).mean().round(4))
    0.4
    """
    row = _row("order_statistic", "X", X)
    numbers = [v for v in (r, n) if isinstance(v, int | float)]
    if any(v < 1 or v != math.floor(v) for v in numbers) or (len(numbers) == 2 and r > n):
        raise ArgumentError(
            f"order_statistic: r and n must be integers, 1 <= r <= n, got r = {r}, n = {n}"
        )
    return FrozenContinuous(_ordered(row), (*_given(X), r, n, None, None))


# -- mixtures --------------------------------------------------------------------------------------


class _Mixed(_Derived):
    def __init__(self, rows: tuple[Any, ...]) -> None:
        own = [Parameter(f"w{i}", 0.0, 1.0, (True, True)) for i in range(len(rows))]
        super().__init__("Mixture", rows, own)
        vars(self).update(breaks=self.breaks + 3 * len(rows))

    def __reduce__(self) -> Any:
        return _mixed, (self._rows,)

    def _valid(self, xp: Any, *shapes: Any) -> Any:
        parts, _ = self._parts(shapes)
        found = [part.row._valid(xp, *part.shapes) for part in parts]
        found = [f for f in found if f is not None]
        return functools.reduce(lambda a, b: a & b, found) if found else None

    def _support(self, xp: Any, *shapes: Any) -> tuple[Any, Any]:
        ends = [tuple(part.ends(xp)) for part in self._parts(shapes)[0]]
        low, high = ends[0]
        for a, b in ends[1:]:
            low = -math.inf if infinite(low) or infinite(a) else xp.where(a < low, a, low)
            high = math.inf if infinite(high) or infinite(b) else xp.where(b > high, b, high)
        return low, high

    def _breaks(self, *shapes: Any) -> tuple[Any, ...]:
        """A component's ends, kinks and median, in ascending order."""
        xp = array_namespace(*shapes)
        points = []
        for part in self._parts(shapes)[0]:
            half = xp.zeros_like(part.scale) + 0.5
            middle = part.of("ppf", xp, half)
            ends = (
                middle if infinite(e) else xp.where(xp.isinf(e), middle, e) for e in part.ends(xp)
            )
            points += [middle, *ends, *part.breaks(xp)]
        shape = xp.broadcast_shapes(*(p.shape for p in points))
        ordered = xp.sort(
            xp.stack([xp.broadcast_to(p, shape) for p in points]), axis=0, stable=False
        )
        return tuple(ordered[i, ...] for i in range(len(points)))

    def _sum(self, what: str, x: Any, shapes: Any) -> Any:
        xp = array_namespace(x, *shapes)
        parts, weights = self._parts(shapes)
        return sum(w * part.of(what, xp, x) for part, w in zip(parts, weights, strict=True))

    def _log_sum(self, what: str, x: Any, shapes: Any) -> Any:
        xp = array_namespace(x, *shapes)
        parts, weights = self._parts(shapes)
        logs = [part.of(what, xp, x) for part in parts]
        most = functools.reduce(xp.maximum, map(stop_gradient, logs))
        most = xp.where(xp.isfinite(most), most, 0.0)
        return most + xp.log(sum(w * xp.exp(y - most) for y, w in zip(logs, weights, strict=True)))

    def _pdf(self, x: Any, *shapes: Any) -> Any:
        return self._sum("pdf", x, shapes)

    def _cdf(self, x: Any, *shapes: Any) -> Any:
        return self._sum("cdf", x, shapes)

    def _sf(self, x: Any, *shapes: Any) -> Any:
        return self._sum("sf", x, shapes)

    def _logpdf(self, x: Any, *shapes: Any) -> Any:
        return self._log_sum("logpdf", x, shapes)

    def _logcdf(self, x: Any, *shapes: Any) -> Any:
        return self._log_sum("logcdf", x, shapes)

    def _logsf(self, x: Any, *shapes: Any) -> Any:
        return self._log_sum("logsf", x, shapes)

    def _known(self, xp: Any, i: int, x: Any, shapes: Any) -> Any:
        """Central moments of each component, moved to the mean of the mixture."""
        parts, weights = self._parts(shapes)
        means = [part.moved(part.known(xp, 0, x)) for part in parts]
        mean = sum(w * m for w, m in zip(weights, means, strict=True))
        if i == 0:
            return mean
        found: list[Any] = [0.0, 0.0, 0.0]
        for part, w, m in zip(parts, weights, means, strict=True):
            d = m - mean
            v = part.known(xp, 1, x) * part.scale * part.scale
            found[0] = found[0] + w * (v + d * d)
            if i > 1:
                third = part.known(xp, 2, x) * v * xp.sqrt(v)
                found[1] = found[1] + w * (third + 3 * v * d + d**3)
            if i > 2:
                fourth = (part.known(xp, 3, x) + 3) * v * v
                found[2] = found[2] + w * (fourth + 4 * third * d + 6 * v * d * d + d**4)
        var = found[0]
        if i == 1:
            return var
        return found[1] / (var * xp.sqrt(var)) if i == 2 else found[2] / (var * var) - 3.0

    def _raw_moment(self, xp: Any, order: int, *shapes: Any) -> Any:
        parts, weights = self._parts(shapes)
        return sum(
            w * p.row._raw(order, xp, xp.zeros_like(p.scale), p.shapes, p.loc, p.scale)
            for p, w in zip(parts, weights, strict=True)
        )

    def _draw(self, xp: Any, key: Any, shape: Any, dtype: Any, *shapes: Any) -> Any:
        parts, weights = self._parts(shapes)
        u = uniform(key, shape, dtype)
        z, share = 0.0, 0.0
        for i, (part, w) in enumerate(zip(parts, weights, strict=True)):
            row = part.row
            own = part.moved(row._draw(xp, fold_in(key, i + 1), shape, dtype, *part.shapes))
            z = own if i == 0 else xp.where(u < share, z, own)
            share = share + w
        return z


@functools.lru_cache(maxsize=256)
def _mixed(rows: tuple[Any, ...]) -> _Mixed:
    return _Mixed(rows)


class Mixture(FrozenContinuous):
    """A mixture of distributions: that of an observation of one of them, by chance.

    Parameters
    ----------
    components : sequence of frozen continuous distribution
        Such as ``norm(loc, scale)``; their parameters broadcast.
    weights : array, shape (..., number of components), optional
        The probabilities of the components. Default: equal ones.

    Raises
    ------
    ArgumentError
        If there are no components, or one isn't a frozen continuous distribution, or weights are
        negative or don't add up to 1 where values can be read.
    ShapeError
        If the number of weights is another one.

    Notes
    -----
    Sums over the components; quantiles by the bracketing solver, entropy by quadrature. `rvs`
    draws from each component and selects. Differentiable with respect to all parameters and
    weights; random numbers, to parameters.

    Differs from SciPy: weights may be integers, and parameters and weights arrays of any
    library, a batch of mixtures; methods have the names of a frozen distribution.

    Examples
    --------
    >>> from likewise.stats import Mixture, norm
    >>> mixture = Mixture([norm(-2.0, 1.0), norm(2.0, 1.0)], weights=[0.4, 0.6])
    >>> float(mixture.mean().round(2)), float(mixture.median().round(2))
    (0.4, 1.04)
    """

    __slots__ = ()

    def __init__(self, components: Sequence[Frozen], *, weights: Any = None) -> None:
        components = list(components)
        if not components:
            raise ArgumentError("Mixture: components must hold at least one distribution")
        rows = tuple(_row("Mixture", f"components[{i}]", X) for i, X in enumerate(components))
        args = [a for X in components for a in _given(X)]
        super().__init__(_mixed(rows), (*args, *_weights(len(rows), weights), None, None))

    @property
    def components(self) -> list[Frozen]:
        """The components."""
        found: list[Frozen] = []
        at = 0
        for row in self.dist._rows:
            end = at + len(row._every)
            found.append(FrozenContinuous(row, self.args[at:end]))
            at = end
        return found

    @property
    def weights(self) -> tuple[Any, ...]:
        """The probabilities of the components."""
        count = len(self.dist._rows)
        return self.args[-count - 2 : -2]

    def __reduce__(self) -> Any:
        return _again, (self.dist, self.args)


def _again(row: Any, args: Any) -> Mixture:
    found = Mixture.__new__(Mixture)
    Frozen.__init__(found, row, tuple(args))
    return found


register_tree(Mixture, lambda m: (m.args, m.dist), _again)


def _weights(count: int, weights: Any) -> list[Any]:
    if weights is None:
        return [1 / count] * count
    if is_neutral(weights):
        found = list(weights)
        shape: tuple[int, ...] = (len(found),)
        readable = all(isinstance(w, int | float) for w in found)
    else:
        shape = tuple(weights.shape)
        found = [weights[..., i] for i in range(shape[-1])] if shape else []
        readable = len(shape) == 1 and is_concrete(weights)
    if not shape or shape[-1] != count:
        raise ShapeError(
            f"Mixture: weights must be one for each of {count} components, got shape {shape}"
        )
    if readable:
        values = [float(w) for w in found]
        if not (min(values) >= 0 and abs(sum(values) - 1) < 1e-5):
            raise ArgumentError(
                f"Mixture: weights must be 0 or more and add up to 1, got {weights}"
            )
    return found
