"""The Faddeeva function, and Voigt's profile of spectral lines, which is its real part."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._function import elementwise

__all__ = ["voigt_profile", "wofz"]

# The integral of exp(-t^2) / (z - t) by the trapezoidal rule of step H, with the residue at t = z.
# Its error is exp(-(pi / H)^2); that of the terms left out is smaller.
_COUNT = 12
_H = math.sqrt(math.pi / _COUNT)
_ROOT_PI = math.sqrt(math.pi)
# w'(z) = -i / sqrt(pi) (1 / z^2 + 3 / (2 z^4) + 15 / (4 z^6) + ...): DLMF 7.12.1, differentiated.
_SLOPE = [math.prod(range(1, 2 * k + 2, 2)) / 2.0**k for k in range(13)]


def _quadrant(xp: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Real and imaginary part of w(x + iy) for x and y from 0 on.

    (M. Al Azah, S. N. Chandler-Wilde, SIAM J. Numer. Anal. 59, 2021, 2346.) Nodes are k H, or (k +
    1/2) H where x is closer to a node of the first kind: next to one both the sum and the residue
    have a pole. All terms of the real part have one sign, so that it is as accurate by itself.
    """
    place = x / _H
    place = place - xp.floor(place)
    whole = (y < x) & (place >= 0.25) & (place <= 0.75)
    s = x * x + y * y
    real, imag = xp.zeros_like(x), xp.zeros_like(x)
    for k in range(_COUNT + 1):  # the last one is seen next to it, where the real part is small
        t = xp.where(whole, xp.full_like(x, k * _H), (k + 0.5) * _H)
        weight = xp.where(
            whole,
            xp.full_like(x, (0.5 if k == 0 else 1.0) * math.exp(-((k * _H) ** 2))),
            math.exp(-(((k + 0.5) * _H) ** 2)),
        )
        below, above, t2 = x - t, x + t, t * t
        share = weight / ((below * below + y * y) * (above * above + y * y))
        real = real + share * (s + t2)
        imag = imag + share * (s - t2)
    real, imag = (2 * _H / math.pi) * y * real, (2 * _H / math.pi) * x * imag
    by_residue = _residue(xp, x, y, place, whole)
    return real + by_residue[0], imag + by_residue[1]


def _residue(xp: Any, x: Any, y: Any, place: Any, whole: Any) -> tuple[Any, Any]:
    """2 exp(-z^2) / (1 + exp(-2 pi i z / H)), or with a minus where nodes are whole; 0 above."""
    needed = (y < math.pi / _H) | (y < x)
    inner = xp.where(needed, y, xp.zeros_like(y))
    sign = xp.where(whole, -xp.ones_like(x), 1.0)
    fade = xp.exp(-(2 * math.pi / _H) * inner)
    angle = 2 * math.pi * place
    u, v = sign * fade + xp.cos(angle), xp.sin(angle)
    size = 2 * xp.exp((inner - x) * (inner + x)) * (fade / (u * u + v * v))
    size = xp.where(needed, sign * size, xp.zeros_like(size))
    c, d = xp.cos(2 * x * inner), xp.sin(2 * x * inner)
    return size * (c * u + d * v), size * (c * v - d * u)


