"""Legendre polynomials and spherical harmonics, by recurrence in the degree (DLMF 14.10.3)."""

import math
from typing import Any

from .. import _plan
from .._namespace import array_namespace, device
from .._native import native
from .._typing import A, Numbers
from ..errors import ArgumentError
from ..interop import asarray, to_numpy
from ._bessel_orders import integer_order
from ._function import public, repeated

__all__ = ["legendre_p", "sph_harm_y"]

_STEP = 2.0**20


@public
def legendre_p(n: int, z: A, *, diff_n: int = 0) -> A:
    """Return the Legendre polynomial of a degree, and its derivatives.

    Parameters
    ----------
    n : int
        The degree; a negative one counts as 1, as in SciPy.
    z : array
        Real or complex, any shape.
    diff_n : int, optional
        How many derivatives, 0 to 2.

    Returns
    -------
    array
        The polynomial and its derivatives along a first dimension of size ``diff_n + 1``, of the
        floating dtype of `z`.

    Raises
    ------
    ArgumentError
        If `n` is no whole number, or `diff_n` isn't 0, 1 or 2.
    DtypeError
        If `z` doesn't hold numbers.

    Notes
    -----
    Bonnet's recurrence (DLMF 18.9.1), and ``P'(k + 1) = P'(k - 1) + (2 k + 1) P(k)`` (DLMF 14.10.3,
    14.10.5): the cost grows as `n`. Differentiable in `z`.

    Differs from SciPy: `n` is one number.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import legendre_p
    >>> legendre_p(3, np.asarray([0.5, 1.0]), diff_n=1)
    array([[-0.4375,  1.    ],
           [ 0.375 ,  6.    ]])
    """
    xp = array_namespace(z)
    n = integer_order("legendre_p", "n", n)
    if diff_n not in (0, 1, 2):
        raise ArgumentError(f"legendre_p: diff_n must be 0, 1 or 2, got {diff_n!r}")
    (z,) = _plan.common_floating("legendre_p", xp, ("z",), z)
    return _legendre_p(z, 1 if n < 0 else n, diff_n)


def _double(x: Any, *_: Any) -> bool:
    """Real numbers in double precision."""
    return bool(x.dtype == "float64")


@native(numpy="likewise._libs.numpy._whole:legendre_p", when=_double)
def _legendre_p(z: Any, n: int, diff_n: int) -> Any:
    xp = array_namespace(z)
    one, zero = xp.ones_like(z), xp.zeros_like(z)

    def step(_: Any, carry: Any) -> Any:
        k, before, now = carry
        m = 2 * k + 1
        first = (m * z * now[0] - k * before[0]) / (k + 1)
        rest = [below + m * own for below, own in zip(before[1:], now[:-1], strict=True)]
        return k + 1, now, (first, *rest)

    start = (one, zero, zero)[: diff_n + 1]
    after = (z, one, zero)[: diff_n + 1]
    first = xp.ones((), dtype=z.dtype, device=device(z))
    found = start if n == 0 else repeated(n - 1, step, (first, start, after))[2]
    return xp.stack(found)


def _sectoral(m: int) -> float:
    """(-1)^m sqrt((2 m + 1) / (4 pi) (2 m - 1)!! / (2 m)!!)."""
    size = (2 * m + 1) / (4 * math.pi)
    for k in range(1, m + 1):
        size *= (2 * k - 1) / (2 * k)
    return (-1) ** m * math.sqrt(size)


@public
def sph_harm_y(n: int | A, m: int | A, theta: A, phi: A | Numbers, *, diff_n: int = 0) -> Any:
    """Return spherical harmonics, normalized to 1 over the sphere, and their derivatives.

    Parameters
    ----------
    n : int or array
        The degrees, whole numbers; where negative, the result is 0. Arrays are read on the host.
    m : int or array
        The orders; where ``abs(m) > n``, the harmonic is 0.
    theta : array
        The polar angle, in radians, from 0 to pi.
    phi : array
        The azimuth, in radians. All four broadcast.
    diff_n : int, optional
        How many derivatives in the angles, 0 to 2.

    Returns
    -------
    array or tuple of array
        Complex, of the precision of the angles. With `diff_n`, also the first derivatives, in theta
        and phi along a last dimension of size 2; with ``diff_n=2`` also the second ones, along two
        last dimensions of size 2.

    Raises
    ------
    ArgumentError
        If `n` or `m` don't hold whole numbers, or `diff_n` isn't 0, 1 or 2.
    DtypeError
        If an angle doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    DLMF 14.30.1, with the phase ``(-1)**m``. The associated Legendre functions are normalized at
    each step of their recurrence in the degree (DLMF 14.10.3), from ``sin(theta)**m``. Derivatives
    in theta are by the ladder of orders (DLMF 14.10.4 and 14.10.5, normalized), which also holds at
    the poles. The cost grows as the largest `n`. Differentiable in both angles.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import sph_harm_y
    >>> sph_harm_y(2, 1, np.asarray([0.5, 1.0]), 0.7).round(6)
    array([-0.248603-0.209396j, -0.268642-0.226274j])
    >>> y, slopes = sph_harm_y(np.asarray([0, 2]), 0, 0.5, 0.0, diff_n=1)
    >>> slopes.real.round(6)
    array([[ 0.      ,  0.      ],
           [-0.796179,  0.      ]])
    """
    xp = array_namespace(theta, phi)
    degree, order = _orders("n", n), _orders("m", m)
    if diff_n not in (0, 1, 2):
        raise ArgumentError(f"sph_harm_y: diff_n must be 0, 1 or 2, got {diff_n!r}")
    names = ("theta", "phi")
    angles = _plan.common_floating("sph_harm_y", xp, names, theta, phi, real=True)
    shapes = {k: tuple(x.shape) for k, x in zip(names, angles, strict=True)}
    if isinstance(degree, int) and isinstance(order, int):
        _plan.broadcast("sph_harm_y", **shapes)
        if diff_n == 0:
            return _harmonic(angles[0], angles[1], degree, order)
    else:
        degree, order = degree + 0 * order, order + 0 * degree
        shape = _plan.broadcast("sph_harm_y", n=tuple(degree.shape), **shapes)
        angles = tuple(xp.broadcast_to(x, shape) for x in angles)
    return _with_slopes(angles, degree, order, diff_n)


