"""The inverses of the incomplete gamma functions in x.

The smaller of both tails is inverted: 1 less the argument is exact where the argument is above 1/2.
"""

from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._function import by_region, elementwise, repeated
from ._gamma_parts import log_gamma1p
from ._gammainc import gammainc_density, moved_by_a, tail, weight
from ._log1p_less import less_log
from ._normal import quantile

__all__ = ["gammainccinv", "gammaincinv", "ratio_of_eta", "small_start"]

# The relative error of a start is at most 0.14 where x moves as much as the tail does, and less
# where x moves more. A step takes 0.14 to 2e-6, and that to 1e-23.
_STEPS = 2
# From this shape on the start by Temme's expansion is within 0.1 of the root, wherever the powers
# of x don't hold; below it the other two do.
_UNIFORM = 0.5


def _by_powers(a: Any, r: Any, sign: Any) -> tuple[Any, Any]:
    """v = (P gamma(a + 1))^(1 / a), and x as its power series (A. Gil, J. Segura, N. M. Temme,
    SIAM J. Sci. Comput. 34 (2012), A2965, eq. 3.2)."""
    xp = array_namespace(a, r)
    log = xp.where(sign < 0, xp.log(r), xp.log1p(-r))
    v = xp.exp((log + log_gamma1p(a)) / a)
    u = v / (a + 1)
    return v, v * (1 + u * (1 + u * (3 * a + 5) / (2 * a + 4)))


def _by_fraction(a: Any, r: Any) -> Any:
    """x for a below 1, where it is above 0.2: two of Halley's steps on the logarithm of the first
    terms of the continued fraction (DLMF 8.9.2), which are cheap."""
    xp = array_namespace(a, r)
    log = xp.log(a) - log_gamma1p(a) - xp.log(r)
    positive = xp.maximum(log, xp.zeros_like(log))
    x = xp.maximum(0.3 + 0.4 * log, positive - xp.log1p(positive) + 0.1)
    for _ in range(2):
        under = x + 1 - a - (1 - a) / (x + 3 - a - 2 * (2 - a) / (x + 5 - a))
        newton = (a * xp.log(x) - x - xp.log(under) + log) / under
        x = x * xp.exp(newton / (1 + 0.5 * newton * (a - x + under)))
    return x


def ratio_of_eta(eta: Any) -> Any:
    """x / a of eta (DLMF 8.12.1): a series (8.12.15), or the two ends of Lambert's function, and a
    step of Newton's method on them."""
    xp = array_namespace(eta)
    near = 1 + eta * (1 + eta * (1 / 3 + eta * (1 / 36 - eta / 270)))
    g = 0.5 * eta * eta
    w = xp.exp(-1 - g)
    far = 1 + g + xp.log(1 + g + xp.log(1 + g))
    found = xp.where(eta < -1, w * (1 + w * (1 + 1.5 * w)), xp.where(eta > 2.5, far, near))
    close = xp.abs(eta) < 0.5
    mu = xp.where(close, 1.0, found - 1)
    step = (less_log(mu) - g) * (1 + mu) / mu
    return xp.where(close, near, found - step)


def _by_expansion(a: Any, r: Any, sign: Any) -> Any:
    """x by Temme's expansion, whose eta is that of the normal distribution and a correction (Gil,
    Segura, Temme, eq. 3.9 and 3.11)."""
    xp = array_namespace(a, r)
    eta = -sign * quantile(r) / xp.sqrt(a)
    near = xp.abs(eta) < 0.05
    safe = xp.where(near, 1.0, eta)
    far = xp.log(safe / (ratio_of_eta(safe) - 1)) / safe
    moved = xp.where(near, -1 / 3 + eta * (1 / 36 + eta * (7 / 1620)), far)
    return a * ratio_of_eta(eta + moved / a)


def small_start(a: Any, r: Any, sign: Any) -> Any:
    """Return `start` for a below 1/2."""
    v, x = _by_powers(a, r, sign)
    return by_region(
        (a, r, x), (v < 0.2 * (a + 1), lambda a, r, x: x), rest=lambda a, r, x: _by_fraction(a, r)
    )


def start(a: Any, r: Any, sign: Any) -> Any:
    """About x, of which a tail is r: the upper one where the sign is 1, the lower one where it is
    -1."""
    v, x = _by_powers(a, r, sign)
    return by_region(
        (a, r, sign, v, x),
        (v < 0.2 * (a + 1), lambda a, r, sign, v, x: x),
        (a < _UNIFORM, lambda a, r, *_: _by_fraction(a, r)),
        rest=lambda a, r, sign, *_: _by_expansion(a, r, sign),
    )


