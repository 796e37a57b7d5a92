"""Fourier transforms and convolution, against SciPy's."""

import functools
from typing import Any

import numpy as np
import scipy.fft
import scipy.signal

from likewise import fft

from .case import REAL, Case, case

X = np.asarray([0.4, -1.2, 2.0, 0.7, -0.3, 1.1])
LONG, SHORT = np.asarray([0.4, -1.2, 2.0, 0.7, -0.3]), np.asarray([1.5, -0.5, 0.25])
Y = np.stack([X, X[::-1] + 0.5])
RECORD = np.concatenate([X, X[::-1] ** 2])
MINIMAL = {"strict-minimal": "there is no fft"}
WAVE: dict[str, Any] = {"batch": True, "complex": REAL}
IMAGE = np.asarray([[0.5, -1.0], [2.0, 0.25]])
NORMS: list[Any] = [None, "backward", "ortho", "forward"]
HALF = X[:4] + 1j * np.asarray([0.0, 0.5, -0.2, 0.0])


def transform(name: str, x: Any, norm: Any, **options: Any) -> Case:
    kwargs = {"norm": norm} if norm else {}
    own: dict[str, Any] = {
        "reference": getattr(scipy.fft, name),
        "eager": MINIMAL,
        "kwargs": kwargs,
    }
    if not name.endswith("n"):
        own["batch"] = True
    else:
        own |= SEVERAL
    return case(f"fft.{name}", x, **(own | options))


TYPES: list[Any] = [
    *({"type": 1}, {"norm": "ortho"}, {"type": 3, "norm": "forward"}, {"type": 4}),
    {"norm": None},
]
SEVERAL = {"empty": "there is nothing to transform", "batch": "all axes, or those of axes="}
COSINES = [
    case(
        f"fft.{f}",
        Y if f.endswith("n") else X,
        reference=getattr(scipy.fft, f),
        eager=MINIMAL,
        kwargs=given | {"norm": given.get("norm", "backward"), "type": given.get("type", 2)},
        complex=True,
        **(SEVERAL if f.endswith("n") else {"batch": True}),
    )
    for f in ("dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn")
    for given in TYPES
]
PLACES = np.asarray([0.3, -2.0, 2.9, 5.0, 1.1, -0.4])
NODES = np.arange(-2, 3)
FFT = [
    case(
        "fft.nufft3",
        HALF,
        PLACES[:4],
        PLACES,
        reference=lambda c, x, s: np.exp(-1j * s[:, None] * x) @ c,
        eager=MINIMAL,
        batch=True,
        complex="points are real numbers",
    ),
    case(
        "fft.nufft1",
        X - 0.5j * X[::-1],
        PLACES,
        by=lambda c, x: fft.nufft1(5, c, x),
        reference=lambda c, x: np.exp(1j * NODES[:, None] * x) @ c,
        eager=MINIMAL,
        batch=True,
        complex="points are real numbers",
    ),
    case(
        "fft.nufft2",
        HALF,
        PLACES,
        by=lambda f, x: fft.nufft2(f, x),
        reference=lambda f, x: np.exp(-1j * NODES[:-1] * x[:, None]) @ f,
        eager=MINIMAL,
        batch=True,
        complex="points are real numbers",
    ),
    *COSINES,
    *(transform(f, X, n, complex=True) for f in ("fft", "ifft") for n in NORMS),
    *(transform(f, X, n, complex=REAL) for f in ("rfft", "ihfft") for n in NORMS),
    *(transform(f, HALF, n) for f in ("irfft", "hfft") for n in NORMS),
    *(transform(f, Y, n, complex=True) for f in ("fftn", "ifftn") for n in NORMS),
    *(transform(f, Y, n, complex=REAL) for f in ("rfftn", "ihfftn") for n in NORMS),
    *(transform(f, Y, n, complex=True) for f in ("fft2", "ifft2") for n in NORMS),
    *(transform(f, Y, n, complex=REAL) for f in ("rfft2", "ihfft2") for n in NORMS),
    *(
        transform(f, np.stack([HALF, HALF]), n)
        for f in ("irfft2", "hfft2", "irfftn", "hfftn")
        for n in NORMS
    ),
    *(
        case(
            f"fft.{f}",
            X,
            reference=getattr(scipy.fft, f),
            kwargs={"dln": 0.2, "mu": 1.0, "offset": 0.1, "bias": 0.5},
            eager=MINIMAL,
            batch=True,
            complex=REAL,
        )
        for f in ("fht", "ifht")
    ),
    case(
        "fft.fhtoffset",
        0.25 + abs(X),
        X,
        reference=scipy.fft.fhtoffset,
        kwargs={"initial": 0.3, "bias": 0.25},
        batch=True,
        complex=REAL,
        empty=True,
    ),
    *(
        case(
            f"fft.{f}",
            X,
            reference=getattr(np.fft, f),
            kwargs={"axes": -1},
            batch=True,
            complex=True,
        )
        for f in ("fftshift", "ifftshift")
    ),
    *(
        case(
            f"fft.{f}",
            X,
            by=lambda x, f=f: getattr(fft, f)(6, 0.5, like=x),
            reference=lambda x, f=f: getattr(np.fft, f)(6, 0.5),
            eager=MINIMAL,
            batch="of a number of points",
            complex=True,
            empty=True,
        )
        for f in ("fftfreq", "rfftfreq")
    ),
]


