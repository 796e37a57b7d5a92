"""Linear maps that are known by their products: `LinearOperator`."""

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from ..._dtypes import common_dtype, default_floating, result_type
from ..._namespace import array_namespace, describe, device, is_neutral
from ..._native import public
from ..._plan import broadcast, is_complex
from ...errors import ArgumentError, ArrayTypeError, ShapeError
from ...solving._following import flatten
from ...transforms import register_tree, vjp, vmap

__all__ = [
    "Custom",
    "LinearOperator",
    "MatrixLinearOperator",
    "aslinearoperator",
    "columns_of",
    "complexified",
    "is_operator",
    "rows_of",
]


def _taken_apart(op: "LinearOperator") -> tuple[Any, Any]:
    """The attributes that hold arrays, and the others."""
    children, rest = {}, []
    for name, value in vars(op).items():
        leaves = flatten(value)[0]
        if any(hasattr(a, "dtype") and hasattr(a, "shape") for a in leaves):
            children[name] = value
        else:
            rest.append((name, value))
    return tuple(children.values()), (tuple(children), tuple(rest))


def _put_together(cls: type, meta: Any, children: Any) -> Any:
    made: Any = object.__new__(cls)
    names, rest = meta
    vars(made).update(zip(names, children, strict=True))
    vars(made).update(rest)
    return made


