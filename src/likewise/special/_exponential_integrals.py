"""Exponential integrals: E1, Ei, and En of whole order.

E1 is a polynomial less log(x) up to 1, where both are positive (DLMF 6.6.2), and beyond
exp(-x) / x times a rational function of 1 / x (DLMF 6.12.1). Ei up to 6 is computed from the
distance to its zero at 0.3725; beyond, by one polynomial in 1 / x per octave, as exp(-x) x Ei(x)
has no expansion that converges at infinity. En is its power series up to 1 (DLMF 8.19.8), which
cancels beyond, and a continued fraction there (DLMF 8.19.17), which takes more steps the closer x
is to 0. Coefficients are by ci/special/fit.py.
"""

import math
from typing import Any

from .._namespace import array_namespace, hooks_of
from .._typing import A, Numbers
from ..transforms import fori_loop
from . import _exponential_integrals_fits as fits
from ._function import by_region, elementwise, no_derivative
from ._polynomial import polynomial, ratio
from ._two_parts import less

__all__ = ["exp1", "expi", "expn"]

_EULER = 0.5772156649015329


def _few(x: Any) -> bool:
    """SciPy's take 300 ns a number, several times what the body takes of many."""
    return math.prod(x.shape) < 500


# -- orders one ------------------------------------------------------------------------------------


def _e1_near(x: Any) -> Any:
    return polynomial(fits.E1, x) - array_namespace(x).log(x)


def _e1_far(x: Any) -> Any:
    return array_namespace(x).exp(-x) / x * ratio(fits.E1_FAR[0], fits.E1_FAR[1], 1 / x)


def _ei_near(x: Any) -> Any:
    xp = array_namespace(x)
    head, tail = fits.EI_ZERO
    off = less(x, fits.EI_ZERO)
    close = xp.abs(off) < 0.5 * head
    # A quotient of the tiniest numbers would lose digits.
    zero = head + tail
    far = xp.where(x < 1e-30, xp.log(x) - math.log(zero), xp.log(x / zero))
    log = xp.where(close, xp.log1p(off / zero), far)
    return log + off * polynomial(fits.EI, x / 6)


def _ei_far(coefficients: Any, t: Any, x: Any) -> Any:
    """exp(x) / x times a polynomial; the exponential overflows first."""
    half = array_namespace(x).exp(0.5 * x)
    return half / x * polynomial(coefficients, t) * half


def _ei_beyond(x: Any) -> Any:
    xp = array_namespace(x)
    return xp.where(x == xp.inf, x, _ei_far(fits.EI_FAR, 96 / x - 1, x))


def _ei_slope(y: Any, x: Any) -> Any:
    xp = array_namespace(x)
    half = xp.exp(0.5 * x)
    return half / xp.where(x == xp.inf, xp.ones_like(x), x) * half


@elementwise(
    derivatives=(lambda y, x: -array_namespace(x).exp(-x) / array_namespace(x).abs(x),),
    when=_few,
    numpy="scipy.special:exp1",
    torch="scipy.special:exp1",
)
def exp1(x: A) -> A:
    """Return the exponential integral E1, the integral of ``exp(-t) / t`` from `x` on.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; infinite at 0, NaN below.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    A polynomial with a logarithm up to 1, and an asymptotic form beyond. Differentiable.
    Complex numbers, which SciPy takes, are refused.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import exp1
    >>> exp1(np.asarray([0.0, 1.0, 20.0])).round(6)
    array([     inf, 0.219384, 0.      ])
    """
    return by_region((x,), (x <= 1, _e1_near), rest=_e1_far)


def _ei_box(y: Any, x: Any) -> Any:
    """A result that is neither close to 0 by underflow nor to the largest number."""
    return (abs(y) > 1e-290) & (abs(y) < 1e300)


@elementwise(
    derivatives=(_ei_slope,),
    numpy="scipy.special:expi",
    torch="scipy.special:expi",
    box=_ei_box,
    usual=((1e-300, 690.0),),
)
def expi(x: A) -> A:
    """Return the exponential integral Ei, the principal value of that of ``exp(t) / t`` up to `x`.

    Parameters
    ----------
    x : array
        Real, any shape.

    Returns
    -------
    array
        Of the shape of `x` and its floating dtype; -inf at 0.

    Raises
    ------
    DtypeError
        If `x` doesn't hold real numbers.

    Notes
    -----
    Up to 6, computed from the distance to its zero; beyond, by asymptotic forms. Differentiable.
    Differs from SciPy: finite up to 716.35, where SciPy's is infinite from 709.79 on; complex
    numbers are refused.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import expi
    >>> expi(np.asarray([-1.0, 0.0, 1.0, 20.0])).round(6)
    array([-2.19384000e-01,            -inf,  1.89511800e+00,  2.56156527e+07])
    """
    return by_region(
        (x,),
        (x < -1, lambda x: -_e1_far(-x)),
        (x < 0, lambda x: -_e1_near(-x)),
        (x <= 6, _ei_near),
        (x <= 12, lambda x: _ei_far(fits.EI_12, 24 / x - 3, x)),
        (x <= 24, lambda x: _ei_far(fits.EI_24, 48 / x - 3, x)),
        (x <= 48, lambda x: _ei_far(fits.EI_48, 96 / x - 3, x)),
        rest=_ei_beyond,
    )


