"""Random arguments to `signal`: SciPy in double precision is the judge."""

import zlib
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.signal

from likewise import signal
from likewise.errors import LikewiseError
from likewise.fft import next_fast_len

pytestmark = pytest.mark.full

DTYPES = ["float32", "float64", "complex64", "complex128", "int8", "int64", "uint8", "bool"]
WHOLE = ("convolve", "correlate")  # integers stay integers


def drawn(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    dtype = np.dtype(str(rng.choice(DTYPES)))
    x = np.round(rng.normal(size=shape) * 3, 1)
    x = np.abs(x) if dtype.kind in "ub" else x
    out = np.asarray(x + 1j * x[::-1] if dtype.kind == "c" and shape else x).astype(dtype)
    if shape and rng.random() < 0.2:
        out = np.flip(np.flip(out).copy())
    if shape and 0 not in shape and rng.random() < 0.15:
        out = np.broadcast_to(out[:1], shape)
    return out


def run(lib: Any, name: str, seed: int) -> bool:
    """One case; whether there was an answer."""
    rng = np.random.default_rng(seed)
    ndim = int(rng.choice([0, 1, 1, 1, 2, 2, 3]))
    shapes = [tuple(int(n) for n in rng.choice([0, 1, 2, 3, 5, 8, 40], ndim)) for _ in range(2)]
    x, y = (drawn(rng, s) for s in shapes)
    mode = str(rng.choice(["full", "same", "valid"]))
    options = (
        {} if name == "fftconvolve" else {"method": str(rng.choice(["auto", "fft", "direct"]))}
    )
    kinds = {x.dtype.kind, y.dtype.kind}
    exact = name in WHOLE and not kinds & {"f", "c"}
    wide = [v.astype("complex128" if v.dtype.kind == "c" else "float64") for v in (x, y)]
    try:
        with np.errstate(all="ignore"):
            expected = np.asarray(getattr(scipy.signal, name)(*wide, mode=mode, **options))
    except (ValueError, IndexError):  # the latter where there is nothing
        expected = None
    given = (x, y) if lib.library == "numpy" else tuple(lib.asarray(v.copy()) for v in (x, y))
    try:
        got = getattr(signal, name)(*given, mode=mode, **options)
    except LikewiseError as error:
        # Of nothing, SciPy's fftconvolve doesn't look at the shapes.
        assert expected is None or not expected.size, f"{error} for {shapes}, {mode}, {options}"
        return False
    if expected is None or 0 in shapes[0] or 0 in shapes[1]:
        return True  # SciPy's direct way has errors of its own for nothing
    values = lib.to_numpy(got)
    assert values.shape == expected.shape, (shapes, mode, options)
    if exact:
        assert values.dtype == np.result_type(x, y), (x.dtype, y.dtype)
        wrapped = (
            np.round(expected) > 0.5 if values.dtype == bool else np.round(expected).astype(int)
        )
        np.testing.assert_array_equal(
            values, wrapped.astype(values.dtype), err_msg=f"{shapes} {mode}"
        )
        return True
    coarse = values.dtype in (np.float32, np.complex64)
    scale = max(1.0, float(np.max(np.abs(expected), initial=0)))
    np.testing.assert_allclose(
        values,
        expected,
        rtol=0,
        atol=scale * (1e-4 if coarse else 1e-10),
        err_msg=f"{shapes} {mode}",
    )
    return True


COUNT = {"numpy": 700, "strict": 100, "torch": 150, "jax": 15}


@pytest.mark.parametrize("name", ["convolve", "correlate", "fftconvolve"])
def test_like_scipy(lib: Any, name: str) -> None:
    if not lib.has_float64 or not lib.has_extensions or lib.jit:
        return
    cases = [
        run(lib, name, zlib.crc32(f"{name} {k}".encode()))
        for k in range(COUNT.get(lib.library, 10))
    ]
    assert sum(cases) > len(cases) // 3


def test_lengths_like_scipy() -> None:
    rng = np.random.default_rng(3)
    for n in [*range(1, 500), *(int(10 ** rng.uniform(2, 9)) for _ in range(1500))]:
        for real in (True, False):
            assert next_fast_len(n, real) == scipy.fft.next_fast_len(n, real)
