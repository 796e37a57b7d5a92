"""Conversions between filters and state space."""

from typing import Any

from ..._native import public
from ...errors import ArgumentError, ShapeError
from .._base._places import host, integer, read
from .._design._conversions import normalized, tf2zpk, zpk2tf

__all__ = ["matrices", "ss2tf", "ss2zpk", "tf2ss", "zpk2ss"]


@public
def tf2ss(num: Any, den: Any) -> tuple[Any, Any, Any, Any]:
    """Convert numerator and denominator to state space, in controller form.

    Parameters
    ----------
    num : array, shape (m + 1,) or (r, m + 1)
        Numerators, highest power first; their degree is at most the denominator's.
    den : array, shape (n + 1,)
        The denominator.

    Returns
    -------
    A, B, C, D : array, shape (n, n), (n, 1), (r, n) and (r, 1)
        The state, input, output and feedthrough matrices; one state of zeros if there is none.

    Raises
    ------
    ArgumentError
        If the denominator is zero, or the numerator's degree exceeds the denominator's.
    ShapeError
        If `den` has more than one dimension, or `num` more than two.
    NotSupported
        If an argument is traced or records gradients.

    Warns
    -----
    BadCoefficients
        As for `normalize`.

    Notes
    -----
    T. Kailath, Linear Systems, Prentice Hall 1980, section 2.1. O(n**2) operations on the host. Not
    differentiable.

    Examples
    --------
    >>> from likewise.signal import tf2ss
    >>> A, B, C, D = tf2ss([1.0, 3.0], [1.0, 2.0, 1.0])
    >>> A, C
    (array([[-2., -1.],
           [ 1.,  0.]]), array([[1., 3.]]))
    """
    where, (num, den) = read("tf2ss", num=num, den=den)
    num, den = normalized("tf2ss", num, den)
    A, B, C, D = _controller("tf2ss", num, den)
    return where.give(A), where.give(B), where.give(C), where.give(D)


def _controller(function: str, num: Any, den: Any) -> tuple[Any, Any, Any, Any]:
    xp = host()
    num = num if num.ndim == 2 else num[None, :]
    m, n = num.shape[1], den.shape[0]
    if m > n:
        raise ArgumentError(
            f"{function}: the numerator's degree must not exceed the denominator's, got {m - 1} "
            f"and {n - 1}"
        )
    num = xp.concat((xp.zeros((num.shape[0], n - m), dtype=num.dtype), num), axis=1)
    D = num[:, :1]
    if n == 1:
        return xp.zeros((1, 1)), xp.zeros((1, 1)), xp.zeros((num.shape[0], 1)), D
    A = xp.concat((-den[None, 1:], xp.eye(n - 2, n - 1, dtype=den.dtype)))
    return A, xp.eye(n - 1, 1), num[:, 1:] - D * den[None, 1:], D


@public
def zpk2ss(z: Any, p: Any, k: Any) -> tuple[Any, Any, Any, Any]:
    """Convert zeros, poles and gain to state space, in controller form.

    Parameters
    ----------
    z, p, k
        As for `zpk2tf`.

    Returns
    -------
    A, B, C, D : array
        As from `tf2ss`.

    Raises
    ------
    ArgumentError, ShapeError, NotSupported
        As for `zpk2tf` and `tf2ss`.

    Notes
    -----
    Computes the coefficients first. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import zpk2ss
    >>> A, B, C, D = zpk2ss([-3.0], [-1.0, -1.0], 1.0)
    >>> C
    array([[1., 3.]])
    """
    return tf2ss(*zpk2tf(z, p, k))


@public
def ss2tf(A: Any, B: Any, C: Any, D: Any, input: int = 0) -> tuple[Any, Any]:
    """Convert state space to numerators and denominator.

    Parameters
    ----------
    A, B, C, D : array or None, shape (n, n), (n, p), (q, n) and (q, p)
        The state, input, output and feedthrough matrices. None means zero.
    input : int, optional
        The index of the input.

    Returns
    -------
    num : array, shape (q, n + 1)
        Numerators, highest power first.
    den : array, shape (n + 1,)
        Denominator.

    Raises
    ------
    ShapeError
        If shapes don't match, or don't determine n, p or q.
    ArgumentError
        If there is no such input.
    NotSupported
        If an argument is traced or records gradients.

    Notes
    -----
    Uses the characteristic polynomials of A and of A - B C, by Hessenberg form (La Budde's method:
    R. Rehman and I. C. F. Ipsen, 2011, arXiv:1104.3769). O(q n**3) operations on the host. Not
    differentiable.

    Examples
    --------
    >>> from likewise.signal import ss2tf
    >>> num, den = ss2tf([[-2.0, -1.0], [1.0, 0.0]], [[1.0], [0.0]], [[1.0, 3.0]], [[0.0]])
    >>> num.round(12) + 0.0, den
    (array([[0., 1., 3.]]), array([1., 2., 1.]))
    """
    where, (A, B, C, D) = matrices("ss2tf", A, B, C, D)
    num, den = _transfer("ss2tf", A, B, C, D, input)
    return where.give(num), where.give(den)


