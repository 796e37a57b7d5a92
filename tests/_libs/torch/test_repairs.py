"""PyTorch's repaired functions: special values, accuracy, dtypes, and every way to transform them."""

from functools import partial
from typing import Any

import numpy as np
import pytest

import likewise

pytestmark = pytest.mark.needs("torch")

inf, nan, pi = np.inf, np.nan, np.pi
ELEMENTWISE = ["acos", "expm1", "log1p", "sign", "tan", "tanh"]
REFERENCE = {"acos": np.arccos, "expm1": np.expm1, "tan": np.tan, "tanh": np.tanh}


@pytest.fixture
def torch() -> Any:
    import torch

    return torch


@pytest.fixture
def xp() -> Any:
    return likewise.namespace("torch")


def same(found: Any, expected: Any) -> None:
    """Values, NaNs, and signs of zero."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    parts = ("real", "imag") if np.iscomplexobj(expected) else ("real",)
    for part in parts:
        a, b = getattr(found, part), getattr(expected, part)
        np.testing.assert_allclose(a, b, rtol=1e-6)
        zero = b == 0
        np.testing.assert_array_equal(np.signbit(a[zero]), np.signbit(b[zero]))


# -- special values, as the standard lists them ----------------------------------------------------

SPECIAL = {
    "acos": [
        (complex(0, 0), complex(pi / 2, -0.0)),
        (complex(-0.0, 0), complex(pi / 2, -0.0)),
        (complex(0, nan), complex(pi / 2, nan)),
        (complex(3, inf), complex(pi / 2, -inf)),
        (complex(3, nan), complex(nan, nan)),
        (complex(-inf, 1), complex(pi, -inf)),
        (complex(inf, 1), complex(0, -inf)),
        (complex(-inf, inf), complex(3 * pi / 4, -inf)),
        (complex(inf, inf), complex(pi / 4, -inf)),
        (complex(nan, 1), complex(nan, nan)),
        (complex(nan, inf), complex(nan, -inf)),
    ],
    "expm1": [
        (complex(0, 0), complex(0, 0)),
        (complex(-0.0, 0), complex(0, 0)),
        (complex(1, inf), complex(nan, nan)),
        (complex(1, nan), complex(nan, nan)),
        (complex(inf, 0), complex(inf, 0)),
        (complex(-inf, 1), complex(-1, 0)),
        (complex(inf, 1), complex(inf, inf)),
        (complex(-inf, inf), complex(-1, 0)),
        (complex(inf, inf), complex(inf, nan)),
        (complex(-inf, nan), complex(-1, 0)),
        (complex(inf, nan), complex(inf, nan)),
        (complex(nan, 0), complex(nan, 0)),
        (complex(nan, 1), complex(nan, nan)),
    ],
    "log1p": [
        (complex(-1, 0), complex(-inf, 0)),
        (complex(2, inf), complex(inf, pi / 2)),
        (complex(-1e-300, inf), complex(inf, pi / 2)),
        (complex(2, nan), complex(nan, nan)),
        (complex(-inf, 1), complex(inf, pi)),
        (complex(inf, 1), complex(inf, 0)),
        (complex(-inf, inf), complex(inf, 3 * pi / 4)),
        (complex(inf, inf), complex(inf, pi / 4)),
        (complex(inf, nan), complex(inf, nan)),
        (complex(-inf, nan), complex(inf, nan)),
        (complex(nan, 1), complex(nan, nan)),
        (complex(nan, inf), complex(inf, nan)),
    ],
    "tan": [
        (complex(0, 0), complex(0, 0)),
        (complex(2, inf), complex(0, 1)),
        (complex(inf, inf), complex(0, 1)),
        (complex(nan, inf), complex(0, 1)),
        (complex(inf, 1), complex(nan, nan)),
    ],
    "tanh": [
        (complex(0, 0), complex(0, 0)),
        (complex(inf, 2), complex(1, 0)),
        (complex(inf, inf), complex(1, 0)),
        (complex(inf, nan), complex(1, 0)),
        (complex(1, inf), complex(nan, nan)),
        (complex(nan, 0), complex(nan, 0)),
        (complex(nan, 1), complex(nan, nan)),
    ],
}


@pytest.mark.parametrize("layout", ["together", "strided", "alone"])
@pytest.mark.parametrize("name", SPECIAL)
def test_special_values(torch: Any, xp: Any, name: str, layout: str) -> None:
    """Also of the conjugate; torch has other code for vectors than for what is left of them."""
    points = np.array([z for z, _ in SPECIAL[name]] * 3)
    values = np.array([w for _, w in SPECIAL[name]] * 3)
    function = getattr(xp, name)
    for z, expected in ((points, values), (points.conj(), values.conj())):
        if layout == "together":
            found = function(torch.asarray(z)).numpy()
        elif layout == "strided":
            found = function(torch.asarray(np.repeat(z, 2))[::2]).numpy()
        else:
            found = np.array([function(torch.asarray(w)).item() for w in z])
        for part in ("real", "imag"):  # signs that the standard leaves open
            left_open = np.isnan(z) | ((part == "imag") & np.isinf(z.imag))
            for result in (getattr(found, part), getattr(expected, part)):
                result[left_open & (result == 0)] = 0
        same(found, expected)


def test_special_values_of_sign(torch: Any, xp: Any) -> None:
    for dtype in (torch.float32, torch.float64):
        found = xp.sign(torch.asarray([nan, -0.0, 0.0, 5e-324, -inf, inf, -2.0], dtype=dtype))
        tiny = 1.0 if dtype == torch.float64 else 0.0
        same(found, np.array([nan, 0.0, 0.0, tiny, -1.0, 1.0, -1.0]))
    found = xp.sign(torch.asarray([complex(nan, 1), complex(1, nan), 3 + 4j]))
    same(found, np.array([complex(nan, nan), complex(nan, nan), 0.6 + 0.8j]))
    zeros = torch.asarray([complex(a, b) for a in (0.0, -0.0) for b in (0.0, -0.0)])
    same(xp.sign(zeros), np.zeros(4, complex))


def test_signs_of_remainders(torch: Any, xp: Any) -> None:
    """Of the divisor, zero included: Python's."""
    values = [-4.0, 4.0, -0.0, 0.0, 5.0, -5.0, 0.3]
    divisors = [2.0, -2.0, 0.7, inf, -inf]
    expected = np.array([[x % y for y in divisors] for x in values])
    x, y = torch.asarray(values), torch.asarray(divisors)
    same(xp.remainder(x[:, None], y), expected)
    same(xp.remainder(x[:, None].requires_grad_(), y).detach(), expected)
    for i, divisor in enumerate(divisors):
        same(xp.remainder(x, divisor), expected[:, i])
    for i, value in enumerate(values):
        same(xp.remainder(value, y), expected[i])
    whole = torch.asarray([-4, 5, 3])
    assert xp.remainder(whole, 3).tolist() == [2, 2, 0]
    assert xp.remainder(whole, torch.asarray([3, -3, 3])).dtype == whole.dtype


