"""Calls of public functions that compare a provider's routine with the generic body.

An entry is a function of a dtype's name that yields calls with NumPy arrays. Calls that a function
refuses in a dtype are skipped. Each entry also has a large call, for routines that decline small
arrays, and edge cases: empty arrays, one element, NaN, ties.

The tests take more from an entry, where nothing else says it: arguments of the function's apply
step, for the parity of its rows; the call by which the README's table is made; and, if it names a
reference, the case of the table of what runs where.
"""

import importlib
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._providers import naming

__all__ = ["DTYPES", "Call", "calls"]

Call = tuple[tuple[Any, ...], dict[str, Any]]
Case = Callable[[str], Iterator[Call]]
DTYPES = ("float64", "float32", "complex128", "complex64", "int64")
CASES: dict[str, Case] = {}
CHECKED: dict[str, tuple[str, dict[str, Any]]] = {}  # the reference's module; options
LARGE = 20_000  # elements


def calls(name: str, dtype: str, func: Any = None) -> list[Call]:
    """Return the calls of a function such as 'likewise.signal:fftconvolve'; none without a case.

    A function of another library declares its calls with `likewise.public`.
    """
    if name in CASES:
        return list(CASES[name](dtype))
    func = naming("likewise", name) if func is None else func
    if func.cases:
        module, _, function = func.cases.partition(":")
        return list(getattr(importlib.import_module(module), function)(dtype))
    return list(_elementwise(func, dtype)) if name.startswith("likewise.special:") else []


def case(room: str, *names: str, reference: str = "", **check: Any) -> Callable[[Case], Case]:
    """Register the calls of one function, or of several that take the same.

    A `reference` is a module that has functions of the same names and meaning, such as
    'scipy.signal'. With it the first call in double precision is given to `check_function`, with
    the options `check`.
    """

    def enter(made: Case) -> Case:
        full = [f"likewise.{room}:{name}" for name in names]
        CASES.update(dict.fromkeys(full, made))
        CHECKED.update(dict.fromkeys(full, (reference, check)) if reference else {})
        return made

    return enter


def call(*args: Any, **kwargs: Any) -> Call:
    return args, kwargs


def some(dtype: str, *shape: int, seed: int = 0) -> Any:
    """Return numbers of both signs; integers repeat."""
    rng = np.random.default_rng(seed + sum(shape))
    if dtype == "int64":
        return rng.integers(-4, 9, shape)
    x = rng.normal(size=shape) + (1j * rng.normal(size=shape) if "complex" in dtype else 0)
    return np.asarray(x).astype(dtype)


def holes(dtype: str, *shape: int) -> Any:
    """Return numbers with some NaN, if the dtype has NaN."""
    x = some(dtype, *shape)
    if dtype != "int64":
        x.reshape(-1)[1::5] = np.nan
    return x


def _elementwise(func: Any, dtype: str) -> Iterator[Call]:
    """Give arguments between zero and three, on both sides of zero, many, of shapes, none."""
    signature = inspect.signature(func).parameters.values()
    count = sum(p.default is p.empty or p.kind is p.VAR_POSITIONAL for p in signature)
    rng = np.random.default_rng(count)

    def made(shape: tuple[int, ...], low: float = 0.05) -> Any:
        x = rng.uniform(low, 2.95, shape)
        if "complex" in dtype:
            x = x + 1j * rng.uniform(-1, 1, shape)
        return np.asarray(np.floor(x) if dtype == "int64" else x).astype(dtype)

    for shape in ((9,), (3, 4), (), (0,), (LARGE,)):
        yield call(*[made(shape) for _ in range(count)])
    yield call(*[made((9,), -2.95) for _ in range(count)])
    yield call(*[made((3, 1) if i else (4,)) for i in range(count)])
    # The last one a probability or the like, with whole numbers before it.
    yield call(*[np.asarray(3 - i, dtype=dtype) for i in range(count - 1)], made((9,), 0.0) / 3)


@case("special", "legendre_p")
def _legendre_p(dtype: str) -> Iterator[Call]:
    yield call(3, some(dtype, 9) / 4)


@case("special", "sph_harm_y")
def _sph_harm_y(dtype: str) -> Iterator[Call]:
    yield call(3, 2, abs(some(dtype, 9)), some(dtype, 9, seed=1))


@case("special", "multigammaln")
def _multigammaln(dtype: str) -> Iterator[Call]:
    yield call(abs(some(dtype, 9)) + 3, 3)
    yield call(abs(some(dtype, LARGE)) + 3, 2)


@case("special", "jn", "kn", "yn")
def _of_whole_orders(dtype: str) -> Iterator[Call]:
    for n in (0, 1, 3):
        yield call(n, abs(some(dtype, 20)) + 0.5)


