"""Derivatives and batching rules of linear algebra.

Matrices are the last two dimensions, and all rules apply to stacks of them. For a function that
conjugates, a pull computes the gradient of a real function as in the literature, and conjugates its
input and output, because JAX's pulls conjugate nothing.

Sources: M. B. Giles, *Collected matrix derivative results for forward and reverse mode algorithmic
differentiation* (2008), for solve, inv, det, cholesky, svd and eig; I. Murray, *Differentiation of
the Cholesky decomposition* (2016); S. F. Walter and L. Lehmann, *Algorithmic differentiation of
linear algebra functions* (2010), for qr; M. Seeger et al., *Auto-differentiating linear algebra*
(2017); C. Ionescu et al., *Matrix backpropagation for deep networks* (2015); G. H. Golub and
V. Pereyra, *The differentiation of pseudo-inverses* (1973). Others are derived in comments.
"""

from typing import Any

from ...._namespace import device
from ....errors import TransformError
from .._batching import axes as shifted
from .._batching import batched
from .._differentiation import is_complex
from .._rules import constant, general

__all__: list[str] = []

_ROUNDING = 16  # eps of the largest: what a decomposition's values differ by when they are equal


def _held(xp: Any, x: Any) -> Any:
    """The values, as constants for derivatives."""
    return xp.stop_gradient(x)  # likewise: ignore[LW101] - an instruction of the interpreter


def _conj(xp: Any, x: Any) -> Any:
    return xp.conj(x) if is_complex(xp, x.dtype) else x


def _real(xp: Any, x: Any) -> Any:
    return xp.real(x) if is_complex(xp, x.dtype) else x


def _t(xp: Any, x: Any) -> Any:
    return xp.matrix_transpose(x)


def _h(xp: Any, x: Any) -> Any:
    return _conj(xp, xp.matrix_transpose(x))


def _product(xp: Any, *factors: Any) -> Any:
    out, *rest = factors
    for x in rest:
        out = xp.matmul(out, x)
    return out


def _hermitian(xp: Any, x: Any) -> Any:
    return (x + _h(xp, x)) / 2


def _skew(xp: Any, x: Any) -> Any:
    return (x - _h(xp, x)) / 2


def _diagonal(xp: Any, x: Any) -> Any:
    """The elements of a square matrix's diagonal."""
    return xp.linalg.diagonal(x)


def _scaled(xp: Any, x: Any, columns: Any) -> Any:
    """``x @ diag(columns)``."""
    return xp.multiply(x, xp.expand_dims(columns, axis=-2))


def _trace(xp: Any, t: Any, x: Any) -> Any:
    """The trace of ``x.mT @ t``."""
    return xp.sum(t * x, axis=(-2, -1))


def _matrix(xp: Any, c: Any) -> Any:
    """A number for each matrix of a stack, as matrices of one element."""
    return xp.reshape(c, (*c.shape, 1, 1))


def _right(xp: Any, b: Any, a: Any) -> Any:
    """``b @ inv(a)``."""
    return _t(xp, xp.linalg.solve(_t(xp, a), _t(xp, b)))


def _safe_inverse(xp: Any, x: Any, none: Any) -> Any:
    """``1 / x``, and 0 with a derivative of 0 where there is `none`."""
    return xp.where(none, 0.0, 1 / xp.where(none, 1.0, x))


def _rounding(xp: Any, values: Any) -> Any:
    """How large what should be 0 may be, among the values of a decomposition."""
    size = xp.abs(_held(xp, values))
    eps = float(xp.finfo(values.dtype).eps)
    return xp.max(size, axis=-1, keepdims=True) * (_ROUNDING * eps)


def _gaps(xp: Any, values: Any, sums: bool = False) -> Any:
    """``1 / (values[j] - values[i])``, or of sums, and 0 where that is a difference of equals.

    There is no derivative there that all functions of a decomposition share; those that don't
    depend on the choice of vectors get no part from this element.
    """
    row, column = xp.expand_dims(values, axis=-2), xp.expand_dims(values, axis=-1)
    between = row + column if sums else row - column
    if values.shape[-1] == 0:
        return between
    none = xp.abs(between) <= xp.expand_dims(_rounding(xp, values), axis=-1)
    return _safe_inverse(xp, between, none)


# -- solve, inv, powers, pinv ----------------------------------------------------------------------


