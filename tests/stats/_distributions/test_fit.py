"""Fits of distributions: many data sets at once, fixed values, errors, derivatives."""

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import errors, stats, to_numpy
from likewise import transforms as lt
from likewise.stats import gamma, loguniform, norm, rice, t
from likewise.stats._distributions import _fit

from .rows import ROWS

RNG = np.random.default_rng(5)
X = judge.t.rvs(3.0, 1.0, 2.0, size=(4, 40), random_state=RNG)


@pytest.mark.xp_skip({"strict-minimal": "it needs linalg, or shapes that depend on data"})
def test_t_is_at_the_maximum(xp: Any) -> None:
    found = t.fit(xp.asarray(X, dtype=xp.float64), axis=-1, full_output=True)
    assert to_numpy(found.success).all()
    for i, row in enumerate(X):
        ours = [float(to_numpy(p)[i]) for p in found.params]
        best = -judge.t.logpdf(row, *judge.t.fit(row)).sum()
        assert float(to_numpy(found.nllf)[i]) <= best + 1e-7
        np.testing.assert_allclose(-judge.t.logpdf(row, *ours).sum(), to_numpy(found.nllf)[i])


def test_errors_are_those_of_the_information(xp: Any) -> None:
    """Of the normal distribution: s / sqrt(n) and s / sqrt(2 n)."""
    found = norm.fit(xp.asarray(X, dtype=xp.float64), axis=-1, full_output=True)
    spread = X.std(axis=-1)
    for p, want in zip(found.params, (X.mean(axis=-1), spread), strict=True):
        np.testing.assert_allclose(to_numpy(p), want, rtol=1e-12)
    for e, k in zip(found.standard_errors, (1, 2), strict=True):
        np.testing.assert_allclose(to_numpy(e), spread / np.sqrt(k * 40), rtol=1e-6)


@pytest.mark.parametrize("name", ["norm", "expon", "laplace", "uniform"])
def test_closed_forms_are_scipys(name: str) -> None:
    ours, theirs = getattr(stats, name), getattr(judge, name)
    low, wide = X[0].min() - 0.5, 2 * (X[0].max() - X[0].min())
    for options in ({}, {"floc": low}, {"fscale": wide}):
        for a, b in zip(ours.fit(X[0], **options), theirs.fit(X[0], **options), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13)


HALF = "expon uniform halfnorm gamma lognorm pareto powerlaw truncexpon weibull_max".split()


@pytest.mark.parametrize("name", HALF)
@pytest.mark.filterwarnings("error")
def test_data_beyond_a_fixed_loc(name: str) -> None:
    """An error of one data set; of many NaN, as an outcome, and without a warning."""
    row, sign = getattr(stats, name), -1.0 if name == "weibull_max" else 1.0
    x = np.asarray([1.0, 2.0, 4.0])
    many = sign * np.stack([x, x + 9.0])
    for full in (False, True):
        for kind in (ValueError, RuntimeError):  # SciPy's errors are the one or the other
            with pytest.raises(kind, match="no support that holds the data"):
                row.fit(many[0], floc=5.0 * sign, full_output=full)
    found = row.fit(many, axis=-1, floc=5.0 * sign, full_output=True)
    alone = row.fit(many[1], floc=5.0 * sign)
    plain = row.fit(many, axis=-1, floc=5.0 * sign)
    for a, b, c, p in zip(plain, found.params, alone, row._every, strict=True):
        np.testing.assert_allclose(a, [5.0 * sign if p.name == "loc" else np.nan, c], rtol=1e-6)
        np.testing.assert_allclose(b, a, rtol=1e-6)
    assert found.success.tolist() == [False, True] and np.isinf(found.nllf).tolist() == [
        True,
        False,
    ]


