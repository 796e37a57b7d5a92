"""Points of a set that linear constraints describe: the nearest one, and all of them."""

import math
from typing import Any

from ... import _plan
from ..._namespace import array_namespace, device, is_concrete, quiet
from ..._native import public
from ...errors import ArgumentError, NotSupported, ShapeError
from ...linalg import pinv, svd
from ...solving._blocks import in_blocks
from ...solving._following import constants, readable
from ...solving._outcome import Outcome, outcomes
from ...transforms import stop_gradient
from ._dual import Found
from ._solve_qp import Programme, differentiable, solved

__all__ = ["affine_set", "project_linear"]

_LEFT = 1e3  # times rounding: what equations may leave


@public
def project_linear(x: Any, A: Any, lb: Any = -math.inf, ub: Any = math.inf) -> Any:
    """Return the point of ``lb <= A x <= ub`` that is nearest to another.

    Parameters
    ----------
    x : array, shape (..., n)
        The points to be projected. Leading dimensions of all arrays broadcast; they are the batch.
    A : array, shape (..., m, n)
        The matrices, whose rows may depend on each other.
    lb, ub : array or float, shape (..., m), optional
        Sides, infinite where there is none; equal ones are an equation.

    Returns
    -------
    array, shape (..., n)
        The nearest points in the Euclidean norm; NaN where no point fulfils the constraints, or
        none was found.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    DtypeError
        If an array is complex.
    NotSupported
        If the arrays are lazy and their library has no loop for them (torch.compile).

    Notes
    -----
    By a pseudoinverse if all rows are equations, else by `solve_qp`, whose derivatives these are:
    with respect to all arrays, twice; where a row is at its side without force, of the side on
    which it is not active.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import project_linear
    >>> total = np.ones((1, 3))
    >>> project_linear(np.asarray([1.0, 2.0, 4.0]), total, 1.0, 1.0)
    array([-1.,  0.,  2.])
    >>> project_linear(np.asarray([1.0, 2.0, 4.0]), total, ub=4.0).round(6)
    array([0., 1., 3.])
    """
    given = {"x": (x, 1), "A": (A, 2), "lb": (lb, 1), "ub": (ub, 1)}
    found = in_blocks("project_linear", project_linear, given, {})
    if found is not None:
        return found
    return _projected("project_linear", x, A, {"lb": lb} if lb is ub else {"lb": lb, "ub": ub})


def _projected(name: str, x: Any, A: Any, sides: dict[str, Any]) -> Any:
    """Return the nearest points between two sides, or at the one that is given."""
    given = {"x": x, "A": A, **sides}
    xp = array_namespace(*(v for v in given.values() if hasattr(v, "shape")))
    x, A, *ends = _plan.common_floating(name, xp, tuple(given), *given.values(), real=True)
    batch, (points, a, *ends) = _rows(name, x, A, dict(zip(sides, ends, strict=True)))
    low, high, same = ends[0], ends[-1], len(ends) == 1
    xp, n = array_namespace(points), int(points.shape[1])
    if not int(a.shape[1]):
        return xp.reshape(points, (*batch, n))
    same = same or (is_concrete(low) and is_concrete(high) and bool(xp.all(low == high)))
    eye = xp.eye(n, dtype=points.dtype, device=device(points)) + 0 * points[:, :, None]
    live = Programme(eye, -points, a, low, low if same else high, None, None)
    if same:
        made = Programme(*(None if v is None else constants([v])[0] for v in live))
        with quiet(points):
            value, outcome = _nearest(made)
    else:
        value, *_, outcome = solved(live, None, None, None)
    value = xp.where((outcome > 0)[:, None], value, xp.full_like(value, xp.nan))
    return xp.reshape(value, (*batch, n))


