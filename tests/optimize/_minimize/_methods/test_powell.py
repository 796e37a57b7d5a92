"""Powell's method, which goes as SciPy's."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise.optimize import minimize

from ..classical import PROBLEMS


@pytest.mark.share(2)
@pytest.mark.parametrize("name", PROBLEMS)
def test_classical_problems(name: str) -> None:
    fun, start = PROBLEMS[name]
    x0 = np.asarray(start)
    theirs = scipy.optimize.minimize(fun, x0, method="Powell")
    found = minimize.generic(fun, np.stack([x0, x0]), method="Powell")
    assert np.all(found.success)
    np.testing.assert_allclose(found.fun, 0.0, atol=1e-6)
    assert int(found.nit[0]) == theirs.nit
    np.testing.assert_allclose(found.x[0], theirs.x, atol=1e-4)


def test_bounds() -> None:
    """Closed, half open and open sides; each problem has its own."""
    centre = np.asarray([[0.3, -2.0, 4.0], [3.0, 0.1, -0.2], [0.0, 0.0, 0.0]])
    lower = np.asarray([[0.0, -1.0, -np.inf], [-1.0, -np.inf, 0.0], [-np.inf] * 3])
    upper = np.asarray([[1.0, 5.0, 2.0], [2.0, np.inf, np.inf], [np.inf] * 3])

    def fun(x: Any) -> Any:
        away = x - centre
        return np.sum(away**2 + 0.1 * away**4, axis=-1)

    x0 = np.clip(np.full((3, 3), 0.5), lower, upper)
    found = minimize(
        fun, x0, method="Powell", bounds=np.stack([lower, upper], axis=-1), vectorized=True
    )
    assert np.all(found.success)
    np.testing.assert_allclose(found.x, np.clip(centre, lower, upper), atol=2e-3)
    assert np.all((found.x >= lower) & (found.x <= upper))


def test_first_directions() -> None:
    directions = np.asarray([[1.0, 1.0], [1.0, -1.0]])
    fun, start = PROBLEMS["Beale"]
    options = {"direc": directions}
    theirs = scipy.optimize.minimize(fun, start, method="Powell", options=options)
    found = minimize.generic(fun, np.asarray(start), method="Powell", options=options)
    assert found.nit == theirs.nit
    np.testing.assert_allclose(found.x, theirs.x, rtol=1e-6)


@pytest.mark.parametrize("way", [minimize, minimize.generic])
@pytest.mark.parametrize("worst", [np.nan, np.inf])
def test_no_success_at_an_edge_of_the_values(way: Any, worst: float) -> None:
    """Lines along the axes end at an edge along which values fall."""

    def fun(x: Any) -> Any:
        return np.where(np.sum(x) > 1, worst, np.sum((x - 3) ** 2))

    found = way(fun, np.asarray([-12.0, 6.0]), method="Powell")
    assert not found.success and np.isfinite(found.fun)
