"""Images, and what lies around them, against SciPy in double precision."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

from likewise.errors import ArgumentError, ShapeError
from likewise.signal import convolve2d, correlate2d

FUNCTIONS = {"convolve2d": convolve2d, "correlate2d": correlate2d}
SHAPES = [((5, 6), (2, 3)), ((4, 3), (3, 2)), ((2, 3), (5, 8)), ((1, 4), (1, 9))]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
@pytest.mark.parametrize("dtype", ["float32", "complex128", "int16", "uint8"])
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.share(4)
def test_equals_scipy(
    lib: Any,
    name: str,
    dtype: str,
    mode: str,
    boundary: str,
    rng: np.random.Generator,
    tolerance: Any,
) -> None:
    for s1, s2 in SHAPES:
        a, b = ((9 * rng.random(size=s)).astype(dtype) for s in (s1, s2))
        if dtype == "complex128":
            a, b = a + 1j * rng.normal(size=s1), b - 1j * rng.normal(size=s2)
        expected = getattr(scipy.signal, name)(a, b, mode, boundary, 2)
        if name == "correlate2d" and mode == "valid" and (s1[0] < s2[0] or s1[1] < s2[1]):
            expected = expected.conj()  # of which SciPy returns the conjugate
        got = lib.to_numpy(FUNCTIONS[name](lib.asarray(a), lib.asarray(b), mode, boundary, 2))
        assert got.shape == expected.shape
        if np.dtype(dtype).kind in "iu":
            assert got.dtype == dtype
            np.testing.assert_array_equal(got, expected)
        else:
            scale = float(np.max(np.abs(expected)))
            np.testing.assert_allclose(got, expected, rtol=0, atol=scale * tolerance(got.dtype))


def test_the_definition_of_a_complex_correlation(rng: np.random.Generator) -> None:
    a, b = rng.normal(size=(2, 3)) + 1j, rng.normal(size=(2, 3)) - 2j
    expected = np.sum(a * np.conj(b))
    np.testing.assert_allclose(correlate2d(a, b, "valid"), [[expected]])
    large = np.pad(b, ((0, 1), (0, 0)))
    np.testing.assert_allclose(correlate2d(a, large, "valid")[-1, 0], expected)


def test_booleans(lib: Any) -> None:
    a = np.asarray([[True, False], [False, False]])
    got = lib.to_numpy(convolve2d(lib.asarray(a), lib.asarray([[True, True]])))
    assert got.dtype == bool and got.tolist() == [[True, True, False], [False] * 3]


@pytest.mark.parametrize("func", FUNCTIONS.values(), ids=FUNCTIONS)
def test_bad_input(func: Any) -> None:
    x = np.ones((3, 3))
    with pytest.raises(ShapeError, match=r"2d: in2 must have two dimensions .* got shape \(3,\)"):
        func(x, np.ones(3))
    with pytest.raises(ShapeError, match="in1 must have two dimensions and not be empty"):
        func(x[:0], x)
    with pytest.raises(ShapeError, match="mode 'valid' one input must be at least as large"):
        func(np.ones((1, 3)), np.ones((3, 1)), "valid")
    with pytest.raises(ArgumentError, match="boundary must be one of 'fill'"):
        func(x, x, boundary="reflect")
    for value in ([1, 2], [], 1j, np.ones(2), None):
        with pytest.raises(ArgumentError, match="fillvalue must be one number that"):
            func(x, x, fillvalue=value)
    with pytest.raises(ArgumentError, match="fillvalue must be one number that"):
        func(x.astype(int), x.astype(int), fillvalue=1.5)
    with pytest.raises(ArgumentError, match="fillvalue' must lie in the range of int8"):
        func(x.astype("int8"), x.astype("int8"), fillvalue=300)


@pytest.mark.needs("jax")
@pytest.mark.full
def test_jax_grad_and_vmap(rng: np.random.Generator) -> None:
    import jax
    import jax.numpy as jnp

    a, b, w = rng.normal(size=(4, 3)), rng.normal(size=(2, 2)), rng.normal(size=(4, 3))
    probe = rng.normal(size=(4, 3))
    for name, func in FUNCTIONS.items():

        def run(x: Any, func: Any = func) -> Any:
            return func(x, jnp.asarray(b), "same", "symm")

        gradient = jax.grad(lambda x, run=run: jnp.sum(run(x) * w))(jnp.asarray(a))
        along = np.sum(getattr(scipy.signal, name)(probe, b, "same", "symm") * w)
        np.testing.assert_allclose(np.sum(np.asarray(gradient) * probe), along, rtol=1e-10)
        many = jax.vmap(run)(jnp.asarray([a, probe]))
        expected = getattr(scipy.signal, name)(probe, b, "same", "symm")
        np.testing.assert_allclose(many[1], expected, atol=1e-12)


@pytest.mark.needs("torch")
def test_torch_grad(rng: np.random.Generator) -> None:
    import torch

    a, b, w = rng.normal(size=(4, 3)), rng.normal(size=(2, 2)), rng.normal(size=(4, 3))
    kernel = torch.asarray(b).requires_grad_()
    out = correlate2d(torch.asarray(a), kernel, "same", "wrap")
    torch.sum(out * torch.asarray(w)).backward()
    probe = rng.normal(size=(2, 2))
    along = np.sum(scipy.signal.correlate2d(a, probe, "same", "wrap") * w)
    np.testing.assert_allclose(np.sum(kernel.grad.numpy() * probe), along, rtol=1e-10)
