"""Filters by rank and Wiener's against SciPy."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, DtypeError, LikewiseWarning, ShapeError
from likewise.signal import medfilt, medfilt2d, order_filter, wiener

from ..designs import close

RNG = np.random.default_rng(23)
X = RNG.normal(size=(6, 7))
WHOLE = RNG.integers(0, 200, (6, 7))
DOMAIN = np.asarray([[0, 1, 0], [1, 1, 1], [0, 1, 1]])


class Metres(np.ndarray[Any, Any]):
    """An array with a unit, as astropy's, whose elements are no numbers."""

    def __array_wrap__(self, array: Any, context: Any = None, scalar: bool = False) -> Any:
        return array.view(Metres)

    def __float__(self) -> float:
        raise TypeError("metres are no number")


def test_medians_of_arrays_with_units() -> None:
    x = X[0].view(Metres)
    with pytest.raises(TypeError, match="no number"):
        float(x.min())
    np.testing.assert_array_equal(medfilt(x, 3), scipy.signal.medfilt(X[0], 3))


def test_medians(lib: Any) -> None:
    for x in (X, WHOLE) if not lib.jit else (X,):
        for size in (3, (1, 5)):
            expected = scipy.signal.medfilt(x, size)
            close(lib.to_numpy(medfilt(lib.asarray(x), kernel_size=size)), expected)
            close(lib.to_numpy(medfilt2d(lib.asarray(x), kernel_size=size)), expected)
    assert medfilt(WHOLE.astype("uint8")).dtype == np.uint8


def test_ranks(lib: Any) -> None:
    for rank in (0, 3, -1) if not lib.jit else (3,):
        expected = scipy.signal.order_filter(X, DOMAIN, rank)
        got = order_filter(lib.asarray(X), domain=DOMAIN.tolist(), rank=rank)
        close(lib.to_numpy(got), expected)


def test_many_are_sorted_in_blocks(lib: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likewise.signal._filtering._rank_filters._MANY", 60)
    for call, reference in (
        (lambda x: medfilt.generic(x, (3, 5)), lambda x: scipy.signal.medfilt(x, (3, 5))),
        (
            lambda x: order_filter.generic(x, DOMAIN, 2),
            lambda x: scipy.signal.order_filter(x, DOMAIN, 2),
        ),
    ):
        close(lib.to_numpy(call(lib.asarray(X))), reference(X))
        if lib.jit:
            break
    if lib.has_float64 and not lib.jit:
        weights = lib.asarray(X**2)

        def loss(x: Any) -> Any:
            return likewise.array_namespace(x).sum(medfilt(x, 3) * weights)

        got = likewise.grad(loss)(lib.asarray(X))
        monkeypatch.undo()
        whole = likewise.grad(loss)(lib.asarray(X))
        np.testing.assert_allclose(lib.to_numpy(got), lib.to_numpy(whole), rtol=1e-14)


def test_a_nan_stays_where_it_is() -> None:
    """SciPy's routine, which moves along, would carry it on."""
    x = np.arange(40.0)
    x[7] = np.nan
    got = medfilt(x, 5)
    np.testing.assert_array_equal(got, medfilt.generic(x, 5))
    np.testing.assert_array_equal(got[10:-2], x[10:-2])


def test_wiener(lib: Any) -> None:
    x = lib.asarray(X)
    for size, noise in ((3, None), ((1, 3), 0.3)) if not lib.jit else ((3, None),):
        got = wiener(x, mysize=size, noise=noise)
        close(lib.to_numpy(got), scipy.signal.wiener(X, size, noise), 1e-9)


def test_large_kernels_warn() -> None:
    with pytest.warns(LikewiseWarning, match="kernel_size .* is larger than volume"):
        got = medfilt(X[0], 9)
    medfilt2d(np.ones((2, 2)), 3)  # silent, as SciPy's
    with pytest.warns(UserWarning):
        close(got, scipy.signal.medfilt(X[0], 9))


def test_derivatives(lib: Any) -> None:
    if not lib.has_float64 or lib.jit or lib.library == "dask" or not lib.has_extensions:
        return
    weights, step = RNG.normal(size=(2, *X.shape))
    held = lib.asarray(weights)

    def loss(x: Any) -> Any:
        xp = likewise.array_namespace(x)
        return xp.sum(wiener(x, 3, 0.3) * medfilt(x) * held)

    def judge(x: Any) -> Any:
        return scipy.signal.wiener(x, 3, 0.3) * scipy.signal.medfilt(x)

    got = np.sum(lib.to_numpy(likewise.grad(loss)(lib.asarray(X))) * step)
    change = np.sum(weights * (judge(X + 1e-6 * step) - judge(X - 1e-6 * step))) / 2e-6
    np.testing.assert_allclose(got, change, rtol=1e-6, atol=1e-8)


BAD = {
    "even": (lambda: medfilt(X, 4), ArgumentError, "kernel_size must be odd, got 4"),
    "sizes": (lambda: medfilt(X, (3, 3, 3)), ArgumentError, "or 2 of them"),
    "complex": (lambda: medfilt(X + 1j), DtypeError, "must hold real numbers"),
    "flat": (lambda: medfilt2d(X[0]), ShapeError, "must have two dimensions"),
    "domain": (lambda: order_filter(X, np.ones((2, 3)), 0), ShapeError, "each odd"),
    "rank": (lambda: order_filter(X, DOMAIN, 6), ArgumentError, "one of the 6 elements"),
    "noise": (lambda: wiener(X + 1j), DtypeError, "im must be real"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_says_what_to_do(case: str) -> None:
    call, error, words = BAD[case]
    with pytest.raises(error, match=words):
        call()


def test_the_body_keeps_a_block_alone() -> None:
    """What was around each place stayed alive, 80 MB here, until the last was sorted."""
    x = RNG.normal(size=20_000)
    tracemalloc.start()
    try:
        medfilt.generic(x, 501)  # type: ignore[attr-defined]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 50e6
