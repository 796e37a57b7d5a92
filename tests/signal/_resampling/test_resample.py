"""Resampling by transforms and by filters, against SciPy in double precision."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

from likewise.errors import ArgumentError, ExtensionMissing, ShapeError
from likewise.signal import resample, resample_poly

PADTYPES = ["constant", "line", "antisymmetric", "mean", "median", "maximum", "minimum"]


def close(lib: Any, got: Any, expected: Any, tolerance: Any) -> None:
    values = lib.to_numpy(got)
    assert values.shape == expected.shape
    scale = max(1.0, float(np.max(np.abs(expected))))
    np.testing.assert_allclose(values, expected, rtol=0, atol=scale * tolerance(values.dtype))


@pytest.mark.parametrize("n", [7, 8])
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("window", [None, "hamming", "array"])
def test_resample_equals_scipy(
    lib: Any, n: int, dtype: str, window: Any, rng: np.random.Generator, tolerance: Any
) -> None:
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match="resample: needs the array API extension"):
            resample(lib.asarray(np.ones(4)), 3)
        return
    x = rng.normal(size=(n, 2)).astype(dtype)
    theirs = rng.normal(size=n).astype("float32") if window == "array" else window
    ours = lib.asarray(theirs) if window == "array" else window
    for num in (1, 2, 4, 5, n, 12, 13):
        expected = scipy.signal.resample(x.astype(np.result_type(dtype, "f8")), num, window=theirs)
        close(lib, resample(lib.asarray(x), num, window=ours), expected, tolerance)
    spectrum = np.fft.fft(x, axis=0).astype("complex64")
    for num in (4, 12):
        expected = scipy.signal.resample(spectrum.astype("c16"), num, window=theirs, domain="freq")
        got = resample(lib.asarray(spectrum), num, window=ours, domain="freq")
        close(lib, got, expected, tolerance)


def test_times_and_functions_of_frequencies(lib: Any, rng: np.random.Generator) -> None:
    if not lib.has_extensions:
        return
    x = rng.normal(size=6)
    out, t = resample(lib.asarray(x), 4, t=[10.0, 12.0], window=lambda f: f * f)
    expected, times = scipy.signal.resample(x, 4, t=[10.0, 12.0], window=lambda f: f * f)
    np.testing.assert_allclose(lib.to_numpy(out), expected, atol=1e-5)
    np.testing.assert_allclose(lib.to_numpy(t), times, rtol=1e-6)
    _, t = resample(lib.asarray(x), 4, t=lib.asarray([10.0, 12.0, 13.0]))
    np.testing.assert_allclose(lib.to_numpy(t), times, rtol=1e-6)


@pytest.mark.parametrize("padtype", PADTYPES)
def test_poly_equals_scipy(
    lib: Any, padtype: str, rng: np.random.Generator, tolerance: Any
) -> None:
    x = rng.normal(size=(3, 9)).astype("float32")
    for up, down, window in ((3, 2, ("kaiser", 5.0)), (2, 6, [1.0, 2.0, 0.5]), (4, 2, "hann")):
        options = {"axis": 1, "window": window, "padtype": padtype}
        expected = scipy.signal.resample_poly(x.astype("f8"), up, down, **options)
        got = resample_poly(lib.asarray(x), up, down, **options)
        assert lib.to_numpy(got).dtype == "float32"
        close(lib, got, expected, tolerance)


def test_poly_of_coefficients_and_constants(
    lib: Any, rng: np.random.Generator, tolerance: Any
) -> None:
    x, h = rng.normal(size=9) + 1j, rng.normal(size=6)
    expected = scipy.signal.resample_poly(x, 3, 4, window=h, cval=2.0)
    got = resample_poly(lib.asarray(x), 3, 4, window=lib.asarray(h), cval=2.0)
    close(lib, got, expected, tolerance)
    same = resample_poly(lib.asarray([1, 2, 3]), 4, 4)
    assert lib.to_numpy(same).tolist() == [1.0, 2.0, 3.0]
    assert lib.xp.isdtype(same.dtype, "real floating")


def test_bad_input() -> None:
    x = np.ones(4)
    with pytest.raises(ShapeError, match="resample: window must have a value for each of 4"):
        resample(x, 3, window=np.ones(5))
    with pytest.raises(ArgumentError, match="domain must be one of 'time', 'freq'"):
        resample(x, 3, domain="space")
    with pytest.raises(ArgumentError, match="num must be an integer of at least 1, got 0"):
        resample(x, 0)
    with pytest.raises(ShapeError, match="t must be at least two times"):
        resample(x, 3, t=[1.0])
    for call in (lambda: resample(x[:0], 3), lambda: resample_poly(x[:0], 3, 2)):
        with pytest.raises(ShapeError, match="x must have samples along axis 0"):
            call()
    for up, down in (("yo", 1), (1, 0), (1.3, 2)):
        with pytest.raises(ArgumentError, match="resample_poly: (up|down) must be"):
            resample_poly(x, up, down)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="padtype must be one of 'maximum'"):
        resample_poly(x, 2, 1, padtype="")
    with pytest.raises(ArgumentError, match="cval has no part in padtype 'mean', got 10"):
        resample_poly(x, 2, 1, padtype="mean", cval=10)
    with pytest.raises(ShapeError, match=r"window must be a sequence .* got shape \(2, 2\)"):
        resample_poly(x, 2, 1, window=np.eye(2))


@pytest.mark.needs("jax")
@pytest.mark.full
def test_jax_jit_grad_and_vmap(rng: np.random.Generator) -> None:
    import jax
    import jax.numpy as jnp

    x, probe = rng.normal(size=8), rng.normal(size=8)
    ways: dict[str, Any] = {
        "resample": lambda f, x: f(x, 12, window="hamming"),
        "resample_poly": lambda f, x: f(x, 3, 2, padtype="mean"),
    }
    for name, way in ways.items():
        ours, theirs = (
            {"resample": resample, "resample_poly": resample_poly}[name],
            getattr(scipy.signal, name),
        )

        def run(x: Any, way: Any = way, ours: Any = ours) -> Any:
            return way(ours, x)

        w = rng.normal(size=12)
        np.testing.assert_allclose(jax.jit(run)(x), way(theirs, x), atol=1e-12)
        gradient = jax.grad(lambda x, run=run, w=w: jnp.sum(run(x) * w))(jnp.asarray(x))
        along = np.sum(way(theirs, probe) * w)
        np.testing.assert_allclose(np.sum(np.asarray(gradient) * probe), along, rtol=1e-10)
        many = jax.vmap(run)(jnp.asarray([x, probe]))
        np.testing.assert_allclose(many[1], way(theirs, probe), atol=1e-12)


@pytest.mark.needs("torch")
def test_torch_grad(rng: np.random.Generator) -> None:
    import torch

    x, probe, w = rng.normal(size=8), rng.normal(size=8), rng.normal(size=5)
    z = torch.asarray(x).requires_grad_()
    torch.sum(resample(z, 5) * torch.asarray(w)).backward()
    along = np.sum(scipy.signal.resample(probe, 5) * w)
    np.testing.assert_allclose(np.sum(z.grad.numpy() * probe), along, rtol=1e-10)
