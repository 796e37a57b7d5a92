"""Random matrices to `likewise.linalg` against scipy.linalg, and arrays to `fft` against numpy.fft.

Batches that broadcast, views that run backwards or repeat one element, sizes 0 and 1; real, complex
and single precision, integers. What solves a system is judged by its residual too, so that a matrix
that is nearly singular needs no tolerance of its own.
"""

import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg as sl

from likewise import fft as ours_fft
from likewise import linalg as la
from likewise.errors import ArgumentError, LikewiseError, ShapeError

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]

COUNT = {"numpy": 120, "strict": 20, "torch": 20}
FLOATING = ["float32", "float64", "complex64", "complex128"]


class Case:
    """Draws arguments, and compares."""

    def __init__(self, lib: Any, seed: int, generic: bool) -> None:
        self.lib, self.rng, self.generic = lib, np.random.default_rng(seed), generic
        self.dtype = np.dtype(self.one(FLOATING))

    def one(self, items: Any) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def size(self, least: int = 0) -> int:
        return int(self.one([n for n in (0, 1, 2, 3, 4, 7, 12) if n >= least]))

    def batch(self) -> tuple[int, ...]:
        return tuple(self.one([(), (), (2,), (1,), (0,), (3, 1), (2, 3)]))

    def draw(self, *shape: int, dtype: Any = None) -> Any:
        dtype = self.dtype if dtype is None else np.dtype(dtype)
        x = self.rng.normal(size=shape)
        x = (x + 1j * self.rng.normal(size=shape) if dtype.kind == "c" else x).astype(dtype)
        way = int(self.rng.integers(4))
        if way == 1 and x.ndim and x.shape[-1]:  # backwards
            x = np.ascontiguousarray(x[..., ::-1])[..., ::-1]
        elif way == 2:  # every second element
            wide = np.zeros((*x.shape, 2), dtype=dtype)
            wide[..., 0] = x
            x = wide[..., 0]
        elif way == 3 and x.ndim > 1:
            x = np.asfortranarray(x)
        return x

    def square(self, n: int, *, shift: float = 0.0) -> Any:
        return self.draw(*self.batch(), n, n) + (shift * np.eye(n)).astype(self.dtype)

    def right(self, a: Any, n: int) -> Any:
        k = self.one([0, 1, 2])
        return self.draw(*self.one([(n,), (n, k), (*a.shape[:-2], n, k)]))

    def given(self, x: Any) -> Any:
        return x if self.lib.library == "numpy" else self.lib.asarray(x.copy())

    def call(self, func: Any, *args: Any, **options: Any) -> Any:
        kept = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
        moved = [self.given(a) if isinstance(a, np.ndarray) else a for a in args]
        way = getattr(func, "generic", func) if self.generic else func
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            out = way(*moved, **options)
        for a, b in zip(args, kept, strict=True):
            if isinstance(a, np.ndarray):
                np.testing.assert_array_equal(a, b)
        return out

    @property
    def tol(self) -> float:
        return 2e-4 if self.dtype in (np.float32, np.complex64) else 1e-10

    def same(self, got: Any, expected: Any, dtype: Any = "own") -> None:
        found, expected = self.lib.to_numpy(got), np.asarray(expected)
        assert found.shape == expected.shape, (found.shape, expected.shape)
        if dtype is not None:
            assert found.dtype == (self.dtype if isinstance(dtype, str) else dtype)
        scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        np.testing.assert_allclose(found, expected, rtol=0, atol=self.tol * scale)

    def solves(self, a: Any, got: Any, b: Any) -> None:
        """The solution's shape, and its residual beside sizes."""
        x = self.lib.to_numpy(got)
        vector = b.ndim == 1
        b = b[:, None] if vector else b
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        assert x.shape == (*batch, *(b.shape[-2:-1] if vector else b.shape[-2:]))
        assert x.dtype == self.dtype
        x = x[..., None] if vector else x
        wide = np.promote_types(self.dtype, np.float64)
        rest = np.abs(a.astype(wide) @ x - b)
        size = np.max(np.abs(a), axis=(-2, -1), keepdims=True, initial=1.0)
        size = size * np.max(np.abs(x), axis=-2, keepdims=True, initial=1.0)
        assert np.max(rest / size, initial=0.0) < self.tol


