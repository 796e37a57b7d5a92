"""Jacobians of many small problems, whose tangents begin as the number 1."""

from typing import Any

import numpy as np
import pytest

import likewise
from likewise.transforms._columns import along, passes

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


@pytest.mark.needs("torch")
def test_what_no_pass_can_follow() -> None:
    import torch

    t, a, b = map(torch.asarray, (T, A, B))
    assert not passes(lambda t, a, b: torch.exp(-a * t) + b, (t,), [a, b])
    assert not passes(lambda t, a, b: (a * t).exp() + b, (t,), [a, b])
