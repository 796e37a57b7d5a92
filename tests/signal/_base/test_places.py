"""What is made of numbers goes to the library, device and precision of `like`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise import signal
from likewise.errors import ArgumentError, ArrayTypeError
from likewise.signal import windows
from likewise.transforms import tree_leaves

PAIR = np.asarray([0.2, 0.5])
MADE: dict[str, tuple[Any, ...]] = {
    "butter": (3, PAIR, "band"),
    "cheby1": (3, 1.0, 0.2),
    "cheby2": (3, 40.0, 0.2),
    "ellip": (3, 1.0, 40.0, 0.2),
    "bessel": (3, 0.2),
    "iirfilter": (3, [0.2, 0.4]),
    "iirdesign": (PAIR, np.asarray([0.1, 0.6]), 1.0, 40.0),
    **dict.fromkeys(("buttord", "cheb1ord", "cheb2ord", "ellipord"), (PAIR, [0.1, 0.6], 1.0, 40.0)),
    **dict.fromkeys(("iirnotch", "iirpeak", "iircomb"), (0.2, 30.0)),
    "firwin": (5, 0.2),
    "firwin2": (5, np.asarray([0.0, 0.5, 1.0]), [1.0, 1.0, 0.0]),
    "firls": (7, [0.0, 0.3, 0.5, 1.0], [1.0, 1.0, 0.0, 0.0]),
    "remez": (7, [0.0, 0.1, 0.3, 0.5], [1.0, 0.5]),
    "savgol_coeffs": (5, 2),
    "czt_points": (5,),
    "unit_impulse": (4,),
    "correlation_lags": (3, 4),
}
SHAPED: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(windows.__all__, (8,)),
    "chebwin": (8, 60.0),
    "dpss": (8, 2.5),
    "gaussian": (8, 2.0),
    "general_cosine": (8, np.asarray([0.6, 0.3, 0.1])),
    "general_gaussian": (8, 1.5, 2.0),
    "general_hamming": (8, 0.6),
    "get_window": ("hann", 8),
    "kaiser": (8, 5.0),
    "kaiser_bessel_derived": (8, 4.0),
}
ALL: list[tuple[str, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]] = [
    *((n, getattr(signal, n), getattr(scipy.signal, n), a) for n, a in MADE.items()),
    *((n, getattr(windows, n), getattr(scipy.signal.windows, n), a) for n, a in SHAPED.items()),
]


@pytest.mark.parametrize("name, ours, theirs, args", ALL, ids=[entry[0] for entry in ALL])
def test_goes_with_an_array(lib: Any, name: str, ours: Any, theirs: Any, args: Any) -> None:
    if lib.jit:
        return
    like = lib.asarray(np.ones(2), "float32")
    expected = tree_leaves(theirs(*args))
    found = tree_leaves(ours(*args, like=like))
    assert len(found) == len(expected)
    for y, judge in zip(found, expected, strict=True):
        if isinstance(y, int):
            assert y == judge
            continue
        assert likewise.library(y) == lib.library
        assert likewise.device(y) == likewise.device(like)
        assert name == "correlation_lags" or y.dtype in (lib.xp.float32, lib.xp.complex64)
        np.testing.assert_allclose(lib.to_numpy(y), judge, rtol=1e-4, atol=1e-5)


@pytest.mark.needs("torch", "array_api_strict")
@pytest.mark.parametrize("of", ["torch", "strict", "numpy"])
@pytest.mark.parametrize("to", ["torch", "strict", "numpy"])
def test_beside_an_array_of_another_library(of: str, to: str) -> None:
    """Numbers that came as an array decide on nothing: library and precision are those of `like`."""
    like = likewise.asarray(np.ones(2, "float32"), namespace=to)
    cutoff = likewise.asarray(np.asarray([0.2, 0.4]), namespace=of)
    single = scipy.signal.butter(2, [0.2, 0.4], "band")
    for found, expected in (
        (signal.butter(2, cutoff, "band", like=like), single),
        (signal.butter(2, Wn=cutoff, btype="band", like=like), single),
        ([signal.firwin(9, cutoff, like=like)], [scipy.signal.firwin(9, [0.2, 0.4])]),
        (signal.iirnotch(cutoff[0], 30.0, like=like), scipy.signal.iirnotch(0.2, 30.0)),
    ):
        for y, judge in zip(found, expected, strict=True):
            assert likewise.library(y) == to and str(y.dtype).endswith("float32")
            np.testing.assert_allclose(likewise.to_numpy(y), judge, rtol=1e-5, atol=1e-7)


def test_a_followed_cutoff_beside_like(lib: Any) -> None:
    """It is differentiated, and keeps its own dtype; the filter has that of `like`."""
    if lib.jit or not lib.has_float64:
        return
    like = lib.asarray(np.ones(2), "float32")
    dtypes = []

    def gain(w: Any) -> Any:
        b, _ = signal.butter(2, w, like=like)
        dtypes.append(b.dtype)
        return likewise.array_namespace(b).sum(b)

    slope = likewise.grad(gain)(lib.asarray(np.asarray(0.3)))
    step = 1e-5
    up, down = (scipy.signal.butter(2, 0.3 + h)[0].sum() for h in (step, -step))
    np.testing.assert_allclose(float(slope), (up - down) / (2 * step), rtol=1e-5)
    assert str(slope.dtype).endswith("float64") and dtypes == [lib.xp.float32]


def test_precision_and_integers(lib: Any) -> None:
    whole = lib.asarray(np.ones(2), "int32")
    usual = lib.xp.empty(0, device=likewise.device(whole)).dtype
    assert windows.hann(4, like=whole).dtype == usual
    single = lib.asarray(np.ones(2), "complex64")
    assert windows.hann(4, like=single).dtype == lib.xp.float32


def test_inside_of_transforms(lib: Any) -> None:
    """A window made for what is followed is a constant; torch.compile doesn't follow `like`."""
    xp = lib.xp
    x = xp.asarray([1.0, 2.0, 3.0])

    def weighed(x: Any) -> Any:
        return likewise.array_namespace(x).sum(x * windows.boxcar(3, like=x)) ** 2

    np.testing.assert_allclose(likewise.to_numpy(likewise.grad(weighed)(x)), [12.0, 12.0, 12.0])
    if lib.library != "torch":
        np.testing.assert_allclose(float(likewise.jit(weighed)(x)), 36.0)


def test_refuses() -> None:
    for bad in (3.0, [1.0]):
        with pytest.raises(ArrayTypeError, match="hann: like must be an array, got a"):
            windows.hann(3, like=bad)
    with pytest.raises(ArgumentError, match="hann: give either like or xp, not both"):
        windows.hann(3, like=np.ones(2), xp=np)
    with pytest.raises(ArrayTypeError, match="^butter: argument 'like' must be"):
        signal.butter(2, 0.3, like="torch")
    # It ends with the call.
    with pytest.raises(ArgumentError):
        signal.butter(-1, 0.2, like=np.ones(2, "float32"))
    assert windows.hann(3).dtype == np.float64