def each(func: Callable[..., Any], a: Any) -> Any:
    """SciPy's function of each matrix of a batch that has some."""
    out = np.stack([func(m) for m in a.reshape(-1, *a.shape[-2:])])
    return out.reshape(*a.shape[:-2], *out.shape[1:])


# -- what is compared ------------------------------------------------------------------------------


def solve(c: Case) -> None:
    n = c.size()
    a = c.square(n)
    b = c.right(a, n)
    turned = bool(c.one([False, True]))
    found = c.call(la.solve, a, b, transposed=turned)
    c.solves(np.swapaxes(a, -1, -2) if turned else a, found, b)


def structures(c: Case) -> None:
    n = c.size()
    a = c.square(n, shift=2.0 * n)
    b, lower = c.right(a, n), bool(c.one([False, True]))
    kind = c.one(
        ["diagonal", "tridiagonal", "upper triangular", "lower triangular", "sym", "her", "pos"]
    )
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    turned, diagonal = np.swapaxes(half, -1, -2), a * np.eye(n, dtype=c.dtype)
    matrix = {
        "diagonal": diagonal,
        "tridiagonal": np.triu(np.tril(a, 1), -1),
        "upper triangular": np.triu(a),
        "lower triangular": np.tril(a),
        "sym": half + turned + diagonal,
    }.get(kind, half + turned.conj() + diagonal.real)
    c.solves(matrix, c.call(la.solve, a, b, lower, assume_a=kind), b)
    eye = np.eye(n, dtype=c.dtype)
    c.solves(matrix, c.call(la.inv, a, assume_a=kind, lower=lower), np.broadcast_to(eye, a.shape))


def inverse(c: Case) -> None:
    n = c.size()
    a = c.square(n, shift=1.0)
    c.solves(a, c.call(la.inv, a), np.broadcast_to(np.eye(n, dtype=c.dtype), a.shape))
    found = c.call(la.det, a)
    c.same(found, np.linalg.det(a.astype(np.promote_types(c.dtype, np.float64))))


def triangular(c: Case) -> None:
    n = c.size()
    a = c.square(n) / max(n, 1) + 2 * np.eye(n, dtype=c.dtype)
    b, trans = c.right(a, n), c.one([0, 1, 2, "N", "T", "C"])
    lower, unit = bool(c.one([False, True])), bool(c.one([False, True]))
    matrix = np.tril(a) if lower else np.triu(a)
    if unit:
        matrix = matrix * (1 - np.eye(n, dtype=c.dtype)) + np.eye(n, dtype=c.dtype)
    if trans not in (0, "N"):
        matrix = np.swapaxes(matrix, -1, -2)
    matrix = matrix.conj() if trans in (2, "C") else matrix
    c.solves(matrix, c.call(la.solve_triangular, a, b, trans, lower, unit), b)


def cholesky(c: Case) -> None:
    n = c.size()
    g = c.square(n)
    a = (g @ np.swapaxes(g, -1, -2).conj() + n * np.eye(n)).astype(c.dtype)
    b, lower = c.right(a, n), bool(c.one([False, True]))
    factor, flag = c.call(la.cho_factor, a, lower)
    expected = np.linalg.cholesky(a)
    c.same(factor, expected if lower else np.swapaxes(expected, -1, -2).conj())
    c.solves(a, c.call(la.cho_solve, (factor, flag), b), b)