@case("special", "factorial2")
def _factorial2(dtype: str) -> Iterator[Call]:
    yield call(np.arange(-1, 20))
    yield call(np.arange(LARGE) % 30)
    yield call(abs(some(dtype, 9)), extend="complex")


# -- fft -------------------------------------------------------------------------------------------


@case("fft", "dct", "dst", "idct", "idst")
def _cosines(dtype: str) -> Iterator[Call]:
    for kind in (1, 2, 3, 4):
        yield call(some(dtype, 9), kind)
        yield call(some(dtype, 3, 6), type=kind, n=8, axis=0, norm="ortho")
    yield call(some(dtype, LARGE))
    yield call(some(dtype, 8, 9), norm="forward")


@case("fft", "dctn", "dstn", "idctn", "idstn")
def _cosines_of_several(dtype: str) -> Iterator[Call]:
    for kind in (1, 2, 3, 4):
        yield call(some(dtype, 5, 6), kind)
        yield call(some(dtype, 2, 5, 6), type=kind, s=(4, 7), axes=(0, 2), norm="ortho")
    yield call(some(dtype, 100, LARGE // 100))


@case("fft", "fht", "ifht")
def _hankel(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9), 0.1, 0.5)
    yield call(some(dtype, 3, 8), 0.2, mu=2.0, offset=0.3, bias=-0.5)
    yield call(some(dtype, LARGE), 1e-3, 1.0)


@case("fft", "fhtoffset")
def _hankel_offset(dtype: str) -> Iterator[Call]:
    yield call(0.25 + abs(some(dtype, 9)), some(dtype, 9, seed=1))
    yield call(0.2, some(dtype, 3, 1), initial=some(dtype, 8), bias=0.5)


@case("fft", "nufft1")
def _modes(dtype: str) -> Iterator[Call]:
    yield call(5, some(dtype, 9), some(dtype, 9, seed=1))
    yield call((40, 30), some(dtype, 2, 90), some(dtype, 90, seed=1), some(dtype, 90, seed=2))


@case("fft", "nufft2")
def _at_points(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 5), some(dtype, 9, seed=1), iflag=1)
    yield call(some(dtype, 2, 40, 30), some(dtype, 90, seed=1), some(dtype, 90, seed=2))


@case("fft", "nufft3")
def _for_frequencies(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9), some(dtype, 9, seed=1), some(dtype, 7), iflag=1)
    yield call(some(dtype, 2, 200), some(dtype, 200, seed=1), some(dtype, 90), bandwidth=200.0)


# -- signal ----------------------------------------------------------------------------------------


@case("signal", "convolve", "correlate", "fftconvolve", "oaconvolve")
def _convolve(dtype: str) -> Iterator[Call]:
    x, y = some(dtype, 9), some(dtype, 4, seed=1)
    for mode in ("full", "same", "valid"):
        yield call(x, y, mode)
        yield call(x, y, mode=mode)
        yield call(y, x, mode)
        yield call(some(dtype, 5, 6), some(dtype, 3, 2), mode=mode)
        yield call(some(dtype, 3, 7), some(dtype, 3, 4), mode=mode, axes=-1)
        yield call(some(dtype, LARGE), some(dtype, 100), mode)
    yield call(x, y[:1])
    yield call(x, some("float64", 3))
    yield call(x[:0], y)


