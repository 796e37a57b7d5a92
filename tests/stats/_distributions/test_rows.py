"""Every continuous row: values, inverses, derivatives, moments, edges, bad parameters, numbers."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.stats

from likewise import array_namespace, to_numpy
from likewise.stats._distributions._continuous import Continuous
from likewise.transforms import grad

from ..methods import values
from .rows import ROWS, named

NAMES = sorted(ROWS)
CASES = [(name, args) for name in NAMES for args in ROWS[name].samples]
PROBABILITIES = np.asarray([1e-9, 1e-3, 0.1, 0.3, 0.5, 0.8, 0.999])
LOC, SCALE = 0.75, 1.5
FUNCTIONS = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf")


def _marks(name: str, first: bool = True) -> Any:
    return () if first and not ROWS[name].slow else pytest.mark.full


each_row = pytest.mark.parametrize("name", [pytest.param(n, marks=_marks(n)) for n in NAMES])
each_case = pytest.mark.parametrize(
    ("name", "args"), [pytest.param(n, a, marks=_marks(n)) for n, a in CASES]
)
# The first parameters of a row, and all with --full.
each_first = pytest.mark.parametrize(
    ("name", "args"),
    [pytest.param(n, a, marks=_marks(n, a is ROWS[n].samples[0])) for n, a in CASES],
)


# One of so many cases runs without --full: each row has its values and derivatives checked there.
SOME = pytest.mark.share(4)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """SciPy warns of what it leaves out."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def points(name: str, args: tuple[float, ...], moved: bool = False) -> Any:
    """Points of both tails and of the middle."""
    at = (LOC, SCALE) if moved else ()
    return np.asarray(named(name)[0].ppf(PROBABILITIES, *args, *at))


def equal(name: str, what: str, found: Any, expected: Any, rtol: float = 2e-12) -> None:
    rtol = ROWS[name].loose.get(what, rtol)
    expected = np.asarray(expected, dtype=float)
    atol = 1e-13 if "log" in what else 1e-15 if what in ("ppf", "isf", "median") else 0.0
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol, err_msg=f"{name}.{what}")


@pytest.mark.xp_skip({"strict-no_float64": "its bounds are those of double precision"})
@each_row
def test_functions_have_scipys_values(name: str, xp: Any) -> None:
    ours, theirs = named(name)
    args = ROWS[name].samples[0]
    given = tuple(xp.asarray(a, dtype=xp.float64) for a in args)
    x = points(name, args)
    jax = xp.library == "jax"  # which compiles each for seconds, of the same code
    for names, at, rtol in (
        (("pdf", "cdf") if jax else FUNCTIONS, x, 2e-12),
        (("ppf",) if jax else ("ppf", "isf"), PROBABILITIES, 1e-10),
    ):
        found = values(ours, xp.asarray(at), *given, names=names)
        for what, one in zip(names, found, strict=True):
            assert one.dtype == xp.float64
            equal(name, what, to_numpy(one), getattr(theirs, what)(at, *args), rtol)


@SOME
@each_case
def test_moved_functions_have_scipys_values(name: str, args: tuple[float, ...]) -> None:
    ours, theirs = named(name)
    x = points(name, args, moved=True)
    for what in FUNCTIONS:
        found = getattr(ours, what)(x, *args, loc=LOC, scale=SCALE)
        # What the moved point has lost, the functions show by their slopes.
        expected = getattr(theirs, what)((x - LOC) / SCALE, *args)
        expected = {"pdf": expected / SCALE, "logpdf": expected - np.log(SCALE)}.get(what, expected)
        equal(name, what, found, expected)