def lu(c: Case) -> None:
    m, n = c.size(), c.size()
    a = c.draw(*c.batch(), m, n)
    found, pivots = c.call(la.lu_factor, a)
    if 0 not in a.shape:
        c.same(found, each(lambda x: sl.lu_factor(x)[0], a))
        np.testing.assert_array_equal(c.lib.to_numpy(pivots), each(lambda x: sl.lu_factor(x)[1], a))
    a = c.square(m)
    b, trans = c.right(a, m), c.one([0, 1, 2])
    matrix = a if trans == 0 else np.swapaxes(a, -1, -2)
    c.solves(
        matrix.conj() if trans == 2 else matrix,
        c.call(la.lu_solve, c.call(la.lu_factor, a), b, trans),
        b,
    )


def least_squares(c: Case) -> None:
    m, n = c.size(), c.size()
    a = c.draw(*c.batch(), m, n)
    if c.one([False, True]) and n > 1:
        a[..., -1] = a[..., 0]
    b = c.right(np.empty((*a.shape[:-2], m, m)), m)
    cond = c.one([None, 1e-3])
    found = c.call(la.lstsq, a, b, cond if c.tol < 1e-5 else 1e-3)
    cutoff = cond if cond is not None and c.tol < 1e-5 else (1e-3 if c.tol > 1e-5 else 1e-12)
    inverse = (
        np.linalg.pinv(a, rcond=cutoff) if 0 not in a.shape else np.zeros((*a.shape[:-2], n, m))
    )
    x = inverse @ (b[:, None] if b.ndim == 1 else b)
    x = x[..., 0] if b.ndim == 1 else x
    c.same(found.x, x)
    if 0 not in a.shape:
        np.testing.assert_array_equal(
            c.lib.to_numpy(found.rank), np.linalg.matrix_rank(a, rtol=cutoff)
        )
        got, rank = c.call(la.pinv, a, atol=c.one([None, 1e-2]), rtol=1e-3, return_rank=True)
        assert c.lib.to_numpy(rank).shape == a.shape[:-2]
        assert c.lib.to_numpy(got).shape == (*a.shape[:-2], n, m)
    if a.ndim == 2 and 0 not in a.shape:
        atol = c.one([None, 0.5])
        got, rank = c.call(la.pinv, a, atol=atol, rtol=1e-3, return_rank=True)
        expected, count = sl.pinv(a, atol=atol, rtol=1e-3, return_rank=True)
        c.same(got, expected)
        assert int(c.lib.to_numpy(rank)) == count


def hermitian_inverse(c: Case) -> None:
    n, lower = c.size(), bool(c.one([False, True]))
    a = c.square(n)
    a = (a + np.swapaxes(a, -1, -2).conj()).astype(c.dtype)
    got = c.call(la.pinvh, a, None, 1e-3, lower)
    expected = each(lambda m: sl.pinvh(m, rtol=1e-3, lower=lower), a) if 0 not in a.shape else a
    c.same(got, expected)


def banded(c: Case) -> None:
    below, above, n = int(c.rng.integers(4)), int(c.rng.integers(4)), c.size()
    ab = c.draw(*c.batch(), below + above + 1, n)
    b = c.right(np.empty((*ab.shape[:-2], n, n)), n)
    a = np.zeros((*ab.shape[:-2], n, n), dtype=c.dtype)
    for i in range(n):
        for j in range(n):
            if -below <= j - i <= above:
                a[..., i, j] = ab[..., above + i - j, j]
    if (n and below + above == 0) or min(below, above) == 0:  # nothing to exchange: keep it tame
        ab[..., above, :] += 4
        a += 4 * np.eye(n, dtype=c.dtype)
    x = la.solve_banded.generic if c.generic else la.solve_banded  # type: ignore[attr-defined]
    c.solves(a, c.call(lambda ab, b: x((below, above), ab, b), ab, b), b)