@case("signal", "convolve2d", "correlate2d")
def _images(dtype: str) -> Iterator[Call]:
    x, y = some(dtype, 9, 7), some(dtype, 3, 2)
    for mode in ("full", "same", "valid"):
        yield call(x, y, mode)
        yield call(y, x, mode=mode)
        yield call(x, y, mode, "wrap")
        yield call(x, y, mode, boundary="symm")
    yield call(x, y, fillvalue=2)
    yield call(some(dtype, LARGE // 100, 100), y, "same")


@case("signal", "upfirdn")
def _upfirdn(dtype: str) -> Iterator[Call]:
    h, x = some(dtype, 9), some(dtype, 3, 8)
    for mode in ("constant", "wrap", "antireflect"):
        yield call(h, x, 3, 2, mode=mode)
    yield call(h, x, 1, 2, 0, cval=0.5)
    yield call(h, some(dtype, LARGE), up=2)


@case("signal", "resample")
def _resample(dtype: str) -> Iterator[Call]:
    x = some(dtype, 9, 3)
    for num in (4, 5, 12):
        yield call(x, num)
    yield call(x, num=4, axis=1, window="hann")
    yield call(some(dtype, LARGE), LARGE // 2)


@case("signal", "envelope")
def _envelope(dtype: str) -> Iterator[Call]:
    x = some(dtype, 3, 12)
    yield call(x)
    yield call(x, (-2, 4), residual="all", squared=True, axis=1)
    yield call(some(dtype, LARGE), n_out=LARGE // 2, residual=None)


@case("signal", "resample_poly")
def _resample_poly(dtype: str) -> Iterator[Call]:
    x = some(dtype, 9, 3)
    yield call(x, 3, 2)
    yield call(x, 1, down=2, axis=1, window=[1.0, 2.0, 1.0])
    if "complex" not in dtype:
        yield call(x, 2, 1, padtype="median")
    yield call(some(dtype, LARGE), 1, 4)


WHOLE = "all dimensions are the filter's"
REAL = "of real numbers"
SOS = np.asarray([[0.2, 0.3, 0.1, 1.0, -0.5, 0.2], [1.0, -0.4, 0.3, 1.0, 0.3, -0.1]])
B, A = np.asarray([0.2, 0.3, 0.1]), np.asarray([1.0, -0.5, 0.2])


@case("signal", "sosfilt", "sosfiltfilt")
def _sections(dtype: str) -> Iterator[Call]:
    sos = SOS.astype(dtype)
    yield call(sos, some(dtype, 3, 40))
    yield call(sos, some(dtype, 40, 2), axis=0)
    yield call(sos[:1], some(dtype, LARGE))


@case("signal", "lfilter", "filtfilt")
def _coefficients(dtype: str) -> Iterator[Call]:
    b, a = B.astype(dtype), A.astype(dtype)
    yield call(b, a, some(dtype, 3, 40))
    yield call(b, a[:1], some(dtype, 40, 2), axis=0)
    yield call(b, a, some(dtype, LARGE))


@case("signal", "deconvolve")
def _deconvolve(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9), A.astype(dtype))
    yield call(some(dtype, 2), A.astype(dtype))


@case("signal", "stft")
def _stft(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 3, 64), nperseg=16)
    yield call(some(dtype, 64, 2), 2.0, "hamming", 16, noverlap=12, axis=0, boundary=None)
    yield call(some(dtype, LARGE))


@case("signal", "istft")
def _istft(dtype: str) -> Iterator[Call]:
    z = some(dtype, 3, 9, 12)
    yield call(z if "complex" in dtype else z + 0.5j)
    yield call(z[0], 2.0, "hamming", 16, noverlap=12, boundary=False)


@case("signal", "multitau", "twotime")
def _frames(dtype: str) -> Iterator[Call]:
    frames = np.abs(some(dtype, 40, 2, 3)) + 1
    yield call(frames)
    yield call(frames, np.asarray([[0, 1, -1], [1, 1, 0]]), num_labels=2)


@case("signal", "g2_from_twotime")
def _g2_from_twotime(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 8, 8))
    yield call(some(dtype, 3, 8, 8))


@case("signal", "deconvolve_svd")
def _deconvolve_svd(dtype: str) -> Iterator[Call]:
    kernel = np.exp(-np.arange(12) / 3).astype(dtype)
    for method in ("standard", "circulant", "oscillation", "tikhonov"):
        yield call(some(dtype, 5, 12), kernel, 0.5, method=method)


@case("signal", "convolve_linear", "convolve_exponential")
def _on_a_grid(dtype: str) -> Iterator[Call]:
    t, x = np.linspace(0, 3, 12).astype(dtype), some(dtype, 12)
    yield call(t, x, x[::-1] if dtype == "int64" else np.abs(x))
    yield call(t, x, np.abs(x)[:1])


@case("signal", "savgol_filter")
def _savgol_filter(dtype: str) -> Iterator[Call]:
    for mode in ("interp", "mirror", "constant", "nearest", "wrap"):
        yield call(some(dtype, 3, 20), 5, 2, mode=mode)
    yield call(some(dtype, LARGE), 7, 3, deriv=1, delta=0.5)


@case(
    *("signal", "wiener"),
    reference="scipy.signal",
    complex=REAL,
    empty="an image of nothing has no noise",
    batch=WHOLE,
    scalars=2,
)
def _wiener(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9, 7))
    yield call(some(dtype, LARGE), 5, 0.5)


@case("signal", "decimate")
def _decimate(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 3, 80), 3)
    yield call(some(dtype, 80, 2), 2, ftype="fir", axis=0)
    yield call(some(dtype, LARGE), 4, zero_phase=False)


@case("signal", "chirp")
def _chirp(dtype: str) -> Iterator[Call]:
    t = np.linspace(0, 2, 9).astype(dtype)
    yield call(t, 0.5, 2.0, 3.0)
    for method in ("quadratic", "logarithmic", "hyperbolic"):
        yield call(t, 1.0, 2.0, 3.0, method, phi=30)
    yield call(np.linspace(0, 1, LARGE).astype(dtype), 1.0, 1.0, 20.0)


