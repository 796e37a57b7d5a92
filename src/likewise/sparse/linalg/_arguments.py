"""Checks of arguments that all routines for linear problems make."""

import math
from typing import Any, NamedTuple

from ... import _plan
from ..._namespace import array_namespace
from ...errors import ArgumentError, ShapeError
from ...solving._blocks import any_in_blocks, in_blocks
from ...solving._following import constants
from ...solving._options import tolerance
from ._interface import (
    Custom,
    LinearOperator,
    MatrixLinearOperator,
    aslinearoperator,
    complexified,
    rows_of,
)

__all__ = ["Given", "by_blocks", "positive", "square", "tall", "vector"]


class Given(NamedTuple):
    """Hold one problem or many, as rows."""

    A: LinearOperator
    M: LinearOperator | None
    b: Any  # (B, m)
    x0: Any  # (B, n), or None for 0
    batch: tuple[int, ...] | None  # None of one problem

    def shaped(self, x: Any) -> Any:
        """Return rows (B, ...) in the batch's shape."""
        if self.batch is None:
            return x[0, ...]
        return array_namespace(x).reshape(x, (*self.batch, *x.shape[1:]))


def by_blocks(
    name: str, call: Any, A: Any, b: Any, x0: Any, M: Any = None, callback: Any = None
) -> Any:
    """Return ``call(A, b, x0, M)`` by blocks, or None if no array comes in blocks."""
    if not any_in_blocks(A, b, x0, M):
        return None
    kept = {"A": A, "M": M, "x0": x0}
    users = {k: v for k, v in kept.items() if callable(v) or isinstance(v, str | LinearOperator)}
    given = {k: (v, 2 if k in ("A", "M") else 1) for k, v in kept.items() if k not in users}

    def block(*trees: Any) -> Any:
        now = users | dict(zip(("b", *given), trees, strict=True))
        return call(now["A"], now["b"], now["x0"], now["M"])

    maps = {k: v for k, v in users.items() if callable(v)}
    return in_blocks(name, block, {"b": (b, 1)} | given, maps, callback)


def square(name: str, A: Any, b: Any, x0: Any, M: Any) -> Given:
    """Return the problem of a square operator, perhaps with a preconditioner."""
    if _is_function(A):
        n = _size(b)
        A = Custom((n, n), A)
    A = aslinearoperator(A)
    if A.shape[-1] != A.shape[-2]:
        raise ShapeError(f"{name}: expected square matrix, but got shape={A.shape}")
    if M is not None:
        M = Custom(A.shape, M) if _is_function(M) else aslinearoperator(M)
        if M.shape[-2:] != A.shape[-2:]:
            raise ShapeError(
                f"{name}: matrix and preconditioner have different shapes, {A.shape} and {M.shape}"
            )
    first = x0
    if isinstance(x0, str):
        if x0 != "Mb":
            raise ArgumentError(f"{name}: x0 must be an array, None or 'Mb', got {x0!r}")
        first = None
    found = _together(name, A, M, b, first)
    if x0 is not None and first is None:
        found = found._replace(x0=found.b if found.M is None else rows_of(found.M)[0](found.b))
    return found


def tall(name: str, A: Any, b: Any, x0: Any) -> Given:
    """Return the problem of an operator of any shape."""
    if _is_function(A):
        if x0 is None:
            raise ArgumentError(
                f"{name}: of a function the number of unknowns isn't known: give x0, or "
                "LinearOperator((m, n), A)"
            )
        A = Custom((_size(b), _size(x0)), A)
    return _together(name, aslinearoperator(A), None, b, x0)


def _is_function(A: Any) -> bool:
    return callable(A) and not hasattr(A, "shape")


def _size(b: Any) -> int:
    return int(b.shape[-1]) if hasattr(b, "shape") and b.ndim else len(b)


def vector(b: Any, n: int) -> Any:
    """Return a column (n, 1) as a vector, and for n = 1 a number, as SciPy takes them."""
    if n == 1 and getattr(b, "ndim", 1) == 0:
        return array_namespace(b).reshape(b, (1,))
    if getattr(b, "ndim", 0) == 2 and tuple(b.shape) == (n, 1):
        return array_namespace(b).reshape(b, (n,))
    return b


