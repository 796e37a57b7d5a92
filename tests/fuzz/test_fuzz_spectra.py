"""Random arguments to cosine transforms and spectra: SciPy in double precision is the judge."""

import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.signal

import likewise
from likewise import fft, signal

pytestmark = pytest.mark.full

COUNT = {"numpy": 500, "strict": 60, "torch": 120, "jax": 12}
Call = tuple[str, Any, Any, tuple[Any, ...], dict[str, Any]]


def drawn(rng: np.random.Generator, shape: tuple[int, ...], whole: bool = True) -> Any:
    dtype = str(rng.choice(["float32", "float64", "complex64", "complex128", "int64"][: 4 + whole]))
    x = np.round(rng.normal(size=shape) * 3, 1)
    x = x + 1j * np.round(rng.normal(size=shape), 1) if "complex" in dtype else x
    x = np.asarray(x).astype(dtype)
    return np.flip(np.flip(x).copy()) if rng.random() < 0.2 else x


def cosines(rng: np.random.Generator) -> Call:
    name = str(rng.choice(["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"]))
    shape = tuple(int(n) for n in rng.integers(2, 14, rng.integers(1, 4)))
    kwargs: dict[str, Any] = {
        "type": int(rng.integers(1, 5)),
        "norm": [None, "backward", "ortho", "forward"][rng.integers(4)],
    }
    x = drawn(rng, shape)
    axis = int(rng.integers(-len(shape), len(shape)))
    n = int(rng.integers(2, 20)) if rng.random() < 0.4 else None
    if name.endswith("n"):
        kwargs |= {"axes": (axis,), "s": None if n is None else (n,)} if rng.random() < 0.5 else {}
    else:
        kwargs |= {"axis": axis, "n": n}
    if not np.iscomplexobj(x):
        kwargs["orthogonalize"] = [None, True, False][rng.integers(3)]
    return name, getattr(fft, name), getattr(scipy.fft, name), (x,), kwargs


def chirps(rng: np.random.Generator) -> Call:
    shape = tuple(int(n) for n in rng.integers(1, 40, rng.integers(1, 3)))
    kwargs: dict[str, Any] = {"axis": int(rng.integers(-len(shape), len(shape)))}
    kwargs["m"] = int(rng.integers(1, 50)) if rng.random() < 0.7 else None
    if rng.random() < 0.5:
        kwargs |= {"w": np.exp(1j * rng.normal()), "a": np.exp(1j * rng.normal())}
        return "czt", signal.czt, scipy.signal.czt, (drawn(rng, shape),), kwargs
    fn = sorted(rng.uniform(0, 3, 2))
    kwargs |= {"fs": float(rng.uniform(1, 9))}
    return "zoom_fft", signal.zoom_fft, scipy.signal.zoom_fft, (drawn(rng, shape), fn), kwargs