def test_data_wider_than_a_fixed_scale(xp: Any) -> None:
    x = xp.asarray([[1.0, 2.0, 4.0], [1.0, 2.0, 2.5]], dtype=xp.float64)
    with pytest.raises(errors.FitError, match=r"scale 2\.0 .* from 1\.0 to 4\.0"):
        stats.uniform.fit(x[0, :], fscale=2.0)
    found = stats.uniform.fit(x, axis=-1, fscale=2.0, full_output=True)
    np.testing.assert_allclose(to_numpy(found.params[0]), [np.nan, 0.75])
    np.testing.assert_allclose(to_numpy(found.params[1]), [2.0, 2.0])


def test_fixed_values_and_starts() -> None:
    for options in ({"floc": 1.0}, {"fscale": 2.0, "loc": 0.5}, {"f0": 3.0}, {"fdf": 3.0}):
        ours, theirs = t.fit(X[0], **options), judge.t.fit(X[0], **options)
        np.testing.assert_allclose(ours, theirs, rtol=1e-3)
    np.testing.assert_allclose(t.fit(X[0], 10.0, scale=1.0), t.fit(X[0]), rtol=1e-6)


@pytest.mark.parametrize("lam", [0.2, -0.3])
def test_tukeylambda_begins_where_its_support_holds_the_data(lam: float) -> None:
    x = judge.tukeylambda.rvs(lam, 0.5, 2.0, size=60, random_state=1)
    found = stats.tukeylambda.fit(x, floc=0.5, fscale=2.0, full_output=True)
    assert found.success
    theirs = judge.tukeylambda.fit(x, lam, floc=0.5, fscale=2.0)
    np.testing.assert_allclose(found.params, theirs, rtol=1e-3)


@pytest.mark.parametrize("options", [{"fscale": 2.0}, {"floc": 1.0}])
def test_tukeylambda_begins_there_with_one_of_both_fixed(options: dict[str, float]) -> None:
    for lam, n in ((0.2, 30), (-0.3, 30)):
        x = judge.tukeylambda.rvs(lam, 1.0, 2.0, size=n, random_state=np.random.default_rng(0))
        found = stats.tukeylambda.fit(x, full_output=True, **options)
        assert found.success
        theirs = judge.tukeylambda.fit(x, lam, **options)
        assert judge.tukeylambda.nnlf(found.params, x) <= judge.tukeylambda.nnlf(theirs, x) + 1e-6


def test_trapezoid_begins_within_its_domain() -> None:
    """Not at the triangle, from which no step leads away."""
    true = (0.2, 0.6, 0.0, 1.0)
    x = judge.trapezoid.rvs(*true, size=300, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.ConvergenceWarning)  # the likelihood has kinks
        found = stats.trapezoid.fit(x)
    assert judge.trapezoid.nnlf(found, x) < judge.trapezoid.nnlf(true, x)


def test_moments_agree() -> None:
    df, loc, scale = t.fit(X[0], f0=5.0, method="MM")
    np.testing.assert_allclose(judge.t.mean(df, loc, scale), X[0].mean(), rtol=1e-7)
    np.testing.assert_allclose(judge.t.var(df, loc, scale), X[0].var(), rtol=1e-6)


@pytest.mark.parametrize("fixed", [("fa", "fscale"), ("fa",), ("floc",), ()])
def test_moments_of_gamma_may_put_data_below_loc(fixed: tuple[str, ...]) -> None:
    rng = np.random.default_rng(4)
    for shape, at in itertools.product((0.01, 1.0, 100.0), (0.0, 0.01)):
        x = at + rng.gamma(shape, size=100)
        known = {"fa": shape, "floc": at, "fscale": 1.0}
        found = gamma.fit(x, method="MM", **{name: known[name] for name in fixed})
        for order in range(1, 4 - len(fixed)):
            got = gamma.moment(order, *found)
            np.testing.assert_allclose(got, (x**order).mean(), rtol=1e-7)


