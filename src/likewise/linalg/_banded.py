"""Systems whose matrices have a few diagonals."""

from typing import Any

from .. import _plan
from .._namespace import array_namespace, device, quiet
from .._native import Lines, batches, native, public
from .._typing import A
from ..errors import ArgumentError, ShapeError
from ._checks import right_side
from ._lu import factored, permutation, rows_of
from ._singular import said
from ._triangular import substituted

__all__ = ["banded", "solve_banded", "tridiagonal_solve"]


_FEW_ROWS = 64  # of programs that have a line for each


@public
def tridiagonal_solve(dl: A, d: A, du: A, b: A) -> A:
    """Solve tridiagonal systems.

    Parameters
    ----------
    dl : array, shape (..., n)
        Below the diagonal, ``a[i, i - 1]``; the first entry is not read.
    d : array, shape (..., n)
        The diagonal.
    du : array, shape (..., n)
        Above the diagonal, ``a[i, i + 1]``; the last entry is not read.
    b : array, shape (..., n, k) or (n,)
        Right sides; a vector only if it has one dimension.

    Returns
    -------
    array, shape (..., n, k) or (..., n)
        The solutions; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If sizes don't match.

    Notes
    -----
    Parallel cyclic reduction (R. W. Hockney, C. R. Jesshope, Parallel Computers, 1981, section
    5.4.3): log2(n) steps over all rows at once, about 12 n log2(n) operations a right side; of more
    systems than rows, up to 64, elimination row by row, in 5 n.
    Differentiable. There is no pivoting: accurate for diagonally dominant and positive definite
    matrices; others may give infinities or NaN.

    The arguments are those of ``jax.lax.linalg.tridiagonal_solve``.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import tridiagonal_solve
    >>> ones = np.ones(3)
    >>> tridiagonal_solve(ones, 4 * ones, ones, np.asarray([5.0, 6.0, 5.0])).round(12)
    array([1., 1., 1.])
    """
    xp = array_namespace(dl, d, du, b)
    names = ("dl", "d", "du", "b")
    low, main, up, x = _plan.common_floating("tridiagonal_solve", xp, names, dl, d, du, b)
    n = main.shape[-1] if main.ndim else 0
    if any(v.ndim == 0 or v.shape[-1] != n for v in (low, main, up)):
        raise ShapeError(
            "tridiagonal_solve: dl, d and du must have shape (..., n), got "
            f"{tuple(low.shape)}, {tuple(main.shape)} and {tuple(up.shape)}"
        )
    diagonals = {"dl": low, "d": main, "du": up}
    batch = _plan.broadcast("tridiagonal_solve", **{k: v.shape[:-1] for k, v in diagonals.items()})
    x, vector = right_side("tridiagonal_solve", batch, n, x)
    with quiet(x):
        way = _by_elimination if _one_system(low, main, up, x) else _eliminated
        x = way(low, main, up, x)
    return x[..., 0] if vector else x


def _one_system(low: Any, main: Any, up: Any, x: Any) -> bool:
    """one system of more than two rows, in double precision, and right sides."""
    if (
        x.ndim != 2
        or not x.shape[-1]
        or not low.ndim == main.ndim == up.ndim == 1 < main.shape[0] - 1
    ):
        return False
    return bool(main.dtype == array_namespace(main).float64)


def _in_blocks(low: Any, main: Any, up: Any, x: Any) -> Lines:
    given = {0: (low, 1), 1: (main, 1), 2: (up, 1), 3: (x, 2)}
    return batches(given, (x.shape[-2:], x.dtype))


@native(numpy="likewise._libs.numpy._lapack:tridiagonal", blocks=_in_blocks)
def _by_elimination(low: Any, main: Any, up: Any, x: Any) -> Any:
    return _eliminated(low, main, up, x)


def _more_than_rows(low: Any, main: Any, up: Any, x: Any) -> bool:
    """more systems than rows, or few rows."""
    n, columns = main.shape[-1], x.shape[-1]
    batch = 1
    for k in x.shape[:-2]:
        batch *= k
    return bool(0 < n <= max(batch * columns, 8))


@native(numpy="likewise._libs.numpy._natives:tridiagonal", when=_more_than_rows, blocks=_in_blocks)
def _eliminated(low: Any, main: Any, up: Any, x: Any) -> Any:
    few = main.shape[-1] <= _FEW_ROWS and _more_than_rows(low, main, up, x)
    return (_row_by_row if few else _cyclic)(low, main, up, x)