@public
def affine_set(A: Any, b: Any, x0: Any = None) -> tuple[Any, Any]:
    """Return a point and a basis of all x with ``A x = b``, so that x is ``point + basis @ z``.

    Parameters
    ----------
    A : array, shape (..., m, n)
        The matrices, all of one rank; their rows may depend on each other.
    b : array or float, shape (..., m)
        The right sides.
    x0 : array, shape (..., n), optional
        The point is the nearest one to `x0`. Default: 0, which gives the one of least norm.

    Returns
    -------
    point : array, shape (..., n)
        As of `project_linear`: NaN where the equations contradict each other.
    basis : array, shape (..., n, k)
        Orthonormal columns that span the null space of A; k is n less the rank.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    DtypeError
        If an array is complex.
    ArgumentError
        If the ranks of a batch differ.
    NotSupported
        If the values of A can't be read, as in jit: the basis' shape depends on them.

    Notes
    -----
    With it, a problem with linear equations becomes one without, of fewer unknowns, for every
    solver. Differentiable with respect to all arrays, the basis once: it moves as little as the
    null space does.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.optimize import affine_set, least_squares
    >>> point, basis = affine_set(np.asarray([[1.0, 1.0, 1.0]]), np.asarray([3.0]))
    >>> point, basis.shape
    (array([1., 1., 1.]), (3, 2))
    >>> found = least_squares(lambda z: (point + basis @ z) ** 2 - 1.5, np.asarray([0.5, 0.5]))
    >>> (point + basis @ found.x).sum().round(6)
    np.float64(3.0)
    """
    name = "affine_set"
    xp = array_namespace(*(v for v in (A, b, x0) if hasattr(v, "shape")))
    names = ("A", "b") if x0 is None else ("A", "b", "x0")
    values = (A, b) if x0 is None else (A, b, x0)
    A, b, *start = _plan.common_floating(name, xp, names, *values, real=True)
    if A.ndim < 2:
        raise ShapeError(f"{name}: A must have shape (..., m, n), got {tuple(A.shape)}")
    xp, n = array_namespace(A), int(A.shape[-1])
    point = start[0] if start else xp.zeros((n,), dtype=A.dtype, device=device(A))
    point = _projected(name, point, A, {"b": b})
    if not int(A.shape[-2]):
        eye = xp.eye(n, dtype=A.dtype, device=device(A))
        return point, xp.broadcast_to(eye, (*A.shape[:-2], n, n))
    (held,) = constants([stop_gradient(A)])
    finite = xp.all(xp.isfinite(held))
    if is_concrete(finite) and not bool(finite):
        raise ArgumentError(f"{name}: A must be finite, got NaN or infinity")
    _, s, vh = svd(held, full_matrices=True)
    least = float(xp.finfo(s.dtype).eps) * max(int(v) for v in held.shape[-2:])
    ranks = xp.count_nonzero(s > least * s[..., :1], axis=-1)
    if not readable(ranks):
        raise NotSupported(
            f"{name}: the shape of the basis depends on values of A, which can't be read here: "
            "call it outside of jit"
        )
    ranks = stop_gradient(xp.reshape(ranks, (-1,)))
    found = {int(ranks[k]) for k in range(ranks.shape[0])}  # likewise: host-scalar the ranks
    if len(found) > 1:
        raise ArgumentError(f"{name}: all matrices must have one rank, got {sorted(found)}")
    rank = max(found, default=0)
    basis = stop_gradient(xp.matrix_transpose(vh[..., rank:, :]))
    return point, basis - xp.matmul(stop_gradient(pinv(held)), xp.matmul(A, basis))


def _nearest(p: Programme) -> tuple[Any, Any]:
    """Return the nearest points of equations, by the pseudoinverse, with derivatives."""
    x, a, b = (stop_gradient(v) for v in (-p.g, p.a, p.low))
    xp = array_namespace(x)
    known = xp.all(xp.isfinite(a), axis=(1, 2))  # others have no pseudoinverse
    a = xp.where(known[:, None, None], a, xp.zeros_like(a))
    inverse = pinv(a)

    def left(x: Any) -> Any:
        return (b - xp.matmul(a, x[:, :, None])[..., 0])[:, :, None]

    y = xp.matmul(inverse, left(x))[..., 0]
    y = y + xp.matmul(inverse, left(x + y))[..., 0]  # once more, for what rounding left
    force = xp.matmul(xp.matrix_transpose(inverse), y[:, :, None])[..., 0]
    x = x + y
    size = xp.abs(b) + xp.sum(xp.abs(a) * xp.abs(x)[:, None, :], axis=2)
    size = size + xp.max(size, axis=1, keepdims=True)
    good = xp.all(xp.abs(left(x)[..., 0]) <= _LEFT * float(xp.finfo(x.dtype).eps) * size, axis=1)
    outcome = outcomes(
        x[:, 0],
        (good, Outcome.CONVERGED),
        (~good, Outcome.INFEASIBLE),
        (~known, Outcome.NOT_FINITE),
    )
    found = Found(x, force, xp.zeros_like(x), outcome, xp.zeros_like(outcome))
    return differentiable(p, found)[0], outcome


def _rows(
    name: str, x: Any, A: Any, sides: dict[str, Any]
) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """Return the batch's shape, and all arrays as rows."""
    xp = array_namespace(x, A)
    if A.ndim < 2 or x.ndim < 1 or x.shape[-1] != A.shape[-1] or A.shape[-1] == 0:
        raise ShapeError(
            f"{name}: x and A must have shapes (..., n) and (..., m, n), got {tuple(x.shape)} and "
            f"{tuple(A.shape)}"
        )
    m = int(A.shape[-2])
    wide = {k: xp.broadcast_to(v, (m,)) if v.ndim == 0 else v for k, v in sides.items()}
    for key, v in wide.items():
        if v.shape[-1] != m:
            raise ShapeError(
                f"{name}: {key} must hold a number for each of {m} rows, got {tuple(v.shape)}"
            )
    leads = {k: tuple(v.shape[:-1]) for k, v in {"x": x, **wide}.items()}
    batch = _plan.broadcast(name, **leads, A=tuple(A.shape[:-2]))

    def rows(v: Any, rank: int) -> Any:
        own = tuple(v.shape[v.ndim - rank :])
        return xp.reshape(xp.broadcast_to(v, (*batch, *own)), (math.prod(batch), *own))

    return batch, (rows(x, 1), rows(A, 2), *(rows(v, 1) for v in wide.values()))