def test_moments_of_loguniform_and_rice() -> None:
    x = judge.loguniform.rvs(0.01, 1.25, size=200, random_state=1)
    a, b, loc, scale = loguniform.fit(x, floc=0, method="MM")
    np.testing.assert_allclose(judge.loguniform.mean(a, b), x.mean(), rtol=1e-6)
    np.testing.assert_allclose(judge.loguniform.var(a, b), x.var(), rtol=1e-5)
    assert (loc, scale) == (0.0, 1.0) and loguniform.fit(x, method="MM")[3] == 1.0
    x = judge.rice.rvs(1.5, size=200, random_state=1)
    b, loc, scale = rice.fit(x, method="MM")
    for order in (1, 2):
        np.testing.assert_allclose(rice.moment(order, b, loc, scale), (x**order).mean(), rtol=1e-4)


@pytest.mark.long("strict", "torch")
def test_derivatives_with_respect_to_the_data(xp: Any) -> None:
    direction = RNG.normal(size=40)

    def f(x: Any) -> Any:
        df, loc, scale = t.fit(x)
        return df + 2 * loc + 3 * scale

    x, v = xp.asarray(X[1], dtype=xp.float64), xp.asarray(direction, dtype=xp.float64)
    h = 1e-5
    want = (f(X[1] + h * direction) - f(X[1] - h * direction)) / (2 * h)
    np.testing.assert_allclose(float(lt.jvp(f, (x,), (v,))[1]), want, rtol=1e-6)
    np.testing.assert_allclose(float(xp.sum(lt.grad(f)(x) * v)), want, rtol=1e-6)


def test_bad_input() -> None:
    with pytest.raises(errors.ArgumentError, match="non-finite"):
        t.fit(np.asarray([1.0, np.nan]))
    for kind in (ValueError, RuntimeError):  # of SciPy's fits some raise the one, some the other
        with pytest.raises(kind, match="nothing to fit"):
            norm.fit(X[0], floc=0.0, fscale=1.0)
    with pytest.raises(errors.ArgumentError, match="no data"):
        norm.fit(np.asarray([]))
    with pytest.raises(TypeError, match="optimizer"):
        norm.fit(X[0], optimizer="powell")
    with pytest.raises(TypeError, match="fshape"):
        norm.fit(X[0], fshape=1.0)
    with pytest.raises(errors.ArgumentError, match="method"):
        norm.fit(X[0], method="LS")


def test_many_go_by_rounds() -> None:
    """Blocks whose searches end at different steps give what each data set gives alone."""
    data = judge.t.rvs(3.0, 1.0, 2.0, size=(400, 50), random_state=RNG)
    many = t.fit(data, axis=-1)
    for i in (0, 57, 399):
        np.testing.assert_allclose([p[i] for p in many], t.fit(data[i]), rtol=1e-6)


CLOSED = {"gamma": ((2.5,), (300.0,)), "beta": ((2.0, 3.0), (0.6, 80.0)), "t": ((4.0,), (1e6,))}


@pytest.mark.parametrize("name", CLOSED)
def test_closed_derivatives_are_those_of_the_density(name: str) -> None:
    """The value, gradient and Hessian matrix, whatever is fixed."""
    row = getattr(stats, name)
    for shapes in CLOSED[name]:
        x = row.ppf(RNG.uniform(0.05, 0.95, (3, 11)), *shapes)
        begin = [np.full(3, v) for v in (*shapes, x.min() - 0.3, 1.5 * (x.max() - x.min() + 0.4))]
        k = len(begin)
        for fixed in range(k + 1):
            plan = _fit._Plan(row, tuple(i != fixed for i in range(k)), "MLE")
            u, known = _fit._variables(plan, x, begin)
            found = _fit._closed(plan, u, x, known)
            expected = _fit._three(plan, u, x, np.ones_like(x), known)
            for a, b in zip(found, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * np.abs(b).max())


@pytest.mark.parametrize("name", ["gamma", "beta"])
def test_ends_of_the_support_are_fitted(name: str) -> None:
    """With loc and scale free, where SciPy's simplex often stops early."""
    ours, theirs = getattr(stats, name), getattr(judge, name)
    data = theirs.rvs(*CLOSED[name][0], 1.0, 2.0, size=(8, 200), random_state=1)
    found = ours.fit(data, axis=-1, full_output=True)
    assert found.success.all()
    for i, row in enumerate(data):
        params = [p[i] for p in found.params]
        assert theirs.nnlf(params, row) <= theirs.nnlf(theirs.fit(row), row) + 1e-6
        np.testing.assert_allclose(theirs.nnlf(params, row), found.nllf[i], rtol=1e-10)


