from typing import Any

import numpy as np
import pytest
import scipy.optimize

from likewise.errors import ArgumentError, OptimizeWarning, ShapeError
from likewise.optimize import quadratic_assignment
from likewise.testing import check_grads


def _problem(rng: Any, n: int, m: int) -> tuple[Any, Any, dict[str, Any]]:
    """Return matrices, fixed pairs and a permutation that has them."""
    a, b = rng.integers(0, 9, (2, n, n)).astype(float)
    rows, columns = np.sort(rng.permutation(n)[:m]), rng.permutation(n)[:m]
    start = np.empty(n, int)
    start[rows] = columns
    rest = [np.setdiff1d(np.arange(n), v) for v in (rows, columns)]
    start[rest[0]] = rng.permutation(rest[1])
    pairs = {
        "partial_match": np.stack([rows, columns], axis=1),
        "partial_guess": np.stack([np.arange(n), start], axis=1),
    }
    return a, b, pairs


@pytest.mark.parametrize("method", ["faq", "2opt"])
@pytest.mark.parametrize(("n", "m"), [(1, 0), (4, 4), (6, 0), (7, 2)])
def test_equals_scipy(lib: Any, rng: Any, method: str, n: int, m: int) -> None:
    for maximize in (False, True):
        a, b, options = _problem(rng, n, m)
        options["maximize"] = maximize
        if method == "faq":
            del options["partial_guess"]
        expected = scipy.optimize.quadratic_assignment(a, b, method, options)
        ours = {k: lib.asarray(v) if hasattr(v, "shape") else v for k, v in options.items()}
        found = quadratic_assignment(lib.asarray(a), lib.asarray(b), method, ours)
        np.testing.assert_array_equal(lib.to_numpy(found.col_ind), expected.col_ind)
        np.testing.assert_array_equal(lib.to_numpy(found.fun), expected.fun)
        assert int(found.nit) == expected.nit


@pytest.mark.parametrize("method", ["faq", "2opt"])
def test_problems_of_a_batch_are_alone(method: str, rng: Any) -> None:
    a, b = rng.normal(size=(2, 4, 6, 6))
    a[1, 2, 3] = np.nan
    guess = np.stack([np.arange(6), rng.permutation(6)], axis=1)
    options = {} if method == "faq" else {"partial_guess": guess}
    found = quadratic_assignment(a, b, method, options)
    assert found.status.tolist() == [0, 2, 0, 0]
    for k in (0, 2, 3):
        one = scipy.optimize.quadratic_assignment(a[k], b[k], method, options)
        np.testing.assert_array_equal(found.col_ind[k], one.col_ind)
        assert found.nit[k] == one.nit


def test_random_starts(rng: Any) -> None:
    a, b = rng.normal(size=(2, 7, 7))
    for method, options in (
        ("faq", {"P0": "randomized"}),
        ("faq", {"shuffle_input": True}),
        ("faq", {"P0": np.eye(7)}),
        ("2opt", {"partial_match": [[0, 3]], "partial_guess": [[1, 2], [4, 3]]}),
    ):
        found = quadratic_assignment(a, b, method, options, key=4)
        p = found.col_ind
        assert sorted(p.tolist()) == list(range(7))
        np.testing.assert_allclose(found.fun, np.sum(a * b[p][:, p]))
        again = quadratic_assignment(a, b, method, options, key=4)
        np.testing.assert_array_equal(p, again.col_ind)
        if method == "2opt":
            assert p[0] == 3
    starts = {int(quadratic_assignment(a, b, "2opt", key=k).nit) for k in range(5)}
    assert len(starts) > 1


def test_limit_and_nothing() -> None:
    a = np.arange(36.0).reshape(6, 6) % 5
    found = quadratic_assignment(a, a.T, options={"maxiter": 1, "tol": 1e-9})
    assert int(found.nit) == 1
    assert int(found.status) == 1
    for method in ("faq", "2opt"):
        none = quadratic_assignment(np.empty((0, 0)), np.empty((0, 0)), method)
        assert int(none.nit) == 0
        assert float(none.fun) == 0


def test_derivatives(rng: Any) -> None:
    a, b = rng.normal(size=(2, 2, 5, 5))
    check_grads(lambda a, b: quadratic_assignment(a, b).fun, a, b)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"P0": "random"}, ArgumentError),
        ({"P0": np.ones((2, 2))}, ShapeError),
        ({"P0": np.ones((3, 3))}, ArgumentError),
        ({"maxiter": -1}, ArgumentError),
        ({"tol": 0}, ArgumentError),
        ({"rng": 3}, ArgumentError),
        ({"partial_match": np.ones((5, 2))}, ShapeError),
        ({"partial_match": np.ones((2, 3))}, ShapeError),
        ({"partial_match": [[0, -1]]}, ArgumentError),
        ({"partial_match": [[0, 3]]}, ArgumentError),
        ({"partial_match": [[0, 1], [0, 2]]}, ArgumentError),
    ],
)
def test_errors(options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        quadratic_assignment(np.eye(3), np.eye(3), options=options)


def test_other_errors() -> None:
    with pytest.raises(ShapeError, match="square"):
        quadratic_assignment(np.ones((3, 4)), np.eye(3))
    with pytest.raises(ShapeError, match="equal size"):
        quadratic_assignment(np.eye(4), np.eye(3))
    with pytest.raises(ArgumentError, match="method"):
        quadratic_assignment(np.eye(3), np.eye(3), "simplex")
    with pytest.warns(OptimizeWarning, match="ekki"):
        quadratic_assignment(np.eye(3), np.eye(3), options={"ekki": 1})
