"""SciPy's functions of a whole number, which come as all arguments do, in floating point."""

from typing import Any

import numpy as np
import scipy.special

__all__ = (
    "bdtr bdtrc comb expn jn kn lambertw legendre_p nbdtr perm polygamma sph_harm_y yn".split()
)


def bdtr(k: Any, n: Any, p: Any) -> Any:
    """Give SciPy integers, as it warns of others."""
    return scipy.special.bdtr(k, _integers(n), p)


def bdtrc(k: Any, n: Any, p: Any) -> Any:
    return scipy.special.bdtrc(k, _integers(n), p)


def nbdtr(k: Any, n: Any, p: Any) -> Any:
    return scipy.special.nbdtr(_integers(k), _integers(n), p)


def _integers(x: Any) -> Any:
    with np.errstate(invalid="ignore"):
        return x.astype(np.intp)


def comb(n: Any, k: Any) -> Any:
    """Call it for what has choices; SciPy's own sets the others to 0."""
    found = scipy.special.binom(n, k)
    return np.where((k <= n) & (k >= 0), found, 0.0)[()]


def perm(n: Any, k: Any) -> Any:
    with np.errstate(all="ignore"):
        found = scipy.special.poch(n - k + 1, k)
    return np.where((k <= n) & (k >= 0), found, 0.0)[()]


def expn(n: Any, x: Any) -> Any:
    """Give SciPy integers, as it warns of others, which the box leaves to the body."""
    return scipy.special.expn(_integers(n), x)


def jn(x: Any, n: int) -> Any:
    """The order comes last, as the array decides what is called."""
    return _like(scipy.special.jv(n, x), x)


def kn(x: Any, n: int) -> Any:
    """Call SciPy's of real orders: that of whole ones leaves the range early; 0 from 697 on."""
    found = scipy.special.kv(n, x)
    return _like(found, x) if np.count_nonzero(found) == found.size else NotImplemented


def yn(x: Any, n: int) -> Any:
    """Call SciPy's of whole orders; the order comes last."""
    return _like(scipy.special.yn(n, x), x)


def _like(found: Any, x: Any) -> Any:
    return found if found.dtype is x.dtype else found.astype(x.dtype)


def legendre_p(z: Any, n: int, diff_n: int) -> Any:
    """The degree comes behind what decides."""
    return scipy.special.legendre_p(n, z, diff_n=diff_n)


def sph_harm_y(theta: Any, phi: Any, n: int, m: int) -> Any:
    return scipy.special.sph_harm_y(n, m, theta, phi)


def lambertw(z: Any, k: Any) -> Any:
    """Give SciPy integers; the branches come as complex numbers."""
    if k.ndim == 0 and abs(k) < 100:
        return scipy.special.lambertw(z, int(k.real))
    with np.errstate(invalid="ignore"):
        return scipy.special.lambertw(z, k.real.astype(np.intp))


def polygamma(n: Any, x: Any) -> Any:
    """Call it right of 0; left of it SciPy takes a step for each number on the way."""
    right = x if (x > 0).all() else np.where((x > 0) | ((n == 0) & (x > -1e6)), x, np.nan)
    with np.errstate(all="ignore"):
        return scipy.special.polygamma(n, right)