# Those of which the maximum isn't at an end of the domain, where the likelihood has none or a kink.
SMOOTH = (
    "cauchy chi exponnorm fisk genextreme gennorm gumbel_l gumbel_r halfcauchy halflogistic halfnorm "
    "hypsecant invgamma invgauss invweibull levy loggamma logistic lognorm maxwell moyal nakagami "
    "rayleigh rice semicircular skewnorm weibull_max weibull_min"
).split()
BY_DEFAULT = ("gumbel_r", "weibull_max", "weibull_min")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in BY_DEFAULT else pytest.mark.full) for n in SMOOTH]
)
def test_the_likelihood_is_at_least_scipys(name: str) -> None:
    ours, theirs = getattr(stats, name), getattr(judge, name)
    args = ROWS[name].samples[0]
    for seed in range(2 if name in BY_DEFAULT else 5):
        x = theirs.rvs(*args, 0.75, 1.5, size=200, random_state=seed)
        with np.errstate(all="ignore"):
            found = theirs.nnlf([float(p) for p in ours.fit(x)], x)
            assert found <= theirs.nnlf(theirs.fit(x), x) + 1e-6


# Where the support ends at data, the maximum is no zero of the gradient.
AT_ENDS = {
    "vonmises": ((3.99,), ({"floc": 0.0}, {}, {"floc": 0.3, "fscale": 1.0})),
    "uniform": ((), ({"floc": 0.0}, {})),
    "pareto": ((2.62,), ({"floc": 0.0}, {"fscale": 0.5}, {"floc": 0.0, "fscale": 0.25})),
    "powerlaw": ((0.66,), ({"floc": 0.0}, {"floc": -0.5, "fscale": 3.0})),
    "loguniform": ((0.01, 1.25), ({"floc": 0.0},)),
    "bradford": ((5.0,), ({"floc": 0.0}, {})),
    "truncnorm": ((-1.0, 1.5), ({"fscale": 1.5}, {})),
    "truncexpon": ((4.7,), ({"floc": 0.0}, {}, {"fscale": 2.0}, {"floc": 0.0, "f0": 4.0})),
}


@pytest.mark.parametrize("name", AT_ENDS)
def test_ends_at_data_are_fitted(name: str) -> None:
    """The likelihood is at least SciPy's, alone and in a batch, with errors and without."""
    ours, theirs = getattr(stats, name), getattr(judge, name)
    args, several = AT_ENDS[name]
    data = theirs.rvs(*args, scale=1.0 if name == "vonmises" else 1.5, size=(2, 80), random_state=5)
    for options in several:
        found = ours.fit(data, axis=-1, full_output=True, **options)
        assert found.success.all()
        for i, x in enumerate(data):
            params = [float(p[i]) for p in found.params]
            value = theirs.nnlf(params, x)
            assert value <= theirs.nnlf(theirs.fit(x, **options), x) + 1e-6
            np.testing.assert_allclose(ours.nnlf(params, x), found.nllf[i], rtol=1e-8)
            np.testing.assert_allclose(ours.fit(x, **options), params, rtol=1e-6)


def test_what_is_not_found_is_in_the_domain() -> None:
    """Without fixed values this has a maximum that the search misses."""
    x = judge.loguniform.rvs(0.1, 1.25, scale=1.5, size=80, random_state=5)
    with pytest.warns(errors.ConvergenceWarning):
        params = loguniform.fit(x)
    assert np.isfinite(judge.loguniform.nnlf([float(p) for p in params], x))


