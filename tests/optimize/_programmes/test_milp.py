from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import torch

from likewise.errors import ArgumentError, NotSupported, ShapeError
from likewise.optimize import Bounds, LinearConstraint, linprog, milp

R = np.random.default_rng(35)


def _programme(n: int, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    a = R.integers(0, 9, (m, n)).astype(float)
    return -R.integers(1, 9, n).astype(float), a, a.sum(axis=1) * 1.5


@pytest.mark.parametrize("kinds", [0, 1, [0, 1, 2, 3]])
def test_equals_scipy(kinds: object) -> None:
    c, a, high = _programme(4, 3)
    low = np.full(3, 1.0)
    expected = scipy.optimize.milp(
        c, integrality=kinds, bounds=scipy.optimize.Bounds(0.5, 7),
        constraints=scipy.optimize.LinearConstraint(a, low, high),
    )  # fmt: skip
    for rows in (
        LinearConstraint(a, low, high),
        scipy.optimize.LinearConstraint(a, low, high),
        (a, low, high),
        [(a[:1], low[:1], high[:1]), LinearConstraint(a[1:], low[1:], high[1:])],
        (scipy.sparse.csr_array(a), low, high),
    ):
        for bounds in (Bounds(0.5, 7.0), scipy.optimize.Bounds(0.5, 7), (0.5, np.full(4, 7.0))):
            found = milp(c, integrality=kinds, bounds=bounds, constraints=rows)
            assert found.success
            np.testing.assert_allclose(found.x, expected.x, atol=1e-9)
            for name in ("fun", "mip_node_count", "mip_dual_bound", "mip_gap", "status"):
                none = -1 if name == "mip_node_count" else np.nan  # of a problem without integers
                told = none if expected[name] is None else expected[name]
                np.testing.assert_allclose(found[name], told, atol=1e-9)


def test_statuses() -> None:
    assert milp(1).fun == 0
    assert int(milp(-1).status) == 3
    found = milp(1, bounds=(1, -1))
    assert int(found.status) == 2
    assert not found.success
    assert np.isnan(found.x).all()
    assert int(found.mip_node_count) == -1
    c, a, high = _programme(6, 4)
    stopped = milp(c, integrality=1, constraints=(a, -np.inf, high), options={"time_limit": 0.0})
    assert int(stopped.status) == 1


def test_batch() -> None:
    problems = [_programme(4, 3) for _ in range(3)]
    c, a, high = (np.stack(v) for v in zip(*problems, strict=True))
    high[1, 0] = -1.0  # infeasible
    found = milp(c, integrality=[1, 0, 1, 0], constraints=LinearConstraint(a, -np.inf, high))
    assert found.status.tolist() == [0, 2, 0]
    for k in (0, 2):
        one = scipy.optimize.milp(
            c[k], integrality=[1, 0, 1, 0], constraints=(a[k], np.full(3, -np.inf), high[k])
        )
        np.testing.assert_allclose(found.fun[k], one.fun, atol=1e-9)


def test_tensors_are_viewed() -> None:
    c, a, high = (torch.asarray(v) for v in _programme(4, 3))
    for dtype in (torch.float64, torch.float32):
        some = [v.to(dtype) for v in (c, a, high)]
        found = milp(some[0], integrality=1, constraints=(some[1], -np.inf, some[2]))
        expected = scipy.optimize.milp(c, integrality=1, constraints=(a, -np.inf, high))
        assert found.x.dtype == dtype
        np.testing.assert_allclose(found.x.numpy(), expected.x, atol=1e-6)
    found = linprog(c, a, high)
    expected = scipy.optimize.linprog(c.numpy(), a.numpy(), high.numpy())
    np.testing.assert_allclose(found.x.numpy(), expected.x, atol=1e-9)
    np.testing.assert_allclose(
        found.ineqlin.marginals.numpy(), expected.ineqlin.marginals, atol=1e-9
    )


def test_all_libraries(lib: Any) -> None:
    """Solved on NumPy's arrays and views of PyTorch's; an error on others, without a copy."""
    c, a, high = _programme(4, 3)
    given = {"integrality": 1, "constraints": (lib.asarray(a), -np.inf, lib.asarray(high))}
    try:
        found = milp(lib.asarray(c), **given)
    except NotSupported as error:
        assert lib.library not in ("numpy", "torch") or lib.jit or lib.gpu
        assert "to_numpy" in str(error)
        return
    expected = scipy.optimize.milp(c, integrality=1, constraints=(a, -np.inf, high))
    np.testing.assert_allclose(lib.to_numpy(found.fun), expected.fun)
    np.testing.assert_allclose(lib.to_numpy(found.mip_dual_bound), expected.mip_dual_bound)


def test_derivatives_are_refused() -> None:
    with pytest.raises(NotSupported, match="derivatives"):
        milp(torch.ones(2, requires_grad=True))


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"c": []}, ShapeError),
        ({"c": None}, ArgumentError),
        ({"c": [np.nan]}, ArgumentError),
        ({"c": scipy.sparse.coo_array([0, 1])}, ArgumentError),
        ({"c": 1, "bounds": 10}, ArgumentError),
        ({"c": [1, 2, 3], "bounds": ([1, 2], [3, 4])}, ShapeError),
        ({"c": [1, 2, 3], "bounds": ([1, 2, 3], ["3", 4, 5])}, ArgumentError),
        ({"c": 1, "constraints": 10}, ArgumentError),
        ({"c": [1, 2, 3], "constraints": ([[1, 2, 3]], [2, 3], [2, 3])}, ShapeError),
        ({"c": [1, 2, 3], "constraints": ([[1, 2]], [2], [2])}, ShapeError),
        ({"c": [1, 2, 3], "integrality": [1, 2]}, ShapeError),
        ({"c": [1, 2, 3], "integrality": [1, 5, 3]}, ArgumentError),
        ({"c": [1, 2, 3], "options": 3}, ArgumentError),
    ],
)
def test_errors(given: dict, error: type) -> None:
    with pytest.raises(error):
        milp(**given)