class LinearOperator:
    """Represents a linear map, known by its products with vectors.

    Parameters
    ----------
    shape : tuple of int
        ``(M, N)``; or ``(..., M, N)``, many maps at once: `matvec` then maps arrays (..., N) to
        (..., M), each row by its own map.
    matvec : callable
        ``matvec(v)``: the product with a vector (N,), in functions of
        ``likewise.array_namespace(v)``.
    rmatvec : callable, optional
        The product of the conjugate transpose with a vector (M,). Default: the transpose of
        `matvec` by `likewise.transforms.vjp`, which is exact.
    matmat, rmatmat : callable, optional
        Products with the columns of a matrix. Default: one product for each column.
    dtype : dtype, optional
        The map's dtype, which decides on that of results: a complex one makes them complex.

    Attributes
    ----------
    shape : tuple of int
        The shape.
    dtype : dtype or None
        The dtype, if it was given.
    ndim : int
        The number of dimensions of `shape`.
    H, T : LinearOperator
        The conjugate transpose, and the transpose.

    Raises
    ------
    ShapeError
        If shapes don't fit.
    ArgumentError
        If a map has no product, or what should be a scalar is none.

    Notes
    -----
    Operators are added, multiplied by numbers and by each other (``A @ B``, ``A * B``), and raised
    to powers; ``A @ x``, ``A(x)`` and ``A.dot(x)`` are products with arrays. A subclass defines
    `_matvec` or `_matmat`, and may define `_rmatvec`, `_rmatmat`, `_adjoint` and `_transpose`; it
    calls ``super().__init__(dtype, shape)``. An operator is a tree of the arrays among its
    attributes, so it may be an argument of `likewise.transforms.jit` and its like; what functions
    close over is followed as well.

    Differs from SciPy: `rmatvec` need not be given; leading dimensions; the dtype is not found out
    by a product.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import LinearOperator
    >>> second = LinearOperator((3, 3), lambda v: 2 * v - np.roll(v, 1))
    >>> second.matvec(np.asarray([1.0, 2.0, 4.0]))
    array([-2.,  3.,  6.])
    >>> (second.H @ second).matvec(np.asarray([1.0, 2.0, 4.0]))
    array([-7.,  0., 14.])
    """

    __array_ufunc__ = None  # NumPy's arrays leave ``x @ A`` and ``2.0 * A`` to us
    _any = False  # whether `_matvec` takes any leading dimensions
    shape: tuple[int, ...]
    dtype: Any

    def __new__(cls, *args: Any, **kwargs: Any) -> "LinearOperator":
        """Make an operator of functions, unless a subclass has its own."""
        if cls is LinearOperator:
            return object.__new__(Custom)
        made = object.__new__(cls)
        if cls._matvec is LinearOperator._matvec and cls._matmat is LinearOperator._matmat:
            raise ArgumentError(
                f"LinearOperator: {cls.__name__} must define at least one of _matvec and _matmat"
            )
        return made

    def __init__(self, dtype: Any, shape: Any) -> None:
        """Keep the dtype and the shape."""
        named = isinstance(dtype, str)
        self.dtype = array_namespace().empty((0,), dtype=dtype).dtype if named else dtype
        self.shape = _shape(shape)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        register_tree(cls, _taken_apart, partial(_put_together, cls))

    @property
    def ndim(self) -> int:
        """The number of dimensions of `shape`."""
        return len(self.shape)

    # -- what a subclass defines -------------------------------------------------------------------

    def _matvec(self, x: Any) -> Any:
        return self._matmat(x[..., None])[..., 0]

    def _matmat(self, X: Any) -> Any:
        return _by_columns(self._apply, X)

    def _rmatvec(self, y: Any) -> Any:
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H._apply(y)
        if type(self)._rmatmat is not LinearOperator._rmatmat:
            return self._rmatmat(y[..., None])[..., 0]
        return _transposed(self._matvec, (*y.shape[:-1], self.shape[-1]), y)

    def _rmatmat(self, Y: Any) -> Any:
        if type(self)._adjoint is not LinearOperator._adjoint:
            return self.H._matmat(Y)
        return _by_columns(self._rapply, Y)

    def _adjoint(self) -> "LinearOperator":
        return _Adjoint(self)

    def _transpose(self) -> "LinearOperator":
        return _Transposed(self)

    # -- products with any leading dimensions ------------------------------------------------------

    def _apply(self, x: Any) -> Any:
        """Map arrays (..., N) to (..., M)."""
        return _along(self, self._matvec, LinearOperator._matmat, self._matmat, x, self.shape[-2])

    def _rapply(self, y: Any) -> Any:
        """Map arrays (..., M) to (..., N) by the conjugate transpose."""
        return _along(
            self, self._rmatvec, LinearOperator._rmatmat, self._rmatmat, y, self.shape[-1]
        )

    def matvec(self, x: Any) -> Any:
        """Return the product with a vector (N,) or (N, 1), or with the rows of arrays (..., N)."""
        return self._product(x, self._apply, self.shape[-1], self.shape[-2], "matvec")

    def rmatvec(self, x: Any) -> Any:
        """Return the product of the conjugate transpose with a vector (M,), (M, 1) or (..., M)."""
        return self._product(x, self._rapply, self.shape[-2], self.shape[-1], "rmatvec")

    def _product(self, x: Any, apply: Any, n: int, m: int, name: str) -> Any:
        x = _array(x)
        if tuple(x.shape) == (n, 1) and self.ndim == 2:
            xp = array_namespace(x)
            return xp.reshape(apply(xp.reshape(x, (n,))), (m, 1))
        if x.ndim < 1 or x.shape[-1] != n:
            raise ShapeError(
                f"{name}: dimension mismatch: an operator of shape {self.shape} takes vectors of "
                f"{n} elements, got an array of shape {tuple(x.shape)}"
            )
        return apply(x)

    def matmat(self, X: Any) -> Any:
        """Return the product with a matrix (N, K)."""
        return self._products(X, self._matmat, self.shape[-1], "matmat")

    def rmatmat(self, X: Any) -> Any:
        """Return the product of the conjugate transpose with a matrix (M, K)."""
        return self._products(X, self._rmatmat, self.shape[-2], "rmatmat")

    def _products(self, x: Any, apply: Any, n: int, name: str) -> Any:
        x = _array(x)
        if x.ndim < 2:
            raise ShapeError(f"{name}: expected 2-d array, not {x.ndim}-d; matvec takes vectors")
        if x.shape[-2] != n:
            raise ShapeError(
                f"{name}: dimension mismatch: an operator of shape {self.shape} takes matrices of "
                f"{n} rows, got an array of shape {tuple(x.shape)}"
            )
        return apply(x)

    def adjoint(self) -> "LinearOperator":
        """Return the conjugate transpose."""
        return self._adjoint()

    def transpose(self) -> "LinearOperator":
        """Return the transpose."""
        return self._transpose()

    H = property(adjoint)
    T = property(transpose)

    # -- arithmetic --------------------------------------------------------------------------------

    def __call__(self, x: Any) -> Any:
        return self @ x if not _is_scalar(x) else self.dot(x)

    def dot(self, x: Any) -> Any:
        """Return the product with an operator, a number, a vector or a matrix."""
        if isinstance(x, LinearOperator):
            return _Product(self, x)
        if _is_scalar(x):
            return _Scaled(self, x)
        x = _array(x)
        if x.ndim == 1 or (x.ndim == 2 and x.shape[1] == 1):
            return self.matvec(x)
        if x.ndim == 2 or (self.ndim > 2 and x.ndim == self.ndim):
            return self.matmat(x)
        raise ShapeError(
            f"LinearOperator: expected 1-d or 2-d array or matrix, got shape {tuple(x.shape)}"
        )

    def __mul__(self, x: Any) -> Any:
        return self.dot(x)

    def __matmul__(self, x: Any) -> Any:
        _refuse_scalar(x)
        return self.dot(x)

    def __rmul__(self, x: Any) -> Any:
        if _is_scalar(x):
            return _Scaled(self, x)
        return self._rdot(x)

    def __rmatmul__(self, x: Any) -> Any:
        _refuse_scalar(x)
        return self._rdot(x)

    def _rdot(self, x: Any) -> Any:
        if isinstance(x, LinearOperator):
            return _Product(x, self)
        x = _array(x)
        if x.ndim == 1:
            return self.T.matvec(x)
        if x.ndim == 2:
            xp = array_namespace(x)
            return xp.matrix_transpose(self.T.matmat(xp.matrix_transpose(x)))
        raise ShapeError(
            f"LinearOperator: expected 1-d or 2-d array or matrix, got shape {tuple(x.shape)}"
        )

    def __truediv__(self, x: Any) -> Any:
        if not _is_scalar(x):
            raise ArgumentError(f"LinearOperator: can only divide by a scalar, got {describe(x)}")
        return _Scaled(self, 1.0 / x)

    def __pow__(self, p: Any) -> Any:
        return _Power(self, p) if _is_scalar(p) else NotImplemented

    def __add__(self, x: Any) -> Any:
        return _Sum(self, x) if isinstance(x, LinearOperator) else NotImplemented

    def __neg__(self) -> Any:
        return _Scaled(self, -1)

    def __sub__(self, x: Any) -> Any:
        return self + (-x)

    def __repr__(self) -> str:
        dtype = "unspecified dtype" if self.dtype is None else f"dtype={self.dtype}"
        size = "x".join(map(str, self.shape))
        return f"<{size} {type(self).__name__.lstrip('_')} with {dtype}>"