@pytest.mark.parametrize(
    ("name", "shape"), [("pareto", 0.1), ("pareto", 3.0), ("powerlaw", 0.4), ("powerlaw", 2.0)]
)
def test_a_free_loc_is_found_below_the_data(name: str, shape: float) -> None:
    """The likelihood is at least that of SciPy's formulas, whatever else is fixed."""
    ours, theirs = getattr(stats, name), getattr(judge, name)
    x = theirs.rvs(shape, 0.5, 2.0, size=60, random_state=3)
    for options in ({}, {"f0": shape}, {"fscale": 2.0}, {"f0": shape, "fscale": 2.0}):
        with np.errstate(all="ignore"):
            found = theirs.nnlf([float(p) for p in ours.fit(x, **options)], x)
            best = theirs.nnlf(theirs.fit(x, **options), x)
        assert found <= best + 1e-8 * abs(best)


@pytest.mark.parametrize("seed", [0, 3, 5, 10])
def test_loglaplace_is_found_below_the_data(seed: int) -> None:
    """At the minimum that is nearest SciPy's, or next to the data where there is none (5, 10)."""
    rng = np.random.default_rng(seed)
    x = judge.loglaplace.rvs(2.0, 1.0, 2.0, size=30, random_state=rng)
    for options in ({}, {"f0": 2.0}, {"fscale": 2.0}, {"f0": 2.0, "fscale": 2.0}):
        found = stats.loglaplace.fit(x, full_output=True, **options)
        assert found.success
        value = judge.loglaplace.nnlf(found.params, x)
        np.testing.assert_allclose(found.nllf, value, rtol=1e-8)
        with np.errstate(all="ignore"):
            assert value <= judge.loglaplace.nnlf(judge.loglaplace.fit(x, **options), x) + 1e-6
    loc = stats.loglaplace.fit(np.stack([x, x + 5.0]), axis=-1)[1]
    if seed in (5, 10):
        assert (loc == np.nextafter([x.min(), (x + 5.0).min()], -np.inf)).all()
    else:
        np.testing.assert_allclose(loc[1] - 5.0, loc[0], rtol=1e-6)
        single = stats.loglaplace.fit(np.astype(x, np.float32))
        np.testing.assert_allclose(single, stats.loglaplace.fit(x), rtol=2e-2)


def test_powerlaw_of_data_from_zero_on() -> None:
    x = np.asarray([0.0, 1.0, 1.5, 2.0, 3.0, 3.5])
    a, loc, scale = (float(p) for p in stats.powerlaw.fit(x))
    assert -1e-300 < loc < 0.0
    assert judge.powerlaw.nnlf((a, loc, scale), x) < judge.powerlaw.nnlf((0.1, -1e-300, scale), x)


@pytest.mark.parametrize("name", ["pareto", "powerlaw", "loglaplace"])
def test_a_loc_below_the_data_has_derivatives(name: str) -> None:
    ours = getattr(stats, name)
    x = getattr(judge, name).rvs(2.0, size=40, random_state=0)
    step = 1e-5 * (np.arange(40) == 7)
    ends = [ours.fit(x + s)[1] for s in (step, -step)]
    found = lt.grad(lambda x: ours.fit(x)[1])(x)[7]
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-5, rtol=1e-5)


@pytest.mark.parametrize("name", ["halfcauchy", "halflogistic", "halfnorm", "loglaplace"])
def test_what_is_known_of_a_fit_is_its_maximum(name: str) -> None:
    """Fit falling densities, with loc at the first of the data, and loglaplace."""
    ours, theirs = getattr(stats, name), getattr(judge, name)
    args = (2.0,) if name == "loglaplace" else ()
    x = theirs.rvs(*args, 1e-3, 100.0, size=60, random_state=3)
    given = {"floc": 1e-3} if args else {}
    for options in (given, given | {"fscale": 100.0}, *([given | {"f0": 2.0}] if args else [])):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = theirs.nnlf([float(p) for p in ours.fit(x, **options)], x)
        assert found <= theirs.nnlf(theirs.fit(x, **options), x) * (1 + 1e-14)
