"""Filters that run, trends, analytic signals and ranks, against SciPy's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.signal

from likewise import array_namespace, signal

from .case import REAL, Case, case
from .cases_fft import MINIMAL

X = np.asarray([0.4, -1.2, 2.0, 0.7, -0.3, 1.1, 0.2, -0.8, 1.6, -0.4, 0.9, -1.5])
IMAGE = np.stack([X[:4], X[4:8], X[8:]])
B, A = np.asarray([0.2, 0.4, -0.1]), np.asarray([1.0, -0.6, 0.3])
UPPER = np.asarray([[0.2, 0.4, 0.1], [1.0, -0.5, 0.25]])
LOWER = np.asarray([[-0.6, 0.3], [0.2, -0.15]])
SOS = np.concat([UPPER, np.ones((2, 1)), LOWER], axis=1)
ROWS = SOS.tolist()
CHUNK, STATES = X[:5], np.asarray([0.3, -0.2])
NOTHING = "a filter of nothing is refused"
# Coefficients whose values can be looked at are, for a cascade's matrices and for a check of each.
READ: dict[str, Any] = {"copies": "the coefficients make the matrices of blocks", "scalars": 4}


def sections(upper: Any, lower: Any) -> Any:
    """Sections of second order, whose denominators begin with one."""
    xp = array_namespace(upper, lower)
    return xp.concat((upper, xp.ones_like(lower[:, :1]), lower), axis=1)


def cascade(name: str, *rest: Any) -> Case:
    """A function of sections, and of what else is given."""
    ours, theirs = getattr(signal, name), getattr(scipy.signal, name)
    return case(
        f"signal.{name}",
        UPPER,
        LOWER,
        *rest,
        by=lambda upper, lower, *more: ours(sections(upper, lower), *more),
        reference=lambda upper, lower, *more: theirs(sections(upper, lower), *more),
        empty={"sosfilt": False, "sosfilt_zi": True}.get(name, NOTHING),
        complex=True,
        **READ,
    )


# Coefficients are of one filter; a batch is of signals.
def of_signals(
    name: str, *given: Any, judge: Callable[..., Any] | None = None, **options: Any
) -> Case:
    """A function whose coefficients are plain numbers, so that signals are a batch."""
    ours, theirs = getattr(signal, name), judge or getattr(scipy.signal, name)
    plain = [g.tolist() for g in given]
    own = {"batch": True, "complex": True} | READ | options
    return case(
        f"signal.{name}",
        X,
        by=lambda x, **k: ours(*plain, x, **k),
        reference=lambda x, **k: theirs(*given, x, **k),
        **own,
    )


def plain(name: str, *args: Any, **options: Any) -> Case:
    return case(f"signal.{name}", *args, reference=getattr(scipy.signal, name), **options)


def apart(pair: Any) -> Any:
    """An envelope and its residual, which are stacked before a batch."""
    return pair[0, ...], pair[1, ...]


def filtered(f: Callable[..., Any]) -> Callable[..., Any]:
    """lfilter from states given by place."""
    return lambda b, a, x, zi: f(b, a, x, -1, zi)


FILTERS = [
    cascade("sosfilt", CHUNK),
    of_signals(
        "sosfilt",
        SOS,
        empty=True,
        judge=lambda sos, x: x * 0 if not x.size else scipy.signal.sosfilt(sos, x),
    ),
    case(
        "signal.sosfilt",
        CHUNK,
        np.stack([STATES, STATES * 2]),
        by=lambda x, zi: signal.sosfilt(ROWS, x, -1, zi),
        reference=lambda x, zi: scipy.signal.sosfilt(SOS, x, -1, zi),
        complex=True,
        **READ,
    ),
    cascade("sosfilt_zi"),
    plain("lfilter", B, A, CHUNK, complex=True, empty=NOTHING, **READ),
    of_signals(
        "lfilter",
        B,
        A,
        empty=True,
        judge=lambda b, a, x: x * 0 if not x.size else scipy.signal.lfilter(b, a, x),
    ),
    case(
        "signal.lfilter",
        B,
        A,
        CHUNK,
        STATES,
        by=filtered(signal.lfilter),
        reference=filtered(scipy.signal.lfilter),
        **READ,
        empty=NOTHING,
    ),
    plain("lfilter_zi", B, A, complex=True, empty=NOTHING, **READ),
    plain("lfiltic", B, A, CHUNK, X[:3], complex=True, empty=NOTHING, **READ),
    plain(
        "deconvolve",
        CHUNK,
        A,
        complex=True,
        batch="of two sequences",
        empty="no samples are refused",
        **READ,
    ),
    *(
        of_signals("filtfilt", B, A, kwargs={"padtype": p, "padlen": 4})
        for p in ("odd", "even", "constant")
    ),
    of_signals("filtfilt", B, A, kwargs={"method": "pad", "padtype": None}),
    of_signals(
        "filtfilt",
        B,
        A,
        kwargs={"method": "gust", "irlen": 4},
        eager={"strict-minimal": "there is no linalg"},
    ),
    plain("filtfilt", B, A, X, empty=NOTHING, **READ),
    cascade("sosfiltfilt", np.concat([X, X[::-1]])),
    *(
        of_signals("sosfiltfilt", SOS, kwargs={"padtype": p, "padlen": 4})
        for p in ("odd", "even", "constant")
    ),
    *(
        plain(
            "detrend",
            X,
            kwargs={"type": t, "bp": 0},
            batch=True,
            complex=True,
        )
        for t in ("linear", "constant")
    ),
    plain("hilbert", X, batch=True, complex=REAL, eager=MINIMAL),
    *(
        case(
            "signal.envelope",
            X,
            by=lambda x, **k: apart(signal.envelope(x, **k)),
            reference=lambda x, **k: tuple(scipy.signal.envelope(x, **k)),
            kwargs={"residual": r},
            batch=True,
            complex=True,
            eager=MINIMAL,
        )
        for r in ("lowpass", "all")
    ),
    plain(
        "envelope",
        X,
        kwargs={"bp_in": (-2, 5), "n_out": 8, "squared": True, "residual": None},
        batch=True,
        complex=True,
        eager=MINIMAL,
    ),
    plain(
        "hilbert2",
        IMAGE,
        batch=True,
        complex=REAL,
        eager=MINIMAL,
        sharded="XLA on the CPU can't compile ifftn(fftn(x)) where the last axis is divided",
    ),
    *(
        plain(
            "savgol_filter",
            X,
            kwargs={"window_length": 5, "polyorder": 2, "mode": m},
            batch=True,
            complex=REAL,
        )
        for m in ("interp", "mirror", "constant", "nearest", "wrap")
    ),
    case(
        "signal.order_filter",
        IMAGE,
        by=lambda x: signal.order_filter(x, [[1, 0, 1]], 1),
        reference=lambda x: scipy.signal.order_filter(x, np.asarray([[1, 0, 1]]), 1),
        complex=REAL,
        empty=True,
        batch="all dimensions are the filter's",
    ),
]