# -- ordinary values -------------------------------------------------------------------------------


def points(torch: Any, dtype: str = "complex128") -> Any:
    """Of every size, around the places where formulas change, and beside the cuts."""
    rng = np.random.default_rng(0)
    z = 10 ** rng.uniform(-3, 1, 300) * np.exp(1j * rng.uniform(-pi, pi, 300))
    near = [c + z[:60] * 1e-3 for c in (1, -1, 1j, -1j, 0.5)]
    cuts = [complex(a, b) for a in (-3, -1.5, -0.5, 0.5, 2) for b in (0.0, -0.0)]
    return torch.asarray(np.concatenate([z, *near, cuts]).astype(dtype))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", ["acos", "expm1", "log1p", "tan", "tanh"])
def test_accuracy(torch: Any, xp: Any, name: str, dtype: str) -> None:
    z = points(torch, dtype)
    found = getattr(xp, name)(z).numpy()
    wide = z.numpy().astype(np.clongdouble)
    if name == "log1p":  # NumPy's is as exact as 1 + z
        one = wide.copy()
        one.real += 1
        expected = np.log(one)
    else:
        expected = REFERENCE[name](wide)
    assert found.dtype == dtype
    eps = np.finfo(found.dtype).eps
    assert np.max(np.abs(found - expected) / np.abs(expected)) < 8 * eps
    if name in ("acos", "log1p"):  # the side of the cut
        cut = wide.imag == 0
        np.testing.assert_array_equal(np.signbit(found.imag[cut]), np.signbit(expected.imag[cut]))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("default", ["float32", "float64"])
