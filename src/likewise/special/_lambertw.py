"""Lambert's W function on all its branches."""

import math
from typing import Any

from .._namespace import array_namespace
from .._typing import A, Numbers
from ._function import by_region, elementwise, no_derivative
from ._lambertw_fits import BRANCH, POINT_DOUBLE, POINT_SINGLE, START
from ._polynomial import polynomial, rational
from ._two_parts import less

__all__ = ["lambertw"]

_NEAR = 0.05  # abs(1 + e z), below which the series about -1/e has all digits


def _from_branch_point(x: Any) -> Any:
    """1 + e x, which keeps its digits next to -1/e; of complex numbers, too."""
    xp = array_namespace(x)
    single = x.dtype in (xp.float32, xp.complex64)
    return math.e * less(x, POINT_SINGLE if single else POINT_DOUBLE)


def _one_more(p: Any) -> Any:
    """1 + W by the series about the branch point, p = sqrt(2 (1 + e z)) of either sign."""
    xp = array_namespace(p)
    return p * polynomial(BRANCH[:12] if p.dtype == xp.complex64 else BRANCH, p)


def _slope(w: Any, z: Any, k: Any) -> Any:
    """exp(-W) / (1 + W), which is W / (z (1 + W)) where W is large; 1 + W keeps its digits."""
    xp = array_namespace(z, w)
    q = _from_branch_point(z)
    near = (xp.abs(q) < _NEAR) & (xp.abs(1 + w) < 1)  # not on a branch that passes it by
    p = xp.sqrt(2 * xp.where(near, q, xp.ones_like(q)))
    other = xp.real(p * xp.conj(1 + w)) < 0  # the branch whose root has the other sign
    more = xp.where(near, _one_more(xp.where(near, xp.where(other, -p, p), 0 * p)), 1 + w)
    small, none = xp.abs(w) < 1, z == 0
    by_exponential = xp.exp(-xp.where(small, w, xp.zeros_like(w))) / more
    ordinary = ~small & ~none
    one = xp.ones_like(w)
    found = xp.where(ordinary, w, one) / xp.where(ordinary, more, one) / xp.where(none, one, z)
    infinite = xp.full_like(w, xp.inf)
    return xp.where(small, by_exponential, xp.where(none, infinite, found))


def _series(z: Any, p: Any, log: Any) -> Any:
    return _one_more(p) - 1


def _refined(z: Any, w: Any) -> Any:
    """W by some steps of order 4 from a start on its branch (F. N. Fritsch, R. E. Shafer, W. P.
    Crowley, Communications of the ACM 16, 1973, 123).

    The angle of z / w is that of w by the branch's turns, which need not be counted again.
    """
    xp = array_namespace(z)
    down = xp.abs(z) < xp.finfo(z.dtype).smallest_normal * 2.0**60
    up = xp.abs(xp.real(z)) + xp.abs(xp.imag(z)) > float(xp.finfo(z.dtype).max) * 2.0**-20
    one = xp.ones_like(xp.real(z))
    z = z * xp.where(down, 2.0**60 * one, xp.where(up, 2.0**-20 * one, one))
    size = xp.abs(z)
    shift = xp.where(down, 60.0 * one, xp.where(up, -20.0 * one, 0.0 * one)) * math.log(2.0)
    for _ in range(2 if z.dtype == xp.complex64 else 3):
        turned = z * xp.conj(w)
        angle = xp.atan2(xp.imag(turned), xp.real(turned)) - xp.imag(w)
        angle = angle - 2 * math.pi * xp.round(angle / (2 * math.pi))
        rest = (xp.log(size / xp.abs(w)) - shift - xp.real(w)) + 1j * angle
        more = 1 + w
        q = 2 * more * (more + 2 / 3 * rest)
        w = w + w * rest * (q - rest) / (more * (q - 2 * rest))
    return w


def _middle(z: Any, p: Any, log: Any) -> Any:
    return _refined(z, z * rational(START, p))


def _far(z: Any, p: Any, log: Any) -> Any:
    """The start is R. M. Corless and others, On the Lambert W function, 1996, equation 4.18."""
    second = array_namespace(z).log(log)
    return _refined(z, log - second + second / log)


def _box(w: Any, z: Any, k: Any) -> Any:
    """Away from the branch point and from 0, and not huge."""
    size, few = abs(z), abs(k) < 100
    return few & (size > 1e-100) & (size < 1e100) & (abs(z + 0.36787944117144233) > 1e-3)


