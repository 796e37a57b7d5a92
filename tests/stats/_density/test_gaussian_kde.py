"""Kernel density estimates, against SciPy's."""

import copy
import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.stats as judge

from likewise import array_namespace, asarray, errors, random, to_numpy
from likewise.stats import gaussian_kde
from likewise.stats._density import _kernels
from likewise.transforms import grad, tree_map, vmap

RNG = np.random.default_rng(11)
X, P, W = RNG.normal(size=(2, 30)), RNG.normal(size=(2, 7)), RNG.random(30)


def test_values_are_scipys(xp: Any) -> None:
    ours = gaussian_kde(xp.asarray(X), "silverman", xp.asarray(W))
    theirs = judge.gaussian_kde(X, "silverman", W)
    p = xp.asarray(P)
    for name in ("evaluate", "__call__", "pdf", "logpdf"):
        found = to_numpy(getattr(ours, name)(p))
        np.testing.assert_allclose(found, getattr(theirs, name)(P), rtol=1e-12)
    for name in ("covariance", "inv_cov", "cho_cov", "log_det", "weights", "neff", "factor"):
        found = to_numpy(xp.asarray(getattr(ours, name)))
        np.testing.assert_allclose(found, getattr(theirs, name), rtol=1e-11)
    assert (ours.d, ours.n) == (theirs.d, theirs.n)


def test_integrals_are_scipys(xp: Any) -> None:
    ours, theirs = gaussian_kde(xp.asarray(X), 0.4), judge.gaussian_kde(X, 0.4)
    other, others = gaussian_kde(xp.asarray(X[:, :9] + 1)), judge.gaussian_kde(X[:, :9] + 1)
    mean, cov = np.asarray([0.5, -1.0]), np.asarray([[2.0, 0.3], [0.3, 1.0]])
    found = [
        ours.integrate_kde(other),
        other.integrate_kde(ours),
        ours.integrate_gaussian(xp.asarray(mean), xp.asarray(cov)),
        gaussian_kde(xp.asarray(X[0]), None, xp.asarray(W)).integrate_box_1d(-1, math.inf),
        gaussian_kde(xp.asarray(X[0])).integrate_box(-math.inf, 0.3),
    ]
    expected = [
        theirs.integrate_kde(others),
        theirs.integrate_kde(others),
        theirs.integrate_gaussian(mean, cov),
        judge.gaussian_kde(X[0], weights=W).integrate_box_1d(-1, np.inf),
        judge.gaussian_kde(X[0]).integrate_box_1d(-np.inf, 0.3),
    ]
    np.testing.assert_allclose([float(f) for f in found], expected, rtol=1e-12)


@pytest.mark.parametrize("d", [2, 3, 4])
def test_boxes_are_sums_of_normal_probabilities(xp: Any, d: int) -> None:
    data = RNG.normal(size=(d, 12))
    low, high = np.full(d, -0.7), np.append(np.full(d - 1, 0.9), math.inf)
    most = 40_000 if d == 4 else None
    found = gaussian_kde(xp.asarray(data)).integrate_box(xp.asarray(low), xp.asarray(high), most)
    theirs = judge.gaussian_kde(data)
    expected = theirs.integrate_box(low, np.where(high > 1e9, 50.0, high), maxpts=50_000, rng=RNG)
    np.testing.assert_allclose(float(found), expected, rtol={2: 1e-7, 3: 1e-4, 4: 1e-3}[d])
    several = gaussian_kde(xp.asarray(np.stack([data, data + 1]))).integrate_box(-0.7, 0.9, most)
    one = gaussian_kde(xp.asarray(data + 1)).integrate_box(xp.asarray(low), 0.9, most)
    np.testing.assert_allclose(to_numpy(several)[1], float(one), rtol=1e-9 if d < 4 else 1e-3)


