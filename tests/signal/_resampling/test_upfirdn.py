"""Resampling by a filter, against SciPy in double precision."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

from likewise.errors import ArgumentError, ShapeError
from likewise.signal import upfirdn
from likewise.signal._resampling._upfirdn import MODES

FACTORS = [(1, 1), (3, 2), (2, 5), (7, 3)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_equals_scipy(
    lib: Any, mode: str, dtype: str, rng: np.random.Generator, tolerance: Any, once: bool
) -> None:
    x, h = rng.normal(size=(2, 6)).astype(dtype), rng.normal(size=17).astype("float32")
    for up, down in FACTORS[-1:] if once else FACTORS:
        expected = scipy.signal.upfirdn(h, x.astype("c16"), up, down, -1, mode, 1.5)
        for func in (upfirdn,) if once else (upfirdn, upfirdn.generic):  # type: ignore[attr-defined]
            got = lib.to_numpy(func(lib.asarray(h), lib.asarray(x), up, down, -1, mode, 1.5))
            assert got.shape == expected.shape
            scale = float(np.max(np.abs(expected)))
            np.testing.assert_allclose(got, expected, rtol=0, atol=scale * tolerance(got.dtype))


def test_axes_and_integers(lib: Any) -> None:
    x = np.arange(24).reshape(4, 3, 2)
    expected = scipy.signal.upfirdn([1.0, 2.0], x, 2, 1, axis=1)
    got = upfirdn(lib.asarray([1, 2]), lib.asarray(x), 2, axis=1)
    assert lib.xp.isdtype(got.dtype, "real floating")
    np.testing.assert_allclose(lib.to_numpy(got), expected)


@pytest.mark.parametrize("mode", MODES)
def test_a_single_sample_goes_on(lib: Any, mode: str) -> None:
    """SciPy reads beyond it in some modes, and ends the process in two."""
    got = lib.to_numpy(upfirdn(lib.asarray([1.0, 2.0, 4.0]), lib.asarray([3.0]), mode=mode))
    sums = {"constant": [3, 6, 12], "antisymmetric": [3 * (1 - 2 + 4), -3 * (1 - 2 + 4), 9]}
    np.testing.assert_allclose(got, sums.get(mode, [21, 21, 21]))


def test_bad_input() -> None:
    x = np.ones(4)
    for h in (np.ones((2, 2)), np.ones(0), 1.0):
        with pytest.raises(ShapeError, match="upfirdn: h must be a sequence that isn't empty"):
            upfirdn(h, x)
    with pytest.raises(ShapeError, match="x must have samples along axis 0, got shape"):
        upfirdn(x, x[:0])
    for name, options in (("up", {"up": 0}), ("down", {"down": 1.5})):
        with pytest.raises(ArgumentError, match=f"{name} must be an integer of at least 1, got"):
            upfirdn(x, x, **options)
    with pytest.raises(ArgumentError, match="mode must be one of 'constant'"):
        upfirdn(x, x, mode="mirror")
    with pytest.raises(ArgumentError, match="cval must be a real number, got 'x'"):
        upfirdn(x, x, cval="x")
    with pytest.raises(ShapeError, match="axis must lie in"):
        upfirdn(x, x, axis=1)


@pytest.mark.needs("jax")
@pytest.mark.full
def test_jax_jit_grad_and_vmap(rng: np.random.Generator) -> None:
    """The result is linear in each argument: a derivative along a probe is the function of it."""
    import jax
    import jax.numpy as jnp

    h, x, probe = rng.normal(size=9), rng.normal(size=12), rng.normal(size=12)
    for mode in ("antireflect", "constant"):

        def run(h: Any, x: Any, mode: str = mode) -> Any:
            return upfirdn(jnp.asarray(h), x, 3, 2, mode=mode)

        expected = scipy.signal.upfirdn(h, x, 3, 2, mode=mode)
        w = rng.normal(size=expected.shape)
        np.testing.assert_allclose(jax.jit(run)(h, x), expected, atol=1e-12)
        gradient = jax.grad(lambda x, run=run, w=w: jnp.sum(run(h, x) * w))(jnp.asarray(x))
        along = np.sum(scipy.signal.upfirdn(h, probe, 3, 2, mode=mode) * w)
        np.testing.assert_allclose(np.sum(np.asarray(gradient) * probe), along, rtol=1e-10)
        many = jax.vmap(lambda x, run=run: run(h, x))(jnp.asarray([x, 2 * x]))
        np.testing.assert_allclose(many[1], 2 * expected, atol=1e-12)


@pytest.mark.needs("torch")
def test_torch_grad(rng: np.random.Generator) -> None:
    import torch

    h, x = torch.asarray(rng.normal(size=9)).requires_grad_(), rng.normal(size=12)
    out = upfirdn(h, torch.asarray(x), 2, 3, mode="wrap")
    w, probe = rng.normal(size=out.shape), rng.normal(size=9)
    torch.sum(out * torch.asarray(w)).backward()
    along = np.sum(scipy.signal.upfirdn(probe, x, 2, 3, mode="wrap") * w)
    np.testing.assert_allclose(np.sum(h.grad.numpy() * probe), along, rtol=1e-10)
