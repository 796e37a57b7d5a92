"""Random arguments to convolutions and resampling: SciPy in double precision is the judge."""

import zlib
from typing import Any

import numpy as np
import pytest
import scipy.signal

from likewise import signal

pytestmark = pytest.mark.full

UPFIRDN = (
    *("constant", "wrap", "edge", "smooth", "symmetric", "reflect"),
    *("antisymmetric", "antireflect", "line"),
)
STATISTICS = ("mean", "median", "maximum", "minimum")
COUNT = {"numpy": 1500, "strict": 120, "torch": 200, "jax": 12}
Drawn = tuple[tuple[Any, ...], dict[str, Any]]


def numbers(rng: np.random.Generator, shape: Any, dtypes: Any = ("float64", "float32")) -> Any:
    dtype = np.dtype(str(rng.choice(dtypes)))
    x = rng.normal(size=shape) * 5
    x = np.abs(x) if dtype.kind == "u" else x
    out = np.asarray(x + 1j * rng.normal(size=shape) if dtype.kind == "c" else x).astype(dtype)
    return np.flip(np.flip(out).copy()) if rng.random() < 0.2 else out


FLOATING = ("float64", "float32", "complex128", "complex64")


def oaconvolve(rng: np.random.Generator) -> Drawn:
    ndim = int(rng.integers(1, 4))
    large, small = [1, 2, 3, 20, 60, 200][: 7 - ndim], [1, 2, 3, 7]
    shapes = [[int(n) for n in rng.choice(sizes, ndim)] for sizes in (large, small)]
    axes = None
    if rng.random() < 0.5:
        axes = tuple(int(a) for a in rng.permutation(ndim)[: int(rng.integers(1, ndim + 1))])
        shapes[1] = [n if a in axes else shapes[0][a] for a, n in enumerate(shapes[1])]
    if rng.random() < 0.5:
        shapes.reverse()
    mode = str(rng.choice(["full", "same", "valid"]))
    return tuple(numbers(rng, s, FLOATING) for s in shapes), {"mode": mode, "axes": axes}


def images(rng: np.random.Generator) -> Drawn:
    kinds = (*FLOATING, "int8", "uint8", "int32", "int64")
    options = {
        "mode": str(rng.choice(["full", "same", "valid"])),
        "boundary": str(rng.choice(["fill", "wrap", "symm", "circular"])),
        "fillvalue": int(rng.integers(0, 3)),
    }
    dtype = str(rng.choice(kinds))
    return tuple(numbers(rng, rng.integers(1, 8, 2), (dtype,)) for _ in range(2)), options


def upfirdn(rng: np.random.Generator) -> Drawn:
    most = 60 if rng.random() < 0.1 else 8
    up, down = (int(n) for n in rng.integers(1, most, 2))
    shape = [int(n) for n in rng.integers(2, 12, int(rng.integers(1, 4)))]
    options = {
        "axis": int(rng.integers(-len(shape), len(shape))),
        "mode": str(rng.choice(UPFIRDN)),
        "cval": float(rng.choice([0, 1.5])),
    }
    h, x = numbers(rng, int(rng.integers(1, 40))), numbers(rng, shape, FLOATING)
    return (h, x, up, down), options


def resample(rng: np.random.Generator) -> Drawn:
    shape = [int(n) for n in rng.integers(1, 16, int(rng.integers(1, 3)))]
    axis = int(rng.integers(-len(shape), len(shape)))
    windows = [None, "hamming", ("kaiser", 3.0), numbers(rng, shape[axis], ("float64",))]
    options: dict[str, Any] = {"axis": axis, "window": windows[int(rng.integers(4))]}
    options["domain"] = str(rng.choice(["time", "freq"]))
    dtypes = ("complex128", "complex64") if options["domain"] == "freq" else FLOATING
    return (numbers(rng, shape, dtypes), int(rng.integers(1, 30))), options


def resample_poly(rng: np.random.Generator) -> Drawn:
    shape = [int(n) for n in rng.integers(2, 16, int(rng.integers(1, 3)))]
    windows = [("kaiser", 5.0), "hann", numbers(rng, int(rng.integers(1, 12)), ("float64",))]
    options: dict[str, Any] = {
        "axis": int(rng.integers(-len(shape), len(shape))),
        "window": windows[int(rng.integers(3))],
        "padtype": str(rng.choice([*UPFIRDN, *STATISTICS])),
    }
    if options["padtype"] == "constant":
        options["cval"] = float(rng.choice([0, 1.5]))
    return (numbers(rng, shape), int(rng.integers(1, 9)), int(rng.integers(1, 9))), options


DRAW = {
    "oaconvolve": oaconvolve,
    "convolve2d": images,
    "correlate2d": images,
    "upfirdn": upfirdn,
    "resample": resample,
    "resample_poly": resample_poly,
}


def wide(x: Any) -> Any:
    if not isinstance(x, np.ndarray) or x.dtype.kind in "iu":
        return x
    return x.astype("complex128" if x.dtype.kind == "c" else "float64")


def run(lib: Any, name: str, seed: int) -> bool:
    """One case; whether there was an answer."""
    args, options = DRAW[name](np.random.default_rng(seed))
    judge = "fftconvolve" if name == "oaconvolve" else name
    try:
        expected = getattr(scipy.signal, judge)(
            *map(wide, args), **{k: wide(v) for k, v in options.items()}
        )
    except ValueError:
        expected = None

    def given(x: Any) -> Any:
        return lib.asarray(x.copy()) if isinstance(x, np.ndarray) and lib.library != "numpy" else x

    options = {k: given(v) for k, v in options.items()}
    func = getattr(signal, name)
    for way in (func, func.generic):
        try:
            got = way(*map(given, args), **options)
        except ValueError as error:
            assert expected is None, f"{error} for {seed}"
            return False
        assert expected is not None, seed
        if name == "correlate2d" and options["mode"] == "valid":
            (m, n), (p, q) = (x.shape for x in args[:2])
            expected_now = expected.conj() if m < p or n < q else expected
        else:
            expected_now = expected
        values = lib.to_numpy(got)
        assert values.shape == expected_now.shape, seed
        if values.dtype.kind in "iu":
            np.testing.assert_array_equal(values, expected_now, err_msg=str(seed))
            continue
        coarse = values.dtype in (np.float32, np.complex64)
        scale = max(1.0, float(np.max(np.abs(expected_now), initial=0)))
        tolerance = scale * (1e-4 if coarse else 1e-10)
        np.testing.assert_allclose(values, expected_now, rtol=0, atol=tolerance, err_msg=str(seed))
    return True


@pytest.mark.parametrize("name", DRAW)
def test_like_scipy(lib: Any, name: str) -> None:
    """By the routine, if there is one, and by the body."""
    if not lib.has_float64 or not lib.has_extensions or lib.jit:
        return
    count = COUNT.get(lib.library, 10)
    cases = [run(lib, name, zlib.crc32(f"{name} {k}".encode())) for k in range(count)]
    assert sum(cases) > len(cases) // 3
