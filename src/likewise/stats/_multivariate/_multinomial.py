"""Counts by category: the multinomial distribution, and that of draws without replacement."""

from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ...errors import ArgumentError, ShapeError
from ...missing._axes import as_given
from ...random import binomial, split
from ...special import entr, gammaln, xlogy
from ...transforms import stop_gradient
from ._drawing import keyed, lead, refuse
from ._frozen import Frozen

__all__ = ["multinomial"]


def _planned(function: str, n: Any, p: Any, x: Any = None) -> tuple[Any, Any, Any, Any, Any]:
    """Trials, probabilities that sum to 1, points, and where parameters are right."""
    given = {"p": p, "n": n} if x is None else {"p": p, "n": n, "x": x}
    xp = array_namespace(*given.values())
    found = _plan.common_floating(function, xp, tuple(given), *given.values(), real=True)
    p, n = found[0], found[1]
    if p.ndim == 0:
        raise ShapeError(f"{function}: p must have a dimension, the categories, got shape ()")
    slack = 10 * float(xp.finfo(p.dtype).eps)
    last = 1 - xp.sum(p[..., :-1], axis=-1, keepdims=True)
    off = xp.abs(1 - xp.sum(p, axis=-1, keepdims=True)) > slack
    # The others alone have derivatives, as in what the last is replaced by.
    same = stop_gradient(p[..., -1:]) + (last - stop_gradient(last))
    p = xp.concat([p[..., :-1], xp.where(off, last, same)], axis=-1)
    n = xp.floor(n)
    good = xp.all((p >= 0) & (p <= 1), axis=-1) & (n >= 0)
    x = found[2] if x is not None else None
    if x is not None:
        if x.ndim == 0:
            raise ShapeError(f"{function}: x must be an array, counts along its last axis")
        if 0 not in x.shape and x.shape[-1] != p.shape[-1]:
            raise ShapeError(
                f"{function}: size of each quantile should be size of p: expected {p.shape[-1]}, "
                f"got {x.shape[-1]}"
            )
    return xp, n, p, x, good


def _log_mass(xp: Any, n: Any, p: Any, x: Any, good: Any) -> Any:
    with quiet(p):
        inside = xp.all((x >= 0) & (xp.floor(x) == x), axis=-1) & (xp.sum(x, axis=-1) == n)
        count = xp.where(inside[..., None], x, xp.zeros_like(x))
        some = xp.where(good[..., None], p, xp.ones_like(p))
        trials = xp.where(good, n, xp.zeros_like(n))
        out = gammaln(trials + 1) + xp.sum(xlogy(count, some) - gammaln(count + 1), axis=-1)
        return xp.where(good, xp.where(inside, out, -xp.inf), xp.nan)