def three_diagonals(c: Case) -> None:
    n, batch = c.size(1), c.batch()
    low, main, up = (c.draw(*batch, n) for _ in range(3))
    main = main + np.asarray(6, dtype=c.dtype)
    a = np.zeros((*batch, n, n), dtype=c.dtype)
    i = np.arange(n)
    a[..., i, i] = main
    a[..., i[1:], i[:-1]], a[..., i[:-1], i[1:]] = low[..., 1:], up[..., :-1]
    b = c.right(a, n)
    c.solves(a, c.call(la.tridiagonal_solve, low, main, up, b), b)


def eigenvalues(c: Case) -> None:
    c.dtype = np.dtype(c.one(["float32", "float64"]))
    n = c.size(1)
    batch = c.batch()
    d, e = c.draw(*batch, n), c.draw(*c.one([batch, ()]), n - 1)
    if c.one([False, False, True]):
        e = e * np.asarray(c.rng.random(n - 1) < 0.5, dtype=c.dtype)  # it falls apart
    e_all = np.broadcast_to(e, (*batch, n - 1))
    a = d[..., None] * np.eye(n, dtype=c.dtype)
    i = np.arange(n - 1)
    a[..., i, i + 1] = a[..., i + 1, i] = e_all
    expected = np.linalg.eigvalsh(a.astype(float)) if 0 not in a.shape else np.zeros((*batch, n))
    w, v = c.call(la.eigh_tridiagonal, d, e)
    c.same(w, expected)
    values, vectors = c.lib.to_numpy(w), c.lib.to_numpy(v)
    assert vectors.dtype == c.dtype and vectors.shape == a.shape
    np.testing.assert_allclose(a @ vectors, vectors * values[..., None, :], atol=10 * c.tol)
    low = int(c.rng.integers(n))
    high = int(c.rng.integers(low, n))
    part = c.call(la.eigh_tridiagonal, d, e, True, "i", (low, high))
    c.same(part, expected[..., low : high + 1])
    if not batch:
        limits = tuple(np.sort(c.rng.normal(size=2) * 2).tolist())
        part = c.call(la.eigh_tridiagonal, d, e, True, "v", limits)
        inside = (expected > limits[0]) & (expected <= limits[1])
        c.same(part, expected[inside])


def patterns(c: Case) -> None:
    kind = c.one([*FLOATING, "int64", "int8"])
    x, y = ((4 * c.draw(c.size(), dtype="float64")).astype(kind) for _ in range(2))
    for ours, theirs in ((la.toeplitz, sl.toeplitz), (la.hankel, sl.hankel)):
        c.same(c.call(ours, x), theirs(x), x.dtype)
        c.same(c.call(ours, x, y), theirs(x, y), x.dtype)
    c.same(c.call(la.circulant, x), sl.circulant(x), x.dtype)
    blocks = [(3 * c.draw(c.size(), c.size(), dtype="float64")).astype(kind) for _ in range(3)]
    c.same(c.call(la.block_diag, *blocks), sl.block_diag(*blocks), x.dtype)


LINALG = (
    solve, structures, inverse, triangular, cholesky, lu, least_squares, hermitian_inverse, banded,
    three_diagonals, eigenvalues, patterns,
)  # fmt: skip


def outcome(func: Any, *args: Any, **options: Any) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return func(*args, **options)
    except (ValueError, TypeError, IndexError, LikewiseError) as error:
        return error


