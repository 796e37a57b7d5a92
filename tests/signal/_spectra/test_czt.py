"""The chirp z-transform against SciPy's, and against sums."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise import signal
from likewise.errors import ArgumentError, ExtensionMissing, ShapeError

from ..designs import close


def given(lib: Any, x: Any) -> Any:
    return lib.asarray(x, None if lib.has_float64 else "float32" if x.dtype.kind == "f" else None)


def same(lib: Any, got: Any, expected: Any) -> None:
    assert likewise.library(got) == lib.library
    rough = 1e-10 if lib.has_float64 else 2e-4
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=rough, atol=rough)


CZTS: list[dict[str, Any]] = [{"m": 7, "w": 0.98 - 0.1j, "a": 1.1}, {}, {"m": 20}]
ZOOMS: list[dict[str, Any]] = [
    {"fn": [0.1, 0.4], "m": 7, "endpoint": True},
    {"fn": 0.3},
    {"fn": (1.0, 3.0), "fs": 10, "m": 1},
]


@pytest.mark.parametrize("name", ["czt", "zoom_fft"])
def test_equals_scipy(lib: Any, rng: Any, name: str) -> None:
    x, func, judge = rng.normal(size=(2, 9, 2)), getattr(signal, name), getattr(scipy.signal, name)
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match=name):
            func(given(lib, x), 3)
        return
    settings = CZTS if name == "czt" else ZOOMS
    for options in settings[:1] if lib.jit else settings:
        same(lib, func(given(lib, x), axis=1, **options), judge(x, axis=1, **options))
    if not lib.jit:
        single = func(lib.asarray(x[0], "float32"), 3)
        assert single.dtype == lib.xp.complex64


def test_objects(lib: Any, rng: Any) -> None:
    if not lib.has_extensions or not lib.has_float64 or lib.jit:
        return
    x = rng.normal(size=(9, 2)) + 1j
    for ours, theirs in (
        (signal.CZT(9, 5, a=0.9), scipy.signal.CZT(9, 5, a=0.9)),
        (signal.ZoomFFT(9, [0.2, 0.5]), scipy.signal.ZoomFFT(9, [0.2, 0.5])),
    ):
        same(lib, ours(lib.asarray(x), axis=0), theirs(x, axis=0))
        close(ours.points(), theirs.points(), 1e-13)


def test_points(lib: Any) -> None:
    for options in ({}, {"w": 2.0}, {"w": 0.9 + 0.1j, "a": 3}):
        got = signal.czt_points(5, **options, xp=lib.xp)
        expected = scipy.signal.czt_points(5, **options)
        assert likewise.library(got) == lib.library
        np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=1e-5)


def test_long_chirps_stay_right(rng: Any) -> None:
    x = rng.normal(size=10007)
    np.testing.assert_allclose(signal.czt(x), np.fft.fft(x), rtol=0, atol=1e-9)


def test_gradient(lib: Any, rng: Any) -> None:
    if not lib.has_extensions or not lib.has_float64 or lib.jit:
        return
    x, weights = rng.normal(size=6), rng.normal(size=4)
    w = lib.asarray(weights)

    def loss(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.sum(xp.real(signal.zoom_fft(x, 0.5, 4)) * w)

    rows = np.stack([scipy.signal.zoom_fft(e, 0.5, 4).real for e in np.eye(6)])
    same(lib, likewise.grad(loss)(lib.asarray(x)), rows @ weights)


def test_refuses() -> None:
    x = np.ones(4)
    for bad in (0, -1, 2.0, "3"):
        with pytest.raises(ArgumentError, match="Invalid number of CZT data points: m must be"):
            signal.czt(x, bad)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="czt_points: Invalid number of CZT"):
            signal.czt_points(bad)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="fn must be a scalar or 2-length sequence, got"):
        signal.zoom_fft(x, [1, 2, 3])
    with pytest.raises(ArgumentError, match="CZT: w must be one number, got 'x'"):
        signal.czt(x, w="x")
    with pytest.raises(ShapeError, match="CZT: CZT defined for length 5, got 4 elements"):
        signal.CZT(5)(x)
    with pytest.raises(ShapeError):
        signal.czt(np.asarray(1.0))
    with pytest.raises(ArgumentError, match="czt: axis must be one integer, got"):
        signal.czt(x, axis=(0,))  # type: ignore[arg-type]