class Multinomial:
    """A multinomial random variable.

    Called, it returns the distribution with its parameters fixed.

    Parameters
    ----------
    n : int or array, shape (...)
        Trials.
    p : array, shape (..., k)
        Probabilities; the last is what the others leave of 1, unless they sum to 1.

    Raises
    ------
    ShapeError
        If `x` hasn't k counts.

    Notes
    -----
    Parameters outside of their domain give NaN; counts that aren't whole, or whose sum isn't `n`,
    have probability 0. O(k) a point. Differentiable in `p` but its last element,
    which follows from the others.

    Differs from SciPy: no warning where `p` doesn't sum to 1. `rvs` takes `key`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import multinomial
    >>> float(multinomial.pmf(np.asarray([3, 4]), 7, np.asarray([0.3, 0.7])).round(8))
    0.2268945
    """

    def __call__(self, n: Any, p: Any, seed: Any = None) -> Frozen:
        """Return the distribution with these parameters."""
        refuse("multinomial", seed=seed)
        _, n, p, _, _ = _planned("multinomial", n, p)
        return Frozen(self, n=n, p=p)

    def logpmf(self, x: Any, n: Any, p: Any) -> Any:
        """Return the logarithm of the probability of counts (..., k)."""
        xp, n, p, x, good = _planned("multinomial.logpmf", n, p, x)
        return as_given(_log_mass(xp, n, p, x, good))

    def pmf(self, x: Any, n: Any, p: Any) -> Any:
        """Return the probability of counts (..., k)."""
        xp, n, p, x, good = _planned("multinomial.pmf", n, p, x)
        return as_given(xp.exp(_log_mass(xp, n, p, x, good)))

    def mean(self, n: Any, p: Any) -> Any:
        """Return the mean, shape (..., k)."""
        xp, n, p, _, good = _planned("multinomial.mean", n, p)
        return xp.where(good[..., None], n[..., None] * p, xp.nan)

    def cov(self, n: Any, p: Any) -> Any:
        """Return the covariance, shape (..., k, k)."""
        xp, n, p, _, good = _planned("multinomial.cov", n, p)
        eye = xp.eye(p.shape[-1], dtype=p.dtype, device=device(p))
        each = eye * p[..., None] - p[..., None] * p[..., None, :]
        return xp.where(good[..., None, None], n[..., None, None] * each, xp.nan)

    def entropy(self, n: Any, p: Any) -> Any:
        """Return the entropy; `n` must be at hand, as the sum has n terms a category."""
        xp, n, p, _, good = _planned("multinomial.entropy", n, p)
        if not is_concrete(n):
            raise ArgumentError(
                "multinomial.entropy: n must hold values that can be read, as they decide on the "
                "number of terms"
            )
        most = int(xp.max(n)) if 0 not in n.shape else 0
        x = xp.arange(1, most + 1, dtype=p.dtype, device=device(p))
        with quiet(p):
            trials = xp.where(good, n, xp.zeros_like(n))[..., None, None]
            some = xp.where(good[..., None], p, 0.5 * xp.ones_like(p))[..., None]
            left = trials - x
            inside = left >= 0
            left = xp.where(inside, left, xp.zeros_like(left))
            log = gammaln(trials + 1) - gammaln(x + 1) - gammaln(left + 1)
            log = log + xlogy(x, some) + xlogy(left, 1 - some)
            terms = xp.where(inside, xp.exp(log) * gammaln(x + 1), 0.0)
            out = n * xp.sum(entr(p), axis=-1) - gammaln(trials[..., 0, 0] + 1)
            return as_given(xp.where(good, out + xp.sum(terms, axis=(-2, -1)), xp.nan))

    def rvs(
        self, n: Any, p: Any, size: Any = None, random_state: Any = None, *, key: Any = None
    ) -> Any:
        """Return counts, integers, shape `size` + (k,), by conditional binomial draws.

        `size` is the shape to which the leading dimensions of parameters broadcast.
        """
        function = "multinomial.rvs"
        xp, n, p, _, good = _planned(function, n, p)
        if is_concrete(good) and not bool(xp.all(good)):
            raise ArgumentError(f"{function}: n must be at least 0, and p lie between 0 and 1")
        _, key, _, _ = keyed(function, key, random_state, p)
        batch = _plan.broadcast(function, n=tuple(n.shape), p=tuple(p.shape[:-1]))
        shape = (1,) if size == 1 and not batch else lead(function, size, batch)
        left, rest = xp.broadcast_to(n, shape), xp.ones_like(p[..., 0])
        counts: list[Any] = []
        count = p.shape[-1]
        keys = split(key, max(count - 1, 1))
        for i in range(count - 1):
            share = xp.where(rest > 0, p[..., i] / xp.where(rest > 0, rest, 1.0), 0.0)
            share = xp.clip(share, 0.0, 1.0)
            counts.append(binomial(keys[i, :], left, share, shape))
            left = left - xp.astype(counts[-1], p.dtype)
            rest = rest - p[..., i]
        like = counts[0] if counts else binomial(key, n, 1.0, shape)
        return xp.stack([*counts, xp.astype(left, like.dtype)], axis=-1)


multinomial = Multinomial()