@case("signal", "lombscargle")
def _lombscargle(dtype: str) -> Iterator[Call]:
    t, freqs = np.linspace(0, 9, 20).astype(dtype), np.linspace(0.5, 3, 6).astype(dtype)
    y = some(dtype, 20)
    yield call(t, y, freqs)
    yield call(t, y, freqs, normalize=True, floating_mean=True)
    yield call(t, y, freqs, weights=np.abs(y) + 1, normalize="amplitude")


@case("signal", "find_peaks")
def _find_peaks(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 60), height=0)
    yield call(some(dtype, 60), distance=3, prominence=0, width=0, plateau_size=1)
    yield call(some(dtype, LARGE), threshold=0.5)


@case("signal", "peak_prominences", "peak_widths")
def _of_peaks(dtype: str) -> Iterator[Call]:
    x = some(dtype, 60)
    inner = x[1:-1]
    (peaks,) = np.nonzero((inner > x[:-2]) & (inner > x[2:]))
    yield call(x, peaks + 1)
    yield call(x, peaks + 1, wlen=9)


# -- missing ---------------------------------------------------------------------------------------

IDS = np.asarray([3, 0, -1, 3, 7, 1, 0, 3])


@case("missing", "allclose", "array_equal", "isclose")
def _alike(dtype: str) -> Iterator[Call]:
    x = some(dtype, LARGE)
    yield call(x, x)
    yield call(x, x + x * 1e-9 if dtype != "int64" else x)
    yield call(x[:5], x[3:8])
    yield call(holes(dtype, 7), holes(dtype, 7), equal_nan=True)


@case("missing", "angle")
def _angle(dtype: str) -> Iterator[Call]:
    yield from (call(some(dtype, *s)) for s in ((9,), (3, 4), (LARGE,)))
    yield call(some(dtype, 9), deg=True)


@case("missing", "partition", "argpartition")
def _partition(dtype: str) -> Iterator[Call]:
    x = np.sort(some("float64", 9)).astype(dtype)  # so that any order is the sorted one
    yield call(x, 3)
    yield call(np.stack([x, x]), 2, axis=-1)
    yield call(np.sort(some("float64", LARGE)).astype(dtype), 100)


@case("missing", "bincount")
def _bincount(dtype: str) -> Iterator[Call]:
    x = np.asarray([2, 0, 7, 2, 2])
    yield call(x)
    yield call(x, some(dtype, 5), 12)
    yield call(x, length=4)
    yield call(np.arange(LARGE) % 13, some(dtype, LARGE))


@case("missing", "binned_statistic")
def _binned(dtype: str) -> Iterator[Call]:
    for statistic in ("mean", "sum", "count", "min", "max", "std"):
        yield call(some("float64", 30).astype(dtype), some(dtype, 30, seed=1), statistic, 4)
    yield call(some(dtype, LARGE), some(dtype, LARGE, seed=1), bins=20, range=(-1.0, 1.0))


@case("missing", "compress")
def _compress(dtype: str) -> Iterator[Call]:
    mask = np.asarray([True, False, True, True])
    yield call(mask, some(dtype, 4, 4), 0)
    yield call(mask, some(dtype, 4, 4), 1)
    yield call(np.arange(LARGE) % 3 == 0, some(dtype, LARGE))


@case("missing", "convolve")
def _convolve_1d(dtype: str) -> Iterator[Call]:
    for mode in ("full", "same", "valid"):
        yield call(some(dtype, 9), some(dtype, 4), mode)
    yield call(some(dtype, LARGE), some(dtype, 50))


@case("missing", "cov", "corrcoef")
def _cov(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 3, 8))
    yield call(some(dtype, 8, 3), rowvar=False)
    yield call(some(dtype, 8), some(dtype, 8, seed=1))
    yield call(some(dtype, 4, LARGE // 4))


@case("missing", "trapezoid", "cumulative_trapezoid", "simpson")
def _integrals(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9))
    yield call(some(dtype, 3, 9), np.cumsum(abs(some("float64", 9))), axis=-1)
    yield call(some(dtype, 9, 2), dx=0.5, axis=0)
    yield call(some(dtype, LARGE))


@case("missing", "deg2rad", "rad2deg", "sinc", "safe_sqrt", "nan_to_num")
def _elements(dtype: str) -> Iterator[Call]:
    yield from (call(some(dtype, *s)) for s in ((9,), (3, 4), (0,), (), (LARGE,)))
    yield call(holes(dtype, 12))


@case("missing", "round")
def _round(dtype: str) -> Iterator[Call]:
    yield from (
        call(np.asarray(10 * some(dtype, *s)), 2) for s in ((9,), (3, 4), (0,), (), (LARGE,))
    )
    yield call(some(dtype, 9))


@case("missing", "digitize")
def _digitize(dtype: str) -> Iterator[Call]:
    bins = np.asarray([-1.0, 0.0, 0.5, 2.0]).astype(dtype)
    yield call(some(dtype, 9), bins)
    yield call(some(dtype, 9), bins[::-1].copy(), right=True)
    yield call(some(dtype, LARGE), bins)


@case("missing", "einsum")
def _einsum(dtype: str) -> Iterator[Call]:
    yield call("ij,jk->ik", some(dtype, 3, 4), some(dtype, 4, 5))
    yield call("ij->j", some(dtype, 3, 4))
    yield call("bij,bj->bi", some(dtype, 2, 3, 4), some(dtype, 2, 4))
    yield call("ij,jk->ik", some(dtype, 100, 200), some(dtype, 200, 100))


@case("missing", "nonzero", "flatnonzero")
def _nonzero(dtype: str) -> Iterator[Call]:
    yield from (call(some("int64", *s).astype(dtype)) for s in ((12,), (3, 4), (0, 3), (LARGE,)))
    yield call(some("int64", 12).astype(dtype), size=20)


@case("missing", "geomspace")
def _geomspace(dtype: str) -> Iterator[Call]:
    yield call(abs(some(dtype, 3)) + 1, abs(some(dtype, 3, seed=1)) + 5, 7)
    yield call(abs(some(dtype, 3)) + 1, abs(some(dtype, 3, seed=1)) + 5, LARGE, endpoint=False)


@case("missing", "logspace")
def _logspace(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 3), some(dtype, 3, seed=1), 7)
    yield call(some(dtype, 3), some(dtype, 3, seed=1), LARGE, base=2.0)