class Custom(LinearOperator):
    """The operator of functions."""

    def __init__(
        self,
        shape: Any,
        matvec: Callable[[Any], Any],
        rmatvec: Callable[[Any], Any] | None = None,
        matmat: Callable[[Any], Any] | None = None,
        dtype: Any = None,
        rmatmat: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(dtype, shape)
        if not callable(matvec):
            raise ArgumentError(f"LinearOperator: matvec must be callable, got {describe(matvec)}")
        self.functions = (matvec, rmatvec, matmat, rmatmat)

    def _matvec(self, x: Any) -> Any:
        return _flat(self.functions[0](x), x, self.shape[-2], "matvec")

    def _rmatvec(self, y: Any) -> Any:
        if self.functions[1] is None:
            if self.functions[3] is not None:
                return self.functions[3](y[..., None])[..., 0]
            return _transposed(self._matvec, (*y.shape[:-1], self.shape[-1]), y)
        return _flat(self.functions[1](y), y, self.shape[-1], "rmatvec")

    def _matmat(self, X: Any) -> Any:
        return super()._matmat(X) if self.functions[2] is None else self.functions[2](X)

    def _rmatmat(self, Y: Any) -> Any:
        return super()._rmatmat(Y) if self.functions[3] is None else self.functions[3](Y)

    def _apply(self, x: Any) -> Any:
        many = None if self.functions[2] is None else self._matmat
        return _along(self, self._matvec, None, many, x, self.shape[-2])

    def _rapply(self, y: Any) -> Any:
        many = None if self.functions[3] is None else self._rmatmat
        return _along(self, self._rmatvec, None, many, y, self.shape[-1])


class MatrixLinearOperator(LinearOperator):
    """The operator of a matrix, or of matrices (..., M, N)."""

    _any = True

    def __init__(self, A: Any) -> None:
        super().__init__(A.dtype, A.shape)
        self.A = A

    def _matvec(self, x: Any) -> Any:
        A, x = _alike(self.A, x)
        if self.ndim == 2 and x.ndim > 1:
            return x @ array_namespace(A, x).matrix_transpose(A)
        return (A @ x[..., None])[..., 0] if x.ndim > 1 else A @ x

    def _rmatvec(self, y: Any) -> Any:
        A, y = _alike(_conjugate(self.A), y)
        if self.ndim == 2:
            return y @ A
        return (array_namespace(A).matrix_transpose(A) @ y[..., None])[..., 0]

    def _matmat(self, X: Any) -> Any:
        A, X = _alike(self.A, X)
        return A @ X

    def _rmatmat(self, Y: Any) -> Any:
        A, Y = _alike(_conjugate(self.A), Y)
        return array_namespace(A).matrix_transpose(A) @ Y

    def _adjoint(self) -> LinearOperator:
        return MatrixLinearOperator(array_namespace(self.A).matrix_transpose(_conjugate(self.A)))

    def _transpose(self) -> LinearOperator:
        return MatrixLinearOperator(array_namespace(self.A).matrix_transpose(self.A))


class IdentityOperator(LinearOperator):
    """The identity."""

    _any = True

    def __init__(self, shape: Any, dtype: Any = None) -> None:
        super().__init__(dtype, shape)

    def _matvec(self, x: Any) -> Any:
        return x

    def _rmatvec(self, y: Any) -> Any:
        return y

    def _matmat(self, X: Any) -> Any:
        return X

    def _rmatmat(self, Y: Any) -> Any:
        return Y

    def _adjoint(self) -> LinearOperator:
        return self

    def _transpose(self) -> LinearOperator:
        return self


class _Adjoint(LinearOperator):
    _any = True

    def __init__(self, A: LinearOperator) -> None:
        super().__init__(A.dtype, _turned(A.shape))
        self.A = A

    def _matvec(self, x: Any) -> Any:
        return self.A._rapply(x)

    def _rmatvec(self, y: Any) -> Any:
        return self.A._apply(y)

    def _matmat(self, X: Any) -> Any:
        return self.A._rmatmat(X)

    def _rmatmat(self, Y: Any) -> Any:
        return self.A._matmat(Y)

    def _adjoint(self) -> LinearOperator:
        return self.A


class _Transposed(LinearOperator):
    _any = True

    def __init__(self, A: LinearOperator) -> None:
        super().__init__(A.dtype, _turned(A.shape))
        self.A = A

    def _matvec(self, x: Any) -> Any:
        return _conjugate(self.A._rapply(_conjugate(x)))

    def _rmatvec(self, y: Any) -> Any:
        return _conjugate(self.A._apply(_conjugate(y)))

    def _matmat(self, X: Any) -> Any:
        return _conjugate(self.A._rmatmat(_conjugate(X)))

    def _rmatmat(self, Y: Any) -> Any:
        return _conjugate(self.A._matmat(_conjugate(Y)))

    def _transpose(self) -> LinearOperator:
        return self.A


class _Sum(LinearOperator):
    _any = True

    def __init__(self, A: LinearOperator, B: LinearOperator) -> None:
        if A.shape[-2:] != B.shape[-2:]:
            raise ShapeError(f"LinearOperator: cannot add {A} and {B}: shape mismatch")
        lead = _lead("cannot add", A, B)
        super().__init__(_dtype(A.dtype, B.dtype), (*lead, *A.shape[-2:]))
        self.A, self.B = A, B

    def _matvec(self, x: Any) -> Any:
        return _added(self.A._apply(x), self.B._apply(x))

    def _rmatvec(self, y: Any) -> Any:
        return _added(self.A._rapply(y), self.B._rapply(y))

    def _matmat(self, X: Any) -> Any:
        return _added(self.A._matmat(X), self.B._matmat(X))

    def _rmatmat(self, Y: Any) -> Any:
        return _added(self.A._rmatmat(Y), self.B._rmatmat(Y))

    def _adjoint(self) -> LinearOperator:
        return self.A.H + self.B.H


class _Product(LinearOperator):
    _any = True

    def __init__(self, A: LinearOperator, B: LinearOperator) -> None:
        if A.shape[-1] != B.shape[-2]:
            raise ShapeError(f"LinearOperator: cannot multiply {A} and {B}: shape mismatch")
        lead = _lead("cannot multiply", A, B)
        super().__init__(_dtype(A.dtype, B.dtype), (*lead, A.shape[-2], B.shape[-1]))
        self.A, self.B = A, B

    def _matvec(self, x: Any) -> Any:
        return self.A._apply(self.B._apply(x))

    def _rmatvec(self, y: Any) -> Any:
        return self.B._rapply(self.A._rapply(y))

    def _matmat(self, X: Any) -> Any:
        return self.A._matmat(self.B._matmat(X))

    def _rmatmat(self, Y: Any) -> Any:
        return self.B._rmatmat(self.A._rmatmat(Y))

    def _adjoint(self) -> LinearOperator:
        return self.B.H @ self.A.H


class _Scaled(LinearOperator):
    _any = True

    def __init__(self, A: LinearOperator, alpha: Any) -> None:
        alpha = alpha.item() if is_neutral(alpha) and hasattr(alpha, "dtype") else alpha
        super().__init__(_dtype(A.dtype, _named(alpha)), A.shape)
        self.A, self.alpha = A, alpha

    def _matvec(self, x: Any) -> Any:
        return _scaled(self.alpha, self.A._apply(x))

    def _rmatvec(self, y: Any) -> Any:
        return _scaled(_conjugate(self.alpha), self.A._rapply(y))

    def _matmat(self, X: Any) -> Any:
        return _scaled(self.alpha, self.A._matmat(X))

    def _rmatmat(self, Y: Any) -> Any:
        return _scaled(_conjugate(self.alpha), self.A._rmatmat(Y))

    def _adjoint(self) -> LinearOperator:
        return self.A.H * _conjugate(self.alpha)


class _Power(LinearOperator):
    _any = True

    def __init__(self, A: LinearOperator, p: int) -> None:
        if A.shape[-1] != A.shape[-2]:
            raise ShapeError(f"LinearOperator: square LinearOperator expected, got {A!r}")
        try:
            power = operator.index(p)
        except (TypeError, ValueError, RuntimeError):
            power = -1
        if power < 0:
            raise ArgumentError(
                f"LinearOperator: a power must be a non-negative integer, got {p!r}"
            )
        super().__init__(A.dtype, A.shape)
        self.A, self.p = A, power

    def _times(self, fun: Callable[[Any], Any], x: Any) -> Any:
        for _ in range(self.p):
            x = fun(x)
        return x

    def _matvec(self, x: Any) -> Any:
        return self._times(self.A._apply, x)

    def _rmatvec(self, y: Any) -> Any:
        return self._times(self.A._rapply, y)

    def _matmat(self, X: Any) -> Any:
        return self._times(self.A._matmat, X)

    def _rmatmat(self, Y: Any) -> Any:
        return self._times(self.A._rmatmat, Y)

    def _adjoint(self) -> LinearOperator:
        return self.A.H**self.p


def is_operator(A: Any) -> bool:
    """Tell if something is an operator, of ours or of SciPy's kind."""
    return hasattr(A, "matvec") and hasattr(A, "shape")


@public
def aslinearoperator(A: Any) -> LinearOperator:
    """Return a matrix, or an object with products, as a `LinearOperator`.

    Parameters
    ----------
    A : array, LinearOperator or object
        Matrices (..., M, N); or an object with ``shape`` and ``matvec``, and perhaps ``rmatvec``
        and ``dtype``; or one with ``shape``, ``dtype`` and ``A @ x``, such as SciPy's sparse
        arrays.

    Returns
    -------
    LinearOperator
        The operator; an operator itself.

    Raises
    ------
    ArrayTypeError
        If there is no product.
    ShapeError
        If an array has fewer than two dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.sparse.linalg import aslinearoperator
    >>> aslinearoperator(np.asarray([[1, 2], [3, 4]])).rmatvec(np.asarray([1, 0]))
    array([1, 2])
    """
    if isinstance(A, LinearOperator):
        return A
    if _is_array(A):
        A = _array(A)
        if A.ndim < 2:
            raise ShapeError(
                f"aslinearoperator: array must have 2 dimensions or more, got shape "
                f"{tuple(A.shape)}"
            )
        return MatrixLinearOperator(A)
    if hasattr(A, "shape"):
        dtype = getattr(A, "dtype", None)
        if is_operator(A):
            names = ("rmatvec", "matmat", "rmatmat")
            more = {n: getattr(A, n) for n in names if hasattr(A, n)}
            return Custom(A.shape, A.matvec, dtype=dtype, **more)
        if hasattr(A, "__matmul__") and hasattr(A, "conj") and len(A.shape) == 2:
            turned = A.conj().T
            return Custom(
                A.shape, A.__matmul__, turned.__matmul__, A.__matmul__, dtype, turned.__matmul__
            )
    raise ArrayTypeError(
        f"aslinearoperator: type not understood, got {describe(A)}: give an array, or an object "
        "with shape and matvec"
    )


# -- steps -----------------------------------------------------------------------------------------


def _shape(shape: Any) -> tuple[int, ...]:
    if type(shape) is tuple and len(shape) > 1 and all(type(n) is int for n in shape):
        return shape
    try:
        found = tuple(shape)
        whole = all(int(n) == n and not isinstance(n, bool | str) for n in found)
    except (TypeError, ValueError):
        whole, found = False, ()
    if not whole or len(found) < 2:
        raise ShapeError(f"LinearOperator: invalid shape {shape!r} (must be 2-d, or more)")
    return tuple(int(n) for n in found)


def _turned(shape: tuple[int, ...]) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2])


