"""SciPy's functions of a whole number, which come as all arguments do, in floating point."""

from typing import Any

import numpy as np
import scipy.special

__all__ = ["expn", "jn", "kn", "lambertw", "polygamma", "yn"]


def expn(n: Any, x: Any) -> Any:
    """Give SciPy integers, as it warns of others, which the box leaves to the body."""
    with np.errstate(invalid="ignore"):
        return scipy.special.expn(n.astype(np.intp), x)


def jn(x: Any, n: int) -> Any:
    """The order comes last, as the array decides what is called."""
    with np.errstate(all="ignore"):
        return np.asarray(scipy.special.jv(n, x), x.dtype)


def kn(x: Any, n: int) -> Any:
    """Call SciPy's of real orders: that of whole ones leaves the range early; 0 from 697 on."""
    if np.any(x > 690):
        return NotImplemented
    with np.errstate(all="ignore"):
        return np.asarray(scipy.special.kv(n, x), x.dtype)


def yn(x: Any, n: int) -> Any:
    """Call SciPy's of whole orders; the order comes last."""
    with np.errstate(all="ignore"):
        return np.asarray(scipy.special.yn(n, x), x.dtype)


def lambertw(z: Any, k: Any) -> Any:
    """Give SciPy integers; the branches come as complex numbers."""
    with np.errstate(invalid="ignore"):
        return scipy.special.lambertw(z, k.real.astype(np.intp))


def polygamma(n: Any, x: Any) -> Any:
    """Call it right of 0; left of it SciPy takes a step for each number on the way."""
    right = np.where((x > 0) | ((n == 0) & (x > -1e6)), x, np.nan)
    with np.errstate(all="ignore"):
        return scipy.special.polygamma(n, right)
