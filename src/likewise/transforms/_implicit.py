"""The derivative of the solution of an equation."""

import math
from collections.abc import Callable
from typing import Any

from .._library import Library
from .._namespace import array_namespace, device, hooks_of, is_neutral
from ..errors import ShapeError
from ..linalg import lu_factor, lu_solve
from ..linalg import solve as solve_linear
from ._columns import columns
from ._custom import self_adjoint, stop_gradient
from ._derivatives import jacobian, jvp
from ._interpreter import is_open
from ._lanes import constants
from ._tree import flatten, same_structure

__all__ = [
    "implicit_root",
    "recordable",
    "recorded",
    "refined",
    "refined_by_products",
    "refined_elementwise",
]


def implicit_root(solve: Callable[..., Any], residual: Callable[..., Any], *args: Any) -> Any:
    """Return the solution of an equation, differentiable with respect to all that it depends on.

    Parameters
    ----------
    solve : callable
        Of `args`; returns the solution x, floating arrays in any nested structure. May iterate,
        branch by value and stop as it likes: it is not differentiated.
    residual : callable
        Of x and `args`; returns what is 0 at the solution, of the structure and shapes of x.
    *args : any
        Parameters. What the two functions close over counts as well.

    Returns
    -------
    structure of the solution
        What `solve` found, after two steps of Newton's method on `residual`.

    Raises
    ------
    ShapeError
        If the residual has not as many elements as the solution.

    Notes
    -----
    By the implicit function theorem the derivative needs the residual alone. Here the solution is
    taken as a constant, and two Newton steps ``x - J⁻¹ r(x)`` follow in ordinary operations, with a
    Jacobian that is differentiated as well: they leave the solution where it is, the first carries
    the first derivative, both together the second. So no custom rule is needed, closures count on
    every library, and forward mode, reverse mode and vmap work. A third derivative is not right.
    Of complex unknowns the residual must be holomorphic.
    Costs two dense Jacobians and solutions of n linear equations for n elements; a solution that
    is far from exact is improved by the steps. Where the Jacobian is singular, there is no
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.transforms import grad, implicit_root
    >>> def root(a):
    ...     return implicit_root(lambda a: a**0.5, lambda x, a: x * x - a, a)
    >>> float(grad(root)(np.asarray(4.0)))
    0.25
    """
    found = stop_gradient(solve(*(stop_gradient(a) for a in args)))
    x, structure = flatten(found)
    xp = array_namespace(*x)
    x = constants([xp.asarray(v) if is_neutral(v) else v for v in x])
    xp = array_namespace(*x)
    flat = xp.concat([xp.reshape(v, (-1,)) for v in x], axis=0)
    of_complex = bool(xp.isdtype(flat.dtype, "complex floating"))

    def apart(vector: Any) -> list[Any]:
        """A vector in the shapes of the solution, real parts where it is real."""
        ns = array_namespace(vector)
        out, start = [], 0
        for like in x:
            n = math.prod(like.shape)
            part = ns.reshape(vector[start : start + n], tuple(like.shape))
            real = of_complex and not ns.isdtype(like.dtype, "complex floating")
            out.append(ns.real(part) if real else part)
            start += n
        return out

    def of_vector(vector: Any, *args: Any) -> Any:
        r, its = flatten(residual(structure.unflatten(apart(vector)), *args))
        same_structure("implicit_root", "the solution", structure, "the residual", its)
        ns = array_namespace(vector, *r)
        joined = ns.concat([ns.reshape(v, (-1,)) for v in r], axis=0)
        if joined.shape != vector.shape:
            raise ShapeError(
                f"implicit_root: the residual must have as many elements as the solution, "
                f"{vector.shape[0]}, but has {joined.shape[0]}"
            )
        return joined

    for _ in range(2):
        matrix = jacobian(of_vector, holomorphic=of_complex)(flat, *args)
        flat = flat - solve_linear(matrix, of_vector(flat, *args))
    return structure.unflatten(apart(flat))


