"""Jacobians of many small problems, whose tangents begin as the number 1."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.transforms._columns import along, passes, valued_columns

T = np.linspace(0.1, 2, 7)
A = np.asarray([[0.7], [1.3]])
B = np.asarray([[0.4], [-0.6]])
NOTHING, TRUE = 0.0, True


def xp_of(*arrays: Any) -> Any:
    return likewise.array_namespace(*arrays)


def in_place(t: Any, a: Any, b: Any) -> Any:
    y = a * t
    y += b
    return y * b


FUNCTIONS = {
    "sum": lambda t, a, b: a + b * t,
    "a bool for a factor": lambda t, a, b: a * t + b * TRUE,
    "integers": lambda t, a, b: a * 10**10 * 10**10 * 2e-20 * t - 3 * b,
    "a branch that divides by 0": lambda t, a, b: xp_of(t, a).where(t > 0, a * t, b / NOTHING),
    "divided": lambda t, a, b: t / a + 1 / (2 + b) + b / 4,
    "powers": lambda t, a, b: a ** (1 + t) + (2 + b) ** 2 + 2.0**b,
    "stacked": lambda t, a, b: xp_of(t, a).sum(xp_of(t, a).stack([a, b, a * b]), axis=0) * t,
    "joined": lambda t, a, b: xp_of(t, a).concat([a * t[:3], b * t[3:]], axis=1),
    "shaped": lambda t, a, b: xp_of(t, a).matrix_transpose(xp_of(t, a).reshape(a, (1, 2))) * t + b,
    "multiplied": lambda t, a, b: xp_of(t, a).matmul(a, 2 * t[None, :]) + b,
    "one argument": lambda t, a, b: xp_of(t, a).broadcast_to(a, (2, 7)),
    "in place": in_place,
    "exponential": lambda t, a, b: a * xp_of(t, b).exp(-b * t),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("in_one", [False, True])
def test_columns_are_difference_quotients(lib: Any, name: str, in_one: bool) -> None:
    fun = FUNCTIONS[name]
    if (in_one and lib.library == "jax") or ("bool" in name and lib.library == "strict"):
        return  # one compiles, the other refuses
    if name == "integers" and lib.name == "jax-x32":
        return  # which refuses integers beyond 32 bits
    t, *parts = (lib.asarray(v, dtype="float64") for v in (T, A, B))
    with np.errstate(divide="ignore", invalid="ignore"):
        assert not in_one or lib.library != "torch" or passes(fun, (t,), parts)
        value, found = along(fun, (t,), parts, in_one=in_one)
        h = 1e-6
        expected = [
            (fun(T, A + h, B) - fun(T, A - h, B)) / (2 * h),
            (fun(T, A, B + h) - fun(T, A, B - h)) / (2 * h),
        ]
        wanted = fun(T, A, B)
    tol = 1e-8 if lib.has_float64 else 1e-5
    np.testing.assert_allclose(lib.to_numpy(value), np.broadcast_to(wanted, (2, 7)), rtol=tol)
    for column, slope in zip(found, expected, strict=True):
        assert column.dtype == value.dtype and tuple(column.shape) == (2, 7)
        scale = 1 + np.max(np.abs(slope))
        np.testing.assert_allclose(lib.to_numpy(column), slope, atol=1e2 * tol * scale)


QUADRATIC = np.asarray([[1.0, -2.0], [0.0, 3.0]])  # x, whose function is (x0^2 + x1, 3 x0 x1)
JACOBIAN = [[[2 * a, 3 * b], [1.0, 3 * a]] for a, b in QUADRATIC]


@pytest.mark.parametrize("bounds", ["none", "wide", "below", "above", "near"])
@pytest.mark.parametrize("method", ["2-point", "3-point", "cs"])
def test_differences_stay_within_bounds(lib: Any, method: str, bounds: str) -> None:
    """The parabola through three places has the slope of a quadratic, wherever these lie."""
    x, seen = lib.asarray(QUADRATIC), []

    def fun(x: Any) -> Any:
        seen.append(x)
        return xp_of(x).concat([x[:, :1] ** 2 + x[:, 1:], 3 * x[:, :1] * x[:, 1:]], axis=1)

    if method == "cs" and not lib.has_float64:
        return
    low, high = {
        "none": (9.0, 9.0), "wide": (9.0, 9.0), "below": (0.0, 9.0), "above": (9.0, 0.0),
        "near": (1e-3, 1e-4),
    }[bounds]  # fmt: skip
    limits = (lib.asarray(QUADRATIC - low), lib.asarray(QUADRATIC + high))
    value, found = valued_columns(fun, x, method, None if bounds == "none" else limits)
    eps = float(xp_of(x).finfo(x.dtype).eps)
    atol = {"2-point": 20 * eps**0.5, "3-point": 100 * eps ** (2 / 3), "cs": 20 * eps}[method]
    a, b = QUADRATIC.T
    np.testing.assert_allclose(lib.to_numpy(value), np.stack([a**2 + b, 3 * a * b], 1), rtol=1e-6)
    np.testing.assert_allclose(lib.to_numpy(found), JACOBIAN, atol=atol)
    for place in seen if method != "cs" and not (lib.jit or lib.replayed) else []:
        inside = lib.to_numpy(place)
        assert np.all((inside >= lib.to_numpy(limits[0])) & (inside <= lib.to_numpy(limits[1])))


def test_steps_of_each_column(lib: Any) -> None:
    """A quotient of a square by a step h is 2 x + h; steps are relative to x."""
    x = lib.asarray([[1.0, -4.0], [2.0, 8.0], [0.5, 1.0]])
    each, relative = lib.asarray([0.25, 0.5]), np.asarray([0.25, 0.5])
    values = lib.to_numpy(x)
    for given, by in ((each, relative), (0.25, 0.25)):
        _, found = valued_columns(lambda x: x * x, x, "2-point", None, given)
        expected = 2 * values + by * np.abs(values)
        np.testing.assert_allclose(np.einsum("bii->bi", lib.to_numpy(found)), expected, rtol=1e-5)


@pytest.mark.needs("torch")
def test_what_no_pass_can_follow() -> None:
    import torch

    t, a, b = map(torch.asarray, (T, A, B))
    assert not passes(lambda t, a, b: torch.exp(-a * t) + b, (t,), [a, b])
    assert not passes(lambda t, a, b: (a * t).exp() + b, (t,), [a, b])
