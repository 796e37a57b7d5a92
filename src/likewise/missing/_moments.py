"""Covariances and correlations."""

import functools
import operator
from typing import Any

from .. import _plan
from .._namespace import array_namespace, device, is_concrete
from .._native import native, public
from .._typing import A, Numbers
from ..errors import ArgumentError, DtypeError, ShapeError
from ._axes import as_given
from ._segments import numbers

__all__ = ["corrcoef", "cov"]


@public
def cov(
    m: A,
    y: A | Numbers | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: A | Numbers | None = None,
    aweights: A | Numbers | None = None,
) -> A:
    """Estimate the covariances of variables.

    Parameters
    ----------
    m : array, shape (n,), (k, n) or (..., k, n)
        n observations of one variable or of k variables, real or complex.
    y : array, optional
        Further variables, in the same form.
    rowvar : bool, optional
        Whether each row is a variable; otherwise each column is.
    bias : bool, optional
        Whether to divide by n instead of n - 1.
    ddof : int, optional
        Divide by ``n - ddof``; overrides `bias`.
    fweights : array of int, shape (n,), optional
        The number of times that each observation occurs.
    aweights : array, shape (n,), optional
        Relative weights of the observations.

    Returns
    -------
    array, shape (..., k, k)
        Of the common floating dtype; without dimensions for one variable and no batch. NaN or
        infinity where no degrees of freedom are left.

    Raises
    ------
    ShapeError
        If numbers of observations differ, or shapes don't broadcast.
    DtypeError
        If weights are complex, or `fweights` no integers, where values can be read.
    ArgumentError
        If `ddof` is no integer. If weights are negative or sum to zero, where values can be read;
        elsewhere such weights are used unchecked.

    Notes
    -----
    A matrix product of the centred variables. Differentiable, with respect to `aweights` too. NumPy
    arrays without degrees of freedom give a warning.

    Differs from NumPy: batches; floating dtypes are kept; no ``dtype``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import cov
    >>> cov(np.asarray([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    xp = array_namespace(m, y, fweights, aweights)
    x, z = _plan_variables("cov", xp, m, y, rowvar)
    if ddof is None:
        ddof = 0 if bias else 1
    elif int(ddof) != ddof:
        raise ArgumentError(f"cov: ddof must be an integer, got {ddof!r}")
    n = x.shape[-2 if not rowvar and x.ndim > 1 else -1]
    f = _plan_weights(xp, "fweights", fweights, x, n, integers=True)
    a = _plan_weights(xp, "aweights", aweights, x, n)
    _some_weight(xp, {"fweights": f, "aweights": a}, n)
    return _cov(x, z, bool(rowvar), False, int(ddof), f, a)


def _plan_variables(function: str, xp: Any, m: Any, y: Any, rowvar: bool) -> tuple[Any, Any]:
    if y is None:
        (x,) = _plan.common_floating(function, xp, ("m",), m)
        z = None
    else:
        x, z = _plan.common_floating(function, xp, ("m", "y"), m, y)
    if x.ndim == 0:
        x = xp.reshape(x, (1,))
    if z is not None:
        if z.ndim == 0:
            z = xp.reshape(z, (1,))
        s, t = _as_rows(x.shape, rowvar), _as_rows(z.shape, rowvar, True)
        if s[-1] != t[-1]:
            raise ShapeError(
                f"{function}: there must be as many observations in y as in m, but their shapes "
                f"are {tuple(z.shape)} and {tuple(x.shape)}"
            )
        _plan.broadcast(function, m=s[:-2], y=t[:-2])
    return x, z


def _as_rows(shape: Any, rowvar: bool, second: bool = False) -> tuple[int, ...]:
    """The shape of variables in rows. NumPy doesn't transpose a single row of the second ones."""
    if len(shape) == 1:
        return (1, *shape)
    if rowvar or (second and len(shape) == 2 and shape[0] == 1):
        return tuple(shape)
    return (*shape[:-2], shape[-1], shape[-2])


def _plan_weights(xp: Any, name: str, w: Any, x: Any, n: int, integers: bool = False) -> Any:
    """Weights of the real dtype that goes with the variables."""
    if w is None:
        return None
    w = numbers("cov", name, xp, w, device(x))
    if tuple(w.shape) != (n,):
        raise ShapeError(
            f"cov: {name} must have shape ({n},), one for each observation, got {tuple(w.shape)}"
        )
    if xp.isdtype(w.dtype, "complex floating"):
        raise DtypeError(f"cov: {name} must be real, got complex numbers")
    fraction = xp.isdtype(w.dtype, "real floating")
    if is_concrete(w) and n:
        if integers and fraction and bool(xp.any(w != xp.round(w))):
            raise DtypeError(f"cov: {name} must be integers, but there are others")
        if w.dtype != xp.bool and bool(xp.any(w < 0)):
            raise ArgumentError(f"cov: {name} must not be negative, but some are")
    dtype = _real(xp, x.dtype)
    return w if w.dtype == dtype else xp.astype(w, dtype)


def _some_weight(xp: Any, weights: dict[str, Any], n: int) -> None:
    """Refuse weights, or products of both, that are all zero."""
    given = {name: w for name, w in weights.items() if w is not None}
    if not given:
        return
    w = functools.reduce(operator.mul, given.values())
    if n == 0 or (is_concrete(w) and not bool(xp.any(w != 0))):
        raise ArgumentError(
            f"cov: {' times '.join(given)} must not sum to zero, got nothing but zeros for {n} "
            "observations"
        )


