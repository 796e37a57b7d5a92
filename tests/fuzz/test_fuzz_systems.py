"""Random linear systems, ridges, and rank filters: SciPy in double precision is the judge."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.signal

from likewise import linalg, signal

pytestmark = [
    pytest.mark.full,
    pytest.mark.filterwarnings("ignore::scipy.signal.BadCoefficients"),
    pytest.mark.filterwarnings("ignore::likewise.errors.LikewiseWarning"),
    pytest.mark.filterwarnings("ignore::likewise.errors.BadCoefficients"),
    pytest.mark.filterwarnings("ignore:kernel_size exceeds:UserWarning"),
]

TIMES = np.arange(20) * 0.1


def alike(got: Any, expected: Any, rtol: float = 1e-7) -> None:
    if isinstance(expected, tuple | list):
        assert len(got) == len(expected)
        for x, y in zip(got, expected, strict=True):
            alike(x, y, rtol)
    else:
        assert np.shape(got) == np.shape(expected)
        size = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        np.testing.assert_allclose(np.asarray(got), expected, rtol=rtol, atol=1e-8 * size)


def random_system(rng: np.random.Generator, form: int) -> tuple[tuple[Any, ...], int, int]:
    """Arrays, and how many inputs and outputs there are."""
    n = int(rng.integers(1, 5))
    if form == 4:
        m, q = (int(v) for v in rng.integers(1, 3, 2))
        A = rng.normal(size=(n, n)) - 2 * np.eye(n)
        shapes = ((n, m), (q, n), (q, m))
        return (A, *(rng.normal(size=s) for s in shapes)), m, q
    b, a = rng.normal(size=int(rng.integers(1, n + 2))), np.poly(-rng.random(n) - 0.3)
    return (b, a) if form == 2 else scipy.signal.tf2zpk(b, a), 1, 1


@pytest.mark.parametrize("form", [2, 3, 4])
def test_systems(form: int) -> None:
    for seed in range(120):
        rng = np.random.default_rng(seed)
        s, m, q = random_system(rng, form)
        T = TIMES + (0.3 if seed % 3 == 0 else 0)
        U = rng.normal(size=(20, m))
        for interp in (True, False):
            args = (s, U, T, None, interp)
            alike(signal.lsim(*args), scipy.signal.lsim(*args))
        d = (*s, 0.2)
        alike(signal.dlsim(d, U), scipy.signal.dlsim(d, U))
        alike(signal.dlsim(d, U, TIMES * 1.3), scipy.signal.dlsim(d, U, TIMES * 1.3))
        for name in ("dimpulse", "dstep"):
            alike(getattr(signal, name)(d, n=9), getattr(scipy.signal, name)(d, n=9))
        if m == 1:
            for name in ("impulse", "step"):
                alike(getattr(signal, name)(s), getattr(scipy.signal, name)(s))
        if m == q == 1:
            for name in ("freqresp", "bode"):
                alike(getattr(signal, name)(s, n=9), getattr(scipy.signal, name)(s, n=9))
            for name in ("dfreqresp", "dbode"):
                alike(getattr(signal, name)(d, n=9), getattr(scipy.signal, name)(d, n=9))
        if form != 3:
            method = ["zoh", "foh", "gbt", "bilinear", "euler", "backward_diff"][seed % 6]
            got = signal.cont2discrete(s, 0.3, method, 0.3)
            alike(got, scipy.signal.cont2discrete(s, 0.3, method, 0.3))


def test_placed_poles() -> None:
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 8))
        m, pairs = int(rng.integers(1, n + 1)), int(rng.integers(0, n // 2 + 1))
        A, B = rng.normal(size=(n, n)), rng.normal(size=(n, m))
        above = -3 * rng.random(pairs) + 3j * (rng.random(pairs) + 0.1)
        poles = np.concatenate([-4 * rng.random(n - 2 * pairs), above, above.conj()])
        if min(abs(p - r) for i, p in enumerate(poles) for r in poles[:i]) < 0.1:
            continue
        ours, theirs = (f(A, B, poles).gain_matrix for f in (signal.place_poles, scipy_poles))
        errors = [
            max(min(abs(np.linalg.eigvals(A - B @ K) - p)) for p in poles) for K in (ours, theirs)
        ]
        assert errors[0] <= max(1e-6, 10 * errors[1]), seed


def scipy_poles(A: Any, B: Any, poles: Any) -> Any:
    return scipy.signal.place_poles(A, B, poles, maxiter=100)


def test_ridges() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 400))
        x = np.cumsum(rng.normal(size=n))
        widths = rng.uniform(0.5, 2) + np.arange(8) * rng.uniform(0.5, 2)
        more = [{}, {"min_snr": 2.0}, {"gap_thresh": 2, "max_distances": widths / 2}][seed % 3]
        expected = scipy.signal.find_peaks_cwt(x, widths, **more)
        np.testing.assert_array_equal(signal.find_peaks_cwt(x, widths, **more), expected)


def test_rank_filters() -> None:
    for seed in range(300):
        rng = np.random.default_rng(seed)
        d = int(rng.integers(1, 4))
        size = tuple(int(v) for v in rng.choice([1, 3, 5], d))
        dtype = ["f8", "f4", "i4", "u1", "i8"][seed % 5]
        x = (20 * rng.normal(size=tuple(rng.integers(1, 9, d)))).astype(dtype)
        expected = scipy.signal.medfilt(x, size)
        np.testing.assert_array_equal(signal.medfilt(x, size), expected)
        np.testing.assert_array_equal(signal.medfilt.generic(x, size), expected)


def test_exponentials() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        a = rng.normal(size=(3, 4, 4)) * 10.0 ** rng.uniform(-3, 1, (3, 1, 1))
        expected = scipy.linalg.expm(a)
        size = np.max(np.abs(expected), axis=(1, 2), keepdims=True)
        got = linalg.expm.generic(a)
        np.testing.assert_allclose(got / size, expected / size, rtol=0, atol=1e-11)


def test_bands_keep_the_order_of_conjugates() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        above = -rng.random(2) + 1j * rng.random(2)
        p = np.concatenate([above, above.conj(), rng.choice([-1, 1], 2) * rng.random(2)])
        z, wo, bw = rng.normal(size=2), *rng.uniform(0.1, 3, 2)
        for name in ("lp2bp_zpk", "lp2bs_zpk"):
            got = getattr(signal, name)(z, p, 1.0, wo, bw)
            alike(got, getattr(scipy.signal, name)(z, p, 1.0, wo, bw))
