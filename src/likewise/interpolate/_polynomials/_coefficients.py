"""Coefficients of polynomials: through points by Lagrange's formula, and Padé approximants."""

import operator
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, hooks_of, is_concrete
from ..._native import public
from ...errors import ArgumentError, ShapeError
from ...linalg import solve
from .._base._knots import evenly, followed

__all__ = ["lagrange", "pade"]


@public
def lagrange(x: Any, w: Any) -> Any:
    """Return the coefficients of the polynomial through points.

    Parameters
    ----------
    x : array, shape (n,)
        Nodes, all different.
    w : array, shape (n,)
        Values, real or complex.

    Returns
    -------
    array, shape (n,)
        Coefficients of powers, the highest first.

    Raises
    ------
    ShapeError
        If the shapes differ, or aren't those of vectors.

    Notes
    -----
    Lagrange's formula, O(n^2) operations. Coefficients of powers lose all digits for about 20 nodes
    and more: to evaluate, use `BarycentricInterpolator`. Differentiable.

    Differs from SciPy: an array, not a ``poly1d``, of n coefficients also where the first are 0.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import lagrange
    >>> x = np.asarray([0.0, 1.0, 2.0])
    >>> print(lagrange(x, x**2 + 1.0))
    [1. 0. 1.]
    """
    xp = array_namespace(x, w)
    x, w = evenly("lagrange", xp, ("x", "w"), x, w)
    if x.ndim != 1 or x.shape != w.shape or not x.shape[0]:
        raise ShapeError(
            f"lagrange: x and w must be vectors of as many elements, got shapes {tuple(x.shape)} "
            f"and {tuple(w.shape)}"
        )
    xp, n = array_namespace(x, w), x.shape[0]
    zero = xp.zeros((n, 1), dtype=x.dtype, device=device(x))
    rows, own = zero + 1.0, xp.eye(n, dtype=xp.bool, device=device(x))
    for k in range(n):  # each basis polynomial gets the factor of each other node
        gap = xp.where(own[:, k], 1.0, x - x[k])[:, None]
        low = xp.concat([zero, rows], axis=1)
        rows = xp.where(
            own[:, k : k + 1], low, (xp.concat([rows, zero], axis=1) - x[k] * low) / gap
        )
    return xp.sum(w[:, None] * rows[:, 1:], axis=0)


@public
def pade(an: Any, m: int, n: int | None = None) -> tuple[Any, Any]:
    """Return the quotient of two polynomials that has a given Taylor series.

    Parameters
    ----------
    an : array, shape (l,)
        The series' coefficients, of the power 0 first; real or complex.
    m : int
        The degree of the denominator.
    n : int, optional
        The degree of the numerator (default: ``l - 1 - m``).

    Returns
    -------
    tuple of arrays, shapes (n + 1,), (m + 1,)
        Coefficients of the numerator and of the denominator, the highest power first. The
        denominator's constant is 1.

    Raises
    ------
    ArgumentError
        If a degree is negative, or the series has fewer than ``n + m + 1`` coefficients.
    LinAlgError
        If there is no such quotient.

    Notes
    -----
    G. A. Baker, P. Graves-Morris, Padé Approximants (1996): a linear system of ``n + m + 1``
    unknowns. Differentiable.

    Differs from SciPy: arrays, not ``poly1d``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.interpolate import pade
    >>> p, q = pade(np.asarray([1.0, 1.0, 0.5]), 1)
    >>> print(p, q)
    [0.5 1. ] [-0.5  1. ]
    """
    xp = array_namespace(an)
    a = followed(xp, _plan.common_floating("pade", xp, ("an",), an))[0]
    if a.ndim != 1 or not a.shape[0]:
        raise ShapeError(f"pade: an must be a vector, got shape {tuple(a.shape)}")
    m = operator.index(m)
    n = a.shape[0] - 1 - m if n is None else operator.index(n)
    if m < 0 or n < 0 or n + m + 1 > a.shape[0]:
        raise ArgumentError(
            f"pade: the degrees m={m} and n={n} must be 0 or more, and an must have n + m + 1 "
            f"coefficients, got {a.shape[0]}. Order of q+p <m+n> must be smaller than len(an)"
        )
    xp, size = array_namespace(a), n + m + 1
    a = a[:size]
    columns = [xp.eye(size, n + 1, dtype=a.dtype, device=device(a))]
    for j in range(m):
        zeros = xp.zeros((j + 1,), dtype=a.dtype, device=device(a))
        columns.append(xp.concat([zeros, -a[: size - j - 1]])[:, None])
    found = solve(xp.concat(columns, axis=1), a)
    if is_concrete(found) and bool(xp.all(xp.isfinite(a)) & ~xp.all(xp.isfinite(found))):
        raise hooks_of(found).linalg_error(
            f"pade: there is no quotient of the degrees {n} and {m} with this series (Singular "
            "matrix). Give another degree m of the denominator"
        )
    one = xp.ones((1,), dtype=a.dtype, device=device(a))
    return xp.flip(found[: n + 1]), xp.flip(xp.concat([one, found[n + 1 :]]))