def _row_by_row(low: Any, main: Any, up: Any, x: Any) -> Any:
    """Elimination from above, the whole batch at once: less work than cyclic reduction."""
    xp, n = array_namespace(x), main.shape[-1]
    low, main, up = (xp.unstack(v[..., None], axis=-2) for v in (low, main, up))
    rows = xp.unstack(x, axis=-2)
    pivot, upper, out = main[0], [], [rows[0] / main[0]]
    for i in range(1, n):
        upper.append(up[i - 1] / pivot)
        pivot = main[i] - low[i] * upper[-1]
        out.append((rows[i] - low[i] * out[-1]) / pivot)
    for i in range(n - 2, -1, -1):
        out[i] = out[i] - upper[i] * out[i + 1]
    return xp.stack(out, axis=-2)


def _systems(low: Any, main: Any, up: Any, x: Any) -> bool:
    """systems of several rows, and right sides."""
    return main.shape[-1] > 2 and 0 not in x.shape


@native(jax="likewise._libs.jax._natives:tridiagonal", when=_systems)
def _cyclic(low: Any, main: Any, up: Any, x: Any) -> Any:
    """Cyclic reduction."""
    xp, n = array_namespace(x), main.shape[-1]
    if n < 2:
        return x / main[..., None]
    low, main, up = low[..., None], main[..., None], up[..., None]
    low, up = _shifted(xp, low[..., 1:, :], 1, n), _shifted(xp, up[..., :-1, :], -1, n)
    s = 1
    while s < n:
        above, below = main[..., :-s, :], main[..., s:, :]
        p = _shifted(xp, -low[..., s:, :] / above, s, n)
        q = _shifted(xp, -up[..., :-s, :] / below, -s, n)
        x, main, low, up = (
            x + p * _moved(xp, x, s, n) + q * _moved(xp, x, -s, n),
            main + p * _moved(xp, up, s, n) + q * _moved(xp, low, -s, n),
            p * _moved(xp, low, s, n),
            q * _moved(xp, up, -s, n),
        )
        s *= 2
    return x / main


def _moved(xp: Any, v: Any, s: int, n: int) -> Any:
    """Rows moved down by `s` (up, if negative), with zeros where none comes from."""
    return _shifted(xp, v[..., :-s, :] if s > 0 else v[..., -s:, :], s, n)


def _shifted(xp: Any, v: Any, s: int, n: int) -> Any:
    """Rows filled up to `n` with zeros, before them if `s` is positive."""
    shape = (*v.shape[:-2], n - v.shape[-2], v.shape[-1])
    zeros = xp.zeros(shape, dtype=v.dtype, device=device(v))
    return xp.concat([zeros, v] if s > 0 else [v, zeros], axis=-2)


# -- any number of diagonals -----------------------------------------------------------------------


