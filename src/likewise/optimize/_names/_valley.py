"""Rosenbrock's function, and comparisons of derivatives with finite differences."""

from collections.abc import Callable
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device
from ..._native import public
from ..._typing import A
from ...errors import ShapeError

__all__ = ["approx_fprime", "check_grad", "rosen", "rosen_der", "rosen_hess"]


def _points(function: str, x: Any) -> tuple[Any, Any]:
    xp = array_namespace(x)
    (x,) = _plan.common_floating(function, xp, ("x",), x)
    if x.ndim == 0 or x.shape[0] < 2:
        raise ShapeError(f"{function}: x must have shape (n, ...), n above 1, got {tuple(x.shape)}")
    return xp, x


@public
def rosen(x: A) -> Any:
    """Compute Rosenbrock's function, which has its minimum 0 at ones, in a curved valley.

    Parameters
    ----------
    x : array, shape (n, ...)
        Points; n is at least 2.

    Returns
    -------
    float or array, shape (...)
        ``sum(100 (x[1:] - x[:-1]**2)**2 + (1 - x[:-1])**2)`` along the first axis.

    Raises
    ------
    ShapeError
        If there are fewer than two unknowns.

    Notes
    -----
    H. H. Rosenbrock, Comput. J. 3, 175 (1960). Differentiable.

    Examples
    --------
    >>> from likewise.optimize import rosen
    >>> float(rosen([1.0, 2.0]))
    100.0
    """
    xp, points = _points("rosen", x)
    bends = points[1:, ...] - points[:-1, ...] ** 2
    return xp.sum(100.0 * bends**2 + (1.0 - points[:-1, ...]) ** 2, axis=0)


@public
def rosen_der(x: A) -> A:
    """Compute the gradient of `rosen`.

    Parameters
    ----------
    x : array, shape (n,)
        A point.

    Returns
    -------
    array, shape (n,)

    Raises
    ------
    ShapeError
        If there are fewer than two unknowns.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> from likewise.optimize import rosen_der
    >>> rosen_der([1.0, 2.0])
    array([-400.,  200.])
    """
    xp, points = _points("rosen_der", x)
    low, high = points[:-1, ...], points[1:, ...]
    bends = high - low**2
    none = xp.zeros_like(points[:1, ...])
    of_low = -400.0 * bends * low - 2.0 * (1.0 - low)
    found: A = xp.concat([of_low, none]) + xp.concat([none, 200.0 * bends])
    return found


@public
def rosen_hess(x: A) -> A:
    """Compute the matrix of second derivatives of `rosen`.

    Parameters
    ----------
    x : array, shape (n,)
        A point.

    Returns
    -------
    array, shape (n, n)

    Raises
    ------
    ShapeError
        If there are fewer than two unknowns.

    Notes
    -----
    Differentiable.

    Examples
    --------
    >>> from likewise.optimize import rosen_hess
    >>> rosen_hess([1.0, 2.0])
    array([[ 402., -400.],
           [-400.,  200.]])
    """
    xp, points = _points("rosen_hess", x)
    if points.ndim > 1:
        raise ShapeError(f"rosen_hess: x must have shape (n,), got {tuple(points.shape)}")
    low, n, where = points[:-1], points.shape[0], device(points)
    none = xp.zeros_like(points[:1])
    twice = xp.concat([1200.0 * low**2 - 400.0 * points[1:] + 2.0, none])
    twice = twice + xp.concat([none, 200.0 * xp.ones_like(low)])
    beside = xp.concat([-400.0 * low, none])[:, None]
    diagonal, above = (xp.eye(n, k=k, dtype=xp.bool, device=where) for k in (0, 1))
    upper = xp.where(above, beside, 0.0)
    found: A = xp.where(diagonal, twice[:, None], upper + xp.matrix_transpose(upper))
    return found


@public
def approx_fprime(
    xk: A, f: Callable[..., Any], epsilon: Any = 1.4901161193847656e-08, *args: Any
) -> Any:
    """Compute the derivatives of a function by finite differences.

    Parameters
    ----------
    xk : array, shape (n,)
        The point.
    f : callable
        ``f(xk, *args)``, a number or an array of shape (m,).
    epsilon : float or array, optional
        The step, or a step for each variable.
    *args : Any
        Arguments of `f`.

    Returns
    -------
    array, shape (n,) or (m, n)

    Raises
    ------
    ShapeError
        If `xk` doesn't have one dimension.

    Notes
    -----
    Takes n + 1 evaluations. `likewise.grad` and `likewise.jacfwd` give exact derivatives.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import approx_fprime
    >>> approx_fprime(np.asarray([1.0, 2.0]), lambda x: np.sum(x**2)).round(6)
    array([2., 4.])
    """
    xp = array_namespace(xk)
    (x,) = _plan.common_floating("approx_fprime", xp, ("xk",), xk)
    if x.ndim != 1:
        raise ShapeError(f"approx_fprime: xk must have shape (n,), got {tuple(x.shape)}")
    n = x.shape[0]
    step = xp.broadcast_to(xp.asarray(epsilon, dtype=x.dtype, device=device(x)), (n,))
    eye = xp.eye(n, dtype=x.dtype, device=device(x))
    start = xp.asarray(f(x, *args))
    moved = [(xp.asarray(f(x + eye[k, :] * step[k], *args)) - start) / step[k] for k in range(n)]
    return xp.stack(moved, axis=-1)


@public
def check_grad(
    func: Callable[..., Any],
    grad: Callable[..., Any],
    x0: A,
    *args: Any,
    epsilon: Any = 1.4901161193847656e-08,
    direction: str = "all",
    rng: Any = None,
) -> Any:
    """Compare a gradient with finite differences.

    Parameters
    ----------
    func, grad : callable
        ``func(x0, *args)``, and the gradient to check.
    x0 : array, shape (n,)
        The point.
    *args : Any
        Arguments of both.
    epsilon : float, optional
        The step of the finite differences.
    direction : {'all'}, optional
        Must be 'all'.
    rng : optional
        Taken, but without a meaning here.

    Returns
    -------
    float
        The norm of the difference of the two gradients.

    Raises
    ------
    ArgumentError
        If there is no such direction.

    Notes
    -----
    `likewise.testing.check_grads` compares with random cotangents, to more digits.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import check_grad
    >>> bool(check_grad(lambda x: np.sum(x**2), lambda x: 2 * x, np.ones(2)) < 1e-6)
    True
    """
    _plan.choice("check_grad", "direction", direction, ("all",))
    apart = grad(x0, *args) - approx_fprime(x0, func, epsilon, *args)
    xp = array_namespace(apart)
    return xp.sqrt(xp.sum(xp.abs(apart) ** 2))
