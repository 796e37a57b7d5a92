"""Densities, moments and probabilities, against SciPy's, mpmath's integrals and closed forms."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.integrate
import scipy.stats as judge

from likewise import errors, stats, to_numpy
from likewise.transforms import grad

from ..methods import values

RNG = np.random.default_rng(71)
ROOT = RNG.normal(size=(3, 3))
COV = ROOT @ ROOT.T + np.eye(3)
OTHER = COV + np.diag([1.0, 0.5, 2.0])
MEAN = np.asarray([0.3, -1.0, 0.5])
X = RNG.normal(size=(4, 3))
SIMPLEX = RNG.dirichlet([2.0, 3.0, 4.0], size=5).T
ALPHA = np.asarray([1.5, 3.0, 2.2])
MATRICES = np.stack([COV, OTHER, 0.5 * COV], axis=-1)
P = np.asarray([0.2, 0.5, 0.3])
COUNTS = np.asarray([[1.0, 3.0, 2.0], [0.0, 0.0, 6.0], [1.0, 1.0, 1.0]])
KINDS = np.asarray([3, 4, 7])
DIRECTION = np.asarray([2.0, -1.0, 2.0]) / 3
POINTS = X / np.linalg.norm(X, axis=-1, keepdims=True)
ROWS = np.asarray([[2.0, 0.3], [0.3, 1.0]])
TABLES = RNG.normal(size=(4, 2, 3))

CALLS: dict[str, tuple[str, tuple[Any, ...]]] = {
    name + "." + method: (name, (method, *args))
    for name, of_points, of_none, args in (
        ("multivariate_normal", "pdf logpdf cdf logcdf", "", (X, MEAN, COV)),
        ("multivariate_normal", "", "entropy", (MEAN, COV)),
        ("multivariate_t", "pdf logpdf", "", (X, MEAN, COV, 3.5)),
        ("multivariate_t", "", "entropy", (MEAN, COV, 3.5)),
        ("dirichlet", "pdf logpdf", "", (SIMPLEX, ALPHA)),
        ("dirichlet", "", "mean var cov entropy", (ALPHA,)),
        ("wishart", "pdf logpdf", "", (MATRICES, 5.5, OTHER)),
        ("wishart", "", "mean mode var entropy", (5.5, OTHER)),
        ("invwishart", "pdf logpdf", "", (MATRICES, 7.5, OTHER)),
        ("invwishart", "", "mean mode var entropy", (7.5, OTHER)),
        ("multinomial", "pmf logpmf", "", (COUNTS, 6, P)),
        ("multinomial", "", "mean cov entropy", (6, P)),
        ("multivariate_hypergeom", "pmf logpmf", "", (COUNTS.astype(int), KINDS, 6)),
        ("multivariate_hypergeom", "", "mean var cov", (KINDS, 6)),
        ("matrix_normal", "pdf logpdf", "", (TABLES, TABLES[0], ROWS, COV)),
        ("matrix_normal", "", "entropy", (ROWS, COV)),
        ("vonmises_fisher", "pdf logpdf", "", (POINTS, DIRECTION, 2.5)),
        ("vonmises_fisher", "", "entropy", (DIRECTION, 2.5)),
    )
    for method in (of_points + " " + of_none).split()
}


def _given(xp: Any, args: Any) -> list[Any]:
    return [xp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]


@pytest.mark.xp_skip(
    {
        "strict-no_float64": "its bounds are those of double precision",
        "torch": "its default dtype is of single precision",
    }
)
@pytest.mark.parametrize("call", CALLS)
def test_values_are_scipys(xp: Any, call: str) -> None:
    name, (method, *args) = CALLS[call]
    found = to_numpy(values(getattr(stats, name), *_given(xp, args), names=(method,))[0])
    # SciPy integrates in random points, by default new ones to four digits in each call.
    sharper = {"abseps": 1e-8, "releps": 1e-6, "maxpts": 200_000, "rng": 1} if "cdf" in call else {}
    expected = np.asarray(getattr(getattr(judge, name), method)(*args, **sharper))
    assert found.shape == expected.shape
    rtol = 1e-5 if "cdf" in call else 1e-12
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-15)


@pytest.mark.parametrize("call", CALLS)
def test_fixed_parameters_change_nothing(call: str) -> None:
    name, (method, *args) = CALLS[call]
    free = getattr(stats, name)
    points = {"pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf"} & {method}
    x, rest = (args[:1], args[1:]) if points else ([], args)
    if call == "matrix_normal.entropy":
        rest = [TABLES[0], *rest]
    found = getattr(free(*rest), method)(*x)
    np.testing.assert_allclose(found, getattr(free, method)(*args), rtol=1e-13)


BATCHED = {
    "multivariate_normal": ("logpdf", X[:2], X[2:], np.stack([COV, OTHER])),
    "multivariate_t": ("logpdf", X[:2], X[2:], np.stack([COV, OTHER]), np.asarray([2.0, 5.5])),
    "dirichlet": ("logpdf", SIMPLEX.T[:2], np.stack([ALPHA, ALPHA + 1])),
    "wishart": ("logpdf", np.stack([COV, OTHER]), np.asarray([4.0, 5.5]), np.stack([OTHER, COV])),
    "invwishart": (
        "logpdf",
        np.stack([COV, OTHER]),
        np.asarray([4.0, 5.5]),
        np.stack([OTHER, COV]),
    ),
    "multinomial": ("logpmf", COUNTS[:2], np.asarray([6, 6]), np.stack([P, P[::-1]])),
    "matrix_normal": ("logpdf", TABLES[:2], TABLES[2:], np.stack([ROWS, 2 * ROWS]), COV),
    "vonmises_fisher": ("logpdf", POINTS[:2], np.stack([DIRECTION] * 2), np.asarray([0.5, 90.0])),
}


@pytest.mark.xp_skip({"strict-no_float64": "its bounds are those of double precision"})
@pytest.mark.parametrize("name", BATCHED)
def test_a_batch_of_parameters_is_a_loop(xp: Any, name: str) -> None:
    method, *args = BATCHED[name]
    found = to_numpy(values(getattr(stats, name), *_given(xp, args), names=(method,))[0])
    theirs = getattr(getattr(judge, name), method)
    one = [
        theirs(*(a[i] if len(a) == 2 or a.ndim > 2 else a for a in args))
        if name != "matrix_normal"
        else theirs(args[0][i], args[1][i], args[2][i], args[3])
        for i in range(2)
    ]
    np.testing.assert_allclose(found, np.asarray(one), rtol=1e-12)


def _bivariate(h: Any, k: Any, r: Any) -> float:
    """Plackett's integral, in 30 digits."""
    with mpmath.workdps(30):
        h, k, r = map(mpmath.mpf, (h, k, r))
        end = mpmath.asin(r)

        def density(t: Any) -> Any:
            square = h * h + k * k - 2 * h * k * mpmath.sin(t)
            return mpmath.exp(-square / (2 * mpmath.cos(t) ** 2))

        size = mpmath.sqrt(1 - r**2)  # the scale of the angle at its end
        steps = (size * mpmath.mpf(4) ** j for j in range(12, -3, -1))
        parts = [0, *(mpmath.sign(end) * (abs(end) - s) for s in steps if s < abs(end)), end]
        lead = mpmath.ncdf(h) * mpmath.ncdf(k)
        return float(lead + mpmath.quad(density, parts) / (2 * mpmath.pi))


