"""The matrix exponential."""

import math
from typing import Any

from .. import _plan
from .._namespace import array_namespace, device, is_concrete
from .._native import Lines, batches, native, public
from .._typing import A
from ._checks import square

__all__ = ["expm"]

# Coefficients of Padé's approximation of order 13, and up to what norm it is right to the last
# digit of double precision (N. J. Higham, SIAM J. Matrix Anal. Appl. 26, 1179, 2005).
_ORDER = 13
_PADE = [
    float(math.comb(_ORDER, k) * math.factorial(2 * _ORDER - k) // math.factorial(_ORDER))
    for k in range(_ORDER + 1)
]
_NORM = 5.371920351148152
_SQUARINGS = 16  # where values can't be read


@public
def expm(A: A) -> A:
    """Compute the exponential of square matrices.

    Parameters
    ----------
    A : array, shape (..., n, n)
        Matrices, real or complex.

    Returns
    -------
    array, shape (..., n, n)
        ``I + A + A A / 2 + ...``, of the common floating dtype.

    Raises
    ------
    ShapeError
        If matrices aren't square.
    ArrayTypeError, DtypeError
        If they don't hold numbers.
    ExtensionMissing
        If the namespace has no ``linalg``.

    Notes
    -----
    Scaling and squaring with Padé's approximation of order 13 (N. J. Higham, SIAM J. Matrix Anal.
    Appl. 26, 1179, 2005): six products, a linear system, and a product for each doubling of the
    norm beyond 5.4. Each matrix is scaled by its own norm. Where values can't be read there are 16
    squarings, and a norm of more than 3.5e5 gives NaN. Differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import expm
    >>> expm(np.asarray([[0.0, 1.0], [0.0, 0.0]]))
    array([[1., 1.],
           [0., 1.]])
    """
    xp = array_namespace(A)
    (a,) = _plan.common_floating("expm", xp, ("A",), A)
    square("expm", a)
    if 0 in a.shape:
        return a
    _plan.extension("expm", xp, "linalg")
    return _expm(a)


def _in_blocks(a: Any) -> Lines:
    return batches({0: (a, 2)}, (a.shape[-2:], a.dtype))


@native(numpy="scipy.linalg:expm", blocks=_in_blocks)
def _expm(a: Any) -> Any:
    xp = array_namespace(a)
    norm = xp.max(xp.sum(xp.abs(a), axis=-2), axis=-1)
    # As many halvings as it takes, a power of two each.
    halvings = xp.ceil(xp.log2(xp.maximum(norm / _NORM, xp.ones_like(norm))))
    most = _SQUARINGS
    if is_concrete(a):
        largest = float(xp.max(halvings))  # likewise: host-scalar a norm's
        most = int(largest) if math.isfinite(largest) else 0
    over = halvings > most
    halvings = xp.where(over | xp.isnan(halvings), xp.zeros_like(halvings), halvings)
    x = _approximated(xp, a * (2.0**-halvings)[..., None, None])
    for k in range(most):
        x = xp.where((halvings > k)[..., None, None], xp.matmul(x, x), x)
    return xp.where(over[..., None, None], xp.full_like(x, math.nan), x)


def _approximated(xp: Any, a: Any) -> Any:
    """Return Padé's approximation for matrices of a small norm."""
    b = _PADE
    one = xp.eye(a.shape[-1], dtype=a.dtype, device=device(a))
    a2 = xp.matmul(a, a)
    a4 = xp.matmul(a2, a2)
    a6 = xp.matmul(a4, a2)

    def half(k: int) -> Any:
        """Return every other term, from the one of coefficient k on."""
        high = b[k + 12] * a6 + b[k + 10] * a4 + b[k + 8] * a2
        return xp.matmul(a6, high) + b[k + 6] * a6 + b[k + 4] * a4 + b[k + 2] * a2 + b[k] * one

    odd, even = xp.matmul(a, half(1)), half(0)
    return xp.linalg.solve(even - odd, even + odd)