def test_a_batch_is_a_loop(xp: Any) -> None:
    data, weights = np.stack([X, 2 * X + X**2, X - 3]), np.stack([W, W**2, W[::-1]])
    ours = gaussian_kde(xp.asarray(data), weights=xp.asarray(weights))
    loop = [judge.gaussian_kde(x, weights=w) for x, w in zip(data, weights, strict=True)]
    for name in ("pdf", "logpdf"):
        found = to_numpy(getattr(ours, name)(xp.asarray(P)))
        np.testing.assert_allclose(found, [getattr(k, name)(P) for k in loop], rtol=1e-11)
    mapped = vmap(lambda x, w: gaussian_kde(x, weights=w)(xp.asarray(P)))
    found = to_numpy(mapped(xp.asarray(data), xp.asarray(weights)))
    np.testing.assert_allclose(found, [k(P) for k in loop], rtol=1e-11)
    found = to_numpy(ours.integrate_kde(ours))
    np.testing.assert_allclose(found, [k.integrate_kde(k) for k in loop], rtol=1e-11)
    one = to_numpy(gaussian_kde(xp.asarray(data)).marginal(-1).pdf(xp.asarray(P[1])))
    np.testing.assert_allclose(
        one, [judge.gaussian_kde(x).marginal([1])(P[1]) for x in data], rtol=1e-11
    )
    widths = np.asarray([0.2, 0.5, 1.0])
    found = to_numpy(gaussian_kde(xp.asarray(data), xp.asarray(widths))(xp.asarray(P)))
    expected = [judge.gaussian_kde(x, h)(P) for x, h in zip(data, widths, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-11)


def _total(x: Any) -> Any:
    return array_namespace(x).sum(x)


@pytest.mark.xp_skip({"strict-no_float64": "its bounds are those of double precision"})
@pytest.mark.parametrize("which", range(4))
def test_derivatives_are_differences(xp: Any, which: int) -> None:
    given = [X[:, :8], P[:, :3], W[:8], np.asarray(0.4)]

    def f(i: Any, *fixed: Any) -> Any:
        args = [*fixed[:which], i, *fixed[which:]]
        return _total(gaussian_kde(args[0], args[3], args[2]).logpdf(args[1]))

    def theirs(x: Any) -> Any:
        args = [*given[:which], x, *given[which + 1 :]]
        return judge.gaussian_kde(args[0], float(args[3]), args[2]).logpdf(args[1]).sum()

    arrays = [xp.asarray(a) for a in given]
    fixed = [a for i, a in enumerate(arrays) if i != which]
    found = to_numpy(grad(f)(arrays[which], *fixed))
    for at in np.ndindex(given[which].shape):
        step = np.zeros(given[which].shape)
        step[at] = 1e-5
        slope = (theirs(given[which] + step) - theirs(given[which] - step)) / 2e-5
        np.testing.assert_allclose(found[at], slope, rtol=1e-6, atol=1e-7)


def test_a_tree_of_arrays(xp: Any) -> None:
    ours = gaussian_kde(xp.asarray(X), 0.3, xp.asarray(W))
    slopes = grad(lambda k: _total(k.logpdf(xp.asarray(P))))(ours)
    assert tuple(slopes.dataset.shape) == X.shape and isinstance(slopes, gaussian_kde)
    again = tree_map(lambda x: x, ours)
    for made in (again, pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours)):
        found = to_numpy(made(xp.asarray(P)))
        np.testing.assert_allclose(found, to_numpy(ours(xp.asarray(P))), rtol=1e-14)
        made.set_bandwidth("scott")
        expected = judge.gaussian_kde(X, "scott", W)(P)
        np.testing.assert_allclose(to_numpy(made(xp.asarray(P))), expected, rtol=1e-12)


def test_blocks_are_the_whole(xp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = gaussian_kde(xp.asarray(X))
    whole = [to_numpy(f(xp.asarray(P))) for f in (ours.pdf, ours.logpdf)]
    monkeypatch.setattr(_kernels, "_BLOCK", 70)
    for expected, f in zip(whole, (ours.pdf, ours.logpdf), strict=True):
        np.testing.assert_allclose(to_numpy(f(xp.asarray(P))), expected, rtol=1e-14)


def test_draws_are_equal_and_of_the_density(xp: Any) -> None:
    data, key = np.asarray([[0.0, 8.0, 8.1]]), random.key(5)
    for weights in (None, np.asarray([0.2, 0.8, 0.0])):
        ours = gaussian_kde(xp.asarray(data), 0.1, None if weights is None else xp.asarray(weights))
        plain = gaussian_kde(data, 0.1, weights).resample(4000, key=key)
        found = to_numpy(ours.resample(4000, key=key))
        np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-12)
        share = float(to_numpy(ours.weights)[0])
        assert abs(np.mean(plain < 4) - share) < 5 * math.sqrt(share * (1 - share) / 4000)
        assert abs(plain[plain < 4].std() / float(to_numpy(ours.cho_cov)[0, 0]) - 1) < 0.15
    assert ours.resample(key=key).shape == (1, 1)


def test_far_data_lose_digits_by_their_distance_not_its_square() -> None:
    data = np.concatenate([np.random.default_rng(4).normal(size=50), [1e9]])
    points = np.asarray([0.125, 1e9 + 0.0625])
    width = 1e-9 * data.std(ddof=1)
    kernels = np.exp(-0.5 * ((points[:, None] - data) / width) ** 2)
    expected = kernels.mean(axis=-1) / (width * math.sqrt(2 * math.pi))
    assert (expected > 1e-3).all()
    rtol = 8 * 2.0**-52 * 1e9 / width  # its square would leave no digit
    np.testing.assert_allclose(gaussian_kde(data, 1e-9)(points), expected, rtol=rtol)