@pytest.mark.parametrize("r", [0.0, 0.3, -0.6, 0.92, -0.93, 0.99, -0.9999, 0.9999999])
def test_two_variables_to_the_last_digits(xp: Any, r: float) -> None:
    rng = np.random.default_rng(int(1e4 * (r + 1)))
    x = rng.normal(size=(6, 2)) * 1.5
    x[-1] = [0.7, math.copysign(0.7001, r)]
    cov = np.asarray([[1.0, r], [r, 1.0]])
    found = to_numpy(stats.multivariate_normal.cdf(xp.asarray(x), None, xp.asarray(cov)))
    np.testing.assert_allclose(found, [_bivariate(*p, r) for p in x], rtol=0, atol=1e-15)


def test_three_variables_by_an_integral_over_the_first() -> None:
    rng = np.random.default_rng(5)
    for _ in range(6):
        root = rng.normal(size=(3, 3))
        sizes = np.sqrt(np.diag(root @ root.T))
        corr = (root @ root.T) / np.outer(sizes, sizes)
        h = rng.normal(size=3)
        a, b = corr[0, 1], corr[0, 2]
        s, t = math.sqrt(1 - a * a), math.sqrt(1 - b * b)
        r = (corr[1, 2] - a * b) / (s * t)
        two = stats.multivariate_normal(cov=np.asarray([[1.0, r], [r, 1.0]]))

        def given(
            z: float, h: Any = h, a: Any = a, b: Any = b, s: Any = s, t: Any = t, two: Any = two
        ) -> float:
            rest = np.asarray([(h[1] - a * z) / s, (h[2] - b * z) / t])
            return float(two.cdf(rest)) * math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)

        bends = sorted({-9.0, h[0], *(v for v in (h[1] / a, h[2] / b) if -9 < v < h[0])})
        parts = itertools.pairwise(bends)
        expected = sum(scipy.integrate.quad(given, p, q, epsabs=1e-14)[0] for p, q in parts)
        assert abs(float(stats.multivariate_normal.cdf(h, cov=corr)) - expected) < 1e-13