@case("missing", "histogram")
def _histogram(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 30), 5)
    yield call(some(dtype, 30), np.asarray([-1.0, 0.0, 1.0]).astype(dtype), density=True)
    yield call(some(dtype, 30), 4, (-1.0, 1.0), weights=abs(some(dtype, 30)))
    yield call(some(dtype, LARGE), 50)


@case("missing", "histogram2d")
def _histogram2d(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 30), some(dtype, 30, seed=1), 4)
    yield call(some(dtype, LARGE), some(dtype, LARGE, seed=1), (5, 7))


@case("missing", "histogramdd")
def _histogramdd(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 30, 3), 3)
    yield call(some(dtype, LARGE // 2, 2), (5, 7), density=True)


@case("missing", "interp")
def _interp(dtype: str) -> Iterator[Call]:
    xp = np.sort(some("float64", 6))
    xp, fp = (xp if dtype != "int64" else np.arange(6)).astype(dtype), some(dtype, 6, seed=1)
    yield call(some(dtype, 9), xp, fp)
    yield call(some(dtype, 9), xp, fp, left=-1.0, right=2.0)
    yield call(some(dtype, LARGE), xp, fp)


@case("missing", "intersect1d", "setdiff1d", "setxor1d", "union1d")
def _sets(dtype: str) -> Iterator[Call]:
    a, b = (some("int64", 12, seed=s).astype(dtype) for s in (0, 5))
    yield call(a, b)
    yield call(a, b, size=6, fill_value=0)
    yield call(a, b[:0])
    yield call(np.arange(LARGE).astype(dtype), np.arange(0, LARGE, 3).astype(dtype))


@case("missing", "isin")
def _isin(dtype: str) -> Iterator[Call]:
    a, b = (some("int64", 12, seed=s).astype(dtype) for s in (0, 5))
    yield call(a, b)
    yield call(a.reshape(3, 4), b, invert=True)
    yield call(np.arange(LARGE).astype(dtype), b)


@case("missing", "kron")
def _kron(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 2, 3), some(dtype, 3, 2))
    yield call(some(dtype, 50), some(dtype, 400))


@case("missing", "lexsort")
def _lexsort(dtype: str) -> Iterator[Call]:
    yield call((some(dtype, 9), some("int64", 9)))
    yield call(np.stack([some(dtype, LARGE), some("int64", LARGE).astype(dtype)]))


@case("missing", "median", "nanmedian", "nanmax", "nanmin", "nanmean", "nanprod", "nansum")
def _reductions(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9))
    yield call(holes(dtype, 4, 6), axis=-1)
    yield call(holes(dtype, 4, 6), axis=0, keepdims=True)
    yield call(some(dtype, 2, 3, 4), axis=(0, 2))
    yield call(some(dtype, LARGE))


@case("missing", "nanstd", "nanvar")
def _spreads(dtype: str) -> Iterator[Call]:
    yield from _reductions(dtype)
    yield call(holes(dtype, 4, 6), axis=-1, ddof=1)


@case("missing", "nancumsum")
def _nancumsum(dtype: str) -> Iterator[Call]:
    yield call(holes(dtype, 9))
    yield call(holes(dtype, 4, 6), axis=1)
    yield call(holes(dtype, LARGE))