@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.share(3)
def test_dtypes(torch: Any, xp: Any, name: str, default: str, dtype: str) -> None:
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, default))
    try:
        x = torch.asarray([0.5, 0.25], dtype=getattr(torch, dtype))
        out = getattr(xp, name)(x)
        assert out.dtype == x.dtype
        assert getattr(xp, name)(x.to("meta")).dtype == x.dtype
        if not x.is_complex():
            assert xp.remainder(x, x).dtype == xp.remainder(x, 2.0).dtype == x.dtype
            assert xp.var(x, correction=0.5).dtype == x.dtype
    finally:
        torch.set_default_dtype(before)


# -- transformations -------------------------------------------------------------------------------


def functions(xp: Any) -> dict[str, Any]:
    return {n: getattr(xp, n) for n in ELEMENTWISE} | {
        "remainder": lambda x: xp.remainder(x, 3 + x * x),
        "remainder by a number": lambda x: xp.remainder(x, -0.7),
        "remainder of a number": lambda x: xp.remainder(5.0, 3 + x),
        "std": lambda x: xp.std(x, axis=-1, correction=0.5),
        "var": lambda x: xp.var(x, correction=1.5, keepdims=True),
    }


NAMES = [*functions(likewise.namespace("numpy"))]
REAL = [n for n in NAMES if n not in ELEMENTWISE]


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.share(3)
def test_transformations(torch: Any, xp: Any, name: str, kind: str) -> None:
    """The same values compiled and batched; derivatives are those of differences."""
    if kind == "complex" and name in REAL:
        return
    function = functions(xp)[name]
    rng = np.random.default_rng(1)
    x = torch.asarray(rng.uniform(-0.9, 0.9, (3, 5)))
    if kind == "complex":
        x = torch.complex(x, torch.asarray(rng.uniform(-2, 2, (3, 5))))
        x[0, 0] = 0.4  # on the real axis
        x[0, 1] = -0.3
    out = function(x)
    compiled = torch.compile(function, fullgraph=True, backend="eager")(x)
    assert torch.equal(compiled, out)
    rows = torch.func.vmap(function)(x)
    torch.testing.assert_close(rows, torch.stack([function(row) for row in x]))

    y = torch.asarray(rng.normal(size=tuple(out.shape))).to(out.dtype)
    v = torch.asarray(rng.normal(size=(3, 5))).to(x.dtype)
    if kind == "complex":
        y, v = y * (1 + 2j), v * (2 - 1j)
    step = 1e-6
    difference = (function(x + step * v) - function(x - step * v)) / (2 * step)
    _, forward = torch.func.jvp(function, (x,), (v,))
    torch.testing.assert_close(forward, difference, rtol=1e-6, atol=1e-7)

    leaf = x.clone().requires_grad_()
    (backward,) = torch.autograd.grad(function(leaf), leaf, y)
    expected = torch.sum(torch.conj(y) * difference).real
    torch.testing.assert_close(
        torch.sum(torch.conj(backward) * v).real, expected, rtol=1e-6, atol=1e-7
    )