def test_probabilities_of_rectangles_and_of_more_variables() -> None:
    cov = np.eye(5) + 0.5
    x, low = np.asarray([0.5, 1.0, 0.2, 2.0, 0.1]), np.full(5, -1.5)
    for d in range(1, 6):
        options: dict[str, Any] = {"cov": cov[:d, :d], "lower_limit": low[:d]}
        found = float(stats.multivariate_normal.cdf(x[:d], **options))
        # Of equicorrelated variables: an integral over the common part.
        size = math.sqrt(0.5)
        nodes, weights = np.polynomial.hermite_e.hermegauss(80)
        z = judge.norm.cdf(x[:d, None] - size * nodes) - judge.norm.cdf(
            low[:d, None] - size * nodes
        )
        expected = np.prod(z, axis=0) @ weights / math.sqrt(2 * math.pi)
        assert abs(found - expected) < (1e-14 if d < 4 else 1e-5)
        swapped = stats.multivariate_normal.cdf(low[:d], cov=cov[:d, :d], lower_limit=x[:d])
        assert abs(float(swapped) - (-1) ** d * expected) < (1e-14 if d < 4 else 1e-5)


def test_singular_covariances() -> None:
    cov = np.asarray([[1.0, 1.0], [1.0, 1.0]])
    x = np.asarray([[0.5, 0.5], [0.5, 0.6]])
    for method in ("pdf", "logpdf", "cdf"):
        found = getattr(stats.multivariate_normal, method)(x, None, cov, allow_singular=True)
        expected = getattr(judge.multivariate_normal, method)(x, None, cov, allow_singular=True)
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    with pytest.raises(errors.LinAlgError, match="allow_singular is False"):
        stats.multivariate_normal.logpdf(x, None, cov)
    with pytest.raises(errors.ArgumentError, match="positive semidefinite"):
        stats.multivariate_normal(cov=-cov)


@pytest.mark.parametrize("d", [2, 3, 4, 7, 10])
def test_bessel_ratios_reach_from_small_to_large_concentrations(d: int) -> None:
    mu = np.eye(d)[0]
    for kappa in (1e-3, 0.5, 7.0, 60.0, 66.0, 900.0, 2e4):
        with mpmath.workdps(40):
            v = mpmath.mpf(d) / 2 - 1
            bessel = mpmath.besseli(v, kappa)
            norm = v * mpmath.log(kappa) - (v + 1) * mpmath.log(2 * mpmath.pi) - mpmath.log(bessel)
            entropy = -norm - kappa * mpmath.besseli(v + 1, kappa) / bessel
        found = stats.vonmises_fisher.logpdf(mu, mu, kappa)
        assert abs(found - float(norm + kappa)) < 1e-12 * (1 + abs(float(norm + kappa)))
        error = abs(stats.vonmises_fisher.entropy(mu, kappa) - float(entropy))
        assert error < 1e-12 + 2e-16 * kappa


