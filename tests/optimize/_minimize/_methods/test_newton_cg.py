"""Newton-CG against SciPy's on classical problems."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise.optimize import minimize
from likewise.transforms import grad, hessian

from ..classical import PROBLEMS


@pytest.mark.parametrize("name", ["Rosenbrock", "Powell singular", "Beale"])
def test_newton_cg(name: str) -> None:
    """Also from x0's side of Beale's valley; at Wood's saddle it ends, where SciPy is slow."""
    fun, start = PROBLEMS[name]
    x0 = np.asarray(start)
    theirs = scipy.optimize.minimize(fun, x0, method="Newton-CG", jac=grad(fun), hess=hessian(fun))
    found = minimize.generic(fun, x0, method="Newton-CG")
    assert found.success and theirs.success
    np.testing.assert_allclose(found.fun, 0.0, atol=1e-8)
    assert found.nfev <= 1.5 * theirs.nfev


@pytest.mark.parametrize("way", [minimize, minimize.generic])
def test_a_slope_that_does_not_bend_is_no_minimum(way: Any) -> None:
    """SciPy takes no step there, and says that it has converged."""
    found = way(lambda x: x[0] + 2 * x[1], np.zeros(2), method="Newton-CG")
    assert not found.success and found.status == 4