# -- whole orders ----------------------------------------------------------------------------------


def _repeated(steps: int, step: Any, start: Any) -> Any:
    """A loop of the library's where that compiles, else Python's."""
    if hooks_of(start[0]).compiles:
        return fori_loop(0, steps, lambda _, carry: step(*carry), start)[0]
    for _ in range(steps):
        start = step(*start)
    return start[0]


def _by_series(n: Any, x: Any, steps: int) -> Any:
    """The sum of -(-x)^m / ((m + 1 - n) m!), with a logarithm where m + 1 = n."""
    xp = array_namespace(x)
    zero, log = xp.zeros_like(n + x), xp.log(x)

    def add(total: Any, power: Any, m: Any, psi: Any) -> Any:
        order = m + 1 - n
        own = order == 0
        part = xp.where(own, psi - log, -1 / xp.where(own, xp.ones_like(order), order))
        total = total + xp.where(power == 0, power, power * part)
        return total, -power * x / (m + 1), m + 1, psi + 1 / (m + 1)

    return _repeated(steps, add, (zero, zero + 1, 0.0, -_EULER))


def _by_fraction(n: Any, x: Any, steps: int) -> Any:
    """From below, where the rest is taken as if its terms went on unchanged."""
    xp = array_namespace(x)
    base, k = x + n, float(steps)
    last = base + 2 * k
    rest = 0.5 * (last + xp.sqrt(last * last - 4 * (k + 1) * (n + k)))

    def step(f: Any, k: Any) -> Any:
        return base + 2 * k - (k + 1) * (n + k) / f, k - 1

    return xp.exp(-x) / _repeated(steps, step, (rest, k - 1))


def _en(n: Any, x: Any) -> Any:
    """Return expn of order 1 and above."""
    single = x.dtype == array_namespace(x).float32
    return by_region(
        (n, x),
        (x <= 1, lambda n, x: _by_series(n, x, 12 if single else 20)),
        (x <= 3, lambda n, x: _by_fraction(n, x, 32 if single else 90)),
        rest=lambda n, x: _by_fraction(n, x, 14 if single else 36),
    )


def _en_slope(y: Any, n: Any, x: Any) -> Any:
    xp = array_namespace(x)
    first = xp.trunc(n) == 0
    below = expn(xp.where(first, n, n - 1), x)
    return -xp.where(first, y * (1 + 1 / x), below)


def _en_box(y: Any, n: Any, x: Any) -> Any:
    """Whole orders up to 50, and a result above 1e-290."""
    return (n >= 0) & (n <= 50) & (n % 1 == 0) & (x >= 0) & (y > 1e-290)


@elementwise(
    derivatives=(no_derivative("expn: has no derivative in n, a whole number"), _en_slope),
    numpy="likewise._libs.numpy._whole:expn",
    box=_en_box,
)
def expn(n: A | Numbers, x: A | Numbers) -> A:
    """Return the exponential integral En, of ``exp(-x t) / t**n`` from 1 on.

    Parameters
    ----------
    n : array
        Orders, whole numbers from 0 on; others are rounded toward 0.
    x : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; NaN where `x` or `n` is negative, or `n` is infinite.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.
    TransformError
        If the derivative in `n` is requested.

    Notes
    -----
    A power series up to 1, and a continued fraction beyond, of 90 steps up to 3 and 36 from
    there on (in single precision 32 and 14). Differentiable in `x`. NumPy arrays use this method
    too, as SciPy's function warns of orders that are NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import expn
    >>> expn(np.asarray([0, 1, 2, 30]), 0.5).round(6)
    array([1.213061, 0.559774, 0.326644, 0.020548])
    """
    xp = array_namespace(n, x)
    n = xp.trunc(n)
    safe = xp.where((n >= 1) & (n < xp.inf), n, xp.ones_like(n))
    inside = xp.where((x > 0) & (x < xp.inf), x, xp.ones_like(x))
    found = xp.where(n == 0, xp.exp(-inside) / inside, _en(*xp.broadcast_arrays(safe, inside)))
    at_zero = xp.where(n > 1, 1 / (xp.where(n > 1, n, 2 * xp.ones_like(n)) - 1), xp.inf)
    found = xp.where(x == 0, at_zero, found)
    found = xp.where(x == xp.inf, xp.zeros_like(found), found)
    return xp.where((n >= 0) & (n < xp.inf) & (x >= 0), found, xp.nan)
