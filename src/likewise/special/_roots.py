"""Roots of orthogonal polynomials, and the weights of Gauss's rules with these nodes."""

import math
from typing import Any

from ._orthogonal import (
    chebyshev,
    gegenbauer,
    hermite,
    hermitenorm,
    jacobi,
    laguerre,
    legendre,
    number,
    result,
    scaled,
    size,
)

__all__ = [
    "roots_gegenbauer",
    "roots_genlaguerre",
    "roots_hermite",
    "roots_hermitenorm",
    "roots_jacobi",
    "roots_laguerre",
    "roots_legendre",
    "roots_sh_jacobi",
    "roots_sh_legendre",
]


def roots_gegenbauer(
    n: int,
    alpha: float,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Gegenbauer's polynomials, and weights.

    Parameters
    ----------
    n : int
        The degree, at least 1: the number of roots.
    alpha : float
        Above -1/2; 0 is the limit, as `roots_chebyt`.
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
        (1 - x**2)**(alpha - 1/2) on [-1, 1].
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. Computed once for each `n`
    by the method of G. H. Golub and J. H. Welsch (Math. Comp. 23, 1969) and Newton's with 34
    decimals, in 3 n**2 steps of Python.

    Examples
    --------
    >>> from likewise.special import roots_gegenbauer
    >>> x, w = roots_gegenbauer(2, 1.0)
    >>> x
    array([-0.5,  0.5])
    >>> w
    array([0.78539816, 0.78539816])
    """
    count = size("roots_gegenbauer", "n", n)
    alpha = number("roots_gegenbauer", "alpha", alpha, lambda v: v > -0.5, "above -1/2")
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result(
        "roots_gegenbauer",
        gegenbauer(count, alpha) if alpha else chebyshev(count, 1),
        None,
        mu,
        options,
    )


def roots_genlaguerre(
    n: int,
    alpha: float,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Laguerre's generalized polynomials, and weights.

    Parameters
    ----------
    n : int
        The degree, at least 1: the number of roots.
    alpha : float
        Above -1.
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
        x**alpha * exp(-x) on [0, inf).
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. Computed once for each `n`
    by the method of G. H. Golub and J. H. Welsch (Math. Comp. 23, 1969) and Newton's with 34
    decimals, in 3 n**2 steps of Python; weights below the smallest number of the dtype
    are 0.

    Examples
    --------
    >>> from likewise.special import roots_genlaguerre
    >>> x, w = roots_genlaguerre(2, 1.0)
    >>> x
    array([1.26794919, 4.73205081])
    >>> w
    array([0.78867513, 0.21132487])
    """
    count = size("roots_genlaguerre", "n", n)
    alpha = number("roots_genlaguerre", "alpha", alpha, lambda v: v > -1, "above -1")
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result("roots_genlaguerre", laguerre(count, alpha), None, mu, options)


def roots_hermite(
    n: int,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Hermite's polynomials, as physicists have them, and weights.

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
        exp(-x**2) on the real line.
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. Computed once for each `n`
    by the method of G. H. Golub and J. H. Welsch (Math. Comp. 23, 1969) and Newton's with 34
    decimals, in 3 n**2 steps of Python; weights below the smallest number of the dtype
    are 0.

    Examples
    --------
    >>> from likewise.special import roots_hermite
    >>> x, w = roots_hermite(2)
    >>> x
    array([-0.70710678,  0.70710678])
    >>> w
    array([0.88622693, 0.88622693])
    """
    count = size("roots_hermite", "n", n)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result("roots_hermite", hermite(count), math.sqrt(math.pi), mu, options)


def roots_hermitenorm(
    n: int,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Hermite's polynomials, as statisticians have them, and weights.

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
        exp(-x**2 / 2) on the real line.
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. Computed once for each `n`
    by the method of G. H. Golub and J. H. Welsch (Math. Comp. 23, 1969) and Newton's with 34
    decimals, in 3 n**2 steps of Python; weights below the smallest number of the dtype
    are 0.

    Examples
    --------
    >>> from likewise.special import roots_hermitenorm
    >>> x, w = roots_hermitenorm(2)
    >>> x
    array([-1.,  1.])
    >>> w
    array([1.25331414, 1.25331414])
    """
    count = size("roots_hermitenorm", "n", n)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result("roots_hermitenorm", hermitenorm(count), math.sqrt(2 * math.pi), mu, options)


def roots_jacobi(
    n: int,
    alpha: float,
    beta: float,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Jacobi's polynomials, and weights.

    Parameters
    ----------
    n : int
        The degree, at least 1: the number of roots.
    alpha : float
        Above -1.
    beta : float
        Above -1.
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
        (1 - x)**alpha * (1 + x)**beta on [-1, 1].
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. Computed once for each `n`
    by the method of G. H. Golub and J. H. Welsch (Math. Comp. 23, 1969) and Newton's with 34
    decimals, in 3 n**2 steps of Python.

    Examples
    --------
    >>> from likewise.special import roots_jacobi
    >>> x, w = roots_jacobi(2, 1.0, 0.0)
    >>> x
    array([-0.68989795,  0.28989795])
    >>> w
    array([1.27216553, 0.72783447])
    """
    count = size("roots_jacobi", "n", n)
    alpha = number("roots_jacobi", "alpha", alpha, lambda v: v > -1, "above -1")
    beta = number("roots_jacobi", "beta", beta, lambda v: v > -1, "above -1")
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result("roots_jacobi", jacobi(count, alpha, beta), None, mu, options)


def roots_laguerre(
    n: int,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Laguerre's polynomials, and weights.

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
        exp(-x) on [0, inf).
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. Computed once for each `n`
    by the method of G. H. Golub and J. H. Welsch (Math. Comp. 23, 1969) and Newton's with 34
    decimals, in 3 n**2 steps of Python; weights below the smallest number of the dtype
    are 0.

    Examples
    --------
    >>> from likewise.special import roots_laguerre
    >>> x, w = roots_laguerre(2)
    >>> x
    array([0.58578644, 3.41421356])
    >>> w
    array([0.85355339, 0.14644661])
    """
    count = size("roots_laguerre", "n", n)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result("roots_laguerre", laguerre(count), 1.0, mu, options)


def roots_legendre(
    n: int,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Legendre's polynomials, and weights.

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
        1 on [-1, 1].
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. Computed once for each `n`
    by the method of G. H. Golub and J. H. Welsch (Math. Comp. 23, 1969) and Newton's with 34
    decimals, in 3 n**2 steps of Python.

    Examples
    --------
    >>> from likewise.special import roots_legendre
    >>> x, w = roots_legendre(2)
    >>> x
    array([-0.57735027,  0.57735027])
    >>> w
    array([1., 1.])
    """
    count = size("roots_legendre", "n", n)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result("roots_legendre", legendre(count), 2.0, mu, options)


def roots_sh_jacobi(
    n: int,
    p1: float,
    q1: float,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Jacobi's shifted polynomials, and weights.

    Parameters
    ----------
    n : int
        The degree, at least 1: the number of roots.
    p1 : float
        Above q1 - 1.
    q1 : float
        Above 0.
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
        (1 - x)**(p1 - q1) * x**(q1 - 1) on [0, 1].
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. Computed once for each `n`
    by the method of G. H. Golub and J. H. Welsch (Math. Comp. 23, 1969) and Newton's with 34
    decimals, in 3 n**2 steps of Python.

    Examples
    --------
    >>> from likewise.special import roots_sh_jacobi
    >>> x, w = roots_sh_jacobi(2, 2.0, 1.0)
    >>> x
    array([0.15505103, 0.64494897])
    >>> w
    array([0.31804138, 0.18195862])
    """
    count = size("roots_sh_jacobi", "n", n)
    q1 = number("roots_sh_jacobi", "q1", q1, lambda v: v > 0, "above 0")
    p1 = number("roots_sh_jacobi", "p1", p1, lambda v: v - q1 > -1, "above q1 - 1")
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result(
        "roots_sh_jacobi",
        scaled(jacobi(count, p1 - q1, q1 - 1), 0.5, 0.5, 2.0**-p1),
        None,
        mu,
        options,
    )


def roots_sh_legendre(
    n: int,
    mu: bool = False,
    *,
    dtype: Any = None,
    device: Any = None,
    namespace: str | None = None,
    like: Any = None,
) -> tuple[Any, ...]:
    """Return the roots of Legendre's shifted polynomials, and weights.

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
        1 on [0, 1].
    mu : float
        With `mu`, the sum of the weights.

    Raises
    ------
    IntegerError, ArgumentError
        If `n` isn't an integer or is too small, or another argument is out of its range.

    Notes
    -----
    Exact for polynomials up to degree 2 n - 1, times the weight. Computed once for each `n`
    by the method of G. H. Golub and J. H. Welsch (Math. Comp. 23, 1969) and Newton's with 34
    decimals, in 3 n**2 steps of Python.

    Examples
    --------
    >>> from likewise.special import roots_sh_legendre
    >>> x, w = roots_sh_legendre(2)
    >>> x
    array([0.21132487, 0.78867513])
    >>> w
    array([0.5, 0.5])
    """
    count = size("roots_sh_legendre", "n", n)
    options = {"dtype": dtype, "device": device, "namespace": namespace, "like": like}
    return result("roots_sh_legendre", scaled(legendre(count), 0.5, 0.5, 0.5), 1.0, mu, options)