def _together(name: str, A: Any, M: Any, b: Any, x0: Any) -> Given:
    m, n = A.shape[-2:]
    of_arrays = {"b": b}
    if isinstance(A, MatrixLinearOperator):
        of_arrays["A"] = A.A
    if isinstance(M, MatrixLinearOperator):
        of_arrays["M"] = M.A
    if x0 is not None:
        of_arrays["x0"] = x0
    xp = array_namespace(*of_arrays.values())
    same = constants(list(_plan.common_floating(name, xp, tuple(of_arrays), *of_arrays.values())))
    made = dict(zip(of_arrays, same, strict=True))
    xp = array_namespace(*same)
    for key, op in (("A", A), ("M", M)):
        if key in made and made[key] is not op.A:
            made[key] = MatrixLinearOperator(made[key])
        else:
            made[key] = op
    A, M, b, x0 = made["A"], made["M"], vector(made["b"], m), made.get("x0")
    if x0 is not None:
        x0 = vector(x0, n)
    if b.ndim < 1 or b.shape[-1] != m:
        raise ShapeError(
            f"{name}: shapes of A {A.shape} and b {tuple(b.shape)} are incompatible: b must be "
            f"(..., {m})"
        )
    if x0 is not None and (x0.ndim < 1 or x0.shape[-1] != n):
        raise ShapeError(
            f"{name}: shapes of A {A.shape} and x0 {tuple(x0.shape)} are incompatible: x0 must be "
            f"(..., {n})"
        )
    shapes = {"A": A.shape[:-2], "b": tuple(b.shape[:-1])}
    if M is not None:
        shapes["M"] = M.shape[:-2]
    if x0 is not None:
        shapes["x0"] = tuple(x0.shape[:-1])
    batch = _plan.broadcast(name, **shapes) if any(shapes.values()) else ()
    A, M = (_for_batch(name, xp, op, batch) for op in (A, M))

    def rows(v: Any) -> Any:
        if not batch:
            return v[None, :]
        v = xp.broadcast_to(v, (*batch, v.shape[-1])) if tuple(v.shape[:-1]) != batch else v
        return xp.reshape(v, (math.prod(batch), v.shape[-1]))

    b = rows(b)
    x0 = None if x0 is None else rows(x0)
    for op in (A, M):
        if op is not None and not isinstance(op, MatrixLinearOperator):
            b, x0 = (None if v is None else _raised(xp, op, v) for v in (b, x0))
    return Given(A, M, b, x0, batch if batch else None)


def _raised(xp: Any, op: LinearOperator, v: Any) -> Any:
    """Return vectors in the dtype of an operator's results, as far as that is known."""
    known = xp.__array_namespace_info__()
    kind = {float: "real floating", complex: "complex floating"}.get(op.dtype)
    name = getattr(op.dtype, "__name__", str(op.dtype)).rpartition(".")[2]
    floating = known.dtypes(kind=("real floating", "complex floating"))
    dtype = floating.get(name) if kind is None else known.default_dtypes()[kind]
    if dtype is not None and dtype != v.dtype:
        v = xp.astype(v, xp.result_type(v.dtype, dtype), copy=False)
    return complexified(v) if _is_complex(op) else v


def _is_complex(op: Any) -> bool:
    """Tell if an operator, or a part of it, makes complex numbers of real ones."""
    if op.dtype is not None:
        return "complex" in str(op.dtype)
    parts = vars(op).values()
    return any(
        _is_complex(v) if isinstance(v, LinearOperator) else isinstance(v, complex) for v in parts
    )


def _for_batch(name: str, xp: Any, op: Any, batch: tuple[int, ...]) -> Any:
    """Return an operator with the batch's leading dimensions, or none."""
    if op is None or op.ndim == 2 or op.shape[:-2] == batch:
        return op
    if isinstance(op, MatrixLinearOperator):
        return MatrixLinearOperator(xp.broadcast_to(op.A, (*batch, *op.shape[-2:])))
    raise ShapeError(
        f"{name}: the operator maps a batch of shape {op.shape[:-2]}, but the problems have the "
        f"batch {batch}: give an operator (..., M, N) of that batch"
    )


def positive(name: str, label: str, value: Any, default: float) -> float:
    """Return a tolerance, in SciPy's words if it is none."""
    if value is None or isinstance(value, str):
        raise ArgumentError(
            f"{name}: called with invalid {label}={value!r}; it must be a real, non-negative number"
        )
    return tolerance(name, label, value, default)
