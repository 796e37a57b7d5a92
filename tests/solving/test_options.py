"""Options that no solver can take are refused in our words."""

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from likewise.errors import ArgumentError, LikewiseError
from likewise.optimize import (
    bracket_root,
    find_minimum,
    find_root,
    fixed_point,
    least_squares,
    linear_sum_assignment,
    lsq_linear,
    minimize,
    minimize_scalar,
    nnls,
    root,
    root_scalar,
)

X = np.asarray([1.0, 2.0])
A, B = np.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.asarray([1.0, 2.0, 3.0])
COUNTS = [-1, 1.5, "a", 1j, [1], np.asarray(3.0), X, True]
NUMBERS = [-1.0, float("nan"), "a", "1e-3", 1j, [1], X, 10**400]
TABLES = ["a", True, [1], 1j, X]


def square(x: Any) -> Any:
    return x * x - 2.0


def sphere(x: Any) -> Any:
    return x[0] * x[0] + x[1] * x[1]


def refused(call: Any, name: str) -> None:
    with pytest.raises(ArgumentError, match=f"{name}.*got|got.*{name}") as caught:
        call()
    assert not any(f" _{word}" in str(caught.value) for word in "abcdefghijklmnopqrstuvwxyz")


@pytest.mark.parametrize("bad", COUNTS, ids=repr)
def test_counts(bad: Any) -> None:
    refused(lambda: least_squares(square, X, max_nfev=bad), "max_nfev")
    refused(lambda: root(square, X, options={"maxiter": bad}), "maxiter")
    refused(lambda: root(square, X, method="anderson", options={"M": bad}), "M")
    refused(lambda: nnls(A, B, maxiter=bad), "maxiter")
    refused(lambda: lsq_linear(A, B, max_iter=bad), "max_iter")
    refused(lambda: root_scalar(square, bracket=(0.0, 2.0), maxiter=bad), "maxiter")
    refused(lambda: find_root(square, (0.0, 2.0), maxiter=bad), "maxiter")
    refused(lambda: bracket_root(square, 0.5, maxiter=bad), "maxiter")
    refused(lambda: minimize_scalar(square, options={"maxiter": bad}), "maxiter")
    refused(lambda: fixed_point(square, 0.5, maxiter=bad), "maxiter")


def test_counts_that_are_written_as_floats() -> None:
    """As 1e4; SciPy takes them, too."""
    few, same = (minimize(sphere, X, method="Adam", options={"maxiter": n}) for n in (3, 3.0))
    assert few.nit == same.nit == 3 and few.status == same.status == 1
    assert least_squares(square, X, max_nfev=1e1).success


def test_no_limit() -> None:
    for call in (
        lambda: least_squares(square, X, max_nfev=math.inf),
        lambda: least_squares(square, X, max_nfev=math.inf, method="lm"),
        lambda: root(square, X, options={"maxiter": math.inf}),
        lambda: nnls(A, B, maxiter=math.inf),
        lambda: lsq_linear(A, B, max_iter=math.inf),
        lambda: root_scalar(square, bracket=(0.0, 2.0), maxiter=math.inf),
        lambda: find_root(square, (0.0, 2.0), maxiter=math.inf),
        lambda: minimize_scalar(square, options={"maxiter": math.inf}),
        *(
            partial(minimize, sphere, X, method=m, options={"maxiter": math.inf})
            for m in ("BFGS", "CG", "L-BFGS-B", "trust-ncg", "Nelder-Mead")
        ),
    ):
        found: Any = call()
        assert found[1] < 1 if isinstance(found, tuple) else found.success
    with pytest.raises(ArgumentError):
        minimize(sphere, X, method="L-BFGS-B", options={"maxcor": math.inf})


@pytest.mark.parametrize("bad", NUMBERS, ids=lambda b: repr(b)[:12])
def test_tolerances(bad: Any) -> None:
    refused(lambda: least_squares(square, X, ftol=bad), "ftol")
    refused(lambda: root(square, X, tol=bad), "tol")
    refused(lambda: root(square, X, options={"xtol": bad}), "xtol")
    refused(lambda: lsq_linear(A, B, tol=bad), "tol")
    refused(lambda: root_scalar(square, bracket=(0.0, 2.0), xtol=bad), "xtol")
    refused(lambda: find_root(square, (0.0, 2.0), tolerances={"xatol": bad}), "xatol")
    refused(lambda: fixed_point(square, 0.5, xtol=bad), "xtol")


@pytest.mark.parametrize("bad", TABLES, ids=repr)
def test_tables(bad: Any) -> None:
    refused(lambda: root(square, X, options=bad), "options")
    refused(lambda: minimize_scalar(square, options=bad), "options")
    refused(lambda: find_root(square, (0.0, 2.0), tolerances=bad), "tolerances")
    refused(lambda: find_minimum(square, (-1.0, 0.1, 2.0), tolerances=bad), "tolerances")


@pytest.mark.parametrize("bad", [("a", "b"), (1j, 2), ([0, 0, 0], 1)], ids=repr)
def test_bounds(bad: Any) -> None:
    for call in (
        lambda: minimize(sphere, X, bounds=[bad, bad]),
        lambda: least_squares(square, X, bounds=bad),
        lambda: lsq_linear(A, B, bounds=bad),
    ):
        with pytest.raises(LikewiseError, match="bounds"):
            call()


def test_maximize() -> None:
    refused(lambda: linear_sum_assignment(A, maximize=X), "maximize")
