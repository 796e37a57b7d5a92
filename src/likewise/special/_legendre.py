"""Legendre polynomials and spherical harmonics, by recurrence in the degree (DLMF 14.10.3)."""

import math
from typing import Any

from .. import _plan
from .._namespace import array_namespace, device
from .._typing import A, Numbers
from ..errors import ArgumentError
from ._bessel_orders import whole_number
from ._function import public, repeated

__all__ = ["legendre_p", "sph_harm_y"]

_STEP = 2.0**20


@public
def legendre_p(n: int, z: A, *, diff_n: int = 0) -> A:
    """Return the Legendre polynomial of a degree, and its derivatives.

    Parameters
    ----------
    n : int
        The degree, not negative.
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
        If `n` is no whole number or negative, or `diff_n` not among 0, 1 and 2.
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
    n = whole_number("legendre_p", "n", n)
    if diff_n not in (0, 1, 2):
        raise ArgumentError(f"legendre_p: diff_n must be 0, 1 or 2, got {diff_n!r}")
    if n < 0:
        raise ArgumentError(f"legendre_p: n must not be negative, got {n}")
    (z,) = _plan.common_floating("legendre_p", xp, ("z",), z)
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
def sph_harm_y(n: int, m: int, theta: A, phi: A | Numbers, *, diff_n: int = 0) -> A:
    """Return a spherical harmonic, normalized to 1 over the sphere.

    Parameters
    ----------
    n : int
        The degree, not negative.
    m : int
        The order; where it is beyond `n`, the harmonic is 0.
    theta : array
        The polar angle, in radians, from 0 to pi.
    phi : array
        The azimuth, in radians; it broadcasts with `theta`.
    diff_n : int, optional
        0 alone: for derivatives use the transforms.

    Returns
    -------
    array
        Complex, of the precision of the angles.

    Raises
    ------
    ArgumentError
        If `n` or `m` are no whole numbers, `n` is negative, or `diff_n` isn't 0.
    DtypeError
        If an angle doesn't hold real numbers.
    ShapeError
        If shapes don't broadcast.

    Notes
    -----
    DLMF 14.30.1, with the phase ``(-1)**m``. The associated Legendre functions are normalized
    all along their recurrence in the degree (DLMF 14.10.3), from ``sin(theta)**m``. The cost grows
    as `n`. Differentiable in both angles.

    Differs from SciPy: `n` and `m` are one number each; no `diff_n`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import sph_harm_y
    >>> sph_harm_y(2, 1, np.asarray([0.5, 1.0]), 0.7).round(6)
    array([-0.248603-0.209396j, -0.268642-0.226274j])
    """
    xp = array_namespace(theta, phi)
    n, m = whole_number("sph_harm_y", "n", n), whole_number("sph_harm_y", "m", m)
    if n < 0:
        raise ArgumentError(f"sph_harm_y: n must not be negative, got {n}")
    if diff_n != 0:
        raise ArgumentError(
            f"sph_harm_y: diff_n must be 0, got {diff_n!r}; likewise.jvp and its kin differentiate"
        )
    names = ("theta", "phi")
    angles = _plan.common_floating("sph_harm_y", xp, names, theta, phi, real=True)
    _plan.broadcast("sph_harm_y", **{k: tuple(x.shape) for k, x in zip(names, angles, strict=True)})
    theta, around = angles
    turn = xp.exp(1j * (m * around))
    size = abs(m)
    if size > n:
        return 0 * (theta * turn)
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