def _solve_push(t: Any, xp: Any, x1: Any, x2_shape: tuple[int, ...], y: Any) -> Any:
    if len(x2_shape) == 1:
        moved = xp.matmul(t, xp.expand_dims(y, axis=-1))
        return -xp.squeeze(xp.linalg.solve(x1, moved), axis=-1)
    return -xp.linalg.solve(x1, xp.matmul(t, y))


def _solve_before(g: Any, xp: Any, x1: Any, x2_shape: tuple[int, ...]) -> Any:
    """The cotangent of x2, from which that of x1 follows."""
    if len(x2_shape) == 1 and g.ndim > 1:  # of many matrices
        c = xp.linalg.solve(_t(xp, x1), xp.expand_dims(g, axis=-1))
        return xp.squeeze(c, axis=-1)
    return xp.linalg.solve(_t(xp, x1), g)


def _solve_pull_1(g: Any, xp: Any, x2_shape: tuple[int, ...], y: Any) -> Any:
    if len(x2_shape) == 1:
        lead, n = tuple(y.shape[:-1]), y.shape[-1]
        return xp.matmul(xp.reshape(-g, (*lead, n, 1)), xp.reshape(y, (*lead, 1, n)))
    return xp.matmul(-g, _t(xp, y))


def _solve_batch(xp: Any, x1: Any, x2: Any) -> Any:
    vector = x2.ndim == 2
    if vector:
        x2 = xp.expand_dims(x2, axis=-1)
    if x1.shape[0] == 1 and x1.ndim == x2.ndim == 3:  # one matrix for all: one factorization
        lanes, _, columns = x2.shape
        n = x1.shape[-1]
        joined = xp.reshape(xp.permute_dims(x2, (1, 0, 2)), (n, lanes * columns))
        out = xp.linalg.solve(x1[0, ...], joined)
        out = xp.permute_dims(xp.reshape(out, (n, lanes, columns)), (1, 0, 2))
    else:
        ndim = max(x1.ndim, x2.ndim)
        x1, x2 = (
            xp.reshape(x, (x.shape[0], *(1,) * (ndim - x.ndim), *x.shape[1:])) for x in (x1, x2)
        )
        out = xp.linalg.solve(x1, x2)
    return xp.squeeze(out, axis=-1) if vector else out


general(
    "linalg.solve",
    push=(_solve_push, lambda t, xp, x1: xp.linalg.solve(x1, t)),
    pull=(_solve_pull_1, lambda g: g),
    before=_solve_before,
)
batched("linalg.solve", _solve_batch, thin=True)


def _inv_pull(g: Any, xp: Any, y: Any) -> Any:
    y = _t(xp, y)
    return -_product(xp, y, g, y)


general("linalg.inv", push=(lambda t, xp, y: -_product(xp, y, t, y),), pull=(_inv_pull,))
batched("linalg.inv", lambda xp, x: xp.linalg.inv(x))


def _power(xp: Any, x: Any, t: Any, n: int) -> Any:
    """The derivative of a matrix's power along `t`: it is a block of the power of blocks.

    [[x, t], [0, x]] to the power of n is [[x^n, sum of x^k t x^(n-1-k)], [0, x^n]], for negative n
    too, and takes no more than the logarithm of n in products.
    """
    m = x.shape[-1]
    upper = xp.concat([x, t], axis=-1)
    lower = xp.concat([xp.zeros_like(x), x], axis=-1)
    return xp.linalg.matrix_power(xp.concat([upper, lower], axis=-2), n)[..., :m, m:]


general(
    "linalg.matrix_power",
    push=(lambda t, xp, x, n: _power(xp, x, t, n),),
    pull=(lambda g, xp, x, n: _power(xp, _t(xp, x), g, n),),
)
batched("linalg.matrix_power", lambda xp, x, n: xp.linalg.matrix_power(x, n))


def _rest(xp: Any, b: Any, p: Any, x: Any) -> Any:
    """``(1 - p @ x) @ b``."""
    return b - _product(xp, p, xp.matmul(x, b))


def _pinv_push(t: Any, xp: Any, x: Any, y: Any) -> Any:
    # Golub and Pereyra 1973, at matrices about which the rank is constant
    th, yh = _h(xp, t), _h(xp, y)
    first = _product(xp, y, yh, th)
    first = first - _product(xp, first, x, y)
    last = _rest(xp, _product(xp, th, yh, y), y, x)
    return first + last - _product(xp, y, t, y)