@SOME
@each_case
def test_quantiles_are_inverses(name: str, args: tuple[float, ...]) -> None:
    ours = named(name)[0]
    q = np.asarray([1e-300, 1e-30, *PROBABILITIES])
    for quantile, tail in (("ppf", "cdf"), ("isf", "sf")):
        x = getattr(ours, quantile)(q, *args)
        slope = ours.pdf(x, *args) * np.spacing(np.abs(x))  # what rounding of x alone does
        low, high = ours.support(*args)
        inside = (x > low) & (x < high) & np.isfinite(x) & (np.abs(x) > 1e-300)
        assert inside[2:].sum() >= 5
        off = np.abs(getattr(ours, tail)(x, *args) - q)
        assert np.all(off[inside] <= (4 * slope + 1e-11 * q)[inside]), (quantile, off / q)


@SOME
@each_case
def test_the_tails_are_one_together(name: str, args: tuple[float, ...]) -> None:
    ours = named(name)[0]
    x = points(name, args)
    cdf, sf = ours.cdf(x, *args), ours.sf(x, *args)
    np.testing.assert_allclose(cdf + sf, 1, rtol=1e-14)
    np.testing.assert_allclose(np.exp(ours.logcdf(x, *args)), cdf, rtol=1e-12)
    np.testing.assert_allclose(np.exp(ours.logsf(x, *args)), sf, rtol=1e-12)
    np.testing.assert_allclose(np.exp(ours.logpdf(x, *args)), ours.pdf(x, *args), rtol=1e-12)


# -- derivatives -----------------------------------------------------------------------------------


def difference(function: Any, x: Any, step: Any) -> tuple[Any, Any]:
    """The derivative by central differences of the eighth order, and what it may be wrong."""
    weights = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
    values = [[function(x + s * k * step / 2) for s in (1, -1)] for k in range(1, 9)]
    fine, coarse = (
        sum(w * (values[m * k - 1][0] - values[m * k - 1][1]) for k, w in weights) / (m * step / 2)
        for m in (1, 2)
    )
    rounding = 2e-15 * np.abs(function(x)) / step + np.spacing(np.abs(x)) / step * np.abs(fine)
    return fine, np.abs(fine - coarse) / 32 + rounding


def close(found: Any, expected: tuple[Any, Any], about: Any) -> None:
    value, off = expected
    assert np.all(off <= 1e-6 * np.abs(value) + 1e-9), (about, value, off)  # it says something
    assert np.all(np.abs(found - value) <= 1e-9 * np.abs(value) + off), (about, found, value, off)


def gaps(name: str, args: tuple[float, ...], x: Any) -> Any:
    """A step that leaves a point inside of the support."""
    low, high = named(name)[0].support(*args)
    room = np.minimum(np.minimum(x - low, high - x), 1.0 + np.abs(x))
    return room / 300


@SOME
@each_case
def test_derivatives_in_x(name: str, args: tuple[float, ...]) -> None:
    ours = named(name)[0]
    x = points(name, args)[1:]
    kinks = ROWS[name].kinks
    x = x[~np.isin(x, kinks)]
    step = gaps(name, args, x)
    for what in FUNCTIONS:
        function = getattr(ours, what)
        found = grad(lambda x, f=function: f(x, *args).sum())(x)
        close(found, difference(lambda x, f=function: f(x, *args), x, step), what)
    pdf = ours.pdf(x, *args)
    np.testing.assert_allclose(grad(lambda x: ours.cdf(x, *args).sum())(x), pdf, rtol=1e-11)
    np.testing.assert_allclose(grad(lambda x: ours.sf(x, *args).sum())(x), -pdf, rtol=1e-11)