@elementwise(
    derivatives=(_slope, no_derivative("lambertw: has no derivative in k, the branch's number")),
    complex=None,
    integers=("k",),
    numpy="likewise._libs.numpy._whole:lambertw",
    box=_box,
    usual=((1e-3, 1e99),),
)
def lambertw(z: A, k: Numbers | A = 0) -> A:
    """Return Lambert's W function, a solution of ``w exp(w) = z``.

    Parameters
    ----------
    z : array
        Complex or real, any shape.
    k : array, optional
        The branch, whole numbers; others are rounded toward 0. Broadcasts with `z`.

    Returns
    -------
    array
        Complex, of their common shape and precision; at ``z = 0``, 0 on branch 0 and -inf on
        others. On the branch cuts (up to -1/e on branch 0, up to 0 on others), the sign of a zero
        imaginary part selects the side; branch -1 is real from -1/e to 0 for both signs.

    Raises
    ------
    DtypeError
        If `z` doesn't hold numbers, or `k` real ones.
    ShapeError
        If shapes don't broadcast.
    TransformError
        If the derivative in `k` is requested.

    Notes
    -----
    The series about the branch point -1/e where ``abs(1 + e z) < 0.05`` (R. M. Corless, G. H.
    Gonnet, D. E. G. Hare, D. J. Jeffrey, D. E. Knuth, Advances in Computational Mathematics 5,
    1996, 329, equation 4.22); -1/e is stored in two parts, so that no digits are lost next to it.
    Elsewhere three steps of order 4, two in single precision (F. N. Fritsch, R. E. Shafer, W. P.
    Crowley, Communications of the ACM 16, 1973, 123). They start from a quotient of polynomials up
    to 8 on branch 0, and next to the branch point, else from the asymptotic series (4.18 of
    Corless). Differentiable in `z`; at -1/e the derivative is infinite.

    Differs from SciPy: no argument `tol`, as the number of steps is fixed. An infinite `z`, in any
    direction, gives the limit, ``inf + 1j (angle(z) + 2 pi k)``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.special import lambertw
    >>> lambertw(np.asarray([0.0, 1.0, -1.0])).round(6)
    array([ 0.      +0.j      ,  0.567143+0.j      , -0.318132+1.337236j])
    >>> lambertw(-0.1, np.asarray([-1, 0])).real.round(6)
    array([-3.577152, -0.111833])
    """
    xp = array_namespace(z, k)
    given, k = xp.broadcast_arrays(z, k)
    z, k = given, xp.trunc(xp.real(k))
    x, y = xp.real(z), xp.imag(z)
    below = xp.copysign(xp.ones_like(y), y) < 0
    # W(conj(z)) on branch -k is conj(W(z)) on branch k, so k >= 0, and for k = 0 the upper half.
    real = (y == 0) & (_from_branch_point(x) >= 0)
    below = below & ~(real & (x < 0) & (k == -1))
    mirrored = (k < 0) | ((k == 0) & below)
    below = below != mirrored
    k = xp.abs(k)
    size = xp.abs(y)
    z = x + 1j * xp.where(below, -size, size)
    angle = xp.atan2(size, x)
    angle = xp.where(below, -angle, angle) + 2 * math.pi * k
    radius = xp.abs(z)
    beyond = xp.isinf(radius)  # though the parts may be finite
    log = xp.log(xp.where(beyond, xp.abs(0.25 * z), radius))
    log = xp.where(beyond, log + math.log(4.0), log) + 1j * angle
    q = _from_branch_point(x) + 1j * (math.e * size)
    p = xp.sqrt(2 * q)
    main, next_to_it = k == 0, (k == 1) & below
    p = xp.where(main, p, -xp.conj(p))
    distance = xp.abs(q)
    found = by_region(
        (z, p, log),
        ((main | next_to_it) & (distance < _NEAR), _series),
        ((main & (radius < 8)) | (next_to_it & (distance < 0.7)), _middle),
        rest=_far,
    )
    # Two terms of the series at 0, where the sum of squares underflows later.
    found = xp.where(main & (radius < 0.1 * xp.finfo(x.dtype).eps), z - z * z, found)
    on_axis = real & (main | (next_to_it & (x < 0)))
    found = xp.where(on_axis, xp.real(found) + 0j, found)
    infinite = xp.full_like(x, xp.inf) + 1j * angle
    found = xp.where(xp.isinf(x) | xp.isinf(y), infinite, found)
    nan = xp.isnan(x) | xp.isnan(y) | ~xp.isfinite(k)
    found = xp.where(nan, 1j * xp.full_like(x, xp.nan), found)  # no constant: torch writes "nanj"
    found = xp.where(mirrored & ~(on_axis & next_to_it), xp.conj(found), found)
    at_zero = xp.where(main, given, complex(-math.inf, 0.0))
    return xp.where(given == 0, at_zero, found)