def _pinv_pull(g: Any, xp: Any, x: Any, y: Any) -> Any:
    g, yh = _conj(xp, g), _h(xp, y)
    gh = _h(xp, g)
    first = _rest(xp, _product(xp, gh, y, yh), x, y)
    last = _product(xp, yh, y, gh)
    last = last - _product(xp, last, y, x)
    return _conj(xp, -_product(xp, yh, g, yh) + first + last)


general("linalg.pinv", push=(_pinv_push,), pull=(_pinv_pull,))
batched("linalg.pinv", lambda xp, x, rtol: xp.linalg.pinv(x, rtol=rtol))


# -- det, slogdet ----------------------------------------------------------------------------------


def _small_adjugate(xp: Any, x: Any) -> Any:
    """Return the adjugates of matrices up to 3 by 3, by products alone."""
    n = x.shape[-1]
    if n == 1:
        return xp.ones_like(x)
    if n == 2:
        a, b, c, d = (x[..., i, j] for i in (0, 1) for j in (0, 1))
        return xp.stack([xp.stack([d, -b], axis=-1), xp.stack([-c, a], axis=-1)], axis=-2)
    i, j, k = (x[..., row, :] for row in range(3))
    cross = xp.linalg.cross
    return xp.stack([cross(j, k), cross(k, i), cross(i, j)], axis=-1)


def _adjugate(xp: Any, x: Any) -> Any:
    """``det(x) * inv(x)`` by a formula that also holds where x is singular.

    With the singular vectors, held fixed, x becomes a matrix m that is diagonal up to rounding.
    The Schur complement of all but its three smallest values may be singular, and is 3 by 3. The
    formula is one of x alone, whatever the vectors, so its derivatives are right: of every order
    up to a corank of 3, and up to order 3 (where they are 0) beyond.
    """
    n = x.shape[-1]
    if n == 0:
        return x
    if n <= 3:
        return _small_adjugate(xp, x)
    p = n - 3
    u, s, vh = xp.linalg.svd(_held(xp, x), full_matrices=False)
    uh, v = _h(xp, u), _h(xp, vh)
    m = _product(xp, uh, x, v)
    m11, m12 = m[..., :p, :p], m[..., :p, p:]
    m21, m22 = m[..., p:, :p], m[..., p:, p:]
    gone = s[..., :p] <= _rounding(xp, s) * (n / _ROUNDING)
    ones = xp.astype(gone, x.dtype)
    eye = xp.eye(p, dtype=x.dtype, device=device(x))
    m11 = m11 + _scaled(xp, eye, ones)
    inverse = xp.linalg.inv(m11)
    left, right = xp.matmul(inverse, m12), xp.matmul(m21, inverse)
    schur = m22 - xp.matmul(m21, left)
    small = _small_adjugate(xp, schur)
    last = _matrix(xp, xp.sum(schur[..., 0, :] * small[..., :, 0], axis=-1))
    upper = [inverse * last + _product(xp, left, small, right), -xp.matmul(left, small)]
    lower = [-xp.matmul(small, right), small]
    blocks = xp.concat([xp.concat(upper, axis=-1), xp.concat(lower, axis=-1)], axis=-2)
    whole = xp.astype(xp.logical_not(xp.any(gone, axis=-1)), x.dtype)
    # of the unitary factors the determinants have modulus 1 and the adjugates are the inverses
    scale = xp.linalg.det(m11) * xp.linalg.det(u) * xp.linalg.det(vh) * whole
    return _product(xp, v, blocks, uh) * _matrix(xp, scale)


general(
    "linalg.det",
    push=(lambda t, xp, x: _trace(xp, t, _t(xp, _adjugate(xp, x))),),
    pull=(lambda g, xp, x: _matrix(xp, g) * _t(xp, _adjugate(xp, x)),),
)
batched("linalg.det", lambda xp, x: xp.linalg.det(x))


def _inverse(xp: Any, x: Any, sign: Any) -> Any:
    """The inverse, NaN where there is none."""
    regular = _matrix(xp, sign != 0)
    eye = xp.eye(x.shape[-1], dtype=x.dtype, device=device(x))
    return xp.where(regular, xp.linalg.inv(xp.where(regular, x, eye)), float("nan"))


def _slogdet_push(t: Any, xp: Any, x: Any, y: Any) -> Any:
    w = _trace(xp, t, _t(xp, _inverse(xp, x, y[0])))
    if not is_complex(xp, x.dtype):
        return None, w
    return (w - xp.conj(w)) / 2 * y[0], xp.real(w)