def or_nothing(judge: Any) -> Any:
    """SciPy's function; where the direct way refuses empty arrays, what its other way gives."""

    @functools.wraps(judge)
    def call(*args: Any, **options: Any) -> Any:
        return judge(*args, **options) if all(a.size for a in args) else np.zeros(0)

    return call


def modes(name: str, **options: Any) -> list[Case]:
    judge = or_nothing(getattr(scipy.signal, name))
    found = [
        case(
            f"signal.{name}",
            LONG,
            SHORT,
            kwargs={"mode": mode},
            reference=judge,
            complex=True,
            empty=True,
            scalars=1,
            **options,
        )
        for mode in ("full", "same", "valid")
    ]
    axes = case(
        f"signal.{name}",
        LONG,
        SHORT,
        kwargs={"axes": -1},
        reference=lambda a, b, axes: judge(a, b),
        batch=True,
        empty=False,  # of no problems shape (0,) comes out, as SciPy has it
        scalars=1,
        **options,
    )
    return [*found, axes]


DIRECT = [
    case(
        f"signal.{f}",
        LONG,
        SHORT,
        kwargs={"method": method},
        reference=getattr(scipy.signal, f),
        eager=MINIMAL if method == "fft" else True,
        scalars=1,
    )
    for f in ("convolve", "correlate")
    for method in ("direct", "fft")
]
SIGNAL = [
    *modes("convolve"),
    *modes("correlate"),
    *modes("fftconvolve", eager=MINIMAL),
    *modes("oaconvolve", eager=MINIMAL),
    *(
        case(
            "signal.upfirdn",
            SHORT,
            X,
            kwargs={"up": 3, "down": 2, "mode": mode},
            reference=scipy.signal.upfirdn,
            complex=True,
            batch="of signals alone; tests/signal has it",
            empty="no samples are refused",
        )
        for mode in (
            *("constant", "wrap", "edge", "smooth", "symmetric", "reflect"),
            *("antisymmetric", "antireflect", "line"),
        )
    ),
    *(
        case(
            "signal.resample",
            x,
            kwargs={"num": 4, "axis": -1, "domain": domain},
            reference=scipy.signal.resample,
            eager=MINIMAL,
            batch=True,
            complex=domain == "time",
        )
        for domain, x in (("time", X), ("freq", X + 1j * np.flip(X)))
    ),
    case(
        "signal.resample_poly",
        X,
        kwargs={"up": 3, "down": 2, "axis": -1, "padtype": "mean"},
        reference=scipy.signal.resample_poly,
        batch=True,
        complex=True,
    ),
    *(
        case(
            "signal.decimate",
            RECORD,
            kwargs={"q": 3, "n": 2, "ftype": ftype, "zero_phase": zero_phase},
            reference=scipy.signal.decimate,
            batch=True,
            complex=True,
            scalars=12 if ftype == "iir" else 0,
            copies="a filter's coefficients are read" if ftype == "iir" else "",
        )
        for ftype in ("iir", "fir")
        for zero_phase in (True, False)
    ),
    *(
        case(
            "signal.chirp",
            X,
            0.7,
            2.0,
            0.2,
            kwargs={"method": method},
            reference=scipy.signal.chirp,
            **WAVE,
        )
        for method in ("linear", "quadratic", "logarithmic", "hyperbolic")
    ),
    case(
        "signal.sweep_poly",
        X,
        SHORT,
        reference=scipy.signal.sweep_poly,
        batch="of times alone, by one polynomial",
        empty=True,
        complex=REAL,
    ),
    case("signal.gausspulse", X, 0.3, reference=scipy.signal.gausspulse, **WAVE),
    case("signal.sawtooth", X, 0.3, reference=scipy.signal.sawtooth, **WAVE),
    case("signal.square", X, 0.3, reference=scipy.signal.square, **WAVE),
    *(
        case(
            f"signal.{f}",
            Y,
            IMAGE,
            kwargs={"mode": mode, "boundary": boundary},
            reference=getattr(scipy.signal, f),
            complex=True,
            batch="of an image each; vmap takes many",
            empty="images without elements are refused",
            scalars=1,
        )
        for f in ("convolve2d", "correlate2d")
        for mode, boundary in (("full", "fill"), ("same", "wrap"), ("valid", "symm"))
    ),
    *DIRECT,
]
