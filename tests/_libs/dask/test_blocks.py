"""Dask's repaired functions: NumPy's values whatever the chunks, and nothing computed unasked."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import likewise

pytestmark = [
    pytest.mark.needs("dask"),
    pytest.mark.filterwarnings("ignore::likewise.errors.RechunkWarning"),
]


@pytest.fixture
def da() -> Any:
    import dask.array

    return dask.array


@pytest.fixture
def xp() -> Any:
    return likewise.namespace("dask")


@pytest.fixture
def lazily() -> Iterator[None]:
    """Whatever computes, fails."""
    import dask

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("computed unasked")

    with dask.config.set(scheduler=refuse):
        yield


def values(x: Any) -> Any:
    found = x.compute(scheduler="synchronous")
    assert found.shape == x.shape
    assert found.dtype == x.dtype
    return found


def hermitian(*shape: int, dtype: str = "float64") -> Any:
    rng = np.random.default_rng(0)
    a = rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype[0] == "c" else 0)
    return (a @ a.conj().swapaxes(-2, -1) + np.eye(shape[-1])).astype(dtype)


CHUNKS = {
    "stack": ((3, 2, 4, 4), (1, 2, 2, 3)),
    "whole": ((4, 4), (4, 4)),
    "squares": ((4, 4), (2, 2)),
    "strips": ((4, 4), (2, 4)),
    "ragged": ((5, 5), (2, 3)),
    "none": ((0, 3, 3), (1, 2, 2)),
    "no size": ((2, 0, 0), (1, 1, 1)),
}
LINALG: dict[str, dict[str, Any]] = {
    "cholesky": {},
    "cholesky upper": {"upper": True},
    "det": {},
    "eigvalsh": {},
    "inv": {},
    "matrix_power": {},
    "matrix_rank": {},
    "pinv": {},
    "slogdet": {},
    "svdvals": {},
}


@pytest.mark.usefixtures("lazily")
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("chunks", CHUNKS)
@pytest.mark.parametrize("name", LINALG)
def test_linear_algebra(da: Any, xp: Any, name: str, chunks: str, dtype: str) -> None:
    shape, size = CHUNKS[chunks]
    if chunks == "no size" and name in ("matrix_rank", "svdvals", "pinv"):
        return  # the largest of no singular values
    host = hermitian(*shape, dtype=dtype)
    x = da.from_array(host, chunks=size)
    function, options = name.partition(" ")[0], LINALG[name]
    args = (3,) if function == "matrix_power" else ()
    found = getattr(xp.linalg, function)(x, *args, **options)
    expected = getattr(np.linalg, function)(host, *args, **options)
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    tolerance = 1e-3 if dtype == "float32" else 1e-10
    for a, b in pairs:
        assert a.dtype == b.dtype
        np.testing.assert_allclose(values(a), b, rtol=tolerance, atol=tolerance)


@pytest.mark.usefixtures("lazily")
@pytest.mark.parametrize("chunks", [c for c in CHUNKS if c != "no size"])
def test_decompositions(da: Any, xp: Any, chunks: str) -> None:
    shape, size = CHUNKS[chunks]
    host = hermitian(*shape)
    x = da.from_array(host, chunks=size)
    w, v = (values(part) for part in xp.linalg.eigh(x))
    np.testing.assert_allclose((v * w[..., None, :]) @ v.swapaxes(-2, -1), host, atol=1e-10)
    w, v = (values(part) for part in xp.linalg.eig(x))
    assert w.dtype == v.dtype == values(xp.linalg.eigvals(x)).dtype == np.complex128
    np.testing.assert_allclose(v * w[..., None, :], host @ v, atol=1e-10)
    for wide in (x, x[..., :2, :], x[..., :2]):
        expected = values(wide)
        for full in (False, True):
            u, s, vh = xp.linalg.svd(wide, full_matrices=full)
            k = s.shape[-1]
            product = (values(u)[..., :k] * values(s)[..., None, :]) @ values(vh)[..., :k, :]
            np.testing.assert_allclose(product, expected, atol=1e-10)
        for mode in ("reduced", "complete"):
            q, r = xp.linalg.qr(wide, mode=mode)
            np.testing.assert_allclose(values(q) @ values(r), expected, atol=1e-10)
            assert q.shape[-1] == (expected.shape[-2] if mode == "complete" else r.shape[-2])


@pytest.mark.usefixtures("lazily")
def test_rank_in_a_long_stack(da: Any, xp: Any) -> None:
    """The tolerance is of the size of one matrix, whatever the number of them."""
    host = np.broadcast_to(np.diag([1.0, 1e-14]), (100, 2, 2))
    found = values(xp.linalg.matrix_rank(da.from_array(host, chunks=50)))
    np.testing.assert_array_equal(found, np.full(100, 2))


@pytest.mark.usefixtures("lazily")
@pytest.mark.parametrize("right", [(4,), (4, 2), (3, 4, 2), (2, 3, 4, 1)], ids=str)
def test_solve(da: Any, xp: Any, right: tuple[int, ...]) -> None:
    a, b = hermitian(3, 4, 4), np.random.default_rng(1).normal(size=right)
    for left, chunks in ((a, (1, 2, 3)), (a[0], (2, 2))):
        x = da.from_array(left, chunks=chunks)
        found = xp.linalg.solve(x, da.from_array(b, chunks=2))
        np.testing.assert_allclose(values(found), np.linalg.solve(left, b), atol=1e-10)


@pytest.mark.usefixtures("lazily")
@pytest.mark.parametrize("order", [1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"])
@pytest.mark.parametrize("chunks", [c for c in CHUNKS if c != "no size"])
def test_norms(da: Any, xp: Any, chunks: str, order: Any) -> None:
    shape, size = CHUNKS[chunks]
    host = hermitian(*shape, dtype="float32")
    for keepdims in (False, True):
        found = xp.linalg.matrix_norm(da.from_array(host, size), ord=order, keepdims=keepdims)
        expected = np.linalg.matrix_norm(host, ord=order, keepdims=keepdims)
        np.testing.assert_allclose(values(found), expected, rtol=1e-5)


@pytest.mark.usefixtures("lazily")
def test_products(da: Any, xp: Any) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(4, 3, 2)), rng.normal(size=(3, 1))
    x, y = da.from_array(a, chunks=2), da.from_array(b, chunks=2)
    expected = np.cross(a, np.broadcast_to(b, (3, 2)), axis=-2)
    np.testing.assert_allclose(values(xp.linalg.cross(x, y, axis=-2)), expected)
    with pytest.raises(ValueError, match="must have 3 elements"):
        xp.linalg.cross(x, y)
    with pytest.raises(ValueError, match="do not go together"):
        xp.matmul(x, x)
    square = da.from_array(a[:2], chunks=(1, 3, 2))
    for axes in (0, ((1, 0), (-2, 0)), ((-2, 0), (1, -3)), ((0, -1), (0, -1))):
        expected = np.tensordot(a[:2], a[:2], axes)
        np.testing.assert_allclose(values(xp.tensordot(square, square, axes=axes)), expected)
    small = da.ones((2,), dtype=np.uint16)
    assert values(xp.tensordot(small, small, axes=0)).dtype == np.uint16


@pytest.mark.usefixtures("lazily")
def test_creation(xp: Any) -> None:
    for shape in ((0, 1000), (1000, 0, 3), 0, (2, 3), 4):
        for function in (xp.zeros, xp.ones, xp.empty):
            assert values(function(shape, dtype=xp.float32)).dtype == np.float32
        np.testing.assert_array_equal(values(xp.full(shape, 3)), np.full(shape, 3))
    for rows, columns, k in ((8, 12, 0), (12, 8, -3), (3, None, 1), (0, 2, 0), (2, 3, 9)):
        found = values(xp.eye(rows, columns, k=k, dtype=xp.int8))
        np.testing.assert_array_equal(found, np.eye(rows, columns, k, np.int8))
    assert values(xp.linspace(-1.2e154, -6.6e16, 25))[-1] == -6.6e16
    np.testing.assert_allclose(values(xp.linspace(1, 2, 5, endpoint=False)), np.arange(1, 2, 0.2))
    assert values(xp.linspace(1.0, 2.0, 1)).tolist() == [1.0]


@pytest.mark.usefixtures("lazily")
@pytest.mark.parametrize(("axis", "shape"), [(1, (0, 1, 2)), (-1, (0, 3, 1)), ((1, 2), (0, 1, 1))])
def test_extremes_where_no_row_is(da: Any, xp: Any, axis: Any, shape: tuple[int, ...]) -> None:
    x = da.zeros((0, 3, 2), chunks=(1, 2, 2), dtype="int16")
    dropped = np.max(np.zeros((0, 3, 2)), axis=axis).shape
    for function in (xp.max, xp.min):
        assert values(function(x, axis=axis, keepdims=True)).shape == shape
        assert values(function(x, axis=axis)).shape == dropped
        assert function(x, axis=axis).dtype == np.int16


@pytest.mark.usefixtures("lazily")
def test_indexing(da: Any, xp: Any) -> None:
    x = da.from_array(np.array([[1, 3], [5, 7]]), chunks=1)
    assert values(xp.repeat(x, 2)).tolist() == [1, 1, 3, 3, 5, 5, 7, 7]
    assert values(xp.repeat(x, 2, axis=1)).tolist() == [[1, 1, 3, 3], [5, 5, 7, 7]]
    flat = da.from_array(np.array([5, 1, 3]), chunks=2)
    order = da.from_array(np.array([1, 2, 0]), chunks=2)
    for needle, expected in ((3, 1), (da.asarray([0, 9]), [0, 3])):
        assert values(xp.searchsorted(flat, needle, sorter=order)).tolist() == expected
    assert values(xp.searchsorted(flat[1:], 3, side="right")) == 2
    assert xp.expand_dims(x, axis=(0, -1)).shape == (1, 2, 2, 1)
    for axis in ((-1, -1), (0, 0), (0, 7)):
        with pytest.raises(ValueError):
            xp.expand_dims(x, axis=axis)
    assert (
        values(xp.from_dlpack(np.ones(3))).tolist() == values(xp.from_dlpack(da.ones(3))).tolist()
    )


@pytest.mark.usefixtures("lazily")
def test_elementwise(da: Any, xp: Any) -> None:
    z = da.from_array(np.array([complex(np.inf, 0), complex(-np.inf, np.inf)]), chunks=1)
    with np.errstate(invalid="ignore"):  # NumPy's blocks may say so
        np.testing.assert_array_equal(values(xp.expm1(z)), [complex(np.inf, 0), -1])
    np.testing.assert_array_equal(values(xp.tanh(z)), [1, -1])
    x = da.ones(3, dtype=np.float32)
    assert values(xp.expm1(x)).dtype == values(xp.tanh(x)).dtype == np.float32
    assert type(xp.finfo(xp.float32).eps) is float


@pytest.mark.usefixtures("lazily")
def test_fourier_transforms(da: Any, xp: Any) -> None:
    a = np.random.default_rng(3).normal(size=(4, 6))
    x = da.from_array(a, chunks=3)
    np.testing.assert_allclose(
        values(xp.fft.rfft(x, n=5, norm="ortho")), np.fft.rfft(a, 5, norm="ortho")
    )
    np.testing.assert_allclose(
        values(xp.fft.fftn(x, s=(3, 8))), np.fft.fftn(a, s=(3, 8), axes=(0, 1))
    )
    np.testing.assert_allclose(values(xp.fft.irfft(x, axis=0)), np.fft.irfft(a, axis=0))
    with pytest.raises(TypeError):
        xp.fft.fft(x, axes=(0,))


def test_take_along_axis_with_other_chunks() -> None:
    import dask.array as da

    xp = likewise.namespace("dask")
    values = np.random.default_rng(3).normal(size=(6, 5))
    order = np.argsort(values, axis=1)
    x, i = da.from_array(values, chunks=(2, 2)), da.from_array(order, chunks=(3, 5))
    for axis in (1, -1):
        got = xp.take_along_axis(x, i, axis=axis)
        np.testing.assert_array_equal(got.compute(), np.sort(values, axis=1))


def test_take_along_axis_goes_along_the_last_by_default(da: Any, xp: Any) -> None:
    a, i = np.arange(6.0).reshape(2, 3), np.asarray([[2, 0], [1, 1]])
    found = xp.take_along_axis(da.from_array(a, chunks=2), da.from_array(i, chunks=2))
    np.testing.assert_array_equal(values(found), np.take_along_axis(a, i, axis=-1))


@pytest.mark.parametrize("k", [-1, 0, 2])
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_sides_of_a_diagonal(da: Any, xp: Any, name: str, k: int) -> None:
    x = np.arange(24.0).reshape(2, 3, 4) * (1 - 2j)
    got = getattr(xp, name)(da.from_array(x, chunks=(1, 2, 3)), k=k)
    assert got.dtype == x.dtype
    np.testing.assert_array_equal(got.compute(), getattr(np, name)(x, k=k))


def test_shapes_that_cut_no_chunk_evenly(da: Any, xp: Any) -> None:
    x = np.arange(48).reshape(2, 6, 4)
    given = da.from_array(x, chunks=(1, 4, 3))
    for shape in ((2, 24), (2, 8, 3), (48,), (2, 1, 24), (3, 16)):
        np.testing.assert_array_equal(xp.reshape(given, shape).compute(), x.reshape(shape))
    assert xp.reshape(given, (2, 8, 3)).chunks[0] == (1, 1)  # what stays is not merged


def test_matmul_of_many_blocks_with_a_whole_matrix(da: Any, xp: Any) -> None:
    """The matrix is not split as the other, for which Dask warns."""
    a, b = np.arange(24.0).reshape(2, 12), np.arange(36.0).reshape(12, 3)
    out = xp.matmul(da.from_array(a, chunks=(1, 1)), da.from_array(b))
    assert out.numblocks == (2, 1)
    np.testing.assert_array_equal(out.compute(), a @ b)


# -- derivatives of linear algebra -----------------------------------------------------------------

_R = np.random.default_rng(5)
_A = _R.normal(size=(6, 6)) + 4 * np.eye(6)
_S, _B, _W, _V = _A @ _A.T + np.eye(6), _R.normal(size=(6, 4)), _R.normal(size=(6, 4)), _A[0]


def _la(x: Any) -> Any:
    return likewise.array_namespace(x).linalg


FIRST: dict[str, tuple[Any, ...]] = {
    "inv": (lambda a: _la(a).inv(a), _A),
    "solve": (lambda a, b: _la(a).solve(a, b), _A, _B),
    "cho_factor": (lambda a: likewise.linalg.cho_factor(a)[0], _S),
    "convolve": (likewise.signal.convolve, _V, _V[:3]),
}
OTHERS: dict[str, tuple[Any, ...]] = {
    "solve of a vector": (lambda a, b: _la(a).solve(a, b), _A, _V),
    "det": (lambda a: _la(a).det(a), _A),
    "slogdet": (lambda a: _la(a).slogdet(a)[1], _A),
    "cholesky": (lambda a: _la(a).cholesky(a, upper=True), _S),
    "eigh": (lambda a: _la(a).eigh(a)[0], _S),
    "svd": (lambda a: abs(_la(a).svd(a, full_matrices=False)[0]), _W),
    "qr": (lambda a: _la(a).qr(a)[1] ** 2, _W),
    "pinv": (lambda a: _la(a).pinv(a), _W),
    "matrix_power": (lambda a: _la(a).matrix_power(a, 3), _A),
    "nuclear norm": (lambda a: _la(a).matrix_norm(a, ord="nuc"), _A),
    "expm": (likewise.linalg.expm, _A / 4),
    "cho_solve": (lambda a, b: likewise.linalg.cho_solve(likewise.linalg.cho_factor(a), b), _S, _B),
    "lu_factor": (lambda a: likewise.linalg.lu_factor(a)[0], _A),
    "lu_solve": (lambda a, b: likewise.linalg.lu_solve(likewise.linalg.lu_factor(a), b), _A, _B),
    "lu": (lambda a: likewise.linalg.lu(a)[2], _A),
    "solve_triangular": (
        lambda a, b: likewise.linalg.solve_triangular(a, b, lower=True),
        np.tril(_A),
        _B,
    ),
    "toeplitz": (likewise.linalg.toeplitz, _V),
    "solve_toeplitz": (likewise.linalg.solve_toeplitz, np.asarray([5, 1, 0.5, 0.2, 0.1, 0.1]), _V),
    "lstsq": (lambda a, b: likewise.linalg.lstsq(a, b)[0], _W, _V),
    "fftconvolve": (likewise.signal.fftconvolve, _V, _V[:3]),
    "oaconvolve": (likewise.signal.oaconvolve, _V, _V[:3]),
}


@pytest.mark.parametrize(
    "name", [*FIRST, *(pytest.param(name, marks=pytest.mark.full) for name in OTHERS)]
)
def test_derivatives_of_matrices_in_several_chunks(da: Any, name: str, rng: Any) -> None:
    """Along a random cotangent and tangent, against central differences of NumPy's values."""
    fun, *arrays = (FIRST | OTHERS)[name]
    ways = [rng.normal(size=x.shape) for x in arrays]
    weight, step = rng.normal(size=np.shape(fun(*arrays))), 1e-6
    if name in ("cho_factor", "cholesky", "eigh", "cho_solve"):
        ways[0] = ways[0] + ways[0].T
    if name == "solve_triangular":
        ways[0] = np.tril(ways[0])
    ahead, behind = (
        fun(*(x + s * w for x, w in zip(arrays, ways, strict=True))) for s in (step, -step)
    )
    slope = (ahead - behind) / (2 * step)
    for cut in (3, (2, -1)):
        lazy = [
            da.from_array(x, chunks=cut if np.ndim(cut) == 0 or x.ndim == 2 else 2) for x in arrays
        ]
        _, pulled = likewise.transforms.vjp(fun, *lazy)
        found = sum(
            np.sum(np.asarray(c) * w)
            for c, w in zip(pulled(da.from_array(weight)), ways, strict=True)
        )
        np.testing.assert_allclose(found, np.sum(weight * slope), rtol=1e-6, atol=1e-6)
        moved = likewise.transforms.jvp(fun, lazy, [da.from_array(w) for w in ways])[1]
        np.testing.assert_allclose(moved, slope, rtol=1e-5, atol=1e-6)