@case("missing", "quantile", "nanquantile")
def _quantile(dtype: str) -> Iterator[Call]:
    q = np.asarray([0.0, 0.3, 1.0])
    yield call(some(dtype, 9), 0.4)
    yield call(some(dtype, 4, 6), q, axis=-1)
    yield call(holes(dtype, 4, 6), q, axis=0, method="nearest", keepdims=True)
    yield call(some(dtype, LARGE), 0.4)


@case("missing", "percentile")
def _percentile(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9), 40.0)
    yield call(some(dtype, 4, 6), np.asarray([0.0, 30.0, 100.0]), axis=-1)
    yield call(some(dtype, LARGE), 40.0)


@case("missing", "pad")
def _pad(dtype: str) -> Iterator[Call]:
    for mode in ("constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp"):
        yield call(some(dtype, 5, 4), ((1, 2), (0, 3)), mode)
    yield call(some(dtype, LARGE), 100)


@case("missing", "put")
def _put(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 3, 4), np.asarray([7, 0, -1]), some(dtype, 3))
    yield call(some(dtype, LARGE), np.asarray([7, 0, 30_000]), some(dtype, 3), mode="wrap")


@case("missing", "put_along_axis")
def _put_along(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 3, 4), np.asarray([[0, -1], [2, 1], [1, 0]]), some(dtype, 3, 2), 1)
    yield call(some(dtype, LARGE), np.asarray([5, 0]), some(dtype, 2), 0)


@case("missing", "rankdata")
def _rankdata(dtype: str) -> Iterator[Call]:
    x = some("int64", 9).astype(dtype)
    for method in ("average", "min", "max", "dense", "ordinal"):
        yield call(x, method)
    yield call(x.reshape(3, 3), axis=-1)
    yield call(some("int64", LARGE).astype(dtype))


@case("missing", "repeat")
def _repeat(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 3, 2), np.asarray([2, 0, 3]), 0)
    yield call(some(dtype, LARGE), 2)


@case("missing", "safe_divide", "xlogy")
def _safe_divide(dtype: str) -> Iterator[Call]:
    y = some(dtype, 9, seed=1)
    y[2] = 0
    yield call(some(dtype, 9), y)
    yield call(some(dtype, 4, 1), y)
    yield call(some(dtype, LARGE), abs(some(dtype, LARGE, seed=1)) + 1)


@case("missing", "safe_norm")
def _safe_norm(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9))
    yield call(some(dtype, 4, 6), -1, True)
    yield call(some(dtype, LARGE))


@case("missing", "searchsorted")
def _searchsorted(dtype: str) -> Iterator[Call]:
    a = np.sort(some("int64", 9)).astype(dtype)
    yield call(a, some(dtype, 3, 4))
    yield call(a, some(dtype, 7), side="right")
    yield call(a, some(dtype, LARGE))


@case("missing", *(f"segment_{name}" for name in ("max", "mean", "min", "prod", "sum")))
def _segments(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 8), IDS, 5)
    yield call(some(dtype, 8, 2), IDS, 9)
    yield call(some(dtype, LARGE), np.arange(LARGE) % 2000, 2000)


@case("missing", "sliding_window_view")
def _windows(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9), 4)
    yield call(some(dtype, 5, 6), (2, 3), (0, 1))
    yield call(some(dtype, LARGE), 5)


@case("missing", "take")
def _take(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 4, 4), IDS % 4, 1)
    yield call(some(dtype, 4, 4), np.asarray([[-1, 0], [2, 9]]), mode="clip")
    yield call(some(dtype, LARGE), np.arange(0, LARGE, 3))


@case("missing", "take_along_axis")
def _take_along(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 3, 4), np.asarray([[0, -1], [2, 2], [1, 0]]), 1)
    yield call(some(dtype, LARGE), np.arange(0, LARGE, 3), 0)


@case("missing", "topk")
def _topk(dtype: str) -> Iterator[Call]:
    x = np.random.default_rng(3).permutation(24).astype(dtype)
    yield call(x, 5)
    yield call(x.reshape(4, 6), 2, largest=False)
    yield call(np.random.default_rng(3).permutation(LARGE).astype(dtype), 50)


@case("missing", "unique")
def _unique(dtype: str) -> Iterator[Call]:
    x = some("int64", 12).astype(dtype)
    yield call(x)
    yield call(x, True, True, True)
    yield call(some("int64", LARGE).astype(dtype))


@case("missing", "unwrap")
def _unwrap(dtype: str) -> Iterator[Call]:
    yield call(4 * some(dtype, 9))
    yield call(4 * some(dtype, 3, 9), axis=0)
    yield call(4 * some(dtype, LARGE))


# -- linalg ----------------------------------------------------------------------------------------


def _regular(dtype: str, *shape: int) -> Any:
    n = shape[-1]
    return some(dtype, *shape) + (2 * n * np.eye(n)).astype(dtype)


def _positive(dtype: str, *shape: int) -> Any:
    a = some(dtype, *shape)
    return a @ np.conj(np.swapaxes(a, -1, -2)) + (shape[-1] * np.eye(shape[-1])).astype(dtype)


