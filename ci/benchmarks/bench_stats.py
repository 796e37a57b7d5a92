"""Statistics against SciPy, and torch and JAX against their own: ``ci/bench --only stats``.

Small calls first, then rows of tests, fits, resampling and densities against a loop of SciPy's.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.stats as judge

from likewise import stats
from likewise.transforms import jit

RNG = np.random.default_rng(0)


def lines(libraries: dict[str, Any], quick: bool) -> Iterator[Any]:
    """Per line: label, peer, ours, theirs, inputs, limit."""
    if "numpy" in libraries:
        yield from small()
        for n in (20,) if quick else (20, 10_000):
            yield from survey(n)
        yield from large(quick)
        yield from rows(200 if quick else 10_000)
        yield from fits(20 if quick else 500)
        yield from resampling(quick)
        yield from density("numpy", np.asarray, quick)
    if "torch" in libraries:
        yield from beside_torch(libraries["torch"])
    if "jax" in libraries:
        yield from beside_jax(libraries["jax"])


def evaluated(name: str, method: str, *parameters: float) -> tuple[Any, Any]:
    """Return a method of a distribution, ours and SciPy's, as functions of its argument."""
    ours, theirs = (getattr(getattr(s, name), method) for s in (stats, judge))
    return lambda x: ours(x, *parameters), lambda x: theirs(x, *parameters)


EVALUATED = (
    ("norm", "pdf", ()),
    ("norm", "cdf", ()),
    ("t", "cdf", (3.0,)),
    ("gamma", "ppf", (2.5,)),
    ("beta", "logpdf", (2.0, 3.0)),
    ("chi2", "sf", (4.0,)),
    ("poisson", "pmf", (3.0,)),
    ("binom", "cdf", (9, 0.3)),
)
NAMED = [case[:2] for case in EVALUATED[:4]]  # which may take a quarter of SciPy's time
WHOLE = ("poisson", "binom")


def points(n: int, whole: bool = False) -> list[Any]:
    """Return three arrays between 0 and 1, or of small integers."""
    if whole:
        return [RNG.integers(0, 10, n).astype(float) for _ in range(3)]
    return [RNG.uniform(0.05, 0.95, n) for _ in range(3)]


def small() -> Iterator[Any]:
    for name, method, parameters in EVALUATED:
        ours, theirs = evaluated(name, method, *parameters)
        limit = "0.25" if (name, method) in NAMED else "1.0"
        for n in (10, 100):
            yield f"{name}.{method} of {n}", "scipy", ours, theirs, points(n, name in WHOLE), limit
    yield "freezing norm", "scipy", lambda x: stats.norm(x), lambda x: judge.norm(x), [1.0], "0.25"
    pairs = [(RNG.normal(size=20), RNG.normal(size=20) + 0.3) for _ in range(3)]
    of_two = "ttest_ind pearsonr spearmanr mannwhitneyu ks_2samp linregress kendalltau wilcoxon"
    for name in of_two.split():
        ours, theirs = getattr(stats, name), getattr(judge, name)
        yield f"{name} of 20", "scipy", _of_pair(ours), _of_pair(theirs), pairs, "0.3"
    for name in "skew kurtosis describe zscore sem mode iqr shapiro normaltest".split():
        ours, theirs = getattr(stats, name), getattr(judge, name)
        yield f"{name} of 20", "scipy", ours, theirs, [a for a, _ in pairs], "0.3"


