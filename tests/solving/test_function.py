"""What a user's function gets."""

from typing import Any

import numpy as np
import pytest

from likewise.errors import ArrayTypeError
from likewise.optimize import fixed_point, least_squares, minimize, root, root_scalar

T = np.asarray([0.0, 1.0, 2.0, 3.0])
C = np.asarray([0.5, 0.625])


@pytest.mark.xp_skip({"dask": "the iterations look at values"})
@pytest.mark.parametrize(
    "solver", ["least_squares", "minimize", "root", "newton", "halley", "fixed_point"]
)
def test_arguments_may_stand_left_of_unknowns(lib: Any, solver: str) -> None:
    """Also where a transform follows these alone, and the library's operators know no others."""
    t, y, c = (lib.asarray(v) for v in (T, 2 * T + 1, C))
    start, few = lib.asarray([1.0, 0.5]), lib.asarray([1.0, 1.5])
    if solver == "least_squares":
        x = least_squares(lambda p, t, y: y - (t * p[0] + p[1]), start, kwargs={"t": t, "y": y}).x
    elif solver == "minimize":
        x = minimize(
            lambda p, c: c[0] * p[0] ** 2 + c[1] * (c[0] * p[1] - p[0]) ** 2, start, (c,), tol=1e-6
        ).x
    elif solver == "root":
        x = root(lambda p, c: c * p * p - 1.0, start, args=(c,)).x
    elif solver == "fixed_point":
        x = fixed_point(lambda p, c: c * p + 1.0, few, args=(c,))
    else:
        x = root_scalar(lambda p, c: c * p * p - 1.0, (c,), solver, x0=few).root
    expected = {"least_squares": [2.0, 1.0], "minimize": [0.0, 0.0], "fixed_point": 1 / (1 - C)}
    np.testing.assert_allclose(lib.to_numpy(x), expected.get(solver, C**-0.5), rtol=1e-3, atol=1e-3)


@pytest.mark.needs("array_api_strict")
def test_results_of_another_library_than_arguments() -> None:
    import array_api_strict as strict

    with pytest.raises(ArrayTypeError, match=r"as an array of the other library"):
        root_scalar(lambda x: strict.asarray(1.0), bracket=(0.0, np.asarray(1.0)))
