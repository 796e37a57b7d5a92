"""Plain and jitted calls on arrays that are divided over devices."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.signal
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import likewise
from likewise import interop, optimize, signal, special, transforms
from likewise.testing import check_function
from likewise.testing._variants import VARIANTS

MESH = jax.make_mesh((8,), ("batch",), (jax.sharding.AxisType.Auto,))
X = np.random.default_rng(5).random((8, 256))
TAPS = scipy.signal.firwin(11, 0.3)


def spread(x: Any, *spec: Any) -> Any:
    return jax.device_put(x, NamedSharding(MESH, P(*spec)))


CALLS: dict[str, Callable[[Any], Any]] = {
    "welch": lambda x: signal.welch(x, nperseg=64)[1],
    "csd": lambda x: signal.csd(x, x + 1.0, nperseg=64)[1],
    "periodogram": lambda x: signal.periodogram(x)[1],
    "spectrogram": lambda x: signal.spectrogram(x, nperseg=64)[2],
    "resample_poly": lambda x: signal.resample_poly(x, 3, 2, axis=-1),
}
USUAL = ("welch",)


@pytest.mark.parametrize(
    "name", [n if n in USUAL else pytest.param(n, marks=pytest.mark.full) for n in CALLS]
)
def test_spectra_and_resampling(name: str) -> None:
    call = CALLS[name]
    due = call(X)
    for way in (call, jax.jit(call)):
        y = way(spread(X, "batch"))
        np.testing.assert_allclose(y, due, rtol=1e-9, atol=1e-12)
        assert y.sharding.spec[0] == "batch"
        np.testing.assert_allclose(way(spread(X, None, "batch")), due, rtol=1e-9, atol=1e-12)


def test_constants_beside_divided_data() -> None:
    """On every device, of NumPy, or on none in particular."""
    due = scipy.signal.lfilter(TAPS, [1.0], X)
    for taps in (spread(TAPS), TAPS, jnp.asarray(TAPS)):
        y = signal.lfilter(taps, [1.0], spread(X, "batch"))
        np.testing.assert_allclose(y, due, rtol=1e-9, atol=1e-12)
        assert y.sharding.spec[0] == "batch"


def test_fits_stay_where_they_are() -> None:
    t = np.linspace(0.0, 1.0, 256)
    popt, pcov = optimize.curve_fit(lambda t, a, k: a * np.e ** (-k * t), t,
                                    spread((1.0 + X[:, :1]) * np.exp(-2.0 * t), "batch"), p0=[1.0, 1.0])  # fmt: skip
    np.testing.assert_allclose(popt, np.stack([1.0 + X[:, 0], np.full(8, 2.0)], axis=1), rtol=1e-6)
    assert popt.sharding.spec[0] == pcov.sharding.spec[0] == "batch"


def test_numbers_beside_divided_data() -> None:
    y = special.xlogy(2.0, spread(X, "batch"))
    np.testing.assert_allclose(y, special.xlogy(2.0, X), rtol=1e-12)
    assert y.sharding.spec[0] == "batch"


def test_map_keeps_the_division() -> None:
    def one(v: Any) -> Any:
        return {"sum": jnp.sum(v), "up": v + 1.0}

    x = spread(np.concat([X, X]), "batch")
    for size in (None, 2):
        found = transforms.map(one, x, batch_size=size)
        np.testing.assert_allclose(found["sum"], np.sum(x, axis=1), rtol=1e-12)
        np.testing.assert_allclose(found["up"], x + 1.0)
        assert found["sum"].sharding.spec == found["up"].sharding.spec == P("batch")
    assert transforms.map(lambda v: v[0] + v[1], (x, jnp.ones_like(X[:1, 0] + jnp.arange(16)))).shape == (16, 256)  # fmt: skip


def test_map_under_jit_keeps_the_division_of_explicit_axes() -> None:
    mesh = jax.make_mesh((8,), ("batch",), (jax.sharding.AxisType.Explicit,))
    x = jax.device_put(X, NamedSharding(mesh, P("batch")))

    @jax.jit
    def loss(scale: Any, x: Any) -> Any:
        return transforms.map(lambda v: jnp.sum(v * scale) ** 2, x)

    assert loss(2.0, x).sharding.spec[0] == "batch"
    slope = jax.jit(jax.grad(lambda s, x: jnp.sum(loss(s, x))))(2.0, x)
    np.testing.assert_allclose(slope, 4.0 * np.sum(np.sum(X, axis=1) ** 2), rtol=1e-12)


def test_devices() -> None:
    first, last = jax.devices()[0], jax.devices()[-1]
    x = jnp.ones(8)
    assert likewise.device(x) is None and likewise.device(spread(x, "batch")) is None
    assert likewise.device(jax.device_put(x, last)) == last
    assert interop.zeros(3, like=spread(x, "batch")).shape == (3,)
    for given in (x, spread(x, "batch"), jax.device_put(x, first)):
        assert interop.to_device(given, last).devices() == {last}
        assert interop.to_device(given, first).committed


def test_convolution_of_images_that_are_both_divided() -> None:
    """XLA's is a multiple of the result here, with some axes of the mesh left over."""
    mesh = jax.make_mesh((2, 4), ("a", "b"), (jax.sharding.AxisType.Auto,) * 2)
    place = NamedSharding(mesh, P("a"))
    image, kernel = X[:, :8], X[:2, :3]
    both = jax.device_put(image, place), jax.device_put(kernel, place)
    due = scipy.signal.convolve2d(image, kernel)
    for way in (signal.convolve2d, jax.jit(signal.convolve2d)):
        np.testing.assert_allclose(way(*both), due, rtol=1e-12, atol=1e-12)


def test_an_fft_under_jit_gathers_a_batch() -> None:
    """JAX's own does (openxla/xla#24), so what stands on it does: docs/howto/sharding.md says so."""
    x = spread(X, "batch")
    assert "all-gather" in jax.jit(jnp.fft.fft).lower(x).compile().as_text()
    own = jax.shard_map(jnp.fft.fft, mesh=MESH, in_specs=P("batch"), out_specs=P("batch"))
    assert "all-gather" not in jax.jit(own).lower(x).compile().as_text()


def test_the_kit() -> None:
    assert VARIANTS["jax-sharded"].why_not() is None
    record = check_function(
        lambda a, b: a + b, X[0, :8], X[1, :8], libraries=["jax-sharded"], batch=True
    )
    assert record.cells["jax"]["sharded"].status == "yes"
    # A sum that is made on the host lies on one device.
    lost = check_function(
        lambda x: jnp.asarray(np.asarray(x) + 1.0), X[0, :8], libraries=["jax-sharded"],
        batch=True, jit="on the host", copies="on the host",
    )  # fmt: skip
    assert lost.cells["jax"]["sharded"].status == "part"
    wrong = VARIANTS["jax-sharded"].xp.ones((4, 6))
    assert len(wrong.devices()) == 8


def test_the_page() -> None:
    """The code of docs/howto/sharding.md runs, in one go."""
    page = Path(__file__).parents[2] / "docs" / "howto" / "sharding.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    assert len(blocks) >= 3
    names: dict[str, Any] = {}
    exec("\n".join(blocks), names)
