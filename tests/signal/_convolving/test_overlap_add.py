"""Convolution by blocks: SciPy's `fftconvolve` in double precision is the reference."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

from likewise.errors import ExtensionMissing, ShapeError
from likewise.signal import oaconvolve
from likewise.signal._convolving._overlap_add import _step

SHAPES: dict[str, Any] = {
    "long": ((300,), (7,), None),
    "short first": ((7,), (300,), None),
    "one block": ((9,), (8,), None),
    "both ways": ((150, 4), (3, 120), None),
    "an axis": ((3, 200), (1, 5), -1),
    "the first axis": ((200, 3), (6, 3), 0),
    "no sums": ((4,), (1,), None),
}


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("case", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.share(2)
def test_equals_the_whole(
    lib: Any, case: str, mode: str, dtype: str, rng: np.random.Generator, tolerance: Any
) -> None:
    if not lib.has_extensions or (case, mode) == ("both ways", "valid"):
        return
    s1, s2, axes = SHAPES[case]
    a, b = (rng.normal(size=s).astype(dtype) for s in (s1, s2))
    expected = scipy.signal.fftconvolve(a.astype("c16"), b.astype("c16"), mode, axes)
    got = lib.to_numpy(oaconvolve(lib.asarray(a), lib.asarray(b), mode, axes))
    assert got.shape == expected.shape
    assert got.dtype == dtype or (not lib.has_float64 and got.dtype == "complex64")
    scale = max(1.0, float(np.max(np.abs(expected))))
    np.testing.assert_allclose(got, expected, rtol=0, atol=scale * tolerance(got.dtype))


def test_blocks_are_worth_it() -> None:
    for long, short in ((300, 7), (10**6, 1000)):
        step = _step(short, long)
        assert step == _step(long, short) and short - 1 <= step < long
    assert _step(300, 1) == _step(9, 8) == _step(5000, 2000) == 0


def test_empty_and_scalars(lib: Any) -> None:
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match="oaconvolve: needs the array API extension"):
            oaconvolve(lib.asarray(np.ones(9)), lib.asarray(np.ones(3)))
        return
    assert oaconvolve(lib.asarray(np.ones((0, 3))), lib.asarray(np.ones((2, 3)))).shape == (0,)
    assert lib.to_numpy(oaconvolve(lib.asarray(3.0), lib.asarray(2.0))) == 6
    with pytest.raises(ShapeError, match="oaconvolve: in1 and in2 must have equally many"):
        oaconvolve(lib.asarray(np.ones((2, 3))), lib.asarray(np.ones(3)))


def test_integers_become_floating(lib: Any) -> None:
    if not lib.has_extensions:
        return
    out = oaconvolve(lib.asarray(np.arange(100)), lib.asarray([1, 2]))
    assert lib.xp.isdtype(out.dtype, "real floating")
    expected = np.convolve(np.arange(100), [1, 2])
    np.testing.assert_allclose(lib.to_numpy(out), expected, atol=1e-3)


@pytest.mark.needs("jax")
def test_jax_grad_and_vmap(rng: np.random.Generator) -> None:
    import jax
    import jax.numpy as jnp

    a, b = rng.normal(size=90), rng.normal(size=4)
    w, probe = rng.normal(size=93), rng.normal(size=90)
    gradient = jax.grad(lambda x: jnp.sum(oaconvolve(x, jnp.asarray(b)) * w))(jnp.asarray(a))
    along = np.sum(np.convolve(probe, b) * w)
    np.testing.assert_allclose(np.sum(np.asarray(gradient) * probe), along, rtol=1e-10)
    many = jax.vmap(lambda x: oaconvolve(x, jnp.asarray(b)))(jnp.asarray([a, probe]))
    np.testing.assert_allclose(many[1], np.convolve(probe, b), atol=1e-12)


@pytest.mark.needs("torch")
def test_torch_grad(rng: np.random.Generator) -> None:
    import torch

    a, b = torch.asarray(rng.normal(size=90)).requires_grad_(), rng.normal(size=4)
    w, probe = rng.normal(size=93), rng.normal(size=90)
    torch.sum(oaconvolve(a, torch.asarray(b)) * torch.asarray(w)).backward()
    along = np.sum(np.convolve(probe, b) * w)
    np.testing.assert_allclose(np.sum(a.grad.numpy() * probe), along, rtol=1e-10)