@each_first
def test_derivatives_in_parameters(name: str, args: tuple[float, ...]) -> None:
    ours = named(name)[0]
    x, q = points(name, args)[2:-1], PROBABILITIES[1:]
    x = x[~np.isin(x, ROWS[name].kinks)]
    moved = SCALE * x
    for what in (*FUNCTIONS, "ppf", "isf"):
        function = getattr(ours, what)
        at = q if what in ("ppf", "isf") else moved
        every = tuple(np.full(at.shape, p) for p in (*args, 0.0, SCALE))
        for i, value in enumerate(every):
            if np.isinf(value).any():
                continue  # an end

            def along(
                p: Any, f: Any = function, at: Any = at, i: int = i, every: Any = every
            ) -> Any:
                return f(at, *every[:i], p, *every[i + 1 :])

            step = ROWS[name].step * np.abs(value)
            if i == len(args):
                step = np.ones(at.shape)
            if i >= len(args) and at is moved:  # loc and scale move the support
                room = gaps(name, args, x) * SCALE
                step = room if i == len(args) else np.minimum(step, room / (1 + np.abs(x)))
            found = grad(lambda p, f=along: f(p).sum())(value)
            if at is q and type(ours)._ppf is Continuous._ppf:  # a solver: by the implicit rule
                tail = ours.cdf if what == "ppf" else ours.sf
                z = function(q, *every)
                rise = grad(lambda p, z=z, f=tail, g=along: g(p, f, z).sum())(value)
                slope = ours.pdf(z, *every) * (1 if what == "isf" else -1)
                close(found, (rise / slope, np.zeros(q.shape)), (what, i))
                continue
            close(found, difference(along, value, step), (what, i))


@pytest.mark.xp_skip({"strict-no_float64": "its bounds are those of double precision"})
@each_row
def test_derivatives_agree(name: str, xp: Any) -> None:
    """On each library as on NumPy, by its own rules or by ours."""
    ours = named(name)[0]
    args = ROWS[name].samples[-1]
    x, q = points(name, args)[1:], PROBABILITIES[1:]
    for what, at in (("logpdf", x), ("cdf", x), ("ppf", q)):

        def total(at: Any, *args: Any, what: str = what) -> Any:
            return array_namespace(at).sum(getattr(ours, what)(at, *args))

        function = grad(total, argnums=tuple(range(len(args) + 1)))
        expected = function(at, *map(np.asarray, args))
        found = function(xp.asarray(at), *(xp.asarray(a, dtype=xp.float64) for a in args))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(to_numpy(one), other, rtol=1e-9, atol=1e-12, err_msg=what)


# -- parameters alone ------------------------------------------------------------------------------


@SOME
@each_case
def test_moments_are_scipys(name: str, args: tuple[float, ...]) -> None:
    ours, theirs = named(name)
    expected = theirs.stats(*args, LOC, SCALE, moments="mvsk")
    found = ours.stats(*args, LOC, SCALE, moments="mvsk")
    for letter, one, other in zip("mvsk", found, expected, strict=True):
        rtol = ROWS[name].loose.get("moments", 1e-8)
        np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-9, err_msg=f"{name} {letter}")
    entropy = theirs.entropy(*args, LOC, SCALE)
    if np.isfinite(entropy):  # NaN in SciPy of truncnorm with an infinite end
        equal(name, "entropy", ours.entropy(*args, LOC, SCALE), entropy, 1e-9)
    np.testing.assert_array_equal(ours.support(*args), theirs.support(*args))
    equal(name, "median", ours.median(*args), theirs.median(*args), 1e-10)


@SOME
@each_case
def test_moments_are_integrals(name: str, args: tuple[float, ...]) -> None:
    ours = named(name)[0]
    rtol = ROWS[name].loose.get("expect", 1e-9)
    np.testing.assert_allclose(ours.expect(lambda x: 0 * x + 1, args), 1, rtol=rtol)
    mean, var, skewness, kurtosis = ours.stats(*args, moments="mvsk")
    if not np.isfinite(kurtosis):
        return
    found = [ours.expect(lambda x, k=k: ((x - mean) / np.sqrt(var)) ** k, args) for k in range(5)]
    np.testing.assert_allclose(found[1:3], [0, 1], atol=1e-8)
    np.testing.assert_allclose(found[3:], [skewness, kurtosis + 3], rtol=1e-7, atol=1e-7)
    entropy = -ours.expect(lambda x: ours.logpdf(x, *args), args)
    np.testing.assert_allclose(ours.entropy(*args), entropy, rtol=max(1e-8, rtol), atol=1e-9)


# -- edges -----------------------------------------------------------------------------------------