def _slogdet_pull(g: Any, xp: Any, x: Any, y: Any) -> Any:
    turn, size = g
    if is_complex(xp, x.dtype) and turn is not None:
        turn = turn * y[0]
        turn = (turn - xp.conj(turn)) / 2
        c = turn if size is None else turn + size
    elif size is None:
        return None
    else:
        c = size
    return _matrix(xp, c) * _t(xp, _inverse(xp, x, y[0]))


general("linalg.slogdet", push=(_slogdet_push,), pull=(_slogdet_pull,))
batched("linalg.slogdet", lambda xp, x: xp.linalg.slogdet(x))


# -- cholesky, qr ----------------------------------------------------------------------------------


def _lower_half(xp: Any, x: Any) -> Any:
    """The lower triangle, with half of the diagonal."""
    return (xp.tril(x) + xp.tril(x, k=-1)) / 2


def _cholesky_push(t: Any, xp: Any, y: Any, upper: bool) -> Any:
    # of the Hermitian part of the matrix, as JAX's and torch's
    low = _h(xp, y) if upper else y
    half = xp.linalg.solve(low, _hermitian(xp, t))
    moved = xp.matmul(low, _lower_half(xp, xp.linalg.solve(low, _h(xp, half))))
    return _h(xp, moved) if upper else moved


def _cholesky_pull(g: Any, xp: Any, y: Any, upper: bool) -> Any:
    g = _conj(xp, g)
    low, g = (_h(xp, y), _h(xp, g)) if upper else (y, g)
    lh = _h(xp, low)
    half = xp.linalg.solve(lh, _lower_half(xp, xp.matmul(lh, g)))
    return _conj(xp, _hermitian(xp, xp.linalg.solve(lh, _h(xp, half))))


general("linalg.cholesky", push=(_cholesky_push,), pull=(_cholesky_pull,))
batched("linalg.cholesky", lambda xp, x, upper: xp.linalg.cholesky(x, upper=upper))


def _turn(xp: Any, c: Any) -> Any:
    """The skew part of ``q.mH @ dq`` that keeps r a triangle with a real diagonal."""
    low = xp.tril(c, k=-1)
    out = low - _h(xp, low)
    if is_complex(xp, c.dtype):
        out = out + _skew(xp, xp.tril(c) - low)
    return out


def _turn_pulled(xp: Any, k: Any) -> Any:
    low = xp.tril(k - _h(xp, k), k=-1)
    if is_complex(xp, k.dtype):
        low = low + _skew(xp, xp.tril(k) - xp.tril(k, k=-1))
    return low


def _qr_columns(shape: tuple[int, ...], mode: str) -> int:
    m, n = shape[-2:]
    if mode == "complete" and m > n:
        raise TransformError(
            "linalg.qr: mode='complete' of a matrix with more rows than columns has no derivative: "
            "any orthonormal columns may complete the others. Use mode='reduced'."
        )
    return min(m, n)


def _qr_push(t: Any, xp: Any, x_shape: tuple[int, ...], y: Any, mode: str) -> Any:
    # of the first columns, as many as there are rows at most, the factors are those of all
    k = _qr_columns(x_shape, mode)
    q, r = y
    w = _right(xp, t[..., :, :k], r[..., :, :k])
    c = xp.matmul(_h(xp, q), w)
    turn = _turn(xp, c)
    return w + xp.matmul(q, turn - c), xp.matmul(_h(xp, q), t) - xp.matmul(turn, r)


def _qr_pull(g: Any, xp: Any, x_shape: tuple[int, ...], y: Any, mode: str) -> Any:
    k = _qr_columns(x_shape, mode)
    q, r = y
    gq, gr = (c if c is None else _conj(xp, c) for c in g)
    inside = whole = None
    if gq is not None:
        inside = xp.matmul(_h(xp, q), gq)
    if gr is not None:
        whole = xp.matmul(q, gr)
        turned = -xp.matmul(gr, _h(xp, r))
        turned = turned if inside is None else inside + turned
    else:
        turned = inside
    turn = _turn_pulled(xp, turned)
    c = xp.matmul(q, turn if inside is None else turn - inside)
    c = _right(xp, c if gq is None else gq + c, _h(xp, r[..., :, :k]))
    if x_shape[-1] > k:
        more = (*x_shape[:-1], x_shape[-1] - k)
        c = xp.concat([c, xp.zeros(more, dtype=c.dtype, device=device(c))], axis=-1)
    return _conj(xp, c if whole is None else whole + c)