def recorded(x: Any) -> bool:
    """Tell if derivatives may be asked for of what `x` was computed of."""
    return hooks_of(x).recorded(x)


def recordable(x: Any) -> bool:
    """Tell if anybody could ask for derivatives of what is computed with arrays as `x`."""
    return is_open() or type(hooks_of(x)).recorded is not Library.recorded


def refined(x: Any, residual: Callable[[Any], Any]) -> Any:
    """Solutions (B, p) of B small systems, with the derivatives that they have by their equations.

    ``residual(x)``, (B, p) -> (B, p), row by row, is what is 0 at `x`. The values of `x` stay as
    they are; the derivatives, the first and the second, are those of `implicit_root`, with respect
    to all that `residual` closes over. Where the Jacobian is singular or not finite they are 0, so
    that such a system spoils no other. Costs one evaluation where nobody differentiates.
    """

    def step(x: Any, r: Any) -> Any:
        matrix = columns(residual, x)  # a row of it is a column of the Jacobian
        xp = array_namespace(matrix, r)
        matrix, right = xp.matrix_transpose(matrix), r[:, :, None]
        plain = _solved(stop_gradient(matrix), stop_gradient(right))
        good = xp.all(xp.isfinite(plain), axis=(1, 2), keepdims=True)
        eye = xp.eye(x.shape[1], dtype=r.dtype, device=device(r))
        right = xp.where(good, right, xp.zeros_like(right))
        return _solved(xp.where(good, matrix, eye), right)[..., 0]

    return _carried(x, residual, step)


def _solved(a: Any, b: Any) -> Any:
    """By ways that give a singular system infinities or NaN, and spoil no other."""
    return solve_linear(a, b) if a.shape[-1] <= 3 else lu_solve(lu_factor(a), b)


def refined_by_products(
    x: Any,
    gradient: Callable[[Any], Any],
    solve: Callable[[Callable[[Any], Any], Any], Any],
    held: Any,
) -> Any:
    """Refine a solution as `refined` does, of a gradient that is 0, and never with a matrix.

    Of unknowns that are `held`, (B, p) of bool, `gradient` gives how far they are off their bounds.
    ``solve(product, b)`` solves, by products with the symmetric matrix of second derivatives in the
    others. The first derivative alone is right.
    """
    x = stop_gradient(x)
    r = gradient(x)
    if not recorded(r):
        return x
    xp = array_namespace(r)
    none = xp.zeros_like(x)
    r = xp.where(xp.isfinite(r), r - stop_gradient(r), none)  # a derivative without a value

    def along(v: Any) -> Any:
        return jvp(gradient, (x,), (v,))[1]

    def product(v: Any) -> Any:
        return stop_gradient(xp.where(held, v, along(xp.where(held, none, v))))

    moved = xp.where(held, r, none)
    right = xp.where(held, none, r - along(moved))
    return x - moved - self_adjoint(product, lambda b: solve(product, b), right)


def refined_elementwise(x: Any, residual: Callable[[Any], Any]) -> Any:
    """Do what `refined` does, for one equation in one unknown for each element of `x`."""

    def step(x: Any, r: Any) -> Any:
        xp = array_namespace(x)
        slope = jvp(residual, (x,), (xp.ones_like(x),))[1]
        good = xp.isfinite(r) & xp.isfinite(slope) & (slope != 0)
        slope = xp.where(good, slope, xp.ones_like(slope))
        return xp.where(good, r, xp.zeros_like(r)) / slope

    return _carried(x, residual, step)


def _carried(x: Any, residual: Callable[[Any], Any], step: Callable[[Any, Any], Any]) -> Any:
    x = stop_gradient(x)
    r = residual(x)
    if not recorded(r):
        return x
    for again in (True, False):
        by = step(x, r)
        x = x - (by - stop_gradient(by))  # a derivative without a move
        r = residual(x) if again else r
    return x