def along(c: Case) -> None:
    name = c.one(["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
    shape = tuple(c.size() for _ in range(int(c.rng.integers(1, 4))))
    options = {
        "n": c.one([None, None, 1, 2, 3, 5, 8, 0]),
        "axis": int(c.rng.integers(-len(shape), len(shape))),
        "norm": c.one([None, "backward", "ortho", "forward"]),
    }
    transformed(c, name, shape, options)


def over(c: Case) -> None:
    name = c.one(["fftn", "ifftn", "rfftn", "irfftn"])
    shape = tuple(c.size() for _ in range(int(c.rng.integers(1, 4))))
    axes = tuple(c.rng.permutation(len(shape))[: int(c.rng.integers(1, len(shape) + 1))].tolist())
    s = tuple(c.one([1, 2, 3, 5, -1]) for _ in axes) if c.one([False, True]) else None
    options = {
        "s": s,
        "axes": axes if s or c.one([False, True]) else None,
        "norm": c.one([None, "ortho"]),
    }
    transformed(c, name, shape, options)


def transformed(c: Case, name: str, shape: tuple[int, ...], options: dict[str, Any]) -> None:
    kind = c.one([*FLOATING, "int64"])
    if name in ("rfft", "rfftn", "ihfft") and c.one([True] * 5 + [False]):
        kind = c.one(["float32", "float64", "int64"])
    x = (3 * c.draw(*shape, dtype="complex128" if kind[0] == "c" else "float64")).astype(kind)
    default = "float32" if c.lib.library == "torch" else "float64"
    c.dtype = np.dtype(kind if kind != "int64" else default)
    expected = outcome(getattr(np.fft, name), x, **options)
    got = outcome(getattr(ours_fft, name), c.given(x), **options)
    if isinstance(got, Exception):
        assert isinstance(got, LikewiseError), f"a raw {got!r} for {name} {shape} {options}"
        # Of some things that are empty NumPy makes nothing.
        assert isinstance(expected, Exception) or 0 in expected.shape or 0 in shape, (got, expected)
    elif not isinstance(expected, Exception):
        # Where NumPy pads nothing with zeros, it returns what it finds in memory.
        expected = np.zeros_like(expected) if 0 in shape else expected
        c.same(got, expected, expected.dtype if kind != "int64" or c.dtype == "float64" else None)
    else:
        assert 0 in shape, (name, shape, options, expected)


def shifts(c: Case) -> None:
    shape = tuple(c.size() for _ in range(int(c.rng.integers(1, 4))))
    x = c.draw(*shape)
    axes = c.one([None, -1, tuple(range(len(shape)))])
    for name in ("fftshift", "ifftshift"):
        got = c.call(getattr(ours_fft, name), x, axes)
        c.same(got, getattr(np.fft, name)(x, axes))
    n, d = c.size(1), float(c.one([1.0, 0.25, -3.0]))
    c.dtype = np.dtype("float64")
    for name in ("fftfreq", "rfftfreq"):
        got = getattr(ours_fft, name)(n, d, like=c.given(np.ones(1)))
        c.same(got, getattr(np.fft, name)(n, d))


FFT = (along, over, shifts)


def run(lib: Any, what: Any, count: int, generic: bool) -> None:
    for k in range(count):
        seed = zlib.crc32(f"{what.__name__} {k} {generic}".encode())
        try:
            what(Case(lib, seed, generic))
        except Exception as error:
            raise AssertionError(f"{what.__name__}, case {k}, seed {seed}: {error!r}") from error


@pytest.mark.parametrize("what", [*LINALG, *FFT], ids=lambda f: f.__name__)
def test_like_scipy_and_numpy(lib: Any, what: Any) -> None:
    if lib.name in COUNT:
        run(lib, what, COUNT[lib.name], False)


@pytest.mark.parametrize("what", LINALG, ids=lambda f: f.__name__)
def test_generic_bodies(lib: Any, what: Any) -> None:
    """What runs without native routines."""
    if lib.name == "numpy":
        run(lib, what, 80, True)


def test_wrong_shapes() -> None:
    """Sizes that don't fit are errors of ours in every function."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        a = rng.normal(size=tuple(rng.integers(0, 4, rng.integers(0, 4))))
        b = rng.normal(size=tuple(rng.integers(0, 4, rng.integers(0, 4))))
        for func in (la.solve, la.solve_triangular, la.lstsq):
            found = outcome(func, a, b)
            assert not isinstance(found, Exception) or isinstance(found, ShapeError | ArgumentError)
        for func in (la.inv, la.det, la.cho_factor, la.lu_factor, la.pinv, la.pinvh):
            found = outcome(func, a)
            assert not isinstance(found, Exception) or isinstance(found, ShapeError)