@SOME
@each_case
def test_edges(name: str, args: tuple[float, ...]) -> None:
    ours, theirs = named(name)
    low, high = (float(v) for v in theirs.support(*args))
    x = np.asarray([-np.inf, low - 1, low, high, high + 1, np.inf, np.nan])
    for what in FUNCTIONS:
        expected = getattr(theirs, what)(x, *args)
        if "pdf" in what:  # NaN of some in SciPy
            expected[np.isinf(x)] = -np.inf if what == "logpdf" else 0.0
        if what in ROWS[name].ends:
            expected[2:4] = ROWS[name].ends[what]
        np.testing.assert_allclose(
            getattr(ours, what)(x, *args), expected, rtol=1e-13, atol=1e-300, err_msg=what
        )
    q = np.asarray([-0.5, 0.0, 1.0, 1.5, np.nan])
    for what, ends in (("ppf", (low, high)), ("isf", (high, low))):
        found = getattr(ours, what)(q, *args)
        np.testing.assert_array_equal(found, [np.nan, *ends, np.nan, np.nan], err_msg=what)


@SOME
@each_row
def test_bad_parameters_are_nan(name: str) -> None:
    ours = named(name)[0]
    good = ROWS[name].samples[0]
    worse = [(*bad, 0.0, 1.0) for bad in ROWS[name].bad]
    for args in (*worse, (*good, 0.0, -1.0), (*good, 0.0, 0.0), (*good, 0.0, np.nan)):
        for what in (*FUNCTIONS, "ppf", "isf"):
            found = getattr(ours, what)(np.asarray([0.3, 0.6]), *args)
            assert np.all(np.isnan(found)), (what, args, found)
        assert all(np.isnan(v) for v in ours.stats(*args, moments="mvsk")), args
        assert np.isnan(ours.entropy(*args)) and np.isnan(ours.support(*args)).all(), args
    for place in ((0.0, np.inf), (np.inf, 1.0)):  # both must be finite
        found = [getattr(ours, what)(0.3, *good, *place) for what in ("pdf", "sf", "ppf")]
        assert np.isnan(found).all(), (place, found)
    # One bad row of a batch leaves the others as they are.
    for bad in ROWS[name].bad:
        both = [np.asarray([b, g]) for b, g in zip(bad, good, strict=True)]
        found = ours.logpdf(np.full(2, float(points(name, good)[3])), *both)
        alone = ours.logpdf(points(name, good)[3], *good)
        assert np.isnan(found[0]) and abs(found[1] - alone) <= 1e-14 * max(1, abs(alone))


@each_row
def test_single_precision(name: str, xp: Any) -> None:
    ours = named(name)[0]
    args = ROWS[name].samples[0]
    x = points(name, args)[2:-1].astype("float32")
    double = x.astype("float64")
    exact = tuple(float(np.float32(a)) for a in args)
    given = [xp.asarray(np.float32(a)) for a in args]
    for what in FUNCTIONS:
        found = getattr(ours, what)(xp.asarray(x), *given)
        assert found.dtype == xp.float32, what
        expected = getattr(ours, what)(double, *exact)
        np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-5, atol=1e-6, err_msg=what)
    q = PROBABILITIES[2:-1].astype("float32")
    found = ours.ppf(xp.asarray(q), *given)
    assert found.dtype == xp.float32
    expected = ours.ppf(q.astype("float64"), *exact)
    np.testing.assert_allclose(to_numpy(found), expected, rtol=1e-4, atol=1e-5)


@SOME
@each_row
def test_random_numbers(name: str) -> None:
    ours = named(name)[0]
    args = ROWS[name].samples[0]
    drawn = ours.rvs(*args, LOC, SCALE, size=(40, 100), key=17)
    assert drawn.shape == (40, 100) and np.all(np.isfinite(drawn))
    level = ours.cdf(drawn.ravel(), *args, LOC, SCALE)
    assert scipy.stats.kstest(level, "uniform").pvalue > 1e-4
