"""Power transformations, against SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.special

from likewise import stats
from likewise.errors import ArgumentError, ShapeError
from likewise.transforms import grad

from ..seeds import seeds
from .calls import compare

NAMES = (
    "boxcox",
    "boxcox_llf",
    "boxcox_normmax",
    "yeojohnson",
    "yeojohnson_llf",
    "yeojohnson_normmax",
)


@pytest.mark.parametrize("name", NAMES)
def test_against_scipy(lib: Any, name: str) -> None:
    for seed in seeds(lib, 6 if name.endswith("llf") else 1):
        compare(name, seed, lib)


def test_the_best_parameter_has_a_derivative() -> None:
    x = np.asarray([1.5, 0.3, 3.5, 2.1, 5.75, 0.6, 4.2])
    for f in (lambda x: stats.boxcox_normmax(x, method="mle"), stats.yeojohnson_normmax):
        step = np.asarray([0.3, 1.0, -0.5, 0.2, 0.4, -0.1, 0.7]) * 1e-3
        along = float(np.sum(grad(f)(x) * step))
        assert float(f(x + step) - f(x - step)) / 2 == pytest.approx(along, rel=1e-3)


def test_powers_that_overflow() -> None:
    x = np.asarray([2003.0, 1950.0, 1997.0, 2000.0, 2009.0])
    with pytest.warns(RuntimeWarning, match="exceed specified"):
        found = stats.boxcox_normmax(x, method="mle", ymax=1000.0)
    assert float(np.max(np.abs(scipy.special.boxcox(x, float(found))))) == pytest.approx(1000.0)


def test_refusals() -> None:
    with pytest.raises(ArgumentError, match="must not be constant"):
        stats.boxcox(np.ones(4))
    with pytest.raises(ArgumentError, match="must be positive"):
        stats.boxcox(np.asarray([1.0, -1.0]))
    with pytest.raises(ShapeError, match="1-dimensional"):
        stats.boxcox_normmax(np.ones((2, 2)))
    with pytest.raises(ArgumentError, match="must be finite"):
        stats.yeojohnson_normmax(np.asarray([1.0, np.inf]))
    assert float(stats.yeojohnson_normmax(np.zeros(4))) == 1.0