def _dtype(*dtypes: Any) -> Any:
    """The common dtype of dtypes and numbers; None if one isn't known."""
    if any(d is None for d in dtypes):
        return None
    if dtypes[0] == dtypes[1]:
        return dtypes[0]
    # A class, Python's or NumPy's, is the dtype of its numbers.
    return result_type(*(_named(d(0)) if isinstance(d, type) else d for d in dtypes))


def _named(a: Any) -> Any:
    return getattr(a, "dtype", a)


def _lead(doing: str, A: LinearOperator, B: LinearOperator) -> tuple[int, ...]:
    """The batch of two operators."""
    return broadcast(f"LinearOperator: {doing} {A} and {B}", A=A.shape[:-2], B=B.shape[:-2])


def _alike(a: Any, b: Any) -> tuple[Any, Any]:
    """Two arrays in their common dtype."""
    if a.dtype == b.dtype:
        return a, b
    xp = array_namespace(a, b)
    dtype = common_dtype("LinearOperator", xp, (a.dtype, b.dtype))
    return xp.astype(a, dtype, copy=False), xp.astype(b, dtype, copy=False)


def _added(a: Any, b: Any) -> Any:
    a, b = _alike(a, b)
    return a + b


def _is_array(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return True
    try:
        array_namespace(x)
    except ArrayTypeError:
        return False
    return hasattr(x, "dtype") or hasattr(x, "ndim")


def _array(x: Any) -> Any:
    return array_namespace(x).asarray(x) if isinstance(x, list | tuple) or is_neutral(x) else x


def _is_scalar(x: Any) -> bool:
    return isinstance(x, int | float | complex) or (
        hasattr(x, "dtype") and getattr(x, "ndim", 1) == 0
    )


def _refuse_scalar(x: Any) -> None:
    if _is_scalar(x):
        raise ArgumentError(
            "LinearOperator: Scalar operands are not allowed, use '*' instead of '@'"
        )


def _conjugate(x: Any) -> Any:
    if isinstance(x, int | float | complex):
        return x.conjugate()
    xp = array_namespace(x)
    return xp.conj(x) if xp.isdtype(x.dtype, "complex floating") else x


def _scaled(alpha: Any, x: Any) -> Any:
    """The product with a number, or an array without dimensions, which may raise the dtype."""
    if hasattr(alpha, "dtype"):
        alpha, x = _alike(alpha, x)
    else:
        dtype = _dtype(x.dtype, alpha)
        x = x if x.dtype == dtype else array_namespace(x).astype(x, dtype)
    return alpha * x


def complexified(x: Any) -> Any:
    """Return an array as one of complex numbers."""
    xp = array_namespace(x)
    if is_complex(xp, x.dtype):
        return x
    return xp.astype(x, xp.complex64 if x.dtype == xp.float32 else xp.complex128)


def _flat(out: Any, x: Any, m: int, name: str) -> Any:
    """Return a user's product as an array (..., M)."""
    if isinstance(out, list | tuple) or is_neutral(out):
        xp = array_namespace(x)
        out = xp.asarray(out, dtype=x.dtype, device=device(x))
    lead = tuple(x.shape[:-1])
    if tuple(out.shape) == (*lead, m):
        return out
    if tuple(out.shape) in ((*lead, m, 1), (1, m)) or (m == 1 and tuple(out.shape) == lead):
        return array_namespace(out).reshape(out, (*lead, m))
    raise ShapeError(
        f"LinearOperator: invalid shape returned by user-defined {name}: expected {(*lead, m)}, "
        f"got {tuple(out.shape)}"
    )


def _along(op: LinearOperator, one: Any, usual: Any, many: Any, x: Any, m: int) -> Any:
    """The products with the rows of an array, by the operator's function that takes them."""
    if op._any:
        return one(x)
    if op.ndim > 2:
        return one(x)
    if x.ndim == 1:
        return one(x)
    xp = array_namespace(x)
    lead, rows = tuple(x.shape[:-1]), xp.reshape(x, (-1, x.shape[-1]))
    if rows.shape[0] == 1:
        out = one(rows[0, ...])
    elif many is not None and getattr(many, "__func__", None) is not usual:
        out = xp.matrix_transpose(many(xp.matrix_transpose(rows)))
    else:
        out = vmap(one)(rows)
    return array_namespace(out).reshape(out, (*lead, m))


def _by_columns(fun: Callable[[Any], Any], x: Any) -> Any:
    found = [fun(x[..., k]) for k in range(x.shape[-1])]
    if not found:
        raise ShapeError("LinearOperator: a matrix must have at least one column")
    return array_namespace(*found, x).stack(found, axis=-1)


def _transposed(fun: Callable[[Any], Any], shape: tuple[int, ...], y: Any) -> Any:
    """The product of a map's conjugate transpose, by reverse mode on real and imaginary parts."""
    xp = array_namespace(y)
    if not xp.isdtype(y.dtype, ("real floating", "complex floating")):
        y = xp.astype(y, default_floating(xp, device(y)))  # a derivative is of floating numbers
    if not is_complex(xp, y.dtype):
        zeros = xp.zeros(shape, dtype=y.dtype, device=device(y))
        out, back = vjp(fun, zeros)
        if not is_complex(xp, out.dtype):
            return back(y)[0]
        y = complexified(y)
    real = xp.real(y).dtype
    none = xp.zeros(shape, dtype=real, device=device(y))

    def parts(u: Any, v: Any) -> Any:
        ns = array_namespace(u, v)
        w = fun(complexified(u) + 1j * complexified(v))
        return ns.real(w), ns.imag(w)

    _, back = vjp(parts, none, none)
    u, v = back((xp.real(y), xp.imag(y)))
    return complexified(u) + 1j * complexified(v)


def rows_of(A: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return the products of an operator and of its conjugate transpose with rows, (B, n)."""
    lead = A.shape[:-2]

    def rows(apply: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def of(x: Any) -> Any:
            if not lead:
                return apply(x)
            out = apply(array_namespace(x).reshape(x, (*lead, x.shape[-1])))
            return array_namespace(out).reshape(out, (-1, out.shape[-1]))

        return of

    return rows(A._apply), rows(A._rapply)


def columns_of(A: Any) -> Callable[[Any], Any]:
    """Return the products of an operator with matrices, (B, n, k)."""
    lead = A.shape[:-2]

    def of(x: Any) -> Any:
        xp = array_namespace(x)
        if not lead and isinstance(A, MatrixLinearOperator):
            return A._matmat(x)
        if lead:
            out = A._matmat(xp.reshape(x, (*lead, *x.shape[-2:])))
        elif x.shape[0] == 1:
            return A._matmat(x[0, ...])[None, ...]
        else:
            n, k = x.shape[-2:]
            flat = xp.reshape(xp.matrix_transpose(x), (-1, n))
            out = A._apply(flat)
            return xp.matrix_transpose(array_namespace(out).reshape(out, (-1, k, out.shape[-1])))
        return array_namespace(out).reshape(out, (-1, *out.shape[-2:]))

    return of
