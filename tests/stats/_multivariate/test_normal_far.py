"""Logarithms of normal probabilities that are no numbers themselves, against mpmath's integrals."""

from typing import Any

import numpy as np
import pytest

from likewise.interop import to_numpy
from likewise.stats import multivariate_normal

# Two variables: mpmath 1.3, the integral over the first of the conditional probability.
PAIRS = (
    (-30.0, -30.0, 0.0, -908.6424879126978),
    (-30.0, -30.0, 0.9, -480.2325714217742),
    (-30.0, -30.0, -0.9, -9012.415245969925),
    (-60.0, -30.0, 0.9, -1805.0135606805784),
    (-40.0, 3.0, -0.99, -34472.211683083246),
    (-40.0, -39.9, 0.9999, -804.6084420137655),
)
# Variables of equal limits and correlations 1/2: the integral over what they have in common.
EQUAL = ((3, -40.0, -1211.4048831153686, 1e-8), (5, -20.0, -346.6815058788858, 1e-3))


def test_pairs(xp: Any) -> None:
    x = xp.asarray([[h, k] for h, k, _, _ in PAIRS], dtype=xp.float64)
    cov = xp.asarray([[[1.0, r], [r, 1.0]] for _, _, r, _ in PAIRS], dtype=xp.float64)
    found = to_numpy(multivariate_normal.logcdf(x, cov=cov))
    np.testing.assert_allclose(found, [v for *_, v in PAIRS], rtol=1e-12)


@pytest.mark.parametrize(("d", "h", "value", "rtol"), EQUAL)
def test_equal_correlations(d: int, h: float, value: float, rtol: float) -> None:
    cov = 0.5 * (np.eye(d) + 1)
    found = multivariate_normal.logcdf(np.full((2, d), [[h], [0.0]]), cov=cov)
    np.testing.assert_allclose(found[0], value, rtol=rtol)
    np.testing.assert_allclose(found[1], np.log(1 / (d + 1)), rtol=1e-4)