@case("linalg", "block_diag")
def _block_diag(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 2, 2), some(dtype, 1, 3))
    yield call(some(dtype, 100, 100), some(dtype, 50, 80))


@case("linalg", "det", "inv", "lu", "lu_factor")
def _square(dtype: str) -> Iterator[Call]:
    yield from (call(_regular(dtype, *s)) for s in ((2, 2), (5, 5), (3, 4, 4), (150, 150)))


@case("linalg", "cho_factor")
def _cho_factor(dtype: str) -> Iterator[Call]:
    for s in ((2, 2), (5, 5), (3, 4, 4), (150, 150)):
        yield call(_positive(dtype, *s))
        yield call(_positive(dtype, *s), lower=True)


@case("linalg", "cholesky")
def _cholesky(dtype: str) -> Iterator[Call]:
    for s in ((2, 2), (3, 4, 4), (150, 150)):
        yield call(_positive(dtype, *s))
        yield call(_positive(dtype, *s), lower=True)


@case("linalg", "eigvalsh")
def _eigenvalues(dtype: str) -> Iterator[Call]:
    """With a second matrix, whose factors are a step."""
    for s in ((2, 2), (3, 4, 4), (60, 60)):
        a = some(dtype, *s)
        a = a + np.conj(np.swapaxes(a, -1, -2))
        yield call(a, _positive(dtype, *s))


@case("linalg", "eigh")
def _eigh(dtype: str) -> Iterator[Call]:
    yield from ((args, {"eigvals_only": True}) for args, _ in _eigenvalues(dtype))


@case("linalg", "eigvals")
def _pencils(dtype: str) -> Iterator[Call]:
    """Triangular, so that the values come in the order of the diagonal."""
    for n in (2, 5, 40):
        yield call(np.triu(_regular(dtype, n, n)), np.eye(n).astype(dtype))


@case("linalg", "eig")
def _pencils_without_vectors(dtype: str) -> Iterator[Call]:
    yield from ((args, {"left": False, "right": False}) for args, _ in _pencils(dtype))


@case("linalg", "expm")
def _expm(dtype: str) -> Iterator[Call]:
    yield from (call(some(dtype, *s)) for s in ((2, 2), (3, 4, 4), (40, 40)))


@case("linalg", "cho_solve")
def _cho_solve(dtype: str) -> Iterator[Call]:
    for n in (5, 150):
        c = np.tril(_regular(dtype, n, n))
        yield call((c, True), some(dtype, n))
        yield call((c.T.copy(), False), some(dtype, n, 2))


@case("linalg", "lu_solve")
def _lu_solve(dtype: str) -> Iterator[Call]:
    for n in (5, 150):
        swaps = np.arange(n)
        swaps[0] = 1
        yield call((_regular(dtype, n, n), swaps), some(dtype, n))
        yield call((_regular(dtype, n, n), swaps), some(dtype, n, 2), trans=1)


@case("linalg", "matrix_balance")
def _matrix_balance(dtype: str) -> Iterator[Call]:
    for shape in ((4, 4), (1, 1), (3, 5, 5), (2, 0, 0), (20, 20)):
        yield call(some(dtype, *shape))
    yield call(some(dtype, 4, 4), scale=False, separate=True)


@case("linalg", "circulant")
def _circulant(dtype: str) -> Iterator[Call]:
    yield from (call(some(dtype, *s)) for s in ((5,), (2, 4), (150,)))


@case("linalg", "toeplitz", "hankel")
def _toeplitz(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 5))
    yield call(some(dtype, 5), some(dtype, 3, seed=1))
    yield call(some(dtype, 150))


@case("linalg", "solve_toeplitz")
def _solve_toeplitz(dtype: str) -> Iterator[Call]:
    for n in (5, 150):
        c, r = some(dtype, n), some(dtype, n, seed=1)
        c[0] += np.asarray(2 * n).astype(dtype)
        yield call(c, some(dtype, n))
        yield call((c, r), some(dtype, n, 2))


@case("linalg", "eigh_tridiagonal")
def _eigh_tridiagonal(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 6), some(dtype, 5), eigvals_only=True)
    yield call(some(dtype, 100), some(dtype, 99), True)


@case("linalg", "lstsq")
def _lstsq(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9, 3), some(dtype, 9))
    yield call(some(dtype, 9, 3), some(dtype, 9, 2))
    yield call(some(dtype, 1000, 20), some(dtype, 1000))


@case("linalg", "solve")
def _solve(dtype: str) -> Iterator[Call]:
    for n in (2, 5, 150):
        yield call(_regular(dtype, n, n), some(dtype, n))
        yield call(_positive(dtype, n, n), some(dtype, n, 2), assume_a="pos")
        yield call(np.tril(_regular(dtype, n, n)), some(dtype, n), assume_a="lower triangular")
    yield call(_regular(dtype, 3, 2, 2), some(dtype, 3, 2, 1))


