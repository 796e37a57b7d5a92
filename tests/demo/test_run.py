"""The main job: all digits on NumPy, the type kept everywhere, what goes wrong said."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import likewise
from likewise import _namespace
from likewise.demo import _run, nist, run
from likewise.errors import LibraryNotInstalled, NotSupported

PROBLEMS = {d.name: d for d in nist.load()}
SAMPLE = ("Misra1a", "Nelson", "BoxBOD", "ENSO")  # one of two predictors, one for the spectrum


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few of the data sets."""
    monkeypatch.setattr(nist, "load", lambda: [PROBLEMS[name] for name in SAMPLE])


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, begun where they end, for what is around the fits."""
    few = [PROBLEMS[name] for name in SAMPLE]
    few = [dataclasses.replace(p, starts=(p.certified, p.certified)) for p in few]
    monkeypatch.setattr(nist, "load", lambda: few)


@pytest.mark.full  # a third of them is fitted by test_nist.py
def test_all_digits_on_numpy() -> None:
    (row,) = run(["numpy"]).rows
    assert list(row.fits) == list(PROBLEMS)
    assert min(row.digits) >= 6
    assert row.reaching(4) == row.reaching(6) == len(row.digits) == 54
    assert row.median is not None and 8 < row.median <= 11


def test_row(solved: None) -> None:
    (row,) = run(["numpy"]).rows
    assert row.type_in == row.type_out == "ndarray float64"
    assert (row.version, row.device) == (np.__version__, "cpu")
    assert row.period == pytest.approx(12, abs=0.1)
    assert row.seconds > 0 and row.complaints == []


@pytest.mark.parametrize(
    "name",
    [
        # JAX compiles for a minute; the command's tests run it on strict.
        pytest.param(n, marks=[pytest.mark.full] if n in ("jax", "strict") else [])
        for n in ("torch", "jax", "dask", "strict")
        if _namespace.installed(n)
    ],
)
def test_other_libraries(name: str, sample: None) -> None:
    (row,) = run([name]).rows
    assert row.complaints == []
    assert row.type_in == row.type_out and row.type_out.endswith(" float64")
    assert row.reaching(6) == 2 * len(SAMPLE)
    assert row.period == pytest.approx(12, abs=0.1)


def test_progress(solved: None) -> None:
    seen: list[tuple[int, int, str]] = []
    run(["numpy", "strict"], lambda *step: seen.append(step))
    done, total, text = zip(*seen, strict=True)
    assert set(total) == {10} and list(done) == sorted(done) and done[-1] == 10
    assert text[:2] == ("numpy Misra1a", "numpy Nelson") and "strict spectrum" in text


def wrapped(change: Callable[[Any], Any], field: str) -> Callable[..., Any]:
    """`curve_fit` with one field of its result changed."""

    def fit(*args: Any, **kwargs: Any) -> Any:
        result = likewise.optimize.curve_fit(*args, **kwargs)
        return dataclasses.replace(result, **{field: change(getattr(result, field))})

    return fit


@pytest.mark.parametrize("field", ["popt", "pcov", "rss"])
def test_planted_dtype(field: str, solved: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_run, "curve_fit", wrapped(lambda a: a.astype(np.float32), field))
    results = run(["numpy"])
    assert results.rows[0].type_out == "ndarray float32"
    assert f"Misra1a: {field} is ndarray float32, but ndarray float64" in results.complaints[0]
    assert len(results.complaints) == len(SAMPLE)


def test_planted_library(solved: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_run, "curve_fit", wrapped(likewise.to_numpy, "popt"))
    (row,) = run(["strict"]).rows
    assert (row.type_in, row.type_out) == ("Array float64", "ndarray float64")


def test_planted_device(solved: None, monkeypatch: pytest.MonkeyPatch) -> None:
    other = likewise.devices("strict")[1].device
    monkeypatch.setattr(_run, "curve_fit", wrapped(lambda a: a.to_device(other), "popt"))
    (row,) = run(["strict"]).rows
    assert row.type_in == row.type_out
    assert "Misra1a: popt is on" in row.complaints[0]


def test_planted_spectrum(solved: None, monkeypatch: pytest.MonkeyPatch) -> None:
    right = _run.spectrum
    monkeypatch.setattr(_run, "spectrum", lambda y: right(y[::2]))
    (row,) = run(["numpy"]).rows
    assert row.period == pytest.approx(6, abs=0.1)  # two months taken for one
    assert "strongest line of ENSO was found at 5.9" in row.complaints[0]


def test_failure_of_one_library(solved: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others go on, and the row says what happened."""
    right = _run.curve_fit

    def fail(f: Any, x: Any, y: Any, **kwargs: Any) -> Any:
        if likewise.library(y) == "numpy":
            raise RuntimeError("no more")
        return right(f, x, y, **kwargs)

    monkeypatch.setattr(_run, "curve_fit", fail)
    results = run(["numpy", "strict"])
    assert results.complaints == ["numpy: RuntimeError: no more"]
    assert [len(row.fits) for row in results.rows] == [0, len(SAMPLE)]
    assert results.rows[0].median is None


