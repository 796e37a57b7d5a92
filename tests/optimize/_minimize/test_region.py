"""Newton's methods with a trust region against SciPy's on classical problems."""

from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise.optimize import minimize
from likewise.transforms import grad, hessian

from .classical import PROBLEMS

METHODS = ["trust-ncg", "trust-krylov", "trust-exact", "dogleg"]


# SciPy's dogleg fails on two of these: what it needs there is not positive definite.
@pytest.mark.share(2)
@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("method", METHODS)
def test_classical_problems(name: str, method: str) -> None:
    """The minimum of zero, by about as many evaluations as SciPy, where that gets there."""
    fun, start = PROBLEMS[name]
    x0 = np.asarray(start)
    theirs = scipy.optimize.minimize(fun, x0, method=method, jac=grad(fun), hess=hessian(fun))
    found = minimize.generic(fun, np.stack([x0, x0]), method=method)
    assert np.all(found.success)
    np.testing.assert_allclose(found.fun, 0.0, atol=1e-6)
    if theirs.success:
        assert int(found.nfev[0]) <= 1.3 * theirs.nfev + 5


def _long(x: Any) -> Any:
    return 10 * np.sum((x[1:] - x[:-1] ** 2) ** 2) + np.sum((1 - x[:-1]) ** 2)


@pytest.mark.parametrize("given", ["", "hess", "hessp", "jac", "both"])
@pytest.mark.parametrize("method", [*METHODS, "Newton-CG"])
def test_one_problem_goes_as_scipys(method: str, given: str) -> None:
    """By SciPy's routine, whatever derivatives are known; also of many unknowns."""
    p = 20 if given in ("", "jac") else 2
    fun, slope, second = _long, grad(_long), hessian(_long)
    x0 = np.linspace(1.3, 1.0, p)
    known: dict[str, Any] = {
        "": {},
        "hess": {"jac": slope, "hess": second},
        "hessp": {"jac": slope, "hessp": lambda x, v: second(x) @ v},
        "jac": {"jac": slope},
        "both": {"jac": True},
    }[given]
    theirs = scipy.optimize.minimize(fun, x0, method=method, jac=slope, hess=second)
    ours = (lambda x: (fun(x), slope(x))) if given == "both" else fun
    found = minimize(ours, x0, method=method, **known)
    assert theirs.success and found.success
    np.testing.assert_allclose(found.x, theirs.x, atol=1e-5)
    assert abs(int(found.nit) - theirs.nit) <= 1


@pytest.mark.parametrize("method", ["trust-exact", "Newton-CG", "TNC"])
def test_differences_of_what_cannot_be_traced(method: str) -> None:
    def fun(x: Any) -> Any:
        return np.float64(sum(float(v) ** 4 + float(v) ** 2 for v in x - 1.0))

    found = minimize(fun, np.asarray([0.5, -2.0]), method=method, jac="2-point")
    np.testing.assert_allclose(found.x, [1.0, 1.0], atol=1e-4)
