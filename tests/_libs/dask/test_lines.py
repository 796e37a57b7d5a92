"""Steps as maps over blocks of Dask's arrays: chunks, chains of states, margins, and warnings."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.signal
import scipy.special

import likewise
from likewise import fft, linalg, missing, signal, special
from likewise.errors import RechunkWarning

pytestmark = pytest.mark.needs("dask")

SOS = scipy.signal.butter(4, 0.2, output="sos")
B, A = scipy.signal.butter(3, 0.3)
TAPS = scipy.signal.firwin(21, 0.3)
X = np.random.default_rng(0).normal(size=(8, 240))


@pytest.fixture
def da() -> Any:
    import dask.array

    return dask.array


@pytest.fixture(autouse=True)
def lazily() -> Iterator[None]:
    """Whatever computes before it is asked, fails."""
    import dask

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("computed unasked")

    with dask.config.set(scheduler=refuse):
        yield


def values(x: Any) -> Any:
    found = x.compute(scheduler="synchronous")
    assert found.shape == x.shape and found.dtype == x.dtype
    return found


def tasks(*arrays: Any) -> int:
    """Count what is left after Dask's own optimisation."""
    import dask

    return len(dict(dask.optimize(*arrays)[0].__dask_graph__()))


MERGED: dict[str, Callable[[Any], Any]] = {
    "rfft": fft.rfft,
    "dct": fft.dct,
    "hilbert": signal.hilbert,
    "resample": lambda x: signal.resample(x, 60, axis=-1),
    "upfirdn": lambda x: signal.upfirdn(TAPS, x, 2, 3),
    "savgol_filter": lambda x: signal.savgol_filter(x, 11, 3, mode="wrap"),
    "welch": lambda x: signal.welch(x, nperseg=32)[1],
    "filtfilt": lambda x: signal.filtfilt(B, A, x, method="gust"),
    "convolve": lambda x: signal.convolve(x, TAPS, axes=-1),
}