def test_interrupted(solved: None, monkeypatch: pytest.MonkeyPatch) -> None:
    right, calls = _run.curve_fit, iter(range(100))

    def stop(*args: Any, **kwargs: Any) -> Any:
        if next(calls) == 5:
            raise KeyboardInterrupt
        return right(*args, **kwargs)

    monkeypatch.setattr(_run, "curve_fit", stop)
    results = run(["numpy", "strict", "numpy"])
    assert results.interrupted
    assert [(row.library, len(row.fits)) for row in results.rows] == [("numpy", 4), ("strict", 1)]


def test_not_installed(monkeypatch: pytest.MonkeyPatch, solved: None) -> None:
    def load(name: str) -> Any:
        if name != "numpy":
            raise LibraryNotInstalled(f"no {name}")
        return _namespace.load(name)

    monkeypatch.setattr(_run, "load", load)
    with pytest.raises(LibraryNotInstalled, match="no dask"):
        run(["numpy", "dask"])
    results = run()  # all that are installed
    assert [row.library for row in results.rows] == ["numpy"] and results.skipped == {}


def test_no_device(monkeypatch: pytest.MonkeyPatch, solved: None) -> None:
    def devices(name: str) -> Any:
        if name != "numpy":
            raise RuntimeError("no driver")
        return likewise.devices(name)

    monkeypatch.setattr(_run, "devices", devices)
    with pytest.raises(NotSupported, match="no usable device here: no driver"):
        run(["strict"])
    results = run()
    assert [row.library for row in results.rows] == ["numpy"]
    assert "no driver" in results.skipped["strict"]


@pytest.mark.needs("jax")
def test_no_float64(solved: None) -> None:
    import jax

    with jax.enable_x64(False), pytest.raises(NotSupported, match="JAX_ENABLE_X64=1"):
        run(["jax"])


def test_digits() -> None:
    assert _run.digits([1.0, 2.0], [1.0, 2.0]) == 11
    assert _run.digits([1.001, 2.0], [1.0, 2.0]) == pytest.approx(3)
    assert _run.digits([100.0], [1.0]) == 0
    assert _run.digits([math.nan, 1.0], [1.0, 1.0]) == 0


@pytest.mark.parametrize("period", [5.3, 12.0, 13.1, 40.0])
def test_period_of_a_cosine(period: float, lib: Any) -> None:
    t = np.arange(168)
    y = lib.asarray(10 + 3 * np.cos(2 * np.pi * t / period + 0.4))
    if not lib.has_extensions:
        with pytest.raises(AttributeError, match="fft"):
            _run.spectrum(y)
        return
    power = _run.spectrum(y)
    assert type(power) is type(y) and power.dtype == y.dtype
    found = _run.strongest([float(p) for p in lib.to_numpy(power)])
    assert found == pytest.approx(period, rel=0.01)


def test_strongest_of_nothing() -> None:
    assert math.isnan(_run.strongest([0.0] * 9))
    assert math.isnan(_run.strongest([math.nan] * 9))
    assert _run.strongest([1.0] * 9) == 16