def _solved(a: Any, r: Any, sign: Any) -> Any:
    """x, of which a tail is r: the upper one where the sign is 1, the lower one where it is -1.

    Steps of fourth order (A. S. Householder, 1970, of three derivatives) on the logarithm of the
    tail as a function of log(x): its derivatives are elementary in x and the density.
    """
    xp = array_namespace(a, r)
    # From here on the start has all digits, and x has too few to determine the tail.
    most = 1 / xp.finfo(r.dtype).eps

    def step(_: Any, carry: Any) -> Any:
        (x,) = carry
        found = tail(a, x, sign)
        off = (found - r) / r
        log = xp.where(xp.abs(off) < 0.5, xp.log1p(off), xp.log(found / r))
        first = -sign * weight(a, x) / found
        newton = -log / first
        second = a - x - first
        third = second * second - x - first * second
        bent = second * newton
        moved = newton * (1 + 0.5 * bent) / (1 + bent + third * newton * newton / 6)
        return (x * xp.exp(xp.where(xp.isfinite(moved) & (a < most), moved, 0.0)),)

    return repeated(_STEPS, step, (start(a, r, sign),))[0]


def _inverse(a: Any, p: Any, side: float) -> Any:
    """Invert the upper function (side 1) or the lower one (-1), with SciPy's edges."""
    xp = array_namespace(a, p)
    good = (a > 0) & xp.isfinite(a) & (p > 0) & (p < 1)
    a, p = a + xp.zeros_like(p), p + xp.zeros_like(a)
    b, y = xp.where(good, a, 1.0), xp.where(good, p, 0.25)
    sign = xp.where(y <= 0.5, side * xp.ones_like(y), -side)
    found = _solved(b, xp.minimum(y, 1 - y), sign)
    zero, one = (xp.inf, 0.0) if side > 0 else (0.0, xp.inf)
    found = xp.where(p == 0, zero, xp.where(p == 1, one, xp.where(good, found, xp.nan)))
    return xp.where((a < 0) | xp.isnan(a), xp.nan, found)


def _lower_box(y: Any, a: Any, p: Any) -> Any:
    """A shape below 1e5, and neither the argument nor the result close to 0."""
    return (a < 1e5) & (p > 1e-290) & (y > 1e-290)


def upper_box(y: Any, a: Any, p: Any) -> Any:
    """A shape below 1e5 and not just above 0.5, and neither argument nor result close to 0."""
    right = (a < 1e5) & ((a <= 0.5) | (a >= 0.53) | (p < 0.05))
    return right & (p > 1e-290) & (y > 1e-290)


@elementwise(
    derivatives=(
        lambda y, a, p: moved_by_a(a, y),
        lambda y, a, p: 1 / gammainc_density(a, y),
    ),
    numpy="scipy.special:gammaincinv",
    torch="scipy.special:gammaincinv",
    box=_lower_box,
    usual=((0.1, 1e3), (1e-20, 0.999999)),
)
def gammaincinv(a: A, y: A | Numbers) -> A:
    """Return the inverse of `gammainc` in its second argument: `x`, where it is `y`.

    Parameters
    ----------
    a, y : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; 0 and infinity where `y` is 0 and 1. NaN where `y` isn't in
        [0, 1] or `a` is negative; for `y` inside of (0, 1) also where `a` is 0 or infinite.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    A. Gil, J. Segura, N. M. Temme, SIAM J. Sci. Comput. 34 (2012), A2965: the start is a power
    series, a few terms of a continued fraction, or Temme's expansion; then two steps of fourth
    order on the logarithm of the smaller tail, each of which costs as much as `gammainc`.
    Differentiable in both arguments; in `a` only twice.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import gammaincinv
    >>> gammaincinv(0.5, np.asarray([0.0, 1e-30, 0.5, 1.0]))
    array([0.00000000e+00, 7.85398163e-61, 2.27468212e-01,            inf])
    """
    return _inverse(a, y, -1.0)


@elementwise(
    derivatives=(
        lambda y, a, p: moved_by_a(a, y),
        lambda y, a, p: -1 / gammainc_density(a, y),
    ),
    numpy="scipy.special:gammainccinv",
    torch="scipy.special:gammainccinv",
    box=upper_box,
)
def gammainccinv(a: A, y: A | Numbers) -> A:
    """Return the inverse of `gammaincc` in its second argument: `x`, where it is `y`.

    Parameters
    ----------
    a, y : array
        Real; they broadcast.

    Returns
    -------
    array
        Of their common floating dtype; infinity and 0 where `y` is 0 and 1. NaN where `y` isn't in
        [0, 1] or `a` is negative; for `y` inside of (0, 1) also where `a` is 0 or infinite.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    As for `gammaincinv`. Differentiable in both arguments; in `a` only twice.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import gammainccinv
    >>> gammainccinv(0.5, np.asarray([0.0, 1e-300, 0.5, 1.0]))
    array([           inf, 6.86936316e+02, 2.27468212e-01, 0.00000000e+00])
    """
    return _inverse(a, y, 1.0)