general("linalg.qr", push=(_qr_push,), pull=(_qr_pull,))
batched("linalg.qr", lambda xp, x, mode: xp.linalg.qr(x, mode=mode))


# -- svd -------------------------------------------------------------------------------------------
#
# With p = u.mH @ dx @ v, the turns u.mH @ du and v.mH @ dv are the sum and the difference of
# hermitian(p) / (s_j - s_i) and skew(p) / (s_j + s_i). Only the first is without bound where
# singular values meet: that turns u and v alike, which doesn't change u @ vh, for example.


def _svd_check(x_shape: tuple[int, ...], full_matrices: bool) -> None:
    if full_matrices and x_shape[-1] != x_shape[-2]:
        raise TransformError(
            "linalg.svd: full_matrices=True of a matrix that isn't square has no derivative: any "
            "orthonormal vectors may complete the others. Use full_matrices=False."
        )


def _inverse_values(xp: Any, s: Any) -> Any:
    """Row of ``1 / s``, and 0 where s is 0."""
    if s.shape[-1] == 0:
        return s
    return _safe_inverse(xp, s, s <= _rounding(xp, s))


def _svd_push(t: Any, xp: Any, x_shape: tuple[int, ...], y: Any, full_matrices: bool) -> Any:
    _svd_check(x_shape, full_matrices)
    m, n = x_shape[-2:]
    u, s, vh = y
    uh, v = _h(xp, u), _h(xp, vh)
    tv = xp.matmul(t, v)
    p = xp.matmul(uh, tv)
    both = _hermitian(xp, p) * _gaps(xp, s)
    apart = _skew(xp, p) * _gaps(xp, s, sums=True)
    du, dv = xp.matmul(u, both + apart), xp.matmul(v, both - apart)
    if m > n:
        du = du + _scaled(xp, tv - xp.matmul(u, p), _inverse_values(xp, s))
    elif n > m:
        tu = xp.matmul(_h(xp, t), u)
        dv = dv + _scaled(xp, tu - xp.matmul(v, _h(xp, p)), _inverse_values(xp, s))
    return du, _real(xp, _diagonal(xp, p)), _h(xp, dv)


def _svd_pull(g: Any, xp: Any, x_shape: tuple[int, ...], y: Any, full_matrices: bool) -> Any:
    gu, gs, gvh = g
    u, s, vh = y
    m, n = x_shape[-2:]
    k = min(m, n)
    if gu is None and gvh is None:
        if gs is None:
            return None
        return _conj(xp, xp.matmul(_scaled(xp, u[..., :, :k], gs), vh[..., :k, :]))
    _svd_check(x_shape, full_matrices)
    uh, v = _h(xp, u), _h(xp, vh)
    if gu is not None:
        gu = _conj(xp, gu)
        a = xp.matmul(uh, gu)
        c = _skew(xp, a) * (_gaps(xp, s) + _gaps(xp, s, sums=True))
    if gvh is not None:
        gv = _t(xp, gvh)
        b = xp.matmul(vh, gv)
        part = _skew(xp, b) * (_gaps(xp, s) - _gaps(xp, s, sums=True))
        c = part if gu is None else c + part
    c = _product(xp, u, c, vh)
    if gs is not None:
        c = c + xp.matmul(_scaled(xp, u, gs), vh)
    if m > n and gu is not None:
        rest = _scaled(xp, gu - xp.matmul(u, a), _inverse_values(xp, s))
        c = c + xp.matmul(rest, vh)
    if n > m and gvh is not None:
        rest = _scaled(xp, gv - xp.matmul(v, b), _inverse_values(xp, s))
        c = c + xp.matmul(u, _h(xp, rest))
    return _conj(xp, c)


def _svdvals_push(t: Any, xp: Any, x: Any) -> Any:
    u, _, vh = xp.linalg.svd(x, full_matrices=False)
    return _real(xp, _diagonal(xp, _product(xp, _h(xp, u), t, _h(xp, vh))))


def _svdvals_pull(g: Any, xp: Any, x: Any) -> Any:
    u, _, vh = xp.linalg.svd(x, full_matrices=False)
    return _conj(xp, xp.matmul(_scaled(xp, u, g), vh))


