"""Derivatives and maps of steps on Dask's arrays, which go by the blocks of the step."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise import fft, linalg, missing, signal
from likewise.transforms import grad, jvp, vjp, vmap

pytestmark = pytest.mark.needs("dask")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(6, 80))
SOS = scipy.signal.butter(4, 0.2, output="sos")
B, A = scipy.signal.butter(3, 0.3)
TAPS = scipy.signal.firwin(9, 0.3)
SQUARE = RNG.normal(size=(6, 4, 4)) + 5 * np.eye(4)
RIGHT = RNG.normal(size=(6, 4, 2))
STATES = RNG.normal(size=(2, 6, 2))
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "sosfilt": (signal.sosfilt, (SOS, X)),
    "sosfilt from states": (lambda s, x, z: signal.sosfilt(s, x, zi=z), (SOS, X, STATES)),
    "sosfilt along the first axis": (functools.partial(signal.sosfilt, axis=0), (SOS, X)),
    "lfilter": (signal.lfilter, (B, A, X)),
    "filtfilt": (signal.filtfilt, (B, A, X)),
    "sosfiltfilt": (signal.sosfiltfilt, (SOS, X)),
    "savgol_filter": (lambda x: signal.savgol_filter(x, 7, 2), (X,)),
    "upfirdn": (lambda h, x: signal.upfirdn(h, x, 2, 3), (TAPS, X)),
    "resample": (lambda x: signal.resample(x, 30, axis=-1), (X,)),
    "convolve": (lambda x, h: signal.convolve(x, h, axes=-1), (X, TAPS)),
    "rfft": (fft.rfft, (X,)),
    "dct": (fft.dct, (X,)),
    "hilbert": (signal.hilbert, (X,)),
    "welch": (lambda x: signal.welch(x, nperseg=16)[1], (X,)),
    "csd of one array": (lambda x: signal.csd(x, x, nperseg=16)[1], (X,)),
    "stft": (lambda x: signal.stft(x, nperseg=16)[2], (X,)),
    "solve": (linalg.solve, (SQUARE, RIGHT)),
    "solve one matrix": (linalg.solve, (SQUARE[0], RIGHT)),
    "inv": (linalg.inv, (SQUARE,)),
    "lu": (linalg.lu, (SQUARE,)),
    "lstsq": (lambda a, b: linalg.lstsq(a, b)[0], (SQUARE, RIGHT)),
    "expm": (linalg.expm, (0.2 * SQUARE,)),
    "median": (lambda x: missing.median(x, axis=-1), (X,)),
}


@pytest.fixture
def da() -> Any:
    import dask.array

    return dask.array


def cut(da: Any, x: Any, along: bool = False) -> Any:
    """Several chunks of a batch, and one along other axes, or several along time."""
    return da.from_array(
        x, chunks=[2 if n == 6 else 20 if n == 80 and along else -1 for n in x.shape]
    )


def close(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple | list):
        for f, e in zip(found, expected, strict=True):
            close(f, e)
        return
    assert likewise.library(found) == "dask"
    got = found.compute(scheduler="synchronous")
    assert got.shape == expected.shape == found.shape and got.dtype == expected.dtype == found.dtype
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-10)


def like(rng: np.random.Generator, y: Any) -> Any:
    if isinstance(y, tuple):
        return tuple(like(rng, v) for v in y)
    v = rng.normal(size=y.shape)
    return (v + 1j * rng.normal(size=y.shape) if y.dtype.kind == "c" else v).astype(y.dtype)


def as_dask(da: Any, y: Any) -> Any:
    return tuple(as_dask(da, v) for v in y) if isinstance(y, tuple) else da.from_array(y)


@pytest.mark.parametrize(
    ("name", "along"),
    [*((name, False) for name in CALLS), *((n, True) for n in ("lfilter", "savgol_filter", "dct"))],
)
def test_vjp_and_jvp(da: Any, name: str, along: bool) -> None:
    function, given = CALLS[name]
    rng = np.random.default_rng(1)
    arrays = [cut(da, x, along) for x in given]
    expected, pull = vjp(function, *given)
    found, pulled = vjp(function, *arrays)
    close(found, expected)
    weights = like(rng, expected)
    close(pulled(as_dask(da, weights)), pull(weights))
    tangents = tuple(like(rng, x) for x in given)
    close(jvp(function, tuple(arrays), as_dask(da, tangents)), jvp(function, given, tangents))


def energy(function: Callable[..., Any], *arrays: Any) -> Any:
    y = function(*arrays)
    return likewise.array_namespace(y).sum(y * y * y)


@pytest.mark.parametrize("name", ["sosfilt", "lfilter", "savgol_filter", "solve", "inv"])
def test_second_derivatives(da: Any, name: str) -> None:
    function, given = CALLS[name]
    given = tuple(x[:, :12] if x is X else x for x in given)
    place = len(given) - 1
    fun = functools.partial(energy, function)
    arrays = [cut(da, x) for x in given]
    weights = like(np.random.default_rng(2), given[place])

    def product(*arrays: Any) -> Any:  # of the Hessian with the weights
        *rest, x, w = arrays
        slope = grad(fun, argnums=place)
        return jvp(lambda v: slope(*rest, v), (x,), (w,))[1]

    close(product(*arrays, da.from_array(weights)), product(*given, weights))
    both = grad(lambda *v: likewise.array_namespace(v[0]).sum(grad(fun, argnums=0)(*v) ** 2))
    close(both(*arrays), both(*given))


@pytest.mark.parametrize("name", CALLS)
def test_vmap(da: Any, name: str) -> None:
    function, given = CALLS[name]
    several = tuple(np.stack([x, 1.01 * x]) for x in given)
    axes = tuple(0 if k else None for k in range(len(given)))
    if name.startswith("csd") or len(given) == 1:
        axes = (0,)
    mixed = [v if a == 0 else x for v, x, a in zip(several, given, axes, strict=True)]
    if "sos" in name:  # whose first coefficients stay ones
        several = mixed
    arrays = [cut(da, x) for x in mixed]
    close(vmap(function, in_axes=axes)(*arrays), vmap(function, in_axes=axes)(*mixed))
    slopes = vmap(grad(lambda *v: abs_sum(function(*v))))
    if len(given) == 1 and name != "lu":
        close(slopes(*arrays), slopes(*mixed))


def abs_sum(y: Any) -> Any:
    xp = likewise.array_namespace(y)
    return xp.sum(xp.abs(y) ** 2)


def test_a_gradient_has_few_tasks_for_a_block(da: Any) -> None:
    import dask

    x = da.from_array(np.ones((16, 4000)), chunks=(2, -1))
    slope = grad(functools.partial(energy, lambda x: signal.sosfilt(SOS, x)))(x)
    assert slope.chunks == x.chunks
    assert len(dict(dask.optimize(slope)[0].__dask_graph__())) <= 10 * x.npartitions
    both = grad(functools.partial(energy, signal.sosfilt), argnums=(0, 1))(da.from_array(SOS), x)
    assert len(dict(dask.optimize(*both)[0].__dask_graph__())) <= 15 * x.npartitions