@case("linalg", "solve_banded")
def _solve_banded(dtype: str) -> Iterator[Call]:
    for n in (6, 500):
        ab = some(dtype, 4, n)
        ab[1] += np.asarray(10).astype(dtype)
        yield call((2, 1), ab, some(dtype, n))


@case("linalg", "solve_triangular")
def _solve_triangular(dtype: str) -> Iterator[Call]:
    for n in (5, 150):
        yield call(_regular(dtype, n, n), some(dtype, n))
        yield call(_regular(dtype, n, n), some(dtype, n, 2), lower=True, trans=1)


@case("linalg", "tridiagonal_solve")
def _tridiagonal(dtype: str) -> Iterator[Call]:
    for n in (6, 500):
        d = some(dtype, n) + np.asarray(10).astype(dtype)
        yield call(some(dtype, n), d, some(dtype, n, seed=1), some(dtype, n, 1))


# -- signal: plans and filters by rank -------------------------------------------------------------


@case("signal", "lp2lp_zpk", "lp2hp_zpk", "lp2bp_zpk", "lp2bs_zpk", "bilinear_zpk")
def _bands(dtype: str) -> Iterator[Call]:
    poles = -np.abs(some(dtype, 4)) - np.asarray(1).astype(dtype)
    yield call(some(dtype, 2), poles, 2.0, 3.0)


@case("signal", "czt")
def _czt(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9))
    yield call(some(dtype, 3, 60), 20, a=0.9 + 0.1j)


@case("signal", "zoom_fft")
def _zoom_fft(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9), 0.5)
    yield call(some(dtype, 3, 60), [0.1, 0.7], 20)


@case("signal", "lfiltic")
def _lfiltic(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 3), np.asarray([1.0, 0.5, 0.25]).astype(dtype), some(dtype, 2))


@case("signal", "medfilt2d", reference="scipy.signal", complex=REAL, empty=True, batch=WHOLE)
@case(
    *("signal", "medfilt"),
    reference="scipy.signal",
    complex=REAL,
    empty="a kernel larger than the volume is warned of",
    batch=WHOLE,
)
def _medians(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9, 7), 3)
    yield call(some(dtype, 60, 50), (5, 3))


@case("signal", "order_filter")
def _order_filter(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9, 7), np.ones((3, 3)), 4)


@case("signal", "remez")
def _remez(dtype: str) -> Iterator[Call]:
    edges = np.asarray([0.0, 0.1, 0.2, 0.5]).astype(dtype)
    yield call(11, np.real(edges), np.real(np.asarray([1.0, 0.0]).astype(dtype)))


# -- optimize --------------------------------------------------------------------------------------


@case("optimize", "linear_sum_assignment")
def _assignment(dtype: str) -> Iterator[Call]:
    rng = np.random.default_rng(1)  # distinct costs, so that one assignment is best
    yield call(rng.permutation(30).reshape(5, 6).astype(dtype))
    yield call(rng.permutation(30).reshape(6, 5).astype(dtype), maximize=True)
    yield call(rng.permutation(2500).reshape(50, 50).astype(dtype))


@case("optimize", "nnls")
def _nnls(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9, 3), some(dtype, 9))
    yield call(some(dtype, 200, 20), some(dtype, 200))


@case("optimize", "isotonic_regression")
def _isotonic_regression(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9))
    yield call(some(dtype, 9), weights=1 + abs(some(dtype, 9, seed=1)), increasing=False)


@case("optimize", "linprog")
def _linprog(dtype: str) -> Iterator[Call]:
    for n, m in ((3, 2), (5, 3)):
        a = some(dtype, m, n)
        c, b = some(dtype, n, seed=2), 1 + abs(some(dtype, m, seed=1))
        yield call(c, a, b, bounds=(-1.0, 2.0))


@case("optimize", "milp")
def _milp(dtype: str) -> Iterator[Call]:
    for n in (3, 4):
        yield call(-1 - abs(some(dtype, n)), integrality=1, bounds=(0.0, 2.5))


@case("optimize", "quadratic_assignment")
def _quadratic_assignment(dtype: str) -> Iterator[Call]:
    rng = np.random.default_rng(1)
    yield call(*rng.integers(0, 9, (2, 5, 5)).astype(dtype))
    yield call(*rng.integers(0, 9, (2, 6, 6)).astype(dtype), method="faq")


@case("optimize", "lsq_linear")
def _lsq_linear(dtype: str) -> Iterator[Call]:
    yield call(some(dtype, 9, 3), some(dtype, 9))
    yield call(some(dtype, 9, 3), some(dtype, 9), (0.0, 0.25))
