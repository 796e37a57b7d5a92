"""Filters of minimum phase against SciPy."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, DesignWarning, DtypeError, ExtensionMissing, ShapeError
from likewise.signal import minimum_phase

from ..designs import close, gradient

H = np.asarray([0.02, -0.05, 0.1, 0.9, 0.1, -0.05, 0.02])


def test_equals_scipy(lib: Any) -> None:
    x = lib.asarray(H)
    if not lib.has_extensions:
        with pytest.raises(ExtensionMissing, match="fft"):
            minimum_phase(x)
        return
    for more in ({}, {"half": False}, {"n_fft": 701}, {"method": "hilbert"}):
        if lib.jit and "n_fft" not in more:
            continue
        expected = scipy.signal.minimum_phase(H, **more)
        close(lib.to_numpy(minimum_phase(x, **more)), expected, 1e-9 if lib.has_float64 else 1e-3)


def test_gradient(lib: Any, rng: np.random.Generator) -> None:
    if not lib.has_float64 or not lib.has_extensions or lib.jit:
        return
    w = rng.normal(size=7)
    held = lib.asarray(w)

    def loss(h: Any) -> Any:
        xp = likewise.array_namespace(h)
        return xp.sum(minimum_phase(h, n_fft=64, half=False) * held)

    got = likewise.grad(loss)(lib.asarray(H))
    expected = gradient(lambda h: minimum_phase(h, n_fft=64, half=False), H, w)
    # The smallest magnitude, 1e-7 of which is added, has a slope on the side of that.
    np.testing.assert_allclose(lib.to_numpy(got), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.filterwarnings("ignore:minimum_phase")
def test_bad_input_says_what_to_do() -> None:
    with pytest.raises(ArgumentError, match="method must be one of 'homomorphic', 'hilbert'"):
        minimum_phase(H, "cepstrum")
    with pytest.raises(ArgumentError, match="n_fft must be at least 7"):
        minimum_phase(H, n_fft=5)
    with pytest.raises(ArgumentError, match="half must be True"):
        minimum_phase(H, "hilbert", half=False)
    with pytest.raises(ShapeError, match="at least 3 elements"):
        minimum_phase(H[:2])
    with pytest.raises(DtypeError, match="real numbers"):
        minimum_phase(H + 0j)


def test_asymmetric_filters_warn() -> None:
    with pytest.warns(DesignWarning, match="h is not symmetric"):
        minimum_phase([1.0, 2.0, 4.0, 8.0])