def test_fits() -> None:
    x = judge.multivariate_normal(MEAN, COV, seed=1).rvs(50)
    for got, want in zip(
        stats.multivariate_normal.fit(x), judge.multivariate_normal.fit(x), strict=True
    ):
        np.testing.assert_allclose(got, want, rtol=1e-12)
    batch = stats.multivariate_normal.fit(np.stack([x, 2 * x]))
    np.testing.assert_allclose(batch[1][1], 4 * judge.multivariate_normal.fit(x)[1], rtol=1e-12)
    for kappa in (0.5, 20.0, 3e3):
        v = judge.vonmises_fisher(DIRECTION, kappa, seed=2).rvs(60)
        for got, want in zip(
            stats.vonmises_fisher.fit(v), judge.vonmises_fisher.fit(v), strict=True
        ):
            np.testing.assert_allclose(got, want, rtol=1e-7)


def test_marginals() -> None:
    found = stats.multivariate_normal.marginal([2, 0], MEAN, COV)
    np.testing.assert_array_equal(found.cov, COV[np.ix_([2, 0], [2, 0])])
    np.testing.assert_array_equal(found.mean, MEAN[[2, 0]])
    student = stats.multivariate_t(MEAN, COV, 4).marginal(-1)
    assert abs(student.logpdf(0.2) - judge.t.logpdf(0.2, 4, MEAN[2], COV[2, 2] ** 0.5)) < 1e-13
    with pytest.raises(errors.ArgumentError, match="unique"):
        stats.multivariate_normal.marginal([1, -2], MEAN, COV)


def _slope(function: Callable[[Any], Any], x: np.ndarray, way: np.ndarray) -> float:
    """The derivative along a direction, by central differences of two orders."""
    near, far = (
        (float(function(x + h * way)) - float(function(x - h * way))) / (2 * h)
        for h in (1e-4, 2e-4)
    )
    return (4 * near - far) / 3


SYMMETRIC = np.asarray([[0.2, 0.1, 0.0], [0.1, -0.3, 0.2], [0.0, 0.2, 0.5]])
SLOPES = {
    "normal-mean": (lambda m: stats.multivariate_normal.logpdf(X[0], m, COV), MEAN),
    "normal-cov": (lambda c: stats.multivariate_normal.logpdf(X[0], MEAN, c), COV),
    "normal-cdf-x": (lambda x: stats.multivariate_normal.cdf(x, MEAN, COV), X[0]),
    "normal-cdf-cov": (lambda c: stats.multivariate_normal.cdf(X[0], MEAN, c), COV),
    "t-shape": (lambda c: stats.multivariate_t.logpdf(X[0], MEAN, c, 3.5), COV),
    "t-df": (lambda v: stats.multivariate_t.logpdf(X[0], MEAN, COV, v), np.asarray(3.5)),
    "dirichlet-alpha": (lambda a: stats.dirichlet.logpdf(SIMPLEX[:, 0], a), ALPHA),
    "wishart-df": (lambda v: stats.wishart.logpdf(COV, v, OTHER), np.asarray(5.5)),
    "wishart-scale": (lambda c: stats.wishart.logpdf(COV, 5.5, c), OTHER),
    "invwishart-x": (lambda x: stats.invwishart.logpdf(x, 5.5, OTHER), COV),
    "matrix_normal-colcov": (
        lambda c: stats.matrix_normal.logpdf(TABLES[0], None, ROWS, c),
        COV,
    ),
    "vonmises_fisher-kappa": (
        lambda k: stats.vonmises_fisher.logpdf(POINTS[0], DIRECTION, k),
        np.asarray(3.0),
    ),
}


@pytest.mark.parametrize("which", SLOPES)
def test_derivatives(which: str) -> None:
    function, x = SLOPES[which]
    way = SYMMETRIC if x.ndim == 2 else np.ones_like(x)
    found = float(np.sum(grad(function)(x) * way))
    assert abs(found - _slope(function, x, way)) < 1e-8 * (1 + abs(found))