def spectra(rng: np.random.Generator) -> Call:
    name = str(rng.choice(["welch", "csd", "coherence", "spectrogram", "stft", "periodogram"]))
    shape = (*(int(n) for n in rng.integers(1, 3, rng.integers(0, 2))), int(rng.integers(20, 90)))
    axis = int(rng.integers(-len(shape), len(shape)))
    x = np.moveaxis(drawn(rng, shape), -1, axis)
    n = shape[-1]
    kwargs: dict[str, Any] = {"axis": axis, "fs": float(rng.uniform(0.5, 20))}
    kwargs["detrend"] = [False, "constant", "linear"][rng.integers(3)]
    kwargs["window"] = ["boxcar", "hann", ("tukey", 0.4), "hamming"][rng.integers(4)]
    if name == "periodogram":
        kwargs["nfft"] = int(rng.integers(5, 100)) if rng.random() < 0.5 else None
    else:
        long = int(rng.integers(2, n + 1))
        kwargs |= {"nperseg": long, "noverlap": int(rng.integers(0, long))}
        kwargs["nfft"] = long + int(rng.integers(0, 9)) if rng.random() < 0.4 else None
    if name != "coherence":
        sided = bool(rng.random() < 0.7) and not np.iscomplexobj(x)
        kwargs["return_onesided"] = sided
        kwargs["scaling"] = str(rng.choice(["density", "spectrum"]))
    if name in ("welch", "csd"):
        kwargs["average"] = str(rng.choice(["mean", "median"]))
    if name == "spectrogram":
        kwargs["mode"] = str(rng.choice(["psd", "complex", "magnitude"]))
    if name == "stft":
        kwargs["scaling"] = str(rng.choice(["psd", "spectrum"]))
        kwargs["padded"] = bool(rng.random() < 0.5)
        boundaries = [None, "zeros", "constant", "even", "odd"]
        kwargs["boundary"] = boundaries[rng.integers(5)]
    arrays: tuple[Any, ...] = (x,)
    if name in ("csd", "coherence"):
        y = np.moveaxis(drawn(rng, shape), -1, axis)
        y = y if np.iscomplexobj(x) else np.real(y)
        arrays = (x, y + 0j if np.iscomplexobj(x) else y)
        if name == "coherence":  # of a single segment it is 1, or 0 divided by 0
            kwargs |= {"nperseg": min(kwargs["nperseg"], n // 2), "noverlap": 0, "nfft": None}
            kwargs["window"] = "hamming"
            kwargs["detrend"] = False
    return name, getattr(signal, name), getattr(scipy.signal, name), arrays, kwargs


def inverses(rng: np.random.Generator) -> Call:
    shape = tuple(int(n) for n in rng.integers(3, 12, rng.integers(2, 4)))
    z = (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype("complex128")
    one = bool(rng.random() < 0.6)
    long = 2 * (shape[-2] - 1) if one else shape[-2]
    kwargs: dict[str, Any] = {
        "input_onesided": one,
        "nperseg": long,
        "noverlap": int(rng.integers(0, long)),
        "window": ["boxcar", "hamming"][rng.integers(2)],
        "boundary": bool(rng.random() < 0.5),
        "scaling": str(rng.choice(["psd", "spectrum"])),
    }

    def second(func: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **options: func(*args, **options)[1]

    return "istft", second(signal.istft), second(scipy.signal.istft), (z,), kwargs


def at_any_times(rng: np.random.Generator) -> Call:
    n = int(rng.integers(4, 40))
    t, y = np.sort(rng.uniform(0, 30, n)), rng.normal(size=n)
    kwargs: dict[str, Any] = {
        "normalize": [False, True, "amplitude"][rng.integers(3)],
        "floating_mean": bool(rng.random() < 0.5),
        "weights": rng.uniform(0.1, 1, n) if rng.random() < 0.5 else None,
    }
    arrays = (t, y, rng.uniform(0.3, 6, 5))
    return "lombscargle", signal.lombscargle, scipy.signal.lombscargle, arrays, kwargs


def run(lib: Any, family: Callable[[np.random.Generator], Call], seed: int) -> None:
    name, func, judge, arrays, kwargs = family(np.random.default_rng(seed))
    wide = [
        a if isinstance(a, list) else a.astype("complex128" if a.dtype.kind == "c" else "float64")
        for a in arrays
    ]
    to = (lambda a: a) if lib.library == "numpy" else (lambda a: lib.asarray(a.copy()))
    given = [a if isinstance(a, list) else to(a) for a in arrays]
    ours = {k: to(v) if isinstance(v, np.ndarray) else v for k, v in kwargs.items()}
    said = f"{name} {[getattr(a, 'shape', a) for a in arrays]} {kwargs}"
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = judge(*wide, **kwargs)
        got = func(*given, **ours)
    pairs = zip(got, expected, strict=True) if isinstance(expected, tuple) else [(got, expected)]
    for a, b in pairs:
        assert likewise.library(a) == lib.library, said
        values = lib.to_numpy(a)
        assert values.shape == b.shape, said
        coarse = values.dtype in (np.float32, np.complex64)
        scale = max(1.0, float(np.max(np.abs(b), initial=0)))
        atol = scale * (2e-3 if coarse else 1e-9)
        np.testing.assert_allclose(values, b, rtol=0, atol=atol, err_msg=said)


@pytest.mark.parametrize("family", [cosines, chirps, spectra, inverses, at_any_times])
def test_like_scipy(lib: Any, family: Callable[[np.random.Generator], Call]) -> None:
    if not lib.has_float64 or not lib.has_extensions or lib.jit:
        return
    for k in range(COUNT.get(lib.library, 10)):
        run(lib, family, zlib.crc32(f"{family.__name__} {k}".encode()))