def test_derivatives_at_the_seams(torch: Any, xp: Any) -> None:
    """No infinity times zero from the branch that isn't taken; one-sided where there is a jump."""
    far = torch.asarray([800.0 + 1j, -800.0 + 1j, 1e200 + 1e200j, 0j])
    for name in ("expm1", "log1p", "tanh", "acos"):
        x = (far[1:] if name == "expm1" else far).clone()
        x = x[torch.isfinite(getattr(xp, name)(x))].requires_grad_()
        (found,) = torch.autograd.grad(getattr(xp, name)(x), x, torch.ones_like(x))
        assert torch.all(torch.isfinite(found)), name
    x = torch.asarray([0.0, 1.0, -2.0, 4.0])
    for divisor in (1.0, -1.0, torch.full((4,), 2.0), torch.full((4,), -1.0)):
        remainder = partial(lambda d, x: xp.remainder(x, d), divisor)
        leaf = x.clone().requires_grad_()
        (found,) = torch.autograd.grad(remainder(leaf), leaf, torch.ones(4))
        assert torch.equal(found, torch.ones(4))
        assert torch.equal(torch.func.jvp(remainder, (x,), (x,))[1], x)
    assert torch.equal(torch.func.grad(lambda x: torch.sum(xp.sign(x)))(x), torch.zeros(4))
    assert torch.equal(torch.func.jvp(xp.sign, (x,), (x,))[1], torch.zeros(4))


def test_inputs_stay_as_they_are(torch: Any, xp: Any) -> None:
    x, y = torch.asarray([nan, -0.0, 4.0]), torch.asarray([1.0, 2.0, -2.0])
    kept = x.clone(), y.clone()
    xp.remainder(x, y), xp.sign(x), xp.unique_all(x), xp.std(x)
    same(x, kept[0])
    same(y, kept[1])


# -- sets ------------------------------------------------------------------------------------------

SETS = {
    "floats": np.array([[nan, 1.0, -0.0], [0.0, nan, 1.0], [inf, -inf, nan]]),
    "integers": np.array([3, 1, 3, -2, 1]),
    "booleans": np.array([True, False, True]),
    "complex": np.array([[1 + 1j, 1 - 1j, complex(nan, 0)], [1 + 1j, 0j, complex(1, nan)]]),
    "one": np.array(2.0),
    "none": np.zeros((0, 2)),
}


@pytest.mark.parametrize("case", SETS)
def test_sets(torch: Any, xp: Any, case: str) -> None:
    """Sorted; the first of equal elements; every NaN is one of its own."""
    host = SETS[case]
    x = torch.asarray(host)
    found = xp.unique_all(x)
    values, indices, inverse, counts = found
    expected = np.unique(host, equal_nan=False)
    assert values.dtype == x.dtype
    assert indices.dtype == inverse.dtype == counts.dtype == torch.int64
    assert inverse.shape == x.shape
    numbers = expected[~np.isnan(expected)]
    np.testing.assert_array_equal(values[: len(numbers)], numbers)
    assert len(values) == len(numbers) + np.sum(np.isnan(host))
    np.testing.assert_array_equal(host.flatten()[indices], values)
    np.testing.assert_array_equal(values[inverse], host)
    for i, index in enumerate(indices.tolist()):
        places = np.flatnonzero(inverse.numpy() == i)
        assert places[0] == index
        assert len(places) == counts[i]
    for name, fields in (
        ("counts", ("values", "counts")),
        ("inverse", ("values", "inverse_indices")),
    ):
        part = getattr(xp, f"unique_{name}")(x)
        for field in fields:
            np.testing.assert_array_equal(getattr(part, field), getattr(found, field))
    np.testing.assert_array_equal(xp.unique_values(x), values)


# -- statistics, dtypes, shapes --------------------------------------------------------------------


