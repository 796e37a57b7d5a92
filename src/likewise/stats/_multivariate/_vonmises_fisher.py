"""The distribution of von Mises and Fisher, on the sphere."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete
from ...errors import ArgumentError, ShapeError
from ...missing._axes import as_given
from ...random import split, uniform
from ...random._attempts import Words, accepted, nested, sample
from ...special import i0e, i1e
from ...special._erfinv import inverse_error_function
from ._drawing import keyed, lead, refuse
from ._frozen import Frozen
from ._groups import unit_vectors

__all__ = ["vonmises_fisher"]

_ROUNDS = 40  # each fails with a probability below 0.35
_STEPS = 12  # of Newton's method in `fit`, which needs five


def _bessel(xp: Any, x: Any, d: int) -> tuple[Any, Any]:
    """The logarithm of ``exp(-x) I_v(x)`` of ``v = d / 2 - 1``, and what ``I_{v+1} / I_v`` lacks
    to 1, by such ratios from the least order, 0 or -1/2.

    Upwards from the first where orders are below the root of x, which loses no digits there, else
    downwards from D. E. Amos's bound (Mathematics of Computation 28 (1974) 239-251).
    """
    odd = d % 2
    v, count = -0.5 * odd, (d + odd) // 2
    wide = max(0.25 * d * d, 64.0)
    small = xp.where(x < wide, x, xp.full_like(x, wide))
    large = xp.where(x < wide, xp.full_like(x, wide), x)
    if odd:
        base = xp.log1p(xp.exp(-2 * x)) - 0.5 * xp.log(2 * math.pi * x)
        e = xp.exp(-2 * large)
        up = [2 * e / (1 + e)]
    else:
        base = xp.log(i0e(x))
        up = [1 - i1e(large) / i0e(large)]
    for k in range(1, count):
        up.append(2 * (v + k) / large - up[-1] / (1 - up[-1]))
    extra = int(6 * math.sqrt(wide))
    order = v + count - 1 + extra
    r = small / (order + 0.5 + xp.sqrt((order + 1.5) ** 2 + small * small))
    down: list[Any] = []
    for k in range(count - 2 + extra, -1, -1):
        r = 1 / (2 * (v + k + 1) / small + r)
        if k < count:
            down.append(r)
    last, *others = down
    logs = zip(reversed(others), up, strict=False)
    below = sum((xp.where(x < wide, xp.log(a), xp.log1p(-b)) for a, b in logs), base)
    return below, xp.where(x < wide, 1 - last, up[-1])


def _log_norm(xp: Any, kappa: Any, d: int) -> tuple[Any, Any]:
    """The logarithm of the density's factor beside ``exp(kappa (mu x - 1))``, and what the mean
    length lacks to 1."""
    log_bessel, lack = _bessel(xp, kappa, d)
    out = (0.5 * d - 1) * xp.log(kappa) - 0.5 * d * math.log(2 * math.pi) - log_bessel
    return out, lack


def _planned(function: str, mu: Any, kappa: Any, x: Any = None) -> tuple[Any, Any, Any, Any]:
    given = {n: v for n, v in (("mu", mu), ("kappa", kappa), ("x", x)) if v is not None}
    xp = array_namespace(*given.values())
    if mu is None:
        raise ArgumentError(f"{function}: mu must be a unit vector, got None")
    found = _plan.common_floating(function, xp, tuple(given), *given.values(), real=True)
    mu, kappa = found[0], found[1]
    if mu.ndim < 1 or mu.shape[-1] < 2:
        raise ShapeError(f"{function}: mu must have at least two entries, got {tuple(mu.shape)}")
    if not _units(xp, mu):
        raise ArgumentError(f"{function}: mu must be a unit vector of norm 1")
    if is_concrete(kappa) and not bool(xp.all(kappa > 0)):
        raise ArgumentError(
            f"{function}: kappa must be positive, got {kappa!r}. For kappa 0 the distribution is "
            "the uniform one on the sphere: uniform_direction"
        )
    points = None
    if x is not None:
        points = found[2]
        _on_sphere(function, xp, points, mu.shape[-1])
    return xp, mu, kappa, points


def _units(xp: Any, x: Any) -> bool:
    if not is_concrete(x):
        return True
    return bool(xp.all(xp.abs(xp.sqrt(xp.sum(x * x, axis=-1)) - 1) <= 1e-5))


def _on_sphere(function: str, xp: Any, x: Any, d: int) -> None:
    if x.ndim == 0 or x.shape[-1] != d:
        raise ShapeError(
            f"{function}: the dimensionality of the last axis of x must match that of the "
            f"distribution, {d}, got shape {tuple(x.shape)}"
        )
    if not _units(xp, x):
        raise ArgumentError(f"{function}: x must be unit vectors of norm 1 along last dimension")


def _log_density(xp: Any, mu: Any, kappa: Any, x: Any) -> Any:
    norm, _ = _log_norm(xp, kappa, mu.shape[-1])
    return norm - kappa * (1 - xp.sum(mu * x, axis=-1))


class VonMisesFisher:
    """A von Mises-Fisher variable: a unit vector near a direction.

    Called, it returns the distribution with its parameters fixed.

    Parameters
    ----------
    mu : array, shape (..., d)
        The mean directions, unit vectors of d > 1 components.
    kappa : float or array, shape (...)
        The concentrations, positive.

    Raises
    ------
    ShapeError
        If `x` and `mu` have other numbers of components, or `mu` one.
    ArgumentError
        If values that can be read are wrong: vectors that aren't of norm 1, `kappa` not positive.

    Notes
    -----
    The density is ``kappa^(d/2-1) exp(kappa mu x) / ((2 pi)^(d/2) I_{d/2-1}(kappa))``: K. V.
    Mardia, P. E. Jupp, Directional Statistics (2000), section 9.3. The Bessel function is a
    product of ratios of neighbouring orders: O(d), and differentiable in all parameters. `rvs` by
    A. T. A. Wood's rejection (Commun. Stat. Simul. 23 (1994) 157-164), in three dimensions in
    closed form and differentiable; the reflection that takes the first axis to `mu` is, too.

    Differs from SciPy: leading dimensions of parameters are a batch. `rvs` takes `key`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.stats import vonmises_fisher
    >>> mu = np.asarray([0.0, 0.0, 1.0])
    >>> float(vonmises_fisher.pdf(mu, mu, 2.0).round(12))
    0.324248708438
    """

    def __call__(self, mu: Any = None, kappa: Any = 1, seed: Any = None) -> Frozen:
        """Return the distribution with these parameters."""
        refuse("vonmises_fisher", seed=seed)
        _, mu, kappa, _ = _planned("vonmises_fisher", mu, kappa)
        return Frozen(self, mu=mu, kappa=kappa)

    def logpdf(self, x: Any, mu: Any = None, kappa: Any = 1) -> Any:
        """Return the logarithm of the density at unit vectors (..., d)."""
        return as_given(_log_density(*_planned("vonmises_fisher.logpdf", mu, kappa, x)))

    def pdf(self, x: Any, mu: Any = None, kappa: Any = 1) -> Any:
        """Return the density at unit vectors (..., d)."""
        xp, *rest = _planned("vonmises_fisher.pdf", mu, kappa, x)
        return as_given(xp.exp(_log_density(xp, *rest)))

    def entropy(self, mu: Any = None, kappa: Any = 1) -> Any:
        """Return the differential entropy."""
        xp, mu, kappa, _ = _planned("vonmises_fisher.entropy", mu, kappa)
        norm, lack = _log_norm(xp, kappa, mu.shape[-1])
        return as_given(kappa * lack - norm + xp.zeros_like(mu[..., 0]))

    def rvs(
        self,
        mu: Any = None,
        kappa: Any = 1,
        size: Any = 1,
        random_state: Any = None,
        *,
        key: Any = None,
    ) -> Any:
        """Return unit vectors, shape `size` + (d,)."""
        function = "vonmises_fisher.rvs"
        xp, mu, kappa, _ = _planned(function, mu, kappa)
        _, key, _, dtype = keyed(function, key, random_state, mu, kappa)
        d = mu.shape[-1]
        batch = _plan.broadcast(function, mu=tuple(mu.shape[:-1]), kappa=tuple(kappa.shape))
        shape = (1,) if not batch and size == 1 else lead(function, size, batch)
        keys = split(key)
        first, second = keys[0, :], keys[1, :]
        if d == 3:
            u = uniform(first, shape, dtype)
            w = 1 + xp.log(u + (1 - u) * xp.exp(-2 * kappa)) / kappa
        else:
            w = sample(first, shape, _along, (kappa,), d, dtype)
        rest = unit_vectors(xp, second, (*shape, d - 1), dtype)
        across = xp.sqrt(xp.maximum((1 - w) * (1 + w), xp.zeros_like(w)))[..., None]
        return _reflected(xp, xp.concat([w[..., None], across * rest], axis=-1), mu)

    def fit(self, x: Any) -> tuple[Any, Any]:
        """Return the most likely direction (..., d) and concentration of rows (..., n, d)."""
        function = "vonmises_fisher.fit"
        xp = array_namespace(x)
        (x,) = _plan.common_floating(function, xp, ("x",), x, real=True)
        if x.ndim < 2:
            raise ShapeError(f"{function}: x must be two dimensional, got {tuple(x.shape)}")
        _on_sphere(function, xp, x, x.shape[-1])
        d, mean = x.shape[-1], xp.mean(x, axis=-2)
        length = xp.sqrt(xp.sum(mean * mean, axis=-1))
        kappa = length * (d - length * length) / (1 - length * length)
        for _ in range(_STEPS):
            a = 1 - _bessel(xp, kappa, d)[1]
            step = (a - length) / (1 - a * a - (d - 1) * a / kappa)
            kappa = xp.maximum(kappa - step, 0.1 * kappa)
        return mean / length[..., None], as_given(kappa)


def _along(words: Words, kappa: Any, d: int, dtype: Any) -> Any:
    """The component along the mean direction, by rejection."""
    xp, m = words.xp, d - 1
    zero = xp.zeros(words.counters.shape, dtype=dtype, device=device(words.counters))
    kappa = zero + kappa
    b = m / (2 * kappa + xp.sqrt(4 * kappa * kappa + m * m))
    node = (1 - b) / (1 + b)
    level = kappa * node + m * xp.log(4 * b / (1 + b) ** 2)

    def attempt(number: Any) -> tuple[Any, Any]:
        least = -1 + (2.0**-24 if dtype == xp.float32 else 2.0**-53)
        total, top = None, None
        for i in range(d):  # a symmetric beta variable is a component of a uniform direction
            u = nested(xp, *words.pair((d + 1) * number + i), dtype)
            z = inverse_error_function(xp, 2 * u + least)
            top = z if i == 0 else top
            total = z * z if i == 0 else total + z * z
        beta = 0.5 * (1 + top / xp.sqrt(total))
        w = (1 - (1 + b) * beta) / (1 - (1 - b) * beta)
        u = 1 - nested(xp, *words.pair((d + 1) * number + d), dtype)
        weight = kappa * w + m * xp.log((1 + b - w + w * b) / (1 + b)) - level
        return w, weight > xp.log(u)

    return accepted(words, attempt, _ROUNDS, node, kappa != kappa)


def _reflected(xp: Any, x: Any, mu: Any) -> Any:
    """Vectors reflected so that the first axis becomes mu."""
    normal = xp.concat([mu[..., :1] - 1, mu[..., 1:]], axis=-1)
    size = xp.sum(normal * normal, axis=-1, keepdims=True)
    still = size == 0
    size = xp.where(still, xp.ones_like(size), size)
    share = 2 * xp.sum(normal * x, axis=-1, keepdims=True) / size
    return xp.where(still, x + 0 * normal, x - share * normal)


vonmises_fisher = VonMisesFisher()