def _of_pair(test: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda pair: test(*pair)


# By their samples, all functions that take nothing else: descriptive ones, correlations, tests.
OF_ONE = """describe skew kurtosis moment kstat kstatvar mode sem zscore iqr median_abs_deviation
    sigmaclip tmean tvar tmin tmax tstd tsem variation differential_entropy circmean circvar circstd
    expectile lmoment rankdata tiecorrect normaltest skewtest kurtosistest jarque_bera shapiro
    yeojohnson cumfreq relfreq probplot"""
OF_POSITIVE = "gmean hmean gstd gzscore entropy boxcox"
OF_TWO = """zmap energy_distance wasserstein_distance pearsonr spearmanr kendalltau weightedtau
    linregress chatterjeexi ttest_ind ttest_rel ansari mood mannwhitneyu wilcoxon ranksums
    brunnermunzel ks_2samp cramervonmises_2samp"""
OF_THREE = """f_oneway alexandergovern kruskal friedmanchisquare bartlett levene fligner median_test
    tukey_hsd"""
OF_FEW = "theilslopes siegelslopes"  # n**2 slopes
WITH = (("trim_mean", 0.1), ("trimboth", 0.1), ("percentileofscore", 0.3), ("pmean", 2.0))


def survey(n: int) -> Iterator[Any]:
    samples = [tuple(RNG.normal(size=n) for _ in range(3)) for _ in range(3)]
    two = OF_TWO if n > 100 else f"{OF_TWO} {OF_FEW}"
    given: list[tuple[str, Callable[[Any], tuple[Any, ...]]]] = [
        *((name, lambda s: s[:1]) for name in OF_ONE.split()),
        *((name, lambda s: (np.exp(s[0] / 2),)) for name in OF_POSITIVE.split()),
        *((name, lambda s: s[:2]) for name in two.split()),
        *((name, lambda s: s) for name in OF_THREE.split()),
        *((name, lambda s, v=v: (np.exp(s[0] / 2), v)) for name, v in WITH),
        *((name, lambda s: (s[0], judge.norm.cdf)) for name in ("ks_1samp", "cramervonmises")),
    ]
    for name, arguments in given:
        ours, theirs = getattr(stats, name), getattr(judge, name)
        inputs = [arguments(s) for s in samples]
        yield f"{name} of {n}", "scipy", _of_pair(ours), _of_pair(theirs), inputs, "0.5"


def large(quick: bool) -> Iterator[Any]:
    n = 10_000 if quick else 1_000_000
    for name, method, parameters in EVALUATED:
        ours, theirs = evaluated(name, method, *parameters)
        yield f"{name}.{method} of {n}", "scipy", ours, theirs, points(n, name in WHOLE), "1.1"


def rows(n: int) -> Iterator[Any]:
    """Measure tests of rows of 30 against a loop."""
    pairs = [(RNG.normal(size=(n, 30)), RNG.normal(size=(n, 30))) for _ in range(2)]
    limits = {"kendalltau": "0.1"}
    for name in "spearmanr kendalltau ks_2samp mannwhitneyu wilcoxon ttest_ind".split():
        # spearmanr takes rows of a table as variables, and correlates all pairs.
        ours = stats.spearmanrho if name == "spearmanr" else getattr(stats, name)
        theirs = getattr(judge, name)
        yield (
            f"{name}, {n} rows of 30",
            "a loop of scipy",
            lambda p, f=ours: f(*p, axis=-1),
            lambda p, f=theirs: [f(a, b) for a, b in zip(*p, strict=True)],
            pairs,
            limits.get(name, "0.05"),
        )


def fits(n: int) -> Iterator[Any]:
    """Measure fits of data sets of 200 against a loop; of more, ours take less time each."""
    for name, parameters in {"gamma": (2.5, 1.0, 2.0), "beta": (2.0, 3.0), "t": (4.0,)}.items():
        ours, theirs = getattr(stats, name), getattr(judge, name)
        data = theirs.rvs(*parameters, size=(n, 200), random_state=RNG)
        yield (
            f"{name}.fit, one data set of 200",
            "scipy",
            ours.fit,
            theirs.fit,
            list(data[:3]),
            "0.5",
        )
        yield (
            f"{name}.fit, {n} data sets of 200",
            "a loop of scipy",
            lambda x, f=ours: f.fit(x, axis=-1),
            lambda x, f=theirs: [f.fit(row) for row in x],
            [data],
            "0.02",
        )


def resampling(quick: bool) -> Iterator[Any]:
    n, m = (999, 2000) if quick else (9999, 100_000)
    data = [RNG.normal(size=100) for _ in range(2)]

    def mean(x: Any, axis: int = -1) -> Any:
        return x.mean(axis=axis)

    yield (
        f"bootstrap, BCa, of a mean of 100, {n}",
        "scipy",
        lambda x: stats.bootstrap((x,), mean, n_resamples=n, vectorized=True, key=0),
        lambda x: judge.bootstrap((x,), mean, n_resamples=n, vectorized=True, rng=0),
        data,
        "0.5",
    )

    def difference(x: Any, y: Any, axis: int = -1) -> Any:
        return x.mean(axis=axis) - y.mean(axis=axis)

    pairs = [(RNG.normal(size=20), RNG.normal(size=25)) for _ in range(2)]
    yield (
        f"permutation_test of two means, {m}",
        "scipy",
        lambda p: stats.permutation_test(p, difference, n_resamples=m, vectorized=True, key=0),
        lambda p: judge.permutation_test(p, difference, n_resamples=m, vectorized=True, rng=0),
        pairs,
        "0.5",
    )


def density(library: str, to: Callable[[Any], Any], quick: bool) -> Iterator[Any]:
    n = 500 if quick else 10_000
    data, at = RNG.normal(size=(2, n)), [RNG.normal(size=(2, n)) for _ in range(2)]
    ours, theirs = stats.gaussian_kde(to(data)), judge.gaussian_kde(data)
    yield f"gaussian_kde, 2 x {n} at {n}, {library}", "scipy", ours, theirs, at, "0.7"


# Where torch and JAX have a function that is right: torch's of a normal's tail isn't.
def beside_torch(library: Any) -> Iterator[Any]:
    import torch

    to, _ = library
    x = [to(v) for v in points(100_000)]
    one, two = (torch.tensor(v, dtype=torch.float64, device=x[0].device) for v in (1.0, 2.0))
    for name, parameters, own in (
        ("norm", (), torch.distributions.Normal(0 * one, one)),
        ("gamma", (2.0,), torch.distributions.Gamma(two, one)),
        ("beta", (2.0, 2.0), torch.distributions.Beta(two, two)),
        ("t", (2.0,), torch.distributions.StudentT(two)),
    ):
        ours = getattr(stats, name)
        yield (
            f"{name}.logpdf of 100,000, torch",
            "torch.distributions",
            lambda x, f=ours, p=parameters: f.logpdf(x, *p),
            own.log_prob,
            x,
            "1.2",
        )


def beside_jax(library: Any) -> Iterator[Any]:
    import jax
    import jax.scipy.stats as own

    to, wait = library
    x = [to(v) for v in points(100_000)]
    for name, method, parameters in (
        ("norm", "pdf", ()),
        ("norm", "ppf", ()),
        ("gamma", "logpdf", (2.0,)),
        ("beta", "logpdf", (2.0, 3.0)),
        ("t", "logpdf", (2.0,)),
        ("expon", "cdf", ()),
    ):
        mine, other = (getattr(getattr(s, name), method) for s in (stats, own))
        ours = jit(lambda x, f=mine, p=parameters: f(x, *p))
        theirs = jax.jit(lambda x, f=other, p=parameters: f(x, *p))
        yield (
            f"{name}.{method} of 100,000, jitted JAX",
            "jax.scipy.stats",
            lambda x, f=ours: wait(f(x)),
            lambda x, f=theirs: wait(f(x)),
            x,
            "1.2",
        )
