"""Roots of Chebyshev's polynomials, and the weights of Gauss's rules with these nodes."""

import math
from typing import Any

from ._orthogonal import (
    chebyshev,
    result,
    scaled,
    size,
)

__all__ = [
    "roots_chebyc",
    "roots_chebys",
    "roots_chebyt",
    "roots_chebyu",
    "roots_sh_chebyt",
    "roots_sh_chebyu",
]


def roots_chebyc(
    n: int,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Chebyshev's polynomials C of the first kind, and weights.

    Parameters
    ----------
    n : int
        The degree, at least 1: the number of roots.
    mu : bool, optional
        Whether to return the integral of the weight, too.
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Roots in ascending order; and weights of Gauss's rule for the weight
        1 / sqrt(1 - (x / 2)**2) on [-2, 2].
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. In closed form.

    Examples
    --------
    >>> from likewise.special import roots_chebyc
    >>> x, w = roots_chebyc(2)
    >>> x
    array([-1.41421356,  1.41421356])
    >>> w
    array([3.14159265, 3.14159265])
    """
    count = size("roots_chebyc", "n", n)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result(
        "roots_chebyc", scaled(chebyshev(count, 1), 2.0, 0.0, 2.0), 2 * math.pi, mu, options
    )


def roots_chebys(
    n: int,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Chebyshev's polynomials S of the second kind, and weights.

    Parameters
    ----------
    n : int
        The degree, at least 1: the number of roots.
    mu : bool, optional
        Whether to return the integral of the weight, too.
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Roots in ascending order; and weights of Gauss's rule for the weight
        sqrt(1 - (x / 2)**2) on [-2, 2].
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. In closed form.

    Examples
    --------
    >>> from likewise.special import roots_chebys
    >>> x, w = roots_chebys(2)
    >>> x
    array([-1.,  1.])
    >>> w
    array([1.57079633, 1.57079633])
    """
    count = size("roots_chebys", "n", n)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    rule = scaled(chebyshev(count, 2), 2.0, 0.0, 2.0)
    return result("roots_chebys", rule, math.pi, mu, options)


def roots_chebyt(
    n: int,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Chebyshev's polynomials T of the first kind, and weights.

    Parameters
    ----------
    n : int
        The degree, at least 1: the number of roots.
    mu : bool, optional
        Whether to return the integral of the weight, too.
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Roots in ascending order; and weights of Gauss's rule for the weight
        1 / sqrt(1 - x**2) on [-1, 1].
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. In closed form.

    Examples
    --------
    >>> from likewise.special import roots_chebyt
    >>> x, w = roots_chebyt(2)
    >>> x
    array([-0.70710678,  0.70710678])
    >>> w
    array([1.57079633, 1.57079633])
    """
    count = size("roots_chebyt", "n", n)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result("roots_chebyt", chebyshev(count, 1), math.pi, mu, options)


def roots_chebyu(
    n: int,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Chebyshev's polynomials U of the second kind, and weights.

    Parameters
    ----------
    n : int
        The degree, at least 1: the number of roots.
    mu : bool, optional
        Whether to return the integral of the weight, too.
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Roots in ascending order; and weights of Gauss's rule for the weight
        sqrt(1 - x**2) on [-1, 1].
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. In closed form.

    Examples
    --------
    >>> from likewise.special import roots_chebyu
    >>> x, w = roots_chebyu(2)
    >>> x
    array([-0.5,  0.5])
    >>> w
    array([0.78539816, 0.78539816])
    """
    count = size("roots_chebyu", "n", n)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result("roots_chebyu", chebyshev(count, 2), math.pi / 2, mu, options)


def roots_sh_chebyt(
    n: int,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Chebyshev's shifted polynomials of the first kind, and weights.

    Parameters
    ----------
    n : int
        The degree, at least 1: the number of roots.
    mu : bool, optional
        Whether to return the integral of the weight, too.
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Roots in ascending order; and weights of Gauss's rule for the weight
        1 / sqrt(x - x**2) on [0, 1].
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. In closed form.

    Examples
    --------
    >>> from likewise.special import roots_sh_chebyt
    >>> x, w = roots_sh_chebyt(2)
    >>> x
    array([0.14644661, 0.85355339])
    >>> w
    array([1.57079633, 1.57079633])
    """
    count = size("roots_sh_chebyt", "n", n)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result(
        "roots_sh_chebyt", scaled(chebyshev(count, 1), 0.5, 0.5, 1.0), math.pi, mu, options
    )


def roots_sh_chebyu(
    n: int,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Chebyshev's shifted polynomials of the second kind, and weights.

    Parameters
    ----------
    n : int
        The degree, at least 1: the number of roots.
    mu : bool, optional
        Whether to return the integral of the weight, too.
    dtype : dtype or str, optional
        A real floating dtype. Default: that of `like` if that is floating, else the default of the
        library.
    device, namespace : optional
        The device and the library of the result, as for `likewise.asarray`. Default: those of
        `like`, else those of `likewise.use`.
    like : array, optional
        An array whose library, device and floating dtype the result has.

    Returns
    -------
    x, w : array, shape (n,)
        Roots in ascending order; and weights of Gauss's rule for the weight
        sqrt(x - x**2) on [0, 1].
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. In closed form.

    Examples
    --------
    >>> from likewise.special import roots_sh_chebyu
    >>> x, w = roots_sh_chebyu(2)
    >>> x
    array([0.25, 0.75])
    >>> w
    array([0.19634954, 0.19634954])
    """
    count = size("roots_sh_chebyu", "n", n)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result(
        "roots_sh_chebyu", scaled(chebyshev(count, 2), 0.5, 0.5, 0.25), math.pi / 8, mu, options
    )
