"""Arguments whose squares overflow, and parameters at the end of their domain."""

import math
from typing import Any

import numpy as np
import pytest

from likewise import stats
from likewise.transforms import grad


def test_densities_of_arguments_whose_square_overflows() -> None:
    # (1 + x**2 / df)**(-(df + 1) / 2) is df**((df + 1) / 2) x**(-df - 1) here.
    df, x = 0.5, 1e160
    expected = df**0.25 * x**-1.5 * math.gamma(0.75) / (math.sqrt(math.pi) * math.gamma(0.25))
    np.testing.assert_allclose(stats.t.pdf(x, df), expected, rtol=1e-14)
    np.testing.assert_allclose(stats.t.pdf(-x, df), expected, rtol=1e-14)
    np.testing.assert_allclose(stats.t.logpdf(x, df), math.log(expected), rtol=1e-14)
    for dist, args in ((stats.chi, (3.0,)), (stats.nakagami, (2.0,)), (stats.maxwell, ())):
        assert dist.pdf(1e160, *args) == 0.0
        assert dist.logpdf(1e160, *args) == -np.inf


@pytest.mark.parametrize("x", [1e100, 1e160])
def test_tails_of_the_noncentral_t_are_powers_far_out(x: float) -> None:
    df, nc = 1.25, 0.7
    near, far = stats.nct.sf(np.asarray([1e40, x]), df, nc)
    np.testing.assert_allclose(far, near * (x / 1e40) ** -df, rtol=1e-12)
    near, far = stats.nct.pdf(np.asarray([-1e40, -x]), df, nc)
    np.testing.assert_allclose(far, near * (x / 1e40) ** (-df - 1), rtol=1e-12)


def test_t_with_infinite_degrees_of_freedom_is_normal() -> None:
    x = np.asarray([-3.0, 0.0, 0.4, 20.0])
    for method in ("pdf", "logpdf", "cdf", "sf"):
        expected = getattr(stats.norm, method)(x)
        np.testing.assert_allclose(getattr(stats.t, method)(x, np.inf), expected, rtol=1e-13)
    assert stats.t.var(np.inf) == 1.0
    np.testing.assert_allclose(stats.t.entropy(np.inf), stats.norm.entropy(), rtol=1e-15)


def test_derivatives_on_both_sides_of_a_change_of_method() -> None:
    for dist, args, at in (
        (stats.t, (3.9,), 0.3),
        (stats.beta, (0.4, 2.0), 0.2),
        (stats.maxwell, (), 0.9),
        (stats.maxwell, (), 1.1),
        (stats.kappa3, (2.5,), 0.9),
        (stats.kappa3, (2.5,), 1.2),
        (stats.invweibull, (1.5,), 0.7),
    ):
        slope = grad(lambda x, d=dist, a=args: d.cdf(x, *a))(np.asarray(at))
        np.testing.assert_allclose(slope, dist.pdf(at, *args), rtol=1e-13)
        bent = grad(lambda x, d=dist, a=args: d.pdf(x, *a))(np.asarray(at))
        log = grad(lambda x, d=dist, a=args: d.logpdf(x, *a))(np.asarray(at))
        np.testing.assert_allclose(bent, log * dist.pdf(at, *args), rtol=1e-12)


@pytest.mark.parametrize(
    ("dist", "args"),
    [
        (stats.gengamma, (0.3, 4.0)),
        (stats.gengamma, (0.3, -4.0)),
        (stats.exponweib, (0.3, 2.0)),
    ],
)
def test_quantiles_where_a_step_leaves_the_range(dist: Any, args: tuple[float, ...]) -> None:
    """q**(1 / a) is below the least number here, and its power with 1 / c isn't."""
    tail, inverse = (dist.sf, dist.isf) if args[1] < 0 else (dist.cdf, dist.ppf)
    q = np.asarray([1e-100, 1e-120, 1e-30])
    x = inverse(q, *args)
    assert np.all((x > 0) & np.isfinite(x))
    np.testing.assert_allclose(tail(x, *args), q, rtol=1e-12)
    slope = grad(lambda a: inverse(1e-100, a, args[1]))(np.asarray(args[0]))
    by_tail = grad(lambda a: tail(x[0], a, args[1]))(np.asarray(args[0]))
    by_x = dist.pdf(x[0], *args) * (-1 if args[1] < 0 else 1)
    np.testing.assert_allclose(slope, -by_tail / by_x, rtol=1e-9)


def test_one_side_is_as_both() -> None:
    # Where all arguments are on one side of the middle, one of two functions is called.
    for dist, x in ((stats.betaprime, [0.3, 0.9, 1.0, 7.0]), (stats.jf_skew_t, [-3.0, -0.1, 2.0])):
        for tail in (dist.cdf, dist.sf):
            found = tail(np.asarray(x), 2.0, 3.0)
            assert np.array_equal(found, [tail(v, 2.0, 3.0) for v in x])