def _upper(xp: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Real and imaginary part of w(x + iy) for x and y from 0 on, of any size."""
    most = xp.maximum(x, y)
    large = most > (1e4 if x.dtype == xp.float32 else 1e8)
    one = xp.ones_like(x)
    real, imag = _quadrant(xp, xp.where(large, one, x), xp.where(large, one, y))
    a, b = x / most, y / most  # i / (sqrt(pi) z) is all that is left
    scale = 1 / (_ROOT_PI * most * (a * a + b * b))
    infinite = xp.isinf(most)
    far = [xp.where(infinite, xp.zeros_like(x), part * scale) for part in (b, a)]
    return xp.where(large, far[0], real), xp.where(large, far[1], imag)


def _slope(w: Any, z: Any) -> Any:
    """The derivative, 2i / sqrt(pi) - 2 z w, of which beyond 12 nothing is left: a series."""
    xp = array_namespace(z)
    far = xp.abs(z) > 12
    one = xp.ones_like(z)
    t = 1 / xp.where(far, z, 12 * one)
    t = t * t
    series = xp.zeros_like(t)
    for term in reversed(_SLOPE):
        series = series * t + term
    near = 2j / _ROOT_PI - 2 * xp.where(far, one, z) * xp.where(far, one, w)
    return xp.where(far & (xp.imag(z) > -xp.abs(xp.real(z))), (-1j / _ROOT_PI) * t * series, near)


def _w_box(w: Any, z: Any) -> Any:
    """The upper half plane, but for real parts from 4 to 8.3."""
    x = abs(z.real)
    return (z.imag >= 0) & ((x <= 4) | (x >= 8.3)) & (x < 1e100) & (z.imag < 1e100)


@elementwise(
    derivatives=(_slope,),
    complex=None,
    numpy="scipy.special:wofz",
    torch="scipy.special:wofz",
    box=_w_box,
    usual=((-4.0, 4.0),),
)
def wofz(z: A) -> A:
    """Return the Faddeeva function, ``exp(-z**2) erfc(-1j z)``.

    Parameters
    ----------
    z : array
        Complex or real, any shape.

    Returns
    -------
    array
        Complex, of the shape of `z` and its precision.

    Raises
    ------
    DtypeError
        If `z` doesn't hold numbers.

    Notes
    -----
    The trapezoidal rule with thirteen nodes, corrected for the pole of the integrand (M. Al Azah,
    S. N. Chandler-Wilde, SIAM J. Numer. Anal. 59, 2021, 2346); ``2 exp(-z**2) - w(-z)`` in the
    lower half of the plane. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import wofz
    >>> wofz(np.asarray([0j, 1 + 1j])).round(6)
    array([1.      +0.j      , 0.304744+0.208219j])
    """
    xp = array_namespace(z)
    x, y = xp.real(z), xp.imag(z)
    a, b = xp.abs(x), xp.abs(y)
    real, imag = _upper(xp, a, b)
    # Below, 2 exp(-z^2) - w(-z), for the mirror image at the imaginary axis.
    size, angle = 2 * xp.exp((b - a) * (b + a)), 2 * a * b
    lower = y < 0
    real = xp.where(lower, size * xp.cos(angle) - real, real)
    imag = xp.where(lower, size * xp.sin(angle) + imag, imag)
    imag = xp.where(x < 0, -imag, imag)
    return real + 1j * imag


def _reciprocal(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Where abs(z) > 12, and both parts of 1 / z, which elsewhere is 1 / 12."""
    xp = array_namespace(x, y)
    s = x * x + y * y
    far = s > 144
    one = xp.ones_like(s)
    s = xp.where(far, s, 144 * one)
    return far, xp.where(far, x * one, 12 * one) / s, -xp.where(far, y * one, 0 * one) / s


def _sum(terms: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Both parts of t (terms[0] + terms[1] t + ...), t = (a + ib)^2."""
    a, b = (a - b) * (a + b), 2 * a * b
    c, d = 0 * a, 0 * b
    for term in reversed(terms):
        c = c + term
        c, d = c * a - d * b, c * b + d * a
    return c / _ROOT_PI, d / _ROOT_PI


def _slopes(x: Any, y: Any, real: Any, imag: Any) -> tuple[Any, Any]:
    """The derivative of w(x + iy), y >= 0, in two parts, of those of w; beyond 12 by the series."""
    xp = array_namespace(x, y)
    far, a, b = _reciprocal(x, y)
    c, d = _sum(_SLOPE, a, b)
    u = -2 * (x * real - y * imag)
    v = 2 / _ROOT_PI - 2 * (x * imag + y * real)
    return xp.where(far, d, u), xp.where(far, -c, v)


def _first(k: Any, x: Any, y: Any) -> Any:
    return _slopes(x, y, k, _imaginary(x, y))[0]


def _second(k: Any, x: Any, y: Any) -> Any:
    return -_slopes(x, y, k, _imaginary(x, y))[1]


@elementwise(derivatives=(_first, _second))
def _voigt(x: A, y: A) -> A:
    """The real part of w(x + iy), y >= 0."""
    xp = array_namespace(x, y)
    return _upper(xp, xp.abs(x), y)[0]


@elementwise(
    derivatives=(
        lambda m, x, y: _slopes(x, y, _voigt(x, y), m)[1],
        lambda m, x, y: _slopes(x, y, _voigt(x, y), m)[0],
    )
)
def _imaginary(x: A, y: A) -> A:
    """The imaginary part of w(x + iy), y >= 0."""
    xp = array_namespace(x, y)
    found = _upper(xp, xp.abs(x), y)[1]
    return xp.where(x < 0, -found, found)


def _by_line(x: Any, sigma: Any, gamma: Any) -> tuple[Any, ...]:
    """Return a safe sigma, and both parts of z = (x + i gamma) / (sigma sqrt(2)), where abs(z) is
    up to 12; where it is more; and, for a tiny gamma, the normal density, which the series lacks:
    sigma, x / sigma and the density."""
    xp = array_namespace(x, sigma, gamma)
    none = sigma == 0
    scale = math.sqrt(0.5) / xp.where(none, xp.ones_like(sigma), sigma)
    a, b = x * scale, gamma * scale
    far = none | ~(a * a + b * b <= 144)
    normal = xp.exp(-a * a) * (scale / _ROOT_PI)
    seen = ~none & (b < 1e-3) & (normal > 0) & (scale < xp.inf)
    width, one = xp.where(seen, sigma, 1.0), xp.ones_like(far, dtype=a.dtype)
    normal = width, xp.where(seen, x, 0.0) / width, xp.where(seen, normal, 0.0)
    some = xp.where(far, one, sigma)
    return some, xp.where(far, one, a), xp.where(far, one, b), far, normal


def _by_cauchy(x: Any, sigma: Any, gamma: Any, far: Any, bent: bool) -> tuple[Any, Any]:
    """Beyond 12 both parts of 1 / (pi (x + i gamma)^2), or of -2 / (pi (x + i gamma)^3) if `bent`,
    times the series of w' or of w'': the Cauchy density's derivatives where sigma is 0."""
    xp = array_namespace(x, sigma, gamma)
    far = far & ((x != 0) | (gamma != 0))
    x, sigma, gamma = (xp.where(far, v, s) for v, s in ((x, 1.0), (sigma, 0.0), (gamma, 1.0)))
    most = xp.maximum(xp.abs(x), gamma)
    unit = xp.where(xp.isinf(most), xp.ones_like(most), most)
    u, v = x / unit, gamma / unit
    size = u * u + v * v
    p, q = u / size / most, -v / size / most
    p, q = xp.where(xp.isinf(most), 0.0, p), xp.where(xp.isinf(most), 0.0, q)
    a, b = math.sqrt(2.0) * sigma * p, math.sqrt(2.0) * sigma * q
    a, b = (a - b) * (a + b), 2 * a * b
    c, d = 0 * a, 0 * b
    for k, term in reversed([*enumerate(_SLOPE)]):
        c = c + ((k + 1) * term if bent else term)
        c, d = (c * a - d * b, c * b + d * a) if k else (c, d)
    over, turn = (p - q) * (p + q) / math.pi, 2 * p * q / math.pi
    if bent:
        over, turn = -2 * (over * p - turn * q), -2 * (over * q + turn * p)
    return over * c - turn * d, over * d + turn * c


def _by_x(_: Any, x: Any, sigma: Any, gamma: Any) -> Any:
    some, a, b, far, (width, t, normal) = _by_line(x, sigma, gamma)
    near = _slopes(a, b, _voigt(a, b), _imaginary(a, b))[0] / (2 * _ROOT_PI * some * some)
    beyond = _by_cauchy(x, sigma, gamma, far, False)[1] - t / width * normal
    return array_namespace(near).where(far, beyond, near)


def _by_sigma(y: Any, x: Any, sigma: Any, gamma: Any) -> Any:
    """sigma times the second derivative in x: the profile spreads as heat does."""
    some, a, b, far, (width, t, normal) = _by_line(x, sigma, gamma)
    real = _voigt(a, b)
    u, v = _slopes(a, b, real, _imaginary(a, b))
    near = -2 * (real + a * u - b * v) / (math.sqrt(8 * math.pi) * some * some)
    beyond = sigma * _by_cauchy(x, sigma, gamma, far, True)[1] + (t * t - 1) / width * normal
    return array_namespace(near).where(far, beyond, near)


def _by_gamma(_: Any, x: Any, sigma: Any, gamma: Any) -> Any:
    some, a, b, far, _ = _by_line(x, sigma, gamma)
    near = -_slopes(a, b, _voigt(a, b), _imaginary(a, b))[1] / (2 * _ROOT_PI * some * some)
    return array_namespace(near).where(far, _by_cauchy(x, sigma, gamma, far, False)[0], near)


def _box(y: Any, x: Any, sigma: Any, gamma: Any) -> Any:
    """Up to 6 standard deviations, or from 15 on, and none by far smaller than gamma."""
    away = abs(x)
    right = (sigma > 1e-100) & (gamma >= 0) & (gamma < 1e3 * sigma) & (sigma + away < 1e100)
    return right & (y > 1e-290) & ((away <= 6 * sigma) | (away >= 15 * sigma))


@elementwise(
    derivatives=(_by_x, _by_sigma, _by_gamma),
    box=_box,
    usual=((-1.7, 1.7), (0.29, 1e3), (0.0, 200.0)),
    numpy="scipy.special:voigt_profile",
    torch="scipy.special:voigt_profile",
)
def voigt_profile(x: A, sigma: A | Numbers, gamma: A | Numbers) -> A:
    """Return Voigt's profile, the density of the sum of a normal and a Cauchy variable.

    Parameters
    ----------
    x : array
        Where to evaluate the profile, real.
    sigma : array
        The standard deviation of the normal distribution, not negative.
    gamma : array
        Half the width at half the maximum of the Cauchy distribution, not negative.

    Returns
    -------
    array
        Of their common floating dtype and shape.

    Raises
    ------
    DtypeError
        If an argument doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    The real part of the Faddeeva function, as for `wofz`, at ``(x + 1j gamma) / (sigma sqrt(2))``;
    the Cauchy density where `sigma` is 0. Differentiable in all three; in `sigma` the derivative at
    0 is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import voigt_profile
    >>> voigt_profile(np.asarray([0.0, 2.0]), 1.0, 0.5).round(6)
    array([0.278955, 0.082424])
    """
    xp = array_namespace(x, sigma, gamma)
    x = xp.abs(x)
    none = sigma == 0
    scale = math.sqrt(0.5) / xp.where(none, xp.ones_like(sigma), sigma)
    a, b = x * scale, gamma * scale
    none = none | ((a + b == xp.inf) & (x + gamma < xp.inf))  # too narrow to be seen
    found = _upper(xp, a, b)[0] * scale / _ROOT_PI
    cauchy = gamma / math.pi / (x * x + gamma * gamma)
    # Both widths are 0.
    nothing = xp.where(x == 0, xp.inf, xp.where(xp.isnan(x), x, xp.zeros_like(x)))
    cauchy = xp.where((gamma == 0) & none, nothing, cauchy)
    return xp.where(none, cauchy, found)
