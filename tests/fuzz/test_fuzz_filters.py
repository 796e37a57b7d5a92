"""Random filters on random signals: SciPy in double precision is the judge of the bodies."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.signal import (
    detrend,
    filtfilt,
    hilbert,
    lfilter,
    medfilt,
    order_filter,
    savgol_filter,
    sosfilt,
    sosfiltfilt,
    wiener,
)

from ..signal.designs import close

pytestmark = pytest.mark.full


def section(rng: np.random.Generator) -> list[float]:
    """Poles in the circle, real or a pair, at times at zero; any zeros."""
    if rng.random() < 0.2:
        poles = np.zeros(2)
    elif rng.random() < 0.5:
        poles = rng.uniform(-0.95, 0.95, 2)
    else:
        p = rng.uniform(0, 0.97) * np.exp(1j * rng.uniform(0, np.pi))
        poles = np.asarray([p, p.conjugate()])
    return [*rng.normal(size=3), *np.poly(poles).real]


def signals(rng: np.random.Generator, axis: int, ndim: int, n: int) -> Any:
    """Signals in a view of some kind, real or complex."""
    shape = [int(k) for k in rng.integers(1, 4, ndim)]
    shape[axis] = n
    if rng.random() < 0.3:
        x = rng.normal(size=[2 * k for k in shape])[tuple(slice(None, None, 2) for _ in shape)]
    else:
        x = rng.normal(size=shape[::-1]).T
    return x + 1j * rng.normal(size=x.shape) if rng.random() < 0.3 else x


def length(rng: np.random.Generator) -> int:
    return int(rng.integers(1, 8) if rng.random() < 0.4 else rng.integers(8, 320))


@pytest.mark.parametrize("seed", range(4))
def test_sections(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(300):
        ndim = int(rng.integers(1, 4))
        axis = int(rng.integers(-ndim, ndim))
        x = signals(rng, axis, ndim, length(rng))
        sos = np.asarray([section(rng) for _ in range(rng.integers(1, 5))])
        shape = list(x.shape)
        shape[axis] = 2
        zi = rng.normal(size=(len(sos), *shape)).astype(x.dtype)
        close(sosfilt.generic(sos, x, axis), scipy.signal.sosfilt(sos, x, axis), 1e-9)
        expected = scipy.signal.sosfilt(sos, x, axis, zi)
        close(sosfilt.generic(sos, x, axis, zi), expected, 1e-9)
        edge = int(rng.integers(0, x.shape[axis]))
        kind = str(rng.choice(["odd", "even", "constant"]))
        expected = scipy.signal.sosfiltfilt(sos, x, axis, kind, edge)
        close(sosfiltfilt.generic(sos, x, axis, kind, edge), expected, 1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_numerators_and_denominators(seed: int) -> None:
    rng = np.random.default_rng(100 + seed)
    for _ in range(150):
        ndim = int(rng.integers(1, 4))
        axis = int(rng.integers(-ndim, ndim))
        x = signals(rng, axis, ndim, length(rng))
        b, a = rng.normal(size=rng.integers(1, 7)), np.ones(1)
        for _ in range(rng.integers(0, 4)):
            # Poles within 0.7: SciPy's direct form loses digits where several are near the circle.
            a = np.convolve(a, np.asarray(section(rng)[3:]) * [1, 0.7, 0.49])
        a = a * rng.uniform(0.5, 2)
        size = max(len(a), len(b)) - 1
        shape = [1 if rng.random() < 0.3 else k for k in x.shape]
        shape[axis] = size
        zi = rng.normal(size=shape).astype(x.dtype)
        close(lfilter.generic(b, a, x, axis), scipy.signal.lfilter(b, a, x, axis), 1e-9)
        if not size:  # SciPy finds no states
            close(filtfilt(b, a, x, axis, padlen=0), (b[0] / a[0]) ** 2 * x)
            continue
        expected = scipy.signal.lfilter(b, a, x, axis, zi)
        close(lfilter.generic(b, a, x, axis, zi), expected, 1e-9)
        edge = int(rng.integers(0, x.shape[axis]))
        expected = scipy.signal.filtfilt(b, a, x, axis, "odd", edge)
        close(filtfilt.generic(b, a, x, axis, "odd", edge), expected, 1e-8)


def some(rng: np.random.Generator, kind: str) -> tuple[Any, int]:
    """Signals and an axis: real ones, or of any kind, or whole numbers."""
    ndim = int(rng.integers(1, 4))
    axis = int(rng.integers(-ndim, ndim))
    x = signals(rng, axis, ndim, int(rng.integers(1, 30)))
    x = x if kind == "any" else x.real
    return (np.round(5 * x).astype(int) if kind == "whole" else x), axis


def odd_sizes(rng: np.random.Generator, x: Any) -> list[int]:
    return [int(rng.integers(0, min(2, (n - 1) // 2) + 1)) * 2 + 1 for n in x.shape]


def of_savgol(rng: np.random.Generator) -> tuple[Any, ...]:
    mode = str(rng.choice(["interp", "mirror", "constant", "nearest", "wrap"]))
    x, axis = some(rng, "real")
    window = int(rng.integers(1, 12))
    if mode == "interp":
        window = min(window, x.shape[axis])
    degree, deriv = int(rng.integers(0, min(window, 5))), int(rng.integers(0, 4))
    return x, window, degree, deriv, float(rng.uniform(0.5, 2)), axis, mode, float(rng.normal())


def of_medians(rng: np.random.Generator) -> tuple[Any, ...]:
    x, _ = some(rng, str(rng.choice(["real", "whole"])))
    return x, odd_sizes(rng, x)


def of_ranks(rng: np.random.Generator) -> tuple[Any, ...]:
    x, _ = some(rng, str(rng.choice(["real", "whole"])))
    domain = (rng.random(odd_sizes(rng, x)) < 0.7).astype(int)
    domain[tuple(0 for _ in domain.shape)] = 1
    return x, domain, int(rng.integers(0, domain.sum()))


def of_wiener(rng: np.random.Generator) -> tuple[Any, ...]:
    x, _ = some(rng, "real")
    return x, odd_sizes(rng, x), float(rng.uniform(0.05, 2))


def of_trends(rng: np.random.Generator) -> tuple[Any, ...]:
    x, axis = some(rng, "any")
    n = x.shape[axis]
    bp = [int(k) for k in rng.integers(0, n, rng.integers(0, 3))] or 0
    return x, axis, str(rng.choice(["linear", "constant"])), bp


def of_hilbert(rng: np.random.Generator) -> tuple[Any, ...]:
    x, axis = some(rng, "real")
    return x, None if rng.random() < 0.5 else int(rng.integers(1, 40)), axis


DRAWS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "savgol_filter": (savgol_filter, of_savgol),
    "medfilt": (medfilt, of_medians),
    "order_filter": (order_filter, of_ranks),
    "wiener": (wiener, of_wiener),
    "detrend": (detrend, of_trends),
    "hilbert": (hilbert, of_hilbert),
}


def judge(name: str, *args: Any) -> Any:
    if name == "order_filter" and args[0].ndim == 1:
        # Along one dimension alone, SciPy 1.17 overlooks a domain's gaps.
        x, domain, rank = args
        return scipy.signal.order_filter(x[None, :], domain[None, :], rank)[0]
    return getattr(scipy.signal, name)(*args)


@pytest.mark.parametrize("name", DRAWS)
def test_of_samples_around(name: str) -> None:
    function, draw = DRAWS[name]
    rng = np.random.default_rng(sum(map(ord, name)))
    for _ in range(300):
        args = draw(rng)
        with warnings.catch_warnings():  # of polynomials through as many points
            warnings.simplefilter("ignore")
            expected = judge(name, *args)
        with likewise.prefer("generic"):
            got = function(*args)
        np.testing.assert_allclose(
            got,
            expected,
            rtol=0,
            atol=1e-9 * max(1.0, float(np.max(np.abs(expected)))),
            err_msg=f"{args}",
        )
