"""Which method a convolution takes, and lags."""

from typing import Any

import numpy as np
import pytest
import scipy.signal

import likewise
from likewise.errors import ArgumentError, NotSupported
from likewise.signal import choose_conv_method, convolve, correlate, correlation_lags


def test_the_choice_is_what_convolve_takes(lib: Any) -> None:
    if not lib.has_extensions:
        return
    for n1, n2 in ((40_000, 30_000), (8, 6)):
        a, b = lib.asarray(np.ones(n1)), lib.asarray(np.ones(n2))
        method = choose_conv_method(a, b)
        assert method == "fft" or n1 == 8
        if lib.jit:  # what runs is not noted there
            continue
        with likewise.trace_native() as log:
            convolve(a, b)
        took = [row.function for row in log]
        assert ("fftconvolve" in took) == (method == "fft")
    assert choose_conv_method(lib.asarray(3.0), lib.asarray(2.0)) == "direct"


def test_integers_that_are_large_are_summed_without_double(lib: Any) -> None:
    if lib.jit or not lib.has_extensions:
        return
    a = lib.asarray(np.ones(20_000, "int32"))
    assert choose_conv_method(a, a) == ("fft" if lib.has_float64 else "direct")


def test_measured(lib: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if lib.jit or not lib.has_extensions:
        return
    monkeypatch.setattr("likewise.signal._convolving._convolution_choice._LEAST", 1e-5)
    a, b = lib.asarray(np.ones(30)), lib.asarray(np.ones(5))
    for mode in ("full", "same", "valid"):
        method, times = choose_conv_method(a, b, mode, measure=True)
        assert set(times) == {"fft", "direct"} and times[method] == min(times.values()) > 0


def test_the_choice_is_never_a_transform_where_scipy_sums() -> None:
    rng = np.random.default_rng(0)
    for d, most in ((1, 9.0), (2, 4.5), (3, 3.0)) * 60:
        shapes = [tuple(int(v) for v in np.exp(rng.uniform(0, most, d))) for _ in "ab"]
        a, b = np.zeros(shapes[0]), np.zeros(shapes[1])
        for mode in ("full", "same"):
            ours = choose_conv_method(a, b, mode)
            assert ours == "direct" or scipy.signal.choose_conv_method(a, b, mode) == "fft", shapes


def test_the_choice_under_jit_is_the_eager_one(lib: Any) -> None:
    if not lib.has_extensions:
        return
    for n1, n2 in ((100, 30), (1000, 100), (40_000, 30_000)):
        a, b = lib.asarray(np.ones(n1)), lib.asarray(np.ones(n2))
        found = []

        def chosen(a: Any, b: Any, found: Any = found) -> Any:
            found.append(choose_conv_method(a, b))
            return a

        likewise.jit(chosen)(a, b)
        assert found[0] == choose_conv_method(a, b)


@pytest.mark.needs("dask")
def test_what_has_no_values_is_not_measured() -> None:
    import dask.array as da

    with pytest.raises(NotSupported, match="measure=True needs arrays with values"):
        choose_conv_method(da.ones(3), da.ones(3), measure=True)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_lags_belong_to_what_correlate_returns(mode: str) -> None:
    """Each element is found again among those of all lags."""
    rng = np.random.default_rng(3)
    for n1 in range(1, 8):
        for n2 in range(1, 8):
            a, b = rng.normal(size=n1), rng.normal(size=n2)
            whole = dict(zip(range(1 - n2, n1), scipy.signal.correlate(a, b), strict=True))
            lags = correlation_lags(n1, n2, mode)
            got = correlate(a, b, mode)
            np.testing.assert_allclose(got, [whole[int(k)] for k in lags], atol=1e-12)
            if mode != "same" or n1 % 2 == 0 or n2 % 2 == 1:
                np.testing.assert_array_equal(lags, scipy.signal.correlation_lags(n1, n2, mode))


def test_lags_are_of_the_library_in_use(lib: Any) -> None:
    with likewise.use(lib.library):
        lags = correlation_lags(4, 3)
    assert likewise.library(lags) == lib.library
    assert likewise.to_numpy(lags).tolist() == [-2, -1, 0, 1, 2, 3]


def test_bad_input() -> None:
    with pytest.raises(ArgumentError, match="correlation_lags: mode must be one of"):
        correlation_lags(3, 3, "all")
    with pytest.raises(ArgumentError, match="in2_len must be an integer of at least 1, got 0"):
        correlation_lags(3, 0)
    with pytest.raises(ArgumentError, match="choose_conv_method: mode must be one of"):
        choose_conv_method(np.ones(3), np.ones(3), "all")