@pytest.mark.parametrize("axis", [None, 0, (0, 2)])
@pytest.mark.parametrize("correction", [0, 1, 0.5, 1.25])
def test_fractional_corrections(torch: Any, xp: Any, correction: float, axis: Any) -> None:
    x = np.random.default_rng(2).normal(size=(3, 4, 2))
    for name in ("std", "var"):
        for keepdims in (False, True):
            found = getattr(xp, name)(
                torch.asarray(x), axis=axis, correction=correction, keepdims=keepdims
            )
            expected = getattr(np, name)(x, axis=axis, ddof=correction, keepdims=keepdims)
            np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_spread_of_single_elements(torch: Any, xp: Any) -> None:
    x = torch.asarray([1.0, nan])
    same(xp.std(x, axis=()), np.array([0.0, nan]))
    assert torch.all(torch.isnan(xp.var(x, axis=(), correction=1)))


def test_limits_of_dtypes(torch: Any, xp: Any) -> None:
    for name in ("float32", "float64", "complex64", "complex128"):
        dtype, host = getattr(torch, name), np.finfo(name)
        for argument in (dtype, torch.ones(1, dtype=dtype)):
            found = xp.finfo(argument)
            assert found.dtype == getattr(torch, host.dtype.name)
            for field in ("bits", "eps", "max", "min", "smallest_normal"):
                assert getattr(found, field) == getattr(host, field)
    for name in ("int8", "int16", "int32", "int64", "uint8"):
        found = xp.iinfo(getattr(torch, name))
        assert (found.bits, found.max, found.min) == (
            np.iinfo(name).bits,
            np.iinfo(name).max,
            np.iinfo(name).min,
        )
        assert found.dtype == getattr(torch, name)
    with pytest.raises(TypeError):
        xp.finfo(torch.int32)
    half = lambda x: x * xp.finfo(x.dtype).eps  # noqa: E731
    compiled = torch.compile(half, fullgraph=True, backend="eager")
    assert torch.equal(compiled(torch.ones(2)), half(torch.ones(2)))


def test_shapes_that_do_not_fit(xp: Any) -> None:
    assert xp.broadcast_shapes((3, 1), (4,)) == (3, 4)
    assert xp.broadcast_shapes() == ()
    with pytest.raises(ValueError, match="3"):
        xp.broadcast_shapes((3,), (4,))


# -- order of elements and of axes -----------------------------------------------------------------


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_takes_nan_for_the_largest(torch: Any, xp: Any, side: Any) -> None:
    """And searches strided tensors without a warning, which pytest would raise."""
    sought = np.asarray([-inf, 0.0, 1.5, 3.0, inf, nan])
    for row in ([], [1.0], [nan], [1.0, 2.0, nan, nan], [-inf, 1.5, inf], [0.0, inf, nan]):
        expected = np.searchsorted(np.asarray(row), sought, side=side)
        x1, x2 = (torch.asarray(a, dtype=torch.float64) for a in (row, sought))
        found = xp.searchsorted(x1, x2, side=side)
        assert found.dtype == torch.int64
        assert found.tolist() == expected.tolist()
        wide = torch.stack([x2, x2], dim=-1)
        assert xp.searchsorted(x1, wide[:, 0], side=side).tolist() == expected.tolist()
        many = torch.func.vmap(lambda v, x1=x1: xp.searchsorted(x1, v, side=side))(wide.T)
        assert many.tolist() == [expected.tolist()] * 2
    table, order = torch.asarray([3, 1, 2]), torch.asarray([1, 2, 0])
    expected = np.searchsorted([1, 2, 3], [2, 5], side=side).tolist()
    found = xp.searchsorted(table, torch.asarray([2, 5]), side=side, sorter=order)
    assert found.tolist() == expected
    assert int(xp.searchsorted(torch.asarray([1.0, nan]), 0.5, side=side)) == 0