@pytest.mark.parametrize("name", MERGED)
def test_chunks_are_merged_with_a_warning(da: Any, name: str) -> None:
    function, x = MERGED[name], da.from_array(X, chunks=(2, 60))
    with pytest.warns(RechunkWarning) as caught:
        out = function(x)
    (told,) = caught
    assert told.filename == __file__  # of the call above
    text = str(told.message)
    assert "3.75 KiB." in text or name == "hilbert"  # which makes it complex
    assert text.startswith(f"{name}: an array of shape (8, 240) is cut into 4 chunks along axis 1")
    assert "a chunk then has shape (2, 240) and " in text and "x.rechunk({1: -1})" in text
    assert out.chunks[0] == (2,) * 4
    np.testing.assert_allclose(values(out), function(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(values(function(x.rechunk({1: -1}))), values(out))  # in silence


def test_the_namespace_and_matrices_warn_too(da: Any) -> None:
    x = da.from_array(X, chunks=(2, 60))
    with pytest.warns(RechunkWarning, match=r"^fft: an array of shape \(8, 240\)") as caught:
        likewise.array_namespace(x).fft.fft(x)
    assert caught[0].filename == __file__
    square = da.from_array(X[:, :8] + 9 * np.eye(8), chunks=(4, 8))
    with pytest.warns(
        RechunkWarning, match=r"^inv: an array of shape \(8, 8\).*2 chunks along axis 0"
    ):
        out = linalg.inv(square)
    np.testing.assert_allclose(values(out), np.linalg.inv(X[:, :8] + 9 * np.eye(8)))


def test_edges_are_merged_in_silence(da: Any) -> None:
    """Padding has added them, and merging them costs nothing."""
    x = missing.pad(da.from_array(X, chunks=(2, -1)), ((0, 0), (3, 3)))
    assert x.numblocks == (4, 3)
    due = scipy.signal.hilbert(np.pad(X, ((0, 0), (3, 3))))
    np.testing.assert_allclose(values(signal.hilbert(x)), due, rtol=1e-9, atol=1e-12)


def test_coefficients_are_merged_in_silence(da: Any) -> None:
    x, sos = da.from_array(X, chunks=(2, -1)), da.from_array(SOS, chunks=(1, 3))
    np.testing.assert_allclose(values(signal.sosfilt(sos, x)), scipy.signal.sosfilt(SOS, X))


def test_unknown_sizes_along_an_axis_that_is_needed(da: Any) -> None:
    x = da.from_array(X[0], chunks=60)
    unknown = x[x > 0]
    for function in (fft.rfft, signal.hilbert, lambda x: signal.sosfilt(SOS, x)):
        with pytest.raises(likewise.errors.ShapeError, match=r"x\.compute_chunk_sizes\(\)"):
            function(unknown)


REDUCED = ("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax")


@pytest.mark.parametrize(
    "chunks", [(2, 60), (8, 240), (3, (1, 100, 7, 132)), ((1, 7), 50)], ids=str
)
@pytest.mark.parametrize("axis", [0, 1])
def test_states_are_handed_on(da: Any, axis: int, chunks: Any) -> None:
    host = X if axis else X.T.copy()
    x = da.from_array(host, chunks=chunks if axis else chunks[::-1])
    for name, given in {"sosfilt": (SOS,), "lfilter": (B, A), "sosfiltfilt": (SOS,)}.items():
        out = getattr(signal, name)(*given, x, axis)
        assert out.chunks == x.chunks
        expected = getattr(scipy.signal, name)(*given, host, axis)
        np.testing.assert_allclose(values(out), expected, rtol=1e-9, atol=1e-12)
    for fir in ("lfilter", "filtfilt"):
        out = getattr(signal, fir)(TAPS, [1.0], x, axis)
        assert out.chunks == x.chunks
        expected = getattr(scipy.signal, fir)(TAPS, [1.0], host, axis)
        np.testing.assert_allclose(values(out), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("chunks", [(2, 60), (-1, -1), (3, 100)], ids=str)
def test_states_that_are_given(da: Any, chunks: Any) -> None:
    x, states = da.from_array(X, chunks=chunks), np.random.default_rng(1).normal(size=(2, 8, 2))
    for zi in (states, da.from_array(states, chunks=(2, 1, 2))):
        pair = signal.sosfilt(SOS, x, zi=zi)
        for found, expected in zip(pair, scipy.signal.sosfilt(SOS, X, zi=states), strict=True):
            np.testing.assert_allclose(values(found), expected, rtol=1e-9, atol=1e-12)
    for shape in ((8, 3), (1, 3)):
        zi = np.random.default_rng(2).normal(size=shape)
        pair = signal.lfilter(B, A, x, zi=zi)
        whole = np.broadcast_to(zi, (8, 3))
        for found, expected in zip(pair, scipy.signal.lfilter(B, A, X, zi=whole), strict=True):
            np.testing.assert_allclose(values(found), expected, rtol=1e-9, atol=1e-12)


def test_a_chain_has_few_tasks(da: Any) -> None:
    x = da.from_array(X, chunks=(4, 30))
    assert tasks(signal.sosfilt(SOS, x)) <= 10 * x.npartitions
    assert tasks(*signal.lfilter(B, A, x, zi=np.zeros((8, 3)))) <= 10 * x.npartitions


@pytest.mark.parametrize("chunks", [60, (100, 100, 40), (1, 239), 7], ids=str)
def test_margins_in_place_of_a_merge(da: Any, chunks: Any) -> None:
    x = da.from_array(X, chunks=(3, chunks))
    for mode in ("interp", "mirror", "nearest", "constant"):
        out = signal.savgol_filter(x, 11, 3, mode=mode)
        assert min(out.chunks[0]) >= 2 and min(out.chunks[1]) >= min(x.chunks[1])
        expected = scipy.signal.savgol_filter(X, 11, 3, mode=mode)
        np.testing.assert_allclose(values(out), expected, rtol=1e-9, atol=1e-12)
    for size in (3, (1, 5), (3, 1)):
        found = values(signal.medfilt(x, size))
        np.testing.assert_array_equal(found, scipy.signal.medfilt(X, size))
    domain = np.asarray([[0, 1, 1], [1, 0, 1], [0, 1, 0]])
    found = values(signal.order_filter(x, domain, 2))
    np.testing.assert_array_equal(found, scipy.signal.order_filter(X, domain, 2))


def test_a_large_array_of_numpy_is_once_in_the_graph(da: Any) -> None:
    x, kernel = da.from_array(X, chunks=(2, -1)), np.random.default_rng(3).normal(size=(8, 100))
    out = signal.fftconvolve(x, kernel, axes=-1)
    held = [t for t in dict(out.__dask_graph__()).values() if t is kernel]
    assert len(held) <= 1
    expected = scipy.signal.fftconvolve(X, kernel, axes=-1)
    np.testing.assert_allclose(values(out), expected, rtol=1e-9, atol=1e-12)


def test_a_preference_and_a_trace(da: Any) -> None:
    x = da.from_array(X, chunks=(2, -1))
    with likewise.trace_native() as log:
        signal.sosfilt(SOS, x)
    assert [(ran.function, ran.routine) for ran in log] == [("sosfilt", "likewise:blocks")]
    assert likewise.explain(signal.sosfilt, SOS, x).routine == "likewise:blocks"


def test_unknown_sizes_where_none_is_needed(da: Any) -> None:
    x = da.from_array(X[0], chunks=60)
    unknown, known = x[x > 0], X[0][X[0] > 0]
    calls: dict[str, tuple[Any, Any]] = {
        "gammaln": (special.gammaln(unknown), scipy.special.gammaln(known)),
        "two": (special.gammainc(unknown, 2 * unknown), scipy.special.gammainc(known, 2 * known)),
        "number": (special.gammainc(2.0, unknown), scipy.special.gammainc(2.0, known)),
        "xlogy": (missing.xlogy(unknown, unknown), scipy.special.xlogy(known, known)),
        "nan_to_num": (missing.nan_to_num(unknown), known),
        **{n: (getattr(missing, n)(unknown), getattr(np, n)(known)) for n in REDUCED},
    }
    for name, (found, expected) in calls.items():
        got = found.compute(scheduler="synchronous")
        np.testing.assert_allclose(got, expected, rtol=1e-9, err_msg=name)
    with pytest.raises(likewise.errors.ShapeError, match="broadcast"):
        special.gammainc(unknown, known)


def test_objects_and_blocks_of_others_are_refused(da: Any) -> None:
    things = da.from_array(np.asarray([1, "a"], dtype=object), chunks=1)
    masked = da.from_array(X, chunks=2).map_blocks(np.ma.asarray, meta=np.ma.ones((0, 0)))
    calls = [special.gammaln, missing.nansum, fft.fft, lambda x: signal.sosfilt(SOS, x), linalg.inv]
    for function in calls:
        with pytest.raises(likewise.errors.DtypeError, match="object"):
            function(things)
        with pytest.raises(likewise.errors.ArrayTypeError, match=r"blocks of numpy\.ma\..*asarray"):
            function(masked)


# -- fuzz ------------------------------------------------------------------------------------------


def cut(rng: np.random.Generator, n: int) -> tuple[int, ...]:
    """Chunks of an axis: one, equal ones, or of any sizes, 1 among them."""
    if n < 2 or rng.random() < 0.3:
        return (n,)
    ends = np.sort(
        rng.choice(np.arange(1, n), size=min(n - 1, int(rng.integers(1, 4))), replace=False)
    )
    return tuple(int(k) for k in np.diff([0, *ends, n]))


def one(rng: np.random.Generator, da: Any) -> None:
    ndim = int(rng.integers(1, 4))
    axis = int(rng.integers(-ndim, ndim))
    shape = [
        int(n) for n in rng.choice([0, 1, 2, 3, 5], p=[0.05, 0.2, 0.25, 0.25, 0.25], size=ndim)
    ]
    shape[axis] = int(rng.integers(40, 90))
    dtype = rng.choice(["float32", "float64", "complex64", "complex128"])
    host = rng.normal(size=shape)
    if dtype[0] == "c":
        host = host + 1j * rng.normal(size=shape)
    host = host.astype(dtype)
    x = da.from_array(host, chunks=tuple(cut(rng, n) for n in shape))
    real = dtype[0] == "f"
    n = shape[axis]
    states = list(shape)
    states[axis] = 3
    zi = rng.normal(size=states).astype(dtype)
    sections = list(shape)
    sections[axis] = 2
    zs = rng.normal(size=(2, *sections)).astype(dtype)
    sos, b, a = (
        v.astype("float32" if "32" in dtype or "64" in dtype[7:] else "float64")
        for v in (SOS, B, A)
    )
    calls: dict[str, Callable[[Any, Any], Any]] = {
        "sosfilt": lambda m, x: m.sosfilt(sos, x, axis=axis),
        "sosfilt zi": lambda m, x: m.sosfilt(sos, x, axis=axis, zi=zs),
        "lfilter": lambda m, x: m.lfilter(b, a, x, axis=axis),
        "lfilter zi": lambda m, x: m.lfilter(b, a, x, axis=axis, zi=zi),
        "fir": lambda m, x: m.lfilter(b, a[:1], x, axis=axis, zi=zi),
        "filtfilt": lambda m, x: m.filtfilt(b, a, x, axis=axis, padlen=int(n // 3)),
        "sosfiltfilt": lambda m, x: m.sosfiltfilt(sos, x, axis=axis),
        "decimate": lambda m, x: m.decimate(x, 2, axis=axis),
        "resample": lambda m, x: m.resample(x, 33, axis=axis),
        "resample_poly": lambda m, x: m.resample_poly(x, 3, 2, axis=axis),
        "upfirdn": lambda m, x: m.upfirdn(b, x, 2, 3, axis=axis),
        "welch": lambda m, x: m.welch(x, nperseg=16, axis=axis, return_onesided=real),
        "stft": lambda m, x: m.stft(x, nperseg=16, axis=axis, return_onesided=real),
        "detrend": lambda m, x: m.detrend(x, axis=axis, bp=[0, 7]),
    }
    if real:
        calls |= {
            "savgol": lambda m, x: m.savgol_filter(x, 7, 2, axis=axis),
            "medfilt": lambda m, x: m.medfilt(
                x, [3 if k == axis % ndim else 1 for k in range(ndim)]
            ),
            "hilbert": lambda m, x: m.hilbert(x, axis=axis),
        }
    name = str(rng.choice(list(calls)))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        got = calls[name](signal, x)
        # Of an empty batch SciPy has nothing to say.
        expected = calls[name](signal if 0 in shape else scipy.signal, host)
    pairs = zip(got, expected, strict=True) if isinstance(got, tuple) else [(got, expected)]
    for p, q in pairs:
        q = np.asarray(q)
        found = values(p)
        case = f"{name}, axis {axis}, {dtype}, chunks {x.chunks}"
        assert found.shape == q.shape, case
        tolerance = 1e-3 if found.dtype in ("float32", "complex64") else 1e-8
        np.testing.assert_allclose(found, q, rtol=tolerance, atol=tolerance, err_msg=case)


@pytest.mark.parametrize("rounds", [60, pytest.param(4000, marks=pytest.mark.full)])
def test_fuzz(da: Any, rounds: int) -> None:
    rng = np.random.default_rng(31)
    for _ in range(rounds):
        one(rng, da)