general("linalg.svd", push=(_svd_push,), pull=(_svd_pull,))
batched("linalg.svd", lambda xp, x, full_matrices: xp.linalg.svd(x, full_matrices=full_matrices))
general("linalg.svdvals", push=(_svdvals_push,), pull=(_svdvals_pull,))
batched("linalg.svdvals", lambda xp, x: xp.linalg.svdvals(x))


# -- eigenvalues -----------------------------------------------------------------------------------


def _eigh_push(t: Any, xp: Any, y: Any) -> Any:
    # of the Hermitian part of the matrix, as JAX's and torch's
    w, v = y
    p = _product(xp, _h(xp, v), _hermitian(xp, t), v)
    return _real(xp, _diagonal(xp, p)), xp.matmul(v, p * _gaps(xp, w))


def _eigh_pull(g: Any, xp: Any, y: Any) -> Any:
    gw, gv = g
    w, v = y
    c = None if gw is None else _scaled(xp, v, gw)
    if gv is not None:
        turn = _skew(xp, xp.matmul(_h(xp, v), _conj(xp, gv)))
        turned = xp.matmul(v, turn * _gaps(xp, w))
        c = turned if c is None else turned + c
    return None if c is None else _conj(xp, _hermitian(xp, xp.matmul(c, _h(xp, v))))


def _eigvalsh_push(t: Any, xp: Any, x: Any) -> Any:
    v = xp.linalg.eigh(x)[1]
    return _real(xp, _diagonal(xp, _product(xp, _h(xp, v), _hermitian(xp, t), v)))


def _eigvalsh_pull(g: Any, xp: Any, x: Any) -> Any:
    v = xp.linalg.eigh(x)[1]
    return _conj(xp, xp.matmul(_scaled(xp, v, g), _h(xp, v)))


def _complex(xp: Any, t: Any, like: Any) -> Any:
    return t if t.dtype == like.dtype else xp.astype(t, like.dtype)


def _norms_kept(xp: Any, v: Any, dv: Any) -> Any:
    """Per column what `dv` would change of the norm of `v`."""
    return xp.sum(xp.real(dv * xp.conj(v)), axis=-2)


def _eig_push(t: Any, xp: Any, y: Any) -> Any:
    w, v = y
    c = xp.linalg.solve(v, xp.matmul(_complex(xp, t, v), v))
    dv = xp.matmul(v, c * _gaps(xp, w))
    return _diagonal(xp, c), dv - _scaled(xp, v, _norms_kept(xp, v, dv))


def _eig_pull(g: Any, xp: Any, y: Any) -> Any:
    gw, gv = g
    w, v = y
    vh = _h(xp, v)
    c = None if gw is None else _scaled(xp, xp.linalg.inv(vh), xp.conj(gw))
    if gv is not None:
        gv = xp.conj(gv)
        gv = gv - _scaled(xp, v, _norms_kept(xp, v, gv))
        turned = xp.linalg.solve(vh, xp.matmul(vh, gv) * xp.conj(_gaps(xp, w)))
        c = turned if c is None else turned + c
    return None if c is None else xp.conj(xp.matmul(c, vh))


def _eigvals_push(t: Any, xp: Any, x: Any) -> Any:
    v = xp.linalg.eig(x)[1]
    return _diagonal(xp, xp.linalg.solve(v, xp.matmul(_complex(xp, t, v), v)))


def _eigvals_pull(g: Any, xp: Any, x: Any) -> Any:
    v = xp.linalg.eig(x)[1]
    return xp.matmul(_scaled(xp, _t(xp, xp.linalg.inv(v)), g), _t(xp, v))


general("linalg.eigh", push=(_eigh_push,), pull=(_eigh_pull,))
general("linalg.eigvalsh", push=(_eigvalsh_push,), pull=(_eigvalsh_pull,))
general("linalg.eig", push=(_eig_push,), pull=(_eig_pull,))
general("linalg.eigvals", push=(_eigvals_push,), pull=(_eigvals_pull,))
batched("linalg.eigh", lambda xp, x: xp.linalg.eigh(x))
batched("linalg.eigvalsh", lambda xp, x: xp.linalg.eigvalsh(x))
batched("linalg.eig", lambda xp, x: xp.linalg.eig(x))
batched("linalg.eigvals", lambda xp, x: xp.linalg.eigvals(x))