def _real(xp: Any, dtype: Any) -> Any:
    """The real dtype of the precision of a floating one."""
    if not _plan.is_complex(xp, dtype):
        return dtype
    return xp.float32 if dtype == xp.complex64 else xp.float64


def _double(m: Any, y: Any, *args: Any) -> bool:
    """double precision and no batch."""
    xp = array_namespace(m)
    alone = m.ndim <= 2 and (y is None or y.ndim <= 2)
    return bool(alone and m.dtype in (xp.float64, xp.complex128))


@native(numpy="numpy:cov", when=_double)
def _cov(m: Any, y: Any, rowvar: bool, bias: bool, ddof: int, fweights: Any, aweights: Any) -> Any:
    """`bias` is there for NumPy's signature."""
    xp = array_namespace(m)
    return _squeezed(m, y, _covariances(xp, _rows(xp, m, y, rowvar), ddof, fweights, aweights))


def _rows(xp: Any, m: Any, y: Any, rowvar: bool) -> Any:
    """All variables in rows: (..., k, n)."""
    x = _turned(xp, m, rowvar)
    if y is None:
        return x
    z = _turned(xp, y, rowvar, True)
    batch = _plan.broadcast("cov", m=x.shape[:-2], y=z.shape[:-2])
    parts = [xp.broadcast_to(p, (*batch, *p.shape[-2:])) for p in (x, z)]
    return xp.concat(parts, axis=-2)


def _turned(xp: Any, x: Any, rowvar: bool, second: bool = False) -> Any:
    if x.ndim == 1:
        return x[None, :]
    same = rowvar or (second and x.ndim == 2 and x.shape[0] == 1)
    return x if same else xp.matrix_transpose(x)


def _squeezed(m: Any, y: Any, c: Any) -> Any:
    """Without dimensions for one variable and no batch, as NumPy has it."""
    return c[0, 0, ...] if c.ndim == 2 and c.shape[-1] == 1 else c


def _covariances(xp: Any, x: Any, ddof: int, fweights: Any, aweights: Any) -> Any:
    """(..., k, n) -> (..., k, k)."""
    w = fweights if aweights is None else aweights
    if fweights is not None and aweights is not None:
        w = fweights * aweights
    count: Any
    if w is None:
        count = max(x.shape[-1] - ddof, 0)
        centred = x - xp.mean(x, axis=-1, keepdims=True)
        weighted = centred
    else:
        total = xp.sum(w)
        count = total
        if ddof and aweights is None:
            count = total - ddof
        elif ddof:
            count = total - ddof * xp.sum(w * aweights) / total
        count = xp.maximum(count, xp.zeros_like(count))
        w, count = xp.astype(w, x.dtype), xp.astype(count, x.dtype)
        centred = x - xp.sum(x * w, axis=-1, keepdims=True) / xp.astype(total, x.dtype)
        weighted = centred * w
    other = xp.matrix_transpose(weighted)
    if _plan.is_complex(xp, x.dtype):
        other = xp.conj(other)
    products = xp.matmul(centred, other)
    return products * (xp.inf if w is None and count == 0 else 1 / count)


@public
def corrcoef(x: A, y: A | Numbers | None = None, rowvar: bool = True) -> A:
    """Compute the correlation coefficients of variables.

    Parameters
    ----------
    x : array, shape (n,), (k, n) or (..., k, n)
        n observations of one variable or of k variables, real or complex.
    y : array, optional
        Further variables, in the same form.
    rowvar : bool, optional
        Whether each row is a variable; otherwise each column is.

    Returns
    -------
    array, shape (..., k, k)
        Of the common floating dtype; without dimensions for one variable and no batch. Real and
        imaginary parts lie in [-1, 1]; NaN for variables that don't vary.

    Raises
    ------
    ShapeError
        If numbers of observations differ, or shapes don't broadcast.

    Notes
    -----
    `cov`, divided by the standard deviations. Differentiable.

    Differs from NumPy: batches; floating dtypes are kept; no ``dtype``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.missing import corrcoef
    >>> corrcoef(np.asarray([0.0, 1.0, 2.0]), np.asarray([2.0, 0.0, -2.0]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    xp = array_namespace(x, y)
    m, z = _plan_variables("corrcoef", xp, x, y, rowvar)
    return _corrcoef(m, z, bool(rowvar))


def _matrix(x: Any, y: Any, rowvar: bool) -> bool:
    """double precision, and more than one coefficient, of which NumPy makes a number."""
    several = y is not None or (x.ndim == 2 and x.shape[0 if rowvar else 1] > 1)
    return several and _double(x, y)


@native(numpy="numpy:corrcoef", when=_matrix)
def _corrcoef(x: Any, y: Any, rowvar: bool) -> Any:
    xp = array_namespace(x)
    c = _covariances(xp, _rows(xp, x, y, rowvar), 1, None, None)
    k, is_complex = c.shape[-1], _plan.is_complex(xp, c.dtype)
    if c.ndim == 2 and k == 1:
        c = c[0, 0, ...]
        return as_given(c / c)
    diagonal = xp.eye(k, dtype=xp.bool, device=device(c))
    variance = xp.real(c) if is_complex else c
    variance = xp.sum(xp.where(diagonal, variance, xp.zeros_like(variance)), axis=-1)
    deviation = xp.astype(xp.sqrt(variance), c.dtype)
    c = c / deviation[..., :, None] / deviation[..., None, :]
    if not is_complex:
        return xp.clip(c, -1, 1)
    re, im = (xp.astype(xp.clip(part, -1, 1), c.dtype) for part in (xp.real(c), xp.imag(c)))
    return re + im * 1j