@public
def solve_banded(
    l_and_u: tuple[int, int],
    ab: A,
    b: A,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> A:
    """Solve ``a x = b`` for matrices that are zero away from the diagonal.

    Parameters
    ----------
    l_and_u : (int, int)
        The numbers of diagonals below and above the main one.
    ab : array, shape (..., l + u + 1, n)
        The diagonals, the uppermost first: ``ab[u + i - j, j]`` is ``a[i, j]``. Entries outside of
        the matrix are not read.
    b : array, shape (..., n, k) or (n,)
        Right sides; a vector only if it has one dimension.
    overwrite_ab, overwrite_b, check_finite : bool, optional
        Accepted for SciPy's signature; ignored.

    Returns
    -------
    array, shape (..., n, k) or (..., n)
        The solutions; leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If sizes don't match.
    ArgumentError
        If `l_and_u` is not a pair of nonnegative integers.

    Notes
    -----
    Cyclic reduction of blocks of w = l + u unknowns. Each pair of neighbouring blocks is factored
    with partial pivoting, so this is elimination in another order (S. J. Wright, SIAM J. Sci. Stat.
    Comput. 13, 742, 1992, does it with orthogonal factors). log2(n / w) steps over the whole batch,
    about 20 n w^2 operations. Differentiable.

    Where values can be read, one singular matrix raises LinAlgError; in a batch, its solution is
    NaN, with one warning, and the other systems are solved. Elsewhere the solution is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.linalg import solve_banded
    >>> ab = np.asarray([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0], [1.0, 1.0, 0.0]])
    >>> solve_banded((1, 1), ab, np.asarray([5.0, 6.0, 5.0])).round(12)
    array([1., 1., 1.])
    """
    below, above = _widths(l_and_u)
    xp = array_namespace(ab, b)
    rows, x = _plan.common_floating("solve_banded", xp, ("ab", "b"), ab, b)
    if rows.ndim < 2 or rows.shape[-2] != below + above + 1:
        raise ShapeError(
            f"solve_banded: ab must have shape (..., {below + above + 1}, n), one row for each "
            f"diagonal, got {tuple(rows.shape)}"
        )
    x, vector = right_side("solve_banded", tuple(rows.shape[:-2]), rows.shape[-1], x)
    with quiet(x):
        x = x if 0 in x.shape else said(banded(rows, x, below, above), rows, x)
    return x[..., 0] if vector else x


def _widths(l_and_u: Any) -> tuple[int, int]:
    pair = tuple(l_and_u) if isinstance(l_and_u, tuple | list) else ()
    if len(pair) != 2 or any(isinstance(k, bool) or not hasattr(k, "__index__") for k in pair):
        raise ArgumentError(
            f"solve_banded: l_and_u must be two integers, the diagonals below and above, got "
            f"{l_and_u!r}"
        )
    below, above = (k.__index__() for k in pair)
    if below < 0 or above < 0:
        raise ArgumentError(f"solve_banded: l_and_u must not be negative, got {l_and_u!r}")
    return below, above


def banded(ab: Any, b: Any, below: int, above: int) -> Any:
    """Solve banded systems with elements, after the caller has silenced warnings."""
    if ab.shape[-1] == 1 or below + above == 0:
        return _all_or_none(array_namespace(ab), b / ab[..., above, :, None])
    return _reduced(ab, b, below, above)


def _one_band(ab: Any, b: Any, below: int, above: int) -> bool:
    """one system, in double precision."""
    return b.ndim == ab.ndim == 2 and bool(ab.dtype == array_namespace(ab).float64)


def _bands_in_blocks(ab: Any, b: Any, below: int, above: int) -> Lines:
    return batches({0: (ab, 2), 1: (b, 2)}, (b.shape[-2:], b.dtype))


@native(numpy="likewise._libs.numpy._lapack:banded", when=_one_band, blocks=_bands_in_blocks)
def _reduced(ab: Any, b: Any, below: int, above: int) -> Any:
    """Reduce equations of neighbouring blocks of unknowns by halves until two blocks are left."""
    xp, n, w = array_namespace(ab), ab.shape[-1], below + above
    rows, b = _padded(xp, _by_rows(xp, ab, below, above), b, below, w)
    size = b.shape[-2]
    # The first rows hold unknowns of the first block only, the last rows of the last block only.
    first = _skewed(xp, rows[..., :below, :], w)[..., below : below + w]
    last = _skewed(xp, rows[..., size - above :, :], w)[..., :w]
    ends = b[..., :below, :], b[..., size - above :, :]
    if size == w:
        x = _dense(xp, xp.concat([first, last], axis=-2), xp.concat(list(ends), axis=-2))
        return _all_or_none(xp, x[..., :n, :])
    batch, k = tuple(b.shape[:-2]), b.shape[-1]
    inner = rows[..., below : size - above, :]
    inner = xp.reshape(inner, (*rows.shape[:-2], size // w - 1, w, w + 1))
    right = xp.reshape(b[..., below : size - above, :], (*batch, size // w - 1, w, k))
    chain = _skewed(xp, inner, w)
    chain = xp.broadcast_to(chain, (*batch, *chain.shape[-3:]))
    chain, steps = xp.concat([chain, right], axis=-1), []
    while chain.shape[-3] > 1:
        chain, step = _halved(xp, chain, w)
        steps.append(step)
    x = _ends(xp, chain[..., 0, :, :], first, last, ends, w)
    x = xp.reshape(x, (*batch, 2, w, k))
    for lu, known in reversed(steps):
        x = _doubled(xp, x, lu, known, w)
    return _all_or_none(xp, xp.reshape(x, (*batch, size, k))[..., :n, :])


def _all_or_none(xp: Any, x: Any) -> Any:
    """Make a solution all NaN where one of its elements isn't finite."""
    good = xp.all(xp.isfinite(x), axis=-2, keepdims=True)
    return xp.where(good, x, xp.full_like(x, xp.nan))


def _by_rows(xp: Any, ab: Any, below: int, above: int) -> Any:
    """The elements a[i, i - below + t], t from 0 to the width, for each row i."""
    n, w = ab.shape[-1], below + above
    parts = []
    for t in range(w + 1):
        s = min(max(t - below, -n), n)
        part = ab[..., w - t, max(s, 0) : n + min(s, 0)]
        zeros = xp.zeros((*part.shape[:-1], abs(s)), dtype=ab.dtype, device=device(ab))
        parts.append(xp.concat([part, zeros] if s > 0 else [zeros, part], axis=-1))
    return xp.stack(parts, axis=-1)


def _padded(xp: Any, rows: Any, b: Any, below: int, w: int) -> tuple[Any, Any]:
    """Rows up to a multiple of the width, those added being of the identity."""
    n = rows.shape[-2]
    more = -n % w
    if not more:
        return rows, b
    unit = xp.astype(xp.arange(w + 1, device=device(rows)) == below, rows.dtype)
    unit = xp.broadcast_to(unit, (*rows.shape[:-2], more, w + 1))
    zeros = xp.zeros((*b.shape[:-2], more, b.shape[-1]), dtype=b.dtype, device=device(b))
    return xp.concat([rows, unit], axis=-2), xp.concat([b, zeros], axis=-2)


def _skewed(xp: Any, rows: Any, w: int) -> Any:
    """Rows (..., r, w + 1), each moved by one more than that above it, of 2 w elements."""
    *batch, count, _ = rows.shape
    zeros = xp.zeros((*batch, count, w), dtype=rows.dtype, device=device(rows))
    flat = xp.reshape(xp.concat([rows, zeros], axis=-1), (*batch, count * (2 * w + 1)))
    return xp.reshape(flat[..., : count * 2 * w], (*batch, count, 2 * w))


def _halved(xp: Any, chain: Any, w: int) -> tuple[Any, tuple[Any, Any]]:
    """Eliminate every second block of unknowns; return the factors to recover them, too."""
    pairs = chain.shape[-3] // 2
    above, under = (chain[..., i : 2 * pairs : 2, :, :] for i in (0, 1))
    zeros = xp.zeros_like(above[..., :w])
    left = xp.concat([above[..., :w], zeros], axis=-2)
    right = xp.concat([zeros, under[..., w : 2 * w]], axis=-2)
    sides = xp.concat([above[..., 2 * w :], under[..., 2 * w :]], axis=-2)
    both = xp.concat([left, right, sides], axis=-1)
    lu, pivots = factored(xp.concat([above[..., w : 2 * w], under[..., :w]], axis=-2))
    both = rows_of(xp, both, permutation(pivots, 2 * w))
    known = substituted(lu[..., :w, :], both[..., :w, :], True, True)
    rest = both[..., w:, :] - xp.matmul(lu[..., w:, :], known)
    odd = chain[..., 2 * pairs :, :, :]
    rest = xp.concat([rest, odd], axis=-3) if odd.shape[-3] else rest
    return rest, (lu[..., :w, :], known)


def _doubled(xp: Any, x: Any, lu: Any, known: Any, w: int) -> Any:
    """The blocks of unknowns with those between them."""
    pairs = known.shape[-3]
    before, after = x[..., :pairs, :, :], x[..., 1 : pairs + 1, :, :]
    rest = known[..., 2 * w :] - xp.matmul(known[..., :w], before)
    rest = rest - xp.matmul(known[..., w : 2 * w], after)
    between = substituted(lu, rest, False, False)
    both = xp.stack([before, between], axis=-3)
    both = xp.reshape(both, (*x.shape[:-3], 2 * pairs, *x.shape[-2:]))
    return xp.concat([both, x[..., pairs:, :, :]], axis=-3)


def _ends(xp: Any, one: Any, first: Any, last: Any, ends: Any, w: int) -> Any:
    """The first and the last block of unknowns, of one equation between them and the ends."""

    def wide(part: Any, before: int, after: int) -> Any:
        part = xp.broadcast_to(part, (*one.shape[:-2], *part.shape[-2:]))
        shape = part.shape[:-1]
        parts = [
            xp.zeros((*shape, k), dtype=part.dtype, device=device(part)) for k in (before, after)
        ]
        return xp.concat([parts[0], part, parts[1]], axis=-1)

    matrix = [wide(first, 0, w), one[..., : 2 * w], wide(last, w, 0)]
    right = xp.concat([ends[0], one[..., 2 * w :], ends[1]], axis=-2)
    return _dense(xp, xp.concat(matrix, axis=-2), right)


def _dense(xp: Any, a: Any, b: Any) -> Any:
    lu, pivots = factored(a)
    x = rows_of(xp, b, permutation(pivots, a.shape[-1]))
    return substituted(lu, substituted(lu, x, True, True), False, False)