# -- norms -----------------------------------------------------------------------------------------
#
# A norm's slope f gives its derivatives: the tangent is the real part of sum(f * t), and the
# cotangent g * f. It is 0 at 0; where several elements are the largest they share it evenly.


def _kept(xp: Any, c: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """Return what was reduced along axes, with these in sizes of 1."""
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    gone = {a % len(shape) for a in axes} if shape else set()
    return xp.reshape(c, tuple(1 if i in gone else n for i, n in enumerate(shape)))


def _direction(xp: Any, x: Any) -> Any:
    return _conj(xp, xp.sign(x))


def _shares(xp: Any, values: Any, axis: Any, largest: bool) -> Any:
    """1 for the largest or smallest along axes, shared evenly among equals."""
    end = (xp.max if largest else xp.min)(values, axis=axis, keepdims=True)
    among = xp.astype(values == end, values.dtype)
    return among / xp.sum(among, axis=axis, keepdims=True)


def _vector_slope(xp: Any, x: Any, y: Any, axis: Any, order: Any) -> Any:
    order = 2 if order is None else order
    if order == 1:
        return _direction(xp, x)
    if order in (float("inf"), -float("inf")):
        return _direction(xp, x) * _shares(xp, xp.abs(x), axis, order > 0)
    y = _kept(xp, y, tuple(x.shape), axis)
    if order == 2:
        return _conj(xp, x) * _safe_inverse(xp, y, y == 0)
    part = xp.abs(x) * _safe_inverse(xp, y, y == 0)
    none = part == 0
    return _direction(xp, x) * xp.where(none, 0.0, xp.where(none, 1.0, part) ** (order - 1))


def _vector_push(t: Any, xp: Any, x: Any, y: Any, axis: Any, keepdims: bool, ord: Any) -> Any:
    if ord == 0:
        return xp.zeros_like(y)
    f = _vector_slope(xp, x, y, axis, ord)
    return xp.sum(_real(xp, t * f), axis=axis, keepdims=keepdims)


def _vector_pull(g: Any, xp: Any, x: Any, y: Any, axis: Any, ord: Any) -> Any:
    if ord == 0:
        return None
    return _kept(xp, g, tuple(x.shape), axis) * _vector_slope(xp, x, y, axis, ord)


def _matrix_slope(xp: Any, x: Any, y: Any, order: Any) -> Any:
    if order is None or order == "fro":
        return _vector_slope(xp, x, y, (-2, -1), 2)
    if order in ("nuc", 2, -2):
        u, s, vh = xp.linalg.svd(x, full_matrices=False)
        if order == "nuc":
            # A singular value of 0 may come out as a rounding error: as matrix_rank sees it.
            least = max(x.shape[-2:]) * float(xp.finfo(s.dtype).eps)
            by = xp.astype(s > least * xp.max(s, axis=-1, keepdims=True), s.dtype)
        else:
            by = xp.sign(s) * _shares(xp, s, -1, order == 2)
        return _conj(xp, xp.matmul(_scaled(xp, u, by), vh))
    along, across = (-2, -1) if abs(order) == 1 else (-1, -2)
    sums = xp.sum(xp.abs(x), axis=along, keepdims=True)
    return _direction(xp, x) * _shares(xp, sums, across, order > 0)


def _matrix_push(t: Any, xp: Any, x: Any, y: Any, keepdims: bool, ord: Any) -> Any:
    f = _matrix_slope(xp, x, y, ord)
    return xp.sum(_real(xp, t * f), axis=(-2, -1), keepdims=keepdims)


def _matrix_pull(g: Any, xp: Any, x: Any, y: Any, ord: Any) -> Any:
    return _kept(xp, g, tuple(x.shape), (-2, -1)) * _matrix_slope(xp, x, y, ord)


general("linalg.vector_norm", push=(_vector_push,), pull=(_vector_pull,))
general("linalg.matrix_norm", push=(_matrix_push,), pull=(_matrix_pull,))
batched(
    "linalg.vector_norm",
    lambda xp, x, axis, keepdims, ord: xp.linalg.vector_norm(
        x, axis=shifted(axis, x.ndim), keepdims=keepdims, ord=ord
    ),
)
batched(
    "linalg.matrix_norm",
    lambda xp, x, keepdims, ord: xp.linalg.matrix_norm(x, keepdims=keepdims, ord=ord),
)

constant("linalg.matrix_rank")
batched("linalg.matrix_rank", lambda xp, x, rtol: xp.linalg.matrix_rank(x, rtol=rtol))
