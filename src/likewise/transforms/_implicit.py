"""Derivatives of solutions of equations."""

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
from ._following._interpreter import is_open
from ._following._lanes import constants
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
    """Solve an equation, and make its solution differentiable.

    Parameters
    ----------
    solve : callable
        A function of `args` that returns the solution x, floating arrays in any nested structure.
        It may iterate and branch on values, because it is not differentiated.
    residual : callable
        A function of x and `args` that is 0 at the solution; its result has the structure and
        shapes of x.
    *args : any
        Parameters. Arrays that the two functions close over are differentiated as well.

    Returns
    -------
    structure of the solution
        The result of `solve`, after two Newton steps on `residual`.

    Raises
    ------
    ShapeError
        If the numbers of elements of the residual and of the solution differ.

    Notes
    -----
    By the implicit function theorem, the derivative depends only on the residual. The solution is
    treated as a constant, followed by two Newton steps ``x - J⁻¹ r(x)`` in ordinary operations,
    with a Jacobian that is also differentiated. The steps don't change an exact solution; the first
    gives the first derivative, both together the second. So it needs no custom rule, supports
    closures on every library, and works in forward mode, reverse mode and vmap. Third derivatives
    are wrong. For complex unknowns the residual must be holomorphic. Costs two dense Jacobians and
    solutions of n linear equations for n elements. The steps improve an inaccurate solution. If the
    Jacobian is singular, there is no derivative.

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
        """Split a vector into the shapes of the solution, with real parts where it is real."""
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
    """Tell if `x` may be differentiated with respect to the arrays from which it was computed."""
    return hooks_of(x).recorded(x)


def recordable(x: Any) -> bool:
    """Tell if results computed from arrays like `x` may be differentiated."""
    return is_open() or type(hooks_of(x)).recorded is not Library.recorded


def refined(x: Any, residual: Callable[[Any], Any], leave: bool = False) -> Any:
    """Return solutions (B, p) of B small systems with their implicit derivatives.

    ``residual(x)``, (B, p) -> (B, p), row by row, is 0 at `x`. The values of `x` don't change; the
    first and second derivatives are those of `implicit_root`, with respect to all arrays that
    `residual` closes over. They are 0 where the Jacobian is singular or not finite, so such a
    system doesn't affect the others; with `leave`, for Jacobians whose symmetric part is positive
    semidefinite, a singular one leaves what equations don't say where it is, and moves the rest.
    Without differentiation this costs one evaluation.
    """

    def step(x: Any, r: Any) -> Any:
        matrix = columns(residual, x)  # a row of it is a column of the Jacobian
        xp = array_namespace(matrix, r)
        matrix, right = xp.matrix_transpose(matrix), r[:, :, None]
        plain = _solved(stop_gradient(matrix), stop_gradient(right))
        good = xp.all(xp.isfinite(plain), axis=(1, 2), keepdims=True)
        eye = xp.eye(x.shape[1], dtype=r.dtype, device=device(r))
        if leave:
            sizes = xp.abs(stop_gradient(matrix))
            size, most = xp.sum(sizes * eye, axis=2), xp.max(sizes, axis=2)
            size = xp.where(size > 0, size, xp.where(most > 0, most, xp.ones_like(most)))
            shift = float(xp.finfo(r.dtype).eps) ** 0.5 * size[:, :, None] * eye
            known = xp.all(xp.isfinite(size), axis=1)[:, None, None]
            # Singular but for rounding: in units of the unknowns, the inverse is huge.
            unit = 1 / xp.sqrt(size)
            probe = xp.cos(1.7 * xp.arange(x.shape[1], dtype=r.dtype, device=device(r)) + 0.5)
            scaled = unit[:, :, None] * stop_gradient(matrix) * unit[:, None, :]
            far = _solved(xp.where(known, scaled, eye), probe[:, None] + 0 * scaled[:, :, :1])
            huge = xp.max(xp.abs(far), axis=(1, 2), keepdims=True)
            good = good & (huge < float(xp.finfo(r.dtype).eps) ** -0.9)
            matrix, good = xp.where(good, matrix, matrix + shift), known
        right = xp.where(good, right, xp.zeros_like(right))
        return _solved(xp.where(good, matrix, eye), right)[..., 0]

    return _carried(x, residual, step)


def _solved(a: Any, b: Any) -> Any:
    """Solve so that a singular system gives infinities or NaN, and doesn't affect others."""
    return solve_linear(a, b) if a.shape[-1] <= 3 else lu_solve(lu_factor(a), b)


def refined_by_products(
    x: Any,
    gradient: Callable[[Any], Any],
    solve: Callable[[Callable[[Any], Any], Any], Any],
    held: Any,
) -> Any:
    """Do what `refined` does for the root of a gradient, without forming a matrix.

    For unknowns that are `held`, (B, p) of bool, `gradient` returns their distance from the bounds.
    ``solve(product, b)`` solves by products with the Hessian in the other unknowns. Only the first
    derivative is right.
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