def _orders(name: str, n: Any) -> Any:
    """Return a whole number, or those of an array, in host memory."""
    if isinstance(n, list | tuple) or getattr(n, "ndim", 0) > 0:
        found = asarray(n, namespace="numpy") if isinstance(n, list | tuple) else to_numpy(n)
        whole = found.astype("int64")
        if not (whole == found).all():
            raise ArgumentError(f"sph_harm_y: {name} must hold whole numbers, got {n!r}")
        return whole
    return integer_order("sph_harm_y", name, n)


def _with_slopes(angles: Any, n: Any, m: Any, count: int) -> Any:
    """Spherical harmonics, and derivatives by ``d/dtheta = (exp(-i phi) L+ - exp(i phi) L-) / 2``,
    where the operators L take a harmonic to those of the next orders."""
    theta, phi = angles
    xp = array_namespace(theta, phi)
    turn = xp.exp(1j * phi)

    def there(x: Any) -> Any:  # numbers of the host's, beside the angles
        return asarray(x, like=theta, dtype=theta.dtype) if hasattr(x, "shape") else x

    def slope(times: int, m: Any) -> Any:
        if times == 0:
            made: Any = _harmonic if isinstance(n, int) else _harmonics
            return made(theta, phi, n, m)
        up = ((abs(m) <= n) * (n - m) * (n + m + 1)) ** 0.5
        down = ((abs(m) <= n) * (n + m) * (n - m + 1)) ** 0.5
        above, below = slope(times - 1, m + 1), slope(times - 1, m - 1)
        return 0.5 * (there(up) * (above / turn) - there(down) * (below * turn))

    y = slope(0, m)
    if count == 0:
        return y
    order = 1j * there(m)
    along = slope(1, m)
    first = xp.stack([along, order * y], axis=-1)
    if count == 1:
        return y, first
    across = order * along
    second = [
        xp.stack(pair, axis=-1) for pair in ((slope(2, m), across), (across, order * order * y))
    ]
    return y, first, xp.stack(second, axis=-2)


def _low(theta: Any, phi: Any, n: int, m: int) -> bool:
    """Degrees up to 60, in double precision."""
    return n <= 60 and bool(theta.dtype == "float64")


@native(numpy="likewise._libs.numpy._whole:sph_harm_y", when=_low)
def _harmonic(theta: Any, phi: Any, n: int, m: int) -> Any:
    xp = array_namespace(theta, phi)
    turn = xp.exp(1j * (m * phi))
    size = abs(m)
    if size > n:
        return xp.zeros_like(theta * turn)
    cosine, sine = xp.cos(theta), xp.sin(theta)
    # The power may leave the range long before its product with the polynomial: so it comes last,
    # and what the polynomial has grown by is counted for it.
    now, count = xp.full_like(sine, _sectoral(size)), xp.zeros_like(sine)
    before, low = xp.zeros_like(now), xp.abs(sine) ** size < 1e-20
    for k in range(size + 1, n + 1):
        up = math.sqrt((4 * k * k - 1) / (k * k - size * size))
        down = math.sqrt(((k - 1) ** 2 - size * size) / (4 * (k - 1) ** 2 - 1)) if k > 1 else 0.0
        before, now = now, up * (cosine * now - down * before)
        large = low & (xp.abs(now) > 1)
        before, now = xp.where(large, before / _STEP, before), xp.where(large, now / _STEP, now)
        count = xp.where(large, count + 1, count)
    if size > 0:
        now = now * (sine * _STEP ** (count / size)) ** size
    return (now if m >= 0 or size % 2 == 0 else -now) * turn


def _harmonics(theta: Any, phi: Any, n: Any, m: Any) -> Any:
    """Compute each requested harmonic, and put it in its place."""
    xp = array_namespace(theta, phi)
    found = xp.zeros_like(theta * xp.exp(1j * phi))
    for degree, order in sorted({*zip(n.ravel().tolist(), m.ravel().tolist(), strict=True)}):
        if abs(order) <= degree:
            here = (n == degree) & (m == order)
            here, which = asarray(here, like=theta), _harmonic(theta, phi, degree, order)
            found = xp.where(here, which, found)
    return found