@pytest.mark.parametrize("source", [0, -1, (0, 2)])
def test_moveaxis_under_vmap(torch: Any, xp: Any, source: Any) -> None:
    x = torch.arange(120).reshape(2, 3, 4, 5)
    end = -1 if isinstance(source, int) else (1, 0)
    found = torch.func.vmap(lambda a: xp.moveaxis(a, source, end))(x)
    expected = np.stack([np.moveaxis(a, source, end) for a in x.numpy()])
    np.testing.assert_array_equal(found.numpy(), expected)


def test_full_like_of_an_array_stays_where_it_is_asked_to(torch: Any, xp: Any) -> None:
    value, there = torch.tensor(2.0), torch.empty((2, 3), device="meta", dtype=torch.float32)
    assert xp.full_like(there, value).device.type == "meta"
    here = xp.full_like(there, value, device="cpu")
    assert here.device.type == "cpu"
    same(here, np.full((2, 3), 2.0))


def test_solutions_by_the_inverse(torch: Any, xp: Any, rng: np.random.Generator) -> None:
    """The values of one, the derivatives of the other, forward and backward."""
    from likewise._libs.torch import _repairs

    inverse, b, x, t = (torch.asarray(rng.normal(size=s)) for s in ((2, 2), (2, 3), (2, 3), (2, 3)))
    solved = partial(_repairs.by_inverse, x, inverse)
    same(solved(b), x)
    same(torch.func.vjp(solved, b)[1](t)[0], inverse.T @ t)
    same(torch.func.jvp(solved, (b,), (t,))[1], inverse @ t)


@pytest.mark.parametrize("dtype", ["complex128", "int8"])
def test_products_of_rows(torch: Any, xp: Any, dtype: str, rng: np.random.Generator) -> None:
    a, b = (rng.integers(-9, 9, (2, 3)) + 1j * rng.integers(-9, 9, (2, 3)) for _ in range(2))
    a, b = (c.astype(dtype) if dtype[0] == "c" else c.real.astype(dtype) for c in (a, b))
    x, y = torch.asarray(a), torch.asarray(b)
    same(xp.vecdot(x, y), np.vecdot(a, b))
    assert xp.vecdot(x, y).dtype == x.dtype
    same(xp.vecdot(x, y, axis=0), np.vecdot(a, b, axis=0))


# -- Fourier transforms of nothing, which MKL refuses ----------------------------------------------


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
def test_a_transform_of_an_empty_batch_is_empty(xp: Any, torch: Any, name: str) -> None:
    real = name in ("rfft", "ihfft")
    x = torch.zeros((0, 6), dtype=torch.float64 if real else torch.complex128)
    like = np.zeros((0, 6), dtype="float64" if real else "complex128")
    for kwargs in ({}, {"n": 4}, {"n": 9, "norm": "ortho"}):
        assert getattr(xp.fft, name)(x, **kwargs).shape == (
            getattr(np.fft, name)(like, **kwargs).shape
        )
    turned = getattr(xp.fft, name)(x.T, axis=0)
    assert turned.shape == getattr(np.fft, name)(like.T, axis=0).shape
    with pytest.raises(RuntimeError, match="Invalid number of data points"):
        getattr(xp.fft, name)(x.T)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_transforms_of_an_empty_batch_are_empty(xp: Any, torch: Any, name: str) -> None:
    x = torch.zeros((3, 0, 6), dtype=torch.float64, requires_grad=name == "rfftn")
    x = x if name == "rfftn" else x + 0j
    like = np.zeros((3, 0, 6)) + (0 if name == "rfftn" else 0j)
    out = getattr(xp.fft, name)(x, axes=(0, 2), s=(4, 5))
    assert out.shape == getattr(np.fft, name)(like, axes=(0, 2), s=(4, 5)).shape
    if x.requires_grad:
        (change,) = torch.autograd.grad(torch.sum(torch.real(out)), x)
        assert change.shape == x.shape