@public
def ss2zpk(A: Any, B: Any, C: Any, D: Any, input: int = 0) -> tuple[Any, Any, Any]:
    """Convert state space with one output to zeros, poles and gain.

    Parameters
    ----------
    A, B, C, D, input
        As for `ss2tf`.

    Returns
    -------
    z, p, k
        As from `tf2zpk`.

    Raises
    ------
    ShapeError, ArgumentError, NotSupported
        As for `ss2tf`, and if there are several outputs.

    Notes
    -----
    Computes the coefficients first. Not differentiable.

    Examples
    --------
    >>> from likewise.signal import ss2zpk
    >>> z, p, k = ss2zpk([[-2.0]], [[1.0]], [[1.0]], [[1.0]])
    >>> z, p, float(k)
    (array([-3.]), array([-2.]), 1.0)
    """
    num, den = ss2tf(A, B, C, D, input=input)
    return tf2zpk(num[0, :] if num.ndim == 2 and num.shape[0] == 1 else num, den)


def matrices(function: str, A: Any, B: Any, C: Any, D: Any) -> tuple[Any, list[Any]]:
    """Return four matrices whose shapes match."""
    xp = host()
    if all(x is None for x in (A, B, C)) or all(x is None for x in (B, D)) or C is D is None:
        raise ShapeError(
            f"{function}: A, B or C must be given, B or D, and C or D, as they say how many "
            "states, inputs and outputs there are"
        )
    given = {name: x for name, x in zip("ABCD", (A, B, C, D), strict=True) if x is not None}
    where, arrays = read(function, **given)
    found = {
        name: xp.reshape(x, (1,) * max(2 - x.ndim, 0) + x.shape)
        for name, x in zip(given, arrays, strict=True)
    }
    a, b, c, d = (found.get(name, xp.zeros((0, 0))) for name in "ABCD")
    n = a.shape[0] or b.shape[0] or c.shape[1]
    p, q = b.shape[1] or d.shape[1], c.shape[0] or d.shape[0]
    out = []
    for name, x, shape in (("A", a, (n, n)), ("B", b, (n, p)), ("C", c, (q, n)), ("D", d, (q, p))):
        x = x if x.size else xp.zeros(shape)
        if x.shape != shape:
            raise ShapeError(f"{function}: {name} must have the shape {shape}, got {x.shape}")
        out.append(x)
    return where, out


def _transfer(function: str, A: Any, B: Any, C: Any, D: Any, input: Any) -> tuple[Any, Any]:
    xp, i = host(), integer(function, "input", input)
    if i >= D.shape[1]:
        raise ArgumentError(
            f"{function}: input must be less than {D.shape[1]}, how many there are, got {i}"
        )
    B, D, n = B[:, i : i + 1], D[:, i], A.shape[0]
    den = _characteristic(A)
    if n == 0:
        return D, den
    rows = [_characteristic(A - B @ C[k : k + 1, :]) + (D[k] - 1) * den for k in range(C.shape[0])]
    return xp.stack(rows) if rows else xp.zeros((0, n + 1)), den


def _characteristic(A: Any) -> Any:
    """Return the coefficients of ``det(x - A)``, by La Budde's recurrence on Hessenberg's form."""
    xp, n = host(), A.shape[0]
    h = _hessenberg(A)
    p = [xp.ones(1, dtype=A.dtype)]
    zero = xp.zeros(1, dtype=A.dtype)
    for k in range(n):
        now = xp.concat((p[k], zero)) - xp.concat((zero, h[k, k] * p[k]))
        below = xp.ones((), dtype=A.dtype)
        for i in range(k - 1, -1, -1):
            below = below * h[i + 1, i]
            lead = xp.zeros(now.shape[0] - p[i].shape[0], dtype=A.dtype)
            now = now - xp.concat((lead, h[i, k] * below * p[i]))
        p.append(now)
    return p[n]


def _hessenberg(A: Any) -> Any:
    """Return a similar matrix with zeros below the first subdiagonal, by reflections."""
    xp, n = host(), A.shape[0]
    h = xp.asarray(A, copy=True)
    for k in range(n - 2):
        x = h[k + 1 :, k]
        size = xp.sqrt(xp.sum(xp.abs(x) ** 2))
        if size == 0 or not bool(xp.any(x[1:] != 0)):
            continue
        first = x[0] / xp.abs(x[0]) if x[0] != 0 else 1.0
        v = xp.concat((x[:1] + first * size, x[1:]))
        v = v / xp.sqrt(xp.sum(xp.abs(v) ** 2))
        mirror = xp.conj(v) if v.dtype.kind == "c" else v
        turn = xp.eye(n, dtype=A.dtype)
        turn[k + 1 :, k + 1 :] -= 2 * v[:, None] * mirror[None, :]
        h = turn @ h @ turn
    return h