def test_subclasses_and_rules_of_ones_own() -> None:
    class Half(gaussian_kde):
        def covariance_factor(self) -> Any:
            return 0.5 * self.silverman_factor()

    silverman = gaussian_kde(X, "silverman").factor
    assert Half(X).factor == 0.5 * silverman
    assert gaussian_kde(X, lambda k: k.silverman_factor() / 3).factor == silverman / 3
    ours = gaussian_kde(X)
    ours.covariance_factor = ours.silverman_factor  # type: ignore[method-assign]
    ours._compute_covariance()
    assert ours.factor == silverman


def test_what_is_refused(lib: Any) -> None:
    x = asarray(X, namespace=lib.name)
    ours = gaussian_kde(x)
    for call, kind, words in (
        (lambda: gaussian_kde(asarray([1.0], like=x)), errors.ArgumentError, "multiple elements"),
        (lambda: gaussian_kde(asarray(X.T, like=x)), errors.ShapeError, "greater than number"),
        (lambda: gaussian_kde(x, "wrong"), errors.ArgumentError, "silverman"),
        (lambda: gaussian_kde(x, 0.0), errors.ArgumentError, "above 0"),
        (lambda: gaussian_kde(x, None, asarray(W[:4], like=x)), errors.ShapeError, "length n=30"),
        (lambda: gaussian_kde(x * (1 + 1j)), errors.DtypeError, "real"),
        (lambda: ours(asarray(np.ones((3, 4)), like=x)), errors.ShapeError, "dimension 3"),
        (lambda: ours.integrate_gaussian([1.0], [[1.0]]), errors.ShapeError, "dimension 2"),
        (lambda: ours.integrate_gaussian([1.0, 2.0], [[1.0]]), errors.ShapeError, "covariance"),
        (lambda: ours.integrate_kde(ours.marginal(0)), errors.ShapeError, "same dimension"),
        (lambda: ours.integrate_kde(3), errors.ArrayTypeError, "gaussian_kde"),
        (lambda: ours.integrate_box_1d(0, 1), errors.ShapeError, "1D"),
        (lambda: ours.integrate_box([0, 0], [1, 1], rng=1), errors.ArgumentError, "key="),
        (lambda: ours.integrate_box([0, 0, 0], [1, 1, 1]), errors.ShapeError, "2 elements"),
        (lambda: ours.resample(3, seed=1), errors.ArgumentError, "key="),
        (lambda: ours.marginal([0, 0]), errors.ArgumentError, "unique"),
        (lambda: ours.marginal([0.5]), errors.ArgumentError, "integers"),
        (lambda: ours.marginal([0, -3, 2]), errors.ArgumentError, r"\[-3, 2\]"),
    ):
        with pytest.raises(kind, match=words):
            call()


def test_data_without_a_spread() -> None:
    for data in (np.ones((1, 5)), np.ones((2, 5)), np.full((1, 4), np.nan)):
        with pytest.raises(errors.LinAlgError, match="lower-dimensional") as told:
            gaussian_kde(data)
        assert isinstance(told.value, np.linalg.LinAlgError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.LikewiseWarning)
        some = gaussian_kde(np.stack([X, np.ones_like(X)]))(P)
    np.testing.assert_allclose(some[0], judge.gaussian_kde(X)(P), rtol=1e-12)
    assert np.isnan(some[1]).all()


@pytest.mark.parametrize("rounds", [40, pytest.param(3000, marks=pytest.mark.full)])
def test_random_calls_are_scipys(rounds: int) -> None:
    rng = np.random.default_rng(7)
    for _ in range(rounds):
        d = int(rng.integers(1, 6))
        n, m = int(rng.integers(d + 1, 40)), int(rng.integers(0, 12))
        mix = rng.normal(size=(d, d)) + 2 * np.eye(d)
        data = mix @ rng.normal(size=(d, n)) + 10 ** rng.uniform(-1, 3)
        points = data[:, rng.integers(n, size=m)] + rng.normal(size=(d, m)) * rng.choice([0.1, 9.0])
        weights = None if rng.random() < 0.5 else rng.random(n) * (rng.random(n) < 0.8) + 1e-3
        rule: Any = [None, "scott", "silverman", float(10 ** rng.uniform(-1, 1))][rng.integers(4)]
        if d == 1 and rng.random() < 0.5:
            data, points = data[0], points[0]
        try:
            theirs = judge.gaussian_kde(data, rule, weights)
        except np.linalg.LinAlgError:
            continue
        ours = gaussian_kde(data, rule, weights)
        scale = np.linalg.cond(theirs.covariance)
        if scale > 1e8:
            continue
        rtol = 1e-12 * scale + 1e-11
        np.testing.assert_allclose(ours.logpdf(points), theirs.logpdf(points), rtol, rtol)
        expected = theirs.pdf(points)
        size = np.maximum(1.0, np.abs(np.log(np.maximum(expected, 1e-300))))
        assert (np.abs(ours.pdf(points) - expected) <= 10 * rtol * size * expected + 1e-300).all()
